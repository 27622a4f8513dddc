/* Contacts that pass on over the seams of a surface: from one triangle of a mesh to the next, or to a solid that lies flush. The point of
 * contact goes on as it was, but has another name. Its slot takes that name, so that the contact is no new one: it holds as before, does
 * not bounce, and is not told as an end and a beginning. */
#include "step/nonsmooth.h"

#include <string.h>

#define FURTHER 1.5 /* times the way of a step: a contact that is further away is another one */

/* A contact and the side of its surface. */
typedef struct surface {
    int a, b;         /* solids */
    bool on_second;   /* b is of the surface */
    jn_vec3 onA, onB; /* [m] points that touched, in the world */
} surface;

static int link_of(const jn_sim *sim, int solid) { return sim->m->solids[solid].link; }

/* Whether two contacts are those of one solid with one body. */
static bool go_together(const jn_sim *sim, const surface *s, const jn_near *pair) {
    return s->on_second ? pair->a == s->a && link_of(sim, pair->b) == link_of(sim, s->b)
                        : pair->b == s->b && link_of(sim, pair->a) == link_of(sim, s->a);
}

const jn_touch *jn_slot_touch(const jn_sim *sim, const double *slot, const jn_near **pair) {
    const jn_scan *scan = sim->contacts->scan;
    *pair = jn_scan_find(scan, (int)slot[JN_SLOT_A] - 1, (int)slot[JN_SLOT_B]);
    for (int k = 0; *pair && k < (*pair)->count; k++) {
        const jn_touch *t = jn_scan_touch(scan, (*pair)->first + k);
        if (t->feature == (uint32_t)slot[JN_SLOT_FEATURE]) return t;
    }
    return NULL;
}

/* [m] how far a contact of the two solids may come in a step. */
static double farthest(const jn_sim *sim, const surface *s) {
    const jn_link_motion *A = &sim->w->link[link_of(sim, s->a)], *B = &sim->w->link[link_of(sim, s->b)];
    const jn_solid *body = &sim->m->solids[s->on_second ? s->a : s->b];
    jn_vec3 w = v3_sub(B->V.w, A->V.w);
    jn_vec3 v = v3_sub(v3_sub(B->V.v, A->V.v), v3_cross(s->on_second ? B->V.w : A->V.w, v3_sub(B->O, A->O)));
    double way = v3_norm(v) + v3_norm(w) * (v3_norm(body->local.p) + body->reach);
    return FURTHER * way * sim->m->run.step + 1e-8;
}

static jn_vec3 kept_point(const jn_sim *sim, int solid, const double *p) {
    const jn_link_motion *B = &sim->w->link[link_of(sim, solid)];
    return v3_add(B->O, m3_mul_v(&B->R, v3(p[0], p[1], p[2])));
}

/* The nearest touch that has no slot; NULL: none. */
static const jn_touch *find_heir(const jn_sim *sim, const surface *s, const jn_near **pair) {
    const jn_scan *scan = sim->contacts->scan;
    const jn_touch *best = NULL;
    double least = farthest(sim, s);
    for (int i = 0; i < jn_scan_pairs(scan); i++) {
        const jn_near *near = jn_scan_pair(scan, i);
        if (!go_together(sim, s, near)) continue;
        for (int k = near->first; k < near->first + near->count; k++) {
            const jn_touch *t = jn_scan_touch(scan, k);
            double way = fmin(v3_norm(v3_sub(t->pA, s->onA)), v3_norm(v3_sub(t->pB, s->onB)));
            if (way > least || jn_slot_find(sim->m, sim->s->slot, near->a, near->b, t->feature)) continue;
            best = t, least = way, *pair = near;
        }
    }
    return best;
}

/* The k-th slot gets another name, and the place that goes with it. */
static void rename_slot(jn_sim *sim, int k, const jn_near *pair, uint32_t feature) {
    const jn_model *m = sim->m;
    double *slot = sim->s->slot, kept[JN_SLOT];
    int used = jn_slots_used(m, slot);
    memcpy(kept, slot + JN_SLOT * k, sizeof kept);
    memmove(slot + JN_SLOT * k, slot + JN_SLOT * (k + 1), (size_t)(JN_SLOT * (used - k - 1)) * sizeof *slot);
    memset(slot + JN_SLOT * (used - 1), 0, sizeof kept);
    double *to = jn_slot_insert(m, slot, pair->a, pair->b, feature);
    kept[JN_SLOT_A] = to[JN_SLOT_A], kept[JN_SLOT_B] = to[JN_SLOT_B], kept[JN_SLOT_FEATURE] = to[JN_SLOT_FEATURE];
    memcpy(to, kept, sizeof kept);
}

static bool has_points(const double *slot) {
    for (int k = 0; k < 6; k++)
        if (slot[JN_SLOT_POINT_A + k] != 0) return true;
    return false;
}

/* Whether one of the solids has neighbours to which contacts can pass on. */
static bool find_surface(const jn_sim *sim, surface *s) {
    s->on_second = !jn_scan_tiled(sim->contacts->scan, s->a);
    return !s->on_second || jn_scan_tiled(sim->contacts->scan, s->b);
}

/* The slot passes on where its own touch has gone; true if it has. */
static bool pass_on(jn_sim *sim, int k) {
    const double *slot = sim->s->slot + JN_SLOT * k;
    surface s = {.a = (int)slot[JN_SLOT_A] - 1, .b = (int)slot[JN_SLOT_B]};
    const jn_near *pair = NULL;
    if (!find_surface(sim, &s) || !has_points(slot) || jn_slot_touch(sim, slot, &pair)) return false;
    s.onA = kept_point(sim, s.a, slot + JN_SLOT_POINT_A), s.onB = kept_point(sim, s.b, slot + JN_SLOT_POINT_B);
    const jn_touch *heir = find_heir(sim, &s, &pair);
    if (heir) rename_slot(sim, k, pair, heir->feature);
    return heir != NULL;
}

void jn_seams_follow(const jn_sim *sim, jn_held *h) {
    surface s = {.a = h->a, .b = h->b, .onA = h->touch.pA, .onB = h->touch.pB};
    const jn_near *pair = NULL;
    const jn_touch *heir = find_surface(sim, &s) ? find_heir(sim, &s, &pair) : NULL;
    if (heir) h->touch = *heir;
}

void jn_seams_pass(jn_sim *sim) {
    const double *slot = sim->s->slot;
    int n = 0, used = jn_slots_used(sim->m, slot);
    for (int k = 0; k < used && slot[JN_SLOT * k + JN_SLOT_A] <= sim->m->solid_count && n < 2 * used; n++)
        if (!pass_on(sim, k)) k++; /* else another one stands there */
}

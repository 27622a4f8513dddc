/* Contacts that pass on over the seams of a surface: from one triangle of a mesh to the next, or to a solid that lies flush. The contact
 * point goes on as it was, but is another feature. Its contact state takes the new key, so that the contact is no new one: it sticks as
 * before, does not rebound, and is not reported as a separation and a new contact. */
#include "algebra/elementary.h"
#include "proximity/detection.h"
#include "step/nonsmooth/nonsmooth.h"

/* A contact and the side of its surface. */
typedef struct surface {
    int a, b;         /* solids */
    bool on_second;   /* b is of the surface */
    jn_vec3 onA, onB; /* [m] contact points on both, in the world */
} surface;

static int link_of(const jn_sim *sim, int solid) { return sim->m->solids[solid].link; }

/* Whether two contacts are those of one solid with one body. */
static bool go_together(const jn_sim *sim, const surface *s, const jn_solid_pair *pair) {
    return s->on_second ? pair->a == s->a && link_of(sim, pair->b) == link_of(sim, s->b)
                        : pair->b == s->b && link_of(sim, pair->a) == link_of(sim, s->a);
}

/* [m] how far a contact of the two solids may come in a step. */
static double farthest(const jn_sim *sim, const surface *s) {
    const jn_link_motion *A = &sim->w->link[link_of(sim, s->a)], *B = &sim->w->link[link_of(sim, s->b)];
    const jn_solid *body = &sim->m->solids[s->on_second ? s->a : s->b];
    jn_vec3 w = v3_sub(B->V.w, A->V.w);
    jn_vec3 v = v3_sub(v3_sub(B->V.v, A->V.v), v3_cross(s->on_second ? B->V.w : A->V.w, v3_sub(B->O, A->O)));
    double speed = v3_norm(v) + v3_norm(w) * (v3_norm(body->local.p) + body->reach);
    return JN_SEAM_FURTHER * speed * sim->m->run.step + JN_SEAM_NEAR;
}

static jn_vec3 kept_point(const jn_sim *sim, int solid, jn_vec3 p) {
    const jn_link_motion *B = &sim->w->link[link_of(sim, solid)];
    return v3_add(B->O, m3_mul_v(&B->R, p));
}

/* The nearest contact point that is not active; NULL: none. */
static const jn_contact_geometry *find_heir(const jn_sim *sim, const surface *s, const jn_solid_pair **pair) {
    const jn_detection *detection = sim->contacts->detection;
    const jn_contact_geometry *best = NULL;
    double least = farthest(sim, s);
    for (int i = 0; i < jn_detection_pairs(detection); i++) {
        const jn_solid_pair *other = jn_detection_pair(detection, i);
        if (!go_together(sim, s, other)) continue;
        for (int k = other->first; k < other->first + other->count; k++) {
            const jn_contact_geometry *t = jn_detection_contact(detection, k);
            double distance = jn_fmin(v3_norm(v3_sub(t->pA, s->onA)), v3_norm(v3_sub(t->pB, s->onB)));
            if (distance > least || jn_contact_cache_find(sim->s, other->a, other->b, t->feature)) continue;
            best = t, least = distance, *pair = other;
        }
    }
    return best;
}

static bool has_points(const jn_contact_state *c) {
    const jn_vec3 a = c->stepping.point_a, b = c->stepping.point_b;
    return a.x != 0 || a.y != 0 || a.z != 0 || b.x != 0 || b.y != 0 || b.z != 0;
}

/* Whether one of the solids has neighbours to which contacts can pass on. */
static bool find_surface(const jn_sim *sim, surface *s) {
    s->on_second = !jn_detection_tiled(sim->contacts->detection, s->a);
    return !s->on_second || jn_detection_tiled(sim->contacts->detection, s->b);
}

/* An active contact passes on where its own contact point has gone; true if it has. */
static bool pass_on(jn_sim *sim, int k) {
    const jn_contact_state *cached = &sim->s->contact[k];
    surface s = {.a = cached->a, .b = cached->b};
    const jn_solid_pair *pair = NULL;
    if (!find_surface(sim, &s) || !has_points(cached) ||
        jn_contact_cache_point(sim->contacts->detection, cached, &pair))
        return false;
    s.onA = kept_point(sim, s.a, cached->stepping.point_a), s.onB = kept_point(sim, s.b, cached->stepping.point_b);
    const jn_contact_geometry *heir = find_heir(sim, &s, &pair);
    if (heir) jn_contact_cache_rename(sim->m, sim->s, k, pair->a, pair->b, heir->feature);
    return heir != NULL;
}

void jn_seams_follow(const jn_sim *sim, jn_contact_point *h) {
    surface s = {.a = h->a, .b = h->b, .onA = h->geometry.pA, .onB = h->geometry.pB};
    const jn_solid_pair *pair = NULL;
    const jn_contact_geometry *heir = find_surface(sim, &s) ? find_heir(sim, &s, &pair) : NULL;
    if (heir) jn_contact_point_take(h, heir);
}

void jn_seams_pass(jn_sim *sim) {
    const jn_contact_state *contact = sim->s->contact;
    int n = 0, count = jn_detection_has_tiles(sim->contacts->detection) ? sim->s->contact_count : 0;
    for (int k = 0; k < count && contact[k].a < sim->m->solid_count && n < 2 * count; n++)
        if (!pass_on(sim, k)) k++; /* else another one stands there */
}

/* Active contacts as a user sees them: of the contact set (nonsmooth, impact), or of the contact cache of the state (compliant). */
#include "step/impact/impact_method.h"

/* What all methods show: bodies, name, geometry, and slip with the velocities V of the links; NULL: those of the work space. */
static jn_contact_view describe(const jn_sim *sim, int a, int b, int row, const jn_contact_geometry *at,
                                const jn_twist *V) {
    const jn_model *m = sim->m;
    int A = m->solids[a].link, B = m->solids[b].link;
    const jn_link_motion *link = sim->w->link;
    jn_relative_motion motion =
        jn_geometry_motion(at, link[A].O, V ? V[A] : link[A].V, link[B].O, V ? V[B] : link[B].V);
    if (m->surfaces_move) motion.slip = v3_add(motion.slip, jn_surface_motion(m, link, a, b, jn_contact_place(A, B, at), at->n).v);
    return (jn_contact_view){.body = {m->solids[a].body, m->solids[b].body},
                             .solid = {a, b},
                             .name = m->contacts[row].name,
                             .point = v3_scale(0.5, v3_add(at->pA, at->pB)),
                             .normal = at->n,
                             .gap = at->gap,
                             .slip = motion.slip};
}

/* Method nonsmooth: a contact without load has separated, or rests. */
static jn_contact_mode mode_of_step(const jn_contact_set *set, int i, const jn_contact_state *cached) {
    const jn_contact_point *h = &set->point[i];
    bool loaded = set->p[i * set->dimension] > 0;
    if (loaded && h->impacting) return JN_CONTACT_IMPACTING;
    if (loaded && h->is_new) return JN_CONTACT_NEW;
    if (!loaded && set->u[i * set->dimension] > JN_STILL) return JN_CONTACT_SEPARATING;
    return jn_contact_state_mode(cached);
}

static bool is_active(const jn_contact_set *set, int i, const jn_contact_state *cached) {
    return cached && (set->p[i * set->dimension] > 0 || cached->phase == JN_PHASE_LASTING);
}

static int view_set(const jn_sim *sim, jn_contact_view *out, int room) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    int count = 0;
    if (set->time != sim->s->t || !(set->duration > 0)) return 0;
    if (room > 0) jn_velocities_of(sim->m, sim->w, sim->s->u, sim->w->twist);
    for (int i = 0; i < set->count; i++) {
        jn_contact_point now = set->point[i];
        const jn_contact_state *cached = jn_contact_cache_find(sim->s, now.a, now.b, now.feature);
        if (!jn_pair_is(sim->m, &now) || !is_active(set, i, cached)) continue;
        if (count < room) {
            jn_vec3 P = jn_contact_impulse(set, set->p, i);
            jn_contact_point_follow(sim, &now);
            out[count] = describe(sim, now.a, now.b, now.row, &now.geometry, sim->w->twist);
            out[count].force = v3_scale(1 / set->duration, P);
            out[count].impulse = sim->impact ? v3(0, 0, 0) : P;
            out[count].mode = sim->impact ? jn_contact_state_mode(cached) : mode_of_step(set, i, cached);
        }
        count++;
    }
    return count;
}

static int view_cache(const jn_sim *sim, jn_contact_view *out, int room) {
    const jn_contacts *c = sim->contacts;
    int count = 0;
    for (int i = 0; i < sim->s->contact_count; i++) {
        const jn_contact_state *cached = &sim->s->contact[i];
        const jn_solid_pair *pair;
        const jn_contact_geometry *point = jn_contact_point_of(c, sim->s, cached, &pair);
        if (!point) continue;
        if (count < room) {
            out[count] =
                describe(sim, cached->a, cached->b, jn_model_contact_of(sim->m, pair->a, pair->b), point, NULL);
            out[count].force = jn_contact_force(c, sim->w, pair, point, cached);
            out[count].torque = jn_contact_torque(c, sim->w, pair, point, cached);
            out[count].mode = jn_contact_state_mode(cached);
        }
        count++;
    }
    return count;
}

int jn_sim_contacts(const jn_sim *sim, jn_contact_view *out, int room) {
    if (!sim->contacts) return 0;
    return sim->nonsmooth ? view_set(sim, out, room) : view_cache(sim, out, room);
}

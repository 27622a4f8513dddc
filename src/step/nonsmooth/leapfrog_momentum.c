/* What the audit needs to know of the momentum leapfrog: impulses from outside at its nodes, about the world's origin.
 *
 * Trees that float receive them from forces, rows and contacts; the joint that hangs a tree on the ground gives what the momenta of its
 * bodies on the segments before and after the node show. The velocities of a state contain half of the forces at its node, as do the energies:
 * that half is booked with them, and taken back with the ledger's pending part. Implicit elements count by what the coordinates of
 * free joints receive. */
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

/* Of the bodies of trees that hang on the ground, on the segment; the work space has the poses of the node where it begins. */
static jn_wrench hanging_momentum(const jn_sim *sim) {
    const jn_model *m = sim->m;
    const jn_segment_link *seg = sim->nonsmooth->leapfrog->segment;
    jn_wrench sum = wr_zero();
    for (int i = 1; i < m->link_count; i++) {
        const jn_link_motion *B = &sim->w->link[i];
        if (!m->links[i].hangs) continue;
        sum = wr_add(sum, (jn_wrench){v3_add(seg[i].L, v3_cross(v3_add(B->O, B->c), seg[i].p)), seg[i].p});
    }
    return sum;
}

void jn_leapfrog_take_external(jn_sim *sim) {
    sim->nonsmooth->leapfrog->external = jn_external_at_rest(sim->m, sim->w);
}

void jn_leapfrog_take_rows(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->shown = jn_external_rows(sim->m, sim->w, x->lambda);
}

/* Implicit elements: what is in the momenta beside H f, rows and contacts. */
static jn_wrench stiff_part(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    if (!n->stiff || !m->floats) return wr_zero();
    memset(n->velocity, 0, (size_t)m->nv * sizeof *n->velocity);
    jn_stiff_multiply(sim, x->u, n->velocity);
    for (int k = 0; k < m->nv; k++)
        n->velocity[k] = sim->s->momentum[k] + x->H * x->force[k] + n->velocity[k] - x->base[k];
    if (n->set.count && x->stage)
        jn_contact_set_force(&n->set, x->earlier, n->velocity); /* which the base has since then */
    for (int k = 0; k < m->nv; k++) n->velocity[k] = -n->velocity[k];
    return jn_external_coordinates(m, sim->w, n->velocity);
}

void jn_leapfrog_give(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    bool measured = m->floats && (m->reach_count || m->coupler_count); /* lengths and slopes, at the end of the segment */
    jn_leapfrog_swap_poses(sim);
    if (measured) jn_measure_all(m, sim->w, sim->s);
    jn_wrench sum = wr_add(wr_scale(x->H, x->external), jn_contacts_external(sim, n->set.p));
    sum = wr_add(sum, wr_add(jn_external_rows(m, sim->w, x->lambda), stiff_part(sim)));
    if (m->floats < m->link_count - 1) {
        bool known = x->hanging_of == sim->s->past[JN_PAST_SIGNATURE] && *jn_past_length(sim) != 0;
        if (!known) x->hanging = jn_external_inertia(m, sim->w, x->minus);
        jn_wrench after = hanging_momentum(sim);
        sum = wr_add(sum, wr_sub(after, x->hanging));
        x->hanging = after;
    }
    jn_leapfrog_swap_poses(sim);
    if (measured) jn_measure_all(m, sim->w, n->at);
    jn_audit_give(sim, sum);
}

/* Momentum that trees which hang on the ground take up from the middle of the segment to its end: Newton and Euler with the change of
 * their velocities, to second order. The work space has the motion of the end. O(n). */
static jn_wrench half_hanging(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double half = 0.5 * x->h;
    jn_wrench sum = wr_zero();
    if (m->floats == m->link_count - 1) return sum;
    for (int k = 0; k < m->nv; k++) x->delta[k] = (sim->s->u[k] - x->u[k]) / half;
    jn_rnea_accelerations(m, sim->w, x->delta, false);
    jn_rnea_forces(m, sim->w, NULL, NULL);
    for (int r = 0; r < m->root_count; r++) {
        int i = m->roots[r];
        if (m->links[i].hangs) sum = wr_add(sum, wr_scale(half, wr_shift(sim->w->F[i], sim->w->link[i].O)));
    }
    return sum;
}

jn_wrench jn_leapfrog_half_given(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    jn_wrench sum = wr_add(wr_scale(0.5 * x->h, x->external), x->shown);
    sum = wr_add(sum, jn_external_rows(m, sim->w, x->lambda));
    double *f = n->free;
    for (int k = 0; k < m->nv; k++) f[k] = 0.5 * x->h * x->contact_force[k], x->delta[k] = x->u[k] - x->plain[k];
    jn_leapfrog_add_half_stiff(sim, f);
    jn_stiff_add_springs(sim, x->plain, f, false);
    jn_stiff_multiply(sim, x->delta, f);
    sum = wr_add(sum, jn_external_coordinates(m, sim->w, f));
    return wr_add(sum, half_hanging(sim));
}

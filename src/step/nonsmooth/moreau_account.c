/* What a step of Moreau's schemes has done: energy of its impulses and forces, states and events of its contacts. */
#include "algebra/elementary.h"
#include "step/nonsmooth/moreau.h"

#include "reaction/compliant/clearance_motion.h"
#include <string.h>

/* Work of the impulses with the mean of the velocities before and after: exactly what the kinetic energy loses to them. What the
 * law of restitution gains is reported; what contacts gain that do not bounce is an error of the step. */
void jn_contact_set_book(jn_contact_set *set, jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    int d = set->dimension, most = 0;
    double gained = 0, best = 0, noise = 0; /* [J] by all contacts of the step, by the best of those that bounce */
    jn_ledger *l = &sim->s->ledger;
    jn_contact_set_velocities(set, x->velocity, set->u);
    for (int i = 0; i < set->count; i++) {
        const double *p = set->p + i * d, *u = set->u + i * d, *v = set->before + i * d;
        double normal = -0.5 * p[0] * (u[0] + v[0]), tangential = 0;
        for (int r = 1; r < d; r++) tangential -= 0.5 * p[r] * (u[r] + v[r]);
        l->damping += normal, l->friction += tangential, l->dissipated += normal + tangential;
        l->driven += jn_contact_surface_work(set, i, p);
        double gain = -normal - tangential;
        bool bounces = set->point[i].impacting && sim->m->contacts[set->point[i].row].restitution > 0;
        noise += JN_STILL * fabs(p[0]) + JN_POWER_ROUND_OFF_REL * (fabs(normal) + fabs(tangential));
        gained += gain;
        if (bounces && gain > best) best = gain, most = i;
    }
    if (best > noise && gained > noise) jn_contact_report_gain(sim, jn_fmin(best, gained), most);
}

/* What implicit elements have given beside their forces at the iterate, B (iterate - u_E): the iteration ends before they agree to round-off. */
static jn_wrench stiff_rest(jn_sim *sim) {
    const jn_nonsmooth *x = sim->nonsmooth;
    jn_stiff_add(sim, x->velocity, x->row);
    jn_wrench sum = jn_external_coordinates(sim->m, sim->w, x->row);
    memset(x->row, 0, (size_t)sim->m->nv * sizeof *x->row);
    return sum;
}

jn_wrench jn_nonsmooth_step_external(jn_sim *sim, double dt) {
    const jn_nonsmooth *x = sim->nonsmooth;
    for (int i = 0; i < sim->m->nv; i++) sim->force[i] = x->velocity[i] - sim->s->u[i];
    jn_wrench sum = jn_nonsmooth_external(sim, dt, sim->force, x->impulse, x->set.p);
    return jn_stiff_on(sim) ? wr_add(sum, stiff_rest(sim)) : sum;
}

void jn_nonsmooth_mean_power(jn_sim *sim, double theta) {
    jn_ledger end = sim->w->power;
    sim->w->power = (jn_ledger){0};
    jn_ledger_add(&sim->w->power, 1 - theta, &sim->nonsmooth->moreau->start_power);
    jn_ledger_add(&sim->w->power, theta, &end);
}

/* Work of dampers, motors and drivers over the step. */
void jn_nonsmooth_book_forces(jn_sim *sim, double dt) {
    jn_ledger_add(&sim->s->ledger, dt, &sim->w->power);
    jn_audit_give(sim, sim->nonsmooth->moreau->given);
    jn_drivers_book(sim);
}

/* Material points in contact, in the frames of the links: where the contact is searched when it passes on over a seam. */
static void keep_points(const jn_sim *sim, const jn_contact_point *h, jn_contact_state *cached) {
    const jn_link_motion *A = &sim->w->link[h->link[0]], *B = &sim->w->link[h->link[1]];
    cached->stepping.point_a = m3_tmul_v(&A->R, v3_sub(h->geometry.pA, A->O));
    cached->stepping.point_b = m3_tmul_v(&B->R, v3_sub(h->geometry.pB, B->O));
}

/* A closed contact after the step. It is reported when it carries load for the first time. */
void jn_moreau_note_contact(jn_sim *sim, int i, jn_contact_state *cached, double t_A, double dt) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_contact_point *h = &set->point[i];
    const double *p = set->p + i * set->dimension, *u = set->u + i * set->dimension,
                 *before = set->before + i * set->dimension;
    const jn_run_desc *run = &sim->m->run;
    bool slides = jn_contact_slip_speed(set, u) > JN_STILL;
    if (jn_pair_is(sim->m, h)) keep_points(sim, h, cached);
    if (jn_contact_jams(set, i))
        jn_nonsmooth_report(sim, "jam", h, t_A, jn_contact_slip_speed(set, before),
                            jn_contact_slip_speed(set, set->u + i * set->dimension), p);
    if (p[0] > 0 && cached->phase < JN_PHASE_LASTING) {
        double found =
            t_A + (run->terms == JN_TERMS_END || run->scheme == JN_SCHEME_LEAST_CONSTRAINT ? 0 : run->theta) *
                      dt; /* where the gap is known */
        cached->start = jn_fmin(t_A + dt, jn_fmax(t_A, h->approach < 0 ? found - h->gap / h->approach : found));
        cached->speed = -h->approach, cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
        cached->phase = JN_PHASE_LASTING;
        jn_nonsmooth_report(sim, h->impacting ? "impact" : "contact", h, cached->start, before[0], u[0], p);
    } else if (p[0] > 0 && slides != (cached->slip == JN_SLIP_SLIPPING)) {
        cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
        jn_nonsmooth_report(sim, slides ? "slip" : "stick", h, t_A + dt, jn_contact_slip_speed(set, before),
                            jn_contact_slip_speed(set, set->u + i * set->dimension), NULL);
    }
    cached->stepping.impulse = jn_contact_impulse(set, set->p, i);
}

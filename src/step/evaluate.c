/* One evaluation of the equations of motion, a call per stage:
 *
 *     positions and velocities -> applied forces -> contact loads -> accelerations (-> reactions, for the user)
 *
 * The stages are those of motion/; contacts stand between them, by the method of the run. */
#include "step/nonsmooth/nonsmooth.h"

/* Contact loads onto the links: the laws of compliant contacts at the state; by methods nonsmooth and impact, between steps, the mean
 * forces of the last step and the forces of the modes. During their steps contacts are impulses or rows. */
static void contact_loads(jn_sim *sim, const jn_state *s) {
    if (!sim->w->contact_loads) return;
    if (sim->nonsmooth)
        jn_nonsmooth_add_forces(sim);
    else
        jn_contact_forces(sim->contacts, sim->m, sim->w, s);
}

void jn_sim_forces(jn_sim *sim, const jn_state *s) {
    jn_forces(sim->m, sim->w, s);
    contact_loads(sim, s);
}

int jn_sim_accelerate(jn_sim *sim, const jn_state *s, const double *tau, double *a, double *lambda) {
    jn_positions(sim->m, sim->w, s);
    jn_forces(sim->m, sim->w, s);
    contact_loads(sim, s);
    return jn_accelerations(sim->m, sim->w, s, tau, a, lambda);
}

void jn_sim_terms(jn_sim *sim, const jn_state *s, double *G, double *gamma, double *h) {
    jn_kinematics(sim->m, sim->w, s);
    jn_measure_all(sim->m, sim->w, s);
    jn_forces(sim->m, sim->w, s);
    contact_loads(sim, s);
    jn_loaded_terms(sim->m, sim->w, s, G, gamma, h);
}

int jn_sim_observe_under(jn_sim *sim, const double *tau) {
    int status = jn_sim_accelerate(sim, sim->s, tau, sim->w->a, sim->w->lambda);
    if (status >= 0) jn_reactions(sim->m, sim->w, sim->s);
    return status;
}

int jn_sim_observe(jn_sim *sim) { return jn_sim_observe_under(sim, NULL); }

/* The linearisation of a simulation: the stages of motion/derivatives/linearise.c, with the contacts of the run between them. */
#include "reaction/compliant/compliant_change.h"
#include "step/sim.h"

void jn_sim_force_changes(jn_sim *sim, const jn_state *s, const double *a, const double *lambda,
                          jn_contact_changes *contacts, jn_derivatives *out) {
    const jn_model *m = sim->m;
    jn_changes_begin(m, sim->w, s, a, lambda, out);
    if (contacts) jn_contact_changes_prepare(contacts, m, sim->w, s);
    for (int n = 0; n < 2 * m->nv; n++) { /* along each velocity, by q and by u */
        jn_direction_begin(m, sim->w, out, n / 2, n % 2);
        if (contacts) jn_contact_changes_add(contacts, m, sim->w, out->work);
        jn_direction_end(m, out);
    }
    jn_control_changes(m, sim->w, s, out);
}

int jn_sim_changes(jn_sim *sim, const jn_state *s, const double *tau, jn_contact_changes *contacts,
                   jn_derivatives *out) {
    if (!sim->m->has_M) return JN_ERR_LIMIT;
    int status = jn_sim_accelerate(sim, s, tau, out->a, out->lambda);
    if (status >= 0) status = jn_changes_factor(sim->m, sim->w, out);
    if (status < 0) return status;
    jn_sim_force_changes(sim, s, out->a, out->lambda, contacts, out);
    return jn_changes_solve(sim->m, sim->w, out);
}

int jn_sim_derivatives(jn_sim *sim, const double *tau, jn_derivatives *out) {
    bool compliant = sim->w->contact_loads && !sim->nonsmooth;
    if (jn_derivatives_lack(sim->m)) return JN_ERR_LIMIT;
    if (compliant && !sim->changes) sim->changes = jn_contact_changes_create(sim->contacts, false);
    if (compliant && !sim->changes) return JN_ERR_MEMORY;
    int status = jn_sim_changes(sim, sim->s, tau, compliant ? sim->changes : NULL, out);
    if (status >= 0) status = jn_changes_by_forces(sim->m, sim->w, sim->s, out);
    sim->slope_known = false;
    return status;
}

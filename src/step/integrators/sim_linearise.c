/* The linearisation of a simulation at its present state: motion/linearise.c with the contacts of the run. */
#include "reaction/compliant/compliant_change.h"
#include "step/sim.h"

int jn_sim_derivatives(jn_sim *sim, const double *tau, jn_derivatives *out) {
    bool touches = sim->w->contact == jn_contact_forces;
    if (touches && !sim->changes) sim->changes = jn_contact_changes_create(sim->contacts, false);
    if (touches && !sim->changes) return JN_ERR_MEMORY;
    jn_contact_changes_hook(sim->w, touches ? sim->changes : NULL);
    int status = jn_system_derivatives(sim->m, sim->w, sim->s, tau, out);
    jn_contact_changes_hook(sim->w, NULL);
    sim->slope_known = false;
    return status;
}

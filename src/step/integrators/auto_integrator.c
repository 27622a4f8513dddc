/* Integrator auto: dopri45 until stability limits its steps and not accuracy, then bdf, until nothing is in contact any more.
 *
 * Stiff is what is stiff in fifteen steps, with fewer than six in a row between them that are not [Hairer1996, IV.2]. Contacts that rest or roll
 * are; where they have opened the motion is free, and an explicit method is cheaper. Without compliant contacts auto is dopri45. */
#include "step/integrators/integrator_tolerances.h"
#include "step/sim.h"

int jn_auto_create(jn_sim *sim) {
#ifdef JN_CORE_ONLY
    (void)sim;
    return JN_OK;
#else
    if (sim->m->run.integrator != JN_INTEGRATOR_AUTO || !sim->contacts || sim->nonsmooth ||
        sim->ny > JN_CVODE_DENSE_MOST)
        return JN_OK;
    int status = jn_cvode_create(sim);
    sim->stiff_cvode = sim->cvode, sim->cvode = NULL;
    return status;
#endif
}

jn_integrator jn_sim_integrator(const jn_sim *sim) {
    jn_integrator given = sim->m->run.integrator;
    return given != JN_INTEGRATOR_AUTO ? given : sim->was_stiff ? JN_INTEGRATOR_BDF : JN_INTEGRATOR_DOPRI45;
}

void jn_auto_note(jn_sim *sim, bool stiff) {
    if (stiff) sim->stiff_row++;
    sim->loose_row = stiff ? 0 : sim->loose_row + 1;
    if (sim->loose_row >= JN_AUTO_LOOSE_STEPS) sim->stiff_row = 0;
}

void jn_auto_before(jn_sim *sim) {
    if (!sim->stiff_cvode || sim->cvode || sim->stiff_row < JN_AUTO_STIFF_STEPS) return;
    sim->cvode = sim->stiff_cvode;
    jn_cvode_restart(sim);
    if (sim->was_stiff) return;
    sim->was_stiff = true, sim->audit.stiff_from = sim->s->t;
    jn_audit_limit(sim); /* errors are those of bdf from here on */
}

void jn_auto_after(jn_sim *sim, int contacts_before) {
    if (!sim->stiff_cvode || !sim->cvode || contacts_before == 0 || sim->s->contact_count > 0) return;
    sim->cvode = NULL;
    sim->stiff_row = sim->loose_row = 0;
    sim->slope_known = false, sim->h = 0;
}

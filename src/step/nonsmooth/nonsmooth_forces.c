/* Mean forces of the contacts of the last step, for the user: shown between steps, hidden during them. Samples of the audit. */
#include "step/nonsmooth/nonsmooth.h"

#include <string.h>

/* Accelerations and reactions that a user sees are those under the mean contact forces of the last step, or those of the contact modes
 * by method impact. */
void jn_nonsmooth_add_forces(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_work *w = sim->w;
    for (int i = 0; i < sim->m->link_count; i++) w->load[i] = wr_add(w->load[i], x->load[i]);
    if (!sim->impact) jn_dry_show(sim->m, w, x->dry_force);
    x->shown = true;
}

/* Steps take impulses, not these forces. */
void jn_nonsmooth_hide_forces(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    sim->w->contact_loads = false;
    if (x->shown) memset(sim->w->load, 0, (size_t)sim->m->link_count * sizeof *sim->w->load);
    x->shown = false;
}

void jn_nonsmooth_show_forces(jn_sim *sim) { sim->w->contact_loads = true; }

void jn_nonsmooth_restart(jn_sim *sim) {
    memset(sim->nonsmooth->load, 0, (size_t)sim->m->link_count * sizeof *sim->nonsmooth->load);
    memset(sim->nonsmooth->dry_force, 0, (size_t)sim->m->dry_count * sizeof *sim->nonsmooth->dry_force);
}

/* Energies and violations at the end of the step, for the audit; now and then, and where results are read. */
void jn_nonsmooth_sample(jn_sim *sim) {
    jn_kinematics(sim->m, sim->w, sim->s);
    if (sim->m->row_count) {
        jn_measure_all(sim->m, sim->w, sim->s);
        jn_constraint_rows(sim->m, sim->w, sim->s, JN_ROWS_POSITION);
    }
    jn_forces(sim->m, sim->w, sim->s);
    jn_audit_sample(sim, sim->s);
}

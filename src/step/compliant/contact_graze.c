/* Contacts that begin and end within a step: a body that flies through another one, or grazes it, while steps are long. Gaps are looked at where steps end; where one may have a
 * minimum below zero in between (step/contact_set/gap_path.c) the step is taken to that time, so that the start of the contact lies between two ends. */
#include "step/compliant/compliant_step.h"
#include "step/compliant/compliant_tolerances.h"
#include "step/contact_set/gap_path.h"

static bool has_contacts(const jn_sim *sim, const jn_solid_pair *pair) {
    return jn_contact_cache_is_of(sim->s, jn_contact_cache_first(sim->s, pair->a, pair->b), pair->a, pair->b);
}

/* To the minimum, and back to the end of the step where the gap stays open there. */
static int try_minimum(jn_sim *sim, double t, jn_step_function *step, jn_newest *found) {
    double end = sim->s->t, next = sim->h;
    jn_audit audit = sim->audit;
    if (!sim->cvode) jn_state_copy(sim->after, sim->s);
    int status = jn_contact_step_to(sim, t, step);
    if (status < 0) return status;
    *found = jn_contact_detect(sim);
    if (found->status < 0 || found->gap < -found->allowed) return found->status;
    if (sim->cvode) {
        status = jn_contact_step_to(sim, end, step);
    } else {
        jn_state_copy(sim->s, sim->after);
        sim->slope_known = false;
    }
    if (status < 0) return status;
    *found = jn_contact_detect(sim);
    sim->h = next;
    jn_audit_take_back(sim, &audit);
    return found->status;
}

int jn_contact_find_graze(jn_sim *sim, jn_step_function *step, jn_newest *found) {
    double from = 0;
    jn_solid_pair pair;
    if (sim->m->run.contact_start != JN_CONTACT_START_ROOT || found->gap < -found->allowed) return JN_OK;
    for (int n = 0; n < JN_GRAZE_TRIES && sim->s->t > sim->before->t; n++) {
        jn_gap_path g = {.sim = sim, .still = JN_GRAZE_STILL, .from = from, .has_contacts = has_contacts};
        jn_gap_path_first_minimum(&g, &pair);
        if (!(g.x < 1)) return JN_OK;
        int status = try_minimum(sim, sim->before->t + g.x * g.h, step, found);
        if (status < 0 || found->gap < -found->allowed) return status;
        from = g.x + JN_GRAZE_APART_REL;
    }
    return JN_OK;
}

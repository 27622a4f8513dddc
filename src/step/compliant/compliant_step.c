/* Steps that find the instant of impact [Flores2009, section 3].
 *
 * While a step is taken the set of active contacts is kept, so the motion is smooth within it. Afterwards the gaps are
 * detected. If a new contact has begun deeper than it may, the step is brought back (contact_locate.c); then contacts begin
 * and end (contact_events.c) and the integrator starts anew where forces have changed. */
#include "step/compliant/compliant_step.h"
#include "algebra/elementary.h"
#include "step/compliant/compliant_tolerances.h"
#include "step/contact_set/contact_set_tolerances.h"
#include "step/contact_set/gap_path.h"

/* An impact is resolved by a least number of steps, and no shape passes through another one, or turns by more than a part of a radian, within one: the
 * longest step that contacts allow, those that may begin too. */
static double step_limit(const jn_sim *sim) {
    double limit = INFINITY;
    int used = sim->m->run.impact_steps > 0 ? sim->s->contact_count : 0;
    for (int i = 0; i < used; i++) {
        const jn_contact_state *cached = &sim->s->contact[i];
        double duration = cached->compliant.duration;
        if (duration > 0 && sim->s->t < cached->start + duration)
            limit = jn_fmin(limit, duration / sim->m->run.impact_steps);
    }
    return jn_fmin(limit, jn_gap_path_time(sim, sim->contacts->length));
}

/* Contacts begin and end at the present state. The force of one that ends is zero by then: the motion goes on as it was. */
static int change_contacts(jn_sim *sim) {
    bool lost = jn_contact_is_lost(sim);
    if (lost) jn_contact_pass_on(sim);
    bool any = (jn_contact_follow(sim) && sim->nz > 0) || lost; /* friction states move to other places in y */
    int status = jn_contact_begin_all(sim, true, &any);
    if (status >= 0) jn_contact_note(sim);
    sim->step_limit = step_limit(sim);
    if (status < 0 || !any) return status;
    double h = sim->h, least = JN_START_STEP_RUN_REL * jn_fmax(sim->s->t, sim->m->run.until);
    jn_sim_begin_anew(sim);
    sim->h = jn_fmax(JN_START_STEP_REL * h,
                     jn_fmin(h, least)); /* a contact is short: let the controller find its size from below */
    return JN_OK;
}

int jn_contact_start(jn_sim *sim, jn_report *report) {
    jn_newest first = jn_contact_detect(sim);
    if (first.status < 0) return first.status;
    if (!sim->begun[0] && first.gap < -jn_fmax(first.allowed, sim->m->run.overlap)) {
        const jn_model *m = sim->m;
        const jn_solid *A = &m->solids[first.pair->a], *B = &m->solids[first.pair->b];
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL,
                             m->contacts[jn_model_contact_of(m, first.pair->a, first.pair->b)].where, NULL,
                             "bodies '%s' and '%s' overlap by %.3g m at the start\ndraw them apart, or touching; or "
                             "write 'run: {overlap: ...}' if they rest on each other; if they are never to touch, put "
                             "them in 'no_contact' or their shapes in one 'group'; 'overlaps: ignore' lets pairs that overlap never touch, and lifts free "
                                     "bodies out of the ground",
                             m->bodies[A->body].name, m->bodies[B->body].name, -first.gap);
    }
    bool any = false;
    int status = jn_contact_begin_all(sim, false, &any);
    jn_contact_note(sim);
    sim->contacts->length = jn_gap_path_length(sim);
    sim->step_limit = step_limit(sim);
    return status;
}

int jn_step_with_contacts(jn_sim *sim, double t, jn_step_function *step) {
    jn_audit audit = sim->audit;
    jn_state_copy(sim->before, sim->s);
    double h = sim->h;
    int status = step(sim, t);
    if (status < 0) return status;
    jn_newest found = jn_contact_detect(sim);
    if (found.status < 0) return found.status;
    if ((status = jn_contact_find_graze(sim, step, &found)) < 0) return status;
    if ((status = jn_contact_locate_end(sim, step, &audit, &found)) < 0) return status;
    if (sim->m->run.contact_start == JN_CONTACT_START_ROOT && jn_contact_is_lost(sim)) {
        if ((status = jn_contact_locate_loss(sim, h, step, &audit)) < 0) return status;
        found = jn_contact_detect(sim);
    }
    if (found.gap < -found.allowed) {
        status = jn_contact_locate(sim, h, step, &audit, &found);
        if (status < 0) return status;
        if (found.gap < -found.allowed) /* the step cannot be made shorter: say so and go on [Flores2009, step vii] */
            jn_contact_report(sim, jn_model_contact_of(sim->m, found.pair->a, found.pair->b),
                              (jn_event){.time = sim->s->t, .kind = "warning", .speed_before = found.rate});
    }
    return change_contacts(sim);
}

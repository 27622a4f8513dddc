/* Ends of contacts within a step. The force of a contact has a kink where it ends, and where the kink lies between the stages of a step its error estimate
 * hardly sees it: of Dormand and Prince's method the weights of the estimate at the first stages are a hundredth of those of the solution, and an error of a
 * thousand tolerances passes. So the step is taken again to where the contact ends: forces are smooth within it. */
#include "algebra/elementary.h"
#include "step/compliant/compliant_step.h"
#include "step/compliant/compliant_tolerances.h"

/* An active contact that ends within the step. */
typedef struct ending {
    int contact; /* -1: there is none */
    double time; /* [s] by the cubic through its gaps and rates before the step and now */
} ending;

/* [m] its gap now, as its law sees it; -INFINITY: it has no point any more, which is no end. *allowed: how far it may be from zero. */
static double gap_now(const jn_sim *sim, int i, double *rate, double *allowed) {
    const jn_contact_state *cached = &sim->s->contact[i];
    const jn_solid_pair *pair;
    const jn_contact_geometry *point = jn_contact_point_of(sim->contacts, sim->s, cached, &pair);
    *rate = *allowed = 0;
    if (!point) return -INFINITY;
    *rate = jn_contact_motion(sim->contacts, sim->w, pair, point).gap_rate;
    *allowed = jn_contact_depth_allowed(sim, jn_model_contact_of(sim->m, cached->a, cached->b), point, *rate);
    return jn_contact_gap(cached, point);
}

/* The first contact that was loaded before the step and is open now, both by more than is allowed. O(contacts) */
static ending find_ending(const jn_sim *sim) {
    ending first = {-1, INFINITY};
    double t0 = sim->contacts->seen_time, h = sim->s->t - t0;
    for (int i = 0; i < sim->s->contact_count; i++) {
        const jn_contact_seen *seen = &sim->contacts->seen[i];
        double rate, allowed;
        if (!(seen->gap < 0)) continue;
        double gap = gap_now(sim, i, &rate, &allowed);
        if (!(gap > allowed) || seen->gap >= -allowed) continue;
        double time = t0 + h * jn_gap_crossing(seen->gap, gap, h * seen->rate, h * rate);
        if (time < first.time) first = (ending){i, time};
    }
    return first;
}

int jn_contact_locate_end(jn_sim *sim, jn_step_function *step, const jn_audit *before, jn_newest *found) {
    double t0 = sim->before->t, t1 = sim->s->t, next = sim->h;
    ending last = {-1, 0};
    if (sim->cvode || !jn_integrator_get_info(sim->m->run.integrator)->adaptive ||
        sim->m->run.contact_start != JN_CONTACT_START_ROOT)
        return JN_OK;
    for (int n = 0; n < JN_START_TRIALS_MOST && jn_contact_is_long(t0, t1); n++) {
        ending here = find_ending(sim);
        if (here.contact >= 0) {
            t1 = sim->s->t, last = here;
        } else { /* before it: Newton's method from here, or close enough */
            double rate, allowed, gap = last.contact >= 0 ? gap_now(sim, last.contact, &rate, &allowed) : 0;
            if (last.contact < 0 || !isfinite(gap) || !(gap < -allowed)) break;
            t0 = sim->s->t, last.time = rate > 0 ? t0 - gap / rate : 0.5 * (t0 + t1);
        }
        double inside = JN_START_INSIDE * (t1 - t0),
               guess = n % 3 == 2 ? 0.5 * (t0 + t1) : jn_fmin(t1 - inside, jn_fmax(t0 + inside, last.time));
        sim->audit.rejected++;
        jn_audit_take_back(sim, before);
        sim->h = guess - sim->before->t;
        int status = jn_contact_step_to(sim, guess, step);
        if (status < 0) return status;
        *found = jn_contact_detect(sim);
        if (found->status < 0) return found->status;
    }
    sim->h = jn_fmax(sim->h, next);
    return JN_OK;
}

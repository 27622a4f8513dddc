/* The start of a contact within a step [Flores2009, section 3]: three procedures.
 *
 *   root         regula falsi on the smallest gap; each trial is integrated (dopri45 and fixed steps) or read from the dense
 *                output of the step (adams, bdf), so the state at the start is as accurate as the integrator
 *   interpolate  Procedure 1: positions and velocities linear between the ends of the step, eq. 9-12
 *   reject       Procedure 2: the step is rejected and halved, eq. 13 */
#include "algebra/elementary.h"
#include "step/compliant/compliant_step.h"
#include "step/compliant/compliant_tolerances.h"
#include <string.h>

/* Part of the energy in motion that the start of one contact may add: well below what the integrator itself leaves. */
static double allowed_part(const jn_sim *sim) {
    const jn_integrator_info *info = jn_integrator_get_info(sim->m->run.integrator);
    return info->adaptive     ? JN_START_ENERGY_ADAPTIVE_REL
           : info->order >= 4 ? JN_START_ENERGY_HIGH_REL
                              : JN_START_ENERGY_LOW_REL;
}

double jn_contact_depth_allowed(const jn_sim *sim, int row, const jn_contact_geometry *point, double speed) {
    const jn_contact_desc *d = &sim->m->contacts[row];
    if (sim->m->run.contact_start == JN_CONTACT_START_NONE && sim->s->t > 0) return INFINITY;
    if (!isnan(d->delta_max)) return d->delta_max;
    jn_elastic elastic;
    if (jn_contact_elastic(sim->contacts, row, point, &elastic) < 0) elastic = jn_elastic_power(JN_START_STIFFNESS, 1);
    double energy =
        jn_fmax(jn_fmax(sim->audit.energy_scale, JN_START_ENERGY_PER_SPEED * speed * speed), JN_START_ENERGY_LEAST);
    return jn_fmax(JN_START_DEPTH_LEAST, jn_elastic_depth(&elastic, allowed_part(sim) * energy));
}

void jn_contact_set_datum(jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *point, double rate) {
    double allowed = jn_contact_depth_allowed(sim, jn_model_contact_of(sim->m, pair->a, pair->b), point, rate);
    if (sim->m->run.contact_start != JN_CONTACT_START_ROOT || point->gap >= -JN_START_INSIDE_SOLID * allowed) return;
    jn_contact_active(sim->s, pair, point)->compliant.datum = point->gap;
}

jn_newest jn_contact_detect(jn_sim *sim) {
    jn_contacts *c = sim->contacts;
    jn_newest found = {NULL, INFINITY, 0, 0, JN_OK};
    jn_kinematics(sim->m, sim->w, sim->s);
    int status = jn_detection_update_work(c->detection, sim->w, c->margin);
    if (status < 0) {
        found.status =
            jn_sim_fail(sim, status,
                        "more pairs of shapes are in reach of each other at t = %.9g s than there is room for\n"
                        "leave pairs out with groups, or use fewer shapes",
                        sim->s->t);
        return found;
    }
    for (int p = 0; p < jn_detection_pairs(c->detection); p++) {
        const jn_solid_pair *pair = jn_detection_pair(c->detection, p);
        if (jn_contact_pair_lost(sim, pair)) continue; /* its new points take over what was lost */
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *point = jn_detection_contact(c->detection, k);
            if (point->gap >= found.gap || jn_contact_active(sim->s, pair, point)) continue;
            double rate = jn_contact_motion(c, sim->w, pair, point).gap_rate;
            found = (jn_newest){pair, point->gap, rate,
                                jn_contact_depth_allowed(sim, jn_model_contact_of(sim->m, pair->a, pair->b), point, rate), JN_OK};
        }
    }
    return found;
}

static bool too_deep(const jn_newest *n) { return n->gap < -n->allowed; }

int jn_contact_step_to(jn_sim *sim, double t, jn_step_function *step) {
    if (!sim->cvode) {
        jn_state_copy(sim->s, sim->before);
        sim->slope_known = false;
    }
    int status = step(sim, t);
    while (status >= 0 && sim->s->t < t) status = step(sim, t);
    return status;
}

static int try_to(jn_sim *sim, double t, jn_step_function *step, jn_newest *found) {
    int status = jn_contact_step_to(sim, t, step);
    if (status < 0) return status;
    *found = jn_contact_detect(sim);
    return found->status;
}

bool jn_contact_is_long(double t0, double t1) { return t1 - t0 > JN_START_TIME_REL * jn_fmax(1, fabs(t1)); }

/* Trials are no part of the audit: it goes on from that of the state before each. */
static int locate_root(jn_sim *sim, double h, jn_step_function *step, jn_audit before, jn_newest *found) {
    double t0 = sim->before->t, g0 = INFINITY; /* last time without a new contact, and the gap there if known */
    double t1 = sim->s->t, g1 = found->gap;
    for (int n = 0; n < JN_START_TRIALS_MOST && too_deep(found) && jn_contact_is_long(t0, t1); n++) {
        double aim = JN_START_AIM * found->allowed,
               guess = t1 - (found->gap + aim) / found->rate; /* Newton: back along the approach */
        if (isfinite(g0)) guess = t1 - (t1 - t0) * (g1 + aim) / (g1 - g0);
        if (n % 3 == 2) guess = 0.5 * (t0 + t1); /* gaps that jump, or open again at the end of the step */
        double least = t0 + JN_START_INSIDE * (t1 - t0), most = t1 - JN_START_INSIDE * (t1 - t0);
        guess = isfinite(guess) ? jn_fmin(most, jn_fmax(least, guess)) : 0.5 * (t0 + t1);
        sim->audit.rejected++;
        sim->h = jn_fmin(h, guess - t0);
        jn_audit_take_back(sim, &before);
        int status = try_to(sim, guess, step, found);
        if (status < 0) return status;
        if (too_deep(found)) {
            t1 = guess, g1 = found->gap;
            g0 *= 0.5;                                       /* Illinois: keep the far end moving */
        } else if (found->gap > 0 && isfinite(found->gap)) { /* just before: go on from here by the rate of the gap */
            jn_state_copy(sim->before, sim->s);
            t0 = guess, g0 = found->gap, before = sim->audit;
            status = try_to(sim, jn_fmin(t1, guess + (found->gap + aim) / jn_fmax(-found->rate, JN_START_RATE_LEAST)),
                            step, found);
            if (status < 0) return status;
            t1 = sim->s->t, g1 = found->gap;
        }
    }
    if (jn_contact_is_lost(sim)) jn_audit_take_back(sim, &before); /* what it stores is not seen until it has passed on */
    return JN_OK;
}

/* The state at a fraction x of the step from `before` to `after`, on the constraints again. [Flores2009, eq. 11-12] */
static int stand_between(jn_sim *sim, double x) {
    const jn_state *from = sim->before, *to = sim->after;
    jn_state *s = sim->s;
    const double *a = (const double *)&from->ledger, *b = (const double *)&to->ledger;
    double *ledger = (double *)&s->ledger;
    for (int i = 0; i < sim->m->nq; i++) s->q[i] = from->q[i] + x * (to->q[i] - from->q[i]);
    for (int i = 0; i < sim->m->nv; i++) s->u[i] = from->u[i] + x * (to->u[i] - from->u[i]);
    for (int i = 0; i < JN_LEDGER; i++) ledger[i] = a[i] + x * (b[i] - a[i]);
    s->t = from->t + x * (to->t - from->t);
    int status = jn_settle(sim);
    sim->audit.steps--; /* part of the step that was taken */
    return status;
}

/* Regula falsi over the straight line between the ends of the step: no new evaluation of forces. */
static int locate_between(jn_sim *sim, jn_newest *found) {
    double x0 = 0, x1 = 1, g1 = found->gap, length = sim->s->t - sim->before->t;
    double g0 = jn_fmax(0, g1 - found->rate * length); /* gap before, seen from the end at constant speed, eq. 9 */
    jn_state_copy(sim->after, sim->s);
    sim->audit.rejected++;
    for (int n = 0; n < JN_START_TRIALS_MOST && too_deep(found) && jn_contact_is_long(x0, x1); n++) {
        double aim = JN_START_AIM * found->allowed, x = x1 - (x1 - x0) * (g1 + aim) / (g1 - g0);
        x = isfinite(x) ? jn_fmin(jn_fmax(x, x0 + JN_START_INSIDE * (x1 - x0)), x1 - JN_START_INSIDE * (x1 - x0))
                        : 0.5 * (x0 + x1);
        int status = stand_between(sim, x);
        if (status < 0) return status;
        *found = jn_contact_detect(sim);
        if (found->status < 0) return found->status;
        if (too_deep(found))
            x1 = x, g1 = found->gap, g0 *= 0.5;
        else if (found->gap > 0)
            break; /* just before: the restart has short steps */
    }
    double h = sim->h;
    jn_sim_begin_anew(sim);
    sim->h = JN_START_STEP_REL * h;
    return JN_OK;
}

static int locate_rejecting(jn_sim *sim, jn_step_function *step, jn_newest *found) {
    double t0 = sim->before->t, length = sim->s->t - t0;
    while (too_deep(found) && jn_contact_is_long(t0, t0 + 0.5 * length) && 0.5 * length >= sim->m->run.min_step) {
        length *= 0.5;
        sim->audit.rejected++;
        sim->h = length;
        int status = try_to(sim, t0 + length, step, found);
        if (status < 0) return status;
    }
    return JN_OK;
}

int jn_contact_locate(jn_sim *sim, double h, jn_step_function *step, const jn_audit *before, jn_newest *found) {
    int status;
    switch (sim->m->run.contact_start) {
    case JN_CONTACT_START_INTERPOLATE: return locate_between(sim, found);
    case JN_CONTACT_START_REJECT: return locate_rejecting(sim, step, found);
    default: status = locate_root(sim, h, step, *before, found); break;
    }
    sim->h = jn_fmax(sim->h, JN_START_STEP_LEAST_REL * h);
    return status;
}

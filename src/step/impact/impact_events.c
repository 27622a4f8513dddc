/* Events of smooth motion, and the instants at which they happen.
 *
 * After a step open contacts have gaps, contacts that slip a speed along their slip, and all closed ones together the acceleration by which the contact law
 * would leave their modes. Where one of them tells of an event the step is taken again to an earlier time, by regula falsi and bisection,
 * until gap, speed or time are round-off. The state is that just after the event, and the cause goes to the choice of modes. */
#include "step/impact/impact_method.h"

#include "reaction/solvers/least_norm.h"
#include <string.h>

double jn_impact_still(const jn_sim *sim) {
    double most = 1;
    for (int i = 1; i < sim->m->link_count; i++) most = jn_max(most, v3_norm(sim->w->link[i].V.v));
    return JN_IMPACT_STILL_REL * most;
}

bool jn_impact_is_closed(const jn_contact_set *set, int a, int b, uint32_t feature) {
    int lo = 0, hi = set->count - 1;
    while (lo <= hi) {
        int mid = (lo + hi) / 2;
        const jn_contact_point *h = &set->point[mid];
        if (h->a == a && h->b == b && h->feature == feature) return true;
        if (h->a < a || (h->a == a && (h->b < b || (h->b == b && h->feature < feature))))
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return false;
}

static double contact_rate(const jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *point) {
    return jn_contact_motion(sim->contacts, sim->w, pair, point).gap_rate;
}

/* [m] how close to zero a gap can be brought: round-off of lengths, and of times at its rate. */
static double round_off(const jn_sim *sim, double rate) {
    return JN_EVENT_GAP_REL * sim->impact->closed + JN_EVENT_TIME_ROUND_OFF * fabs(sim->s->t * rate);
}

/* Whether the contact point was there at the start of the step, overlapping already: it leaves then, and has not passed through. */
static bool was_inside(jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *point) {
    jn_contact_geometry found[JN_MANIFOLD_MAX];
    jn_kinematics(sim->m, sim->w, sim->before);
    const jn_link_motion *a = &sim->w->link[sim->m->solids[pair->a].link],
                         *b = &sim->w->link[sim->m->solids[pair->b].link];
    jn_pose X[2] = {{a->O, a->R}, {b->O, b->R}};
    int count = jn_impact_pair_points(sim, pair->a, pair->b, X, sim->contacts->margin, &pair->cache, found);
    bool inside = false;
    for (int k = 0; k < count; k++) inside |= found[k].feature == point->feature && found[k].gap < 0;
    jn_kinematics(sim->m, sim->w, sim->s);
    return inside;
}

/* The open contact that is deepest at the state of the work space. One that approaches has closed when its gap is round-off. */
static jn_seen detect_gaps(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_detection *detection = sim->contacts->detection;
    jn_seen seen = {.cause = JN_CAUSE_NONE, .contact = -1};
    double worst = INFINITY, still = jn_impact_still(sim);
    for (int q = 0; q < jn_detection_pairs(detection); q++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, q);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_contact_geometry *point = jn_detection_contact(detection, k);
            if (point->gap >= worst || point->gap > sim->impact->closed ||
                jn_impact_is_closed(set, pair->a, pair->b, point->feature))
                continue;
            double rate = contact_rate(sim, pair, point), small = round_off(sim, rate);
            bool leaves = rate >= -still;
            if (leaves ? point->gap > -sim->impact->closed || was_inside(sim, pair, point) : point->gap > small)
                continue;
            worst = point->gap;
            seen = (jn_seen){JN_CAUSE_GAP, -1, point->gap, rate, point->gap >= -small};
        }
    }
    return seen;
}

/* Speeds along the slips, from the last evaluation. */
static void take_speeds(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    for (int i = 0; i < sim->nonsmooth->set.count; i++) {
        jn_unilateral *o = &p->unilateral[i];
        double along = v3_dot(o->slip, o->direction);
        bool slips = o->mode == JN_UNILATERAL_SLIPPING && o->mu_s > 0 &&
                     (o->moving || along < -JN_EVENT_SLIP_NOISE * p->creep); /* not the noise at its start */
        o->along = slips ? along : INFINITY;
    }
}

/* [m/s^2] by which the law may leave the modes before that counts: ten times what its solvers leave. */
static double hold_tolerance(const jn_impacts *p) {
    return (p->system.grip.n > JN_LEAST_NORM ? JN_EVENT_HOLD_MANY_REL : JN_EVENT_HOLD_REL) * p->slack *
           p->system.grip.scale;
}

static jn_seen detect_changes(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    jn_seen seen = {.cause = JN_CAUSE_NONE, .contact = -1};
    double slow = JN_EVENT_STOP_REL * p->creep, allowed = hold_tolerance(p);
    if (set->count == 0) return seen;
    take_speeds(sim);
    for (int i = 0; i < set->count; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        if (o->lost) return (jn_seen){JN_CAUSE_LOST, i, -1, 0, false};
        if (o->along < -slow && o->along < seen.value) seen = (jn_seen){JN_CAUSE_STOP, i, o->along, 0, false};
    }
    if (seen.cause || p->system.departure <= allowed) return seen;
    return (jn_seen){JN_CAUSE_HOLD, -1, -p->system.departure, 0, p->system.departure < JN_EVENT_HOLD_NOW * allowed};
}

jn_seen jn_impact_detect(jn_sim *sim, int *status) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    if (set->count) {
        *status = jn_slope_here(sim);
        if (*status < 0) return (jn_seen){0};
    } else {
        jn_kinematics(sim->m, sim->w, sim->s);
    }
    *status = jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin);
    if (*status < 0) {
        *status = jn_sim_fail(sim, *status,
                              "more pairs of shapes are in reach of each other at t = %.9g s than there is room for\n"
                              "leave pairs out with groups, or use fewer shapes",
                              sim->s->t);
        return (jn_seen){0};
    }
    jn_seen gap = detect_gaps(sim), change = detect_changes(sim);
    return gap.cause ? gap : change;
}

/* ------------------------------------------------------------------------------------------------------ the instant */

/* CVODE interpolates within its last step instead. */
int jn_impact_try(jn_sim *sim, double t, jn_step_function *step, jn_seen *seen) {
    int status = JN_OK;
    if (step != jn_step_cvode) {
        jn_state_copy(sim->s, sim->before);
        sim->slope_known = false;
        sim->h = sim->impact->slip.h = t - sim->before->t;
    }
    sim->audit.rejected++;
    int most = step == jn_step_slip || step == jn_step_stiff ? JN_EVENT_SLIP_STEPS_MOST : JN_EVENT_STEPS_MOST;
    for (int n = 0; n < most && status >= 0 && (n == 0 || sim->s->t < t); n++) status = step(sim, t);
    if (status < 0) return status;
    *seen = jn_impact_detect(sim, &status);
    return status;
}

/* What is known of the event: the bracket, and the last two ends beyond it that had the same cause. */
typedef struct jn_bracket {
    double t0, t1;
    jn_seen last, earlier;
    double t_earlier;
} jn_bracket;

/* Through two ends beyond the event: before it there is no value, or not a known one. */
static double extrapolate(const jn_bracket *b) {
    double rise = b->last.value - b->earlier.value;
    if (b->earlier.cause != b->last.cause || b->earlier.contact != b->last.contact || !isfinite(rise) || !(rise > 0))
        return NAN;
    double t = b->t1 + b->last.value * (b->t_earlier - b->t1) / rise;
    return t > b->t0 && t < b->t1 ? t : NAN;
}

/* Where a gap was zero: from its rate, and from its acceleration where another end beyond is known. */
static double guess_closing(const jn_bracket *b) {
    double gap = b->last.value, rate = b->last.rate, acceleration = 0;
    if (!(rate < 0)) return NAN;
    if (b->earlier.cause == JN_CAUSE_GAP && b->t_earlier > b->t1)
        acceleration = (b->earlier.rate - rate) / (b->t_earlier - b->t1);
    double square = rate * rate - 2 * acceleration * gap;
    return b->t1 - 2 * gap / (rate - sqrt(square > 0 ? square : rate * rate));
}

/* Where the event may be; NaN: nothing is known. */
static double guess_time(const jn_sim *sim, const jn_bracket *b) {
    const jn_seen *seen = &b->last;
    if (seen->cause == JN_CAUSE_GAP) return guess_closing(b);
    if (seen->cause == JN_CAUSE_LOST) return NAN;
    double before = seen->cause == JN_CAUSE_STOP ? sim->impact->unilateral[seen->contact].along_before : NAN;
    if (!(isfinite(before) && before > 0)) return extrapolate(b);
    return b->t0 + (b->t1 - b->t0) * before / (before - seen->value);
}

static void keep_speeds(jn_sim *sim) {
    for (int i = 0; i < sim->nonsmooth->set.count; i++)
        sim->impact->unilateral[i].along_before = sim->impact->unilateral[i].along;
}

void jn_impact_keep(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_impact_system *s = &sim->impact->system;
    take_speeds(sim);
    keep_speeds(sim);
    memcpy(s->b_before, s->b, (size_t)(sim->impact->d * set->count) * sizeof *s->b);
    for (int i = 0; i < set->count; i++)
        s->key[i] = (jn_contact_key){set->point[i].a, set->point[i].b, set->point[i].feature};
    s->keys = set->count;
}

/* [s] times nearer than this are one: departures have no sign by which to come nearer. */
static double same_time(const jn_bracket *b, double h) {
    return b->last.cause == JN_CAUSE_HOLD ? jn_max(JN_EVENT_HOLD_TIME, JN_EVENT_TIME_BEYOND * fabs(b->t1))
                                          : JN_EVENT_TIME_SAME * jn_max(fabs(b->t1), JN_EVENT_TIME_SAME_STEP * h);
}

int jn_impact_locate(jn_sim *sim, double h, jn_step_function *step, jn_seen *seen) {
    jn_bracket b = {.t0 = sim->before->t, .t1 = sim->s->t, .last = *seen};
    jn_seen now;
    int status = JN_OK;
    for (int n = 0; n < JN_EVENT_TRIALS_MOST && !b.last.now; n++) {
        double length = b.t1 - b.t0, guess = guess_time(sim, &b);
        if (length <= same_time(&b, h)) break;
        bool deep =
            b.last.cause != JN_CAUSE_GAP || b.last.value < -sim->impact->closed; /* where a gap is smallest, too */
        if (!deep && fabs(b.last.rate) * length < JN_EVENT_GAP_REL * sim->impact->closed) break;
        bool middle = n % JN_EVENT_BISECT_EVERY == JN_EVENT_BISECT_EVERY - 1 || !(guess > b.t0);
        double beyond = JN_EVENT_TIME_BEYOND * fabs(b.t1) + JN_EVENT_BEYOND_REL * (n % 2) * length;
        if (b.last.cause == JN_CAUSE_HOLD && !middle) beyond = jn_max(beyond, JN_EVENT_BEYOND_REL * fabs(b.t1 - guess));
        double t = middle ? b.t0 + 0.5 * length : jn_min(guess + beyond, b.t1 - JN_EVENT_BEYOND_REL * length);
        t = jn_max(t, b.t0 + JN_EVENT_INSIDE_REL * length);
        if (!(t > b.t0 && t < b.t1)) break;
        status = jn_impact_try(sim, t, step, &now);
        if (status < 0) return status;
        if (now.cause) {
            b.earlier = b.last, b.t_earlier = b.t1;
            b.t1 = sim->s->t, b.last = now;
        } else if (sim->s->t < t) { /* many short steps: on from here */
            *seen = now;
            return JN_OK;
        } else {
            b.t0 = t;
            keep_speeds(sim);
        }
    }
    if (sim->s->t != b.t1 && (status = jn_impact_try(sim, b.t1, step, seen)) < 0) return status;
    if (sim->s->t < b.t1 && seen->cause == JN_CAUSE_NONE) return JN_OK;
    if (sim->s->t == b.t1) *seen = b.last;
    sim->h = h;
    return JN_OK;
}

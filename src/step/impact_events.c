/* Events of smooth motion, and the instants at which they happen.
 *
 * After a step every closed contact has margins (normal force, distance to the static cone, speed along its slip) and every other
 * contact a gap. Where one is negative the step is taken again to an earlier time, by regula falsi and bisection on the first
 * event, until the bracket is down to round-off. */
#include "step/impact.h"

#include <string.h>

enum { MAX_TRIALS = 100 };

double jn_impact_still(const jn_sim *sim) {
    double most = 1e-3;
    for (int i = 1; i < sim->m->link_count; i++) most = fmax(most, v3_norm(sim->w->link[i].V.v));
    return 1e-10 * most;
}

static bool is_held(const jn_contact_set *set, int a, int b, uint32_t feature) {
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

static double touch_rate(const jn_sim *sim, const jn_near *pair, const jn_touch *point) {
    return jn_contact_motion(sim->contacts, sim->w, pair, point).gap_rate;
}

/* [m] how close to zero a gap can be brought: round-off of lengths, and of times at its rate. */
static double round_off(const jn_sim *sim, double rate) {
    return 3e-6 * sim->impact->closed + 4.4e-16 * fabs(sim->s->t * rate);
}

/* Whether the contact point was there at the start of the step, overlapping already: it leaves then, and has not passed through. */
static bool was_inside(jn_sim *sim, const jn_near *pair, const jn_touch *point) {
    jn_touch found[JN_TOUCH_MAX];
    jn_pair_cache cache = pair->cache;
    const jn_solid *A = &sim->m->solids[pair->a], *B = &sim->m->solids[pair->b];
    jn_kinematics(sim->m, sim->w, sim->before);
    const jn_link_motion *a = &sim->w->link[A->link], *b = &sim->w->link[B->link];
    jn_pose XA = {a->O, a->R}, XB = {b->O, b->R};
    int count = jn_pair_touch(A, &XA, B, &XB, sim->contacts->margin, &cache, found);
    bool inside = false;
    for (int k = 0; k < count; k++) inside |= found[k].feature == point->feature && found[k].gap < 0;
    jn_kinematics(sim->m, sim->w, sim->s);
    return inside;
}

/* The open contact that is deepest at the state of the work space. One that approaches has closed when its gap is round-off. */
static jn_seen detect_gaps(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_scan *scan = sim->contacts->scan;
    jn_seen seen = {.cause = JN_CAUSE_NONE, .contact = -1};
    double worst = INFINITY, still = jn_impact_still(sim);
    for (int q = 0; q < jn_scan_pairs(scan); q++) {
        const jn_near *pair = jn_scan_pair(scan, q);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_touch *point = jn_scan_touch(scan, k);
            if (point->gap >= worst || point->gap > sim->impact->closed ||
                is_held(set, pair->a, pair->b, point->feature))
                continue;
            double rate = touch_rate(sim, pair, point), small = round_off(sim, rate);
            bool leaves = rate >= -still;
            if (leaves ? point->gap > -sim->impact->closed || was_inside(sim, pair, point) : point->gap > small)
                continue;
            worst = point->gap;
            seen = (jn_seen){JN_CAUSE_GAP, -1, point->gap, rate, point->gap >= -small};
        }
    }
    return seen;
}

/* Margins of the closed contacts, from the last evaluation. */
static void take_margins(jn_sim *sim) {
    double still = jn_impact_still(sim);
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    for (int i = 0; i < set->count; i++) {
        jn_unilateral *o = &p->unilateral[i];
        const double *f = p->system.f + i * p->d;
        double ft = p->d == 2 ? fabs(f[1]) : hypot(f[1], f[2]);
        o->margin[0] = f[0];
        o->margin[1] = o->mode == JN_UNILATERAL_STICKING ? o->mu_s * f[0] - ft : INFINITY;
        double along = v3_dot(o->slip, o->direction);
        bool slips = o->mode == JN_UNILATERAL_SLIPPING && o->mu_s > 0 &&
                     (o->moving || along < -still); /* not the noise at its start */
        o->margin[2] = slips ? along : INFINITY;
    }
}

static double largest_force(const jn_impacts *p, int D) {
    double force = 0;
    for (int i = 0; i < D; i++) force = fmax(force, fabs(p->system.f[i]));
    return force;
}

static jn_seen detect_margins(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    jn_seen seen = {.cause = JN_CAUSE_NONE, .contact = -1};
    double force = 1e-10 * largest_force(p, p->d * set->count), speed = 1e-3 * jn_impact_still(sim), worst = 0;
    bool carries = true;
    take_margins(sim);
    for (int i = 0; i < set->count; i++) {
        const jn_unilateral *o = &p->unilateral[i];
        double size[3] = {force, force, speed};
        if (o->lost) return (jn_seen){JN_CAUSE_LOST, i, -1, 0, false};
        for (int k = 0; k < 3; k++) {
            if (!(o->margin[k] < -size[k]) || o->margin[k] / size[k] > worst) continue;
            carries &= k == 2;
            worst = o->margin[k] / size[k];
            seen.cause = k == 0 ? JN_CAUSE_FORCE : k == 1 ? JN_CAUSE_CONE : JN_CAUSE_STOP;
            seen.contact = i, seen.value = o->margin[k];
        }
    }
    if (!carries && p->system.redundant && seen.cause != JN_CAUSE_STOP && jn_unilateral_admissible(p, set)) {
        take_margins(sim);
        return (jn_seen){.cause = JN_CAUSE_NONE, .contact = -1};
    }
    return seen;
}

jn_seen jn_impact_detect(jn_sim *sim, int *status) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    if (set->count) {
        *status = jn_slope_here(sim);
        if (*status < 0) return (jn_seen){0};
    } else {
        jn_kinematics(sim->m, sim->w, sim->s);
    }
    *status = jn_scan_update_work(sim->contacts->scan, sim->w, sim->contacts->margin);
    if (*status < 0) {
        *status = jn_sim_fail(sim, *status,
                              "more pairs of shapes are in reach of each other at t = %.9g s than there is room for\n"
                              "leave pairs out with groups, or use fewer shapes",
                              sim->s->t);
        return (jn_seen){0};
    }
    jn_seen gap = detect_gaps(sim), margin = detect_margins(sim);
    return gap.cause ? gap : margin;
}

/* ------------------------------------------------------------------------------------------------------ the instant */

/* Steps from the state before to an earlier end, and detects there. CVODE interpolates within its last step instead. */
static int try_to(jn_sim *sim, double t, jn_step_function *step, jn_seen *seen) {
    int status = JN_OK;
    if (!sim->cvode) {
        jn_state_copy(sim->s, sim->before);
        sim->slope_known = false;
        sim->h = t - sim->before->t;
    }
    sim->audit.rejected++;
    do status = step(sim, t);
    while (status >= 0 && sim->s->t < t);
    if (status < 0) return status;
    *seen = jn_impact_detect(sim, &status);
    return status;
}

/* Where the event may be, from what is known at both ends of the bracket; NaN: nothing is. */
static double guess_time(const jn_sim *sim, const jn_seen *seen, double t0, double t1) {
    if (seen->cause == JN_CAUSE_GAP) return seen->rate < 0 ? t1 - seen->value / seen->rate : NAN;
    if (seen->contact < 0 || seen->cause == JN_CAUSE_LOST) return NAN;
    const jn_unilateral *o = &sim->impact->unilateral[seen->contact];
    int k = seen->cause == JN_CAUSE_FORCE ? 0 : seen->cause == JN_CAUSE_CONE ? 1 : 2;
    double before = o->margin_before[k];
    return isfinite(before) && before > 0 ? t0 + (t1 - t0) * before / (before - seen->value) : NAN;
}

static void keep_margins(jn_sim *sim) {
    for (int i = 0; i < sim->nonsmooth->set.count; i++)
        memcpy(sim->impact->unilateral[i].margin_before, sim->impact->unilateral[i].margin,
               sizeof sim->impact->unilateral[i].margin);
}

void jn_impact_keep(jn_sim *sim) {
    take_margins(sim);
    keep_margins(sim);
}

int jn_impact_locate(jn_sim *sim, double h, jn_step_function *step, jn_seen *seen) {
    double t0 = sim->before->t, t1 = sim->s->t;
    jn_seen last = *seen, now;
    int status = JN_OK;
    for (int n = 0; n < MAX_TRIALS && !last.now; n++) {
        double length = t1 - t0, guess = guess_time(sim, &last, t0, t1);
        if (length <= 2e-16 * fmax(fabs(t1), 1e-3 * h)) break;
        bool middle = n % 4 == 3 || !isfinite(guess);
        double beyond = 4e-16 * fabs(t1) + 1e-3 * (n % 2) * length; /* a bit late: the far end must come, too */
        double t = middle ? t0 + 0.5 * length : fmin(guess + beyond, t1 - 1e-3 * length);
        t = fmax(t, t0 + 1e-6 * length);
        if (!(t > t0 && t < t1)) break;
        status = try_to(sim, t, step, &now);
        if (status < 0) return status;
        if (now.cause) {
            t1 = t, last = now;
        } else {
            t0 = t;
            keep_margins(sim);
        }
    }
    if (sim->s->t != t1 && (status = try_to(sim, t1, step, seen)) < 0) return status;
    if (seen->cause == JN_CAUSE_NONE) *seen = last;
    if (sim->s->t == t1) *seen = last;
    sim->h = h;
    return JN_OK;
}

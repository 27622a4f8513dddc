/* The proximal-point method over the velocities that contacts share: where Newton's method for the impulses of least norm fails. */
#include "reaction/solvers/least_norm_work.h"
#include <math.h>
#include <string.h>

enum {
    NEAR = 25,  /* steps around one anchor of the proximal-point method, */
    IDLE = 250, /* without progress around all of them */
    LONG = 32,  /* stride of a first trial that tells impulses without bound */
    SHORT = 3,  /* halvings of a step: with shorter ones |F| falls, but Newton's method stays where it is */
    MEMORY = 8  /* steps over which |F| may not rise */
};
static const double alpha_least = 1e-8,
                    alpha_most = 1e3; /* e of the proximal-point method: beyond, it changes nothing or all */

/* p and u with a part of the last direction added. */
static void add_direction(jn_least_norm_work *s, double part) {
    for (int k = 0; k < s->n; k++) s->p[k] += part * s->g[k], s->u[k] += part * s->du[k];
}

/* Largest e w |p - anchor| [m/s]: by so much the solution around the anchor misses the problem itself. */
static double distance(const jn_least_norm_work *s, double e) {
    double largest = 0;
    for (int k = 0; k < s->n; k++) largest = jn_max(largest, s->w[k / s->d] * fabs(s->p[k] - s->anchor[k]));
    return e * largest;
}

static double largest_of(const double recent[MEMORY]) {
    double most = 0;
    for (int k = 0; k < MEMORY; k++) most = jn_max(most, recent[k]);
    return most;
}

/* Newton's method around the anchor until |F| is small beside that distance; steps that raise it over all of the last ones are halved [Grippo1986]. damping: added to e in Newton's
 * matrix. Returns the steps, 0: it failed. */
static int solve_near(jn_least_norm_work *s, double e, double damping) {
    double recent[MEMORY], size = jn_least_norm_value(s, e);
    for (int k = 0; k < MEMORY; k++) recent[k] = size;
    for (int n = 1; n <= NEAR; n++) {
        if (isnan(size) || !jn_least_norm_factor(s, e + damping)) return 0;
        jn_least_norm_direction(s);
        double part = 1, allowed = largest_of(recent);
        add_direction(s, 1);
        size = jn_least_norm_value(s, e);
        for (int k = 0; k < SHORT && !(size < allowed); k++)
            part *= 0.5, add_direction(s, -part), size = jn_least_norm_value(s, e);
        recent[n % MEMORY] = size;
        if (size <= jn_max(s->goal * s->unit, 0.5 * distance(s, e))) return n;
    }
    return 0;
}

/* Newton's method may run in circles: after a failure it sees the contacts through another parameter r, and with a damping. */
static int solve_otherwise(jn_least_norm_work *s, double e, int failures) {
    static const double factors[] = {1, 0.1, 10, 0.03, 30}, dampings[] = {0, 0.1, 1, 10}; /* of r w, of e */
    s->factor = factors[failures % 5];
    int used = solve_near(s, e, e * dampings[failures % 4]);
    s->factor = 1;
    return used;
}

/* Where redundant contacts cannot all stick exactly, each proximal step moves the impulses by nearly the same, until one of them slips:
 * ever longer strides along such a drift. Returns the stride. */
static double extrapolate_drift(jn_least_norm_work *s, double e, double stride) {
    double dot = 0, now = 0, before = 0;
    for (int k = 0; k < s->n; k++) {
        double change = e * s->w[k / s->d] * (s->p[k] - s->anchor[k]);
        dot += change * s->change[k], now += change * change, before += s->change[k] * s->change[k];
        s->change[k] = change;
    }
    if (!(dot > 0.9 * sqrt(now * before) && now > 0.25 * before)) return 0;
    stride = jn_max(2 * stride, 1);
    for (int i = 0; i < s->nc; i++) {
        double *p = s->p + i * s->d;
        for (int k = 0; k < s->d; k++) p[k] += stride * s->change[i * s->d + k] / (e * s->w[i]);
        jn_cone_project(s->d, s->d > 1 ? s->problem->mu[i] : 0, p);
    }
    jn_least_norm_take_given(s);
    return stride;
}

double jn_solve_proximal_shared(jn_least_norm_work *s, double first_e, double tolerance, int most) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    double e = first_e, stride = 0, least = INFINITY, mark = INFINITY, last = INFINITY;
    int first = *s->steps, since = first, failures = 0;
    double *best = s->start;
    memcpy(s->p, s->start, bytes), memcpy(s->safe, s->p, bytes), memset(s->change, 0, bytes);
    while (*s->steps - first < most && *s->steps - since < IDLE) {
        jn_least_norm_velocity(s);
        memcpy(s->anchor, s->p, bytes);
        int used = solve_otherwise(s, e, failures);
        if (!used) {
            if (stride == 0 && e >= alpha_most) break; /* it would fail again */
            if (stride == 0) e = jn_min(10 * e, alpha_most), failures++;
            memcpy(s->p, s->safe, bytes), memset(s->change, 0, bytes), stride = 0;
            continue;
        }
        jn_least_norm_velocity(s);
        double residual = jn_problem_residual_of(s->problem, s->p, s->u);
        if (residual < least) least = residual, memcpy(best, s->p, bytes);
        if (least <= tolerance) break;
        if (most <= JN_PROXIMAL_SOON && stride >= LONG && residual > 0.99 * last) break; /* maybe without end */
        last = residual;
        if (residual < 0.9 * mark) mark = residual, since = *s->steps;
        memcpy(s->safe, s->p, bytes);
        stride = extrapolate_drift(s, e, stride);
        if (used <= NEAR / 2) e = jn_max(alpha_least, e * (used <= 4 ? 0.1 : 0.3));
    }
    memcpy(s->p, best, bytes);
    jn_least_norm_velocity(s);
    return least;
}

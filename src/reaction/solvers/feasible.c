/* Whether any velocities lie in the dual cones of all contacts.
 *
 * A problem with some v for which all u = H v + q lie inside the dual cones, u_N > mu |u_T|, has a solution [Acary2011]. The velocities that come nearest, those of least
 *
 *     f(v) = 1/2 sum_i |P_K(-u_i)|^2 / w_i
 *
 * with w_i the mean diagonal of W_ii, tell whether there are such: f is convex, and where it stays above zero the impulses d_i = P_K(-u_i)/w_i lie in their cones, move nothing
 * (Y^T d = 0), and d . q = -2 f < 0. For all velocities d . (H v + q) = d . q then, while it is positive for all in the dual cones: there are none. Friction can hold the contacts
 * with d_i > 0 against each other, and against the joints, in whatever way they would have to stick or move off; a solution, if there is one, slips against d or parts. */
#include "reaction/solvers/least_norm_work.h"
#include <math.h>
#include <string.h>

enum {
    STEPS = 40, /* of Newton's method */
    HALVES = 30 /* of a step that raises f */
};
static const double damping = 1e-9; /* of the curvature of f that one contact makes: where f is flat, v stays as it is */
static const double still = 1e-8;   /* of f: what the next step would gain where it is least */
static const double enough = 1e-4;  /* of what a step promises: less gain, and it is halved */

/* Dry friction, whose normal impulse is given, and contacts that give way can be met by any velocities. */
static bool is_met(const jn_least_norm_work *s, int i) { return s->rows.given[i] > 0 || jn_problem_compliance(s->problem, i) > 0; }

/* f, and the speeds P_K(-u) in s->F, of which the largest is `most` [m/s]. */
static double missing(jn_least_norm_work *s, double *most) {
    double f = 0;
    *most = 0;
    for (int i = 0; i < s->nc; i++) {
        double *x = s->F + i * s->d, square = 0;
        for (int k = 0; k < s->d; k++) x[k] = is_met(s, i) ? 0 : -s->u[i * s->d + k];
        jn_cone_project(s->d, s->d > 1 ? s->problem->mu[i] : 0, x);
        for (int k = 0; k < s->d; k++) square += x[k] * x[k];
        f += 0.5 * s->by_w[i] * square, *most = jn_max(*most, sqrt(square));
    }
    return f;
}

/* C = dP_K(x)/dx at x = -u, over the damping and w: 1 in the cone, 0 in its polar cone, and between them, with x_T = |x_T| t and k = 1/(1 + mu^2),
 *     k (1, mu t; mu t, mu^2 t t^T) + mu k (x_N + mu |x_T|)/|x_T| (0, 0; 0, 1 - t t^T). */
static void slope_of(const jn_least_norm_work *s, int i) {
    int d = s->d;
    double *C = s->C + i * d * d, mu = d > 1 ? s->problem->mu[i] : 0, x[3] = {0}, square = 0, weight = s->by_w[i] / damping;
    for (int k = 0; k < d * d; k++) C[k] = 0;
    if (is_met(s, i)) return;
    for (int k = 0; k < d; k++) x[k] = -s->u[i * d + k];
    for (int k = 1; k < d; k++) square += x[k] * x[k];
    double size = sqrt(square), k2 = 1 / (1 + mu * mu);
    if (mu == 0) {
        C[0] = x[0] > 0 ? weight : 0;
    } else if (size <= mu * x[0]) {
        for (int k = 0; k < d; k++) C[k * d + k] = weight;
    } else if (mu * size > -x[0]) {
        double across = mu * k2 * (x[0] + mu * size) / size;
        C[0] = weight * k2;
        for (int k = 1; k < d; k++) {
            C[k] = C[k * d] = weight * k2 * mu * x[k] / size;
            for (int l = 1; l < d; l++) {
                double along = x[k] * x[l] / square;
                C[k * d + l] = weight * (k2 * mu * mu * along + across * ((k == l) - along));
            }
        }
    }
}

/* s->x = (damping + Y^T C H)^-1 Y^T d, s->du = H s->x; returns what f would lose along it at its present slope. */
static double direction(jn_least_norm_work *s) {
    double gain = 0;
    for (int i = 0; i < s->nc; i++) slope_of(s, i);
    ++*s->steps;
    if (!jn_shared_factor(&s->rows, s->C)) return NAN;
    for (int k = 0; k < s->n; k++) s->g[k] = s->by_w[k / s->d] * s->F[k] / damping;
    jn_shared_scatter(&s->rows, s->g, s->x);
    jn_shared_solve(&s->rows, s->x);
    jn_shared_gather(&s->rows, s->x, s->du);
    for (int k = 0; k < s->n; k++) gain += damping * s->g[k] * s->du[k];
    return gain;
}

/* Of the velocities in s->u and those without impulses the ones with the lesser f, which is returned; f is convex, and all of them lead to the same least value. */
static double start(jn_least_norm_work *s, double *most) {
    size_t bytes = (size_t)s->n * sizeof *s->u;
    double own = missing(s, most);
    memcpy(s->g, s->u, bytes), memcpy(s->u, s->problem->q, bytes);
    double f = missing(s, most);
    if (!(own < f)) return f;
    memcpy(s->u, s->g, bytes);
    missing(s, most);
    return own;
}

bool jn_least_norm_jams(jn_least_norm_work *s, double speed, double *hold) {
    double most, f = start(s, &most);
    for (int n = 0;; n++) {
        if (n == STEPS || most <= speed) return false;
        double gain = direction(s), part = 1, next = INFINITY;
        if (!(gain >= 0)) return false;
        if (gain <= still * f) break;
        for (int k = 0; k < s->n; k++) s->u[k] += s->du[k];
        for (int k = 0; k < HALVES && !((next = missing(s, &most)) <= f - enough * part * gain); k++) {
            part *= 0.5;
            for (int l = 0; l < s->n; l++) s->u[l] -= part * s->du[l];
        }
        if (!(next < f)) return false;
        f = next;
    }
    for (int k = 0; k < s->n; k++) hold[k] = s->by_w[k / s->d] * s->F[k];
    return true;
}

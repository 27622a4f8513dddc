/* One step of Levenberg's and Marquardt's method within bounds. Parameters at a bound that would be left are held there in the step. */
#include "workflow/study/search/least_squares.h"

#include "algebra/qr.h"
#include "algebra/scalar.h"

#include <math.h>
#include <string.h>

#define DAMPING_FIRST 1e-3 /* of the scaled J^T J: a step that is nearly Gauss's and Newton's */
#define DAMPING_MOST 1e16  /* no step with this damping moves a number of order 1 */
#define DEPENDENT 1e-10    /* of the largest column: smaller ones depend on others */
#define NOISE 100          /* times the tolerance: a step so small that gains nothing ends in the noise of the runs */
#define SETTLED                                                                                                        \
    2.5e-3 /* of the variance of a residual: a gain so small moves no parameter by 1/20 of its standard error */
#define SMALLEST_SCALE 1e-30

int jn_search_work(int k, int n) { return (n + k) * k + 6 * k; }

/* Whether the descent at u leads out of the cube here. */
static bool is_held(const jn_search *s, const double *gradient, int i) {
    return (s->u[i] <= 0 && gradient[i] > 0) || (s->u[i] >= 1 && gradient[i] < 0);
}

static void find_gradient(const jn_search *s, double *g) {
    for (int i = 0; i < s->k; i++) {
        g[i] = 0;
        for (int j = 0; j < s->n; j++) g[i] += s->J[i * s->n + j] * s->r[j];
    }
}

/* min |J d + r|^2 + damping |D d|^2 over the free parameters, by an orthogonal factorisation of [J; sqrt(damping) D]. The largest change. */
static double find_step(jn_search *s, double damping) {
    int k = s->k, n = s->n, rows = n + k, pivot[64], which[64], free = 0;
    double *Y = s->work, *g = Y + rows * k, *b = g + k;
    double most = 0, cost = 0;
    find_gradient(s, g);
    for (int i = 0; i < k; i++) {
        if (is_held(s, g, i)) continue;
        double *column = Y + free * rows;
        memcpy(column, s->J + i * n, (size_t)n * sizeof *column);
        memset(column + n, 0, (size_t)k * sizeof *column);
        column[n + i] = sqrt(damping) * jn_max(s->scale[i], SMALLEST_SCALE);
        b[free] = -g[i], which[free++] = i;
    }
    jn_qr qr = {.n = rows, .cols = free, .Y = Y, .beta = b + k, .tz = b + 2 * k, .pivot = pivot, .x = b + 3 * k};
    memcpy(s->trial, s->u, (size_t)k * sizeof *s->trial);
    if (free && jn_qr_factor(&qr, 1e-14, 0)) jn_qr_solve_normal(&qr, b, b);
    for (int f = 0; f < free; f++) {
        int i = which[f];
        s->trial[i] = jn_min(1, jn_max(0, s->u[i] + b[f]));
        most = jn_max(most, fabs(s->trial[i] - s->u[i]));
    }
    for (int j = 0; j < n; j++) {
        double r = s->r[j];
        for (int i = 0; i < k; i++) r += s->J[i * n + j] * (s->trial[i] - s->u[i]);
        cost += r * r;
    }
    s->predicted = s->cost - cost;
    return most;
}

static void accept(jn_search *s, const double *r, const double *J, double cost) {
    double gain = s->predicted > 0 ? (s->cost - cost) / s->predicted : 1;
    bool first = !isfinite(s->cost);
    memcpy(s->u, s->trial, (size_t)s->k * sizeof *s->u);
    memcpy(s->r, r, (size_t)s->n * sizeof *s->r);
    memcpy(s->J, J, (size_t)(s->n * s->k) * sizeof *s->J);
    s->cost = cost;
    for (int i = 0; i < s->k; i++) {
        double square = 0;
        for (int j = 0; j < s->n; j++) square += J[i * s->n + j] * J[i * s->n + j];
        s->scale[i] = jn_max(s->scale[i], sqrt(square));
    }
    double x = 2 * gain - 1;
    s->damping = first ? DAMPING_FIRST : s->damping * jn_max(1.0 / 3, 1 - x * x * x);
    s->grow = 2;
}

void jn_search_step(jn_search *s, const double *r, const double *J, double tolerance) {
    double cost = 0;
    for (int j = 0; r && j < s->n; j++) cost += r[j] * r[j];
    bool better = r && cost < s->cost;
    if (!better && !isfinite(s->cost)) {
        s->state = JN_SEARCH_FAILED;
        return;
    }
    if (better)
        accept(s, r, J, cost);
    else
        s->damping *= s->grow, s->grow *= 2;
    double change =
        better ? INFINITY : find_step(s, DAMPING_FIRST); /* one that gains nothing, in the noise of the runs */
    bool near =
        !better && (change <= NOISE * tolerance || (s->predicted >= 0 && s->predicted <= SETTLED * s->cost / s->n));
    change = find_step(s, s->damping);
    if (!near && change > tolerance && s->damping < DAMPING_MOST) return;
    s->state = near || better ? JN_SEARCH_FOUND : JN_SEARCH_STUCK;
}

int jn_search_covariance(const jn_search *s, double *C) {
    int k = s->k, n = s->n, pivot[64], which[64], free = 0;
    double *Y = s->work, *g = Y + (n + k) * k, *b = g + k;
    find_gradient(s, g);
    for (int i = 0; i < k; i++) {
        if (is_held(s, g, i)) continue;
        memcpy(Y + free * n, s->J + i * n, (size_t)n * sizeof *Y);
        which[free++] = i;
    }
    jn_qr qr = {.n = n, .cols = free, .Y = Y, .beta = b + k, .tz = b + 2 * k, .pivot = pivot, .x = b + 3 * k};
    for (int i = 0; i < k * k; i++) C[i] = NAN;
    if (free == 0 || !jn_qr_factor(&qr, DEPENDENT, 0)) return 0;
    for (int f = 0; f < free; f++) {
        memset(b, 0, (size_t)free * sizeof *b);
        b[f] = 1;
        jn_qr_solve_normal(&qr, b, b);
        for (int h = 0; h < free; h++) C[which[f] * k + which[h]] = b[h];
    }
    return qr.rank;
}

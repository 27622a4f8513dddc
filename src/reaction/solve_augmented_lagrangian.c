/* Augmented Lagrangian in the prox form of [Flores2010]: p_N = prox(p_N - r u_N) on the half-line, p_T = prox(p_T - r u_T) on the
 * disc of radius mu p_N, as a fixed-point iteration contact by contact, each with parameters r from its own block of W, and
 * accelerated by Anderson's mixing. */
#include "reaction/anderson.h"
#include "reaction/scaled.h"
#include <math.h>
#include <string.h>

enum { LIMIT = 20000, CHECK = 10, CIRCLES = 50 }; /* sweeps, between judgements; restarts after which r shrinks */

typedef struct work {
    jn_scaled scaled;
    double *y, *u, *best, *start; /* (n) */
    double *r;                    /* (2 nc) */
    double *anderson;
} work;

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    jn_scaled_layout(problem, &s, &w->scaled);
    size_t n = (size_t)w->scaled.n;
    double **vectors[] = {&w->y, &w->u, &w->best, &w->start};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&s, n, sizeof(double));
    w->anderson = jn_scratch_take(&s, jn_anderson_scratch(w->scaled.n), sizeof(double));
    w->r = jn_scratch_take(&s, 2 * (size_t)w->scaled.nc, sizeof(double));
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) {
    (void)problem;
    return true;
}

static void parameters(work *w) {
    const jn_scaled *s = &w->scaled;
    int d = s->d;
    for (int i = 0; i < s->nc; i++)
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            const double *W = s->W + (size_t)k * (size_t)(d * d);
            if (s->column[k] != i) continue;
            w->r[2 * i] = 1 / W[0];
            w->r[2 * i + 1] = 1; /* 1/largest eigenvalue of the tangential block */
            if (d == 2) w->r[2 * i + 1] = 1 / W[3];
            if (d == 3)
                w->r[2 * i + 1] =
                    2 / (W[4] + W[8] + sqrt((W[4] - W[8]) * (W[4] - W[8]) + (W[5] + W[7]) * (W[5] + W[7])));
        }
}

/* p = prox(p - r u), contact after contact with the newest impulses. */
static void sweep(work *w) {
    const jn_scaled *s = &w->scaled;
    int d = s->d;
    for (int i = 0; i < s->nc; i++) {
        double u[3] = {0}, *p = w->y + i * d, t = 0;
        for (int r = 0; r < d; r++) u[r] = s->q[i * d + r];
        for (int k = s->start[i]; k < s->start[i + 1]; k++)
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++)
                    u[r] += s->W[(size_t)k * (size_t)(d * d) + (size_t)(r * d + c)] * w->y[s->column[k] * d + c];
        p[0] = fmax(p[0] - w->r[2 * i] * u[0], 0);
        for (int k = 1; k < d; k++) p[k] -= w->r[2 * i + 1] * u[k], t += p[k] * p[k];
        t = sqrt(t);
        double radius = d > 1 ? s->mu[i] * p[0] : 0;
        for (int k = 1; k < d && t > radius; k++) p[k] *= radius / t;
    }
}

static double judge(const jn_problem *problem, work *w) {
    jn_scaled_velocity(&w->scaled, w->y, w->u);
    return jn_scaled_residual(problem, &w->scaled, w->y, w->u);
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    size_t bytes = (size_t)w.scaled.n * sizeof(double);
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT;
    int status = jn_scaled_start(problem, &w.scaled, p, w.y);
    if (status < 0) return status;
    parameters(&w);
    result->residual = judge(problem, &w);
    memcpy(w.best, w.y, bytes);
    double least = INFINITY;
    int plain = 0, wait = 2, restarts = 0;
    jn_anderson mix = jn_anderson_start(w.scaled.n, w.scaled.n, settings->pool, w.anderson);
    for (result->iterations = 0; result->residual > settings->tolerance && result->iterations < limit;) {
        memcpy(w.start, w.y, bytes);
        sweep(&w);
        double sum = 0;
        for (int i = 0; i < w.scaled.n; i++) sum += (w.y[i] - w.start[i]) * (w.y[i] - w.start[i]);
        if (!isfinite(sum)) break;
        if (++result->iterations % CHECK == 0 || sum == 0) {
            double residual = judge(problem, &w);
            if (residual < result->residual) result->residual = residual, memcpy(w.best, w.y, bytes);
            if (sum == 0) break;
        }
        if (plain > 0 && plain--) continue;
        if (sum > 9 * least) { /* the mix led astray: sweeps without it, ever more, then smaller r */
            jn_anderson_restart(&mix);
            least = INFINITY;
            plain = wait = wait < 24 ? 2 * wait : 24;
            for (int i = 0; restarts > CIRCLES && restarts <= CIRCLES + 10 && i < 2 * w.scaled.nc; i++) w.r[i] *= 0.9;
            restarts++;
            continue;
        }
        least = fmin(least, sum);
        jn_anderson_next(&mix, w.start, w.y);
    }
    result->converged = result->residual <= settings->tolerance;
    jn_scaled_finish(&w.scaled, w.best, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_augmented_lagrangian = {
    "augmented_lagrangian",
    "fixed point of the prox equations, contact by contact, accelerated",
    "Flores2010",
    can,
    scratch,
    solve};

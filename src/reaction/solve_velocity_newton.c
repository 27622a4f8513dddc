/* Newton's method on velocities and Gauss-Seidel by turns, for piles. With impulses that follow the velocities softly,
 * dp = g - C H dv from Alart and Curnier's function [Alart1991], the step of all bodies is (1 + Y^T C H) dv = Y^T g: a matrix over
 * bodies, not over contacts, so that contacts beyond those that bodies need cost nothing. A full step finds the slow
 * motions that many bodies share and that sweeps miss; sweeps put contacts right whose state has changed, which would shorten
 * Newton's step. Where more contacts stick than can, impulses drift at the same residual until one slides: the softness falls
 * there, so that strides grow, and the residual may rise a little. */
#include "reaction/bodies.h"
#include <math.h>
#include <string.h>

enum { LIMIT = 25, SWEEPS = 25, BODIES = 2048 };
static const double soft = 3e-3, softest = 10, hardest = 1e-7; /* softness over W_ii: first, largest, least */
static const double softer = 5, harder = 0.2, bold = 0.04;
static const double smooth = 0.3;            /* a step that leaves less of the residual needs no sweeps */
static const double trust = 1.5;             /* a step that leaves less than this before sweeps may be bolder */
static const double rise = 2, rise_all = 10; /* of the residual in one iteration, over the best */

typedef struct work {
    jn_bodies bodies;
    const jn_problem *problem;
    int d, nc, n;
    double *inverse;                /* (nc) 1/mean diagonal of W_ii */
    double *p, *now, *trial, *best; /* (n) */
    double *u, *du, *g, *C;         /* (n), (n), (n), (n x d) */
    double *x;                      /* (blocks x size) */
    double *v;                      /* (velocities) */
    void *sweeps;                   /* scratch of gauss_seidel */
} work;

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, n = nc * d;
    jn_bodies_layout(problem, &s, &w->bodies);
    w->problem = problem, w->d = (int)d, w->nc = (int)nc, w->n = (int)n;
    double **vectors[] = {&w->p, &w->now, &w->trial, &w->best, &w->u, &w->du, &w->g};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&s, n, sizeof(double));
    w->inverse = jn_scratch_take(&s, nc, sizeof(double));
    w->C = jn_scratch_take(&s, n * d, sizeof(double));
    w->x = jn_scratch_take(&s, (size_t)(w->bodies.lu.nc * JN_BLOCK), sizeof(double));
    w->v = jn_scratch_take(&s, (size_t)problem->velocities, sizeof(double));
    w->sweeps = jn_scratch_take(&s, jn_solver_gauss_seidel.scratch(problem), 1);
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) {
    return problem->H && problem->Y && problem->velocities <= JN_BLOCK * BODIES &&
           problem->velocities <= problem->contacts * problem->dimension;
}

/* g = P - p and C = rho dP/dz of one contact, with P the projection of z = p - rho u: on what is not negative along the normal,
 * on the disc of radius mu P_N across it. */
static void linearise(int d, double mu, double rho, const double *p, const double *u, double *g, double *C) {
    double z[3] = {0}, size = 0;
    for (int k = 0; k < d; k++) z[k] = p[k] - rho * u[k], g[k] = -p[k];
    memset(C, 0, (size_t)(d * d) * sizeof *C);
    if (z[0] <= 0) return;
    for (int k = 1; k < d; k++) size += z[k] * z[k];
    size = sqrt(size);
    double radius = mu * z[0];
    g[0] += z[0], C[0] = rho;
    for (int k = 1; k < d; k++) {
        if (size <= radius) {
            g[k] += z[k], C[k * d + k] = rho;
            continue;
        }
        double t = z[k] / size;
        g[k] += radius * t, C[k * d] = rho * mu * t;
        for (int l = 1; l < d; l++) C[k * d + l] = rho * radius / size * ((k == l) - t * z[l] / size);
    }
}

/* Newton's step from w->now, whose velocity stands in w->u, to w->p in the cones. One factorisation. */
static int step(work *w, double alpha) {
    int d = w->d;
    const double *mu = w->problem->mu;
    for (int i = 0; i < w->nc; i++)
        linearise(d, d > 1 ? mu[i] : 0, w->inverse[i] / alpha, w->now + i * d, w->u + i * d, w->g + i * d,
                  w->C + i * d * d);
    int status = jn_bodies_factor(&w->bodies, w->C);
    if (status < 0) return status;
    jn_bodies_scatter(&w->bodies, w->g, w->x);
    jn_block_lu_solve(&w->bodies.lu, w->x, w->x);
    jn_bodies_gather(&w->bodies, w->x, w->du);
    for (int i = 0; i < w->nc; i++) {
        for (int k = i * d; k < i * d + d; k++) {
            w->p[k] = w->now[k] + w->g[k];
            for (int l = 0; l < d; l++) w->p[k] -= w->C[k * d + l] * w->du[i * d + l]; /* p + g - C H dv */
        }
        jn_cone_project(d, d > 1 ? mu[i] : 0, w->p + i * d);
    }
    return JN_OK;
}

/* Sweeps from w->p; what they made worse is undone. Returns the residual, whose velocity is left in w->du. */
static double sweep(work *w, const jn_solve_settings *settings, double before) {
    jn_solve_settings own = *settings;
    jn_solve_result result = {0};
    size_t bytes = (size_t)w->n * sizeof(double);
    own.iterations = SWEEPS;
    memcpy(w->trial, w->p, bytes);
    jn_solver_gauss_seidel.solve(w->problem, &own, w->sweeps, w->trial, &result);
    double after = jn_problem_residual(w->problem, w->trial, w->v, w->du);
    if (after >= before) {
        jn_problem_velocity(w->problem, w->p, w->v, w->du);
        return before;
    }
    memcpy(w->p, w->trial, bytes);
    return after;
}

static int start(work *w, const double *p, jn_solve_result *result) {
    int d = w->d, status = jn_bodies_start(&w->bodies);
    for (int i = 0; i < w->nc && status == JN_OK; i++) {
        double W[9], trace = 0;
        jn_problem_diagonal(w->problem, i, W);
        for (int k = 0; k < d; k++) trace += W[k * d + k];
        if (!(trace > 0) || !isfinite(trace)) status = JN_ERR_NUMERIC;
        w->inverse[i] = d / trace;
    }
    memcpy(w->now, p, (size_t)w->n * sizeof *p);
    memcpy(w->best, p, (size_t)w->n * sizeof *p);
    result->residual = jn_problem_residual(w->problem, w->now, w->v, w->u);
    return status;
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    size_t bytes = (size_t)w.n * sizeof *p;
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT, status = start(&w, p, result);
    if (status < 0) return status;
    double alpha = soft, current = result->residual;
    for (; result->iterations < limit && alpha <= softest && result->residual > settings->tolerance;
         result->iterations++) {
        status = step(&w, alpha);
        if (status < 0) break;
        double before = jn_problem_residual(problem, w.p, w.v, w.du), residual = before;
        if (before > settings->tolerance && before > smooth * current) residual = sweep(&w, settings, before);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(w.best, w.p, bytes);
        }
        if (residual <= rise * current && residual <= rise_all * result->residual) {
            if (before < trust * current) alpha = fmax(hardest, (before < 0.7 * current ? bold : harder) * alpha);
            current = residual;
            memcpy(w.now, w.p, bytes), memcpy(w.u, w.du, bytes);
        } else {
            alpha *= softer;
        }
    }
    memcpy(p, w.best, bytes);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_velocity_newton = {
    "velocity_newton", "Newton on velocities and sweeps by turns; piles of bodies", "Alart1991", can, scratch, solve};

/* Newton's method on velocities and Gauss-Seidel, for piles: proximal problems (velocity_proximal.h) whose matrix is one over bodies,
 * not over contacts. Where one is solved the anchor follows and alpha falls; where Newton's method makes no
 * way, because too many contacts would change their state at once, alpha rises and sweeps of gauss_seidel put contacts right.
 * Where bodies are held by more contacts than needed, impulses drift a long way at a small residual until one slides: it is
 * small alpha that makes long strides there. */
#include "reaction/bodies.h"
#include "reaction/velocity_proximal.h"
#include <math.h>
#include <string.h>

enum { LIMIT = 60, STEPS = 12, SWEEPS = 25, BODIES = 2048, CALM = 2 };
static const double soft = 3e-3, softest = 10, hardest = 1e-7; /* alpha: first, largest, least */
static const double softer = 5, harder = 0.2;                  /* its factors */
static const double rise = 10; /* of the residual over the best, after a proximal problem is solved */

typedef struct work {
    const jn_problem *problem;
    jn_bodies bodies;
    jn_velocity_proximal near; /* the proximal problem */
    double *trial, *best;      /* (n) */
    double *x;                 /* (blocks x size) */
    double *v;                 /* (velocities) */
    void *sweeps;              /* scratch of gauss_seidel */
} work;

/* By a factor of the bodies' matrix. */
static bool find_step(void *context, const double *C, const double *g, double *du) {
    work *w = context;
    if (jn_bodies_factor(&w->bodies, C) < 0) return false;
    jn_bodies_scatter(&w->bodies, g, w->x);
    jn_block_lu_solve(&w->bodies.lu, w->x, w->x);
    jn_bodies_gather(&w->bodies, w->x, du);
    return true;
}

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    size_t n = (size_t)problem->contacts * (size_t)problem->dimension;
    w->problem = problem;
    jn_bodies_layout(problem, &s, &w->bodies);
    jn_velocity_proximal_layout(problem, &s, &w->near);
    w->near.steps = STEPS, w->near.step = find_step, w->near.context = w;
    w->trial = jn_scratch_take(&s, n, sizeof(double)), w->best = jn_scratch_take(&s, n, sizeof(double));
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
           problem->velocities <= 2 * problem->contacts * problem->dimension;
}

/* Sweeps from the iterate; what they made worse is undone. Returns the residual, whose velocity is left in the iterate. */
static double sweep(work *w, const jn_solve_settings *settings, double before) {
    jn_solve_settings own = *settings;
    jn_solve_result result = {0};
    jn_velocity_proximal *near = &w->near;
    size_t bytes = (size_t)near->n * sizeof(double);
    own.iterations = SWEEPS;
    memcpy(w->trial, near->p, bytes);
    jn_solver_gauss_seidel.solve(w->problem, &own, w->sweeps, w->trial, &result);
    double after = jn_problem_residual(w->problem, w->trial, w->v, near->u);
    if (!(after < before)) {
        jn_problem_velocity(w->problem, near->p, w->v, near->u);
        return before;
    }
    memcpy(near->p, w->trial, bytes);
    return after;
}

static int start(work *w, const double *p, jn_solve_result *result) {
    jn_velocity_proximal *near = &w->near;
    int d = near->d, status = jn_bodies_start(&w->bodies);
    for (int i = 0; i < near->nc && status == JN_OK; i++) {
        double W[9], trace = 0;
        jn_problem_diagonal(w->problem, i, W);
        for (int k = 0; k < d; k++) trace += W[k * d + k];
        if (!(trace > 0) || !isfinite(trace)) status = JN_ERR_NUMERIC;
        near->inverse[i] = d / trace;
    }
    memcpy(near->anchor, p, (size_t)near->n * sizeof *p);
    memcpy(w->best, p, (size_t)near->n * sizeof *p);
    result->residual = jn_problem_residual(w->problem, near->anchor, w->v, near->held);
    return status;
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    jn_velocity_proximal *near = &w.near;
    size_t bytes = (size_t)near->n * sizeof *p;
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT, status = start(&w, p, result), calm = 0;
    if (status < 0) return status;
    double alpha = soft, current = result->residual;
    for (; result->iterations < limit && alpha <= softest && result->residual > settings->tolerance;
         result->iterations++) {
        bool done = jn_velocity_proximal_solve(near, alpha);
        double residual = jn_problem_residual(problem, near->p, w.v, near->u);
        if (!done && !(residual <= settings->tolerance)) residual = sweep(&w, settings, residual);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(w.best, near->p, bytes);
        }
        if (residual < (done ? rise * result->residual : current)) {
            current = residual;
            jn_velocity_proximal_follow(near);
        }
        if (!done)
            alpha *= softer, calm = CALM; /* what failed is not tried again at once */
        else if (calm-- <= 0)
            alpha = fmax(hardest, harder * alpha);
    }
    memcpy(p, w.best, bytes);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_velocity_newton = {
    "velocity_newton", "Newton on velocities and sweeps by turns; piles of bodies", "Alart1991", can, scratch, solve};

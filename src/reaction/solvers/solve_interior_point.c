/* The interior-point method of interior_path.c on a matrix over contacts, from a start of its own. Near the solution Alart and Curnier's function takes over, on which Newton's
 * method ends at the accuracy of the machine. */
#include "reaction/solvers/interior_path.h"
#include "reaction/problem/scaled_problem.h"
#include <math.h>
#include <string.h>

typedef struct work {
    jn_scaled scaled;
    jn_block_lu lu;
    jn_interior path;
    double *A;        /* (nc x d x d) */
    double *y, *best; /* (n) */
    jn_newton newton;
} work;

enum { LIMIT = 200, FINISH = 8, PATIENCE = 20 }; /* iterations, steps of Newton's method at the end, without progress */
static const double FIRST = 1e-3; /* of a unit of the residual: where Newton's method is tried for the first time */
static bool can(const jn_problem *problem) { return problem->contacts <= JN_FACTOR_CONTACTS; }

static void velocity(void *context, const double *p, double *u) {
    jn_scaled_velocity(&((work *)context)->scaled, p, u);
}

/* W + B; rows of components beyond their cones are those of B alone. */
static int factor(void *context, const double *B) {
    work *w = context;
    int d = w->scaled.d;
    bool all = true;
    memset(w->A, 0, (size_t)(w->scaled.n * d) * sizeof *w->A);
    for (int i = 0; i < w->scaled.nc; i++)
        for (int k = 0, m = jn_interior_cone(&w->path, i); k < d; k++) w->A[(i * d + k) * d + k] = k < m, all &= k < m;
    jn_blocks W = jn_scaled_matrix(&w->scaled);
    return jn_block_lu_factor(&w->lu, &W, all ? NULL : w->A, B, NULL, false);
}

static void solve_newton(void *context, const double *right, double *dp) {
    jn_block_lu_solve(&((work *)context)->lu, right, dp);
}

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    jn_scaled_layout(problem, &s, &w->scaled);
    jn_block_lu_layout(w->scaled.d, w->scaled.nc, jn_scaled_fill(problem), &s, &w->lu);
    size_t n = (size_t)w->scaled.n, d = (size_t)w->scaled.d;
    jn_interior_layout(w->scaled.d, w->scaled.nc, &s, &w->path);
    w->path.mu = w->scaled.mu, w->path.context = w;
    w->path.velocity = velocity, w->path.factor = factor, w->path.solve = solve_newton;
    w->A = jn_scratch_take(&s, n * d, sizeof(double));
    w->y = jn_scratch_take(&s, n, sizeof(double)), w->best = jn_scratch_take(&s, n, sizeof(double));
    jn_newton_layout(&s, &w->scaled, &w->lu, &w->newton);
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

/* Newton's method on Alart and Curnier's function from p, as long as every step halves it. */
static double finish(const jn_problem *problem, work *w, double tolerance, int *iterations) {
    jn_newton *newton = &w->newton;
    memcpy(w->y, w->path.p, (size_t)w->scaled.n * sizeof(double));
    jn_newton_start(newton, 0, 1);
    double norm = jn_newton_value(newton, w->y, newton->u, newton->F), before = INFINITY, residual = INFINITY;
    for (int k = 0; k < FINISH && norm < 0.5 * before && !(residual <= tolerance); k++) {
        before = norm;
        norm = jn_newton_step(newton, w->y, norm);
        ++*iterations;
        residual = jn_scaled_residual(problem, &w->scaled, w->y, newton->u);
    }
    return residual;
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    size_t bytes = (size_t)w.scaled.n * sizeof(double);
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT;
    static const double sizes[] = {1, 10, 0.1, 100};
    int status = jn_scaled_start(problem, &w.scaled, p, w.best);
    if (status == JN_OK) status = jn_block_lu_analyse(&w.lu, w.scaled.start, w.scaled.column);
    if (status < 0) return status;
    jn_scaled_velocity(&w.scaled, w.best, w.path.u);
    result->residual = jn_scaled_residual(problem, &w.scaled, w.best, w.path.u);
    jn_interior_start(&w.path, sizes[0]);
    double first = FIRST * jn_problem_unit(problem), next = first,
           mark = INFINITY; /* residual at which to try the end; that was halved last */
    int since = 0, starts = 1;
    for (result->iterations = 0; result->residual > settings->tolerance && result->iterations < limit;) {
        result->iterations++;
        status = jn_interior_step(&w.path);
        jn_scaled_velocity(&w.scaled, w.path.p, w.path.u);
        double residual = jn_scaled_residual(problem, &w.scaled, w.path.p, w.path.u);
        if (residual < result->residual) result->residual = residual, memcpy(w.best, w.path.p, bytes);
        if (residual < next || status != JN_OK) {
            next = 0.1 * residual;
            residual = finish(problem, &w, settings->tolerance, &result->iterations);
            if (residual < result->residual) result->residual = residual, memcpy(w.best, w.y, bytes);
        }
        if (residual < 0.5 * mark) mark = residual, since = 0;
        if (status != JN_OK || ++since > PATIENCE) { /* jammed: along another path */
            if (starts == sizeof sizes / sizeof *sizes) break;
            jn_interior_start(&w.path, sizes[starts++]);
            next = first, mark = INFINITY, since = 0;
        }
    }
    result->converged = result->residual <= settings->tolerance;
    jn_scaled_finish(&w.scaled, w.best, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_interior_point = {"interior_point",
                                                 "primal-dual interior-point method, De Saxce's correction inside",
                                                 "Vandenberghe2010",
                                                 can,
                                                 scratch,
                                                 solve};

/* Block Gauss-Seidel: contacts one after the other, each solved exactly for the impulses of the others [Jean1999], with
 * Anderson's acceleration between sweeps. */
#include "reaction/anderson.h"
#include "reaction/local.h"
#include "reaction/solvers.h"
#include <float.h>
#include <string.h>

enum { SWEEPS = 10000 };

typedef struct gauss_seidel {
    const jn_problem *problem;
    bool rows; /* by body velocities: O(1) per contact; else by blocks of W */
    int d, n;
    jn_local *local;   /* (contacts) */
    double *diagonal;  /* (contacts x d x d) W_ii */
    double *size;      /* (contacts) min(1, trace W_ii): a change of p as the residual sees it */
    double *x, *u, *v; /* (n) start of the sweep, (n), (velocities) Y^T p */
    double change;     /* of the last sweep, as the residual would see it */
    double *anderson;
} gauss_seidel;

/* ---------------------------------------------------------------------------------------------------------- setup */

static void lay_out(gauss_seidel *s, jn_scratch *m) {
    size_t n = (size_t)s->n, contacts = (size_t)s->problem->contacts, dd = (size_t)(s->d * s->d);
    s->local = jn_scratch_take(m, contacts, sizeof *s->local);
    s->diagonal = jn_scratch_take(m, contacts * dd, sizeof *s->diagonal);
    s->size = jn_scratch_take(m, contacts, sizeof *s->size);
    s->x = jn_scratch_take(m, n, sizeof *s->x);
    s->u = jn_scratch_take(m, n, sizeof *s->u);
    s->v = jn_scratch_take(m, (size_t)s->problem->velocities, sizeof *s->v);
    s->anderson = jn_scratch_take(m, jn_anderson_scratch(s->n), sizeof *s->anderson);
}

static gauss_seidel describe(const jn_problem *problem) {
    return (gauss_seidel){.problem = problem,
                          .rows = jn_problem_prefers_rows(problem),
                          .d = problem->dimension,
                          .n = problem->dimension * problem->contacts};
}

static void prepare(gauss_seidel *s) {
    int d = s->d;
    for (int i = 0; i < s->problem->contacts; i++) {
        double *W = s->diagonal + (size_t)i * (size_t)(d * d), trace = 0;
        jn_problem_diagonal(s->problem, i, W);
        s->local[i] = jn_local_prepare(d, W, d > 1 ? s->problem->mu[i] : 0);
        for (int k = 0; k < d; k++) trace += W[k * d + k];
        s->size[i] = trace < 1 ? trace : 1;
    }
}

/* ---------------------------------------------------------------------------------------------------------- sweep */

/* One contact: what the others do to it, its own impulse anew. Adds to *change the square of what the residual sees. */
static inline void visit3(gauss_seidel *s, int i, double *p, double *change) {
    const double *W = s->diagonal + 9 * (size_t)i, *q = s->problem->q + 3 * (size_t)i;
    double u[3], old[3], *x = p + 3 * (size_t)i;
    if (s->rows)
        jn_rows_gather(s->problem->H, 3, i, s->v, u);
    else
        jn_blocks_row(s->problem, i, p, u);
    for (int k = 0; k < 3; k++) {
        old[k] = x[k];
        u[k] += q[k] - (W[3 * k] * x[0] + W[3 * k + 1] * x[1] + W[3 * k + 2] * x[2]);
    }
    jn_local_solve3(&s->local[i], u, x);
    double dp[3] = {x[0] - old[0], x[1] - old[1], x[2] - old[2]}, w = s->size[i];
    double square = dp[0] * dp[0] + dp[1] * dp[1] + dp[2] * dp[2];
    if (square == 0) return;
    *change += w * w * square;
    if (s->rows) jn_rows_scatter(s->problem->Y, 3, i, dp, s->v);
}

/* The same for d = 1 and d = 2. */
static inline void visit(gauss_seidel *s, int i, double *p, double *change) {
    int d = s->d;
    const double *W = s->diagonal + (size_t)(d * d) * (size_t)i, *q = s->problem->q + (size_t)(d * i);
    double u[3] = {0}, dp[3] = {0}, *x = p + (size_t)(d * i), w = s->size[i];
    if (s->rows)
        jn_rows_gather(s->problem->H, d, i, s->v, u);
    else
        jn_blocks_row(s->problem, i, p, u);
    for (int k = 0; k < d; k++) {
        u[k] += q[k];
        for (int c = 0; c < d; c++) u[k] -= W[k * d + c] * x[c];
        dp[k] = -x[k];
    }
    jn_local_solve(d, &s->local[i], u, x);
    for (int k = 0; k < d; k++) {
        dp[k] += x[k];
        *change += w * w * dp[k] * dp[k];
    }
    if (s->rows) jn_rows_scatter(s->problem->Y, d, i, dp, s->v);
}

static void sweep(gauss_seidel *s, double *p) {
    double change = 0;
    if (s->d == 3)
        for (int i = 0; i < s->problem->contacts; i++) visit3(s, i, p, &change);
    else
        for (int i = 0; i < s->problem->contacts; i++) visit(s, i, p, &change);
    s->change = sqrt(change);
}

/* ---------------------------------------------------------------------------------------------------------- solve */

static bool can(const jn_problem *problem) { return problem->dimension >= 1 && problem->dimension <= 3; }

static size_t scratch_size(const jn_problem *problem) {
    gauss_seidel s = describe(problem);
    jn_scratch m = {NULL, 0};
    lay_out(&s, &m);
    return m.used;
}

/* Sweeps until the change is as small as the tolerance, then looks at the residual itself. */
static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *scratch, double *p,
                 jn_solve_result *result) {
    gauss_seidel s = describe(problem);
    jn_scratch m = {scratch, 0};
    lay_out(&s, &m);
    prepare(&s);
    double goal = settings->tolerance * jn_problem_norm(problem), trigger = goal, least = INFINITY;
    int most = settings->iterations > 0 ? settings->iterations : SWEEPS;
    jn_anderson a = jn_anderson_start(s.n, s.anderson);
    result->residual = INFINITY;
    for (result->iterations = 0; result->iterations < most;) {
        if (s.rows) jn_problem_impulse(problem, p, s.v);
        memcpy(s.x, p, (size_t)s.n * sizeof *p);
        sweep(&s, p);
        result->iterations++;
        if (s.change <= trigger) {
            result->residual = jn_problem_residual(problem, p, s.v, s.u);
            if (result->residual <= settings->tolerance) break;
            trigger = fmin(0.5 * trigger, 0.5 * trigger * settings->tolerance / result->residual);
            trigger = fmax(trigger, 0.01 * s.change);
        }
        if (s.change > 2 * least) {
            jn_anderson_restart(&a);
            least = INFINITY;
            continue;
        }
        least = fmin(least, s.change);
        jn_anderson_next(&a, s.x, p);
        memcpy(p, s.x, (size_t)s.n * sizeof *p);
    }
    if (!(result->residual <= settings->tolerance)) result->residual = jn_problem_residual(problem, p, s.v, s.u);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_gauss_seidel = {
    .name = "gauss_seidel",
    .summary = "contact by contact, each solved exactly, accelerated; many bodies, warm starts",
    .source = "Jean1999",
    .can = can,
    .scratch = scratch_size,
    .solve = solve,
};

/* Semi-smooth Newton method on Alart and Curnier's function, with a line search that lets |F| rise for a few steps. */
#include "reaction/scaled.h"
#include <math.h>
#include <string.h>

typedef struct work {
    jn_scaled scaled;
    jn_block_lu lu;
    jn_newton newton;
    double *y, *best;
} work;

enum { MEMORY = 8, PATIENCE = 15, LIMIT = 400 }; /* steps over which |F| may not rise, steps */

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    jn_scaled_layout(problem, &s, &w->scaled);
    jn_block_lu_layout(w->scaled.d, w->scaled.nc, jn_scaled_fill(problem), &s, &w->lu);
    jn_newton_layout(&s, &w->scaled, &w->lu, &w->newton);
    w->y = jn_scratch_take(&s, (size_t)w->scaled.n, sizeof(double));
    w->best = jn_scratch_take(&s, (size_t)w->scaled.n, sizeof(double));
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) { return problem->contacts <= JN_FACTOR_CONTACTS; }

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT;
    int status = jn_scaled_start(problem, &w.scaled, p, w.y);
    if (status == JN_OK) status = jn_block_lu_analyse(&w.lu, w.scaled.start, w.scaled.column);
    if (status < 0) return status;
    jn_newton_start(&w.newton, 0, 1);
    double recent[MEMORY], norm = jn_newton_value(&w.newton, w.y, w.newton.u, w.newton.F);
    for (int k = 0; k < MEMORY; k++) recent[k] = norm;
    static const double factors[] = {1, 0.1, 10, 0.03, 30}, dampings[] = {1e-10, 1e-3, 1e-1, 1};
    double mark = INFINITY;
    int since = 0, stalls = 0;
    result->residual = INFINITY, result->converged = false;
    for (result->iterations = 0;; result->iterations++) {
        double residual = jn_scaled_residual(problem, &w.scaled, w.y, w.newton.u);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(w.best, w.y, (size_t)w.scaled.n * sizeof *w.y);
        }
        result->converged = result->residual <= settings->tolerance;
        if (result->converged || result->iterations == limit) break;
        double allowed = 0;
        for (int k = 0; k < MEMORY; k++) allowed = fmax(allowed, recent[k]);
        if (residual < 0.9 * mark) mark = residual, since = 0;
        if (++since > PATIENCE) { /* in circles: other parameters, shorter steps */
            jn_newton_start(&w.newton, 0, factors[++stalls % 5]);
            w.newton.damping = dampings[stalls % 4];
            norm = allowed = jn_newton_value(&w.newton, w.y, w.newton.u, w.newton.F);
            for (int k = 0; k < MEMORY; k++) recent[k] = norm;
            since = 0, mark = INFINITY;
        }
        norm = jn_newton_step(&w.newton, w.y, allowed);
        if (!isfinite(norm)) break;
        recent[result->iterations % MEMORY] = norm;
    }
    jn_scaled_finish(&w.scaled, w.best, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_newton = {
    "newton", "semi-smooth Newton on Alart and Curnier's function", "Alart1991", can, scratch, solve};

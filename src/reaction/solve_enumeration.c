/* Every combination of open, stick, slip forward and slip backward, for a few contacts in a plane: slow and beyond doubt, so
 * that other solvers can be checked against it. */
#include "reaction/scaled.h"
#include <math.h>
#include <string.h>

enum { MOST = 7 }; /* contacts: 4^7 systems of 14 equations */

typedef struct work {
    jn_scaled scaled;
    double *A, *y, *u, *best; /* (n x (n + 1)), (n) */
    int *column;              /* (n) */
} work;

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    jn_scaled_layout(problem, &s, &w->scaled);
    size_t n = (size_t)w->scaled.n;
    w->A = jn_scratch_take(&s, n * (n + 1), sizeof(double));
    double **vectors[] = {&w->y, &w->u, &w->best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&s, n, sizeof(double));
    w->column = jn_scratch_take(&s, n, sizeof(int));
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) { return problem->dimension <= 2 && problem->contacts <= MOST; }

/* Row r of W y + q = 0. */
static void velocity_row(const jn_scaled *s, int r, double *row) {
    int d = s->d, i = r / d;
    for (int k = s->start[i]; k < s->start[i + 1]; k++)
        for (int c = 0; c < d; c++)
            row[s->column[k] * d + c] = s->W[(size_t)k * (size_t)(d * d) + (size_t)(r % d * d + c)];
    row[s->n] = -s->q[r];
}

/* Equations of one combination. A digit per contact: 0 open, 1 stick, 2 and 3 slip. */
static void equations(work *w, int code) {
    const jn_scaled *s = &w->scaled;
    int d = s->d, n = s->n, states = d == 2 ? 4 : 2;
    memset(w->A, 0, (size_t)(n * (n + 1)) * sizeof *w->A);
    for (int i = 0; i < s->nc; i++, code /= states) {
        int state = code % states;
        double *normal = w->A + d * i * (n + 1), *tangent = normal + n + 1;
        if (state == 0)
            normal[d * i] = 1;
        else
            velocity_row(s, d * i, normal); /* u_N = 0 */
        if (d == 1) continue;
        if (state == 1) {
            velocity_row(s, d * i + 1, tangent); /* u_T = 0 */
        } else {
            tangent[d * i + 1] = 1; /* p_T = 0 or -+ mu p_N */
            if (state > 1) tangent[d * i] = state == 2 ? s->mu[i] : -s->mu[i];
        }
    }
}

/* Gauss's elimination with full pivoting; what a singular system leaves free becomes zero. */
static void eliminate(work *w) {
    int n = w->scaled.n, rank = 0;
    double *A = w->A;
    for (int j = 0; j < n; j++) w->column[j] = j, w->y[j] = 0;
    for (; rank < n; rank++) {
        int row = rank, column = rank;
        for (int i = rank; i < n; i++)
            for (int j = rank; j < n; j++)
                if (fabs(A[i * (n + 1) + j]) > fabs(A[row * (n + 1) + column])) row = i, column = j;
        if (!(fabs(A[row * (n + 1) + column]) > 1e-11)) break;
        for (int j = 0; j <= n; j++) {
            double swap = A[rank * (n + 1) + j];
            A[rank * (n + 1) + j] = A[row * (n + 1) + j], A[row * (n + 1) + j] = swap;
        }
        for (int i = 0; i < n; i++) {
            double swap = A[i * (n + 1) + rank];
            A[i * (n + 1) + rank] = A[i * (n + 1) + column], A[i * (n + 1) + column] = swap;
        }
        int name = w->column[rank];
        w->column[rank] = w->column[column], w->column[column] = name;
        for (int i = rank + 1; i < n; i++) {
            double factor = A[i * (n + 1) + rank] / A[rank * (n + 1) + rank];
            for (int j = rank; j <= n; j++) A[i * (n + 1) + j] -= factor * A[rank * (n + 1) + j];
        }
    }
    for (int i = rank - 1; i >= 0; i--) {
        double sum = A[i * (n + 1) + n];
        for (int j = i + 1; j < rank; j++) sum -= A[i * (n + 1) + j] * w->y[w->column[j]];
        w->y[w->column[i]] = sum / A[i * (n + 1) + i];
    }
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    int codes = 1, status = jn_scaled_start(problem, &w.scaled, p, w.best);
    if (status < 0) return status;
    for (int i = 0; i < w.scaled.nc; i++) codes *= w.scaled.d == 2 ? 4 : 2;
    if (settings->iterations > 0 && settings->iterations < codes) codes = settings->iterations;
    result->residual = INFINITY;
    for (result->iterations = 0; result->iterations < codes && !(result->residual <= settings->tolerance);) {
        equations(&w, result->iterations++);
        eliminate(&w);
        jn_scaled_velocity(&w.scaled, w.y, w.u);
        double residual = jn_scaled_residual(problem, &w.scaled, w.y, w.u);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(w.best, w.y, (size_t)w.scaled.n * sizeof *w.y);
        }
    }
    result->converged = result->residual <= settings->tolerance;
    jn_scaled_finish(&w.scaled, w.best, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_enumeration = {
    "enumeration", "every combination of stick, slip and open; a check for a few planar contacts",
    "Flores2010",  can,
    scratch,       solve};

/* Planar friction as a linear complementarity problem, eq. (85) of [Flores2010], by Lemke's method. */
#include "reaction/solvers/lemke_pivoting.h"
#include "reaction/problem/scaled_problem.h"
#include <string.h>

enum { MOST = 200 }; /* contacts: the tableau has 18 entries per pair */

typedef struct work {
    jn_scaled scaled;
    double *A, *b, *z, *y, *u;
    void *lemke;
} work;

/* Unknowns per contact: P_N, P_R = P_T + mu P_N, xi_L; without friction P_N alone. */
static int unknowns(const jn_problem *problem) { return (problem->dimension == 2 ? 3 : 1) * problem->contacts; }

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    size_t n = (size_t)unknowns(problem);
    jn_scaled_layout(problem, &s, &w->scaled);
    w->A = jn_scratch_take(&s, n * n, sizeof(double));
    w->b = jn_scratch_take(&s, n, sizeof(double));
    w->z = jn_scratch_take(&s, n, sizeof(double));
    w->y = jn_scratch_take(&s, (size_t)w->scaled.n, sizeof(double));
    w->u = jn_scratch_take(&s, (size_t)w->scaled.n, sizeof(double));
    w->lemke = jn_scratch_take(&s, jn_lcp_scratch((int)n), 1);
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) { return problem->dimension <= 2 && problem->contacts <= MOST; }

/* Matrix and vector of (85): rows xi_N, xi_R, P_L; columns P_N, P_R, xi_L. */
static void planar(work *w) {
    const jn_scaled *s = &w->scaled;
    size_t nc = (size_t)s->nc, n = 3 * nc;
    memset(w->A, 0, n * n * sizeof *w->A);
    memset(w->b, 0, n * sizeof *w->b);
    for (size_t i = 0; i < nc; i++) {
        double *xi_N = w->A + i * n, *xi_R = w->A + (nc + i) * n, *P_L = w->A + (2 * nc + i) * n;
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            size_t j = (size_t)s->column[k];
            const double *W = s->W + 4 * (size_t)k;
            xi_N[j] = W[0] - W[1] * s->mu[j], xi_N[nc + j] = W[1];
            xi_R[j] = W[2] - W[3] * s->mu[j], xi_R[nc + j] = W[3];
        }
        xi_R[2 * nc + i] = 1;
        P_L[i] = 2 * s->mu[i], P_L[nc + i] = -1;
        w->b[i] = s->q[2 * i], w->b[nc + i] = s->q[2 * i + 1];
    }
}

static void frictionless(work *w) {
    const jn_scaled *s = &w->scaled;
    size_t n = (size_t)s->nc;
    memset(w->A, 0, n * n * sizeof *w->A);
    for (size_t i = 0; i < n; i++) {
        for (int k = s->start[i]; k < s->start[i + 1]; k++) w->A[i * n + (size_t)s->column[k]] = s->W[k];
        w->b[i] = s->q[i];
    }
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    int n = unknowns(problem), limit = settings->iterations > 0 ? settings->iterations : 50 * n + 100;
    int status = jn_scaled_start(problem, &w.scaled, p, w.y);
    if (status < 0) return status;
    if (w.scaled.d == 2)
        planar(&w);
    else
        frictionless(&w);
    status = jn_lcp_lemke(n, w.A, w.b, limit, w.z, w.lemke, &result->iterations);
    if (status < 0) return status;
    if (status == JN_OK)
        for (int i = 0; i < w.scaled.nc; i++) {
            if (w.scaled.d == 1)
                w.y[i] = w.z[i];
            else
                w.y[2 * i] = w.z[i], w.y[2 * i + 1] = w.z[w.scaled.nc + i] - w.scaled.mu[i] * w.z[i]; /* (73) */
        }
    jn_scaled_velocity(&w.scaled, w.y, w.u);
    result->residual = jn_scaled_residual(problem, &w.scaled, w.y, w.u);
    result->converged = result->residual <= settings->tolerance;
    jn_scaled_finish(&w.scaled, w.y, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_lemke = {
    "lemke", "complementary pivoting in a plane, scaled, lexicographic", "Flores2010", can, scratch, solve};

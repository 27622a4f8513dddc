/* Constraints without multipliers as unknowns: by penalty and by augmented Lagrangian [Bayo1988]; and corrections of the dependent
 * coordinates alone [Wehage1982]. Dense: for mechanisms of a few dozen coordinates. */
#include "motion/work.h"
#include <string.h>

/* Penalties over the mean of the mass matrix' diagonal. More costs digits of the motion that is free. Where multipliers are iterated a small
 * one serves: inside a step redundant equations contradict each other by what the step bends, and each round pushes by the penalty along
 * that contradiction (Bennett's linkage, rk4 at 1 ms: 6e-8 of the energy with 1e2, 2e-4 with 1e5 and 20 rounds). */
static const double penalty_alone = 1e5, penalty_iterated = 1e2;
enum { MOST_ROUNDS = 100 };
static const double enough =
    1e-12; /* of the largest right-hand side: change of what is left of the constraints in a round */

/* A = M + factor G^T G, then its Cholesky factor below the diagonal; factor = stiff mean(diag M). O(nv^3 + rows nv^2) */
static int factor_penalty(const jn_model *m, jn_work *w, double stiff, double *A, double *factor) {
    int n = m->nv, status = jn_mass_factor_here(m, w);
    if (status < 0) return status;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int k = 0; k < n; k++)
        for (int p = m->M_start[k]; p <= m->M_start[k] + m->dof_depth[k]; p++)
            A[k * n + m->M_col[p]] = A[m->M_col[p] * n + k] = w->M_raw[p];
    *factor = 0;
    for (int k = 0; k < n; k++) *factor += stiff * A[k * n + k] / n;
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        for (int p = row->first; p < row->first + row->count; p++)
            for (int q = row->first; q < row->first + row->count; q++)
                A[m->row_cols[p] * n + m->row_cols[q]] += *factor * w->G[p] * w->G[q];
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++) A[i * n + j] -= A[i * n + k] * A[j * n + k];
        if (!(A[j * n + j] > 0)) return JN_ERR_NUMERIC;
        double root = sqrt(A[j * n + j]);
        for (int i = j; i < n; i++) A[i * n + j] /= root;
    }
    return JN_OK;
}

static void solve_factored(const double *A, int n, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++) x[i] -= A[k * n + i] * x[k];
        x[i] /= A[i * n + i];
    }
}

/* (M + factor G^T G) a = h + G^T (lambda + factor g); lambda += factor (g - G a), once or until g - G a does not change: redundant equations
 * that contradict each other leave some of it for ever. O(nv^3 + rounds nv^2) */
int jn_penalty_solve(const jn_model *m, jn_work *w, const double *h, const double *g, double *a, double *lambda) {
    bool iterate = m->run.stabilise == JN_STABILISE_AUGMENTED_LAGRANGIAN;
    double *A = w->dense, *left = A + (size_t)m->nv * (size_t)m->nv, most = 0, factor;
    int rows = m->row_count, rounds = iterate ? MOST_ROUNDS : 1;
    int status = factor_penalty(m, w, iterate ? penalty_iterated : penalty_alone, A, &factor);
    if (status < 0) return status;
    memset(lambda, 0, (size_t)rows * sizeof *lambda);
    memcpy(left, g, (size_t)rows * sizeof *left);
    for (int i = 0; i < rows; i++) most = jn_max(most, fabs(g[i]));
    for (int round = 0; round < rounds; round++) {
        double change = 0;
        for (int i = 0; i < rows; i++) w->row_x[i] = lambda[i] + factor * g[i];
        memcpy(a, h, (size_t)m->nv * sizeof *a);
        jn_rows_multiply_t(m, w, w->row_x, a);
        solve_factored(A, m->nv, a);
        jn_rows_multiply(m, w, a, w->row_x);
        for (int i = 0; i < rows; i++) {
            double now = g[i] - w->row_x[i];
            change = jn_max(change, fabs(now - left[i]));
            lambda[i] += factor * now;
            left[i] = now;
        }
        if (change <= enough * (1 + most)) break;
    }
    return JN_OK;
}

/* dx with G dx = -residual that moves dependent coordinates alone: those of the pivots of an elimination with full pivoting, so that they
 * are the ones that follow best. Rows that repeat others are left out. O(rows^2 nv) */
void jn_partition_solve(const jn_model *m, jn_work *w, const double *residual, double *dx) {
    int n = m->nv, rows = m->row_count, rank = 0, width = n + 1;
    double *A = w->dense, first = 0;
    int *column = w->dense_column; /* of each pivot */
    memset(A, 0, (size_t)rows * (size_t)width * sizeof *A);
    memset(dx, 0, (size_t)n * sizeof *dx);
    for (int i = 0; i < rows; i++) {
        const jn_row *row = &m->rows[i];
        for (int p = row->first; p < row->first + row->count; p++) A[i * width + m->row_cols[p]] = w->G[p];
        A[i * width + n] = -residual[i];
    }
    for (; rank < rows; rank++) {
        int best = rank, pivot = 0;
        double most = 0;
        for (int i = rank; i < rows; i++)
            for (int j = 0; j < n; j++)
                if (fabs(A[i * width + j]) > most) most = fabs(A[i * width + j]), best = i, pivot = j;
        if (rank == 0) first = most;
        if (!(most > 1e-9 * first)) break;
        for (int j = 0; j < width; j++) {
            double x = A[rank * width + j];
            A[rank * width + j] = A[best * width + j], A[best * width + j] = x;
        }
        column[rank] = pivot;
        for (int i = 0; i < rows; i++) {
            double f = i == rank ? 0 : A[i * width + pivot] / A[rank * width + pivot];
            for (int j = 0; f != 0 && j < width; j++) A[i * width + j] -= f * A[rank * width + j];
            if (i != rank) A[i * width + pivot] = 0;
        }
    }
    for (int k = 0; k < rank; k++) dx[column[k]] = A[k * width + n] / A[k * width + column[k]];
}

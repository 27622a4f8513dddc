/* Few constraint rows: dense Schur complement. With M = L^T D L and Y = D^-1/2 L^-T G^T (nv x rows), G M^-1 G^T = Y^T Y.
 *
 * Independent rows: rank-revealing QR of Y, which shows nearly singular configurations without squaring the condition.
 * Redundant rows: away from the constraints, where the stages of an integrator are, they are not quite dependent, and any
 * choice among them would make the accelerations jump between stages. So with C = Y^T Y the multipliers are found by
 * lambda += (C^2 + ridge^2)^-1 C (b - C lambda), a fixed number of times: a smooth filter that passes the singular values that
 * count, 1 - (ridge^2 / (sigma^4 + ridge^2))^k, stops those that vanish, and gives the multipliers of least norm. */
#include "algebra/elementary.h"
#include "motion/work.h"
#include <string.h>

enum { RIDGE_STEPS = 8 };
static const double ridge_below = 0.1; /* root of the ridge, against the smallest usual singular value */

/* What counts as dependent before the rank is known grows with the violation phi, which separates redundant rows. */
static double rank_tolerance(const jn_model *m, const jn_work *w) {
    double violation = 0;
    for (int i = 0; i < m->row_count; i++) violation = jn_fmax(violation, fabs(w->phi[i]));
    return jn_fmin(1e-3, jn_fmax(1e-7, 1e4 * violation));
}

static bool is_redundant(const jn_model *m, const jn_work *w) {
    return w->usual_rank > 0 && w->usual_rank < m->row_count;
}

static void fill_Y(const jn_model *m, jn_work *w) {
    int n = m->nv;
    for (int r = 0; r < m->row_count; r++) {
        double *y = w->qr.Y + (size_t)r * n;
        const jn_row *row = &m->rows[r];
        for (int i = 0; i < n; i++) y[i] = 0;
        for (int p = row->first; p < row->first + row->count; p++) y[m->row_cols[p]] = w->G[p];
        jn_mass_half_solve(m, w, y);
    }
}

/* C = Y^T Y, full; returns its largest diagonal entry. */
static double fill_schur(const jn_model *m, jn_work *w) {
    int n = m->nv, rows = m->row_count;
    double largest = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= i; j++) {
            const double *a = w->qr.Y + (size_t)i * n, *b = w->qr.Y + (size_t)j * n;
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[k] * b[k];
            w->schur[i * rows + j] = w->schur[j * rows + i] = sum;
            if (i == j) largest = jn_fmax(largest, sum);
        }
    return largest;
}

/* Cholesky factor of C^2 + ridge^2, lower triangle by rows. */
static int ridge_factor(const jn_model *m, jn_work *w) {
    int rows = m->row_count;
    double root = ridge_below * w->usual_smallest, ridge = root * root * fill_schur(m, w);
    const double *C = w->schur;
    double *F = w->schur_factor;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? ridge * ridge : 0;
            for (int k = 0; k < rows; k++) sum += C[i * rows + k] * C[j * rows + k];
            F[i * rows + j] = sum;
        }
    for (int j = 0; j < rows; j++) {
        for (int k = 0; k < j; k++) F[j * rows + j] -= F[j * rows + k] * F[j * rows + k];
        if (!(F[j * rows + j] > 0)) return JN_ERR_NUMERIC;
        F[j * rows + j] = sqrt(F[j * rows + j]);
        for (int i = j + 1; i < rows; i++) {
            for (int k = 0; k < j; k++) F[i * rows + j] -= F[i * rows + k] * F[j * rows + k];
            F[i * rows + j] /= F[j * rows + j];
        }
    }
    return JN_OK;
}

/* y = (C^2 + ridge^2)^-1 C x. */
static void ridge_apply(const jn_work *w, int rows, const double *x, double *y) {
    const double *C = w->schur, *F = w->schur_factor;
    for (int i = 0; i < rows; i++) {
        y[i] = 0;
        for (int k = 0; k < rows; k++) y[i] += C[i * rows + k] * x[k];
    }
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < i; k++) y[i] -= F[i * rows + k] * y[k];
        y[i] /= F[i * rows + i];
    }
    for (int i = rows - 1; i >= 0; i--) {
        y[i] /= F[i * rows + i];
        for (int k = 0; k < i; k++) y[k] -= F[i * rows + k] * y[i];
    }
}

int jn_kkt_dense_factor(const jn_model *m, jn_work *w) {
    fill_Y(m, w);
    if (is_redundant(m, w)) {
        w->rank = w->usual_rank;
        w->weak = false;
        return ridge_factor(m, w);
    }
    double tolerance = rank_tolerance(m, w);
    if (w->usual_rank == 0 && jn_rows_vanish(m, w, tolerance))
        memset(w->qr.Y, 0, (size_t)m->row_count * (size_t)m->nv * sizeof *w->qr.Y);
    if (!jn_qr_factor(&w->qr, tolerance, w->usual_rank)) return JN_ERR_NUMERIC;
    w->rank = w->qr.rank;
    w->weak = jn_qr_smallest(&w->qr) < w->qr.weak;
    return JN_OK;
}

/* a = M^-1 (f + G^T lambda). */
static void motion_under(const jn_model *m, jn_work *w, const double *f, const double *lambda, double *a) {
    for (int i = 0; i < m->nv; i++) a[i] = f ? f[i] : 0;
    jn_rows_multiply_t(m, w, lambda, a);
    jn_mass_solve(m, w, a);
}

static void solve_redundant(const jn_model *m, jn_work *w, const double *f, const double *g, double *a,
                            double *lambda) {
    int rows = m->row_count;
    double *x = w->row_x, *step_by = w->qr.x;
    for (int i = 0; i < rows; i++) lambda[i] = 0;
    for (int step = 0; step < RIDGE_STEPS; step++) {
        motion_under(m, w, f, lambda, a);
        jn_rows_multiply(m, w, a, x);
        for (int i = 0; i < rows; i++) x[i] = (g ? g[i] : 0) - x[i];
        ridge_apply(w, rows, x, step_by);
        for (int i = 0; i < rows; i++) lambda[i] += step_by[i];
    }
    motion_under(m, w, f, lambda, a);
}

/* In the coordinates x = D^1/2 L a the constraints are Y^T x = g and the motion without them is D^-1/2 L^-T f. A projection
 * (no forces) leaves nearly singular directions alone: correcting them would turn round-off into motion. */
void jn_kkt_dense_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda) {
    if (is_redundant(m, w)) {
        solve_redundant(m, w, f, g, a, lambda);
        return;
    }
    for (int i = 0; i < m->nv; i++) a[i] = f ? f[i] : 0;
    if (f) jn_mass_half_solve(m, w, a);
    jn_qr_meet(&w->qr, g, f == NULL, a, lambda);
    motion_under(m, w, f, lambda, a);
}

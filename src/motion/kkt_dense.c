/* Few constraint rows: Schur complement through a rank-revealing factorisation.
 *
 * With M = L^T D L and Y = D^-1/2 L^-T G^T (nv x rows), G M^-1 G^T = Y^T Y: the rank of G shows in the mass metric, and
 * redundant rows get the multipliers of least norm. */
#include "motion/work.h"

/* Redundant rows are dependent only where the constraints are met: a configuration that violates them by phi makes them
 * independent by about phi. So what counts as dependent grows with the violation. */
static double rank_tolerance(const jn_model *m, const jn_work *w) {
    double violation = 0;
    for (int i = 0; i < m->row_count; i++) violation = fmax(violation, fabs(w->phi[i]));
    return fmin(1e-3, fmax(1e-8, 1e3 * violation));
}

static const double weak_limit = 3e-3; /* smallest against largest pivot, below which a configuration is nearly singular */

int jn_kkt_dense_factor(const jn_model *m, jn_work *w) {
    int n = m->nv;
    for (int r = 0; r < m->row_count; r++) {
        double *y = w->qr.Y + (size_t)r * n;
        const jn_row *row = &m->rows[r];
        for (int i = 0; i < n; i++) y[i] = 0;
        for (int p = row->first; p < row->first + row->count; p++) y[m->row_cols[p]] = w->G[p];
        jn_mass_half_solve(m, w, y);
    }
    if (!jn_qr_factor(&w->qr, rank_tolerance(m, w), w->usual_rank)) return JN_ERR_NUMERIC;
    int rank = w->rank = w->qr.rank;
    w->weak = rank > 0 && fabs(w->qr.Y[(size_t)(rank - 1) * n + rank - 1]) < weak_limit * fabs(w->qr.Y[0]);
    return JN_OK;
}

/* lambda = (Y^T Y)^+ (g - G M^-1 f);  a = M^-1 (f + G^T lambda). */
void jn_kkt_dense_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda) {
    int n = m->nv;
    double *b = w->row_x;
    for (int i = 0; i < n; i++) a[i] = f ? f[i] : 0;
    if (f) jn_mass_solve(m, w, a);
    jn_rows_multiply(m, w, a, b);
    for (int i = 0; i < m->row_count; i++) b[i] = (g ? g[i] : 0) - b[i];
    jn_qr_solve_normal(&w->qr, b, lambda);
    for (int i = 0; i < n; i++) w->column[i] = 0;
    jn_rows_multiply_t(m, w, lambda, w->column);
    jn_mass_solve(m, w, w->column);
    for (int i = 0; i < n; i++) a[i] += w->column[i];
}

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
    return fmin(1e-3, fmax(1e-7, 1e4 * violation));
}

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
    w->rank = w->qr.rank;
    w->weak = jn_qr_smallest(&w->qr) < w->qr.weak;
    return JN_OK;
}

/* In the coordinates x = D^1/2 L a the constraints are Y^T x = g and the motion without them is D^-1/2 L^-T f. A projection
 * (no forces) leaves nearly singular directions alone: correcting them would turn round-off into motion. */
void jn_kkt_dense_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda) {
    for (int i = 0; i < m->nv; i++) a[i] = f ? f[i] : 0;
    if (f) jn_mass_half_solve(m, w, a);
    jn_qr_meet(&w->qr, g, f == NULL, a, lambda);
    for (int i = 0; i < m->nv; i++) a[i] = f ? f[i] : 0; /* from the rows themselves, dependent ones included */
    jn_rows_multiply_t(m, w, lambda, a);
    jn_mass_solve(m, w, a);
}

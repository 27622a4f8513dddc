/* Equations of motion with constraints: M a - G^T lambda = f, G a = g. */
#include "algebra/elementary.h"
#include "motion/work.h"
#include <string.h>

int jn_kkt_factor(const jn_model *m, jn_work *w) {
    if (m->sparse_kkt) {
        w->counts.factorisations++;
        jn_mass_rows(m, w);
        return jn_kkt_sparse_factor(m, w);
    }
    int status = jn_mass_factor_here(m, w);
    return status < 0 || m->row_count == 0 ? status : jn_kkt_dense_factor(m, w);
}

/* A configuration counts as nearly singular when a pivot falls to a hundredth of what is usual for the mechanism. */
void jn_usual_rank_set(const jn_model *m, jn_work *w) {
    if (m->row_count == 0 || m->sparse_kkt) return;
    w->usual_rank = w->rank;
    w->usual_smallest = jn_qr_smallest(&w->qr);
    w->qr.weak = jn_fmin(3e-3, 1e-2 * w->usual_smallest);
}

int jn_kkt_solve(const jn_model *m, jn_work *w, const double *f, const double *g, double *a, double *lambda) {
    if (m->row_count == 0) {
        for (int i = 0; i < m->nv; i++) a[i] = f ? f[i] : 0;
        jn_mass_solve(m, w, a);
        return JN_OK;
    }
    if (m->sparse_kkt) return jn_kkt_sparse_solve(m, w, f, g, a, lambda);
    jn_kkt_dense_solve(m, w, f, g, a, lambda);
    return JN_OK;
}

int jn_kkt_solve_some(const jn_model *m, jn_work *w, int count, const double *f, double *a, double *lambda) {
    if (m->sparse_kkt) return jn_kkt_sparse_solve_some(m, w, count, f, a);
    int status = JN_OK;
    for (int i = 0; i < count && status >= 0; i++) status = jn_kkt_solve(m, w, f + i * m->nv, NULL, a + i * m->nv, lambda);
    return status;
}

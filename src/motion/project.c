/* Mass-weighted projection on the constraints: of all corrections the one of least kinetic norm. */
#include "motion/work.h"

enum { MAX_NEWTON = 25 };
static const double tolerance = 1e-13; /* corrections below are round-off of metre-sized mechanisms */

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static int factor_here(const jn_model *m, jn_work *w, const jn_state *s) {
    jn_constraint_rows(m, w, s, JN_ROWS_JACOBIAN);
    return jn_kkt_factor(m, w);
}

/* dx = -M^-1 G^T (G M^-1 G^T)^+ residual. */
static int correction(const jn_model *m, jn_work *w, const double *residual, double *dx) {
    for (int i = 0; i < m->row_count; i++) w->row_rhs[i] = -residual[i];
    return jn_kkt_solve(m, w, NULL, w->row_rhs, dx, w->lambda);
}

static void locate(const jn_model *m, jn_work *w, const jn_state *s) {
    jn_kinematics(m, w, s);
    jn_measure_all(m, w, s);
    jn_constraint_rows(m, w, s, JN_ROWS_POSITION);
}

int jn_project(const jn_model *m, jn_work *w, jn_state *s) {
    if (m->row_count == 0) return JN_OK;
    double before = INFINITY;
    int status = JN_OK;
    for (int n = 0; n < MAX_NEWTON; n++) {
        locate(m, w, s);
        double now = largest(w->phi, m->row_count);
        if (!isfinite(now)) return JN_ERR_NUMERIC;
        if (now < tolerance || (now < 1e-9 && now > 0.5 * before)) break;
        before = now;
        status = factor_here(m, w, s);
        if (status >= 0) status = correction(m, w, w->phi, w->h);
        if (status < 0) return status;
        jn_q_advance(m, s->q, w->h, 1);
    }
    if (largest(w->phi_rate, m->row_count) > tolerance) {
        status = factor_here(m, w, s);
        if (status >= 0) status = correction(m, w, w->phi_rate, w->h);
        if (status < 0) return status;
        for (int i = 0; i < m->nv; i++) s->u[i] += w->h[i];
    }
    return largest(w->phi, m->row_count) < 1e-6 ? JN_OK : JN_NOT_CONVERGED;
}

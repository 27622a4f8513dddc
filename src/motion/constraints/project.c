/* Mass-weighted projection on the constraints: of all corrections the one of least kinetic norm; or of dependent coordinates alone. */
#include "algebra/elementary.h"
#include "motion/work.h"

enum { MAX_NEWTON = 25, MAX_REFINEMENTS = 3 };
static const double round_off = 2e-16;

static double largest(const double *x, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = jn_fmax(most, fabs(x[i]));
    return most;
}

static int factor_here(const jn_model *m, jn_work *w, const jn_state *s) {
    jn_constraint_rows(m, w, s, JN_ROWS_JACOBIAN);
    return jn_kkt_factor(m, w);
}

/* dx = -M^-1 G^T (G M^-1 G^T)^+ residual. */
static int correction(const jn_model *m, jn_work *w, const double *residual, double *dx) {
    if (w->dense && m->run.stabilise == JN_STABILISE_COORDINATE_PARTITIONING)
        return jn_partition_solve(m, w, residual, dx), JN_OK;
    for (int i = 0; i < m->row_count; i++) w->row_rhs[i] = -residual[i];
    return jn_kkt_solve(m, w, NULL, w->row_rhs, dx, w->lambda);
}

static void locate(const jn_model *m, jn_work *w, const jn_state *s) {
    jn_kinematics(m, w, s);
    jn_measure_all(m, w, s);
    jn_constraint_rows(m, w, s, JN_ROWS_POSITION);
}

/* Newton on the positions down to round-off: near singular configurations its square is what accelerations feel. */
static int project_positions(const jn_model *m, jn_work *w, jn_state *s) {
    double before = INFINITY;
    for (int n = 0; n < MAX_NEWTON; n++) {
        locate(m, w, s);
        double now = largest(w->phi, m->row_count);
        if (!isfinite(now)) return JN_ERR_NUMERIC;
        if (now < round_off || (now < 1e-9 && now > 0.5 * before)) return JN_OK;
        before = now;
        int status = factor_here(m, w, s);
        if (status >= 0) status = correction(m, w, w->phi, w->h);
        if (status < 0) return status;
        jn_q_advance(m, s->q, w->h, 1);
    }
    return before < 1e-6 ? JN_OK : JN_NOT_CONVERGED;
}

static int project_velocities(const jn_model *m, jn_work *w, jn_state *s) {
    double before = INFINITY;
    int status = factor_here(m, w, s);
    for (int n = 0; n < MAX_REFINEMENTS && status >= 0; n++) {
        double now = largest(w->phi_rate, m->row_count);
        if (now < round_off || now > 0.5 * before) break;
        before = now;
        status = correction(m, w, w->phi_rate, w->h);
        if (status < 0) break;
        for (int i = 0; i < m->nv; i++) s->u[i] += w->h[i];
        locate(m, w, s);
    }
    return status;
}

int jn_project(const jn_model *m, jn_work *w, jn_state *s) {
    if (m->row_count == 0) return JN_OK;
    int status = project_positions(m, w, s);
    if (status != JN_OK) return status;
    return project_velocities(m, w, s);
}

/* Forward dynamics of the whole system: one call per term of  M u' = h + G^T lambda. */
#include "motion/work.h"
#include <string.h>

/* h = tau - (inertial loads at u' = 0) + applied loads. */
static void bias_forces(const jn_model *m, jn_work *w, const double *tau) {
    jn_rnea_loaded(m, w, NULL, w->load, w->h);
    for (int i = 0; i < m->nv; i++) w->h[i] = w->tau[i] + (tau ? tau[i] : 0) - w->h[i];
}

static void baumgarte(const jn_model *m, jn_work *w, double *g) { /* [Rodrigues2024, eq. 26] */
    double alpha = m->run.baumgarte_alpha, beta = m->run.baumgarte_beta;
    for (int i = 0; i < m->row_count; i++) g[i] = w->gamma[i] - 2 * alpha * w->phi_rate[i] - beta * beta * w->phi[i];
}

/* Power that the drivers put in: multiplier times prescribed rate. */
static double driver_power(const jn_model *m, const jn_work *w, const double *lambda) {
    double power = 0;
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER) power += lambda[i] * w->speed[m->drivers[m->rows[i].item].handle];
    return power;
}

static int constrained(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, double *a, double *lambda) {
    bias_forces(m, w, tau);
    jn_bias_accelerations(m, w);
    jn_constraint_rows(m, w, s, JN_ROWS_JACOBIAN | JN_ROWS_GAMMA);
    const double *g = w->gamma;
    bool penalty = jn_run_penalises(&m->run);
    if (m->run.stabilise == JN_STABILISE_BAUMGARTE || penalty) baumgarte(m, w, w->row_rhs), g = w->row_rhs;
    int status = penalty ? jn_penalty_solve(m, w, w->h, g, a, lambda) : jn_kkt_factor(m, w);
    if (status >= 0 && !penalty) status = jn_kkt_solve(m, w, w->h, g, a, lambda);
    if (status < 0) return status;
    if (lambda != w->lambda) memcpy(w->lambda, lambda, (size_t)m->row_count * sizeof *lambda);
    w->driver_power = driver_power(m, w, lambda);
    return JN_OK;
}

static const double *joint_forces(const jn_model *m, jn_work *w, const double *tau) {
    if (!tau) return w->tau;
    for (int i = 0; i < m->nv; i++) w->h[i] = w->tau[i] + tau[i];
    return w->h;
}

void jn_positions(const jn_model *m, jn_work *w, const jn_state *s) {
    jn_kinematics(m, w, s);
    if (m->closure_count + m->reach_count + m->row_count + m->actuator_count + m->signal_count + m->stop_count) jn_measure_all(m, w, s);
}

int jn_accelerations(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, double *a, double *lambda) {
    int status;
    w->driver_power = 0;
    if (m->row_count == 0) {
        bool loaded = jn_work_has_loads(m, w);
        status = jn_aba_loaded(m, w, joint_forces(m, w, tau), loaded ? w->load : NULL, a);
    } else {
        status = constrained(m, w, s, tau, a, lambda ? lambda : w->lambda);
    }
    if (status < 0) return status;
    for (int i = 0; i < m->nv; i++)
        if (!isfinite(a[i])) return JN_ERR_NUMERIC;
    if (a != w->a) memcpy(w->a, a, (size_t)m->nv * sizeof *a);
    return JN_OK;
}

int jn_accelerate(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, double *a, double *lambda) {
    if (w->contact_loads) return JN_ERR_ARGUMENT; /* jn_sim_accelerate has the contacts */
    jn_positions(m, w, s);
    jn_forces(m, w, s);
    return jn_accelerations(m, w, s, tau, a, lambda);
}

void jn_loaded_terms(const jn_model *m, jn_work *w, const jn_state *s, double *G, double *gamma, double *h) {
    bias_forces(m, w, NULL);
    jn_bias_accelerations(m, w);
    jn_constraint_rows(m, w, s, JN_ROWS_JACOBIAN | JN_ROWS_GAMMA);
    if (h) memcpy(h, w->h, (size_t)m->nv * sizeof *h);
    if (gamma) memcpy(gamma, w->gamma, (size_t)m->row_count * sizeof *gamma);
    if (!G) return;
    memset(G, 0, (size_t)m->row_count * (size_t)m->nv * sizeof *G);
    for (int i = 0; i < m->row_count; i++)
        for (int p = m->rows[i].first; p < m->rows[i].first + m->rows[i].count; p++)
            G[(size_t)i * (size_t)m->nv + (size_t)m->row_cols[p]] = w->G[p];
}

void jn_system_terms(const jn_model *m, jn_work *w, const jn_state *s, double *G, double *gamma, double *h) {
    jn_kinematics(m, w, s);
    jn_measure_all(m, w, s);
    jn_forces(m, w, s);
    jn_loaded_terms(m, w, s, G, gamma, h);
}

void jn_constraint_residual(const jn_model *m, jn_work *w, const jn_state *s, double *phi, double *phi_rate,
                            double max[2]) {
    jn_kinematics(m, w, s);
    jn_measure_all(m, w, s);
    jn_constraint_rows(m, w, s, JN_ROWS_POSITION);
    max[0] = max[1] = 0;
    for (int i = 0; i < m->row_count; i++) {
        max[0] = jn_max(max[0], fabs(w->phi[i]));
        max[1] = jn_max(max[1], fabs(w->phi_rate[i]));
    }
    if (phi) memcpy(phi, w->phi, (size_t)m->row_count * sizeof *phi);
    if (phi_rate) memcpy(phi_rate, w->phi_rate, (size_t)m->row_count * sizeof *phi_rate);
}

/* Kinematic analysis: the motion that drivers prescribe, and the forces it takes. */
#include "base/memory.h"
#include "step/sim.h"
#include "study/dense.h"
#include "study/scale.h"
#include <jounce/study.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NEWTON = 20, MAX_SPLITS = 12 };

static double largest(const double *x, int n, int *at) {
    double most = 0;
    *at = 0;
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]), *at = i;
    return most;
}

static int factor_here(jn_sim *sim) {
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_measure_all(sim->m, sim->w, sim->s);
    jn_constraint_rows(sim->m, sim->w, sim->s, JN_ROWS_JACOBIAN);
    return jn_kkt_factor(sim->m, sim->w);
}

/* dx = the smallest motion with G dx = -residual. */
static int correction(jn_sim *sim, const double *residual, double *dx) {
    for (int i = 0; i < sim->m->row_count; i++) sim->w->row_rhs[i] = -residual[i];
    return jn_kkt_solve(sim->m, sim->w, NULL, sim->w->row_rhs, dx, sim->w->lambda);
}

/* Positions: Newton-Raphson on Phi(q, t) = 0, step 2 of [Rodrigues2024, fig. 3]. */
static int solve_positions(jn_sim *sim, int *worst) {
    double before = INFINITY;
    for (int n = 0; n < MAX_NEWTON; n++) {
        int status = factor_here(sim);
        if (status < 0) return status;
        double now = largest(sim->w->phi, sim->m->row_count, worst);
        if (!isfinite(now) || now > 1e3 * fmax(before, 1e-6)) return JN_NOT_CONVERGED;
        if (now < 1e-14 || (now < 1e-10 && now > 0.5 * before)) {
            jn_angles_update(sim->m, sim->w, sim->s);
            return JN_OK;
        }
        before = now;
        status = correction(sim, sim->w->phi, sim->w->h);
        if (status < 0) return status;
        jn_q_advance(sim->m, sim->s->q, sim->w->h, 1);
    }
    return JN_NOT_CONVERGED;
}

/* Velocities: G u = -dPhi/dt, step 3. */
static int solve_velocities(jn_sim *sim, int *worst) {
    const jn_model *m = sim->m;
    for (int n = 0; n < 2; n++) { /* the second pass removes round-off of the first */
        int status = factor_here(sim);
        if (status >= 0) status = correction(sim, sim->w->phi_rate, sim->w->h);
        if (status < 0) return status;
        for (int i = 0; i < m->nv; i++) sim->s->u[i] += sim->w->h[i];
    }
    double max[2], scale = 1;
    jn_constraint_residual(m, sim->w, sim->s, NULL, NULL, max);
    largest(sim->w->phi_rate, m->row_count, worst);
    for (int i = 0; i < m->nv; i++) scale = fmax(scale, fabs(sim->s->u[i]));
    return max[1] <= 1e-8 * scale ? JN_OK : JN_NOT_CONVERGED;
}

/* ---------------------------------------------------------------------------------------------- freedoms left over */

/* Share of a random push that the constraints let through: 0 where they leave no freedom. Leaves the motion in a. */
static double freedom(jn_sim *sim, double *a) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    unsigned seed = 7;
    double all = 0, free_part = 0, *f = w->h, *x = sim->trial;
    for (int k = 0; k < m->nv; k++) {
        double size = sqrt(w->M_raw[m->M_start[k] + m->dof_depth[k]]);
        seed = seed * 1664525u + 1013904223u;
        f[k] = size * ((seed >> 31 ? 1 : -1) * (0.5 + 0.5 * (double)(seed >> 8 & 0xffff) / 65536));
        x[k] = f[k];
    }
    jn_mass_solve(m, w, x);
    if (jn_kkt_solve(m, w, f, NULL, a, w->lambda) < 0) return 0;
    for (int k = 0; k < m->nv; k++) all += x[k] * f[k], free_part += a[k] * f[k];
    return all > 0 ? free_part / all : 0;
}

static int count_freedoms(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_range range;
    int count = -1;
    if (!jn_range_create(&range, m->nv, m->row_count, false)) return -1;
    for (int r = 0; r < m->row_count; r++) {
        double *y = range.Y + (size_t)r * (size_t)m->nv;
        memset(y, 0, (size_t)m->nv * sizeof *y);
        for (int p = m->rows[r].first; p < m->rows[r].first + m->rows[r].count; p++) y[m->row_cols[p]] = sim->w->G[p];
        jn_mass_half_solve(m, sim->w, y);
    }
    if (jn_range_find(&range) == JN_OK) count = m->nv - range.rank;
    jn_range_free(&range);
    return count;
}

/* The drivers must leave nothing free; names a joint that still moves. Needs factor_here. */
static int require_driven(jn_sim *sim) {
    const jn_model *m = sim->m;
    double *a = sim->force;
    if (m->nv == 0 || (m->row_count > 0 && freedom(sim, a) <= 1e-9)) return JN_OK;
    int count = m->row_count ? count_freedoms(sim) : m->nv;
    if (m->row_count == 0)
        for (int k = 0; k < m->nv; k++) a[k] = 1;
    int joint = jn_study_fastest_joint(m, sim->w, sim->s, a, jn_study_length(m));
    return jn_sim_fail(
        sim, JN_ERR_MODEL,
        "the drivers leave %d degree%s of freedom open at t = %.9g s: %s%s still moves\n"
        "prescribe the motion of one joint for each (motion: ...), leave a dead point, or use analysis: dynamic",
        count, count == 1 ? "" : "s", sim->s->t, joint >= 0 ? "joint " : "a free body",
        joint >= 0 ? m->joints[joint].name : "");
}

/* ----------------------------------------------------------------------------------------------------------- steps */

static int fail_at(jn_sim *sim, int row, const char *what, double off) {
    char name[160];
    jn_model_row_name(sim->m, row, name, sizeof name);
    return jn_sim_fail(sim, JN_ERR_ASSEMBLY,
                       "%s at t = %.9g s: %s is off by %.3g\n"
                       "the mechanism cannot reach the prescribed position, or two drivers contradict each other",
                       what, sim->s->t, name, off);
}

/* Positions and velocities at t, predicted from the present ones; in shorter and shorter pieces where that fails. */
static int go_to(jn_sim *sim, double t) {
    double piece = t - sim->s->t;
    int splits = 0, worst = 0;
    for (;;) {
        bool last = fabs(t - sim->s->t) <= fabs(piece) * (1 + 1e-9);
        double target = last ? t : sim->s->t + piece;
        jn_pack(sim, sim->y);
        double start = sim->s->t;
        jn_q_advance(sim->m, sim->s->q, sim->s->u, target - start);
        sim->s->t = target;
        int status = solve_positions(sim, &worst);
        if (status < 0)
            return jn_sim_fail(sim, status, "the equations of the mechanism are not finite at t = %.9g s", target);
        if (status == JN_OK && last) break;
        if (status == JN_OK && (status = solve_velocities(sim, &worst)) == JN_OK) continue;
        if (++splits > MAX_SPLITS || piece == 0)
            return fail_at(sim, worst, "the positions do not fit together", fabs(sim->w->phi[worst]));
        jn_unpack(sim, start, sim->y);
        piece /= 2;
    }
    int status = solve_velocities(sim, &worst);
    if (status < 0) return jn_sim_fail(sim, status, "the equations of the mechanism are not finite at t = %.9g s", t);
    return status == JN_OK ? JN_OK
                           : fail_at(sim, worst, "the velocities do not fit together", fabs(sim->w->phi_rate[worst]));
}

/* Accelerations and the forces behind them, step 4. With no freedom left the equations of motion give exactly the
 * accelerations of G a = gamma, and multipliers of least norm that produce them. */
static int evaluate(jn_sim *sim) {
    sim->audit.evaluations++;
    int status = jn_observe(sim->m, sim->w, sim->s);
    return status < 0 ? jn_sim_fail(sim, status, "the accelerations are not finite at t = %.9g s", sim->s->t) : JN_OK;
}

/* Goes to t and adds up the work of drivers and dampers on the way by Gauss' rule with three points. */
static int go_with_ledger(jn_sim *sim, double t) {
    static const double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double start = sim->s->t, length = t - start;
    for (int k = 0; k < 3 && length != 0; k++) {
        double lost, put_in;
        int status = go_to(sim, start + at[k] * length);
        if (status == JN_OK) status = evaluate(sim);
        if (status < 0) return status;
        jn_power_get(sim->m, sim->w, &lost, &put_in);
        sim->s->dissipated += weight[k] * length * lost;
        sim->s->driven += weight[k] * length * put_in;
    }
    return go_to(sim, t);
}

int jn_study_kinematic(jn_sim *sim, double t) {
    if (sim->error.status < 0) return sim->error.status;
    if (!sim->m->has_M)
        return jn_sim_fail(sim, JN_ERR_LIMIT,
                           "the mechanism is too large for a kinematic analysis\nwrite coordinates: absolute");
    int status = factor_here(sim);
    if (status < 0)
        return jn_sim_fail(sim, status, "the equations of the mechanism are not finite at t = %.9g s", sim->s->t);
    status = require_driven(sim);
    if (status == JN_OK) status = go_with_ledger(sim, t);
    if (status == JN_OK) status = evaluate(sim);
    if (status < 0) return status;
    sim->fresh = false;
    sim->audit.steps++;
    if (sim->m->angle_count) jn_angles_update(sim->m, sim->w, sim->s);
    jn_audit_sample(sim, sim->s);
    return JN_OK;
}

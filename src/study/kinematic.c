/* Kinematic analysis: the motion that drivers prescribe, and the forces it takes. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "step/sim.h"
#include "study/dense.h"
#include "study/freedom.h"
#include "study/model_scale.h"
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

/* Few equations: dense least squares. Many: the sparse factorisation of the equations of motion. */
typedef struct jn_driven {
    jn_sim *sim;
    jn_least least; /* without memory where the sparse one serves */
} jn_driven;

static int locate(jn_driven *k) {
    jn_sim *sim = k->sim;
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_measure_all(sim->m, sim->w, sim->s);
    jn_constraint_rows(sim->m, sim->w, sim->s, JN_ROWS_JACOBIAN);
    return sim->m->sparse_kkt ? jn_kkt_factor(sim->m, sim->w) : JN_OK;
}

/* dx = the smallest solution of G dx = -residual. Needs locate. */
static int correction(jn_driven *k, const double *residual, double *dx) {
    const jn_model *m = k->sim->m;
    jn_work *w = k->sim->w;
    double *b = m->sparse_kkt ? w->row_rhs : k->least.b;
    for (int i = 0; i < m->row_count; i++) b[i] = -residual[i];
    if (m->sparse_kkt) return jn_kkt_solve(m, w, NULL, b, dx, w->lambda);
    memset(k->least.A, 0, (size_t)m->row_count * (size_t)m->nv * sizeof *k->least.A);
    for (int i = 0; i < m->row_count; i++)
        for (int p = m->rows[i].first; p < m->rows[i].first + m->rows[i].count; p++)
            k->least.A[(size_t)m->row_cols[p] * (size_t)m->row_count + (size_t)i] = w->G[p];
    int status = jn_least_solve(&k->least);
    if (status == JN_OK) memcpy(dx, k->least.b, (size_t)m->nv * sizeof *dx);
    return status;
}

/* Positions: Newton-Raphson on Phi(q, t) = 0, step 2 of [Rodrigues2024, fig. 3]. */
static int solve_positions(jn_driven *k, int *worst) {
    jn_sim *sim = k->sim;
    double before = INFINITY;
    for (int n = 0; n < MAX_NEWTON; n++) {
        int status = locate(k);
        if (status < 0) return status;
        double now = largest(sim->w->phi, sim->m->row_count, worst);
        if (!isfinite(now) || now > 1e3 * jn_fmax(before, 1e-6)) return JN_NOT_CONVERGED;
        if (now < 1e-14 || (now < 1e-10 && now > 0.5 * before)) {
            jn_angles_update(sim->m, sim->w, sim->s);
            return JN_OK;
        }
        before = now;
        status = correction(k, sim->w->phi, sim->w->h);
        if (status < 0) return status;
        jn_q_advance(sim->m, sim->s->q, sim->w->h, 1);
    }
    return JN_NOT_CONVERGED;
}

/* Velocities: G u = -dPhi/dt, step 3. */
static int solve_velocities(jn_driven *k, int *worst) {
    jn_sim *sim = k->sim;
    const jn_model *m = sim->m;
    for (int n = 0; n < 2; n++) { /* the second pass removes round-off of the first */
        int status = locate(k);
        if (status >= 0) status = correction(k, sim->w->phi_rate, sim->w->h);
        if (status < 0) return status;
        for (int i = 0; i < m->nv; i++) sim->s->u[i] += sim->w->h[i];
    }
    double max[2], scale = 1;
    jn_constraint_residual(m, sim->w, sim->s, NULL, NULL, max);
    largest(sim->w->phi_rate, m->row_count, worst);
    for (int i = 0; i < m->nv; i++) scale = jn_fmax(scale, fabs(sim->s->u[i]));
    return max[1] <= 1e-8 * scale ? JN_OK : JN_NOT_CONVERGED;
}

/* ---------------------------------------------------------------------------------------------- freedoms left over */

/* Share of a random push that the constraints let through: 0 where they leave no freedom. Needs a sparse factor. */
static double freedom(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    unsigned seed = 7;
    double all = 0, free_part = 0, *f = w->h, *a = sim->force;
    for (int k = 0; k < m->nv; k++) {
        double size = sqrt(w->M_raw[m->M_start[k] + m->dof_depth[k]]);
        seed = seed * 1664525u + 1013904223u;
        double part = (seed >> 31 ? 1 : -1) * (0.5 + 0.5 * (double)(seed >> 8 & 0xffff) / 65536);
        f[k] = size * part;
        all += part * part; /* f M^-1 f by the diagonal of M */
    }
    if (jn_kkt_solve(m, w, f, NULL, a, w->lambda) < 0) return 1;
    for (int k = 0; k < m->nv; k++) free_part += a[k] * f[k];
    return all > 0 ? free_part / all : 0;
}

/* Number of freedoms by rank, and a motion a (nv) that uses all of them. Needs locate. */
static int find_freedoms(jn_sim *sim, int *count, double *a) {
    const jn_model *m = sim->m;
    double *z = sim->w->column;
    jn_freedom f;
    int status = jn_freedom_create(&f, m, m->row_count, true) ? jn_freedom_metric(&f, sim->w) : JN_ERR_MEMORY;
    for (int i = 0; i < m->row_count && status >= 0; i++) jn_freedom_put_row(&f, sim->w, i, i);
    if (status >= 0) status = jn_column_space_find(&f.range);
    *count = m->nv - f.range.rank;
    memset(a, 0, (size_t)m->nv * sizeof *a);
    for (int c = 0; c < *count && status >= 0; c++) {
        jn_freedom_motion(&f, sim->w, c, z);
        for (int i = 0; i < m->nv; i++) a[i] += z[i];
    }
    jn_freedom_free(&f);
    return status < 0 ? status : jn_mass_factor_here(m, sim->w);
}

/* The drivers must leave nothing free; names a joint that still moves. Needs locate. */
static int require_driven(jn_sim *sim) {
    const jn_model *m = sim->m;
    int count = 0;
    if (m->nv == 0 || (m->sparse_kkt && freedom(sim) <= 1e-9)) return JN_OK;
    int status = find_freedoms(sim, &count, sim->force);
    if (status < 0) return jn_sim_fail(sim, status, "kinematic analysis: %s", jn_status_text(status));
    if (count == 0) return JN_OK;
    int joint = jn_study_fastest_joint(m, sim->w, sim->s, sim->force, jn_mechanism_length(m));
    return jn_sim_fail(sim, JN_ERR_MODEL,
                       "the drivers leave %d degree%s of freedom open at t = %.9g s: %s%s still moves\n"
                       "prescribe the motion of one joint for each (motion: ...), leave a dead point, or use analysis: "
                       "dynamic",
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
static int go_to(jn_driven *k, double t) {
    jn_sim *sim = k->sim;
    double piece = t - sim->s->t;
    int splits = 0, worst = 0;
    for (;;) {
        bool last = fabs(t - sim->s->t) <= fabs(piece) * (1 + 1e-9);
        double target = last ? t : sim->s->t + piece;
        jn_pack(sim, sim->y);
        double start = sim->s->t;
        jn_q_advance(sim->m, sim->s->q, sim->s->u, target - start);
        sim->s->t = target;
        int status = solve_positions(k, &worst);
        if (status < 0)
            return jn_sim_fail(sim, status, "the equations of the mechanism are not finite at t = %.9g s", target);
        if (status == JN_OK && last) break;
        if (status == JN_OK && solve_velocities(k, &worst) == JN_OK) continue;
        if (++splits > MAX_SPLITS || piece == 0)
            return fail_at(sim, worst, "the positions do not fit together", fabs(sim->w->phi[worst]));
        jn_unpack(sim, start, sim->y);
        piece /= 2;
    }
    int status = solve_velocities(k, &worst);
    if (status < 0) return jn_sim_fail(sim, status, "the equations of the mechanism are not finite at t = %.9g s", t);
    return status == JN_OK ? JN_OK
                           : fail_at(sim, worst, "the velocities do not fit together", fabs(sim->w->phi_rate[worst]));
}

/* Accelerations and the forces behind them, step 4. With no freedom left the equations of motion give exactly the
 * accelerations of G a = gamma, and multipliers of least norm that produce them. */
static int evaluate(jn_sim *sim) {
    sim->audit.evaluations++;
    int status = jn_sim_observe(sim);
    return status < 0 ? jn_sim_fail(sim, status, "the accelerations are not finite at t = %.9g s", sim->s->t) : JN_OK;
}

/* The wrench from outside after jn_sim_observe: its forces through the joints have loads and rows in them. */
static jn_wrench observed_external(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    jn_rnea_loaded(m, w, NULL, w->load, sim->force);
    return wr_add(wr_add(jn_external_forces(m, w), jn_external_inertia(m, w, w->a)), jn_external_rows(m, w, w->lambda));
}

/* Goes to t and adds up the work of drivers and dampers on the way by Gauss' rule with three points. */
static int go_with_ledger(jn_driven *x, double t) {
    jn_sim *sim = x->sim;
    static const double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417},
                        weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double start = sim->s->t, length = t - start;
    for (int k = 0; k < 3 && length != 0; k++) {
        int status = go_to(x, start + at[k] * length);
        if (status == JN_OK) status = evaluate(sim);
        if (status < 0) return status;
        jn_ledger power = jn_power_get(sim->w);
        power.given = observed_external(sim);
        jn_ledger_add(&sim->s->ledger, weight[k] * length, &power);
    }
    return go_to(x, t);
}

static int analyse(jn_driven *k, double t) {
    jn_sim *sim = k->sim;
    int status = locate(k);
    if (status < 0)
        return jn_sim_fail(sim, status, "the equations of the mechanism are not finite at t = %.9g s", sim->s->t);
    status = require_driven(sim);
    if (status == JN_OK) status = go_with_ledger(k, t);
    if (status == JN_OK) status = evaluate(sim);
    if (status < 0) return status;
    sim->slope_known = false;
    sim->audit.steps++;
    if (sim->m->angle_count) jn_angles_update(sim->m, sim->w, sim->s);
    jn_audit_sample(sim, sim->s);
    return JN_OK;
}

int jn_study_kinematic(jn_sim *sim, double t) {
    jn_driven k = {.sim = sim};
    if (sim->error.status < 0) return sim->error.status;
    if (!sim->m->has_M)
        return jn_sim_fail(sim, JN_ERR_LIMIT,
                           "the mechanism is too large for a kinematic analysis\nwrite coordinates: absolute");
    if (!sim->m->sparse_kkt && !jn_least_create(&k.least, sim->m->row_count, sim->m->nv))
        return jn_sim_fail(sim, JN_ERR_MEMORY, "kinematic analysis: %s", jn_status_text(JN_ERR_MEMORY));
    jn_audit *a = &sim->audit;
    a->momentum_tolerance =
        jn_fmax(a->momentum_tolerance, a->angular_momentum_tolerance); /* sums over points of the way */
    int status = analyse(&k, t);
    jn_least_free(&k.least);
    return status;
}

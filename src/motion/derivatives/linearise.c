/* Derivatives of forward dynamics with everything that acts: forces, contacts, drivers, couplers and closed loops.
 *
 * At the accelerations a and multipliers l of the state,
 *
 *     F = tau + h(q, u) + G(q)^T l - M(q) a = 0        R = Phi''(q, u, a) + 2 alpha Phi' + beta^2 Phi = 0
 *
 * (the last two terms with Baumgarte's stabilisation). Along a direction, with a and l held, F changes by dF and R by dR; so
 *
 *     M da - G^T dl = dF        G da = -dR,
 *
 * one solution per direction with the factors of the state. Inertia and gravity enter dF by derivatives.c, everything else by
 * change_*.c: loads on links with their changes. With J_k.X the force on velocity k and X the sum of loads behind it,
 *
 *     d(J_k.X) = J_k.dX - J_k.(J_j x* X)   where k moves along with j,   J_k.dX   elsewhere.
 *
 * Redundant rows. l is the solution of least norm, l = G y for some y. With N the directions that rows repeat, G^T N = 0, and
 * N^T l = 0 at every configuration, N^T dl = N^T (dG y): what turning of N adds to the solution of least norm. */
#include "algebra/elementary.h"
#include "motion/derivatives/derivatives.h"
#include <string.h>

/* ------------------------------------------------------------------------------------------------------ one direction */

/* Loads that act at the state, behind each link. */
static void sum_loads(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d, const double *lambda) {
    bool loaded = jn_work_has_loads(m, w);
    for (int i = 0; i < m->link_count; i++) {
        d->change[i].any = false;
        d->load[i] = loaded && i ? wr_shift(w->load[i], v3_sub(w->link[i].O, d->c[i])) : wr_zero();
    }
    d->along = -1, d->adds_load = true;
    for (int i = 0; i < m->actuator_count; i++)
        jn_handle_push(m, d, m->actuators[i].handle, w->force[m->actuators[i].handle], 0);
    jn_change_rows(m, d, lambda, false);
    d->adds_load = false;
    for (int i = m->link_count - 1; i > 0; i--)
        if (m->links[i].parent) d->load[m->links[i].parent] = wr_add(d->load[m->links[i].parent], d->load[i]);
}

/* Whether velocity k of the tree moves along with the direction. */
static bool carried(const jn_model *m, const struct jn_derivatives_work *d, int k) {
    int link = m->dof_link[k], own = m->dof_link[d->along];
    const jn_link *l = &m->links[link];
    if (d->by_u || !d->change[link].any) return false;
    return link != own || jn_velocity_carries(l, d->along - l->v, k - l->v);
}

/* Column of the forces: T -= J^T dX. */
static void add_forces(const jn_model *m, struct jn_derivatives_work *d, double *T) {
    size_t nv = (size_t)m->nv;
    jn_twist J = d->col[d->along].J;
    for (int i = m->link_count - 1; i > 0; i--)
        if (m->links[i].parent)
            d->load_change[m->links[i].parent] = wr_add(d->load_change[m->links[i].parent], d->load_change[i]);
    for (int k = 0; k < m->nv; k++) {
        int link = m->dof_link[k];
        jn_wrench x = d->load_change[link];
        if (carried(m, d, k)) x = wr_sub(x, jn_cross_force(J, d->load[link]));
        T[(size_t)k * nv + (size_t)d->along] -= tw_dot(d->col[k].J, x) + d->tau_change[k];
    }
}

static void keep_rows(const jn_model *m, struct jn_derivatives_work *d, const double *lambda, double *R) {
    bool stabilised = m->run.stabilise == JN_STABILISE_BAUMGARTE;
    double by_rate = stabilised ? 2 * m->run.baumgarte_alpha : 0;
    double by_phi = stabilised ? m->run.baumgarte_beta * m->run.baumgarte_beta : 0;
    for (int i = 0; i < m->row_count; i++) {
        const jn_scalar_change *x = &d->row_change[i];
        size_t at = (size_t)i * (size_t)m->nv + (size_t)d->along;
        R[at] = x->a + by_rate * x->v + by_phi * x->p;
        if (!d->by_u) d->rate_q[at] = x->v;
        if (m->rows[i].type == JN_ROW_DRIVER) d->power_change.driven += lambda[i] * x->v;
    }
}

void jn_direction_begin(const jn_model *m, const jn_work *w, jn_derivatives *out, int along, bool by_u) {
    struct jn_derivatives_work *d = out->work;
    jn_change_direction(m, d, along, by_u);
    jn_change_forces(m, w, d);
    jn_change_rows(m, d, out->lambda, true);
}

void jn_direction_end(const jn_model *m, jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    bool by_u = d->by_u;
    add_forces(m, d, by_u ? out->tau_u : out->tau_q);
    keep_rows(m, d, out->lambda, by_u ? d->rhs_u : d->rhs_q);
    (by_u ? d->power_u : d->power_q)[d->along] = d->power_change;
}

/* A controller is a function that only its caller knows: central differences of it alone. */
void jn_control_changes(const jn_model *m, jn_work *w, const jn_state *s, jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    if (!w->control) return;
    size_t nv = (size_t)m->nv, nq = (size_t)m->nq;
    jn_state probe = *s;
    probe.q = d->probe, probe.u = d->probe + nq;
    for (int n = 0; n < 2 * m->nv; n++) {
        int k = n / 2, by_u = n % 2;
        double *T = by_u ? out->tau_u : out->tau_q, h = 1e-6 * jn_fmax(1, by_u ? fabs(s->u[k]) : 1);
        jn_ledger *power = &(by_u ? d->power_u : d->power_q)[k];
        for (int side = -1; side <= 1; side += 2) {
            memcpy(probe.q, s->q, nq * sizeof *probe.q), memcpy(probe.u, s->u, nv * sizeof *probe.u);
            memset(d->f, 0, nv * sizeof *d->f), memset(d->y, 0, nv * sizeof *d->y);
            d->y[k] = 1;
            if (by_u)
                probe.u[k] += side * h;
            else
                jn_q_advance(m, probe.q, d->y, side * h);
            w->control(w->control_context, m, &probe, d->f);
            for (size_t i = 0; i < nv; i++) {
                T[i * nv + (size_t)k] -= side * d->f[i] / (2 * h);
                power->driven += side * d->f[i] / (2 * h) * s->u[i];
            }
        }
        if (by_u) power->driven += w->control_tau[k];
    }
}

/* ---------------------------------------------------------------------------------------------------- redundant rows */

static double norm(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* x -= N N^T x. */
static void remove_null(const struct jn_derivatives_work *d, int rows, double *x) {
    for (int n = 0; n < d->null_count; n++) {
        const double *v = d->null + (size_t)n * (size_t)rows;
        double dot = 0;
        for (int i = 0; i < rows; i++) dot += v[i] * x[i];
        for (int i = 0; i < rows; i++) x[i] -= dot * v[i];
    }
}

/* Whether the combination x of rows (of length 1) vanishes: x^T G M^-1 G^T x against what counts as zero; diagonal of M. */
static bool vanishes(const jn_model *m, jn_work *w, struct jn_derivatives_work *d, const double *x, double limit) {
    double sum = 0;
    memset(d->y, 0, (size_t)m->nv * sizeof *d->y);
    jn_rows_multiply_t(m, w, x, d->y);
    for (int i = 0; i < m->nv; i++) {
        double mass = w->M_raw[m->M_start[i] + m->dof_depth[i]] + 1e7 * m->M_shift[i];
        sum += d->y[i] * d->y[i] / mass;
    }
    return sum < limit * w->kkt_eps;
}

/* L -= N N^T L for a matrix (rows x nv): what solvers leave there is round-off that does no work. */
static void remove_null_rows(const jn_model *m, const struct jn_derivatives_work *d, double *L) {
    size_t nv = (size_t)m->nv, rows = (size_t)m->row_count;
    for (int n = 0; n < d->null_count; n++) {
        const double *v = d->null + (size_t)n * rows;
        memset(d->y, 0, nv * sizeof *d->y);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < nv; j++) d->y[j] += v[i] * L[i * nv + j];
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < nv; j++) L[i * nv + j] -= v[i] * d->y[j];
    }
}

/* The sparse solver answers what no acceleration meets with multipliers that grow as 1/eps: a power iteration. */
static bool null_by_power(const jn_model *m, jn_work *w, struct jn_derivatives_work *d, double *x) {
    int rows = m->row_count;
    for (int n = 0; n < 5; n++) {
        if (jn_kkt_solve(m, w, NULL, x, d->y, d->lambda) < 0) return false;
        memcpy(x, d->lambda, (size_t)rows * sizeof *x);
        remove_null(d, rows, x);
        double length = norm(x, rows);
        if (!(length > 0)) return false;
        for (int i = 0; i < rows; i++) x[i] /= length;
        if (vanishes(m, w, d, x, 1e-14)) return true;
    }
    return vanishes(m, w, d, x, 1e-3);
}

/* The dense one leaves it: x - G a. */
static bool null_by_rest(const jn_model *m, jn_work *w, struct jn_derivatives_work *d, double *x) {
    int rows = m->row_count;
    double length = 0;
    for (int n = 0; n < 2; n++) {
        if (jn_kkt_solve(m, w, NULL, x, d->y, d->lambda) < 0) return false;
        jn_rows_multiply(m, w, d->y, d->lambda);
        for (int i = 0; i < rows; i++) x[i] -= d->lambda[i];
        remove_null(d, rows, x);
        length = norm(x, rows);
        if (!(length > 1e-3)) return false;
        for (int i = 0; i < rows; i++) x[i] /= length;
    }
    return true;
}

/* An orthonormal basis of the combinations of rows that vanish, by random probes (a fixed sequence). */
static void find_null(const jn_model *m, jn_work *w, struct jn_derivatives_work *d) {
    int rows = m->row_count;
    uint32_t seed = 12345;
    d->null_count = 0;
    if (!m->sparse_kkt && (rows == 0 || w->rank == rows)) return;
    for (int misses = 0; misses < 2 && d->null_count < rows;) {
        double *x = d->null + (size_t)d->null_count * (size_t)rows;
        for (int i = 0; i < rows; i++) {
            seed = 1664525u * seed + 1013904223u;
            x[i] = (double)(seed >> 8) / (1 << 23) - 1;
        }
        remove_null(d, rows, x);
        double length = norm(x, rows);
        for (int i = 0; i < rows; i++) x[i] /= length;
        if (m->sparse_kkt ? null_by_power(m, w, d, x) : null_by_rest(m, w, d, x))
            d->null_count++;
        else
            misses++;
    }
}

/* What turning of N adds to the multipliers' derivatives: N N^T (dG y) with G y = lambda. Leaves the work at the state. */
static int turn_null(const jn_model *m, jn_work *w, const jn_state *s, jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    size_t nv = (size_t)m->nv;
    int rows = m->row_count;
    jn_state still = *s;
    still.u = d->zero;
    int status = jn_kkt_solve(m, w, NULL, out->lambda, d->y, d->g);
    if (status < 0) return status;
    jn_derivatives_prepare(m, w, &still, d->y, d); /* Phi'' = G y there */
    jn_change_sides(m, w, d);
    for (int j = 0; j < m->nv; j++) {
        jn_change_direction(m, d, j, false);
        jn_change_rows(m, d, out->lambda, true);
        for (int i = 0; i < rows; i++) d->g[i] = d->row_change[i].a;
        remove_null(d, rows, d->g);
        for (int i = 0; i < rows; i++) out->lambda_q[(size_t)i * nv + (size_t)j] += d->row_change[i].a - d->g[i];
    }
    jn_kinematics(m, w, s);
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------------- the solution */

static double driver_power(const jn_model *m, const jn_work *w, const double *lambda) {
    double power = 0;
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER) power += lambda[i] * w->speed[m->drivers[m->rows[i].item].handle];
    return power;
}

/* Accelerations and multipliers for column j of -T and -R. */
static int solve_column(const jn_model *m, jn_work *w, struct jn_derivatives_work *d, size_t j, const double *T,
                        const double *R, double *a, double *lambda, jn_ledger *power) {
    size_t nv = (size_t)m->nv, rows = (size_t)m->row_count;
    for (size_t i = 0; i < nv; i++) d->f[i] = 0 - T[i * nv + j];
    for (size_t i = 0; i < rows; i++) d->g[i] = 0 - R[i * nv + j];
    remove_null(d, m->row_count, d->g);
    int status = jn_kkt_solve(m, w, d->f, d->g, d->y, d->lambda);
    for (size_t i = 0; i < nv; i++) a[i * nv + j] = d->y[i];
    for (size_t i = 0; i < rows; i++) lambda[i * nv + j] = d->lambda[i];
    power->driven += driver_power(m, w, d->lambda);
    return status;
}

static int solve_forces(const jn_model *m, jn_work *w, jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    size_t nv = (size_t)m->nv, rows = (size_t)m->row_count;
    int status = JN_OK;
    for (size_t j = 0; j < nv && status >= 0; j++) {
        memset(d->f, 0, nv * sizeof *d->f);
        d->f[j] = 1;
        status = jn_kkt_solve(m, w, d->f, NULL, d->y, d->lambda);
        for (size_t i = 0; i < nv; i++) out->a_tau[i * nv + j] = d->y[i];
        for (size_t i = 0; i < rows; i++) out->lambda_tau[i * nv + j] = d->lambda[i];
    }
    return status;
}

void jn_changes_begin(const jn_model *m, jn_work *w, const jn_state *s, const double *a, const double *lambda,
                      jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    if (out->lambda != lambda) memcpy(out->lambda, lambda, (size_t)m->row_count * sizeof *lambda);
    jn_inverse_derivatives(m, w, s, a, out);
    jn_change_sides(m, w, d);
    sum_loads(m, w, d, out->lambda);
}

/* All directions without contacts. */
static void force_changes(const jn_model *m, jn_work *w, const jn_state *s, jn_derivatives *out) {
    jn_changes_begin(m, w, s, out->a, out->lambda, out);
    for (int n = 0; n < 2 * m->nv; n++) {
        jn_direction_begin(m, w, out, n / 2, n % 2);
        jn_direction_end(m, out);
    }
    jn_control_changes(m, w, s, out);
}

int jn_changes_factor(const jn_model *m, jn_work *w, jn_derivatives *out) {
    int status = m->row_count == 0 ? jn_mass_factor_here(m, w) : JN_OK;
    if (status < 0) return status;
    find_null(m, w, out->work);
    remove_null(out->work, m->row_count, out->lambda);
    return JN_OK;
}

int jn_changes_solve(const jn_model *m, jn_work *w, jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    int status = JN_OK;
    for (size_t j = 0; j < (size_t)m->nv && status >= 0; j++) {
        status = solve_column(m, w, d, j, out->tau_q, d->rhs_q, out->a_q, out->lambda_q, &d->power_q[j]);
        if (status >= 0)
            status = solve_column(m, w, d, j, out->tau_u, d->rhs_u, out->a_u, out->lambda_u, &d->power_u[j]);
    }
    return status;
}

int jn_changes_by_forces(const jn_model *m, jn_work *w, const jn_state *s, jn_derivatives *out) {
    int status = solve_forces(m, w, out);
    if (status < 0) return status;
    remove_null_rows(m, out->work, out->lambda_q);
    remove_null_rows(m, out->work, out->lambda_u);
    remove_null_rows(m, out->work, out->lambda_tau);
    if (out->work->null_count) status = turn_null(m, w, s, out);
    return status < 0 ? status : JN_OK;
}

bool jn_derivatives_lack(const jn_model *m) {
    for (int i = 0; i < m->coupler_count; i++)
        for (int k = 0; k < m->couplers[i].count; k++)
            if (m->handles[m->couplers[i].handle[k]].reach) return true;
    return false;
}

int jn_system_derivatives(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, jn_derivatives *out) {
    if (!m->has_M || jn_derivatives_lack(m)) return JN_ERR_LIMIT;
    int status = jn_accelerate(m, w, s, tau, out->a, out->lambda);
    if (status >= 0) status = jn_changes_factor(m, w, out);
    if (status >= 0) force_changes(m, w, s, out), status = jn_changes_solve(m, w, out);
    if (status >= 0) status = jn_changes_by_forces(m, w, s, out);
    return status;
}

int jn_redundancy_get(const jn_derivatives *d) { return d->work->null_count; }

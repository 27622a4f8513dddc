#include "study/tangent.h"
#include "base/memory.h"
#include "study/scale.h"
#include <string.h>

static const double largest_matrix = 5e7; /* entries */

int jn_tangent_create(jn_tangent *t, jn_sim *sim) {
    const jn_model *m = sim->m;
    double wide = fmax(m->nv, m->row_count);
    memset(t, 0, sizeof *t);
    if (!m->has_M || wide * m->nv > largest_matrix) return JN_ERR_LIMIT;
    size_t nv = (size_t)m->nv + 1, rows = (size_t)m->row_count + 1, nq = (size_t)m->nq + 1;
    size_t doubles = 3 * nv * nv + 5 * nv + nq + rows + 2 * JN_TANGENT_LEVELS * nv;
    t->m = m, t->w = sim->w, t->at = sim->s, t->nv = m->nv;
    t->memory = jn_malloc(doubles * sizeof(double));
    if (!t->memory || !jn_range_create(&t->range, m->nv, m->row_count, true)) return JN_ERR_MEMORY;
    double *d = t->memory;
    t->Z = d, d += nv * nv;
    t->K = d, d += nv * nv;
    t->C = d, d += nv * nv;
    t->force = d, d += nv;
    t->balance = d, d += nv;
    t->u = d, d += nv;
    t->F = d, d += nv;
    t->zero = d, d += nv;
    t->q = d, d += nq;
    t->lambda = d, d += rows;
    t->table = d;
    memset(t->zero, 0, nv * sizeof *d);
    memset(t->lambda, 0, rows * sizeof *d);
    t->length = jn_study_length(m);
    t->rate_scale = v3_norm(m->gravity) / t->length;
    return JN_OK;
}

void jn_tangent_free(jn_tangent *t) {
    jn_range_free(&t->range);
    jn_free(t->memory);
    t->memory = NULL;
}

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* h + G^T lambda at coordinates q and velocities u. */
static void balance_at(jn_tangent *t, double *q, double *u, double *F) {
    jn_state probe = *t->at;
    probe.q = q, probe.u = u;
    jn_system_terms(t->m, t->w, &probe, NULL, NULL, F);
    jn_rows_multiply_t(t->m, t->w, t->lambda, F);
    t->w->state = t->at;
}

/* Loads as if every body were free, in the metric of the inverse masses: what round-off is measured against. */
static double load_size(jn_tangent *t) {
    const jn_model *m = t->m;
    double sum = 0, g = v3_dot(m->gravity, m->gravity);
    bool loaded = m->spring_count + m->bushing_count + m->applied_count > 0;
    for (int i = 1; i < m->link_count; i++) {
        sum += m->links[i].mass * g;
        if (loaded && m->links[i].mass > 0) sum += v3_dot(t->w->load[i].f, t->w->load[i].f) / m->links[i].mass;
    }
    memcpy(t->F, t->w->tau, (size_t)m->nv * sizeof *t->F);
    jn_mass_half_solve(m, t->w, t->F);
    sum += dot(t->F, t->F, m->nv);
    return sum > 0 ? sqrt(sum) : 1;
}

static int null_space(jn_tangent *t) {
    const jn_model *m = t->m;
    size_t nv = (size_t)m->nv;
    for (int r = 0; r < m->row_count; r++) {
        double *y = t->range.Y + (size_t)r * nv;
        memset(y, 0, nv * sizeof *y);
        for (int p = m->rows[r].first; p < m->rows[r].first + m->rows[r].count; p++) y[m->row_cols[p]] = t->w->G[p];
        jn_mass_half_solve(m, t->w, y); /* D^-1/2 L^-T G^T */
    }
    int status = jn_range_find(&t->range);
    if (status < 0) return status;
    t->dof = m->nv - t->range.rank;
    for (int c = 0; c < t->dof; c++) {
        double *z = t->Z + (size_t)c * nv;
        memcpy(z, t->range.Q + (size_t)(t->range.rank + c) * nv, nv * sizeof *z);
        jn_mass_half_solve_t(m, t->w, z); /* Z = L^-1 D^-1/2 Q2 */
    }
    return JN_OK;
}

int jn_tangent_basis(jn_tangent *t) {
    const jn_model *m = t->m;
    jn_state rest = *t->at;
    rest.u = t->zero;
    jn_system_terms(m, t->w, &rest, NULL, NULL, t->balance);
    t->w->state = t->at;
    int status = jn_kkt_factor(m, t->w);
    if (status >= 0) status = jn_kkt_solve(m, t->w, t->balance, NULL, t->u, t->lambda);
    if (status >= 0 && m->sparse_kkt) status = jn_mass_factor_here(m, t->w); /* the sparse solver does without */
    if (status >= 0) status = null_space(t);
    if (status < 0) return status;
    t->force_scale = load_size(t);
    for (int c = 0; c < t->dof; c++) t->force[c] = dot(t->Z + (size_t)c * (size_t)m->nv, t->balance, m->nv);
    jn_rows_multiply_t(m, t->w, t->lambda, t->balance);
    for (int c = 0; c < t->dof; c++)
        if (!isfinite(t->force[c])) return JN_ERR_NUMERIC;
    return JN_OK;
}

void jn_tangent_expand(const jn_tangent *t, const double *x, double *u) {
    memset(u, 0, (size_t)t->nv * sizeof *u);
    for (int c = 0; c < t->dof; c++)
        for (int i = 0; i < t->nv; i++) u[i] += t->Z[(size_t)c * (size_t)t->nv + (size_t)i] * x[c];
}

double jn_tangent_size(jn_tangent *t, double *u) {
    jn_state moving = *t->at;
    moving.u = u;
    jn_kinematics(t->m, t->w, &moving);
    t->w->state = t->at;
    return jn_study_speed(t->m, t->w, t->length);
}

/* One central difference of -Z^T F along the column z: in coordinates, or in velocities. */
static void difference(jn_tangent *t, const double *z, double step, bool in_velocity, double *out) {
    for (int c = 0; c < t->dof; c++) out[c] = 0;
    for (int side = -1; side <= 1; side += 2) {
        memcpy(t->q, t->at->q, (size_t)t->m->nq * sizeof *t->q);
        if (in_velocity)
            for (int i = 0; i < t->nv; i++) t->u[i] = side * step * z[i];
        else
            jn_q_advance(t->m, t->q, z, side * step);
        balance_at(t, t->q, in_velocity ? t->u : t->zero, t->F);
        for (int c = 0; c < t->dof; c++)
            out[c] -= side * dot(t->Z + (size_t)c * (size_t)t->nv, t->F, t->nv) / (2 * step);
    }
}

/* Neville's scheme on halved steps: error terms are even powers of the step. Keeps the entry that its neighbours
 * confirm best. [Ridders1982] */
static void extrapolate(jn_tangent *t, const double *z, double step, bool in_velocity, int levels, double *best) {
    size_t n = (size_t)t->nv + 1;
    double *old = t->table, *now = old + JN_TANGENT_LEVELS * n, error = INFINITY;
    difference(t, z, step, in_velocity, old);
    memcpy(best, old, (size_t)t->dof * sizeof *best);
    for (int level = 1; level < levels; level++) {
        double factor = 1, worst = 0, size = 0;
        difference(t, z, step /= 2, in_velocity, now);
        for (int k = 1; k <= level; k++) {
            double *a = now + (size_t)(k - 1) * n, *b = old + (size_t)(k - 1) * n, *next = now + (size_t)k * n;
            factor *= 4, worst = size = 0;
            for (int c = 0; c < t->dof; c++) {
                next[c] = (factor * a[c] - b[c]) / (factor - 1);
                worst = fmax(worst, fmax(fabs(next[c] - a[c]), fabs(next[c] - b[c])));
                size = fmax(size, fabs(next[c]));
            }
            if (worst > error) continue;
            error = worst;
            memcpy(best, next, (size_t)t->dof * sizeof *best);
        }
        if (error <= 1e-14 * size) return;
        double *swap = old;
        old = now, now = swap;
    }
}

static void derivative(jn_tangent *t, bool in_velocity, int levels, double *A) {
    double first = levels > 1 ? 0.05 : 1e-4;
    for (int c = 0; c < t->dof; c++) {
        double *z = t->Z + (size_t)c * (size_t)t->nv;
        double size = jn_tangent_size(t, z);
        extrapolate(t, z, size > 0 ? first / size : first, in_velocity, levels, A + (size_t)c * (size_t)t->dof);
    }
}

void jn_tangent_stiffness(jn_tangent *t, int levels) { derivative(t, false, levels, t->K); }
void jn_tangent_damping(jn_tangent *t, int levels) { derivative(t, true, levels, t->C); }

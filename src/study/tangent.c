/* Mass, damping and stiffness on the motions that the constraints leave. */
#include "study/tangent.h"
#include "algebra/elementary.h"
#include "base/memory.h"
#include "motion/derivatives/derivatives.h"
#include "reaction/compliant/compliant_change.h"
#include "study/freedom.h"
#include "study/model_scale.h"
#include <string.h>

const double jn_largest_matrix = 5e7;

int jn_tangent_create(jn_tangent *t, jn_sim *sim) {
    const jn_model *m = sim->m;
    double wide = jn_fmax(m->nv, m->row_count);
    memset(t, 0, sizeof *t);
    if (!m->has_M || wide * m->nv > jn_largest_matrix) return JN_ERR_LIMIT;
    size_t nv = (size_t)m->nv + 1, rows = (size_t)m->row_count + 1;
    size_t doubles = 3 * nv * nv + 6 * nv + rows;
    t->sim = sim, t->m = m, t->w = sim->w, t->at = sim->s, t->nv = m->nv;
    t->memory = jn_malloc(doubles * sizeof(double));
    t->d = jn_derivatives_create(m);
    if (!t->memory || !t->d || !jn_column_space_create(&t->range, m->nv, m->row_count, true)) return JN_ERR_MEMORY;
    bool compliant = t->w->contact_loads && !sim->nonsmooth; /* impulses have no stiffness */
    if (compliant && !(t->contacts = jn_contact_changes_create(sim->contacts, false))) return JN_ERR_MEMORY;
    double *d = t->memory;
    t->Z = d, d += nv * nv;
    t->K = d, d += nv * nv;
    t->C = d, d += nv * nv;
    t->force = d, d += nv;
    t->balance = d, d += nv;
    t->u = d, d += nv;
    t->F = d, d += nv;
    t->zero = d, d += nv;
    t->column = d, d += nv;
    t->lambda = d;
    memset(t->zero, 0, nv * sizeof *d);
    memset(t->lambda, 0, rows * sizeof *d);
    t->length = jn_mechanism_length(m);
    t->rate_scale = v3_norm(m->gravity) / t->length;
    return JN_OK;
}

void jn_tangent_free(jn_tangent *t) {
    jn_column_space_free(&t->range);
    jn_derivatives_free(t->d);
    jn_contact_changes_free(t->contacts);
    jn_free(t->memory);
    t->memory = NULL;
}

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
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

int jn_allowed_motions(const jn_model *m, jn_work *w, jn_column_space *range, double *Z, int *dof) {
    size_t nv = (size_t)m->nv;
    int status = jn_study_rank(m, w, &range->known);
    for (int r = 0; r < m->row_count && status >= 0; r++) {
        double *y = range->Y + (size_t)r * nv;
        memset(y, 0, nv * sizeof *y);
        for (int p = m->rows[r].first; p < m->rows[r].first + m->rows[r].count; p++) y[m->row_cols[p]] = w->G[p];
        jn_mass_half_solve(m, w, y); /* D^-1/2 L^-T G^T */
    }
    if (status >= 0) status = jn_column_space_find(range);
    if (status < 0) return status;
    *dof = m->nv - range->rank;
    for (int c = 0; c < *dof; c++) {
        double *z = Z + (size_t)c * nv;
        memcpy(z, range->Q + (size_t)(range->rank + c) * nv, nv * sizeof *z);
        jn_mass_half_solve_t(m, w, z); /* Z = L^-1 D^-1/2 Q2 */
    }
    return JN_OK;
}

int jn_tangent_basis(jn_tangent *t) {
    const jn_model *m = t->m;
    jn_state rest = *t->at;
    rest.u = t->zero;
    jn_sim_terms(t->sim, &rest, NULL, NULL, t->balance);
    t->w->state = t->at;
    int status = jn_kkt_factor(m, t->w);
    if (status >= 0) status = jn_kkt_solve(m, t->w, t->balance, NULL, t->u, t->lambda);
    if (status >= 0 && m->sparse_kkt) status = jn_mass_factor_here(m, t->w); /* the sparse solver does without */
    if (status >= 0) status = jn_allowed_motions(m, t->w, &t->range, t->Z, &t->dof);
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

/* X = Z^T T Z, by columns; T by rows. */
static void reduce(jn_tangent *t, const double *T, double *X) {
    size_t nv = (size_t)t->nv, dof = (size_t)t->dof;
    for (size_t c = 0; c < dof; c++) {
        const double *z = t->Z + c * nv;
        for (size_t i = 0; i < nv; i++) t->column[i] = dot(T + i * nv, z, t->nv);
        for (size_t r = 0; r < dof; r++) X[r + c * dof] = dot(t->Z + r * nv, t->column, t->nv);
    }
}

void jn_tangent_slopes(jn_tangent *t) {
    jn_state rest = *t->at;
    rest.u = t->zero;
    jn_sim_terms(t->sim, &rest, NULL, NULL, t->F);
    jn_sim_force_changes(t->sim, &rest, NULL, t->lambda, t->contacts, t->d);
    t->w->state = t->at;
    reduce(t, t->d->tau_q, t->K);
    reduce(t, t->d->tau_u, t->C);
}

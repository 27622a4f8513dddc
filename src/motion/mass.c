/* Mass matrix by composite inertias and its factor L^T D L along the tree. The row of a dof holds its ancestors from the
 * root to itself; the row of an ancestor is a beginning of it, so all inner loops run over contiguous memory. */
#include "motion/massless.h"
#include "motion/work.h"
#include <string.h>

/* Composite rigid bodies, then M_kd = S_d . (Ic S_k) for all ancestors d of k. [Featherstone2008, table 6.2] */
void jn_composite_inertias(const jn_model *m, jn_work *w) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const jn_link_motion *B = &w->link[i];
        if (jn_link_is_massless(l)) {
            w->Ic[i] = (jn_rigid){0};
            continue;
        }
        jn_sym3 J = s3_rotate(&B->R, &l->inertia);
        w->Ic[i] = (jn_rigid){l->mass, v3_scale(l->mass, B->c), s3_add(J, s3_point_mass(l->mass, B->c))};
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        int parent = m->links[i].parent;
        if (parent > 0) w->Ic[parent] = rigid_add(w->Ic[parent], rigid_shift(w->Ic[i], w->link[i].r));
    }
}

static void fill_rows(const jn_model *m, jn_work *w) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        for (int k = l->v; k < l->v + l->nv; k++) {
            double *row = w->M + m->M_start[k];
            jn_wrench F = rigid_mul(&w->Ic[i], w->S[k]);
            for (int d = l->v; d <= k; d++) row[m->dof_depth[d]] = tw_dot(w->S[d], F);
            if (m->armature) row[m->dof_depth[k]] += m->armature[k];
            for (int j = l->parent; j > 0;
                 j = m->links[j].parent) { /* each from F itself: no chain of dependent shifts */
                const jn_link *up = &m->links[j];
                jn_wrench at_j = wr_shift(F, v3_sub(w->link[i].O, w->link[j].O));
                if (up->type == JN_JOINT_REVOLUTE)
                    row[m->dof_depth[up->v]] = v3_dot(w->S[up->v].w, at_j.n);
                else
                    for (int d = up->v; d < up->v + up->nv; d++) row[m->dof_depth[d]] = tw_dot(w->S[d], at_j);
            }
        }
    }
}

/* Pivot k: its inverse, or 0 where the coordinate moves no mass. */
static double pivot(const jn_model *m, jn_work *w, int k) {
    int diagonal = m->M_start[k] + m->dof_depth[k];
    double D = w->M[diagonal];
    return w->D_inv[k] = D > 1e-13 * w->M_raw[diagonal] ? 1 / D : 0;
}

/* Whether the velocity before k is its parent, with ancestors of its own: both are taken together, and the ancestors of k but that one are
 * those of k-1. */
static inline bool is_pair(const jn_model *m, int k) { return m->dof_depth[k] > 1 && m->dof_parent[k] == k - 1; }

/* Row k and the row of its parent k-1 together: the rows above are read and written half as often. */
static bool eliminate_two(const jn_model *m, jn_work *w, int k) {
    double *restrict row = w->M + m->M_start[k], *restrict next = w->M + m->M_start[k - 1];
    const int *col = m->M_col + m->M_start[k];
    int depth = m->dof_depth[k];
    double d = pivot(m, w, k), s = row[depth - 1] * d;
    for (int b = 0; b < depth; b++) next[b] -= s * row[b];
    row[depth - 1] = s;
    double e = pivot(m, w, k - 1);
    for (int a = depth - 2; a >= 0; a--) {
        double *restrict up = w->M + m->M_start[col[a]];
        double sa = row[a] * d, ta = next[a] * e;
        for (int b = 0; b <= a; b++) up[b] -= sa * row[b] + ta * next[b];
        row[a] = sa, next[a] = ta;
    }
    return d > 0 && e > 0;
}

static bool eliminate_one(const jn_model *m, jn_work *w, int k) {
    double *restrict row = w->M + m->M_start[k];
    const int *col = m->M_col + m->M_start[k];
    double d = pivot(m, w, k);
    for (int a = m->dof_depth[k] - 1; a >= 0; a--) {
        double *restrict up = w->M + m->M_start[col[a]];
        double s = row[a] * d;
        for (int b = 0; b <= a; b++) up[b] -= s * row[b];
        row[a] = s;
    }
    return d > 0;
}

/* M = L^T D L without fill [Featherstone2008, table 6.3]. L replaces the off-diagonal entries. */
static int factor(const jn_model *m, jn_work *w) {
    for (int k = m->nv - 1; k >= 0; k--) {
        bool two = is_pair(m, k);
        if (!(two ? eliminate_two(m, w, k) : eliminate_one(m, w, k))) return JN_ERR_NUMERIC;
        k -= two;
    }
    return JN_OK;
}

void jn_mass_rows(const jn_model *m, jn_work *w) {
    if (m->flat) {
        jn_planar_mass_rows(m, w);
    } else {
        jn_composite_inertias(m, w);
        fill_rows(m, w);
    }
    for (int k = 0; w->added && k < m->nv; k++) w->M[m->M_start[k] + m->dof_depth[k]] += w->added[k];
    memcpy(w->M_raw, w->M, (size_t)m->M_size * sizeof *w->M);
}

int jn_mass_factor_here(const jn_model *m, jn_work *w) {
    w->counts.factorisations++;
    jn_mass_rows(m, w);
    return factor(m, w);
}

int jn_mass_factor(const jn_model *m, jn_work *w, const jn_state *s) {
    if (!m->has_M) return JN_ERR_LIMIT;
    jn_kinematics(m, w, s);
    return jn_mass_factor_here(m, w);
}

/* x = L^-T x and x = L^-1 x, for one vector (number: double) and for two at once, whose entries stand beside each other (number: two): sums of one wait for
 * each other, those of two go together. */
typedef double two __attribute__((vector_size(16), aligned(16), may_alias));

#define LOWER_TRANSPOSED(name, number)                                                                                 \
    static void name(const jn_model *m, const jn_work *w, number *restrict x) {                                        \
        for (int k = m->nv - 1; k >= 0; k--) {                                                                         \
            const double *restrict row = w->M + m->M_start[k];                                                         \
            const int *restrict col = m->M_col + m->M_start[k];                                                        \
            int depth = m->dof_depth[k];                                                                               \
            number xk = x[k];                                                                                          \
            if (is_pair(m, k)) {                                                                                       \
                const double *restrict next = w->M + m->M_start[k - 1];                                                \
                number xn = x[k - 1] -= row[depth - 1] * xk;                                                           \
                if (m->chain)                                                                                          \
                    for (int a = 0; a < depth - 1; a++) x[a] = x[a] - row[a] * xk - next[a] * xn;                      \
                else                                                                                                   \
                    for (int a = 0; a < depth - 1; a++) x[col[a]] = x[col[a]] - row[a] * xk - next[a] * xn;            \
                k--;                                                                                                   \
            } else {                                                                                                   \
                for (int a = 0; a < depth; a++) x[col[a]] -= row[a] * xk;                                              \
            }                                                                                                          \
        }                                                                                                              \
    }

#define LOWER(name, number)                                                                                            \
    static void name(const jn_model *m, const jn_work *w, number *restrict x) {                                        \
        for (int k = 0; k < m->nv; k++) {                                                                              \
            const double *restrict row = w->M + m->M_start[k];                                                         \
            const int *restrict col = m->M_col + m->M_start[k];                                                        \
            int depth = m->dof_depth[k];                                                                               \
            number sum = x[k];                                                                                         \
            if (k + 1 < m->nv && is_pair(m, k + 1)) {                                                                  \
                const double *restrict next = w->M + m->M_start[k + 1];                                                \
                number after = x[k + 1];                                                                               \
                for (int a = 0; a < depth; a++) sum -= row[a] * x[col[a]], after -= next[a] * x[col[a]];               \
                x[k] = sum, x[k + 1] = after - next[depth] * sum;                                                      \
                k++;                                                                                                   \
            } else {                                                                                                   \
                for (int a = 0; a < depth; a++) sum -= row[a] * x[col[a]];                                             \
                x[k] = sum;                                                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }

LOWER_TRANSPOSED(lower_transposed, double)
LOWER(lower, double)
LOWER_TRANSPOSED(lower_transposed_two, two)
LOWER(lower_two, two)

void jn_mass_solve(const jn_model *m, const jn_work *w, double *x) {
    lower_transposed(m, w, x);
    for (int k = 0; k < m->nv; k++) x[k] *= w->D_inv[k];
    lower(m, w, x);
}

void jn_mass_solve_two(const jn_model *m, const jn_work *w, double *x, double *y, double *both) {
    two *z = (two *)(void *)both;
    for (int k = 0; k < m->nv; k++) z[k] = (two){x[k], y[k]};
    lower_transposed_two(m, w, z);
    for (int k = 0; k < m->nv; k++) z[k] *= w->D_inv[k];
    lower_two(m, w, z);
    for (int k = 0; k < m->nv; k++) x[k] = z[k][0], y[k] = z[k][1];
}

void jn_mass_half_solve(const jn_model *m, const jn_work *w, double *x) {
    lower_transposed(m, w, x);
    for (int k = 0; k < m->nv; k++) x[k] *= sqrt(w->D_inv[k]);
}

void jn_mass_half_solve_t(const jn_model *m, const jn_work *w, double *x) {
    for (int k = 0; k < m->nv; k++) x[k] *= sqrt(w->D_inv[k]);
    lower(m, w, x);
}

void jn_mass_matrix(const jn_model *m, jn_work *w, const jn_state *s, double *M) {
    jn_kinematics(m, w, s);
    jn_composite_inertias(m, w);
    fill_rows(m, w);
    memset(M, 0, (size_t)m->nv * (size_t)m->nv * sizeof *M);
    for (int k = 0; k < m->nv; k++)
        for (int p = m->M_start[k]; p < m->M_start[k + 1]; p++)
            M[k * m->nv + m->M_col[p]] = M[m->M_col[p] * m->nv + k] = w->M[p];
}

/* Mass matrix by composite inertias and its factor L^T D L along the tree. The row of a dof holds its ancestors from the
 * root to itself; the row of an ancestor is a beginning of it, so all inner loops run over contiguous memory. */
#include "algebra/four.h"
#include "motion/joint_dot.h"
#include <string.h>

/* Composite rigid bodies, then M_kd = S_d . (Ic S_k) for all ancestors d of k. [Featherstone2008, table 6.2] */
void jn_composite_inertias(const jn_model *m, jn_work *w) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const jn_link_motion *B = &w->link[i];
        if (l->massless) {
            w->Ic[i] = (jn_rigid){0};
            continue;
        }
        jn_sym3 J = s3_rotate(&B->R, &l->inertia);
        w->Ic[i] = (jn_rigid){l->mass, v3_scale(l->mass, B->c), s3_add(J, s3_point_mass(l->mass, B->c))};
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        jn_rigid own = w->Ic[i];
        if (l->parent > 0)
            w->Ic[l->parent] = rigid_add(w->Ic[l->parent], l->in_place ? own : rigid_shift(own, w->link[i].r));
    }
}

/* Momentum of a link and all behind it with the velocity S of its joint. */
static inline jn_wrench momentum_of(const jn_link *l, const jn_rigid *I, jn_twist S) {
    if (l->type != JN_JOINT_REVOLUTE) return rigid_mul(I, S);
    return (jn_wrench){s3_mul_v(&I->J, S.w), v3_neg(v3_cross(I->h, S.w))};
}

/* Rows of a link that is free along the axes of the world, the first of which is given: momenta with unit velocities. */
static inline void fill_free(const jn_rigid *I, double *row) {
    double m = I->m;
    jn_vec3 h = I->h;
    const jn_sym3 *J = &I->J;
    const double rows[JN_M_SIX][JN_M_SIX] = {{m},
                                             {0, m},
                                             {0, 0, m},
                                             {0, -h.z, h.y, J->xx},
                                             {h.z, 0, -h.x, J->xy, J->yy},
                                             {-h.y, h.x, 0, J->xz, J->yz, J->zz}};
#pragma GCC unroll 6
    for (int k = 0; k < JN_M_SIX; k++)
        for (int d = 0; d <= k; d++) row[jn_six_start(k) + d] = rows[k][d];
}

static void fill_rows(const jn_model *m, jn_work *w) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        jn_vec3 O = w->link[i].O;
        if (l->world_axes) {
            fill_free(&w->Ic[i], w->M + m->M_start[l->v]);
            continue;
        }
        for (int k = l->v; k < l->v + l->nv; k++) {
            double *row = w->M + m->M_start[k];
            jn_wrench F = momentum_of(l, &w->Ic[i], w->S[k]);
            for (int d = l->v; d <= k; d++) row[m->dof_depth[d]] = tw_dot(w->S[d], F);
            jn_wrench at_j = F;
            bool same = l->in_place;
            for (int j = l->parent; j > 0; j = m->links[j].parent) { /* from F itself: no chain of dependent shifts */
                const jn_link *up = &m->links[j];
                if (!same) at_j = wr_shift(F, v3_sub(O, w->link[j].O));
                jn_joint_dot(up, w->S + up->v, at_j, row + m->dof_depth[up->v]);
                same = up->in_place;
            }
        }
    }
    for (int k = 0; k < m->nv && m->armature; k++) w->M[m->M_start[k] + m->dof_depth[k]] += m->armature[k];
}

/* Pivot k: its inverse, or 0 where the coordinate moves no mass. */
static double pivot(const jn_model *m, jn_work *w, int k) {
    int diagonal = m->M_start[k] + m->dof_depth[k];
    double D = w->M[diagonal];
    return w->D_inv[k] = D > 1e-13 * w->M_raw[diagonal] ? 1 / D : 0;
}

/* row = factor row before the diagonal. Rows are read and written by fours: there is room behind the diagonal. Nobody reads what is
 * computed there. */
static inline void scale_row(double *row, int depth, double factor) {
    double diagonal = row[depth];
    for (int b = 0; b < depth; b += JN_M_LANES) JN_FOUR(row + b) *= factor;
    row[depth] = diagonal;
}

/* Rows above row k from its entry a on, down to the first of the same vector and to `begin`, less their entry times row k; two: and times the row of its parent too. The first
 * `wide` vectors of a row stay in registers. */
static inline __attribute__((always_inline)) void eliminate_some(const jn_model *m, jn_work *w, int k, int a, int begin,
                                                                 double d, double e, const bool two, const int wide) {
    const double *row = w->M + m->M_start[k], *next = w->M + m->M_start[k - two];
    const int *start = m->M_start, *col = m->M_col + m->M_start[k];
    jn_four own[4], other[4];
    for (int b = 0; b < wide; b++)
        own[b] = JN_FOUR_OF(row + JN_M_LANES * b), other[b] = JN_FOUR_OF(next + JN_M_LANES * b);
    int vector = a / JN_M_LANES * JN_M_LANES, first = vector > begin ? vector : begin;
    for (; a >= first; a--) {
        double *up = w->M + start[col[a]], s = row[a] * d, t = next[a] * e;
        for (int b = 0; b < wide; b++) JN_FOUR(up + JN_M_LANES * b) -= two ? s * own[b] + t * other[b] : s * own[b];
        for (int b = JN_M_LANES * wide; b <= a && wide == 4; b += JN_M_LANES)
            JN_FOUR(up + b) -= two ? s * JN_FOUR_OF(row + b) + t * JN_FOUR_OF(next + b) : s * JN_FOUR_OF(row + b);
    }
}

/* The same of the first six rows, which follow each other. */
static inline __attribute__((always_inline)) void eliminate_six(double *root, const double *row, const double *next,
                                                                double d, double e, const bool two) {
    const jn_four own[2] = {JN_FOUR_OF(row), JN_FOUR_OF(row + JN_M_LANES)};
    const jn_four other[2] = {JN_FOUR_OF(next), JN_FOUR_OF(next + JN_M_LANES)};
#pragma GCC unroll 6
    for (int a = JN_M_SIX - 1; a >= 0; a--) {
        double *up = root + jn_six_start(a), s = row[a] * d, t = next[a] * e;
        for (int b = 0; b <= a / JN_M_LANES; b++)
            JN_FOUR(up + JN_M_LANES * b) -= two ? s * own[b] + t * other[b] : s * own[b];
    }
}

/* The same of all rows above entry `depth`, vector by vector. */
static inline __attribute__((always_inline)) void eliminate_all(const jn_model *m, jn_work *w, int k, int depth,
                                                                double d, double e, const bool two) {
    int begin = m->M_row[k].six ? JN_M_SIX : 0;
    for (int left = depth; left > begin; left = (left - 1) / JN_M_LANES * JN_M_LANES)
        switch ((left - 1) / JN_M_LANES) { /* loops of constant length */
        case 0: eliminate_some(m, w, k, left - 1, begin, d, e, two, 1); break;
        case 1: eliminate_some(m, w, k, left - 1, begin, d, e, two, 2); break;
        case 2: eliminate_some(m, w, k, left - 1, begin, d, e, two, 3); break;
        default: eliminate_some(m, w, k, left - 1, begin, d, e, two, 4);
        }
    const double *row = w->M + m->M_start[k];
    if (begin) eliminate_six(w->M + m->M_start[m->M_col[m->M_start[k]]], row, w->M + m->M_start[k - two], d, e, two);
}

/* Row k and the row of its parent k-1 together: the rows above are read and written half as often. */
static inline __attribute__((always_inline)) bool eliminate_two(const jn_model *m, jn_work *w, int k) {
    double *row = w->M + m->M_start[k], *next = w->M + m->M_start[k - 1];
    int depth = m->dof_depth[k];
    double d = pivot(m, w, k), s = row[depth - 1] * d;
    for (int b = 0; b < depth; b += JN_M_LANES) JN_FOUR(next + b) -= s * JN_FOUR_OF(row + b);
    double e = pivot(m, w, k - 1);
    eliminate_all(m, w, k, depth - 1, d, e, true);
    scale_row(row, depth, d), scale_row(next, depth - 1, e);
    return d > 0 && e > 0;
}

static inline __attribute__((always_inline)) bool eliminate_one(const jn_model *m, jn_work *w, int k) {
    int depth = m->dof_depth[k];
    double d = pivot(m, w, k);
    eliminate_all(m, w, k, depth, d, 0, false);
    scale_row(w->M + m->M_start[k], depth, d);
    return d > 0;
}

/* M = L^T D L without fill [Featherstone2008, table 6.3]. L replaces the off-diagonal entries. */
static int factor(const jn_model *m, jn_work *w) {
    for (int k = m->nv - 1; k >= 0; k--) {
        bool two = m->M_row[k].pair;
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

/* x = L^-T x and x = L^-1 W x with a diagonal W, for one vector (number: double) and for two at once, whose entries stand beside each other (number: two):
 * sums of one wait for each other, those of two go together. The velocity before k and k are taken together where they are a pair: the ancestors of k but that one are those of k-1. */
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

/* x -= row now of the first six ancestors. */
static inline void take_six(double *x, const double *row, double now) {
    JN_FOUR(x) -= JN_FOUR_OF(row) * now;
    *(two *)(void *)(x + 4) -= *(const two *)(const void *)(row + 4) * now;
}

static inline void take_six_twice(two *x, const double *row, two now) {
    for (int a = 0; a < JN_M_SIX; a++) x[a] -= row[a] * now;
}

/* x of these six alone, in registers. */
#define SIX_TRANSPOSED(name, number)                                                                                   \
    static inline void name(const double *restrict M, number *restrict x) {                                            \
        number root[JN_M_SIX];                                                                                         \
        _Pragma("GCC unroll 6") for (int i = 0; i < JN_M_SIX; i++) root[i] = x[i];                                     \
        _Pragma("GCC unroll 6") for (int i = JN_M_SIX - 1; i > 0; i--)                                                 \
            _Pragma("GCC unroll 6") for (int a = 0; a < i; a++) root[a] -= M[jn_six_start(i) + a] * root[i];           \
        _Pragma("GCC unroll 6") for (int i = 0; i < JN_M_SIX; i++) x[i] = root[i];                                     \
    }

#define LOWER_TRANSPOSED(name, number, take, solve_six)                                                                \
    static void name(const jn_model *m, const jn_work *w, number *restrict x) {                                        \
        const jn_M_row *restrict rows = m->M_row;                                                                      \
        for (int k = m->nv - 1; k >= 0; k--) {                                                                         \
            if (rows[k].place == JN_M_SIX - 1) {                                                                       \
                k -= JN_M_SIX - 1;                                                                                     \
                solve_six(w->M + rows[k].start, x + k);                                                                \
                continue;                                                                                              \
            }                                                                                                          \
            const double *restrict row = w->M + rows[k].start;                                                         \
            const int *restrict col = m->M_col + rows[k].start;                                                        \
            int depth = rows[k].depth, a = rows[k].six ? JN_M_SIX : 0;                                                 \
            number xk = x[k];                                                                                          \
            if (a) take(x + col[0], row, xk);                                                                          \
            if (rows[k].pair && rows[k - 1].place < 0) {                                                               \
                const double *restrict next = w->M + rows[k - 1].start;                                                \
                number xn = x[k - 1] -= row[depth - 1] * xk;                                                           \
                if (a) take(x + col[0], next, xn);                                                                     \
                if (m->chain)                                                                                          \
                    for (; a < depth - 1; a++) x[a] = x[a] - row[a] * xk - next[a] * xn;                               \
                else                                                                                                   \
                    for (; a < depth - 1; a++) x[col[a]] = x[col[a]] - row[a] * xk - next[a] * xn;                     \
                k--;                                                                                                   \
            } else {                                                                                                   \
                for (; a < depth; a++) x[col[a]] -= row[a] * xk;                                                       \
            }                                                                                                          \
        }                                                                                                              \
    }

/* W = weight(k): of D^-1 or D^-1/2. Rows behind six velocities, until the next six, find them in registers. */
#define INVERSE(k) w->D_inv[k]
#define INVERSE_ROOT(k) sqrt(w->D_inv[k])
#define LOWER(name, number, weight)                                                                                    \
    static void name(const jn_model *m, const jn_work *w, number *restrict x) {                                        \
        const jn_M_row *restrict rows = m->M_row;                                                                      \
        number root[JN_M_SIX] = {0};                                                                                   \
        int at = -1;                                                                                                   \
        for (int k = 0; k < m->nv; k++) {                                                                              \
            const double *restrict row = w->M + rows[k].start;                                                         \
            const int *restrict col = m->M_col + rows[k].start;                                                        \
            if (rows[k].place == 0) {                                                                                  \
                _Pragma("GCC unroll 6") for (int i = 0; i < JN_M_SIX; i++) {                                           \
                    root[i] = x[k + i] * weight(k + i);                                                                \
                    _Pragma("GCC unroll 6") for (int a = 0; a < i; a++) root[i] -= row[jn_six_start(i) + a] * root[a]; \
                    x[k + i] = root[i];                                                                                \
                }                                                                                                      \
                at = k, k += JN_M_SIX - 1;                                                                             \
                continue;                                                                                              \
            }                                                                                                          \
            int depth = rows[k].depth, a = 0;                                                                          \
            number sum = x[k] * weight(k);                                                                             \
            if (rows[k].six && col[0] != at) {                                                                         \
                at = col[0];                                                                                           \
                for (int c = 0; c < JN_M_SIX; c++) root[c] = x[at + c];                                                \
            }                                                                                                          \
            if (k + 1 < m->nv && rows[k + 1].pair) {                                                                   \
                const double *restrict next = w->M + rows[k + 1].start;                                                \
                number after = x[k + 1] * weight(k + 1);                                                               \
                if (rows[k].six)                                                                                       \
                    for (; a < JN_M_SIX; a++) sum -= row[a] * root[a], after -= next[a] * root[a];                     \
                for (; a < depth; a++) sum -= row[a] * x[col[a]], after -= next[a] * x[col[a]];                        \
                x[k] = sum, x[k + 1] = after - next[depth] * sum;                                                      \
                k++;                                                                                                   \
            } else {                                                                                                   \
                if (rows[k].six)                                                                                       \
                    for (; a < JN_M_SIX; a++) sum -= row[a] * root[a];                                                 \
                for (; a < depth; a++) sum -= row[a] * x[col[a]];                                                      \
                x[k] = sum;                                                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }

SIX_TRANSPOSED(six_transposed, double)
SIX_TRANSPOSED(six_transposed_two, two)
LOWER_TRANSPOSED(lower_transposed, double, take_six, six_transposed)
LOWER(lower_scaled, double, INVERSE)           /* x = L^-1 D^-1 x */
LOWER(lower_half_scaled, double, INVERSE_ROOT) /* x = L^-1 D^-1/2 x */
LOWER_TRANSPOSED(lower_transposed_two, two, take_six_twice, six_transposed_two)
LOWER(lower_scaled_two, two, INVERSE)

void jn_mass_solve(const jn_model *m, const jn_work *w, double *x) {
    lower_transposed(m, w, x);
    lower_scaled(m, w, x);
}

void jn_mass_solve_two(const jn_model *m, const jn_work *w, double *x, double *y, double *both) {
    two *z = (two *)(void *)both;
    for (int k = 0; k < m->nv; k++) z[k] = (two){x[k], y[k]};
    lower_transposed_two(m, w, z);
    lower_scaled_two(m, w, z);
    for (int k = 0; k < m->nv; k++) x[k] = z[k][0], y[k] = z[k][1];
}

void jn_mass_half_solve(const jn_model *m, const jn_work *w, double *x) {
    lower_transposed(m, w, x);
    for (int k = 0; k < m->nv; k++) x[k] *= sqrt(w->D_inv[k]);
}

void jn_mass_half_solve_t(const jn_model *m, const jn_work *w, double *x) { lower_half_scaled(m, w, x); }

void jn_mass_matrix(const jn_model *m, jn_work *w, const jn_state *s, double *M) {
    jn_kinematics(m, w, s);
    jn_composite_inertias(m, w);
    fill_rows(m, w);
    memset(M, 0, (size_t)m->nv * (size_t)m->nv * sizeof *M);
    for (int k = 0; k < m->nv; k++)
        for (int p = m->M_start[k]; p <= m->M_start[k] + m->dof_depth[k]; p++)
            M[k * m->nv + m->M_col[p]] = M[m->M_col[p] * m->nv + k] = w->M[p];
}

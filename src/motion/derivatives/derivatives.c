/* Derivatives of inverse and forward dynamics with respect to coordinates, velocities and forces, and the Coriolis matrix.
 *
 * Here all twists are spatial: seen at one point c of the world, the place of the tree's root, so that the inertias and loads
 * of a subtree are plain sums. J_k is the motion of the world behind velocity k per unit of it, C_k the velocity of what
 * carries its axis, x the cross product of twists, x* that of a twist and a wrench:
 *
 *     V = sum J_k u_k      A = sum J_k a_k + (C_k x J_k) u_k      f = I (A - g) + V x* I V
 *
 * A change along velocity j moves everything behind it by J_j. With U_j, A_j the parts of V and A that this leaves alone, and
 *
 *     w_j = U_j x J_j,   y_j = (A_j - g) x J_j + U_j x w_j,   p_j = C_j x J_j + U_j x J_j,   2B w = V x* I w + w x* I V - I (V x w)
 *
 * the load behind link m changes by  J_j x* F_m + I_m y_j + 2B_m w_j,  or for a change of u_j by  I_m p_j + 2B_m J_j, with sums
 * F, I, B over what is behind m. The first term does no work on axes that move along. [Carpentier2018], [Singh2022, table I] */
#include "motion/derivatives/derivatives.h"
#include "base/memory.h"
#include <string.h>

static jn_wrench rigid_between(const jn_rigid *I, jn_twist V, jn_twist w) { /* 2B w */
    jn_wrench a = jn_cross_force(V, rigid_mul(I, w)), b = jn_cross_force(w, rigid_mul(I, V));
    return wr_sub(wr_add(a, b), rigid_mul(I, jn_cross(V, w)));
}

/* ------------------------------------------------------------------------------------------------------- outwards */

static void own_columns(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d, int i) {
    const jn_link *l = &m->links[i];
    jn_vec3 r = v3_sub(w->link[i].O, d->c[i]);
    for (int k = 0; k < l->nv; k++) {
        jn_twist S = w->S[l->v + k];
        d->col[l->v + k].J = (jn_twist){S.w, v3_add(S.v, v3_cross(r, S.w))};
    }
}

/* Velocity and acceleration of link i, and what its columns need; u and a may be NULL for zero. */
static void outward(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d, int i, const double *u,
                    const double *a) {
    const jn_link *l = &m->links[i];
    jn_twist g = {v3(0, 0, 0), m->gravity}, none = tw_zero();
    jn_twist VP = l->parent ? d->V[l->parent] : none, AP = l->parent ? d->A[l->parent] : none;
    d->c[i] = l->parent ? d->c[l->parent] : w->link[i].O;
    own_columns(m, w, d, i);
    jn_tree_column *col = d->col + l->v;
    d->V[i] = VP, d->A[i] = AP;
    for (int k = 0; k < l->nv; k++) {
        col[k].C = VP;
        for (int j = 0; j < k; j++)
            if (jn_velocity_carries(l, j, k)) col[k].C = tw_axpy(u[l->v + j], col[j].J, col[k].C);
        col[k].rate = jn_cross(col[k].C, col[k].J);
        d->V[i] = tw_axpy(u[l->v + k], col[k].J, d->V[i]);
        d->A[i] = tw_axpy(u[l->v + k], col[k].rate, d->A[i]);
        if (a) d->A[i] = tw_axpy(a[l->v + k], col[k].J, d->A[i]);
    }
    for (int j = 0; j < l->nv; j++) {
        jn_twist U = d->V[i], A = d->A[i];
        for (int k = j + 1; k < l->nv; k++) {
            if (!jn_velocity_carries(l, j, k)) continue;
            U = tw_axpy(-u[l->v + k], col[k].J, U);
            A = tw_axpy(-u[l->v + k], col[k].rate, A);
            if (a) A = tw_axpy(-a[l->v + k], col[k].J, A);
        }
        col[j].w = jn_cross(U, col[j].J);
        col[j].y = tw_add(jn_cross(tw_axpy(-1, g, A), col[j].J), jn_cross(U, col[j].w));
        col[j].p = tw_add(col[j].rate, col[j].w);
    }
}

static void own_sums(const jn_model *m, const jn_work *w, struct jn_derivatives_work *d, int i) {
    const jn_link *l = &m->links[i];
    const jn_link_motion *L = &w->link[i];
    jn_sym3 J = s3_rotate(&L->R, &l->inertia);
    jn_rigid at_O = {l->mass, v3_scale(l->mass, L->c), s3_add(J, s3_point_mass(l->mass, L->c))};
    jn_rigid I = d->I[i] = rigid_shift(at_O, v3_sub(L->O, d->c[i]));
    jn_twist free = {d->A[i].w, v3_sub(d->A[i].v, m->gravity)}, V = d->V[i];
    d->F[i] = wr_add(rigid_mul(&I, free), jn_cross_force(V, rigid_mul(&I, V)));
    for (int k = 0; k < 6; k++) {
        jn_twist e = {k < 3 ? v3_axis(k) : v3(0, 0, 0), k < 3 ? v3(0, 0, 0) : v3_axis(k - 3)};
        jn_wrench b = rigid_between(&I, V, e);
        const double at[6] = {b.n.x, b.n.y, b.n.z, b.f.x, b.f.y, b.f.z};
        for (int r = 0; r < 6; r++) d->B[i][6 * r + k] = at[r];
    }
}

/* ---------------------------------------------------------------------------------------------------------- inwards */

static jn_wrench transposed(const double *B, jn_twist t) { /* B^T t, as a wrench: works on twists like one */
    const double x[6] = {t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z};
    double y[6] = {0};
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) y[k] += B[6 * r + k] * x[r];
    return (jn_wrench){v3(y[0], y[1], y[2]), v3(y[3], y[4], y[5])};
}

static jn_wrench multiply(const double *B, jn_twist t) {
    const double x[6] = {t.w.x, t.w.y, t.w.z, t.v.x, t.v.y, t.v.z};
    double y[6];
    for (int r = 0; r < 6; r++) {
        y[r] = 0;
        for (int k = 0; k < 6; k++) y[r] += B[6 * r + k] * x[k];
    }
    return (jn_wrench){v3(y[0], y[1], y[2]), v3(y[3], y[4], y[5])};
}

static void inward(const jn_model *m, struct jn_derivatives_work *d) {
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        for (int k = l->v; k < l->v + l->nv; k++) {
            d->col[k].IJ = rigid_mul(&d->I[i], d->col[k].J);
            d->col[k].BtJ = transposed(d->B[i], d->col[k].J);
        }
        if (l->parent == 0) continue;
        d->I[l->parent] = rigid_add(d->I[l->parent], d->I[i]);
        d->F[l->parent] = wr_add(d->F[l->parent], d->F[i]);
        for (int k = 0; k < 36; k++) d->B[l->parent][k] += d->B[i][k];
    }
}

void jn_derivatives_prepare(const jn_model *m, jn_work *w, const jn_state *s, const double *a,
                            struct jn_derivatives_work *d) {
    d->w = w, d->a = a;
    jn_kinematics(m, w, s);
    for (int i = 1; i < m->link_count; i++) outward(m, w, d, i, s->u, a);
    for (int i = 1; i < m->link_count; i++) own_sums(m, w, d, i);
    inward(m, d);
}

/* --------------------------------------------------------------------------------------------------------- the calls */

/* Column j of both matrices: entries of velocities of the own joint and of those before it. */
static void ancestors(const jn_model *m, const struct jn_derivatives_work *d, int link, int j, double *dq, double *du) {
    const jn_tree_column *c = &d->col[j];
    size_t nv = (size_t)m->nv;
    jn_wrench held = wr_add(rigid_mul(&d->I[link], c->y), multiply(d->B[link], c->w));
    jn_wrench moved = wr_add(held, jn_cross_force(c->J, d->F[link]));
    jn_wrench by_u = wr_add(rigid_mul(&d->I[link], c->p), multiply(d->B[link], c->J));
    for (int i = link; i > 0; i = m->links[i].parent) {
        const jn_link *l = &m->links[i];
        for (int k = l->v; k < l->v + l->nv; k++) {
            bool along = i == link && jn_velocity_carries(l, j - l->v, k - l->v);
            dq[(size_t)k * nv + (size_t)j] = tw_dot(d->col[k].J, along ? held : moved);
            du[(size_t)k * nv + (size_t)j] = tw_dot(d->col[k].J, by_u);
        }
    }
}

void jn_inverse_derivatives(const jn_model *m, jn_work *w, const jn_state *s, const double *a, jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    size_t nv = (size_t)m->nv;
    jn_derivatives_prepare(m, w, s, a, d);
    memset(out->tau_q, 0, nv * nv * sizeof(double));
    memset(out->tau_u, 0, nv * nv * sizeof(double));
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        for (int j = l->v; j < l->v + l->nv; j++) ancestors(m, d, i, j, out->tau_q, out->tau_u);
        for (int up = l->parent; up > 0; up = m->links[up].parent) /* rows of this link, columns of all before it */
            for (int k = l->v; k < l->v + l->nv; k++)
                for (int j = m->links[up].v; j < m->links[up].v + m->links[up].nv; j++) {
                    const jn_tree_column *ck = &d->col[k], *cj = &d->col[j];
                    out->tau_q[(size_t)k * nv + (size_t)j] = tw_dot(cj->y, ck->IJ) + tw_dot(cj->w, ck->BtJ);
                    out->tau_u[(size_t)k * nv + (size_t)j] = tw_dot(cj->p, ck->IJ) + tw_dot(cj->J, ck->BtJ);
                }
    }
}

/* X <- -M^-1 X, column by column; M is factored. */
static void minus_solve(const jn_model *m, const jn_work *w, double *x, const double *from, double *to) {
    size_t nv = (size_t)m->nv;
    for (size_t j = 0; j < nv; j++) {
        for (size_t i = 0; i < nv; i++) x[i] = -from[i * nv + j];
        jn_mass_solve(m, w, x);
        for (size_t i = 0; i < nv; i++) to[i * nv + j] = x[i];
    }
}

int jn_forward_derivatives(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, jn_derivatives *out) {
    size_t nv = (size_t)m->nv;
    double *x = out->work->x;
    if (!m->has_M) return JN_ERR_LIMIT;
    jn_kinematics(m, w, s);
    int status = jn_aba_loaded(m, w, tau, NULL, out->a);
    if (status < 0) return status;
    jn_inverse_derivatives(m, w, s, out->a, out);
    status = jn_mass_factor_here(m, w);
    if (status < 0) return status;
    minus_solve(m, w, x, out->tau_q, out->a_q);
    minus_solve(m, w, x, out->tau_u, out->a_u);
    for (size_t j = 0; j < nv; j++) {
        memset(x, 0, nv * sizeof *x);
        x[j] = 1;
        jn_mass_solve(m, w, x);
        for (size_t i = 0; i < nv; i++) out->a_tau[i * nv + j] = x[i];
    }
    return JN_OK;
}

void jn_coriolis_matrix(const jn_model *m, jn_work *w, const jn_state *s, jn_derivatives *scratch, double *C) {
    struct jn_derivatives_work *d = scratch->work;
    size_t nv = (size_t)m->nv;
    jn_derivatives_prepare(m, w, s, NULL, d);
    memset(C, 0, nv * nv * sizeof *C);
    for (int i = 1; i < m->link_count; i++)
        for (int k = m->links[i].v; k < m->links[i].v + m->links[i].nv; k++) {
            const jn_tree_column *ck = &d->col[k];
            jn_wrench b = wr_add(rigid_mul(&d->I[i], ck->rate), wr_scale(0.5, multiply(d->B[i], ck->J)));
            for (int up = i; up > 0; up = m->links[up].parent)
                for (int j = m->links[up].v; j < m->links[up].v + m->links[up].nv; j++) {
                    const jn_tree_column *cj = &d->col[j];
                    C[(size_t)j * nv + (size_t)k] = tw_dot(cj->J, b);
                    C[(size_t)k * nv + (size_t)j] = tw_dot(cj->rate, ck->IJ) + 0.5 * tw_dot(cj->J, ck->BtJ);
                }
        }
}

/* ---------------------------------------------------------------------------------------------------------- memory */

/* Takes `bytes` of a block, or counts them while there is none. */
static void *take(char *block, size_t *used, size_t bytes) {
    void *at = block ? block + *used : NULL;
    *used += (bytes + 15) / 16 * 16;
    return at;
}

static size_t lay_out_tree(const jn_model *m, struct jn_derivatives_work *d, char *block, size_t used) {
    size_t links = (size_t)m->link_count, nv = (size_t)m->nv, nq = (size_t)m->nq, number = sizeof(double);
    d->V = take(block, &used, links * sizeof *d->V);
    d->A = take(block, &used, links * sizeof *d->A);
    d->c = take(block, &used, links * sizeof *d->c);
    d->I = take(block, &used, links * sizeof *d->I);
    d->F = take(block, &used, links * sizeof *d->F);
    d->B = take(block, &used, links * sizeof *d->B);
    d->col = take(block, &used, nv * sizeof *d->col);
    d->x = take(block, &used, nv * number);
    d->change = take(block, &used, links * sizeof *d->change);
    d->load = take(block, &used, links * sizeof *d->load);
    d->load_change = take(block, &used, links * sizeof *d->load_change);
    d->tau_change = take(block, &used, nv * number);
    d->var = take(block, &used, (size_t)(JN_VAR_SIGNAL + m->signal_count) * sizeof *d->var);
    d->power_q = take(block, &used, nv * sizeof *d->power_q);
    d->power_u = take(block, &used, nv * sizeof *d->power_u);
    d->f = take(block, &used, nv * number);
    d->y = take(block, &used, nv * number);
    d->zero = take(block, &used, nv * number);
    d->probe = take(block, &used, (nq + nv) * number);
    return used;
}

static size_t lay_out_rows(const jn_model *m, struct jn_derivatives_work *d, char *block, size_t used) {
    size_t nv = (size_t)m->nv, rows = (size_t)m->row_count, number = sizeof(double);
    d->row_change = take(block, &used, rows * sizeof *d->row_change);
    d->side = take(block, &used, 2 * (size_t)m->closure_count * sizeof *d->side);
    d->g = take(block, &used, rows * number);
    d->lambda = take(block, &used, rows * number);
    d->rhs_q = take(block, &used, rows * nv * number);
    d->rhs_u = take(block, &used, rows * nv * number);
    d->rate_q = take(block, &used, rows * nv * number);
    d->null = take(block, &used, rows * rows * number);
    return used;
}

static size_t lay_out_results(const jn_model *m, jn_derivatives *out, char *block, size_t used) {
    size_t nv = (size_t)m->nv, rows = (size_t)m->row_count, number = sizeof(double);
    double **square[] = {&out->tau_q, &out->tau_u, &out->a_q, &out->a_u, &out->a_tau};
    double **wide[] = {&out->lambda_q, &out->lambda_u, &out->lambda_tau};
    for (int k = 0; k < 5; k++) *square[k] = take(block, &used, nv * nv * number);
    for (int k = 0; k < 3; k++) *wide[k] = take(block, &used, rows * nv * number);
    out->a = take(block, &used, nv * number);
    out->lambda = take(block, &used, rows * number);
    return used;
}

static size_t lay_out(const jn_model *m, jn_derivatives *out, struct jn_derivatives_work *d, char *block) {
    size_t used = 0;
    (void)take(block, &used, sizeof *out);
    (void)take(block, &used, sizeof *d);
    return lay_out_results(m, out, block, lay_out_rows(m, d, block, lay_out_tree(m, d, block, used)));
}

jn_derivatives *jn_derivatives_create(const jn_model *m) {
    jn_derivatives sizes;
    struct jn_derivatives_work none;
    size_t size = lay_out(m, &sizes, &none, NULL), head = 0;
    char *block = jn_malloc(size);
    if (!block) return NULL;
    memset(block, 0, size);
    jn_derivatives *out = take(block, &head, sizeof *out);
    out->work = take(block, &head, sizeof none);
    out->nv = m->nv, out->rows = m->row_count;
    lay_out(m, out, out->work, block);
    return out;
}

void jn_derivatives_free(jn_derivatives *d) { jn_free(d); }

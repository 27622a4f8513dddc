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
#include "base/memory.h"
#include "motion/work.h"
#include <string.h>

typedef double matrix6[36]; /* wrench (n, f) = matrix * twist (w, v), row major */

typedef struct column {
    jn_twist J;        /* motion per unit velocity */
    jn_twist C;        /* velocity of what carries its axis */
    jn_twist w, y, p;  /* see above */
    jn_twist rate;     /* C x J */
    jn_wrench IJ, BtJ; /* I_m J and (2B_m)^T J of the subtree */
} column;

struct jn_derivatives_work {
    jn_twist *V, *A; /* (links) spatial */
    jn_vec3 *c;      /* (links) the tree's point */
    jn_rigid *I;     /* (links) of the subtree, about c */
    jn_wrench *F;    /* (links) of the subtree */
    matrix6 *B;      /* (links) 2B of the subtree */
    column *col;     /* (nv) */
    double *x;       /* (nv) */
};

static jn_twist cross(jn_twist a, jn_twist b) {
    return (jn_twist){v3_cross(a.w, b.w), v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w))};
}

static jn_wrench cross_force(jn_twist a, jn_wrench f) {
    return (jn_wrench){v3_add(v3_cross(a.w, f.n), v3_cross(a.v, f.f)), v3_cross(a.w, f.f)};
}

static jn_wrench rigid_between(const jn_rigid *I, jn_twist V, jn_twist w) { /* 2B w */
    jn_wrench a = cross_force(V, rigid_mul(I, w)), b = cross_force(w, rigid_mul(I, V));
    return wr_sub(wr_add(a, b), rigid_mul(I, cross(V, w)));
}

/* Whether a change along velocity j of a joint carries the axis of velocity k of the same joint along. Rotations of spherical and
 * free joints count in axes of the parent, all at once; everything else is one after the other. */
static bool carries(const jn_link *l, int j, int k) {
    int block = l->type == JN_JOINT_SPHERICAL ? 0 : l->type == JN_JOINT_FREE ? 3 : 6;
    return j < k && !(j >= block && k >= block);
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
    column *col = d->col + l->v;
    d->V[i] = VP, d->A[i] = AP;
    for (int k = 0; k < l->nv; k++) {
        col[k].C = VP;
        for (int j = 0; j < k; j++)
            if (carries(l, j, k)) col[k].C = tw_axpy(u[l->v + j], col[j].J, col[k].C);
        col[k].rate = cross(col[k].C, col[k].J);
        d->V[i] = tw_axpy(u[l->v + k], col[k].J, d->V[i]);
        d->A[i] = tw_axpy(u[l->v + k], col[k].rate, d->A[i]);
        if (a) d->A[i] = tw_axpy(a[l->v + k], col[k].J, d->A[i]);
    }
    for (int j = 0; j < l->nv; j++) {
        jn_twist U = d->V[i], A = d->A[i];
        for (int k = j + 1; k < l->nv; k++) {
            if (!carries(l, j, k)) continue;
            U = tw_axpy(-u[l->v + k], col[k].J, U);
            A = tw_axpy(-u[l->v + k], col[k].rate, A);
            if (a) A = tw_axpy(-a[l->v + k], col[k].J, A);
        }
        col[j].w = cross(U, col[j].J);
        col[j].y = tw_add(cross(tw_axpy(-1, g, A), col[j].J), cross(U, col[j].w));
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
    d->F[i] = wr_add(rigid_mul(&I, free), cross_force(V, rigid_mul(&I, V)));
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

static void prepare(const jn_model *m, jn_work *w, const jn_state *s, const double *a, struct jn_derivatives_work *d) {
    jn_kinematics(m, w, s);
    for (int i = 1; i < m->link_count; i++) outward(m, w, d, i, s->u, a);
    for (int i = 1; i < m->link_count; i++) own_sums(m, w, d, i);
    inward(m, d);
}

/* --------------------------------------------------------------------------------------------------------- the calls */

/* Column j of both matrices: entries of velocities of the own joint and of those before it. */
static void ancestors(const jn_model *m, const struct jn_derivatives_work *d, int link, int j, double *dq, double *du) {
    const column *c = &d->col[j];
    size_t nv = (size_t)m->nv;
    jn_wrench held = wr_add(rigid_mul(&d->I[link], c->y), multiply(d->B[link], c->w));
    jn_wrench moved = wr_add(held, cross_force(c->J, d->F[link]));
    jn_wrench by_u = wr_add(rigid_mul(&d->I[link], c->p), multiply(d->B[link], c->J));
    for (int i = link; i > 0; i = m->links[i].parent) {
        const jn_link *l = &m->links[i];
        for (int k = l->v; k < l->v + l->nv; k++) {
            bool along = i == link && carries(l, j - l->v, k - l->v);
            dq[(size_t)k * nv + (size_t)j] = tw_dot(d->col[k].J, along ? held : moved);
            du[(size_t)k * nv + (size_t)j] = tw_dot(d->col[k].J, by_u);
        }
    }
}

void jn_inverse_derivatives(const jn_model *m, jn_work *w, const jn_state *s, const double *a, jn_derivatives *out) {
    struct jn_derivatives_work *d = out->work;
    size_t nv = (size_t)m->nv;
    prepare(m, w, s, a, d);
    memset(out->tau_q, 0, nv * nv * sizeof(double));
    memset(out->tau_u, 0, nv * nv * sizeof(double));
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        for (int j = l->v; j < l->v + l->nv; j++) ancestors(m, d, i, j, out->tau_q, out->tau_u);
        for (int up = l->parent; up > 0; up = m->links[up].parent) /* rows of this link, columns of all before it */
            for (int k = l->v; k < l->v + l->nv; k++)
                for (int j = m->links[up].v; j < m->links[up].v + m->links[up].nv; j++) {
                    const column *ck = &d->col[k], *cj = &d->col[j];
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
    prepare(m, w, s, NULL, d);
    memset(C, 0, nv * nv * sizeof *C);
    for (int i = 1; i < m->link_count; i++)
        for (int k = m->links[i].v; k < m->links[i].v + m->links[i].nv; k++) {
            const column *ck = &d->col[k];
            jn_wrench b = wr_add(rigid_mul(&d->I[i], ck->rate), wr_scale(0.5, multiply(d->B[i], ck->J)));
            for (int up = i; up > 0; up = m->links[up].parent)
                for (int j = m->links[up].v; j < m->links[up].v + m->links[up].nv; j++) {
                    const column *cj = &d->col[j];
                    C[(size_t)j * nv + (size_t)k] = tw_dot(cj->J, b);
                    C[(size_t)k * nv + (size_t)j] = tw_dot(cj->rate, ck->IJ) + 0.5 * tw_dot(cj->J, ck->BtJ);
                }
        }
}

/* ---------------------------------------------------------------------------------------------------------- memory */

jn_derivatives *jn_derivatives_create(const jn_model *m) {
    size_t links = (size_t)m->link_count, nv = (size_t)m->nv, square = nv * nv + 1;
    struct jn_derivatives_work *d;
    size_t size =
        sizeof(jn_derivatives) + sizeof *d +
        links * (2 * sizeof(jn_twist) + sizeof(jn_vec3) + sizeof(jn_rigid) + sizeof(jn_wrench) + sizeof(matrix6)) +
        nv * sizeof(column) + (5 * square + 2 * nv) * sizeof(double);
    jn_derivatives *out = jn_malloc(size);
    if (!out) return NULL;
    memset(out, 0, size);
    d = out->work = (struct jn_derivatives_work *)(out + 1);
    d->V = (jn_twist *)(d + 1);
    d->A = d->V + links;
    d->c = (jn_vec3 *)(d->A + links);
    d->I = (jn_rigid *)(d->c + links);
    d->F = (jn_wrench *)(d->I + links);
    d->B = (matrix6 *)(d->F + links);
    d->col = (column *)(d->B + links);
    double *x = (double *)(d->col + nv);
    out->nv = m->nv;
    out->tau_q = x, x += square;
    out->tau_u = x, x += square;
    out->a_q = x, x += square;
    out->a_u = x, x += square;
    out->a_tau = x, x += square;
    out->a = x, x += nv;
    d->x = x;
    return out;
}

void jn_derivatives_free(jn_derivatives *d) { jn_free(d); }

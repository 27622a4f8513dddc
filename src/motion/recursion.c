/* Recursive inverse and forward dynamics, O(n). All quantities in world axes at the links' origins, accelerations are
 * those of material points, so that going from a link to its parent is a shift and nothing else.
 * Gravity enters as an upward acceleration of the ground. */
#include "motion/work.h"
#include <string.h>

void jn_rnea_accelerations(const jn_model *m, jn_work *w, const double *a, bool with_gravity) {
    w->A[0] = (jn_twist){v3(0, 0, 0), with_gravity ? v3_neg(m->gravity) : v3(0, 0, 0)};
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const jn_link_motion *B = &w->link[i];
        jn_twist A = tw_add(tw_shift(w->A[l->parent], B->r), B->bias);
        if (a)
            for (int k = 0; k < l->nv; k++) A = tw_axpy(a[l->v + k], w->S[l->v + k], A);
        w->A[i] = A;
    }
}

/* Newton-Euler at the link's origin: f = m a_c, n = J alpha + w x J w + c x f. */
static inline jn_wrench inertial_load(const jn_link *l, const jn_link_motion *B, jn_twist A) {
    jn_vec3 w = m3_tmul_v(&B->R, B->V.w), alpha = m3_tmul_v(&B->R, A.w);
    jn_vec3 n = v3_add(s3_mul_v(&l->inertia, alpha), v3_cross(w, s3_mul_v(&l->inertia, w)));
    jn_vec3 a_c = v3_add(A.v, v3_add(v3_cross(A.w, B->c), v3_cross(B->V.w, v3_cross(B->V.w, B->c))));
    jn_vec3 f = v3_scale(l->mass, a_c);
    return (jn_wrench){v3_add(m3_mul_v(&B->R, n), v3_cross(B->c, f)), f};
}

void jn_rnea_forces(const jn_model *m, jn_work *w, const jn_wrench *load, double *tau) {
    for (int i = 1; i < m->link_count; i++) {
        w->F[i] = inertial_load(&m->links[i], &w->link[i], w->A[i]);
        if (load) w->F[i] = wr_sub(w->F[i], load[i]);
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        if (tau)
            for (int k = l->v; k < l->v + l->nv; k++) tau[k] = tw_dot(w->S[k], w->F[i]);
        if (l->parent > 0) w->F[l->parent] = wr_add(w->F[l->parent], wr_shift(w->F[i], w->link[i].r));
    }
}

void jn_rnea_loaded(const jn_model *m, jn_work *w, const double *a, const jn_wrench *load, double *tau) {
    if (m->flat) {
        jn_planar_forces(m, w, a, load, tau);
        return;
    }
    jn_rnea_accelerations(m, w, a, true);
    jn_rnea_forces(m, w, load, tau);
}

void jn_rnea(const jn_model *m, jn_work *w, const jn_state *s, const double *a, double *tau) {
    jn_kinematics(m, w, s);
    jn_rnea_accelerations(m, w, a, true);
    jn_rnea_forces(m, w, NULL, tau);
    for (int k = 0; k < m->nv && a && m->armature; k++) tau[k] += m->armature[k] * a[k];
}

/* Rigid inertia of a link about its origin, and the load of its own rotation. */
static inline void start_link(const jn_link *l, const jn_link_motion *B, jn_artic *I, jn_wrench *p) {
    jn_sym3 J = s3_rotate(&B->R, &l->inertia);
    jn_vec3 h = v3_scale(l->mass, B->c), w = B->V.w;
    jn_vec3 f = v3_cross(w, v3_cross(w, h));
    *p = (jn_wrench){v3_add(v3_cross(w, s3_mul_v(&J, w)), v3_cross(B->c, f)), f};
    I->A = s3_add(J, s3_point_mass(l->mass, B->c));
    I->B = (jn_mat3){{0, -h.z, h.y, h.z, 0, -h.x, -h.y, h.x, 0}};
    I->C = (jn_sym3){l->mass, l->mass, l->mass, 0, 0, 0};
}

/* I -= U U^T d. */
static inline void remove_motion(jn_artic *I, jn_wrench U, double d) {
    jn_vec3 n = v3_scale(d, U.n), f = v3_scale(d, U.f);
    I->A.xx = jn_fma(-n.x, U.n.x, I->A.xx), I->A.yy = jn_fma(-n.y, U.n.y, I->A.yy), I->A.zz = jn_fma(-n.z, U.n.z, I->A.zz);
    I->A.xy = jn_fma(-n.x, U.n.y, I->A.xy), I->A.xz = jn_fma(-n.x, U.n.z, I->A.xz), I->A.yz = jn_fma(-n.y, U.n.z, I->A.yz);
    I->C.xx = jn_fma(-f.x, U.f.x, I->C.xx), I->C.yy = jn_fma(-f.y, U.f.y, I->C.yy), I->C.zz = jn_fma(-f.z, U.f.z, I->C.zz);
    I->C.xy = jn_fma(-f.x, U.f.y, I->C.xy), I->C.xz = jn_fma(-f.x, U.f.z, I->C.xz), I->C.yz = jn_fma(-f.y, U.f.z, I->C.yz);
    double *B = I->B.m;
    B[0] = jn_fma(-n.x, U.f.x, B[0]), B[1] = jn_fma(-n.x, U.f.y, B[1]), B[2] = jn_fma(-n.x, U.f.z, B[2]);
    B[3] = jn_fma(-n.y, U.f.x, B[3]), B[4] = jn_fma(-n.y, U.f.y, B[4]), B[5] = jn_fma(-n.y, U.f.z, B[5]);
    B[6] = jn_fma(-n.z, U.f.x, B[6]), B[7] = jn_fma(-n.z, U.f.y, B[7]), B[8] = jn_fma(-n.z, U.f.z, B[8]);
}

/* Cholesky factor of a small symmetric matrix in place (lower triangle, row major with stride n). False: not positive. */
static bool small_cholesky(int n, double *a) {
    for (int j = 0; j < n; j++) {
        double limit = 1e-14 * a[j * n + j];
        for (int k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
        if (!(a[j * n + j] > limit)) return false;
        a[j * n + j] = sqrt(a[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
    return true;
}

static void small_lower(int n, const double *a, double *x) { /* x = L \ x */
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= a[i * n + k] * x[k];
        x[i] /= a[i * n + i];
    }
}

static void small_upper(int n, const double *a, double *x) { /* x = L^T \ x */
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= a[k * n + i] * x[k];
        x[i] /= a[i * n + i];
    }
}

/* One velocity: D = S.U is a number. */
static inline bool inward_single(jn_work *w, const jn_link *l, const double *rotor, jn_artic *I, jn_wrench *p,
                                 const double *tau) {
    const jn_twist S = w->S[l->v];
    jn_wrench U;
    if (l->type == JN_JOINT_REVOLUTE) /* S = (s, 0) at the joint's own point */
        U = (jn_wrench){s3_mul_v(&I->A, S.w), m3_tmul_v(&I->B, S.w)};
    else
        U = artic_mul(I, S);
    double D = tw_dot(S, U) + (rotor ? rotor[l->v] : 0);
    if (!(D > 0)) return false;
    double d = 1 / D, eta = tau[l->v] - tw_dot(S, *p);
    w->U[l->v] = U;
    w->D[l->v] = d;
    w->eta[l->v] = eta;
    remove_motion(I, U, d);
    *p = wr_add(*p, wr_scale(d * eta, U));
    return true;
}

/* Several velocities: D = S^T U is a small matrix, factored; U is kept as L^-1 U^T so that U D^-1 U^T is a sum of squares. */
static bool inward_block(jn_work *w, const jn_link *l, int i, const double *rotor, jn_artic *I, jn_wrench *p,
                         const double *tau) {
    int n = l->nv;
    double *D = w->block[w->block_of[i]], x[6];
    jn_wrench *U = w->U + l->v;
    const jn_twist *S = w->S + l->v;
    for (int k = 0; k < n; k++) U[k] = artic_mul(I, S[k]);
    for (int k = 0; k < n; k++)
        for (int j = 0; j <= k; j++) D[k * n + j] = tw_dot(S[k], U[j]);
    for (int k = 0; k < n && rotor; k++) D[k * n + k] += rotor[l->v + k];
    if (!small_cholesky(n, D)) return false;
    for (int k = 0; k < n; k++) x[k] = w->eta[l->v + k] = tau[l->v + k] - tw_dot(S[k], *p);
    small_lower(n, D, x);
    for (int k = 0; k < n; k++) { /* forward substitution on the wrenches */
        for (int j = 0; j < k; j++) U[k] = wr_sub(U[k], wr_scale(D[k * n + j], U[j]));
        U[k] = wr_scale(1 / D[k * n + k], U[k]);
    }
    for (int k = 0; k < n; k++) {
        remove_motion(I, U[k], 1);
        *p = wr_add(*p, wr_scale(x[k], U[k]));
    }
    return true;
}

static void outward_block(const jn_work *w, const jn_link *l, int i, jn_twist A, double *a) {
    int n = l->nv;
    const double *D = w->block[w->block_of[i]];
    double *x = a + l->v;
    for (int k = 0; k < n; k++) x[k] = w->eta[l->v + k];
    small_lower(n, D, x);
    for (int k = 0; k < n; k++) x[k] -= tw_dot(A, w->U[l->v + k]);
    small_upper(n, D, x);
}

/* Newton and Euler for one free body at its centre of mass: a = f/m + g, J alpha = n - w x J w. */
static inline void accelerate_alone(const jn_model *m, jn_work *w, int i, const double *tau, const jn_wrench *load,
                                    double *a) {
    const jn_link *l = &m->links[i];
    const jn_link_motion *B = &w->link[i];
    const double *t = tau + l->v;
    jn_vec3 f = v3(t[0], t[1], t[2]), n = v3(t[3], t[4], t[5]);
    if (load) f = v3_add(f, load[i].f), n = v3_add(n, load[i].n);
    jn_vec3 wb = m3_tmul_v(&B->R, B->V.w), nb = m3_tmul_v(&B->R, n);
    nb = v3_sub(nb, v3_cross(wb, s3_mul_v(&l->inertia, wb)));
    jn_vec3 alpha = m3_mul_v(&B->R, s3_mul_v(&l->inverse, nb)), free = v3_scale(1 / l->mass, f);
    jn_vec3 a_c = v3_add(free, m->gravity);
    double *x = a + l->v;
    x[0] = a_c.x, x[1] = a_c.y, x[2] = a_c.z, x[3] = alpha.x, x[4] = alpha.y, x[5] = alpha.z;
    w->A[i] = (jn_twist){alpha, free};
}

/* still: as if nothing moved, under gravity and nothing else. */
static inline int recurse(const jn_model *m, jn_work *w, const double *tau, const jn_wrench *load, double *a,
                          const bool still) {
    w->counts.factorisations++;
    for (int i = 1; i < m->link_count; i++) {
        if (m->links[i].alone) continue;
        start_link(&m->links[i], &w->link[i], &w->IA[i], &w->pA[i]);
        if (still) w->pA[i] = wr_zero();
        if (load) w->pA[i] = wr_sub(w->pA[i], load[i]);
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        if (l->alone) continue;
        jn_artic *I = &w->IA[i];
        jn_wrench *p = &w->pA[i];
        bool fine = l->nv == 1 ? inward_single(w, l, m->armature, I, p, tau)
                               : l->nv == 0 || inward_block(w, l, i, m->armature, I, p, tau);
        if (!fine) return JN_ERR_NUMERIC;
        if (l->parent == 0) continue;
        if (!still) *p = wr_add(*p, artic_mul(I, w->link[i].bias));
        artic_shift_add(&w->IA[l->parent], I, w->link[i].r);
        w->pA[l->parent] = wr_add(w->pA[l->parent], wr_shift(*p, w->link[i].r));
    }
    w->A[0] = (jn_twist){v3(0, 0, 0), v3_neg(m->gravity)};
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        if (l->alone && !still) {
            accelerate_alone(m, w, i, tau, load, a);
            continue;
        }
        if (l->alone) { /* its velocities have the axes of the world */
            const double own[6] = {m->gravity.x, m->gravity.y, m->gravity.z, 0, 0, 0};
            memcpy(a + l->v, own, sizeof own);
            continue;
        }
        const jn_link_motion *B = &w->link[i];
        jn_twist A = tw_shift(w->A[l->parent], B->r);
        if (!still) A = tw_add(A, B->bias);
        if (l->nv == 1)
            a[l->v] = w->D[l->v] * (w->eta[l->v] - tw_dot(A, w->U[l->v]));
        else if (l->nv > 1)
            outward_block(w, l, i, A, a);
        for (int k = l->v; k < l->v + l->nv; k++) A = tw_axpy(a[k], w->S[k], A);
        w->A[i] = A;
    }
    return JN_OK;
}

int jn_aba_loaded(const jn_model *m, jn_work *w, const double *tau, const jn_wrench *load, double *a) {
    return recurse(m, w, tau, load, a, false);
}

int jn_aba_falling(const jn_model *m, jn_work *w, double *a) {
    return recurse(m, w, w->scratch, NULL, a, true); /* which is zero */
}

int jn_aba(const jn_model *m, jn_work *w, const jn_state *s, const double *tau, double *a) {
    jn_kinematics(m, w, s);
    return jn_aba_loaded(m, w, tau, NULL, a);
}

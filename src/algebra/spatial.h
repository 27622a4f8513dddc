/* Twists, wrenches and inertias in axes parallel to the world, each taken at a point that is named with it.
 * Going from one point to another is a shift by the vector between them; no rotation is ever needed. */
#ifndef JN_ALGEBRA_SPATIAL_H
#define JN_ALGEBRA_SPATIAL_H

#include "algebra/vec3.h"

static inline jn_twist tw_zero(void) { return (jn_twist){{0, 0, 0}, {0, 0, 0}}; }
static inline jn_wrench wr_zero(void) { return (jn_wrench){{0, 0, 0}, {0, 0, 0}}; }
static inline jn_twist tw_add(jn_twist a, jn_twist b) { return (jn_twist){v3_add(a.w, b.w), v3_add(a.v, b.v)}; }
static inline jn_wrench wr_add(jn_wrench a, jn_wrench b) { return (jn_wrench){v3_add(a.n, b.n), v3_add(a.f, b.f)}; }
static inline jn_wrench wr_sub(jn_wrench a, jn_wrench b) { return (jn_wrench){v3_sub(a.n, b.n), v3_sub(a.f, b.f)}; }
static inline jn_wrench wr_scale(double s, jn_wrench a) { return (jn_wrench){v3_scale(s, a.n), v3_scale(s, a.f)}; }
static inline jn_twist tw_axpy(double s, jn_twist a, jn_twist b) {
    return (jn_twist){v3_axpy(s, a.w, b.w), v3_axpy(s, a.v, b.v)};
}
/* Power of a wrench on a twist, both at the same point. */
static inline double tw_dot(jn_twist t, jn_wrench f) { return v3_dot(t.w, f.n) + v3_dot(t.v, f.f); }
/* The twist seen at a point that lies r further. */
static inline jn_twist tw_shift(jn_twist t, jn_vec3 r) { return (jn_twist){t.w, v3_add(t.v, v3_cross(t.w, r))}; }
/* A wrench given at the point r, reduced to the origin of r. */
static inline jn_wrench wr_shift(jn_wrench f, jn_vec3 r) { return (jn_wrench){v3_add(f.n, v3_cross(r, f.f)), f.f}; }

/* Inertia of a rigid body (or of several moving as one) about a point: mass, first moment m c, second moment. */
typedef struct jn_rigid {
    double m;
    jn_vec3 h;
    jn_sym3 J;
} jn_rigid;

/* The same inertia about a point from which the old point lies at r. */
static inline jn_rigid rigid_shift(jn_rigid a, jn_vec3 r) {
    /* J' = J + (2 h.r + m r.r) 1 - (h r^T + r h^T + m r r^T) */
    jn_vec3 k = v3_axpy(a.m, r, a.h); /* h + m r */
    double d = v3_dot(r, v3_add(a.h, k));
    jn_sym3 J = {a.J.xx + d - (a.h.x * r.x + r.x * k.x), a.J.yy + d - (a.h.y * r.y + r.y * k.y),
                 a.J.zz + d - (a.h.z * r.z + r.z * k.z), a.J.xy - (a.h.x * r.y + r.x * k.y),
                 a.J.xz - (a.h.x * r.z + r.x * k.z),     a.J.yz - (a.h.y * r.z + r.y * k.z)};
    return (jn_rigid){a.m, k, J};
}
static inline jn_rigid rigid_add(jn_rigid a, jn_rigid b) {
    return (jn_rigid){a.m + b.m, v3_add(a.h, b.h), s3_add(a.J, b.J)};
}
/* Momentum (or inertial load) of the twist t: n = J w + h x v, f = m v - h x w. */
static inline jn_wrench rigid_mul(const jn_rigid *a, jn_twist t) {
    return (jn_wrench){v3_add(s3_mul_v(&a->J, t.w), v3_cross(a->h, t.v)),
                       v3_sub(v3_scale(a->m, t.v), v3_cross(a->h, t.w))};
}

/* Articulated-body inertia: symmetric 6x6 in blocks, n = A w + B v, f = B^T w + C v. */
typedef struct jn_artic {
    jn_sym3 A, C;
    jn_mat3 B;
} jn_artic;

static inline jn_wrench artic_mul(const jn_artic *I, jn_twist t) {
    return (jn_wrench){v3_add(s3_mul_v(&I->A, t.w), m3_mul_v(&I->B, t.v)),
                       v3_add(m3_tmul_v(&I->B, t.w), s3_mul_v(&I->C, t.v))};
}

/* out += I moved to a point from which the old point lies at r: C' = C, B' = B + r~ C, A' = A + r~ B^T - B' r~. */
static inline void artic_shift_add(jn_artic *out, const jn_artic *I, jn_vec3 r) {
    const jn_sym3 *C = &I->C, *A = &I->A;
    const double *B = I->B.m;
    double b[9]; /* B' */
    b[0] = jn_fma(r.y, C->xz, jn_fma(-r.z, C->xy, B[0])), b[1] = jn_fma(r.y, C->yz, jn_fma(-r.z, C->yy, B[1])),
    b[2] = jn_fma(r.y, C->zz, jn_fma(-r.z, C->yz, B[2]));
    b[3] = jn_fma(-r.x, C->xz, jn_fma(r.z, C->xx, B[3])), b[4] = jn_fma(-r.x, C->yz, jn_fma(r.z, C->xy, B[4])),
    b[5] = jn_fma(-r.x, C->zz, jn_fma(r.z, C->xz, B[5]));
    b[6] = jn_fma(r.x, C->xy, jn_fma(-r.y, C->xx, B[6])), b[7] = jn_fma(r.x, C->yy, jn_fma(-r.y, C->xy, B[7])),
    b[8] = jn_fma(r.x, C->yz, jn_fma(-r.y, C->xz, B[8]));
    out->C = s3_add(out->C, *C);
    for (int k = 0; k < 9; k++) out->B.m[k] += b[k];
    out->A.xx += A->xx + jn_dot2(-r.z, B[1], r.y, B[2]) + jn_dot2(-r.z, b[1], r.y, b[2]);
    out->A.yy += A->yy + jn_dot2(-r.x, B[5], r.z, B[3]) + jn_dot2(-r.x, b[5], r.z, b[3]);
    out->A.zz += A->zz + jn_dot2(-r.y, B[6], r.x, B[7]) + jn_dot2(-r.y, b[6], r.x, b[7]);
    out->A.xy += A->xy + jn_dot2(-r.z, B[4], r.y, B[5]) + jn_dot2(-r.x, b[2], r.z, b[0]);
    out->A.xz += A->xz + jn_dot2(-r.z, B[7], r.y, B[8]) + jn_dot2(-r.y, b[0], r.x, b[1]);
    out->A.yz += A->yz + jn_dot2(-r.x, B[8], r.z, B[6]) + jn_dot2(-r.y, b[3], r.x, b[4]);
}

#endif

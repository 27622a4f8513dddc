/* Vectors, matrices and quaternions by value. Inline, no allocation, no errors. */
#ifndef JN_ALGEBRA_VEC3_H
#define JN_ALGEBRA_VEC3_H

#include "algebra/elementary.h"
#include "algebra/scalar.h"

#include <jounce/algebra.h>
#include <math.h>
#include <stdbool.h>

static inline jn_vec3 v3(double x, double y, double z) { return (jn_vec3){x, y, z}; }
static inline jn_vec3 v3_add(jn_vec3 a, jn_vec3 b) { return v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline jn_vec3 v3_sub(jn_vec3 a, jn_vec3 b) { return v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline jn_vec3 v3_neg(jn_vec3 a) { return v3(-a.x, -a.y, -a.z); }
static inline jn_vec3 v3_scale(double s, jn_vec3 a) { return v3(s * a.x, s * a.y, s * a.z); }
static inline jn_vec3 v3_axpy(double s, jn_vec3 a, jn_vec3 b) {
    return v3(jn_fma(s, a.x, b.x), jn_fma(s, a.y, b.y), jn_fma(s, a.z, b.z));
}
static inline double v3_dot(jn_vec3 a, jn_vec3 b) { return jn_dot3(a.x, b.x, a.y, b.y, a.z, b.z); }
static inline double v3_norm(jn_vec3 a) { return sqrt(v3_dot(a, a)); }
static inline jn_vec3 v3_cross(jn_vec3 a, jn_vec3 b) {
    return v3(jn_fma(a.y, b.z, -(a.z * b.y)), jn_fma(a.z, b.x, -(a.x * b.z)), jn_fma(a.x, b.y, -(a.y * b.x)));
}
static inline jn_vec3 v3_unit(jn_vec3 a) { return v3_scale(1 / v3_norm(a), a); }
static inline double v3_get(jn_vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }
static inline jn_vec3 v3_axis(int k) { return v3(k == 0, k == 1, k == 2); }

/* The coordinate axis that is furthest from the direction of a. */
static inline jn_vec3 v3_far_axis(jn_vec3 a) {
    return fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z) ? v3(1, 0, 0)
           : fabs(a.y) <= fabs(a.z)                         ? v3(0, 1, 0)
                                                            : v3(0, 0, 1);
}
/* r turned as the smallest rotation does that takes the unit vector a to b, which is not opposite; the same bits where a is b. */
static inline jn_vec3 v3_turn_along(jn_vec3 a, jn_vec3 b, jn_vec3 r) {
    if (a.x == b.x && a.y == b.y && a.z == b.z) return r;
    jn_vec3 w = v3_cross(a, b), wr = v3_cross(w, r);
    return v3_add(r, v3_axpy(1 / (1 + v3_dot(a, b)), v3_cross(w, wr), wr));
}
/* Some unit vector normal to the unit vector a. */
static inline jn_vec3 v3_any_normal(jn_vec3 a) { return v3_unit(v3_cross(a, v3_far_axis(a))); }

static inline jn_mat3 m3_identity(void) { return (jn_mat3){{1, 0, 0, 0, 1, 0, 0, 0, 1}}; }
static inline jn_vec3 m3_mul_v(const jn_mat3 *A, jn_vec3 x) { /* A x */
    const double *m = A->m;
    return v3(jn_dot3(m[0], x.x, m[1], x.y, m[2], x.z), jn_dot3(m[3], x.x, m[4], x.y, m[5], x.z),
              jn_dot3(m[6], x.x, m[7], x.y, m[8], x.z));
}
static inline jn_vec3 m3_tmul_v(const jn_mat3 *A, jn_vec3 x) { /* A^T x */
    const double *m = A->m;
    return v3(jn_dot3(m[0], x.x, m[3], x.y, m[6], x.z), jn_dot3(m[1], x.x, m[4], x.y, m[7], x.z),
              jn_dot3(m[2], x.x, m[5], x.y, m[8], x.z));
}
static inline jn_mat3 m3_mul(const jn_mat3 *A, const jn_mat3 *B) { /* A B */
    jn_mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[3 * i + j] = jn_dot3(A->m[3 * i], B->m[j], A->m[3 * i + 1], B->m[3 + j], A->m[3 * i + 2], B->m[6 + j]);
    return C;
}
static inline jn_mat3 m3_transpose(const jn_mat3 *A) {
    const double *m = A->m;
    return (jn_mat3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline jn_vec3 m3_column(const jn_mat3 *A, int k) { return v3(A->m[k], A->m[3 + k], A->m[6 + k]); }
static inline jn_mat3 m3_from_columns(jn_vec3 a, jn_vec3 b, jn_vec3 c) {
    return (jn_mat3){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}

/* Rodrigues' formula: rotation by an angle about a unit axis, from its cosine and sine. */
static inline jn_mat3 m3_rotation(jn_vec3 a, double c, double s) {
    double t = 1 - c, tx = t * a.x, ty = t * a.y, tz = t * a.z, sx = s * a.x, sy = s * a.y, sz = s * a.z;
    return (jn_mat3){{jn_fma(tx, a.x, c), jn_fma(tx, a.y, -sz), jn_fma(tx, a.z, sy), jn_fma(tx, a.y, sz),
                      jn_fma(ty, a.y, c), jn_fma(ty, a.z, -sx), jn_fma(tx, a.z, -sy), jn_fma(ty, a.z, sx),
                      jn_fma(tz, a.z, c)}};
}

static inline jn_quat q4_identity(void) { return (jn_quat){1, 0, 0, 0}; }
static inline jn_quat q4_conj(jn_quat q) { return (jn_quat){q.w, -q.x, -q.y, -q.z}; }
static inline jn_quat q4_mul(jn_quat a, jn_quat b) {
    return (jn_quat){jn_fma(-a.z, b.z, jn_dot3(a.w, b.w, -a.x, b.x, -a.y, b.y)),
                     jn_fma(-a.z, b.y, jn_dot3(a.w, b.x, a.x, b.w, a.y, b.z)),
                     jn_fma(a.z, b.x, jn_dot3(a.w, b.y, -a.x, b.z, a.y, b.w)),
                     jn_fma(a.z, b.w, jn_dot3(a.w, b.z, a.x, b.y, -a.y, b.x))};
}
static inline double q4_norm(jn_quat q) { return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z); }
static inline jn_quat q4_unit(jn_quat q) {
    double s = 1 / q4_norm(q);
    return (jn_quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
static inline jn_mat3 q4_matrix(jn_quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (jn_mat3){{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx),
                      2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}
static inline jn_vec3 q4_rotate(jn_quat q, jn_vec3 a) { /* q a q* */
    jn_vec3 u = v3(q.x, q.y, q.z), t = v3_scale(2, v3_cross(u, a));
    return v3_add(v3_axpy(q.w, t, a), v3_cross(u, t));
}
/* Quaternion of the rotation vector phi (angle times axis). */
static inline jn_quat q4_exp(jn_vec3 phi) {
    double a2 = v3_dot(phi, phi), a = sqrt(a2);
    double s = a < 1e-4 ? 0.5 - a2 / 48 + a2 * a2 / 3840 : jn_sin(0.5 * a) / a;
    return (jn_quat){jn_cos(0.5 * a), s * phi.x, s * phi.y, s * phi.z};
}
/* Rotation vector of a unit quaternion, the shorter way round. */
static inline jn_vec3 q4_log(jn_quat q) {
    if (q.w < 0) q = (jn_quat){-q.w, -q.x, -q.y, -q.z};
    double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double k = s < 1e-8 ? 2 : 2 * jn_atan2(s, q.w) / s;
    return v3(k * q.x, k * q.y, k * q.z);
}
/* Unit quaternion of a rotation matrix (Shepperd's method: the largest component first). */
static inline jn_quat q4_from_matrix(const jn_mat3 *R) {
    const double *m = R->m;
    double tr = m[0] + m[4] + m[8], s;
    jn_quat q;
    if (tr > m[0] && tr > m[4] && tr > m[8]) {
        s = 2 * sqrt(1 + tr);
        q = (jn_quat){s / 4, (m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s};
    } else if (m[0] >= m[4] && m[0] >= m[8]) {
        s = 2 * sqrt(1 + m[0] - m[4] - m[8]);
        q = (jn_quat){(m[7] - m[5]) / s, s / 4, (m[1] + m[3]) / s, (m[2] + m[6]) / s};
    } else if (m[4] >= m[8]) {
        s = 2 * sqrt(1 - m[0] + m[4] - m[8]);
        q = (jn_quat){(m[2] - m[6]) / s, (m[1] + m[3]) / s, s / 4, (m[5] + m[7]) / s};
    } else {
        s = 2 * sqrt(1 - m[0] - m[4] + m[8]);
        q = (jn_quat){(m[3] - m[1]) / s, (m[2] + m[6]) / s, (m[5] + m[7]) / s, s / 4};
    }
    return q.w < 0 ? (jn_quat){-q.w, -q.x, -q.y, -q.z} : q;
}

static inline jn_vec3 s3_mul_v(const jn_sym3 *A, jn_vec3 x) { /* A x */
    return v3(jn_dot3(A->xx, x.x, A->xy, x.y, A->xz, x.z), jn_dot3(A->xy, x.x, A->yy, x.y, A->yz, x.z),
              jn_dot3(A->xz, x.x, A->yz, x.y, A->zz, x.z));
}
static inline jn_sym3 s3_add(jn_sym3 a, jn_sym3 b) {
    return (jn_sym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
/* R A R^T. */
/* A^-1 of a positive definite matrix; false if it is not. */
static inline bool s3_inverse(const jn_sym3 *A, jn_sym3 *out) {
    double xx = A->yy * A->zz - A->yz * A->yz, xy = A->xz * A->yz - A->xy * A->zz, xz = A->xy * A->yz - A->xz * A->yy;
    double det = A->xx * xx + A->xy * xy + A->xz * xz, size = A->xx * A->yy * A->zz;
    if (!(A->xx > 0 && A->xx * A->yy - A->xy * A->xy > 0 && det > 1e-12 * size)) return false;
    double d = 1 / det;
    *out = (jn_sym3){d * xx, d * (A->xx * A->zz - A->xz * A->xz), d * (A->xx * A->yy - A->xy * A->xy), d * xy,
                     d * xz, d * (A->xy * A->xz - A->xx * A->yz)};
    return true;
}

static inline jn_sym3 s3_rotate(const jn_mat3 *R, const jn_sym3 *A) {
    const double *r = R->m;
    jn_vec3 a = s3_mul_v(A, v3(r[0], r[1], r[2])), b = s3_mul_v(A, v3(r[3], r[4], r[5])),
            c = s3_mul_v(A, v3(r[6], r[7], r[8]));
    return (jn_sym3){jn_dot3(r[0], a.x, r[1], a.y, r[2], a.z), jn_dot3(r[3], b.x, r[4], b.y, r[5], b.z),
                     jn_dot3(r[6], c.x, r[7], c.y, r[8], c.z), jn_dot3(r[3], a.x, r[4], a.y, r[5], a.z),
                     jn_dot3(r[6], a.x, r[7], a.y, r[8], a.z), jn_dot3(r[6], b.x, r[7], b.y, r[8], b.z)};
}
/* Inertia of a point mass m at c about the origin: m (|c|^2 1 - c c^T). */
static inline jn_sym3 s3_point_mass(double m, jn_vec3 c) {
    double xx = m * c.x * c.x, yy = m * c.y * c.y, zz = m * c.z * c.z;
    return (jn_sym3){yy + zz, xx + zz, xx + yy, -m * c.x * c.y, -m * c.x * c.z, -m * c.y * c.z};
}

#endif

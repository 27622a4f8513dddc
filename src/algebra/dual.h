/* Numbers and vectors with their change along one direction: (a, a') (b, b') = (a b, a' b + a b'). What is written with them is
 * differentiated exactly. */
#ifndef JN_ALGEBRA_DUAL_H
#define JN_ALGEBRA_DUAL_H

#include "algebra/elementary.h"
#include "algebra/vec3.h"

typedef struct jn_dual {
    double v, d; /* value and change */
} jn_dual;

typedef struct jn_dual3 {
    jn_vec3 v, d;
} jn_dual3;

static inline jn_dual du(double v) { return (jn_dual){v, 0}; }
static inline jn_dual du_add(jn_dual a, jn_dual b) { return (jn_dual){a.v + b.v, a.d + b.d}; }
static inline jn_dual du_sub(jn_dual a, jn_dual b) { return (jn_dual){a.v - b.v, a.d - b.d}; }
static inline jn_dual du_scale(double k, jn_dual a) { return (jn_dual){k * a.v, k * a.d}; }
static inline jn_dual du_mul(jn_dual a, jn_dual b) { return (jn_dual){a.v * b.v, a.d * b.v + a.v * b.d}; }
static inline jn_dual du_div(jn_dual a, jn_dual b) {
    double q = a.v / b.v;
    return (jn_dual){q, (a.d - q * b.d) / b.v};
}
static inline jn_dual du_sqrt(jn_dual a) { /* its slope at zero is taken as zero */
    double r = sqrt(a.v);
    return (jn_dual){r, r > 0 ? a.d / (2 * r) : 0};
}
static inline jn_dual du_asin(jn_dual a) { return (jn_dual){jn_asin(a.v), a.d / sqrt(1 - a.v * a.v)}; }
static inline jn_dual du_sin(jn_dual a) { return (jn_dual){jn_sin(a.v), a.d * jn_cos(a.v)}; }
static inline jn_dual du_cos(jn_dual a) { return (jn_dual){jn_cos(a.v), -a.d * jn_sin(a.v)}; }
static inline jn_dual du_atan2(jn_dual y, jn_dual x) {
    return (jn_dual){jn_atan2(y.v, x.v), (y.d * x.v - y.v * x.d) / (x.v * x.v + y.v * y.v)};
}

static inline jn_dual3 du3_add(jn_dual3 a, jn_dual3 b) { return (jn_dual3){v3_add(a.v, b.v), v3_add(a.d, b.d)}; }
static inline jn_dual3 du3_sub(jn_dual3 a, jn_dual3 b) { return (jn_dual3){v3_sub(a.v, b.v), v3_sub(a.d, b.d)}; }
static inline jn_dual3 du3_scale(jn_dual k, jn_dual3 a) {
    return (jn_dual3){v3_scale(k.v, a.v), v3_axpy(k.d, a.v, v3_scale(k.v, a.d))};
}
static inline jn_dual du3_dot(jn_dual3 a, jn_dual3 b) {
    return (jn_dual){v3_dot(a.v, b.v), v3_dot(a.d, b.v) + v3_dot(a.v, b.d)};
}
static inline jn_dual3 du3_cross(jn_dual3 a, jn_dual3 b) {
    return (jn_dual3){v3_cross(a.v, b.v), v3_add(v3_cross(a.d, b.v), v3_cross(a.v, b.d))};
}
static inline jn_dual du3_norm(jn_dual3 a) { return du_sqrt(du3_dot(a, a)); }
/* Unit vector; zero where there is none. */
static inline jn_dual3 du3_unit(jn_dual3 a) {
    jn_dual n = du3_norm(a);
    return n.v > 0 ? du3_scale(du_div(du(1), n), a) : (jn_dual3){{0, 0, 0}, {0, 0, 0}};
}

#endif

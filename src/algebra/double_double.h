/* A number as the unevaluated sum of two doubles, the second at most half a unit in the last place of the first: about 106 bits.
 *
 * Sums and products are exact transformations [Dekker1971], [Knuth1997, 4.2.2]. Where the processor has a fused multiply-add it gives the same
 * rest of a product as Dekker's splitting does, so the bits do not depend on it. Arguments stay between 1e-140 and 1e140. */
#ifndef JN_ALGEBRA_DOUBLE_DOUBLE_H
#define JN_ALGEBRA_DOUBLE_DOUBLE_H

#include <math.h>

typedef struct jn_double_double {
    double h, l;
} jn_double_double;

/* a + b exactly, |a| >= |b| or a = 0. */
static inline jn_double_double dd_fast_sum(double a, double b) {
    double s = a + b;
    return (jn_double_double){s, b - (s - a)};
}
/* a + b exactly. */
static inline jn_double_double dd_sum(double a, double b) {
    double s = a + b, part = s - a;
    return (jn_double_double){s, (a - (s - part)) + (b - part)};
}
/* a b exactly. */
static inline jn_double_double dd_product(double a, double b) {
    double p = a * b;
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return (jn_double_double){p, __builtin_fma(a, b, -p)};
#else
    double s = 0x8000001p0 * a, t = 0x8000001p0 * b; /* 2^27 + 1 */
    double ah = s - (s - a), al = a - ah, bh = t - (t - b), bl = b - bh;
    return (jn_double_double){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
#endif
}
static inline jn_double_double dd_negate(jn_double_double a) { return (jn_double_double){-a.h, -a.l}; }
static inline jn_double_double dd_scale(double power_of_two, jn_double_double a) {
    return (jn_double_double){power_of_two * a.h, power_of_two * a.l};
}
/* Relative error below 2^-102 where nothing cancels. */
static inline jn_double_double dd_add(jn_double_double a, jn_double_double b) {
    jn_double_double s = dd_sum(a.h, b.h), t = dd_sum(a.l, b.l);
    s = dd_fast_sum(s.h, s.l + t.h);
    return dd_fast_sum(s.h, s.l + t.l);
}
static inline jn_double_double dd_mul(jn_double_double a, jn_double_double b) {
    jn_double_double p = dd_product(a.h, b.h);
    return dd_fast_sum(p.h, p.l + (a.h * b.l + a.l * b.h));
}
static inline jn_double_double dd_div(jn_double_double a, jn_double_double b) {
    double q = a.h / b.h;
    jn_double_double p = dd_product(q, b.h);
    return dd_fast_sum(q, (((a.h - p.h) - p.l) + (a.l - q * b.l)) / b.h);
}
static inline jn_double_double dd_sqrt(jn_double_double a) {
    if (!(a.h > 0)) return (jn_double_double){0, 0};
    double r = sqrt(a.h);
    jn_double_double p = dd_product(r, r);
    return dd_fast_sum(r, (((a.h - p.h) - p.l) + a.l) / (2 * r));
}

#endif

/* sin, cos, tan and their inverses. Reduction by parts of pi/2 [Cody1980], of large angles by the bits of 2/pi [Payne1983]. */
#include "algebra/elementary.h"
#include "algebra/elementary_tables.h"
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* ---------------------------------------------------------------------------------------------------------- reduction */

/* x = quarter pi/2 + rest, |rest| <= pi/4 (and a little): quarter modulo 4. */
typedef struct angle {
    jn_double_double rest;
    int quarter;
} angle;

/* x modulo 2 pi: the mantissa times 192 bits of 2/pi, from the first on whose multiples are no multiple of 4. */
static angle reduce_large(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t m = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    int e = (int)(bits >> 52 & 2047) - 1075, start = e + 62, word = start >> 6, shift = start & 63; /* |x| = m 2^e */
    uint64_t w[3];
    for (int k = 0; k < 3; k++)
        w[k] =
            shift ? two_over_pi[word + k] << shift | two_over_pi[word + k + 1] >> (64 - shift) : two_over_pi[word + k];
    wide low = (wide)w[2] * m, middle = (wide)w[1] * m + (low >> 64);
    uint64_t high = w[0] * m + (uint64_t)(middle >> 64);
    /* two bits of the quarter, then the fraction */
    wide fraction = (wide)(high << 2 | (uint64_t)middle >> 62) << 64 | ((uint64_t)middle << 2 | (uint64_t)low >> 62);
    int quarter = (int)(high >> 62), negative = (int)(fraction >> 127);
    if (negative) fraction = -fraction, quarter++;
    uint64_t f1 = (uint64_t)(fraction >> 64), f0 = (uint64_t)fraction;
    jn_double_double f = dd_fast_sum((double)(f1 >> 32) * 0x1p-32, (double)(f1 & 0xffffffff) * 0x1p-64);
    f = dd_fast_sum(f.h, f.l + ((double)(f0 >> 32) * 0x1p-96 + (double)(f0 & 0xffffffff) * 0x1p-128));
    f = dd_mul(f, half_pi_pair);
    if (negative) f = dd_negate(f);
    return bits >> 63 ? (angle){dd_negate(f), -quarter & 3} : (angle){f, quarter & 3};
}

/* Of a finite angle. */
static angle reduce(double x) {
    if (fabs(x) < 0.785) return (angle){{x, 0}, 0};
    if (fabs(x) > 1e6) return reduce_large(x);
    const double nearest = 0x1.8p52;
    double n = (x * 0x1.45f306dc9c883p-1 + nearest) - nearest; /* 2/pi */
    jn_double_double r = dd_sum(x - n * half_pi_parts[0], -n * half_pi_parts[1]);
    jn_double_double s = dd_sum(r.h, -n * half_pi_parts[2]);
    return (angle){dd_fast_sum(s.h, s.l + (r.l - n * half_pi_parts[3])), (int)n & 3};
}

/* ------------------------------------------------------------------------------------------------------------ sin, cos */

/* [Ng1993, k_sin.c] */
static double sine(jn_double_double a) {
    double x = a.h, z = x * x, v = z * x;
    double r =
        8.33333333332248946124e-03 +
        z * (-1.98412698298579493134e-04 +
             z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
    return x - ((z * (0.5 * a.l - v * r) - a.l) + v * 1.66666666666666324348e-01);
}

/* [Ng1993, k_cos.c] */
static double cosine(jn_double_double a) {
    double x = a.h, z = x * x;
    double r = z * (4.16666666666666019037e-02 +
                    z * (-1.38888888888741095749e-03 +
                         z * (2.48015872894767294178e-05 +
                              z * (-2.75573143513906633035e-07 +
                                   z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    double half = 0.5 * z, most = 1 - half;
    return most + (((1 - most) - half) + (z * r - x * a.l));
}

double jn_sin(double x) {
    if (!isfinite(x)) return NAN;
    if (fabs(x) < 0x1p-27) return x;
    angle a = reduce(x);
    double y = a.quarter & 1 ? cosine(a.rest) : sine(a.rest);
    return a.quarter & 2 ? -y : y;
}

double jn_cos(double x) {
    if (!isfinite(x)) return NAN;
    angle a = reduce(x);
    double y = a.quarter & 1 ? sine(a.rest) : cosine(a.rest);
    return (a.quarter + 1) & 2 ? -y : y;
}

/* sin/cos by their series; the terms before the last ones in double-double numbers. */
double jn_tan(double x) {
    static const double S[] = {1.0 / 120,
                               -1.0 / 5040,
                               1.0 / 362880,
                               -1.0 / 39916800,
                               1.0 / 6227020800.0,
                               -1.0 / 1307674368000.0,
                               1.0 / 355687428096000.0};
    static const double C[] = {1.0 / 24,        -1.0 / 720,           1.0 / 40320,           -1.0 / 3628800,
                               1.0 / 479001600, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    if (!isfinite(x)) return NAN;
    if (fabs(x) < 0x1p-27) return x;
    angle a = reduce(x);
    double y = a.rest.h, s = S[6], c = C[6];
    jn_double_double z = dd_product(y, y),
            sixth = dd_mul(dd_mul(z, (jn_double_double){y, 0}), (jn_double_double){-0x1.5555555555555p-3, -0x1.5555555555555p-57});
    for (int k = 5; k >= 0; k--) s = S[k] + z.h * s, c = C[k] + z.h * c;
    double square = z.h * z.h;
    jn_double_double sin_ = dd_fast_sum(y, sixth.h), cos_ = dd_fast_sum(1, -0.5 * z.h);
    sin_ = dd_fast_sum(sin_.h, sin_.l + (sixth.l + (y * square * s + a.rest.l * (1 - 0.5 * z.h))));
    cos_ = dd_fast_sum(cos_.h, cos_.l + (square * c - 0.5 * z.l - y * a.rest.l));
    jn_double_double t = a.quarter & 1 ? dd_div(dd_negate(cos_), sin_) : dd_div(sin_, cos_);
    return t.h + t.l;
}

/* ------------------------------------------------------------------------------------------------------------- inverse */

/* atan(y/x) for 0 <= y <= x: atan(i/64) + atan d, d = (y - i x/64)/(x + i y/64). */
static jn_double_double arc(jn_double_double y, jn_double_double x) {
    int i = (int)(y.h / x.h * 64 + 0.5);
    if (i) {
        double c = i * (1.0 / 64);
        jn_double_double p = dd_product(c, x.h), q = dd_product(c, y.h), along = dd_fast_sum(x.h, q.h);
        jn_double_double across = dd_sum(y.h - p.h, y.l - (p.l + c * x.l)); /* the first difference is exact */
        x = (jn_double_double){along.h, along.l + (q.l + x.l + c * y.l)}, y = across;
    }
    jn_double_double d = dd_div(y, x);
    double z = d.h * d.h, tail = d.l + d.h * z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9))));
    if (!i) return dd_fast_sum(d.h, tail);
    jn_double_double sum = dd_fast_sum(arc_tangent[i].h, d.h);
    return dd_fast_sum(sum.h, sum.l + (tail + arc_tangent[i].l));
}

/* Angle of (x, y) for y >= 0, not both zero, between 0 and pi. */
static double angle_of(jn_double_double y, jn_double_double x) {
    jn_double_double ax = x.h < 0 ? dd_negate(x) : x, a;
    if (y.h <= ax.h) {
        a = arc(y, ax);
        if (x.h >= 0) return a.h + a.l;
        jn_double_double s = dd_fast_sum(pi_pair.h, -a.h);
        return s.h + (s.l + (pi_pair.l - a.l));
    }
    a = arc(ax, y);
    if (x.h >= 0) a = dd_negate(a);
    jn_double_double s = dd_fast_sum(half_pi_pair.h, a.h);
    return s.h + (s.l + (half_pi_pair.l + a.l));
}

double jn_atan2(double y, double x) {
    if (x != x || y != y) return x + y;
    double ax = fabs(x), ay = fabs(y);
    if (ay == 0) return signbit(x) ? copysign(pi_pair.h, y) : y;
    if (ax == INFINITY && ay == INFINITY) return copysign(x > 0 ? quarter_pi_pair.h : 3 * quarter_pi_pair.h, y);
    if (ax == INFINITY) return copysign(x > 0 ? 0 : pi_pair.h, y);
    if (ax == 0 || ay == INFINITY || ay > ax * 0x1p64) return copysign(half_pi_pair.h, y);
    if (x < 0 && ay < ax * 0x1p-64) return copysign(pi_pair.h, y);
    if (x > 0 && ay < ax * 0x1p-30) return y / x; /* the cube counts no more */
    double unit = ax > 0x1p400 || ay > 0x1p400 ? 0x1p-624 : ax < 0x1p-400 || ay < 0x1p-400 ? 0x1p624 : 1;
    ay *= unit, x *= unit;
    return copysign(angle_of((jn_double_double){ay, 0}, (jn_double_double){x, 0}), y);
}

double jn_atan(double x) {
    if (x != x || fabs(x) < 0x1p-27) return x;
    if (fabs(x) > 0x1p60) return copysign(half_pi_pair.h, x);
    return copysign(angle_of((jn_double_double){fabs(x), 0}, (jn_double_double){1, 0}), x);
}

/* sqrt(1 - x^2) */
static jn_double_double other_leg(double x) {
    jn_double_double square = dd_product(x, x), rest = dd_sum(1, -square.h);
    return dd_sqrt(dd_fast_sum(rest.h, rest.l - square.l));
}

double jn_asin(double x) {
    double a = fabs(x);
    if (!(a <= 1)) return NAN;
    if (a < 0x1p-27) return x;
    return copysign(angle_of((jn_double_double){a, 0}, other_leg(a)), x);
}

double jn_acos(double x) {
    if (!(fabs(x) <= 1)) return NAN;
    if (x == 1) return 0;
    return angle_of(other_leg(fabs(x)), (jn_double_double){x, 0});
}

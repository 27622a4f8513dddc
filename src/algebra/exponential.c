/* exp, log, pow and what follows from them, by tables and double-double sums [Tang1989], [Tang1990]. */
#include "algebra/elementary.h"
#include "algebra/elementary_tables.h"
#include <stdbool.h>
#include <string.h>

static uint64_t bits_of(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double from_bits(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* 2^e, -1022 <= e <= 1023. */
static double power2(int e) { return from_bits((uint64_t)(1023 + e) << 52); }

/* (y + rest) 2^e for 1 <= y < 2 and a small rest, rounded once: below the normal numbers at the place that their last bit will have. */
static double scale(double y, double rest, int e) {
    if (e > 1023) return (y + rest) * 0x1p1023 * power2(e - 1023);
    if (e >= -1022) return (y + rest) * power2(e);
    double place = power2(-1022 - e);
    jn_double_double s = dd_fast_sum(place, y);
    return ((s.h + (s.l + rest)) - place) * power2(e + 1022) * 0x1p-1022;
}

/* ---------------------------------------------------------------------------------------------------------------- exp */

/* x = k ln2/128 + r, |r| < 2^-8.5; k goes into the table and the exponent. */
typedef struct reduced {
    jn_double_double r;
    int i, e;
} reduced;

static reduced reduce(double x, double low) {
    const double nearest = 0x1.8p52;
    double k = (x * 0x1.71547652b82fep7 + nearest) - nearest; /* 128/ln 2 */
    int n = (int)k, i = n & 127;
    jn_double_double tail = dd_product(k, ln2_128_parts[1]), r = dd_sum(x - k * ln2_128_parts[0], -tail.h);
    return (reduced){dd_fast_sum(r.h, r.l + (low - tail.l)), i, (n - i) / 128};
}

/* exp(r) - 1 - r for a small r. */
static double rest_of_exp(double r) {
    return r * r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040))))));
}

/* 2^e exp(x + low), |low| far below |x|. */
static double exp_sum(double x, double low, int e) {
    if (x > 711) return INFINITY;
    if (x < -746) return 0;
    reduced a = reduce(x, low);
    jn_double_double T = power_of_two[a.i];
    return scale(T.h, T.l + T.h * (a.r.h + (a.r.l + rest_of_exp(a.r.h))), a.e + e);
}

/* exp(x) - 1 to some 70 bits, |x| <= 45. */
static jn_double_double expm1_pair(double x) {
    reduced a = reduce(x, 0);
    double r = a.r.h;
    jn_double_double p = dd_fast_sum(r, a.r.l + rest_of_exp(r)), T = power_of_two[a.i]; /* exp(r) - 1 */
    jn_double_double grown = dd_mul(T, p);
    double unit = power2(-a.e);
    /* 2^e (T - 2^-e + T p) */
    jn_double_double whole = dd_sum(T.h, -unit);
    return dd_scale(power2(a.e), dd_add((jn_double_double){whole.h, whole.l + T.l}, grown));
}

double jn_exp(double x) {
    if (x != x) return x;
    return exp_sum(x, 0, 0);
}

double jn_expm1(double x) {
    if (x != x || fabs(x) < 0x1p-54) return x;
    if (x > 45) return exp_sum(x, 0, 0);
    if (x < -45) return -1;
    jn_double_double e = expm1_pair(x);
    return e.h + e.l;
}

/* ---------------------------------------------------------------------------------------------------------- hyperbolic */

/* (e + e/(1 + e))/2 with e = exp(x) - 1 */
double jn_sinh(double x) {
    double a = fabs(x);
    if (x != x || a < 0x1p-28) return x;
    if (a > 45) return copysign(exp_sum(a, 0, -1), x);
    jn_double_double e = expm1_pair(a), s = dd_add(e, dd_div(e, dd_add(e, (jn_double_double){1, 0})));
    return copysign(0.5 * (s.h + s.l), x);
}

double jn_cosh(double x) {
    double a = fabs(x);
    if (x != x) return x;
    if (a > 45) return exp_sum(a, 0, -1);
    jn_double_double e = dd_add(expm1_pair(a), (jn_double_double){1, 0}), s = dd_add(e, dd_div((jn_double_double){1, 0}, e));
    return 0.5 * (s.h + s.l);
}

/* e/(e + 2) with e = exp(2 x) - 1 */
double jn_tanh(double x) {
    double a = fabs(x);
    if (x != x || a < 0x1p-28) return x;
    if (a > 22) return copysign(1, x);
    jn_double_double e = expm1_pair(2 * a), t = dd_div(e, dd_add(e, (jn_double_double){2, 0}));
    return copysign(t.h + t.l, x);
}

/* ---------------------------------------------------------------------------------------------------------------- log */

/* log(x + low), x > 0 and normal after multiplication with 2^-shift, to some 2^-68 of itself. */
static jn_double_double log_pair(double x, double low, int shift) {
    const uint64_t start = UINT64_C(0x3fe6) << 48; /* 0.6875 */
    uint64_t bits = bits_of(x), from = bits - start;
    int i = (int)(from >> 45 & 127), k = (int)((int64_t)from >> 52);
    double z = from_bits(bits - (from & UINT64_C(0xfff) << 52)), z_high = from_bits(bits_of(z) & ~UINT64_C(0x1fffff));
    const struct jn_log_row *row = &logarithm[i];
    if (low != 0) low *= power2(-k);
    jn_double_double r = dd_sum(z_high * row->inverse - 1, (z - z_high) * row->inverse); /* z/c - 1, exact */
    if (low != 0) r = dd_add(r, (jn_double_double){low * row->inverse, 0});
    /* log(1 + r) = r - r^2/2 + r^3 (1/3 - r/4 + ...) */
    double u = r.h, square = u * u;
    double tail =
        u * square *
        (1.0 / 3 +
         u * (-1.0 / 4 +
              u * (1.0 / 5 + u * (-1.0 / 6 + u * (1.0 / 7 + u * (-1.0 / 8 + u * (1.0 / 9 + u * (-1.0 / 10))))))));
    jn_double_double half = dd_product(0.5 * u, u);
    jn_double_double small = dd_fast_sum(r.h, -half.h);
    small.l += tail + (r.l - u * r.l - half.l);
    double n = k + shift;
    if (n == 0 && row->log.h == 0) return dd_fast_sum(small.h, small.l);
    jn_double_double large = dd_sum(n * ln2_parts[0], row->log.h); /* no cancellation: 0.6875 <= c < 1.375 */
    jn_double_double sum = dd_fast_sum(large.h, small.h);
    return dd_fast_sum(sum.h, sum.l + ((large.l + small.l) + (n * ln2_parts[1] + row->log.l)));
}

/* The same of any positive finite number. */
static jn_double_double log_any(double x) {
    if (x < 0x1p-1022) return log_pair(x * 0x1p60, 0, -60);
    return log_pair(x, 0, 0);
}

/* What log is where it is no finite number. */
static bool log_special(double x, double *out) {
    if (x > 0 && x < INFINITY) return false;
    *out = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return true;
}

double jn_log(double x) {
    double special;
    if (log_special(x, &special)) return special;
    jn_double_double a = log_any(x);
    return a.h + a.l;
}

double jn_log10(double x) {
    double special;
    if (log_special(x, &special)) return special;
    jn_double_double a = dd_mul(log_any(x), inverse_ln10_pair);
    return a.h + a.l;
}

double jn_log1p(double x) {
    double special;
    if (fabs(x) < 0x1p-54) return x;
    if (log_special(1 + x, &special)) return special;
    jn_double_double one = dd_sum(1, x), a = log_pair(one.h, one.l, 0);
    return a.h + a.l;
}

/* log(x + sqrt(x^2 - 1)); near 1 by t = x - 1: log(1 + t + sqrt(t (2 + t))) */
double jn_acosh(double x) {
    if (!(x >= 1)) return NAN;
    if (x == INFINITY) return x;
    if (x > 0x1p60) {
        jn_double_double a = dd_add(log_any(x), ln2_pair);
        return a.h + a.l;
    }
    if (x >= 2) {
        jn_double_double root = dd_sqrt(dd_add(dd_product(x, x), (jn_double_double){-1, 0}));
        jn_double_double sum = dd_add((jn_double_double){x, 0}, root), a = log_pair(sum.h, sum.l, 0);
        return a.h + a.l;
    }
    jn_double_double t = {x - 1, 0}, square = dd_product(t.h, t.h);
    jn_double_double rest = dd_add(t, dd_sqrt(dd_add(square, dd_scale(2, t)))); /* sum - 1 */
    jn_double_double sum = dd_add((jn_double_double){1, 0}, rest), a = log_pair(sum.h, sum.l, 0);
    return a.h + a.l;
}

/* ---------------------------------------------------------------------------------------------------------------- pow */

/* 0: no whole number, 1: odd, 2: even. */
static int parity(double y) {
    double a = fabs(y);
    if (a >= 0x1p53) return 2;
    double whole = floor(a);
    if (whole != a) return 0;
    return (int64_t)whole & 1 ? 1 : 2;
}

/* x^y where one of them is zero, infinite or no number. */
static double pow_special(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    double a = fabs(x);
    if (isinf(y)) return a == 1 ? 1 : (a > 1) == (y > 0) ? INFINITY : 0;
    double size = (a == 0) == (y > 0) ? 0 : INFINITY; /* x is 0 or infinite */
    return x < 0 || (x == 0 && signbit(x)) ? (parity(y) == 1 ? -size : size) : size;
}

double jn_pow(double x, double y) {
    if (!(fabs(x) > 0 && fabs(x) < INFINITY && fabs(y) > 0 && fabs(y) < INFINITY)) return pow_special(x, y);
    double sign = 1;
    if (x < 0) {
        int kind = parity(y);
        if (kind == 0) return NAN;
        x = -x, sign = kind == 1 ? -1 : 1;
    }
    if (x == 1) return sign;
    jn_double_double l = log_any(x);
    if (fabs(y) > 0x1p65) return sign * ((l.h > 0) == (y > 0) ? INFINITY : 0); /* |l| > 2^-54 */
    if (fabs(y) < 0x1p-66) return sign;                                        /* |y l| < 2^-55 */
    jn_double_double p = dd_product(y, l.h);
    p = dd_fast_sum(p.h, p.l + y * l.l);
    if (fabs(p.h) > 800) return sign * (p.h > 0 ? INFINITY : 0);
    return sign * exp_sum(p.h, p.l, 0);
}

/* ----------------------------------------------------------------------------------------------------- roots and gamma */

/* Newton's method from a guess by the exponent, then once with an exact residual. */
double jn_cbrt(double x) {
    double a = fabs(x), back = 1;
    if (!(a > 0 && a < INFINITY)) return x;
    if (a < 0x1p-300) a *= 0x1p900, back = 0x1p-300;
    if (a > 0x1p300) a *= 0x1p-600, back *= 0x1p200;
    double y = from_bits(bits_of(a) / 3 + (UINT64_C(0x2a9f7893) << 32));
    for (int k = 0; k < 4; k++) y = y - (y - a / (y * y)) * (1.0 / 3);
    jn_double_double square = dd_product(y, y), cube = dd_mul(square, (jn_double_double){y, 0});
    y += ((a - cube.h) - cube.l) / (3 * square.h);
    return copysign(y * back, x);
}

/* sqrt(x^2 + y^2), corrected once with an exact residual [Borges2020]. */
double jn_hypot_safe(double x, double y) {
    double a = fabs(x), b = fabs(y);
    if (a == INFINITY || b == INFINITY) return INFINITY;
    if (a != a || b != b) return a + b;
    if (a < b) {
        double swap = a;
        a = b, b = swap;
    }
    if (b <= a * 0x1p-54) return a + b;
    double back = 1;
    if (a > 0x1p400) a *= 0x1p-700, b *= 0x1p-700, back = 0x1p700;
    if (b < 0x1p-400) a *= 0x1p700, b *= 0x1p700, back = 0x1p-700;
    jn_double_double aa = dd_product(a, a), bb = dd_product(b, b), s = dd_sum(aa.h, bb.h);
    double h = sqrt(s.h);
    jn_double_double hh = dd_product(h, h);
    h += (((s.h - hh.h) - hh.l) + (s.l + (aa.l + bb.l))) / (2 * h);
    return h * back;
}

/* Stirling's series after x was raised above 30 by Gamma(x) = Gamma(x + n)/(x (x + 1) ...). [Abramowitz1964, 6.1.40] */
double jn_gamma(double x) {
    static const double c[] = {1.0 / 12,        -1.0 / 360, 1.0 / 1260,       -1.0 / 1680,     1.0 / 1188,
                               -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400, 43867.0 / 244188};
    if (!(x > 0)) return NAN;
    if (x > 171.7) return INFINITY;
    jn_double_double z = {x, 0}, product = {1, 0};
    if (x < 1e-17) return 1 / x;
    for (; z.h < 30; z = dd_add(z, (jn_double_double){1, 0})) product = dd_mul(product, z);
    double w = 1 / z.h, w2 = w * w, sum = c[8];
    for (int k = 7; k > 0; k--) sum = c[k] + w2 * sum;
    jn_double_double series = dd_add(dd_div((jn_double_double){0x1.5555555555555p-4, 0x1.5555555555555p-58}, z),
                            (jn_double_double){w * w2 * sum, 0}); /* 1/12 */
    jn_double_double l = log_pair(z.h, z.l, 0), log_gamma = dd_mul(dd_add(z, (jn_double_double){-0.5, 0}), l);
    log_gamma = dd_add(dd_add(log_gamma, dd_negate(z)), dd_add(half_ln_two_pi_pair, series));
    log_gamma = dd_add(log_gamma, dd_negate(log_pair(product.h, product.l, 0)));
    return exp_sum(log_gamma.h, log_gamma.l, 0);
}

/* Our elementary functions against those of long double, which have at least 11 more bits: errors in units in the last place, and special
 * values against C's Annex F. */
#include "algebra/elementary.h"
#include "check.h"
#include <float.h>

#if LDBL_MANT_DIG > DBL_MANT_DIG

enum { COUNT = 200000 };

static uint64_t next(uint64_t *x) { /* [Marsaglia2003] */
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x * UINT64_C(2685821657736338717);
}
static double share(uint64_t *x) { return (double)(next(x) >> 11) * 0x1p-53; }

/* |got - right| in units in the last place of right. */
static double error(double got, long double right) {
    double near = (double)right;
    if (isnan(got) || isnan(near)) return isnan(got) && isnan(near) ? 0 : INFINITY;
    if (isinf(got) || isinf(near)) return got == near ? 0 : INFINITY;
    int e;
    frexp(near, &e);
    return (double)(fabsl((long double)got - right) / ldexpl(1, e - 53 < -1074 ? -1074 : e - 53));
}

typedef struct function {
    const char *name;
    double (*ours)(double);
    long double (*right)(long double);
    double most;       /* [ulp] */
    double low, high;  /* arguments between them evenly, */
    double small, far; /* and of any size between these, even in their logarithm; both signs unless low >= 0 */
} function;

static const function functions[] = {
    {"sin", jn_sin, sinl, 0.81, -10, 10, 1e-300, 1e300},       {"cos", jn_cos, cosl, 0.81, -10, 10, 1e-300, 1e300},
    {"tan", jn_tan, tanl, 0.6, -10, 10, 1e-300, 1e300},        {"asin", jn_asin, asinl, 0.51, -1, 1, 1e-300, 1},
    {"acos", jn_acos, acosl, 0.51, -1, 1, 1e-300, 1},          {"atan", jn_atan, atanl, 0.51, -3, 3, 1e-300, 1e300},
    {"exp", jn_exp, expl, 0.51, -745, 709, 1e-300, 700},       {"expm1", jn_expm1, expm1l, 0.51, -50, 50, 1e-300, 700},
    {"log", jn_log, logl, 0.51, 0.5, 2, 1e-320, 1e308},        {"log1p", jn_log1p, log1pl, 0.51, 0, 2, 1e-300, 1e308},
    {"log10", jn_log10, log10l, 0.51, 0.5, 2, 1e-320, 1e308},  {"sinh", jn_sinh, sinhl, 0.51, -50, 50, 1e-300, 710},
    {"cosh", jn_cosh, coshl, 0.51, -50, 50, 1e-300, 710},      {"tanh", jn_tanh, tanhl, 0.51, -25, 25, 1e-300, 1e300},
    {"acosh", jn_acosh, acoshl, 0.51, 1, 3, 1, 1e308},         {"cbrt", jn_cbrt, cbrtl, 0.51, -2, 2, 1e-320, 1e308},
    {"gamma", jn_gamma, tgammal, 0.6, 0.01, 171, 1e-300, 171},
};

/* Errors of functions of one argument stay below their limits, at arguments of every size. */
static void is_accurate(void **state) {
    (void)state;
    uint64_t x = 88172645463325252;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const function *f = &functions[i];
        double worst = 0, at = 0, span = log(f->far / f->small);
        for (int k = 0; k < COUNT; k++) {
            double a = k % 2 ? f->low + (f->high - f->low) * share(&x) : f->small * exp(span * share(&x));
            if (k % 4 == 0 && f->low < 0) a = -a;
            double e = error(f->ours(a), f->right(a));
            if (e > worst) worst = e, at = a;
        }
        if (!(worst <= f->most))
            fail_msg("%s(%a): %g units in the last place, more than %g", f->name, at, worst, f->most);
    }
}

static const struct two {
    const char *name;
    double (*ours)(double, double);
    long double (*right)(long double, long double);
} twos[] = {{"pow", jn_pow, powl}, {"atan2", jn_atan2, atan2l}, {"hypot", jn_hypot_safe, hypotl}};

static void of_two_is_accurate(void **state) {
    (void)state;
    uint64_t x = 362436069362436069;
    for (int i = 0; i < 3; i++) {
        double worst = 0, at[2] = {0};
        for (int k = 0; k < 2 * COUNT; k++) {
            double a = k % 3 == 0 ? 2 * share(&x) : exp(600 * share(&x) - 300);
            double b = k % 3 != 1 ? 4 * share(&x) - 2 : 1e3 * (share(&x) - 0.5);
            if (k % 5 == 0) b *= exp(60 * share(&x) - 30);
            if (i > 0 && k % 2) a = -a;
            double e = error(twos[i].ours(a, b), twos[i].right(a, b));
            if (e > worst) worst = e, at[0] = a, at[1] = b;
        }
        if (!(worst <= 0.52)) fail_msg("%s(%a, %a): %g units in the last place", twos[i].name, at[0], at[1], worst);
    }
}

/* Multiples of pi/2 that come nearest to a double: what is left is a few units of 2^-60. [Muller2016, ch. 11] */
static void large_angles_are_reduced(void **state) {
    (void)state;
    const double angles[] = {
        0x1.6ac5b262ca1ffp+849, 0x1.921fb54442d18p+1, 0x1.921fb54442d18p+0, 1e22, 0x1p1023, 1e6, 999999.5,
        0x1.fffffffffffffp+1023};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        double a = angles[i];
        assert_true(error(jn_sin(a), sinl(a)) < 0.81 && error(jn_cos(a), cosl(a)) < 0.81 &&
                    error(jn_tan(a), tanl(a)) < 0.6);
        assert_true(jn_sin(-a) == -jn_sin(a) && jn_cos(-a) == jn_cos(a));
    }
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

/* Zeros with their signs, infinities, what is no number, whole powers: exactly as the C library has them. */
static void special_values(void **state) {
    (void)state;
    const double v[] = {0.0, -0.0,  1,      -1,     0.5,     -0.5,     2,         -2, 3,
                        -3,  1e300, -1e300, 1e-310, -1e-310, INFINITY, -INFINITY, NAN};
    enum { N = sizeof v / sizeof *v };
    for (int i = 0; i < N; i++) {
        for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
            double right = (double)functions[f].right(v[i]), got = functions[f].ours(v[i]);
            if (functions[f].ours == jn_gamma && !(v[i] > 0)) continue;
            bool special = !isfinite(right) || right == 0 || right == rint(right);
            if (special && !same(got, right)) fail_msg("%s(%g) = %g, not %g", functions[f].name, v[i], got, right);
        }
        for (int j = 0; j < N; j++) {
            if (!same(jn_pow(v[i], v[j]), pow(v[i], v[j])))
                fail_msg("pow(%g, %g) = %g", v[i], v[j], jn_pow(v[i], v[j]));
            if (!same(jn_atan2(v[i], v[j]), atan2(v[i], v[j])))
                fail_msg("atan2(%g, %g) = %g", v[i], v[j], jn_atan2(v[i], v[j]));
            if (!same(jn_hypot_safe(v[i], v[j]), hypot(v[i], v[j])))
                fail_msg("hypot(%g, %g) = %g", v[i], v[j], jn_hypot_safe(v[i], v[j]));
            if (v[i] != v[j])
                assert_true(same(jn_fmax(v[i], v[j]), fmax(v[i], v[j])) && same(jn_fmin(v[i], v[j]), fmin(v[i], v[j])));
        }
    }
    double ten = 1;
    for (int k = 0; k <= 22; k++, ten *= 10) assert_true(jn_pow(10, k) == ten); /* exact */
    assert_true(jn_hypot_safe(3e-200, 4e-200) == 5e-200 && jn_cbrt(-27) == -3 && jn_exp(710) == INFINITY &&
                jn_exp(-746) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_accurate), cmocka_unit_test(of_two_is_accurate),
                                       cmocka_unit_test(large_angles_are_reduced), cmocka_unit_test(special_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
int main(void) { return 0; } /* long double is double: nothing to compare with */
#endif

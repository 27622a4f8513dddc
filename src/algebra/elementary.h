/* Elementary functions with the same bits on every machine.
 *
 * A C library chooses other code for sin, exp and friends on other processors, and other libraries have other code. These use nothing but
 * sums, products, quotients and square roots as IEEE 754 defines them, in one order, compiled without contraction. Error below 0.51 units in the
 * last place (tan and jn_gamma 0.6, sin and cos 0.81; at results below the normal numbers 1) and special values as in C's Annex F, without flags and errno (tests/algebra/test_elementary.c).
 * Rounding to nearest is taken for granted. */
#ifndef JN_ALGEBRA_ELEMENTARY_H
#define JN_ALGEBRA_ELEMENTARY_H

/* The smaller and the larger one; where one is no number, the other. Of zeros with different signs the first. */
static inline double jn_fmin(double a, double b) { return a <= b || b != b ? a : b; }
static inline double jn_fmax(double a, double b) { return a >= b || b != b ? a : b; }

double jn_sin(double x);
double jn_cos(double x);
double jn_tan(double x);
double jn_asin(double x);
double jn_acos(double x);
double jn_atan(double x);
double jn_atan2(double y, double x);
double jn_exp(double x);
double jn_expm1(double x);
double jn_log(double x);
double jn_log1p(double x);
double jn_log10(double x);
double jn_pow(double x, double y);
double jn_sinh(double x);
double jn_cosh(double x);
double jn_tanh(double x);
double jn_acosh(double x);
double jn_cbrt(double x);
double jn_hypot_safe(double x, double y); /* without overflow and underflow; jn_hypot of scalar.h is faster */
double jn_gamma(double x);                /* x > 0; else no number */

#endif

/* Smaller, larger and length of two numbers and fused products, in one or two instructions: fmin, fmax and hypot of the C library are calls.
 *
 * Where b is no number, the smaller and the larger one is a. Lengths beyond 1e154 and below 1e-154 are not to be had. */
#ifndef JN_ALGEBRA_SCALAR_H
#define JN_ALGEBRA_SCALAR_H

#include <math.h>

/* a b + c, rounded once: one instruction where the processor has it (x86-64-v3, aarch64), else the C library's, slow, with the same bits. Products
 * are fused where this is written and nowhere else. */
static inline double jn_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
/* Sums of two and of three products, from the first to the last. */
static inline double jn_dot2(double a0, double b0, double a1, double b1) { return jn_fma(a1, b1, a0 * b0); }
static inline double jn_dot3(double a0, double b0, double a1, double b1, double a2, double b2) {
    return jn_fma(a2, b2, jn_fma(a1, b1, a0 * b0));
}

#define JN_TINY 1e-300 /* in place of 0 in a quotient: below every number of a model, and its reciprocal is finite */

static inline double jn_min(double a, double b) { return b < a ? b : a; }
static inline double jn_max(double a, double b) { return b > a ? b : a; }
static inline double jn_hypot(double x, double y) { return sqrt(x * x + y * y); }

#endif

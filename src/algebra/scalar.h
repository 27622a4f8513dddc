/* Smaller, larger and length of two numbers, in one or two instructions: fmin, fmax and hypot of the C library are calls.
 *
 * Where b is no number, the smaller and the larger one is a. Lengths beyond 1e154 and below 1e-154 are not to be had. */
#ifndef JN_ALGEBRA_SCALAR_H
#define JN_ALGEBRA_SCALAR_H

#include <math.h>

static inline double jn_min(double a, double b) { return b < a ? b : a; }
static inline double jn_max(double a, double b) { return b > a ? b : a; }
static inline double jn_hypot(double x, double y) { return sqrt(x * x + y * y); }

#endif

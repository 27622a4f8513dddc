/* Cosine and sine of an angle together, to round-off, at a third of the cost of two calls. */
#ifndef JN_ALGEBRA_ANGLE_H
#define JN_ALGEBRA_ANGLE_H

#include "algebra/elementary.h"
#include "algebra/scalar.h"
#include <math.h>

/* Whole quarter turns are taken off in two parts of pi/2, the first of 33 bits so that its multiples are exact; what is left,
 * at most pi/4, goes into the polynomials of [Ng1993, k_sin.c, k_cos.c]. Absolute error below 1.2e-16 (tests/algebra/test_angle.c). Large
 * angles, and what is no number, go to jn_cos and jn_sin. */
static inline void jn_cos_sin(double angle, double *cosine, double *sine) {
    if (!(fabs(angle) < 1e5)) {
        *cosine = jn_cos(angle), *sine = jn_sin(angle);
        return;
    }
    const double nearest = 0x1.8p52; /* added and taken off: rounds to a whole number */
    double turns = (angle * 6.36619772367581382433e-01 + nearest) - nearest;
    double x = jn_fma(-turns, 6.07710050650619224932e-11, angle - turns * 1.57079632673412561417e+00), z = x * x;
    double s = 1.58969099521155010221e-10, c = -1.13596475577881948265e-11;
    s = jn_fma(z, s, -2.50507602534068634195e-08), c = jn_fma(z, c, 2.08757232129817482790e-09);
    s = jn_fma(z, s, 2.75573137070700676789e-06), c = jn_fma(z, c, -2.75573143513906633035e-07);
    s = jn_fma(z, s, -1.98412698298579493134e-04), c = jn_fma(z, c, 2.48015872894767294178e-05);
    s = jn_fma(z, s, 8.33333333332248946124e-03), c = jn_fma(z, c, -1.38888888888741095749e-03);
    s = jn_fma(z, s, -1.66666666666666324348e-01), c = jn_fma(z, c, 4.16666666666666019037e-02);
    double half = 0.5 * z, most = 1 - half;
    s = jn_fma(x, z * s, x), c = most + jn_fma(z, z * c, (1 - most) - half);
    int quarter = (int)turns;
    double swap_c = quarter & 1 ? s : c, swap_s = quarter & 1 ? c : s;
    *cosine = (quarter + 1) & 2 ? -swap_c : swap_c;
    *sine = quarter & 2 ? -swap_s : swap_s;
}

#endif

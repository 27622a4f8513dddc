/* Four numbers side by side, and their fused products: the same bits as one after the other (jn_fma). */
#ifndef JN_ALGEBRA_FOUR_H
#define JN_ALGEBRA_FOUR_H

#include "algebra/scalar.h"
#if defined __FMA__ && defined __AVX__
#include <immintrin.h>
#endif

typedef double jn_four __attribute__((vector_size(32), aligned(8), may_alias));
#define JN_FOUR(x) (*(jn_four *)(void *)(x))
#define JN_FOUR_OF(x) (*(const jn_four *)(const void *)(x))

/* a x + c, rounded once. */
static inline jn_four jn_four_fma(jn_four a, double x, jn_four c) {
#if defined __FMA__ && defined __AVX__
    return (jn_four)_mm256_fmadd_pd((__m256d)a, _mm256_set1_pd(x), (__m256d)c);
#else
    return (jn_four){jn_fma(a[0], x, c[0]), jn_fma(a[1], x, c[1]), jn_fma(a[2], x, c[2]), jn_fma(a[3], x, c[3])};
#endif
}

/* a x + b y + c z as jn_dot3. */
static inline jn_four jn_four_dot3(jn_four a, double x, jn_four b, double y, jn_four c, double z) {
    return jn_four_fma(c, z, jn_four_fma(b, y, a * x));
}

#endif

#include "workflow/study/statistics/sobol.h"

#include "workflow/study/statistics/random.h"

#include <stddef.h>

/* Primitive polynomials of degree s with inner coefficients a, and the first s direction numbers: dimensions 2 to 53 of
 * new-joe-kuo-6.21201. [Joe2008] */
typedef struct direction {
    unsigned char s, a, m[8];
} direction;

static const direction table[JN_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
};

/* The direction numbers v_1 ... v_count, as fractions of JN_SOBOL_BITS bits. */
static void directions(int dimension, uint64_t *v, int count) {
    if (dimension == 0) { /* van der Corput's sequence */
        for (int k = 0; k < count; k++) v[k] = UINT64_C(1) << (JN_SOBOL_BITS - 1 - k);
        return;
    }
    const direction *d = &table[dimension - 1];
    int s = d->s;
    for (int k = 0; k < count && k < s; k++) v[k] = (uint64_t)d->m[k] << (JN_SOBOL_BITS - 1 - k);
    for (int k = s; k < count; k++) {
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int j = 1; j < s; j++)
            if ((d->a >> (s - 1 - j)) & 1) v[k] ^= v[k - j]; /* v_k = a_1 v_{k-1} + ... + v_{k-s} + v_{k-s} / 2^s */
    }
}

uint64_t jn_sobol_bits(int dimension, uint64_t index) {
    uint64_t v[JN_SOBOL_BITS], x = 0;
    int count = 0;
    for (uint64_t i = index; i; i >>= 1) count++;
    if (count > JN_SOBOL_BITS) count = JN_SOBOL_BITS;
    directions(dimension, v, count);
    for (int k = 0; k < count; k++)
        if ((index >> k) & 1) x ^= v[k];
    return x;
}

double jn_sobol_scrambled(int dimension, uint64_t index, uint64_t seed) {
    uint64_t x = jn_sobol_bits(dimension, index), out = 0;
    uint64_t tree = jn_random_bits(seed, (uint64_t)dimension, UINT64_C(0x50b01));
    for (int k = 0; k < JN_SOBOL_BITS; k++) { /* digit k is swapped as the digits before it say */
        uint64_t before = x >> (JN_SOBOL_BITS - k), digit = (x >> (JN_SOBOL_BITS - 1 - k)) & 1;
        out = (out << 1) | (digit ^ (jn_random_bits(tree, (uint64_t)k, before) & 1));
    }
    return ((double)out + 0.5) * 0x1p-52;
}

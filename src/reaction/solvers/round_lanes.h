/* Sixteen numbers of single precision at a time, and velocities of sixteen bodies between rows and lanes. */
#ifndef JN_REACTION_ROUND_LANES_H
#define JN_REACTION_ROUND_LANES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LANES = 16 };
typedef float jn_wide16 __attribute__((vector_size(64), may_alias));
typedef float jn_row8 __attribute__((vector_size(32), may_alias));
typedef int jn_mask16 __attribute__((vector_size(64)));

static inline jn_wide16 all(float x) { return (jn_wide16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }
static inline jn_wide16 choose(jn_mask16 where, jn_wide16 a, jn_wide16 b) {
    return (jn_wide16)(((jn_mask16)a & where) | ((jn_mask16)b & ~where));
}
static inline jn_wide16 larger(jn_wide16 a, jn_wide16 b) { return choose(a > b, a, b); }
static inline jn_wide16 root(jn_wide16 x) {
    float a[LANES];
    memcpy(a, &x, sizeof x);
    for (int k = 0; k < LANES; k++) a[k] = sqrtf(a[k]);
    memcpy(&x, a, sizeof x);
    return x;
}
static inline double total(jn_wide16 x) {
    double sum = 0;
    for (int k = 0; k < LANES; k++) sum += (double)x[k];
    return sum;
}
static inline float largest(jn_wide16 x) {
    float most = 0;
    for (int k = 0; k < LANES; k++) most = x[k] > most ? x[k] : most;
    return most;
}

#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH_PAIR(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define SECOND(a, b) __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)

/* Row of a lane: what the transposition below makes of them. */
static inline int row_of(int lane) { return lane < 4 || lane >= 12 ? lane : lane < 8 ? lane + 4 : lane - 4; }

/* Row of a body, by its place in bytes. */
static inline jn_row8 *row_at(const jn_row8 *v, uint32_t place) {
    return (jn_row8 *)(void *)((char *)(uintptr_t)v + place);
}

static inline jn_wide16 two_rows(const jn_row8 *v, const uint32_t *body, int k) {
    jn_row8 a = *row_at(v, body[k]), b = *row_at(v, body[k + 8]);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Velocities of sixteen bodies: x[0..2] linear, x[3..5] angular. */
static inline void gather(const jn_row8 *v, const uint32_t *body, jn_wide16 x[6]) {
    jn_wide16 t[2][3];
    for (int half = 0; half < 2; half++) {
        jn_wide16 a = two_rows(v, body, 4 * half), b = two_rows(v, body, 4 * half + 1);
        jn_wide16 c = two_rows(v, body, 4 * half + 2), d = two_rows(v, body, 4 * half + 3);
        jn_wide16 ab = LOW(a, b), cd = LOW(c, d);
        t[half][0] = LOW_PAIR(ab, cd), t[half][1] = HIGH_PAIR(ab, cd), t[half][2] = LOW_PAIR(HIGH(a, b), HIGH(c, d));
    }
    for (int k = 0; k < 3; k++) x[k] = EVEN(t[0][k], t[1][k]), x[3 + k] = ODD(t[0][k], t[1][k]);
}

static inline void give_two(jn_row8 *v, const uint32_t *body, int k, jn_wide16 x) {
    *row_at(v, body[k]) = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
    *row_at(v, body[k + 8]) = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The reverse. */
static inline void scatter(jn_row8 *v, const uint32_t *body, const jn_wide16 x[6]) {
    jn_wide16 none = all(0);
    for (int half = 0; half < 2; half++) {
        jn_wide16 t[3];
        for (int k = 0; k < 3; k++) t[k] = half ? SECOND(x[k], x[3 + k]) : FIRST(x[k], x[3 + k]);
        jn_wide16 low = LOW(t[0], t[1]), high = HIGH(t[0], t[1]), low2 = LOW(t[2], none), high2 = HIGH(t[2], none);
        give_two(v, body, 4 * half, LOW_PAIR(low, low2)), give_two(v, body, 4 * half + 1, HIGH_PAIR(low, low2));
        give_two(v, body, 4 * half + 2, LOW_PAIR(high, high2)), give_two(v, body, 4 * half + 3, HIGH_PAIR(high, high2));
    }
}

static inline void cross_wide(const jn_wide16 *a, const jn_wide16 *b, jn_wide16 *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
static inline jn_wide16 dot_wide(const jn_wide16 *a, const jn_wide16 *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#endif

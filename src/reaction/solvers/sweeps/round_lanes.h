/* Sixteen numbers of single precision at a time, in parts of as many as the registers of a processor hold, and velocities of bodies between rows and
 * lanes. */
#ifndef JN_REACTION_ROUND_LANES_H
#define JN_REACTION_ROUND_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* LANES: contacts of a pack; WIDTH: those that are computed at once. No number of a lane depends on the others: every width gives the same bits. */
#if defined __AVX512F__
enum { LANES = 16, WIDTH = 16 };
#elif defined __AVX__
enum { LANES = 16, WIDTH = 8 };
#else
enum { LANES = 16, WIDTH = 4 };
#endif
typedef float jn_wide16 __attribute__((vector_size(64), may_alias)); /* as they are stored */
typedef float jn_wide __attribute__((vector_size(4 * WIDTH), may_alias));
typedef int jn_mask __attribute__((vector_size(4 * WIDTH)));
typedef float jn_row8 __attribute__((vector_size(32), may_alias));
typedef float jn_half_row __attribute__((vector_size(16), may_alias));

static inline jn_wide *part_of(jn_wide16 *x, int part) { return (jn_wide *)x + part; }
static inline jn_wide take_part(const jn_wide16 *x, int part) { return ((const jn_wide *)x)[part]; }

static inline jn_wide16 all16(float x) { return (jn_wide16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }
static inline jn_wide all(float x) { return x - (jn_wide){0}; }
static inline jn_wide choose(jn_mask where, jn_wide a, jn_wide b) {
    return (jn_wide)(((jn_mask)a & where) | ((jn_mask)b & ~where));
}
static inline jn_wide larger(jn_wide a, jn_wide b) { return choose(a > b, a, b); }
static inline bool is_any(jn_mask where) {
    int64_t part[sizeof where / sizeof(int64_t)], any = 0;
    memcpy(part, &where, sizeof where);
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) any |= part[k];
    return any != 0;
}
static inline jn_wide root(jn_wide x) {
    float a[WIDTH];
    memcpy(a, &x, sizeof x);
    for (int k = 0; k < WIDTH; k++) a[k] = sqrtf(a[k]);
    memcpy(&x, a, sizeof x);
    return x;
}
static inline double total(const jn_wide16 *x) {
    double sum = 0;
    for (int k = 0; k < LANES; k++) sum += (double)(*x)[k];
    return sum;
}
static inline float largest(const jn_wide16 *x) {
    float most = 0;
    for (int k = 0; k < LANES; k++) most = (*x)[k] > most ? (*x)[k] : most;
    return most;
}

/* Row of a lane: what the transposition below makes of them. */
static inline int row_of(int lane) { return lane < 4 || lane >= 12 ? lane : lane < 8 ? lane + 4 : lane - 4; }

/* Row of a body, by its place in bytes. */
static inline jn_row8 *row_at(const jn_row8 *v, uint32_t place) {
    return (jn_row8 *)(void *)((char *)(uintptr_t)v + place);
}

#if defined __AVX512F__
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH_PAIR(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#define FIRST(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23)
#define SECOND(a, b) __builtin_shufflevector(a, b, 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31)

static inline jn_wide two_rows(const jn_row8 *v, const uint32_t *body, int k) {
    jn_row8 a = *row_at(v, body[k]), b = *row_at(v, body[k + 8]);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Velocities of the bodies of a part: x[0..2] linear, x[3..5] angular. */
static inline void gather(const jn_row8 *v, const uint32_t *body, int part, jn_wide x[6]) {
    jn_wide t[2][3];
    (void)part; /* the only one */
    for (int half = 0; half < 2; half++) {
        jn_wide a = two_rows(v, body, 4 * half), b = two_rows(v, body, 4 * half + 1);
        jn_wide c = two_rows(v, body, 4 * half + 2), d = two_rows(v, body, 4 * half + 3);
        jn_wide ab = LOW(a, b), cd = LOW(c, d);
        t[half][0] = LOW_PAIR(ab, cd), t[half][1] = HIGH_PAIR(ab, cd), t[half][2] = LOW_PAIR(HIGH(a, b), HIGH(c, d));
    }
    for (int k = 0; k < 3; k++) x[k] = EVEN(t[0][k], t[1][k]), x[3 + k] = ODD(t[0][k], t[1][k]);
}

static inline void give_two(jn_row8 *v, const uint32_t *body, int k, jn_wide x) {
    *row_at(v, body[k]) = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7);
    *row_at(v, body[k + 8]) = __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The reverse. */
static inline void scatter(jn_row8 *v, const uint32_t *body, int part, const jn_wide x[6]) {
    jn_wide none = all(0);
    (void)part;
    for (int half = 0; half < 2; half++) {
        jn_wide t[3];
        for (int k = 0; k < 3; k++) t[k] = half ? SECOND(x[k], x[3 + k]) : FIRST(x[k], x[3 + k]);
        jn_wide low = LOW(t[0], t[1]), high = HIGH(t[0], t[1]), low2 = LOW(t[2], none), high2 = HIGH(t[2], none);
        give_two(v, body, 4 * half, LOW_PAIR(low, low2)), give_two(v, body, 4 * half + 1, HIGH_PAIR(low, low2));
        give_two(v, body, 4 * half + 2, LOW_PAIR(high, high2)), give_two(v, body, 4 * half + 3, HIGH_PAIR(high, high2));
    }
}

#else
#if defined __AVX__
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIR(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_PAIR(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define HIGH_PAIR(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

/* Rows of the lanes 0 to 3 of a part; those of the next four stand eight further on. */
static inline const uint32_t *first_rows(const uint32_t *body, int part) {
    return body + (WIDTH == 8 ? 4 * part : row_of(WIDTH * part));
}

/* Half of a row: linear (0) or angular velocities (1). */
static inline jn_half_row *half_at(const jn_row8 *v, uint32_t place, int angular) {
    return (jn_half_row *)(void *)row_at(v, place) + angular;
}

static inline jn_wide half_rows(const jn_row8 *v, const uint32_t *body, int angular) {
    jn_half_row a = *half_at(v, body[0], angular);
#if defined __AVX__
    return __builtin_shufflevector(a, *half_at(v, body[8], angular), 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return a;
#endif
}

static inline void give_halves(jn_row8 *v, const uint32_t *body, int angular, jn_wide x) {
#if defined __AVX__
    *half_at(v, body[0], angular) = __builtin_shufflevector(x, x, 0, 1, 2, 3);
    *half_at(v, body[8], angular) = __builtin_shufflevector(x, x, 4, 5, 6, 7);
#else
    *half_at(v, body[0], angular) = x;
#endif
}

/* Velocities of the bodies of a part: x[0..2] linear, x[3..5] angular. */
static inline void gather(const jn_row8 *v, const uint32_t *bodies, int part, jn_wide x[6]) {
    const uint32_t *body = first_rows(bodies, part);
    for (int half = 0; half < 2; half++) {
        jn_wide a = half_rows(v, body, half), b = half_rows(v, body + 1, half);
        jn_wide c = half_rows(v, body + 2, half), d = half_rows(v, body + 3, half);
        jn_wide ab = LOW(a, b), cd = LOW(c, d);
        x[3 * half] = LOW_PAIR(ab, cd), x[3 * half + 1] = HIGH_PAIR(ab, cd);
        x[3 * half + 2] = LOW_PAIR(HIGH(a, b), HIGH(c, d));
    }
}

/* The reverse. */
static inline void scatter(jn_row8 *v, const uint32_t *bodies, int part, const jn_wide x[6]) {
    const uint32_t *body = first_rows(bodies, part);
    jn_wide none = all(0);
    for (int half = 0; half < 2; half++) {
        const jn_wide *t = x + 3 * half;
        jn_wide low = LOW(t[0], t[1]), high = HIGH(t[0], t[1]), low2 = LOW(t[2], none), high2 = HIGH(t[2], none);
        give_halves(v, body, half, LOW_PAIR(low, low2)), give_halves(v, body + 1, half, HIGH_PAIR(low, low2));
        give_halves(v, body + 2, half, LOW_PAIR(high, high2)), give_halves(v, body + 3, half, HIGH_PAIR(high, high2));
    }
}
#endif

static inline void cross_wide(const jn_wide *a, const jn_wide *b, jn_wide *c) {
    c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}
static inline jn_wide dot_wide(const jn_wide *a, const jn_wide *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

#endif

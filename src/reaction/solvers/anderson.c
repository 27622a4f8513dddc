/* Anderson's acceleration: the last few steps of a slow iteration tell where it is going. Vectors are worked on in chunks, which
 * stay in the cache; their sums are added in their order. */
#include "reaction/solvers/anderson.h"
#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e-12; /* of a unit difference, squared: what the others leave of it is round-off */

enum {
    DEPTH = JN_ANDERSON_DEPTH,
    CHUNK = 512,
    LONG = 30000 /* unknowns from which on differences come from memory: half as many */
};

static int chunk_count(int n) { return (n + CHUNK - 1) / CHUNK; }

size_t jn_anderson_scratch(int n) { return (size_t)n * (2 * DEPTH + 2) + (size_t)chunk_count(n) * 2 * DEPTH; }

jn_anderson jn_anderson_start(int n, int measured, double *scratch) {
    jn_anderson a = {.n = n, .measured = measured, .most = n > LONG ? DEPTH / 2 : DEPTH};
    a.dF = scratch;
    a.dG = a.dF + (size_t)DEPTH * (size_t)n;
    a.f = a.dG + (size_t)DEPTH * (size_t)n;
    a.g = a.f + n;
    a.partial = a.g + n;
    return a;
}

void jn_anderson_restart(jn_anderson *a) {
    a->depth = a->next = 0;
    a->seen = false;
}

/* Sums by eight lanes: fast, and the same order in every build. */
static double dot(int n, const double *x, const double *y) {
    double lane[8] = {0}, rest = 0;
    int k = 0;
    for (; k + 8 <= n; k += 8)
        for (int j = 0; j < 8; j++) lane[j] += x[k + j] * y[k + j];
    for (; k < n; k++) rest += x[k] * y[k];
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

/* A chunk's newest difference, and its products with all others and with f. */
static void measure_chunk(const jn_anderson *a, int chunk) {
    int from = chunk * CHUNK, count = a->n - from < CHUNK ? a->n - from : CHUNK;
    int measured = a->measured - from < count ? a->measured - from : count;
    size_t n = (size_t)a->n, start = (size_t)from;
    double *restrict dF = a->dF + (size_t)a->next * n + start, *restrict dG = a->dG + (size_t)a->next * n + start;
    double *restrict f = a->f + start, *restrict g = a->g + start, *partial = a->partial + (size_t)chunk * 2 * DEPTH;
    const double *restrict x = a->x + start, *restrict y = a->y + start;
    for (int k = 0; k < count; k++) {
        double change = y[k] - x[k];
        dF[k] = change - f[k], dG[k] = y[k] - g[k];
        f[k] = change, g[k] = y[k];
    }
    for (int j = 0; j < a->depth; j++) {
        const double *other = a->dF + (size_t)j * n + start;
        partial[j] = dot(measured, dF, other);
        partial[DEPTH + j] = dot(measured, f, other);
    }
}

/* A chunk of y - dG gamma. */
static void move_chunk(const jn_anderson *a, int chunk) {
    int from = chunk * CHUNK, count = a->n - from < CHUNK ? a->n - from : CHUNK;
    double *restrict x = a->x + from, *restrict y = a->y + from;
    for (int j = 0; j < a->depth; j++) {
        const double *restrict dG = a->dG + (size_t)j * (size_t)a->n + (size_t)from;
        double gamma = a->gamma[j];
        for (int k = 0; k < count; k++) y[k] -= gamma * dG[k];
    }
    for (int k = 0; k < count; k++) x[k] = y[k];
}

/* L D L^T of the scaled Gram matrix; columns that depend on earlier ones are left out. */
static void least_squares(jn_anderson *a, const double *right) {
    int m = a->depth;
    double L[DEPTH][DEPTH], y[DEPTH], inverse[DEPTH]; /* inverse: 1/D, 0 for a column left out */
    const double *scale = a->scale;
    for (int i = 0; i < m; i++) {
        double rest = a->gram[i][i] * scale[i] * scale[i], sum = right[i] * scale[i], row[DEPTH]; /* row: L D */
        for (int j = 0; j < i; j++) {
            double s = a->gram[i][j] * scale[i] * scale[j];
            for (int k = 0; k < j; k++) s -= row[k] * L[j][k];
            row[j] = s;
            L[i][j] = s * inverse[j];
            rest -= s * L[i][j];
            sum -= L[i][j] * y[j];
        }
        inverse[i] = rest > DEPENDENT ? 1 / rest : 0;
        y[i] = sum;
    }
    for (int i = m - 1; i >= 0; i--) {
        double sum = y[i] * inverse[i];
        for (int k = i + 1; k < m; k++) sum -= L[k][i] * a->gamma[k];
        a->gamma[i] = sum;
    }
    for (int i = 0; i < m; i++) a->gamma[i] *= scale[i];
}

/* The sums of the chunks give a row of the Gram matrix and the right-hand side. */
static void find_gamma(jn_anderson *a) {
    double row[DEPTH] = {0}, right[DEPTH] = {0};
    for (int c = 0; c < chunk_count(a->n); c++)
        for (int j = 0; j < a->depth; j++) {
            row[j] += a->partial[c * 2 * DEPTH + j];
            right[j] += a->partial[c * 2 * DEPTH + DEPTH + j];
        }
    for (int j = 0; j < a->depth; j++) a->gram[a->next][j] = a->gram[j][a->next] = row[j];
    a->scale[a->next] = row[a->next] > 0 ? 1 / sqrt(row[a->next]) : 0;
    least_squares(a, right);
    a->next = (a->next + 1) % a->most;
}

static void accelerate(jn_anderson *a) {
    int chunks = chunk_count(a->n);
    for (int c = 0; c < chunks; c++) measure_chunk(a, c);
    find_gamma(a);
    for (int c = 0; c < chunks; c++) move_chunk(a, c);
}

void jn_anderson_next(jn_anderson *a, double *x, double *y) {
    size_t bytes = (size_t)a->n * sizeof *x;
    a->x = x, a->y = y;
    if (a->seen) {
        if (a->depth < a->most) a->depth++;
        accelerate(a);
        return;
    }
    for (int k = 0; k < a->n; k++) a->f[k] = y[k] - x[k];
    memcpy(a->g, y, bytes);
    memcpy(x, y, bytes);
    a->seen = true;
}

/* Anderson's acceleration: the last few steps of a slow iteration tell where it is going. */
#include "reaction/anderson.h"
#include <math.h>
#include <string.h>

enum { DEPTH = JN_ANDERSON_DEPTH };

/* Sums by eight lanes: fast, and the same order in every build. */
static double dot(int n, const double *x, const double *y) {
    double lane[8] = {0}, rest = 0;
    int k = 0;
    for (; k + 8 <= n; k += 8)
        for (int j = 0; j < 8; j++) lane[j] += x[k + j] * y[k + j];
    for (; k < n; k++) rest += x[k] * y[k];
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

size_t jn_anderson_scratch(int n) { return (size_t)n * (2 * DEPTH + 2); }

jn_anderson jn_anderson_start(int n, int measured, double *scratch) {
    jn_anderson a = {.n = n, .measured = measured};
    a.dF = scratch;
    a.dG = a.dF + (size_t)DEPTH * (size_t)n;
    a.f = a.dG + (size_t)DEPTH * (size_t)n;
    a.g = a.f + n;
    return a;
}

void jn_anderson_restart(jn_anderson *a) { a->depth = a->next = a->seen = 0; }

/* Adds the newest difference and its row of the Gram matrix. */
static void remember(jn_anderson *a, const double *x, const double *g) {
    size_t n = (size_t)a->n;
    double *dF = a->dF + (size_t)a->next * n, *dG = a->dG + (size_t)a->next * n;
    if (a->seen) {
        for (size_t k = 0; k < n; k++) {
            dF[k] = (g[k] - x[k]) - a->f[k];
            dG[k] = g[k] - a->g[k];
        }
        if (a->depth < DEPTH) a->depth++;
        for (int j = 0; j < a->depth; j++)
            a->gram[a->next][j] = a->gram[j][a->next] = dot(a->measured, dF, a->dF + (size_t)j * n);
        a->next = (a->next + 1) % DEPTH;
    }
    for (size_t k = 0; k < n; k++) a->f[k] = g[k] - x[k];
    memcpy(a->g, g, n * sizeof *g);
    a->seen = 1;
}

/* Cholesky's method on the scaled Gram matrix; columns that depend on earlier ones are left out. */
static void least_squares(const jn_anderson *a, double *gamma) {
    int m = a->depth;
    double L[DEPTH][DEPTH] = {{0}}, y[DEPTH] = {0}, scale[DEPTH];
    for (int i = 0; i < m; i++) {
        scale[i] = a->gram[i][i] > 0 ? 1 / sqrt(a->gram[i][i]) : 0;
        y[i] = dot(a->measured, a->f, a->dF + (size_t)i * (size_t)a->n) * scale[i];
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j <= i; j++) {
            double s = a->gram[i][j] * scale[i] * scale[j];
            for (int k = 0; k < j; k++) s -= L[i][k] * L[j][k];
            if (i == j)
                L[i][i] = s > 1e-12 ? sqrt(s) : 0;
            else
                L[i][j] = L[j][j] > 0 ? s / L[j][j] : 0;
        }
        for (int k = 0; k < i; k++) y[i] -= L[i][k] * y[k];
        y[i] = L[i][i] > 0 ? y[i] / L[i][i] : 0;
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) y[i] -= L[k][i] * gamma[k];
        gamma[i] = L[i][i] > 0 ? y[i] / L[i][i] : 0;
    }
    for (int i = 0; i < m; i++) gamma[i] *= scale[i];
}

void jn_anderson_next(jn_anderson *a, double *x, const double *g) {
    double gamma[DEPTH];
    remember(a, x, g);
    least_squares(a, gamma);
    memcpy(x, g, (size_t)a->n * sizeof *x);
    for (int j = 0; j < a->depth; j++) {
        const double *dG = a->dG + (size_t)j * (size_t)a->n;
        for (int k = 0; k < a->n; k++) x[k] -= gamma[j] * dG[k]; /* x = g - dG gamma */
    }
}

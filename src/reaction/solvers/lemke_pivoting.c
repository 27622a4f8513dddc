/* Lemke's complementary pivoting for w = A z + b, w >= 0, z >= 0, w.z = 0 [Cottle2009, section 4.4], scaled, with ties broken
 * lexicographically so that it cannot cycle. */
#include "reaction/solvers/lemke_pivoting.h"
#include "algebra/elementary.h"
#include <math.h>
#include <string.h>

enum { PASSES = 4 };               /* of equilibration */
static const double same = 1e-13;  /* quotients of a scaled tableau that differ by less are equal */
static const double small = 1e-11; /* pivots below this, of a scaled column, count as zero */

/* Columns of the tableau: w (they hold the inverse of the basis), z, z_0, right-hand side. */
typedef struct tableau {
    int n, columns;
    double *T;           /* (n x columns) */
    double *row, *scale; /* (n) of equations and of z */
    int *basic;          /* (n) variable of each row: 0..n-1 w, n..2n-1 z, 2n z_0 */
} tableau;

static size_t layout(int n, void *base, tableau *t) {
    jn_scratch s = {.base = base};
    *t = (tableau){.n = n, .columns = 2 * n + 2};
    t->T = jn_scratch_take(&s, (size_t)n * (size_t)t->columns, sizeof(double));
    t->row = jn_scratch_take(&s, (size_t)n, sizeof(double));
    t->scale = jn_scratch_take(&s, (size_t)n, sizeof(double));
    t->basic = jn_scratch_take(&s, (size_t)n, sizeof(int));
    return s.used;
}

size_t jn_lcp_scratch(int n) {
    tableau t;
    return layout(n, NULL, &t);
}

/* Rows and columns in turn divided by the root of their largest entry: all come close to 1. */
static void equilibrate(tableau *t, const double *A) {
    int n = t->n;
    for (int i = 0; i < n; i++) t->row[i] = t->scale[i] = 1;
    for (int pass = 0; pass < 2 * PASSES; pass++)
        for (int i = 0; i < n; i++) {
            double most = 0;
            for (int j = 0; j < n; j++) {
                double a = pass % 2 ? A[(size_t)j * (size_t)n + (size_t)i] : A[(size_t)i * (size_t)n + (size_t)j];
                most = jn_fmax(most, fabs(a) * (pass % 2 ? t->row[j] * t->scale[i] : t->row[i] * t->scale[j]));
            }
            if (most > 0) *(pass % 2 ? &t->scale[i] : &t->row[i]) /= sqrt(most);
        }
}

/* w - A z - e z_0 = b in scaled variables; b is scaled to 1 as well. Returns its size. */
static double fill(tableau *t, const double *A, const double *b) {
    int n = t->n;
    double size = 0;
    for (int i = 0; i < n; i++) size = jn_fmax(size, fabs(t->row[i] * b[i]));
    for (int i = 0; i < n; i++) {
        double *T = t->T + (size_t)i * (size_t)t->columns;
        memset(T, 0, (size_t)n * sizeof *T);
        T[i] = 1, T[2 * n] = -1;
        for (int j = 0; j < n; j++) T[n + j] = -t->row[i] * A[(size_t)i * (size_t)n + (size_t)j] * t->scale[j];
        T[2 * n + 1] = t->row[i] * b[i] / (size > 0 ? size : 1);
        t->basic[i] = i;
    }
    return size;
}

static void pivot(tableau *t, int row, int column) {
    double *P = t->T + (size_t)row * (size_t)t->columns, scale = 1 / P[column];
    for (int j = 0; j < t->columns; j++) P[j] *= scale;
    P[column] = 1;
    for (int i = 0; i < t->n; i++) {
        double *T = t->T + (size_t)i * (size_t)t->columns, factor = T[column];
        if (i == row || factor == 0) continue;
        for (int j = 0; j < t->columns; j++) T[j] -= factor * P[j];
        T[column] = 0;
    }
    t->basic[row] = column;
}

/* Is row a, divided by its entry in the column, lexicographically less than row b? The right-hand side comes first, then the
 * inverse of the basis, whose rows are independent. */
static bool precedes(const tableau *t, int a, int b, int column) {
    const double *x = t->T + (size_t)a * (size_t)t->columns, *y = t->T + (size_t)b * (size_t)t->columns;
    double p = 1 / x[column], q = 1 / y[column], gap = x[2 * t->n + 1] * p - y[2 * t->n + 1] * q;
    if (fabs(gap) > same) return gap < 0;
    if (t->basic[a] == 2 * t->n || t->basic[b] == 2 * t->n) return t->basic[a] == 2 * t->n; /* z_0 leaves: the end */
    for (int j = 0; j < t->n; j++) {
        gap = x[j] * p - y[j] * q;
        if (fabs(gap) > same) return gap < 0;
    }
    return a < b;
}

/* Row that leaves when the column enters; -1: a ray. */
static int leaving(const tableau *t, int column) {
    int best = -1;
    double most = 0;
    for (int i = 0; i < t->n; i++) most = jn_fmax(most, fabs(t->T[(size_t)i * (size_t)t->columns + (size_t)column]));
    for (int i = 0; i < t->n; i++)
        if (t->T[(size_t)i * (size_t)t->columns + (size_t)column] > small * most)
            if (best < 0 || precedes(t, i, best, column)) best = i;
    return best;
}

/* First pivot: z_0 takes the most negative row, with the last of the equal ones, so that all rows are lexico-positive. */
static int first_row(const tableau *t) {
    int best = -1;
    for (int i = 0; i < t->n; i++) {
        double b = t->T[(size_t)i * (size_t)t->columns + (size_t)(2 * t->n + 1)];
        if (b < 0 && (best < 0 || b <= t->T[(size_t)best * (size_t)t->columns + (size_t)(2 * t->n + 1)])) best = i;
    }
    return best;
}

int jn_lcp_lemke(int n, const double *A, const double *b, int limit, double *z, void *scratch, int *pivots) {
    tableau t;
    layout(n, scratch, &t);
    equilibrate(&t, A);
    double size = fill(&t, A, b);
    if (!isfinite(size)) return JN_ERR_NUMERIC;
    memset(z, 0, (size_t)n * sizeof *z);
    *pivots = 0;
    int row = first_row(&t), left, enters = 2 * n;
    while (row >= 0) {
        if (++*pivots > limit) return JN_NOT_CONVERGED;
        left = t.basic[row];
        pivot(&t, row, enters);
        if (left == 2 * n) break;
        enters = left < n ? left + n : left - n; /* the complement of what left */
        row = leaving(&t, enters);
        if (row < 0) return JN_NOT_CONVERGED;
    }
    for (int i = 0; i < n; i++)
        if (t.basic[i] >= n && t.basic[i] < 2 * n) {
            int j = t.basic[i] - n;
            z[j] = jn_fmax(t.T[(size_t)i * (size_t)t.columns + (size_t)(2 * n + 1)], 0) * t.scale[j] * size;
        }
    return JN_OK;
}

/* Rank, range and null space by QR with column pivoting (LAPACK). */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "study/dense.h"
#include <jounce/base.h>
#include <lapacke.h>
#include <math.h>

static const double surely_kept = 1e-6;     /* pivots above, relative to the first, count */
static const double surely_dropped = 1e-12; /* pivots below are round-off */

static int least(int a, int b) { return a < b ? a : b; }

bool jn_column_space_create(jn_column_space *r, int n, int cols, bool want_Q) {
    int most = least(n, cols), wide = n > cols ? n : cols;
    r->n = n, r->cols = cols, r->rank = 0, r->largest = 0, r->known = -1;
    r->work_size = 64 * (wide + 2);
    size_t N = (size_t)n, Y_size = N * (size_t)cols + 1, Q_size = want_Q ? N * N + 1 : 0;
    size_t doubles = Y_size + Q_size + (size_t)most + 1 + (size_t)r->work_size;
    r->memory = jn_malloc(doubles * sizeof(double) + (size_t)(cols + 1) * sizeof(int));
    if (!r->memory) return false;
    double *d = r->memory;
    r->Y = d, d += Y_size;
    r->Q = want_Q ? d : NULL, d += Q_size;
    r->tau = d, d += most + 1;
    r->work = d, d += r->work_size;
    r->pivot = (int *)d;
    return true;
}

void jn_column_space_free(jn_column_space *r) {
    jn_free(r->memory);
    r->memory = NULL;
}

/* Where the pivots fall deepest between what is surely kept and what is surely round-off. */
static void decide(jn_column_space *r, int most) {
    const double *Y = r->Y;
    size_t step = (size_t)r->n + 1;
    double first = most ? jn_fmax(fabs(Y[0]), r->largest) : 0, floor_size = first * 1e-17;
    int low = 0, high;
    r->rank = 0, r->clear = INFINITY, r->cut = surely_kept;
    if (first == 0) return;
    if (r->known >= 0) {
        r->rank = r->known;
        return;
    }
    while (low < most && fabs(Y[(size_t)low * step]) > surely_kept * first) low++;
    for (high = low; high < most && fabs(Y[(size_t)high * step]) > surely_dropped * first; high++) continue;
    double best = 0;
    for (int k = low; k <= high; k++) { /* candidate rank k */
        double kept = k ? fabs(Y[(size_t)(k - 1) * step]) : first,
               next = k < most ? jn_fmax(fabs(Y[(size_t)k * step]), floor_size) : 0;
        if (k == most) next = floor_size * 1e3;
        if (kept / next <= best) continue;
        best = kept / next;
        r->rank = k;
        r->clear = k < most ? best : INFINITY;
        r->cut = k < most ? sqrt(kept * next) : jn_fmin(kept * 1e-3, 1e-9 * first);
    }
}

int jn_column_space_find(jn_column_space *r) {
    int n = r->n, cols = r->cols, most = least(n, cols);
    for (size_t i = 0; i < (size_t)n * (size_t)cols; i++)
        if (!isfinite(r->Y[i])) return JN_ERR_NUMERIC;
    for (int j = 0; j < cols; j++) r->pivot[j] = 0;
    if (most && LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, cols, r->Y, n, r->pivot, r->tau, r->work, r->work_size))
        return JN_ERR_NUMERIC;
    decide(r, most);
    if (!r->Q || n == 0) return JN_OK;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            r->Q[(size_t)j * (size_t)n + (size_t)i] = j < r->rank ? r->Y[(size_t)j * (size_t)n + (size_t)i] : 0;
    /* reflections beyond the rank only mix the complement: leave them out */
    if (LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, r->rank, r->Q, n, r->tau, r->work, r->work_size))
        return JN_ERR_NUMERIC;
    return JN_OK;
}

bool jn_least_create(jn_least *s, int rows, int n) {
    int longest = rows > n ? rows : n;
    size_t A_size = (size_t)rows * (size_t)n + 1, N = (size_t)n + 1;
    s->rows = rows, s->n = n, s->as_is = false;
    s->work_size = 64 * (longest + 2);
    s->memory = jn_malloc((A_size + (size_t)longest + 1 + N + (size_t)s->work_size) * sizeof(double) + N * sizeof(int));
    if (!s->memory) return false;
    s->A = s->memory;
    s->b = s->A + A_size;
    s->scale = s->b + longest + 1;
    s->work = s->scale + N;
    s->pivot = (int *)(s->work + s->work_size);
    return true;
}

void jn_least_free(jn_least *s) {
    jn_free(s->memory);
    s->memory = NULL;
}

/* Columns to length 1, unless they count as they are; those of round-off against the longest become zero, and so do their unknowns. */
static bool scale_columns(jn_least *s) {
    double longest = 0;
    for (int j = 0; j < s->n; j++) {
        double *column = s->A + (size_t)j * (size_t)s->rows, sum = 0;
        for (int i = 0; i < s->rows; i++) sum += column[i] * column[i];
        if (!isfinite(sum)) return false;
        s->scale[j] = sqrt(sum), longest = jn_fmax(longest, s->scale[j]);
    }
    for (int j = 0; j < s->n; j++) {
        double *column = s->A + (size_t)j * (size_t)s->rows, size = s->scale[j];
        bool empty = !(size > surely_dropped * longest);
        s->scale[j] = empty ? 0 : s->as_is ? 1 : 1 / size;
        for (int i = 0; i < s->rows; i++) column[i] *= s->scale[j];
        s->pivot[j] = 0;
    }
    return true;
}

int jn_least_solve(jn_least *s) {
    int rows = s->rows, n = s->n, rank = 0;
    if (n == 0) return JN_OK;
    if (!scale_columns(s)) return JN_ERR_NUMERIC;
    for (int i = rows; i < n; i++) s->b[i] = 0;
    if (LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, rows, n, 1, s->A, rows > 0 ? rows : 1, s->b, rows > n ? rows : n,
                            s->pivot, surely_dropped, &rank, s->work, s->work_size))
        return JN_ERR_NUMERIC;
    for (int j = 0; j < n; j++) s->b[j] *= s->scale[j];
    return JN_OK;
}

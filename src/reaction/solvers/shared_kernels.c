/* Products with the rows of a few contacts and Newton's matrix of them, for one kind of processor (variants.h). */
#include "reaction/solvers/shared_velocities.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Rows are whole multiples of LANES numbers; WIDTH of them are a vector that a register of the processor holds, PARTS of these make LANES, and WIDE
 * times LANES numbers of four rows stay in registers, or LONG times LANES of one row. No number depends on its neighbours: the bits are the same. */
#if defined __AVX512F__
enum { LANES = 8, WIDTH = 8, PARTS = LANES / WIDTH, WIDE = 4, LONG = 6 };
#elif defined __AVX__
enum { LANES = 8, WIDTH = 4, PARTS = LANES / WIDTH, WIDE = 2, LONG = 6 };
#else
enum { LANES = 8, WIDTH = 2, PARTS = LANES / WIDTH, WIDE = 1, LONG = 3 };
#endif
#define AT_MOST_WIDE(n) ((n) < WIDE ? (n) : WIDE)
#define AT_MOST_LONG(n) ((n) < LONG ? (n) : LONG)

typedef double vector __attribute__((vector_size(8 * WIDTH), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(8 * WIDTH)));
#define AT(x) (*(vector *)(void *)(x))
#define OF(x) (*(const vector *)(const void *)(x))

static const double SINGULAR = 1e-12; /* pivot of a matrix with unit diagonal that is none */

/* ---------------------------------------------------------------------------------------------------------- products */

JN_FOR_CONSTANTS void combine_some(const double *rows, int n, ptrdiff_t pitch, const double *x, double *y,
                                   const int wide) {
    vector sum[LONG * PARTS] = {{0}};
    for (int k = 0; k < n; k++) {
        if (x[k] == 0) continue; /* open contacts, and rows that stops do not have */
        for (int b = 0; b < wide * PARTS; b++) sum[b] += x[k] * OF(rows + k * pitch + WIDTH * b);
    }
    for (int b = 0; b < wide * PARTS; b++) AT(y + WIDTH * b) = sum[b];
}

/* y (pitch) = sum of x_k times row k. */
static void combine(const double *rows, int n, ptrdiff_t pitch, const double *x, double *y) {
    for (int at = 0; at < pitch; at += LONG * LANES) switch ((pitch - at) / LANES) { /* loops of constant length */
        case 1: combine_some(rows + at, n, pitch, x, y + at, 1); break;
        case 2: combine_some(rows + at, n, pitch, x, y + at, 2); break;
        case 3: combine_some(rows + at, n, pitch, x, y + at, 3); break;
        case 4: combine_some(rows + at, n, pitch, x, y + at, AT_MOST_LONG(4)); break;
        case 5: combine_some(rows + at, n, pitch, x, y + at, AT_MOST_LONG(5)); break;
        default: combine_some(rows + at, n, pitch, x, y + at, LONG);
        }
}

/* The same of Y^T p for `wide` eights from `at` on: contacts without entries there are left out. */
JN_FOR_CONSTANTS void scatter_some(const jn_shared *s, const double *p, double *v, int at, const int wide) {
    vector sum[WIDE * PARTS] = {{0}};
    for (int i = 0; i < s->nc; i++) {
        if (!(s->parts[i] >> at / LANES & ((1u << wide) - 1))) continue;
        for (int k = i * s->d; k < i * s->d + s->d; k++) {
            if (p[k] == 0) continue; /* open contacts, and rows that stops do not have */
            for (int b = 0; b < wide * PARTS; b++) sum[b] += p[k] * OF(s->Y + k * s->pitch + at + WIDTH * b);
        }
    }
    for (int b = 0; b < wide * PARTS; b++) AT(v + at + WIDTH * b) = sum[b];
}

void JN_VARIANT(jn_shared_scatter)(const jn_shared *s, const double *p, double *v) {
    if (jn_shared_is_few(s)) {
        combine(s->Y, s->nc * s->d, s->pitch, p, v);
        return;
    }
    for (int at = 0; at < s->pitch; at += WIDE * LANES) switch ((s->pitch - at) / LANES) {
        case 1: scatter_some(s, p, v, at, 1); break;
        case 2: scatter_some(s, p, v, at, AT_MOST_WIDE(2)); break;
        case 3: scatter_some(s, p, v, at, AT_MOST_WIDE(3)); break;
        default: scatter_some(s, p, v, at, WIDE);
        }
}

void JN_VARIANT(jn_shared_gather)(const jn_shared *s, const double *v, double *u) {
    combine(s->columns, s->nv, s->deep, v, u);
}

/* ---------------------------------------------------------------------------------------------------- Newton's matrix */

/* Places of the eights of numbers that a row has. Returns how many. */
static int places_of(uint32_t parts, int *at) {
    int count = 0;
    for (; parts; parts &= parts - 1) at[count++] = LANES * __builtin_ctz(parts);
    return count;
}

/* K^T += H_i^T (C_i^T Y_i) of one contact, columns of `wide` eights at these places, NULL: the first ones. H: its entries as they stand. */
JN_FOR_CONSTANTS void add_some(const double *C, const double *H, const double *Y, int d, ptrdiff_t pitch,
                               const int *dof, int count, double *K, const int *at, const int rows, const int wide) {
    vector CY[3][WIDE * PARTS];
    int place[WIDE];
    for (int b = 0; b < wide; b++) place[b] = at ? at[b] : LANES * b;
    for (int c = 0; c < rows; c++)
        for (int b = 0; b < wide * PARTS; b++) {
            vector sum = {0};
            for (int r = 0; r < rows; r++)
                sum += C[r * d + c] * OF(Y + r * pitch + place[b / PARTS] + b % PARTS * WIDTH);
            CY[c][b] = sum;
        }
    for (int k = 0; k < count; k++, H += d) {
        double *row = K + dof[k] * pitch;
        double own[3]; /* which the compiler would load anew behind each store to K */
        for (int c = 0; c < rows; c++) own[c] = H[c];
        for (int b = 0; b < wide * PARTS; b++) {
            double *to = row + place[b / PARTS] + b % PARTS * WIDTH;
            vector sum = OF(to);
            for (int c = 0; c < rows; c++) sum += own[c] * CY[c][b];
            AT(to) = sum;
        }
    }
}

/* Up to `left` eights of them, the first ones counted `from` there. */
JN_FOR_CONSTANTS void add_next(const jn_shared *s, int i, const double *C, int from, const int *at, int left,
                               const int rows) {
    const int first = s->problem->H->start[i], count = s->problem->H->start[i + 1] - first, d = s->d;
    const ptrdiff_t pitch = s->pitch;
    const int *dof = s->dof + first;
    const double *H = s->problem->H->value + first * d, *Y = s->Y + i * d * pitch + from;
    double *K = s->K + from;
    switch (left) {
    case 1: add_some(C, H, Y, d, pitch, dof, count, K, at, rows, 1); break;
    case 2: add_some(C, H, Y, d, pitch, dof, count, K, at, rows, AT_MOST_WIDE(2)); break;
    case 3: add_some(C, H, Y, d, pitch, dof, count, K, at, rows, AT_MOST_WIDE(3)); break;
    default: add_some(C, H, Y, d, pitch, dof, count, K, at, rows, WIDE);
    }
}

JN_FOR_CONSTANTS void add_rows(const jn_shared *s, int i, const double *C, const int rows) {
    const int *start = s->problem->H->start;
    int at[32];
    if (jn_shared_is_few(s)) {
        for (int n = 0; n < s->pitch; n += WIDE * LANES) add_next(s, i, C, n, NULL, (s->pitch - n) / LANES, rows);
        return;
    }
    for (int k = start[i]; k < start[i + 1]; k++) s->row_parts[s->dof[k]] |= s->parts[i];
    for (int n = 0, places = places_of(s->parts[i], at); n < places; n += WIDE)
        add_next(s, i, C, 0, at + n, places - n, rows);
}

__attribute__((noinline)) static void add_one_row(const jn_shared *s, int i, const double *C) { add_rows(s, i, C, 1); }
__attribute__((noinline)) static void add_two_rows(const jn_shared *s, int i, const double *C) { add_rows(s, i, C, 2); }
__attribute__((noinline)) static void add_three_rows(const jn_shared *s, int i, const double *C) {
    add_rows(s, i, C, 3);
}

/* K^T += c H_1^T Y_1 of the first tangent alone. */
static void add_tangent(const jn_shared *s, int i, double c) {
    const int *start = s->problem->H->start, *dof = s->dof + start[i];
    const double *H = s->H + (i * s->d + 1) * s->pitch, *Y = s->Y + (i * s->d + 1) * s->pitch;
    for (int k = 0; k < start[i + 1] - start[i] - 1 && c != 0; k++) {
        double *row = s->K + dof[k] * s->pitch, factor = c * H[dof[k]];
        if (!jn_shared_is_few(s)) s->row_parts[dof[k]] |= s->parts[i];
        for (int b = 0; b < s->pitch; b += WIDTH) AT(row + b) += factor * OF(Y + b);
    }
}

/* K = 1 + Y^T C H; open contacts have no part in it. */
static void fill(jn_shared *s, const double *C) {
    for (int k = 0; k < s->nv; k++) {
        double *row = s->K + k * s->pitch;
        memset(row, 0, (size_t)s->pitch * sizeof *row);
        row[k] = 1, s->row_parts[k] = 1u << k / LANES;
    }
    for (int i = 0; i < s->nc; i++) {
        const double *own = C + i * s->d * s->d;
        if (s->given[i] > 0) add_tangent(s, i, own[s->d + 1]);
        if (own[0] == 0) continue;
        switch (s->rows[i]) {
        case 1: add_one_row(s, i, own); break;
        case 2: add_two_rows(s, i, own); break;
        default: add_three_rows(s, i, own);
        }
    }
}

/* Rows above row k, less their entry in column k times L; the numbers of `wide` eights. The matrix has entries in that column where row k has some. */
JN_FOR_CONSTANTS void eliminate_some(jn_shared *s, int k, uint32_t parts, const int *at, const int wide) {
    const int pitch = s->pitch;
    double *const K = s->K;
    const double *const L = s->L + k * pitch;
    uint32_t *const row_parts = s->row_parts;
    vector own[WIDE * PARTS];
    int place[WIDE];
    for (int b = 0; b < wide; b++) place[b] = at[b];
    for (int b = 0; b < wide * PARTS; b++) own[b] = OF(L + place[b / PARTS] + b % PARTS * WIDTH);
    for (uint32_t left = parts; left;) { /* eights that follow each other */
        int first = __builtin_ctz(left), count = __builtin_ctzll(~((uint64_t)left >> first)),
            end = LANES * (first + count);
        left = count + first < 32 ? left >> (first + count) << (first + count) : 0;
        for (int j = LANES * first; j < end && j < k; j++) {
            double *other = K + j * pitch, low = other[k];
            if (low == 0 && L[j] == 0) continue;
            row_parts[j] |= parts; /* also where row k alone has an entry there: column j gets new ones */
            if (low == 0) continue;
            for (int b = 0; b < wide * PARTS; b++) AT(other + place[b / PARTS] + b % PARTS * WIDTH) -= low * own[b];
        }
    }
}

/* On its own, as the ones for contacts above: where link-time optimisation puts all of them into one function, their places in memory fill the stack. */
__attribute__((noinline)) static void eliminate(jn_shared *s, int k) {
    uint32_t parts = s->row_parts[k] & (uint32_t)((1ull << (k + LANES - 1) / LANES) - 1); /* before column k */
    int at[32], places = places_of(parts, at);
    for (int n = 0; n < places; n += WIDE) switch (places - n) {
        case 1: eliminate_some(s, k, parts, at + n, 1); break;
        case 2: eliminate_some(s, k, parts, at + n, AT_MOST_WIDE(2)); break;
        case 3: eliminate_some(s, k, parts, at + n, AT_MOST_WIDE(3)); break;
        default: eliminate_some(s, k, parts, at + n, WIDE);
        }
}

JN_FOR_CONSTANTS void eliminate_all_of(double *restrict K, const double *restrict L, int k, ptrdiff_t pitch,
                                       const int wide) {
    vector own[JN_SHARED_FEW / WIDTH];
    for (int b = 0; b < wide * PARTS; b++) own[b] = OF(L + b * WIDTH);
    for (int j = 0; j < k; j++, K += pitch) {
        const double low = K[k];
        if (low == 0) continue;
        for (int b = 0; b < wide * PARTS; b++) AT(K + b * WIDTH) -= low * own[b];
    }
}

/* The same of few velocities, in all eights before column k. */
__attribute__((noinline)) static void eliminate_all(const jn_shared *s, int k) {
    switch ((k + LANES - 1) / LANES) {
    case 0: break;
    case 1: eliminate_all_of(s->K, s->L + k * s->pitch, k, s->pitch, 1); break;
    case 2: eliminate_all_of(s->K, s->L + k * s->pitch, k, s->pitch, 2); break;
    case 3: eliminate_all_of(s->K, s->L + k * s->pitch, k, s->pitch, 3); break;
    default: eliminate_all_of(s->K, s->L + k * s->pitch, k, s->pitch, 4);
    }
}

/* Numbers of the lanes, counted from `first`. */
static inline mask lanes_from(int first) {
    mask lane;
    for (int n = 0; n < WIDTH; n++) lane[n] = n;
    return lane + (int64_t)first;
}

/* Row k over its pivot: L gets the entries before it, the row keeps those behind it. Solutions read four columns together, so that around the
 * pivot, from column k - 3 to k + 2, zeros stand for the other side; further away nobody reads it. */
static void divide_row(double *row, double *L, double inverse, int k, int pitch) {
    const int from = k > 3 ? (k - 3) / LANES * LANES : 0, up_to = (k + 3 + LANES - 1) / LANES * LANES,
              to = up_to < pitch ? up_to : pitch;
    for (int b = 0; b < from; b += WIDTH) AT(L + b) = inverse * OF(row + b);
    for (int b = from; b < to; b += WIDTH) {
        const vector x = inverse * OF(row + b);
        const mask lane = lanes_from(b);
        AT(L + b) = (vector)((mask)x & (lane < (int64_t)k));
        AT(row + b) = (vector)((mask)x & (lane > (int64_t)k));
    }
    for (int b = to; b < pitch; b += WIDTH) AT(row + b) *= inverse;
}

bool JN_VARIANT(jn_shared_factor)(jn_shared *s, const double *C) {
    int n = s->nv, pitch = s->pitch;
    fill(s, C);
    for (int k = n; k < pitch; k++) s->inverse[k] = 0;
    for (int k = n - 1; k >= 0; k--) {
        double *row = s->K + k * pitch, *L = s->L + k * pitch; /* column k */
        if (!(fabs(row[k]) > SINGULAR)) return false;
        double inverse = s->inverse[k] = 1 / row[k];
        divide_row(row, L, inverse, k, pitch);
        if (jn_shared_is_few(s))
            eliminate_all(s, k);
        else
            eliminate(s, k);
    }
    return true;
}

/* x = L^-T x. Four columns at a time: what they need of each other first, then the rest of x goes through memory once. */
static void solve_downwards(const double *L, int n, ptrdiff_t pitch, double *x) {
    int k = n - 1;
    for (; k >= 4; k -= 4) {
        const double *A = L + k * pitch, *B = A - pitch, *C = B - pitch, *D = C - pitch;
        double a = x[k], b = x[k - 1] - a * A[k - 1], c = x[k - 2] - a * A[k - 2] - b * B[k - 2];
        double d = x[k - 3] - a * A[k - 3] - b * B[k - 3] - c * C[k - 3];
        for (int i = 0, end = (k + LANES - 1) / LANES * LANES; i < end; i += WIDTH)
            AT(x + i) = OF(x + i) - a * OF(A + i) - b * OF(B + i) - c * OF(C + i) - d * OF(D + i);
    }
    for (; k > 0; k--) {
        double now = x[k];
        for (int i = 0, end = (k + LANES - 1) / LANES * LANES; i < end; i += WIDTH)
            AT(x + i) -= now * OF(L + k * pitch + i);
    }
}

/* The same with the other factor. */
static void solve_upwards(const double *K, int n, ptrdiff_t pitch, double *x) {
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        const double *A = K + k * pitch, *B = A + pitch, *C = B + pitch, *D = C + pitch;
        double a = x[k], b = x[k + 1] - a * A[k + 1], c = x[k + 2] - a * A[k + 2] - b * B[k + 2];
        double d = x[k + 3] - a * A[k + 3] - b * B[k + 3] - c * C[k + 3];
        for (int i = k / LANES * LANES; i < pitch; i += WIDTH)
            AT(x + i) = OF(x + i) - a * OF(A + i) - b * OF(B + i) - c * OF(C + i) - d * OF(D + i);
    }
    for (; k < n; k++) {
        double now = x[k];
        for (int i = k / LANES * LANES; i < pitch; i += WIDTH) AT(x + i) -= now * OF(K + k * pitch + i);
    }
}

void JN_VARIANT(jn_shared_solve)(const jn_shared *s, double *x) {
    solve_downwards(s->L, s->nv, s->pitch, x);
    solve_upwards(s->K, s->nv, s->pitch, x);
    for (int b = 0; b < s->pitch; b += WIDTH) AT(x + b) *= OF(s->inverse + b);
}

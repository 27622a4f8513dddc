/* Rows of a few contacts in the velocities that they share, dense. */
#include "reaction/solvers/shared_velocities.h"
#include <math.h>
#include <string.h>

enum { LANES = 8, WIDE = 4 }; /* numbers in a vector; vectors that stay in registers */
typedef long mask __attribute__((vector_size(64)));

static bool same_pattern(const jn_contact_rows *H, const jn_contact_rows *Y, int contacts) {
    if (H->start == Y->start && H->dof == Y->dof) return true;
    return !memcmp(H->start, Y->start, ((size_t)contacts + 1) * sizeof(int)) &&
           !memcmp(H->dof, Y->dof, (size_t)H->start[contacts] * sizeof(int));
}

bool jn_shared_suits(const jn_problem *problem) {
    return problem->H && problem->Y && !problem->W && same_pattern(problem->H, problem->Y, problem->contacts);
}

static int lanes_up(int n) { return (n + LANES - 1) / LANES * LANES; }

void jn_shared_layout(const jn_problem *problem, jn_scratch *m, jn_shared *s) {
    size_t nc = (size_t)problem->contacts, n = nc * (size_t)problem->dimension, pitch = JN_SHARED;
    *s = (jn_shared){.problem = problem, .d = problem->dimension, .nc = problem->contacts, .deep = lanes_up((int)n)};
    s->place = jn_scratch_take(m, (size_t)problem->velocities, sizeof(int));
    s->dof = jn_scratch_take(m, (size_t)problem->H->start[nc], sizeof(int));
    s->rows = jn_scratch_take(m, nc, sizeof(int));
    s->H = jn_scratch_take(m, n * pitch, sizeof(double)), s->Y_own = jn_scratch_take(m, n * pitch, sizeof(double));
    s->columns = jn_scratch_take(m, pitch * (size_t)s->deep, sizeof(double));
    s->K = jn_scratch_take(m, pitch * pitch, sizeof(double)), s->L = jn_scratch_take(m, pitch * pitch, sizeof(double));
    s->inverse = jn_scratch_take(m, pitch, sizeof(double));
}

/* Numbers the velocities that contacts have, in ascending order; false where they are too many. */
static bool number_velocities(jn_shared *s) {
    const jn_contact_rows *H = s->problem->H;
    int entries = H->start[s->nc];
    memset(s->place, 0xff, (size_t)s->problem->velocities * sizeof(int));
    for (int k = 0; k < entries; k++) s->place[H->dof[k]] = 0;
    s->nv = 0;
    for (int k = 0; k < s->problem->velocities; k++)
        if (s->place[k] == 0) s->place[k] = s->nv++;
    s->pitch = lanes_up(s->nv);
    for (int k = 0; k < entries; k++) s->dof[k] = s->place[H->dof[k]];
    return s->nv <= JN_SHARED;
}

/* Rows by contacts and, if asked for, by velocities. */
static inline void spread_some(const jn_shared *s, const double *value, double *rows, double *columns, const int d) {
    const int *start = s->problem->H->start;
    for (int i = 0; i < s->nc; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            double *row = rows + i * d * s->pitch + s->dof[k];
            for (int r = 0; r < d; r++) row[r * s->pitch] = value[k * d + r];
            for (int r = 0; r < d && columns; r++) columns[s->dof[k] * s->deep + i * d + r] = value[k * d + r];
        }
}

static void spread(const jn_shared *s, const double *value, double *rows, double *columns) {
    memset(rows, 0, (size_t)(s->nc * s->d * s->pitch) * sizeof *rows);
    if (columns) memset(columns, 0, (size_t)(s->nv * s->deep) * sizeof *columns);
    switch (s->d) { /* loops of constant length */
    case 1: spread_some(s, value, rows, columns, 1); break;
    case 2: spread_some(s, value, rows, columns, 2); break;
    default: spread_some(s, value, rows, columns, 3);
    }
}

bool jn_shared_start(jn_shared *s) {
    for (int i = 0; i < s->nc; i++) s->rows[i] = s->d > 1 && s->problem->mu[i] > 0 ? s->d : 1;
    const jn_contact_rows *H = s->problem->H, *Y = s->problem->Y;
    size_t bytes = (size_t)(H->start[s->nc] * s->d) * sizeof(double);
    if (!number_velocities(s)) return false;
    spread(s, H->value, s->H, s->columns);
    bool same = H->value == Y->value || !memcmp(H->value, Y->value, bytes);
    if (!same) spread(s, Y->value, s->Y_own, NULL);
    s->Y = same ? s->H : s->Y_own;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- products */

static inline void combine_some(const double *rows, int n, int pitch, const double *x, double *y, const int wide) {
    jn_lanes sum[WIDE] = {{0}, {0}, {0}, {0}};
    for (int k = 0; k < n; k++)
        for (int b = 0; b < wide; b++) sum[b] += x[k] * JN_LANES_OF(rows + k * pitch + LANES * b);
    for (int b = 0; b < wide; b++) JN_LANES(y + LANES * b) = sum[b];
}

/* y (pitch) = sum of x_k times row k. */
static void combine(const double *rows, int n, int pitch, const double *x, double *y) {
    for (int at = 0; at < pitch; at += WIDE * LANES) switch ((pitch - at) / LANES) { /* loops of constant length */
        case 1: combine_some(rows + at, n, pitch, x, y + at, 1); break;
        case 2: combine_some(rows + at, n, pitch, x, y + at, 2); break;
        case 3: combine_some(rows + at, n, pitch, x, y + at, 3); break;
        default: combine_some(rows + at, n, pitch, x, y + at, WIDE);
        }
}

void jn_shared_scatter(const jn_shared *s, const double *p, double *v) { combine(s->Y, s->nc * s->d, s->pitch, p, v); }

void jn_shared_gather(const jn_shared *s, const double *v, double *u) { combine(s->columns, s->nv, s->deep, v, u); }

/* ---------------------------------------------------------------------------------------------------- Newton's matrix */

/* K^T += H_i^T (C_i^T Y_i) of one contact, columns of `wide` vectors. */
static inline void add_some(const double *C, const double *H, const double *Y, int d, int pitch, const int *dof,
                            int count, double *K, const int rows, const int wide) {
    jn_lanes CY[3][WIDE];
    for (int c = 0; c < rows; c++)
        for (int b = 0; b < wide; b++) {
            jn_lanes sum = {0};
            for (int r = 0; r < rows; r++) sum += C[r * d + c] * JN_LANES_OF(Y + r * pitch + LANES * b);
            CY[c][b] = sum;
        }
    for (int k = 0; k < count; k++) {
        double *row = K + dof[k] * pitch;
        for (int b = 0; b < wide; b++) {
            jn_lanes sum = JN_LANES_OF(row + LANES * b);
            for (int c = 0; c < rows; c++) sum += H[c * pitch + dof[k]] * CY[c][b];
            JN_LANES(row + LANES * b) = sum;
        }
    }
}

static inline void add_rows(const jn_shared *s, int i, const double *C, const int rows) {
    const int *start = s->problem->H->start, *dof = s->dof + start[i];
    int d = s->d, pitch = s->pitch, count = start[i + 1] - start[i];
    const double *H = s->H + i * d * pitch, *Y = s->Y + i * d * pitch;
    for (int at = 0; at < pitch; at += WIDE * LANES) switch ((pitch - at) / LANES) {
        case 1: add_some(C, H, Y + at, d, pitch, dof, count, s->K + at, rows, 1); break;
        case 2: add_some(C, H, Y + at, d, pitch, dof, count, s->K + at, rows, 2); break;
        case 3: add_some(C, H, Y + at, d, pitch, dof, count, s->K + at, rows, 3); break;
        default: add_some(C, H, Y + at, d, pitch, dof, count, s->K + at, rows, WIDE);
        }
}

/* K = 1 + Y^T C H; open contacts have no part in it. */
static void fill(jn_shared *s, const double *C) {
    memset(s->K, 0, (size_t)(s->nv * s->pitch) * sizeof *s->K);
    for (int k = 0; k < s->nv; k++) s->K[k * s->pitch + k] = 1;
    for (int i = 0; i < s->nc; i++) {
        const double *own = C + i * s->d * s->d;
        if (own[0] == 0) continue;
        switch (s->rows[i]) {
        case 1: add_rows(s, i, own, 1); break;
        case 2: add_rows(s, i, own, 2); break;
        default: add_rows(s, i, own, 3);
        }
    }
}

/* x where the lane, counted from `first`, is below k; else 0. */
static inline jn_lanes keep_below(jn_lanes x, int first, int k) {
    const mask lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return (jn_lanes)((mask)x & (lane < (long)(k - first)));
}

bool jn_shared_factor(jn_shared *s, const double *C) {
    int n = s->nv, pitch = s->pitch;
    fill(s, C);
    for (int k = n; k < pitch; k++) s->inverse[k] = 0;
    for (int k = n - 1; k >= 0; k--) {
        double *row = s->K + k * pitch, *L = s->L + k * pitch; /* column k */
        if (!(fabs(row[k]) > 1e-12)) return false;
        double inverse = s->inverse[k] = 1 / row[k];
        int wide = lanes_up(k);
        for (int b = 0; b < wide; b += LANES) JN_LANES(L + b) = keep_below(inverse * JN_LANES_OF(row + b), b, k);
        for (int j = 0; j < k; j++) {
            double *other = s->K + j * pitch, low = other[k];
            if (low == 0) continue;
            for (int b = 0; b < wide; b += LANES) JN_LANES(other + b) -= low * JN_LANES_OF(L + b);
        }
        for (int b = 0; b < pitch; b += LANES) { /* what is left of column k, over its pivot */
            jn_lanes below = inverse * JN_LANES_OF(row + b);
            JN_LANES(row + b) = below - keep_below(below, b, k + 1);
        }
    }
    return true;
}

void jn_shared_solve(const jn_shared *s, double *x) {
    int n = s->nv, pitch = s->pitch;
    for (int k = n - 1; k > 0; k--) {
        double now = x[k];
        for (int b = 0; b < k; b += LANES) JN_LANES(x + b) -= now * JN_LANES_OF(s->L + k * pitch + b);
    }
    for (int k = 0; k < n; k++) {
        double now = x[k];
        for (int b = k / LANES * LANES; b < pitch; b += LANES)
            JN_LANES(x + b) -= now * JN_LANES_OF(s->K + k * pitch + b);
    }
    for (int b = 0; b < pitch; b += LANES) JN_LANES(x + b) *= JN_LANES_OF(s->inverse + b);
}

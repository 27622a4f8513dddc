/* Rows of a few contacts in the velocities that they share, dense. */
#include "reaction/solvers/shared_velocities.h"
#include <stddef.h>
#include <string.h>

enum { LANES = 8 };  /* numbers in a vector */
enum { SHORT = 12 }; /* entries of a contact up to which products with rows as they stand cost less than dense ones */

static bool same_pattern(const jn_contact_rows *H, const jn_contact_rows *Y, int contacts) {
    if (H->start == Y->start && H->dof == Y->dof) return true;
    return !memcmp(H->start, Y->start, ((size_t)contacts + 1) * sizeof(int)) &&
           !memcmp(H->dof, Y->dof, (size_t)H->start[contacts] * sizeof(int));
}

bool jn_shared_suits(const jn_problem *problem) {
    return problem->H && problem->Y && !problem->W && same_pattern(problem->H, problem->Y, problem->contacts);
}

/* Such a velocity is the last one of its contact, behind all that bodies have; FCLIB's problems, whose rows may be anything, have several entries
 * in a normal row. */
double jn_shared_given(const jn_problem *problem, int i) {
    const jn_contact_rows *H = problem->H, *Y = problem->Y;
    int d = problem->dimension, last = H->start[i + 1] - 1;
    if (d < 2 || last <= H->start[i]) return 0;
    for (int k = H->start[i]; k < last; k++)
        if (H->value[k * d] != 0 || Y->value[k * d] != 0) return 0;
    for (int r = 1; r < d; r++)
        if (H->value[last * d + r] != 0 || Y->value[last * d + r] != 0) return 0;
    if ((i > 0 && H->dof[H->start[i] - 1] >= H->dof[last]) || /* in the order of the contacts: no other has it */
        (i + 1 < problem->contacts && H->dof[H->start[i + 2] - 1] <= H->dof[last]))
        return 0;
    return H->value[last * d] * Y->value[last * d];
}

int jn_shared_velocities(const jn_problem *problem) {
    int count = problem->velocities;
    for (int i = problem->contacts - 1; i >= 0 && jn_shared_given(problem, i) > 0; i--) count--;
    return count;
}

static int lanes_up(int n) { return (n + LANES - 1) / LANES * LANES; }

void jn_shared_layout(const jn_problem *problem, int most, jn_scratch *m, jn_shared *s) {
    size_t nc = (size_t)problem->contacts, n = nc * (size_t)problem->dimension, pitch = (size_t)most;
    s->problem = problem, s->d = problem->dimension, s->nc = problem->contacts, s->most = most;
    s->deep = lanes_up((int)n);
    s->place = jn_scratch_take(m, (size_t)problem->velocities, sizeof(int));
    s->dof_own = jn_scratch_take(m, (size_t)problem->H->start[nc], sizeof(int));
    s->rows = jn_scratch_take(m, nc, sizeof(int)), s->given = jn_scratch_take(m, nc, sizeof(double));
    s->parts = jn_scratch_take(m, nc, sizeof(uint32_t)), s->row_parts = jn_scratch_take(m, pitch, sizeof(uint32_t));
    s->H = jn_scratch_take(m, n * pitch, sizeof(double)), s->Y_own = jn_scratch_take(m, n * pitch, sizeof(double));
    s->columns = jn_scratch_take(m, pitch * (size_t)s->deep, sizeof(double));
    s->K = jn_scratch_take(m, pitch * pitch, sizeof(double)), s->L = jn_scratch_take(m, pitch * pitch, sizeof(double));
    s->inverse = jn_scratch_take(m, pitch, sizeof(double));
}

/* Behind the entries of a contact in the velocities that are shared. */
static int end_of(const jn_shared *s, int i) { return s->problem->H->start[i + 1] - (s->given[i] > 0); }

/* Numbers the velocities that contacts have, in ascending order; false where they are too many. */
static bool number_velocities(jn_shared *s) {
    const jn_contact_rows *H = s->problem->H;
    int entries = H->start[s->nc], nv = 0;
    memset(s->place, 0xff, (size_t)s->problem->velocities * sizeof(int));
    s->ascending = true;
    for (int i = 0; i < s->nc; i++)
        for (int k = H->start[i], end = end_of(s, i), last = -1; k < end; k++) {
            int v = H->dof[k];
            if (v <= last) s->ascending = false;
            s->place[v] = 0, last = v;
        }
    for (int k = 0, end = s->problem->velocities; k < end; k++)
        if (s->place[k] == 0) s->place[k] = nv++;
    s->nv = nv, s->pitch = lanes_up(nv);
    bool all = nv > 0 && s->place[nv - 1] == nv - 1; /* from the first one on: each has its own number */
    for (int k = 0; k < entries && !all; k++) s->dof_own[k] = s->place[H->dof[k]];
    s->dof = all ? H->dof : s->dof_own;
    return nv <= s->most;
}

static void find_parts(const jn_shared *s) {
    for (int i = 0; i < s->nc; i++) {
        s->parts[i] = 0;
        for (int k = s->problem->H->start[i], end = end_of(s, i); k < end; k++)
            s->parts[i] |= 1u << s->dof[k] / LANES;
    }
}

/* Rows by contacts and, if both are asked for, by velocities. They are cleared one by one: memset takes longer
 * to begin where it is asked for thousands of bytes. */
JN_FOR_CONSTANTS void spread_some(const jn_shared *s, const double *value, double *restrict rows, double *restrict columns,
                               const int d, const bool both) {
    const int *start = s->problem->H->start, *dof = s->dof;
    const ptrdiff_t pitch = s->pitch, deep = s->deep;
    for (int v = 0; v < s->nv && both; v++) memset(columns + v * deep, 0, (size_t)deep * sizeof *columns);
    for (int i = 0; i < s->nc; i++, rows += d * pitch, columns += d) {
        memset(rows, 0, (size_t)(d * pitch) * sizeof *rows);
        for (int k = start[i], end = end_of(s, i); k < end; k++) {
            double *row = rows + dof[k], *column = columns + dof[k] * deep;
            for (int r = 0; r < d; r++) {
                double x = row[r * pitch] = value[k * d + r];
                if (both) column[r] = x;
            }
        }
    }
}

JN_FOR_CONSTANTS void spread(const jn_shared *s, const double *value, double *rows, const bool both) {
    switch (s->d) { /* loops of constant length */
    case 1: spread_some(s, value, rows, s->columns, 1, both); break;
    case 2: spread_some(s, value, rows, s->columns, 2, both); break;
    default: spread_some(s, value, rows, s->columns, 3, both);
    }
}

bool jn_shared_start(jn_shared *s) {
    memset(s->given, 0, (size_t)s->nc * sizeof *s->given);
    for (int i = s->nc - 1; i >= 0 && (s->given[i] = jn_shared_given(s->problem, i)) > 0;) i--;
    const double *mu = s->problem->mu;
    for (int i = 0, d = s->d, nc = s->nc; i < nc; i++) s->rows[i] = d > 1 && mu[i] > 0 ? d : 1;
    const jn_contact_rows *H = s->problem->H, *Y = s->problem->Y;
    size_t bytes = (size_t)(H->start[s->nc] * s->d) * sizeof(double);
    if (!number_velocities(s)) return false;
    s->same = H->value == Y->value || !memcmp(H->value, Y->value, bytes);
    s->is_packed = true;
    if (!s->ascending || H->start[s->nc] > SHORT * s->nc) jn_shared_spread(s);
    return true;
}

void jn_shared_spread(jn_shared *s) {
    if (!s->is_packed) return;
    if (!jn_shared_is_few(s)) find_parts(s);
    spread(s, s->problem->H->value, s->H, true);
    if (!s->same) spread(s, s->problem->Y->value, s->Y_own, false);
    s->Y = s->same ? s->H : s->Y_own;
    s->is_packed = false;
}

/* --------------------------------------------------------------------------------------------- rows as they stand */

/* The same sums as over dense rows, whose other numbers are zero. */
JN_FOR_CONSTANTS void scatter_entries(const jn_shared *s, const double *p, double *v, const int d) {
    const double *Y = s->problem->Y->value;
    memset(v, 0, (size_t)s->pitch * sizeof *v);
    for (int i = 0; i < s->nc; i++) {
        const double *x = p + i * d;
        const double x0 = x[0], x1 = d > 1 ? x[1] : 0, x2 = d > 2 ? x[2] : 0;
        if (x0 == 0 && x1 == 0 && x2 == 0) continue; /* open */
        for (int k = s->problem->H->start[i], end = end_of(s, i); k < end; k++) {
            double sum = v[s->dof[k]] + x0 * Y[k * d];
            if (d > 1) sum += x1 * Y[k * d + 1];
            if (d > 2) sum += x2 * Y[k * d + 2];
            v[s->dof[k]] = sum;
        }
    }
}

JN_FOR_CONSTANTS void gather_entries(const jn_shared *s, const double *v, double *u, const int d) {
    const double *H = s->problem->H->value;
    for (int i = 0; i < s->nc; i++) {
        double sum[3] = {0};
        for (int k = s->problem->H->start[i], end = end_of(s, i); k < end; k++)
            for (int r = 0; r < d; r++) sum[r] += v[s->dof[k]] * H[k * d + r];
        for (int r = 0; r < d; r++) u[i * d + r] = sum[r];
    }
}

JN_FOR_CONSTANTS jn_four numbers(const double *x, const int d) {
    return (jn_four){x[0], d > 1 ? x[1] : 0, d > 2 ? x[2] : 0, 0};
}

/* Eight sums, each of the velocities that a lane has, as jn_shared_dot_row has them. */
JN_FOR_CONSTANTS void diagonals_of_entries(const jn_shared *s, double *W, const int d) {
    const double *H = s->problem->H->value, *Y = s->problem->Y->value;
    for (int i = 0; i < s->nc; i++, W += d) {
        const jn_four zero = {0};
        jn_four sum[LANES];
        sum[0] = sum[1] = sum[2] = sum[3] = sum[4] = sum[5] = sum[6] = sum[7] = zero; /* gcc makes a call of a loop */
        for (int k = s->problem->H->start[i], end = end_of(s, i); k < end; k++)
            sum[(unsigned)s->dof[k] % LANES] += numbers(H + k * d, d) * numbers(Y + k * d, d);
        for (int l = 0; l < LANES / 2; l++) sum[l] += sum[l + LANES / 2];
        sum[0] = (sum[0] + sum[2]) + (sum[1] + sum[3]);
        for (int r = 0; r < d; r++) W[r] = sum[0][r];
    }
}

void jn_shared_diagonals(const jn_shared *s, double *W) {
    if (!s->is_packed)
        for (int k = 0; k < s->nc * s->d; k++) W[k] = jn_shared_dot_row(s, s->H, 0, k, s->Y + k * s->pitch);
    else
        switch (s->d) { /* loops of constant length */
        case 1: diagonals_of_entries(s, W, 1); break;
        case 2: diagonals_of_entries(s, W, 2); break;
        default: diagonals_of_entries(s, W, 3);
        }
}

/* ----------------------------------------------------------------------------------------------------------- kernels */

void jn_shared_scatter(const jn_shared *s, const double *p, double *v) {
    if (!s->is_packed)
        JN_CALL(jn_shared_scatter, (s, p, v));
    else
        switch (s->d) {
        case 1: scatter_entries(s, p, v, 1); break;
        case 2: scatter_entries(s, p, v, 2); break;
        default: scatter_entries(s, p, v, 3);
        }
}

void jn_shared_gather(const jn_shared *s, const double *v, double *u) {
    if (!s->is_packed)
        JN_CALL(jn_shared_gather, (s, v, u));
    else
        switch (s->d) {
        case 1: gather_entries(s, v, u, 1); break;
        case 2: gather_entries(s, v, u, 2); break;
        default: gather_entries(s, v, u, 3);
        }
}

bool jn_shared_factor(jn_shared *s, const double *C) { return JN_CALL(jn_shared_factor, (s, C)); }
void jn_shared_solve(const jn_shared *s, double *x) { JN_CALL(jn_shared_solve, (s, x)); }

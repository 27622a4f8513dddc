/* Rows of a few contacts in the velocities that they share, dense. */
#include "reaction/shared.h"
#include <math.h>
#include <string.h>

static bool same_pattern(const jn_contact_rows *H, const jn_contact_rows *Y, int contacts) {
    if (H->start == Y->start && H->dof == Y->dof) return true;
    return !memcmp(H->start, Y->start, ((size_t)contacts + 1) * sizeof(int)) &&
           !memcmp(H->dof, Y->dof, (size_t)H->start[contacts] * sizeof(int));
}

bool jn_shared_suits(const jn_problem *problem) {
    return problem->H && problem->Y && !problem->W && same_pattern(problem->H, problem->Y, problem->contacts);
}

void jn_shared_layout(const jn_problem *problem, jn_scratch *m, jn_shared *s) {
    size_t nc = (size_t)problem->contacts, n = nc * (size_t)problem->dimension, pitch = JN_SHARED;
    *s = (jn_shared){.problem = problem, .d = problem->dimension, .nc = problem->contacts};
    s->place = jn_scratch_take(m, (size_t)problem->velocities, sizeof(int));
    s->start = jn_scratch_take(m, nc + 1, sizeof(int));
    s->dof = jn_scratch_take(m, (size_t)problem->H->start[nc], sizeof(int));
    s->wide = jn_scratch_take(m, nc, sizeof(int)), s->rows = jn_scratch_take(m, nc, sizeof(int));
    s->from = jn_scratch_take(m, nc, sizeof(int)), s->begin = jn_scratch_take(m, pitch, sizeof(int));
    s->H = jn_scratch_take(m, n * pitch, sizeof(double)), s->Y_own = jn_scratch_take(m, n * pitch, sizeof(double));
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
    s->pitch = (s->nv + 3) / 4 * 4;
    memcpy(s->start, H->start, ((size_t)s->nc + 1) * sizeof(int));
    for (int k = 0; k < entries; k++) s->dof[k] = s->place[H->dof[k]];
    for (int i = 0; i < s->nc; i++) {
        bool some = H->start[i + 1] > H->start[i];
        s->from[i] = some ? s->dof[H->start[i]] / 4 * 4 : 0;
        s->wide[i] = some ? s->dof[H->start[i + 1] - 1] / 4 * 4 + 4 : 0;
    }
    return s->nv <= JN_SHARED;
}

static void spread(const jn_shared *s, const double *value, double *out) {
    const int *start = s->problem->H->start;
    memset(out, 0, (size_t)(s->nc * s->d * s->pitch) * sizeof *out);
    for (int i = 0; i < s->nc; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            for (int r = 0; r < s->d; r++) out[(i * s->d + r) * s->pitch + s->dof[k]] = value[k * s->d + r];
}

bool jn_shared_start(jn_shared *s) {
    for (int i = 0; i < s->nc; i++) s->rows[i] = s->d > 1 && s->problem->mu[i] > 0 ? s->d : 1;
    const jn_contact_rows *H = s->problem->H, *Y = s->problem->Y;
    size_t bytes = (size_t)(H->start[s->nc] * s->d) * sizeof(double);
    if (!number_velocities(s)) return false;
    spread(s, H->value, s->H);
    bool same = H->value == Y->value || !memcmp(H->value, Y->value, bytes);
    if (!same) spread(s, Y->value, s->Y_own);
    s->Y = same ? s->H : s->Y_own;
    return true;
}

void jn_shared_scatter(const jn_shared *s, const double *p, double *v) {
    memset(v, 0, (size_t)s->pitch * sizeof *v);
    for (int i = 0, k = 0; i < s->nc; i++)
        for (int r = 0; r < s->d; r++, k++)
            if (p[k] != 0) jn_shared_add_row(s, s->Y, i, r, p[k], v);
}

void jn_shared_gather(const jn_shared *s, const double *v, double *u) {
    for (int i = 0, k = 0; i < s->nc; i++)
        for (int r = 0; r < s->d; r++, k++) u[k] = r < s->rows[i] ? jn_shared_dot_row(s, s->H, i, r, v) : 0;
}

/* K += Y_i^T C_i H_i of one contact with the velocities dof, whose columns lie in [from, wide). */
static inline void add_contact(int rows, int d, int pitch, int from, int wide, const double *C, const double *H,
                               const double *Y, const int *dof, int count, double *K) {
    double CH[3][JN_SHARED];
    for (int j = from; j < wide; j += 4)
        for (int r = 0; r < rows; r++) {
            jn_lanes sum = {0};
            for (int c = 0; c < rows; c++) sum += C[r * d + c] * JN_LANES_OF(H + c * pitch + j);
            JN_LANES(CH[r] + j) = sum;
        }
    for (int k = 0; k < count; k++) {
        double *row = K + dof[k] * pitch;
        for (int j = from; j < wide; j += 4) {
            jn_lanes sum = JN_LANES_OF(row + j);
            for (int r = 0; r < rows; r++) sum += Y[r * pitch + dof[k]] * JN_LANES_OF(CH[r] + j);
            JN_LANES(row + j) = sum;
        }
    }
}

/* K = 1 + Y^T C H; open contacts have no part in it. */
static void fill(jn_shared *s, const double *C) {
    int d = s->d, pitch = s->pitch;
    const int *start = s->start;
    memset(s->K, 0, (size_t)(s->nv * pitch) * sizeof *s->K);
    for (int k = 0; k < s->nv; k++) s->K[k * pitch + k] = 1, s->begin[k] = k / 4 * 4;
    for (int i = 0; i < s->nc; i++) {
        const double *own = C + i * d * d, *H = s->H + i * d * pitch, *Y = s->Y + i * d * pitch;
        int count = start[i + 1] - start[i], from = s->from[i];
        if (own[0] == 0) continue;
        for (int k = start[i]; k < start[i + 1]; k++)
            if (from < s->begin[s->dof[k]]) s->begin[s->dof[k]] = from;
        if (s->rows[i] == 3)
            add_contact(3, 3, pitch, from, s->wide[i], own, H, Y, s->dof + start[i], count, s->K);
        else
            add_contact(s->rows[i], d, pitch, from, s->wide[i], own, H, Y, s->dof + start[i], count, s->K);
    }
}

bool jn_shared_factor(jn_shared *s, const double *C) {
    int n = s->nv, pitch = s->pitch;
    double *K = s->K;
    fill(s, C);
    memset(s->L, 0, (size_t)(n * pitch) * sizeof *s->L);
    for (int k = n - 1; k >= 0; k--) {
        const double *low = K + k * pitch;
        if (!(fabs(low[k]) > 1e-12)) return false;
        double inverse = s->inverse[k] = 1 / low[k];
        for (int i = 0; i < k; i++) {
            double *row = K + i * pitch, f = row[k] * inverse;
            if (f == 0) continue;
            s->L[i * pitch + k] = f;
            if (s->begin[k] < s->begin[i]) s->begin[i] = s->begin[k];
            for (int j = s->begin[k]; j < k; j += 4) JN_LANES(row + j) -= f * JN_LANES_OF(low + j);
        }
    }
    for (int k = 0; k < n; k++) /* what elimination leaves from the diagonal on is not read */
        for (int j = k; j < (k + 4) / 4 * 4; j++) K[k * pitch + j] = 0;
    return true;
}

void jn_shared_solve(const jn_shared *s, double *x) {
    int n = s->nv, pitch = s->pitch;
    for (int k = n; k < pitch; k++) x[k] = 0;
    for (int i = n - 1; i >= 0; i--) {
        jn_lanes sum = {0};
        for (int j = i / 4 * 4; j < pitch; j += 4) sum += JN_LANES_OF(s->L + i * pitch + j) * JN_LANES_OF(x + j);
        x[i] -= (sum[0] + sum[2]) + (sum[1] + sum[3]);
    }
    for (int k = 0; k < n; k++) {
        jn_lanes sum = {0};
        for (int j = s->begin[k]; j < k; j += 4) sum += JN_LANES_OF(s->K + k * pitch + j) * JN_LANES_OF(x + j);
        x[k] = (x[k] - ((sum[0] + sum[2]) + (sum[1] + sum[3]))) * s->inverse[k];
    }
}

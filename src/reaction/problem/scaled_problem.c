/* What the solvers of the contact problem share: the scaled problem and small matrices. */
#include "reaction/problem/scaled_problem.h"
#include <math.h>
#include <string.h>

enum {
    MANY = 48,
    FILL = 12,
    FILL_MANY = 4
}; /* neighbours of a contact on average; blocks of a factor over those of W */

static const double SYMMETRIC = 1e-9; /* of the unit diagonal: entries of both sides that differ by less are equal */

size_t jn_scaled_blocks(const jn_problem *problem) {
    size_t nc = (size_t)problem->contacts;
    if (problem->W) return (size_t)problem->W->start[nc];
    return nc < 4 * MANY ? nc * nc : MANY * nc;
}

size_t jn_scaled_fill(const jn_problem *problem) { return (problem->W ? FILL : FILL_MANY) * jn_scaled_blocks(problem); }

void jn_scaled_layout(const jn_problem *problem, jn_scratch *s, jn_scaled *out) {
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, blocks = jn_scaled_blocks(problem);
    *out = (jn_scaled){.d = (int)d, .nc = (int)nc, .n = (int)(d * nc)};
    out->mu = jn_scratch_take(s, nc, sizeof(double));
    out->start = jn_scratch_take(s, nc + 1, sizeof(int));
    out->column = jn_scratch_take(s, blocks, sizeof(int));
    out->W = jn_scratch_take(s, blocks * d * d, sizeof(double));
    out->q = jn_scratch_take(s, d * nc, sizeof(double));
    out->scale = jn_scratch_take(s, nc, sizeof(double));
    out->p = jn_scratch_take(s, d * nc, sizeof(double));
    out->u = jn_scratch_take(s, d * nc, sizeof(double));
    out->sorting = jn_scratch_take(s, problem->W ? 0 : jn_blocks_scratch(problem), sizeof(int));
    out->capacity = blocks;
}

static int copy_blocks(const jn_problem *problem, jn_scaled *s) {
    if (!problem->W) {
        if (jn_blocks_count(problem, s->sorting) > s->capacity) return JN_ERR_LIMIT;
        jn_blocks_form(problem, s->sorting, s->start, s->column, s->W);
        return JN_OK;
    }
    size_t blocks = (size_t)problem->W->start[s->nc], size = (size_t)(s->d * s->d);
    memcpy(s->start, problem->W->start, (size_t)(s->nc + 1) * sizeof(int));
    memcpy(s->column, problem->W->column, blocks * sizeof(int));
    memcpy(s->W, problem->W->value, blocks * size * sizeof(double));
    return JN_OK;
}

static const double *find_block(const jn_scaled *s, int i, int j) {
    int low = s->start[i], high = s->start[i + 1] - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (s->column[middle] == j) return s->W + (size_t)middle * (size_t)(s->d * s->d);
        if (s->column[middle] < j)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

/* W_ij = W_ji^T to SYMMETRIC of the unit diagonal? O(blocks log blocks per row). */
static bool is_symmetric(const jn_scaled *s) {
    for (int i = 0; i < s->nc; i++)
        for (int b = s->start[i]; b < s->start[i + 1]; b++) {
            const double *x = s->W + (size_t)b * (size_t)(s->d * s->d), *y = find_block(s, s->column[b], i);
            for (int k = 0; k < s->d; k++)
                for (int l = 0; l < s->d; l++)
                    if (fabs(x[k * s->d + l] - (y ? y[l * s->d + k] : 0)) > SYMMETRIC) return false;
        }
    return true;
}

int jn_scaled_start(const jn_problem *problem, jn_scaled *s, const double *p, double *y) {
    int d = s->d, status = copy_blocks(problem, s);
    if (status < 0) return status;
    for (int i = 0; i < s->nc; i++) s->mu[i] = d > 1 ? problem->mu[i] : 0;
    for (int i = 0; i < s->nc; i++) {
        const double *block = find_block(s, i, i);
        double trace = 0;
        for (int k = 0; block && k < d; k++) trace += block[k * d + k];
        if (!(trace > 0) || !isfinite(trace)) return JN_ERR_NUMERIC;
        s->scale[i] = 1 / sqrt(trace / d);
    }
    double sum = 0;
    for (int i = 0; i < s->nc; i++) {
        for (int b = s->start[i]; b < s->start[i + 1]; b++) {
            double factor = s->scale[i] * s->scale[s->column[b]];
            for (int k = 0; k < d * d; k++) s->W[(size_t)b * (size_t)(d * d) + (size_t)k] *= factor;
        }
        for (int k = i * d; k < i * d + d; k++) {
            s->q[k] = s->scale[i] * problem->q[k];
            sum += s->q[k] * s->q[k];
        }
    }
    if (!isfinite(sum)) return JN_ERR_NUMERIC;
    s->unit = sum > 0 ? sqrt(sum) : 1;
    for (int i = 0; i < s->n; i++) s->q[i] /= s->unit, y[i] = p[i] / (s->scale[i / d] * s->unit);
    s->symmetric = is_symmetric(s);
    return JN_OK;
}

void jn_scaled_finish(const jn_scaled *s, const double *y, double *p) {
    for (int i = 0; i < s->n; i++) p[i] = y[i] * s->scale[i / s->d] * s->unit;
}

static void velocity_3(const jn_scaled *s, const double *restrict y, double *restrict u) {
    for (int i = 0; i < s->nc; i++) {
        double a = s->q[3 * i], b = s->q[3 * i + 1], c = s->q[3 * i + 2];
        for (int k = s->start[i]; k < s->start[i + 1]; k++) {
            const double *w = s->W + 9 * (size_t)k, *z = y + 3 * s->column[k];
            a += w[0] * z[0] + w[1] * z[1] + w[2] * z[2];
            b += w[3] * z[0] + w[4] * z[1] + w[5] * z[2];
            c += w[6] * z[0] + w[7] * z[1] + w[8] * z[2];
        }
        u[3 * i] = a, u[3 * i + 1] = b, u[3 * i + 2] = c;
    }
}

void jn_scaled_velocity(const jn_scaled *s, const double *y, double *u) {
    int d = s->d;
    if (d == 3) {
        velocity_3(s, y, u);
        return;
    }
    for (int i = 0; i < s->nc; i++)
        for (int r = 0; r < d; r++) {
            double sum = s->q[i * d + r];
            for (int k = s->start[i]; k < s->start[i + 1]; k++)
                for (int c = 0; c < d; c++)
                    sum += s->W[(size_t)k * (size_t)(d * d) + (size_t)(r * d + c)] * y[s->column[k] * d + c];
            u[i * d + r] = sum;
        }
}

double jn_scaled_residual(const jn_problem *problem, const jn_scaled *s, const double *y, const double *u) {
    for (int i = 0; i < s->n; i++) {
        double scale = s->scale[i / s->d];
        s->p[i] = y[i] * scale * s->unit;
        s->u[i] = u[i] / scale * s->unit;
    }
    return jn_problem_residual_of(problem, s->p, s->u);
}

bool jn_small_invert(int d, const double *a, double *inverse) {
    double m[JN_BLOCK][2 * JN_BLOCK];
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) m[i][j] = a[i * d + j], m[i][d + j] = i == j;
    for (int k = 0; k < d; k++) {
        int best = k;
        for (int i = k + 1; i < d; i++)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        if (!(fabs(m[best][k]) > JN_TINY)) return false;
        for (int j = 0; j < 2 * d; j++) {
            double swap = m[k][j];
            m[k][j] = m[best][j], m[best][j] = swap;
        }
        double pivot = 1 / m[k][k];
        for (int j = 0; j < 2 * d; j++) m[k][j] *= pivot;
        for (int i = 0; i < d; i++) {
            double factor = m[i][k];
            for (int j = 0; i != k && j < 2 * d; j++) m[i][j] -= factor * m[k][j];
        }
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) inverse[i * d + j] = m[i][d + j];
    return true;
}

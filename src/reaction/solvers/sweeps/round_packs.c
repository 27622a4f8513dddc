/* Reading round contacts into packs, and the kernels on them that fit this processor. */
#include "reaction/solvers/sweeps/round_packs.h"
#include <math.h>
#include <string.h>

static const double LIKE = 1e-12; /* relative difference of numbers that are the same */

/* Y = H times a number for three velocities, which is found in the first rows of a body. */
static inline bool is_scaled(const double *h, const double *y, double *scale) {
    double hh = 0, off = 0;
    for (int e = 0; e < 9; e++) hh += h[e] * h[e];
    if (*scale == 0 && hh > 0) {
        double hy = 0;
        for (int e = 0; e < 9; e++) hy += h[e] * y[e];
        *scale = hy / hh;
    }
    for (int e = 0; e < 9; e++) off += (y[e] - *scale * h[e]) * (y[e] - *scale * h[e]);
    return off <= LIKE * LIKE * *scale * *scale * hh;
}

/* Whether the rows of one body of a contact are sign times the directions, with an arm rho along the normal. */
static inline bool is_round(const double *h, double sign, double d[3][3], double *rho) {
    double expected[2][3], off = 0, turned = 0;
    cross(d[0], d[1], expected[0]), cross(d[0], d[2], expected[1]);
    *rho = 0;
    for (int l = 0; l < 3; l++) *rho += sign * expected[0][l] * h[9 + 3 * l + 1];
    for (int l = 0; l < 3; l++) {
        const double *turn = h + 9 + 3 * l;
        for (int r = 0; r < 3; r++) off += (h[3 * l + r] - sign * d[r][l]) * (h[3 * l + r] - sign * d[r][l]);
        turned += turn[0] * turn[0];
        for (int r = 1; r < 3; r++) {
            double x = turn[r] - sign * *rho * expected[r - 1][l];
            turned += x * x;
        }
    }
    return off <= LIKE * LIKE && turned <= LIKE * LIKE * *rho * *rho;
}

/* Whether the directions are orthogonal, of length 1. */
static inline bool is_frame(double d[3][3]) {
    double off = 0;
    for (int r = 0; r < 3; r++)
        for (int l = 0; l <= r; l++) {
            double x = dot(d[r], d[l]) - (r == l);
            off += x * x;
        }
    return off <= LIKE * LIKE;
}

static int slot(const jn_round *s, int dof) { return (dof - s->shift) / SIX; }

/* Of a contact whose rows are known as round. */
static void read_round(jn_round *s, int i, jn_round_contact *c) {
    const jn_round_row *row = &s->problem->round[i];
    for (int k = 0; k < 2; k++) {
        c->rho[k] = row->rho[k], c->body[k] = row->dof[k] < 0 ? s->bodies : slot(s, row->dof[k]);
        s->light[c->body[k]] = row->light[k], s->inverse[c->body[k]] = row->inverse[k];
    }
    const double *q = s->problem->q + 3 * (size_t)i;
    for (int l = 0; l < 3; l++)
        c->n[l] = row->d[0][l], c->q[l] = q[0] * row->d[0][l] + q[1] * row->d[1][l] + q[2] * row->d[2][l];
}

static bool read_contact(jn_round *s, int i, jn_round_contact *c) {
    const jn_problem *problem = s->problem;
    int from = problem->H->start[i], bodies = (problem->H->start[i + 1] - from) / SIX;
    double d[3][3];
    take_directions(problem, i, d);
    if (!is_frame(d)) return false;
    c->rho[0] = 0, c->body[0] = s->bodies, c->body[1] = slot(s, problem->H->dof[problem->H->start[i + 1] - SIX]);
    if (bodies > 1) c->body[0] = slot(s, problem->H->dof[from]);
    for (int k = 2 - bodies; k < 2; k++) {
        size_t at = 3 * (size_t)(from + (k - 2 + bodies) * SIX);
        const double *h = problem->H->value + at, *y = problem->Y->value + at;
        if (!is_round(h, k ? 1 : -1, d, &c->rho[k])) return false;
        if (!is_scaled(h, y, &s->light[c->body[k]]) || !is_scaled(h + 9, y + 9, &s->inverse[c->body[k]])) return false;
    }
    for (int l = 0; l < 3; l++) {
        c->n[l] = d[0][l], c->q[l] = 0;
        for (int r = 0; r < 3; r++) c->q[l] += problem->q[3 * i + r] * d[r][l];
    }
    return true;
}

bool jn_round_read(jn_round *s) {
    memset(s->light, 0, ((size_t)s->bodies + 1) * sizeof *s->light);
    memset(s->inverse, 0, ((size_t)s->bodies + 1) * sizeof *s->inverse);
    for (int i = 0; i < s->problem->contacts && s->problem->round; i++) read_round(s, i, &s->read[i]);
    for (int i = 0; i < s->problem->contacts && !s->problem->round; i++)
        if (!read_contact(s, i, &s->read[i])) return false;
    return true;
}

static void put(jn_round *s, int i, int k, int lane) {
    jn_round_pack *to = &s->at[k];
    jn_round_exact *exact = &s->exact[k];
    const jn_round_contact *c = &s->read[i];
    double W[2] = {0, 0};
    exact->mu[lane] = s->problem->mu[i];
    for (int l = 0; l < 3; l++)
        exact->n[l][lane] = c->n[l], exact->q[l][lane] = c->q[l], to->n[l][lane] = (float)c->n[l];
    for (int b = 0; b < 2; b++) {
        exact->rho[b][lane] = c->rho[b], exact->body[b][lane] = c->body[b];
        double light = s->light[c->body[b]], inverse = s->inverse[c->body[b]];
        to->rho[b][lane] = (float)c->rho[b], to->light[b][lane] = (float)light;
        to->spin[b][lane] = (float)(c->rho[b] * inverse);
        W[0] += light, W[1] += light + c->rho[b] * c->rho[b] * inverse;
        to->body[b][row_of(lane)] = (uint32_t)c->body[b] * (uint32_t)sizeof(jn_row8);
    }
    to->normal[lane] = (float)(1 / W[0]), to->tangent[lane] = (float)(1 / W[1]);
    to->mu[lane] = (float)s->problem->mu[i], to->weight[lane] = (float)((W[0] + 2 * W[1]) / 3);
    to->contact[lane] = i;
}

static void begin_pack(jn_round *s, int k) {
    jn_round_pack *to = &s->at[k];
    memset(to, 0, sizeof *to);
    to->weight = to->normal = to->tangent = all16(1);
    for (int l = 0; l < 3; l++) s->f[3 * k + l] = s->before[3 * k + l] = all16(0);
    memset(&s->total[k], 0, sizeof *s->total), memset(&s->best[k], 0, sizeof *s->best);
    memset(&s->exact[k], 0, sizeof *s->exact);
    for (int lane = 0; lane < LANES; lane++) {
        to->contact[lane] = -1, to->body[0][lane] = to->body[1][lane] = (uint32_t)s->bodies * (uint32_t)sizeof(jn_row8);
        s->exact[k].body[0][lane] = s->exact[k].body[1][lane] = s->bodies;
    }
}

void jn_round_fill(jn_round *s) {
    s->count = 0;
    for (int c = 0; c < s->colours.count; c++) {
        int lane = LANES;
        s->first[c] = s->count;
        for (int loaded = 1; loaded >= 0; loaded--)
            for (int k = s->colours.first[c]; k < s->colours.first[c + 1]; k++) {
                int i = s->colours.order[k];
                if (s->loaded[i] != loaded) continue;
                if (lane == LANES) begin_pack(s, s->count++), lane = 0;
                put(s, i, s->count - 1, lane++);
            }
        s->first[c + 1] = s->count;
    }
}

/* -------------------------------------------------------------------------------------------------------- kernels */

void jn_round_sweep(jn_round *s, int begin, int end, jn_round_sums *sum) {
    JN_CALL(jn_round_sweep, (s, begin, end, sum));
}
void jn_round_extrapolate(jn_round *s) { JN_CALL(jn_round_extrapolate, (s)); }
double jn_round_error(jn_round *s) { return JN_CALL(jn_round_error, (s)); }

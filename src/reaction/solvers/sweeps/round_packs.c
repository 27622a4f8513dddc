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
static int body_of(const jn_round *s, int dof) { return dof < 0 ? s->bodies : slot(s, dof); }

/* Of a contact whose rows are known as round. */
static void read_round(const jn_round *s, int i, jn_round_contact *c) {
    const jn_round_row *row = &s->problem->round[i];
    for (int k = 0; k < 2; k++) c->rho[k] = row->rho[k], c->body[k] = body_of(s, row->dof[k]);
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

/* What sweeps need of a contact whose rows are read, and the impulses that they start from. light, inverse: 1/mass and 1/moment of inertia of its bodies. */
static void complete(const jn_round *s, int i, const double *p, const double light[2], const double inverse[2],
                     jn_round_contact *c) {
    double W[2] = {0, 0}, d[3][3];
    take_directions(s->problem, i, d);
    for (int b = 0; b < 2; b++) {
        c->light[b] = (float)light[b], c->spin[b] = (float)(c->rho[b] * inverse[b]);
        W[0] += light[b], W[1] += light[b] + c->rho[b] * c->rho[b] * inverse[b];
    }
    c->compliance = jn_problem_compliance(s->problem, i), W[0] += c->compliance, W[1] += c->compliance;
    c->normal = (float)(1 / W[0]), c->tangent = (float)(1 / W[1]), c->weight = (float)((W[0] + 2 * W[1]) / 3);
    c->mu = s->problem->mu[i], c->contact = i;
    for (int l = 0; l < 3; l++) {
        c->f[l] = p[3 * i] * d[0][l] + p[3 * i + 1] * d[1][l] + p[3 * i + 2] * d[2][l];
        c->best[l] = c->before[l] = 0;
    }
}

static void clear_bodies(jn_round *s) {
    size_t rows = (size_t)jn_round_rows(s->bodies);
    memset(s->light, 0, rows * sizeof *s->light);
    memset(s->inverse, 0, rows * sizeof *s->inverse);
}

void jn_round_read_bodies(jn_round *s) {
    clear_bodies(s);
    for (int i = 0; i < s->problem->contacts; i++) {
        const jn_round_row *row = &s->problem->round[i];
        for (int k = 0; k < 2; k++) {
            int body = body_of(s, row->dof[k]);
            s->light[body] = row->light[k], s->inverse[body] = row->inverse[k];
        }
    }
}

void jn_round_read_some(jn_round *s, const double *p, int from, int to) {
    for (int i = from; i < to; i++) {
        const jn_round_row *row = &s->problem->round[i];
        read_round(s, i, &s->read[i]);
        complete(s, i, p, row->light, row->inverse, &s->read[i]);
    }
}

bool jn_round_read(jn_round *s, const double *p) {
    if (s->problem->round) {
        jn_round_read_bodies(s), jn_round_read_some(s, p, 0, s->problem->contacts);
        return true;
    }
    clear_bodies(s);
    for (int i = 0; i < s->problem->contacts; i++) {
        jn_round_contact *c = &s->read[i];
        if (!read_contact(s, i, c)) return false;
        const double light[2] = {s->light[c->body[0]], s->light[c->body[1]]};
        const double inverse[2] = {s->inverse[c->body[0]], s->inverse[c->body[1]]};
        complete(s, i, p, light, inverse, c);
    }
    return true;
}

/* still: the body that does not move. */
static void put(jn_round *s, const jn_round_contact *c, int still, int k, int lane) {
    jn_round_pack *to = &s->at[k];
    jn_round_exact *exact = &s->exact[k];
    exact->compliance[lane] = c->compliance, to->compliance[lane] = (float)c->compliance;
    exact->mu[lane] = c->mu, exact->mass[lane] = c->contact < 0 ? 1 : s->problem->mass[c->contact];
    for (int l = 0; l < 3; l++) {
        exact->n[l][lane] = c->n[l], exact->q[l][lane] = c->q[l], to->n[l][lane] = (float)c->n[l];
        s->total[k].f[l][lane] = c->f[l], s->best[k].f[l][lane] = c->best[l];
        s->before[3 * k + l][lane] = (float)c->before[l];
    }
    for (int b = 0; b < 2; b++) {
        int body = c->body[b] == s->bodies ? still : c->body[b];
        exact->rho[b][lane] = c->rho[b], exact->body[b][lane] = body;
        to->rho[b][lane] = (float)c->rho[b], to->light[b][lane] = c->light[b], to->spin[b][lane] = c->spin[b];
        to->body[b][row_of(lane)] = (uint32_t)body * (uint32_t)sizeof(jn_row8);
    }
    to->normal[lane] = c->normal, to->tangent[lane] = c->tangent, to->weight[lane] = c->weight;
    to->mu[lane] = (float)c->mu, to->contact[lane] = c->contact;
}

/* A pack without changes of its impulses. */
static void begin_pack(jn_round *s, int k) {
    s->at[k].open = false;
    for (int l = 0; l < 3; l++) s->f[3 * k + l] = all16(0);
}

/* Packs that contacts of several colours share: those which fill no pack of their own colour. */
typedef struct shared_packs {
    int count, pack[JN_COLOURS], lanes[JN_COLOURS];
    uint64_t full;
} shared_packs;

/* A contact goes into the first of them that has room and neither of its bodies, or into a new one. s->taken: those that each body is in. */
static void put_shared(jn_round *s, shared_packs *t, const jn_round_contact *c, int n) {
    uint64_t *a = &s->taken[c->body[0]], *b = &s->taken[c->body[1]], none = 0;
    jn_round_node *node = &s->node[n];
    if (c->body[0] == s->bodies) a = &none;
    if (c->body[1] == s->bodies) b = &none;
    int k = __builtin_ctzll(~(*a | *b | t->full)); /* of each colour at most one is begun: there are fewer than bits */
    if (k == t->count) begin_pack(s, node->end), t->pack[k] = node->end++, t->lanes[k] = 0, t->count++;
    put(s, c, jn_round_still(s, n), t->pack[k], t->lanes[k]++);
    *a |= (uint64_t)1 << k, *b |= (uint64_t)1 << k;
    if (t->lanes[k] == LANES) t->full |= (uint64_t)1 << k;
}

/* No body of a node's contacts, all of them below it, is in a shared pack. */
static void begin_shared(jn_round *s, int n) {
    int first = n, last = n;
    while (first < s->parts) first = 2 * first, last = 2 * last + 1;
    int from = s->node[first].body, to = s->node[last].last_body;
    memset(s->taken + from, 0, (size_t)(to - from) * sizeof *s->taken);
}

/* Packs of the contacts of a node that are loaded, or of the others. */
static void fill_with(jn_round *s, int n, bool loaded) {
    const jn_round_contact none = {
        .normal = 1, .tangent = 1, .weight = 1, .body = {s->bodies, s->bodies}, .contact = -1};
    jn_round_node *node = &s->node[n];
    shared_packs shared = {0};
    int still = jn_round_still(s, n), to = node->order + node->contacts;
    begin_shared(s, n);
    for (int first = node->order, end; first < to; first = end) {
        int left = 0, lane = LANES, colour = s->colour[s->order[first]];
        for (end = first; end < to && s->colour[s->order[end]] == colour; end++)
            left += s->loaded[s->order[end]] == loaded;
        for (int k = first; k < end; k++) {
            int i = s->order[k];
            if (s->loaded[i] != loaded) continue;
            if (lane == LANES && left >= LANES) begin_pack(s, node->end++), lane = 0;
            if (lane < LANES)
                put(s, &s->read[i], still, node->end - 1, lane++);
            else
                put_shared(s, &shared, &s->read[i], n);
            left--;
        }
    }
    for (int k = 0; k < shared.count; k++)
        while (shared.lanes[k] < LANES) put(s, &none, still, shared.pack[k], shared.lanes[k]++);
}

void jn_round_fill(jn_round *s, int n) {
    s->node[n].end = s->node[n].first;
    fill_with(s, n, true), fill_with(s, n, false);
}

/* -------------------------------------------------------------------------------------------------------- kernels */

void jn_round_sweep(jn_round *s, int first, int end, jn_round_sums *sum) {
    JN_CALL(jn_round_sweep, (s, first, end, sum));
}
void jn_round_extrapolate(jn_round *s, int body, int end) { JN_CALL(jn_round_extrapolate, (s, body, end)); }
void jn_round_look_at(jn_round *s, int first, int end, jn_round_look *look) {
    JN_CALL(jn_round_look_at, (s, first, end, look));
}
bool jn_round_meets(jn_round *s, float allowed) { return JN_CALL(jn_round_meets, (s, allowed)); }

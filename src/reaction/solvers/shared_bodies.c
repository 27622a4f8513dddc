/* Newton's matrix over free bodies: two bodies are coupled where a contact has both. */
#include "reaction/solvers/shared_bodies.h"
#include "reaction/solvers/sweeps/packs.h"
#include <string.h>

enum { SIX = 6, SQUARE = SIX * SIX, FILL = 48 }; /* velocities of a body; blocks of the factors for each body at most */

bool jn_bodies_suit(const jn_problem *problem) { return !problem->W && !problem->round && jn_packs_suit(problem); }

/* jn_bodies_start refuses more. */
static int most_bodies(const jn_problem *problem) {
    int slots = problem->velocities / SIX + 1, touched = 2 * problem->contacts;
    int bodies = slots < touched ? slots : touched;
    return bodies < JN_SHARED_BODIES ? bodies : JN_SHARED_BODIES;
}

void jn_bodies_layout(const jn_problem *problem, jn_scratch *m, jn_bodies *s) {
    size_t contacts = (size_t)problem->contacts, bodies = (size_t)most_bodies(problem);
    *s = (jn_bodies){.problem = problem, .room = (int)(2 * contacts + bodies)};
    s->place = jn_scratch_take(m, (size_t)problem->velocities / SIX + 1, sizeof *s->place);
    s->body = jn_scratch_take(m, 2 * contacts, sizeof *s->body),
    s->of = jn_scratch_take(m, 2 * contacts, sizeof *s->of);
    s->first = jn_scratch_take(m, bodies + 1, sizeof *s->first);
    s->start = jn_scratch_take(m, bodies + 1, sizeof *s->start);
    s->column = jn_scratch_take(m, (size_t)s->room, sizeof *s->column);
    s->block = jn_scratch_take(m, 4 * contacts, sizeof *s->block);
    s->K = jn_scratch_take(m, (size_t)s->room * SQUARE, sizeof *s->K);
    jn_block_lu_layout(SIX, (int)bodies, FILL * bodies, m, &s->lu);
}

/* Bodies in the order in which contacts name them. */
static void number_bodies(jn_bodies *s) {
    const jn_contact_rows *H = s->problem->H;
    memset(s->place, 0xff, ((size_t)s->problem->velocities / SIX + 1) * sizeof *s->place);
    s->count = 0;
    for (int i = 0; i < s->problem->contacts; i++)
        for (int k = 0; k < 2; k++) {
            int at = H->start[i] + SIX * k;
            int *place = at < H->start[i + 1] ? &s->place[H->dof[at] / SIX] : NULL;
            if (place && *place < 0) *place = s->count++;
            s->body[2 * i + k] = place ? *place : -1;
        }
}

/* next: scratch (count). */
static void list_contacts(jn_bodies *s, int *next) {
    int ends = 2 * s->problem->contacts;
    memset(s->first, 0, (size_t)(s->count + 1) * sizeof *s->first);
    for (int k = 0; k < ends; k++)
        if (s->body[k] >= 0) s->first[s->body[k] + 1]++;
    for (int b = 0; b < s->count; b++) s->first[b + 1] += s->first[b], next[b] = s->first[b];
    for (int k = 0; k < ends; k++)
        if (s->body[k] >= 0) s->of[next[s->body[k]]++] = k / 2;
}

/* Rows of the pattern, the diagonal first; place: scratch with the block of each body in the row at hand. */
static void find_pattern(jn_bodies *s, int *place) {
    int blocks = 0;
    memset(place, 0xff, (size_t)s->count * sizeof *place);
    for (int b = 0; b < s->count; b++) {
        s->start[b] = blocks;
        s->column[blocks] = b, place[b] = blocks++;
        for (int k = s->first[b]; k < s->first[b + 1]; k++) {
            const int *body = s->body + 2 * s->of[k];
            int own = body[0] == b ? 0 : 1, other = body[1 - own];
            int *block = s->block + 4 * s->of[k] + 2 * own;
            if (other >= 0 && place[other] < s->start[b]) s->column[blocks] = other, place[other] = blocks++;
            block[own] = place[b], block[1 - own] = other < 0 ? -1 : place[other];
        }
    }
    s->start[s->count] = blocks;
}

bool jn_bodies_start(jn_bodies *s) {
    number_bodies(s);
    if (s->count > JN_SHARED_BODIES) return false;
    s->lu.nc = s->count, s->lu.words = (s->count + 63) / 64;
    list_contacts(s, s->lu.degree), find_pattern(s, s->lu.degree);
    return jn_block_lu_analyse(&s->lu, s->start, s->column) == JN_OK;
}

void jn_bodies_scatter(const jn_bodies *s, const double *p, double *v) {
    const jn_contact_rows *Y = s->problem->Y;
    memset(v, 0, (size_t)(SIX * s->count) * sizeof *v);
    for (int i = 0; i < s->problem->contacts; i++)
        for (int k = 0; k < 2 && s->body[2 * i + k] >= 0; k++) {
            const double *y = Y->value + 3 * (size_t)(Y->start[i] + SIX * k), *x = p + 3 * i;
            double *to = v + SIX * s->body[2 * i + k];
            for (int l = 0; l < SIX; l++, y += 3) to[l] += y[0] * x[0] + y[1] * x[1] + y[2] * x[2];
        }
}

void jn_bodies_gather(const jn_bodies *s, const double *v, double *u) {
    const jn_contact_rows *H = s->problem->H;
    for (int i = 0; i < s->problem->contacts; i++) {
        double sum[3] = {0};
        for (int k = 0; k < 2 && s->body[2 * i + k] >= 0; k++) {
            const double *h = H->value + 3 * (size_t)(H->start[i] + SIX * k), *x = v + SIX * s->body[2 * i + k];
            for (int l = 0; l < SIX; l++, h += 3)
                for (int r = 0; r < 3; r++) sum[r] += h[r] * x[l];
        }
        memcpy(u + 3 * i, sum, sizeof sum);
    }
}

/* K_ab += Y_a^T C H_b of one contact. */
static void add_contact(jn_bodies *s, int i, const double *C) {
    const jn_contact_rows *H = s->problem->H, *Y = s->problem->Y;
    int bodies = s->body[2 * i + 1] < 0 ? 1 : 2;
    const double *h = H->value + 3 * (size_t)H->start[i], *y = Y->value + 3 * (size_t)Y->start[i];
    double CH[2 * SIX][3];
    for (int l = 0; l < SIX * bodies; l++)
        for (int r = 0; r < 3; r++)
            CH[l][r] = C[3 * r] * h[3 * l] + C[3 * r + 1] * h[3 * l + 1] + C[3 * r + 2] * h[3 * l + 2];
    for (int a = 0; a < bodies; a++)
        for (int b = 0; b < bodies; b++) {
            double *K = s->K + SQUARE * (size_t)s->block[4 * i + 2 * a + b];
            for (int k = 0; k < SIX; k++) {
                const double *row = y + 3 * (SIX * a + k);
                for (int l = 0; l < SIX; l++)
                    K[SIX * k + l] +=
                        row[0] * CH[SIX * b + l][0] + row[1] * CH[SIX * b + l][1] + row[2] * CH[SIX * b + l][2];
            }
        }
}

bool jn_bodies_factor(jn_bodies *s, const double *C) {
    jn_blocks K = {s->start, s->column, s->K};
    memset(s->K, 0, (size_t)s->start[s->count] * SQUARE * sizeof *s->K);
    for (int b = 0; b < s->count; b++)
        for (int k = 0; k < SIX; k++) s->K[SQUARE * (size_t)s->start[b] + (SIX + 1) * (size_t)k] = 1;
    for (int i = 0; i < s->problem->contacts; i++) /* open contacts have no part in it */
        if (C[9 * i] != 0) add_contact(s, i, C + 9 * i);
    return jn_block_lu_factor(&s->lu, &K, NULL, NULL, NULL, false) == JN_OK;
}

void jn_bodies_solve(jn_bodies *s, double *x) { jn_block_lu_solve(&s->lu, x, x); }

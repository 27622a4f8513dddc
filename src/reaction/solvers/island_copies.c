/* Islands of a contact problem as problems of their own. */
#include "reaction/solvers/island_copies.h"
#include "reaction/problem/round_row.h"
#include <math.h>
#include <string.h>

static size_t entries(const jn_contact_rows *rows, int contacts) { return rows ? (size_t)rows->start[contacts] : 0; }

void jn_island_copies_layout(jn_island_copies *s, const jn_problem *problem, jn_scratch *m) {
    size_t c = (size_t)problem->contacts, d = (size_t)problem->dimension, nv = (size_t)problem->velocities;
    size_t blocks = problem->W ? (size_t)problem->W->start[c] : 0;
    size_t h = entries(problem->H, problem->contacts), y = entries(problem->Y, problem->contacts);
    s->in = jn_scratch_take(m, c, sizeof(bool));
    s->of = jn_scratch_take(m, c, sizeof(int)), s->work = jn_scratch_take(m, c + nv, sizeof(int));
    s->first = jn_scratch_take(m, c + 1, sizeof(int)), s->first_dof = jn_scratch_take(m, c + 1, sizeof(int));
    s->order = jn_scratch_take(m, c, sizeof(int)), s->place = jn_scratch_take(m, c, sizeof(int));
    s->dof = jn_scratch_take(m, nv, sizeof(int));
    s->q = jn_scratch_take(m, c * d, sizeof(double)), s->mu = jn_scratch_take(m, c, sizeof(double));
    s->compliance = jn_scratch_take(m, problem->compliance ? c : 0, sizeof(double));
    s->p = jn_scratch_take(m, c * d, sizeof(double)), s->hold = jn_scratch_take(m, c * d, sizeof(double));
    s->w_start = jn_scratch_take(m, 2 * c, sizeof(int)), s->w_column = jn_scratch_take(m, blocks, sizeof(int));
    s->h_start = jn_scratch_take(m, 2 * c, sizeof(int)), s->h_dof = jn_scratch_take(m, h, sizeof(int));
    s->y_start = jn_scratch_take(m, 2 * c, sizeof(int)), s->y_dof = jn_scratch_take(m, y, sizeof(int));
    s->whole_q = jn_scratch_take(m, c * d, sizeof(double)), s->whole_p = jn_scratch_take(m, c * d, sizeof(double));
    s->result = jn_scratch_take(m, c, sizeof *s->result);
    s->w_value = jn_scratch_take(m, blocks * d * d, sizeof(double));
    s->h_value = jn_scratch_take(m, h * d, sizeof(double)), s->y_value = jn_scratch_take(m, y * d, sizeof(double));
}

/* Numbers velocities within their islands, in ascending order. O(entries). */
static void number_velocities(jn_island_copies *s, const jn_problem *problem) {
    const jn_contact_rows *Y = problem->Y;
    int *owner = s->work;
    for (int k = 0; k < problem->velocities; k++) owner[k] = -1;
    for (int i = 0; i < problem->contacts; i++)
        for (int k = Y->start[i]; k < Y->start[i + 1] && s->of[i] >= 0; k++) owner[Y->dof[k]] = s->of[i];
    memset(s->first_dof, 0, ((size_t)s->count + 1) * sizeof(int));
    for (int k = 0; k < problem->velocities; k++)
        if (owner[k] >= 0) s->dof[k] = s->first_dof[owner[k] + 1]++;
}

/* Rows of H or Y of one island, which has entries from `at` on. */
static void copy_rows(const jn_island_copies *s, int island, int d, const jn_contact_rows *from, int *start, int *dof,
                      double *value, size_t at) {
    int count = 0;
    for (int k = s->first[island]; k < s->first[island + 1]; k++) {
        int i = s->order[k], size = from->start[i + 1] - from->start[i];
        *start++ = count;
        for (int l = 0; l < size; l++) dof[at + (size_t)l] = s->dof[from->dof[from->start[i] + l]];
        if (from->value)
            memcpy(value + at * (size_t)d, from->value + (size_t)from->start[i] * (size_t)d,
                   (size_t)size * (size_t)d * sizeof *value);
        at += (size_t)size, count += size;
    }
    *start = count;
}

static void copy_blocks(const jn_island_copies *s, int island, int d, const jn_blocks *from, int *start, size_t at) {
    int count = 0;
    size_t dd = (size_t)(d * d);
    for (int k = s->first[island]; k < s->first[island + 1]; k++) {
        int i = s->order[k], size = from->start[i + 1] - from->start[i];
        *start++ = count;
        for (int l = 0; l < size; l++)
            s->w_column[at + (size_t)l] = s->place[from->column[from->start[i] + l]] - s->first[island];
        memcpy(s->w_value + at * dd, from->value + (size_t)from->start[i] * dd, (size_t)size * dd * sizeof(double));
        at += (size_t)size, count += size;
    }
    *start = count;
}

static size_t entries_of(const jn_island_copies *s, int island, const int *start) {
    size_t sum = 0;
    for (int k = s->first[island]; k < s->first[island + 1]; k++)
        sum += (size_t)(start[s->order[k] + 1] - start[s->order[k]]);
    return sum;
}

void jn_island_entries_add(const jn_island_copies *s, const jn_problem *problem, int k, jn_island_entries *before) {
    if (problem->W) before->w += entries_of(s, k, problem->W->start);
    if (problem->H) before->h += entries_of(s, k, problem->H->start);
    if (problem->Y) before->y += entries_of(s, k, problem->Y->start);
}

void jn_island_copies_sort(jn_island_copies *s, const jn_problem *problem, const double *p) {
    size_t d = (size_t)problem->dimension;
    memset(s->first, 0, ((size_t)s->count + 1) * sizeof(int));
    for (int i = 0; i < problem->contacts; i++)
        if (s->of[i] >= 0) s->first[s->of[i] + 1]++;
    for (int k = 0; k < s->count; k++) s->first[k + 1] += s->first[k];
    s->contacts = s->first[s->count];
    for (int i = 0; i < problem->contacts; i++) {
        if (s->of[i] < 0) continue;
        int k = s->place[i] = s->first[s->of[i]]++;
        s->order[k] = i;
        s->mu[k] = problem->mu ? problem->mu[i] : 0;
        if (problem->compliance) s->compliance[k] = problem->compliance[i];
        memcpy(s->q + (size_t)k * d, problem->q + (size_t)i * d, d * sizeof(double));
        memcpy(s->p + (size_t)k * d, p + (size_t)i * d, d * sizeof(double));
    }
    memmove(s->first + 1, s->first, (size_t)s->count * sizeof(int));
    s->first[0] = 0;
    if (problem->Y) number_velocities(s, problem);
}

/* Whether a contact of an island is compliant. */
static bool is_compliant(const jn_island_copies *s, const jn_problem *problem, int island) {
    for (int k = s->first[island]; problem->compliance && k < s->first[island + 1]; k++)
        if (s->compliance[k] > 0) return true;
    return false;
}

void jn_island_copy_take(jn_island_copies *s, const jn_problem *problem, int k, const jn_island_entries *before,
                         double norm, jn_island_copy *out) {
    size_t d = (size_t)problem->dimension, w = before->w, h = before->h, y = before->y;
    int first = s->first[k], contacts = s->first[k + 1] - first, *w_start = s->w_start + first + k,
        *h_start = s->h_start + first + k, *y_start = s->y_start + first + k;
    *out = (jn_island_copy){.problem = {.dimension = problem->dimension,
                                        .contacts = contacts,
                                        .velocities = problem->Y ? s->first_dof[k + 1] : 0,
                                        .mu = s->mu + first,
                                        .q = s->q + (size_t)first * d,
                                        .compliance = is_compliant(s, problem, k) ? s->compliance + first : NULL,
                                        .norm = norm * sqrt((double)contacts / problem->contacts)},
                            .W = {w_start, s->w_column + w, s->w_value + w * d * d},
                            .H = {h_start, s->h_dof + h, s->h_value + h * d},
                            .Y = {y_start, s->y_dof + y, s->y_value + y * d}};
    if (problem->W) copy_blocks(s, k, (int)d, problem->W, w_start, w), out->problem.W = &out->W;
    if (problem->H) copy_rows(s, k, (int)d, problem->H, h_start, s->h_dof, s->h_value, h), out->problem.H = &out->H;
    if (problem->Y) copy_rows(s, k, (int)d, problem->Y, y_start, s->y_dof, s->y_value, y), out->problem.Y = &out->Y;
    for (int i = 0; i < contacts && problem->H && !problem->H->value; i++)
        jn_round_expand(&problem->round[s->order[first + i]], s->h_value + 3 * (h + (size_t)h_start[i]),
                        s->y_value + 3 * (y + (size_t)y_start[i]));
}

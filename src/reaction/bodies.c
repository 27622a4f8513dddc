/* Velocities in blocks, and Newton's matrix over them. */
#include "reaction/bodies.h"
#include <string.h>

enum { FILL = 32 }; /* blocks of a factor for each block of velocities, at most */

/* Velocities of a contact that follow each other, from entry k on. */
static int run_length(const jn_contact_rows *H, int i, int k) {
    int length = 1;
    while (k + length < H->start[i + 1] && H->dof[k + length] == H->dof[k] + length) length++;
    return length;
}

/* Blocks that a contact may touch: one or two bodies, or runs of velocities on ways through trees. */
static int most_blocks(const jn_contact_rows *H, int i, bool ways) {
    int entries = H->start[i + 1] - H->start[i], runs = 0;
    for (int k = H->start[i]; k < H->start[i + 1] && ways; k += run_length(H, i, k)) runs++;
    return entries / JN_BLOCK + (ways ? 2 * runs : 2);
}

/* Whether rows lead through trees, where contacts share the first velocities of their ways and not the last: there blocks have
 * six velocities, whatever they belong to. */
static bool are_ways(const jn_problem *problem) {
    const jn_contact_rows *H = problem->H;
    for (int i = 0; i < problem->contacts; i++) {
        int runs = 0;
        for (int k = H->start[i]; k < H->start[i + 1]; runs++) {
            int length = run_length(H, i, k);
            if (length % 3 || runs == 2) return true;
            k += length;
        }
    }
    return false;
}

void jn_bodies_layout(const jn_problem *problem, jn_scratch *s, jn_bodies *b) {
    size_t nc = (size_t)problem->contacts, nv = (size_t)problem->velocities, d = (size_t)problem->dimension;
    size_t size = JN_BLOCK, entries = 0, pairs = 0, count = nv / 3 + 1;
    bool ways = are_ways(problem);
    for (int i = 0; i < problem->contacts; i++) {
        size_t most = (size_t)most_blocks(problem->H, i, ways);
        entries += most, pairs += most * most;
    }
    *b = (jn_bodies){.problem = problem, .d = (int)d, .room = (int)entries, .pairs_room = (int)pairs};
    b->block = jn_scratch_take(s, nv + 1, sizeof(int)), b->within = jn_scratch_take(s, nv + 1, sizeof(int));
    b->start = jn_scratch_take(s, nc + 1, sizeof(int)), b->touched = jn_scratch_take(s, entries, sizeof(int));
    b->H = jn_scratch_take(s, entries * d * size, sizeof(double));
    b->Y = jn_scratch_take(s, entries * d * size, sizeof(double));
    b->pair_start = jn_scratch_take(s, nc + 1, sizeof(int)), b->pair = jn_scratch_take(s, pairs, sizeof(int));
    b->by_start = jn_scratch_take(s, count + 2, sizeof(int)), b->by = jn_scratch_take(s, entries, sizeof(int));
    b->mark = jn_scratch_take(s, count, sizeof(int));
    b->matrix.start = jn_scratch_take(s, count + 1, sizeof(int));
    b->matrix.column = jn_scratch_take(s, pairs + count, sizeof(int));
    b->matrix.capacity = pairs + count;
    b->matrix.W = jn_scratch_take(s, (pairs + count) * size * size, sizeof(double));
    jn_block_lu_layout((int)size, (int)count, FILL * count, s, &b->lu);
}

/* Velocities that always follow each other in the rows are in one block, of six at most. */
static void find_blocks(jn_bodies *b) {
    const jn_contact_rows *H = b->problem->H;
    int nv = b->problem->velocities, *begins = b->within, most = 0;
    bool ways = are_ways(b->problem);
    memset(begins, 0, ((size_t)nv + 1) * sizeof *begins);
    for (int i = 0; i < b->problem->contacts && !ways; i++)
        for (int k = H->start[i]; k < H->start[i + 1]; k++) {
            int dof = H->dof[k];
            if (k == H->start[i] || H->dof[k - 1] != dof - 1) begins[dof] = 1;
            if (k == H->start[i + 1] - 1 || H->dof[k + 1] != dof + 1) begins[dof + 1] = 1;
        }
    b->count = 0;
    for (int k = 0, length = 0; k < nv; k++) {
        if (k == 0 || begins[k] || length == JN_BLOCK) b->count++, length = 0;
        b->block[k] = b->count - 1, b->within[k] = length++;
        if (length > most) most = length;
    }
    b->size = most <= 3 ? 3 : JN_BLOCK;
}

/* Rows of every contact by blocks, filled up with zeros. */
static int spread_rows(jn_bodies *b) {
    const jn_contact_rows *H = b->problem->H, *Y = b->problem->Y;
    int d = b->d, at = 0, panel = d * b->size;
    for (int i = 0; i < b->problem->contacts; i++) {
        b->start[i] = at;
        for (int k = H->start[i], last = -1; k < H->start[i + 1]; k++) {
            int block = b->block[H->dof[k]], within = b->within[H->dof[k]];
            if (block != last) {
                if (at == b->room) return JN_ERR_LIMIT;
                b->touched[at++] = last = block;
                memset(b->H + (size_t)(at - 1) * (size_t)panel, 0, (size_t)panel * sizeof(double));
                memset(b->Y + (size_t)(at - 1) * (size_t)panel, 0, (size_t)panel * sizeof(double));
            }
            for (int r = 0; r < d; r++)
                b->H[(size_t)(at - 1) * (size_t)panel + (size_t)(r * b->size + within)] =
                    H->value[(size_t)k * (size_t)d + (size_t)r];
        }
        for (int k = Y->start[i], e = b->start[i]; k < Y->start[i + 1]; k++) {
            int block = b->block[Y->dof[k]], within = b->within[Y->dof[k]];
            while (e < at && b->touched[e] < block) e++;
            if (e == at || b->touched[e] != block) return JN_ERR_ARGUMENT;
            for (int r = 0; r < d; r++)
                b->Y[(size_t)e * (size_t)panel + (size_t)(r * b->size + within)] =
                    Y->value[(size_t)k * (size_t)d + (size_t)r];
        }
    }
    b->start[b->problem->contacts] = at;
    return JN_OK;
}

static void sort_by_block(jn_bodies *b) {
    memset(b->by_start, 0, ((size_t)b->count + 2) * sizeof(int));
    int entries = b->start[b->problem->contacts], *next = b->by_start + 1;
    for (int e = 0; e < entries; e++) b->by_start[b->touched[e] + 2]++;
    for (int k = 0; k < b->count; k++) b->by_start[k + 2] += b->by_start[k + 1];
    for (int i = 0; i < b->problem->contacts; i++)
        for (int e = b->start[i]; e < b->start[i + 1]; e++) b->by[next[b->touched[e]]++] = i;
}

/* Pattern of the matrix, the diagonal first in each row, and the places of each contact's products. */
static int find_pattern(jn_bodies *b) {
    int at = 0, pairs = 0, *mark = b->mark, *start = b->matrix.start, *column = b->matrix.column;
    for (int i = 0; i < b->problem->contacts; i++) {
        int m = b->start[i + 1] - b->start[i];
        b->pair_start[i] = pairs, pairs += m * m;
    }
    if (pairs > b->pairs_room) return JN_ERR_LIMIT;
    for (int k = 0; k < b->count; k++) mark[k] = -1;
    for (int row = 0; row < b->count; row++) {
        start[row] = at, column[at] = row, mark[row] = at++;
        for (int l = b->by_start[row]; l < b->by_start[row + 1]; l++) {
            int i = b->by[l], m = b->start[i + 1] - b->start[i], own = 0;
            while (b->touched[b->start[i] + own] != row) own++;
            for (int f = 0; f < m; f++) {
                int c = b->touched[b->start[i] + f];
                if (mark[c] < start[row]) column[at] = c, mark[c] = at++;
                b->pair[b->pair_start[i] + own * m + f] = mark[c];
            }
        }
    }
    start[b->count] = at;
    return JN_OK;
}

int jn_bodies_start(jn_bodies *b) {
    find_blocks(b);
    if (b->count > b->lu.nc) return JN_ERR_LIMIT;
    int status = spread_rows(b);
    if (status < 0) return status;
    sort_by_block(b);
    status = find_pattern(b);
    if (status < 0) return status;
    b->lu.d = b->matrix.d = b->size, b->lu.nc = b->matrix.nc = b->count, b->lu.words = (b->count + 63) / 64;
    return jn_block_lu_analyse(&b->lu, b->matrix.start, b->matrix.column);
}

/* out (size x size) += y^T c, with c = C h (d x size). */
static inline void add_product(int d, int size, const double *restrict y, const double *restrict c,
                               double *restrict out) {
    for (int k = 0; k < size; k++)
        for (int r = 0; r < d; r++)
            for (int l = 0; l < size; l++) out[k * size + l] += y[r * size + k] * c[r * size + l];
}

static inline void add_contact(jn_bodies *b, int i, int d, int size, const double *C) {
    int m = b->start[i + 1] - b->start[i];
    size_t panel = (size_t)(d * size);
    for (int f = 0; f < m; f++) {
        const double *h = b->H + (size_t)(b->start[i] + f) * panel;
        double c[3 * JN_BLOCK] = {0};
        for (int r = 0; r < d; r++)
            for (int t = 0; t < d; t++)
                for (int l = 0; l < size; l++) c[r * size + l] += C[r * d + t] * h[t * size + l];
        for (int e = 0; e < m; e++)
            add_product(d, size, b->Y + (size_t)(b->start[i] + e) * panel, c,
                        b->matrix.W + (size_t)b->pair[b->pair_start[i] + e * m + f] * (size_t)(size * size));
    }
}

int jn_bodies_factor(jn_bodies *b, const double *C) {
    int d = b->d, size = b->size;
    size_t block = (size_t)(size * size);
    memset(b->matrix.W, 0, (size_t)b->matrix.start[b->count] * block * sizeof(double));
    for (int k = 0; k < b->count; k++)
        for (int r = 0; r < size; r++) b->matrix.W[(size_t)b->matrix.start[k] * block + (size_t)(r * size + r)] = 1;
    for (int i = 0; i < b->problem->contacts; i++) {
        const double *c = C + (size_t)i * (size_t)(d * d);
        if (d == 3 && size == 6)
            add_contact(b, i, 3, 6, c);
        else
            add_contact(b, i, d, size, c);
    }
    return jn_block_lu_factor(&b->lu, &b->matrix, NULL, NULL, NULL, false);
}

void jn_bodies_scatter(const jn_bodies *b, const double *p, double *x) {
    int d = b->d, size = b->size;
    memset(x, 0, (size_t)(b->count * size) * sizeof *x);
    for (int i = 0; i < b->problem->contacts; i++)
        for (int e = b->start[i]; e < b->start[i + 1]; e++) {
            const double *y = b->Y + (size_t)e * (size_t)(d * size);
            double *out = x + b->touched[e] * size;
            for (int r = 0; r < d; r++)
                for (int k = 0; k < size; k++) out[k] += y[r * size + k] * p[i * d + r];
        }
}

void jn_bodies_gather(const jn_bodies *b, const double *x, double *u) {
    int d = b->d, size = b->size;
    for (int i = 0; i < b->problem->contacts; i++)
        for (int r = 0; r < d; r++) {
            double sum = 0;
            for (int e = b->start[i]; e < b->start[i + 1]; e++) {
                const double *h = b->H + (size_t)e * (size_t)(d * size) + r * size, *in = x + b->touched[e] * size;
                for (int k = 0; k < size; k++) sum += h[k] * in[k];
            }
            u[i * d + r] = sum;
        }
}

/* Sparse block LU factors of the matrices that solvers of the contact problem meet: A W + B on the pattern of W, over contacts or over bodies. */
#include "reaction/problem/scaled_problem.h"
#include <math.h>
#include <string.h>

void jn_block_lu_layout(int d, int nc, size_t room, jn_scratch *s, jn_block_lu *lu) {
    size_t count = (size_t)nc, size = (size_t)(d * d), full = count * (count - (count > 0)) / 2;
    *lu = (jn_block_lu){.d = d, .nc = nc, .words = (nc + 63) / 64};
    lu->capacity = full < room ? full : room;
    lu->bits = jn_scratch_take(s, count * (size_t)lu->words, sizeof(uint64_t));
    lu->member = jn_scratch_take(s, (size_t)lu->words, sizeof(uint64_t));
    lu->order = jn_scratch_take(s, count, sizeof(int));
    lu->place = jn_scratch_take(s, count, sizeof(int));
    lu->degree = jn_scratch_take(s, count, sizeof(int));
    lu->parent = jn_scratch_take(s, 3 * count + 3, sizeof(int));
    lu->run_start = jn_scratch_take(s, count + 1, sizeof(int));
    lu->run = jn_scratch_take(s, 2 * lu->capacity, sizeof(int));
    lu->left_start = jn_scratch_take(s, count + 1, sizeof(int));
    lu->left = jn_scratch_take(s, lu->capacity, sizeof(int));
    lu->left_at = jn_scratch_take(s, lu->capacity, sizeof(int));
    lu->row_start = jn_scratch_take(s, count + 1, sizeof(size_t));
    lu->U = jn_scratch_take(s, lu->capacity * size, sizeof(double));
    lu->L = jn_scratch_take(s, lu->capacity * size, sizeof(double));
    lu->D = jn_scratch_take(s, count * size, sizeof(double));
    lu->inverse = jn_scratch_take(s, count * size, sizeof(double));
    lu->w = jn_scratch_take(s, count * size, sizeof(double));
    lu->x = jn_scratch_take(s, count * (size_t)d, sizeof(double));
    lu->active = jn_scratch_take(s, count, sizeof(bool));
}

static void set_bit(uint64_t *bits, int i) { bits[i >> 6] |= (uint64_t)1 << (i & 63); }
static void clear_bit(uint64_t *bits, int i) { bits[i >> 6] &= ~((uint64_t)1 << (i & 63)); }

static int lowest_bit(uint64_t x) {
    int n = 0;
    for (int step = 32; step > 0; step /= 2)
        if (!(x & (((uint64_t)1 << step) - 1))) x >>= step, n += step;
    return n;
}

static int count_bits(const uint64_t *bits, int words) {
    int count = 0;
    for (int k = 0; k < words; k++) {
        uint64_t x = bits[k];
        x -= (x >> 1) & 0x5555555555555555u;
        x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        count += (int)((x * 0x0101010101010101u) >> 56);
    }
    return count;
}

/* Order of least degree on the graph of eliminations, rows as sets of bits; leaves in row i the contacts that i is coupled
 * with when it is eliminated [Davis2006, ch. 7]. O(fill nc/64). */
static void least_degree(jn_block_lu *lu) {
    int nc = lu->nc, words = lu->words;
    for (int i = 0; i < nc; i++) lu->degree[i] = count_bits(lu->bits + (size_t)i * (size_t)words, words);
    for (int k = 0; k < nc; k++) {
        int v = -1;
        for (int i = 0; i < nc; i++)
            if (lu->degree[i] >= 0 && (v < 0 || lu->degree[i] < lu->degree[v])) v = i;
        const uint64_t *row = lu->bits + (size_t)v * (size_t)words;
        lu->order[k] = v, lu->place[v] = k, lu->degree[v] = -1;
        for (int word = 0; word < words; word++)
            for (uint64_t rest = row[word]; rest; rest &= rest - 1) {
                int j = 64 * word + lowest_bit(rest);
                uint64_t *other = lu->bits + (size_t)j * (size_t)words;
                for (int l = 0; l < words; l++) other[l] |= row[l];
                clear_bit(other, j), clear_bit(other, v);
                lu->degree[j] = count_bits(other, words);
            }
    }
}

/* Renumbers the order so that each subtree of the elimination tree is contiguous: the same fill in longer runs. */
static void postorder(jn_block_lu *lu) {
    int nc = lu->nc, *parent = lu->parent, *child = parent + nc, *sibling = child + nc + 1, *order = lu->degree;
    for (int k = 0; k <= nc; k++) child[k] = -1;
    for (int k = nc - 1; k >= 0; k--) {
        const uint64_t *row = lu->bits + (size_t)lu->order[k] * (size_t)lu->words;
        parent[k] = nc;
        for (int word = 0; word < lu->words; word++)
            for (uint64_t rest = row[word]; rest; rest &= rest - 1) {
                int place = lu->place[64 * word + lowest_bit(rest)];
                if (place < parent[k]) parent[k] = place;
            }
        sibling[k] = child[parent[k]], child[parent[k]] = k;
    }
    int at = child[nc], count = 0;
    while (at >= 0 && at < nc) {
        while (child[at] >= 0) at = child[at]; /* down to a leaf */
        for (;;) {
            order[count++] = lu->order[at];
            if (sibling[at] >= 0) {
                at = sibling[at];
                break;
            }
            at = parent[at];
            if (at == nc) break;
        }
    }
    for (int k = 0; k < nc; k++) lu->order[k] = order[k], lu->place[order[k]] = k;
}

/* Rows of U as runs of neighbouring positions. */
static int find_runs(jn_block_lu *lu) {
    int nc = lu->nc, words = lu->words, runs = 0;
    lu->row_start[0] = 0;
    for (int k = 0; k < nc; k++) {
        const uint64_t *row = lu->bits + (size_t)lu->order[k] * (size_t)words;
        size_t blocks = 0;
        memset(lu->member, 0, (size_t)words * sizeof(uint64_t));
        for (int word = 0; word < words; word++)
            for (uint64_t rest = row[word]; rest; rest &= rest - 1)
                set_bit(lu->member, lu->place[64 * word + lowest_bit(rest)]);
        lu->run_start[k] = runs;
        if (lu->row_start[k] + (size_t)count_bits(lu->member, words) > lu->capacity) return JN_ERR_LIMIT;
        for (int word = 0, last = -2; word < words; word++)
            for (uint64_t rest = lu->member[word]; rest; rest &= rest - 1, blocks++) {
                int j = 64 * word + lowest_bit(rest);
                if (j != last + 1) lu->run[2 * runs] = j, lu->run[2 * runs + 1] = 0, runs++;
                lu->run[2 * runs - 1]++;
                last = j;
            }
        lu->row_start[k + 1] = lu->row_start[k] + blocks;
    }
    lu->run_start[nc] = runs;
    return JN_OK;
}

/* Columns of U as rows of L. */
static void find_left(jn_block_lu *lu) {
    int nc = lu->nc, *next = lu->degree;
    memset(next, 0, (size_t)nc * sizeof *next);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < nc; k++) {
            int at = 0;
            for (int r = lu->run_start[k]; r < lu->run_start[k + 1]; r++)
                for (int j = lu->run[2 * r]; j < lu->run[2 * r] + lu->run[2 * r + 1]; j++, at++) {
                    if (pass == 1) lu->left[next[j]] = k, lu->left_at[next[j]] = at;
                    next[j]++;
                }
        }
        for (int i = 0, sum = 0; pass == 0 && i < nc; i++) {
            int count = next[i];
            lu->left_start[i] = next[i] = sum;
            sum += count;
            lu->left_start[i + 1] = sum;
        }
    }
}

int jn_block_lu_analyse(jn_block_lu *lu, const int *start, const int *column) {
    int nc = lu->nc;
    memset(lu->bits, 0, (size_t)nc * (size_t)lu->words * sizeof(uint64_t));
    for (int i = 0; i < nc; i++)
        for (int k = start[i]; k < start[i + 1]; k++)
            if (column[k] != i) {
                set_bit(lu->bits + (size_t)i * (size_t)lu->words, column[k]);
                set_bit(lu->bits + (size_t)column[k] * (size_t)lu->words, i);
            }
    least_degree(lu);
    postorder(lu);
    int status = find_runs(lu);
    if (status == JN_OK) find_left(lu);
    return status;
}

/* Row `contact` of A W + B into w, columns by position. */
static inline void load_row(jn_block_lu *lu, int d, const jn_blocks *W, const double *A, const double *B, int contact) {
    size_t stride = (size_t)(d * lu->nc), block = (size_t)(d * d);
    const double *a = A ? A + (size_t)contact * block : NULL;
    for (int k = W->start[contact]; k < W->start[contact + 1]; k++) {
        int place = lu->place[W->column[k]];
        if (!lu->active[place]) continue;
        const double *value = W->value + (size_t)k * block;
        double *w = lu->w + (size_t)(d * place);
        for (int r = 0; r < d && !a; r++)
            for (int c = 0; c < d; c++) w[(size_t)r * stride + (size_t)c] += value[r * d + c];
        for (int r = 0; r < d && a; r++)
            for (int c = 0; c < d; c++) {
                double sum = 0;
                for (int t = 0; t < d; t++) sum += a[r * d + t] * value[t * d + c];
                w[(size_t)r * stride + (size_t)c] += sum;
            }
    }
    double *w = lu->w + (size_t)(d * lu->place[contact]);
    for (int r = 0; B && r < d; r++)
        for (int c = 0; c < d; c++)
            w[(size_t)r * stride + (size_t)c] += B[(size_t)contact * block + (size_t)(r * d + c)];
}

/* w -= l U over `blocks` neighbouring blocks; ld: distance of U's d rows. */
static inline void subtract(int d, size_t blocks, const double *l, const double *restrict U, size_t ld,
                            double *restrict w, size_t stride) {
    size_t count = (size_t)d * blocks;
    if (d == 3) {
        const double *restrict a = U, *restrict b = U + ld, *restrict c = U + 2 * ld;
        double *restrict x = w, *restrict y = w + stride, *restrict z = w + 2 * stride;
        for (size_t i = 0; i < count; i++) {
            double ai = a[i], bi = b[i], ci = c[i];
            x[i] -= l[0] * ai + l[1] * bi + l[2] * ci;
            y[i] -= l[3] * ai + l[4] * bi + l[5] * ci;
            z[i] -= l[6] * ai + l[7] * bi + l[8] * ci;
        }
        return;
    }
    if (d == 6) {
        const double *restrict a = U, *restrict b = U + ld, *restrict c = U + 2 * ld;
        const double *restrict e = U + 3 * ld, *restrict f = U + 4 * ld, *restrict g = U + 5 * ld;
        for (int r = 0; r < 6; r++, l += 6) {
            double *restrict x = w + (size_t)r * stride;
            for (size_t i = 0; i < count; i++)
                x[i] -= (l[0] * a[i] + l[1] * b[i]) + (l[2] * c[i] + l[3] * e[i]) + (l[4] * f[i] + l[5] * g[i]);
        }
        return;
    }
    for (int r = 0; r < d; r++)
        for (int t = 0; t < d; t++)
            for (size_t i = 0; i < count; i++) w[(size_t)r * stride + i] -= l[r * d + t] * U[(size_t)t * ld + i];
}

/* Subtracts L_ik times row k of U from the row in work, from the block `from` of row k on. */
static inline void eliminate(jn_block_lu *lu, int d, int k, int from, const double *l) {
    int at = 0, wide = d;
    size_t stride = (size_t)(wide * lu->nc), ld = (lu->row_start[k + 1] - lu->row_start[k]) * (size_t)wide;
    const double *U = lu->U + lu->row_start[k] * (size_t)(d * wide);
    for (int r = lu->run_start[k]; r < lu->run_start[k + 1]; r++) {
        int first = lu->run[2 * r], count = lu->run[2 * r + 1], skip = from > at ? from - at : 0;
        if (skip < count)
            subtract(d, (size_t)(count - skip), l, U + wide * (at + skip), ld, lu->w + wide * (first + skip), stride);
        at += count;
    }
}

/* L_ik: from the row in work, or from U_ki where J is symmetric. */
static inline void multiplier(const jn_block_lu *lu, int d, int k, int at, double *l) {
    size_t wide = (size_t)d, stride = wide * (size_t)lu->nc, ld = (lu->row_start[k + 1] - lu->row_start[k]) * wide;
    const double *inverse = lu->inverse + (size_t)(k * d) * wide, *w = lu->w + wide * (size_t)k;
    const double *U = lu->U + lu->row_start[k] * (size_t)d * wide + wide * (size_t)at;
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++) {
            double sum = 0;
            for (int t = 0; t < d; t++)
                sum += (lu->symmetric ? U[(size_t)t * ld + (size_t)r] : w[(size_t)r * stride + (size_t)t]) *
                       inverse[(size_t)t * wide + (size_t)c];
            l[r * d + c] = sum;
        }
}

/* Moves what stands in the row in work at the diagonal and to the right of it to D and U. */
static inline bool store_row(jn_block_lu *lu, int d, int i) {
    size_t wide = (size_t)d, stride = wide * (size_t)lu->nc, ld = (lu->row_start[i + 1] - lu->row_start[i]) * wide;
    for (int r = 0; r < d; r++) {
        const double *w = lu->w + (size_t)r * stride;
        double *U = lu->U + lu->row_start[i] * (size_t)d * wide + (size_t)r * ld;
        for (int c = 0; c < d; c++) lu->D[(i * d + r) * d + c] = w[wide * (size_t)i + (size_t)c];
        for (int k = lu->run_start[i]; k < lu->run_start[i + 1]; k++) {
            size_t count = wide * (size_t)lu->run[2 * k + 1];
            memcpy(U, w + wide * (size_t)lu->run[2 * k], count * sizeof *U);
            U += count;
        }
    }
    return jn_small_invert(d, lu->D + i * d * d, lu->inverse + (size_t)(i * d) * wide);
}

static inline void clear_row(jn_block_lu *lu, int d, int i) {
    int wide = d;
    for (int r = 0; r < d; r++) {
        double *w = lu->w + (size_t)r * (size_t)(wide * lu->nc);
        for (int c = 0; c < wide; c++) w[wide * i + c] = 0;
        for (int k = lu->left_start[i]; k < lu->left_start[i + 1]; k++)
            for (int c = 0; c < wide; c++) w[wide * lu->left[k] + c] = 0;
        for (int k = lu->run_start[i]; k < lu->run_start[i + 1]; k++)
            memset(w + wide * lu->run[2 * k], 0, (size_t)(wide * lu->run[2 * k + 1]) * sizeof *w);
    }
}

static inline int factor_rows(jn_block_lu *lu, int d, const jn_blocks *W, const double *A, const double *B) {
    for (int i = 0; i < lu->nc; i++) {
        if (!lu->active[i]) continue;
        clear_row(lu, d, i);
        load_row(lu, d, W, A, B, lu->order[i]);
        for (int p = lu->left_start[i]; p < lu->left_start[i + 1]; p++) {
            int k = lu->left[p];
            if (!lu->active[k]) continue;
            double *l = lu->L + (size_t)p * (size_t)(d * d);
            multiplier(lu, d, k, lu->left_at[p], l);
            eliminate(lu, d, k, lu->symmetric ? lu->left_at[p] : 0, l);
        }
        if (!store_row(lu, d, i)) return JN_ERR_NUMERIC;
    }
    return JN_OK;
}

/* Row by row, pivots inside diagonal blocks [Davis2006, ch. 6]. O(sum of squared row lengths). */
int jn_block_lu_factor(jn_block_lu *lu, const jn_blocks *W, const double *A, const double *B, const bool *active,
                       bool symmetric) {
    lu->symmetric = symmetric;
    for (int i = 0; i < lu->nc; i++) lu->active[i] = !active || active[lu->order[i]];
    memset(lu->w, 0, (size_t)lu->nc * (size_t)(lu->d * lu->d) * sizeof *lu->w);
    switch (lu->d) { /* loops of constant length */
    case 3: return factor_rows(lu, 3, W, A, B);
    case 6: return factor_rows(lu, 6, W, A, B);
    default: return factor_rows(lu, lu->d, W, A, B);
    }
}

static inline void forward(jn_block_lu *lu, int d) {
    int wide = d;
    double *x = lu->x;
    for (int i = 0; i < lu->nc; i++) {
        double y[JN_BLOCK];
        if (!lu->active[i]) continue;
        for (int r = 0; r < d; r++) y[r] = x[i * wide + r];
        for (int p = lu->left_start[i]; p < lu->left_start[i + 1]; p++) {
            const double *l = lu->L + (size_t)p * (size_t)(d * d), *z = x + lu->left[p] * wide;
            for (int r = 0; lu->active[lu->left[p]] && r < d; r++)
                for (int c = 0; c < d; c++) y[r] -= l[r * d + c] * z[c];
        }
        for (int r = 0; r < d; r++) x[i * wide + r] = y[r];
    }
}

static inline void backward(jn_block_lu *lu, int d) {
    int wide = d;
    double *x = lu->x;
    for (int i = lu->nc - 1; i >= 0; i--) {
        if (!lu->active[i]) continue;
        size_t ld = (lu->row_start[i + 1] - lu->row_start[i]) * (size_t)wide;
        const double *U = lu->U + lu->row_start[i] * (size_t)(d * wide);
        double y[JN_BLOCK][JN_BLOCK] = {{0}};
        for (int k = lu->run_start[i]; k < lu->run_start[i + 1]; k++) {
            const double *z = x + wide * lu->run[2 * k];
            for (int b = 0; b < lu->run[2 * k + 1]; b++, U += wide, z += wide)
                for (int r = 0; r < d; r++)
                    for (int c = 0; c < wide; c++) y[r][c] += U[(size_t)r * ld + (size_t)c] * z[c];
        }
        for (int r = 0; r < d; r++)
            for (int c = 1; c < wide; c++) y[r][0] += y[r][c];
        double rest[JN_BLOCK];
        for (int r = 0; r < d; r++) rest[r] = x[i * wide + r] - y[r][0];
        for (int r = 0; r < d; r++) {
            double sum = 0;
            for (int c = 0; c < d; c++) sum += lu->inverse[(i * d + r) * wide + c] * rest[c];
            x[i * wide + r] = sum;
        }
    }
}

void jn_block_lu_solve(jn_block_lu *lu, const double *b, double *x) {
    int d = lu->d, wide = d;
    memset(lu->x, 0, (size_t)(lu->nc * wide) * sizeof *lu->x);
    for (int i = 0; i < lu->nc; i++)
        for (int c = 0; lu->active[i] && c < d; c++) lu->x[i * wide + c] = b[lu->order[i] * d + c];
    switch (d) {
    case 3: forward(lu, 3), backward(lu, 3); break;
    case 6: forward(lu, 6), backward(lu, 6); break;
    default: forward(lu, d), backward(lu, d);
    }
    for (int i = 0; i < lu->nc; i++)
        for (int c = 0; c < d; c++) {
            int at = lu->order[i] * d + c;
            x[at] = lu->active[i] ? lu->x[i * wide + c] : b[at];
        }
}

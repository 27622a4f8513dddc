/* Blocks of vectors that are neighbours: the set is cut in two across its longest side, again and again. */
#include "model/packed.h"

#include "algebra/scalar.h"
#include <stdlib.h>

static const double wider =
    1e-12; /* of the largest number: boxes are larger by this than what they hold, so that rounding leaves nothing out */

static int compare(const void *a, const void *b) {
    const jn_packed_key *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->place - y->place;
}

/* Which axis the vectors differ most along. */
static int longest_axis(const jn_vec3 *v, const jn_packed_key *order, int count) {
    int axis = 0;
    double most = -1;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; i++) {
            double x = v3_get(v[order[i].place], k);
            low = jn_min(low, x), high = jn_max(high, x);
        }
        if (high - low > most) most = high - low, axis = k;
    }
    return axis;
}

static void arrange(const jn_vec3 *v, jn_packed_key *order, int count) {
    int blocks = jn_packed_blocks(count), half = (blocks + 1) / 2 * JN_PACKED_BLOCK;
    if (blocks < 2) return;
    int axis = longest_axis(v, order, count);
    for (int i = 0; i < count; i++) order[i].key = v3_get(v[order[i].place], axis);
    qsort(order, (size_t)count, sizeof *order, compare);
    arrange(v, order, half), arrange(v, order + half, count - half);
}

static void find_box(jn_packed *p, int block) {
    int pitch = jn_packed_pitch(p->blocks);
    for (int k = 0; k < 3; k++) {
        const double *x = p->value + (block * 3 + k) * JN_PACKED_BLOCK;
        double low = x[0], high = x[0];
        for (int i = 1; i < JN_PACKED_BLOCK; i++) low = jn_min(low, x[i]), high = jn_max(high, x[i]);
        p->box[k * pitch + block] = 0.5 * (low + high);
        p->box[(3 + k) * pitch + block] = 0.5 * (high - low) + wider * jn_max(fabs(low), fabs(high));
    }
}

void jn_packed_fill(jn_packed *p, const jn_vec3 *v, jn_packed_key *order) {
    int pitch = jn_packed_pitch(p->blocks);
    for (int i = 0; i < p->count; i++) order[i] = (jn_packed_key){0, i};
    arrange(v, order, p->count);
    for (int i = 0; i < p->blocks * JN_PACKED_BLOCK; i++) {
        int own = order[i < p->count ? i : p->count - 1].place, block = i / JN_PACKED_BLOCK;
        p->place[i] = own;
        for (int k = 0; k < 3; k++)
            p->value[(block * 3 + k) * JN_PACKED_BLOCK + i % JN_PACKED_BLOCK] = v3_get(v[own], k);
    }
    for (int b = 0; b < p->blocks; b++) find_box(p, b);
    for (int b = p->blocks; b < pitch; b++)
        for (int k = 0; k < 6; k++) p->box[k * pitch + b] = p->box[k * pitch + p->blocks - 1];
}

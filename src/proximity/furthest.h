/* The vector of many that reaches furthest in a direction. */
#ifndef JN_PROXIMITY_FURTHEST_H
#define JN_PROXIMITY_FURTHEST_H

#include "model/solid.h"
#include "proximity/narrow.h"
#include <math.h>
#include <stdint.h>

enum { JN_PACKED_CHUNK = 64 }; /* blocks at a time: their bounds stay in the cache */

typedef double jn_packed_lanes __attribute__((vector_size(8 * JN_PACKED_LANES), aligned(8), may_alias));
typedef int64_t jn_packed_mask __attribute__((vector_size(8 * JN_PACKED_LANES), aligned(8), may_alias));

/* Of vectors that stand one after the other. */
static inline int jn_furthest_of(const jn_vec3 *v, int count, jn_vec3 n) {
    int best = 0;
    double most = v3_dot(n, v[0]);
    for (int i = 1; i < count; i++) {
        double h = v3_dot(n, v[i]);
        if (h > most) most = h, best = i;
    }
    return best;
}

static inline jn_packed_lanes jn_packed_choose(jn_packed_mask first, jn_packed_lanes a, jn_packed_lanes b) {
    return (jn_packed_lanes)(((jn_packed_mask)a & first) | ((jn_packed_mask)b & ~first));
}
static inline bool jn_packed_any(jn_packed_mask m) { return m[0] | m[1] | m[2] | m[3]; }
_Static_assert(JN_PACKED_LANES == 4, "jn_packed_any looks at four");

/* The largest number seen in each lane, with its place: the least of equal ones. */
typedef struct jn_furthest {
    jn_packed_lanes most;
    jn_packed_mask place;
} jn_furthest;

static inline void jn_furthest_take(jn_furthest *best, jn_packed_lanes now, jn_packed_mask place) {
    jn_packed_mask more = (now > best->most) | ((now == best->most) & (place < best->place));
    best->most = jn_packed_choose(more, now, best->most);
    best->place = (place & more) | (best->place & ~more);
}

/* The lane with the largest number. */
static inline int jn_furthest_lane(const jn_furthest *best) {
    int lane = 0;
    for (int l = 1; l < JN_PACKED_LANES; l++) {
        double now = best->most[l], most = best->most[lane];
        if (now > most || (now == most && best->place[l] < best->place[lane])) lane = l;
    }
    return lane;
}

/* Heights along n that no vector of a block exceeds, of the blocks from `first` on; returns the block that has the largest. */
static inline int jn_packed_bounds(const jn_packed *s, int first, int some, jn_vec3 n, double *bound) {
    int pitch = jn_packed_pitch(s->blocks);
    const double *c = s->box + first;
    jn_vec3 a = v3(fabs(n.x), fabs(n.y), fabs(n.z));
    jn_furthest top = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY}, {0}};
    jn_packed_mask place = {first, first + 1, first + 2, first + 3};
    for (int i = 0; i < some; i += JN_PACKED_LANES, c += JN_PACKED_LANES, place += JN_PACKED_LANES) {
#define PART(k) (*(const jn_packed_lanes *)(const void *)(c + (k)*pitch))
        jn_packed_lanes now =
            n.x * PART(0) + n.y * PART(1) + n.z * PART(2) + a.x * PART(3) + a.y * PART(4) + a.z * PART(5);
#undef PART
        *(jn_packed_lanes *)(void *)(bound + i) = now;
        jn_furthest_take(&top, now, place);
    }
    return (int)top.place[jn_furthest_lane(&top)];
}

/* How far the vectors of a block reach along n, as v3_dot has it. */
static inline void jn_packed_heights(const jn_packed *s, int block, jn_vec3 n, double h[JN_PACKED_BLOCK]) {
    const double *restrict x = s->value + 3 * JN_PACKED_BLOCK * block, *restrict y = x + JN_PACKED_BLOCK,
                           *restrict z = y + JN_PACKED_BLOCK;
    for (int i = 0; i < JN_PACKED_BLOCK; i++) h[i] = jn_dot3(n.x, x[i], n.y, y[i], n.z, z[i]);
}

static inline void jn_furthest_in_block(const jn_packed *s, int block, jn_vec3 n, jn_furthest *best) {
    double h[JN_PACKED_BLOCK];
    jn_packed_heights(s, block, n, h);
    for (int i = 0; i < JN_PACKED_BLOCK; i += JN_PACKED_LANES) {
        const int64_t *place = s->place + JN_PACKED_BLOCK * block + i;
        jn_furthest_take(best, *(const jn_packed_lanes *)(const void *)(h + i),
                         *(const jn_packed_mask *)(const void *)place);
    }
}

/* The same of packed vectors: the first of those that reach equally far. The block that could reach furthest comes first; most of the others cannot reach so far. */
static inline int jn_furthest_packed(const jn_packed *s, jn_vec3 n) {
    jn_furthest best = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY}, {0}};
    int lane = 0;
    for (int first = 0; first < s->blocks; first += JN_PACKED_CHUNK) {
        double bound[JN_PACKED_CHUNK];
        int some = s->blocks - first < JN_PACKED_CHUNK ? s->blocks - first : JN_PACKED_CHUNK;
        int top = jn_packed_bounds(s, first, some, n, bound);
        jn_furthest_in_block(s, top, n, &best);
        lane = jn_furthest_lane(&best);
        double reached = best.most[lane];
        for (int i = 0; i < some; i += JN_PACKED_LANES) {
            if (!jn_packed_any(*(const jn_packed_lanes *)(const void *)(bound + i) >= reached)) continue;
            for (int b = i; b < some && b < i + JN_PACKED_LANES; b++)
                if (bound[b] >= reached && first + b != top) jn_furthest_in_block(s, first + b, n, &best);
        }
        lane = jn_furthest_lane(&best);
    }
    return (int)best.place[lane];
}

static inline void jn_insert(int *sorted, int count, int x) {
    int i = count;
    for (; i > 0 && sorted[i - 1] > x; i--) sorted[i] = sorted[i - 1];
    sorted[i] = x;
}

/* Packed vectors that reach at least so far, ascending; -1: they are more than there is room for. */
static inline int jn_far_packed(const jn_packed *s, jn_vec3 n, double least, int *out, int room) {
    int found = 0;
    for (int first = 0; first < s->blocks; first += JN_PACKED_CHUNK) {
        double bound[JN_PACKED_CHUNK], h[JN_PACKED_BLOCK];
        int some = s->blocks - first < JN_PACKED_CHUNK ? s->blocks - first : JN_PACKED_CHUNK;
        jn_packed_bounds(s, first, some, n, bound);
        for (int b = 0; b < some; b++) {
            if (!(bound[b] >= least)) continue;
            int at = (first + b) * JN_PACKED_BLOCK,
                own = s->count - at < JN_PACKED_BLOCK ? s->count - at : JN_PACKED_BLOCK;
            jn_packed_heights(s, first + b, n, h);
            for (int i = 0; i < own; i++) {
                if (!(h[i] >= least)) continue;
                if (found == room) return -1;
                jn_insert(out, found++, (int)s->place[at + i]);
            }
        }
    }
    return found;
}

/* Corners of a hull, ascending: those that can be the furthest along unit directions within a chord of n, and those that then lie lower by up to jn_near_lower of the hull's
 * size. */
enum { JN_NEAR_MOST = 32 };
static const double jn_near_chord = 2e-3, jn_near_lower = 1e-4;
struct jn_near_corners {
    jn_vec3 n; /* unit, in the shape's frame */
    int count, corner[JN_NEAR_MOST];
};

/* |n/|n| - near->n| below the chord x: the cosine above 1 - x^2/2. */
static inline bool jn_near_serves(const jn_near_corners *near, jn_vec3 n) {
    double along = v3_dot(near->n, n), cosine = 1 - 0.5 * jn_near_chord * jn_near_chord;
    return along > 0 && along * along > cosine * cosine * (1 + 1e-9) * v3_dot(n, n);
}

/* The same as jn_furthest_packed of all corners, where they serve. */
static inline int jn_furthest_near(const jn_near_corners *near, const jn_vec3 *v, jn_vec3 n) {
    int best = near->corner[0];
    double most = v3_dot(n, v[best]);
    for (int i = 1; i < near->count; i++) {
        double h = v3_dot(n, v[near->corner[i]]);
        if (h > most) most = h, best = near->corner[i];
    }
    return best;
}

#endif

/* The vector of many that reaches furthest in a direction. */
#ifndef JN_PROXIMITY_FURTHEST_H
#define JN_PROXIMITY_FURTHEST_H

#include "model/solid.h"
#include "proximity/narrow.h"
#include <math.h>
#include <stdint.h>

enum { JN_PACKED_CHUNK = 64 }; /* heights at a time, which stay in the cache */

typedef double jn_packed __attribute__((vector_size(8 * JN_PACKED), aligned(8), may_alias));
typedef int64_t jn_packed_places __attribute__((vector_size(8 * JN_PACKED)));

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

/* The same of packed vectors: the first of those that reach equally far. O(count) */
static inline int jn_furthest_packed(const double *packed, int count, jn_vec3 n) {
    int pitch = jn_packed_pitch(count);
    const double *restrict x = packed, *restrict y = x + pitch, *restrict z = y + pitch;
    jn_packed most = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    jn_packed_places at = {0}, place = {0};
    for (int first = 0; first < pitch; first += JN_PACKED_CHUNK) {
        double h[JN_PACKED_CHUNK];
        int some = pitch - first < JN_PACKED_CHUNK ? pitch - first : JN_PACKED_CHUNK;
        for (int i = 0; i < some; i++) h[i] = jn_dot3(n.x, x[first + i], n.y, y[first + i], n.z, z[first + i]);
        for (int i = 0; i < some; i += JN_PACKED) {
            jn_packed now = *(const jn_packed *)(const void *)(h + i);
            jn_packed_places more = now > most;
            most = (jn_packed)(((jn_packed_places)now & more) | ((jn_packed_places)most & ~more));
            at = (place & more) | (at & ~more);
            place += 1;
        }
    }
    int best = 0;
    for (int l = 1; l < JN_PACKED; l++)
        if (most[l] > most[best] || (most[l] == most[best] && at[l] < at[best])) best = l;
    return (int)at[best] * JN_PACKED + best;
}

/* Packed vectors that reach at least so far, ascending; -1: they are more than there is room for. O(count) */
static inline int jn_far_packed(const double *packed, int count, jn_vec3 n, double least, int *out, int room) {
    int pitch = jn_packed_pitch(count), found = 0;
    const double *restrict x = packed, *restrict y = x + pitch, *restrict z = y + pitch;
    for (int first = 0; first < pitch; first += JN_PACKED_CHUNK) {
        double h[JN_PACKED_CHUNK];
        int some = pitch - first < JN_PACKED_CHUNK ? pitch - first : JN_PACKED_CHUNK;
        for (int i = 0; i < some; i++) h[i] = jn_dot3(n.x, x[first + i], n.y, y[first + i], n.z, z[first + i]);
        for (int i = 0; i < some; i += JN_PACKED) {
            jn_packed_places far = *(const jn_packed *)(const void *)(h + i) >= least;
            if (!(far[0] | far[1] | far[2] | far[3])) continue;
            for (int l = 0; l < JN_PACKED; l++) {
                if (!far[l] || first + i + l >= count) continue;
                if (found == room) return -1;
                out[found++] = first + i + l;
            }
        }
    }
    return found;
}
_Static_assert(JN_PACKED == 4, "jn_far_packed looks at four at a time");

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

/* The vector of many that reaches furthest in a direction. */
#ifndef JN_PROXIMITY_FURTHEST_H
#define JN_PROXIMITY_FURTHEST_H

#include "model/solid.h"
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

#endif

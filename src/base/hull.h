/* Convex hull of points in space. */
#ifndef JN_BASE_HULL_H
#define JN_BASE_HULL_H

#include <jounce/algebra.h>

/* Triangles of the convex hull, seen counter-clockwise from outside, into triangle (room for 2 count). Returns their
 * number, 0 if the points lie in a plane (or are less than four), negative if there is no memory. Points in a face's
 * plane may be left out. Incremental, O(count x triangles). */
int jn_hull_build(const jn_vec3 *point, int count, int (*triangle)[3]);

/* Volume integrals of a closed surface of triangles: volume, first moment, and the integrals of xx, yy, zz, xy, xz, yz.
 * Exact for polyhedra (sum over tetrahedra with the origin). */
typedef struct jn_moments {
    double volume;
    jn_vec3 first;
    jn_sym3 second;
} jn_moments;
jn_moments jn_triangles_moments(const jn_vec3 *point, int (*triangle)[3], int count);

#endif

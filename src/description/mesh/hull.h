/* Convex hull of points in space, and integrals over closed surfaces. */
#ifndef JN_DESCRIPTION_HULL_H
#define JN_DESCRIPTION_HULL_H

#include <jounce/algebra.h>
#include <jounce/base.h>

enum { JN_HULL_REASON = 200 };

/* A convex polytope. Faces are polygons, seen counter-clockwise from outside; points that lie in one plane to rounding share
 * a face. One block of memory, freed by jn_hull_free. */
typedef struct jn_hull {
    int corner_count, face_count;
    jn_vec3 *corner;      /* (corner_count) bit by bit the points they were */
    int *point;           /* (corner_count) index among the points, ascending */
    jn_vec3 *face_normal; /* (face_count) outward, of length one */
    int *face_start;      /* (face_count + 1) into face_corner */
    int *face_corner;     /* (face_start[face_count]) indices of corners */
    double volume;        /* [m^3] */
} jn_hull;

/* Builds and checks the hull [Barber1996]: by Qhull with merged facets, then, should a check fail, with joggled input. JN_OK;
 * JN_ERR_MODEL with a reason if the points span no volume or no hull passes the checks; JN_ERR_MISSING with a reason in a
 * build without Qhull; JN_ERR_MEMORY. O(count log count). */
int jn_hull_build(const jn_vec3 *point, int count, jn_hull *hull, char reason[JN_HULL_REASON]);
void jn_hull_free(jn_hull *hull);

/* Whether the faces close one surface (each edge has two faces, Euler's formula, one piece), bend outward at every edge,
 * enclose the volume that Qhull finds, and leave no point outside by more than the tolerance [m]. Each point climbs from face
 * to face to the one that a ray from the middle through it leaves by: O(count sqrt(faces)). JN_OK, JN_ERR_MODEL with a reason,
 * JN_ERR_MEMORY. */
int jn_hull_check(const jn_hull *hull, const jn_vec3 *point, int count, double tolerance, char reason[JN_HULL_REASON]);

/* The hull of some of the points, of which no other stands out by more than the part of their size. Starts from those
 * that lie farthest along 26 directions and adds, round by round, the farthest point above each face; what is in a hull is looked at no more. As jn_hull_build where
 * the part is 0. O(points above x faces) a round. */
int jn_hull_build_simple(const jn_vec3 *point, int count, double part, jn_hull *hull, char reason[JN_HULL_REASON]);

/* A hull to be made by jn_hull_build_simple, and what came of it. */
typedef struct jn_hull_order {
    const jn_vec3 *point;
    int count;
    double part;
    jn_hull hull; /* if the status is JN_OK; jn_hull_free it */
    int status;
    char reason[JN_HULL_REASON];
} jn_hull_order;
/* All of them by so many threads; 0: as many as the machine has processors. The hulls are the same for any number. */
void jn_hull_build_many(jn_hull_order *order, int count, int threads);

/* Fans of triangles of all faces, as indices of corners, into triangle (room for 2 corner_count). Returns their number. */
int jn_hull_triangles(const jn_hull *hull, int (*triangle)[3]);

/* Whether triangles close a surface: each edge is passed as often in one direction as in the other. Returns the number of
 * edges that are not, 0: closed; negative: no memory. O(count log count). */
int jn_triangles_open_edges(int (*triangle)[3], int count);

/* Volume integrals of a closed surface of triangles: volume, first moment, and the integrals of xx, yy, zz, xy, xz, yz.
 * Exact for polyhedra (sum over tetrahedra with the origin). */
typedef struct jn_moments {
    double volume;
    jn_vec3 first;
    jn_sym3 second;
} jn_moments;
jn_moments jn_triangles_moments(const jn_vec3 *point, int (*triangle)[3], int count);

#endif

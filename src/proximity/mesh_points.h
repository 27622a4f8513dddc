/* Contact points of a mesh before the choice of those that a pair keeps. */
#ifndef JN_PROXIMITY_MESH_POINTS_H
#define JN_PROXIMITY_MESH_POINTS_H

#include "proximity/narrow.h"

enum { JN_MESH_STACK = 64, JN_MESH_POINTS = 96 };

/* What of the mesh, or of both, touches: a face of it, edges that cross, a corner of it. */
typedef enum jn_mesh_part { JN_MESH_FACE = 1, JN_MESH_CORNER = 2, JN_MESH_EDGES = 3 } jn_mesh_part;

typedef struct jn_mesh_point {
    jn_vec3 pA, pB, n; /* in A's frame */
    jn_vec3 couple;    /* [m] as in jn_contact_geometry, in A's frame */
    double gap;
    uint32_t feature;
    jn_mesh_part part;
} jn_mesh_point;

typedef struct jn_mesh_points {
    double margin; /* [m] gaps up to it count */
    double size;   /* [m] of the smaller solid */
    jn_mesh_point list[JN_MESH_POINTS];
    int count;
} jn_mesh_points;

/* Adds a point within the margin; a full list drops the widest gap. */
void jn_mesh_points_add(jn_mesh_points *points, const jn_mesh_point *point);
/* Edges that overlap have several normals by which they could part: where another point nearby parts by a shorter way, that one counts. */
void jn_mesh_points_drop_deeper_edges(jn_mesh_points *points);
/* The deepest point, and those that are far from each other, into the list of a pair; X poses A. */
void jn_mesh_points_choose(const jn_mesh_points *points, const jn_pose *X, jn_manifold *out);

/* The nearest point of a surface to a point. */
typedef struct jn_mesh_nearest {
    jn_vec3 p, normal; /* normal: pseudonormal there, not of unit length */
    jn_vec3 face;      /* normal of the triangle */
    double distance2;
    int triangle;
    bool border; /* it lies on an edge without a neighbour */
} jn_mesh_nearest;
/* mesh_nearest.c: that of a mesh within a distance; false: there is none. O(log triangles) */
bool jn_mesh_find_nearest(const jn_solid *s, jn_vec3 p, double within, jn_mesh_nearest *out);
/* Whether a point is inside a mesh, no deeper than `within`; *at: the nearest point of the surface. */
static inline bool jn_mesh_is_inside(const jn_solid *s, jn_vec3 p, double within, jn_mesh_nearest *at) {
    return jn_mesh_find_nearest(s, p, within, at) && v3_dot(v3_sub(p, at->p), at->normal) < 0;
}

/* The pose Y seen from X. */
static inline jn_pose pose_in(const jn_pose *X, const jn_pose *Y) {
    return (jn_pose){pose_local(X, Y->p),
                     m3_from_columns(m3_tmul_v(&X->R, m3_column(&Y->R, 0)), m3_tmul_v(&X->R, m3_column(&Y->R, 1)),
                                     m3_tmul_v(&X->R, m3_column(&Y->R, 2)))};
}

#endif

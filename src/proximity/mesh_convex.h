/* What the files of a mesh (A) against a convex solid (B) share. All of it in A's frame. */
#ifndef JN_PROXIMITY_MESH_CONVEX_H
#define JN_PROXIMITY_MESH_CONVEX_H

#include "proximity/mesh_points.h"

typedef struct jn_mesh_meeting {
    const jn_solid *A;
    jn_convex B;
    jn_vec3 lower, upper; /* box of B, grown by the margin */
    double inside;        /* [m] overlaps up to it count */
    bool follows; /* forces and events follow points: a corner inside B that the shortest way does not lead out of it has the next one, so that what presses it does not vanish; points without
                   * the normal of both edges that cross, whose rate is not that of their gap, do not count */
    jn_mesh_points points;
} jn_mesh_meeting;

#define JN_MESH_LEANS 0.05  /* [rad] faces and lines of B that lean so far from a normal may come to lie there soon */
#define JN_MESH_ROUND 1e-6  /* [rad] what rounding leaves of a normal; edges that bend by less are flat */
#define JN_MESH_DEEP 1e-7   /* of B's size: overlaps beyond it are looked at whether they are ones */
#define JN_MESH_BORDER -0.5 /* cosine: normals at a border lean so far from that of its face; it has one side */

static inline uint32_t jn_mesh_feature(jn_mesh_part part, int of_mesh, uint32_t of_body) {
    return (((uint32_t)of_mesh * 2654435761u ^ (of_body + 1) * 0x85EBCA77u) << 2 | (uint32_t)part) & 0x7fffffffu;
}

/* mesh_edges.c: a convex edge, from corner k of triangle t, against B. p: the point of B's core that is furthest against the normal of t. */
void jn_mesh_ask_edge(jn_mesh_meeting *q, int t, int k, jn_vec3 p);
/* mesh_corners.c: corner v against B. O(1) for spheres, capsules and boxes, else as a pair of convex solids. */
void jn_mesh_ask_corner(jn_mesh_meeting *q, int v);

#endif

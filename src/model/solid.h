/* Compiled shapes: what the narrow and the broad phase need, in flat arrays that belong to the model. */
#ifndef JN_MODEL_SOLID_H
#define JN_MODEL_SOLID_H

#include "algebra/spatial.h"
#include "model/packed.h"
#include <jounce/description.h>

struct jn_store;
struct jn_hull_order;

/* Node of the tree of boxes over triangles. Leaves hold triangles first..first+count of `order`; inner nodes have count
 * 0, their children at index + 1 and `second`. */
typedef struct jn_box_node {
    jn_vec3 lower, upper;
    int first, count, second;
} jn_box_node;

/* One shape fixed on a link. All lengths in the shape's own frame.
 *
 * Every convex shape is a core rounded by `radius`: a point (sphere, circle), a segment along z (capsule), a disc
 * (torus), corners and faces, or a core with a support function of its own (cylinder, cone, ellipsoid, ...). */
typedef struct jn_solid {
    jn_shape_type type;
    int body, link, shape;      /* index of the user's body, of its link, of the shape in the description */
    int group;                  /* -1: none; equal numbers never touch */
    int weld;                   /* body that stands for all that fixed joints join to this one; they never touch */
    double adhesion, adhesion_reach; /* [N], [m] of each of its contact points */
    jn_twist belt;              /* motion of its surface beyond that of the link, at the link's origin, in its axes */
    bool surface_moves;         /* it is not zero */
    uint32_t layer, touches;    /* bits: two solids may touch if one's touches meet the other's layer */
    int material;               /* contact row that the shape names, or the only material; -1: none */
    bool named;                 /* the shape names it itself */
    const char *name, *contact; /* NULL: not given */
    jn_where where;
    jn_pose local; /* of the shape's frame in the link's frame */
    double radius; /* [m] rounding of the core */
    jn_vec3 size;  /* [m] box, rectangle: half lengths; ellipsoids: semi-axes; cylinder, capsule, bore: radius, half
                              length (bore: half distance of its end walls, 0: open); cone: radius, height; torus, arc, socket: radius */
    double e1, e2; /* superellipsoid */
    double range[2][2];   /* arc: angles; surface: limits of u, v */
    double reach;         /* [m] largest distance from the shape's origin; INFINITY for planes */
    double thickness;     /* [m] smallest half extent: penetrations well below it are shallow */
    jn_vec3 lower, upper; /* bounds in the shape's frame, finite shapes only */

    int vertex_count, face_count; /* corners of polytopes and meshes; faces of polytopes */
    jn_vec3 *vertex;              /* (vertex_count); planar: counter-clockwise */
    jn_vec3 *face_normal;         /* (face_count) outward; planar: of the edge from corner k to k + 1 */
    jn_packed packed_vertex;      /* of hulls: their corners and */
    jn_packed packed_normal;      /* normals, in blocks; else none */
    int *face_start;              /* (face_count + 1) into face_vertex; not for planar shapes */
    int *face_vertex;             /* corners of the faces, counter-clockwise from outside */

    int triangle_count, node_count;
    int (*triangle)[3];  /* (triangle_count) mesh, heightfield */
    int (*neighbour)[3]; /* (triangle_count) triangle across the edge k to k + 1, -1 at a border */
    jn_vec3 *triangle_normal;
    jn_vec3 *vertex_normal; /* (vertex_count) mean of the normals around a corner, weighted by their angles */
    int *vertex_triangle;   /* (vertex_count) one of the triangles there; -1: none, or the surface is flat around it, or has a straight edge */
    int *order; /* (triangle_count) triangles in the order of the tree's leaves */
    jn_box_node *node;

    jn_function surface[3];
    const jn_table *tables;
    int samples;     /* surface: points per direction */
    jn_vec3 *sample; /* (samples^2) points, u fastest */
} jn_solid;

/* Compiles one shape into the memory of the store. radius etc. are checked; text in the report. link and group are left
 * for the caller. made: its hull, which is used up; NULL: it is made here. */
int jn_solid_build(jn_solid *solid, const jn_shape_desc *shape, const jn_table *tables, struct jn_store *store,
                   struct jn_hull_order *made, jn_report *report);

/* Point, first and second derivatives of a parametric surface. */
typedef struct jn_surface_point {
    jn_vec3 p, u, v, uu, uv, vv;
} jn_surface_point;
jn_surface_point jn_solid_surface_at(const jn_solid *solid, double u, double v);

#endif

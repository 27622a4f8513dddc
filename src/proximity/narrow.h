/* What the files of the narrow phase share. */
#ifndef JN_PROXIMITY_NARROW_H
#define JN_PROXIMITY_NARROW_H

#include "algebra/spatial.h"
#include "model/solid.h"
#include <jounce/proximity.h>
#include <stddef.h>
#include <string.h>

enum { JN_FEATURE_MAX = 16 };

typedef struct jn_near_corners jn_near_corners; /* furthest.h */

/* A solid in the world. */
typedef struct jn_convex {
    const jn_solid *s;
    jn_pose X;                   /* of the shape's frame */
    const jn_near_corners *near; /* of hulls: the corners that directions near one of them ask for; NULL: all are looked at */
} jn_convex;

static inline jn_vec3 pose_point(const jn_pose *X, jn_vec3 p) { return v3_add(X->p, m3_mul_v(&X->R, p)); }
static inline jn_vec3 pose_local(const jn_pose *X, jn_vec3 p) { return m3_tmul_v(&X->R, v3_sub(p, X->p)); }
static inline jn_pose pose_mul(const jn_pose *X, const jn_pose *Y) {
    return (jn_pose){pose_point(X, Y->p), m3_mul(&X->R, &Y->R)};
}

/* A list of contact points that keeps those within the margin. */
typedef struct jn_manifold {
    jn_contact_geometry *out;
    int count;
    double margin;
    bool rigid; /* nobody asks for curvatures: that part of the points is left as it is */
    bool edges; /* where edges cross, points have the normal of both: the rate of the gap is that of its points, as forces need it */
    bool rocks; /* the same of polyhedra alone, as events need it: a face that rocks on an edge slides over it along its own plane */
} jn_manifold;

/* pair_table.c: where a full list has its widest gap; -1: it has none above this one. */
int jn_manifold_widest(const jn_manifold *t, double gap);
/* Adds a contact point if its gap is within the margin; a full list drops the widest gap. NULL: it was not taken. */
static inline jn_contact_geometry *jn_manifold_add(jn_manifold *t, jn_vec3 pA, jn_vec3 pB, jn_vec3 n, double gap,
                                                   uint32_t feature) {
    if (!(gap <= t->margin)) return NULL;
    int at = t->count < JN_MANIFOLD_MAX ? t->count++ : jn_manifold_widest(t, gap);
    if (at < 0) return NULL;
    jn_contact_geometry *o = &t->out[at];
    if (t->rigid) /* lengths that are constant */
        memset(o, 0, offsetof(jn_contact_geometry, kA));
    else
        memset(o, 0, sizeof *o);
    o->pA = pA, o->pB = pB, o->n = n, o->gap = gap, o->feature = feature;
    return o;
}

/* support.c */
jn_vec3 jn_core_support(const jn_convex *c, jn_vec3 n); /* furthest point of the core along n */
int jn_corner_along(const jn_convex *c, jn_vec3 n);     /* furthest corner of a polytope along n in its own frame */
bool jn_core_has_corners(const jn_solid *s);       /* its core is a polytope: jn_core_support is one of the corners, */
int jn_core_corner(const jn_convex *c, jn_vec3 n); /* this one, */
jn_vec3 jn_core_corner_at(const jn_convex *c, int k); /* which stands here */
/* The corners of a hull near the direction n, with any point p of it; false: it is no hull, or they are too many. O(corners) */
bool jn_near_find(const jn_convex *c, jn_vec3 n, jn_vec3 p, jn_near_corners *near);
bool jn_core_is_smooth(jn_shape_type type);             /* everywhere: point, ellipsoid, superellipsoid */
/* Whether the core is round about z with one straight side, whose normal has the component `slope` along z. */
bool jn_core_side(const jn_solid *s, double *slope);
/* Circles about z that, rounded, have the same convex hull as the solid; none: it has no such. Returns how many. */
typedef struct jn_rim {
    double z, radius, round; /* [m] */
} jn_rim;
int jn_core_rims(const jn_solid *s, jn_rim out[2]);
jn_mat3 jn_core_hessian(const jn_convex *c, jn_vec3 n); /* of the support function where it has one, world axes */
bool jn_curvature(const jn_convex *c, jn_vec3 p, jn_vec3 n, double k[2], jn_vec3 *dir); /* n outward at p */

#define JN_MESHES_SEEN 0.2 /* of half the extent of the smaller one: overlaps of two meshes that are found */
/* half_thickness.c: [m] what is deeper in the shape lies nearer to its other side; INFINITY: it has none. O(size of the shape), no allocation. */
double jn_solid_half_thickness(const jn_solid *s);

/* Signed gap of two convex cores: normal from A to B, nearest (or deepest) points of the cores. */
typedef struct jn_gap {
    jn_vec3 n, pA, pB;
    double gap;
    int face[2]; /* of polytopes: 1 + number of A's face that looks furthest along n, of B's against it; 0: not known */
} jn_gap;

typedef struct jn_simplex {
    jn_vec3 w[4], a[4], b[4]; /* w = b - a */
    double weight[4];
    int corner[4][2]; /* of A and B where both have corners */
    int count;
} jn_simplex;

/* gjk.c: true if the cores are apart; else the simplex holds what touches the origin, and out the best normal met on the
 * way (its gap is a lower bound). cache, or NULL: where both are polytopes it begins with the corners that were nearest last time. */
bool jn_gjk(const jn_convex *A, const jn_convex *B, jn_vec3 guess, jn_pair_cache *cache, jn_gap *out,
            jn_simplex *simplex);
/* Whether it knows such corners, and they were within the margin; and that they were not. */
bool jn_gjk_was_near(const jn_convex *A, const jn_convex *B, const jn_pair_cache *cache);
void jn_gjk_note_beyond(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache);
/* epa.c: cores that intersect. other: further normals that may turn out better when smooth cores are polished (room for
 * JN_EPA_OTHER); returns how many. */
enum { JN_EPA_OTHER = 8 };
int jn_epa(const jn_convex *A, const jn_convex *B, const jn_simplex *simplex, jn_gap *out, jn_vec3 *other);
/* common_normal.c: improves the normal of two smooth cores; true if the common-normal equations hold to round-off. */
bool jn_common_normal(const jn_convex *A, const jn_convex *B, jn_gap *gap);
/* box_box.c: two boxes at once; false if they are apart and neither a face nor a pair of edges decides. */
bool jn_box_gap(const jn_convex *A, const jn_convex *B, jn_gap *out);
/* Whether boxes with parallel faces meet along an edge of both, or at a corner: neighbours across the corner in a block of boxes. Two faces claim the normal there, and round-off
 * would choose. Each may pass by the other; where they overlap by more than round-off, one of the faces is nearer. */
bool jn_boxes_meet_at_edges(const jn_convex *A, const jn_convex *B);
/* polish.c: the last digits where a curved core meets edges and corners. */
void jn_polish(const jn_convex *A, const jn_convex *B, jn_gap *gap);
/* convex.c: all of these together, radii included in the result. */
void jn_convex_gap(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_gap *out);

/* feature.c: the flat part of the surface that looks along n, as a polygon in the world (radius included). */
typedef struct jn_feature {
    jn_vec3 p[JN_FEATURE_MAX];
    uint32_t id[JN_FEATURE_MAX];
    int count;
    bool face;     /* p is the border of a face with the normal below */
    double radius; /* [m] of a line: round about an axis that is so far inside, */
    bool across;   /* measured across the line, else along the direction that was asked for */
    jn_vec3 normal;
    uint32_t number; /* of the face */
    jn_vec3 centre, axis, turn; /* points that stand for a circle: they run around the axis through the centre at turn.w, where w is how fast the
                                   solid turns against the direction that was asked for; zero where they do not move */
} jn_feature;
/* [m] what that adds to the rate of a gap at one of them, p, along the normal n, per angular velocity. */
static inline jn_vec3 jn_feature_couple(const jn_feature *f, jn_vec3 p, jn_vec3 n) {
    return v3_scale(v3_dot(n, v3_cross(f->axis, v3_sub(p, f->centre))), f->turn);
}
void jn_feature_find(const jn_convex *c, jn_vec3 n, jn_feature *out);
/* Its normal and number where it is a face. */
bool jn_feature_face(const jn_convex *c, jn_vec3 n, jn_vec3 *normal, int *number);
/* Points of a circle that lies flat begin at a direction of the solid's own (unit, x and y) instead of its x axis. */
void jn_feature_turn(const jn_convex *c, const double direction[2], jn_vec3 n, jn_feature *out);
/* Contact points of two convex solids from their gap: clipped faces, parallel edges, or one point. */
void jn_patch(const jn_convex *A, const jn_convex *B, const jn_gap *gap, jn_manifold *out);
/* Contact points with the face of A, or of B, that looks along m. */
void jn_face_patch(const jn_convex *A, const jn_convex *B, bool on_B, jn_vec3 m, jn_manifold *out);

/* Pair algorithms, A and B as the table in pair_table.c orders them. */
typedef void jn_pair_function(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out);
jn_pair_function jn_collide_convex, jn_collide_plane, jn_collide_sphere_sphere, jn_collide_sphere_capsule,
    jn_collide_sphere_box, jn_collide_sphere_cylinder, jn_collide_sphere_torus, jn_collide_capsule_capsule,
    jn_collide_half_plane, jn_collide_circle_circle, jn_collide_circle_polygon, jn_collide_polygon_polygon,
    jn_collide_hollow, jn_collide_bore, jn_collide_arc, jn_collide_mesh, jn_collide_meshes, jn_collide_surface;

/* Nearest points of two segments; parallel ones give the middle of their overlap. */
void jn_segments_nearest(jn_vec3 p, jn_vec3 d, jn_vec3 q, jn_vec3 e, double *s, double *t);

/* What contact points have beside their gaps. */
typedef struct jn_point_detail {
    bool curved; /* curvatures of both surfaces */
    bool edges;  /* as in jn_manifold: normals of edges that cross, */
    bool rocks;  /* of polyhedra alone */
} jn_point_detail;

/* An empty list of points with such details; where they go and its margin are the caller's. */
static inline jn_manifold jn_manifold_of(jn_point_detail detail) {
    return (jn_manifold){.rigid = !detail.curved, .edges = detail.edges, .rocks = detail.rocks};
}

/* pair_table.c: as jn_pair_collide, into an empty list; curved: with curvatures. */
int jn_pair_fill(const jn_convex *A, const jn_convex *B, bool curved, jn_pair_cache *cache, jn_manifold *list);
/* The same with the details asked for. */
int jn_pair_points(const jn_convex *A, const jn_convex *B, double margin, jn_point_detail detail, jn_pair_cache *cache,
                   jn_contact_geometry out[JN_MANIFOLD_MAX]);
/* The same with one face alone, that of A, or of B, which looks along m. */
int jn_pair_face(const jn_convex *A, const jn_convex *B, bool on_B, jn_vec3 m, double margin, bool curved,
                 jn_contact_geometry out[JN_MANIFOLD_MAX]);

#endif

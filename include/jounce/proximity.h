/* Where bodies touch: gaps, contact points, normals and curvatures of pairs of shapes, their rates and Jacobian wrenches,
 * and the pairs that are near. Nothing here allocates except the create function. */
#ifndef JOUNCE_PROXIMITY_H
#define JOUNCE_PROXIMITY_H

#include <jounce/model.h>
#include <jounce/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { JN_MANIFOLD_MAX = 8 }; /* most points of one pair */

typedef struct jn_solid jn_solid; /* a compiled shape; see jn_model_solid */

/* One contact point. Points, normal and directions are in world axes. */
typedef struct jn_contact_geometry {
    jn_vec3 pA, pB;        /* [m] material points on the two surfaces */
    jn_vec3 n;             /* unit surface normal, from A to B */
    double gap;            /* [m] n.(pB - pA); negative: penetration */
    jn_vec3 couple;        /* [m] a point that moves along a circle while the bodies turn: the rate of the gap has couple.(w_B - w_A), too */
    uint32_t feature;      /* what touches (face, edge, corner): the same from step to step */
    bool smoothA, smoothB; /* the curvatures are defined: not at an edge or corner, and only where jn_detection_curvatures wants them */
    double kA[2], kB[2];   /* [1/m] principal curvatures, the larger first: 0 for planes, negative for hollows */
    jn_vec3 dA, dB;        /* unit: direction of kA[0], kB[0] in the tangent plane */
} jn_contact_geometry;

/* Warm start of one pair: plain data, part of the state. All zero: nothing known. */
typedef struct jn_pair_cache {
    jn_vec3 n;   /* normal of the last call, in the axes of A's shape; zero: none */
    double u[2]; /* parameters on a surface; of two polytopes the numbers of the corners that were nearest, as bits */
    uint32_t known;
} jn_pair_cache;

/* Contact points of two solids whose bodies (links) stand at XA and XB, as far as their gap is not above margin; at most
 * JN_MANIFOLD_MAX, one at least if the smallest gap is not above margin. margin may be INFINITY. cache may be NULL. The
 * result depends on the arguments alone. Returns how many. No allocation. */
JN_API int jn_pair_collide(const jn_solid *A, const jn_pose *XA, const jn_solid *B, const jn_pose *XB, double margin,
                           jn_pair_cache *cache, jn_contact_geometry out[JN_MANIFOLD_MAX]);
/* Whether the two types have a contact algorithm (two planes or two meshes have none). */
JN_API bool jn_pair_supported(jn_shape_type a, jn_shape_type b);

/* --------------------------------------------------------------------------------------------- relative motion */

/* Tangents that complete n to a right-handed frame (t1, t2, n); in a planar model t1 lies in the plane, t2 = -z or z. */
JN_API void jn_geometry_tangents(const jn_contact_geometry *contact, bool planar, jn_vec3 t[2]);

/* Wrenches on the two bodies, at their origins, of a unit force +dir on B and -dir on A at the touching point. The power
 * of the pair on the bodies' twists is the rate of the gap (dir = n) or a slip velocity (dir = t): the rows W_N and W_T.
 * [Rodrigues2024, eq. 34-36] */
typedef struct jn_contact_row {
    jn_wrench A, B;
} jn_contact_row;
JN_API jn_contact_row jn_contact_row_along(const jn_contact_geometry *contact, jn_vec3 dir, jn_vec3 originA,
                                           jn_vec3 originB);

/* Velocity of the material point pB against pA: normal part is the gap's rate. Twists at the origins. */
typedef struct jn_relative_motion {
    jn_vec3 v;       /* [m/s] rPB' - rPA' */
    double gap_rate; /* [m/s] v.n; negative: approaching */
    jn_vec3 slip;    /* [m/s] v - n (v.n) */
    jn_vec3 w;       /* [rad/s] relative angular velocity wB - wA */
} jn_relative_motion;
JN_API jn_relative_motion jn_geometry_motion(const jn_contact_geometry *contact, jn_vec3 originA, jn_twist VA,
                                             jn_vec3 originB, jn_twist VB);

/* ------------------------------------------------------------------------------------------------ the pairs */

/* The compiled shapes of a model, by index, and what they belong to. */
JN_API int jn_model_solids(const jn_model *model);
JN_API const jn_solid *jn_model_solid(const jn_model *model, int solid);
JN_API int jn_solid_body(const jn_solid *solid);
JN_API int jn_solid_link(const jn_solid *solid);
JN_API jn_shape_type jn_solid_type(const jn_solid *solid);
JN_API const char *jn_solid_name(const jn_solid *solid);    /* "" if it has none */
JN_API const char *jn_solid_contact(const jn_solid *solid); /* contact material; NULL if none was given */

/* Two solids that are near each other. */
typedef struct jn_solid_pair {
    int a, b;         /* solids, a < b */
    int first, count; /* its contact points */
    jn_pair_cache cache;
} jn_solid_pair;

/* What a detection may hold. */
typedef struct jn_detection_limits {
    int pairs, contacts; /* 0: automatic (all pairs of a small model; 32 per solid of a large one) */
    bool with_law; /* pairs of which no contact row says anything are left out, also where there is no row at all */
} jn_detection_limits;

/* The pairs of a model. Opaque. */
typedef struct jn_detection jn_detection;

/* Takes all pairs of solids of different bodies that may touch: not both on the ground, not of one group, not joined by a
 * joint. NULL on error. */
JN_API jn_detection *jn_detection_create(const jn_model *model, jn_detection_limits limits, jn_report *report);
JN_API void jn_detection_free(jn_detection *detection);
/* Allows (or forbids) the contact of two solids, or of all solids of two bodies, whatever the rules say. */
JN_API int jn_detection_allow(jn_detection *detection, int solid_a, int solid_b, bool allow);
JN_API int jn_detection_allow_bodies(jn_detection *detection, int body_a, int body_b, bool allow);
JN_API bool jn_detection_allowed(const jn_detection *detection, int solid_a, int solid_b);
/* Finds the pairs and their contact points at the poses of the links (as jn_work holds them after jn_kinematics), sorted by
 * (a, b). Warm starts are kept for pairs that stay near. JN_ERR_LIMIT if the limits are exceeded: nothing is lost, but
 * pairs beyond them are missing. O(n + overlaps); each shape much larger than the others costs O(n) more. */
JN_API int jn_detection_update(jn_detection *detection, const jn_pose *link, double margin);
JN_API int jn_detection_update_work(jn_detection *detection, const jn_work *work, double margin);
/* [m] No point of a shape is further than this from where it was at the last jn_detection_update_work. */
JN_API double jn_detection_moved(const jn_detection *detection, const jn_work *work);
JN_API void jn_detection_curvatures(jn_detection *detection,
                                    bool wanted); /* contact points without curvatures are found faster; default true */
JN_API int jn_detection_pairs(const jn_detection *detection);
JN_API const jn_solid_pair *jn_detection_pair(const jn_detection *detection, int pair);
JN_API const jn_solid_pair *jn_detection_find(const jn_detection *detection, int a,
                                              int b); /* a < b; NULL: not near. O(log n) */
/* Whether contact points of a solid pass on to neighbours: it is a mesh, or has faces and is not the only such solid of its link. */
JN_API bool jn_detection_tiled(const jn_detection *detection, int solid);
JN_API int jn_detection_contacts(const jn_detection *detection);
JN_API const jn_contact_geometry *jn_detection_contact(const jn_detection *detection, int contact);
JN_API long jn_detection_tests(const jn_detection *detection); /* pairs whose boxes were compared in the last update */
/* The warm start as plain data, to save and restore a state. */
JN_API size_t jn_detection_state_size(const jn_detection *detection);
JN_API void jn_detection_state_save(const jn_detection *detection, void *to);
JN_API void jn_detection_state_load(jn_detection *detection, const void *from);

/* ---------------------------------------------------------------------------------------------------- rays */

/* What a ray meets first. */
typedef struct jn_ray_hit {
    int solid, body; /* -1: nothing */
    jn_vec3 point;   /* [m] world axes */
    jn_vec3 normal;  /* unit, out of the shape */
} jn_ray_hit;

/* Distance [m] from a point along a direction (of any length) to the surface of the next shape, at the poses of the work space; INFINITY:
 * there is none up to `far`. Shapes of the body `except` are passed (-1: none). From inside a shape the ray meets its surface where it
 * leaves; planes are met from above. Closed forms but for round and hollow shapes without one, which are met to 1e-12 of their size.
 * O(shapes), meshes O(log triangles). out may be NULL. No allocation. */
JN_API double jn_ray_cast(const jn_model *model, const jn_work *work, jn_vec3 from, jn_vec3 direction, double far,
                          int except, jn_ray_hit *out);
/* The same for one solid whose link stands at X; dir: unit. */
JN_API double jn_solid_ray(const jn_solid *solid, const jn_pose *X, jn_vec3 from, jn_vec3 dir, double far,
                           jn_vec3 *normal);
/* What a sensor reads, also of those that look at shapes. */
JN_API int jn_sensor_see(const jn_model *model, const jn_work *work, int sensor, double values[JN_SENSOR_MOST]);

#ifdef __cplusplus
}
#endif

#endif

/* Where bodies touch: gaps, contact points, normals and curvatures of pairs of shapes, their rates and Jacobian wrenches,
 * and the pairs that are near. Nothing here allocates except the create function. */
#ifndef JOUNCE_PROXIMITY_H
#define JOUNCE_PROXIMITY_H

#include <jounce/model.h>
#include <jounce/motion.h>

enum { JN_TOUCH_MAX = 8 }; /* most points of one pair */

typedef struct jn_solid jn_solid; /* a compiled shape; see jn_model_solid */

/* One contact point. Points, normal and directions are in world axes. */
typedef struct jn_touch {
    jn_vec3 pA, pB;        /* [m] material points on the two surfaces */
    jn_vec3 n;             /* unit surface normal, from A to B */
    double gap;            /* [m] n.(pB - pA); negative: penetration */
    double kA[2], kB[2];   /* [1/m] principal curvatures, the larger first: 0 for planes, negative for hollows */
    jn_vec3 dA, dB;        /* unit: direction of kA[0], kB[0] in the tangent plane */
    bool smoothA, smoothB; /* the curvatures are defined: not at an edge or corner */
    uint32_t feature;      /* what touches (face, edge, corner): the same from step to step */
} jn_touch;

/* Warm start of one pair: plain data, part of the state. All zero: nothing known. */
typedef struct jn_pair_cache {
    jn_vec3 n;   /* normal of the last call, in the axes of A's shape; zero: none */
    double u[2]; /* parameters on a surface */
    uint32_t known;
} jn_pair_cache;

/* Contact points of two solids whose bodies (links) stand at XA and XB, as far as their gap is not above margin; at most
 * JN_TOUCH_MAX, one at least if the smallest gap is not above margin. margin may be INFINITY. cache may be NULL. The
 * result depends on the arguments alone. Returns how many. No allocation. */
int jn_pair_touch(const jn_solid *A, const jn_pose *XA, const jn_solid *B, const jn_pose *XB, double margin,
                  jn_pair_cache *cache, jn_touch out[JN_TOUCH_MAX]);
/* Whether the two types have a contact algorithm (two planes or two meshes have none). */
bool jn_pair_supported(jn_shape_type a, jn_shape_type b);

/* --------------------------------------------------------------------------------------------- relative motion */

/* Tangents that complete n to a right-handed frame (t1, t2, n); in a planar model t1 lies in the plane, t2 = -z or z. */
void jn_touch_tangents(const jn_touch *touch, bool planar, jn_vec3 t[2]);

/* Wrenches on the two bodies, at their origins, of a unit force +dir on B and -dir on A at the touching point. The power
 * of the pair on the bodies' twists is the rate of the gap (dir = n) or a slip velocity (dir = t): the rows W_N and W_T.
 * [Rodrigues2024, eq. 34-36] */
typedef struct jn_touch_row {
    jn_wrench A, B;
} jn_touch_row;
jn_touch_row jn_touch_row_along(const jn_touch *touch, jn_vec3 dir, jn_vec3 originA, jn_vec3 originB);

/* Velocity of the material point pB against pA: normal part is the gap's rate. Twists at the origins. */
typedef struct jn_touch_motion {
    jn_vec3 v;       /* [m/s] rPB' - rPA' */
    double gap_rate; /* [m/s] v.n; negative: approaching */
    jn_vec3 slip;    /* [m/s] v - n (v.n) */
    jn_vec3 w;       /* [rad/s] relative angular velocity wB - wA */
} jn_touch_motion;
jn_touch_motion jn_touch_relative(const jn_touch *touch, jn_vec3 originA, jn_twist VA, jn_vec3 originB, jn_twist VB);

/* ------------------------------------------------------------------------------------------------ the near pairs */

/* The compiled shapes of a model, by index, and what they belong to. */
int jn_model_solids(const jn_model *model);
const jn_solid *jn_model_solid(const jn_model *model, int solid);
int jn_solid_body(const jn_solid *solid);
int jn_solid_link(const jn_solid *solid);
jn_shape_type jn_solid_type(const jn_solid *solid);
const char *jn_solid_name(const jn_solid *solid);    /* "" if it has none */
const char *jn_solid_contact(const jn_solid *solid); /* contact material; NULL if none was given */

/* Two solids that are near each other. */
typedef struct jn_near {
    int a, b;         /* solids, a < b */
    int first, count; /* its touches */
    jn_pair_cache cache;
} jn_near;

/* What the scan may hold. */
typedef struct jn_scan_limits {
    int pairs, touches; /* 0: automatic (all pairs of a small model; 32 per solid of a large one) */
} jn_scan_limits;

/* The near pairs of a model. Opaque. */
typedef struct jn_scan jn_scan;

/* Takes all pairs of solids of different bodies that may touch: not both on the ground, not of one group, not joined by a
 * joint. NULL on error. */
jn_scan *jn_scan_create(const jn_model *model, jn_scan_limits limits, jn_report *report);
void jn_scan_free(jn_scan *scan);
/* Allows (or forbids) the contact of two solids, or of all solids of two bodies, whatever the rules say. */
int jn_scan_allow(jn_scan *scan, int solid_a, int solid_b, bool allow);
int jn_scan_allow_bodies(jn_scan *scan, int body_a, int body_b, bool allow);
bool jn_scan_allowed(const jn_scan *scan, int solid_a, int solid_b);
/* Finds the near pairs and their touches at the poses of the links (as jn_work holds them after jn_kinematics), sorted by
 * (a, b). Warm starts are kept for pairs that stay near. JN_ERR_LIMIT if the limits are exceeded: nothing is lost, but
 * pairs beyond them are missing. O(n + overlaps); each shape much larger than the others costs O(n) more. */
int jn_scan_update(jn_scan *scan, const jn_pose *link, double margin);
int jn_scan_update_work(jn_scan *scan, const jn_work *work, double margin);
/* [m] No point of a shape is further than this from where it was at the last jn_scan_update_work. */
double jn_scan_moved(const jn_scan *scan, const jn_work *work);
void jn_scan_curvatures(jn_scan *scan, bool wanted); /* touches without curvatures are found faster; default true */
int jn_scan_pairs(const jn_scan *scan);
const jn_near *jn_scan_pair(const jn_scan *scan, int pair);
const jn_near *jn_scan_find(const jn_scan *scan, int a, int b); /* a < b; NULL: not near. O(log n) */
/* Whether touches of a solid pass on to neighbours: it is a mesh, or has faces and is not the only such solid of its link. */
bool jn_scan_tiled(const jn_scan *scan, int solid);
int jn_scan_touches(const jn_scan *scan);
const jn_touch *jn_scan_touch(const jn_scan *scan, int touch);
long jn_scan_tests(const jn_scan *scan); /* pairs whose boxes were compared in the last update */
/* The warm start as plain data, to save and restore a state. */
size_t jn_scan_state_size(const jn_scan *scan);
void jn_scan_state_save(const jn_scan *scan, void *to);
void jn_scan_state_load(jn_scan *scan, const void *from);

#endif

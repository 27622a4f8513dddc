/* Layout of the compiled model.
 *
 * Bodies hang in a tree of links. Each link carries a frame B whose origin O lies on the joint to its parent (at the
 * centre of mass for a free joint) and whose axes are parallel to the parent's frame when the joint's coordinates are
 * zero. So a joint moves its link by  R = R_parent R_joint(q),  O = O_parent + R_parent (anchor + slide(q)).
 * Link 0 is the ground. A parent always stands before its children.
 *
 * Joints outside the tree, drivers and couplers are constraint rows. With absolute coordinates every body hangs from
 * the ground by a free joint and all joints are rows; the code is the same. */
#ifndef JN_MODEL_MODEL_LAYOUT_H
#define JN_MODEL_MODEL_LAYOUT_H

#include "algebra/spatial.h"
#include "model/solid.h"
#include <jounce/model.h>

typedef struct jn_link {
    int parent, body;    /* link index of the parent; index of the body in the user's list */
    jn_joint_type type;  /* joint to the parent */
    int q, v, nq, nv;    /* first coordinate and velocity, and their numbers */
    int joint;           /* the user's joint, or -1 for a free joint made by the compiler */
    bool plain;          /* E is the identity */
    bool hangs;          /* on the ground, by a joint that carries forces; the ground itself; see motion/external.c */
    bool world_axes;     /* free on the ground, its velocities count along the axes of the world */
    bool alone;          /* and origin at the centre of mass, carries no other: its equations stand apart */
    bool in_place;       /* on a hinge at the origin of its parent, as all but the first of a body on several hinges */
    bool massless;       /* no mass and no moments of inertia, as all but the last of the links of such a body */
    double mass;         /* [kg] */
    double pitch;        /* screw: [m/rad] */
    jn_vec3 anchor;      /* [m] joint point on the parent, in the parent's frame */
    jn_vec3 axis, axis2; /* unit, parent's frame: direction of the joint; universal: second axis; planar: x axis */
    jn_vec3 com;         /* [m] in the link's frame */
    jn_sym3 inertia;     /* [kg m^2] about the com, in the link's frame */
    jn_mat3 user;        /* from the user's body frame to the link's frame */
    jn_mat3 E;           /* spherical, free: the joint's axes in the parent's frame; velocities count in them */
    jn_sym3 inverse;     /* [1/(kg m^2)] of the inertia, if alone */
} jn_link;

/* One side of a joint or force element: a point and axes fixed on a link. Columns of E: x = axis2, y, z = axis. */
typedef struct jn_side {
    int link;
    jn_vec3 p; /* [m] link's frame */
    jn_mat3 E; /* link's frame */
} jn_side;

/* One element of a path; a pulley has no place. */
typedef struct jn_path_node {
    jn_path_kind kind;
    jn_side place;
    bool has_side;
    jn_side side;
    double radius, divisor;
} jn_path_node;

/* A length between places on links, with the forces that work on its rate: reach.h. */
typedef enum jn_reach_type {
    JN_REACH_PATH,     /* of a cable */
    JN_REACH_ROTATION, /* [rad] angle by which B is turned against A, 0 to pi */
    JN_REACH_WRENCH,   /* place B as seen from A, weighed by force and torque; without `measures` 0 */
    JN_REACH_CRANK,    /* how far a rod pushes a slider, which moves on A along z, when its other end is on B */
    JN_REACH_CONTACTS /* the mean approach at the contact points of a body, which a step finds: jn_adhesive; its length is 0 */
} jn_reach_type;
typedef struct jn_reach {
    jn_reach_type type;
    int handle;
    int pull, pulls;            /* its pulls in the work space, at most */
    int node, nodes;            /* path */
    jn_side A, B;               /* wrench, crank */
    jn_vec3 force, torque;      /* wrench: per unit of what acts along the length */
    bool force_on_B, turn_on_B; /* wrench: along axes of B, else of A */
    bool measures;              /* wrench */
    bool swings;                /* rotation: z of B against z of A, whatever turns about it */
    double rod;                 /* crank: [m] */
    int body;                   /* contacts */
    double range;               /* contacts: [m] gaps up to it count */
    bool of_shapes;             /* contacts: of all shapes with an adhesion, in place of a body */
} jn_reach;

/* A contact point of a body that adhesion pulls at. */
typedef struct jn_adhesive {
    int A, B;      /* links */
    uint32_t feature;
    jn_vec3 at;    /* [m] in the frame of B */
    jn_vec3 n;     /* normal from A to B, in the frame of A */
    double weight; /* 0: there are no more */
} jn_adhesive;

/* Constraint rows are made of these primitives (A: first body, B: second body, d = p_B - p_A). */
typedef enum jn_row_type {
    JN_ROW_POINT,      /* e.d = 0 with e a world axis */
    JN_ROW_POINT_ON_A, /* a.d = 0 with a fixed on A: the same, whose forces have no couple whatever is left of d */
    JN_ROW_SLIDE,      /* a.d = 0 with a fixed on A */
    JN_ROW_DIRECTION,  /* a.b = 0 with a fixed on A, b fixed on B */
    JN_ROW_DISTANCE,   /* (d.d - l^2) / 2l = 0 */
    JN_ROW_SCREW,      /* slide - pitch * angle = 0 */
    JN_ROW_ANGLE,      /* planar: angle of B against A = 0 */
    JN_ROW_DRIVER,     /* coordinate - f(t) = 0 */
    JN_ROW_COUPLER     /* sum of polynomials of coordinates - constant = 0 */
} jn_row_type;

typedef struct jn_row {
    jn_row_type type;
    int joint;        /* user's joint, -1 for a coupler */
    int a, b;         /* axis indices: world axis, column of E_A, column of E_B */
    int item;         /* driver: index in drivers; coupler: index in couplers; else closure */
    int first, count; /* columns in row_cols and values in G */
} jn_row;

/* A joint that closes a loop, or any joint whose coordinates must be measured from the poses of its bodies. */
typedef struct jn_closure {
    int joint;
    jn_joint_type type;
    jn_side A, B;
    double pitch, length;
    int path, a_count, count; /* links between A and B: path[0..a_count) on A's side, then B's; see path_links */
    int angle;                /* first of its angles in the state, which counts full turns; -1 if it has none */
    bool tilts;               /* in space with clearance: the two axes need not agree */
} jn_closure;

/* Handle of one scalar coordinate: of the tree, measured on a closure, or the length of a tendon over joints or along a path. */
typedef struct jn_handle {
    int v, q;             /* tree: velocity and coordinate index; v = -1: measured, q = -1: velocity only */
    int closure, measure; /* measured: which closure, which coordinate of it */
    int cols, count;      /* measured: sparsity of its row in row_cols */
    int term, terms;      /* tendon over joints: its terms, a handle and a factor each; terms = 0: none */
    int reach;            /* 1 + index of a length between places on links; 0: none */
} jn_handle;

/* One term of a tendon's length. */
typedef struct jn_term {
    int handle;
    double factor;
} jn_term;

typedef struct jn_tendon {
    const char *name;
    jn_where where;
    int handle;
} jn_tendon;

typedef struct jn_driver {
    int joint, coordinate, handle;
    jn_function motion;
} jn_driver;

/* sum of factor x + power[0] x^2 + power[1] x^3 + power[2] x^4 = constant, with x = coordinate - reference. */
typedef struct jn_coupler {
    int count;
    int handle[JN_COUPLER_MAX];
    double factor[JN_COUPLER_MAX], power[JN_COUPLER_MAX][3];
    double reference[JN_COUPLER_MAX]; /* length of a path as drawn */
    double constant;
    const char *name;
} jn_coupler;

/* Spring, damper, stops, friction, applied force and motor on one joint coordinate, or on a tendon. */
typedef struct jn_actuator {
    int joint; /* -1: a tendon */
    int handle;
    jn_coordinate_desc law;
    bool holds; /* it has dry friction, and no driver or coupler holds it alone */
    bool dry; /* its dry friction is a row of the nonsmooth method */
} jn_actuator;

/* One actuator of the section actuators. It acts on a coordinate that has a jn_actuator, which adds its force to the others. */
typedef struct jn_actuation {
    const char *name;
    jn_where where;
    int handle;
    double gear, offset;
    jn_function control;
    bool has_control_range, has_activation_range, has_force_range, has_total_range;
    bool joined; /* on a joint within a total range, to which actuators of tendons and at places may bring more */
    double control_range[2], activation_range[2], force_range[2], total_range[2];
    jn_activation activation;
    int state; /* place of its activation */
    double time[2], smoothing, start;
    double gain[3], bias[3], feed;
    bool is_muscle, is_elastic;
    jn_muscle_desc muscle;
    bool is_motor;
    jn_motor_desc motor;
    int temperature, bristle, current; /* places of a motor's states; -1: it has none */
} jn_actuation;

typedef struct jn_sensor {
    const char *name;
    jn_where where;
    jn_sensor_type type;
    int point, reference, handle, actuator, body, other;
    double cutoff, offset;
    jn_vec3 field;
    const char *shape[2];
    jn_shape_type zone;
    jn_vec3 zone_size;
    double lower, upper; /* range of the handle; -INFINITY, INFINITY: none */
    int count;           /* of its values */
    bool subtree[2];
    unsigned data;
    jn_contact_reduce reduce;
    int slots;
    double focal[2], resolution[2];
} jn_sensor;

/* Rigid stops of one joint coordinate, or of a tendon: unilateral rows of the nonsmooth method. */
typedef struct jn_stop {
    int joint; /* -1: a tendon */
    int handle;
    double lower, upper; /* -INFINITY, INFINITY: none */
} jn_stop;

typedef struct jn_spring {
    jn_side A, B;
    double rest, stiffness, damping, preload;
    jn_function tension;
} jn_spring;

typedef struct jn_bushing {
    jn_side A, B;
    double stiffness[6], damping[6];
} jn_bushing;

/* An ellipsoid in a fluid. */
typedef struct jn_ellipsoid {
    double axis[3];                          /* [m] semi-axes */
    double density, viscosity;               /* [kg/m^3], [Pa s] */
    double blunt, slender, turn, kutta, magnus;
    double added_mass[3], added_inertia[3]; /* [kg], [kg m^2] of the fluid that moves along */
} jn_ellipsoid;

typedef struct jn_applied {
    jn_side A, B; /* acts at B.p on B.link, the reaction on A.link */
    bool is_torque, in_body, is_drag;
    double linear[6], quadratic[6]; /* drag: along and about the axes B.E */
    jn_vec3 wind;                   /* drag: [m/s] */
    struct jn_ellipsoid *ellipsoid; /* drag: in a fluid; NULL: none */
    jn_vec3 buoyancy;               /* drag: [N] */
    jn_mat3 axes;                   /* in_body: the user's body axes in the link's frame */
    jn_function component[3];
} jn_applied;

typedef struct jn_joint {
    const char *name;
    jn_where where;
    jn_joint_type type;
    int link;       /* the link it carries, or -1 where it is a constraint */
    bool reversed;  /* the tree passes it from the second body to the first */
    int closure;    /* index, or -1 */
    int nq, nv;     /* as reported to the user */
    int handle;     /* first of nv handles */
    int row, rows;  /* its closure rows */
    int driver_row; /* first driver row, -1 if not driven; driven coordinates in order */
    jn_side A, B;   /* on both bodies */
    jn_coordinate_desc coordinate[JN_JOINT_MAX_NV]; /* initial values, laws */
} jn_joint;

typedef struct jn_body {
    const char *name;
    jn_where where;
    int link;
    bool has_velocity, has_angular_velocity;
    jn_vec3 velocity, angular_velocity;
} jn_body;

typedef struct jn_point {
    const char *name;
    jn_side side;
} jn_point;

enum { JN_M_LANES = 4 }; /* numbers of a vector: rows of M are whole multiples */
enum { JN_M_SIX = 6 };   /* velocities of a joint that leaves a tree free */

/* Where the row of the i-th of these six begins behind that of the first. */
static inline int jn_six_start(int i) { return JN_M_LANES * (i <= JN_M_LANES ? i : 2 * i - JN_M_LANES); }

/* What loops over the rows of M ask for. */
typedef struct jn_M_row {
    int start, depth; /* M_start, dof_depth */
    bool pair;        /* the velocity before is its parent, with ancestors of its own: both rows are taken together */
    int8_t place;     /* among six velocities of a joint that leaves a tree free; -1: of another joint */
    bool six;         /* the first six of its ancestors (of a pair, of both) follow each other */
} jn_M_row;

/* Pattern of the symmetric matrix [M G^T; G -eps] and of its factor, ordered for little fill. See motion/constraints/kkt.c. */
typedef struct jn_kkt_pattern {
    int n, nz, factor_nz;       /* n = nv + rows */
    int *order;                 /* (n) position -> unknown */
    int *place;                 /* (n) unknown -> position */
    int *start, *row;           /* (n+1), (nz) upper triangle by columns, permuted */
    int *from_M, *from_G;       /* (M_entries), (G_size) where each value goes in the column form */
    int *diagonal;              /* (rows) where -eps goes */
    int *parent, *factor_start; /* (n), (n+1) elimination tree and columns of L */
} jn_kkt_pattern;

/* Contact row of two materials. */
typedef struct jn_mix {
    int first, second, row;
} jn_mix;

struct jn_model {
    const char *title, *file, *text;
    uint64_t hash, motion_hash; /* as in the description */
    bool planar;
    bool flat; /* and all axes, centres and inertias lie in the plane or normal to it: motion/planar_mechanism.c */
    jn_coordinates coordinates;
    jn_vec3 gravity;
    bool weightless; /* no gravity, as the user says */
    jn_run_desc run;
    const char *not_by[JN_METHODS]; /* why it does not run by a method; NULL: it does */

    int link_count, body_count, joint_count, point_count, closure_count, row_count, handle_count, driver_count,
        coupler_count, actuator_count, spring_count, bushing_count, applied_count, signal_count, table_count,
        record_count, derived_count, input_count, expect_count, angle_count, solid_count, contact_count, contact_room,
        apart_count, mix_count, stop_count, dry_count, tendon_count, reach_count, pull_room, actuation_count, act_count,
        sensor_count, pull_spare; /* pull_spare: room behind the pulls for one length more, part of pull_room */
    bool ignore_overlaps;
    int nq, nv;
    int root_count;
    int floats; /* links of trees that do not hang on the ground by a joint which carries forces */
    int M_size; /* numbers that M takes: its rows are whole vectors */
    int M_entries; /* stored entries of M: each row holds its dof's ancestors from the root to itself */
    int G_size; /* stored entries of G */
    bool has_M; /* false where M would not fit into memory: forward dynamics by recursion only */
    bool chain; /* row k of M holds columns 0..k */

    jn_link *links;   /* (link_count) */
    int *roots;       /* (root_count) links whose parent is the ground */
    jn_body *bodies;  /* (body_count) */
    jn_joint *joints; /* (joint_count) */
    jn_point *points;
    jn_closure *closures;
    int *path_links;    /* links on the paths of the closures */
    jn_row *rows;       /* (row_count) */
    int *row_cols;      /* columns of G and of measured coordinates, ascending within a row */
    jn_handle *handles; /* (handle_count) of the joints, then of the tendons */
    jn_tendon *tendons;
    jn_term *terms;
    jn_actuation *actuations;
    jn_sensor *sensors;
    jn_reach *reaches;
    bool adheres; /* some length is of contacts */
    bool surfaces_move; /* some shape has a surface that moves by itself */
    jn_path_node *path_nodes;
    jn_driver *drivers;
    jn_coupler *couplers;
    jn_actuator *actuators;
    bool outer_actuators; /* some act on a joint of the ground, on a tendon or between places: beyond the inside of a tree */
    jn_stop *stops; /* (stop_count) only for the nonsmooth method */
    int *dry;       /* (dry_count) actuators whose dry friction is a row of the nonsmooth method */
    jn_spring *springs;
    jn_bushing *bushings;
    jn_applied *applied;
    jn_signal_desc *signals;
    int *signal_handle; /* (signal_count) of a joint's; -1: of a body's */
    jn_table *tables;
    const char **record;
    jn_derived_desc *derived;
    jn_input_desc *inputs; /* (input_count) channels that derived ones read */
    jn_expect_desc *expects;

    jn_contact_desc *contacts; /* (contact_count) names copied */
    jn_mix *mixes;             /* (mix_count) contact rows of two materials that meet */
    jn_solid *solids;          /* (solid_count) shapes, in the order of the bodies */
    int (*joined)[2];          /* (joint_count) the bodies of each joint */
    int (*apart)[2];           /* (apart_count) bodies that never touch, the smaller first, sorted */

    int *dof_link;    /* (nv) */
    int *dof_parent;  /* (nv) nearest ancestor dof, -1 at the root */
    int *dof_depth;   /* (nv) number of ancestors */
    int *M_start;     /* (nv+1) */
    jn_M_row *M_row;  /* (nv) */
    int *M_col;       /* (M_size) */
    double *q_drawn;  /* (nq) coordinates of the drawn configuration */
    double *armature; /* (nv) inertia that a velocity alone moves; NULL: none */

    struct jn_model *twin;  /* the same mechanism in relative coordinates, for assembly; NULL if this is it */
    struct jn_model *ideal; /* the mechanism without clearance, whose motion it starts with; NULL: as drawn */
    struct jn_store *store; /* memory of everything above */
    bool sparse_kkt;        /* many rows: factor the sparse KKT matrix instead of the dense Schur complement */
    double *
        M_shift; /* (nv) added to the diagonal of M in the sparse matrix, where bodies lack inertia; see kkt_sparse.c */
    jn_kkt_pattern kkt;
};

/* Name of the body of a link, for messages. */
static inline const char *jn_link_name(const jn_model *m, int link) { return m->bodies[m->links[link].body].name; }

/* Contact row for two solids: that of their bodies, else that of the materials they name, mixed where these differ, else the
 * only material; -1: they do not touch. */
int jn_model_contact_of(const jn_model *m, int solid_a, int solid_b);
/* The row of two materials that meet. */
int jn_model_mix_of(const jn_model *m, int a, int b);
/* Whether some pair of shapes falls under a row; a material that only clearance joints name has none of its own. */
bool jn_model_contact_used(const jn_model *m, int contact);

/* Whose stop it is, for messages: "joint" or "tendon", its name and its place in the file. */
const char *jn_stop_kind(const jn_stop *stop);
const char *jn_stop_name(const jn_model *m, const jn_stop *stop);
jn_where jn_stop_where(const jn_model *m, const jn_stop *stop);

/* The axes of a tree joint on its parent (in the parent's frame) or on the link itself. */
jn_mat3 jn_link_axes(const jn_link *link, bool on_child);

/* Coordinates of a joint measured from the poses of its sides, in world axes: slides and angles in the joint's order;
 * for spherical and free joints the quaternion of B against A (after the position). Returns how many. */
int jn_joint_measure(jn_joint_type type, jn_vec3 pA, const jn_mat3 *EA, jn_vec3 pB, const jn_mat3 *EB, double *out);

#endif

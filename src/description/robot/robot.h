/* A robot while it is read from URDF, MJCF, SDF or USD: bodies, joints and shapes as plain data, and what is reported about the file. The
 * readers fill it; robot_nodes.c writes it as the tree of a model file, which is then read like any other. */
#ifndef JN_DESCRIPTION_ROBOT_ROBOT_H
#define JN_DESCRIPTION_ROBOT_ROBOT_H

#include "algebra/vec3.h"
#include "description/mesh/mesh_mass.h"
#include "description/read/inertia.h"
#include "description/read/reader.h"
#include "description/robot/xml.h"

#define JN_DEGREE (M_PI / 180) /* [rad] */

/* Place of a frame in another one. */
typedef struct jn_robot_pose {
    jn_vec3 p; /* [m] */
    jn_quat q;
} jn_robot_pose;

static inline jn_robot_pose jn_robot_pose_mul(jn_robot_pose a, jn_robot_pose b) {
    return (jn_robot_pose){v3_add(a.p, q4_rotate(a.q, b.p)), q4_unit(q4_mul(a.q, b.q))};
}
static inline jn_robot_pose jn_robot_pose_inverse(jn_robot_pose a) {
    jn_quat q = q4_conj(a.q);
    return (jn_robot_pose){v3_neg(q4_rotate(q, a.p)), q};
}

typedef struct jn_robot_shape {
    jn_where where;
    const char *name; /* NULL: none */
    int body;
    jn_shape_type type; /* sphere, box, cylinder, capsule, cone, ellipsoid, plane, hull, mesh, heightfield */
    jn_vec3 size;       /* as jn_shape_desc */
    jn_vec3 at;         /* [m] in the body's frame */
    jn_quat orientation;
    const char *file; /* hull: path of its mesh, as seen from the file; NULL: it has points */
    jn_vec3 scale;
    const jn_vec3 *points; /* (point_count) of a hull or mesh */
    int point_count;
    const int (*triangles)[3]; /* (triangle_count) of a mesh, outward normals by the right-hand rule */
    int triangle_count;
    const double *heights; /* (grid[1] x grid[0]) of a height field, as jn_shape_desc */
    int grid[2];
    bool stands_in;         /* for a mesh that is missing */
    int material;           /* index of a jn_robot_material; -1: none */
    int64_t layer, touches; /* bits; -1: all */
    double adhesion, adhesion_reach; /* as jn_shape_desc */
    jn_vec3 surface_velocity, surface_rotation;
} jn_robot_shape;

typedef struct jn_robot_body {
    const char *name;
    jn_where where, inertia_where;
    int parent;          /* -1: the ground */
    jn_vec3 at;          /* [m] of its frame in the world, as drawn */
    jn_quat orientation; /* of its frame in the world, as drawn */
    double mass;
    jn_vec3 com;
    jn_sym3 inertia; /* about the com, in the body's axes */
    bool has_axes;
    jn_quat axes; /* MJCF: principal axes as the file names them, where several would do */
    bool helper;  /* massless, between two joints of one body */
    double rotor; /* MJCF: armature of its free joint: inertia without weight at the frame's origin [kg], [kg m^2] */
    bool shaped_drag; /* MJCF: a fluid acts on its geoms as ellipsoids */
    double free_damping; /* MJCF: of its free joint, [N s/m] and [N m s] */
    double lift;      /* MJCF: part of its weight that a force carries, gravcomp */
    double gap;       /* MJCF: largest gap of its geoms, across which adhesion acts [m] */
    bool mocap;       /* MJCF: a program moves it; it stands where it is drawn */
    bool still;       /* MJCF: no joint moves it, nor what carries it */
    bool moves;       /* USD: it starts with these velocities, of its centre of mass, in world axes */
    jn_vec3 velocity, angular_velocity;
    bool impossible;  /* its inertia is left as it is, though no body has it */
} jn_robot_body;

typedef struct jn_robot_joint {
    const char *name;
    jn_where where;
    jn_joint_type type;
    int body[2];      /* -1: the ground */
    jn_vec3 at, axis; /* in the world, as drawn */
    jn_vec3 axis2;    /* universal: the axis on the second body */
    double pitch;     /* screw: [m] per turn */
    bool loop, local; /* local: placed by frames */
    jn_vec3 frame_at[2], frame_axis[2], frame_axis2[2];
    bool has_lower, has_upper;
    double lower, upper; /* counted from the drawn configuration */
    double position;     /* of one coordinate at the start */
    double damping, friction, armature, stiffness, rest;
    double more_stiffness[2], more_damping[2]; /* MJCF: factors of x^2, x^3 of its spring, of v|v|, v^3 of its damper */
    double tie_time[2]; /* MJCF: time constant [s] and damping ratio of an equality */
    bool turn_held; /* of a point in a plane: a coupler holds the rotation, too */
    double cone;        /* MJCF: [rad] how far a ball joint turns; 0: without end */
    double settle[2];   /* MJCF: time constant [s] and damping ratio of springdamper; 0: none */
    double reference;   /* MJCF: what its file calls the drawn coordinate */
    bool force_limited; /* MJCF: the sum of its actuators stays within force_range */
    double force_range[2];
    int mimic; /* joint that this one follows; -1: none */
    double factor, offset;
} jn_robot_joint;

typedef struct jn_robot_coupler {
    const char *name;
    jn_where where;
    int count;
    int joint[JN_COUPLER_MAX];
    int tendon[JN_COUPLER_MAX];                               /* 1 + index, in place of the joint; 0: the joint */
    double factor[JN_COUPLER_MAX], power[JN_COUPLER_MAX][3]; /* as jn_coupler_desc */
    bool has_constant;
    double constant;
} jn_robot_coupler;

/* One element of a path. */
typedef struct jn_robot_path {
    jn_path_kind kind;
    int point;  /* point: index */
    int body;   /* sphere, cylinder */
    jn_vec3 at; /* in the body's frame */
    jn_quat orientation;
    double radius;
    int side;       /* point; -1: none */
    double divisor; /* pulley */
} jn_robot_path;

/* A cable whose length is a sum of joint coordinates or that of a path, with what acts along it. */
typedef struct jn_robot_tendon {
    const char *name;
    jn_where where;
    int count;
    int joint[JN_TENDON_MAX];
    double factor[JN_TENDON_MAX];
    jn_robot_path *path; /* (path_count) */
    int path_count;
    bool is_rotation; /* of two points: an angle */
    jn_vec3 axis;     /* rotation: between this axis of both points; zero: all rotation counts */
    bool has_lower, has_upper;
    double lower, upper; /* over joints: counted from the drawn configuration */
    double limit_stiffness, limit_damping; /* of its stops; 0: rigid */
    double limit_time[2]; /* MJCF: time constant [s] and damping ratio of its stops */
    bool drawn_rest;     /* path: the spring rests as drawn */
    double stiffness, rest, slack, damping, friction;
    double more_stiffness[2], more_damping[2]; /* as of a joint */
    double armature;    /* MJCF: [kg] inertia that its length moves */
    double reference;   /* MJCF: its length over joints as drawn */
    bool force_limited; /* MJCF: the sum of its actuators stays within force_range */
    double force_range[2];
} jn_robot_tendon;

typedef struct jn_robot_point {
    const char *name;
    jn_where where;
    int body;
    jn_vec3 at;
    jn_quat orientation; /* in the body's frame */
    jn_shape_type zone;  /* MJCF: form and size of a site, as jn_sensor_desc */
    jn_vec3 zone_size;
} jn_robot_point;

/* An actuator; joint, tendon and points of its description are indices of the robot. */
typedef struct jn_robot_actuator {
    jn_actuator_desc desc;
    int joint, tendon, point, reference; /* crank: point, slider: reference; -1: none */
    int body;                            /* adhesion; -1: the ground */
    int force_axes, torque_axes;         /* 0: as usual, 1: of the point, 2: of the reference */
    const char *control;                 /* parameter */
} jn_robot_actuator;

/* A sensor; its indices are those of the robot. */
typedef struct jn_robot_sensor {
    jn_sensor_desc desc;
    int point, reference, joint, tendon, actuator, body; /* -1: none */
    int pair[2], shape[2];                               /* bodies, -1: the ground, -2: any; shapes, -1: all of the body */
} jn_robot_sensor;

/* A spring and damper, alike in all directions, that holds two points together, or two frames as they are drawn. */
typedef struct jn_robot_tie {
    const char *name;
    jn_where where;
    int body[2];
    jn_vec3 at[2]; /* in the bodies' frames */
    double stiffness, damping;
    double turn_stiffness, turn_damping; /* [N m/rad], [N m s] */
    int joint;             /* MJCF: ball or free joint whose spring it is; -1: none */
    bool framed;           /* it rests where its frames coincide, else as drawn */
    jn_quat frame[2];      /* in the bodies' frames */
    int point[2];          /* framed: where it holds them, jn_robot_nodes */
} jn_robot_tie;

/* MJCF: a geom as an ellipsoid in the fluid. */
typedef struct jn_robot_fluid {
    jn_where where;
    int body;
    jn_vec3 at, axes; /* in the body's frame; semi-axes */
    jn_quat orientation;
    double coefficient[5];
} jn_robot_fluid;

typedef struct jn_robot_material {
    const char *name;
    jn_where where;
    double friction, restitution, spinning, rolling;
    const char *combine;       /* with another material: mean, min, max; NULL: max, as MuJoCo does */
    double stiffness, damping; /* [N/m], [N s/m] of the compliant method; 0: none */
    double slide;     /* MJCF: friction before the number of dimensions is looked at */
    int dimensions;   /* MJCF: condim */
    int priority;     /* MJCF: of two materials the higher one holds alone */
} jn_robot_material;

/* A law or a ban for the shapes of two bodies. */
typedef struct jn_robot_pair {
    jn_where where;
    int body[2];
    int material; /* -1: they never touch */
} jn_robot_pair;

typedef struct jn_robot_parameter {
    const char *name;
    jn_where where;
    double value;
} jn_robot_parameter;

/* How much a finding matters. */
typedef enum jn_finding_kind {
    JN_FINDING_NOTE,    /* the physics are the same */
    JN_FINDING_WARNING, /* look at it */
    JN_FINDING_PHYSICS, /* the physics change: an error, or a warning if the user is lenient */
    JN_FINDING_MISSING  /* the same, since a file is not there */
} jn_finding_kind;

typedef struct jn_robot_finding {
    jn_finding_kind kind;
    jn_where where;
    const char *what, *effect;
    const char **names;
    int *lines;
    int count;
} jn_robot_finding;

typedef struct jn_robot {
    jn_reader *r;
    const jn_import_options *options;
    const char *file, *title;
    const char *prefix;
    jn_robot_body *bodies;
    jn_robot_joint *joints;
    jn_robot_shape *shapes;
    jn_robot_coupler *couplers;
    jn_robot_tendon *tendons;
    jn_robot_point *points;
    jn_robot_actuator *actuators;
    jn_robot_sensor *sensors;
    jn_robot_tie *ties;
    jn_robot_fluid *fluids;
    jn_robot_material *materials;
    jn_robot_pair *pairs;
    jn_robot_parameter *parameters;
    jn_robot_finding *findings;
    int body_count, joint_count, shape_count, coupler_count, tendon_count, point_count, actuator_count, sensor_count, tie_count, fluid_count,
        material_count, pair_count, parameter_count, finding_count;
    jn_vec3 gravity, wind;      /* wind: [m/s] of the fluid around it */
    double density, viscosity;  /* [kg/m^3], [Pa s] of the fluid; 0: none */
    double step;                /* [s] */
    bool has_loops;             /* positions at the start are guesses */
    bool world_parents_collide; /* MJCF: bodies touch the ground though a joint joins them to it */
    bool joints_alone_ban;      /* USD: bodies touch those that carry them through others or are welded to such */
    jn_node spare;
} jn_robot;

/* ------------------------------------------------------------------------------------------------ robot.c */

/* One more term of a coupler; false with a message if there is no room. */
bool jn_robot_couple(jn_robot *b, jn_robot_coupler *c, int joint, double factor);
/* Room for one more item; NULL: out of memory, which has been reported. */
jn_robot_body *jn_robot_add_body(jn_robot *b, const char *name, jn_where where);
jn_robot_joint *jn_robot_add_joint(jn_robot *b, const char *name, jn_where where, jn_joint_type type, int parent,
                                   int child);
jn_robot_shape *jn_robot_add_shape(jn_robot *b, int body, jn_shape_type type, jn_where where);
jn_robot_coupler *jn_robot_add_coupler(jn_robot *b, const char *name, jn_where where);
jn_robot_tendon *jn_robot_add_tendon(jn_robot *b, const char *name, jn_where where);
jn_robot_point *jn_robot_add_point(jn_robot *b, const char *name, jn_where where, int body, jn_vec3 at);
jn_robot_actuator *jn_robot_add_actuator(jn_robot *b, const jn_actuator_desc *desc, const char *control);
jn_robot_sensor *jn_robot_add_sensor(jn_robot *b, const jn_robot_sensor *sensor);
jn_robot_tie *jn_robot_add_tie(jn_robot *b, const char *name, jn_where where);
jn_robot_fluid *jn_robot_add_fluid(jn_robot *b);
jn_robot_material *jn_robot_add_material(jn_robot *b);
jn_robot_pair *jn_robot_add_pair(jn_robot *b, int first, int second, jn_where where);
jn_robot_parameter *jn_robot_add_parameter(jn_robot *b, const char *name, double value, jn_where where);
/* A stop of the angle between two frames, given in their bodies; of one axis of them, or, where that is zero, of all rotation. Its points are called NAME_socket and
 * NAME_ball. */
bool jn_robot_add_cone(jn_robot *b, const char *name, jn_where where, const int body[2], const jn_robot_pose frame[2],
                       jn_vec3 axis, double angle);
/* Moves all that hangs on a body by a motion of the world. */
void jn_robot_carry(jn_robot *b, int from, jn_quat q, jn_vec3 p);
/* Of a body as drawn; -1: the ground. */
jn_robot_pose jn_robot_place(const jn_robot *b, int body);
int jn_robot_find_body(const jn_robot *b, const char *name); /* -1: none */
int jn_robot_find_joint(const jn_robot *b, const char *name);
/* A text of any length in the scratch memory. */
const char *jn_robot_text(jn_robot *b, const char *format, ...) JN_PRINTF(2, 3);

/* Something to tell; findings with the same `what` become one message that lists the names and lines. */
void jn_robot_find(jn_robot *b, jn_finding_kind kind, jn_where where, const char *name, const char *what,
                   const char *effect);
/* Reports a file in which nothing moves: all of it is a part of the ground. */
void jn_robot_tell_still(jn_robot *b, jn_where where);
/* All findings as messages. */
void jn_robot_tell(jn_robot *b);

/* count numbers of an attribute; false with a message if there are others. Without the attribute nothing is written: false if
 * it is `required`. */
bool jn_robot_numbers(jn_robot *b, const jn_xml *e, const char *name, int count, bool required, double *out);
/* As many numbers as there are, at most `most`; how many, -1 with a message if they are none. */
int jn_robot_list(jn_robot *b, const jn_xml *e, const char *name, int most, double *out);
bool jn_robot_vector(jn_robot *b, const jn_xml *e, const char *name, bool required, jn_vec3 *out);
/* A needed attribute; NULL with a message if it is missing or empty. */
const char *jn_robot_attribute(jn_robot *b, const jn_xml *e, const char *name);

/* ------------------------------------------------------------------------------------------- robot_mass.c */

/* robot_loops.c: whether the joints of a loop between two bodies all but move a point of it, in the world, in a plane; exactly: to round-off (may be NULL). Across the
 * plane the hinges hold it, and no exact solution has rows there where their axes are not quite parallel. After all joints of the tree. */
bool jn_robot_moves_in_plane(const jn_robot *b, int first, int second, jn_vec3 p, jn_vec3 *across, bool *exactly);
/* A point that holds on a line alone, fixed in both bodies; its places on them are set. */
void jn_robot_hold_on_line(jn_robot *b, jn_robot_joint *j, jn_vec3 along);
/* Principal moments, ascending, and axes as columns of V, by Jacobi's method. */
void jn_robot_principal(jn_sym3 inertia, double moment[3], jn_mat3 *V);
/* [kg], [kg m^2] what a revolute or prismatic joint moves as drawn: its entry on the diagonal of the mass matrix. */
double jn_robot_moved_inertia(const jn_robot *b, int joint);
/* A force of a cable with unit tension, turned round: f on a body at a place, as drawn. */
typedef struct jn_robot_pull {
    int body; /* -1: the ground */
    jn_vec3 at, f;
} jn_robot_pull;
/* [m] length of a path as drawn, and its pulls: (4 path_count) at most; NULL: not asked for. */
double jn_robot_path_length(const jn_robot *b, const jn_robot_tendon *t, jn_robot_pull *pull, int *count);
/* The lengths that a tendon without a range can have; *found: it has such, and no loop is closed. False: no memory. */
bool jn_robot_length_range(jn_robot *b, const jn_robot_tendon *t, double *range, bool *found);
/* [kg], [kg m^2] what a joint moves as drawn if all others give way, 1 / (M^-1)_ii, of several coordinates by the mean of (M^-1)_ii; (joint_count).
 * False: no memory. */
bool jn_robot_apparent_inertias(jn_robot *b, double *inertia);
/* [kg], [kg m^2] what a force and a torque on a body feel as drawn, the force at a point p of the world: by the means of J M^-1 J^T over three
 * directions. 0: nothing moves. False: no memory. */
bool jn_robot_apparent_mass_at(jn_robot *b, int body, jn_vec3 p, double *mass, double *inertia);
/* A shape at density 1, in its own axes: of a mesh as `mode` says. False with a message if it has none. */
bool jn_robot_shape_lump(jn_robot *b, const jn_robot_shape *shape, jn_mesh_mass mode, jn_lump *lump);
/* A free base without mass cannot be accelerated: it stands on the ground, as in Bullet. */
void jn_robot_hold_massless_roots(jn_robot *b);
/* Looks at all masses and inertias; mends them if the user asks for it. */
void jn_robot_check_mass(jn_robot *b);

/* ------------------------------------------------------------------------------------------- robot_mesh.c */

/* "PACKAGE/rest" in the folders of packages and above the file, as seen from it; bare: "rest" alone there, too, if the whole is nowhere. NULL:
 * there is none. */
const char *jn_robot_find_in_packages(jn_robot *b, const char *name, bool bare);
/* Path of a mesh, with package:// resolved; NULL if there is no such file. *reason: why. */
const char *jn_robot_mesh_path(jn_robot *b, const char *name, const char **reason);
/* The same, and beside the included file `asset` that names it, as seen from the file `user`, in which the shape stands. */
const char *jn_robot_mesh_path_from(jn_robot *b, const char *asset, const char *user, const char *name, const char **reason);
/* What such a reason is to the user. */
jn_finding_kind jn_robot_mesh_finding(const char *reason);
/* What to do about a mesh that is not there, and what stands in for it; name NULL: it has none. */
const char *jn_robot_mesh_advice(jn_robot *b, const char *name);
/* Makes the last shape of the robot a ball of water with the mass of its body, at its centre of mass, in place of a mesh that is
 * missing; if its body has such a ball, the shape is taken away. Returns the index of the ball. */
int jn_robot_stand_in(jn_robot *b, const jn_robot_body *body);
/* Whether all corners of a mesh lie in one plane, which is reported with the name of its body. */
bool jn_robot_mesh_is_flat(jn_robot *b, const char *path, jn_where where, jn_vec3 scale, const char *name);
/* [m] radius of a sphere that stands for a point, whose radius the file writes as 0. */
double jn_robot_point_radius(jn_robot *b, jn_where where, const char *name);
/* Corners of a mesh file, scaled; false if it cannot be read. */
bool jn_robot_mesh_read(jn_robot *b, const char *path, jn_where where, jn_vec3 scale, jn_shape_desc *shape);
/* Hulls of the shapes, by several threads, before they are read one by one. */
void jn_robot_make_hulls(jn_robot *b);

/* ------------------------------------------------------------------------------------------ robot_nodes.c */

/* The tree of a model; NULL if anything was wrong. */
jn_node *jn_robot_nodes(jn_robot *b);

/* ------------------------------------------------------------------------------------------ robot_mimic.c */

/* One joint follows another, which the element calls `other`: own = factor of + offset. A fixed one stands at 0. */
bool jn_robot_mimic(jn_robot *b, const jn_xml *e, int own, int of, const char *other, double factor, double offset);
/* Positions at the start of joints that follow others. */
void jn_robot_start_mimics(jn_robot *b);

/* -------------------------------------------------------------------------------- urdf.c, mjcf.c: readers */

bool jn_urdf_read(jn_robot *b, const jn_xml *root);
bool jn_mjcf_read(jn_robot *b, jn_xml *root);
bool jn_usd_read(jn_robot *b, const char *text, size_t length);
/* Reads a file of any kind, XML or USD, into the tree of a model. prefix: before all names, or "". */
jn_node *jn_import_read(jn_reader *r, const char *text, size_t length, const char *file,
                        const jn_import_options *options, const char *prefix);
/* Robot number `index` of the section robots of the file `from`, as the tree of a model; NULL if anything was wrong. */
jn_node *jn_import_robot(jn_reader *r, const jn_node *robots, int index, const char *from);
/* Is the text XML or USD, not YAML? */
bool jn_import_is_robot(const char *text, size_t length, const char *file);

#endif

/* What the user wrote: bodies, joints, forces and how to run, with numbers in SI, expressions resolved or compiled,
 * and the place in the file of every item. Editable until it is compiled into a jn_model. */
#ifndef JOUNCE_DESCRIPTION_H
#define JOUNCE_DESCRIPTION_H

#include <jounce/algebra.h>
#include <jounce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fixed numbers of the lists below. */
enum {
    JN_GROUND = 0,       /* index of the ground in every list of bodies */
    JN_JOINT_MAX_NV = 6, /* most velocities of one joint */
    JN_JOINT_MAX_NQ = 7  /* most coordinates of one joint */
};

/* ------------------------------------------------------------------------------------------------ joint types */

/* Joint types. A joint lets its second body move against the first. */
typedef enum jn_joint_type {
    JN_JOINT_FIXED,
    JN_JOINT_REVOLUTE,
    JN_JOINT_PRISMATIC,
    JN_JOINT_SCREW,
    JN_JOINT_CYLINDRICAL,
    JN_JOINT_UNIVERSAL,
    JN_JOINT_SPHERICAL,
    JN_JOINT_PLANAR,
    JN_JOINT_FREE,
    JN_JOINT_DISTANCE,                /* two points at a constant distance: a massless rod */
    JN_JOINT_POINT_ON_LINE,           /* a point of the second body on a line of the first */
    JN_JOINT_REVOLUTE_CLEARANCE,      /* a journal with clearance in its bearing: contact, not a constraint */
    JN_JOINT_TRANSLATIONAL_CLEARANCE, /* a block with clearance between straight guides */
    JN_JOINT_SPHERICAL_CLEARANCE,     /* a ball with clearance in its socket */
    JN_JOINT_CYLINDRICAL_CLEARANCE,   /* a round rod with clearance in its bore, free along the axis */
    JN_JOINT_TYPES
} jn_joint_type;

/* One row per joint type: the file reader, the compiler and the documentation read it. */
typedef struct jn_joint_info {
    const char *name;
    int nq, nv;            /* coordinates and velocities as a tree joint in space; 0 if it can only close loops */
    int plane_nv;          /* velocities in a planar model, -1 where the joint makes no sense in a plane */
    int rows, plane_rows;  /* constraint equations as a loop closure */
    unsigned angular;      /* bit k set: velocity k is an angle's rate [rad/s], else a length's [m/s] */
    bool needs_axis, tree; /* has an axis; can be a tree joint */
    const char *summary;   /* one line */
} jn_joint_info;

/* The row of a type. */
JN_API const jn_joint_info *jn_joint_type_info(jn_joint_type type);

/* --------------------------------------------------------------------------------------------------- bodies */

/* Types of shapes, each in a frame of its own; the comments say what its sizes mean. */
typedef enum jn_shape_type {
    JN_SHAPE_SPHERE,         /* size.x radius */
    JN_SHAPE_BOX,            /* size: edge lengths */
    JN_SHAPE_CYLINDER,       /* size.x radius, size.y length, along z */
    JN_SHAPE_CAPSULE,        /* size.x radius, size.y length of the straight part, along z */
    JN_SHAPE_CONE,           /* size.x radius of the base, size.y height, base at the origin, along z */
    JN_SHAPE_ELLIPSOID,      /* size: semi-axes */
    JN_SHAPE_SUPERELLIPSOID, /* size: semi-axes; e1, e2 */
    JN_SHAPE_TORUS,          /* size.x radius of the circle in the xy plane, size.y radius of the tube */
    JN_SHAPE_HULL,           /* convex hull of points */
    JN_SHAPE_PLANE,          /* half space below the xy plane: z is its outward normal */
    JN_SHAPE_MESH,           /* points and triangles, outward normals by the right-hand rule */
    JN_SHAPE_HEIGHTFIELD,    /* size.x, size.y edge lengths; heights over a grid in the xy plane, solid below */
    JN_SHAPE_SURFACE,        /* patch (x(u,v), y(u,v), z(u,v)); solid against s_u x s_v */
    JN_SHAPE_BORE,           /* hollow cylinder along z, touched from inside: size.x radius, size.y length, size.z
                                distance of its end walls (0: open) */
    JN_SHAPE_SOCKET,         /* hollow sphere, touched from inside: size.x radius */
    JN_SHAPE_CIRCLE,         /* planar; size.x radius */
    JN_SHAPE_RECTANGLE,      /* planar; size.x, size.y edge lengths */
    JN_SHAPE_POLYGON,        /* planar, convex; points */
    JN_SHAPE_SEGMENT,        /* planar; two points, size.x radius of its rounding */
    JN_SHAPE_HALF_PLANE,     /* planar; solid below the x axis: y is its outward normal */
    JN_SHAPE_ARC,            /* planar; hollow circle, touched from inside: size.x radius, range[0] angles */
    JN_SHAPE_TYPES
} jn_shape_type;

/* One row per type: the file reader, the compiler and the documentation read it. */
typedef struct jn_shape_info {
    const char *name;
    bool planar; /* for planar models only; has an area instead of a volume */
    bool convex;
    bool closed; /* has a volume (or an area), so that density gives a mass */
    const char *summary;
    bool drawn; /* viewers have a form of their own for it; else the scene holds its triangles */
} jn_shape_info;

JN_API const jn_shape_info *jn_shape_type_info(jn_shape_type type); /* NULL if there is no such type */

/* A solid fixed on a body. at and orientation place it in the body's frame. */
typedef struct jn_shape_desc {
    jn_where where;
    const char *name;        /* NULL: none */
    const char *contact;     /* name of a contact material; NULL: none given */
    const char *group;       /* shapes of one group never touch each other; NULL: none */
    uint32_t layer, touches; /* bits: two shapes may touch if one's touches meet the other's layer */
    jn_shape_type type;
    jn_vec3 size;       /* [m] */
    double e1, e2;      /* superellipsoid: exponents, 0 < e < 2; 1 and 1 is an ellipsoid */
    double range[2][2]; /* arc: [rad] first and last angle; surface: limits of u and v */
    jn_vec3 at;         /* [m] centre */
    jn_quat orientation;
    int point_count, triangle_count; /* polygon, segment, hull, mesh */
    jn_vec3 *points;                 /* (point_count) [m] in the shape's frame; polygon: counter-clockwise */
    int (*triangles)[3];             /* (triangle_count) hull: its faces, if known; mesh */
    int grid[2];                     /* heightfield: columns along x, rows along y */
    double *heights;                 /* (grid[1] x grid[0]) [m] row major */
    jn_function surface[3];          /* functions of u = variable JN_VAR_T and v = variable JN_VAR_V */
} jn_shape_desc;

/* A shape with all optional values at their defaults. */
JN_API jn_shape_desc jn_shape_default(jn_shape_type type);

/* The body's own frame stands at `at` with `orientation` in the drawn configuration; com, inertia, shapes and masses
 * are given in it. Without at and orientation the body's frame is the world frame: everything is given in global
 * coordinates where it is seen. */
typedef struct jn_body_desc {
    const char *name;
    jn_where where;
    jn_vec3 at;                              /* [m] */
    jn_quat orientation;                     /* default identity */
    double mass;                             /* [kg] */
    jn_vec3 com;                             /* [m] in the body's frame */
    jn_sym3 inertia;                         /* [kg m^2] about the com, body axes; zero for a point mass */
    bool has_velocity, has_angular_velocity; /* initial values given */
    jn_vec3 velocity;                        /* [m/s] of the com, world axes */
    jn_vec3 angular_velocity;                /* [rad/s] world axes */
    int shape_first, shape_count;            /* in jn_description.shapes */
} jn_body_desc;

/* A named point of a body, given in the body's frame: channels point.NAME.x ... */
typedef struct jn_point_desc {
    const char *name;
    jn_where where;
    int body;
    jn_vec3 at;          /* [m] */
    jn_quat orientation; /* of its axes, for actuators and sensors; all zero: those of the body */
} jn_point_desc;

/* --------------------------------------------------------------------------------------------------- joints */

/* Where a joint sits on one of its bodies. */
typedef struct jn_joint_frame {
    jn_vec3 at;    /* [m] */
    jn_vec3 axis;  /* unit; revolute, prismatic, ...: its axis; planar: the normal; universal: the axis on body 1 */
    jn_vec3 axis2; /* unit; universal: the axis on body 2; else any direction normal to axis, or zero for automatic */
} jn_joint_frame;

/* What is attached to one coordinate of a joint. Units follow the coordinate: [m], [N] or [rad], [N m]. */
typedef struct jn_coordinate_desc {
    bool has_position, has_speed;
    bool approximate;       /* the position is a first guess, which closing the loops may move */
    double position, speed; /* initial values; position counts from the drawn configuration */
    jn_function motion;     /* prescribed coordinate as a function of time */
    double stiffness, rest, damping;
    double slack; /* the spring is free of force from rest to rest + slack */
    bool has_lower, has_upper;
    double lower, upper, limit_stiffness, limit_damping; /* elastic stops */
    double friction, friction_speed;                     /* dry friction friction * tanh(speed / friction_speed) */
    jn_function force;                                   /* applied force or torque: function of t, x, v */
    bool has_motor;
    /* Motor: feed + kp (target - q) + kd (speed - u) on the coordinate, within what the motor behind its gear can give:
     * gear * max at rest, and (1 - gear |u| / no_load_speed) of it in the direction of the motion. */
    jn_function motor_target, motor_speed, motor_feed;
    double motor_kp, motor_kd, motor_gear;
    double motor_max, motor_no_load; /* of the motor's own axis; INFINITY if there is none */
    double motor_rotor;              /* inertia about the motor's own axis */
    double armature;                 /* [kg], [kg m^2] inertia that only this coordinate moves, beside gear^2 * rotor */
} jn_coordinate_desc;

/* A joint between two bodies. */
typedef struct jn_joint_desc {
    const char *name;
    jn_where where;
    jn_joint_type type;
    int body[2];
    bool local; /* frames are given in each body's own frame; else both in global coordinates */
    jn_joint_frame frame[2];
    double pitch; /* screw: [m] advance per turn */
    bool has_length;
    double length;           /* distance: [m]; default: as drawn */
    bool closes_loop;        /* keep out of the spanning tree */
    double bearing, journal; /* [m] clearance joints: radius of the hollow on body 1, of what turns in it on body 2 */
    double width, height;    /* [m] translational: section of the block; its length is `length` */
    double clearance, axial; /* [m] play on each side; revolute in space: clearance along the axis at each end */
    const char *contact;     /* clearance joints: name of the contact row whose law holds */
    bool loose;              /* written as a clearance joint, even if its clearance is 0 */
    jn_coordinate_desc coordinate[JN_JOINT_MAX_NV];
} jn_joint_desc;

/* Relation between joint coordinates and lengths of tendons x_k, which count from the drawn configuration: the sum of
 * factor[k] x_k + power[k][0] x_k^2 + power[k][1] x_k^3 + power[k][2] x_k^4 stays at its initial value, or at `constant`. */
enum { JN_COUPLER_MAX = 8 };
typedef struct jn_coupler_desc {
    const char *name;
    jn_where where;
    int count;
    int joint[JN_COUPLER_MAX];
    int coordinate[JN_COUPLER_MAX];
    int tendon[JN_COUPLER_MAX]; /* 1 + index of a tendon in place of the joint; 0: the joint */
    double factor[JN_COUPLER_MAX];
    double power[JN_COUPLER_MAX][3];
    bool has_constant;
    double constant;
} jn_coupler_desc;

/* What the path of a cable is made of. It starts and ends with points; a sphere or cylinder stands between two points; a pulley ends one
 * branch and starts another. */
typedef enum jn_path_kind { JN_PATH_POINT, JN_PATH_SPHERE, JN_PATH_CYLINDER, JN_PATH_PULLEY } jn_path_kind;
typedef struct jn_path_desc {
    jn_where where;
    jn_path_kind kind;
    int body;
    jn_vec3 at;          /* [m] point, centre of the sphere, or on the cylinder's axis; in the body's frame */
    jn_quat orientation; /* cylinder: its z axis is the axis of the cylinder, which has no ends; in the body's frame;
                            all zero: that of the body */
    double radius;       /* [m] */
    bool has_side;       /* the cable passes on the side of this point; if it lies inside, the cable does */
    int side_body;
    jn_vec3 side;   /* [m] in the frame of side_body */
    double divisor; /* pulley: lengths of the branch behind it count so many times less, forces in it too */
} jn_path_desc;

/* A cable. Over joints: its length is the sum of factor[k] * coordinate[k], 0 as drawn. Along a path: the length of the path. Spring, damper,
 * stops, friction and force of the law act along it; position, speed, motion, motor and armature of the law have no effect. */
enum { JN_TENDON_MAX = 32 };
typedef struct jn_tendon_desc {
    const char *name;
    jn_where where;
    int count;
    int joint[JN_TENDON_MAX];
    int coordinate[JN_TENDON_MAX];
    double factor[JN_TENDON_MAX];
    jn_path_desc *path; /* (path_count) in place of joints */
    int path_count;
    bool has_rest; /* of a path: else its length as drawn */
    jn_coordinate_desc law;
} jn_tendon_desc;

/* ------------------------------------------------------------------------------------------------ actuators */

/* What an actuator acts along. */
typedef enum jn_actuator_on {
    JN_ACTUATOR_JOINT, /* a coordinate */
    JN_ACTUATOR_TENDON,
    JN_ACTUATOR_PLACE, /* a force and a torque at a place of body[1]; their opposite acts on body[0] */
    JN_ACTUATOR_CRANK, /* a slider on body[0], along z of its place, that a rod from body[1] pushes */
    JN_ACTUATOR_ADHESION /* pulls body[1] onto what it touches: along the normals of its contact points, to equal parts */
} jn_actuator_on;

/* What stands between control and force: nothing, or a state a with a' = */
typedef enum jn_activation {
    JN_ACTIVATION_NONE,
    JN_ACTIVATION_INTEGRATOR, /* control */
    JN_ACTIVATION_FILTER,     /* (control - a) / time[0] */
    JN_ACTIVATION_MUSCLE,     /* (control - a) / T(control, a), T about time[0] upwards and time[1] downwards */
    JN_ACTIVATION_ERROR       /* control - length: the integral part of a PID controller */
} jn_activation;

/* Curves of a muscle over length and speed, in units of the length at which its fibres are strongest. */
typedef struct jn_muscle_desc {
    double lengths[2];        /* shortest and longest length of the actuator */
    double range[2];          /* what these are in those units */
    double force, scale;      /* [N] peak; negative: scale over the acceleration that a unit force gives as drawn */
    double shortest, longest; /* where the active force vanishes */
    double fastest;           /* [1/s] speed of shortening at which it does */
    double passive_force;     /* twice the passive force half way from 1 to the longest, over the peak */
    double lengthening_force; /* active force when it is pulled, over the peak */
} jn_muscle_desc;

/* An actuator: with the length l = gear (x + offset) of what it acts along its force is gain w + feed control + bias, w being the activation, or the
 * control where there is none; gear times it acts on x. */
typedef struct jn_actuator_desc {
    const char *name;
    jn_where where;
    jn_actuator_on on;
    int joint, coordinate, tendon;
    int body[2]; /* place, crank */
    jn_vec3 at[2];
    jn_quat orientation[2];                 /* of the places, in the bodies' frames; all zero: those of the bodies */
    jn_vec3 force, torque;                  /* place: per unit of force */
    bool force_on_second, torque_on_second; /* place: along axes of the place on body[1], else on body[0] */
    bool measures; /* place: x is the place on body[1] seen from that on body[0], along force and torque; else 0 */
    double rod;    /* [m] crank */
    double reach;  /* [m] adhesion: gaps up to it are pulled at, too */
    double gear, offset;
    jn_function control;
    bool has_control_range, has_activation_range, has_force_range, has_total_range;
    double control_range[2], activation_range[2], force_range[2];
    double total_range[2]; /* of the sum over all actuators of the same joint or tendon, gears included */
    jn_activation activation;
    double time[2], smoothing;  /* [s]; muscle: width of the change between both times */
    double start;               /* activation at the start */
    double gain[3], bias[3];    /* a + b l + c l' */
    double feed;                /* force per control beside the activation */
    bool is_muscle, is_elastic; /* gain and bias are those of a muscle */
    jn_muscle_desc muscle;
} jn_actuator_desc;

/* -------------------------------------------------------------------------------------------------- sensors */

/* What a sensor reads; jn_sensor_type_info says more. */
typedef enum jn_sensor_type {
    JN_SENSOR_ACCELEROMETER,
    JN_SENSOR_GYRO,
    JN_SENSOR_VELOCIMETER,
    JN_SENSOR_MAGNETOMETER,
    JN_SENSOR_FORCE,
    JN_SENSOR_TORQUE,
    JN_SENSOR_FRAME_POSITION,
    JN_SENSOR_FRAME_QUATERNION,
    JN_SENSOR_FRAME_X,
    JN_SENSOR_FRAME_Y,
    JN_SENSOR_FRAME_Z,
    JN_SENSOR_FRAME_VELOCITY,
    JN_SENSOR_FRAME_ANGULAR_VELOCITY,
    JN_SENSOR_FRAME_ACCELERATION,
    JN_SENSOR_FRAME_ANGULAR_ACCELERATION,
    JN_SENSOR_JOINT_POSITION,
    JN_SENSOR_JOINT_SPEED,
    JN_SENSOR_JOINT_ACTUATOR_FORCE,
    JN_SENSOR_TENDON_POSITION,
    JN_SENSOR_TENDON_SPEED,
    JN_SENSOR_TENDON_ACTUATOR_FORCE,
    JN_SENSOR_ACTUATOR_POSITION,
    JN_SENSOR_ACTUATOR_SPEED,
    JN_SENSOR_ACTUATOR_FORCE,
    JN_SENSOR_BALL_QUATERNION,
    JN_SENSOR_BALL_ANGULAR_VELOCITY,
    JN_SENSOR_SUBTREE_CENTRE,
    JN_SENSOR_SUBTREE_VELOCITY,
    JN_SENSOR_SUBTREE_MOMENTUM,
    JN_SENSOR_CLOCK,
    JN_SENSOR_POTENTIAL_ENERGY,
    JN_SENSOR_KINETIC_ENERGY,
    JN_SENSOR_TOUCH,
    JN_SENSOR_RANGEFINDER,
    JN_SENSOR_JOINT_LIMIT_POSITION,
    JN_SENSOR_JOINT_LIMIT_SPEED,
    JN_SENSOR_JOINT_LIMIT_FORCE,
    JN_SENSOR_TENDON_LIMIT_POSITION,
    JN_SENSOR_TENDON_LIMIT_SPEED,
    JN_SENSOR_TENDON_LIMIT_FORCE,
    JN_SENSOR_DISTANCE,
    JN_SENSOR_NORMAL,
    JN_SENSOR_FROM_TO,
    JN_SENSOR_INSIDE,
    JN_SENSOR_CAMERA,
    JN_SENSOR_CONTACT,
    JN_SENSOR_TYPES
} jn_sensor_type;

/* What it sits on: a point; a point, with or without a reference; both; a joint's coordinate, ... */
typedef enum jn_sensor_on {
    JN_SENSOR_ON_POINT,
    JN_SENSOR_ON_FRAME,
    JN_SENSOR_ON_ROTATION,
    JN_SENSOR_ON_JOINT,
    JN_SENSOR_ON_TENDON,
    JN_SENSOR_ON_ACTUATOR,
    JN_SENSOR_ON_BODY,
    JN_SENSOR_ON_NOTHING,
    JN_SENSOR_ON_ZONE,   /* a point with a zone around it */
    JN_SENSOR_ON_INSIDE, /* a point, and a reference with a zone around it */
    JN_SENSOR_ON_PAIR,   /* the shapes of two bodies */
    JN_SENSOR_ON_IMAGE,  /* a point, and a reference that is a camera */
    JN_SENSOR_ON_CONTACT /* contacts; all, or those of one or two bodies, or in a zone about a point */
} jn_sensor_on;

/* Values of a sensor, at most. */
enum { JN_SENSOR_MOST = 256 };

/* What a sensor of contacts reads of each, in this order; bits. */
typedef enum jn_contact_data {
    JN_CONTACT_FOUND = 1,    /* how many contacts match; 0 in a slot without one */
    JN_CONTACT_FORCE = 2,    /* [N] on the second body, in the contact's frame: normal, tangent, their cross product */
    JN_CONTACT_TORQUE = 4,   /* [N m] of rolling and spinning, alike */
    JN_CONTACT_GAP = 8,      /* [m] */
    JN_CONTACT_PLACE = 16,   /* [m] */
    JN_CONTACT_NORMAL = 32,  /* from the first body to the second */
    JN_CONTACT_TANGENT = 64, /* y made orthogonal to the normal; z where the normal is nearer to y than 60 degrees */
    JN_CONTACT_ALL = 127
} jn_contact_data;

/* Which contacts the slots hold: those that come first, the deepest, the most loaded, or one for the sum of all. */
typedef enum jn_contact_reduce { JN_REDUCE_NONE, JN_REDUCE_GAP, JN_REDUCE_FORCE, JN_REDUCE_SUM } jn_contact_reduce;

/* How a cutoff acts: not at all, within plus and minus it, or from above alone. */
typedef enum jn_sensor_cut { JN_SENSOR_UNCUT, JN_SENSOR_CUT, JN_SENSOR_CUT_ABOVE } jn_sensor_cut;

/* One row per type. */
typedef struct jn_sensor_info {
    const char *name;
    jn_sensor_on on;
    int count; /* of its values: 1, 2, 3, 4 of a quaternion, or 6 of two places; 0: jn_sensor_count */
    jn_sensor_cut cut;
    const char *unit, *summary;
} jn_sensor_info;
JN_API const jn_sensor_info *jn_sensor_type_info(jn_sensor_type type); /* NULL if there is no such type */

/* A sensor. Indices that its type does not use are -1. */
typedef struct jn_sensor_desc {
    const char *name;
    jn_where where;
    jn_sensor_type type;
    int point, reference, joint, coordinate, tendon, actuator, body;
    int other;     /* second body of a pair; its first is `body` */
    double cutoff; /* 0: none; of a pair: how far it looks */
    double offset; /* added to a coordinate or length */
    jn_vec3 field; /* magnetometer */
    const char *shape[2]; /* of a pair: their names; NULL: all shapes of the body */
    jn_shape_type zone;   /* sphere, box, capsule, cylinder or ellipsoid about the point or the reference, along its axes */
    jn_vec3 zone_size;    /* [m] radius; half lengths; radius and half length */
    bool subtree[2];      /* of contacts: with all that the first, the second body carries; body, other -1: any */
    unsigned data;        /* of contacts: jn_contact_data */
    jn_contact_reduce reduce;
    int slots;                      /* contacts that have values */
    double focal[2], resolution[2]; /* of a camera: [pixels] focal length, size of its image; across, down */
} jn_sensor_desc;
/* How many values it has; 0: there is no such type. */
JN_API int jn_sensor_count(const jn_sensor_desc *sensor);

/* --------------------------------------------------------------------------------------------------- forces */

/* Types of forces. */
typedef enum jn_force_type {
    JN_FORCE_SPRING,  /* between two points: stiffness, damping, or any function of x, v, t */
    JN_FORCE_BUSHING, /* six-component spring-damper between two frames that coincide as drawn */
    JN_FORCE_FORCE,   /* force vector at a point of a body */
    JN_FORCE_TORQUE,  /* torque vector on a body */
    JN_FORCE_DRAG,    /* of a fluid, linear and quadratic in the six components of a body's velocity */
    JN_FORCE_TYPES
} jn_force_type;

/* A force between two bodies, or on one of them. */
typedef struct jn_force_desc {
    const char *name;
    jn_where where;
    jn_force_type type;
    int body[2];         /* spring, bushing: between; force, torque, drag: acts on body[1], reaction on body[0] */
    bool local;          /* points are given in each body's own frame; else in global coordinates as drawn */
    jn_vec3 at[2];       /* [m] */
    jn_quat orientation; /* bushing, drag: its axes in global coordinates as drawn */
    bool has_rest;
    double rest;                        /* spring: [m]; default: length as drawn */
    double stiffness, damping, preload; /* spring: tension = preload + stiffness (l - rest) + damping l' */
    jn_function tension;                /* spring: function of t, x = l - rest, v = l'; added to the linear part */
    double stiffness6[6], damping6[6];  /* bushing: x y z [N/m], rx ry rz [N m/rad] */
    double quadratic6[6];               /* drag: x y z [N s^2/m^2], rx ry rz [N m s^2]; its linear part is damping6 */
    jn_vec3 wind;                       /* drag: [m/s] of the fluid, global */
    double density, viscosity;          /* drag: [kg/m^3], [Pa s] of the fluid, for `ellipsoid` and `volume` */
    jn_vec3 ellipsoid;                  /* drag: [m] semi-axes of an ellipsoid in the fluid; zero: none */
    double coefficient[5];              /* of it: drag of a blunt and of a slender body, of rotation; lift by Kutta and Magnus */
    double volume;                      /* drag: [m^3] of fluid that is displaced at the point: buoyancy */
    bool in_body;                       /* force, torque: components along the axes of body[1]; else world */
    jn_function component[3];
} jn_force_desc;

/* ------------------------------------------------------------------------------------------------- contacts */

enum { JN_RESTITUTIONS = 16 }; /* most coefficients of one contact */

/* How the coefficients of two materials that meet become one; of two different ways the later one here. */
typedef enum jn_combine { JN_COMBINE_MEAN, JN_COMBINE_MIN, JN_COMBINE_MAX } jn_combine;

/* A parameter that belongs to the row of a law. */
typedef struct jn_named_value {
    const char *name;
    double value;
} jn_named_value;
/* Most of them in one row of contacts. */
enum { JN_CONTACT_PARAMETERS = 12 };

/* How two bodies touch. With `between` it holds for that pair of bodies; without, it is a material that shapes name, or the one
 * for all that touch. Numbers that were not given are NaN; what a law needs is checked when the law is prepared. */
typedef struct jn_contact_desc {
    const char *name;
    jn_where where;
    bool is_pair;
    bool joined;        /* the pair touches though a joint joins it (default) */
    jn_combine combine; /* of a material with others: the geometric mean, the smaller or the larger coefficient */
    int body[2];
    const char *law;            /* normal force law by name; NULL: the default */
    double stiffness, exponent; /* [N/m^n], n */
    double stiffness_power;     /* n of the unit N/m^n that the stiffness was written in; NAN: without a unit */
    double restitution;         /* of impact events after the last one listed */
    double restitutions
        [JN_RESTITUTIONS]; /* impact: of the impact events of a collision in turn, the last one for all others */
    int restitution_count; /* 0: none is given */
    double tangential_restitution; /* nonsmooth and impact */
    bool exact;                    /* choose the damping that does return the coefficient */
    bool attraction;
    double damping, mass, speed_floor;               /* [N s/m], [kg], [m/s] */
    double young[2], poisson[2];                     /* [Pa], 1: of the first and of the second body */
    const char *line;                                /* law of cylinders that touch along a line, by name; NULL: none */
    double length;                                   /* [m] of that line; NaN: that of the clearance joint */
    const char *friction_law;                        /* NULL: none, or coulomb if a coefficient is given */
    double friction, stick;                          /* coefficients of sliding and sticking */
    jn_named_value parameter[JN_CONTACT_PARAMETERS]; /* of the friction law, by name */
    int parameter_count;
    bool rolls; /* friction only across `roll`: a wheel whose rollers turn freely */
    jn_vec3
        roll; /* unit; axis of that wheel, the second body of the pair, as drawn (in its link's frame once compiled) */
    double rolling, spinning, resistance_speed; /* [m], [m], [rad/s] */
    double delta_max;                           /* [m] deepest start of a contact; NaN: automatic */
    int joint;                                  /* the clearance joint that it belongs to; -1: none */
} jn_contact_desc;

/* A contact of which nothing is said yet. */
JN_API jn_contact_desc jn_contact_default(const char *name);
/* Gives a parameter of the friction law by its name, as the law's row has it; the text must outlive the contact. The last value
 * holds. JN_ERR_LIMIT: there are too many. */
JN_API int jn_contact_set_parameter(jn_contact_desc *contact, const char *name, double value);

/* A joint coordinate or velocity, or a body's place or velocity, that functions read: variable JN_VAR_SIGNAL + its index. */
typedef struct jn_signal_desc {
    int joint, coordinate; /* of a body: x, y, z of its centre of mass, then its angular velocity about them */
    bool speed;            /* the velocity instead of the coordinate */
    int body;              /* 0: a joint's */
} jn_signal_desc;

/* ------------------------------------------------------------------------------------------------ how to run */

/* Which coordinates the motion is computed in: those of a tree of joints, or of every body. */
typedef enum jn_coordinates { JN_COORDINATES_RELATIVE, JN_COORDINATES_ABSOLUTE } jn_coordinates;
/* What a run computes. */
typedef enum jn_analysis {
    JN_ANALYSIS_DYNAMIC,
    JN_ANALYSIS_KINEMATIC,
    JN_ANALYSIS_INVERSE,
    JN_ANALYSIS_EQUILIBRIUM,
    JN_ANALYSIS_MODES
} jn_analysis;
/* How contacts enter the equations. */
typedef enum jn_method {
    JN_METHOD_SMOOTH,
    JN_METHOD_COMPLIANT,
    JN_METHOD_NONSMOOTH,
    JN_METHOD_IMPACT,
    JN_METHODS
} jn_method;
/* Integrators of smooth motion and of the compliant method. */
typedef enum jn_integrator {
    JN_INTEGRATOR_EULER,   /* semi-implicit, one evaluation per step */
    JN_INTEGRATOR_VERLET,  /* symmetric second order (Stoermer-Verlet, RATTLE for constraints) */
    JN_INTEGRATOR_RK4,     /* classical, fixed step */
    JN_INTEGRATOR_DOPRI45, /* Dormand-Prince, adaptive */
    JN_INTEGRATOR_ADAMS,   /* CVODE */
    JN_INTEGRATOR_BDF,     /* CVODE */
    JN_INTEGRATOR_AUTO /* dopri45; with compliant contacts bdf where stability limits its steps, until nothing is in contact */
} jn_integrator;
/* One row per integrator: the file reader's keywords, `jounce laws` and the documentation come from here. */
typedef struct jn_integrator_info {
    const char *name;
    int order;     /* 0: variable */
    bool adaptive; /* else it needs run.step */
    const char *summary;
    bool multistep;  /* keeps a history, which an event ends */
    bool stiff;      /* solves linear systems with a Jacobian */
    bool symplectic; /* advances positions and velocities in turn; not for method impact */
    bool projects;   /* meets constraints at every step by itself */
} jn_integrator_info;
JN_API const jn_integrator_info *jn_integrator_get_info(jn_integrator integrator); /* NULL if there is none */
/* What keeps the constraints of positions and velocities. */
typedef enum jn_stabilise {
    JN_STABILISE_PROJECTION,
    JN_STABILISE_BAUMGARTE,
    JN_STABILISE_NONE,
    JN_STABILISE_PENALTY,                /* forces instead of constraints */
    JN_STABILISE_AUGMENTED_LAGRANGIAN,   /* the same, repeated until the accelerations meet them */
    JN_STABILISE_COORDINATE_PARTITIONING /* dependent coordinates follow the others */
} jn_stabilise;

/* How the nonsmooth method steps. */
typedef enum jn_scheme {
    JN_SCHEME_MOMENTUM_LEAPFROG,
    JN_SCHEME_MOREAU_JEAN,
    JN_SCHEME_MOREAU_MIDPOINT,
    JN_SCHEME_LEAST_CONSTRAINT
} jn_scheme;

/* Where moreau_jean takes the terms of the equations: in the middle of a step or at its end. */
typedef enum jn_terms { JN_TERMS_MIDDLE, JN_TERMS_END } jn_terms;

/* How the start of a contact is found within a step of the compliant method. */
typedef enum jn_contact_start_kind {
    JN_CONTACT_START_ROOT,
    JN_CONTACT_START_INTERPOLATE,
    JN_CONTACT_START_REJECT,
    JN_CONTACT_START_NONE
} jn_contact_start_kind;

/* Where clearance joints start. */
typedef enum jn_start_kind {
    JN_START_DRAWN, /* as drawn, with the velocities that are given */
    JN_START_IDEAL  /* with the velocities of the mechanism without clearance */
} jn_start_kind;

/* Impact laws, in the order of their table; jounce/reaction.h says what they are. */
typedef enum jn_impact_kind {
    JN_IMPACT_NEWTON,       /* one point after another: v_N+ = -e v_N- */
    JN_IMPACT_POISSON,      /* p_N+ = (1 + e) p_N at the end of compression */
    JN_IMPACT_STRONGE,      /* W_N+ = (1 - e^2) W_N at the end of compression */
    JN_IMPACT_SIMULTANEOUS, /* all points at once, rows between points of a body, global energetic coefficient */
    JN_IMPACT_SEQUENTIAL,   /* pairs in turn, in the order of the contacts */
    JN_IMPACT_MOREAU,       /* one complementarity problem, Newton's coefficient */
    JN_IMPACT_POISSON_LCP,  /* two of them, Poisson's coefficient */
    JN_IMPACT_LZB,          /* impulses distributed by the energies stored in contact stiffnesses */
    JN_IMPACT_STAGED,       /* points that approach compress and expand together, stage after stage; the default */
    JN_IMPACT_KINDS
} jn_impact_kind;

/* How the rows between points of one body take normal impulses: with their true directions, or with the magnitudes of the
 * dissertation. */
typedef enum jn_impact_rows { JN_IMPACT_CONSISTENT, JN_IMPACT_MAGNITUDE } jn_impact_rows;
/* What the coefficient of `simultaneous` refers to: the work of the normal impulses [Rodriguez2014, eq. 4.14], or the part of
 * the kinetic energy with normal velocities [Rodriguez2014, eq. 4.7], which reproduces printed numbers and may gain energy. */
typedef enum jn_impact_work { JN_IMPACT_NORMAL, JN_IMPACT_KINETIC_SPLIT } jn_impact_work;

/* How to run a model. */
typedef struct jn_run_desc {
    jn_analysis analysis;
    jn_method method;
    jn_integrator integrator;
    jn_stabilise stabilise;
    double until;              /* [s] */
    double step;               /* [s] fixed step; first step of the adaptive ones, 0 = automatic */
    double max_step;           /* [s] 0 = none */
    double relative_tolerance; /* of the adaptive integrators */
    double absolute_tolerance;
    double baumgarte_alpha, baumgarte_beta; /* [1/s] */
    jn_contact_start_kind contact_start;
    double min_step;     /* [s] a contact that begins too deep is not sought with shorter steps; 0 = round-off */
    double impact_steps; /* least number of steps in an impact of the compliant method; 0 = any */
    jn_scheme scheme;    /* of the nonsmooth method */
    double theta;        /* moreau_jean: 1/2 midpoint rule ... 1 implicit Euler */
    jn_terms terms;      /* moreau_jean: where M, h and W are taken */
    bool adapt;          /* moreau_jean: steps end where contacts close */
    bool sleep;          /* momentum_leapfrog: a system at rest is not solved again */
    double order;        /* momentum_leapfrog: of steps in which nothing is near, 2 or 4 */
    double iterations;   /* most evaluations of a step; 0 = until it is solved */
    const char *solver;  /* of the contact problem; NULL: automatic */
    double residual;     /* [m/s] speed error of the contact problem; 0 = automatic */
    bool save_hard;      /* contact problems that need a second solver go into files */
    double penetration;  /* [m] momentum_leapfrog: segments that would end deeper aim higher; 0 = automatic */
    double
        overlap; /* [m] compliant: shapes may overlap so deep at the start; the force of the contact acts from there on */
    jn_start_kind start;      /* where clearance joints start */
    bool settle;              /* start ideal: with the positions of the mechanism without clearance, too */
    const char *start_folder; /* results of another run, where this one begins; NULL: none */
    double start_time;        /* [s] of that run; NAN: its end */
    jn_where start_where;
    jn_impact_kind impact_law; /* impact: how impulses are found */
    jn_impact_rows impact_rows;
    jn_impact_work impact_work;
    jn_impact_kind impact_binary; /* law of one point in `sequential` */
    double impact_events; /* stop the run after so many impact events of a collision; 0 = go on until none approaches */
    double impact_tolerance;    /* relative, of the integration over impulses; 0 = automatic */
    bool bi_stiffness;          /* lzb: a stiffer way back */
    double rest_time;           /* [s] impacts of a contact closer than this end in rest; 0 = automatic */
    double knot_step;           /* [s] impact: nonsmooth step past a knot of events; 0 = automatic */
    double record_every;        /* [s] 0 = every step (fixed) or 1000 rows */
    bool record_csv;            /* write series.csv */
    int record_compression;     /* of result.h5: 0 none, 1 to 9 deflate, as zlib counts */
    bool record_float32;        /* channels of result.h5 in single precision */
    bool record_each_step;      /* a row after each step of an adaptive integrator, which then ends none for a row */
    double energy_tolerance;    /* audit: |residual| / largest energy; 0 = automatic */
    double momentum_tolerance;  /* audit: |residual| / largest momentum, linear and angular; 0 = automatic */
    double violation_tolerance; /* audit: largest constraint violation; 0 = automatic */
    jn_where integrator_where, max_step_where, contact_start_where,
        impact_steps_where; /* where keys are; line 0: not given */
    jn_where solver_where, theta_where, adapt_where, method_where;
} jn_run_desc;

/* All values at their defaults. */
JN_API jn_run_desc jn_run_default(void);

/* Which instant an expectation is about. */
typedef enum jn_expect_at {
    JN_EXPECT_TIME,
    JN_EXPECT_LAST,
    JN_EXPECT_MIN,
    JN_EXPECT_MAX,
    JN_EXPECT_MEAN, /* over time */
    JN_EXPECT_EVENT
} jn_expect_at;

/* One expectation of a model file about its own result. */
typedef struct jn_expect_desc {
    jn_where where;
    bool has_method;     /* the row holds for one method alone */
    int method;          /* jn_method */
    bool has_scheme;     /* and for one scheme of the nonsmooth method */
    int scheme;          /* jn_scheme */
    const char *channel; /* a series channel, or a number of the summary such as audit.energy_residual */
    jn_expect_at at;
    double time;       /* JN_EXPECT_TIME */
    double from;       /* [s] MIN, MAX, MEAN: look from here on */
    const char *event; /* JN_EXPECT_EVENT: kind of event, its nth occurrence, and what to look at: its time */
    int event_nth;     /* 1 = first */
    bool has_value, has_below, has_above;
    double value, within; /* |result - value| <= within */
    bool relative;        /* within is a fraction of |value| */
    double below, above;
    const char *source; /* where the number comes from */
} jn_expect_desc;

/* A channel computed from others, called derived.NAME. Its variables are t and, from JN_VAR_SIGNAL on, the inputs. */
typedef struct jn_derived_desc {
    const char *name;
    jn_function value;
} jn_derived_desc;

/* A channel that derived ones read, and where its name stands first. */
typedef struct jn_input_desc {
    const char *channel;
    jn_where where;
} jn_input_desc;

/* ------------------------------------------------------------------------------------------- the whole of it */

/* A parameter of the model file with the value it has here. */
typedef struct jn_parameter_desc {
    const char *name;
    jn_where where;
    double value;     /* SI; NaN where it is a word or a list */
    const char *unit; /* SI unit of its value, as "m" or "kg*m^2"; "" where none is known */
    const char *text; /* the word; NULL: a number, or a list */
} jn_parameter_desc;

/* The description of a model. Its lists belong to it; change them by the add functions. */
typedef struct jn_description {
    const char *title, *file;
    const char *text; /* the model file as read, for the record; NULL if made by a program */
    uint64_t hash;    /* of all files read and of the values set from outside */
    uint64_t
        motion_hash; /* the same of what decides the motion: without title, record, expect, not_by, run.start and run.until; 0: unknown */
    bool planar;          /* motion in the xy plane */
    jn_vec3 gravity;      /* [m/s^2] */
    bool weightless;      /* written 'gravity: none': zero is meant */
    bool ignore_overlaps; /* bodies that overlap at the start never touch each other; else that is an error */
    jn_coordinates coordinates;
    jn_body_desc *bodies; /* [0] is the ground */
    jn_joint_desc *joints;
    jn_coupler_desc *couplers;
    jn_tendon_desc *tendons;
    jn_actuator_desc *actuators;
    jn_sensor_desc *sensors;
    jn_force_desc *forces;
    jn_point_desc *points;
    jn_shape_desc *shapes;
    jn_contact_desc *contacts;
    int (*no_contact)[2]; /* pairs of bodies that never touch */
    jn_signal_desc *signals;
    jn_table *tables;
    jn_expect_desc *expects;
    const char **record; /* channel patterns with *; none = all */
    jn_derived_desc *derived;
    jn_input_desc *inputs;         /* of the derived channels */
    jn_parameter_desc *parameters; /* in the order of the file */
    int parameter_count;
    int body_count, joint_count, coupler_count, tendon_count, actuator_count, sensor_count, force_count, point_count,
        shape_count, signal_count, table_count, expect_count, record_count, derived_count, input_count, contact_count,
        no_contact_count;
    jn_run_desc run;
    const char *not_by[JN_METHODS]; /* why the model does not run by a method; NULL: it does */
    struct jn_store *store;         /* memory of everything above */
} jn_description;

/* A value given from outside, as --set does: name of a parameter, or path such as "run.step". */
typedef struct jn_setting {
    const char *name, *value;
} jn_setting;

/* Reads a model file (YAML or JSON), or a robot's (URDF or MJCF, see docs/import.md). NULL on error; the report, which may be NULL, is cleared first and then holds all
 * messages, warnings too. */
JN_API jn_description *jn_description_read(const char *path, const jn_setting *settings, int setting_count,
                                           jn_report *report);
/* The same from memory; name stands for the file in messages and for the folder of includes. */
JN_API jn_description *jn_description_parse(const char *text, size_t length, const char *name,
                                            const jn_setting *settings, int setting_count, jn_report *report);

/* Building by program. The add functions copy the item (and its name) and return its index, or a negative status. */
JN_API jn_description *jn_description_create(void);
JN_API void jn_description_free(jn_description *description);
JN_API jn_body_desc jn_body_default(const char *name);
JN_API jn_joint_desc jn_joint_default(const char *name, jn_joint_type type);
JN_API jn_tendon_desc jn_tendon_default(const char *name);
JN_API jn_actuator_desc jn_actuator_default(const char *name); /* on a joint, gear and gain 1 */
JN_API jn_force_desc jn_force_default(const char *name, jn_force_type type);
JN_API int jn_description_add_body(jn_description *description, const jn_body_desc *body);
JN_API int jn_description_add_joint(jn_description *description, const jn_joint_desc *joint);
JN_API int jn_description_add_force(jn_description *description, const jn_force_desc *force);
JN_API int jn_description_add_contact(jn_description *description, const jn_contact_desc *contact);
JN_API int jn_description_add_point(jn_description *description, const jn_point_desc *point);
JN_API int jn_description_add_tendon(jn_description *description, const jn_tendon_desc *tendon);
JN_API int jn_description_add_actuator(jn_description *description, const jn_actuator_desc *actuator);
JN_API jn_sensor_desc jn_sensor_default(const char *name, jn_sensor_type type);
JN_API int jn_description_add_sensor(jn_description *description, const jn_sensor_desc *sensor);
JN_API int jn_description_add_coupler(jn_description *description, const jn_coupler_desc *coupler);
/* Fixes a shape on a body; points, heights and texts are copied. Does not change the body's mass. Shapes are kept in the
 * order of their bodies, so the index returned may move when shapes of earlier bodies are added. */
JN_API int jn_description_add_shape(jn_description *description, int body, const jn_shape_desc *shape);
/* Compiles an expression of t (and x, v) for use in a description; its memory belongs to the description. */
JN_API jn_function jn_description_function(jn_description *description, const char *expression, jn_report *report);

/* The JSON Schema of the model file, made from the reader's tables. Caller frees. */
JN_API char *jn_description_schema(void);

#ifdef __cplusplus
}
#endif

#endif

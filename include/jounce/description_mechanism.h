/* What a mechanism is made of: joints, bodies with their shapes, couplers and tendons, as the user wrote them. */
#ifndef JOUNCE_DESCRIPTION_MECHANISM_H
#define JOUNCE_DESCRIPTION_MECHANISM_H

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
    double adhesion;         /* [N] with which each of its contact points pulls; those of two shapes add up */
    double adhesion_reach;   /* [m] gaps up to it are pulled at, too; of two shapes the larger one */
    jn_vec3 surface_velocity, surface_rotation; /* [m/s], [rad/s] in the shape's axes, about its origin: its surface moves while the shape stands */
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
    jn_quat
        orientation; /* of a rotation's point; cylinder: its z axis is the axis of the cylinder, which has no ends; in the body's frame;
                            all zero: that of the body */
    double radius;       /* [m] */
    bool has_side;       /* the cable passes on the side of this point; if it lies inside, the cable does */
    int side_body;
    jn_vec3 side;   /* [m] in the frame of side_body */
    double divisor; /* pulley: lengths of the branch behind it count so many times less, forces in it too */
} jn_path_desc;

/* A cable. Over joints: its length is the sum of factor[k] * coordinate[k], 0 as drawn. Along a path: the length of the path, or the angle between the axes of its two points. Spring, damper,
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
    bool is_rotation; /* of a path of two points: the length is the angle between their axes, */
    bool is_swing;    /* or between their z axes alone */
    bool has_rest; /* of a path: else its length as drawn */
    jn_coordinate_desc law;
} jn_tendon_desc;

#ifdef __cplusplus
}
#endif

#endif

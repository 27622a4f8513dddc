/* Actuators and sensors, as the user wrote them. */
#ifndef JOUNCE_DESCRIPTION_DEVICES_H
#define JOUNCE_DESCRIPTION_DEVICES_H

#include <jounce/description_mechanism.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* A DC motor between what an actuator asks for and its force. With the current i, the winding's rise of temperature T above that around it, and
 * the deflection z of the bristles its force is K i, within the actuator's force range, + A sin(N l + phase) - s0 z - s1 z', and
 *     L i' = V - R i - K l',  R = resistance (1 + coefficient (T + ambient - reference)),  capacity T' = R i^2 - T / thermal resistance,
 *     z' = l' - s0 |l'| z / g(l'),  g = coulomb + (stick - coulomb) exp(-(l' / stribeck)^2). */
typedef struct jn_motor_desc {
    double constant;   /* [N m/A], [V s/rad] K; 0: no current */
    double resistance; /* [Ohm] at the reference temperature */
    bool by_voltage;   /* the actuator asks for the voltage V; else for a force, V = R/K force + K l' */
    double voltage;    /* [V] largest; 0: no bound */
    double inductance; /* [H] L; 0: the current follows at once */
    double current_rate;                                                         /* [A/s] largest; 0: no bound */
    double thermal_resistance, heat_capacity;                                    /* [K/W], [J/K]; 0: it does not warm up */
    double temperature_coefficient, reference_temperature, ambient_temperature; /* [1/K], [deg C] */
    double cogging[3];                                                           /* amplitude A, periods N per radian times 2 pi, phase */
    double bristle_stiffness, bristle_damping;                                   /* s0, s1; s0 = 0: no such friction */
    double coulomb, stick, stribeck_speed;                                       /* friction in fast and in slow motion, and the speed between */
} jn_motor_desc;

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
    bool
        of_shapes; /* adhesion: pulls at all contact points of shapes that have an adhesion, with that times its force */
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
    bool is_motor; /* gain, bias and control say what a motor is asked for */
    jn_motor_desc motor;
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

#ifdef __cplusplus
}
#endif

#endif

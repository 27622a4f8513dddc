/* What the user wrote: bodies, joints, forces and how to run, with numbers in SI, expressions resolved or compiled,
 * and the place in the file of every item. Editable until it is compiled into a jn_model. */
#ifndef JOUNCE_DESCRIPTION_H
#define JOUNCE_DESCRIPTION_H

#include <jounce/description_devices.h>
#include <jounce/description_mechanism.h>
#include <jounce/description_run.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    bool framed;         /* bushing: its axes on each body are `frame`, else they coincide as drawn */
    jn_quat frame[2];    /* in the bodies' frames */
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
    bool ignore_overlaps; /* bodies that overlap at the start never touch each other, free ones in the ground are lifted; else that is an error */
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

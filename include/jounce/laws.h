/* Contact laws of the compliant method: normal force from indentation, friction from slip, resistance to rolling.
 *
 * Each law is one row of a table: the file reader, `jounce laws` and the documentation read the rows. Parameters are
 * checked and prepared once per pair; the evaluations below cost a few powers or exponentials, allocate nothing and
 * keep no state of their own. SI units. */
#ifndef JOUNCE_LAWS_H
#define JOUNCE_LAWS_H

#include <jounce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One parameter of a law. Its value is a double in the law's parameter struct, NaN where it is not given. */
typedef struct jn_law_parameter {
    const char *name, *unit; /* unit in SI, "1" for a pure number */
    bool required;
    double fallback;    /* NaN: none, doc says what happens then */
    double least, most; /* range; most may be INFINITY */
    bool open;          /* least itself is excluded */
    size_t offset;
    const char *doc, *example; /* as in a model file: "v0: 1 mm/s" */
} jn_law_parameter;

/* Sets a parameter by its name; false: the law has none of that name. rows: of the law; values: its parameter struct. */
JN_API bool jn_law_set(const jn_law_parameter *rows, void *values, const char *name, double value);

/* ------------------------------------------------------------------------------------------- elastic indentation */

/* Laws of elastic indentation. */
typedef enum jn_elastic_kind {
    JN_ELASTIC_POWER,   /* F = K d^n: Hooke, Hertz */
    JN_ELASTIC_JOHNSON, /* cylinders that touch along a line, after Johnson [Pereira2011] */
    JN_ELASTIC_ESDU,    /* cylinders that touch along a line, after ESDU-78035 [Pereira2011] */
    JN_ELASTIC_KINDS
} jn_elastic_kind;

/* Elastic force of an indentation. Made by the functions below. */
typedef struct jn_elastic {
    jn_elastic_kind kind;
    double K, n;         /* [N/m^n] power law */
    double force, depth; /* [N], [m] line contact: units of force and depth in which the law is x (c - ln x) */
    double limit;        /* [m] depth up to which the law holds; beyond it goes on along its tangent */
} jn_elastic;

/* What an indentation gives. */
typedef struct jn_elastic_value {
    double f, slope, energy; /* [N], [N/m], [J] = integral of f */
} jn_elastic_value;

/* F = stiffness d^exponent. */
JN_API jn_elastic jn_elastic_power(double stiffness, double exponent);
/* Parallel cylinders. compliance: (1-nu_i^2)/E_i + (1-nu_j^2)/E_j [1/Pa]; radii [m], negative for the bearing (the
 * hollow one); length [m]. Internal contact uses R_i - R_j, external R_i + R_j. JN_ERR_ARGUMENT if the sum of the
 * curvatures is not positive. */
JN_API int jn_elastic_cylinder(jn_elastic_kind kind, double compliance, double radius_i, double radius_j, double length,
                        jn_elastic *out);
/* The same from the units of the law: force over depth [N/m] and depth [m]. */
JN_API jn_elastic jn_elastic_line(jn_elastic_kind kind, double slope, double depth);
/* Force, slope and energy at a depth; zero for depth <= 0. Line contact: about 5 Newton steps. */
JN_API jn_elastic_value jn_elastic_eval(const jn_elastic *elastic, double depth);
/* Depth at which an energy is stored. */
JN_API double jn_elastic_depth(const jn_elastic *elastic, double energy);

/* One row per law of cylinders that touch along a line. */
typedef struct jn_line_info {
    const char *name, *summary, *source, *place;
    jn_elastic_kind kind;
} jn_line_info;

JN_API const jn_line_info *jn_line_get_info(int index);    /* NULL beyond the last */
JN_API const jn_line_info *jn_line_find(const char *name); /* NULL if there is none */

/* sigma_i + sigma_j of [Rodrigues2024, eq. 40], [1/Pa]. An infinite modulus is a rigid body. */
JN_API double jn_contact_compliance(double young_i, double poisson_i, double young_j, double poisson_j);
/* Stiffness K [N/m^1.5] of two spheres [Rodrigues2024, eq. 39]; INFINITY is a plane, negative a concave surface.
 * NaN if the curvatures do not add to something positive (the surfaces conform). */
JN_API double jn_hertz_stiffness(double compliance, double radius_i, double radius_j);
/* The same for surfaces with two principal curvatures each, [1/m], convex positive, and the angle [rad] between the
 * directions of the first ones. Exact, with complete elliptic integrals [Johnson1985, section 4.2]. NaN if the
 * surfaces conform or touch along a line. */
JN_API double jn_hertz_stiffness_elliptic(double compliance, const double curvature_i[2], const double curvature_j[2],
                                   double angle);

/* --------------------------------------------------------------------------------------------------- normal laws */

/* What a user may say about a normal law; NaN where nothing was said. Start with jn_normal_default(). */
typedef struct jn_normal_parameters {
    double stiffness;   /* [N/m^n] of the power law */
    double exponent;    /* n */
    double restitution; /* coefficient asked for */
    double damping;     /* [N s/m] linear damper */
    double mass;        /* [kg] reduced mass of the pair, where a linear damper follows from the restitution */
    double speed_floor; /* [m/s] smallest impact speed that damping refers to */
    bool exact;         /* choose the damping that does return the coefficient */
    bool attraction;    /* let the force become negative */
    jn_elastic elastic; /* line contact in place of the power law if its kind is not JN_ELASTIC_POWER */
} jn_normal_parameters;

typedef struct jn_normal_info jn_normal_info;

/* A law ready for evaluation. Plain data, may be copied. */
typedef struct jn_normal_law {
    const jn_normal_info *info;
    jn_elastic elastic;
    double chi;         /* f = F(d) (1 + chi d'/v0) */
    double damping;     /* [N s/m] f = F(d) + damping d' */
    double speed_floor; /* [m/s] */
    double restitution; /* asked for; NaN if nothing was */
    bool attraction;
} jn_normal_law;

/* What a normal law gives at an instant. */
typedef struct jn_normal_force {
    double f;           /* [N] pushes the bodies apart; >= 0 unless attraction */
    double elastic;     /* [N] elastic part */
    double energy;      /* [J] stored: integral of the elastic part over the depth */
    double dissipation; /* [W] (f - elastic) d', >= 0: d(energy)/dt + dissipation = f d' */
    double f_depth;     /* [N/m] df/dd */
    double f_rate;      /* [N s/m] df/dd' */
} jn_normal_force;

/* One row per law. */
struct jn_normal_info {
    const char *name, *summary;
    const char *source, *place;         /* key in docs/references.bib, and where in it */
    const jn_law_parameter *parameters; /* ends with name NULL */
    bool linear;                        /* exponent is 1 whatever is said */
    /* Damping from the coefficient of restitution; NULL: none. */
    double (*chi)(double restitution);
    double (*damping)(const jn_normal_parameters *p, double stiffness);
    void (*force)(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out);
};

JN_API const jn_normal_info *jn_normal_get_info(int index);    /* in the order of the table; NULL beyond the last */
JN_API const jn_normal_info *jn_normal_find(const char *name); /* NULL if there is none */
/* Nothing said: every parameter NaN. */
JN_API jn_normal_parameters jn_normal_default(void);
/* Checks the parameters and computes the damping. JN_OK, or < 0 with a message that says what to write. */
JN_API int jn_normal_prepare(const jn_normal_info *info, const jn_normal_parameters *p, jn_where where, jn_report *report,
                      jn_normal_law *law);

/* Force at depth d [m] and rate d' [m/s] (> 0 while the bodies approach). speed: d' at the start of this contact; its
 * magnitude is floored here. depth <= 0 gives zero. Keep the speed per contact from the instant it closes until it
 * opens. One call of the law's own function, no allocation. */
JN_API void jn_normal_eval(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out);

/* One mass m [kg] that hits a fixed surface at speed v [m/s] under this law alone. */
typedef struct jn_collision {
    double compression; /* [s] until the greatest depth */
    double duration;    /* [s] until the force ends */
    double release;     /* [s] until the depth is zero: later than duration where a force was cut off at zero */
    double max_depth;   /* [m] */
    double max_force;   /* [N] */
    double restitution; /* speed at the end over v */
} jn_collision;

/* Closed forms; the durations of laws with hysteresis by quadrature (relative error about 1e-13). O(1000) powers. */
JN_API int jn_law_collision(const jn_normal_law *law, double mass, double speed, jn_collision *out);
/* Restitution that comes out of the law, which for most laws is not the one that was put in [Rodrigues2024]. mass is
 * used by linear dampers only. */
JN_API double jn_law_output_restitution(const jn_normal_law *law, double mass);
/* Relation between damping and restitution of f = F(d)(1 + chi d'/v0), whatever F, mass and speed:
 * 1 + e = ln[(1 + chi)/(1 - chi e)]/chi. Bisection to the last bit. */
JN_API double jn_chi_from_restitution(double restitution); /* 0 < e <= 1; INFINITY for 0 */
JN_API double jn_restitution_from_chi(double chi);         /* chi >= 0 */

/* ------------------------------------------------------------------------------------------------- friction laws */

/* Most states of a friction law. */
enum { JN_FRICTION_MAX_STATES = 3 };
/* Most parameters of a law beyond those that have a name below. */
enum { JN_LAW_OWN = 8 };

/* What a user may say about friction; NaN where nothing was said. Start with jn_friction_default(). */
typedef struct jn_friction_parameters {
    double dynamic, stick;         /* coefficients of sliding and of sticking friction */
    double v0, v1;                 /* [m/s] speeds of regularisation */
    double xi;                     /* [s/m] decay from stick to dynamic (bengisu_akay) */
    double stribeck;               /* [m/s] Stribeck speed */
    double sigma0, sigma1, sigma2; /* [1/m], [s/m], [s/m] bristle stiffness, bristle damping, viscosity, per load */
    double dwell;                  /* [s] time in which a contact at rest gains its sticking strength */
    double own[JN_LAW_OWN];        /* further ones: the rows of a law say what they are */
} jn_friction_parameters;

typedef struct jn_friction_info jn_friction_info;

/* A law ready for evaluation. Plain data, may be copied. */
typedef struct jn_friction_law {
    const jn_friction_info *info;
    jn_friction_parameters p; /* every value given */
} jn_friction_law;

/* Two tangential axes of the contact; z are the law's states, which the integrator carries along. */
typedef struct jn_friction_force {
    double f[2];                                                   /* [N] on the body that slips with v */
    double f_v[2][2], f_load[2], f_z[2][JN_FRICTION_MAX_STATES];   /* df/dv, df/dfn, df/dz */
    double rate[JN_FRICTION_MAX_STATES];                           /* dz/dt */
    double rate_v[JN_FRICTION_MAX_STATES][2];                      /* d(dz/dt)/dv */
    double rate_z[JN_FRICTION_MAX_STATES][JN_FRICTION_MAX_STATES]; /* d(dz/dt)/dz */
    double energy;                                                 /* [J] stored in bristles */
    double dissipation;                                            /* [W] -f.v - d(energy)/dt at constant load */
} jn_friction_force;

/* One row per law. */
struct jn_friction_info {
    const char *name, *summary, *source, *place;
    const jn_law_parameter *parameters;
    int states; /* 0, 2 or 3; start at zero, and return to zero when the contact opens */
    /* Coefficient in steady slip at a speed >= 0, and its slope. */
    double (*coefficient)(const jn_friction_parameters *p, double speed, double *slope);
    /* Laws with states, and those that look at the applied force; NULL: the coefficient says all. */
    void (*force)(const jn_friction_parameters *p, double fn, const double v[2], const double *z, const double *applied,
                  jn_friction_force *out);
    /* [m/s] slip speed at which its friction is full: slower contacts count as sticking. */
    double (*full_speed)(const jn_friction_parameters *p);
    /* What is wrong with parameters that are each in their range; NULL: nothing can be. JN_OK or < 0 with a message. */
    int (*check)(const jn_friction_parameters *p, jn_where where, jn_report *report);
};

/* A row by its place in the table or by its name; NULL if there is none. */
JN_API const jn_friction_info *jn_friction_get_info(int index);
JN_API const jn_friction_info *jn_friction_find(const char *name);
/* Nothing said: every parameter NaN. */
JN_API jn_friction_parameters jn_friction_default(void);
/* Checks the parameters and fills in defaults. JN_OK, or < 0 with a message that says what to write. */
JN_API int jn_friction_prepare(const jn_friction_info *info, const jn_friction_parameters *p, jn_where where,
                        jn_report *report, jn_friction_law *law);
/* Friction under the normal force fn >= 0 [N] at the slip velocity v [m/s] of this body over the other, in the
 * contact's tangential axes (v[1] = 0 in a plane). z: states, may be NULL if there are none. applied: tangential force
 * that would act on the contact without friction, for karnopp; NULL if unknown. */
JN_API void jn_friction_eval(const jn_friction_law *law, double fn, const double v[2], const double *z, const double *applied,
                      jn_friction_force *out);
/* [m/s] speed below which a regularised law counts as sticking: where its friction is full. */
JN_API double jn_friction_stick_speed(const jn_friction_law *law);
/* Coefficient of friction in steady slip at a speed [m/s]. */
JN_API double jn_friction_steady(const jn_friction_law *law, double speed);

/* ---------------------------------------------------------------------------- resistance to rolling and spinning */

/* What a user may say about resistance to rolling and spinning. */
typedef struct jn_resistance_parameters {
    double rolling;  /* [m] torque over normal force; 0: none */
    double spinning; /* [m] */
    double speed;    /* [rad/s] of regularisation */
} jn_resistance_parameters;

/* What the resistance gives at an instant. */
typedef struct jn_resistance_torque {
    double m[3];        /* [N m] on the body that turns with w: two tangential axes and the normal */
    double m_w[3][3];   /* dm/dw */
    double m_load[3];   /* dm/dfn */
    double dissipation; /* [W] -m.w */
} jn_resistance_torque;

/* The row of the law. */
typedef struct jn_resistance_info {
    const char *name, *summary, *source, *place;
    const jn_law_parameter *parameters;
} jn_resistance_info;

/* The row, and parameters of which nothing is said yet. */
JN_API const jn_resistance_info *jn_resistance_get_info(void);
JN_API jn_resistance_parameters jn_resistance_default(void);
/* Puts defaults where nothing is given and holds the values to their ranges. */
JN_API int jn_resistance_check(jn_resistance_parameters *p, jn_where where, jn_report *report);
/* Torques against the relative angular velocity w [rad/s] in the contact's axes (tangential, tangential, normal). */
JN_API void jn_resistance_eval(const jn_resistance_parameters *p, double fn, const double w[3], jn_resistance_torque *out);

#ifdef __cplusplus
}
#endif

#endif

/* How a model is run, what is recorded and what is expected of it, as the user wrote it. */
#ifndef JOUNCE_DESCRIPTION_RUN_H
#define JOUNCE_DESCRIPTION_RUN_H

#include <jounce/base.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    bool energetic_bound; /* momentum_leapfrog: impacts with friction gain no energy */
    double compliance;   /* momentum_leapfrog: of contacts in piles of balls, over the square of the step and their inverse mass; 0: rigid */
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
    jn_where solver_where, theta_where, adapt_where, compliance_where, method_where;
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

#ifdef __cplusplus
}
#endif

#endif

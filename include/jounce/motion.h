/* The terms of  M(q) u' = h(q,u,t) + G(q)^T lambda,  q' = N(q) u:  kinematics, mass matrix, forces, constraints.
 *
 * Velocities: a revolute joint's u is its rate; spherical and free joints carry the angular velocity of the body against
 * its parent in the world's axes as drawn, carried by the parent; a free joint carries the velocity of the centre of mass
 * before it. Quaternions are (w, x, y, z). */
#ifndef JOUNCE_MOTION_H
#define JOUNCE_MOTION_H

#include <jounce/contact_state.h>
#include <jounce/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What changes the energy, as sums since the start [J] or as rates [W], and the momentum. */
typedef struct jn_ledger {
    double dissipated;     /* lost: in dampers, contacts and friction */
    double driven;         /* put in by drivers, motors and applied forces */
    double damping;        /* part of dissipated: in the normal direction of contacts */
    double friction;       /* part of dissipated: in the tangential directions of contacts */
    double numerical;      /* added by what a scheme does to the state besides its equations: projections */
    double numerical_size; /* the same as a sum of magnitudes */
    jn_wrench given; /* impulse from outside on all bodies, about the world's origin: n [N m s], f [N s]; or its rate */
} jn_ledger;
enum { JN_LEDGER = sizeof(jn_ledger) / sizeof(double), JN_LEDGER_ENERGIES = 4 };

/* What a state keeps of earlier steps: first single numbers, then one of each link, then JN_PAST_STEPS of each velocity: accelerations
 * of moreau_jean, segment velocities of momentum_leapfrog. */
enum {
    JN_PAST_STEPS = 4,
    JN_PAST_RATE = 0, /* moreau_jean: rate at which implicit steps converge */
    JN_PAST_UNSOLVED, /* whether the last contact problem stayed unsolved */
    JN_PAST_LENGTH, /* momentum_leapfrog: length of the last segment [s]; 0: the state starts anew from its velocities */
    JN_PAST_BEFORE,    /* and of that before it [s] */
    JN_PAST_IMPACT,    /* [m/s] fastest impact that the last node led to: how far its end was searched for pairs */
    JN_PAST_STILL,     /* steps in a row in which nothing moved: step/nonsmooth/leapfrog_sleep.c */
    JN_PAST_SIGNATURE, /* of time, positions and velocities to which the momenta belong */
    JN_PAST_PENDING,   /* (JN_LEDGER) work of the half of the node's forces that the velocities already contain */
    JN_PAST_HEAD = JN_PAST_PENDING + JN_LEDGER
};

/* All that decides the next step: flat, copyable, hashable. */
typedef struct jn_state {
    double t;                  /* [s] */
    double *q;                 /* (nq) */
    double *u;                 /* (nv) */
    double *angle;             /* (angles of measured joints) last values, full turns counted */
    double *act;               /* (activations of actuators) and the time they hold at [s]; if there are actuators */
    double *control;           /* (actuators) what a program adds to their controls */
    jn_ledger ledger;          /* [J] since the start */
    double *momentum;          /* (nv) momentum_leapfrog: generalised momenta before the impulses of the node */
    double *past;              /* of earlier steps: JN_PAST_HEAD + links + JN_PAST_STEPS nv + rows + nq + nv + links */
    int size;                  /* doubles in q, u, angle, act, control, momentum and past together: one block from q on */
    jn_contact_state *contact; /* active contacts, sorted by (a, b, feature); zeros behind them */
    int contact_count;         /* of them */
} jn_state;

/* Scratch and results of one thread. Filled by the calls below; a call says what it needs. */
typedef struct jn_work jn_work;

JN_API jn_state *jn_state_create(const jn_model *model); /* the drawn configuration at rest; NULL: out of memory */
/* Release, copy, and a number that changes with any bit of the state. */
JN_API void jn_state_free(jn_state *state);
JN_API void jn_state_copy(jn_state *to, const jn_state *from);
JN_API uint64_t jn_state_hash(const jn_state *state);

JN_API jn_work *jn_work_create(const jn_model *model); /* NULL: out of memory */
/* Releases the work space. */
JN_API void jn_work_free(jn_work *work);

/* ------------------------------------------------------------------------------- algorithms on trees, no constraints */

/* Poses and velocities of all bodies. O(n). */
JN_API void jn_kinematics(const jn_model *model, jn_work *work, const jn_state *state);
/* Inverse dynamics: tau (nv) such that M a = tau + forces; a may be NULL for zero. Applied forces are not included
 * (gravity is). Calls jn_kinematics itself. O(n). [Featherstone2008, ch. 5] */
JN_API void jn_rnea(const jn_model *model, jn_work *work, const jn_state *state, const double *a, double *tau);
/* Forward dynamics: a (nv) from tau (nv). Gravity included. O(n). Returns JN_OK, or JN_ERR_NUMERIC where some coordinate
 * moves no mass. [Featherstone2008, ch. 7] */
JN_API int jn_aba(const jn_model *model, jn_work *work, const jn_state *state, const double *tau, double *a);
/* Mass matrix along the tree and its factor L^T D L. O(n depth), O(n depth^2). [Featherstone2008, ch. 6] */
JN_API int jn_mass_factor(const jn_model *model, jn_work *work, const jn_state *state);
/* x = M^-1 x after jn_mass_factor. */
JN_API void jn_mass_solve(const jn_model *model, const jn_work *work, double *x);
/* Dense M (nv x nv, row major). */
JN_API void jn_mass_matrix(const jn_model *model, jn_work *work, const jn_state *state, double *M);

/* -------------------------------------------------------------------------------------------- for control of robots */

/* How the six rows of a Jacobian are seen: three of a velocity, then three of the angular velocity. */
typedef enum jn_frame {
    JN_FRAME_MIXED, /* velocity of the point, world axes */
    JN_FRAME_BODY,  /* the same in the body's axes */
    JN_FRAME_WORLD  /* velocity of the body's matter that passes the world's origin, world axes: a spatial twist */
} jn_frame;

/* J (6 x nv, row major) with J u the motion of a point of a body, which is given from its centre of mass in the body's axes (of
 * the ground: in the world's). bias (6), may be NULL: J' u, so that J u' + J' u is the rate of J u. O(nv). */
JN_API void jn_body_jacobian(const jn_model *model, jn_work *work, const jn_state *state, int body, jn_vec3 from_com,
                             jn_frame frame, double *J, double *bias);
/* The same for a named point of the model. */
JN_API void jn_point_jacobian(const jn_model *model, jn_work *work, const jn_state *state, int point, jn_frame frame,
                              double *J, double *bias);

/* Generalised forces of gravity g (nv), and of the motion c (nv): M u' + c = tau + g + ... Those of h are g - c. O(n). */
JN_API void jn_gravity_forces(const jn_model *model, jn_work *work, const jn_state *state, double *g);
JN_API void jn_coriolis_forces(const jn_model *model, jn_work *work, const jn_state *state, double *c);

/* Of all bodies together. */
typedef struct jn_momentum {
    double mass;           /* [kg] */
    jn_vec3 com, velocity; /* [m], [m/s] */
    jn_vec3 linear;        /* [kg m/s] */
    jn_vec3 angular;       /* [kg m^2/s] about the centre of mass */
} jn_momentum;
/* A (6 x nv), may be NULL: linear and angular momentum per velocity, the centroidal momentum matrix [Orin2013]. Rotors ('armature')
 * are not counted. O(n). */
JN_API jn_momentum jn_momentum_get(const jn_model *model, jn_work *work, const jn_state *state, double *A);

/* Derivatives of inverse and of forward dynamics, row major: row of the force, acceleration or multiplier, column of the velocity
 * along which q is moved (as jn_q_advance does), of u, or of tau. Those of inverse dynamics are at constant a (and multipliers),
 * those of forward dynamics at constant tau. */
typedef struct jn_derivatives {
    int nv, rows;
    double *tau_q, *tau_u;                    /* (nv x nv) of inverse dynamics */
    double *a_q, *a_u, *a_tau;                /* (nv x nv) of forward dynamics */
    double *lambda_q, *lambda_u, *lambda_tau; /* (rows x nv) of the multipliers; jn_system_derivatives alone */
    double *a, *lambda;                       /* (nv), (rows) there */
    struct jn_derivatives_work *work;
} jn_derivatives;

JN_API jn_derivatives *jn_derivatives_create(const jn_model *model); /* NULL: out of memory */
JN_API void jn_derivatives_free(jn_derivatives *derivatives);        /* NULL is fine */
/* Along the tree, tau = M a + c - g: fills tau_q and tau_u; the derivative with respect to a is M. a may be NULL for zero.
 * O(nv depth), no allocation. */
JN_API void jn_inverse_derivatives(const jn_model *model, jn_work *work, const jn_state *state, const double *a,
                                   jn_derivatives *out);
/* Along the tree, a = M^-1 (tau + g - c): fills all but the multipliers' part; a_tau is M^-1. JN_ERR_NUMERIC where a coordinate
 * moves no mass. O(nv^2 depth), no allocation. */
JN_API int jn_forward_derivatives(const jn_model *model, jn_work *work, const jn_state *state, const double *tau,
                                  jn_derivatives *out);
/* Of everything that jn_accelerate counts (with contacts: jn_sim_derivatives): gravity, springs, dampers, motors, applied forces, drivers, couplers, closed loops, with
 * Baumgarte's terms if the model asks for them. tau (nv) may be NULL. tau_q and tau_u are of M a - h - G^T lambda. Redundant rows:
 * directions that keep the constraints count (the others would make rows contradict each other: the closest motion is taken), and
 * the multipliers are those of least norm. JN_ERR_NUMERIC; JN_ERR_LIMIT, also of couplers over tendons along paths. O(nv (links + elements) + nv solutions), no allocation. */
JN_API int jn_system_derivatives(const jn_model *model, jn_work *work, const jn_state *state, const double *tau,
                                 jn_derivatives *out);
/* How many rows repeat others, as the last jn_system_derivatives found it. */
JN_API int jn_redundancy_get(const jn_derivatives *derivatives);
/* C (nv x nv, row major) with C u = c and M' = C + C^T: M' - 2 C is skew. [Echeandia2021] O(nv depth), no allocation. */
JN_API void jn_coriolis_matrix(const jn_model *model, jn_work *work, const jn_state *state, jn_derivatives *scratch,
                               double *C);

/* ---------------------------------------------------------------------------------------------- the whole system */

/* Accelerations a (nv) and multipliers lambda (rows) under all forces, drivers and constraints. tau (nv) is added to the
 * generalised forces; NULL for none. Baumgarte terms are included if the model asks for them. Contacts are those of a simulation:
 * jn_sim_accelerate; its work space is JN_ERR_ARGUMENT here while its contacts act. Returns JN_OK, JN_ERR_NUMERIC. No allocation. */
JN_API int jn_accelerate(const jn_model *model, jn_work *work, const jn_state *state, const double *tau, double *a,
                         double *lambda);
/* q' = N(q) u, (nq). */
JN_API void jn_q_rate(const jn_model *model, const double *q, const double *u, double *q_rate);
/* q moved along the constant velocity u for the time h; exact for rotations. */
JN_API void jn_q_advance(const jn_model *model, double *q, const double *u, double h);
/* Quaternions back to unit length. */
JN_API void jn_q_normalise(const jn_model *model, double *q);

/* Constraint residuals Phi (rows) and G u + dPhi/dt (rows) at the state; the largest of each is returned in max[2]. */
JN_API void jn_constraint_residual(const jn_model *model, jn_work *work, const jn_state *state, double *phi,
                                   double *phi_rate, double max[2]);
/* Dense G (rows x nv), gamma (rows) with G u' = gamma, h (nv) without contacts. Pointers may be NULL. */
JN_API void jn_system_terms(const jn_model *model, jn_work *work, const jn_state *state, double *G, double *gamma,
                            double *h);
/* Mass-weighted projection of positions and velocities on the constraints. Returns JN_OK or JN_NOT_CONVERGED. */
JN_API int jn_project(const jn_model *model, jn_work *work, jn_state *state);
/* Initial configuration and velocities: assembles the mechanism from the drawn configuration, with the initial positions
 * and speeds of the model. An impossible assembly is reported with the joint that is worst. */
JN_API int jn_assemble(const jn_model *model, jn_work *work, jn_state *state, jn_report *report);

/* Rank of G as found by the last factorisation; -1 where the sparse solver did not need to know. */
JN_API int jn_rank_get(const jn_work *work);

/* ------------------------------------------------------------------------------------------ what a user looks at */

/* How a body moves. */
typedef struct jn_body_motion {
    jn_vec3 position;    /* [m] of the centre of mass */
    jn_quat orientation; /* of the user's body frame */
    double angle;        /* [rad] planar: about z, full turns counted where the joint coordinates allow */
    jn_vec3 velocity, angular_velocity;         /* [m/s] [rad/s] world axes */
    jn_vec3 acceleration, angular_acceleration; /* [m/s^2] [rad/s^2] */
} jn_body_motion;

/* How a joint moves and what it carries. */
typedef struct jn_joint_motion {
    double q[JN_JOINT_MAX_NQ], u[JN_JOINT_MAX_NV], a[JN_JOINT_MAX_NV];
    jn_wrench reaction;       /* world axes: what body 1 does to body 2 at the joint's point, constraint part only */
    jn_wrench reaction_local; /* the same in the joint's axes on body 1 (x, y, z = axis) */
    double drive[JN_JOINT_MAX_NV];    /* force or torque of drivers on prescribed coordinates */
    double actuator[JN_JOINT_MAX_NV]; /* force or torque of springs, dampers, stops, motors on the coordinate */
} jn_joint_motion;

/* Energies at a state. */
typedef struct jn_energy {
    double kinetic, potential, elastic; /* [J] */
    double contact;                     /* [J] part of elastic: stored in contacts */
} jn_energy;

/* Evaluates everything at the state, reactions included. The calls below read what it leaves in the work space. Without contacts, as
 * jn_accelerate: a simulation has jn_sim_observe. */
JN_API int jn_observe(const jn_model *model, jn_work *work, const jn_state *state);
JN_API void jn_body_motion_get(const jn_model *model, const jn_work *work, int body, jn_body_motion *out);
JN_API void jn_joint_motion_get(const jn_model *model, jn_work *work, int joint, jn_joint_motion *out);
/* Sets coordinates and velocities from the motions of all bodies (positions, orientations, velocities). */
JN_API void jn_state_from_bodies(const jn_model *model, jn_work *work, jn_state *state, const jn_body_motion *bodies);
/* Length of a tendon over joints, its rate, and the force of spring, damper, friction, elastic stops and functions along it. */
typedef struct jn_tendon_motion {
    double q, u, force;
} jn_tendon_motion;
JN_API jn_tendon_motion jn_tendon_motion_get(const jn_model *model, const jn_work *work, int tendon);
/* Force of an actuator (on what it acts along: gear times it), its length and the rate of it, control within its range, activation. */
typedef struct jn_actuator_motion {
    double force, length, speed, control, activation;
    double voltage, current, temperature; /* [V], [A], [deg C] of a motor */
} jn_actuator_motion;
JN_API jn_actuator_motion jn_actuator_motion_get(const jn_model *model, const jn_work *work, int actuator);
/* What a sensor reads, 1 to JN_SENSOR_MOST values; returns how many. Those that look at shapes read 0 here (jn_sensor_see), those of contacts and of the
 * forces of stops, too (jn_sim_sensor). */
JN_API int jn_sensor_get(const jn_model *model, const jn_work *work, int sensor, double values[JN_SENSOR_MOST]);
JN_API void jn_point_motion_get(const jn_model *model, const jn_work *work, int point, jn_vec3 *p, jn_vec3 *v,
                                jn_vec3 *a);
JN_API jn_energy jn_energy_get(const jn_model *model, const jn_work *work);
/* Multipliers (rows) and accelerations (nv). */
JN_API const double *jn_multipliers_get(const jn_work *work);
JN_API const double *jn_accelerations_get(const jn_work *work);
/* [W] */
JN_API jn_ledger jn_power_get(const jn_work *work);

#ifdef __cplusplus
}
#endif

#endif

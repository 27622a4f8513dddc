/* Studies: what is done with a model beside running it in time. */
#ifndef JOUNCE_STUDY_H
#define JOUNCE_STUDY_H

#include <jounce/step.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------------ structure */

/* Degrees of freedom and redundancy of a mechanism at a state. */
typedef struct jn_mobility {
    int bodies, joints;
    int gruebler;         /* 6 (3 in a plane) per body minus all equations, as if they were independent */
    int rank;             /* of all constraint equations, by factorisation, in absolute terms */
    int dof;              /* true degrees of freedom: velocities minus rank of the rows in use */
    int undriven;         /* the same as if no driver prescribed a motion: how papers count them */
    int redundant;        /* equations that repeat others */
    bool locked;          /* no freedom left although nothing prescribes it */
    double violation;     /* largest residual after assembly */
    int redundant_joints; /* number of names below */
    int *redundant_joint; /* (redundant_joints) joints with implied equations or drivers, last written first */
    int *redundant_rows;  /* (redundant_joints) how many of its equations */
} jn_mobility;

/* Assembles the model and finds its mobility. Notes in the report name the redundant equations, joint by joint, and
 * couplers; warnings say that nothing can move or that the drawn position is singular. JN_ERR_ASSEMBLY: the joints
 * contradict each other, which is distinguished from redundancy. Release with jn_mobility_free. O(nv^2 rows). */
JN_API int jn_study_mobility(const jn_model *model, jn_mobility *out, jn_report *report);
JN_API void jn_mobility_free(jn_mobility *mobility);

/* Suspicions a person would have: unit slips, impossible or missing inertias, bodies far away, isolated bodies.
 * Adds notes and warnings to the report. */
JN_API int jn_study_suspicions(const jn_model *model, jn_report *report);

/* ------------------------------------------------------------------------------------------------------ analyses */

/* Kinematic analysis [Rodrigues2024, fig. 3]: positions, velocities and accelerations under drivers by Newton-Raphson
 * at the time t, starting from the state. The drivers must fix all degrees of freedom. Multipliers and reactions are
 * those of inverse dynamics: the forces of the drivers that produce the motion. What jn_observe would fill is filled.
 * The work of drivers and dampers since the last call is added to the ledger. JN_ERR_MODEL: freedoms are left open;
 * JN_ERR_ASSEMBLY: the drivers contradict each other or ask for a place out of reach; see jn_sim_error. */
JN_API int jn_study_kinematic(jn_sim *sim, double t);

/* A point of a body that stays where it is, given from its centre of mass in the body's axes: a foot on the ground, whose contact
 * force is asked for. It may pull and has no friction cone: look at the force. */
typedef struct jn_hold {
    int body;
    jn_vec3 from_com;
} jn_hold;

/* What inverse dynamics is asked. */
typedef struct jn_inverse_desc {
    const double *a;      /* (nv) wanted accelerations; NULL: zero */
    int actuators;        /* how many velocities are actuated */
    const int *actuated;  /* (actuators) their indices in u */
    const double *weight; /* (actuators) > 0; NULL: 1 */
    int holds;
    const jn_hold *hold;
} jn_inverse_desc;

/* Inverse dynamics with loops and more actuators than freedoms, at a state: tau (nv, 0 where not actuated) with
 * M a = h + tau + G^T lambda + held points. Of all such tau the one with the least sum of weight * tau^2: actuators with equal levers
 * share equally. lambda (rows) and force (holds, world axes) of least norm, may be NULL. Forces that act anyway (springs, motors)
 * are in h; drivers do nothing. unbalanced, may be NULL: the largest generalised force that no actuator can
 * give. The accelerations should agree with the loops. O(nv^2 rows). */
JN_API int jn_study_inverse(const jn_model *model, jn_work *work, const jn_state *state, const jn_inverse_desc *wanted,
                            double *tau, double *lambda, jn_vec3 *force, double *unbalanced);
/* The same at the present state of a simulation, with its contacts in h. jn_study_inverse with the work space of a simulation with contacts
 * is JN_ERR_ARGUMENT. */
JN_API int jn_study_inverse_sim(jn_sim *sim, const jn_inverse_desc *wanted, double *tau, double *lambda, jn_vec3 *force,
                                double *unbalanced);

/* Inverse kinematics: moves the given velocities' coordinates (moving, count of them) until the named points of the model are at
 * target (points), by Newton-Raphson with damped least squares; joints that close loops keep closed and drivers are left out. Starts
 * from the present state and keeps the other coordinates. JN_NOT_CONVERGED: out of reach; the state is the nearest found then.
 * The velocities are not changed. */
JN_API int jn_study_reach(jn_sim *sim, int moving, const int *velocities, int points, const int *point,
                          const jn_vec3 *target);

/* Static equilibrium near the present state, at its time: M u' = 0 with u = 0. Goes downhill, so that a stable one is
 * found; a state that is an equilibrium already is kept, stable or not. A note says which kind it is. The ledger of the
 * simulation starts anew there. JN_NOT_CONVERGED leaves the last state of the search, with a warning. */
JN_API int jn_study_equilibrium(jn_sim *sim, jn_report *report);

/* One mode of small motion about a state. */
typedef struct jn_mode {
    double frequency; /* [Hz] of the damped oscillation; 0 if it does not oscillate */
    double damping;   /* ratio to critical, -re / |eigenvalue|: 1 where it only decays, -1 where it only grows */
    double re, im;    /* [1/s] eigenvalue */
    double *shape;    /* (nv) velocities, real part, scaled to largest component 1 */
} jn_mode;
typedef struct jn_modes {
    int count, nv;
    jn_mode *mode; /* ascending |eigenvalue|; complex pairs once, real eigenvalues one by one, free motions once as 0 */
} jn_modes;

/* Linearised motion on the constraints about the present coordinates, at rest; a warning where they are no equilibrium.
 * The state is not changed. Release with jn_modes_free. O(nv^3). */
JN_API int jn_study_modes(jn_sim *sim, jn_modes *out, jn_report *report);
JN_API void jn_modes_free(jn_modes *modes);

/* A linear model about a state (which need not be at rest), in as many coordinates as there are degrees of freedom: y and v are
 * changes of `independent` velocities' coordinates and of these velocities,
 *
 *     (y, v)' = A (y, v) + B dtau,     dq = Z y,     du = Z v + D y.
 *
 * All matrices row major. dq is along velocities, as jn_q_advance moves. */
typedef struct jn_linear {
    int nv, dof;
    int *independent; /* (dof) ascending */
    double *Z, *D;    /* (nv x dof) motions and velocities that keep the constraints */
    double *A;        /* (2 dof x 2 dof) */
    double *B;        /* (2 dof x nv) of generalised forces tau */
    double *a;        /* (nv) accelerations at the state */
} jn_linear;

/* With everything that acts but contacts: forces, drivers, couplers, loops; tau (nv) may be NULL. Exact. The state should meet the
 * constraints. Release with jn_linear_free. JN_ERR_LIMIT, JN_ERR_NUMERIC, JN_ERR_MEMORY; JN_ERR_ARGUMENT: the work space is that of a
 * simulation with contacts. O(nv^3). */
JN_API int jn_study_linearise(const jn_model *model, jn_work *work, const jn_state *state, const double *tau,
                              jn_linear *out);
/* The same at the present state of a simulation, with its contacts as jn_sim_derivatives has them. */
JN_API int jn_study_linearise_sim(jn_sim *sim, const double *tau, jn_linear *out);
JN_API void jn_linear_free(jn_linear *linear);

#ifdef __cplusplus
}
#endif

#endif

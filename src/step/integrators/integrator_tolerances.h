/* Tolerances and limits of the integrators, each with its unit and the reason for its size. Relative ones say of what. */
#ifndef JN_STEP_INTEGRATORS_INTEGRATOR_TOLERANCES_H
#define JN_STEP_INTEGRATORS_INTEGRATOR_TOLERANCES_H

/* ---------------------------------------- controller of step sizes of all adaptive one-step methods [Hairer1996, IV.2] */
#define JN_CONTROL_SAFETY 0.9           /* of the step that would meet the tolerance */
#define JN_CONTROL_PROPORTIONAL 0.7     /* exponent of the error, times 1/order */
#define JN_CONTROL_INTEGRAL 0.4         /* exponent of the error of the last step, times 1/order */
#define JN_CONTROL_ERROR_LEAST 1e-10    /* errors in units of the tolerance: smaller and larger ones are no measure */
#define JN_CONTROL_ERROR_MOST 1e6       /* of the next step */
#define JN_CONTROL_ERROR_KEPT 1e-4      /* the same for that of the last step, which is at most 1 */
#define JN_CONTROL_GROWTH_MOST 5        /* times the step: growth, also where the last piece of an interval was short */
#define JN_CONTROL_GROWTH_LEAST 0.2     /* of a step that was taken */
#define JN_CONTROL_RETRY_LEAST 0.1      /* of a step that was rejected: the next attempt, */
#define JN_CONTROL_RETRY_MOST 0.9       /* at most */
#define JN_CONTROL_LAST_REL 1e-9        /* of what is left of an interval: a step that leaves less ends with it */
#define JN_CONTROL_STEP_LEAST_REL 1e-14 /* of the time, 1 s at least: shorter steps are lost in its round-off */
#define JN_CONTROL_STEP_FIRST_REL                                                                                      \
    1e-12 /* the same: first attempt of a step after a crumb; errors alone make steps shorter */

/* ---------------------------------------------------------------------------------------------------------- dopri45 */
#define JN_DOPRI_FIRST_STEP 1e-6      /* [s] first step where state or slope vanish [Hairer1993, II.4] */
#define JN_DOPRI_FIRST_REL 0.01       /* of the time in which the slope would change the state by its size; the same */
#define JN_DOPRI_FIRST_STATE 1        /* squares of a state in units of the tolerance below which it vanishes, */
#define JN_DOPRI_FIRST_SLOPE 1e-10    /* and of its slope */
#define JN_DOPRI_FIRST_LEAST_REL 1e-9 /* of the interval: the first step is no shorter */
#define JN_DOPRI_LEDGER_WEIGHT 0.1    /* of the errors of the energy ledger: it has kinks where the motion has none */
#define JN_DOPRI_STIFF 3.25    /* |h lambda|: stability, not accuracy, limits a step beyond it; the limit is 3.3 */
#define JN_DOPRI_WEAK_REL 1e-2 /* of a usual step: next to a singular configuration steps are no shorter */

/* ------------------------------------------------------------------------------------------------------------- auto */
enum {
    JN_AUTO_STIFF_STEPS = 15, /* limited by stability before bdf takes over [Hairer1996, IV.2] */
    JN_AUTO_LOOSE_STEPS = 6,  /* in a row that are not: the count begins again */
};

/* -------------------------------------------------------------------------------------------------------- fixed steps */
#define JN_FIXED_STEP_REL 1e-6 /* of the step: times that are nearer to a multiple of it stand on it */
enum { JN_VERLET_ITERATIONS_MOST = 60 };
#define JN_VERLET_CHANGE_REL 1e-14 /* of the velocities: round-off */
#define JN_VERLET_STALL_REL 1e-11  /* the same: smaller changes that no longer halve are round-off, */
#define JN_VERLET_STALL_RATIO 0.5  /* of the change before */
#define JN_VERLET_FAIL_REL 1e-9    /* the same: what may be left when iterations run out */

/* ------------------------------------------------------------------------------------------------------------- CVODE */
enum {
    JN_CVODE_DENSE_MOST = 600, /* unknowns; beyond, GMRES without a matrix */
    JN_CVODE_KRYLOV = 20,      /* vectors of GMRES */
    JN_CVODE_STUCK_MOST = 20,  /* steps in a row that do not move the time */
};
#define JN_CVODE_TURN 1 /* [rad] of a body in a step: two that turn against each other stay below half a turn */
#define JN_CVODE_IMPACT_REL 1e-12 /* relative tolerance of method impact at most: gaps are followed until they close, */
#define JN_CVODE_IMPACT_CLOSED 1e-3 /* and absolute, of a closed gap */
#define JN_CVODE_UNBOUNDED 1e100    /* absolute tolerance of what takes no part in the error */
#define JN_CVODE_ENERGY_REL 1e-3    /* of the energy at the start: the unit of the ledger where nothing moves yet */
#define JN_CVODE_IMPULSE_SLACK                                                                                         \
    1000 /* integrator auto: the same for impulses from outside, in units of the momentum there is */
#define JN_CVODE_LEDGER_SLACK 10 /* times the relative tolerance: the ledger has kinks where the motion has none */

/* --------------------------------------------------------------------------------------------------------- Jacobians */
#define JN_DIFFERENCE_REL 1.5e-8 /* of a variable, 1 at least: root of round-off, best for a forward difference */

#endif

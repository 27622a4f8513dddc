/* Studies: what is done with a model beside running it in time. */
#ifndef JOUNCE_STUDY_H
#define JOUNCE_STUDY_H

#include <jounce/step.h>

/* ------------------------------------------------------------------------------------------------------ structure */

/* Degrees of freedom and redundancy of a mechanism at a state. */
typedef struct jn_mobility {
    int bodies, joints;
    int gruebler;         /* 6 (3 in a plane) per body minus all equations, as if they were independent */
    int rank;             /* of all constraint equations, by factorisation, in absolute terms */
    int dof;              /* true degrees of freedom: velocities minus rank of the rows in use */
    int redundant;        /* equations that repeat others */
    bool locked;          /* no freedom left although nothing prescribes it */
    double violation;     /* largest residual after assembly */
    int redundant_joints; /* number of names below */
    int *redundant_joint; /* (redundant_joints) joints with implied equations or drivers, last written first */
    int *redundant_rows;  /* (redundant_joints) how many of its equations */
} jn_mobility;

/* Assembles the model and finds its mobility. Notes in the report name the redundant equations, joint by joint, and
 * couplers; warnings say that nothing can move or that the drawn position is singular. JN_ERR_ASSEMBLY: the joints
 * contradict each other, which is told apart from redundancy. Release with jn_mobility_free. O(nv^2 rows). */
int jn_study_mobility(const jn_model *model, jn_mobility *out, jn_report *report);
void jn_mobility_free(jn_mobility *mobility);

/* Suspicions a person would have: unit slips, impossible or missing inertias, bodies far away, isolated bodies.
 * Adds notes and warnings to the report. */
int jn_study_suspicions(const jn_model *model, jn_report *report);

/* ------------------------------------------------------------------------------------------------------ analyses */

/* Kinematic analysis [Rodrigues2024, fig. 3]: positions, velocities and accelerations under drivers by Newton-Raphson
 * at the time t, starting from the state. The drivers must fix all degrees of freedom. Multipliers and reactions are
 * those of inverse dynamics: the forces of the drivers that produce the motion. What jn_observe would fill is filled.
 * The work of drivers and dampers since the last call is added to the ledger. JN_ERR_MODEL: freedoms are left open;
 * JN_ERR_ASSEMBLY: the drivers contradict each other or ask for a place out of reach; see jn_sim_error. */
int jn_study_kinematic(jn_sim *sim, double t);

/* Static equilibrium near the present state, at its time: M u' = 0 with u = 0. Goes downhill, so that a stable one is
 * found; a state that is an equilibrium already is kept, stable or not. A note says which kind it is. The ledger of the
 * simulation starts anew there. JN_NOT_CONVERGED leaves the last state of the search, with a warning. */
int jn_study_equilibrium(jn_sim *sim, jn_report *report);

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
int jn_study_modes(jn_sim *sim, jn_modes *out, jn_report *report);
void jn_modes_free(jn_modes *modes);

#endif

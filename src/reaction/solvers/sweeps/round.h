/* Contacts of round bodies, sixteen at a time in single precision.
 *
 * A contact is round where the contact normal goes through the centres of mass of its bodies, as it does for spheres, and their inertia is a
 * multiple of 1. Its rows are then a unit normal, two lengths and the masses, W_ii is diagonal with equal tangential entries, and
 * Signorini's and Coulomb's laws at one contact have a closed form: no equation is left to solve. */
#ifndef JN_REACTION_ROUND_H
#define JN_REACTION_ROUND_H

#include "base/pool.h"
#include "reaction/problem/problem.h"

int jn_round_parts(int contacts); /* into which an island of so many is divided, and how many threads it may use */
size_t jn_round_scratch(const jn_problem *problem);
typedef struct jn_round_aim {
    double tolerance; /* [m/s] */
    int sweeps;       /* at most */
    double keep;      /* [m/s] error with which the first impulses stay as they are */
    jn_pool *pool;    /* threads that take part; NULL: the caller alone. The impulses are the same */
} jn_round_aim;

/* Gauss-Seidel with momentum from the impulses p until the speed error is below the tolerance; the problem has its masses, and every contact one or two
 * bodies of six velocities (jn_packs_suit). Velocities are summed anew in double precision as errors fall, so that rounding leaves about 1e-7 of the
 * largest velocity that an impulse makes. patches: scratch of jn_patches_solve, or NULL. p: the best impulses found. Returns their speed error, in double
 * precision; INFINITY where a contact is not round, p is untouched then. */
double jn_round_solve(const jn_problem *problem, const jn_round_aim *aim, void *scratch, void *patches, double *p,
                      int *swept);

#endif

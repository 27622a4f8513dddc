/* A robot with many contacts: Newton's method over the velocities that they share, on the contacts that take part. */
#ifndef JN_REACTION_SOLVERS_WORKING_SET_H
#define JN_REACTION_SOLVERS_WORKING_SET_H

#include "reaction/solvers/least_norm.h"

/* Contacts of one tree, whose rows begin with the same velocity, that jn_least_norm_solve does not take as they are: too many of them, or too many
 * velocities. */
bool jn_working_set_suits(const jn_problem *problem);
/* [bytes], by the sizes of the problem alone; 0: it cannot suit. */
size_t jn_working_set_scratch(const jn_problem *problem);
/* As jn_least_norm_solve, without mass: it solves the problem of the contacts that approach without impulses or have some in the guess, adds those that
 * then approach, or neither approach nor part, and solves again [Nocedal2006, 16.5]. v (velocities) is scratch. */
bool jn_working_set_solve(const jn_problem *problem, const jn_least_norm_aim *aim, void *scratch, double *v, double *u,
                          double *p, jn_solve_result *result);

/* Whether contacts jam that the impulses p leave with the largest errors [m/s], or whose impulses have grown beyond all others: contacts that do not allow any solution among themselves do not allow one of
 * all. hold (n) becomes that of jn_least_norm_jams then. u (n): velocities of p, error: the largest; with masses. `size` [bytes] of scratch: too little, and the answer is no. */
bool jn_working_set_jams(const jn_problem *problem, const jn_least_norm_aim *aim, void *scratch, size_t size,
                         double error, const double *p, const double *u, double *hold);

#endif

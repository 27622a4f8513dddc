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

#endif

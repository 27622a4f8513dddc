/* The rows of the table of solvers, and the order in which the automatic choice tries them. */
#ifndef JN_REACTION_SOLVERS_SOLVERS_H
#define JN_REACTION_SOLVERS_SOLVERS_H

#include "reaction/problem/problem.h"

extern const jn_solver_info jn_solver_gauss_seidel, jn_solver_proximal, jn_solver_interior_point, jn_solver_lemke;

#define JN_AT_REST 10             /* times the tolerance: a guess that is nearer is of contacts that hardly change */
#define JN_IMPULSES_BOUNDLESS 1e8 /* times the velocities: impulses so large cancel each other but for round-off */

/* One attempt of the automatic choice. */
typedef struct jn_attempt {
    const jn_solver_info *solver;
    int iterations; /* at most; 0: the solver's own limit */
    double shrink;  /* it starts from 1 - shrink times the best impulses so far */
    double
        rest; /* > 0: it is for contacts that hardly change, and aims at this part of the tolerance, so that they stay as they are */
} jn_attempt;

/* The attempts for a problem of this size and form, from a guess or from zero impulses, in order. Returns their number, at most JN_ATTEMPTS. */
enum { JN_ATTEMPTS = 8 };
int jn_solver_chain(const jn_problem *problem, bool guessed, jn_attempt chain[JN_ATTEMPTS]);
/* Those that are left where methods over the shared velocities have failed (least_norm.h). */
int jn_solver_chain_shared(const jn_problem *problem, jn_attempt chain[JN_ATTEMPTS]);

/* jn_solve. relative: false where a speed is asked for, and nobody reads the relative residual of the result, which is NAN then. hold (n) or NULL: gets impulses of
 * contacts that friction jams (feasible.c), 0 elsewhere; no further solver tries such an island then. */
int jn_solve_judged(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                    bool relative, void *scratch, double *p, double *hold, jn_solve_result *result);

/* solve_few.c: up to four contacts in a plane, given by rows, to round-off. False where it has no answer; p is untouched then. */
bool jn_solve_few(const jn_problem *problem, const jn_solve_settings *settings, double *p, jn_solve_result *result);

#endif

/* Of the impulses that solve a problem with redundant contacts, those of least norm: symmetric problems have symmetric answers, in any
 * order of the contacts and by any solver. */
#ifndef JN_REACTION_SOLVERS_LEAST_NORM_H
#define JN_REACTION_SOLVERS_LEAST_NORM_H

#include "reaction/problem/problem.h"
#include "reaction/problem/round_row.h"

enum {
    JN_LEAST_NORM = 64,
    JN_LEAST_NORM_QUICK = 128,
    JN_LEAST_NORM_WIDE = 256
}; /* contacts at most; those that share few velocities; more of them */
_Static_assert((int)JN_LEAST_NORM_QUICK <= (int)JN_ROUND_EXPANDED, "its problems have the values of their rows");

/* 2 to JN_LEAST_NORM contacts. */
bool jn_least_norm_suits(const jn_problem *problem);
/* A step costs little: 2 to JN_LEAST_NORM_QUICK contacts share few velocities. */
bool jn_least_norm_is_quick(const jn_problem *problem);
/* [bytes] for the problem, or for any of its islands where it has more contacts. */
size_t jn_least_norm_scratch(const jn_problem *problem);
/* The same of jn_least_norm_solve; 0: a step costs too much. */
size_t jn_least_norm_quick_scratch(const jn_problem *problem);
/* For aims that are `wide`; 0: the contacts are too many for it. */
size_t jn_least_norm_wide_scratch(const jn_problem *problem);
/* Newton's method from p on the problem with e W_ii p added to the velocities, whose solution is unique and tends to the one of least
 * sum of W_ii |p|^2 as e tends to 0, then proximal steps that take that term away. tries: where Newton's method does not converge it
 * starts again, after sweeps, up to so many times. speed [m/s]: error that is asked for, 0: round-off. uneven: masses may differ so much
 * that those steps gain little; then e becomes smaller, too. False where it does not converge: p is untouched then. steps counts factorisations. */
bool jn_least_norm(const jn_problem *problem, double speed, bool uneven, int tries, void *scratch, double *p,
                   int *steps);

typedef struct jn_least_norm_aim {
    double tolerance, keep; /* [m/s] speed error that is asked for; with which a guess stays as it is */
    double rest; /* [m/s] a guess with no more is of contacts that hardly change: they are solved to round-off */
    int tries;
    bool follows; /* the guess solves nearly the same problem: the solution next to it is looked for first */
    double *hold; /* (n) or NULL: impulses of jn_least_norm_jams where Newton's method finds no solution; it is not tried further then */
    bool wide; /* up to JN_LEAST_NORM_WIDE contacts that share JN_SHARED_WIDE velocities, whose steps cost more */
} jn_least_norm_aim;

/* The whole solution of a connected problem with few velocities from the guess p, judged by its speed error; from zero where the guess
 * leads nowhere. mass (contacts) becomes that of jn_problem_masses, u (n) the velocities of the answer. False where it does not meet the
 * tolerance: p is no worse than it was then, u not to be used. */
bool jn_least_norm_solve(const jn_problem *problem, const jn_least_norm_aim *aim, void *scratch, double *mass,
                         double *u, double *p, jn_solve_result *result);

#endif

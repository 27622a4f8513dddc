/* What solving the parts of a contact problem shares: judging answers, and islands. */
#ifndef JN_REACTION_SOLVERS_SOLVE_JUDGE_H
#define JN_REACTION_SOLVERS_SOLVE_JUDGE_H

#include "reaction/solvers/island_copies.h"
#include "reaction/solvers/solvers.h"

enum { JN_SOLVE_OWN = 64 }; /* contacts of an island up to which it is solved as a problem of its own in any case */

/* What judging needs beside the solver's own scratch. */
typedef struct jn_judge {
    double *best, *u, *v;
    double *mass;  /* (contacts) */
    double *H, *Y; /* (entries x 3) values of round rows that the problem does not have */
    bool *known;   /* u are the velocities of the answer */
    bool *cramped; /* something was left out, or may have been, for which there was no room */
    double *hold;  /* (n) or NULL: jn_solve_judged */
    void *scratch;
    size_t size; /* [bytes] of scratch */
} jn_judge;

/* Takes its arrays for a problem of this size from m; what m has left is its scratch. */
void jn_judge_lay_out(jn_judge *j, const jn_problem *problem, jn_scratch *m);
/* A connected problem: by the solver that was asked for, or by the automatic choice. */
int jn_solve_connected(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                       const jn_judge *j, double *p, jn_solve_result *result);
/* solve_islands.c: islands s->of, one after the other or shared among threads, with the same impulses. */
int jn_solve_islands(jn_island_copies *s, const jn_problem *problem, const jn_solver_info *solver,
                     const jn_solve_settings *settings, const jn_judge *j, double *p, jn_solve_result *result);

#endif

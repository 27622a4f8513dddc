/* Siconos's solvers of the frictional contact problem in its local form, through its C interface. */
#ifndef JN_BENCH_PEER_SICONOS_H
#define JN_BENCH_PEER_SICONOS_H

#include <jounce/reaction.h>

/* How one solve ended. */
typedef struct peer_solve {
    const char *storage; /* of the matrix; "" if there is none */
    double seconds;      /* the best of those that were timed; infinite if the solver broke down or took too long */
    int iterations;
} peer_solve;

/* Name of a solver, NULL beyond the last. */
const char *peer_siconos_name(int solver);
/* Solves W p + q = u from p = 0, for each storage of the matrix that the solver takes; the fastest one whose p (n) meets the
 * tolerance counts. The problem must have W. Runs in a process of its own: its errors end that process alone. The matrix is
 * made anew for every solve, which is not timed. */
peer_solve peer_siconos_solve(const jn_problem *problem, int solver, double tolerance, double *p);

#endif

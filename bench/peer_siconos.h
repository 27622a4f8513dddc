/* Siconos's solvers of the frictional contact problem in its local form, through its C interface. */
#ifndef JN_BENCH_PEER_SICONOS_H
#define JN_BENCH_PEER_SICONOS_H

#include <jounce/reaction.h>

/* The fastest solve that met a criterion. */
typedef struct peer_solve {
    double seconds; /* of the processor, the best of several; infinite if the criterion was not met */
    double residual;
    char how[16]; /* storage of the matrix */
} peer_solve;

/* Name of a solver, NULL beyond the last. */
const char *peer_siconos_name(int solver);
/* Its own relative residual: that of jn_problem_residual, but divided by the largest of |q|, |p| and |u| = |W p + q|. u as
 * jn_problem_velocity has written it. */
double peer_siconos_residual(const jn_problem *problem, const double *p, const double *u);
/* Solves the problem, which must have W, from p = 0, for each storage of the matrix that suits the solver. own: to the tolerance
 * by its own residual; ours: to the same number by jn_problem_residual, for which it is asked for as much as that takes (where
 * it never gets there, the residual is the least that was seen). Runs in a process of its own, so that its errors end that
 * process alone. The matrix is made anew for every solve, which is not timed. */
void peer_siconos_solve(const jn_problem *problem, int solver, double tolerance, peer_solve *own, peer_solve *ours);

#endif

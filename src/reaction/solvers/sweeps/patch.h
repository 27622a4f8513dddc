/* Patches: the few contacts that sweeps leave with large errors, solved with their neighbourhoods. */
#ifndef JN_REACTION_SOLVERS_PATCH_H
#define JN_REACTION_SOLVERS_PATCH_H

#include "reaction/problem/problem.h"

size_t jn_patches_scratch(const jn_problem *problem); /* [bytes] */
/* Contacts whose errors are above half of the tolerance and among the largest, by the proximal method, with all contacts of bodies up to `rings` loaded contacts away;
 * impulses elsewhere stay. The problem has masses and suits packs. budget: iterations that it may take
 * at most, less those that it took. Returns how many patches were solved; -1: the errors are too many. */
int jn_patches_solve(const jn_problem *problem, double tolerance, int rings, int *budget, void *scratch, double *p);

#endif

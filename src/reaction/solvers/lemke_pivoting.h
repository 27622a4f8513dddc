/* Linear complementarity problems by Lemke's method. */
#ifndef JN_REACTION_SOLVERS_LEMKE_PIVOTING_H
#define JN_REACTION_SOLVERS_LEMKE_PIVOTING_H

#include "reaction/problem/problem.h"

/* w = A z + b, w >= 0, z >= 0, w.z = 0, with A (n x n) row by row. JN_OK, JN_NOT_CONVERGED where the pivots end in a ray or at
 * the limit (z is then zero), JN_ERR_NUMERIC. O(n^2) per pivot, about n pivots; scratch of jn_lcp_scratch(n) bytes. */
size_t jn_lcp_scratch(int n);
int jn_lcp_lemke(int n, const double *A, const double *b, int limit, double *z, void *scratch, int *pivots);

#endif

/* Sobol's sequence with Owen's scrambling. */
#ifndef JN_WORKFLOW_STUDY_SOBOL_H
#define JN_WORKFLOW_STUDY_SOBOL_H

#include <stdint.h>

enum { JN_SOBOL_DIMENSIONS = 53, JN_SOBOL_BITS = 52 };

/* Coordinate `dimension` (from 0) of point `index` (from 0) as an integer of JN_SOBOL_BITS bits, not scrambled. [Bratley1988] with
 * the direction numbers of [Joe2008]. O(bits). */
uint64_t jn_sobol_bits(int dimension, uint64_t index);
/* The same scrambled: in each dimension a random tree of swaps of halves, quarters, ... [Owen1995], so that every point is
 * uniform in (0, 1) and the points of a set stay as even as before. O(bits^2) at worst, 1 us. */
double jn_sobol_scrambled(int dimension, uint64_t index, uint64_t seed);

#endif

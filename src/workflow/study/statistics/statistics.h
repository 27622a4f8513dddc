/* Statistics of columns: quantiles, probabilities, moments, Sobol indices, each with its uncertainty. */
#ifndef JN_WORKFLOW_STUDY_STATISTICS_H
#define JN_WORKFLOW_STUDY_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct jn_interval {
    double value, low, high;
} jn_interval;

/* Sorts in place, numbers that are none last; returns how many are numbers. O(n log n) */
long jn_sort_finite(double *x, long count);
/* Quantile p of sorted values, linear between them [Hyndman1996, type 7]; bounds by order statistics, free of any distribution
 * [David2003, 7.1]: at least 95 % where there are enough values, else NAN. O(log n) */
jn_interval jn_quantile(const double *sorted, long count, double p);
/* Part of count tries that hit, with Wilson's interval at 95 %. [Wilson1927] */
jn_interval jn_proportion(long hits, long count);
/* Mean with its 95 % interval by the normal distribution; *deviation if not NULL. */
jn_interval jn_mean(const double *x, long count, double *deviation);

/* Indices of first order and total indices of one column, from values at the points of A, B and A with column i from B:
 * f (n x (k + 2)), rows of one point each: A, B, AB_1, ..., AB_k. First order by [Saltelli2010, (b)], total by [Jansen1999]; intervals are
 * 2.5 % to 97.5 % of `tries` bootstrap samples. Points with a value that is no number are left out. O(tries n k) */
bool jn_sobol_indices(const double *f, long n, int k, int tries, uint64_t seed, jn_interval *first, jn_interval *total);

#endif

/* Anderson's acceleration of a fixed-point iteration x <- g(x) [Walker2011]. */
#ifndef JN_REACTION_ANDERSON_H
#define JN_REACTION_ANDERSON_H

#include <stddef.h>

enum { JN_ANDERSON_DEPTH = 8 };

typedef struct jn_anderson {
    int n, measured; /* size; the first `measured` components say how good a step is, the others go along */
    int depth;       /* differences kept now */
    int next;        /* place of the next difference */
    double *dF, *dG; /* (DEPTH x n) differences of f = g - x and of g */
    double *f, *g;   /* (n) the last ones */
    double gram[JN_ANDERSON_DEPTH][JN_ANDERSON_DEPTH];
    int seen; /* calls since the start */
} jn_anderson;

size_t jn_anderson_scratch(int n); /* [doubles] */
jn_anderson jn_anderson_start(int n, int measured, double *scratch);
/* Forgets what it knows. */
void jn_anderson_restart(jn_anderson *a);
/* Given x and g = g(x), makes x the next point: g - dG gamma with the gamma that minimises |f - dF gamma|. O(n depth). */
void jn_anderson_next(jn_anderson *a, double *x, const double *g);

#endif

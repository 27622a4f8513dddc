/* Anderson's acceleration of a fixed-point iteration x <- g(x) [Walker2011]. */
#ifndef JN_REACTION_SOLVERS_ANDERSON_H
#define JN_REACTION_SOLVERS_ANDERSON_H

#include <jounce/base.h>

enum { JN_ANDERSON_DEPTH = 8 };

typedef struct jn_anderson {
    int n, measured;       /* size; the first `measured` components say how good a step is, the others go along */
    int most, depth, next; /* differences at most, kept now, place of the next one */
    bool seen;             /* there is an earlier step */
    double *dF, *dG;       /* (DEPTH x n) differences of f = g - x and of g */
    double *f, *g;         /* (n) the last ones */
    double *partial;       /* (chunks x 2 DEPTH) sums by chunks */
    double gram[JN_ANDERSON_DEPTH][JN_ANDERSON_DEPTH], gamma[JN_ANDERSON_DEPTH];
    double scale[JN_ANDERSON_DEPTH]; /* 1/|dF|, 0 where there is none */
    double *x, *y;                   /* arguments of the call at work */
} jn_anderson;

size_t jn_anderson_scratch(int n); /* [doubles] */
jn_anderson jn_anderson_start(int n, int measured, double *scratch);
/* Forgets what it knows. */
void jn_anderson_restart(jn_anderson *a);
/* Given x and y = g(x), makes both the next point: y - dG gamma with the gamma that minimises |f - dF gamma|. O(n depth). */
void jn_anderson_next(jn_anderson *a, double *x, double *y);

#endif

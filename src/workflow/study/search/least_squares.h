/* Least squares with bounds: Levenberg's and Marquardt's method, one step at a time, so that the caller evaluates where and when it can.
 *
 * Minimises 1/2 |r(u)|^2 over the unit cube. [Levenberg1944; Marquardt1963; More1978; Nielsen1999 for the damping] */
#ifndef JN_WORKFLOW_STUDY_LEAST_SQUARES_H
#define JN_WORKFLOW_STUDY_LEAST_SQUARES_H

#include <stdbool.h>

typedef enum jn_search_state {
    JN_SEARCH_OPEN, /* evaluate at trial and go on */
    JN_SEARCH_FOUND, /* a step would change nothing by more than the tolerance, or fails to gain what is next to nothing */
    JN_SEARCH_STUCK,  /* no step reduces the sum, at the largest damping: the residuals are not smooth on this scale */
    JN_SEARCH_FAILED, /* there is no value at the start */
} jn_search_state;

typedef struct jn_search {
    int k, n; /* parameters, residuals */
    jn_search_state state;
    double *u, *trial;    /* (k) best so far; where to evaluate next */
    double *r, *J;        /* (n), (n x k by columns) at u */
    double *scale;        /* (k) largest norms of the columns of J so far [More1978] */
    double *work;         /* jn_search_work(k, n) doubles */
    double cost;          /* |r|^2 at u; INFINITY: nothing evaluated yet */
    double damping, grow; /* [Nielsen1999] */
    double predicted;     /* by which the cost falls at trial, if r is linear */
} jn_search;

int jn_search_work(int k, int n);
/* Takes the residuals and their derivatives at trial and finds the next one. r NULL: there is none at trial. tolerance: of u. O(n k^2). */
void jn_search_step(jn_search *search, const double *r, const double *J, double tolerance);
/* C = (J^T J)^+ (k x k) at u, over the parameters that are not at a bound; their number without those that data do not tell apart. O(n k^2). */
int jn_search_covariance(const jn_search *search, double *C);

#endif

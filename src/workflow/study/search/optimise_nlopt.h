/* Searches by NLopt [NLopt], one point at a time. NLopt calls a function; a study hands out runs, keeps them in a journal and goes on after a
 * crash. So a search is replayed: NLopt starts anew each time with the values known so far, and is stopped at the first point without one. */
#ifndef JN_WORKFLOW_STUDY_OPTIMISE_NLOPT_H
#define JN_WORKFLOW_STUDY_OPTIMISE_NLOPT_H

#include <stdbool.h>
#include <stdint.h>

/* A method: a row of the table in optimise_nlopt.c. */
typedef struct jn_nlopt_method {
    const char *name, *doc;
    bool limits;  /* knows inequality constraints */
    bool settles; /* ends by its tolerance; else after its points */
    int algorithm;
} jn_nlopt_method;

const jn_nlopt_method *jn_nlopt_method_find(const char *name); /* NULL: none of that name */
const jn_nlopt_method *jn_nlopt_method_at(int index);          /* NULL: behind the last one */
/* Version of the library; NULL: this build leaves it out. */
const char *jn_nlopt_version(char text[32]);

typedef struct jn_nlopt_search {
    const jn_nlopt_method *method;
    int k, limits, most; /* parameters, constraints, points at most */
    uint64_t seed;
    double tolerance;    /* of the unit cube */
    const double *start; /* (k) */
    int count;           /* points with a value */
    const double *x;     /* (count x k) in the unit cube, in the order in which they were asked for */
    const double *value; /* (count x (1 + limits)) what is minimised; constraints, kept where <= 0 */
} jn_nlopt_search;

/* 1: it asks for the value at x (k); 0: it has ended; < 0: status. O(count) calls, O(count^2) over a search. */
int jn_nlopt_next(const jn_nlopt_search *search, double *x);

#endif

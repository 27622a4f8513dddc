/* What a sequence of finer and finer runs says of its limit. */
#ifndef JN_WORKFLOW_STUDY_CONVERGENCE_H
#define JN_WORKFLOW_STUDY_CONVERGENCE_H

#include <stddef.h>

typedef enum jn_convergence_verdict {
    JN_CONVERGED, /* differences shrink with an order */
    JN_IRREGULAR, /* they shrink, but with no order that could be trusted */
    JN_DIVERGENT, /* they do not shrink */
    JN_UNKNOWN    /* values are missing */
} jn_convergence_verdict;

typedef struct jn_convergence {
    jn_convergence_verdict verdict;
    double order;         /* NAN: none */
    double limit, error;  /* the best value, and how far off it may be */
    double error_first;   /* relative error of the first value */
    double first, spread; /* the first value; largest less smallest */
} jn_convergence;

/* From count >= 3 values, each with a step that is shorter by the factor; the last three decide. An order that is higher than the formal one of the
 * method is an accident: the limit is then extrapolated with the formal one. The error is what the extrapolation adds, times 1.25 where the
 * order is the formal one, else times 3. [Roache1997] O(count) */
jn_convergence jn_convergence_judge(const double *x, int count, double factor, double formal);
/* In words: what was found, and what to do for a relative error of `within`. knob: step or tolerance, at first `value`. */
void jn_convergence_say(const jn_convergence *c, const char *what, const char *knob, double value, double within,
                        char *out, size_t size);

#endif

/* What a measure by `compare` holds: measured values, and how far they scatter. */
#ifndef JN_WORKFLOW_STUDY_COMPARE_H
#define JN_WORKFLOW_STUDY_COMPARE_H

#include "workflow/study/study.h"

#define JN_COMPARE_END 1e-12 /* of the end of the run: a measured time behind it by less is the end */

typedef struct jn_compared {
    const jn_table *table;
    double deviation; /* standard deviation of a measured value; NAN: not known */
} jn_compared;

#endif

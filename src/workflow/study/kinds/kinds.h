/* The kinds of studies. */
#ifndef JN_WORKFLOW_STUDY_KINDS_H
#define JN_WORKFLOW_STUDY_KINDS_H

#include "workflow/study/study.h"

extern const jn_study_kind jn_kind_sweep, jn_kind_sensitivity, jn_kind_follow, jn_kind_converge, jn_kind_basins,
    jn_kind_identify, jn_kind_optimise;

/* Means, deviations and quantiles of the measures where points are random, probabilities of their limits, as findings. */
int jn_study_statistics(jn_study *study);

#endif

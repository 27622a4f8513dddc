/* The kinds of measures. */
#ifndef JN_WORKFLOW_STUDY_MEASURES_H
#define JN_WORKFLOW_STUDY_MEASURES_H

#include "workflow/study/study.h"

extern const jn_measure_kind jn_measure_max, jn_measure_min, jn_measure_range, jn_measure_mean,
    jn_measure_rms; /* measure_series.c */
extern const jn_measure_kind jn_measure_end, jn_measure_value, jn_measure_count, jn_measure_instant,
    jn_measure_sample;                            /* measure_instant.c */
extern const jn_measure_kind jn_measure_compare;  /* measure_compare.c */
extern const jn_measure_kind jn_measure_lyapunov; /* measure_lyapunov.c */
extern const jn_measure_kind jn_measure_period;   /* measure_period.c */
extern const jn_measure_kind jn_measure_spectrum; /* measure_spectrum.c */

#endif

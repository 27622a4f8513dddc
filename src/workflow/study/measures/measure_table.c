/* All kinds of measures: a new one is a file of its own and a row here. */
#include "workflow/study/measures/measures.h"

const jn_measure_kind *const jn_measure_kinds[] = {
    &jn_measure_max,     &jn_measure_min,      &jn_measure_range,  &jn_measure_mean,     &jn_measure_rms,
    &jn_measure_end,     &jn_measure_value,    &jn_measure_count,  &jn_measure_instant,  &jn_measure_sample,
    &jn_measure_compare, &jn_measure_lyapunov, &jn_measure_period, &jn_measure_spectrum, NULL};

/* All kinds of studies: a new one is a file of its own and a row here. */
#include "workflow/study/kinds/kinds.h"

const jn_study_kind *const jn_study_kinds[] = {
    &jn_kind_sweep,  &jn_kind_sensitivity, &jn_kind_follow,   &jn_kind_converge,
    &jn_kind_basins, &jn_kind_identify,    &jn_kind_optimise, NULL};

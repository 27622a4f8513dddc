/* All kinds of studies: a new one is a file of its own and a row here. */
#include "workflow/study/kinds.h"

/* Rows by the rule of samples, each one run from the model's start. */
static const jn_study_kind sweep = {.doc = "a run for each point"};

const jn_study_kind *const jn_study_kinds[] = {&sweep, NULL};

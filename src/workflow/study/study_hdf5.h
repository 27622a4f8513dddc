/* study.h5: the table and the samples of a study in one file. */
#ifndef JN_WORKFLOW_STUDY_STUDY_HDF5_H
#define JN_WORKFLOW_STUDY_STUDY_HDF5_H

#include "workflow/study/study.h"

int jn_study_hdf5_write(const jn_study *study, const char *folder, jn_report *report);
/* Of a row: what its state is called; a seed of its own. */
const char *jn_row_state_text(jn_row_state state);
uint64_t jn_study_row_seed(const jn_study *study, long row);

#endif

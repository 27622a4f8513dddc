/* A run as a file from which it goes on. */
#ifndef JN_WORKFLOW_RUN_CHECKPOINT_H
#define JN_WORKFLOW_RUN_CHECKPOINT_H

#include "workflow/analyse.h"

/* Writes, reads, and removes checkpoint.bin of the run's folder. JN_OK, or < 0 with a report. */
int jn_run_checkpoint_write(jn_recorder *recorder);
int jn_run_checkpoint_read(jn_recorder *recorder);
void jn_run_checkpoint_remove(const char *folder);
/* The caller's text of a checkpoint, jn_free it; NULL with a report: there is none. */
char *jn_run_checkpoint_note(const char *folder, jn_report *report);
/* After a row: writes if it is time. adams and bdf start anew at a few rows of a run that writes checkpoints, and write only there. */
void jn_run_checkpoint_row(jn_recorder *recorder, long row);
/* The run is stopped, between two steps: all rows so far are those of the grid. */
void jn_run_checkpoint_stop(jn_recorder *recorder);
double jn_wall_clock(void); /* [s] */

#endif

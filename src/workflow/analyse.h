/* The analyses of a run, each filling the rows of a result. */
#ifndef JN_WORKFLOW_ANALYSE_H
#define JN_WORKFLOW_ANALYSE_H

#include <jounce/workflow.h>

#include "step/between_steps.h"
#include "trace/impacts.h"
#include "trace/playback.h"
#include "trace/result.h"
#include "workflow/record_times.h"

enum { JN_PROBLEMS_MOST = 100 }; /* contact problems saved of a run */

typedef struct jn_recorder {
    const jn_model *model;
    jn_sim *sim;
    jn_channels *channels;
    jn_grid grid;
    jn_result *result;
    jn_playback playback;
    jn_series_writer *series; /* NULL: no series.csv */
    jn_report *report;
    jn_progress *progress;
    void *context;
    jn_watch watch; /* of files that are written after the run */
    long event_capacity, row_capacity;
    const char *folder; /* NULL: no files */
    int problems;       /* contact problems saved */
    jn_impact_keeper impacts;
    jn_look look; /* between two steps */
    /* run_checkpoint.c */
    double period;    /* [s] of wall time between two checkpoints; 0: none */
    double written;   /* [s] wall clock at the last one; with adams and bdf 0: none yet */
    const char *note; /* kept in them for the caller */
    bool resumes;     /* goes on from the folder's checkpoint */
    int threads;      /* of a step; < 1: as many as the machine has */
    bool resumable;   /* was stopped and has left one */
} jn_recorder;

/* JN_OK, JN_STOPPED, JN_NOT_CONVERGED or the error that broke the analysis off; the audit is judged. */
int jn_analyse(jn_recorder *recorder);

#endif

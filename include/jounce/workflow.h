/* Whole jobs: a model is run from start to end with its records, and judged by its own expectations. */
#ifndef JOUNCE_WORKFLOW_H
#define JOUNCE_WORKFLOW_H

#include <jounce/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Progress of a run: fraction done in 0..1; return false to stop it cleanly. */
typedef bool jn_progress(void *context, double time, double fraction);

/* Runs the model's analysis, keeps the series in memory and, if folder is given, writes summary.json, series.csv,
 * events.csv and result.h5 into it (created if missing): series.csv by a thread of its own while the run goes on. A run that breaks off or is stopped keeps what it computed.
 * NULL only if nothing could be run or kept; see the report. */
JN_API jn_result *jn_run(const jn_model *model, const char *folder, jn_progress *progress, void *context,
                         jn_report *report);

/* The same with more to choose. */
typedef struct jn_run_options {
    const char *folder; /* NULL: no files */
    jn_progress *progress;
    void *context;
    double checkpoint; /* [s] of wall time between two checkpoints in the folder; 0: only where the run is stopped */
    const char *note;  /* a text that is kept in the checkpoints, or NULL */
    bool resume;       /* goes on from the folder's checkpoint, with the same bits; the model must be that of the run */
} jn_run_options;
JN_API jn_result *jn_run_with(const jn_model *model, const jn_run_options *options, jn_report *report);

/* Judges all expect rows. Returns how many failed; out has room for all (jn_model_expects). */
JN_API int jn_result_verify(const jn_model *model, const jn_result *result, jn_verdict *out);
JN_API int jn_model_expects(const jn_model *model);

#ifdef __cplusplus
}
#endif

#endif

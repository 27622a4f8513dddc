/* Whole jobs: a model is run from start to end with its records, and judged by its own expectations. */
#ifndef JOUNCE_WORKFLOW_H
#define JOUNCE_WORKFLOW_H

#include <jounce/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Progress of a run: fraction done in 0..1; return false to stop it cleanly. */
typedef bool jn_progress(void *context, double time, double fraction);

/* Progress of a long file after the run: its name and the fraction that is written, in 0..1. */
typedef void jn_write_progress(void *context, const char *file, double fraction);

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
    int threads; /* of one step, jn_sim_use_threads; < 1: as many as the machine has. The same bits for any number */
    jn_write_progress *
        writing; /* with the context of progress, while result.h5 and what is left of series.csv are written; or NULL */
} jn_run_options;
JN_API jn_result *jn_run_with(const jn_model *model, const jn_run_options *options, jn_report *report);

/* Judges all expect rows. Returns how many failed; out has room for all (jn_model_expects). */
JN_API int jn_result_verify(const jn_model *model, const jn_result *result, jn_verdict *out);
JN_API int jn_model_expects(const jn_model *model);

/* ------------------------------------------------------------------------------------------------ parameter studies */

/* A study: a model, what is varied, what is measured, and the table of all runs. See docs/studies.md. Opaque. */
typedef struct jn_study jn_study;

/* Reads a study file and the model that it names; settings are for the model, as with --set. NULL on error, see the report. */
JN_API jn_study *jn_study_open(const char *path, const jn_setting *settings, int count, jn_report *report);
JN_API void jn_study_free(jn_study *study);
/* The JSON Schema of study files; free it by free(). NULL: no memory. */
JN_API char *jn_study_schema(void);

/* Called now and then while runs go on; return false to stop cleanly. wall: [s] that the runs done so far took, all together. */
typedef bool jn_study_progress(void *context, long done, long rows, double wall);

/* How a study is run. */
typedef struct jn_study_options {
    const char *folder; /* for study.csv, study.h5 and the journal; NULL: no files */
    int threads;        /* < 1: as many as the machine has */
    bool resume;        /* goes on from the folder's journal; the end has the same bits */
    jn_study_progress *progress;
    void *context;
} jn_study_options;

/* Does all runs. A run that fails is a row with its message. JN_OK; JN_STOPPED: what was done stays in the journal; < 0: see the report. */
JN_API int jn_study_perform(jn_study *study, const jn_study_options *options, jn_report *report);

/* The table: a row per run; columns are the varied parameters, then the measures. Names live as long as the study. */
JN_API const char *jn_study_title(const jn_study *study);
JN_API long jn_study_rows(const jn_study *study);
JN_API int jn_study_parameters(const jn_study *study);
JN_API int jn_study_columns(const jn_study *study); /* parameters included */
JN_API const char *jn_study_column_name(const jn_study *study, int column);
JN_API const char *jn_study_column_unit(const jn_study *study, int column);
JN_API double jn_study_value(const jn_study *study, long row, int column); /* NAN: the run failed, or was not done */
/* The model with the values of a row, compiled; jn_model_free it. Without expect rows. NULL: see the report. */
JN_API jn_model *jn_study_model(jn_study *study, long row, jn_report *report);
/* 0: not done; 1: good; 2: done, with a bad audit; 3: failed. Why a row is bad or failed: "" if it is good. */
JN_API int jn_study_state(const jn_study *study, long row);
JN_API const char *jn_study_message(const jn_study *study, long row);
/* Samples of a measure by `sample` or `compare` in a row: how many, each of *width numbers, the first its time, in *data as long as the
 * study has no new runs; 0: none. */
JN_API long jn_study_row_samples(const jn_study *study, const char *measure, long row, const double **data, int *width);

/* A number that the study has found from all its rows. */
typedef struct jn_finding {
    char name[96], unit[24];
    double value, low, high; /* low and high: 95 % interval, NAN: none */
} jn_finding;
JN_API int jn_study_findings(const jn_study *study);
JN_API const jn_finding *jn_study_finding(const jn_study *study, int index);

#ifdef __cplusplus
}
#endif

#endif

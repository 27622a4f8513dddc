/* What the files of this stage share about a result. */
#ifndef JN_TRACE_RESULT_H
#define JN_TRACE_RESULT_H

#include "step/sim.h"
#include <jounce/trace.h>

/* summary.json as text in result->summary. sim may be NULL where the final state is unknown. */
int jn_summary_write(const jn_model *model, jn_sim *sim, jn_result *result, const jn_verdict *verdicts);

/* A number of the summary by its path, such as "audit.energy_residual" or "modes.1.frequency". */
bool jn_summary_number(const jn_result *result, const char *path, double *value);
/* What stands behind "LIST.N." in a path, and N, from 1 to `most`; NULL: it is none of these. */
const char *jn_path_numbered(const char *path, const char *list, long most, long *number);
/* impacts.c: numbers of the N-th collision, "impact.N.body.NAME.vx" and others; impacts.json as text, jn_free it. */
bool jn_impact_number(const jn_result *result, const char *path, double *value);
char *jn_impacts_json(const jn_model *model, const jn_result *result);
/* k-th of the names that jn_summary_number knows, NULL after the last. */
const char *jn_summary_name(int k);

/* verify.c: names in expect rows that no run of the model has. all: its channels. */
void jn_expects_look(const jn_model *model, const jn_channels *all, jn_report *report);

/* Who looks on while a file is written; NULL: nobody. */
typedef struct jn_watch {
    void (*tell)(void *context, const char *file, double fraction);
    void *context;
} jn_watch;
static inline void jn_watch_tell(const jn_watch *watch, const char *file, double fraction) {
    if (watch && watch->tell) watch->tell(watch->context, file, fraction);
}

/* series.csv, written by a thread of its own while rows come in: formatting takes longer than most steps. csv.c */
typedef struct jn_series_writer jn_series_writer;
/* The rows of the result that are announced go into the file. NULL: out of memory. */
jn_series_writer *jn_series_writer_start(const jn_result *result, const char *path);
/* So many rows of the result are there and do not change any more. NULL is fine. */
void jn_series_writer_rows(jn_series_writer *writer, long rows);
/* Until the thread has written all that it knows of: then the rows may move. */
void jn_series_writer_wait(jn_series_writer *writer);
/* Waits until all rows are written, and releases the writer. JN_OK or JN_ERR_IO with a message. */
int jn_series_writer_finish(jn_series_writer *writer, const jn_watch *watch, jn_report *report);

/* One file each. JN_OK or JN_ERR_IO with a message. */
int jn_events_csv_write(const jn_result *result, const char *path, jn_report *report);
int jn_hdf5_write(const jn_model *model, const jn_result *result, const char *path, const jn_watch *watch,
                  jn_report *report);
int jn_impacts_csv_write(const jn_result *result, const char *path, jn_report *report);
int jn_text_write(const char *text, const char *path, jn_report *report);

/* Words of the run section. */
const char *jn_analysis_name(jn_analysis analysis);
const char *jn_method_name(jn_method method);
const char *jn_scheme_name(jn_scheme scheme);
const char *jn_stabilise_name(jn_stabilise stabilise);

#endif

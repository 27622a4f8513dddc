/* The runs of a study while they are done: who takes which task, and where rows go. */
#ifndef JN_WORKFLOW_STUDY_PERFORM_H
#define JN_WORKFLOW_STUDY_PERFORM_H

#include "workflow/study/journal.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct jn_perform {
    jn_study *study;
    const jn_study_options *options;
    jn_report *report;
    jn_journal *journal; /* NULL: none, or another process has it */
    /* The next task, or -1; where a row goes. Both by any thread. */
    long (*fetch)(struct jn_perform *perform);
    int (*take)(struct jn_perform *perform, const jn_row_bytes *bytes);
    atomic_long next;
    atomic_bool stop;
    pthread_mutex_t lock;
    int status;
    long done;
    double wall, synced; /* [s] of all rows done; wall clock of the last request to the disk */
    const char *folder;  /* for kept runs; NULL: none */
    void *context;       /* of fetch and take */
} jn_perform;

long jn_perform_next(jn_perform *perform);
int jn_perform_take(jn_perform *perform, const jn_row_bytes *bytes);
int jn_perform_open(jn_perform *perform, jn_study *study, const jn_study_options *options, jn_report *report);
int jn_perform_threads(jn_perform *perform, int threads);
int jn_perform_conclude(jn_perform *perform);
void jn_perform_close(jn_perform *perform);
int jn_study_threads(const jn_study_options *options);
/* Rows and findings of a study that was done, or is being done, in a folder; rows that are not there stay open. Status. */
int jn_study_load(jn_study *study, const char *folder, jn_report *report);

/* study.csv, samples_NAME.csv and study.h5. */
int jn_study_write(const jn_study *study, const char *folder, jn_report *report);
/* Runs the row again with all its results, if it is one to keep, into runs/N. */
void jn_study_keep(jn_study_worker *worker, long index, const jn_study_row *row);

#endif

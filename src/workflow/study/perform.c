/* All runs of a study: threads take the next task, rows go to the journal and the table. */
#include "workflow/study/perform.h"

#include "base/memory.h"
#include "base/pool.h"
#include "workflow/folder.h"
#include "workflow/run_checkpoint.h"

#include <string.h>

#define SYNC_EVERY 1.0     /* [s] between two requests to have the journal on the disk */
#define PROGRESS_EVERY 0.1 /* [s] between two looks at the caller's wish to stop within a run */

static bool task_is_done(const jn_study *s, long task) {
    for (long r = jn_study_task_first(s, task); r < jn_study_task_first(s, task + 1); r++)
        if (s->row[r].state == JN_ROW_OPEN) return false;
    return true;
}

long jn_perform_next(jn_perform *p) {
    long task;
    while ((task = atomic_fetch_add(&p->next, 1)) < p->study->tasks)
        if (!task_is_done(p->study, task)) return task;
    return -1;
}

/* Progress, and whether to go on; under the lock. */
static void report_progress(jn_perform *p) {
    double now = jn_wall_clock();
    if (p->journal && now - p->synced > SYNC_EVERY) {
        jn_journal_sync(p->journal);
        p->synced = now;
    }
    if (p->options->progress && !p->options->progress(p->options->context, p->done, p->study->rows, p->wall))
        atomic_store(&p->stop, true);
}

int jn_perform_take(jn_perform *p, const jn_row_bytes *bytes) {
    pthread_mutex_lock(&p->lock);
    int status = p->status; /* of another thread: one message is enough */
    if (status >= 0 && p->journal) status = jn_journal_add(p->journal, bytes, p->report);
    if (status >= 0 && !jn_row_unpack(p->study, bytes->bytes, bytes->length)) status = JN_ERR_MEMORY;
    if (status < 0) {
        p->status = status;
        atomic_store(&p->stop, true);
    } else {
        int64_t index;
        memcpy(&index, bytes->bytes, sizeof index);
        p->done++, p->wall += p->study->row[index].wall;
    }
    report_progress(p);
    pthread_mutex_unlock(&p->lock);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- threads */

typedef struct thread_context {
    jn_perform *perform;
    bool first;    /* this thread speaks to the caller while runs are long */
    double looked; /* [s] wall clock when it last did */
    jn_row_bytes bytes;
} thread_context;

static int hand_over(void *context, long index, const jn_study_row *row) {
    thread_context *t = context;
    if (!jn_row_pack(t->perform->study, index, row, &t->bytes)) return JN_ERR_MEMORY;
    return t->perform->take(t->perform, &t->bytes);
}

static bool goes_on(void *context) {
    thread_context *t = context;
    jn_perform *p = t->perform;
    double now = t->first ? jn_wall_clock() : 0;
    if (t->first && now - t->looked > PROGRESS_EVERY) {
        t->looked = now;
        pthread_mutex_lock(&p->lock);
        report_progress(p);
        pthread_mutex_unlock(&p->lock);
    }
    return !atomic_load(&p->stop);
}

int jn_study_row_done(jn_study_worker *w, long index, const jn_study_row *row) {
    if (row->state == JN_ROW_OPEN) return w->stopped ? JN_STOPPED : JN_ERR_MEMORY;
    jn_study_keep(w, index, row);
    return w->done(w->context, index, row);
}

/* The sweep: each row is a run of its own. */
static int run_rows(jn_study_worker *w, long task) {
    int status = JN_OK;
    for (long r = jn_study_task_first(w->study, task); status >= 0 && r < jn_study_task_first(w->study, task + 1);
         r++) {
        jn_study_row_run(w, r, NULL, w->row);
        status = jn_study_row_done(w, r, w->row);
    }
    return status;
}

static void work(void *context, int rank, int size) {
    jn_perform *p = context;
    jn_study *s = p->study;
    thread_context own = {.perform = p, .first = rank == 0};
    jn_study_worker *w = jn_malloc(sizeof *w);
    bool fine = w && jn_study_worker_create(w, s);
    (void)size;
    if (fine) w->done = hand_over, w->goes_on = goes_on, w->context = &own, w->folder = p->folder;
    int status = fine ? JN_OK : JN_ERR_MEMORY;
    for (long task; status >= 0 && !atomic_load(&p->stop) && (task = p->fetch(p)) >= 0;)
        status = s->kind->perform ? s->kind->perform(w, task) : run_rows(w, task);
    if (status < 0) {
        pthread_mutex_lock(&p->lock);
        if (p->status >= 0) p->status = status;
        pthread_mutex_unlock(&p->lock);
        atomic_store(&p->stop, true);
    }
    if (w) jn_study_worker_free(w);
    jn_free(w);
    jn_free(own.bytes.bytes);
}

int jn_perform_threads(jn_perform *p, int threads) {
    jn_pool *pool = threads > 1 ? jn_pool_create(threads) : NULL;
    jn_pool_run(pool, work, p);
    jn_pool_free(pool);
    return p->status;
}

/* ------------------------------------------------------------------------------------------------------------ study */

int jn_study_threads(const jn_study_options *o) {
    return o->threads > 0 ? o->threads : jn_pool_processors();
}

int jn_perform_open(jn_perform *p, jn_study *s, const jn_study_options *o, jn_report *report) {
    *p = (jn_perform){.study = s,
                      .options = o,
                      .report = report,
                      .fetch = jn_perform_next,
                      .take = jn_perform_take,
                      .folder = o->folder};
    pthread_mutex_init(&p->lock, NULL);
    for (long r = 0; r < s->rows; r++) jn_row_clear(s, &s->row[r]);
    if (!o->folder) return JN_OK;
    int made = jn_folder_make(o->folder, report);
    if (made < 0) return made;
    p->journal = jn_journal_open(s, o->folder, o->resume, &p->done, report);
    p->synced = jn_wall_clock();
    for (long r = 0; r < s->rows; r++) p->wall += s->row[r].wall;
    return p->journal ? JN_OK : JN_ERR_IO;
}

void jn_perform_close(jn_perform *p) {
    jn_journal_sync(p->journal);
    jn_journal_close(p->journal);
    pthread_mutex_destroy(&p->lock);
}

/* After all rows: what the kind makes of them; it may plan more. */
int jn_perform_conclude(jn_perform *p) {
    jn_study *s = p->study;
    long rows = s->rows;
    s->findings = 0;
    int status = s->kind->conclude ? s->kind->conclude(s, p->report) : JN_OK;
    if (s->rows > rows && !jn_study_rows_create(s, rows, s->rows)) return JN_ERR_MEMORY;
    if (s->rows > rows && p->options->resume) p->done += jn_journal_reload(p->journal, s);
    return status;
}

int jn_study_perform(jn_study *s, const jn_study_options *o, jn_report *report) {
    jn_perform p;
    jn_study_options none = {0};
    int status = jn_perform_open(&p, s, o ? o : &none, report);
    for (bool more = status >= 0; more;) {
        atomic_store(&p.next, 0);
        status = jn_perform_threads(&p, jn_study_threads(p.options));
        more = false;
        if (status >= 0 && atomic_load(&p.stop)) status = JN_STOPPED;
        if (status == JN_OK) status = jn_perform_conclude(&p), more = status > 0;
    }
    if (status < 0 && report && !report->errors)
        jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){s->path, 0, 0}, NULL, "the study ended: %s",
                      jn_status_text(status));
    jn_perform_close(&p);
    if (status >= 0 && p.options->folder) {
        int written = jn_study_write(s, p.options->folder, report);
        if (written < 0) status = written;
    }
    return status;
}

static bool all_done(const jn_study *s) {
    for (long r = 0; r < s->rows; r++)
        if (s->row[r].state == JN_ROW_OPEN) return false;
    return true;
}

int jn_study_load(jn_study *s, const char *folder, jn_report *report) {
    jn_perform p = {.study = s, .options = &(jn_study_options){.resume = true}, .report = report};
    for (long r = 0; r < s->rows; r++) jn_row_clear(s, &s->row[r]);
    p.journal = jn_journal_view(s, folder, &p.done, report);
    int status = p.journal ? 1 : JN_ERR_IO;
    while (status > 0 && all_done(s)) status = jn_perform_conclude(&p);
    jn_journal_close(p.journal);
    return status < 0 ? status : JN_OK;
}

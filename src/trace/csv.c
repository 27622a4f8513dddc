/* series.csv and events.csv: numbers re-read equal. */
#include "base/file.h"
#include "base/memory.h"
#include "trace/print_number.h"
#include "trace/result.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Buffered output that remembers its first failure. */
typedef struct out_file {
    FILE *file;
    const char *path;
    int error; /* errno */
} out_file;

static void put(out_file *o, const char *text, size_t length) {
    if (!o->error && fwrite(text, 1, length, o->file) != length) o->error = errno ? errno : EIO;
}

/* A text as one field, quoted where it must be. [RFC 4180] */
static void put_field(out_file *o, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        put(o, text, strlen(text));
        return;
    }
    put(o, "\"", 1);
    for (const char *p = text; *p; p++) put(o, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
    put(o, "\"", 1);
}

static int open_file(out_file *o, const char *path, jn_report *report) {
    errno = 0;
    *o = (out_file){fopen(path, "w"), path, 0};
    if (o->file) return JN_OK;
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "cannot be written: %s",
                  strerror(errno));
    return JN_ERR_IO;
}

/* Cuts a file behind its last line that is whole. */
static void keep_whole_lines(const char *path) {
    struct stat info;
    char block[4096];
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    off_t end = !fstat(file, &info) && S_ISREG(info.st_mode) ? info.st_size : -1;
    while (end > 0) {
        off_t from = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
        ssize_t n = pread(file, block, (size_t)(end - from), from);
        if (n != end - from) break;
        while (n > 0 && block[n - 1] != '\n') n--;
        end = from + n;
        if (n > 0) break;
    }
    if (end >= 0 && ftruncate(file, end)) { /* nothing more can be done */
    }
    close(file);
}

/* A table that could not be written to its end keeps its whole lines. */
static int close_file(out_file *o, jn_report *report) {
    errno = 0;
    if (fclose(o->file) && !o->error) o->error = errno ? errno : EIO;
    if (!o->error) return JN_OK;
    keep_whole_lines(o->path);
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){o->path, 0, 0}, NULL, "cannot be written: %s",
                         strerror(o->error));
}

/* ------------------------------------------------------------------------------------------------------- series */

enum {
    BATCH = 1 << 16
}; /* numbers that are announced to the thread at once: a lock per step would cost more than the step */

struct jn_series_writer {
    const jn_result *result;
    char path[4096];
    long announced; /* rows, as the run knows */
    bool threaded;  /* else all is written at the end */
    pthread_t thread;
    pthread_mutex_t lock; /* of the four below */
    pthread_cond_t change;
    long ready; /* rows to write, */
    long done;  /* and those that are written */
    bool last;  /* no more will come */
    bool ended; /* the thread writes no more: that was the last, or the file fails */
    out_file out;
    long written;
};

static void put_head(jn_series_writer *w) {
    put(&w->out, "time", 4);
    for (int i = 0; i < w->result->channels; i++) {
        put(&w->out, ",", 1);
        put_field(&w->out, w->result->names[i]);
    }
    put(&w->out, "\n", 1);
}

/* Rows up to `end`, a line at a time. */
static void put_rows(jn_series_writer *w, long end) {
    char number[JN_NUMBER_SIZE + 1];
    int channels = w->result->channels;
    const double *value = w->result->data + (size_t)w->written * ((size_t)channels + 1);
    for (; w->written < end && !w->out.error; w->written++)
        for (int i = 0; i <= channels; i++) {
            int length = jn_number_write(*value++, number);
            number[length] = i == channels ? '\n' : ',';
            put(&w->out, number, (size_t)length + 1);
        }
}

static void *write_along(void *context) {
    jn_series_writer *w = context;
    bool last = false;
    while (!last) {
        pthread_mutex_lock(&w->lock);
        while (w->ready == w->written && !w->last && !w->out.error) pthread_cond_wait(&w->change, &w->lock);
        long ready = w->ready, piece = w->written + BATCH / (w->result->channels + 1) + 1;
        if (piece > ready) piece = ready;
        last = (w->last && piece == ready) || w->out.error;
        pthread_mutex_unlock(&w->lock);
        put_rows(w, piece);
        pthread_mutex_lock(&w->lock);
        w->done = piece, w->ended = last;
        pthread_cond_broadcast(&w->change);
        pthread_mutex_unlock(&w->lock);
    }
    return NULL;
}

static void announce(jn_series_writer *w, long rows, bool last) {
    pthread_mutex_lock(&w->lock);
    w->ready = rows, w->last = last;
    pthread_cond_broadcast(&w->change);
    pthread_mutex_unlock(&w->lock);
}

jn_series_writer *jn_series_writer_start(const jn_result *r, const char *path) {
    jn_series_writer *w = jn_malloc(sizeof *w);
    if (!w) return NULL;
    memset(w, 0, sizeof *w);
    w->result = r;
    snprintf(w->path, sizeof w->path, "%s", path);
    errno = 0;
    w->out = (out_file){fopen(path, "w"), w->path, 0};
    if (!w->out.file) {
        w->out.error = errno ? errno : EIO;
        return w;
    }
    put_head(w);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    w->threaded = !pthread_create(&w->thread, NULL, write_along, w);
    return w;
}

void jn_series_writer_rows(jn_series_writer *w, long rows) {
    if (!w || !w->threaded || (rows - w->announced) * (long)(w->result->channels + 1) < BATCH) return;
    announce(w, rows, false);
    w->announced = rows;
}

void jn_series_writer_wait(jn_series_writer *w) {
    if (!w || !w->threaded) return;
    pthread_mutex_lock(&w->lock);
    while (w->done != w->ready && !w->ended) pthread_cond_wait(&w->change, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

/* Until the thread has written all rows. */
static void watch_rows(jn_series_writer *w, const jn_watch *watch) {
    long rows = w->result->rows, done;
    bool ended = false;
    while (!ended) {
        pthread_mutex_lock(&w->lock);
        done = w->done;
        while (w->done == done && !w->ended) pthread_cond_wait(&w->change, &w->lock);
        done = w->done, ended = w->ended;
        pthread_mutex_unlock(&w->lock);
        if (rows > 0) jn_watch_tell(watch, "series.csv", (double)done / (double)rows);
    }
}

int jn_series_writer_finish(jn_series_writer *w, const jn_watch *watch, jn_report *report) {
    int status = JN_OK;
    if (!w) return status;
    if (!w->out.file) {
        status = jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){w->path, 0, 0}, NULL,
                               "cannot be written: %s", strerror(w->out.error));
    } else {
        if (w->threaded) {
            announce(w, w->result->rows, true);
            watch_rows(w, watch);
            pthread_join(w->thread, NULL);
        }
        put_rows(w, w->result->rows);
        status = close_file(&w->out, report);
        pthread_cond_destroy(&w->change);
        pthread_mutex_destroy(&w->lock);
    }
    jn_free(w);
    return status;
}

/* ------------------------------------------------------------------------------------------- events and impacts */

int jn_events_csv_write(const jn_result *r, const char *path, jn_report *report) {
    static const char head[] = "time,kind,where,speed_before,speed_after,impulse_n,impulse_t\n";
    out_file o;
    char number[JN_NUMBER_SIZE];
    if (open_file(&o, path, report) < 0) return JN_ERR_IO;
    put(&o, head, sizeof head - 1);
    for (long k = 0; k < r->event_count; k++) {
        const jn_event *e = &r->events[k].event;
        const double values[] = {e->speed_before, e->speed_after, e->impulse_n, e->impulse_t};
        put(&o, number, (size_t)jn_number_write(e->time, number));
        put(&o, ",", 1);
        put_field(&o, e->kind);
        put(&o, ",", 1);
        put_field(&o, e->where);
        for (int i = 0; i < 4; i++) {
            put(&o, ",", 1);
            put(&o, number, (size_t)jn_number_write(values[i], number));
        }
        put(&o, "\n", 1);
    }
    return close_file(&o, report);
}

static void put_numbers(out_file *o, const double *value, int count, int columns) {
    char number[JN_NUMBER_SIZE];
    for (int i = 0; i < columns; i++) {
        put(o, ",", 1);
        if (i < count) put(o, number, (size_t)jn_number_write(value[i], number));
    }
}

/* One row per contact of each collision; velocities and impulses along the normal and the tangents. */
int jn_impacts_csv_write(const jn_result *r, const char *path, jn_report *report) {
    static const char head[] =
        "impact,time,kind,contact,first_body,second_body,x,y,z,nx,ny,nz,vn_before,vt1_before,vt2_before,"
        "vn_after,vt1_after,vt2_after,pn,pt1,pt2,normal_work,tangential_work,slip,kinetic_before,kinetic_after\n";
    static const char *const slip[] = {"none", "stick", "slide"};
    out_file o;
    char number[JN_NUMBER_SIZE];
    if (open_file(&o, path, report) < 0) return JN_ERR_IO;
    put(&o, head, sizeof head - 1);
    for (long i = 0; i < r->impacts_kept; i++)
        for (int c = 0; c < r->impacts[i].contacts; c++) {
            const jn_impact_kept *k = &r->impacts[i];
            int d = k->dimension, at = d * c;
            const double energy[2] = {k->energy, k->energy + k->change}, work[2] = {k->normal_of[c], k->slide_of[c]};
            put(&o, number, (size_t)jn_number_write((double)(i + 1), number));
            put_numbers(&o, &k->time, 1, 1);
            const char *const words[] = {k->kind, k->name[c], r->bodies[k->body[c][0]], r->bodies[k->body[c][1]]};
            for (int w = 0; w < 4; w++) {
                put(&o, ",", 1);
                put_field(&o, words[w]);
            }
            put_numbers(&o, k->point[c].r, 3, 3);
            put_numbers(&o, k->point[c].normal, 3, 3);
            put_numbers(&o, k->before + at, d, 3);
            put_numbers(&o, k->after + at, d, 3);
            put_numbers(&o, k->p + at, d, 3);
            put_numbers(&o, work, 2, 2);
            put(&o, ",", 1);
            put_field(&o, slip[k->slip[c]]);
            put_numbers(&o, energy, 2, 2);
            put(&o, "\n", 1);
        }
    return close_file(&o, report);
}

int jn_text_write(const char *text, const char *path, jn_report *report) {
    int error = jn_file_replace(path, text, strlen(text));
    if (!error) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "cannot be written: %s",
                         strerror(error));
}

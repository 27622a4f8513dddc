/* series.csv and events.csv: numbers re-read equal. */
#include "base/file.h"
#include "trace/print_number.h"
#include "trace/result.h"
#include <errno.h>
#include <fcntl.h>
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
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "cannot be written: %s",
                         strerror(errno));
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
    if (end < 0 || ftruncate(file, end)) end = 0; /* nothing more can be done */
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

int jn_series_csv_write(const jn_result *r, const char *path, jn_report *report) {
    out_file o;
    char number[JN_NUMBER_SIZE + 1];
    if (open_file(&o, path, report) < 0) return JN_ERR_IO;
    put(&o, "time", 4);
    for (int i = 0; i < r->channels; i++) {
        put(&o, ",", 1);
        put_field(&o, r->names[i]);
    }
    put(&o, "\n", 1);
    const double *value = r->data;
    for (long row = 0; row < r->rows && !o.error; row++)
        for (int i = 0; i <= r->channels; i++) {
            int length = jn_number_write(*value++, number);
            number[length] = i == r->channels ? '\n' : ',';
            put(&o, number, (size_t)length + 1);
        }
    return close_file(&o, report);
}

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
    int error = jn_file_write(path, text, strlen(text));
    if (!error) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "cannot be written: %s",
                         strerror(error));
}

/* series.csv and events.csv: numbers re-read equal. */
#include "trace/number.h"
#include "trace/result.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

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

static int close_file(out_file *o, jn_report *report) {
    if (fclose(o->file) && !o->error) o->error = errno ? errno : EIO;
    if (!o->error) return JN_OK;
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

int jn_text_write(const char *text, const char *path, jn_report *report) {
    out_file o;
    if (open_file(&o, path, report) < 0) return JN_ERR_IO;
    put(&o, text, strlen(text));
    return close_file(&o, report);
}

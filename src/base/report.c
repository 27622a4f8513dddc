/* Messages of one call, kept as plain data. */
#include <jounce/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void jn_report_clear(jn_report *report) { report->count = report->errors = report->warnings = 0; }

/* Copies at most size - 1 bytes and never cuts a UTF-8 character in two. */
static void copy_text(char *out, size_t size, const char *text, size_t length) {
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    memcpy(out, text, length);
    out[length] = '\0';
}

/* Takes out the last message that is no error; false if all are errors. */
static bool drop_remark(jn_report *report) {
    int i = report->count - 1;
    while (i >= 0 && report->item[i].severity == JN_SEVERITY_ERROR) i--;
    if (i < 0) return false;
    memmove(&report->item[i], &report->item[i + 1], (size_t)(report->count - 1 - i) * sizeof report->item[0]);
    report->count--;
    return true;
}

int jn_report_add(jn_report *report, jn_severity severity, int status, jn_where where, const char *path,
                  const char *format, ...) {
    char message[sizeof((jn_error *)0)->text + sizeof((jn_error *)0)->hint];
    jn_error *error;
    const char *hint;
    va_list args;

    if (!report) {
        return status;
    }
    report->errors += severity == JN_SEVERITY_ERROR;
    report->warnings += severity == JN_SEVERITY_WARNING;
    if (report->count >= JN_REPORT_CAPACITY && !(severity == JN_SEVERITY_ERROR && drop_remark(report))) {
        return status;
    }
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);

    error = &report->item[report->count++];
    memset(error, 0, sizeof *error);
    error->severity = severity;
    error->status = status;
    error->line = where.line;
    error->column = where.column;
    hint = strchr(message, '\n');
    copy_text(error->file, sizeof error->file, where.file ? where.file : "", where.file ? strlen(where.file) : 0);
    copy_text(error->path, sizeof error->path, path ? path : "", path ? strlen(path) : 0);
    copy_text(error->text, sizeof error->text, message, hint ? (size_t)(hint - message) : strlen(message));
    if (hint) {
        copy_text(error->hint, sizeof error->hint, hint + 1, strlen(hint + 1));
    }
    return status;
}

void jn_error_format(const jn_error *error, char *buffer, size_t size) {
    char place[sizeof error->file + 32] = "";
    bool hint = error->hint[0] != '\0';

    if (error->line > 0) {
        snprintf(place, sizeof place, "%s:%d:%d: ", error->file, error->line, error->column);
    } else if (error->file[0]) {
        snprintf(place, sizeof place, "%s: ", error->file);
    }
    if (size > 0) {
        snprintf(buffer, size, "%s%s%s%s%s", place, error->text, hint ? " (" : "", error->hint, hint ? ")" : "");
    }
}

#include "workflow/study/journal.h"

#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { RECORD = 256, MAGIC = 0x4a4e5352, FORMAT = 1 };

/* One record. A row takes as many as it needs, one behind the other. */
typedef struct record {
    uint32_t magic, format;
    uint64_t study; /* hash */
    uint64_t row;
    uint32_t part, parts;  /* of the row */
    uint32_t used, unused; /* bytes of the payload */
    unsigned char payload[RECORD - 48];
    uint64_t check; /* of all before */
} record;
_Static_assert(sizeof(record) == RECORD, "records have no holes");

struct jn_journal {
    int file;
    uint64_t study;
    record *buffer;
    size_t room; /* records */
    char path[4096];
    off_t end;
};

/* ---------------------------------------------------------------------------------------------------- row as bytes */

/* What stands before the numbers. */
typedef struct head {
    int64_t row, steps;
    uint64_t hash;
    double wall;
    int32_t state, columns, lists, message; /* message: its length */
} head;

static bool make_room(jn_row_bytes *out, size_t more) {
    if (out->length + more <= out->room) return true;
    size_t room = 2 * (out->length + more);
    unsigned char *wide = jn_realloc(out->bytes, room);
    if (!wide) return false;
    out->bytes = wide, out->room = room;
    return true;
}

static bool put(jn_row_bytes *out, const void *bytes, size_t length) {
    if (!make_room(out, length)) return false;
    if (length) memcpy(out->bytes + out->length, bytes, length);
    out->length += length;
    return true;
}

static size_t list_width(const jn_study *s, int list) {
    for (int i = 0; i < s->measures; i++) {
        if (s->measure[i].samples == list) return (size_t)s->measure[i].channels + 1;
        if (s->measure[i].slopes == list) return (size_t)s->varies + 1;
    }
    return 1;
}

bool jn_row_pack(const jn_study *s, long index, const jn_study_row *row, jn_row_bytes *out) {
    head h;
    memset(&h, 0, sizeof h);
    h.row = index, h.steps = row->steps, h.hash = row->hash, h.wall = row->wall;
    h.state = (int32_t)row->state, h.columns = s->columns, h.lists = s->lists;
    h.message = (int32_t)strlen(row->message);
    out->length = 0;
    bool fine = put(out, &h, sizeof h) && put(out, row->message, (size_t)h.message) &&
                put(out, row->value, (size_t)s->columns * sizeof(double));
    for (int k = 0; fine && k < s->lists; k++) {
        int64_t count = row->samples[k].count;
        fine = put(out, &count, sizeof count) &&
               put(out, row->samples[k].data, (size_t)count * list_width(s, k) * sizeof(double));
    }
    return fine;
}

bool jn_row_unpack(jn_study *s, const unsigned char *bytes, size_t length) {
    head h;
    const unsigned char *end = bytes + length;
    if (length < sizeof h) return false;
    memcpy(&h, bytes, sizeof h);
    bytes += sizeof h;
    if (h.row < 0 || h.row >= s->rows || h.columns != s->columns || h.lists != s->lists || h.message < 0 ||
        h.message >= (int32_t)sizeof s->row->message ||
        (size_t)(end - bytes) < (size_t)h.message + (size_t)s->columns * sizeof(double))
        return false;
    jn_study_row *row = &s->row[h.row];
    jn_row_clear(s, row);
    memcpy(row->message, bytes, (size_t)h.message);
    row->message[h.message] = 0;
    bytes += h.message;
    if (s->columns) memcpy(row->value, bytes, (size_t)s->columns * sizeof(double));
    bytes += (size_t)s->columns * sizeof(double);
    for (int k = 0; k < s->lists; k++) {
        int64_t count;
        size_t width = list_width(s, k) * sizeof(double);
        if ((size_t)(end - bytes) < sizeof count) return false;
        memcpy(&count, bytes, sizeof count);
        bytes += sizeof count;
        if (count < 0 || (size_t)count > (size_t)(end - bytes) / width) return false;
        row->samples[k] = (jn_study_samples){count, count, count ? jn_malloc((size_t)count * width) : NULL};
        if (count && !row->samples[k].data) return row->samples[k].count = 0, false;
        if (count) memcpy(row->samples[k].data, bytes, (size_t)count * width);
        bytes += (size_t)count * width;
    }
    row->steps = (long)h.steps, row->hash = h.hash, row->wall = h.wall, row->state = (jn_row_state)h.state;
    return true;
}

/* --------------------------------------------------------------------------------------------------------- records */

static uint64_t check_of(const record *r) { return jn_hash_bytes(JN_HASH_START, r, offsetof(record, check)); }

static bool is_sound(const record *r) {
    return r->magic == MAGIC && r->format == FORMAT && r->used <= sizeof r->payload && r->check == check_of(r);
}

static bool reserve(jn_journal *j, size_t records) {
    if (records <= j->room) return true;
    record *wide = jn_realloc(j->buffer, 2 * records * sizeof *wide);
    if (!wide) return false;
    j->buffer = wide, j->room = 2 * records;
    return true;
}

int jn_journal_add(jn_journal *j, const jn_row_bytes *row, jn_report *report) {
    const size_t payload = sizeof((record *)0)->payload;
    size_t parts = (row->length + payload - 1) / payload;
    int64_t index;
    memcpy(&index, row->bytes, sizeof index);
    if (!reserve(j, parts)) return JN_ERR_MEMORY;
    for (size_t k = 0; k < parts; k++) {
        record *r = &j->buffer[k];
        size_t rest = row->length - k * payload;
        memset(r, 0, sizeof *r);
        r->magic = MAGIC, r->format = FORMAT, r->study = j->study, r->row = (uint64_t)index;
        r->part = (uint32_t)k, r->parts = (uint32_t)parts, r->used = (uint32_t)(rest < payload ? rest : payload);
        memcpy(r->payload, row->bytes + k * payload, r->used);
        r->check = check_of(r);
    }
    const char *from = (const char *)j->buffer;
    off_t at = j->end;
    for (size_t left = parts * sizeof(record); left;) {
        ssize_t done = pwrite(j->file, from, left, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) /* perhaps within a record: the next one goes over it */
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){j->path, 0, 0}, NULL,
                                 "cannot be written: %s\nmake room and go on with --resume: rows written so far stay",
                                 strerror(errno));
        from += done, left -= (size_t)done, at += done;
    }
    j->end = at;
    return JN_OK;
}

/* All whole rows, wherever records between them are damaged. Returns how many rows the table has got. */
static long load(jn_journal *j, jn_study *s, bool *foreign) {
    jn_row_bytes row = {0};
    record r;
    long rows = 0;
    uint32_t next = 0;
    off_t at = 0, good = 0;
    for (; pread(j->file, &r, sizeof r, at) == (ssize_t)sizeof r; at += (off_t)sizeof r) {
        if (!is_sound(&r)) {
            next = 0;
            continue;
        }
        if (r.study != j->study) {
            *foreign = true;
            break;
        }
        good = at + (off_t)sizeof r;
        if (r.part == 0) row.length = 0, next = 0;
        if (r.part != next || !put(&row, r.payload, r.used)) {
            next = 0;
            continue;
        }
        next++;
        if (next < r.parts) continue;
        next = 0;
        if (r.row < (uint64_t)s->rows && s->row[r.row].state == JN_ROW_OPEN && jn_row_unpack(s, row.bytes, row.length))
            rows++;
    }
    j->end = good; /* a record that was cut off is written over */
    jn_free(row.bytes);
    return rows;
}

long jn_journal_reload(jn_journal *j, jn_study *s) {
    bool foreign = false;
    return j ? load(j, s, &foreign) : 0;
}

/* ------------------------------------------------------------------------------------------------------------ file */

static int fail(const char *path, const char *what, jn_report *report) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "%s: %s", what,
                         strerror(errno));
}

/* Rows of the journal into the table. False: it is of another study. */
static bool take_rows(jn_journal *j, jn_study *s, long *rows, jn_report *report) {
    bool foreign = false;
    *rows = load(j, s, &foreign);
    if (!foreign) return true;
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){j->path, 0, 0}, NULL,
                  "the journal is of another study, or the study file, the model or the program has changed "
                  "since\nstart again without --resume");
    return false;
}

static bool restore(jn_journal *j, jn_study *s, long *rows, jn_report *report) {
    return take_rows(j, s, rows, report) &&
           (ftruncate(j->file, j->end) == 0 || fail(j->path, "the journal cannot be shortened", report) == 0);
}

/* The only one to write. A process that was killed a moment ago may still have it: 3 s of patience. */
static bool lock(const jn_journal *j) {
    for (int k = 0; k < 60; k++) {
        if (!flock(j->file, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
            return true; /* or the file system has no locks */
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
    return false;
}

static jn_journal *create(const jn_study *s, const char *folder, jn_report *report) {
    jn_journal *j = jn_malloc(sizeof *j);
    if (!j) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){s->path, 0, 0}, NULL, "out of memory");
        return NULL;
    }
    *j = (jn_journal){.study = s->hash, .file = -1};
    snprintf(j->path, sizeof j->path, "%.4000s/study.journal", folder);
    return j;
}

jn_journal *jn_journal_view(jn_study *s, const char *folder, long *rows, jn_report *report) {
    jn_journal *j = create(s, folder, report);
    *rows = 0;
    if (!j) return NULL;
    j->file = open(j->path, O_RDONLY | O_CLOEXEC);
    if (j->file < 0)
        fail(j->path, "the journal cannot be opened", report);
    else if (take_rows(j, s, rows, report))
        return j;
    jn_journal_close(j);
    return NULL;
}

jn_journal *jn_journal_open(jn_study *s, const char *folder, bool resume, long *rows, jn_report *report) {
    jn_journal *j = create(s, folder, report);
    *rows = 0;
    if (!j) return NULL;
    if (!resume) {
        char old[4096 + 8];
        struct stat info;
        snprintf(old, sizeof old, "%s.old", j->path);
        if (stat(j->path, &info) == 0 && info.st_size > 0) rename(j->path, old);
    }
    j->file = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (j->file < 0)
        fail(j->path, "the journal cannot be opened", report);
    else if (!lock(j))
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){j->path, 0, 0}, NULL,
                      "another process works on this study\nwait for it, or choose another folder with -o");
    else if (!resume || restore(j, s, rows, report))
        return j;
    jn_journal_close(j);
    return NULL;
}

void jn_journal_sync(jn_journal *j) {
    if (j) fdatasync(j->file);
}

void jn_journal_close(jn_journal *j) {
    if (!j) return;
    if (j->file >= 0) close(j->file);
    jn_free(j->buffer);
    jn_free(j);
}

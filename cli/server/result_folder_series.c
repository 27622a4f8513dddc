/* Thinning: series by smallest and largest of buckets, frames and events by every k-th. */
#include "base/memory.h"
#include "server/result_folder.h"
#include "trace/json_writer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 16 }; /* rows read at once */
#define LIVE_VALUES 4e6   /* of a run in progress that are all looked at */

/* ------------------------------------------------------------------------------------------------------- series */

typedef struct span {
    long first, rows, buckets; /* rows of the folder; buckets 0: all rows as they are */
    bool even;
} span;

static long bucket_start(const span *s, long k) { return (long)((double)s->rows * (double)k / (double)s->buckets); }

/* A bucket's two values in the order in which they occur; for the time, those of its first and of its middle row. */
typedef struct bucket {
    double low, high;
    bool low_first;
} bucket;

static void bucket_take(bucket *b, double x) {
    if (!(x >= b->low)) b->low = x, b->low_first = false;
    if (!(x <= b->high)) b->high = x, b->low_first = true;
}

/* One channel through the buckets, block by block. O(rows) time, O(1) memory. */
static bool thin(const cli_folder *f, int channel, const span *s, double *block, double *out) {
    long bucket_index = 0, end = bucket_start(s, 1), start = 0;
    bucket b = {NAN, NAN, false};
    for (long row = 0; row < s->rows; row += BLOCK) {
        long count = s->rows - row < BLOCK ? s->rows - row : BLOCK;
        if (!cli_folder_read(f, channel, s->first + row, count, block)) return false;
        for (long i = 0; i < count; i++) {
            long at = row + i;
            if (channel == -2 || s->even) {
                if (at == start) out[2 * bucket_index] = block[i];
                if (at == (start + end) / 2) out[2 * bucket_index + 1] = block[i];
            } else {
                bucket_take(&b, block[i]);
            }
            if (at + 1 < end) continue;
            if (channel != -2 && !s->even) {
                out[2 * bucket_index] = b.low_first ? b.low : b.high;
                out[2 * bucket_index + 1] = b.low_first ? b.high : b.low;
                b = (bucket){NAN, NAN, false};
            }
            bucket_index++, start = end, end = bucket_start(s, bucket_index + 1);
        }
    }
    if (s->rows > 0) out[2 * s->buckets - 1] = block[(s->rows - 1) % BLOCK]; /* the last value is the last value */
    return true;
}

/* A long run in progress lies in the file row by row: two rows of each bucket are read, and peaks between them are not seen. */
static bool sample(const cli_folder *f, int channel, const span *s, double *out) {
    for (long k = 0; k < s->buckets; k++) {
        long start = bucket_start(s, k), middle = (start + bucket_start(s, k + 1)) / 2;
        if (k + 1 == s->buckets) middle = s->rows - 1;
        if (!cli_folder_read(f, channel, s->first + start, 1, &out[2 * k]) ||
            !cli_folder_read(f, channel, s->first + middle, 1, &out[2 * k + 1]))
            return false;
    }
    return true;
}

static bool take(const cli_folder *f, int channel, const span *s, double *block, double *out) {
    if (s->buckets && f->running && (double)s->rows * f->channels > LIVE_VALUES) return sample(f, channel, s, out);
    return s->buckets ? thin(f, channel, s, block, out) : cli_folder_read(f, channel, s->first, s->rows, out);
}

bool cli_series_read(const cli_folder *f, const int *channel, int channels, double from, double to, long n, bool even,
                     cli_series *out) {
    span s = {.even = even};
    *out = (cli_series){0};
    long last = -1;
    if (f->rows > 0) s.first = cli_folder_row(f, from), last = cli_folder_row(f, to);
    s.rows = last - s.first + 1;
    if (s.rows < 0) return false;                  /* times that do not ascend: a damaged file */
    if (last + 1 < f->rows && last >= 0) s.rows++; /* one beyond each end, so that lines reach the borders */
    if (s.rows > 2 * n) s.buckets = n;
    out->count = (int)(s.buckets ? 2 * s.buckets : s.rows);
    size_t bytes = ((size_t)out->count + 1) * sizeof(double);
    double *block = jn_malloc(BLOCK * sizeof *block);
    out->value = jn_malloc(((size_t)channels + 1) * sizeof *out->value);
    out->time = jn_malloc(bytes);
    bool fine = block && out->value && out->time && take(f, -2, &s, block, out->time);
    for (int i = 0; out->value && i < channels; i++) {
        out->value[i] = jn_malloc(bytes);
        fine = fine && out->value[i] && take(f, channel[i], &s, block, out->value[i]);
    }
    jn_free(block);
    if (!fine) cli_series_free(out, channels);
    return fine;
}

void cli_series_free(cli_series *s, int channels) {
    for (int i = 0; s->value && i < channels; i++) jn_free(s->value[i]);
    jn_free(s->value);
    jn_free(s->time);
    *s = (cli_series){0};
}

/* ------------------------------------------------------------------------------------------------------- motion */

enum { HEAD = 16, FRAME_HEAD = 16, POSE = 28, CONTACT = 28 };

typedef struct frames {
    FILE *file;
    uint32_t bodies;
    long size; /* bytes of the file */
} frames;

static bool frames_open(const cli_folder *f, frames *m) {
    char head[HEAD];
    m->file = cli_folder_file(f, "motion.bin");
    if (!m->file) return false;
    bool fine = fread(head, 1, HEAD, m->file) == HEAD && !memcmp(head, "JNMOTN1\n", 8);
    if (fine) memcpy(&m->bodies, head + 8, sizeof m->bodies);
    fine = fine && m->bodies < 1u << 24 && !fseek(m->file, 0, SEEK_END) && (m->size = ftell(m->file)) >= HEAD &&
           !fseek(m->file, HEAD, SEEK_SET);
    if (!fine) fclose(m->file);
    return fine;
}

/* Bytes of the frame at the file's place, which stays; 0: no whole frame. */
static long frame_size(const frames *m, long at) {
    uint32_t contacts;
    if (at + FRAME_HEAD > m->size || fseek(m->file, at, SEEK_SET) || fread(&contacts, 4, 1, m->file) != 1) return 0;
    double size = FRAME_HEAD + (double)POSE * m->bodies + (double)CONTACT * contacts;
    return (double)at + size <= (double)m->size ? (long)size : 0;
}

static long frames_count(const frames *m) {
    long count = 0;
    for (long at = HEAD, size; (size = frame_size(m, at)) > 0; at += size) count++;
    return count;
}

long cli_motion_frames(const cli_folder *f) {
    frames m;
    if (!frames_open(f, &m)) return -1;
    long count = frames_count(&m);
    fclose(m.file);
    return count;
}

static bool send_frame(const frames *m, long at, long size, cli_sink *sink, void *context) {
    char buffer[1 << 14];
    if (fseek(m->file, at, SEEK_SET)) return false;
    while (size > 0) {
        size_t part = size < (long)sizeof buffer ? (size_t)size : sizeof buffer;
        if (fread(buffer, 1, part, m->file) != part || !sink(context, buffer, part)) return false;
        size -= (long)part;
    }
    return true;
}

bool cli_motion_thin(const cli_folder *f, long skip, long most, double bytes, cli_sink *sink, void *context) {
    frames m;
    if (!frames_open(f, &m)) return false;
    long count = frames_count(&m) - skip;
    double whole = (double)(m.size - HEAD) * (count > 0 ? (double)count / (double)(count + skip) : 0);
    double every = fmax(1, fmax(ceil((double)count / (double)(most > 1 ? most - 1 : 1)), ceil(whole / bytes)));
    if (count <= most && whole <= bytes) every = 1;
    bool fine = send_frame(&m, 0, HEAD, sink, context);
    long k = 0;
    for (long at = HEAD, size; fine && (size = frame_size(&m, at)) > 0; at += size, k++) {
        if (k < skip || ((k - skip) % (long)every != 0 && k - skip != count - 1)) continue;
        fine = send_frame(&m, at, size, sink, context);
    }
    fclose(m.file);
    return fine;
}

/* ------------------------------------------------------------------------------------------------------- events */

/* Next field of a CSV line, quotes taken off, in place; *line moves behind it. [RFC 4180] */
static char *next_field(char **line) {
    char *start = *line, *to = start, *from = start;
    bool quoted = *from == '"';
    if (quoted) from++;
    for (; *from; from++) {
        if (quoted && *from == '"') {
            if (from[1] != '"') {
                quoted = false;
                continue;
            }
            from++;
        } else if (!quoted && (*from == ',' || *from == '\n')) {
            break;
        }
        *to++ = *from;
    }
    *line = *from ? from + 1 : from;
    *to = 0;
    return start;
}

static void put_event(jn_json *j, char *line) {
    jn_json_row(j, NULL);
    jn_json_number(j, NULL, strtod(next_field(&line), NULL));
    jn_json_text(j, NULL, next_field(&line));
    jn_json_text(j, NULL, next_field(&line));
    for (int i = 0; i < 4; i++) jn_json_number(j, NULL, strtod(next_field(&line), NULL));
    jn_json_end(j);
}

void cli_events_json(const cli_folder *f, long n, struct jn_json *j) {
    char line[512];
    FILE *file = f->running ? NULL : cli_folder_file(f, "events.csv");
    long total = -1;
    while (file && fgets(line, sizeof line, file)) total++;
    if (total < 0) total = 0;
    long every = n > 0 && total > n ? (total + n - 1) / n : 1, k = -1;
    jn_json_object(j, NULL);
    jn_json_integer(j, "total", total);
    jn_json_array(j, "events");
    if (file) rewind(file);
    while (file && fgets(line, sizeof line, file)) {
        if (k >= 0 && k % every == 0) put_event(j, line);
        k++;
    }
    jn_json_end(j);
    jn_json_end(j);
    if (file) fclose(file);
}

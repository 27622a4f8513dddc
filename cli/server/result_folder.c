/* Result folders: opening, names, rows. */
#include "server/result_folder.h"
#include "base/memory.h"
#include "step/start/records.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cli_folder_path(const cli_folder *f, const char *name, char *buffer, size_t size) {
    snprintf(buffer, size, "%s/%s", f->path, name);
}

/* A pipe would wait for its writer, and a link may lead out of the folder: neither is opened. */
int cli_folder_descriptor(const cli_folder *f, const char *name) {
    char path[4096];
    struct stat info;
    cli_folder_path(f, name, path, sizeof path);
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && !fstat(file, &info) && S_ISREG(info.st_mode)) return file;
    if (file >= 0) close(file);
    return -1;
}

FILE *cli_folder_file(const cli_folder *f, const char *name) {
    int descriptor = cli_folder_descriptor(f, name);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (!file && descriptor >= 0) close(descriptor);
    return file;
}

/* A number that changes when the file does; 0: there is none. */
static long stamp_of(const cli_folder *f, const char *name) {
    char path[4096];
    struct stat info;
    cli_folder_path(f, name, path, sizeof path);
    if (lstat(path, &info) || !S_ISREG(info.st_mode)) return 0;
    return (long)(info.st_mtim.tv_sec * 1000003L + info.st_mtim.tv_nsec + (long)info.st_ino * 31 + info.st_size * 7) |
           1;
}

/* ------------------------------------------------------------------------------------------------------- names */

typedef struct names {
    char *text; /* name, zero, unit, zero, ... */
    size_t length, capacity;
    int count;
    bool failed;
} names;

static void add_text(names *n, const char *text) {
    size_t size = strlen(text) + 1;
    if (n->length + size > n->capacity) {
        size_t capacity = 2 * (n->length + size) + 4096;
        char *wide = jn_realloc(n->text, capacity);
        if (!wide) {
            n->failed = true;
            return;
        }
        n->text = wide, n->capacity = capacity;
    }
    memcpy(n->text + n->length, text, size);
    n->length += size;
}

static void add_name(void *context, const char *name, const char *unit) {
    names *n = context;
    if (n->failed) return;
    add_text(n, name);
    add_text(n, unit);
    n->count++;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Names as people count: d2 before d10. Numbers in them by value, all else by bytes. O(length) */
static int compare_names(const void *a, const void *b) {
    const char *s = *(char *const *)a, *t = *(char *const *)b;
    while (*s && *t) {
        if (is_digit(*s) && is_digit(*t)) {
            while (*s == '0' && is_digit(s[1])) s++;
            while (*t == '0' && is_digit(t[1])) t++;
            size_t m = strspn(s, "0123456789"), n = strspn(t, "0123456789");
            int order = m != n ? (m < n ? -1 : 1) : strncmp(s, t, m);
            if (order) return order;
            s += m, t += n;
        } else if (*s != *t) {
            return (unsigned char)*s < (unsigned char)*t ? -1 : 1;
        } else {
            s++, t++;
        }
    }
    int order = (*s != 0) - (*t != 0);
    return order ? order : strcmp(*(char *const *)a, *(char *const *)b); /* 01 and 1 */
}

/* Names in natural order; the unit of a name stands behind it. O(n log n) */
static void sort_names(cli_folder *f) {
    qsort(f->names, (size_t)f->channels, sizeof *f->names, compare_names);
    for (int i = 0; i < f->channels; i++) f->units[i] = f->names[i] + strlen(f->names[i]) + 1;
}

/* Both arrays and the texts in one block. */
static bool keep_names(cli_folder *f, names *n) {
    size_t pointers = 2 * (size_t)n->count * sizeof(char *);
    char **block = n->failed ? NULL : jn_malloc(pointers + n->length);
    if (block) {
        char *text = (char *)block + pointers;
        if (n->length) memcpy(text, n->text, n->length);
        f->names = block, f->units = block + n->count, f->channels = n->count;
        for (int i = 0; i < n->count; i++) {
            f->names[i] = text, text += strlen(text) + 1;
            f->units[i] = text, text += strlen(text) + 1;
        }
    }
    jn_free(n->text);
    return block != NULL;
}

/* ------------------------------------------------------------------------------------------------------ opening */

static bool open_finished(cli_folder *f) {
    char path[4096];
    names n = {0};
    cli_folder_path(f, "result.h5", path, sizeof path);
    f->hdf5 = jn_records_open(path);
    if (f->hdf5 < 0) return false;
    f->rows = jn_records_rows(f->hdf5);
    bool listed = cli_hdf5_each(f->hdf5, add_name, &n);
    if (!keep_names(f, &n)) return false;
    sort_names(f);
    return listed && f->rows >= 0;
}

static bool open_running(cli_folder *f) {
    char magic[8];
    uint32_t head[2];
    f->live = cli_folder_file(f, "live.bin");
    if (!f->live || fread(magic, 1, 8, f->live) != 8 || memcmp(magic, "JNLIVE1\n", 8)) return false;
    if (fread(head, sizeof head, 1, f->live) != 1 || head[0] > 1u << 24 || head[1] > 1u << 28) return false;
    names n = {0};
    char *text = jn_malloc((size_t)head[1] + 2);
    bool fine = text && fread(text, 1, head[1], f->live) == head[1];
    if (fine) text[head[1]] = text[head[1] + 1] = 0;
    const char *at = text;
    for (uint32_t i = 0; fine && i < head[0] && at < text + head[1]; i++) {
        const char *unit = at + strlen(at) + 1;
        add_name(&n, at, unit);
        at = unit + strlen(unit) + 1;
    }
    jn_free(text);
    if (!keep_names(f, &n) || !fine || (uint32_t)f->channels != head[0]) return false;
    f->live_start = 16 + (long)head[1];
    f->row = jn_malloc(((size_t)f->channels + 1) * sizeof *f->row);
    f->running = true;
    return f->row && !fseek(f->live, 0, SEEK_END) &&
           (f->rows = (ftell(f->live) - f->live_start) / (long)(((size_t)f->channels + 1) * sizeof(double))) >= 0;
}

static bool open_files(cli_folder *f) {
    long finished = stamp_of(f, "result.h5"), running = stamp_of(f, "live.bin");
    f->hdf5 = -1;
    f->stamp = running ? running : finished;
    bool fine = running ? open_running(f) : finished && open_finished(f);
    if (!fine) return false;
    f->from = f->to = 0;
    return f->rows == 0 || (cli_folder_read(f, -2, 0, 1, &f->from) && cli_folder_read(f, -2, f->rows - 1, 1, &f->to));
}

static void close_files(cli_folder *f) {
    jn_records_close(f->hdf5);
    if (f->live) fclose(f->live);
    jn_free(f->names);
    jn_free(f->row);
    char path[sizeof f->path];
    memcpy(path, f->path, sizeof path);
    *f = (cli_folder){.hdf5 = -1};
    memcpy(f->path, path, sizeof path);
}

bool cli_folder_open(cli_folder *f, const char *path, jn_error *error) {
    *f = (cli_folder){.hdf5 = -1};
    snprintf(f->path, sizeof f->path, "%s", path);
    for (size_t n = strlen(f->path); n > 1 && f->path[n - 1] == '/'; n--) f->path[n - 1] = 0;
    if (open_files(f)) return true;
    close_files(f);
    struct stat info;
    *error = (jn_error){.severity = JN_SEVERITY_ERROR, .status = JN_ERR_IO};
    snprintf(error->file, sizeof error->file, "%s", path);
    bool there = !stat(path, &info);
    snprintf(error->text, sizeof error->text, "%s",
             !there                     ? "there is no such folder"
             : !S_ISDIR(info.st_mode)   ? "this is a file, not a folder of results"
             : stamp_of(f, "result.h5") ? "result.h5 in this folder cannot be read"
                                        : "this folder holds no results");
    snprintf(error->hint, sizeof error->hint, "jounce run MODEL -o %.200s makes results", path);
    return false;
}

void cli_folder_close(cli_folder *f) { close_files(f); }

bool cli_folder_refresh(cli_folder *f) {
    long finished = stamp_of(f, "result.h5"), running = stamp_of(f, "live.bin"), now = running ? running : finished;
    if (f->names && now == f->stamp) return true;
    close_files(f);
    if (open_files(f)) return true;
    close_files(f);
    return false;
}

/* ----------------------------------------------------------------------------------------------------- reading */

int cli_folder_find(const cli_folder *f, const char *channel) {
    if (!strcmp(channel, "time")) return -2;
    for (int i = 0; i < f->channels; i++)
        if (!strcmp(f->names[i], channel)) return i;
    return -1;
}

bool cli_folder_fits(const char *pattern, const char *name) {
    for (; *pattern; pattern++, name++) {
        if (*pattern == '*') {
            for (const char *rest = name;; rest++) {
                if (cli_folder_fits(pattern + 1, rest)) return true;
                if (!*rest) return false;
            }
        }
        if (*pattern != *name) return false;
    }
    return !*name;
}

bool cli_folder_read(const cli_folder *f, int channel, long first, long count, double *out) {
    if (!f->running) return jn_records_read(f->hdf5, channel < 0 ? NULL : f->names[channel], first, count, out);
    size_t width = (size_t)f->channels + 1;
    if (first < 0 || first + count > f->rows ||
        fseek(f->live, f->live_start + first * (long)(width * sizeof(double)), SEEK_SET))
        return false;
    for (long i = 0; i < count; i++) {
        if (fread(f->row, sizeof(double), width, f->live) != width) return false;
        out[i] = f->row[channel < 0 ? 0 : channel + 1];
    }
    return true;
}

long cli_folder_row(const cli_folder *f, double time) {
    long low = 0, high = f->rows - 1;
    while (low < high) {
        long middle = low + (high - low + 1) / 2;
        double t;
        if (!cli_folder_read(f, -2, middle, 1, &t)) return low;
        if (t <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

char *cli_folder_text(const cli_folder *f, const char *name, size_t most, size_t *length) {
    struct stat info;
    FILE *file = cli_folder_file(f, name);
    bool fits = file && !fstat(fileno(file), &info) && (size_t)info.st_size <= most;
    char *text = fits ? jn_malloc((size_t)info.st_size + 1) : NULL;
    size_t got = text ? fread(text, 1, (size_t)info.st_size, file) : 0;
    if (file) fclose(file);
    if (text) text[got] = 0;
    if (length) *length = got;
    return text;
}

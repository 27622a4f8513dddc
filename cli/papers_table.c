/* Columns of the CSV files in a result folder. */
#include "base/memory.h"
#include "papers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILTERS = 4, LINE = 1 << 16 };

/* The k-th field of a line, its end in *length. NULL beyond the last. */
static const char *field(const char *line, int k, size_t *length) {
    for (; k > 0; k--) {
        line = strchr(line, ',');
        if (!line) return NULL;
        line++;
    }
    *length = strcspn(line, ",\r\n");
    return line;
}

static int column_of(const char *head, const char *name) {
    size_t length;
    for (int k = 0;; k++) {
        const char *at = field(head, k, &length);
        if (!at) return -1;
        if (strlen(name) == length && !strncmp(at, name, length)) return k;
    }
}

static double number_at(const char *line, int column) {
    size_t length;
    const char *at = field(line, column, &length);
    return at && length ? strtod(at, NULL) : NAN;
}

/* Numbers are alike as numbers, else as text. */
static bool fits(const char *line, int column, const char *want) {
    size_t length;
    const char *at = field(line, column, &length);
    char *end;
    double value = strtod(want, &end);
    if (!at) return false;
    if (*want && !*end) return fabs(strtod(at, NULL) - value) <= 1e-12 * fabs(value);
    return strlen(want) == length && !strncmp(at, want, length);
}

double *papers_columns(const papers_run *run, const char *file, const jn_node *filter, const char *x, const char *y,
                       long *count, char *trouble, size_t size) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", run->folder, file);
    FILE *in = fopen(path, "r");
    char *line = jn_malloc(LINE);
    double *xs = NULL, *ys = NULL;
    long room = 0;
    int cx = -1, cy = -1, cf[MOST_FILTERS], filters = filter && filter->kind == JN_NODE_MAP ? filter->count : 0;
    *count = 0;
    if (in && line && fgets(line, LINE, in)) cx = column_of(line, x), cy = column_of(line, y);
    bool known = cx >= 0 && cy >= 0 && filters <= MOST_FILTERS;
    for (int i = 0; known && i < filters; i++) known = (cf[i] = column_of(line, filter->entries[i].key)) >= 0;
    if (!known) snprintf(trouble, size, "run '%s' has no '%s' with '%s' over '%s'", run->id, file, y, x);
    while (known && fgets(line, LINE, in)) {
        bool taken = true;
        for (int i = 0; i < filters; i++)
            taken = taken && filter->entries[i].value->text && fits(line, cf[i], filter->entries[i].value->text);
        if (!taken) continue;
        if (*count == room) {
            room = room ? 2 * room : 256;
            double *more = jn_realloc(xs, (size_t)room * sizeof *xs);
            if (more) xs = more;
            double *other = more ? jn_realloc(ys, (size_t)room * sizeof *ys) : NULL;
            if (!other) break;
            ys = other;
        }
        xs[*count] = number_at(line, cx);
        ys[(*count)++] = number_at(line, cy);
    }
    if (in) fclose(in);
    jn_free(line);
    double *both = *count ? jn_realloc(xs, 2 * (size_t)*count * sizeof *xs) : NULL;
    if (both) memcpy(both + *count, ys, (size_t)*count * sizeof *ys);
    if (!both) jn_free(xs);
    if (!both && known) snprintf(trouble, size, "run '%s': no row of '%s' fits", run->id, file);
    jn_free(ys);
    return both;
}

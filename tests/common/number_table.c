/* Tables of numbers read from text files. */
#include "number_table.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LENGTH = 4096, MAX_COLUMNS = 64 };

/* Numbers of a line; 0 if it does not begin with one. */
static int read_line(const char *line, double *x) {
    int count = 0;
    for (char *end; count < MAX_COLUMNS; line = end) {
        while (*line == ' ' || *line == '\t' || *line == ',') line++;
        x[count] = strtod(line, &end);
        if (end == line) break;
        count++;
    }
    return count;
}

static bool append(table *t, const double *x, int count, int *capacity) {
    if (t->rows == *capacity) {
        *capacity = *capacity * 2 + 64;
        double *wide = realloc(t->data, (size_t)*capacity * (size_t)count * sizeof *wide);
        if (!wide) return false;
        t->data = wide;
    }
    for (int k = 0; k < count; k++) t->data[(size_t)t->rows * (size_t)count + (size_t)k] = x[k];
    t->rows++;
    return true;
}

static bool is_packed(const char *path) {
    size_t length = strlen(path);
    return length > 3 && !strcmp(path + length - 3, ".gz");
}

static FILE *open_file(const char *path) {
    char command[1024];
    FILE *file = fopen(path, "r");
    if (!file || !is_packed(path)) return file;
    fclose(file);
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    return popen(command, "r");
}

table table_read(const char *path) {
    table t = {0, 0, NULL};
    char line[LINE_LENGTH];
    double x[MAX_COLUMNS];
    int capacity = 0;
    bool ok = true;
    FILE *file = open_file(path);
    if (!file) return t;
    while (ok && fgets(line, sizeof line, file)) {
        int count = read_line(line, x);
        if (count == 0) continue;
        if (t.rows == 1 && t.columns == 2 && count == (int)t.data[1]) /* it was "rows columns" */
            t.rows = t.columns = capacity = 0;
        if (t.columns == 0) t.columns = count;
        ok = count == t.columns && append(&t, x, count, &capacity);
    }
    if (is_packed(path))
        pclose(file);
    else
        fclose(file);
    if (!ok) table_free(&t);
    return t;
}

void table_free(table *t) {
    free(t->data);
    *t = (table){0, 0, NULL};
}

double table_at(const table *t, int row, int column) {
    return t->data[(size_t)row * (size_t)t->columns + (size_t)column];
}

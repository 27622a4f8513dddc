/* The section tables: points in the file, or columns of a CSV file. */
#include "description/read/reader.h"

#include "base/parse_number.h"
#include "base/program.h"
#include "description/yaml/source.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1000000 };

typedef struct table_item {
    const jn_node *file, *x, *y, *points;
    bool periodic;
} table_item;

static bool keep_file(jn_reader *r, const jn_node *node, void *item) {
    ((table_item *)item)->file = node;
    return jn_expect_kind(r, node, JN_NODE_SCALAR, "the name of a CSV file");
}
static bool keep_x(jn_reader *r, const jn_node *node, void *item) {
    ((table_item *)item)->x = node;
    return jn_expect_kind(r, node, JN_NODE_SCALAR, "the name or number of a column");
}
static bool keep_y(jn_reader *r, const jn_node *node, void *item) {
    ((table_item *)item)->y = node;
    return jn_expect_kind(r, node, JN_NODE_SCALAR, "the name or number of a column");
}

static bool keep_points(jn_reader *r, const jn_node *node, void *item) {
    ((table_item *)item)->points = node;
    return jn_expect_kind(r, node, JN_NODE_LIST, "a list of [x, y]");
}

static const jn_field table_rows[] = {
    {.key = "points",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_points,
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2}}",
     .doc = "the [x, y] pairs, instead of a file",
     .example = "points: [[0, 0], [1, 0.2], [2, 0]]"},
    {.key = "periodic",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(table_item, periodic),
     .fallback = "false",
     .doc = "the curve repeats itself after its last point, which has the height of the first; the spline is smooth "
            "there too",
     .example = "periodic: true"},
    {.key = "file",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_file,
     .schema = JN_SCHEMA_NAME,
     .doc = "a CSV file beside this one, numbers in SI",
     .example = "file: cam.csv"},
    {.key = "x",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_x,
     .schema = "{\"type\": [\"string\", \"integer\"]}",
     .fallback = "1",
     .doc = "name or number of the column of x",
     .example = "x: time"},
    {.key = "y",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_y,
     .schema = "{\"type\": [\"string\", \"integer\"]}",
     .fallback = "2",
     .doc = "name or number of the column of y",
     .example = "y: lift"},
    {.key = NULL},
};
const jn_fieldset jn_table_fields = {"tables.NAME", "A list of [x, y] pairs with x ascending, or these keys.",
                                     table_rows};

/* Arrays for count points; the spline is fitted by finish_table. */
static bool make_room(jn_reader *r, jn_table *table, int count, double **x, double **y) {
    *x = jn_store_array(r->store, (size_t)count, sizeof **x);
    *y = jn_store_array(r->store, (size_t)count, sizeof **y);
    table->x = *x;
    table->y = *y;
    table->count = count;
    return (*x && *y) || jn_read_no_memory(r);
}

static bool finish_table(jn_reader *r, const jn_node *node, jn_table *table) {
    double *ydd = jn_store_array(r->store, (size_t)table->count, sizeof *ydd);
    double *work = jn_store_array(r->scratch, 2 * (size_t)table->count, sizeof *work);

    if (!ydd || !work) {
        return jn_read_no_memory(r);
    }
    for (int i = 1; i < table->count; i++) {
        if (!(table->x[i] > table->x[i - 1])) {
            const jn_node *rows =
                node->kind == JN_NODE_MAP && jn_node_get(node, "points") ? jn_node_get(node, "points") : node;
            const jn_node *at = rows->kind == JN_NODE_LIST ? rows->items[i] : node;
            return jn_read_error(r, at->where, JN_ERR_MODEL, "x does not ascend in row %d: %g after %g", i + 1,
                                 table->x[i], table->x[i - 1]);
        }
    }
    if (table->periodic && table->y[0] != table->y[table->count - 1])
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "a periodic table must end at the height it starts from: %g, not %g\nrepeat the first point one "
            "period later",
            table->y[0], table->y[table->count - 1]);
    if (table->periodic)
        jn_spline_fit_periodic(table->count, table->x, table->y, ydd, work);
    else
        jn_spline_fit(table->count, table->x, table->y, ydd, work);
    for (int i = 0; i < table->count; i++) {
        if (!isfinite(ydd[i])) {
            return jn_read_error(r, node->where, JN_ERR_MODEL,
                                 "the numbers of the table are too far apart for a spline");
        }
    }
    table->ydd = ydd;
    return true;
}

static bool read_pairs(jn_reader *r, const jn_node *node, jn_table *table) {
    double *x, *y, pair[2];

    if (node->count < 2) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a table needs at least 2 rows\nwrite [[0, 0], [1, 0.5]]");
    }
    if (!make_room(r, table, node->count, &x, &y)) {
        return false;
    }
    for (int i = 0; i < node->count; i++) {
        size_t mark = jn_path_item(r, i);
        bool fine = jn_read_numbers(r, node->items[i], JN_MEASURE_ANY, 2, pair);
        jn_path_back(r, mark);
        if (!fine) {
            return false;
        }
        x[i] = pair[0];
        y[i] = pair[1];
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------------- CSV */

/* The field number k (from 0) of a line, without blanks and quotes; its length, -1 if there are not so many. */
static int csv_field(const char *line, size_t length, int k, const char **field) {
    size_t start = 0, end;
    for (;; k--) {
        end = start;
        while (end < length && line[end] != ',' && line[end] != ';' && line[end] != '\t') {
            end++;
        }
        if (k == 0) {
            break;
        }
        if (end == length) {
            return -1;
        }
        start = end + 1;
    }
    while (start < end && (line[start] == ' ' || line[start] == '"')) {
        start++;
    }
    while (end > start && (line[end - 1] == ' ' || line[end - 1] == '"' || line[end - 1] == '\r')) {
        end--;
    }
    *field = line + start;
    return (int)(end - start);
}

static bool csv_number(const char *field, int length, double *value) {
    return length > 0 && jn_number_read(field, (size_t)length, value) && isfinite(*value);
}

/* A column by its number from 1, or by its name in the first line; -1 if there is none. */
static int csv_column(const char *line, size_t length, const char *wanted, int fallback) {
    const char *field;
    char *end;
    int n;

    if (!wanted) {
        return fallback;
    }
    long number = strtol(wanted, &end, 10);
    if (*end == '\0' && number >= 1 && number <= 10000) {
        return (int)number - 1;
    }
    for (int k = 0; (n = csv_field(line, length, k, &field)) >= 0; k++) {
        if ((size_t)n == strlen(wanted) && memcmp(field, wanted, (size_t)n) == 0) {
            return k;
        }
    }
    return -1;
}

static bool read_csv(jn_reader *r, const table_item *item, jn_table *table) {
    const char *path, *text;
    size_t length;
    double *x, *y;
    int lines = 1, count = 0, column[2];

    path = jn_source_beside(r, item->file->where.file, item->file->text);
    text = path ? jn_source_load(r, path, item->file->where, r->scratch, &length) : NULL;
    if (!text) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        lines += text[i] == '\n';
    }
    if (lines > MOST_POINTS || !make_room(r, table, lines, &x, &y)) {
        return lines > MOST_POINTS
                   ? jn_read_error(r, item->file->where, JN_ERR_LIMIT, "'%s' has more than %d lines", path, MOST_POINTS)
                   : false;
    }
    size_t first = strcspn(text, "\n");
    column[0] = csv_column(text, first, item->x ? item->x->text : NULL, 0);
    column[1] = csv_column(text, first, item->y ? item->y->text : NULL, 1);
    if (column[0] < 0 || column[1] < 0) {
        const jn_node *wrong = column[0] < 0 ? item->x : item->y;
        return jn_read_error(r, wrong->where, JN_ERR_MODEL,
                             "'%s' has no column '%s'\nwrite a name of its first line, or a number from 1", path,
                             wrong->text);
    }
    for (int line = 1; *text; line++) {
        size_t n = strcspn(text, "\n");
        const char *a = "", *b = "";
        int na = csv_field(text, n, column[0], &a), nb = csv_field(text, n, column[1], &b);
        bool blank = strspn(text, " \t\r") >= n || text[0] == '#';
        if (!blank && csv_number(a, na, &x[count]) && csv_number(b, nb, &y[count])) {
            count++;
        } else if (!blank && line > 1) {
            return jn_read_error(r, (jn_where){path, line, 1}, JN_ERR_MODEL,
                                 "columns %d and %d of this line are not two numbers", column[0] + 1, column[1] + 1);
        }
        text += n + (text[n] == '\n');
    }
    table->count = count;
    return count >= 2 ||
           jn_read_error(r, item->file->where, JN_ERR_MODEL, "'%s' has less than 2 rows of numbers", path);
}

/* A map with points or a file. */
static bool read_map(jn_reader *r, const jn_node *node, jn_table *table) {
    table_item item = {0};
    if (!jn_read_fields(r, node, &jn_table_fields, &item)) return false;
    if (!item.points == !item.file)
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a table has either 'points' or a 'file'\nwrite 'file: cam.csv'");
    table->periodic = item.periodic;
    return item.points ? read_pairs(r, item.points, table) : read_csv(r, &item, table);
}

bool jn_read_tables(jn_reader *r) {
    const jn_node *node = jn_node_get(r->root, "tables");
    jn_description *d = r->d;
    size_t top = jn_path_key(r, "tables");
    int count = node && node->kind == JN_NODE_MAP ? node->count : 0;

    if (!jn_names_create(&r->table_names, r->scratch, count)) {
        return jn_read_no_memory(r);
    }
    if (node && node->kind != JN_NODE_EMPTY) {
        jn_expect_kind(r, node, JN_NODE_MAP, "tables, each 'name: [[x, y], ...]'");
    }
    d->tables = jn_store_array(r->store, (size_t)count + 1, sizeof *d->tables);
    if (!d->tables) {
        return jn_read_no_memory(r);
    }
    for (int i = 0; i < count; i++) {
        const jn_entry *entry = &node->entries[i];
        jn_table table = {.name = jn_store_strdup(r->store, entry->key)};
        size_t mark = jn_path_key(r, entry->key);
        bool fine = table.name ? jn_check_name(r, entry, false, "a table") : jn_read_no_memory(r);
        if (fine && entry->value->kind == JN_NODE_LIST) {
            fine = read_pairs(r, entry->value, &table);
        } else if (fine) {
            fine = read_map(r, entry->value, &table);
        }
        if (!fine || !finish_table(r, entry->value, &table)) {
            table = (jn_table){.name = entry->key};
        }
        d->tables[d->table_count++] = table;
        jn_names_add(&r->table_names, entry->key);
        jn_path_back(r, mark);
    }
    jn_path_back(r, top);
    return r->status == JN_OK;
}

/* Tables in a result folder: columns of CSV files, and lists of objects in JSON files. */
#include "base/memory.h"
#include "papers/command_papers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILTERS = 4, LINE = 1 << 16 };

/* Points that grow as rows are found. */
typedef struct points {
    double *x, *y;
    long count, room;
} points;

static bool add_point(points *p, double x, double y) {
    if (p->count == p->room) {
        long room = p->room ? 2 * p->room : 256;
        double *xs = jn_realloc(p->x, (size_t)room * sizeof *xs);
        if (xs) p->x = xs;
        double *ys = xs ? jn_realloc(p->y, (size_t)room * sizeof *ys) : NULL;
        if (!ys) return false;
        p->y = ys, p->room = room;
    }
    p->x[p->count] = x;
    p->y[p->count++] = y;
    return true;
}

/* x and y in one block; NULL if there are none. */
static double *join_points(points *p) {
    double *both = p->count ? jn_realloc(p->x, 2 * (size_t)p->count * sizeof *both) : NULL;
    if (both) memcpy(both + p->count, p->y, (size_t)p->count * sizeof *both);
    if (!both) jn_free(p->x);
    jn_free(p->y);
    return both;
}

/* Numbers are alike as numbers, else as text. */
static bool alike(const char *text, size_t length, const char *want) {
    char *end;
    double value = strtod(want, &end);
    if (*want && !*end) return length && fabs(strtod(text, NULL) - value) <= 1e-12 * fabs(value);
    return strlen(want) == length && !strncmp(text, want, length);
}

/* ------------------------------------------------------------------------------------------------------------ CSV */

/* The k-th field of a line and its length. NULL beyond the last. */
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

/* False if a column is missing. */
static bool read_csv(FILE *in, const jn_node *filter, const char *x, const char *y, points *out) {
    char *line = jn_malloc(LINE);
    int cx = -1, cy = -1, cf[MOST_FILTERS], filters = filter && filter->kind == JN_NODE_MAP ? filter->count : 0;
    if (line && fgets(line, LINE, in)) cx = column_of(line, x), cy = column_of(line, y);
    bool known = cx >= 0 && cy >= 0 && filters <= MOST_FILTERS;
    for (int i = 0; known && i < filters; i++) known = (cf[i] = column_of(line, filter->entries[i].key)) >= 0;
    while (known && fgets(line, LINE, in)) {
        bool taken = true;
        for (int i = 0; i < filters; i++) {
            size_t length = 0;
            const char *at = field(line, cf[i], &length), *want = filter->entries[i].value->text;
            taken = taken && at && want && alike(at, length, want);
        }
        if (taken && !add_point(out, number_at(line, cx), number_at(line, cy))) break;
    }
    jn_free(line);
    return known;
}

/* ----------------------------------------------------------------------------------------------------------- JSON */

/* "a.0.b": keys of maps, places in lists. NULL if there is no such thing. */
static const jn_node *descend(const jn_node *node, const char *path) {
    while (node && *path) {
        char key[128];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        if (node->kind == JN_NODE_LIST) {
            long i = strtol(key, NULL, 10);
            node = i >= 0 && i < node->count ? node->items[i] : NULL;
        } else {
            node = jn_node_get(node, key);
        }
        path += length + (path[length] == '.');
    }
    return node;
}

static double json_number(const jn_node *node) {
    char *end;
    if (!node || node->kind != JN_NODE_SCALAR) return NAN;
    double value = strtod(node->text, &end);
    return *node->text && !*end ? value : NAN;
}

static jn_node *read_json(const papers_run *run, const char *file, jn_store *store) {
    char path[1200];
    jn_report report = {0};
    int status = JN_OK;
    snprintf(path, sizeof path, "%s/%s", run->folder, file);
    FILE *in = store ? fopen(path, "rb") : NULL;
    long size = in && !fseek(in, 0, SEEK_END) ? ftell(in) : -1;
    char *text =
        size >= 0 && size < JN_FILE_LARGEST && !fseek(in, 0, SEEK_SET) ? jn_store_alloc(store, (size_t)size + 1) : NULL;
    size_t length = text ? fread(text, 1, (size_t)size, in) : 0;
    if (in) fclose(in);
    return text ? jn_yaml_read(text, length, path, store, &report, &status) : NULL;
}

static bool read_objects(const jn_node *list, const jn_node *filter, const char *x, const char *y, points *out) {
    if (!list || list->kind != JN_NODE_LIST) return false;
    for (int i = 0; i < list->count; i++) {
        bool taken = true;
        for (int k = 0; filter && filter->kind == JN_NODE_MAP && k < filter->count; k++) {
            const jn_node *have = descend(list->items[i], filter->entries[k].key);
            const char *want = filter->entries[k].value->text;
            taken = taken && want && have && have->text && alike(have->text, strlen(have->text), want);
        }
        double px = json_number(descend(list->items[i], x)), py = json_number(descend(list->items[i], y));
        if (taken && !isnan(px) && !isnan(py) && !add_point(out, px, py)) break;
    }
    return true;
}

double papers_json_number(const papers_run *run, const char *file, const char *path) {
    jn_store *store = jn_store_create();
    jn_node *root = read_json(run, file, store);
    double value = json_number(descend(root, path));
    jn_store_free(store);
    return value;
}

/* ---------------------------------------------------------------------------------------------------------- either */

/* "impacts.json:impacts.0.path" is a list in a JSON file. */
double *papers_columns(const papers_run *run, const char *table, const jn_node *filter, const char *x, const char *y,
                       long *count, char *trouble, size_t size) {
    char file[256], path[1400];
    const char *colon = strchr(table, ':');
    points p = {NULL, NULL, 0, 0};
    bool known = false;
    snprintf(file, sizeof file, "%.*s", colon ? (int)(colon - table) : 250, table);
    if (colon) {
        jn_store *store = jn_store_create();
        known = read_objects(descend(read_json(run, file, store), colon + 1), filter, x, y, &p);
        jn_store_free(store);
    } else {
        snprintf(path, sizeof path, "%s/%s", run->folder, file);
        FILE *in = fopen(path, "r");
        known = in && read_csv(in, filter, x, y, &p);
        if (in) fclose(in);
    }
    *count = p.count;
    double *both = join_points(&p);
    if (!both)
        snprintf(trouble, size, known ? "run '%s': no row of '%s' fits" : "run '%s' has no such table '%s'", run->id,
                 table);
    return both;
}

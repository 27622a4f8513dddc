/* Entries of papers: read, and checked key by key. */
#include "base/suggest.h"
#include "papers/command_papers.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const paper_keys[] = {"number", "key",     "title",    "cite", "about",
                                         "runs",   "figures", "left_out", NULL};
static const char *const run_keys[] = {"model", "set", "note", "audit", NULL};
static const char *const figure_keys[] = {"id", "name", "title", "says", "plots", "compare", "remark", "extra", NULL};
static const char *const left_out_keys[] = {"name", "count", "why", NULL};
static const char *const plot_keys[] = {"title", "run",    "x",      "y",      "names", "xlabel", "ylabel", "xunit",
                                        "yunit", "from",   "to",     "stop",   "lines", "circle", "equal",  "table",
                                        "rows",  "xrange", "yrange", "points", "log",   NULL};
static const char *const row_keys[] = {"what",        "ours",        "time",   "from",    "to",    "paper",
                                       "independent", "closed_form", "within", "below",   "above", "unit",
                                       "digits",      "why",         "mark",   "program", NULL};

const char *papers_text(const jn_node *map, const char *key) {
    const jn_node *node = jn_node_get(map, key);
    return node && node->kind == JN_NODE_SCALAR ? node->text : NULL;
}

int papers_count(const jn_node *node) {
    if (!node || node->kind == JN_NODE_EMPTY) return 0;
    return node->kind == JN_NODE_LIST ? node->count : 1;
}

const jn_node *papers_item(const jn_node *node, int i) {
    if (i >= papers_count(node)) return NULL;
    return node->kind == JN_NODE_LIST ? node->items[i] : node;
}

/* --------------------------------------------------------------------------------------------------------- checks */

static bool is_one_of(const char *key, const char *const *keys) {
    for (int k = 0; keys[k]; k++)
        if (!strcmp(keys[k], key)) return true;
    return false;
}

/* What stands in names of files and places of the page. */
static void check_name(const char *name, jn_where where, jn_report *report) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    if (!*name || name[0] == '.' || name[strspn(name, letters)])
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, where, NULL,
                      "'%.40s' is no name\nwrite letters, digits, '_' and '.', no '.' first", name);
}

/* Texts are texts; some keys may have a list of texts, some a map of texts, some hold what is checked elsewhere. */
static void check_value(const jn_entry *e, jn_report *report) {
    static const char *const inner[] = {"runs", "figures", "plots", "compare", "left_out", NULL},
                             *const maps[] = {"set", "stop", "rows", NULL}, *const lists[] = {"run",    "y",
                                                                                              "names",  "lines",
                                                                                              "xrange", "yrange",
                                                                                              NULL};
    const jn_node *node = e->value;
    if (is_one_of(e->key, inner)) return;
    bool map = is_one_of(e->key, maps), good = !map && node->kind == JN_NODE_SCALAR;
    if (map && node->kind == JN_NODE_MAP) {
        good = true;
        for (int i = 0; i < node->count; i++) good = good && node->entries[i].value->kind == JN_NODE_SCALAR;
    }
    if (is_one_of(e->key, lists) && node->kind == JN_NODE_LIST) {
        good = true;
        for (int i = 0; i < node->count; i++) good = good && node->items[i]->kind == JN_NODE_SCALAR;
    }
    if (!good)
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, e->where, NULL,
                      "'%s' takes %s\nput texts with brackets in quotes", e->key,
                      map                        ? "a map of texts"
                      : is_one_of(e->key, lists) ? "a text or a list of texts"
                                                 : "a text");
    if (good && (!strcmp(e->key, "id") || !strcmp(e->key, "number"))) check_name(node->text, node->where, report);
}

/* Every key of a map is one of those, and those before `needed` ends are there. */
static void check_map(const jn_node *map, const char *what, const char *const *keys, const char *const *needed,
                      jn_report *report) {
    if (map->kind != JN_NODE_MAP) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, map->where, NULL,
                      "%s must be a map, not %s\nwrite {%s: ...}", what, jn_node_kind_text(map), keys[0]);
        return;
    }
    for (int i = 0; i < map->count; i++) {
        jn_suggest suggest = jn_suggest_for(map->entries[i].key);
        bool known = false;
        for (int k = 0; keys[k]; k++) {
            known |= !strcmp(keys[k], map->entries[i].key);
            jn_suggest_offer(&suggest, keys[k]);
        }
        if (known)
            check_value(&map->entries[i], report);
        else
            jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, map->entries[i].where, NULL,
                          "%s has no key '%s'\nwrite '%s'", what, map->entries[i].key,
                          suggest.best ? suggest.best : keys[0]);
    }
    for (int k = 0; needed[k]; k++)
        if (!jn_node_get(map, needed[k]))
            jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, map->where, NULL, "%s has no '%s'\nadd '%s: ...'",
                          what, needed[k], needed[k]);
}

/* Bounds or a value, not both; a value has its tolerance. */
static void check_row(const jn_node *row, jn_report *report) {
    static const char *const needed[] = {"what", "ours", NULL};
    check_map(row, "a row of 'compare'", row_keys, needed, report);
    if (row->kind != JN_NODE_MAP) return;
    int values = !!jn_node_get(row, "paper") + !!jn_node_get(row, "independent") + !!jn_node_get(row, "closed_form");
    bool bounds = jn_node_get(row, "below") || jn_node_get(row, "above");
    if (jn_node_get(row, "mark"))
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, row->where, NULL,
                      "a mark is computed, not written\ngive 'paper' and 'within', or 'below', or 'above'");
    if (values + bounds > 1)
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, row->where, NULL,
                      "a row compares with one thing\ngive one of paper, independent, closed_form, or bounds");
    if (values == 1 && !jn_node_get(row, "within"))
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, row->where, NULL,
                      "the row has a value and no tolerance\nadd 'within: 1 %%' or 'within: 0.001'");
    if (jn_node_get(row, "independent") && !jn_node_get(row, "program"))
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, row->where, NULL,
                      "an independent number comes with its program\nadd 'program: FILE NAME', a file of independent/ "
                      "and the name of the number that it prints");
}

static void check_figure(const jn_node *figure, jn_report *report) {
    static const char *const needed[] = {"id", "name", "title", "says", NULL}, *const plot_needed[] = {"run", "y",
                                                                                                       NULL};
    check_map(figure, "a figure", figure_keys, needed, report);
    const jn_node *plots = jn_node_get(figure, "plots"), *rows = jn_node_get(figure, "compare");
    for (int i = 0; i < papers_count(plots); i++)
        check_map(papers_item(plots, i), "a plot", plot_keys, plot_needed, report);
    for (int i = 0; i < papers_count(rows); i++) check_row(papers_item(rows, i), report);
}

static void check(const jn_node *root, jn_report *report) {
    static const char *const needed[] = {"number", "title", "cite", "figures", NULL}, *const run_needed[] = {"model",
                                                                                                             NULL};
    check_map(root, "a paper", paper_keys, needed, report);
    const jn_node *runs = jn_node_get(root, "runs"), *figures = jn_node_get(root, "figures");
    if (runs && runs->kind != JN_NODE_MAP)
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_SYNTAX, runs->where, NULL,
                      "'runs' must be a map\nwrite NAME: {model: ...}");
    for (int i = 0; runs && runs->kind == JN_NODE_MAP && i < runs->count; i++) {
        check_name(runs->entries[i].key, runs->entries[i].where, report);
        check_map(runs->entries[i].value, "a run", run_keys, run_needed, report);
    }
    for (int i = 0; i < papers_count(figures); i++) check_figure(papers_item(figures, i), report);
    const jn_node *others = jn_node_get(root, "left_out");
    for (int i = 0; i < papers_count(others); i++)
        check_map(papers_item(others, i), "an item of 'left_out'", left_out_keys, left_out_keys, report);
}

int papers_left_out(const papers_paper *p) {
    const jn_node *others = jn_node_get(p->root, "left_out");
    int count = 0;
    for (int i = 0; i < papers_count(others); i++)
        count += (int)strtol(papers_text(papers_item(others, i), "count"), NULL, 10);
    return count;
}

/* -------------------------------------------------------------------------------------------------------- reading */

static const char *read_whole(jn_store *store, const char *path, size_t *length) {
    struct stat info;
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && !fstat(fileno(file), &info) && S_ISREG(info.st_mode) && info.st_size < JN_FILE_LARGEST)
        text = jn_store_alloc(store, (size_t)info.st_size + 1);
    if (text) *length = fread(text, 1, (size_t)info.st_size, file);
    if (file) fclose(file);
    return text;
}

static bool list_runs(papers_paper *p) {
    const jn_node *runs = jn_node_get(p->root, "runs");
    if (!runs || runs->kind != JN_NODE_MAP) return true;
    p->run = jn_store_array(p->store, (size_t)runs->count, sizeof *p->run);
    if (!p->run) return false;
    const char *slash = strrchr(p->path, '/');
    for (; p->runs < runs->count; p->runs++) {
        papers_run *r = &p->run[p->runs];
        r->id = runs->entries[p->runs].key;
        r->entry = runs->entries[p->runs].value;
        snprintf(r->path, sizeof r->path, "%.*s%s", slash ? (int)(slash - p->path + 1) : 0, p->path,
                 papers_text(r->entry, "model"));
    }
    return true;
}

bool papers_open(papers_paper *p, const char *path) {
    jn_report report = {0};
    size_t length = 0;
    int status = JN_OK;
    *p = (papers_paper){.path = path, .store = jn_store_create()};
    const char *text = p->store ? read_whole(p->store, path, &length) : NULL;
    if (!text) {
        cli_complain("give entries such as papers/002.yaml", "'%s' cannot be read: %s", path, strerror(errno));
        return false;
    }
    p->root = jn_yaml_read(text, length, path, p->store, &report, &status);
    if (p->root) check(p->root, &report);
    cli_report_print(&report, true);
    return p->root && !report.errors && list_runs(p);
}

void papers_close(papers_paper *p) {
    for (int i = 0; i < p->runs; i++) jn_result_free(p->run[i].result);
    jn_store_free(p->store);
    *p = (papers_paper){.path = NULL};
}

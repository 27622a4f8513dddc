/* Which figures a study gets. */
#include "base/suggest.h"
#include "study/study_plots.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *key;
    study_plot_kind kind;
    int series;
} kinds[] = {{"scatter", STUDY_SCATTER, 2},     {"bifurcation", STUDY_SCATTER, 2},
             {"section", STUDY_SCATTER, 2},     {"heat", STUDY_HEAT, 3},
             {"histogram", STUDY_HISTOGRAM, 1}, {"tornado", STUDY_TORNADO, 1},
             {"pareto", STUDY_PARETO, 2},       {"fit", STUDY_FIT, 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------------------------------------------- from the file */

static bool wrong(jn_report *report, jn_where where, const char *text, const char *word, const char *hint) {
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, "plots", "%s '%.80s'\nwrite '%s'", text, word, hint);
    return false;
}

/* NAME of a column; NAME or NAME.K of the samples of a measure, NAME.time. */
static bool find_series(const jn_study *s, const jn_node *node, study_series *out, jn_report *report) {
    if (node->kind != JN_NODE_SCALAR)
        return wrong(report, node->where, "a plot takes names, not", jn_node_kind_text(node),
                     "scatter: [PARAMETER, MEASURE]");
    jn_suggest suggest = jn_suggest_for(node->text);
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        size_t n = strlen(m->name);
        if (m->samples < 0 || strncmp(m->name, node->text, n) || (node->text[n] && node->text[n] != '.')) continue;
        const char *rest = node->text[n] ? node->text + n + 1 : "1";
        char *end;
        long channel = strcmp(rest, "time") ? strtol(rest, &end, 10) : 0;
        if (strcmp(rest, "time") && (*end || channel < 1 || channel > m->channels)) break;
        *out = (study_series){-1, i, (int)channel};
        return true;
    }
    for (int c = 0; c < jn_study_columns(s); c++) {
        if (!strcmp(jn_study_column_name(s, c), node->text)) {
            *out = (study_series){c, -1, 0};
            return true;
        }
        jn_suggest_offer(&suggest, jn_study_column_name(s, c));
    }
    return wrong(report, node->where, "the study has no parameter or measure", node->text,
                 suggest.best ? suggest.best : jn_study_column_name(s, 0));
}

static bool read_series(const jn_study *s, const jn_node *node, const char *key, int count, study_plot *p,
                        jn_report *report) {
    jn_node *const one[] = {(jn_node *)(void *)(size_t)(const void *)node};
    int given = node->kind == JN_NODE_LIST ? node->count : 1;
    jn_node *const *item = node->kind == JN_NODE_LIST ? node->items : one;
    if (given != count) {
        char example[80];
        snprintf(example, sizeof example, "%s: %s", key,
                 count == 3   ? "[PARAMETER, PARAMETER, MEASURE]"
                 : count == 2 ? "[PARAMETER, MEASURE]"
                              : "MEASURE");
        return wrong(report, node->where, "that is not the number of names for", key, example);
    }
    int measure = -1;
    for (int i = 0; i < count; i++) {
        if (!find_series(s, item[i], &p->series[i], report)) return false;
        if (p->series[i].column >= 0) continue;
        if (measure >= 0 && measure != p->series[i].measure)
            return wrong(report, node->where, "samples of two measures have no pairs:", key, "names of one measure");
        measure = p->series[i].measure;
    }
    return true;
}

static bool is_true(const jn_node *map, const char *key) {
    const jn_node *node = jn_node_get(map, key);
    return node && node->kind == JN_NODE_SCALAR && !strcmp(node->text, "true");
}

/* pareto: whether small or large values of each measure are the better ones. */
static bool read_best(const jn_node *node, study_plot *p, jn_report *report) {
    const char *const example = "{pareto: [loss, range], best: [small, large]}";
    if (!node) return true;
    if (p->kind != STUDY_PARETO) return wrong(report, node->where, "this is for a plot by", "pareto", example);
    if (node->kind != JN_NODE_LIST || node->count != 2)
        return wrong(report, node->where, "'best' is a list of two, not", jn_node_kind_text(node), example);
    for (int i = 0; i < 2; i++) {
        const char *text = node->items[i]->kind == JN_NODE_SCALAR ? node->items[i]->text : "";
        p->large[i] = !strcmp(text, "large");
        if (!p->large[i] && strcmp(text, "small"))
            return wrong(report, node->items[i]->where, "the best values are small or large, not", text, example);
    }
    return true;
}

/* fit: its measure is one by compare. pareto: its measures are numbers of a run, not samples. */
static bool has_fitting_series(const jn_study *s, const jn_node *map, const study_plot *p, jn_report *report) {
    for (int i = 0; p->kind == STUDY_PARETO && i < 2; i++)
        if (p->series[i].column < 0)
            return wrong(report, jn_node_get(map, "pareto")->where,
                         "a front has one number for each run, not samples of", s->measure[p->series[i].measure].name,
                         "pareto: [MEASURE, MEASURE]");
    if (p->kind != STUDY_FIT) return true;
    if (p->series[0].column < 0 && !strcmp(s->measure[p->series[0].measure].kind->key, "compare")) return true;
    return wrong(report, jn_node_get(map, "fit")->where, "a fit shows a measure by", "compare",
                 "measure: {height: {compare: CHANNEL, with: TABLE}}");
}

/* {KIND: names, title: , file: , log_x: , log_y: , best: } */
static bool read_plot(const jn_study *s, const jn_node *map, study_plot *p, jn_report *report) {
    static const char *const others[] = {"title", "file", "log_x", "log_y", "best"};
    int kind = -1;
    if (map->kind != JN_NODE_MAP)
        return wrong(report, map->where, "a plot is a map, not", jn_node_kind_text(map),
                     "{scatter: [PARAMETER, MEASURE]}");
    for (int i = 0; i < map->count; i++) {
        jn_suggest suggest = jn_suggest_for(map->entries[i].key);
        bool known = false;
        for (int k = 0; k < KINDS; k++) {
            if (!strcmp(kinds[k].key, map->entries[i].key)) kind = k, known = true;
            jn_suggest_offer(&suggest, kinds[k].key);
        }
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            known |= !strcmp(others[k], map->entries[i].key), jn_suggest_offer(&suggest, others[k]);
        if (!known)
            return wrong(report, map->entries[i].where, "a plot has no key", map->entries[i].key,
                         suggest.best ? suggest.best : "scatter");
    }
    if (kind < 0)
        return wrong(report, map->where, "a plot needs a kind:", "",
                     "scatter, bifurcation, section, heat, histogram, tornado, pareto or fit");
    const jn_node *title = jn_node_get(map, "title"), *file = jn_node_get(map, "file");
    *p = (study_plot){.kind = kinds[kind].kind,
                      .title = title ? title->text : NULL,
                      .ending = "svg",
                      .log_x = is_true(map, "log_x"),
                      .log_y = is_true(map, "log_y")};
    if (!read_series(s, jn_node_get(map, kinds[kind].key), kinds[kind].key, kinds[kind].series, p, report))
        return false;
    if (!read_best(jn_node_get(map, "best"), p, report) || !has_fitting_series(s, map, p, report)) return false;
    if (!file) return true;
    const char *dot = file->kind == JN_NODE_SCALAR ? strrchr(file->text, '.') : NULL;
    if (!dot || strchr(file->text, '/') || (strcmp(dot, ".svg") && strcmp(dot, ".png") && strcmp(dot, ".pdf")))
        return wrong(report, file->where, "this names no picture:", file->text ? file->text : "",
                     "file: diagram.svg, .png or .pdf");
    snprintf(p->name, sizeof p->name, "%.*s", (int)(dot - file->text), file->text);
    p->ending = dot + 1;
    return true;
}

/* --------------------------------------------------------------------------------------------------------- by choice */

/* Parameters that are numbers, those of many values first. */
static int numbers_of(const jn_study *s, int *column) {
    int n = 0;
    for (int i = 0; i < s->varies; i++)
        if (s->vary[i].kind != JN_VARY_WORDS) column[n++] = i;
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0; k--) {
            int a = s->vary[column[k - 1]].kind == JN_VARY_LIST ? s->vary[column[k - 1]].count : 1000000,
                b = s->vary[column[k]].kind == JN_VARY_LIST ? s->vary[column[k]].count : 1000000, other = column[k];
            if (a < b) column[k] = column[k - 1], column[k - 1] = other;
        }
    return n;
}

static bool is_log(const jn_study *s, int column) {
    const jn_vary *v = &s->vary[column];
    return (v->kind == JN_VARY_RANGE && v->log) ||
           (v->kind == JN_VARY_DISTRIBUTION && v->distribution.kind == JN_DISTRIBUTION_LOGUNIFORM);
}

/* Samples: over the parameter, and two channels over each other. */
static int choose_samples(const jn_study *s, int x, study_plot *out, int n) {
    for (int i = 0; i < s->measures && n + 2 < STUDY_MOST_PLOTS; i++) {
        const jn_study_measure *m = &s->measure[i];
        if (m->samples < 0) continue;
        if (x >= 0)
            out[n++] = (study_plot){
                .kind = STUDY_SCATTER, .series = {{x, -1, 0}, {-1, i, 1}}, .ending = "svg", .log_x = is_log(s, x)};
        if (m->channels > 1)
            out[n++] = (study_plot){.kind = STUDY_SCATTER, .series = {{-1, i, 1}, {-1, i, 2}}, .ending = "svg"};
    }
    return n;
}

/* Channels beside measured values, and the misfit over each parameter. */
static int choose_fits(const jn_study *s, study_plot *out) {
    int n = 0;
    for (int i = 0; i < s->measures && n + 2 < STUDY_MOST_PLOTS; i++)
        if (!strcmp(s->measure[i].kind->key, "compare"))
            out[n++] = (study_plot){.kind = STUDY_FIT, .series = {{-1, i, 1}}, .ending = "svg"};
    for (int p = 0; p < s->varies && n && n + 2 < STUDY_MOST_PLOTS; p++)
        for (int i = 0; i < s->measures && n + 2 < STUDY_MOST_PLOTS; i++)
            if (!strcmp(s->measure[i].kind->key, "compare"))
                out[n++] = (study_plot){.kind = STUDY_SCATTER,
                                        .series = {{p, -1, 0}, {s->varies + s->measure[i].first, -1, 0}},
                                        .ending = "svg",
                                        .log_x = is_log(s, p),
                                        .log_y = true};
    return n;
}

/* Optimisation: the measure over each parameter, and what is limited beside what is best. */
static int choose_optimum(const jn_study *s, study_plot *out) {
    const jn_node *map = jn_node_get(s->root, "optimise");
    const jn_node *small = jn_node_get(map, "minimise"), *best = small ? small : jn_node_get(map, "maximise");
    int column = -1, n = 0;
    for (int c = 0; best && c < s->columns; c++)
        if (!strcmp(s->column_name[c], best->text)) column = s->varies + c;
    for (int p = 0; p < s->varies && column >= 0 && n + 1 < STUDY_MOST_PLOTS; p++)
        out[n++] = (study_plot){
            .kind = STUDY_SCATTER, .series = {{p, -1, 0}, {column, -1, 0}}, .ending = "svg", .log_x = is_log(s, p)};
    for (int i = 0; i < s->measures && column >= 0 && n + 1 < STUDY_MOST_PLOTS; i++) {
        const jn_study_measure *m = &s->measure[i];
        if ((isnan(m->below) && isnan(m->above)) || m->samples >= 0 || s->varies + m->first == column) continue;
        out[n++] = (study_plot){.kind = STUDY_PARETO,
                                .series = {{s->varies + m->first, -1, 0}, {column, -1, 0}},
                                .ending = "svg",
                                .large = {isnan(m->below), !small}};
    }
    return n;
}

static int choose(const jn_study *s, study_plot *out) {
    int column[JN_STUDY_VARIES], numbers = numbers_of(s, column), n = 0;
    if (s->kind->key && !strcmp(s->kind->key, "identify")) return choose_fits(s, out);
    if (s->kind->key && !strcmp(s->kind->key, "optimise")) return choose_optimum(s, out);
    bool random = false, tornado = s->kind->key && !strcmp(s->kind->key, "sensitivity");
    for (int i = 0; i < s->varies; i++) random |= s->vary[i].kind == JN_VARY_DISTRIBUTION;
    n = choose_samples(s, numbers ? column[0] : -1, out, n);
    for (int i = 0; i < s->measures; i++) {
        const jn_study_measure *m = &s->measure[i];
        for (int k = 0; k < m->columns && m->samples < 0 && n + 3 < STUDY_MOST_PLOTS; k++) {
            int c = s->varies + m->first + k;
            if (tornado) out[n++] = (study_plot){.kind = STUDY_TORNADO, .series = {{c, -1, 0}}, .ending = "svg"};
            if (random || tornado)
                out[n++] = (study_plot){.kind = STUDY_HISTOGRAM, .series = {{c, -1, 0}}, .ending = "svg"};
            if (s->rule == JN_RULE_GRID && !tornado && numbers >= 2 && s->vary[column[1]].kind == JN_VARY_RANGE)
                out[n++] = (study_plot){.kind = STUDY_HEAT,
                                        .series = {{column[0], -1, 0}, {column[1], -1, 0}, {c, -1, 0}},
                                        .ending = "svg",
                                        .log_x = is_log(s, column[0]),
                                        .log_y = is_log(s, column[1])};
            else if (!tornado && numbers >= 1)
                out[n++] = (study_plot){.kind = STUDY_SCATTER,
                                        .series = {{column[0], -1, 0}, {c, -1, 0}},
                                        .ending = "svg",
                                        .log_x = is_log(s, column[0])};
        }
    }
    return n;
}

static void name_plot(const jn_study *s, study_plot *p, int number) {
    static const char *const words[STUDY_PLOTS] = {"scatter", "heat", "histogram", "tornado", "pareto", "fit"};
    char name[64];
    const char *unit;
    study_series_name(s,
                      &p->series[p->kind == STUDY_SCATTER || p->kind == STUDY_PARETO ? 1
                                 : p->kind == STUDY_HEAT                             ? 2
                                                                                     : 0],
                      name, sizeof name, &unit);
    if (p->name[0]) return;
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c)) *c = '_';
    snprintf(p->name, sizeof p->name, "plot%02d_%s_%.60s", number + 1, words[p->kind], name);
}

int study_plots_choose(const jn_study *s, study_plot *out, jn_report *report) {
    const jn_node *list = jn_node_get(s->root, "plots");
    int n = 0;
    if (!list || list->kind == JN_NODE_EMPTY) {
        n = choose(s, out);
    } else if (list->kind != JN_NODE_LIST) {
        wrong(report, list->where, "'plots' is a list, not", jn_node_kind_text(list),
              "plots: [{scatter: [PARAMETER, MEASURE]}]");
        return -1;
    } else {
        for (int i = 0; i < list->count && n < STUDY_MOST_PLOTS; i++) {
            if (!read_plot(s, list->items[i], &out[n], report)) return -1;
            n++;
        }
    }
    for (int i = 0; i < n; i++) name_plot(s, &out[i], i);
    return n;
}

/* What a study varies: lists, ranges and distributions, from the file to values. */
#include "workflow/study/study_keys.h"

#include "algebra/elementary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double jn_vary_step(const jn_vary *v, int k) {
    if (v->kind == JN_VARY_LIST) return v->value[k];
    if (v->kind == JN_VARY_WORDS) return k;
    if (k == 0) return v->from;
    if (k == v->count - 1) return v->to;
    double x = (double)k / (v->count - 1);
    return v->log ? v->from * jn_exp(x * jn_log(v->to / v->from)) : v->from + x * (v->to - v->from);
}

double jn_vary_at(const jn_vary *v, double u) {
    int k = (int)(u * v->count);
    switch (v->kind) {
    case JN_VARY_LIST: return v->value[k < v->count ? k : v->count - 1];
    case JN_VARY_WORDS: return k < v->count ? k : v->count - 1;
    case JN_VARY_RANGE: return v->log ? v->from * jn_exp(u * jn_log(v->to / v->from)) : v->from + u * (v->to - v->from);
    default: return jn_distribution_value(&v->distribution, u);
    }
}

double jn_vary_part(const jn_vary *v, double value) {
    return v->log ? jn_log(value / v->from) / jn_log(v->to / v->from) : (value - v->from) / (v->to - v->from);
}

/* ------------------------------------------------------------------------------------------------------- reading */

/* SI unit of a dimension that has a name; "1" else. */
static const char *unit_of(jn_type type) {
    if (type.kind != JN_KIND_TYPED || jn_dimension_none(type.dimension)) return "1";
    for (int m = JN_MEASURE_ANY + 1; m < JN_MEASURES; m++)
        if (jn_dimension_equal(jn_measure_get((jn_measure)m)->dimension, type.dimension))
            return jn_measure_get((jn_measure)m)->unit;
    return "SI";
}

/* A number of any dimension; all numbers of a parameter have the same one. */
static bool read_alike(jn_reader *r, const jn_node *node, jn_vary *v, jn_type *type, double *out) {
    jn_expression e;
    jn_fault fault = {0};
    jn_type both;
    if (!jn_read_expression(r, node, JN_MEASURE_ANY, 0, &e)) return false;
    if (!jn_type_alike(*type, e.type, "the values of a parameter", &both, &fault))
        return jn_read_error(r, node->where, JN_ERR_UNIT, "%s", fault.text);
    *type = both;
    *out = e.value;
    v->unit = unit_of(both);
    return true;
}

static bool read_list(jn_reader *r, const jn_node *node, jn_vary *v) {
    jn_type type = {.kind = JN_KIND_LITERAL};
    bool words = false;
    if (node->count == 0)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "the list is empty\nwrite at least one value");
    for (int i = 0; i < node->count; i++) {
        if (!jn_expect_kind(r, node->items[i], JN_NODE_SCALAR, "a number or a word")) return false;
        const char *p = node->items[i]->text;
        words |= ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')) &&
                 !p[strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] &&
                 jn_names_find(&r->parameter_names, p) < 0 && strcmp(p, "pi") != 0;
    }
    v->kind = words ? JN_VARY_WORDS : JN_VARY_LIST;
    v->count = node->count, v->word = node->items, v->written = node->items[0], v->unit = "1";
    if (words) return true;
    v->value = jn_store_array(r->store, (size_t)node->count, sizeof *v->value);
    if (!v->value) return jn_read_no_memory(r);
    for (int i = 0; i < node->count; i++)
        if (!read_alike(r, node->items[i], v, &type, &v->value[i])) return false;
    return true;
}

static const jn_keyword spacing_keywords[] = {{"linear", 0}, {"log", 1}, {NULL, 0}};

static bool read_range(jn_reader *r, const jn_node *node, jn_vary *v) {
    static const char *const keys[] = {"from", "to", "count", "spacing", NULL};
    const jn_node *from = jn_node_get(node, "from"), *to = jn_node_get(node, "to"), *count = jn_node_get(node, "count"),
                  *spacing = jn_node_get(node, "spacing");
    jn_type type = {.kind = JN_KIND_LITERAL};
    double n = 0;
    int log = 0;
    if (!jn_study_check_keys(r, node, keys, "a range")) return false;
    if (!from || !to)
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a range has 'from' and 'to'\nwrite {from: 0.1 mm, to: 2 mm, count: 20}");
    if (!read_alike(r, from, v, &type, &v->from) || !read_alike(r, to, v, &type, &v->to)) return false;
    if (count && !jn_read_number(r, count, JN_MEASURE_NUMBER, &n)) return false;
    if (count && !(n >= 2 && n <= 1e7 && n == floor(n)))
        return jn_read_error(r, count->where, JN_ERR_MODEL, "'count' must be a whole number from 2 on, not %g", n);
    if (spacing && !jn_read_keyword(r, spacing, spacing_keywords, &log)) return false;
    if (log && !(v->from > 0 && v->to > 0))
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a logarithmic range lies above 0\nwrite 'spacing: linear', or positive ends");
    if (v->from == v->to)
        return jn_read_error(r, to->where, JN_ERR_MODEL, "the range has no width\nmake 'to' differ from 'from'");
    v->kind = JN_VARY_RANGE, v->count = (int)n, v->log = log == 1, v->written = jn_node_entry(node, "from")->value;
    return true;
}

static bool read_limits(jn_reader *r, const jn_node *limits, jn_vary *v, jn_type *type) {
    if (!limits) return true;
    v->distribution.limited = true;
    return jn_expect_list(r, limits, 2, "limits, as [low, high]") &&
           read_alike(r, limits->items[0], v, type, &v->distribution.low) &&
           read_alike(r, limits->items[1], v, type, &v->distribution.high);
}

static bool read_distribution(jn_reader *r, const jn_node *node, jn_vary *v, jn_distribution_kind kind) {
    const jn_distribution_info *info = jn_distribution_get_info(kind);
    const char *const keys[] = {info->name, "limits", NULL};
    const jn_node *list = jn_node_get(node, info->name);
    jn_type type = {.kind = JN_KIND_LITERAL};
    jn_node *const one[] = {jn_node_entry(node, info->name)->value};
    if (!jn_study_check_keys(r, node, keys, "a distribution")) return false;
    int count = list->kind == JN_NODE_LIST ? list->count : 1;
    jn_node *const *item = list->kind == JN_NODE_LIST ? list->items : one;
    if (count != info->parameters)
        return jn_read_error(r, list->where, JN_ERR_MODEL,
                             "'%s' takes %d number%s, %s, not %d\nwrite '%s', for example", info->name,
                             info->parameters, info->parameters == 1 ? "" : "s", info->meaning, count, info->example);
    v->kind = JN_VARY_DISTRIBUTION, v->distribution = (jn_distribution){.kind = kind}, v->written = item[0];
    for (int i = 0; i < count; i++) {
        bool fine = i == info->pure ? jn_read_number(r, item[i], JN_MEASURE_NUMBER, &v->distribution.p[i])
                                    : read_alike(r, item[i], v, &type, &v->distribution.p[i]);
        if (!fine) return false;
    }
    if (!read_limits(r, jn_node_get(node, "limits"), v, &type)) return false;
    const char *wrong = jn_distribution_wrong(&v->distribution);
    return !wrong || jn_read_error(r, list->where, JN_ERR_MODEL, "%s", wrong);
}

static bool read_map(jn_reader *r, const jn_node *node, jn_vary *v) {
    jn_suggest suggest = jn_suggest_for(node->count ? node->entries[0].key : "");
    for (int k = 0; k < JN_DISTRIBUTIONS; k++) {
        const char *name = jn_distribution_get_info((jn_distribution_kind)k)->name;
        if (jn_node_get(node, name)) return read_distribution(r, node, v, (jn_distribution_kind)k);
        jn_suggest_offer(&suggest, name);
    }
    if (jn_node_get(node, "from") || jn_node_get(node, "to")) return read_range(r, node, v);
    jn_suggest_offer(&suggest, "from");
    if (suggest.best)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "this is neither a range nor a distribution\nwrite '%s'",
                             suggest.best);
    return jn_read_error(
        r, node->where, JN_ERR_MODEL,
        "this is neither a range nor a distribution\nwrite {from: 0, to: 1, count: 11} or {normal: [76 g, 2 g]}");
}

bool jn_study_read_vary(jn_reader *r, const jn_node *node, void *item) {
    jn_study *s = item;
    if (!jn_expect_kind(r, node, JN_NODE_MAP, "parameters to vary, each 'name: values'")) return false;
    if (node->count > JN_STUDY_VARIES)
        return jn_read_error(r, node->where, JN_ERR_LIMIT, "a study varies at most %d parameters, not %d",
                             JN_STUDY_VARIES, node->count);
    s->vary = jn_store_array(r->store, (size_t)node->count + 1, sizeof *s->vary);
    if (!s->vary) return jn_read_no_memory(r);
    bool fine = true;
    for (int i = 0; i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        jn_vary *v = &s->vary[s->varies++];
        char full[256];
        size_t mark = jn_path_key(r, entry->key);
        *v = (jn_vary){.name = entry->key, .where = entry->where, .unit = "1"};
        bool good = jn_document_find(s->document, entry->key, entry->where, full, sizeof full, r->report) == JN_OK;
        if (!good) r->status = r->status ? r->status : JN_ERR_MODEL;
        v->full = jn_store_strdup(r->store, full);
        if (!v->full) return jn_read_no_memory(r);
        if (entry->value->kind == JN_NODE_LIST)
            good = read_list(r, entry->value, v) && good;
        else if (entry->value->kind == JN_NODE_MAP)
            good = read_map(r, entry->value, v) && good;
        else
            good = jn_read_error(
                r, entry->where, JN_ERR_MODEL,
                "'%s' has no values to vary\nwrite a list, {from: ..., to: ..., count: ...} or a distribution",
                entry->key);
        jn_path_back(r, mark);
        fine = fine && good;
    }
    return fine;
}

/* Xacro: values of names, as Python has them. */
#include "description/robot/xacro/xacro.h"

#include "base/parse_number.h"
#include "description/yaml/node.h"
#include "description/yaml/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Items of a list in a text, where longer ones and those with lists in lists are not written out, and letters after which it ends. */
enum { MOST_SHOWN = 200, MOST_LETTERS = 10000 };

bool jn_xacro_spend(jn_xacro *x, double bytes) {
    x->spent += bytes;
    return x->spent <= JN_XACRO_BYTES ||
           jn_read_error(x->b->r, x->where, JN_ERR_LIMIT,
                         "the template makes more than %d MB of texts and lists\nuse shorter texts, or fewer macros "
                         "that call each other",
                         JN_XACRO_BYTES / 1000000);
}

static jn_xacro_symbol *find_in(const jn_xacro_scope *scope, const char *name, size_t length) {
    for (int i = scope->count - 1; i >= 0; i--)
        if (!strncmp(scope->symbols[i].name, name, length) && !scope->symbols[i].name[length])
            return &scope->symbols[i];
    return NULL;
}

jn_xacro_symbol *jn_xacro_find(jn_xacro_scope *scope, const char *name, size_t length) {
    jn_xacro_symbol *found = NULL;
    for (; scope && !found; scope = scope->outer) found = find_in(scope, name, length);
    return found;
}

bool jn_xacro_resolve(jn_xacro *x, jn_xacro_scope *scope, const char *name, size_t length, jn_xacro_symbol **out) {
    jn_xacro_symbol *s = *out = NULL;
    for (; scope && !s; scope = s ? scope : scope->outer) s = find_in(scope, name, length);
    *out = s;
    if (!s || !s->pending) return true;
    if (s->resolving || ++x->resolved > JN_XACRO_CHAIN)
        return jn_read_error(
            x->b->r, s->where, JN_ERR_MODEL,
            s->resolving
                ? "the property '%.60s' is defined by itself\nwrite lazy_eval=\"false\" where it changes its own value"
                : "the property '%.60s' stands behind too many others that name each other\nwrite lazy_eval=\"false\" "
                  "in some of them",
            s->name);
    s->resolving = true;
    if (!jn_xacro_evaluate_text(x, scope, s->pending, s->where, &s->value)) return false;
    s->resolving = false, s->pending = NULL, x->resolved--;
    return true;
}

jn_xacro_symbol *jn_xacro_set(jn_xacro *x, jn_xacro_scope *scope, const char *name) {
    for (int i = 0; i < scope->count; i++)
        if (!strcmp(scope->symbols[i].name, name)) return &scope->symbols[i];
    void *wide = jn_store_grow(x->b->r->scratch, scope->symbols, scope->count, sizeof *scope->symbols);
    if (!wide) {
        jn_read_no_memory(x->b->r);
        return NULL;
    }
    scope->symbols = wide;
    scope->symbols[scope->count] = (jn_xacro_symbol){.name = name};
    return &scope->symbols[scope->count++];
}

jn_xacro_value jn_xacro_number(double number, bool whole) {
    return (jn_xacro_value){.kind = whole ? JN_XACRO_INT : JN_XACRO_REAL, .number = number};
}

jn_xacro_value jn_xacro_text(const char *text) { return (jn_xacro_value){.kind = JN_XACRO_TEXT, .text = text}; }

static bool is_word(const char *text, const char *small, const char *large) {
    return !strcmp(text, small) || !strcmp(text, large);
}

jn_xacro_value jn_xacro_literal(jn_xacro_value value) {
    double number;
    if (value.kind != JN_XACRO_TEXT) return value;
    const char *p = value.text + strspn(value.text, " \t\r\n");
    size_t n = strlen(p);
    while (n && strchr(" \t\r\n", p[n - 1])) n--;
    bool sign = n > 1 && *p == '+';
    if (is_word(value.text, "true", "True")) return (jn_xacro_value){.kind = JN_XACRO_BOOL, .number = 1};
    if (is_word(value.text, "false", "False")) return (jn_xacro_value){.kind = JN_XACRO_BOOL};
    if (!n || !strchr("+-.0123456789", *p) || !jn_number_read(p + sign, n - sign, &number)) return value;
    return jn_xacro_number(number, strspn(p, "+-0123456789") >= n && fabs(number) < 9e15);
}

/* The shortest digits that give the number back, with a point in them. */
static const char *real_string(jn_xacro *x, double number) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (jn_number_read(text, strlen(text), &back) && back == number) break;
    }
    return jn_robot_text(x->b, strpbrk(text, ".en") ? "%s" : "%s.0", text);
}

const char *jn_xacro_string(jn_xacro *x, const jn_xacro_value *value) {
    const char *sum = value->kind == JN_XACRO_MAP ? "{" : "[";
    switch (value->kind) {
    case JN_XACRO_NONE: return "None";
    case JN_XACRO_BOOL: return value->number != 0 ? "True" : "False";
    case JN_XACRO_INT: return jn_robot_text(x->b, "%.0f", value->number);
    case JN_XACRO_REAL: return real_string(x, value->number);
    case JN_XACRO_TEXT: return value->text;
    default: break;
    }
    bool short_one = value->count <= MOST_SHOWN && value->height <= 2;
    for (int i = 0; i < value->count && short_one; i++) {
        sum = jn_robot_text(x->b, "%s%s%s%s%s", sum, i ? ", " : "", value->keys ? value->keys[i] : "",
                            value->keys ? ": " : "", jn_xacro_string(x, &value->items[i]));
        short_one = strlen(sum) <= MOST_LETTERS && jn_xacro_spend(x, (double)strlen(sum));
    }
    if (!short_one) sum = jn_robot_text(x->b, "%s...", sum);
    return jn_robot_text(x->b, "%s%s", sum, value->kind == JN_XACRO_MAP ? "}" : "]");
}

bool jn_xacro_true(const jn_xacro_value *value) {
    switch (value->kind) {
    case JN_XACRO_NONE: return false;
    case JN_XACRO_TEXT: return *value->text != 0;
    case JN_XACRO_LIST:
    case JN_XACRO_MAP: return value->count > 0;
    default: return value->number != 0;
    }
}

static bool is_number(const jn_xacro_value *v) {
    return v->kind == JN_XACRO_BOOL || v->kind == JN_XACRO_INT || v->kind == JN_XACRO_REAL;
}

bool jn_xacro_equal(const jn_xacro_value *a, const jn_xacro_value *b) {
    if (is_number(a) && is_number(b)) return a->number == b->number;
    if (a->kind != b->kind) return false;
    if (a->kind == JN_XACRO_TEXT) return !strcmp(a->text, b->text);
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (!jn_xacro_equal(&a->items[i], &b->items[i]) || (a->keys && strcmp(a->keys[i], b->keys[i]))) return false;
    return true;
}

const jn_xacro_value *jn_xacro_entry(const jn_xacro_value *map, const char *key) {
    for (int i = map->kind == JN_XACRO_MAP ? map->count - 1 : -1; i >= 0; i--)
        if (!strcmp(map->keys[i], key)) return &map->items[i];
    return NULL;
}

/* A number in a unit, as xacro's load_yaml reads `!degrees 90`: an expression times what the unit is in rad or m. */
static bool convert_unit(jn_xacro *x, const jn_node *node, jn_xacro_value *out) {
    static const struct {
        const char *tag;
        double factor;
    } units[] = {{"!radians", 1},         {"!degrees", M_PI / 180}, {"!meters", 1},
                 {"!millimeters", 0.001}, {"!foot", 0.3048},        {"!inches", 0.0254}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(node->tag, units[i].tag)) continue;
        if (!jn_xacro_evaluate(x, &x->global, node->text, strlen(node->text), node->where, out)) return false;
        if (!is_number(out))
            return jn_read_error(x->b->r, node->where, JN_ERR_MODEL, "'%.60s' is not a number\nwrite %s 1.5",
                                 node->text, node->tag);
        *out = jn_xacro_number(out->number * units[i].factor, false);
        return true;
    }
    return jn_read_error(
        x->b->r, node->where, JN_ERR_MODEL,
        "the tag '%.60s' is not known\nwrite !radians, !degrees, !meters, !millimeters, !foot or !inches", node->tag);
}

static bool convert(jn_xacro *x, const jn_node *node, jn_xacro_value *out) {
    jn_store *store = x->b->r->scratch;
    *out = (jn_xacro_value){.kind = JN_XACRO_NONE};
    if (node->tag) return convert_unit(x, node, out);
    if (node->kind == JN_NODE_EMPTY) return true;
    if (node->kind == JN_NODE_SCALAR) {
        *out = jn_xacro_text(node->text);
        if (node->plain) *out = jn_xacro_literal(*out);
        return true;
    }
    bool map = node->kind == JN_NODE_MAP;
    *out = (jn_xacro_value){.kind = map ? JN_XACRO_MAP : JN_XACRO_LIST, .count = node->count};
    out->items = jn_store_array(store, (size_t)node->count + 1, sizeof *out->items);
    if (map) out->keys = jn_store_array(store, (size_t)node->count + 1, sizeof *out->keys);
    if (!out->items || (map && !out->keys)) return jn_read_no_memory(x->b->r);
    for (int i = 0; i < node->count;
         i++) { /* of a key that stands twice the last counts, as in PyYAML: jn_xacro_entry */
        if (map) out->keys[i] = node->entries[i].key;
        if (!convert(x, map ? node->entries[i].value : node->items[i], &out->items[i])) return false;
        if (out->items[i].height >= out->height) out->height = out->items[i].height + 1;
        out->size += 1 + out->items[i].size;
    }
    return true;
}

bool jn_xacro_load_yaml(jn_xacro *x, const char *path, jn_where where, jn_xacro_value *out) {
    jn_reader *r = x->b->r;
    size_t length;
    int status = JN_OK;
    const char *file = jn_source_beside(r, where.file, path);
    char *text = file ? jn_source_load(r, file, where, r->scratch, &length) : NULL;
    jn_node *root = text ? jn_yaml_read_foreign(text, length, file, r->scratch, r->report, &status) : NULL;
    if (text && !root) r->status = r->status ? r->status : status;
    return root && jn_xacro_spend(x, (double)length) && convert(x, root, out);
}

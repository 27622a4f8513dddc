/* Values of a .usda file. Numbers of a list lie one behind the other, so that meshes take little room. */
#include "description/robot/usd/usd_value.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static bool add_number(jn_usd_lexer *x, jn_usd_value *out, int *total, double number) {
    if (*total == INT_MAX)
        return jn_read_error(x->r, x->where, JN_ERR_LIMIT, "the list has more numbers than can be counted");
    double *wide = jn_store_grow(x->r->scratch, out->numbers, *total, sizeof *wide);
    if (!wide) return jn_read_no_memory(x->r);
    out->numbers = wide, out->numbers[(*total)++] = number;
    return true;
}

static bool is_truth(const jn_usd_lexer *x) {
    static const char *const words[] = {"true", "false", "True", "False", "inf", "nan"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (jn_usd_word(x, words[i])) return true;
    return false;
}

/* One number, or a tuple of numbers or of tuples; its numbers are added to the list. */
static bool read_element(jn_usd_lexer *x, int depth, jn_usd_value *out, int *total) {
    if (x->kind == JN_USD_NUMBER || is_truth(x)) {
        double number = x->kind == JN_USD_NUMBER ? x->number
                        : *x->text == 'i'        ? (double)INFINITY
                        : *x->text == 'n'        ? (double)NAN
                                                 : *x->text == 't' || *x->text == 'T';
        return add_number(x, out, total, number) && jn_usd_next(x);
    }
    if (!jn_usd_sign(x, '(')) return jn_usd_expected(x, "a number", "write one as 12, -0.5 or 1e-3");
    if (depth > 3)
        return jn_read_error(x->r, x->where, JN_ERR_SYNTAX,
                             "tuples within tuples within tuples\nwrite ((...), (...)) at most");
    if (!jn_usd_next(x)) return false;
    while (!jn_usd_sign(x, ')')) {
        if (!read_element(x, depth + 1, out, total)) return false;
        if (jn_usd_sign(x, ',')
                ? !jn_usd_next(x)
                : !jn_usd_sign(x, ')') && !jn_usd_expected(x, "',' or ')' in a tuple", "write (1, 2, 3)"))
            return false;
    }
    return jn_usd_next(x);
}

static bool add_text(jn_usd_lexer *x, jn_usd_value *out, jn_usd_kind kind) {
    const char **wide = jn_store_grow(x->r->scratch, out->texts, out->count, sizeof *wide);
    const char *text = jn_usd_text(x);
    if (!wide || !text) return jn_read_no_memory(x->r);
    out->texts = wide, out->texts[out->count++] = text, out->kind = kind;
    return jn_usd_next(x);
}

static jn_usd_kind text_kind(const jn_usd_lexer *x) {
    return x->kind == JN_USD_ASSET ? JN_USD_ASSETS : x->kind == JN_USD_PATH ? JN_USD_PATHS : JN_USD_TEXTS;
}

static bool is_text(const jn_usd_lexer *x) {
    return x->kind == JN_USD_STRING || x->kind == JN_USD_ASSET || x->kind == JN_USD_PATH ||
           (x->kind == JN_USD_WORD && !is_truth(x));
}

static bool read_numbers(jn_usd_lexer *x, jn_usd_value *out, int *total) {
    int before = *total;
    jn_where where = x->where;
    if (!read_element(x, 0, out, total)) return false;
    int width = *total - before;
    if (out->count && width != out->width)
        return jn_read_error(x->r, where, JN_ERR_SYNTAX,
                             "this element has %d numbers, those before have %d\nwrite as many in each", width,
                             out->width);
    out->kind = JN_USD_NUMBERS, out->width = width, out->count++;
    return true;
}

/* Lists of dictionaries and the like have no meaning for us. */
static bool skip_list(jn_usd_lexer *x, int depth) {
    jn_usd_value ignored;
    while (!jn_usd_sign(x, ']')) {
        if (!jn_usd_read_value(x, depth + 1, &ignored)) return false;
        if (jn_usd_sign(x, ',') && !jn_usd_next(x)) return false;
    }
    return jn_usd_next(x);
}

static bool read_list(jn_usd_lexer *x, int depth, jn_usd_value *out) {
    int total = 0;
    out->list = true;
    if (!jn_usd_next(x)) return false;
    while (!jn_usd_sign(x, ']')) {
        jn_usd_kind kind = is_text(x) ? text_kind(x) : JN_USD_NUMBERS;
        if (jn_usd_sign(x, '{') || jn_usd_sign(x, '[')) return skip_list(x, depth);
        if (out->count && kind != out->kind)
            return jn_usd_expected(
                x, out->kind == JN_USD_NUMBERS ? "a number, as before in this list" : "a text, as before in this list",
                "write elements of one kind");
        if (kind == JN_USD_NUMBERS ? !read_numbers(x, out, &total) : !add_text(x, out, kind)) return false;
        if (jn_usd_sign(x, ',')
                ? !jn_usd_next(x)
                : !jn_usd_sign(x, ']') && !jn_usd_expected(x, "',' or ']' in a list", "write [a, b, c]"))
            return false;
    }
    return jn_usd_next(x);
}

/* { type name = value ... }; the type may be "dictionary". */
static bool read_dictionary(jn_usd_lexer *x, int depth, jn_usd_value *out) {
    out->kind = JN_USD_DICTIONARY;
    if (!jn_usd_next(x)) return false;
    while (!jn_usd_sign(x, '}')) {
        jn_usd_field *wide = jn_store_grow(x->r->scratch, out->fields, out->count, sizeof *wide);
        if (!wide) return jn_read_no_memory(x->r);
        out->fields = wide;
        jn_usd_field *f = &out->fields[out->count];
        *f = (jn_usd_field){.where = x->where};
        if (x->kind != JN_USD_WORD)
            return jn_usd_expected(x, "a type in this dictionary", "write 'string name = \"...\"'");
        if (!jn_usd_next(x)) return false;
        if (jn_usd_sign(x, '[') && (!jn_usd_next(x) || !jn_usd_take(x, ']', "']' of the type"))) return false;
        if (x->kind != JN_USD_WORD && x->kind != JN_USD_STRING && x->kind != JN_USD_NUMBER)
            return jn_usd_expected(x, "a name in this dictionary", "write 'string name = \"...\"'");
        if (!(f->name = jn_usd_text(x)) || !jn_usd_next(x) || !jn_usd_take(x, '=', "'=' behind the name") ||
            !jn_usd_read_value(x, depth + 1, &f->value))
            return false;
        out->count++;
        while (jn_usd_sign(x, ';') || jn_usd_sign(x, ','))
            if (!jn_usd_next(x)) return false;
    }
    return jn_usd_next(x);
}

bool jn_usd_read_value(jn_usd_lexer *x, int depth, jn_usd_value *out) {
    int total = 0;
    *out = (jn_usd_value){.where = x->where, .kind = JN_USD_NONE};
    if (depth > JN_USD_DEEPEST)
        return jn_read_error(x->r, x->where, JN_ERR_LIMIT, "the file is nested deeper than %d levels", JN_USD_DEEPEST);
    if (jn_usd_word(x, "None")) return jn_usd_next(x);
    if (jn_usd_sign(x, '[')) return read_list(x, depth, out);
    if (jn_usd_sign(x, '{')) return read_dictionary(x, depth, out);
    if (is_text(x)) return add_text(x, out, text_kind(x));
    if (x->kind == JN_USD_NUMBER || is_truth(x) || jn_usd_sign(x, '(')) return read_numbers(x, out, &total);
    return jn_usd_expected(x, "a value", "write a number, a \"text\", a tuple (1, 2) or a list [1, 2]");
}

bool jn_usd_skip_part(jn_usd_lexer *x) {
    int depth = 0;
    jn_where where = x->where;
    do {
        if (jn_usd_sign(x, '{') || jn_usd_sign(x, '(') || jn_usd_sign(x, '[')) depth++;
        if (jn_usd_sign(x, '}') || jn_usd_sign(x, ')') || jn_usd_sign(x, ']')) depth--;
        if (x->kind == JN_USD_END)
            return jn_read_error(x->r, where, JN_ERR_SYNTAX, "this part does not end\nclose its brackets");
        if (!jn_usd_next(x)) return false;
    } while (depth > 0);
    return true;
}

static bool read_arc(jn_usd_lexer *x, jn_usd_value *out) {
    jn_usd_arc *wide = jn_store_grow(x->r->scratch, out->arcs, out->count, sizeof *wide);
    if (!wide) return jn_read_no_memory(x->r);
    out->arcs = wide;
    jn_usd_arc *a = &out->arcs[out->count];
    *a = (jn_usd_arc){.where = x->where};
    if (x->kind != JN_USD_ASSET && x->kind != JN_USD_PATH)
        return jn_usd_expected(x, "a file or a prim", "write @file.usda@, @file.usda@</Prim> or </Prim>");
    if (x->kind == JN_USD_ASSET) {
        if (!(a->asset = jn_usd_text(x)) || !jn_usd_next(x)) return false;
        if (!*a->asset) a->asset = NULL;
    }
    if (x->kind == JN_USD_PATH) {
        if (!(a->path = jn_usd_text(x)) || !jn_usd_next(x)) return false;
        if (!*a->path) a->path = NULL;
    }
    out->count++;
    return !jn_usd_sign(x, '(') || jn_usd_skip_part(x); /* offsets in time */
}

bool jn_usd_read_arcs(jn_usd_lexer *x, jn_usd_value *out) {
    *out = (jn_usd_value){.where = x->where, .kind = JN_USD_ARCS};
    if (jn_usd_word(x, "None")) return jn_usd_next(x);
    if (!jn_usd_sign(x, '[')) return read_arc(x, out);
    out->list = true;
    if (!jn_usd_next(x)) return false;
    while (!jn_usd_sign(x, ']')) {
        if (!read_arc(x, out)) return false;
        if (jn_usd_sign(x, ',')
                ? !jn_usd_next(x)
                : !jn_usd_sign(x, ']') && !jn_usd_expected(x, "',' or ']' in a list", "write [@a.usda@, @b.usda@]"))
            return false;
    }
    return jn_usd_next(x);
}

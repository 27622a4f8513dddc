/* Xacro: expressions of Python [Python 3 language reference, chapter 6], by recursive descent; what is not reached by `if`, `and` and `or` is parsed
 * without being evaluated. */
#include "description/robot/xacro/xacro_parser.h"

#include "algebra/elementary.h"
#include "base/parse_number.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = JN_XACRO_DEEPEST, LONGEST = JN_XACRO_LONGEST };

static value ternary(parser *p);

static value fail_with(parser *p, const char *what, const char *name, size_t length, const char *hint) {
    if (!p->failed && !p->x->b->r->status)
        jn_read_error(p->x->b->r, p->where, JN_ERR_MODEL, "expression: %s '%.*s'\n%s", what,
                      length < 60 ? (int)length : 60, name, hint);
    p->failed = true;
    return (value){.kind = JN_XACRO_NONE};
}

value jn_xacro_fail(parser *p, const char *what, const char *name, size_t length) {
    return fail_with(
        p, what, name, length,
        "write what Python reads: numbers, names of properties, + - * / ** %, comparisons, 'a if b else c', "
        "functions of math");
}

value jn_xacro_fail_here(parser *p) { return jn_xacro_fail(p, "it is not understood at", p->at, (size_t)(p->end - p->at)); }

value jn_xacro_fail_memory(parser *p) {
    jn_read_no_memory(p->x->b->r);
    p->failed = true;
    return (value){.kind = JN_XACRO_NONE};
}

static value fail_large(parser *p) {
    return fail_with(p, "it is nested too deep, or makes too much, at", p->at, (size_t)(p->end - p->at),
                     "write parts of it as properties");
}

/* One level deeper; properties that are evaluated on the way count together. */
static bool enter(parser *p) { return ++p->depth <= DEEPEST && ++p->x->levels <= JN_XACRO_LEVELS; }
static void leave(parser *p) { p->depth--, p->x->levels--; }

/* ---------------------------------------------------------------------------------------------------------- tokens */

static void skip_space(parser *p) {
    while (p->at < p->end && isspace((unsigned char)*p->at)) p->at++;
}

static bool is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Takes a sign, or a word that ends there. */
static bool take(parser *p, const char *word) {
    size_t n = strlen(word);
    skip_space(p);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n)) return false;
    if (is_letter(*word) && p->at + n < p->end && is_letter(p->at[n])) return false;
    p->at += n;
    return true;
}

static const char *name_of(parser *p, size_t *length) {
    skip_space(p);
    const char *begin = p->at;
    while (p->at < p->end && is_letter(*p->at)) p->at++;
    *length = (size_t)(p->at - begin);
    return begin;
}

/* --------------------------------------------------------------------------------------------------------- operands */

/* One more item of a list or map. */
static bool append(parser *p, value *list, const value *item) {
    void *wide = jn_store_grow(p->x->b->r->scratch, list->items, list->count, sizeof *list->items);
    if (!wide) jn_xacro_fail_memory(p);
    if (!wide) return false;
    list->items = wide, list->items[list->count++] = *item;
    if (item->height >= list->height) list->height = item->height + 1;
    list->size += 1 + item->size;
    if (list->height > DEEPEST || list->size > LONGEST || !jn_xacro_spend(p->x, sizeof *item)) fail_large(p);
    return !p->failed;
}

/* The key of an entry of a map, before `between`: a value before ":", a bare name before "=". */
static const char *read_key(parser *p, const char *between) {
    size_t n;
    value key = {.kind = JN_XACRO_TEXT};
    if (*between == '=') {
        const char *name = name_of(p, &n);
        key.text = jn_robot_text(p->x->b, "%.*s", (int)n, name);
    } else
        key = ternary(p);
    if (!take(p, between)) jn_xacro_fail_here(p);
    return jn_xacro_string(p->x, &key);
}

/* Values between brackets; between: what stands behind the keys of a map, NULL in a list. */
static value read_list(parser *p, const char *close, const char *between) {
    jn_store *store = p->x->b->r->scratch;
    value list = {.kind = between ? JN_XACRO_MAP : JN_XACRO_LIST};
    int keys = 0;
    while (!p->failed && !take(p, close)) {
        if (between) {
            void *wide = jn_store_grow(store, (void *)list.keys, keys, sizeof *list.keys);
            if (!wide) return jn_xacro_fail_memory(p);
            list.keys = wide, list.keys[keys++] = read_key(p, between);
        }
        value item = ternary(p);
        if (!append(p, &list, &item)) return list;
        if (!take(p, ",") && !(take(p, close) ? (p->at -= strlen(close), true) : false)) return jn_xacro_fail_here(p);
    }
    return list;
}

static value disjunction(parser *p);

/* What follows "[ITEM for": NAME in LIST if CONDITION], the last part as one likes. The item is evaluated for each value of the name. */
static value read_comprehension(parser *p, const char *item_text) {
    size_t n;
    const char *name = name_of(p, &n), *condition = NULL;
    value made = {.kind = JN_XACRO_LIST};
    if (!n || !take(p, "in")) return jn_xacro_fail_here(p);
    value from = disjunction(p);
    bool was = p->idle;
    if (take(p, "if")) condition = p->at, p->idle = true, disjunction(p), p->idle = was;
    if (!take(p, "]")) return jn_xacro_fail_here(p);
    const char *end = p->at;
    if (was || p->failed) return made;
    if (from.kind != JN_XACRO_LIST) return jn_xacro_fail(p, "only lists are gone through by", "for", 3);
    jn_xacro_scope inner = {.outer = p->scope}, *outer = p->scope;
    jn_xacro_symbol *bound = jn_xacro_set(p->x, &inner, jn_robot_text(p->x->b, "%.*s", (int)n, name));
    if (!bound) return jn_xacro_fail_memory(p);
    p->scope = &inner;
    for (int i = 0; i < from.count && !p->failed; i++) {
        bound->value = from.items[i];
        if (!jn_xacro_spend(p->x, (double)(end - item_text))) fail_large(p);
        value holds = make_bool(true);
        if (condition && !p->failed) p->at = condition, holds = disjunction(p);
        if (p->failed || !jn_xacro_true(&holds)) continue;
        p->at = item_text;
        value item = ternary(p);
        if (!p->failed) append(p, &made, &item);
    }
    p->at = end, p->scope = outer;
    return made;
}

/* What follows "[": items, or one item for each value of a name. The first is parsed without being evaluated, to see which. */
static value read_brackets(parser *p) {
    const char *begin = p->at;
    bool was = p->idle;
    if (take(p, "]")) return (value){.kind = JN_XACRO_LIST};
    p->idle = true;
    ternary(p);
    p->idle = was;
    if (!p->failed && take(p, "for")) return read_comprehension(p, begin);
    if (!was && !p->failed) p->at = begin;
    if (!was) return read_list(p, "]", NULL);
    bool closed = false;
    while (!p->failed && !(closed = take(p, "]")) && take(p, ","))
        if ((closed = take(p, "]")))
            break;
        else
            ternary(p);
    return closed || p->failed ? (value){.kind = JN_XACRO_LIST} : jn_xacro_fail_here(p);
}

static value read_string(parser *p) {
    char quote = *p->at++;
    const char *begin = p->at;
    while (p->at < p->end && *p->at != quote) p->at++;
    if (p->at == p->end) return jn_xacro_fail_here(p);
    return jn_xacro_text(jn_robot_text(p->x->b, "%.*s", (int)(p->at++ - begin), begin));
}

static value read_number(parser *p) {
    const char *begin = p->at;
    double number;
    while (p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '.' ||
                              ((*p->at == '-' || *p->at == '+') && (p->at[-1] == 'e' || p->at[-1] == 'E'))))
        p->at++;
    size_t n = (size_t)(p->at - begin);
    if (!jn_number_read(begin, n, &number)) return jn_xacro_fail(p, "this is no number:", begin, n);
    return jn_xacro_number(number, strspn(begin, "0123456789") >= n);
}

/* What a name stands for in a scope; NULL: nothing. */
static jn_xacro_symbol *resolve(parser *p, jn_xacro_scope *scope, const char *name, size_t n) {
    jn_xacro_symbol *s = NULL;
    if (p->idle) return jn_xacro_find(scope, name, n);
    if (!jn_xacro_resolve(p->x, scope, name, n, &s)) p->failed = true;
    return s;
}

/* Whether `name=` comes next. */
static bool has_keyword(parser *p) {
    const char *at = p->at;
    size_t n;
    name_of(p, &n);
    bool found = n && take(p, "=") && (p->at == p->end || *p->at != '=');
    p->at = at;
    return found;
}

/* What follows "isinstance(": a value and the name of a type. A bool is an int, too. */
static value is_instance(parser *p) {
    static const struct {
        const char *name;
        jn_xacro_kind first, last;
    } types[] = {{"list", JN_XACRO_LIST, JN_XACRO_LIST},  {"dict", JN_XACRO_MAP, JN_XACRO_MAP},
                 {"str", JN_XACRO_TEXT, JN_XACRO_TEXT},   {"int", JN_XACRO_BOOL, JN_XACRO_INT},
                 {"float", JN_XACRO_REAL, JN_XACRO_REAL}, {"bool", JN_XACRO_BOOL, JN_XACRO_BOOL}};
    value v = ternary(p);
    size_t n;
    if (!take(p, ",")) return jn_xacro_fail_here(p);
    if (take(p, "python")) take(p, ".");
    const char *name = name_of(p, &n);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (is(name, n, types[i].name))
            return take(p, ")") ? make_bool(v.kind >= types[i].first && v.kind <= types[i].last) : jn_xacro_fail_here(p);
    return jn_xacro_fail(p, "there is no type", name, n);
}

static value read_name(parser *p) {
    static const struct {
        const char *name;
        value value;
    } constants[] = {{"pi", {.kind = JN_XACRO_REAL, .number = M_PI}},
                     {"e", {.kind = JN_XACRO_REAL, .number = M_E}},
                     {"tau", {.kind = JN_XACRO_REAL, .number = 2 * M_PI}},
                     {"inf", {.kind = JN_XACRO_REAL, .number = INFINITY}},
                     {"True", {.kind = JN_XACRO_BOOL, .number = 1}},
                     {"true", {.kind = JN_XACRO_BOOL, .number = 1}},
                     {"False", {.kind = JN_XACRO_BOOL}},
                     {"false", {.kind = JN_XACRO_BOOL}},
                     {"None", {.kind = JN_XACRO_NONE}}};
    size_t n;
    const char *name = name_of(p, &n);
    if (n && (is(name, n, "math") || is(name, n, "xacro") || is(name, n, "python")) && take(p, "."))
        name = name_of(p, &n);
    if (!n) return jn_xacro_fail_here(p);
    jn_xacro_symbol *s = resolve(p, p->scope, name, n);
    while (s && s->space && !p->failed && take(p, ".")) {
        name = name_of(p, &n);
        s = resolve(p, &s->space->symbols, name, n);
    }
    if (p->failed) return (value){.kind = JN_XACRO_NONE};
    if (!s && take(p, "(")) {
        if (is(name, n, "dict") && has_keyword(p)) return read_list(p, ")", "=");
        if (is(name, n, "isinstance")) return is_instance(p);
        value list = read_list(p, ")", NULL);
        return jn_xacro_call(p, name, n, list.items, list.count);
    }
    if (s && !s->block && !s->space) return jn_xacro_literal(s->value);
    for (size_t i = 0; !s && i < sizeof constants / sizeof constants[0]; i++)
        if (is(name, n, constants[i].name)) return constants[i].value;
    if (p->idle) return (value){.kind = JN_XACRO_NONE};
    return fail_with(p, "nothing is called", name, n, "define it by <xacro:property name=\"...\" value=\"...\"/>");
}

/* Where an end of a slice lies in so many items; none: where it stands for one of the ends. */
static int slice_end(const value *end, int count, int none) {
    if (end->kind == JN_XACRO_NONE) return none;
    double i = end->number < 0 ? end->number + count : end->number;
    return i < 0 ? 0 : i > count ? count : (int)i;
}

static bool is_end(const value *v) { return v->kind == JN_XACRO_NONE || is_whole(v); }

/* on[from:to] of a text or a list. */
static value slice(parser *p, value on, const value *from, const value *to) {
    bool text = on.kind == JN_XACRO_TEXT;
    if (p->idle || p->failed) return on;
    if (!text && on.kind != JN_XACRO_LIST) return jn_xacro_fail(p, "only texts and lists have parts such as", "[1:3]", 5);
    if (!is_end(from) || !is_end(to)) return jn_xacro_fail(p, "only whole numbers are ends of", "[a:b]", 5);
    int count = text ? (int)strlen(on.text) : on.count, a = slice_end(from, count, 0), b = slice_end(to, count, count);
    b = b > a ? b : a;
    if (!jn_xacro_spend(p->x, b - a)) return jn_xacro_fail_here(p);
    if (text) return jn_xacro_text(jn_robot_text(p->x->b, "%.*s", b - a, on.text + a));
    on.items += a, on.count = b - a, on.size = on.height = 0;
    for (int i = 0; i < on.count; i++) {
        on.size += 1 + on.items[i].size;
        if (on.items[i].height >= on.height) on.height = on.items[i].height + 1;
    }
    return on;
}

static value index_of(parser *p, value on, const value *key) {
    if (p->idle || p->failed) return on;
    if (on.kind == JN_XACRO_TEXT && is_whole(key)) {
        int n = (int)strlen(on.text);
        double i = key->number < 0 ? key->number + n : key->number;
        if (i >= 0 && i < n) return jn_xacro_text(jn_robot_text(p->x->b, "%.1s", on.text + (int)i));
    }
    const value *found = jn_xacro_entry(&on, jn_xacro_string(p->x, key));
    if (found) return *found;
    if (on.kind == JN_XACRO_LIST && is_whole(key)) {
        double i = key->number < 0 ? key->number + on.count : key->number;
        if (i >= 0 && i < on.count) return on.items[(int)i];
    }
    const char *text = jn_xacro_string(p->x, key);
    return jn_xacro_fail(p, "there is no entry", text ? text : "", text ? strlen(text) : 0);
}

/* What follows "[": an index or key, or the ends of a slice. */
static value subscript(parser *p, value on) {
    value from = {.kind = JN_XACRO_NONE}, to = from;
    bool part = take(p, ":");
    if (!part) from = ternary(p), part = take(p, ":");
    if (!part) return take(p, "]") ? index_of(p, on, &from) : jn_xacro_fail_here(p);
    if (take(p, "]")) return slice(p, on, &from, &to);
    to = ternary(p);
    return take(p, "]") ? slice(p, on, &from, &to) : jn_xacro_fail_here(p);
}

static value primary(parser *p) {
    value v;
    skip_space(p);
    if (p->failed || p->at == p->end) return jn_xacro_fail_here(p);
    if (!enter(p)) return fail_large(p);
    if (take(p, "(")) {
        v = read_list(p, ")", NULL); /* a tuple of one is what it holds */
        if (v.count == 1) v = v.items[0];
    } else if (take(p, "["))
        v = read_brackets(p);
    else if (take(p, "{"))
        v = read_list(p, "}", ":");
    else if (*p->at == '\'' || *p->at == '"')
        v = read_string(p);
    else if (isdigit((unsigned char)*p->at) ||
             (*p->at == '.' && p->at + 1 < p->end && isdigit((unsigned char)p->at[1])))
        v = read_number(p);
    else
        v = read_name(p);
    while (!p->failed) {
        if (take(p, "["))
            v = subscript(p, v);
        else if (take(p, ".")) {
            size_t n;
            const char *name = name_of(p, &n);
            if (take(p, "(")) {
                value list = read_list(p, ")", NULL);
                v = jn_xacro_call_method(p, v, name, n, list.items, list.count);
            } else {
                value key = jn_xacro_text(jn_robot_text(p->x->b, "%.*s", (int)n, name));
                v = index_of(p, v, &key);
            }
        } else
            break;
    }
    leave(p);
    return v;
}

/* -------------------------------------------------------------------------------------------------------- operators */

static value negated(parser *p);

static value join(parser *p, const value *a, const value *b) {
    jn_xacro_value out = {.kind = JN_XACRO_LIST,
                          .count = a->count + b->count,
                          .height = a->height > b->height ? a->height : b->height,
                          .size = a->size + b->size};
    size_t letters = a->kind == JN_XACRO_TEXT ? strlen(a->text) + strlen(b->text) : 0;
    if (out.size > LONGEST || letters > LONGEST ||
        !jn_xacro_spend(p->x, (double)(letters + (size_t)out.count * sizeof out)))
        return fail_large(p);
    if (a->kind == JN_XACRO_TEXT) return jn_xacro_text(jn_robot_text(p->x->b, "%s%s", a->text, b->text));
    out.items = jn_store_array(p->x->b->r->scratch, (size_t)out.count + 1, sizeof *out.items);
    for (int i = 0; out.items && i < out.count; i++) out.items[i] = i < a->count ? a->items[i] : b->items[i - a->count];
    return out.items ? out : jn_xacro_fail_memory(p);
}

static value combine(parser *p, char sign, value a, value b) {
    bool whole = is_whole(&a) && is_whole(&b), texts = a.kind == JN_XACRO_TEXT && b.kind == JN_XACRO_TEXT;
    if (p->idle || p->failed) return a;
    if (sign == '+' && (texts || (a.kind == JN_XACRO_LIST && b.kind == JN_XACRO_LIST))) return join(p, &a, &b);
    if (sign == '-' && a.kind == JN_XACRO_LIST && b.kind == JN_XACRO_LIST) return jn_xacro_distinct(p, &a, &b);
    const char *shown = sign == '|' ? "//" : sign == '^' ? "**" : (char[]){sign, 0};
    if (!is_number(&a) || !is_number(&b)) return jn_xacro_fail(p, "these values have no operator", shown, strlen(shown));
    if (strchr("/%|", sign) && b.number == 0)
        return fail_with(p, "division by zero by", shown, strlen(shown),
                         "divide where it is not zero: 'a/b if b != 0 else c'");
    switch (sign) {
    case '+': return jn_xacro_number(a.number + b.number, whole);
    case '-': return jn_xacro_number(a.number - b.number, whole);
    case '*': return jn_xacro_number(a.number * b.number, whole);
    case '/': return jn_xacro_number(a.number / b.number, false);
    case '|': return jn_xacro_number(floor(a.number / b.number), whole);
    case '%': return jn_xacro_number(a.number - b.number * floor(a.number / b.number), whole);
    default: return jn_xacro_number(jn_pow(a.number, b.number), whole && b.number >= 0);
    }
}

static value power(parser *p) {
    value a = primary(p);
    return take(p, "**") ? combine(p, '^', a, negated(p)) : a;
}

static value negated(parser *p) {
    if (!enter(p)) return fail_large(p);
    bool minus = take(p, "-");
    value v = minus || take(p, "+") ? negated(p) : power(p);
    leave(p);
    return minus ? combine(p, '-', jn_xacro_number(0, true), v) : v;
}

static value product(parser *p) {
    value a = negated(p);
    while (!p->failed) {
        skip_space(p);
        if (p->at + 1 < p->end && p->at[0] == '*' && p->at[1] == '*') break;
        char sign = take(p, "//") ? '|' : take(p, "*") ? '*' : take(p, "/") ? '/' : take(p, "%") ? '%' : 0;
        if (!sign) break;
        a = combine(p, sign, a, negated(p));
    }
    return a;
}

static value sum(parser *p) {
    value a = product(p);
    while (!p->failed) {
        char sign = take(p, "+") ? '+' : take(p, "-") ? '-' : 0;
        if (!sign) break;
        a = combine(p, sign, a, product(p));
    }
    return a;
}

/* What a comparison of this value takes, as bytes. */
static double weight(const value *v) { return v->kind == JN_XACRO_TEXT ? (double)strlen(v->text) : v->size; }

static value comparison(parser *p) {
    value a = sum(p);
    bool result = true, any = false;
    while (!p->failed) {
        bool inverse = false;
        const char *at = p->at;
        int kind = take(p, "==")   ? 0
                   : take(p, "!=") ? 1
                   : take(p, "<=") ? 2
                   : take(p, ">=") ? 3
                   : take(p, "<")  ? 4
                   : take(p, ">")  ? 5
                   : take(p, "in") ? 6
                                   : -1;
        if (kind < 0 && take(p, "not")) kind = take(p, "in") ? (inverse = true, 6) : -1;
        if (kind < 0 && take(p, "is")) inverse = take(p, "not"), kind = 0;
        if (kind < 0) {
            p->at = at;
            break;
        }
        value b = sum(p);
        bool order = is_number(&a) && is_number(&b);
        if (kind >= 2 && kind <= 5 && !order && !p->idle) return jn_xacro_fail(p, "only numbers are compared by", at, 3);
        if (!jn_xacro_spend(p->x, weight(&a) + weight(&b))) return jn_xacro_fail_here(p);
        bool truth = kind == 0   ? jn_xacro_equal(&a, &b)
                     : kind == 1 ? !jn_xacro_equal(&a, &b)
                     : kind == 2 ? a.number <= b.number
                     : kind == 3 ? a.number >= b.number
                     : kind == 4 ? a.number < b.number
                     : kind == 5 ? a.number > b.number
                                 : jn_xacro_holds(&a, &b);
        result = result && truth != inverse, any = true, a = b;
    }
    return any ? make_bool(result) : a;
}

static value negation(parser *p) {
    int turns = 0;
    while (take(p, "not")) turns++;
    value v = comparison(p);
    return turns ? make_bool(jn_xacro_true(&v) != turns % 2) : v;
}

/* One side after the other, the rest idle once the result is known. */
static value chain(parser *p, const char *word, value (*side)(parser *p), bool ends) {
    value a = side(p);
    while (!p->failed && take(p, word)) {
        bool was = p->idle, known = jn_xacro_true(&a) == ends;
        p->idle = was || known;
        value b = side(p);
        p->idle = was;
        if (!known) a = b;
    }
    return a;
}

static value conjunction(parser *p) { return chain(p, "and", negation, false); }
static value disjunction(parser *p) { return chain(p, "or", conjunction, true); }

/* a if b else c: b is known before a or c is evaluated. */
static value ternary(parser *p) {
    const char *begin = p->at;
    bool was = p->idle;
    if (!enter(p)) return fail_large(p);
    p->idle = true;
    value plain = disjunction(p);
    p->idle = was;
    if (p->failed || !take(p, "if")) {
        if (!was && !p->failed) p->at = begin, plain = disjunction(p);
        leave(p);
        return plain;
    }
    value condition = disjunction(p);
    if (!take(p, "else")) return jn_xacro_fail_here(p);
    bool first = jn_xacro_true(&condition);
    p->idle = was || first;
    value out = ternary(p);
    const char *end = p->at;
    p->idle = was;
    if (first && !was && !p->failed) p->at = begin, out = disjunction(p), p->at = end;
    leave(p);
    return out;
}

bool jn_xacro_evaluate(jn_xacro *x, jn_xacro_scope *scope, const char *text, size_t length, jn_where where,
                       jn_xacro_value *out) {
    parser p = {.x = x, .scope = scope, .at = text, .end = text + length, .where = where};
    *out = ternary(&p);
    skip_space(&p);
    if (!p.failed && p.at < p.end) jn_xacro_fail_here(&p);
    return !p.failed;
}

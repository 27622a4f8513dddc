/* Xacro: functions of Python, and methods of texts and maps, as far as robots' files call them. */
#include "description/robot/xacro/xacro_parser.h"

#include "algebra/elementary.h"
#include "base/parse_number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

bool jn_xacro_holds(const value *a, const value *list) {
    if (list->kind == JN_XACRO_TEXT) return a->kind == JN_XACRO_TEXT && strstr(list->text, a->text);
    for (int i = 0; i < list->count; i++)
        if (list->keys ? a->kind == JN_XACRO_TEXT && !strcmp(list->keys[i], a->text)
                       : jn_xacro_equal(a, &list->items[i]))
            return true;
    return false;
}

static double radians(double a) { return a * (M_PI / 180); }
static double degrees(double a) { return a * (180 / M_PI); }

/* Functions of one number. */
static bool call_math(const char *name, size_t n, double a, value *out) {
    static const struct {
        const char *name;
        double (*f)(double);
        bool whole;
    } table[] = {
        {"sin", jn_sin, false},   {"cos", jn_cos, false},      {"tan", jn_tan, false},      {"asin", jn_asin, false},
        {"acos", jn_acos, false}, {"atan", jn_atan, false},    {"sqrt", sqrt, false},       {"exp", jn_exp, false},
        {"log", jn_log, false},   {"radians", radians, false}, {"degrees", degrees, false}, {"fabs", fabs, false},
        {"floor", floor, true},   {"ceil", ceil, true},        {"round", rint, true},       {"int", trunc, true}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (is(name, n, table[i].name)) {
            *out = jn_xacro_number(table[i].f(a), table[i].whole);
            return true;
        }
    return false;
}

/* To so many digits behind the point, halves of the decimal number to even ones, as Python does it. */
static value round_to(value x, double digits) {
    char text[400];
    double number = x.number;
    if (digits >= 0 && fabs(number) < 1e15 && digits <= 22) {
        int n = snprintf(text, sizeof text, "%.*f", (int)digits, number);
        if (n > 0) jn_number_read(text, (size_t)n, &number);
    } else if (digits < 0 && digits >= -15) {
        double unit = jn_pow(10, -digits);
        number = rint(number / unit) * unit;
    }
    return jn_xacro_number(number, is_whole(&x));
}

static value extreme(parser *p, const value *arg, int count, bool least) {
    if (count == 1 && arg[0].kind == JN_XACRO_LIST) count = arg[0].count, arg = arg[0].items;
    value best = count ? arg[0] : (value){.kind = JN_XACRO_NONE};
    for (int i = 0; i < count; i++) {
        if (!is_number(&arg[i])) return jn_xacro_fail(p, "min and max are of numbers, not", "text", 4);
        if (least ? arg[i].number < best.number : arg[i].number > best.number) best = arg[i];
    }
    return best;
}

value jn_xacro_distinct(parser *p, const value *from, const value *without) {
    value set = {.kind = JN_XACRO_LIST, .height = from->height};
    double pairs = (double)from->count * (from->count + without->count);
    set.items = jn_store_array(p->x->b->r->scratch, (size_t)from->count + 1, sizeof *set.items);
    if (!set.items) return jn_xacro_fail_memory(p);
    if (!jn_xacro_spend(p->x, (double)from->count * sizeof set + pairs)) return jn_xacro_fail_here(p);
    for (int i = 0; i < from->count; i++)
        if (!jn_xacro_holds(&from->items[i], &set) && !jn_xacro_holds(&from->items[i], without))
            set.items[set.count++] = from->items[i], set.size += 1 + from->items[i].size;
    return set;
}

/* A set is a list in which nothing stands twice. */
static value make_set(parser *p, const value *of) {
    const value none = {.kind = JN_XACRO_LIST};
    if (of && of->kind != JN_XACRO_LIST) return jn_xacro_fail(p, "a set is made of a list, not of", "other values", 12);
    return jn_xacro_distinct(p, of ? of : &none, &none);
}

value jn_xacro_call(parser *p, const char *name, size_t n, value *arg, int count) {
    value out;
    value first = count ? jn_xacro_literal(arg[0]) : (value){.kind = JN_XACRO_NONE};
    if (p->idle || p->failed) return first;
    if (is(name, n, "load_yaml") && count == 1 && arg[0].kind == JN_XACRO_TEXT) {
        p->failed = !jn_xacro_load_yaml(p->x, arg[0].text, p->where, &out);
        return p->failed ? first : out;
    }
    if (is(name, n, "arg") && count == 1 && arg[0].kind == JN_XACRO_TEXT) {
        p->failed = !jn_xacro_argument(p->x, arg[0].text, p->where, &out);
        return p->failed ? first : jn_xacro_literal(out);
    }
    if (is(name, n, "min") || is(name, n, "max")) return extreme(p, arg, count, name[1] == 'i');
    if (is(name, n, "str") && count == 1) return jn_xacro_text(jn_xacro_string(p->x, &arg[0]));
    if (is(name, n, "bool") && count == 1) return make_bool(jn_xacro_true(&first));
    if (is(name, n, "len") && count == 1)
        return jn_xacro_number(arg[0].kind == JN_XACRO_TEXT ? (double)strlen(arg[0].text) : arg[0].count, true);
    if (is(name, n, "list") || is(name, n, "dict"))
        return count ? arg[0] : (value){.kind = *name == 'l' ? JN_XACRO_LIST : JN_XACRO_MAP};
    if (is(name, n, "set")) return make_set(p, count ? arg : NULL);
    if (is(name, n, "float") && is_number(&first)) return jn_xacro_number(first.number, false);
    if (is(name, n, "abs") && is_number(&first)) return jn_xacro_number(fabs(first.number), is_whole(&first));
    if (count == 2 && is_number(&arg[0]) && is_number(&arg[1])) {
        if (is(name, n, "atan2")) return jn_xacro_number(jn_atan2(arg[0].number, arg[1].number), false);
        if (is(name, n, "round") && is_whole(&arg[1])) return round_to(arg[0], arg[1].number);
        if (is(name, n, "pow")) return jn_xacro_number(jn_pow(arg[0].number, arg[1].number), false);
    }
    if (count == 1 && is_number(&first) && call_math(name, n, first.number, &out)) return out;
    return jn_xacro_fail(p, "there is no function for these values called", name, n);
}

/* Parts of a text between separators; without one, between white space. */
static value split(parser *p, const char *text, const char *by) {
    value list = {.kind = JN_XACRO_LIST};
    size_t skip = by && *by ? strlen(by) : 0;
    for (bool more = true; more;) {
        if (!skip) text += strspn(text, " \t\r\n");
        const char *next = skip ? strstr(text, by) : text + strcspn(text, " \t\r\n");
        size_t n = next ? (size_t)(next - text) : strlen(text);
        if (!skip && !n) break;
        void *wide = jn_store_grow(p->x->b->r->scratch, list.items, list.count, sizeof *list.items);
        if (!wide) return jn_xacro_fail_memory(p);
        list.items = wide, list.items[list.count++] = jn_xacro_text(jn_robot_text(p->x->b, "%.*s", (int)n, text));
        more = next && *next, text = more ? next + (skip ? skip : 1) : text;
        if (!jn_xacro_spend(p->x, (double)(sizeof *list.items + n))) return jn_xacro_fail_here(p);
    }
    list.height = list.count > 0, list.size = list.count;
    return list;
}

/* Methods of texts and maps. */
value jn_xacro_call_method(parser *p, value on, const char *name, size_t n, value *arg, int count) {
    jn_robot *b = p->x->b;
    if (p->idle || p->failed) return on;
    if (on.kind == JN_XACRO_MAP && count && arg[0].kind == JN_XACRO_TEXT && is(name, n, "get")) {
        const value *found = jn_xacro_entry(&on, arg[0].text);
        return found ? *found : count > 1 ? arg[1] : (value){.kind = JN_XACRO_NONE};
    }
    if (on.kind == JN_XACRO_MAP && !count && is(name, n, "keys")) {
        value *items = jn_store_array(b->r->scratch, (size_t)on.count + 1, sizeof *items);
        if (!items) return jn_xacro_fail_memory(p);
        for (int i = 0; i < on.count; i++) items[i] = jn_xacro_text(on.keys[i]);
        if (!jn_xacro_spend(p->x, (double)on.count * sizeof *items)) return jn_xacro_fail_here(p);
        return (value){
            .kind = JN_XACRO_LIST, .count = on.count, .height = on.count > 0, .size = on.count, .items = items};
    }
    if (on.kind == JN_XACRO_TEXT && !count && (is(name, n, "lower") || is(name, n, "upper") || is(name, n, "strip"))) {
        bool lower = *name == 'l', strip = *name == 's';
        size_t skip = strip ? strspn(on.text, " \t\r\n") : 0, length = strlen(on.text + skip);
        while (strip && length && isspace((unsigned char)on.text[skip + length - 1])) length--;
        char *text = jn_store_array(b->r->scratch, length + 1, 1);
        if (!text) return jn_xacro_fail_memory(p);
        if (!jn_xacro_spend(p->x, (double)length)) return jn_xacro_fail_here(p);
        for (size_t i = 0; i < length; i++) {
            int c = (unsigned char)on.text[skip + i];
            text[i] = (char)(strip ? c : lower ? tolower(c) : toupper(c));
        }
        return jn_xacro_text(text);
    }
    if (on.kind == JN_XACRO_TEXT && is(name, n, "split"))
        return split(p, on.text, count && arg[0].kind == JN_XACRO_TEXT ? arg[0].text : NULL);
    if (on.kind == JN_XACRO_TEXT && count == 1 && arg[0].kind == JN_XACRO_TEXT) {
        size_t whole = strlen(on.text), part = strlen(arg[0].text);
        const char *at = is(name, n, "find") ? strstr(on.text, arg[0].text) : NULL;
        if (is(name, n, "find")) return jn_xacro_number(at ? (double)(at - on.text) : -1, true);
        if (is(name, n, "startswith")) return make_bool(whole >= part && !memcmp(on.text, arg[0].text, part));
        if (is(name, n, "endswith"))
            return make_bool(whole >= part && !memcmp(on.text + whole - part, arg[0].text, part));
    }
    return jn_xacro_fail(p, "there is no method for these values called", name, n);
}

/* Readers of single values. */
#include "algebra/elementary.h"
#include "description/read/memo.h"

#include "algebra/vec3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool jn_expect_kind(jn_reader *r, const jn_node *node, jn_node_kind kind, const char *what) {
    static const char *const form[] = {"", "", "write a list: [...]", "write a map: {key: value, ...}"};
    if (node->kind == kind) {
        return true;
    }
    return jn_read_error(r, node->where, JN_ERR_MODEL, "expected %s, found %s%s%s", what, jn_node_kind_text(node),
                         form[kind][0] ? "\n" : "", form[kind]);
}

bool jn_expect_list(jn_reader *r, const jn_node *node, int count, const char *what) {
    if (node->kind != JN_NODE_LIST) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected a list of %d: %s; found %s", count, what,
                             jn_node_kind_text(node));
    }
    if (node->count != count) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected a list of %d: %s; found a list of %d", count, what,
                             node->count);
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------------- numbers */

jn_where jn_node_inside(const jn_node *node, size_t offset) {
    jn_where where = node->where;
    if (node->one_line) {
        where.column += node->inset;
        for (size_t i = 0; i < offset && node->text[i]; i++) {
            where.column += ((unsigned char)node->text[i] & 0xC0) != 0x80;
        }
    }
    return where;
}

static bool is_special(const char *text) {
    static const char *const keywords[] = {".nan", ".inf", "-.inf", "+.inf", "nan", "inf", "-inf", "infinity"};
    char lower[12];
    size_t n = 0;
    for (; text[n] && n < sizeof lower - 1; n++) {
        lower[n] = (char)(text[n] >= 'A' && text[n] <= 'Z' ? text[n] - 'A' + 'a' : text[n]);
    }
    lower[n] = '\0';
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        if (strcmp(lower, keywords[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* The same expression with a unit after the plain number that it begins with, if that makes it fit: '0.3*a^2' -> '0.3 kg*a^2'. */
static bool give_unit(jn_reader *r, const char *text, const jn_scope *scope, jn_measure measure, char *out,
                      size_t size) {
    static const char *const units[] = {"kg",    "m",   "s",   "N",     "1/s", "1/m",
                                        "1/s^2", "m/s", "N/m", "N*s/m", "N*m", "kg*m^2"};
    char *end;
    strtod(text, &end);
    if (end == text || end[strspn(end, " ")] != '*') return false;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        jn_expression trial;
        jn_fault fault;
        int n = snprintf(out, size, "%.*s %s%s", (int)(end - text), text, units[k], end + strspn(end, " "));
        if (n > 0 && (size_t)n < size && jn_expression_compile(out, scope, r->scratch, &trial, &fault) &&
            jn_type_fits(trial.type, measure, &fault))
            return true;
    }
    return false;
}

/* A number that is known already, or follows by a program, or was given as a number. */
static bool recall(const jn_reader *r, const jn_node *node, jn_measure measure, jn_expression *out) {
    if (jn_memo_find(r->memo, node, measure, r->value, out)) return true;
    const jn_given *given = jn_given_find(r->given, r->given_count, node);
    if (!given || !given->is_number) return false;
    *out = (jn_expression){.constant = true, .value = given->number, .type = {.kind = JN_KIND_LITERAL}};
    return true;
}

bool jn_read_expression(jn_reader *r, const jn_node *node, jn_measure measure, unsigned may, jn_expression *out) {
    const jn_measure_info *info = jn_measure_get(measure);
    jn_scope scope;
    jn_fault fault;

    r->pending = -1;
    if (!may && r->memo && recall(r, node, measure, out)) return true;
    r->varies = r->learn && jn_memo_given(r->learn, node);
    if (node->kind != JN_NODE_SCALAR) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected %s such as %s, found %s", info->name,
                             info->example, jn_node_kind_text(node));
    }
    if (is_special(node->text)) {
        return jn_read_error(r, node->where, JN_ERR_EXPRESSION, "'%s' is not a finite number\nwrite %s such as %s",
                             node->text, info->name, info->example);
    }
    if (node->text[strspn(node->text, " \t\r\n")] == '\0') {
        return jn_read_error(r, node->where, JN_ERR_EXPRESSION, "expected %s such as %s, found an empty text",
                             info->name, info->example);
    }
    jn_scope_of(r, may, &scope);
    r->expression = node;
    if (!jn_expression_compile(node->text, &scope, may ? r->store : r->scratch, out, &fault)) {
        r->pending = fault.pending;
        if (fault.status == JN_ERR_MEMORY) {
            return jn_read_no_memory(r);
        }
        return fault.status == JN_OK ? false
                                     : jn_read_error(r, jn_node_inside(node, fault.offset), fault.status, "%s%s%s",
                                                     fault.text, fault.hint[0] ? "\n" : "", fault.hint);
    }
    if (!jn_type_fits(out->type, measure, &fault)) {
        char better[160];
        bool known = give_unit(r, node->text, &scope, measure, better, sizeof better);
        return jn_read_error(r, node->where, fault.status, "%s%s%s%s", fault.text, known ? "\nwrite '" : "",
                             known ? better : "", known ? "'" : "");
    }
    if (!may && r->learn && out->constant && !r->varies) jn_memo_keep(r->learn, node, measure, out);
    if (!may && r->learn && r->varies && !jn_memo_given(r->learn, node))
        r->unfit = !jn_memo_keep_program(r->learn, r, node, measure);
    if (!may && !out->constant) { /* a look-up in a table */
        out->value = jn_function_value(out->function, r->d->tables, NULL);
        out->constant = true;
        return isfinite(out->value) ||
               jn_read_error(r, node->where, JN_ERR_EXPRESSION, "the value of '%.100s' is not finite", node->text);
    }
    return true;
}

bool jn_read_number(jn_reader *r, const jn_node *node, jn_measure measure, double *out) {
    jn_expression expression;
    if (!jn_read_expression(r, node, measure, 0, &expression)) {
        return false;
    }
    *out = expression.value;
    return true;
}

bool jn_read_function(jn_reader *r, const jn_node *node, jn_measure measure, unsigned may, jn_function *out) {
    jn_expression expression;
    if (!jn_read_expression(r, node, measure, may, &expression)) {
        return false;
    }
    *out = expression.function;
    return true;
}

bool jn_read_numbers(jn_reader *r, const jn_node *node, jn_measure measure, int count, double *out) {
    char what[80];
    bool fine = true;

    if (node->kind != JN_NODE_LIST || node->count != count) {
        snprintf(what, sizeof what, "numbers, each %s", jn_measure_get(measure)->name);
        return jn_expect_list(r, node, count, what);
    }
    for (int i = 0; i < count; i++) {
        size_t mark = jn_path_item(r, i);
        fine = jn_read_number(r, node->items[i], measure, &out[i]) && fine;
        jn_path_back(r, mark);
    }
    return fine;
}

/* ---------------------------------------------------------------------------------------------------- vectors */

bool jn_read_vector(jn_reader *r, const jn_node *node, jn_measure measure, jn_vec3 *out) {
    const jn_measure_info *info = jn_measure_get(measure);
    int n = r->d->planar ? 2 : 3;
    double a[3] = {0, 0, 0};

    if (node->kind != JN_NODE_LIST || node->count != n) {
        char found[32] = "";
        if (node->kind == JN_NODE_LIST) {
            snprintf(found, sizeof found, " of %d", node->count);
        }
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "expected a vector of %d numbers, each %s; found %s%s\nwrite %s%s", n, info->name,
                             jn_node_kind_text(node), found, n == 2 ? "[x, y]" : "[x, y, z]",
                             n == 2 ? ": the model is planar" : ", or 'plane: xy' for a planar model");
    }
    if (!jn_read_numbers(r, node, measure, n, a)) {
        return false;
    }
    *out = v3(a[0], a[1], a[2]);
    return true;
}

bool jn_read_direction(jn_reader *r, const jn_node *node, jn_vec3 *out) {
    if (node->kind == JN_NODE_SCALAR) {
        const char *word = jn_read_plain_word(r, node);
        double sign = word[0] == '-' ? -1 : 1;
        const char *axis = word + (word[0] == '-' || word[0] == '+');
        if (axis[0] < 'x' || axis[0] > 'z' || axis[1]) {
            return jn_read_error(r, node->where, JN_ERR_MODEL,
                                 "'%.80s' is not a direction\nwrite x, y, z, -x, -y, -z or a vector", word);
        }
        *out = v3_scale(sign, v3_axis(axis[0] - 'x'));
        return true;
    }
    if (!jn_read_vector(r, node, JN_MEASURE_ANY, out)) {
        return false;
    }
    double norm = jn_hypot_safe(jn_hypot_safe(out->x, out->y), out->z);
    if (!(norm > 0) || !isfinite(norm)) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a direction must not be the zero vector\nwrite x, y, z or a vector");
    }
    *out = v3_unit(v3_scale(1 / norm, *out));
    return true;
}

static bool read_quaternion(jn_reader *r, const jn_node *node, jn_quat *out) {
    double q[4];
    if (!jn_read_numbers(r, node, JN_MEASURE_NUMBER, 4, q)) {
        return false;
    }
    *out = (jn_quat){q[0], q[1], q[2], q[3]};
    if (!(q4_norm(*out) > 1e-150) || !isfinite(q4_norm(*out))) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a quaternion must not be zero\nwrite [w, x, y, z], as [1, 0, 0, 0]");
    }
    *out = q4_unit(*out);
    return true;
}

static jn_quat about(jn_vec3 axis, double angle) { return q4_exp(v3_scale(angle, axis)); }

/* {axis: , angle: } or {rpy: [roll, pitch, yaw]}: about the fixed axes x, then y, then z. */
static bool read_rotation(jn_reader *r, const jn_node *node, jn_quat *out) {
    const jn_node *axis = jn_node_get(node, "axis"), *angle = jn_node_get(node, "angle"),
                  *rpy = jn_node_get(node, "rpy");
    jn_vec3 direction;
    double value, a[3];

    if (rpy && node->count == 1) {
        if (!jn_read_numbers(r, rpy, JN_MEASURE_ANGLE, 3, a)) {
            return false;
        }
        *out = q4_mul(about(v3(0, 0, 1), a[2]), q4_mul(about(v3(0, 1, 0), a[1]), about(v3(1, 0, 0), a[0])));
        return true;
    }
    if (!axis || !angle || node->count != 2) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "this is not an orientation\nwrite {axis: z, angle: 30 deg} or {rpy: [roll, pitch, yaw]}");
    }
    if (!jn_read_direction(r, axis, &direction) || !jn_read_number(r, angle, JN_MEASURE_ANGLE, &value)) {
        return false;
    }
    *out = about(direction, value);
    return true;
}

bool jn_read_orientation(jn_reader *r, const jn_node *node, jn_quat *out) {
    double angle;
    if (r->d->planar) {
        if (!jn_read_number(r, node, JN_MEASURE_ANGLE, &angle)) {
            return false;
        }
        *out = about(v3(0, 0, 1), angle);
        return true;
    }
    switch (node->kind) {
    case JN_NODE_LIST: return read_quaternion(r, node, out);
    case JN_NODE_MAP: return read_rotation(r, node, out);
    default:
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "this is not an orientation\nwrite [qw, qx, qy, qz], "
                             "{axis: z, angle: 30 deg} or {rpy: [roll, pitch, yaw]}");
    }
}

/* ------------------------------------------------------------------------------------------------------ words */

const char *jn_read_plain_word(jn_reader *r, const jn_node *node) {
    int i;
    if (node->kind != JN_NODE_SCALAR) {
        return NULL;
    }
    i = jn_names_find(&r->parameter_names, node->text);
    return i >= 0 && r->parameters[i].is_text ? r->parameters[i].text : node->text;
}

const jn_node *jn_read_list(const jn_reader *r, const jn_node *node) {
    int i = node->kind == JN_NODE_SCALAR ? jn_names_find(&r->parameter_names, node->text) : -1;
    return i >= 0 && r->parameters[i].is_list ? r->parameters[i].node : node;
}

bool jn_read_keyword(jn_reader *r, const jn_node *node, const jn_keyword *keywords, int *out) {
    const char *word = jn_read_plain_word(r, node);
    jn_suggest suggest;
    char all[200] = "";

    if (!word) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected a keyword such as '%s', found %s", keywords->name,
                             jn_node_kind_text(node));
    }
    for (const jn_keyword *w = keywords; w->name; w++) {
        if (strcmp(w->name, word) == 0) {
            *out = w->value;
            return true;
        }
    }
    suggest = jn_suggest_for(word);
    for (const jn_keyword *w = keywords; w->name; w++) {
        size_t n = strlen(all);
        snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", w->name);
        jn_suggest_offer(&suggest, w->name);
    }
    return suggest.best
               ? jn_read_error(r, node->where, JN_ERR_MODEL, "'%.80s' is not known here\nwrite '%s'", word,
                               suggest.best)
               : jn_read_error(r, node->where, JN_ERR_MODEL, "'%.80s' is not known here\nwrite one of %s", word, all);
}

/* true, false, the other words of YAML 1.1 for them, or a parameter that is one of them, or the number 1 or 0. */
bool jn_read_bool(jn_reader *r, const jn_node *node, bool *out) {
    const char *word = jn_read_plain_word(r, node);
    int i = node->kind == JN_NODE_SCALAR ? jn_names_find(&r->parameter_names, node->text) : -1;
    if (i >= 0 && !r->parameters[i].is_text && (r->parameters[i].value == 0 || r->parameters[i].value == 1)) {
        *out = r->parameters[i].value == 1;
        return true;
    }
    static const char *const keywords[][2] = {{"true", "false"}, {"on", "off"}, {"yes", "no"}};
    bool number = i >= 0 && !r->parameters[i].is_text; /* a parameter called 'on' */
    for (int k = 0; k < 3 && word && !number; k++)
        for (int no = 0; no < 2; no++)
            if (!strcmp(word, keywords[k][no])) {
                *out = !no;
                return true;
            }
    return jn_read_error(r, node->where, JN_ERR_MODEL, "expected true or false, found %s%.80s%s", word ? "'" : "",
                         word ? word : jn_node_kind_text(node), word ? "'" : "");
}

bool jn_read_text(jn_reader *r, const jn_node *node, const char **out) {
    if (!jn_expect_kind(r, node, JN_NODE_SCALAR, "a text")) {
        return false;
    }
    *out = jn_store_strdup(r->store, node->text);
    return *out ? true : jn_read_no_memory(r);
}

/* The parameters block and the names that expressions may use. */
#include "description/read/memo.h"

#include "base/memory.h"
#include "description/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static jn_symbol_kind refuse(jn_symbol *symbol, const char *text, const char *hint) {
    symbol->text = text;
    symbol->hint = hint;
    return JN_SYMBOL_REFUSED;
}

static jn_symbol_kind find_parameter(jn_reader *r, const char *name, jn_symbol *symbol) {
    int i = jn_names_find(&r->parameter_names, name);
    const jn_parameter *p;

    if (i < 0) {
        return JN_SYMBOL_NONE;
    }
    p = &r->parameters[i];
    r->varies |= p->varied;
    symbol->index = i;
    symbol->type = p->type;
    if (r->programs && p->varied) {
        r->unfit |= !p->is_number;
        return JN_SYMBOL_VARIABLE;
    }
    symbol->value = p->value;
    symbol->text = p->text;
    if (p->is_list)
        return refuse(symbol, "this parameter is a list of numbers",
                      "it may stand where a list may, as in 'restitution: e'");
    if (p->is_text && (!strcmp(p->text, "true") || !strcmp(p->text, "false"))) { /* in an expression 1 or 0 */
        symbol->value = p->text[0] == 't';
        return JN_SYMBOL_CONSTANT;
    }
    switch (p->state) {
    case JN_PARAMETER_DONE: return p->is_text ? JN_SYMBOL_TEXT : JN_SYMBOL_CONSTANT;
    case JN_PARAMETER_FAILED: return JN_SYMBOL_FAILED;
    default: return JN_SYMBOL_PENDING;
    }
}

static jn_symbol_kind find_variable(const jn_reader *r, char name, jn_symbol *symbol) {
    bool time = name == 't';
    symbol->type.kind = JN_KIND_LOOSE;
    symbol->index = time ? JN_VAR_T : name == 'x' ? JN_VAR_X : JN_VAR_V;
    if (r->may & (time ? JN_MAY_T : JN_MAY_XV)) {
        return JN_SYMBOL_VARIABLE;
    }
    return time ? refuse(symbol, "this value is a constant and cannot depend on the time 't'",
                         "functions of time go into motion, force, torque, tension or motor")
                : refuse(
                      symbol, "'x' and 'v' cannot be used here",
                      "they are the coordinate and its rate in a joint's force, the deformation in a spring's tension");
}

/* "joint.NAME.q", "body.NAME.vx" */
static jn_symbol_kind find_signal(jn_reader *r, const char *name, bool of_body, jn_symbol *symbol) {
    char owner[128];
    const char *kind = of_body ? "body" : "joint", *section = of_body ? "bodies" : "joints";
    const char *start = name + strlen(kind) + 1, *dot = strrchr(start, '.');
    const jn_names *names = of_body ? &r->body_names : &r->joint_names;
    jn_suggest suggest;
    int i;

    if (!(r->may & JN_MAY_SIGNAL)) {
        return refuse(symbol,
                      of_body ? "motions of bodies cannot be read here" : "joint coordinates cannot be read here",
                      "a force, torque, tension or motor may read them");
    }
    if (!dot || dot == start) {
        return of_body ? refuse(symbol, "this names no motion of a body", "write 'body.NAME.vx' or 'body.NAME.x'")
                       : refuse(symbol, "this names no joint coordinate", "write 'joint.NAME.q' or 'joint.NAME.u'");
    }
    snprintf(owner, sizeof owner, "%.*s", (int)(dot - start), start);
    i = jn_names_find(names, owner);
    if (i < 0) {
        suggest = jn_suggest_for(owner);
        jn_names_offer(names, &suggest);
        if (suggest.best)
            snprintf(r->note, sizeof r->note, "no %s '%s'\nwrite '%s.%s%s'", kind, owner, kind, suggest.best, dot);
        else
            snprintf(r->note, sizeof r->note, "no %s '%s'\ndefine it under '%s'", kind, owner, section);
        return refuse(symbol, r->note, NULL);
    }
    if (!of_body && r->joint_types[i] < 0) {
        return JN_SYMBOL_FAILED;
    }
    symbol->type.kind = JN_KIND_LOOSE;
    symbol->index = of_body ? jn_signal_make_body(r->d, i, dot + 1, &symbol->text)
                            : jn_signal_make(r->d, i, (jn_joint_type)r->joint_types[i], dot + 1, &symbol->text);
    if (symbol->index == JN_ERR_MEMORY) {
        jn_read_no_memory(r);
        return JN_SYMBOL_FAILED;
    }
    return symbol->index < 0 ? JN_SYMBOL_REFUSED : JN_SYMBOL_VARIABLE;
}

/* Any channel; whether the model has it is known once channels are made. O(inputs) */
static jn_symbol_kind find_channel(jn_reader *r, const char *name, jn_symbol *symbol) {
    jn_description *d = r->d;
    int i = 0;

    if (strncmp(name, "derived.", 8) == 0)
        return refuse(symbol, "a derived channel cannot read another", "put its expression in place of the name");
    symbol->type.kind = JN_KIND_LOOSE;
    while (i < d->input_count && strcmp(d->inputs[i].channel, name) != 0) i++;
    symbol->index = JN_VAR_SIGNAL + i;
    if (i < d->input_count) return JN_SYMBOL_VARIABLE;
    jn_input_desc *wide = jn_store_grow(r->store, d->inputs, i, sizeof *wide);
    if (wide) d->inputs = wide;
    const char *channel = wide ? jn_store_strdup(r->store, name) : NULL;
    if (!channel) {
        jn_read_no_memory(r);
        return JN_SYMBOL_FAILED;
    }
    d->inputs[d->input_count++] = (jn_input_desc){channel, jn_node_inside(r->expression, symbol->offset)};
    return JN_SYMBOL_VARIABLE;
}

/* A named function of time: its program is put in place of its name. */
static jn_symbol_kind find_function(const jn_reader *r, int i, jn_symbol *symbol) {
    if (!(r->may & JN_MAY_T))
        return refuse(symbol, "this value is a constant and cannot depend on a function of the time",
                      "functions of time go into motion, force, torque, tension or motor");
    if (r->functions[i].function.length == 0) return JN_SYMBOL_FAILED;
    symbol->function = r->functions[i].function;
    symbol->type = r->functions[i].type;
    if (symbol->type.kind == JN_KIND_LITERAL) symbol->type.kind = JN_KIND_LOOSE;
    return JN_SYMBOL_FUNCTION;
}

static jn_symbol_kind find_name(void *context, const char *name, bool table, jn_symbol *symbol) {
    jn_reader *r = context;

    r->varies |= table || strchr(name, '.');
    r->unfit |= table || strchr(name, '.');
    if (table) {
        symbol->index = jn_names_find(&r->table_names, name);
        if (symbol->index < 0) {
            jn_suggest suggest = jn_suggest_for(name);
            jn_names_offer(&r->table_names, &suggest);
            symbol->text = suggest.best;
        }
        return symbol->index >= 0 ? JN_SYMBOL_TABLE : JN_SYMBOL_NONE;
    }
    if ((r->may & JN_MAY_CHANNEL) && strchr(name, '.')) {
        return find_channel(r, name, symbol);
    }
    if (strncmp(name, "joint.", 6) == 0) {
        return find_signal(r, name, false, symbol);
    }
    if (strncmp(name, "body.", 5) == 0) {
        return find_signal(r, name, true, symbol);
    }
    if (strchr(name, '.')) {
        return refuse(
            symbol, "channels cannot be read here",
            "record.derived may read them; forces may read joint.NAME.q, joint.NAME.u, body.NAME.x and body.NAME.vx");
    }
    if ((r->may & JN_MAY_UV) && name[0] && !name[1] && strchr("uv", name[0])) { /* parameters of a surface */
        symbol->type.kind = JN_KIND_LOOSE;
        symbol->index = name[0] == 'u' ? JN_VAR_T : JN_VAR_V;
        return JN_SYMBOL_VARIABLE;
    }
    if (name[0] && !name[1] && strchr("txv", name[0])) {
        return find_variable(r, name[0], symbol);
    }
    if (find_parameter(r, name, symbol) == JN_SYMBOL_NONE) {
        int function = jn_names_find(&r->function_names, name);
        if (function >= 0) {
            r->varies = r->unfit = true;
            return find_function(r, function, symbol);
        }
        if (jn_names_find(&r->table_names, name) >= 0) return JN_SYMBOL_TABLE;
    }
    return find_parameter(r, name, symbol);
}

static void offer_names(void *context, jn_suggest *suggest) {
    const jn_reader *r = context;
    jn_names_offer(&r->parameter_names, suggest);
    jn_names_offer(&r->function_names, suggest);
    jn_suggest_offer(suggest, "pi");
}

void jn_scope_of(jn_reader *r, unsigned may, jn_scope *scope) {
    r->may = may;
    *scope = (jn_scope){r, find_name, offer_names};
}

/* ------------------------------------------------------------------------------------------------ their values */

static bool is_word(const char *p) {
    bool fine = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
    for (; fine && *p; p++) {
        fine = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_';
    }
    return fine;
}

/* A single word that is not the name of a number is text. */
static bool try_word(jn_reader *r, jn_parameter *p) {
    jn_symbol symbol = {0};
    const char *text = p->node->text;

    if (!is_word(text) || strcmp(text, "pi") == 0 || strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0) {
        return false;
    }
    switch (find_parameter(r, text, &symbol)) {
    case JN_SYMBOL_NONE: p->text = text; break;
    case JN_SYMBOL_TEXT: p->text = symbol.text; break;
    default: return false;
    }
    p->is_text = true;
    return true;
}

/* Computes one parameter if all it needs is known; else returns the index of the one it waits for, or -1. */
static int compute(jn_reader *r, int i) {
    jn_parameter *p = &r->parameters[i];
    jn_expression expression;
    size_t mark = jn_path_key(r, r->parameter_names.name[i]);
    int pending = -1;

    p->state = JN_PARAMETER_OPEN;
    const jn_given *given = r->learn ? jn_memo_given(r->learn, p->node) : NULL;
    r->varies = p->varied = given;
    if (p->node->kind == JN_NODE_EMPTY) {
        jn_read_error(r, p->node->where, JN_ERR_MODEL, "the parameter '%s' has no value", r->parameter_names.name[i]);
        p->state = JN_PARAMETER_FAILED;
    } else if (p->node->kind == JN_NODE_LIST) {
        p->is_list = true; /* its numbers are read where it is used */
        p->state = JN_PARAMETER_DONE;
    } else if (p->node->kind == JN_NODE_SCALAR && try_word(r, p)) {
        p->varied |= r->varies;
        p->state = JN_PARAMETER_DONE;
    } else if (jn_read_expression(r, p->node, JN_MEASURE_ANY, 0, &expression)) {
        p->varied |= r->varies;
        p->is_number = given ? given->is_number : p->varied && !r->unfit;
        p->value = r->value[i] = expression.value;
        p->type = expression.type;
        if (p->type.kind == JN_KIND_LITERAL) {
            p->type.kind = JN_KIND_LOOSE;
        }
        p->state = JN_PARAMETER_DONE;
    } else {
        pending = r->pending;
        p->state = pending >= 0 ? JN_PARAMETER_OPEN : JN_PARAMETER_FAILED;
    }
    if (r->learn && p->varied && p->state == JN_PARAMETER_DONE && !jn_memo_note_varied(r->learn, i))
        jn_read_no_memory(r);
    jn_path_back(r, mark);
    return pending;
}

static void report_cycle(jn_reader *r, const int *stack, int top, int again) {
    char chain[300] = "";
    int first = top - 1;

    while (stack[first] != again) {
        first--;
    }
    for (int i = first; i <= top; i++) {
        size_t n = strlen(chain);
        snprintf(chain + n, sizeof chain - n, "%s%s", n ? " -> " : "",
                 r->parameter_names.name[i < top ? stack[i] : again]);
    }
    jn_read_error(r, r->parameters[again].node->where, JN_ERR_MODEL,
                  "the parameters need each other: %s\ngive one of them a value of its own", chain);
}

/* Depth first with a stack of our own: a long chain of parameters cannot exhaust that of the process. */
static void resolve(jn_reader *r, int *stack, int start) {
    int top = 0;

    stack[top++] = start;
    while (top > 0) {
        int i = stack[top - 1], pending = compute(r, i);
        if (pending >= 0 && r->parameters[pending].state == JN_PARAMETER_OPEN) {
            report_cycle(r, stack, top, pending);
            r->parameters[i].state = JN_PARAMETER_FAILED;
            top--;
        } else if (pending >= 0) {
            stack[top++] = pending;
        } else {
            top--;
        }
    }
}

static bool check_value_name(jn_reader *r, const jn_entry *entry, const char *what) {
    if (!jn_check_name(r, entry, false, what)) {
        return false;
    }
    if (jn_name_reserved(entry->key)) {
        return jn_read_error(r, entry->where, JN_ERR_MODEL,
                             "'%s' cannot be the name of %s: it has a meaning in "
                             "expressions\nrename it",
                             entry->key, what);
    }
    return true;
}

/* The value found, for the description. */
static bool list_value(jn_reader *r, const jn_node *map, int i) {
    const jn_parameter *p = &r->parameters[i];
    char unit[128] = "";
    bool is_number = p->state == JN_PARAMETER_DONE && !p->is_text && !p->is_list;
    if (is_number && p->type.kind == JN_KIND_TYPED) jn_dimension_unit(p->type.dimension, unit, sizeof unit);
    jn_parameter_desc *out = &r->d->parameters[i];
    *out = (jn_parameter_desc){.name = jn_store_strdup(r->store, map->entries[i].key),
                               .where = map->entries[i].where,
                               .value = is_number ? p->value : NAN,
                               .unit = jn_store_strdup(r->store, unit),
                               .text = p->is_text ? jn_store_strdup(r->store, p->text) : NULL};
    return (out->name && out->unit && (!p->is_text || out->text)) || jn_read_no_memory(r);
}

/* O(parameters) */
static bool list_values(jn_reader *r, const jn_node *map, int count) {
    jn_description *d = r->d;
    d->parameters = jn_store_array(r->store, (size_t)count + 1, sizeof *d->parameters);
    if (!d->parameters) return jn_read_no_memory(r);
    for (int i = 0; i < count; i++)
        if (!list_value(r, map, i)) return false;
    d->parameter_count = count;
    return true;
}

/* The parameters as they are known, and those computed anew that what is given reaches. O(parameters), without reading the others. */
static bool recall_parameters(jn_reader *r, const jn_node *map) {
    const jn_known_parameters *known = jn_memo_parameters(r->memo);
    jn_description *d = r->d;
    size_t n = (size_t)known->count;
    int before = r->status, *stack = jn_store_array(r->scratch, n + 1, sizeof *stack);
    r->parameters = jn_store_array(r->scratch, n + 1, sizeof *r->parameters);
    r->value = jn_store_array(r->scratch, n + 1, sizeof *r->value);
    d->parameters = jn_store_array(r->store, n + 1, sizeof *d->parameters);
    if (!stack || !r->parameters || !r->value || !d->parameters) return jn_read_no_memory(r);
    memcpy(r->parameters, known->item, n * sizeof *r->parameters);
    memcpy(r->value, known->value, n * sizeof *r->value);
    memcpy(d->parameters, known->listed, n * sizeof *d->parameters);
    r->parameter_names = known->names, d->parameter_count = known->count;
    for (int k = 0; k < known->varied_count; k++)
        r->parameters[known->varied[k]].node = map->entries[known->varied[k]].value;
    for (int k = 0; k < known->varied_count; k++) {
        jn_parameter *p = &r->parameters[known->varied[k]];
        if (p->state == JN_PARAMETER_NEW) resolve(r, stack, known->varied[k]);
        if (!list_value(r, map, known->varied[k])) return false;
    }
    return r->status == before;
}

bool jn_read_parameters(jn_reader *r) {
    const jn_node *map = jn_node_get(r->root, "parameters");
    int count = map && map->kind == JN_NODE_MAP ? map->count : 0, before = r->status;
    size_t mark = jn_path_key(r, "parameters");

    if (r->memo) {
        bool fine = recall_parameters(r, map);
        jn_path_back(r, mark);
        return fine;
    }
    int *stack = jn_store_array(r->scratch, (size_t)count + 1, sizeof *stack);
    r->parameters = jn_store_array(r->scratch, (size_t)count + 1, sizeof *r->parameters);
    r->value = jn_store_array(r->scratch, (size_t)count + 1, sizeof *r->value);
    if (!stack || !r->parameters || !r->value || !jn_names_create(&r->parameter_names, r->scratch, count)) {
        return jn_read_no_memory(r);
    }
    if (map && map->kind != JN_NODE_EMPTY && !jn_expect_kind(r, map, JN_NODE_MAP, "parameters, each 'name: value'")) {
        count = 0;
    }
    for (int i = 0; i < count; i++) {
        r->parameters[i].node = map->entries[i].value;
        r->value[i] = NAN;
        r->parameters[i].state =
            check_value_name(r, &map->entries[i], "a parameter") ? JN_PARAMETER_NEW : JN_PARAMETER_FAILED;
        jn_names_add(&r->parameter_names, map->entries[i].key);
    }
    for (int i = 0; i < count; i++) {
        if (r->parameters[i].state == JN_PARAMETER_NEW) {
            resolve(r, stack, i);
        }
    }
    jn_path_back(r, mark);
    if (!list_values(r, map, count) || r->status != before) return false;
    return !r->learn || jn_memo_keep_parameters(r->learn, r, count) || jn_read_no_memory(r);
}

bool jn_read_functions(jn_reader *r) {
    const jn_node *map = jn_node_get(r->root, "functions");
    int count = map && map->kind == JN_NODE_MAP ? map->count : 0, before = r->status;
    size_t top = jn_path_key(r, "functions");

    r->functions = jn_store_array(r->scratch, (size_t)count + 1, sizeof *r->functions);
    if (!r->functions || !jn_names_create(&r->function_names, r->scratch, count)) return jn_read_no_memory(r);
    if (map && map->kind != JN_NODE_EMPTY) jn_expect_kind(r, map, JN_NODE_MAP, "functions, each 'name: expression'");
    for (int i = 0; i < count; i++) {
        const jn_entry *entry = &map->entries[i];
        size_t mark = jn_path_key(r, entry->key);
        jn_expression made;
        bool fine = check_value_name(r, entry, "a function");
        if (fine && jn_names_find(&r->parameter_names, entry->key) >= 0)
            fine = jn_read_error(r, entry->where, JN_ERR_MODEL, "'%s' is the name of a parameter already\nrename it",
                                 entry->key);
        if (fine && jn_read_expression(r, entry->value, JN_MEASURE_ANY, JN_MAY_T, &made)) r->functions[i] = made;
        jn_names_add(&r->function_names, entry->key);
        jn_path_back(r, mark);
    }
    jn_path_back(r, top);
    return r->status == before;
}

/* Recursive descent over the text, one pass, emitting instructions as it goes. The grammar, loosest first:
 *   ||   &&   < <= > >= == !=   + -   * /   unary - + !   ^ (to the right)   number [unit], name, call, (...)
 * Nesting is bounded by JN_COMPILER_DEEPEST, the run-time stack by JN_FUNCTION_STACK, both checked here. */
#include "base/compiler.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FUNCTION_ROW(id, name, least, most, rule, doc) {name, JN_OP_##id, least, most, JN_RULE_##rule, doc},
static const jn_function_info functions[] = {JN_FUNCTION_LIST(FUNCTION_ROW){NULL, JN_OP_CONST, 0, 0, JN_RULE_PURE, ""}};

const jn_function_info *jn_function_list(void) { return functions; }

bool jn_name_reserved(const char *name) {
    static const char *const words[] = {"pi", "t", "x", "v", "inf", "nan", "true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (name[0] == words[i][0] && strcmp(name, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------------------------------- grammar */

static bool expression(jn_compiler *c, jn_type *type);

static bool unknown_name(jn_compiler *c, const char *at, const char *word, bool call) {
    jn_suggest suggest = jn_suggest_for(word);
    jn_unit unit;

    if (!call && jn_unit_find(word, strlen(word), &unit)) {
        return jn_fault_at(c, at, "unknown name '%s'\na unit stands directly after a number: '1 %s'", word, word);
    }
    if (!call && c->scope->offer) {
        c->scope->offer(c->scope->context, &suggest);
    }
    for (const jn_function_info *f = functions; f->name && call; f++) {
        jn_suggest_offer(&suggest, f->name);
    }
    if (suggest.best) {
        return jn_fault_at(c, at, "unknown %s '%s'\nwrite '%s'", call ? "function" : "name", word, suggest.best);
    }
    if (!call) return jn_fault_at(c, at, "unknown name '%s'\ndefine it under 'parameters'", word);
    char all[240] = "";
    for (const jn_function_info *f = functions; f->name; f++) {
        size_t n = strlen(all);
        if (n + strlen(f->name) + 3 < sizeof all) snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", f->name);
    }
    return jn_fault_at(c, at, "unknown function '%.60s'\nthe functions are %s", word, all);
}

/* The program of a named function in place of its name, jumps moved. */
static bool insert(jn_compiler *c, const char *at, jn_function f) {
    int base = c->length;
    for (int i = 0; i < f.length; i++) {
        jn_instr in = f.code[i];
        bool value = in.op == JN_OP_CONST || in.op == JN_OP_VAR, jump = in.op == JN_OP_JUMP || in.op == JN_OP_JUMP_IF0;
        if (jump) in.index += base;
        if (jump)
            c->stack--; /* the condition; or the value of a branch that the other branch gives too */
        else if (!value)
            c->stack -= in.args > 1 ? in.args - 1 : 0;
        if (!(value ? jn_emit_push(c, at, in) : jn_emit(c, at, in))) return false;
    }
    if (f.length > 1) c->floor = c->length;
    return true;
}

static bool symbol_value(jn_compiler *c, const char *at, const char *word, jn_type *type) {
    jn_symbol symbol = {.offset = (size_t)(at - c->text)};

    if (strcmp(word, "pi") == 0) {
        *type = (jn_type){.kind = JN_KIND_LITERAL};
        return jn_emit_push(c, at, (jn_instr){.op = JN_OP_CONST, .number = M_PI});
    }
    if (strcmp(word, "inf") == 0 || strcmp(word, "nan") == 0) {
        return jn_fault_at(c, at, "'%s' is not a number that can be computed with", word);
    }
    switch (c->scope->find(c->scope->context, word, false, &symbol)) {
    case JN_SYMBOL_CONSTANT:
        *type = symbol.type;
        return jn_emit_push(c, at, (jn_instr){.op = JN_OP_CONST, .number = symbol.value});
    case JN_SYMBOL_VARIABLE:
        *type = symbol.type;
        return jn_emit_push(c, at, (jn_instr){.op = JN_OP_VAR, .index = symbol.index});
    case JN_SYMBOL_FUNCTION: *type = symbol.type; return insert(c, at, symbol.function);
    case JN_SYMBOL_TEXT:
        return jn_fault_at(c, at, "the parameter '%s' is the word '%s', not a number\ngive it a number, or define '%s'",
                           word, symbol.text, symbol.text);
    case JN_SYMBOL_TABLE: return jn_fault_at(c, at, "'%s' is a table\nwrite 'spline(%s, t)'", word, word);
    case JN_SYMBOL_PENDING: c->fault->pending = symbol.index; return false;
    case JN_SYMBOL_FAILED: return false;
    case JN_SYMBOL_REFUSED:
        return jn_fault_at(c, at, "%s%s%s", symbol.text, symbol.hint ? "\n" : "", symbol.hint ? symbol.hint : "");
    case JN_SYMBOL_NONE: break;
    }
    return unknown_name(c, at, word, false);
}

/* if(condition, a, b) with jumps, so that only the chosen branch is computed. */
static bool choice(jn_compiler *c, const char *at, jn_type *type) {
    jn_type condition, a, b;
    double value = 0;
    int start = c->length, floor = c->floor, jump, skip;

    c->floor = start;
    if (!expression(c, &condition)) {
        return false;
    }
    bool known = jn_constant_since(c, start, &value);
    if (!jn_scan_sign(c, ",")) {
        return jn_fault_at(c, at, "if needs 3 arguments\nwrite 'if(condition, a, b)'");
    }
    jump = c->length;
    c->stack--;
    if (!jn_emit(c, at, (jn_instr){.op = JN_OP_JUMP_IF0, .args = 1})) {
        return false;
    }
    c->floor = c->length;
    if (!expression(c, &a)) {
        return false;
    }
    if (!jn_scan_sign(c, ",")) {
        return jn_fault_at(c, at, "if needs 3 arguments\nwrite 'if(condition, a, b)'");
    }
    skip = c->length;
    c->stack--;
    if (!jn_emit(c, at, (jn_instr){.op = JN_OP_JUMP})) {
        return false;
    }
    c->floor = c->length;
    if (!expression(c, &b) || !jn_fault_here(c, at, jn_type_alike(a, b, "if", type, c->fault))) {
        return false;
    }
    c->code[jump].index = skip + 1;
    c->code[skip].index = c->length;
    c->floor = c->length;
    if (known) { /* keep the chosen branch; branches with jumps inside stay as they are */
        int from = value != 0 ? jump + 1 : skip + 1, n = (value != 0 ? skip : c->length) - from;
        if (n == 1 && c->code[from].op != JN_OP_JUMP) {
            c->code[start] = c->code[from];
            c->length = start + 1;
            c->floor = floor;
        }
    }
    return true;
}

/* spline(NAME, x) and table(NAME, x). */
static bool lookup(jn_compiler *c, const jn_function_info *f, jn_type *type) {
    char word[JN_COMPILER_NAME + 1];
    jn_symbol symbol = {0};
    const char *at;

    jn_scan_blanks(c);
    at = c->p;
    if (!jn_scan_letter(*at) || !jn_scan_name(c, word)) {
        return jn_fault_at(c, at, "%s needs the name of a table first\nwrite '%s(NAME, t)'", f->name, f->name);
    }
    if (c->scope->find(c->scope->context, word, true, &symbol) != JN_SYMBOL_TABLE) {
        return symbol.text ? jn_fault_at(c, at, "no table '%s'\nwrite '%s'", word, symbol.text)
                           : jn_fault_at(c, at, "no table '%s'\ndefine it under 'tables'", word);
    }
    if (!jn_scan_sign(c, ",")) {
        return jn_fault_at(c, at, "%s needs 2 arguments\nwrite '%s(%s, t)'", f->name, f->name, word);
    }
    if (!expression(c, type)) {
        return false;
    }
    *type = (jn_type){.kind = JN_KIND_LOOSE};
    return jn_emit(c, at, (jn_instr){.op = (uint16_t)f->op, .args = 1, .index = symbol.index});
}

static bool call_type(jn_compiler *c, const char *at, const jn_function_info *f, const jn_type *a, int n, int last,
                      jn_type *type) {
    jn_type rest;
    double exponent = 0;
    bool constant, fine = true;

    *type = a[0];
    switch (f->rule) {
    case JN_RULE_PURE: fine = jn_type_pure(a[0], f->name, c->fault); break;
    case JN_RULE_ROOT:
        if (a[0].kind == JN_KIND_TYPED) {
            type->dimension = jn_dimension_combine((jn_dimension){{0}}, a[0].dimension, 0.5);
        }
        return true;
    case JN_RULE_POWER:
        constant = jn_constant_since(c, last, &exponent);
        return jn_fault_here(c, at, jn_type_power(a[0], a[1], constant, exponent, type, c->fault));
    case JN_RULE_CURVE:
        return jn_fault_here(c, at,
                             jn_type_alike(a[0], a[1], f->name, &rest, c->fault) &&
                                 jn_type_alike(rest, a[3], f->name, &rest, c->fault) &&
                                 jn_type_alike(a[2], a[4], f->name, type, c->fault));
    default:
        for (int i = 1; fine && i < n; i++) {
            fine = jn_type_alike(*type, a[i], f->name, type, c->fault);
        }
    }
    if (f->rule == JN_RULE_PURE || f->rule == JN_RULE_RATIO) {
        *type = (jn_type){.kind = JN_KIND_LITERAL};
    }
    return jn_fault_here(c, at, fine);
}

static bool call(jn_compiler *c, const char *at, const char *word, jn_type *type) {
    const jn_function_info *f = functions;
    jn_type a[16];
    int n = 0, last = 0;
    bool fine = true;

    while (f->name && strcmp(f->name, word) != 0) {
        f++;
    }
    if (!f->name) {
        return unknown_name(c, at, word, true);
    }
    if (f->rule == JN_RULE_CHOICE || f->rule == JN_RULE_TABLE) {
        fine = f->rule == JN_RULE_CHOICE ? choice(c, at, type) : lookup(c, f, type);
        if (!fine) {
            return false;
        }
        n = f->most;
    } else {
        jn_scan_blanks(c);
        while (*c->p != ')' && n < f->most) {
            last = c->length;
            if (!expression(c, &a[n])) {
                return false;
            }
            n++;
            if (!jn_scan_sign(c, ",")) {
                break;
            }
        }
    }
    if (n < f->least || (jn_scan_blanks(c), *c->p != ')' && *c->p != '\0')) {
        if (f->rule == JN_RULE_CURVE)
            return jn_fault_at(c, at,
                               "%s needs %d arguments\nwrite '%s(t, 1, 0, 2, 0.1)' to go from 0 at 1 s to 0.1 at 2 s",
                               word, f->least, word);
        return f->least == f->most
                   ? jn_fault_at(c, at, "%s needs %d argument%s", word, f->least, f->least > 1 ? "s" : "")
                   : jn_fault_at(c, at, "%s needs %d to %d arguments", word, f->least, f->most);
    }
    if (!jn_scan_sign(c, ")")) {
        return jn_fault_at(c, c->p, "missing ')'");
    }
    if (f->rule == JN_RULE_CHOICE || f->rule == JN_RULE_TABLE) {
        return true;
    }
    return call_type(c, at, f, a, n, last, type) && jn_emit_apply(c, at, f->op, n);
}

static bool primary(jn_compiler *c, jn_type *type) {
    char word[JN_COMPILER_NAME + 1];
    const char *at;

    jn_scan_blanks(c);
    at = c->p;
    if (jn_scan_is_number(at)) {
        return jn_scan_quantity(c, type);
    }
    if (jn_scan_sign(c, "(")) {
        if (!expression(c, type)) {
            return false;
        }
        return jn_scan_sign(c, ")") || jn_fault_at(c, c->p, "missing ')'");
    }
    if (jn_scan_letter(*at)) {
        if (!jn_scan_name(c, word)) {
            return false;
        }
        if (*c->p == '.' && jn_scan_letter(c->p[1]) && !jn_scan_channel(c, word)) {
            return false;
        }
        return jn_scan_sign(c, "(") ? call(c, at, word, type) : symbol_value(c, at, word, type);
    }
    if (*at == '\0') {
        return jn_fault_at(c, at, "the expression ends too early");
    }
    if ((unsigned char)*at < 0x80) {
        return jn_fault_at(c, at, "unexpected '%c' in an expression", *at);
    }
    return jn_fault_at(c, at, "unexpected character in an expression");
}

static bool unary(jn_compiler *c, jn_type *type);

/* a ^ b, grouping to the right; the exponent may have a sign. */
static bool raised(jn_compiler *c, jn_type *type) {
    const char *at;
    jn_type exponent;
    double value = 0;
    int start;

    if (!primary(c, type)) {
        return false;
    }
    jn_scan_blanks(c);
    at = c->p;
    if (!jn_scan_sign(c, "^")) {
        return true;
    }
    if (*c->p == '*') {
        return jn_fault_at(c, at, "unexpected '*' in an expression");
    }
    start = c->length;
    if (!unary(c, &exponent)) {
        return false;
    }
    bool constant = jn_constant_since(c, start, &value) && start >= c->floor;
    return jn_fault_here(c, at, jn_type_power(*type, exponent, constant, value, type, c->fault)) &&
           jn_emit_apply(c, at, JN_OP_POWER, 2);
}

static bool unary(jn_compiler *c, jn_type *type) {
    const char *at;
    bool fine;

    jn_scan_blanks(c);
    at = c->p;
    if (++c->depth > JN_COMPILER_DEEPEST) {
        return jn_fault_at(c, at, "the expression is nested too deeply\nsplit it with parameters");
    }
    if (jn_scan_sign(c, "-")) {
        fine = unary(c, type) && jn_emit_apply(c, at, JN_OP_NEG, 1);
    } else if (jn_scan_sign(c, "+")) {
        fine = unary(c, type);
    } else if (*at == '!' && at[1] != '=' && jn_scan_sign(c, "!")) {
        fine = unary(c, type) && jn_emit_apply(c, at, JN_OP_NOT, 1);
        type->kind = JN_KIND_LITERAL;
    } else {
        fine = raised(c, type);
    }
    c->depth--;
    return fine;
}

typedef struct operator_row {
    const char *sign;
    jn_op op;
    int level;
} operator_row;

/* Longer signs before their beginnings. */
static const operator_row operators[] = {
    {"||", JN_OP_OR, 0}, {"&&", JN_OP_AND, 1}, {"<=", JN_OP_LE, 2}, {">=", JN_OP_GE, 2},
    {"==", JN_OP_EQ, 2}, {"!=", JN_OP_NE, 2},  {"<", JN_OP_LT, 2},  {">", JN_OP_GT, 2},
    {"+", JN_OP_ADD, 3}, {"-", JN_OP_SUB, 3},  {"*", JN_OP_MUL, 4}, {"/", JN_OP_DIV, 4},
};

/* Left-associative operators of one level and above. */
static bool binary(jn_compiler *c, int level, jn_type *type) {
    jn_type right;

    if (level == 5) {
        return unary(c, type);
    }
    if (!binary(c, level + 1, type)) {
        return false;
    }
    for (;;) {
        const operator_row *row = NULL;
        const char *at;
        jn_scan_blanks(c);
        at = c->p;
        for (size_t i = 0; !row && i < sizeof operators / sizeof operators[0]; i++) {
            if (operators[i].level == level && jn_scan_sign(c, operators[i].sign)) {
                row = &operators[i];
            }
        }
        if (!row) {
            return true;
        }
        if (row->op == JN_OP_MUL && *c->p == '*') {
            return jn_fault_at(c, at, "unexpected '**'\nwrite '^' for a power");
        }
        if (!binary(c, level + 1, &right)) {
            return false;
        }
        if (level == 4) {
            *type = jn_type_product(*type, right, row->op == JN_OP_MUL ? 1 : -1);
        } else if (level >= 2 && !jn_fault_here(c, at, jn_type_alike(*type, right, row->sign, type, c->fault))) {
            return false;
        }
        if (level <= 2) {
            *type = (jn_type){.kind = JN_KIND_LITERAL};
        }
        if (!jn_emit_apply(c, at, row->op, 2)) {
            return false;
        }
    }
}

static bool expression(jn_compiler *c, jn_type *type) {
    if (++c->depth > JN_COMPILER_DEEPEST) {
        return jn_fault_at(c, c->p, "the expression is nested too deeply\nsplit it with parameters");
    }
    bool fine = binary(c, 0, type);
    c->depth--;
    return fine;
}

/* Everything read? Then the program goes to the store. */
static bool finish(jn_compiler *c, jn_store *store, jn_expression *out) {
    jn_scan_blanks(c);
    if (*c->p != '\0') {
        if (*c->p == '=') {
            return jn_fault_at(c, c->p, "unexpected '=' in an expression\nwrite '==' to compare");
        }
        if (*c->p == ')') {
            return jn_fault_at(c, c->p, "unexpected ')' in an expression");
        }
        return (unsigned char)*c->p < 0x80 ? jn_fault_at(c, c->p, "an operator is missing before '%c'", *c->p)
                                           : jn_fault_at(c, c->p, "unexpected character in an expression");
    }
    out->constant = jn_constant_since(c, 0, &out->value);
    if (out->constant && !isfinite(out->value)) {
        return jn_fault_at(c, c->text, "the value of '%.100s' is not finite", c->text);
    }
    if (store) {
        jn_instr *code = jn_store_array(store, (size_t)c->length, sizeof *code);
        if (!code) {
            return jn_fault_memory(c);
        }
        memcpy(code, c->code, (size_t)c->length * sizeof *code);
        out->function = (jn_function){code, c->length};
    }
    return true;
}

bool jn_expression_compile(const char *text, const jn_scope *scope, jn_store *store, jn_expression *out,
                           jn_fault *fault) {
    jn_compiler c = {.text = text, .p = text, .scope = scope, .fault = fault, .capacity = JN_COMPILER_SMALL};
    bool fine;

    c.code = c.small;
    *out = (jn_expression){0};
    fault->status = JN_OK;
    fault->pending = -1;
    fault->offset = 0;
    fault->text[0] = fault->hint[0] = '\0';
    fine = expression(&c, &out->type) && finish(&c, store, out);
    if (c.code != c.small) {
        jn_free(c.code);
    }
    return fine;
}

/* Recursive descent over the text, one pass, emitting instructions as it goes. The grammar, loosest first:
 *   ||   &&   < <= > >= == !=   + -   * /   unary - + !   ^ (to the right)   number [unit], name, call, (...)
 * Nesting is bounded by DEEPEST, the run-time stack by JN_FUNCTION_STACK, both checked here. */
#include "base/expression.h"

#include "base/memory.h"
#include "base/program.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 60, LONGEST_NAME = 127, SMALL_CODE = 48, LONGEST_CODE = 1 << 20 };

typedef struct compiler {
    const char *text, *p;
    const jn_scope *scope;
    jn_fault *fault;
    jn_instr *code; /* small, or on the heap when longer */
    int length, capacity;
    int floor;      /* instructions before this one are the target or the body of a jump: not to be folded */
    int depth;      /* nesting of the text */
    int stack;      /* values on the stack at run time, so far */
    jn_instr small[SMALL_CODE];
} compiler;

#define FUNCTION_ROW(id, name, least, most, rule, doc) {name, JN_OP_##id, least, most, JN_RULE_##rule, doc},
static const jn_function_info functions[] = {JN_FUNCTION_LIST(FUNCTION_ROW){NULL, JN_OP_CONST, 0, 0, JN_RULE_PURE, ""}};

const jn_function_info *jn_function_list(void) { return functions; }

bool jn_name_reserved(const char *name) {
    static const char *const words[] = {"pi", "t", "x", "v", "inf", "nan", "true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(name, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------------------- messages */

/* Notes a fault at a place of the text; "\n" in the format starts the hint. Always false. */
static bool fault_at(compiler *c, const char *at, const char *format, ...) JN_PRINTF(3, 4);
static bool fault_at(compiler *c, const char *at, const char *format, ...) {
    char message[sizeof c->fault->text + sizeof c->fault->hint];
    char *hint;
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    hint = strchr(message, '\n');
    if (hint) {
        *hint++ = '\0';
    }
    c->fault->status = JN_ERR_EXPRESSION;
    c->fault->offset = (size_t)(at - c->text);
    snprintf(c->fault->text, sizeof c->fault->text, "%.*s", (int)sizeof c->fault->text - 1, message);
    snprintf(c->fault->hint, sizeof c->fault->hint, "%.*s", (int)sizeof c->fault->hint - 1, hint ? hint : "");
    return false;
}

/* Sets the place of a fault that a rule of dimensions has noted. */
static bool fault_here(compiler *c, const char *at, bool fine) {
    if (!fine) {
        c->fault->offset = (size_t)(at - c->text);
    }
    return fine;
}

static bool no_memory(compiler *c) {
    c->fault->status = JN_ERR_MEMORY;
    snprintf(c->fault->text, sizeof c->fault->text, "out of memory");
    return false;
}

/* ---------------------------------------------------------------------------------------------- instructions */

static bool emit(compiler *c, const char *at, jn_instr in) {
    if (c->length == c->capacity) {
        jn_instr *wide;
        if (c->length >= LONGEST_CODE) {
            return fault_at(c, at, "the expression is too long");
        }
        wide = jn_malloc(2 * (size_t)c->capacity * sizeof *wide);
        if (!wide) {
            return no_memory(c);
        }
        memcpy(wide, c->code, (size_t)c->length * sizeof *wide);
        if (c->code != c->small) {
            jn_free(c->code);
        }
        c->code = wide;
        c->capacity *= 2;
    }
    c->code[c->length++] = in;
    return true;
}

static bool push(compiler *c, const char *at, jn_instr in) {
    if (++c->stack > JN_FUNCTION_STACK) {
        return fault_at(c, at, "the expression needs too much at once\nsplit it with parameters");
    }
    return emit(c, at, in);
}

/* Applies an operation to the last n values; computes it at once if all of them are constants. */
static bool apply(compiler *c, const char *at, jn_op op, int n) {
    double a[16];
    int first = c->length - n;

    c->stack -= n - 1;
    bool fold = n <= 16 && first >= c->floor;
    for (int i = 0; fold && i < n; i++) {
        fold = c->code[first + i].op == JN_OP_CONST;
        a[i] = c->code[first + i].number;
    }
    if (fold) {
        c->length = first;
        return emit(c, at, (jn_instr){.op = JN_OP_CONST, .number = jn_op_value(op, a, n)});
    }
    return emit(c, at, (jn_instr){.op = (uint16_t)op, .args = (uint16_t)n});
}

/* Is the code from start on one constant? */
static bool constant_since(const compiler *c, int start, double *value) {
    if (c->length == start + 1 && c->code[start].op == JN_OP_CONST) {
        *value = c->code[start].number;
        return true;
    }
    return false;
}

/* --------------------------------------------------------------------------------------------------- scanning */

static void blanks(compiler *c) {
    while (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r') {
        c->p++;
    }
}

static bool letter(char ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_'; }
static bool digit(char ch) { return ch >= '0' && ch <= '9'; }

/* Takes the sign if it stands next. */
static bool take(compiler *c, const char *sign) {
    size_t n = strlen(sign);
    blanks(c);
    if (strncmp(c->p, sign, n) != 0) {
        return false;
    }
    c->p += n;
    return true;
}

/* A name of letters, digits and '_' into out (LONGEST_NAME + 1 bytes). */
static bool name(compiler *c, char *out) {
    size_t n = 0;
    while (letter(c->p[n]) || digit(c->p[n])) {
        n++;
    }
    if (n > LONGEST_NAME) {
        return fault_at(c, c->p, "a name is longer than %d letters", LONGEST_NAME);
    }
    memcpy(out, c->p, n);
    out[n] = '\0';
    c->p += n;
    return true;
}

/* Continues a name with ".NAME.q2" of a signal; the middle name may hold '-'. */
static bool signal_name(compiler *c, char *out) {
    size_t n = strlen(out), i = 0;
    bool middle = true;
    while (c->p[i] == '.' || letter(c->p[i]) || digit(c->p[i]) || (middle && c->p[i] == '-')) {
        middle = !(c->p[i] == '.' && i > 0);
        i++;
    }
    if (n + i > LONGEST_NAME) {
        return fault_at(c, c->p, "a name is longer than %d letters", LONGEST_NAME);
    }
    memcpy(out + n, c->p, i);
    out[n + i] = '\0';
    c->p += i;
    return true;
}

static bool is_number(const char *p) { return digit(p[0]) || (p[0] == '.' && digit(p[1])); }

/* The end of the decimal number at p. */
static const char *number_end(const char *p) {
    while (digit(*p)) {
        p++;
    }
    if (*p == '.') {
        p++;
        while (digit(*p)) {
            p++;
        }
    }
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1;
        q += *q == '+' || *q == '-';
        if (digit(*q)) {
            while (digit(*q)) {
                q++;
            }
            p = q;
        }
    }
    return p;
}

/* strtod reads the decimal point of the user's locale: write that one. */
static bool number(compiler *c, double *value) {
    char buffer[512];
    const char *end = number_end(c->p), *point = localeconv()->decimal_point;
    size_t n = (size_t)(end - c->p), k = 0;

    if (n > sizeof buffer - 8) {
        return fault_at(c, c->p, "a number is longer than %d digits", (int)sizeof buffer - 8);
    }
    for (size_t i = 0; i < n; i++) {
        if (c->p[i] == '.' && strlen(point) < 4) {
            memcpy(buffer + k, point, strlen(point));
            k += strlen(point);
        } else {
            buffer[k++] = c->p[i];
        }
    }
    buffer[k] = '\0';
    *value = strtod(buffer, NULL);
    if (!isfinite(*value)) {
        return fault_at(c, c->p, "the number %.*s is too large\nthe largest is about 1.8e308", (int)n, c->p);
    }
    c->p = end;
    return true;
}

/* ------------------------------------------------------------------------------------------------------ units */

/* Is a name after '*' or '/' in a unit also the name of a value? */
static bool taken(void *context, const char *word, size_t length) {
    compiler *c = context;
    char copy[LONGEST_NAME + 1];
    jn_symbol symbol = {0};
    if (length > LONGEST_NAME) {
        return true;
    }
    memcpy(copy, word, length);
    copy[length] = '\0';
    jn_symbol_kind kind = c->scope->find(c->scope->context, copy, false, &symbol);
    return kind != JN_SYMBOL_NONE && kind != JN_SYMBOL_REFUSED;
}

/* After "10 N" stands "*m": a unit and a parameter at once would be read silently in one of two ways. */
static bool ambiguous(compiler *c, const char *start) {
    const char *p = c->p;
    size_t n = 0;
    jn_unit unit;
    while (*p == ' ') {
        p++;
    }
    if (*p != '*' && *p != '/') {
        return false;
    }
    for (p++; *p == ' '; p++) {
    }
    while (jn_unit_letter(p[n])) {
        n++;
    }
    if (n == 0 || letter(p[n]) || digit(p[n]) || p[n] == '(' || (n == 1 && *p == 't') || !jn_unit_find(p, n, &unit)) {
        return false;
    }
    fault_at(c, p, "'%.*s' is a unit and the name of a parameter here\nwrite '(%.*s)*%.*s' for the parameter, or rename it",
             (int)n, p, (int)(c->p - start), start, (int)n, p);
    return true;
}

/* A number and the unit behind it, if any. */
static bool quantity(compiler *c, jn_type *type) {
    const char *start = c->p, *after;
    double value;
    jn_unit unit;
    size_t n;

    if (!number(c, &value)) {
        return false;
    }
    *type = (jn_type){.kind = JN_KIND_LITERAL};
    after = c->p;
    blanks(c);
    if (jn_unit_letter(*c->p) || *c->p == '_' || (is_number(c->p) && c->p > after)) {
        n = jn_unit_parse(c->p, &unit, taken, c);
        if (n == 0) {
            char word[64];
            size_t k = 0;
            while (k < sizeof word - 1 && (jn_unit_letter(c->p[k]) || c->p[k] == '_' || digit(c->p[k]))) {
                word[k] = c->p[k];
                k++;
            }
            word[k] = '\0';
            if (digit(word[0]) || word[0] == '\0') {
                return fault_at(c, c->p, "two numbers stand side by side\nwrite an operator between them");
            }
            jn_suggest suggest = jn_suggest_for(word);
            if (taken(c, word, k) || strcmp(word, "pi") == 0) {
                return fault_at(c, c->p, "'%s' is not a unit\nwrite '%.*s*%s' for a product", word, (int)(after - start),
                                start, word);
            }
            jn_unit_offer(&suggest);
            return suggest.best ? fault_at(c, c->p, "unknown unit '%s'\nwrite '%s'", word, suggest.best)
                                : fault_at(c, c->p, "unknown unit '%s'\nunits are m, kg, s, N, Pa, deg, rpm, Hz, ... with "
                                                    "prefixes, joined by * / ^", word);
        }
        c->p += n;
        value = jn_unit_to_si(value, unit);
        *type = (jn_type){JN_KIND_TYPED, unit.dimension};
        if (ambiguous(c, start)) {
            return false;
        }
        if (!isfinite(value)) {
            return fault_at(c, start, "the number is too large");
        }
    } else {
        c->p = after;
    }
    return push(c, start, (jn_instr){.op = JN_OP_CONST, .number = value});
}

/* ---------------------------------------------------------------------------------------------------- grammar */

static bool expression(compiler *c, jn_type *type);

static bool unknown_name(compiler *c, const char *at, const char *word, bool call) {
    jn_suggest suggest = jn_suggest_for(word);
    jn_unit unit;

    if (!call && jn_unit_find(word, strlen(word), &unit)) {
        return fault_at(c, at, "unknown name '%s'\na unit stands directly after a number: '1 %s'", word, word);
    }
    if (!call && c->scope->offer) {
        c->scope->offer(c->scope->context, &suggest);
    }
    for (const jn_function_info *f = functions; f->name && call; f++) {
        jn_suggest_offer(&suggest, f->name);
    }
    if (suggest.best) {
        return fault_at(c, at, "unknown %s '%s'\nwrite '%s'", call ? "function" : "name", word, suggest.best);
    }
    return fault_at(c, at, call ? "unknown function '%s'\nsee the list in docs/model.md"
                                : "unknown name '%s'\ndefine it under 'parameters'", word);
}

static bool symbol_value(compiler *c, const char *at, const char *word, jn_type *type) {
    jn_symbol symbol = {0};

    if (strcmp(word, "pi") == 0) {
        *type = (jn_type){.kind = JN_KIND_LITERAL};
        return push(c, at, (jn_instr){.op = JN_OP_CONST, .number = 3.14159265358979323846});
    }
    if (strcmp(word, "inf") == 0 || strcmp(word, "nan") == 0) {
        return fault_at(c, at, "'%s' is not a number that can be computed with", word);
    }
    switch (c->scope->find(c->scope->context, word, false, &symbol)) {
    case JN_SYMBOL_CONSTANT:
        *type = symbol.type;
        return push(c, at, (jn_instr){.op = JN_OP_CONST, .number = symbol.value});
    case JN_SYMBOL_VARIABLE:
        *type = symbol.type;
        return push(c, at, (jn_instr){.op = JN_OP_VAR, .index = symbol.index});
    case JN_SYMBOL_TEXT:
        return fault_at(c, at, "the parameter '%s' is the word '%s', not a number\ngive it a number, or define '%s'", word,
                        symbol.text, symbol.text);
    case JN_SYMBOL_TABLE: return fault_at(c, at, "'%s' is a table\nwrite 'spline(%s, t)'", word, word);
    case JN_SYMBOL_PENDING: c->fault->pending = symbol.index; return false;
    case JN_SYMBOL_FAILED: return false;
    case JN_SYMBOL_REFUSED:
        return fault_at(c, at, "%s%s%s", symbol.text, symbol.hint ? "\n" : "", symbol.hint ? symbol.hint : "");
    case JN_SYMBOL_NONE: break;
    }
    return unknown_name(c, at, word, false);
}

/* if(condition, a, b) with jumps, so that only the chosen branch is computed. */
static bool choice(compiler *c, const char *at, jn_type *type) {
    jn_type condition, a, b;
    double value = 0;
    int start = c->length, floor = c->floor, jump, skip;

    c->floor = start;
    if (!expression(c, &condition)) {
        return false;
    }
    bool known = constant_since(c, start, &value);
    if (!take(c, ",")) {
        return fault_at(c, at, "if needs 3 arguments\nwrite 'if(condition, a, b)'");
    }
    jump = c->length;
    c->stack--;
    if (!emit(c, at, (jn_instr){.op = JN_OP_JUMP_IF0, .args = 1})) {
        return false;
    }
    c->floor = c->length;
    if (!expression(c, &a)) {
        return false;
    }
    if (!take(c, ",")) {
        return fault_at(c, at, "if needs 3 arguments\nwrite 'if(condition, a, b)'");
    }
    skip = c->length;
    c->stack--;
    if (!emit(c, at, (jn_instr){.op = JN_OP_JUMP})) {
        return false;
    }
    c->floor = c->length;
    if (!expression(c, &b) || !fault_here(c, at, jn_type_alike(a, b, "if", type, c->fault))) {
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
static bool lookup(compiler *c, const jn_function_info *f, jn_type *type) {
    char word[LONGEST_NAME + 1];
    jn_symbol symbol = {0};
    const char *at;

    blanks(c);
    at = c->p;
    if (!letter(*at) || !name(c, word)) {
        return fault_at(c, at, "%s needs the name of a table first\nwrite '%s(NAME, t)'", f->name, f->name);
    }
    if (c->scope->find(c->scope->context, word, true, &symbol) != JN_SYMBOL_TABLE) {
        return symbol.text ? fault_at(c, at, "no table '%s'\nwrite '%s'", word, symbol.text)
                           : fault_at(c, at, "no table '%s'\ndefine it under 'tables'", word);
    }
    if (!take(c, ",")) {
        return fault_at(c, at, "%s needs 2 arguments\nwrite '%s(%s, t)'", f->name, f->name, word);
    }
    if (!expression(c, type)) {
        return false;
    }
    *type = (jn_type){.kind = JN_KIND_LOOSE};
    return emit(c, at, (jn_instr){.op = (uint16_t)f->op, .args = 1, .index = symbol.index});
}

static bool call_type(compiler *c, const char *at, const jn_function_info *f, const jn_type *a, int n, int last,
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
        constant = constant_since(c, last, &exponent);
        return fault_here(c, at, jn_type_power(a[0], a[1], constant, exponent, type, c->fault));
    case JN_RULE_CURVE:
        return fault_here(c, at, jn_type_alike(a[0], a[1], f->name, &rest, c->fault) &&
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
    return fault_here(c, at, fine);
}

static bool call(compiler *c, const char *at, const char *word, jn_type *type) {
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
        blanks(c);
        while (*c->p != ')' && n < f->most) {
            last = c->length;
            if (!expression(c, &a[n])) {
                return false;
            }
            n++;
            if (!take(c, ",")) {
                break;
            }
        }
    }
    if (n < f->least || (blanks(c), *c->p != ')' && *c->p != '\0')) {
        return f->least == f->most ? fault_at(c, at, "%s needs %d argument%s", word, f->least, f->least > 1 ? "s" : "")
                                   : fault_at(c, at, "%s needs %d to %d arguments", word, f->least, f->most);
    }
    if (!take(c, ")")) {
        return fault_at(c, c->p, "missing ')'");
    }
    if (f->rule == JN_RULE_CHOICE || f->rule == JN_RULE_TABLE) {
        return true;
    }
    return call_type(c, at, f, a, n, last, type) && apply(c, at, f->op, n);
}

static bool primary(compiler *c, jn_type *type) {
    char word[LONGEST_NAME + 1];
    const char *at;

    blanks(c);
    at = c->p;
    if (is_number(at)) {
        return quantity(c, type);
    }
    if (take(c, "(")) {
        if (!expression(c, type)) {
            return false;
        }
        return take(c, ")") || fault_at(c, c->p, "missing ')'");
    }
    if (letter(*at)) {
        if (!name(c, word)) {
            return false;
        }
        if (*c->p == '.' && strcmp(word, "joint") == 0 && !signal_name(c, word)) {
            return false;
        }
        return take(c, "(") ? call(c, at, word, type) : symbol_value(c, at, word, type);
    }
    if (*at == '\0') {
        return fault_at(c, at, "the expression ends too early");
    }
    if ((unsigned char)*at < 0x80) {
        return fault_at(c, at, "unexpected '%c' in an expression", *at);
    }
    return fault_at(c, at, "unexpected character in an expression");
}

static bool unary(compiler *c, jn_type *type);

/* a ^ b, grouping to the right; the exponent may have a sign. */
static bool raised(compiler *c, jn_type *type) {
    const char *at;
    jn_type exponent;
    double value = 0;
    int start;

    if (!primary(c, type)) {
        return false;
    }
    blanks(c);
    at = c->p;
    if (!take(c, "^")) {
        return true;
    }
    if (*c->p == '*') {
        return fault_at(c, at, "unexpected '*' in an expression");
    }
    start = c->length;
    if (!unary(c, &exponent)) {
        return false;
    }
    bool constant = constant_since(c, start, &value) && start >= c->floor;
    return fault_here(c, at, jn_type_power(*type, exponent, constant, value, type, c->fault)) &&
           apply(c, at, JN_OP_POWER, 2);
}

static bool unary(compiler *c, jn_type *type) {
    const char *at;
    bool fine;

    blanks(c);
    at = c->p;
    if (++c->depth > DEEPEST) {
        return fault_at(c, at, "the expression is nested too deeply\nsplit it with parameters");
    }
    if (take(c, "-")) {
        fine = unary(c, type) && apply(c, at, JN_OP_NEG, 1);
    } else if (take(c, "+")) {
        fine = unary(c, type);
    } else if (*at == '!' && at[1] != '=' && take(c, "!")) {
        fine = unary(c, type) && apply(c, at, JN_OP_NOT, 1);
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
    {"==", JN_OP_EQ, 2}, {"!=", JN_OP_NE, 2},  {"<", JN_OP_LT, 2},   {">", JN_OP_GT, 2},
    {"+", JN_OP_ADD, 3},  {"-", JN_OP_SUB, 3},   {"*", JN_OP_MUL, 4},  {"/", JN_OP_DIV, 4},
};

/* Left-associative operators of one level and above. */
static bool binary(compiler *c, int level, jn_type *type) {
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
        blanks(c);
        at = c->p;
        for (size_t i = 0; !row && i < sizeof operators / sizeof operators[0]; i++) {
            if (operators[i].level == level && take(c, operators[i].sign)) {
                row = &operators[i];
            }
        }
        if (!row) {
            return true;
        }
        if (row->op == JN_OP_MUL && *c->p == '*') {
            return fault_at(c, at, "unexpected '**'\nwrite '^' for a power");
        }
        if (!binary(c, level + 1, &right)) {
            return false;
        }
        if (level == 4) {
            *type = jn_type_product(*type, right, row->op == JN_OP_MUL ? 1 : -1);
        } else if (level >= 2 && !fault_here(c, at, jn_type_alike(*type, right, row->sign, type, c->fault))) {
            return false;
        }
        if (level <= 2) {
            *type = (jn_type){.kind = JN_KIND_LITERAL};
        }
        if (!apply(c, at, row->op, 2)) {
            return false;
        }
    }
}

static bool expression(compiler *c, jn_type *type) {
    if (++c->depth > DEEPEST) {
        return fault_at(c, c->p, "the expression is nested too deeply\nsplit it with parameters");
    }
    bool fine = binary(c, 0, type);
    c->depth--;
    return fine;
}

/* Everything read? Then the program goes to the store. */
static bool finish(compiler *c, jn_store *store, jn_expression *out) {
    blanks(c);
    if (*c->p != '\0') {
        if (*c->p == '=') {
            return fault_at(c, c->p, "unexpected '=' in an expression\nwrite '==' to compare");
        }
        if (*c->p == ')') {
            return fault_at(c, c->p, "unexpected ')' in an expression");
        }
        return (unsigned char)*c->p < 0x80 ? fault_at(c, c->p, "an operator is missing before '%c'", *c->p)
                                           : fault_at(c, c->p, "unexpected character in an expression");
    }
    out->constant = constant_since(c, 0, &out->value);
    if (out->constant && !isfinite(out->value)) {
        return fault_at(c, c->text, "the value of '%.100s' is not finite", c->text);
    }
    if (store) {
        jn_instr *code = jn_store_array(store, (size_t)c->length, sizeof *code);
        if (!code) {
            return no_memory(c);
        }
        memcpy(code, c->code, (size_t)c->length * sizeof *code);
        out->function = (jn_function){code, c->length};
    }
    return true;
}

bool jn_expression_compile(const char *text, const jn_scope *scope, jn_store *store, jn_expression *out,
                           jn_fault *fault) {
    compiler c = {.text = text, .p = text, .scope = scope, .fault = fault, .capacity = SMALL_CODE};
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

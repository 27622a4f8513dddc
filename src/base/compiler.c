/* Messages, instructions and the smallest parts of the text of an expression. */
#include "base/compiler.h"

#include "base/memory.h"
#include "base/parse_number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_CODE = 1 << 20 };

/* ------------------------------------------------------------------------------------------------- messages */

bool jn_fault_at(jn_compiler *c, const char *at, const char *format, ...) {
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

bool jn_fault_here(jn_compiler *c, const char *at, bool fine) {
    if (!fine) {
        c->fault->offset = (size_t)(at - c->text);
    }
    return fine;
}

bool jn_fault_memory(jn_compiler *c) {
    c->fault->status = JN_ERR_MEMORY;
    snprintf(c->fault->text, sizeof c->fault->text, "out of memory");
    return false;
}

/* ---------------------------------------------------------------------------------------------- instructions */

bool jn_emit(jn_compiler *c, const char *at, jn_instr in) {
    if (c->length == c->capacity) {
        jn_instr *wide;
        if (c->length >= LONGEST_CODE) {
            return jn_fault_at(c, at, "the expression is too long");
        }
        wide = jn_malloc(2 * (size_t)c->capacity * sizeof *wide);
        if (!wide) {
            return jn_fault_memory(c);
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

bool jn_emit_push(jn_compiler *c, const char *at, jn_instr in) {
    if (++c->stack > JN_FUNCTION_STACK) {
        return jn_fault_at(c, at, "the expression needs too much at once\nsplit it with parameters");
    }
    return jn_emit(c, at, in);
}

bool jn_emit_apply(jn_compiler *c, const char *at, jn_op op, int n) {
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
        return jn_emit(c, at, (jn_instr){.op = JN_OP_CONST, .number = jn_op_value(op, a, n)});
    }
    return jn_emit(c, at, (jn_instr){.op = (uint16_t)op, .args = (uint16_t)n});
}

bool jn_constant_since(const jn_compiler *c, int start, double *value) {
    if (c->length == start + 1 && c->code[start].op == JN_OP_CONST) {
        *value = c->code[start].number;
        return true;
    }
    return false;
}

/* --------------------------------------------------------------------------------------------------- scanning */

void jn_scan_blanks(jn_compiler *c) {
    while (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r') {
        c->p++;
    }
}

bool jn_scan_letter(char ch) { return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_'; }
static bool digit(char ch) { return ch >= '0' && ch <= '9'; }

bool jn_scan_sign(jn_compiler *c, const char *sign) {
    jn_scan_blanks(c);
    if (c->p[0] != sign[0] || (sign[1] && c->p[1] != sign[1])) return false;
    c->p += sign[1] ? 2 : 1;
    return true;
}

bool jn_scan_name(jn_compiler *c, char *out) {
    size_t n = 0;
    while (jn_scan_letter(c->p[n]) || digit(c->p[n])) {
        n++;
    }
    if (n > JN_COMPILER_NAME) {
        return jn_fault_at(c, c->p, "a name is longer than %d letters", JN_COMPILER_NAME);
    }
    memcpy(out, c->p, n);
    out[n] = '\0';
    c->p += n;
    return true;
}

bool jn_scan_channel(jn_compiler *c, char *out) {
    size_t n = strlen(out), i = 0;
    bool middle = strcmp(out, "energy") != 0; /* energy.total has no name in the middle */
    while (c->p[i] == '.' || jn_scan_letter(c->p[i]) || digit(c->p[i]) || (middle && c->p[i] == '-')) {
        middle = middle && !(c->p[i] == '.' && i > 0);
        i++;
    }
    if (n + i > JN_COMPILER_NAME) {
        return jn_fault_at(c, c->p, "a name is longer than %d letters", JN_COMPILER_NAME);
    }
    memcpy(out + n, c->p, i);
    out[n + i] = '\0';
    c->p += i;
    return true;
}

bool jn_scan_is_number(const char *p) { return digit(p[0]) || (p[0] == '.' && digit(p[1])); }

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

static bool number(jn_compiler *c, double *value) {
    const char *end = number_end(c->p);
    size_t n = (size_t)(end - c->p);

    if (!jn_number_read(c->p, n, value)) {
        return jn_fault_at(c, c->p, "this number cannot be read\nwrite at most 400 digits");
    }
    if (!isfinite(*value)) {
        return jn_fault_at(c, c->p, "the number %.*s is too large\nthe largest is about 1.8e308", (int)n, c->p);
    }
    c->p = end;
    return true;
}

/* ------------------------------------------------------------------------------------------------------ units */

/* Is a name after '*' or '/' in a unit also the name of a value? */
static bool taken(void *context, const char *word, size_t length) {
    jn_compiler *c = context;
    char copy[JN_COMPILER_NAME + 1];
    jn_symbol symbol = {0};
    if (length > JN_COMPILER_NAME) {
        return true;
    }
    memcpy(copy, word, length);
    copy[length] = '\0';
    jn_symbol_kind kind = c->scope->find(c->scope->context, copy, false, &symbol);
    return kind != JN_SYMBOL_NONE && kind != JN_SYMBOL_REFUSED;
}

/* After "10 N" stands "*m": a unit and a parameter at once would be read silently in one of two ways. */
static bool ambiguous(jn_compiler *c, const char *start) {
    const char *p = c->p;
    size_t n = 0;
    jn_unit unit;
    while (*p == ' ') {
        p++;
    }
    char sign = *p;
    if (sign != '*' && sign != '/') {
        return false;
    }
    for (p++; *p == ' '; p++) {
    }
    while (jn_unit_letter(p[n])) {
        n++;
    }
    if (n == 0 || jn_scan_letter(p[n]) || digit(p[n]) || p[n] == '(' || (n == 1 && *p == 't') ||
        !jn_unit_find(p, n, &unit)) {
        return false;
    }
    jn_fault_at(
        c, p,
        "'%.*s' is a unit and the name of a parameter here\nwrite '(%.*s)%c%.*s' for the parameter; rename the parameter if the "
        "unit is meant",
        (int)n, p, (int)(c->p - start), start, sign, (int)n, p);
    return true;
}

bool jn_scan_quantity(jn_compiler *c, jn_type *type) {
    const char *start = c->p, *after;
    double value = 0;
    jn_unit unit;
    size_t n;

    if (!number(c, &value)) {
        return false;
    }
    *type = (jn_type){.kind = JN_KIND_LITERAL};
    after = c->p;
    jn_scan_blanks(c);
    if (jn_unit_letter(*c->p) || *c->p == '_' || (jn_scan_is_number(c->p) && c->p > after)) {
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
                return jn_fault_at(c, c->p, "two numbers stand side by side\nwrite an operator between them");
            }
            jn_suggest suggest = jn_suggest_for(word);
            if (taken(c, word, k) || strcmp(word, "pi") == 0) {
                return jn_fault_at(c, c->p, "'%s' is not a unit\nwrite '%.*s*%s' for a product", word,
                                   (int)(after - start), start, word);
            }
            jn_unit_offer(&suggest);
            return suggest.best ? jn_fault_at(c, c->p, "unknown unit '%s'\nwrite '%s'", word, suggest.best)
                                : jn_fault_at(c, c->p,
                                              "unknown unit '%s'\nunits are m, kg, s, N, Pa, deg, rpm, Hz, ... with "
                                              "prefixes, joined by * / ^",
                                              word);
        }
        c->p += n;
        value = jn_unit_to_si(value, unit);
        *type = (jn_type){JN_KIND_TYPED, unit.dimension};
        if (ambiguous(c, start)) {
            return false;
        }
        if (!isfinite(value)) {
            return jn_fault_at(c, start, "the number is too large");
        }
    } else {
        c->p = after;
    }
    return jn_emit_push(c, start, (jn_instr){.op = JN_OP_CONST, .number = value});
}

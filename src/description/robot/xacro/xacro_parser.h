/* What reading an expression shares: its parser (xacro_expression.c), and what it calls (xacro_call.c). */
#ifndef JN_DESCRIPTION_ROBOT_XACRO_PARSER_H
#define JN_DESCRIPTION_ROBOT_XACRO_PARSER_H

#include "description/robot/xacro/xacro.h"
#include <string.h>

typedef jn_xacro_value value;

/* An expression as it is read. */
typedef struct parser {
    jn_xacro *x;
    jn_xacro_scope *scope;
    const char *at, *end;
    jn_where where;
    bool idle; /* parse only */
    bool failed;
    int depth;
} parser;

static inline bool is(const char *name, size_t n, const char *word) {
    return strlen(word) == n && !memcmp(name, word, n);
}

static inline bool is_number(const value *v) { return v->kind >= JN_XACRO_BOOL && v->kind <= JN_XACRO_REAL; }
static inline bool is_whole(const value *v) { return v->kind == JN_XACRO_BOOL || v->kind == JN_XACRO_INT; }
static inline value make_bool(bool b) { return (value){.kind = JN_XACRO_BOOL, .number = b}; }

/* xacro_expression.c: an error at the expression, once; a value that is none. */
value jn_xacro_fail(parser *p, const char *what, const char *name, size_t length);
value jn_xacro_fail_here(parser *p);
value jn_xacro_fail_memory(parser *p);

/* xacro_call.c: what a function, or a method of a value, makes of its arguments; the first one where the parser is idle. */
value jn_xacro_call(parser *p, const char *name, size_t n, value *arg, int count);
value jn_xacro_call_method(parser *p, value on, const char *name, size_t n, value *arg, int count);
/* Items of `from` that neither `without` nor the result has, in their order; O(n^2), which is charged. */
value jn_xacro_distinct(parser *p, const value *from, const value *without);
/* Whether a value stands in a list. */
bool jn_xacro_holds(const value *a, const value *list);

#endif

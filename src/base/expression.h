/* Compiles the text of an expression into a program, with constants folded and dimensions checked. */
#ifndef JN_BASE_EXPRESSION_H
#define JN_BASE_EXPRESSION_H

#include "base/store.h"
#include "base/suggest.h"
#include "base/units.h"

#include <jounce/base.h>

/* How much is known of a value's dimension. */
typedef enum jn_kind {
    JN_KIND_LITERAL, /* a number as written: takes the dimension that is expected of it */
    JN_KIND_LOOSE,   /* unknown: a parameter without unit, a variable, and products with them; never checked */
    JN_KIND_TYPED    /* known */
} jn_kind;

typedef struct jn_type {
    jn_kind kind;
    jn_dimension dimension; /* of JN_KIND_TYPED */
} jn_type;

typedef enum jn_symbol_kind {
    JN_SYMBOL_NONE,
    JN_SYMBOL_CONSTANT, /* value, type */
    JN_SYMBOL_VARIABLE, /* index, type */
    JN_SYMBOL_FUNCTION, /* function: its program is put in place of the name; type */
    JN_SYMBOL_TABLE,    /* index */
    JN_SYMBOL_TEXT,     /* text: a parameter that holds a word */
    JN_SYMBOL_PENDING,  /* index: a parameter whose value must be found first */
    JN_SYMBOL_FAILED,   /* wrong, and the message has been given already */
    JN_SYMBOL_REFUSED   /* known but not allowed here; text (and hint) say why */
} jn_symbol_kind;

typedef struct jn_symbol {
    double value;
    jn_type type;
    int index;
    jn_function function;
    const char *text, *hint;
    size_t offset; /* given to find: byte of the text where the name stands */
} jn_symbol;

/* The names an expression may use. */
typedef struct jn_scope {
    void *context;
    jn_symbol_kind (*find)(void *context, const char *name, bool table, jn_symbol *symbol);
    void (*offer)(void *context, jn_suggest *suggest); /* candidates for a misspelt name */
} jn_scope;

/* What went wrong. status JN_OK with result false: pending >= 0 is a parameter to be found first, else the message
 * was given before. */
typedef struct jn_fault {
    int status;
    int pending;
    size_t offset; /* byte of the text where it was seen */
    char text[384];
    char hint[256];
} jn_fault;

typedef struct jn_expression {
    bool constant;
    double value; /* if constant */
    jn_type type;
    jn_function function;
} jn_expression;

/* store receives the program; NULL if only a constant is wanted (a program that is not constant is then an error of
 * the caller). O(length of the text) */
bool jn_expression_compile(const char *text, const jn_scope *scope, jn_store *store, jn_expression *out,
                           jn_fault *fault);

/* Checks the result against what is expected; fills the fault if it does not fit. */
bool jn_type_fits(jn_type type, jn_measure measure, jn_fault *fault);

/* Dimension rules; false with a message if the operands do not go together. */
bool jn_type_alike(jn_type a, jn_type b, const char *operation, jn_type *out, jn_fault *fault);
jn_type jn_type_product(jn_type a, jn_type b, double power); /* a * b^power, power +1 or -1 */
bool jn_type_power(jn_type a, jn_type b, bool constant, double exponent, jn_type *out, jn_fault *fault);
bool jn_type_pure(jn_type a, const char *function, jn_fault *fault);

/* The words that no parameter may have as its name. */
bool jn_name_reserved(const char *name);

#endif

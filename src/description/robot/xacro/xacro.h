/* Xacro, the macro language that most URDF files are written in (ROS wiki, xacro): properties, macros, conditions, includes and
 * expressions of Python, as far as robots' files use them. */
#ifndef JN_DESCRIPTION_ROBOT_XACRO_H
#define JN_DESCRIPTION_ROBOT_XACRO_H

#include "description/robot/robot.h"

/* Levels of expressions, lists and maps within each other; letters of a text and values in a list; bytes of all that a template makes. */
enum { JN_XACRO_DEEPEST = 60, JN_XACRO_LONGEST = 1000000, JN_XACRO_BYTES = 500000000 };
enum {
    JN_XACRO_CHAIN = 200,
    JN_XACRO_LEVELS = 2000
}; /* properties that wait for each other; levels of their expressions together */

typedef enum jn_xacro_kind {
    JN_XACRO_NONE,
    JN_XACRO_BOOL,
    JN_XACRO_INT,
    JN_XACRO_REAL,
    JN_XACRO_TEXT,
    JN_XACRO_LIST,
    JN_XACRO_MAP
} jn_xacro_kind;

typedef struct jn_xacro_value {
    jn_xacro_kind kind;
    double number;    /* BOOL, INT, REAL */
    const char *text; /* TEXT */
    int count;        /* LIST, MAP */
    int height;       /* the same: lists and maps within each other, */
    int size;         /* values in it and in these, shared ones counted each time */
    struct jn_xacro_value *items;
    const char **keys; /* MAP */
} jn_xacro_value;

/* What a name stands for: a value, a block of elements, or a namespace. */
typedef struct jn_xacro_symbol {
    const char *name;
    jn_xacro_value value;
    jn_xml *block;       /* NULL: a value */
    const char *pending; /* text of a property that nobody has asked for yet; NULL: the value is known */
    jn_where where;      /* of that text */
    bool resolving;      /* it is evaluated at the moment */
    struct jn_xacro_space *space; /* NULL: no namespace */
} jn_xacro_symbol;

typedef struct jn_xacro_scope {
    struct jn_xacro_scope *outer;
    jn_xacro_symbol *symbols;
    int count;
} jn_xacro_scope;

/* What a file defines that is included with a namespace. */
typedef struct jn_xacro_space {
    jn_xacro_scope symbols, macros; /* within those of the file that includes it */
} jn_xacro_space;

typedef struct jn_xacro {
    jn_robot *b;
    jn_xacro_scope global, arguments; /* arguments: of $(arg NAME) */
    jn_xacro_scope macros;            /* blocks: the elements that define them */
    jn_xacro_scope *table;            /* macros where the expansion stands: these, or those of a namespace */
    int depth, made;                  /* of what is expanded; elements so far */
    int nested;                       /* expressions within each other */
    int levels;                       /* of expressions within each other, through properties */
    int resolved;                     /* properties that name each other, within each other */
    jn_where where;                   /* of the element that is expanded */
    double spent;                     /* bytes of texts, lists and files so far */
} jn_xacro;

/* Whether a tree has macros, or expressions in braces. */
bool jn_xacro_is_template(const jn_xml *root);
/* The tree that a template stands for; NULL with a message. */
jn_xml *jn_xacro_expand(jn_robot *b, const jn_xml *root);

/* ---------------------------------------------------------------------------------------------------- xacro_value.c */

/* [the last one defined] NULL: none. */
jn_xacro_symbol *jn_xacro_find(jn_xacro_scope *scope, const char *name, size_t length);
/* The same with its value: properties are evaluated where they are first asked for, in the scope that they stand in, as xacro does it. False with a message; *out
 * NULL: none. */
bool jn_xacro_resolve(jn_xacro *x, jn_xacro_scope *scope, const char *name, size_t length, jn_xacro_symbol **out);
/* Sets a name in this scope; NULL: no memory. */
jn_xacro_symbol *jn_xacro_set(jn_xacro *x, jn_xacro_scope *scope, const char *name);
/* Counts what is made or compared [bytes]; false with a message: it is too much. */
bool jn_xacro_spend(jn_xacro *x, double bytes);
jn_xacro_value jn_xacro_number(double number, bool whole);
jn_xacro_value jn_xacro_text(const char *text);
/* A text as Python would write it in a program: numbers, true and false are values. */
jn_xacro_value jn_xacro_literal(jn_xacro_value value);
/* As str() of Python; NULL: no memory. */
const char *jn_xacro_string(jn_xacro *x, const jn_xacro_value *value);
bool jn_xacro_true(const jn_xacro_value *value);
bool jn_xacro_equal(const jn_xacro_value *a, const jn_xacro_value *b);
const jn_xacro_value *jn_xacro_entry(const jn_xacro_value *map, const char *key); /* NULL: none, or no map */
/* What a YAML file holds. False with a message. */
bool jn_xacro_load_yaml(jn_xacro *x, const char *path, jn_where where, jn_xacro_value *out);

/* ----------------------------------------------------------------------------------------------- xacro_expression.c */

/* An expression of Python, the text between ${ and }. False with a message. */
bool jn_xacro_evaluate(jn_xacro *x, jn_xacro_scope *scope, const char *text, size_t length, jn_where where,
                       jn_xacro_value *out);

/* ------------------------------------------------------------------------------------------------------ xacro_text.c */

/* A text with ${expressions} and $(extensions): one expression alone keeps its kind. */
bool jn_xacro_evaluate_text(jn_xacro *x, jn_xacro_scope *scope, const char *text, jn_where where, jn_xacro_value *out);

/* ------------------------------------------------------------------------------------------------- xacro_extension.c */

/* What $(arg NAME) stands for. */
bool jn_xacro_argument(jn_xacro *x, const char *name, jn_where where, jn_xacro_value *out);

/* $(find PACKAGE), $(arg NAME), $(eval EXPRESSION), $(dirname), $(optenv NAME DEFAULT): the text between the parentheses. */
bool jn_xacro_extension(jn_xacro *x, const char *text, jn_where where, jn_xacro_value *out);

#endif

/* Instructions of the stack machine that runs compiled expressions. */
#ifndef JN_BASE_PROGRAM_H
#define JN_BASE_PROGRAM_H

#include <jounce/base.h>

/* How a function treats the dimensions of its arguments. */
typedef enum jn_rule {
    JN_RULE_PURE,   /* arguments without dimension, result a plain number */
    JN_RULE_SAME,   /* arguments alike, result like them */
    JN_RULE_RATIO,  /* arguments alike, result a plain number */
    JN_RULE_ROOT,   /* half the exponents */
    JN_RULE_POWER,  /* first to the power of the second */
    JN_RULE_CHOICE, /* if: the second and third alike */
    JN_RULE_CURVE,  /* step, ramp: first, second, fourth alike; third, fifth alike and the result */
    JN_RULE_TABLE   /* first is the name of a table */
} jn_rule;

/* Functions of the expression language: enum name, written name, fewest and most arguments, rule, what it is. */
#define JN_FUNCTION_LIST(X)                                                                                            \
    X(SIN, "sin", 1, 1, PURE, "sine")                                                                                  \
    X(COS, "cos", 1, 1, PURE, "cosine")                                                                                \
    X(TAN, "tan", 1, 1, PURE, "tangent")                                                                               \
    X(ASIN, "asin", 1, 1, PURE, "inverse sine")                                                                        \
    X(ACOS, "acos", 1, 1, PURE, "inverse cosine")                                                                      \
    X(ATAN, "atan", 1, 1, PURE, "inverse tangent")                                                                     \
    X(ATAN2, "atan2", 2, 2, RATIO, "angle of the point (x, y), written atan2(y, x)")                                   \
    X(SINH, "sinh", 1, 1, PURE, "hyperbolic sine")                                                                     \
    X(COSH, "cosh", 1, 1, PURE, "hyperbolic cosine")                                                                   \
    X(TANH, "tanh", 1, 1, PURE, "hyperbolic tangent")                                                                  \
    X(EXP, "exp", 1, 1, PURE, "exponential")                                                                           \
    X(LOG, "log", 1, 1, PURE, "natural logarithm")                                                                     \
    X(LOG10, "log10", 1, 1, PURE, "decimal logarithm")                                                                 \
    X(SQRT, "sqrt", 1, 1, ROOT, "square root")                                                                         \
    X(ABS, "abs", 1, 1, SAME, "absolute value")                                                                        \
    X(SIGN, "sign", 1, 1, RATIO, "-1, 0 or 1")                                                                         \
    X(HEAVISIDE, "heaviside", 1, 1, RATIO, "1 where the argument is >= 0, else 0")                                     \
    X(FLOOR, "floor", 1, 1, SAME, "largest whole number not above")                                                    \
    X(MIN, "min", 2, 16, SAME, "smallest of its arguments")                                                            \
    X(MAX, "max", 2, 16, SAME, "largest of its arguments")                                                             \
    X(MOD, "mod", 2, 2, SAME, "mod(a, b) = a - b floor(a/b)")                                                          \
    X(HYPOT, "hypot", 2, 2, SAME, "sqrt(a^2 + b^2)")                                                                   \
    X(POWER, "pow", 2, 2, POWER, "pow(a, b) = a^b")                                                                    \
    X(STEP, "step", 5, 5, CURVE, "step(x, x0, y0, x1, y1): quintic from y0 to y1, two continuous derivatives")         \
    X(RAMP, "ramp", 5, 5, CURVE, "ramp(x, x0, y0, x1, y1): straight line from y0 to y1, constant outside")             \
    X(IF, "if", 3, 3, CHOICE, "if(condition, a, b): a where the condition is not 0, else b")                           \
    X(SPLINE, "spline", 2, 2, TABLE, "spline(NAME, x): cubic spline through a table")                                  \
    X(TABLE, "table", 2, 2, TABLE, "table(NAME, x): straight lines through a table, constant outside")

typedef enum jn_op {
    JN_OP_CONST, /* number */
    JN_OP_VAR,   /* index: variable */
    JN_OP_NEG,
    JN_OP_NOT,
    JN_OP_ADD,
    JN_OP_SUB,
    JN_OP_MUL,
    JN_OP_DIV,
    JN_OP_LT,
    JN_OP_LE,
    JN_OP_GT,
    JN_OP_GE,
    JN_OP_EQ,
    JN_OP_NE,
    JN_OP_AND,
    JN_OP_OR,
    JN_OP_JUMP,     /* index: target */
    JN_OP_JUMP_IF0, /* takes one value */
#define JN_FUNCTION_OP(id, name, least, most, rule, doc) JN_OP_##id,
    JN_FUNCTION_LIST(JN_FUNCTION_OP)
#undef JN_FUNCTION_OP
} jn_op;

typedef struct jn_function_info {
    const char *name;
    jn_op op;
    int least, most; /* arguments */
    jn_rule rule;
    const char *doc;
} jn_function_info;

/* NULL-terminated by name. */
const jn_function_info *jn_function_list(void);

/* The value of an instruction other than VAR, JUMP, IF, SPLINE and TABLE for given arguments. */
double jn_op_value(jn_op op, const double *a, int n);

/* Second derivatives at the knots of the cubic spline through (x, y), not-a-knot at the ends (count 3: one parabola,
 * count 2: a line). work has count doubles. x ascending. O(count). */
void jn_spline_fit(int count, const double *x, const double *y, double *ydd, double *work);
/* The same for a curve that repeats itself, two continuous derivatives all around; y[count-1] = y[0]. work has 2 count. */
void jn_spline_fit_periodic(int count, const double *x, const double *y, double *ydd, double *work);
/* Value and two derivatives with respect to x; beyond the ends the spline goes on as a straight line, or repeats itself. */
jn_jet jn_spline_at(const jn_table *table, double x);
/* The same for straight lines between the points; constant beyond the ends. */
jn_jet jn_polyline_at(const jn_table *table, double x);

/* [s] the next time after t at which a function has a kink or a jump, as far as these come from straight lines in time: comparisons, min, max, abs, floor, mod,
 * step, ramp and points of tables; INFINITY where there is none. O(length). */
double jn_function_next_kink(jn_function function, const jn_table *tables, double t);

#endif

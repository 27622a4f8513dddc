/* Status codes, messages and functions of time: what every stage shares. */
#ifndef JOUNCE_BASE_H
#define JOUNCE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers; jn_version() says that of the library. */
#define JN_VERSION_MAJOR 0
#define JN_VERSION_MINOR 2
#define JN_VERSION_PATCH 0

/* Stands before every public function: the shared library exports these and nothing else. */
#if defined(__GNUC__) && !defined(_WIN32)
#define JN_API __attribute__((visibility("default")))
#else
#define JN_API
#endif

/* 0: fine. > 0: completed with a warning. < 0: nothing was changed. One list gives the values and the texts. */
#define JN_STATUS_LIST(X)                                                                                              \
    X(JN_OK, 0, "ok")                                                                                                  \
    X(JN_STOPPED, 1, "stopped before the end at the caller's request")                                                 \
    X(JN_AUDIT_FAILED, 2, "the run finished but its audit is bad")                                                     \
    X(JN_NOT_CONVERGED, 3, "an iteration did not converge")                                                            \
    X(JN_ERR_IO, -1, "a file cannot be read or written")                                                               \
    X(JN_ERR_SYNTAX, -2, "the file is not valid YAML or JSON")                                                         \
    X(JN_ERR_MODEL, -3, "the model file has a mistake")                                                                \
    X(JN_ERR_UNIT, -4, "a unit or dimension is wrong")                                                                 \
    X(JN_ERR_EXPRESSION, -5, "an expression is wrong")                                                                 \
    X(JN_ERR_ASSEMBLY, -6, "the mechanism cannot be assembled")                                                        \
    X(JN_ERR_NUMERIC, -7, "a number became infinite or undefined")                                                     \
    X(JN_ERR_STEP, -8, "the step size became too small")                                                               \
    X(JN_ERR_MEMORY, -9, "out of memory")                                                                              \
    X(JN_ERR_ARGUMENT, -10, "a call's argument is wrong")                                                              \
    X(JN_ERR_LIMIT, -11, "a limit of the program is exceeded")                                                         \
    X(JN_ERR_MISSING, -12, "this build leaves out the library needed")

/* What a call returns: the values of JN_STATUS_LIST. */
typedef enum jn_status {
#define JN_STATUS_VALUE(name, value, text) name = value,
    JN_STATUS_LIST(JN_STATUS_VALUE)
#undef JN_STATUS_VALUE
} jn_status;

/* The text of a status, and the version of the library as "0.2.0". */
JN_API const char *jn_status_text(int status);
JN_API const char *jn_version(void);

/* Where something was written. file is "" and line 0 for what was made by a program. */
typedef struct jn_where {
    const char *file;
    int line, column; /* both count from 1 */
} jn_where;

/* How much a message weighs: with an error there is no result. */
typedef enum jn_severity { JN_SEVERITY_NOTE, JN_SEVERITY_WARNING, JN_SEVERITY_ERROR } jn_severity;

/* One message: what is wrong and where, and what to write instead. Plain data, no ownership. */
typedef struct jn_error {
    jn_severity severity;
    int status;       /* jn_status */
    char file[256];   /* "" if none */
    int line, column; /* 0 if none */
    char path[128];   /* place in the model, as "joints.pin.between[1]" */
    char text[512];   /* what is wrong */
    char hint[384];   /* what to write instead; "" if none */
} jn_error;

/* The messages of one call. What is beyond the capacity is counted, not kept; an error then takes the place of the last remark. */
enum { JN_REPORT_CAPACITY = 24 };
typedef struct jn_report {
    int count; /* messages kept */
    int errors, warnings;
    jn_error item[JN_REPORT_CAPACITY];
} jn_report;

/* Takes all messages out. */
JN_API void jn_report_clear(jn_report *report);

/* Lets compilers check the arguments of a function that takes a format. */
#if defined(__GNUC__)
#define JN_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#else
#define JN_PRINTF(format_at, args_at)
#endif

/* Adds a message and returns its status. path and hint may be NULL; report may be NULL. The hint follows the text
 * in the format after a '\n': "no body 'rodd'\nwrite 'rod' (line 7)". */
JN_API int jn_report_add(jn_report *report, jn_severity severity, int status, jn_where where, const char *path,
                         const char *format, ...) JN_PRINTF(6, 7);

/* The first error as "file:line:column: text (hint)". Writes at most size bytes. */
JN_API void jn_error_format(const jn_error *error, char *buffer, size_t size);

/* Value with its first and second derivative in time. */
typedef struct jn_jet {
    double v, d, dd;
} jn_jet;

/* Functions of time and state, compiled from expressions. The variables a program may read: */
enum {
    JN_VAR_T,     /* time */
    JN_VAR_X,     /* deformation of the spring or coordinate of the joint that owns the function */
    JN_VAR_V,     /* its rate */
    JN_VAR_SIGNAL /* first of the joint coordinates that the model's functions refer to */
};

/* One instruction of a compiled expression. */
typedef struct jn_instr {
    uint16_t op;
    uint16_t args; /* number of arguments taken from the stack */
    int32_t index; /* variable, table, or jump target */
    double number; /* constant */
} jn_instr;

/* A compiled expression: a flat program for a small stack machine. length 0 means "not given". */
typedef struct jn_function {
    const jn_instr *code;
    int length;
} jn_function;

/* Interpolation table, x ascending: cubic spline through (x, y) with second derivatives ydd at the knots. */
typedef struct jn_table {
    const char *name;
    int count;
    const double *x, *y, *ydd;
    bool periodic; /* the last point is the first one of the next round */
} jn_table;

/* Numbers that an expression may have on its stack. */
enum { JN_FUNCTION_STACK = 64 };

/* Whether there is a function, and whether it gives the same number always. */
static inline bool jn_function_given(jn_function function) { return function.length > 0; }
JN_API bool jn_function_is_constant(jn_function function);
/* var has the model's number of variables. No allocation. */
JN_API double jn_function_value(jn_function function, const jn_table *tables, const double *var);
JN_API jn_jet jn_function_jet(jn_function function, const jn_table *tables, const jn_jet *var);
/* Its derivative with respect to one of them. */
JN_API double jn_function_slope(jn_function function, const jn_table *tables, const double *var, int by);

#ifdef __cplusplus
}
#endif

#endif

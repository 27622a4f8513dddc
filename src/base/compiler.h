/* State of one compilation, shared by the scanner (compiler.c) and the grammar (expression.c). */
#ifndef JN_BASE_COMPILER_H
#define JN_BASE_COMPILER_H

#include "base/expression.h"
#include "base/program.h"

enum { JN_COMPILER_DEEPEST = 60, JN_COMPILER_NAME = 127, JN_COMPILER_SMALL = 48 };

typedef struct jn_compiler {
    const char *text, *p;
    const jn_scope *scope;
    jn_fault *fault;
    jn_instr *code; /* small, or on the heap when longer */
    int length, capacity;
    int floor; /* instructions before this one are the target or the body of a jump: not to be folded */
    int depth; /* nesting of the text */
    int stack; /* values on the stack at run time, so far */
    jn_instr small[JN_COMPILER_SMALL];
} jn_compiler;

/* Notes a fault at a place of the text; "\n" in the format starts the hint. Always false. */
bool jn_fault_at(jn_compiler *c, const char *at, const char *format, ...) JN_PRINTF(3, 4);
/* Sets the place of a fault that a rule of dimensions has noted. */
bool jn_fault_here(jn_compiler *c, const char *at, bool fine);
bool jn_fault_memory(jn_compiler *c);

/* Appends an instruction; push: one that leaves a value on the stack. */
bool jn_emit(jn_compiler *c, const char *at, jn_instr in);
bool jn_emit_push(jn_compiler *c, const char *at, jn_instr in);
/* Applies an operation to the last n values; computes it at once if all of them are constants. */
bool jn_emit_apply(jn_compiler *c, const char *at, jn_op op, int n);
/* Is the code from start on one constant? */
bool jn_constant_since(const jn_compiler *c, int start, double *value);

void jn_scan_blanks(jn_compiler *c);
/* Takes the sign if it stands next. */
bool jn_scan_sign(jn_compiler *c, const char *sign);
bool jn_scan_letter(char ch); /* can it begin a name? */
/* A name of letters, digits and '_' into out (JN_COMPILER_NAME + 1 bytes). */
bool jn_scan_name(jn_compiler *c, char *out);
/* Continues a name with ".NAME.q2" of a channel; the middle name may hold '-'. */
bool jn_scan_channel(jn_compiler *c, char *out);
bool jn_scan_is_number(const char *p);
/* A number and the unit behind it, if any: pushes the constant. */
bool jn_scan_quantity(jn_compiler *c, jn_type *type);

#endif

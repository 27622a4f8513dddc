/* What a document learns when it is described for the first time, so that later descriptions with other values of the same names need
 * not read it again: numbers that do not depend on those values, programs for numbers that do, and the parameters. */
#ifndef JN_DESCRIPTION_READ_MEMO_H
#define JN_DESCRIPTION_READ_MEMO_H

#include "description/read/reader.h"

/* Parameters of a document: those that are the same in all descriptions have their values. */
typedef struct jn_known_parameters {
    int count;
    jn_names names;
    jn_parameter *item;        /* (count) */
    jn_parameter_desc *listed; /* (count) as the description lists them */
    double *value;             /* (count) NAN: no number, or not the same in all descriptions */
    int *varied, varied_count; /* the others, each behind those that it depends on */
} jn_known_parameters;

/* Learns with these values given; they must live until jn_memo_finish. NULL: no memory. */
jn_memo *jn_memo_create(const jn_given *given, int count);
void jn_memo_finish(jn_memo *memo);
void jn_memo_free(jn_memo *memo);

/* Notes that a parameter that is not the same in all descriptions has been computed. */
bool jn_memo_note_varied(jn_memo *memo, int parameter);
/* Keeps the parameters of the reader, with what the description lists. False: no memory. */
bool jn_memo_keep_parameters(jn_memo *memo, const jn_reader *r, int count);
const jn_known_parameters *jn_memo_parameters(const jn_memo *memo);

/* A number that is the same in all descriptions, or that follows from the parameters by a program. False: it must be read. */
bool jn_memo_find(const jn_memo *memo, const jn_node *node, jn_measure measure, const double *value,
                  jn_expression *out);
/* Keeps a constant. */
void jn_memo_keep(jn_memo *memo, const jn_node *node, jn_measure measure, const jn_expression *number);
/* Keeps a number as a program of parameters; false: it has none. The compiler asks for parameters by jn_memo_programs. */
bool jn_memo_keep_program(jn_memo *memo, jn_reader *r, const jn_node *node, jn_measure measure);

/* The value given from outside that the node is; NULL: none. */
const jn_given *jn_given_find(const jn_given *given, int count, const jn_node *node);
const jn_given *jn_memo_given(const jn_memo *memo, const jn_node *node);

#endif

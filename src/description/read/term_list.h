/* Sums of joint coordinates, as couplers and tendons have them. */
#ifndef JN_DESCRIPTION_READ_TERM_LIST_H
#define JN_DESCRIPTION_READ_TERM_LIST_H

#include "description/read/reader.h"

/* A sum of factor * coordinate while it is read: the lists of a coupler or of a tendon. */
typedef struct jn_term_list {
    int *count, *joint, *coordinate;
    double *factor;
    double (*power)[3]; /* of x^2, x^3, x^4; NULL: none */
    int most;
    const char *what; /* "a coupler" */
} jn_term_list;

/* A map from joints to factors. */
bool jn_read_terms(jn_reader *r, const jn_node *node, const jn_term_list *t);

#endif

/* A problem that owns its memory. */
#ifndef JN_REACTION_PROBLEM_PROBLEM_DATA_H
#define JN_REACTION_PROBLEM_PROBLEM_DATA_H

#include "base/store.h"
#include "reaction/problem/problem.h"

struct jn_problem_data {
    jn_problem problem;
    jn_blocks W;
    jn_contact_rows H, Y;
    jn_store *store;
};

/* Empty, with a store; NULL if there is no memory. */
jn_problem_data *jn_problem_data_create(void);
/* W from entries of an n x n matrix into the data's own store, the blocks of the diagonal always there. O(entries log). */
int jn_problem_data_set_blocks(jn_problem_data *data, const jn_entries *W);
/* The same with bilateral rows in the local form, which are eliminated: u = W p + V l + q, V^T p + R l + s = 0 makes
 * W - V R^-1 V^T and q - V R^-1 s. Redundant rows are found by pivoting. data holds q. Dense in the contacts that V touches. */
int jn_problem_data_set_bilateral(jn_problem_data *data, const jn_entries *W, const jn_entries *V, const jn_entries *R,
                                  const double *s);

#endif

/* Islands of a contact problem as problems of their own. */
#ifndef JN_REACTION_SOLVERS_ISLAND_COPIES_H
#define JN_REACTION_SOLVERS_ISLAND_COPIES_H

#include "reaction/problem/problem.h"

/* The problem sorted by islands: contacts and velocities of one island follow each other. */
typedef struct jn_island_copies {
    int count, contacts;    /* islands; contacts of all of them */
    bool *in;               /* (contacts of the problem) whether they take part; jn_problem_islands_among */
    int *of, *work;         /* (contacts of the problem) -1: takes no part; (contacts + velocities) */
    int *first, *first_dof; /* (count + 1) contacts and velocities before an island */
    int *order, *place;     /* (contacts) old number of a new one, and the reverse */
    int *dof;               /* (velocities) new number in its island */
    double *q, *mu, *p;     /* (n), (contacts), (n) */
    double *compliance;     /* (contacts) */
    int *w_start, *w_column, *h_start, *h_dof, *y_start,
        *y_dof; /* starts (contacts + count), counted from the island's own */
    double *w_value, *h_value, *y_value;
    double *whole_q, *whole_p; /* (n) of one island in the place of all */
    double *hold;              /* (n) */
    jn_solve_result *result;   /* (contacts) of islands; no solver: not solved */
} jn_island_copies;

/* Entries of W, H and Y that islands before one have. */
typedef struct jn_island_entries {
    size_t w, h, y;
} jn_island_entries;

/* One island; its members point to each other: it stays where it is. */
typedef struct jn_island_copy {
    jn_problem problem;
    jn_blocks W;
    jn_contact_rows H, Y;
} jn_island_copy;

void jn_island_copies_layout(jn_island_copies *s, const jn_problem *problem, jn_scratch *m);
/* Sorts the contacts by their islands s->of, each island in the order of the problem; p (n): the guess. */
void jn_island_copies_sort(jn_island_copies *s, const jn_problem *problem, const double *p);
/* Adds those of island k. */
void jn_island_entries_add(const jn_island_copies *s, const jn_problem *problem, int k, jn_island_entries *before);
/* Copies the rows of island k, behind those of the islands before it; islands may be copied at the same time. Its residual refers to a share of `norm`, that of the whole problem, so that islands that meet
 * the tolerance make a whole that meets it. */
void jn_island_copy_take(jn_island_copies *s, const jn_problem *problem, int k, const jn_island_entries *before,
                         double norm, jn_island_copy *out);

#endif

/* The velocities that many contacts of free bodies share, six of each body: rows of the contacts as they stand, and Newton's matrix over the bodies, sparse. */
#ifndef JN_REACTION_SOLVERS_SHARED_BODIES_H
#define JN_REACTION_SOLVERS_SHARED_BODIES_H

#include "reaction/problem/scaled_problem.h"

enum {
    JN_SHARED_BODIES = 2048
}; /* bodies at most: their order of elimination takes time with the square of their number */

typedef struct jn_bodies {
    const jn_problem *problem;
    int count;           /* bodies that contacts have */
    int *place;          /* (velocities/6 + 1) of the problem's bodies among them, or -1 */
    int *body;           /* (2 contacts) of a contact, in the order of its rows; -1: it has one alone */
    int *first, *of;     /* (count + 1), (2 contacts) contacts by bodies */
    int *start, *column; /* (count + 1), (room) pattern of the matrix by rows */
    int *block;          /* (4 contacts) blocks that a contact has a part in: its bodies times its bodies */
    int room;            /* blocks of the matrix */
    double *K;           /* (room x 36) 1 + Y^T C H */
    jn_block_lu lu;
} jn_bodies;

/* Contacts in space of one or two free bodies each, given by rows. */
bool jn_bodies_suit(const jn_problem *problem);
void jn_bodies_layout(const jn_problem *problem, jn_scratch *m, jn_bodies *s);
/* Numbers the bodies, finds the pattern and its order. False: they are too many, or the factors have no room. */
bool jn_bodies_start(jn_bodies *s);
/* v (6 count) = Y^T p, u (n) = H v. O(contacts) */
void jn_bodies_scatter(const jn_bodies *s, const double *p, double *v);
void jn_bodies_gather(const jn_bodies *s, const double *v, double *u);
/* Factors of 1 + Y^T C H with C (contacts x 3 x 3); false where there are none. */
bool jn_bodies_factor(jn_bodies *s, const double *C);
/* x (6 count) becomes (1 + Y^T C H)^-1 x. */
void jn_bodies_solve(jn_bodies *s, double *x);

#endif

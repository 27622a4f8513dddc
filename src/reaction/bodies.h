/* The contact problem seen from the velocities: blocks of up to six velocities that always go together, and the matrix
 * 1 + Y^T C H over them, for solvers whose unknowns are velocities. */
#ifndef JN_REACTION_BODIES_H
#define JN_REACTION_BODIES_H

#include "reaction/scaled.h"

typedef struct jn_bodies {
    const jn_problem *problem;
    int d, size;          /* of a contact; of a block, 3 or 6 */
    int count;            /* blocks */
    int room, pairs_room; /* entries, pairs */
    int *block, *within;  /* (velocities) block of each, place in it */
    int *start, *touched; /* (contacts + 1), (entries) blocks of each contact */
    double *H, *Y;        /* (entries x d x size) */
    int *pair_start,
        *pair;          /* (contacts + 1), (pairs) where the product of two blocks of a contact stands in the matrix */
    int *by_start, *by; /* (blocks + 1), (entries) contacts of each block */
    int *mark;          /* (blocks) */
    jn_scaled matrix;   /* start, column, W as jn_block_lu reads them */
    jn_block_lu lu;
} jn_bodies;

/* Takes room for a problem with rows. */
void jn_bodies_layout(const jn_problem *problem, jn_scratch *s, jn_bodies *bodies);
/* Blocks, pattern and order of elimination. JN_ERR_LIMIT where the room does not do. O(entries + fill). */
int jn_bodies_start(jn_bodies *bodies);
/* Factors 1 + Y^T C H; C (contacts x d x d). */
int jn_bodies_factor(jn_bodies *bodies, const double *C);
/* x (count x size) = Y^T p; u = H x. */
void jn_bodies_scatter(const jn_bodies *bodies, const double *p, double *x);
void jn_bodies_gather(const jn_bodies *bodies, const double *x, double *u);

#endif

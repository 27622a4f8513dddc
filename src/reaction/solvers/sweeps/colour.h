/* Contacts that do not touch each other's velocities may be visited in any order, so several at a time. */
#ifndef JN_REACTION_SOLVERS_COLOUR_H
#define JN_REACTION_SOLVERS_COLOUR_H

#include <jounce/reaction.h>

enum { JN_COLOURS = 65 }; /* the last takes what found no other, one after the other */

typedef struct jn_colouring {
    int count;                 /* colours in use, the last one included */
    int first[JN_COLOURS + 1]; /* place of the first contact of each */
    int *order;                /* (contacts) */
} jn_colouring;

/* Greedy in the order of the contacts, by shared velocities. order (contacts), colour (contacts), mask (velocities).
 * O(entries). */
void jn_colour_contacts(const jn_problem *problem, int *colour, uint64_t *mask, jn_colouring *out);

#endif

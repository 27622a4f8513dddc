/* Parts of a model that know nothing of each other as long as contacts push with constant loads: their derivatives can be
 * taken by differences in all of them at once. */
#ifndef JN_STEP_PARTS_H
#define JN_STEP_PARTS_H

#include "model/model.h"

typedef struct jn_parts {
    int powered;       /* the one part with springs, forces, drivers and the like; -1: none */
    int count, widest; /* parts; coordinates and velocities of the largest */
    int *of;           /* (nq + nv) part of each entry of (q, u) */
    int *start;        /* (count + 1) */
    int *member;       /* (nq + nv) entries of (q, u), part by part */
} jn_parts;

/* NULL: out of memory. Links are of one part if a joint, spring, bushing, force or constraint lies between them; all are if
 * couplers or functions of signals reach across. All that takes or gives power is one part, so that powers can be told apart. O(links + elements). */
jn_parts *jn_parts_create(const jn_model *m);
void jn_parts_free(jn_parts *parts);

#endif

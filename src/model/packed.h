/* Vectors in blocks of neighbours, for searches in one direction: the boxes about the blocks tell which of them need not be looked at. */
#ifndef JN_MODEL_PACKED_H
#define JN_MODEL_PACKED_H

#include "algebra/vec3.h"
#include <stdint.h>

enum { JN_PACKED_BLOCK = 16 }; /* vectors of a block */

/* The last block has its last vector again where there are fewer, arrays of boxes have the last box again up to a multiple of JN_PACKED_LANES. */
enum { JN_PACKED_LANES = 4 };
typedef struct jn_packed {
    int count, blocks;
    int64_t *place; /* (16 blocks) number of a vector */
    double *value;  /* (blocks x 3 x 16) x of a block, y, z */
    double *box;    /* (6 x jn_packed_pitch) centres, then half extents of the boxes: x of all, y of all, z of all */
} jn_packed;

static inline int jn_packed_blocks(int count) { return (count + JN_PACKED_BLOCK - 1) / JN_PACKED_BLOCK; }
static inline int jn_packed_pitch(int blocks) {
    return (blocks + JN_PACKED_LANES - 1) / JN_PACKED_LANES * JN_PACKED_LANES;
}

/* Fills the arrays of packed; count, blocks and memory are there. order (count): scratch. O(count log^2 count) */
typedef struct jn_packed_key {
    double key;
    int place;
} jn_packed_key;
void jn_packed_fill(jn_packed *packed, const jn_vec3 *v, jn_packed_key *order);

#endif

/* Collisions of method impact, kept as they happen. */
#ifndef JN_TRACE_IMPACTS_H
#define JN_TRACE_IMPACTS_H

#include "trace/result.h"

enum {
    JN_IMPACT_WIDTH = 32,   /* contacts of an impact whose path is kept */
    JN_IMPACTS_MOST = 20000 /* impacts that are kept of a run */
};

/* States of the current impact, until it is reported. */
typedef struct jn_impact_path {
    int count, capacity, contacts, dimension;
    jn_impact_state *state;
    double *v;
    size_t room; /* doubles in v */
} jn_impact_path;

typedef struct jn_impact_keeper {
    const jn_model *model;
    jn_result *result;
    long capacity;
    jn_impact_path path;
} jn_impact_keeper;

void jn_impact_keep_state(void *keeper, const jn_impact_sample *sample);
void jn_impact_keep_one(void *keeper, const jn_impact_report *impact);
void jn_impact_keeper_end(jn_impact_keeper *keeper);

/* Hands out the arrays of one block, or measures it (base NULL). */
size_t jn_impact_lay_out(jn_impact_kept *kept, char *base);
/* All that are kept, as bytes of a checkpoint: their number; written to `to` unless that is NULL. And back, into a keeper that has none yet:
 * JN_OK, JN_ERR_MEMORY, or JN_ERR_IO if they are not what a run of this model keeps. */
size_t jn_impacts_pack(const jn_result *result, unsigned char *to);
int jn_impacts_unpack(jn_impact_keeper *keeper, const unsigned char *bytes, size_t size, uint64_t count);

#endif

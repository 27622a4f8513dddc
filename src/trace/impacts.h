/* Collisions of method impact, kept as they happen. */
#ifndef JN_TRACE_IMPACTS_H
#define JN_TRACE_IMPACTS_H

#include "trace/result.h"

enum { JN_IMPACT_WIDTH = 32 }; /* contacts of an impact whose path is kept */

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

#endif

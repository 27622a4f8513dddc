/* Looking between two steps of a simulation, which is put back as it was, to the last bit. */
#ifndef JN_STEP_BETWEEN_STEPS_H
#define JN_STEP_BETWEEN_STEPS_H

#include <jounce/step.h>

typedef struct jn_look {
    jn_state *before, *after; /* ends of the last step */
    void *detection;          /* what the narrow phase found at its end; NULL: not needed */
    long events;              /* before the step */
} jn_look;

int jn_look_create(const jn_sim *sim, jn_look *look); /* JN_OK or JN_ERR_MEMORY; free it in both cases */
void jn_look_free(jn_look *look);
/* Before each step. */
void jn_look_step(const jn_sim *sim, jn_look *look);
/* Brings the simulation to a time within the last step, for jn_observe and nothing else; and back. */
void jn_look_at(jn_sim *sim, jn_look *look, double t);
void jn_look_back(jn_sim *sim, jn_look *look);

#endif

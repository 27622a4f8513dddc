/* The state that `jounce eval` looks at. */
#ifndef JN_CLI_EVAL_H
#define JN_CLI_EVAL_H

#include "cli.h"

typedef struct eval_state {
    const jn_model *model;
    jn_work *work;
    jn_state *state;
    double *tau, *a;  /* (nv) added forces; accelerations for inverse dynamics. NULL if not given */
    bool derivatives; /* wanted too */
    bool linearise;   /* and the linear model about the state */
    int actuators;    /* for inverse dynamics; -1: not asked */
    int *actuated;    /* (actuators) velocities */
    double *weight;   /* (actuators) */
    jn_sim *sim;      /* whose work and state the above are, where there are contacts; else NULL */
} eval_state;

/* Compliant contacts push at the state as if they had just begun; does nothing where there are none. False: see the report. */
bool eval_contacts_begin(eval_state *state, jn_report *report);
/* The state of a file, "-" for the standard input, NULL for the assembled initial state. False: see the report. */
bool eval_state_read(eval_state *out, const jn_model *model, const char *path, jn_report *report);
void eval_state_free(eval_state *state);

#endif

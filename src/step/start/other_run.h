/* run.start: FOLDER @ TIME. A simulation begins where another run was. */
#ifndef JN_STEP_START_OTHER_RUN_H
#define JN_STEP_START_OTHER_RUN_H

#include "step/sim.h"

/* What a folder has of that instant: a whole simulation of the same motion, or else positions and velocities of bodies in its records. */
typedef struct jn_other_run {
    char folder[2048], path[2100]; /* of the file */
    double time;                   /* [s] */
    unsigned char *bytes;          /* of the simulation; NULL: none that fits */
    const unsigned char *simulation;
    size_t size;
    long long records; /* handle of result.h5 */
    long row;          /* the last one that is not behind the time */
    double part;       /* how far towards the next row, 0 to 1 */
    double interval;   /* [s] between the two */
} jn_other_run;

/* Finds what there is; does nothing for a model that begins as drawn. */
int jn_other_run_open(jn_sim *sim, jn_other_run *other, jn_report *report);
/* From records: moves the state to positions and velocities of the bodies of the same names, onto the joints of this model. */
int jn_other_run_place(jn_sim *sim, const jn_other_run *other, jn_report *report);
/* From a whole simulation: goes on with its bits. */
int jn_other_run_restore(jn_sim *sim, const jn_other_run *other, jn_report *report);
void jn_other_run_close(jn_other_run *other);

#endif

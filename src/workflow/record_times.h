/* The times at which a run records. */
#ifndef JN_WORKFLOW_RECORD_TIMES_H
#define JN_WORKFLOW_RECORD_TIMES_H

#include <jounce/trace.h>

typedef struct jn_grid {
    long count;
    double *time; /* (count) ascending, from the start to the end of the run */
    int stride;   /* steps of a fixed-step integrator per row, 1 unless the series was thinned */
} jn_grid;

/* Rows at multiples of record.every, at the end and at the times of the expect rows. Without record.every: every step
 * of a fixed-step integrator, 1000 intervals else, and in both cases no more than fit (see docs/trace.md). */
int jn_grid_create(const jn_model *model, double start, int channels, jn_grid *grid, jn_report *report);
void jn_grid_free(jn_grid *grid);

#endif

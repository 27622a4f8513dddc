/* What moves, for drawing, and the rows of a run that is still going on: motion.bin and live.bin. */
#ifndef JN_TRACE_PLAYBACK_H
#define JN_TRACE_PLAYBACK_H

#include "trace/result.h"
#include <stdio.h>

/* motion.bin, little-endian: "JNMOTN1\n", u32 bodies, u32 contact rows; then frames in the order of time:
 *   u32 contacts, u32 row of the series, f64 time [s],
 *   f32 x y z qw qx qy qz of every body's link frame [m],
 *   for each contact u32 row, f32 x y z [m], f32 fx fy fz [N] on the second body.
 * live.bin exists while a run goes on: "JNLIVE1\n", u32 channels, u32 bytes of the names, then names and units, each with its
 * zero, padded to a multiple of 8; then rows of f64 as in the series. */
typedef struct jn_playback {
    const jn_model *model;
    const char *folder;    /* NULL: nothing is kept */
    long every;            /* rows per frame */
    unsigned char *buffer; /* frames that are not yet in the file */
    size_t length, capacity;
    FILE *motion, *live;
    size_t written; /* bytes in motion.bin */
    long rows_live; /* rows already in live.bin */
    double last;    /* [s] wall clock of the last look at the files */
    int error;      /* errno of the first failure, 0: none; no frame is kept after it */
} jn_playback;

/* rows: how many the run is going to record. Writes scene.json. */
int jn_playback_create(jn_playback *p, const jn_model *model, const char *folder, long rows, jn_report *report);
/* After a row was recorded: a frame now and then; twice a second what there is goes into the files. */
void jn_playback_row(jn_playback *p, const jn_sim *sim, const jn_result *result, bool last);
/* Writes the frames so far; bytes of motion.bin then. Goes on behind as many bytes of the one that is there. */
size_t jn_playback_flush(jn_playback *p);
int jn_playback_go_on(jn_playback *p, size_t bytes, jn_report *report);
/* Ends motion.bin, and removes live.bin. */
int jn_playback_finish(jn_playback *p, jn_report *report);
void jn_playback_free(jn_playback *p);

#endif

/* Limits of what a run may start with, each with its unit and the reason for its size. */
#ifndef JN_STEP_START_START_TOLERANCES_H
#define JN_STEP_START_START_TOLERANCES_H

#define JN_DRAWN_OVERLAP 1e-6    /* [m] bodies may be drawn in contact to the digits that people write */
#define JN_LIFT_STEP 1e-3        /* [m] what is drawn in the ground rises by its depth there, at most by this: it ends no farther above it */
#define JN_LIFT_DOWN 0.5         /* cosine: normals that point further down push a body down */
#define JN_LIFT_MOST 10          /* times its depth: what would have to rise further stands beside a wall */
#define JN_LIFT_ROUNDS 2000      /* so 2 m at most */
#define JN_RANGE_START_MOST 1e50 /* of a mass, place, speed, spin in SI: squares of products of three stay finite */
#define JN_RANGE_RUN_MOST 1e100  /* of a coordinate or velocity in SI while the run goes on: its square is finite */
#define JN_RANGE_COARSE_REL 1e-3 /* of a body's size: places are known better than that */
#define JN_RANGE_TURN_MOST 1e8   /* [rad] until the end: steps that resolve more than that do not come to an end */

#endif

/* What a simulation has read of a checkpoint, looked through before it is used. */
#ifndef JN_STEP_CHECKPOINT_CHECK_H
#define JN_STEP_CHECKPOINT_CHECK_H

#include "step/sim.h"

/* False: an index, a truth value or a number is none. O(state) */
bool jn_checkpoint_fits(const jn_sim *sim);

#endif

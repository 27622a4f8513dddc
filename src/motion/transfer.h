/* From the motion of the bodies back to coordinates. */
#ifndef JN_MOTION_TRANSFER_H
#define JN_MOTION_TRANSFER_H

#include "motion/work.h"

/* Sets the state of `to` (its bodies the same as those of `from`) to the poses and velocities in `from_work`. Joint
 * coordinates are measured; what the joints of `to` cannot follow is dropped. Needs jn_kinematics(from). */
void jn_transfer(const jn_model *from, const jn_work *from_work, const jn_model *to, jn_work *to_work, jn_state *state);

#endif

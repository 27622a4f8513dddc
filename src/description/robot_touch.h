/* What of a robot may touch what, and the floor that it falls on. */
#ifndef JN_DESCRIPTION_ROBOT_TOUCH_H
#define JN_DESCRIPTION_ROBOT_TOUCH_H

#include "description/robot.h"

/* Adds the floor if there should be one, and the pairs of neighbours that never touch. False: out of memory. */
bool jn_robot_touching(jn_robot *b);

#endif

/* What of a robot may touch what, and the floor that it falls on. */
#ifndef JN_DESCRIPTION_ROBOT_ROBOT_CONTACT_PAIRS_H
#define JN_DESCRIPTION_ROBOT_ROBOT_CONTACT_PAIRS_H

#include "description/robot/robot.h"

/* Adds the floor if there should be one, and the pairs of neighbours that never touch. False: out of memory. */
bool jn_robot_contact_pairs(jn_robot *b);

#endif

/* Facts of the joint types that depend on whether the model is planar. */
#ifndef JN_DESCRIPTION_JOINT_INFO_H
#define JN_DESCRIPTION_JOINT_INFO_H

#include <jounce/description.h>

#define JN_FRICTION_SPEED 1e-3 /* [m/s] or [rad/s] default of friction_speed: slow against the speeds of machines */

/* Number of velocities (and of entries in jn_joint_desc.coordinate) as a tree joint; -1: not in a plane. */
int jn_joint_velocities(jn_joint_type type, bool planar);
/* Is velocity k that of an angle? */
bool jn_joint_is_angular(jn_joint_type type, bool planar, int k);
/* Is coordinate k a plain number whose rate is velocity k? False for rotations kept as quaternions. */
bool jn_joint_is_scalar(jn_joint_type type, bool planar, int k);

/* A joint with clearance: contact instead of a constraint. */
bool jn_joint_has_clearance(jn_joint_type type);
/* What a joint with clearance is without it; others are what they are. */
jn_joint_type jn_joint_ideal(jn_joint_type type);

#endif

/* Sizes that make metres and radians comparable. */
#ifndef JN_STUDY_MODEL_SCALE_H
#define JN_STUDY_MODEL_SCALE_H

#include "motion/work.h"

/* Largest motion of any body in the work space's velocities: angular velocity, or velocity of its centre over `length`.
 * Needs jn_kinematics. O(n). */
double jn_study_speed(const jn_model *m, const jn_work *w, double length);
/* Size of a pair of wrenches at the origins of two links, with forces as 1 and moments as 1/length. */
double jn_study_pair_size(const jn_work *w, int link_A, jn_wrench A, int link_B, jn_wrench B, double length);
/* The joint that moves most in the velocities u at the state, -1 if none does. Leaves jn_kinematics of u. O(n). */
int jn_study_fastest_joint(const jn_model *m, jn_work *w, const jn_state *s, double *u, double length);

#endif

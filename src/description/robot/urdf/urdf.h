/* Parts of a URDF file that have no part in the tree. */
#ifndef JN_DESCRIPTION_ROBOT_URDF_H
#define JN_DESCRIPTION_ROBOT_URDF_H

#include "description/robot/robot.h"

const char *jn_urdf_name(const jn_xml *e);
/* <origin> of an element; without one, no offset. */
bool jn_urdf_origin(jn_robot *b, const jn_xml *e, jn_vec3 *at, jn_quat *q);
/* Mass, centre of mass and inertia of a link. */
bool jn_urdf_inertial(jn_robot *b, const jn_xml *link, jn_robot_body *body);
/* Collision shapes of a link, for a body of the robot; -1: the ground. */
bool jn_urdf_collisions(jn_robot *b, const jn_xml *link, int body);
/* Tells of elements that are not of URDF. */
void jn_urdf_look_for_others(jn_robot *b, const jn_xml *e);

#endif

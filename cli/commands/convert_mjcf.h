/* The parts of a MJCF file. */
#ifndef JN_CLI_CONVERT_MJCF_H
#define JN_CLI_CONVERT_MJCF_H

#include "commands/command_convert.h"
#include "commands/convert_robot.h"

/* Meshes and height fields. */
void convert_mjcf_assets(converter *c);
/* Loops and couplers as equalities, tendons, actuators, excluded contacts, the state at the start. */
void convert_mjcf_sections(converter *c);

/* convert_mjcf_drives.c: tendons, actuators and sensors; sites and geoms on a body that they need. */
void convert_mjcf_tendons(converter *c);
void convert_mjcf_actuators(converter *c);
void convert_mjcf_sensors(converter *c);
void convert_mjcf_places(converter *c, int body, int indent);
void convert_mjcf_zones(converter *c, int body, int indent);
void convert_mjcf_form(converter *c, int point); /* of a point's site, where a sensor has a zone about it */
/* actuatorfrcrange of a joint or tendon whose actuators together stay within a range. */
void convert_force_range(converter *c, jn_actuator_on on, int index);
/* The tendon that is the range of a ball joint, as the reader of MJCF makes it; NULL: it turns without end. */
const jn_tendon_desc *convert_cone(const converter *c, const jn_joint_desc *j);
bool convert_is_cone_point(const converter *c, const char *name); /* which the reader makes with it */
bool convert_has_one_coordinate(const jn_joint_desc *j);
/* A coupler of three joints or more, which MJCF holds over a tendon. */
bool convert_is_long(const jn_coupler_desc *k);

#endif

/* The parts of a MJCF file. */
#ifndef JN_CLI_CONVERT_MJCF_H
#define JN_CLI_CONVERT_MJCF_H

#include "commands/command_convert.h"
#include "commands/convert_robot.h"

/* Meshes and height fields. */
void convert_mjcf_assets(converter *c);
/* Loops and couplers as equalities, tendons, actuators, excluded contacts, the state at the start. */
void convert_mjcf_sections(converter *c);

#endif

/* Models in formats of others. */
#ifndef JN_CLI_CONVERT_H
#define JN_CLI_CONVERT_H

#include "cli.h"

/* Exit status; what URDF cannot hold is reported by name and nothing is written. */
int cli_write_urdf(const jn_description *description, const char *path);

#endif

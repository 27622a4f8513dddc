/* Models in formats of others. */
#ifndef JN_CLI_CONVERT_H
#define JN_CLI_CONVERT_H

#include "cli.h"

/* Exit status; what the format cannot hold is reported by name and nothing is written, or, if lenient, it is left out. */
int cli_write_urdf(const jn_description *description, const char *path, bool lenient);
int cli_write_mjcf(const jn_description *description, const char *path, bool lenient);
int cli_write_sdf(const jn_description *description, const char *path, bool lenient);

#endif

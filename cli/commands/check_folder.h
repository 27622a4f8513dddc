/* jounce check --all: every robot's file of a folder, in one table. */
#ifndef JN_CLI_CHECK_FOLDER_H
#define JN_CLI_CHECK_FOLDER_H

#include "cli.h"

/* Reads each URDF and MJCF file below the folder as it is, lets it fall onto a floor for 3 s (unless the settings say otherwise), and
 * prints a table in Markdown. CLI_FINE if every file that loads ends with a good audit. */
int cli_check_folder(const char *folder, const cli_arguments *arguments);

#endif

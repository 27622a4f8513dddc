/* Curves of contact laws. */
#ifndef JN_CLI_CURVE_H
#define JN_CLI_CURVE_H

#include "cli.h"

/* Force over indentation in one collision, and its numbers. Exit status. */
int cli_curve_normal(const jn_normal_info *info, const cli_arguments *arguments);
/* Coefficient over slip speed. */
int cli_curve_friction(const jn_friction_info *info, const cli_arguments *arguments);

#endif

/* jounce run --converge: what the step does to the result. */
#ifndef JN_CLI_RUN_CONVERGE_H
#define JN_CLI_RUN_CONVERGE_H

#include "cli.h"

/* The run again with shorter steps: order, limit, error and advice, on the standard output, in summary.json and as a study in converge.yaml, both in the
 * folder. CLI_FINE, or CLI_FAILED where nothing can be said. */
int cli_run_converge(const cli_arguments *arguments, const jn_model *model, const char *folder);

#endif

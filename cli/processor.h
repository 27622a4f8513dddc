/* The command for the processor at hand. */
#ifndef JN_CLI_PROCESSOR_H
#define JN_CLI_PROCESSOR_H

/* Goes on as a faster build of the same command, if the package has one that this processor can run; else returns. */
void cli_take_processor(char **argv);

#endif

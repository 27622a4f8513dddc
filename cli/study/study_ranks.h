/* Whether mpirun has started the command, and the component that speaks MPI. */
#ifndef JN_CLI_STUDY_RANKS_H
#define JN_CLI_STUDY_RANKS_H

#include "workflow/study/transport.h"
#include <stdbool.h>

/* Ranks that mpirun, mpiexec or srun say there are; 1: none of them has started this process. */
int study_ranks_expected(void);
/* NULL: the component is missing or does not start; a message is printed. */
jn_transport *study_ranks_start(void);
void study_ranks_stop(jn_transport *transport);

#endif

/* A study on several processes. */
#ifndef JN_WORKFLOW_STUDY_RANKS_H
#define JN_WORKFLOW_STUDY_RANKS_H

#include "workflow/study/perform.h"
#include "workflow/study/transport.h"

/* jn_study_perform on all processes of the transport: rank 0 keeps the journal and the table and hands out tasks, to its own threads
 * too; the others run what they are given. Each has options->threads. The bits are those of one thread. On ranks other than 0 the table
 * stays empty. */
int jn_study_perform_ranks(jn_study *study, const jn_study_options *options, jn_transport *transport,
                           jn_report *report);
/* For a rank that cannot take part: the others end. */
void jn_study_ranks_fail(jn_transport *transport);

#endif

/* The key run.start. */
#ifndef JN_DESCRIPTION_READ_READ_START_H
#define JN_DESCRIPTION_READ_READ_START_H

#include "description/read/reader.h"

/* drawn, ideal, "FOLDER @ TIME" or "FOLDER/" into a jn_run_desc. */
bool jn_read_start(jn_reader *r, const jn_node *node, void *run);

#endif

/* Which runs have the same motion. */
#ifndef JN_DESCRIPTION_YAML_MOTION_HASH_H
#define JN_DESCRIPTION_YAML_MOTION_HASH_H

#include "description/read/reader.h"

/* Of the tree after settings, without titles, records, expectations, run.start and run.until, and without parameters that only those name.
 * 0: no memory. O(nodes) */
uint64_t jn_motion_hash(const jn_reader *reader, const jn_setting *settings, int count);

#endif

/* A few threads that do one task together. */
#ifndef JN_BASE_POOL_H
#define JN_BASE_POOL_H

#include <jounce/base.h>

/* task(context, rank, size) on every thread, the caller is rank 0; returns when all are done. NULL: the caller alone. No
 * allocation. */
void jn_pool_run(jn_pool *pool, void (*task)(void *context, int rank, int size), void *context);
/* Inside a task: waits until every thread is here. */
void jn_pool_meet(jn_pool *pool);

#endif

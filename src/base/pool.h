/* A few threads that do one task together. */
#ifndef JN_BASE_POOL_H
#define JN_BASE_POOL_H

#include <jounce/base.h>

/* Threads that wait for work: made once, used by every step. NULL stands for one thread everywhere. */
typedef struct jn_pool jn_pool;
jn_pool *jn_pool_create(int threads); /* NULL if there is no memory; fewer threads if the system gives no more */
void jn_pool_free(jn_pool *pool);
int jn_pool_size(const jn_pool *pool); /* 1 for NULL */
int jn_pool_processors(void);          /* of the machine */
/* task(context, rank, size) on every thread, the caller is rank 0; returns when all are done. NULL: the caller alone. No
 * allocation. */
void jn_pool_run(jn_pool *pool, void (*task)(void *context, int rank, int size), void *context);
/* task(context, part) for each of 1 to JN_POOL_PARTS parts, by the caller and by those threads that are awake: none is waited for that has not begun a part, so that short
 * tasks may follow each other at once on a busy machine. A thread takes the part of its rank where it can, whose data it has seen before. Returns when all parts are done.
 * No allocation. */
enum { JN_POOL_PARTS = 32 };
void jn_pool_share(jn_pool *pool, int parts, void (*task)(void *context, int part), void *context);
/* task(context, from, to) for ranges that together are 0 to before count, none shorter than `least`: of a loop whose turns write what is their own, so
 * that the result is the same for any number of threads. One range, on the caller's thread, where there are fewer than twice as many, or one thread: loops
 * so short are called here, where the compiler knows the task. No allocation. */
typedef void jn_range_task(void *context, int from, int to);
void jn_pool_share_range(jn_pool *pool, int count, int least, jn_range_task *task, void *context);
static inline void jn_pool_range(jn_pool *pool, int count, int least, jn_range_task *task, void *context) {
    if (count < 2 * least)
        task(context, 0, count);
    else
        jn_pool_share_range(pool, count, least, task, context);
}
/* The same; returns the largest of what the tasks return, or 0: the same in any order. */
typedef double jn_range_measure(void *context, int from, int to);
double jn_pool_share_most(jn_pool *pool, int count, int least, jn_range_measure *measure, void *context);
static inline double jn_pool_most(jn_pool *pool, int count, int least, jn_range_measure *measure, void *context) {
    if (count >= 2 * least) return jn_pool_share_most(pool, count, least, measure, context);
    double all = measure(context, 0, count);
    return all > 0 ? all : 0;
}

#endif

/* Many hulls by several threads: those of a robot take longer than all else that is read of it. */
#include "base/memory.h"
#include "base/pool.h"
#include "description/mesh/hull.h"
#include <stdatomic.h>

typedef struct queue {
    jn_hull_order *order;
    int count;
    atomic_int next;
} queue;

/* Which thread makes a hull plays no part in it. */
static void make_hulls(void *context, int rank, int size) {
    queue *q = context;
    (void)rank, (void)size;
    for (int k; (k = atomic_fetch_add(&q->next, 1)) < q->count;) {
        jn_hull_order *o = &q->order[k];
        o->status = jn_hull_build_simple(o->point, o->count, o->part, &o->hull, o->reason);
    }
}

/* Tests that refuse memory count what is asked for: one thread at a time. */
static int threads_for(int hulls) {
    int processors = jn_memory_is_hooked() ? 1 : jn_pool_processors();
    return processors < hulls ? processors : hulls;
}

void jn_hull_build_many(jn_hull_order *order, int count, int threads) {
    queue q = {.order = order, .count = count};
    if (threads <= 0) threads = threads_for(count);
    jn_pool *pool = threads > 1 ? jn_pool_create(threads) : NULL;
    jn_pool_run(pool, make_hulls, &q);
    jn_pool_free(pool);
}

/* Threads that wait awake for a moment, since the next task of a solver comes at once, and then sleep. */
#include "base/pool.h"
#include "base/memory.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SPINS = 4000, YIELD_AFTER = 200 };

typedef struct worker {
    jn_pool *pool;
    pthread_t thread;
    int rank;
} worker;

struct jn_pool {
    int size;
    worker *workers; /* (size - 1) */
    void (*task)(void *context, int rank, int size);
    void *context;
    atomic_int round;          /* grows with every task */
    atomic_int working;        /* workers that have not finished */
    atomic_int arrived, phase; /* of jn_pool_meet */
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

/* Waits until *value differs from old: awake first, then giving way to others. */
static void spin(int count) {
    if (count > YIELD_AFTER) sched_yield();
}

static int wait_for_round(jn_pool *pool, int last) {
    for (int k = 0; k < SPINS; k++) {
        int round = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (round != last) return round;
        spin(k);
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->round) == last) pthread_cond_wait(&pool->wake, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return atomic_load(&pool->round);
}

static void *work(void *argument) {
    worker *w = argument;
    jn_pool *pool = w->pool;
    for (int last = 0;;) {
        last = wait_for_round(pool, last);
        if (atomic_load(&pool->stop)) return NULL;
        pool->task(pool->context, w->rank, pool->size);
        atomic_fetch_sub_explicit(&pool->working, 1, memory_order_release);
    }
}

static void next_round(jn_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add_explicit(&pool->round, 1, memory_order_release);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

jn_pool *jn_pool_create(int threads) {
    jn_pool *pool = jn_malloc(sizeof *pool);
    worker *workers = jn_malloc((size_t)(threads > 1 ? threads - 1 : 1) * sizeof *workers);
    if (!pool || !workers) {
        jn_free(pool), jn_free(workers);
        return NULL;
    }
    *pool = (jn_pool){.size = 1, .workers = workers};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    for (int k = 0; k < threads - 1; k++) {
        workers[k] = (worker){.pool = pool, .rank = k + 1};
        if (pthread_create(&workers[k].thread, NULL, work, &workers[k])) break;
        pool->size++;
    }
    return pool;
}

void jn_pool_free(jn_pool *pool) {
    if (!pool) return;
    atomic_store(&pool->stop, true);
    next_round(pool);
    for (int k = 0; k < pool->size - 1; k++) pthread_join(pool->workers[k].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    jn_free(pool->workers);
    jn_free(pool);
}

int jn_pool_size(const jn_pool *pool) { return pool ? pool->size : 1; }

void jn_pool_run(jn_pool *pool, void (*task)(void *context, int rank, int size), void *context) {
    if (!pool || pool->size == 1) {
        task(context, 0, 1);
        return;
    }
    pool->task = task, pool->context = context;
    atomic_store(&pool->working, pool->size - 1);
    next_round(pool);
    task(context, 0, pool->size);
    for (int k = 0; atomic_load_explicit(&pool->working, memory_order_acquire) > 0; k++) spin(k);
}

void jn_pool_meet(jn_pool *pool) {
    if (!pool || pool->size == 1) return;
    int phase = atomic_load(&pool->phase);
    if (atomic_fetch_add_explicit(&pool->arrived, 1, memory_order_acq_rel) == pool->size - 1) {
        atomic_store(&pool->arrived, 0);
        atomic_store_explicit(&pool->phase, phase + 1, memory_order_release);
        return;
    }
    for (int k = 0; atomic_load_explicit(&pool->phase, memory_order_acquire) == phase; k++) spin(k);
}

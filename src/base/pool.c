/* Threads that wait awake for a moment, since the next step of a batch comes at once, then give way, and then sleep: on a busy
 * machine the one they wait for may need their processor. */
#include "base/pool.h"
#include "base/memory.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { SPINS = 50, YIELDS = 100 };

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
    atomic_int round;    /* grows with every task */
    atomic_int working;  /* workers that have not finished */
    atomic_int finished; /* grows when the last of them has */
    atomic_bool stop;
    atomic_int sleepers; /* threads that wait for `wake` */
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Waits until *value differs from old, and returns it. */
static int wait_while(jn_pool *pool, atomic_int *value, int old) {
    for (int k = 0; k < SPINS + YIELDS; k++) {
        int now = atomic_load_explicit(value, memory_order_acquire);
        if (now != old) return now;
        if (k < SPINS)
            pause_briefly();
        else
            sched_yield();
    }
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(value) == old) pthread_cond_wait(&pool->wake, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
    return atomic_load(value);
}

/* Makes *value grow by one. A thread goes to sleep only if it is counted first and still finds the old value, so that either it
 * is woken here or it sees the new one. */
static void advance(jn_pool *pool, atomic_int *value) {
    atomic_fetch_add(value, 1);
    if (atomic_load(&pool->sleepers) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

static void *work(void *argument) {
    worker *w = argument;
    jn_pool *pool = w->pool;
    for (int last = 0;;) {
        last = wait_while(pool, &pool->round, last);
        if (atomic_load(&pool->stop)) return NULL;
        pool->task(pool->context, w->rank, pool->size);
        if (atomic_fetch_sub_explicit(&pool->working, 1, memory_order_acq_rel) == 1) advance(pool, &pool->finished);
    }
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
    advance(pool, &pool->round);
    for (int k = 0; k < pool->size - 1; k++) pthread_join(pool->workers[k].thread, NULL);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    jn_free(pool->workers);
    jn_free(pool);
}

int jn_pool_processors(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 1 ? (int)count : 1;
}

int jn_pool_size(const jn_pool *pool) { return pool ? pool->size : 1; }

void jn_pool_run(jn_pool *pool, void (*task)(void *context, int rank, int size), void *context) {
    if (!pool || pool->size == 1) {
        task(context, 0, 1);
        return;
    }
    pool->task = task, pool->context = context;
    int finished = atomic_load(&pool->finished);
    atomic_store(&pool->working, pool->size - 1);
    advance(pool, &pool->round);
    task(context, 0, pool->size);
    wait_while(pool, &pool->finished, finished);
}

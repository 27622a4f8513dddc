/* Threads that wait awake for a moment, since the next step of a batch comes at once, then give way, and then sleep: on a busy
 * machine the one they wait for may need their processor. After a task of parts they wait longer: loops of one step that are shared out follow each other with short ones in
 * between that are not, and to wake a thread takes longer than most of them. Who has to give way for long sleeps at once. */
#include "base/pool.h"
#include "base/memory.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { SPINS = 200, YIELDS = 100, LINE = 64 /* bytes of a cache line */ };
enum { AWAKE = 300000, AWAY = 30000 }; /* [ns] that a thread waits awake after parts; that others had its processor meanwhile */
enum { SPINS_EACH = 40 };              /* between two looks at the clock */
enum { RANGES = 2 };                   /* of a loop for each thread: who is late has less of it */

typedef struct worker {
    jn_pool *pool;
    pthread_t thread;
    int rank;
} worker;

struct jn_pool {
    int size;
    worker *workers; /* (size - 1) */
    void (*task)(void *context, int rank, int size);
    void (*part_task)(void *context, int part);
    void *context;
    atomic_uint round;    /* another number for every task; odd: by parts */
    atomic_int working;   /* workers that have not finished */
    atomic_uint finished; /* grows when the last of them has */
    atomic_bool stop;
    atomic_int sleepers; /* threads that wait for `wake` */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    char apart[LINE];      /* what threads that have parts write is on lines of its own: */
    _Atomic uint64_t open; /* round of parts, and a bit for each that nobody has begun; */
    char far[LINE];
    atomic_uint unfinished; /* parts */
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static int64_t clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Waits awake while *value is old, for some time; sooner to an end where others want the processor. */
static void stay_awake(atomic_uint *value, unsigned old) {
    int64_t start = clock_now(), last = start;
    for (int k = 1; atomic_load_explicit(value, memory_order_acquire) == old; k++) {
        pause_briefly();
        if (k % SPINS_EACH) continue;
        sched_yield();
        int64_t now = clock_now();
        if (now - start > AWAKE || now - last > AWAY) return;
        last = now;
    }
}

/* Waits until *value differs from old, and returns it. */
static unsigned wait_while(jn_pool *pool, atomic_uint *value, unsigned old) {
    for (int k = 0; k < SPINS + YIELDS; k++) {
        unsigned now = atomic_load_explicit(value, memory_order_acquire);
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

/* Changes *value. A thread goes to sleep only if it is counted first and still finds the old value, so that either it
 * is woken here or it sees the new one. */
static void publish(jn_pool *pool, atomic_uint *value, unsigned now) {
    atomic_store(value, now);
    if (atomic_load(&pool->sleepers) == 0) return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

/* The number of the next task. */
static unsigned next_round(jn_pool *pool, bool by_parts) {
    return ((atomic_load(&pool->round) | 1u) + 1u) | (by_parts ? 1u : 0u);
}

/* Takes parts of a round until none is left, that of its rank first. A part that was taken keeps the round from ending, so that task and context are those of the round. */
static void take_parts(jn_pool *pool, unsigned round, int rank) {
    uint64_t open = atomic_load_explicit(&pool->open, memory_order_acquire);
    while ((unsigned)(open >> 32) == round && (uint32_t)open) {
        uint32_t own = rank < JN_POOL_PARTS ? (uint32_t)open & (uint32_t)1 << rank : 0;
        int part = own ? rank : __builtin_ctz((uint32_t)open);
        if (!atomic_compare_exchange_weak_explicit(&pool->open, &open, open & ~((uint64_t)1 << part),
                                                   memory_order_acq_rel, memory_order_acquire))
            continue;
        pool->part_task(pool->context, part);
        atomic_fetch_sub_explicit(&pool->unfinished, 1, memory_order_release);
        open = atomic_load_explicit(&pool->open, memory_order_acquire);
    }
}

static void *work(void *argument) {
    worker *w = argument;
    jn_pool *pool = w->pool;
    for (unsigned last = 0;;) {
        if (last & 1u) stay_awake(&pool->round, last);
        last = wait_while(pool, &pool->round, last);
        if (atomic_load(&pool->stop)) return NULL;
        if (last & 1u) {
            take_parts(pool, last, w->rank);
            continue;
        }
        pool->task(pool->context, w->rank, pool->size);
        if (atomic_fetch_sub_explicit(&pool->working, 1, memory_order_acq_rel) == 1)
            publish(pool, &pool->finished, atomic_load(&pool->finished) + 1);
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
    publish(pool, &pool->round, next_round(pool, false));
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
    unsigned finished = atomic_load(&pool->finished);
    atomic_store(&pool->working, pool->size - 1);
    publish(pool, &pool->round, next_round(pool, false));
    task(context, 0, pool->size);
    wait_while(pool, &pool->finished, finished);
}

void jn_pool_share(jn_pool *pool, int parts, void (*task)(void *context, int part), void *context) {
    if (!pool || pool->size == 1 || parts == 1) {
        for (int k = 0; k < parts; k++) task(context, k);
        return;
    }
    unsigned round = next_round(pool, true);
    pool->part_task = task, pool->context = context;
    atomic_store_explicit(&pool->unfinished, (unsigned)parts, memory_order_relaxed);
    atomic_store_explicit(&pool->open, (uint64_t)round << 32 | (((uint64_t)1 << parts) - 1), memory_order_release);
    publish(pool, &pool->round, round);
    take_parts(pool, round, 0);
    for (int k = 0; atomic_load_explicit(&pool->unfinished, memory_order_acquire); k++)
        if (k < SPINS)
            pause_briefly();
        else
            sched_yield(); /* whoever has the part may need this processor */
}

/* ------------------------------------------------------------------------------------------------------ loops by ranges */

/* A loop, and the ranges that it is shared out in. */
typedef struct ranges {
    int count, parts;
    jn_range_task *task;
    jn_range_measure *measure;
    void *context;
    double found[JN_POOL_PARTS];
} ranges;

static int begin_of(const ranges *r, int part) { return (int)((int64_t)r->count * part / r->parts); }

static void do_range(void *context, int part) {
    ranges *r = context;
    int from = begin_of(r, part), to = begin_of(r, part + 1);
    if (r->task)
        r->task(r->context, from, to);
    else
        r->found[part] = r->measure(r->context, from, to);
}

/* Ranges that a loop is worth. */
static int ranges_of(const jn_pool *pool, int count, int least) {
    if (!pool || pool->size == 1) return 1;
    int most = RANGES * pool->size, worth = count / least;
    if (most > JN_POOL_PARTS) most = JN_POOL_PARTS;
    return most < worth ? most : worth;
}

void jn_pool_share_range(jn_pool *pool, int count, int least, jn_range_task *task, void *context) {
    int parts = ranges_of(pool, count, least);
    if (parts > 1)
        jn_pool_share(pool, parts, do_range, &(ranges){.count = count, .parts = parts, .task = task, .context = context});
    else
        task(context, 0, count);
}

double jn_pool_share_most(jn_pool *pool, int count, int least, jn_range_measure *measure, void *context) {
    int parts = ranges_of(pool, count, least);
    double most = 0;
    if (parts <= 1) {
        double all = measure(context, 0, count);
        return all > 0 ? all : 0;
    }
    ranges r = {.count = count, .parts = parts, .measure = measure, .context = context};
    jn_pool_share(pool, parts, do_range, &r);
    for (int k = 0; k < parts; k++)
        if (r.found[k] > most) most = r.found[k];
    return most;
}

/* Many simulations of one model side by side. Each has its own state and work space and the model is constant, so that it does not
 * matter which thread steps which: the next free thread takes the next simulation, and the bits are those of one thread. */
#include "base/memory.h"
#include "base/pool.h"
#include "step/sim.h"
#include <stdatomic.h>

struct jn_batch {
    int count;
    jn_pool *pool;
    jn_sim **sim; /* (count) */
    int *status;  /* (count) of the last call */
    atomic_int next;
    double until; /* [s] of the current call */
    long steps;   /* of the current call; 0: until the time */
};

void jn_batch_free(jn_batch *b) {
    if (!b) return;
    for (int i = 0; i < b->count && b->sim; i++) jn_sim_free(b->sim[i]);
    jn_pool_free(b->pool);
    jn_free(b->sim);
    jn_free(b->status);
    jn_free(b);
}

jn_batch *jn_batch_create(const jn_model *m, int count, int threads, jn_report *report) {
    if (count < 1 || threads < 1) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, (jn_where){m->file, 1, 1}, NULL,
                      "a batch has at least one simulation and one thread, not %d and %d", count, threads);
        return NULL;
    }
    jn_batch *b = jn_malloc(sizeof *b);
    if (b)
        *b = (jn_batch){.sim = jn_malloc((size_t)count * sizeof *b->sim),
                        .status = jn_malloc((size_t)count * sizeof(int))};
    bool fine = b && b->sim && b->status;
    if (fine && threads > 1) fine = (b->pool = jn_pool_create(threads < count ? threads : count)) != NULL;
    if (!fine) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){m->file, 1, 1}, NULL, "%s",
                      jn_status_text(JN_ERR_MEMORY));
        jn_batch_free(b);
        return NULL;
    }
    for (int i = 0; i < count; i++) {
        b->status[i] = JN_OK;
        jn_report own = {0}; /* notes of the first are enough */
        b->sim[i] = jn_sim_create(m, i ? &own : report);
        if (!b->sim[i]) {
            if (i) *report = own;
            jn_batch_free(b);
            return NULL;
        }
        b->count++;
    }
    return b;
}

int jn_batch_count(const jn_batch *b) { return b->count; }
jn_sim *jn_batch_sim(jn_batch *b, int i) { return b->sim[i]; }
int jn_batch_status(const jn_batch *b, int i) { return b->status[i]; }

static int step_often(jn_sim *sim, long steps) {
    int status = JN_OK;
    for (long k = 0; k < steps && status >= 0; k++) status = jn_sim_step(sim, INFINITY);
    return status;
}

static void task(void *context, int rank, int size) {
    jn_batch *b = context;
    (void)rank, (void)size;
    for (int i; (i = atomic_fetch_add(&b->next, 1)) < b->count;)
        if (b->status[i] >= 0)
            b->status[i] = b->steps ? step_often(b->sim[i], b->steps) : jn_sim_advance(b->sim[i], b->until);
}

static int run(jn_batch *b) {
    int worst = JN_OK;
    atomic_store(&b->next, 0);
    jn_pool_run(b->pool, task, b);
    for (int i = 0; i < b->count; i++)
        if (b->status[i] < worst || (worst == JN_OK && b->status[i] != JN_OK)) worst = b->status[i];
    return worst;
}

int jn_batch_advance(jn_batch *b, double t) {
    b->until = t, b->steps = 0;
    return run(b);
}

int jn_batch_step(jn_batch *b, long steps) {
    b->steps = steps;
    return steps > 0 ? run(b) : JN_OK;
}

/* Many simulations side by side. Each has its own state and work space and models are constant, so that it does not matter which
 * thread steps which: the next free thread takes the next simulation, and the bits are those of one thread. States lie in one block
 * with equal distances, so that positions of all are a matrix; what is written there is found by fingerprints: copies would not fit into the processor's cache. */
#include "base/memory.h"
#include "base/pool.h"
#include "step/sim.h"
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum {
    LINE = 8,              /* doubles in a line of the processor's cache: no two simulations share one */
    LOOK_STEPS_MOST = 4096 /* between two looks at the clock */
};
static const double SLICE = 0.05; /* [s] of wall time between two calls of the progress function */
static const double LOOK_SOONEST = 1e-4, LOOK_LATEST = 2e-3; /* [s] between two looks at the clock */

/* A simulation as it was made. */
typedef struct start_state {
    unsigned char *bytes;
    size_t size;
} start_state;

struct jn_batch {
    int count, nq, nv;
    jn_pool *pool;
    jn_sim **sim;       /* (count) */
    int *status;        /* (count) of the last call */
    long *left;         /* (count) steps to take in the current call; LONG_MAX: until the time */
    start_state *start; /* (count) those with the model of the first share its bytes */
    size_t stride;      /* doubles from one state to the next */
    double *block;      /* (count x stride) the states' numbers */
    uint64_t *kept; /* (count) fingerprints of q and u as the last call left them; NULL: nobody has asked for them */
    double *tau;    /* (count x nv) generalised forces; NULL: nobody has asked for them */
    uint64_t *tau_kept; /* (count) fingerprints of those of the last call */
    atomic_int next;
    double until; /* [s] of the current call */
    double end;   /* [s] wall time at which the current slice ends */
    bool (*go_on)(void *context);
    void *context;
};

void jn_batch_free(jn_batch *b) {
    if (!b) return;
    for (int i = 0; i < b->count && b->sim; i++) {
        if (b->start && (i == 0 || b->start[i].bytes != b->start[0].bytes)) jn_free(b->start[i].bytes);
        jn_sim_free(b->sim[i]);
    }
    jn_pool_free(b->pool);
    void *const all[] = {b->sim, b->status, b->left, b->start, b->block, b->kept, b->tau, b->tau_kept, b};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) jn_free(all[k]);
}

static jn_batch *no_memory(jn_batch *b, const jn_model *m, jn_report *report) {
    jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){m->file, 1, 1}, NULL, "%s",
                  jn_status_text(JN_ERR_MEMORY));
    jn_batch_free(b);
    return NULL;
}

/* (rows x columns) zeros; NULL: no memory. */
static void *zeros(size_t rows, size_t columns, size_t size) {
    if (columns && rows > SIZE_MAX / columns / size) return NULL;
    void *block = jn_malloc(rows * columns * size);
    if (block) memset(block, 0, rows * columns * size);
    return block;
}

/* Moves the states of all simulations into one block. */
static bool join_states(jn_batch *b) {
    for (int i = 0; i < b->count; i++)
        if ((size_t)b->sim[i]->s->size > b->stride) b->stride = (size_t)b->sim[i]->s->size;
    b->stride = (b->stride + LINE) / LINE * LINE;
    b->block = zeros((size_t)b->count, b->stride, sizeof(double));
    if (!b->block) return false;
    for (int i = 0; i < b->count; i++) {
        jn_state *s = b->sim[i]->s;
        double *from = s->q, *to = b->block + (size_t)i * b->stride;
        memcpy(to, from, (size_t)s->size * sizeof *to);
        double **const parts[] = {&s->q, &s->u, &s->angle, &s->act, &s->control, &s->momentum, &s->past};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) *parts[k] = to + (*parts[k] - from);
    }
    return true;
}

/* Keeps how simulation i was made. */
static bool keep_start(jn_batch *b, int i) {
    if (i && b->sim[i]->m == b->sim[0]->m) {
        b->start[i] = b->start[0];
        return true;
    }
    b->start[i].bytes = jn_sim_pack(b->sim[i], &b->start[i].size);
    return b->start[i].bytes != NULL;
}

static bool same_size(const jn_model *const *models, int count, jn_report *report) {
    for (int i = 1; i < count; i++)
        if (models[i]->nq != models[0]->nq || models[i]->nv != models[0]->nv) {
            jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, (jn_where){models[i]->file, 1, 1}, NULL,
                          "model %d of the batch has %d coordinates and %d velocities, the first has %d and %d\n"
                          "a batch takes models that differ in their numbers alone",
                          i, models[i]->nq, models[i]->nv, models[0]->nq, models[0]->nv);
            return false;
        }
    return true;
}

jn_batch *jn_batch_create_of(const jn_model *const *models, int count, int threads, jn_report *report) {
    if (count < 1 || threads < 1) {
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_ARGUMENT, (jn_where){"", 0, 0}, NULL,
                      "a batch has at least one simulation and one thread, not %d and %d", count, threads);
        return NULL;
    }
    if (!same_size(models, count, report)) return NULL;
    size_t n = (size_t)count;
    jn_batch *b = zeros(1, 1, sizeof *b);
    if (!b) return no_memory(b, models[0], report);
    b->nq = models[0]->nq, b->nv = models[0]->nv;
    b->sim = zeros(n, 1, sizeof *b->sim), b->status = zeros(n, 1, sizeof *b->status);
    b->left = zeros(n, 1, sizeof *b->left), b->start = zeros(n, 1, sizeof *b->start);
    bool fine = b->sim && b->status && b->left && b->start;
    if (fine && threads > 1) fine = (b->pool = jn_pool_create(threads < count ? threads : count)) != NULL;
    if (!fine) return no_memory(b, models[0], report);
    for (int i = 0; i < count; i++) {
        jn_report own = {0}; /* notes of the first are enough */
        b->sim[i] = jn_sim_create(models[i], i ? &own : report);
        if (!b->sim[i]) {
            if (i && report) *report = own;
            jn_batch_free(b);
            return NULL;
        }
        b->count++;
        if (!keep_start(b, i)) return no_memory(b, models[0], report);
    }
    return join_states(b) ? b : no_memory(b, models[0], report);
}

jn_batch *jn_batch_create(const jn_model *m, int count, int threads, jn_report *report) {
    size_t n = count > 1 ? (size_t)count : 1;
    const jn_model **models = zeros(n, 1, sizeof *models);
    if (!models) return no_memory(NULL, m, report);
    for (size_t i = 0; i < n; i++) models[i] = m;
    jn_batch *b = jn_batch_create_of(models, count, threads, report);
    jn_free(models);
    return b;
}

int jn_batch_count(const jn_batch *b) { return b->count; }
jn_sim *jn_batch_sim(jn_batch *b, int i) { return b->sim[i]; }
int jn_batch_status(const jn_batch *b, int i) { return b->status[i]; }

void jn_batch_on_progress(jn_batch *b, bool (*go_on)(void *context), void *context) {
    b->go_on = go_on, b->context = context;
}

/* ------------------------------------------------------------------------------------------- the states as matrices */

static size_t bytes_of(int count) { return (size_t)count * sizeof(double); }

static uint64_t mix(uint64_t sum, double x, uint64_t odd) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    sum = (sum ^ bits) * odd;
    return sum ^ sum >> 32;
}

/* A number that all bits of x (n) decide: two sums in turn, in which every step can be undone, so that a change of one number is always seen
 * and one of several is missed by chance alone, about once in 2^64 writes. O(n). */
static uint64_t fingerprint(const double *x, int n) {
    const uint64_t odd[2] = {0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu};
    uint64_t sum[2] = {1, 2};
    for (int k = 0; k + 1 < n; k += 2) sum[0] = mix(sum[0], x[k], odd[0]), sum[1] = mix(sum[1], x[k + 1], odd[1]);
    if (n % 2) sum[0] = mix(sum[0], x[n - 1], odd[0]);
    return sum[0] ^ (sum[1] << 32 | sum[1] >> 32);
}

void jn_batch_accept(jn_batch *b, int i) {
    if (b->kept) b->kept[i] = fingerprint(b->sim[i]->s->q, b->nq + b->nv); /* u follows q */
}

double *jn_batch_q(jn_batch *b, size_t *stride) {
    *stride = b->stride;
    if (b->kept) return b->block;
    b->kept = zeros((size_t)b->count, 1, sizeof *b->kept);
    if (!b->kept) return NULL;
    for (int i = 0; i < b->count; i++) jn_batch_accept(b, i);
    return b->block;
}

double *jn_batch_u(jn_batch *b, size_t *stride) {
    double *q = jn_batch_q(b, stride);
    return q ? q + b->nq : NULL;
}

/* Adds the batch's row of generalised forces. */
static void add_row(void *context, const jn_model *m, const jn_state *s, double *tau) {
    const double *row = context;
    (void)s;
    for (int k = 0; k < m->nv; k++) tau[k] += row[k];
}

double *jn_batch_tau(jn_batch *b) {
    if (b->tau) return b->tau;
    size_t n = (size_t)b->count, columns = (size_t)b->nv + 1;
    double *tau = zeros(n, columns, sizeof(double));
    b->tau_kept = tau ? zeros(n, 1, sizeof *b->tau_kept) : NULL;
    if (!b->tau_kept) return jn_free(tau), NULL;
    b->tau = tau;
    for (int i = 0; i < b->count; i++) b->tau_kept[i] = fingerprint(tau, b->nv);
    for (int i = 0; i < b->count; i++) jn_sim_on_control(b->sim[i], add_row, b->tau + (size_t)i * (size_t)b->nv);
    return b->tau;
}

/* -1: all are finite; else the first that is not. */
static int first_wrong(const double *x, int count) {
    for (int k = 0; k < count; k++)
        if (!isfinite(x[k])) return k;
    return -1;
}

/* Forces have changed: what an integrator knows of the slope is old. Nonsmooth steps know none. */
static void take_forces(jn_sim *sim) {
    if (sim->nonsmooth && !sim->impact) return;
    double h = sim->h;
    jn_sim_begin_anew(sim);
    sim->h = h;
}

int jn_batch_sync(jn_batch *b, int i) {
    jn_sim *sim = b->sim[i];
    int n = b->nq + b->nv, wrong;
    uint64_t found = b->kept ? fingerprint(sim->s->q, n) : 0;
    if (b->kept && b->kept[i] != found) {
        if ((wrong = first_wrong(sim->s->q, n)) >= 0) {
            b->kept[i] = ~found; /* until it is written again */
            return jn_sim_fail(sim, JN_ERR_ARGUMENT, "%c[%d] of simulation %d is not finite\nwrite a number",
                               wrong < b->nq ? 'q' : 'u', wrong < b->nq ? wrong : wrong - b->nq, i);
        }
        jn_sim_restart(sim);
        jn_batch_accept(b, i);
    }
    if (!b->tau || (sim->error.status < 0 && sim->error.status != JN_ERR_ARGUMENT)) return sim->error.status;
    const double *tau = b->tau + (size_t)i * (size_t)b->nv;
    found = fingerprint(tau, b->nv);
    if (b->tau_kept[i] == found) return sim->error.status;
    if ((wrong = first_wrong(tau, b->nv)) >= 0) {
        b->tau_kept[i] = ~found;
        return jn_sim_fail(sim, JN_ERR_ARGUMENT, "tau[%d] of simulation %d is not finite\nwrite a number", wrong, i);
    }
    b->tau_kept[i] = found;
    take_forces(sim);
    sim->error = (jn_error){0};
    return JN_OK;
}

int jn_batch_reset(jn_batch *b, int i) {
    jn_sim *sim = b->sim[i];
    jn_report report = {0};
    const jn_vec3 zero = {0, 0, 0};
    for (int k = 0; k < sim->m->body_count; k++)
        if (sim->m->bodies[k].link) jn_push_set(sim->m, sim->w, k, zero, zero, zero);
    if (b->tau) {
        memset(b->tau + (size_t)i * (size_t)b->nv, 0, bytes_of(b->nv));
        b->tau_kept[i] = fingerprint(b->tau + (size_t)i * (size_t)b->nv, b->nv);
    }
    b->status[i] = jn_sim_unpack(sim, b->start[i].bytes, b->start[i].size, "", &report);
    jn_batch_accept(b, i);
    return b->status[i];
}

/* ------------------------------------------------------------------------------------------------------------ steps */

static double wall_clock(void) { /* [s] */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* When a thread looks at the clock: so rarely that it costs nothing, and so often that a slice ends in time, however long steps take. */
typedef struct looks {
    int left, steps; /* until the next look, between two */
    double last;     /* [s] of wall time */
} looks;

/* Whether the slice of time is over. */
static bool is_late(const jn_batch *b, looks *l) {
    if (!b->go_on || --l->left > 0) return false;
    double now = wall_clock(), since = now - l->last;
    if (since < LOOK_SOONEST && l->steps < LOOK_STEPS_MOST)
        l->steps *= 2;
    else if (since > LOOK_LATEST && l->steps > 1)
        l->steps /= 2;
    l->left = l->steps, l->last = now;
    return now > b->end;
}

/* [s] A step without a time to end at is at most as long as the run: where nothing bends the motion an adaptive integrator would
 * choose an infinite one. */
static double longest_step(const jn_sim *sim) {
    double until = sim->m->run.until;
    return isfinite(until) && until > 0 ? until : 1;
}

/* Steps of one simulation until it is there or the slice ends: false then. */
static bool go(jn_batch *b, int i, looks *l) {
    jn_sim *sim = b->sim[i];
    bool timed = b->left[i] == LONG_MAX;
    int status = jn_batch_sync(b, i);
    if (status < 0) b->left[i] = 0;
    while (b->left[i] > 0) {
        if (timed && !(sim->s->t < b->until)) break;
        status = jn_sim_step(sim, timed ? b->until : sim->s->t + longest_step(sim));
        if (status < 0 || status == JN_STOPPED) break;
        if (!timed) b->left[i]--;
        if (is_late(b, l)) {
            jn_batch_accept(b, i);
            return false;
        }
    }
    b->left[i] = 0;
    b->status[i] = timed && status > 0 && status != JN_STOPPED ? JN_OK : status;
    jn_batch_accept(b, i);
    return true;
}

static void task(void *context, int rank, int size) {
    jn_batch *b = context;
    (void)rank, (void)size;
    looks l = {.left = 1, .steps = 1, .last = b->go_on ? wall_clock() : 0};
    for (int i; (i = atomic_fetch_add(&b->next, 1)) < b->count;)
        if (b->left[i] > 0 && !go(b, i, &l)) return;
}

static bool is_finished(const jn_batch *b) {
    for (int i = 0; i < b->count; i++)
        if (b->left[i] > 0) return false;
    return true;
}

static int run(jn_batch *b, long steps) {
    int worst = JN_OK;
    for (int i = 0; i < b->count; i++) b->left[i] = steps;
    for (bool done = false; !done;) {
        atomic_store(&b->next, 0);
        b->end = b->go_on ? wall_clock() + SLICE : 0;
        jn_pool_run(b->pool, task, b);
        done = is_finished(b);
        if (!done && !b->go_on(b->context)) return JN_STOPPED;
    }
    for (int i = 0; i < b->count; i++)
        if (b->status[i] < worst || (worst == JN_OK && b->status[i] != JN_OK)) worst = b->status[i];
    return worst;
}

int jn_batch_advance(jn_batch *b, double t) {
    b->until = t;
    return run(b, LONG_MAX);
}

int jn_batch_step(jn_batch *b, long steps) {
    return steps > 0 ? run(b, steps < LONG_MAX ? steps : LONG_MAX - 1) : JN_OK;
}

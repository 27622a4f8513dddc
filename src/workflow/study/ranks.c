#include "workflow/study/ranks.h"

#include "base/memory.h"

#include <string.h>
#include <time.h>

/* What a message is: a head, then its content. */
typedef enum message_kind {
    HELLO, /* to 0: the hash of the study */
    WANT,  /* to 0: how many tasks */
    TASKS, /* from 0: indices; none: no more in this round */
    ROWS,  /* to 0: rows, each with its length before it */
    IDLE,  /* to 0: all rows of the round are sent */
    MORE,  /* from 0: another round with more rows: their points, and the tasks */
    END,   /* from 0: the study is over, or must stop */
    FAILED /* to 0: status */
} message_kind;

typedef struct message {
    int64_t kind, value;
} message;

enum { LARGEST_SHARE = 256, QUEUE = 4096 };

static void rest_briefly(long *pause) { /* [ns] from 20 us to 1 ms while nothing happens */
    struct timespec time = {0, *pause};
    nanosleep(&time, NULL);
    *pause = *pause < 500000 ? *pause * 2 : 1000000;
}

static int send_message(jn_transport *t, int to, message_kind kind, int64_t value, const void *bytes, size_t length) {
    unsigned char *all = jn_malloc(sizeof(message) + length);
    message head = {kind, value};
    if (!all) return JN_ERR_MEMORY;
    memcpy(all, &head, sizeof head);
    if (length) memcpy(all + sizeof head, bytes, length);
    int status = t->send(t, to, all, sizeof head + length);
    jn_free(all);
    return status < 0 ? JN_ERR_IO : JN_OK;
}

/* ---------------------------------------------------------------------------------------------------------- rank 0 */

typedef struct coordinator {
    jn_perform *p;
    jn_transport *t;
    pthread_t thread;
    atomic_bool over; /* its own threads have finished the round */
    int threads;
    int idle;  /* other ranks that have finished the round */
    int hello; /* other ranks that have started */
    int status;
} coordinator;

static void *run_threads(void *context) {
    coordinator *c = context;
    jn_perform_threads(c->p, c->threads);
    atomic_store(&c->over, true);
    return NULL;
}

/* Shares shrink towards the end, so that all ranks end together. */
static int give_tasks(coordinator *c, int to, int64_t wanted) {
    long left = c->p->study->tasks - atomic_load(&c->p->next), share = left / (4 * c->t->size) + 1;
    int64_t task[LARGEST_SHARE];
    long most = share > wanted ? share : (long)wanted, count = 0;
    if (most > LARGEST_SHARE) most = LARGEST_SHARE;
    for (long next; count < most && !atomic_load(&c->p->stop) && (next = jn_perform_next(c->p)) >= 0;)
        task[count++] = next;
    return send_message(c->t, to, TASKS, count, task, (size_t)count * sizeof *task);
}

static int take_rows(coordinator *c, const unsigned char *bytes, size_t length) {
    while (length > sizeof(uint64_t)) {
        uint64_t size;
        memcpy(&size, bytes, sizeof size);
        bytes += sizeof size, length -= sizeof size;
        if (size > length) return JN_ERR_IO;
        unsigned char *copy = jn_malloc((size_t)size);
        if (!copy) return JN_ERR_MEMORY;
        memcpy(copy, bytes, (size_t)size);
        int status =
            jn_perform_take(c->p, &(jn_row_bytes){.bytes = copy, .length = (size_t)size, .room = (size_t)size});
        jn_free(copy);
        if (status < 0) return status;
        bytes += size, length -= (size_t)size;
    }
    return JN_OK;
}

static int answer(coordinator *c, int from, const unsigned char *bytes, size_t length) {
    message head;
    if (length < sizeof head) return JN_ERR_IO;
    memcpy(&head, bytes, sizeof head);
    switch (head.kind) {
    case HELLO:
        c->hello++;
        if ((uint64_t)head.value == c->p->study->hash) return JN_OK;
        return jn_report_add(c->p->report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){c->p->study->path, 0, 0}, NULL,
                             "rank %d has read another study or model\ngive all ranks the same files", from);
    case WANT: return give_tasks(c, from, head.value);
    case ROWS: return take_rows(c, bytes + sizeof head, length - sizeof head);
    case IDLE: c->idle++; return JN_OK;
    case FAILED: return (int)head.value;
    default: return JN_ERR_IO;
    }
}

/* One round: messages are answered until all ranks have done their tasks. */
static int coordinate(coordinator *c) {
    long pause = 20000;
    atomic_store(&c->p->next, 0);
    atomic_store(&c->over, false);
    c->idle = 0;
    if (pthread_create(&c->thread, NULL, run_threads, c)) return JN_ERR_MEMORY;
    while (c->status >= 0 && !(atomic_load(&c->over) && (c->idle == c->t->size - 1 || atomic_load(&c->p->stop)))) {
        unsigned char *bytes = NULL;
        int from = 0;
        long length = c->t->receive(c->t, &from, &bytes);
        if (length > 0) {
            c->status = answer(c, from, bytes, (size_t)length);
            pause = 20000;
        } else if (length < 0) {
            c->status = JN_ERR_IO;
        } else {
            rest_briefly(&pause);
        }
        jn_free(bytes);
    }
    if (c->status < 0) atomic_store(&c->p->stop, true);
    pthread_join(c->thread, NULL);
    return c->status < 0 ? c->status : c->p->status;
}

/* Rows that the kind has added, for the others: numbers of rows and tasks, how they are done, points, first rows of the tasks. */
static int send_plan(coordinator *c, long from) {
    const jn_study *s = c->p->study;
    size_t points = (size_t)(s->rows - from) * (size_t)s->varies * sizeof(double),
           tasks = s->first ? (size_t)(s->tasks + 1) * sizeof(long) : 0;
    int64_t counts[3] = {s->rows - from, s->first ? s->tasks : -1, s->mode};
    unsigned char *bytes = jn_malloc(sizeof counts + points + tasks + 1);
    if (!bytes) return JN_ERR_MEMORY;
    memcpy(bytes, counts, sizeof counts);
    memcpy(bytes + sizeof counts, s->point + from * s->varies, points);
    if (tasks) memcpy(bytes + sizeof counts + points, s->first, tasks);
    int status = JN_OK;
    for (int rank = 1; rank < c->t->size && status >= 0; rank++)
        status = send_message(c->t, rank, MORE, 0, bytes, sizeof counts + points + tasks);
    jn_free(bytes);
    return status;
}

static int lead(jn_study *s, const jn_study_options *o, jn_transport *t, jn_report *report) {
    jn_perform p;
    int status = jn_perform_open(&p, s, o, report);
    coordinator c = {.p = &p, .t = t, .threads = jn_study_threads(o)};
    for (bool more = status >= 0; more;) {
        long rows = s->rows;
        status = coordinate(&c);
        more = false;
        if (status >= 0 && atomic_load(&p.stop)) status = JN_STOPPED;
        if (status == JN_OK) status = jn_perform_conclude(&p), more = status > 0;
        if (more) status = send_plan(&c, rows), more = status >= 0;
    }
    if (status < 0 && report && !report->errors)
        jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){s->path, 0, 0}, NULL, "the study ended: %s",
                      jn_status_text(status));
    for (int rank = 1; rank < t->size; rank++) send_message(t, rank, END, status, NULL, 0);
    jn_perform_close(&p);
    if (status >= 0 && o->folder) {
        int written = jn_study_write(s, o->folder, report);
        if (written < 0) status = written;
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------------- other ranks */

typedef struct follower {
    jn_perform *p;
    jn_transport *t;
    pthread_t thread;
    pthread_cond_t filled;
    int64_t queue[QUEUE];
    long head, tail; /* tasks taken; tasks given */
    bool asked, none, over;
    jn_row_bytes out; /* rows that wait to be sent */
    int threads;
} follower;

static long fetch_given(jn_perform *p) {
    follower *f = p->context;
    long task = -1;
    pthread_mutex_lock(&p->lock);
    while (f->head == f->tail && !f->none && !atomic_load(&p->stop)) pthread_cond_wait(&f->filled, &p->lock);
    if (f->head < f->tail) task = (long)f->queue[f->head++ % QUEUE];
    pthread_mutex_unlock(&p->lock);
    return task;
}

static int queue_row(jn_perform *p, const jn_row_bytes *row) {
    follower *f = p->context;
    uint64_t size = row->length;
    int status = JN_OK;
    pthread_mutex_lock(&p->lock);
    size_t need = f->out.length + sizeof size + row->length;
    if (need > f->out.room) {
        unsigned char *wide = jn_realloc(f->out.bytes, 2 * need);
        if (wide) f->out.bytes = wide, f->out.room = 2 * need;
        if (!wide) status = JN_ERR_MEMORY;
    }
    if (status >= 0) {
        memcpy(f->out.bytes + f->out.length, &size, sizeof size);
        memcpy(f->out.bytes + f->out.length + sizeof size, row->bytes, row->length);
        f->out.length = need;
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

static void *run_given(void *context) {
    follower *f = context;
    jn_perform_threads(f->p, f->threads);
    pthread_mutex_lock(&f->p->lock);
    f->over = true;
    pthread_mutex_unlock(&f->p->lock);
    return NULL;
}

/* The rows of another round, as rank 0 has planned them. */
static int plan_more(jn_study *s, const unsigned char *bytes, size_t length) {
    int64_t counts[3];
    if (length < sizeof counts) return JN_ERR_IO;
    memcpy(counts, bytes, sizeof counts);
    size_t points = (size_t)counts[0] * (size_t)s->varies * sizeof(double),
           tasks = counts[1] >= 0 ? (size_t)(counts[1] + 1) * sizeof(long) : 0;
    if (counts[0] < 0 || length != sizeof counts + points + tasks) return JN_ERR_IO;
    double *point = jn_study_plan_rows(s, (long)counts[0]);
    if (!point || !jn_study_rows_create(s, s->rows - (long)counts[0], s->rows)) return JN_ERR_MEMORY;
    memcpy(point, bytes + sizeof counts, points);
    s->mode = (int)counts[2];
    if (!tasks) return JN_OK;
    long *first = jn_realloc(s->first, tasks);
    if (!first) return JN_ERR_MEMORY;
    memcpy(first, bytes + sizeof counts + points, tasks);
    s->first = first, s->tasks = (long)counts[1];
    return JN_OK;
}

/* Sends what waits, and asks for tasks before there are none. */
static int serve(follower *f) {
    jn_perform *p = f->p;
    int status = JN_OK;
    pthread_mutex_lock(&p->lock);
    jn_row_bytes rows = f->out;
    f->out = (jn_row_bytes){0};
    bool want = !f->asked && !f->none && f->tail - f->head < f->threads;
    if (want) f->asked = true;
    pthread_mutex_unlock(&p->lock);
    if (rows.length) status = send_message(f->t, 0, ROWS, 0, rows.bytes, rows.length);
    jn_free(rows.bytes);
    if (want && status >= 0) status = send_message(f->t, 0, WANT, f->threads, NULL, 0);
    return status;
}

static void take_tasks(follower *f, const unsigned char *bytes, int64_t count) {
    pthread_mutex_lock(&f->p->lock);
    for (int64_t k = 0; k < count; k++)
        memcpy(&f->queue[f->tail++ % QUEUE], bytes + k * (int64_t)sizeof(int64_t), sizeof(int64_t));
    f->asked = false, f->none = count == 0;
    pthread_cond_broadcast(&f->filled);
    pthread_mutex_unlock(&f->p->lock);
}

/* Ends its threads at once. */
static void give_up(follower *f) {
    pthread_mutex_lock(&f->p->lock);
    atomic_store(&f->p->stop, true);
    f->none = true;
    pthread_cond_broadcast(&f->filled);
    pthread_mutex_unlock(&f->p->lock);
}

/* One round. Returns 1: another one follows; 0: the study is over. */
static int follow(follower *f) {
    long pause = 20000;
    int status = JN_OK, next = -1;
    bool idle = false;
    f->head = f->tail = 0, f->asked = f->none = f->over = false;
    if (pthread_create(&f->thread, NULL, run_given, f)) return JN_ERR_MEMORY;
    while (next < 0 && status >= 0) {
        unsigned char *bytes = NULL;
        message head = {-1, 0};
        int from;
        status = serve(f);
        long length = status < 0 ? 0 : f->t->receive(f->t, &from, &bytes);
        if (length >= (long)sizeof head) memcpy(&head, bytes, sizeof head), pause = 20000;
        if (length < 0) status = JN_ERR_IO;
        if (head.kind == TASKS) take_tasks(f, bytes + sizeof head, head.value);
        if (head.kind == END) next = 0;
        if (head.kind == MORE)
            status = plan_more(f->p->study, bytes + sizeof head, (size_t)length - sizeof head), next = 1;
        jn_free(bytes);
        pthread_mutex_lock(&f->p->lock);
        bool done = f->over && f->out.length == 0;
        pthread_mutex_unlock(&f->p->lock);
        if (done && f->p->status < 0) status = f->p->status;
        if (done && !idle && status >= 0) idle = true, status = send_message(f->t, 0, IDLE, 0, NULL, 0);
        if (length == 0 && status >= 0) rest_briefly(&pause);
    }
    if (next != 1 || status < 0) give_up(f);
    pthread_join(f->thread, NULL);
    return status < 0 ? status : next;
}

static int assist(jn_study *s, const jn_study_options *o, jn_transport *t, jn_report *report) {
    jn_perform p;
    jn_study_options own = {.threads = o->threads};
    int status = jn_perform_open(&p, s, &own, report);
    follower *f = jn_malloc(sizeof *f);
    if (!f) return JN_ERR_MEMORY;
    *f = (follower){.p = &p, .t = t, .threads = jn_study_threads(o)};
    pthread_cond_init(&f->filled, NULL);
    p.fetch = fetch_given, p.take = queue_row, p.context = f;
    p.folder = o->folder;
    if (status >= 0) status = send_message(t, 0, HELLO, (int64_t)s->hash, NULL, 0);
    while (status >= 0 && (status = follow(f)) > 0) continue;
    if (status < 0) send_message(t, 0, FAILED, status, NULL, 0);
    pthread_cond_destroy(&f->filled);
    jn_free(f->out.bytes);
    jn_free(f);
    jn_perform_close(&p);
    return status;
}

void jn_study_ranks_fail(jn_transport *t) {
    if (t->rank > 0) send_message(t, 0, FAILED, JN_ERR_IO, NULL, 0);
    for (int rank = 1; t->rank == 0 && rank < t->size; rank++) send_message(t, rank, END, JN_ERR_IO, NULL, 0);
}

int jn_study_perform_ranks(jn_study *s, const jn_study_options *o, jn_transport *t, jn_report *report) {
    return t->rank == 0 ? lead(s, o, t, report) : assist(s, o, t, report);
}

/* The largest Lyapunov exponent: the mean rate at which a small distance between two simulations grows [Benettin1980]. The distance is brought
 * back to its size after every interval. An instant between the impacts of one and the same impacts of the other is no time to compare them:
 * then the comparison waits for the end of a step at which both have had as many. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "model/model_layout.h"
#include "step/sim.h"
#include "workflow/study/measures/measures.h"
#include "workflow/study/measures/shadow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCHES = 16, SKIP = 5 };
/* Distances in parts of the size of the motion: without contacts and by method impact round-off and tolerances are far below it; an adaptive
 * integrator finds forces of contact less sharply; steps that pass an impact must be shorter than the time between both impacts. */
#define DISTANCE 1e-7
#define DISTANCE_COMPLIANT 1e-3
#define DISTANCE_NONSMOOTH 1e-2
#define SLACK 1e-12                 /* relative: round-off of times */
#define IN_TURN 0.15915494309189535 /* 1/(2 pi): velocities count with the time of a radian of the interval */

typedef struct settings {
    double interval, distance; /* distance 0: the usual one of the run's method */
} settings;

typedef struct growth {
    double log, time; /* of the distance; [s] that it took */
} growth;

typedef struct lyapunov {
    jn_shadow shadow;
    double size, distance;        /* size of the motion; the distance that is kept */
    double next, last;            /* [s] of the comparison to come, and of the last one */
    long impacts, shadow_impacts; /* since the last one */
    growth *list;
    long count, room, seen;
    bool merged; /* the distance has become zero */
} lyapunov;

static double usual_distance(const jn_model *model) {
    if (model->contact_room == 0 || model->run.method == JN_METHOD_IMPACT) return DISTANCE;
    return model->run.method == JN_METHOD_NONSMOOTH ? DISTANCE_NONSMOOTH : DISTANCE_COMPLIANT;
}

static bool read_lyapunov(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    settings *own = jn_store_alloc(r->store, sizeof *own);
    const jn_node *distance = jn_node_get(m->node, "distance");
    if (!own) return jn_read_no_memory(r);
    *own = (settings){0};
    m->data = own;
    if (!jn_node_get(m->node, "skip")) m->skip = SKIP;
    if (!jn_read_number(r, value, JN_MEASURE_TIME, &own->interval) ||
        (distance && !jn_read_number(r, distance, JN_MEASURE_NUMBER, &own->distance)))
        return false;
    if (!(own->interval > 0))
        return jn_read_error(r, value->where, JN_ERR_MODEL,
                             "the time between two comparisons must be greater than 0\nwrite '{lyapunov: 1 s}'");
    m->when = (jn_when){.kind = JN_WHEN_EVERY, .period = own->interval}; /* adaptive integrators end steps there */
    return !distance || (own->distance > 0 && own->distance < 0.1) ||
           jn_read_error(r, distance->where, JN_ERR_MODEL,
                         "'distance' is a small part of the motion, not %g\nwrite 'distance: 1e-7'", own->distance);
}

static void count_shadow(void *context, const jn_event *e) {
    if (e->kind && !strcmp(e->kind, "impact")) ((lyapunov *)context)->shadow_impacts++;
}

static void event(jn_study_run *run, const jn_study_measure *m, void *state, const jn_event *e) {
    (void)run, (void)m;
    if (e->kind && !strcmp(e->kind, "impact")) ((lyapunov *)state)->impacts++;
}

static bool keep(lyapunov *x, double log, double time) {
    if (x->count == x->room) {
        long room = 2 * x->room + 64;
        growth *wide = jn_realloc(x->list, (size_t)room * sizeof *wide);
        if (!wide) return false;
        x->list = wide, x->room = room;
    }
    x->list[x->count++] = (growth){log, time};
    return true;
}

/* The first interval shows how large the motion is. */
static void begin_shadow(jn_study_run *run, const settings *own, lyapunov *x) {
    x->distance = (own->distance > 0 ? own->distance : usual_distance(run->model)) * (x->size > 0 ? x->size : 1);
    int status = jn_shadow_create(&x->shadow, run->sim, x->distance, own->interval * IN_TURN, &run->worker->report);
    if (status < 0) {
        run->why = status == JN_ERR_ARGUMENT ? "nothing can be shaken for its Lyapunov exponent: all motions are driven"
                                             : "out of memory for a second simulation";
        return;
    }
    jn_sim_on_event(x->shadow.sim, count_shadow, x);
}

/* The next multiple of the interval after t. */
static double following(double t, double interval) { return interval * (floor(t / interval * (1 + SLACK)) + 1); }

static void compare(jn_study_run *run, const jn_study_measure *m, const settings *own, lyapunov *x) {
    double t = run->sim->s->t;
    if (jn_sim_advance(x->shadow.sim, t) < 0) {
        run->why = "the second simulation failed";
        return;
    }
    if (x->impacts != x->shadow_impacts && t < x->next + own->interval) return;
    double distance = jn_shadow_distance(&x->shadow, run->sim);
    if (!isfinite(distance)) {
        run->why = "the second simulation is not finite";
        return;
    }
    if (distance == 0) { /* both are at rest at the same place, for example: nothing is left to grow */
        x->merged = true;
        return;
    }
    if (x->seen++ >= m->skip && !keep(x, jn_log(distance / x->distance), t - x->last))
        run->why = "out of memory for the growth of distances";
    jn_shadow_pull(&x->shadow, run->sim, x->distance / distance);
    x->impacts = x->shadow_impacts = 0;
    x->last = t, x->next = following(t, own->interval);
}

static void look(jn_study_run *run, const jn_study_measure *m, void *state) {
    const settings *own = m->data;
    lyapunov *x = state;
    const jn_state *s = run->sim->s;
    if (run->sim->between || x->merged) return; /* a state to go on from is at the end of a step */
    double speed = 0;
    for (int i = 0; !x->shadow.sim && i < run->model->nv; i++) speed += s->u[i] * s->u[i];
    x->size = jn_fmax(x->size, own->interval * IN_TURN * sqrt(speed));
    if (x->next == 0) x->next = following(s->t + 0.5 * own->interval, own->interval);
    if (s->t < x->next * (1 - SLACK)) return;
    if (x->shadow.sim) {
        compare(run, m, own, x);
        return;
    }
    begin_shadow(run, own, x);
    x->impacts = x->shadow_impacts = 0;
    x->last = s->t, x->next = following(s->t, own->interval);
}

/* The mean, and its standard error by the means of batches. */
static void end(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const lyapunov *x = state;
    double sum = 0, time = 0, squares = 0;
    (void)run, (void)m;
    for (long i = 0; i < x->count; i++) sum += x->list[i].log, time += x->list[i].time;
    out[0] = x->merged ? -INFINITY : time > 0 ? sum / time : NAN, out[1] = NAN;
    if (x->merged || x->count < 2 * BATCHES) return;
    for (int b = 0; b < BATCHES; b++) {
        double log = 0, span = 0;
        for (long i = x->count * b / BATCHES; i < x->count * (b + 1) / BATCHES; i++)
            log += x->list[i].log, span += x->list[i].time;
        squares += (log / span - out[0]) * (log / span - out[0]);
    }
    out[1] = sqrt(squares / (BATCHES * (BATCHES - 1)));
}

static void release(void *state) {
    lyapunov *x = state;
    jn_shadow_free(&x->shadow);
    jn_free(x->list);
}

static const char *column(const jn_study_measure *m, int k, char *unit) {
    (void)m;
    snprintf(unit, 64, "1/s");
    return k ? "error" : NULL;
}

static const char *const keys[] = {"distance", "skip", NULL};
const jn_measure_kind jn_measure_lyapunov = {.key = "lyapunov",
                                             .doc = "largest Lyapunov exponent, and its standard error: growth of the "
                                                    "distance to a second simulation, compared after every such "
                                                    "time; the first ones are left out (skip: 5)",
                                             .example = "exponent: {lyapunov: 1 s, after: 20 s, distance: 1e-7}",
                                             .keys = keys,
                                             .read = read_lyapunov,
                                             .state = sizeof(lyapunov),
                                             .looks = true,
                                             .columns = 2,
                                             .look = look,
                                             .event = event,
                                             .end = end,
                                             .free = release,
                                             .column = column};

/* Measures over the course of a channel: max, min, range, mean, rms. Means are integrals by the trapezoidal rule over the looks. */
#include "workflow/study/measures/measures.h"

#include "algebra/elementary.h"

#include <math.h>

typedef struct course {
    bool seen;
    double low, high, last, t, time, sum, squares;
} course;

static bool read_channel(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    m->channel[0] = jn_measure_channel(r, value, m);
    m->channels = 1;
    return m->channel[0] >= 0;
}

static void look(jn_study_run *run, const jn_study_measure *m, void *state) {
    course *c = state;
    double x = run->value[m->channel[0]];
    if (!c->seen) {
        *c = (course){.seen = true, .low = x, .high = x, .last = x, .t = run->t};
        return;
    }
    double h = run->t - c->t;
    c->low = jn_fmin(c->low, x), c->high = jn_fmax(c->high, x);
    c->time += h;
    c->sum += 0.5 * h * (c->last + x);
    c->squares += h * (c->last * c->last + c->last * x + x * x) / 3; /* of a straight line */
    c->last = x, c->t = run->t;
}

static void end_max(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const course *c = state;
    (void)run, (void)m;
    *out = c->seen ? c->high : NAN;
}

static void end_min(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const course *c = state;
    (void)run, (void)m;
    *out = c->seen ? c->low : NAN;
}

static void end_range(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const course *c = state;
    (void)run, (void)m;
    *out = c->seen ? c->high - c->low : NAN;
}

static void end_mean(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const course *c = state;
    (void)run, (void)m;
    *out = c->time > 0 ? c->sum / c->time : c->seen ? c->last : NAN;
}

static void end_rms(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const course *c = state;
    (void)run, (void)m;
    *out = c->time > 0 ? sqrt(c->squares / c->time) : c->seen ? fabs(c->last) : NAN;
}

#define COURSE .read = read_channel, .state = sizeof(course), .looks = true, .columns = 1, .look = look
const jn_measure_kind jn_measure_max = {.key = "max",
                                        .doc = "largest value of a channel",
                                        .example = "peak: {max: contact.steel.fn, after: 0.1 s}",
                                        COURSE,
                                        .end = end_max};
const jn_measure_kind jn_measure_min = {
    .key = "min", .doc = "smallest value", .example = "lowest: {min: body.slider.y}", COURSE, .end = end_min};
const jn_measure_kind jn_measure_range = {.key = "range",
                                          .doc = "largest less smallest value",
                                          .example = "swing: {range: joint.pin.q, after: 5 s}",
                                          COURSE,
                                          .end = end_range};
const jn_measure_kind jn_measure_mean = {
    .key = "mean", .doc = "mean over time", .example = "load: {mean: joint.pin.fy}", COURSE, .end = end_mean};
const jn_measure_kind jn_measure_rms = {.key = "rms",
                                        .doc = "root of the mean square over time",
                                        .example = "shake: {rms: body.frame.ay}",
                                        COURSE,
                                        .end = end_rms};

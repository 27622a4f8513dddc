/* Measures at instants: the end, a time, events that are counted, the time of an instant, samples. */
#include "workflow/study/measures/measures.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One channel, or a list of them. */
static bool read_channels(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    int count = value->kind == JN_NODE_LIST ? value->count : 1;
    if (count < 1 || count > JN_MEASURE_CHANNELS)
        return jn_read_error(r, value->where, JN_ERR_MODEL,
                             "a measure takes 1 to %d channels, not %d\nmake several measures", JN_MEASURE_CHANNELS,
                             count);
    for (int k = 0; k < count; k++) {
        m->channel[k] = jn_measure_channel(r, value->kind == JN_NODE_LIST ? value->items[k] : value, m);
        if (m->channel[k] < 0) return false;
    }
    m->channels = count;
    return true;
}

/* With several channels each has its column, numbered from 1. */
static const char *column_of(const jn_study_measure *m, int k, char *unit) {
    static const char *const numbers[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    (void)unit;
    return m->channels > 1 ? numbers[k] : NULL;
}

/* ------------------------------------------------------------------------------------------------------------- end */

static void end_values(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    (void)state;
    for (int k = 0; k < m->channels; k++) out[k] = run->value[m->channel[k]];
}

const jn_measure_kind jn_measure_end = {.key = "end",
                                        .doc = "value at the end of the run; a list: of several channels",
                                        .example = "loss: {end: energy.dissipated}",
                                        .read = read_channels,
                                        .end = end_values,
                                        .column = column_of};

/* ------------------------------------------------------------------------------------------------------ at a time */

typedef struct at_time {
    jn_when_state when;
    bool seen;
    double value[JN_MEASURE_CHANNELS];
} at_time;

static bool read_value(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    const jn_node *at = jn_node_get(m->node, "at");
    if (!at) return jn_read_error(r, m->where, JN_ERR_MODEL, "'value' needs a time\nwrite {value: CHANNEL, at: 1 s}");
    return jn_read_number(r, at, JN_MEASURE_TIME, &m->at) && read_channels(r, value, m);
}

static void look_value(jn_study_run *run, const jn_study_measure *m, void *state) {
    at_time *s = state;
    if (s->seen || run->t < m->at) return;
    s->seen = true; /* the run looks at this time exactly */
    for (int k = 0; k < m->channels; k++) s->value[k] = run->value[m->channel[k]];
}

static void end_value(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const at_time *s = state;
    (void)run;
    for (int k = 0; k < m->channels; k++) out[k] = s->seen ? s->value[k] : NAN;
}

static const char *const at_keys[] = {"at", NULL};
const jn_measure_kind jn_measure_value = {.key = "value",
                                          .doc = "value at a time",
                                          .example = "height: {value: body.ball.y, at: 1 s}",
                                          .keys = at_keys,
                                          .read = read_value,
                                          .state = sizeof(at_time),
                                          .look = look_value,
                                          .end = end_value,
                                          .column = column_of};

/* ----------------------------------------------------------------------------------------------------------- count */

/* events, events.KIND or events.KIND.PLACE */
static bool read_count(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    if (!jn_expect_kind(r, value, JN_NODE_SCALAR, "events to count, as 'events.impact'")) return false;
    if (strncmp(value->text, "events", 6) != 0 || (value->text[6] && value->text[6] != '.'))
        return jn_read_error(r, value->where, JN_ERR_MODEL,
                             "'%.80s' cannot be counted\nwrite 'events.impact', 'events.contact.NAME' or 'events'",
                             value->text);
    char *kind = value->text[6] ? jn_store_strdup(r->store, value->text + 7) : NULL;
    char *dot = kind ? strchr(kind, '.') : NULL;
    if (value->text[6] && !kind) return jn_read_no_memory(r);
    if (dot) *dot = 0, m->event_at = dot + 1;
    m->event = kind;
    return true;
}

static void event_count(jn_study_run *run, const jn_study_measure *m, void *state, const jn_event *e) {
    (void)run;
    if (m->event && strcmp(m->event, e->kind ? e->kind : "") != 0) return;
    if (m->event_at && strcmp(m->event_at, e->where ? e->where : "") != 0) return;
    ++*(long *)state;
}

static void end_count(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    (void)run, (void)m;
    *out = (double)*(long *)state;
}

const jn_measure_kind jn_measure_count = {.key = "count",
                                          .doc = "number of events: events.KIND, or events.KIND.PLACE",
                                          .example = "impacts: {count: events.impact}",
                                          .read = read_count,
                                          .state = sizeof(long),
                                          .columns = 1,
                                          .event = event_count,
                                          .end = end_count};

/* --------------------------------------------------------------------------------------------------------- instant */

typedef struct instants {
    jn_when_state when;
    long seen, taken;
    double t;
} instants;

static bool read_instant(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    return jn_when_read(r, value, m, &m->when);
}

static void look_instant(jn_study_run *run, const jn_study_measure *m, void *state) {
    instants *s = state;
    const double *value;
    double t;
    if (s->taken || !jn_when_happens(run, m, &m->when, &s->when, &t, &value)) return;
    if (s->seen++ < m->skip) return;
    s->taken = 1, s->t = t;
}

static void event_instant(jn_study_run *run, const jn_study_measure *m, void *state, const jn_event *e) {
    (void)run;
    jn_when_event(&m->when, &((instants *)state)->when, e);
}

static void end_instant(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const instants *s = state;
    (void)run, (void)m;
    *out = s->taken ? s->t : NAN;
}

static const char *column_time(const jn_study_measure *m, int k, char *unit) {
    (void)m, (void)k;
    snprintf(unit, 64, "s");
    return NULL;
}

static const char *const instant_keys[] = {"skip", NULL};
const jn_measure_kind jn_measure_instant = {.key = "instant",
                                            .doc = "time of an instant: the first one after those that are skipped",
                                            .example = "quarter: {instant: joint.pin.q crosses 0}",
                                            .keys = instant_keys,
                                            .read = read_instant,
                                            .state = sizeof(instants),
                                            .looks = true,
                                            .columns = 1,
                                            .look = look_instant,
                                            .event = event_instant,
                                            .end = end_instant,
                                            .column = column_time};

/* ---------------------------------------------------------------------------------------------------------- sample */

static bool read_sample(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    if (!jn_node_get(m->node, "when"))
        return jn_read_error(r, m->where, JN_ERR_MODEL,
                             "'sample' needs instants\nadd 'when: joint.crank.q crosses 0 mod 360 deg', 'when: event "
                             "impact' or 'when: every 10 ms'");
    return read_channels(r, value, m);
}

static void look_sample(jn_study_run *run, const jn_study_measure *m, void *state) {
    instants *s = state;
    const double *value;
    double t, kept[JN_MEASURE_CHANNELS];
    while (jn_when_happens(run, m, &m->when, &s->when, &t, &value)) {
        if (s->seen++ < m->skip || (m->most && s->taken >= m->most)) continue;
        for (int k = 0; k < m->channels; k++) kept[k] = value[m->channel[k]];
        s->taken += jn_study_sample(run, m, t, kept, m->channels);
    }
}

static void end_sample(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    (void)run, (void)m;
    *out = (double)((const instants *)state)->taken;
}

static const char *column_number(const jn_study_measure *m, int k, char *unit) {
    (void)m, (void)k;
    snprintf(unit, 64, "1");
    return NULL;
}

static const char *const sample_keys[] = {"when", "skip", "most", NULL};
const jn_measure_kind jn_measure_sample = {
    .key = "sample",
    .doc = "values of channels at instants, a list of points in each run; the column is their number",
    .example = "section: {sample: [joint.crank.u, body.slider.y], when: joint.crank.q crosses 0 mod 360 deg, skip: 50}",
    .keys = sample_keys,
    .read = read_sample,
    .state = sizeof(instants),
    .looks = true,
    .has_samples = true,
    .columns = 1,
    .look = look_sample,
    .event = event_instant,
    .end = end_sample,
    .column = column_number};

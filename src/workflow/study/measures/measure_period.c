/* Period detection: after how many instants a section repeats itself. The steady state: the run may end there. */
#include "algebra/elementary.h"
#include "base/memory.h"
#include "workflow/study/measures/measures.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST = 32, MOST = 4096 }; /* periods looked for: unless said otherwise, and at all */
#define TOLERANCE 1e-6
#define DISTINCT 1e3 /* tolerances apart are the points of a cycle */

typedef struct settings {
    double tolerance; /* of the largest value of each channel at the instants */
    int longest;
    bool stop;
} settings;

typedef struct period {
    jn_when_state when;
    double *ring; /* (2 longest + 1 points x channels) the last ones */
    double size[JN_MEASURE_CHANNELS];
    long seen, skipped;
    int found;
    double since; /* [s] first instant with this period */
} period;

static bool read_list(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    int count = value->kind == JN_NODE_LIST ? value->count : 1;
    if (count < 1 || count > JN_MEASURE_CHANNELS)
        return jn_read_error(r, value->where, JN_ERR_MODEL, "a section has 1 to %d channels, not %d",
                             JN_MEASURE_CHANNELS, count);
    for (m->channels = 0; m->channels < count; m->channels++) {
        int k = jn_measure_channel(r, value->kind == JN_NODE_LIST ? value->items[m->channels] : value, m);
        if (k < 0) return false;
        m->channel[m->channels] = k;
    }
    return true;
}

static bool read_period(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    settings *own = jn_store_alloc(r->store, sizeof *own);
    const jn_node *tolerance = jn_node_get(m->node, "tolerance"), *stop = jn_node_get(m->node, "stop");
    if (!own) return jn_read_no_memory(r);
    *own = (settings){.tolerance = TOLERANCE, .longest = m->most ? m->most : LONGEST};
    m->data = own;
    if (!jn_node_get(m->node, "when"))
        return jn_read_error(r, m->where, JN_ERR_MODEL,
                             "'period' needs instants\nadd 'when: every 10 ms', or 'when: joint.crank.q crosses 0 mod "
                             "360 deg'");
    if (tolerance && !jn_read_number(r, tolerance, JN_MEASURE_NUMBER, &own->tolerance)) return false;
    if (stop && !jn_read_bool(r, stop, &own->stop)) return false;
    if (!(own->tolerance > 0 && own->tolerance < 1))
        return jn_read_error(r, tolerance->where, JN_ERR_MODEL,
                             "'tolerance' lies between 0 and 1, it is not %g\nwrite 'tolerance: 1e-6'", own->tolerance);
    if (own->longest > MOST)
        return jn_read_error(r, m->where, JN_ERR_LIMIT, "'most' is at most %d, not %d", MOST, own->longest);
    return read_list(r, value, m);
}

static long points(const settings *own) { return 2L * own->longest + 1; }

static int begin(jn_study_run *run, const jn_study_measure *m, void *state) {
    (void)run;
    ((period *)state)->ring = jn_malloc((size_t)(points(m->data) * m->channels) * sizeof(double));
    return ((period *)state)->ring ? JN_OK : JN_ERR_MEMORY;
}

/* Whether the point `back` instants ago was seen again p instants later, to the tolerance times a factor. */
static bool repeats(const period *x, const jn_study_measure *m, long back, long p, double factor) {
    const settings *own = m->data;
    long n = points(own), late = (x->seen - 1 - back) % n, early = (x->seen - 1 - back - p) % n;
    for (int k = 0; k < m->channels; k++)
        if (!(fabs(x->ring[late * m->channels + k] - x->ring[early * m->channels + k]) <=
              factor * own->tolerance * x->size[k]))
            return false;
    return true;
}

static bool all_repeat(const period *x, const jn_study_measure *m, long span, long p, double factor) {
    long k = 0;
    while (k < span && repeats(x, m, k, p, factor)) k++;
    return k == span;
}

/* The smallest p after which all of the last p instants, and two at least, have repeated themselves; 0: none. A part of p must be no period by
 * far: where a motion of period 1 is approached slowly from both sides, every second point looks the same first. O(longest) mostly. */
static int find(const period *x, const jn_study_measure *m) {
    const settings *own = m->data;
    for (long p = 1; p <= own->longest; p++) {
        long span = p < 2 ? 2 : p;
        if (x->seen < p + span) return 0;
        if (!all_repeat(x, m, span, p, 1)) continue;
        for (long part = 1; part < p; part++)
            if (p % part == 0 && all_repeat(x, m, p, part, DISTINCT)) return 0;
        return (int)p;
    }
    return 0;
}

static void look(jn_study_run *run, const jn_study_measure *m, void *state) {
    period *x = state;
    const settings *own = m->data;
    const double *value;
    double t;
    while (jn_when_happens(run, m, &m->when, &x->when, &t, &value)) {
        if (x->skipped++ < m->skip) continue;
        double *to = x->ring + x->seen++ % points(own) * m->channels;
        for (int k = 0; k < m->channels; k++) {
            to[k] = value[m->channel[k]];
            x->size[k] = jn_fmax(x->size[k], fabs(to[k]));
        }
        int found = find(x, m);
        if (found != x->found) x->found = found, x->since = t;
        if (found && own->stop) run->stop = true;
    }
}

static void event(jn_study_run *run, const jn_study_measure *m, void *state, const jn_event *e) {
    (void)run;
    jn_when_event(&m->when, &((period *)state)->when, e);
}

static void end(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const period *x = state;
    (void)run, (void)m;
    out[0] = x->found;
    out[1] = x->found ? x->since : NAN;
}

static void release(void *state) { jn_free(((period *)state)->ring); }

static const char *column(const jn_study_measure *m, int k, char *unit) {
    (void)m;
    snprintf(unit, 64, "%s", k ? "s" : "1");
    return k ? "since" : NULL;
}

static const char *const keys[] = {"when", "skip", "most", "tolerance", "stop", NULL};
const jn_measure_kind jn_measure_period = {
    .key = "period",
    .doc = "after how many instants the values of channels repeat themselves, 0: not within 'most' of them (32), and "
           "since when; stop: "
           "true ends the run there",
    .example = "turns: {period: [joint.pin.q, joint.pin.u], when: every 0.1 s, tolerance: 1e-6, stop: true}",
    .keys = keys,
    .read = read_period,
    .state = sizeof(period),
    .looks = true,
    .columns = 2,
    .begin = begin,
    .look = look,
    .event = event,
    .end = end,
    .free = release,
    .column = column};

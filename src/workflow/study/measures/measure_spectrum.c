/* The strongest frequencies of a channel and their amplitudes, from samples at equal times. */
#include "base/memory.h"
#include "workflow/study/statistics/fourier.h"
#include "workflow/study/measures/measures.h"

#include <math.h>
#include <stdio.h>

enum { PEAKS = 3 };

typedef struct series {
    jn_when_state when;
    double *x;
    long count, room;
} series;

static bool read_spectrum(jn_reader *r, const jn_node *value, jn_study_measure *m) {
    const jn_node *every = jn_node_get(m->node, "every");
    double period = 0;
    if (!every)
        return jn_read_error(r, m->where, JN_ERR_MODEL,
                             "'spectrum' needs the time between its samples\nadd 'every: 1 ms', less than half of the "
                             "shortest period");
    if (!jn_read_number(r, every, JN_MEASURE_TIME, &period)) return false;
    if (!(period > 0))
        return jn_read_error(r, every->where, JN_ERR_MODEL, "the time must be greater than 0\nwrite 'every: 1 ms'");
    m->when = (jn_when){.kind = JN_WHEN_EVERY, .period = period};
    m->channel[0] = jn_measure_channel(r, value, m);
    m->channels = 1;
    return m->channel[0] >= 0;
}

static void look(jn_study_run *run, const jn_study_measure *m, void *state) {
    series *s = state;
    const double *value;
    double t;
    while (jn_when_happens(run, m, &m->when, &s->when, &t, &value)) {
        if (s->count == s->room) {
            long room = 2 * s->room + 256;
            double *wide = jn_realloc(s->x, (size_t)room * sizeof *wide);
            if (!wide) {
                run->why = "out of memory for the samples of a spectrum";
                return;
            }
            s->x = wide, s->room = room;
        }
        s->x[s->count++] = value[m->channel[0]];
    }
}

static void end(jn_study_run *run, const jn_study_measure *m, void *state, double *out) {
    const series *s = state;
    double frequency[PEAKS], amplitude[PEAKS];
    if (!jn_fourier_peaks(s->x, s->count, m->when.period, PEAKS, frequency, amplitude))
        run->why = "out of memory for a spectrum";
    for (int i = 0; i < PEAKS; i++) out[2 * i] = frequency[i], out[2 * i + 1] = amplitude[i];
}

static void release(void *state) { jn_free(((series *)state)->x); }

static const char *column(const jn_study_measure *m, int k, char *unit) {
    static const char *const names[] = {"f1", "a1", "f2", "a2", "f3", "a3"};
    (void)m;
    if (k % 2 == 0) snprintf(unit, 64, "1/s");
    return names[k];
}

static const char *const keys[] = {"every", NULL};
const jn_measure_kind jn_measure_spectrum = {
    .key = "spectrum",
    .doc = "the three strongest frequencies of a channel without its mean, and their amplitudes",
    .example = "tones: {spectrum: body.frame.y, every: 1 ms, after: 1 s}",
    .keys = keys,
    .read = read_spectrum,
    .state = sizeof(series),
    .looks = true,
    .columns = 2 * PEAKS,
    .look = look,
    .end = end,
    .free = release,
    .column = column};

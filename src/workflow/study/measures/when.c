/* Instants of a run: crossings, found between two looks, events, and multiples of a time. */
#include "step/sim.h"
#include "workflow/study/study.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 60 };

/* 1 or -1 where the channel has reached the level from below or above; leaving it is no crossing. *level: which one, of a
 * periodic level. */
static int reaches(const jn_when *w, double before, double x, double *level) {
    *level = w->level;
    if (w->period > 0) {
        double up = floor((x - w->level) / w->period), down = ceil((x - w->level) / w->period);
        if (up > floor((before - w->level) / w->period)) return *level += up * w->period, 1;
        if (down < ceil((before - w->level) / w->period)) return *level += down * w->period, -1;
        return 0;
    }
    return before < w->level && x >= w->level ? 1 : before > w->level && x <= w->level ? -1 : 0;
}

/* The time at which the channel is at the level, between two looks with different sides. Regula falsi with Illinois' weights
 * [Dowell1971] on the interpolated states of the step. */
static bool locate(jn_study_run *run, const jn_when *w, double level, double *time, double *value) {
    double a = run->t_before, b = run->t, fa = run->before[w->channel] - level, fb = run->value[w->channel] - level;
    double slack = 4e-16 * (fabs(a) + fabs(b));
    int last = 0;
    for (int k = 0; k < MOST_ITERATIONS && b - a > slack && fa != 0 && fb != 0; k++) {
        double t = k % 8 == 7 ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa);
        if (!(t > a && t < b)) t = 0.5 * (a + b);
        if (t == a || t == b) break;
        if (jn_study_look_between(run, t, value) < 0) return false;
        double f = value[w->channel] - level;
        if ((f >= 0) == (fb >= 0)) {
            if (last == 1) fa *= 0.5;
            b = t, fb = f, last = 1;
        } else {
            if (last == -1) fb *= 0.5;
            a = t, fa = f, last = -1;
        }
        if (f == 0) break;
    }
    *time = fa == 0 ? a : b;
    if (*time < run->t) return jn_study_look_between(run, *time, value) >= 0;
    memcpy(value, run->value, (size_t)run->study->channels * sizeof *value);
    return true;
}

static bool crosses(jn_study_run *run, const jn_when *w, jn_when_state *state, double *t, const double **value) {
    if (!run->has_before || state->done == run->t) return false;
    double x = run->value[w->channel], before = run->before[w->channel], level;
    int way = reaches(w, before, x, &level);
    state->done = run->t;
    if (!way || !isfinite(x) || !isfinite(before) || (w->direction && w->direction != way)) return false;
    *value = run->worker->between;
    return locate(run, w, level, t, run->worker->between);
}

bool jn_when_happens(jn_study_run *run, const jn_study_measure *m, const jn_when *w, jn_when_state *state, double *t,
                     const double **value) {
    (void)m;
    *t = run->t, *value = run->value;
    switch (w->kind) {
    case JN_WHEN_CROSSING: return crosses(run, w, state, t, value);
    case JN_WHEN_EVENT:
        if (state->events == 0 || run->sim->between) return false; /* events end the steps of method impact */
        state->events--;
        return true;
    case JN_WHEN_EVERY: {
        long passed = (long)floor(run->t / w->period * (1 + 1e-13));
        if (passed <= state->times || fabs(run->t - (double)passed * w->period) > 1e-9 * w->period) return false;
        state->times = passed; /* the run looks at these times exactly */
        return true;
    }
    default: return false;
    }
}

void jn_when_event(const jn_when *w, jn_when_state *state, const jn_event *event) {
    if (w->kind != JN_WHEN_EVENT || strcmp(w->event, event->kind ? event->kind : "") != 0) return;
    if (w->at && strcmp(w->at, event->where ? event->where : "") != 0) return;
    state->events++;
}

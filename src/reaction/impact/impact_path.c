/* The contacts of one impact event: memory, start, end, and what is noted on the way. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

#define TAKE(s, count, type) jn_scratch_take((s), (count), sizeof(type))

size_t jn_impact_layout(const jn_impact_problem *problem, const jn_impact_options *options, void *base, jn_impact *w) {
    jn_scratch scratch = {.base = base}, *s = &scratch;
    size_t N = (size_t)problem->contacts, d = (size_t)problem->dimension, D = d * N, states = D + 3 * N;
    size_t S = jn_impact_rough(problem) ? D : 0; /* tangential rows that may stick */
    bool split = options->work == JN_IMPACT_KINETIC_SPLIT;
    w->part = TAKE(s, N, int), w->set = TAKE(s, N, int), w->contact = TAKE(s, N, int);
    w->beta = TAKE(s, D * D, double), w->H = TAKE(s, split ? D * D : 0, double);
    w->v = TAKE(s, D, double), w->p = TAKE(s, D, double), w->v_start = TAKE(s, D, double);
    w->shown_v = TAKE(s, D, double), w->shown_p = TAKE(s, D, double);
    w->shown_n = TAKE(s, N, double), w->shown_t = TAKE(s, N, double), w->critical = TAKE(s, N, double);
    w->mu_s = TAKE(s, N, double), w->mu_d = TAKE(s, N, double);
    w->work_n = TAKE(s, N, double), w->work_t = TAKE(s, N, double);
    w->slip = TAKE(s, N, int), w->from_rest = TAKE(s, N, bool), w->t = TAKE(s, D, double);
    w->row = TAKE(s, 2 * N, jn_impact_row);
    w->c = TAKE(s, N, double), w->c_prev = TAKE(s, N, double);
    w->dp = TAKE(s, D, double), w->dv = TAKE(s, D, double);
    w->stick = TAKE(s, D, int), w->pinv = TAKE(s, S * S, double), w->X = TAKE(s, S * N, double);
    w->answer = TAKE(s, S * D, double);
    w->K = TAKE(s, 2 * N * N, double), w->Q = TAKE(s, 2 * N * N, double);
    w->G = TAKE(s, N * N, double), w->L = TAKE(s, N * N, double), w->eigen = TAKE(s, 2 * S * S, double);
    w->a = TAKE(s, N, double), w->b = TAKE(s, N, double), w->r = TAKE(s, D, double);
    w->free = TAKE(s, N, bool), w->code = TAKE(s, N, int), w->rest = TAKE(s, N, int);
    w->y = TAKE(s, 2 * states, double), w->k = TAKE(s, 8 * states, double), w->depth = TAKE(s, 2 * N, double);
    bool staged = options->law == JN_IMPACT_STAGED;
    w->phase = TAKE(s, staged ? 3 * D : 0, double), w->expansion = TAKE(s, staged ? D * D : 0, double);
    jn_impact_cones_layout(problem, s, &w->cones);
    return jn_impact_lcp_layout(problem, s, w);
}

/* Copies the part's blocks of a matrix over all contacts. */
static void gather(const jn_impact *w, const double *from, double *to) {
    size_t d = (size_t)w->d, D = d * (size_t)w->problem->contacts, n = d * (size_t)w->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to[i * n + j] = from[((size_t)w->contact[i / d] * d + i % d) * D + (size_t)w->contact[j / d] * d + j % d];
}

void jn_impact_begin(jn_impact *w) {
    const jn_impact_problem *problem = w->problem;
    int d = w->d;
    gather(w, problem->beta, w->beta);
    if (w->options->work == JN_IMPACT_KINETIC_SPLIT) {
        gather(w, problem->split, w->H);
        for (int i = 0; i < d * w->n; i++)
            for (int j = 0; j < d * w->n; j++)
                if (i % d && j % d) w->H[i * d * w->n + j] = 0;
    }
    for (int i = 0; i < w->n; i++) {
        int from = w->contact[i];
        for (int r = 0; r < d; r++) w->v[d * i + r] = w->v_start[d * i + r] = w->record->v[d * from + r];
        w->mu_s[i] = jn_fmax(problem->contact[from].mu_s, problem->contact[from].mu_d);
        w->mu_d[i] = problem->contact[from].mu_d;
        w->slip[i] = JN_SLIP_NONE, w->from_rest[i] = false;
        w->c_prev[i] = w->c[i] = 1.0 / w->n;
        w->work_n[i] = w->work_t[i] = 0, w->critical[i] = NAN;
    }
    memset(w->p, 0, (size_t)(d * w->n) * sizeof *w->p);
    w->impulse = w->energy = 0, w->given = w->kept = false;
    jn_impact_rows_form(w);
}

void jn_impact_commit(jn_impact *w) {
    jn_impact_record *record = w->record;
    int d = w->d, N = w->problem->contacts;
    for (int i = 0; i < w->n; i++) {
        int to = w->contact[i];
        for (int r = 0; r < d; r++) record->p[d * to + r] += w->p[d * i + r];
        record->normal_of[to] += w->work_n[i], record->slide_of[to] += w->work_t[i];
        record->slip[to] = w->slip[i];
    }
    if (2 * w->n >= N) {
        jn_impact_refresh(w);
        return;
    }
    for (int i = 0; i < d * N; i++) { /* few of many: what they add, O(N n) */
        const double *row = w->problem->beta + (size_t)i * (size_t)(d * N);
        for (int j = 0; j < d * w->n; j++) record->v[i] += row[d * w->contact[j / d] + j % d] * w->p[j];
    }
}

void jn_impact_refresh(jn_impact *w) {
    int D = w->d * w->problem->contacts;
    for (int i = 0; i < D; i++) {
        double v = 0;
        for (int j = 0; j < D; j++) v += w->problem->beta[(size_t)i * (size_t)D + (size_t)j] * w->record->p[j];
        w->record->v[i] = w->problem->v[i] + v; /* v+ = v- + beta p */
    }
}

void jn_impact_multiply(const jn_impact *w, const double *x, double *restrict y) {
    int n = w->d * w->n, j = 0;
    const double *column = w->beta; /* beta is symmetric */
    memset(y, 0, (size_t)n * sizeof *y);
    for (; j + 4 <= n; j += 4, column += 4 * n) {
        const double *a = column, *b = a + n, *c = b + n, *d = c + n;
        if (x[j] == 0 && x[j + 1] == 0 && x[j + 2] == 0 && x[j + 3] == 0) continue;
        for (int i = 0; i < n; i++)
            y[i] = (((y[i] + a[i] * x[j]) + b[i] * x[j + 1]) + c[i] * x[j + 2]) + d[i] * x[j + 3];
    }
    for (; j < n; j++, column += n)
        for (int i = 0; i < n; i++) y[i] += column[i] * x[j];
}

void jn_impact_measure(jn_impact *w) {
    int n = w->d * w->n;
    jn_impact_multiply(w, w->p, w->v);
    for (int i = 0; i < n; i++) w->v[i] = w->v_start[i] + w->v[i];
    w->energy = 0;
    if (w->options->work == JN_IMPACT_KINETIC_SPLIT) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) /* (4.7) */
                w->energy +=
                    0.5 * w->H[(size_t)i * (size_t)n + (size_t)j] * (w->v[i] * w->v[j] - w->v_start[i] * w->v_start[j]);
    } else
        for (int i = 0; i < w->n; i++) w->energy += w->work_n[i]; /* (4.14) */
}

double jn_impact_slope(const jn_impact *w, double *curvature) {
    int n = w->d * w->n;
    double slope = 0, bend = 0;
    if (w->options->work == JN_IMPACT_KINETIC_SPLIT) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double h = w->H[(size_t)i * (size_t)n + (size_t)j];
                slope += w->v[i] * h * w->dv[j], bend += w->dv[i] * h * w->dv[j];
            }
    } else
        for (int i = 0; i < w->n; i++) { /* (4.16) */
            slope += w->c[i] * w->v[w->d * i], bend += w->c[i] * w->dv[w->d * i];
        }
    if (curvature) *curvature = bend;
    return slope;
}

void jn_impact_show(const jn_impact *w) {
    if (!w->options->sample) return;
    jn_impact_sample sample = {w->impact, w->n, w->contact, w->impulse, w->energy,
                               w->v,      w->p, w->work_n,  w->work_t,  w->critical};
    w->options->sample(w->options->context, &sample);
}

void jn_impact_show_piece(const jn_impact *w, double s) {
    enum { SHOWN = 12 };
    if (!w->options->sample || !(s > 0)) return;
    double bend, slope = jn_impact_slope(w, &bend), rate = 0;
    int d = w->d;
    for (int i = 0; i < w->n; i++) rate += w->c[i];
    for (int k = 1; k < SHOWN; k++) {
        double x = s * k / SHOWN, energy = w->energy + x * (slope + 0.5 * x * bend);
        for (int i = 0; i < w->n; i++) w->shown_n[i] = w->work_n[i], w->shown_t[i] = w->work_t[i];
        for (int i = 0; i < d * w->n; i++) {
            w->shown_v[i] = w->v[i] + x * w->dv[i], w->shown_p[i] = w->p[i] + x * w->dp[i];
            *(i % d ? &w->shown_t[i / d] : &w->shown_n[i / d]) += w->dp[i] * x * (w->v[i] + 0.5 * x * w->dv[i]);
        }
        jn_impact_sample sample = {w->impact,  w->n,       w->contact, w->impulse + x * rate,
                                   energy,     w->shown_v, w->shown_p, w->shown_n,
                                   w->shown_t, w->critical};
        w->options->sample(w->options->context, &sample);
    }
}

void jn_impact_note(jn_impact *w, jn_impact_event_kind kind, int contact) {
    jn_impact_record *record = w->record;
    int N = w->problem->contacts, at = record->events++;
    jn_impact_show(w);
    if (at >= record->capacity) return;
    record->event[at] =
        (jn_impact_event){kind, w->impact, contact < 0 ? -1 : w->contact[contact], w->e, w->impulse, w->energy};
    for (int i = 0; i < N; i++) record->event_p[at * N + i] = 0, record->event_slip[at * N + i] = JN_SLIP_NONE;
    for (int i = 0; i < w->n; i++) {
        record->event_p[at * N + w->contact[i]] = w->p[w->d * i];
        record->event_slip[at * N + w->contact[i]] = (signed char)w->slip[i];
    }
}

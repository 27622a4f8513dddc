/* One impact event in a plane, or without friction: velocities are straight lines over the impulse, the work is a parabola on each piece, and all
 * events have closed forms [Rodriguez2014, chapters 4 and 5]. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include <math.h>

static const double level = 1e-13; /* of the velocities before: a slope that is none */

typedef struct piece {
    double slope, bend; /* of the work */
    double least;       /* [J] running minimum of the work */
    double compression; /* [N s] sum of normal impulses at its end */
    bool rising;        /* compression has ended */
} piece;

static void advance(jn_impact *w, double s) {
    jn_impact_show_piece(w, s);
    for (int i = 0; i < w->n; i++) {
        double *v = w->v + w->d * i, *dv = w->dv + w->d * i, *dp = w->dp + w->d * i;
        w->work_n[i] += dp[0] * s * (v[0] + 0.5 * s * dv[0]);
        for (int r = 1; r < w->d; r++) w->work_t[i] += dp[r] * s * (v[r] + 0.5 * s * dv[r]);
        w->c_prev[i] = w->c[i];
    }
    for (int i = 0; i < w->d * w->n; i++) w->p[i] += s * w->dp[i];
    w->impulse += s;
    jn_impact_measure(w);
}

/* Length until a sliding contact stops; INFINITY: none does. */
static double until_stop(const jn_impact *w) {
    double s = INFINITY;
    for (int i = 0; i < w->n; i++)
        if (w->slip[i] == JN_SLIP_SLIDE && w->t[i] * w->v[2 * i + 1] > 0 && w->t[i] * w->dv[2 * i + 1] < 0)
            s = jn_fmin(s, -w->v[2 * i + 1] / w->dv[2 * i + 1]);
    return s;
}

/* The first s >= 0 at which W + slope s + bend s^2/2 rises to the target; INFINITY: it does not. */
static double until_work(double W, double slope, double bend, double target) {
    if (W >= target) return 0;
    double square = slope * slope + 2 * bend * (target - W);
    if (square < 0 || slope + sqrt(square) <= 0) return INFINITY;
    return 2 * (target - W) / (slope + sqrt(square));
}

/* e < 0: the falling branch down to (1 - e^2) of the least work that this piece would reach. */
static double until_falling(const jn_impact *w, const piece *q) {
    if (q->slope >= 0) return 0; /* a slip has ended the fall */
    if (!(q->bend > 0)) return INFINITY;
    double least = w->energy - 0.5 * q->slope * q->slope / q->bend, target = (1 - w->e * w->e) * least;
    if (w->energy <= target) return 0;
    double square = q->slope * q->slope + 2 * q->bend * (target - w->energy);
    return square < 0 ? INFINITY : 2 * (target - w->energy) / (q->slope - sqrt(square));
}

static double until_end(const jn_impact *w, jn_impact_rule rule, const piece *q) {
    if (rule == JN_RULE_VELOCITY) {
        double target = -w->e * w->v_start[0];
        if (w->v[0] >= target) return 0;
        return w->dv[0] > 0 ? (target - w->v[0]) / w->dv[0] : INFINITY;
    }
    if (rule == JN_RULE_ENERGY && w->e < 0) return until_falling(w, q);
    if (!q->rising) return INFINITY;
    if (rule == JN_RULE_IMPULSE) return jn_fmax((1 + w->e) * q->compression - w->impulse, 0);
    return until_work(w->energy, jn_fmax(q->slope, 0), q->bend, (1 - w->e * w->e) * q->least);
}

/* Contacts that have come to rest, after the piece that stopped them. */
static void stop(jn_impact *w) {
    for (int i = 0; i < w->n; i++) {
        if (w->slip[i] != JN_SLIP_SLIDE || w->t[i] * w->dv[2 * i + 1] >= 0) continue;
        if (fabs(w->v[2 * i + 1]) > JN_IMPACT_NO_SLIP_REL * w->speed) continue;
        w->slip[i] = JN_SLIP_STICK;
        jn_impact_note(w, JN_IMPACT_SLIP_STOP, i);
    }
}

static bool jam(jn_impact *w) {
    jn_impact_note(w, JN_IMPACT_JAM, -1);
    return false;
}

/* At most 20 + 8 n pieces of O((2 n)^2) beside their slip states. */
bool jn_impact_segments(jn_impact *w, jn_impact_rule rule) {
    piece q = {0};
    jn_impact_note(w, JN_IMPACT_START, -1);
    if (!jn_impact_settle(w)) return jam(w);
    for (int count = 0; count < 20 + 8 * w->n; count++) {
        double dust = level * w->speed;
        q.slope = jn_impact_slope(w, &q.bend);
        if (fabs(q.slope) <= dust) q.slope = 0;
        if (q.slope < 0) q.rising = false;
        double stops = until_stop(w), turns = q.slope < 0 && q.bend > 0 ? -q.slope / q.bend : INFINITY;
        if (q.slope == 0 && q.bend > 0 && !q.rising) turns = 0;
        if (q.slope > 0) q.rising = true;
        double ends = until_end(w, rule, &q);
        if (rule == JN_RULE_ENERGY && w->e < 0) turns = INFINITY;
        if (ends <= stops && ends <= turns) {
            advance(w, ends);
            jn_impact_note(w, JN_IMPACT_FINAL, -1);
            return true;
        }
        if (turns <= stops && isfinite(turns)) {
            advance(w, turns);
            q.least = jn_fmin(q.least, w->energy), q.rising = true, q.compression = w->impulse;
            jn_impact_note(w, JN_IMPACT_COMPRESSION_END, -1);
            continue;
        }
        if (!isfinite(stops)) return jam(w);
        advance(w, stops);
        q.least = jn_fmin(q.least, w->energy);
        if (!q.rising) q.compression = w->impulse;
        stop(w);
        if (!jn_impact_settle(w)) return jam(w);
    }
    return jam(w);
}

/* Slip states of all resting contacts, decided together [Rodriguez2014, sections 5.1 and 7.3; corrected]. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

enum { ENUMERATED = 6, DIRECTIONS = 24, ROUNDS = 60 };
static const double squeezed = 1e-13; /* work over that of a free mass: none */
static const double angle = 1e-15;    /* [rad] bracket of a direction: round-off */
static const double parallel = 1e-15,
                    parallel_guess =
                        1e-14;        /* change across the slip over that of a free mass; of a guess that is kept */
static const double isoclines = 1e-9; /* the same: of a root that was bracketed */
static const double settled = 1e-12;  /* change of unit directions in a round */
static const double slack = 1e-10; /* in the tests of stick and of direction */

static double tangential(const jn_impact *w, const double *x, int i) {
    return w->d == 2 ? fabs(x[2 * i + 1]) : jn_hypot_safe(x[3 * i + 1], x[3 * i + 2]);
}

/* Growth of the slip speed of a contact that starts to slide along t. */
static double growth(const jn_impact *w, int i) {
    double s = 0;
    for (int r = 1; r < w->d; r++) s += w->t[i * (w->d - 1) + r - 1] * w->dv[w->d * i + r];
    return s;
}

/* An impulse that moves nothing: a body squeezed between its contacts. */
static bool squeezes(const jn_impact *w) {
    double work = 0, size = 0;
    int D = w->d * w->n;
    for (int i = 0; i < D; i++) work += w->dp[i] * w->dv[i], size += w->dp[i] * w->dp[i];
    return work <= squeezed * size / w->mass;
}

static double excess(const jn_impact *w, int i) {
    return tangential(w, w->dp, i) - w->mu_s[i] * w->c[i] * (1 + slack) - slack;
}

/* Every sticking contact holds, every released one moves the way it was released. */
static bool admissible(const jn_impact *w, int count) {
    if (squeezes(w)) return false;
    for (int k = 0; k < count; k++) {
        int i = w->rest[k];
        if (w->slip[i] == JN_SLIP_STICK && excess(w, i) > 0) return false;
        if (w->slip[i] == JN_SLIP_SLIDE && growth(w, i) < -slack / w->mass) return false;
    }
    return true;
}

static void rates(jn_impact *w) {
    jn_impact_hold(w);
    jn_impact_rates(w);
    jn_impact_respond(w);
}

/* States of the resting contacts from digits 0 stick, 1 forward, 2 back. Returns how many slip. */
static int decode(jn_impact *w, int count, int code) {
    int slips = 0;
    for (int k = 0; k < count; k++, code /= 3) {
        int i = w->rest[k], digit = code % 3;
        w->slip[i] = digit ? JN_SLIP_SLIDE : JN_SLIP_STICK, w->from_rest[i] = digit > 0;
        if (digit) w->t[i] = digit == 1 ? 1 : -1;
        slips += digit > 0;
    }
    return slips;
}

/* Friction that the resting contacts need so that all of them stick: they do at the present rates. */
static void keep_critical(jn_impact *w, int count) {
    for (int k = 0; k < count; k++) {
        int i = w->rest[k];
        w->critical[i] = w->c[i] > 0 ? tangential(w, w->dp, i) / w->c[i] : NAN;
    }
}

/* In a plane: all of {stick, +, -}^k, fewest slips first; states that fulfil the rows are preferred. */
static bool enumerate(jn_impact *w, int count) {
    int codes = 1, second = -1;
    for (int k = 0; k < count; k++) codes *= 3;
    for (int slips = 0; slips <= count; slips++)
        for (int code = 0; code < codes; code++) {
            if (decode(w, count, code) != slips) continue;
            rates(w);
            if (slips == 0) keep_critical(w, count);
            if (!admissible(w, count)) continue;
            if (w->exact) return true;
            if (second < 0) second = code;
        }
    if (second < 0) return false;
    decode(w, count, second);
    rates(w);
    return true;
}

/* Part of dv_t across the direction phi; the rates are those of that direction. */
static double across(jn_impact *w, int i, double phi) {
    w->t[2 * i] = jn_cos(phi), w->t[2 * i + 1] = jn_sin(phi);
    jn_impact_rates(w);
    jn_impact_respond(w);
    return w->t[2 * i] * w->dv[3 * i + 2] - w->t[2 * i + 1] * w->dv[3 * i + 1];
}

/* Root of `across` between two directions, by the Illinois rule. */
static double bracketed(jn_impact *w, int i, double low, double high, double f_low, double f_high) {
    double phi = low;
    for (int k = 0; k < ROUNDS && fabs(high - low) > angle; k++) {
        phi = (low * f_high - high * f_low) / (f_high - f_low);
        double f = across(w, i, phi);
        if (f == 0) break;
        if ((f > 0) == (f_high > 0))
            high = phi, f_high = f, f_low *= 0.5;
        else
            low = high, f_low = f_high, high = phi, f_high = f;
        if (fabs(f) * w->mass < parallel) break;
    }
    return phi;
}

/* Isoclinic direction that grows: dv_t parallel to t; the one nearest to the direction in t. */
static bool isoclinic(jn_impact *w, int i) {
    double guess = jn_atan2(w->t[2 * i + 1], w->t[2 * i]), best = NAN, step = 2 * jn_acos(-1) / DIRECTIONS;
    double f_low = across(w, i, guess), g_low = growth(w, i);
    if (fabs(f_low) * w->mass < parallel_guess && g_low > 0) return true;
    double start = f_low, start_growth = g_low;
    for (int k = 0; k < DIRECTIONS; k++) { /* 0, then right and left in turn would not bracket: once around */
        double low = guess + k * step, high = low + step;
        double f_high = k + 1 < DIRECTIONS ? across(w, i, high) : start,
               g_high = k + 1 < DIRECTIONS ? growth(w, i) : start_growth;
        if ((f_low > 0) != (f_high > 0) && (g_low > 0 || g_high > 0)) {
            double phi = bracketed(w, i, low, high, f_low, f_high), f = across(w, i, phi);
            double from = fabs(remainder(phi - guess, DIRECTIONS * step));
            if (fabs(f) * w->mass < isoclines && growth(w, i) > 0 &&
                !(from >= fabs(remainder(best - guess, DIRECTIONS * step))))
                best = phi;
        }
        f_low = f_high, g_low = g_high;
    }
    if (isnan(best)) {
        across(w, i, guess);
        return false;
    }
    across(w, i, best);
    return true;
}

/* Directions of all released contacts together, one after another until none changes. */
static bool directions(jn_impact *w, int count) {
    for (int round = 0; round < ROUNDS; round++) {
        double change = 0;
        for (int k = 0; k < count; k++) {
            int i = w->rest[k];
            if (w->slip[i] != JN_SLIP_SLIDE) continue;
            double old[2] = {w->t[2 * i], w->t[2 * i + 1]};
            if (!isoclinic(w, i)) return false;
            change = jn_fmax(change, jn_hypot_safe(w->t[2 * i] - old[0], w->t[2 * i + 1] - old[1]));
        }
        if (change < settled) return true;
    }
    return false;
}

static void stick_all(jn_impact *w, int count) {
    for (int k = 0; k < count; k++) w->slip[w->rest[k]] = JN_SLIP_STICK, w->from_rest[w->rest[k]] = false;
}

/* Starts to slide against its impulse of stick. */
static void let_go(jn_impact *w, int i) {
    double size = tangential(w, w->dp, i);
    for (int r = 1; r < w->d; r++) w->t[i * (w->d - 1) + r - 1] = size > 0 ? -w->dp[w->d * i + r] / size : r == 1;
    w->slip[i] = JN_SLIP_SLIDE, w->from_rest[i] = true;
}

/* All resting contacts slide: points of one body that none of them can leave alone. */
static bool release_all(jn_impact *w, int count) {
    stick_all(w, count);
    rates(w);
    for (int k = 0; k < count; k++) let_go(w, w->rest[k]);
    rates(w);
    return directions(w, count) && admissible(w, count);
}

/* All stick, then the worst violator is released, as often as one is left. */
static bool release(jn_impact *w, int count) {
    stick_all(w, count);
    for (int round = 0; round <= count; round++) {
        rates(w);
        if (round == 0) keep_critical(w, count);
        if (w->d == 3 && !directions(w, count)) return false;
        int worst = -1;
        double most = 0;
        for (int k = 0; k < count; k++) {
            int i = w->rest[k];
            if (w->slip[i] == JN_SLIP_STICK && excess(w, i) > most) worst = i, most = excess(w, i);
        }
        if (worst < 0) return admissible(w, count);
        let_go(w, worst);
    }
    return false;
}

static bool decide(jn_impact *w, int count) {
    if (count == 0) {
        rates(w);
        return !squeezes(w);
    }
    if (w->d == 2 && count <= ENUMERATED) return enumerate(w, count);
    return release(w, count) || (w->d == 3 && count > 1 && release_all(w, count));
}

/* Contacts with slip slide along it, the others are listed in rest. Without load a contact slides, at any speed. */
static int resting(jn_impact *w) {
    int d = w->d, count = 0;
    for (int i = 0; i < w->n; i++) {
        if (!(w->mu_s[i] > 0)) {
            w->slip[i] = JN_SLIP_NONE;
            continue;
        }
        double speed = jn_impact_slip_speed(w, i);
        w->from_rest[i] = false;
        if (speed <= JN_IMPACT_NO_SLIP_REL * w->speed && !jn_impact_idle(w, i)) {
            w->rest[count++] = i;
            continue;
        }
        w->slip[i] = JN_SLIP_SLIDE;
        for (int r = 1; r < d; r++) w->t[i * (d - 1) + r - 1] = speed > 0 ? w->v[d * i + r] / speed : 0;
    }
    return count;
}

/* The states of resting contacts, and the rates of all, are found together. Where the rows admit no state, because the
 * distribution jumps from one to the next, the former distribution goes on: for fixed shares of the normal impulses there is
 * one. */
bool jn_impact_settle(jn_impact *w) {
    if (w->kept) w->given = w->kept = false;
    if (decide(w, resting(w))) return true;
    if (w->given) return false;
    w->given = w->kept = true;
    w->record->kept++;
    memcpy(w->c, w->c_prev, (size_t)w->n * sizeof *w->c);
    return decide(w, resting(w));
}

/* One impact event as a differential equation with events: in space over the sum of normal impulses [Rodriguez2014, chapter 7],
 * and with contact stiffnesses [Liu2008] over a pseudo-time in which forces are K d^n, so that it starts smoothly. */
#include "algebra/dormand_prince.h"
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

enum {
    STEPS = 4000,
    STIFF_STEPS = 20000,
    EVENTS = 4000,
    ROOTS = 60,
    JUMP = 8,
    STALL = 40,
    NONE = -1,
    TURN = -2,
    END = -3,
    STIFF = -4
};
static const double leaves = 1e-7;     /* of the velocities before: slip that has left rest */
static const double far = 1e6;         /* impulses beyond this, of mass and speed before, are a jam */
static const double slow = 5e-8;       /* approaches of the velocities before that stiffnesses need not end */
static const double slack = 1e-9;      /* of the sticking limit */
static const double aim = 1e-8;        /* error of a slip velocity, of the slip: its direction decides the shares */
static const double near = 1e-9;       /* of the velocities before: a slip so slow goes straight to its end */
static const double approaching = 1e-12; /* of the velocities before: contacts that a stiffness takes part of */
static const double soon = 1e-6;       /* of the impulse that stops the approach */
static const double turned = 1e-12;    /* of the rate of a slip velocity, across it: round-off */
static const double located = 1e-14;   /* of a step: an event is known no better */
static const double unladen = 1e-7; /* of the deepest compression: a contact that is compressed less carries nothing */
static const double shares = 1e-3;  /* change of the shares in a step: more is a jump */
static const double swift = 1e3;    /* times what a step changes: slower slip is no jump but a turn */
static const double level = 1e-13;  /* of the velocities before: a slope that is none */
static const double error_least = 1e-10; /* of the tolerance: smaller errors are no measure of the next step */
static const double round_off = 1e-15; /* of a slip velocity, over the velocities before */

typedef struct path {
    jn_impact *w;
    jn_impact_rule rule;
    int states;
    double impulse, depth;     /* units [N s], [m] */
    double speed;              /* [m/s] of the approach */
    double pace;               /* dlambda over the independent variable */
    double least, compression; /* running minimum of the work; impulse at the end of compression */
    bool rising, compressed;
    bool straight; /* no slip turns: rates are constant, and directions are not taken from the velocities */
    int stalled;   /* steps in a row that are short without a slip that asks for it */
} path;

/* Sets p, works, v and energy from the states. */
static void load(path *q, const double *y) {
    jn_impact *w = q->w;
    int D = w->d * w->n;
    memcpy(w->p, y, (size_t)D * sizeof *y);
    memcpy(w->work_n, y + D, (size_t)w->n * sizeof *y);
    memcpy(w->work_t, y + D + w->n, (size_t)w->n * sizeof *y);
    if (q->rule == JN_RULE_STIFFNESS) memcpy(w->depth, y + D + 2 * w->n, (size_t)w->n * sizeof *y);
    w->impulse = 0;
    for (int i = 0; i < w->n; i++) w->impulse += w->p[w->d * i];
    jn_impact_measure(w);
}

/* Shares by forces K d^n; while all are zero, by the speeds of approach. */
static void share(path *q) {
    jn_impact *w = q->w;
    double stiffest = 0, approach = 0;
    for (int i = 0; i < w->n; i++) stiffest = jn_fmax(stiffest, w->problem->contact[w->contact[i]].stiffness);
    q->pace = 0;
    for (int i = 0; i < w->n; i++) {
        double K = w->problem->contact[w->contact[i]].stiffness;
        K = K > 0 && stiffest > 0 ? K / stiffest : 1;
        w->c[i] = w->depth[i] > 0 ? K * jn_pow(w->depth[i], w->options->exponent) : 0;
        q->pace += w->c[i], approach += jn_fmax(-w->v[w->d * i], 0);
    }
    for (int i = 0; i < w->n; i++) {
        if (q->pace > 0)
            w->c[i] /= q->pace;
        else
            w->c[i] = approach > 0 ? jn_fmax(-w->v[w->d * i], 0) / approach : 1.0 / w->n;
    }
}

static void direct(jn_impact *w) {
    for (int i = 0; i < w->n; i++) {
        double speed = jn_impact_slip_speed(w, i);
        if (w->slip[i] != JN_SLIP_SLIDE || w->from_rest[i] || !(speed > 0) || w->d == 2) continue;
        for (int r = 1; r < w->d; r++) w->t[i * (w->d - 1) + r - 1] = w->v[w->d * i + r] / speed;
    }
}

static void derive(path *q, const double *y, double *dy) {
    jn_impact *w = q->w;
    int d = w->d, D = d * w->n;
    load(q, y);
    if (q->rule == JN_RULE_STIFFNESS) share(q);
    if (!q->straight) direct(w);
    jn_impact_rates(w);
    for (int i = 0; i < D; i++) dy[i] = q->pace * w->dp[i];
    for (int i = 0; i < w->n; i++) {
        double slide = 0, v = w->v[d * i];
        for (int r = 1; r < d; r++) slide += w->dp[d * i + r] * w->v[d * i + r];
        dy[D + i] = q->pace * w->dp[d * i] * v, dy[D + w->n + i] = q->pace * slide;
        if (q->rule != JN_RULE_STIFFNESS) continue;
        bool back = v > 0 && w->options->bi_stiffness && w->e > 0;
        dy[D + 2 * w->n + i] = w->depth[i] <= 0 && v >= 0 ? 0 : back ? -v / (w->e * w->e) : -v;
    }
}

/* Error of the slip velocities that come close to zero, over what keeps their directions: r holds the error of p. */
static double slip_error(const jn_impact *w) {
    int d = w->d, D = d * w->n;
    double worst = 0;
    for (int i = 0; i < w->n && d == 3; i++) {
        if (w->slip[i] != JN_SLIP_SLIDE || w->from_rest[i] || jn_impact_idle(w, i)) continue;
        double size = 0;
        for (int r = 1; r < d; r++) {
            double x = 0;
            for (int j = 0; j < D; j++) x += w->beta[(size_t)(d * i + r) * (size_t)D + (size_t)j] * w->r[j];
            size += x * x;
        }
        worst = jn_fmax(worst, sqrt(size) / (aim * jn_impact_slip_speed(w, i) + round_off * w->speed));
    }
    return worst;
}

/* x (n) = sum of factor_j k_j. */
static void combine(int n, int count, const double *factor, const double *k, double *restrict x) {
    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < n; i++) x[i] += factor[j] * k[j * n + i];
}

/* A step of Dormand and Prince's pair of orders 5 and 4 from y, whose rates are in k[0]; k[7] receives the end, whose rates
 * are then in the path. Returns the error over its tolerance [Dormand1980]. */
static double step(path *q, double h) {
    jn_impact *w = q->w;
    int n = q->states, D = w->d * w->n;
    double *k = w->k, *y = w->y, *end = k + 7 * n, worst = 0;
    for (int s = 1; s < 7; s++) {
        combine(n, s, jn_dormand_prince_a[s], k, end);
        for (int i = 0; i < n; i++) end[i] = y[i] + h * end[i];
        derive(q, end, k + s * n);
    }
    jn_impact_respond(w);
    for (int i = 0; i < n; i++) {
        double x = 0, unit = i < D              ? q->impulse
                             : i < D + w->n     ? q->impulse * q->speed
                             : i < D + 2 * w->n ? q->impulse * w->speed
                                                : q->depth;
        for (int s = 0; s < 7; s++) x += jn_dormand_prince_e[s] * k[s * n + i];
        worst = jn_fmax(worst, fabs(h * x) / (w->options->tolerance * unit));
        if (i < D) w->r[i] = h * x;
    }
    return q->straight ? worst : jn_fmax(worst, slip_error(w));
}

static double growth(const jn_impact *w, int i) {
    double s = 0;
    for (int r = 1; r < w->d; r++) s += w->t[i * (w->d - 1) + r - 1] * w->dv[w->d * i + r];
    return s;
}

/* What is left until the coefficient ends the event: >= 0 at its end. */
static double until_end(const path *q) {
    const jn_impact *w = q->w;
    if (q->rule == JN_RULE_VELOCITY) return w->v[0] + w->e * w->v_start[0];
    if (q->rule == JN_RULE_STIFFNESS) return -1;
    if (q->rule == JN_RULE_IMPULSE) return q->compressed ? w->impulse - (1 + w->e) * q->compression : -1;
    if (w->e < 0) {
        double bend, slope = jn_impact_slope(w, &bend);
        if (slope >= 0) return w->mass * w->speed * w->speed; /* passed by */
        if (!(bend > 0)) return -1;
        return (1 - w->e * w->e) * (w->energy - 0.5 * slope * slope / bend) - w->energy;
    }
    return q->rising ? w->energy - (1 - w->e * w->e) * q->least : -1;
}

/* Value of an event: positive from it on. A contact number stands for its end of stick or of slip. */
static double value(const path *q, int event) {
    const jn_impact *w = q->w;
    if (event == TURN) return jn_impact_slope(w, NULL);
    if (event == END) return until_end(q);
    if (event <= STIFF - w->n) return w->v[w->d * (STIFF - w->n - event)]; /* lzb: the contact has its largest depth */
    if (event <= STIFF) {                                                  /* lzb: it has given back its share */
        int i = STIFF - event;
        double left = jn_pow(1 - w->e * w->e, 1 / (w->options->exponent + 1)) * w->depth[w->n + i];
        return w->v[w->d * i] > 0 && w->depth[i] > 0 ? left - w->depth[i] : -1;
    }
    if (w->slip[event] == JN_SLIP_STICK) {
        double size = 0, limit = w->mu_s[event] * w->c[event];
        for (int r = 1; r < w->d; r++) size += w->dp[w->d * event + r] * w->dp[w->d * event + r];
        return sqrt(size) - limit - slack * (limit + w->mu_s[event]);
    }
    return -w->v[2 * event + 1] * w->t[event];
}

static bool watched(const path *q, int i) {
    const jn_impact *w = q->w;
    return w->slip[i] == JN_SLIP_STICK || (w->d == 2 && w->slip[i] == JN_SLIP_SLIDE && !w->from_rest[i]);
}

/* The first event in the list that has happened at the present state. */
static int happened(const path *q, bool falling) {
    const jn_impact *w = q->w;
    bool turns = (q->rule == JN_RULE_ENERGY && w->e >= 0) || q->rule == JN_RULE_IMPULSE;
    if (value(q, END) >= 0) return END;
    if (turns && falling && value(q, TURN) >= 0) return TURN;
    for (int i = 0; i < w->n; i++)
        if (watched(q, i) && value(q, i) > 0) return i;
    bool early = q->rule == JN_RULE_STIFFNESS && (!w->options->bi_stiffness || w->e <= 0) && w->e < 1;
    for (int i = 0; i < w->n && early; i++) {
        if (w->free[i] && value(q, STIFF - w->n - i) > 0) return STIFF - w->n - i;
        if (!w->free[i] && value(q, STIFF - i) >= 0) return STIFF - i;
    }
    return NONE;
}

/* Length at which the event happens in (0, h], by regula falsi on steps from y; the state is left just beyond it. An end of the
 * bracket that stays twice has its weight lowered, so that the other one moves too [Anderson1973]. */
static double locate(path *q, int event, double h, double before) {
    double low = 0, high = h, f_low = jn_fmin(before, -JN_TINY), f_high = value(q, event), least = 0.5 * located * h;
    double enough = event == TURN || event == END ? located * (f_high - f_low) : 0, at = h, beyond = f_high;
    int stayed = 0; /* 1: low, -1: high */
    for (int k = 0; k < ROOTS && high - low > located * h && beyond > enough; k++) {
        double x = (low * f_high - high * f_low) / (f_high - f_low);
        if (k % 8 == 7) x = 0.5 * (low + high);
        x = jn_fmin(jn_fmax(x, low + least), high - least);
        step(q, x), at = x;
        double f = value(q, event);
        if (f >= 0) {
            if (stayed == 1) f_low *= f < beyond ? 1 - f / beyond : 0.5;
            high = x, f_high = beyond = f, stayed = 1;
        } else {
            if (stayed == -1) f_high *= f > f_low ? 1 - f / f_low : 0.5;
            low = x, f_low = f, stayed = -1;
        }
    }
    if (at != high) step(q, high);
    return high;
}

static void accept(path *q) {
    jn_impact *w = q->w;
    int n = q->states, D = w->d * w->n;
    memcpy(w->y, w->k + 7 * n, (size_t)n * sizeof *w->y);
    memcpy(w->c_prev, w->c, (size_t)w->n * sizeof *w->c);
    for (int i = 0; i < w->n && q->rule == JN_RULE_STIFFNESS; i++) {
        double *depth = w->y + D + 2 * w->n + i;
        *depth = jn_fmax(*depth, 0);
        w->depth[i] = *depth;
        w->depth[w->n + i] = *depth > 0 ? jn_fmax(w->depth[w->n + i], *depth) : 0;
    }
    q->least = jn_fmin(q->least, w->energy);
    jn_impact_show(w);
}

/* Is a slip in space about to end? */
static bool ends(const path *q, int i) {
    const jn_impact *w = q->w;
    double s = jn_impact_slip_speed(w, i);
    if (w->slip[i] != JN_SLIP_SLIDE || w->from_rest[i] || s > near * w->speed) return false;
    return s < soon * q->impulse * -growth(w, i);
}

/* Does every slip in space change along itself alone, or is one about to end? Then it goes straight to its end: near it the
 * round-off of a direction would grow into a turn that the data do not have, as between mirrored points. */
static bool is_straight(const path *q) {
    const jn_impact *w = q->w;
    if (w->d != 3 || q->rule == JN_RULE_STIFFNESS) return false;
    for (int i = 0; i < w->n; i++)
        if (ends(q, i)) return true;
    for (int i = 0; i < w->n; i++) {
        if (w->slip[i] != JN_SLIP_SLIDE || jn_impact_idle(w, i)) continue;
        const double *t = w->t + 2 * i, *dv = w->dv + 3 * i + 1;
        if (fabs(t[0] * dv[1] - t[1] * dv[0]) > turned * jn_hypot_safe(dv[0], dv[1])) return false;
    }
    return true;
}

/* Longest step that keeps slips away from zero, straight ones up to it, and those that leave rest near to it. */
static double limit(const path *q, double h) {
    const jn_impact *w = q->w;
    double pace = q->pace > 0 ? q->pace : 1;
    for (int i = 0; i < w->n; i++) {
        if (w->slip[i] != JN_SLIP_SLIDE || jn_impact_idle(w, i)) continue;
        double s = jn_impact_slip_speed(w, i), ds = growth(w, i) * pace;
        if (w->from_rest[i] && ds > 0) h = jn_fmin(h, 1.01 * leaves * w->speed / ds);
        if (!w->from_rest[i] && ds < 0 && w->d == 3) h = jn_fmin(h, (q->straight ? 1 : 0.8) * s / -ds);
    }
    return h;
}

/* Contacts that have come to rest in space, and those that have left it. True where states must be found anew. */
static bool rests(path *q) {
    jn_impact *w = q->w;
    bool found = false;
    for (int i = 0; i < w->n; i++) {
        if (w->slip[i] != JN_SLIP_SLIDE || jn_impact_idle(w, i)) continue;
        double s = jn_impact_slip_speed(w, i);
        if (w->from_rest[i] && s > 0.9 * leaves * w->speed)
            w->from_rest[i] = false;
        else if (w->from_rest[i] && growth(w, i) <= 0)
            found = true;
        else if (!w->from_rest[i] && w->d == 3 && s <= JN_IMPACT_NO_SLIP_REL * w->speed) {
            w->slip[i] = JN_SLIP_STICK, found = true;
            jn_impact_note(w, JN_IMPACT_SLIP_STOP, i);
        }
    }
    return found;
}

/* All contacts unloaded and none approaches but slowly. */
static bool unloaded(const path *q) {
    const jn_impact *w = q->w;
    for (int i = 0; i < w->n; i++)
        if (w->depth[i] > unladen * q->depth || w->v[w->d * i] < -slow * w->speed) return false;
    return true;
}

static bool jam(jn_impact *w) {
    jn_impact_note(w, JN_IMPACT_JAM, -1);
    return false;
}

static bool settle(path *q) {
    if (q->rule == JN_RULE_STIFFNESS) share(q);
    return jn_impact_settle(q->w);
}

/* What an event changes. False: no slip state is admissible. */
static bool handle(path *q, int event) {
    jn_impact *w = q->w;
    if (event == TURN) {
        q->rising = q->compressed = true, q->compression = w->impulse;
        jn_impact_note(w, JN_IMPACT_COMPRESSION_END, -1);
        return true;
    }
    if (event <= STIFF - w->n) return true;
    if (event <= STIFF) {
        int i = STIFF - event;
        w->y[w->d * w->n + 2 * w->n + i] = w->depth[i] = w->depth[w->n + i] = 0;
        jn_impact_note(w, JN_IMPACT_RELEASE, i);
        return true;
    }
    if (w->slip[event] == JN_SLIP_SLIDE) { /* in a plane: exactly at rest, so that the states are found for it */
        w->slip[event] = JN_SLIP_STICK;
        w->v[2 * event + 1] = 0;
        jn_impact_note(w, JN_IMPACT_SLIP_STOP, event);
    } else
        jn_impact_note(w, JN_IMPACT_STICK_BREAK, event);
    return settle(q);
}

static void start(path *q) {
    jn_impact *w = q->w;
    q->states = w->d * w->n + 2 * w->n + (q->rule == JN_RULE_STIFFNESS ? w->n : 0);
    double approach = 0;
    for (int i = 0; i < w->n; i++) approach = jn_fmax(approach, -w->v[w->d * i]);
    q->speed = q->rule != JN_RULE_STIFFNESS && approach > 0 ? jn_fmin(approach, w->speed) : w->speed;
    q->impulse = w->mass * q->speed, q->pace = 1;
    memset(w->y, 0, (size_t)q->states * sizeof *w->y);
    if (q->rule != JN_RULE_STIFFNESS) return;
    double n = w->options->exponent;
    w->given = true;
    memset(w->depth, 0, 2 * (size_t)w->n * sizeof *w->depth);
    q->depth = jn_pow((n + 1) * w->mass * w->speed * w->speed, 1 / (n + 1));
}

/* Is the step too short for any slip to turn, and do the shares follow from the rows? */
static bool is_short(const path *q, double size) {
    const jn_impact *w = q->w;
    if (w->given) return false;
    for (int i = 0; i < w->n; i++)
        if (w->slip[i] == JN_SLIP_SLIDE && jn_impact_slip_speed(w, i) < swift * size / w->mass) return false;
    return true;
}

/* Do the shares change at once? */
static bool jumps(const path *q, double size) {
    const jn_impact *w = q->w;
    double change = 0;
    for (int i = 0; i < w->n; i++) change = jn_fmax(change, fabs(w->c[i] - w->c_prev[i]));
    return change > shares && is_short(q, size);
}

/* The shares jump back and forth between two sets of points: the former ones go on until the next event. */
static void keep(path *q, double h, double *size) {
    jn_impact *w = q->w;
    w->given = w->kept = true;
    w->record->kept++;
    memcpy(w->c, w->c_prev, (size_t)w->n * sizeof *w->c);
    derive(q, w->y, w->k);
    jn_impact_respond(w);
    *size = h;
}

/* One accepted step of at most h, shortened where its error or an event asks for it. event: what ends it. */
static bool proceed(path *q, double *h, int *event) {
    jn_impact *w = q->w;
    double error, slope = jn_impact_slope(w, NULL), size;
    bool falling = slope < -level * w->speed;
    if (falling) q->rising = false;
    if (slope > 0 && !q->rising && q->rule != JN_RULE_STIFFNESS) { /* the slope jumped at an event */
        q->rising = q->compressed = true;
        if (!(q->compression > 0)) q->compression = w->impulse;
    }
    q->straight = is_straight(q);
    double before[2] = {value(q, TURN), value(q, END)};
    for (int i = 0; i < w->n && q->rule == JN_RULE_STIFFNESS; i++)
        w->free[i] = w->v[w->d * i] < -approaching * w->speed;
    size = limit(q, *h);
    if (q->stalled >= STALL) keep(q, size, &size), q->stalled = 0;
    for (int tries = 0;; tries++) {
        error = step(q, size);
        if (error <= 1) break;
        if (tries > 60 || !isfinite(error)) return false;
        size *= jn_fmax(0.2, 0.9 * jn_pow(error, -0.2));
        if (tries >= JUMP && jumps(q, size)) keep(q, limit(q, *h), &size);
    }
    double grown = size * jn_fmin(5, 0.9 * jn_pow(jn_fmax(error, error_least), -0.2));
    *h = size < *h && error < 0.5 ? jn_fmax(*h, grown) : grown;
    for (int k = 0; k <= 2 * w->n + 4; k++) {
        int next = happened(q, falling);
        if (next == NONE || next == *event) break;
        *event = next;
        size = locate(q, next, size, next == TURN ? before[0] : next == END ? before[1] : -1);
    }
    accept(q);
    q->stalled = *event == NONE && q->rule != JN_RULE_STIFFNESS && size < soon * q->impulse && is_short(q, size)
                     ? q->stalled + 1
                     : 0;
    return true;
}

/* Rates at the start of a step: those at the end of the former one, where nothing has happened since. */
static void begin(path *q, bool same) {
    jn_impact *w = q->w;
    if (same) {
        memcpy(w->k, w->k + 6 * q->states, (size_t)q->states * sizeof *w->k);
        return;
    }
    q->straight = false;
    derive(q, w->y, w->k);
    jn_impact_respond(w);
}

static bool leaves_rest(const jn_impact *w) {
    for (int i = 0; i < w->n; i++)
        if (w->slip[i] == JN_SLIP_SLIDE && w->from_rest[i]) return true;
    return false;
}

bool jn_impact_integrate(jn_impact *w, jn_impact_rule rule) {
    path q = {.w = w, .rule = rule};
    start(&q);
    jn_impact_note(w, JN_IMPACT_START, -1);
    if (!settle(&q)) return jam(w);
    double h = rule == JN_RULE_STIFFNESS ? 0.01 * q.depth / w->speed : 0.01 * q.impulse;
    int most = rule == JN_RULE_STIFFNESS ? STIFF_STEPS : STEPS;
    bool same = false;
    for (int steps = 0, events = 0; steps < most && events < EVENTS; steps++) {
        int event = NONE;
        begin(&q, same);
        if (value(&q, END) >= 0) event = END;
        if (event != END && !proceed(&q, &h, &event)) return jam(w);
        if (event == END || (rule == JN_RULE_STIFFNESS && unloaded(&q))) {
            jn_impact_note(w, JN_IMPACT_FINAL, -1);
            return true;
        }
        if (event != NONE && (events++, !handle(&q, event))) return jam(w);
        same = event == NONE && rule != JN_RULE_STIFFNESS && !q.straight && !leaves_rest(w);
        if (rests(&q) && (same = false, events++, !settle(&q))) return jam(w);
        if (w->impulse > far * q.impulse) return jam(w);
    }
    return jam(w);
}

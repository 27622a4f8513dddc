/* Range, unit and ticks of an axis. */
#include "axis.h"
#include <math.h>
#include <string.h>

double chart_axis_step(double range, double steps) {
    double p = pow(10, floor(log10(range / steps))), r = range / steps / p;
    return p * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

static void widen(chart_axis *a, double value) {
    if (a->log) value = log10(fabs(value));
    if (isfinite(value)) a->low = fmin(a->low, value), a->high = fmax(a->high, value);
}

/* Range of all that is drawn; low > high if that is nothing. */
static void find_range(chart_axis *a, const chart *c, bool is_x) {
    a->low = INFINITY, a->high = -INFINITY;
    for (int i = 0; i < c->curves; i++)
        for (size_t k = 0; k < c->curve[i].count; k++) widen(a, is_x ? c->curve[i].x[k] : c->curve[i].y[k]);
    for (int i = 0; i < c->levels && !is_x; i++) widen(a, c->level[i]);
    for (int i = 0; i < c->boxes; i++)
        for (int k = 0; k < 2; k++) widen(a, is_x ? c->box[i].x[k] : c->box[i].y[k]);
    for (int i = 0; i < c->marks && is_x; i++) widen(a, c->mark[i]);
    if (c->circle > 0) widen(a, -c->circle), widen(a, c->circle);
}

/* Whole powers of ten. */
static void round_decades(chart_axis *a, double ticks) {
    if (!(a->low <= a->high)) a->low = -1, a->high = 0;
    a->low = floor(a->low + 1e-9), a->high = ceil(a->high - 1e-9);
    if (!(a->high > a->low)) a->high = a->low + 1;
    a->step = fmax(1, ceil((a->high - a->low) / ticks));
}

static void add_margin(chart_axis *a, bool tight) {
    if (!(a->low <= a->high)) a->low = 0, a->high = 1;
    double range = a->high - a->low, largest = fmax(fabs(a->low), fabs(a->high));
    if (!(range > 1e-9 * largest)) {
        range = largest > 0 ? 0.2 * largest : 1;
        a->low -= range / 2, a->high += range / 2;
    } else if (!tight) {
        a->low -= 0.04 * range, a->high += 0.04 * range;
    }
}

/* Prefix of a unit that takes one, so that the numbers are short. */
static const char *choose_prefix(chart_axis *a, const char *unit) {
    static const char *const plain[] = {"s", "m", "m/s", "m/s^2", "N", "N m", "N s", "J", "W"};
    static const char *const prefixes[] = {"n", "\u00b5", "m", "", "k", "M", "G"};
    double most = fmax(fabs(a->low), fabs(a->high));
    bool may = false;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) may |= !strcmp(unit, plain[i]);
    if (!may || !(most > 0)) return "";
    int k = (int)fmin(6, fmax(0, 3 + floor(log10(most * 1.0001) / 3)));
    a->factor = pow(1000, 3 - k);
    return prefixes[k];
}

static void write_label(chart_axis *a, const chart_scale *s, const char *prefix) {
    const char *name = s->name ? s->name : "", *unit = s->unit ? s->unit : "";
    if (s->label)
        snprintf(a->label, sizeof a->label, "%s", s->label);
    else if (unit[0] && strcmp(unit, "1"))
        snprintf(a->label, sizeof a->label, "%s%s[%s%s]", name, name[0] ? " " : "", prefix, unit);
    else
        snprintf(a->label, sizeof a->label, "%s", name);
}

chart_axis chart_axis_of(const chart *c, bool is_x, double ticks) {
    const chart_scale *s = is_x ? &c->x : &c->y;
    chart_axis a = {.factor = 1, .log = s->log};
    const char *prefix = "";
    bool given = s->low < s->high;
    find_range(&a, c, is_x);
    if (given) {
        a.low = INFINITY, a.high = -INFINITY;
        widen(&a, s->low), widen(&a, s->high);
    }
    if (s->log) {
        round_decades(&a, ticks);
    } else {
        add_margin(&a, given || s->tight);
        if (!s->label && s->unit) prefix = choose_prefix(&a, s->unit);
        a.low *= a.factor, a.high *= a.factor;
        a.step = chart_axis_step(a.high - a.low, ticks);
    }
    write_label(&a, s, prefix);
    return a;
}

double chart_axis_share(const chart_axis *a, double value) {
    value = a->log ? log10(fabs(value)) : value * a->factor;
    return (value - a->low) / (a->high - a->low);
}

int chart_axis_ticks(const chart_axis *a, double *first) {
    *first = ceil(a->low / a->step - 1e-9);
    return (int)fmin(100, floor(a->high / a->step + 1e-9) - *first + 1);
}

void chart_axis_number(const chart_axis *a, double tick, char *text, size_t size) {
    double largest = fmax(fabs(a->low), fabs(a->high));
    int decimals = (int)fmax(0, -floor(log10(a->step) + 1e-9));
    if (fabs(tick) < 1e-9 * a->step) tick = 0;
    if (a->log)
        snprintf(text, size, "1e%.0f", tick);
    else if (largest < 1e6 && decimals <= 6)
        snprintf(text, size, "%.*f", decimals, tick);
    else
        snprintf(text, size, "%.6g", tick);
}

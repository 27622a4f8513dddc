/* Order, limit and error of a sequence of finer and finer runs. */
#include "workflow/study/statistics/convergence.h"

#include "algebra/elementary.h"

#include <math.h>
#include <stdio.h>

#define LOWEST_ORDER 0.3 /* below it an extrapolation is a guess */
#define HIGHEST_ORDER 12.0
#define NEAR_FORMAL 0.2 /* so near an order is the formal one */
#define ROUND_OFF 1e-13 /* relative differences that say nothing */

static double power(double base, double exponent) { return jn_exp(exponent * jn_log(base)); }

static double relative(double difference, double value) {
    return difference == 0 ? 0 : fabs(difference) / (value != 0 ? fabs(value) : 1e-300);
}

jn_convergence jn_convergence_judge(const double *x, int count, double factor, double formal) {
    jn_convergence c = {.verdict = JN_UNKNOWN,
                        .order = NAN,
                        .limit = NAN,
                        .error = NAN,
                        .error_first = NAN,
                        .first = x[0],
                        .spread = NAN};
    double low = x[0], high = x[0];
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i])) return c;
        low = jn_fmin(low, x[i]), high = jn_fmax(high, x[i]);
    }
    double last = x[count - 1], d1 = x[count - 2] - x[count - 3], d2 = last - x[count - 2];
    double size = jn_fmax(fabs(low), fabs(high));
    c.spread = high - low, c.limit = last;
    if (high - low <= ROUND_OFF * size) {
        c.verdict = JN_CONVERGED, c.error = high - low, c.error_first = relative(c.error, last);
        return c;
    }
    double ratio = d2 != 0 ? d1 / d2 : INFINITY;
    if (fabs(ratio) > 1 && isfinite(ratio)) c.order = jn_log(fabs(ratio)) / jn_log(factor);
    if (ratio > 1 && c.order >= LOWEST_ORDER && c.order <= HIGHEST_ORDER) {
        double order = jn_fmin(c.order, formal), safety = fabs(c.order - formal) <= NEAR_FORMAL ? 1.25 : 3;
        double rest = d2 / (power(factor, order) - 1); /* what is still to come, if differences go on like this */
        c.verdict = JN_CONVERGED, c.limit = last + rest, c.error = safety * fabs(rest);
    } else {
        c.verdict = fabs(d2) < fabs(d1) ? JN_IRREGULAR : JN_DIVERGENT;
        c.error = c.verdict == JN_IRREGULAR ? jn_fmax(fabs(d1), fabs(d2)) : high - low;
        c.order = NAN;
    }
    c.error_first = relative(jn_fmax(fabs(c.limit - x[0]), c.verdict == JN_CONVERGED ? 0 : c.error), c.limit);
    return c;
}

void jn_convergence_say(const jn_convergence *c, const char *what, const char *knob, double value, double within,
                        char *out, size_t size) {
    switch (c->verdict) {
    case JN_CONVERGED:
        if (isnan(c->order))
            snprintf(out, size, "%.60s is %.6g at all of them", what, c->limit);
        else if (c->error_first <= within)
            snprintf(out, size,
                     "%.60s converges with order %.2g to %.6g: with '%s: %.4g' it is off by %.3g %%, good enough", what,
                     c->order, c->limit, knob, value, 100 * c->error_first);
        else
            snprintf(out, size,
                     "%.60s converges with order %.2g to %.6g: with '%s: %.4g' it is off by %.3g %%\nfor %.2g %% write "
                     "'%s: %.2g'",
                     what, c->order, c->limit, knob, value, 100 * c->error_first, 100 * within, knob,
                     value * power(within / c->error_first, 1 / c->order));
        return;
    case JN_IRREGULAR:
        if (c->error_first <= within)
            snprintf(out, size, "%.60s changes by %.3g %% from '%s: %.4g' on, with no order: good enough", what,
                     100 * c->error_first, knob, value);
        else
            snprintf(out, size,
                     "%.60s shows no order yet, it has changed by %.3g %%: what is given may be off by as much\nadd "
                     "'levels', or "
                     "start from a smaller %s than %.4g",
                     what, 100 * c->error_first, knob, value);
        return;
    case JN_DIVERGENT:
        snprintf(out, size,
                 "%.60s does not converge: it differs by %.3g between runs, %.3g %% of its value\ntake a much smaller "
                 "%s than "
                 "%.4g; where single impacts decide the motion, a mean over time or over many runs",
                 what, c->spread, 100 * c->error_first, knob, value);
        return;
    default: snprintf(out, size, "%.60s cannot be judged: some runs have no value", what); return;
    }
}

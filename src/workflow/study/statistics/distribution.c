#include "workflow/study/statistics/distribution.h"

#include "algebra/elementary.h"

#include <math.h>
#include <stddef.h>

static const jn_distribution_info infos[JN_DISTRIBUTIONS] = {
    [JN_DISTRIBUTION_UNIFORM] = {"uniform", 2, -1, "[low, high]", "uniform: [0.9 mm, 1.1 mm]"},
    [JN_DISTRIBUTION_NORMAL] = {"normal", 2, -1, "[mean, standard deviation]", "normal: [76 g, 2 g]"},
    [JN_DISTRIBUTION_LOGNORMAL] = {"lognormal", 2, 1, "[median, standard deviation of the logarithm]",
                                   "lognormal: [1e8, 0.2]"},
    [JN_DISTRIBUTION_TRIANGULAR] = {"triangular", 3, -1, "[low, mode, high]", "triangular: [0, 0.4, 0.5]"},
    [JN_DISTRIBUTION_EXPONENTIAL] = {"exponential", 1, -1, "[mean]", "exponential: [0.1 mm]"},
    [JN_DISTRIBUTION_WEIBULL] = {"weibull", 2, 1, "[scale, shape]", "weibull: [2 mm, 1.5]"},
    [JN_DISTRIBUTION_LOGUNIFORM] = {"loguniform", 2, -1, "[low, high]", "loguniform: [1e6, 1e9]"},
};

const jn_distribution_info *jn_distribution_get_info(jn_distribution_kind kind) { return &infos[kind]; }

const char *jn_distribution_wrong(const jn_distribution *d) {
    const double *p = d->p;
    switch (d->kind) {
    case JN_DISTRIBUTION_UNIFORM:
        if (!(p[0] < p[1])) return "the low end must lie below the high end\nwrite uniform: [low, high]";
        break;
    case JN_DISTRIBUTION_LOGUNIFORM:
        if (!(p[0] > 0 && p[0] < p[1]))
            return "the low end must be positive and below the high end\nwrite loguniform: [low, high]";
        break;
    case JN_DISTRIBUTION_NORMAL:
        if (!(p[1] > 0))
            return "the standard deviation must be greater than 0\nwrite normal: [mean, standard deviation]";
        break;
    case JN_DISTRIBUTION_LOGNORMAL:
        if (!(p[0] > 0 && p[1] > 0))
            return "the median and the deviation must be greater than 0\nwrite lognormal: [median, deviation of the "
                   "logarithm]";
        break;
    case JN_DISTRIBUTION_TRIANGULAR:
        if (!(p[0] <= p[1] && p[1] <= p[2] && p[0] < p[2]))
            return "the mode must lie between the ends\nwrite triangular: [low, mode, high]";
        break;
    case JN_DISTRIBUTION_EXPONENTIAL:
        if (!(p[0] > 0)) return "the mean must be greater than 0\nwrite exponential: [mean]";
        break;
    case JN_DISTRIBUTION_WEIBULL:
        if (!(p[0] > 0 && p[1] > 0)) return "scale and shape must be greater than 0\nwrite weibull: [scale, shape]";
        break;
    default: break;
    }
    if (!d->limited) return NULL;
    if (!(d->low < d->high)) return "the first limit must lie below the second\nwrite limits: [low, high]";
    jn_distribution all = *d;
    all.limited = false;
    if (!(jn_distribution_below(&all, d->high) - jn_distribution_below(&all, d->low) > 1e-12))
        return "hardly anything of the distribution lies within the limits\nmake the limits wider";
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ standard normal */

/* Part above x >= 0: the series about 0, or Laplace's continued fraction. [Abramowitz1964, 26.2.11, 26.2.14] O(60) */
static double tail(double x) {
    double density = 0.39894228040143267794 * jn_exp(-0.5 * x * x);
    if (x < 2.5) {
        double term = x, sum = x;
        for (int k = 1; k < 200 && term > sum * 1e-18; k++) sum += term *= x * x / (2 * k + 1);
        return 0.5 - density * sum;
    }
    double f = x;
    for (int k = 160; k > 0; k--) f = x + k / f;
    return density / f;
}

double jn_normal_below(double x) { return x < 0 ? tail(-x) : 1 - tail(x); }

/* Rational approximation to 1e-9 [Acklam2003], then two steps of Newton's method on the smaller tail. */
static double lower_value(double u) {
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                               1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00},
                        b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                               6.680131188771972e+01, -1.328068155288572e+01},
                        c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                               -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00},
                        d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    double x;
    if (u < 0.02425) {
        double q = sqrt(-2 * jn_log(u));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    } else {
        double q = u - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    for (int k = 0; k < 2; k++) {
        double density = 0.39894228040143267794 * jn_exp(-0.5 * x * x), e = (tail(-x) - u) / density;
        x -= e / (1 + 0.5 * x * e); /* Halley's form */
    }
    return x;
}

double jn_normal_value(double u) {
    if (u == 0.5) return 0;
    return u < 0.5 ? lower_value(u) : -lower_value(1 - u);
}

/* -------------------------------------------------------------------------------------------------- all of them */

static double part_below(const jn_distribution *d, double x) {
    const double *p = d->p;
    switch (d->kind) {
    case JN_DISTRIBUTION_UNIFORM: return jn_fmin(1, jn_fmax(0, (x - p[0]) / (p[1] - p[0])));
    case JN_DISTRIBUTION_LOGUNIFORM: return x <= p[0] ? 0 : x >= p[1] ? 1 : jn_log(x / p[0]) / jn_log(p[1] / p[0]);
    case JN_DISTRIBUTION_NORMAL: return jn_normal_below((x - p[0]) / p[1]);
    case JN_DISTRIBUTION_LOGNORMAL: return x <= 0 ? 0 : jn_normal_below(jn_log(x / p[0]) / p[1]);
    case JN_DISTRIBUTION_TRIANGULAR:
        if (x <= p[0]) return 0;
        if (x >= p[2]) return 1;
        if (x <= p[1]) return (x - p[0]) * (x - p[0]) / ((p[2] - p[0]) * (p[1] - p[0]));
        return 1 - (p[2] - x) * (p[2] - x) / ((p[2] - p[0]) * (p[2] - p[1]));
    case JN_DISTRIBUTION_EXPONENTIAL: return x <= 0 ? 0 : -jn_expm1(-x / p[0]);
    case JN_DISTRIBUTION_WEIBULL: return x <= 0 ? 0 : -jn_expm1(-jn_pow(x / p[0], p[1]));
    default: return NAN;
    }
}

static double plain_value(const jn_distribution *d, double u) {
    const double *p = d->p;
    double peak;
    switch (d->kind) {
    case JN_DISTRIBUTION_UNIFORM: return p[0] + u * (p[1] - p[0]);
    case JN_DISTRIBUTION_LOGUNIFORM: return p[0] * jn_exp(u * jn_log(p[1] / p[0]));
    case JN_DISTRIBUTION_NORMAL: return p[0] + p[1] * jn_normal_value(u);
    case JN_DISTRIBUTION_LOGNORMAL: return p[0] * jn_exp(p[1] * jn_normal_value(u));
    case JN_DISTRIBUTION_TRIANGULAR:
        peak = (p[1] - p[0]) / (p[2] - p[0]);
        return u < peak ? p[0] + sqrt(u * (p[2] - p[0]) * (p[1] - p[0]))
                        : p[2] - sqrt((1 - u) * (p[2] - p[0]) * (p[2] - p[1]));
    case JN_DISTRIBUTION_EXPONENTIAL: return -p[0] * jn_log1p(-u);
    case JN_DISTRIBUTION_WEIBULL: return p[0] * jn_pow(-jn_log1p(-u), 1 / p[1]);
    default: return NAN;
    }
}

double jn_distribution_below(const jn_distribution *d, double x) {
    if (!d->limited) return part_below(d, x);
    double low = part_below(d, d->low), high = part_below(d, d->high);
    return jn_fmin(1, jn_fmax(0, (part_below(d, x) - low) / (high - low)));
}

double jn_distribution_value(const jn_distribution *d, double u) {
    if (!d->limited) return plain_value(d, u);
    double low = part_below(d, d->low), high = part_below(d, d->high);
    return jn_fmin(d->high, jn_fmax(d->low, plain_value(d, low + u * (high - low))));
}

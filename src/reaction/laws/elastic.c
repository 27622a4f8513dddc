/* Elastic force of an indentation: power law, and line contact of cylinders, which is implicit in the force. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>

/* Line contact: with x = F/force and y = depth/(4 delta R), y = x (c - ln x): c = -1 after Johnson, c = +1 after
 * ESDU-78035, both as in [Pereira2011]. y rises with x up to x = exp(c - 1), where the stiffness becomes infinite. */
static double line_c(const jn_elastic *e) { return e->kind == JN_ELASTIC_JOHNSON ? -1 : 1; }

/* Share of the limit depth that is used; beyond it the force goes on along the tangent. */
static const double usable = 0.9;

jn_elastic jn_elastic_power(double stiffness, double exponent) {
    return (jn_elastic){.kind = JN_ELASTIC_POWER, .K = stiffness, .n = exponent, .limit = INFINITY};
}

jn_elastic jn_elastic_line(jn_elastic_kind kind, double slope, double depth) {
    jn_elastic out = {.kind = kind, .depth = depth, .force = slope * depth};
    out.limit = usable * jn_exp(line_c(&out) - 1) * depth; /* y = x there */
    return out;
}

int jn_elastic_cylinder(jn_elastic_kind kind, double compliance, double radius_i, double radius_j, double length,
                        jn_elastic *out) {
    double sum = radius_i + radius_j; /* R_i + R_j outside, R_i - R_j inside */
    if (kind != JN_ELASTIC_JOHNSON && kind != JN_ELASTIC_ESDU) return JN_ERR_ARGUMENT;
    if (!(1 / radius_i + 1 / radius_j > 0) || !(compliance > 0) || !(length > 0)) return JN_ERR_ARGUMENT;
    if (!isfinite(sum) || !isfinite(compliance) || !isfinite(length)) return JN_ERR_ARGUMENT;
    *out = jn_elastic_line(kind, length * jn_acos(-1) / compliance, 4 * fabs(sum));
    return JN_OK;
}

/* x with x (c - ln x) = y on the rising branch. h(l) = l + ln(c - l) - ln y of l = ln x rises and is concave there, so
 * that Newton from the left never overshoots. */
static double line_solve(double c, double y) {
    double ln_y = jn_log(y), l = ln_y - jn_log(c + 4 - 2 * ln_y);
    for (int i = 0; i < 50; i++) {
        double step = (ln_y - l - jn_log(c - l)) / (1 - 1 / (c - l));
        l += step;
        if (fabs(step) < 1e-15 * jn_fmax(1, fabs(l))) break;
    }
    return jn_exp(l);
}

/* y dx integrated from zero: x^2/2 (c - ln x) + x^2/4. */
static jn_elastic_value line_eval(const jn_elastic *e, double depth) {
    double c = line_c(e), inside = jn_fmin(depth, e->limit), y = inside / e->depth, x = line_solve(c, y);
    double slope = 1 / (c - 1 - jn_log(x)), below = 0.5 * x * x * (c - jn_log(x)) + 0.25 * x * x;
    double over = (depth - inside) / e->depth;
    return (jn_elastic_value){.f = e->force * (x + slope * over),
                              .slope = e->force / e->depth * slope,
                              .energy = e->force * e->depth * (x * y - below + over * (x + 0.5 * slope * over))};
}

jn_elastic_value jn_elastic_eval(const jn_elastic *e, double depth) {
    if (!(depth > 0)) return (jn_elastic_value){0, 0, 0};
    if (e->kind != JN_ELASTIC_POWER) return line_eval(e, depth);
    double p = e->n == 1.5 ? sqrt(depth) : e->n == 1 ? 1 : jn_pow(depth, e->n - 1); /* d^(n-1) */
    double f = e->K * p * depth;
    return (jn_elastic_value){.f = f, .slope = e->n * e->K * p, .energy = f * depth / (e->n + 1)};
}

double jn_elastic_depth(const jn_elastic *e, double energy) {
    if (!(energy > 0)) return 0;
    if (e->kind == JN_ELASTIC_POWER) return jn_pow((e->n + 1) * energy / e->K, 1 / (e->n + 1));
    double low = 0, high = e->depth;
    while (jn_elastic_eval(e, high).energy < energy) high *= 2;
    double d = sqrt(energy / (e->force / e->depth)); /* Newton on ln E over ln d, kept in the bracket */
    for (int i = 0; i < 200; i++) {
        if (!(d > low && d < high)) d = low > 0 ? sqrt(low * high) : 0.5 * high;
        jn_elastic_value v = jn_elastic_eval(e, d);
        if (v.energy > energy)
            high = d;
        else
            low = d;
        double next = d * jn_exp(jn_log(energy / v.energy) * v.energy / (v.f * d));
        if (fabs(next - d) <= 4e-16 * d) return next;
        d = next;
    }
    return d;
}

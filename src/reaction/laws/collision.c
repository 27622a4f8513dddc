/* One mass against a fixed surface: duration, depth, force and restitution in closed form. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>

/* A collision under f = F(d)(1 + chi d'/v0), in u = d'/v0. */
typedef struct stroke {
    const jn_elastic *elastic;
    double chi, e, a; /* a = 1 - chi e, accurate where it is tiny */
    double scale;     /* [J] m v0^2 */
    bool logarithmic; /* the variable of the way out is ln(1 + chi u) */
} stroke;

/* Stored energy over m v0^2 at the distance w = 1 - u from the start: int_u^1 s/(1 + chi s) ds. */
static double stored_in(const stroke *s, double w) {
    double b = 1 + s->chi, r = w / b;
    return r - r * r * jn_hysteresis_H(-s->chi * r);
}

/* The same at the distance w = u + e from the end: -int_{-e}^u s/(1 + chi s) ds. */
static double stored_out(const stroke *s, double w) {
    double r = w / s->a;
    return s->e * r - r * r * jn_hysteresis_H(s->chi * r);
}

/* dt/dw without the factor m v0: 1/[F (1 + chi u)]. */
static double pace_in(const stroke *s, double w) {
    double d = jn_elastic_depth(s->elastic, s->scale * stored_in(s, w));
    return 1 / (jn_elastic_eval(s->elastic, d).f * (1 + s->chi * (1 - w)));
}

/* On the way out; w = ln[(1 + chi u)/a]/chi if the variable is logarithmic, for chi e near 1. */
static double pace_out(const stroke *s, double w) {
    double l = s->chi * w, stored = s->logarithmic ? (l - s->a * jn_expm1(l)) / (s->chi * s->chi) : stored_out(s, w);
    double F = jn_elastic_eval(s->elastic, jn_elastic_depth(s->elastic, s->scale * stored)).f;
    return 1 / (F * (s->logarithmic ? 1 : s->a + s->chi * w));
}

/* int_0^b f dw with a singularity at w = 0 that can be integrated, by the double exponential rule [Takahasi1974]. */
static double integrate(double (*f)(const stroke *, double), const stroke *s, double b) {
    const double pi = jn_acos(-1), from = -5.2, to = 3.4;
    double h = 0.5, sum = 0, result = 0;
    for (int level = 0; level < 9; level++, h *= 0.5) {
        int first = (int)ceil(from / h), last = (int)floor(to / h);
        for (int k = first; k <= last; k++) {
            if (level && !(k & 1)) continue; /* done at the level before */
            double t = k * h, q = jn_exp(pi * jn_sinh(t)), w = b * q / (1 + q), weight = pi * jn_cosh(t) * w / (1 + q);
            if (weight > 0) sum += weight * f(s, w);
        }
        double before = result;
        result = h * sum;
        if (level > 2 && fabs(result - before) <= 2e-14 * result) break;
    }
    return result;
}

/* Largest F(d)(1 + chi u): u m v0^2 F'(d) = chi F(d)^2, between u = 0 and 1. */
static double peak_force(const stroke *s) {
    double low = 0, high = 1;
    jn_elastic_value v = jn_elastic_eval(s->elastic, jn_elastic_depth(s->elastic, s->scale * stored_in(s, 1)));
    for (int i = 0; i < 100 && s->chi > 0; i++) {
        double u = 0.5 * (low + high);
        if (u <= low || u >= high) break;
        v = jn_elastic_eval(s->elastic, jn_elastic_depth(s->elastic, s->scale * stored_in(s, 1 - u)));
        if (u * s->scale * v.slope < s->chi * v.f * v.f)
            low = u;
        else
            high = u;
    }
    return v.f * (1 + s->chi * low);
}

static void collide_hysteresis(const jn_normal_law *law, double m, double v0, jn_collision *out) {
    stroke s = {.elastic = &law->elastic, .chi = law->chi * v0 / jn_fmax(v0, law->speed_floor), .scale = m * v0 * v0};
    s.e = jn_restitution_from_chi(s.chi);
    s.logarithmic = s.chi * s.e > 0.5;
    s.a = s.logarithmic ? (1 + s.chi) * jn_exp(-s.chi * (1 + s.e)) : 1 - s.chi * s.e;
    double way_out = s.logarithmic ? (s.chi * (1 + s.e) - jn_log1p(s.chi)) / s.chi : s.e;
    out->max_depth = jn_elastic_depth(&law->elastic, s.scale * jn_hysteresis_H(s.chi));
    out->max_force = peak_force(&s);
    out->restitution = s.e;
    out->compression = m * v0 * integrate(pace_in, &s, 1);
    out->duration = out->release = out->compression + m * v0 * integrate(pace_out, &s, way_out);
}

/* Linear spring and damper; see restitution.c for the phases. */
static void collide_viscous(const jn_normal_law *law, double m, double v0, jn_collision *out) {
    double K = law->elastic.K, w0 = sqrt(K / m), xi = law->damping / (2 * m * w0), tau = jn_viscous_tau(xi);
    double e = jn_viscous_restitution(xi, law->attraction), pi = jn_acos(-1);
    out->compression = tau / w0;
    out->max_depth = v0 / w0 * jn_exp(-xi * tau);
    out->restitution = e;
    out->max_force = law->damping * v0;
    if (xi < 0.5) out->max_force = m * v0 * w0 * jn_exp(-xi * (3 * tau - pi / sqrt(1 - xi * xi)));
    if (law->attraction) {
        out->duration = out->release = xi < 1 ? pi / (w0 * sqrt(1 - xi * xi)) : INFINITY;
    } else {
        out->duration = 2 * tau / w0;
        out->release = out->duration + law->damping / K; /* K d = D e v0 where the force ends */
    }
}

int jn_law_collision(const jn_normal_law *law, double mass, double speed, jn_collision *out) {
    if (!(mass > 0) || !(speed > 0) || !isfinite(mass) || !isfinite(speed)) return JN_ERR_ARGUMENT;
    if (law->info->damping)
        collide_viscous(law, mass, speed, out);
    else
        collide_hysteresis(law, mass, speed, out);
    return JN_OK;
}

double jn_law_output_restitution(const jn_normal_law *law, double mass) {
    if (!law->info->damping) return jn_restitution_from_chi(law->chi);
    return jn_viscous_restitution(law->damping / (2 * sqrt(law->elastic.K * mass)), law->attraction);
}

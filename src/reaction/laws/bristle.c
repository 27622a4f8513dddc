/* Friction with bristles: the contact remembers a deflection z, [m], in its two tangential axes. Stiffness and damping
 * are per unit of load, so that z keeps its meaning while the normal force changes [CanudasDeWit2003]. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>

/* Stribeck's curve mu(v) and its slope [CanudasDeWit1995]. */
static double stribeck(const jn_friction_parameters *p, double s, double *slope) {
    double x = s / p->stribeck, decay = (p->stick - p->dynamic) * jn_exp(-x * x);
    *slope = -2 * x / p->stribeck * decay;
    return p->dynamic + decay;
}

/* f = -fn (sigma0 z + sigma1 z' + sigma2 v) with all derivatives, from z' and its derivatives in out. */
static void bristle_force(const jn_friction_parameters *p, double sigma1, double sigma2, double fn, const double v[2],
                          const double *z, jn_friction_force *out) {
    out->dissipation = 0;
    for (int i = 0; i < 2; i++) {
        double c = p->sigma0 * z[i] + sigma1 * out->rate[i] + sigma2 * v[i];
        out->f[i] = -fn * c;
        out->f_load[i] = -c;
        for (int j = 0; j < 2; j++) {
            out->f_v[i][j] = -fn * (sigma1 * out->rate_v[i][j] + (i == j ? sigma2 : 0));
            out->f_z[i][j] = -fn * (sigma1 * out->rate_z[i][j] + (i == j ? p->sigma0 : 0));
        }
        out->dissipation += fn * (c * v[i] - p->sigma0 * z[i] * out->rate[i]);
    }
    out->energy = 0.5 * fn * p->sigma0 * (z[0] * z[0] + z[1] * z[1]);
}

/* z' = v - sigma0 |v|/mu(|v|) z */
static void bristle_rate(const jn_friction_parameters *p, double mu, double slope, const double v[2], const double *z,
                         jn_friction_force *out) {
    double s = jn_hypot_safe(v[0], v[1]), k = p->sigma0 * s / mu, k_s = p->sigma0 * (1 - s * slope / mu) / mu;
    for (int i = 0; i < 2; i++) {
        out->rate[i] = v[i] - k * z[i];
        for (int j = 0; j < 2; j++) {
            out->rate_v[i][j] = (i == j) - (s > 0 ? k_s * z[i] * v[j] / s : 0);
            out->rate_z[i][j] = i == j ? -k : 0;
        }
    }
}

/* [Dahl1976] with exponent 1, in two directions. */
static void force_dahl(const jn_friction_parameters *p, double fn, const double v[2], const double *z,
                       const double *applied, jn_friction_force *out) {
    (void)applied;
    bristle_rate(p, p->dynamic, 0, v, z, out);
    bristle_force(p, 0, 0, fn, v, z, out);
}

/* [CanudasDeWit1995] */
static void force_lugre(const jn_friction_parameters *p, double fn, const double v[2], const double *z,
                        const double *applied, jn_friction_force *out) {
    (void)applied;
    double slope, mu = stribeck(p, jn_hypot_safe(v[0], v[1]), &slope);
    bristle_rate(p, mu, slope, v, z, out);
    bristle_force(p, p->sigma1, p->sigma2, fn, v, z, out);
}

static double mu_dahl(const jn_friction_parameters *p, double speed, double *slope) {
    *slope = 0;
    return speed > 0 ? p->dynamic : 0;
}

static double mu_lugre(const jn_friction_parameters *p, double speed, double *slope) {
    double mu = stribeck(p, speed, slope);
    *slope += p->sigma2;
    return speed > 0 ? mu + p->sigma2 * speed : 0;
}

/* Direction of slip, smooth below v0: (v/v0)(3/2 - s^2/(2 v0^2)). */
static void direction(double v0, const double v[2], double t[2], double t_v[2][2]) {
    double s = jn_hypot_safe(v[0], v[1]), x = s / v0, k = s >= v0 ? 1 / s : (1.5 - 0.5 * x * x) / v0;
    double k_s = s >= v0 ? -1 / (s * s) : -x / (v0 * v0); /* dk/ds */
    for (int i = 0; i < 2; i++) {
        t[i] = k * v[i];
        for (int j = 0; j < 2; j++) t_v[i][j] = (i == j ? k : 0) + (s > 0 ? k_s * v[i] * v[j] / s : 0);
    }
}

/* z' = S v + (1 - S)[mu_k dir(v) - sigma0 z]/sigma1 with S = exp(-v^2/v_s^2): sticking bristles follow the slip,
 * sliding ones relax. z[2] lags behind S: rises with the dwell time, falls with sigma1/sigma0. */
static void gonthier_rate(const jn_friction_parameters *p, const double v[2], const double *z, jn_friction_force *out) {
    double x2 = (v[0] * v[0] + v[1] * v[1]) / (p->stribeck * p->stribeck), S = jn_exp(-x2), rest = -jn_expm1(-x2);
    double t[2], t_v[2][2], S_v[2];
    direction(p->v0, v, t, t_v);
    for (int j = 0; j < 2; j++) S_v[j] = -2 * v[j] / (p->stribeck * p->stribeck) * S;
    for (int i = 0; i < 2; i++) {
        double relax = (p->dynamic * t[i] - p->sigma0 * z[i]) / p->sigma1;
        out->rate[i] = S * v[i] + rest * relax;
        for (int j = 0; j < 2; j++) {
            out->rate_v[i][j] = S_v[j] * (v[i] - relax) + (i == j ? S : 0) + rest * p->dynamic * t_v[i][j] / p->sigma1;
            out->rate_z[i][j] = i == j ? -rest * p->sigma0 / p->sigma1 : 0;
        }
    }
    double time = S > z[2] ? p->dwell : p->sigma1 / p->sigma0;
    out->rate[2] = (S - z[2]) / time;
    out->rate_z[2][2] = -1 / time;
    for (int j = 0; j < 2; j++) out->rate_v[2][j] = S_v[j] / time;
}

/* Scales the bristles' force (viscosity is added later) down to the strength most; most_z2 is its slope in z[2]. */
static void saturate(double most, double most_z2, double fn, jn_friction_force *out) {
    double size = jn_hypot_safe(out->f_load[0], out->f_load[1]);
    if (size <= most) return;
    double t[2] = {out->f_load[0] / size, out->f_load[1] / size}, k = most / size, A[2][2], B[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            A[i][j] = k * (out->f_v[i][j] - t[i] * (t[0] * out->f_v[0][j] + t[1] * out->f_v[1][j]));
            B[i][j] = k * (out->f_z[i][j] - t[i] * (t[0] * out->f_z[0][j] + t[1] * out->f_z[1][j]));
        }
    for (int i = 0; i < 2; i++) {
        out->f_load[i] = most * t[i];
        out->f[i] = fn * out->f_load[i];
        out->f_z[i][2] = fn * most_z2 * t[i];
        for (int j = 0; j < 2; j++) {
            out->f_v[i][j] = A[i][j];
            out->f_z[i][j] = B[i][j];
        }
    }
}

/* [Gonthier2004]; see docs/reaction.md for where the equations were taken from. */
static void force_gonthier(const jn_friction_parameters *p, double fn, const double v[2], const double *z,
                           const double *applied, jn_friction_force *out) {
    (void)applied;
    gonthier_rate(p, v, z, out);
    bristle_force(p, p->sigma1, 0, fn, v, z, out);
    saturate(p->dynamic + (p->stick - p->dynamic) * z[2], p->stick - p->dynamic, fn, out);
    out->dissipation = 0;
    for (int i = 0; i < 2; i++) {
        out->f[i] -= fn * p->sigma2 * v[i];
        out->f_load[i] -= p->sigma2 * v[i];
        out->f_v[i][i] -= fn * p->sigma2;
        out->dissipation -= out->f[i] * v[i] + fn * p->sigma0 * z[i] * out->rate[i];
    }
}

/* z' = 0 gives the bristles mu_k dir + sigma1 S v/(1 - S); where that is more than the strength, Stribeck's curve. */
static double mu_gonthier(const jn_friction_parameters *p, double speed, double *slope) {
    double x = speed / p->stribeck, S = jn_exp(-x * x), rest = -jn_expm1(-x * x), y = speed / p->v0;
    double most = stribeck(p, speed, slope), dir = y < 1 ? y * (1.5 - 0.5 * y * y) : 1;
    if (!(speed > 0)) return 0;
    double bristles = p->dynamic * dir + p->sigma1 * S * speed / rest;
    if (bristles < most) {
        double S_s = -2 * x / p->stribeck * S, dir_s = y < 1 ? 1.5 * (1 - y * y) / p->v0 : 0;
        *slope = p->dynamic * dir_s + p->sigma1 * (S / rest + speed * S_s / (rest * rest));
    }
    *slope += p->sigma2;
    return jn_fmin(bristles, most) + p->sigma2 * speed;
}

/* ----------------------------------------------------------------------------------------------------------- rows */

static double full_speed_dahl(const jn_friction_parameters *p) {
    (void)p;
    return 1e-3;
}
static double full_speed_stribeck(const jn_friction_parameters *p) { return 0.1 * p->stribeck; }

#define STRIBECK                                                                                                       \
    {                                                                                                                  \
        "stribeck", "m/s", false, 1e-2, 0, INFINITY, true, JN_FRICTION(stribeck),                                      \
            "speed at which sticking gives way to sliding", "stribeck: 10 mm/s"                                        \
    }
#define SIGMA0                                                                                                         \
    {                                                                                                                  \
        "sigma0", "1/m", false, 1e4, 0, INFINITY, true, JN_FRICTION(sigma0), "bristle stiffness over normal force",    \
            "sigma0: 1e5"                                                                                              \
    }
#define SIGMA1(open)                                                                                                   \
    {                                                                                                                  \
        "sigma1", "s/m", false, 10, 0, INFINITY, open, JN_FRICTION(sigma1), "bristle damping over normal force",       \
            "sigma1: 300"                                                                                              \
    }
#define SIGMA2                                                                                                         \
    { "sigma2", "s/m", false, 0, 0, INFINITY, false, JN_FRICTION(sigma2), "viscosity over normal force", "sigma2: 0.1" }

static const jn_law_parameter dahl_parameters[] = {JN_PARAMETER_DYNAMIC, SIGMA0, JN_PARAMETERS_END};
const jn_friction_info jn_friction_dahl = {.name = "dahl",
                                           .summary = "elastic bristles that yield at dynamic",
                                           .source = "Dahl1976",
                                           .place = "exponent 1",
                                           .parameters = dahl_parameters,
                                           .states = 2,
                                           .coefficient = mu_dahl,
                                           .force = force_dahl,
                                           .full_speed = full_speed_dahl};

static const jn_law_parameter lugre_parameters[] = {
    JN_PARAMETER_DYNAMIC, JN_PARAMETER_STATIC, STRIBECK, SIGMA0, SIGMA1(false), SIGMA2, JN_PARAMETERS_END};
const jn_friction_info jn_friction_lugre = {.name = "lugre",
                                            .summary = "elastic, damped bristles with a Stribeck curve",
                                            .source = "CanudasDeWit1995",
                                            .place = "bristle and Stribeck equations, per unit of load",
                                            .parameters = lugre_parameters,
                                            .states = 2,
                                            .coefficient = mu_lugre,
                                            .force = force_lugre,
                                            .full_speed = full_speed_stribeck};

static const jn_law_parameter gonthier_parameters[] = {JN_PARAMETER_DYNAMIC,
                                                       JN_PARAMETER_STATIC,
                                                       STRIBECK,
                                                       SIGMA0,
                                                       SIGMA1(true),
                                                       SIGMA2,
                                                       JN_PARAMETER_V0(1e-3, "smoothing of the direction of slip"),
                                                       {"dwell", "s", false, 0.1, 0, INFINITY, true, JN_FRICTION(dwell),
                                                        "time at rest in which static is gained", "dwell: 0.5 s"},
                                                       JN_PARAMETERS_END};
const jn_friction_info jn_friction_gonthier = {.name = "gonthier",
                                               .summary = "bristles whose strength grows with the time at rest",
                                               .source = "Gonthier2004",
                                               .place = "bristles, sticking state, dwell time",
                                               .parameters = gonthier_parameters,
                                               .states = 3,
                                               .coefficient = mu_gonthier,
                                               .force = force_gonthier,
                                               .full_speed = full_speed_stribeck};

/* Friction that depends on the slip velocity alone. Each law gives the coefficient at a slip speed and its slope; the
 * force is opposite to the slip. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>

/* Coulomb [Rodrigues2024, eq. 45] is set-valued at rest; here mu tanh(v/v0) [Andersson2007], within 1e-3 of it beyond
 * 4 v0. */
static double mu_coulomb(const jn_friction_parameters *p, double speed, double *slope) {
    double t = jn_tanh(speed / p->v0);
    *slope = p->dynamic * (1 - t * t) / p->v0;
    return p->dynamic * t;
}

/* [Rodrigues2024, eq. 47], with the first branch for |v| <= v0. As printed it jumps from 0.950213 to 0.95 there. */
static double mu_threlfall(const jn_friction_parameters *p, double speed, double *slope) {
    *slope = 0;
    if (speed > p->v0) return 0.95 * p->dynamic;
    double decay = jn_exp(-3 * speed / p->v0);
    *slope = 3 * p->dynamic * decay / p->v0;
    return p->dynamic * (1 - decay);
}

/* [Rodrigues2024, eq. 48] after [Bengisu1994]: a parabola to the sticking coefficient at v0, then a decay. */
static double mu_bengisu_akay(const jn_friction_parameters *p, double speed, double *slope) {
    double x = speed / p->v0 - 1;
    if (x < 0) {
        *slope = -2 * p->stick * x / p->v0;
        return p->stick * (1 - x * x);
    }
    double decay = (p->stick - p->dynamic) * jn_exp(-p->xi * (speed - p->v0));
    *slope = -p->xi * decay;
    return p->dynamic + decay;
}

/* [Rodrigues2024, eq. 49, 50] after [Ambrosio2003]: nothing below v0, a ramp from v0 to v1. */
static double mu_ambrosio(const jn_friction_parameters *p, double speed, double *slope) {
    *slope = 0;
    if (speed < p->v0) return 0;
    if (speed > p->v1) return p->dynamic;
    *slope = p->dynamic / (p->v1 - p->v0);
    return *slope * (speed - p->v0);
}

/* [Brown2016]: sticking coefficient at v0, all derivatives continuous; the dry part. */
static double mu_brown_mcphee(const jn_friction_parameters *p, double speed, double *slope) {
    double x = speed / p->v0, t = jn_tanh(4 * x), g = 0.25 * x * x + 0.75, extra = p->stick - p->dynamic;
    *slope = (4 * p->dynamic * (1 - t * t) + extra * (g - x * x) / (g * g * g)) / p->v0;
    return p->dynamic * t + extra * x / (g * g);
}

/* [Karnopp1985]: sliding beyond v0. Within the band, where nothing is known of the other forces, a ramp to stick. */
static double mu_karnopp(const jn_friction_parameters *p, double speed, double *slope) {
    *slope = speed < p->v0 ? p->stick / p->v0 : 0;
    return speed < p->v0 ? p->stick * speed / p->v0 : p->dynamic;
}

/* Within the band friction balances the applied force, as far as sticking friction can. */
static void force_karnopp(const jn_friction_parameters *p, double fn, const double v[2], const double *z,
                          const double *applied, jn_friction_force *out) {
    (void)z;
    double speed = jn_hypot_safe(v[0], v[1]), slope, mu = mu_karnopp(p, speed, &slope);
    if (!applied || speed >= p->v0) {
        jn_friction_along_slip(mu, slope, fn, v, out);
        return;
    }
    double size = jn_hypot_safe(applied[0], applied[1]), most = p->stick * fn, share = size > most ? most / size : 1;
    for (int i = 0; i < 2; i++) {
        out->f[i] = -share * applied[i];
        out->f_load[i] = size > most ? -p->stick * applied[i] / size : 0;
    }
    out->dissipation = -out->f[0] * v[0] - out->f[1] * v[1];
}

/* -mu(s) fn t with t = v/s; its derivative is -fn [mu' t t^T + mu/s (1 - t t^T)], and mu/s -> mu' at rest. */
void jn_friction_along_slip(double mu, double slope, double fn, const double v[2], jn_friction_force *out) {
    double s = jn_hypot_safe(v[0], v[1]), t[2] = {s > 0 ? v[0] / s : 0, s > 0 ? v[1] / s : 0};
    double across = s > 0 ? mu / s : slope;
    for (int i = 0; i < 2; i++) {
        out->f[i] = -mu * fn * t[i];
        out->f_load[i] = -mu * t[i];
        for (int j = 0; j < 2; j++) out->f_v[i][j] = -fn * ((slope - across) * t[i] * t[j] + (i == j ? across : 0));
    }
    out->dissipation = mu * fn * s;
}

double jn_full_speed_v0(const jn_friction_parameters *p) { return p->v0; }
static double full_speed_v1(const jn_friction_parameters *p) { return p->v1; }

static int check_ambrosio(const jn_friction_parameters *p, jn_where where, jn_report *report) {
    if (p->v1 > p->v0) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                         "v1 of ambrosio is %g, not above v0 = %g\nwrite a v1 above v0", p->v1, p->v0);
}

/* ----------------------------------------------------------------------------------------------------------- rows */

static const jn_law_parameter coulomb_parameters[] = {
    JN_PARAMETER_DYNAMIC, JN_PARAMETER_V0(1e-3, "smoothing: 76 % of dynamic at this speed"), JN_PARAMETERS_END};
const jn_friction_info jn_friction_coulomb = {.name = "coulomb",
                                              .summary = "Coulomb's law, smoothed: dynamic tanh(v/v0)",
                                              .source = "Rodrigues2024",
                                              .place = "eq. 45",
                                              .parameters = coulomb_parameters,
                                              .coefficient = mu_coulomb,
                                              .full_speed = jn_full_speed_v0};

static const jn_law_parameter threlfall_parameters[] = {
    JN_PARAMETER_DYNAMIC, JN_PARAMETER_V0(1e-3, "95 % of dynamic from this speed on"), JN_PARAMETERS_END};
const jn_friction_info jn_friction_threlfall = {.name = "threlfall",
                                                .summary = "exponential rise to 95 % at v0",
                                                .source = "Rodrigues2024",
                                                .place = "eq. 47",
                                                .parameters = threlfall_parameters,
                                                .coefficient = mu_threlfall,
                                                .full_speed = jn_full_speed_v0};

static const jn_law_parameter bengisu_akay_parameters[] = {
    JN_PARAMETER_DYNAMIC,
    JN_PARAMETER_STATIC,
    JN_PARAMETER_V0(1e-3, "slip speed of the greatest friction"),
    {"xi", "s/m", false, 20, 0, INFINITY, false, JN_FRICTION(xi), "decay from static to dynamic", "xi: 20"},
    JN_PARAMETERS_END};
const jn_friction_info jn_friction_bengisu_akay = {.name = "bengisu_akay",
                                                   .summary = "rise to static at v0, then decay to dynamic",
                                                   .source = "Rodrigues2024",
                                                   .place = "eq. 48",
                                                   .parameters = bengisu_akay_parameters,
                                                   .coefficient = mu_bengisu_akay,
                                                   .full_speed = jn_full_speed_v0};

static const jn_law_parameter ambrosio_parameters[] = {JN_PARAMETER_DYNAMIC,
                                                       JN_PARAMETER_V0(1e-4, "no friction below this speed"),
                                                       {"v1", "m/s", false, 1e-3, 0, INFINITY, true, JN_FRICTION(v1),
                                                        "full friction beyond this speed, above v0", "v1: 3 mm/s"},
                                                       JN_PARAMETERS_END};
const jn_friction_info jn_friction_ambrosio = {.name = "ambrosio",
                                               .summary = "no friction below v0, a ramp up to v1",
                                               .source = "Rodrigues2024",
                                               .place = "eq. 49-50",
                                               .parameters = ambrosio_parameters,
                                               .coefficient = mu_ambrosio,
                                               .full_speed = full_speed_v1,
                                               .check = check_ambrosio};

static const jn_law_parameter brown_mcphee_parameters[] = {JN_PARAMETER_DYNAMIC, JN_PARAMETER_STATIC,
                                                           JN_PARAMETER_V0(1e-3, "slip speed of the greatest friction"),
                                                           JN_PARAMETERS_END};
const jn_friction_info jn_friction_brown_mcphee = {.name = "brown_mcphee",
                                                   .summary = "smooth Stribeck curve with static at v0",
                                                   .source = "Brown2016",
                                                   .place = "dry part; no viscous term",
                                                   .parameters = brown_mcphee_parameters,
                                                   .coefficient = mu_brown_mcphee,
                                                   .full_speed = jn_full_speed_v0};

static const jn_law_parameter karnopp_parameters[] = {
    JN_PARAMETER_DYNAMIC, JN_PARAMETER_STATIC, JN_PARAMETER_V0(1e-3, "slower slip counts as rest"), JN_PARAMETERS_END};
const jn_friction_info jn_friction_karnopp = {.name = "karnopp",
                                              .summary = "rest below v0 balances the applied force up to static",
                                              .source = "Karnopp1985",
                                              .place = "stick band",
                                              .parameters = karnopp_parameters,
                                              .coefficient = mu_karnopp,
                                              .force = force_karnopp,
                                              .full_speed = jn_full_speed_v0};

/* Friction that depends on the slip velocity alone. Each law gives the coefficient at a slip speed and its slope; the
 * force is opposite to the slip. */
#include "algebra/elementary.h"
#include "reaction/laws/laws.h"
#include <math.h>

/* Coulomb [Rodrigues2024, eq. 45] is set-valued at rest; here mu tanh(v/v0) [Andersson2007], within 1e-3 of it beyond
 * 4 v0. */
double jn_mu_coulomb(const jn_friction_parameters *p, double speed, double *slope) {
    double t = jn_tanh(speed / p->v0);
    *slope = p->dynamic * (1 - t * t) / p->v0;
    return p->dynamic * t;
}

/* [Rodrigues2024, eq. 47], with the first branch for |v| <= v0. As printed it jumps from 0.950213 to 0.95 there. */
double jn_mu_threlfall(const jn_friction_parameters *p, double speed, double *slope) {
    *slope = 0;
    if (speed > p->v0) return 0.95 * p->dynamic;
    double decay = jn_exp(-3 * speed / p->v0);
    *slope = 3 * p->dynamic * decay / p->v0;
    return p->dynamic * (1 - decay);
}

/* [Rodrigues2024, eq. 48] after [Bengisu1994]: a parabola to the sticking coefficient at v0, then a decay. */
double jn_mu_bengisu_akay(const jn_friction_parameters *p, double speed, double *slope) {
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
double jn_mu_ambrosio(const jn_friction_parameters *p, double speed, double *slope) {
    *slope = 0;
    if (speed < p->v0) return 0;
    if (speed > p->v1) return p->dynamic;
    *slope = p->dynamic / (p->v1 - p->v0);
    return *slope * (speed - p->v0);
}

/* [Brown2016]: sticking coefficient at v0, all derivatives continuous; the dry part. */
double jn_mu_brown_mcphee(const jn_friction_parameters *p, double speed, double *slope) {
    double x = speed / p->v0, t = jn_tanh(4 * x), g = 0.25 * x * x + 0.75, extra = p->stick - p->dynamic;
    *slope = (4 * p->dynamic * (1 - t * t) + extra * (g - x * x) / (g * g * g)) / p->v0;
    return p->dynamic * t + extra * x / (g * g);
}

/* [Karnopp1985]: sliding beyond v0. Within the band, where nothing is known of the other forces, a ramp to stick. */
double jn_mu_karnopp(const jn_friction_parameters *p, double speed, double *slope) {
    *slope = speed < p->v0 ? p->stick / p->v0 : 0;
    return speed < p->v0 ? p->stick * speed / p->v0 : p->dynamic;
}

/* Within the band friction balances the applied force, as far as sticking friction can. */
void jn_friction_karnopp(const jn_friction_parameters *p, double fn, const double v[2], const double *z,
                         const double *applied, jn_friction_force *out) {
    (void)z;
    double speed = jn_hypot_safe(v[0], v[1]), slope, mu = jn_mu_karnopp(p, speed, &slope);
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

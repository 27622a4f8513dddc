/* Resistance to rolling and spinning: torques proportional to the normal force, smoothed at rest. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>

/* Rolling: -rolling fn tanh(|w_t|/w0) w_t/|w_t|. Spinning: -spinning fn tanh(w_n/w0). [Johnson1985, chapter 9] */
void jn_resistance_eval(const jn_resistance_parameters *p, double fn, const double w[3], jn_resistance_torque *out) {
    jn_friction_force roll = {0};
    double t = jn_tanh(jn_hypot_safe(w[0], w[1]) / p->speed), n = jn_tanh(w[2] / p->speed);
    jn_friction_along_slip(p->rolling * t, p->rolling * (1 - t * t) / p->speed, fn, w, &roll);
    *out = (jn_resistance_torque){.m = {roll.f[0], roll.f[1], -p->spinning * fn * n},
                                  .m_load = {roll.f_load[0], roll.f_load[1], -p->spinning * n},
                                  .dissipation = roll.dissipation + p->spinning * fn * n * w[2]};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) out->m_w[i][j] = roll.f_v[i][j];
    out->m_w[2][2] = -p->spinning * fn * (1 - n * n) / p->speed;
}

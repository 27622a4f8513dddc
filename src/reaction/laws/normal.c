/* Normal forces: elastic, with hysteresis, with a linear damper. */
#include "reaction/laws/laws.h"
#include <math.h>

/* Hooke and Hertz [Rodrigues2024, eq. 37, 38]. */
void jn_force_elastic(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out) {
    (void)rate, (void)speed;
    jn_elastic_value e = jn_elastic_eval(&law->elastic, depth);
    *out = (jn_normal_force){.f = e.f, .elastic = e.f, .energy = e.energy, .f_depth = e.slope};
}

/* f = F(d) (1 + chi d'/v0) [Rodrigues2024, eq. 42-44]. Cut at zero when the bodies part faster than v0/chi. */
void jn_force_hysteresis(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out) {
    jn_elastic_value e = jn_elastic_eval(&law->elastic, depth);
    double k = law->chi / speed, factor = 1 + k * rate;
    if (factor < 0 && !law->attraction) factor = k = 0;
    *out = (jn_normal_force){.f = e.f * factor,
                             .elastic = e.f,
                             .energy = e.energy,
                             .dissipation = e.f * (factor - 1) * rate,
                             .f_depth = e.slope * factor,
                             .f_rate = e.f * k};
}

/* f = F(d) + D d' [Rodrigues2024, eq. 41]. Jumps to D v0 when the contact starts; cut at zero when it ends. */
void jn_force_viscous(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out) {
    (void)speed;
    jn_elastic_value e = jn_elastic_eval(&law->elastic, depth);
    double f = e.f + law->damping * rate;
    bool cut = f < 0 && !law->attraction;
    *out = (jn_normal_force){.f = cut ? 0 : f,
                             .elastic = e.f,
                             .energy = e.energy,
                             .dissipation = (cut ? -e.f : law->damping * rate) * rate,
                             .f_depth = cut ? 0 : e.slope,
                             .f_rate = cut ? 0 : law->damping};
}

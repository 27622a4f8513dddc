/* Normal forces: elastic, with hysteresis, with a linear damper. */
#include "reaction/laws/law_functions.h"
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

/* ----------------------------------------------------------------------------------------------------------- rows */

#define NORMAL(member) offsetof(jn_normal_parameters, member)
/* name, unit, required, default, least, most, open, offset, doc, example */
#define P_STIFFNESS                                                                                                    \
    {                                                                                                                  \
        "stiffness", "N/m^n", true, NAN, 0, INFINITY, true, NORMAL(stiffness),                                         \
            "force at a depth of 1 m; or young and poisson in its place", "stiffness: 1e8 N/m^1.5"                     \
    }
#define P_STIFFNESS_LINEAR                                                                                             \
    { "stiffness", "N/m", true, NAN, 0, INFINITY, true, NORMAL(stiffness), "force over depth", "stiffness: 1e6 N/m" }
#define P_EXPONENT                                                                                                     \
    {                                                                                                                  \
        "exponent", "1", false, 1.5, 1, 10, false, NORMAL(exponent),                                                   \
            "n of depth^n; 1.5 is Hertz's for curved surfaces", "exponent: 1.5"                                        \
    }
#define P_FLOOR                                                                                                        \
    {                                                                                                                  \
        "speed_floor", "m/s", false, 1e-3, 0, INFINITY, true, NORMAL(speed_floor),                                     \
            "slower impacts are damped as if they had this speed", "speed_floor: 1 mm/s"                               \
    }
#define P_RESTITUTION(doc)                                                                                             \
    { "restitution", "1", true, NAN, 0, 1, false, NORMAL(restitution), doc, "restitution: 0.9" }
#define P_RESTITUTION_POSITIVE(doc)                                                                                    \
    { "restitution", "1", true, NAN, 0, 1, true, NORMAL(restitution), doc, "restitution: 0.9" }
#define P_MASS                                                                                                         \
    {                                                                                                                  \
        "mass", "kg", false, NAN, 0, INFINITY, true, NORMAL(mass),                                                     \
            "reduced mass of the pair, needed with restitution", "mass: 0.5"                                           \
    }
#define P_DAMPING                                                                                                      \
    {                                                                                                                  \
        "damping", "N*s/m", false, NAN, 0, INFINITY, false, NORMAL(damping), "damper; else from restitution and mass", \
            "damping: 100"                                                                                             \
    }

static const jn_law_parameter hooke_parameters[] = {P_STIFFNESS_LINEAR, JN_PARAMETERS_END};
static const jn_law_parameter hertz_parameters[] = {P_STIFFNESS, P_EXPONENT, JN_PARAMETERS_END};
static const jn_law_parameter viscous_parameters[] = {P_STIFFNESS_LINEAR,
                                                      P_DAMPING,
                                                      {"restitution", "1", false, NAN, 0, 1, true, NORMAL(restitution),
                                                       "chooses the damper that returns it", "restitution: 0.9"},
                                                      P_MASS,
                                                      JN_PARAMETERS_END};
static const jn_law_parameter half_wave_parameters[] = {P_STIFFNESS_LINEAR,
                                                        P_DAMPING,
                                                        {"restitution", "1", false, NAN, 0, 1, true,
                                                         NORMAL(restitution), "sets the damping ratio; more comes out",
                                                         "restitution: 0.9"},
                                                        P_MASS,
                                                        JN_PARAMETERS_END};
static const jn_law_parameter hysteresis_parameters[] = {
    P_STIFFNESS, P_EXPONENT, P_RESTITUTION("sets the damping; another value comes out unless exact"), P_FLOOR,
    JN_PARAMETERS_END};
static const jn_law_parameter hysteresis_positive_parameters[] = {
    P_STIFFNESS, P_EXPONENT, P_RESTITUTION_POSITIVE("sets the damping; another value comes out unless exact"), P_FLOOR,
    JN_PARAMETERS_END};
static const jn_law_parameter exact_parameters[] = {
    P_STIFFNESS, P_EXPONENT, P_RESTITUTION_POSITIVE("comes out as it is put in"), P_FLOOR, JN_PARAMETERS_END};

const jn_normal_info jn_normal_hooke = {.name = "hooke",
                                        .summary = "linear spring",
                                        .source = "Rodrigues2024",
                                        .place = "eq. 37",
                                        .parameters = hooke_parameters,
                                        .linear = true,
                                        .force = jn_force_elastic};
const jn_normal_info jn_normal_hertz = {.name = "hertz",
                                        .summary = "elastic contact of curved surfaces",
                                        .source = "Rodrigues2024",
                                        .place = "eq. 38",
                                        .parameters = hertz_parameters,
                                        .force = jn_force_elastic};
const jn_normal_info jn_normal_kelvin_voigt = {.name = "kelvin_voigt",
                                               .summary = "linear spring and damper",
                                               .source = "Rodrigues2024",
                                               .place = "eq. 41",
                                               .parameters = viscous_parameters,
                                               .linear = true,
                                               .damping = jn_damping_kelvin_voigt,
                                               .force = jn_force_viscous};
const jn_normal_info jn_normal_anagnostopoulos = {.name = "anagnostopoulos",
                                                  .summary =
                                                      "linear spring and damper with the damping ratio of a half wave",
                                                  .source = "Anagnostopoulos1988",
                                                  .place = "xi = -ln c/sqrt(pi^2 + ln^2 c)",
                                                  .parameters = half_wave_parameters,
                                                  .linear = true,
                                                  .damping = jn_damping_anagnostopoulos,
                                                  .force = jn_force_viscous};
const jn_normal_info jn_normal_hunt_crossley = {.name = "hunt_crossley",
                                                .summary = "hysteresis 3(1-c)/2, for nearly elastic impacts",
                                                .source = "Rodrigues2024",
                                                .place = "eq. 42",
                                                .parameters = hysteresis_parameters,
                                                .chi = jn_chi_hunt_crossley,
                                                .force = jn_force_hysteresis};
const jn_normal_info jn_normal_herbert_mcwhannell = {.name = "herbert_mcwhannell",
                                                     .summary = "hysteresis 6(1-c)/[(2c-1)^2+3]",
                                                     .source = "Herbert1977",
                                                     .place = "damping factor",
                                                     .parameters = hysteresis_parameters,
                                                     .chi = jn_chi_herbert_mcwhannell,
                                                     .force = jn_force_hysteresis};
const jn_normal_info jn_normal_lee_wang = {.name = "lee_wang",
                                           .summary = "hysteresis 3(1-c)/4",
                                           .source = "Lee1983",
                                           .place = "damping factor",
                                           .parameters = hysteresis_parameters,
                                           .chi = jn_chi_lee_wang,
                                           .force = jn_force_hysteresis};
const jn_normal_info jn_normal_lankarani_nikravesh = {.name = "lankarani_nikravesh",
                                                      .summary = "hysteresis 3(1-c^2)/4, for nearly elastic impacts",
                                                      .source = "Rodrigues2024",
                                                      .place = "eq. 43",
                                                      .parameters = hysteresis_parameters,
                                                      .chi = jn_chi_lankarani_nikravesh,
                                                      .force = jn_force_hysteresis};
const jn_normal_info jn_normal_gonthier = {.name = "gonthier",
                                           .summary = "hysteresis (1-c^2)/c, for the whole range of restitution",
                                           .source = "Gonthier2004",
                                           .place = "chi = d/c with d = 1 - c^2",
                                           .parameters = hysteresis_positive_parameters,
                                           .chi = jn_chi_gonthier,
                                           .force = jn_force_hysteresis};
const jn_normal_info jn_normal_zhang_sharf = {.name = "zhang_sharf",
                                              .summary =
                                                  "hysteresis that returns the restitution, from the implicit relation",
                                              .source = "Zhang2009",
                                              .place = "implicit damping factor, solved",
                                              .parameters = exact_parameters,
                                              .chi = jn_chi_from_restitution,
                                              .force = jn_force_hysteresis};
const jn_normal_info jn_normal_zhiying_qishao = {.name = "zhiying_qishao",
                                                 .summary = "hysteresis 3(1-c^2)exp[2(1-c)]/4",
                                                 .source = "Zhiying2006",
                                                 .place = "damping factor",
                                                 .parameters = hysteresis_parameters,
                                                 .chi = jn_chi_zhiying_qishao,
                                                 .force = jn_force_hysteresis};
const jn_normal_info jn_normal_flores = {.name = "flores",
                                         .summary = "hysteresis 8(1-c)/(5c), for the whole range of restitution",
                                         .source = "Rodrigues2024",
                                         .place = "eq. 44",
                                         .parameters = hysteresis_positive_parameters,
                                         .chi = jn_chi_flores,
                                         .force = jn_force_hysteresis};
const jn_normal_info jn_normal_hu_guo = {.name = "hu_guo",
                                         .summary = "hysteresis 3(1-c)/(2c), for the whole range of restitution",
                                         .source = "Hu2015",
                                         .place = "damping factor",
                                         .parameters = hysteresis_positive_parameters,
                                         .chi = jn_chi_hu_guo,
                                         .force = jn_force_hysteresis};

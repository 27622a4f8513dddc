/* The table of laws: one row each, with parameters, units, ranges and source. */
#include "reaction/laws/laws.h"
#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------- parameters */

#define NORMAL(member) offsetof(jn_normal_parameters, member)
#define FRICTION(member) offsetof(jn_friction_parameters, member)
#define RESISTANCE(member) offsetof(jn_resistance_parameters, member)
#define END                                                                                                            \
    { NULL, NULL, false, 0, 0, 0, false, 0, NULL }

/* name, unit, required, default, least, most, open, offset, doc */
#define P_STIFFNESS                                                                                                    \
    {                                                                                                                  \
        "stiffness", "N/m^n", true, NAN, 0, INFINITY, true, NORMAL(stiffness),                                         \
            "force at a depth of 1 m; or young and poisson in its place"                                               \
    }
#define P_STIFFNESS_LINEAR                                                                                             \
    { "stiffness", "N/m", true, NAN, 0, INFINITY, true, NORMAL(stiffness), "force over depth" }
#define P_EXPONENT                                                                                                     \
    { "exponent", "1", false, 1.5, 1, 10, false, NORMAL(exponent), "n of depth^n; 1.5 is Hertz's for curved surfaces" }
#define P_FLOOR                                                                                                        \
    {                                                                                                                  \
        "speed_floor", "m/s", false, 1e-3, 0, INFINITY, true, NORMAL(speed_floor),                                     \
            "slower impacts are damped as if they had this speed"                                                      \
    }
#define P_RESTITUTION(doc)                                                                                             \
    { "restitution", "1", true, NAN, 0, 1, false, NORMAL(restitution), doc }
#define P_RESTITUTION_POSITIVE(doc)                                                                                    \
    { "restitution", "1", true, NAN, 0, 1, true, NORMAL(restitution), doc }
#define P_MASS                                                                                                         \
    { "mass", "kg", false, NAN, 0, INFINITY, true, NORMAL(mass), "reduced mass of the pair, needed with restitution" }
#define P_DAMPING                                                                                                      \
    { "damping", "N*s/m", false, NAN, 0, INFINITY, false, NORMAL(damping), "damper; else from restitution and mass" }

static const jn_law_parameter hooke_parameters[] = {P_STIFFNESS_LINEAR, END};
static const jn_law_parameter hertz_parameters[] = {P_STIFFNESS, P_EXPONENT, END};
static const jn_law_parameter viscous_parameters[] = {
    P_STIFFNESS_LINEAR,
    P_DAMPING,
    {"restitution", "1", false, NAN, 0, 1, true, NORMAL(restitution), "chooses the damper that returns it"},
    P_MASS,
    END};
static const jn_law_parameter half_wave_parameters[] = {
    P_STIFFNESS_LINEAR,
    P_DAMPING,
    {"restitution", "1", false, NAN, 0, 1, true, NORMAL(restitution), "sets the damping ratio; more comes out"},
    P_MASS,
    END};
static const jn_law_parameter hysteresis_parameters[] = {
    P_STIFFNESS, P_EXPONENT, P_RESTITUTION("sets the damping; another value comes out unless exact"), P_FLOOR, END};
static const jn_law_parameter hysteresis_positive_parameters[] = {
    P_STIFFNESS, P_EXPONENT, P_RESTITUTION_POSITIVE("sets the damping; another value comes out unless exact"), P_FLOOR,
    END};
static const jn_law_parameter exact_parameters[] = {P_STIFFNESS, P_EXPONENT,
                                                    P_RESTITUTION_POSITIVE("comes out as it is put in"), P_FLOOR, END};

#define P_DYNAMIC                                                                                                      \
    { "dynamic", "1", true, NAN, 0, INFINITY, false, FRICTION(dynamic), "coefficient of sliding friction" }
#define P_STICK                                                                                                        \
    {                                                                                                                  \
        "static", "1", false, NAN, 0, INFINITY, false, FRICTION(stick),                                                \
            "coefficient at rest, not below dynamic (default dynamic)"                                                 \
    }
#define P_V0(value, doc)                                                                                               \
    { "v0", "m/s", false, value, 0, INFINITY, true, FRICTION(v0), doc }
#define P_STRIBECK                                                                                                     \
    {                                                                                                                  \
        "stribeck", "m/s", false, 1e-2, 0, INFINITY, true, FRICTION(stribeck),                                         \
            "speed at which sticking gives way to sliding"                                                             \
    }
#define P_SIGMA0                                                                                                       \
    { "sigma0", "1/m", false, 1e4, 0, INFINITY, true, FRICTION(sigma0), "bristle stiffness over normal force" }
#define P_SIGMA1(open)                                                                                                 \
    { "sigma1", "s/m", false, 10, 0, INFINITY, open, FRICTION(sigma1), "bristle damping over normal force" }
#define P_SIGMA2                                                                                                       \
    { "sigma2", "s/m", false, 0, 0, INFINITY, false, FRICTION(sigma2), "viscosity over normal force" }

static const jn_law_parameter coulomb_parameters[] = {P_DYNAMIC, P_V0(1e-3, "smoothing: 76 % of dynamic at this speed"),
                                                      END};
static const jn_law_parameter threlfall_parameters[] = {P_DYNAMIC, P_V0(1e-3, "95 % of dynamic from this speed on"),
                                                        END};
static const jn_law_parameter bengisu_akay_parameters[] = {
    P_DYNAMIC,
    P_STICK,
    P_V0(1e-3, "slip speed of the greatest friction"),
    {"xi", "s/m", false, 20, 0, INFINITY, false, FRICTION(xi), "decay from static to dynamic"},
    END};
static const jn_law_parameter ambrosio_parameters[] = {
    P_DYNAMIC,
    P_V0(1e-4, "no friction below this speed"),
    {"v1", "m/s", false, 1e-3, 0, INFINITY, true, FRICTION(v1), "full friction beyond this speed, above v0"},
    END};
static const jn_law_parameter brown_mcphee_parameters[] = {P_DYNAMIC, P_STICK,
                                                           P_V0(1e-3, "slip speed of the greatest friction"), END};
static const jn_law_parameter karnopp_parameters[] = {P_DYNAMIC, P_STICK, P_V0(1e-3, "slower slip counts as rest"),
                                                      END};
static const jn_law_parameter dahl_parameters[] = {P_DYNAMIC, P_SIGMA0, END};
static const jn_law_parameter lugre_parameters[] = {P_DYNAMIC,       P_STICK,  P_STRIBECK, P_SIGMA0,
                                                    P_SIGMA1(false), P_SIGMA2, END};
static const jn_law_parameter gonthier_parameters[] = {
    P_DYNAMIC,
    P_STICK,
    P_STRIBECK,
    P_SIGMA0,
    P_SIGMA1(true),
    P_SIGMA2,
    P_V0(1e-3, "smoothing of the direction of slip"),
    {"dwell", "s", false, 0.1, 0, INFINITY, true, FRICTION(dwell), "time at rest in which static is gained"},
    END};

static const jn_law_parameter resistance_parameters[] = {
    {"rolling", "m", false, 0, 0, INFINITY, false, RESISTANCE(rolling), "rolling torque over normal force"},
    {"spinning", "m", false, 0, 0, INFINITY, false, RESISTANCE(spinning), "spinning torque over normal force"},
    {"resistance_speed", "rad/s", false, 1e-2, 0, INFINITY, true, RESISTANCE(speed),
     "smoothing: 76 % of the torque at this speed"},
    END};

/* ----------------------------------------------------------------------------------------------------------- rows */

static const jn_normal_info normal_laws[JN_NORMAL_KINDS] = {
    [JN_NORMAL_HOOKE] = {"hooke", "linear spring", "Rodrigues2024", "eq. 37", hooke_parameters, true, NULL, NULL,
                         jn_force_elastic},
    [JN_NORMAL_HERTZ] = {"hertz", "elastic contact of curved surfaces", "Rodrigues2024", "eq. 38", hertz_parameters,
                         false, NULL, NULL, jn_force_elastic},
    [JN_NORMAL_KELVIN_VOIGT] = {"kelvin_voigt", "linear spring and damper", "Rodrigues2024", "eq. 41",
                                viscous_parameters, true, NULL, jn_damping_kelvin_voigt, jn_force_viscous},
    [JN_NORMAL_ANAGNOSTOPOULOS] = {"anagnostopoulos", "linear spring and damper with the damping ratio of a half wave",
                                   "Anagnostopoulos1988", "xi = -ln c/sqrt(pi^2 + ln^2 c)", half_wave_parameters, true,
                                   NULL, jn_damping_anagnostopoulos, jn_force_viscous},
    [JN_NORMAL_HUNT_CROSSLEY] = {"hunt_crossley", "hysteresis 3(1-c)/2, for nearly elastic impacts", "Rodrigues2024",
                                 "eq. 42", hysteresis_parameters, false, jn_chi_hunt_crossley, NULL,
                                 jn_force_hysteresis},
    [JN_NORMAL_HERBERT_MCWHANNELL] = {"herbert_mcwhannell", "hysteresis 6(1-c)/[(2c-1)^2+3]", "Herbert1977",
                                      "damping factor", hysteresis_parameters, false, jn_chi_herbert_mcwhannell, NULL,
                                      jn_force_hysteresis},
    [JN_NORMAL_LEE_WANG] = {"lee_wang", "hysteresis 3(1-c)/4", "Lee1983", "damping factor", hysteresis_parameters,
                            false, jn_chi_lee_wang, NULL, jn_force_hysteresis},
    [JN_NORMAL_LANKARANI_NIKRAVESH] = {"lankarani_nikravesh", "hysteresis 3(1-c^2)/4, for nearly elastic impacts",
                                       "Rodrigues2024", "eq. 43", hysteresis_parameters, false,
                                       jn_chi_lankarani_nikravesh, NULL, jn_force_hysteresis},
    [JN_NORMAL_GONTHIER] = {"gonthier", "hysteresis (1-c^2)/c, for the whole range of restitution", "Gonthier2004",
                            "chi = d/c with d = 1 - c^2", hysteresis_positive_parameters, false, jn_chi_gonthier, NULL,
                            jn_force_hysteresis},
    [JN_NORMAL_ZHANG_SHARF] = {"zhang_sharf", "hysteresis that returns the restitution, from the implicit relation",
                               "Zhang2009", "implicit damping factor, solved", exact_parameters, false,
                               jn_chi_from_restitution, NULL, jn_force_hysteresis},
    [JN_NORMAL_ZHIYING_QISHAO] = {"zhiying_qishao", "hysteresis 3(1-c^2)exp[2(1-c)]/4", "Zhiying2006", "damping factor",
                                  hysteresis_parameters, false, jn_chi_zhiying_qishao, NULL, jn_force_hysteresis},
    [JN_NORMAL_FLORES] = {"flores", "hysteresis 8(1-c)/(5c), for the whole range of restitution", "Rodrigues2024",
                          "eq. 44", hysteresis_positive_parameters, false, jn_chi_flores, NULL, jn_force_hysteresis},
    [JN_NORMAL_HU_GUO] = {"hu_guo", "hysteresis 3(1-c)/(2c), for the whole range of restitution", "Hu2015",
                          "damping factor", hysteresis_positive_parameters, false, jn_chi_hu_guo, NULL,
                          jn_force_hysteresis},
};

static const jn_friction_info friction_laws[JN_FRICTION_KINDS] = {
    [JN_FRICTION_COULOMB] = {"coulomb", "Coulomb's law, smoothed: dynamic tanh(v/v0)", "Rodrigues2024", "eq. 45",
                             coulomb_parameters, 0, jn_mu_coulomb, NULL},
    [JN_FRICTION_THRELFALL] = {"threlfall", "exponential rise to 95 % at v0", "Rodrigues2024", "eq. 47",
                               threlfall_parameters, 0, jn_mu_threlfall, NULL},
    [JN_FRICTION_BENGISU_AKAY] = {"bengisu_akay", "rise to static at v0, then decay to dynamic", "Rodrigues2024",
                                  "eq. 48", bengisu_akay_parameters, 0, jn_mu_bengisu_akay, NULL},
    [JN_FRICTION_AMBROSIO] = {"ambrosio", "no friction below v0, a ramp up to v1", "Rodrigues2024", "eq. 49-50",
                              ambrosio_parameters, 0, jn_mu_ambrosio, NULL},
    [JN_FRICTION_BROWN_MCPHEE] = {"brown_mcphee", "smooth Stribeck curve with static at v0", "Brown2016",
                                  "dry part; no viscous term", brown_mcphee_parameters, 0, jn_mu_brown_mcphee, NULL},
    [JN_FRICTION_KARNOPP] = {"karnopp", "rest below v0 balances the applied force up to static", "Karnopp1985",
                             "stick band", karnopp_parameters, 0, jn_mu_karnopp, jn_friction_karnopp},
    [JN_FRICTION_DAHL] = {"dahl", "elastic bristles that yield at dynamic", "Dahl1976", "exponent 1", dahl_parameters,
                          2, jn_mu_dahl, jn_friction_dahl},
    [JN_FRICTION_LUGRE] = {"lugre", "elastic, damped bristles with a Stribeck curve", "CanudasDeWit1995",
                           "bristle and Stribeck equations, per unit of load", lugre_parameters, 2, jn_mu_lugre,
                           jn_friction_lugre},
    [JN_FRICTION_GONTHIER] = {"gonthier", "bristles whose strength grows with the time at rest", "Gonthier2004",
                              "bristles, sticking state, dwell time", gonthier_parameters, 3, jn_mu_gonthier,
                              jn_friction_gonthier},
};

static const jn_resistance_info resistance_law = {
    "resistance", "torques against rolling and spinning, smoothed at rest", "Johnson1985",
    "chapter 9; smoothing is our own", resistance_parameters};

static const jn_line_info line_laws[] = {
    {"johnson", "d = q [ln(4 dR/q) - 1], holds while d < 0.541 dR", "Pereira2011", "Johnson's law", JN_ELASTIC_JOHNSON},
    {"esdu", "d = q [ln(4 dR/q) + 1], holds while d < 4 dR", "Pereira2011", "ESDU-78035", JN_ELASTIC_ESDU},
};

/* -------------------------------------------------------------------------------------------------------- look-up */

const jn_normal_info *jn_normal_get_info(jn_normal_kind kind) {
    return (unsigned)kind < JN_NORMAL_KINDS ? &normal_laws[kind] : NULL;
}

const jn_friction_info *jn_friction_get_info(jn_friction_kind kind) {
    return (unsigned)kind < JN_FRICTION_KINDS ? &friction_laws[kind] : NULL;
}

const jn_resistance_info *jn_resistance_get_info(void) { return &resistance_law; }

const jn_line_info *jn_line_get_info(int index) {
    return (size_t)index < sizeof line_laws / sizeof *line_laws ? &line_laws[index] : NULL;
}

const jn_line_info *jn_line_find(const char *name) {
    for (int i = 0; jn_line_get_info(i); i++)
        if (!strcmp(line_laws[i].name, name)) return &line_laws[i];
    return NULL;
}

const jn_normal_info *jn_normal_find(const char *name) {
    for (int i = 0; i < JN_NORMAL_KINDS; i++)
        if (!strcmp(normal_laws[i].name, name)) return &normal_laws[i];
    return NULL;
}

const jn_friction_info *jn_friction_find(const char *name) {
    for (int i = 0; i < JN_FRICTION_KINDS; i++)
        if (!strcmp(friction_laws[i].name, name)) return &friction_laws[i];
    return NULL;
}

/* What the files of the laws share. A friction law is one file, which ends with its jn_friction_info, and one row in law_table.c. */
#ifndef JN_REACTION_LAWS_H
#define JN_REACTION_LAWS_H

#include <jounce/laws.h>
#include <math.h>
#include <stddef.h>

/* Damping factor chi of f = F(d)(1 + chi d'/v0) from the coefficient of restitution. */
double jn_chi_hunt_crossley(double c);
double jn_chi_herbert_mcwhannell(double c);
double jn_chi_lee_wang(double c);
double jn_chi_lankarani_nikravesh(double c);
double jn_chi_gonthier(double c);
double jn_chi_zhiying_qishao(double c);
double jn_chi_flores(double c);
double jn_chi_hu_guo(double c);

/* Linear damper [N s/m] from restitution, reduced mass and stiffness [N/m]. */
double jn_damping_kelvin_voigt(const jn_normal_parameters *p, double stiffness);
double jn_damping_anagnostopoulos(const jn_normal_parameters *p, double stiffness);

void jn_force_elastic(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out);
void jn_force_hysteresis(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out);
void jn_force_viscous(const jn_normal_law *law, double depth, double rate, double speed, jn_normal_force *out);

/* H(s) = (s - ln(1+s))/s^2, s > -1: 1/2 at zero, falling. To round-off. */
double jn_hysteresis_H(double s);
/* Linear spring and damper of damping ratio xi: acos(xi)/sqrt(1-xi^2) and its continuation beyond 1. */
double jn_viscous_tau(double xi);
double jn_viscous_restitution(double xi, bool attraction);

/* Rows of parameters that friction laws share: name, unit, required, default, least, most, open, offset, doc, example. */
#define JN_FRICTION(member) offsetof(jn_friction_parameters, member)
#define JN_PARAMETER_DYNAMIC                                                                                           \
    {                                                                                                                  \
        "dynamic", "1", true, NAN, 0, INFINITY, false, JN_FRICTION(dynamic), "coefficient of sliding friction",        \
            "dynamic: 0.3"                                                                                             \
    }
#define JN_PARAMETER_STATIC                                                                                            \
    {                                                                                                                  \
        "static", "1", false, NAN, 0, INFINITY, false, JN_FRICTION(stick),                                             \
            "coefficient at rest, not below dynamic (default dynamic)", "static: 0.4"                                  \
    }
#define JN_PARAMETER_V0(value, doc)                                                                                    \
    { "v0", "m/s", false, value, 0, INFINITY, true, JN_FRICTION(v0), doc, "v0: 1 mm/s" }
#define JN_PARAMETERS_END                                                                                              \
    { NULL, NULL, false, 0, 0, 0, false, 0, NULL, NULL }

/* For laws whose friction is full at v0. */
double jn_full_speed_v0(const jn_friction_parameters *p);

/* Force -mu(|v|) fn v/|v| with its derivatives. */
void jn_friction_along_slip(double mu, double slope, double fn, const double v[2], jn_friction_force *out);

#endif

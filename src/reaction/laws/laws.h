/* Laws by name: what the table's rows refer to. A new law is one function here and one row in law_table.c. */
#ifndef JN_REACTION_LAWS_H
#define JN_REACTION_LAWS_H

#include <jounce/reaction.h>

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

/* Coefficient at a steady slip speed, and its slope. */
double jn_mu_coulomb(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_threlfall(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_bengisu_akay(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_ambrosio(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_brown_mcphee(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_karnopp(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_dahl(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_lugre(const jn_friction_parameters *p, double speed, double *slope);
double jn_mu_gonthier(const jn_friction_parameters *p, double speed, double *slope);

typedef void jn_friction_function(const jn_friction_parameters *p, double fn, const double v[2], const double *z,
                                  const double *applied, jn_friction_force *out);
jn_friction_function jn_friction_karnopp, jn_friction_dahl, jn_friction_lugre, jn_friction_gonthier;

/* Force -mu(|v|) fn v/|v| with its derivatives. */
void jn_friction_along_slip(double mu, double slope, double fn, const double v[2], jn_friction_force *out);

#endif

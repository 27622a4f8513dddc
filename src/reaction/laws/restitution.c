/* Damping and restitution: what is put in and what comes out.
 *
 * With f = F(d)(1 + chi d'/v0) a mass m obeys m v dv/(1 + chi v/v0) = -F(d) dd for any elastic force F. With u = v/v0
 * and H(s) = (s - ln(1+s))/s^2 the stored energy is m v0^2 [H(chi) - u^2 H(chi u)]; it is zero again at u = -e, so
 *     H(chi) = e^2 H(-chi e),     the same as 1 + e = ln[(1+chi)/(1-chi e)]/chi. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>

/* Series where the difference would cancel. */
double jn_hysteresis_H(double s) {
    if (fabs(s) > 0.2) return (s - jn_log1p(s)) / (s * s);
    double sum = 0;
    for (int k = 25; k >= 0; k--) sum = 1.0 / (k + 2) - s * sum;
    return sum;
}

/* H(chi) - e^2 H(-chi e): falls with chi from (1-e^2)/2 to -infinity at 1/e, and falls with e. */
static double balance(double chi, double e) { return jn_hysteresis_H(chi) - e * e * jn_hysteresis_H(-chi * e); }

double jn_chi_from_restitution(double e) {
    if (!(e > 0)) return INFINITY;
    if (e >= 1) return 0;
    double low = 0, high = 1 / e;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (low + high);
        if (mid <= low || mid >= high) break;
        if (balance(mid, e) > 0)
            low = mid;
        else
            high = mid;
    }
    return low;
}

double jn_restitution_from_chi(double chi) {
    if (!(chi > 0)) return 1;
    double low = 0, high = chi > 1 ? 1 / chi : 1;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (low + high);
        if (mid <= low || mid >= high) break;
        if (balance(chi, mid) > 0)
            low = mid;
        else
            high = mid;
    }
    return high;
}

/* -------------------------------------------------------------------------------- published factors, one per law */

/* [Rodrigues2024, eq. 42] after [Hunt1975] */
double jn_chi_hunt_crossley(double c) { return 1.5 * (1 - c); }
/* [Herbert1977] */
double jn_chi_herbert_mcwhannell(double c) { return 6 * (1 - c) / ((2 * c - 1) * (2 * c - 1) + 3); }
/* [Lee1983] */
double jn_chi_lee_wang(double c) { return 0.75 * (1 - c); }
/* [Rodrigues2024, eq. 43], [Flores2009, eq. 6] after [Lankarani1990] */
double jn_chi_lankarani_nikravesh(double c) { return 0.75 * (1 - c * c); }
/* [Gonthier2004]: the exact relation with the approximation d = 1 - c^2 of its solution */
double jn_chi_gonthier(double c) { return (1 - c * c) / c; }
/* [Zhiying2006] */
double jn_chi_zhiying_qishao(double c) { return 0.75 * (1 - c * c) * jn_exp(2 * (1 - c)); }
/* [Rodrigues2024, eq. 44] after [Flores2011] */
double jn_chi_flores(double c) { return 1.6 * (1 - c) / c; }
/* [Hu2015] */
double jn_chi_hu_guo(double c) { return 1.5 * (1 - c) / c; }

/* ----------------------------------------------------------------------------------- linear spring with a damper */

/* d(t) = v/w e^{-bt} sin wt, b = xi w0, w = w0 sqrt(1-xi^2), theta = acos xi: the k-th derivative shifts the phase by
 * k (pi - theta), so d' = 0 at wt = theta, the force -m d'' = 0 at 2 theta, its rate at 3 theta - pi. */
double jn_viscous_tau(double xi) {
    double s = 1 - xi;
    if (fabs(s) < 1e-4) return 1 + s / 3 + 2 * s * s / 15; /* acos(1-s)/sqrt(2s-s^2) */
    return xi < 1 ? jn_acos(xi) / sqrt(1 - xi * xi) : jn_acosh(xi) / sqrt(xi * xi - 1);
}

/* Separation at zero force [Schwager2007], or, with attraction, at zero depth. */
double jn_viscous_restitution(double xi, bool attraction) {
    if (!attraction) return jn_exp(-2 * xi * jn_viscous_tau(xi));
    return xi < 1 ? jn_exp(-jn_acos(-1) * xi / sqrt(1 - xi * xi)) : 0;
}

/* Damping ratio for separation at zero depth: -ln c/sqrt(pi^2 + ln^2 c). */
static double half_wave_ratio(double c) {
    double l = jn_log(c);
    return -l / jn_hypot_safe(jn_acos(-1), l);
}

/* Damping ratio for separation at zero force, by bisection: the restitution falls from 1 to 0. */
static double cut_ratio(double c) {
    double low = 0, high = 1;
    while (jn_viscous_restitution(high, false) > c && high < 1e150) high *= 2;
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (low + high);
        if (mid <= low || mid >= high) break;
        if (jn_viscous_restitution(mid, false) > c)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* The damper that returns the coefficient, for the kind of separation that was chosen. */
double jn_damping_kelvin_voigt(const jn_normal_parameters *p, double stiffness) {
    double xi = p->attraction ? half_wave_ratio(p->restitution) : cut_ratio(p->restitution);
    return 2 * xi * sqrt(stiffness * p->mass);
}

/* [Anagnostopoulos1988]: the half wave's damping ratio, though the force is cut at zero. */
double jn_damping_anagnostopoulos(const jn_normal_parameters *p, double stiffness) {
    double xi = p->exact && !p->attraction ? cut_ratio(p->restitution) : half_wave_ratio(p->restitution);
    return 2 * xi * sqrt(stiffness * p->mass);
}

/* Stiffness of a Hertzian contact from materials and radii. */
#include "algebra/elementary.h"
#include "reaction/laws/law_functions.h"
#include <math.h>

double jn_contact_compliance(double young_i, double poisson_i, double young_j, double poisson_j) {
    return (1 - poisson_i * poisson_i) / young_i + (1 - poisson_j * poisson_j) / young_j;
}

double jn_hertz_stiffness(double compliance, double radius_i, double radius_j) {
    double curvature = 1 / radius_i + 1 / radius_j;
    if (!(curvature > 0) || !isfinite(curvature) || !(compliance > 0)) return NAN;
    return 4 / (3 * compliance) * sqrt(1 / curvature);
}

/* Complete elliptic integrals K and E of the modulus k with k'^2 = 1 - k^2 = m1, by the arithmetic-geometric mean. */
static void elliptic(double m1, double *K, double *E) {
    double a = 1, b = sqrt(m1), sum = 0.5 * (1 - m1), power = 0.5;
    for (int i = 0; i < 60 && fabs(a - b) > 1e-17 * a; i++) {
        double c = 0.5 * (a - b), g = sqrt(a * b);
        a = 0.5 * (a + b);
        b = g;
        power *= 2;
        sum += power * c * c;
    }
    *K = jn_acos(-1) / (2 * a);
    *E = *K * (1 - sum);
}

/* E - m1 K and K - E, both free of cancellation for nearly circular contacts: the series of the integrals in k^2. */
static void elliptic_differences(double m1, double *E_minus, double *K_minus) {
    double K, E, m = 1 - m1;
    elliptic(m1, &K, &E);
    *E_minus = E - m1 * K;
    *K_minus = K - E;
    if (m > 0.05) return;
    double c = jn_acos(-1) / 2, a = 1, p = 1; /* a = [(2k-1)!!/(2k)!!]^2 */
    *E_minus = *K_minus = 0;
    for (int k = 1; k < 20; k++) {
        double r = (2.0 * k - 1) / (2 * k), before = a;
        a *= r * r;
        p *= m;
        *K_minus += c * p * a * (1 + 1.0 / (2 * k - 1));
        *E_minus += c * p * (before - a - a / (2 * k - 1));
    }
}

/* B/A of the contact ellipse with b^2/a^2 = m1 [Johnson1985, section 4.2]. Falls from infinity (m1 = 0) to 1. */
static double ratio(double m1) {
    double E_minus, K_minus;
    elliptic_differences(m1, &E_minus, &K_minus);
    return m1 < 1 ? E_minus / (m1 * K_minus) : 1;
}

double jn_hertz_stiffness_elliptic(double compliance, const double ci[2], const double cj[2], double angle) {
    double sum = 0.5 * (ci[0] + ci[1] + cj[0] + cj[1]), di = ci[0] - ci[1], dj = cj[0] - cj[1];
    double difference = 0.5 * sqrt(jn_fmax(0, di * di + dj * dj + 2 * di * dj * jn_cos(2 * angle)));
    double A = 0.5 * (sum - difference), B = 0.5 * (sum + difference);
    if (!(A > 1e-12 * B) || !isfinite(B) || !(compliance > 0)) return NAN;
    double R = 0.5 / sqrt(A * B), circular = 4 / (3 * compliance) * sqrt(R);
    if (B / A - 1 < 1e-14) return circular;
    double low = -80, high = 0; /* ln m1 */
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (low + high);
        if (mid <= low || mid >= high) break;
        if (ratio(jn_exp(mid)) > B / A)
            low = mid;
        else
            high = mid;
    }
    double m1 = jn_exp(0.5 * (low + high)), K, E, E_minus, K_minus, pi = jn_acos(-1);
    elliptic(m1, &K, &E);
    elliptic_differences(m1, &E_minus, &K_minus);
    double F1 = jn_cbrt(4 / (pi * (1 - m1))) * jn_pow(m1, 0.25) * jn_pow(E_minus / m1 * K_minus, 1.0 / 6);
    double F2 = 2 / pi * jn_pow(m1, 0.25) / F1 * K;
    return circular * jn_pow(F2, -1.5);
}

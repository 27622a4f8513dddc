/* What a fluid does to an ellipsoid that moves in it with the velocity v and the angular velocity w, all along its axes
 * [MuJoCo, Fluid forces, ellipsoid model]: with the mean diameter D, the projected area A, the largest one A_m, the normal g of the surface,
 * the displaced mass m, added mass and inertia m_a, I_a,
 *
 *     f = - (3 pi D mu + rho |v| (c_b A + c_s (A_m - A))) v + c_M m w x v + c_K rho A cos(v, g) (g x v) x v + m_a v x w
 *     n = - (pi D^3 mu + rho |M w|) w + m_a v x v + I_a w x w,      M = c_t I + c_s (I_m - I).
 *
 * Lift and added mass take no power. In dual numbers, so that the change of it all comes along. */
#include "motion/work.h"


static jn_dual3 scaled(const double k[3], jn_dual3 a) {
    return (jn_dual3){v3(k[0] * a.v.x, k[1] * a.v.y, k[2] * a.v.z), v3(k[0] * a.d.x, k[1] * a.d.y, k[2] * a.d.z)};
}

static jn_dual3 minus(jn_dual k, jn_dual3 a) { return du3_scale(du_scale(-1, k), a); }

/* Largest, middle and smallest semi-axis. */
static void sorted(const double a[3], double out[3]) {
    double most = jn_max(a[0], jn_max(a[1], a[2])), least = jn_min(a[0], jn_min(a[1], a[2]));
    out[0] = most, out[1] = a[0] + a[1] + a[2] - most - least, out[2] = least;
}

/* Pressure drag and Kutta's lift. */
static jn_dual3 flow(const jn_ellipsoid *e, const double s[3], jn_dual3 v) {
    const double *a = e->axis;
    double face[3] = {a[1] * a[2], a[2] * a[0], a[0] * a[1]};
    for (int k = 0; k < 3; k++) face[k] *= face[k];
    jn_dual3 g = scaled(face, v);
    jn_dual speed = du3_norm(v), P2 = du3_dot(g, v), P4 = du3_dot(g, g);
    jn_dual area = du_scale(M_PI, du_sqrt(du_div(P4, P2)));
    jn_dual drag = du_add(du_scale(e->blunt, area), du_scale(e->slender, du_sub(du(M_PI * s[0] * s[1]), area)));
    jn_dual cosine = du_div(P2, du_mul(speed, P4)); /* over |g| once more: g below is no unit vector */
    jn_dual3 circulation = du3_scale(du_scale(e->kutta * e->density, du_mul(cosine, area)), du3_cross(g, v));
    return du3_add(minus(du_scale(e->density, du_mul(speed, drag)), v), du3_cross(circulation, v));
}

void jn_fluid_force(const jn_ellipsoid *e, jn_dual3 v, jn_dual3 w, jn_dual3 *f, jn_dual3 *n) {
    const double *a = e->axis;
    double s[3], D = (a[0] + a[1] + a[2]) * 2 / 3, m = e->density * 4 / 3 * M_PI * a[0] * a[1] * a[2], turn[3];
    sorted(a, s);
    double most = 8.0 / 15 * M_PI * s[1] * s[0] * s[0] * s[0] * s[0];
    for (int k = 0; k < 3; k++) {
        double r = jn_max(a[(k + 1) % 3], a[(k + 2) % 3]), I = 8.0 / 15 * M_PI * a[k] * r * r * r * r;
        turn[k] = e->turn * I + e->slender * (most - I);
    }
    jn_dual3 p = scaled(e->added_mass, v), L = scaled(e->added_inertia, w);
    *f = du3_add(minus(du(3 * M_PI * D * e->viscosity), v), du3_cross(p, w));
    *f = du3_add(*f, du3_scale(du(e->magnus * m), du3_cross(w, v)));
    if (v3_dot(v.v, v.v) > 1e-200) *f = du3_add(*f, flow(e, s, v));
    jn_dual against = du_scale(e->density, du3_norm(scaled(turn, w)));
    *n = minus(du_add(du(M_PI * D * D * D * e->viscosity), against), w);
    *n = du3_add(*n, du3_add(du3_cross(p, v), du3_cross(L, w)));
}

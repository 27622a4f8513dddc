/* Ellipsoids in a fluid: what moves along with them. */
#include "algebra/elementary.h"
#include "model/builder.h"

/* R_D(x, y, z) = 3/2 times the integral over t > 0 of 1/sqrt((x + t) (y + t) (z + t)^3), by duplication [Carlson1995, eq. 2.28 and 2.29]. */
static double carlson(double x, double y, double z) {
    double sum = 0, power = 1;
    for (int i = 0; i < 30; i++) {
        double a = sqrt(x), b = sqrt(y), c = sqrt(z), lambda = a * b + b * c + c * a;
        sum += power / (c * (z + lambda)), power *= 0.25;
        x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda);
    }
    double A = (x + y + 3 * z) / 5;
    return 3 * sum + power / (A * sqrt(A));
}

/* Added mass k/(2 - k) of the displaced fluid with k_i = a b c R_D(.., a_i^2) 2/3, and added inertia [Lamb1932, art. 114, 115]. */
static void add_fluid(jn_ellipsoid *e) {
    const double *a = e->axis, product = a[0] * a[1] * a[2];
    double k[3], mass = e->density * 4 / 3 * M_PI * product;
    for (int i = 0; i < 3; i++) {
        double p = a[(i + 1) % 3], q = a[(i + 2) % 3];
        k[i] = product * 2 / 3 * carlson(p * p, q * q, a[i] * a[i]);
        e->added_mass[i] = mass * k[i] / (2 - k[i]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        double p = a[j] * a[j], q = a[l] * a[l], below = fabs(2 * (p - q) + (p + q) * (k[j] - k[l]));
        bool round = fabs(p - q) <= 1e-7 * (p + q); /* it turns without moving the fluid */
        e->added_inertia[i] = round ? 0 : mass / 5 * (p - q) * (p - q) * fabs(k[l] - k[j]) / below;
    }
}

jn_ellipsoid *jn_build_ellipsoid(jn_builder *b, const jn_force_desc *f) {
    jn_ellipsoid *e = jn_builder_array(b, 1, sizeof *e);
    if (b->failed) return NULL;
    const double *c = f->coefficient;
    *e = (jn_ellipsoid){.axis = {f->ellipsoid.x, f->ellipsoid.y, f->ellipsoid.z},
                        .density = f->density,
                        .viscosity = f->viscosity,
                        .blunt = c[0],
                        .slender = c[1],
                        .turn = c[2],
                        .kutta = c[3],
                        .magnus = c[4]};
    add_fluid(e);
    return e;
}

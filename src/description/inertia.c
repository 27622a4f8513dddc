#include "description/inertia.h"

#include "algebra/vec3.h"

static void swap_if_less(double *a, double *b) {
    if (*b < *a) {
        double t = *a;
        *a = *b;
        *b = t;
    }
}

/* [GolubVanLoan2013, alg. 8.5.2] cyclic Jacobi; ten sweeps are far more than a 3x3 needs. */
void jn_principal_moments(jn_sym3 inertia, double moment[3]) {
    double a[3][3] = {{inertia.xx, inertia.xy, inertia.xz},
                      {inertia.xy, inertia.yy, inertia.yz},
                      {inertia.xz, inertia.yz, inertia.zz}};
    for (int sweep = 0; sweep < 10; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                double theta, t, c, s;
                if (a[p][q] == 0) {
                    continue;
                }
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(1, theta));
                c = 1 / hypot(1, t);
                s = t * c;
                for (int k = 0; k < 3; k++) { /* A <- A J */
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) { /* A <- J' A */
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
                a[p][q] = a[q][p] = 0;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        moment[k] = a[k][k];
    }
    swap_if_less(&moment[0], &moment[1]);
    swap_if_less(&moment[1], &moment[2]);
    swap_if_less(&moment[0], &moment[1]);
}

jn_lump jn_lump_add(jn_lump a, jn_lump b) {
    double m = a.mass + b.mass;
    jn_lump sum = {.mass = m};

    if (!(m > 0)) {
        sum.com = a.com;
        sum.inertia = s3_add(a.inertia, b.inertia);
        return sum;
    }
    sum.com = v3_scale(1 / m, v3_add(v3_scale(a.mass, a.com), v3_scale(b.mass, b.com)));
    sum.inertia = s3_add(s3_add(a.inertia, s3_point_mass(a.mass, v3_sub(a.com, sum.com))),
                         s3_add(b.inertia, s3_point_mass(b.mass, v3_sub(b.com, sum.com))));
    return sum;
}

bool jn_shape_is_planar(jn_shape_type type) { return type == JN_SHAPE_CIRCLE || type == JN_SHAPE_RECTANGLE; }

static jn_lump solid(double mass, double height, double ixx, double iyy, double izz) {
    return (jn_lump){mass, v3(0, 0, height), {ixx, iyy, izz, 0, 0, 0}};
}

/* Two half spheres of radius r and a cylinder of length l between them. */
static jn_lump capsule(double r, double l) {
    const double pi = 3.14159265358979323846;
    double mc = pi * r * r * l, ms = 4.0 / 3 * pi * r * r * r;
    double izz = mc * r * r / 2 + ms * 2 * r * r / 5;
    double ixx = mc * (r * r / 4 + l * l / 12) + ms * (2 * r * r / 5 + l * l / 4 + 3 * l * r / 8);
    return solid(mc + ms, 0, ixx, ixx, izz);
}

jn_lump jn_shape_unit(jn_shape_type type, jn_vec3 size) {
    const double pi = 3.14159265358979323846;
    double a = size.x, b = size.y, c = size.z, m, i;

    switch (type) {
    case JN_SHAPE_SPHERE: m = 4.0 / 3 * pi * a * a * a, i = m * 2 * a * a / 5; return solid(m, 0, i, i, i);
    case JN_SHAPE_BOX:
        m = a * b * c;
        return solid(m, 0, m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12);
    case JN_SHAPE_CYLINDER:
        m = pi * a * a * b, i = m * (a * a / 4 + b * b / 12);
        return solid(m, 0, i, i, m * a * a / 2);
    case JN_SHAPE_CAPSULE: return capsule(a, b);
    case JN_SHAPE_CONE: /* centre of mass a quarter of the height above the base */
        m = pi * a * a * b / 3, i = 3 * m * (a * a / 20 + b * b / 80);
        return solid(m, b / 4, i, i, 3 * m * a * a / 10);
    case JN_SHAPE_ELLIPSOID:
        m = 4.0 / 3 * pi * a * b * c;
        return solid(m, 0, m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5);
    case JN_SHAPE_CIRCLE: m = pi * a * a; return solid(m, 0, m * a * a / 4, m * a * a / 4, m * a * a / 2);
    case JN_SHAPE_RECTANGLE: m = a * b; return solid(m, 0, m * b * b / 12, m * a * a / 12, m * (a * a + b * b) / 12);
    default: return (jn_lump){0};
    }
}

jn_lump jn_lump_place(jn_lump a, jn_vec3 at, jn_quat q) {
    jn_mat3 R = q4_matrix(q);
    a.com = v3_add(at, q4_rotate(q, a.com));
    a.inertia = s3_rotate(&R, &a.inertia);
    return a;
}

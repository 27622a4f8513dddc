/* Mass, centre and inertia of solids of uniform density, their sums, and whether an inertia is possible. */
#include "description/read/inertia.h"

#include "algebra/elementary.h"
#include "algebra/vec3.h"
#include "description/mesh/hull.h"

static void swap_if_less(double *a, double *b) {
    if (*b < *a) {
        double t = *a;
        *a = *b;
        *b = t;
    }
}

/* [Golub2013, alg. 8.5.2] cyclic Jacobi; ten sweeps are far more than a 3x3 needs. */
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
                t = (theta < 0 ? -1 : 1) / (fabs(theta) + jn_hypot_safe(1, theta));
                c = 1 / jn_hypot_safe(1, t);
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

bool jn_shape_is_planar(jn_shape_type type) { return jn_shape_type_info(type)->planar; }

static jn_lump solid(double mass, double height, double ixx, double iyy, double izz) {
    return (jn_lump){mass, v3(0, 0, height), {ixx, iyy, izz, 0, 0, 0}};
}

/* Two half spheres of radius r and a cylinder of length l between them. */
static jn_lump capsule(double r, double l) {
    double mc = M_PI * r * r * l, ms = 4.0 / 3 * M_PI * r * r * r;
    double izz = mc * r * r / 2 + ms * 2 * r * r / 5;
    double ixx = mc * (r * r / 4 + l * l / 12) + ms * (2 * r * r / 5 + l * l / 4 + 3 * l * r / 8);
    return solid(mc + ms, 0, ixx, ixx, izz);
}

static double beta(double x, double y) { return jn_gamma(x) * jn_gamma(y) / jn_gamma(x + y); }

/* [Jaklic2000, eq. 2.60-2.66] in closed form. */
static jn_lump superellipsoid(jn_vec3 s, double e1, double e2) {
    double k = s.x * s.y * s.z * e1 * e2 / 2;
    double radial = beta(1.5 * e2, 0.5 * e2) * beta(0.5 * e1, 2 * e1 + 1);
    double axial = 4 * beta(0.5 * e2, 0.5 * e2 + 1) * beta(1.5 * e1, e1 + 1);
    double volume = 4 * k * beta(0.5 * e1 + 1, e1) * beta(0.5 * e2, 0.5 * e2);
    double xx = k * s.x * s.x * radial, yy = k * s.y * s.y * radial, zz = k * s.z * s.z * axial;
    return solid(volume, 0, yy + zz, xx + zz, xx + yy);
}

/* From the integrals of x x, x y, ... about the origin to the inertia about the centre. */
static jn_lump from_moments(jn_moments m) {
    jn_lump lump = {.mass = m.volume};
    if (!(m.volume > 0)) {
        return (jn_lump){0};
    }
    jn_vec3 c = lump.com = v3_scale(1 / m.volume, m.first);
    double xx = m.second.xx - m.volume * c.x * c.x, yy = m.second.yy - m.volume * c.y * c.y,
           zz = m.second.zz - m.volume * c.z * c.z;
    lump.inertia = (jn_sym3){yy + zz,
                             xx + zz,
                             xx + yy,
                             m.volume * c.x * c.y - m.second.xy,
                             m.volume * c.x * c.z - m.second.xz,
                             m.volume * c.y * c.z - m.second.yz};
    return lump;
}

/* Triangles with the first corner: area, then the moments of a plate without thickness. Exact. */
static jn_lump polygon(const jn_vec3 *p, int n) {
    jn_moments m = {0};
    for (int i = 1; i + 1 < n; i++) {
        jn_vec3 a = p[0], b = p[i], c = p[i + 1], s = v3_add(a, v3_add(b, c));
        double area = 0.5 * v3_cross(v3_sub(b, a), v3_sub(c, a)).z, k = area / 12;
        m.volume += area;
        m.first = v3_axpy(area / 3, s, m.first);
        m.second.xx += k * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
        m.second.yy += k * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
        m.second.xy += k * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
    }
    return from_moments(m);
}

jn_lump jn_shape_unit(const jn_shape_desc *shape) {
    double a = shape->size.x, b = shape->size.y, c = shape->size.z, m, i;

    switch (shape->type) {
    case JN_SHAPE_SPHERE: m = 4.0 / 3 * M_PI * a * a * a, i = m * 2 * a * a / 5; return solid(m, 0, i, i, i);
    case JN_SHAPE_BOX:
        m = a * b * c;
        return solid(m, 0, m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12);
    case JN_SHAPE_CYLINDER:
        m = M_PI * a * a * b, i = m * (a * a / 4 + b * b / 12);
        return solid(m, 0, i, i, m * a * a / 2);
    case JN_SHAPE_CAPSULE: return capsule(a, b);
    case JN_SHAPE_CONE: /* centre of mass a quarter of the height above the base */
        m = M_PI * a * a * b / 3, i = 3 * m * (a * a / 20 + b * b / 80);
        return solid(m, b / 4, i, i, 3 * m * a * a / 10);
    case JN_SHAPE_ELLIPSOID:
        m = 4.0 / 3 * M_PI * a * b * c;
        return solid(m, 0, m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5);
    case JN_SHAPE_SUPERELLIPSOID: return superellipsoid(shape->size, shape->e1, shape->e2);
    case JN_SHAPE_TORUS:
        m = 2 * M_PI * M_PI * a * b * b, i = m * (a * a / 2 + 5 * b * b / 8);
        return solid(m, 0, i, i, m * (a * a + 3 * b * b / 4));
    case JN_SHAPE_HULL:
    case JN_SHAPE_MESH:
        return from_moments(jn_triangles_moments(shape->points, shape->triangles, shape->triangle_count));
    case JN_SHAPE_CIRCLE: m = M_PI * a * a; return solid(m, 0, m * a * a / 4, m * a * a / 4, m * a * a / 2);
    case JN_SHAPE_RECTANGLE: m = a * b; return solid(m, 0, m * b * b / 12, m * a * a / 12, m * (a * a + b * b) / 12);
    case JN_SHAPE_POLYGON: return polygon(shape->points, shape->point_count);
    default: return (jn_lump){0};
    }
}

jn_lump jn_lump_place(jn_lump a, jn_vec3 at, jn_quat q) {
    jn_mat3 R = q4_matrix(q);
    a.com = v3_add(at, q4_rotate(q, a.com));
    a.inertia = s3_rotate(&R, &a.inertia);
    return a;
}

jn_lump jn_lump_scale(double k, jn_lump a) {
    a.mass *= k;
    a.inertia = (jn_sym3){k * a.inertia.xx, k * a.inertia.yy, k * a.inertia.zz, k * a.inertia.xy, k * a.inertia.xz, k * a.inertia.yz};
    return a;
}

/* Support functions of the cores, their second derivatives, and curvatures. */
#include "algebra/elementary.h"
#include "proximity/furthest.h"
#include "proximity/narrow.h"

static double sign_of(double x) { return x < 0 ? -1 : 1; }

/* [Barr1981] The dual of the nested p-norm of a superellipsoid is a nested q-norm with q = 2/(2 - e):
 * h(n) = |(|(a nx, b ny)|_q2, c nz)|_q1, and the support point is its gradient. */
typedef struct dual_norm {
    double x, y, z; /* a |nx|, b |ny|, c |nz| */
    double r, h;    /* inner norm, norm */
    double q1, q2;
    double rx, ry, hr, hz; /* first derivatives */
} dual_norm;

static double norm_q(double x, double y, double q) {
    double m = jn_max(x, y);
    return m > 0 ? m * jn_pow(jn_pow(x / m, q) + jn_pow(y / m, q), 1 / q) : 0;
}

static dual_norm superellipsoid_norm(const jn_solid *s, jn_vec3 n) {
    dual_norm d = {.x = s->size.x * fabs(n.x), .y = s->size.y * fabs(n.y), .z = s->size.z * fabs(n.z)};
    d.q1 = 2 / (2 - s->e1), d.q2 = 2 / (2 - s->e2);
    d.r = norm_q(d.x, d.y, d.q2);
    d.h = norm_q(d.r, d.z, d.q1);
    d.rx = d.r > 0 ? jn_pow(d.x / d.r, d.q2 - 1) : 0;
    d.ry = d.r > 0 ? jn_pow(d.y / d.r, d.q2 - 1) : 0;
    d.hr = d.h > 0 ? jn_pow(d.r / d.h, d.q1 - 1) : 0;
    d.hz = d.h > 0 ? jn_pow(d.z / d.h, d.q1 - 1) : 0;
    return d;
}

static jn_vec3 disc(double radius, jn_vec3 n) {
    double l = jn_hypot(n.x, n.y);
    return l > 0 ? v3(radius * n.x / l, radius * n.y / l, 0) : v3(0, 0, 0);
}

int jn_corner_along(const jn_convex *c, jn_vec3 n) {
    const jn_solid *s = c->s;
    if (c->near && jn_near_serves(c->near, n)) return jn_furthest_near(c->near, s->vertex, n);
    return s->packed_vertex.count ? jn_furthest_packed(&s->packed_vertex, n)
                                  : jn_furthest_of(s->vertex, s->vertex_count, n);
}

/* With a corner v that is furthest along n', and any point p of the core: n.(v - p) >= (n - n').(v - p) >= -|n - n'| |v - p|. */
bool jn_near_find(const jn_convex *c, jn_vec3 n_world, jn_vec3 p_world, jn_near_corners *near) {
    enum { WORTH = 32 }; /* corners: fewer are looked at as fast */
    const jn_solid *s = c->s;
    if (s->packed_vertex.count < WORTH) return false;
    jn_vec3 n = near->n = v3_unit(m3_tmul_v(&c->X.R, n_world)), p = pose_local(&c->X, p_world);
    double size = v3_norm(v3_sub(s->upper, s->lower)), deep = (jn_near_chord + jn_near_lower) * (1 + 1e-6) * size;
    near->count = jn_far_packed(&s->packed_vertex, n, v3_dot(n, p) - deep, near->corner, JN_NEAR_MOST);
    return near->count > 0;
}

static jn_vec3 support_local(const jn_convex *c, jn_vec3 n) {
    const jn_solid *s = c->s;
    jn_vec3 a = s->size, p;
    switch (s->type) {
    case JN_SHAPE_SPHERE:
    case JN_SHAPE_CIRCLE: return v3(0, 0, 0);
    case JN_SHAPE_CAPSULE: return v3(0, 0, sign_of(n.z) * a.y);
    case JN_SHAPE_TORUS: return disc(a.x, n);
    case JN_SHAPE_CYLINDER: return p = disc(a.x, n), p.z = sign_of(n.z) * a.y, p;
    case JN_SHAPE_CONE: return a.y * n.z > a.x * jn_hypot(n.x, n.y) ? v3(0, 0, a.y) : disc(a.x, n);
    case JN_SHAPE_BOX: return v3(sign_of(n.x) * a.x, sign_of(n.y) * a.y, sign_of(n.z) * a.z);
    case JN_SHAPE_ELLIPSOID: {
        double h = sqrt(a.x * a.x * n.x * n.x + a.y * a.y * n.y * n.y + a.z * a.z * n.z * n.z);
        return v3(a.x * a.x * n.x / h, a.y * a.y * n.y / h, a.z * a.z * n.z / h);
    }
    case JN_SHAPE_SUPERELLIPSOID: {
        dual_norm d = superellipsoid_norm(s, n);
        return v3(sign_of(n.x) * a.x * d.hr * d.rx, sign_of(n.y) * a.y * d.hr * d.ry, sign_of(n.z) * a.z * d.hz);
    }
    default: return s->vertex[jn_corner_along(c, n)];
    }
}

bool jn_core_has_corners(const jn_solid *s) { return s->type == JN_SHAPE_HULL || s->type == JN_SHAPE_BOX; }

/* Corners of boxes are numbered by the signs of their coordinates, as jn_solid has them. */
int jn_core_corner(const jn_convex *c, jn_vec3 n_world) {
    jn_vec3 n = m3_tmul_v(&c->X.R, n_world);
    return c->s->type == JN_SHAPE_BOX ? !(n.x < 0) + 2 * !(n.y < 0) + 4 * !(n.z < 0) : jn_corner_along(c, n);
}

jn_vec3 jn_core_corner_at(const jn_convex *c, int k) { return pose_point(&c->X, c->s->vertex[k]); }

jn_vec3 jn_core_support(const jn_convex *c, jn_vec3 n) {
    return pose_point(&c->X, support_local(c, m3_tmul_v(&c->X.R, n)));
}

bool jn_core_is_smooth(jn_shape_type type) {
    return type == JN_SHAPE_SPHERE || type == JN_SHAPE_ELLIPSOID || type == JN_SHAPE_SUPERELLIPSOID;
}

bool jn_core_side(const jn_solid *s, double *slope) {
    bool straight = s->type == JN_SHAPE_CYLINDER || s->type == JN_SHAPE_CAPSULE || s->type == JN_SHAPE_CONE;
    *slope = s->type == JN_SHAPE_CONE ? s->size.x / jn_hypot(s->size.x, s->size.y) : 0;
    return straight;
}

int jn_core_rims(const jn_solid *s, jn_rim out[2]) {
    switch (s->type) {
    case JN_SHAPE_SPHERE:
    case JN_SHAPE_CIRCLE: return out[0] = (jn_rim){0, 0, s->radius}, 1;
    case JN_SHAPE_TORUS: return out[0] = (jn_rim){0, s->size.x, s->radius}, 1;
    case JN_SHAPE_CONE: return out[0] = (jn_rim){0, s->size.x, 0}, out[1] = (jn_rim){s->size.y, 0, 0}, 2;
    case JN_SHAPE_CAPSULE:
        return out[0] = (jn_rim){-s->size.y, 0, s->radius}, out[1] = (jn_rim){s->size.y, 0, s->radius}, 2;
    case JN_SHAPE_CYLINDER:
        return out[0] = (jn_rim){-s->size.y, s->size.x, 0}, out[1] = (jn_rim){s->size.y, s->size.x, 0}, 2;
    default: return 0;
    }
}

/* (|x|^q + |y|^q)^(1/q): second derivatives, with the ratios kept off zero where q < 2 makes them infinite. */
static void norm_second(double x, double y, double r, double q, double out[3]) {
    double u = jn_max(x / r, 1e-9), v = jn_max(y / r, 1e-9), k = (q - 1) / r;
    double u1 = jn_pow(u, q - 1), v1 = jn_pow(v, q - 1);
    out[0] = k * u1 / u * jn_pow(v, q); /* u^(q-2) (1 - u^q) with u^q + v^q = 1 */
    out[1] = k * v1 / v * jn_pow(u, q);
    out[2] = -k * u1 * v1;
}

static jn_mat3 superellipsoid_hessian(const jn_solid *s, jn_vec3 n) {
    dual_norm d = superellipsoid_norm(s, n);
    double tiny = 1e-9 * d.h, inner[3], outer[3], r = jn_max(d.r, tiny);
    norm_second(d.x, d.y, r, d.q2, inner);
    norm_second(r, d.z, d.h, d.q1, outer);
    double g[3] = {d.rx, d.ry, 0},
           sg[3] = {sign_of(n.x) * s->size.x, sign_of(n.y) * s->size.y, sign_of(n.z) * s->size.z};
    double H[3][3];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) H[i][j] = outer[0] * g[i] * g[j] + d.hr * (i == j ? inner[i] : inner[2]);
    for (int i = 0; i < 2; i++) H[i][2] = H[2][i] = outer[2] * g[i];
    H[2][2] = outer[1];
    jn_mat3 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out.m[3 * i + j] = sg[i] * sg[j] * H[i][j];
    return out;
}

static jn_mat3 hessian_local(const jn_solid *s, jn_vec3 n) {
    jn_vec3 a = s->size;
    jn_mat3 H = {{0}};
    if (s->type == JN_SHAPE_ELLIPSOID) {
        double d[3] = {a.x * a.x, a.y * a.y, a.z * a.z}, u[3] = {d[0] * n.x, d[1] * n.y, d[2] * n.z};
        double h = sqrt(u[0] * n.x + u[1] * n.y + u[2] * n.z);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) H.m[3 * i + j] = (i == j ? d[i] / h : 0) - u[i] * u[j] / (h * h * h);
    } else if (s->type == JN_SHAPE_SUPERELLIPSOID) {
        H = superellipsoid_hessian(s, n);
    } else if (s->type == JN_SHAPE_CYLINDER || s->type == JN_SHAPE_TORUS ||
               (s->type == JN_SHAPE_CONE && a.y * n.z <= a.x * jn_hypot(n.x, n.y))) { /* the rim of a disc */
        double l = jn_max(jn_hypot(n.x, n.y), 1e-150), k = a.x / (l * l * l);
        H.m[0] = k * n.y * n.y, H.m[4] = k * n.x * n.x, H.m[1] = H.m[3] = -k * n.x * n.y;
    }
    return H;
}

jn_mat3 jn_core_hessian(const jn_convex *c, jn_vec3 n) {
    jn_mat3 H = hessian_local(c->s, m3_tmul_v(&c->X.R, n)), Rt = m3_transpose(&c->X.R);
    H = m3_mul(&c->X.R, &H);
    return m3_mul(&H, &Rt);
}

/* --------------------------------------------------------------------------------------------------- curvatures */

/* Eigenvalues of a symmetric 2x2, the larger first, and the direction of the first. */
static void eigen2(double a, double b, double c, double value[2], double dir[2]) {
    double m = 0.5 * (a + c), d = 0.5 * (a - c), r = jn_hypot(d, b);
    double angle = 0.5 * jn_atan2(b, d);
    value[0] = m + r, value[1] = m - r;
    dir[0] = jn_cos(angle), dir[1] = jn_sin(angle);
}

/* The Hessian of the support function on the tangent plane holds the radii of curvature. */
static void smooth_curvature(const jn_convex *c, jn_vec3 n, double k[2], jn_vec3 *dir) {
    jn_mat3 H = jn_core_hessian(c, n);
    jn_vec3 t1 = v3_any_normal(n), t2 = v3_cross(n, t1), H1 = m3_mul_v(&H, t1), H2 = m3_mul_v(&H, t2);
    double rho[2], d[2];
    eigen2(v3_dot(t1, H1), v3_dot(t1, H2), v3_dot(t2, H2), rho, d);
    double most = 1e12 / c->s->reach; /* a corner that is sharp without limit */
    k[0] = jn_min(1 / jn_max(rho[1], 1e-300), most), k[1] = jn_min(1 / jn_max(rho[0], 1e-300), most);
    *dir = v3_add(v3_scale(-d[1], t1), v3_scale(d[0], t2)); /* the direction of the smaller radius */
}

static bool on_face(const jn_solid *s, jn_vec3 n) {
    for (int f = 0; f < s->face_count; f++)
        if (v3_dot(n, s->face_normal[f]) > 1 - 1e-8) return true;
    return false;
}

static bool side_curvature(jn_vec3 n, double kappa, double k[2], jn_vec3 *dir) {
    double l = jn_hypot(n.x, n.y);
    k[0] = jn_max(kappa, 0), k[1] = jn_min(kappa, 0);
    *dir = kappa < 0 ? v3(0, 0, 1) : l > 0 ? v3(-n.y / l, n.x / l, 0) : v3(1, 0, 0);
    return true;
}

static bool torus_curvature(const jn_solid *s, jn_vec3 p, jn_vec3 n, double k[2], jn_vec3 *dir) {
    double rho = jn_hypot(p.x, p.y), out = rho > 0 ? (n.x * p.x + n.y * p.y) / rho : 0;
    k[0] = 1 / s->radius, k[1] = rho > 0 ? out / rho : 0;
    *dir = rho > 0 ? v3_cross(n, v3(-p.y / rho, p.x / rho, 0)) : v3_any_normal(n);
    return true;
}

bool jn_curvature(const jn_convex *c, jn_vec3 p_world, jn_vec3 n_world, double k[2], jn_vec3 *dir) {
    const jn_solid *s = c->s;
    jn_vec3 n = m3_tmul_v(&c->X.R, n_world), p = pose_local(&c->X, p_world), a = s->size, d = v3_any_normal(n);
    bool defined = true;
    k[0] = k[1] = 0;
    switch (s->type) {
    case JN_SHAPE_SPHERE: k[0] = k[1] = 1 / s->radius; break;
    case JN_SHAPE_SOCKET: k[0] = k[1] = -1 / a.x; break;
    case JN_SHAPE_CIRCLE: k[0] = 1 / s->radius, d = v3(-n.y, n.x, 0); break;
    case JN_SHAPE_ARC: k[1] = -1 / a.x, d = v3(0, 0, 1); break;
    case JN_SHAPE_CAPSULE:
        k[0] = 1 / s->radius, k[1] = fabs(n.z) > 1e-6 ? k[0] : 0;
        if (k[1] == 0) side_curvature(n, k[0], k, &d);
        break;
    case JN_SHAPE_BORE:
        if (fabs(n.z) < 0.5) side_curvature(n, -1 / a.x, k, &d); /* its end walls are flat */
        break;
    case JN_SHAPE_CYLINDER:
        if (fabs(n.z) < 1e-6)
            side_curvature(n, 1 / a.x, k, &d);
        else
            defined = fabs(n.z) > 1 - 1e-8;
        break;
    case JN_SHAPE_CONE: {
        double l = jn_hypot(a.x, a.y), rho = jn_hypot(p.x, p.y);
        if (fabs(n.z - a.x / l) < 1e-6 && rho > 1e-9 * a.x)
            side_curvature(n, a.y / l / rho, k, &d);
        else
            defined = n.z < -1 + 1e-8;
        break;
    }
    case JN_SHAPE_TORUS: torus_curvature(s, p, n, k, &d); break;
    case JN_SHAPE_ELLIPSOID:
    case JN_SHAPE_SUPERELLIPSOID: smooth_curvature(c, n_world, k, dir); return true;
    case JN_SHAPE_SEGMENT:
        if (s->radius > 0 && !on_face(s, n))
            k[0] = 1 / s->radius, d = v3(-n.y, n.x, 0);
        else
            defined = on_face(s, n);
        break;
    case JN_SHAPE_BOX:
    case JN_SHAPE_HULL:
    case JN_SHAPE_RECTANGLE:
    case JN_SHAPE_POLYGON: defined = on_face(s, n); break;
    default: break; /* planes and triangles */
    }
    *dir = m3_mul_v(&c->X.R, d);
    return defined;
}

/* Closed forms: planes, spheres, capsules and their like. A is the first of the name. */
#include "proximity/narrow.h"

/* The normal to use where geometry gives none: that of the last call, else the given one. */
static jn_vec3 any_normal(const jn_convex *A, const jn_pair_cache *cache, jn_vec3 otherwise) {
    return cache && cache->known ? m3_mul_v(&A->X.R, cache->n) : otherwise;
}

static void remember(const jn_convex *A, jn_pair_cache *cache, jn_vec3 n) {
    if (cache) cache->n = m3_tmul_v(&A->X.R, n), cache->known = 1;
}

/* A rounded point at cA against one at cB; `otherwise` is the normal if they coincide. */
static void points(const jn_convex *A, const jn_convex *B, jn_vec3 cA, jn_vec3 cB, jn_vec3 otherwise, uint32_t feature,
                   jn_pair_cache *cache, jn_manifold *out) {
    jn_vec3 d = v3_sub(cB, cA);
    double l = v3_norm(d), rA = A->s->radius, rB = B->s->radius;
    jn_vec3 n = l > 1e-300 ? v3_scale(1 / l, d) : any_normal(A, cache, otherwise);
    remember(A, cache, n);
    jn_manifold_add(out, v3_axpy(rA, n, cA), v3_axpy(-rB, n, cB), n, l - rA - rB, feature);
}

static bool is_polygon(const jn_solid *s) {
    return s->type == JN_SHAPE_RECTANGLE || s->type == JN_SHAPE_POLYGON || s->type == JN_SHAPE_SEGMENT;
}

/* A polygon in the plane: both ends of the edge that looks down the most. Its lowest corner is one of them. */
static void collide_edge(jn_vec3 base, jn_vec3 n, const jn_convex *B, jn_manifold *out) {
    const jn_solid *s = B->s;
    jn_vec3 up = m3_tmul_v(&B->X.R, n);
    double least = INFINITY;
    int best = 0;
    for (int i = 0; i < s->face_count; i++) {
        double rise = up.x * s->face_normal[i].x + up.y * s->face_normal[i].y;
        if (rise < least) least = rise, best = i;
    }
    for (int k = 0; k < 2; k++) {
        int corner = best + k < s->vertex_count ? best + k : 0;
        jn_vec3 p = v3_axpy(-s->radius, n, pose_point(&B->X, s->vertex[corner]));
        double g = v3_dot(n, v3_sub(p, base));
        jn_manifold_add(out, v3_axpy(-g, n, p), p, n, g, (uint32_t)corner);
    }
}

/* A rounded point or segment along the z axis of B: its ends, on a plane whose normal is that axis of its frame. */
static void collide_ends(const jn_pose *plane, int normal, const jn_convex *B, jn_manifold *out) {
    bool point = B->s->type == JN_SHAPE_SPHERE;
    jn_vec3 base = plane->p, n = m3_column(&plane->R, normal);
    jn_vec3 axis = m3_column(&B->X.R, 2), middle = v3_axpy(-B->s->radius, n, B->X.p);
    for (int k = 0; k < (point ? 1 : 2); k++) {
        jn_vec3 p = point ? middle : v3_axpy(k ? B->s->size.y : -B->s->size.y, axis, middle);
        double g = v3_dot(n, v3_sub(p, base));
        jn_manifold_add(out, v3_axpy(-g, n, p), p, n, g, (uint32_t)k);
    }
}

static const double missed =
    1e-10; /* of the size: how far below a polygon that stands for a circle a point of it may lie */

/* The flat part of B that looks at the plane through `base` with the normal n, and its lowest point. The cache may say where points of a circle begin. */
static void collide_flat(jn_vec3 base, jn_vec3 n, const jn_convex *B, const jn_pair_cache *cache, jn_manifold *out) {
    if (is_polygon(B->s)) {
        collide_edge(base, n, B, out);
        return;
    }
    jn_vec3 back = v3_neg(n);
    jn_feature f;
    jn_feature_find(B, back, &f);
    if (cache && (cache->u[0] != 0 || cache->u[1] != 0)) jn_feature_turn(B, cache->u, back, &f);
    double least = INFINITY;
    int kept = f.count < JN_MANIFOLD_MAX ? f.count : JN_MANIFOLD_MAX;
    for (int k = 0; k < kept; k++) {
        int i = kept == f.count ? k : (int)((long)k * f.count / kept);
        double g = v3_dot(n, v3_sub(f.p[i], base));
        if (g < least) least = g;
        jn_contact_geometry *at = jn_manifold_add(out, v3_axpy(-g, n, f.p[i]), f.p[i], n, g, f.id[i]);
        if (at && out->edges) at->couple = jn_feature_couple(&f, f.p[i], n);
    }
    jn_vec3 lowest = v3_axpy(-B->s->radius, n, jn_core_support(B, back));
    double h = v3_dot(n, v3_sub(lowest, base));
    if (least > h + missed * B->s->reach) jn_manifold_add(out, v3_axpy(-h, n, lowest), lowest, n, h, 0xffffu);
}

enum { AROUND = JN_MANIFOLD_MAX - 1 };
static const double TILT =
    0.05; /* [rad] by which a mesh may lean before corners that it stood on are no longer looked at */

/* A mesh: a plane touches its hull alone. The lowest corner, and those that are the lowest where the plane leans a little to one side or another. */
static void collide_corners(jn_vec3 base, jn_vec3 n, const jn_convex *B, jn_manifold *out) {
    const jn_solid *s = B->s;
    jn_vec3 down = v3_neg(m3_tmul_v(&B->X.R, n)), x = v3_any_normal(down), y = v3_cross(down, x);
    jn_vec3 direction[JN_MANIFOLD_MAX];
    int best[JN_MANIFOLD_MAX] = {0};
    double most[JN_MANIFOLD_MAX];
    for (int k = 0; k < JN_MANIFOLD_MAX; k++) {
        double a = 2 * M_PI * k / AROUND;
        direction[k] =
            k == AROUND ? down : v3_add(down, v3_scale(TILT, v3_add(v3_scale(jn_cos(a), x), v3_scale(jn_sin(a), y))));
        most[k] = -INFINITY;
    }
    for (int i = 0; i < s->vertex_count; i++)
        for (int k = 0; k < JN_MANIFOLD_MAX; k++) {
            double far = v3_dot(direction[k], s->vertex[i]);
            if (far > most[k]) most[k] = far, best[k] = i;
        }
    for (int k = 0; k < JN_MANIFOLD_MAX; k++) {
        bool again = false;
        for (int m = 0; m < k; m++) again |= best[m] == best[k];
        if (again) continue;
        jn_vec3 p = pose_point(&B->X, s->vertex[best[k]]);
        double g = v3_dot(n, v3_sub(p, base));
        jn_manifold_add(out, v3_axpy(-g, n, p), p, n, g, (uint32_t)best[k]);
    }
}

/* Whether collide_ends knows all of it. */
static bool has_ends(const jn_solid *s) { return s->type == JN_SHAPE_SPHERE || s->type == JN_SHAPE_CAPSULE; }

void jn_collide_plane(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    if (has_ends(B->s))
        collide_ends(&A->X, 2, B, out);
    else if (B->s->type == JN_SHAPE_MESH)
        collide_corners(A->X.p, m3_column(&A->X.R, 2), B, out);
    else
        collide_flat(A->X.p, m3_column(&A->X.R, 2), B, cache, out);
}

void jn_collide_half_plane(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    if (has_ends(B->s))
        collide_ends(&A->X, 1, B, out);
    else
        collide_flat(A->X.p, m3_column(&A->X.R, 1), B, cache, out);
}

void jn_collide_sphere_sphere(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    points(A, B, A->X.p, B->X.p, v3(0, 0, 1), 0, cache, out);
}

void jn_collide_circle_circle(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    points(A, B, A->X.p, B->X.p, v3(0, 1, 0), 0, cache, out);
}

void jn_collide_sphere_capsule(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    jn_vec3 axis = m3_column(&B->X.R, 2);
    double t = v3_dot(axis, v3_sub(A->X.p, B->X.p)), h = B->s->size.y;
    t = t < -h ? -h : t > h ? h : t;
    points(A, B, A->X.p, v3_axpy(t, axis, B->X.p), m3_column(&B->X.R, 0), 0, cache, out);
}

void jn_collide_sphere_torus(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    jn_vec3 p = pose_local(&B->X, A->X.p);
    double rho = jn_hypot(p.x, p.y), R = B->s->size.x;
    jn_vec3 c = rho > 0 ? v3(R * p.x / rho, R * p.y / rho, 0) : v3(R, 0, 0);
    points(A, B, A->X.p, pose_point(&B->X, c), m3_column(&B->X.R, 2), 0, cache, out);
}

/* The sphere's centre against a solid whose nearest surface point is q (local), outward normal m, signed distance h. */
static void centre_to(const jn_convex *A, const jn_convex *B, jn_vec3 q, jn_vec3 m, double h, uint32_t feature,
                      jn_pair_cache *cache, jn_manifold *out) {
    jn_vec3 n = v3_neg(m3_mul_v(&B->X.R, m)), pB = pose_point(&B->X, q);
    double r = A->s->radius;
    remember(A, cache, n);
    jn_manifold_add(out, v3_axpy(r, n, A->X.p), pB, n, h - r, feature);
}

void jn_collide_sphere_box(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    jn_vec3 p = pose_local(&B->X, A->X.p), a = B->s->size;
    jn_vec3 q = v3(jn_max(-a.x, jn_min(a.x, p.x)), jn_max(-a.y, jn_min(a.y, p.y)), jn_max(-a.z, jn_min(a.z, p.z))),
            d = v3_sub(p, q);
    double l = v3_norm(d);
    if (l > 1e-14 * B->s->reach) {
        centre_to(A, B, q, v3_scale(1 / l, d), l, 0, cache, out);
        return;
    }
    int axis = 0; /* inside: the nearest face */
    for (int k = 1; k < 3; k++)
        if (v3_get(a, k) - fabs(v3_get(p, k)) < v3_get(a, axis) - fabs(v3_get(p, axis))) axis = k;
    double side = v3_get(p, axis) < 0 ? -1 : 1, h = side * v3_get(p, axis) - v3_get(a, axis);
    jn_vec3 m = v3_scale(side, v3_axis(axis));
    centre_to(A, B, v3_axpy(-h, m, p), m, h, 0, cache, out);
}

void jn_collide_sphere_cylinder(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    jn_vec3 p = pose_local(&B->X, A->X.p);
    double rho = jn_hypot(p.x, p.y), R = B->s->size.x, H = B->s->size.y, up = p.z < 0 ? -1 : 1;
    jn_vec3 radial = rho > 0 ? v3(p.x / rho, p.y / rho, 0) : v3(1, 0, 0), axial = v3(0, 0, up);
    double out_r = rho - R, out_z = fabs(p.z) - H;
    if (out_r > 0 && out_z > 0) { /* the rim */
        jn_vec3 q = v3(R * radial.x, R * radial.y, up * H), d = v3_sub(p, q);
        centre_to(A, B, q, v3_unit(d), v3_norm(d), 2, cache, out);
    } else if (out_r > out_z) {
        centre_to(A, B, v3(R * radial.x, R * radial.y, p.z), radial, out_r, 0, cache, out);
    } else {
        centre_to(A, B, v3(p.x, p.y, up * H), axial, out_z, 1, cache, out);
    }
}

static double clamp01(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/* p + s d and q + t e, both parameters in 0..1. [Ericson2004, sec. 5.1.9] */
void jn_segments_nearest(jn_vec3 p, jn_vec3 d, jn_vec3 q, jn_vec3 e, double *s, double *t) {
    jn_vec3 r = v3_sub(p, q);
    double a = v3_dot(d, d), b = v3_dot(d, e), c = v3_dot(e, e), f = v3_dot(d, r), g = v3_dot(e, r);
    double det = a * c - b * b;
    if (det > 1e-14 * a * c) {
        *s = clamp01((b * g - c * f) / det);
    } else { /* parallel: the middle of the overlap of q's projection */
        double s0 = a > 0 ? -f / a : 0, s1 = a > 0 ? s0 + b / a : 0;
        double lo = jn_max(0, jn_min(s0, s1)), hi = jn_min(1, jn_max(s0, s1));
        *s = lo <= hi ? 0.5 * (lo + hi) : clamp01(0.5 * (s0 + s1));
    }
    *t = c > 0 ? (b * *s + g) / c : 0;
    if (*t < 0)
        *t = 0, *s = a > 0 ? clamp01(-f / a) : 0;
    else if (*t > 1)
        *t = 1, *s = a > 0 ? clamp01((b - f) / a) : 0;
}

void jn_collide_capsule_capsule(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    double hA = A->s->size.y, hB = B->s->size.y, s, t, rA = A->s->radius, rB = B->s->radius;
    jn_vec3 a = m3_column(&A->X.R, 2), b = m3_column(&B->X.R, 2), d = v3_scale(2 * hA, a), e = v3_scale(2 * hB, b);
    jn_vec3 p = v3_axpy(-hA, a, A->X.p), q = v3_axpy(-hB, b, B->X.p);
    jn_segments_nearest(p, d, q, e, &s, &t);
    jn_vec3 cA = v3_axpy(s, d, p), cB = v3_axpy(t, e, q), v = v3_sub(cB, cA), cross = v3_cross(a, b);
    double l = v3_norm(v), c = v3_norm(cross);
    jn_vec3 n =
        l > 1e-12 * (hA + hB) ? v3_scale(1 / l, v)
        : c > 1e-9
            ? v3_scale(cache && cache->known && v3_dot(m3_mul_v(&A->X.R, cache->n), cross) < 0 ? -1 / c : 1 / c, cross)
            : any_normal(A, cache, m3_column(&A->X.R, 0));
    remember(A, cache, n);
    jn_gap gap = {.n = n, .pA = v3_axpy(rA, n, cA), .pB = v3_axpy(-rB, n, cB), .gap = v3_dot(n, v) - rA - rB};
    if (gap.gap > out->margin) return;
    jn_patch(A, B, &gap, out);
}

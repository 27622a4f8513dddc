/* A parametric patch s(u, v) (A) against a convex solid: [Rodrigues2024, eq. 31-33] with B's point given by its support
 * function, so that the two equations d.s_u = d.s_v = 0 remain. Newton's method on the distance with line search. */
#include "proximity/narrow.h"

enum { INNER = 40, OUTER = 60 };

typedef struct patch_point {
    double u[2];
    jn_surface_point s;
    jn_vec3 n;
} patch_point;

static void evaluate(const jn_solid *s, patch_point *p) {
    p->s = jn_solid_surface_at(s, p->u[0], p->u[1]);
    jn_vec3 c = v3_cross(p->s.u, p->s.v);
    double l = v3_norm(c);
    p->n = l > 0 ? v3_scale(1 / l, c) : v3(0, 0, 1);
}

static double half_square(jn_vec3 a) { return 0.5 * v3_dot(a, a); }

/* One damped Newton step for the least |q - s(u, v)| within the limits; false when there is nothing more to gain. */
static bool approach(const jn_solid *s, jn_vec3 q, patch_point *p) {
    jn_vec3 d = v3_sub(q, p->s.p);
    double g[2] = {v3_dot(d, p->s.u), v3_dot(d, p->s.v)};
    double a = v3_dot(p->s.u, p->s.u) - v3_dot(d, p->s.uu), b = v3_dot(p->s.u, p->s.v) - v3_dot(d, p->s.uv);
    double c = v3_dot(p->s.v, p->s.v) - v3_dot(d, p->s.vv), phi = half_square(d);
    bool held[2];
    for (int k = 0; k < 2; k++)
        held[k] = (p->u[k] <= s->range[k][0] && g[k] < 0) || (p->u[k] >= s->range[k][1] && g[k] > 0);
    if (held[0]) a = 1, b = 0, g[0] = 0;
    if (held[1]) c = 1, b = 0, g[1] = 0;
    double least = 0.5 * (a + c) - jn_hypot(0.5 * (a - c), b), most = 0.5 * (a + c) + jn_hypot(0.5 * (a - c), b);
    if (least < 1e-6 * fabs(most)) {
        double shift = fabs(least) + 1e-3 * fabs(most) + 1e-300;
        a += shift, c += shift;
    }
    double det = a * c - b * b, y[2] = {(c * g[0] - b * g[1]) / det, (a * g[1] - b * g[0]) / det};
    if (!(fabs(y[0]) + fabs(y[1]) > 1e-16 * (fabs(p->u[0]) + fabs(p->u[1]) + s->range[0][1] - s->range[0][0])))
        return false;
    for (double step = 1; step > 1e-10; step *= 0.5) {
        patch_point next = *p;
        for (int k = 0; k < 2; k++) next.u[k] = jn_min(s->range[k][1], jn_max(s->range[k][0], p->u[k] + step * y[k]));
        evaluate(s, &next);
        double f = half_square(v3_sub(q, next.s.p));
        if (f < phi || (step == 1 && f <= phi * (1 + 1e-15))) {
            bool moved = next.u[0] != p->u[0] || next.u[1] != p->u[1];
            *p = next;
            return moved && f < phi;
        }
    }
    return false;
}

static void nearest_sample(const jn_solid *s, jn_vec3 q, patch_point *p) {
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < s->samples * s->samples; i++) {
        double f = half_square(v3_sub(q, s->sample[i]));
        if (f < least) least = f, best = i;
    }
    int column = best % s->samples, row = best / s->samples;
    p->u[0] = s->range[0][0] + (s->range[0][1] - s->range[0][0]) * column / (s->samples - 1);
    p->u[1] = s->range[1][0] + (s->range[1][1] - s->range[1][0]) * row / (s->samples - 1);
    evaluate(s, p);
}

/* Principal curvatures from the two fundamental forms; convex is positive. */
static void curvatures(const jn_convex *A, const patch_point *p, jn_contact_geometry *t) {
    double E = v3_dot(p->s.u, p->s.u), F = v3_dot(p->s.u, p->s.v), G = v3_dot(p->s.v, p->s.v);
    double L = -v3_dot(p->s.uu, p->n), M = -v3_dot(p->s.uv, p->n), N = -v3_dot(p->s.vv, p->n), det = E * G - F * F;
    double mean = 0.5 * (E * N - 2 * F * M + G * L) / det, gauss = (L * N - M * M) / det;
    double root = sqrt(jn_max(mean * mean - gauss, 0));
    t->kA[0] = mean + root, t->kA[1] = mean - root;
    double x = M - t->kA[0] * F, y = -(L - t->kA[0] * E); /* (L - kE) du + (M - kF) dv = 0 */
    if (fabs(x) + fabs(y) < 1e-12 * (fabs(L) + fabs(N) + E)) x = t->kA[0] * G - N, y = M - t->kA[0] * F;
    jn_vec3 d = v3_add(v3_scale(x, p->s.u), v3_scale(y, p->s.v));
    double l = v3_norm(d);
    t->dA = m3_mul_v(&A->X.R, l > 0 ? v3_scale(1 / l, d) : v3_any_normal(p->n));
    t->smoothA = true;
}

/* The core point q (A's frame) rounded by r; follow: q moves with the normal as B's support point. */
static void ask(const jn_convex *A, const jn_convex *B, jn_vec3 q, bool follow, uint32_t id, jn_pair_cache *cache,
                jn_manifold *out) {
    const jn_solid *s = A->s;
    patch_point p = {0};
    if (cache && cache->known && id == 0) {
        p.u[0] = cache->u[0], p.u[1] = cache->u[1];
        evaluate(s, &p);
    } else {
        nearest_sample(s, q, &p);
    }
    for (int it = 0; it < (follow ? OUTER : 1); it++) {
        for (int k = 0; k < INNER && approach(s, q, &p); k++) {
        }
        if (!follow) break;
        jn_vec3 next = pose_local(&A->X, jn_core_support(B, v3_neg(m3_mul_v(&A->X.R, p.n)))), move = v3_sub(next, q);
        q = next;
        if (v3_dot(move, move) < 1e-30 * B->s->reach * B->s->reach) break;
    }
    if (cache && id == 0) cache->u[0] = p.u[0], cache->u[1] = p.u[1], cache->known = 1;
    jn_vec3 d = v3_sub(q, p.s.p), n = m3_mul_v(&A->X.R, p.n);
    double h = v3_dot(d, p.n), r = B->s->radius;
    if (v3_norm(v3_axpy(-h, p.n, d)) > 1e-6 * (s->reach + B->s->reach)) return; /* beyond the border of the patch */
    int before = out->count;
    jn_vec3 pA = pose_point(&A->X, p.s.p);
    jn_manifold_add(out, pA, v3_axpy(h - r, n, pA), n, h - r, id);
    if (out->count > before) curvatures(A, &p, &out->out[out->count - 1]);
}

void jn_collide_surface(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    const jn_solid *s = B->s;
    jn_vec3 c = pose_local(&A->X, B->X.p), axis = m3_column(&B->X.R, 2), a = m3_tmul_v(&A->X.R, axis);
    switch (s->type) {
    case JN_SHAPE_SPHERE: ask(A, B, c, false, 0, cache, out); break;
    case JN_SHAPE_CAPSULE:
        ask(A, B, v3_axpy(-s->size.y, a, c), false, 1, NULL, out);
        ask(A, B, v3_axpy(s->size.y, a, c), false, 2, NULL, out);
        break;
    case JN_SHAPE_BOX:
    case JN_SHAPE_HULL:
        for (int i = 0; i < s->vertex_count; i++)
            ask(A, B, pose_local(&A->X, pose_point(&B->X, s->vertex[i])), false, (uint32_t)i + 1, NULL, out);
        break;
    default: ask(A, B, c, true, 0, cache, out);
    }
}

/* Shapes in the plane: polygons (a segment is one of two corners), circles, by separating axes and nearest features. */
#include "algebra/elementary.h"
#include "proximity/narrow.h"

static jn_vec3 corner_at(const jn_convex *c, int i) { return pose_point(&c->X, c->s->vertex[i % c->s->vertex_count]); }
static jn_vec3 normal_at(const jn_convex *c, int i) { return m3_mul_v(&c->X.R, c->s->face_normal[i]); }

static void remember(const jn_convex *A, jn_pair_cache *cache, jn_vec3 n) {
    if (cache) cache->n = m3_tmul_v(&A->X.R, n), cache->known = 1;
}

/* Nearest point of the polygon's border to p, and its square distance. */
static double nearest_border(const jn_convex *c, jn_vec3 p, jn_vec3 *q, int *edge) {
    double least = INFINITY;
    for (int i = 0; i < c->s->face_count; i++) {
        jn_vec3 a = corner_at(c, i), e = v3_sub(corner_at(c, i + 1), a);
        double t = v3_dot(e, v3_sub(p, a)) / v3_dot(e, e);
        jn_vec3 x = v3_axpy(t < 0 ? 0 : t > 1 ? 1 : t, e, a), d = v3_sub(p, x);
        if (v3_dot(d, d) < least) least = v3_dot(d, d), *q = x, *edge = i;
    }
    return least;
}

/* Height of p over the edges: negative inside. */
static double over_edges(const jn_convex *c, jn_vec3 p, int *edge) {
    double most = -INFINITY;
    for (int i = 0; i < c->s->face_count; i++) {
        double h = v3_dot(normal_at(c, i), v3_sub(p, corner_at(c, i)));
        if (h > most) most = h, *edge = i;
    }
    return most;
}

void jn_collide_circle_polygon(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    jn_vec3 p = A->X.p, q = p, m;
    int edge = 0;
    double h = over_edges(B, p, &edge), rA = A->s->radius, rB = B->s->radius;
    if (h > 1e-14 * B->s->reach) {
        double d = sqrt(nearest_border(B, p, &q, &edge));
        m = v3_scale(1 / d, v3_sub(p, q)), h = d;
    } else {
        m = normal_at(B, edge), q = v3_axpy(-h, m, p);
    }
    jn_vec3 n = v3_neg(m);
    remember(A, cache, n);
    /* the one contact point of the pair: its name stays where it passes a corner */
    jn_manifold_add(out, v3_axpy(rA, n, p), v3_axpy(rB, m, q), n, h - rA - rB, out->edges ? (uint32_t)edge : 0);
}

/* Best separating edge normal of A: height of B's lowest corner over it. */
static double separate(const jn_convex *A, const jn_convex *B, int *edge) {
    double most = -INFINITY;
    for (int i = 0; i < A->s->face_count; i++) {
        jn_vec3 n = normal_at(A, i), a = corner_at(A, i);
        double least = INFINITY;
        for (int k = 0; k < B->s->vertex_count; k++) least = jn_fmin(least, v3_dot(n, v3_sub(corner_at(B, k), a)));
        if (least > most + 1e-13 * A->s->reach) most = least, *edge = i;
    }
    return most;
}

/* Nearest points of two polygons that are apart; where both are corners, that of A. */
static double nearest_corners(const jn_convex *A, const jn_convex *B, jn_vec3 *pA, jn_vec3 *pB, int *corner) {
    double least = INFINITY;
    jn_vec3 q;
    int edge;
    for (int i = 0; i < A->s->vertex_count; i++) {
        double d = nearest_border(B, corner_at(A, i), &q, &edge);
        if (d < least) least = d, *pA = corner_at(A, i), *pB = q, *corner = i;
    }
    for (int i = 0; i < B->s->vertex_count; i++) {
        double d = nearest_border(A, corner_at(B, i), &q, &edge);
        if (d < least) least = d, *pB = corner_at(B, i), *pA = q;
    }
    return sqrt(least);
}

/* Two edges that face each other touch at corners of the one or of the other. A point has the name of its corner, whichever edge
 * the gap is measured from, so that it is the same while the edges rock on each other. `own`: corner of the edge, `other`:
 * corner that faces it; cut: the point is where the edge ends; meet: both are there, and A's name counts. */
static uint32_t corner_name(uint32_t own, uint32_t other, bool cut, bool meet, bool on_B) {
    bool of_edge = meet ? !on_B : cut, of_B = of_edge == on_B;
    return (of_B ? 0x80000000u : 0) | (of_edge ? own : other);
}

/* The incident edge cut to the width of the reference edge: two points. n points from the reference outward. */
static int clip_edge(const jn_convex *R, int edge, const jn_convex *I, bool on_B, jn_manifold *out) {
    jn_vec3 n = normal_at(R, edge), a = corner_at(R, edge), e = v3_sub(corner_at(R, edge + 1), a);
    double l = v3_norm(e), rR = R->s->radius;
    jn_feature f;
    jn_feature_find(I, v3_neg(n), &f);
    e = v3_scale(1 / l, e);
    double s0 = v3_dot(e, v3_sub(f.p[0], a)), s1 = v3_dot(e, v3_sub(f.p[1], a));
    int before = out->count;
    for (int k = 0; k < 2; k++) {
        double s = k ? s1 : s0, o = k ? s0 : s1, c = s < 0 ? 0 : s > l ? l : s;
        if ((s < -1e-12 * l && o < -1e-12 * l) || (s > l * (1 + 1e-12) && o > l * (1 + 1e-12))) continue;
        double t = s == o ? 0 : (c - s) / (o - s);
        jn_vec3 p = v3_axpy(t, v3_sub(f.p[1 - k], f.p[k]), f.p[k]);
        double h = v3_dot(n, v3_sub(p, a)) - rR;
        jn_vec3 q = v3_axpy(-h, n, p);
        jn_vec3 m = n; /* of the point: a corner of the reference has that of the other edge */
        if (out->edges && c != s) {
            jn_vec3 d = v3_unit(v3_sub(f.p[1], f.p[0])), corner = v3_axpy(c, e, a);
            double rI = I->s->radius;
            m = v3_unit(v3_axpy(-v3_dot(d, n), d, n));
            h = v3_dot(m, v3_sub(v3_axpy(rI, n, p), corner)) - rI - rR;
            q = v3_axpy(rR, m, corner), p = v3_axpy(h, m, q);
        }
        uint32_t own = (uint32_t)((c > 0.5 * l ? edge + 1 : edge) % R->s->vertex_count);
        bool exact = out->edges, cut = exact ? c != s : fabs(c - s) > 1e-6 * l;
        uint32_t id = corner_name(own, f.id[k], cut, !exact && jn_fmin(fabs(s), fabs(s - l)) <= 1e-6 * l, on_B);
        if (exact) id |= ((cut ? f.id[0] : (uint32_t)edge) & 0x7fffu) << 16; /* and the edge that it meets */
        jn_manifold_add(out, on_B ? p : q, on_B ? q : p, on_B ? v3_neg(m) : m, h, id);
    }
    return out->count - before;
}

void jn_collide_polygon_polygon(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    int ea = 0, eb = 0;
    double sa = separate(A, B, &ea), sb = separate(B, A, &eb), r = A->s->radius + B->s->radius;
    double size = A->s->reach + B->s->reach;
    bool on_B = sb > sa + 1e-10 * size;
    double best = on_B ? sb : sa;
    if (best - r > out->margin) return;
    if (best > 1e-12 * size) {
        jn_vec3 pA = A->X.p, pB = B->X.p;
        int corner = 0;
        double d = nearest_corners(A, B, &pA, &pB, &corner);
        if (d > best * (1 + 1e-12) + 1e-12 * size) { /* corner to corner */
            jn_vec3 n = v3_scale(1 / d, v3_sub(pB, pA));
            remember(A, cache, n);
            jn_manifold_add(out, v3_axpy(A->s->radius, n, pA), v3_axpy(-B->s->radius, n, pB), n, d - r,
                            out->edges ? 0 : (uint32_t)corner);
            return;
        }
    }
    remember(A, cache, on_B ? v3_neg(normal_at(B, eb)) : normal_at(A, ea));
    if (on_B)
        clip_edge(B, eb, A, true, out);
    else
        clip_edge(A, ea, B, false, out);
}

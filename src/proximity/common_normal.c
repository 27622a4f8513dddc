/* Common normal of two smooth convex cores. The equations [Rodrigues2024, eq. 33] say that the gap as a function of the
 * normal, f(n) = n.(s_B(-n) - s_A(n)) with support points s, is stationary on the unit sphere; the contact is its largest
 * maximum. Newton's method on the sphere with a line search climbs it, so that the wrong solutions of (33), saddles and
 * minima, cannot be reached. */
#include "proximity/narrow.h"

enum { NEWTON_MOST = 60 };

static double gap_along(const jn_convex *A, const jn_convex *B, jn_vec3 n, jn_gap *g) {
    g->n = n;
    g->pA = jn_core_support(A, n), g->pB = jn_core_support(B, v3_neg(n));
    return g->gap = v3_dot(n, v3_sub(g->pB, g->pA));
}

/* Ascent direction in the tangent plane: (H_A + H_B + f) y = d_T, made positive definite where it is not. */
static jn_vec3 direction(const jn_convex *A, const jn_convex *B, const jn_gap *g, jn_vec3 d) {
    jn_mat3 HA = jn_core_hessian(A, g->n), HB = jn_core_hessian(B, v3_neg(g->n));
    jn_vec3 t1 = v3_any_normal(g->n), t2 = v3_cross(g->n, t1);
    jn_vec3 h1 = v3_add(m3_mul_v(&HA, t1), m3_mul_v(&HB, t1)), h2 = v3_add(m3_mul_v(&HA, t2), m3_mul_v(&HB, t2));
    double a = v3_dot(t1, h1) + g->gap, b = v3_dot(t1, h2), c = v3_dot(t2, h2) + g->gap;
    double least = 0.5 * (a + c) - jn_hypot(0.5 * (a - c), b), most = 0.5 * (a + c) + jn_hypot(0.5 * (a - c), b);
    double floor = 1e-9 * jn_max(fabs(most), 1e-3 * (A->s->reach + B->s->reach));
    if (least < floor) {
        double shift = floor + fabs(least) - least;
        a += shift, c += shift;
    }
    double g1 = v3_dot(t1, d), g2 = v3_dot(t2, d), det = a * c - b * b;
    return v3_add(v3_scale((c * g1 - b * g2) / det, t1), v3_scale((a * g2 - b * g1) / det, t2));
}

bool jn_common_normal(const jn_convex *A, const jn_convex *B, jn_gap *gap) {
    double scale = A->s->reach + B->s->reach;
    jn_gap g;
    gap_along(A, B, gap->n, &g);
    for (int it = 0; it < NEWTON_MOST; it++) {
        jn_vec3 d = v3_sub(g.pB, g.pA);
        d = v3_axpy(-v3_dot(d, g.n), g.n, d);
        double residual = v3_norm(d);
        if (residual <= 4e-16 * scale) break;
        jn_vec3 y = direction(A, B, &g, d);
        double l = v3_norm(y), slope = v3_dot(y, d), step = l > 0.5 ? 0.5 / l : 1;
        jn_gap next;
        for (;; step *= 0.5) {
            double f = gap_along(A, B, v3_unit(v3_axpy(step, y, g.n)), &next);
            if (f >= g.gap + 1e-4 * step * slope - 1e-16 * scale || step < 1e-12) break;
        }
        jn_vec3 e = v3_sub(next.pB, next.pA);
        e = v3_axpy(-v3_dot(e, next.n), next.n, e);
        bool better = next.gap > g.gap + 1e-15 * scale || v3_norm(e) < residual;
        if (!better) break;
        g = next;
    }
    jn_vec3 d = v3_sub(g.pB, g.pA);
    *gap = g;
    return v3_norm(v3_axpy(-v3_dot(d, g.n), g.n, d)) <= 1e-11 * scale;
}

/* The last digits of the normal where a solid meets an edge, a corner or a line of another one. At the maximum of
 * f(n) = n.(s_B(-n) - s_A(n)) the lines that touch with their length are normal to n: each keeps n on a circle of the unit
 * sphere (a great one for an edge, a circle of latitude for the side of a cone). On what is left f is smooth, and Newton's
 * method needs two or three steps from where GJK and EPA end. */
#include "algebra/elementary.h"
#include "proximity/furthest.h"

enum { POLISH_MOST = 8 };
static const double active = jn_near_lower; /* [rad] a line this near to the tangent plane touches with its length */

static const double steep = 2 * 1e-8; /* square of the sine: far above active */

/* The normal obeys n.c = b. line: direction of the line in the world, at the present normal. */
typedef struct condition {
    jn_vec3 c, line;
    double b;
} condition;

/* Whether a line between two corners of the core, from the highest one, touches along n (both in its own frame); then it is the next condition. Returns how many there are. */
static int add_line(const jn_convex *c, jn_vec3 n, int top, int i, condition out[2], int count) {
    jn_vec3 d = v3_sub(c->s->vertex[i], c->s->vertex[top]);
    double high = v3_dot(n, d), squared = v3_dot(d, d);
    if (high * high > steep * squared) return count; /* most, without a root */
    double len = sqrt(squared);
    if (i == top || !(fabs(high) < active * len)) return count;
    d = m3_mul_v(&c->X.R, v3_scale(1 / len, d));
    if (count == 0 || v3_norm(v3_cross(d, out[0].c)) > 1e-3) out[count++] = (condition){d, d, 0};
    return count;
}

/* Lines of the core that touch along n; at most two that are independent. sign: -1 where the core's normal is -n. */
static int lines_of(const jn_convex *c, jn_vec3 n, double sign, condition out[2]) {
    const jn_solid *s = c->s;
    jn_vec3 m = v3_scale(sign, n), l = m3_tmul_v(&c->X.R, m), axis = m3_column(&c->X.R, 2);
    int count = 0;
    double slope;
    if (jn_core_side(s, &slope)) {
        jn_vec3 line = slope == 0 ? axis : v3_unit(v3_sub(axis, v3_scale(slope, m)));
        if (fabs(l.z - slope) < active) out[count++] = (condition){axis, line, slope == 0 ? 0 : sign * slope};
        return count;
    }
    if (!s->vertex_count) return 0;
    int top = jn_corner_along(c, l);
    if (c->near && jn_near_serves(c->near, l)) { /* it has all that lie lower by `active` of their distance */
        for (int i = 0; i < c->near->count && count < 2; i++) count = add_line(c, l, top, c->near->corner[i], out, count);
        return count;
    }
    for (int i = 0; i < s->vertex_count && count < 2; i++) count = add_line(c, l, top, i, out, count);
    return count;
}

static double gap_at(const jn_convex *A, const jn_convex *B, jn_vec3 n, jn_vec3 *d) {
    *d = v3_sub(jn_core_support(B, v3_neg(n)), jn_core_support(A, n));
    return v3_dot(n, *d);
}

/* Both conditions: two points of the sphere, the nearer one to n. */
static bool meet(const condition h[2], jn_vec3 *n) {
    double g = v3_dot(h[0].c, h[1].c), det = 1 - g * g;
    jn_vec3 x = v3_cross(h[0].c, h[1].c);
    if (!(det > 1e-9)) return false;
    jn_vec3 p = v3_add(v3_scale((h[0].b - g * h[1].b) / det, h[0].c), v3_scale((h[1].b - g * h[0].b) / det, h[1].c));
    double rest = (1 - v3_dot(p, p)) / v3_dot(x, x);
    if (!(rest > 0)) return false;
    double k = sqrt(rest);
    *n = v3_axpy(v3_dot(x, *n) < 0 ? -k : k, x, p);
    return true;
}

static jn_mat3 hessians(const jn_convex *A, const jn_convex *B, jn_vec3 n) {
    jn_mat3 H = jn_core_hessian(A, n), HB = jn_core_hessian(B, v3_neg(n));
    for (int k = 0; k < 9; k++) H.m[k] += HB.m[k];
    return H;
}

/* A Newton step along the circle n.c = b: n(x) = b c + r (cos x e + sin x t). */
static bool step_on_circle(const jn_convex *A, const jn_convex *B, const condition *h, jn_vec3 *n, double *size) {
    double r = sqrt(1 - h->b * h->b);
    jn_vec3 e = v3_unit(v3_axpy(-v3_dot(h->c, *n), h->c, *n)), t = v3_cross(h->c, e), d;
    *n = v3_axpy(h->b, h->c, v3_scale(r, e));
    gap_at(A, B, *n, &d);
    jn_mat3 H = hessians(A, B, *n);
    double slope = r * v3_dot(d, t), bend = r * v3_dot(d, e) + r * r * v3_dot(t, m3_mul_v(&H, t));
    *size = fabs(slope / bend);
    if (!(bend > 0) || !(*size < 0.01)) return false;
    double x = slope / bend;
    *n = v3_unit(v3_axpy(h->b, h->c, v3_scale(r, v3_add(v3_scale(jn_cos(x), e), v3_scale(jn_sin(x), t)))));
    return true;
}

static bool step_free(const jn_convex *A, const jn_convex *B, jn_vec3 *n, double *size) {
    jn_vec3 d, t1 = v3_any_normal(*n), t2 = v3_cross(*n, t1);
    double f = gap_at(A, B, *n, &d);
    jn_mat3 H = hessians(A, B, *n);
    jn_vec3 h1 = m3_mul_v(&H, t1), h2 = m3_mul_v(&H, t2);
    double a = v3_dot(t1, h1) + f, b = v3_dot(t1, h2), c = v3_dot(t2, h2) + f, det = a * c - b * b;
    if (!(a > 0 && det > 0)) return false;
    double g1 = v3_dot(d, t1), g2 = v3_dot(d, t2), x = (c * g1 - b * g2) / det, y = (a * g2 - b * g1) / det;
    *size = jn_hypot(x, y);
    if (!(*size < 0.01)) return false;
    *n = v3_unit(v3_add(*n, v3_add(v3_scale(x, t1), v3_scale(y, t2))));
    return true;
}

/* The points: where one side is a single point, that point; where two lines cross, their nearest points. */
static void points_of(const jn_convex *A, const jn_convex *B, int a, int b, const condition *hA, const condition *hB,
                      jn_gap *g) {
    jn_vec3 pA = jn_core_support(A, g->n), pB = jn_core_support(B, v3_neg(g->n));
    if (a == 0 && b == 0)
        g->pA = pA, g->pB = pB;
    else if (a == 0)
        g->pA = pA, g->pB = v3_axpy(g->gap, g->n, pA);
    else if (b == 0)
        g->pB = pB, g->pA = v3_axpy(-g->gap, g->n, pB);
    else if (a == 1 && b == 1 && v3_norm(v3_cross(hA->line, hB->line)) > 1e-3) {
        jn_vec3 r = v3_sub(pB, pA), x = v3_cross(hA->line, hB->line); /* pA + s line_A + g n = pB + t line_B */
        double s = v3_dot(v3_cross(r, hB->line), x) / v3_dot(x, x);
        g->pA = v3_axpy(s, hA->line, pA), g->pB = v3_axpy(g->gap, g->n, g->pA);
    }
}

void jn_polish(const jn_convex *A, const jn_convex *B, jn_gap *g) {
    condition hA[2], hB[2], h[2];
    jn_vec3 n = g->n, d;
    int a = lines_of(A, n, 1, hA), b = lines_of(B, n, -1, hB), count = a;
    for (int i = 0; i < a; i++) h[i] = hA[i];
    for (int i = 0; i < b && count < 2; i++)
        if (count == 0 || v3_norm(v3_cross(hB[i].c, h[0].c)) > 1e-3) h[count++] = hB[i];
    if (count == 2) {
        if (!meet(h, &n)) return;
    } else {
        double size = 1;
        for (int i = 0; i < POLISH_MOST && size > 1e-15; i++)
            if (!(count ? step_on_circle(A, B, h, &n, &size) : step_free(A, B, &n, &size))) return;
    }
    double f = gap_at(A, B, n, &d), before = gap_at(A, B, g->n, &d); /* of two normals the better bound */
    if (!(f >= before - 1e-15 * (A->s->reach + B->s->reach)) || v3_dot(n, g->n) < 1 - 1e-4) return;
    g->n = n, g->gap = f;
    points_of(A, B, a, b, hA, hB, g);
}

/* Two boxes: the largest of the gaps along 15 axes, six of faces and nine of pairs of edges. It is the depth itself where the
 * boxes overlap, and a lower bound of their distance where not. [Ericson2004, 4.4.1] */
#include "proximity/narrow.h"

static const double parallel = 1e-12;         /* sin^2 of the angle between edges that give no axis */
static const double flat = 1 - 1e-13;         /* cosine of the angle between faces that lie on each other, */
static const double side_by_side = 1 - 1e-12; /* and of those of neighbours in a pile, which its residuals turn */
static const double along_edge = 1e-6;        /* of the size: overlaps so narrow are edges that meet */

/* B seen from A. */
typedef struct boxes {
    jn_vec3 a, b, t, axis[3]; /* half edges; centre and axes of B */
    double side[6];           /* gaps along the faces of A, then of B */
} boxes;

/* The axis found: from A to B, in A's frame. edge: of A and of B; both -1 for a face, whose number is in `face`. */
typedef struct best_axis {
    jn_vec3 n;
    double gap;
    int edge[2], face;
} best_axis;

static double half_width(jn_vec3 half, jn_vec3 n) {
    return half.x * fabs(n.x) + half.y * fabs(n.y) + half.z * fabs(n.z);
}

static jn_vec3 in_B(const boxes *s, jn_vec3 n) {
    return v3(v3_dot(s->axis[0], n), v3_dot(s->axis[1], n), v3_dot(s->axis[2], n));
}

static double gap_along(const boxes *s, jn_vec3 n) {
    return fabs(v3_dot(n, s->t)) - half_width(s->a, n) - half_width(s->b, in_B(s, n));
}

static jn_vec3 towards_B(const boxes *s, jn_vec3 n) { return v3_dot(n, s->t) < 0 ? v3_neg(n) : n; }

/* Of axes that are equal but for round-off the first: faces before edges. */
static best_axis find_axis(boxes *s, double small) {
    best_axis best = {.gap = -INFINITY, .edge = {-1, -1}, .face = -1};
    for (int k = 0; k < 6; k++) {
        jn_vec3 n = k < 3 ? v3_axis(k) : s->axis[k - 3];
        s->side[k] = gap_along(s, n);
        if (s->side[k] > best.gap + small) best.gap = s->side[k], best.n = n, best.face = k;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            jn_vec3 x = v3_cross(v3_axis(i), s->axis[j]);
            double l = v3_dot(x, x);
            if (!(l > parallel)) continue;
            jn_vec3 n = v3_scale(1 / sqrt(l), x);
            double gap = gap_along(s, n);
            if (gap > best.gap + small) best = (best_axis){n, gap, {i, j}, -1};
        }
    best.n = towards_B(s, best.n);
    return best;
}

/* Nearest points of the two edges, as far as they are within them. */
static bool cross_edges(const jn_convex *A, const jn_convex *B, const best_axis *x, jn_gap *out) {
    jn_vec3 d = m3_column(&A->X.R, x->edge[0]), e = m3_column(&B->X.R, x->edge[1]), c = v3_cross(d, e);
    jn_vec3 pA = jn_core_support(A, out->n), r = v3_sub(jn_core_support(B, v3_neg(out->n)), pA);
    double s = v3_dot(v3_cross(r, e), c) / v3_dot(c, c);
    out->pA = v3_axpy(s, d, pA), out->pB = v3_axpy(out->gap, out->n, out->pA);
    double a = v3_dot(d, v3_sub(out->pA, A->X.p)), b = v3_dot(e, v3_sub(out->pB, B->X.p));
    return fabs(a) <= v3_get(A->s->size, x->edge[0]) && fabs(b) <= v3_get(B->s->size, x->edge[1]);
}

/* Whether p, seen along a face's normal, lies on the face. */
static bool is_over(const jn_convex *c, int face, jn_vec3 p) {
    jn_vec3 l = pose_local(&c->X, p);
    for (int k = 0; k < 3; k++)
        if (k != face && !(fabs(v3_get(l, k)) <= v3_get(c->s->size, k))) return false;
    return true;
}

/* Whether the face's gap is a distance: faces that lie over each other, or a corner over the face. */
static bool is_distance(const boxes *s, const best_axis *x, const jn_convex *c, jn_vec3 corner) {
    double most = 0;
    int other = 0, face = x->face % 3;
    for (int k = 0; k < 3; k++) {
        double r = x->face < 3 ? fabs(v3_get(s->axis[k], face)) : fabs(v3_get(s->axis[face], k));
        if (r > most) most = r, other = k;
    }
    bool over = most > flat;
    for (int k = 0; k < 3 && over; k++) {
        int a = x->face < 3 ? face : other, b = x->face < 3 ? other : face;
        over = (k == a || s->side[k] < 0) && (k == b || s->side[3 + k] < 0);
    }
    return over || is_over(c, face, corner);
}

bool jn_box_gap(const jn_convex *A, const jn_convex *B, jn_gap *out) {
    boxes s = {.a = A->s->size, .b = B->s->size, .t = pose_local(&A->X, B->X.p)};
    for (int k = 0; k < 3; k++) s.axis[k] = m3_tmul_v(&A->X.R, m3_column(&B->X.R, k));
    best_axis best = find_axis(&s, 1e-13 * (A->s->reach + B->s->reach));
    out->n = m3_mul_v(&A->X.R, best.n), out->gap = best.gap;
    if (best.face < 0) return cross_edges(A, B, &best, out) || best.gap < 0;
    bool on_A = best.face < 3;
    jn_vec3 corner = on_A ? jn_core_support(B, v3_neg(out->n)) : jn_core_support(A, out->n);
    out->pA = on_A ? v3_axpy(-out->gap, out->n, corner) : corner;
    out->pB = on_A ? corner : v3_axpy(out->gap, out->n, corner);
    return best.gap < 0 || is_distance(&s, &best, on_A ? A : B, corner);
}

bool jn_boxes_meet_at_edges(const jn_convex *A, const jn_convex *B) {
    jn_vec3 t = pose_local(&A->X, B->X.p);
    double near = along_edge * jn_min(A->s->reach, B->s->reach);
    int narrow = 0;
    for (int k = 0; k < 3; k++) {
        jn_vec3 n = m3_tmul_v(&B->X.R, m3_column(&A->X.R, k)); /* face k of A, seen from B */
        int same = 0;
        for (int l = 1; l < 3; l++)
            if (fabs(v3_get(n, l)) > fabs(v3_get(n, same))) same = l;
        if (!(fabs(v3_get(n, same)) > side_by_side)) return false;
        narrow += fabs(fabs(v3_get(t, k)) - v3_get(A->s->size, k) - v3_get(B->s->size, same)) < near;
    }
    return narrow > 1;
}

/* Triangle meshes and heightfields (A) against convex solids. Each triangle near B is asked; contacts at an edge inside
 * the surface count only where the normal lies between those of the two faces, so that flat meshes act as planes. */
#include "algebra/elementary.h"
#include "proximity/narrow.h"

enum { STACK = 64 };

typedef struct asked {
    const jn_convex *A, *B;
    jn_manifold *out;
    jn_vec3 lower, upper; /* box of B in A's frame, grown by the margin */
} asked;

static void box_of(asked *q) {
    double m = jn_fmin(q->out->margin, 1e9), r = q->B->s->radius + jn_fmax(m, 0);
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        jn_vec3 axis = m3_column(&q->A->X.R, k);
        hi[k] = v3_dot(axis, v3_sub(jn_core_support(q->B, axis), q->A->X.p)) + r;
        lo[k] = v3_dot(axis, v3_sub(jn_core_support(q->B, v3_neg(axis)), q->A->X.p)) - r;
    }
    q->lower = v3(lo[0], lo[1], lo[2]), q->upper = v3(hi[0], hi[1], hi[2]);
}

static bool apart(const asked *q, jn_vec3 lower, jn_vec3 upper) {
    return lower.x > q->upper.x || upper.x < q->lower.x || lower.y > q->upper.y || upper.y < q->lower.y ||
           lower.z > q->upper.z || upper.z < q->lower.z;
}

/* Whether the normal n (A's frame) at a point of triangle t belongs to t's side of each edge the point lies on. */
static bool belongs(const jn_solid *s, int t, jn_vec3 p, jn_vec3 n, double size) {
    const int *c = s->triangle[t];
    for (int k = 0; k < 3; k++) {
        jn_vec3 a = s->vertex[c[k]], e = v3_unit(v3_sub(s->vertex[c[(k + 1) % 3]], a));
        jn_vec3 out_own = v3_cross(e, s->triangle_normal[t]);
        if (v3_dot(out_own, v3_sub(p, a)) < -1e-9 * size) continue; /* not on this edge */
        int other = s->neighbour[t][k];
        if (other < 0) continue;
        jn_vec3 out_other = v3_neg(v3_cross(e, s->triangle_normal[other]));
        if (v3_dot(out_other, n) < -1e-6 || v3_dot(out_own, n) < -1e-6) return false;
        if (other < t && v3_dot(out_own, n) > -1e-6) return false; /* shared: the first of the two has it */
    }
    return true;
}

static bool in_triangle(const jn_solid *s, int t, jn_vec3 p, double size) {
    const int *c = s->triangle[t];
    for (int k = 0; k < 3; k++) {
        jn_vec3 a = s->vertex[c[k]], e = v3_unit(v3_sub(s->vertex[c[(k + 1) % 3]], a));
        if (v3_dot(v3_cross(e, s->triangle_normal[t]), v3_sub(p, a)) > 1e-9 * size) return false;
    }
    return true;
}

/* A touch that is there already: the same place and normal. */
static bool repeated(const jn_manifold *out, jn_vec3 pA, jn_vec3 n, double size) {
    for (int i = 0; i < out->count; i++) {
        jn_vec3 d = v3_sub(out->out[i].pA, pA);
        if (v3_dot(d, d) < 1e-12 * size * size && v3_dot(out->out[i].n, n) > 0.999) return true;
    }
    return false;
}

/* A triangle and the part of B that looks at it. */
typedef struct facing {
    int t;
    jn_vec3 n, o; /* its normal and a corner, in the world */
    jn_feature f;
} facing;

static double height_over(const facing *x, jn_vec3 p) { return v3_dot(x->n, v3_sub(p, x->o)); }

static bool stands_over(const asked *q, const facing *x, jn_vec3 p) {
    jn_vec3 foot = v3_axpy(-height_over(x, p), x->n, p);
    return in_triangle(q->A->s, x->t, pose_local(&q->A->X, foot), q->B->s->reach);
}

/* Whether a lowest point of B, at the height h, stands over the triangle: no other point of the two is nearer. */
static bool is_nearest(const asked *q, const facing *x, double h) {
    for (int i = 0; i < x->f.count; i++)
        if (height_over(x, x->f.p[i]) <= h + 1e-9 * q->B->s->reach && stands_over(q, x, x->f.p[i])) return true;
    return false;
}

/* The face itself: points of B's feature that stand over (or under) it. */
static void face_contact(const asked *q, const facing *x) {
    for (int i = 0; i < x->f.count; i++) {
        jn_vec3 p = x->f.p[i], pA = v3_axpy(-height_over(x, p), x->n, p);
        if (stands_over(q, x, p) && !repeated(q->out, pA, x->n, q->B->s->reach))
            jn_manifold_add(q->out, pA, p, x->n, height_over(x, p), (uint32_t)x->t << 4 | (x->f.id[i] & 15u));
    }
}

/* Whether the surface goes on flat, or rises, beyond edge k of a triangle. */
static bool goes_on(const jn_solid *s, int t, int k) {
    const int *c = s->triangle[t];
    int other = s->neighbour[t][k];
    if (other < 0) return false;
    jn_vec3 out = v3_cross(v3_sub(s->vertex[c[(k + 1) % 3]], s->vertex[c[k]]), s->triangle_normal[t]);
    return v3_dot(v3_unit(out), s->triangle_normal[other]) < 1e-6;
}

/* A line of B that lies on the triangle: where it crosses edges beyond which the surface falls off. Its ends touch by themselves. */
static void line_contact(const asked *q, const facing *x) {
    const jn_solid *s = q->A->s;
    const int *c = s->triangle[x->t];
    double from = 0, to = 1;
    int in = -1, out = -1;
    jn_vec3 p = pose_local(&q->A->X, x->f.p[0]), d = v3_sub(pose_local(&q->A->X, x->f.p[1]), p);
    for (int k = 0; k < 3; k++) {
        jn_vec3 a = s->vertex[c[k]],
                m = v3_cross(v3_unit(v3_sub(s->vertex[c[(k + 1) % 3]], a)), s->triangle_normal[x->t]);
        double over = v3_dot(m, v3_sub(p, a)), rate = v3_dot(m, d);
        if (rate == 0 && over > 0) return;
        if (rate < 0 && -over / rate > from) from = -over / rate, in = k;
        if (rate > 0 && -over / rate < to) to = -over / rate, out = k;
    }
    for (int end = 0; end < 2 && from < to; end++) {
        int edge = end ? out : in;
        if (edge < 0 || goes_on(s, x->t, edge)) continue;
        jn_vec3 pB = v3_axpy(end ? to : from, v3_sub(x->f.p[1], x->f.p[0]), x->f.p[0]);
        jn_vec3 pA = v3_axpy(-height_over(x, pB), x->n, pB);
        if (!repeated(q->out, pA, x->n, q->B->s->reach))
            jn_manifold_add(q->out, pA, pB, x->n, height_over(x, pB), (uint32_t)x->t << 4 | (uint32_t)(12 + edge));
    }
}

static void ask_triangle(const asked *q, int t) {
    const jn_solid *s = q->A->s;
    const int *c = s->triangle[t];
    jn_vec3 corner[3] = {s->vertex[c[0]], s->vertex[c[1]], s->vertex[c[2]]}, m = s->triangle_normal[t];
    jn_vec3 lower = corner[0], upper = corner[0];
    for (int k = 1; k < 3; k++) {
        lower = v3(jn_fmin(lower.x, corner[k].x), jn_fmin(lower.y, corner[k].y), jn_fmin(lower.z, corner[k].z));
        upper = v3(jn_fmax(upper.x, corner[k].x), jn_fmax(upper.y, corner[k].y), jn_fmax(upper.z, corner[k].z));
    }
    if (apart(q, lower, upper) || v3_dot(m, m) == 0) return;
    jn_vec3 n = m3_mul_v(&q->A->X.R, m);
    jn_solid flat = {.type = JN_SHAPE_HULL, .vertex = corner, .vertex_count = 3, .reach = s->reach};
    jn_convex T = {.s = &flat, .X = q->A->X};
    jn_gap g;
    jn_simplex simplex;
    jn_vec3 deepest = jn_core_support(q->B, v3_neg(n));
    double r = q->B->s->radius;
    facing x = {.t = t, .n = n, .o = pose_point(&q->A->X, corner[0])};
    double h = height_over(&x, deepest);
    if (h - r > q->out->margin || h < -2 * q->B->s->reach) return;
    jn_feature_find(q->B, v3_neg(n), &x.f);
    bool decided = is_nearest(q, &x, h - r), away = decided || jn_gjk(&T, q->B, n, NULL, &g, &simplex);
    int before = q->out->count;
    bool meets = decided || h <= 0 || v3_dot(g.n, n) > 1 - 1e-8; /* the face meets corners of B, over or under it */
    if (meets && height_over(&x, jn_core_support(q->B, n)) < 0 && h < -q->B->s->thickness) return;
    face_contact(q, &x);
    if (decided || (meets && q->out->count > before)) return;
    if (!away) {
        jn_vec3 other[JN_EPA_OTHER];
        jn_epa(&T, q->B, &simplex, &g, other);
    }
    bool flat_on = v3_dot(g.n, n) > 1 - 1e-6,
         inner = s->neighbour[t][0] >= 0 && s->neighbour[t][1] >= 0 && s->neighbour[t][2] >= 0;
    bool round = jn_core_is_smooth(q->B->s->type) || q->B->s->type == JN_SHAPE_CAPSULE;
    if (g.gap - r > q->out->margin || v3_dot(g.n, n) <= 0.1 || (flat_on && inner && !round)) return;
    if (flat_on && x.f.count == 2) {
        line_contact(q, &x);
        return;
    }
    jn_vec3 local = pose_local(&q->A->X, g.pA);
    if (!belongs(s, t, local, m3_tmul_v(&q->A->X.R, g.n), q->B->s->reach) ||
        repeated(q->out, g.pA, g.n, q->B->s->reach))
        return;
    jn_manifold_add(q->out, g.pA, v3_axpy(-r, g.n, g.pB), g.n, g.gap - r, (uint32_t)t << 4 | 15u);
}

void jn_collide_mesh(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    asked q = {.A = A, .B = B, .out = out};
    int stack[STACK], top = 0;
    (void)cache;
    box_of(&q);
    stack[top++] = 0;
    while (top) {
        const jn_box_node *node = &A->s->node[stack[--top]];
        if (apart(&q, node->lower, node->upper)) continue;
        if (node->count) {
            for (int i = node->first; i < node->first + node->count; i++) ask_triangle(&q, A->s->order[i]);
        } else if (top + 2 <= STACK) {
            stack[top++] = node->second;
            stack[top++] = (int)(node - A->s->node) + 1;
        }
    }
}

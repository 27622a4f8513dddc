/* Triangle meshes and heightfields (A) against convex solids (B).
 *
 * The gap of a part of the surface, a face, a convex edge or a corner, and B has a minimum where the normal belongs to the normal cone of that part: that of the
 * face, those between the faces of an edge, those of planes that leave all edges of a corner below. These minima, and they alone, are contact points, so that flat
 * meshes act as planes, hollows touch at all of their faces, and what overlaps a little is told by the same parts as what is apart a little. */
#include "algebra/elementary.h"
#include "proximity/mesh_convex.h"

#define MANY 20        /* times a depth is not that of the same place */
#define HOLLOW_SHARP 8 /* times the depth under a face: that under the edge in a hollow */
#define NEIGHBOUR_REL 0.25 /* of B's size: how much further than the nearest part others are looked at */
#define NEAR_REL 1e-3  /* of B's size: what is so far below a face touches it */

static void box_of(jn_mesh_meeting *q) {
    double r = q->B.s->radius + jn_fmax(jn_fmin(q->points.margin, 1e9), 0);
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        jn_vec3 axis = v3_axis(k);
        hi[k] = v3_dot(axis, jn_core_support(&q->B, axis)) + r;
        lo[k] = v3_dot(axis, jn_core_support(&q->B, v3_neg(axis))) - r;
    }
    q->lower = v3(lo[0], lo[1], lo[2]), q->upper = v3(hi[0], hi[1], hi[2]);
}

static bool apart(const jn_mesh_meeting *q, jn_vec3 lower, jn_vec3 upper) {
    return lower.x > q->upper.x || upper.x < q->lower.x || lower.y > q->upper.y || upper.y < q->lower.y ||
           lower.z > q->upper.z || upper.z < q->lower.z;
}

static bool is_beside(const jn_mesh_meeting *q, int t) {
    const int *c = q->A->triangle[t];
    jn_vec3 lower = q->A->vertex[c[0]], upper = lower;
    for (int k = 1; k < 3; k++) {
        jn_vec3 p = q->A->vertex[c[k]];
        lower = v3(jn_fmin(lower.x, p.x), jn_fmin(lower.y, p.y), jn_fmin(lower.z, p.z));
        upper = v3(jn_fmax(upper.x, p.x), jn_fmax(upper.y, p.y), jn_fmax(upper.z, p.z));
    }
    return apart(q, lower, upper);
}

static double height_over(const jn_mesh_meeting *q, int t, jn_vec3 p) {
    return v3_dot(q->A->triangle_normal[t], v3_sub(p, q->A->vertex[q->A->triangle[t][0]]));
}

/* [m] how far a point is outside of edge k of a triangle, across it. */
static double across(const jn_solid *s, int t, int k, jn_vec3 p) {
    const int *c = s->triangle[t];
    jn_vec3 a = s->vertex[c[k]], e = v3_unit(v3_sub(s->vertex[c[(k + 1) % 3]], a));
    return v3_dot(v3_cross(e, s->triangle_normal[t]), v3_sub(p, a));
}

/* The triangle across edge k where the surface rises; -1: it does not. */
static int find_rise(const jn_mesh_meeting *q, int t, int k) {
    const int *c = q->A->triangle[t];
    int other = q->A->neighbour[t][k];
    for (int i = 0; i < 3 && other >= 0; i++) {
        int v = q->A->triangle[other][i];
        if (v != c[k] && v != c[(k + 1) % 3]) return height_over(q, t, q->A->vertex[v]) > 0 ? other : -1;
    }
    return -1;
}

/* Whether a point beyond edge k of a triangle is over the next one, where the surface rises: the plane of the first goes on below it there, and what slides down comes to it. */
static bool is_over_rise(const jn_mesh_meeting *q, int t, int k, jn_vec3 p) {
    int other = find_rise(q, t, k);
    if (other < 0 || height_over(q, other, p) < -NEAR_REL * q->points.size) return false;
    return across(q->A, other, 0, p) <= 0 && across(q->A, other, 1, p) <= 0 && across(q->A, other, 2, p) <= 0;
}

/* Whether a point below the surface is beyond edge k of a triangle and of the next one, where the surface rises: in a hollow it is over neither of its faces. */
static bool is_below_hollow(const jn_mesh_meeting *q, int t, int k, jn_vec3 p) {
    int other = find_rise(q, t, k);
    for (int i = 0; i < 3 && other >= 0; i++)
        if (q->A->neighbour[other][i] == t) return across(q->A, other, i, p) > 0 && height_over(q, other, p) < 0;
    return false;
}

/* Whether a point at the height h stands over (or under) a triangle. */
static bool stands_over(const jn_mesh_meeting *q, int t, jn_vec3 p, double h) {
    for (int k = 0; k < 3; k++)
        if (across(q->A, t, k, p) > 1e-9 * q->points.size &&
            !(h > 0 ? is_over_rise(q, t, k, p) : is_below_hollow(q, t, k, p)))
            return false;
    return true;
}

/* Whether a corner of B that is under a face leaves the body by that face: it is in the body, and no nearer part of the surface brings it out, with all of B around it. */
static bool leaves_by(const jn_mesh_meeting *q, jn_vec3 p, double depth) {
    jn_mesh_nearest at, next;
    if (!jn_mesh_is_inside(q->A, p, HOLLOW_SHARP * depth, &at)) return false;
    double d = sqrt(at.distance2);
    if (d > 0.99 * depth) return true;
    jn_vec3 way = v3_scale(1 / d, v3_sub(at.p, p)),
            deepest = v3_axpy(-q->B.s->radius, way, jn_core_support(&q->B, v3_neg(way)));
    if (v3_dot(way, v3_sub(p, deepest)) > 0.1 * d && depth < MANY * d) return true;
    return jn_mesh_is_inside(q->A, v3_axpy(1e-9 * q->points.size, way, at.p), 1.001 * depth, &next);
}

/* lowest: [m] heights below it do not count. */
static void add_over(jn_mesh_meeting *q, int t, jn_vec3 p, jn_vec3 couple, double lowest, uint32_t id) {
    double h = height_over(q, t, p);
    if (h > q->points.margin || h < lowest || !stands_over(q, t, p, h)) return;
    if (h < -JN_MESH_DEEP * q->points.size && !leaves_by(q, p, -h)) return;
    jn_mesh_point c = {.pB = p, .n = q->A->triangle_normal[t], .couple = couple, .gap = h, .part = JN_MESH_FACE};
    c.pA = v3_axpy(-h, c.n, p), c.feature = jn_mesh_feature(JN_MESH_FACE, t, id);
    jn_mesh_points_add(&q->points, &c);
}

/* A face and the points of B that look at it; deepest: of B's core. What is below the face by more than half of B's extent is beyond it. */
static void ask_face(jn_mesh_meeting *q, int t, jn_vec3 deepest) {
    jn_vec3 n = q->A->triangle_normal[t], p = v3_axpy(-q->B.s->radius, n, deepest);
    double h = height_over(q, t, p);
    jn_feature f;
    if (h > q->points.margin) return;
    double top = height_over(q, t, jn_core_support(&q->B, n)) + q->B.s->radius, lowest = 0.5 * (h - top);
    if (top < 0) return;
    jn_feature_find(&q->B, v3_neg(n), &f);
    bool told = false;
    for (int i = 0; i < f.count; i++) {
        add_over(q, t, f.p[i], jn_feature_couple(&f, f.p[i], n), lowest, f.id[i]);
        told = told || height_over(q, t, f.p[i]) <= h + 1e-12 * q->points.size;
    }
    if (!told)
        add_over(q, t, p, v3(0, 0, 0), lowest,
                 jn_core_has_corners(q->B.s) ? (uint32_t)jn_core_corner(&q->B, v3_neg(n)) : JN_FEATURE_MAX);
}

static void ask_triangle(jn_mesh_meeting *q, int t) {
    const jn_solid *s = q->A;
    jn_vec3 n = s->triangle_normal[t];
    if (is_beside(q, t) || v3_dot(n, n) == 0) return;
    jn_vec3 deepest = jn_core_support(&q->B, v3_neg(n));
    ask_face(q, t, deepest);
    for (int k = 0; k < 3; k++) {
        int v = s->triangle[t][k];
        jn_mesh_ask_edge(q, t, k, deepest);
        if (s->vertex_triangle[v] == t) jn_mesh_ask_corner(q, v);
    }
}

/* [m] the margin, or less where that asks for all of the surface: what is further than the nearest part by a part of B's size is left out; a point of B tells how near that is at most. */
static double narrow_margin(const jn_mesh_meeting *q, double margin) {
    jn_mesh_nearest at;
    if (margin <= q->points.size) return margin;
    jn_vec3 middle = v3_scale(0.5, v3_add(jn_core_support(&q->B, v3_axis(0)), jn_core_support(&q->B, v3_neg(v3_axis(0)))));
    if (!jn_mesh_find_nearest(q->A, middle, 1e9, &at)) return margin;
    return jn_fmin(margin, sqrt(at.distance2) + NEIGHBOUR_REL * q->points.size);
}

void jn_collide_mesh(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    jn_mesh_meeting q;
    int stack[JN_MESH_STACK], top = 0;
    (void)cache;
    q.A = A->s, q.B = *B, q.B.X = pose_in(&A->X, &B->X), q.inside = B->s->thickness, q.follows = out->edges || out->rocks;
    q.points.size = B->s->reach, q.points.count = 0, q.points.margin = narrow_margin(&q, out->margin);
    box_of(&q);
    stack[top++] = 0;
    while (top) {
        const jn_box_node *node = &A->s->node[stack[--top]];
        if (apart(&q, node->lower, node->upper)) continue;
        if (node->count) {
            for (int i = node->first; i < node->first + node->count; i++) ask_triangle(&q, A->s->order[i]);
        } else if (top + 2 <= JN_MESH_STACK) {
            stack[top++] = node->second;
            stack[top++] = (int)(node - A->s->node) + 1;
        }
    }
    jn_mesh_points_choose(&q.points, &A->X, out);
}

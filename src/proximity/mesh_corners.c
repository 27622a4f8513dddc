/* Corners of a mesh against a convex solid. A corner touches where the normal lies in its normal cone: the surface around it falls off on all sides. */
#include "algebra/elementary.h"
#include "proximity/mesh_convex.h"

enum { MOST = 256 }; /* triangles around a corner that are walked over */

/* Whether the edges of triangle t at corner v fall off below the plane with the normal n, by the sine `slack` at least. *at: place of v in t. */
static bool falls_off(const jn_solid *s, int t, int v, jn_vec3 n, double slack, int *at) {
    const int *c = s->triangle[t];
    int k = c[0] == v ? 0 : c[1] == v ? 1 : 2;
    jn_vec3 a = v3_sub(s->vertex[c[(k + 1) % 3]], s->vertex[v]), b = v3_sub(s->vertex[c[(k + 2) % 3]], s->vertex[v]);
    *at = k;
    return v3_dot(n, a) <= slack * v3_norm(a) && v3_dot(n, b) <= slack * v3_norm(b);
}

/* Whether n lies in the normal cone of corner v, widened by `slack`. O(triangles around it) */
static bool is_in_cone(const jn_solid *s, int v, jn_vec3 n, double slack) {
    int first = s->vertex_triangle[v], t = first, k, at;
    if (!falls_off(s, first, v, n, slack, &at)) return false;
    for (int way = 2, i = 0; i < MOST;
         i++) { /* over the edge that ends at v; from a border on, over the one that begins there */
        k = at;
        int next = s->neighbour[t][way == 2 ? (k + 2) % 3 : k];
        if (next < 0 && way == 2) {
            if (v3_dot(n, s->triangle_normal[first]) <= JN_MESH_BORDER) return false;
            way = 0, t = first, falls_off(s, t, v, n, slack, &at);
            continue;
        }
        if (next < 0 || next == first) return true;
        t = next;
        if (!falls_off(s, t, v, n, slack, &at)) return false;
    }
    return true;
}

/* Gap and normal of a point and a box, in the frame of the box. */
static jn_gap box_gap(jn_vec3 half, jn_vec3 p) {
    double x[3] = {p.x, p.y, p.z}, h[3] = {half.x, half.y, half.z}, d[3], least = -INFINITY;
    jn_vec3 foot =
        v3(jn_fmax(-h[0], jn_fmin(h[0], p.x)), jn_fmax(-h[1], jn_fmin(h[1], p.y)), jn_fmax(-h[2], jn_fmin(h[2], p.z)));
    int at = 0, out = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = fabs(x[k]) - h[k], out += d[k] > 0;
        if (d[k] > least) least = d[k], at = k;
    }
    if (out > 1) {
        jn_vec3 way = v3_sub(foot, p);
        double l = v3_norm(way);
        return (jn_gap){.n = v3_scale(1 / l, way), .pA = p, .pB = foot, .gap = l};
    }
    jn_vec3 n = v3_scale(x[at] > 0 ? -1 : 1, v3_axis(at));
    return (jn_gap){.n = n, .pA = p, .pB = v3_axpy(least, n, p), .gap = least};
}

/* Gap of a point and B, normal from the point to B, and point of B. */
static jn_gap point_gap(const jn_convex *B, jn_vec3 p) {
    const jn_solid *s = B->s;
    jn_gap g;
    if (s->type == JN_SHAPE_BOX) {
        g = box_gap(s->size, pose_local(&B->X, p));
        g.n = m3_mul_v(&B->X.R, g.n), g.pA = p, g.pB = pose_point(&B->X, g.pB);
        return g;
    }
    if (s->type == JN_SHAPE_SPHERE || s->type == JN_SHAPE_CAPSULE) {
        jn_vec3 axis = m3_column(&B->X.R, 2);
        double z = s->type == JN_SHAPE_SPHERE ? 0 : v3_dot(axis, v3_sub(p, B->X.p));
        jn_vec3 core = v3_axpy(jn_fmax(-s->size.y, jn_fmin(s->size.y, z)), axis, B->X.p), d = v3_sub(core, p);
        double l = v3_norm(d);
        jn_vec3 n = l > 0 ? v3_scale(1 / l, d) : v3_any_normal(axis);
        return (jn_gap){.n = n, .pA = p, .pB = v3_axpy(l - s->radius, n, p), .gap = l - s->radius};
    }
    const jn_solid point = {.type = JN_SHAPE_SPHERE};
    const jn_convex corner = {.s = &point, .X = {p, m3_identity()}};
    jn_convex_gap(&corner, B, NULL, &g);
    return g;
}

static bool is_out_of(const jn_mesh_meeting *q, jn_vec3 p) {
    return p.x < q->lower.x || p.x > q->upper.x || p.y < q->lower.y || p.y > q->upper.y || p.z < q->lower.z ||
           p.z > q->upper.z;
}

void jn_mesh_ask_corner(jn_mesh_meeting *q, int v) {
    const jn_solid *s = q->A;
    const double m = q->points.margin;
    jn_vec3 p = s->vertex[v], own = pose_local(&q->B.X, p), normal;
    int number;
    if (is_out_of(q, p) || own.x < q->B.s->lower.x - m || own.x > q->B.s->upper.x + m || own.y < q->B.s->lower.y - m ||
        own.y > q->B.s->upper.y + m || own.z < q->B.s->lower.z - m || own.z > q->B.s->upper.z + m)
        return;
    jn_gap g = point_gap(&q->B, p);
    if (g.gap > m || g.gap < -q->inside) return;
    bool face = jn_feature_face(&q->B, v3_neg(g.n), &normal, &number) && v3_dot(normal, g.n) < -1 + 1e-12;
    if (!is_in_cone(s, v, g.n, face ? JN_MESH_LEANS : JN_MESH_ROUND)) return;
    jn_mesh_point c = {.pA = p, .pB = g.pB, .n = g.n, .gap = g.gap, .part = JN_MESH_CORNER};
    c.feature = jn_mesh_feature(JN_MESH_CORNER, v, 0);
    jn_mesh_points_add(&q->points, &c);
}

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

/* [m] height of a point over face f of a polytope. */
static double face_height(const jn_solid *s, int f, jn_vec3 p) {
    return v3_dot(s->face_normal[f], v3_sub(p, s->vertex[s->face_vertex[s->face_start[f]]]));
}

/* The same of a hull, where a face is nearest or the point is inside; false: an edge or a corner of it is nearest. O(faces) */
static bool hull_gap(const jn_solid *s, jn_vec3 p, jn_gap *g) {
    int at = 0;
    double gap = -INFINITY;
    for (int f = 0; f < s->face_count; f++) {
        double h = face_height(s, f, p);
        if (h > gap) gap = h, at = f;
    }
    if (!s->face_count) return false;
    jn_vec3 n = v3_neg(s->face_normal[at]), foot = v3_axpy(gap, n, p);
    for (int f = 0; f < s->face_count && gap > 0; f++)
        if (face_height(s, f, foot) > 1e-12 * s->reach) return false;
    *g = (jn_gap){.n = n, .pA = p, .pB = foot, .gap = gap};
    return true;
}

/* Sides of a solid by which a point inside may leave it: faces of polytopes, ends and side of cylinders and cones. How many; of one of them the height of p over it, its
 * normal outwards there, in the solid's frame, and whether it is flat. */
static int side_count(const jn_solid *s) {
    bool polytope = (s->type == JN_SHAPE_BOX || s->type == JN_SHAPE_HULL) && s->radius == 0;
    return polytope ? s->face_count : s->type == JN_SHAPE_CYLINDER ? 3 : s->type == JN_SHAPE_CONE ? 2 : 0;
}

static double side_height(const jn_solid *s, int k, jn_vec3 p, jn_vec3 *n, bool *flat) {
    double rho = jn_hypot(p.x, p.y), r = s->size.x, l = s->size.y;
    jn_vec3 out = rho > 0 ? v3(p.x / rho, p.y / rho, 0) : v3(1, 0, 0);
    bool cone = s->type == JN_SHAPE_CONE;
    *flat = k > 0 || !(cone || s->type == JN_SHAPE_CYLINDER);
    if (!cone && s->type != JN_SHAPE_CYLINDER) return *n = s->face_normal[k], face_height(s, k, p);
    if (k == 0 && !cone) return *n = out, rho - r;
    if (k == 0) {
        double slant = jn_hypot(r, l);
        *n = v3_axpy(r / slant, v3(0, 0, 1), v3_scale(l / slant, out));
        return (l * rho - r * (l - p.z)) / slant;
    }
    *n = v3(0, 0, k == 1 ? -1 : 1);
    return cone ? -p.z : k == 1 ? -p.z - l : p.z - l;
}

/* Gap of a point and B, normal from the point to B, and point of B. */
static jn_gap point_gap(const jn_convex *B, jn_vec3 p) {
    const jn_solid *s = B->s;
    jn_gap g;
    bool box = s->type == JN_SHAPE_BOX;
    if (box) g = box_gap(s->size, pose_local(&B->X, p));
    if (box || (s->type == JN_SHAPE_HULL && s->radius == 0 && hull_gap(s, pose_local(&B->X, p), &g))) {
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

/* The shortest way in the normal cone by which a corner inside B leaves it. Next to an edge of B the shortest of all may lead out by a side which the surface around the corner
 * cannot leave by. *side: by which; 0: the shortest of all. False: there is none. O(sides) */
static bool find_way_out(const jn_mesh_meeting *q, int v, jn_gap *g, uint32_t *side) {
    const jn_solid *s = q->B.s;
    jn_vec3 p = q->A->vertex[v], own = pose_local(&q->B.X, p), n;
    double best = -q->inside, least = -INFINITY;
    bool flat, found = false;
    for (int k = 0; k < side_count(s); k++) {
        double h = side_height(s, k, own, &n, &flat);
        least = jn_fmax(least, h);
        if (h > 0 || h <= best) continue;
        n = v3_neg(m3_mul_v(&q->B.X.R, n));
        if (!is_in_cone(q->A, v, n, flat ? JN_MESH_LEANS : JN_MESH_ROUND)) continue;
        *g = (jn_gap){.n = n, .pA = p, .pB = v3_axpy(h, n, p), .gap = h}, best = h, found = true;
        *side = 1 + (uint32_t)k;
    }
    if (best == least) *side = 0;
    return found;
}

/* Whether all of B is further away from p than the margin, by the gap along one direction. */
static bool is_apart_along(const jn_mesh_meeting *q, jn_vec3 p, jn_vec3 n) {
    double gap = v3_dot(n, v3_sub(jn_core_support(&q->B, v3_neg(n)), p)), most = q->points.margin + q->B.s->radius;
    return gap > 0 && gap * gap > most * most * v3_dot(n, n);
}

void jn_mesh_ask_corner(jn_mesh_meeting *q, int v) {
    const jn_solid *s = q->A;
    const double m = q->points.margin;
    jn_vec3 p = s->vertex[v], own = pose_local(&q->B.X, p), normal;
    int number;
    if (is_out_of(q, p) || own.x < q->B.s->lower.x - m || own.x > q->B.s->upper.x + m || own.y < q->B.s->lower.y - m ||
        own.y > q->B.s->upper.y + m || own.z < q->B.s->lower.z - m || own.z > q->B.s->upper.z + m)
        return;
    if (is_apart_along(q, p, s->vertex_normal[v]) || is_apart_along(q, p, v3_sub(q->B.X.p, p))) return;
    jn_gap g = point_gap(&q->B, p);
    if (g.gap > m || g.gap < -q->inside) return;
    uint32_t side = 0;
    if (q->follows && g.gap < 0 && side_count(q->B.s)) {
        if (!find_way_out(q, v, &g, &side)) return;
    } else {
        bool face = jn_feature_face(&q->B, v3_neg(g.n), &normal, &number) && v3_dot(normal, g.n) < -1 + 1e-12;
        if (!is_in_cone(s, v, g.n, face ? JN_MESH_LEANS : JN_MESH_ROUND)) return;
    }
    jn_mesh_point c = {.pA = p, .pB = g.pB, .n = g.n, .gap = g.gap, .part = JN_MESH_CORNER};
    c.feature = jn_mesh_feature(JN_MESH_CORNER, v, side);
    jn_mesh_points_add(&q->points, &c);
}

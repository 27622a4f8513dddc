/* Two triangle meshes, or heightfields: corners of each against the surface of the other, and edges that cross.
 *
 * A corner has the signed distance to the other surface, outside by the pseudonormal of the nearest face, edge or corner [Baerentzen2005]; the normal is that
 * of the face, or the direction from the edge. Two convex edges touch where their common normal lies between the normals of both pairs of faces; those that
 * overlap count where the middle between them is inside both bodies. All of it in A's frame. */
#include "algebra/elementary.h"
#include "proximity/mesh_points.h"

enum { STACK = JN_MESH_STACK, PAIRS = 256 };

typedef struct meeting {
    const jn_solid *A, *B;
    jn_pose X;    /* of B in A's frame */
    double depth; /* [m] overlaps up to it count */
    jn_mesh_points points;
} meeting;

/* ---------------------------------------------------------------------------------------------------------- corners */

/* A corner p of the one against the surface s of the other, in the frame of s: gap, normal away from s, and foot. */
static bool touch_corner(const meeting *q, const jn_solid *s, jn_vec3 p, jn_vec3 *foot, jn_vec3 *n, double *gap) {
    jn_mesh_nearest at;
    if (!jn_mesh_find_nearest(s, p, jn_fmax(q->points.margin, q->depth), &at)) return false;
    jn_vec3 d = v3_sub(p, at.p);
    double length = sqrt(at.distance2), side = v3_dot(d, at.normal) < 0 ? -1 : 1;
    bool close = length < 1e-9 * q->points.size;
    *n = close ? v3_unit(at.normal) : v3_scale(side / length, d);
    if (v3_dot(*n, at.face) > 1 - 1e-9) *n = at.face;
    *foot = at.p, *gap = close ? v3_dot(*n, d) : side * length;
    if (*gap < -q->depth || *gap > q->points.margin) return false;
    return !at.border || v3_dot(*n, at.face) > 0.1; /* beside a border there is nothing to touch */
}

static bool is_near(const jn_box_node *node, jn_vec3 centre, jn_vec3 half, double more) {
    return fabs(0.5 * (node->lower.x + node->upper.x) - centre.x) <=
               0.5 * (node->upper.x - node->lower.x) + half.x + more &&
           fabs(0.5 * (node->lower.y + node->upper.y) - centre.y) <=
               0.5 * (node->upper.y - node->lower.y) + half.y + more &&
           fabs(0.5 * (node->lower.z + node->upper.z) - centre.z) <=
               0.5 * (node->upper.z - node->lower.z) + half.z + more;
}

/* Centre and half lengths, along the axes of another frame, of a box that is posed by X in it. */
static void place_box(const jn_box_node *node, const jn_pose *X, jn_vec3 *centre, jn_vec3 *half) {
    jn_vec3 h = v3_scale(0.5, v3_sub(node->upper, node->lower));
    const jn_mat3 *R = &X->R;
    jn_vec3 x = m3_column(R, 0), y = m3_column(R, 1), z = m3_column(R, 2);
    *centre = pose_point(X, v3_scale(0.5, v3_add(node->lower, node->upper)));
    *half = v3(fabs(x.x) * h.x + fabs(y.x) * h.y + fabs(z.x) * h.z, fabs(x.y) * h.x + fabs(y.y) * h.y + fabs(z.y) * h.z,
               fabs(x.z) * h.x + fabs(y.z) * h.y + fabs(z.z) * h.z);
}

/* Whether some leaf of a mesh is near a box. */
static bool meets_box(const jn_solid *s, jn_vec3 centre, jn_vec3 half, double more) {
    int stack[STACK], top = 0;
    stack[top++] = 0;
    while (top) {
        const jn_box_node *node = &s->node[stack[--top]];
        if (!is_near(node, centre, half, more)) continue;
        if (node->count || top + 2 > STACK) return true;
        stack[top++] = node->second, stack[top++] = (int)(node - s->node) + 1;
    }
    return false;
}

/* Corners of `from` that lie near the surface of `onto`; X poses `from` in the frame of `onto`. */
static void ask_corners(meeting *q, const jn_solid *from, const jn_solid *onto, const jn_pose *X, bool of_B) {
    int stack[STACK], top = 0;
    double more = jn_fmin(1e9, jn_fmax(q->points.margin, q->depth));
    stack[top++] = 0;
    while (top) {
        const jn_box_node *node = &from->node[stack[--top]];
        jn_vec3 centre, half;
        place_box(node, X, &centre, &half);
        if (!meets_box(onto, centre, half, more)) continue;
        for (int i = 3 * node->first; i < 3 * (node->first + node->count); i++) {
            int t = from->order[i / 3], v = from->triangle[t][i % 3];
            jn_vec3 p = pose_point(X, from->vertex[v]), foot, n;
            double gap;
            if (from->vertex_triangle[v] != t || !touch_corner(q, onto, p, &foot, &n, &gap)) continue;
            jn_mesh_point c = {.pA = foot, .pB = p, .n = n, .gap = gap, .part = JN_MESH_CORNER};
            c.feature = (uint32_t)v << 2 | (of_B ? 1u : 2u);
            if (!of_B) c.pA = pose_point(&q->X, p), c.pB = pose_point(&q->X, foot), c.n = v3_neg(m3_mul_v(&q->X.R, n));
            jn_mesh_points_add(&q->points, &c);
        }
        if (node->count || top + 2 > STACK) continue;
        stack[top++] = node->second, stack[top++] = (int)(node - from->node) + 1;
    }
}

/* ------------------------------------------------------------------------------------------------------------ edges */

/* A convex edge inside a surface, in A's frame: ends, and directions out of both of its faces across it. */
typedef struct edge {
    jn_vec3 a, d, out[2], normal; /* normal: sum of those of both faces */
    int number;
} edge;

static bool take_edge(const jn_solid *s, const jn_pose *X, int t, int k, edge *out) {
    int other = s->neighbour[t][k];
    if (other < t) return false; /* none, or the other face has it */
    jn_vec3 a = s->vertex[s->triangle[t][k]], d = v3_sub(s->vertex[s->triangle[t][(k + 1) % 3]], a), e = v3_unit(d);
    jn_vec3 own = v3_cross(e, s->triangle_normal[t]), across = v3_neg(v3_cross(e, s->triangle_normal[other]));
    if (v3_dot(own, s->triangle_normal[other]) < 1e-6) return false;
    *out = (edge){.a = a,
                  .d = d,
                  .out = {own, across},
                  .normal = v3_add(s->triangle_normal[t], s->triangle_normal[other]),
                  .number = 3 * t + k};
    if (!X) return true;
    out->a = pose_point(X, a), out->d = m3_mul_v(&X->R, d), out->normal = m3_mul_v(&X->R, out->normal);
    for (int i = 0; i < 2; i++) out->out[i] = m3_mul_v(&X->R, out->out[i]);
    return true;
}

static bool is_between(const edge *e, jn_vec3 n) {
    return v3_dot(e->out[0], n) > -1e-9 && v3_dot(e->out[1], n) > -1e-9;
}

static void cross_edges(meeting *q, const edge *a, const edge *b) {
    jn_vec3 c = v3_cross(a->d, b->d), r = v3_sub(b->a, a->a);
    double l2 = v3_dot(c, c);
    if (l2 < 1e-12 * v3_dot(a->d, a->d) * v3_dot(b->d, b->d)) return; /* parallel: their ends touch */
    double s = v3_dot(v3_cross(r, b->d), c) / l2, t = v3_dot(v3_cross(r, a->d), c) / l2;
    if (s <= 0 || s >= 1 || t <= 0 || t >= 1) return;
    jn_vec3 n = v3_scale((v3_dot(c, a->normal) > 0 ? 1 : -1) / sqrt(l2), c), pA = v3_axpy(s, a->d, a->a),
            pB = v3_axpy(t, b->d, b->a);
    double gap = v3_dot(n, v3_sub(pB, pA));
    if (gap > q->points.margin || gap < -q->depth || !is_between(a, n) || !is_between(b, v3_neg(n))) return;
    if (gap < 0) {
        jn_vec3 middle = v3_scale(0.5, v3_add(pA, pB));
        jn_mesh_nearest at;
        if (!jn_mesh_is_inside(q->A, middle, q->depth, &at)) return;
        if (!jn_mesh_is_inside(q->B, pose_local(&q->X, middle), q->depth, &at)) return;
    }
    jn_mesh_point x = {.pA = pA, .pB = pB, .n = n, .gap = gap, .part = JN_MESH_EDGES};
    x.feature = (((uint32_t)a->number * 2654435761u) ^ ((uint32_t)b->number * 40503u)) << 2 | 3u;
    jn_mesh_points_add(&q->points, &x);
}

static void ask_leaves(meeting *q, const jn_box_node *x, const jn_box_node *y) {
    edge of_A[12];
    int count = 0;
    for (int i = 3 * x->first; i < 3 * (x->first + x->count); i++)
        count += take_edge(q->A, NULL, q->A->order[i / 3], i % 3, &of_A[count]);
    for (int j = 3 * y->first; j < 3 * (y->first + y->count) && count; j++) {
        edge b;
        if (!take_edge(q->B, &q->X, q->B->order[j / 3], j % 3, &b)) continue;
        for (int i = 0; i < count; i++) cross_edges(q, &of_A[i], &b);
    }
}

/* Pairs of leaves that are near each other. */
static void ask_edges(meeting *q) {
    int stack[PAIRS][2], top = 0;
    stack[top][0] = 0, stack[top++][1] = 0;
    while (top) {
        const jn_box_node *x = &q->A->node[stack[--top][0]], *y = &q->B->node[stack[top][1]];
        jn_vec3 centre, half;
        place_box(y, &q->X, &centre, &half);
        if (!is_near(x, centre, half, jn_fmax(q->points.margin, 0))) continue;
        if (x->count && y->count) {
            ask_leaves(q, x, y);
            continue;
        }
        if (top + 2 > PAIRS) continue;
        jn_vec3 wide = v3_sub(x->upper, x->lower);
        bool split_A = !x->count && (y->count || v3_dot(wide, wide) > 4 * v3_dot(half, half));
        int a = (int)(x - q->A->node), b = (int)(y - q->B->node);
        stack[top][0] = split_A ? x->second : a, stack[top++][1] = split_A ? b : y->second;
        stack[top][0] = split_A ? a + 1 : a, stack[top++][1] = split_A ? b : b + 1;
    }
}

void jn_collide_meshes(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    meeting q = {.A = A->s, .B = B->s, .X = pose_in(&A->X, &B->X)};
    jn_pose back = pose_in(&B->X, &A->X);
    jn_mesh_points *p = &q.points;
    (void)cache;
    p->margin = out->margin, p->size = jn_fmin(A->s->reach, B->s->reach);
    double flat = jn_fmax(A->s->thickness, B->s->thickness); /* a level surface has no thickness of its own */
    q.depth = JN_MESHES_SEEN * jn_fmin(A->s->thickness > 0 ? A->s->thickness : flat, B->s->thickness > 0 ? B->s->thickness : flat);
    ask_corners(&q, B->s, A->s, &q.X, true);
    ask_corners(&q, A->s, B->s, &back, false);
    for (int i = 0; i < p->count && p->margin > 10 * p->size; i++) /* the distance itself is asked for */
        if (jn_fmax(0, p->list[i].gap) < p->margin) p->margin = jn_fmax(0, p->list[i].gap);
    ask_edges(&q);
    jn_mesh_points_drop_deeper_edges(p);
    jn_mesh_points_choose(p, &A->X, out);
}

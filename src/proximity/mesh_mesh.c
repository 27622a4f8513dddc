/* Two triangle meshes, or heightfields: corners of each against the surface of the other, and edges that cross.
 *
 * A corner has the signed distance to the other surface, outside by the pseudonormal of the nearest face, edge or corner [Baerentzen2005]; the normal is that
 * of the face, or the direction from the edge. Two convex edges touch where their common normal lies between the normals of both pairs of faces; those that
 * overlap count where the middle between them is inside both bodies. All of it in A's frame. */
#include "algebra/elementary.h"
#include "proximity/narrow.h"

enum { STACK = 64, PAIRS = 256, MOST = 96 };

/* A contact point before the choice. */
typedef struct candidate {
    jn_vec3 pA, pB, n;
    double gap;
    uint32_t feature;
} candidate;

typedef struct meeting {
    const jn_solid *A, *B;
    jn_pose X;     /* of B in A's frame */
    double margin; /* gaps up to it count, */
    double depth;  /* and overlaps up to it */
    double size;   /* [m] of the smaller one */
    candidate list[MOST];
    int order[MOST], count;
} meeting;

/* The nearest point of a surface to a point. */
typedef struct nearest {
    jn_vec3 p, normal; /* normal: pseudonormal there, not of unit length */
    jn_vec3 face;      /* normal of the triangle */
    double distance2;
    int triangle;
    bool border; /* it lies on an edge without a neighbour */
} nearest;

static void add(meeting *q, candidate c) {
    int at = q->count;
    if (!(c.gap <= q->margin)) return;
    if (at == MOST) {
        at = 0;
        for (int i = 1; i < MOST; i++)
            if (q->list[i].gap > q->list[at].gap) at = i;
        if (c.gap >= q->list[at].gap) return;
    } else
        q->count++;
    q->list[at] = c;
}

/* Nearest point of a triangle, and on which part of it: 0 to 2 a corner, 3 to 5 the edge behind it, 6 the face. [Ericson2004, 5.1.5] */
static jn_vec3 on_triangle(const jn_vec3 c[3], jn_vec3 p, int *part) {
    jn_vec3 ab = v3_sub(c[1], c[0]), ac = v3_sub(c[2], c[0]), ap = v3_sub(p, c[0]), bp = v3_sub(p, c[1]),
            cp = v3_sub(p, c[2]);
    double d1 = v3_dot(ab, ap), d2 = v3_dot(ac, ap), d3 = v3_dot(ab, bp), d4 = v3_dot(ac, bp), d5 = v3_dot(ab, cp),
           d6 = v3_dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) return *part = 0, c[0];
    if (d3 >= 0 && d4 <= d3) return *part = 1, c[1];
    if (d6 >= 0 && d5 <= d6) return *part = 2, c[2];
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return *part = 3, v3_axpy(d1 / (d1 - d3), ab, c[0]);
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return *part = 4, v3_axpy((d4 - d3) / ((d4 - d3) + (d5 - d6)), v3_sub(c[2], c[1]), c[1]);
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return *part = 5, v3_axpy(d2 / (d2 - d6), ac, c[0]);
    double sum = 1 / (va + vb + vc);
    return *part = 6, v3_axpy(vb * sum, ab, v3_axpy(vc * sum, ac, c[0]));
}

static double box_distance2(const jn_box_node *node, jn_vec3 p) {
    double x = jn_fmax(0, jn_fmax(node->lower.x - p.x, p.x - node->upper.x)),
           y = jn_fmax(0, jn_fmax(node->lower.y - p.y, p.y - node->upper.y)),
           z = jn_fmax(0, jn_fmax(node->lower.z - p.z, p.z - node->upper.z));
    return x * x + y * y + z * z;
}

static void ask_triangle(const jn_solid *s, int t, jn_vec3 p, nearest *best) {
    const int *k = s->triangle[t];
    const jn_vec3 c[3] = {s->vertex[k[0]], s->vertex[k[1]], s->vertex[k[2]]};
    int part;
    jn_vec3 at = on_triangle(c, p, &part), d = v3_sub(p, at), n = s->triangle_normal[t];
    double d2 = v3_dot(d, d);
    if (!(d2 < best->distance2) || v3_dot(n, n) == 0) return;
    int other = part >= 3 && part < 6 ? s->neighbour[t][part - 3] : -1;
    *best = (nearest){at, n, n, d2, t, part >= 3 && part < 6 && other < 0};
    if (part < 3) best->normal = s->vertex_normal[k[part]];
    if (other >= 0) best->normal = v3_add(n, s->triangle_normal[other]);
}

/* The nearest point of a mesh within a distance; false: there is none. O(log triangles) */
static bool find_nearest(const jn_solid *s, jn_vec3 p, double within, nearest *out) {
    int stack[STACK], top = 0;
    *out = (nearest){.distance2 = within * within, .triangle = -1};
    stack[top++] = 0;
    while (top) {
        const jn_box_node *node = &s->node[stack[--top]];
        if (box_distance2(node, p) >= out->distance2) continue;
        for (int i = node->first; i < node->first + node->count; i++) ask_triangle(s, s->order[i], p, out);
        if (node->count || top + 2 > STACK) continue;
        int first = (int)(node - s->node) + 1, second = node->second;
        bool swap = box_distance2(&s->node[second], p) < box_distance2(&s->node[first], p);
        stack[top++] = swap ? first : second, stack[top++] = swap ? second : first; /* the nearer one comes next */
    }
    return out->triangle >= 0;
}

/* ---------------------------------------------------------------------------------------------------------- corners */

/* A corner p of the one against the surface s of the other, in the frame of s: gap, normal away from s, and foot. */
static bool touch_corner(const meeting *q, const jn_solid *s, jn_vec3 p, jn_vec3 *foot, jn_vec3 *n, double *gap) {
    nearest at;
    if (!find_nearest(s, p, jn_fmax(q->margin, q->depth), &at)) return false;
    jn_vec3 d = v3_sub(p, at.p);
    double length = sqrt(at.distance2), side = v3_dot(d, at.normal) < 0 ? -1 : 1;
    bool close = length < 1e-9 * q->size;
    *n = close ? v3_unit(at.normal) : v3_scale(side / length, d);
    if (v3_dot(*n, at.face) > 1 - 1e-9) *n = at.face;
    *foot = at.p, *gap = close ? v3_dot(*n, d) : side * length;
    if (*gap < -q->depth || *gap > q->margin) return false;
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
    double more = jn_fmin(1e9, jn_fmax(q->margin, q->depth));
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
            if (of_B)
                add(q, (candidate){foot, p, n, gap, (uint32_t)v << 2 | 1u});
            else
                add(q, (candidate){pose_point(&q->X, p), pose_point(&q->X, foot), v3_neg(m3_mul_v(&q->X.R, n)), gap,
                                   (uint32_t)v << 2 | 2u});
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

/* Whether a point is inside a mesh, no deeper than the overlaps that count. */
static bool is_inside(const meeting *q, const jn_solid *s, jn_vec3 p) {
    nearest at;
    return find_nearest(s, p, q->depth, &at) && v3_dot(v3_sub(p, at.p), at.normal) < 0;
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
    if (gap > q->margin || gap < -q->depth || !is_between(a, n) || !is_between(b, v3_neg(n))) return;
    if (gap < 0) {
        jn_vec3 middle = v3_scale(0.5, v3_add(pA, pB));
        if (!is_inside(q, q->A, middle) || !is_inside(q, q->B, pose_local(&q->X, middle))) return;
    }
    add(q,
        (candidate){pA, pB, n, gap, (((uint32_t)a->number * 2654435761u) ^ ((uint32_t)b->number * 40503u)) << 2 | 3u});
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
        if (!is_near(x, centre, half, jn_fmax(q->margin, 0))) continue;
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

/* ----------------------------------------------------------------------------------------------------------- choice */

/* Edges that overlap have several normals by which they could part: where another point nearby parts by a shorter way, that one counts. */
static void drop_deeper_edges(meeting *q) {
    int kept = 0;
    for (int i = 0; i < q->count; i++) {
        const candidate *c = &q->list[i];
        bool deeper = false;
        for (int k = 0; k < q->count && c->gap < 0 && (c->feature & 3u) == 3u && !deeper; k++)
            deeper =
                q->list[k].gap < 0 && q->list[k].gap > c->gap && v3_norm(v3_sub(c->pB, q->list[k].pB)) < -20 * c->gap;
        if (!deeper) q->order[kept++] = i;
    }
    for (int i = 0; i < kept; i++) q->list[i] = q->list[q->order[i]];
    q->count = kept;
}

/* How far a candidate is from those that were chosen: in space, and by its normal; wide gaps count less. */
static double worth(const meeting *q, const candidate *c, const bool *chosen, double least) {
    double apart = INFINITY;
    for (int i = 0; i < q->count; i++)
        if (chosen[i])
            apart = jn_fmin(apart, v3_norm(v3_sub(c->pB, q->list[i].pB)) + q->size * (1 - v3_dot(c->n, q->list[i].n)));
    return apart < 1e-6 * q->size ? -INFINITY : apart - 50 * (c->gap - least); /* not the same point twice */
}

/* The deepest point, and those that are far from each other. */
static void choose(const meeting *q, const jn_pose *X, jn_manifold *out) {
    bool chosen[MOST] = {false};
    int first = 0;
    for (int i = 1; i < q->count; i++)
        if (q->list[i].gap < q->list[first].gap) first = i;
    for (int n = 0; n < JN_MANIFOLD_MAX && n < q->count; n++) {
        int best = n ? -1 : first;
        double most = -INFINITY;
        for (int i = 0; i < q->count && n; i++) {
            double w = chosen[i] ? -INFINITY : worth(q, &q->list[i], chosen, q->list[first].gap);
            if (w > most) most = w, best = i;
        }
        if (best < 0) return;
        const candidate *c = &q->list[best];
        chosen[best] = true;
        jn_manifold_add(out, pose_point(X, c->pA), pose_point(X, c->pB), m3_mul_v(&X->R, c->n), c->gap, c->feature);
    }
}

/* The pose Y seen from X. */
static jn_pose pose_in(const jn_pose *X, const jn_pose *Y) {
    return (jn_pose){pose_local(X, Y->p),
                     m3_from_columns(m3_tmul_v(&X->R, m3_column(&Y->R, 0)), m3_tmul_v(&X->R, m3_column(&Y->R, 1)),
                                     m3_tmul_v(&X->R, m3_column(&Y->R, 2)))};
}

void jn_collide_meshes(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    meeting q = {.A = A->s, .B = B->s, .margin = out->margin, .size = jn_fmin(A->s->reach, B->s->reach)};
    (void)cache;
    q.X = pose_in(&A->X, &B->X);
    q.depth = 0.2 * jn_fmin(A->s->thickness, B->s->thickness);
    jn_pose back = pose_in(&B->X, &A->X);
    ask_corners(&q, B->s, A->s, &q.X, true);
    ask_corners(&q, A->s, B->s, &back, false);
    for (int i = 0; i < q.count && q.margin > 10 * q.size; i++) /* the distance itself is asked for */
        if (jn_fmax(0, q.list[i].gap) < q.margin) q.margin = jn_fmax(0, q.list[i].gap);
    ask_edges(&q);
    drop_deeper_edges(&q);
    choose(&q, &A->X, out);
}

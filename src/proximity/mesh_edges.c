/* Convex edges of a mesh against a convex solid B. Seen along the edge, B is a convex figure and the edge a point: of the normals between those of both faces
 * that one counts along which B is furthest away, or least deep. A side of the figure is an edge or a face of B that crosses the edge of the mesh; its normal may
 * lie a little outside of those of the faces, where B lies flat on one of them. A corner of the figure may not: it is over a face then. */
#include "algebra/elementary.h"
#include "proximity/mesh_convex.h"

enum { ITERATIONS = 64, SECTORS = 8, RIM_ITERATIONS = 16, ROUND_ITERATIONS = 8 };
#define SIDE_REL 1e-13 /* of the size: a figure that reaches so far beyond a chord has a side there */
#define POINT_REL 1e-6 /* of the size: shorter chords are points of something round */
#define PARALLEL 1e-3  /* sine between a line of B and an edge that run along each other */
#define NEAR_FACE 0.95 /* cosine between the normal of edges that cross and that of a face that one borders */
#define RIM_TURN 0.5   /* [rad] further on a circle is another point next to the edge */
#define RIM_EXACT 1e-9 /* [rad] the next step of Newton's method is its square */
#define ROUND_REL 1e-4  /* of the size: chords of what is bent by less than ten thousand sizes are shorter */
#define ROUND_TURN 1e-2 /* [rad] further on the figure is bent in another way */
#define ROUND_EXACT 1e-11 /* [rad] its square is lost in rounding */
#define FLAT (1 - 0.5 * JN_MESH_LEANS * JN_MESH_LEANS)

typedef struct edge {
    jn_vec3 a, e; /* begins at a, unit direction */
    double length;
    jn_vec3 n[2];     /* normals of its faces: turning about e brings the first to the second */
    double beyond[2]; /* [m] by which it goes on below the surface, where hollows begin at its ends */
    int number;
} edge;

/* The normals from `left` to `right`, and the points of B's core furthest against them. */
typedef struct sector {
    jn_vec3 left, right, at_left, at_right;
} sector;

/* Whether an edge that goes on in the direction d at corner v is below the surface. */
static bool dips(const jn_solid *s, int v, jn_vec3 d) {
    return v3_dot(s->vertex_normal[v], d) < -JN_MESH_LEANS * v3_norm(s->vertex_normal[v]);
}

static bool take_edge(const jn_solid *s, int t, int k, double margin, edge *out) {
    int other = s->neighbour[t][k];
    jn_vec3 a = s->vertex[s->triangle[t][k]], d = v3_sub(s->vertex[s->triangle[t][(k + 1) % 3]], a),
            n = s->triangle_normal[t];
    double l = v3_norm(d);
    if ((other >= 0 && other < t) || !(l > 0)) return false; /* the other face has it */
    jn_vec3 e = v3_scale(1 / l, d), own = v3_cross(e, n);
    jn_vec3 border = v3_axpy(JN_MESH_BORDER, n, v3_scale(sqrt(1 - JN_MESH_BORDER * JN_MESH_BORDER), own));
    if (other >= 0 && v3_dot(own, s->triangle_normal[other]) < JN_MESH_ROUND) return false;
    double on = jn_fmin(margin, l);
    *out = (edge){
        .a = a, .e = e, .length = l, .n = {n, other < 0 ? border : s->triangle_normal[other]}, .number = 3 * t + k};
    out->beyond[0] = dips(s, s->triangle[t][k], v3_neg(e)) ? on : 0;
    out->beyond[1] = dips(s, s->triangle[t][(k + 1) % 3], e) ? on : 0;
    return true;
}

/* Whether the box of B, grown by the margin, misses the edge. */
static bool misses(const jn_mesh_meeting *q, const edge *x) {
    const jn_solid *s = q->B.s;
    jn_vec3 a = pose_local(&q->B.X, x->a), d = v3_scale(x->length, m3_tmul_v(&q->B.X.R, x->e));
    double from = 0, to = 1, m = jn_fmin(q->points.margin, 1e9);
    for (int k = 0; k < 3; k++) {
        double lo = v3_get(s->lower, k) - m - v3_get(a, k), hi = v3_get(s->upper, k) + m - v3_get(a, k),
               rate = v3_get(d, k);
        if (rate == 0) {
            if (lo > 0 || hi < 0) return true;
            continue;
        }
        from = jn_fmax(from, (rate > 0 ? lo : hi) / rate), to = jn_fmin(to, (rate > 0 ? hi : lo) / rate);
    }
    return from > to;
}

/* The part of a vector across the edge. */
static jn_vec3 across(const edge *x, jn_vec3 v) { return v3_axpy(-v3_dot(v, x->e), x->e, v); }

/* Turned about the edge, which is across n, by the sine s. */
static jn_vec3 turned(const edge *x, jn_vec3 n, double s) {
    return v3_axpy(s, v3_cross(x->e, n), v3_scale(sqrt(1 - s * s), n));
}

/* Whether n lies between two normals, by the sine `slack` beyond them. */
static bool is_between(const edge *x, jn_vec3 left, jn_vec3 n, jn_vec3 right, double slack) {
    return v3_dot(x->e, v3_cross(left, n)) >= -slack && v3_dot(x->e, v3_cross(n, right)) >= -slack;
}

/* The unit normal of the chord of a sector; false: there is none, the chord is a point or runs along the edge. */
static bool chord_normal(const edge *x, const sector *c, double size, jn_vec3 *n) {
    jn_vec3 m = v3_cross(v3_sub(c->at_right, c->at_left), x->e);
    double l = v3_norm(m);
    if (!(l > SIDE_REL * size)) return false;
    *n = v3_scale((v3_dot(m, v3_add(c->left, c->right)) < 0 ? -1 : 1) / l, m);
    return is_between(x, c->left, *n, c->right, 0);
}

/* [m] No normal of the sector has the figure further away, or less deep, than this. */
static double bound(const edge *x, const sector *c, double size) {
    jn_vec3 n, l = v3_sub(c->at_left, x->a), r = v3_sub(c->at_right, x->a), d = v3_sub(r, l);
    double ends = jn_fmax(v3_dot(c->left, l), v3_dot(c->right, r));
    l = v3_axpy(-v3_dot(l, x->e), x->e, l), d = v3_axpy(-v3_dot(d, x->e), x->e, d);
    bool side = chord_normal(x, c, size, &n);
    double h = side ? v3_dot(n, l) : ends, dd = v3_dot(d, d);
    if (side && !(h > 0)) return h;
    double s = dd > 0 ? jn_fmax(0, jn_fmin(1, -v3_dot(l, d) / dd)) : 0; /* nearest point of the chord */
    jn_vec3 at = v3_axpy(s, d, l);
    return is_between(x, c->left, at, c->right, 0) ? v3_norm(at) : jn_fmax(h, ends);
}

/* Narrows the sector to that of a corner (false) or a side of the figure, with its normal, where the figure is furthest away, or least deep: EPA in a
 * plane, which takes up the sector with the largest bound [Bergen2001]. */
static bool find_side(const jn_mesh_meeting *q, const edge *x, sector *c, jn_vec3 *n) {
    sector list[SECTORS];
    double most[SECTORS], size = q->points.size;
    int count = 1, best = 0;
    list[0] = *c, most[0] = INFINITY;
    for (int i = 0; i < ITERATIONS; i++) {
        *c = list[best];
        if (!chord_normal(x, c, size, n)) return false;
        jn_vec3 p = jn_core_support(&q->B, v3_neg(*n));
        if (v3_dot(*n, v3_sub(c->at_left, p)) <= SIDE_REL * size) return true;
        int at = count < SECTORS ? count++ : best;
        for (int k = 0; k < count && at == best; k++) /* full: the one with the least bound makes room */
            if (k != best && (at == best || most[k] < most[at])) at = k;
        list[best] = (sector){c->left, *n, c->at_left, p}, list[at] = (sector){*n, c->right, p, c->at_right};
        most[best] = bound(x, &list[best], size), most[at] = bound(x, &list[at], size);
        for (int k = 0; k < count; k++)
            if (most[k] > most[best]) best = k;
    }
    return false;
}

/* Whether an overlap is one: the edge passes through B. */
static bool overlaps(const jn_mesh_meeting *q, const edge *x, jn_vec3 n) {
    jn_vec3 end[2] = {x->a, v3_axpy(x->length, x->e, x->a)};
    const jn_solid line = {.type = JN_SHAPE_HULL, .vertex = end, .vertex_count = 2, .reach = x->length};
    const jn_convex own = {.s = &line, .X = {.R = m3_identity()}};
    jn_gap g;
    jn_simplex simplex;
    return !jn_gjk(&own, &q->B, n, NULL, &g, &simplex) || g.gap < q->B.s->radius;
}

static void add(jn_mesh_meeting *q, const edge *x, jn_vec3 p, jn_vec3 n, uint32_t of_body) {
    double r = q->B.s->radius, s = v3_dot(x->e, v3_sub(p, x->a)), gap = v3_dot(n, v3_sub(p, x->a)) - r;
    jn_mesh_point c = {.pA = v3_axpy(s, x->e, x->a), .n = n, .gap = gap, .part = JN_MESH_EDGES};
    if (!(s > -x->beyond[0] && s < x->length + x->beyond[1]) || gap < -q->inside) return;
    c.pB = v3_axpy(gap, n, c.pA);
    jn_mesh_nearest at;
    if ((s <= 0 || s >= x->length) && !jn_mesh_is_inside(q->A, c.pA, x->length, &at)) return;
    if (gap < -JN_MESH_DEEP * q->points.size && !overlaps(q, x, n)) return;
    c.feature = jn_mesh_feature(JN_MESH_EDGES, x->number, of_body);
    jn_mesh_points_add(&q->points, &c);
}

/* The point of a line of B, from p along d, next to the edge, and the normal of both; false: they run along each other, or that is far from n. */
static bool cross_lines(const edge *x, jn_vec3 p, jn_vec3 d, jn_vec3 *n, jn_vec3 *at) {
    jn_vec3 c = v3_cross(x->e, d);
    double l = v3_norm(c);
    if (!(l > PARALLEL * v3_norm(d))) return false;
    jn_vec3 m = v3_scale((v3_dot(c, *n) < 0 ? -1 : 1) / l, c);
    if (v3_dot(m, *n) < NEAR_FACE || !is_between(x, x->n[0], m, x->n[1], JN_MESH_LEANS)) return false;
    *n = m, *at = v3_axpy(v3_dot(v3_cross(v3_sub(x->a, p), x->e), v3_neg(c)) / (l * l), d, p);
    return true;
}

/* The point of a circle, from p on, next to the edge: p - a is across its tangent t there. Newton's method in the angle; false: the circle runs along the edge. */
static bool descend_to_edge(const edge *x, jn_vec3 centre, jn_vec3 axis, double radius, jn_vec3 *p, jn_vec3 *t) {
    jn_vec3 u = v3_sub(*p, centre);
    for (int i = 0; i < RIM_ITERATIONS; i++) {
        *t = v3_scale(1 / radius, v3_cross(axis, u));
        jn_vec3 r = across(x, v3_sub(*p, x->a)), level = across(x, *t);
        double slope = radius * v3_dot(level, level) - v3_dot(r, u) / radius, turn = -v3_dot(r, *t) / slope;
        if (!(slope > 0) || fabs(turn) > RIM_TURN) return false;
        u = v3_scale(radius, v3_unit(v3_axpy(turn * radius, *t, u))), *p = v3_add(centre, u);
        if (fabs(turn) < RIM_EXACT) return true;
    }
    return false;
}

/* Where the edge leaves a circle of B that lies on it, seen along n; true if the point `known` of B is there. */
static bool cross_rim(jn_mesh_meeting *q, const edge *x, const jn_feature *f, jn_vec3 n, jn_vec3 known) {
    double lean = v3_dot(f->normal, n), radius = v3_norm(v3_sub(f->p[0], f->centre));
    jn_vec3 d = v3_axpy(-v3_dot(f->normal, x->e) / lean, n, x->e),
            o = v3_sub(v3_axpy(-v3_dot(f->normal, v3_sub(x->a, f->centre)) / lean, n, x->a), f->centre);
    double dd = v3_dot(d, d), middle = -v3_dot(o, d) / dd, square = radius * radius - v3_dot(o, o) + middle * middle * dd;
    bool found = false;
    for (int end = 0; end < 2 && square > 0; end++) {
        double s = middle + (end ? 1 : -1) * sqrt(square / dd);
        jn_vec3 p = v3_add(f->centre, v3_axpy(s, d, o)), t, m;
        if (!descend_to_edge(x, f->centre, f->normal, radius, &p, &t)) continue;
        m = v3_cross(x->e, t);
        double l = v3_norm(m);
        if (!(l > PARALLEL)) continue;
        m = v3_scale((v3_dot(m, n) < 0 ? -1 : 1) / l, m);
        if (v3_dot(m, n) < NEAR_FACE || !is_between(x, x->n[0], m, x->n[1], JN_MESH_LEANS)) continue;
        add(q, x, p, m, end ? 0xffeu : 0xffdu);
        found = found || v3_norm(v3_sub(p, known)) < POINT_REL * q->points.size;
    }
    return found;
}

/* Of side k of a face: faces that meet there have the same name for it. */
static uint32_t side_name(const jn_feature *f, int k) {
    uint32_t v = f->id[k], w = f->id[(k + 1) % f->count];
    return 0x1000u + (v < w ? v * 65599u + w : w * 65599u + v);
}

/* Where the edge leaves a face of B that lies on it, seen along n; true if the point `known` of B is there. */
static bool cross_face(jn_mesh_meeting *q, const edge *x, const jn_feature *f, jn_vec3 n, jn_vec3 known) {
    double from = 0, to = x->length;
    int in = -1, out = -1;
    bool found = false;
    if (!jn_core_has_corners(q->B.s)) return cross_rim(q, x, f, n, known);
    for (int k = 0; k < f->count; k++) {
        jn_vec3 side = v3_cross(v3_sub(f->p[(k + 1) % f->count], f->p[k]), f->normal);
        double over = v3_dot(side, v3_sub(x->a, f->p[k])), rate = v3_dot(side, x->e);
        if (rate == 0 && over > 0) return false;
        if (rate < 0 && -over / rate > from) from = -over / rate, in = k;
        if (rate > 0 && -over / rate < to) to = -over / rate, out = k;
    }
    for (int end = 0; end < 2 && from < to; end++) {
        int k = end ? out : in;
        if (k < 0) continue;
        jn_vec3 p = v3_axpy(end ? to : from, x->e, x->a), m = n;
        bool own = cross_lines(x, f->p[k], v3_sub(f->p[(k + 1) % f->count], f->p[k]), &m, &p);
        if (!own && q->follows) continue;
        if (!own)
            p = v3_axpy(-v3_dot(f->normal, v3_sub(p, f->p[0])) / v3_dot(f->normal, n), n, p); /* on the face, along n */
        add(q, x, p, m, side_name(f, k));
        found = found || v3_norm(v3_sub(p, known)) < POINT_REL * q->points.size;
    }
    return found;
}

/* Points of B's line or face at the normal n that lie on the edge, or along it; true if the point p, of what crosses there, is one of them, or an arbitrary one. */
static bool lie_on(jn_mesh_meeting *q, const edge *x, jn_vec3 n, jn_vec3 p) {
    jn_feature f;
    jn_feature_find(&q->B, v3_neg(n), &f);
    if (f.face && f.count > 2 && -v3_dot(f.normal, n) > FLAT) {
        jn_vec3 m = v3_neg(f.normal), level = v3_axpy(-v3_dot(m, x->e), x->e, m);
        return cross_face(q, x, &f, v3_unit(level), p) || fabs(v3_dot(f.normal, x->e)) < JN_MESH_ROUND;
    }
    jn_vec3 d = f.count == 2 ? v3_sub(f.p[1], f.p[0]) : v3(0, 0, 0);
    if (f.count != 2 || v3_norm(v3_cross(d, x->e)) > PARALLEL * v3_norm(d)) return false;
    for (int k = 0; k < 2; k++) add(q, x, v3_axpy(q->B.s->radius, n, f.p[k]), n, f.id[k]);
    return true;
}

/* The point of B next to the edge on a side of the figure with the normal n. *corner: nearest is an end of it. false: the edge is in the figure, and nearer to another side of it. */
static bool find_on_side(const edge *x, const sector *c, jn_vec3 n, jn_vec3 *p, bool *corner) {
    jn_vec3 d = across(x, v3_sub(c->at_right, c->at_left)), r = v3_sub(x->a, c->at_left);
    double s = v3_dot(d, d) > 0 ? v3_dot(r, d) / v3_dot(d, d) : 0;
    *corner = s < 0 || s > 1;
    *p = s < 0 ? c->at_left : s > 1 ? c->at_right : v3_axpy(s, v3_sub(c->at_right, c->at_left), c->at_left);
    return !*corner || !(v3_dot(n, r) > 0);
}

/* The last digits of the normal at a point of something round, where the figure is furthest away, or least deep: with the support point p(n) and r = p - a across the edge,
 * the gap is g = n.r, its slope along t = e x n is t.r, and its second derivative -(rho + g). False: there is no such point here. */
static bool polish(const jn_mesh_meeting *q, const edge *x, const sector *c, jn_vec3 *n, jn_vec3 *p) {
    double turn = v3_norm(v3_sub(c->right, c->left)), wide = v3_norm(across(x, v3_sub(c->at_right, c->at_left)));
    jn_vec3 m = *n;
    for (int i = 0; i < ROUND_ITERATIONS && turn > 0; i++) {
        jn_vec3 at = jn_core_support(&q->B, v3_neg(m)), r = across(x, v3_sub(at, x->a)), t = v3_cross(x->e, m);
        double bends = wide / turn + v3_dot(m, r), step = v3_dot(t, r) / bends;
        if (!(bends > 0) || fabs(step) > ROUND_TURN) return false;
        *n = m, *p = at;
        if (fabs(step) < ROUND_EXACT) return true;
        m = v3_unit(v3_axpy(step, t, m));
    }
    return false;
}

/* Whether B is apart along the normal n at an end of a sector, and further away beyond it (`out`: along e x n or against it): then it is so all over the sector, since a gap is
 * a least of cosines of the angle, and none of them that falls from above zero rises again within half a turn. No normal of the sector is the one that counts. */
static bool rises_beyond(const edge *x, jn_vec3 n, jn_vec3 at, double radius, double out) {
    jn_vec3 r = v3_sub(at, x->a);
    return v3_dot(n, r) > radius && out * v3_dot(v3_cross(x->e, n), r) > 0;
}

void jn_mesh_ask_edge(jn_mesh_meeting *q, int t, int k, jn_vec3 p) {
    edge x;
    double size = q->points.size, most = q->points.margin + q->B.s->radius;
    if (!take_edge(q->A, t, k, q->points.margin, &x) || v3_dot(x.n[0], v3_sub(p, x.a)) > most || misses(q, &x)) return;
    if (v3_dot(x.n[1], v3_sub(jn_core_support(&q->B, v3_neg(x.n[1])), x.a)) > most) return;
    sector c = {.left = turned(&x, x.n[0], -JN_MESH_LEANS), .right = turned(&x, x.n[1], JN_MESH_LEANS)};
    c.at_left = jn_core_support(&q->B, v3_neg(c.left)), c.at_right = jn_core_support(&q->B, v3_neg(c.right));
    double radius = q->B.s->radius;
    if (rises_beyond(&x, c.left, c.at_left, radius, -1) || rises_beyond(&x, c.right, c.at_right, radius, 1)) return;
    jn_vec3 n, at = c.at_left;
    bool corner = !find_side(q, &x, &c, &n);
    double chord = v3_norm(v3_sub(c.at_right, c.at_left));
    bool round = !corner && chord < ROUND_REL * size && !jn_core_has_corners(q->B.s) && polish(q, &x, &c, &n, &at);
    bool point = corner || round || chord < POINT_REL * size;
    if (!corner && !round && !find_on_side(&x, &c, n, &at, &corner)) return;
    if (point && corner && v3_norm(across(&x, v3_sub(c.at_right, x.a))) < v3_norm(across(&x, v3_sub(at, x.a))))
        at = c.at_right;
    if (corner) { /* the direction from the edge to it, where it is outside */
        jn_vec3 r = across(&x, v3_sub(at, x.a));
        double l = v3_norm(r);
        if (!(l > 1e-12 * size)) return;
        n = v3_scale(1 / l, r);
    }
    if (!is_between(&x, x.n[0], n, x.n[1], corner || point ? JN_MESH_ROUND : JN_MESH_LEANS)) return;
    if (!lie_on(q, &x, n, at)) add(q, &x, at, n, 0xfffu);
}

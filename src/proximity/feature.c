/* Faces, edges and circles that look along a direction, and contact patches by clipping one against the other. */
#include "algebra/elementary.h"
#include "proximity/furthest.h"
#include "proximity/narrow.h"

enum { ROUND = 8 }; /* points that stand for a circle */
static const double aligned = 1 - 1e-8;
static const double parallel = 1e-6; /* [rad] between lines that lie side by side */
static const double dips = 1e-5; /* of the size: a face that reaches this far below the other one rocks on its edge */
/* Of the size: corners so far beside a face are over it. Forces and events follow a corner over an edge; steps leave edges that lie along each other apart by their residuals, and
 * where such edges cross is chance. */
static const double beside_followed = 1e-9, beside_stepped = 1e-6;
static const double inclined =
    0.9; /* cosine of the angle between a normal and a face that may come to lie on the other soon */

static void put(jn_feature *f, const jn_convex *c, jn_vec3 p_local, jn_vec3 n, uint32_t id) {
    f->id[f->count] = id;
    f->p[f->count++] = v3_axpy(c->s->radius, n, pose_point(&c->X, p_local));
}

static bool lies_flat(jn_vec3 n_local) { return !(jn_hypot(n_local.x, n_local.y) > 1e-9); }

/* The points begin at e, the direction of n = (n.a) a + s e across the axis a. With n at rest and the solid turning by w, e runs around the axis, as
 * the solid sees it, by ((n.a) e - s a).w / s. */
static void note_turn(jn_feature *f, const jn_convex *c, double z, jn_vec3 n_local) {
    double s = jn_hypot(n_local.x, n_local.y);
    f->axis = m3_column(&c->X.R, 2), f->centre = v3_axpy(z, f->axis, c->X.p);
    f->turn = v3(0, 0, 0);
    if (lies_flat(n_local)) return;
    jn_vec3 e = m3_mul_v(&c->X.R, v3(n_local.x / s, n_local.y / s, 0));
    f->turn = v3_axpy(n_local.z / s, e, v3_neg(f->axis));
}

static void put_circle(jn_feature *f, const jn_convex *c, double radius, double z, jn_vec3 n_local, jn_vec3 n) {
    note_turn(f, c, z, n_local);
    double start = lies_flat(n_local) ? 0 : jn_atan2(n_local.y, n_local.x), way = n_local.z < 0 ? -1 : 1;
    for (int k = 0; k < ROUND; k++) {
        double a = start + way * k * (2 * M_PI / ROUND);
        put(f, c, v3(radius * jn_cos(a), radius * jn_sin(a), z), n, (uint32_t)k);
    }
    f->face = c->s->radius == 0;
    f->normal = v3_scale(way, m3_column(&c->X.R, 2)), f->number = way > 0;
}

/* The same circle with points that begin at another direction, as the normal of the face that it meets; they stay where they are on the solid where
 * that is along its axis. */
static void begin_circle(const jn_convex *c, jn_vec3 n, jn_feature *f) {
    bool round = c->s->type == JN_SHAPE_CYLINDER || c->s->type == JN_SHAPE_CONE;
    if (!round || f->count != ROUND || !f->face) return;
    double z = v3_dot(f->axis, v3_sub(f->centre, c->X.p));
    f->count = 0;
    put_circle(f, c, c->s->size.x, z, m3_tmul_v(&c->X.R, n), f->normal);
}

/* The face of a polytope that looks furthest along l, in its own frame. O(faces) */
static int face_along(const jn_solid *s, jn_vec3 l) {
    return s->packed_normal.count ? jn_furthest_packed(&s->packed_normal, l)
                                  : jn_furthest_of(s->face_normal, s->face_count, l);
}

static void put_face(jn_feature *f, const jn_convex *c, int best, jn_vec3 n) {
    const jn_solid *s = c->s;
    int first = s->face_start[best], m = s->face_start[best + 1] - first,
        kept = m < JN_FEATURE_MAX ? m : JN_FEATURE_MAX;
    for (int i = 0; i < kept; i++) {
        int v = s->face_vertex[first + (int)((long)i * m / kept)];
        put(f, c, s->vertex[v], n, (uint32_t)v);
    }
    f->face = true;
    f->normal = m3_mul_v(&c->X.R, s->face_normal[best]), f->number = (uint32_t)best;
}

static void planar(jn_feature *f, const jn_convex *c, jn_vec3 l, jn_vec3 n) {
    const jn_solid *s = c->s;
    int best = 0;
    for (int i = 1; i < s->face_count; i++)
        if (v3_dot(l, s->face_normal[i]) > v3_dot(l, s->face_normal[best])) best = i;
    int next = (best + 1) % s->vertex_count;
    put(f, c, s->vertex[best], n, (uint32_t)best);
    put(f, c, s->vertex[next], n, (uint32_t)next);
    f->normal = m3_mul_v(&c->X.R, s->face_normal[best]);
}

/* known: 1 + number of the face of a polytope that looks furthest along n; 0: it is looked for. */
static void find_feature(const jn_convex *c, jn_vec3 n, int known, jn_feature *f) {
    const jn_solid *s = c->s;
    jn_vec3 l = m3_tmul_v(&c->X.R, n), a = s->size;
    bool round = s->type == JN_SHAPE_CYLINDER || s->type == JN_SHAPE_CONE || s->type == JN_SHAPE_TORUS;
    double r = round ? jn_hypot(l.x, l.y) : 0;
    jn_vec3 side = r > 0 ? v3(l.x / r, l.y / r, 0) : v3(1, 0, 0); /* of round shapes */
    f->count = 0, f->face = false, f->normal = v3(0, 0, 0), f->radius = s->radius, f->across = false;
    f->number = 0, f->centre = f->axis = f->turn = v3(0, 0, 0);
    switch (s->type) {
    case JN_SHAPE_BOX:
    case JN_SHAPE_HULL: put_face(f, c, known ? known - 1 : face_along(s, l), n); break;
    case JN_SHAPE_RECTANGLE:
    case JN_SHAPE_POLYGON:
    case JN_SHAPE_SEGMENT: planar(f, c, l, n); break;
    case JN_SHAPE_CAPSULE:
        put(f, c, v3(0, 0, -a.y), n, 0);
        put(f, c, v3(0, 0, a.y), n, 1);
        break;
    case JN_SHAPE_CYLINDER:
        if (fabs(l.z) > 0.7071) {
            put_circle(f, c, a.x, l.z > 0 ? a.y : -a.y, l, n);
        } else {
            put(f, c, v3(a.x * side.x, a.x * side.y, -a.y), n, ROUND);
            put(f, c, v3(a.x * side.x, a.x * side.y, a.y), n, ROUND + 1);
            f->radius = a.x, f->across = true;
        }
        break;
    case JN_SHAPE_CONE: {
        double slope = a.x / jn_hypot(a.x, a.y); /* z of the lateral normal */
        if (l.z < -0.5 * (1 - slope)) {
            put_circle(f, c, a.x, 0, l, n);
        } else {
            put(f, c, v3(a.x * side.x, a.x * side.y, 0), n, ROUND);
            put(f, c, v3(0, 0, a.y), n, ROUND + 1);
            note_turn(f, c, 0, l); /* its line runs around */
        }
        break;
    }
    case JN_SHAPE_TORUS:
        if (fabs(l.z) > 0.7071)
            put_circle(f, c, a.x, 0, l, n), f->face = false;
        else
            put(f, c, v3(a.x * side.x, a.x * side.y, 0), n, 0);
        break;
    default: f->p[0] = v3_axpy(s->radius, n, jn_core_support(c, n)); f->id[0] = 0, f->count = 1;
    }
}

void jn_feature_find(const jn_convex *c, jn_vec3 n, jn_feature *f) { find_feature(c, n, 0, f); }

bool jn_feature_face(const jn_convex *c, jn_vec3 n, jn_vec3 *normal, int *number) {
    const jn_solid *s = c->s;
    if (s->type == JN_SHAPE_BOX || s->type == JN_SHAPE_HULL) {
        *number = face_along(s, m3_tmul_v(&c->X.R, n)), *normal = m3_mul_v(&c->X.R, s->face_normal[*number]);
        return true;
    }
    jn_feature f;
    find_feature(c, n, 0, &f);
    *number = (int)f.number, *normal = f.normal;
    return f.face;
}

void jn_feature_turn(const jn_convex *c, const double direction[2], jn_vec3 n, jn_feature *f) {
    bool round = c->s->type == JN_SHAPE_CYLINDER || c->s->type == JN_SHAPE_CONE;
    if (!round || f->count != ROUND || !lies_flat(m3_tmul_v(&c->X.R, n))) return;
    jn_vec3 x = m3_column(&c->X.R, 0), y = m3_column(&c->X.R, 1);
    jn_vec3 axis = m3_column(&c->X.R, 2), centre = v3_axpy(v3_dot(axis, v3_sub(f->p[0], c->X.p)), axis, c->X.p);
    for (int k = 0; k < f->count; k++) {
        jn_vec3 r = v3_sub(f->p[k], centre);
        double a = v3_dot(x, r), b = v3_dot(y, r);
        f->p[k] =
            v3_axpy(direction[0] * a - direction[1] * b, x, v3_axpy(direction[1] * a + direction[0] * b, y, centre));
    }
}

/* What a clipped point is: a corner of the incident feature, an edge of it over a side of the reference, or a corner of the reference. */
typedef enum clip_kind { CLIP_CORNER, CLIP_EDGES, CLIP_REFERENCE } clip_kind;

typedef struct clipped {
    jn_vec3 p[2 * JN_FEATURE_MAX + 2];
    uint32_t id[2 * JN_FEATURE_MAX + 2];
    clip_kind kind[2 * JN_FEATURE_MAX + 2];
    int side[2 * JN_FEATURE_MAX + 2];      /* of the reference, where edges cross */
    jn_vec3 along[2 * JN_FEATURE_MAX + 2]; /* the incident edge, where edges cross */
    bool cut[2 * JN_FEATURE_MAX + 2];      /* the edge that leaves this point is one of the clipping */
    int count;
} clipped;

static void keep(clipped *c, const clipped *in, int i) {
    int k = c->count++;
    c->p[k] = in->p[i], c->id[k] = in->id[i], c->kind[k] = in->kind[i], c->side[k] = in->side[i];
    c->along[k] = in->along[i], c->cut[k] = in->cut[i];
}

/* Sutherland and Hodgman: keeps the side of the plane where m.(p - o) <= 0. Two points are an open line. */
static void clip(clipped *c, jn_vec3 o, jn_vec3 m, double tolerance, int side) {
    clipped in = *c;
    int edges = in.count == 2 ? 1 : in.count;
    c->count = 0;
    if (in.count == 1) {
        if (v3_dot(m, v3_sub(in.p[0], o)) <= tolerance) keep(c, &in, 0);
        return;
    }
    for (int i = 0; i < in.count && c->count < 2 * JN_FEATURE_MAX; i++) {
        int j = (i + 1) % in.count;
        double a = v3_dot(m, v3_sub(in.p[i], o)), b = v3_dot(m, v3_sub(in.p[j], o)), t = a / (a - b);
        bool in_a = a <= tolerance, in_b = b <= tolerance;
        if (in_a) keep(c, &in, i);
        if (i < edges && in_a != in_b && t > 0 && t < 1) {
            c->p[c->count] = v3_axpy(t, v3_sub(in.p[j], in.p[i]), in.p[i]);
            c->kind[c->count] = in.cut[i] ? CLIP_REFERENCE : CLIP_EDGES, c->side[c->count] = side;
            c->along[c->count] = v3_sub(in.p[j], in.p[i]), c->cut[c->count] = in_a || in.cut[i];
            c->id[c->count++] = (in_a ? 0x40000000u : 0x20000000u) | (uint32_t)(side + 1) << 16 | (in.id[i] & 0xffffu);
        }
    }
}

/* Distance across n between p and a corner, or an edge, of a face. */
static double corner_distance(const jn_feature *f, int k, jn_vec3 n, jn_vec3 p) {
    jn_vec3 d = v3_sub(p, f->p[k]);
    return v3_norm(v3_axpy(-v3_dot(d, n), n, d));
}

static double edge_distance(const jn_feature *f, int k, jn_vec3 n, jn_vec3 p) {
    jn_vec3 e = v3_sub(f->p[(k + 1) % f->count], f->p[k]), d = v3_sub(p, f->p[k]), m = v3_cross(e, n);
    double l = v3_norm(m);
    return l > 0 ? fabs(v3_dot(d, m)) / l : INFINITY;
}

static int nearest(const jn_feature *f, jn_vec3 n, jn_vec3 p,
                   double (*distance)(const jn_feature *, int, jn_vec3, jn_vec3), double *least) {
    int best = 0;
    *least = INFINITY;
    for (int k = 0; k < f->count; k++) {
        double d = distance(f, k, n, p);
        if (d < *least) *least = d, best = k;
    }
    return best;
}

static uint32_t edge_name(const jn_feature *f, int k) {
    uint32_t v = f->id[k], w = f->id[(k + 1) % f->count];
    return v < w ? v * 65599u + w : w * 65599u + v;
}

/* Of a face, from its corners. */
static uint32_t face_name(const jn_feature *f) {
    uint32_t sum = 0;
    for (int k = 0; k < f->count; k++) sum += (f->id[k] + 1) * 0x9E3779B1u;
    return sum >> 16 & 0x0fffu;
}

/* Two faces that lie on each other touch at corners of the one, corners of the other, and where their edges cross. A point has
 * the name of these, whichever face the gap is measured from, so that it is the same while the faces rock on each other. faces: a corner
 * has the name of the face that it meets, too. of: whose corner it can be, bit 0 for a, bit 1 for b. */
static uint32_t point_name(const jn_feature *a, const jn_feature *b, jn_vec3 n, jn_vec3 p, double size, bool faces,
                           int of) {
    double da, db;
    int ka = nearest(a, n, p, corner_distance, &da), kb = nearest(b, n, p, corner_distance, &db);
    if ((of & 1) && da <= 1e-6 * size) return 0x20000000u | a->id[ka] | (faces ? face_name(b) << 16 : 0);
    if ((of & 2) && db <= 1e-6 * size) return 0x60000000u | b->id[kb] | (faces ? face_name(a) << 16 : 0);
    ka = nearest(a, n, p, edge_distance, &da), kb = nearest(b, n, p, edge_distance, &db);
    uint32_t ea = edge_name(a, ka), eb = edge_name(b, kb);
    return 0x40000000u | ((ea * 0x9E3779B1u ^ eb * 0x85EBCA77u) >> 4);
}

/* A point on the reference face with the incident one above it, at the height h along the normal of the reference. */
typedef struct face_point {
    jn_vec3 ref, inc, n; /* n: outward from the reference */
    double gap;
} face_point;

/* Whether p lies between the ends of an edge of the feature, along it. */
static bool is_on_edge(const jn_feature *f, int k, jn_vec3 p, double tolerance) {
    jn_vec3 e = v3_sub(f->p[(k + 1) % f->count], f->p[k]);
    double l = v3_norm(e), s = v3_dot(e, v3_sub(p, f->p[k])) / l;
    return s >= -tolerance && s <= l + tolerance;
}

/* The edge of the incident feature that a clipped point lies on: points keep the name of the corner where it begins. */
static int edge_of(const jn_feature *inc, uint32_t id) {
    for (int k = 0; k < inc->count; k++)
        if (inc->id[k] == (id & 0xffffu)) return k;
    return 0;
}

/* Where a side of the reference and an edge of the other cross, the nearest points of the two lines, and where a corner of the reference is
 * under a face, the foot on that: there the rate of the gap is that of the points. Edges that run nearly along a side stay as they are. False: the
 * edges end before the points that are nearest, and do not meet there. */
static bool take_own_normal(const jn_feature *ref, const jn_feature *inc, const clipped *c, int i, double size,
                            face_point *x) {
    static const double least_angle = 0.1, near = 1e-9; /* sine; of the size */
    if (c->kind[i] == CLIP_REFERENCE && inc->face) {
        jn_vec3 n = v3_neg(inc->normal);
        x->gap *= v3_dot(n, ref->normal), x->n = n, x->inc = v3_axpy(x->gap, n, x->ref);
        return true;
    }
    if (c->kind[i] != CLIP_EDGES) return true;
    int k = c->side[i];
    jn_vec3 l = v3_unit(v3_sub(ref->p[(k + 1) % ref->count], ref->p[k])), e = v3_unit(c->along[i]), n = v3_cross(e, l);
    double sine = v3_norm(n), r = inc->count == 2 ? inc->radius : 0;
    if (!(sine > least_angle)) return true;
    n = v3_scale((v3_dot(n, ref->normal) < 0 ? -1 : 1) / sine, n);
    jn_vec3 inside = inc->across ? v3_unit(v3_axpy(-v3_dot(e, ref->normal), e, ref->normal)) : ref->normal;
    jn_vec3 axis = v3_axpy(r, inside, x->inc), d = v3_sub(axis, x->ref);
    double across = v3_dot(d, n), cosine = v3_dot(e, l), de = v3_dot(d, e), dl = v3_dot(d, l);
    double s = (dl - cosine * de) / (sine * sine); /* along l to the point next to the other line */
    x->ref = v3_axpy(s, l, x->ref), x->n = n, x->gap = across - r, x->inc = v3_axpy(x->gap, n, x->ref);
    return is_on_edge(ref, k, x->ref, near * size) && is_on_edge(inc, edge_of(inc, c->id[i]), x->inc, near * size);
}

/* What points of circles that move add to the rate of the gap: corners move with their own feature, edges that cross with both. */
static jn_vec3 couple_of(const jn_feature *ref, const jn_feature *inc, clip_kind kind, const face_point *x, jn_vec3 n) {
    const jn_vec3 nil = {0, 0, 0};
    return v3_add(kind == CLIP_CORNER ? nil : jn_feature_couple(ref, x->ref, n),
                  kind == CLIP_REFERENCE ? nil : jn_feature_couple(inc, x->inc, n));
}

static bool has_own_normals(const jn_manifold *out, bool fixed) { return out->edges || (out->rocks && fixed); }

/* Points of the incident feature within the reference face. on_B: the reference belongs to B. fixed: both are faces of
 * polyhedra, whose corners have names. */
static int clip_patch(const jn_feature *ref, const jn_feature *inc, bool on_B, bool fixed, double size,
                      jn_manifold *out) {
    clipped c;
    c.count = inc->count;
    jn_vec3 n = on_B ? v3_neg(ref->normal) : ref->normal;
    double beside = (has_own_normals(out, fixed) ? beside_followed : beside_stepped) * size;
    int before = out->count;
    for (int i = 0; i < inc->count; i++)
        c.p[i] = inc->p[i], c.id[i] = inc->id[i], c.kind[i] = CLIP_CORNER, c.cut[i] = false, c.side[i] = 0,
        c.along[i] = v3(0, 0, 0);
    for (int k = 0; k < ref->count && c.count; k++) {
        jn_vec3 e = v3_sub(ref->p[(k + 1) % ref->count], ref->p[k]);
        double l = v3_norm(e);
        if (l > 0) clip(&c, ref->p[k], v3_scale(1 / l, v3_cross(e, ref->normal)), beside, k);
    }
    double deepest = INFINITY;
    int first = 0;
    for (int i = 0; i < c.count; i++) {
        double h = v3_dot(ref->normal, v3_sub(c.p[i], ref->p[0]));
        if (h < deepest - 1e-12 * size) deepest = h, first = i;
    }
    int kept = c.count < JN_MANIFOLD_MAX ? c.count : JN_MANIFOLD_MAX;
    for (int k = 0; k < kept; k++) { /* the deepest, and the others evenly around */
        int i = (first + (int)((long)k * c.count / kept)) % c.count;
        double h = v3_dot(ref->normal, v3_sub(c.p[i], ref->p[0]));
        face_point x = {v3_axpy(-h, ref->normal, c.p[i]), c.p[i], ref->normal, h};
        bool meets = !has_own_normals(out, fixed) || take_own_normal(ref, inc, &c, i, size, &x);
        if (out->edges && !meets) continue;
        int of = !out->edges ? 3 : c.kind[i] == CLIP_EDGES ? 0 : (c.kind[i] == CLIP_CORNER) == on_B ? 1 : 2;
        uint32_t id = fixed ? point_name(on_B ? inc : ref, on_B ? ref : inc, n, c.p[i], size, out->edges, of)
                            : c.id[i] | (on_B ? 0x80000000u : 0) | (out->edges ? (ref->number & 0xffu) << 21 : 0);
        jn_vec3 m = on_B ? v3_neg(x.n) : x.n;
        jn_contact_geometry *at = jn_manifold_add(out, on_B ? x.inc : x.ref, on_B ? x.ref : x.inc, m, x.gap, id);
        if (at && out->edges) at->couple = couple_of(ref, inc, c.kind[i], &x, m);
    }
    return out->count - before;
}

static bool has_corners(jn_shape_type t) { return t == JN_SHAPE_BOX || t == JN_SHAPE_HULL; }

/* Two lines that lie side by side: the ends of their overlap. */
static bool lines_patch(const jn_feature *fa, const jn_feature *fb, const jn_gap *gap, uint32_t name,
                        jn_manifold *out) {
    jn_vec3 d = v3_sub(fa->p[1], fa->p[0]), e = v3_sub(fb->p[1], fb->p[0]);
    double l = v3_norm(d), m = v3_norm(e);
    if (!(l > 0 && m > 0) || v3_norm(v3_cross(d, e)) > parallel * l * m) return false;
    if (fabs(v3_dot(d, gap->n)) > parallel * l || fabs(v3_dot(e, gap->n)) > parallel * m) return false;
    d = v3_scale(1 / l, d);
    double s0 = v3_dot(d, v3_sub(fb->p[0], fa->p[0])), s1 = v3_dot(d, v3_sub(fb->p[1], fa->p[0]));
    double lo = jn_max(0, jn_min(s0, s1)), hi = jn_min(l, jn_max(s0, s1));
    if (!(hi - lo > 1e-9 * l)) return false;
    for (int k = 0; k < 2; k++) {
        double s = k ? hi : lo, t = (s - s0) / (s1 - s0);
        jn_vec3 a = v3_axpy(s, d, fa->p[0]), b = v3_axpy(t, e, fb->p[0]);
        double g = v3_dot(gap->n, v3_sub(b, a));
        jn_manifold_add(out, a, v3_axpy(g, gap->n, a), gap->n, g, 0x10000000u + name + (uint32_t)k);
    }
    return true;
}

/* Leaves of a face the one edge that lies highest along n: the line on which it stands. *name: of the edge. */
static bool find_edge(jn_feature *f, jn_vec3 n, uint32_t *name) {
    int found = 0, at = 0;
    double top = -INFINITY;
    for (int k = 0; k < f->count; k++) top = jn_max(top, v3_dot(n, v3_sub(f->p[k], f->p[0])));
    for (int k = 0; k < f->count; k++) {
        jn_vec3 p = f->p[k], q = f->p[(k + 1) % f->count];
        double low = top - parallel * v3_norm(v3_sub(q, p));
        if (v3_dot(n, v3_sub(p, f->p[0])) >= low && v3_dot(n, v3_sub(q, f->p[0])) >= low) at = k, found++;
    }
    if (found != 1) return false;
    uint32_t v = f->id[at], w = f->id[(at + 1) % f->count];
    jn_vec3 p = f->p[at], q = f->p[(at + 1) % f->count];
    *name = (edge_name(f, at) * 0x9E3779B1u >> 4 & 0x03fffffeu) | 0x04000000u;
    f->p[0] = v < w ? p : q, f->p[1] = v < w ? q : p, f->count = 2;
    return true;
}

/* An edge along the side of something round: its whole length meets it, which is two points and not a chance one in between. */
static bool edge_on_side(const jn_convex *A, const jn_convex *B, const jn_gap *gap, jn_manifold *out) {
    bool on_A = has_corners(A->s->type), on_B = has_corners(B->s->type);
    jn_feature fa, fb;
    uint32_t name;
    if (on_A == on_B) return false;
    jn_feature_find(A, gap->n, &fa);
    jn_feature_find(B, v3_neg(gap->n), &fb);
    jn_feature *edge = on_A ? &fa : &fb, *line = on_A ? &fb : &fa;
    if (line->count != 2 || !find_edge(edge, on_A ? gap->n : v3_neg(gap->n), &name)) return false;
    return lines_patch(&fa, &fb, gap, name, out);
}

/* The point of a patch, from the first one on, that is the point of the gap: by its name, or by its place. -1: none. */
static int point_of_gap(const jn_manifold *t, int first, const jn_gap *gap, uint32_t name, double size) {
    int best = -1;
    double least = (name ? 1e-6 : 1e-3) * size;
    for (int i = first; i < t->count; i++) {
        double d = v3_norm(v3_sub(t->out[i].pA, gap->pA));
        if (name && t->out[i].feature == name) return i;
        if (d <= least) least = d, best = i;
    }
    return best;
}

/* What is inclined to a face meets it in one point, with corners close by that the next step may bring together: points over the face, all
 * but the one where the gap is smallest. That one gets the name by which the face knows it. None is deeper than it: solids that overlap
 * come apart along its normal. fixed: as in clip_patch. */
static uint32_t inclined_patch(const jn_feature *fa, const jn_feature *fb, bool on_B, bool fixed, const jn_gap *gap,
                               double size, jn_manifold *out) {
    uint32_t name = fixed ? point_name(fa, fb, gap->n, gap->pA, size, out->edges, 3) : 0;
    int first = out->count;
    clip_patch(on_B ? fb : fa, on_B ? fa : fb, on_B, fixed, size, out);
    int same = point_of_gap(out, first, gap, name, size);
    if (same >= 0) name = name ? name : out->out[same].feature, out->out[same] = out->out[--out->count];
    if (out->count == JN_MANIFOLD_MAX) out->count--;
    double least = gap->gap + 1e-12 * size;
    for (int i = first; i < out->count && !has_own_normals(out, fixed); i++) {
        jn_contact_geometry *t = &out->out[i];
        if (t->gap >= least) continue;
        t->gap = least;
        if (on_B)
            t->pB = v3_axpy(least, t->n, t->pA);
        else
            t->pA = v3_axpy(-least, t->n, t->pB);
    }
    return name;
}

/* [m] height of the lowest corner of one face over the plane of another. */
static double lowest(const jn_feature *over, const jn_feature *face) {
    double least = INFINITY;
    for (int i = 0; i < face->count; i++) least = jn_min(least, v3_dot(over->normal, v3_sub(face->p[i], over->p[0])));
    return least;
}

/* What a patch says of the point of the gap. */
typedef enum patch_kind {
    PATCH_WITHOUT, /* of something inclined, all but that point */
    PATCH_PART, /* it may lack that point: circles stand there with some of their corners, a hull may have faces beside this one that look nearly the same way */
    PATCH_WHOLE /* faces of two boxes, whose gap along an axis is that of the lowest corner: one that is deeper hangs beside the other face */
} patch_kind;

/* name: of the point of the gap where the patch is without it. */
static patch_kind find_patch(const jn_convex *A, const jn_convex *B, const jn_gap *gap, double size, jn_manifold *out,
                             uint32_t *name) {
    jn_feature fa, fb;
    jn_vec3 back = v3_neg(gap->n);
    find_feature(A, gap->n, gap->face[0], &fa);
    find_feature(B, back, gap->face[1], &fb);
    double a = fa.face ? v3_dot(fa.normal, gap->n) : -1, b = fb.face ? v3_dot(fb.normal, back) : -1;
    bool fixed = has_corners(A->s->type) && has_corners(B->s->type) && fb.face && fa.face;
    bool on_A = a > aligned, on_B = b > aligned, flat = on_A || on_B;
    if (!flat && jn_max(a, b) > inclined) on_A = a >= b, on_B = !on_A;
    if (on_A && !has_corners(B->s->type))
        jn_feature_find(B, v3_neg(fa.normal), &fb); /* what is round has its lowest points there */
    if (on_B && !has_corners(A->s->type)) jn_feature_find(A, v3_neg(fb.normal), &fa);
    if (out->edges && on_A && !on_B) begin_circle(A, fb.face ? v3_neg(fb.normal) : fa.normal, &fa);
    if (out->edges && on_B && !on_A) begin_circle(B, fa.face ? v3_neg(fa.normal) : fb.normal, &fb);
    if (!flat && (on_A || on_B)) {
        *name = inclined_patch(&fa, &fb, on_B, fixed, gap, size, out);
        return PATCH_WITHOUT;
    }
    bool whole = A->s->type == JN_SHAPE_BOX && B->s->type == JN_SHAPE_BOX;
    bool first_B = on_B && (!on_A || (b > a && lowest(&fa, &fb) < -dips * size));
    for (int k = 0; k < 2; k++) {
        bool from_B = first_B != (k == 1);
        if ((from_B ? on_B : on_A) && clip_patch(from_B ? &fb : &fa, from_B ? &fa : &fb, from_B, fixed, size, out))
            return whole ? PATCH_WHOLE : PATCH_PART;
    }
    if (fa.count == 2 && fb.count == 2) lines_patch(&fa, &fb, gap, 0, out);
    return PATCH_PART;
}

/* A face of polygons in the plane is an edge: of the other's corners those over it. */
static void edge_patch(const jn_feature *ref, const jn_feature *inc, bool on_B, jn_manifold *out) {
    jn_vec3 d = v3_sub(ref->p[1], ref->p[0]), n = on_B ? v3_neg(ref->normal) : ref->normal;
    for (int i = 0; i < inc->count; i++) {
        double h = v3_dot(ref->normal, v3_sub(inc->p[i], ref->p[0])), s = v3_dot(d, v3_sub(inc->p[i], ref->p[0]));
        jn_vec3 q = v3_axpy(-h, ref->normal, inc->p[i]);
        if (s >= 0 && s <= v3_dot(d, d))
            jn_manifold_add(out, on_B ? inc->p[i] : q, on_B ? q : inc->p[i], n, h, 0x08000000u | inc->id[i]);
    }
}

void jn_face_patch(const jn_convex *A, const jn_convex *B, bool on_B, jn_vec3 m, jn_manifold *out) {
    const jn_convex *own = on_B ? B : A, *other = on_B ? A : B;
    double size = jn_min(A->s->reach, B->s->reach);
    jn_feature ref, inc;
    jn_feature_find(own, m, &ref);
    jn_feature_find(other, v3_neg(ref.normal), &inc);
    if (ref.face)
        clip_patch(&ref, &inc, on_B, has_corners(other->s->type) && inc.face, size, out);
    else if (ref.count == 2)
        edge_patch(&ref, &inc, on_B, out);
}

void jn_patch(const jn_convex *A, const jn_convex *B, const jn_gap *gap, jn_manifold *out) {
    double size = jn_min(A->s->reach, B->s->reach), least = INFINITY;
    uint32_t name = 0;
    patch_kind kind = find_patch(A, B, gap, size, out, &name);
    for (int i = 0; i < out->count; i++) least = jn_min(least, out->out[i].gap);
    bool missing = kind == PATCH_WITHOUT || (kind == PATCH_PART && least > gap->gap + 1e-10 * size);
    if (missing && !edge_on_side(A, B, gap, out)) jn_manifold_add(out, gap->pA, gap->pB, gap->n, gap->gap, name);
}

/* Hollows touched from inside: circle, cylinder and sphere. The material lies outside, so the normal of A points to the
 * axis or centre, and A's curvature is negative. */
#include "algebra/elementary.h"
#include "proximity/narrow.h"

typedef struct hollow {
    const jn_convex *A, *B;
    jn_manifold *out;
    jn_pair_cache *cache;
    int flat; /* number of coordinates that count for the distance: 2 (axis z) or 3 (centre) */
} hollow;

static double length(const hollow *h, jn_vec3 p) { return h->flat == 2 ? jn_hypot_safe(p.x, p.y) : v3_norm(p); }

static bool within(const hollow *h, jn_vec3 e, double z) {
    const jn_solid *s = h->A->s;
    if (s->type == JN_SHAPE_BORE) return fabs(z) <= s->size.y * (1 + 1e-12);
    if (s->type == JN_SHAPE_ARC) {
        double turn = 6.283185307179586, a = fmod(jn_atan2(e.y, e.x) - s->range[0][0], turn);
        return (a < 0 ? a + turn : a) <= s->range[0][1] - s->range[0][0];
    }
    return true;
}

/* A rounded point of B, given in A's frame. */
static void point(const hollow *h, jn_vec3 p, double r, uint32_t id) {
    double l = length(h, p), R = h->A->s->size.x;
    jn_vec3 e = h->flat == 2 ? v3(p.x, p.y, 0) : p;
    bool centred = !(l > 1e-14 * R);
    if (centred)
        e = h->cache && h->cache->known ? v3_neg(h->cache->n) : v3(1, 0, 0);
    else
        e = v3_scale(1 / l, e);
    if (!within(h, e, p.z)) return;
    if (h->cache && !centred) h->cache->n = v3_neg(e), h->cache->known = 1;
    jn_vec3 on_A = v3_add(v3_scale(R, e), v3(0, 0, h->flat == 2 ? p.z : 0)), on_B = v3_axpy(r, e, p);
    jn_manifold_add(h->out, pose_point(&h->A->X, on_A), pose_point(&h->A->X, on_B), v3_neg(m3_mul_v(&h->A->X.R, e)),
                    R - l - r, id);
}

/* Angle in the first quadrant of the point of an ellipse (semi-axes r along x, b along y, centre (x, y) with x, y >= 0)
 * that is furthest from the origin: b y cos - r x sin - (r^2 - b^2) sin cos = 0 has one root there, because
 * b y / sin - r x / cos falls. Newton within a bracket. */
static double furthest_angle(double x, double y, double r, double b, double r2_b2) {
    double low = 0, high = 1.5707963267948966, phi = jn_atan2(b * y, r * x + r2_b2);
    for (int i = 0; i < 100; i++) {
        double c = jn_cos(phi), s = jn_sin(phi), f = b * y * c - r * x * s - r2_b2 * s * c;
        if (f > 0)
            low = phi;
        else
            high = phi;
        double slope = -b * y * s - r * x * c - r2_b2 * (c * c - s * s), next = phi - f / slope;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (fabs(next - phi) < 1e-16) break;
        phi = next;
    }
    return phi;
}

/* The point of a disc's rim (centre c, unit axis a, A's frame) that is furthest from A's axis or centre. Seen along the
 * axis the rim is an ellipse, with the semi-axis `radius` along u and radius |a.z| along w. */
static jn_vec3 rim(const hollow *h, jn_vec3 c, jn_vec3 a, double radius) {
    if (h->flat == 3) {
        jn_vec3 t = v3_axpy(-v3_dot(a, c), a, c);
        double l = v3_norm(t);
        return l > 1e-14 * radius ? v3_axpy(radius / l, t, c) : v3_axpy(radius, v3_any_normal(a), c);
    }
    double s = jn_hypot_safe(a.x, a.y), e = jn_hypot_safe(c.x, c.y), b = radius * fabs(a.z);
    jn_vec3 u = s > 0 ? v3(a.y / s, -a.x / s, 0) : e > 0 ? v3(c.x / e, c.y / e, 0) : v3(1, 0, 0), v = v3_cross(a, u);
    double cu = v3_dot(c, u), cw = c.y * u.x - c.x * u.y; /* w = z x u */
    double phi = furthest_angle(fabs(cu), fabs(cw), radius, b, radius * s * radius * s);
    double along_u = copysign(radius * jn_cos(phi), cu), along_v = copysign(radius * jn_sin(phi), a.z < 0 ? -cw : cw);
    return v3_axpy(along_u, u, v3_axpy(along_v, v, c));
}

/* Any convex core: climbs to the point furthest from the axis or centre, from six sides. */
static void furthest(const hollow *h) {
    const jn_pose *X = &h->A->X;
    jn_vec3 best = v3(0, 0, 0);
    double most = -1;
    for (int k = 0; k < 2 * h->flat; k++) {
        jn_vec3 d = v3_scale(k & 1 ? -1 : 1, v3_axis(k / 2)), p = d;
        for (int it = 0; it < 200; it++) {
            jn_vec3 next = pose_local(X, jn_core_support(h->B, m3_mul_v(&X->R, d))), move = v3_sub(next, p);
            p = next, d = h->flat == 2 ? v3(p.x, p.y, 0) : p;
            if (!(length(h, d) > 0) || v3_dot(move, move) < 1e-30 * h->B->s->reach * h->B->s->reach) break;
        }
        if (length(h, p) > most) most = length(h, p), best = p;
    }
    point(h, best, h->B->s->radius, 0);
}

/* A rounded circle about B's axis a: its point that is furthest from A's axis or centre. */
static void circle(const hollow *h, jn_vec3 c, jn_vec3 a, const jn_rim *r, uint32_t id) {
    jn_vec3 p = r->z == 0 ? c : v3_axpy(r->z, a, c);
    point(h, r->radius > 0 ? rim(h, p, a, r->radius) : p, r->round, id);
}

/* An end of a rod: where it reaches beyond the bore, the bore's own edge touches the rod's side instead. There the rod
 * is taken as round about the axis of the bore: the error of the gap is of second order in the tilt. */
static void rod_end(const hollow *h, jn_vec3 c, jn_vec3 a, const jn_rim *r, uint32_t id) {
    jn_vec3 p = v3_axpy(r->z, a, c);
    double H = h->A->s->size.y;
    if (h->A->s->type == JN_SHAPE_BORE && fabs(p.z) > H && fabs(a.z) > 1e-9) {
        double t = ((p.z > 0 ? H : -H) - c.z) / a.z;
        if (fabs(t) > fabs(r->z)) return; /* all of it is outside on this side */
        jn_vec3 q = v3_axpy(t, a, c);
        q.z = p.z > 0 ? H : -H;
        point(h, q, r->radius + r->round, id + 2);
        return;
    }
    circle(h, c, a, r, id);
}

/* The two walls at the ends of a closed bore against a cylinder's end faces: the deepest point of the rim, and three
 * more at right angles, so that a face which meets the wall squarely is carried on all sides and the torque is smooth
 * in the tilt. */
static void end_walls(const hollow *h, jn_vec3 c, jn_vec3 a) {
    const jn_pose *X = &h->A->X;
    double wall = h->A->s->size.z, r = h->B->s->size.x, tilt = jn_hypot_safe(a.x, a.y);
    for (int up = 0; up < 2 && wall > 0; up++) {
        double side = up ? 1 : -1;
        jn_vec3 out = v3_scale(a.z * side < 0 ? -1 : 1, a), d = v3_any_normal(a);
        if (tilt > 0) d = v3_unit(v3_axpy(-side * a.z, a, v3(0, 0, side)));
        jn_vec3 centre = v3_axpy(h->B->s->size.y, out, c), across = v3_cross(a, d);
        for (int k = 0; k < 4; k++) {
            jn_vec3 p = v3_axpy(k & 2 ? -r : r, k & 1 ? across : d, centre);
            jn_manifold_add(h->out, pose_point(X, v3(p.x, p.y, side * wall)), pose_point(X, p),
                            v3_scale(-side, m3_column(&X->R, 2)), wall - side * p.z, (uint32_t)(4 + 4 * up + k));
        }
    }
}

/* Curvatures of a journal's edges, for Hertz's formulas and for the change of the touching point: that of an end is round
 * as the journal's side, on which its point moves when the journal turns; that of a face counts as a sphere. */
static void journal_curvatures(const hollow *h) {
    jn_vec3 axis = m3_column(&h->B->X.R, 2);
    double k = 1 / h->B->s->size.x;
    for (int i = 0; i < h->out->count; i++) {
        jn_contact_geometry *t = &h->out->out[i];
        bool face = t->feature >= 4;
        t->kB[0] = k, t->kB[1] = face ? k : 0, t->smoothB = !face;
        t->dB = face ? v3_any_normal(t->n) : v3_unit(v3_cross(axis, t->n));
    }
}

/* Corners of a polytope; of other convex solids the point that a climb finds. */
static void corners(const hollow *h) {
    const jn_solid *s = h->B->s;
    for (int i = 0; i < s->vertex_count; i++)
        point(h, pose_local(&h->A->X, pose_point(&h->B->X, s->vertex[i])), s->radius, (uint32_t)i);
    if (!s->vertex_count) furthest(h);
}

static void inside(const hollow *h) {
    const jn_convex *B = h->B;
    jn_vec3 c = pose_local(&h->A->X, B->X.p), axis = m3_column(&B->X.R, 2), a = m3_tmul_v(&h->A->X.R, axis);
    jn_rim r[2];
    double slope;
    int count = jn_core_rims(B->s, r);
    bool rod = count == 2 && jn_core_side(B->s, &slope) && slope == 0, journal = rod && r[0].round == 0;
    for (int k = 0; k < count; k++)
        if (rod)
            rod_end(h, c, a, &r[k], (uint32_t)k);
        else
            circle(h, c, a, &r[k], (uint32_t)k);
    if (journal && h->A->s->type == JN_SHAPE_BORE) end_walls(h, c, a), journal_curvatures(h);
    if (count == 0) corners(h);
}

void jn_collide_hollow(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    inside(&(hollow){A, B, out, cache, 3});
}
void jn_collide_bore(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    inside(&(hollow){A, B, out, cache, 2});
}
void jn_collide_arc(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    inside(&(hollow){A, B, out, cache, 2});
}

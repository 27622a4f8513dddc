/* Hollows touched from inside: circle, cylinder and sphere. The material lies outside, so the normal of A points to the
 * axis or centre, and A's curvature is negative. */
#include "proximity/narrow.h"

typedef struct hollow {
    const jn_convex *A, *B;
    jn_touches *out;
    jn_pair_cache *cache;
    int flat; /* number of coordinates that count for the distance: 2 (axis z) or 3 (centre) */
} hollow;

static double length(const hollow *h, jn_vec3 p) { return h->flat == 2 ? hypot(p.x, p.y) : v3_norm(p); }

static bool within(const hollow *h, jn_vec3 e, double z) {
    const jn_solid *s = h->A->s;
    if (s->type == JN_SHAPE_BORE) return fabs(z) <= s->size.y * (1 + 1e-12);
    if (s->type == JN_SHAPE_ARC) {
        double turn = 6.283185307179586, a = fmod(atan2(e.y, e.x) - s->range[0][0], turn);
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
    jn_touches_add(h->out, pose_point(&h->A->X, on_A), pose_point(&h->A->X, on_B), v3_neg(m3_mul_v(&h->A->X.R, e)),
                   R - l - r, id);
}

/* The point of a disc's rim (centre c, unit axis a, A's frame) that is furthest from A's axis or centre. */
static jn_vec3 rim(const hollow *h, jn_vec3 c, jn_vec3 a, double radius) {
    jn_vec3 p = c, best = c;
    double most = -1;
    for (int start = 0; start < 2; start++) {
        jn_vec3 d = start ? v3_neg(c) : c;
        if (length(h, c) < 1e-14 * radius) d = start ? v3_any_normal(a) : v3_cross(a, v3_any_normal(a));
        for (int it = 0; it < 100; it++) {
            if (h->flat == 2) d.z = 0;
            jn_vec3 t = v3_axpy(-v3_dot(a, d), a, d);
            double l = v3_norm(t);
            if (!(l > 0)) t = v3_any_normal(a), l = 1;
            jn_vec3 next = v3_axpy(radius / l, t, c), move = v3_sub(next, p);
            p = d = next;
            if (v3_dot(move, move) < 1e-32 * radius * radius) break;
        }
        if (length(h, p) > most) most = length(h, p), best = p;
    }
    return best;
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

/* An end of a rod: where it reaches beyond the bore, the bore's own edge touches the rod's side instead. There the rod
 * is taken as round about the axis of the bore: the error of the gap is of second order in the tilt. */
static void rod_end(const hollow *h, jn_vec3 c, jn_vec3 a, double end, bool round, uint32_t id) {
    jn_vec3 p = v3_axpy(end, a, c);
    double H = h->A->s->size.y, r = round ? h->B->s->radius : h->B->s->size.x;
    if (h->A->s->type == JN_SHAPE_BORE && fabs(p.z) > H && fabs(a.z) > 1e-9) {
        double t = ((p.z > 0 ? H : -H) - c.z) / a.z;
        if (fabs(t) > h->B->s->size.y) return; /* all of it is outside on this side */
        jn_vec3 q = v3_axpy(t, a, c);
        q.z = p.z > 0 ? H : -H;
        point(h, q, r, id + 2);
        return;
    }
    if (round)
        point(h, p, r, id);
    else
        point(h, rim(h, p, a, r), 0, id);
}

static void inside(const hollow *h) {
    const jn_convex *B = h->B;
    const jn_solid *s = B->s;
    jn_vec3 c = pose_local(&h->A->X, B->X.p), axis = m3_column(&B->X.R, 2), a = m3_tmul_v(&h->A->X.R, axis);
    switch (s->type) {
    case JN_SHAPE_SPHERE:
    case JN_SHAPE_CIRCLE: point(h, c, s->radius, 0); break;
    case JN_SHAPE_CAPSULE:
        rod_end(h, c, a, -s->size.y, true, 0);
        rod_end(h, c, a, s->size.y, true, 1);
        break;
    case JN_SHAPE_CYLINDER:
        rod_end(h, c, a, -s->size.y, false, 0);
        rod_end(h, c, a, s->size.y, false, 1);
        break;
    case JN_SHAPE_CONE:
        point(h, rim(h, c, a, s->size.x), 0, 0);
        point(h, v3_axpy(s->size.y, a, c), 0, 1);
        break;
    case JN_SHAPE_TORUS: point(h, rim(h, c, a, s->size.x), s->radius, 0); break;
    case JN_SHAPE_ELLIPSOID:
    case JN_SHAPE_SUPERELLIPSOID: furthest(h); break;
    default:
        for (int i = 0; i < s->vertex_count; i++)
            point(h, pose_local(&h->A->X, pose_point(&B->X, s->vertex[i])), s->radius, (uint32_t)i);
    }
}

void jn_touch_hollow(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_touches *out) {
    inside(&(hollow){A, B, out, cache, 3});
}
void jn_touch_bore(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_touches *out) {
    inside(&(hollow){A, B, out, cache, 2});
}
void jn_touch_arc(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_touches *out) {
    inside(&(hollow){A, B, out, cache, 2});
}

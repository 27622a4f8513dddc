/* Cables over spheres and cylinders: in the plane of the two ends and the centre, or in the cross section, a cable over a circle. */
#include "algebra/wrap.h"

#include <stddef.h>

static const double tiny = 1e-15; /* [m], [m^2] below which directions are not known, as in MuJoCo */

typedef struct flat {
    jn_dual x, y;
} flat;

static jn_dual dot(flat a, flat b) { return du_add(du_mul(a.x, b.x), du_mul(a.y, b.y)); }
static jn_dual cross(flat a, flat b) { return du_sub(du_mul(a.x, b.y), du_mul(a.y, b.x)); }
static flat minus(flat a, flat b) { return (flat){du_sub(a.x, b.x), du_sub(a.y, b.y)}; }
static flat plus(flat a, flat b) { return (flat){du_add(a.x, b.x), du_add(a.y, b.y)}; }
static flat times(jn_dual k, flat a) { return (flat){du_mul(k, a.x), du_mul(k, a.y)}; }
static jn_dual size(flat a) { return du_sqrt(dot(a, a)); }

/* Whether two straight pieces a b and c d cross. */
static bool pieces_cross(flat a, flat b, flat c, flat d) {
    flat ab = minus(b, a), cd = minus(d, c), ac = minus(c, a);
    double det = cross(ab, cd).v;
    if (fabs(det) < tiny) return false;
    double s = cross(ac, cd).v / det, t = cross(ac, ab).v / det;
    return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

/* The point of the piece a b that is nearest to the centre. */
static flat nearest(flat a, flat b, double *where) {
    flat d = minus(b, a);
    *where = -dot(d, a).v / dot(d, d).v;
    return plus(a, times(du(jn_max(0, jn_min(1, *where))), d));
}

/* ------------------------------------------------------------------------------------------------------ over a circle */

/* The tangent from p touches at (r^2 p + turn r sqrt(p.p - r^2) p_right) / p.p; turn 1: to the right of p, -1: to the left. */
static flat tangent_point(flat p, double r, double turn) {
    jn_dual pp = dot(p, p), h = du_scale(turn * r, du_sqrt(du_sub(pp, du(r * r))));
    flat right = {p.y, du_scale(-1, p.x)};
    return times(du_div(du(1), pp), plus(times(du(r * r), p), times(h, right)));
}

typedef struct arc {
    flat first, last;
    jn_dual curve;
} arc;

/* How good the way round with `turn` is: near the side, or short; ways that cross themselves are none. */
static double rate_way(const flat *end, const flat *side, double r, double turn, arc *out) {
    out->first = tangent_point(end[0], r, turn), out->last = tangent_point(end[1], r, -turn);
    if (pieces_cross(end[0], out->first, end[1], out->last)) return -INFINITY;
    flat d = minus(out->first, out->last), middle = plus(out->first, out->last);
    double length = size(middle).v;
    return side ? dot(middle, *side).v / jn_max(length, tiny) : -dot(d, d).v;
}

/* Angle from the first tangent point to the last, in the sense of the turn: 0 to 2 pi. Where the points coincide but for round-off, whose
 * root tangent points feel, the cable touches and does not turn. */
static jn_dual arc_length(const arc *a, double r, double turn) {
    jn_dual angle = du_atan2(du_scale(-turn, cross(a->first, a->last)), dot(a->first, a->last));
    if (angle.v < -1e-6) angle.v += 2 * M_PI;
    return du_scale(r, angle);
}

static bool over_circle(const flat *end, const flat *side, double r, arc *out) {
    double where;
    flat chord = minus(end[1], end[0]);
    if (dot(end[0], end[0]).v < r * r || dot(end[1], end[1]).v < r * r || r < tiny || dot(chord, chord).v < tiny)
        return false;
    flat near = nearest(end[0], end[1], &where);
    bool outside = dot(near, near).v > r * r;
    if (outside && (!side || dot(*side, near).v >= 0)) return false;
    arc right, left;
    double good = rate_way(end, side, r, 1, &right), other = rate_way(end, side, r, -1, &left);
    if (isinf(good) && isinf(other)) return false;
    *out = good > other ? right : left;
    out->curve = arc_length(out, r, good > other ? 1 : -1);
    return true;
}

/* ---------------------------------------------------------------------------------------------------- inside a circle */

/* Angle between cable and normal where the cable touches from inside, which is the same for both pieces: the root of
 *
 *     f(x) = asin(A sin x) + asin(B sin x) - 2 x + G,    0 < x < pi/2,    A, B < 1,
 *
 * whose slope is below zero. Newton's method within bounds; its last step adds the changes of A, B and G. False: the cable touches nothing. */
static bool inside_angle(jn_dual A, jn_dual B, jn_dual G, jn_dual *angle) {
    double low = 0, high = 0.5 * M_PI, x = high, slope = -2, sine = 1, cosine = 0, a = 0, b = 0;
    if (jn_asin(A.v) + jn_asin(B.v) - M_PI + G.v >= 0) return false;
    for (int i = 0; i < 60; i++) {
        sine = jn_sin(x), cosine = jn_cos(x);
        a = 1 / sqrt(1 - A.v * A.v * sine * sine), b = 1 / sqrt(1 - B.v * B.v * sine * sine);
        double f = jn_asin(A.v * sine) + jn_asin(B.v * sine) - 2 * x + G.v, next;
        slope = (A.v * a + B.v * b) * cosine - 2;
        if (f > 0)
            low = x;
        else
            high = x;
        next = slope < 0 ? x - f / slope : low;
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        bool done = !(fabs(next - x) > 4e-16 * x);
        x = next;
        if (done) break;
    }
    *angle = (jn_dual){x, -((A.d * a + B.d * b) * sine + G.d) / slope};
    return true;
}

static bool inside_circle(const flat *end, double r, arc *out) {
    jn_dual len0 = size(end[0]), len1 = size(end[1]);
    flat chord = minus(end[1], end[0]);
    double where;
    if (len0.v <= r || len1.v <= r || r < tiny) return false;
    if (dot(chord, chord).v > tiny) {
        flat near = nearest(end[0], end[1], &where);
        if (where > 0 && where < 1 && size(near).v <= r) return false;
    }
    flat middle = plus(end[0], end[1]);
    jn_dual dots = dot(end[0], end[1]), turn = cross(end[0], end[1]), A = du_div(du(r), len0), B = du_div(du(r), len1),
            x;
    bool left = turn.v > 0; /* the second end lies to the left of the first */
    double cosine = dots.v / (len0.v * len1.v);
    if (cosine < -1 + tiny) return false;
    jn_dual G = du_atan2(left ? turn : du_scale(-1, turn), dots);
    out->curve = du(0);
    if (cosine > 1 - tiny) {
        out->first = out->last = times(du_div(du(r), size(middle)), middle);
        return true;
    }
    if (!inside_angle(A, B, G, &x)) return false;
    flat from = left ? end[0] : end[1];
    jn_dual angle = du_sub(x, du_asin(du_mul(left ? A : B, du_sin(x)))), c = du_cos(angle), s = du_sin(angle);
    flat e = times(du_div(du(r), left ? len0 : len1), from);
    out->first = out->last = (flat){du_sub(du_mul(c, e.x), du_mul(s, e.y)), du_add(du_mul(s, e.x), du_mul(c, e.y))};
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- in space */

/* Axes of the plane through the centre and both ends. */
static void plane_axes(jn_dual3 p, jn_dual3 q, jn_dual3 axis[2]) {
    axis[0] = du3_unit(p);
    jn_dual3 normal = du3_cross(p, q);
    if (v3_norm(normal.v) < tiny) { /* any plane will do */
        jn_vec3 a = axis[0].v, far = v3(1, 1, 1);
        if (fabs(a.y) > fabs(a.x) && fabs(a.y) > fabs(a.z))
            far.y = 0;
        else if (fabs(a.z) > fabs(a.x) && fabs(a.z) > fabs(a.y))
            far.z = 0;
        else
            far.x = 0;
        normal = du3_cross(axis[0], (jn_dual3){far, v3(0, 0, 0)});
    }
    axis[1] = du3_unit(du3_cross(normal, axis[0]));
}

static flat project(jn_dual3 p, const jn_dual3 axis[2]) { return (flat){du3_dot(p, axis[0]), du3_dot(p, axis[1])}; }

static jn_dual3 lift(flat p, const jn_dual3 axis[2], jn_dual3 centre) {
    return du3_add(centre, du3_add(du3_scale(p.x, axis[0]), du3_scale(p.y, axis[1])));
}

/* Along the axis of a cylinder the cable climbs evenly. */
static void climb(const jn_round_body *body, jn_dual3 p, jn_dual3 q, const flat *end, const arc *a, jn_wrapping *out) {
    jn_dual before = size(minus(end[0], a->first)), after = size(minus(end[1], a->last));
    jn_dual all = du_add(before, du_add(a->curve, after)), low = du3_dot(p, body->axes[2]);
    jn_dual slope = du_div(du_sub(du3_dot(q, body->axes[2]), low), all), rise = du_mul(slope, a->curve);
    jn_dual first = du_add(low, du_mul(slope, before));
    out->first = du3_add(out->first, du3_scale(first, body->axes[2]));
    out->last = du3_add(out->last, du3_scale(du_add(first, rise), body->axes[2]));
    out->curve = du_sqrt(du_add(du_mul(a->curve, a->curve), du_mul(rise, rise)));
}

bool jn_wrap(const jn_round_body *body, jn_dual3 from, jn_dual3 to, jn_wrapping *out) {
    jn_dual3 p = du3_sub(from, body->centre), q = du3_sub(to, body->centre), axis[2];
    if (v3_norm(p.v) < tiny || v3_norm(q.v) < tiny) return false;
    if (body->is_sphere)
        plane_axes(p, q, axis);
    else
        axis[0] = body->axes[0], axis[1] = body->axes[1];
    flat end[2] = {project(p, axis), project(q, axis)}, side = {du(0), du(0)};
    jn_dual3 to_side = du3_sub(body->side, body->centre);
    bool inside = body->has_side && v3_norm(to_side.v) < body->radius;
    if (body->has_side) side = project(to_side, axis);
    arc a;
    if (!(inside ? inside_circle(end, body->radius, &a)
                 : over_circle(end, body->has_side ? &side : NULL, body->radius, &a)))
        return false;
    out->first = lift(a.first, axis, body->centre), out->last = lift(a.last, axis, body->centre);
    out->curve = a.curve;
    if (!body->is_sphere) climb(body, p, q, end, &a, out);
    return true;
}

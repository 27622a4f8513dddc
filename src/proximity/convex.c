/* Any two convex solids: distance by GJK, penetration by EPA, both polished where the cores are smooth; boxes by their axes. */
#include "algebra/elementary.h"
#include "proximity/furthest.h"

static jn_vec3 first_guess(const jn_convex *A, const jn_convex *B, const jn_pair_cache *cache) {
    if (cache && cache->known) return m3_mul_v(&A->X.R, cache->n);
    jn_vec3 d = v3_sub(B->X.p, A->X.p);
    double l = v3_norm(d);
    return l > 0 ? v3_scale(1 / l, d) : v3(0, 0, 1);
}

static double gap_along(const jn_convex *A, const jn_convex *B, jn_vec3 n, jn_vec3 *pA, jn_vec3 *pB) {
    *pA = jn_core_support(A, n), *pB = jn_core_support(B, v3_neg(n));
    return v3_dot(n, v3_sub(*pB, *pA));
}

/* A normal next to that of a face, if the face is the better one: round-off and the ends of iterations leave no trace
 * where something lies flat. The direction is along n for A's faces and against it for B's. */
static void snap(const jn_convex *A, const jn_convex *B, jn_gap *g) {
    g->face[0] = g->face[1] = 0;
    for (int side = 0; side < 2; side++) {
        const jn_convex *c = side ? B : A, *o = side ? A : B;
        int number;
        jn_vec3 normal, pA, pB;
        bool face = jn_feature_face(c, side ? v3_neg(g->n) : g->n, &normal, &number);
        jn_vec3 n = side ? v3_neg(normal) : normal;
        if (face) g->face[side] = 1 + number;
        if (!face || v3_dot(n, g->n) < 1 - 1e-6) continue;
        double h = gap_along(A, B, n, &pA, &pB);
        if (h < g->gap - 1e-9 * (A->s->reach + B->s->reach)) continue;
        g->n = n, g->gap = h, g->face[1 - side] = 0;
        if (jn_core_is_smooth(o->s->type))
            g->pA = side ? pA : v3_axpy(-h, n, pB), g->pB = side ? v3_axpy(h, n, pA) : pB;
        return;
    }
}

/* EPA, and what to do where a flat simplex misleads it: start again from one point, and take no less than GJK has found.
 * out comes with the best normal of GJK. */
static int penetrate(const jn_convex *A, const jn_convex *B, const jn_simplex *simplex, jn_gap *out, jn_vec3 *other) {
    jn_gap least = *out, again;
    double small = 1e-12 * (A->s->reach + B->s->reach);
    int count = jn_epa(A, B, simplex, out, other);
    if (out->gap >= least.gap - small) return count;
    jn_simplex one = {.count = 1, .a = {least.pA}, .b = {least.pB}, .w = {v3_sub(least.pB, least.pA)}, .weight = {1}};
    count = jn_epa(A, B, &one, &again, other);
    if (again.gap > out->gap) *out = again;
    if (out->gap < least.gap - small) *out = least;
    return count;
}

/* The last digits of a normal that is known to some: of hulls the corners near it alone take part. */
static void finish(jn_convex A, jn_convex B, bool polish, jn_gap *out) {
    jn_near_corners near[2];
    if (jn_near_find(&A, out->n, out->pA, &near[0])) A.near = &near[0];
    if (jn_near_find(&B, v3_neg(out->n), out->pB, &near[1])) B.near = &near[1];
    if (polish) jn_polish(&A, &B, out);
    snap(&A, &B, out);
}

/* jn_convex_gap with the origin at A: far from the world's, round-off would end the iterations early. */
static void find_gap(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_gap *out) {
    bool smooth = jn_core_is_smooth(A->s->type) && jn_core_is_smooth(B->s->type), done = false, exact = true;
    bool boxes = A->s->type == JN_SHAPE_BOX && B->s->type == JN_SHAPE_BOX && jn_box_gap(A, B, out);
    jn_vec3 guess = first_guess(A, B, cache);
    if (smooth && cache && cache->known) {
        /* A maximum above zero is the only one; a shallow one is that which was followed from separation. */
        out->n = v3_unit(guess);
        done = jn_common_normal(A, B, out);
        double depth = A->s->radius + B->s->radius - out->gap;
        done = done && (out->gap > 0 || depth < 0.1 * jn_fmin(A->s->thickness, B->s->thickness));
    }
    if (!done && !boxes) {
        jn_simplex simplex;
        jn_vec3 other[JN_EPA_OTHER];
        int count = jn_gjk(A, B, guess, cache, out, &simplex) ? 0 : penetrate(A, B, &simplex, out, other);
        if (smooth) exact = jn_common_normal(A, B, out);
        for (int i = 0; i < count; i++) {
            jn_gap rival = {.n = other[i]};
            bool fine = jn_common_normal(A, B, &rival);
            if (rival.gap > out->gap) *out = rival, exact = fine;
        }
    }
    if (!smooth) finish(*A, *B, !boxes, out);
    if (!smooth || !exact) { /* iterations end before the points lie on one line along n: where surfaces are flat */
        jn_vec3 middle = v3_scale(0.5, v3_add(out->pA, out->pB));
        out->pA = v3_axpy(-0.5 * out->gap, out->n, middle), out->pB = v3_axpy(0.5 * out->gap, out->n, middle);
    }
    double rA = A->s->radius, rB = B->s->radius;
    if (cache) cache->n = m3_tmul_v(&A->X.R, out->n), cache->known = 1;
    out->gap -= rA + rB;
    out->pA = v3_axpy(rA, out->n, out->pA);
    out->pB = v3_axpy(-rB, out->n, out->pB);
}

void jn_convex_gap(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_gap *out) {
    jn_convex first = *A, second = *B;
    first.X.p = v3(0, 0, 0), second.X.p = v3_sub(B->X.p, A->X.p);
    find_gap(&first, &second, cache, out);
    out->pA = v3_add(out->pA, A->X.p), out->pB = v3_add(out->pB, A->X.p);
}

/* [m] how far the box about a solid reaches along n. */
static double box_reach(const jn_convex *c, jn_vec3 n) {
    jn_vec3 l = m3_tmul_v(&c->X.R, n), lo = c->s->lower, hi = c->s->upper;
    return v3_dot(n, c->X.p) + jn_dot3(l.x, l.x > 0 ? hi.x : lo.x, l.y, l.y > 0 ? hi.y : lo.y, l.z, l.z > 0 ? hi.z : lo.z);
}

/* Whether the last normal, or the line of centres, separates two solids by more than the margin: their boxes, or two support points, decide most pairs. */
static bool are_apart(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, double margin) {
    jn_vec3 n = first_guess(A, B, cache), pA, pB;
    bool far = -box_reach(B, v3_neg(n)) - box_reach(A, n) > margin;
    if (!far && gap_along(A, B, n, &pA, &pB) - (A->s->radius + B->s->radius) <= margin) return false;
    if (cache && !cache->known) cache->n = m3_tmul_v(&A->X.R, n), cache->known = 1;
    return true;
}

void jn_collide_convex(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache, jn_manifold *out) {
    jn_gap gap;
    bool boxes = A->s->type == JN_SHAPE_BOX && B->s->type == JN_SHAPE_BOX, followed = out->edges || out->rocks;
    if (boxes && !followed && jn_boxes_meet_at_edges(A, B)) return;
    if (!jn_gjk_was_near(A, B, cache) && are_apart(A, B, cache, out->margin))
        return; /* corners that were nearest are the faster test */
    jn_convex_gap(A, B, cache, &gap);
    if (gap.gap > out->margin) {
        jn_gjk_note_beyond(A, B, cache);
        return;
    }
    if (jn_core_is_smooth(A->s->type) || jn_core_is_smooth(B->s->type))
        jn_manifold_add(out, gap.pA, gap.pB, gap.n, gap.gap, 0);
    else
        jn_patch(A, B, &gap, out);
}

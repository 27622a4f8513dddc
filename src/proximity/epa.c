/* Penetration of two convex cores: the polytope around the origin grows where it is nearest. [Bergen2001] */
#include "algebra/elementary.h"
#include "proximity/narrow.h"

enum { EPA_VERTICES = 200, EPA_FACES = 3 * EPA_VERTICES };

typedef struct epa_face {
    int v[3];
    jn_vec3 n;
    double d;
} epa_face;

typedef struct epa {
    const jn_convex *A, *B;
    jn_vec3 w[EPA_VERTICES], a[EPA_VERTICES], b[EPA_VERTICES];
    epa_face face[EPA_FACES];
    int vertices, faces;
    double scale;
} epa;

/* The furthest point of B - A along n. */
static int look(epa *e, jn_vec3 n) {
    int i = e->vertices++;
    e->a[i] = jn_core_support(e->A, v3_neg(n));
    e->b[i] = jn_core_support(e->B, n);
    e->w[i] = v3_sub(e->b[i], e->a[i]);
    return i;
}

static bool add_face(epa *e, int i, int j, int k) {
    if (e->faces >= EPA_FACES) return false;
    epa_face *f = &e->face[e->faces];
    jn_vec3 n = v3_cross(v3_sub(e->w[j], e->w[i]), v3_sub(e->w[k], e->w[i]));
    double l = v3_norm(n);
    bool sliver = !(l > 1e-20 * e->scale * e->scale); /* kept to close the surface, but never the nearest nor seen */
    *f = (epa_face){{i, j, k}, sliver ? v3(0, 0, 0) : v3_scale(1 / l, n), 0};
    f->d = sliver ? INFINITY : v3_dot(f->n, e->w[i]);
    e->faces++;
    return true;
}

/* Extends what GJK left to a tetrahedron. false: B - A is flat; *n is its normal. */
static bool tetrahedron(epa *e, const jn_simplex *s, jn_vec3 *n) {
    for (int i = 0; i < s->count; i++) e->w[i] = s->w[i], e->a[i] = s->a[i], e->b[i] = s->b[i];
    e->vertices = s->count;
    if (e->vertices == 4) { /* a flat one is no start */
        jn_vec3 a = v3_sub(e->w[1], e->w[0]), b = v3_sub(e->w[2], e->w[0]), c = v3_sub(e->w[3], e->w[0]),
                m = v3_cross(a, b);
        if (!(v3_norm(m) > 1e-12 * e->scale * e->scale))
            e->vertices = v3_norm(a) > 1e-9 * e->scale ? 2 : 1;
        else if (!(fabs(v3_dot(m, c)) > 1e-11 * e->scale * v3_norm(m)))
            e->vertices = 3;
    }
    double small = 1e-11 * e->scale;
    for (int k = 0; e->vertices == 1 && k < 6; k++) {
        jn_vec3 axis = v3_scale(k & 1 ? -1 : 1, v3_axis(k / 2));
        int i = look(e, axis);
        if (v3_norm(v3_sub(e->w[i], e->w[0])) <= small) e->vertices--;
    }
    if (e->vertices == 1) return *n = v3(0, 0, 1), false;
    if (e->vertices == 2) {
        jn_vec3 d = v3_unit(v3_sub(e->w[1], e->w[0])), t = v3_any_normal(d), u = v3_cross(d, t);
        for (int k = 0; e->vertices == 2 && k < 6; k++) {
            double c = jn_cos(k * 1.0471975511965976), q = jn_sin(k * 1.0471975511965976);
            int i = look(e, v3_add(v3_scale(c, t), v3_scale(q, u)));
            if (v3_norm(v3_cross(d, v3_sub(e->w[i], e->w[0]))) <= small) e->vertices--;
        }
        if (e->vertices == 2) return *n = t, false;
    }
    if (e->vertices == 3) {
        jn_vec3 c = v3_cross(v3_sub(e->w[1], e->w[0]), v3_sub(e->w[2], e->w[0]));
        if (!(v3_norm(c) > 0)) return *n = v3(0, 0, 1), false;
        c = v3_unit(c);
        for (int k = 0; e->vertices == 3 && k < 2; k++) {
            int i = look(e, k ? v3_neg(c) : c);
            if (fabs(v3_dot(c, v3_sub(e->w[i], e->w[0]))) <= small) e->vertices--;
        }
        if (e->vertices == 3) return *n = c, false;
    }
    return true;
}

static bool first_faces(epa *e) {
    jn_vec3 a = e->w[0];
    double volume = v3_dot(v3_cross(v3_sub(e->w[1], a), v3_sub(e->w[2], a)), v3_sub(e->w[3], a));
    if (volume > 0) { /* seen from outside, the others counter-clockwise */
        return add_face(e, 0, 2, 1) && add_face(e, 0, 1, 3) && add_face(e, 1, 2, 3) && add_face(e, 2, 0, 3);
    }
    return add_face(e, 0, 1, 2) && add_face(e, 0, 3, 1) && add_face(e, 1, 3, 2) && add_face(e, 2, 3, 0);
}

static bool adjacent(const epa_face *f, const epa_face *g) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            if (f->v[k] == g->v[(l + 1) % 3] && f->v[(k + 1) % 3] == g->v[l]) return true;
    return false;
}

/* Marks the faces that the point sees, from the first one over their edges, so that they hang together. */
static void look_around(const epa *e, int first, jn_vec3 p, bool *seen) {
    int stack[EPA_FACES], top = 0;
    for (int f = 0; f < e->faces; f++) seen[f] = false;
    seen[first] = true;
    stack[top++] = first;
    while (top) {
        const epa_face *at = &e->face[stack[--top]];
        for (int f = 0; f < e->faces; f++) {
            const epa_face *g = &e->face[f];
            if (seen[f] || !(v3_dot(g->n, p) - g->d > -1e-15 * e->scale) || !adjacent(at, g)) continue;
            seen[f] = true;
            stack[top++] = f;
        }
    }
}

/* Replaces the faces that the new point sees, the given one among them. false if that breaks down in round-off. */
static bool expand(epa *e, int first, int point) {
    int edge[3 * 64][2], edges = 0, kept = 0;
    bool seen[EPA_FACES];
    look_around(e, first, e->w[point], seen);
    for (int f = 0; f < e->faces; f++) {
        epa_face *face = &e->face[f];
        if (!seen[f]) {
            e->face[kept++] = *face;
            continue;
        }
        for (int k = 0; k < 3; k++) { /* an edge met twice is inside */
            int i = face->v[k], j = face->v[(k + 1) % 3], at = 0;
            while (at < edges && !(edge[at][0] == j && edge[at][1] == i)) at++;
            if (at < edges) {
                edges--;
                edge[at][0] = edge[edges][0], edge[at][1] = edge[edges][1];
            } else {
                if (edges == 3 * 64) return false;
                edge[edges][0] = i, edge[edges++][1] = j;
            }
        }
    }
    e->faces = kept;
    for (int i = 0; i < edges; i++)
        if (!add_face(e, edge[i][0], edge[i][1], point)) return false;
    return edges > 0;
}

/* Shares of the corners in the point of the face nearest to the origin; the smallest of them. */
static double shares(const epa *e, const epa_face *f, double out[3]) {
    jn_vec3 p = v3_scale(f->d, f->n), a = v3_sub(e->w[f->v[0]], p), b = v3_sub(e->w[f->v[1]], p),
            c = v3_sub(e->w[f->v[2]], p);
    out[0] = v3_dot(f->n, v3_cross(b, c)), out[1] = v3_dot(f->n, v3_cross(c, a)), out[2] = v3_dot(f->n, v3_cross(a, b));
    double sum = out[0] + out[1] + out[2];
    for (int k = 0; k < 3; k++) out[k] /= sum;
    return jn_min(out[0], jn_min(out[1], out[2]));
}

/* Of the faces that lie in the plane of the nearest, or almost, the one that holds the nearest point. */
static void finish(const epa *e, const epa_face *best, double depth, jn_gap *out) {
    double share[3], inside = shares(e, best, share), other[3], sum = 0;
    const epa_face *hold = best;
    for (int f = 0; f < e->faces && inside < -1e-9; f++) {
        const epa_face *g = &e->face[f];
        if (g->d - best->d > 1e-9 * e->scale || v3_dot(g->n, best->n) < 0.999) continue;
        double x = shares(e, g, other);
        if (x > inside) inside = x, hold = g;
    }
    shares(e, hold, share);
    for (int k = 0; k < 3; k++) sum += share[k] = jn_max(share[k], 0);
    out->n = v3_neg(best->n);
    out->gap = -depth;
    jn_vec3 middle = v3(0, 0, 0); /* of the two points, which lie on one line along n */
    for (int k = 0; k < 3; k++)
        middle = v3_axpy(0.5 * share[k] / sum, v3_add(e->a[hold->v[k]], e->b[hold->v[k]]), middle);
    out->pA = v3_axpy(-0.5 * out->gap, out->n, middle);
    out->pB = v3_axpy(0.5 * out->gap, out->n, middle);
}

/* Normals of faces almost as near as the nearest, well apart from each other. */
static int rivals(const epa *e, const jn_gap *best, double tolerance, jn_vec3 *other) {
    int count = 0;
    for (int f = 0; f < e->faces && count < JN_EPA_OTHER; f++) {
        jn_vec3 n = v3_neg(e->face[f].n);
        bool is_new = e->face[f].d <= tolerance - best->gap && v3_dot(n, best->n) < 0.999;
        for (int i = 0; i < count; i++) is_new = is_new && v3_dot(n, other[i]) < 0.999;
        if (is_new) other[count++] = n;
    }
    return count;
}

int jn_epa(const jn_convex *A, const jn_convex *B, const jn_simplex *simplex, jn_gap *out, jn_vec3 *other) {
    epa e; /* large, and written as it grows */
    e.A = A, e.B = B, e.scale = A->s->reach + B->s->reach, e.vertices = e.faces = 0;
    jn_vec3 flat = v3(0, 0, 1);
    *out = (jn_gap){.n = flat, .pA = simplex->a[0], .pB = simplex->b[0]};
    if (!tetrahedron(&e, simplex, &flat) || !first_faces(&e)) {
        out->n = flat;
        for (int i = 0; i < simplex->count && simplex->count < 4; i++) {
            if (i == 0) out->pA = out->pB = v3(0, 0, 0);
            out->pA = v3_axpy(simplex->weight[i], simplex->a[i], out->pA);
            out->pB = v3_axpy(simplex->weight[i], simplex->b[i], out->pB);
        }
        return 0;
    }
    bool smooth = jn_core_is_smooth(A->s->type) && jn_core_is_smooth(B->s->type);
    double tolerance = (smooth ? 1e-6 : 4e-12) * e.scale; /* smooth cores are polished by Newton's method */
    /* The plane through the furthest point along a face's normal bounds the depth from above, the nearest face from
     * below; when the second falls, round-off has broken the polytope, and the best bound so far is the result. */
    double bound = INFINITY, below = -INFINITY;
    for (;;) {
        int nearest = 0;
        for (int f = 1; f < e.faces; f++)
            if (e.face[f].d < e.face[nearest].d) nearest = f;
        epa_face best = e.face[nearest];
        int i = e.vertices < EPA_VERTICES ? look(&e, best.n) : -1;
        double h = i < 0 ? best.d : v3_dot(best.n, e.w[i]);
        if (best.d < below - 1e-10 * e.scale) break;
        if (h <= bound) bound = h, finish(&e, &best, h, out);
        below = jn_max(below, best.d);
        if (i < 0 || bound - best.d <= tolerance || !expand(&e, nearest, i)) break;
    }
    return smooth ? rivals(&e, out, 10 * tolerance, other) : 0;
}

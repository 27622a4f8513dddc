/* Distance of two convex cores. [Gilbert1988], with the sub-simplices by regions as in [Ericson2004, ch. 5]. */
#include "proximity/narrow.h"

enum { GJK_MOST = 100 };

static void keep(jn_simplex *s, const int *index, const double *weight, int count) {
    jn_simplex t = {.count = count};
    for (int i = 0; i < count; i++) {
        t.w[i] = s->w[index[i]], t.a[i] = s->a[index[i]], t.b[i] = s->b[index[i]], t.weight[i] = weight[i];
        for (int k = 0; k < 2; k++) t.corner[i][k] = s->corner[index[i]][k];
    }
    *s = t;
}

static jn_vec3 nearest_segment(const jn_vec3 *w, int i, int j, int *index, double *weight, int *count) {
    jn_vec3 d = v3_sub(w[j], w[i]);
    double l = v3_dot(d, d), t = l > 0 ? -v3_dot(w[i], d) / l : 0;
    if (t <= 0) return index[0] = i, weight[0] = 1, *count = 1, w[i];
    if (t >= 1) return index[0] = j, weight[0] = 1, *count = 1, w[j];
    index[0] = i, index[1] = j, weight[0] = 1 - t, weight[1] = t, *count = 2;
    return v3_axpy(t, d, w[i]);
}

/* Nearest point of a triangle to the origin. */
static jn_vec3 nearest_triangle(const jn_vec3 *w, int i, int j, int k, int *index, double *weight, int *count) {
    jn_vec3 ab = v3_sub(w[j], w[i]), ac = v3_sub(w[k], w[i]), n = v3_cross(ab, ac);
    double area = v3_dot(n, n);
    if (area > 0) {
        double u = v3_dot(n, v3_cross(w[j], w[k])), v = v3_dot(n, v3_cross(w[k], w[i])),
               t = v3_dot(n, v3_cross(w[i], w[j]));
        if (u > 0 && v > 0 && t > 0) {
            double sum = u + v + t;
            index[0] = i, index[1] = j, index[2] = k, *count = 3;
            weight[0] = u / sum, weight[1] = v / sum, weight[2] = t / sum;
            return v3_scale(v3_dot(n, w[i]) / area, n);
        }
    }
    static const int side[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    int at[3] = {i, j, k};
    jn_vec3 best = w[i];
    double least = INFINITY;
    for (int e = 0; e < 3; e++) {
        int id[2], c;
        double wt[2];
        jn_vec3 p = nearest_segment(w, at[side[e][0]], at[side[e][1]], id, wt, &c);
        if (v3_dot(p, p) < least) {
            least = v3_dot(p, p), best = p, *count = c;
            for (int m = 0; m < c; m++) index[m] = id[m], weight[m] = wt[m];
        }
    }
    return best;
}

/* Nearest point of the tetrahedron; count 4 if the origin is inside. */
static jn_vec3 nearest_tetrahedron(const jn_vec3 *w, int *index, double *weight, int *count) {
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    jn_vec3 best = v3(0, 0, 0);
    double least = INFINITY;
    for (int f = 0; f < 4; f++) {
        jn_vec3 a = w[face[f][0]], n = v3_cross(v3_sub(w[face[f][1]], a), v3_sub(w[face[f][2]], a));
        double inner = v3_dot(n, v3_sub(w[face[f][3]], a)), origin = -v3_dot(n, a),
               size = v3_norm(v3_sub(w[face[f][3]], a));
        if (fabs(inner) <= 1e-12 * v3_norm(n) * size) inner = 0; /* flat: no inner side */
        if (inner != 0 && inner * origin > 0) continue;          /* the origin lies on the inner side */
        int id[3], c;
        double wt[3];
        jn_vec3 p = nearest_triangle(w, face[f][0], face[f][1], face[f][2], id, wt, &c);
        if (v3_dot(p, p) < least) {
            least = v3_dot(p, p), best = p, *count = c;
            for (int m = 0; m < c; m++) index[m] = id[m], weight[m] = wt[m];
        }
    }
    if (least == INFINITY) *count = 4;
    return best;
}

static jn_vec3 reduce(jn_simplex *s) {
    int index[4] = {0, 1, 2, 3}, count = 1;
    double weight[4] = {1, 0, 0, 0};
    jn_vec3 v;
    switch (s->count) {
    case 1: return s->weight[0] = 1, s->w[0];
    case 2: v = nearest_segment(s->w, 0, 1, index, weight, &count); break;
    case 3: v = nearest_triangle(s->w, 0, 1, 2, index, weight, &count); break;
    default: v = nearest_tetrahedron(s->w, index, weight, &count); break;
    }
    if (count < 4) keep(s, index, weight, count);
    return v;
}

static bool known(const jn_simplex *s, jn_vec3 w, double scale) {
    for (int i = 0; i < s->count; i++) {
        jn_vec3 d = v3_sub(s->w[i], w);
        if (v3_dot(d, d) <= 1e-30 * scale * scale) return true;
    }
    return false;
}

/* Adds the points of both cores that are furthest along v and against it, unless they are there: returns their difference. */
static jn_vec3 furthest(const jn_convex *A, const jn_convex *B, jn_vec3 v, bool corners, jn_simplex *s) {
    int at = s->count;
    jn_vec3 back = v3_neg(v);
    if (corners) {
        int *own = s->corner[at];
        own[0] = jn_core_corner(A, v), own[1] = jn_core_corner(B, back);
        s->a[at] = jn_core_corner_at(A, own[0]), s->b[at] = jn_core_corner_at(B, own[1]);
    } else {
        s->a[at] = jn_core_support(A, v), s->b[at] = jn_core_support(B, back);
    }
    return s->w[at] = v3_sub(s->b[at], s->a[at]);
}

/* Corners of two polytopes that have the nearest points between them, as jn_pair_cache.u keeps them: all bits zero, none are known. */
typedef struct nearest_corners {
    uint16_t count, of[2][3]; /* of A and of B */
    uint16_t beyond;          /* they were beyond the margin */
} nearest_corners;
_Static_assert(sizeof(nearest_corners) <= sizeof((jn_pair_cache *)0)->u, "a cache has room for them");
enum { CORNERS_KEPT = 0x7ff0 }; /* numbers below it: larger ones could have the bits of a double that is not finite */

/* Whether they are corners of these two: a cache may come from elsewhere. */
static bool are_corners(const nearest_corners *last, const jn_convex *A, const jn_convex *B) {
    for (int i = 0; i < last->count; i++)
        if (i == 3 || last->of[0][i] >= A->s->vertex_count || last->of[1][i] >= B->s->vertex_count) return false;
    return last->count > 0;
}

/* The corners that were nearest last time, and v, the point between them next to the origin. False: there are none, or they enclose it. */
static bool begin(const jn_convex *A, const jn_convex *B, const jn_pair_cache *cache, double scale, jn_simplex *s,
                  jn_vec3 *v) {
    nearest_corners last;
    memcpy(&last, cache->u, sizeof last);
    if (!are_corners(&last, A, B)) return false;
    for (s->count = 0; s->count < last.count; s->count++) {
        int at = s->count, *own = s->corner[at];
        own[0] = last.of[0][at], own[1] = last.of[1][at];
        s->a[at] = jn_core_corner_at(A, own[0]), s->b[at] = jn_core_corner_at(B, own[1]);
        s->w[at] = v3_sub(s->b[at], s->a[at]);
    }
    jn_vec3 next = reduce(s);
    bool apart = v3_dot(next, next) > 1e-20 * scale * scale;
    if (apart)
        *v = next;
    else
        s->count = 0;
    return apart;
}

/* s: NULL, there are none. */
static void remember(const jn_simplex *s, jn_pair_cache *cache) {
    nearest_corners now = {.count = (uint16_t)(s ? s->count : 0)};
    bool fine = true;
    for (int i = 0; i < now.count; i++)
        for (int k = 0; k < 2; k++) {
            now.of[k][i] = (uint16_t)s->corner[i][k];
            fine &= s->corner[i][k] < CORNERS_KEPT;
        }
    if (!fine) now = (nearest_corners){0};
    memcpy(cache->u, &now, sizeof now);
}

static bool have_corners(const jn_convex *A, const jn_convex *B) {
    return jn_core_has_corners(A->s) && jn_core_has_corners(B->s);
}

bool jn_gjk_was_near(const jn_convex *A, const jn_convex *B, const jn_pair_cache *cache) {
    nearest_corners last = {0};
    if (cache && have_corners(A, B)) memcpy(&last, cache->u, sizeof last);
    return last.count > 0 && !last.beyond;
}

void jn_gjk_note_beyond(const jn_convex *A, const jn_convex *B, jn_pair_cache *cache) {
    nearest_corners last;
    if (!cache || !have_corners(A, B)) return;
    memcpy(&last, cache->u, sizeof last);
    last.beyond = 1;
    memcpy(cache->u, &last, sizeof last);
}

bool jn_gjk(const jn_convex *A, const jn_convex *B, jn_vec3 guess, jn_pair_cache *cache, jn_gap *out,
            jn_simplex *simplex) {
    double scale = jn_min(A->s->reach, 1e300) + jn_min(B->s->reach, 1e300) + 1e-300;
    bool corners = cache && have_corners(A, B);
    jn_simplex s = {.count = 0};
    jn_vec3 v = guess;
    double previous = INFINITY;
    *out = (jn_gap){.n = guess, .gap = -INFINITY};
    if (corners && begin(A, B, cache, scale, &s, &v)) previous = v3_dot(v, v);
    if (corners) remember(NULL, cache);
    for (int it = 0; it < GJK_MOST; it++) {
        jn_vec3 w = furthest(A, B, v, corners, &s), a = s.a[s.count], b = s.b[s.count];
        double vv = v3_dot(v, v), bound = v3_dot(v, w) / sqrt(vv);
        if (bound > out->gap) *out = (jn_gap){.n = v3_scale(1 / sqrt(vv), v), .pA = a, .pB = b, .gap = bound};
        if (s.count && (vv - v3_dot(v, w) <= 1e-15 * vv || known(&s, w, scale))) break;
        jn_simplex before = s;
        s.count++;
        jn_vec3 next = reduce(&s);
        double nn = v3_dot(next, next);
        if (s.count == 4 || nn <= 1e-20 * scale * scale) return *simplex = s, false;
        if (before.count && nn >= previous) { /* round-off: no further progress */
            s = before;
            break;
        }
        v = next, previous = nn;
    }
    out->pA = out->pB = v3(0, 0, 0);
    for (int i = 0; i < s.count; i++)
        out->pA = v3_axpy(s.weight[i], s.a[i], out->pA), out->pB = v3_axpy(s.weight[i], s.b[i], out->pB);
    out->gap = v3_norm(v);
    out->n = v3_scale(1 / out->gap, v);
    if (corners) remember(&s, cache);
    *simplex = s;
    return true;
}

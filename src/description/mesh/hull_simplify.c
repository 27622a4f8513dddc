/* Hulls with fewer corners. */
#include "algebra/elementary.h"
#include "description/mesh/hull.h"

#include "algebra/vec3.h"
#include "base/memory.h"

#include <string.h>

enum { MOST_ROUNDS = 60 };

typedef struct selection {
    const jn_vec3 *from; /* (all) points */
    int all;
    char *taken;    /* (all) */
    int *index;     /* (all) of those that are taken */
    jn_vec3 *point; /* (all) those that are taken, in their order */
    int *best;      /* (faces) farthest point above each face of the present hull, -1: none */
    double *height; /* (faces) and how far */
    double *plane[6]; /* (faces) of the present hull: x, y, z of the normal, and of a corner */
    int *left;        /* (all) those that may be above a face: hulls grow, and what is inside stays there */
    int left_count;
    int count;
} selection;

enum { ARRAYS = 7, AT_ONCE = 8 }; /* of numbers, one per face; faces at a time: the last ones are followed by planes that nothing is above */

/* Points that lie farthest along the sides, edges and corners of a cube. */
static void take_extremes(selection *s) {
    for (int k = 0; k < 27; k++) {
        int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1, far = 0;
        jn_vec3 d = v3(x, y, z);
        double most = v3_dot(d, s->from[0]);
        for (int i = 1; i < s->all; i++) {
            double own = v3_dot(d, s->from[i]);
            if (own > most) most = own, far = i;
        }
        if (k != 13) s->taken[far] = 1;
    }
}

static int build_taken(selection *s, jn_hull *out, char reason[JN_HULL_REASON]) {
    s->count = 0;
    for (int i = 0; i < s->all; i++)
        if (s->taken[i]) s->index[s->count] = i, s->point[s->count++] = s->from[i];
    return jn_hull_build(s->point, s->count, out, reason);
}

static void take_planes(selection *s, const jn_hull *now) {
    for (int f = 0; f < now->face_count; f++) {
        jn_vec3 n = now->face_normal[f], a = now->corner[now->face_corner[now->face_start[f]]];
        const double own[6] = {n.x, n.y, n.z, a.x, a.y, a.z};
        for (int k = 0; k < 6; k++) s->plane[k][f] = own[k];
    }
    for (int f = now->face_count; f % AT_ONCE; f++)
        for (int k = 0; k < 6; k++) s->plane[k][f] = 0;
}

/* The face that a point is highest above, by more than *most, which becomes that height; -1: none. Eight faces at a time: few have one that is higher than those before. */
static int highest_above(const selection *s, int faces, jn_vec3 p, double *most) {
    double highest = *most;
    int face = -1;
    for (int first = 0; first < faces; first += AT_ONCE) {
        double above[AT_ONCE];
        int any = 0;
        for (int k = 0; k < AT_ONCE; k++) {
            int f = first + k;
            above[k] = jn_dot3(s->plane[0][f], p.x - s->plane[3][f], s->plane[1][f], p.y - s->plane[4][f], s->plane[2][f], p.z - s->plane[5][f]);
        }
        for (int k = 0; k < AT_ONCE; k++) any |= above[k] > highest;
        for (int k = 0; any && k < AT_ONCE; k++)
            if (above[k] > highest) highest = above[k], face = first + k;
    }
    *most = highest;
    return face;
}

/* Takes, for each face, the farthest point above it; false if none is above by more than the tolerance. */
static bool take_outside(selection *s, const jn_hull *now, double tolerance) {
    bool any = false;
    take_planes(s, now);
    for (int f = 0; f < now->face_count; f++) s->best[f] = -1, s->height[f] = tolerance;
    int looked_at = s->left_count;
    s->left_count = 0;
    for (int k = 0; k < looked_at; k++) {
        double most = 0;
        int i = s->left[k], face = s->taken[i] ? -1 : highest_above(s, now->face_count, s->from[i], &most);
        if (face < 0) continue;
        s->left[s->left_count++] = i;
        if (most > s->height[face]) s->best[face] = i, s->height[face] = most;
    }
    for (int f = 0; f < now->face_count; f++)
        if (s->best[f] >= 0) s->taken[s->best[f]] = 1, any = true;
    return any;
}

/* [m] longest side of the box around the points. */
static double size_of(const jn_vec3 *p, int count) {
    jn_vec3 lo = p[0], hi = lo;
    for (int i = 1; i < count; i++) {
        lo = v3(jn_fmin(lo.x, p[i].x), jn_fmin(lo.y, p[i].y), jn_fmin(lo.z, p[i].z));
        hi = v3(jn_fmax(hi.x, p[i].x), jn_fmax(hi.y, p[i].y), jn_fmax(hi.z, p[i].z));
    }
    return jn_fmax(hi.x - lo.x, jn_fmax(hi.y - lo.y, hi.z - lo.z));
}

/* The hull of the extremes; where they lie in a plane the hull is thin, and all points count. */
static int begin(selection *s, jn_hull *now, char reason[JN_HULL_REASON]) {
    for (int i = 0; i < s->all; i++) s->left[i] = i;
    s->left_count = s->all;
    memset(s->taken, 0, (size_t)s->all);
    take_extremes(s);
    int status = build_taken(s, now, reason);
    if (status != JN_ERR_MODEL) return status;
    memset(s->taken, 1, (size_t)s->all);
    return build_taken(s, now, reason);
}

int jn_hull_build_simple(const jn_vec3 *point, int count, double part, jn_hull *hull, char reason[JN_HULL_REASON]) {
    for (int i = 0; i < count; i++)
        if (!isfinite(point[i].x + point[i].y + point[i].z))
            return jn_hull_build(point, count, hull, reason); /* says so */
    if (count < 4 || !(part > 0)) return jn_hull_build(point, count, hull, reason);
    size_t n = (size_t)count, faces = 2 * n + AT_ONCE; /* of any hull of the points */
    selection s = {.from = point,
                   .all = count,
                   .taken = jn_malloc(n),
                   .index = jn_malloc(n * sizeof *s.index),
                   .point = jn_malloc(n * sizeof *s.point),
                   .best = jn_malloc(faces * sizeof *s.best),
                   .left = jn_malloc(n * sizeof *s.left),
                   .height = jn_malloc(ARRAYS * faces * sizeof *s.height)};
    double tolerance = part * size_of(point, count);
    *hull = (jn_hull){0};
    int status = s.taken && s.index && s.point && s.best && s.left && s.height ? JN_OK : JN_ERR_MEMORY;
    for (int k = 0; k < 6 && !status; k++) s.plane[k] = s.height + (size_t)(k + 1) * faces;
    if (!status) status = begin(&s, hull, reason);
    for (int k = 0; !status && k < MOST_ROUNDS && take_outside(&s, hull, tolerance); k++) {
        jn_hull_free(hull);
        status = build_taken(&s, hull, reason);
    }
    for (int i = 0; !status && i < hull->corner_count; i++) hull->point[i] = s.index[hull->point[i]];
    if (status) jn_hull_free(hull);
    jn_free(s.taken);
    jn_free(s.index);
    jn_free(s.point);
    jn_free(s.best);
    jn_free(s.left);
    jn_free(s.height);
    return status;
}

/* Hulls with fewer corners. */
#include "algebra/elementary.h"
#include "description/mesh/hull.h"

#include "algebra/vec3.h"
#include "base/memory.h"

#include <string.h>

enum { MOST_ROUNDS = 60 };

typedef struct selection {
    const jn_hull *from;
    char *taken;    /* (corners) */
    jn_vec3 *point; /* (corners) those that are taken, in their order */
    int *best;      /* (faces) farthest corner above each face of the present hull, -1: none */
    double *height; /* (faces) and how far */
    double *plane[6]; /* (faces) of the present hull: x, y, z of the normal, and of a corner */
    int count;
} selection;

enum { ARRAYS = 7, AT_ONCE = 8 }; /* of numbers, one per face; faces at a time: the last ones are followed by planes that nothing is above */

/* Corners that lie farthest along the sides, edges and corners of a cube. */
static void take_extremes(selection *s) {
    const jn_hull *h = s->from;
    for (int k = 0; k < 27; k++) {
        int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1, far = 0;
        jn_vec3 d = v3(x, y, z);
        for (int i = 1; i < h->corner_count; i++)
            if (v3_dot(d, h->corner[i]) > v3_dot(d, h->corner[far])) far = i;
        if (k != 13) s->taken[far] = 1;
    }
}

static int build_taken(selection *s, jn_hull *out, char reason[JN_HULL_REASON]) {
    s->count = 0;
    for (int i = 0; i < s->from->corner_count; i++)
        if (s->taken[i]) s->point[s->count++] = s->from->corner[i];
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

/* Takes, for each face, the farthest corner above it; false if none is above by more than the tolerance. */
static bool take_outside(selection *s, const jn_hull *now, double tolerance) {
    const jn_hull *h = s->from;
    bool any = false;
    take_planes(s, now);
    for (int f = 0; f < now->face_count; f++) s->best[f] = -1, s->height[f] = tolerance;
    for (int i = 0; i < h->corner_count; i++) {
        double most = tolerance;
        int face = s->taken[i] ? -1 : highest_above(s, now->face_count, h->corner[i], &most);
        if (face >= 0 && most > s->height[face]) s->best[face] = i, s->height[face] = most;
    }
    for (int f = 0; f < now->face_count; f++)
        if (s->best[f] >= 0) s->taken[s->best[f]] = 1, any = true;
    return any;
}

/* [m] longest side of the box around the corners. */
static double size_of(const jn_hull *h) {
    jn_vec3 lo = h->corner[0], hi = lo;
    for (int i = 1; i < h->corner_count; i++) {
        jn_vec3 p = h->corner[i];
        lo = v3(jn_fmin(lo.x, p.x), jn_fmin(lo.y, p.y), jn_fmin(lo.z, p.z));
        hi = v3(jn_fmax(hi.x, p.x), jn_fmax(hi.y, p.y), jn_fmax(hi.z, p.z));
    }
    return jn_fmax(hi.x - lo.x, jn_fmax(hi.y - lo.y, hi.z - lo.z));
}

int jn_hull_simplify(jn_hull *h, double part, char reason[JN_HULL_REASON]) {
    size_t n = (size_t)h->corner_count, faces = 2 * n + AT_ONCE; /* of any hull of its corners */
    selection s = {.from = h,
                   .taken = jn_malloc(n),
                   .point = jn_malloc(n * sizeof *s.point),
                   .best = jn_malloc(faces * sizeof *s.best),
                   .height = jn_malloc(ARRAYS * faces * sizeof *s.height)};
    double tolerance = part * size_of(h);
    jn_hull now = {0};
    int status = s.taken && s.point && s.best && s.height ? JN_OK : JN_ERR_MEMORY;
    if (!status) {
        for (int k = 0; k < 6; k++) s.plane[k] = s.height + (size_t)(k + 1) * faces;
        memset(s.taken, 0, n);
        take_extremes(&s);
        status = build_taken(&s, &now, reason);
        if (status == JN_ERR_MODEL) { /* they lie in a plane: the hull is thin, and is kept */
            memset(s.taken, 1, n);
            status = build_taken(&s, &now, reason);
        }
    }
    for (int k = 0; !status && k < MOST_ROUNDS && take_outside(&s, &now, tolerance); k++) {
        jn_hull_free(&now);
        status = build_taken(&s, &now, reason);
    }
    if (!status) {
        for (int i = 0, taken = 0, corner = 0; i < h->corner_count; i++) { /* indices among the first points */
            if (!s.taken[i]) continue;
            if (corner < now.corner_count && now.point[corner] == taken) now.point[corner++] = h->point[i];
            taken++;
        }
        jn_hull_free(h);
        *h = now;
    } else {
        jn_hull_free(&now);
    }
    jn_free(s.taken);
    jn_free(s.point);
    jn_free(s.best);
    jn_free(s.height);
    return status;
}

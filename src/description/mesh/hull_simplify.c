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
    int *best;      /* (corners) farthest corner above each face of the present hull, -1: none */
    double *height; /* (corners) and how far */
    int count;
} selection;

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

/* Takes, for each face, the farthest corner above it; false if none is above by more than the tolerance. */
static bool take_outside(selection *s, const jn_hull *now, double tolerance) {
    const jn_hull *h = s->from;
    bool any = false;
    for (int f = 0; f < now->face_count; f++) s->best[f] = -1, s->height[f] = tolerance;
    for (int i = 0; i < h->corner_count; i++) {
        double most = tolerance;
        int face = -1;
        for (int f = 0; f < now->face_count && !s->taken[i]; f++) {
            jn_vec3 a = now->corner[now->face_corner[now->face_start[f]]];
            double d = v3_dot(now->face_normal[f], v3_sub(h->corner[i], a));
            if (d > most) most = d, face = f;
        }
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
    size_t n = (size_t)h->corner_count, faces = 2 * n; /* of any hull of its corners */
    selection s = {.from = h,
                   .taken = jn_malloc(n),
                   .point = jn_malloc(n * sizeof *s.point),
                   .best = jn_malloc(faces * sizeof *s.best),
                   .height = jn_malloc(faces * sizeof *s.height)};
    double tolerance = part * size_of(h);
    jn_hull now = {0};
    int status = s.taken && s.point && s.best && s.height ? JN_OK : JN_ERR_MEMORY;
    if (!status) {
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

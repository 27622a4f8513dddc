/* Convex hull: points brought to unit size, the facets of Qhull made a polytope, and the polytope checked. */
#include "description/mesh/hull.h"

#include "algebra/elementary.h"
#include "algebra/vec3.h"
#include "base/memory.h"
#include "description/mesh/hull_qhull.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double flat = 1e-10;   /* of the size: thinner sets of points span no volume */
static const double outside = 1e-9; /* of the size: how far a point may lie outside a face */

static bool because(char reason[JN_HULL_REASON], const char *text) {
    snprintf(reason, JN_HULL_REASON, "%s", text);
    return false;
}

/* --------------------------------------------------------------------------------------------------- size and rank */

typedef struct extent {
    jn_vec3 middle;
    double size; /* [m] longest side of the box around the points */
    double far;  /* [m] largest coordinate */
} extent;

static extent measure(const jn_vec3 *p, int n) {
    jn_vec3 lo = p[0], hi = p[0];
    for (int i = 1; i < n; i++) {
        lo = v3(jn_fmin(lo.x, p[i].x), jn_fmin(lo.y, p[i].y), jn_fmin(lo.z, p[i].z));
        hi = v3(jn_fmax(hi.x, p[i].x), jn_fmax(hi.y, p[i].y), jn_fmax(hi.z, p[i].z));
    }
    extent e = {.middle = v3(0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z)};
    e.size = jn_fmax(hi.x - lo.x, jn_fmax(hi.y - lo.y, hi.z - lo.z));
    e.far = jn_fmax(jn_fmax(jn_fmax(fabs(lo.x), fabs(hi.x)), jn_fmax(fabs(lo.y), fabs(hi.y))), jn_fmax(fabs(lo.z), fabs(hi.z)));
    return e;
}

/* Farthest of the points, in the measure of `kind`: 0 from a, 1 from the line a + s n, 2 from the plane through a across n. */
static double farthest(double (*x)[3], int n, jn_vec3 a, jn_vec3 normal, int kind, int *which) {
    double best = -1;
    for (int i = 0; i < n; i++) {
        jn_vec3 d = v3_sub(v3(x[i][0], x[i][1], x[i][2]), a);
        double l = kind == 0 ? v3_norm(d) : kind == 1 ? v3_norm(v3_cross(normal, d)) : fabs(v3_dot(normal, d));
        if (l > best) best = l, *which = i;
    }
    return best;
}

/* What the points span, thinner extents than `limit` not counted: 0 a point, 1 a line, 2 a plane, 3 a volume. */
static int dimensions(double (*x)[3], int n, double limit) {
    int i = 0;
    farthest(x, n, v3(x[0][0], x[0][1], x[0][2]), v3(0, 0, 0), 0, &i);
    jn_vec3 a = v3(x[i][0], x[i][1], x[i][2]);
    if (!(farthest(x, n, a, v3(0, 0, 0), 0, &i) > limit)) return 0;
    jn_vec3 along = v3_unit(v3_sub(v3(x[i][0], x[i][1], x[i][2]), a));
    if (!(farthest(x, n, a, along, 1, &i) > limit)) return 1;
    jn_vec3 across = v3_unit(v3_cross(along, v3_sub(v3(x[i][0], x[i][1], x[i][2]), a)));
    return farthest(x, n, a, across, 2, &i) > limit ? 3 : 2;
}

/* --------------------------------------------------------------------------------------------------- from facets */

static void *take(char **at, size_t count, size_t size) {
    void *block = *at;
    *at += (count * size + 15) / 16 * 16;
    return block;
}

/* Corners are numbered in the order of the points. */
static int fill(const jn_facets *f, const jn_vec3 *point, int count, double scale, jn_hull *h) {
    int *number = jn_malloc((size_t)count * sizeof *number), used = 0, entries = f->start[f->count];
    if (!number) return JN_ERR_MEMORY;
    for (int i = 0; i < count; i++) number[i] = -1;
    for (int i = 0; i < entries; i++) number[f->point[i]] = 0;
    for (int i = 0; i < count; i++)
        if (number[i] == 0) number[i] = used++;
    size_t faces = (size_t)f->count, corners = (size_t)used;
    char *at = jn_malloc(corners * (sizeof *h->corner + sizeof *h->point) + faces * sizeof *h->face_normal +
                         (faces + 1 + (size_t)entries) * sizeof(int) + 5 * 16);
    *h = (jn_hull){.corner_count = used, .face_count = f->count};
    if (!at) {
        jn_free(number);
        return JN_ERR_MEMORY;
    }
    h->corner = take(&at, corners, sizeof *h->corner);
    h->face_normal = take(&at, faces, sizeof *h->face_normal);
    h->point = take(&at, corners, sizeof *h->point);
    h->face_start = take(&at, faces + 1, sizeof *h->face_start);
    h->face_corner = take(&at, (size_t)entries, sizeof *h->face_corner);
    for (int i = 0; i < count; i++)
        if (number[i] >= 0) h->corner[number[i]] = point[i], h->point[number[i]] = i;
    memcpy(h->face_normal, f->normal, faces * sizeof *h->face_normal);
    memcpy(h->face_start, f->start, (faces + 1) * sizeof *h->face_start);
    for (int i = 0; i < entries; i++) h->face_corner[i] = number[f->point[i]];
    h->volume = f->volume / (scale * scale * scale);
    jn_free(number);
    return JN_OK;
}

void jn_hull_free(jn_hull *h) {
    jn_free(h->corner);
    *h = (jn_hull){0};
}

/* Facets of the points x, made a polytope of the points as they were, and checked. */
static int build(const jn_vec3 *point, double (*x)[3], int count, bool joggle, double scale, double tolerance,
                 jn_hull *h, char reason[JN_HULL_REASON]) {
    jn_facets facets;
    int status = jn_qhull_facets(x[0], count, joggle, &facets, reason);
    if (status) return status;
    status = fill(&facets, point, count, scale, h);
    jn_facets_free(&facets);
    if (!status && (status = jn_hull_check(h, point, count, tolerance, reason))) jn_hull_free(h);
    return status;
}

int jn_hull_build(const jn_vec3 *point, int count, jn_hull *h, char reason[JN_HULL_REASON]) {
    static const char *const span[] = {"one point", "one line", "one plane"};
    *h = (jn_hull){0};
    reason[0] = 0;
    for (int i = 0; i < count; i++)
        if (!isfinite(point[i].x + point[i].y + point[i].z))
            return because(reason, "a point is not finite"), JN_ERR_MODEL;
    if (count < 4) return because(reason, "less than four points span no volume"), JN_ERR_MODEL;
    extent e = measure(point, count);
    if (!(e.size > 0) || !isfinite(e.size) || e.size < 1e-90 || e.size > 1e90)
        return because(reason, e.size == 0 ? "all points are one" : "its size is beyond all measure"), JN_ERR_MODEL;
    double scale = ldexp(1, -ilogb(e.size)), (*x)[3] = jn_malloc((size_t)count * sizeof *x);
    if (!x) return JN_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        jn_vec3 d = v3_scale(scale, v3_sub(point[i], e.middle));
        x[i][0] = d.x, x[i][1] = d.y, x[i][2] = d.z;
    }
    double rounding = 8 * DBL_EPSILON * e.far * scale, limit = jn_fmax(flat, rounding);
    int rank = dimensions(x, count, limit), status = JN_ERR_MODEL;
    if (rank < 3) {
        snprintf(reason, JN_HULL_REASON, "its %d points lie in %s\ngive four points that span a volume", count,
                 span[rank]);
    } else {
        double tolerance = jn_fmax(outside, 4 * rounding) * e.size;
        status = build(point, x, count, false, scale, tolerance, h, reason);
        if (status == JN_ERR_MODEL) status = build(point, x, count, true, scale, tolerance, h, reason);
    }
    jn_free(x);
    return status;
}

int jn_hull_triangles(const jn_hull *h, int (*triangle)[3]) {
    int n = 0;
    for (int f = 0; f < h->face_count; f++) {
        const int *c = h->face_corner + h->face_start[f];
        for (int k = 1; k + 1 < h->face_start[f + 1] - h->face_start[f]; k++, n++)
            triangle[n][0] = c[0], triangle[n][1] = c[k], triangle[n][2] = c[k + 1];
    }
    return n;
}

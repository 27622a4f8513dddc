/* Half the thickness of a shape: what is deeper in it lies nearer to its other side, and is pushed out there. */
#include "algebra/elementary.h"
#include "proximity/narrow.h"

/* Of a polytope, or a polygon: half the least width over its faces. O(faces) searches for the furthest corner. */
static double half_width(const jn_solid *s) {
    const jn_convex own = {s, {{0, 0, 0}, m3_identity()}, NULL};
    double least = INFINITY;
    for (int f = 0; f < s->face_count; f++) {
        jn_vec3 n = s->face_normal[f];
        const jn_vec3 *from = &s->vertex[jn_corner_along(&own, v3_neg(n))], *to = &s->vertex[jn_corner_along(&own, n)];
        least = jn_min(least, 0.5 * v3_dot(n, v3_sub(*to, *from)));
    }
    return least + s->radius;
}

static double area(const jn_solid *s, int triangle) {
    const int *t = s->triangle[triangle];
    jn_vec3 a = s->vertex[t[0]];
    return 0.5 * v3_norm(v3_cross(v3_sub(s->vertex[t[1]], a), v3_sub(s->vertex[t[2]], a)));
}

/* [m] from the middle of a triangle to where the ray against its normal leaves the body; INFINITY: it does not. */
static double depth_under(const jn_solid *s, int triangle) {
    const int *t = s->triangle[triangle];
    const jn_pose still = {{0, 0, 0}, m3_identity()};
    jn_vec3 n = s->triangle_normal[triangle], exit;
    jn_vec3 p = v3_scale(1.0 / 3, v3_add(s->vertex[t[0]], v3_add(s->vertex[t[1]], s->vertex[t[2]])));
    jn_vec3 from = pose_point(&s->local, v3_axpy(-1e-9 * s->reach, n, p)), along = m3_mul_v(&s->local.R, v3_neg(n));
    double way = jn_solid_ray(s, &still, from, along, INFINITY, &exit);
    return isfinite(way) && v3_dot(exit, along) > 0 ? way : INFINITY;
}

static void insert(double *sorted, int count, double x) {
    int i = count;
    for (; i > 0 && sorted[i - 1] > x; i--) sorted[i] = sorted[i - 1];
    sorted[i] = x;
}

/* Of a mesh: half the median of the depths under triangles that are spread evenly over its area; INFINITY: the half of them see no other
 * side. No more than half of its shortest side. O(triangles). */
static double half_median(const jn_solid *s) {
    enum { SAMPLES = 63 };
    double depth[SAMPLES], sum = 0, all = 0;
    int count = 0;
    for (int i = 0; i < s->triangle_count; i++) all += area(s, i);
    for (int i = 0; i < s->triangle_count && count < SAMPLES; i++) {
        sum += area(s, i);
        double d = (count + 0.5) * all <= SAMPLES * sum ? depth_under(s, i) : 0;
        for (; count < SAMPLES && (count + 0.5) * all <= SAMPLES * sum; count++) insert(depth, count, d);
    }
    if (count < SAMPLES || !isfinite(depth[SAMPLES / 2])) return INFINITY;
    return jn_min(0.5 * depth[SAMPLES / 2], s->thickness);
}

double jn_solid_half_thickness(const jn_solid *s) {
    double half = INFINITY;
    switch (s->type) {
    case JN_SHAPE_SPHERE:
    case JN_SHAPE_CIRCLE:
    case JN_SHAPE_SEGMENT: half = s->radius; break;
    case JN_SHAPE_BOX:
    case JN_SHAPE_RECTANGLE:
    case JN_SHAPE_POLYGON:
    case JN_SHAPE_HULL: half = half_width(s); break;
    case JN_SHAPE_CYLINDER:
    case JN_SHAPE_CAPSULE:
    case JN_SHAPE_CONE:
    case JN_SHAPE_ELLIPSOID:
    case JN_SHAPE_SUPERELLIPSOID:
    case JN_SHAPE_TORUS: half = s->thickness; break;
    case JN_SHAPE_MESH: half = half_median(s); break;
    default: break; /* planes and heightfields are solid below, surfaces against their normal; hollow shapes have no other side */
    }
    return half > 0 ? half : INFINITY;
}

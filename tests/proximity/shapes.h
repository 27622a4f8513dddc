/* Solids for the tests of the narrow phase, and what a contact must satisfy whoever found it. */
#ifndef JN_TESTS_PROXIMITY_SHAPES_H
#define JN_TESTS_PROXIMITY_SHAPES_H

#include "check.h"
#include "scenes.h"

#include "base/store.h"
#include "proximity/narrow.h"

#include <string.h>

static inline double uniform(uint64_t *seed, double a, double b) {
    return a + (b - a) * 0.5 * (1 + scene_random(seed));
}
static inline jn_vec3 random_vector(uint64_t *seed) {
    double x = scene_random(seed), y = scene_random(seed);
    return v3(x, y, scene_random(seed));
}
static inline jn_vec3 random_unit(uint64_t *seed) {
    for (;;) {
        jn_vec3 a = random_vector(seed);
        if (v3_norm(a) > 0.1 && v3_norm(a) < 1) return v3_unit(a);
    }
}
static inline jn_quat random_turn(uint64_t *seed) { return q4_exp(v3_scale(uniform(seed, 0, 3), random_unit(seed))); }
static inline jn_pose pose_at(jn_vec3 p, jn_quat q) { return (jn_pose){p, q4_matrix(q)}; }

/* A solid of the type with random sizes near 0.1 m, at the origin of its body. */
static inline jn_solid *random_solid(jn_shape_type type, jn_store *store, uint64_t *seed) {
    jn_solid *s = jn_store_alloc(store, sizeof *s);
    jn_shape_desc d = jn_shape_default(type);
    jn_report report;
    jn_report_clear(&report);
    d.size = v3(uniform(seed, 0.06, 0.2), uniform(seed, 0.06, 0.2), uniform(seed, 0.06, 0.2));
    if (type == JN_SHAPE_SUPERELLIPSOID) d.e1 = uniform(seed, 0.5, 1.3), d.e2 = uniform(seed, 0.5, 1.3);
    if (type == JN_SHAPE_TORUS) d.size.y = 0.4 * d.size.x;
    jn_vec3 points[12];
    d.points = points;
    if (type == JN_SHAPE_HULL) {
        for (d.point_count = 0; d.point_count < 12; d.point_count++)
            points[d.point_count] = v3_scale(uniform(seed, 0.07, 0.15), random_unit(seed));
    } else if (type == JN_SHAPE_POLYGON) {
        for (d.point_count = 0; d.point_count < 7; d.point_count++) {
            double a = 0.9 * d.point_count;
            points[d.point_count] = v3(0.12 * cos(a), 0.08 * sin(a), 0);
        }
    } else if (type == JN_SHAPE_SEGMENT) {
        points[0] = v3(-0.1, 0.01, 0), points[1] = v3(uniform(seed, 0.05, 0.2), 0.04, 0), d.point_count = 2,
        d.size.x = 0;
    }
    int status = jn_solid_build(s, &d, NULL, store, NULL, &report);
    check_report(&report);
    assert_int_equal(status, JN_OK);
    return s;
}

static inline jn_solid *sized_solid(jn_shape_type type, jn_vec3 size, double e1, double e2, jn_store *store) {
    jn_solid *s = jn_store_alloc(store, sizeof *s);
    jn_shape_desc d = jn_shape_default(type);
    d.size = size, d.e1 = e1, d.e2 = e2;
    d.range[0][1] = 6.283185307179586;
    assert_int_equal(jn_solid_build(s, &d, NULL, store, NULL, NULL), JN_OK);
    return s;
}

/* How far p (in the shape's frame) lies outside the convex solid, by its own inequality; <= 0 inside. Not from the
 * support function. */
static inline double outside(const jn_solid *s, jn_vec3 p) {
    jn_vec3 a = s->size;
    double rho = hypot(p.x, p.y);
    switch (s->type) {
    case JN_SHAPE_SPHERE:
    case JN_SHAPE_CIRCLE: return v3_norm(p) - s->radius;
    case JN_SHAPE_CAPSULE: return v3_norm(v3(p.x, p.y, p.z - fmax(-a.y, fmin(a.y, p.z)))) - s->radius;
    case JN_SHAPE_BOX: return fmax(fmax(fabs(p.x) - a.x, fabs(p.y) - a.y), fabs(p.z) - a.z);
    case JN_SHAPE_CYLINDER: return fmax(rho - a.x, fabs(p.z) - a.y);
    case JN_SHAPE_CONE: return fmax(-p.z, (rho - a.x * (1 - p.z / a.y)) * a.y / hypot(a.x, a.y));
    case JN_SHAPE_TORUS: return hypot(rho - a.x, p.z) - s->radius;
    case JN_SHAPE_ELLIPSOID: {
        double F = sqrt(p.x * p.x / (a.x * a.x) + p.y * p.y / (a.y * a.y) + p.z * p.z / (a.z * a.z));
        return (F - 1) * fmin(a.x, fmin(a.y, a.z));
    }
    case JN_SHAPE_SUPERELLIPSOID: {
        double in = pow(fabs(p.x / a.x), 2 / s->e2) + pow(fabs(p.y / a.y), 2 / s->e2);
        double F = pow(pow(in, s->e2 / s->e1) + pow(fabs(p.z / a.z), 2 / s->e1), s->e1 / 2);
        return (F - 1) * fmin(a.x, fmin(a.y, a.z));
    }
    default: { /* corners and faces */
        double most = -INFINITY;
        for (int f = 0; f < s->face_count; f++) {
            jn_vec3 o = s->face_start ? s->vertex[s->face_vertex[s->face_start[f]]] : s->vertex[f];
            most = fmax(most, v3_dot(s->face_normal[f], v3_sub(p, o)));
        }
        return most - s->radius;
    }
    }
}

/* The gap along a direction: a lower bound of the signed gap, equal to it for the best direction. */
static inline double gap_in_direction(const jn_convex *A, const jn_convex *B, jn_vec3 n) {
    return v3_dot(n, v3_sub(jn_core_support(B, v3_neg(n)), jn_core_support(A, n))) - A->s->radius - B->s->radius;
}

/* The largest gap over many directions, then over ever smaller changes of the best one. */
static inline double best_direction(const jn_convex *A, const jn_convex *B, bool planar, int samples, jn_vec3 start,
                                    uint64_t *seed) {
    double best = gap_in_direction(A, B, start);
    jn_vec3 n = start;
    for (int i = 0; i < samples; i++) {
        jn_vec3 d = planar ? v3(cos(6.283185307179586 * i / samples), sin(6.283185307179586 * i / samples), 0)
                           : random_unit(seed);
        double f = gap_in_direction(A, B, d);
        if (f > best) best = f, n = d;
    }
    for (double size = 0.1; size > 1e-9; size *= 0.7)
        for (int i = 0; i < 40; i++) {
            jn_vec3 e = random_vector(seed);
            if (planar) e.z = 0;
            jn_vec3 d = v3_unit(v3_axpy(size, e, n));
            double f = gap_in_direction(A, B, d);
            if (f > best) best = f, n = d;
        }
    return best;
}

/* Holds for every touch: finite, unit normal, gap = n.(pB - pA), the points on one line along n. */
static inline void check_contact(const jn_contact_geometry *t, double size) {
    jn_vec3 d = v3_sub(t->pB, t->pA);
    assert_true(isfinite(t->gap + t->pA.x + t->pA.y + t->pA.z + t->n.x + t->n.y + t->n.z));
    assert_true(isfinite(t->kA[0] + t->kA[1] + t->kB[0] + t->kB[1]));
    assert_near(v3_norm(t->n), 1, 1e-12);
    assert_near(v3_dot(t->n, d), t->gap, 1e-9 * size);
    assert_below(v3_norm(v3_axpy(-t->gap, t->n, d)), 2e-6 * size);
}

static inline double least_gap(const jn_contact_geometry *t, int n, int *which) {
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        if (t[i].gap < least) least = t[i].gap, *which = i;
    return least;
}

/* A pose that moved on with the velocities V for a time. */
static inline jn_pose pose_after(const jn_pose *X, jn_twist V, double dt) {
    jn_mat3 R = q4_matrix(q4_exp(v3_scale(dt, V.w)));
    return (jn_pose){v3_axpy(dt, V.v, X->p), m3_mul(&R, &X->R)};
}

/* NULL: none has that feature. */
static inline const jn_contact_geometry *point_named(const jn_contact_geometry *t, int count, uint32_t feature) {
    for (int i = 0; i < count; i++)
        if (t[i].feature == feature) return &t[i];
    return NULL;
}

#endif

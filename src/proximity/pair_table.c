/* The one entrance of the narrow phase: which algorithm serves which pair. */
#include "proximity/narrow.h"

int jn_manifold_widest(const jn_manifold *t, double gap) {
    int at = 0;
    for (int i = 1; i < t->count; i++)
        if (t->out[i].gap > t->out[at].gap) at = i;
    return gap >= t->out[at].gap ? -1 : at;
}

typedef struct rule {
    jn_pair_function *function; /* NULL: none */
    bool swap;                  /* A and B change places */
} rule;

static bool polygonal(jn_shape_type t) {
    return t == JN_SHAPE_RECTANGLE || t == JN_SHAPE_POLYGON || t == JN_SHAPE_SEGMENT;
}
static bool planar(jn_shape_type t) { return jn_shape_type_info(t)->planar; }
static bool meshed(jn_shape_type t) { return t == JN_SHAPE_MESH || t == JN_SHAPE_HEIGHTFIELD; }

static bool solid(jn_shape_type t) {
    if (t == JN_SHAPE_SPHERE || t == JN_SHAPE_CAPSULE || t == JN_SHAPE_BOX) return true; /* frequent */
    return !planar(t) && (jn_shape_type_info(t)->convex || t == JN_SHAPE_TORUS) && t != JN_SHAPE_PLANE;
}
static bool flat(jn_shape_type t) { return planar(t) && t != JN_SHAPE_HALF_PLANE && t != JN_SHAPE_ARC; }

/* What the first shape does with the second, if it is the one to decide. */
static jn_pair_function *decide(jn_shape_type a, jn_shape_type b) {
    bool disc_a = a == JN_SHAPE_CIRCLE || a == JN_SHAPE_SPHERE;
    switch (a) {
    case JN_SHAPE_PLANE: return solid(b) || b == JN_SHAPE_MESH ? jn_collide_plane : NULL;
    case JN_SHAPE_HALF_PLANE: return flat(b) || solid(b) ? jn_collide_half_plane : NULL;
    case JN_SHAPE_ARC: return flat(b) || b == JN_SHAPE_SPHERE ? jn_collide_arc : NULL;
    case JN_SHAPE_SOCKET: return solid(b) ? jn_collide_hollow : NULL;
    case JN_SHAPE_BORE: return solid(b) ? jn_collide_bore : NULL;
    case JN_SHAPE_MESH:
    case JN_SHAPE_HEIGHTFIELD: return solid(b) ? jn_collide_mesh : meshed(b) ? jn_collide_meshes : NULL;
    case JN_SHAPE_SURFACE: return solid(b) ? jn_collide_surface : NULL;
    case JN_SHAPE_CIRCLE:
    case JN_SHAPE_SPHERE:
        if (disc_a && polygonal(b)) return jn_collide_circle_polygon;
        if (b == JN_SHAPE_CIRCLE) return jn_collide_circle_circle;
        if (a == JN_SHAPE_CIRCLE) return b == JN_SHAPE_SPHERE ? jn_collide_circle_circle : NULL;
        return b == JN_SHAPE_SPHERE     ? jn_collide_sphere_sphere
               : b == JN_SHAPE_CAPSULE  ? jn_collide_sphere_capsule
               : b == JN_SHAPE_BOX      ? jn_collide_sphere_box
               : b == JN_SHAPE_CYLINDER ? jn_collide_sphere_cylinder
               : b == JN_SHAPE_TORUS    ? jn_collide_sphere_torus
               : solid(b)               ? jn_collide_convex
                                        : NULL;
    case JN_SHAPE_RECTANGLE:
    case JN_SHAPE_POLYGON:
    case JN_SHAPE_SEGMENT: return polygonal(b) ? jn_collide_polygon_polygon : NULL;
    case JN_SHAPE_CAPSULE:
        return b == JN_SHAPE_CAPSULE              ? jn_collide_capsule_capsule
               : solid(b) && b != JN_SHAPE_SPHERE ? jn_collide_convex
                                                  : NULL;
    default:
        return !planar(a) && !meshed(a) && solid(b) && b != JN_SHAPE_SPHERE && b != JN_SHAPE_CAPSULE ? jn_collide_convex
                                                                                                     : NULL;
    }
}

static rule choose(jn_shape_type a, jn_shape_type b) {
    rule r = {decide(a, b), false};
    if (!r.function) r = (rule){decide(b, a), true};
    return r;
}

bool jn_pair_supported(jn_shape_type a, jn_shape_type b) { return choose(a, b).function != NULL; }

static void turn_round(jn_contact_geometry *t) {
    jn_contact_geometry s = *t;
    t->pA = s.pB, t->pB = s.pA, t->n = v3_neg(s.n), t->couple = v3_neg(s.couple);
    t->dA = s.dB, t->dB = s.dA, t->smoothA = s.smoothB, t->smoothB = s.smoothA;
    for (int k = 0; k < 2; k++) t->kA[k] = s.kB[k], t->kB[k] = s.kA[k];
}

/* Curvatures of the contact points; A and B in the order of the caller. */
static void finish(const jn_convex *first, const jn_convex *second, bool curved, bool swap, const jn_manifold *list) {
    for (int i = 0; i < list->count; i++) {
        jn_contact_geometry *t = &list->out[i];
        if (curved && first->s->type != JN_SHAPE_SURFACE) t->smoothA = jn_curvature(first, t->pA, t->n, t->kA, &t->dA);
        if (curved && t->kB[0] == 0)
            t->smoothB = jn_curvature(second, t->pB, v3_neg(t->n), t->kB, &t->dB); /* not given yet */
        if (swap) turn_round(t);
    }
}

int jn_pair_fill(const jn_convex *A, const jn_convex *B, bool curved, jn_pair_cache *cache, jn_manifold *list) {
    rule r = choose(A->s->type, B->s->type);
    if (!r.function) return 0;
    const jn_convex *first = r.swap ? B : A, *second = r.swap ? A : B;
    r.function(first, second, cache, list);
    if (curved || r.swap) finish(first, second, curved, r.swap, list);
    return list->count;
}

int jn_pair_collide(const jn_solid *A, const jn_pose *XA, const jn_solid *B, const jn_pose *XB, double margin,
                    jn_pair_cache *cache, jn_contact_geometry out[JN_MANIFOLD_MAX]) {
    const jn_convex a = {.s = A, .X = pose_mul(XA, &A->local)}, b = {.s = B, .X = pose_mul(XB, &B->local)};
    return jn_pair_fill(&a, &b, true, cache, &(jn_manifold){.out = out, .margin = margin});
}

int jn_pair_points(const jn_convex *A, const jn_convex *B, double margin, jn_point_detail detail, jn_pair_cache *cache,
                   jn_contact_geometry out[JN_MANIFOLD_MAX]) {
    jn_manifold list = jn_manifold_of(detail);
    list.out = out, list.margin = margin;
    return jn_pair_fill(A, B, detail.curved, cache, &list);
}

int jn_pair_face(const jn_convex *A, const jn_convex *B, bool on_B, jn_vec3 m, double margin, bool curved,
                 jn_contact_geometry out[JN_MANIFOLD_MAX]) {
    rule r = choose(A->s->type, B->s->type);
    jn_manifold list = {.out = out, .margin = margin};
    const jn_convex *first = r.swap ? B : A, *second = r.swap ? A : B;
    jn_face_patch(first, second, on_B != r.swap, m, &list);
    finish(first, second, curved, r.swap, &list);
    return list.count;
}

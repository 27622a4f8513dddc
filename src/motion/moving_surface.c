/* Surfaces that move while their shapes stand: belts, turntables, rollers. */
#include "motion/work.h"

static jn_twist surface_at(const jn_solid *s, const jn_link_motion *link, jn_vec3 p) {
    jn_vec3 w = m3_mul_v(&link->R, s->belt.w), v = m3_mul_v(&link->R, s->belt.v);
    return (jn_twist){w, v3_add(v, v3_cross(w, v3_sub(p, link->O)))};
}

jn_twist jn_surface_motion(const jn_model *m, const jn_link_motion *link, int a, int b, jn_vec3 p, jn_vec3 n) {
    const jn_solid *A = &m->solids[a], *B = &m->solids[b];
    jn_twist V = {v3(0, 0, 0), v3(0, 0, 0)};
    if (!A->surface_moves && !B->surface_moves) return V;
    jn_twist on_A = surface_at(A, &link[A->link], p), on_B = surface_at(B, &link[B->link], p);
    V.v = v3_sub(on_B.v, on_A.v);
    V.v = v3_axpy(-v3_dot(n, V.v), n, V.v);
    V.w = v3_scale(v3_dot(n, v3_sub(on_B.w, on_A.w)), n);
    return V;
}

/* What control of robots asks for: Jacobians of points, gravity and Coriolis forces, centre of mass and momentum. */
#include "motion/segment.h"
#include "motion/work.h"
#include <string.h>

/* Twist of velocity k, of the link it moves, at the point p of the world. */
static jn_twist column_at(const jn_work *w, int link, int k, jn_vec3 p) {
    return tw_shift(w->S[k], v3_sub(p, w->link[link].O));
}

typedef struct place {
    int link;
    jn_vec3 p; /* [m] in the world */
} place;

static jn_mat3 body_axes(const jn_model *m, const jn_work *w, int link) {
    return m3_mul(&w->link[link].R, &m->links[link].user);
}

static void write_twist(jn_twist t, double *out, size_t stride) {
    const double x[6] = {t.v.x, t.v.y, t.v.z, t.w.x, t.w.y, t.w.z};
    for (size_t r = 0; r < 6; r++) out[r * stride] = x[r];
}

/* J' u: rate of the twist at zero acceleration. */
static jn_twist twist_bias(const jn_model *m, jn_work *w, place at, jn_frame frame) {
    const jn_link_motion *B = &w->link[at.link];
    jn_bias_accelerations(m, w);
    jn_vec3 r = v3_sub(at.p, B->O), wv = B->V.w, v = v3_add(B->V.v, v3_cross(wv, r));
    jn_twist A = tw_shift(w->A_bias[at.link], r);
    A.v = v3_add(A.v, v3_cross(wv, v3_cross(wv, r)));
    if (frame == JN_FRAME_MIXED) return A;
    A.v = v3_sub(A.v, v3_cross(wv, v)); /* of the field of velocities at a place, not of the point that passes it */
    if (frame == JN_FRAME_WORLD) return (jn_twist){A.w, v3_add(A.v, v3_cross(at.p, A.w))};
    jn_mat3 R = body_axes(m, w, at.link);
    return (jn_twist){m3_tmul_v(&R, A.w), m3_tmul_v(&R, A.v)};
}

static void jacobian(const jn_model *m, jn_work *w, place at, jn_frame frame, double *J, double *bias) {
    size_t nv = (size_t)m->nv;
    jn_vec3 seen = frame == JN_FRAME_WORLD ? v3(0, 0, 0) : at.p;
    jn_mat3 R = body_axes(m, w, at.link);
    memset(J, 0, 6 * nv * sizeof *J);
    for (int i = at.link; i > 0; i = m->links[i].parent)
        for (int k = m->links[i].v; k < m->links[i].v + m->links[i].nv; k++) {
            jn_twist t = column_at(w, i, k, seen);
            if (frame == JN_FRAME_BODY) t = (jn_twist){m3_tmul_v(&R, t.w), m3_tmul_v(&R, t.v)};
            write_twist(t, J + k, nv);
        }
    if (bias) write_twist(twist_bias(m, w, at, frame), bias, 1);
}

void jn_body_jacobian(const jn_model *m, jn_work *w, const jn_state *s, int body, jn_vec3 from_com, jn_frame frame,
                      double *J, double *bias) {
    int link = m->bodies[body].link;
    jn_kinematics(m, w, s);
    jn_mat3 R = body_axes(m, w, link);
    jn_vec3 com = v3_add(w->link[link].O, w->link[link].c);
    jacobian(m, w, (place){link, v3_add(com, link ? m3_mul_v(&R, from_com) : from_com)}, frame, J, bias);
}

void jn_point_jacobian(const jn_model *m, jn_work *w, const jn_state *s, int point, jn_frame frame, double *J,
                       double *bias) {
    const jn_side *side = &m->points[point].side;
    jn_kinematics(m, w, s);
    const jn_link_motion *B = &w->link[side->link];
    jacobian(m, w, (place){side->link, v3_add(B->O, m3_mul_v(&B->R, side->p))}, frame, J, bias);
}

void jn_gravity_forces(const jn_model *m, jn_work *w, const jn_state *s, double *g) {
    jn_kinematics(m, w, s);
    jn_node_weights(m, w, g);
}

void jn_coriolis_forces(const jn_model *m, jn_work *w, const jn_state *s, double *c) {
    jn_kinematics(m, w, s);
    jn_rnea_accelerations(m, w, NULL, false);
    jn_rnea_forces(m, w, NULL, c);
}

jn_momentum jn_momentum_get(const jn_model *m, jn_work *w, const jn_state *s, double *A) {
    jn_momentum out = {0};
    size_t nv = (size_t)m->nv;
    jn_kinematics(m, w, s);
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const jn_link_motion *B = &w->link[i];
        jn_vec3 x = v3_add(B->O, B->c), v = v3_add(B->V.v, v3_cross(B->V.w, B->c)), wb = m3_tmul_v(&B->R, B->V.w);
        jn_vec3 spin = m3_mul_v(&B->R, s3_mul_v(&l->inertia, wb));
        out.mass += l->mass;
        out.com = v3_axpy(l->mass, x, out.com);
        out.linear = v3_axpy(l->mass, v, out.linear);
        out.angular =
            v3_add(out.angular, v3_add(spin, v3_cross(x, v3_scale(l->mass, v)))); /* about the world's origin */
    }
    if (!(out.mass > 0)) return out;
    out.com = v3_scale(1 / out.mass, out.com);
    out.velocity = v3_scale(1 / out.mass, out.linear);
    out.angular = v3_sub(out.angular, v3_cross(out.com, out.linear));
    if (!A) return out;
    jn_composite_inertias(m, w);
    for (int i = 1; i < m->link_count; i++)
        for (int k = m->links[i].v; k < m->links[i].v + m->links[i].nv; k++) {
            jn_wrench h = wr_shift(rigid_mul(&w->Ic[i], w->S[k]), v3_sub(w->link[i].O, out.com));
            write_twist((jn_twist){h.n, h.f}, A + k, nv);
        }
    return out;
}

/* Tree coordinates and velocities from the poses and velocities of the bodies, outwards from the ground. */
#include "motion/transfer.h"

/* Velocities of one joint from what the link should add to its parent's motion. The columns of S are unit rotations or unit
 * translations, normal to those of their kind, so each velocity is a projection; a screw is read from its rotation. */
static void fit_velocities(const jn_link *l, const jn_twist *S, jn_twist extra, double *u) {
    for (int k = 0; k < l->nv; k++) {
        bool turns = v3_dot(S[k].w, S[k].w) > 0;
        u[k] = turns ? v3_dot(S[k].w, extra.w) : v3_dot(S[k].v, extra.v);
    }
}

/* Coordinates that put a link with frame (O, R) on its parent. */
static void fit_coordinates(const jn_link *l, const jn_link_motion *P, jn_vec3 O, const jn_mat3 *R, double *q) {
    jn_mat3 A = jn_link_axes(l, false), B = jn_link_axes(l, true), EA = m3_mul(&P->R, &A), EB = m3_mul(R, &B);
    jn_joint_measure(l->type, v3_add(P->O, m3_mul_v(&P->R, l->anchor)), &EA, O, &EB, q);
}

/* Sets one link's coordinates and velocities from its body's motion; links before it are done. */
static void set_link(const jn_model *m, jn_work *w, jn_state *s, int i, const jn_body_motion *b) {
    const jn_link *l = &m->links[i];
    jn_mat3 U = q4_matrix(b->orientation), ut = m3_transpose(&l->user), R = m3_mul(&U, &ut);
    jn_vec3 c = m3_mul_v(&R, l->com), O = v3_sub(b->position, c);
    double old[JN_JOINT_MAX_NQ];
    for (int k = 0; k < l->nq; k++) old[k] = s->q[l->q + k];
    fit_coordinates(l, &w->link[l->parent], O, &R, s->q + l->q);
    for (int k = 0; k < l->nq && l->nq == l->nv; k++) { /* angles keep their full turns */
        double turns = round((old[k] - s->q[l->q + k]) / (2 * M_PI));
        if (jn_joint_type_info(l->type)->angular >> k & 1) s->q[l->q + k] += 2 * M_PI * turns;
    }
    for (int k = 0; k < l->nv; k++) s->u[l->v + k] = 0;
    jn_kinematics_link(m, w, s, i);
    const jn_link_motion *B = &w->link[i];
    jn_twist extra = {v3_sub(b->angular_velocity, B->V.w),
                      v3_sub(v3_sub(b->velocity, v3_cross(b->angular_velocity, B->c)), B->V.v)};
    fit_velocities(l, w->S + l->v, extra, s->u + l->v);
    jn_kinematics_link(m, w, s, i);
}

void jn_state_from_bodies(const jn_model *m, jn_work *w, jn_state *s, const jn_body_motion *bodies) {
    jn_kinematics_link(m, w, s, 0);
    for (int i = 1; i < m->link_count; i++) set_link(m, w, s, i, &bodies[m->links[i].body]);
    jn_angles_update(m, w, s);
}

void jn_transfer(const jn_model *from, const jn_work *from_work, const jn_model *m, jn_work *w, jn_state *s) {
    jn_body_motion b;
    jn_kinematics_link(m, w, s, 0);
    for (int i = 1; i < m->link_count; i++) {
        jn_body_motion_get(from, from_work, m->links[i].body, &b);
        if (m->planar && m->links[i].type == JN_JOINT_PLANAR) s->q[m->links[i].q + 2] = b.angle; /* full turns */
        set_link(m, w, s, i, &b);
    }
    jn_angles_update(m, w, s);
}

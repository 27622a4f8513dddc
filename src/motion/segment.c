/* Discrete mechanics of trees: momenta of bodies between two nodes.
 *
 * A rotation on a segment is the Cayley map of h w, so that joints compose by Rodrigues' vectors g = h w / 2:
 *
 *     R1 R2:  g = (g1 + g2 + g1 x g2) / (1 - g1.g2),       cay(h w) r - r = h (w x r + h/2 w x (w x r)) / (1 + h^2 w.w / 4)
 *
 * and the momentum of a body, the same seen from both ends, is that of the discrete Lagrangian with kinetic energy
 * (m v.v + w.I w) / 2 [Marsden2001, part 2]:
 *
 *     p = m v,    L = I w + h/2 w x I w + h^2/4 (w.I w) w,    I = R(0) J R(0)^T.
 *
 * Velocities come from the increments, never from differences of poses: nothing cancels. In a plane rotations add up, L = J w. */
#include "motion/segment.h"

#include "algebra/angle.h"
#include <string.h>

static jn_vec3 compose(jn_vec3 g1, jn_vec3 g2) {
    return v3_scale(1 / (1 - v3_dot(g1, g2)), v3_add(v3_add(g1, g2), v3_cross(g1, g2)));
}

/* tan(x / 2) */
static double half_tangent(double x) {
    double c, s;
    jn_cos_sin(x, &c, &s);
    return s / (1 + c);
}

/* (cay(h w) r - r) / h, with k = 1 / (1 + h^2 w.w / 4). */
static inline jn_vec3 chord(jn_vec3 w, double half, double k, jn_vec3 r) {
    jn_vec3 wr = v3_cross(w, r);
    return v3_scale(k, v3_axpy(half, v3_cross(w, wr), wr));
}

/* Rodrigues' vector of a link from that of its parent: its joint's rotations one after the other, about their axes at the node. */
static inline jn_vec3 turned(const jn_link *l, const jn_twist *S, const double *u, double h, jn_vec3 g) {
    switch (l->type) {
    case JN_JOINT_REVOLUTE:
    case JN_JOINT_SCREW: return compose(g, v3_scale(half_tangent(h * u[0]), S[0].w));
    case JN_JOINT_CYLINDRICAL: return compose(g, v3_scale(half_tangent(h * u[1]), S[1].w));
    case JN_JOINT_PLANAR: return compose(g, v3_scale(half_tangent(h * u[2]), S[2].w));
    case JN_JOINT_UNIVERSAL:
        return compose(compose(g, v3_scale(half_tangent(h * u[0]), S[0].w)),
                       v3_scale(half_tangent(h * u[1]), S[1].w));
    case JN_JOINT_SPHERICAL:
    case JN_JOINT_FREE: {
        int k = l->type == JN_JOINT_FREE ? 3 : 0;
        jn_vec3 w = v3_axpy(u[k], S[k].w, v3_axpy(u[k + 1], S[k + 1].w, v3_scale(u[k + 2], S[k + 2].w)));
        return compose(g, v3_scale(0.5 * h, w));
    }
    default: return g;
    }
}

/* A link from its parent: O = O_P + r, and slides along S.v. */
static inline void link_segment(const jn_link *l, const jn_link_motion *B, const jn_twist *S, const double *u, double h,
                                const jn_segment_link *P, jn_segment_link *out) {
    double half = 0.5 * h, kP = 1 / (1 + half * half * v3_dot(P->w, P->w));
    jn_vec3 slide = v3(0, 0, 0);
    for (int k = 0; k < l->nv; k++) slide = v3_axpy(u[k], S[k].v, slide);
    out->w = l->nv ? v3_scale(1 / half, turned(l, S, u, h, v3_scale(half, P->w))) : P->w;
    jn_vec3 arm = chord(P->w, half, kP, v3_axpy(h, slide, B->r)); /* what the parent's turn does to the slide too */
    out->v = v3_add(v3_add(P->v, slide), arm);
    double k = 1 / (1 + half * half * v3_dot(out->w, out->w));
    jn_vec3 v = v3_add(out->v, chord(out->w, half, k, B->c));
    jn_vec3 Iw = m3_mul_v(&B->R, s3_mul_v(&l->inertia, m3_tmul_v(&B->R, out->w)));
    out->p = v3_scale(l->mass, v);
    out->L = v3_add(v3_axpy(half, v3_cross(out->w, Iw), Iw), v3_scale(half * half * v3_dot(out->w, Iw), out->w));
}

/* The same in a plane: (exp(h w) r - r) / h = sin(h w)/h e_z x r - (1 - cos(h w))/h r. */
static inline jn_vec3 flat_chord(double c, double s, jn_vec3 r) {
    return v3(-s * r.y - c * r.x, s * r.x - c * r.y, 0);
}

static inline void flat_segment(const jn_link *l, const jn_link_motion *B, const jn_twist *S, const double *u, double h,
                                const double turn_P[2], const jn_segment_link *P, double turn[2],
                                jn_segment_link *out) {
    double w = P->w.z, x = 0, y = 0, c, s;
    for (int k = 0; k < l->nv; k++) w += u[k] * S[k].w.z, x += u[k] * S[k].v.x, y += u[k] * S[k].v.y;
    jn_vec3 arm = flat_chord(turn_P[0], turn_P[1], v3(B->r.x + h * x, B->r.y + h * y, 0));
    out->w = v3(0, 0, w);
    out->v = v3(P->v.x + x + arm.x, P->v.y + y + arm.y, 0);
    jn_cos_sin(h * w, &c, &s);
    turn[0] = s * s / (1 + c) / h, turn[1] = s / h;
    if (c < 0) turn[0] = (1 - c) / h;
    jn_vec3 com = flat_chord(turn[0], turn[1], B->c);
    out->p = v3(l->mass * (out->v.x + com.x), l->mass * (out->v.y + com.y), 0);
    out->L = v3(0, 0, l->inertia.zz * w);
}

/* pi = S.F of the momenta at the links' origins, inwards. */
static void project_inwards(const jn_model *m, jn_work *w, const jn_segment_link *seg, double *pi) {
    for (int i = 1; i < m->link_count; i++)
        w->F[i] = (jn_wrench){v3_add(seg[i].L, v3_cross(w->link[i].c, seg[i].p)), seg[i].p};
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        for (int k = l->v; k < l->v + l->nv; k++) pi[k] = tw_dot(w->S[k], w->F[i]);
        if (l->parent > 0) w->F[l->parent] = wr_add(w->F[l->parent], wr_shift(w->F[i], w->link[i].r));
    }
}

static void add_rotors(const jn_model *m, const double *u, double *pi) {
    for (int k = 0; k < m->nv && m->armature; k++) pi[k] += m->armature[k] * u[k];
}

void jn_segment_momenta(const jn_model *m, jn_work *w, const double *u, double h, jn_segment_link *seg, double *pi) {
    seg[0] = (jn_segment_link){0};
    if (m->flat) {
        double(*turn)[2] = w->turn;
        turn[0][0] = turn[0][1] = 0;
        for (int i = 1; i < m->link_count; i++) {
            const jn_link *l = &m->links[i];
            flat_segment(l, &w->link[i], w->S + l->v, u + l->v, h, turn[l->parent], &seg[l->parent], turn[i], &seg[i]);
        }
    } else {
        for (int i = 1; i < m->link_count; i++) {
            const jn_link *l = &m->links[i];
            link_segment(l, &w->link[i], w->S + l->v, u + l->v, h, &seg[l->parent], &seg[i]);
        }
    }
    project_inwards(m, w, seg, pi);
    add_rotors(m, u, pi);
}

void jn_segment_project(const jn_model *m, jn_work *w, const double *u, const jn_segment_link *seg, double *pi) {
    project_inwards(m, w, seg, pi);
    add_rotors(m, u, pi);
}

void jn_segment_end(const jn_model *m, const double *q, const double *u, double h, double *out) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const double *ui = u + l->v, *qi = q + l->q;
        double *to = out + l->q;
        int head = l->nq == l->nv ? l->nv : l->nv - 3;
        for (int k = 0; k < head; k++) to[k] = qi[k] + h * ui[k];
        if (l->nq == l->nv) continue;
        const double *e = qi + head;
        jn_quat turn = {1, 0.5 * h * ui[head], 0.5 * h * ui[head + 1], 0.5 * h * ui[head + 2]}; /* cay(h u) */
        jn_quat next = q4_unit(q4_mul(turn, (jn_quat){e[0], e[1], e[2], e[3]}));
        to[head] = next.w, to[head + 1] = next.x, to[head + 2] = next.y, to[head + 3] = next.z;
    }
}

void jn_node_forces(const jn_model *m, jn_work *w, double *f) {
    for (int i = 1; i < m->link_count; i++) {
        jn_vec3 weight = v3_scale(m->links[i].mass, m->gravity);
        w->F[i] = wr_add(w->load[i], (jn_wrench){v3_cross(w->link[i].c, weight), weight});
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        for (int k = l->v; k < l->v + l->nv; k++) f[k] = w->tau[k] + tw_dot(w->S[k], w->F[i]);
        if (l->parent > 0) w->F[l->parent] = wr_add(w->F[l->parent], wr_shift(w->F[i], w->link[i].r));
    }
}

void jn_mass_multiply(const jn_model *m, const jn_work *w, const double *added, const double *x, double *y) {
    memset(y, 0, (size_t)m->nv * sizeof *y);
    for (int k = 0; k < m->nv; k++) {
        const double *row = w->M_raw + m->M_start[k];
        const int *col = m->M_col + m->M_start[k];
        int depth = m->dof_depth[k];
        double sum = (row[depth] - (added ? added[k] : 0)) * x[k];
        for (int a = 0; a < depth; a++) sum += row[a] * x[col[a]], y[col[a]] += row[a] * x[k];
        y[k] += sum;
    }
}

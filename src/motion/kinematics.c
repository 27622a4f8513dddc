/* Poses, velocities and velocity-product accelerations of all links, outwards from the ground. */
#include "algebra/angle.h"
#include "motion/segment.h"

/* What a joint adds to its parent's motion. */
typedef struct jn_joint_step {
    jn_mat3 *R;    /* link's rotation, written where it belongs */
    jn_vec3 r;     /* origin against the parent's origin */
    jn_vec3 w, v;  /* relative angular velocity, relative velocity of the origin */
    jn_vec3 extra; /* rate of w beyond w_parent x w: non-zero where axes move within the joint */
} jn_joint_step;

static jn_mat3 turned(const jn_mat3 *R, jn_vec3 axis, double angle) {
    double c, s;
    jn_cos_sin(angle, &c, &s);
    jn_mat3 T = m3_rotation(axis, c, s);
    return m3_mul(R, &T);
}

/* A row r of R T for a rotation T about the unit axis a: c r + (1-c) (r.a) a + s r x a; w = r.a, ta = (1-c) a, sa = s a. */
static inline void turn_row(const double *restrict r, double c, double w, jn_vec3 ta, jn_vec3 sa, double *restrict out) {
    out[0] = jn_fma(-r[2], sa.y, jn_dot3(c, r[0], w, ta.x, r[1], sa.z));
    out[1] = jn_fma(-r[0], sa.z, jn_dot3(c, r[1], w, ta.y, r[2], sa.x));
    out[2] = jn_fma(-r[1], sa.x, jn_dot3(c, r[2], w, ta.z, r[0], sa.y));
}

static inline void step_revolute(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                                 jn_joint_step *o) {
    double c, sine;
    jn_vec3 s = m3_mul_v(RP, l->axis);
    jn_cos_sin(q[0], &c, &sine);
    jn_vec3 ta = v3_scale(1 - c, l->axis), sa = v3_scale(sine, l->axis);
    turn_row(RP->m, c, s.x, ta, sa, o->R->m);
    turn_row(RP->m + 3, c, s.y, ta, sa, o->R->m + 3);
    turn_row(RP->m + 6, c, s.z, ta, sa, o->R->m + 6);
    o->r = l->in_place ? v3(0, 0, 0) : m3_mul_v(RP, l->anchor);
    S[0] = (jn_twist){s, v3(0, 0, 0)};
    o->w = v3_scale(u[0], s);
    o->v = v3(0, 0, 0);
}

static void step_prismatic(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                           jn_joint_step *o) {
    jn_vec3 s = m3_mul_v(RP, l->axis);
    *o->R = *RP;
    o->r = v3_axpy(q[0], s, m3_mul_v(RP, l->anchor));
    S[0] = (jn_twist){v3(0, 0, 0), s};
    o->w = v3(0, 0, 0);
    o->v = v3_scale(u[0], s);
}

static void step_screw(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                       jn_joint_step *o) {
    jn_vec3 s = m3_mul_v(RP, l->axis);
    *o->R = turned(RP, l->axis, q[0]);
    o->r = v3_axpy(l->pitch * q[0], s, m3_mul_v(RP, l->anchor));
    S[0] = (jn_twist){s, v3_scale(l->pitch, s)};
    o->w = v3_scale(u[0], s);
    o->v = v3_scale(l->pitch * u[0], s);
}

static void step_cylindrical(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                             jn_joint_step *o) {
    jn_vec3 s = m3_mul_v(RP, l->axis);
    *o->R = turned(RP, l->axis, q[1]);
    o->r = v3_axpy(q[0], s, m3_mul_v(RP, l->anchor));
    S[0] = (jn_twist){v3(0, 0, 0), s};
    S[1] = (jn_twist){s, v3(0, 0, 0)};
    o->w = v3_scale(u[1], s);
    o->v = v3_scale(u[0], s);
}

static void step_universal(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                           jn_joint_step *o) {
    jn_mat3 R1 = turned(RP, l->axis, q[0]);
    jn_vec3 s1 = m3_mul_v(RP, l->axis), s2 = m3_mul_v(&R1, l->axis2);
    *o->R = turned(&R1, l->axis2, q[1]);
    o->r = m3_mul_v(RP, l->anchor);
    S[0] = (jn_twist){s1, v3(0, 0, 0)};
    S[1] = (jn_twist){s2, v3(0, 0, 0)};
    o->w = v3_axpy(u[0], s1, v3_scale(u[1], s2));
    o->v = v3(0, 0, 0);
    o->extra = v3_scale(u[0] * u[1], v3_cross(s1, s2));
}

static void step_planar(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                        jn_joint_step *o) {
    jn_vec3 n = m3_mul_v(RP, l->axis), x = m3_mul_v(RP, l->axis2), y = v3_cross(n, x);
    *o->R = turned(RP, l->axis, q[2]);
    o->r = v3_axpy(q[0], x, v3_axpy(q[1], y, m3_mul_v(RP, l->anchor)));
    S[0] = (jn_twist){v3(0, 0, 0), x};
    S[1] = (jn_twist){v3(0, 0, 0), y};
    S[2] = (jn_twist){n, v3(0, 0, 0)};
    o->w = v3_scale(u[2], n);
    o->v = v3_axpy(u[0], x, v3_scale(u[1], y));
}

/* R = R_P E Q(q) E^T: at the unit quaternion the link is parallel to its parent. */
static void step_spherical(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                           jn_joint_step *o) {
    jn_mat3 Q = q4_matrix((jn_quat){q[0], q[1], q[2], q[3]}), RE = l->plain ? *RP : m3_mul(RP, &l->E);
    *o->R = m3_mul(&RE, &Q);
    if (!l->plain) {
        jn_mat3 Et = m3_transpose(&l->E);
        *o->R = m3_mul(o->R, &Et);
    }
    o->r = m3_mul_v(RP, l->anchor);
    for (int k = 0; k < 3; k++) S[k] = (jn_twist){m3_column(&RE, k), v3(0, 0, 0)};
    o->w = m3_mul_v(&RE, v3(u[0], u[1], u[2]));
    o->v = v3(0, 0, 0);
}

/* R = R_P E Q(q): the quaternion is the orientation of the user's body frame. */
static void step_free(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                      jn_joint_step *o) {
    jn_mat3 Q = q4_matrix((jn_quat){q[3], q[4], q[5], q[6]}), RE = l->plain ? *RP : m3_mul(RP, &l->E);
    *o->R = m3_mul(&RE, &Q);
    o->r = v3_add(m3_mul_v(RP, l->anchor), m3_mul_v(&RE, v3(q[0], q[1], q[2])));
    for (int k = 0; k < 3; k++) {
        S[k] = (jn_twist){v3(0, 0, 0), m3_column(&RE, k)};
        S[3 + k] = (jn_twist){m3_column(&RE, k), v3(0, 0, 0)};
    }
    o->v = m3_mul_v(&RE, v3(u[0], u[1], u[2]));
    o->w = m3_mul_v(&RE, v3(u[3], u[4], u[5]));
}

static void step_fixed(const jn_link *l, const jn_mat3 *RP, jn_joint_step *o) {
    *o->R = *RP;
    o->r = m3_mul_v(RP, l->anchor);
    o->w = o->v = v3(0, 0, 0);
}

/* Of every joint but a hinge, which the loop over links knows itself. */
static void step_of_other_joint(const jn_link *l, const jn_mat3 *RP, const double *q, const double *u, jn_twist *S,
                       jn_joint_step *o) {
    switch (l->type) {
    case JN_JOINT_PRISMATIC: step_prismatic(l, RP, q, u, S, o); break;
    case JN_JOINT_SCREW: step_screw(l, RP, q, u, S, o); break;
    case JN_JOINT_CYLINDRICAL: step_cylindrical(l, RP, q, u, S, o); break;
    case JN_JOINT_UNIVERSAL: step_universal(l, RP, q, u, S, o); break;
    case JN_JOINT_PLANAR: step_planar(l, RP, q, u, S, o); break;
    case JN_JOINT_SPHERICAL: step_spherical(l, RP, q, u, S, o); break;
    case JN_JOINT_FREE: step_free(l, RP, q, u, S, o); break;
    default: step_fixed(l, RP, o); break;
    }
}

/* With P the parent and x' the rate of x in the parent's frame:
 *   v = v_P + w_P x r + v_rel,   a = a_P + alpha_P x r + w_P x (w_P x r) + 2 w_P x v_rel + v_rel'. */
static inline void add_step(const jn_link *l, const jn_link_motion *P, const jn_joint_step *o, jn_link_motion *B) {
    jn_vec3 w = P->V.w, w_r = v3_cross(w, o->r), O = v3_add(P->O, o->r), v = v3_add(v3_add(P->V.v, w_r), o->v);
    B->r = o->r;
    B->O = O;
    B->c = m3_mul_v(&B->R, l->com);
    B->V = (jn_twist){v3_add(w, o->w), v};
    B->bias = (jn_twist){v3_add(v3_cross(w, o->w), o->extra), v3_cross(w, v3_add(w_r, v3_scale(2, o->v)))};
}

static inline __attribute__((always_inline)) void link_kinematics(const jn_model *m, jn_work *work, const jn_state *s,
                                                                  int i) {
    const jn_link *l = &m->links[i];
    const jn_link_motion *P = &work->link[l->parent];
    jn_link_motion *B = &work->link[i];
    const double *q = s->q + l->q, *u = s->u + l->v;
    jn_twist *S = work->S + l->v;
    if (l->type == JN_JOINT_REVOLUTE) { /* the most frequent joint, whose step stays in registers */
        jn_joint_step hinge = {.R = &B->R};
        step_revolute(l, &P->R, q, u, S, &hinge);
        add_step(l, P, &hinge, B);
    } else {
        jn_joint_step o = {.R = &B->R};
        step_of_other_joint(l, &P->R, q, u, S, &o);
        add_step(l, P, &o, B);
    }
}

/* Twist of a link from its velocities u along the axes of the world. */
static inline jn_twist world_twist(const double *u) { return (jn_twist){v3(u[3], u[4], u[5]), v3(u[0], u[1], u[2])}; }

/* The same for such a link: nothing of the ground is in its motion but where it stands. Its axes stay as they are. */
static inline void free_kinematics(const jn_model *m, jn_work *work, const jn_state *s, int i) {
    const jn_link *l = &m->links[i];
    jn_link_motion *B = &work->link[i];
    const double *q = s->q + l->q;
    B->R = q4_matrix((jn_quat){q[3], q[4], q[5], q[6]});
    B->r = v3_add(l->anchor, v3(q[0], q[1], q[2]));
    B->O = v3_add(work->link[0].O, B->r);
    B->c = l->alone ? v3(0, 0, 0) : m3_mul_v(&B->R, l->com);
    B->V = world_twist(s->u + l->v);
    B->bias = tw_zero();
}

/* Links from `from` to before `to`. */
static void place_links(const jn_model *m, jn_work *work, const jn_state *s, int from, int to) {
    for (int i = from; i < to; i++)
        m->links[i].world_axes ? free_kinematics(m, work, s, i) : link_kinematics(m, work, s, i);
}

/* A state, and where its kinematics go. */
typedef struct placing {
    const jn_model *m;
    jn_work *work;
    const jn_state *s;
} placing;

/* Some links behind the ground, where all are alone. */
static void place_alone(void *context, int from, int to) {
    const placing *p = context;
    for (int i = from + 1; i < to + 1; i++) free_kinematics(p->m, p->work, p->s, i);
}

static double rotor_kinetic(const jn_model *m, const jn_state *s) {
    double sum = 0;
    for (int k = 0; k < m->nv && m->armature; k++) sum += 0.5 * m->armature[k] * s->u[k] * s->u[k];
    return sum;
}

void jn_kinematics(const jn_model *m, jn_work *work, const jn_state *s) {
    if (m->flat)
        jn_planar_kinematics(m, work, s, 1, m->link_count);
    else if (work->all_alone)
        jn_pool_range(work->pool, m->link_count - 1, JN_SHARED_LINKS, place_alone, &(placing){m, work, s});
    else
        place_links(m, work, s, 1, m->link_count);
    work->rotor_kinetic = rotor_kinetic(m, s);
    work->state = s;
    work->placed++, work->counts.kinematics++;
}

void jn_velocities(const jn_model *m, jn_work *work, const jn_state *s) {
    work->rotor_kinetic = rotor_kinetic(m, s);
    if (m->flat) {
        jn_planar_velocities(m, work, s->u);
        return;
    }
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        jn_link_motion *B = &work->link[i];
        jn_twist V = tw_shift(work->link[l->parent].V, B->r);
        for (int k = l->v; k < l->v + l->nv; k++) V = tw_axpy(s->u[k], work->S[k], V);
        B->V = V;
    }
}

void jn_velocities_of(const jn_model *m, const jn_work *work, const double *u, jn_twist *V) {
    if (m->flat) {
        jn_planar_velocities_of(m, work, u, V);
        return;
    }
    V[0] = tw_zero();
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        jn_twist own = tw_shift(V[l->parent], work->link[i].r);
        for (int k = l->v; k < l->v + l->nv; k++) own = tw_axpy(u[k], work->S[k], own);
        V[i] = own;
    }
}

void jn_velocities_of_three(const jn_model *m, const jn_work *work, const double *const u[3], jn_twist *const V[3]) {
    if (m->flat) {
        for (int n = 0; n < 3; n++) jn_planar_velocities_of(m, work, u[n], V[n]);
        return;
    }
    for (int n = 0; n < 3; n++) V[n][0] = tw_zero();
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        if (l->world_axes) {
            for (int n = 0; n < 3; n++) V[n][i] = world_twist(u[n] + l->v);
            continue;
        }
        jn_twist a = V[0][l->parent], b = V[1][l->parent], c = V[2][l->parent];
        if (!l->in_place) {
            jn_vec3 r = work->link[i].r;
            a = tw_shift(a, r), b = tw_shift(b, r), c = tw_shift(c, r);
        }
        if (l->type == JN_JOINT_REVOLUTE) {
            int k = l->v;
            jn_vec3 s = work->S[k].w;
            V[0][i] = (jn_twist){v3_axpy(u[0][k], s, a.w), a.v};
            V[1][i] = (jn_twist){v3_axpy(u[1][k], s, b.w), b.v};
            V[2][i] = (jn_twist){v3_axpy(u[2][k], s, c.w), c.v};
            continue;
        }
        for (int k = l->v; k < l->v + l->nv; k++) {
            jn_twist S = work->S[k];
            a = tw_axpy(u[0][k], S, a), b = tw_axpy(u[1][k], S, b), c = tw_axpy(u[2][k], S, c);
        }
        V[0][i] = a, V[1][i] = b, V[2][i] = c;
    }
}

void jn_kinematics_link(const jn_model *m, jn_work *work, const jn_state *s, int link) {
    work->placed++, work->counts.link_kinematics++;
    if (link == 0) return;
    if (m->flat)
        jn_planar_kinematics(m, work, s, link, link + 1);
    else
        place_links(m, work, s, link, link + 1);
}

void jn_bias_accelerations(const jn_model *m, jn_work *w) {
    w->A_bias[0] = tw_zero();
    for (int i = 1; i < m->link_count; i++) {
        const jn_link_motion *B = &w->link[i];
        w->A_bias[i] = tw_add(tw_shift(w->A_bias[m->links[i].parent], B->r), B->bias);
    }
}

void jn_q_rate(const jn_model *m, const double *q, const double *u, double *rate) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const double *ui = u + l->v, *qi = q + l->q;
        double *ri = rate + l->q;
        int head = l->nq == l->nv ? l->nv : l->nv - 3;
        for (int k = 0; k < head; k++) ri[k] = ui[k];
        if (l->nq == l->nv) continue;
        const double *e = qi + head; /* q' = (0, w) q / 2 */
        jn_quat d = q4_mul((jn_quat){0, ui[head], ui[head + 1], ui[head + 2]}, (jn_quat){e[0], e[1], e[2], e[3]});
        ri[head] = 0.5 * d.w, ri[head + 1] = 0.5 * d.x, ri[head + 2] = 0.5 * d.y, ri[head + 3] = 0.5 * d.z;
    }
}

void jn_q_advance(const jn_model *m, double *q, const double *u, double h) { jn_q_after(m, q, u, h, q); }

void jn_q_after(const jn_model *m, const double *q, const double *u, double h, double *out) {
    if (m->nq == m->nv) /* no quaternions */
        for (int k = 0; k < m->nv; k++) out[k] = q[k] + h * u[k];
    else
        jn_q_after_links(m, q, u, h, 1, m->link_count, out);
}

void jn_q_after_links(const jn_model *m, const double *q, const double *u, double h, int from, int to, double *out) {
    for (int i = from; i < to; i++) {
        const jn_link *l = &m->links[i];
        const double *ui = u + l->v, *qi = q + l->q;
        double *next = out + l->q;
        int head = l->nq == l->nv ? l->nv : l->nv - 3;
        for (int k = 0; k < head; k++) next[k] = qi[k] + h * ui[k];
        if (l->nq == l->nv) continue;
        const double *e = qi + head;
        jn_quat turn = q4_exp(v3_scale(h, v3(ui[head], ui[head + 1], ui[head + 2])));
        jn_quat after = q4_unit(q4_mul(turn, (jn_quat){e[0], e[1], e[2], e[3]}));
        next[head] = after.w, next[head + 1] = after.x, next[head + 2] = after.y, next[head + 3] = after.z;
    }
}

void jn_q_normalise(const jn_model *m, double *q) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        if (l->nq == l->nv) continue;
        double *e = q + l->q + l->nq - 4;
        jn_quat n = q4_unit((jn_quat){e[0], e[1], e[2], e[3]});
        e[0] = n.w, e[1] = n.x, e[2] = n.y, e[3] = n.z;
    }
}

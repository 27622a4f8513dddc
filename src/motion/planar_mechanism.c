/* Mechanisms in a plane: poses, velocities, inverse dynamics and inertia by the three equations that each body has there. The
 * sums are those of kinematics.c, recursion.c and mass.c less the terms that are zero; jn_model.flat says where they are. What never changes
 * stays as jn_work_create has left it. */
#include "algebra/angle.h"
#include "motion/work.h"

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 add(vec2 a, vec2 b) { return (vec2){a.x + b.x, a.y + b.y}; }
static inline vec2 axpy(double s, vec2 a, vec2 b) { return (vec2){s * a.x + b.x, s * a.y + b.y}; }
static inline vec2 scale(double s, vec2 a) { return (vec2){s * a.x, s * a.y}; }
static inline vec2 flat(jn_vec3 a) { return (vec2){a.x, a.y}; }
static inline vec2 left(double w, vec2 a) { return (vec2){-w * a.y, w * a.x}; } /* w e_z x a */
static inline double dot(vec2 a, vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double cross(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }
static inline vec2 turned(vec2 e, jn_vec3 a) { return (vec2){e.x * a.x - e.y * a.y, e.y * a.x + e.x * a.y}; }
static inline void put(jn_vec3 *to, vec2 a) { to->x = a.x, to->y = a.y; }
static inline jn_vec3 in_space(vec2 a) { return v3(a.x, a.y, 0); }

/* What a joint adds to its parent's motion; e: cosine and sine of the link's angle. */
typedef struct flat_step {
    vec2 e, r, v;
    double w;
} flat_step;

static inline vec2 turned_by(vec2 e, double angle) {
    double c, s;
    jn_cos_sin(angle, &c, &s);
    return (vec2){c * e.x - s * e.y, c * e.y + s * e.x};
}

static inline flat_step joint_step(const jn_link *l, vec2 e, const double *q, const double *u, jn_twist *S) {
    flat_step o = {e, turned(e, l->anchor), {0, 0}, 0};
    double sign = l->axis.z;
    if (l->type == JN_JOINT_REVOLUTE) {
        o.e = turned_by(e, sign * q[0]), o.w = sign * u[0];
        S[0].w.z = sign;
    } else if (l->type == JN_JOINT_PRISMATIC) {
        vec2 a = turned(e, l->axis);
        o.r = axpy(q[0], a, o.r), o.v = scale(u[0], a);
        put(&S[0].v, a);
    } else if (l->type == JN_JOINT_PLANAR) {
        vec2 x = turned(e, l->axis2), y = left(sign, x);
        o.e = turned_by(e, sign * q[2]), o.w = sign * u[2];
        o.r = axpy(q[0], x, axpy(q[1], y, o.r)), o.v = axpy(u[0], x, scale(u[1], y));
        put(&S[0].v, x), put(&S[1].v, y), S[2].w.z = sign;
    }
    return o;
}

/* v = v_P + w_P x r + v_rel; velocity products w_P x (w_P x r + 2 v_rel). */
static inline void link_kinematics(const jn_model *m, jn_work *work, const jn_state *s, int i) {
    const jn_link *l = &m->links[i];
    const jn_link_motion *P = &work->link[l->parent];
    jn_link_motion *B = &work->link[i];
    flat_step o = joint_step(l, (vec2){P->R.m[0], P->R.m[3]}, s->q + l->q, s->u + l->v, work->S + l->v);
    double w = P->V.w.z;
    vec2 w_r = left(w, o.r);
    B->R.m[0] = B->R.m[4] = o.e.x, B->R.m[3] = o.e.y, B->R.m[1] = -o.e.y;
    put(&B->O, add(flat(P->O), o.r)), put(&B->r, o.r), put(&B->c, turned(o.e, l->com));
    B->V.w.z = w + o.w, put(&B->V.v, add(add(flat(P->V.v), w_r), o.v));
    put(&B->bias.v, left(w, axpy(2, o.v, w_r)));
}

void jn_planar_kinematics(const jn_model *m, jn_work *work, const jn_state *s, int first, int end) {
    for (int i = first; i < end; i++) link_kinematics(m, work, s, i);
}

/* Velocity of a link from that of its parent, with u. */
static inline jn_twist velocity(const jn_link *l, const jn_work *work, const double *u, int i, const jn_twist *parent) {
    double w = parent->w.z;
    vec2 v = add(flat(parent->v), left(w, flat(work->link[i].r)));
    for (int k = l->v; k < l->v + l->nv; k++) w += u[k] * work->S[k].w.z, v = axpy(u[k], flat(work->S[k].v), v);
    return (jn_twist){v3(0, 0, w), in_space(v)};
}

void jn_planar_velocities(const jn_model *m, jn_work *work, const double *u) {
    for (int i = 1; i < m->link_count; i++)
        work->link[i].V = velocity(&m->links[i], work, u, i, &work->link[m->links[i].parent].V);
}

void jn_planar_velocities_of(const jn_model *m, const jn_work *work, const double *u, jn_twist *V) {
    V[0] = tw_zero();
    for (int i = 1; i < m->link_count; i++) V[i] = velocity(&m->links[i], work, u, i, &V[m->links[i].parent]);
}

/* Newton-Euler at the link's origin, outwards: f = m a_c, n = J alpha + c x f. */
static void inertial_loads(const jn_model *m, jn_work *w, const double *a, const jn_wrench *load) {
    w->A[0] = (jn_twist){v3(0, 0, 0), v3_neg(m->gravity)};
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const jn_link_motion *B = &w->link[i];
        const jn_twist *P = &w->A[l->parent];
        double alpha = P->w.z, spin = B->V.w.z;
        vec2 acc = add(flat(P->v), add(left(alpha, flat(B->r)), flat(B->bias.v))), c = flat(B->c);
        for (int k = l->v; a && k < l->v + l->nv; k++)
            alpha += a[k] * w->S[k].w.z, acc = axpy(a[k], flat(w->S[k].v), acc);
        w->A[i] = (jn_twist){v3(0, 0, alpha), in_space(acc)};
        vec2 f = scale(l->mass, add(acc, axpy(-spin * spin, c, left(alpha, c))));
        double n = l->inertia.zz * alpha + cross(c, f);
        w->F[i] = (jn_wrench){v3(0, 0, n - load[i].n.z), v3(f.x - load[i].f.x, f.y - load[i].f.y, 0)};
    }
}

/* S . F of a motion and a force in the plane. */
static inline double power(const jn_twist *S, double n, vec2 f) { return S->w.z * n + dot(flat(S->v), f); }

void jn_planar_forces(const jn_model *m, jn_work *w, const double *a, const jn_wrench *load, double *tau) {
    inertial_loads(m, w, a, load);
    for (int i = m->link_count - 1; i > 0; i--) {
        const jn_link *l = &m->links[i];
        jn_wrench *up = &w->F[l->parent];
        vec2 f = flat(w->F[i].f);
        double n = w->F[i].n.z;
        for (int k = l->v; k < l->v + l->nv; k++) tau[k] = power(&w->S[k], n, f);
        if (l->parent == 0) continue;
        up->n.z += n + cross(flat(w->link[i].r), f);
        up->f.x += f.x, up->f.y += f.y;
    }
}

/* Composite bodies: mass, first and second moment about the link's origin. */
static void composite_inertias(const jn_model *m, jn_work *w) {
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        vec2 c = flat(w->link[i].c), h = scale(l->mass, c);
        jn_rigid *I = &w->Ic[i];
        I->m = l->mass, I->h.x = h.x, I->h.y = h.y, I->J.zz = l->inertia.zz + dot(h, c);
    }
    for (int i = m->link_count - 1; i > 0; i--) {
        if (m->links[i].parent == 0) continue;
        const jn_rigid *I = &w->Ic[i];
        jn_rigid *up = &w->Ic[m->links[i].parent];
        vec2 r = flat(w->link[i].r), h = flat(I->h), k = axpy(I->m, r, h);
        up->m += I->m, up->h.x += k.x, up->h.y += k.y, up->J.zz += I->J.zz + dot(r, add(h, k));
    }
}

void jn_planar_mass_rows(const jn_model *m, jn_work *w) {
    composite_inertias(m, w);
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const jn_rigid *I = &w->Ic[i];
        for (int k = l->v; k < l->v + l->nv; k++) {
            double *row = w->M + m->M_start[k], spin = w->S[k].w.z;
            vec2 v = flat(w->S[k].v), f = axpy(I->m, v, left(spin, flat(I->h)));
            double n = I->J.zz * spin + cross(flat(I->h), v);
            for (int d = l->v; d <= k; d++) row[m->dof_depth[d]] = power(&w->S[d], n, f);
            if (m->armature) row[m->dof_depth[k]] += m->armature[k];
            for (int j = l->parent; j > 0; j = m->links[j].parent) {
                const jn_link *up = &m->links[j];
                vec2 r = {w->link[i].O.x - w->link[j].O.x, w->link[i].O.y - w->link[j].O.y};
                double at_j = n + cross(r, f);
                if (up->type == JN_JOINT_REVOLUTE)
                    row[m->dof_depth[up->v]] = up->axis.z * at_j;
                else
                    for (int d = up->v; d < up->v + up->nv; d++) row[m->dof_depth[d]] = power(&w->S[d], at_j, f);
            }
        }
    }
}

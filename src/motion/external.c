/* The momentum of all bodies, and the wrench on them from outside: gravity, and what the ground does through loads, joints, rows and
 * coordinates. All about the world's origin.
 *
 * A tree that hangs on the ground by a joint which carries forces is reckoned by that joint: the wrench through it follows from the
 * accelerations (Newton and Euler for the whole tree), less what acts on the tree otherwise. What acts between the ground and such
 * a tree, or between two of them, cancels there. A tree that floats takes part by what others put on it, and that is taken from the side of
 * the ground: a force that its partner does not feel is not explained. */
#include "motion/work.h"

/* Of one link with the twist V of its origin. */
static jn_wrench momentum_of(const jn_link *l, const jn_link_motion *B, jn_twist V) {
    jn_vec3 spin = m3_mul_v(&B->R, s3_mul_v(&l->inertia, m3_tmul_v(&B->R, V.w)));
    jn_vec3 p = v3_scale(l->mass, v3_add(V.v, v3_cross(V.w, B->c)));
    return (jn_wrench){v3_add(spin, v3_cross(v3_add(B->O, B->c), p)), p};
}

/* Linear (f) and angular (n) momentum of all bodies where the work space stands; size: sums of the magnitudes of the bodies' own,
 * linear and angular (arm times momentum, and spin). Rotors ('armature') act on their coordinate alone and are no bodies: they are not counted. O(n). */
jn_wrench jn_momentum_sum(const jn_model *m, const jn_work *w, double size[2]) {
    jn_wrench sum = wr_zero();
    size[0] = size[1] = 0;
    for (int i = 1; i < m->link_count; i++) {
        const jn_link_motion *B = &w->link[i];
        jn_wrench p = momentum_of(&m->links[i], B, B->V);
        sum = wr_add(sum, p);
        jn_vec3 at = v3_add(B->O, B->c);
        size[0] += v3_norm(p.f), size[1] += v3_norm(at) * v3_norm(p.f) + v3_norm(v3_sub(p.n, v3_cross(at, p.f)));
    }
    return sum;
}

jn_wrench jn_momentum_of(const jn_model *m, jn_work *w, const double *u) {
    jn_wrench sum = wr_zero();
    jn_velocities_of(m, w, u, w->twist);
    for (int i = 1; i < m->link_count; i++) sum = wr_add(sum, momentum_of(&m->links[i], &w->link[i], w->twist[i]));
    return sum;
}

/* ---------------------------------------------------------------------------------------------------- its parts */

static jn_wrench gravity(const jn_model *m, const jn_work *w) {
    double x = 0, y = 0, z = 0, mass = 0;
    jn_vec3 g = m->gravity;
    if (g.x == 0 && g.y == 0 && g.z == 0) return wr_zero();
    for (int i = 1; i < m->link_count; i++) {
        const jn_link_motion *B = &w->link[i];
        double k = m->links[i].mass;
        mass += k, x += k * (B->O.x + B->c.x), y += k * (B->O.y + B->c.y), z += k * (B->O.z + B->c.z);
    }
    return (jn_wrench){v3_cross(v3(x, y, z), g), v3_scale(mass, g)};
}

/* A wrench at the origin of a link, about the world's. */
static jn_wrench at_world(const jn_work *w, int link, jn_wrench f) { return wr_shift(f, w->link[link].O); }

/* What two opposite wrenches on links A and B do to trees that float: the opposite of what the other side receives. */
static void add_pair(const jn_model *m, const jn_work *w, int A, int B, jn_wrench fA, jn_wrench fB, jn_wrench *sum) {
    bool first = m->links[A].hangs;
    if (first == m->links[B].hangs) return;
    *sum = wr_sub(*sum, first ? at_world(w, A, fA) : at_world(w, B, fB));
}

/* A force on the coordinate of a tree's own joint counts where that joint leaves the tree free. */
static inline void add_coordinate(const jn_model *m, const jn_work *w, int v, double force, jn_wrench *sum) {
    int link = m->dof_link[v];
    if (m->links[link].parent || m->links[link].hangs) return;
    jn_wrench f = {v3_scale(force, w->S[v].w), v3_scale(force, w->S[v].v)};
    *sum = wr_add(*sum, at_world(w, link, f));
}

static void add_reach(const jn_model *m, const jn_work *w, int reach, double force, jn_wrench *sum) {
    for (int i = 0; i < w->pulls[reach]; i++) {
        const jn_pull *p = &w->pull[m->reaches[reach].pull + i];
        jn_wrench A, B;
        if (m->links[p->A].hangs == m->links[p->B].hangs) continue;
        jn_pull_wrenches(w, p, &A, &B);
        add_pair(m, w, p->A, p->B, wr_scale(force, A), wr_scale(force, B), sum);
    }
}

void jn_external_handle(const jn_model *m, const jn_work *w, int handle, double force, jn_wrench *sum) {
    const jn_handle *h = &m->handles[handle];
    if (force == 0) return;
    if (h->v >= 0) {
        add_coordinate(m, w, h->v, force, sum);
        return;
    }
    for (int i = h->term; i < h->term + h->terms; i++)
        jn_external_handle(m, w, m->terms[i].handle, force * m->terms[i].factor, sum);
    if (h->terms) return;
    if (h->reach) {
        add_reach(m, w, h->reach - 1, force, sum);
        return;
    }
    const jn_closure *c = &m->closures[h->closure];
    if (m->links[c->A.link].hangs == m->links[c->B.link].hangs) return;
    jn_wrench A, B;
    jn_handle_wrenches(m, w, handle, &A, &B);
    add_pair(m, w, c->A.link, c->B.link, wr_scale(force, A), wr_scale(force, B), sum);
}

/* The same for all coordinates f (6) of a link along the axes of the world, one after the other. */
static void add_free(jn_vec3 O, const double *f, jn_wrench *sum) {
    jn_vec3 *F = &sum->f, *N = &sum->n;
    F->x += f[0], N->y += O.z * f[0], N->z -= O.y * f[0];
    F->y += f[1], N->x -= O.z * f[1], N->z += O.x * f[1];
    F->z += f[2], N->x += O.y * f[2], N->y -= O.x * f[2];
    N->x += f[3], N->y += f[4], N->z += f[5];
}

jn_wrench jn_external_coordinates(const jn_model *m, const jn_work *w, const double *f) {
    jn_wrench sum = wr_zero();
    for (int i = 0; i < m->root_count && m->floats; i++) {
        const jn_link *l = &m->links[m->roots[i]];
        if (l->world_axes)
            add_free(w->link[m->roots[i]].O, f + l->v, &sum);
        else
            for (int k = l->v; k < l->v + l->nv; k++) add_coordinate(m, w, k, f[k], &sum);
    }
    return sum;
}

/* Gravity, loads on the ground, and forces on coordinates. */
static jn_wrench applied_part(const jn_model *m, const jn_work *w) {
    jn_wrench sum = gravity(m, w);
    if (jn_work_has_loads(m, w)) sum = wr_sub(sum, w->load[0]);
    if (!m->floats) return sum;
    for (int i = 0, count = m->outer_actuators ? m->actuator_count : 0; i < count; i++) {
        int handle = m->actuators[i].handle, v = m->handles[handle].v;
        if (v >= 0 && m->links[m->dof_link[v]].parent) continue; /* inside its tree */
        jn_external_handle(m, w, handle, w->force[handle], &sum);
    }
    return w->control ? wr_add(sum, jn_external_coordinates(m, w, w->control_tau)) : sum;
}

jn_wrench jn_external_forces(const jn_model *m, const jn_work *w) {
    jn_wrench sum = applied_part(m, w);
    for (int r = 0; r < m->root_count; r++) {
        int i = m->roots[r];
        if (m->links[i].hangs) sum = wr_add(sum, at_world(w, i, w->F[i]));
    }
    return sum;
}

jn_wrench jn_external_at_rest(const jn_model *m, const jn_work *w) {
    jn_wrench sum = applied_part(m, w);
    for (int r = 0; r < m->root_count; r++) {
        int i = m->roots[r];
        if (m->links[i].hangs) sum = wr_sub(sum, at_world(w, i, w->F[i]));
    }
    return sum;
}

jn_wrench jn_external_inertia(const jn_model *m, jn_work *w, const double *a) {
    jn_wrench sum = wr_zero();
    for (int v = 0; v < m->nv && m->armature && m->floats; v++)
        if (m->armature[v] != 0) add_coordinate(m, w, v, -m->armature[v] * a[v], &sum);
    if (m->floats == m->link_count - 1) return sum;
    jn_velocities_of(m, w, a, w->twist);
    for (int i = 1; i < m->link_count; i++)
        if (m->links[i].hangs) sum = wr_add(sum, momentum_of(&m->links[i], &w->link[i], w->twist[i]));
    return sum;
}

jn_wrench jn_external_rows(const jn_model *m, const jn_work *w, const double *lambda) {
    jn_wrench sum = wr_zero();
    for (int i = 0; i < m->row_count && m->floats; i++) {
        const jn_row *row = &m->rows[i];
        if (row->type == JN_ROW_DRIVER) {
            jn_external_handle(m, w, m->drivers[row->item].handle, lambda[i], &sum);
        } else if (row->type == JN_ROW_COUPLER) {
            const jn_coupler *c = &m->couplers[row->item];
            for (int k = 0; k < c->count; k++)
                jn_external_handle(m, w, c->handle[k], lambda[i] * jn_coupler_term(w, c, k).slope, &sum);
        } else {
            const jn_closure *c = &m->closures[row->item];
            if (m->links[c->A.link].hangs == m->links[c->B.link].hangs) continue;
            jn_wrench A, B;
            jn_row_wrenches(m, w, i, &A, &B);
            add_pair(m, w, c->A.link, c->B.link, wr_scale(lambda[i], A), wr_scale(lambda[i], B), &sum);
        }
    }
    return sum;
}

jn_wrench jn_external_contact(const jn_model *m, int A, int B, jn_vec3 point, jn_vec3 on_B) {
    bool first = m->links[A].hangs;
    if (first == m->links[B].hangs) return wr_zero();
    jn_vec3 f = first ? on_B : v3_neg(on_B);
    return (jn_wrench){v3_cross(point, f), f};
}

/* -------------------------------------------------------------------------------------------------- after a call */

/* Forces through the joints of trees that hang on the ground, after jn_aba_loaded: F = Ia A' + p with A' at a = 0. */
static jn_wrench after_recursion(const jn_model *m, jn_work *w, const double *a) {
    jn_wrench sum = applied_part(m, w);
    for (int v = 0; v < m->nv && m->armature && m->floats; v++)
        if (m->armature[v] != 0) add_coordinate(m, w, v, -m->armature[v] * a[v], &sum);
    if (m->floats == m->link_count - 1) return sum;
    for (int r = 0; r < m->root_count; r++) {
        int i = m->roots[r];
        if (!m->links[i].hangs) continue;
        jn_twist A = {w->link[i].bias.w, v3_add(w->A[0].v, w->link[i].bias.v)}; /* the ground does not turn */
        sum = wr_add(sum, at_world(w, i, wr_add(artic_mul(&w->IA[i], A), w->pA[i])));
    }
    return sum;
}

jn_wrench jn_external_rate(const jn_model *m, jn_work *w, const double *a, const double *lambda) {
    if (m->row_count == 0) return after_recursion(m, w, a);
    return wr_add(wr_add(jn_external_forces(m, w), jn_external_inertia(m, w, a)), jn_external_rows(m, w, lambda));
}

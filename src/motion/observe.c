/* What a user looks at: motions of bodies, joints and points, reactions, energies. */
#include "algebra/elementary.h"
#include "motion/work.h"
#include <string.h>

static void add_load(jn_work *w, int link, jn_wrench f) { w->load_all[link] = wr_add(w->load_all[link], f); }

static void load_reach(const jn_model *m, jn_work *w, int reach, double force) {
    for (int i = 0; i < w->pulls[reach]; i++) {
        const jn_pull *p = &w->pull[m->reaches[reach].pull + i];
        jn_wrench A, B;
        jn_pull_wrenches(w, p, &A, &B);
        add_load(w, p->A, wr_scale(force, A));
        add_load(w, p->B, wr_scale(force, B));
    }
}

/* Forces on measured coordinates act on both links of the closure; those on tree coordinates are the joint's own. */
static void load_handle(const jn_model *m, jn_work *w, int handle, double force) {
    const jn_handle *h = &m->handles[handle];
    if (h->v >= 0 || force == 0) return;
    if (h->reach) {
        load_reach(m, w, h->reach - 1, force);
        return;
    }
    if (h->terms) {
        for (int i = h->term; i < h->term + h->terms; i++)
            load_handle(m, w, m->terms[i].handle, force * m->terms[i].factor);
        return;
    }
    jn_wrench A, B;
    jn_handle_wrenches(m, w, handle, &A, &B);
    const jn_closure *c = &m->closures[h->closure];
    add_load(w, c->A.link, wr_scale(force, A));
    add_load(w, c->B.link, wr_scale(force, B));
}

static void load_constraints(const jn_model *m, jn_work *w) {
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        if (row->type == JN_ROW_DRIVER) {
            load_handle(m, w, m->drivers[row->item].handle, w->lambda[i]);
        } else if (row->type == JN_ROW_COUPLER) {
            const jn_coupler *c = &m->couplers[row->item];
            for (int k = 0; k < c->count; k++) load_handle(m, w, c->handle[k], w->lambda[i] * jn_coupler_term(w, c, k).slope);
        } else {
            jn_wrench A, B;
            jn_row_wrenches(m, w, i, &A, &B);
            add_load(w, m->closures[row->item].A.link, wr_scale(w->lambda[i], A));
            add_load(w, m->closures[row->item].B.link, wr_scale(w->lambda[i], B));
        }
    }
}

void jn_reactions(const jn_model *m, jn_work *w, const jn_state *s) {
    jn_measure_all(m, w, s);
    memcpy(w->load_all, w->load, (size_t)m->link_count * sizeof *w->load);
    load_constraints(m, w);
    for (int i = 0; i < m->actuator_count; i++)
        load_handle(m, w, m->actuators[i].handle, w->force[m->actuators[i].handle]);
    jn_rnea_accelerations(m, w, w->a, true);
    jn_rnea_forces(m, w, w->load_all, NULL);
    jn_bias_accelerations(m, w);
}

int jn_observe(const jn_model *m, jn_work *w, const jn_state *s) {
    int status = jn_accelerate(m, w, s, NULL, w->a, w->lambda);
    if (status >= 0) jn_reactions(m, w, s);
    return status;
}

void jn_body_motion_get(const jn_model *m, const jn_work *w, int body, jn_body_motion *out) {
    int i = m->bodies[body].link;
    const jn_link_motion *B = &w->link[i];
    jn_mat3 R = m3_mul(&B->R, &m->links[i].user);
    jn_vec3 gravity = m->gravity, wv = B->V.w, alpha = w->A[i].w;
    *out = (jn_body_motion){.position = v3_add(B->O, B->c), .orientation = q4_from_matrix(&R), .angular_velocity = wv};
    out->velocity = v3_add(B->V.v, v3_cross(wv, B->c));
    if (i == 0) return;
    out->angular_acceleration = alpha;
    out->acceleration =
        v3_add(v3_add(w->A[i].v, gravity), v3_add(v3_cross(alpha, B->c), v3_cross(wv, v3_cross(wv, B->c))));
    if (!m->planar) return;
    out->angle = jn_atan2(R.m[3], R.m[0]);
    double counted = 0; /* the joint coordinates along the tree know the full turns */
    for (int k = i; k > 0; k = m->links[k].parent) {
        const jn_link *l = &m->links[k];
        if (l->type == JN_JOINT_REVOLUTE) counted += l->axis.z * w->state->q[l->q];
        if (l->type == JN_JOINT_PLANAR) counted += w->state->q[l->q + 2];
    }
    counted += jn_atan2(m->links[i].user.m[3], m->links[i].user.m[0]);
    out->angle += 2 * M_PI * round((counted - out->angle) / (2 * M_PI));
}

/* Part of the force through a tree joint that its coordinates' own forces do not explain: what the constraint does. */
static jn_wrench constraint_part(const jn_work *w, const jn_link *l, jn_wrench F) {
    jn_wrench out = F;
    for (int k = l->v; k < l->v + l->nv; k++) {
        double force = tw_dot(w->S[k], F);
        if (v3_dot(w->S[k].w, w->S[k].w) > 0.5)
            out.n = v3_axpy(-force, w->S[k].w, out.n);
        else
            out.f = v3_axpy(-force, w->S[k].v, out.f);
    }
    return out;
}

static jn_wrench tree_reaction(const jn_model *m, const jn_work *w, const jn_joint *j) {
    const jn_link_motion *B = &w->link[j->link], *second = &w->link[j->B.link];
    jn_wrench F = constraint_part(w, &m->links[j->link], w->F[j->link]);
    if (j->reversed) F = wr_scale(-1, F);
    jn_vec3 pB = v3_add(second->O, m3_mul_v(&second->R, j->B.p));
    return wr_shift(F, v3_sub(B->O, pB));
}

static void joint_coordinates(const jn_model *m, jn_work *w, const jn_joint *j, jn_joint_motion *out) {
    bool scalar = j->nq == j->nv;
    for (int k = 0; k < j->nv; k++) {
        int handle = j->handle + k;
        if (scalar) out->q[k] = w->position[handle];
        out->u[k] = w->speed[handle];
        out->a[k] = jn_handle_row_dot(m, w, handle, w->a) + jn_handle_bias(m, w, handle);
        out->actuator[k] = w->force[handle];
    }
    if (!scalar && j->closure < 0)
        for (int k = 0; k < j->nq; k++) out->q[k] = w->state->q[m->links[j->link].q + k];
    else if (!scalar)
        jn_closure_measure(m, w, j->closure, out->q);
}

void jn_joint_motion_get(const jn_model *m, jn_work *w, int joint, jn_joint_motion *out) {
    const jn_joint *j = &m->joints[joint];
    memset(out, 0, sizeof *out);
    joint_coordinates(m, w, j, out);
    out->reaction = j->link >= 0 ? tree_reaction(m, w, j) : jn_closure_wrench(m, w, joint, w->lambda);
    jn_mat3 E = m3_mul(&w->link[j->A.link].R, &j->A.E);
    out->reaction_local = (jn_wrench){m3_tmul_v(&E, out->reaction.n), m3_tmul_v(&E, out->reaction.f)};
    for (int i = j->driver_row;
         i >= 0 && i < m->row_count && m->rows[i].type == JN_ROW_DRIVER && m->rows[i].joint == joint; i++)
        out->drive[m->rows[i].a] = w->lambda[i];
}

jn_tendon_motion jn_tendon_motion_get(const jn_model *m, const jn_work *w, int tendon) {
    int handle = m->tendons[tendon].handle;
    bool pulls = false;
    for (int i = 0; i < m->actuator_count && !pulls; i++) pulls = m->actuators[i].handle == handle;
    return (jn_tendon_motion){w->position[handle], w->speed[handle], pulls ? w->force[handle] : 0};
}

void jn_point_motion_get(const jn_model *m, const jn_work *w, int point, jn_vec3 *p, jn_vec3 *v, jn_vec3 *a) {
    const jn_side *s = &m->points[point].side;
    const jn_link_motion *B = &w->link[s->link];
    jn_vec3 rho = m3_mul_v(&B->R, s->p), wv = B->V.w;
    *p = v3_add(B->O, rho);
    *v = v3_add(B->V.v, v3_cross(wv, rho));
    jn_twist A = s->link ? w->A[s->link] : tw_zero();
    jn_vec3 a_O = s->link ? v3_add(A.v, m->gravity) : v3(0, 0, 0);
    *a = v3_add(a_O, v3_add(v3_cross(A.w, rho), v3_cross(wv, v3_cross(wv, rho))));
}

jn_energy jn_energy_get(const jn_model *m, const jn_work *w) {
    jn_energy e = {0, 0, w->elastic, w->contact_elastic};
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        const jn_link_motion *B = &w->link[i];
        jn_vec3 v = v3_add(B->V.v, v3_cross(B->V.w, B->c)), wb = m3_tmul_v(&B->R, B->V.w);
        e.kinetic += 0.5 * (l->mass * v3_dot(v, v) + v3_dot(wb, s3_mul_v(&l->inertia, wb)));
        e.potential -= l->mass * v3_dot(m->gravity, v3_add(B->O, B->c));
    }
    e.kinetic += w->rotor_kinetic;
    return e;
}

const double *jn_multipliers_get(const jn_work *w) { return w->lambda; }
const double *jn_accelerations_get(const jn_work *w) { return w->a; }
int jn_rank_get(const jn_work *w) { return w->rank; }

jn_ledger jn_power_get(const jn_work *w) {
    jn_ledger power = w->power;
    power.driven += w->driver_power;
    return power;
}

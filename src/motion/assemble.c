/* Initial state: closes the loops of the drawn configuration and finds velocities that agree with everything prescribed.
 * Done in relative coordinates, whatever the model uses, so that both choices start from the same state. */
#include "base/memory.h"
#include "description/joint_info.h"
#include "motion/transfer.h"
#include "motion/work.h"
#include <stdio.h>
#include <string.h>

enum { MAX_NEWTON = 60, MAX_STOP_ROUNDS = 20 };
static const double far_turn = 0.5;    /* [rad] */
static const double far_beyond = 1e-3; /* [m] or [rad] beyond a stop, from which on the start is another */

/* Constraint rows and beside them what the user fixed at the start: joint coordinates or velocities; and stops that would be passed. */
typedef struct jn_start {
    const jn_model *m;
    jn_work *w;
    jn_state *s;
    jn_report *report;
    jn_qr qr;
    int rows;         /* of this stage: constraints first */
    double *J;        /* (rows x nv) */
    double *residual; /* (rows) */
    double *x;        /* (nv) */
    double *y;        /* (rows) */
    int *handle;      /* (rows) joint coordinate of a held row, or -1 */
    int *body;        /* (rows) body of a velocity row, or -1 */
    signed char *end; /* (stop_count) -1, 1: the coordinate is held at the lower or upper stop; NULL: none is */
    void *memory;
} jn_start;

/* Rows that the larger of the two stages needs beside the constraints. */
static int count_start_rows(const jn_model *m) {
    int positions = 0, velocities = 0;
    for (int k = 0; k < m->joint_count; k++)
        for (int i = 0; i < m->joints[k].nv; i++) {
            positions += m->joints[k].coordinate[i].has_position;
            velocities += m->joints[k].coordinate[i].has_speed;
        }
    for (int i = 1; i < m->body_count; i++)
        velocities += 3 * m->bodies[i].has_velocity + 3 * m->bodies[i].has_angular_velocity;
    return positions > velocities ? positions : velocities;
}

static bool start_create(jn_start *a) {
    const jn_model *m = a->m;
    size_t most = (size_t)(m->row_count + count_start_rows(m) + (a->end ? m->stop_count : 0) + 1),
           nv = (size_t)(m->nv + 1);
    if (most * nv > (size_t)2e8) return false; /* over 3 GB: more loops than this dense assembly is made for */
    size_t doubles = 2 * most * nv + 5 * most + nv, ints = 3 * most;
    a->memory = jn_malloc(doubles * sizeof(double) + ints * sizeof(int));
    if (!a->memory) return false;
    double *d = a->memory;
    a->J = d, d += most * nv;
    a->qr.Y = d, d += most * nv;
    a->residual = d, d += most;
    a->y = d, d += most;
    a->qr.beta = d, d += most;
    a->qr.tz = d, d += most;
    a->qr.x = d, d += most;
    a->x = d, d += nv;
    a->qr.pivot = (int *)d;
    a->handle = a->qr.pivot + most;
    a->body = a->handle + most;
    return true;
}

static double *new_row(jn_start *a, int handle, int body, double residual) {
    double *row = a->J + (size_t)a->rows * (size_t)a->m->nv;
    memset(row, 0, (size_t)a->m->nv * sizeof *row);
    a->handle[a->rows] = handle;
    a->body[a->rows] = body;
    a->residual[a->rows++] = residual;
    return row;
}

static void take_constraints(jn_start *a, const double *residual) {
    const jn_model *m = a->m;
    bool vanish = jn_rows_vanish(m, a->w, 1e-9);
    a->rows = 0;
    for (int i = 0; i < m->row_count; i++) {
        double *row = new_row(a, -1, -1, residual[i]);
        for (int p = m->rows[i].first; p < m->rows[i].first + m->rows[i].count && !vanish; p++)
            row[m->row_cols[p]] = a->w->G[p];
    }
}

static bool is_scalar(const jn_model *m, const jn_joint *j, int k) {
    const jn_handle *h = &m->handles[j->handle + k];
    return h->v >= 0
               ? h->q >= 0
               : jn_joint_ideal(j->type) != JN_JOINT_SPHERICAL && (j->type != JN_JOINT_FREE || k < 3 || m->planar);
}

/* A fixed joint whose bodies are turned far apart: its three directions hold at half turns, too, and Newton's method finds them. The
 * rotation vector in axes of A, whose rate is that of the angles where it is small, leads to the right one. */
static void turn_back(jn_start *a, const jn_joint *j) {
    const jn_model *m = a->m;
    const jn_closure *c = &m->closures[j->closure];
    const jn_link_motion *A = &a->w->link[c->A.link], *B = &a->w->link[c->B.link];
    jn_mat3 EA = m3_mul(&A->R, &c->A.E), EB = m3_mul(&B->R, &c->B.E), back = m3_transpose(&EA), R = m3_mul(&back, &EB);
    jn_vec3 phi = q4_log(q4_from_matrix(&R));
    int axis = 0;
    if (v3_norm(phi) < far_turn) return;
    for (int i = j->row; i < j->row + j->rows; i++) {
        if (m->rows[i].type != JN_ROW_DIRECTION) continue;
        jn_vec3 along = m3_column(&EA, axis);
        double *row = a->J + (size_t)i * (size_t)m->nv;
        memset(row, 0, (size_t)m->nv * sizeof *row);
        jn_wrench on_B = {along, v3(0, 0, 0)};
        jn_wrench_scatter(m, a->w, c, wr_scale(-1, on_B), on_B, row);
        a->residual[i] = v3_get(phi, axis++);
    }
}

static void position_rows(jn_start *a) {
    const jn_model *m = a->m;
    jn_kinematics(m, a->w, a->s);
    jn_measure_all(m, a->w, a->s);
    jn_constraint_rows(m, a->w, a->s, JN_ROWS_JACOBIAN);
    take_constraints(a, a->w->phi);
    for (int k = 0; k < m->joint_count && !m->planar; k++)
        if (m->joints[k].link < 0 && m->joints[k].type == JN_JOINT_FIXED) turn_back(a, &m->joints[k]);
    for (int k = 0; k < m->joint_count; k++) {
        const jn_joint *j = &m->joints[k];
        for (int i = 0; i < j->nv; i++) {
            const jn_coordinate_desc *c = &j->coordinate[i];
            int handle = j->handle + i;
            if (!c->has_position || c->approximate || jn_function_given(c->motion) || !is_scalar(m, j, i)) continue;
            double *row = new_row(a, handle, -1, a->w->position[handle] - c->position);
            jn_handle_scatter(m, a->w, handle, 1, row);
        }
    }
    for (int k = 0; a->end && k < m->stop_count; k++) {
        const jn_stop *stop = &m->stops[k];
        if (!a->end[k]) continue;
        double *row =
            new_row(a, stop->handle, -1, a->w->position[stop->handle] - (a->end[k] < 0 ? stop->lower : stop->upper));
        jn_handle_scatter(m, a->w, stop->handle, 1, row);
    }
}

/* Row of one component of a body's motion at its centre of mass. */
static void body_row(jn_start *a, int body, jn_wrench at_com, double wanted) {
    const jn_model *m = a->m;
    int i = m->bodies[body].link;
    jn_wrench f = wr_shift(at_com, a->w->link[i].c);
    double now = tw_dot(a->w->link[i].V, f);
    double *row = new_row(a, -1, body, now - wanted);
    for (; i > 0; i = m->links[i].parent) {
        for (int k = m->links[i].v; k < m->links[i].v + m->links[i].nv; k++) row[k] += tw_dot(a->w->S[k], f);
        f = wr_shift(f, a->w->link[i].r);
    }
}

static void velocity_rows(jn_start *a) {
    const jn_model *m = a->m;
    jn_kinematics(m, a->w, a->s);
    jn_measure_all(m, a->w, a->s);
    jn_constraint_rows(m, a->w, a->s, JN_ROWS_JACOBIAN);
    take_constraints(a, a->w->phi_rate);
    for (int k = 0; k < m->joint_count; k++) {
        const jn_joint *j = &m->joints[k];
        for (int i = 0; i < j->nv; i++) {
            const jn_coordinate_desc *c = &j->coordinate[i];
            int handle = j->handle + i;
            if (!c->has_speed || jn_function_given(c->motion)) continue;
            jn_handle_scatter(m, a->w, handle, 1, new_row(a, handle, -1, a->w->speed[handle] - c->speed));
        }
    }
    for (int b = 1; b < m->body_count; b++) {
        const jn_body *body = &m->bodies[b];
        for (int k = 0; k < 3 && body->has_velocity; k++)
            if (!m->planar || k < 2) body_row(a, b, (jn_wrench){v3(0, 0, 0), v3_axis(k)}, v3_get(body->velocity, k));
        for (int k = 0; k < 3 && body->has_angular_velocity; k++)
            if (!m->planar || k == 2)
                body_row(a, b, (jn_wrench){v3_axis(k), v3(0, 0, 0)}, v3_get(body->angular_velocity, k));
    }
}

/* x = -M^-1 J^T (J M^-1 J^T)^+ residual. */
static int correct(jn_start *a) {
    const jn_model *m = a->m;
    int nv = m->nv;
    memset(a->x, 0, (size_t)nv * sizeof *a->x);
    if (a->rows == 0) return JN_OK;
    int status = jn_mass_factor_here(m, a->w);
    if (status < 0) return status;
    for (int r = 0; r < a->rows; r++) {
        double *y = a->qr.Y + (size_t)r * (size_t)nv;
        memcpy(y, a->J + (size_t)r * (size_t)nv, (size_t)nv * sizeof *y);
        jn_mass_half_solve(m, a->w, y);
    }
    a->qr.n = nv, a->qr.cols = a->rows;
    if (!jn_qr_factor(&a->qr, 1e-9, 0)) return JN_ERR_NUMERIC;
    jn_qr_solve_normal(&a->qr, a->residual, a->y);
    for (int r = 0; r < a->rows; r++)
        for (int i = 0; i < nv; i++) a->x[i] -= a->J[(size_t)r * (size_t)nv + (size_t)i] * a->y[r];
    jn_mass_solve(m, a->w, a->x);
    return JN_OK;
}

static double worst(const jn_start *a, int *row) {
    double most = 0;
    *row = 0;
    for (int i = 0; i < a->rows && !isnan(most); i++)
        if (!(fabs(a->residual[i]) <= most)) most = fabs(a->residual[i]), *row = i;
    return most;
}

static int complain(jn_start *a, int row, bool velocity) {
    const jn_model *m = a->m;
    char name[160];
    int joint = -1;
    jn_where where = {m->file, 1, 1};
    if (!a->report) return JN_ERR_ASSEMBLY;
    if (row < m->row_count) {
        joint = jn_model_row_name(m, row, name, sizeof name);
    } else if (a->handle[row] >= 0) {
        for (joint = 0; a->handle[row] >= m->joints[joint].handle + m->joints[joint].nv; joint++) continue;
        snprintf(name, sizeof name, "joint %s: initial %s", m->joints[joint].name, velocity ? "speed" : "position");
    } else {
        where = m->bodies[a->body[row]].where;
        snprintf(name, sizeof name, "body %s: initial velocity", m->bodies[a->body[row]].name);
    }
    if (joint >= 0) where = m->joints[joint].where;
    return velocity ? jn_report_add(a->report, JN_SEVERITY_ERROR, JN_ERR_ASSEMBLY, where, NULL,
                                    "the initial velocities contradict each other: %s is off by %.3g\n"
                                    "give fewer speeds, or ones that the joints allow",
                                    name, fabs(a->residual[row]))
                    : jn_report_add(a->report, JN_SEVERITY_ERROR, JN_ERR_ASSEMBLY, where, NULL,
                                    "the mechanism cannot be assembled: %s stays open by %.3g\n"
                                    "check its place and the lengths of the bodies in its loop",
                                    name, fabs(a->residual[row]));
}

static int assemble_positions(jn_start *a) {
    double before = INFINITY, damping = 1;
    int row = 0, slow = 0;
    for (int n = 0; n < MAX_NEWTON; n++) {
        position_rows(a);
        double now = worst(a, &row);
        if (!isfinite(now)) return complain(a, row, false);
        if (now < 1e-14) return JN_OK;
        if (now < 1e-11 && now > 0.5 * before) return JN_OK; /* round-off */
        slow = now > 0.9 * before ? slow + 1 : 0;
        damping = now > before ? jn_max(0.1, 0.5 * damping) : jn_min(1, 2 * damping);
        if (slow > 25) break;
        before = now;
        int status = correct(a);
        if (status < 0) return status;
        jn_q_advance(a->m, a->s->q, a->x, damping);
        jn_angles_update(a->m, a->w, a->s);
    }
    return before < 1e-9 ? JN_OK : complain(a, row, false);
}

/* The stop of a joint that is passed by most, without those that are marked; -1: none is. */
static int passed_stop(const jn_start *a) {
    const jn_model *m = a->m;
    double most = far_beyond;
    int worst = -1;
    for (int k = 0; k < m->stop_count; k++) {
        double q = a->w->position[m->stops[k].handle], beyond = jn_max(m->stops[k].lower - q, q - m->stops[k].upper);
        if (m->stops[k].joint >= 0 && !a->end[k] && beyond > most) most = beyond, worst = k;
    }
    return worst;
}

/* Closes the loops from the given coordinates, one more of them held at its end each time that a stop is passed. Where that is one too many
 * it starts again from there, with the last one alone. */
static bool close_within_stops(jn_start *a, double *from, int stop) {
    size_t size = (size_t)a->m->nq * sizeof *from;
    for (int n = 0; n < MAX_STOP_ROUNDS && stop >= 0; n++) {
        signed char end = a->w->position[a->m->stops[stop].handle] < a->m->stops[stop].lower ? -1 : 1;
        a->end[stop] = end;
        memcpy(a->s->q, from, size);
        if (assemble_positions(a) < 0) {
            memcpy(from, a->s->q, size);
            memset(a->end, 0, (size_t)a->m->stop_count);
            a->end[stop] = end;
            if (assemble_positions(a) < 0) return false;
        }
        stop = passed_stop(a);
    }
    return stop < 0;
}

/* Loops may close with joints beyond their stops: they are closed again, from the drawn configuration, with some of these coordinates at their
 * ends. Where that fails the positions stay as they were. */
static int respect_stops(const jn_start *open, double *drawn) {
    const jn_model *m = open->m;
    jn_start a = *open;
    size_t size = (size_t)m->nq * sizeof(double), ends = (size_t)m->stop_count;
    double *closed = jn_malloc(size + ends);
    if (!closed) return JN_ERR_MEMORY;
    memcpy(closed, a.s->q, size);
    a.end = memset((char *)closed + size, 0, ends);
    a.report = NULL, a.memory = NULL;
    int stop = passed_stop(&a);
    if (stop >= 0) {
        if (!start_create(&a) || !close_within_stops(&a, drawn, stop)) memcpy(a.s->q, closed, size);
        jn_kinematics(m, a.w, a.s);
        jn_angles_update(m, a.w, a.s);
    }
    jn_free(a.memory);
    jn_free(closed);
    return JN_OK;
}

/* Directions that must agree, not only be normal to the others: the equations of a closure cannot tell a joint from one that is
 * turned by half a turn. */
static int check_sense(const jn_start *a) {
    const jn_model *m = a->m;
    for (int i = 0; i < m->row_count; i++) {
        const jn_row *row = &m->rows[i];
        if (row->type != JN_ROW_DIRECTION || m->joints[row->joint].type == JN_JOINT_UNIVERSAL) continue;
        const jn_closure *c = &m->closures[row->item];
        jn_vec3 on_A = m3_mul_v(&a->w->link[c->A.link].R, m3_column(&c->A.E, row->a));
        jn_vec3 on_B = m3_mul_v(&a->w->link[c->B.link].R, m3_column(&c->B.E, row->a));
        if (v3_dot(on_A, on_B) > 0) continue;
        return jn_report_add(
            a->report, JN_SEVERITY_ERROR, JN_ERR_ASSEMBLY, m->joints[row->joint].where, NULL,
            "joint '%s' closes the wrong way round: its axes on the two bodies point against each other\n"
            "reverse the axis on one of them, or turn the body by half a turn as drawn",
            m->joints[row->joint].name);
    }
    return JN_OK;
}

/* Velocities that a row with one entry, 1, gives: speeds of joints in the tree, given or driven, and those of bodies that are free and carry no others. Among bodies of 1e18 times their mass, or of
 * a radius of gyration of 1e9 m, these rows would count as dependent. */
static void take_single_entries(jn_start *a) {
    const jn_model *m = a->m;
    for (int r = 0; r < a->rows; r++) {
        int entries = 0, entry = 0;
        const double *row = a->J + (size_t)r * (size_t)m->nv;
        if (r < m->row_count && m->rows[r].type != JN_ROW_DRIVER) continue;
        for (int k = 0; k < m->nv; k++)
            if (row[k] != 0) entries++, entry = k;
        if (entries == 1 && row[entry] == 1) a->s->u[entry] = -a->residual[r]; /* at rest */
    }
}

static int root_of(const jn_model *m, int link) {
    while (link > 0 && m->links[link].parent > 0) link = m->links[link].parent;
    return link;
}

/* [rad/s] of the root of a floating tree, from the first of its bodies whose angular velocity is given; 0: none is. */
static jn_vec3 turn_of_tree(const jn_start *a, int root) {
    const jn_model *m = a->m;
    for (int b = 1; b < m->body_count; b++) {
        const jn_body *body = &m->bodies[b];
        if (!body->has_angular_velocity || root_of(m, body->link) != root) continue;
        return v3_sub(body->angular_velocity, v3_sub(a->w->link[body->link].V.w, a->w->link[root].V.w));
    }
    return v3(0, 0, 0);
}

/* What floats starts as one: a tree moves with the first of its bodies whose velocity, or else angular velocity, is given, and joints without a speed stand still. The velocities of its
 * joints are known. */
static void carry_floating_trees(jn_start *a) {
    const jn_model *m = a->m;
    jn_kinematics(m, a->w, a->s);
    for (int k = 2 * m->body_count - 1; k > 0; k--) { /* the first one counts, those with a velocity before others */
        const jn_body *body = &m->bodies[k % m->body_count];
        int root = root_of(m, body->link);
        bool has = k < m->body_count ? body->has_velocity : body->has_angular_velocity;
        if (!has || root == 0 || (m->links[root].type != JN_JOINT_FREE && m->links[root].type != JN_JOINT_PLANAR)) continue;
        const jn_link_motion *B = &a->w->link[body->link], *R = &a->w->link[root];
        jn_vec3 com = v3_add(B->O, B->c), turn = turn_of_tree(a, root), velocity = body->has_velocity ? body->velocity : v3(0, 0, 0);
        jn_vec3 own = v3_sub(tw_shift(B->V, B->c).v, tw_shift(R->V, v3_sub(com, R->O)).v); /* by the joints between */
        jn_vec3 at_root = v3_add(v3_sub(velocity, own), v3_cross(turn, v3_sub(R->O, com)));
        for (int i = m->links[root].v; i < m->links[root].v + m->links[root].nv; i++)
            a->s->u[i] = v3_dot(a->w->S[i].w, turn) + v3_dot(a->w->S[i].v, at_root);
    }
}

/* Whether all rows are met but for the round-off of their terms; if not, the worst. */
static bool velocities_meet(const jn_start *a, int *row) {
    double most = 0;
    for (int r = 0; r < a->rows && !isnan(most); r++) {
        double terms = 1;
        for (int k = 0; k < a->m->nv; k++) terms += fabs(a->J[(size_t)r * (size_t)a->m->nv + (size_t)k] * a->s->u[k]);
        if (!(fabs(a->residual[r]) <= most * terms)) most = fabs(a->residual[r]) / terms, *row = r;
    }
    return most <= 1e-9;
}

static int assemble_velocities(jn_start *a) {
    int row = 0;
    memset(a->s->u, 0, (size_t)a->m->nv * sizeof *a->s->u);
    velocity_rows(a);
    take_single_entries(a);
    carry_floating_trees(a);
    for (int n = 0; n < 2; n++) { /* the second pass removes round-off of the first */
        velocity_rows(a);
        int status = correct(a);
        if (status < 0) return status;
        for (int i = 0; i < a->m->nv; i++) a->s->u[i] += a->x[i];
    }
    velocity_rows(a);
    return velocities_meet(a, &row) ? JN_OK : complain(a, row, true);
}

int jn_complain_massless(const jn_model *m, jn_work *w, const jn_state *s, jn_report *report) {
    jn_kinematics(m, w, s);
    jn_mass_factor_here(m, w);
    for (int k = m->nv - 1; k >= 0; k--) {
        int p = m->M_start[k] + m->dof_depth[k];
        if (w->M[p] > 1e-13 * w->M_raw[p]) continue;
        const jn_link *link = &m->links[m->dof_link[k]];
        const jn_body *body = &m->bodies[link->body];
        if (m->twin && link->mass > 0)
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, body->where, NULL,
                                 "body '%s' has no moment of inertia, which absolute coordinates need\n"
                                 "write coordinates: relative, or give it an inertia",
                                 body->name);
        const jn_sym3 *J = &link->inertia;
        if (link->mass > 0 && !(J->xx + J->yy + J->zz > 0))
            return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, body->where, NULL,
                                 "body '%s' is a point mass, which nothing keeps from turning\n"
                                 "give it an 'inertia'; or a shape and no 'com', so that 'mass' fills it evenly",
                                 body->name);
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, body->where, NULL,
                             "body '%s' can move (%s%s) without moving any mass\n"
                             "give it mass and inertia, or a joint that leaves it no such freedom",
                             body->name, link->joint >= 0 ? "joint " : "nothing holds it",
                             link->joint >= 0 ? m->joints[link->joint].name : "");
    }
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_NUMERIC, (jn_where){m->file, 1, 1}, NULL,
                         "the accelerations at the start are not finite\nlook for forces that divide by zero");
}

/* First guess: tree coordinates as the user gave them, and the prescribed ones at t = 0. */
static void guess(const jn_model *m, jn_state *s) {
    for (int k = 0; k < m->joint_count; k++)
        for (int i = 0; i < m->joints[k].nv; i++) {
            const jn_coordinate_desc *c = &m->joints[k].coordinate[i];
            const jn_handle *h = &m->handles[m->joints[k].handle + i];
            if (h->v < 0 || h->q < 0) continue;
            jn_jet jet[3] = {{s->t, 1, 0}, {0, 0, 0}, {0, 0, 0}};
            if (jn_function_given(c->motion))
                s->q[h->q] = jn_function_jet(c->motion, m->tables, jet).v;
            else if (c->has_position)
                s->q[h->q] = c->position;
        }
}

static int assemble_tree(const jn_model *m, jn_work *w, jn_state *s, jn_report *report) {
    jn_start a = {.m = m, .w = w, .s = s, .report = report};
    if (!m->has_M) { /* a very long chain: no loops, so nothing to close; speeds are the joints' own */
        guess(m, s);
        for (int k = 0; k < m->joint_count; k++)
            for (int i = 0; i < m->joints[k].nv; i++)
                if (m->joints[k].coordinate[i].has_speed && m->handles[m->joints[k].handle + i].v >= 0)
                    s->u[m->handles[m->joints[k].handle + i].v] = m->joints[k].coordinate[i].speed;
        for (int i = 1; i < m->body_count; i++)
            if (m->bodies[i].has_velocity || m->bodies[i].has_angular_velocity)
                return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_LIMIT, m->bodies[i].where, NULL,
                                     "a chain this long takes initial speeds of joints only, not of body '%s'\n"
                                     "give the joints a speed, or write coordinates: absolute",
                                     m->bodies[i].name);
        return JN_OK;
    }
    double *drawn = jn_malloc((size_t)(m->nq + 1) * sizeof *drawn);
    int status = drawn && start_create(&a) ? JN_OK : JN_ERR_MEMORY;
    if (status >= 0) {
        guess(m, s);
        memcpy(drawn, s->q, (size_t)m->nq * sizeof *drawn);
        status = assemble_positions(&a);
    }
    if (status >= 0 && m->row_count && m->stop_count) status = respect_stops(&a, drawn);
    if (status >= 0) status = check_sense(&a);
    if (status >= 0) status = assemble_velocities(&a);
    if (status == JN_ERR_NUMERIC) status = jn_complain_massless(m, w, s, report);
    if (status >= 0) {
        jn_kinematics(m, w, s);
        jn_angles_update(m, w, s);
    }
    jn_free(a.memory);
    jn_free(drawn);
    return status;
}

/* Full turns of measured angles, from the tree coordinates of the twin. */
static void take_turns(const jn_model *m, const jn_work *twin, jn_state *s) {
    for (int i = 0; i < m->closure_count; i++) {
        const jn_closure *c = &m->closures[i];
        int first = c->type == JN_JOINT_CYLINDRICAL ? 1 : c->type == JN_JOINT_PLANAR ? 2 : 0;
        for (int k = 0; c->angle >= 0 && k < (c->type == JN_JOINT_UNIVERSAL ? 2 : 1); k++)
            s->angle[c->angle + k] = twin->position[m->joints[c->joint].handle + first + k];
    }
}

/* Poses of the model with the velocities of the mechanism without clearance, as far as the joints of the model can follow. */
static int take_velocities(const jn_model *m, jn_work *w, jn_state *s, const jn_work *ideal) {
    jn_body_motion *bodies = jn_malloc((size_t)m->body_count * sizeof *bodies), of;
    if (!bodies) return JN_ERR_MEMORY;
    jn_kinematics(m, w, s);
    for (int b = 0; b < m->body_count; b++) {
        jn_body_motion_get(m, w, b, &bodies[b]);
        jn_body_motion_get(m->ideal, ideal, b, &of);
        bodies[b].velocity = of.velocity, bodies[b].angular_velocity = of.angular_velocity;
    }
    jn_state_from_bodies(m, w, s, bodies);
    jn_free(bodies);
    return jn_project(m, w, s);
}

/* Velocities of the mechanism without clearance; with `settle` its positions, too. */
static int start_ideal(const jn_model *m, jn_work *w, jn_state *s, jn_report *report) {
    jn_work *iw = jn_work_create(m->ideal);
    jn_state *is = jn_state_create(m->ideal);
    int status = iw && is ? JN_OK : JN_ERR_MEMORY;
    if (is) is->t = s->t;
    if (status >= 0) status = assemble_tree(m->ideal, iw, is, report);
    if (status == JN_ERR_ASSEMBLY)
        jn_report_add(report, JN_SEVERITY_NOTE, JN_OK, (jn_where){m->file, 1, 1}, "run.start",
                      "that is the mechanism without clearance, whose motion 'start: ideal' takes");
    if (status >= 0) {
        jn_kinematics(m->ideal, iw, is);
        jn_measure_all(m->ideal, iw, is);
        if (m->run.settle) {
            jn_transfer(m->ideal, iw, m, w, s);
            if (m->twin) take_turns(m, iw, s);
        } else {
            status = take_velocities(m, w, s, iw);
        }
    }
    jn_work_free(iw);
    jn_state_free(is);
    return status;
}

static int assemble(const jn_model *m, jn_work *w, jn_state *s, jn_report *report) {
    if (!m->twin) return assemble_tree(m, w, s, report);
    jn_work *tw = jn_work_create(m->twin);
    jn_state *ts = jn_state_create(m->twin);
    int status = tw && ts ? JN_OK : JN_ERR_MEMORY;
    if (ts) ts->t = s->t;
    if (status >= 0) status = assemble_tree(m->twin, tw, ts, report);
    if (status >= 0) {
        jn_kinematics(m->twin, tw, ts);
        jn_transfer(m->twin, tw, m, w, s);
        jn_measure_all(m->twin, tw, ts);
        take_turns(m, tw, s);
    }
    jn_work_free(tw);
    jn_state_free(ts);
    return status;
}

int jn_assemble(const jn_model *m, jn_work *w, jn_state *s, jn_report *report) {
    int status = assemble(m, w, s, report);
    return status >= 0 && m->ideal ? start_ideal(m, w, s, report) : status;
}

/* With P the map from generalised forces to accelerations on the constraints, W the loads of contacts on links and J_W their
 * motions per velocity,
 *
 *     u' = P(q) [h(q, u, t) + J_W(q)^T W(q, u, z)] + ...,     du' = P J_W^T dW + (du' at constant W).
 *
 * The first part carries the stiffness of the contacts. It is exact: dW by reaction/compliant_jacobian.c, one solution per
 * column with the factors of the state. The second is mild and costs a difference per column; it is kept for a while. */
#include "step/jacobian.h"
#include "base/memory.h"
#include "reaction/compliant_jacobian.h"
#include "step/parts.h"
#include <string.h>

enum { KEEP = 50 }; /* steps, as CVODE keeps its own */

struct jn_jacobian {
    jn_parts *parts;
    jn_wrench *frozen;     /* (links) loads of contacts at the state */
    double *rest;          /* (ny x ny) part without the change of contact loads, by columns */
    double *turn;          /* (ny x nv) change of rates per motion along a velocity: d/dq N */
    double *a, *lambda;    /* (nv), (rows) */
    double *at;            /* (ny) y with unit quaternions */
    long made, asked;      /* steps taken when `rest` was made, and when the last Jacobian was */
    bool has_rest, reused; /* `rest` holds something; the last Jacobian used an old one */
};

int jn_jacobian_create(const jn_sim *sim, jn_jacobian **out) {
    const jn_model *m = sim->m;
    size_t ny = (size_t)sim->ny, nv = (size_t)m->nv, rows = (size_t)m->row_count;
    size_t loads = (size_t)m->link_count * sizeof(jn_wrench), doubles = ny * ny + ny * nv + nv + rows + ny;
    jn_jacobian *j = *out = jn_malloc(sizeof *j + loads + doubles * sizeof(double));
    if (!j) return JN_ERR_MEMORY;
    memset(j, 0, sizeof *j + loads);
    j->frozen = (jn_wrench *)(j + 1);
    double *d = (double *)((char *)j->frozen + loads);
    j->rest = d, d += ny * ny;
    j->turn = d, d += ny * nv;
    j->a = d, d += nv;
    j->lambda = d, d += rows;
    j->at = d;
    j->parts = jn_parts_create(m);
    return j->parts ? JN_OK : JN_ERR_MEMORY;
}

void jn_jacobian_free(jn_jacobian *j) {
    if (j) jn_parts_free(j->parts);
    jn_free(j);
}

/* ------------------------------------------------------------------------------------------- the slope, and differences */

int jn_slope_unit(jn_sim *sim, double t, const double *y, double *rate) {
    if (!sim->has_quaternions) return jn_slope(sim, t, y, rate);
    memcpy(sim->k[1], y, (size_t)sim->ny * sizeof *y);
    jn_q_normalise(sim->m, sim->k[1]);
    return jn_slope(sim, t, sim->k[1], rate);
}

static double difference_step(double x) { return 1.5e-8 * fmax(1, fabs(x)); }

/* Forward differences; the ledger feeds nothing back. */
int jn_jacobian_difference(jn_sim *sim, double t, const double *y, double *J) {
    double *x = sim->k[2], *f = sim->k[3], *g = sim->k[4];
    size_t ny = (size_t)sim->ny;
    memcpy(x, y, ny * sizeof *x);
    int status = jn_slope_unit(sim, t, x, f);
    for (int c = 0; c < sim->ny - JN_LEDGER && status >= 0; c++) {
        double *column = J + (size_t)c * ny;
        x[c] = y[c] + difference_step(y[c]);
        status = jn_slope_unit(sim, t, x, g);
        for (int i = 0; i < sim->ny; i++) column[i] = (g[i] - f[i]) / (x[c] - y[c]);
        x[c] = y[c];
    }
    memset(J + (ny - JN_LEDGER) * ny, 0, JN_LEDGER * ny * sizeof *J);
    return status;
}

/* The same with the n-th entry of every part changed at once, while contacts push with constant loads: friction states have
 * no effect then. One evaluation per entry of the largest part. */
static int difference_parts(const jn_parts *p, jn_sim *sim, double t, const double *y, double *J) {
    double *x = sim->k[2], *f = sim->k[3], *g = sim->k[4];
    size_t ny = (size_t)sim->ny;
    memset(J, 0, ny * ny * sizeof *J);
    memcpy(x, y, ny * sizeof *x);
    int status = jn_slope_unit(sim, t, x, f);
    for (int n = 0; n < p->widest && status >= 0; n++) {
        for (int k = 0; k < p->count; k++)
            if (p->start[k] + n < p->start[k + 1])
                x[p->member[p->start[k] + n]] += difference_step(x[p->member[p->start[k] + n]]);
        status = jn_slope_unit(sim, t, x, g);
        for (int k = 0; k < p->count; k++) {
            if (p->start[k] + n >= p->start[k + 1]) continue;
            int c = p->member[p->start[k] + n];
            double *column = J + (size_t)c * ny, h = x[c] - y[c];
            for (int r = p->start[k]; r < p->start[k + 1]; r++)
                column[p->member[r]] = (g[p->member[r]] - f[p->member[r]]) / h;
            for (int i = sim->ny - JN_LEDGER; i < sim->ny && k == p->powered; i++) column[i] = (g[i] - f[i]) / h;
            x[c] = y[c];
        }
    }
    return status;
}

/* In place of the contacts: their loads as they were. */
static void push_frozen(void *context, const jn_model *m, jn_work *w, const jn_state *s) {
    const jn_jacobian *j = context;
    (void)s;
    for (int i = 0; i < m->link_count; i++) w->load[i] = wr_add(w->load[i], j->frozen[i]);
}

void jn_jacobian_freeze(jn_jacobian *j, jn_sim *sim, bool frozen) {
    sim->w->contact = frozen ? push_frozen : jn_contact_forces;
    sim->w->contact_context = frozen ? (void *)j : (void *)sim->contacts;
}

static int make_rest(jn_jacobian *j, jn_sim *sim, double t, const double *y) {
    jn_jacobian_freeze(j, sim, true);
    int status = difference_parts(j->parts, sim, t, y, j->rest);
    jn_jacobian_freeze(j, sim, false);
    j->has_rest = status >= 0;
    j->made = sim->audit.steps;
    return status;
}

/* ---------------------------------------------------------------------------------------------------- contacts */

/* Change of link L (pose, twist) per motion along velocity k of its ancestor i (or of itself), u held. What hangs on i keeps
 * its motion against i. Axes of joints lie on the parent, but for the second one of a universal joint. */
static jn_link_change motion_change(const jn_model *m, const jn_work *w, int L, int i, int k) {
    const jn_link_motion *B = &w->link[L], *I = &w->link[i];
    jn_twist S = w->S[k];
    jn_vec3 d = v3_sub(B->O, I->O), wP = w->link[m->links[i].parent].V.w, dw = {0, 0, 0};
    int first = m->links[i].v;
    if (m->links[i].type == JN_JOINT_UNIVERSAL && k == first)
        dw = v3_scale(w->state->u[first + 1], v3_cross(S.w, w->S[first + 1].w));
    jn_vec3 swing = v3_cross(I->V.w, d), rho = v3_sub(v3_sub(B->V.v, I->V.v), swing);
    jn_vec3 v = v3_add(v3_cross(wP, S.v), v3_cross(I->V.w, v3_cross(S.w, d)));
    return (jn_link_change){
        .pose = tw_shift(S, d),
        .twist = {v3_add(dw, v3_cross(S.w, v3_sub(B->V.w, I->V.w))),
                  v3_add(v3_add(v, v3_cross(dw, d)), v3_cross(S.w, rho))},
    };
}

static bool is_above(const jn_model *m, int i, int L) {
    while (L > i) L = m->links[L].parent;
    return L == i;
}

/* x += (generalised forces of a load at the origin of link L). */
static void scatter(const jn_model *m, const jn_work *w, int L, jn_wrench f, double *x) {
    for (; L > 0; L = m->links[L].parent) {
        for (int k = m->links[L].v; k < m->links[L].v + m->links[L].nv; k++) x[k] += tw_dot(w->S[k], f);
        f = wr_shift(f, w->link[L].r);
    }
}

/* The ledger at the end of a column. */
static jn_ledger *ledger_of(const jn_sim *sim, double *column) { return (jn_ledger *)(column + sim->ny - JN_LEDGER); }

/* Adds a change to a column: forces in the rows of u, rates in the rows of this contact's friction states, powers. */
static void add_change(const jn_sim *sim, const jn_contact_tangent *c, const jn_contact_change *d, int slot,
                       double *column) {
    const jn_model *m = sim->m;
    scatter(m, sim->w, c->link_A, d->A, column + m->nq);
    scatter(m, sim->w, c->link_B, d->B, column + m->nq);
    for (int k = 0; k < c->states; k++) column[m->nq + m->nv + 3 * slot + k] += d->rate[k];
    jn_ledger *power = ledger_of(sim, column);
    power->dissipated += d->damping + d->friction;
    power->damping += d->damping, power->friction += d->friction;
}

/* Columns of one link's velocities: motions into `turn`, velocities into J. */
static void add_link_columns(jn_jacobian *j, const jn_sim *sim, const jn_contact_tangent *c, int slot, int i,
                             double *J) {
    const jn_model *m = sim->m;
    const jn_work *w = sim->w;
    size_t ny = (size_t)sim->ny;
    bool on_A = is_above(m, i, c->link_A), on_B = is_above(m, i, c->link_B);
    for (int k = m->links[i].v; k < m->links[i].v + m->links[i].nv; k++) {
        jn_link_change A = {0}, B = {0}, uA = {0}, uB = {0};
        jn_contact_change d;
        if (on_A) A = motion_change(m, w, c->link_A, i, k), uA.twist = A.pose;
        if (on_B) B = motion_change(m, w, c->link_B, i, k), uB.twist = B.pose;
        jn_contact_tangent_apply(c, &A, &B, NULL, &d);
        add_change(sim, c, &d, slot, j->turn + (size_t)k * ny);
        jn_contact_tangent_apply(c, &uA, &uB, NULL, &d);
        add_change(sim, c, &d, slot, J + (size_t)(m->nq + k) * ny);
    }
}

static void add_contact(jn_jacobian *j, const jn_sim *sim, const jn_contact_tangent *c, int slot, double *J) {
    const jn_model *m = sim->m;
    const jn_link_change none = {0};
    for (int i = c->link_A; i > 0; i = m->links[i].parent) add_link_columns(j, sim, c, slot, i, J);
    for (int i = c->link_B; i > 0; i = m->links[i].parent)
        if (!is_above(m, i, c->link_A)) add_link_columns(j, sim, c, slot, i, J);
    for (int k = 0; k < c->states; k++) {
        double z[JN_FRICTION_MAX_STATES] = {0};
        jn_contact_change d;
        z[k] = 1;
        jn_contact_tangent_apply(c, &none, &none, z, &d);
        add_change(sim, c, &d, slot, J + (size_t)(m->nq + m->nv + 3 * slot + k) * (size_t)sim->ny);
    }
}

/* Forces in the rows of u become accelerations; what drivers do against them is their power. */
static int solve_column(jn_jacobian *j, jn_sim *sim, double *column) {
    const jn_model *m = sim->m;
    double *u = column + m->nq;
    bool any = false;
    for (int i = 0; i < m->nv; i++) any |= u[i] != 0;
    if (!any) return JN_OK;
    int status = jn_kkt_solve(m, sim->w, u, NULL, j->a, j->lambda);
    memcpy(u, j->a, (size_t)m->nv * sizeof *u);
    for (int i = 0; i < m->row_count; i++)
        if (m->rows[i].type == JN_ROW_DRIVER)
            ledger_of(sim, column)->driven += j->lambda[i] * sim->w->speed[m->drivers[m->rows[i].item].handle];
    return status;
}

/* Columns of q from those of motions: w = 2 e' e* for a quaternion e. */
static void turn_to_coordinates(const jn_jacobian *j, const jn_sim *sim, const double *y, double *J) {
    const jn_model *m = sim->m;
    size_t ny = (size_t)sim->ny;
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        int head = l->nq == l->nv ? l->nv : l->nv - 3;
        for (int k = 0; k < head; k++)
            for (size_t r = 0; r < ny; r++) J[(size_t)(l->q + k) * ny + r] += j->turn[(size_t)(l->v + k) * ny + r];
        if (l->nq == l->nv) continue;
        const double *e = y + l->q + head;
        double length2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
        jn_quat back = {e[0] / length2, -e[1] / length2, -e[2] / length2, -e[3] / length2};
        for (int c = 0; c < 4; c++) {
            jn_quat w = q4_mul((jn_quat){c == 0, c == 1, c == 2, c == 3}, back);
            const double part[3] = {2 * w.x, 2 * w.y, 2 * w.z};
            for (int k = 0; k < 3; k++) {
                const double *column = j->turn + (size_t)(l->v + head + k) * ny;
                for (size_t r = 0; r < ny; r++) J[(size_t)(l->q + head + c) * ny + r] += part[k] * column[r];
            }
        }
    }
}

/* Kinematics, loads of contacts and factors at the state; J becomes the part of the contacts. */
static int contact_part(jn_jacobian *j, jn_sim *sim, const jn_state *s, const double *y, double *J) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    jn_contacts *contacts = sim->contacts;
    jn_kinematics(m, w, s);
    if (m->closure_count + m->row_count) jn_measure_all(m, w, s);
    memset(w->load, 0, (size_t)m->link_count * sizeof *w->load);
    jn_contact_forces(contacts, m, w, s);
    memcpy(j->frozen, w->load, (size_t)m->link_count * sizeof *w->load);
    if (m->row_count) jn_constraint_rows(m, w, s, JN_ROWS_JACOBIAN);
    int status = jn_kkt_factor(m, w);
    if (status < 0) return status;
    memset(J, 0, (size_t)sim->ny * (size_t)sim->ny * sizeof *J);
    memset(j->turn, 0, (size_t)sim->ny * (size_t)m->nv * sizeof *j->turn);
    for (int p = 0; p < jn_scan_pairs(contacts->scan); p++) {
        const jn_near *pair = jn_scan_pair(contacts->scan, p);
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_touch *touch = jn_scan_touch(contacts->scan, k);
            const double *slot = jn_contact_slot(contacts, s, pair, touch);
            if (!slot) continue;
            jn_contact_tangent c;
            jn_contact_tangent_make(contacts, w, pair, touch, slot, &c);
            add_contact(j, sim, &c, (int)((slot - s->slot) / JN_SLOT), J);
        }
    }
    for (int c = 0; c < m->nv && status >= 0; c++) status = solve_column(j, sim, j->turn + (size_t)c * (size_t)sim->ny);
    for (int c = m->nq; c < sim->ny - JN_LEDGER && status >= 0; c++)
        status = solve_column(j, sim, J + (size_t)c * (size_t)sim->ny);
    turn_to_coordinates(j, sim, y, J);
    return status;
}

/* y as a state, on unit quaternions, with the friction states in its slots. */
static jn_state view_of(jn_jacobian *j, jn_sim *sim, double t, const double *y) {
    const jn_model *m = sim->m;
    memcpy(j->at, y, (size_t)sim->ny * sizeof *y);
    if (sim->has_quaternions) jn_q_normalise(m, j->at);
    jn_state view = {
        .t = t, .q = j->at, .u = j->at + m->nq, .angle = sim->s->angle, .slot = sim->s->slot, .size = sim->s->size};
    if (sim->nz) {
        memcpy(sim->stage_slot, sim->s->slot, (size_t)(JN_SLOT * m->slot_count) * sizeof *view.slot);
        for (int i = 0; i < sim->nz; i++)
            sim->stage_slot[JN_SLOT * (i / 3) + JN_SLOT_FRICTION + i % 3] = y[m->nq + m->nv + i];
        view.slot = sim->stage_slot;
    }
    return view;
}

int jn_jacobian_contacts(jn_jacobian *j, jn_sim *sim, double t, const double *y, double *J) {
    jn_state view = view_of(j, sim, t, y);
    int status = contact_part(j, sim, &view, y, J);
    sim->w->state = sim->s;
    sim->audit.evaluations++; /* about as much work */
    return status;
}

int jn_jacobian_eval(jn_jacobian *j, jn_sim *sim, double t, const double *y, double *J) {
    if (!sim->contacts || !sim->m->has_M) return jn_jacobian_difference(sim, t, y, J);
    int status = jn_jacobian_contacts(j, sim, t, y, J);
    bool failed = j->reused && j->asked == sim->audit.steps; /* the last one did not serve */
    bool anew = !j->has_rest || failed || sim->audit.steps - j->made > KEEP;
    if (status >= 0 && anew) status = make_rest(j, sim, t, y);
    j->asked = sim->audit.steps, j->reused = !anew;
    size_t all = (size_t)sim->ny * (size_t)sim->ny;
    for (size_t i = 0; i < all; i++) J[i] += j->rest[i];
    return status;
}

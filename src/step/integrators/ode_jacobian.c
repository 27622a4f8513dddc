/* With x the motion along velocities (three numbers for a rotation) in place of q, motion/derivatives/linearise.c gives u' along x and u, with
 * everything that acts, and reaction/compliant/compliant_change.c the rates of friction states and what they do:
 *
 *     dq' = N du + dN u,     du' = a_q x + a_u du + P J_W^T W_z dz,     dz' = ...,     ledger' = powers.
 *
 * Columns of a quaternion e are those of its three rotations, w = 2 e' e*. */
#include "step/integrators/ode_jacobian.h"
#include "algebra/elementary.h"
#include "base/memory.h"
#include "reaction/compliant/compliant_change.h"
#include "step/integrators/integrator_tolerances.h"
#include <string.h>

struct jn_jacobian {
    jn_derivatives *d;
    jn_contact_changes *contacts; /* NULL: none */
    double *turn;                 /* (ny x nv) columns of motions, by columns */
    double *f, *a, *lambda;       /* (nv), (nv), (rows) */
    double *at;                   /* (ny) y with unit quaternions */
};

int jn_jacobian_create(const jn_sim *sim, jn_jacobian **out) {
    const jn_model *m = sim->m;
    size_t ny = (size_t)sim->ny, nv = (size_t)m->nv, rows = (size_t)m->row_count;
    jn_jacobian *j = *out = jn_malloc(sizeof *j + (ny * nv + 2 * nv + rows + ny) * sizeof(double));
    if (!j) return JN_ERR_MEMORY;
    memset(j, 0, sizeof *j);
    j->turn = (double *)(j + 1);
    j->f = j->turn + ny * nv;
    j->a = j->f + nv;
    j->lambda = j->a + nv;
    j->at = j->lambda + rows;
    j->d = jn_derivatives_create(m);
    if (sim->contacts) j->contacts = jn_contact_changes_create(sim->contacts, sim->nz > 0);
    return j->d && (j->contacts || !sim->contacts) ? JN_OK : JN_ERR_MEMORY;
}

void jn_jacobian_free(jn_jacobian *j) {
    if (!j) return;
    jn_derivatives_free(j->d);
    jn_contact_changes_free(j->contacts);
    jn_free(j);
}

/* ------------------------------------------------------------------------------------------- the slope, and differences */

int jn_slope_unit(jn_sim *sim, double t, const double *y, double *rate) {
    if (!sim->has_quaternions) return jn_slope(sim, t, y, rate);
    memcpy(sim->k[1], y, (size_t)sim->ny * sizeof *y);
    jn_q_normalise(sim->m, sim->k[1]);
    return jn_slope(sim, t, sim->k[1], rate);
}

static double difference_step(double x) { return JN_DIFFERENCE_REL * jn_fmax(1, fabs(x)); }

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

/* ------------------------------------------------------------------------------------------------------ the columns */

/* Impulses from outside follow what they do to the bodies: the momentum of the accelerations in the column. Poses that change with it are
 * left out, which Newton's iteration does not feel: hard contacts are what it must know of. O(n). */
static void set_given(const jn_sim *sim, double *column) {
    ((jn_ledger *)(void *)(column + sim->ny - JN_LEDGER))->given = jn_momentum_of(sim->m, sim->w, column + sim->m->nq);
}

/* Rows of u, friction states and ledger in the column of velocity k. */
static void fill_column(const jn_jacobian *j, const jn_sim *sim, int k, bool by_u, double *column) {
    const jn_model *m = sim->m;
    const double *A = by_u ? j->d->a_u : j->d->a_q;
    for (int i = 0; i < m->nv; i++) column[m->nq + i] = A[(size_t)i * (size_t)m->nv + (size_t)k];
    if (sim->nz) {
        const double *rate = by_u ? j->contacts->rate_u : j->contacts->rate_q;
        memcpy(column + m->nq + m->nv, rate + (size_t)k * (size_t)sim->nz, (size_t)sim->nz * sizeof *rate);
    }
    const jn_ledger *power = &(by_u ? j->d->work->power_u : j->d->work->power_q)[k];
    memcpy(column + sim->ny - JN_LEDGER, power, sizeof *power);
    set_given(sim, column);
}

/* Columns of the friction states of one contact: forces become accelerations; what drivers do against them is their power. */
static int state_columns(jn_jacobian *j, jn_sim *sim, int contact, double *J) {
    const jn_model *m = sim->m;
    const jn_contact_tangent *t = &j->contacts->tangent[contact];
    int place = j->contacts->place[contact], status = JN_OK;
    for (int k = 0; k < t->states && status >= 0; k++) {
        double *column = J + (size_t)(m->nq + m->nv + 3 * place + k) * (size_t)sim->ny;
        jn_contact_change by;
        memset(j->f, 0, (size_t)m->nv * sizeof *j->f);
        jn_contact_changes_state(j->contacts, m, sim->w, contact, k, j->f, &by);
        status = jn_kkt_solve(m, sim->w, j->f, NULL, j->a, j->lambda);
        memcpy(column + m->nq, j->a, (size_t)m->nv * sizeof *j->a);
        for (int i = 0; i < t->states; i++) column[m->nq + m->nv + 3 * place + i] = by.rate[i];
        jn_ledger *power = (jn_ledger *)(column + sim->ny - JN_LEDGER);
        *power = (jn_ledger){.dissipated = by.damping + by.friction, .damping = by.damping, .friction = by.friction};
        for (int i = 0; i < m->row_count; i++)
            if (m->rows[i].type == JN_ROW_DRIVER)
                power->driven += j->lambda[i] * sim->w->speed[m->drivers[m->rows[i].item].handle];
        set_given(sim, column);
    }
    return status;
}

/* Column of an activation: its force as accelerations, and the slope of its own rate by a difference. */
static int activation_column(jn_jacobian *j, jn_sim *sim, int actuation, const jn_state *s, double *J) {
    const jn_model *m = sim->m;
    const jn_actuation *a = &m->actuations[actuation];
    int place = m->nq + m->nv + sim->nz + a->state;
    double *column = J + (size_t)place * (size_t)sim->ny, act = s->act[a->state], h = difference_step(act);
    double u = jn_activation_input(sim->w, a, actuation), by = a->gear * sim->w->effort[actuation].by_input;
    memset(j->f, 0, (size_t)m->nv * sizeof *j->f);
    jn_handle_scatter(m, sim->w, a->handle, by, j->f);
    int status = jn_kkt_solve(m, sim->w, j->f, NULL, j->a, j->lambda);
    memcpy(column + m->nq, j->a, (size_t)m->nv * sizeof *j->a);
    column[place] = (jn_activation_rate(a, u, act + h) - jn_activation_rate(a, u, act)) / h;
    ((jn_ledger *)(void *)(column + sim->ny - JN_LEDGER))->driven = by * sim->w->speed[a->handle];
    set_given(sim, column);
    return status;
}

/* Column of a state of a motor, by a difference: what it changes at the motor's force and at the rates of its states. */
static int motor_column(jn_jacobian *j, jn_sim *sim, int actuation, int state, const jn_state *s, double *J) {
    const jn_model *m = sim->m;
    const jn_actuation *a = &m->actuations[actuation];
    const int states[] = {a->temperature, a->bristle, a->current};
    int first = m->nq + m->nv + sim->nz;
    double *column = J + (size_t)(first + state) * (size_t)sim->ny, kept = s->act[state], h = difference_step(kept);
    s->act[state] = kept + h;
    jn_effort e = jn_actuation_effort(m, sim->w, s, actuation);
    jn_motor_rates(a, s->act, e.voltage, a->gear * sim->w->speed[a->handle], column + first);
    s->act[state] = kept;
    for (int k = 0; k < 3; k++)
        if (states[k] >= 0) column[first + states[k]] = (column[first + states[k]] - sim->w->act_rate[states[k]]) / h;
    double by = a->gear * (e.force - sim->w->effort[actuation].force) / h;
    memset(j->f, 0, (size_t)m->nv * sizeof *j->f);
    jn_handle_scatter(m, sim->w, a->handle, by, j->f);
    int status = jn_kkt_solve(m, sim->w, j->f, NULL, j->a, j->lambda);
    memcpy(column + m->nq, j->a, (size_t)m->nv * sizeof *j->a);
    ((jn_ledger *)(void *)(column + sim->ny - JN_LEDGER))->driven = by * sim->w->speed[a->handle];
    set_given(sim, column);
    return status;
}

/* Columns of all states of an actuator. */
static int actuator_columns(jn_jacobian *j, jn_sim *sim, int actuation, const jn_state *s, double *J) {
    const jn_actuation *a = &sim->m->actuations[actuation];
    const int states[] = {a->temperature, a->bristle, a->current};
    int status = JN_OK;
    if (a->activation != JN_ACTIVATION_NONE) status = activation_column(j, sim, actuation, s, J);
    for (int k = 0; k < 3 && status >= 0; k++)
        if (states[k] >= 0) status = motor_column(j, sim, actuation, states[k], s, J);
    return status;
}

static void add_turned(const jn_jacobian *j, size_t ny, int v, double factor, double *column) {
    const double *from = j->turn + (size_t)v * ny;
    for (size_t r = 0; r < ny; r++) column[r] += factor * from[r];
}

/* Columns of the quaternion e of a link: turning by 2 e' e*; its own rates (0, w) e / 2 with e at unit length. */
static void quaternion_columns(const jn_jacobian *j, const jn_sim *sim, const double *y, int q, int v, double *J) {
    size_t ny = (size_t)sim->ny;
    const double *e = y + q, *u = y + sim->m->nq + v;
    double length2 = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3], length = sqrt(length2);
    jn_quat back = {e[0] / length2, -e[1] / length2, -e[2] / length2, -e[3] / length2}, w = {0, u[0], u[1], u[2]};
    for (int c = 0; c < 4; c++) {
        double *column = J + (size_t)(q + c) * ny, d[4];
        jn_quat turn = q4_mul((jn_quat){c == 0, c == 1, c == 2, c == 3}, back);
        add_turned(j, ny, v, 2 * turn.x, column);
        add_turned(j, ny, v + 1, 2 * turn.y, column);
        add_turned(j, ny, v + 2, 2 * turn.z, column);
        for (int i = 0; i < 4; i++) d[i] = ((i == c) - e[i] * e[c] / length2) / length; /* of e at unit length */
        jn_quat rate = q4_mul(w, (jn_quat){d[0], d[1], d[2], d[3]});
        column[q] = 0.5 * rate.w, column[q + 1] = 0.5 * rate.x;
        column[q + 2] = 0.5 * rate.y, column[q + 3] = 0.5 * rate.z;
    }
    for (int k = 0; k < 3; k++) {
        double *column = J + (size_t)(sim->m->nq + v + k) * ny;
        jn_quat rate = q4_mul((jn_quat){0, k == 0, k == 1, k == 2},
                              (jn_quat){e[0] / length, e[1] / length, e[2] / length, e[3] / length});
        column[q] = 0.5 * rate.w, column[q + 1] = 0.5 * rate.x;
        column[q + 2] = 0.5 * rate.y, column[q + 3] = 0.5 * rate.z;
    }
}

/* Columns of coordinates from those of motions; rows of coordinates. */
static void coordinate_columns(const jn_jacobian *j, const jn_sim *sim, const double *y, double *J) {
    const jn_model *m = sim->m;
    size_t ny = (size_t)sim->ny;
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        int head = l->nq == l->nv ? l->nv : l->nv - 3;
        for (int k = 0; k < head; k++) {
            add_turned(j, ny, l->v + k, 1, J + (size_t)(l->q + k) * ny);
            J[(size_t)(m->nq + l->v + k) * ny + (size_t)(l->q + k)] = 1;
        }
        if (l->nq != l->nv) quaternion_columns(j, sim, y, l->q + head, l->v + head, J);
    }
}

/* y as a state, on unit quaternions, with the friction states in its contacts. */
static jn_state view_of(jn_jacobian *j, jn_sim *sim, double t, const double *y) {
    const jn_model *m = sim->m;
    memcpy(j->at, y, (size_t)sim->ny * sizeof *y);
    if (sim->has_quaternions) jn_q_normalise(m, j->at);
    jn_state view = {.t = t,
                     .q = j->at,
                     .u = j->at + m->nq,
                     .angle = sim->s->angle,
                     .act = j->at + m->nq + m->nv + sim->nz,
                     .control = sim->s->control,
                     .contact = sim->s->contact,
                     .contact_count = sim->s->contact_count,
                     .size = sim->s->size};
    if (sim->nz) {
        view.contact = jn_stage_contacts(sim, y + m->nq + m->nv);
    }
    return view;
}

int jn_jacobian_eval(jn_jacobian *j, jn_sim *sim, double t, const double *y, double *J) {
    const jn_model *m = sim->m;
    size_t ny = (size_t)sim->ny;
    if (!m->has_M) return jn_jacobian_difference(sim, t, y, J);
    jn_state view = view_of(j, sim, t, y);
    int status = jn_sim_changes(sim, &view, NULL, j->contacts, j->d);
    sim->audit.evaluations++;
    if (status >= 0) {
        memset(J, 0, ny * ny * sizeof *J);
        memset(j->turn, 0, ny * (size_t)m->nv * sizeof *J);
        for (int k = 0; k < m->nv; k++) {
            fill_column(j, sim, k, false, j->turn + (size_t)k * ny);
            fill_column(j, sim, k, true, J + (size_t)(m->nq + k) * ny);
        }
        for (int i = 0; j->contacts && i < j->contacts->count && status >= 0; i++) status = state_columns(j, sim, i, J);
        for (int i = 0; i < m->actuation_count && status >= 0; i++) status = actuator_columns(j, sim, i, &view, J);
        coordinate_columns(j, sim, y, J);
    }
    sim->w->state = sim->s;
    return status;
}

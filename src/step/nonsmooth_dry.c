/* Dry friction of joint coordinates and tendons: a set-valued law on the coordinate's velocity at the end of the step,
 *
 *     P = -dt F sign(u_E) where u_E != 0,   |P| <= dt F where u_E = 0                           [Acary2008, 3.9]
 *
 * with a given force F. Among the contacts of the step it is one with mu = 1 whose first tangent is the coordinate, and whose normal
 * impulse is dt F: its normal row is a velocity of its own beside those of the model, P_N - dt F, which Signorini's law brings to
 * rest. Coordinates have other units than contacts, and the inertia of a thin rod about itself is a millionth of that of others, so
 * that all rows are multiplied by J^1/2, and impulses divided by it, J being what the coordinate feels: its block of W is the
 * identity. A tangent that is left over is empty. Such rows are held behind the contacts and the stops. */
#include "step/leapfrog.h"

static int first_key(const jn_model *m) { return m->solid_count + m->stop_count; }

static const jn_actuator *actuator_of(const jn_sim *sim, int contact) {
    const jn_model *m = sim->m;
    return &m->actuators[m->dry[sim->nonsmooth->held[contact].a - first_key(m)]];
}

int jn_dry_choose(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    x->dry = m->dry_count;
    if (x->count + x->dry > x->room)
        return jn_sim_fail(sim, JN_ERR_LIMIT, "more points touch at t = %.9g s than there is room for", sim->s->t);
    for (int k = 0; k < m->dry_count; k++) {
        jn_held *h = &x->held[x->count++];
        *h = (jn_held){.a = first_key(m) + k, .row = m->contact_count, .unit = 1};
        h->touch.n = v3(1, 0, 0), h->t[0] = v3(0, 1, 0), h->t[1] = v3(0, 0, 1);
    }
    if (x->dry && x->dimension == 1) x->dimension = 2;
    return JN_OK;
}

#define NO_INERTIA 1e-12 /* [1/kg] or [1/(kg m^2)] a coordinate that joints lock has less than that */

int jn_dry_close_row(jn_nonsmooth *x, int contact, int at, int nv) {
    int d = x->dimension;
    double W = 0;
    for (int k = x->start[contact]; k < at; k++) W += x->V[k * d + 1] * x->Y[k * d + 1];
    double unit = W > NO_INERTIA ? 1 / sqrt(W) : 1, before = x->held[contact].unit;
    for (int k = x->start[contact]; k < at; k++) {
        x->H[k * d + 1] *= unit, x->Y[k * d + 1] *= unit;
        if (x->V != x->H) x->V[k * d + 1] *= unit;
    }
    for (int r = 0; r < 2; r++) x->p[contact * d + r] *= before / unit;
    x->held[contact].unit = unit;
    x->dof_of[at] = nv + contact - (x->count - x->dry);
    for (int r = 0; r < d; r++) x->H[at * d + r] = x->V[at * d + r] = x->Y[at * d + r] = r == 0;
    return at + 1;
}

void jn_dry_pose(jn_sim *sim, int contact, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    x->q[contact * x->dimension] = -dt * actuator_of(sim, contact)->law.friction / x->held[contact].unit;
}

void jn_dry_guess(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    for (int i = x->count - x->dry; i < x->count; i++) {
        double *p = x->p + i * x->dimension, most = dt * actuator_of(sim, i)->law.friction;
        p[0] = most, p[1] = fmax(-most, fmin(most, p[1]));
    }
}

/* When the coordinate stops or starts, within the step. The leapfrog's velocities are those of the middles of the segments before and after
 * the node: friction brings the first to rest at a rate that its bound and the other forces have; what starts has exceeded its bound
 * since the node before. */
static double change_time(const jn_sim *sim, int contact, double t_E, bool stops) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int at = contact * x->dimension + 1;
    if (!x->leapfrog) return t_E;
    double h = x->leapfrog->h, v = x->before[at] - x->leapfrog->half[at], brake = x->p[contact * x->dimension];
    double change = v - (x->leapfrog->gamma_free[at] - copysign(brake, v));
    return t_E - h - 0.5 * h + (stops && v / change > 0 ? h * fmin(1, v / change) : 0);
}

void jn_dry_note(jn_sim *sim, int contact, jn_contact_state *cached, double t_E) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int d = x->dimension;
    const double *p = x->p + contact * d, *u = x->u + contact * d, *v = x->before + contact * d;
    double unit = x->held[contact].unit, slip = fabs(u[1]) / unit;
    jn_contact_slip now = slip > JN_STILL ? JN_SLIP_SLIPPING : JN_SLIP_STICKING, before = (jn_contact_slip)cached->slip;
    if (before != JN_SLIP_UNKNOWN && now != before)
        jn_nonsmooth_tell(sim, now == JN_SLIP_SLIPPING ? "slip" : "stick", &x->held[contact],
                          change_time(sim, contact, t_E, now == JN_SLIP_STICKING), fabs(v[1]) / unit, slip, NULL);
    cached->slip = now;
    cached->stepping.impulse = v3(p[0] * unit, p[1] * unit, 0);
}

void jn_dry_sum_up(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    for (int i = x->count - x->dry; i < x->count; i++)
        x->dry_force[x->held[i].a - first_key(sim->m)] = x->p[i * x->dimension + 1] * x->held[i].unit / dt;
}

void jn_dry_show(const jn_model *m, jn_work *w, const double *force) {
    for (int k = 0; k < m->dry_count; k++) {
        int handle = m->actuators[m->dry[k]].handle;
        w->force[handle] += force[k];
        w->power.dissipated -= force[k] * w->speed[handle];
        jn_handle_scatter(m, w, handle, force[k], w->tau);
    }
}

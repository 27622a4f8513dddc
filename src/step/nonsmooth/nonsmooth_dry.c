/* Dry friction of joint coordinates and tendons: a set-valued law on the coordinate's velocity at the end of the step,
 *
 *     P = -dt F sign(u_E) where u_E != 0,   |P| <= dt F where u_E = 0                           [Acary2008, 3.9]
 *
 * with a given force F. Among the contacts of the step it is one with mu = 1 whose first tangent is the coordinate, and whose normal
 * impulse is dt F: its normal row is a velocity of its own beside those of the model, P_N - dt F, which Signorini's law brings to
 * rest. That row is multiplied by J^-1/2, J being the inertia that the coordinate feels, so that its block of W is 1/J times the identity,
 * however thin the rod that turns. A tangent that is left over is empty. Such rows stand behind the contacts and the stops.
 *
 * In the momentum leapfrog a coordinate that sticks is anchored, as contacts are: what the solution of a problem leaves it to creep is
 * taken back in the next step. */
#include "step/nonsmooth/leapfrog.h"

static int first_key(const jn_model *m) { return m->solid_count + m->stop_count; }

static const jn_actuator *actuator_of(const jn_sim *sim, int contact) {
    const jn_model *m = sim->m;
    return &m->actuators[m->dry[sim->nonsmooth->set.point[contact].a - first_key(m)]];
}

static double *mobility_of(const jn_contact_set *set, int contact) {
    return &set->dry_mobility[contact - (set->count - set->dry)];
}

int jn_dry_choose(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_model *m = sim->m;
    set->dry = m->dry_count;
    int status = jn_contact_set_check_room(sim, set->dry);
    if (status < 0) return status;
    for (int k = 0; k < m->dry_count; k++) {
        jn_contact_point *h = &set->point[set->count++];
        *h = (jn_contact_point){.a = first_key(m) + k, .row = m->contact_count};
        set->dry_mobility[k] = 1;
        h->geometry.n = v3(1, 0, 0), h->t[0] = v3(0, 1, 0), h->t[1] = v3(0, 0, 1);
        const jn_contact_state *cached = jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
        h->cached = cached ? (int)(cached - sim->s->contact) : -1;
    }
    if (set->dry && set->dimension == 1) set->dimension = 2;
    return JN_OK;
}

void jn_dry_close_row(jn_contact_set *set, int contact, int nv) {
    int d = set->dimension, at = jn_contact_set_end(set, contact);
    double W = 0;
    for (int k = set->start[contact]; k < at; k++) W += set->V[k * d + 1] * set->Y[k * d + 1];
    double mobility = *mobility_of(set, contact) = W > JN_LOCKED_INVERSE_MASS ? W : 1;
    set->dof_of[at] = nv + contact - (set->count - set->dry);
    for (int r = 0; r < d; r++)
        set->H[at * d + r] = set->V[at * d + r] = set->Y[at * d + r] = r == 0 ? sqrt(mobility) : 0;
}

void jn_dry_pose(jn_sim *sim, int contact, double dt) {
    jn_contact_set *set = &sim->nonsmooth->set;
    set->q[contact * set->dimension] = -dt * actuator_of(sim, contact)->law.friction * *mobility_of(set, contact);
}

void jn_dry_guess(jn_sim *sim, double dt) {
    jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = set->count - set->dry; i < set->count; i++) {
        double *p = set->p + i * set->dimension, most = dt * actuator_of(sim, i)->law.friction;
        p[0] = most, p[1] = jn_max(-most, jn_min(most, p[1]));
    }
}

/* When the coordinate stops or starts, within the step. The leapfrog's velocities are those of the middles of the segments before and after
 * the node: friction brings the first to rest at a rate that its bound and the other forces have; what starts has exceeded its bound
 * since the node before. */
static double change_time(const jn_sim *sim, int contact, double t_E, bool stops) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int at = contact * x->set.dimension + 1;
    if (!x->leapfrog) return t_E;
    double h = x->leapfrog->h, v = x->set.before[at] - x->leapfrog->half[at];
    double brake = x->set.p[contact * x->set.dimension] * *mobility_of(&x->set, contact);
    double change = v - (x->leapfrog->gamma_free[at] - copysign(brake, v));
    return t_E - h - 0.5 * h + (stops && v / change > 0 ? h * jn_min(1, v / change) : 0);
}

bool jn_dry_sticks(const jn_sim *sim, int contact) {
    const jn_nonsmooth *x = sim->nonsmooth;
    int at = contact * x->set.dimension;
    const double *p = x->set.p + at;
    if (!x->leapfrog) return fabs(x->set.u[at + 1]) <= JN_STILL;
    return fabs(p[1]) <= (1 - JN_LEAPFROG_CONE_REL) * p[0] ||
           fabs(x->set.u[at + 1] + x->leapfrog->bias[at + 1]) <=
               jn_max(JN_STILL, JN_LEAPFROG_SLIP_ERROR * x->set.solve.speed_error);
}

/* One that stuck before goes back to its anchor at a small speed: that is no slip. */
bool jn_dry_stops(const jn_sim *sim, int contact) {
    const jn_nonsmooth *x = sim->nonsmooth;
    const jn_contact_point *h = &x->set.point[contact];
    const jn_contact_state *before = jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
    int at = contact * x->set.dimension + 1;
    double still = jn_max(JN_STILL, JN_LEAPFROG_SLIP_ERROR * x->set.solve.speed_error);
    return !(before && before->slip == JN_SLIP_STICKING) && jn_dry_sticks(sim, contact) &&
           fabs(x->set.before[at] - x->leapfrog->half[at]) > still;
}

void jn_dry_note(jn_sim *sim, int contact, jn_contact_state *cached, double t_E) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension;
    const double *p = set->p + contact * d, *u = set->u + contact * d, *v = set->before + contact * d;
    bool sticks = jn_dry_sticks(sim, contact);
    jn_contact_slip now = sticks ? JN_SLIP_STICKING : JN_SLIP_SLIPPING, before = (jn_contact_slip)cached->slip;
    if (before != JN_SLIP_UNKNOWN && now != before)
        jn_nonsmooth_report(sim, sticks ? "stick" : "slip", &set->point[contact],
                            change_time(sim, contact, t_E, sticks), fabs(v[1]), fabs(u[1]), NULL);
    cached->slip = now;
    cached->stepping.impulse = v3(p[0], p[1], 0);
    if (!sim->nonsmooth->leapfrog) return;
    bool anchored = sticks && before == JN_SLIP_STICKING; /* since the node before */
    double shift = anchored ? cached->stepping.predicted_shift.y : 0;
    cached->stepping.predicted_shift = v3(0, sticks ? shift + sim->nonsmooth->leapfrog->h * u[1] : 0, 0);
}

void jn_dry_anchor(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int i = set->count - set->dry; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        const jn_contact_state *cached = jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
        bool sticks = cached && cached->slip == JN_SLIP_STICKING;
        x->bias[i * set->dimension + 1] = sticks ? cached->stepping.predicted_shift.y / x->h : 0;
    }
}

void jn_dry_sum_up(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    for (int i = x->set.count - x->set.dry; i < x->set.count; i++)
        x->dry_force[x->set.point[i].a - first_key(sim->m)] = x->set.p[i * x->set.dimension + 1] / dt;
}

void jn_dry_show(const jn_model *m, jn_work *w, const double *force) {
    for (int k = 0; k < m->dry_count; k++) {
        int handle = m->actuators[m->dry[k]].handle;
        w->force[handle] += force[k];
        w->power.dissipated -= force[k] * w->speed[handle];
        jn_handle_scatter(m, w, handle, force[k], w->tau);
    }
}

/* Sleep of the momentum leapfrog: a system that has come to rest is not solved again.
 *
 * It falls asleep when contacts, stops or dry friction bear every body, all have been slower than a bound for half a second and
 * a number of steps, every contact problem met its residual, and no force depends on time. Its contact forces then balance the
 * others to the residual: the same step would follow for ever. What little momentum is left goes to the ground, and its energy is booked as
 * numerical. It wakes when somebody changes the state, pushes a body, or sets a controller. */
#include "step/leapfrog.h"

#include <string.h>

enum { STEPS_AT_REST = 20 };
#define TIME_AT_REST 0.5 /* [s] what begins to move is faster than the bound by then, if it has more than 1e-6 of gravity */
#define SLOW 50 /* times the residual of the contact problems: such speeds are rest */

static bool depends_on_time(jn_function f) { return jn_function_given(f) && !jn_function_is_constant(f); }

/* Functions that may depend on time keep a system awake; so do drivers. */
bool jn_sleep_possible(const jn_model *m) {
    bool timed = m->driver_count > 0;
    for (int i = 0; i < m->applied_count; i++)
        for (int k = 0; k < 3; k++) timed |= depends_on_time(m->applied[i].component[k]);
    for (int i = 0; i < m->spring_count; i++) timed |= depends_on_time(m->springs[i].tension);
    for (int i = 0; i < m->actuator_count; i++) {
        const jn_coordinate_desc *law = &m->actuators[i].law;
        timed |= depends_on_time(law->force) || depends_on_time(law->motor_target) ||
                 depends_on_time(law->motor_speed) || depends_on_time(law->motor_feed);
    }
    return m->run.sleep && !timed;
}

static double steps_at_rest(const jn_sim *sim) { return jn_max(STEPS_AT_REST, ceil(TIME_AT_REST / sim->m->run.step)); }

/* [m] farthest point of a body from its centre of mass, of all bodies; radius of gyration where there is no shape. */
double jn_sleep_reach(const jn_model *m) {
    double most = 0;
    for (int i = 1; i < m->link_count; i++) {
        const jn_sym3 *I = &m->links[i].inertia;
        if (m->links[i].mass > 0) most = jn_max(most, sqrt((I->xx + I->yy + I->zz) / m->links[i].mass));
    }
    for (int i = 0; i < m->solid_count; i++) {
        const jn_solid *s = &m->solids[i];
        if (s->link && isfinite(s->reach)) most = jn_max(most, s->reach + v3_norm(v3_sub(s->local.p, m->links[s->link].com)));
    }
    return most;
}

double jn_segment_fastest(const jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double most = 0;
    for (int i = 1; i < sim->m->link_count; i++) {
        const jn_segment_link *s = &x->segment[i];
        jn_vec3 v = v3_add(s->v, v3_cross(s->w, sim->w->link[i].c)); /* of the centre of mass */
        most = jn_max(most, v3_norm(v) + x->reach * v3_norm(s->w));
    }
    return most;
}

/* Whether a contact, a stop or dry friction that sticks acts on every group of bodies: what floats or swings is not at rest, however slow. */
static bool all_borne(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_set *set = &n->set;
    for (int g = 0; g < sim->m->link_count; g++) n->groups.group[g].borne = false;
    for (int i = 0; i < set->count; i++) {
        const double *p = set->p + i * set->dimension;
        if (!(p[0] > 0) || (i >= set->count - set->dry && jn_contact_slip_speed(set, p) >= p[0])) continue;
        for (int k = set->start[i]; k < jn_contact_set_end(set, i); k++)
            n->groups.group[n->groups.of[sim->m->dof_link[set->dof_of[k]]]].borne = true;
    }
    for (int g = 0; g < sim->m->link_count; g++)
        if (n->groups.group[g].count && !n->groups.group[g].borne) return false;
    return true;
}

/* Velocities and momenta end; what they had is booked. */
static void fall_asleep(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_state *s = sim->s;
    jn_ledger *pending = (jn_ledger *)(void *)(s->past + JN_PAST_PENDING);
    jn_momentum p = jn_momentum_get(m, sim->w, s, NULL);
    jn_observe(m, sim->w, s);
    double kinetic = jn_energy_get(m, sim->w).kinetic;
    jn_vec3 L = v3_add(p.angular, v3_cross(p.com, p.linear));
    jn_audit_give(sim, (jn_wrench){v3_neg(L), v3_neg(p.linear)});
    s->ledger.numerical -= kinetic, s->ledger.numerical_size += kinetic;
    *pending = (jn_ledger){0}; /* what it holds has been done */
    memset(s->u, 0, (size_t)m->nv * sizeof *s->u);
    memset(s->momentum, 0, (size_t)m->nv * sizeof *s->momentum);
    memset(jn_past_velocity(sim, 0), 0, (size_t)(JN_PAST_STEPS * m->nv) * sizeof(double));
    memset(jn_past_q_rest(sim), 0, (size_t)(m->nq + m->nv) * sizeof(double));
    jn_node_sign(sim);
    x->placed = (unsigned long)-1;
}

void jn_sleep_watch(jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double *still = &sim->s->past[JN_PAST_STILL], bound = SLOW * jn_contact_set_residual(sim);
    if (!x->may_sleep || sim->w->control || sim->w->push_count) return;
    bool rests = !sim->nonsmooth->set.solve.unsolved && jn_segment_fastest(sim) <= bound && all_borne(sim);
    *still = rests ? *still + 1 : 0;
    if (*still == steps_at_rest(sim)) fall_asleep(sim);
}

bool jn_sleep_on(jn_sim *sim, double end) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_state *s = sim->s;
    if (s->past[JN_PAST_STILL] < steps_at_rest(sim)) return false;
    bool wakes = !x->may_sleep || sim->w->control || sim->w->push_count || !jn_node_signed(sim);
    if (wakes) {
        s->past[JN_PAST_STILL] = 0;
        return false;
    }
    s->t = end;
    jn_node_sign(sim);
    sim->audit.asleep++;
    return true;
}

/* Sleep of the momentum leapfrog: an island or a system that has come to rest is not solved again.
 *
 * It falls asleep when contacts, stops or dry friction bear every body, all have been slower than a bound for half a second and
 * a number of steps, every contact problem met its residual, and no force depends on time. Its contact forces then balance the
 * others to the residual: the same step would follow for ever. What little momentum is left goes to the ground, and its energy is booked as
 * numerical. A system wakes when somebody changes the state, pushes a body, or sets a controller; an island of bodies that float also when
 * a contact, a joint or a spring connects it with a body that is awake. Steps of a system that sleeps are left out; an island that sleeps beside
 * others keeps its contact impulses and its place. */
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

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
    for (int i = 0; i < m->actuation_count; i++) timed |= depends_on_time(m->actuations[i].control);
    return m->run.sleep && !timed && m->act_count == 0;
}

static double steps_at_rest(const jn_sim *sim) {
    return jn_max(JN_SLEEP_STEPS, ceil(JN_SLEEP_TIME / sim->m->run.step));
}

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

/* [m/s] no point of a body is faster on the segment. */
static double link_speed(const jn_sim *sim, int link) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_segment_link *s = &x->segment[link];
    jn_vec3 v = v3_add(s->v, v3_cross(s->w, sim->w->link[link].c)); /* of the centre of mass */
    return v3_norm(v) + x->reach * v3_norm(s->w);
}

/* [steps] for which a group has been at rest, one more where it sleeps: behind all else in the past of the state. */
static double *rest_of(const jn_sim *sim, int group) { return jn_past_p_rest(sim) + sim->m->nv + group; }

/* [m/s] of a body that is slow, as far as the residual tells it from rest. */
static double slow_speed(const jn_sim *sim) { return JN_SLEEP_SPEED * jn_contact_set_residual(sim); }

/* The groups of some links behind the ground. */
static void find_some_slow(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_groups *groups = &sim->nonsmooth->groups;
    double bound = slow_speed(sim);
    for (int i = from + 1; i < to + 1; i++) {
        jn_group *g = &groups->group[groups->of[i]];
        if (g->still) g->still = link_speed(sim, i) <= bound;
    }
}

/* Marks the groups all of whose bodies are slow; whether there is one, and whether all are. */
static bool find_slow(jn_sim *sim, bool *all) {
    jn_groups *groups = &sim->nonsmooth->groups;
    jn_pool *pool = groups->plain ? sim->pool : NULL; /* each body is a group */
    bool any = false;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) groups->group[g].still = true;
    jn_pool_range(pool, sim->m->link_count - 1, JN_SHARED_LINKS, find_some_slow, sim);
    *all = true;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++)
        any |= groups->group[g].count && groups->group[g].still, *all &= groups->group[g].still;
    return any;
}

/* Marks the groups that a contact, a stop or dry friction that sticks acts on; whether that is every group: what floats or swings is not at
 * rest, however slow. */
static bool all_borne(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_set *set = &n->set;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) n->groups.group[g].borne = false;
    for (int i = 0; i < set->count; i++) {
        const double *p = set->p + i * set->dimension;
        if (!(p[0] > 0) || (i >= set->count - set->dry && jn_contact_slip_speed(set, p) >= p[0])) continue;
        for (int k = 0; k < 2; k++)
            if (set->point[i].group[k] >= 0) n->groups.group[set->point[i].group[k]].borne = true;
    }
    for (int g = 0; g < sim->nonsmooth->groups.count; g++)
        if (n->groups.group[g].count && !n->groups.group[g].borne) return false;
    return true;
}

/* ----------------------------------------------------------------------------------------------------- falling asleep */

/* Momentum of the trees that float in an island, about the world's origin; p (nv): generalised, of their free joints. */
static jn_wrench momentum_of(const jn_sim *sim, int island, const double *p) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    jn_wrench sum = wr_zero();
    for (int i = 1; i < sim->m->link_count; i++) {
        const jn_link *l = &sim->m->links[i];
        if (l->parent || groups->island[groups->of[i]] != island) continue;
        jn_wrench own = wr_zero();
        int turns = l->type == JN_JOINT_FREE ? 3 : 2;
        for (int k = 0; k < turns; k++) own.f = v3_axpy(p[l->v + k], sim->w->S[l->v + k].v, own.f);
        for (int k = turns; k < l->nv; k++) own.n = v3_axpy(p[l->v + k], sim->w->S[l->v + k].w, own.n);
        own.n = v3_add(own.n, v3_cross(sim->w->link[i].O, own.f));
        sum = wr_add(sum, own);
    }
    return sum;
}

/* Momentum of all bodies with the velocities of the state, about the world's origin, and their kinetic energy. */
static jn_wrench shown_momentum(jn_sim *sim, double *kinetic) {
    jn_momentum p = jn_momentum_get(sim->m, sim->w, sim->s, NULL); /* after it the links have these velocities */
    *kinetic = jn_energy_get(sim->m, sim->w).kinetic;
    return (jn_wrench){v3_add(p.angular, v3_cross(p.com, p.linear)), p.linear};
}

static void stop_group(jn_sim *sim, int group) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    for (int k = 0; k < groups->group[group].count; k++) {
        int v = groups->dof[groups->group[group].first + k];
        sim->s->u[v] = sim->s->momentum[v] = jn_past_p_rest(sim)[v] = 0;
        for (int j = 0; j < JN_PAST_STEPS; j++) jn_past_velocity(sim, v)[j] = 0;
    }
}

/* Velocities and momenta of an island end, or of all (-1); what they had is booked. */
static void fall_asleep(jn_sim *sim, int island) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    jn_state *s = sim->s;
    jn_ledger *pending = (jn_ledger *)(void *)(s->past + JN_PAST_PENDING);
    double before, after;
    jn_wrench P = shown_momentum(sim, &before), own = island >= 0 ? momentum_of(sim, island, s->momentum) : wr_zero();
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) {
        if (!groups->group[g].count || (island >= 0 && groups->island[g] != island)) continue;
        stop_group(sim, g);
        if (island >= 0) *rest_of(sim, g) = steps_at_rest(sim) + 1;
    }
    jn_wrench lost = wr_sub(P, shown_momentum(sim, &after));
    jn_audit_give(sim, wr_scale(-1, lost));
    s->ledger.numerical -= before - after, s->ledger.numerical_size += before - after;
    if (island >= 0)
        pending->given = wr_sub(pending->given, wr_sub(lost, own)); /* of it, what these velocities contained */
    else
        *pending = (jn_ledger){0}; /* what it holds has been done */
    if (island < 0) memset(jn_past_q_rest(sim), 0, (size_t)sim->m->nq * sizeof(double));
    jn_node_sign(sim);
    sim->nonsmooth->leapfrog->placed = (unsigned long)-1;
}

/* Steps for which each group has rested; marks the islands all of whose groups have rested long enough and float: of trees that hang on the
 * ground the joint there bears a part. */
static void count_rest(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_groups *groups = &sim->nonsmooth->groups;
    double enough = steps_at_rest(sim);
    bool solved = !sim->nonsmooth->set.solve.unsolved;
    for (int k = 0; k < m->link_count; k++) {
        jn_group *g = &groups->group[k];
        g->still = g->still && g->borne && solved, g->ripe = true;
    }
    for (int i = 1; i < m->link_count; i++) {
        const jn_group *g = &groups->group[groups->of[i]];
        if (m->links[i].hangs || g->driven) groups->group[groups->island[groups->of[i]]].ripe = false;
    }
    for (int i = 0; i < sim->nonsmooth->set.count && m->surfaces_move; i++)
        if (jn_contact_on_belt(m, &sim->nonsmooth->set.point[i])) groups->group[sim->nonsmooth->set.point[i].island].ripe = false;
    for (int i = 0; i < m->body_count && sim->w->push_count; i++)
        if (sim->w->push[i].on) groups->group[groups->of[m->bodies[i].link]].still = false;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) {
        double *rest = rest_of(sim, g);
        if (!groups->group[g].count) continue;
        *rest = !groups->group[g].still ? 0 : *rest > enough ? *rest : jn_min(*rest + 1, enough);
        if (*rest < enough) groups->group[groups->island[g]].ripe = false;
    }
}

static void watch_islands(jn_sim *sim) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    count_rest(sim);
    for (int g = 0; g < sim->nonsmooth->groups.count; g++)
        if (groups->group[g].count && groups->group[groups->island[g]].ripe && *rest_of(sim, g) == steps_at_rest(sim))
            fall_asleep(sim, groups->island[g]);
}

void jn_sleep_watch(jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double *still = &sim->s->past[JN_PAST_STILL];
    if (!x->may_sleep || sim->w->control) return;
    bool all_slow;
    if (!find_slow(sim, &all_slow)) {
        for (int g = 0; g < sim->nonsmooth->groups.count; g++)
            if (sim->nonsmooth->groups.group[g].count) *rest_of(sim, g) = 0;
        if (!sim->w->push_count) *still = 0;
        return;
    }
    bool borne = all_borne(sim);
    watch_islands(sim);
    if (sim->w->push_count) return;
    bool rests = !sim->nonsmooth->set.solve.unsolved && borne && all_slow;
    *still = rests ? *still + 1 : 0;
    if (*still == steps_at_rest(sim)) fall_asleep(sim, -1);
}

/* ------------------------------------------------------------------------------------------------------ while it sleeps */

bool jn_group_sleeps(const jn_sim *sim, int group) {
    return sim->nonsmooth->groups.group[group].count && *rest_of(sim, group) > steps_at_rest(sim);
}

bool jn_sim_is_asleep(const jn_sim *sim, int body) {
    if (!sim->nonsmooth || !sim->nonsmooth->leapfrog || body < 0 || body >= sim->m->body_count) return false;
    int link = sim->m->bodies[body].link;
    return sim->s->past[JN_PAST_STILL] >= steps_at_rest(sim) || (link && jn_group_sleeps(sim, sim->nonsmooth->groups.of[link]));
}

void jn_sleep_wake(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_groups *groups = &n->groups;
    bool all = !n->leapfrog->may_sleep || sim->w->control;
    int asleep = 0;
    for (int i = 0; i < m->body_count && sim->w->push_count; i++)
        if (sim->w->push[i].on) *rest_of(sim, groups->of[m->bodies[i].link]) = 0;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) groups->group[g].awake = all;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++)
        if (groups->group[g].count && !jn_group_sleeps(sim, g)) groups->group[groups->island[g]].awake = true;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) {
        if (!groups->group[groups->island[g]].awake)
            asleep += groups->group[g].count > 0;
        else if (jn_group_sleeps(sim, g))
            *rest_of(sim, g) = 0;
    }
    n->leapfrog->asleep = asleep, n->set.some_asleep = asleep > 0;
    for (int i = 0; i < n->set.count && asleep; i++)
        n->set.point[i].asleep = !groups->group[n->set.point[i].island].awake;
}

void jn_sleep_keep_impulses(jn_sim *sim) {
    const jn_nonsmooth *n = sim->nonsmooth;
    int d = n->set.dimension;
    for (int i = 0; i < n->set.count && n->leapfrog->asleep; i++) {
        const jn_contact_point *h = &n->set.point[i];
        double *p = n->set.p + i * d;
        if (!h->asleep || h->is_new || !(p[0] > 0) || i >= n->set.count - n->set.dry) continue;
        double scale = sim->s->contact[h->cached].stepping.force * n->leapfrog->H / p[0];
        for (int r = 0; r < d; r++) p[r] *= scale;
    }
}

/* x = 0 at the velocities of groups that sleep. */
static void clear(const jn_sim *sim, double *x) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++)
        for (int k = 0; k < groups->group[g].count && jn_group_sleeps(sim, g); k++)
            x[groups->dof[groups->group[g].first + k]] = 0;
}

void jn_sleep_hold(jn_sim *sim, double *u) {
    if (sim->nonsmooth->leapfrog->asleep) clear(sim, u);
}

void jn_sleep_book(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_groups *groups = &sim->nonsmooth->groups;
    if (!x->asleep) return;
    jn_leapfrog_swap_poses(sim);
    for (int g = 0; g < sim->nonsmooth->groups.count; g++)
        if (groups->island[g] == g && jn_group_sleeps(sim, g))
            jn_audit_give(sim, wr_scale(-1, momentum_of(sim, g, x->given)));
    jn_leapfrog_swap_poses(sim);
    clear(sim, x->given), clear(sim, x->pi), clear(sim, x->p_rest);
}

void jn_sleep_balance(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < sim->nonsmooth->groups.count && x->asleep; g++)
        for (int k = 0; k < groups->group[g].count && jn_group_sleeps(sim, g); k++) {
            int v = groups->dof[groups->group[g].first + k];
            x->contact_force[v] = -x->force[v];
        }
}

bool jn_sleep_on(jn_sim *sim, double end) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_state *s = sim->s;
    bool all = s->past[JN_PAST_STILL] >= steps_at_rest(sim), some = all;
    for (int g = 0; g < sim->nonsmooth->groups.count && !some; g++) some = jn_group_sleeps(sim, g);
    bool changed = some && !jn_node_signed(sim);
    for (int g = 0; g < sim->nonsmooth->groups.count && changed; g++) *rest_of(sim, g) = 0;
    if (!all) return false;
    bool wakes = !x->may_sleep || sim->w->control || sim->w->push_count || changed;
    if (wakes) {
        s->past[JN_PAST_STILL] = 0;
        return false;
    }
    s->t = end;
    jn_node_sign(sim);
    sim->audit.asleep++;
    return true;
}

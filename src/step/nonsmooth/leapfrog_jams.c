/* Contacts that friction jams: no impulses of finite size meet their laws. */
#include "step/nonsmooth/leapfrog.h"

#include "reaction/solvers/solvers.h"

/* [m/s] what the normal impulse of a contact does by itself. */
static double own_speed(const jn_contact_set *set, int i) {
    double p = set->p[i * set->dimension];
    return p > 0 ? jn_contact_mobility(set, i, 0) * p : 0;
}

/* Whether an impulse is that large beside the velocity of its own contact: else its island does not jam. */
static bool may_jam(const jn_contact_set *set) {
    for (int i = 0; i < set->count; i++)
        if (own_speed(set, i) > JN_IMPULSES_BOUNDLESS * fabs(set->q[i * set->dimension])) return true;
    return false;
}

/* Marks the islands whose impulses cancel each other but for round-off: their problems have no solution. */
static void find_boundless(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_group *group = sim->nonsmooth->groups.group;
    for (int i = 0; i < set->count; i++) {
        jn_group *island = &group[set->point[i].island];
        island->swiftest = jn_max(island->swiftest, fabs(set->q[i * set->dimension]));
    }
    for (int i = 0; i < set->count; i++) {
        jn_group *island = &group[set->point[i].island];
        island->jams |= own_speed(set, i) > JN_IMPULSES_BOUNDLESS * island->swiftest;
    }
}

/* [J] what the impulses that hold a jammed contact would do with its bias: the contacts with the most negative ones ask for what cannot be. */
static double demand_of(const jn_sim *sim, int i) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const double *hold = set->hold + i * set->dimension, *q = set->q + i * set->dimension;
    double free[3], sum = 0;
    if (!(hold[0] > 0)) return 0;
    jn_contact_multiply_one(set, i, sim->nonsmooth->leapfrog->free, free);
    for (int r = 0; r < set->dimension; r++) sum += hold[r] * (q[r] - free[r]);
    return sum;
}

/* Whether the tangential bias is the slip before the node, so that friction opposes the mean of slip before and after. Without it friction opposes slip
 * after the node, which is Coulomb's law too: nothing is left uncorrected. */
static bool slips_on(const jn_sim *sim, const jn_contact_point *h) {
    const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
    return cached && !h->impacting && !cached->stepping.anchored && cached->slip == JN_SLIP_SLIPPING;
}

/* [m/s] what is lost without the bias of a contact. A rebound is not: what friction jams stays where it is, since the impulse of restitution moves nothing, be it as large as it may. An
 * overlap, and the way back to where it stuck, stay as they are, in sight of the next nodes: they count from where an overlap is bad. */
static double correction_of(const jn_sim *sim, int i) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_contact_point *h = &set->point[i];
    const double *bias = &x->bias[i * set->dimension];
    double most = 0, allowed = JN_LEAPFROG_JAM_OFF_REL * x->size;
    if (h->impacting) return 0;
    for (int r = 1; r < set->dimension && !slips_on(sim, h); r++) most = jn_max(most, fabs(bias[r]));
    if (x->h * most <= allowed) most = 0;
    return h->gap < -allowed ? jn_max(most, -bias[0]) : most;
}

/* Whether a contact has a bias that rest does not meet. */
static bool asks_more_than_rest(const jn_sim *sim, int i) {
    int d = sim->nonsmooth->set.dimension;
    const double *bias = &sim->nonsmooth->leapfrog->bias[i * d];
    for (int r = 1; r < d; r++)
        if (bias[r] != 0) return true;
    return bias[0] < 0;
}

/* Whether there was one. */
static bool drop_correction(jn_sim *sim, int i) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int d = set->dimension;
    double *bias = &x->bias[i * d];
    bool asks = asks_more_than_rest(sim, i);
    x->dropped = jn_max(x->dropped, correction_of(sim, i));
    if (set->point[i].impacting) jn_leapfrog_pose_closing(sim, i);
    bias[0] = jn_max(bias[0], 0);
    for (int r = 1; r < d; r++) bias[r] = 0;
    return asks;
}

/* Of the islands whose problems have no solution. */
static bool drop_demands(jn_sim *sim, bool all) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_group *group = sim->nonsmooth->groups.group;
    int posed = set->count - set->dry;
    bool dropped = false;
    for (int i = 0; i < posed; i++) {
        jn_group *island = &group[set->point[i].island];
        island->demand = jn_min(island->demand, demand_of(sim, i));
    }
    for (int i = 0; i < posed; i++) {
        double most = group[set->point[i].island].demand;
        if (most < 0 && (all || demand_of(sim, i) <= JN_LEAPFROG_JAM_DEMAND * most)) dropped |= drop_correction(sim, i);
    }
    return dropped;
}

/* Of the islands whose impulses are without bound. */
static bool drop_boundless(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    bool dropped = false;
    find_boundless(sim);
    for (int i = 0; i < set->count - set->dry; i++)
        if (!set->point[i].asleep && sim->nonsmooth->groups.group[set->point[i].island].jams)
            dropped |= drop_correction(sim, i);
    return dropped;
}

/* [1/kg] what a contact is compared with to see whether it can move along its normal: its mobility along the tangents, without friction that of both bodies if they
 * were free. */
static double usual_mobility(const jn_sim *sim, int i) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double sum = 0;
    if (set->dimension > 1) return jn_contact_tangent_mobility(set, i);
    for (int k = 0; k < 2; k++) {
        int link = set->point[i].link[k];
        if (link > 0 && sim->m->links[link].mass > 0) sum += 1 / sim->m->links[link].mass;
    }
    return sum;
}

/* [N s] larger impulses are beyond all bounds. */
static double largest_usual(const jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    return JN_IMPULSES_BOUNDLESS * x->mass * x->swiftest;
}

/* Leaves out contacts that cannot move along their normal but for round-off, or by less than the residual at the speeds of the step, as those of parts that turn about one axis: any impulse
 * would do, and none is the least. Whether one had an impulse beyond all bounds. */
static bool leave_out_immobile(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int d = set->dimension;
    double most = largest_usual(sim), ratio = jn_contact_set_residual(sim) / x->swiftest;
    double immobile = jn_max(JN_LEAPFROG_IMMOBILE_REL, ratio * ratio);
    bool any = false;
    for (int i = 0; i < set->count - set->dry; i++) {
        if (!(set->p[i * d] > most) || !jn_pair_is(sim->m, &set->point[i])) continue;
        if (!(jn_contact_mobility(set, i, 0) <= immobile * usual_mobility(sim, i))) continue;
        set->point[i].impacting = false, x->bias[i * d] = JN_LEAPFROG_FAR_OPEN * x->swiftest;
        any = true;
    }
    return any;
}

/* Of some contacts: jn_range_measure; 1 where one has an impulse that is beyond all bounds, alone or beside its velocity, or one that holds it in a jam. */
static double find_suspicious(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension;
    double most = largest_usual(sim);
    for (int i = from; i < to; i++)
        if (set->p[i * d] > most || own_speed(set, i) > JN_IMPULSES_BOUNDLESS * fabs(set->q[i * d]) ||
            (set->solve.certain && set->hold[i * d] > 0))
            return 1;
    return 0;
}

bool jn_leapfrog_drop_corrections(jn_sim *sim, int earlier) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_group *group = sim->nonsmooth->groups.group;
    bool known = false, all = earlier + 2 >= JN_LEAPFROG_JAMS_MOST;
    if (!(jn_pool_most(sim->pool, set->count, JN_SHARED_CONTACTS, find_suspicious, sim) > 0)) return false;
    if (leave_out_immobile(sim)) return true;
    for (int i = 0; i < set->count && set->solve.certain; i++) known |= set->hold[i * set->dimension] > 0;
    if (!known && !may_jam(set)) return false;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) group[g].jams = false, group[g].swiftest = group[g].demand = 0;
    bool dropped = known ? drop_demands(sim, all) : drop_boundless(sim);
    sim->nonsmooth->leapfrog->jams |= dropped;
    if (!known || dropped) return dropped;
    set->solve.certain = false; /* no correction makes it unsolvable: all solvers try */
    return true;
}

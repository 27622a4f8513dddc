/* Islands that friction jams. */
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
static void find_jams(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_group *group = sim->nonsmooth->groups.group;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++) group[g].jams = false, group[g].swiftest = 0;
    for (int i = 0; i < set->count; i++) {
        jn_group *island = &group[set->point[i].island];
        island->swiftest = jn_max(island->swiftest, fabs(set->q[i * set->dimension]));
    }
    for (int i = 0; i < set->count; i++) {
        jn_group *island = &group[set->point[i].island];
        island->jams |= own_speed(set, i) > JN_IMPULSES_BOUNDLESS * island->swiftest;
    }
}

static bool is_jammed(const jn_sim *sim, int i) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    return !h->asleep && sim->nonsmooth->groups.group[h->island].jams;
}

/* Whether the tangential bias is the slip before the node, so that friction opposes the mean of slip before and after. Without it friction opposes slip
 * after the node, which is Coulomb's law too: nothing is left uncorrected. */
static bool slips_on(const jn_sim *sim, const jn_contact_point *h) {
    const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
    return cached && !h->impacting && !cached->stepping.anchored && cached->slip == JN_SLIP_SLIPPING;
}

/* [m/s] what is lost without the bias of a contact. */
static double correction_of(const jn_sim *sim, int i) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const double *bias = &sim->nonsmooth->leapfrog->bias[i * set->dimension];
    double most = jn_max(0, -bias[0]);
    if (slips_on(sim, &set->point[i])) return most;
    for (int r = 1; r < set->dimension; r++) most = jn_max(most, fabs(bias[r]));
    return most;
}

/* Whether a contact of an island that jams has a bias that rest does not meet. */
static bool asks_more_than_rest(const jn_sim *sim, int i) {
    int d = sim->nonsmooth->set.dimension;
    const double *bias = &sim->nonsmooth->leapfrog->bias[i * d];
    if (!is_jammed(sim, i)) return false;
    for (int r = 1; r < d; r++)
        if (bias[r] != 0) return true;
    return bias[0] < 0;
}

bool jn_leapfrog_drop_corrections(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int d = set->dimension, posed = set->count - set->dry, first = 0;
    if (!may_jam(set)) return false;
    find_jams(sim);
    while (first < posed && !asks_more_than_rest(sim, first)) first++;
    if (first == posed) return false;
    for (int i = 0; i < posed; i++) {
        double *bias = &x->bias[i * d];
        if (!is_jammed(sim, i)) continue;
        x->dropped = jn_max(x->dropped, correction_of(sim, i));
        bias[0] = jn_max(bias[0], 0);
        for (int r = 1; r < d; r++) bias[r] = 0;
        for (int r = 0; r < d; r++) set->p[i * d + r] = 0;
    }
    return true;
}

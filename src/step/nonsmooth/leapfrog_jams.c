/* Islands that friction jams. */
#include "step/nonsmooth/leapfrog.h"

/* [m/s] what the normal impulse of a contact does by itself. */
static double own_speed(const jn_contact_set *set, int i) {
    double p = set->p[i * set->dimension];
    return p > 0 ? jn_contact_mobility(set, i, 0) * p : 0;
}

/* Whether an impulse is that large beside the velocity of its own contact: else its island does not jam. */
static bool may_jam(const jn_contact_set *set) {
    for (int i = 0; i < set->count; i++)
        if (own_speed(set, i) > JN_CONTACT_BOUNDLESS * fabs(set->q[i * set->dimension])) return true;
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
        island->jams |= own_speed(set, i) > JN_CONTACT_BOUNDLESS * island->swiftest;
    }
}

static bool is_jammed(const jn_sim *sim, int i) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    return !h->asleep && sim->nonsmooth->groups.group[h->island].jams;
}

/* [m/s] largest correction of the islands that jam. */
static double largest_correction(const jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double most = 0;
    for (int i = 0; i < set->count - set->dry; i++) {
        const double *bias = &sim->nonsmooth->leapfrog->bias[i * set->dimension];
        if (!is_jammed(sim, i)) continue;
        most = jn_max(most, -bias[0]);
        for (int r = 1; r < set->dimension; r++) most = jn_max(most, fabs(bias[r]));
    }
    return most;
}

bool jn_leapfrog_drop_corrections(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int d = set->dimension;
    if (!may_jam(set)) return false;
    find_jams(sim);
    double most = largest_correction(sim);
    if (!(most > 0)) return false;
    for (int i = 0; i < set->count - set->dry; i++) {
        double *bias = &x->bias[i * d];
        if (!is_jammed(sim, i)) continue;
        bias[0] = jn_max(bias[0], 0);
        for (int r = 1; r < d; r++) bias[r] = 0;
        for (int r = 0; r < d; r++) set->p[i * d + r] = 0;
    }
    x->dropped = jn_max(x->dropped, most);
    return true;
}

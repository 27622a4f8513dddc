/* Restitution of the momentum leapfrog that gains no energy.
 *
 * Newton's law gives the normal velocities after an impact, whatever friction does meanwhile, and with friction it may give energy that nobody put in [Kane1985]. Without
 * restitution an impact loses energy always: with u+ = u- + W p the gain p.(u+ + u-)/2 is p.u+ - p.W p/2, and p.u+ <= 0 by the laws. So there is a largest factor
 * up to 1 of all coefficients of restitution of an island with which its impacts as a whole gain nothing, the energetic consistency of [Glocker2013]. It is sought
 * where Newton's law gains, by regula falsi [Dowell1971], each trial with a solution of the contact problem. */
#include "step/nonsmooth/leapfrog.h"

void jn_leapfrog_find_gains(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_group *group = sim->nonsmooth->groups.group;
    if (sim->nonsmooth->leapfrog->gains_known) return;
    for (int g = 0; g < sim->nonsmooth->groups.count; g++)
        group[g].gain = group[g].noise = 0, group[g].rebounds = false;
    jn_leapfrog_find_jump(sim);
    sim->nonsmooth->leapfrog->gains_known = true;
    for (int i = 0; i < set->count; i++) {
        jn_group *island = &group[set->point[i].island];
        jn_contact_work w = sim->nonsmooth->leapfrog->work[i];
        island->gain -= w.normal + w.tangential - w.stored, island->noise += w.noise;
        island->rebounds |= set->point[i].impacting && set->point[i].rebounds;
    }
}

static bool has_impacts(const jn_groups *groups) {
    for (int g = 0; g < groups->count; g++)
        if (groups->group[g].impacts) return true;
    return false;
}

/* Where the line through both ends has no gain; the end that stayed twice counts half. */
static double between(const jn_bounce *b) {
    double low = b->gain_low, high = b->gain_high;
    if (b->stayed > 1) low *= 0.5;
    if (b->stayed < -1) high *= 0.5;
    double factor = b->low + (b->high - b->low) * -low / (high - low);
    double edge = JN_LEAPFROG_BOUNCE_EDGE * (b->high - b->low);
    return jn_min(jn_max(factor, b->low + edge), b->high - edge);
}

/* The next factor to try for an island; false: the one that was tried stays. */
static bool try_next(jn_group *island) {
    jn_bounce *b = &island->bounce;
    bool gains = island->gain > island->noise;
    if (b->found || (b->tries == 0 && !(gains && island->rebounds))) return false;
    if (gains)
        b->high = b->factor, b->gain_high = island->gain, b->stayed = b->stayed > 0 ? b->stayed + 1 : 1;
    else
        b->low = b->factor, b->gain_low = jn_min(island->gain, 0), b->stayed = b->stayed < 0 ? b->stayed - 1 : -1;
    bool last = b->high - b->low <= JN_LEAPFROG_BOUNCE_REL || ++b->tries > JN_LEAPFROG_BOUNCE_TRIES;
    if (!gains && (last || island->gain >= -island->noise)) return b->found = true, false;
    if (gains && b->factor == 0) { /* not by restitution, or not alone */
        b->found = true, b->factor = b->gain_first > island->gain + island->noise ? 0 : 1;
        return b->factor > 0;
    }
    if (b->tries == 1) b->gain_first = island->gain;
    b->found = last;
    b->factor = last ? jn_max(b->low - JN_LEAPFROG_BOUNCE_REL, 0) : b->low < 0 ? 0 : between(b);
    return true;
}

void jn_leapfrog_begin_bounds(jn_sim *sim, bool anew) {
    jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < groups->count; g++) {
        jn_bounce *b = &groups->group[g].bounce;
        double factor = anew ? 1 : b->factor;
        *b = (jn_bounce){.factor = factor, .low = -1, .high = factor};
    }
}

bool jn_leapfrog_bound_restitution(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    bool any = false;
    if (!sim->m->run.energetic_bound || !n->set.count || !has_impacts(&n->groups)) return false;
    jn_leapfrog_find_gains(sim);
    for (int g = 0; g < n->groups.count; g++) {
        jn_group *island = &n->groups.group[g];
        island->tried = island->impacts && try_next(island);
        any |= island->tried;
    }
    for (int i = 0; any && i < n->set.count - n->set.dry; i++)
        if (n->set.point[i].impacting && n->groups.group[n->set.point[i].island].tried)
            jn_leapfrog_pose_rebound(sim, i);
    return any;
}

bool jn_leapfrog_gives_much(jn_sim *sim) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double given = 0, energy = 0;
    if (!n->set.count || !(x->h > JN_LEAPFROG_SHORTEST_DEEP * sim->m->run.step)) return false;
    jn_leapfrog_find_gains(sim);
    for (int g = 0; g < n->groups.count; g++) {
        const jn_group *island = &n->groups.group[g];
        if (island->gain > island->noise && (sim->m->run.energetic_bound || !island->rebounds)) given += island->gain;
    }
    for (int k = 0; k < sim->m->nv && given > 0; k++) energy += 0.5 * x->u[k] * x->pi[k];
    double fall =
        n->gravity * x->h; /* [m/s] in a step: overlaps are left as fast, and problems solved to the residual */
    return given > JN_LEAPFROG_GIVEN_MOST * energy + x->mass * fall * (fall + jn_contact_set_residual(sim));
}

int jn_leapfrog_bounded_islands(const jn_sim *sim) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    int count = 0;
    for (int g = 0; g < groups->count; g++) count += groups->group[g].impacts && groups->group[g].bounce.factor < 1;
    return count;
}

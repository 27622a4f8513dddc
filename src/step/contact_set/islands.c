/* Islands: groups of bodies that the contact points of a step connect, at rest or in motion. What happens in one island has no part in
 * another: it is solved, waits for impacts and sleeps on its own. */
#include "step/nonsmooth/nonsmooth.h"

#include "base/components.h"

/* Group that a side of a contact point belongs to; -1: the ground, or no body. */
static int group_of(const jn_sim *sim, int link) { return link ? sim->nonsmooth->groups.of[link] : -1; }

/* Groups that move with a contact point, those with velocities, and the island of the first of its bodies that is not the ground. */
static void note_groups(const jn_sim *sim, jn_contact_point *h) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    int own[2] = {-1, -1};
    if (jn_pair_is(sim->m, h))
        own[0] = group_of(sim, h->link[0]), own[1] = group_of(sim, h->link[1]);
    else
        own[0] = jn_contact_point_group(sim, h);
    h->island = groups->island[own[0] >= 0 ? own[0] : own[1]];
    for (int k = 0; k < 2; k++) {
        bool moves = own[k] >= 0 && (groups->group[own[k]].count || !jn_pair_is(sim->m, h));
        h->group[k] = moves ? own[k] : -1;
    }
}

/* Whether two bodies are of different groups, which are of one island now. */
static bool join(const jn_sim *sim, int link_a, int link_b) {
    int a = group_of(sim, link_a), b = group_of(sim, link_b);
    if (a < 0 || b < 0 || a == b) return false;
    jn_component_join(sim->nonsmooth->groups.island, a, b);
    return true;
}

/* Elements whose forces change with the motion of two bodies; whether one acts between two groups. */
static bool join_elements(const jn_sim *sim) {
    const jn_model *m = sim->m;
    bool any = false;
    for (int i = 0; i < m->spring_count; i++) any |= join(sim, m->springs[i].A.link, m->springs[i].B.link);
    for (int i = 0; i < m->bushing_count; i++) any |= join(sim, m->bushings[i].A.link, m->bushings[i].B.link);
    for (int i = 0; i < m->applied_count; i++) any |= join(sim, m->applied[i].A.link, m->applied[i].B.link);
    for (int i = 0; i < m->joint_count; i++) any |= join(sim, m->joints[i].A.link, m->joints[i].B.link);
    return any;
}

void jn_islands_create(jn_sim *sim) {
    jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < sim->m->link_count; g++) groups->island[g] = g;
    groups->joined = join_elements(sim);
}

/* O(links + contacts + elements). An island has the number of its first group. */
void jn_islands_find(jn_sim *sim) {
    jn_groups *groups = &sim->nonsmooth->groups;
    jn_contact_set *set = &sim->nonsmooth->set;
    for (int g = 0; g < groups->count; g++) groups->island[g] = g, groups->group[g].contacts = 0;
    if (groups->joined) join_elements(sim);
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        if (jn_pair_is(sim->m, h)) join(sim, h->link[0], h->link[1]);
    }
    for (int g = 0; g < groups->count; g++) groups->island[g] = jn_component_root(groups->island, g);
    for (int i = 0; i < set->count; i++) {
        note_groups(sim, &set->point[i]);
        groups->group[set->point[i].island].contacts++;
    }
}

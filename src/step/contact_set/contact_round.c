/* Contacts of the set between round bodies: their rows as a frame, two arms and the masses (jn_round_row). All products of a step with H and Y
 * read these then, a fifth of the memory; of a large pile the rows themselves are left out, and solvers that need some expand them. */
#include "step/nonsmooth/nonsmooth.h"

static bool is_round_link(const jn_sim *sim, int link) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    return !link || groups->group[groups->of[link]].round;
}

/* One side of a contact at a point; false where its arm is not along the normal. */
static bool fill_side(const jn_sim *sim, int link, jn_vec3 point, jn_vec3 n, int side, jn_round_row *row) {
    const jn_link *l = &sim->m->links[link];
    row->rho[side] = row->light[side] = row->inverse[side] = 0, row->dof[side] = -1;
    if (!link) return true;
    jn_vec3 arm = v3_sub(point, sim->w->link[link].O);
    double rho = v3_dot(arm, n);
    jn_vec3 off = v3_axpy(-rho, n, arm);
    row->rho[side] = rho, row->light[side] = 1 / l->mass, row->inverse[side] = l->inverse.xx, row->dof[side] = l->v;
    return v3_dot(off, off) <= JN_CONTACT_ROUND_REL * JN_CONTACT_ROUND_REL * rho * rho;
}

static bool fill_round(const jn_sim *sim, const jn_contact_point *h, jn_round_row *row) {
    const jn_model *m = sim->m;
    if (!jn_pair_is(m, h) || m->contacts[h->row].rolls) return false;
    int A = h->link[0], B = h->link[1];
    if (A == B || !is_round_link(sim, A) || !is_round_link(sim, B)) return false;
    const jn_vec3 d[3] = {h->geometry.n, h->t[0], h->t[1]}, point = jn_contact_point_place(h);
    for (int r = 0; r < 3; r++) row->d[r][0] = d[r].x, row->d[r][1] = d[r].y, row->d[r][2] = d[r].z;
    return fill_side(sim, A, point, d[0], 0, row) && fill_side(sim, B, point, d[0], 1, row);
}

/* First velocity of a contact, modulo six. */
static int shift_of(const jn_sim *sim, const jn_contact_point *h) {
    return sim->m->links[h->link[0] ? h->link[0] : h->link[1]].v % 6;
}

/* Rows of some contacts: jn_range_measure; 1 where one is not round, or its velocities do not begin as those of the first contact of the set. */
static double fill_some(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    int shift = shift_of(sim, &set->point[0]);
    for (int i = from; i < to; i++) {
        jn_round_row *row = &set->round[i];
        if (!fill_round(sim, &set->point[i], row)) return 1;
        for (int k = 0; k < 2; k++)
            if (row->dof[k] >= 0 && row->dof[k] % 6 != shift) return 1;
    }
    return 0;
}

static void find_round(jn_contact_set *set, jn_sim *sim) {
    set->is_round = set->dimension == 3 && set->dry == 0;
    if (set->is_round) set->is_round = !(jn_pool_most(set->pool, set->count, JN_SHARED_CONTACTS, fill_some, sim) > 0);
}

/* Velocities of the rows, and the rows where they are wanted, of contacts whose places are known. */
static void fill_velocities(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = from; i < to; i++) {
        int at = set->start[i];
        if (set->has_values) jn_round_expand(&set->round[i], set->H + 3 * at, set->Y + 3 * at);
        jn_round_velocities(&set->round[i], set->dof_of + at);
    }
}

bool jn_contact_set_fill_round(jn_contact_set *set, jn_sim *sim) {
    int at = 0;
    find_round(set, sim);
    set->has_values = true; /* where the rows are filled as those of other bodies */
    if (!set->is_round || set->V != set->H || 12 * (long)set->count > set->entries) return false;
    bool many = set->count > JN_ROUND_EXPANDED && sim->m->run.method == JN_METHOD_NONSMOOTH;
    set->has_values = !many || sim->problem_sink;
    for (int i = 0; i < set->count; i++) {
        set->start[i] = at;
        at += 6 * (set->round[i].dof[0] >= 0) + 6 * (set->round[i].dof[1] >= 0);
    }
    set->start[set->count] = at;
    jn_pool_range(set->pool, set->count, JN_SHARED_CONTACTS, fill_velocities, sim);
    return true;
}

/* Contacts of the set between round bodies: their rows as a frame, two arms and the masses (jn_round_row). All products of a step with H and Y
 * read these then, a fifth of the memory. */
#include "step/nonsmooth/nonsmooth.h"

/* The ground, or a body that is free and alone with the same moment of inertia about every axis. */
static bool is_round_link(const jn_sim *sim, int link) {
    const jn_link *l = &sim->m->links[link];
    const jn_groups *groups = &sim->nonsmooth->groups;
    const jn_group *g = &groups->group[groups->of[link]];
    if (!link) return true;
    if (!l->alone || g->tied || g->held) return false;
    const jn_sym3 *J = &l->inverse;
    double off = jn_max(fabs(J->xy), jn_max(fabs(J->xz), fabs(J->yz)));
    off = jn_max(off, jn_max(fabs(J->xx - J->yy), fabs(J->xx - J->zz)));
    return off <= JN_CONTACT_ROUND_REL * J->xx;
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
    int A = m->solids[h->a].link, B = m->solids[h->b].link;
    if (A == B || !is_round_link(sim, A) || !is_round_link(sim, B)) return false;
    const jn_vec3 d[3] = {h->geometry.n, h->t[0], h->t[1]}, point = jn_contact_point_place(sim, h);
    for (int r = 0; r < 3; r++) row->d[r][0] = d[r].x, row->d[r][1] = d[r].y, row->d[r][2] = d[r].z;
    return fill_side(sim, A, point, d[0], 0, row) && fill_side(sim, B, point, d[0], 1, row);
}

static void find_round(jn_contact_set *set, const jn_sim *sim) {
    set->is_round = set->dimension == 3 && set->dry == 0;
    int shift = -1; /* of the first velocities, modulo six */
    for (int i = 0; i < set->count && set->is_round; i++) {
        const int *dof = set->round[i].dof;
        set->is_round = fill_round(sim, &set->point[i], &set->round[i]);
        for (int k = 0; k < 2 && set->is_round; k++) {
            if (dof[k] < 0) continue;
            set->is_round = shift < 0 || dof[k] % 6 == shift;
            shift = dof[k] % 6;
        }
    }
}

/* Rows H and Y of a round contact from entry `at` on, bodies ascending; returns their end. */
static int fill_rows(jn_contact_set *set, const jn_round_row *row, int at) {
    int first = row->dof[0] < row->dof[1] ? 0 : 1;
    double turn[3][3];
    for (int r = 0; r < 3; r++) jn_row_cross(row->d[0], row->d[r], turn[r]);
    for (int n = 0; n < 2; n++) {
        int k = n ? 1 - first : first;
        double sign = k ? 1 : -1, arm = sign * row->rho[k];
        double light = sign * row->light[k], spin = arm * row->inverse[k];
        if (row->dof[k] < 0) continue;
        for (int l = 0; l < 3; l++) {
            double *H = set->H + 3 * (at + l), *Y = set->Y + 3 * (at + l);
            set->dof_of[at + l] = row->dof[k] + l, set->dof_of[at + 3 + l] = row->dof[k] + 3 + l;
            for (int r = 0; r < 3; r++) {
                H[r] = sign * row->d[r][l], H[9 + r] = arm * turn[r][l];
                Y[r] = light * row->d[r][l], Y[9 + r] = spin * turn[r][l];
            }
        }
        at += 6;
    }
    return at;
}

bool jn_contact_set_fill_round(jn_contact_set *set, jn_sim *sim) {
    int at = 0;
    find_round(set, sim);
    if (!set->is_round || set->V != set->H || 12 * (long)set->count > set->entries) return false;
    for (int i = 0; i < set->count; i++) set->start[i] = at, at = fill_rows(set, &set->round[i], at);
    set->start[set->count] = at;
    return true;
}

/* Memory of the momentum leapfrog, and what it knows of a model from the start. */
#include "step/nonsmooth/leapfrog.h"

#include "base/memory.h"
#include "proximity/detection.h"
#include <float.h>
#include <string.h>

static void *take(char **at, size_t count, size_t size) {
    void *out = *at;
    *at = (char *)((uintptr_t)*at + (count * size + 63) / 64 * 64); /* of no block too: it is measured then */
    return out;
}

/* Hands out the parts of one block; returns its size. With base NULL only measures. */
static size_t lay_out(jn_leapfrog *x, const jn_model *m, size_t room, size_t points, char *base) {
    char *at = base;
    size_t links = (size_t)m->link_count, nv = (size_t)m->nv + 1, nq = (size_t)m->nq + 1,
           rows = (size_t)m->row_count + 1;
    double **velocities[] = {&x->p_rest, &x->given_rest, &x->last,  &x->controlled, &x->force,         &x->v_node, &x->v_taken,
                             &x->plain,  &x->minus, &x->u_seen,     &x->base,          &x->given,  &x->pi,
                             &x->u,      &x->free,  &x->delta,      &x->contact_force, &x->fall, &x->falling, &x->driving,
                             &x->working.dissipating, &x->working.driving,
                             &x->first, &x->half_stiff};
    for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k++) *velocities[k] = take(&at, nv, sizeof(double));
    x->both = take(&at, 2 * nv, sizeof(double));
    double **others[] = {&x->rate, &x->target, &x->lambda, &x->miss};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) *others[k] = take(&at, rows, sizeof(double));
    x->q_rest = take(&at, nq, sizeof(double));
    x->q_seen = take(&at, nq, sizeof(double)), x->q_end = take(&at, nq, sizeof(double));
    x->working.dissipating_load = take(&at, links, sizeof(jn_wrench));
    x->working.driving_load = take(&at, links, sizeof(jn_wrench));
    x->earlier = take(&at, 3 * room, sizeof(double)), x->half = take(&at, 3 * room, sizeof(double));
    x->p_guess = take(&at, 3 * room, sizeof(double));
    x->gamma_free = take(&at, 3 * room, sizeof(double)), x->bias = take(&at, 3 * room, sizeof(double));
    x->gamma_last = take(&at, 3 * room, sizeof(double));
    x->correction = take(&at, room, sizeof *x->correction);
    x->end_point = take(&at, JN_LEAPFROG_END_POINTS_MOST, sizeof *x->end_point);
    x->found = take(&at, room, sizeof *x->found);
    x->closing = take(&at, points, sizeof *x->closing);
    x->chosen = take(&at, room, sizeof *x->chosen);
    x->work = take(&at, room, sizeof *x->work), x->spring = take(&at, room, sizeof *x->spring);
    x->ball = take(&at, (size_t)m->solid_count, sizeof *x->ball);
    x->segment = take(&at, links, sizeof *x->segment);
    x->reach_of = take(&at, links, sizeof *x->reach_of), x->swift = take(&at, links, sizeof *x->swift);
    x->lasting = take(&at, links, sizeof *x->lasting);
    x->V_minus = take(&at, links, sizeof *x->V_minus), x->V_free = take(&at, links, sizeof *x->V_free);
    x->V_last = take(&at, links, sizeof *x->V_last);
    x->link = take(&at, links, sizeof *x->link), x->S = take(&at, nv, sizeof *x->S);
    return (size_t)(at - base);
}

/* Momenta of a chain in relative coordinates are sums over all bodies behind a joint: their round-off in the velocities grows with the square
 * of its length. */
static double round_off(const jn_model *m) {
    double deepest = 0;
    for (int k = 0; k < m->nv; k++) deepest = jn_max(deepest, m->dof_depth[k] + 1.0);
    return jn_max(JN_LEAPFROG_STALL_REL, JN_LEAPFROG_STALL_CHAIN * DBL_EPSILON * deepest * deepest);
}

/* Whether a solid is a ball about the centre of mass of a body that moves along a straight line on a segment. */
static bool is_ball(const jn_model *m, int solid) {
    const jn_solid *s = &m->solids[solid];
    return s->type == JN_SHAPE_SPHERE && m->links[s->link].alone &&
           v3_dot(s->local.p, s->local.p) <= JN_LEAPFROG_BALL_REL_SQUARED * s->reach * s->reach;
}

/* Trees that float fall as they are: gravity is the acceleration of their free joints, and no other coordinate has any. Not
 * where something else holds these joints. */
static bool all_fall_freely(const jn_model *m) {
    if (m->row_count || m->floats < m->link_count - 1) return false;
    for (int i = 0; i < m->root_count && m->armature; i++) {
        const jn_link *l = &m->links[m->roots[i]];
        for (int k = l->v; k < l->v + l->nv; k++)
            if (m->armature[k] != 0) return false;
    }
    return true;
}

int jn_leapfrog_create(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog head = {0};
    size_t room = (size_t)sim->nonsmooth->set.room + 1, offset = (sizeof head + 63) / 64 * 64;
    size_t points = sim->contacts ? (size_t)sim->contacts->detection->contact_room_of_pair : 0;
    size_t size = lay_out(&head, m, room, points, NULL);
    char *block = jn_malloc(offset + size);
    if (!block) return JN_ERR_MEMORY;
    memset(block, 0, offset + size);
    jn_leapfrog *x = sim->nonsmooth->leapfrog = (jn_leapfrog *)(void *)block;
    lay_out(x, m, room, points, block + offset);
    memcpy(x->link, sim->w->link, (size_t)m->link_count * sizeof *x->link); /* what never changes: the ground, planes */
    memcpy(x->S, sim->w->S, (size_t)m->nv * sizeof *x->S);
    x->placed = (unsigned long)-1;
    for (int i = 0; i < m->solid_count; i++) {
        x->ball[i] = is_ball(m, i);
        x->has_hollows |= jn_solid_is_hollow(&m->solids[i]);
    }
    x->pile = jn_leapfrog_pile(m, x->ball);
    memset(sim->nonsmooth->set.compliance, 0,
           (size_t)sim->nonsmooth->set.room * sizeof(double)); /* posed where contacts give way alone */
    x->may_sleep = jn_sleep_possible(m);
    x->reach = jn_sleep_reach(m);
    for (int i = 0; i < m->solid_count; i++) {
        const jn_solid *s = &m->solids[i];
        if (!s->link || !isfinite(s->reach)) continue;
        double reach = s->reach + v3_norm(v3_sub(s->local.p, m->links[s->link].com));
        x->reach_of[s->link] = jn_max(x->reach_of[s->link], reach);
    }
    x->stall = round_off(m);
    x->all_fall_freely = all_fall_freely(m);
    for (int i = 1; i < m->link_count; i++) x->mass += m->links[i].mass, x->heaviest = jn_max(x->heaviest, m->links[i].mass);
    x->size = jn_smallest_shape(m);
    x->deepest = m->run.penetration > 0 ? m->run.penetration : JN_LEAPFROG_DEEPEST_REL * x->size;
    return JN_OK;
}

void jn_leapfrog_free(jn_leapfrog *x) { jn_free(x); }

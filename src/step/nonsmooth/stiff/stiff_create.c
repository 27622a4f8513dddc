/* Which springs, dampers, bushings and motors are stiff for the step, at its start. */
#include "step/nonsmooth/stiff/stiff.h"

#include "base/memory.h"
#include <string.h>

/* Whether an element adds to the diagonal of M. Redundant constraints are weighed by the factor of M alone; of many rows the multipliers have least norm whatever M is. */
static bool can_be_diagonal(const jn_model *m, const jn_stiff_item *i, bool independent) {
    bool weighed = m->row_count && !independent && !m->sparse_kkt;
    return i->kind == STIFF_ACTUATOR && !weighed && m->handles[m->actuators[i->index].handle].v >= 0;
}

/* Whether actuators act on a coordinate whose force has a range, or a winding or bristles: their slopes at the start may not be the largest. */
static bool may_stiffen(const jn_model *m, int handle) {
    for (int i = 0; i < m->actuation_count; i++) {
        const jn_actuation *a = &m->actuations[i];
        if (a->handle == handle && (a->has_force_range || a->has_total_range || a->current >= 0 || a->bristle >= 0)) return true;
    }
    return false;
}

/* Whether the forces of actuators on a coordinate have no slopes. */
static bool drives_are_flat(const jn_model *m, int handle) {
    for (int i = 0; i < m->actuation_count; i++) {
        const jn_actuation *a = &m->actuations[i];
        bool flat = a->gain[1] == 0 && a->gain[2] == 0 && a->bias[1] == 0 && a->bias[2] == 0;
        if (a->handle == handle && (!flat || a->is_muscle || a->is_elastic || a->is_motor)) return false;
    }
    return true;
}

/* Whether jn_stiff_actuator_slopes gives the same at all positions and speeds. */
static bool has_constant_slopes(const jn_model *m, const jn_work *w, const jn_actuator *a) {
    const jn_coordinate_desc *law = &a->law;
    bool stops = (law->has_lower || law->has_upper) && (law->limit_stiffness != 0 || law->limit_damping != 0);
    return !(law->slack > 0) && !jn_stiff_rubs(w, a) && !stops && !law->has_motor && !jn_function_given(law->force) &&
           drives_are_flat(m, a->handle);
}

/* Inverse inertia that a force on a link at p (link's frame) feels at most, in any direction and position of the mechanism: joints make it less. */
static double most_mobility(const jn_model *m, const jn_side *side) {
    const jn_link *l = &m->links[side->link];
    jn_sym3 inverse;
    if (!side->link) return 0;
    jn_vec3 arm = v3_sub(side->p, l->com);
    bool plane = m->planar && l->inertia.zz > 0;
    if (!(l->mass > 0) || (!plane && !s3_inverse(&l->inertia, &inverse))) return INFINITY;
    return 1 / l->mass + v3_dot(arm, arm) * (plane ? 1 / l->inertia.zz : inverse.xx + inverse.yy + inverse.zz);
}

/* Whether a spring that hardly moves its mechanism at the start would be unstable as an explicit force in another position. */
static bool may_be_stiff(const jn_model *m, const jn_stiff_item *i, jn_stiff_slopes along, jn_stiff_weights weights) {
    if (i->kind != STIFF_SPRING || !weights.leaps) return false;
    const jn_spring *s = &m->springs[i->index];
    return jn_stiff_weight(along, weights) * (most_mobility(m, &s->A) + most_mobility(m, &s->B)) > JN_STIFF_MAY_REL;
}

/* Whether an element needs the matrix at the state of the start: against the inertia that its motion feels; by functions always,
 * and where it may become stiff (stops). */
static bool is_stiff(jn_sim *sim, jn_stiff_item *i, jn_stiff_weights weights, double *J, double *Z) {
    const jn_model *m = sim->m;
    int rows = jn_stiff_rows_of(m, i->kind);
    double most = 0, floor = 0;
    memset(J, 0, (size_t)(rows * m->nv) * sizeof *J);
    jn_stiff_slopes S[6] = {{0}};
    jn_stiff_item_rows(sim, i, S, J);
    for (int r = 0; r < rows; r++) {
        memcpy(Z, J + (size_t)r * (size_t)m->nv, (size_t)m->nv * sizeof *Z);
        jn_mass_solve(m, sim->w, Z);
        i->W[r] = jn_stiff_dot(J + (size_t)r * (size_t)m->nv, Z, m->nv);
    }
    if (i->kind == STIFF_SPRING && jn_function_given(m->springs[i->index].tension)) return true;
    if (i->kind == STIFF_ACTUATOR) {
        const jn_coordinate_desc *law = &m->actuators[i->index].law;
        if (jn_function_given(law->force) && !jn_function_is_constant(law->force)) return true;
        if (may_stiffen(m, m->actuators[i->index].handle)) return true;
        bool stops = law->has_lower || law->has_upper;
        if (law->damping > 0 && m->row_count == 0 && m->handles[m->actuators[i->index].handle].v >= 0) return true;
        floor = stops ? jn_stiff_weight(jn_stiff_held_back(law->limit_stiffness, law->limit_damping), weights) : 0;
        if (law->has_motor) floor += jn_stiff_weight(jn_stiff_held_back(law->motor_kp, law->motor_kd), weights);
        if (jn_stiff_rubs(sim->w, &m->actuators[i->index])) floor += weights.c * law->friction / law->friction_speed;
    }
    for (int r = 0; r < rows; r++) most = jn_max(most, jn_max(jn_stiff_weight(S[r], weights), floor) * i->W[r]);
    i->grows = !(most > JN_STIFF_SOFT_REL) && may_be_stiff(m, i, S[0], weights);
    return most > JN_STIFF_SOFT_REL || i->grows;
}

/* The elements that count, and the number of their rows; list may be NULL. */
static int find_items(jn_sim *sim, jn_stiff_weights weights, bool independent, double *scratch, jn_stiff_item *list,
                      int *rows) {
    const jn_model *m = sim->m;
    int count = 0, sizes[] = {m->spring_count, m->bushing_count, m->actuator_count};
    double *J = scratch, *Z = J + 6 * m->nv;
    *rows = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int i = 0; i < sizes[kind]; i++) {
            jn_stiff_item item = {.kind = (jn_stiff_kind)kind, .index = i, .first = *rows};
            if (!is_stiff(sim, &item, weights, J, Z)) continue;
            item.motor = kind == STIFF_ACTUATOR && m->actuators[i].law.has_motor;
            item.diagonal = can_be_diagonal(m, &item, independent);
            if (item.diagonal) item.velocity = m->handles[m->actuators[i].handle].v;
            item.constant = item.diagonal && has_constant_slopes(m, sim->w, &m->actuators[i]);
            if (list) list[count] = item;
            count++, *rows += item.diagonal ? 0 : jn_stiff_rows_of(m, item.kind);
        }
    return count;
}

static jn_stiff *allocate(const jn_model *m, int items, int rows) {
    size_t n = (size_t)rows, nv = (size_t)m->nv,
           doubles = (3 + JN_KKT_LANES) * n + 2 * n * nv + n * n + 4 * nv + (size_t)m->row_count;
    jn_stiff *x = jn_malloc(sizeof *x + (size_t)items * sizeof *x->item + doubles * sizeof(double));
    if (!x) return NULL;
    *x = (jn_stiff){.items = items, .count = rows, .S = (double *)(x + 1)};
    x->S_A = x->S + n, x->S_v = x->S_A + n, x->y = x->S_v + n, x->J = x->y + JN_KKT_LANES * n, x->Z = x->J + n * nv,
    x->C = x->Z + n * nv, x->f = x->C + n * n;
    x->added = x->f + nv, x->added_A = x->added + nv, x->added_v = x->added_A + nv;
    x->lambda = x->added_v + nv, x->item = (jn_stiff_item *)(void *)(x->lambda + m->row_count);
    return x;
}

int jn_stiff_create(jn_sim *sim, bool independent, jn_stiff **out) {
    const jn_model *m = sim->m;
    bool leapfrog = m->run.scheme == JN_SCHEME_MOMENTUM_LEAPFROG;
    double reach = (leapfrog ? 0.5 : m->run.theta) * m->run.step;
    jn_stiff_weights weights = {reach, reach * reach, leapfrog, false};
    *out = NULL;
    bool none = m->spring_count + m->bushing_count + m->actuator_count == 0;
    if (none || m->run.scheme == JN_SCHEME_MOREAU_MIDPOINT || m->run.iterations == 1 || !m->has_M) return JN_OK;
    if (jn_mass_factor(m, sim->w, sim->s) < 0) return JN_OK; /* a massless coordinate; reported elsewhere */
    jn_forces_at(sim, sim->s);
    double *scratch = jn_malloc(7 * ((size_t)m->nv + 1) * sizeof *scratch);
    if (!scratch) return JN_ERR_MEMORY;
    int rows, items = find_items(sim, weights, independent, scratch, NULL, &rows);
    bool wanted = items && rows <= JN_STIFF_ROWS_MOST;
    if (wanted && (*out = allocate(m, items, rows)) != NULL)
        find_items(sim, weights, independent, scratch, (*out)->item, &rows);
    if (*out) (*out)->constant = true;
    for (int i = 0; *out && i < items; i++)
        (*out)->diagonal |= (*out)->item[i].diagonal, (*out)->constant &= (*out)->item[i].constant;
    jn_free(scratch);
    return wanted && !*out ? JN_ERR_MEMORY : JN_OK;
}

void jn_stiff_free(jn_stiff *stiff) { jn_free(stiff); }

static void tie_tendon(const jn_model *m, const jn_handle *h, void (*tie)(void *, int, int), void *context) {
    for (int p = h->cols; p < h->cols + h->count; p++)
        tie(context, m->dof_link[m->row_cols[h->cols]], m->dof_link[m->row_cols[p]]);
}

void jn_stiff_pairs(const jn_sim *sim, const jn_stiff *x, void (*tie)(void *, int, int), void *context) {
    const jn_model *m = sim->m;
    for (int i = 0; x && i < x->items; i++) {
        int index = x->item[i].index;
        if (x->item[i].diagonal) continue; /* a tree is one by itself */
        if (x->item[i].kind == STIFF_SPRING)
            tie(context, m->springs[index].A.link, m->springs[index].B.link);
        else if (x->item[i].kind == STIFF_BUSHING)
            tie(context, m->bushings[index].A.link, m->bushings[index].B.link);
        else if (m->actuators[index].joint >= 0)
            tie(context, m->joints[m->actuators[index].joint].A.link, m->joints[m->actuators[index].joint].B.link);
        else
            tie_tendon(m, &m->handles[m->actuators[index].handle], tie, context);
    }
}

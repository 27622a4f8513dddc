/* Work space of Moreau's schemes and of least_constraint. */
#include "algebra/elementary.h"
#include "step/nonsmooth/moreau.h"

#include "base/memory.h"
#include <string.h>

static bool is_round(const jn_sym3 *J) {
    double most = jn_fmax(J->xx, jn_fmax(J->yy, J->zz)), off = fabs(J->xy) + fabs(J->xz) + fabs(J->yz);
    return fabs(J->xx - J->yy) + fabs(J->yy - J->zz) + off < JN_MOREAU_ROUND_REL * most;
}

/* Whether the equations of free bodies are linear, so that one evaluation solves a step. */
static bool is_steady(const jn_model *m) {
    bool steady = m->spring_count + m->bushing_count + m->applied_count + m->actuator_count + m->row_count == 0;
    for (int i = 1; i < m->link_count; i++) steady &= m->links[i].alone && is_round(&m->links[i].inertia);
    return steady;
}

static void *take(char **at, size_t count, size_t size) {
    void *out = *at;
    *at = (char *)((uintptr_t)*at + (count * size + 63) / 64 * 64); /* of no block too: it is measured then */
    return out;
}

/* Hands out the parts of one block; returns its size. With base NULL only measures. */
static size_t lay_out(jn_moreau *x, const jn_model *m, size_t room, char *base) {
    char *at = base;
    size_t nv = (size_t)m->nv + 1, rows = (size_t)m->row_count + 1;
    double **velocities[] = {&x->start_force, &x->iterate, &x->change, &x->start_rate};
    for (int k = 0; k < 4; k++) *velocities[k] = take(&at, nv, sizeof(double));
    x->start_lambda = take(&at, rows, sizeof(double));
    x->drive = take(&at, rows, sizeof *x->drive);
    x->first = take(&at, room, sizeof *x->first);
    x->first_p = take(&at, 3 * room, sizeof(double));
    x->carried = take(&at, 3 * room, sizeof(double));
    return (size_t)(at - base);
}

int jn_moreau_create(jn_sim *sim) {
    jn_moreau head = {0};
    size_t room = (size_t)sim->nonsmooth->set.room + 1, offset = (sizeof head + 63) / 64 * 64;
    size_t size = offset + lay_out(&head, sim->m, room, NULL);
    char *block = jn_malloc(size);
    if (!block) return JN_ERR_MEMORY;
    memset(block, 0, size);
    jn_moreau *x = sim->nonsmooth->moreau = (jn_moreau *)(void *)block;
    lay_out(x, sim->m, room, block + offset);
    x->steady = is_steady(sim->m);
    return JN_OK;
}

void jn_moreau_free(jn_moreau *x) { jn_free(x); }

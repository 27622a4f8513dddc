/* First iterate of an implicit step: the mean accelerations a_0, a_1, ... of the last steps, the latest first, extrapolated,
 *
 *     u_E ~ u_A + dt (c_0 a_0 + c_1 a_1 + ...).
 *
 * Rules without error for polynomials [Hairer1993, III.1], and for polynomials with an alternating part: what is stiff rings with the
 * period of two steps. The rule that would have met the last step best is taken for the next. Bodies that move together have one rule.
 * An impact ends what is known of them. The accelerations belong to the state: a copy of it goes on with the same bits. They decide
 * where an iteration starts, and not where it ends. */
#include "algebra/four.h"
#include "step/nonsmooth/moreau.h"

#include <string.h>

enum { KEPT = JN_PAST_STEPS, RULES = 7, ROOM = 8 };

/* One column each: u_A itself; constant, linear, quadratic, cubic; linear and alternating, (z - 1)^2 (z + 1) = 0; quadratic and
 * alternating, (z - 1)^3 (z + 1) = 0; none. */
static const double rules[KEPT][ROOM] = {
    {0, 1, 2, 3, 4, 1, 2, 0}, {0, 0, -1, -3, -6, 1, 0, 0}, {0, 0, 0, 1, 4, -1, -2, 0}, {0, 0, 0, 0, -1, 0, 1, 0}};

static double *rule_of(const jn_sim *sim) { return sim->s->past + JN_PAST_HEAD; } /* (links) of each group */
static double *past_of(const jn_sim *sim, int k) {                                /* (KEPT) of a velocity */
    return sim->s->past + JN_PAST_HEAD + sim->m->link_count + (size_t)KEPT * (size_t)k;
}

static double extrapolate(int rule, const double *a) {
    double sum = 0;
    for (int j = 0; j < KEPT; j++) sum += rules[j][rule] * a[j];
    return sum;
}

double *jn_guess_rate(jn_sim *sim) { return sim->s->past + JN_PAST_RATE; }

static bool is_made(const jn_sim *sim) {
    const jn_run_desc *run = &sim->m->run;
    return run->scheme == JN_SCHEME_MOREAU_JEAN && run->iterations == 0 && !run->adapt &&
           !sim->nonsmooth->moreau->steady;
}

void jn_guess_velocity(jn_sim *sim, double dt, double *velocity) {
    const jn_nonsmooth *x = sim->nonsmooth;
    memcpy(velocity, sim->s->u, (size_t)sim->m->nv * sizeof *velocity);
    if (!is_made(sim) || x->moreau->forced) return;
    for (int k = 0; k < sim->m->nv; k++) {
        int rule = (int)rule_of(sim)[x->groups.of[sim->m->dof_link[k]]];
        velocity[k] += dt * extrapolate(rule, past_of(sim, k));
    }
}

/* Groups that had an impact in the step. */
static void mark_impacted(const jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    for (int g = 0; g < sim->m->link_count; g++) x->groups.group[g].impacted = false;
    for (int i = 0; i < x->set.count; i++)
        if (x->set.point[i].impacting && x->set.p[i * x->set.dimension] > 0)
            for (int k = x->set.start[i]; k < jn_contact_set_end(&x->set, i); k++)
                x->groups.group[x->groups.of[sim->m->dof_link[x->set.dof_of[k]]]].impacted = true;
}

/* Rules side by side, and their bits, which say the size without its sign. */
typedef jn_four four;
typedef int64_t bits __attribute__((vector_size(32), aligned(8), may_alias));

/* Puts the acceleration of a velocity first, after what each rule would have missed it by. */
static void remember(double *past, double a, four *missed) {
    for (int half = 0; half < ROOM / 4; half++) {
        four met = {0, 0, 0, 0};
        for (int j = 0; j < KEPT; j++) met += ((const four *)(const void *)rules[j])[half] * past[j];
        bits off = (bits)(a - met) & INT64_MAX, more = (four)off > missed[half];
        missed[half] = (four)((off & more) | ((bits)missed[half] & ~more));
    }
    for (int j = KEPT - 1; j > 0; j--) past[j] = past[j - 1];
    past[0] = a;
}

void jn_guess_learn(jn_sim *sim, double dt) {
    const jn_nonsmooth *x = sim->nonsmooth;
    if (!is_made(sim)) return;
    mark_impacted(sim);
    for (int g = 0; g < sim->m->link_count; g++) {
        const jn_group *group = &x->groups.group[g];
        four missed[ROOM / 4] = {{0}};
        const double *off = (const double *)(const void *)missed;
        int best = 1;
        if (group->count == 0) continue;
        for (int i = group->first; i < group->first + group->count; i++) {
            int k = x->groups.dof[i];
            if (group->impacted)
                memset(past_of(sim, k), 0, KEPT * sizeof(double));
            else
                remember(past_of(sim, k), (x->velocity[k] - sim->s->u[k]) / dt, missed);
        }
        for (int r = 0; r < RULES; r++) best = off[r] < off[best] ? r : best;
        rule_of(sim)[g] = best;
    }
}

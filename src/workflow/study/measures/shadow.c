/* A shadow of a simulation: the same model from a state nearby, for the growth of small distances [Benettin1980]. */
#include "workflow/study/measures/shadow.h"

#include "step/nonsmooth/leapfrog.h"
#include "step/sim.h"
#include "workflow/study/statistics/random.h"

#include <math.h>

int jn_shadow_create(jn_shadow *x, const jn_sim *main, double distance, double tau, jn_report *report) {
    const jn_model *m = main->m;
    *x = (jn_shadow){.sim = jn_sim_create(m, report), .kept = jn_state_create(m), .tau = tau};
    if (!x->sim || !x->kept) return JN_ERR_MEMORY;
    jn_state *s = x->sim->s;
    jn_state_copy(s, main->s);
    double size = distance / (tau * sqrt((double)m->nv)), length = 0;
    for (int i = 0; i < m->nv; i++) s->u[i] += jn_random_bits(1, 0, (uint64_t)i) % 2 ? size : -size;
    int status = jn_project(m, x->sim->w, s); /* driven coordinates do not move */
    jn_sim_restart(x->sim);
    x->sim->h = main->h;
    length = jn_shadow_distance(x, main);
    return status < 0 ? status : length > 0 ? JN_OK : JN_ERR_ARGUMENT;
}

void jn_shadow_free(jn_shadow *x) {
    jn_sim_free(x->sim);
    jn_state_free(x->kept);
    *x = (jn_shadow){0};
}

double jn_shadow_distance(const jn_shadow *x, const jn_sim *main) {
    const jn_state *a = main->s, *b = x->sim->s;
    double sum = 0;
    for (int i = 0; i < main->m->nq; i++) sum += (b->q[i] - a->q[i]) * (b->q[i] - a->q[i]);
    for (int i = 0; i < main->m->nv; i++) sum += x->tau * x->tau * (b->u[i] - a->u[i]) * (b->u[i] - a->u[i]);
    return sqrt(sum);
}

/* to += factor (kept - to) */
static void scale(double *to, const double *kept, size_t count, double factor) {
    for (size_t i = 0; i < count; i++) to[i] += factor * (kept[i] - to[i]);
}

/* Speeds of approach and states of friction laws, where both have the same contacts. */
static void scale_contacts(jn_state *to, const jn_state *kept, double factor) {
    if (to->contact_count != kept->contact_count) return;
    for (int i = 0; i < to->contact_count; i++) {
        jn_contact_state *a = &to->contact[i];
        const jn_contact_state *b = &kept->contact[i];
        if (a->a != b->a || a->b != b->b || a->feature != b->feature) return;
    }
    for (int i = 0; i < to->contact_count; i++) {
        scale(&to->contact[i].speed, &kept->contact[i].speed, 1, factor);
        scale(to->contact[i].compliant.friction, kept->contact[i].compliant.friction, 3, factor);
    }
}

void jn_shadow_pull(jn_shadow *x, const jn_sim *main, double factor) {
    const jn_model *m = main->m;
    jn_sim *sim = x->sim;
    jn_state *s = sim->s, *kept = x->kept;
    size_t nq = (size_t)m->nq, nv = (size_t)m->nv;
    jn_state_copy(kept, s);
    jn_state_copy(s, main->s);
    scale(s->q, kept->q, nq, factor);
    scale(s->u, kept->u, nv, factor);
    scale(s->angle, kept->angle, (size_t)(s->momentum - s->angle), factor);
    scale(s->momentum, kept->momentum, nv, factor);
    scale_contacts(s, kept, factor);
    jn_q_normalise(m, s->q);
    if (sim->nonsmooth && sim->nonsmooth->leapfrog) { /* goes on from its momenta: it does not start anew */
        size_t steps = (size_t)(jn_past_velocity(sim, 0) - s->past);
        scale(s->past + steps, kept->past + steps, JN_PAST_STEPS * nv, factor);
        sim->nonsmooth->leapfrog->placed = (unsigned long)-1;
        jn_node_sign(sim);
        return;
    }
    jn_sim_begin_anew(sim);
    sim->h = main->h;
}

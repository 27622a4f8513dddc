/* Compliance of contacts of balls in piles. Rigid ones leave the impulses of a pile all but free: they answer to every gap of 1e-12 m, in all contacts, and change
 * by a tenth from step to step. A contact that gives way to its force f by C f,
 *
 *     0 <= lambda_N  orthogonal to  gamma_N + (g + C f_N)/h >= 0,    lambda_T in the disc mu lambda_N, opposite to gamma_T + (s + C f_T)/h,
 *
 * with f = lambda/H and s how far it is stretched along its tangents, has impulses that are determined and shared among all [Castro2023]. Coulomb's law stays as it is. C = kappa h^2/m with the run's step h, so that
 * shorter segments see the same spring, and the mass m that the contact moves: it would swing 1/sqrt(kappa) times faster than a step resolves, and C f vanishes with the square of the step. C is the same in every
 * step of a run, whatever the load and the other contacts are, so that what a spring takes it gives back; compressed by its most, it is rigid there. Impacts are rigid. Springs are stiff enough that the heaviest
 * body does not swing on one of them as slowly as steps resolve. */
#include "step/nonsmooth/leapfrog.h"

double jn_leapfrog_pile(const jn_model *m, const bool *ball) {
    int count = 0;
    if (!(m->run.compliance > 0)) return 0;
    for (int i = 0; i < m->solid_count; i++) count += ball[i];
    return jn_max(0, jn_min(1, (double)(count - JN_LEAPFROG_PILE) / JN_LEAPFROG_PILE));
}

/* [1/kg] mean of the mobilities of a contact along its axes. */
static double mean_mobility(const jn_contact_set *set, int i) {
    double sum = 0;
    for (int r = 0; r < set->dimension; r++) sum += jn_contact_mobility(set, i, r);
    return sum / set->dimension;
}

/* [m/N] of the spring of a contact. */
static double find_spring(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    double step = sim->m->run.step;
    if (!(x->pile > 0) || !jn_pair_is(sim->m, h) || !jn_leapfrog_has_ball(sim, h)) return 0;
    return x->pile * step * step * jn_min(sim->m->run.compliance * mean_mobility(&n->set, i), JN_LEAPFROG_COMPLIANT_SWING / x->heaviest);
}

/* The same; 0 where an impact makes it rigid. */
static double spring_of(const jn_sim *sim, int i) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    return h->impacting || h->waits || (x->apart && h->impacted) ? 0 : x->spring[i];
}

/* [m] by which the spring of a contact is compressed at most: of the radius of its smaller ball. */
static double most_overlap(const jn_sim *sim, const jn_contact_point *h) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_solid *A = &sim->m->solids[h->a], *B = &sim->m->solids[h->b];
    double a = x->ball[h->a] ? A->size.x : INFINITY, b = x->ball[h->b] ? B->size.x : INFINITY;
    return JN_LEAPFROG_COMPLIANT_OVERLAP * jn_min(a, b);
}

void jn_leapfrog_pose_compliance(jn_sim *sim, int i) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    if (!(x->pile > 0)) return; /* all are rigid, as from the start */
    x->spring[i] = find_spring(sim, i);
    double spring = spring_of(sim, i);
    const jn_contact_state *cached = spring > 0 ? jn_leapfrog_cached(sim, h) : NULL;
    bool held = cached && cached->stepping.lasting && spring * cached->stepping.force > most_overlap(sim, h);
    bool begins = *jn_past_length(sim) == 0 && !(cached && cached->stepping.stored > 0); /* forces of the first node act for half a step: their work would not be what a spring stores */
    n->set.compliance[i] = held ? 0 : spring / (x->h * (begins ? x->h : x->H));
}

double jn_leapfrog_held(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    return n->leapfrog->pile > 0 && n->set.compliance[i] == 0 && spring_of(sim, i) > 0 ? most_overlap(sim, &n->set.point[i]) : 0;
}

double jn_leapfrog_compressed(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_point *h = &n->set.point[i];
    if (!(n->set.compliance[i] > 0) || !(h->gap < 0)) return 0;
    const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
    if (!cached || !(cached->stepping.stored > 0)) return 0;
    return jn_min(-h->gap, jn_min(spring_of(sim, i) * cached->stepping.force, most_overlap(sim, h)));
}

/* Adds what earlier impulses of the node do, or takes it away. */
static void add_earlier(jn_sim *sim, int i, double compliance) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int r = 0, d = sim->nonsmooth->set.dimension; r < d; r++) x->bias[i * d + r] += compliance * x->earlier[i * d + r];
}

void jn_leapfrog_pose_earlier(jn_sim *sim, int i) {
    if (sim->nonsmooth->leapfrog->apart) add_earlier(sim, i, sim->nonsmooth->set.compliance[i]);
}

void jn_leapfrog_forget_earlier(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count - set->dry && set->some_comply; i++) add_earlier(sim, i, -set->compliance[i]);
}

void jn_leapfrog_note_compliance(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    int posed = set->count - set->dry;
    set->some_comply = false;
    if (!(sim->nonsmooth->leapfrog->pile > 0)) return; /* they are 0 from the start */
    for (int i = posed; i < set->count; i++) set->compliance[i] = 0;
    for (int i = 0; i < posed && !set->some_comply; i++) set->some_comply = set->compliance[i] > 0;
}

/* Of some contacts, those that are compressed as far as they may be are rigid from there on: jn_range_measure; 1 where there is one. */
static double hold_some(void *context, int from, int to) {
    jn_sim *sim = context;
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    bool any = false;
    for (int i = from; i < to; i++) {
        double by = x->h * set->compliance[i] * jn_leapfrog_impulse(sim, i, 0), was = set->compliance[i];
        if (!(was > 0 && by > JN_LEAPFROG_COMPLIANT_SLACK * most_overlap(sim, &set->point[i]))) continue;
        double before = jn_leapfrog_close_gap(sim, i);
        set->compliance[i] = 0, any = true;
        x->bias[i * set->dimension] += jn_leapfrog_close_gap(sim, i) - before;
        if (x->apart) add_earlier(sim, i, -was);
    }
    return any;
}

bool jn_leapfrog_hold_compressed(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    return set->some_comply && jn_pool_most(sim->pool, set->count, JN_SHARED_CONTACTS, hold_some, sim) > 0;
}

double jn_compliant_overlap(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    if (!(n->leapfrog->pile > 0)) return 0;
    return n->set.compliance[i] > 0 ? n->leapfrog->h * n->set.compliance[i] * jn_leapfrog_impulse(sim, i, 0) : jn_leapfrog_held(sim, i);
}

/* Of some contacts that bear a load: jn_range_measure. */
static double largest_overlap(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    double most = 0;
    for (int i = from; i < to; i++)
        if (set->p[i * set->dimension] > 0) most = jn_max(most, jn_compliant_overlap(sim, i));
    return most;
}

void jn_leapfrog_note_overlaps(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->compliant_overlap = x->pile > 0 ? jn_pool_most(sim->pool, set->count - set->dry, JN_SHARED_CONTACTS, largest_overlap, sim) : 0;
}

jn_vec3 jn_leapfrog_stretch(const jn_sim *sim, int i, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_stepping_state *last = &cached->stepping;
    jn_vec3 normal = n->set.point[i].geometry.n;
    double along = v3_dot(normal, last->impulse);
    if (!last->lasting || !(along > 0 && last->force > 0)) return v3(0, 0, 0);
    double C = n->set.compliance[i] * n->leapfrog->h * n->leapfrog->H; /* [m/N] */
    return v3_scale(-C * last->force / along, v3_axpy(-along, normal, last->impulse));
}

/* 1/2 |s|^2/C of the spring, with the length s that it gives way by, or its most. */
double jn_leapfrog_stored(const jn_sim *sim, int i, const double *p) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double spring = sim->nonsmooth->leapfrog->pile > 0 && p[0] > 0 ? spring_of(sim, i) : 0, square = 0;
    if (!(spring > 0)) return 0;
    for (int r = 0; r < set->dimension; r++) square += p[r] * p[r];
    double way = set->compliance[i] > 0 ? sim->nonsmooth->leapfrog->h * set->compliance[i] * sqrt(square) : most_overlap(sim, &set->point[i]);
    return 0.5 * way * way / spring;
}

double jn_contacts_stored(const jn_sim *sim) {
    const jn_state *s = sim->s;
    double sum = 0;
    if (!(sim->nonsmooth->leapfrog->pile > 0)) return 0;
    for (int i = 0; i < s->contact_count; i++) sum += (double)s->contact[i].stepping.stored;
    return sum;
}

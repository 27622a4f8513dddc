/* Compliance of contacts of balls in piles. Rigid ones leave the impulses of a pile all but free: they answer to every gap of 1e-12 m, in all contacts, and change
 * by a tenth from step to step. A contact that gives way to its force f by C f,
 *
 *     0 <= lambda_N  orthogonal to  gamma_N + (g + C f_N)/h >= 0,    lambda_T in the disc mu lambda_N, opposite to gamma_T + (s + C f_T)/h,
 *
 * with f = lambda/H and s how far it is stretched along its tangents, has impulses that are determined and shared among all [Castro2023]. Coulomb's law stays as it is. C = kappa h^2/m with the run's step h, so that
 * shorter segments see the same spring, and the mass m that the contact moves: it would swing 1/sqrt(kappa) times faster than a step resolves, and C f vanishes with the square of the step. Impacts are rigid. */
#include "step/nonsmooth/leapfrog.h"

/* [1/kg] mean of the mobilities of a contact along its axes. */
static double mean_mobility(const jn_contact_set *set, int i) {
    double sum = 0;
    for (int r = 0; r < set->dimension; r++) sum += jn_contact_mobility(set, i, r);
    return sum / set->dimension;
}

/* [m/N] of the spring of a contact: none where an island is no pile, and softer the larger it is, so that contacts which come and go change little. */
static double spring_of(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_point *h = &n->set.point[i];
    if (!(sim->m->run.compliance > 0) || !jn_leapfrog_in_pile(sim, h) || h->impacting || h->waits || (n->leapfrog->apart && h->impacted)) return 0;

    double step = sim->m->run.step, size = (double)n->groups.group[h->island].contacts / JN_LEAPFROG_STAGED_CONTACTS;
    return sim->m->run.compliance * jn_min(1, size - 1) * step * step * mean_mobility(&n->set, i);
}

/* [N] that a contact may bear: its last force, or what stops its approach. */
static double expected_force(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_state *cached = jn_leapfrog_cached(sim, &n->set.point[i]);
    return jn_max(cached ? cached->stepping.force : 0, -n->set.point[i].approach / (mean_mobility(&n->set, i) * n->leapfrog->H));
}

void jn_leapfrog_pose_compliance(jn_sim *sim, int i) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double spring = spring_of(sim, i), most = JN_LEAPFROG_AIM_DEPTH * x->deepest;
    if (spring > 0) spring = jn_min(spring, most / jn_max(expected_force(sim, i), JN_TINY));
    n->set.compliance[i] = spring / (x->h * x->H);
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
    for (int i = posed; i < set->count; i++) set->compliance[i] = 0;
    set->some_comply = false;
    for (int i = 0; i < posed && !set->some_comply; i++) set->some_comply = set->compliance[i] > 0;
}

bool jn_leapfrog_stiffen(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double least = JN_LEAPFROG_AIM_DEPTH * x->deepest, most = JN_LEAPFROG_COMPLIANT_OVERLAP * x->deepest;
    bool any = false;
    for (int i = 0; i < set->count && set->some_comply; i++) {
        double by = x->h * jn_leapfrog_impulse(sim, i, 0), was = set->compliance[i];
        if (!(set->compliance[i] * by > jn_max(least, most + jn_min(0, set->point[i].gap)))) continue;
        set->compliance[i] = least / by, any = true;
        if (x->apart) add_earlier(sim, i, set->compliance[i] - was);
    }
    return any;
}

double jn_compliant_overlap(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    return jn_min(JN_LEAPFROG_COMPLIANT_OVERLAP * n->leapfrog->deepest, n->leapfrog->h * n->set.compliance[i] * jn_leapfrog_impulse(sim, i, 0));
}

void jn_leapfrog_note_overlaps(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->compliant_overlap = 0;
    for (int i = 0; i < set->count && set->some_comply; i++) x->compliant_overlap = jn_max(x->compliant_overlap, jn_compliant_overlap(sim, i));
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

/* 1/2 |s|^2/C of the spring, with the way s that it gives under the force |p|/H: shorter than C |p|/H where the expected force was too large for it. */
double jn_leapfrog_stored(const jn_sim *sim, int i, const double *p) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double spring = set->compliance[i] > 0 ? spring_of(sim, i) : 0, way = sim->nonsmooth->leapfrog->h * set->compliance[i], square = 0;
    if (!(spring > 0)) return 0;
    for (int r = 0; r < set->dimension; r++) square += p[r] * p[r];
    return 0.5 * way * way * square / spring;
}

double jn_contacts_stored(const jn_state *s) {
    double sum = 0;
    if (s->contact_count <= JN_LEAPFROG_STAGED_CONTACTS) return 0; /* no piles */
    for (int i = 0; i < s->contact_count; i++) sum += (double)s->contact[i].stepping.stored;
    return sum;
}

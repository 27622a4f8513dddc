/* Contact points that pass on to another feature while they carry load: over a corner, from an edge to a face.
 *
 * The instant is located, so that forces are smooth within a step, and the contact goes on at a new point of the same pair with the depth it
 * has: its datum moves by the difference of the gaps. Force and stored energy do not jump; only direction and place of the force do. */
#include "algebra/elementary.h"
#include "step/compliant/compliant_step.h"
#include "step/compliant/compliant_tolerances.h"

/* Whether the active contact carried load and is without a point, or its point is another one, which need not have its gap: only the deepest
 * point of a pair with a round solid goes on under other names as it is. */
static bool is_lost(const jn_sim *sim, int i, const jn_solid_pair **pair) {
    const jn_contact_state *cached = &sim->s->contact[i];
    const jn_contact_seen *seen = &sim->contacts->seen[i];
    const jn_contact_geometry *point = jn_contact_point_of(sim->contacts, sim->s, cached, pair);
    return *pair && seen->gap < 0 && (!point || (point->feature != cached->feature && !seen->alone));
}

bool jn_contact_is_lost(const jn_sim *sim) {
    const jn_solid_pair *pair;
    for (int i = 0; i < sim->s->contact_count; i++)
        if (is_lost(sim, i, &pair)) return true;
    return false;
}

bool jn_contact_pair_lost(const jn_sim *sim, const jn_solid_pair *pair) {
    const jn_solid_pair *found;
    for (int i = jn_contact_cache_first(sim->s, pair->a, pair->b); jn_contact_cache_is_of(sim->s, i, pair->a, pair->b); i++)
        if (is_lost(sim, i, &found)) return true;
    return false;
}

static int try_to(jn_sim *sim, double t, double h, jn_step_function *step) {
    sim->h = jn_fmin(h, t - sim->before->t);
    int status = jn_contact_step_to(sim, t, step);
    return status < 0 ? status : jn_contact_detect(sim).status;
}

/* The last instant with all contacts, and the first without one, within the time `sharp`. */
static int bisect_loss(jn_sim *sim, double h, jn_step_function *step, double sharp, double *t0, double *t1) {
    while (*t1 - *t0 > sharp) {
        double middle = 0.5 * (*t0 + *t1);
        sim->audit.rejected++;
        int status = try_to(sim, middle, h, step);
        if (status < 0) return status;
        *(jn_contact_is_lost(sim) ? t1 : t0) = middle;
    }
    return JN_OK;
}

/* On a seam round-off decides which feature is nearest: a step to the last instant with all contacts may end without one, and is an end of the search then. */
int jn_contact_locate_loss(jn_sim *sim, double h, jn_step_function *step, const jn_audit *before) {
    double start = sim->before->t, t0 = start, t1 = sim->s->t,
           sharp = jn_fmax(JN_PASS_TIME_REL * (t1 - t0), JN_START_TIME_REL * jn_fmax(1, fabs(t1)));
    bool lost = true;
    for (int n = 0; n < JN_PASS_SEARCHES_MOST; n++) {
        int status = bisect_loss(sim, h, step, sharp, &t0, &t1);
        if (status < 0) return status;
        if (t0 <= start) break;
        if ((status = try_to(sim, t0, h, step)) < 0) return status;
        if (!(lost = jn_contact_is_lost(sim))) break;
        t1 = t0, t0 = start;
    }
    jn_audit_take_back(sim, before); /* trials */
    if (!lost) { /* what the contacts have there goes on */
        jn_contact_follow(sim);
        jn_contact_note(sim);
        if (!sim->cvode) jn_state_copy(sim->before, sim->s);
    }
    jn_audit audit = sim->audit;
    int status = jn_contact_step_to(sim, t1, step);
    jn_audit_take_back(sim, &audit); /* what it stores is not seen until the contact has passed on */
    sim->h = jn_fmax(sim->h, JN_START_STEP_LEAST_REL * h);
    return status < 0 ? status : jn_contact_detect(sim).status;
}

/* The new point of the pair that is nearest in depth; NULL: there is none that is less apart from it than its depth. */
static const jn_contact_geometry *successor(const jn_sim *sim, const jn_solid_pair *pair, double gap) {
    const jn_contact_geometry *best = NULL;
    for (int k = pair->first; k < pair->first + pair->count; k++) {
        const jn_contact_geometry *point = jn_detection_contact(sim->contacts->detection, k);
        if (point->gap > JN_PASS_APART_REL * fabs(gap)) continue;
        if (jn_contact_cache_find(sim->s, pair->a, pair->b, point->feature)) continue;
        if (!best || fabs(point->gap - gap) < fabs(best->gap - gap)) best = point;
    }
    return best;
}

/* [J] of the law of an active contact at a gap. */
static double stored_energy(const jn_sim *sim, const jn_contact_state *cached, double gap) {
    jn_normal_law law = jn_contact_normal(jn_contact_law_of(sim->contacts, cached), cached);
    jn_normal_force n;
    jn_normal_eval(&law, -gap, 0, cached->speed, &n);
    return n.energy;
}

/* Stored energy that no law gives back: not the laws' doing, so it stands among what the scheme does beside its equations. */
static void book_loss(jn_sim *sim, double energy) {
    sim->s->ledger.numerical -= energy, sim->s->ledger.numerical_size += fabs(energy);
}

/* What was seen of the contacts keeps their order in the cache. */
static void move_seen(jn_sim *sim, int from, int to) {
    jn_contact_seen *seen = sim->contacts->seen, kept = seen[from];
    for (; from < to; from++) seen[from] = seen[from + 1];
    for (; from > to; from--) seen[from] = seen[from - 1];
    seen[to] = kept;
}

/* Its datum moves by the difference of the gaps: below zero where the new point is deeper, above zero where it is less deep. */
static void take_over(jn_sim *sim, int i, const jn_solid_pair *pair, const jn_contact_geometry *next) {
    jn_contact_state *cached = &sim->s->contact[i];
    if (sim->m->run.contact_start == JN_CONTACT_START_ROOT)
        cached->compliant.datum = next->gap - sim->contacts->seen[i].gap;
    jn_contact_cache_rename(sim->m, sim->s, i, pair->a, pair->b, next->feature);
    move_seen(sim, i, (int)(jn_contact_active(sim->s, pair, next) - sim->s->contact));
}

/* An active contact of the pair takes over the energy where there is no new point: its datum moves until it stores both. False: there is none. */
static bool merge(jn_sim *sim, int i, const jn_solid_pair *pair, double energy) {
    for (int k = jn_contact_cache_first(sim->s, pair->a, pair->b); jn_contact_cache_is_of(sim->s, k, pair->a, pair->b); k++) {
        jn_contact_state *other = &sim->s->contact[k];
        const jn_solid_pair *found;
        if (k == i) continue;
        const jn_contact_geometry *point = jn_contact_point_of(sim->contacts, sim->s, other, &found);
        if (!point || !(point->gap < 0)) continue;
        double gap = jn_fmin(0, jn_contact_gap(other, point));
        jn_normal_law law = jn_contact_normal(jn_contact_law_of(sim->contacts, other), other);
        other->compliant.datum =
            point->gap + jn_elastic_depth(&law.elastic, energy + stored_energy(sim, other, gap));
        return true;
    }
    return false;
}

/* The contact has nothing to carry any more, and ends. */
static void release(jn_sim *sim, int i, const jn_solid_pair *pair) {
    double energy = stored_energy(sim, &sim->s->contact[i], sim->contacts->seen[i].gap);
    bool kept = sim->m->run.contact_start == JN_CONTACT_START_ROOT && merge(sim, i, pair, energy);
    if (!kept) book_loss(sim, energy);
    if (!kept) jn_contact_judge_loss(sim, i, 0);
    sim->contacts->seen[i].gap = 0;
}

void jn_contact_pass_on(jn_sim *sim) {
    bool any = false;
    for (int i = 0, left = sim->s->contact_count; i < sim->s->contact_count && left > 0; i++) {
        const jn_solid_pair *pair;
        if (!is_lost(sim, i, &pair)) continue;
        double gap = sim->contacts->seen[i].gap;
        const jn_contact_geometry *next = successor(sim, pair, gap + sim->s->contact[i].compliant.datum);
        if (next)
            take_over(sim, i, pair, next), left--, i = -1;
        else
            release(sim, i, pair);
        any = true;
    }
    if (any) jn_contact_note(sim);
}

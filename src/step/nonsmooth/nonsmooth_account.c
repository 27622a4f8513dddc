/* What a nonsmooth step has done: energy of its impulses, forces for the user, contact cache, events. */
#include "step/nonsmooth/leapfrog.h"
#include "step/nonsmooth/moreau.h"

#include "reaction/compliant/clearance_motion.h"
#include <string.h>

void jn_nonsmooth_report(jn_sim *sim, const char *kind, const jn_contact_point *h, double time, double before,
                         double after, const double *p) {
    sim->audit.events++;
    if (!sim->sink) return;
    jn_event e = {time, kind, jn_contact_point_name(sim->m, h), before, after, p ? p[0] : 0, 0};
    if (p && sim->nonsmooth->set.dimension > 1)
        e.impulse_t = sim->nonsmooth->set.dimension > 2 ? jn_hypot(p[1], p[2]) : p[1];
    sim->sink(sim->sink_context, &e);
}

void jn_contact_report_gain(jn_sim *sim, double gain, int most) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_contact_point *h = &set->point[most];
    sim->audit.contact_gain += gain;
    sim->audit.contact_gain_at = jn_contact_point_name(sim->m, h);
    jn_nonsmooth_report(sim, "gain", h, sim->s->t, set->before[most * set->dimension], set->u[most * set->dimension],
                        set->p + most * set->dimension);
}

static void guess_some(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = from; i < to; i++) {
        const jn_contact_point *h = &set->point[i];
        jn_vec3 p = h->cached < 0 ? v3(0, 0, 0) : sim->s->contact[h->cached].stepping.impulse;
        for (int r = 0; r < set->dimension; r++)
            set->p[i * set->dimension + r] = v3_dot(p, r ? h->t[r - 1] : h->geometry.n);
    }
}

/* Impulses of the last step as a first guess: kept in the contact cache as vectors in world axes. */
void jn_contact_set_guess(jn_contact_set *set, jn_sim *sim) {
    jn_pool_range(sim->pool, set->count, JN_SHARED_CONTACTS, guess_some, sim);
}

jn_wrench jn_contacts_external(const jn_sim *sim, const double *p) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_model *m = sim->m;
    jn_wrench sum = wr_zero();
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        if (jn_pair_is(m, h) && m->links[h->link[0]].hangs == m->links[h->link[1]].hangs) continue; /* inside */
        if (jn_pair_is(m, h))
            sum = wr_add(sum, jn_external_contact(m, h->link[0], h->link[1],
                                                  jn_contact_point_place(h), jn_contact_impulse(set, p, i)));
        else
            jn_contact_point_external(sim, h, p + i * set->dimension, &sum);
    }
    return sum;
}

jn_wrench jn_nonsmooth_external(jn_sim *sim, double dt, const double *du, const double *rows, const double *p) {
    const jn_model *m = sim->m;
    jn_wrench sum = wr_add(jn_contacts_external(sim, p), jn_external_inertia(m, sim->w, du));
    if (rows) sum = wr_add(sum, jn_external_rows(m, sim->w, rows));
    if (dt == 0) return sum;
    if (m->floats < m->link_count - 1) jn_rnea_loaded(m, sim->w, NULL, sim->w->load, sim->force);
    return wr_add(sum, wr_scale(dt, jn_external_forces(m, sim->w)));
}

/* [m] the largest of the least gaps of the contact rows so far. */
static double widest_gap(const jn_sim *sim) {
    double widest = -INFINITY;
    for (int i = 0; i < sim->m->contact_count; i++) widest = jn_max(widest, sim->contacts->sum[i].gap);
    return widest;
}

double jn_nonsmooth_note_gaps(jn_sim *sim) {
    jn_contacts *c = sim->contacts;
    const jn_solid_pair *pairs = jn_detection_pair(c->detection, 0);
    const jn_contact_geometry *points = jn_detection_contact(c->detection, 0);
    double deepest = 0, widest = INFINITY;
    for (int i = 0; i < sim->m->contact_count; i++) c->sum[i].gap = INFINITY;
    for (int p = 0, n = jn_detection_pairs(c->detection); p < n; p++) {
        double gap = INFINITY;
        for (int k = pairs[p].first; k < pairs[p].first + pairs[p].count; k++) gap = jn_min(gap, points[k].gap);
        if (!(gap < widest)) continue; /* no row has it as its least */
        double *least = &c->sum[jn_pair_row(sim->m, &pairs[p])].gap;
        *least = jn_min(*least, gap), deepest = jn_min(deepest, gap), widest = widest_gap(sim);
    }
    return -deepest;
}

void jn_nonsmooth_sum_gaps(jn_sim *sim) {
    double depth = jn_nonsmooth_note_gaps(sim);
    if (sim->nonsmooth->leapfrog) sim->audit.max_penetration = jn_max(sim->audit.max_penetration, depth);
}

enum { ROWS, LINKS, BOTH }; /* what forces of contacts are summed by */

/* [N] mean force of a contact on its second body; false: it is no pair of shapes, or bore nothing. */
static bool mean_force(const jn_sim *sim, int i, jn_vec3 *f) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension;
    const double *p = set->p + i * d;
    if (!jn_pair_is(sim->m, &set->point[i]) || (p[0] == 0 && (d < 2 || p[1] == 0) && (d < 3 || p[2] == 0)))
        return false;
    *f = v3_scale(1 / set->duration, jn_contact_impulse(set, set->p, i));
    return true;
}

/* f: mean force of contact i on its second body. */
static inline void add_to_row(const jn_sim *sim, int i, jn_vec3 f) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension;
    const double *p = set->p + i * d;
    jn_contact_sum *sum = &sim->contacts->sum[set->point[i].row];
    sum->fn += p[0] / set->duration, sum->pn += p[0];
    if (d > 1) sum->ft += (d > 2 ? jn_hypot(p[1], p[2]) : fabs(p[1])) / set->duration;
    sum->on_second = wr_add(sum->on_second, (jn_wrench){v3_cross(set->point[i].geometry.pB, f), f});
}

static inline void add_to_links(const jn_sim *sim, int i, jn_vec3 f) {
    jn_wrench *load = sim->nonsmooth->load;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    const jn_link_motion *link = sim->w->link;
    int A = h->link[0], B = h->link[1];
    jn_wrench own = {v3(0, 0, 0), f}; /* each body gets it at its own point */
    load[A] = wr_sub(load[A], wr_shift(own, v3_sub(h->geometry.pA, link[A].O)));
    load[B] = wr_add(load[B], wr_shift(own, v3_sub(h->geometry.pB, link[B].O)));
}

/* Both sums at once where threads share them: each goes by the order of the contacts. */
static void sum_part(void *context, int part) {
    jn_sim *sim = context;
    jn_vec3 f;
    for (int i = 0; i < sim->nonsmooth->set.count; i++) {
        if (!mean_force(sim, i, &f)) continue;
        if (part != LINKS) add_to_row(sim, i, f);
        if (part != ROWS) add_to_links(sim, i, f);
    }
}

static void note_depths(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    double *stop = &sim->audit.max_stop_overlap;
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        if (jn_stop_is(sim->m, h)) *stop = jn_max(*stop, -h->geometry.gap);
        if (jn_pair_is(sim->m, h) && !sim->nonsmooth->leapfrog)
            jn_audit_depth(sim, h->a, h->b, jn_contact_point_name(sim->m, h), -h->geometry.gap);
    }
}

void jn_nonsmooth_sum_forces(jn_sim *sim, double dt) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_nonsmooth_restart(sim);
    set->duration = dt;
    if (sim->m->stop_count || !sim->nonsmooth->leapfrog) note_depths(sim);
    for (int i = 0; i < sim->m->contact_count; i++) sim->contacts->sum[i] = (jn_contact_sum){.gap = INFINITY};
    if (set->count >= 2 * JN_SHARED_CONTACTS)
        jn_pool_share(sim->pool, 2, sum_part, sim);
    else
        sum_part(sim, BOTH);
    jn_dry_sum_up(sim, dt);
}

void jn_nonsmooth_sum_up(jn_sim *sim, double dt) {
    jn_nonsmooth_sum_forces(sim, dt);
    jn_nonsmooth_sum_gaps(sim);
}

/* Whether a contact that slid and did not close has stopped at once because friction jams what it presses: with the
 * friction of its slip, a larger p_N would close the contact further (Painleve's paradox). [Genot1999] */
bool jn_contact_jams(const jn_contact_set *set, int i) {
    int d = set->dimension;
    const double *v = set->before + i * d;
    double slip = jn_contact_slip_speed(set, v), W[3] = {0, 0, 0};
    if (set->is_round) return false; /* W_ii is diagonal: friction does not press */
    if (set->point[i].impacting || !(slip > JN_STILL) ||
        jn_contact_slip_speed(set, set->u + i * set->dimension) > JN_STILL)
        return false;
    for (int k = set->start[i]; k < set->start[i + 1]; k++)
        for (int r = 0; r < d; r++) W[r] += set->V[k * d] * set->Y[k * d + r];
    for (int r = 1; r < d; r++) W[0] -= set->mu[i] * W[r] * v[r] / slip;
    return set->p[i * d] > 0 && W[0] <= 0;
}

static int compare(const jn_contact_state *c, const jn_contact_point *h) {
    if (c->a != h->a) return c->a < h->a ? -1 : 1;
    if (c->b != h->b) return c->b < h->b ? -1 : 1;
    return c->feature < h->feature ? -1 : c->feature > h->feature;
}

/* An active contact of the last step that is open now. What has rebounded from an impact parted there. */
static void report_separation(jn_sim *sim, const jn_contact_state *gone, double time) {
    const jn_model *m = sim->m;
    jn_contact_point h = {.a = gone->a, .b = gone->b};
    if (gone->phase == JN_PHASE_NEW || gone->phase == JN_PHASE_REBOUNDING) return;
    h.row = jn_pair_is(m, &h) ? jn_model_contact_of(m, h.a, h.b) : m->contact_count;
    if (sim->nonsmooth->leapfrog) time = jn_leapfrog_parted(sim, gone);
    jn_nonsmooth_report(sim, "separation", &h, time, 0, 0, NULL);
}

/* Where the contacts of the set stand in the contact cache, -1: nowhere, both lists being sorted; those that are gone from it into set->gone. Returns their
 * number. */
static int match(jn_contact_set *set, const jn_state *s) {
    int k = 0, count = 0;
    for (int i = 0; i < set->count; i++) {
        int order = 1;
        while (k < s->contact_count && (order = compare(&s->contact[k], &set->point[i])) < 0) set->gone[count++] = k++;
        set->point[i].cached = k < s->contact_count && order == 0 ? k++ : -1;
    }
    while (k < s->contact_count) set->gone[count++] = k++;
    return count;
}

/* Whether the set knows the places of its contacts since it was chosen. Material points of the end of a segment have none then. */
static bool is_matched(const jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    return x && !x->end_points;
}

/* The same where places are known: those between two that follow each other are gone. */
static int list_gone(jn_contact_set *set, const jn_state *s) {
    int k = 0, count = 0;
    for (int i = 0; i < set->count; i++) {
        if (set->point[i].cached < 0) continue;
        while (k < set->point[i].cached) set->gone[count++] = k++;
        k++;
    }
    while (k < s->contact_count) set->gone[count++] = k++;
    return count;
}

/* Contacts of a step have no compliant part: it is zero on both sides. */
static void move_contact(jn_contact_state *to, const jn_contact_state *from) {
    memcpy(to, from, offsetof(jn_contact_state, compliant));
    to->stepping = from->stepping;
}

/* What some contacts of the set become in the cache: jn_range_measure; 1 where there is something to report. Stops and dry friction, and those of schemes other than the
 * leapfrog, are as they were until they report. */
static double keep_some(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    bool any = false;
    for (int i = from; i < to; i++) {
        const jn_contact_point *h = &set->point[i];
        jn_contact_state *next = &set->next[i];
        bool here = sim->nonsmooth->leapfrog && !jn_dry_is(sim->m, h);
        if (h->cached < 0)
            *next = (jn_contact_state){.a = h->a, .b = h->b, .feature = h->feature};
        else
            move_contact(next, &sim->s->contact[h->cached]);
        set->reports[i] = here ? jn_leapfrog_keep_contact(sim, i, next) : true;
        any |= set->reports[i];
    }
    return any;
}

static void store_some(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = from; i < to; i++) {
        jn_contact_state *kept = &sim->s->contact[i];
        if (set->point[i].cached < 0) kept->compliant = (jn_compliant_state){0};
        move_contact(kept, &set->next[i]);
    }
}

/* Events of the contacts of the set and of the `left` that are gone from the cache, in their order. */
static void report_all(jn_sim *sim, int left, double t_A, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_contact_state *last = sim->s->contact;
    int k = 0;
    for (int i = 0; i < x->set.count; i++) {
        const jn_contact_point *h = &x->set.point[i];
        while (k < left && compare(&last[x->set.gone[k]], h) < 0) report_separation(sim, &last[x->set.gone[k++]], t_A + dt);
        if (!x->set.reports[i]) continue;
        if (jn_dry_is(sim->m, h))
            jn_dry_note(sim, i, &x->set.next[i], t_A + dt);
        else if (x->leapfrog)
            jn_leapfrog_report_contact(sim, i);
        else
            jn_moreau_note_contact(sim, i, &x->set.next[i], t_A, dt);
    }
    while (k < left) report_separation(sim, &last[x->set.gone[k++]], t_A + dt);
}

/* Whether each contact of the set has the place in the cache that it will have: two points of a pair may have found one contact there, and then another one is gone. Larger sets are
 * kept by threads, in two copies. */
static bool keeps_places(const jn_contact_set *set, const jn_state *s) {
    if (set->count != s->contact_count || set->count >= 2 * JN_SHARED_CONTACTS) return false;
    for (int i = 0; i < set->count; i++)
        if (set->point[i].cached != i) return false;
    return true;
}

/* Such contacts report before they change there. */
static void note_in_place(jn_sim *sim, double t) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count; i++) {
        jn_contact_state *kept = &sim->s->contact[i];
        if (jn_dry_is(sim->m, &set->point[i]))
            jn_dry_note(sim, i, kept, t);
        else
            jn_leapfrog_note_contact(sim, i, kept);
    }
}

/* The contact cache becomes the closed contacts of the step. */
void jn_nonsmooth_note(jn_sim *sim, double t_A, double dt) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_state *s = sim->s;
    if (s->contact_count + set->count == 0) return;
    bool matched = is_matched(sim);
    if (matched && keeps_places(set, s)) {
        note_in_place(sim, t_A + dt);
        return;
    }
    int left = matched ? list_gone(set, s) : match(set, s);
    bool any = jn_pool_most(sim->pool, set->count, JN_SHARED_CONTACTS, keep_some, sim) > 0;
    if (any || left) report_all(sim, left, t_A, dt);
    jn_contact_cache_resize(s, set->count);
    jn_pool_range(sim->pool, set->count, JN_SHARED_CONTACTS, store_some, sim);
}

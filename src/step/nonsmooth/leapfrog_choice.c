/* Which contacts may act at a node of the momentum leapfrog. */
#include "proximity/detection.h"
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

static inline double gap_rate(const jn_sim *sim, const jn_contact_geometry *t, int A, int B, const jn_twist *V) {
    return v3_dot(v3_sub(jn_velocity_at(sim, t->pB, B, V), jn_velocity_at(sim, t->pA, A, V)), t->n);
}

/* Of the points of some pairs: jn_range_measure. */
static double find_some_rates(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_detection *detection = sim->contacts->detection;
    const jn_solid_pair *pairs = jn_detection_pair(detection, 0);
    const jn_contact_geometry *points = jn_detection_contact(detection, 0);
    const jn_link_motion *link = sim->w->link;
    const jn_twist *V_minus = x->V_minus, *V_free = x->V_free;
    jn_closing *closing = x->closing;
    double most = 0, h = x->h;
    for (int p = from; p < to; p++) {
        int A = detection->carried[pairs[p].a].link, B = detection->carried[pairs[p].b].link;
        for (int k = pairs[p].first, end = k + pairs[p].count; k < end; k++) {
            const jn_contact_geometry *t = &points[k];
            jn_vec3 minus = v3(0, 0, 0), free = minus; /* of the second body, then against the first */
            if (B) {
                jn_vec3 r = v3_sub(t->pB, link[B].O);
                minus = tw_shift(V_minus[B], r).v, free = tw_shift(V_free[B], r).v;
            }
            if (A) {
                jn_vec3 r = v3_sub(t->pA, link[A].O);
                minus = v3_sub(minus, tw_shift(V_minus[A], r).v), free = v3_sub(free, tw_shift(V_free[A], r).v);
            }
            double rate = v3_dot(free, t->n);
            closing[k] = (jn_closing){t->gap, v3_dot(minus, t->n), rate};
            if (t->gap + h * rate < 0 && -rate > most) most = -rate;
        }
    }
    return most;
}

/* Rates of the gaps of all points, into x->closing. Returns the speed with which bodies meet on the segment, the largest: such an impact may bring others
 * together. */
static double find_rates(jn_sim *sim) {
    int pairs = jn_detection_pairs(sim->contacts->detection);
    return jn_pool_most(sim->pool, pairs, JN_SHARED_CONTACTS, find_some_rates, sim);
}

/* [m] by which a gap may be open that closes on a segment of length h, if others rebound with the speed `fast`; minus, fall [m/s]: its rate before the impulses of
 * the node, and what gravity does to it in a step. */
static inline double reach_of(double h, double fast, double minus, double fall) {
    return h * (JN_LEAPFROG_REACH_IMPACT * fast + JN_LEAPFROG_REACH_APPROACH * fabs(minus) + fall);
}

/* Whether a gap that changes by the slower of two rates may close within its reach. */
static inline bool may_act(double h, double gap, double minus, double free, double reach) {
    return gap + h * jn_min(jn_min(minus, free), 0) <= reach;
}

void jn_leapfrog_note_speeds(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->swiftest_point = 0;
    for (int i = 1; i < sim->m->link_count; i++) {
        const jn_segment_link *s = &x->segment[i];
        jn_vec3 v = v3_add(s->v, v3_cross(s->w, sim->w->link[i].c)); /* of the centre of mass */
        double speed = v3_norm(v) + x->reach_of[i] * v3_norm(s->w);
        if (x->missed) x->swift[i] = jn_max(x->swift[i], speed);
        x->swiftest_point = jn_max(x->swiftest_point, speed);
    }
}

static int add_contact(jn_sim *sim, jn_contact_point point) {
    int status = jn_contact_set_check_room(sim, 1);
    if (status >= 0) sim->nonsmooth->set.point[sim->nonsmooth->set.count++] = point;
    return status;
}

/* next: place behind the last one that was found. */
static void find_cached(const jn_sim *sim, jn_contact_point *h, int *next) {
    const jn_contact_state *cached = jn_contact_cache_find_from(sim->s, *next, h->a, h->b, h->feature);
    h->is_new = !cached, h->cached = cached ? (int)(cached - sim->s->contact) : -1;
    if (cached) *next = h->cached + 1;
}

/* Whether the set has a contact of the pair with the feature, from the place `first` on. */
static bool has_feature(const jn_contact_set *set, int first, uint32_t feature) {
    for (int i = first; i < set->count; i++)
        if (set->point[i].feature == feature) return true;
    return false;
}

/* Contacts of a pair that earlier solutions of this segment missed. Features that the pair shows at the node as well stay apart from these. */
static int choose_end_points(jn_sim *sim, const jn_solid_pair *pair, int first, int *next, bool *rough) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int k = 0; k < x->end_points; k++) {
        if (x->end_point[k].a != pair->a || x->end_point[k].b != pair->b) continue;
        jn_contact_point h = jn_leapfrog_end_point(sim, k);
        h.approach = gap_rate(sim, &h.geometry, h.link[0], h.link[1], x->V_minus);
        h.is_new = true, h.cached = -1;
        h.balls = x->ball[h.a] && x->ball[h.b];
        if (has_feature(set, first, h.feature))
            h.feature = JN_LEAPFROG_END_FEATURE + (uint32_t)k;
        else
            find_cached(sim, &h, next);
        jn_contact_point_tangents(sim, &h);
        *rough |= sim->m->contacts[h.row].friction > 0;
        int status = add_contact(sim, h);
        if (status < 0) return status;
    }
    return JN_OK;
}

double jn_leapfrog_thrown(const jn_sim *sim, double h, double impact) {
    return fabs(h) * (JN_LEAPFROG_REACH_IMPACT * impact + fabs(h) * sim->nonsmooth->gravity);
}

int jn_leapfrog_detect(jn_sim *sim, double h, double impact) {
    double at_rest = JN_LEAPFROG_REACH_REST * fabs(h) * sim->nonsmooth->gravity;
    return jn_contacts_detect(sim, h, jn_leapfrog_thrown(sim, h, jn_max(at_rest, impact)));
}

int jn_leapfrog_detect_again(jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double margin = jn_contact_margin(sim, x->h), least = sim->contacts->margin, ahead = JN_CONTACT_MARGIN_STEPS * x->h;
    while (margin < ahead * x->swiftest_point) margin *= 2;
    for (double thrown = jn_leapfrog_thrown(sim, x->h, x->impact); least < thrown;) least *= 2;
    return jn_detection_update_moving(sim->contacts->detection, sim->w, margin, least, ahead, x->swift);
}

/* Rates of all gaps that may close, and the speed of the fastest impact: where it throws others further than pairs were looked at, they are looked at again. */
static int find_reach(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->impact = find_rates(sim);
    if (!(jn_leapfrog_thrown(sim, x->h, x->impact) > jn_detection_least(sim->contacts->detection))) return JN_OK;
    int status = jn_leapfrog_detect_again(sim);
    x->impact = jn_max(x->impact, find_rates(sim));
    return status;
}

/* The contact points that were listed in x->chosen: jn_range_measure; 1 where some have friction. */
static double fill_points(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_detection *detection = sim->contacts->detection;
    int next = 0;
    bool rough = false;
    for (int i = from; i < to; i++) {
        const jn_solid_pair *pair = jn_detection_pair(detection, x->chosen[i].pair);
        const jn_contact_geometry *point = jn_detection_contact(detection, x->chosen[i].point);
        jn_contact_point *h = &sim->nonsmooth->set.point[i];
        bool same = i > from && x->chosen[i].pair == x->chosen[i - 1].pair;
        int row = same ? h[-1].row : jn_pair_row(sim->m, pair);
        int A = detection->carried[pair->a].link, B = detection->carried[pair->b].link;
        jn_contact_point_begin(h, pair, point->feature, row, A, B);
        jn_contact_point_take(h, point);
        h->gap = point->gap, h->approach = x->closing[x->chosen[i].point].minus;
        h->balls = x->ball[pair->a] && x->ball[pair->b];
        find_cached(sim, h, &next);
        jn_contact_point_tangents(sim, h);
        rough |= sim->m->contacts[row].friction > 0;
    }
    return rough;
}

/* Lists the points of some pairs that may act, as contacts of the set that are still to be filled. several: set where a pair has more than one. */
static int list_points(jn_sim *sim, int from, int to, bool *several) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_solid_pair *pairs = jn_detection_pair(sim->contacts->detection, 0);
    const jn_closing *closing = x->closing;
    bool again = x->swiftest_point > 0; /* the segment is solved again */
    double h = x->h, fall = h * sim->nonsmooth->gravity, fast = x->impact;
    for (int p = from; p < to; p++) {
        const jn_solid_pair *pair = &pairs[p];
        if (again)
            fast = jn_max(x->impact, x->swift[sim->m->solids[pair->a].link] + x->swift[sim->m->solids[pair->b].link]);
        for (int k = pair->first, first = set->count, end = k + pair->count; k < end; k++) {
            const jn_closing *c = &closing[k];
            if (!may_act(h, c->gap, c->minus, c->free, reach_of(h, fast, c->minus, fall))) continue;
            int status = jn_contact_set_check_room(sim, 1);
            if (status < 0) return status;
            *several |= set->count > first;
            x->chosen[set->count++] = (jn_chosen_point){p, k};
        }
    }
    return JN_OK;
}

/* Contacts of each pair by their features. */
static void sort_pairs(jn_contact_set *set) {
    for (int first = 0, end; first < set->count; first = end) {
        const jn_contact_point *h = &set->point[first];
        for (end = first + 1; end < set->count && set->point[end].a == h->a && set->point[end].b == h->b; end++) {}
        if (end > first + 1) jn_contact_sort_features(set->point + first, end - first);
    }
}

/* The points of each pair, with those that solutions of this segment missed: these are compared with the pair's own. */
static int choose_with_end_points(jn_sim *sim, bool *several, bool *rough) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_solid_pair *pairs = jn_detection_pair(sim->contacts->detection, 0);
    int next = 0;
    for (int p = 0, count = jn_detection_pairs(sim->contacts->detection); p < count; p++) {
        int first = set->count, status = list_points(sim, p, p + 1, several);
        if (status < 0) return status;
        *rough |= fill_points(sim, first, set->count) > 0;
        status = choose_end_points(sim, pairs + p, first, &next, rough);
        if (status < 0) return status;
        *several |= set->count > first + 1;
    }
    return JN_OK;
}

static int choose_points(jn_sim *sim, bool *rough) {
    jn_contact_set *set = &sim->nonsmooth->set;
    bool several = false;
    int status;
    if (sim->nonsmooth->leapfrog->end_points) {
        status = choose_with_end_points(sim, &several, rough);
    } else {
        status = list_points(sim, 0, jn_detection_pairs(sim->contacts->detection), &several);
        if (status >= 0) *rough = jn_pool_most(sim->pool, set->count, JN_SHARED_CONTACTS, fill_points, sim) > 0;
    }
    if (status >= 0 && several) sort_pairs(set);
    return status;
}

/* Whether a stop bore an impulse at the last node and is closed: impulses of other contacts may hold it there, wherever its coordinate would go without them. */
static bool was_loaded(const jn_sim *sim, int stop, int side, double gap, int next) {
    if (!(gap <= sim->nonsmooth->leapfrog->deepest)) return false;
    const jn_contact_state *cached = jn_contact_cache_find_from(sim->s, next, sim->m->solid_count + stop, side, 0);
    return cached && cached->stepping.force > 0;
}

static void take_stop(jn_sim *sim, int stop, int side, double gap, double approach) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_contact_point *h = &set->point[set->count++];
    memset(h, 0, sizeof *h);
    h->a = sim->m->solid_count + stop, h->b = side, h->row = sim->m->contact_count;
    h->gap = h->geometry.gap = gap, h->approach = approach;
    h->geometry.n = v3(1, 0, 0), h->t[0] = v3(0, 1, 0), h->t[1] = v3(0, 0, 1);
}

static int choose_stops(jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_model *m = sim->m;
    int next = 0;
    for (int k = 0; k < m->stop_count; k++) {
        const jn_stop *s = &m->stops[k];
        double q = sim->w->position[s->handle];
        int v = m->handles[s->handle].v; /* of a coordinate of the tree: its own velocity is its rate */
        double rate_minus = v >= 0 ? x->minus[v] : jn_handle_row_dot(m, sim->w, s->handle, x->minus);
        double rate_free = v >= 0 ? x->free[v] : jn_handle_row_dot(m, sim->w, s->handle, x->free);
        double own = jn_max(fabs(rate_minus), fabs(rate_free)), nearer = jn_min(q - s->lower, s->upper - q);
        double reach = reach_of(x->h, jn_max(own, x->closing_turn), rate_minus, 0);
        if (nearer - fabs(x->h) * own > reach && nearer > x->deepest) continue; /* far from both sides */
        for (int side = 0; side < 2; side++) {
            double gap = side ? s->upper - q : q - s->lower, sign = side ? -1 : 1;
            if (isinf(gap)) continue;
            if (!may_act(x->h, gap, sign * rate_minus, sign * rate_free, reach) && !was_loaded(sim, k, side, gap, next))
                continue;
            int status = jn_contact_set_check_room(sim, 1);
            if (status < 0) return status;
            take_stop(sim, k, side, gap, sign * rate_minus);
            find_cached(sim, &set->point[set->count - 1], &next);
        }
    }
    return JN_OK;
}

int jn_leapfrog_choose(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    bool rough = false;
    int status = JN_OK;
    n->set.count = n->set.dry = 0;
    if (sim->contacts) {
        jn_velocities_of_three(sim->m, sim->w, (const double *const[]){x->minus, x->free, x->last},
                               (jn_twist *const[]){x->V_minus, x->V_free, x->V_last});
        status = find_reach(sim);
        jn_seams_pass(sim);
        if (status >= 0) status = choose_points(sim, &rough);
    }
    n->set.dimension = !rough ? 1 : sim->m->planar ? 2 : 3;
    if (status >= 0) status = choose_stops(sim);
    if (status >= 0) status = jn_dry_choose(sim);
    if (status >= 0) jn_islands_find(sim), jn_sleep_wake(sim);
    return status;
}

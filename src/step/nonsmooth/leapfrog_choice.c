/* Which contacts may act at a node of the momentum leapfrog. */
#include "proximity/detection.h"
#include "step/nonsmooth/leapfrog.h"

static inline double gap_rate(const jn_sim *sim, const jn_contact_geometry *t, int A, int B, const jn_twist *V) {
    const jn_link_motion *link = sim->w->link;
    jn_vec3 a = A ? tw_shift(V[A], v3_sub(t->pA, link[A].O)).v : v3(0, 0, 0);
    jn_vec3 b = B ? tw_shift(V[B], v3_sub(t->pB, link[B].O)).v : v3(0, 0, 0);
    return v3_dot(v3_sub(b, a), t->n);
}

/* Of the points of some pairs: jn_range_measure. */
static double find_some_rates(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_detection *detection = sim->contacts->detection;
    const jn_solid_pair *pairs = jn_detection_pair(detection, 0);
    const jn_contact_geometry *points = jn_detection_contact(detection, 0);
    double most = 0;
    for (int p = from; p < to; p++) {
        int A = detection->carried[pairs[p].a].link, B = detection->carried[pairs[p].b].link;
        for (int k = pairs[p].first; k < pairs[p].first + pairs[p].count; k++) {
            double rate = gap_rate(sim, points + k, A, B, x->V_free), minus = gap_rate(sim, points + k, A, B, x->V_minus);
            x->closing[k] = (jn_closing){points[k].gap, minus, rate};
            if (points[k].gap + x->h * rate < 0 && -rate > most) most = -rate;
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

/* Whether a gap may close on the segment, if others rebound with the speed `fast`. */
static bool may_act(const jn_leapfrog *x, const jn_closing *c, double fast, double gravity) {
    double closing = jn_min(jn_min(c->minus, c->free), 0);
    return c->gap + x->h * closing <=
           x->h * (JN_LEAPFROG_REACH_IMPACT * fast + JN_LEAPFROG_REACH_APPROACH * fabs(c->minus) + x->h * gravity);
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

/* Lists the points of a pair that may act, as contacts of the set that are still to be filled. */
static int list_points(jn_sim *sim, int p) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_solid_pair *pair = jn_detection_pair(sim->contacts->detection, p);
    double fast = x->impact;
    if (x->swiftest_point > 0) /* the segment is solved again */
        fast = jn_max(fast, x->swift[sim->m->solids[pair->a].link] + x->swift[sim->m->solids[pair->b].link]);
    for (int k = pair->first; k < pair->first + pair->count; k++) {
        if (!may_act(x, &x->closing[k], fast, sim->nonsmooth->gravity)) continue;
        int status = jn_contact_set_check_room(sim, 1);
        if (status < 0) return status;
        x->chosen[set->count++] = (jn_chosen_point){p, k};
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

static int choose_points(jn_sim *sim, bool *rough) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_solid_pair *pairs = jn_detection_pair(sim->contacts->detection, 0);
    int next = 0, several = 0;
    for (int p = 0, count = jn_detection_pairs(sim->contacts->detection); p < count; p++) {
        int first = set->count, status = list_points(sim, p);
        if (status >= 0 && x->end_points) { /* these are compared with the pair's own points */
            *rough |= fill_points(sim, first, set->count) > 0;
            status = choose_end_points(sim, pairs + p, first, &next, rough);
        }
        if (status < 0) return status;
        several |= set->count > first + 1;
    }
    if (!x->end_points)
        *rough = jn_pool_most(sim->pool, set->count, JN_SHARED_CONTACTS, fill_points, sim) > 0;
    if (several) sort_pairs(set);
    return JN_OK;
}

/* Whether a stop bore an impulse at the last node and is closed: impulses of other contacts may hold it there, wherever its coordinate would go without them. */
static bool was_loaded(const jn_sim *sim, int stop, int side, double gap, int next) {
    if (!(gap <= sim->nonsmooth->leapfrog->deepest)) return false;
    const jn_contact_state *cached = jn_contact_cache_find_from(sim->s, next, sim->m->solid_count + stop, side, 0);
    return cached && cached->stepping.force > 0;
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
        for (int side = 0; side < 2; side++) {
            double gap = side ? s->upper - q : q - s->lower, sign = side ? -1 : 1;
            if (isinf(gap)) continue;
            jn_closing closing = {gap, sign * rate_minus, sign * rate_free};
            double fast = jn_max(jn_max(fabs(closing.minus), fabs(closing.free)), x->closing_turn);
            if (!may_act(x, &closing, fast, 0) && !was_loaded(sim, k, side, gap, next)) continue;
            int status = jn_contact_set_check_room(sim, 1);
            if (status < 0) return status;
            jn_contact_point *h = &set->point[set->count++];
            *h = (jn_contact_point){
                .a = m->solid_count + k, .b = side, .row = m->contact_count, .gap = gap, .approach = closing.minus};
            h->geometry.n = v3(1, 0, 0), h->t[0] = v3(0, 1, 0), h->t[1] = v3(0, 0, 1), h->geometry.gap = gap;
            find_cached(sim, h, &next);
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
    for (int k = 0; k < sim->m->nv; k++) x->last[k] = jn_past_velocity(sim, k)[0];
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

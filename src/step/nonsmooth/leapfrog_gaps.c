/* Gaps at the end of a segment of the momentum leapfrog that the linear prediction misses. */
#include "step/nonsmooth/leapfrog.h"

/* Collision detection where the segment ends, as far as the next one may need it, which is longer than the rest of a step; and the least of its gaps: where none is deep, nobody looks
 * for those that are. */
static void detect(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_detection *detection = sim->contacts->detection;
    x->detected = jn_leapfrog_detect(sim, jn_max(x->h, sim->m->run.step), x->impact) >= 0;
    x->least_gap = INFINITY;
    const jn_contact_geometry *points = jn_detection_contact(detection, 0);
    for (int k = 0, count = jn_detection_contacts(detection); k < count; k++)
        x->least_gap = jn_min(x->least_gap, points[k].gap);
}

/* Whether points are deeper than allowed at the end of the segment that were not among the contacts at its start: what impacts of other
 * contacts and of stops have brought together. */
static bool misses_contact(const jn_sim *sim) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_detection *detection = sim->contacts->detection;
    const jn_solid_pair *pairs = jn_detection_pair(detection, 0);
    const jn_contact_geometry *points = jn_detection_contact(detection, 0);
    for (int p = 0, count = jn_detection_pairs(detection); p < count; p++)
        for (int k = pairs[p].first; k < pairs[p].first + pairs[p].count; k++) {
            if (!(points[k].gap < -n->leapfrog->deepest - n->leapfrog->compliant_overlap)) continue;
            bool found = false;
            for (int i = 0; i < n->set.count && !found; i++)
                found = n->set.point[i].a == pairs[p].a && n->set.point[i].b == pairs[p].b;
            if (!found) return true;
        }
    return false;
}

/* How much of what the last correction asked for the gap has followed by: 1 where rates at the node tell all, less where the bodies turn meanwhile, below 0
 * where others press them in the further it rises. 1 too where none was made. */
static double response(const jn_sim *sim, int i, double end) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_gap_correction *last = &x->correction[i];
    return last->last < 0 ? (end - last->end) / (-x->h * last->last) : 1;
}

/* What a loaded contact that ends the segment deeper than allowed aims at: higher by as much, but it leaves no faster than it came and than the
 * motion bends gaps: what is deeper is another point of the bodies, driven in by an impact. */
static double correct_loaded(const jn_sim *sim, int i, double deeper) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double bias = x->bias[i * sim->nonsmooth->set.dimension], bend = jn_min(0, sim->nonsmooth->set.point[i].bends);
    return jn_max(bias + deeper / x->h, jn_min(bias, jn_leapfrog_fastest_exit(sim, i) + bend / x->h));
}

/* The same for one without load, which the gap was to be bent by, or which has turned in: it is stopped, not sent back. */
static double correct_open(const jn_sim *sim, int i, double deeper) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double bias = x->bias[i * n->set.dimension], rate[3];
    jn_contact_multiply_one(&n->set, i, x->u, rate);
    double least = jn_min(0, x->correction[i].posed - jn_max(0, n->set.point[i].bends) / x->h);
    return jn_min(bias, jn_max(deeper / x->h - rate[0], least));
}

static bool is_chosen(const jn_contact_set *set, const jn_contact_point *h, uint32_t feature) {
    for (int i = 0; i < set->count - set->dry; i++)
        if (set->point[i].a == h->a && set->point[i].b == h->b && set->point[i].feature == feature) return true;
    return false;
}

/* Where the segment ends for a contact: at its own point or, where the bodies have turned on to others, at the deepest of these. NULL: apart. */
static const jn_contact_geometry *find_end(const jn_sim *sim, const jn_contact_point *h) {
    const jn_detection *detection = sim->contacts->detection;
    const jn_solid *solid = sim->m->solids;
    const jn_contact_geometry *own = jn_contact_point_find(sim, h), *found = NULL;
    if (own) return own;
    if (solid[h->a].type == JN_SHAPE_SPHERE && solid[h->b].type == JN_SHAPE_SPHERE) return NULL; /* they have one */
    const jn_solid_pair *pair = jn_detection_find(detection, h->a, h->b);
    double deepest = -sim->nonsmooth->leapfrog->deepest - sim->nonsmooth->leapfrog->compliant_overlap;
    for (int k = 0; pair && k < pair->count; k++) {
        const jn_contact_geometry *point = jn_detection_contact(detection, pair->first + k);
        if (point->gap < deepest && !is_chosen(&sim->nonsmooth->set, h, point->feature))
            found = point, deepest = point->gap;
    }
    return found;
}

static void begin_corrections(const jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int i = 0; i < set->count; i++) x->correction[i] = (jn_gap_correction){.posed = x->bias[i * set->dimension]};
}

/* [m/s] normal bias of contact i whose segment ends with the gap `end`; the one that it has where corrections do not help. */
static double correct_gap(const jn_sim *sim, int i, double end) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    double bias = x->bias[i * n->set.dimension], follows = response(sim, i, end);
    double deeper = end - jn_min(h->gap, -JN_LEAPFROG_AIM_DEPTH * x->deepest - jn_compliant_overlap(sim, i)); /* an old overlap is not pushed apart, nor does it grow */
    if (!(n->set.p[i * n->set.dimension] > 0)) return correct_open(sim, i, deeper);
    if (!(follows > 0)) return bias;
    return correct_loaded(sim, i, deeper / jn_min(1, jn_max(follows, JN_LEAPFROG_RESPONSE_LEAST)));
}

bool jn_leapfrog_correct_gaps(jn_sim *sim, bool first) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    bool any = false;
    x->missed = false;
    if (!sim->contacts || n->set.count == n->set.dry) return false;
    detect(sim);
    if (!(x->least_gap < -x->deepest)) return false; /* no contact ends deeper than it may */
    if (first) begin_corrections(sim);
    for (int i = 0; i < n->set.count - n->set.dry && x->detected; i++) {
        const jn_contact_point *h = &n->set.point[i];
        if (!jn_pair_is(sim->m, h) || h->impacting) continue;
        const jn_contact_geometry *end = find_end(sim, h);
        x->correction[i].last = x->correction[i].asked, x->correction[i].asked = 0;
        if (!end || !(end->gap < jn_min(h->gap, -x->deepest - jn_compliant_overlap(sim, i)))) continue;
        double *bias = &x->bias[i * n->set.dimension], aim = correct_gap(sim, i, end->gap);
        bool loaded = n->set.p[i * n->set.dimension] > 0;
        bool impacts = !loaded && aim < *bias && jn_leapfrog_pose_impact(sim, i);
        any |= impacts || fabs(aim - *bias) > jn_contact_set_residual(sim);
        x->correction[i].asked = aim - *bias, x->correction[i].end = end->gap;
        if (!impacts) *bias = aim;
        n->set.point[i].waits = false;
    }
    x->missed = x->detected && misses_contact(sim);
    return any && !x->missed;
}

/* ------------------------------------------------------------------------------------ contacts that a solution missed */

/* Whether a contact of the set acts at nearly the same points of both bodies as one at the end of the segment. */
static bool is_posed(const jn_sim *sim, int a, int b, jn_vec3 in_a, jn_vec3 in_b) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double near = JN_LEAPFROG_SAME_POINT * x->size;
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        const jn_contact_point *h = &n->set.point[i];
        if (h->a != a || h->b != b) continue;
        int A = sim->m->solids[a].link, B = sim->m->solids[b].link;
        double da = A ? v3_norm(v3_sub(jn_world_to_link(&x->link[A], h->geometry.pA), in_a)) : 0;
        double db = B ? v3_norm(v3_sub(jn_world_to_link(&x->link[B], h->geometry.pB), in_b)) : 0;
        if (jn_max(da, db) <= near) return true;
    }
    return false;
}

/* [m] deepest overlap of a pair at the node: old ones are not missed. Material points of the segment's end do not touch at the node. */
static double old_overlap(const jn_contact_set *set, int a, int b) {
    double deepest = 0;
    for (int i = 0; i < set->count - set->dry; i++) {
        const jn_contact_point *h = &set->point[i];
        if (h->a == a && h->b == b && !h->end_point) deepest = jn_min(deepest, h->gap);
    }
    return deepest;
}

/* The gaps of those that are known already, where the segment ends now. */
static void follow_end_points(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int k = 0; k < x->end_points; k++) {
        jn_end_point *p = &x->end_point[k];
        const jn_link_motion *A = &sim->w->link[sim->m->solids[p->a].link],
                             *B = &sim->w->link[sim->m->solids[p->b].link];
        p->gap = v3_dot(p->n, v3_sub(jn_link_to_world(B, p->in_b), jn_link_to_world(A, p->in_a)));
    }
}

bool jn_leapfrog_find_end_points(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int known = x->end_points;
    if (!sim->contacts) return false;
    if (!x->detected) detect(sim);
    follow_end_points(sim);
    if (!(x->least_gap < -JN_LEAPFROG_MISSED_DEPTH * x->deepest - x->compliant_overlap)) return false;
    const jn_solid_pair *pairs = jn_detection_pair(sim->contacts->detection, 0);
    for (int p = 0, count = jn_detection_pairs(sim->contacts->detection); p < count; p++)
        for (int k = 0; k < pairs[p].count && x->end_points < JN_LEAPFROG_END_POINTS_MOST; k++) {
            const jn_contact_geometry *g = jn_detection_contact(sim->contacts->detection, pairs[p].first + k);
            if (!(g->gap < -JN_LEAPFROG_MISSED_DEPTH * x->deepest - x->compliant_overlap)) continue;
            if (!(g->gap < old_overlap(&n->set, pairs[p].a, pairs[p].b) - x->deepest)) continue;
            const jn_link_motion *A = &sim->w->link[sim->m->solids[pairs[p].a].link],
                                 *B = &sim->w->link[sim->m->solids[pairs[p].b].link];
            jn_end_point end = {
                pairs[p].a, pairs[p].b, g->feature, jn_world_to_link(A, g->pA), jn_world_to_link(B, g->pB),
                g->n,       g->gap};
            if (!is_posed(sim, end.a, end.b, end.in_a, end.in_b)) x->end_point[x->end_points++] = end;
        }
    return x->end_points > known;
}

/* Whether the set has a side of a stop. */
static bool has_stop(const jn_sim *sim, int k, int side) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count - set->dry; i++)
        if (set->point[i].a == sim->m->solid_count + k && set->point[i].b == side) return true;
    return false;
}

bool jn_leapfrog_passes_stop(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    bool any = false;
    for (int k = 0; k < m->stop_count && sim->nonsmooth->set.count; k++) {
        const jn_stop *s = &m->stops[k];
        double q = sim->w->position[s->handle];
        for (int side = 0; side < 2; side++) {
            if (!((side ? s->upper - q : q - s->lower) < -x->deepest) || has_stop(sim, k, side)) continue;
            int v = m->handles[s->handle].v;
            double rate = v >= 0 ? x->u[v] : jn_handle_row_dot(m, sim->w, s->handle, x->u);
            x->closing_turn = jn_max(x->closing_turn, fabs(rate)), any = true;
        }
    }
    return any;
}

bool jn_leapfrog_ends_deep(jn_sim *sim) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    if (!sim->contacts || !(x->h > JN_LEAPFROG_SHORTEST_DEEP * sim->m->run.step)) return false;
    if (!x->detected) detect(sim);
    if (!(x->least_gap < -JN_LEAPFROG_MISSED_DEPTH * x->deepest - x->compliant_overlap)) return false;
    const jn_solid_pair *pairs = jn_detection_pair(sim->contacts->detection, 0);
    const jn_contact_geometry *points = jn_detection_contact(sim->contacts->detection, 0);
    for (int p = 0, count = jn_detection_pairs(sim->contacts->detection); p < count; p++)
        for (int k = pairs[p].first; k < pairs[p].first + pairs[p].count; k++)
            if (points[k].gap < -JN_LEAPFROG_MISSED_DEPTH * x->deepest - x->compliant_overlap &&
                points[k].gap < old_overlap(&n->set, pairs[p].a, pairs[p].b) - x->deepest)
                return true;
    return false;
}

jn_contact_point jn_leapfrog_end_point(const jn_sim *sim, int k) {
    const jn_end_point *p = &sim->nonsmooth->leapfrog->end_point[k];
    const jn_model *m = sim->m;
    int link[2] = {m->solids[p->a].link, m->solids[p->b].link};
    jn_contact_point h = {.a = p->a,
                          .b = p->b,
                          .feature = p->feature,
                          .row = jn_model_contact_of(m, p->a, p->b),
                          .link = {link[0], link[1]}};
    jn_vec3 a = jn_link_to_world(&sim->w->link[link[0]], p->in_a), b = jn_link_to_world(&sim->w->link[link[1]], p->in_b);
    h.gap = h.geometry.gap = v3_dot(p->n, v3_sub(b, a)), h.geometry.n = p->n, h.geometry.feature = p->feature;
    /* impulses act on one line through both bodies: that of the material point which moves, or halfway between those that do */
    bool first = link[0] != 0, second = link[1] != 0;
    jn_vec3 foot = v3_axpy(-h.gap, p->n, b);
    h.geometry.pA = !first ? foot : !second ? a : v3_scale(0.5, v3_add(a, foot));
    h.geometry.pB = !first ? b : v3_axpy(h.gap, p->n, h.geometry.pA);
    h.end_point = k + 1;
    return h;
}

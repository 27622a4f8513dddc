/* Contacts of the momentum leapfrog after the solution: events, which forces last, and what the state keeps for the next node. */
#include "step/nonsmooth/leapfrog.h"

/* Part of its cone that friction uses. */
static double used_part(const jn_contact_set *set, int i) {
    const double *p = set->p + i * set->dimension;
    double most = set->mu[i] * p[0];
    return most > 0 ? jn_contact_slip_speed(set, p) / most : 0;
}

/* Whether a contact that bears an impulse slips, as its law counts slip: beyond what the solution of the problem may leave, and further than friction could still stop it with what it leaves of its cone. Of
 * these two the solution makes the smaller one as small as its error [Alart1991]. */
static bool slips(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    int d = n->set.dimension;
    if (!(n->set.p[i * d] > 0 && n->set.mu[i] > 0)) return false;
    double v[3] = {0, 0, 0}, unused = n->set.mu[i] * n->set.p[i * d] - jn_contact_slip_speed(&n->set, n->set.p + i * d); /* [N s] */
    for (int r = 1; r < d; r++)
        v[r] = n->set.u[i * d + r] + n->leapfrog->bias[i * d + r] + n->set.compliance[i] * n->set.p[i * d + r];
    double slip = jn_contact_slip_speed(&n->set, v);
    return slip > jn_max(JN_STILL, JN_LEAPFROG_SLIP_ERROR * n->set.solve.speed_error) &&
           slip > jn_contact_tangent_mobility(&n->set, i) * unused;
}

/* Time between the last node and this one at which a quantity that was `before` and `last` at the two nodes before reaches `level`. */
static double crossing(const jn_sim *sim, double before, double last, double level) {
    double change = last - before, left = level - last;
    double part = change * left > 0 ? jn_min(1, left / change) : 0.5;
    return sim->s->t - *jn_past_length(sim) * (1 - part);
}

/* Tangential part of a vector. */
static jn_vec3 tangential(jn_vec3 n, jn_vec3 a) { return v3_axpy(-v3_dot(n, a), n, a); }

/* How far the contact point has moved over the bodies since the material points were taken, over that where it moved less. */
static double moved(jn_vec3 n, jn_vec3 point, jn_vec3 a, jn_vec3 b) {
    return jn_min(v3_norm(tangential(n, v3_sub(a, point))), v3_norm(tangential(n, v3_sub(b, point))));
}

/* Material points of a contact that sticks, at one point of both bodies but for what friction has stretched it by. A contact point that rolls on has none: its points are where it
 * was. What the next node compares with: distance of the points and slip, seen from here. */
static void keep_points(const jn_sim *sim, int i, bool sticks, jn_vec3 stretch, jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    const jn_link_motion *A = &x->link[h->link[0]], *B = &x->link[h->link[1]];
    jn_vec3 point = jn_contact_point_place(h), slip = v3(0, 0, 0), shift = v3(0, 0, 0);
    bool rolls = false;
    if (sticks) {
        jn_vec3 a = jn_link_to_world(A, cached->stepping.point_a), b = jn_link_to_world(B, cached->stepping.point_b);
        bool known = !h->is_new && cached->stepping.loaded > 0;
        rolls = known && moved(h->geometry.n, point, a, b) > JN_LEAPFROG_ROLLED;
        shift = v3_sub(b, a);
    }
    for (int r = 1; r < n->set.dimension; r++) slip = v3_axpy(n->set.u[i * n->set.dimension + r], h->t[r - 1], slip);
    if (!sticks || !cached->stepping.anchored || rolls || h->anchors_change) {
        shift = stretch;
        cached->stepping.point_a = jn_world_to_link(A, point), cached->stepping.point_b = jn_world_to_link(B, v3_add(point, stretch));
        cached->stepping.anchored = sticks && !rolls && !sim->m->contacts[h->row].rolls && !jn_contact_on_belt(sim->m, h);
    }
    shift = v3_axpy(x->h, slip, tangential(h->geometry.n, shift));
    cached->stepping.predicted_shift = shift, cached->stepping.slip_start = slip;
}

double jn_leapfrog_parted(const jn_sim *sim, const jn_contact_state *gone) {
    const jn_stepping_state *last = &gone->stepping;
    double t = sim->s->t, h = *jn_past_length(sim);
    if (last->force > 0) return crossing(sim, last->force_before, last->force, 0);
    return last->force_before > 0 ? t - 1.5 * h : t; /* a gap that rounding had left closed first: the load was gone at the node before */
}

/* What becomes of a contact at a node. */
typedef enum change { STAYS, BEGINS, SEPARATES, STICKS, SLIPS } change;

static bool slides(const jn_contact_set *set, int i) {
    return set->p[i * set->dimension] > 0 && set->mu[i] > 0 && set->point[i].slips;
}

/* [m/s] by which a gap opens on the segment, in the mean: points that run round something part while their rate at its start is below 0. */
static double opening(const jn_sim *sim, int i) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    return set->u[i * set->dimension] + set->point[i].bends / sim->nonsmooth->leapfrog->h;
}

/* cached: as the last node left it. */
static change change_of(const jn_sim *sim, int i, const jn_contact_state *cached) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    bool active = cached->phase != JN_PHASE_NEW, loaded = set->p[i * set->dimension] > 0, slips = slides(set, i);
    if (loaded && (!active || set->point[i].impacting)) return BEGINS;
    if (active && !loaded && opening(sim, i) > JN_STILL) return SEPARATES;
    if (loaded && set->mu[i] > 0 && slips != (cached->slip == JN_SLIP_SLIPPING)) return slips ? SLIPS : STICKS;
    return STAYS;
}

/* [s] when a contact began, within the step. */
static double start_of(const jn_sim *sim, const jn_contact_point *h) {
    double late = h->approach < 0 ? jn_max(0, h->gap) / -h->approach : 0;
    return sim->s->t + jn_min(late, sim->nonsmooth->leapfrog->h);
}

static void take_change(const jn_sim *sim, int i, change what, jn_contact_state *cached) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    bool slips = slides(&sim->nonsmooth->set, i);
    if (what == BEGINS) cached->start = start_of(sim, h), cached->speed = jn_max(0, -h->approach);
    if (what == SEPARATES) cached->phase = JN_PHASE_NEW;
    if (what == BEGINS || what == STICKS || what == SLIPS) cached->slip = slips ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
}

/* Events carry the time within the step, to first order. */
static void report_change(jn_sim *sim, int i, change what, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    const jn_stepping_state *last = &cached->stepping;
    int at = i * n->set.dimension;
    const double *p = n->set.p + at, *u = n->set.u + at, *minus = n->set.before + at;
    double t = sim->s->t, before = jn_contact_slip_speed(&n->set, minus), after = jn_contact_slip_speed(&n->set, u), rate = u[0] - x->half[at];
    if (jn_contact_jams(&n->set, i)) jn_nonsmooth_report(sim, "jam", h, t, before, after, p);
    if (what == BEGINS) {
        double forces = jn_max(x->h * n->gravity, 2 * fabs(x->half[at])); /* what they do in a step */
        bool impact = h->impacting || -h->approach > jn_max(JN_STILL, forces);
        double came = impact ? minus[0] : minus[0] - x->half[at]; /* what forces do is no approach */
        jn_nonsmooth_report(sim, impact ? "impact" : "contact", h, start_of(sim, h), came, impact ? rate : u[0], p);
    } else if (what == SEPARATES) {
        if (cached->phase != JN_PHASE_REBOUNDING)
            jn_nonsmooth_report(sim, "separation", h, jn_leapfrog_parted(sim, cached), minus[0], rate, NULL);
    } else if (what == SLIPS) {
        double when = crossing(sim, last->cone_part_before, last->cone_part, 1);
        jn_nonsmooth_report(sim, "slip", h, when, before, after, NULL);
    } else if (what == STICKS) {
        double part = jn_min(1, before / jn_max(last->slip_speed - before, before + JN_TINY));
        jn_nonsmooth_report(sim, "stick", h, t + x->h * (part - 0.5), before, after, NULL);
    }
}

void jn_leapfrog_report_contact(jn_sim *sim, int i) {
    static const jn_contact_state none;
    const jn_contact_state *cached = jn_leapfrog_cached(sim, &sim->nonsmooth->set.point[i]);
    if (!cached) cached = &none;
    report_change(sim, i, change_of(sim, i, cached), cached);
}

/* [m/s] what gravity does to a gap's rate in a step; without gravity what other forces do. */
static double fall_of(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    return n->gravity > 0 ? n->leapfrog->h * n->gravity : jn_leapfrog_press(sim, i);
}

/* Whether the impulse of a contact is that of a force that goes on: not of an impact, near by or through others, and not of a jam. At first it
 * may bear the weight of all. */
static bool lasts(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    int d = n->set.dimension;
    double p = n->set.p[i * d], falls = fall_of(sim, i);
    if (!(p > 0) || h->impacting) return false;
    if (p <= JN_LEAPFROG_LASTING_GROWTH * h->force_last * x->H) return true;
    double W = jn_contact_mobility(&n->set, i, 0);
    return x->half[i * d] - h->approach <= JN_LEAPFROG_SLOW_FALL * falls &&
           (W * p <= JN_LEAPFROG_LASTING_GROWTH * (2 * fabs(x->half[i * d]) + falls) ||
            p <= JN_LEAPFROG_WEIGHT_BORNE * x->mass * n->gravity * x->H);
}

/* Part of its friction with which a contact goes on at the next node. Slip that falls by `fall` in a step, and would turn there, ends: of the friction that slows it down, only what ends it
 * is left, and where it has ended nothing. The rest holds against other forces, and stays: slopes and piles. Contacts that share the load of a body slow it down together. */
static double friction_left(const jn_contact_set *set, int i) {
    int d = set->dimension;
    if (d == 1) return 1;
    double slip = jn_contact_slip_speed(set, set->u + i * d), fall = set->point[i].slip_last - slip;
    if (!(fall > slip)) return 1;
    double own = jn_contact_tangent_mobility(set, i) * jn_contact_slip_speed(set, set->p + i * d); /* [m/s] by its friction */
    return 1 - (fall - slip) / jn_max(own, fall);
}

/* Bodies that an impulse which does not last acts on: at the same node, their other contacts have a part in it. */
static void mark_jolted(jn_nonsmooth *n, const jn_contact_point *h) {
    for (int k = 0; k < 2; k++)
        if (h->group[k] >= 0) n->groups.group[h->group[k]].jolted = true;
}

/* Whether an impulse lasts, but the next one will be another: it has grown, or has stopped bodies, too. */
static bool is_unsteady(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    if (h->force_last > 0) return n->set.p[i * n->set.dimension] > JN_LEAPFROG_STEADY_GROWTH * h->force_last * x->H;
    return x->half[i * n->set.dimension] - h->approach > JN_LEAPFROG_STEADY_FALL * fall_of(sim, i);
}

/* Loads of the bodies of a contact, and what of them does not go on. A stop has no measure to compare with. */
static void add_load(const jn_sim *sim, int i, bool goes_on) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_point *h = &n->set.point[i];
    double p = n->set.p[i * n->set.dimension];
    bool pair = jn_pair_is(sim->m, h);
    for (int k = 0; k < 2; k++) {
        if (h->group[k] < 0) continue;
        jn_group *group = &n->groups.group[h->group[k]];
        group->load += pair ? p : 0;
        group->jolt += goes_on ? 0 : pair ? p : INFINITY;
    }
}

bool jn_group_is_unsteady(const jn_group *group) { return group->jolt > JN_LEAPFROG_STEADY_PART * group->load; }

/* Whether an impact of weight has jolted a body of the contact: what its contacts bore was a part of it. */
static bool is_struck(const jn_nonsmooth *n, const jn_contact_point *h) {
    bool any = false;
    for (int k = 0; k < 2; k++) {
        const jn_group *group = h->group[k] >= 0 ? &n->groups.group[h->group[k]] : NULL;
        any |= group && group->jolted && jn_group_is_unsteady(group);
    }
    return any;
}

static bool is_jolted(const jn_nonsmooth *n, const jn_contact_point *h) {
    bool any = false;
    for (int k = 0; k < 2; k++) any |= h->group[k] >= 0 && n->groups.group[h->group[k]].jolted;
    return any;
}

/* What floats and has a contact that does not open on the segment; where that is with the ground, or what hangs on it, it bears its island. */
static void mark_touching(jn_sim *sim, int i) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_point *h = &n->set.point[i];
    double opens = JN_STILL + JN_LEAPFROG_SLOW_FALL * n->leapfrog->h * n->gravity; /* [m/s] */
    if (!jn_pair_is(sim->m, h) || h->rebounds || n->set.u[i * n->set.dimension] > opens) return;
    for (int k = 0; k < 2; k++) {
        if (sim->m->links[h->link[k]].hangs)
            n->groups.group[h->island].grounded = true;
        else if (h->group[k] >= 0)
            n->groups.group[h->group[k]].touches = true;
    }
}

/* Whether an impulse brings a contact out of an overlap, beyond that with which it gives way: all contacts of its island have a part in it. */
static bool pushes(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double falls = x->h * n->gravity + 2 * fabs(x->half[i * n->set.dimension]); /* [m/s] what forces do in a step */
    return n->set.p[i * n->set.dimension] > 0 &&
           n->set.point[i].gap < -JN_LEAPFROG_PUSH_FALL * x->h * falls - JN_LEAPFROG_OVERLAP_ROUND_OFF - jn_compliant_overlap(sim, i);
}

/* Whether some contacts slip on the segment: jn_range_measure; 1 where one brings its bodies out of an overlap. */
static double find_slips(void *context, int from, int to) {
    jn_sim *sim = context;
    jn_contact_set *set = &sim->nonsmooth->set;
    bool any = false;
    for (int i = from; i < to; i++) {
        set->point[i].slips = slips(sim, i);
        any |= pushes(sim, i);
    }
    return any;
}

/* Which of some contacts last as far as they know: jn_range_measure; 1 where an impulse does not, or the next one will be another. */
static double find_some_lasting(void *context, int from, int to) {
    const jn_sim *sim = context;
    jn_nonsmooth *n = sim->nonsmooth;
    bool any = false;
    for (int i = from; i < to; i++) {
        jn_contact_point *h = &n->set.point[i];
        h->lasting = !n->groups.group[h->island].pushed && lasts(sim, i);
        any |= n->set.p[i * n->set.dimension] > 0 && (!h->lasting || is_unsteady(sim, i));
    }
    return any;
}

/* And what they do where others do not jolt their bodies; the force of those that an impact of weight has no part in. */
static void take_lasting_forces(void *context, int from, int to) {
    const jn_sim *sim = context;
    jn_nonsmooth *n = sim->nonsmooth;
    for (int i = from; i < to; i++) {
        jn_contact_point *h = &n->set.point[i];
        bool goes_on = h->lasting && !is_struck(n, h);
        h->lasting = h->lasting && !is_jolted(n, h);
        h->force = v3(0, 0, 0);
        if (!goes_on || !jn_pair_is(sim->m, h)) continue;
        double left = friction_left(&n->set, i);
        jn_vec3 normal = v3_scale(n->set.p[i * n->set.dimension], h->geometry.n), P = jn_contact_impulse(&n->set, n->set.p, i);
        if (left < 1) P = v3_axpy(left, v3_sub(P, normal), normal);
        h->force = v3_scale(1 / n->leapfrog->H, P);
    }
}

/* What impulses that do not go on as they are do to the bodies that they act on. */
static void mark_bodies(jn_sim *sim, int i) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_point *h = &n->set.point[i];
    if (!(n->set.p[i * n->set.dimension] > 0)) return;
    mark_touching(sim, i);
    add_load(sim, i, h->lasting && !is_unsteady(sim, i));
    if (!h->lasting) mark_jolted(n, h);
}

void jn_leapfrog_find_lasting(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_contact_set *set = &n->set;
    int posed = set->count - set->dry;
    if (set->count) jn_contact_set_velocities(set, n->leapfrog->u, set->u); /* on the segment, from here on */
    for (int g = 0; g < n->groups.count; g++) {
        jn_group *group = &n->groups.group[g];
        group->jolted = group->touches = group->grounded = group->pushed = false;
        group->load = group->jolt = 0;
    }
    bool any = jn_pool_most(sim->pool, posed, JN_SHARED_CONTACTS, find_slips, sim) > 0;
    for (int i = 0; i < posed && any; i++)
        if (pushes(sim, i)) n->groups.group[set->point[i].island].pushed = true;
    any = jn_pool_most(sim->pool, posed, JN_SHARED_CONTACTS, find_some_lasting, sim) > 0;
    for (int i = 0; i < posed && any; i++) mark_bodies(sim, i);
    jn_pool_range(sim->pool, posed, JN_SHARED_CONTACTS, take_lasting_forces, sim);
}

static void keep(const jn_sim *sim, int i, change what, jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    int d = n->set.dimension;
    const double *p = n->set.p + i * d;
    bool loaded = p[0] > 0, point = jn_pair_is(sim->m, h);
    jn_vec3 stretch = point ? jn_leapfrog_stretch(sim, i, cached) : v3(0, 0, 0);
    if (what != STAYS) take_change(sim, i, what, cached);
    if (loaded) cached->phase = h->impacting && h->rebounds ? JN_PHASE_REBOUNDING : JN_PHASE_LASTING;
    cached->stepping.force_before = cached->stepping.force;
    cached->stepping.force = loaded ? p[0] / x->H : 0;
    cached->stepping.cone_part_before = cached->stepping.cone_part, cached->stepping.cone_part = used_part(&n->set, i);
    cached->stepping.slip_speed = jn_contact_slip_speed(&n->set, n->set.u + i * d);
    cached->stepping.predicted_gap = h->gap + x->h * n->set.u[i * d];
    cached->stepping.lasting = h->lasting || (!loaded && !h->is_new && !is_jolted(n, h));
    bool sticks = loaded && n->set.mu[i] > 0 && !slides(&n->set, i) && !h->impacting;
    if (point) keep_points(sim, i, sticks, stretch, cached);
    cached->stepping.loaded = !loaded || h->impacting ? 0 : cached->stepping.loaded < 2 ? cached->stepping.loaded + 1 : 2;
    cached->stepping.impulse = jn_contact_impulse(&n->set, n->set.p, i);
    cached->stepping.stored = (float)jn_leapfrog_stored(sim, i, p);
}

static bool is_event(const jn_sim *sim, int i, change what) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    return what != STAYS || (jn_pair_is(sim->m, &set->point[i]) && jn_contact_jams(set, i));
}

bool jn_leapfrog_keep_contact(const jn_sim *sim, int i, jn_contact_state *cached) {
    change what = change_of(sim, i, cached);
    keep(sim, i, what, cached);
    return is_event(sim, i, what);
}

void jn_leapfrog_note_contact(jn_sim *sim, int i, jn_contact_state *cached) {
    change what = change_of(sim, i, cached);
    if (is_event(sim, i, what)) report_change(sim, i, what, cached);
    keep(sim, i, what, cached);
}

static bool are_of_one_pair(const jn_contact_point *h, const jn_contact_point *g) { return h->a == g->a && h->b == g->b; }

/* Of the pairs whose first contacts are in a range; stops stand behind all pairs. */
static void renew_some_anchors(void *context, int from, int to) {
    const jn_sim *sim = context;
    jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension, posed = set->count - set->dry, first = from, end;
    while (first > 0 && first < to && are_of_one_pair(&set->point[first], &set->point[first - 1])) first++;
    for (; first < to && jn_pair_is(sim->m, &set->point[first]); first = end) {
        bool changed = false;
        for (end = first; end < posed && are_of_one_pair(&set->point[end], &set->point[first]); end++) {
            bool is = set->p[end * d] > 0 && set->mu[end] > 0 && !set->point[end].slips;
            changed |= set->point[end].was_anchored != is;
        }
        for (int i = first; i < end; i++) set->point[i].anchors_change = changed;
    }
}

/* Points of one pair that stick are anchored at one configuration, so that a rigid motion can meet them all: anew where their set
 * has changed. Contacts are sorted by pairs. */
static void renew_anchors(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_pool_range(sim->pool, set->count - set->dry, JN_SHARED_CONTACTS, renew_some_anchors, sim);
}

/* A feature of a pair that bore impulses at two material points, that of the node and that of the end of the segment, is one contact for the user
 * and for the next node. */
static void join_features(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int d = set->dimension;
    for (int i = 0; i < set->count - set->dry; i++) {
        const jn_contact_point *h = &set->point[i];
        if (!h->end_point || h->feature < JN_LEAPFROG_END_FEATURE) continue;
        jn_vec3 P = jn_contact_impulse(set, set->p, i);
        for (int j = i - 1; j >= 0 && set->point[j].a == h->a && set->point[j].b == h->b; j--) {
            const jn_contact_point *same = &set->point[j];
            if (same->feature != x->end_point[h->end_point - 1].feature) continue;
            set->p[j * d] += v3_dot(P, same->geometry.n);
            for (int r = 1; r < d; r++) set->p[j * d + r] += v3_dot(P, same->t[r - 1]);
            for (int r = 0; r < d; r++) set->p[i * d + r] = 0;
        }
    }
    for (int i = 0; i < set->count - set->dry; i++) set->point[i].slips = slips(sim, i);
}

void jn_leapfrog_keep(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    double stored = jn_contacts_stored(sim);
    if (n->leapfrog->end_points) join_features(sim);
    if (n->set.count) renew_anchors(sim);
    jn_nonsmooth_note(sim, sim->s->t, n->leapfrog->h);
    sim->audit.max_compliance = jn_max(sim->audit.max_compliance, n->leapfrog->compliant_overlap);
    stored = jn_contacts_stored(sim) - stored; /* was booked as lost with the work of their impulses */
    sim->s->ledger.dissipated -= stored, sim->s->ledger.damping -= stored;
}

/* Contact laws of the momentum leapfrog: what they ask of the segment, and impacts that follow each other at a node.
 *
 *     0 <= lambda_N  orthogonal to  gamma_N + beta_N >= 0,    lambda_T in the disc mu lambda_N, opposite to gamma_T + beta_T
 *
 * with gamma = W^T u. beta_N = g/h closes the gap at the end of the segment and no further; impacts with restitution have e gamma-. A
 * contact that sticks has the distance of its material points in place of the gap; one that slides feels friction against
 * the mean of its slip before and after the node. */
#include "step/nonsmooth/leapfrog.h"

#include <float.h>
#include <string.h>

enum { BODY_VELOCITIES = 6 }; /* of a body without joints, at most */

/* From the material point of the first body to that of the second; node: poses at the node. */
static jn_vec3 apart(const jn_link_motion *node, const jn_contact_point *h, const jn_contact_state *cached) {
    const jn_link_motion *A = &node[h->link[0]], *B = &node[h->link[1]];
    return v3_sub(jn_link_to_world(B, cached->stepping.point_b), jn_link_to_world(A, cached->stepping.point_a));
}

double jn_leapfrog_press(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    return jn_max(n->leapfrog->h * n->gravity,
                  n->leapfrog->gamma_last[i * n->set.dimension] - n->leapfrog->gamma_free[i * n->set.dimension]);
}

static double size_of(jn_vec3 p) { return fabs(p.x) + fabs(p.y) + fabs(p.z); }

/* Contacts of an island up to which its problem is solved to round-off as a rule. Limbs that lie on each other have more contacts than hold them, and joints turn small distances into large loads. */
static int most_exact(const jn_nonsmooth *n, const jn_contact_point *h) {
    bool joints = false;
    for (int k = 0; k < 2; k++) joints |= h->group[k] >= 0 && n->groups.group[h->group[k]].count > BODY_VELOCITIES;
    return joints ? JN_LEAPFROG_EXACT_JOINTED : JN_LEAPFROG_STAGED_CONTACTS;
}

/* [m] distances at a contact that are none: what rounded positions have, which over a step would be velocities, 1e-13 m/s at 1 m and 1 ms; where many contacts of bodies with faces are
 * solved to the residual alone, a part of what that leaves in a step. Of redundant contacts such distances contradict each other, and walls at rest would shift their loads in every step. */
static double unresolved(const jn_sim *sim, const jn_contact_point *h) {
    if (!jn_pair_is(sim->m, h)) return 0;
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_link_motion *A = &sim->w->link[h->link[0]], *B = &sim->w->link[h->link[1]];
    double round = JN_LEAPFROG_UNRESOLVED * DBL_EPSILON * (size_of(h->geometry.pA) + size_of(A->O) + size_of(B->O));
    if (jn_leapfrog_has_ball(sim, h) || n->groups.group[h->island].contacts <= most_exact(n, h)) return round;
    return jn_max(round, JN_LEAPFROG_LEFT * jn_contact_set_residual(sim) * n->leapfrog->h);
}

static double without(double distance, double unresolved) { return fabs(distance) > unresolved ? distance : 0; }

/* [m] how far the points of a contact that sticks may be apart: in large piles of balls what the residual leaves in some steps. Contacts are anchored at different
 * times; if each asked back all that the solutions left it to creep, redundant ones would contradict each other, and slip by the residual. */
static double anchor_slack(const jn_sim *sim, const jn_contact_point *h) {
    const jn_nonsmooth *n = sim->nonsmooth;
    bool large = jn_pair_is(sim->m, h) && jn_leapfrog_has_ball(sim, h) &&
                 n->groups.group[h->island].contacts > JN_LEAPFROG_STAGED_CONTACTS;
    return large ? JN_LEAPFROG_ANCHOR_SLACK * jn_contact_set_residual(sim) * n->leapfrog->h : 0;
}

/* Brings the material points of a contact that sticks, which are s apart, back to within the slack. least [m]: smaller distances are none, see unresolved(). */
static void pose_anchor(const jn_sim *sim, const jn_contact_point *h, jn_vec3 s, double least, double *bias) {
    double slack = anchor_slack(sim, h), along[3] = {0, 0, 0};
    int d = sim->nonsmooth->set.dimension;
    for (int r = 1; r < d; r++) along[r] = v3_dot(h->t[r - 1], s);
    double away = sqrt(along[1] * along[1] + along[2] * along[2]), part = slack > 0 ? 1 - jn_min(1, slack / away) : 1;
    for (int r = 1; r < d; r++) bias[r] = part * without(along[r], least) / sim->nonsmooth->leapfrog->h;
}

/* compressed [m]: what its spring bears of its overlap. */
static double fastest_exit(const jn_sim *sim, int i, double compressed) {
    const jn_nonsmooth *n = sim->nonsmooth;
    double last = n->leapfrog->gamma_last[i * n->set.dimension], spring = compressed / n->leapfrog->h;
    return -jn_max(0, jn_max(-n->set.point[i].approach, -last)) - 0.5 * n->leapfrog->h * n->gravity - spring;
}

double jn_leapfrog_fastest_exit(const jn_sim *sim, int i) {
    return fastest_exit(sim, i, jn_leapfrog_compressed(sim, i));
}

/* A gap closes with the segment, but for what the motion bends it by, as in the last step. What overlaps, or would, leaves no faster than it
 * came; what its spring bears of the overlap pushes as the spring does. least [m]: as above. */
static double close_gap(const jn_sim *sim, int i, double bend, double least) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    double fall = 0.5 * x->h * sim->nonsmooth->gravity, came = jn_max(0, -h->approach), bent = without(bend, least);
    double compressed = 0, held = 0;
    if (x->pile > 0) compressed = jn_leapfrog_compressed(sim, i), held = jn_leapfrog_held(sim, i);
    double gap = without(h->gap + held + compressed, least);
    double aim = jn_max(gap / x->h, -came - fall) + (bent - compressed) / x->h;
    return jn_max(aim, fastest_exit(sim, i, compressed) + jn_min(0, bent) / x->h);
}

double jn_leapfrog_close_gap(const jn_sim *sim, int i) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    return close_gap(sim, i, h->bends, unresolved(sim, h));
}

/* [m/s] an impact that would leave slower than this comes to rest: what forces do in a step. Elastic ones never come to rest. */
static double rest_speed(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    bool pressed = cached && cached->stepping.lasting && cached->stepping.force > 0;
    double bend = h->enclosed && !pressed ? 0 : fabs(h->bend); /* what comes obliquely onto a hollow rebounds from it */
    return jn_max(-2 * x->half[i * n->set.dimension], pressed || e < 1 ? jn_leapfrog_press(sim, i) + bend / x->h : 0);
}

static bool bounces(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double before = n->set.before[i * n->set.dimension], free = x->gamma_free[i * n->set.dimension];
    bool closes = before < 0 && n->set.point[i].gap + x->h * free <= 0;
    return e > 0 && closes && -e * before > rest_speed(sim, i, e, cached);
}

/* Coefficient of friction: of what sticks, or of what slides. A new contact sticks if it comes without slip, as bodies that start at rest do. */
static double friction_of(const jn_sim *sim, int i, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_contact_desc *row = &sim->m->contacts[n->set.point[i].row];
    double mu = row->friction > 0 ? row->friction : 0;
    if (!(row->stick > mu)) return mu;
    if (cached && cached->stepping.force > 0) return cached->slip != JN_SLIP_SLIPPING ? row->stick : mu;
    double minus[3];
    jn_contact_velocities_one(&n->set, i, n->leapfrog->minus, minus);
    return jn_contact_slip_speed(&n->set, minus) <= JN_STILL ? row->stick : mu;
}

/* [m/s] slip of a contact that rolls counts in the middle of the segment, where its rows have moved on by half of what they did on the last one. */
static double middle_of_roll(const jn_sim *sim, int i, int r, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    double end = n->leapfrog->gamma_last[i * n->set.dimension + r];
    return 0.5 * jn_past_ratio(sim) * (end - v3_dot(n->set.point[i].t[r - 1], cached->stepping.slip_start));
}

/* What friction and tangential restitution ask of a contact, into bias. least [m]: as above. */
static void pose_friction(const jn_sim *sim, int i, const jn_contact_state *cached, double e_T, double least,
                          double *bias) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    int d = n->set.dimension;
    const double *half = x->half + i * d, *before = n->set.before + i * d;
    double minus[3] = {0, 0, 0}; /* at the end of the last segment */
    for (int r = 1; r < d; r++) minus[r] = before[r] - half[r], bias[r] = e_T > 0 ? e_T * before[r] - half[r] : 0;
    if (!cached || h->impacting || !jn_pair_is(sim->m, h) || !(n->set.mu[i] > 0)) return;
    if (cached->stepping.anchored) {
        jn_vec3 s = apart(sim->w->link, h, cached);
        double ratio = jn_past_ratio(sim);
        if (cached->stepping.lasting) /* misses its aim as in the last step */
            s = v3_axpy(ratio * ratio, v3_sub(s, cached->stepping.predicted_shift), s);
        pose_anchor(sim, h, s, least, bias);
    } else if (cached->stepping.force > 0) {
        double most = n->set.mu[i] * cached->stepping.force * x->H * jn_contact_tangent_mobility(&n->set, i); /* [m/s] by friction */
        bool slides = cached->slip == JN_SLIP_SLIPPING && jn_contact_slip_speed(&n->set, minus) > JN_LEAPFROG_SLIDES_ON * most;
        jn_vec3 stretch = jn_leapfrog_stretch(sim, i, cached);
        for (int r = 1; r < d; r++) { /* what does not slide on rolls, or begins to */
            bias[r] = slides ? minus[r] : cached->stepping.lasting ? middle_of_roll(sim, i, r, cached) : 0;
            bias[r] += v3_dot(h->t[r - 1], stretch) / x->h;
        }
    }
}

/* A contact with restitution that is open and does not close by itself waits if its island has impacts: what they bring together impacts
 * afterwards. In a pile that loses most of its energy in impacts it closes its gap at once, with the others. */
static bool waits(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_group *island = &n->groups.group[n->set.point[i].island];
    if (!(e > 0)) return false;
    bool pressed = cached && cached->stepping.lasting && cached->stepping.force > 0;
    if (pressed || !island->impacts || (island->contacts > JN_LEAPFROG_STAGED_CONTACTS && e < JN_LEAPFROG_LIVELY))
        return false;
    return n->set.point[i].gap > JN_LEAPFROG_WAITS_GAP &&
           n->set.point[i].gap + x->h * x->gamma_free[i * n->set.dimension] > 0;
}

static double restitution_of(const jn_sim *sim, const jn_contact_point *h) {
    double e = jn_pair_is(sim->m, h) ? sim->m->contacts[h->row].restitution : 0;
    return e > 0 ? e : 0;
}

/* With restitution, but no faster than it came, even out of an overlap. */
void jn_leapfrog_pose_rebound(jn_sim *sim, int i) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_contact_point *h = &n->set.point[i];
    int at = i * n->set.dimension;
    double factor = n->groups.group[h->island].bounce.factor, half = n->leapfrog->half[at];
    double rebound = restitution_of(sim, h) * factor * h->approach;
    double least = unresolved(sim, h), way = jn_max(close_gap(sim, i, h->bends, least) + half, h->approach);
    double e_T = jn_pair_is(sim->m, h) ? jn_max(0, sim->m->contacts[h->row].tangential_restitution) : 0;
    h->rebounds = rebound <= way;
    jn_leapfrog_pose_compliance(sim, i);
    n->leapfrog->bias[at] = jn_min(rebound, way) - half;
    pose_friction(sim, i, jn_leapfrog_cached(sim, h), e_T * factor, least, n->leapfrog->bias + at);
}

bool jn_leapfrog_pose_impact(jn_sim *sim, int i) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_contact_point *h = &n->set.point[i];
    const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
    double e = restitution_of(sim, h), before = n->set.before[i * n->set.dimension];
    if (!(e > 0 && before < 0 && -e * before > rest_speed(sim, i, e, cached))) return false;
    h->impacting = n->groups.group[h->island].impacts = true;
    jn_leapfrog_pose_rebound(sim, i);
    return true;
}

void jn_leapfrog_pose_closing(jn_sim *sim, int i) {
    jn_contact_point *h = &sim->nonsmooth->set.point[i];
    h->impacting = false;
    jn_leapfrog_pose_compliance(sim, i);
    sim->nonsmooth->leapfrog->bias[i * sim->nonsmooth->set.dimension] = jn_leapfrog_close_gap(sim, i);
    jn_leapfrog_pose_earlier(sim, i);
}

/* What is asked of the last node after the solution. */
static void take_last(const jn_contact_state *cached, jn_contact_point *h) {
    const jn_stepping_state *last = &cached->stepping;
    h->force_last = last->loaded == 2 ? jn_min(last->force, last->force_before) : 0;
    h->slip_last = last->slip_speed, h->was_anchored = last->anchored;
}

/* Bends of some contacts, and which of them are impacting: jn_range_measure; 1 where one is. */
static double find_impacting(void *context, int from, int to) {
    jn_sim *sim = context;
    bool any = false;
    for (int i = from; i < to; i++) {
        jn_contact_point *h = &sim->nonsmooth->set.point[i];
        const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
        if (cached) take_last(cached, h);
        if (!jn_pair_is(sim->m, h)) continue; /* stops are straight, and have no restitution */
        bool passes = jn_bend_find(sim, i, cached);
        h->impacting = !passes && bounces(sim, i, restitution_of(sim, h), cached);
        any |= h->impacting;
    }
    return any;
}

/* The laws of some contacts; their islands know whether they have impacts. */
static void pose_some(void *context, int from, int to) {
    jn_sim *sim = context;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    for (int i = from; i < to; i++) {
        jn_contact_point *h = &n->set.point[i];
        const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
        h->approach = n->set.before[i * d];
        h->waits = waits(sim, i, restitution_of(sim, h), cached);
        jn_leapfrog_pose_compliance(sim, i);
        if (h->waits) {
            x->bias[i * d] = JN_LEAPFROG_FAR_OPEN * x->swiftest;
            continue;
        }
        bool rough = jn_pair_is(sim->m, h) && n->set.mu[i] > 0;
        if (rough) n->set.mu[i] = jn_min(friction_of(sim, i, cached), JN_CONTACT_FRICTION_MOST);
        if (h->impacting) {
            jn_leapfrog_pose_rebound(sim, i);
            continue;
        }
        double least = unresolved(sim, h);
        x->bias[i * d] = close_gap(sim, i, h->bends, least);
        if (rough) pose_friction(sim, i, cached, 0, least, x->bias + i * d); /* else it is 0 */
        jn_leapfrog_pose_earlier(sim, i);
    }
}

/* What the laws add to the velocities of all contacts, from those before the node's impulses and those with its forces. */
static void pose_laws(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int posed = n->set.count - n->set.dry;
    jn_pool *pool = x->has_hollows ? NULL : sim->pool; /* bends in hollows need scratch of all velocities */
    memset(x->bias, 0, (size_t)(n->set.count * n->set.dimension) * sizeof *x->bias);
    for (int g = 0; g < n->groups.count; g++) n->groups.group[g].impacts = false;
    jn_leapfrog_begin_bounds(sim, true);
    bool passing = false;
    for (int i = 0; i < posed && !passing; i++) passing = jn_bend_may_pass(sim, i, jn_leapfrog_cached(sim, &n->set.point[i]));
    if (x->has_hollows || passing) jn_bias_accelerations(sim->m, sim->w);
    bool any = jn_pool_most(pool, posed, JN_SHARED_CONTACTS, find_impacting, sim) > 0;
    for (int i = 0; i < posed && any; i++)
        if (n->set.point[i].impacting) n->groups.group[n->set.point[i].island].impacts = true;
    jn_pool_range(sim->pool, posed, JN_SHARED_CONTACTS, pose_some, sim);
    jn_dry_anchor(sim);
}

/* Whether the bend of a contact is so large that another one may be worth a solution: by turns bends become smaller, and stay on their side. */
static bool bend_may_change(const jn_sim *sim, const jn_contact_point *h) {
    if (!jn_pair_is(sim->m, h) || h->impacting || h->waits || h->bend == 0) return false;
    if (sim->nonsmooth->leapfrog->end_points && h->end_point) return false;
    double most = h->balls ? h->bends : h->enclosed ? INFINITY : fabs(h->bend); /* those of balls are never negative */
    return !(most <= jn_bend_allowed(sim, h));
}

/* Of some contacts: jn_range_measure; 1 where one changes. */
static double scale_some_bends(void *context, int from, int to) {
    jn_sim *sim = context;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    bool any = false;
    for (int i = from; i < to; i++) {
        jn_contact_point *h = &n->set.point[i];
        if (!bend_may_change(sim, h)) continue;
        double left = jn_bend_now(sim, i), allowed = jn_bend_allowed(sim, h);
        if (!((h->balls || h->enclosed ? h->bends - left : fabs(left - h->bends)) > allowed)) continue;
        double least = unresolved(sim, h);
        x->bias[i * d] += close_gap(sim, i, left, least) - close_gap(sim, i, h->bends, least), h->bends = left;
        any = true;
    }
    return any;
}

bool jn_leapfrog_scale_bends(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    int posed = set->count - set->dry, first = 0;
    while (first < posed && !bend_may_change(sim, &set->point[first])) first++;
    if (first == posed) return false;
    jn_bends_sum_turns(sim, true);
    return jn_pool_most(sim->pool, posed, JN_SHARED_CONTACTS, scale_some_bends, sim) > 0;
}

void jn_leapfrog_note_impulses(jn_sim *sim) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->found_count = 0;
    if (x->stage > 0) return; /* they are the sum of several impacts */
    for (int i = 0; i < set->count - set->dry; i++) {
        jn_found_impulse *to = &x->found[x->found_count++];
        *to = (jn_found_impulse){set->point[i].a, set->point[i].b, set->point[i].feature, {0}};
        memcpy(to->p, set->p + i * set->dimension, (size_t)set->dimension * sizeof *to->p);
    }
}

static bool is_before(const jn_found_impulse *f, const jn_contact_point *h) {
    return f->a != h->a ? f->a < h->a : f->b != h->b ? f->b < h->b : f->feature < h->feature;
}

/* A solution that missed contacts is a better guess than the last step's. Both are sorted. */
static void guess_from_found(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_found_impulse *f = x->found, *end = f + x->found_count;
    for (int i = 0; i < set->count - set->dry; i++) {
        const jn_contact_point *h = &set->point[i];
        while (f < end && is_before(f, h)) f++;
        bool same = f < end && f->a == h->a && f->b == h->b && f->feature == h->feature;
        if (same) memcpy(set->p + i * set->dimension, f->p, (size_t)set->dimension * sizeof *f->p);
    }
}

/* What half of the node's forces adds to the velocities of some contacts, and these after it: jn_range_measure; the fastest without contacts. */
static double take_half(void *context, int from, int to) {
    jn_sim *sim = context;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int d = sim->nonsmooth->set.dimension;
    double *before = sim->nonsmooth->set.before, most = 0;
    for (int i = from * d; i < to * d; i++) {
        x->half[i] = 0.5 * (x->gamma_free[i] - before[i]);
        before[i] += x->half[i];
        most = jn_max(most, fabs(x->gamma_free[i]));
    }
    return most;
}

void jn_leapfrog_pose(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    x->stage = x->bounded = 0, x->swiftest = 1, x->dropped = 0, x->jams = x->apart = false;
    jn_contact_set_multiply_three(&n->set, (const double *const[]){x->minus, x->free, x->last},
                                  (double *const[]){n->set.before, x->gamma_free, x->gamma_last});
    jn_contact_set_add_surfaces(&n->set, n->set.before);
    jn_contact_set_add_surfaces(&n->set, x->gamma_free);
    jn_contact_set_add_surfaces(&n->set, x->gamma_last);
    x->swiftest = jn_max(1, jn_pool_most(sim->pool, n->set.count, JN_SHARED_CONTACTS, take_half, sim));
    if (!sim->contacts) jn_velocities_of(sim->m, sim->w, x->last, x->V_last);
    jn_bends_sum_turns(sim, false);
    jn_bends_take_end(sim);
    pose_laws(sim);
    jn_contact_set_guess(&n->set, sim);
    jn_dry_guess(sim, x->H);
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        if (n->set.point[i].cached >= 0 && !n->set.point[i].impacting) continue;
        for (int r = 0; r < d; r++) n->set.p[i * d + r] *= 0; /* those of an impact do not last; others are forces times a time */
    }
    if (x->found_count) guess_from_found(sim);
    jn_sleep_keep_impulses(sim);
}

bool jn_leapfrog_next_stage(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    bool closes = false;
    for (int i = 0; i < n->set.count - n->set.dry && !closes; i++) closes = n->set.point[i].waits;
    if (!closes || x->stage >= JN_LEAPFROG_STAGES_MOST) return false;
    jn_leapfrog_find_gains(sim);
    closes = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++)
        closes |= n->set.point[i].waits && n->set.point[i].gap + x->h * (n->set.u[i * d] + x->half[i * d]) < 0;
    if (!closes) return false;
    if (x->stage++ == 0) memset(x->earlier, 0, (size_t)(n->set.count * d) * sizeof *x->earlier);
    for (int i = 0; i < n->set.count; i++)
        n->set.point[i].impacted = (x->stage > 1 && n->set.point[i].impacted) || n->set.point[i].impacting;
    jn_leapfrog_book_contacts(sim);
    jn_contact_set_force(&n->set, n->set.p, x->base);
    for (int i = 0; i < n->set.count * d; i++) {
        x->earlier[i] += n->set.p[i], n->set.p[i] = 0;
        n->set.before[i] = n->set.u[i], x->gamma_free[i] = n->set.u[i] + x->half[i];
    }
    x->apart = true;
    pose_laws(sim);
    return true;
}

void jn_leapfrog_join_stages(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    if (x->stage == 0) return;
    jn_leapfrog_forget_earlier(sim);
    for (int i = 0; i < n->set.count; i++) n->set.point[i].impacting |= n->set.point[i].impacted;
    for (int i = 0; i < n->set.count * n->set.dimension; i++) n->set.p[i] += x->earlier[i];
    x->apart = false;
}

void jn_leapfrog_note_smooth(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    for (int g = 0; g < n->groups.count; g++) n->groups.group[g].impacted = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        const jn_contact_point *h = &n->set.point[i];
        bool impacted = n->leapfrog->stage > 0 && h->impacted;
        if (!impacted && (!(n->set.p[i * n->set.dimension] > 0) || !(h->impacting || h->is_new))) continue;
        for (int k = 0; k < 2; k++)
            if (h->group[k] >= 0) n->groups.group[h->group[k]].impacted = true;
    }
}

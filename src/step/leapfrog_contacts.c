/* Contacts of the momentum leapfrog: which may act at a node, what their laws ask of the segment, and what the state keeps of them.
 *
 *     0 <= lambda_N  orthogonal to  gamma_N + beta_N >= 0,    lambda_T in the disc mu lambda_N, opposite to gamma_T + beta_T
 *
 * with gamma = W^T u. beta_N = g/h closes the gap at the end of the segment and no further; impacts with restitution have e gamma-. A
 * contact that sticks has the distance of its material points in place of the gap; one that slides feels friction against
 * the mean of its slip before and after the node. */
#include "step/leapfrog.h"

#include "reaction/clearance.h"

#include <string.h>

#define WAITS 1e-12    /* [m] contacts with a larger gap may strike one after the other at a node */
#define ROUNDED 1e-12  /* [m] overlaps so small are round-off */
#define FAR_OPEN 100.0 /* times the fastest contact velocity: keeps a contact open */
enum { MOST_STAGES = 60, STAGED = 64 }; /* contacts of an island up to which impacts follow each other at a node */

/* ------------------------------------------------------------------------------------------------------ which contacts */

/* Of the point of a body where a contact is. */
static jn_vec3 velocity_at(const jn_sim *sim, const jn_touch *t, int link, const jn_twist *V) {
    return link ? tw_shift(V[link], v3_sub(t->pA, sim->w->link[link].O)).v : v3(0, 0, 0);
}

static double gap_rate(const jn_sim *sim, const jn_touch *t, int A, int B, const jn_twist *V) {
    const jn_link_motion *link = sim->w->link;
    jn_vec3 a = A ? tw_shift(V[A], v3_sub(t->pA, link[A].O)).v : v3(0, 0, 0);
    jn_vec3 b = B ? tw_shift(V[B], v3_sub(t->pB, link[B].O)).v : v3(0, 0, 0);
    return v3_dot(v3_sub(b, a), t->n);
}

/* Speed with which bodies meet on the segment, the largest: such an impact may throw others together. */
static double fastest_impact(const jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_scan *scan = sim->contacts->scan;
    const jn_near *pairs = jn_scan_pair(scan, 0);
    const jn_touch *points = jn_scan_touch(scan, 0);
    double most = 0;
    for (int p = 0, n = jn_scan_pairs(scan); p < n; p++) {
        int A = sim->m->solids[pairs[p].a].link, B = sim->m->solids[pairs[p].b].link;
        for (int k = pairs[p].first; k < pairs[p].first + pairs[p].count; k++) {
            double rate = gap_rate(sim, points + k, A, B, x->V_free);
            if (points[k].gap + x->h * rate < 0 && -rate > most) most = -rate;
        }
    }
    return most;
}

/* Whether a gap may close on the segment, if others are thrown about with the speed `fast`. */
static bool may_act(const jn_leapfrog *x, double gap, double minus, double free, double fast, double gravity) {
    double closing = jn_min(jn_min(minus, free), 0);
    return gap + x->h * closing <= x->h * (2 * fast + 0.5 * fabs(minus) + x->h * gravity);
}

static int add_contact(jn_sim *sim, jn_contact_point held) {
    jn_contact_set *set = &sim->nonsmooth->set;
    if (set->count == set->room)
        return jn_sim_fail(sim, JN_ERR_LIMIT, "there are more contact points at t = %.9g s than there is room for", sim->s->t);
    set->point[set->count++] = held;
    return JN_OK;
}

static void find_cached(const jn_sim *sim, jn_contact_point *h) {
    const jn_contact_state *cached = jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
    h->is_new = !cached, h->cached = cached ? (int)(cached - sim->s->contact) : -1;
}

static int choose_points(jn_sim *sim, bool *rough) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_model *m = sim->m;
    const jn_scan *scan = sim->contacts->scan;
    const jn_near *pairs = jn_scan_pair(scan, 0);
    const jn_touch *points = jn_scan_touch(scan, 0);
    double fast = jn_max(fastest_impact(sim), x->thrown);
    for (int p = 0, count = jn_scan_pairs(scan); p < count; p++) {
        const jn_near *pair = pairs + p;
        int row = -1, first = n->set.count, A = m->solids[pair->a].link, B = m->solids[pair->b].link;
        for (int k = pair->first; k < pair->first + pair->count; k++) {
            const jn_touch *point = points + k;
            double minus = gap_rate(sim, point, A, B, x->V_minus), free = gap_rate(sim, point, A, B, x->V_free);
            if (!may_act(x, point->gap, minus, free, fast, n->gravity)) continue;
            if (row < 0) row = jn_model_contact_of(m, pair->a, pair->b);
            jn_contact_point h = {.a = pair->a, .b = pair->b, .feature = point->feature, .row = row, .geometry = *point};
            h.gap = point->gap, h.approach = minus;
            find_cached(sim, &h);
            jn_contact_point_tangents(sim, &h);
            *rough |= m->contacts[row].friction > 0;
            int status = add_contact(sim, h);
            if (status < 0) return status;
        }
        if (n->set.count > first + 1) jn_contact_sort_features(n->set.point + first, n->set.count - first);
    }
    return JN_OK;
}

static int choose_stops(jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_model *m = sim->m;
    for (int k = 0; k < m->stop_count; k++)
        for (int side = 0; side < 2; side++) {
            const jn_stop *s = &m->stops[k];
            double q = sim->w->position[s->handle], gap = side ? s->upper - q : q - s->lower, sign = side ? -1 : 1;
            if (isinf(gap)) continue;
            double minus = sign * jn_handle_row_dot(m, sim->w, s->handle, x->minus);
            double free = sign * jn_handle_row_dot(m, sim->w, s->handle, x->free);
            if (!may_act(x, gap, minus, free, jn_max(fabs(minus), fabs(free)), 0)) continue;
            jn_contact_point h = {.a = m->solid_count + k, .b = side, .row = m->contact_count, .gap = gap, .approach = minus};
            h.geometry.n = v3(1, 0, 0), h.t[0] = v3(0, 1, 0), h.t[1] = v3(0, 0, 1), h.geometry.gap = gap;
            find_cached(sim, &h);
            int status = add_contact(sim, h);
            if (status < 0) return status;
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
        jn_seams_pass(sim);
        jn_velocities_of(sim->m, sim->w, x->minus, x->V_minus);
        jn_velocities_of(sim->m, sim->w, x->free, x->V_free);
        status = choose_points(sim, &rough);
    }
    n->set.dimension = !rough ? 1 : sim->m->planar ? 2 : 3;
    if (status >= 0) status = choose_stops(sim);
    if (status >= 0) status = jn_dry_choose(sim);
    if (status >= 0) jn_islands_find(sim), jn_sleep_wake(sim);
    return status;
}

/* ------------------------------------------------------------------------------------------------------------- the laws */

static const jn_contact_state *cached_of(const jn_sim *sim, const jn_contact_point *h) {
    return h->is_new ? NULL : &sim->s->contact[h->cached];
}

static jn_vec3 to_world(const jn_link_motion *B, jn_vec3 p) { return v3_add(B->O, m3_mul_v(&B->R, p)); }

static jn_vec3 to_link(const jn_link_motion *B, jn_vec3 p) { return m3_tmul_v(&B->R, v3_sub(p, B->O)); }

/* From the material point of the first body to that of the second; node: poses at the node. */
static jn_vec3 apart(const jn_sim *sim, const jn_link_motion *node, const jn_contact_point *h, const jn_contact_state *cached) {
    const jn_link_motion *A = &node[sim->m->solids[h->a].link], *B = &node[sim->m->solids[h->b].link];
    return v3_sub(to_world(B, cached->stepping.point_b), to_world(A, cached->stepping.point_a));
}

/* [m/s] rate of a gap at the end of the last segment. */
static double rate_before(const jn_sim *sim, int i) {
    double rate[3];
    jn_contact_multiply_one(&sim->nonsmooth->set, i, sim->nonsmooth->leapfrog->last, rate);
    return rate[0];
}

/* [m/s] what all but contacts do to a gap's rate in a step, towards each other; at least as much as gravity. */
static double press(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    return jn_max(n->leapfrog->h * n->gravity, rate_before(sim, i) - n->leapfrog->gamma_free[i * n->set.dimension]);
}

/* [rad^2/s^2] squares of the turns of a body's group on the last segment. */
static double turns_of(const jn_sim *sim, int link) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    return link ? groups->group[groups->of[link]].turned : 0;
}

/* [m] what the motion bent the gap by on the last segment: the linear prediction missed it. More than turns and curved bodies can do is
 * the gap of another point. */
static double last_bend(const jn_sim *sim, const jn_contact_point *h, const jn_contact_state *cached) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (!cached || !jn_pair_is(sim->m, h)) return 0;
    int A = sim->m->solids[h->a].link, B = sim->m->solids[h->b].link;
    double bend = h->gap - cached->stepping.predicted_gap, turns = sqrt(turns_of(sim, A) + turns_of(sim, B));
    double speed = v3_norm(v3_sub(velocity_at(sim, &h->geometry, B, x->V_last), velocity_at(sim, &h->geometry, A, x->V_last)));
    double most = x->h * x->h * (turns + speed / x->size) * (speed + turns * x->reach);
    return fabs(bend) <= most ? bend : 0;
}

double jn_leapfrog_fastest_exit(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    return -jn_max(0, jn_max(-n->set.point[i].approach, -rate_before(sim, i))) - 0.5 * n->leapfrog->h * n->gravity;
}

/* A gap closes with the segment, but for what the motion bends it by, as in the last step. What overlaps, or would, leaves no faster than it
 * came. */
static double close_gap(const jn_sim *sim, int i) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    double fall = 0.5 * x->h * sim->nonsmooth->gravity, came = jn_max(0, -h->approach);
    double aim = jn_max(h->gap / x->h, -came - fall) + h->bend / x->h;
    return jn_max(aim, jn_leapfrog_fastest_exit(sim, i));
}

/* [m/s] an impact that would leave slower than this comes to rest: what forces do in a step. Elastic ones never come to rest. */
static double rest_speed(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    bool pressed = cached && cached->stepping.lasting && cached->stepping.force > 0;
    return jn_max(-2 * x->half[i * n->set.dimension], pressed || e < 1 ? press(sim, i) + fabs(last_bend(sim, &n->set.point[i], cached)) / x->h : 0);
}

static bool bounces(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double before = n->set.before[i * n->set.dimension], free = x->gamma_free[i * n->set.dimension];
    bool closes = before < 0 && n->set.point[i].gap + x->h * free <= 0;
    return e > 0 && closes && -e * before > rest_speed(sim, i, e, cached);
}

/* Coefficient of friction: of what sticks, or of what slides. */
static double friction_of(const jn_contact_desc *row, const jn_contact_state *cached) {
    double mu = row->friction > 0 ? row->friction : 0;
    bool sticks = cached && cached->stepping.force > 0 && cached->slip != JN_SLIP_SLIPPING;
    return sticks && row->stick > mu ? row->stick : mu;
}

static void pose_friction(const jn_sim *sim, int i, const jn_contact_state *cached, double e_T, double *bias) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    int d = n->set.dimension;
    const double *half = x->half + i * d, *before = n->set.before + i * d;
    double minus[3] = {0, 0, 0}; /* at the end of the last segment */
    for (int r = 1; r < d; r++) minus[r] = before[r] - half[r], bias[r] = e_T > 0 ? e_T * before[r] - half[r] : 0;
    if (!cached || h->impacting || !jn_pair_is(sim->m, h) || !(n->set.mu[i] > 0)) return;
    if (cached->stepping.anchored) {
        jn_vec3 s = apart(sim, sim->w->link, h, cached);
        if (cached->stepping.lasting) s = v3_add(s, v3_sub(s, cached->stepping.predicted_shift)); /* misses its aim as in the last step */
        for (int r = 1; r < d; r++) bias[r] = v3_dot(h->t[r - 1], s) / x->h;
    } else if (cached->slip != JN_SLIP_SLIPPING && cached->stepping.lasting && cached->stepping.force > 0) {
        /* it rolls: slip counts in the middle of the segment, where the rows have moved on as much as they did in the last one */
        double end[3];
        jn_contact_multiply_one(&n->set, i, x->last, end);
        for (int r = 1; r < d; r++) bias[r] = 0.5 * (end[r] - v3_dot(h->t[r - 1], cached->stepping.slip_start));
    } else if (cached->slip == JN_SLIP_SLIPPING && cached->stepping.force > 0) {
        double slip = d > 2 ? jn_hypot(minus[1], minus[2]) : fabs(minus[1]), W = 0;
        for (int r = 1; r < d; r++) {
            double own = 0;
            for (int k = n->set.start[i]; k < n->set.start[i + 1]; k++) own += n->set.V[k * d + r] * n->set.Y[k * d + r];
            W = jn_max(W, own);
        }
        if (slip > 4 * n->set.mu[i] * cached->stepping.force * x->H * W)
            for (int r = 1; r < d; r++) bias[r] = minus[r];
    }
}

/* A contact with restitution that is open and does not close by itself waits if its island has impacts: what they throw together strikes
 * afterwards. In a pile it closes its gap at once, with the others. */
static bool waits(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_group *island = &n->groups.group[jn_island_of(sim, &n->set.point[i])];
    bool pressed = cached && cached->stepping.lasting && cached->stepping.force > 0;
    return e > 0 && !pressed && island->impacts && island->contacts <= STAGED && n->set.point[i].gap > WAITS && n->set.point[i].gap + x->h * x->gamma_free[i * n->set.dimension] > 0;
}

static double restitution_of(const jn_sim *sim, const jn_contact_point *h) {
    double e = jn_pair_is(sim->m, h) ? sim->m->contacts[h->row].restitution : 0;
    return e > 0 ? e : 0;
}

/* What the laws add to the velocities of all contacts, from those before the node's impulses and those with its forces. */
static void pose_laws(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    memset(x->bias, 0, (size_t)(n->set.count * d) * sizeof *x->bias);
    for (int g = 0; g < sim->m->link_count; g++) n->groups.group[g].impacts = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        jn_contact_point *h = &n->set.point[i];
        h->impacting = bounces(sim, i, restitution_of(sim, h), cached_of(sim, h));
        if (h->impacting) n->groups.group[jn_island_of(sim, h)].impacts = true;
    }
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        jn_contact_point *h = &n->set.point[i];
        const jn_contact_state *cached = cached_of(sim, h);
        const jn_contact_desc *row = &sim->m->contacts[h->row];
        bool point = jn_pair_is(sim->m, h);
        double e = restitution_of(sim, h);
        h->approach = n->set.before[i * d];
        h->waits = waits(sim, i, e, cached);
        if (h->waits) {
            x->bias[i * d] = FAR_OPEN * x->swiftest;
            continue;
        }
        if (point && n->set.mu[i] > 0) n->set.mu[i] = jn_min(friction_of(row, cached), 1e3);
        h->bend = h->bends = last_bend(sim, h, cached);
        double gap = close_gap(sim, i);
        if (h->impacting) /* no faster than it came, even out of an overlap */
            gap = jn_min(e * h->approach, jn_max(gap + x->half[i * d], h->approach)) - x->half[i * d];
        x->bias[i * d] = gap;
        double e_T = point && h->impacting && row->tangential_restitution > 0 ? row->tangential_restitution : 0;
        pose_friction(sim, i, cached, e_T, x->bias + i * d);
    }
}

/* Turns of the groups on the last segment, squared, and with those of this one. */
static void sum_turns(jn_sim *sim, bool now) {
    const jn_model *m = sim->m;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < m->link_count; g++) *(now ? &groups->group[g].turns : &groups->group[g].turned) = 0;
    for (int i = 1; i < m->link_count; i++) {
        jn_group *g = &groups->group[groups->of[i]];
        if (now) g->turns += v3_dot(x->V_last[i].w, x->segment[i].w);
        else g->turned += v3_dot(x->V_last[i].w, x->V_last[i].w);
    }
}

/* Part of the bends of the last segment that is left where a group turns with other velocities: they go with their squares. */
static double bends_left(const jn_sim *sim, int link) {
    const jn_group *g = &sim->nonsmooth->groups.group[sim->nonsmooth->groups.of[link]];
    double part = g->turned > 0 ? g->turns / g->turned : 1;
    return link ? jn_min(1, part * part) : 1;
}

bool jn_leapfrog_scale_bends(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    bool any = false;
    sum_turns(sim, true);
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        jn_contact_point *h = &n->set.point[i];
        if (!jn_pair_is(sim->m, h) || h->impacting || h->waits || h->bend == 0) continue;
        double left = h->bend * jn_min(bends_left(sim, sim->m->solids[h->a].link), bends_left(sim, sim->m->solids[h->b].link));
        double change = (left - h->bends) / x->h;
        if (fabs(change) < 0.1 * x->h * n->gravity) continue;
        x->bias[i * d] += change, h->bends = left;
        any = true;
    }
    return any;
}

void jn_leapfrog_pose(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    x->stage = 0, x->swiftest = 1;
    jn_contact_set_multiply(&n->set, x->minus, n->set.before);
    jn_contact_set_multiply(&n->set, x->free, x->gamma_free);
    for (int i = 0; i < n->set.count * d; i++) {
        x->half[i] = 0.5 * (x->gamma_free[i] - n->set.before[i]);
        n->set.before[i] += x->half[i];
        x->swiftest = jn_max(x->swiftest, fabs(x->gamma_free[i]));
    }
    for (int k = 0; k < sim->m->nv; k++) x->last[k] = jn_past_velocity(sim, k)[0];
    jn_velocities_of(sim->m, sim->w, x->last, x->V_last);
    sum_turns(sim, false);
    pose_laws(sim);
    jn_contact_set_guess(&n->set, sim);
    jn_dry_guess(sim, x->H);
    for (int i = 0; i < n->set.count - n->set.dry; i++) { /* those of an impact do not last; others are forces times a time */
        const jn_contact_state *cached = cached_of(sim, &n->set.point[i]);
        double scale = cached && !n->set.point[i].impacting ? 1 : 0;
        for (int r = 0; r < d; r++) n->set.p[i * d + r] *= scale;
    }
    jn_sleep_keep_impulses(sim);
}

/* ---------------------------------------------------------------------------------------------------- after the solution */

bool jn_leapfrog_next_stage(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    bool closes = false;
    for (int i = 0; i < n->set.count - n->set.dry && !closes; i++) closes = n->set.point[i].waits;
    if (!closes || x->stage >= MOST_STAGES) return false;
    jn_leapfrog_find_jump(sim);
    closes = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++)
        closes |= n->set.point[i].waits && n->set.point[i].gap + x->h * (n->set.u[i * d] + x->half[i * d]) < 0;
    if (!closes) return false;
    if (x->stage++ == 0) memset(x->earlier, 0, (size_t)(n->set.count * d) * sizeof *x->earlier);
    for (int i = 0; i < n->set.count; i++) n->set.point[i].impacted = (x->stage > 1 && n->set.point[i].impacted) || n->set.point[i].impacting;
    jn_leapfrog_book_contacts(sim);
    jn_contact_set_force(&n->set, n->set.p, x->base);
    for (int i = 0; i < n->set.count * d; i++) {
        x->earlier[i] += n->set.p[i], n->set.p[i] = 0;
        n->set.before[i] = n->set.u[i], x->gamma_free[i] = n->set.u[i] + x->half[i];
    }
    pose_laws(sim);
    return true;
}

void jn_leapfrog_join_stages(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    if (x->stage == 0) return;
    for (int i = 0; i < n->set.count; i++) n->set.point[i].impacting |= n->set.point[i].impacted;
    for (int i = 0; i < n->set.count * n->set.dimension; i++) n->set.p[i] += x->earlier[i];
}

void jn_leapfrog_note_smooth(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    for (int g = 0; g < sim->m->link_count; g++) n->groups.group[g].impacted = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        const jn_contact_point *h = &n->set.point[i];
        bool struck = n->leapfrog->stage > 0 && h->impacted;
        if (!struck && (!(n->set.p[i * n->set.dimension] > 0) || !(h->impacting || h->is_new))) continue;
        for (int k = n->set.start[i]; k < jn_contact_set_end(&n->set, i); k++)
            n->groups.group[n->groups.of[sim->m->dof_link[n->set.dof_of[k]]]].impacted = true;
    }
}

/* Part of its cone that friction uses. */
static double used_part(const jn_contact_set *set, int i) {
    const double *p = set->p + i * set->dimension;
    double most = set->mu[i] * p[0];
    return most > 0 ? jn_contact_slip_speed(set, p) / most : 0;
}

/* Whether a contact slides, as its law counts slip: beyond what the solution of the problem may leave. */
static bool slips(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    int d = n->set.dimension;
    double v[3] = {0, 0, 0};
    if (used_part(&n->set, i) <= 1 - 1e-9) return false;
    for (int r = 1; r < d; r++) v[r] = n->set.u[i * d + r] + n->leapfrog->bias[i * d + r];
    return jn_contact_slip_speed(&n->set, v) > jn_max(JN_STILL, 2 * n->set.solve.speed_error);
}

/* Time between the last node and this one at which a quantity that was `before` and `last` at the two nodes before reaches `level`. */
static double crossing(const jn_leapfrog *x, double t, double before, double last, double level) {
    double change = last - before, left = level - last;
    double part = change * left > 0 ? jn_min(1, left / change) : 0.5;
    return t - x->h * (1 - part);
}

/* Tangential part of a vector. */
static jn_vec3 tangential(jn_vec3 n, jn_vec3 a) { return v3_axpy(-v3_dot(n, a), n, a); }

#define ROLLED 1e-7 /* [m] a contact point that moves further over its bodies in a step rolls */

/* How far the contact point has moved over the bodies since the material points were taken, over that where it moved less. */
static double moved(jn_vec3 n, jn_vec3 point, jn_vec3 a, jn_vec3 b) {
    return jn_min(v3_norm(tangential(n, v3_sub(a, point))), v3_norm(tangential(n, v3_sub(b, point))));
}

/* Material points of a contact that sticks, at one point of both bodies. A contact point that rolls on has none: its points are where it
 * was. What the next node compares with: distance of the points and slip, seen from here. */
static void keep_points(const jn_sim *sim, int i, bool sticks, jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    const jn_link_motion *A = &x->link[sim->m->solids[h->a].link], *B = &x->link[sim->m->solids[h->b].link];
    jn_vec3 point = jn_contact_point_place(sim, h), slip = v3(0, 0, 0), shift = v3(0, 0, 0);
    jn_vec3 a = to_world(A, cached->stepping.point_a), b = to_world(B, cached->stepping.point_b);
    bool known = !h->is_new && cached->stepping.loaded > 0, rolls = known && moved(h->geometry.n, point, a, b) > ROLLED;
    for (int r = 1; r < n->set.dimension; r++) slip = v3_axpy(n->set.u[i * n->set.dimension + r], h->t[r - 1], slip);
    if (sticks && cached->stepping.anchored && !rolls && !h->anchors_change) {
        shift = v3_sub(b, a);
    } else {
        cached->stepping.point_a = to_link(A, point), cached->stepping.point_b = to_link(B, point);
        cached->stepping.anchored = sticks && !rolls && !sim->m->contacts[h->row].rolls;
    }
    shift = v3_axpy(x->h, slip, tangential(h->geometry.n, shift));
    cached->stepping.predicted_shift = shift, cached->stepping.slip_start = slip;
}

/* Begins, ends, sticks or slips: events carry the time within the step, to first order. */
static void report_changes(jn_sim *sim, int i, jn_contact_state *cached, bool slides) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    const double *p = n->set.p + i * n->set.dimension, *u = n->set.u + i * n->set.dimension, *minus = n->set.before + i * n->set.dimension;
    double t = sim->s->t, before = jn_contact_slip_speed(&n->set, minus), after = jn_contact_slip_speed(&n->set, u);
    bool active = cached->phase != 0, loaded = p[0] > 0;
    if (jn_contact_jams(&n->set, i)) jn_nonsmooth_report(sim, "jam", h, t, before, after, p);
    if (loaded && (!active || h->impacting)) {
        double late = h->approach < 0 ? jn_max(0, h->gap) / -h->approach : 0;
        cached->start = t + jn_min(late, x->h);
        cached->speed = jn_max(0, -h->approach), cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
        cached->phase = JN_PHASE_LASTING;
        double forces = jn_max(x->h * n->gravity, 2 * fabs(x->half[i * n->set.dimension])); /* what they do in a step */
        bool impact = h->impacting || -h->approach > jn_max(JN_STILL, forces);
        jn_nonsmooth_report(sim, impact ? "impact" : "contact", h, cached->start, minus[0],
                            u[0] - x->half[i * n->set.dimension], p);
    } else if (active && !loaded && u[0] > JN_STILL) {
        double when = cached->stepping.force > 0 ? crossing(x, t, cached->stepping.force_before, cached->stepping.force, 0) : t;
        cached->phase = JN_PHASE_NEW;
        jn_nonsmooth_report(sim, "separation", h, when, minus[0], u[0], NULL);
    } else if (loaded && n->set.mu[i] > 0 && slides != (cached->slip == JN_SLIP_SLIPPING)) {
        double when = slides ? crossing(x, t, cached->stepping.cone_part_before, cached->stepping.cone_part, 1)
                             : t + x->h * (jn_min(1, before / jn_max(cached->stepping.slip_speed - before, before + 1e-300)) - 0.5);
        cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
        jn_nonsmooth_report(sim, slides ? "slip" : "stick", h, when, before, after, NULL);
    }
}

/* Whether the impulse of a contact is that of a force that goes on: not of an impact, near by or through others, and not of a jam. At first it
 * may bear the weight of all. */
static bool lasts(const jn_nonsmooth *n, int i, const jn_contact_state *cached) {
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    int d = n->set.dimension;
    double p = n->set.p[i * d], W = 0, falls = x->h * n->gravity; /* [m/s] what gravity does in a step */
    if (!(p > 0) || h->impacting) return false;
    if (cached && cached->stepping.loaded == 2 &&
        p <= 4 * jn_min(cached->stepping.force, cached->stepping.force_before) * x->H)
        return true;
    for (int k = n->set.start[i]; k < n->set.start[i + 1]; k++) W += n->set.V[k * d] * n->set.Y[k * d];
    return x->half[i * d] - h->approach <= 0.5 * falls && (W * p <= 4 * (2 * fabs(x->half[i * d]) + falls) || p <= 1.2 * x->mass * n->gravity * x->H);
}

/* Whether friction ends the slip of a contact at the next node: it will not go on as it was. */
static bool stops(const jn_sim *sim, int i, const jn_contact_state *cached) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension;
    double W = 0, slip = jn_contact_slip_speed(set, set->u + i * d);
    for (int k = set->start[i]; k < set->start[i + 1] && d > 1; k++) W += set->V[k * d + 1] * set->Y[k * d + 1];
    return cached && slip < cached->stepping.slip_speed && slips(sim, i) && slip <= W * set->mu[i] * set->p[i * d];
}

/* Bodies that an impulse which does not last acts on: at the same node, their other contacts have a part in it. */
static void mark_jolted(jn_sim *sim, int i) {
    jn_nonsmooth *n = sim->nonsmooth;
    for (int k = n->set.start[i]; k < jn_contact_set_end(&n->set, i); k++)
        n->groups.group[n->groups.of[sim->m->dof_link[n->set.dof_of[k]]]].jolted = true;
}

static bool is_jolted(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    bool any = false;
    for (int k = n->set.start[i]; k < jn_contact_set_end(&n->set, i); k++)
        any |= n->groups.group[n->groups.of[sim->m->dof_link[n->set.dof_of[k]]]].jolted;
    return any;
}

/* Whether an impulse brings a contact out of an overlap: all contacts of its island have a part in it. */
static bool pushes(const jn_nonsmooth *n, int i) {
    const jn_leapfrog *x = n->leapfrog;
    double falls = x->h * n->gravity + 2 * fabs(x->half[i * n->set.dimension]); /* [m/s] what forces do in a step */
    return n->set.p[i * n->set.dimension] > 0 && n->set.point[i].gap < -0.1 * x->h * falls - ROUNDED;
}

void jn_leapfrog_find_lasting(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    int d = n->set.dimension;
    if (n->set.count) jn_contact_set_multiply(&n->set, n->leapfrog->u, n->set.u); /* on the segment, from here on */
    for (int g = 0; g < sim->m->link_count; g++) n->groups.group[g].jolted = n->groups.group[g].pushed = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++)
        if (pushes(n, i)) n->groups.group[jn_island_of(sim, &n->set.point[i])].pushed = true;
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        bool pushed = n->groups.group[jn_island_of(sim, &n->set.point[i])].pushed;
        n->set.point[i].lasting = !pushed && lasts(n, i, cached_of(sim, &n->set.point[i]));
        if (n->set.p[i * d] > 0 && !n->set.point[i].lasting) mark_jolted(sim, i);
    }
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        jn_contact_point *h = &n->set.point[i];
        const jn_contact_state *cached = cached_of(sim, h);
        h->lasting = h->lasting && !is_jolted(sim, i);
        if (!h->lasting) continue;
        jn_vec3 P = stops(sim, i, cached) ? v3_scale(n->set.p[i * d], h->geometry.n) : jn_contact_impulse(&n->set, n->set.p, i);
        h->force = v3_scale(1 / n->leapfrog->H, P);
    }
}

void jn_leapfrog_keep_contact(jn_sim *sim, int i, jn_contact_state *cached) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    int d = n->set.dimension;
    const double *p = n->set.p + i * d;
    bool loaded = p[0] > 0, point = jn_pair_is(sim->m, h);
    bool slides = loaded && n->set.mu[i] > 0 && slips(sim, i);
    report_changes(sim, i, cached, slides);
    cached->stepping.force_before = cached->stepping.force;
    cached->stepping.force = loaded ? p[0] / x->H : 0;
    cached->stepping.cone_part_before = cached->stepping.cone_part, cached->stepping.cone_part = used_part(&n->set, i);
    cached->stepping.slip_speed = jn_contact_slip_speed(&n->set, n->set.u + i * d);
    cached->stepping.predicted_gap = h->gap + x->h * n->set.u[i * d];
    cached->stepping.lasting = h->lasting || (!loaded && !h->is_new && !is_jolted(sim, i));
    if (point) keep_points(sim, i, loaded && n->set.mu[i] > 0 && !slides && !h->impacting, cached);
    cached->stepping.loaded = !loaded || h->impacting ? 0 : cached->stepping.loaded < 2 ? cached->stepping.loaded + 1 : 2;
    cached->stepping.impulse = jn_contact_impulse(&n->set, n->set.p, i);
}

/* Points of one pair that stick are anchored at one configuration, so that a rigid motion can meet them all: anew where their set
 * has changed. Contacts are sorted by pairs. */
static void renew_anchors(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    int d = set->dimension;
    for (int first = 0, end; first < set->count - set->dry; first = end) {
        const jn_contact_point *h = &set->point[first];
        bool changed = false;
        for (end = first; end < set->count - set->dry && set->point[end].a == h->a && set->point[end].b == h->b; end++) {
            const jn_contact_state *cached = cached_of(sim, &set->point[end]);
            bool was = cached && cached->stepping.anchored;
            bool is = set->p[end * d] > 0 && set->mu[end] > 0 && !slips(sim, end);
            changed |= was != is;
        }
        for (int i = first; i < end; i++) set->point[i].anchors_change = changed;
    }
}

void jn_leapfrog_keep(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    if (n->set.count) renew_anchors(sim);
    jn_nonsmooth_note(sim, sim->s->t, n->leapfrog->h);
}

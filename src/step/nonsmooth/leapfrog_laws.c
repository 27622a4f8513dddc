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

/* [m/s] what all but contacts do to a gap's rate in a step, towards each other; at least as much as gravity. */
static double press(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    return jn_max(n->leapfrog->h * n->gravity,
                  n->leapfrog->gamma_last[i * n->set.dimension] - n->leapfrog->gamma_free[i * n->set.dimension]);
}

/* [rad^2/s^2] squares of the turns of a body's group on the last segment. */
static double turns_of(const jn_sim *sim, int link) {
    const jn_groups *groups = &sim->nonsmooth->groups;
    return link ? groups->group[groups->of[link]].turned : 0;
}

/* [m] what the motion with the velocities u (nv) bends the gap of two balls by: the distance of their centres grows by more than its rate says. */
static double bend_of_balls(const jn_sim *sim, const jn_contact_point *h, const double *u) {
    int A = h->link[0], B = h->link[1];
    const double *a = u + sim->m->links[A].v, *b = u + sim->m->links[B].v;
    jn_vec3 d = v3_sub(sim->w->link[B].O, sim->w->link[A].O);
    jn_vec3 moved = v3_scale(sim->nonsmooth->leapfrog->h, v3(b[0] - a[0], b[1] - a[1], b[2] - a[2])),
            end = v3_add(d, moved);
    return v3_dot(moved, v3_add(d, end)) / (v3_norm(d) + v3_norm(end)) - v3_dot(h->geometry.n, moved);
}

/* Whether a contact is that of a ball or disc in a hollow. Where their radii are alike its point runs round much faster than the bodies turn. */
static bool is_enclosed(const jn_model *m, const jn_contact_point *h) {
    const jn_solid *A = &m->solids[h->a], *B = &m->solids[h->b], *round = jn_solid_is_hollow(A) ? B : A;
    return (jn_solid_is_hollow(A) || jn_solid_is_hollow(B)) && (round->type == JN_SHAPE_SPHERE || round->type == JN_SHAPE_CIRCLE);
}

/* How a link moves on the segment: R(h) = exp(h w) R(0), O(h) = O(0) + h v + h^2/2 a, the turn too with a change of its rate where that is not a mean. */
typedef struct link_motion {
    jn_twist V, A;
} link_motion;

/* With the velocities that the node's forces lead to, where the rates of joints stay. */
static link_motion free_motion(const jn_sim *sim, int link) {
    return (link_motion){sim->nonsmooth->leapfrog->V_free[link], sim->w->A_bias[link]};
}

static link_motion segment_motion(const jn_sim *sim, int link) {
    const jn_segment_link *s = &sim->nonsmooth->leapfrog->segment[link];
    return (link_motion){.V = {s->w, s->v}};
}

/* [m] change of a vector that is fixed on a link, of second order in the length h of the segment. */
static jn_vec3 turned(double h, const link_motion *B, jn_vec3 r) {
    jn_vec3 rate = v3_cross(B->V.w, r);
    return v3_axpy(0.5 * h * h, v3_add(v3_cross(B->A.w, r), v3_cross(B->V.w, rate)), v3_scale(h, rate));
}

/* [m] displacement of a point of a link. */
static jn_vec3 displaced(double h, const link_motion *B, jn_vec3 r) {
    return v3_add(v3_axpy(0.5 * h * h, B->A.v, v3_scale(h, B->V.v)), turned(h, B, r));
}

static jn_vec3 across(jn_vec3 d, jn_vec3 axis) { return v3_axpy(-v3_dot(d, axis) / v3_dot(axis, axis), axis, d); }

/* [m] what the motion bends the gap by of a ball or disc in a hollow: the gap is what the distance of their centres, or of the centre from the axis of a bore, leaves
 * of the hollow's radius. rate [m/s]: of the gap at the node. NAN where the contact point runs round too far for that. */
static double bend_of_enclosed(const jn_sim *sim, const jn_contact_point *h, double rate,
                               link_motion (*motion)(const jn_sim *sim, int link)) {
    const jn_solid *A = &sim->m->solids[h->a], *B = &sim->m->solids[h->b], *out = jn_solid_is_hollow(A) ? A : B, *in = out == A ? B : A;
    const jn_link_motion *outer = &sim->w->link[out->link], *inner = &sim->w->link[in->link];
    link_motion V_out = motion(sim, out->link), V_in = motion(sim, in->link);
    jn_vec3 a = m3_mul_v(&outer->R, out->local.p), b = m3_mul_v(&inner->R, in->local.p); /* centres, from the links' origins */
    jn_vec3 d = v3_sub(v3_add(inner->O, b), v3_add(outer->O, a));
    double time = sim->nonsmooth->leapfrog->h;
    jn_vec3 end = v3_add(d, v3_sub(displaced(time, &V_in, b), displaced(time, &V_out, a)));
    if (out->type == JN_SHAPE_BORE) {
        jn_mat3 R = m3_mul(&outer->R, &out->local.R);
        jn_vec3 axis = m3_column(&R, 2);
        d = across(d, axis), end = across(end, v3_add(axis, turned(time, &V_out, axis)));
    }
    jn_vec3 moved = v3_sub(end, d);
    if (!(v3_norm(moved) < JN_LEAPFROG_ENCLOSED_TURN * v3_norm(d))) return NAN;
    return -v3_dot(moved, v3_add(d, end)) / (v3_norm(d) + v3_norm(end)) - time * rate;
}

/* [1/kg] of a contact along its tangents, the larger one: how easily forces across the normal move its bodies. */
static double largest_tangent_mobility(jn_sim *sim, const jn_contact_point *h) {
    const jn_nonsmooth *n = sim->nonsmooth;
    jn_vec3 point = jn_contact_point_place(h);
    double most = 0;
    for (int r = 0; r < (sim->m->planar ? 1 : 2); r++) {
        memset(n->velocity, 0, (size_t)sim->m->nv * sizeof *n->velocity);
        for (int k = 0; k < 2; k++) {
            jn_vec3 f = v3_scale(k ? 1 : -1, h->t[r]), arm = v3_sub(point, sim->w->link[h->link[k]].O);
            jn_load_scatter(sim, h->link[k], (jn_wrench){v3_cross(arm, f), f}, n->velocity);
        }
        most = jn_max(most, jn_inertia_mobility(sim, n->velocity, n->applied));
    }
    return most;
}

/* Whether the bend of a contact in a hollow is known: the segment must be short against the swing of the ball in its hollow, a pendulum whose length is the clearance, by the
 * force of the last node or that which presses it and bends its way. */
static bool find_enclosed_bend(jn_sim *sim, int i, const jn_contact_state *cached, double *bend) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    if (!jn_pair_is(sim->m, h) || !is_enclosed(sim->m, h)) return false;
    *bend = bend_of_enclosed(sim, h, x->gamma_free[i * n->set.dimension], free_motion);
    if (isnan(*bend)) return false;
    double clearance = fabs(sim->m->solids[h->a].size.x - sim->m->solids[h->b].size.x);
    double last = cached ? x->h * x->H * cached->stepping.force : 0;
    double given = jn_max(last, (fabs(*bend) + x->h * press(sim, i)) / jn_contact_mobility(&n->set, i, 0)); /* [kg m] */
    return given * largest_tangent_mobility(sim, h) < JN_LEAPFROG_ENCLOSED_SWING * clearance;
}

/* [m] how far the contact point has moved over the body on which it moved less, since the last node. */
static double moved_over(const jn_sim *sim, const jn_contact_point *h, const jn_contact_state *cached) {
    const jn_link_motion *A = &sim->w->link[h->link[0]], *B = &sim->w->link[h->link[1]];
    jn_vec3 point = jn_contact_point_place(h);
    return jn_min(v3_norm(v3_sub(jn_link_to_world(A, cached->stepping.point_a), point)),
                  v3_norm(v3_sub(jn_link_to_world(B, cached->stepping.point_b), point)));
}

static bool is_flat(const jn_solid *s) { return s->type == JN_SHAPE_PLANE || s->type == JN_SHAPE_HALF_PLANE; }
static bool is_smooth(const jn_solid *s) {
    return s->type == JN_SHAPE_SPHERE || s->type == JN_SHAPE_ELLIPSOID || s->type == JN_SHAPE_SUPERELLIPSOID || s->type == JN_SHAPE_CIRCLE;
}
static bool is_rim(const jn_solid *s) { return s->type == JN_SHAPE_TORUS || s->type == JN_SHAPE_CYLINDER || s->type == JN_SHAPE_CONE; }

/* Whether the contact point of two shapes has run on without a jump, however fast: where they are flat, further than the bodies turn. moved [m]: over one of them. Rims that lie
 * down jump to their other side. */
static bool runs_smoothly(const jn_model *m, const jn_contact_point *h, double moved) {
    const jn_solid *A = &m->solids[h->a], *B = &m->solids[h->b], *other = is_flat(A) ? B : A;
    if (!is_flat(A) && !is_flat(B)) return is_smooth(A) && is_smooth(B);
    return is_smooth(other) || (is_rim(other) && moved < JN_LEAPFROG_RIM_TURN * other->size.x);
}

/* Length of the segment over that of the last one. */
static double longer(const jn_sim *sim) {
    double last = *jn_past_length(sim);
    return last > 0 ? sim->nonsmooth->leapfrog->h / last : 1;
}

/* [m] what the motion bent the gap by on the last segment, which goes with the square of its length: the linear prediction missed it. More than turns
 * and curved bodies can do is the gap of another point, as is that of a point further away than turns and slip can move it. That of balls is known: what the motion without contacts would bend it by. */
static double last_bend(const jn_sim *sim, const jn_contact_point *h, const jn_contact_state *cached) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (!jn_pair_is(sim->m, h)) return 0;
    if (h->balls) return bend_of_balls(sim, h, x->free);
    if (!cached) return 0;
    int A = h->link[0], B = h->link[1];
    double ratio = longer(sim), turns = sqrt(turns_of(sim, A) + turns_of(sim, B));
    double bend = ratio * ratio * (h->gap - cached->stepping.predicted_gap);
    double moved = moved_over(sim, h, cached);
    if (cached->stepping.force > 0 && runs_smoothly(sim->m, h, moved)) return bend;
    jn_vec3 point = jn_contact_point_place(h);
    double speed = v3_norm(v3_sub(jn_velocity_at(sim, point, B, x->V_last), jn_velocity_at(sim, point, A, x->V_last)));
    double fast = speed + turns * x->reach, most = x->h * x->h * (turns + speed / x->size) * fast;
    return fabs(bend) <= most && moved <= x->h * fast ? bend : 0;
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
    bool ball = n->leapfrog->ball[h->a] || n->leapfrog->ball[h->b];
    if (ball || n->groups.group[h->island].contacts <= most_exact(n, h)) return round;
    return jn_max(round, JN_LEAPFROG_LEFT * jn_contact_set_residual(sim) * n->leapfrog->h);
}

static double without(double distance, double unresolved) { return fabs(distance) > unresolved ? distance : 0; }

double jn_leapfrog_fastest_exit(const jn_sim *sim, int i) {
    const jn_nonsmooth *n = sim->nonsmooth;
    double last = n->leapfrog->gamma_last[i * n->set.dimension];
    return -jn_max(0, jn_max(-n->set.point[i].approach, -last)) - 0.5 * n->leapfrog->h * n->gravity;
}

/* A gap closes with the segment, but for what the motion bends it by, as in the last step. What overlaps, or would, leaves no faster than it
 * came. */
static double close_gap(const jn_sim *sim, int i, double bend) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    double fall = 0.5 * x->h * sim->nonsmooth->gravity, came = jn_max(0, -h->approach), least = unresolved(sim, h);
    double gap = without(h->gap, least), bent = without(bend, least);
    double aim = jn_max(gap / x->h, -came - fall) + bent / x->h;
    return jn_max(aim, jn_leapfrog_fastest_exit(sim, i) + jn_min(0, bent) / x->h);
}

/* [m/s] an impact that would leave slower than this comes to rest: what forces do in a step. Elastic ones never come to rest. */
static double rest_speed(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_contact_point *h = &n->set.point[i];
    bool pressed = cached && cached->stepping.lasting && cached->stepping.force > 0;
    double bend = h->enclosed && !pressed ? 0 : fabs(h->bend); /* what comes obliquely onto a hollow rebounds from it */
    return jn_max(-2 * x->half[i * n->set.dimension], pressed || e < 1 ? press(sim, i) + bend / x->h : 0);
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
    return 0.5 * longer(sim) * (end - v3_dot(n->set.point[i].t[r - 1], cached->stepping.slip_start));
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
        jn_vec3 s = apart(sim->w->link, h, cached);
        double ratio = longer(sim);
        if (cached->stepping.lasting) /* misses its aim as in the last step */
            s = v3_axpy(ratio * ratio, v3_sub(s, cached->stepping.predicted_shift), s);
        double least = unresolved(sim, h);
        for (int r = 1; r < d; r++) bias[r] = without(v3_dot(h->t[r - 1], s), least) / x->h;
    } else if (cached->stepping.force > 0) {
        double most = n->set.mu[i] * cached->stepping.force * x->H * jn_contact_tangent_mobility(&n->set, i); /* [m/s] by friction */
        bool slides = cached->slip == JN_SLIP_SLIPPING && jn_contact_slip_speed(&n->set, minus) > JN_LEAPFROG_SLIDES_ON * most;
        for (int r = 1; r < d; r++) /* what does not slide on rolls, or begins to */
            bias[r] = slides ? minus[r] : cached->stepping.lasting ? middle_of_roll(sim, i, r, cached) : 0;
    }
}

/* A contact with restitution that is open and does not close by itself waits if its island has impacts: what they bring together impacts
 * afterwards. In a pile that loses most of its energy in impacts it closes its gap at once, with the others. */
static bool waits(const jn_sim *sim, int i, double e, const jn_contact_state *cached) {
    const jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    const jn_group *island = &n->groups.group[n->set.point[i].island];
    bool pressed = cached && cached->stepping.lasting && cached->stepping.force > 0;
    if (!(e > 0) || pressed || !island->impacts ||
        (island->contacts > JN_LEAPFROG_STAGED_CONTACTS && e < JN_LEAPFROG_LIVELY))
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
    double way = jn_max(close_gap(sim, i, h->bends) + half, h->approach);
    double e_T = jn_pair_is(sim->m, h) ? jn_max(0, sim->m->contacts[h->row].tangential_restitution) : 0;
    h->rebounds = rebound <= way;
    n->leapfrog->bias[at] = jn_min(rebound, way) - half;
    pose_friction(sim, i, jn_leapfrog_cached(sim, h), e_T * factor, n->leapfrog->bias + at);
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
    sim->nonsmooth->leapfrog->bias[i * sim->nonsmooth->set.dimension] = close_gap(sim, i, h->bends);
}

/* What is asked of the last node after the solution. */
static void take_last(const jn_contact_state *cached, jn_contact_point *h) {
    const jn_stepping_state *last = &cached->stepping;
    h->force_last = last->loaded == 2 ? jn_min(last->force, last->force_before) : 0;
    h->slip_last = last->slip_speed, h->was_anchored = last->anchored;
}

/* What the laws add to the velocities of all contacts, from those before the node's impulses and those with its forces. */
static void pose_laws(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    memset(x->bias, 0, (size_t)(n->set.count * d) * sizeof *x->bias);
    for (int g = 0; g < n->groups.count; g++) n->groups.group[g].impacts = false;
    jn_leapfrog_begin_bounds(sim, true);
    if (x->has_hollows) jn_bias_accelerations(sim->m, sim->w);
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        jn_contact_point *h = &n->set.point[i];
        const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
        if (cached) take_last(cached, h);
        double bend;
        h->enclosed = x->has_hollows && find_enclosed_bend(sim, i, cached, &bend);
        if (!x->end_points || !h->end_point) h->bend = h->bends = h->enclosed ? bend : last_bend(sim, h, cached);
        h->impacting = bounces(sim, i, restitution_of(sim, h), cached);
        if (h->impacting) n->groups.group[h->island].impacts = true;
    }
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        jn_contact_point *h = &n->set.point[i];
        const jn_contact_state *cached = jn_leapfrog_cached(sim, h);
        h->approach = n->set.before[i * d];
        h->waits = waits(sim, i, restitution_of(sim, h), cached);
        if (h->waits) {
            x->bias[i * d] = JN_LEAPFROG_FAR_OPEN * x->swiftest;
            continue;
        }
        if (jn_pair_is(sim->m, h) && n->set.mu[i] > 0) n->set.mu[i] = jn_min(friction_of(sim, i, cached), JN_CONTACT_FRICTION_MOST);
        if (h->impacting) {
            jn_leapfrog_pose_rebound(sim, i);
            continue;
        }
        x->bias[i * d] = close_gap(sim, i, h->bends);
        pose_friction(sim, i, cached, 0, x->bias + i * d);
    }
    jn_dry_anchor(sim);
}

/* Turns of the groups on the last segment, squared, and with those of this one. */
static void sum_turns(jn_sim *sim, bool now) {
    const jn_model *m = sim->m;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < groups->count; g++) *(now ? &groups->group[g].turns : &groups->group[g].turned) = 0;
    for (int i = 1; i < m->link_count; i++) {
        jn_group *g = &groups->group[groups->of[i]];
        if (now)
            g->turns += v3_dot(x->V_last[i].w, x->segment[i].w);
        else
            g->turned += v3_dot(x->V_last[i].w, x->V_last[i].w);
    }
}

/* Part of the bends of the last segment that is left where a group turns with other velocities: they go with their squares. */
static double bends_left(const jn_sim *sim, int link) {
    const jn_group *g = &sim->nonsmooth->groups.group[sim->nonsmooth->groups.of[link]];
    double part = g->turned > 0 ? g->turns / g->turned : 1;
    return link ? jn_min(1, part * part) : 1;
}

/* What the gap is bent by with the velocities of the segment. */
static double bend_now(const jn_sim *sim, int i) {
    const jn_solid *solid = sim->m->solids;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    double rate[3];
    if (h->balls) return bend_of_balls(sim, h, sim->nonsmooth->leapfrog->u);
    if (h->enclosed) {
        jn_contact_multiply_one(&sim->nonsmooth->set, i, sim->nonsmooth->leapfrog->u, rate);
        double known = bend_of_enclosed(sim, h, rate[0], segment_motion);
        if (!isnan(known)) return known;
    }
    return h->bend * jn_min(bends_left(sim, solid[h->a].link), bends_left(sim, solid[h->b].link));
}

/* [m] change of a bend that was posed from which on it is worth another solution. Balls come nearer than their rates say by nothing: a gap that ends wider
 * closes in the next step. */
static double bend_allowed(const jn_sim *sim, const jn_contact_point *h) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double allowed =
        JN_LEAPFROG_BEND_FALL * x->h * x->h * sim->nonsmooth->gravity + JN_LEAPFROG_BEND_REL * fabs(h->bend);
    return h->balls || h->enclosed ? jn_max(allowed, x->deepest) : allowed;
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
        if (x->end_points && h->end_point) continue;
        double allowed = bend_allowed(sim, h);
        if (h->balls && h->bends <= allowed) continue; /* their bends are never negative */
        double left = bend_now(sim, i);
        if (!((h->balls || h->enclosed ? h->bends - left : fabs(left - h->bends)) > allowed)) continue;
        x->bias[i * d] += close_gap(sim, i, left) - close_gap(sim, i, h->bends), h->bends = left;
        any = true;
    }
    return any;
}

/* What the last solution of the segment bent the gaps by of contacts that it missed. */
static void take_end_bends(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int i = 0; i < set->count - set->dry && x->end_points; i++) {
        jn_contact_point *h = &set->point[i];
        double rate[3];
        if (!h->end_point) continue;
        jn_contact_multiply_one(set, i, x->u, rate);
        h->bend = h->bends = x->end_point[h->end_point - 1].gap - h->gap - x->h * rate[0];
    }
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

void jn_leapfrog_pose(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    x->stage = x->bounded = 0, x->swiftest = 1, x->dropped = 0, x->jams = false;
    jn_contact_set_multiply_three(&n->set, (const double *const[]){x->minus, x->free, x->last},
                                  (double *const[]){n->set.before, x->gamma_free, x->gamma_last});
    jn_contact_set_add_surfaces(&n->set, n->set.before);
    jn_contact_set_add_surfaces(&n->set, x->gamma_free);
    jn_contact_set_add_surfaces(&n->set, x->gamma_last);
    for (int i = 0; i < n->set.count * d; i++) {
        x->half[i] = 0.5 * (x->gamma_free[i] - n->set.before[i]);
        n->set.before[i] += x->half[i];
        x->swiftest = jn_max(x->swiftest, fabs(x->gamma_free[i]));
    }
    if (!sim->contacts) jn_velocities_of(sim->m, sim->w, x->last, x->V_last);
    sum_turns(sim, false);
    take_end_bends(sim);
    pose_laws(sim);
    jn_contact_set_guess(&n->set, sim);
    jn_dry_guess(sim, x->H);
    for (int i = 0; i < n->set.count - n->set.dry;
         i++) { /* those of an impact do not last; others are forces times a time */
        double scale = n->set.point[i].cached >= 0 && !n->set.point[i].impacting ? 1 : 0;
        for (int r = 0; r < d; r++) n->set.p[i * d + r] *= scale;
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
    for (int g = 0; g < n->groups.count; g++) n->groups.group[g].impacted = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        const jn_contact_point *h = &n->set.point[i];
        bool impacted = n->leapfrog->stage > 0 && h->impacted;
        if (!impacted && (!(n->set.p[i * n->set.dimension] > 0) || !(h->impacting || h->is_new))) continue;
        for (int k = 0; k < 2; k++)
            if (h->group[k] >= 0) n->groups.group[h->group[k]].impacted = true;
    }
}

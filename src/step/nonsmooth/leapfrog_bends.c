/* What the motion bends the gaps of the momentum leapfrog by, beside their rates at the node: known of balls and of what hollows hold, else as on the last segment. */
#include "step/contact_set/gap_path.h"
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

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

/* [m] what the motion bends the gap by of a ball or disc in a hollow: the gap is what the distance of their centres, or of the centre from the axis of a bore or arc, leaves
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
    if (out->type != JN_SHAPE_SOCKET) {
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
    double given = jn_max(last, (fabs(*bend) + fabs(x->h) * jn_leapfrog_press(sim, i)) / jn_contact_mobility(&n->set, i, 0)); /* [kg m] */
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

/* [m] what the motion bent the gap by on the last segment, which goes with the square of its length: the linear prediction missed it. More than turns
 * and curved bodies can do is the gap of another point, as is that of a point further away than turns and slip can move it. That of balls is known: what the motion without contacts would bend it by. */
static double last_bend(const jn_sim *sim, const jn_contact_point *h, const jn_contact_state *cached) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (!jn_pair_is(sim->m, h)) return 0;
    if (h->balls) return bend_of_balls(sim, h, x->free);
    if (!cached) return 0;
    int A = h->link[0], B = h->link[1];
    double ratio = jn_past_ratio(sim), turns = sqrt(turns_of(sim, A) + turns_of(sim, B));
    double bend = ratio * ratio * (h->gap - cached->stepping.predicted_gap);
    double moved = moved_over(sim, h, cached);
    if (cached->stepping.force > 0 && runs_smoothly(sim->m, h, moved)) return bend;
    jn_vec3 point = jn_contact_point_place(h);
    double speed = v3_norm(v3_sub(jn_velocity_at(sim, point, B, x->V_last), jn_velocity_at(sim, point, A, x->V_last)));
    double fast = speed + turns * x->reach, most = x->h * x->h * (turns + speed / x->size) * fast;
    return fabs(bend) <= most && moved <= *jn_past_length(sim) * fast ? bend : 0;
}

/* [m] gap at the end of the segment by its rate at the node. */
static double linear_end(const jn_sim *sim, int i) {
    const jn_contact_set *set = &sim->nonsmooth->set;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    return set->point[i].gap + x->h * x->gamma_free[i * set->dimension];
}

bool jn_bend_may_pass(const jn_sim *sim, int i, const jn_contact_state *cached) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    if (x->stage > 0 || !jn_pair_is(sim->m, h) || h->balls || h->end_point || (cached && cached->stepping.force > 0)) return false;
    const jn_solid *A = &sim->m->solids[h->a], *B = &sim->m->solids[h->b];
    if ((is_flat(A) && is_smooth(B)) || (is_flat(B) && is_smooth(A)) || jn_solid_is_hollow(A) || jn_solid_is_hollow(B)) return false;
    if (A->node || B->node) return false; /* meshes are surfaces: what is below one is not seen */
    return h->gap > x->deepest && linear_end(sim, i) <= 0;
}

/* Motion of a link at the end of the segment without contacts. */
static jn_link_motion free_end(const jn_sim *sim, int link) {
    jn_link_motion end = sim->w->link[link];
    double h = sim->nonsmooth->leapfrog->h;
    link_motion V = free_motion(sim, link);
    jn_mat3 turn = q4_matrix(q4_exp(v3_axpy(0.5 * h * h, V.A.w, v3_scale(h, V.V.w))));
    end.O = v3_add(end.O, v3_axpy(0.5 * h * h, V.A.v, v3_scale(h, V.V.v)));
    end.R = m3_mul(&turn, &end.R);
    end.V = (jn_twist){.w = v3_axpy(h, V.A.w, V.V.w), .v = v3_axpy(h, V.A.v, V.V.v)};
    return end;
}

/* Whether two solids pass by each other without contacts, though a gap between them falls so fast that it would close: ahead of a corner, say, or of a blade that turns away. bend
 * [m]: by what that gap ends wider, at least. */
static bool passes(jn_sim *sim, int i, double *bend) {
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    const jn_solid_pair pair = {.a = h->a, .b = h->b};
    jn_link_motion from[2], to[2];
    double gap = h->gap;
    for (int k = 0; k < 2; k++) {
        from[k] = sim->w->link[h->link[k]], to[k] = free_end(sim, h->link[k]);
        from[k].V = sim->nonsmooth->leapfrog->V_free[h->link[k]];
    }
    if (jn_gap_path_meets(sim, &pair, from, to, sim->nonsmooth->leapfrog->h, &gap)) return false;
    *bend = gap - linear_end(sim, i);
    return true;
}

bool jn_bend_find(jn_sim *sim, int i, const jn_contact_state *cached) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_contact_point *h = &sim->nonsmooth->set.point[i];
    double bend;
    if (x->stage > 0 && !h->balls && !x->has_hollows) {
        h->bends = h->bend; /* of what no impact of this node has changed */
        return false;
    }
    if (jn_bend_may_pass(sim, i, cached) && passes(sim, i, &bend)) {
        h->enclosed = false, h->bend = h->bends = bend;
        return true;
    }
    h->enclosed = x->has_hollows && find_enclosed_bend(sim, i, cached, &bend);
    if (!x->end_points || !h->end_point) h->bend = h->bends = h->enclosed ? bend : last_bend(sim, h, cached);
    return false;
}

/* Turns of the groups on the last segment, squared, and with those of this one. */
void jn_bends_sum_turns(jn_sim *sim, bool now) {
    const jn_model *m = sim->m;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < groups->count; g++) *(now ? &groups->group[g].turns : &groups->group[g].turned) = 0;
    for (int i = 1; i < m->link_count;) {
        int own = groups->of[i];
        double *turns = now ? &groups->group[own].turns : &groups->group[own].turned, sum = *turns;
        for (; i < m->link_count && groups->of[i] == own; i++) /* in a register */
            sum += v3_dot(x->V_last[i].w, now ? x->segment[i].w : x->V_last[i].w);
        *turns = sum;
    }
}

/* [m] by which the turns of a link's group on the last segment have bent gaps at most: its points move around its centre, or those of a tree around others of its links. */
static double most_by_turns(const jn_sim *sim, int link) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_group *g = &sim->nonsmooth->groups.group[sim->nonsmooth->groups.of[link]];
    const jn_link *l = &sim->m->links[link];
    bool is_body = g->count == l->nv && (l->type == JN_JOINT_FREE || l->type == JN_JOINT_PLANAR);
    return x->h * x->h * g->turned * (is_body ? x->reach_of[link] : x->reach * sim->m->link_count);
}

/* Part, from 0 to 1, of the bends of the last segment that is left where a group turns with other velocities: they go with their squares. What is more than turns can do came from a way
 * along something round, and stays. jn_leapfrog_scale_bends leaves out small bends, since none becomes larger. */
static double bends_left(const jn_sim *sim, int link, double bend) {
    const jn_group *g = &sim->nonsmooth->groups.group[sim->nonsmooth->groups.of[link]];
    double part = g->turned > 0 ? g->turns / g->turned : 1, share = jn_min(1, most_by_turns(sim, link) / fabs(bend));
    return link ? 1 - share * (1 - jn_min(1, part * part)) : 1;
}

/* What the gap is bent by with the velocities of the segment. */
double jn_bend_now(const jn_sim *sim, int i) {
    const jn_solid *solid = sim->m->solids;
    const jn_contact_point *h = &sim->nonsmooth->set.point[i];
    double rate[3];
    if (h->balls) return bend_of_balls(sim, h, sim->nonsmooth->leapfrog->u);
    if (h->enclosed) {
        jn_contact_multiply_one(&sim->nonsmooth->set, i, sim->nonsmooth->leapfrog->u, rate);
        double known = bend_of_enclosed(sim, h, rate[0], segment_motion);
        if (!isnan(known)) return known;
    }
    double end = linear_end(sim, i);
    if (end <= 0 && end + h->bend > 0) return h->bend; /* what passes by: the bend is that of its free motion */
    return h->bend * jn_min(bends_left(sim, solid[h->a].link, h->bend), bends_left(sim, solid[h->b].link, h->bend));
}

/* [m] change of a bend that was posed from which on it is worth another solution. Balls come nearer than their rates say by nothing: a gap that ends wider
 * closes in the next step. */
double jn_bend_allowed(const jn_sim *sim, const jn_contact_point *h) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double allowed =
        JN_LEAPFROG_BEND_FALL * x->h * x->h * sim->nonsmooth->gravity + JN_LEAPFROG_BEND_REL * fabs(h->bend);
    return h->balls || h->enclosed ? jn_max(allowed, x->deepest) : allowed;
}

/* What the last solution of the segment bent the gaps by of contacts that it missed. */
void jn_bends_take_end(jn_sim *sim) {
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

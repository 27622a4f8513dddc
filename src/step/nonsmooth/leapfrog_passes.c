/* The velocities of a segment of the momentum leapfrog: those without contacts, and passes over the contact problem and what is not linear until both agree. */
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------- one linear step */

/* First velocities of the segment, of some links behind the ground: those of the last ones, extrapolated where they follow each other smoothly. */
static void predict_some(void *context, int from, int to) {
    const jn_sim *sim = context;
    const jn_groups *groups = &sim->nonsmooth->groups;
    double *u = sim->nonsmooth->leapfrog->u;
    double h = sim->nonsmooth->leapfrog->h, h0 = *jn_past_length(sim), h1 = *jn_past_before(sim);
    bool even = h == h0;
    double ahead = (h0 + h) / (h0 + h1);
    for (int i = from + 1, next; i < to + 1; i = next) {
        double n = *jn_past_smooth(sim, groups->of[i]);
        int k = sim->m->links[i].v;
        next = jn_group_run(groups, i, to + 1);
        int end = sim->m->links[next - 1].v + sim->m->links[next - 1].nv;
        for (const double *v = jn_past_velocity(sim, k); k < end; k++, v += JN_PAST_STEPS)
            u[k] = n < 2 || h0 + h1 == 0 ? v[0]
                   : n < 3 || !even      ? v[0] + ahead * (v[0] - v[1])
                   : n < 4               ? 3 * (v[0] - v[1]) + v[2]
                                         : 4 * (v[0] + v[2]) - 6 * v[1] - v[3];
    }
}

void jn_leapfrog_predict(jn_sim *sim) {
    jn_pool_range(sim->pool, sim->m->link_count - 1, JN_SHARED_LINKS, predict_some, sim);
}

/* G u such that Phi(q_k+1, t_k+1) = 0: Phi_k + h G u + what the linear prediction misses; drivers move on by their own motion. */
void jn_leapfrog_aim_at_constraints(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const double *miss = jn_past_miss(sim);
    for (int i = 0; i < m->row_count; i++) {
        double way = 0;
        if (m->rows[i].type == JN_ROW_DRIVER) way = jn_driver_displacement(m, i, sim->s->t, x->h);
        x->miss[i] = *jn_past_length(sim) == x->h ? miss[i] : 0;
        x->target[i] = (way - sim->w->phi[i] - x->miss[i]) / x->h;
    }
}

/* p + H f + what B u refers to: what the momenta are without contacts, but for - B u and joints. Dampers act at the mean velocity of both
 * segments, stiff springs at the mean of their lengths before, at (twice) and after the node; those stiffer than the inertia at the end. Fills x->last. */
int jn_leapfrog_take_base(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double before = 0.5 * *jn_past_length(sim), after = 0.5 * x->h;
    const double *f = sim->w->control ? jn_node_controlled(sim) : x->force;
    for (int k = 0; k < m->nv; k++) {
        double p = sim->s->momentum[k], more = before * x->force[k] + after * f[k] + jn_past_p_rest(sim)[k];
        x->base[k] = jn_add_exactly(p, more, &x->p_rest[k]);
        x->last[k] = jn_past_velocity(sim, k)[0];
    }
    if (!sim->nonsmooth->stiff) return JN_OK;
    jn_stiff_weights needed = {0.5 * x->H, 0.25 * x->H * x->h, true, *jn_past_length(sim) == 0};
    if (fabs(needed.c - x->stiff_weights.c) > JN_LEAPFROG_WEIGHT_REL * needed.c ||
        fabs(needed.k - x->stiff_weights.k) > JN_LEAPFROG_WEIGHT_REL * needed.k) {
        int status = jn_system_factor(sim, needed);
        x->stiff_weights = needed;
        if (status < 0) return status;
    }
    jn_stiff_refer(sim, x->last, x->v_node, x->base);
    return JN_OK;
}

/* to = from + (M + B)^-1 (f + G^T Lambda) with G to = target; from and to may be one. */
static int solve_from(jn_sim *sim, const double *from, const double *f, double *to) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (m->row_count) {
        jn_rows_multiply(m, sim->w, from, sim->w->row_rhs);
        for (int i = 0; i < m->row_count; i++) sim->w->row_rhs[i] = x->target[i] - sim->w->row_rhs[i];
    }
    int status = jn_system_solve(sim, f, sim->w->row_rhs, x->delta, x->lambda);
    for (int k = 0; k < m->nv; k++) to[k] = from[k] + x->delta[k];
    return status;
}

/* H f + ... - B u-: what forces give to the velocities before them. */
static void take_forces(jn_sim *sim, double *f) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int k = 0; k < m->nv; k++) f[k] = sim->s->momentum[k] - x->base[k];
    jn_stiff_multiply(sim, x->minus, f);
    for (int k = 0; k < m->nv; k++) f[k] = -f[k];
}

/* Velocities at the node after its forces, without contacts: u- + (M + B)^-1 (H f + ... - B u-). */
int jn_leapfrog_move_freely(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    take_forces(sim, x->free);
    return solve_from(sim, x->minus, x->free, x->free);
}

/* Bodies turn by the same with full turns more, and so have the same momenta on a segment: of all angular velocities that turn a body alike, the smallest
 * is meant. Iterates may pass to another. Round bodies, whose momenta know their turns, are left as they are. */
static void take_off_full_turns(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        if ((l->type != JN_JOINT_FREE && l->type != JN_JOINT_SPHERICAL) || jn_link_is_round(l)) continue;
        double *w = x->u + l->v + (l->type == JN_JOINT_FREE ? 3 : 0);
        double turn = fabs(x->h) * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        if (!(turn > M_PI)) continue;
        double rest = turn - 2 * M_PI * round(turn / (2 * M_PI));
        for (int k = 0; k < 3; k++) w[k] *= rest / turn;
    }
}

/* Momenta of the segment, and in x->given what they should be without contacts and joints: base - B u. */
static void find_momenta(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_segment_momenta(m, sim->w, x->u, x->h, x->segment, x->pi);
    if (!sim->nonsmooth->stiff) {
        memcpy(x->given, x->base, (size_t)m->nv * sizeof *x->given);
        return;
    }
    memset(x->given, 0, (size_t)m->nv * sizeof *x->given);
    jn_stiff_multiply(sim, x->u, x->given);
    for (int k = 0; k < m->nv; k++) x->given[k] = x->base[k] - x->given[k];
}

/* The same, and together with it the solution of the first pass, which knows no contacts: where one factor of the trees' inertia gives both. */
int jn_leapfrog_move_and_begin(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->begun = sim->m->row_count == 0 && jn_system_is_tree(sim);
    if (!x->begun) return jn_leapfrog_move_freely(sim);
    take_forces(sim, x->free);
    jn_leapfrog_predict(sim);
    find_momenta(sim);
    for (int k = 0; k < sim->m->nv; k++) x->first[k] = x->given[k] - x->pi[k];
    jn_mass_solve_two(sim->m, sim->w, x->free, x->first, x->both);
    for (int k = 0; k < sim->m->nv; k++) x->free[k] += x->minus[k], x->first[k] += x->u[k];
    return JN_OK;
}

/* -------------------------------------------------------------------------------------------------------- the passes */

/* What the laws add to the velocities of some contacts. */
static void add_bias(void *context, int from, int to) {
    jn_nonsmooth *n = ((jn_sim *)context)->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    for (int i = from; i < to; i++) {
        if (n->set.point[i].impacting)
            n->set.q[i * d] = x->gamma_free[i * d]; /* restitution counts velocities at the node */
        for (int r = 0; r < d; r++) n->set.q[i * d + r] += x->bias[i * d + r];
    }
}

/* Impulses of the contact problem with the velocities x->free of the segment. */
static int solve_impulses(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    int d = n->set.dimension;
    jn_contact_set_velocities(&n->set, x->free, n->set.q);
    jn_pool_range(sim->pool, n->set.count - n->set.dry, JN_SHARED_CONTACTS, add_bias, sim);
    for (int i = n->set.count - n->set.dry; i < n->set.count; i++)
        jn_dry_pose(sim, i, x->H), n->set.q[i * d + 1] += x->bias[i * d + 1];
    jn_leapfrog_note_compliance(sim);
    n->set.solve.uncounted = true; /* the last pass counts */
    int status = jn_contact_set_solve(&n->set, sim);
    n->set.solve.uncounted = false;
    return status;
}

/* Contact problem with the velocities x->free of the segment; x->u gets those with its impulses. f: what led to x->free. */
static int meet_contacts(jn_sim *sim, const double *from, double *f) {
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    const jn_model *m = sim->m;
    n->set.solve.certain = m->driver_count == 0; /* drivers may leave no solution, too */
    size_t bytes = (size_t)(n->set.count * n->set.dimension) * sizeof *n->set.p;
    memcpy(x->p_guess, n->set.p, bytes);
    int status = solve_impulses(sim);
    for (int k = 0; k < JN_LEAPFROG_JAMS_MOST && status >= 0 && jn_leapfrog_drop_corrections(sim, k); k++) {
        memcpy(n->set.p, x->p_guess, bytes); /* those of a jam lead nowhere */
        n->set.solve.keep = 1;               /* what the other islands have */
        status = solve_impulses(sim);
    }
    for (int k = 0; k < JN_LEAPFROG_HELD_MOST && status >= 0 && jn_leapfrog_hold_compressed(sim); k++)
        status = solve_impulses(sim);
    if (status < 0) return status;
    jn_leapfrog_note_overlaps(sim);
    if (m->row_count == 0) {
        memcpy(x->u, x->free, (size_t)m->nv * sizeof *x->u);
        jn_contact_set_apply(&n->set, sim, n->set.p, x->u);
        return JN_OK;
    }
    jn_contact_set_force(&n->set, n->set.p, f);
    return solve_from(sim, from, f, x->u);
}

/* Squares of the largest of velocities u and v, vectors with their lengths. */
typedef struct squares {
    double u, v;
} squares;

static inline void take_vector(const double *u, const double *v, int size, squares *most) {
    double a = u[0] * u[0] + u[1] * u[1], b = v[0] * v[0] + v[1] * v[1];
    if (size > 2) a += u[2] * u[2], b += v[2] * v[2];
    most->u = jn_max(most->u, a), most->v = jn_max(most->v, b);
}

static inline squares largest_squares(const jn_model *m, const double *u, const double *v) {
    squares most = {0, 0};
    for (int i = 1; i < m->link_count; i++) {
        const jn_link *l = &m->links[i];
        int k = l->v, end = k + l->nv;
        if (l->type == JN_JOINT_FREE || l->type == JN_JOINT_SPHERICAL)
            for (; k < end; k += 3) take_vector(u + k, v + k, 3, &most);
        else if (l->type == JN_JOINT_PLANAR)
            take_vector(u + k, v + k, 2, &most), k += 2;
        for (; k < end; k++) most.u = jn_max(most.u, u[k] * u[k]), most.v = jn_max(most.v, v[k] * v[k]);
    }
    return most;
}

double jn_leapfrog_largest_speed(const jn_model *m, const double *u) { return sqrt(largest_squares(m, u, u).u); }

/* Largest change of the velocities of the segment since `from`, relative to the largest of them; NAN where one is not finite, which a largest number does not tell. */
static double relative_change(const jn_sim *sim, const double *from) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double sum = 0;
    for (int k = 0; k < sim->m->nv; k++) x->delta[k] = x->u[k] - from[k], sum += x->delta[k];
    if (!isfinite(sum)) return NAN;
    squares most = largest_squares(sim->m, x->delta, x->u);
    return sqrt(most.u) / jn_max(JN_LEAPFROG_SPEED_FLOOR, sqrt(most.v));
}

/* x->given: momenta after the impulses of contacts and joints; x->given_rest what rounding leaves of those of contacts. */
static void give(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    memset(x->given_rest, 0, (size_t)m->nv * sizeof *x->given_rest);
    if (sim->nonsmooth->set.count) {
        memset(x->delta, 0, (size_t)m->nv * sizeof *x->delta);
        jn_contact_set_force(&sim->nonsmooth->set, sim->nonsmooth->set.p, x->delta);
        for (int k = 0; k < m->nv; k++) x->given[k] = jn_add_exactly(x->given[k], x->delta[k], &x->given_rest[k]);
    }
    if (m->row_count) jn_rows_multiply_t(m, sim->w, x->lambda, x->given);
}

/* What the momenta of the segment miss of what is given, as velocities, relative to the largest. */
static double defect(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    const jn_leapfrog *x = n->leapfrog;
    double *missed = n->applied;
    memcpy(missed, x->given, (size_t)sim->m->nv * sizeof *missed);
    jn_contact_set_force(&n->set, n->set.p, missed);
    if (sim->m->row_count) jn_rows_multiply_t(sim->m, sim->w, x->lambda, missed);
    for (int k = 0; k < sim->m->nv; k++) missed[k] -= x->pi[k];
    if (sim->m->row_count) { /* what joints do not take up; there may be no factor of the inertia alone */
        if (jn_system_solve_some(sim, 1, missed, x->delta) < 0) return INFINITY;
        missed = x->delta;
    } else
        jn_inertia_solve(sim, missed);
    return jn_leapfrog_largest_speed(sim->m, missed) / jn_max(JN_LEAPFROG_SPEED_FLOOR, jn_leapfrog_largest_speed(sim->m, x->u));
}

/* The momenta of the segment were not found: bodies turn too far in it. */
static int fail_turning(jn_sim *sim) {
    int most = 1;
    double speed = 0;
    jn_leapfrog_last_velocities(sim);
    for (int i = 1; i < sim->m->link_count; i++) {
        double own = v3_norm(sim->nonsmooth->leapfrog->V_last[i].w);
        if (own > speed) speed = own, most = i;
    }
    return jn_sim_fail(sim, JN_ERR_STEP,
                       "bodies turn too far in the step at t = %.9g s: '%.64s' turned by %.3g rad in the last one\ntake smaller steps, of %.1g s or less",
                       sim->s->t, jn_link_name(sim->m, most), *jn_past_length(sim) * speed,
                       jn_min(0.5 * sim->m->run.step, JN_LEAPFROG_SWING_FINE / jn_max(speed, JN_TINY)));
}

/* [rad] largest turn of a body on the segment. */
static double largest_turn(const jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double most = 0;
    for (int i = 1; i < sim->m->link_count; i++) most = jn_max(most, v3_dot(x->segment[i].w, x->segment[i].w));
    return fabs(x->h) * sqrt(most);
}

/* Velocities of the segment without contacts, into x->free, from those that it has had so far; f: what leads to them, but where they are known from the start. */
static int find_free(jn_sim *sim, const double *from, double *f) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (x->begun) { /* no constraints act */
        x->begun = false;
        memcpy(x->free, x->first, (size_t)sim->m->nv * sizeof *x->free);
        return JN_OK;
    }
    for (int k = 0; k < sim->m->nv; k++) f[k] = x->given[k] - x->pi[k];
    return solve_from(sim, from, f, x->free);
}

/* sum J^T P(u) = given, by Newton's method with the inertia at the node: momenta, one solution and the contact problem in each pass. An
 * error shrinks by about h |w| in a pass. What is left is given at the next node. again: with other aims of the contacts than before. */
static int pass_until_solved(jn_sim *sim, bool again) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    double tolerance = n->set.count ? JN_LEAPFROG_CHANGE_CONTACT_REL : JN_LEAPFROG_CHANGE_REL, last = INFINITY;
    x->gains_known = false;
    if (!x->begun) find_momenta(sim);
    for (int pass = 0; pass < JN_LEAPFROG_PASSES_MOST; pass++) {
        double *from = n->velocity, *f = n->applied;
        memcpy(from, x->u, (size_t)m->nv * sizeof *from);
        int status = find_free(sim, from, f);
        n->set.solve.keep = pass > 0 ? 1 : again ? JN_LEAPFROG_KEEP_AGAIN : 0;
        if (status >= 0 && n->set.count) status = meet_contacts(sim, from, f);
        if (status < 0) return status;
        if (!n->set.count) memcpy(x->u, x->free, (size_t)m->nv * sizeof *x->u);
        jn_sleep_hold(sim, x->u);
        if (!m->planar) take_off_full_turns(sim);
        double change = relative_change(sim, from);
        find_momenta(sim);
        if (!isfinite(change))
            return jn_sim_fail(sim, JN_ERR_STEP, "the velocities are not finite at t = %.9g s\ntake smaller steps", sim->s->t);
        bool bent = n->set.count && pass < JN_LEAPFROG_BENDS_MOST && jn_leapfrog_scale_bends(sim);
        if (bent) {
            last = change;
            continue;
        }
        double shrinks = change > tolerance ? jn_min(1, largest_turn(sim)) : 1;
        if (pass > 0 && last > 0) shrinks = jn_max(shrinks, jn_min(1, change / last));
        if (change * shrinks <= tolerance || (change < x->stall && change > JN_LEAPFROG_STALL_RATIO * last)) break;
        if (n->set.count && pass > 0 && change * shrinks < JN_LEAPFROG_LEFT_REL) break;
        if (n->set.count && defect(sim) <= tolerance) break; /* round bodies have none */
        if (pass > JN_LEAPFROG_PASSES_FREE && change > last && x->forced) break;
        if (pass > JN_LEAPFROG_PASSES_FREE && change > last)
            return fail_turning(sim);
        last = change;
    }
    give(sim);
    return JN_OK;
}

/* The same, and again with less restitution where impacts would gain energy. */
int jn_leapfrog_solve_passes(jn_sim *sim, bool again) {
    int status = pass_until_solved(sim, again);
    while (status >= 0 && jn_leapfrog_bound_restitution(sim)) status = pass_until_solved(sim, true);
    return status;
}

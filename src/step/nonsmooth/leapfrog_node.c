/* A node of the momentum leapfrog: terms of the equations there, and velocities that a user sees. */
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

/* --------------------------------------------------------------------------------- whose momenta the state has */

static inline uint64_t mix(uint64_t sum, uint64_t bits) {
    sum = (sum ^ bits) * 0xff51afd7ed558ccdu;
    return sum ^ sum >> 32;
}

/* Four sums side by side, since each waits for its last product. */
static void mix_all(uint64_t sum[4], const double *x, int size) {
    uint64_t bits[4];
    int i = 0;
    for (; i + 4 <= size; i += 4) {
        memcpy(bits, x + i, sizeof bits);
        for (int k = 0; k < 4; k++) sum[k] = mix(sum[k], bits[k]);
    }
    for (; i < size; i++) memcpy(bits, x + i, sizeof *bits), sum[0] = mix(sum[0], bits[0]);
}

/* A number of 52 bits that changes with time, positions and velocities. */
static double signature(const jn_sim *sim) {
    const jn_state *s = sim->s;
    uint64_t sum[4] = {1, 2, 3, 4}, all = 0x9e3779b97f4a7c15u;
    mix_all(sum, &s->t, 1), mix_all(sum, s->q, sim->m->nq), mix_all(sum, s->u, sim->m->nv);
    for (int k = 0; k < 4; k++) all = mix(all, sum[k]);
    return (double)(all >> 12) + 1;
}

void jn_node_sign(jn_sim *sim) { sim->s->past[JN_PAST_SIGNATURE] = signature(sim); }
bool jn_node_signed(const jn_sim *sim) { return sim->s->past[JN_PAST_SIGNATURE] == signature(sim); }

bool jn_node_stands(const jn_sim *sim) {
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_model *m = sim->m;
    return x->placed == sim->w->placed && x->t_seen == sim->s->t &&
           !memcmp(x->q_seen, sim->s->q, (size_t)m->nq * sizeof *x->q_seen) &&
           !memcmp(x->u_seen, sim->s->u, (size_t)m->nv * sizeof *x->u_seen);
}

static void remember_state(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->placed = sim->w->placed, x->t_seen = sim->s->t;
    memcpy(x->q_seen, sim->s->q, (size_t)sim->m->nq * sizeof *x->q_seen);
    memcpy(x->u_seen, sim->s->u, (size_t)sim->m->nv * sizeof *x->u_seen);
}

/* ------------------------------------------------------------------------------------------------ terms at the node */

/* y = M v. */
typedef struct product {
    const jn_sim *sim;
    const double *v;
    double *y;
} product;

/* Of some bodies, where each is free and alone. */
static void multiply_alone(void *context, int from, int to) {
    const product *all = context;
    for (int i = from + 1; i < to + 1; i++) {
        const jn_link *l = &all->sim->m->links[i];
        const double *a = all->v + l->v;
        double *y = all->y + l->v;
        const jn_mat3 *R = &all->sim->w->link[i].R;
        jn_vec3 L = m3_mul_v(R, s3_mul_v(&l->inertia, m3_tmul_v(R, v3(a[3], a[4], a[5]))));
        for (int k = 0; k < 3; k++) y[k] = l->mass * a[k];
        y[3] = L.x, y[4] = L.y, y[5] = L.z;
    }
}

static void multiply_inertia(const jn_sim *sim, const double *v, double *y) {
    if (sim->nonsmooth->groups.plain)
        jn_pool_range(sim->pool, sim->m->link_count - 1, JN_SHARED_LINKS, multiply_alone, &(product){sim, v, y});
    else
        jn_mass_multiply(sim->m, sim->w, jn_stiff_added(sim), v, y);
}

/* Whether anything does work at nodes but gravity and springs. */
static bool has_work(const jn_sim *sim) {
    const jn_model *m = sim->m;
    return sim->contacts || m->stop_count || m->dry_count || sim->nonsmooth->stiff || jn_work_has_power(m, sim->w);
}

/* Gravity has a potential and acts along the segment, the other forces at the node: they work on velocities that contain it. Without it, what falls and comes
 * to rest would have lost m (g h)^2/8 less than m g z. */
static void take_weights(jn_sim *sim, double time, double *f) {
    jn_node_weights(sim->m, sim->w, f);
    for (int k = 0; k < sim->m->nv; k++) f[k] *= time;
}

static bool falls(const jn_sim *sim, double time) {
    return time != 0 && v3_dot(sim->m->gravity, sim->m->gravity) > 0 && has_work(sim);
}

static void fall_freely(const jn_sim *sim, double time, double *fall) {
    const jn_model *m = sim->m;
    memset(fall, 0, (size_t)m->nv * sizeof *fall);
    for (int i = 0; i < m->root_count; i++) {
        const jn_link *l = &m->links[m->roots[i]];
        for (int k = l->v; k < l->v + (l->type == JN_JOINT_PLANAR ? 2 : 3); k++)
            fall[k] = time * v3_dot(sim->w->S[k].v, m->gravity);
    }
}

/* fall = M^-1 (time * weights), on the motions that joints allow. Implicit elements are no part of M: the impulses with which
 * they answer gravity are their own, and work on velocities to which all of gravity is added. The factor has nothing of them on
 * its diagonal. */
static int solve_fall(jn_sim *sim, double time, double *fall) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    take_weights(sim, time, x->delta);
    for (int i = 0; i < sim->m->row_count; i++) sim->w->row_rhs[i] = 0;
    return jn_inertia_solve_rows(sim, x->delta, sim->w->row_rhs, fall, x->lambda);
}

/* x->falling, where the factor of the node will have implicit elements on its diagonal: by recursion over the links, with constraints by a factor
 * without these elements. */
static int take_falling(jn_sim *sim) {
    if (!jn_stiff_has_diagonal(sim) || !falls(sim, 1) || sim->nonsmooth->leapfrog->all_fall_freely) return JN_OK;
    if (sim->m->row_count == 0) return jn_aba_falling(sim->m, sim->w, sim->nonsmooth->leapfrog->falling);
    int status = jn_inertia_factor(sim);
    return status < 0 ? status : solve_fall(sim, 1, sim->nonsmooth->leapfrog->falling);
}

/* All forces at the velocities of the work space, and of them apart those that do work beside potentials. */
static void take_forces(jn_sim *sim, const jn_state *at, jn_working_forces *working) {
    sim->w->working = jn_work_has_power(sim->m, sim->w) ? working : NULL;
    jn_forces(sim->m, sim->w, at);
    sim->w->working = NULL;
}

/* Forces, constraint rows, contact points and the factor of the inertia; the work space has poses, and velocities x->v_node. */
static int take_terms(jn_sim *sim, jn_state *at) {
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double h = m->run.step;
    take_forces(sim, at, &x->working);
    x->works = jn_work_has_power(m, w);
    jn_node_forces(m, w, x->force);
    jn_leapfrog_take_external(sim);
    if (m->row_count) {
        jn_constraint_rows(m, w, at, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
        jn_rows_multiply(m, w, x->v_node, x->rate);
        for (int i = 0; i < m->row_count; i++) x->rate[i] -= w->phi_rate[i];
    }
    x->stiff_weights = (jn_stiff_weights){0.5 * h, 0.25 * h * h, true, false};
    int status = take_falling(sim);
    if (status >= 0) status = jn_system_factor(sim, x->stiff_weights);
    sim->audit.evaluations++;
    if (status < 0) return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\ntake smaller steps", at->t);
    if (!sim->contacts || x->detected) return JN_OK;
    status = jn_leapfrog_detect(sim, h, *jn_past_impact(sim));
    if (status < 0)
        return jn_sim_fail(sim, status,
                           "more shapes are near each other at t = %.9g s than there is room for\n"
                           "leave pairs out with groups, or use fewer shapes",
                           at->t);
    return JN_OK;
}

const double *jn_node_controlled(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    jn_state node = *sim->s;
    node.u = x->v_node;
    if (m->handle_count) jn_measure_all(m, sim->w, &node);
    jn_working_forces working = x->working; /* what dissipates stays */
    working.driving = x->driving;
    take_forces(sim, &node, &working);
    jn_node_forces(m, sim->w, x->controlled);
    return x->controlled;
}

/* M u- = p, from the velocities u of the last segment: implicit elements have no part in it but on the difference, and the rates of
 * joints and drivers stay those of the segment, so that with those of the next one their mean is that of the node. f: p - M u. */
static void take_difference(jn_sim *sim, const double *u, double *f) {
    multiply_inertia(sim, u, f);
    for (int k = 0; k < sim->m->nv; k++) f[k] = sim->s->momentum[k] - f[k];
}

static int find_minus(jn_sim *sim, const double *u) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    take_difference(sim, u, x->delta);
    for (int i = 0; i < m->row_count; i++) sim->w->row_rhs[i] = 0;
    int status = jn_system_solve(sim, x->delta, sim->w->row_rhs, x->minus, x->lambda);
    for (int k = 0; k < m->nv; k++) x->minus[k] += u[k];
    return status;
}

/* Forces of contacts that go on, at one point of both bodies where they touch now, and turned with the normal: those without friction go through the middle of a ball. */
static void take_lasting(jn_sim *sim) {
    const jn_model *m = sim->m;
    const jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    bool any = false;
    for (int i = 0; i < n->set.count - n->set.dry; i++) {
        const jn_contact_point *h = &n->set.point[i];
        if (!jn_pair_is(m, h) || (h->force.x == 0 && h->force.y == 0 && h->force.z == 0)) continue;
        if (!any) memset(x->lasting, 0, (size_t)m->link_count * sizeof *x->lasting);
        any = true;
        const jn_contact_geometry *now = jn_contact_point_find(sim, h);
        int A = h->link[0], B = h->link[1];
        if (!now || v3_dot(now->n, h->geometry.n) < 0) now = &h->geometry;
        jn_vec3 force = v3_turn_along(h->geometry.n, now->n, h->force);
        jn_wrench w = {v3_cross(jn_contact_place(A, B, now), force), force};
        x->lasting[A] = wr_sub(x->lasting[A], w), x->lasting[B] = wr_add(x->lasting[B], w);
    }
    if (any) jn_loads_add(m, sim->w, x->lasting, x->contact_force);
}

/* What touches something and stands on the ground, by others or on its own, and whose loads at the last node will not go on for the most part: its contact forces at this one are unknown. It is
 * shown as it moves on the segment. What floats keeps its momentum, and is shown with all known forces; so is what has elements in the matrix of the step, whose part is not known before it. */
static void balance_unsteady(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const jn_groups *groups = &sim->nonsmooth->groups;
    for (int g = 0; g < groups->count && !jn_stiff_on(sim); g++) {
        const jn_group *group = &groups->group[g];
        if (!jn_group_is_unsteady(group) || !group->touches || !groups->group[groups->island[g]].grounded) continue;
        for (int k = 0; k < group->count; k++) {
            int v = groups->dof[group->first + k];
            x->contact_force[v] = -x->force[v];
        }
    }
}

/* Fills x->half_stiff, from x->minus, and x->u of the segment that ends here. */
static void take_half_stiff(jn_sim *sim) {
    const jn_model *m = sim->m;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double *y = x->half_stiff;
    if (!jn_stiff_on(sim)) return;
    memset(y, 0, (size_t)m->nv * sizeof *y);
    jn_stiff_multiply(sim, x->minus, y);
    for (int k = 0; k < m->nv; k++) y[k] = -y[k];
    jn_stiff_refer(sim, x->u, x->v_node, y);
    for (int k = 0; k < m->nv; k++) y[k] *= 0.5;
}

void jn_leapfrog_add_half_stiff(const jn_sim *sim, double *restrict f) {
    const double *half = sim->nonsmooth->leapfrog->half_stiff;
    if (!jn_stiff_on(sim)) return;
    for (int k = 0; k < sim->m->nv; k++) f[k] += half[k];
}

int jn_leapfrog_find_fall(jn_sim *sim, double time) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->falls = falls(sim, time);
    if (!x->falls)
        memset(x->fall, 0, (size_t)m->nv * sizeof *x->fall);
    else if (x->all_fall_freely)
        fall_freely(sim, time, x->fall);
    else if (!jn_stiff_has_diagonal(sim))
        return solve_fall(sim, time, x->fall);
    else
        for (int k = 0; k < m->nv; k++) x->fall[k] = time * x->falling[k];
    return JN_OK;
}

/* Velocities before the impulses of a node where a segment has ended, and what gravity adds until its forces act: together where one factor of the
 * trees' inertia gives both. */
static int find_minus_and_fall(jn_sim *sim, double time) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (m->row_count || sim->nonsmooth->stiff || !jn_system_is_tree(sim) || !falls(sim, time) || x->all_fall_freely) {
        int status = find_minus(sim, x->u);
        if (status >= 0) jn_leapfrog_take_rows(sim), jn_leapfrog_book_rows(sim);
        return status < 0 ? status : jn_leapfrog_find_fall(sim, time);
    }
    x->falls = true;
    take_difference(sim, x->u, x->minus), take_weights(sim, time, x->fall);
    jn_mass_solve_two(m, sim->w, x->minus, x->fall, x->both);
    for (int k = 0; k < m->nv; k++) x->minus[k] += x->u[k];
    return JN_OK;
}

/* Velocities at the node, on the constraints: half of its forces act before it. Those of contacts that last are the ones of the last
 * node. */
static int show_velocities(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double half = 0.5 * *jn_past_length(sim);
    take_lasting(sim);
    balance_unsteady(sim);
    jn_sleep_balance(sim);
    for (int k = 0; k < m->nv; k++) x->delta[k] = half * (x->force[k] + x->contact_force[k]);
    take_half_stiff(sim);
    jn_leapfrog_add_half_stiff(sim, x->delta);
    if (m->row_count) {
        jn_rows_multiply(m, sim->w, x->minus, sim->w->row_rhs);
        for (int i = 0; i < m->row_count; i++) sim->w->row_rhs[i] = x->rate[i] - sim->w->row_rhs[i];
    }
    int status = jn_system_solve(sim, x->delta, sim->w->row_rhs, sim->s->u, x->lambda);
    for (int k = 0; k < m->nv; k++) x->plain[k] = sim->s->u[k] += x->minus[k];
    jn_stiff_add_springs(sim, x->plain, sim->s->u, true);
    return status;
}

/* ----------------------------------------------------------------------------------------------------- coming there */

/* The state as its user left it: momenta are those of its velocities, half of the first forces acts before it. */
static int start_anew(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    *jn_past_length(sim) = *jn_past_before(sim) = *jn_past_impact(sim) = 0;
    for (int g = 0; g < m->link_count; g++) *jn_past_smooth(sim, g) = 0;
    for (int k = 0; k < m->nv; k++) jn_past_velocity(sim, k)[0] = sim->s->u[k];
    memset(sim->s->past + JN_PAST_PENDING, 0, JN_LEDGER * sizeof(double));
    memset(jn_past_miss(sim), 0, (size_t)(m->row_count + m->nq + m->nv) * sizeof(double));
    memcpy(x->v_node, sim->s->u, (size_t)m->nv * sizeof *x->v_node);
    jn_kinematics(m, sim->w, sim->s);
    if (m->handle_count) jn_measure_all(m, sim->w, sim->s);
    int status = take_terms(sim, sim->s);
    if (status < 0) return status;
    multiply_inertia(sim, sim->s->u, sim->s->momentum);
    memcpy(x->minus, sim->s->u, (size_t)m->nv * sizeof *x->minus);
    sim->s->past[JN_PAST_SIGNATURE] = signature(sim);
    return JN_OK;
}

/* Velocity at the node from those of the last segments. */
static void predict_node(const jn_sim *sim, double *v) {
    double h = *jn_past_length(sim), both = h + *jn_past_before(sim), ahead = both != 0 ? h / both : 0;
    for (int k = 0; k < sim->m->nv; k++) {
        const double *past = jn_past_velocity(sim, k);
        bool smooth = *jn_past_smooth(sim, sim->nonsmooth->groups.of[sim->m->dof_link[k]]) > 1;
        v[k] = smooth ? past[0] + ahead * (past[0] - past[1]) : past[0];
    }
}

/* The same terms again, after the work space was used for something else. The velocities that the user sees stay. */
static int return_to_node(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    predict_node(sim, x->v_node);
    memcpy(n->at->q, sim->s->q, (size_t)m->nq * sizeof *n->at->q);
    memcpy(n->at->u, x->v_node, (size_t)m->nv * sizeof *n->at->u);
    memcpy(n->at->angle, sim->s->angle, (size_t)m->angle_count * sizeof *n->at->angle);
    n->at->t = sim->s->t;
    jn_kinematics(m, sim->w, n->at);
    if (m->handle_count) jn_measure_all(m, sim->w, n->at);
    int status = take_terms(sim, n->at);
    for (int k = 0; k < m->nv; k++) x->u[k] = jn_past_velocity(sim, k)[0];
    return status < 0 ? status : find_minus(sim, x->u);
}

int jn_node_evaluate(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    if (jn_node_stands(sim)) return JN_OK;
    jn_nonsmooth_hide_forces(sim);
    x->detected = false;
    bool known = *jn_past_length(sim) != 0 && sim->s->past[JN_PAST_SIGNATURE] == signature(sim);
    int status = known ? return_to_node(sim) : start_anew(sim);
    if (status >= 0) remember_state(sim);
    return status;
}

/* Momenta of bodies and trees that float change by what was given to them and by nothing else, whatever the solution left. Of some links behind the ground. */
static void take_given(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double *p = sim->s->momentum;
    for (int i = from + 1; i < to + 1; i++) {
        const jn_link *l = &sim->m->links[i];
        int turns = l->type == JN_JOINT_FREE ? 3 : l->type == JN_JOINT_PLANAR ? 2 : 0;
        if (l->parent || !turns) continue;
        const jn_twist *S = sim->w->S + l->v;
        jn_vec3 linear = v3(0, 0, 0), way = v3_sub(sim->w->link[i].O, x->link[i].O);
        for (int k = 0; k < turns; k++) linear = v3_axpy(x->given[l->v + k], S[k].v, linear);
        jn_vec3 moment = v3_cross(way, linear); /* L' = L - (O' - O) x p */
        for (int k = l->v; k < l->v + l->nv; k++) jn_past_p_rest(sim)[k] = x->p_rest[k] + x->given_rest[k];
        for (int k = 0; k < l->nv; k++)
            p[l->v + k] = k < turns ? x->given[l->v + k] : x->given[l->v + k] - v3_dot(S[k].w, moment);
    }
}

/* Velocities of the segment become the last ones. Of some links behind the ground. */
static void push_velocities(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    for (int k = sim->m->links[from + 1].v, end = sim->m->links[to].v + sim->m->links[to].nv; k < end; k++) {
        double *past = jn_past_velocity(sim, k);
        for (int j = JN_PAST_STEPS - 1; j > 0; j--) past[j] = past[j - 1];
        past[0] = x->u[k];
    }
}

static void arrive_some(void *context, int from, int to) {
    if (from == to) return;
    take_given(context, from, to);
    push_velocities(context, from, to);
}

/* Momenta at the node where the segment ends, and the past; the rest of the solution's error is given at the next node. */
static void take_segment(jn_sim *sim) {
    const jn_model *m = sim->m;
    const jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double *p = sim->s->momentum;
    bool all_float = sim->nonsmooth->groups.plain; /* each by itself: none is left to project */
    if (!all_float) jn_segment_project(m, sim->w, x->u, x->segment, p);
    for (int k = 0; k < m->nv && !all_float; k++) p[k] += x->given[k] - x->pi[k], jn_past_p_rest(sim)[k] = 0;
    jn_pool_range(sim->pool, m->link_count - 1, JN_SHARED_LINKS, arrive_some, sim);
    for (int g = 0; g < sim->m->link_count; g++) {
        double *smooth = jn_past_smooth(sim, g);
        if (x->h != *jn_past_length(sim)) *smooth = jn_min(*smooth, 1); /* of other lengths: only the last is of use */
        *smooth = sim->nonsmooth->groups.group[g].impacted ? 1 : jn_min(JN_PAST_STEPS, *smooth + 1);
    }
}

int jn_node_arrive(jn_sim *sim, double t_end) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    take_segment(sim);
    memcpy(sim->s->q, x->q_end, (size_t)m->nq * sizeof *sim->s->q);
    memcpy(jn_past_q_rest(sim), x->q_rest, (size_t)m->nq * sizeof *x->q_rest);
    *jn_past_before(sim) = *jn_past_length(sim), *jn_past_length(sim) = x->h, *jn_past_impact(sim) = x->impact;
    sim->s->t = n->at->t = t_end; /* the same number where the node is evaluated again */
    int status = take_terms(sim, n->at);
    if (status < 0) return status;
    status = find_minus_and_fall(sim, 0.5 * x->h);
    if (status >= 0) status = show_velocities(sim);
    if (status < 0) return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\ntake smaller steps", t_end);
    for (int k = 0; k < m->nv; k++)
        if (!isfinite(sim->s->u[k]))
            return jn_sim_fail(sim, JN_ERR_NUMERIC, "the velocities are not finite at t = %.9g s\ntake smaller steps",
                               t_end);
    if (m->angle_count) jn_angles_update(m, sim->w, sim->s);
    jn_leapfrog_book_half(sim);
    sim->s->past[JN_PAST_SIGNATURE] = x->hanging_of = signature(sim);
    remember_state(sim);
    return JN_OK;
}

void jn_node_return(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    sim->s->t = x->t_seen;
    *jn_past_length(sim) = 0, x->placed = (unsigned long)-1; /* segments before it are forgotten: the last one was that which failed */
    memcpy(sim->s->q, x->q_seen, (size_t)sim->m->nq * sizeof *sim->s->q);
    memcpy(sim->s->u, x->u_seen, (size_t)sim->m->nv * sizeof *sim->s->u);
}

/* The flow of a step of the momentum leapfrog. */
#include "step/nonsmooth/leapfrog.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------- the end of the segment */

void jn_leapfrog_swap_poses(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_link_motion *link = sim->w->link;
    jn_twist *S = sim->w->S;
    sim->w->link = x->link, sim->w->S = x->S, x->link = link, x->S = S;
}

/* Of some links behind the ground: q_k+1 = q_k [+] h u. Small steps add up without loss, but for quaternions. */
static void move_positions(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_link *links = sim->m->links;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    const double *q = sim->s->q, *past = jn_past_q_rest(sim);
    for (int i = from + 1, next; i < to + 1; i = next) { /* a link with a quaternion, or all up to the next one */
        bool turns = links[i].nq != links[i].nv;
        for (next = i + 1; next < to + 1 && !turns && links[next].nq == links[next].nv;) next++;
        if (turns) jn_q_after_links(sim->m, q, x->u, x->h, i, next, x->q_end);
        const jn_link *last = &links[next - 1];
        const double *u = x->u + links[i].v;
        for (int k = links[i].q, end = turns ? k + last->nv - 3 : last->q + last->nq; k < end; k++, u++)
            x->q_end[k] = jn_add_exactly(q[k], x->h * *u + past[k], &x->q_rest[k]);
    }
}

/* And the velocities there at which forces are taken. */
static void extrapolate_velocities(void *context, int from, int to) {
    jn_sim *sim = context;
    const jn_groups *groups = &sim->nonsmooth->groups;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double both = x->h + *jn_past_length(sim), ahead = both != 0 ? x->h / both : 0;
    for (int i = from + 1, next; i < to + 1; i = next) {
        int group = groups->of[i], v = sim->m->links[i].v;
        next = jn_group_run(groups, i, to + 1);
        int end = sim->m->links[next - 1].v + sim->m->links[next - 1].nv;
        bool smooth = !groups->group[group].impacted && *jn_past_smooth(sim, group) > 0;
        for (const double *past = jn_past_velocity(sim, v); v < end; v++, past += JN_PAST_STEPS)
            x->v_node[v] = smooth ? x->u[v] + ahead * (x->u[v] - *past) : x->u[v];
    }
}

static void find_end(void *context, int from, int to) {
    move_positions(context, from, to);
    extrapolate_velocities(context, from, to);
}

/* Where the segment ends, with the velocities that forces are taken at there. */
static void place_end(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_nonsmooth *n = sim->nonsmooth;
    jn_leapfrog *x = n->leapfrog;
    jn_pool_range(sim->pool, m->link_count - 1, JN_SHARED_LINKS, find_end, sim);
    memcpy(n->at->q, x->q_end, (size_t)m->nq * sizeof *x->q_end);
    memcpy(n->at->u, x->v_node, (size_t)m->nv * sizeof *n->at->u);
    memcpy(n->at->angle, sim->s->angle, (size_t)m->angle_count * sizeof *n->at->angle);
    n->at->t = sim->s->t + x->h;
    jn_leapfrog_swap_poses(sim);
    jn_kinematics(m, sim->w, n->at);
    if (m->handle_count) jn_measure_all(m, sim->w, n->at);
}

/* Largest violation where the segment ends; corrects what the linear prediction misses. */
static double correct_aim(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double most = 0;
    jn_constraint_rows(m, sim->w, sim->nonsmooth->at, JN_ROWS_POSITION);
    for (int i = 0; i < m->row_count; i++) {
        most = jn_max(most, fabs(sim->w->phi[i]));
        x->miss[i] += sim->w->phi[i], x->target[i] -= sim->w->phi[i] / x->h;
    }
    return most;
}

/* The segment, and the poses at its end, on the constraints there and without penetration. */
static int find_segment(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    double last = INFINITY;
    int gaps = 0;
    for (int n = 0;; n++) {
        if (n > 0) jn_leapfrog_begin_bounds(sim, false);
        int status = jn_leapfrog_solve_passes(sim, n > 0 || x->found_count > 0);
        while (status >= 0 && jn_leapfrog_next_stage(sim)) status = jn_leapfrog_solve_passes(sim, true);
        if (status < 0) return status;
        jn_leapfrog_note_smooth(sim);
        place_end(sim);
        double off = m->row_count ? correct_aim(sim) : 0;
        bool closed =
            off <= JN_LEAPFROG_CLOSED || (off < JN_LEAPFROG_CLOSED_STALL && off > JN_LEAPFROG_STALL_RATIO * last);
        x->detected = false;
        if (x->forced && isfinite(off)) break;
        if (closed && (gaps >= JN_LEAPFROG_GAPS_MOST || !jn_leapfrog_correct_gaps(sim, gaps == 0))) break;
        gaps += closed;
        if (n == JN_LEAPFROG_CLOSURES_MOST + JN_LEAPFROG_GAPS_MOST || !isfinite(off)) {
            jn_leapfrog_swap_poses(sim);
            return jn_sim_fail(sim, JN_ERR_STEP, "the joints cannot be closed at t = %.9g s\ntake smaller steps",
                               sim->s->t);
        }
        last = closed ? INFINITY : off; /* a corrected gap has moved the joints: what it leaves is no stall */
        jn_leapfrog_swap_poses(sim);
    }
    memcpy(jn_past_miss(sim), x->miss, (size_t)m->row_count * sizeof *x->miss);
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------------------ the step */

/* The contacts that may act, their problem, and the segment that it leads to. */
static int meet_contacts_in_reach(jn_sim *sim) {
    jn_nonsmooth *n = sim->nonsmooth;
    int status = jn_leapfrog_choose(sim);
    if (status >= 0 && n->set.count) status = jn_contact_set_rows(&n->set, sim);
    if (status < 0) return status;
    if (n->set.count) jn_leapfrog_pose(sim);
    if (!n->leapfrog->begun) jn_leapfrog_predict(sim);
    return find_segment(sim);
}

/* Back to the node, from the end of a segment whose contacts were too few. Impacts may have made bodies faster than they came. */
static int go_back(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_state node = *sim->s;
    jn_leapfrog_swap_poses(sim);
    memcpy(x->v_node, x->v_taken, (size_t)m->nv * sizeof *x->v_node);
    node.u = x->v_node;
    if (m->handle_count) jn_measure_all(m, sim->w, &node);
    if (m->row_count) jn_constraint_rows(m, sim->w, &node, JN_ROWS_POSITION), jn_leapfrog_aim_at_constraints(sim);
    int status = jn_leapfrog_take_base(sim);
    if (status >= 0) status = jn_leapfrog_move_freely(sim);
    return status < 0 || !sim->contacts ? status : jn_leapfrog_detect_again(sim);
}

/* The same, again with all that could come together at the speeds that were found, and with the points that ended too deep, where contacts were
 * missed. */
static int solve_contacts(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    jn_ledger ledger = sim->s->ledger;
    int status = meet_contacts_in_reach(sim);
    for (int n = 0; n < JN_LEAPFROG_MISSED_MOST && status >= 0; n++) {
        bool deep = jn_leapfrog_find_end_points(sim), beyond = jn_leapfrog_passes_stop(sim);
        if (!deep && !beyond && !x->missed) break;
        jn_leapfrog_note_speeds(sim), jn_leapfrog_note_impulses(sim);
        sim->s->ledger = ledger;
        status = go_back(sim);
        if (status >= 0) status = meet_contacts_in_reach(sim);
    }
    return status;
}

/* What solutions of the last segment missed, and how fast they were. */
static void forget_last_segment(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    x->closing_turn = x->swiftest_point = 0, x->compliant_overlap = 0, x->missed = false, x->end_points = x->found_count = 0;
    memset(x->swift, 0, (size_t)sim->m->link_count * sizeof *x->swift);
}

/* Velocities of the segment that begins at the node of the state, the contact problem posed and solved. */
static int solve_node(jn_sim *sim) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int status = jn_leapfrog_take_base(sim);
    if (sim->m->row_count) jn_leapfrog_aim_at_constraints(sim);
    if (status >= 0) status = jn_leapfrog_move_and_begin(sim);
    forget_last_segment(sim);
    memcpy(x->v_taken, x->v_node, (size_t)sim->m->nv * sizeof *x->v_node); /* the end of the segment takes its place */
    if (status >= 0) status = jn_leapfrog_find_fall(sim, 0.5 * (*jn_past_length(sim) - x->h));
    if (status >= 0) status = solve_contacts(sim);
    return status;
}

static int move_to_next_node(jn_sim *sim, double h, double t_end) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int status = jn_node_evaluate(sim);
    x->h = h, x->H = 0.5 * (h + *jn_past_length(sim));
    if (status >= 0 && sim->m->spring_count) status = jn_leapfrog_check_swings(sim, x->h * x->H);
    if (status >= 0) status = solve_node(sim);
    if (status < 0) return status;
    if (jn_leapfrog_ends_deep(sim)) {
        jn_leapfrog_swap_poses(sim);
        return jn_sim_fail(sim, JN_ERR_STEP, "bodies sink into each other at t = %.9g s\ntake smaller steps", t_end);
    }
    if (jn_leapfrog_gives_much(sim)) {
        jn_leapfrog_swap_poses(sim);
        return jn_sim_fail(sim, JN_ERR_STEP, "contacts give energy at t = %.9g s\ntake smaller steps", t_end);
    }
    if (sim->nonsmooth->set.count) {
        const jn_set_solve *solve = &sim->nonsmooth->set.solve;
        double error = jn_max(solve->speed_error, x->dropped);
        sim->audit.contact_speed_error = jn_max(sim->audit.contact_speed_error, error);
        sim->audit.unsolved += solve->unsolved || x->dropped > jn_contact_set_residual(sim);
        sim->audit.jams += x->jams;
    }
    jn_leapfrog_book(sim);
    jn_leapfrog_keep(sim);
    jn_sleep_book(sim);
    jn_leapfrog_swap_poses(sim);
    if (sim->contacts) jn_nonsmooth_sum_forces(sim, x->H);
    jn_leapfrog_swap_poses(sim);
    status = jn_node_arrive(sim, t_end);
    if (status < 0) return status;
    if (sim->contacts) jn_nonsmooth_sum_gaps(sim);
    return JN_OK;
}

/* A segment that fails leaves the state at its node. */
static int step_by(jn_sim *sim, double h, double t_end) {
    jn_ledger ledger = sim->s->ledger;
    double start = sim->s->t;
    int status = move_to_next_node(sim, h, t_end);
    if (status < 0) sim->s->ledger = ledger;
    if (status < 0 && sim->s->t != start) jn_node_return(sim);
    return status;
}

/* Whether nothing can touch on the way of a step: no contact, stop or dry friction takes part, and nothing needs to be implicit. */
static int flies(jn_sim *sim, double h, bool *free) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    *free = false;
    if (sim->nonsmooth->stiff || sim->m->dry_count) return JN_OK;
    int status = jn_node_evaluate(sim);
    x->h = h, x->H = 0.5 * (h + *jn_past_length(sim));
    forget_last_segment(sim);
    if (status >= 0) status = jn_leapfrog_take_base(sim);
    if (sim->m->row_count) jn_leapfrog_aim_at_constraints(sim);
    if (status >= 0) status = jn_leapfrog_move_freely(sim);
    if (status >= 0) status = jn_leapfrog_choose(sim);
    *free = status >= 0 && sim->nonsmooth->set.count == 0;
    return status;
}

/* Symmetric compositions of symmetric steps: first half of their parts and the middle one. Of fourth order [Suzuki1990], and of sixth
 * [Kahan1997]. */
static const double fourth[] = {0.41449077179437573714, 0.41449077179437573714};
static const double sixth[] = {0.39216144400731413928, 0.33259913678935943860, -0.70624617255763935981,
                               0.08221359629355080023};

static int fly(jn_sim *sim, double h, double end) {
    bool six = sim->m->run.order > 4;
    const double *part = six ? sixth : fourth;
    int count = six ? 4 : 2, last = 2 * count;
    double start = sim->s->t, way = 0, middle = 1;
    int status = JN_OK;
    for (int k = 0; k < count; k++) middle -= 2 * part[k];
    for (int k = 0; k <= last && status >= 0; k++) {
        double one = k == count ? middle : part[k < count ? k : last - k];
        way += one;
        status = step_by(sim, one * h, k == last ? end : start + way * h);
    }
    return status;
}

/* A part of a step that does not converge, or ends too deep, each try half of the one before. A loop that passes a singular position may have no solution however short the step is:
 * without contacts it is taken as it is. Its momenta are kept, what its end misses of the joints is met in the next ones, and the audit counts it. */
static int take_part(jn_sim *sim, double h) {
    jn_leapfrog *x = sim->nonsmooth->leapfrog;
    int status = JN_ERR_STEP;
    for (int k = 0; k < sim->m->nv; k++) x->delta[k] = jn_past_velocity(sim, k)[0];
    double speed = jn_leapfrog_largest_speed(sim->m, x->delta);
    for (int n = 1; status == JN_ERR_STEP && n <= JN_LEAPFROG_HALVES_MOST && !x->forced; n++) {
        bool turns = h * speed > JN_LEAPFROG_TURNS_FAR;
        sim->error = (jn_error){0}, sim->audit.rejected++;
        x->forced = n > JN_LEAPFROG_HALVES_SINGULAR && !turns && sim->m->row_count && !sim->nonsmooth->set.count;
        if (x->forced)
            sim->audit.unconverged++;
        else
            h *= 0.5;
        status = step_by(sim, h, sim->s->t + h);
    }
    x->forced = false;
    return status;
}

/* Whether the audit looks at a step: at the first ones, twice as late each time, and then at regular ones. */
static bool is_sampled(long steps) {
    return steps % JN_LEAPFROG_SAMPLE_EVERY == 0 || (steps < JN_LEAPFROG_SAMPLE_EVERY && (steps & (steps - 1)) == 0);
}

int jn_step_leapfrog(jn_sim *sim, double t) {
    double end, h = jn_fixed_step(sim, t, &end);
    bool free = false;
    if (jn_sleep_on(sim, end)) {
        sim->audit.steps++;
        return JN_OK;
    }
    jn_nonsmooth_hide_forces(sim);
    double start = sim->s->t;
    int status = sim->m->run.order > 2 ? flies(sim, h, &free) : JN_OK;
    if (free) jn_state_copy(sim->before, sim->s);
    if (status >= 0) status = free ? fly(sim, h, end) : step_by(sim, h, end);
    if (status == JN_ERR_STEP && free && sim->s->t != start) { /* some parts of a composition, which goes beyond the step and back */
        jn_state_copy(sim->s, sim->before);
        sim->nonsmooth->leapfrog->placed = (unsigned long)-1;
    }
    if (status == JN_ERR_STEP) status = take_part(sim, h);
    if (status < 0) return status;
    sim->audit.steps++;
    jn_sleep_watch(sim);
    if (is_sampled(sim->audit.steps)) jn_nonsmooth_sample(sim);
    jn_nonsmooth_show_forces(sim);
    return JN_OK;
}

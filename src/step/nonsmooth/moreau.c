/* Moreau's time stepping: Signorini's, Coulomb's and Newton's laws on velocities, once per step.
 *
 *     M (u_E - u_A) = dt h + G^T Lambda + W_N P_N + W_T P_T,   xi_N = gamma_NE + e_N gamma_NA,   xi_T = gamma_TE + e_T gamma_TA
 *
 * moreau_midpoint takes all terms at q_M = q_A + dt/2 u_A [Flores2010, section 5], moreau_jean is the theta-method, implicit,
 * with its terms in the middle of the step or at its end [Acary2008, 10.1]. Closed is what has closed in the middle. */
#include "step/nonsmooth/moreau.h"
#include "algebra/elementary.h"

#include <string.h>

/* -------------------------------------------------------------------------------------------------- one problem */

/* What counts as closed at a configuration `ahead` of where gaps are judged. A driver may be moved away from what rests on it by the
 * error of a step, which opens no contact. */
static jn_closed closed_at(const jn_sim *sim, double ahead) {
    double step = sim->m->run.step;
    return (jn_closed){.ahead = ahead,
                       .kept = sim->nonsmooth->moreau->lag ? 0.5 * sim->nonsmooth->gravity * step * step : 0};
}

static int choose(jn_sim *sim, const jn_closed *closed) {
    int status = jn_contact_set_choose(&sim->nonsmooth->set, sim, closed);
    if (status >= 0 && sim->nonsmooth->moreau->only_closed) jn_instant_filter(sim);
    return status < 0 ? status : jn_dry_choose(sim);
}

/* x->free = u_A + A^-1 applied with G u = -dPhi/dt: the end of the step without contacts. The work space stands at x->at. */
int jn_nonsmooth_move_freely(jn_sim *sim, const double *applied, double *out) {
    int status = jn_system_solve(sim, applied, sim->w->row_rhs, out, sim->nonsmooth->impulse);
    for (int i = 0; i < sim->m->nv; i++) out[i] += sim->s->u[i];
    return status;
}

/* Rows of the constraints at x->at, and what G (u_E - u_A) must be. G u_E = -dPhi/dt [Flores2010, eq. 85]; with positions and
 * velocities corrected after the step it is the weighted mean of the velocities that meets the constraints, so that joints do no
 * work and drivers move in time. */
static void aim_constraints(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_work *w = sim->w;
    if (m->row_count == 0) return;
    bool mean = m->run.scheme == JN_SCHEME_MOREAU_JEAN && jn_run_projects(&m->run);
    double part = mean && m->run.terms == JN_TERMS_MIDDLE ? m->run.theta : 1;
    jn_constraint_rows(m, w, x->at, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    jn_drivers_aim(sim, part);
    for (int i = 0; i < m->nv; i++) x->row[i] = x->at->u[i] - sim->s->u[i];
    jn_rows_multiply(m, w, x->row, w->row_rhs);
    for (int i = 0; i < m->row_count; i++) w->row_rhs[i] = (w->row_rhs[i] - w->phi_rate[i]) / part;
    memset(x->row, 0, (size_t)m->nv * sizeof *x->row);
}

/* q = gamma_E without impulses + e gamma_A. [Flores2010, eq. 69-70] gamma_A = W^T u_A with the rows of the problem, or with
 * those at the start of the step where its terms stand at the end [Acary2008, 10.1]. */
static void pose_problem(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    int d = x->set.dimension;
    bool end = sim->m->run.terms == JN_TERMS_END;
    jn_contact_set_velocities(&x->set, sim->s->u, x->set.before);
    jn_contact_set_velocities(&x->set, x->free, x->set.q);
    for (int i = 0; i < x->set.count; i++) {
        jn_contact_point *h = &x->set.point[i];
        if (i >= x->set.count - x->set.dry) {
            jn_dry_pose(sim, i, dt);
            continue;
        }
        const jn_contact_desc *row = &sim->m->contacts[h->row];
        double start[3] = {h->approach, h->slip[0], h->slip[1]};
        const double *gamma_A = end ? start : x->set.before + i * d;
        double e_N = row->restitution > 0 ? row->restitution : 0;
        double e_T = row->tangential_restitution > 0 ? row->tangential_restitution : 0;
        h->impacting = -x->set.before[i * d] > jn_fmax(JN_STILL, fabs(x->set.q[i * d] - x->set.before[i * d]));
        x->set.q[i * d] += e_N * gamma_A[0];
        for (int r = 1; r < d; r++) x->set.q[i * d + r] += e_T * gamma_A[r];
    }
}

/* Velocities at the end of the step with the terms at x->at, into x->velocity. */
static int solve_here(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    aim_constraints(sim);
    double reach = sim->m->run.theta * dt;
    int status = jn_system_factor(sim, (jn_stiff_weights){.c = reach, .k = reach * reach});
    jn_stiff_add(sim, sim->s->u, x->applied);
    if (status >= 0) status = jn_nonsmooth_move_freely(sim, x->applied, x->free);
    if (status < 0) return jn_sim_fail(sim, status, "the joints lock at t = %.9g s\ntake smaller steps", sim->s->t);
    memcpy(x->velocity, x->free, (size_t)sim->m->nv * sizeof *x->velocity);
    if (x->set.count == 0) return JN_OK;
    status = jn_contact_set_rows(&x->set, sim);
    if (status < 0) return status;
    pose_problem(sim, dt);
    x->set.solve.uncounted = true;
    status = jn_contact_set_solve(&x->set, sim);
    x->set.solve.uncounted = false;
    if (status < 0) return status;
    if (sim->m->row_count == 0) {
        jn_contact_set_apply(&x->set, sim, x->set.p, x->velocity);
        return JN_OK;
    }
    jn_contact_set_force(&x->set, x->set.p, x->applied); /* with the impulses of joints and drivers */
    return jn_nonsmooth_move_freely(sim, x->applied, x->velocity);
}

/* Whether further evaluations may take the factor of the first. */
static bool is_smooth(const jn_sim *sim) {
    const jn_nonsmooth *x = sim->nonsmooth;
    return x->set.count == 0 && sim->m->row_count == 0 && !x->stiff && !x->groups.plain;
}

/* The same end without contacts, from the velocities before: what they leave of the equations, M (u - u_A) - dt h with the terms
 * at x->at, goes through the factor of the first evaluation. O(n). */
static void improve(jn_sim *sim, double dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    int nv = sim->m->nv;
    for (int i = 0; i < nv; i++) x->applied[i] = (x->moreau->iterate[i] - sim->s->u[i]) / dt;
    jn_forces_left(sim, x->at, x->applied);
    for (int i = 0; i < nv; i++) x->applied[i] = dt * sim->force[i];
    jn_inertia_solve(sim, x->applied);
    for (int i = 0; i < nv; i++) x->velocity[i] = x->moreau->iterate[i] + x->applied[i];
}

/* ------------------------------------------------------------------------------------------------------ schemes */

/* State at a part of the step: velocity v, positions after `length` seconds of it. */
static void stand_at(jn_sim *sim, double weight, double length, double t) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    const double *restrict from = sim->s->u, *restrict to = x->moreau->iterate;
    double *restrict u = x->at->u;
    x->at->t = t;
    for (int i = 0; i < m->nv; i++) u[i] = weight * to[i] + (1 - weight) * from[i];
    jn_q_after(m, sim->s->q, u, length, x->at->q);
}

/* Velocities at the end of the step with all terms at x->at; closed: what counts as closed, at the first evaluation. */
static int evaluate_middle(jn_sim *sim, double dt, const jn_closed *closed) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_forces_at(sim, x->at);
    for (int i = 0; i < sim->m->nv; i++) x->applied[i] = dt * sim->force[i];
    if (closed) {
        int status = choose(sim, closed);
        if (status < 0) return status;
        jn_contact_set_guess(&x->set, sim), jn_dry_guess(sim, dt);
    } else {
        jn_contact_set_follow(&x->set, sim);
    }
    return solve_here(sim, dt);
}

/* The step stands on its last problem: those of the evaluations before only led to it. One that no solver ends is not taken: that of
 * a shorter step is another one. Where that did not help either, the next ones are taken as they are until one is solved. */
static int take_problem(jn_sim *sim, double dt) {
    const jn_nonsmooth *x = sim->nonsmooth;
    bool unsolved = x->set.count && x->set.solve.unsolved;
    double *last = &sim->s->past[JN_PAST_UNSOLVED], shortest = sim->m->run.step / JN_MOREAU_PARTS_MOST;
    if (unsolved && *last == 0 && sim->m->run.scheme == JN_SCHEME_MOREAU_JEAN &&
        dt > JN_MOREAU_SHORTEST_ROUND * shortest)
        return jn_sim_fail(sim, JN_ERR_STEP, "the contact problem at t = %.9g s is not solved", sim->s->t);
    memcpy(x->moreau->iterate, x->velocity, (size_t)sim->m->nv * sizeof *x->moreau->iterate);
    *last = unsolved;
    sim->audit.unsolved += unsolved;
    if (x->set.count)
        sim->audit.contact_speed_error = jn_fmax(sim->audit.contact_speed_error, x->set.solve.speed_error);
    return JN_OK;
}

/* Velocities that an explicit step has moved with, and the power of springs, dampers, motors and applied forces with them; the work space
 * stands at the middle of the step. */
static void take_mean_power(jn_sim *sim, double theta) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    for (int i = 0; i < m->nv; i++) x->at->u[i] = theta * sim->s->u[i] + (1 - theta) * x->velocity[i];
    if (!jn_work_has_power(m, sim->w)) return;
    jn_velocities(m, sim->w, x->at);
    jn_measure_all(m, sim->w, x->at);
    jn_forces(m, sim->w, x->at);
}

/* All terms at q_A + theta dt u with u = theta u_E + (1 - theta) u_A. One evaluation with u = u_A is Moreau's
 * midpoint rule for theta = 1/2 [Flores2010, eq. 36-44]; its fixed point is the implicit midpoint rule, of second order without impacts. */
static int step_middle(jn_sim *sim, double dt, double theta, int most) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_fixed_point p = jn_fixed_point_start();
    jn_closed closed = closed_at(sim, 0);
    closed.back = most > 1 ? theta * dt : 0;
    for (int n = 0; n < most && !p.done; n++) {
        int status = JN_OK;
        stand_at(sim, most > 1 ? theta : 0, theta * dt, sim->s->t + theta * dt);
        if (n && is_smooth(sim))
            improve(sim, dt);
        else
            status = evaluate_middle(sim, dt, n ? NULL : &closed);
        if (status >= 0 && most > 1) status = jn_fixed_point_judge(sim, &p);
        if (status < 0) return status;
    }
    x->moreau->given = jn_nonsmooth_step_external(sim, dt);
    int status = take_problem(sim, dt);
    if (status < 0) return status;
    if (most == 1) { /* q_E = q_M + dt/2 u_E, eq. 44 */
        jn_q_after(m, x->at->q, x->velocity, (1 - theta) * dt, sim->s->q);
        take_mean_power(sim, theta);
        return JN_OK;
    }
    stand_at(sim, theta, dt, sim->s->t + dt);
    memcpy(sim->s->q, x->at->q, (size_t)m->nq * sizeof *sim->s->q);
    return JN_OK;
}

/* h = theta h_E + (1 - theta) h_A; M and W at q_E = q_A + dt (theta u_E + (1 - theta) u_A) [Acary2008, 10.1]. */
static int step_end(jn_sim *sim, double dt, double theta, int most) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    jn_fixed_point p = jn_fixed_point_start();
    jn_forces_at(sim, sim->s);
    memcpy(x->moreau->start_force, sim->force, (size_t)m->nv * sizeof *sim->force);
    x->moreau->start_power = sim->w->power;
    x->moreau->start_external = jn_external_forces(m, sim->w);
    jn_closed closed = closed_at(sim, 0.5 * dt);
    int status = choose(sim, &closed);
    if (status < 0) return status;
    jn_contact_set_guess(&x->set, sim), jn_dry_guess(sim, dt);
    for (int n = 0; n < most && !p.done; n++) {
        stand_at(sim, theta, dt, sim->s->t + dt);
        memcpy(x->at->u, x->moreau->iterate, (size_t)m->nv * sizeof *x->moreau->iterate);
        jn_forces_at(sim, x->at);
        jn_contact_set_follow(&x->set, sim);
        for (int i = 0; i < m->nv; i++)
            x->applied[i] = dt * (theta * sim->force[i] + (1 - theta) * x->moreau->start_force[i]);
        status = solve_here(sim, dt);
        if (status >= 0) status = jn_fixed_point_judge(sim, &p);
        if (status < 0) return status;
    }
    jn_nonsmooth_mean_power(sim, theta);
    x->moreau->given =
        wr_add(jn_nonsmooth_step_external(sim, theta * dt), wr_scale((1 - theta) * dt, x->moreau->start_external));
    status = take_problem(sim, dt);
    if (status < 0) return status;
    stand_at(sim, theta, dt, sim->s->t + dt);
    memcpy(sim->s->q, x->at->q, (size_t)m->nq * sizeof *sim->s->q);
    return JN_OK;
}

static int take_step(jn_sim *sim, double dt) {
    const jn_run_desc *run = &sim->m->run;
    jn_nonsmooth *x = sim->nonsmooth;
    int most = run->iterations > 0                                               ? (int)run->iterations
               : (x->moreau->steady && !sim->w->push_count) || x->moreau->forced ? 1
                                                                                 : JN_EVALUATIONS_MOST;
    jn_guess_velocity(sim, dt, x->moreau->iterate);
    jn_drivers_prepare(sim, dt, run->scheme == JN_SCHEME_MOREAU_MIDPOINT ? 0.5 : run->theta);
    if (run->scheme == JN_SCHEME_MOREAU_MIDPOINT) return step_middle(sim, dt, 0.5, 1);
    return run->terms == JN_TERMS_END ? step_end(sim, dt, run->theta, most) : step_middle(sim, dt, run->theta, most);
}

/* A step without the contacts that were open at its start; x->at is where it ends. */
static int try_step(jn_sim *sim, double dt, double theta, double *gap) {
    jn_nonsmooth *x = sim->nonsmooth;
    (void)theta;
    x->moreau->only_closed = true;
    memcpy(sim->before->q, sim->s->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    int status = take_step(sim, dt);
    x->moreau->only_closed = false;
    memcpy(x->at->q, sim->s->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    memcpy(sim->s->q, sim->before->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    if (status < 0) return status;
    jn_kinematics(sim->m, sim->w, x->at);
    if (sim->m->stop_count) jn_measure_all(sim->m, sim->w, x->at);
    status = jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin);
    *gap = jn_instant_gap(sim);
    return status;
}

/* A step that ends where a contact closes, and collides there [Studer2009]. Resting contacts are kept closed on velocities; what leaves
 * is followed as long as its flight is longer than h-. */
static int take_adapted_step(jn_sim *sim, double *dt) {
    double least = jn_fmin(*dt, jn_instant_shortest(sim)), gap;
    jn_positions_locate(sim);
    int status = jn_instant_start(sim, JN_MOREAU_CLOSED, *dt);
    if (status < 0) return status;
    status = try_step(sim, *dt, 0, &gap);
    if (status >= 0 && gap < 0) status = jn_instant_find(sim, try_step, 0, least, dt, gap);
    if (status < 0) return status;
    if (*dt < least) { /* nearer than that: it falls into the step */
        status = take_step(sim, *dt = least);
        if (status >= 0) jn_contact_set_book(&sim->nonsmooth->set, sim);
        return status;
    }
    memcpy(sim->s->q, sim->nonsmooth->at->q, (size_t)sim->m->nq * sizeof *sim->s->q);
    jn_contact_set_book(&sim->nonsmooth->set, sim);
    return jn_instant_collide(sim, *dt, true);
}

/* A step of at most *dt by the run's scheme; its length comes back. Where the iteration does not converge the step is halved; where even a thousandth of the run's step does not, one evaluation has to do, and the
 * audit counts it. */
static int take_some_step(jn_sim *sim, double *dt) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_run_desc *run = &sim->m->run;
    bool adapts = run->adapt && run->scheme == JN_SCHEME_MOREAU_JEAN;
    if (run->scheme == JN_SCHEME_LEAST_CONSTRAINT) return jn_least_constraint_step(sim, dt);
    double length = *dt;
    for (;;) {
        *dt = length;
        int status = adapts && !x->moreau->forced ? take_adapted_step(sim, dt) : take_step(sim, length);
        bool booked = adapts && !x->moreau->forced;
        if (status >= 0 && !booked) jn_contact_set_book(&x->set, sim);
        x->moreau->forced = false;
        if (status != JN_ERR_STEP) return status;
        sim->error = (jn_error){0}, sim->audit.rejected++;
        if (length < JN_MOREAU_FORCED_REL * run->step)
            x->moreau->forced = true, sim->audit.unconverged++;
        else
            length *= 0.5;
    }
}

int jn_step_moreau(jn_sim *sim, double t) {
    double end, dt = jn_fixed_step(sim, t, &end), start = sim->s->t, longest = dt;
    jn_nonsmooth *x = sim->nonsmooth;
    jn_nonsmooth_hide_forces(sim);
    int status = take_some_step(sim, &dt);
    jn_stiff_leave(sim);
    if (status < 0) return status;
    if (dt < longest * (1 - JN_MOREAU_WHOLE_REL)) end = start + dt; /* no crumbs */
    for (int i = 0; i < sim->m->nv; i++)
        if (!isfinite(x->velocity[i]))
            return jn_sim_fail(sim, JN_ERR_NUMERIC, "the velocities are not finite at t = %.9g s\ntake smaller steps",
                               start);
    jn_nonsmooth_book_forces(sim, dt);
    jn_nonsmooth_sum_up(sim, dt);
    jn_nonsmooth_note(sim, start, dt);
    jn_guess_learn(sim, dt);
    memcpy(sim->s->u, x->velocity, (size_t)sim->m->nv * sizeof *sim->s->u);
    sim->s->t = end;
    status = jn_drivers_settle(sim);
    if (status >= 0 && sim->audit.steps % JN_MOREAU_SAMPLE_EVERY == 0) jn_nonsmooth_sample(sim);
    jn_nonsmooth_show_forces(sim);
    return status;
}

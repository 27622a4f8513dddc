/* Event-driven motion: steps of an accurate integrator while the set of closed contacts and their modes last, and between them
 * impacts, openings, and changes of stick and slip [Rodriguez2014, chapter 2]. */
#include "step/impact/impact_method.h"

#include "reaction/compliant/clearance_motion.h"
#include "reaction/solvers/shared_velocities.h"
#include <string.h>

/* -------------------------------------------------------------------------------------------------- drift of contacts */

/* Kinematics, contact points and rows of the closed contacts at the state. */
static int stand(jn_sim *sim) {
    const jn_model *m = sim->m;
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_kinematics(m, sim->w, sim->s);
    if (m->closure_count + m->reach_count + m->row_count + m->actuator_count + m->signal_count) jn_measure_all(m, sim->w, sim->s);
    if (m->row_count) jn_constraint_rows(m, sim->w, sim->s, JN_ROWS_POSITION | JN_ROWS_JACOBIAN);
    set->dimension = sim->impact->d;
    jn_unilateral_follow(sim);
    int status = jn_inertia_factor(sim);
    return status < 0 ? status : jn_contact_set_rows(set, sim);
}

/* x->free: the displacement of least kinetic norm that takes the residuals (D) away: along all normals, and with `sticking` along the tangents of contacts that
 * stick. */
static bool correct(jn_sim *sim, const double *residual, bool sticking) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    jn_grip *g = &p->system.grip;
    int D = p->d * x->set.count;
    jn_unilateral_grip(sim);
    g->f = p->system.vector + 3 * D, g->a = p->system.vector + 4 * D, g->b = residual, g->scale = 0;
    for (int i = 0; i < D; i++) g->scale = jn_max(g->scale, fabs(residual[i]));
    for (int i = 0; i < x->set.count; i++)
        g->contact[i] = (jn_grip_contact){.mu = sticking && p->unilateral[i].mode == JN_UNILATERAL_STICKING};
    if (!isfinite(jn_grip_hold(g))) return false;
    memset(x->free, 0, (size_t)sim->m->nv * sizeof *x->free);
    jn_contact_set_apply(&x->set, sim, g->f, x->free);
    return true;
}

static int correct_positions(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    double *residual = p->system.vector + 5 * p->d * p->most, last = INFINITY;
    for (int turn = 0; turn < JN_IMPACT_PROJECTIONS_MOST; turn++) {
        int status = stand(sim);
        if (status < 0) return status;
        double most = 0;
        memset(residual, 0, (size_t)(p->d * x->set.count) * sizeof *residual);
        for (int i = 0; i < x->set.count; i++) {
            residual[i * p->d] = p->unilateral[i].lost ? 0 : x->set.point[i].geometry.gap;
            most = jn_max(most, fabs(residual[i * p->d]));
        }
        if (most < JN_IMPACT_PROJECTED_REL * p->closed || most > JN_IMPACT_PROJECTION_STALL * last) return JN_OK;
        last = most;
        if (!correct(sim, residual, false)) return JN_ERR_NUMERIC;
        jn_q_advance(sim->m, sim->s->q, x->free, 1);
        if (sim->has_quaternions) jn_q_normalise(sim->m, sim->s->q);
        if (sim->m->row_count && jn_project(sim->m, sim->w, sim->s) != JN_OK) return JN_ERR_NUMERIC;
    }
    return JN_OK;
}

/* Impulses of the contacts that changed the velocities by x->free, and of the joints with them, on the ground. */
static int give_correction(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    const jn_model *m = sim->m;
    const double *force = sim->impact->system.vector + 3 * sim->impact->d * x->set.count;
    jn_audit_give(sim, jn_nonsmooth_external(sim, 0, x->free, NULL, force));
    if (m->row_count == 0) return JN_OK;
    memset(x->applied, 0, (size_t)m->nv * sizeof *x->applied);
    jn_contact_set_force(&x->set, force, x->applied);
    int status = jn_kkt_solve(m, sim->w, x->applied, NULL, x->free, sim->w->lambda);
    if (status >= 0) jn_audit_give(sim, jn_external_rows(m, sim->w, sim->w->lambda));
    return status;
}

/* Closed contacts neither approach nor leave, those that stick do not slip. The rows are those of the state. */
static int correct_velocities(jn_sim *sim) {
    jn_nonsmooth *x = sim->nonsmooth;
    jn_impacts *p = sim->impact;
    for (int turn = 0; turn < 2; turn++) {
        jn_contact_set_velocities(&x->set, sim->s->u, p->collision.v);
        if (!correct(sim, p->collision.v, true)) return JN_ERR_NUMERIC;
        for (int k = 0; k < sim->m->nv; k++) sim->s->u[k] += x->free[k];
        int status = give_correction(sim);
        if (status < 0) return status;
    }
    return JN_OK;
}

static int project(jn_sim *sim) {
    sim->moved = 0;
    if (sim->nonsmooth->set.count == 0) return JN_OK;
    jn_nonsmooth_hide_forces(sim);
    jn_audit_before(sim);
    int status = correct_positions(sim);
    if (status >= 0) status = correct_velocities(sim);
    sim->slope_known = false;
    if (status >= 0) jn_audit_after(sim);
    if (status >= 0) return JN_OK;
    return jn_sim_fail(sim, JN_ERR_NUMERIC,
                       "closed contacts and joints cannot be met at t = %.9g s\ntake smaller tolerances", sim->s->t);
}

/* ------------------------------------------------------------------------------------------------------- new contacts */

static bool same(const jn_contact_point *x, const jn_contact_point *y) {
    return x->a == y->a && x->b == y->b && x->feature == y->feature;
}

static jn_contact_state *active_contact(jn_sim *sim, const jn_contact_point *h) {
    return jn_contact_cache_find(sim->s, h->a, h->b, h->feature);
}

/* Contacts that are no longer active leave the cache; what has collided a moment ago is remembered. */
static void drop_inactive(jn_sim *sim) {
    const jn_model *m = sim->m;
    for (int k = 0; k < sim->s->contact_count;) {
        jn_contact_state *cached = &sim->s->contact[k];
        jn_contact_point h = {.a = cached->a, .b = cached->b, .feature = cached->feature};
        bool active = false;
        for (int i = 0; i < sim->nonsmooth->set.count && !active; i++) active = same(&sim->nonsmooth->set.point[i], &h);
        h.row = jn_model_contact_of(m, h.a, h.b);
        if (!active && cached->phase == JN_PHASE_LASTING)
            jn_nonsmooth_report(sim, "separation", &h, sim->s->t, 0, 0, NULL);
        if (!active) cached->phase = JN_PHASE_NEW;
        bool remembered = cached->collided && sim->s->t - cached->start < sim->impact->rest;
        if (active || remembered) {
            k++;
            continue;
        }
        jn_contact_cache_remove(sim->s, k);
    }
}

static void keep_active(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    for (int i = 0; i < set->count; i++) {
        const jn_contact_point *h = &set->point[i];
        const jn_unilateral *o = &sim->impact->unilateral[i];
        jn_contact_state *cached = active_contact(sim, h);
        bool slides = o->mode == JN_UNILATERAL_SLIPPING;
        double speed = v3_norm(o->slip);
        if (!cached) cached = jn_contact_cache_insert(sim->m, sim->s, h->a, h->b, h->feature);
        if (!cached) continue;
        if (cached->phase != JN_PHASE_LASTING) {
            jn_nonsmooth_report(sim, "contact", h, sim->s->t, 0, 0, NULL);
        } else if ((cached->slip == JN_SLIP_SLIPPING) != slides && o->mu_s > 0) {
            jn_nonsmooth_report(sim, slides ? "slip" : "stick", h, sim->s->t, speed, speed, NULL);
        }
        cached->phase = JN_PHASE_LASTING, cached->slip = slides ? JN_SLIP_SLIPPING : JN_SLIP_STICKING;
    }
}

int jn_impact_gather(jn_sim *sim, double ahead, double gap) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    jn_kinematics(sim->m, sim->w, sim->s);
    int status = jn_contact_set_choose(set, sim, &(jn_closed){.ahead = ahead, .gap = p->closed + gap});
    if (status < 0) return status;
    set->dimension = p->d;
    if (set->count > p->most)
        return jn_sim_fail(
            sim, JN_ERR_LIMIT,
            "there are %d contact points at t = %.9g s; method impact has room for %d\nwrite 'method: nonsmooth'",
            set->count, sim->s->t, p->most);
    memset(p->unilateral, 0, (size_t)set->count * sizeof *p->unilateral);
    p->system.anchored = false;
    return JN_OK;
}

/* Leaves out what flies off. Of the contacts of an accumulation that an impact has ended, what gravity would bring back within the time of rest stays
 * closed: its hop is not followed, and whether it opens is a matter of its acceleration. */
static void leave_out_separating(jn_sim *sim) {
    jn_contact_set *set = &sim->nonsmooth->set;
    jn_impacts *p = sim->impact;
    double hop = jn_max(p->creep, 0.5 * p->rest * v3_norm(sim->m->gravity));
    for (int i = 0; i < set->count; i++) {
        const jn_contact_state *cached = active_contact(sim, &set->point[i]);
        bool rests = p->rested && cached && cached->collided && sim->s->t - cached->start < p->rest;
        if (set->point[i].approach > (rests ? hop : p->creep)) p->unilateral[i].mode = JN_UNILATERAL_OPEN;
    }
    jn_unilateral_drop_open(sim);
}

/* Modes of the contacts that stay closed. */
static int choose_modes(jn_sim *sim, const jn_seen *seen, int *jam) {
    jn_impacts *p = sim->impact;
    *jam = -1;
    if (sim->nonsmooth->set.count == 0) return JN_OK;
    int status = jn_unilateral_pose(sim, sim->s, p->rate, sim->w->lambda);
    if (status < 0) return jn_sim_fail(sim, status, "the accelerations are not finite at t = %.9g s", sim->s->t);
    return jn_unilateral_choose(sim, seen, jam);
}

static void restart(jn_sim *sim, double h) {
    sim->slope_known = false;
    sim->h = h;
    if (sim->cvode) jn_cvode_restart(sim);
}

/* Contacts that stay closed lose what is left of their approach or of a hop; the ledger has it. */
static int come_to_rest(jn_sim *sim) {
    double before = jn_energy_get(sim->m, sim->w).kinetic;
    int status = project(sim);
    if (status < 0) return status;
    jn_kinematics(sim->m, sim->w, sim->s);
    double lost = before - jn_energy_get(sim->m, sim->w).kinetic;
    sim->s->ledger.damping += lost, sim->s->ledger.dissipated += lost;
    jn_audit_explain(sim, -lost);
    return JN_OK;
}

/* [m/s] slower impacts count as changes of modes: they end hops of the length of a knot. */
static double slow_impact(const jn_sim *sim) {
    return jn_max(JN_IMPACT_SLOW, jn_impact_knot_length(sim->impact) * v3_norm(sim->m->gravity));
}

/* Impacts at the state, and the contacts that stay closed with their modes. JN_NOT_CONVERGED: none are found. */
static int settle_contacts(jn_sim *sim, const jn_seen *seen) {
    jn_impacts *p = sim->impact;
    p->impacted = false;
    for (int turn = 0;; turn++) {
        bool any = false;
        int jam = -1, status = jn_impact_gather(sim, 0, 0);
        if (status >= 0) status = jn_impact_collide(sim, false, &any);
        if (status != JN_OK) return status;
        if (p->stopped) { /* forces after the impact are not asked for */
            memset(p->system.f, 0, (size_t)(p->d * sim->nonsmooth->set.count) * sizeof *p->system.f);
            return JN_STOPPED;
        }
        if (any) seen = NULL, p->impacted |= p->fastest > slow_impact(sim);
        jn_kinematics(sim->m, sim->w, sim->s);
        jn_unilateral_slips(sim);
        p->creep = jn_impact_still(sim);
        bool stops = seen && seen->cause == JN_CAUSE_STOP;
        jn_unilateral_start(sim, stops ? jn_max(p->creep, JN_IMPACT_STOP_SPEED) : p->creep);
        leave_out_separating(sim);
        if ((status = come_to_rest(sim)) < 0) return status;
        status = choose_modes(sim, seen, &jam);
        if (status != JN_NOT_CONVERGED) return status;
        if (jam < 0 || turn > JN_IMPACT_JAMS_MOST) return JN_NOT_CONVERGED;
        status = jn_impact_collide(sim, true, &any);
        if (status != JN_OK) return status;
        sim->audit.jams++;
    }
}

/* What happens at an instant: impacts, then the contacts that stay and how. */
static int change(jn_sim *sim, const jn_seen *seen) {
    double h = sim->h;
    jn_nonsmooth_hide_forces(sim);
    if (seen && seen->cause == JN_CAUSE_HOLD && jn_impact_turn_round_faces(sim)) seen = NULL;
    int status = settle_contacts(sim, seen);
    if (status != JN_OK) return status;
    jn_unilateral_drop_open(sim);
    status = project(sim);
    if (status < 0) return status;
    drop_inactive(sim);
    keep_active(sim);
    sim->impact->ready = true;
    sim->impact->slip.h = 0;
    restart(sim, h);
    jn_impact_keep(sim);
    return JN_OK;
}

/* --------------------------------------------------------------------------------------------------------- one step */

/* Directions of slip follow the motion. */
static void follow_slip(jn_sim *sim) {
    double still = sim->m->planar ? jn_impact_still(sim) : 10 * sim->impact->creep;
    for (int i = 0; i < sim->nonsmooth->set.count; i++) {
        jn_unilateral *o = &sim->impact->unilateral[i];
        double speed = v3_norm(o->slip);
        if (o->mode == JN_UNILATERAL_SLIPPING && speed > still)
            o->direction = v3_scale(1 / speed, o->slip), o->moving = true;
    }
    jn_impact_keep(sim);
}

static bool drifts(const jn_sim *sim) {
    for (int i = 0; i < sim->nonsmooth->set.count; i++)
        if (fabs(sim->nonsmooth->set.point[i].geometry.gap) > JN_IMPACT_DRIFT_REL * sim->impact->closed) return true;
    return false;
}

/* Whether stiff forces on coordinates keep explicit steps so short that implicit ones are longer. Their rate is looked at now and then. */
static bool is_stiff(jn_sim *sim, jn_step_function *step) {
    jn_impacts *p = sim->impact;
    jn_stiff_motion *s = &p->stiff;
    if (!s->d || step != jn_step_dopri45) return false;
    if (!s->on) {
        if (++s->steps < JN_STIFF_EVERY) return false;
        double rate = jn_impact_stiff_rate(sim);
        s->steps = 0, s->allowed = rate > 0 ? JN_STIFF_STABLE / rate : INFINITY;
        if (!(sim->h > JN_STIFF_NEAR * s->allowed)) return false;
    }
    if (!s->on || !(p->slip.h > 0)) p->slip.h = JN_STIFF_LONGER * s->allowed, p->slip.error_last = 1;
    s->on = p->slip.h > s->allowed;
    if (!s->on) sim->h = p->slip.h, p->slip.h = 0;
    if (s->on && !s->used) s->used = true, jn_audit_limit(sim);
    return s->on;
}

/* The integrator of the run, or an implicit one where slow slip would keep its steps short: that which takes the longer steps. */
static jn_step_function *choose_step(jn_sim *sim, jn_step_function *step) {
    jn_impacts *p = sim->impact;
    if (is_stiff(sim, step)) return jn_step_stiff;
    double rate = p->d == 3 ? jn_impact_slip_rate(sim) : 0,
           allowed = rate > 0 ? JN_IMPACT_SLIP_STABLE / rate : INFINITY;
    double explicit = sim->h > 0 ? sim->h : JN_IMPACT_FIRST_STEP;
    bool stiff =
        p->slip.h > 0 ? p->slip.h > JN_IMPACT_SLIP_EXPLICIT * allowed : explicit > JN_IMPACT_SLIP_IMPLICIT * allowed;
    if (!stiff) {
        if (p->slip.h > 0) sim->h = p->slip.h, p->slip.h = 0;
        return step;
    }
    if (!(p->slip.h > 0)) p->slip.h = explicit, p->slip.error_last = 1;
    return jn_step_slip;
}

/* A step to the time `end` at most, and back to the first event in it. */
static int take_step(jn_sim *sim, double t, double end, jn_step_function *step, jn_seen *seen) {
    jn_impacts *p = sim->impact;
    double h = sim->h;
    jn_step_function *chosen = choose_step(sim, step);
    p->system.left_at = INFINITY;
    int status = chosen(sim, end);
    if (status >= 0 && chosen != jn_step_cvode) status = project(sim);
    if (status < 0) return status;
    *seen = jn_impact_detect(sim, &status);
    double early = p->system.left_at; /* the modes did not last, though they would at the end */
    if (status >= 0 && !seen->cause && early < sim->s->t && early > sim->before->t) {
        status = jn_impact_try(sim, early, chosen, seen);
        sim->h = h;
    }
    if (status < 0) return status;
    if (sim->s->t - sim->before->t > JN_IMPACT_CRUMB_REL * p->regular) p->regular = sim->s->t - sim->before->t;
    if (seen->cause) status = jn_impact_locate(sim, h, chosen, seen);
    if (status >= 0) status = jn_impact_find_graze(sim, h, chosen, seen);
    bool anew = chosen != jn_step_cvode || (end < t && sim->s->t == end); /* a kink */
    if (sim->cvode && anew && status >= 0) jn_cvode_restart(sim);
    return status;
}

static int smooth_step(jn_sim *sim, double t, jn_step_function *step, jn_seen *seen) {
    jn_impacts *p = sim->impact;
    if (sim->h > 0 && sim->h < JN_IMPACT_CRUMB_REL * p->regular) sim->h = JN_IMPACT_CRUMB_RESUME * p->regular;
    jn_state_copy(sim->before, sim->s);
    p->creep = jn_impact_still(sim);
    sim->step_limit = jn_impact_step_limit(sim);
    double end = jn_impact_step_end(sim, t);
    jn_nonsmooth_hide_forces(sim);
    int status = jn_slope_here(sim);
    if (status < 0) return status;
    jn_impact_keep(sim);
    p->trying = true, p->system.flickers = false;
    status = take_step(sim, t, end, step, seen);
    p->trying = false;
    return status;
}

/* Whether changes follow each other faster than the run allows: many at first, and few where knots were passed a moment ago, whose steps grow. Impacts do not
 * count, unless they are slow: those that accumulate come to rest. */
static bool is_crowded(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    int many = p->knots ? JN_CROWD / JN_CROWD_NEAR_KNOT : JN_CROWD, oldest = p->changes - many;
    double window = many * JN_KNOTS_APART * jn_min(jn_impact_knot_length(p), JN_KNOT_APART_MOST);
    p->crowd[p->changes++ % JN_CROWD] = sim->s->t;
    bool crowded = oldest >= 0 && sim->s->t - p->crowd[oldest % JN_CROWD] < window;
    if (crowded) p->changes = 0;
    return crowded;
}

/* Whether steps of many bodies next to a knot do not get on by its length: each costs more than a step past it. */
static bool is_slow(const jn_sim *sim) {
    const jn_impacts *p = sim->impact;
    return p->knots && sim->m->nv > JN_SHARED &&
           sim->audit.steps + sim->audit.rejected - p->knot_steps > JN_KNOT_STEPS_NEAR &&
           sim->s->t - p->knot_end < jn_impact_knot_length(p);
}

/* Knots become shorter again where none follows. */
static void forget_knots(jn_sim *sim) {
    jn_impacts *p = sim->impact;
    if (p->knots == 0 || sim->s->t - p->knot_end < JN_CROWD * jn_impact_knot_length(p)) return;
    p->knots--, p->knot_end = sim->s->t;
}

/* A slip that has only turned by more than a right angle goes on. */
static bool turns(const jn_sim *sim, const jn_seen *seen) {
    return seen->cause == JN_CAUSE_STOP && v3_norm(sim->impact->unilateral[seen->contact].slip) > JN_IMPACT_STOP_SPEED;
}

/* Past what neither forces nor steps are found for; errors of the input stay. */
static int pass(jn_sim *sim, double t, int status) {
    if (status != JN_NOT_CONVERGED && status != JN_ERR_NUMERIC && status != JN_ERR_STEP) return status;
    if (status < 0) {
        if (sim->s->t > sim->before->t) jn_state_copy(sim->s, sim->before);
        sim->error = (jn_error){0};
    }
    status = jn_impact_knot(sim, t);
    restart(sim, sim->impact->regular);
    return status;
}

static int event_step(jn_sim *sim, double t, jn_step_function *step) {
    jn_impacts *p = sim->impact;
    jn_seen seen = {0};
    jn_state_copy(sim->before, sim->s);
    int status = p->ready ? JN_OK : change(sim, NULL);
    if (status != JN_OK) return status;
    status = smooth_step(sim, t, step, &seen);
    if (status < 0) return status;
    if (seen.cause && !turns(sim, &seen)) {
        status = change(sim, &seen);
        return status == JN_OK && !p->impacted && (is_crowded(sim) || is_slow(sim)) ? JN_NOT_CONVERGED : status;
    }
    follow_slip(sim);
    double crumb = (p->system.flickers ? 1 : JN_IMPACT_CRUMB_KNOT_REL) * p->knot;
    p->crumbs = sim->s->t - sim->before->t < crumb && sim->s->t < t ? p->crumbs + 1 : 0;
    if (p->crumbs > JN_IMPACT_CRUMBS_MOST || is_slow(sim)) return p->crumbs = 0, JN_NOT_CONVERGED;
    forget_knots(sim);
    p->slack = jn_max(1, JN_MODES_SLACK_FALL * p->slack);
    if (!sim->cvode || !drifts(sim)) return JN_OK;
    status = project(sim);
    if (status >= 0) jn_cvode_restart(sim);
    return status;
}

int jn_step_impact(jn_sim *sim, double t, jn_step_function *step) {
    if (sim->impact->stopped) return JN_STOPPED;
    int status = event_step(sim, t, step);
    if (status == JN_STOPPED) return status;
    if (status != JN_OK) status = pass(sim, t, status);
    if (status < 0) return status;
    sim->audit.redundant_contacts |= sim->impact->system.redundant;
    sim->audit.followed_contacts |= sim->impact->system.redundant && sim->impact->system.anchored;
    jn_kinematics(sim->m, sim->w, sim->s);
    jn_detection_update_work(sim->contacts->detection, sim->w, sim->contacts->margin);
    jn_unilateral_show(sim);
    return status;
}

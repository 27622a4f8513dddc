/* The audit of a run: energy, momentum and constraints from positions, velocities and what was booked in the ledger.
 *
 * A witness, never a target: no scheme reads it to correct itself. What a scheme books (work, impulses from outside, what it did to the
 * state besides its equations) is compared with what the state shows. */
#include "algebra/elementary.h"
#include "proximity/narrow.h"
#include "step/audit_limits.h"
#include "step/creep.h"
#include "step/impact/impact_method.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- limits */

static const jn_integrator_info *integrator_of(const jn_sim *sim) {
    return jn_integrator_get_info(jn_sim_integrator(sim));
}

/* Size of the mechanism: the longest distance between a joint and the centre of a body it holds, or between joints. */
static double mechanism_length(const jn_model *m) {
    double length = 0;
    for (int i = 1; i < m->link_count; i++)
        length = jn_max(length, jn_max(v3_norm(m->links[i].com), m->links[i].parent ? v3_norm(m->links[i].anchor) : 0));
    for (int k = 0; k < m->joint_count; k++) {
        if (m->joints[k].A.link) length = jn_max(length, v3_norm(m->joints[k].A.p));
        if (m->joints[k].B.link) length = jn_max(length, v3_norm(m->joints[k].B.p));
    }
    return length > 0 ? length : 1;
}

/* What errors of the integrator add up to: an adaptive run should come near its tolerance; of fixed steps, rk4 should be exact to an
 * engineer and the low orders to the eye. */
static double integration_limit(const jn_sim *sim) {
    const jn_run_desc *run = &sim->m->run;
    const jn_integrator_info *info = integrator_of(sim);
    double slack = info->multistep ? JN_AUDIT_SLACK_MULTISTEP : JN_AUDIT_SLACK_ONE_STEP;
    return info->adaptive     ? jn_min(JN_AUDIT_ADAPTIVE_MOST_REL,
                                       jn_max(JN_AUDIT_ADAPTIVE_LEAST_REL, slack * run->relative_tolerance))
           : info->order >= 4 ? JN_AUDIT_FIXED_HIGH_REL
                              : JN_AUDIT_FIXED_LOW_REL;
}

/* Linear momentum is linear in the velocities where every body is free: all schemes keep it to round-off then, but for bdf with GMRES,
 * which ends before that, and for the implicit steps of method impact, in whose error impulses from outside take no part. */
static bool keeps_linear(const jn_sim *sim) {
    const jn_model *m = sim->m;
    for (int i = 1; i < m->link_count; i++)
        if (m->links[i].parent || m->links[i].hangs) return false;
    return !integrator_of(sim)->stiff && !(sim->impact && sim->impact->stiff.used);
}

static bool is_nonsmooth(const jn_sim *sim) { return sim->nonsmooth && !sim->impact; }

/* Moreau's rules, and least_constraint's, keep the angular momentum of what spins, and both of a tree, to the order that they have:
 * the first where something impacts. The leapfrog keeps both of all that floats, and is of second order in the reactions of joints
 * that hang trees on the ground. In bdf's error the impulses from outside take no part, and its steps are long. */
static void limit_momentum(jn_sim *sim) {
    jn_audit *a = &sim->audit;
    double given = sim->m->run.momentum_tolerance, slack = integrator_of(sim)->stiff ? JN_AUDIT_SLACK_STIFF : 1;
    bool leaps = is_nonsmooth(sim) && sim->m->run.scheme == JN_SCHEME_MOMENTUM_LEAPFROG;
    bool floats = sim->m->floats == sim->m->link_count - 1;
    double limit = leaps               ? (floats ? JN_AUDIT_EXACT_REL : JN_AUDIT_HANGING_REL)
                   : is_nonsmooth(sim) ? JN_AUDIT_FIRST_ORDER_REL
                                       : slack * integration_limit(sim);
    a->momentum_tolerance = given > 0 ? given : keeps_linear(sim) ? JN_AUDIT_EXACT_REL : limit;
    a->angular_momentum_tolerance = given > 0 ? given : limit;
}

/* Hard contacts that sink in are no result. Schemes that leave positions alone let them sink by what moves in a step. */
static void limit_penetration(jn_sim *sim) {
    jn_scheme scheme = sim->m->run.scheme;
    bool positions = scheme == JN_SCHEME_LEAST_CONSTRAINT || scheme == JN_SCHEME_MOMENTUM_LEAPFROG;
    double part = positions ? JN_AUDIT_PENETRATION_KEPT_REL : JN_AUDIT_PENETRATION_LOOSE_REL;
    sim->audit.penetration_tolerance =
        jn_max(JN_AUDIT_PENETRATION_SLACK * sim->m->run.penetration, part * jn_smallest_shape(sim->m));
}

/* Default limits. Violations are measured against the size of the mechanism. */
void jn_audit_limit(jn_sim *sim) {
    const jn_run_desc *run = &sim->m->run;
    jn_audit *a = &sim->audit;
    double energy = run->method == JN_METHOD_NONSMOOTH ? JN_AUDIT_FIRST_ORDER_REL : integration_limit(sim);
    a->energy_tolerance = run->energy_tolerance > 0 ? run->energy_tolerance : energy;
    double drift = integrator_of(sim)->multistep
                       ? JN_AUDIT_REPAIR_SLACK *
                             jn_max(run->relative_tolerance, JN_AUDIT_REPAIR_ABSOLUTE * run->absolute_tolerance)
                       : 0; /* its repair */
    double limit = jn_run_projects(run) ? jn_max(JN_AUDIT_PROJECTED, drift) : JN_AUDIT_DRIFTING;
    limit *= jn_min(1, mechanism_length(sim->m));
    a->violation_tolerance = run->violation_tolerance > 0 ? run->violation_tolerance : limit;
    limit_momentum(sim);
    if (sim->nonsmooth) limit_penetration(sim);
}

/* ------------------------------------------------------------------------------------------------------- looking */

/* [kg] and [kg m] of all bodies: masses, and masses times their distances from the origin. */
static void sum_masses(const jn_sim *sim, double sum[2]) {
    sum[0] = sum[1] = 0;
    for (int i = 1; i < sim->m->link_count; i++) {
        double mass = sim->m->links[i].mass;
        sum[0] += mass, sum[1] += mass * v3_norm(v3_add(sim->w->link[i].O, sim->w->link[i].c));
    }
}

/* [N] loads on all bodies, and what their contacts bear, which may balance these: all there is where bodies rest without gravity. */
static double sum_loads(const jn_sim *sim) {
    double sum = 0;
    for (int i = 0; sim->nonsmooth && i < sim->s->contact_count; i++) sum += sim->s->contact[i].stepping.force;
    for (int i = 1; i < sim->m->link_count && jn_work_has_loads(sim->m, sim->w); i++) sum += v3_norm(sim->w->load[i].f);
    return sum;
}

/* [m] of the bodies from the origin, in the mean. */
static double mean_distance(const double mass[2]) { return mass[0] > 0 ? mass[1] / mass[0] : 0; }

jn_energy jn_sim_energy(const jn_sim *sim) {
    jn_energy e = jn_energy_get(sim->m, sim->w);
    double stored = sim->nonsmooth && sim->nonsmooth->leapfrog ? jn_contacts_stored(sim) : 0;
    e.elastic += stored, e.contact += stored;
    return e;
}

static double total_energy(const jn_energy *e) { return e->kinetic + e->potential + e->elastic; }

/* [Rodriguez2014, eq. 2.4]: what the energies and the ledger leave unexplained. */
double jn_audit_energy_residual(const jn_audit *a, const jn_energy *e, const jn_ledger *l) {
    return total_energy(e) + l->dissipated - l->driven - l->numerical - a->energy_start;
}

static void sample_energy(jn_audit *a, const jn_energy *e, const jn_ledger *l) {
    double residual = jn_audit_energy_residual(a, e, l), potential = fabs(e->potential + e->elastic - a->energy_start);
    a->energy_residual = residual;
    a->energy_size =
        jn_max(a->energy_size, e->kinetic + fabs(e->potential) + e->elastic + fabs(l->dissipated) + fabs(l->driven));
    a->max_energy_residual = jn_max(a->max_energy_residual, fabs(residual));
    a->energy_scale =
        jn_max(jn_max(jn_max(a->energy_scale, e->kinetic), potential), jn_max(fabs(l->dissipated), fabs(l->driven)));
    a->max_numerical = jn_max(a->max_numerical, fabs(l->numerical));
}

/* Sizes that round-off is measured against: what gravity and loads have given, and the momentum that all energy there is would make. */
static void size_momentum(jn_sim *sim, const jn_state *s, const double size[2]) {
    jn_audit *a = &sim->audit;
    double mass[2], fall = v3_norm(sim->m->gravity) * fabs(s->t);
    sum_masses(sim, mass);
    double speed = jn_max(JN_AUDIT_AT_REST, mass[0] > 0 ? sqrt(2 * a->energy_size / mass[0]) : 0), push = sum_loads(sim) * fabs(s->t);
    a->momentum_size = jn_max(a->momentum_size, size[0] + mass[0] * (fall + speed) + push);
    a->angular_momentum_size = jn_max(a->angular_momentum_size, size[1] + mass[1] * (fall + speed) + mean_distance(mass) * push);
}

static void sample_momentum(jn_sim *sim, const jn_state *s) {
    jn_audit *a = &sim->audit;
    double size[2];
    jn_wrench now = jn_momentum_sum(sim->m, sim->w, size), given = s->ledger.given;
    jn_wrench left = wr_sub(wr_sub(now, a->momentum_start), given);
    a->momentum_left = left;
    a->momentum_residual = v3_norm(left.f), a->angular_momentum_residual = v3_norm(left.n);
    a->max_momentum_residual = jn_max(a->max_momentum_residual, a->momentum_residual);
    a->max_angular_momentum_residual = jn_max(a->max_angular_momentum_residual, a->angular_momentum_residual);
    a->momentum_scale = jn_max(a->momentum_scale, jn_max(size[0], v3_norm(given.f)));
    a->angular_momentum_scale = jn_max(a->angular_momentum_scale, jn_max(size[1], v3_norm(given.n)));
    size_momentum(sim, s, size);
}

static void sample(jn_sim *sim, const jn_state *s, bool momentum) {
    jn_audit *a = &sim->audit;
    jn_energy e = jn_sim_energy(sim);
    double mass[2];
    sum_masses(sim, mass);
    a->energy_size = jn_max(a->energy_size, sum_loads(sim) * mean_distance(mass)); /* a potential of theirs */
    sample_energy(a, &e, &s->ledger);
    if (momentum) sample_momentum(sim, s);
    for (int i = 0; i < sim->m->row_count; i++) {
        a->max_position_violation = jn_max(a->max_position_violation, fabs(sim->w->phi[i]));
        a->max_velocity_violation = jn_max(a->max_velocity_violation, fabs(sim->w->phi_rate[i]));
    }
}

void jn_audit_sample(jn_sim *sim, const jn_state *s) {
    if (sim->impact && sim->impact->trying) return;
    sample(sim, s, sim->impact || sim->audit.steps % JN_AUDIT_STEPS_PER_MOMENTUM == 0);
    if (sim->m->run.analysis == JN_ANALYSIS_DYNAMIC) jn_creep_follow(sim, s->t);
}

void jn_audit_depth(jn_sim *sim, int a, int b, const char *where, double depth) {
    jn_audit *audit = &sim->audit;
    audit->max_penetration = jn_fmax(audit->max_penetration, depth);
    if (!(depth > 0)) return;
    double half = jn_min(jn_half_thickness(sim, a), jn_half_thickness(sim, b));
    if (!(depth > audit->max_relative_penetration * half) || !isfinite(half)) return;
    audit->max_relative_penetration = depth / half;
    audit->half_thickness = half, audit->half_thickness_at = where;
}

void jn_audit_loss(jn_sim *sim, int a, int b, const char *where, double depth) {
    bool meshes = sim->m->solids[a].node && sim->m->solids[b].node;
    double seen = meshes ? JN_MESHES_SEEN : 1;
    if (!(depth > JN_AUDIT_LOST * seen * jn_min(jn_half_thickness(sim, a), jn_half_thickness(sim, b)))) return;
    sim->audit.contacts_lost++;
    sim->audit.lost_depth = jn_max(sim->audit.lost_depth, depth), sim->audit.lost_at = where;
}

void jn_audit_start(jn_sim *sim) {
    jn_audit *a = &sim->audit;
    jn_energy e = jn_sim_energy(sim);
    const jn_ledger *l = &sim->s->ledger;
    double size[2], mass[2];
    sum_masses(sim, mass);
    a->energy_start = total_energy(&e) + l->dissipated - l->driven - l->numerical;
    a->energy_size = v3_norm(sim->m->gravity) * mass[1]; /* a potential energy may be small as a difference */
    a->momentum_start = wr_sub(jn_momentum_sum(sim->m, sim->w, size), l->given);
    a->energy_scale = a->max_energy_residual = a->max_numerical = 0;
    a->max_momentum_residual = a->max_angular_momentum_residual = 0;
    a->momentum_scale = a->angular_momentum_scale = a->momentum_size = a->angular_momentum_size = 0;
    sample(sim, sim->s, true);
    jn_creep_start(sim);
}

void jn_audit_take_back(jn_sim *sim, const jn_audit *before) {
    jn_audit now = sim->audit;
    sim->audit = *before;
    sim->audit.steps = now.steps, sim->audit.rejected = now.rejected, sim->audit.evaluations = now.evaluations;
    sim->audit.events = now.events, sim->audit.restarts = now.restarts, sim->audit.stiff_steps = now.stiff_steps;
}

void jn_audit_move(jn_sim *sim) {
    jn_audit *a = &sim->audit;
    double size[2], energy = a->energy_residual;
    jn_wrench left = a->momentum_left;
    if (jn_sim_observe(sim) < 0) return;
    jn_energy e = jn_sim_energy(sim);
    a->energy_start += jn_audit_energy_residual(a, &e, &sim->s->ledger) - energy;
    a->momentum_start = wr_sub(wr_sub(jn_momentum_sum(sim->m, sim->w, size), sim->s->ledger.given), left);
}

/* ------------------------------------------------------------------------------------------------------- booking */

void jn_audit_give(jn_sim *sim, jn_wrench impulse) { sim->s->ledger.given = wr_add(sim->s->ledger.given, impulse); }

/* [J] at the poses of the work space; without what contacts store, which would cost a narrow phase. */
static double energy_here(jn_sim *sim, const jn_state *s) {
    jn_work *w = sim->w;
    const jn_model *m = sim->m;
    if (m->spring_count + m->bushing_count + m->actuator_count) {
        void (*control)(void *, const jn_model *, const jn_state *, double *) = w->control;
        w->control = NULL;
        jn_measure_all(m, w, s);
        jn_forces(m, w, s);
        w->control = control;
    } else {
        w->elastic = 0;
    }
    jn_energy e = jn_energy_get(m, w);
    return total_energy(&e);
}

void jn_audit_before(jn_sim *sim) {
    memcpy(sim->untouched->q, sim->s->q, (size_t)(sim->m->nq + sim->m->nv) * sizeof(double));
    memcpy(sim->untouched->angle, sim->s->angle, (size_t)sim->m->angle_count * sizeof(double));
    sim->untouched->t = sim->s->t;
}

/* The work space stands at the state again. O(n) twice, and only if something moved. */
void jn_audit_after(jn_sim *sim) {
    const jn_model *m = sim->m;
    sim->moved = 0;
    if (!memcmp(sim->untouched->q, sim->s->q, (size_t)(m->nq + m->nv) * sizeof(double))) return;
    jn_kinematics(m, sim->w, sim->untouched);
    double before = energy_here(sim, sim->untouched);
    jn_kinematics(m, sim->w, sim->s);
    sim->moved = energy_here(sim, sim->s) - before;
    sim->s->ledger.numerical += sim->moved, sim->s->ledger.numerical_size += fabs(sim->moved);
}

void jn_audit_explain(jn_sim *sim, double energy) {
    double rest = sim->moved - energy;
    sim->s->ledger.numerical -= energy, sim->s->ledger.numerical_size += fabs(rest) - fabs(sim->moved);
    sim->moved = rest;
}

/* ------------------------------------------------------------------------------------------------------ judging */

/* One more clause of the verdict. */
JN_PRINTF(2, 3) static void say(jn_audit *a, const char *format, ...) {
    va_list args;
    size_t used = strlen(a->verdict);
    if (used) used += (size_t)snprintf(a->verdict + used, sizeof a->verdict - used, "; ");
    if (used >= sizeof a->verdict) return;
    va_start(args, format);
    vsnprintf(a->verdict + used, sizeof a->verdict - used, format, args);
    va_end(args);
}

/* What a residual is of its scale; of what round-off is measured against, where it is no more than that. */
static double relative(double residual, double scale, double size, double noise) {
    double part = residual / jn_max(scale, JN_TINY);
    return residual <= noise * size ? jn_min(part, residual / jn_max(size, JN_TINY)) : part;
}

/* Impacts that were closed without restitution, and why. */
static void say_unfinished(jn_audit *a) {
    char limited[64] = "", jammed[64] = "", unsolved[64] = "";
    if (a->impacts_limited) snprintf(limited, sizeof limited, " %ld after more impact events than are followed", a->impacts_limited);
    if (a->impacts_jammed)
        snprintf(jammed, sizeof jammed, "%s %ld where friction jams the path", limited[0] ? "," : "",
                 a->impacts_jammed);
    if (a->impacts_unsolved)
        snprintf(unsolved, sizeof unsolved, "%s %ld without a solution of the law", limited[0] || jammed[0] ? "," : "",
                 a->impacts_unsolved);
    say(a, "the law of impacts did not end %ld of %ld impacts, which were closed without restitution:%s%s%s", a->impacts_unfinished, a->impacts, limited,
        jammed, unsolved);
}

/* What a good run has to say about its contacts. */
static void add_remarks(const jn_sim *sim, jn_audit *a) {
    if (a->drawn_overlap > JN_AUDIT_DRAWN)
        say(a, "bodies are drawn into each other, by %.1e m all pairs together, and were pushed apart", a->drawn_overlap);
    if (a->unconverged) say(a, "but %ld implicit steps did not converge and were taken explicitly", a->unconverged);
    if (a->redundant_contacts)
        say(a, "forces of resting contacts are not unique: those %s",
            a->followed_contacts ? "near the last ones where least norm would leave the cones or contacts are many"
                                 : "of least norm");
    if (a->jams && sim->m->run.method == JN_METHOD_NONSMOOTH)
        say(a, "friction jams contacts in %ld steps: these neither rebound there nor leave what they overlap", a->jams);
    else if (a->jams)
        say(a, "%ld impulses without collision where friction jams", a->jams);
    if (a->impacts_unfinished) say_unfinished(a);
    if (a->creep_at)
        say(a,
            "'%.64s' creeps, by %.2g m or rad in %.2g s, though its dry friction holds it: it is regularised here; %smethod nonsmooth "
            "holds it exactly, a smaller friction_speed makes it creep slower",
            a->creep_at, a->max_creep, a->creep_time, sim->m->run.method == JN_METHOD_NONSMOOTH ? "another scheme of " : "");
    if (a->impacts_stopped) say(a, "stopped after the impact events that were asked for");
    if (a->rest_loss > JN_AUDIT_REST_LOSS_REL * a->energy_scale)
        say(a,
            "%ld impacts within 'rest' of another one of their contact were taken without restitution: %.1e J dissipated",
            a->rests, a->rest_loss);
    if (a->knots)
        say(a,
            "events followed each other too fast to be told apart: %ld nonsmooth step%s (events 'knot') took %.1e s "
            "past them, the first at t = %.9g s%s%.64s%s",
            a->knots, a->knots == 1 ? "" : "s", a->knot_time, a->knot_first, a->knot_at ? ", contact '" : "",
            a->knot_at ? a->knot_at : "", a->knot_at ? "'" : "");
    if (!isnan(a->stiff_from)) say(a, "stiff from t = %.6g s on: bdf took over", a->stiff_from);
    if (isnan(a->stiff_from) && a->stiff_steps > JN_AUDIT_STIFF_STEPS && 2 * a->stiff_steps > a->steps)
        say(a, "%ld of %ld steps were as short as stability asks, not accuracy: 'run.integrator: bdf' takes fewer",
            a->stiff_steps, a->steps);
    if (a->unsolved) say(a, "but %ld contact problems were solved only to %.1e", a->unsolved, a->contact_speed_error);
}

static bool judge_momentum(jn_audit *a, double linear, double angular) {
    bool fine = linear <= a->momentum_tolerance, turns = angular <= a->angular_momentum_tolerance;
    if (!fine)
        say(a,
            "momentum is not balanced: %.3g kg m/s, %.3g of its size, came from nowhere (limit %.1g); steps are too "
            "large, a force lacks its reaction, or the state was changed without jn_sim_restart",
            a->max_momentum_residual, linear, a->momentum_tolerance);
    if (!turns)
        say(a,
            "angular momentum is not balanced: %.3g kg m^2/s, %.3g of its size, came from nowhere (limit %.1g); take "
            "smaller steps or tolerances",
            a->max_angular_momentum_residual, angular, a->angular_momentum_tolerance);
    return fine && turns;
}

/* Where contacts are forces, it is their points that pass to other features under load; projections grow with the steps. */
static bool judge_energy(jn_audit *a, double residual, double numerical, bool compliant) {
    bool balanced = residual <= a->energy_tolerance, untouched = numerical <= a->energy_tolerance;
    if (!balanced)
        say(a,
            "energy is not balanced: %.3g of the energy in motion is unexplained (limit %.1g); take smaller steps or "
            "tolerances",
            residual, a->energy_tolerance);
    if (!untouched)
        say(a,
            "the scheme changed the energy by %.3g J beside its equations, %.3g of the energy in motion (limit %.1g); %s",
            a->max_numerical, numerical, a->energy_tolerance,
            compliant ? "contact points pass over edges under load: take stiffer contacts, or smaller steps"
                                            : "take smaller steps or tolerances");
    return balanced && untouched;
}

static bool judge_gain(jn_audit *a) {
    if (a->contact_gain_at)
        say(a,
            "the impact law gained %.3g J: Newton's restitution with friction, last at contact '%.64s'; the energetic bound of "
            "momentum_leapfrog and laws of method impact prevent that",
            a->contact_gain, a->contact_gain_at);
    return a->contact_gain_at;
}

static bool judge_positions(jn_audit *a, bool nonsmooth) {
    double fast = JN_AUDIT_RATE_PER_POSITION * a->violation_tolerance; /* per second */
    bool joined = a->max_position_violation <= a->violation_tolerance && a->max_velocity_violation <= fast;
    double allowed = a->penetration_tolerance + a->max_compliance;
    bool apart = !(a->penetration_tolerance > 0) || a->max_penetration <= allowed;
    if (!joined)
        say(a,
            "joints come apart: constraints are violated by %.3g, their rates by %.3g (limits %.1g, %.1g); use "
            "stabilise: projection or smaller steps",
            a->max_position_violation, a->max_velocity_violation, a->violation_tolerance, fast);
    if (!apart)
        say(a,
            "bodies sink into each other by %.3g m (limit %.2g m); take smaller steps, or look for bodies that are "
            "jammed",
            a->max_penetration, allowed);
    bool through = a->max_relative_penetration > JN_AUDIT_THROUGH;
    if (through)
        say(a,
            "contact '%.64s' is %.3g m deep, more than half the thickness of the thinner of its shapes (%.3g m): no force law holds there, and "
            "bodies may pass through each other; %s",
            a->half_thickness_at ? a->half_thickness_at : "", a->max_relative_penetration * a->half_thickness, a->half_thickness,
            nonsmooth ? "take smaller steps" : "take a stiffer contact, or thicker shapes");
    if (a->contacts_lost)
        say(a,
            "bodies pass through each other: %ld contact%s lost, or found, while up to %.3g m deep, last '%.64s'; take stiffer contacts, smaller steps, or "
            "thicker shapes",
            a->contacts_lost, a->contacts_lost == 1 ? " is" : "s are", a->lost_depth, a->lost_at ? a->lost_at : "");
    return joined && apart && !through && !a->contacts_lost;
}

static bool judge_problems(jn_audit *a) {
    bool solved = !a->unsolved || a->contact_speed_error <= JN_AUDIT_UNSOLVED;
    if (!solved)
        say(a,
            "%ld contact problems were solved only to %.1e: bodies may be forced into each other; take smaller steps",
            a->unsolved, a->contact_speed_error);
    return solved;
}

/* [N] weight of all bodies, and loads on them. */
static double sum_forces(const jn_sim *sim) {
    double mass[2];
    sum_masses(sim, mass);
    return mass[0] * v3_norm(sim->m->gravity) + sum_loads(sim);
}

/* [J] what the error that contact problems leave in velocities does with the weight of all bodies, and loads, in a step: of what rests that is all that moves. */
static double contact_noise(const jn_sim *sim) {
    return sim->nonsmooth ? sim->audit.contact_speed_error * sum_forces(sim) * sim->m->run.step : 0;
}

/* [J] what contact velocities that miss the laws by as much as they may do with these until now: contacts of what rests are pushed to where they
 * belong by no more. */
static double pushing_noise(const jn_sim *sim) {
    if (!sim->nonsmooth || !sim->nonsmooth->leapfrog) return 0;
    return jn_contact_set_residual(sim) * sum_forces(sim) * (double)sim->audit.steps * sim->m->run.step;
}

/* [J] at most, to push apart what overlaps as drawn, against all weights and loads. */
static double drawing_noise(const jn_sim *sim) { return sim->audit.drawn_overlap * sum_forces(sim); }

/* Shapes on the ground, and none on what moves. */
static bool lacks_moving_shapes(const jn_model *m) {
    for (int i = 0; i < m->solid_count; i++)
        if (m->solids[i].link > 0) return false;
    return m->solid_count > 0;
}

/* All that is wrong, one clause each. */
static void judge(jn_sim *sim, double *energy_error, double *momentum_error) {
    jn_audit *a = &sim->audit;
    double noise =
        JN_AUDIT_ROUND_OFF_REL * (sim->nonsmooth ? sqrt(1 + (double)a->steps) : 1); /* of many steps at rest */
    double moves = noise + contact_noise(sim) / jn_max(a->energy_size, JN_TINY);
    double energy = relative(a->max_energy_residual, a->energy_scale, a->energy_size, moves);
    double pushed = noise + (pushing_noise(sim) + drawing_noise(sim)) / jn_max(a->energy_size, JN_TINY);
    double numerical = relative(a->max_numerical, a->energy_scale, a->energy_size, pushed);
    double linear = relative(a->max_momentum_residual, a->momentum_scale, a->momentum_size, noise);
    double angular =
        relative(a->max_angular_momentum_residual, a->angular_momentum_scale, a->angular_momentum_size, noise);
    bool problems = judge_problems(a), momentum = judge_momentum(a, linear, angular);
    bool energies = judge_energy(a, energy, numerical, sim->contacts && !sim->nonsmooth), positions = judge_positions(a, sim->nonsmooth), gains = judge_gain(a);
    a->only_gain = problems && momentum && energies && positions && gains;
    a->ok = problems && momentum && energies && positions && !gains;
    *energy_error = energy, *momentum_error = jn_max(linear, angular);
}

/* Of a good run, how good. */
static void praise(jn_sim *sim, double energy_error, double momentum_error) {
    jn_audit *a = &sim->audit;
    say(a, "energy balanced to %.1e, momentum to %.1e", energy_error, momentum_error);
    if (sim->m->row_count)
        snprintf(a->verdict + strlen(a->verdict), sizeof a->verdict - strlen(a->verdict), ", constraints met to %.1e",
                 a->max_position_violation);
    add_remarks(sim, a);
    if (sim->m->nv == 0)
        say(a, "nothing can move: the joints leave no degree of freedom");
    else if (lacks_moving_shapes(sim->m))
        say(a, "no moving body has a shape: nothing can touch the ground");
}

static jn_audit *judge_now(jn_sim *sim, double *energy_error, double *momentum_error) {
    jn_audit *a = &sim->audit;
    if (jn_sim_observe(sim) >= 0) sample(sim, sim->s, true);
    a->ok = a->only_gain = false, a->verdict[0] = 0;
    if (sim->error.status < 0)
        say(a, "the run broke off: %.200s", sim->error.text);
    else if (!isfinite(a->energy_residual) || !isfinite(a->energy_scale))
        say(a, "the energy is not finite: speeds or forces are beyond all bounds");
    else
        judge(sim, energy_error, momentum_error);
    return a;
}

const jn_audit *jn_audit_judge(jn_sim *sim) {
    double energy_error, momentum_error;
    return judge_now(sim, &energy_error, &momentum_error);
}

const jn_audit *jn_sim_audit(jn_sim *sim) {
    double energy_error = 0, momentum_error = 0;
    if (judge_now(sim, &energy_error, &momentum_error)->ok) praise(sim, energy_error, momentum_error);
    return &sim->audit;
}

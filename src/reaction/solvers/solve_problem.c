/* Solving a contact problem: islands apart, solver after solver, every answer judged by the same residual. */
#include "reaction/solvers/least_norm.h"
#include "reaction/solvers/local_law.h"
#include "reaction/solvers/solve_judge.h"
#include "reaction/solvers/solvers.h"
#include "reaction/solvers/working_set.h"
#include <math.h>
#include <string.h>

#define DEFAULT_TOLERANCE                                                                                              \
    1e-8 /* residual over the unit of the problem: below what a model knows of friction or restitution */

jn_solve_settings jn_solve_default(void) { return (jn_solve_settings){.tolerance = DEFAULT_TOLERANCE}; }

/* -------------------------------------------------------------------------------------------------------- attempts */

/* A guess this much better than asked for stays as it is. Others get a sweep at least: problems on velocities alone would creep with a
 * relative residual. Those judged in m/s come from steps that take gaps and anchors into account, and give back what is left. */
static const double KEPT = 1e-3, KEPT_SPEED = 1e-2;
enum {
    TRIES = 4,  /* of Newton's method for the impulses of least norm */
    ROUNDS = 12 /* of adding contacts that meet: each adds all that do then */
};
static const double NEARLY = 0.1; /* of the fastest approach: slower partings may be turned around by others */
static const double MANY = 0.7;   /* of the contacts take part: all of them cost as much */

static double kept(const jn_solve_settings *settings) {
    double part = settings->keep > 0 ? settings->keep : settings->speed > 0 ? KEPT_SPEED : KEPT;
    return part * settings->tolerance;
}

/* How a contact alone ends. Jams: friction holds it against all motions that its bodies have, and impulses without bound are its only answer. */
typedef enum single_end { SINGLE_SOLVED, SINGLE_UNSOLVED, SINGLE_JAMS } single_end;

void jn_judge_lay_out(jn_judge *j, const jn_problem *problem, jn_scratch *m) {
    size_t n = (size_t)problem->contacts * (size_t)problem->dimension;
    j->best = jn_scratch_take(m, n, sizeof(double)), j->u = jn_scratch_take(m, n, sizeof(double));
    j->v = jn_scratch_take(m, (size_t)problem->velocities, sizeof(double));
    j->mass = jn_scratch_take(m, (size_t)problem->contacts, sizeof(double));
    j->scratch = jn_scratch_take(m, 0, 1);
}

/* Whether there is room for so much. */
static bool has_room(const jn_judge *j, size_t size) {
    if (size <= j->size) return true;
    *j->cramped = true;
    return false;
}

/* The problem with the values of its rows, which sweeps over round contacts do without; as one of bodies of any shape where contacts give way, since Newton's method over bodies ends it. */
typedef struct expanded {
    jn_problem problem;
    jn_contact_rows H, Y;
} expanded;

static const jn_problem *expand(const jn_problem *problem, const jn_judge *j, expanded *to) {
    bool over_bodies = problem->round && problem->compliance;
    if (!problem->H || (problem->H->value && !over_bodies)) return problem;
    *to = (expanded){*problem, *problem->H, *problem->Y};
    if (!problem->H->value) {
        jn_problem_expand(problem, j->H, j->Y);
        to->H.value = j->H, to->Y.value = j->Y, to->problem.H = &to->H, to->problem.Y = &to->Y;
    }
    if (over_bodies) to->problem.round = NULL;
    return &to->problem;
}

static jn_least_norm_aim aim_of(const jn_solve_settings *settings, const jn_judge *j) {
    return (jn_least_norm_aim){.tolerance = settings->tolerance,
                               .keep = kept(settings),
                               .rest = JN_AT_REST * settings->tolerance,
                               .tries = TRIES,
                               .follows = settings->keep > 0,
                               .hold = j->hold};
}

/* Whether friction jams contacts of a problem that is too large to be proven unsolvable as a whole. */
static bool has_jam(const jn_problem *problem, const jn_solve_settings *settings, const jn_judge *j, double error,
                    const double *p) {
    jn_least_norm_aim aim = aim_of(settings, j);
    *j->cramped = true; /* it looks as far as there is room */
    return j->hold && problem->mass && jn_working_set_jams(problem, &aim, j->scratch, j->size, error, p, j->u, j->hold);
}

/* Attempt after attempt from the best impulses so far, the first guess included; the residual decides. */
static int attempt_all(const jn_problem *problem, const jn_attempt *chain, int count, const jn_solve_settings *settings,
                       const jn_judge *j, double *p, jn_solve_result *result) {
    size_t bytes = (size_t)problem->contacts * (size_t)problem->dimension * sizeof *p;
    int error = JN_OK;
    bool judged = problem->round && settings->speed > 0 && problem->contacts > JN_SOLVE_OWN &&
                  chain[0].solver == &jn_solver_gauss_seidel; /* which keeps a guess as good as asked for itself */
    double least =
        judged ? INFINITY : jn_problem_residual_shared(problem, settings->pool, p, j->v, j->u); /* of j->best */
    if (!isfinite(least)) least = INFINITY;
    *result = (jn_solve_result){.residual = INFINITY};
    if (least <= kept(settings)) {
        *result = (jn_solve_result){.solver = "guess", .tried = 1, .residual = least, .converged = true};
        *j->known = true;
        return JN_OK;
    }
    memcpy(j->best, p, bytes);
    *j->known = false;
    bool rests = least <= JN_AT_REST * settings->tolerance && !(settings->keep > 0); /* not one of several in a step */
    expanded rows;
    bool jams = false;
    for (int k = 0; k < count && !result->converged && !jams; k++) {
        const jn_problem *posed = chain[k].solver == &jn_solver_gauss_seidel ? problem : expand(problem, j, &rows);
        jn_solve_settings own = *settings;
        jn_solve_result one = {.residual = INFINITY};
        if (chain[k].rest > 0 && !rests) continue;
        if (chain[k].rest > 0) own.tolerance *= chain[k].rest;
        if (own.iterations == 0) own.iterations = chain[k].iterations;
        own.keep = kept(settings) / settings->tolerance;
        if (!has_room(j, chain[k].solver->scratch(posed))) continue; /* an island may suit a solver that the whole does not */
        for (size_t i = 0; i < bytes / sizeof *p && chain[k].shrink > 0; i++) p[i] *= 1 - chain[k].shrink;
        int status = chain[k].solver->solve(posed, &own, j->scratch, p, &one);
        if (status < 0) { /* this one cannot: the next may */
            memcpy(p, j->best, bytes);
            error = status;
            continue;
        }
        double residual = jn_problem_residual_shared(problem, settings->pool, p, j->v, j->u);
        result->tried++;
        result->iterations += one.iterations;
        jams = residual > settings->tolerance && chain[k].solver == &jn_solver_proximal &&
               has_jam(posed, settings, j, residual, p);
        if (!result->solver || residual < least) result->solver = chain[k].solver->name;
        if (residual < least)
            memcpy(j->best, p, bytes), least = residual;
        else
            memcpy(p, j->best, bytes);
        result->residual = least;
        result->converged = *j->known = result->residual <= settings->tolerance;
    }
    if (!result->solver) return error < 0 ? error : JN_ERR_ARGUMENT;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

static int chain_of(const jn_problem *problem, const jn_solver_info *solver, bool guessed,
                    jn_attempt chain[JN_ATTEMPTS]) {
    if (!solver) return jn_solver_chain(problem, guessed, chain);
    chain[0] = (jn_attempt){.solver = solver};
    return solver->can(problem) ? 1 : 0;
}

/* A contact alone has its exact answer at once. Where that are impulses without bound, another that slips is looked for. */
static single_end solve_single(const jn_problem *problem, const jn_solve_settings *settings, const jn_judge *j, double *p,
                               jn_solve_result *result) {
    double W[9], guess[3];
    int d = problem->dimension;
    jn_problem_diagonal(problem, 0, W);
    jn_local local = jn_local_prepare(d, W, d > 1 ? problem->mu[0] : 0);
    memcpy(guess, p, (size_t)d * sizeof *p);
    jn_local_solve(d, &local, problem->q, p);
    bool jams = settings->speed > 0 && W[0] * p[0] > JN_IMPULSES_BOUNDLESS * fabs(problem->q[0]);
    if (jams && jn_local_slip_instead(d, &local, W, problem->q, p)) jams = false;
    double residual = jn_problem_residual(problem, p, j->v, j->u);
    *result = (jn_solve_result){.solver = "one_contact", .iterations = 1, .tried = 1, .residual = residual};
    if (jams) return SINGLE_JAMS;
    result->converged = *j->known = residual <= settings->tolerance;
    if (!result->converged) memcpy(p, guess, (size_t)d * sizeof *p);
    return result->converged ? SINGLE_SOLVED : SINGLE_UNSOLVED; /* rounding left more than the tolerance */
}

/* Where no contact approaches, there are no impulses. */
static bool solve_open(const jn_problem *problem, double *p, jn_solve_result *result) {
    int d = problem->dimension;
    for (int i = 0; i < problem->contacts; i++)
        if (!(problem->q[(size_t)i * (size_t)d] >= 0)) return false;
    memset(p, 0, (size_t)problem->contacts * (size_t)d * sizeof *p);
    *result = (jn_solve_result){.solver = "no_impulse", .tried = 1, .converged = true};
    result->residual = jn_problem_residual_of(problem, p, problem->q);
    return true;
}

static bool is_guess(const jn_problem *problem, const double *p) {
    for (int k = 0; k < problem->contacts * problem->dimension; k++)
        if (p[k] != 0) return true;
    return false;
}

/* Few contacts get the impulses of least norm, whatever solver was before. They are taken where they meet the tolerance or are better
 * than what was there. */
static void choose_least_norm(const jn_problem *problem, double tolerance, const jn_judge *j, double *p,
                              jn_solve_result *result) {
    int steps = 0;
    size_t bytes = (size_t)problem->contacts * (size_t)problem->dimension * sizeof *p;
    if (!jn_least_norm_suits(problem) || !has_room(j, jn_least_norm_scratch(problem))) return;
    memcpy(j->best, p, bytes);
    double speed = problem->mass ? tolerance : 0;
    bool fine = jn_least_norm(problem, speed, false, TRIES, j->scratch, p, &steps);
    if (!fine) { /* its answer does not depend on where it starts */
        memset(p, 0, bytes);
        fine = jn_least_norm(problem, speed, false, TRIES, j->scratch, p, &steps);
    }
    double residual = fine ? jn_problem_residual(problem, p, j->v, j->u) : INFINITY;
    *j->known = residual <= tolerance || residual < result->residual;
    if (*j->known)
        result->residual = residual;
    else
        memcpy(p, j->best, bytes);
    result->converged = result->residual <= tolerance;
}

/* Few contacts: Newton's method for the impulses of least norm from the guess; with many of one tree on those that take part. False where that has
 * no answer; the impulses are no worse then. */
static bool solve_few_contacts(const jn_problem *problem, const jn_solve_settings *settings, bool quick, const jn_judge *j,
                               double *p, jn_solve_result *result) {
    jn_least_norm_aim aim = aim_of(settings, j);
    return *j->known = quick ? jn_least_norm_solve(problem, &aim, j->scratch, j->mass, j->u, p, result)
                             : jn_working_set_solve(problem, &aim, j->scratch, j->v, j->u, p, result);
}

/* A tree with so many contacts or velocities that those which take part are solved alone. */
static bool has_working_set(const jn_problem *problem, const jn_solve_settings *settings, const jn_judge *j) {
    return settings->speed > 0 && settings->iterations == 0 && jn_working_set_suits(problem) &&
           has_room(j, jn_working_set_scratch(problem));
}

static bool jams(const jn_problem *problem, const double *hold) {
    for (int i = 0; hold && i < problem->contacts; i++)
        if (hold[(size_t)i * (size_t)problem->dimension] > 0) return true;
    return false;
}

int jn_solve_connected(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                           const jn_judge *j, double *p, jn_solve_result *result) {
    jn_attempt chain[JN_ATTEMPTS];
    jn_problem weighed = *problem;
    if (!solver && solve_open(problem, p, result)) return JN_OK;
    size_t size = settings->speed > 0 ? jn_least_norm_quick_scratch(problem) : 0;
    bool quick = size > 0 && has_room(j, size);
    bool few = !solver && (quick || has_working_set(problem, settings, j));
    if (few && solve_few_contacts(problem, settings, quick, j, p, result)) return JN_OK;
    if (jams(problem, j->hold)) return JN_NOT_CONVERGED;
    if (settings->speed > 0) {
        jn_problem_masses(problem, j->mass);
        weighed.mass = j->mass, problem = &weighed;
    }
    if (!solver && problem->contacts == 1) {
        single_end end = solve_single(problem, settings, j, p, result);
        if (end == SINGLE_JAMS && j->hold) memcpy(j->hold, p, (size_t)problem->dimension * sizeof *p);
        if (end != SINGLE_UNSOLVED) return end == SINGLE_SOLVED ? JN_OK : JN_NOT_CONVERGED;
    }
    int count = chain_of(problem, solver, is_guess(problem, p), chain);
    if (few) count = jn_solver_chain_shared(problem, chain);
    int status = attempt_all(problem, chain, count, settings, j, p, result);
    if (status < 0 || (status == JN_NOT_CONVERGED && settings->iterations > 0)) return status;
    if (settings->speed > 0 || !result->converged) choose_least_norm(problem, settings->tolerance, j, p, result);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

/* The most that a solver of a chain asks for, whether answers are judged by their speed or not. */
static size_t most_scratch(const jn_problem *problem, const jn_solver_info *solver) {
    jn_attempt chain[JN_ATTEMPTS];
    jn_problem judged = *problem;
    size_t most = jn_least_norm_scratch(problem), set = jn_working_set_scratch(problem);
    if (set > most) most = set;
    for (int k = 0; k < 4; k++) {
        judged.mass = k / 2 ? problem->q : NULL; /* nobody reads it here */
        for (int l = 0, count = chain_of(&judged, solver, k % 2, chain); l < count; l++) {
            size_t size = chain[l].solver->scratch(&judged);
            if (size > most) most = size;
        }
    }
    return most;
}

size_t jn_solve_scratch(const jn_problem *problem, const jn_solver_info *solver) {
    jn_scratch m = {NULL, 0};
    jn_island_copies_layout(&(jn_island_copies){0}, problem, &m);
    jn_judge_lay_out(&(jn_judge){0}, problem, &m);
    return m.used + most_scratch(problem, solver) + 63;
}

/* Residual and speed error of an answer that was judged by its speed. relative: the residual is asked for. */
static void report(const jn_problem *problem, const jn_judge *j, const double *p, bool relative, jn_solve_result *result) {
    result->speed_error = result->residual;
    result->residual = NAN;
    if (!relative) return;
    if (!*j->known) jn_problem_velocity(problem, p, j->v, j->u);
    result->residual = jn_problem_residual_of(problem, p, j->u);
}

/* Whether all contacts have the same first velocity: one island at a glance, as the contacts of one floating tree are. */
static bool is_connected(const jn_problem *problem) {
    const jn_contact_rows *Y = problem->Y;
    for (int i = 0; i < problem->contacts; i++)
        if (!Y || Y->start[i] == Y->start[i + 1] || Y->dof[Y->start[i]] != Y->dof[0]) return false;
    return true;
}

/* Contacts that take part: those with impulses in the guess, those that approach without it, or nearly do, and those that do not part with it. Returns how many. */
static int choose_those_that_meet(const jn_problem *problem, double touching, bool *in, const jn_judge *j, double *p) {
    int d = problem->dimension, count = 0;
    double fastest = 0;
    for (int i = 0; i < problem->contacts; i++) fastest = jn_max(fastest, -problem->q[i * d]);
    double near = jn_max(touching, NEARLY * fastest);
    jn_problem_velocity(problem, p, j->v, j->u);
    for (int i = 0; i < problem->contacts; i++) {
        in[i] = p[i * d] > 0 || !(problem->q[i * d] > near) || !(j->u[i * d] > touching);
        count += in[i];
        if (!in[i]) memset(p + i * d, 0, (size_t)d * sizeof *p);
    }
    return count;
}

/* Takes in those that a solution does not part. */
static bool add_those_that_meet(const jn_problem *problem, double touching, bool *in, const jn_judge *j, const double *p) {
    int d = problem->dimension;
    bool added = false;
    jn_problem_velocity(problem, p, j->v, j->u);
    for (int i = 0; i < problem->contacts; i++)
        if (!in[i] && !(j->u[i * d] > touching)) in[i] = added = true;
    return added;
}

/* Whether it is worth the while to leave out contacts that part: of many in sight of an impact a few take part, and without the others the islands are
 * smaller. Trees have jn_working_set_solve, and sweeps over balls pass by those that are open. */
static bool may_leave_out(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings) {
    return !solver && settings->speed > 0 && settings->iterations == 0 && problem->contacts > JN_SOLVE_OWN && !problem->W &&
           !problem->round && !is_connected(problem);
}

/* The problem of the contacts that meet, again with what its solution brings together [Nocedal2006, 16.5]. False: nearly all of them do, or it has no answer. */
static bool solve_those_that_meet(const jn_problem *problem, const jn_solve_settings *settings, jn_island_copies *s,
                                  const jn_judge *j, double *p, jn_solve_result *result) {
    jn_solve_settings own = *settings;
    jn_solve_result one = {0};
    double touching = settings->tolerance;
    if (choose_those_that_meet(problem, touching, s->in, j, p) > MANY * problem->contacts) return false;
    *result = (jn_solve_result){0};
    for (int k = 0; k < ROUNDS; k++) {
        s->count = jn_problem_islands_among(problem, s->in, s->work, s->of);
        one = (jn_solve_result){0};
        int status = jn_solve_islands(s, problem, NULL, &own, j, p, &one);
        result->iterations += one.iterations, result->residual = one.residual;
        if (one.tried >= result->tried) result->solver = one.solver, result->tried = one.tried;
        if (status < 0 || one.residual > settings->tolerance) return false;
        *j->known = true;
        if (!add_those_that_meet(problem, touching, s->in, j, p)) return result->converged = true;
        own.keep = 1; /* islands without new contacts are solved */
    }
    return false;
}

/* With the residual that is asked for, a relative one or a speed, in the result and in the tolerance. */
static int solve_all(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                     jn_island_copies *s, const jn_judge *j, double *p, jn_solve_result *result) {
    if (may_leave_out(problem, solver, settings)) {
        if (solve_those_that_meet(problem, settings, s, j, p, result)) return JN_OK;
        if (jams(problem, j->hold)) return JN_NOT_CONVERGED;
    }
    *result = (jn_solve_result){.converged = true};
    s->count = is_connected(problem) ? 1 : jn_problem_islands(problem, s->work, s->of);
    if (s->count == 1) return jn_solve_connected(problem, solver, settings, j, p, result);
    int status = jn_solve_islands(s, problem, solver, settings, j, p, result);
    *j->known = false;
    if (status < 0) return status;
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

int jn_solve(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings, void *scratch,
             double *p, jn_solve_result *result) {
    return jn_solve_judged(problem, solver, settings, true, scratch, p, NULL, result);
}

int jn_solve_judged(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                    bool relative, void *scratch, double *p, double *hold, jn_solve_result *result) {
    jn_scratch m = {scratch, (64 - (uintptr_t)scratch % 64) % 64}; /* lanes begin with a line of the cache */
    jn_island_copies s;
    jn_judge j;
    jn_problem plain = *problem; /* without rows where nobody would use them */
    jn_solve_settings own = *settings;
    *result = (jn_solve_result){.converged = true};
    if (problem->contacts == 0) return JN_OK;
    if (hold) memset(hold, 0, (size_t)(problem->contacts * problem->dimension) * sizeof *hold);
    plain.mass = NULL;
    if (!solver && solve_open(&plain, p, result)) return JN_OK;
    if (!(solver ? solver : &jn_solver_gauss_seidel)->can(&plain)) return JN_ERR_ARGUMENT; /* all orders of solvers have Gauss and Seidel's */
    if (plain.W && !jn_problem_prefers_rows(problem)) plain.H = plain.Y = NULL, plain.velocities = 0;
    jn_island_copies_layout(&s, &plain, &m);
    jn_judge_lay_out(&j, &plain, &m);
    bool known = false, cramped = false, speed = settings->speed > 0, few = !solver && jn_solve_few(&plain, settings, p, result);
    if (few) {
        jn_problem_velocity(&plain, p, j.v, j.u);
        result->speed_error = jn_problem_speed_error(&plain, p, j.u);
        return JN_OK;
    }
    j.size = settings->room ? (settings->room > m.used ? settings->room - m.used : 0) : most_scratch(&plain, solver);
    j.known = &known, j.cramped = &cramped, j.hold = hold, j.H = s.h_value, j.Y = s.y_value;
    if (speed) own.tolerance = settings->speed;
    int status = solve_all(&plain, solver, &own, &s, &j, p, result);
    if (status >= 0 && speed) report(&plain, &j, p, relative, result);
    if (!speed) result->speed_error = NAN;
    return status;
}

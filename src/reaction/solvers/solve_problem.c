/* Solving a contact problem: islands apart, solver after solver, every answer judged by the same residual. */
#include "reaction/problem/round_row.h"
#include "reaction/solvers/least_norm.h"
#include "reaction/solvers/local_law.h"
#include "reaction/solvers/solvers.h"
#include "reaction/solvers/working_set.h"
#include <math.h>
#include <string.h>

#define DEFAULT_TOLERANCE                                                                                              \
    1e-8 /* residual over the unit of the problem: below what a model knows of friction or restitution */

jn_solve_settings jn_solve_default(void) { return (jn_solve_settings){.tolerance = DEFAULT_TOLERANCE}; }

/* The problem sorted by islands: contacts and velocities of one island follow each other. */
typedef struct islands {
    int count;
    int *of, *work;         /* (contacts), (contacts + velocities) */
    int *first, *first_dof; /* (count + 1) contacts and velocities before an island */
    int *order, *place;     /* (contacts) old number of a new one, and the reverse */
    int *dof;               /* (velocities) new number in its island */
    double *q, *mu, *p;     /* (n), (contacts), (n) */
    int *w_start, *w_column, *h_start, *h_dof, *y_start,
        *y_dof; /* starts (contacts + count), counted from the island's own */
    double *w_value, *h_value, *y_value;
    double *whole_q, *whole_p; /* (n) of one island in the place of all */
    double *hold;              /* (n) */
} islands;

static size_t entries(const jn_contact_rows *rows, int contacts) { return rows ? (size_t)rows->start[contacts] : 0; }

static void lay_out(islands *s, const jn_problem *problem, jn_scratch *m) {
    size_t c = (size_t)problem->contacts, d = (size_t)problem->dimension, nv = (size_t)problem->velocities;
    size_t blocks = problem->W ? (size_t)problem->W->start[c] : 0;
    size_t h = entries(problem->H, problem->contacts), y = entries(problem->Y, problem->contacts);
    s->of = jn_scratch_take(m, c, sizeof(int)), s->work = jn_scratch_take(m, c + nv, sizeof(int));
    s->first = jn_scratch_take(m, c + 1, sizeof(int)), s->first_dof = jn_scratch_take(m, c + 1, sizeof(int));
    s->order = jn_scratch_take(m, c, sizeof(int)), s->place = jn_scratch_take(m, c, sizeof(int));
    s->dof = jn_scratch_take(m, nv, sizeof(int));
    s->q = jn_scratch_take(m, c * d, sizeof(double)), s->mu = jn_scratch_take(m, c, sizeof(double));
    s->p = jn_scratch_take(m, c * d, sizeof(double)), s->hold = jn_scratch_take(m, c * d, sizeof(double));
    s->w_start = jn_scratch_take(m, 2 * c, sizeof(int)), s->w_column = jn_scratch_take(m, blocks, sizeof(int));
    s->h_start = jn_scratch_take(m, 2 * c, sizeof(int)), s->h_dof = jn_scratch_take(m, h, sizeof(int));
    s->y_start = jn_scratch_take(m, 2 * c, sizeof(int)), s->y_dof = jn_scratch_take(m, y, sizeof(int));
    s->whole_q = jn_scratch_take(m, c * d, sizeof(double)), s->whole_p = jn_scratch_take(m, c * d, sizeof(double));
    s->w_value = jn_scratch_take(m, blocks * d * d, sizeof(double));
    s->h_value = jn_scratch_take(m, h * d, sizeof(double)), s->y_value = jn_scratch_take(m, y * d, sizeof(double));
}

/* Numbers velocities within their islands, in ascending order. O(entries). */
static void number_velocities(islands *s, const jn_problem *problem) {
    const jn_contact_rows *Y = problem->Y;
    int *owner = s->work;
    for (int k = 0; k < problem->velocities; k++) owner[k] = -1;
    for (int i = 0; i < problem->contacts; i++)
        for (int k = Y->start[i]; k < Y->start[i + 1]; k++) owner[Y->dof[k]] = s->of[i];
    memset(s->first_dof, 0, ((size_t)s->count + 1) * sizeof(int));
    for (int k = 0; k < problem->velocities; k++)
        if (owner[k] >= 0) s->dof[k] = s->first_dof[owner[k] + 1]++;
}

/* Rows of H or Y of one island. */
static void copy_rows(const islands *s, int island, int d, const jn_contact_rows *from, int *start, int *dof,
                      double *value, size_t *at) {
    int count = 0;
    for (int k = s->first[island]; k < s->first[island + 1]; k++) {
        int i = s->order[k], size = from->start[i + 1] - from->start[i];
        *start++ = count;
        for (int l = 0; l < size; l++) dof[*at + (size_t)l] = s->dof[from->dof[from->start[i] + l]];
        if (from->value)
            memcpy(value + *at * (size_t)d, from->value + (size_t)from->start[i] * (size_t)d,
                   (size_t)size * (size_t)d * sizeof *value);
        *at += (size_t)size, count += size;
    }
    *start = count;
}

static void copy_blocks(const islands *s, int island, int d, const jn_blocks *from, int *start, size_t *at) {
    int count = 0;
    size_t dd = (size_t)(d * d);
    for (int k = s->first[island]; k < s->first[island + 1]; k++) {
        int i = s->order[k], size = from->start[i + 1] - from->start[i];
        *start++ = count;
        for (int l = 0; l < size; l++)
            s->w_column[*at + (size_t)l] = s->place[from->column[from->start[i] + l]] - s->first[island];
        memcpy(s->w_value + *at * dd, from->value + (size_t)from->start[i] * dd, (size_t)size * dd * sizeof(double));
        *at += (size_t)size, count += size;
    }
    *start = count;
}

/* Contacts in the order of their islands, each island in the order of the problem. */
static void sort_contacts(islands *s, const jn_problem *problem, const double *p) {
    size_t d = (size_t)problem->dimension;
    memset(s->first, 0, ((size_t)s->count + 1) * sizeof(int));
    for (int i = 0; i < problem->contacts; i++) s->first[s->of[i] + 1]++;
    for (int k = 0; k < s->count; k++) s->first[k + 1] += s->first[k];
    for (int i = 0; i < problem->contacts; i++) {
        int k = s->place[i] = s->first[s->of[i]]++;
        s->order[k] = i;
        s->mu[k] = problem->mu ? problem->mu[i] : 0;
        memcpy(s->q + (size_t)k * d, problem->q + (size_t)i * d, d * sizeof(double));
        memcpy(s->p + (size_t)k * d, p + (size_t)i * d, d * sizeof(double));
    }
    memmove(s->first + 1, s->first, (size_t)s->count * sizeof(int));
    s->first[0] = 0;
}

/* -------------------------------------------------------------------------------------------------------- attempts */

/* A guess this much better than asked for stays as it is. Others get a sweep at least: problems on velocities alone would creep with a
 * relative residual. Those judged in m/s come from steps that take gaps and anchors into account, and give back what is left. */
static const double KEPT = 1e-3, KEPT_SPEED = 1e-2;
enum {
    TRIES = 4, /* of Newton's method for the impulses of least norm */
    OWN = 64   /* contacts of an island up to which it is solved as a problem of its own in any case */
};

static double kept(const jn_solve_settings *settings) {
    double part = settings->keep > 0 ? settings->keep : settings->speed > 0 ? KEPT_SPEED : KEPT;
    return part * settings->tolerance;
}

/* How a contact alone ends. Jams: friction holds it against all motions that its bodies have, and impulses without bound are its only answer. */
typedef enum single_end { SINGLE_SOLVED, SINGLE_UNSOLVED, SINGLE_JAMS } single_end;

/* What judging needs beside the solver's own scratch. */
typedef struct judge {
    double *best, *u, *v;
    double *mass;  /* (contacts) */
    double *H, *Y; /* (entries x 3) values of round rows that the problem does not have */
    bool *known;   /* u are the velocities of the answer */
    double *hold;  /* (n) or NULL: jn_solve_judged */
    void *scratch;
    size_t size; /* [bytes] of scratch */
} judge;

static void lay_out_judge(judge *j, const jn_problem *problem, jn_scratch *m) {
    size_t n = (size_t)problem->contacts * (size_t)problem->dimension;
    j->best = jn_scratch_take(m, n, sizeof(double)), j->u = jn_scratch_take(m, n, sizeof(double));
    j->v = jn_scratch_take(m, (size_t)problem->velocities, sizeof(double));
    j->mass = jn_scratch_take(m, (size_t)problem->contacts, sizeof(double));
    j->scratch = jn_scratch_take(m, 0, 1);
}

/* The problem with the values of its rows, which sweeps over round contacts do without. */
typedef struct expanded {
    jn_problem problem;
    jn_contact_rows H, Y;
} expanded;

static const jn_problem *expand(const jn_problem *problem, const judge *j, expanded *to) {
    if (!problem->H || problem->H->value) return problem;
    jn_problem_expand(problem, j->H, j->Y);
    *to = (expanded){*problem, *problem->H, *problem->Y};
    to->H.value = j->H, to->Y.value = j->Y, to->problem.H = &to->H, to->problem.Y = &to->Y;
    return &to->problem;
}

/* Attempt after attempt from the best impulses so far, the first guess included; the residual decides. */
static int attempt_all(const jn_problem *problem, const jn_attempt *chain, int count, const jn_solve_settings *settings,
                       const judge *j, double *p, jn_solve_result *result) {
    size_t bytes = (size_t)problem->contacts * (size_t)problem->dimension * sizeof *p;
    int error = JN_OK;
    bool judged = problem->round && settings->speed > 0 && problem->contacts > OWN &&
                  chain[0].solver == &jn_solver_gauss_seidel; /* which keeps a guess as good as asked for itself */
    double least = judged ? INFINITY : jn_problem_residual(problem, p, j->v, j->u); /* of j->best */
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
    for (int k = 0; k < count && !result->converged; k++) {
        if (chain[k].solver != &jn_solver_gauss_seidel) problem = expand(problem, j, &rows);
        jn_solve_settings own = *settings;
        jn_solve_result one = {.residual = INFINITY};
        if (chain[k].rest > 0 && !rests) continue;
        if (chain[k].rest > 0) own.tolerance *= chain[k].rest;
        if (own.iterations == 0) own.iterations = chain[k].iterations;
        own.keep = kept(settings) / settings->tolerance;
        if (chain[k].solver->scratch(problem) > j->size)
            continue; /* an island may suit a solver that the whole does not */
        for (size_t i = 0; i < bytes / sizeof *p && chain[k].shrink > 0; i++) p[i] *= 1 - chain[k].shrink;
        int status = chain[k].solver->solve(problem, &own, j->scratch, p, &one);
        if (status < 0) { /* this one cannot: the next may */
            memcpy(p, j->best, bytes);
            error = status;
            continue;
        }
        double residual = jn_problem_residual(problem, p, j->v, j->u);
        result->tried++;
        result->iterations += one.iterations;
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
static single_end solve_single(const jn_problem *problem, const jn_solve_settings *settings, const judge *j, double *p,
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
static void choose_least_norm(const jn_problem *problem, double tolerance, const judge *j, double *p,
                              jn_solve_result *result) {
    int steps = 0;
    size_t bytes = (size_t)problem->contacts * (size_t)problem->dimension * sizeof *p;
    if (!jn_least_norm_suits(problem) || jn_least_norm_scratch(problem) > j->size) return;
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
static bool solve_few_contacts(const jn_problem *problem, const jn_solve_settings *settings, bool quick, const judge *j,
                               double *p, jn_solve_result *result) {
    jn_least_norm_aim aim = {.tolerance = settings->tolerance, .keep = kept(settings), .tries = TRIES, .hold = j->hold};
    aim.rest = JN_AT_REST * settings->tolerance;
    return *j->known = quick ? jn_least_norm_solve(problem, &aim, j->scratch, j->mass, j->u, p, result)
                             : jn_working_set_solve(problem, &aim, j->scratch, j->v, j->u, p, result);
}

/* A tree with so many contacts or velocities that those which take part are solved alone. */
static bool has_working_set(const jn_problem *problem, const jn_solve_settings *settings, const judge *j) {
    return settings->speed > 0 && settings->iterations == 0 && jn_working_set_suits(problem) &&
           jn_working_set_scratch(problem) <= j->size;
}

static bool jams(const jn_problem *problem, const double *hold) {
    for (int i = 0; hold && i < problem->contacts; i++)
        if (hold[(size_t)i * (size_t)problem->dimension] > 0) return true;
    return false;
}

/* A connected problem: by the solver that was asked for, or by the automatic choice. */
static int solve_connected(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                           const judge *j, double *p, jn_solve_result *result) {
    jn_attempt chain[JN_ATTEMPTS];
    jn_problem weighed = *problem;
    if (!solver && solve_open(problem, p, result)) return JN_OK;
    bool quick = settings->speed > 0 && jn_least_norm_is_quick(problem) && jn_least_norm_scratch(problem) <= j->size;
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

/* One island as a problem of its own. Its residual refers to a share of the whole problem's norm, so that islands that meet the
 * tolerance make a whole that meets it. */
static jn_problem island_problem(const islands *s, const jn_problem *problem, int k, double norm) {
    size_t d = (size_t)problem->dimension;
    int contacts = s->first[k + 1] - s->first[k];
    return (jn_problem){.dimension = problem->dimension,
                        .contacts = contacts,
                        .velocities = problem->Y ? s->first_dof[k + 1] : 0,
                        .mu = s->mu + s->first[k],
                        .q = s->q + (size_t)s->first[k] * d,
                        .norm = norm * sqrt((double)contacts / problem->contacts)};
}

/* An island with most of the contacts, which is solved where it stands; -1: there is none, or residuals hang on the norm of the whole. */
static int find_large(const islands *s, const jn_problem *problem, const jn_solve_settings *settings) {
    if (!(settings->speed > 0) || problem->W) return -1;
    for (int k = 0; k < s->count; k++)
        if (s->first[k + 1] - s->first[k] > OWN && 2 * (s->first[k + 1] - s->first[k]) > problem->contacts) return k;
    return -1;
}

/* The island in the place of all contacts: those of the others are open and take no part, so that no row is copied. */
static int solve_in_place(islands *s, int k, const jn_problem *problem, const jn_solver_info *solver,
                          const jn_solve_settings *settings, const judge *j, jn_solve_result *part) {
    size_t d = (size_t)problem->dimension;
    jn_problem one = *problem;
    one.q = s->whole_q;
    memset(s->whole_p, 0, (size_t)problem->contacts * d * sizeof(double));
    for (size_t n = 0; n < (size_t)problem->contacts * d; n++) s->whole_q[n] = 1;
    for (int n = s->first[k]; n < s->first[k + 1]; n++) {
        memcpy(s->whole_q + (size_t)s->order[n] * d, s->q + (size_t)n * d, d * sizeof(double));
        memcpy(s->whole_p + (size_t)s->order[n] * d, s->p + (size_t)n * d, d * sizeof(double));
    }
    judge own = *j;
    own.hold = NULL; /* it is too large for that */
    int status = solve_connected(&one, solver, settings, &own, s->whole_p, part);
    for (int n = s->first[k]; n < s->first[k + 1]; n++)
        memcpy(s->p + (size_t)n * d, s->whole_p + (size_t)s->order[n] * d, d * sizeof(double));
    return status;
}

/* Room in the copies of rows and blocks that islands have taken. */
typedef struct taken {
    size_t w, h, y;
} taken;

/* The island as a problem of its own. */
static int solve_copy(islands *s, int k, const jn_problem *problem, const jn_solver_info *solver,
                      const jn_solve_settings *settings, const judge *j, double norm, taken *t, jn_solve_result *part) {
    size_t d = (size_t)problem->dimension;
    taken at = *t;
    jn_problem one = island_problem(s, problem, k, norm);
    jn_blocks W = {s->w_start + s->first[k] + k, s->w_column + t->w, s->w_value + t->w * d * d};
    jn_contact_rows H = {s->h_start + s->first[k] + k, s->h_dof + t->h, s->h_value + t->h * d};
    jn_contact_rows Y = {s->y_start + s->first[k] + k, s->y_dof + t->y, s->y_value + t->y * d};
    if (problem->W) copy_blocks(s, k, (int)d, problem->W, s->w_start + s->first[k] + k, &t->w), one.W = &W;
    if (problem->H)
        copy_rows(s, k, (int)d, problem->H, s->h_start + s->first[k] + k, s->h_dof, s->h_value, &t->h), one.H = &H;
    if (problem->Y)
        copy_rows(s, k, (int)d, problem->Y, s->y_start + s->first[k] + k, s->y_dof, s->y_value, &t->y), one.Y = &Y;
    for (int i = 0; i < one.contacts && problem->H && !problem->H->value; i++)
        jn_round_expand(&problem->round[s->order[s->first[k] + i]], s->h_value + 3 * (at.h + (size_t)H.start[i]),
                        s->y_value + 3 * (at.y + (size_t)Y.start[i]));
    judge own = *j;
    own.hold = j->hold ? s->hold + (size_t)s->first[k] * d : NULL;
    return solve_connected(&one, solver, settings, &own, s->p + (size_t)s->first[k] * d, part);
}

static int solve_islands(islands *s, const jn_problem *problem, const jn_solver_info *solver,
                         const jn_solve_settings *settings, const judge *j, double *p, jn_solve_result *result) {
    size_t d = (size_t)problem->dimension;
    double norm = jn_problem_norm(problem), sum = 0, largest = 0;
    int status = JN_OK;
    taken t = {0};
    sort_contacts(s, problem, p);
    memset(s->hold, 0, (size_t)problem->contacts * d * sizeof *s->hold);
    if (problem->Y) number_velocities(s, problem);
    int large = find_large(s, problem, settings);
    for (int k = 0; k < s->count && status >= 0; k++) {
        jn_solve_result part;
        status = k == large ? solve_in_place(s, k, problem, solver, settings, j, &part)
                            : solve_copy(s, k, problem, solver, settings, j, norm, &t, &part);
        double share = norm * sqrt((double)(s->first[k + 1] - s->first[k]) / problem->contacts);
        sum += part.residual * share * part.residual * share, largest = jn_max(largest, part.residual);
        if (part.tried > result->tried || (part.tried == result->tried && part.iterations > result->iterations))
            result->solver = part.solver; /* of the hardest island */
        if (part.iterations > result->iterations) result->iterations = part.iterations;
        if (part.tried > result->tried) result->tried = part.tried;
    }
    for (int k = 0; k < problem->contacts; k++) {
        memcpy(p + (size_t)s->order[k] * d, s->p + (size_t)k * d, d * sizeof *p);
        if (j->hold) memcpy(j->hold + (size_t)s->order[k] * d, s->hold + (size_t)k * d, d * sizeof *p);
    }
    result->residual = settings->speed > 0 ? largest : sqrt(sum) / norm;
    return status;
}

/* The most that a solver of a chain asks for. */
static size_t most_scratch(const jn_problem *problem, const jn_solver_info *solver) {
    jn_attempt chain[JN_ATTEMPTS];
    size_t most = jn_least_norm_scratch(problem), set = jn_working_set_scratch(problem);
    if (set > most) most = set;
    for (int guessed = 0; guessed < 2; guessed++)
        for (int k = 0, count = chain_of(problem, solver, guessed, chain); k < count; k++) {
            size_t size = chain[k].solver->scratch(problem);
            if (size > most) most = size;
        }
    return most;
}

size_t jn_solve_scratch(const jn_problem *problem, const jn_solver_info *solver) {
    jn_scratch m = {NULL, 0};
    lay_out(&(islands){0}, problem, &m);
    lay_out_judge(&(judge){0}, problem, &m);
    return m.used + most_scratch(problem, solver) + 63;
}

/* Residual and speed error of an answer that was judged by its speed. relative: the residual is asked for. */
static void report(const jn_problem *problem, const judge *j, const double *p, bool relative, jn_solve_result *result) {
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

/* With the residual that is asked for, a relative one or a speed, in the result and in the tolerance. */
static int solve_all(const jn_problem *problem, const jn_solver_info *solver, const jn_solve_settings *settings,
                     islands *s, const judge *j, double *p, jn_solve_result *result) {
    s->count = is_connected(problem) ? 1 : jn_problem_islands(problem, s->work, s->of);
    if (s->count == 1) return solve_connected(problem, solver, settings, j, p, result);
    int status = solve_islands(s, problem, solver, settings, j, p, result);
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
    jn_attempt chain[JN_ATTEMPTS];
    jn_scratch m = {scratch, (64 - (uintptr_t)scratch % 64) % 64}; /* lanes begin with a line of the cache */
    islands s = {0};
    judge j = {0};
    jn_problem plain = *problem; /* without rows where nobody would use them */
    jn_solve_settings own = *settings;
    *result = (jn_solve_result){.converged = true};
    if (problem->contacts == 0) return JN_OK;
    if (hold) memset(hold, 0, (size_t)(problem->contacts * problem->dimension) * sizeof *hold);
    plain.mass = NULL;
    if (!solver && solve_open(&plain, p, result)) return JN_OK;
    if (chain_of(&plain, solver, false, chain) == 0) return JN_ERR_ARGUMENT;
    if (plain.W && !jn_problem_prefers_rows(problem)) plain.H = plain.Y = NULL, plain.velocities = 0;
    lay_out(&s, &plain, &m);
    lay_out_judge(&j, &plain, &m);
    bool known = false, speed = settings->speed > 0, few = !solver && jn_solve_few(&plain, settings, p, result);
    if (few) {
        jn_problem_velocity(&plain, p, j.v, j.u);
        result->speed_error = jn_problem_speed_error(&plain, p, j.u);
        return JN_OK;
    }
    j.size = settings->room ? (settings->room > m.used ? settings->room - m.used : 0) : most_scratch(&plain, solver);
    j.known = &known, j.hold = hold, j.H = s.h_value, j.Y = s.y_value;
    if (speed) own.tolerance = settings->speed;
    int status = solve_all(&plain, solver, &own, &s, &j, p, result);
    if (status >= 0 && speed) report(&plain, &j, p, relative, result);
    if (!speed) result->speed_error = NAN;
    return status;
}

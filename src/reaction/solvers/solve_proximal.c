/* Newton's method, and where that runs in circles the proximal-point method: each outer step adds alpha (p - anchor) to the velocity, which makes the problem regular where contacts
 * are redundant, and solves it by a semi-smooth Newton method; alpha falls as long as that succeeds [Acary2018]. */
#include "algebra/elementary.h"
#include "reaction/problem/scaled_problem.h"
#include "reaction/solvers/least_norm_work.h"
#include <math.h>
#include <string.h>

enum { MEMORY = 8, INNER = 25 };                 /* steps over which |F| may not rise, steps of Newton's method */
enum { LIMIT = 6000, ROUNDS = 4, GUESSED = 16 }; /* steps of a round: limit/ROUNDS, from a guess limit/GUESSED, */
enum { STAYS = 300 };                            /* at least so many */
enum { PATIENCE = 12 };                          /* outer steps without progress before alpha is raised */
enum { PLAIN = 40, CIRCLES = 15 }; /* steps of Newton's method on the problem itself; those without progress */
static const double inexact = 0.5;
static const double alpha_least = 1e-12,
                    alpha_most = 1e6;      /* of the unit diagonal: beyond, alpha changes nothing or all */
static const double damping_least = 1e-10; /* the same, of Newton's matrix */

typedef struct work {
    jn_scaled scaled;
    jn_block_lu lu;
    jn_newton newton;
    double *y, *best, *anchor; /* (n) */
    double *change;            /* (n) alpha (y - anchor) of the last outer step */
    double *safe;              /* (n) y before the last stride */
    double stride;
    double alpha;
    double goal; /* |F| that goes with the tolerance, estimated */
    int failures;
} work;

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    jn_scaled_layout(problem, &s, &w->scaled);
    jn_block_lu_layout(w->scaled.d, w->scaled.nc, jn_scaled_fill(problem), &s, &w->lu);
    jn_newton_layout(&s, &w->scaled, &w->lu, &w->newton);
    double **vectors[] = {&w->y, &w->best, &w->anchor, &w->change, &w->safe};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = jn_scratch_take(&s, (size_t)w->scaled.n, sizeof(double));
    return s.used;
}

/* Who measures may not know yet that the answer is judged by its speed. */
static size_t scratch(const jn_problem *problem) {
    work w;
    size_t bodies = jn_proximal_bodies_scratch(problem),
           contacts = bodies && problem->mass ? 0 : layout(problem, NULL, &w);
    return bodies > contacts ? bodies : contacts;
}

static bool can(const jn_problem *problem) {
    return problem->contacts <= JN_FACTOR_CONTACTS || jn_proximal_bodies_suit(problem);
}

/* alpha |y - anchor|: by so much the solution of the regularised problem misses the problem itself. */
static double distance(const work *w) {
    double sum = 0;
    for (int i = 0; i < w->scaled.n; i++) sum += (w->y[i] - w->anchor[i]) * (w->y[i] - w->anchor[i]);
    return w->newton.alpha * sqrt(sum);
}

/* Newton on the regularised problem until |F| is small beside that distance, or as small as asked for. */
static bool inner(work *w, double goal, int *iterations) {
    double recent[MEMORY], norm = jn_newton_value(&w->newton, w->y, w->newton.u, w->newton.F);
    for (int k = 0; k < MEMORY; k++) recent[k] = norm;
    for (int n = 0; n < INNER && (n == 0 || !(norm <= jn_fmax(goal, inexact * distance(w)))); n++) {
        double allowed = 0;
        for (int k = 0; k < MEMORY; k++) allowed = jn_fmax(allowed, recent[k]);
        norm = recent[n % MEMORY] = jn_newton_step(&w->newton, w->y, allowed);
        ++*iterations;
    }
    return norm <= jn_fmax(goal, inexact * distance(w)); /* false for NaN */
}

/* |F| of the problem itself at y. */
static double own_norm(work *w) {
    jn_newton_start(&w->newton, 0, 1);
    return jn_newton_value(&w->newton, w->y, w->newton.u, w->newton.F);
}

/* Where redundant contacts cannot all stick exactly, each outer step moves the impulses by nearly the same, until one of them
 * slides. Takes ever longer strides along such a drift. */
static void drift(work *w) {
    int d = w->scaled.d;
    double dot = 0, now = 0, before = 0;
    for (int i = 0; i < w->scaled.n; i++) {
        double change = w->alpha * (w->y[i] - w->anchor[i]);
        dot += change * w->change[i], now += change * change, before += w->change[i] * w->change[i];
        w->change[i] = change;
    }
    w->stride = dot > 0.9 * sqrt(now * before) && now > 0.25 * before ? jn_fmax(2 * w->stride, 1) : 0;
    for (int i = 0; w->stride > 0 && i < w->scaled.nc; i++) {
        for (int k = i * d; k < i * d + d; k++) w->y[k] += w->stride * w->change[k] / w->alpha;
        jn_cone_project(d, w->scaled.mu[i], w->y + i * d);
    }
}

/* One outer step. Newton may run in circles: after a failure it sees the contacts through other parameters r, and a larger alpha
 * holds it closer to the anchor. */
static double outer(const jn_problem *problem, work *w, double tolerance, jn_solve_result *result) {
    static const double factors[] = {1, 0.1, 10, 0.03, 30}, dampings[] = {0, 0.1, 1, 10};
    size_t bytes = (size_t)w->scaled.n * sizeof(double);
    int before = result->iterations;
    jn_newton_start(&w->newton, w->alpha, factors[w->failures % 5]);
    w->newton.damping = dampings[w->failures % 4] * jn_fmax(w->alpha, damping_least);
    bool done = inner(w, 0.1 * w->goal, &result->iterations);
    double norm = own_norm(w), residual = jn_scaled_residual(problem, &w->scaled, w->y, w->newton.u);
    w->goal = tolerance * norm / jn_fmax(residual, JN_TINY);
    if (residual < result->residual) result->residual = residual, memcpy(w->best, w->y, bytes);
    if (done) {
        memcpy(w->safe, w->y, bytes);
        drift(w);
        int used = result->iterations - before;
        memcpy(w->anchor, w->y, bytes);
        if (used <= INNER / 2) w->alpha = jn_fmax(w->alpha * (used <= 4 ? 0.1 : 0.3), alpha_least);
    } else if (w->stride > 0) { /* too far */
        memcpy(w->y, w->safe, bytes);
        memcpy(w->anchor, w->safe, bytes);
        w->stride = 0;
        memset(w->change, 0, bytes);
    } else {
        memcpy(w->y, w->anchor, bytes);
        w->failures++;
        w->alpha = jn_fmin(w->alpha * 10, alpha_most);
    }
    return residual;
}

/* Newton's method on Alart and Curnier's function itself from y, while it makes progress [Alart1991]. It ends most problems that
 * are not redundant. */
static void plain_newton(const jn_problem *problem, work *w, double tolerance, jn_solve_result *result) {
    size_t bytes = (size_t)w->scaled.n * sizeof(double);
    double recent[MEMORY], mark = result->residual, norm = own_norm(w);
    for (int k = 0; k < MEMORY; k++) recent[k] = norm;
    for (int n = 0, since = 0; n < PLAIN && since < CIRCLES && result->residual > tolerance; n++) {
        double allowed = 0;
        for (int k = 0; k < MEMORY; k++) allowed = jn_fmax(allowed, recent[k]);
        norm = recent[n % MEMORY] = jn_newton_step(&w->newton, w->y, allowed);
        result->iterations++;
        if (!isfinite(norm)) return;
        double residual = jn_scaled_residual(problem, &w->scaled, w->y, w->newton.u);
        if (residual < result->residual) result->residual = residual, memcpy(w->best, w->y, bytes);
        since = residual < 0.9 * mark ? 0 : since + 1;
        mark = jn_fmin(mark, residual);
    }
}

/* From y, with the parameters of Newton's method in another order in every round. */
static void begin(work *w, double tolerance, int round) {
    size_t bytes = (size_t)w->scaled.n * sizeof(double);
    memcpy(w->anchor, w->y, bytes);
    memset(w->change, 0, bytes);
    w->newton.anchor = w->anchor;
    w->alpha = 1, w->stride = 0, w->failures = round;
    w->goal = tolerance * own_norm(w);
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w = {0};
    if (jn_proximal_bodies_suit(problem)) return jn_proximal_bodies_solve(problem, settings, memory, p, result);
    layout(problem, memory, &w);
    size_t bytes = (size_t)w.scaled.n * sizeof(double);
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT, stalled = 0, round = 0;
    int status = jn_scaled_start(problem, &w.scaled, p, w.y);
    if (status == JN_OK) status = jn_block_lu_analyse(&w.lu, w.scaled.start, w.scaled.column);
    if (status < 0) return status;
    memcpy(w.best, w.y, bytes), memcpy(w.safe, w.y, bytes);
    bool guessed = false;
    for (int i = 0; i < w.scaled.n; i++) guessed = guessed || w.y[i] != 0;
    own_norm(&w);
    result->residual = jn_scaled_residual(problem, &w.scaled, w.y, w.newton.u), result->iterations = 0;
    plain_newton(problem, &w, settings->tolerance, result);
    memcpy(w.y, w.safe, bytes);
    begin(&w, settings->tolerance, 0);
    double mark = result->residual;
    int next = !guessed ? limit / ROUNDS : limit > GUESSED * STAYS ? limit / GUESSED : STAYS;
    while (result->residual > settings->tolerance && result->iterations < limit) {
        double residual = outer(problem, &w, settings->tolerance, result);
        if (residual < 0.5 * mark) mark = residual, stalled = 0;
        if (++stalled == PATIENCE) w.alpha = jn_fmax(w.alpha, 1), stalled = 0, mark = INFINITY;
        if (result->iterations > next) { /* this way leads nowhere */
            memset(w.y, 0, bytes);
            begin(&w, settings->tolerance, ++round - guessed);
            next += limit / ROUNDS, stalled = 0, mark = INFINITY;
        }
    }
    result->converged = result->residual <= settings->tolerance;
    jn_scaled_finish(&w.scaled, w.best, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_proximal = {
    "proximal",  "semi-smooth Newton, then the proximal-point method around it; redundant contacts",
    "Acary2018", can,
    scratch,     solve};

/* The proximal-point method over the velocities of free bodies: piles, walls and pyramids of hundreds of contacts, most of which are redundant. Newton's matrix has six rows for each body
 * where one over contacts would have three for each of some ten contacts. */
#include "reaction/solvers/least_norm.h"
#include "reaction/solvers/least_norm_work.h"
#include <math.h>
#include <string.h>

enum {
    FEW = JN_LEAST_NORM_QUICK, /* contacts from which on it is taken: fewer are solved as a whole, or are patches */
    MOST = 200                 /* steps of Newton's method */
};
static const double FIRST = 0.1;  /* e at first: the guess of a step is near */
static const double SHARE = 1e-3; /* of the error that is asked for: |F| that ends Newton's method */

static bool has_bodies(const jn_problem *problem) {
    return problem->contacts > FEW && problem->velocities <= 6 * JN_SHARED_BODIES && jn_bodies_suit(problem);
}

bool jn_proximal_bodies_suit(const jn_problem *problem) { return problem->mass && has_bodies(problem); }

static size_t layout(const jn_problem *problem, void *base, jn_least_norm_work *s) {
    jn_scratch m = {.base = base};
    size_t nc = (size_t)problem->contacts, n = 3 * nc;
    *s = (jn_least_norm_work){.problem = problem, .sparse = true, .d = 3, .nc = (int)nc, .n = (int)n, .factor = 1};
    double **vectors[] = {&s->p, &s->u, &s->anchor, &s->F, &s->g, &s->du, &s->start, &s->change, &s->safe};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&m, n, sizeof(double));
    s->C = jn_scratch_take(&m, 3 * n, sizeof(double)), s->X = jn_scratch_take(&m, 3 * n, sizeof(double));
    s->w = jn_scratch_take(&m, nc, sizeof(double)), s->by_w = jn_scratch_take(&m, nc, sizeof(double));
    s->rows.given = jn_scratch_take(&m, nc, sizeof(double));
    s->x = jn_scratch_take(&m, (size_t)problem->velocities + 6, sizeof(double));
    s->v = jn_scratch_take(&m, (size_t)problem->velocities + 6, sizeof(double));
    jn_bodies_layout(problem, &m, &s->bodies);
    return m.used;
}

size_t jn_proximal_bodies_scratch(const jn_problem *problem) {
    jn_least_norm_work s;
    return has_bodies(problem) ? layout(problem, NULL, &s) : 0;
}

int jn_proximal_bodies_solve(const jn_problem *problem, const jn_solve_settings *settings, void *scratch, double *p,
                             jn_solve_result *result) {
    jn_least_norm_work s;
    layout(problem, scratch, &s);
    if (!jn_bodies_start(&s.bodies)) return JN_ERR_LIMIT;
    for (int i = 0; i < s.nc; i++) s.by_w[i] = problem->mass[i], s.w[i] = 1 / s.by_w[i], s.rows.given[i] = 0;
    for (int k = 0; k < s.n; k++) s.unit = jn_max(s.unit, fabs(problem->q[k]));
    s.goal = s.unit > 0 ? SHARE * settings->tolerance / s.unit : 0;
    s.steps = &result->iterations, result->iterations = 0;
    memcpy(s.start, p, (size_t)s.n * sizeof *p);
    result->residual = jn_solve_proximal_shared(&s, FIRST, settings->tolerance,
                                                settings->iterations > 0 ? settings->iterations : MOST);
    memcpy(p, s.p, (size_t)s.n * sizeof *p);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

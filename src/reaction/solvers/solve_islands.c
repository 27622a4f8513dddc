/* The islands of a contact problem, each as a problem of its own. Threads share them in parts: neighbours in the order of the contacts, so that what one thread reads lies together. Each part has a slice of the
 * scratch; an island that does not find room there is solved afterwards with all of it, so that impulses do not depend on the slices, nor on the threads. */
#include "reaction/solvers/solve_judge.h"
#include <math.h>
#include <string.h>

enum {
    PARTS_EACH = 4, /* parts for each thread: islands take longer than their size tells */
    LEAST = 16      /* contacts of a part: fewer are less work than a meeting of threads is worth */
};

typedef struct islands {
    jn_island_copies *s;
    const jn_problem *problem;
    const jn_solver_info *solver;
    jn_solve_settings settings; /* of one island that threads solve: without a pool */
    const jn_judge *j;
    const double *p; /* (n) the guess */
    double norm;     /* of the whole problem */
    size_t slice;    /* [bytes] of the scratch for each part */
    int first[JN_POOL_PARTS + 1];
    jn_island_entries before[JN_POOL_PARTS];
} islands;

/* An island with most of the contacts, which is solved where it stands; -1: there is none, or residuals hang on the norm of the whole. */
static int find_large(jn_island_copies *s, const jn_problem *problem, const jn_solve_settings *settings) {
    int *contacts = s->first; /* free until islands are sorted */
    if (!(settings->speed > 0) || problem->W) return -1;
    memset(contacts, 0, (size_t)s->count * sizeof *contacts);
    for (int i = 0; i < problem->contacts; i++)
        if (s->of[i] >= 0) contacts[s->of[i]]++;
    for (int k = 0; k < s->count; k++)
        if (contacts[k] > JN_SOLVE_OWN && 2 * contacts[k] > problem->contacts) return k;
    return -1;
}

/* The island in the place of all contacts: those of the others are open and take no part, so that no row is copied. Its contacts belong to no island then. */
static int solve_in_place(jn_island_copies *s, int k, const jn_problem *problem, const jn_solver_info *solver,
                          const jn_solve_settings *settings, const jn_judge *j, double *p, jn_solve_result *part) {
    size_t d = (size_t)problem->dimension;
    jn_problem one = *problem;
    one.q = s->whole_q;
    for (size_t i = 0; i < (size_t)problem->contacts; i++)
        for (size_t r = 0; r < d; r++) {
            s->whole_q[i * d + r] = s->of[i] == k ? problem->q[i * d + r] : 1;
            s->whole_p[i * d + r] = s->of[i] == k ? p[i * d + r] : 0;
        }
    int status = jn_solve_connected(&one, solver, settings, j, s->whole_p, part);
    for (size_t i = 0; i < (size_t)problem->contacts; i++) {
        if (s->of[i] != k) continue;
        memcpy(p + i * d, s->whole_p + i * d, d * sizeof *p);
        s->of[i] = -1;
    }
    return status;
}

/* ----------------------------------------------------------------------------------------------------------- shared */

/* Back to the guess. */
static void forget(const islands *t, int k) {
    jn_island_copies *s = t->s;
    size_t d = (size_t)t->problem->dimension;
    for (int c = s->first[k]; c < s->first[k + 1]; c++) {
        memcpy(s->p + (size_t)c * d, t->p + (size_t)s->order[c] * d, d * sizeof *s->p);
        memset(s->hold + (size_t)c * d, 0, d * sizeof *s->hold);
    }
    s->result[k].solver = NULL;
}

/* The island as a problem of its own. */
static int solve_copy(const islands *t, int k, const jn_island_entries *before, const jn_solve_settings *settings,
                      jn_judge j) {
    jn_island_copies *s = t->s;
    size_t first = (size_t)s->first[k] * (size_t)t->problem->dimension;
    jn_island_copy one;
    jn_island_copy_take(s, t->problem, k, before, t->norm, &one);
    if (j.hold) j.hold = s->hold + first;
    return jn_solve_connected(&one.problem, t->solver, settings, &j, s->p + first, &s->result[k]);
}

/* A judge with room in the slice of a part alone; false: there is not even that for it. */
static bool take_slice(const islands *t, int part, int k, jn_judge *j) {
    const jn_island_copies *s = t->s;
    const jn_problem size = {.dimension = t->problem->dimension,
                             .contacts = s->first[k + 1] - s->first[k],
                             .velocities = s->first_dof[k + 1]};
    jn_scratch m = {(char *)t->j->scratch + (size_t)part * t->slice, 0};
    jn_judge_lay_out(j, &size, &m);
    j->size = t->slice > m.used ? t->slice - m.used : 0;
    return j->size > 0;
}

static void solve_part(void *context, int part) {
    const islands *t = context;
    jn_island_entries before = t->before[part];
    for (int k = t->first[part]; k < t->first[part + 1]; k++) {
        bool known = false, cramped = false;
        jn_judge j = *t->j;
        j.known = &known, j.cramped = &cramped;
        if (t->s->first[k] < t->s->first[k + 1] && take_slice(t, part, k, &j) &&
            (solve_copy(t, k, &before, &t->settings, j) < 0 || cramped))
            forget(t, k);
        jn_island_entries_add(t->s, t->problem, k, &before);
    }
}

/* Parts with about as many contacts. */
static int divide(islands *t, const jn_pool *pool) {
    const jn_island_copies *s = t->s;
    int parts = PARTS_EACH * jn_pool_size(pool), worth = s->contacts / LEAST, part = 0;
    if (parts > JN_POOL_PARTS) parts = JN_POOL_PARTS;
    if (parts > worth) parts = worth;
    jn_island_entries before = {0};
    for (int k = 0; k < s->count && parts > 1; k++) {
        while (part < parts && (int64_t)s->first[k] * parts >= (int64_t)s->contacts * part)
            t->first[part] = k, t->before[part++] = before;
        jn_island_entries_add(s, t->problem, k, &before);
    }
    for (; part <= parts && parts > 1; part++) t->first[part] = s->count;
    t->slice = parts > 1 ? t->j->size / (size_t)parts & ~(size_t)63 : 0;
    return parts;
}

static void solve_shared(islands *t, jn_pool *pool) {
    if (jn_pool_size(pool) == 1 || !(t->settings.speed > 0) || !t->problem->Y) return;
    int parts = divide(t, pool);
    if (parts > 1) jn_pool_share(pool, parts, solve_part, t);
}

/* -------------------------------------------------------------------------------------------------------------- all */

/* What the result of one island says of all. */
static void add_result(const jn_solve_result *part, jn_solve_result *all) {
    if (part->tried > all->tried || (part->tried == all->tried && part->iterations > all->iterations))
        all->solver = part->solver; /* of the hardest island */
    if (part->iterations > all->iterations) all->iterations = part->iterations;
    if (part->tried > all->tried) all->tried = part->tried;
}

/* Islands that no thread has solved, and what all of them leave. */
static int solve_others(islands *t, const jn_solve_settings *settings, int large, double *sum,
                        jn_solve_result *result) {
    jn_island_copies *s = t->s;
    jn_island_entries before = {0};
    for (int k = 0; k < s->count; k++) {
        if (k == large) continue;
        int status = s->result[k].solver ? JN_OK : solve_copy(t, k, &before, settings, *t->j);
        if (status < 0) return status;
        jn_island_entries_add(s, t->problem, k, &before);
        const jn_solve_result *part = &s->result[k];
        double share = t->norm * sqrt((double)(s->first[k + 1] - s->first[k]) / t->problem->contacts);
        *sum += part->residual * share * part->residual * share,
            result->residual = jn_max(result->residual, part->residual);
        add_result(part, result);
    }
    return JN_OK;
}

int jn_solve_islands(jn_island_copies *s, const jn_problem *problem, const jn_solver_info *solver,
                     const jn_solve_settings *settings, const jn_judge *j, double *p, jn_solve_result *result) {
    size_t d = (size_t)problem->dimension;
    double sum = 0;
    islands t = {.s = s,
                 .problem = problem,
                 .solver = solver,
                 .settings = *settings,
                 .j = j,
                 .p = p,
                 .norm = jn_problem_norm(problem)};
    int status = JN_OK, large = find_large(s, problem, settings);
    t.settings.pool = NULL, result->residual = 0;
    if (large >= 0) {
        jn_solve_result part;
        status = solve_in_place(s, large, problem, solver, settings, j, p, &part);
        result->residual = part.residual;
        add_result(&part, result);
        if (status < 0) return status;
    }
    jn_island_copies_sort(s, problem, p);
    memset(s->hold, 0, (size_t)s->contacts * d * sizeof *s->hold);
    for (int k = 0; k < s->count; k++) s->result[k].solver = NULL;
    solve_shared(&t, settings->pool);
    status = solve_others(&t, settings, large, &sum, result);
    if (status < 0) return status;
    for (int k = 0; k < s->contacts; k++) {
        memcpy(p + (size_t)s->order[k] * d, s->p + (size_t)k * d, d * sizeof *p);
        if (j->hold) memcpy(j->hold + (size_t)s->order[k] * d, s->hold + (size_t)k * d, d * sizeof *p);
    }
    if (!(settings->speed > 0)) result->residual = sqrt(sum) / t.norm;
    return status;
}

/* Block Gauss-Seidel: contacts one after the other, each solved exactly for the impulses of the others [Jean1999], with
 * Anderson's acceleration between sweeps. Large problems are swept colour by colour, whether there are threads or not, so that
 * the number of threads does not change a bit. */
#include "base/pool.h"
#include "reaction/anderson.h"
#include "reaction/colour.h"
#include "reaction/local.h"
#include "reaction/solvers.h"
#include "reaction/visits.h"
#include <string.h>

enum {
    SWEEPS = 10000,
    SMALL = 500,   /* unknowns up to which the first sweep may be the last: contacts of a few bodies, none in the way */
    GROWTH = 5,    /* an accelerated step that makes the change this much larger was a bad one */
    PLAIN = 3,     /* sweeps without acceleration after that; twice as many, up to */
    PATIENCE = 3,  /* this power of two, while nothing gets better */
    LOOK = 8,      /* large problems: sweeps after which the residual is looked at, whatever the change */
    REFRESH = 100, /* sweeps after which body velocities are summed anew */
    COLOURED = 1000 /* contacts from which on sweeps go by colour */
};

typedef struct gauss_seidel {
    const jn_problem *problem;
    jn_pool *pool;
    bool rows; /* by body velocities: O(1) per contact; else by blocks of W */
    bool coloured;
    bool packed; /* contacts of free bodies stand in the order of visits */
    jn_visits visits;
    int blocks;       /* of W */
    int d, n, nv;     /* nv: velocities that go along, 0 by blocks */
    jn_local *local;  /* (contacts) */
    double *diagonal; /* (contacts x d x d) W_ii */
    double *
        size; /* (contacts) min(1, trace W_ii), or 1/mass where speeds are judged: a change of p as the residual sees it */
    double *p, *v;    /* (n), (velocities) impulses and Y^T p, one behind the other */
    double *x;        /* (n + nv) both at the start of the sweep */
    double *u, *best; /* (n), (n) */
    double *anderson;
    double *moved;  /* (contacts) change of each */
    int *colour;    /* (contacts) */
    uint64_t *mask; /* (contacts or velocities) */
    jn_colouring colours;
    double change; /* of the last sweep, as the residual would see it */
} gauss_seidel;

/* ---------------------------------------------------------------------------------------------------------- setup */

static void lay_out(gauss_seidel *s, jn_scratch *m) {
    size_t n = (size_t)s->n, contacts = (size_t)s->problem->contacts, dd = (size_t)(s->d * s->d);
    size_t velocities = (size_t)s->problem->velocities, all = n + (size_t)s->nv;
    s->local = jn_scratch_take(m, contacts, sizeof *s->local);
    s->diagonal = jn_scratch_take(m, contacts * dd, sizeof *s->diagonal);
    s->size = jn_scratch_take(m, contacts, sizeof *s->size);
    s->p = jn_scratch_take(m, n + velocities + 1, sizeof *s->p);
    s->v = s->p ? s->p + n : NULL;
    s->x = jn_scratch_take(m, all, sizeof *s->x);
    s->u = jn_scratch_take(m, n, sizeof *s->u);
    s->best = jn_scratch_take(m, n, sizeof *s->best);
    s->anderson = jn_scratch_take(m, jn_anderson_scratch((int)all), sizeof *s->anderson);
    if (s->packed) jn_visits_layout(s->problem, m, &s->visits);
    if (!s->coloured) return;
    s->moved = jn_scratch_take(m, contacts, sizeof *s->moved);
    s->colour = jn_scratch_take(m, contacts, sizeof *s->colour);
    s->colours.order = jn_scratch_take(m, contacts, sizeof *s->colours.order);
    s->mask = jn_scratch_take(m, s->rows ? velocities : contacts, sizeof *s->mask);
}

static gauss_seidel describe(const jn_problem *problem) {
    gauss_seidel s = {.problem = problem, .rows = jn_problem_prefers_rows(problem), .d = problem->dimension};
    s.n = s.d * problem->contacts;
    s.nv = s.rows ? problem->velocities : 0;
    s.coloured = problem->contacts >= COLOURED;
    s.packed = s.rows && s.n > SMALL && jn_visits_suit(problem);
    s.blocks = problem->W ? problem->W->start[problem->contacts] : 0;
    return s;
}

static void prepare(gauss_seidel *s, const double *p) {
    int d = s->d;
    for (int i = 0; i < s->problem->contacts; i++) {
        double *W = s->diagonal + (size_t)i * (size_t)(d * d), trace = 0;
        jn_problem_diagonal(s->problem, i, W);
        s->local[i] = jn_local_prepare(d, W, d > 1 ? s->problem->mu[i] : 0);
        for (int k = 0; k < d; k++) trace += W[k * d + k];
        s->size[i] = s->problem->mass ? 1 / s->problem->mass[i] : trace < 1 ? trace : 1;
    }
    memcpy(s->p, p, (size_t)s->n * sizeof *p);
    if (s->coloured) jn_colour_contacts(s->problem, s->rows, s->colour, s->mask, &s->colours);
    if (s->packed)
        jn_visits_fill(s->problem, s->coloured ? s->colours.order : NULL, s->diagonal, s->size, s->local, &s->visits);
}

/* ---------------------------------------------------------------------------------------------------------- sweep */

/* Four numbers at a time; the fourth of a row of three belongs to what follows and is not used. */
typedef double lanes __attribute__((vector_size(32)));

/* u = row i of W times p, as jn_blocks_row. p is followed by memory of ours; the last block of W is not, and is done alone. */
static inline void row3(const jn_blocks *W, int i, int blocks, const double *p, double *u) {
    int end = W->start[i + 1], safe = end < blocks ? end : blocks - 1;
    lanes a = {0}, b = {0}, c = {0}, x, r0, r1, r2;
    for (int k = W->start[i]; k < safe; k++) {
        const double *B = W->value + 9 * (size_t)k;
        memcpy(&x, p + 3 * (size_t)W->column[k], sizeof x);
        memcpy(&r0, B, sizeof r0), memcpy(&r1, B + 3, sizeof r1), memcpy(&r2, B + 6, sizeof r2);
        a += r0 * x, b += r1 * x, c += r2 * x;
    }
    u[0] = a[0] + a[1] + a[2], u[1] = b[0] + b[1] + b[2], u[2] = c[0] + c[1] + c[2];
    if (safe == end) return;
    const double *B = W->value + 9 * (size_t)safe, *y = p + 3 * (size_t)W->column[safe];
    for (int k = 0; k < 3; k++) u[k] += B[3 * k] * y[0] + B[3 * k + 1] * y[1] + B[3 * k + 2] * y[2];
}

/* u = H_i v, as jn_rows_gather. The last entry is done alone: nothing of ours follows it. */
static inline void gather3(const jn_contact_rows *H, int i, const double *v, double *u) {
    int first = H->start[i], last = H->start[i + 1] - 1;
    const double *h = H->value + 3 * (size_t)first;
    lanes a = {0}, b = {0}, r;
    u[0] = u[1] = u[2] = 0;
    if (last < first) return;
    for (int k = first; k + 1 < last; k += 2, h += 6) {
        memcpy(&r, h, sizeof r), a += r * v[H->dof[k]];
        memcpy(&r, h + 3, sizeof r), b += r * v[H->dof[k + 1]];
    }
    if ((last - first) % 2) memcpy(&r, h, sizeof r), a += r * v[H->dof[last - 1]], h += 3;
    for (int k = 0; k < 3; k++) u[k] = a[k] + b[k] + h[k] * v[H->dof[last]];
}

/* One contact: what the others do to it, its own impulse anew. Returns the square of what the residual sees of the change. */
static inline double visit3(gauss_seidel *s, int i) {
    const double *W = s->diagonal + 9 * (size_t)i, *q = s->problem->q + 3 * (size_t)i;
    double u[3] = {0}, old[3], *x = s->p + 3 * (size_t)i, w = s->size[i];
    if (s->rows)
        gather3(s->problem->H, i, s->v, u);
    else
        row3(s->problem->W, i, s->blocks, s->p, u);
    for (int k = 0; k < 3; k++) {
        old[k] = x[k];
        u[k] += q[k] - (W[3 * k] * x[0] + W[3 * k + 1] * x[1] + W[3 * k + 2] * x[2]);
    }
    jn_local_solve3(&s->local[i], u, x);
    double dp[3] = {x[0] - old[0], x[1] - old[1], x[2] - old[2]};
    double square = dp[0] * dp[0] + dp[1] * dp[1] + dp[2] * dp[2];
    if (s->rows && square > 0) jn_rows_scatter(s->problem->Y, 3, i, dp, s->v);
    return w * w * square;
}

/* The same for the visit number k of contacts that stand in order. */
static inline double visit_packed(gauss_seidel *s, int k) {
    jn_visit *c = &s->visits.at[k];
    const double *W = c->W;
    double u[3], dp[3], *x = s->p + 3 * (size_t)c->contact, w = c->size;
    jn_visit_gather(c, s->v, u);
    for (int r = 0; r < 3; r++) {
        u[r] += c->q[r] - (W[3 * r] * x[0] + W[3 * r + 1] * x[1] + W[3 * r + 2] * x[2]);
        dp[r] = -x[r];
    }
    jn_local_solve3(&c->local, u, x);
    for (int r = 0; r < 3; r++) dp[r] += x[r];
    double square = dp[0] * dp[0] + dp[1] * dp[1] + dp[2] * dp[2];
    if (square > 0) jn_visit_scatter(&s->visits, k, dp, s->v);
    return w * w * square;
}

/* The same for d = 1 and d = 2. */
static double visit(gauss_seidel *s, int i) {
    int d = s->d;
    const double *W = s->diagonal + (size_t)(d * d) * (size_t)i, *q = s->problem->q + (size_t)(d * i);
    double u[3] = {0}, dp[3] = {0}, *x = s->p + (size_t)(d * i), w = s->size[i], square = 0;
    if (s->rows)
        jn_rows_gather(s->problem->H, d, i, s->v, u);
    else
        jn_blocks_row(s->problem, i, s->p, u);
    for (int k = 0; k < d; k++) {
        u[k] += q[k];
        for (int c = 0; c < d; c++) u[k] -= W[k * d + c] * x[c];
        dp[k] = -x[k];
    }
    jn_local_solve(d, &s->local[i], u, x);
    for (int k = 0; k < d; k++) {
        dp[k] += x[k];
        square += dp[k] * dp[k];
    }
    if (s->rows && square > 0) jn_rows_scatter(s->problem->Y, d, i, dp, s->v);
    return w * w * square;
}

/* A thread's share of every colour; the last colour is for one thread alone. */
static void sweep_colours(void *context, int rank, int threads) {
    gauss_seidel *s = context;
    for (int c = 0; c < s->colours.count; c++) {
        int from = s->colours.first[c], many = s->colours.first[c + 1] - from,
            share = c == JN_COLOURS - 1 ? 1 : threads;
        int begin = rank < share ? from + (int)((long)many * rank / share) : from;
        int end = rank < share ? from + (int)((long)many * (rank + 1) / share) : from;
        for (int k = begin; k < end; k++) {
            int i = s->colours.order[k];
            s->moved[i] = s->packed ? visit_packed(s, k) : s->d == 3 ? visit3(s, i) : visit(s, i);
        }
        jn_pool_meet(s->pool);
    }
}

static void sweep(gauss_seidel *s) {
    double change = 0;
    if (s->coloured) {
        jn_pool_run(s->pool, sweep_colours, s);
        for (int i = 0; i < s->problem->contacts; i++) change += s->moved[i];
    } else if (s->packed) {
        for (int i = 0; i < s->problem->contacts; i++) change += visit_packed(s, i);
    } else if (s->d == 3) {
        for (int i = 0; i < s->problem->contacts; i++) change += visit3(s, i);
    } else {
        for (int i = 0; i < s->problem->contacts; i++) change += visit(s, i);
    }
    s->change = sqrt(change);
}

/* ---------------------------------------------------------------------------------------------------------- solve */

static bool can(const jn_problem *problem) { return problem->dimension >= 1 && problem->dimension <= 3; }

static size_t scratch_size(const jn_problem *problem) {
    gauss_seidel s = describe(problem);
    jn_scratch m = {NULL, 0};
    lay_out(&s, &m);
    return m.used;
}

/* Body velocities from the impulses, free of what rounding has left in them. */
static void refresh(gauss_seidel *s) {
    jn_problem_impulse(s->problem, s->p, s->v);
    memcpy(s->x + s->n, s->v, (size_t)s->nv * sizeof *s->v);
}

/* Sweeps until the change is as small as the tolerance, then looks at the residual itself; where that is still too large the
 * change has to become smaller. Where contacts are more than hold the bodies impulses change on and on along directions that
 * move nothing: the residual of large problems is looked at now and then in any case. */
static void iterate(gauss_seidel *s, const jn_solve_settings *settings, jn_solve_result *result) {
    size_t all = (size_t)(s->n + s->nv), bytes = (size_t)s->n * sizeof *s->p;
    double unit = s->problem->mass ? sqrt(s->problem->contacts) : jn_problem_norm(s->problem);
    double trigger = 4 * settings->tolerance * unit, least = INFINITY, smallest = INFINITY, mark = INFINITY;
    int plain = 0, patience = 0, most = settings->iterations > 0 ? settings->iterations : SWEEPS;
    jn_anderson a = jn_anderson_start((int)all, s->n, s->pool, s->anderson);
    memcpy(s->x, s->p, bytes);
    for (int k = 0; k < most; k++) {
        if (s->rows && k % REFRESH == 0) refresh(s);
        sweep(s);
        result->iterations++;
        if (s->change < smallest) {
            smallest = s->change;
            memcpy(s->best, s->p, bytes);
        }
        bool small = s->change <= trigger || (k == 0 && s->n <= SMALL);
        if (small || (s->n > SMALL && k % LOOK == LOOK - 1)) {
            result->residual = jn_problem_residual(s->problem, s->p, s->v, s->u);
            if (result->residual <= settings->tolerance) return;
            if (small && k > 0)
                trigger = fmax(0.01 * s->change, 0.5 * trigger * fmin(1, settings->tolerance / result->residual));
        }
        if (s->change > GROWTH * least) {
            jn_anderson_restart(&a);
            plain = PLAIN << patience;
            patience = smallest <= 0.5 * mark ? 0 : patience < PATIENCE ? patience + 1 : PATIENCE;
            if (patience == 0) mark = smallest;
        }
        if (plain > 0) {
            plain--;
            least = s->change;
            memcpy(s->x, s->p, all * sizeof *s->x);
        } else {
            least = fmin(least, s->change);
            jn_anderson_next(&a, s->x, s->p);
        }
    }
    memcpy(s->p, s->best, bytes);
    result->residual = jn_problem_residual(s->problem, s->p, s->v, s->u);
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *scratch, double *p,
                 jn_solve_result *result) {
    gauss_seidel s = describe(problem);
    jn_scratch m = {scratch, 0};
    s.pool = settings->pool;
    lay_out(&s, &m);
    prepare(&s, p);
    iterate(&s, settings, result);
    memcpy(p, s.p, (size_t)s.n * sizeof *p);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_gauss_seidel = {
    .name = "gauss_seidel",
    .summary = "contact by contact, each solved exactly, accelerated; many bodies, warm starts",
    .source = "Jean1999",
    .can = can,
    .scratch = scratch_size,
    .solve = solve,
};

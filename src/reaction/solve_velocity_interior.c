/* The interior-point method of interior.c from a guess, on a matrix over bodies, for piles. Newton's equations (W + B) dp = right
 * with W = H Y^T become (1 + Y^T B^-1 H) dv = Y^T B^-1 right with the velocities dv = Y^T dp of the bodies. The start is the point of the central
 * path that is nearest to the guess; its barrier says how far the guess is trusted. Where steps become short it was trusted too
 * much, and the path is joined farther up. Where contacts are more than hold the bodies, impulses have to go a long way along directions
 * that move nothing: the path goes there in a dozen steps, where sweeps and active sets go from contact to contact. */
#include "reaction/bodies.h"
#include "reaction/interior.h"
#include <math.h>
#include <string.h>

enum {
    LIMIT = 50,
    BODIES = 2048,
    SLOW = 2
}; /* iterations; blocks of velocities; short steps in a row that end a path */
static const double trust = 30, nearest = 3e-2;  /* size of the barrier over the residual of the guess; its least */
static const double farther = 10, farthest = 10; /* factor of it after a path that ended; its largest */
static const double slow = 0.2;                  /* length of a step that is short */
static const double damping =
    1e-8; /* added to B, in units of W's diagonal: B^-1 must leave digits to what it multiplies */

typedef struct work {
    const jn_problem *problem;
    jn_bodies bodies;
    jn_interior path;
    double unit;     /* |S q| */
    double *scale;   /* (nc) p = scale unit y, as in scaled.h */
    double *inverse; /* (nc x d x d) B^-1, zero beyond the cones */
    double *C;       /* (nc x d x d) S B^-1 S */
    double *p, *u;   /* (n) in the problem's own units */
    double *best;    /* (n) impulses without units */
    double *x, *v;   /* (blocks x size), (velocities) */
} work;

/* u = W p + q without units; both in the problem's own units stay in w->p and w->u. */
static void velocity(void *context, const double *y, double *u) {
    work *w = context;
    int d = w->path.d, n = d * w->path.nc;
    for (int k = 0; k < n; k++) w->p[k] = y[k] * w->scale[k / d] * w->unit;
    jn_problem_velocity(w->problem, w->p, w->v, w->u);
    for (int k = 0; k < n; k++) u[k] = w->u[k] * w->scale[k / d] / w->unit;
}

static int factor(void *context, const double *B) {
    work *w = context;
    int d = w->path.d;
    size_t block = (size_t)(d * d);
    memset(w->inverse, 0, (size_t)w->path.nc * block * sizeof(double));
    for (int i = 0; i < w->path.nc; i++) {
        int m = jn_interior_cone(&w->path, i);
        double own[9], inverse[9], *out = w->inverse + (size_t)i * block;
        for (int k = 0; k < m; k++)
            for (int l = 0; l < m; l++)
                own[k * m + l] = B[(size_t)i * block + (size_t)(k * d + l)] + (k == l ? damping : 0);
        if (!jn_small_invert(m, own, inverse)) return JN_ERR_NUMERIC;
        for (int k = 0; k < m; k++)
            for (int l = 0; l < m; l++) out[k * d + l] = inverse[k * m + l];
        for (size_t k = 0; k < block; k++) w->C[(size_t)i * block + k] = w->scale[i] * w->scale[i] * out[k];
    }
    return jn_bodies_factor(&w->bodies, w->C);
}

/* out = B^-1 right; a component beyond the cone keeps the right-hand side. */
static void divide(const work *w, int i, const double *right, double *out) {
    int d = w->path.d, m = jn_interior_cone(&w->path, i);
    const double *inverse = w->inverse + i * d * d;
    for (int k = 0; k < d; k++) {
        out[k] = k < m ? 0 : right[k];
        for (int l = 0; l < m; l++) out[k] += inverse[k * d + l] * right[l];
    }
}

static void solve_newton(void *context, const double *right, double *dp) {
    work *w = context;
    int d = w->path.d;
    for (int i = 0; i < w->path.nc; i++) {
        double y[3];
        divide(w, i, right + i * d, y);
        for (int k = 0; k < d; k++) w->p[i * d + k] = w->scale[i] * y[k];
    }
    jn_bodies_scatter(&w->bodies, w->p, w->x);
    jn_block_lu_solve(&w->bodies.lu, w->x, w->x);
    jn_bodies_gather(&w->bodies, w->x, w->u);
    for (int i = 0; i < w->path.nc; i++) { /* dp = B^-1 (right - S H dv) */
        double rest[3];
        int m = jn_interior_cone(&w->path, i);
        for (int k = 0; k < d; k++) rest[k] = right[i * d + k] - (k < m ? w->scale[i] * w->u[i * d + k] : 0);
        divide(w, i, rest, dp + i * d);
    }
}

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, n = nc * d;
    *w = (work){.problem = problem};
    jn_bodies_layout(problem, &s, &w->bodies);
    jn_interior_layout((int)d, (int)nc, &s, &w->path);
    w->path.context = w, w->path.velocity = velocity, w->path.factor = factor, w->path.solve = solve_newton;
    w->path.mu = problem->mu;
    w->scale = jn_scratch_take(&s, nc, sizeof(double));
    w->inverse = jn_scratch_take(&s, n * d, sizeof(double)), w->C = jn_scratch_take(&s, n * d, sizeof(double));
    w->p = jn_scratch_take(&s, n, sizeof(double)), w->u = jn_scratch_take(&s, n, sizeof(double));
    w->best = jn_scratch_take(&s, n, sizeof(double));
    w->x = jn_scratch_take(&s, (size_t)(w->bodies.lu.nc * JN_BLOCK), sizeof(double));
    w->v = jn_scratch_take(&s, (size_t)problem->velocities, sizeof(double));
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) {
    return problem->H && problem->Y && problem->dimension > 1 && problem->velocities <= JN_BLOCK * BODIES &&
           problem->velocities <= 2 * problem->contacts * problem->dimension;
}

/* Scales as in scaled.h, the guess without units. */
static int start(work *w, const double *p) {
    int d = w->path.d;
    double sum = 0;
    int status = jn_bodies_start(&w->bodies);
    for (int i = 0; i < w->path.nc && status == JN_OK; i++) {
        double W[9], trace = 0;
        jn_problem_diagonal(w->problem, i, W);
        for (int k = 0; k < d; k++) trace += W[k * d + k];
        if (!(trace > 0) || !isfinite(trace)) status = JN_ERR_NUMERIC;
        w->scale[i] = 1 / sqrt(trace / d);
        for (int k = 0; k < d; k++) sum += pow(w->scale[i] * w->problem->q[i * d + k], 2);
    }
    w->unit = sum > 0 ? sqrt(sum) : 1;
    for (int k = 0; k < d * w->path.nc; k++) w->best[k] = p[k] / (w->scale[k / d] * w->unit);
    return isfinite(sum) ? status : JN_ERR_NUMERIC;
}

/* Residual of the impulses y; their velocity is left in the path. */
static double residual_of(work *w, const double *y) {
    velocity(w, y, w->path.u);
    return jn_problem_residual_of(w->problem, w->p, w->u);
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    size_t bytes = (size_t)(w.path.d * w.path.nc) * sizeof *p;
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT, status = start(&w, p), late = 0;
    if (status < 0) return status;
    result->residual = residual_of(&w, w.best);
    double unit = jn_problem_unit(problem), size = fmin(1, fmax(nearest, trust * result->residual / unit));
    jn_interior_start_near(&w.path, w.best, size);
    while (result->residual > settings->tolerance && result->iterations < limit) {
        result->iterations++;
        status = jn_interior_step(&w.path);
        double residual = residual_of(&w, w.path.p);
        if (residual < result->residual) result->residual = residual, memcpy(w.best, w.path.p, bytes);
        late = w.path.length < slow ? late + 1 : 0;
        if (status == JN_OK && late < SLOW) continue;
        size *= farther, late = 0;
        if (size > farthest || result->residual < 100 * damping * unit) break; /* no way, or no digits left */
        residual_of(&w, w.best);
        jn_interior_start_near(&w.path, w.best, size);
    }
    for (int k = 0; k < w.path.d * w.path.nc; k++) p[k] = w.best[k] * w.scale[k / w.path.d] * w.unit;
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_velocity_interior = {
    "velocity_interior",
    "interior-point method on velocities, from a guess; piles of bodies",
    "Vandenberghe2010",
    can,
    scratch,
    solve};

/* Newton's method on velocities and Gauss-Seidel, for piles. The problem is solved proximally: to the velocity of each contact
 * alpha W_ii (p - anchor) is added, which makes contacts beyond those that hold the bodies regular [Acary2018]. Then impulses follow
 * velocities, p = P(anchor - u/(alpha W_ii)) with Alart and Curnier's projection P [Alart1991], and Newton's step of all bodies is
 * (1 + Y^T C H) dv = Y^T (P - p), C = dP/du: a matrix over bodies, not over contacts. Its length is that at which the work along
 * the step changes its sign. Where a proximal problem is solved the anchor follows and alpha falls; where Newton's method makes no
 * way, because too many contacts would change their state at once, alpha rises and sweeps of gauss_seidel put contacts right.
 * Where bodies are held by more contacts than needed, impulses drift a long way at a small residual until one slides: it is
 * small alpha that makes long strides there. */
#include "reaction/bodies.h"
#include <math.h>
#include <string.h>

enum { LIMIT = 60, STEPS = 12, SWEEPS = 25, SEARCHES = 6, BODIES = 2048, PATIENCE = 3, CALM = 2 };
static const double soft = 3e-3, softest = 10, hardest = 1e-7; /* alpha: first, largest, least */
static const double softer = 5, harder = 0.2;                  /* its factors */
static const double exact = 0.5; /* velocities of a proximal problem are solved to this part of alpha |P - anchor| */
static const double flat = 0.2;  /* of the work along a step that may be left at its end */
static const double rise = 10;   /* of the residual over the best, after a proximal problem is solved */

typedef struct work {
    jn_bodies bodies;
    const jn_problem *problem;
    int d, nc, n;
    double *inverse;       /* (nc) 1/mean diagonal of W_ii */
    double *anchor, *held; /* (n) anchor and its velocity */
    double *p, *u;         /* (n) Newton's iterate: impulses and velocity */
    double *dp, *du;       /* (n) its step */
    double *g, *C;         /* (n), (n x d) P - anchor and rho dP/dz at the iterate */
    double *trial, *best;  /* (n) */
    double *x;             /* (blocks x size) */
    double *v;             /* (velocities) */
    void *sweeps;          /* scratch of gauss_seidel */
} work;

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, n = nc * d;
    jn_bodies_layout(problem, &s, &w->bodies);
    w->problem = problem, w->d = (int)d, w->nc = (int)nc, w->n = (int)n;
    double **vectors[] = {&w->anchor, &w->held, &w->p, &w->u, &w->dp, &w->du, &w->g, &w->trial, &w->best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&s, n, sizeof(double));
    w->inverse = jn_scratch_take(&s, nc, sizeof(double));
    w->C = jn_scratch_take(&s, n * d, sizeof(double));
    w->x = jn_scratch_take(&s, (size_t)(w->bodies.lu.nc * JN_BLOCK), sizeof(double));
    w->v = jn_scratch_take(&s, (size_t)problem->velocities, sizeof(double));
    w->sweeps = jn_scratch_take(&s, jn_solver_gauss_seidel.scratch(problem), 1);
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) {
    return problem->H && problem->Y && problem->velocities <= JN_BLOCK * BODIES &&
           problem->velocities <= 2 * problem->contacts * problem->dimension;
}

/* g = P - p and C = rho dP/dz of one contact, with P the projection of z = p - rho u: on what is not negative along the normal,
 * on the disc of radius mu P_N across it. */
static void linearise(int d, double mu, double rho, const double *p, const double *u, double *g, double *C) {
    double z[3] = {0}, size = 0;
    for (int k = 0; k < d; k++) z[k] = p[k] - rho * u[k], g[k] = -p[k];
    memset(C, 0, (size_t)(d * d) * sizeof *C);
    if (z[0] <= 0) return;
    for (int k = 1; k < d; k++) size += z[k] * z[k];
    size = sqrt(size);
    double radius = mu * z[0];
    g[0] += z[0], C[0] = rho;
    for (int k = 1; k < d; k++) {
        if (size <= radius) {
            g[k] += z[k], C[k * d + k] = rho;
            continue;
        }
        double t = z[k] / size;
        g[k] += radius * t, C[k * d] = rho * mu * t;
        for (int l = 1; l < d; l++) C[k * d + l] = rho * radius / size * ((k == l) - t * z[l] / size);
    }
}

/* P - anchor and its derivative where the iterate stands after the part t of its step. Returns the work along the step,
 * (p + t dp - P).du, which grows with t. O(contacts). */
static double project(work *w, double alpha, double t) {
    int d = w->d;
    double sum = 0, u[3];
    for (int i = 0; i < w->nc; i++) {
        double *g = w->g + i * d;
        for (int k = 0; k < d; k++) u[k] = w->u[i * d + k] + t * w->du[i * d + k];
        linearise(d, d > 1 ? w->problem->mu[i] : 0, w->inverse[i] / alpha, w->anchor + i * d, u, g, w->C + i * d * d);
        for (int k = 0; k < d; k++)
            sum += (w->p[i * d + k] + t * w->dp[i * d + k] - w->anchor[i * d + k] - g[k]) * w->du[i * d + k];
    }
    return sum;
}

/* Newton's step dp, du from the iterate, with P and C there. Returns the work along it at its start, or NaN. One factorisation. */
static double find_step(work *w) {
    int d = w->d;
    double sum = 0;
    if (jn_bodies_factor(&w->bodies, w->C) < 0) return NAN;
    for (int k = 0; k < w->n; k++) w->g[k] += w->anchor[k] - w->p[k];
    jn_bodies_scatter(&w->bodies, w->g, w->x);
    jn_block_lu_solve(&w->bodies.lu, w->x, w->x);
    jn_bodies_gather(&w->bodies, w->x, w->du);
    for (int i = 0; i < w->nc; i++)
        for (int k = i * d; k < i * d + d; k++) {
            w->dp[k] = w->g[k];
            for (int l = 0; l < d; l++) w->dp[k] -= w->C[k * d + l] * w->du[i * d + l]; /* P - p - C H dv */
            sum -= w->g[k] * w->du[k];
        }
    return sum;
}

/* How much of a step is taken: all of it, or as much as leaves a small part of the work; P and C are those there. */
static double search(work *w, double alpha, double start) {
    double low = 0, high = 1, work_low = start, work_high = project(w, alpha, 1), t = 1;
    int side = 0;
    if (!(start < 0) || work_high <= -flat * start) return 1;
    for (int n = 0; n < SEARCHES; n++) { /* Illinois' regula falsi */
        t = low + (high - low) * fmin(0.9, fmax(0.1, work_low / (work_low - work_high)));
        double now = project(w, alpha, t);
        if (fabs(now) < -flat * start) break;
        if (now < 0) {
            low = t, work_low = now;
            if (side == -1) work_high *= 0.5;
            side = -1;
        } else {
            high = t, work_high = now;
            if (side == 1) work_low *= 0.5;
            side = 1;
        }
    }
    return t;
}

/* The proximal problem of the anchor, into w->p; whether it was solved. */
static bool solve_proximal(work *w, double alpha) {
    size_t bytes = (size_t)w->n * sizeof *w->p;
    double last = INFINITY;
    bool done = false;
    memcpy(w->p, w->anchor, bytes), memcpy(w->u, w->held, bytes);
    memset(w->dp, 0, bytes), memset(w->du, 0, bytes);
    project(w, alpha, 0);
    for (int n = 0, slow = 0; n < STEPS && slow < PATIENCE && !done; n++) {
        double start = find_step(w), off = 0, way = 0;
        if (!isfinite(start)) return false;
        double t = search(w, alpha, start);
        for (int k = 0; k < w->n; k++) {
            w->p[k] += t * w->dp[k], w->u[k] += t * w->du[k];
            double e = w->anchor[k] + w->g[k] - w->p[k]; /* P - p */
            off += e * e, way += w->g[k] * w->g[k];
        }
        done = off <= exact * exact * alpha * alpha * way;
        slow = off > 0.25 * last ? slow + 1 : 0;
        last = off;
    }
    for (int k = 0; k < w->n; k++) w->p[k] = w->anchor[k] + w->g[k];
    return done;
}

/* Sweeps from w->p; what they made worse is undone. Returns the residual, whose velocity is left in w->u. */
static double sweep(work *w, const jn_solve_settings *settings, double before) {
    jn_solve_settings own = *settings;
    jn_solve_result result = {0};
    size_t bytes = (size_t)w->n * sizeof(double);
    own.iterations = SWEEPS;
    memcpy(w->trial, w->p, bytes);
    jn_solver_gauss_seidel.solve(w->problem, &own, w->sweeps, w->trial, &result);
    double after = jn_problem_residual(w->problem, w->trial, w->v, w->u);
    if (!(after < before)) {
        jn_problem_velocity(w->problem, w->p, w->v, w->u);
        return before;
    }
    memcpy(w->p, w->trial, bytes);
    return after;
}

static int start(work *w, const double *p, jn_solve_result *result) {
    int d = w->d, status = jn_bodies_start(&w->bodies);
    for (int i = 0; i < w->nc && status == JN_OK; i++) {
        double W[9], trace = 0;
        jn_problem_diagonal(w->problem, i, W);
        for (int k = 0; k < d; k++) trace += W[k * d + k];
        if (!(trace > 0) || !isfinite(trace)) status = JN_ERR_NUMERIC;
        w->inverse[i] = d / trace;
    }
    memcpy(w->anchor, p, (size_t)w->n * sizeof *p);
    memcpy(w->best, p, (size_t)w->n * sizeof *p);
    result->residual = jn_problem_residual(w->problem, w->anchor, w->v, w->held);
    return status;
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    size_t bytes = (size_t)w.n * sizeof *p;
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT, status = start(&w, p, result), calm = 0;
    if (status < 0) return status;
    double alpha = soft, current = result->residual;
    for (; result->iterations < limit && alpha <= softest && result->residual > settings->tolerance;
         result->iterations++) {
        bool done = solve_proximal(&w, alpha);
        double residual = jn_problem_residual(problem, w.p, w.v, w.u);
        if (!done && !(residual <= settings->tolerance)) residual = sweep(&w, settings, residual);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(w.best, w.p, bytes);
        }
        if (residual < (done ? rise * result->residual : current)) {
            current = residual;
            memcpy(w.anchor, w.p, bytes), memcpy(w.held, w.u, bytes);
        }
        if (!done)
            alpha *= softer, calm = CALM; /* what failed is not tried again at once */
        else if (calm-- <= 0)
            alpha = fmax(hardest, harder * alpha);
    }
    memcpy(p, w.best, bytes);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_velocity_newton = {
    "velocity_newton", "Newton on velocities and sweeps by turns; piles of bodies", "Alart1991", can, scratch, solve};

/* A few dozen contacts that all hang together: a robot on the ground. A sweep of exact local solutions, then Newton's method on
 * the few velocities that they share, densely: impulses are eliminated, dp = g - C du, and (1 + Y^T C H) dv = Y^T g is solved.
 *
 * First on Alart and Curnier's function itself [Alart1991], which ends in two or three steps where contacts keep their states. Where it
 * does not pay, by proximal problems (velocity_proximal.h). Where one is solved the anchor follows and alpha falls; where not, alpha
 * rises and sweeps put contacts right. */
#include "reaction/local.h"
#include "reaction/scaled.h"
#include "reaction/shared.h"
#include "reaction/velocity_proximal.h"
#include <math.h>
#include <string.h>

enum {
    CONTACTS = 32,
    OUTER = 40, /* proximal problems */
    STEPS = 8,  /* of Newton, in each */
    SWEEPS = 8, /* after a proximal problem that was not solved */
    LEAPS = 6,  /* steps without proximal terms */
    CALM = 2    /* proximal problems after a failure in which alpha does not fall */
};
static const double kept = 1e-3; /* a guess this much better than asked for stays as it is */
static const double soft = 1e-2, softest = 10, hardest = 1e-8; /* alpha: first, largest, least */
static const double softer = 10, harder = 0.1;                 /* its factors */
static const double damping = 1e-6;                            /* of Newton's matrix, in units of W_ii */
static const double pays = 0.1;                                /* of the residual that a leap may leave */
static const double rise = 10; /* of the residual over the best, after a proximal problem is solved */

typedef struct dense {
    const jn_problem *problem;
    jn_shared rows;
    jn_velocity_proximal near; /* the proximal problem */
    int d, nc, n;
    double *x, *v;   /* (pitch) */
    double *W;       /* (nc x 9) W_ii */
    jn_local *local; /* (nc) */
    double *best;    /* (n) */
} dense;

static void lay_out(dense *s, jn_scratch *m) {
    size_t nc = (size_t)s->nc;
    jn_velocity_proximal_layout(s->problem, m, &s->near);
    jn_shared_layout(s->problem, m, &s->rows);
    s->best = jn_scratch_take(m, (size_t)s->n, sizeof(double));
    s->x = jn_scratch_take(m, JN_SHARED, sizeof(double)), s->v = jn_scratch_take(m, JN_SHARED, sizeof(double));
    s->W = jn_scratch_take(m, 9 * nc, sizeof(double)), s->local = jn_scratch_take(m, nc, sizeof *s->local);
}

static bool suits(const jn_problem *problem) {
    return problem->contacts >= 2 && problem->contacts <= CONTACTS && jn_shared_suits(problem);
}

static dense describe(const jn_problem *problem) {
    dense s = {.problem = problem, .d = problem->dimension, .nc = problem->contacts};
    s.n = s.d * s.nc;
    return s;
}

static size_t scratch_size(const jn_problem *problem) {
    jn_scratch m = {NULL, 0};
    dense s = describe(problem);
    lay_out(&s, &m);
    return m.used;
}

/* ------------------------------------------------------------------------------------------------------- setup */

/* u = W p + q. Returns the residual. */
static double velocity(dense *s, const double *p, double *u) {
    jn_shared_scatter(&s->rows, p, s->v);
    jn_shared_gather(&s->rows, s->v, u);
    for (int k = 0; k < s->n; k++) u[k] += s->problem->q[k];
    return jn_problem_residual_of(s->problem, p, u);
}

/* Rows, and what contacts need of their own blocks. */
static bool start(dense *s) {
    const jn_shared *rows = &s->rows;
    int d = s->d;
    if (!jn_shared_start(&s->rows)) return false;
    for (int i = 0; i < s->nc; i++) {
        double *W = s->W + 9 * i, trace = 0;
        for (int k = 0; k < d * d; k++)
            W[k] = jn_shared_dot(rows->wide[i], rows->H + (i * d + k / d) * rows->pitch,
                                 rows->Y + (i * d + k % d) * rows->pitch);
        for (int k = 0; k < d; k++) trace += W[k * d + k];
        if (!(trace > 0) || !isfinite(trace)) return false;
        s->near.inverse[i] = d / trace;
        s->local[i] = jn_local_prepare(d, W, d > 1 ? s->problem->mu[i] : 0);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ sweeps */

/* Every contact once, solved for the impulses of the others; s->v = Y^T p goes along. */
static void sweep(dense *s, double *p) {
    const jn_shared *rows = &s->rows;
    int d = s->d;
    for (int i = 0; i < s->nc; i++) {
        double q[3] = {0}, old[3] = {0}, *x = p + i * d;
        for (int r = 0; r < d; r++) {
            const double *W = s->W + 9 * i + r * d;
            q[r] = s->problem->q[i * d + r], old[r] = x[r];
            if (r < rows->rows[i]) q[r] += jn_shared_dot(rows->wide[i], rows->H + (i * d + r) * rows->pitch, s->v);
            for (int c = 0; c < d; c++) q[r] -= W[c] * x[c];
        }
        jn_local_solve(d, &s->local[i], q, x);
        for (int r = 0; r < d; r++)
            if (x[r] != old[r]) jn_shared_add(rows->wide[i], x[r] - old[r], rows->Y + (i * d + r) * rows->pitch, s->v);
    }
}

/* ------------------------------------------------------------------------------------------------------ Newton */

/* By the dense matrix over the shared velocities. */
static bool find_step(void *context, const double *C, const double *g, double *du) {
    dense *s = context;
    jn_shared_fill(&s->rows, C);
    jn_shared_scatter(&s->rows, g, s->x);
    if (!jn_shared_solve(&s->rows, s->x)) return false;
    jn_shared_gather(&s->rows, s->x, du);
    return true;
}

/* Sweeps from the iterate; what they made worse is undone. Returns the residual, whose velocity is left in the iterate. */
static double put_right(dense *s, double before) {
    size_t bytes = (size_t)s->n * sizeof *s->near.p;
    memcpy(s->near.dp, s->near.p, bytes);
    for (int k = 0; k < SWEEPS; k++) sweep(s, s->near.dp);
    double after = velocity(s, s->near.dp, s->near.du);
    if (!(after < before)) return before;
    memcpy(s->near.p, s->near.dp, bytes), memcpy(s->near.u, s->near.du, bytes);
    return after;
}

/* ------------------------------------------------------------------------------------------- the last digits */

/* C = X^-1 A and g = -X^-1 F of one contact with X = B + damping A: dp = g - C du. */
static bool eliminate_impulse(int d, double damp, const double *F, const double *A, const double *B, double *C,
                              double *g) {
    double X[9], inverse[9];
    if (A[0] == 0) { /* open */
        memset(C, 0, (size_t)(d * d) * sizeof *C);
        for (int r = 0; r < d; r++) g[r] = -F[r];
        return true;
    }
    for (int k = 0; k < d * d; k++) X[k] = B[k] + damp * A[k];
    if (!jn_small_invert(d, X, inverse)) return false;
    for (int r = 0; r < d; r++) {
        g[r] = 0;
        for (int k = 0; k < d; k++) g[r] -= inverse[r * d + k] * F[k];
        for (int c = 0; c < d; c++) {
            C[r * d + c] = 0;
            for (int k = 0; k < d; k++) C[r * d + c] += inverse[r * d + k] * A[k * d + c];
        }
    }
    return true;
}

/* A step of Newton's method on Alart and Curnier's function itself from the anchor, into the iterate: it ends at once where
 * contacts keep their states. Returns the residual. */
static double leap(dense *s) {
    jn_velocity_proximal *near = &s->near;
    int d = s->d;
    double F[3], A[9], B[9];
    for (int i = 0; i < s->nc; i++) {
        const double *p = near->anchor + i * d, *u = near->held + i * d;
        double mu = d > 1 ? s->problem->mu[i] : 0, r[2] = {near->inverse[i], near->inverse[i]};
        jn_alart_value(d, mu, r, p, u, F);
        jn_alart_slope(d, mu, r, p, u, A, B);
        if (!eliminate_impulse(d, damping / near->inverse[i], F, A, B, near->C + i * d * d, near->g + i * d))
            return INFINITY;
    }
    if (!find_step(s, near->C, near->g, near->du)) return INFINITY;
    for (int i = 0; i < s->nc; i++)
        for (int k = i * d; k < i * d + d; k++) {
            near->p[k] = near->anchor[k] + near->g[k];
            for (int l = 0; l < d; l++) near->p[k] -= near->C[k * d + l] * near->du[i * d + l];
        }
    double residual = velocity(s, near->p, near->u);
    return isfinite(residual) ? residual : INFINITY;
}

/* Such steps from the anchor as long as they pay. */
static void leap_on(dense *s, double tolerance, jn_solve_result *result) {
    size_t bytes = (size_t)s->n * sizeof *s->near.p;
    for (int k = 0; k < LEAPS && result->residual > tolerance; k++) {
        double residual = leap(s);
        result->iterations++;
        if (!(residual < pays * result->residual)) return;
        result->residual = residual;
        jn_velocity_proximal_follow(&s->near), memcpy(s->best, s->near.p, bytes);
    }
}

/* From the anchor, whose residual is in the result, to the tolerance. s->best has the best impulses. */
static void iterate(dense *s, const jn_solve_settings *settings, jn_solve_result *result) {
    size_t bytes = (size_t)s->n * sizeof *s->near.p;
    double alpha = soft, current = result->residual, tolerance = settings->tolerance;
    int calm = 0, outer = settings->iterations > 0 ? settings->iterations : OUTER;
    for (int n = 0; n < outer && alpha <= softest && result->residual > tolerance; n++) {
        int before = s->near.taken;
        bool done = jn_velocity_proximal_solve(&s->near, alpha);
        result->iterations += s->near.taken - before;
        double residual = velocity(s, s->near.p, s->near.u);
        if (!done && !(residual <= tolerance)) residual = put_right(s, residual);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(s->best, s->near.p, bytes);
        }
        if (residual < (done ? rise * result->residual : current)) {
            current = residual;
            jn_velocity_proximal_follow(&s->near);
        }
        if (done && calm <= 0) { /* contacts may have found their states */
            leap_on(s, tolerance, result);
            current = fmin(current, result->residual);
        }
        if (!done)
            alpha *= softer, calm = CALM; /* what failed is not tried again at once */
        else if (calm-- <= 0)
            alpha = fmax(hardest, harder * alpha);
    }
}

/* Sweeps, then Newton; s->best has the impulses. False where the problem is not as it should be. */
static bool run(dense *s, const jn_solve_settings *settings, void *scratch, const double *p, jn_solve_result *result) {
    jn_scratch m = {scratch, 0};
    size_t bytes = (size_t)s->n * sizeof *p;
    lay_out(s, &m);
    s->near.steps = STEPS, s->near.step = find_step, s->near.context = s;
    if (!start(s)) return false;
    memcpy(s->near.anchor, p, bytes), memcpy(s->best, p, bytes);
    double guess = velocity(s, p, s->near.held);
    *result = (jn_solve_result){.solver = "guess", .tried = 1, .residual = guess};
    if (guess <= kept * settings->tolerance) return true;
    sweep(s, s->near.anchor);
    double swept = velocity(s, s->near.anchor, s->near.held);
    *result = (jn_solve_result){.solver = jn_solver_shared_newton.name, .iterations = 1, .tried = 1, .residual = swept};
    if (swept < guess || swept <= settings->tolerance) memcpy(s->best, s->near.anchor, bytes);
    leap_on(s, settings->tolerance, result);
    iterate(s, settings, result);
    return true;
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *scratch, double *p,
                 jn_solve_result *result) {
    dense s = describe(problem);
    if (!run(&s, settings, scratch, p, result)) return JN_ERR_LIMIT;
    memcpy(p, s.best, (size_t)s.n * sizeof *p);
    result->converged = result->residual <= settings->tolerance;
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_shared_newton = {
    "shared_newton", "Newton on the velocities that contacts share, densely; robots",
    "Alart1991",     suits,
    scratch_size,    solve};

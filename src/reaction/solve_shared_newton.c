/* A few dozen contacts that all hang together: a robot on the ground. A sweep of exact local solutions, then Newton's method on
 * the few velocities that they share, densely: impulses are eliminated, dp = g - C du, and (1 + Y^T C H) dv = Y^T g is solved.
 *
 * First on Alart and Curnier's function itself [Alart1991], which ends in two or three steps where contacts keep their states. Where it
 * does not pay, proximally, as velocity_newton does: alpha W_ii (p - anchor) is added to the velocity of each contact, which makes
 * contacts beyond those that hold the bodies regular [Acary2018]. Impulses then follow velocities, p = P(anchor - u/(alpha W_ii)), and
 * the length of a step is that at which the work along it changes its sign. Where a proximal problem is solved the anchor follows
 * and alpha falls; where not, alpha rises and sweeps put contacts right. */
#include "reaction/local.h"
#include "reaction/scaled.h"
#include "reaction/shared.h"
#include <math.h>
#include <string.h>

enum {
    CONTACTS = 32,
    OUTER = 40,   /* proximal problems */
    STEPS = 8,    /* of Newton, in each */
    SEARCHES = 6, /* along a step */
    SWEEPS = 8,   /* after a proximal problem that was not solved */
    PATIENCE = 3, /* steps that make no way */
    LEAPS = 6,    /* steps without proximal terms */
    CALM = 2      /* proximal problems after a failure in which alpha does not fall */
};
static const double kept = 1e-3; /* a guess this much better than asked for stays as it is */
static const double soft = 1e-2, softest = 10, hardest = 1e-8; /* alpha: first, largest, least */
static const double softer = 10, harder = 0.1;                 /* its factors */
static const double exact = 0.5;    /* velocities of a proximal problem are solved to this part of alpha |P - anchor| */
static const double damping = 1e-6; /* of Newton's matrix, in units of W_ii */
static const double pays = 0.1;     /* of the residual that a leap may leave */
static const double flat = 0.2;     /* of the work along a step that may be left at its end */
static const double rise = 10;      /* of the residual over the best, after a proximal problem is solved */

typedef struct dense {
    const jn_problem *problem;
    jn_shared rows;
    int d, nc, n;
    double *x, *v;           /* (pitch) */
    double *inverse;         /* (nc) 1/mean diagonal of W_ii */
    double *W;               /* (nc x 9) W_ii */
    jn_local *local;         /* (nc) */
    double *anchor, *held;   /* (n) anchor and its velocity */
    double *p, *u, *dp, *du; /* (n) Newton's iterate, and its step */
    double *g, *C;           /* (n), (n x d) P - anchor and -dP/du at the iterate */
    double *best;            /* (n) */
} dense;

static void lay_out(dense *s, jn_scratch *m) {
    size_t n = (size_t)s->n, d = (size_t)s->d, nc = (size_t)s->nc;
    double **vectors[] = {&s->anchor, &s->held, &s->p, &s->u, &s->dp, &s->du, &s->g, &s->best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(m, n, sizeof(double));
    jn_shared_layout(s->problem, m, &s->rows);
    s->x = jn_scratch_take(m, JN_SHARED, sizeof(double)), s->v = jn_scratch_take(m, JN_SHARED, sizeof(double));
    s->inverse = jn_scratch_take(m, nc, sizeof(double)), s->W = jn_scratch_take(m, 9 * nc, sizeof(double));
    s->local = jn_scratch_take(m, nc, sizeof *s->local), s->C = jn_scratch_take(m, n * d, sizeof(double));
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
        s->inverse[i] = d / trace;
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

/* g = P - p and C = -dP/du of one contact, with P the projection of z = p - rho u: on what is not negative along the normal, on the
 * disc of radius mu P_N across it. */
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
 * (p + t dp - P).du, which grows with t. */
static double project(dense *s, double alpha, double t) {
    int d = s->d;
    double sum = 0, u[3];
    for (int i = 0; i < s->nc; i++) {
        double *g = s->g + i * d;
        for (int k = 0; k < d; k++) u[k] = s->u[i * d + k] + t * s->du[i * d + k];
        linearise(d, d > 1 ? s->problem->mu[i] : 0, s->inverse[i] / alpha, s->anchor + i * d, u, g, s->C + i * d * d);
        for (int k = 0; k < d; k++)
            sum += (s->p[i * d + k] + t * s->dp[i * d + k] - s->anchor[i * d + k] - g[k]) * s->du[i * d + k];
    }
    return sum;
}

/* Newton's step dp, du from the iterate, with P and C there. Returns the work along it at its start, or NaN. */
static double find_step(dense *s) {
    int d = s->d;
    double sum = 0;
    jn_shared_fill(&s->rows, s->C);
    for (int k = 0; k < s->n; k++) s->g[k] += s->anchor[k] - s->p[k];
    jn_shared_scatter(&s->rows, s->g, s->x);
    if (!jn_shared_solve(&s->rows, s->x)) return NAN;
    jn_shared_gather(&s->rows, s->x, s->du);
    for (int i = 0; i < s->nc; i++)
        for (int k = i * d; k < i * d + d; k++) {
            s->dp[k] = s->g[k];
            for (int l = 0; l < d; l++) s->dp[k] -= s->C[k * d + l] * s->du[i * d + l]; /* P - p - C H dv */
            sum -= s->g[k] * s->du[k];
        }
    return sum;
}

/* How much of a step is taken: all of it, or as much as leaves a small part of the work; P and C are those there. */
static double search(dense *s, double alpha, double start) {
    double low = 0, high = 1, work_low = start, work_high = project(s, alpha, 1), t = 1;
    int side = 0;
    if (!(start < 0) || work_high <= -flat * start) return 1;
    for (int n = 0; n < SEARCHES; n++) { /* Illinois' regula falsi */
        t = low + (high - low) * fmin(0.9, fmax(0.1, work_low / (work_low - work_high)));
        double now = project(s, alpha, t);
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

/* The proximal problem of the anchor, into s->p; whether it was solved. */
static bool solve_proximal(dense *s, double alpha, int *steps) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    double last = INFINITY;
    bool done = false;
    memcpy(s->p, s->anchor, bytes), memcpy(s->u, s->held, bytes);
    memset(s->dp, 0, bytes), memset(s->du, 0, bytes);
    project(s, alpha, 0);
    for (int n = 0, slow = 0; n < STEPS && slow < PATIENCE && !done; n++) {
        double start = find_step(s), off = 0, way = 0;
        if (!isfinite(start)) return false;
        double t = search(s, alpha, start);
        for (int k = 0; k < s->n; k++) {
            s->p[k] += t * s->dp[k], s->u[k] += t * s->du[k];
            double e = s->anchor[k] + s->g[k] - s->p[k]; /* P - p */
            off += e * e, way += s->g[k] * s->g[k];
        }
        done = off <= exact * exact * alpha * alpha * way;
        slow = off > 0.25 * last ? slow + 1 : 0;
        last = off, ++*steps;
    }
    for (int k = 0; k < s->n; k++) s->p[k] = s->anchor[k] + s->g[k];
    return done;
}

/* Sweeps from s->p; what they made worse is undone. Returns the residual, whose velocity is left in s->u. */
static double put_right(dense *s, double before) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    memcpy(s->dp, s->p, bytes);
    for (int k = 0; k < SWEEPS; k++) sweep(s, s->dp);
    double after = velocity(s, s->dp, s->du);
    if (!(after < before)) return before;
    memcpy(s->p, s->dp, bytes), memcpy(s->u, s->du, bytes);
    return after;
}

/* ------------------------------------------------------------------------------------------- the last digits */

/* F_N = p_N - max(0, p_N - r u_N), F_T = p_T - P(p_T - r u_T; disc of radius mu max(0, p_N - r u_N)), dF = A du + B dp. */
static void slopes(int d, double mu, double r, const double *p, const double *u, double *F, double *A, double *B) {
    double normal = p[0] - r * u[0], radius = mu * normal, x[3] = {0}, size = 0;
    memset(A, 0, (size_t)(d * d) * sizeof *A), memset(B, 0, (size_t)(d * d) * sizeof *B);
    for (int k = 0; k < d; k++) F[k] = p[k], B[k * d + k] = 1;
    if (normal <= 0) return;
    F[0] = r * u[0], A[0] = r, B[0] = 0;
    for (int k = 1; k < d; k++) x[k] = p[k] - r * u[k], size += x[k] * x[k];
    size = sqrt(size);
    if (size == 0 && radius == 0) return; /* a stop */
    for (int k = 1; k < d; k++) {
        if (size <= radius) {
            F[k] = r * u[k], A[k * d + k] = r, B[k * d + k] = 0;
            continue;
        }
        double part = radius / size, t = x[k] / size;
        F[k] = p[k] - part * x[k];
        A[k * d] = mu * r * t, B[k * d] = -mu * t;
        for (int l = 1; l < d; l++) {
            double project = part * ((k == l) - t * x[l] / size);
            A[k * d + l] = r * project, B[k * d + l] = (k == l) - project;
        }
    }
}

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

/* A step of Newton's method on Alart and Curnier's function itself from the anchor, into s->p and s->u: it ends at once where
 * contacts keep their states. Returns the residual. */
static double leap(dense *s) {
    int d = s->d;
    double F[3], A[9], B[9];
    for (int i = 0; i < s->nc; i++) {
        slopes(d, d > 1 ? s->problem->mu[i] : 0, s->inverse[i], s->anchor + i * d, s->held + i * d, F, A, B);
        if (!eliminate_impulse(d, damping / s->inverse[i], F, A, B, s->C + i * d * d, s->g + i * d)) return INFINITY;
    }
    jn_shared_fill(&s->rows, s->C);
    jn_shared_scatter(&s->rows, s->g, s->x);
    if (!jn_shared_solve(&s->rows, s->x)) return INFINITY;
    jn_shared_gather(&s->rows, s->x, s->du);
    for (int i = 0; i < s->nc; i++)
        for (int k = i * d; k < i * d + d; k++) {
            s->p[k] = s->anchor[k] + s->g[k];
            for (int l = 0; l < d; l++) s->p[k] -= s->C[k * d + l] * s->du[i * d + l];
        }
    double residual = velocity(s, s->p, s->u);
    return isfinite(residual) ? residual : INFINITY;
}

/* Such steps from the anchor as long as they pay. */
static void leap_on(dense *s, double tolerance, jn_solve_result *result) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    for (int k = 0; k < LEAPS && result->residual > tolerance; k++) {
        double residual = leap(s);
        result->iterations++;
        if (!(residual < pays * result->residual)) return;
        result->residual = residual;
        memcpy(s->anchor, s->p, bytes), memcpy(s->held, s->u, bytes), memcpy(s->best, s->p, bytes);
    }
}

/* From the anchor, whose residual is in the result, to the tolerance. s->best has the best impulses. */
static void iterate(dense *s, const jn_solve_settings *settings, jn_solve_result *result) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    double alpha = soft, current = result->residual, tolerance = settings->tolerance;
    int calm = 0, outer = settings->iterations > 0 ? settings->iterations : OUTER;
    for (int n = 0; n < outer && alpha <= softest && result->residual > tolerance; n++) {
        bool done = solve_proximal(s, alpha, &result->iterations);
        double residual = velocity(s, s->p, s->u);
        if (!done && !(residual <= tolerance)) residual = put_right(s, residual);
        if (residual < result->residual) {
            result->residual = residual;
            memcpy(s->best, s->p, bytes);
        }
        if (residual < (done ? rise * result->residual : current)) {
            current = residual;
            memcpy(s->anchor, s->p, bytes), memcpy(s->held, s->u, bytes);
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
    if (!start(s)) return false;
    memcpy(s->anchor, p, bytes), memcpy(s->best, p, bytes);
    double guess = velocity(s, p, s->held);
    *result = (jn_solve_result){.solver = "guess", .tried = 1, .residual = guess};
    if (guess <= kept * settings->tolerance) return true;
    sweep(s, s->anchor);
    double swept = velocity(s, s->anchor, s->held);
    *result = (jn_solve_result){jn_solver_shared_newton.name, 1, 1, swept, false};
    if (swept < guess || swept <= settings->tolerance) memcpy(s->best, s->anchor, bytes);
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

/* Primal-dual interior-point method with Nesterov and Todd's scaling. De Saxce's correction is part of Newton's system, so that
 * there is no loop around convex problems: the velocity w = W p + q + mu |w_T| e_N is an unknown of its own, and |w_T| is rounded
 * off over a radius that falls with the barrier. Near the solution Alart and Curnier's function takes over, on which Newton's
 * method ends at the accuracy of the machine. */
#include "reaction/scaled.h"
#include <math.h>
#include <string.h>

typedef struct work {
    jn_scaled scaled;
    jn_block_lu lu;
    double *p, *w, *u;       /* (n) impulses, corrected velocities, W p + q */
    double *dp, *dw, *right; /* (n) */
    double *A, *B;           /* (nc x d x d) */
    double *G;               /* (nc x (d + 1)) h and eta of the scaling */
    double *lambda, *r, *f;  /* (n) */
    double *y, *best;        /* (n) */
    jn_newton newton;
} work;

enum { LIMIT = 200, FINISH = 8, PATIENCE = 20 }; /* iterations, steps of Newton's method at the end, without progress */
static const double central = 0.05;              /* least eigenvalue of a pair, over the mean, that a step may leave */
static const double short_step = 0.3;            /* a corrected step below this is replaced by one towards the centre */

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    jn_scaled_layout(problem, &s, &w->scaled);
    jn_block_lu_layout(w->scaled.d, w->scaled.nc, jn_scaled_fill(problem), &s, &w->lu);
    size_t n = (size_t)w->scaled.n, d = (size_t)w->scaled.d;
    double **vectors[] = {&w->p, &w->w, &w->u, &w->dp, &w->dw, &w->right, &w->lambda, &w->r, &w->f, &w->y, &w->best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&s, n, sizeof(double));
    w->A = jn_scratch_take(&s, n * d, sizeof(double));
    w->B = jn_scratch_take(&s, n * d, sizeof(double));
    w->G = jn_scratch_take(&s, n + (size_t)w->scaled.nc, sizeof(double));
    jn_newton_layout(&s, &w->scaled, &w->lu, &w->newton);
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) { return problem->contacts <= JN_FACTOR_CONTACTS; }

/* Dimension of the cone: without friction the tangential impulse is zero and only the normal one is in a cone. */
static int cone_size(const jn_scaled *s, int i) { return s->mu[i] > 0 ? s->d : 1; }

/* x = (mu p_N, p_T), z = (w_N/mu, w_T): both in the cone of Lorentz. */
static double stretch(const jn_scaled *s, int i) { return s->d > 1 && s->mu[i] > 0 ? s->mu[i] : 1; }

static double determinant(int m, const double *x) {
    double t = 0;
    for (int k = 1; k < m; k++) t += x[k] * x[k];
    t = sqrt(t);
    return (x[0] - t) * (x[0] + t);
}

/* y = eta (2 h h^T - J) x, or the inverse of that. */
static void scale_by(int m, const double *G, bool inverse, const double *x, double *y) {
    double eta = inverse ? 1 / G[0] : G[0], dot = G[1] * x[0];
    const double *h = G + 1;
    for (int k = 1; k < m; k++) dot += (inverse ? -h[k] : h[k]) * x[k];
    double first = eta * (2 * dot * h[0] - x[0]);
    for (int k = 1; k < m; k++) y[k] = eta * (2 * dot * (inverse ? -h[k] : h[k]) + x[k]);
    y[0] = first;
}

/* Scaling point of Nesterov and Todd: G x = G^-1 z = lambda [Vandenberghe2010, section 4.2]. */
static bool scaling(int m, const double *x, const double *z, double *G, double *lambda) {
    double dx = determinant(m, x), dz = determinant(m, z), v[3], dot = 0;
    if (!(dx > 0 && dz > 0)) return false;
    double a = 1 / sqrt(dx), b = 1 / sqrt(dz);
    for (int k = 0; k < m; k++) dot += a * x[k] * b * z[k];
    double gamma = sqrt((1 + dot) / 2);
    for (int k = 0; k < m; k++) v[k] = (b * z[k] + (k ? -a : a) * x[k]) / (2 * gamma);
    G[0] = sqrt(sqrt(dz / dx));
    for (int k = 0; k < m; k++) G[1 + k] = (v[k] + (k == 0)) / sqrt(2 * (v[0] + 1));
    scale_by(m, G, false, x, lambda);
    return true;
}

/* b := lambda \ b in Jordan's algebra. */
static void divide(int m, const double *lambda, double *b) {
    double dot = lambda[0] * b[0];
    for (int k = 1; k < m; k++) dot -= lambda[k] * b[k];
    b[0] = dot / determinant(m, lambda);
    for (int k = 1; k < m; k++) b[k] = (b[k] - b[0] * lambda[k]) / lambda[0];
}

/* Largest t <= 1 with x + t dx in the cone. */
static double step_length(int m, const double *x, const double *dx) {
    double a = dx[0] * dx[0], b = x[0] * dx[0], c = determinant(m, x), t = 1;
    for (int k = 1; k < m; k++) a -= dx[k] * dx[k], b -= x[k] * dx[k];
    double root = b * b - a * c;
    if (dx[0] < 0) t = fmin(t, -x[0] / dx[0]);
    if (root >= 0) { /* a t^2 + 2 b t + c = 0 */
        double q = -(b + (b >= 0 ? sqrt(root) : -sqrt(root))), t1 = a != 0 ? q / a : -1, t2 = q != 0 ? c / q : -1;
        if (t1 > 0) t = fmin(t, t1);
        if (t2 > 0) t = fmin(t, t2);
    }
    return t;
}

static void to_cone(const jn_scaled *s, int i, const double *p, const double *w, double *x, double *z) {
    double m = stretch(s, i);
    for (int k = 0; k < s->d; k++) x[k] = p[i * s->d + k] * (k ? 1 : m), z[k] = w[i * s->d + k] / (k ? 1 : m);
}

/* On the central path of x o z = size^2/nc e, whatever the equations say. */
static void start(work *w, double size) {
    const jn_scaled *s = &w->scaled;
    for (int i = 0; i < s->nc; i++)
        for (int k = 0; k < s->d; k++) {
            double m = stretch(s, i);
            w->p[i * s->d + k] = k ? 0 : size / m / sqrt(s->nc);
            w->w[i * s->d + k] = k ? 0 : size * m / sqrt(s->nc);
        }
}

/* Barrier parameter: mean of x.z. */
static double barrier(const work *w) {
    double sum = 0;
    for (int i = 0; i < w->scaled.nc; i++)
        for (int k = 0; k < cone_size(&w->scaled, i); k++) sum += w->p[i * w->scaled.d + k] * w->w[i * w->scaled.d + k];
    return sum / w->scaled.nc;
}

/* Slope of the rounded |w_T| and its value; round: radius of rounding. */
static double slip(const jn_scaled *s, int i, const double *w, double round, double *slope) {
    double t = round * round;
    for (int k = 1; k < s->d; k++) t += w[k] * w[k];
    t = sqrt(t);
    for (int k = 1; k < s->d; k++) slope[k] = t > 0 ? s->mu[i] * w[k] / t : 0;
    return s->d > 1 ? s->mu[i] * (t - round) : 0;
}

/* Newton's matrix W + (1 - C) D G^2 D and the residual f = W p + q + mu |w_T| e_N - w. */
static int assemble(work *w, double round) {
    const jn_scaled *s = &w->scaled;
    int d = s->d;
    bool all = true;
    jn_scaled_velocity(s, w->p, w->u);
    for (int i = 0; i < s->nc; i++) {
        int m = cone_size(s, i);
        double x[3], z[3], slope[3] = {0}, *G = w->G + i * (d + 1), *A = w->A + i * d * d, *B = w->B + i * d * d;
        double normal = stretch(s, i), square[9] = {0};
        to_cone(s, i, w->p, w->w, x, z);
        if (!scaling(m, x, z, G, w->lambda + i * d)) return JN_ERR_NUMERIC;
        double correction = slip(s, i, w->w + i * d, round, slope);
        for (int k = 0; k < d; k++) w->f[i * d + k] = w->u[i * d + k] + (k ? 0 : correction) - w->w[i * d + k];
        for (int c = 0; c < m; c++) {
            double e[3] = {0}, column[3];
            e[c] = c ? 1 : normal; /* D e_c */
            scale_by(m, G, false, e, column);
            scale_by(m, G, false, column, column);
            for (int k = 0; k < m; k++) square[k * d + c] = column[k] * (k ? 1 : normal); /* D G^2 D */
        }
        for (int c = 0; c < d; c++)
            for (int k = 1; k < m; k++) square[c] -= slope[k] * square[k * d + c]; /* (1 - C) D G^2 D */
        memcpy(B, square, (size_t)(d * d) * sizeof *B);
        memset(A, 0, (size_t)(d * d) * sizeof *A);
        for (int k = 0; k < d; k++) {
            A[k * d + k] = k < m;
            if (k >= m) B[k * d + k] = 1, all = false;
        }
    }
    return jn_block_lu_factor(&w->lu, s, all ? NULL : w->A, w->B, NULL, false);
}

/* dp, dw for the right-hand side lambda \ (target e - lambda o lambda - corrector); the corrector is made from the dp, dw that
 * stand there. */
static void direction(work *w, double target, bool corrector, double round) {
    const jn_scaled *s = &w->scaled;
    int d = s->d;
    for (int i = 0; i < s->nc; i++) {
        int m = cone_size(s, i);
        double *G = w->G + i * (d + 1), *lambda = w->lambda + i * d, *r = w->r + i * d, slope[3] = {0},
               normal = stretch(s, i);
        for (int k = 0; k < m; k++) r[k] = -2 * lambda[0] * lambda[k] * (k > 0);
        r[0] = target;
        for (int k = 0; k < m; k++) r[0] -= lambda[k] * lambda[k];
        if (corrector) {
            double dx[3], dz[3];
            to_cone(s, i, w->dp, w->dw, dx, dz);
            scale_by(m, G, false, dx, dx), scale_by(m, G, true, dz, dz);
            for (int k = 0; k < m; k++) r[0] -= dx[k] * dz[k];
            for (int k = 1; k < m; k++) r[k] -= dx[0] * dz[k] + dz[0] * dx[k];
        }
        divide(m, lambda, r);
        double g[3] = {0};
        scale_by(m, G, false, r, g);
        g[0] *= normal; /* D G r */
        slip(s, i, w->w + i * d, round, slope);
        for (int k = 1; k < m; k++) g[0] -= slope[k] * g[k];
        for (int k = 0; k < d; k++) w->right[i * d + k] = k < m ? g[k] - w->f[i * d + k] : -w->p[i * d + k];
    }
    jn_block_lu_solve(&w->lu, w->right, w->dp);
    for (int i = 0; i < s->nc; i++) { /* dz = G (r - G dx) */
        int m = cone_size(s, i);
        double dx[3], dz[3], *G = w->G + i * (d + 1), *r = w->r + i * d;
        to_cone(s, i, w->dp, w->dw, dx, dz);
        scale_by(m, G, false, dx, dx);
        for (int k = 0; k < m; k++) dx[k] = r[k] - dx[k];
        scale_by(m, G, false, dx, dz);
        for (int k = 0; k < d; k++) w->dw[i * d + k] = k == 0 ? dz[0] * stretch(s, i) : k < m ? dz[k] : 0;
    }
}

static double longest(const work *w) {
    const jn_scaled *s = &w->scaled;
    double t = 1;
    for (int i = 0; i < s->nc; i++) {
        double x[3], z[3], dx[3], dz[3];
        to_cone(s, i, w->p, w->w, x, z), to_cone(s, i, w->dp, w->dw, dx, dz);
        t = fmin(t, step_length(cone_size(s, i), x, dx));
        t = fmin(t, step_length(cone_size(s, i), z, dz));
    }
    return t;
}

/* Smallest eigenvalue of a pair over the mean: 1 on the central path. */
static double centrality(const work *w, double t) {
    const jn_scaled *s = &w->scaled;
    double least = INFINITY, sum = 0;
    for (int i = 0; i < s->nc; i++) {
        double x[3], z[3], dx[3], dz[3], dot = 0;
        int m = cone_size(s, i);
        to_cone(s, i, w->p, w->w, x, z), to_cone(s, i, w->dp, w->dw, dx, dz);
        for (int k = 0; k < m; k++) x[k] += t * dx[k], z[k] += t * dz[k], dot += x[k] * z[k];
        double product = determinant(m, x) * determinant(m, z);
        least = fmin(least, product / (dot + sqrt(fmax(dot * dot - product, 0))));
        sum += dot;
    }
    return least / (sum / s->nc);
}

/* One iteration: predictor, corrector, and a step that stays near the central path [Mehrotra1992]. */
static int iterate(work *w) {
    double mu = barrier(w), round = mu;
    if (assemble(w, round) < 0) return JN_ERR_NUMERIC;
    direction(w, 0, false, round);
    double sigma = pow(1 - longest(w), 3);
    direction(w, fmax(sigma, 1e-6) * mu, true, round);
    double reach = longest(w);
    if (reach < short_step) direction(w, 0.8 * mu, false, round), reach = longest(w);
    double t = fmin(1, reach * fmin(0.999, fmax(0.9, 1 - mu)));
    for (int k = 0; k < 10 && !(centrality(w, t) >= central); k++) t *= 0.8;
    for (int i = 0; i < w->scaled.n; i++) w->p[i] += t * w->dp[i], w->w[i] += t * w->dw[i];
    return t > 1e-8 ? JN_OK : JN_NOT_CONVERGED;
}

/* Newton's method on Alart and Curnier's function from p, as long as every step halves it. */
static double finish(const jn_problem *problem, work *w, double tolerance, int *iterations) {
    jn_newton *newton = &w->newton;
    memcpy(w->y, w->p, (size_t)w->scaled.n * sizeof(double));
    jn_newton_start(newton, 0, 1);
    double norm = jn_newton_value(newton, w->y, newton->u, newton->F), before = INFINITY, residual = INFINITY;
    for (int k = 0; k < FINISH && norm < 0.5 * before && !(residual <= tolerance); k++) {
        before = norm;
        norm = jn_newton_step(newton, w->y, norm);
        ++*iterations;
        residual = jn_scaled_residual(problem, &w->scaled, w->y, newton->u);
    }
    return residual;
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    size_t bytes = (size_t)w.scaled.n * sizeof(double);
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT;
    static const double sizes[] = {1, 10, 0.1, 100};
    int status = jn_scaled_start(problem, &w.scaled, p, w.best);
    if (status == JN_OK) status = jn_block_lu_analyse(&w.lu, w.scaled.start, w.scaled.column);
    if (status < 0) return status;
    jn_scaled_velocity(&w.scaled, w.best, w.u);
    result->residual = jn_scaled_residual(problem, &w.scaled, w.best, w.u);
    start(&w, sizes[0]);
    double next = 1e-3, mark = INFINITY; /* residual at which to try the end; that was halved last */
    int since = 0, starts = 1;
    for (result->iterations = 0; result->residual > settings->tolerance && result->iterations < limit;) {
        result->iterations++;
        status = iterate(&w);
        jn_scaled_velocity(&w.scaled, w.p, w.u);
        double residual = jn_scaled_residual(problem, &w.scaled, w.p, w.u);
        if (residual < result->residual) result->residual = residual, memcpy(w.best, w.p, bytes);
        if (residual < next || status != JN_OK) {
            next = 0.1 * residual;
            residual = finish(problem, &w, settings->tolerance, &result->iterations);
            if (residual < result->residual) result->residual = residual, memcpy(w.best, w.y, bytes);
        }
        if (residual < 0.5 * mark) mark = residual, since = 0;
        if (status != JN_OK || ++since > PATIENCE) { /* jammed: along another path */
            if (starts == sizeof sizes / sizeof *sizes) break;
            start(&w, sizes[starts++]);
            next = 1e-3, mark = INFINITY, since = 0;
        }
    }
    result->converged = result->residual <= settings->tolerance;
    jn_scaled_finish(&w.scaled, w.best, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_interior_point = {"interior_point",
                                                 "primal-dual interior-point method, De Saxce's correction inside",
                                                 "Vandenberghe2010",
                                                 can,
                                                 scratch,
                                                 solve};

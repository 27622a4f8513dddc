/* Alternating direction method of multipliers on p = z: p minimises the quadratic form, z is projected onto the cones. De
 * Saxce's correction follows the velocity in every iteration, so that there is no loop around it and the fixed point is the
 * exact one. */
#include "reaction/anderson.h"
#include "reaction/scaled.h"
#include <math.h>
#include <string.h>

typedef struct work {
    jn_scaled scaled;
    jn_block_lu lu;
    double *z, *v;            /* (n) impulses in the cones, corrected velocities: one vector of 2 n */
    double *p, *right, *u;    /* (n) */
    double *best, *B;         /* (n), (nc x d x d) */
    double *start, *anderson; /* (2 n) */
} work;

enum { LIMIT = 5000, CHECK = 5, REVIEW = 20 }; /* iterations at most, between judgements, between changes of rho */
static const double relaxation = 1.6, first_rho = 0.3;

static size_t layout(const jn_problem *problem, void *base, work *w) {
    jn_scratch s = {.base = base};
    jn_scaled_layout(problem, &s, &w->scaled);
    jn_block_lu_layout(w->scaled.d, w->scaled.nc, jn_scaled_fill(problem), &s, &w->lu);
    size_t n = (size_t)w->scaled.n;
    w->z = jn_scratch_take(&s, 2 * n, sizeof(double)), w->v = w->z ? w->z + n : NULL;
    w->start = jn_scratch_take(&s, 2 * n, sizeof(double));
    w->anderson = jn_scratch_take(&s, jn_anderson_scratch(2 * w->scaled.n), sizeof(double));
    double **vectors[] = {&w->p, &w->right, &w->u, &w->best};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&s, n, sizeof(double));
    w->B = jn_scratch_take(&s, n * (size_t)w->scaled.d, sizeof(double));
    return s.used;
}

static size_t scratch(const jn_problem *problem) {
    work w;
    return layout(problem, NULL, &w);
}

static bool can(const jn_problem *problem) { return problem->contacts <= JN_FACTOR_CONTACTS; }

/* W + rho 1 = L D L^T, once per rho. */
static int factor(work *w, double rho) {
    int d = w->scaled.d;
    memset(w->B, 0, (size_t)(w->scaled.n * d) * sizeof *w->B);
    for (int i = 0; i < w->scaled.n; i++) w->B[i * d + i % d] = rho;
    return jn_block_lu_factor(&w->lu, &w->scaled, NULL, w->B, NULL, w->scaled.symmetric);
}

/* One iteration [Boyd2011, section 3.4.3]. Returns |p - z| and rho |z - z_before|. */
static void iterate(work *w, double rho, double *primal, double *dual) {
    const jn_scaled *s = &w->scaled;
    int d = s->d;
    for (int i = 0; i < s->n; i++) w->right[i] = rho * w->z[i] + w->v[i] - s->q[i];
    for (int i = 0; i < s->nc; i++) { /* v = W p + q + mu |v_T| e_N at the fixed point */
        double t = 0;
        for (int k = 1; k < d; k++) t += w->v[i * d + k] * w->v[i * d + k];
        w->right[i * d] -= d > 1 ? s->mu[i] * sqrt(t) : 0;
    }
    jn_block_lu_solve(&w->lu, w->right, w->p);
    *primal = *dual = 0;
    for (int i = 0; i < s->nc; i++) {
        double x[3];
        for (int k = 0; k < d; k++) {
            int at = i * d + k;
            double mixed = relaxation * w->p[at] + (1 - relaxation) * w->z[at];
            w->right[at] = mixed;
            x[k] = mixed - w->v[at] / rho;
        }
        jn_cone_project(d, d > 1 ? s->mu[i] : 0, x);
        for (int k = 0; k < d; k++) {
            int at = i * d + k;
            double change = x[k] - w->z[at], gap = w->p[at] - x[k];
            *primal += gap * gap, *dual += rho * rho * change * change;
            w->v[at] += rho * (x[k] - w->right[at]);
            w->z[at] = x[k];
        }
    }
    *primal = sqrt(*primal), *dual = sqrt(*dual);
}

static int solve(const jn_problem *problem, const jn_solve_settings *settings, void *memory, double *p,
                 jn_solve_result *result) {
    work w;
    layout(problem, memory, &w);
    size_t bytes = (size_t)w.scaled.n * sizeof(double);
    int limit = settings->iterations > 0 ? settings->iterations : LIMIT, review = REVIEW, plain = 0, wait = 2;
    double rho = first_rho, primal, dual, least = INFINITY;
    jn_anderson mix = jn_anderson_start(2 * w.scaled.n, 2 * w.scaled.n, settings->pool, w.anderson);
    int status = jn_scaled_start(problem, &w.scaled, p, w.z);
    if (status == JN_OK) status = jn_block_lu_analyse(&w.lu, w.scaled.start, w.scaled.column);
    if (status == JN_OK) status = factor(&w, rho);
    if (status < 0) return status;
    jn_scaled_velocity(&w.scaled, w.z, w.v);
    result->residual = jn_scaled_residual(problem, &w.scaled, w.z, w.v);
    memcpy(w.best, w.z, bytes);
    for (result->iterations = 0; result->residual > settings->tolerance && result->iterations < limit;) {
        memcpy(w.start, w.z, 2 * bytes);
        iterate(&w, rho, &primal, &dual);
        if (++result->iterations % CHECK == 0) {
            jn_scaled_velocity(&w.scaled, w.z, w.u);
            double residual = jn_scaled_residual(problem, &w.scaled, w.z, w.u);
            if (!isfinite(residual)) break;
            if (residual < result->residual) result->residual = residual, memcpy(w.best, w.z, bytes);
        }
        if (result->iterations == review) { /* ever more rarely, so that the method converges */
            review += review;
            if (primal > 5 * dual || dual > 5 * primal) {
                rho *= fmin(fmax(sqrt(primal / fmax(dual, 1e-300)), 0.1), 10);
                if (factor(&w, rho) < 0) break;
                jn_anderson_restart(&mix);
                least = INFINITY;
                continue;
            }
        }
        double change = primal + dual / rho;
        if (plain > 0 && plain--) continue;
        if (change > 5 * least) { /* the mix led astray: iterations without it, ever more */
            jn_anderson_restart(&mix);
            least = INFINITY;
            plain = wait = wait < 24 ? 2 * wait : 24;
            continue;
        }
        least = fmin(least, change);
        jn_anderson_next(&mix, w.start, w.z);
    }
    result->converged = result->residual <= settings->tolerance;
    jn_scaled_finish(&w.scaled, w.best, p);
    return result->converged ? JN_OK : JN_NOT_CONVERGED;
}

const jn_solver_info jn_solver_admm = {
    "admm", "alternating directions, one factorisation reused", "Boyd2011", can, scratch, solve};

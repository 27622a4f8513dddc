/* Impulses of least norm.
 *
 * The regularised problem u = W p + q + e w_i (p - anchor), with w_i the mean diagonal of W_ii, has one solution where the contacts are
 * redundant, too; from anchor = 0 it is the least-norm solution up to O(e), and steps of the proximal-point method from there
 * [Rockafellar1976] take away what e left, along directions that W sees, and leave the others alone. */
#include "reaction/least_norm.h"
#include "reaction/scaled.h"
#include "reaction/shared.h"
#include <math.h>
#include <string.h>

enum { STEPS = 12, ROUNDS = 4 };                       /* of Newton for one anchor; anchors after zero */
static const double small = 1e-6;                      /* e */
static const double path[] = {1e-1, 1e-2, 1e-3, 1e-4}; /* values of e that lead there where it does not work at once */
static const double solved = 1e-13,
                    enough = 1e-10; /* largest |F| in units of the largest velocity; after the last step */

typedef struct work {
    const jn_problem *problem;
    bool dense; /* by velocities; else by contacts */
    int d, nc, n;
    jn_shared rows;
    jn_scaled scaled;
    jn_block_lu lu;
    jn_newton newton;
    double *x, *v;                           /* (JN_SHARED) */
    double *p, *u, *anchor, *F, *g, *du, *C; /* (n), the last (n d) */
    double *w;                               /* (nc) */
    double unit;                             /* [m/s] largest velocity */
    int *steps;
} work;

bool jn_least_norm_suits(const jn_problem *problem) {
    return problem->contacts > 1 && problem->contacts <= JN_LEAST_NORM;
}

static size_t layout(const jn_problem *problem, void *base, work *s) {
    jn_scratch m = {.base = base};
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, n = nc * d;
    *s = (work){.problem = problem, .d = (int)d, .nc = (int)nc, .n = (int)n};
    s->dense = jn_shared_suits(problem);
    double **vectors[] = {&s->p, &s->u, &s->anchor, &s->F, &s->g, &s->du};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&m, n, sizeof(double));
    s->C = jn_scratch_take(&m, n * d, sizeof(double)), s->w = jn_scratch_take(&m, nc, sizeof(double));
    size_t before = m.used;
    if (s->dense) {
        jn_shared_layout(problem, &m, &s->rows);
        s->x = jn_scratch_take(&m, JN_SHARED, sizeof(double)), s->v = jn_scratch_take(&m, JN_SHARED, sizeof(double));
    }
    size_t after = m.used; /* where the velocities are too many the contacts take the same place */
    m.used = before;
    jn_scaled_layout(problem, &m, &s->scaled);
    jn_block_lu_layout((int)d, (int)nc, jn_scaled_fill(problem), &m, &s->lu);
    jn_newton_layout(&m, &s->scaled, &s->lu, &s->newton);
    return m.used > after ? m.used : after;
}

/* By rows where there are rows. */
static jn_problem without_blocks(const jn_problem *problem) {
    jn_problem plain = *problem;
    if (plain.H && plain.Y) plain.W = NULL;
    return plain;
}

size_t jn_least_norm_scratch(const jn_problem *problem) {
    work s;
    jn_problem plain = without_blocks(problem);
    if (problem->contacts <= 1) return 0;
    if (problem->contacts <= JN_LEAST_NORM) return layout(&plain, NULL, &s);
    int start[JN_LEAST_NORM + 1] = {0}; /* as much as an island may need */
    if (plain.Y) start[JN_LEAST_NORM] = plain.Y->start[plain.contacts];
    jn_contact_rows rows = {.start = start};
    plain.contacts = JN_LEAST_NORM, plain.W = NULL, plain.H = plain.Y = &rows;
    return layout(&plain, NULL, &s);
}

/* --------------------------------------------------------------------------------------------------- by velocities */

static void velocity(work *s) {
    jn_shared_scatter(&s->rows, s->p, s->v);
    jn_shared_gather(&s->rows, s->v, s->u);
    for (int k = 0; k < s->n; k++) s->u[k] += s->problem->q[k];
}

/* C = X^-1 A and g = -X^-1 F of one contact, X = B + e w A: dp = g - C du. */
static bool eliminate(int d, double damp, const double *F, const double *A, const double *B, double *C, double *g) {
    double X[9], inverse[9];
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

/* Alart and Curnier's function of the regularised problem, largest in m/s; with `slopes` what a step needs, too. NaN where a contact
 * has no step. */
static double value(work *s, double e, bool slopes) {
    int d = s->d;
    double largest = 0, A[9], B[9];
    for (int i = 0; i < s->nc; i++) {
        double mu = d > 1 ? s->problem->mu[i] : 0, w = s->w[i], r[2] = {1 / w, 1 / w}, u[3], *F = s->F + i * d;
        const double *p = s->p + i * d;
        for (int k = 0; k < d; k++) u[k] = s->u[i * d + k] + e * w * (p[k] - s->anchor[i * d + k]);
        jn_alart_value(d, mu, r, p, u, F);
        for (int k = 0; k < d; k++) largest = fmax(largest, w * fabs(F[k]));
        if (!isfinite(F[0] + F[d - 1])) return NAN;
        if (!slopes) continue;
        if (jn_alart_slope(d, mu, r, p, u, A, B)) {
            if (!eliminate(d, e * w, F, A, B, s->C + i * d * d, s->g + i * d)) return NAN;
        } else {
            memset(s->C + i * d * d, 0, (size_t)(d * d) * sizeof(double));
            for (int k = 0; k < d; k++) s->g[i * d + k] = -F[k];
        }
    }
    return largest;
}

/* Newton's method for one anchor. */
static bool solve_dense(work *s, double e) {
    int d = s->d;
    for (int n = 0; n <= STEPS; n++) {
        velocity(s);
        double size = value(s, e, n < STEPS);
        if (size <= solved * s->unit) return true;
        if (isnan(size) || n == STEPS) return size <= enough * s->unit;
        jn_shared_fill(&s->rows, s->C);
        jn_shared_scatter(&s->rows, s->g, s->x);
        if (!jn_shared_solve(&s->rows, s->x)) return false;
        jn_shared_gather(&s->rows, s->x, s->du);
        for (int i = 0; i < s->nc; i++)
            for (int k = i * d; k < i * d + d; k++) {
                s->p[k] += s->g[k];
                for (int l = 0; l < d; l++) s->p[k] -= s->C[k * d + l] * s->du[i * d + l];
            }
        ++*s->steps;
    }
    return false;
}

/* ----------------------------------------------------------------------------------------------------- by contacts */

/* The same without units, with a matrix over the contacts; p and anchor are those of the scaled problem. */
static bool solve_sparse(work *s, double e) {
    jn_newton *newton = &s->newton;
    newton->anchor = s->anchor;
    jn_newton_start(newton, e, 1);
    newton->damping = 0;
    double norm = jn_newton_value(newton, s->p, newton->u, newton->F);
    for (int n = 0; n < STEPS && !(norm <= solved); n++) {
        double next = jn_newton_step(newton, s->p, 10 * norm);
        ++*s->steps;
        if (!isfinite(next)) return false;
        norm = next;
    }
    return norm <= enough;
}

/* ------------------------------------------------------------------------------------------------------------ both */

static bool solve_for(work *s, double e) { return s->dense ? solve_dense(s, e) : solve_sparse(s, e); }

/* What e leaves: largest e w |p - anchor| in units of the largest velocity. */
static double left(const work *s) {
    double largest = 0;
    for (int k = 0; k < s->n; k++)
        largest = fmax(largest, fabs(s->p[k] - s->anchor[k]) * (s->dense ? s->w[k / s->d] / s->unit : 1));
    return small * largest;
}

static bool start(work *s, void *scratch, const double *p) {
    layout(s->problem, scratch, s);
    s->unit = 0;
    for (int k = 0; k < s->n; k++) s->unit = fmax(s->unit, fabs(s->problem->q[k]));
    for (int i = 0; i < s->nc && s->dense; i++) {
        double W[9], trace = 0;
        int count = 0;
        jn_problem_diagonal(s->problem, i, W);
        for (int k = 0; k < s->d; k++)
            if (W[k * s->d + k] > 0) trace += W[k * s->d + k], count++;
        if (!count || !isfinite(trace)) return false;
        s->w[i] = trace / count;
    }
    s->dense = s->dense && jn_shared_start(&s->rows);
    memcpy(s->p, p, (size_t)s->n * sizeof *p);
    if (s->dense) return s->unit > 0;
    return jn_scaled_start(s->problem, &s->scaled, p, s->p) == JN_OK &&
           jn_block_lu_analyse(&s->lu, s->scaled.start, s->scaled.column) == JN_OK;
}

bool jn_least_norm(const jn_problem *problem, void *scratch, double *p, int *steps) {
    jn_problem plain = without_blocks(problem);
    work s = {.problem = &plain};
    size_t bytes = (size_t)(problem->contacts * problem->dimension) * sizeof *p;
    if (!start(&s, scratch, p)) return false;
    s.steps = steps;
    memset(s.anchor, 0, bytes);
    bool fine = solve_for(&s, small);
    if (!fine) { /* from an easier problem */
        memset(s.p, 0, bytes);
        for (size_t k = 0; k < sizeof path / sizeof *path; k++) solve_for(&s, path[k]);
        fine = solve_for(&s, small);
    }
    for (int k = 0; k < ROUNDS && fine && left(&s) > solved; k++) {
        memcpy(s.anchor, s.p, bytes);
        fine = solve_for(&s, small);
    }
    if (fine && s.dense) memcpy(p, s.p, bytes);
    if (fine && !s.dense) jn_scaled_finish(&s.scaled, s.p, p);
    return fine;
}

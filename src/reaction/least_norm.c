/* Impulses of least norm.
 *
 * The regularised problem u = W p + q + e w_i (p - anchor), with w_i the mean diagonal of W_ii, has one solution where the contacts are
 * redundant, too; from anchor = 0 it is the least-norm solution up to O(e), and steps of the proximal-point method from there
 * [Rockafellar1976] take away what e left, along directions that W sees, and leave the others alone. */
#include "reaction/least_norm.h"
#include "reaction/local.h"
#include "reaction/scaled.h"
#include "reaction/shared.h"
#include <math.h>
#include <string.h>

enum {
    STEPS = 15, /* of Newton's method for one anchor */
    ROUNDS = 5, /* anchors after zero */
    CHORDS = 3, /* steps with a factor that is there */
    SLOW = 4,   /* steps without progress that end Newton's method */
    SWEEPS = 6  /* before it starts again, times the trial */
};
static const double small = 1e-6;   /* e */
static const double narrower = 0.1; /* factor of e along the path to it */
static const double solved = 1e-13,
                    enough = 1e-11; /* largest |F| in units of the largest velocity; where rounding ends it */

typedef struct work {
    const jn_problem *problem;
    bool dense; /* by velocities; else by contacts */
    int d, nc, n;
    jn_shared rows;
    jn_scaled scaled;
    jn_block_lu lu;
    jn_newton newton;
    jn_local *local;                     /* (nc) */
    double *W;                           /* (nc x 9) W_ii */
    double *x, *v;                       /* (JN_SHARED) */
    double *p, *u, *anchor, *F, *g, *du; /* (n) */
    double *C, *X;                       /* (n x d) dp = X F - C du by contacts */
    double *start;                       /* (n) where Newton's method began */
    double *w;                           /* (nc) mean diagonal of W_ii */
    double goal, bias; /* in units of the largest velocity: |F| that ends Newton's method, and what e may leave */
    double unit;                         /* [m/s] largest velocity */
    int *steps;
} work;

bool jn_least_norm_suits(const jn_problem *problem) {
    return problem->contacts > 1 && problem->contacts <= JN_LEAST_NORM;
}

bool jn_least_norm_is_quick(const jn_problem *problem) {
    return jn_least_norm_suits(problem) && problem->H && problem->velocities <= JN_SHARED;
}

static size_t layout(const jn_problem *problem, void *base, work *s) {
    jn_scratch m = {.base = base};
    size_t nc = (size_t)problem->contacts, d = (size_t)problem->dimension, n = nc * d;
    *s = (work){.problem = problem, .d = (int)d, .nc = (int)nc, .n = (int)n};
    s->dense = jn_shared_suits(problem);
    double **vectors[] = {&s->p, &s->u, &s->anchor, &s->F, &s->g, &s->du, &s->start};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = jn_scratch_take(&m, n, sizeof(double));
    size_t before = m.used;
    if (s->dense) {
        s->C = jn_scratch_take(&m, n * d, sizeof(double)), s->X = jn_scratch_take(&m, n * d, sizeof(double));
        s->w = jn_scratch_take(&m, nc, sizeof(double)), s->W = jn_scratch_take(&m, 9 * nc, sizeof(double));
        s->local = jn_scratch_take(&m, nc, sizeof *s->local);
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

/* Velocity of contact i in the regularised problem. */
static inline void regular_velocity(const work *s, int i, double e, double *u) {
    for (int k = 0; k < s->d; k++)
        u[k] = s->u[i * s->d + k] + e * s->w[i] * (s->p[i * s->d + k] - s->anchor[i * s->d + k]);
}

/* Alart and Curnier's function of the regularised problem, largest in m/s. */
static double value(work *s, double e) {
    int d = s->d;
    double largest = 0, sum = 0;
    velocity(s);
    for (int i = 0; i < s->nc; i++) {
        double w = s->w[i], r[2] = {1 / w, 1 / w}, u[3], *F = s->F + i * d;
        regular_velocity(s, i, e, u);
        jn_alart_value(d, d > 1 ? s->problem->mu[i] : 0, r, s->p + i * d, u, F);
        for (int k = 0; k < d; k++) largest = jn_max(largest, w * fabs(F[k])), sum += F[k];
    }
    return isfinite(sum) ? largest : NAN;
}

/* X = -(B + e w A)^-1 and C = -X A of all contacts, and the factor of 1 + Y^T C H. */
static bool factor(work *s, double e) {
    int d = s->d;
    double A[9], B[9];
    for (int i = 0; i < s->nc; i++) {
        double w = s->w[i], r[2] = {1 / w, 1 / w}, u[3], *X = s->X + i * d * d, *C = s->C + i * d * d;
        regular_velocity(s, i, e, u);
        memset(C, 0, (size_t)(d * d) * sizeof *C);
        if (!jn_alart_slope(d, d > 1 ? s->problem->mu[i] : 0, r, s->p + i * d, u, A, B)) { /* open: dp = -F */
            for (int k = 0; k < d * d; k++) X[k] = k % (d + 1) ? 0 : -1;
            continue;
        }
        for (int k = 0; k < d * d; k++) B[k] += e * w * A[k];
        if (!jn_small_invert(d, B, X)) return false;
        for (int k = 0; k < d * d; k++) X[k] = -X[k];
        for (int k = 0; k < d; k++)
            for (int l = 0; l < d; l++)
                for (int m = 0; m < d; m++) C[k * d + l] -= X[k * d + m] * A[m * d + l];
    }
    ++*s->steps;
    return jn_shared_factor(&s->rows, s->C);
}

/* p += dp with dp = X F - C H dv, dv = (1 + Y^T C H)^-1 Y^T X F. */
static void step(work *s) {
    int d = s->d;
    for (int i = 0; i < s->nc; i++)
        for (int k = i * d; k < i * d + d; k++) {
            s->g[k] = 0;
            for (int l = 0; l < d; l++) s->g[k] += s->X[k * d + l] * s->F[i * d + l];
        }
    jn_shared_scatter(&s->rows, s->g, s->x);
    jn_shared_solve(&s->rows, s->x);
    jn_shared_gather(&s->rows, s->x, s->du);
    for (int i = 0; i < s->nc; i++)
        for (int k = i * d; k < i * d + d; k++) {
            s->p[k] += s->g[k];
            for (int l = 0; l < d; l++) s->p[k] -= s->C[k * d + l] * s->du[i * d + l];
        }
}

/* Newton's method for one anchor, until |F| is at most `goal` in units of the largest velocity. chords: first with the factor of the
 * last step. */
static bool solve_dense(work *s, double e, double goal, bool chords) {
    double size = value(s, e), best = INFINITY, last = size;
    for (int n = 0; n < CHORDS && chords && size > goal * s->unit; n++) {
        step(s);
        size = value(s, e);
        if (!(size < 0.1 * last)) break;
        last = size;
    }
    for (int n = 0, slow = 0; n < STEPS && slow < SLOW && !(size <= goal * s->unit); n++) {
        if (isnan(size) || !factor(s, e)) return false;
        step(s);
        size = value(s, e);
        if (size <= enough * s->unit && size > 0.3 * best) break; /* rounding */
        slow = size < 0.5 * best ? 0 : slow + 1;
        best = jn_min(best, size);
    }
    return size <= jn_max(goal, enough) * s->unit;
}

/* Every contact once, solved for the impulses of the others. */
static void sweep(work *s, int count) {
    int d = s->d;
    jn_shared_scatter(&s->rows, s->p, s->v);
    for (int n = 0; n < count; n++)
        for (int i = 0; i < s->nc; i++) {
            double q[3] = {0}, old[3] = {0}, *x = s->p + i * d;
            for (int r = 0; r < d; r++) {
                const double *W = s->W + 9 * i + r * d;
                q[r] = s->problem->q[i * d + r], old[r] = x[r];
                if (r < s->rows.rows[i]) q[r] += jn_shared_dot_row(&s->rows, s->rows.H, i, r, s->v);
                for (int c = 0; c < d; c++) q[r] -= W[c] * x[c];
            }
            jn_local_solve(d, &s->local[i], q, x);
            for (int r = 0; r < d; r++)
                if (x[r] != old[r]) jn_shared_add_row(&s->rows, s->rows.Y, i, r, x[r] - old[r], s->v);
        }
}

/* From p, then from what sweeps leave, then along a path of problems that become harder. */
static bool try_dense(work *s, int tries) {
    size_t bytes = (size_t)s->n * sizeof *s->p;
    for (int n = 0; n < tries; n++) {
        if (n) memcpy(s->p, s->start, bytes), sweep(s, n == 1 ? 1 : SWEEPS * n);
        memcpy(s->start, s->p, bytes);
        if (solve_dense(s, small, s->goal, false)) return true;
    }
    if (tries == 1) return false;
    memcpy(s->p, s->start, bytes);
    for (double e = 1; e > small; e *= narrower)
        if (!solve_dense(s, e, 0.1 * e, false)) return false;
    return solve_dense(s, small, s->goal, false);
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
        if (next <= enough && next > 0.3 * norm) return true;
        norm = next;
    }
    return norm <= enough;
}

/* ------------------------------------------------------------------------------------------------------------ both */

/* What e leaves: largest e w |p - anchor| in units of the largest velocity. */
static double left(const work *s) {
    double largest = 0;
    for (int k = 0; k < s->n; k++)
        largest = jn_max(largest, fabs(s->p[k] - s->anchor[k]) * (s->dense ? s->w[k / s->d] / s->unit : 1));
    return small * largest;
}

static bool start_dense(work *s) {
    int d = s->d;
    if (!jn_shared_start(&s->rows)) return false;
    for (int i = 0; i < s->nc; i++) {
        double *W = s->W + 9 * i, trace = 0;
        int count = 0;
        for (int k = 0; k < d * d; k++) {
            const double *Y = s->rows.Y + (i * d + k % d) * s->rows.pitch;
            W[k] = k / d < s->rows.rows[i] && k % d < s->rows.rows[i]
                       ? jn_shared_dot_row(&s->rows, s->rows.H, i, k / d, Y)
                       : 0;
        }
        for (int k = 0; k < d; k++)
            if (W[k * d + k] > 0) trace += W[k * d + k], count++;
        if (!count || !isfinite(trace)) return false;
        s->w[i] = trace / count;
        s->local[i] = jn_local_prepare(d, W, d > 1 ? s->problem->mu[i] : 0);
    }
    return true;
}

static bool start(work *s, void *scratch, const double *p) {
    layout(s->problem, scratch, s);
    for (int k = 0; k < s->n; k++) s->unit = jn_max(s->unit, fabs(s->problem->q[k]));
    s->dense = s->dense && start_dense(s);
    memcpy(s->p, p, (size_t)s->n * sizeof *p);
    if (s->dense) return s->unit > 0;
    return jn_scaled_start(s->problem, &s->scaled, p, s->p) == JN_OK &&
           jn_block_lu_analyse(&s->lu, s->scaled.start, s->scaled.column) == JN_OK;
}

bool jn_least_norm(const jn_problem *problem, double speed, int tries, void *scratch, double *p, int *steps) {
    jn_problem plain = without_blocks(problem);
    work s = {.problem = &plain};
    size_t bytes = (size_t)(problem->contacts * problem->dimension) * sizeof *p;
    if (!start(&s, scratch, p)) return false;
    s.steps = steps;
    s.goal = jn_max(solved, 1e-3 * speed / s.unit), s.bias = jn_max(solved, 1e-2 * speed / s.unit);
    memset(s.anchor, 0, bytes);
    bool fine = s.dense ? try_dense(&s, tries) : solve_sparse(&s, small);
    for (int k = 0; k < ROUNDS && fine && left(&s) > (s.dense ? s.bias : solved); k++) {
        memcpy(s.anchor, s.p, bytes);
        fine = s.dense ? solve_dense(&s, small, s.goal, true) : solve_sparse(&s, small);
    }
    if (fine && s.dense) memcpy(p, s.p, bytes);
    if (fine && !s.dense) jn_scaled_finish(&s.scaled, s.p, p);
    return fine;
}

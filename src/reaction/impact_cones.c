/* Contact problems of an impact by the solvers of reaction/: islands apart, exact cones, impulses of least norm among many. */
#include "reaction/impact.h"
#include <math.h>
#include <string.h>

enum { CONES = 128, SWEEPS = 2000 };
static const double exact = 1e-13;  /* of the velocities before: error that is asked for */
static const double enough = 1e-10; /* of the velocities before: error that is accepted */

/* A pattern with all blocks; start has room for CONES + 1. */
static jn_problem full(int dimension, int contacts, int *start, jn_blocks *W) {
    for (int i = 0; i <= contacts; i++) start[i] = i * contacts;
    *W = (jn_blocks){.start = start};
    return (jn_problem){.dimension = dimension, .contacts = contacts, .W = W};
}

void jn_impact_cones_layout(const jn_impact_problem *problem, jn_scratch *s, jn_impact_cones *cones) {
    int start[CONES + 1], contacts = problem->contacts < CONES ? problem->contacts : CONES;
    size_t N = (size_t)contacts, d = (size_t)problem->dimension;
    jn_blocks W;
    jn_problem all = full(problem->dimension, contacts, start, &W);
    cones->most = contacts;
    cones->start = jn_scratch_take(s, N + 1, sizeof(int)), cones->column = jn_scratch_take(s, N * N, sizeof(int));
    cones->value = jn_scratch_take(s, N * N * d * d, sizeof(double));
    cones->mu = jn_scratch_take(s, (size_t)problem->contacts, sizeof(double));
    cones->q = jn_scratch_take(s, (size_t)problem->contacts * d, sizeof(double));
    cones->u = jn_scratch_take(s, (size_t)problem->contacts * d, sizeof(double));
    cones->size = contacts > 0 ? jn_solve_scratch(&all, NULL) : 0;
    cones->scratch = jn_scratch_take(s, cones->size, 1);
}

/* Blocks of beta that are not zero; the diagonal ones always. O(D^2). */
static void fill_blocks(jn_impact_cones *c, int d, int n, const double *beta) {
    int count = 0;
    size_t D = (size_t)(d * n);
    for (int i = 0; i < n; i++) {
        c->start[i] = count;
        for (int j = 0; j < n; j++) {
            double *block = c->value + (size_t)count * (size_t)(d * d), size = 0;
            for (int r = 0; r < d; r++)
                for (int k = 0; k < d; k++) {
                    block[r * d + k] = beta[(size_t)(d * i + r) * D + (size_t)(d * j + k)];
                    size = fmax(size, fabs(block[r * d + k]));
                }
            if (size > 0 || i == j) c->column[count++] = j;
        }
    }
    c->start[n] = count;
}

/* Largest violation of the laws of all contacts [m/s], from p and q in the problem. */
static double miss(const jn_problem *problem, const double *p, double *u) {
    jn_problem_velocity(problem, p, NULL, u);
    return jn_problem_speed_error(problem, p, u);
}

/* Projected sweeps, contact after contact, for problems that are too large for the solvers. */
static bool by_sweeps(const jn_impact_cones *c, int d, int n, const double *beta, double speed, double *p) {
    size_t D = (size_t)(d * n);
    double change = INFINITY;
    for (int sweep = 0; sweep < SWEEPS && change > exact * speed; sweep++) {
        change = 0;
        for (int i = 0; i < n; i++) {
            const double *B = beta + (size_t)(d * i) * D + (size_t)(d * i);
            double old[3], scale = 0;
            for (int r = 0; r < d; r++) scale = fmax(scale, B[(size_t)r * D + (size_t)r]);
            if (!(scale > 0)) continue;
            for (int r = 0; r < d; r++) {
                const double *row = beta + (size_t)(d * i + r) * D;
                double u = c->q[d * i + r];
                for (size_t j = 0; j < D; j++) u += row[j] * p[j];
                old[r] = p[d * i + r], p[d * i + r] -= u / (r ? (d - 1) * scale : B[0] > 0 ? B[0] : scale);
            }
            p[d * i] = fmax(p[d * i], 0);
            double limit = c->mu[i] * p[d * i], size = 0;
            for (int r = 1; r < d; r++) size = hypot(size, p[d * i + r]);
            for (int r = 1; r < d && size > limit; r++) p[d * i + r] *= limit / size;
            for (int r = 0; r < d; r++) change = fmax(change, fabs(p[d * i + r] - old[r]) * scale);
        }
    }
    return change <= enough * speed;
}

/* p in K with u = beta p + q by Signorini's and Coulomb's laws; p holds a guess. q, mu stand in the cones. False: no solution was
 * found. The chain of solvers of jn_solve, O(n^3) for the last of them. */
bool jn_impact_cones_solve(jn_impact_cones *c, int d, int n, const double *beta, double speed, double *p) {
    if (n > c->most) return by_sweeps(c, d, n, beta, speed, p);
    fill_blocks(c, d, n, beta);
    jn_blocks W = {c->start, c->column, c->value};
    jn_problem problem = {.dimension = d, .contacts = n, .mu = c->mu, .q = c->q, .W = &W};
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    settings.speed = exact * speed, settings.room = c->size;
    int status = jn_solve(&problem, NULL, &settings, c->scratch, p, &result);
    if (status >= 0 && miss(&problem, p, c->u) <= enough * speed) return true;
    memset(p, 0, (size_t)(d * n) * sizeof *p);
    return by_sweeps(c, d, n, beta, speed, p);
}

/* Contact problems of an impact by the solvers of reaction/: exact cones, impulses of least norm among many.
 *
 * The contacts of one body share few velocities, however many there are. beta = L L^T with L (D x rank) from Cholesky's method with
 * pivots gives them back: rows of L stand for H and Y of the problem. Where the rank is large, blocks of beta are the matrix. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include "reaction/solvers/least_norm.h"
#include "reaction/solvers/shared_velocities.h"
#include <math.h>
#include <string.h>

enum { CONES = 256, RANK = 64, WIDE = JN_SHARED_WIDE, SWEEPS = 2000, TRIES = 4 };
static const double exact = 1e-13;   /* of the velocities before: error that is asked for */
static const double exact_many = 1e-12; /* the same of many points */
static const double enough = 1e-10;  /* of the velocities before: error that is accepted */
static const double nothing = 1e-15; /* of the largest entry of beta: a pivot that is none */

/* What jn_solve needs for so many contacts: with rows of so many velocities, or for rank 0 with all blocks. */
static size_t solver_scratch(int dimension, int contacts, int rank) {
    int start[CONES + 1], dof[CONES * RANK];
    for (int i = 0; i <= contacts; i++) start[i] = i * (rank ? rank : contacts);
    for (int k = 0; k < contacts * rank; k++) dof[k] = k % rank;
    jn_blocks W = {.start = start};
    jn_contact_rows H = {.start = start, .dof = dof};
    jn_problem all = {.dimension = dimension, .contacts = contacts};
    if (rank)
        all.velocities = rank, all.H = all.Y = &H;
    else
        all.W = &W;
    return jn_solve_scratch(&all, NULL);
}

/* The same of Newton's method over many velocities. */
static size_t wide_scratch(int dimension, int contacts) {
    int start[CONES + 1];
    for (int i = 0; i <= contacts; i++) start[i] = i * WIDE;
    jn_contact_rows H = {.start = start};
    return jn_least_norm_wide_scratch(
        &(jn_problem){.dimension = dimension, .contacts = contacts, .velocities = WIDE, .H = &H, .Y = &H});
}

void jn_impact_cones_layout(const jn_impact_problem *problem, jn_scratch *s, jn_impact_cones *cones) {
    int contacts = problem->contacts < CONES ? problem->contacts : CONES;
    size_t N = (size_t)contacts, d = (size_t)problem->dimension, all = (size_t)problem->contacts;
    size_t width = N > WIDE ? N : WIDE;
    cones->most = contacts;
    cones->start = jn_scratch_take(s, N + 1, sizeof(int)), cones->column = jn_scratch_take(s, N * width, sizeof(int));
    cones->value = jn_scratch_take(s, N * width * d * d, sizeof(double));
    cones->L = jn_scratch_take(s, N * d * WIDE, sizeof(double)),
    cones->left = jn_scratch_take(s, N * d, sizeof(double));
    cones->mu = jn_scratch_take(s, all, sizeof(double));
    cones->q = jn_scratch_take(s, all * d, sizeof(double)), cones->u = jn_scratch_take(s, all * d, sizeof(double));
    cones->size = 0;
    static const int ranks[] = {0, 6, RANK}; /* six velocities in space have a solver of their own */
    for (int k = 0; k < 3 && contacts > 0; k++) {
        size_t size = solver_scratch(problem->dimension, contacts, ranks[k]);
        if (size > cones->size) cones->size = size;
    }
    size_t wide = wide_scratch(problem->dimension, contacts);
    if (wide > cones->size) cones->size = wide;
    cones->scratch = jn_scratch_take(s, cones->size, 1);
}

/* beta = L L^T with the largest pivot first. Returns the rank, or -1 where it is above WIDE. O(D rank^2). */
static int factor_rows(jn_impact_cones *c, int D, const double *beta) {
    double most = 0, *L = c->L;
    for (int i = 0; i < D; i++) c->left[i] = beta[(size_t)i * (size_t)D + (size_t)i], most = jn_fmax(most, c->left[i]);
    for (int rank = 0;; rank++) {
        int pivot = 0;
        for (int i = 1; i < D; i++)
            if (c->left[i] > c->left[pivot]) pivot = i;
        if (!(c->left[pivot] > nothing * most)) return rank;
        if (rank == WIDE || rank == D) return rank == D ? rank : -1;
        double root = sqrt(c->left[pivot]);
        for (int i = 0; i < D; i++) {
            double x = beta[(size_t)i * (size_t)D + (size_t)pivot];
            for (int k = 0; k < rank; k++) x -= L[i * WIDE + k] * L[pivot * WIDE + k];
            L[i * WIDE + rank] = x / root;
        }
        for (int i = 0; i < D; i++) c->left[i] -= L[i * WIDE + rank] * L[i * WIDE + rank];
        L[pivot * WIDE + rank] = root, c->left[pivot] = 0;
    }
}

/* Rows of contacts in the velocities that they share. */
static void fill_rows(jn_impact_cones *c, int d, int n, int rank) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        c->start[i] = count;
        for (int k = 0; k < rank; k++, count++) {
            c->column[count] = k;
            for (int r = 0; r < d; r++) c->value[count * d + r] = c->L[(d * i + r) * WIDE + k];
        }
    }
    c->start[n] = count;
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
                    size = jn_fmax(size, fabs(block[r * d + k]));
                }
            if (size > 0 || i == j) c->column[count++] = j;
        }
    }
    c->start[n] = count;
}

/* u = beta p + q. */
static void velocity(const jn_impact_cones *c, int D, const double *beta, const double *p, double *u) {
    for (int i = 0; i < D; i++) {
        u[i] = c->q[i];
        for (int j = 0; j < D; j++) u[i] += beta[(size_t)i * (size_t)D + (size_t)j] * p[j];
    }
}

/* Largest violation of the contact laws in m/s, judged by beta itself: with the mean of a contact's diagonal as its mass. */
static double miss(const jn_impact_cones *c, int d, int n, const double *beta, const double *p) {
    double worst = 0;
    int D = d * n;
    velocity(c, D, beta, p, c->u);
    for (int i = 0; i < n; i++) {
        double w = 0, x[3] = {0}, slip = 0, size = 0;
        for (int r = 0; r < d; r++) w += beta[(size_t)(d * i + r) * (size_t)(D + 1)] / d;
        if (!(w > 0)) continue;
        for (int r = 1; r < d; r++) slip = jn_hypot_safe(slip, c->u[d * i + r]);
        for (int r = 0; r < d; r++) x[r] = p[d * i + r] - (c->u[d * i + r] + (r ? 0 : c->mu[i] * slip)) / w;
        jn_cone_project(d, c->mu[i], x);
        for (int r = 0; r < d; r++) size = jn_hypot_safe(size, p[d * i + r] - x[r]);
        worst = jn_fmax(worst, w * size);
    }
    return worst;
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
            for (int r = 0; r < d; r++) scale = jn_fmax(scale, B[(size_t)r * D + (size_t)r]);
            if (!(scale > 0)) continue;
            for (int r = 0; r < d; r++) {
                const double *row = beta + (size_t)(d * i + r) * D;
                double u = c->q[d * i + r];
                for (size_t j = 0; j < D; j++) u += row[j] * p[j];
                old[r] = p[d * i + r], p[d * i + r] -= u / (r ? (d - 1) * scale : B[0] > 0 ? B[0] : scale);
            }
            p[d * i] = jn_fmax(p[d * i], 0);
            double limit = c->mu[i] * p[d * i], size = 0;
            for (int r = 1; r < d; r++) size = jn_hypot_safe(size, p[d * i + r]);
            for (int r = 1; r < d && size > limit; r++) p[d * i + r] *= limit / size;
            for (int r = 0; r < d; r++) change = jn_fmax(change, fabs(p[d * i + r] - old[r]) * scale);
        }
    }
    return change <= enough * speed;
}

/* Many points of bodies that are not too many: Newton's method over the velocities that they share, rows of L. */
static bool over_velocities(jn_impact_cones *c, jn_problem *problem, double speed, double *p) {
    jn_least_norm_aim aim = {.tolerance = exact_many * speed, .keep = exact_many * speed, .tries = TRIES, .wide = true};
    jn_solve_result result;
    size_t room = jn_least_norm_wide_scratch(problem);
    return room > 0 && room <= c->size && jn_least_norm_solve(problem, &aim, c->scratch, c->left, c->u, p, &result);
}

static bool by_solvers(jn_impact_cones *c, int d, int n, const double *beta, double speed, double *p) {
    int rank = factor_rows(c, d * n, beta);
    jn_contact_rows H = {c->start, c->column, c->value};
    jn_blocks W = {c->start, c->column, c->value};
    jn_problem problem = {.dimension = d, .contacts = n, .mu = c->mu, .q = c->q};
    bool many = n > JN_LEAST_NORM || rank > RANK, solved = false;
    if (rank > 0 && (many || rank <= RANK)) {
        fill_rows(c, d, n, rank);
        problem.velocities = rank, problem.H = problem.Y = &H;
        solved = many && over_velocities(c, &problem, speed, p);
    }
    if (solved && miss(c, d, n, beta, p) <= enough * speed) return true;
    if (!(rank > 0 && rank <= RANK)) {
        fill_blocks(c, d, n, beta);
        problem.velocities = 0, problem.H = problem.Y = NULL, problem.W = &W;
    }
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    settings.speed = exact * speed, settings.room = c->size;
    return jn_solve(&problem, NULL, &settings, c->scratch, p, &result) >= 0 && miss(c, d, n, beta, p) <= enough * speed;
}

bool jn_impact_cones_solve(jn_impact_cones *c, int d, int n, const double *beta, double speed, double *p) {
    if (n <= c->most && by_solvers(c, d, n, beta, speed, p)) return true;
    memset(p, 0, (size_t)(d * n) * sizeof *p);
    return by_sweeps(c, d, n, beta, speed, p);
}

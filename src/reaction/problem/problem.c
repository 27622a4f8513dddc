/* The contact problem of one step: products with W, the residual that judges every solver, and islands. */
#include "reaction/problem/problem.h"
#include "base/components.h"
#include "reaction/problem/round_row.h"
#include <float.h>
#include <math.h>
#include <string.h>

void jn_cone_project(int d, double mu, double *x) {
    if (d == 1) {
        x[0] = jn_max(x[0], 0);
        return;
    }
    double t = d == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
    if (x[0] >= 0 && t <= mu * x[0]) return; /* mu = 0: a ray, not the whole axis */
    double n = (x[0] + mu * t) / (1 + mu * mu), scale = n > 0 ? mu * n / t : 0;
    x[0] = jn_max(n, 0);
    for (int k = 1; k < d; k++) x[k] *= scale;
}

/* Multiplications of one product. */
static size_t cost_of_rows(const jn_problem *problem) {
    return ((size_t)problem->H->start[problem->contacts] + (size_t)problem->Y->start[problem->contacts]) *
           (size_t)problem->dimension;
}

bool jn_problem_prefers_rows(const jn_problem *problem) {
    if (!problem->W) return true;
    if (!problem->H) return false;
    size_t d = (size_t)problem->dimension;
    return cost_of_rows(problem) < (size_t)problem->W->start[problem->contacts] * d * d;
}

void jn_problem_expand(const jn_problem *problem, double *H, double *Y) {
    const int *start = problem->H->start;
    for (int i = 0; i < problem->contacts; i++)
        jn_round_expand(&problem->round[i], H + 3 * (size_t)start[i], Y + 3 * (size_t)start[i]);
}

void jn_problem_impulse(const jn_problem *problem, const double *p, double *v) {
    memset(v, 0, (size_t)problem->velocities * sizeof *v);
    for (int i = 0; i < problem->contacts && problem->round; i++)
        jn_round_scatter(&problem->round[i], p + 3 * (size_t)i, v);
    for (int i = 0; i < problem->contacts && !problem->round; i++)
        jn_rows_scatter(problem->Y, problem->dimension, i, p + (size_t)i * (size_t)problem->dimension, v);
}

/* u += compliance p. */
static void add_compliance(const jn_problem *problem, const double *p, double *u) {
    size_t d = (size_t)problem->dimension, n = (size_t)problem->contacts;
    for (size_t k = 0; problem->compliance && k < n * d; k++) u[k] += problem->compliance[k / d] * p[k];
}

void jn_problem_velocity(const jn_problem *problem, const double *p, double *v, double *u) {
    int d = problem->dimension, n = problem->contacts;
    if (problem->round) {
        jn_problem_impulse(problem, p, v);
        for (int i = 0; i < n; i++) jn_round_gather(&problem->round[i], v, u + 3 * (size_t)i);
        add_compliance(problem, p, u);
    } else if (jn_problem_prefers_rows(problem)) {
        jn_problem_impulse(problem, p, v);                                                          /* v = Y^T p */
        for (int i = 0; i < n; i++) jn_rows_gather(problem->H, d, i, v, u + (size_t)i * (size_t)d); /* u = H v */
        add_compliance(problem, p, u);
    } else {
        for (int i = 0; i < n; i++) jn_blocks_row(problem, i, p, u + (size_t)i * (size_t)d);
    }
    for (size_t k = 0; k < (size_t)n * (size_t)d; k++) u[k] += problem->q[k];
}

/* The same as below in space. */
static inline double natural_map_3(double mu, const double *p, const double *u) {
    double x = p[0] - u[0] - mu * jn_hypot(u[1], u[2]), y = p[1] - u[1], z = p[2] - u[2], t = jn_hypot(y, z);
    if (!(x >= 0 && t <= mu * x)) {
        double n = (x + mu * t) / (1 + mu * mu), scale = n > 0 ? mu * n / t : 0;
        x = jn_max(n, 0), y *= scale, z *= scale;
    }
    return (p[0] - x) * (p[0] - x) + (p[1] - y) * (p[1] - y) + (p[2] - z) * (p[2] - z);
}

double jn_natural_map(int d, double mu, const double *p, const double *u) {
    if (d == 3) return natural_map_3(mu, p, u);
    double x[3] = {0}, slip = d == 1 ? 0 : d == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]), sum = 0;
    for (int k = 0; k < d; k++) x[k] = p[k] - u[k];
    x[0] -= mu * slip;
    jn_cone_project(d, mu, x);
    for (int k = 0; k < d; k++) sum += (p[k] - x[k]) * (p[k] - x[k]);
    return sum;
}

double jn_problem_norm(const jn_problem *problem) {
    if (problem->norm > 0) return problem->norm;
    double sum = 0;
    for (size_t k = 0; k < (size_t)problem->contacts * (size_t)problem->dimension; k++)
        sum += problem->q[k] * problem->q[k];
    return sqrt(sum) > DBL_EPSILON ? sqrt(sum) : 1;
}

double jn_problem_unit(const jn_problem *problem) {
    double largest = 0;
    for (size_t k = 0; k < (size_t)problem->contacts * (size_t)problem->dimension && problem->mass; k++)
        largest = jn_max(largest, fabs(problem->q[k]));
    return largest > 0 ? largest : 1;
}

/* Mean of the positive diagonal entries of W_ii; 0 where there is none. */
static double mean_mobility(int d, const double *W) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < d; k++)
        if (W[k * d + k] > 0) sum += W[k * d + k], count++;
    return count ? sum / count : 0;
}

void jn_problem_masses(const jn_problem *problem, double *mass) {
    for (int i = 0; i < problem->contacts && problem->round; i++)
        mass[i] = 3 / (jn_round_normal(&problem->round[i]) + 2 * jn_round_tangent(&problem->round[i]) + 3 * jn_problem_compliance(problem, i));
    for (int i = 0; i < problem->contacts && !problem->round; i++) {
        double W[9];
        jn_problem_diagonal(problem, i, W);
        double mobility = mean_mobility(problem->dimension, W);
        mass[i] = mobility > 0 ? 1 / mobility : 1;
    }
}

double jn_contact_speed_error(int d, double mu, double mass, const double *p, const double *u) {
    double inverse = 1 / mass;
    if (d == 3) return sqrt(natural_map_3(mu, (double[3]){inverse * p[0], inverse * p[1], inverse * p[2]}, u));
    double x[3] = {0};
    for (int k = 0; k < d; k++) x[k] = inverse * p[k];
    return sqrt(jn_natural_map(d, mu, x, u));
}

double jn_problem_speed_error(const jn_problem *problem, const double *p, const double *u) {
    int d = problem->dimension;
    double largest = 0;
    for (int i = 0; i < problem->contacts; i++) {
        double mass;
        if (problem->mass)
            mass = problem->mass[i];
        else {
            double W[9], mobility;
            jn_problem_diagonal(problem, i, W);
            mobility = mean_mobility(d, W), mass = mobility > 0 ? 1 / mobility : 1;
        }
        double error = jn_contact_speed_error(d, d > 1 ? problem->mu[i] : 0, mass, p + (size_t)i * (size_t)d,
                                              u + (size_t)i * (size_t)d);
        if (!(error <= largest)) largest = error; /* NaN stays */
        if (isnan(largest)) return NAN;
    }
    return largest;
}

double jn_problem_residual_of(const jn_problem *problem, const double *p, const double *u) {
    if (problem->mass) return jn_problem_speed_error(problem, p, u);
    size_t d = (size_t)problem->dimension;
    double sum = 0;
    for (int i = 0; i < problem->contacts; i++)
        sum += jn_natural_map((int)d, d > 1 ? problem->mu[i] : 0, p + (size_t)i * d, u + (size_t)i * d);
    return sqrt(sum) / jn_problem_norm(problem);
}

double jn_problem_residual(const jn_problem *problem, const double *p, double *v, double *u) {
    jn_problem_velocity(problem, p, v, u);
    return jn_problem_residual_of(problem, p, u);
}

/* Velocities and errors of round contacts whose masses are known. */
typedef struct judgement {
    const jn_problem *problem;
    const double *p, *v;
    double *u;
} judgement;

/* Of some of them: jn_range_measure; [m/s] the largest error, infinite where one is not a number. */
static double judge_some(void *context, int from, int to) {
    const judgement *j = context;
    const jn_problem *problem = j->problem;
    double most = 0;
    for (int i = from; i < to; i++) {
        const double *p = j->p + 3 * (size_t)i, *q = problem->q + 3 * (size_t)i;
        double *u = j->u + 3 * (size_t)i, compliance = jn_problem_compliance(problem, i);
        jn_round_gather(&problem->round[i], j->v, u);
        for (int r = 0; r < 3; r++) u[r] += compliance * p[r], u[r] += q[r];
        double error = jn_contact_speed_error(3, problem->mu[i], problem->mass[i], p, u);
        if (!(error <= most)) most = isnan(error) ? INFINITY : error;
    }
    return most;
}

double jn_problem_residual_shared(const jn_problem *problem, jn_pool *pool, const double *p, double *v, double *u) {
    if (!problem->round || !problem->mass || problem->contacts < JN_CONTACTS_SHARED)
        return jn_problem_residual(problem, p, v, u);
    jn_problem_impulse(problem, p, v);
    return jn_pool_most(pool, problem->contacts, JN_CONTACTS_SHARED / 2, judge_some, &(judgement){problem, p, v, u});
}

/* W_ii = H_i . Y_i in space with the same entries in both rows. */
static void diagonal_3(int count, const double *h, const double *y, double *block) {
    double a = 0, b = 0, c = 0, e = 0, f = 0, g = 0, k = 0, l = 0, m = 0;
    for (int n = 0; n < count; n++, h += 3, y += 3) {
        a += h[0] * y[0], b += h[0] * y[1], c += h[0] * y[2];
        e += h[1] * y[0], f += h[1] * y[1], g += h[1] * y[2];
        k += h[2] * y[0], l += h[2] * y[1], m += h[2] * y[2];
    }
    const double sums[9] = {a, b, c, e, f, g, k, l, m};
    memcpy(block, sums, sizeof sums);
}

static bool same_entries(const jn_contact_rows *H, const jn_contact_rows *Y, int i) {
    int count = H->start[i + 1] - H->start[i];
    const int *a = H->dof + H->start[i], *b = Y->dof + Y->start[i];
    return Y->start[i + 1] - Y->start[i] == count && (a == b || !memcmp(a, b, (size_t)count * sizeof(int)));
}

/* block += compliance. */
static void add_own_compliance(const jn_problem *problem, int i, double *block) {
    for (int k = 0, d = problem->dimension; problem->compliance && k < d; k++) block[k * d + k] += problem->compliance[i];
}

void jn_problem_diagonal(const jn_problem *problem, int i, double *block) {
    int d = problem->dimension;
    if (problem->round) {
        double n = jn_round_normal(&problem->round[i]), t = jn_round_tangent(&problem->round[i]);
        memcpy(block, (double[9]){n, 0, 0, 0, t, 0, 0, 0, t}, 9 * sizeof *block);
        add_own_compliance(problem, i, block);
        return;
    }
    if (!problem->W && d == 3 && same_entries(problem->H, problem->Y, i)) {
        const jn_contact_rows *H = problem->H, *Y = problem->Y;
        diagonal_3(H->start[i + 1] - H->start[i], H->value + 3 * (size_t)H->start[i],
                   Y->value + 3 * (size_t)Y->start[i], block);
        add_own_compliance(problem, i, block);
        return;
    }
    memset(block, 0, (size_t)(d * d) * sizeof *block);
    if (problem->W) {
        const jn_blocks *W = problem->W;
        for (int k = W->start[i]; k < W->start[i + 1]; k++)
            if (W->column[k] == i)
                memcpy(block, W->value + (size_t)k * (size_t)(d * d), (size_t)(d * d) * sizeof *block);
        return;
    }
    const jn_contact_rows *H = problem->H, *Y = problem->Y;
    for (int h = H->start[i], y = Y->start[i]; h < H->start[i + 1]; h++) {
        while (y < Y->start[i + 1] && Y->dof[y] < H->dof[h]) y++;
        if (y == Y->start[i + 1] || Y->dof[y] != H->dof[h]) continue;
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++) /* W_ii = H_i . Y_i */
                block[r * d + c] +=
                    H->value[(size_t)h * (size_t)d + (size_t)r] * Y->value[(size_t)y * (size_t)d + (size_t)c];
    }
    add_own_compliance(problem, i, block);
}

/* ----------------------------------------------------------------------------------------------------- islands */

/* A contact at a velocity whose first contact is *owner, -1: none yet. */
static inline void join_at(int *parent, int *owner, int contact) {
    if (*owner < 0)
        *owner = contact;
    else
        jn_component_join(parent, *owner, contact);
}

int jn_problem_islands_among(const jn_problem *problem, const bool *in, int *scratch, int *island) {
    int n = problem->contacts, count = 0, *parent = scratch, *first = scratch + n;
    for (int i = 0; i < n; i++) parent[i] = i;
    if (problem->round || problem->Y)
        for (int k = 0; k < problem->velocities; k++) first[k] = -1;
    for (int i = 0; i < n; i++) {
        if (in && !in[i]) continue;
        if (problem->round) {
            for (int k = 0; k < 2; k++)
                if (problem->round[i].dof[k] >= 0) join_at(parent, &first[problem->round[i].dof[k]], i);
        } else if (problem->Y) {
            for (int k = problem->Y->start[i]; k < problem->Y->start[i + 1]; k++)
                join_at(parent, &first[problem->Y->dof[k]], i);
        } else
            for (int k = problem->W->start[i]; k < problem->W->start[i + 1]; k++)
                if (!in || in[problem->W->column[k]]) jn_component_join(parent, i, problem->W->column[k]);
    }
    for (int i = 0; i < n; i++) {
        int root = jn_component_root(parent, i);
        island[i] = in && !in[i] ? -1 : root == i ? count++ : island[root];
    }
    return count;
}

int jn_problem_islands(const jn_problem *problem, int *scratch, int *island) {
    return jn_problem_islands_among(problem, NULL, scratch, island);
}

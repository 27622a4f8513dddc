/* Covariance matrix adaptation. [Hansen2016] */
#include "workflow/study/search/evolution.h"

#include "algebra/elementary.h"
#include "algebra/scalar.h"
#include "workflow/study/statistics/distribution.h"
#include "workflow/study/statistics/random.h"

#include <math.h>
#include <string.h>

#define SMALLEST_EIGENVALUE 1e-28 /* of C: round-off of one that has become long and thin */
enum { SWEEPS_MOST = 30 };

/* Weights and rates of [Hansen2016, table 1], without negative weights. */
typedef struct rates {
    int parents;
    double weight[JN_EVOLUTION_POINTS], effective, c_sigma, d_sigma, c_c, c_1, c_mu, chi;
} rates;

static rates find_rates(const jn_evolution *e) {
    double n = e->k, sum = 0, squares = 0;
    rates r = {.parents = e->points / 2};
    for (int i = 0; i < r.parents; i++) sum += r.weight[i] = jn_log(0.5 * (e->points + 1)) - jn_log(i + 1.0);
    for (int i = 0; i < r.parents; i++) r.weight[i] /= sum, squares += r.weight[i] * r.weight[i];
    double mu = r.effective = 1 / squares;
    r.c_sigma = (mu + 2) / (n + mu + 5);
    r.d_sigma = 1 + 2 * jn_max(0, sqrt((mu - 1) / (n + 1)) - 1) + r.c_sigma;
    r.c_c = (4 + mu / n) / (n + 4 + 2 * mu / n);
    r.c_1 = 2 / ((n + 1.3) * (n + 1.3) + mu);
    r.c_mu = jn_min(1 - r.c_1, 2 * (mu - 2 + 1 / mu) / ((n + 2) * (n + 2) + mu));
    r.chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n)); /* expected length of a normal vector */
    return r;
}

/* Eigenvalues of a symmetric matrix and its eigenvectors, by Jacobi's rotations. [Golub2013, 8.5] O(k^3) */
static void find_axes(jn_evolution *e) {
    int k = e->k;
    double A[JN_EVOLUTION_PARAMETERS * JN_EVOLUTION_PARAMETERS], *B = e->B;
    memcpy(A, e->C, (size_t)(k * k) * sizeof *A);
    memset(B, 0, (size_t)(k * k) * sizeof *B);
    for (int i = 0; i < k; i++) B[i * k + i] = 1;
    for (int sweep = 0; sweep < SWEEPS_MOST; sweep++)
        for (int p = 0; p < k; p++)
            for (int q = p + 1; q < k; q++) {
                if (A[p * k + q] == 0) continue;
                double tau = (A[q * k + q] - A[p * k + p]) / (2 * A[p * k + q]);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau)), c = 1 / sqrt(1 + t * t), s = t * c;
                for (int i = 0; i < k; i++) {
                    double x = A[i * k + p], y = A[i * k + q];
                    A[i * k + p] = c * x - s * y, A[i * k + q] = s * x + c * y;
                }
                for (int i = 0; i < k; i++) {
                    double x = A[p * k + i], y = A[q * k + i];
                    A[p * k + i] = c * x - s * y, A[q * k + i] = s * x + c * y;
                }
                for (int i = 0; i < k; i++) {
                    double x = B[i * k + p], y = B[i * k + q];
                    B[i * k + p] = c * x - s * y, B[i * k + q] = s * x + c * y;
                }
            }
    for (int i = 0; i < k; i++) e->D[i] = sqrt(jn_max(A[i * k + i], SMALLEST_EIGENVALUE));
}

void jn_evolution_start(jn_evolution *e, int k, int points, const double *mean, double sigma, uint64_t seed,
                        uint64_t stream) {
    memset(e, 0, sizeof *e);
    e->k = k, e->seed = seed, e->stream = stream, e->sigma = sigma;
    e->points = points ? points : 4 + (int)(3 * jn_log(k));
    memcpy(e->mean, mean, (size_t)k * sizeof *mean);
    for (int i = 0; i < k; i++) e->C[i * k + i] = 1;
    find_axes(e);
}

static double reflect(double x) {
    x = fabs(x - 2 * floor(0.5 * x)); /* in [0, 2) */
    return x > 1 ? 2 - x : x;
}

void jn_evolution_sample(jn_evolution *e) {
    int k = e->k;
    for (int j = 0; j < e->points; j++) {
        double z[JN_EVOLUTION_PARAMETERS];
        for (int i = 0; i < k; i++) {
            uint64_t place = (uint64_t)((e->generation * e->points + j) * k + i);
            z[i] = e->D[i] * jn_normal_value(jn_random_unit(jn_random_bits(e->seed, e->stream, place)));
        }
        for (int i = 0; i < k; i++) {
            double y = 0;
            for (int p = 0; p < k; p++) y += e->B[i * k + p] * z[p];
            e->x[j * k + i] = reflect(e->mean[i] + e->sigma * y); /* (38)-(40) */
        }
    }
}

/* C^-1/2 y = B D^-1 B^T y */
static void whiten(const jn_evolution *e, const double *y, double *out) {
    int k = e->k;
    memset(out, 0, (size_t)k * sizeof *out);
    for (int p = 0; p < k; p++) {
        double along = 0;
        for (int i = 0; i < k; i++) along += e->B[i * k + p] * y[i];
        for (int i = 0; i < k; i++) out[i] += e->B[i * k + p] * along / e->D[p];
    }
}

void jn_evolution_adapt(jn_evolution *e, const int *order) {
    int k = e->k;
    rates r = find_rates(e);
    double y[JN_EVOLUTION_PARAMETERS] = {0}, white[JN_EVOLUTION_PARAMETERS], length = 0;
    for (int j = 0; j < r.parents; j++)
        for (int i = 0; i < k; i++) y[i] += r.weight[j] * (e->x[order[j] * k + i] - e->mean[i]) / e->sigma; /* (41) */
    whiten(e, y, white);
    double follow = sqrt(r.c_sigma * (2 - r.c_sigma) * r.effective);
    for (int i = 0; i < k; i++) {
        e->path_sigma[i] = (1 - r.c_sigma) * e->path_sigma[i] + follow * white[i]; /* (43) */
        length += e->path_sigma[i] * e->path_sigma[i];
    }
    length = sqrt(length);
    double decay = 1;
    for (long g = 0; g <= e->generation && decay > 1e-16; g++) decay *= (1 - r.c_sigma) * (1 - r.c_sigma);
    double held = length < (1.4 + 2.0 / (k + 1)) * r.chi * sqrt(1 - decay) ? 1 : 0; /* h_sigma */
    double drive = held * sqrt(r.c_c * (2 - r.c_c) * r.effective);
    for (int i = 0; i < k; i++) e->path[i] = (1 - r.c_c) * e->path[i] + drive * y[i]; /* (45) */
    double old = 1 - r.c_1 - r.c_mu + (1 - held) * r.c_1 * r.c_c * (2 - r.c_c);
    for (int a = 0; a < k; a++)
        for (int b = 0; b < k; b++) { /* (47) */
            double c = old * e->C[a * k + b] + r.c_1 * e->path[a] * e->path[b];
            for (int j = 0; j < r.parents; j++) {
                const double *x = e->x + order[j] * k;
                c += r.c_mu * r.weight[j] * (x[a] - e->mean[a]) * (x[b] - e->mean[b]) / (e->sigma * e->sigma);
            }
            e->C[a * k + b] = c;
        }
    for (int i = 0; i < k; i++) e->mean[i] += e->sigma * y[i];                   /* (42) */
    e->sigma *= jn_exp(jn_min(1, r.c_sigma / r.d_sigma * (length / r.chi - 1))); /* (44) */
    e->sigma = jn_min(e->sigma, 1);
    find_axes(e);
    e->generation++;
}

double jn_evolution_spread(const jn_evolution *e) {
    double most = 0;
    for (int i = 0; i < e->k; i++) most = jn_max(most, e->D[i]);
    return e->sigma * most;
}

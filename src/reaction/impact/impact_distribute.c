/* Distribution of normal impulses over the points: K c = 0, c >= 0, sum c = 1, else the nearest to it. */
#include "algebra/elementary.h"
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

static const double nothing = 1e-11;  /* rows of K smaller than this say nothing (those of B have unit directions) */
static const double dependent = 1e-9; /* of a unit row, what is left beside the others */
static const double fulfilled = 1e-8; /* |K c| of unit rows */
static const double pull = 1e-9;      /* towards the former distribution where the rows leave a choice */
static const double diagonal_enough = 1e-32; /* squares beside the diagonal over those on it: round-off squared */
static const double no_sum = 1e-14;          /* sum of a direction that the rows leave: it cannot be scaled to shares */
static const double negative = 1e-12;        /* shares down to this are 0 but for round-off; steeper descents go on */
static const double weak = 1e-6;             /* coefficients of a row below this give no ratio of shares */
enum { SWEEPS = 40 };

/* Pseudo-inverse of a symmetric matrix by Jacobi's rotations; eigenvalues below cut times the largest count as zero. A may be
 * V. V (2 n x n): the matrix, then the vectors. O(n^3) per sweep, about 6 sweeps. */
void jn_symmetric_pinv(int n, const double *A, double cut, double *V, double *pinv) {
    double *E = V + (size_t)n * (size_t)n, most = 0;
    memmove(V, A, (size_t)n * (size_t)n * sizeof *V);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) E[i * n + j] = i == j;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0, diagonal = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) *(i == j ? &diagonal : &off) += V[i * n + j] * V[i * n + j];
        if (off <= diagonal_enough * diagonal) break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (V[p * n + q] == 0) continue;
                double theta = (V[q * n + q] - V[p * n + p]) / (2 * V[p * n + q]);
                double t = copysign(1, theta) / (fabs(theta) + jn_hypot_safe(theta, 1)), c = 1 / jn_hypot_safe(t, 1), s = t * c;
                for (int k = 0; k < n; k++) {
                    double x = V[k * n + p], y = V[k * n + q];
                    V[k * n + p] = c * x - s * y, V[k * n + q] = s * x + c * y;
                    x = E[k * n + p], y = E[k * n + q];
                    E[k * n + p] = c * x - s * y, E[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = V[p * n + k], y = V[q * n + k];
                    V[p * n + k] = c * x - s * y, V[q * n + k] = s * x + c * y;
                }
            }
    }
    for (int i = 0; i < n; i++) most = jn_fmax(most, fabs(V[i * n + i]));
    memset(pinv, 0, (size_t)n * (size_t)n * sizeof *pinv);
    for (int k = 0; k < n; k++) {
        if (fabs(V[k * n + k]) <= cut * most) continue;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) pinv[i * n + j] += E[i * n + k] * E[j * n + k] / V[k * n + k];
    }
}

static double dot(int n, const double *a, const double *b) {
    double x = 0;
    for (int i = 0; i < n; i++) x += a[i] * b[i];
    return x;
}

/* x less its parts along the orthonormal rows, twice for the sake of round-off. */
static void remove_rows(const jn_impact *w, int rank, double *x) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < rank; k++) {
            const double *q = w->Q + (size_t)k * (size_t)w->n;
            double s = dot(w->n, q, x);
            for (int i = 0; i < w->n; i++) x[i] -= s * q[i];
        }
}

/* Unit rows in K (the empty ones become zero), an orthonormal basis of them in Q. Returns the rank. */
static int orthonormalise(jn_impact *w) {
    int n = w->n, rank = 0;
    for (int k = 0; k < w->m; k++) {
        double *K = w->K + (size_t)k * (size_t)n, size = sqrt(dot(n, K, K));
        for (int i = 0; i < n; i++) K[i] = size > nothing ? K[i] / size : 0;
        if (!(size > nothing) || rank == n) continue;
        double *q = w->Q + (size_t)rank * (size_t)n;
        memcpy(q, K, (size_t)n * sizeof *q);
        remove_rows(w, rank, q);
        size = sqrt(dot(n, q, q));
        if (size <= dependent) continue;
        for (int i = 0; i < n; i++) q[i] /= size;
        rank++;
    }
    return rank;
}

/* The point of the null space with sum 1 that is nearest to c_prev: c = P (c_prev + alpha 1). */
static bool null_vector(jn_impact *w, int rank) {
    int n = w->n;
    double sum = 0, ones = 0, least = INFINITY;
    if (rank >= n) return false;
    for (int i = 0; i < n; i++) w->a[i] = w->c_prev[i], w->b[i] = 1;
    remove_rows(w, rank, w->a), remove_rows(w, rank, w->b);
    for (int i = 0; i < n; i++) sum += w->a[i], ones += w->b[i];
    if (ones <= no_sum) return false;
    for (int i = 0; i < n; i++) {
        w->c[i] = w->a[i] + (1 - sum) / ones * w->b[i];
        least = jn_fmin(least, w->c[i]);
    }
    if (!(least >= -negative)) return false;
    for (int i = 0; i < n; i++) w->c[i] = jn_fmax(w->c[i], 0);
    return true;
}

/* Solves G x = rhs over the free contacts by Cholesky's factors in L, made here if asked for. */
static void solve_free(jn_impact *w, bool factor, double *x) {
    int n = w->n;
    double *L = w->L;
    for (int i = 0; i < n && factor; i++)
        for (int j = 0; j <= i; j++) {
            if (!w->free[i] || !w->free[j]) continue;
            double s = w->G[i * n + j];
            for (int k = 0; k < j; k++)
                if (w->free[k]) s -= L[i * n + k] * L[j * n + k];
            L[i * n + j] = i == j ? sqrt(jn_fmax(s, JN_TINY)) : s / L[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        if (!w->free[i]) continue;
        for (int k = 0; k < i; k++)
            if (w->free[k]) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (int i = n; i-- > 0;) {
        if (!w->free[i]) continue;
        for (int k = i + 1; k < n; k++)
            if (w->free[k]) x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

/* Minimum over the free contacts with sum 1, the others zero; a receives it. Returns the multiplier of the sum. */
static double minimum(jn_impact *w) {
    double sum = 0, ones = 0;
    for (int i = 0; i < w->n; i++) w->a[i] = w->free[i] ? pull * w->c_prev[i] : 0, w->b[i] = w->free[i];
    solve_free(w, true, w->a);
    solve_free(w, false, w->b);
    for (int i = 0; i < w->n; i++) sum += w->a[i], ones += w->b[i];
    double nu = (1 - sum) / ones;
    for (int i = 0; i < w->n; i++) w->a[i] += nu * w->b[i];
    return nu;
}

/* min |K c|^2 + pull |c - c_prev|^2 with c >= 0, sum c = 1 by active sets. At most 3 n changes of the set. */
static void constrained(jn_impact *w) {
    int n = w->n;
    for (int i = 0; i < n; i++) {
        w->free[i] = true, w->c[i] = 1.0 / n;
        for (int j = 0; j < n; j++) {
            double s = i == j ? pull : 0;
            for (int k = 0; k < w->m; k++) s += w->K[(size_t)(k * n + i)] * w->K[(size_t)(k * n + j)];
            w->G[i * n + j] = s;
        }
    }
    for (int change = 0; change < 3 * n; change++) {
        double nu = minimum(w), step = 1, steepest = -negative;
        int leaves = -1, enters = -1;
        for (int i = 0; i < n; i++)
            if (w->free[i] && w->a[i] < 0 && w->c[i] / (w->c[i] - w->a[i]) < step)
                step = w->c[i] / (w->c[i] - w->a[i]), leaves = i;
        for (int i = 0; i < n; i++) w->c[i] = w->free[i] ? w->c[i] + step * (w->a[i] - w->c[i]) : 0;
        if (leaves >= 0) {
            w->free[leaves] = false, w->c[leaves] = 0;
            continue;
        }
        for (int i = 0; i < n; i++) {
            double slope = dot(n, w->G + i * n, w->c) - pull * w->c_prev[i] - nu;
            if (!w->free[i] && slope < steepest) steepest = slope, enters = i;
        }
        if (enters < 0) break;
        w->free[enters] = true;
    }
}

/* Without sticking points each row joins two shares, a c_i + b c_j = 0: along a tree of rows they follow from one another.
 * n - 1 rows that reach all n points are such a tree. False where they do not, say nearly nothing or ask for a negative share.
 * O(m) for chains. */
static bool along_rows(jn_impact *w) {
    int n = w->n, known = 1;
    double sum = 1;
    for (int i = 1; i < n; i++) w->c[i] = -1;
    w->c[0] = 1;
    for (int before = 0; known > before;) {
        before = known;
        for (int k = 0; k < w->m; k++) {
            int i = w->row[k].i, j = w->row[k].j;
            double a = w->K[(size_t)k * (size_t)n + (size_t)i], b = w->K[(size_t)k * (size_t)n + (size_t)j];
            if (w->c[i] < 0 && w->c[j] < 0) continue;
            if (w->c[i] >= 0 && w->c[j] >= 0) continue;
            int from = w->c[i] >= 0 ? i : j, to = from == i ? j : i;
            double up = from == i ? a : b, down = from == i ? b : a;
            if (fabs(down) < weak || fabs(up) < weak || up * down > 0) return false;
            w->c[to] = -up / down * w->c[from];
            sum += w->c[to], known++;
        }
    }
    for (int i = 0; i < n && known == n; i++) w->c[i] /= sum;
    return known == n;
}

/* c from K (m x n, made unit rows) and c_prev. O(m^2 n), O(m) along a tree of rows. */
void jn_impact_distribute(jn_impact *w) {
    int n = w->n;
    w->exact = true;
    if (n == 1) {
        w->c[0] = 1;
        return;
    }
    if (w->sticking == 0 && w->m == n - 1 && along_rows(w)) return;
    if (null_vector(w, orthonormalise(w))) return;
    constrained(w);
    double miss = 0;
    for (int k = 0; k < w->m; k++) miss = jn_fmax(miss, fabs(dot(n, w->K + (size_t)(k * n), w->c)));
    w->exact = miss <= fulfilled;
}

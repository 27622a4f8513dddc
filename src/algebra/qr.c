/* Householder reflections with column pivoting, and those from the right that make the factorisation complete. */
#include "algebra/qr.h"
#include "algebra/elementary.h"
#include <math.h>
#include <stddef.h>

static void reflect(const double *v, double beta, double *x, int n) { /* x -= beta v (v.x), v[0] = 1 */
    double sum = x[0];
    for (int i = 1; i < n; i++) sum += v[i] * x[i];
    sum *= beta;
    x[0] -= sum;
    for (int i = 1; i < n; i++) x[i] -= sum * v[i];
}

/* Householder vector that turns x into (alpha, 0, ...): stored in x[1..], x[0] becomes alpha. */
static double householder(double *x, int n) {
    double tail = 0;
    for (int i = 1; i < n; i++) tail += x[i] * x[i];
    if (tail == 0) return 0;
    double norm = sqrt(x[0] * x[0] + tail), alpha = x[0] > 0 ? -norm : norm, v0 = x[0] - alpha;
    for (int i = 1; i < n; i++) x[i] /= v0;
    x[0] = alpha;
    return -v0 / alpha;
}

static void swap_columns(jn_qr *w, int a, int b) {
    int n = w->n;
    for (int i = 0; i < n; i++) {
        double t = w->Y[(size_t)a * n + i];
        w->Y[(size_t)a * n + i] = w->Y[(size_t)b * n + i], w->Y[(size_t)b * n + i] = t;
    }
    int p = w->pivot[a];
    double norm = w->x[a], last = w->tz[a];
    w->pivot[a] = w->pivot[b], w->pivot[b] = p;
    w->x[a] = w->x[b], w->x[b] = norm;
    w->tz[a] = w->tz[b], w->tz[b] = last;
}

static double tail_norm(const double *column, int from, int n) {
    double sum = 0;
    for (int i = from; i < n; i++) sum += column[i] * column[i];
    return sum;
}

/* Zeroes R12 against the triangle from the last row up; the vectors stay in R12's place. */
static void reduce_trapezoid(jn_qr *w) {
    int n = w->n, rank = w->rank, cols = w->cols;
    for (int k = rank - 1; k >= 0; k--) {
        double tail = 0, x0 = w->Y[(size_t)k * n + k];
        for (int j = rank; j < cols; j++) tail += w->Y[(size_t)j * n + k] * w->Y[(size_t)j * n + k];
        w->tz[k] = 0;
        if (tail == 0) continue;
        double norm = sqrt(x0 * x0 + tail), alpha = x0 > 0 ? -norm : norm, v0 = x0 - alpha;
        for (int j = rank; j < cols; j++) w->Y[(size_t)j * n + k] /= v0;
        w->Y[(size_t)k * n + k] = alpha;
        w->tz[k] = -v0 / alpha;
        for (int i = 0; i < k; i++) { /* rows above */
            double sum = w->Y[(size_t)k * n + i];
            for (int j = rank; j < cols; j++) sum += w->Y[(size_t)j * n + k] * w->Y[(size_t)j * n + i];
            sum *= w->tz[k];
            w->Y[(size_t)k * n + i] -= sum;
            for (int j = rank; j < cols; j++) w->Y[(size_t)j * n + i] -= sum * w->Y[(size_t)j * n + k];
        }
    }
}

/* Squared norms of the columns below row k, kept up to date by what each step removes, and computed anew before cancellation
 * eats them: norm in x, the value last computed in tz. */
static double remaining_norm(jn_qr *w, int j, int k) {
    if (k > 0) {
        double removed = w->Y[(size_t)j * w->n + k - 1];
        w->x[j] -= removed * removed;
    }
    if (k == 0 || !(w->x[j] > 1e-3 * w->tz[j])) w->x[j] = w->tz[j] = tail_norm(w->Y + (size_t)j * w->n, k, w->n);
    return w->x[j];
}

bool jn_qr_factor(jn_qr *w, double tolerance, int expected) {
    int n = w->n, cols = w->cols, most = n < cols ? n : cols;
    double first = 0;
    w->rank = most;
    for (int j = 0; j < cols; j++) w->pivot[j] = j;
    for (int k = 0; k < most; k++) {
        int best = k;
        double largest = -1;
        for (int j = k; j < cols; j++) {
            double norm = remaining_norm(w, j, k);
            if (!isfinite(norm)) return false;
            if (norm > largest) largest = norm, best = j;
        }
        if (k == 0) first = largest;
        double limit = k < expected ? 1e-14 : tolerance;
        if (largest <= limit * limit * first) {
            w->rank = k;
            break;
        }
        if (best != k) swap_columns(w, k, best);
        double *v = w->Y + (size_t)k * n + k;
        w->beta[k] = householder(v, n - k);
        for (int j = k + 1; j < cols; j++) reflect(v, w->beta[k], w->Y + (size_t)j * n + k, n - k);
    }
    if (w->rank < cols) reduce_trapezoid(w);
    return true;
}

/* z = Z x or Z^T x: the reflections of the second reduction, on vectors of length rows in pivoted order. */
static void turn(const jn_qr *w, double *x, bool transposed) {
    int n = w->n, rank = w->rank, cols = w->cols;
    for (int s = 0; s < rank; s++) {
        int k = transposed ? s : rank - 1 - s;
        if (w->tz[k] == 0) continue;
        double sum = x[k];
        for (int j = rank; j < cols; j++) sum += w->Y[(size_t)j * n + k] * x[j];
        sum *= w->tz[k];
        x[k] -= sum;
        for (int j = rank; j < cols; j++) x[j] -= sum * w->Y[(size_t)j * n + k];
    }
}

void jn_qr_solve_normal(const jn_qr *w, const double *b, double *out) {
    int n = w->n, cols = w->cols, rank = w->rank;
    double *x = w->x;
    for (int i = 0; i < cols; i++) x[i] = b[w->pivot[i]];
    if (rank < cols) turn(w, x, false);
    for (int i = 0; i < rank; i++) { /* x = T^-T x */
        const double *column = w->Y + (size_t)i * n;
        for (int k = 0; k < i; k++) x[i] -= column[k] * x[k];
        x[i] /= column[i];
    }
    for (int i = rank - 1; i >= 0; i--) { /* x = T^-1 x */
        x[i] /= w->Y[(size_t)i * n + i];
        for (int k = 0; k < i; k++) x[k] -= w->Y[(size_t)i * n + k] * x[i];
    }
    for (int i = rank; i < cols; i++) x[i] = 0;
    if (rank < cols) turn(w, x, true);
    for (int i = 0; i < cols; i++) out[w->pivot[i]] = x[i];
}

void jn_qr_basis(const jn_qr *w, double *Q) {
    int n = w->n;
    for (int k = 0; k < w->rank; k++) {
        double *q = Q + (size_t)k * n;
        for (int i = 0; i < n; i++) q[i] = i == k;
        for (int j = k; j >= 0; j--) reflect(w->Y + (size_t)j * n + j, w->beta[j], q + j, n - j); /* q = Q e_k */
    }
}

double jn_qr_smallest(const jn_qr *w) {
    double least = 1;
    for (int k = 1; k < w->rank; k++) least = jn_fmin(least, fabs(w->Y[(size_t)k * w->n + k] / w->Y[0]));
    return least;
}

/* c = T^-T c (first rank entries); y is what the weak entries become if they are left alone. */
static void lower_damped(const jn_qr *w, double *c, const double *y, bool leave_weak) {
    double first = fabs(w->Y[0]), small = 3e-3 * w->weak * first;
    for (int i = 0; i < w->rank; i++) {
        const double *column = w->Y + (size_t)i * w->n;
        double pivot = column[i];
        for (int k = 0; k < i; k++) c[i] -= column[k] * c[k];
        if (fabs(pivot) >= w->weak * first)
            c[i] /= pivot;
        else
            c[i] = leave_weak ? y[i] : c[i] * pivot / (pivot * pivot + small * small);
    }
}

void jn_qr_meet(const jn_qr *w, const double *g, bool leave_weak, double *y, double *lambda) {
    int n = w->n, cols = w->cols, rank = w->rank;
    double *c = w->x;
    for (int k = 0; k < rank; k++) reflect(w->Y + (size_t)k * n + k, w->beta[k], y + k, n - k); /* y = Q^T y */
    for (int i = 0; i < cols; i++) c[i] = g ? g[w->pivot[i]] : 0;
    if (rank < cols) turn(w, c, false);
    lower_damped(w, c, y, leave_weak);
    for (int i = 0; i < rank; i++) {
        double wanted = c[i];
        c[i] -= y[i];
        y[i] = wanted;
    }
    for (int k = rank - 1; k >= 0; k--) reflect(w->Y + (size_t)k * n + k, w->beta[k], y + k, n - k); /* y = Q y */
    for (int i = rank - 1; i >= 0; i--) {                                                            /* c = T^-1 c */
        c[i] /= w->Y[(size_t)i * n + i];
        for (int k = 0; k < i; k++) c[k] -= w->Y[(size_t)i * n + k] * c[i];
    }
    for (int i = rank; i < cols; i++) c[i] = 0;
    if (rank < cols) turn(w, c, true);
    for (int i = 0; i < cols; i++) lambda[w->pivot[i]] = c[i];
}

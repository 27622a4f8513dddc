/* Cubic splines and polylines through tables. */
#include "base/program.h"
#include <math.h>

void jn_spline_fit(int count, const double *x, const double *y, double *ydd, double *work) {
    int n = count - 1; /* intervals */
    if (count < 3) {
        for (int i = 0; i < count; i++) {
            ydd[i] = 0;
        }
        return;
    }
    if (count == 3) {
        double slope0 = (y[1] - y[0]) / (x[1] - x[0]), slope1 = (y[2] - y[1]) / (x[2] - x[1]);
        ydd[0] = ydd[1] = ydd[2] = 2 * (slope1 - slope0) / (x[2] - x[0]);
        return;
    }
    /* h[i-1] M[i-1] + 2 (h[i-1] + h[i]) M[i] + h[i] M[i+1] = 6 (slope[i] - slope[i-1]),  i = 1..n-1;
     * M[0] and M[n] eliminated by equal third derivatives left and right of x[1] and x[n-1]. */
    for (int i = 1; i < n; i++) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        double below = h0, diagonal = 2 * (h0 + h1), above = h1;
        double right = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0);
        if (i == 1) {
            below = 0;
            diagonal += h0 * (h0 + h1) / h1;
            above -= h0 * h0 / h1;
        }
        if (i == n - 1) {
            above = 0;
            diagonal += h1 * (h0 + h1) / h0;
            below -= h1 * h1 / h0;
        }
        if (i > 1) {
            diagonal -= below * work[i - 1];
            right -= below * ydd[i - 1];
        }
        work[i] = above / diagonal;
        ydd[i] = right / diagonal;
    }
    for (int i = n - 2; i >= 1; i--) {
        ydd[i] -= work[i] * ydd[i + 1];
    }
    double a = x[1] - x[0], b = x[2] - x[1], c = x[n - 1] - x[n - 2], d = x[n] - x[n - 1];
    ydd[0] = ((a + b) * ydd[1] - a * ydd[2]) / b;
    ydd[n] = ((c + d) * ydd[n - 1] - d * ydd[n - 2]) / c;
}

/* h[i-1] M[i-1] + 2 (h[i-1] + h[i]) M[i] + h[i] M[i+1] = 6 (slope[i] - slope[i-1]), i = 0..n-1 around the circle: a tridiagonal
 * matrix and two corners, which a change of rank one brings in. [Golub2013, 2.1.4] O(count) */
void jn_spline_fit_periodic(int count, const double *x, const double *y, double *ydd, double *work) {
    int n = count - 1;
    double *ratio = work, *z = work + count;
    if (n < 3) { /* two points that are one; or up and down again */
        for (int i = 0; i < count; i++) ydd[i] = 0;
        if (n == 2) {
            double h0 = x[1] - x[0], h1 = x[2] - x[1], bend = (y[1] - y[0]) / h0 - (y[0] - y[1]) / h1;
            ydd[0] = ydd[2] = 6 * bend / (h0 + h1), ydd[1] = -ydd[0]; /* 2 M0 + M1 = -(2 M1 + M0) */
        }
        return;
    }
    double corner = x[n] - x[n - 1], gamma = -2 * (corner + x[1] - x[0]), pivot = 1;
    for (int i = 0; i < n; i++) {
        double h0 = i ? x[i] - x[i - 1] : corner, h1 = x[i + 1] - x[i], before = i ? y[i - 1] : y[n - 1];
        double below = i ? h0 : 0, diagonal = 2 * (h0 + h1), u = i == 0 ? gamma : i == n - 1 ? corner : 0;
        double right = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - before) / h0);
        if (i == 0) diagonal -= gamma;
        if (i == n - 1) diagonal -= corner * corner / gamma;
        if (i) ratio[i - 1] = (x[i] - x[i - 1]) / pivot;
        pivot = diagonal - (i ? below * ratio[i - 1] : 0);
        ydd[i] = (right - (i ? below * ydd[i - 1] : 0)) / pivot;
        z[i] = (u - (i ? below * z[i - 1] : 0)) / pivot;
    }
    for (int i = n - 2; i >= 0; i--) ydd[i] -= ratio[i] * ydd[i + 1], z[i] -= ratio[i] * z[i + 1];
    double factor = (ydd[0] + corner / gamma * ydd[n - 1]) / (1 + z[0] + corner / gamma * z[n - 1]);
    for (int i = 0; i < n; i++) ydd[i] -= factor * z[i];
    ydd[n] = ydd[0];
}

/* x within the table, a whole number of rounds away. */
static double around(const jn_table *table, double x) {
    double first = table->x[0], round = table->x[table->count - 1] - first, y = x - round * floor((x - first) / round);
    return y < first ? first : y > first + round ? first + round : y;
}

/* Index of the interval that holds x, 0 <= i < count - 1; x is within the table. O(log count) */
static int find_interval(const jn_table *table, double x) {
    int low = 0, high = table->count - 1;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (table->x[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The cubic of interval i with its derivatives. */
static jn_jet cubic(const jn_table *table, int i, double x) {
    double h = table->x[i + 1] - table->x[i], b = (x - table->x[i]) / h, a = 1 - b;
    double y0 = table->y[i], y1 = table->y[i + 1], m0 = table->ydd[i], m1 = table->ydd[i + 1];
    return (jn_jet){a * y0 + b * y1 + ((a * a * a - a) * m0 + (b * b * b - b) * m1) * h * h / 6,
                    (y1 - y0) / h + ((1 - 3 * a * a) * m0 + (3 * b * b - 1) * m1) * h / 6, a * m0 + b * m1};
}

jn_jet jn_spline_at(const jn_table *table, double x) {
    int last = table->count - 1;
    if (last < 1) {
        return (jn_jet){last == 0 ? table->y[0] : 0, 0, 0};
    }
    if (table->periodic && isfinite(x)) x = around(table, x);
    if (x >= table->x[0] && x <= table->x[last]) {
        return cubic(table, find_interval(table, x), x);
    }
    double end = x < table->x[0] ? table->x[0] : table->x[last];
    jn_jet y = cubic(table, x < table->x[0] ? 0 : last - 1, end);
    return (jn_jet){y.v + y.d * (x - end), y.d, 0};
}

jn_jet jn_polyline_at(const jn_table *table, double x) {
    int last = table->count - 1, i;
    if (last < 1) {
        return (jn_jet){last == 0 ? table->y[0] : 0, 0, 0};
    }
    if (table->periodic && isfinite(x)) x = around(table, x);
    if (!(x >= table->x[0])) {
        return (jn_jet){table->y[0], 0, 0};
    }
    if (x > table->x[last]) {
        return (jn_jet){table->y[last], 0, 0};
    }
    i = find_interval(table, x);
    double slope = (table->y[i + 1] - table->y[i]) / (table->x[i + 1] - table->x[i]);
    return (jn_jet){table->y[i] + slope * (x - table->x[i]), slope, 0};
}

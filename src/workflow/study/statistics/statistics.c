#include "workflow/study/statistics/statistics.h"

#include "algebra/elementary.h"
#include "base/memory.h"
#include "workflow/study/statistics/distribution.h"
#include "workflow/study/statistics/random.h"

#include <math.h>
#include <stdlib.h>

#define Z95 1.959963984540054 /* standard normal distribution: 95 % lie within */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

long jn_sort_finite(double *x, long count) {
    long n = 0;
    for (long i = 0; i < count; i++)
        if (isfinite(x[i])) {
            double other = x[n];
            x[n++] = x[i], x[i] = other;
        }
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n;
}

/* Logarithm of n!, by Stirling's series. [Abramowitz1964, 6.1.41] */
static double log_factorial(double n) {
    if (n < 20) {
        double f = 1;
        for (double k = 2; k <= n; k++) f *= k;
        return jn_log(f);
    }
    double x = n + 1, y = 1 / (x * x);
    return (x - 0.5) * jn_log(x) - x + 0.91893853320467274178 + (1.0 / 12 - y * (1.0 / 360 - y / 1260)) / x;
}

/* Smallest k with P(Binomial(n, p) <= k) >= part. O(width of the distribution) */
static long binomial_quantile(long n, double p, double part) {
    double deviation = sqrt((double)n * p * (1 - p)), centre = (double)n * p;
    long from = (long)jn_fmax(0, floor(centre - 10 * deviation - 10)),
         to = (long)jn_fmin((double)n, centre + 10 * deviation + 10);
    double whole = log_factorial((double)n), sum = 0;
    for (long k = from; k <= to; k++) {
        double log_term = whole - log_factorial((double)k) - log_factorial((double)(n - k)) + (double)k * jn_log(p) +
                          (double)(n - k) * jn_log1p(-p);
        sum += jn_exp(log_term);
        if (sum >= part) return k;
    }
    return to;
}

jn_interval jn_quantile(const double *sorted, long n, double p) {
    jn_interval out = {NAN, NAN, NAN};
    if (n < 1) return out;
    double place = p * (double)(n - 1);
    long k = (long)floor(place);
    out.value = k + 1 < n ? sorted[k] + (place - (double)k) * (sorted[k + 1] - sorted[k]) : sorted[n - 1];
    /* x_(l) <= quantile < x_(u) with probability P(l <= B < u), B binomial. */
    long l = binomial_quantile(n, p, 0.025), u = binomial_quantile(n, p, 0.975) + 1;
    if (l >= 1) out.low = sorted[l - 1];
    if (u <= n) out.high = sorted[u - 1];
    return out;
}

jn_interval jn_proportion(long hits, long n) {
    if (n < 1) return (jn_interval){NAN, NAN, NAN};
    double p = (double)hits / (double)n, z2 = Z95 * Z95 / (double)n, centre = (p + 0.5 * z2) / (1 + z2);
    double half = Z95 * sqrt((p * (1 - p) + 0.25 * z2) / (double)n) / (1 + z2);
    return (jn_interval){p, hits == 0 ? 0 : centre - half, hits == n ? 1 : centre + half};
}

jn_interval jn_mean(const double *x, long n, double *deviation) {
    double mean = 0, squares = 0;
    for (long i = 0; i < n; i++) mean += x[i];
    mean /= n > 0 ? (double)n : NAN;
    for (long i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
    double s = n > 1 ? sqrt(squares / (double)(n - 1)) : NAN, half = Z95 * s / sqrt((double)n);
    if (deviation) *deviation = s;
    return (jn_interval){mean, mean - half, mean + half};
}

/* ---------------------------------------------------------------------------------------------------- Sobol indices */

/* One estimate over the points `take` (NULL: all); first and total have k numbers. */
static void estimate(const double *f, const long *row, long n, int k, const long *take, double *first, double *total) {
    double mean = 0, variance = 0;
    for (long j = 0; j < n; j++) {
        const double *x = f + row[take ? take[j] : j] * (k + 2);
        mean += x[0] + x[1];
    }
    mean /= 2 * (double)n;
    for (long j = 0; j < n; j++) {
        const double *x = f + row[take ? take[j] : j] * (k + 2);
        variance += (x[0] - mean) * (x[0] - mean) + (x[1] - mean) * (x[1] - mean);
    }
    variance /= 2 * (double)n;
    for (int i = 0; i < k; i++) {
        double s = 0, t = 0;
        for (long j = 0; j < n; j++) {
            const double *x = f + row[take ? take[j] : j] * (k + 2);
            double a = x[0], b = x[1] - mean, ab = x[2 + i];
            s += b * (ab - a);            /* V_i  = mean of f(B) (f(AB_i) - f(A)) */
            t += (a - ab) * (a - ab) / 2; /* VT_i = mean of (f(A) - f(AB_i))^2 / 2 */
        }
        first[i] = s / (double)n / variance, total[i] = t / (double)n / variance;
    }
}

static void bounds(double *values, int tries, jn_interval *out) {
    long n = jn_sort_finite(values, tries);
    if (n < 2) return;
    out->low = jn_quantile(values, n, 0.025).value, out->high = jn_quantile(values, n, 0.975).value;
}

bool jn_sobol_indices(const double *f, long n, int k, int tries, uint64_t seed, jn_interval *first,
                      jn_interval *total) {
    long *row = jn_malloc(2 * (size_t)(n + 1) * sizeof *row), *take = row ? row + n + 1 : NULL, good = 0;
    double *all = jn_malloc(2 * (size_t)(tries + 1) * (size_t)k * sizeof *all),
           *one = jn_malloc(2 * (size_t)k * sizeof *one);
    bool fine = row && all && one;
    for (long j = 0; fine && j < n; j++) {
        bool finite = true;
        for (int i = 0; i < k + 2; i++) finite &= isfinite(f[j * (k + 2) + i]) != 0;
        if (finite) row[good++] = j;
    }
    if (fine && good > 1) {
        estimate(f, row, good, k, NULL, one, one + k);
        for (int i = 0; i < k; i++)
            first[i] = (jn_interval){one[i], NAN, NAN}, total[i] = (jn_interval){one[k + i], NAN, NAN};
        for (int t = 0; t < tries; t++) {
            for (long j = 0; j < good; j++)
                take[j] = (long)(jn_random_bits(seed, (uint64_t)t, (uint64_t)j) % (uint64_t)good);
            estimate(f, row, good, k, take, one, one + k);
            for (int i = 0; i < 2 * k; i++) all[(size_t)i * (size_t)tries + (size_t)t] = one[i];
        }
        for (int i = 0; i < k; i++)
            bounds(all + (size_t)i * (size_t)tries, tries, &first[i]),
                bounds(all + (size_t)(k + i) * (size_t)tries, tries, &total[i]);
    } else {
        for (int i = 0; i < k; i++) first[i] = total[i] = (jn_interval){NAN, NAN, NAN};
    }
    jn_free(row), jn_free(all), jn_free(one);
    return fine;
}

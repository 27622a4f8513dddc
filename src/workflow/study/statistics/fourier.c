/* The spectrum of a series: radix-2 transform, and peaks refined by the transform at frequencies between its own. */
#include "workflow/study/statistics/fourier.h"

#include "algebra/elementary.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586
enum { LOBE = 4, REFINE = 60 }; /* half width of a peak in 1/(n dt); steps of the search for its top */

void jn_fourier(double *re, double *im, long n) {
    for (long i = 1, j = 0; i < n; i++) { /* bits of the index in reverse */
        long bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i >= j) continue;
        double a = re[i], b = im[i];
        re[i] = re[j], im[i] = im[j], re[j] = a, im[j] = b;
    }
    for (long half = 1; half < n; half *= 2)
        for (long k = 0; k < half; k++) {
            double c = jn_cos(TWO_PI * (double)k / (double)(2 * half)),
                   s = -jn_sin(TWO_PI * (double)k / (double)(2 * half));
            for (long i = k; i < n; i += 2 * half) {
                double a = c * re[i + half] - s * im[i + half], b = s * re[i + half] + c * im[i + half];
                re[i + half] = re[i] - a, im[i + half] = im[i] - b;
                re[i] += a, im[i] += b;
            }
        }
}

/* Side lobes below 1e-4.6. [Harris1978, table 1: minimum 4-term Blackman-Harris] */
static double window(long i, long n) {
    double a = TWO_PI * ((double)i + 0.5) / (double)n;
    return 0.35875 - 0.48829 * jn_cos(a) + 0.14128 * jn_cos(2 * a) - 0.01168 * jn_cos(3 * a);
}

/* |sum y_j exp(-2 pi i f j)| at a frequency f of the sampling rate. O(n) */
static double size_at(const double *y, long n, double f) {
    double c = jn_cos(TWO_PI * f), s = -jn_sin(TWO_PI * f), a = 1, b = 0, re = 0, im = 0;
    for (long i = 0; i < n; i++) {
        re += y[i] * a, im += y[i] * b;
        double next = c * a - s * b;
        b = s * a + c * b, a = next;
        if (i % 256 == 255) { /* rotations do not grow */
            double angle = TWO_PI * f * (double)(i + 1);
            a = jn_cos(angle), b = -jn_sin(angle);
        }
    }
    return sqrt(re * re + im * im);
}

/* The top of the peak between two frequencies, by golden sections. */
static double top(const double *y, long n, double low, double high) {
    const double part = 0.6180339887498949;
    double a = high - part * (high - low), b = low + part * (high - low);
    double fa = size_at(y, n, a), fb = size_at(y, n, b);
    for (int k = 0; k < REFINE && b > a; k++) {
        if (fa > fb)
            high = b, b = a, fb = fa, a = high - part * (high - low), fa = size_at(y, n, a);
        else
            low = a, a = b, fa = fb, b = low + part * (high - low), fb = size_at(y, n, b);
    }
    return 0.5 * (low + high);
}

/* The strongest line of the spectrum that no peak found so far covers, and that rises above its surroundings; -1: none. */
static long strongest(const double *size, long lines, long lobe, const long *taken, int count) {
    long best = -1;
    for (long k = 1; k + 1 < lines; k++) {
        bool covered = size[k] < size[k - 1] || size[k] < size[k + 1] || (best >= 0 && size[k] <= size[best]);
        for (int i = 0; i < count && !covered; i++) covered = labs(k - taken[i]) < 2 * lobe;
        if (!covered) best = k;
    }
    return best;
}

bool jn_fourier_peaks(const double *x, long n, double dt, int count, double *frequency, double *amplitude) {
    enum { MOST = 16 };
    long taken[MOST], length = 8;
    for (int i = 0; i < count; i++) frequency[i] = amplitude[i] = NAN;
    if (n < 4 * LOBE) return true;
    while (length < 2 * n) length *= 2;
    double *re = jn_malloc((size_t)(2 * length + n) * sizeof *re);
    if (!re) return false;
    double *im = re + length, *y = im + length;
    double mean = 0, weight = 0, weighted = 0, rms = 0;
    for (long i = 0; i < n; i++) mean += x[i] / (double)n, weight += window(i, n);
    for (long i = 0; i < n; i++) weighted += window(i, n) * (x[i] - mean) / weight;
    for (long i = 0; i < n; i++) { /* a constant leaves nothing in the windowed series */
        y[i] = window(i, n) * (x[i] - mean - weighted);
        rms += (x[i] - mean) * (x[i] - mean) / (double)n;
    }
    memset(re, 0, (size_t)(2 * length) * sizeof *re);
    memcpy(re, y, (size_t)n * sizeof *re);
    jn_fourier(re, im, length);
    for (long k = 0; k <= length / 2; k++) re[k] = sqrt(re[k] * re[k] + im[k] * im[k]);
    long lobe = LOBE * length / n;
    for (int i = 0; i < count && i < MOST; i++) {
        taken[i] = strongest(re, length / 2 + 1, lobe, taken, i);
        if (taken[i] < 0 || 2 * re[taken[i]] / weight <= 1e-12 * sqrt(rms)) break;
        double f = top(y, n, (double)(taken[i] - 1) / (double)length, (double)(taken[i] + 1) / (double)length);
        frequency[i] = f / dt, amplitude[i] = 2 * size_at(y, n, f) / weight;
    }
    jn_free(re);
    return true;
}

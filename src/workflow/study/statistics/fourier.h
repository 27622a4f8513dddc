/* The spectrum of a series of samples, and the frequencies in it. */
#ifndef JN_WORKFLOW_STUDY_FOURIER_H
#define JN_WORKFLOW_STUDY_FOURIER_H

#include <stdbool.h>

/* Discrete Fourier transform X_k = sum x_j exp(-2 pi i j k/n) in place; n a power of two; re and im (n). [CooleyTukey1965] O(n log n) */
void jn_fourier(double *re, double *im, long n);
/* The strongest frequencies [1/dt] of n samples without their mean, the strongest first, and their amplitudes; NAN where there are
 * no more. Two tones are distinguished from 8/(n dt) on. false: no memory. O(n log n) */
bool jn_fourier_peaks(const double *x, long n, double dt, int count, double *frequency, double *amplitude);

#endif

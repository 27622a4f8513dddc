/* Dense matrices of an impact: beta = J M^-1 J^T, velocities after it, and the split of the kinetic energy. */
#include "reaction/impact/impact_law.h"
#include <math.h>
#include <string.h>

/* Lower Cholesky factor of M in L. */
static int factor(int n, const double *M, double *L) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = M[i * n + j];
            for (int k = 0; k < j; k++) s -= L[i * n + k] * L[j * n + k];
            if (i == j && !(s > 0)) return JN_ERR_NUMERIC;
            L[i * n + j] = i == j ? sqrt(s) : s / L[j * n + j];
        }
    return JN_OK;
}

/* x = L^-1 x. */
static void lower(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
}

/* O(nv^3 + rows nv (nv + rows)). */
int jn_impact_beta(int nv, int rows, const double *M, const double *J, double *scratch, double *beta) {
    double *L = scratch, *Y = scratch + (size_t)nv * (size_t)nv; /* rows of J L^-T */
    int status = factor(nv, M, L);
    if (status) return status;
    memcpy(Y, J, (size_t)rows * (size_t)nv * sizeof *Y);
    for (int i = 0; i < rows; i++) lower(nv, L, Y + (size_t)i * (size_t)nv);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int k = 0; k < nv; k++) s += Y[i * nv + k] * Y[j * nv + k];
            beta[(size_t)i * (size_t)rows + (size_t)j] = beta[(size_t)j * (size_t)rows + (size_t)i] = s;
        }
    return JN_OK;
}

/* O(nv^3 + rows nv). */
int jn_impact_apply(int nv, int rows, const double *M, const double *J, const double *p, double *scratch, double *qd) {
    double *L = scratch, *x = scratch + (size_t)nv * (size_t)nv;
    int status = factor(nv, M, L);
    if (status) return status;
    for (int k = 0; k < nv; k++) {
        x[k] = 0;
        for (int i = 0; i < rows; i++) x[k] += J[i * nv + k] * p[i];
    }
    lower(nv, L, x);
    for (int i = nv; i-- > 0;) {
        for (int k = i + 1; k < nv; k++) x[i] -= L[k * nv + i] * x[k];
        x[i] /= L[i * nv + i];
    }
    for (int k = 0; k < nv; k++) qd[k] += x[k];
    return JN_OK;
}

/* J^+ = pinv(J^T J) J^T, then J^+T M J^+. O(nv^3 + rows nv (nv + rows)). */
void jn_impact_split(int nv, int rows, const double *M, const double *J, double *scratch, double *split) {
    size_t square = (size_t)nv * (size_t)nv;
    double *A = scratch, *pinv = scratch + 2 * square, *Jp = pinv + square, *MJ = Jp + (size_t)nv * (size_t)rows;
    for (int a = 0; a < nv; a++)
        for (int b = 0; b < nv; b++) {
            A[a * nv + b] = 0;
            for (int i = 0; i < rows; i++) A[a * nv + b] += J[i * nv + a] * J[i * nv + b];
        }
    jn_symmetric_pinv(nv, A, JN_IMPACT_RANK_REL, A, pinv);
    for (int a = 0; a < nv; a++)
        for (int i = 0; i < rows; i++) {
            Jp[a * rows + i] = 0;
            for (int b = 0; b < nv; b++) Jp[a * rows + i] += pinv[a * nv + b] * J[i * nv + b];
        }
    for (int a = 0; a < nv; a++)
        for (int i = 0; i < rows; i++) {
            MJ[a * rows + i] = 0;
            for (int b = 0; b < nv; b++) MJ[a * rows + i] += M[a * nv + b] * Jp[b * rows + i];
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double s = 0;
            for (int a = 0; a < nv; a++) s += Jp[a * rows + i] * MJ[a * rows + j];
            split[(size_t)i * (size_t)rows + (size_t)j] = s;
        }
}

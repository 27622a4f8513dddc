/* Eigenvalues of dense matrices (LAPACK). */
#include "base/memory.h"
#include "study/dense.h"
#include <jounce/base.h>
#include <lapacke.h>

int jn_eigen_symmetric(int n, double *A, double *value) {
    if (n == 0) return JN_OK;
    int size = 64 * (n + 2);
    double *work = jn_malloc((size_t)size * sizeof *work);
    if (!work) return JN_ERR_MEMORY;
    int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, A, n, value, work, size);
    jn_free(work);
    return info ? JN_ERR_NUMERIC : JN_OK;
}

int jn_eigen_general(int n, double *A, double *re, double *im, double *V) {
    if (n == 0) return JN_OK;
    int size = 64 * (n + 2);
    double *work = jn_malloc((size_t)size * sizeof *work), none = 0;
    if (!work) return JN_ERR_MEMORY;
    int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, re, im, &none, 1, V, n, work, size);
    jn_free(work);
    return info ? JN_ERR_NUMERIC : JN_OK;
}

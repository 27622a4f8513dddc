/* Dense linear algebra of the studies: what LAPACK does for them. Matrices are stored by columns. */
#ifndef JN_STUDY_DENSE_H
#define JN_STUDY_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* Range and null space of Y (n x cols). */
typedef struct jn_column_space {
    int n, cols, rank;
    double
        clear;  /* smallest pivot kept divided by the largest dropped: how sure the rank is; INFINITY if none dropped */
    double cut; /* a size between kept and dropped pivots */
    double
        largest; /* in: pivots count against this, or the first one if it is larger; 0 after jn_column_space_create */
    int known;   /* in: the rank, where it was found elsewhere; -1 after jn_column_space_create */
    double *Y;   /* (n x cols) in: the matrix with columns of size about 1; then its factor */
    double *Q;   /* (n x n) out, if wanted: the first `rank` columns span the range of Y, the others its complement */
    int *pivot;  /* (cols) */
    double *tau, *work;
    int work_size;
    void *memory;
} jn_column_space;

/* Memory for a matrix of this size; false if there is none. rank_lapack.c */
bool jn_column_space_create(jn_column_space *range, int n, int cols, bool want_Q);
void jn_column_space_free(jn_column_space *range);
/* Rank by QR with column pivoting and a look at the gap in the pivots. JN_OK or JN_ERR_NUMERIC. */
int jn_column_space_find(jn_column_space *range);

/* Least-squares solutions of A x = b (rows x n), the smallest where there are several. */
typedef struct jn_least {
    int rows, n;
    double *A;     /* (rows x n) in: the matrix; destroyed by the solution */
    double *b;     /* (max(rows, n)) in: the right-hand side; out: x */
    double *scale; /* (n) */
    double *work;
    int *pivot, work_size;
    bool
        as_is; /* smallest in the unknowns as they are; else columns are scaled to length 1 and the units do not matter */
    void *memory;
} jn_least;

/* rank_lapack.c */
bool jn_least_create(jn_least *least, int rows, int n);
void jn_least_free(jn_least *least);
int jn_least_solve(jn_least *least);

/* Eigenvalues (ascending) of the symmetric A (n x n); orthonormal eigenvectors take its place. modes_lapack.c */
int jn_eigen_symmetric(int n, double *A, double *value);
/* Eigenvalues and right eigenvectors V of A (n x n, destroyed); a complex pair has the real part of its vector in one
 * column and the imaginary part in the next. */
int jn_eigen_general(int n, double *A, double *re, double *im, double *V);

#endif

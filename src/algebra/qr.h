/* Rank-revealing complete orthogonal factorisation of a small dense matrix, for least-norm solutions.
 *
 * Y (n x cols, by columns): Householder QR with column pivoting, Y P = Q [R11 R12; 0 0], then [R11 R12] = [T 0] Z.
 * The rank is revealed without squaring the condition of Y. [Golub2013, 5.4-5.5]  O(n cols rank). No allocation. */
#ifndef JN_ALGEBRA_QR_H
#define JN_ALGEBRA_QR_H

#include <stdbool.h>

typedef struct jn_qr {
    int n, cols, rank;
    double *Y;    /* (n x cols) the matrix, then its factors */
    double *beta; /* (cols) scales of the reflections of Q */
    double *tz;   /* (cols) scales of the reflections of Z */
    int *pivot;   /* (cols) */
    double *x;    /* (cols) scratch */
    double weak;  /* pivots below this share of the first one count as nearly vanishing */
} jn_qr;

/* Columns smaller than tolerance times the largest count as dependent, except that the first `expected` are kept down to
 * round-off: the rank is then known and only the configuration nearly singular. False: not finite. */
bool jn_qr_factor(jn_qr *qr, double tolerance, int expected);
/* x = (Y^T Y)^+ b: least-norm solution, b and x (cols) may be the same. */
void jn_qr_solve_normal(const jn_qr *qr, const double *b, double *x);
/* Moves x (n) onto Y^T x = g by the shortest way, x += Y lambda, with lambda (cols) of least norm. Directions with a
 * weak pivot carry the noise of g, magnified: they are damped, or left alone if leave_weak. */
void jn_qr_meet(const jn_qr *qr, const double *g, bool leave_weak, double *x, double *lambda);
/* Q (rank x n): orthonormal vectors that span the columns of Y, one behind the other. O(n rank^2). */
void jn_qr_basis(const jn_qr *qr, double *Q);
double jn_qr_smallest(const jn_qr *qr); /* pivot against the first one; 1 if there is none */

#endif

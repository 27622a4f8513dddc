/* Ordering of a sparse symmetric matrix for little fill. */
#ifndef JN_MODEL_ORDER_H
#define JN_MODEL_ORDER_H

#include <jounce/base.h>

/* The pattern is given by columns (start (n+1), row; both triangles or one, diagonal allowed). Fills order (n): the
 * unknown to eliminate at each position. Returns JN_OK or JN_ERR_MEMORY. */
int jn_order_sparse(int n, const int *start, const int *row, int *order);
/* The same without a library; no entry twice. order_minimum_degree.c */
int jn_order_minimum_degree(int n, const int *start, const int *row, int *order);

#endif

/* Approximate minimum degree by SuiteSparse's AMD; a core-only build orders by minimum degree of its own. */
#include "model/order.h"

#ifdef JN_CORE_ONLY
int jn_order_sparse(int n, const int *start, const int *row, int *order) {
    return jn_order_minimum_degree(n, start, row, order);
}
#else
#include <amd.h>
int jn_order_sparse(int n, const int *start, const int *row, int *order) {
    int status = amd_order(n, start, row, order, NULL, NULL);
    return status == AMD_OK || status == AMD_OK_BUT_JUMBLED ? JN_OK : JN_ERR_MEMORY;
}
#endif

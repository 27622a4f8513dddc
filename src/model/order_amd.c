/* Approximate minimum degree by SuiteSparse's AMD. A core-only build keeps the natural order. */
#include "model/order.h"

#ifdef JN_CORE_ONLY
int jn_order_sparse(int n, const int *start, const int *row, int *order) {
    (void)start, (void)row;
    for (int i = 0; i < n; i++) order[i] = i;
    return JN_OK;
}
#else
#include <amd.h>
int jn_order_sparse(int n, const int *start, const int *row, int *order) {
    int status = amd_order(n, start, row, order, NULL, NULL);
    return status == AMD_OK || status == AMD_OK_BUT_JUMBLED ? JN_OK : JN_ERR_MEMORY;
}
#endif

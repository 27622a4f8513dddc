/* The pattern of the sparse matrix is built here for models that the library leaves to the dense solver. */
#define jn_build_kkt_pattern bench_build_kkt_pattern
#include "model/kkt_pattern.c"
#undef jn_build_kkt_pattern
#include "force_kkt.h"

int bench_force_kkt(jn_model *m, bool sparse) {
    int status = JN_OK;
    if (sparse && m->kkt.n == 0) {
        jn_builder b = {.m = m, .store = m->store, .temp = jn_store_create()};
        status = b.temp ? build(&b) : JN_ERR_MEMORY;
        jn_store_free(b.temp);
    }
    m->sparse_kkt = sparse;
    return status;
}

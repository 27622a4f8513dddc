/* Contact problems in FCLIB's HDF5 files: read, and solved by some iterations. */
#include "fuzz.h"
#include <stdlib.h>

enum { MOST = 100 }; /* contacts */

static void solve(const jn_problem *problem) {
    jn_solve_settings settings = jn_solve_default();
    jn_solve_result result;
    settings.iterations = 20;
    size_t room = (jn_solve_scratch(problem, NULL) + 127) / 64 * 64;
    void *scratch = aligned_alloc(64, room);
    double *p = calloc((size_t)(problem->dimension * problem->contacts) + 1, sizeof *p);
    if (p && scratch) jn_solve(problem, NULL, &settings, scratch, p, &result);
    free(scratch);
    free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static jn_report report;
    jn_fclib *file = NULL;
    jn_report_clear(&report);
    int status = jn_fclib_read(fuzz_file("problem.hdf5", data, size), &report, &file);
    if (status < 0 && report.errors == 0) fuzz_fail("a file that is not read, and no message");
    if (status >= 0 && file->problem && file->problem->contacts <= MOST) solve(file->problem);
    jn_fclib_free(file);
    return 0;
}

/* Runs of model files of the repository. */
#ifndef JN_TESTS_FILE_RUN_H
#define JN_TESTS_FILE_RUN_H

#include "check.h"
#include <jounce/jounce.h>

/* Runs models/FILE with settings; it comes without errors to a result. *model must be freed after the result. */
static inline jn_result *file_run(const char *file, const jn_setting *settings, int count, jn_model **model) {
    char path[512];
    jn_report report;
    jn_report_clear(&report);
    snprintf(path, sizeof path, "%s/models/%s", JN_SOURCE_DIR, file);
    jn_description *d = jn_description_read(path, settings, count, &report);
    check_report(&report);
    *model = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    jn_result *r = jn_run(*model, NULL, NULL, NULL, &report);
    check_report(&report);
    assert_non_null(r);
    return r;
}

#endif

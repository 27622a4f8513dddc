/* Studies from a text, for tests: opened, done without files, and freed. */
#ifndef JN_TEST_STUDY_RUN_H
#define JN_TEST_STUDY_RUN_H

#include "command.h"
#include "workflow/study/study.h"

static inline jn_study *study_open(const char *text) {
    jn_report report = {0};
    save("study.yaml", text);
    jn_study *s = jn_study_open("study.yaml", NULL, 0, &report);
    check_report(&report);
    assert_non_null(s);
    return s;
}

/* All runs, none of which may fail. */
static inline jn_study *study_run(const char *text) {
    jn_report report = {0};
    jn_study *s = study_open(text);
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 2}, &report), JN_OK);
    for (long r = 0; r < s->rows; r++)
        if (s->row[r].state == JN_ROW_FAILED) fail_msg("run %ld: %s", r, s->row[r].message);
    return s;
}

static inline int study_column(const jn_study *s, const char *name) {
    for (int c = 0; c < jn_study_columns(s); c++)
        if (!strcmp(jn_study_column_name(s, c), name)) return c;
    fail_msg("the study has no column %s", name);
    return -1;
}

#endif

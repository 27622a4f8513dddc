/* Assertions that say the numbers. */
#ifndef JN_TESTS_CHECK_H
#define JN_TESTS_CHECK_H

#include <jounce/base.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static inline void check_near(double found, double expected, double tolerance, const char *what, const char *file,
                              int line) {
    if (fabs(found - expected) <= tolerance) return;
    print_error("%s = %.17g, expected %.17g, off by %.3g, allowed %.3g\n", what, found, expected, found - expected,
                tolerance);
    _fail(file, line);
}
static inline void check_below(double found, double limit, const char *what, const char *file, int line) {
    if (found <= limit) return;
    print_error("%s = %.6g, allowed %.6g\n", what, found, limit);
    _fail(file, line);
}
#define assert_near(found, expected, tolerance) check_near((found), (expected), (tolerance), #found, __FILE__, __LINE__)
#define assert_below(found, limit) check_below((found), (limit), #found, __FILE__, __LINE__)

/* No errors in a report; prints them otherwise. */
static inline void check_report_(const jn_report *report, const char *file, int line) {
    for (int i = 0; i < report->count; i++) {
        char text[1400];
        jn_error_format(&report->item[i], text, sizeof text);
        if (report->item[i].severity == JN_SEVERITY_ERROR) print_error("%s\n", text);
    }
    if (report->errors) _fail(file, line);
}
#define check_report(report) check_report_((report), __FILE__, __LINE__)

#endif

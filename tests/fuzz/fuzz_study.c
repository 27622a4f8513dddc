/* Study files over a small model: read, and where there are few runs, done. */
#include "fuzz.h"
#include <string.h>

enum { MOST_RUNS = 4 };

static const char model[] =
    "parameters: {e: 0.5, drop: 1}\nplane: xy\n"
    "bodies: {ground: {shape: {type: half_plane}}, ball: {mass: 1, inertia: 0.1, com: [0, drop], "
    "shape: {type: circle, radius: 0.1, at: [0, drop]}}}\n"
    "contacts: {c: {between: [ground, ball], restitution: e}}\nrun: {until: 20 ms, step: 1 ms, method: nonsmooth}\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static jn_report report;
    static bool prepared;
    if (!prepared) fuzz_file("ball.yaml", model, strlen(model)), prepared = true;
    jn_report_clear(&report);
    jn_study *s = jn_study_open(fuzz_file("study.yaml", data, size), NULL, 0, &report);
    if (!s) {
        if (report.errors == 0) fuzz_fail("no study, and no message");
        return 0;
    }
    for (int i = 0; i < jn_study_columns(s); i++)
        if (!jn_study_column_name(s, i) || !jn_study_column_unit(s, i)) fuzz_fail("a column without a name or a unit");
    jn_report_clear(&report);
    if (jn_study_rows(s) <= MOST_RUNS && jn_study_perform(s, &(jn_study_options){.threads = 1}, &report) < 0 &&
        report.errors == 0)
        fuzz_fail("a study that failed without a message");
    jn_study_free(s);
    return 0;
}

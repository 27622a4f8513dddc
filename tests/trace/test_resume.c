/* Runs that are stopped and go on: all their files have the bits of a run without interruption, but for wall times. */
#include "check.h"
#include "golden.h"
#include "same_files.h"
#include <jounce/jounce.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static jn_model *model_of(const char *text) {
    golden_row row = {0};
    snprintf(row.text, sizeof row.text, "%s", text);
    jn_model *m = golden_model(JN_SOURCE_DIR, &row);
    assert_non_null(m);
    return m;
}

/* Stops a run after a number of questions. */
static bool ask(void *context, double time, double fraction) {
    (void)time, (void)fraction;
    return --*(int *)context > 0;
}

/* In one go, and in pieces that grow. */
static void goes_on(const char *name, double checkpoint) {
    jn_report report = {0};
    jn_model *m = model_of(name);
    assert_int_equal(system("rm -rf resume_through resume_parts"), 0);
    int asked = INT_MAX;
    jn_run_options options = {.folder = "resume_through", .checkpoint = checkpoint, .progress = ask, .context = &asked};
    jn_result *through = jn_run_with(m, &options, &report), *parts = NULL;
    assert_non_null(through);
    options.folder = "resume_parts";
    int pieces = 0, left;
    for (int status = JN_STOPPED; status == JN_STOPPED; pieces++) {
        left = ((INT_MAX - asked) / 8 + 2) * (pieces + 1), options.context = &left;
        jn_result_free(parts);
        parts = jn_run_with(m, &options, &report);
        if (!parts) fail_msg("%s: %s", name, report.item[report.count - 1].text);
        status = parts->status;
        assert_true(parts->resumable == (status == JN_STOPPED));
        options.resume = true;
    }
    assert_true(pieces > 2);
    if (parts->state_hash != through->state_hash) fail_msg("%s ends with other bits after %d pieces", name, pieces);
    if (parts->rows != through->rows) fail_msg("%s: %ld rows, not %ld", name, parts->rows, through->rows);
    assert_true(parts->event_count == through->event_count && parts->status == through->status);
    size_t bytes = (size_t)through->rows * (size_t)(through->channels + 1) * sizeof(double);
    assert_memory_equal(parts->data, through->data, bytes);
    assert_true(parts->impact_count == through->impact_count && parts->impacts_kept == through->impacts_kept);
    char difference[600];
    if (!same_folders("resume_through", "resume_parts", difference, sizeof difference))
        fail_msg("%s: other files after %d pieces: %s", name, pieces, difference);
    assert_string_equal(parts->audit.verdict, through->audit.verdict);
    assert_null(fopen("resume_parts/checkpoint.bin", "rb")); /* a run that has ended leaves none */
    jn_result_free(through), jn_result_free(parts);
    jn_model_free(m);
}

static void every_method_goes_on(void **state) {
    (void)state;
    goes_on("models/examples/pendulum.yaml", 0);
    goes_on("models/examples/double_pendulum.yaml | run.until=2 s", 0);
    goes_on("models/rodrigues2024/four_bar.yaml | run.until=0.5 s", 0);
    goes_on("models/clearance/journal_bearing.yaml", 0);
    goes_on("models/flores_ambrosio/quick_return.yaml | run.until=20 ms", 0);
    goes_on("models/outside/box_stack.yaml | run.until=0.5 s", 0);
    goes_on("models/outside/box_stack.yaml | run.until=2 s", 0); /* asleep from 0.5 s on */
    goes_on("models/flores2010/slider_crank.yaml | run.until=50 ms", 0);
    goes_on("models/siconos/column_of_beads.yaml | run.until=0.2 s", 0);
    goes_on("models/rodriguez2014/cradle5.yaml", 0);
    goes_on("models/textbook/rimless_wheel.yaml | run.until=2 s", 0);
    goes_on("models/siconos/column_events.yaml | run.until=0.2 s", 0);
    goes_on("models/examples/double_pendulum.yaml | run.until=2 s | run.integrator=dopri45 | record.each_step=true", 0);
}

/* Multistep integrators write checkpoints at a few rows and go on from the last of them. */
static void multistep_runs_go_on(void **state) {
    (void)state;
    goes_on("models/examples/pendulum.yaml | run.integrator=adams", 1);
    goes_on("models/examples/double_pendulum.yaml | run.integrator=bdf | run.until=1 s", 1);
}

/* No checkpoint, one of another model, a damaged one: an error, and no result. */
static void other_checkpoints_are_refused(void **state) {
    (void)state;
    jn_report report = {0};
    jn_model *m = model_of("models/examples/pendulum.yaml"), *other = model_of("models/examples/door.yaml");
    int left = 100;
    jn_run_options options = {.folder = "resume_none", .progress = ask, .context = &left};
    jn_result *r = jn_run_with(m, &options, &report);
    assert_true(r && r->resumable);
    jn_result_free(r);
    options.resume = true;
    assert_null(jn_run_with(other, &options, &report));
    assert_int_equal(report.errors, 1);
    FILE *file = fopen("resume_none/checkpoint.bin", "r+b");
    assert_non_null(file);
    fseek(file, 300, SEEK_SET), fputc('?', file), fclose(file);
    assert_null(jn_run_with(m, &options, &report));
    assert_int_equal(report.errors, 2);
    remove("resume_none/checkpoint.bin");
    assert_null(jn_run_with(m, &options, &report));
    assert_int_equal(report.errors, 3);
    jn_model_free(m), jn_model_free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_goes_on), cmocka_unit_test(multistep_runs_go_on),
                                       cmocka_unit_test(other_checkpoints_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

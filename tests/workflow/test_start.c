/* run.start: FOLDER @ TIME. A run that begins where another was: to the bit from a whole simulation, else to the precision of the records; and what is refused. */
#include "check.h"
#include "golden.h"
#include "model/model_layout.h"
#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>

static jn_model *model_of(const char *text) {
    golden_row row = {0};
    snprintf(row.text, sizeof row.text, "%s", text);
    jn_model *m = golden_model(JN_SOURCE_DIR, &row);
    if (!m) fail_msg("%s cannot be read", text);
    return m;
}

static jn_result *run(const char *model, const char *more, const char *folder, const jn_run_options *options,
                      jn_report *report) {
    char text[400], line[200];
    snprintf(text, sizeof text, "%s%s%s", model, more[0] ? " | " : "", more);
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    assert_int_equal(system(line), 0);
    jn_model *m = model_of(text);
    jn_run_options own = options ? *options : (jn_run_options){0};
    own.folder = folder;
    jn_report_clear(report);
    jn_result *r = jn_run_with(m, &own, report);
    jn_model_free(m);
    return r;
}

static jn_result *good(const char *model, const char *more, const char *folder, const jn_run_options *options) {
    jn_report report = {0};
    jn_result *r = run(model, more, folder, options, &report);
    if (!r) fail_msg("%s %s: %s", model, more, report.item[report.count - 1].text);
    return r;
}

static bool ask(void *context, double time, double fraction) {
    (void)time, (void)fraction;
    return --*(int *)context > 0;
}

/* The rows of b are the last ones of a, to the bit, and so is the last state. */
static void same_end(const char *name, const jn_result *a, const jn_result *b) {
    size_t width = (size_t)a->channels + 1;
    assert_true(a->channels == b->channels && b->rows > 1 && b->rows < a->rows);
    for (long i = 1; i < b->rows; i++) { /* row 0 may lie between two of a */
        const double *x = a->data + (size_t)(a->rows - i) * width, *y = b->data + (size_t)(b->rows - i) * width;
        if (memcmp(x, y, width * sizeof *x)) fail_msg("%s: other bits at t = %.17g s", name, x[0]);
    }
    if (a->state_hash != b->state_hash) fail_msg("%s: another last state", name);
    assert_memory_equal(&a->ledger, &b->ledger, sizeof a->ledger);
    assert_string_equal(a->audit.verdict, b->audit.verdict);
}

/* Stopped somewhere, then begun from there in another folder. */
static void begins_at_checkpoint(const char *name) {
    char more[200];
    jn_result *through = good(name, "", "start_through", NULL);
    int left = (int)(through->rows / 3);
    jn_run_options options = {.progress = ask, .context = &left};
    jn_result *part = good(name, "", "start_part", &options);
    assert_true(part->status == JN_STOPPED && part->resumable);
    double t = part->time;
    snprintf(more, sizeof more, "run.start=start_part @ %.17g s", t);
    jn_result *rest = good(name, more, "start_rest", NULL);
    assert_non_null(strstr(rest->start, "to the bit"));
    assert_true(rest->data[0] == t);
    same_end(name, through, rest);
    jn_result_free(through), jn_result_free(part), jn_result_free(rest);
}

static void every_method_begins_at_a_checkpoint(void **state) {
    (void)state;
    begins_at_checkpoint("models/examples/double_pendulum.yaml | run.until=2 s");
    begins_at_checkpoint("models/rodrigues2024/four_bar.yaml | run.until=0.5 s");
    begins_at_checkpoint("models/clearance/journal_bearing.yaml");
    begins_at_checkpoint("models/outside/box_stack.yaml | run.until=0.5 s");
    begins_at_checkpoint("models/siconos/column_of_beads.yaml | run.until=0.2 s");
    begins_at_checkpoint("models/textbook/rimless_wheel.yaml | run.until=2 s");
}

/* A run to its end, another one from there on; steps of both end where rows do. */
static void the_end_is_a_start(void **state) {
    (void)state;
    const char *const models[] = {"models/examples/double_pendulum.yaml", "models/outside/box_stack.yaml",
                                  "models/siconos/column_events.yaml | record.every=1 ms"};
    for (int i = 0; i < 3; i++) {
        jn_result *through = good(models[i], "run.until=0.4 s", "start_through", NULL);
        jn_result *part = good(models[i], "run.until=0.2 s", "start_part", NULL);
        jn_result *rest = good(models[i], "run.start=start_part/ | run.until=0.4 s", "start_rest", NULL);
        assert_non_null(strstr(rest->start, "state.bin, to the bit"));
        assert_true(rest->data[0] == 0.2);
        same_end(models[i], through, rest);
        jn_result_free(through), jn_result_free(part), jn_result_free(rest);
    }
}

/* Largest difference of the bodies' places at the end. */
static double apart(const jn_result *a, const jn_result *b) {
    double most = 0;
    for (int i = 0; i < a->channels; i++) {
        const char *name = a->names[i], *dot = strrchr(name, '.');
        if (strncmp(name, "body.", 5) != 0 || !strchr("xyz", dot[1]) || dot[2]) continue;
        double x = jn_result_at(a, name, a->time), y = jn_result_at(b, name, a->time);
        most = fmax(most, fabs(x - y));
    }
    return most;
}

/* From rows, and between two of them; from single precision too. Chaotic motion is left to grow for a short time only. */
static void records_are_a_start(void **state) {
    (void)state;
    const struct {
        const char *model, *first, *rest;
        double within; /* [m] */
    } rows[] = {
        {"models/examples/double_pendulum.yaml", "run.until=2 s", "run.start=start_part @ 1.5 s | run.until=2 s",
         1e-13},
        {"models/examples/double_pendulum.yaml", "run.until=2 s", "run.start=start_part @ 1.5037 s | run.until=2 s",
         1e-7},
        {"models/examples/double_pendulum.yaml", "run.until=2 s | record.float32=true",
         "run.start=start_part @ 1.5 s | run.until=2 s", 1e-6},
        {"models/examples/double_pendulum.yaml", "run.until=2 s | coordinates=absolute",
         "run.start=start_part @ 1.5 s | run.until=2 s", 1e-9},
        {"models/iftomm/heavy_top.yaml", "run.until=0.2 s", "run.start=start_part @ 0.1 s | run.until=0.2 s", 1e-9},
        {"models/rodrigues2024/four_bar.yaml", "run.until=0.5 s", "run.start=start_part @ 0.25 s | run.until=0.5 s",
         1e-7},
        {"models/outside/box_stack.yaml", "run.until=0.5 s", "run.start=start_part @ 0.3 s | run.until=0.5 s", 1e-6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        jn_result *part = good(rows[i].model, rows[i].first, "start_part", NULL);
        jn_result *rest = good(rows[i].model, rows[i].rest, "start_rest", NULL);
        assert_non_null(strstr(rest->start, "positions and velocities"));
        if (!rest->audit.ok) fail_msg("%s %s: %s", rows[i].model, rows[i].rest, rest->audit.verdict);
        double off = apart(part, rest);
        if (!(off <= rows[i].within))
            fail_msg("%s %s: %.3g m from the run it goes on from", rows[i].model, rows[i].rest, off);
        jn_result_free(part), jn_result_free(rest);
    }
}

/* Other parameters: positions and velocities stay, the checkpoint of another motion is not taken. */
static void another_motion_begins_there(void **state) {
    (void)state;
    const char *model = "models/outside/box_stack.yaml";
    jn_result *part = good(model, "run.until=0.2 s", "start_part", NULL);
    jn_result *rest =
        good(model, "run.start=start_part/ | run.until=0.3 s | gravity=[0, 0, -1.62]", "start_rest", NULL);
    assert_non_null(strstr(rest->start, "positions and velocities"));
    for (int i = 0; i < part->channels; i++)
        if (!strncmp(part->names[i], "body.", 5) && strstr(part->names[i], ".z")) {
            double z = part->data[(size_t)(part->rows - 1) * (size_t)(part->channels + 1) + 1 + (size_t)i];
            assert_near(jn_result_at(rest, part->names[i], rest->data[0]), z, 1e-12);
        }
    jn_result_free(part), jn_result_free(rest);
}

static void refused(const char *model, const char *more, const char *folder, const char *text) {
    jn_report report = {0};
    jn_result *r = run(model, more, folder, NULL, &report);
    if (r || !strstr(report.item[report.count - 1].text, text))
        fail_msg("%s: %s", more, r ? "it runs" : report.item[report.count - 1].text);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    const char *model = "models/examples/double_pendulum.yaml";
    jn_result_free(good(model, "run.until=0.5 s", "start_part", NULL));
    refused(model, "run.start=nowhere @ 1 s", "start_rest", "there is no folder");
    refused(model, "run.start=start_part @ 0.7 s | run.until=1 s", "start_rest", "the start lies outside");
    refused(model, "run.start=start_part @ 0.4 s | run.until=0.3 s", "start_rest", "ends at 0.3 s");
    refused("models/examples/door.yaml", "run.start=start_part @ 0.4 s", "start_rest",
            "no positions and velocities of body");
    refused(model, "run.start=start_part/ | run.analysis=equilibrium", "start_rest", "only a dynamic run");
    /* into its own source */
    jn_report report = {0};
    jn_model *m = model_of("models/examples/double_pendulum.yaml | run.start=start_part @ 0.4 s | run.until=1 s");
    assert_null(jn_run_with(m, &(jn_run_options){.folder = "start_part"}, &report));
    assert_non_null(strstr(report.item[report.count - 1].text, "that it begins from"));
    jn_model_free(m);
    /* a file that only looks like a result */
    assert_int_equal(
        system("rm -rf start_bad; mkdir start_bad; echo no > start_bad/result.h5; mkfifo start_bad/state.bin"), 0);
    refused(model, "run.start=start_bad @ 0.1 s", "start_rest", "cannot be read");
}

static void what_is_written_wrongly_is_said(void **state) {
    (void)state;
    const char *const wrong[][2] = {{"out @ 5 kg", "a mass"},
                                    {"out @", "no time stands"},
                                    {"\"@ 1 s\"", "no folder stands"},
                                    {"out @ -1 s", "negative"},
                                    {"idael", "is not known here"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        jn_report report = {0};
        jn_setting setting = {"run.start", wrong[i][0]};
        jn_description *d = jn_description_read(JN_SOURCE_DIR "/models/examples/door.yaml", &setting, 1, &report);
        if (d || !strstr(report.item[0].text, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], d ? "read" : report.item[0].text);
    }
}

/* Parameters that only run.until names, titles and records do not count; what moves does. */
static void same_motions_have_one_hash(void **state) {
    (void)state;
    const char *const text = "models/flores2010/slider_crank.yaml";
    const struct {
        const char *more;
        bool same;
    } rows[] = {{"until=0.2 s", true},    {"run.until=1 s", true},   {"record.every=1 ms", true},
                {"title=other", true},    {"run.start=a @ 1", true}, {"clearance=2 mm", false},
                {"run.step=1 us", false}, {"restitution=0.3", false}};
    jn_model *m = model_of(text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[300];
        snprintf(line, sizeof line, "%s | %s", text, rows[i].more);
        jn_model *other = model_of(line);
        if ((other->motion_hash == m->motion_hash) != rows[i].same) fail_msg("%s", rows[i].more);
        assert_true(other->hash != m->hash);
        jn_model_free(other);
    }
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_begins_at_a_checkpoint),
                                       cmocka_unit_test(the_end_is_a_start),
                                       cmocka_unit_test(records_are_a_start),
                                       cmocka_unit_test(another_motion_begins_there),
                                       cmocka_unit_test(what_cannot_be_is_refused),
                                       cmocka_unit_test(what_is_written_wrongly_is_said),
                                       cmocka_unit_test(same_motions_have_one_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

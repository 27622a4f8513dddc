/* jounce plot and report: kinds of files, what they hold, and what they say about bad input. */
#include "command.h"
#include <stdlib.h>

static char file_text[400000];

static const char pendulum[] =
    "title: Pendulum\nplane: xy\nbodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
    "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\nrun: {until: 1 s}\n";

static int prepare(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("pendulum.yaml", pendulum);
    return jounce("run pendulum.yaml -o a --quiet") || jounce("run pendulum.yaml -o b --quiet --set gravity=[0,-3]");
}

static void test_kinds(void **state) {
    (void)state;
    assert_int_equal(jounce("plot a joint.pin.q -o f.svg"), 0);
    load("f.svg", file_text, sizeof file_text);
    assert_int_equal(count_of(file_text, "<svg xmlns"), 1);
    assert_int_equal(jounce("plot a joint.pin.q -o f.png"), 0);
    load("f.png", file_text, sizeof file_text);
    assert_memory_equal(file_text, "\x89PNG", 4);
    assert_int_equal(jounce("plot a joint.pin.q -o f.pdf"), 0);
    load("f.pdf", file_text, sizeof file_text);
    assert_memory_equal(file_text, "%PDF", 4);
}

/* Each curve has a colour of its own. */
static void test_runs_overlaid(void **state) {
    (void)state;
    assert_int_equal(jounce("plot a b joint.pin.q -o f.svg"), 0);
    load("f.svg", file_text, sizeof file_text);
    assert_int_equal(count_of(file_text, "class=\"c0\""), 2); /* curve and legend */
    assert_int_equal(count_of(file_text, "class=\"c1\""), 2);
    assert_int_equal(count_of(file_text, "class=\"c2\""), 0);
    assert_int_equal(jounce("plot a --xy joint.pin.q joint.pin.u --equal --title Portrait -o f.svg"), 0);
    assert_int_equal(jounce("plot a 'energy.*' --log --from 0.2 --to 0.5 --size 80x60 -o f.svg"), 0);
}

static void shows(const char *arguments, const char *text) {
    assert_int_equal(jounce(arguments), 0);
    load("f.svg", file_text, sizeof file_text);
    has(file_text, text);
}

/* A unit gets a prefix that keeps numbers short; who writes the label gets the numbers of the file. */
static void test_units(void **state) {
    (void)state;
    shows("plot a joint.pin.q --to 0.02 -o f.svg", ">time [ms]<");
    shows("plot a joint.pin.q --to 0.02 -o f.svg", ">20<");
    shows("plot a joint.pin.q --to 0.02 --xlabel 't [s]' -o f.svg", ">0.020<");
    shows("plot a --xy body.rod.x body.rod.y body.rod.vx body.rod.vy -o f.svg", ">body.rod<");
}

static void complains(const char *arguments, const char *part) {
    assert_int_equal(jounce(arguments), 2);
    has(err, part);
}

static void test_bad_input(void **state) {
    (void)state;
    complains("plot a joint.pin.qq -o f.svg", "joint.pin.q");
    complains("plot a joint.pin.q", "-o");
    complains("plot a joint.pin.q -o f.gif", ".svg, .png or .pdf");
    complains("plot a -o f.svg", "no channel");
    complains("plot joint.pin.q -o f.svg", "no folder");
    complains("plot nowhere joint.pin.q -o f.svg", "no such folder");
    complains("plot a --xy joint.pin.q -o f.svg", "two channels");
    complains("plot a --xy joint.pin.q joint.pin.u time -o f.svg", "two channels");
    complains("plot a joint.pin.q --size 1x1 -o f.svg", "--size 140x90");
    complains("plot a joint.pin.q --from soon -o f.svg", "seconds");
    complains("view nowhere --no-open", "");
    complains("view a --port 99999 --no-open", "");
    complains("view a --host 0.0.0.0 --no-open", "");
    complains("report nowhere -o r.html", "");
}

/* Files of results that somebody changed: a message, never a crash. */
static void test_damaged_results(void **state) {
    (void)state;
    assert_int_equal(system("cp -r a c && head -c 3000 a/result.h5 >c/result.h5 && cp -r a d && rm d/result.h5 && "
                            "head -c 40 /dev/urandom >d/live.bin && cp -r a e && rm e/result.h5 && "
                            "printf 'JNLIVE1\\n\\377\\377\\377\\000\\020\\000\\000\\000' >e/live.bin"),
                     0);
    complains("plot c joint.pin.q -o f.svg", "c");
    complains("plot d joint.pin.q -o f.svg", "d");
    complains("plot e joint.pin.q -o f.svg", "e");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kinds), cmocka_unit_test(test_runs_overlaid),
                                       cmocka_unit_test(test_units), cmocka_unit_test(test_bad_input),
                                       cmocka_unit_test(test_damaged_results)};
    return cmocka_run_group_tests(tests, prepare, command_teardown);
}

/* jounce compare: one contact gives the same by all methods, several do not, in the way the page docs/cli.md says. */
#include "command.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char table[20000];

/* jounce compare; its table goes to `table`. Models are those of the source folder. Exit status. */
static int compare(const char *arguments) {
    char line[1024];
    snprintf(line, sizeof line, "compare %s -o results --quiet", arguments);
    int status = jounce(line);
    table[0] = 0;
    if (!access("results/compare.csv", R_OK)) load("results/compare.csv", table, sizeof table);
    remove("results/compare.csv");
    return status;
}

/* Column of a run, counted from 0 behind its name. */
static double value(const char *by, int column) {
    char start[96];
    snprintf(start, sizeof start, "\n%s,", by);
    const char *row = strstr(table, start);
    if (!row) fail_msg("no run '%s' in\n%s", by, table);
    row += strlen(start);
    for (int i = 0; i < column; i++) row = strchr(row, ',') + 1;
    return strtod(row, NULL);
}

static int prepare(void **state) {
    (void)state;
    return command_enter() || symlink(JN_SOURCE_DIR "/models", "models");
}

enum { FIRST_IMPACT = 2, LOST = 3, FIRST_VALUE = 8 };
static const char *const rigid[] = {"impact newton",     "impact poisson", "impact stronge",     "impact simultaneous",
                                    "impact sequential", "impact moreau",  "impact poisson_lcp", "impact lzb"};

static void test_one_contact_agrees(void **state) {
    (void)state;
    assert_int_equal(compare("models/outside/zeno_ball.yaml body.ball.vz --set run.until=1"), 0);
    double v = value("impact newton", FIRST_VALUE);
    assert_near(v, 0.9 * 9.81 * 0.451523640986 - 9.81 * (1 - 0.451523640986), 1e-9);
    for (size_t i = 0; i < sizeof rigid / sizeof *rigid; i++) {
        assert_near(value(rigid[i], FIRST_IMPACT), 0.451523640986, 1e-10);
        assert_near(value(rigid[i], FIRST_VALUE), v, i == 7 ? 1e-5 : 1e-9);
    }
    assert_near(value("nonsmooth moreau_jean", FIRST_VALUE), v, 2e-3);
    assert_near(value("compliant", FIRST_IMPACT), 0.451523640986, 1e-9);
    assert_near(value("compliant", FIRST_VALUE), v, 0.05);
}

/* The last ball alone, or two of three together; energy is kept by all. */
static void test_cradle_differs(void **state) {
    (void)state;
    assert_int_equal(compare("models/rodriguez2014/cradle3.yaml body.ball1.vx body.ball3.vx --set run.until=0.1109"),
                     0);
    static const char *const in_turn[] = {"impact newton", "impact poisson", "impact stronge", "impact simultaneous",
                                          "impact sequential"};
    for (int i = 0; i < 5; i++) {
        assert_near(value(in_turn[i], FIRST_VALUE), 0, 1e-3);
        assert_near(value(in_turn[i], FIRST_VALUE + 1), 1.304, 1e-3);
    }
    static const char *const at_once[] = {"impact moreau", "impact poisson_lcp"};
    for (int i = 0; i < 2; i++) {
        assert_near(value(at_once[i], FIRST_VALUE), -1.304 / 3, 1e-3);
        assert_near(value(at_once[i], FIRST_VALUE + 1), 2 * 1.304 / 3, 1e-3);
    }
    for (size_t i = 0; i < sizeof rigid / sizeof *rigid; i++) assert_near(value(rigid[i], LOST), 0, 1e-8);
    double first = value("impact lzb", FIRST_VALUE);
    assert_true(first < -0.01 && first > -1.304 / 3);
}

static void test_block_differs(void **state) {
    (void)state;
    assert_int_equal(compare("models/rodriguez2014/rocking_block.yaml body.block.w --set e=0.5"), 0);
    assert_near(value("impact moreau", FIRST_VALUE), value("impact poisson_lcp", FIRST_VALUE), 1e-9);
    assert_near(value("impact moreau", FIRST_VALUE), 0.5 * 1 / 0.1087, 1e-6);
    assert_near(value("impact sequential", FIRST_VALUE), value("impact newton", FIRST_VALUE), 1e-9);
    assert_true(value("impact newton", FIRST_VALUE) < 0);
}

/* Options of robots' files hold for every run: here the floor under a ball. */
static void test_robot(void **state) {
    (void)state;
    FILE *file = fopen("ball.urdf", "w");
    assert_non_null(file);
    fputs("<robot name='ball'><link name='b'><inertial><mass value='1'/><inertia ixx='0.004' iyy='0.004' izz='0.004'/>"
          "</inertial><collision><geometry><sphere radius='0.1'/></geometry></collision></link></robot>",
          file);
    fclose(file);
    assert_int_equal(compare("ball.urdf body.b.z --floor-height -0.6 --method nonsmooth --set run.until=1"), 0);
    assert_near(value("nonsmooth moreau_jean", FIRST_IMPACT), sqrt(2 * 0.5 / 9.81), 2e-3);
    assert_near(value("nonsmooth moreau_jean", FIRST_VALUE), -0.5, 3.2e-3); /* sinks in by up to v h in the step of its impact */
    assert_near(value("nonsmooth momentum_leapfrog", FIRST_IMPACT), sqrt(2 * 0.5 / 9.81), 1e-3);
    assert_near(value("nonsmooth momentum_leapfrog", FIRST_VALUE), -0.5, 1e-9);
}

static void test_bad_input(void **state) {
    (void)state;
    assert_int_equal(compare("models/no_such_model.yaml"), 2);
    assert_int_equal(compare("models/outside/zeno_ball.yaml --method smooth"), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_contact_agrees), cmocka_unit_test(test_cradle_differs),
        cmocka_unit_test(test_block_differs),      cmocka_unit_test(test_robot),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, prepare, command_teardown);
}

/* The real command: exit status, files, messages, Ctrl-C. */
#include "command.h"
#include "json_reader.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char pendulum[] =
    "title: Pendulum\nplane: xy\nparameters:\n  l: 1 m\n  damping: 0.1\n"
    "bodies:\n  rod: {mass: 1, inertia: 1/12, com: [l/2, 0]}\n"
    "joints:\n  pin: {type: revolute, between: [ground, rod], at: [0, 0], damping: damping}\n"
    "run: {until: 1 s, integrator: rk4, step: 1 ms}\n"
    "expect:\n  - {channel: joint.pin.q, time: 0.5 s, value: -1.67, within: 0.1}\n";

static int prepare(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("pendulum.yaml", pendulum);
    save("door.yaml", command_door);
    return 0;
}

static void same_files(const char *one, const char *other) {
    static char first[400000], second[400000];
    load(one, first, sizeof first);
    load(other, second, sizeof second);
    assert_string_equal(first, second);
}

/* ------------------------------------------------------------------------------------------------------- arguments */

static void test_help_and_version(void **state) {
    static const char *const commands[] = {"run",  "view",   "watch",   "report", "plot",  "check",
                                           "eval", "verify", "convert", "laws",   "solve", "schema"};
    char line[64];
    (void)state;
    assert_int_equal(jounce("--help"), 0);
    has(out, "exit status");
    assert_int_equal(jounce("--version"), 0);
    assert_string_equal(out, "jounce " JN_VERSION "\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(line, sizeof line, "%s --help", commands[i]);
        assert_int_equal(jounce(line), 0);
        has(out, "usage: jounce ");
        snprintf(line, sizeof line, "%s --version", commands[i]);
        assert_int_equal(jounce(line), 0);
        assert_string_equal(out, "jounce " JN_VERSION "\n");
    }
}

static void test_wrong_commands(void **state) {
    static const struct {
        const char *arguments, *says, *hint;
    } rows[] = {
        {"", "", ""},
        {"rnu x.yaml", "no command 'rnu'", "write 'jounce run'"},
        {"run", "needs a file", "jounce run FILE"},
        {"run pendulum.yaml --quite", "no option '--quite'", "write '--quiet'"},
        {"run pendulum.yaml extra", "'extra'", "jounce run FILE"},
        {"run pendulum.yaml --set damping", "sets nothing", "--set NAME=VALUE"},
        {"run pendulum.yaml --set dampning=1", "no parameter 'dampning'", "write 'damping'"},
        {"run pendulum.yaml --set run.stepp=1", "unknown key 'stepp'", "write 'step'"},
        {"run pendulum.yaml --method nonsmoth", "nonsmoth", "nonsmooth"},
        {"run pendulum.yaml -o", "needs a value", ""},
        {"run none.yaml", "cannot be opened", ""},
        {"run pendulum.yaml -o pendulum.yaml", "not a folder", "-o"},
        {"check none.yaml", "cannot be opened", ""},
        {"eval pendulum.yaml --state none.json", "cannot be read", ""},
        {"verify none", "cannot be opened", ""},
        {"convert pendulum.yaml", "needs a file to write", "-o"},
        {"convert pendulum.yaml -o x.txt", "which format", ".json"},
        {"laws jionts", "no section", "write 'joints'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status = jounce(rows[i].arguments);
        if (status != 2) fail_msg("jounce %s: exit status %d", rows[i].arguments, status);
        has(err, rows[i].says);
        has(err, rows[i].hint);
    }
}

static void test_message_points_at_the_place(void **state) {
    (void)state;
    save("wrong.yaml", "bodies:\n  rod: {masss: 1}\nrun: {until: 1 s}\n");
    assert_int_equal(jounce("run wrong.yaml"), 2);
    has(err, "wrong.yaml:2:9: error: ");
    has(err, "     2 |   rod: {masss: 1}\n       |         ^\n");
    has(err, "  hint: ");
    assert_string_equal(out, "");
}

/* ------------------------------------------------------------------------------------------------------------- run */

static void test_run(void **state) {
    static char csv[400000];
    (void)state;
    assert_int_equal(jounce("run pendulum.yaml"), 0);
    has(out, "Pendulum");
    has(out, "kinetic");
    has(out, "residual");
    has(out, "1 of 1 met");
    has(out, "good");
    has(out, "out/pendulum/");
    assert_null(strchr(out, '\033')); /* no colours and no bar in a pipe */
    assert_string_equal(err, "");
    json *s = json_read("out/pendulum/summary.json");
    assert_non_null(s);
    assert_int_equal(json_number(json_get(s, "ok"), 0), 1);
    assert_int_equal(json_number(json_get(s, "steps"), 0), 1000);
    json_free(s);
    load("out/pendulum/series.csv", csv, sizeof csv);
    assert_int_equal(strncmp(csv, "time,body.rod.x,", 16), 0);
    assert_int_equal(access("out/pendulum/events.csv", R_OK) | access("out/pendulum/result.h5", R_OK), 0);
}

static void test_run_options(void **state) {
    (void)state;
    assert_int_equal(jounce("run pendulum.yaml -o here --set damping=0 --set run.until=0.2 --quiet --set expect=[]"),
                     0);
    assert_string_equal(out, "");
    json *s = json_read("here/summary.json");
    assert_near(json_number(json_get(s, "time"), 0), 0.2, 0);
    assert_near(json_number(json_get(json_get(json_get(s, "audit"), "energy"), "dissipated"), 1), 0, 0);
    json_free(s);
    assert_int_equal(jounce("run --method impact pendulum.yaml -othere"), 0);
    s = json_read("there/summary.json");
    assert_string_equal(json_text(json_get(s, "method"), ""), "impact");
    json_free(s);
}

/* The head names what runs: stops and dry friction make a run nonsmooth without any shape, and without them it is smooth. */
static void test_head_of_a_nonsmooth_run(void **state) {
    (void)state;
    static const char *const coordinate[] = {"lower: -0.2, upper: 0.2", "friction: 1", "damping: 1"};
    for (int k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "plane: xy\nbodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
                 "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0], %s}}\n"
                 "run: {method: nonsmooth, step: 1 ms, until: 0.1}\n",
                 coordinate[k]);
        save("arm.yaml", text);
        assert_int_equal(jounce("run arm.yaml"), 0);
        has(out, k < 2 ? "dynamic, nonsmooth by momentum_leapfrog with step 0.001 s" : "dynamic, auto to 1e-08");
    }
}

static void test_failures_are_reported(void **state) {
    (void)state;
    assert_int_equal(jounce("run pendulum.yaml --set 'expect[0].value=5'"), 1);
    has(out, "0 of 1 met");
    has(out, "BAD");
    assert_int_equal(jounce("run pendulum.yaml --set run.integrator=euler --set run.step=0.2 --set expect=[]"), 1);
    has(out, "energy is not balanced");
    json *s = json_read("out/pendulum/summary.json");
    assert_int_equal(json_number(json_get(s, "ok"), 1), 0);
    json_free(s);
}

static void test_same_bits(void **state) {
    (void)state;
    assert_int_equal(jounce("run pendulum.yaml -o one"), 0);
    assert_int_equal(jounce("run pendulum.yaml -o two"), 0);
    same_files("one/series.csv", "two/series.csv");
}

static void test_interrupt(void **state) {
    int status;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(JN_CLI, JN_CLI, "run", "pendulum.yaml", "-o", "stopped", "--quiet", "--set", "run.until=1e6", "--set",
              "record.every=100", (char *)NULL);
        _exit(99);
    }
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    json *s = json_read("stopped/summary.json");
    assert_non_null(s);
    assert_string_equal(json_text(json_get(s, "status"), ""), "stopped");
    double time = json_number(json_get(s, "time"), 0);
    assert_true(time > 0 && time < 1e6);
    json_free(s);
    assert_int_equal(
        access("stopped/series.csv", R_OK) | access("stopped/events.csv", R_OK) | access("stopped/result.h5", R_OK), 0);
}

/* A run that was stopped by SIGTERM goes on to the end that it has without interruption. */
static void test_resume(void **state) {
    int status;
    (void)state;
    assert_int_equal(jounce("run pendulum.yaml -o through --quiet --set run.until=2e4 --set record.every=10"), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(JN_CLI, JN_CLI, "run", "pendulum.yaml", "-o", "resumed", "--quiet", "--set", "run.until=2e4", "--set",
              "record.every=10", (char *)NULL);
        _exit(99);
    }
    for (int k = 0; k < 2000 && access("resumed/scene.json", R_OK); k++) /* until it has begun */
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    kill(child, SIGTERM);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status)); /* stopped, or at its end on a fast machine */
    if (WEXITSTATUS(status) == 1) assert_int_equal(jounce("resume resumed/"), 0);
    same_files("through/series.csv", "resumed/series.csv");
    assert_int_equal(jounce("resume resumed"), 2);
    has(err, "there is no checkpoint");
    assert_int_equal(jounce("run pendulum.yaml -o bad --checkpoint soon"), 2);
    has(err, "--checkpoint 60s");
}

/* Energy that Newton's law gains is exit status 1 of a run, however well the account is balanced with it; verify takes it from a file that
 * states it. */
static void test_gain(void **state) {
    (void)state;
    assert_int_equal(jounce("run " JN_SOURCE_DIR "/models/outside/kane_pendulum.yaml -o kane"), 1);
    has(out, "BAD  the impact law gained 0.04");
    has(out, "Newton's restitution with friction, last at contact 'tip'");
    json *s = json_read("kane/summary.json");
    const json *audit = json_get(s, "audit");
    assert_near(json_number(json_get(audit, "contact_gain"), 0), 0.048947, 2e-5);
    assert_below(json_number(json_get(audit, "energy_residual"), 1), 1e-10);
    json_free(s);
    assert_int_equal(jounce("run " JN_SOURCE_DIR "/models/outside/kane_pendulum.yaml -o kane --set law=poisson"), 0);
    assert_int_equal(jounce("verify " JN_SOURCE_DIR "/models/outside/kane_pendulum.yaml"), 0);
}

/* ---------------------------------------------------------------------------------------------------------- others */

static void test_eval(void **state) {
    (void)state;
    save("state.json", "{\"joints\": {\"pin\": {\"q\": [0.5], \"u\": 2}}, \"tau\": [3], \"a\": [[1]]}");
    assert_int_equal(jounce("eval pendulum.yaml --state state.json"), 0);
    json *e = json_read("stdout.txt");
    assert_non_null(e);
    double M = json_number(json_at(json_at(json_get(e, "M"), 0), 0), 0), h = -0.5 * 9.81 * cos(0.5) - 0.1 * 2 + 3;
    assert_near(M, 1.0 / 3, 1e-15);
    assert_near(json_number(json_at(json_get(e, "h"), 0), 0), h, 1e-14);
    assert_near(json_number(json_at(json_get(e, "accelerations"), 0), 0), 3 * h, 1e-13);
    assert_near(json_number(json_at(json_get(e, "inverse"), 0), 0), 1.0 / 3 - h, 1e-14);
    const json *rod = json_get(json_get(e, "bodies"), "rod");
    assert_near(json_number(json_get(rod, "angle"), 0), 0.5, 1e-15);
    assert_near(json_number(json_get(rod, "angular_acceleration"), 0), 3 * h, 1e-13);
    json_free(e);
    assert_int_equal(jounce("eval pendulum.yaml --set coordinates=absolute --state state.json"),
                     2); /* tau has another length */
    has(err, "tau has 1 number, the model needs 3");
    save("state.json", "{\"bodies\": {\"rod\": {\"position\": [0, -0.5], \"angle\": -1.5707963267948966, \"velocity\": "
                       "[1, 0], \"angular_velocity\": 2}}}");
    assert_int_equal(jounce("eval pendulum.yaml --state - <state.json"), 0);
    e = json_read("stdout.txt");
    assert_near(json_number(json_at(json_get(json_get(json_get(e, "joints"), "pin"), "u"), 0), 0), 2, 1e-14);
    assert_near(
        json_number(json_at(json_get(json_get(json_get(json_get(e, "joints"), "pin"), "reaction"), "force"), 1), 0),
        9.81 + 2, 1e-13);
    json_free(e);
    save("state.json", "{\"q\": [0.1, 0.2]}");
    assert_int_equal(jounce("eval pendulum.yaml --state state.json"), 2);
    has(err, "state.json:1:7: error: q has 2 numbers, the model needs 1");
    save("state.json", "{\"joint\": {}}");
    assert_int_equal(jounce("eval pendulum.yaml --state state.json"), 2);
    has(err, "write 'joints'");
}

/* The end of a run is a state: the object "final" of a summary as a file of its own. */
static void save_final(const char *summary, const char *name) {
    static char text[100000];
    load(summary, text, sizeof text);
    char *start = strstr(text, "\"final\": "), *end;
    assert_non_null(start);
    end = strstr(start, "\n  }");
    assert_non_null(end);
    end[4] = 0;
    save(name, start + strlen("\"final\": "));
}

/* A pendulum of 1 kg and 1 m: gravity, momentum, Jacobian, derivatives and the holding torque in closed form; contact forces. */
static void test_eval_for_control(void **state) {
    (void)state;
    save("state.json",
         "{\"joints\": {\"pin\": {\"q\": [0.5], \"u\": 2}}, \"derivatives\": true, \"actuated\": {\"pin\": 2}}");
    assert_int_equal(jounce("eval pendulum.yaml --state state.json"), 0);
    json *e = json_read("stdout.txt");
    double g = -0.5 * 9.81 * cos(0.5);
    assert_near(json_number(json_at(json_get(e, "gravity"), 0), NAN), g, 1e-14);
    assert_near(json_number(json_at(json_get(e, "coriolis"), 0), NAN), 0, 1e-14);
    assert_near(json_number(json_get(json_get(e, "momentum"), "mass"), NAN), 1, 0);
    assert_near(json_number(json_at(json_get(json_get(e, "momentum"), "linear"), 1), NAN), 2 * 0.5 * cos(0.5), 1e-14);
    const json *d = json_get(e, "derivatives");
    assert_near(json_number(json_at(json_at(json_get(d, "tau_q"), 0), 0), NAN), -0.5 * 9.81 * sin(0.5), 1e-13);
    assert_near(json_number(json_at(json_at(json_get(d, "a_tau"), 0), 0), NAN), 3, 1e-13);
    const json *actuation = json_get(e, "actuation"); /* the damper acts too: 0.1 N m s */
    assert_near(json_number(json_at(json_get(actuation, "tau"), 0), NAN), -g + 0.2, 1e-13);
    assert_near(json_number(json_get(actuation, "unbalanced"), NAN), 0, 1e-13);
    json_free(e);
    save("state.json", "{\"joints\": {\"pin\": {\"q\": [0.5], \"u\": 2}}}"); /* with the damper of 0.1 N m s */
    assert_int_equal(jounce("eval pendulum.yaml --state state.json --linearise"), 0);
    e = json_read("stdout.txt");
    const json *l = json_get(e, "linearisation"), *A = json_get(l, "A"), *B = json_get(l, "B");
    assert_near(json_number(json_at(json_at(A, 0), 1), NAN), 1, 0);
    assert_near(json_number(json_at(json_at(A, 1), 0), NAN), 3 * 0.5 * 9.81 * sin(0.5), 1e-13);
    assert_near(json_number(json_at(json_at(A, 1), 1), NAN), -3 * 0.1, 1e-13);
    assert_near(json_number(json_at(json_at(B, 1), 0), NAN), 3, 1e-13);
    assert_string_equal(json_text(json_at(json_get(l, "independent"), 0), ""), "joint.pin.u");
    json_free(e);
    save("state.json", "{\"actuated\": [\"pni\"]}");
    assert_int_equal(jounce("eval pendulum.yaml --state state.json"), 2);
    has(err, "there is no joint 'pni'");
    save("ball.yaml",
         "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n"
         "  ball: {mass: 1, inertia: 0.1, com: [0, 0.1], shape: {type: circle, radius: 0.1, at: [0, 0.1]}}\n"
         "contacts: {floor: {between: [ground, ball], law: hertz, stiffness: 1e6}}\nrun: {method: compliant}\n");
    save("state.json", "{\"bodies\": {\"ball\": {\"position\": [0, 0.099]}}}");
    assert_int_equal(jounce("eval ball.yaml --state state.json"), 0);
    e = json_read("stdout.txt");
    double fn = 1e6 * pow(1e-3, 1.5);
    assert_near(json_number(json_get(json_get(json_get(e, "contacts"), "floor"), "fn"), NAN), fn, 1e-9);
    assert_near(json_number(json_at(json_get(e, "accelerations"), 1), NAN), fn - 9.81, 1e-9);
    json_free(e);
}

static void test_eval_of_a_final_state(void **state) {
    static const char *const ways[] = {"", "--set coordinates=absolute"};
    char line[128];
    (void)state;
    for (int k = 0; k < 2; k++) {
        double q[8];
        snprintf(line, sizeof line, "run door.yaml -o end %s", ways[k]);
        assert_int_equal(jounce(line), 0);
        json *s = json_read("end/summary.json");
        assert_int_equal(json_numbers(json_get(json_get(s, "final"), "q"), q, 8), k ? 7 : 1);
        json_free(s);
        save_final("end/summary.json", "state.json");
        snprintf(line, sizeof line, "eval door.yaml --state state.json %s", ways[k]);
        assert_int_equal(jounce(line), 0);
        json *e = json_read("stdout.txt");
        assert_near(json_number(json_at(json_get(e, "q"), 0), NAN), q[0], 1e-15);
        assert_near(json_number(json_get(e, "time"), NAN), 0.1, 0);
        json_free(e);
    }
}

static void test_coordinates_agree(void **state) {
    double a[12], b[12];
    (void)state;
    save("state.json", "{\"joints\": {\"lower\": {\"q\": 0.4, \"u\": 1.5}}}");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(jounce(k ? "eval door.yaml --state state.json --set coordinates=absolute"
                                  : "eval door.yaml --state state.json"),
                         0);
        json *e = json_read("stdout.txt");
        assert_int_equal(json_numbers(json_get(json_get(e, "bodies"), "door"), k ? b : a, 12), 19);
        json_free(e);
    }
    for (int i = 0; i < 12; i++) assert_near(a[i], b[i], 1e-12);
}

static void test_verify(void **state) {
    (void)state;
    assert_int_equal(system("mkdir -p set/inner"), 0);
    save("set/good.yaml", pendulum);
    save("set/inner/plain.yaml", command_door);
    save("set/piece.yaml", "parameters: {x: 1}\n");
    assert_int_equal(jounce("verify set"), 0);
    has(out, "joint.pin.q @ 0.5");
    has(out, "plain");
    has(out, "2 passed, 0 failed\n");
    assert_null(strstr(out, "piece"));
    assert_int_equal(jounce("verify set/good.yaml --set 'expect[0].value=7'"), 1);
    has(out, "0 passed, 1 failed\n");
    save("set/broken.yaml", "run: {until: 1 s\n");
    assert_int_equal(jounce("verify set"), 2);
    has(out, "2 passed, 1 failed\n");
}

/* There and back again: the same tree, and the same results. */
static void test_convert(void **state) {
    (void)state;
    assert_int_equal(jounce("convert pendulum.yaml -o a.json"), 0);
    json *j = json_read("a.json");
    assert_non_null(j);
    assert_string_equal(json_text(json_get(json_get(j, "parameters"), "l"), ""), "1 m");
    json_free(j);
    assert_int_equal(jounce("convert a.json -o b.yaml"), 0);
    assert_int_equal(jounce("convert b.yaml -o c.json"), 0);
    same_files("a.json", "c.json");
    assert_int_equal(jounce("run pendulum.yaml -o one"), 0);
    assert_int_equal(jounce("run b.yaml -o two"), 0);
    same_files("one/series.csv", "two/series.csv");
}

static void test_laws_and_schema(void **state) {
    static const char *const words[] = {"revolute", "spherical", "spring",     "bushing",   "rk4",
                                        "dopri45",  "bdf",       "projection", "baumgarte", "N/m"};
    (void)state;
    assert_int_equal(jounce("laws"), 0);
    for (int i = 0; i < 10; i++) has(out, words[i]);
    assert_int_equal(jounce("schema"), 0);
    json *s = json_read("stdout.txt");
    assert_non_null(s);
    assert_non_null(json_get(s, "$defs"));
    json_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help_and_version),
        cmocka_unit_test(test_wrong_commands),
        cmocka_unit_test(test_message_points_at_the_place),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_run_options),
        cmocka_unit_test(test_head_of_a_nonsmooth_run),
        cmocka_unit_test(test_failures_are_reported),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_gain),
        cmocka_unit_test(test_eval),
        cmocka_unit_test(test_eval_for_control),
        cmocka_unit_test(test_eval_of_a_final_state),
        cmocka_unit_test(test_coordinates_agree),
        cmocka_unit_test(test_verify),
        cmocka_unit_test(test_convert),
        cmocka_unit_test(test_laws_and_schema),
    };
    return cmocka_run_group_tests(tests, prepare, command_teardown);
}

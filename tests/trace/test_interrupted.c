/* What a run has written stays whole: killed at a hundred instants, into a folder that may not be written, two runs into one folder. */
#include "command.h"
#include "json_reader.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char model[] = "plane: xy\nbodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
                            "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
                            "run: {until: 30 s, integrator: rk4, step: 0.2 ms}\nrecord: {every: 0.1 s}\n";
static char text[8000000];

static int prepare(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("rod.yaml", model);
    return 0;
}

static pid_t begin(const char *folder, const char *checkpoint) {
    pid_t child = fork();
    if (child) return child;
    execl(JN_CLI, JN_CLI, "run", "rod.yaml", "-o", folder, "--quiet", "--checkpoint", checkpoint, "--set",
          "run.until=200", (char *)NULL);
    _exit(99);
}

static void pause_for(long nanoseconds) { nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL); }

static void wait_for(const char *path) {
    for (int k = 0; k < 20000 && access(path, R_OK); k++) pause_for(1000000);
    assert_int_equal(access(path, R_OK), 0);
}

static bool is_there(const char *folder, const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/%s", folder, name);
    return access(path, R_OK) == 0;
}

/* Files that are there: JSON is whole, rows of the series are but for the last one, and a checkpoint leads on. */
static void check_folder(const char *folder, bool resumes) {
    char path[300];
    static const char *const json_files[] = {"scene.json", "summary.json"};
    for (int k = 0; k < 2; k++) {
        if (!is_there(folder, json_files[k], path, sizeof path)) continue;
        json *j = json_read(path);
        if (!j) fail_msg("%s is no whole JSON", path);
        json_free(j);
    }
    if (is_there(folder, "series.csv", path, sizeof path)) {
        size_t length = load(path, text, sizeof text);
        char *end = length ? strrchr(text, '\n') : NULL;
        int commas = 0, rows = 0;
        for (char *line = text; end && line < end; rows++) {
            char *stop = strchr(line, '\n');
            int count = 0;
            for (char *c = line; c < stop; c++) count += *c == ',';
            if (rows && count != commas)
                fail_msg("%s: row %d has %d numbers, not %d", path, rows, count + 1, commas + 1);
            commas = count, line = stop + 1;
        }
    }
    if (resumes && is_there(folder, "checkpoint.bin", path, sizeof path)) {
        char command[400];
        snprintf(command, sizeof command, "resume %s --quiet", folder);
        int status = jounce(command);
        if (status != 0) fail_msg("resume ends with %d: %s", status, err);
    }
}

static void test_killed(void **state) {
    enum { TIMES = 100 };
    int checkpoints = 0, status;
    uint64_t seed = 4;
    (void)state;
    for (int k = 0; k < TIMES; k++) {
        char folder[32], path[300];
        snprintf(folder, sizeof folder, "killed%d", k);
        pid_t child = begin(folder, "0.001s");
        snprintf(path, sizeof path, "%s/scene.json", folder);
        if (k % 2) wait_for(path);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        pause_for((long)(seed >> 33) % 60000000);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        bool there = is_there(folder, "checkpoint.bin", path, sizeof path);
        checkpoints += there;
        check_folder(folder, there && checkpoints <= 3); /* the rest of a run takes its time */
    }
    print_message("%d of %d killed runs had a checkpoint\n", checkpoints, TIMES);
    assert_true(checkpoints > 3); /* so many were resumed */
}

static void test_two_runs(void **state) {
    int status;
    (void)state;
    pid_t child = begin("shared", "60s");
    wait_for("shared/scene.json");
    assert_int_equal(jounce("run rod.yaml -o shared --quiet --set run.until=1"), 2);
    has(err, "another run writes into this folder");
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(jounce("run rod.yaml -o shared --quiet --set run.until=1"), 0); /* nothing is left locked */
}

/* Root may write everywhere: a file where a folder should be stands for a folder that cannot be made. */
static void test_no_folder(void **state) {
    (void)state;
    save("taken", "a file\n");
    assert_int_equal(jounce("run rod.yaml -o taken --quiet --set run.until=1"), 2);
    has(err, "not a folder");
    assert_int_equal(jounce("run rod.yaml -o taken/inside --quiet --set run.until=1"), 2);
    has(err, strerror(ENOTDIR));
    if (geteuid() == 0) return;
    assert_int_equal(mkdir("closed", 0555), 0);
    assert_int_not_equal(jounce("run rod.yaml -o closed --quiet --set run.until=1"), 0);
    has(err, strerror(EACCES));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed), cmocka_unit_test(test_two_runs),
                                       cmocka_unit_test(test_no_folder)};
    return cmocka_run_group_tests(tests, prepare, command_teardown);
}

/* Disk full and limits on the size of files: the message names the file and the system's reason, the exit status is not 0, and
 * what stays can be read. /dev/full stands for a full disk; RLIMIT_FSIZE needs no rights. */
#include "command.h"
#include "json_reader.h"
#include <hdf5.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char model[] = "plane: xy\nbodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
                            "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
                            "run: {until: 2 s}\nrecord: {every: 1 ms}\n";
static const char *const files[] = {"scene.json", "series.csv",   "events.csv",
                                    "result.h5",  "summary.json", "motion.bin"};
enum { FILES = 6 };
static char text[4000000];

static int prepare(void **state) {
    (void)state;
    if (command_enter()) return -1;
    save("rod.yaml", model);
    return jounce("run rod.yaml -o whole --quiet");
}

static void no_noise_of_hdf5(void) {
    assert_null(strstr(err, "HDF5"));
    assert_null(strstr(err, "infinite loop"));
    assert_null(strstr(err, "out of memory"));
}

static bool is_there(const char *name) { return access(name, F_OK) == 0; }

/* What lies in the folder is whole: JSON, HDF5 with its series, and tables that end with a line. */
static void what_stays_is_whole(const char *folder) {
    char path[64];
    for (int i = 0; i < FILES; i++) {
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        if (!is_there(path) || stat(path, &info) || !S_ISREG(info.st_mode)) continue;
        if (strstr(path, ".json")) {
            json *tree = json_read(path);
            if (!tree) fail_msg("%s is damaged", path);
            json_free(tree);
        } else if (strstr(path, ".csv")) {
            size_t n = load(path, text, sizeof text);
            if (n > 0) assert_int_equal(text[n - 1], '\n');
        } else if (strstr(path, ".h5")) {
            hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
            assert_true(file >= 0);
            assert_true(H5Lexists(file, "time", H5P_DEFAULT) > 0);
            H5Fclose(file);
        }
    }
}

/* One file after another lies on a full disk. */
static void test_full_disk(void **state) {
    (void)state;
    if (access("/dev/full", W_OK)) skip();
    for (int i = 0; i < FILES; i++) {
        char path[64], message[128];
        assert_int_equal(system("rm -rf full && mkdir full"), 0);
        snprintf(path, sizeof path, "full/%s", files[i]);
        assert_int_equal(symlink("/dev/full", path), 0);
        assert_true(jounce("run rod.yaml -o full --quiet") != 0);
        snprintf(message, sizeof message, "%s: error: cannot be written: No space left on device", path);
        has(err, message);
        no_noise_of_hdf5();
        what_stays_is_whole("full");
        for (int k = 1; k < FILES && i > 0; k++) { /* without a scene the run does not begin */
            snprintf(path, sizeof path, "full/%s", files[k]);
            if (k != i && !is_there(path)) fail_msg("%s is missing while %s is full", path, files[i]);
        }
    }
    assert_true(is_there("/dev/full"));
}

/* A limit on the size of a file, from none of the files to all of them. */
static void test_size_limit(void **state) {
    (void)state;
    struct rlimit usual, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    bool some = false, all = false;
    for (long bytes = 1000; bytes < 4000000; bytes *= 2) {
        assert_int_equal(system("rm -rf limited"), 0);
        limit = (struct rlimit){(rlim_t)bytes, usual.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        int status = jounce("run rod.yaml -o limited --quiet");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
        if (status) has(err, ": error: cannot be written: File too large");
        no_noise_of_hdf5();
        what_stays_is_whole("limited");
        some |= status != 0 && is_there("limited/events.csv");
        all |= status == 0;
    }
    assert_true(some && all);
}

/* A table that was cut is the beginning of the whole one. */
static void test_rows_stay(void **state) {
    (void)state;
    static char whole[4000000];
    struct rlimit usual, limit;
    size_t n = load("whole/series.csv", whole, sizeof whole);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    limit = (struct rlimit){n / 2, usual.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    int status = jounce("run rod.yaml -o half");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
    assert_true(status != 0);
    has(out, "holds what could be written");
    assert_null(strstr(out, "series.csv"));
    has(err, "half/series.csv: error: cannot be written: File too large");
    size_t kept = load("half/series.csv", text, sizeof text);
    assert_true(kept > n / 4 && kept <= n / 2);
    assert_memory_equal(text, whole, kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_full_disk), cmocka_unit_test(test_size_limit),
                                       cmocka_unit_test(test_rows_stay)};
    return cmocka_run_group_tests(tests, prepare, command_teardown);
}

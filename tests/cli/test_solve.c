/* jounce solve: one problem, a table, the list of solvers, mistakes. */
#include "check.h"
#include "contact_problem.h"
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/jounce_solve_XXXXXX";
static char out[100000];

static int jounce(const char *arguments) {
    char line[512];
    snprintf(line, sizeof line, "'%s' solve %s >out.txt 2>&1", JN_CLI, arguments);
    int status = system(line);
    FILE *f = fopen("out.txt", "r");
    assert_non_null(f);
    out[fread(out, 1, sizeof out - 1, f)] = 0;
    fclose(f);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void has(const char *part) {
    if (!strstr(out, part)) fail_msg("no '%s' in:\n%s", part, out);
}

static void write_problem(const char *path, unsigned long long seed) {
    contact_scene scene = {.seed = seed, .dimension = 3, .bodies = 8, .contacts = 12, .mu = 0.4};
    contact_problem c;
    jn_report report = {0};
    contact_problem_make(&scene, &c);
    jn_fclib file = {"twelve contacts", "", "", c.rows, NULL, NULL, NULL};
    assert_int_equal(jn_fclib_write(path, &file, &report), JN_OK);
    contact_problem_free(&c);
}

static int enter(void **state) {
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) || system("mkdir few")) return -1;
    write_problem("few/one.hdf5", 1);
    write_problem("few/two.hdf5", 2);
    return 0;
}
static int leave(void **state) {
    char line[64];
    (void)state;
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return chdir("/") || system(line);
}

static void one_problem(void **state) {
    (void)state;
    assert_int_equal(jounce("few/one.hdf5"), 0);
    has("twelve contacts");
    has("12 contacts in 3 dimensions");
    has("auto ");
    has("residual ");
    assert_int_equal(jounce("few/one.hdf5 --solver gauss_seidel --tolerance 1e-10 --threads 2"), 0);
    has("gauss_seidel ");
    assert_int_equal(jounce("few/one.hdf5 --solver gauss_seidel --tolerance 1e-14 --iterations 1"), 1);
    has("not converged");
}

static void the_solution_is_saved(void **state) {
    (void)state;
    jn_report report = {0};
    jn_fclib *file = NULL;
    double u[36];
    assert_int_equal(jounce("few/one.hdf5 --save saved.h5"), 0);
    assert_int_equal(jn_fclib_read("saved.h5", &report, &file), JN_OK);
    assert_non_null(file->solution);
    assert_below(jn_problem_residual(file->problem, file->solution, NULL, u), 1e-8);
    assert_string_equal(file->title, "twelve contacts");
    jn_fclib_free(file);
}

static void folders_and_tables(void **state) {
    (void)state;
    assert_int_equal(jounce("few"), 0);
    has("one");
    has("two");
    assert_int_equal(jounce("few --all"), 0);
    has("milliseconds");
    for (int k = 0; jn_solver_get(k); k++) {
        char head[16];
        snprintf(head, sizeof head, "%.14s", jn_solver_get(k)->name);
        has(head);
    }
    assert_int_equal(jounce("--list"), 0);
    for (int k = 0; jn_solver_get(k); k++) {
        has(jn_solver_get(k)->name);
        has(jn_solver_get(k)->summary);
    }
}

static void mistakes(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"", "needs a file"},
        {"absent.hdf5", "cannot be opened"},
        {"few/one.hdf5 --solver gauss_seidl", "write --solver gauss_seidel"},
        {"few/one.hdf5 --tolerance small", "no number"},
        {"few/one.hdf5 --iterations 0", "no number"},
        {"few --save x.h5", "keeps one problem"},
        {"few/one.hdf5 --save no/such/x.h5", "cannot be written"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(jounce(rows[k][0]), 2);
        has(rows[k][1]);
    }
    assert_int_equal(system("mkdir -p none"), 0);
    assert_int_equal(jounce("none"), 2);
    has("nothing to solve");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_problem),
        cmocka_unit_test(the_solution_is_saved),
        cmocka_unit_test(folders_and_tables),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

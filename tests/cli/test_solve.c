/* jounce solve: one problem, a table, the list of solvers, mistakes. */
#include "command.h"
#include "contact_problem.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* jounce solve ARGUMENTS; exit status. */
static int solve(const char *arguments) {
    char line[512];
    snprintf(line, sizeof line, "solve %s", arguments);
    return jounce(line);
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
    if (command_enter() || system("mkdir few")) return -1;
    write_problem("few/one.hdf5", 1);
    write_problem("few/two.hdf5", 2);
    return 0;
}
static void one_problem(void **state) {
    (void)state;
    assert_int_equal(solve("few/one.hdf5"), 0);
    said("twelve contacts");
    said("12 contacts in 3 dimensions");
    said("auto ");
    said("residual ");
    assert_int_equal(solve("few/one.hdf5 --solver gauss_seidel --tolerance 1e-10"), 0);
    said("gauss_seidel ");
    assert_int_equal(solve("few/one.hdf5 --solver gauss_seidel --tolerance 1e-14 --iterations 1"), 1);
    said("not converged");
}

static void the_solution_is_saved(void **state) {
    (void)state;
    jn_report report = {0};
    jn_fclib *file = NULL;
    double u[36];
    assert_int_equal(solve("few/one.hdf5 --save saved.h5"), 0);
    assert_int_equal(jn_fclib_read("saved.h5", &report, &file), JN_OK);
    assert_non_null(file->solution);
    assert_below(jn_problem_residual(file->problem, file->solution, NULL, u), 1e-8);
    assert_string_equal(file->title, "twelve contacts");
    jn_fclib_free(file);
}

static void folders_and_tables(void **state) {
    (void)state;
    assert_int_equal(solve("few"), 0);
    said("one");
    said("two");
    assert_int_equal(solve("few --all"), 0);
    said("milliseconds");
    for (int k = 0; jn_solver_get(k); k++) {
        char head[16];
        snprintf(head, sizeof head, "%.14s", jn_solver_get(k)->name);
        said(head);
    }
    assert_int_equal(solve("--list"), 0);
    for (int k = 0; jn_solver_get(k); k++) {
        said(jn_solver_get(k)->name);
        said(jn_solver_get(k)->summary);
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
        assert_int_equal(solve(rows[k][0]), 2);
        said(rows[k][1]);
    }
    assert_int_equal(system("mkdir -p none"), 0);
    assert_int_equal(solve("none"), 2);
    said("nothing to solve");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_problem),
        cmocka_unit_test(the_solution_is_saved),
        cmocka_unit_test(folders_and_tables),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, enter, command_teardown);
}

/* FCLIB files: written and read again, mistakes in them, and the public collection. */
#include "check.h"
#include "contact_problem.h"
#include <dirent.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/jounce_fclib_XXXXXX";

static int enter(void **state) {
    (void)state;
    return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}
static int leave(void **state) {
    char line[64];
    (void)state;
    snprintf(line, sizeof line, "rm -rf '%s'", folder);
    return chdir("/") || system(line);
}

static jn_fclib *read_again(const char *path) {
    jn_report report = {0};
    jn_fclib *file = NULL;
    int status = jn_fclib_read(path, &report, &file);
    check_report(&report);
    assert_int_equal(status, JN_OK);
    return file;
}

static void same_velocity(const jn_problem *a, const jn_problem *b, int n) {
    unsigned long long seed = 3;
    double p[100], u[100], w[100], v[100];
    for (int i = 0; i < n; i++) p[i] = contact_random(&seed);
    jn_problem_velocity(a, p, v, u);
    jn_problem_velocity(b, p, v, w);
    for (int i = 0; i < n; i++) assert_near(u[i], w[i], 1e-12);
}

static void round_trip(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        contact_scene scene = {
            .seed = 20, .dimension = 2 + k % 2, .bodies = 6, .contacts = 9, .mu = 0.3, .joints = k == 4 ? 3 : 0};
        contact_problem c;
        contact_problem_make(&scene, &c);
        double p[40];
        for (int i = 0; i < c.n; i++) p[i] = 0.1 * i;
        jn_report report = {0};
        jn_fclib file = {
            "a title", "a description", "", k < 4 ? (k < 2 ? c.rows : &c.blocks) : c.rows, k < 4 ? NULL : &c.global,
            p,         k % 2 ? p : NULL};
        assert_int_equal(jn_fclib_write("problem.hdf5", &file, &report), JN_OK);
        jn_fclib *again = read_again("problem.hdf5");
        assert_string_equal(again->title, "a title");
        assert_string_equal(again->description, "a description");
        assert_string_equal(again->math_info, "");
        assert_int_equal(again->problem->dimension, scene.dimension);
        assert_int_equal(again->problem->contacts, 9);
        assert_true((again->global != NULL) == (k >= 4));
        same_velocity(c.rows, again->problem, c.n);
        for (int i = 0; i < 9; i++) assert_true(again->problem->mu[i] == 0.3);
        assert_non_null(again->solution);
        for (int i = 0; i < c.n; i++) assert_true(again->solution[i] == p[i]);
        assert_true((again->guess != NULL) == (k % 2 == 1));
        jn_fclib_free(again);
        contact_problem_free(&c);
    }
}

/* The datasets that libfclib looks for, with the ranks it expects: one dimension for numbers, a scalar for texts. */
static void layout_is_libfclibs(void **state) {
    (void)state;
    static const char *const local[] = {"W/nzmax", "W/m", "W/n",       "W/nz",       "W/p",
                                        "W/i",     "W/x", "vectors/q", "vectors/mu", "spacedim"};
    static const char *const global[] = {"M/nzmax",   "M/p",       "M/i",        "M/x",     "H/m",
                                         "H/n",       "H/nz",      "H/p",        "G/x",     "vectors/f",
                                         "vectors/w", "vectors/b", "vectors/mu", "spacedim"};
    contact_scene scene = {.seed = 21, .dimension = 3, .bodies = 4, .contacts = 5, .mu = 0.3, .joints = 2};
    contact_problem c;
    contact_problem_make(&scene, &c);
    double p[15] = {0};
    jn_report report = {0};
    for (int k = 0; k < 2; k++) {
        jn_fclib file = {"t", "d", "m", c.rows, k ? &c.global : NULL, p, NULL};
        assert_int_equal(jn_fclib_write("layout.hdf5", &file, &report), JN_OK);
        hid_t h5 = H5Fopen("layout.hdf5", H5F_ACC_RDONLY, H5P_DEFAULT);
        for (size_t i = 0; i < (k ? sizeof global / sizeof *global : sizeof local / sizeof *local); i++) {
            char name[64];
            snprintf(name, sizeof name, "/fclib_%s/%s", k ? "global" : "local", k ? global[i] : local[i]);
            hid_t set = H5Dopen2(h5, name, H5P_DEFAULT), space = H5Dget_space(set);
            assert_true(set >= 0);
            assert_int_equal(H5Sget_simple_extent_ndims(space), 1);
            H5Sclose(space), H5Dclose(set);
        }
        static const char *const parts[] = {"/solution/r", "/solution/u", "/solution/v", "/solution/l"};
        for (int i = 0; i < 4; i++) assert_true((H5Lexists(h5, parts[i], H5P_DEFAULT) > 0) == (k || i < 2));
        H5Fclose(h5);
    }
    contact_problem_free(&c);
}

static void put(hid_t h5, const char *name, bool real, const void *numbers, hsize_t count) {
    hid_t space = H5Screate_simple(1, &count, NULL), type = real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
    hid_t set = H5Dcreate2(h5, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set), H5Sclose(space);
}

static void put_matrix(hid_t h5, const char *group, int rows, int columns, const int *row, const int *column,
                       const double *value, int count) {
    const struct {
        const char *name;
        const void *numbers;
        int count;
    } parts[] = {{"nzmax", &count, 1}, {"m", &rows, 1},      {"n", &columns, 1}, {"nz", &count, 1},
                 {"i", row, count},    {"p", column, count}, {"x", value, count}};
    char name[64];
    H5Gclose(H5Gcreate2(h5, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int k = 0; k < 7; k++) {
        snprintf(name, sizeof name, "%s/%s", group, parts[k].name);
        put(h5, name, k == 6, parts[k].numbers, (hsize_t)parts[k].count);
    }
}

/* One bilateral row that holds the normal of a contact against a spring: W_NN falls by v^2/r, q_N by v s/r. */
static void bilateral_rows_are_read(void **state) {
    (void)state;
    contact_scene scene = {.seed = 23, .dimension = 3, .bodies = 2, .contacts = 1, .mu = 0.3};
    contact_problem c;
    contact_problem_make(&scene, &c);
    jn_report report = {0};
    jn_fclib file = {"", "", "", c.rows, NULL, NULL, NULL};
    assert_int_equal(jn_fclib_write("bilateral.hdf5", &file, &report), JN_OK);
    const int zero[1] = {0};
    const double v[1] = {0.5}, r[1] = {4}, s[1] = {0.8};
    hid_t h5 = H5Fopen("bilateral.hdf5", H5F_ACC_RDWR, H5P_DEFAULT);
    put_matrix(h5, "/fclib_local/V", 3, 1, zero, zero, v, 1);
    put_matrix(h5, "/fclib_local/R", 1, 1, zero, zero, r, 1);
    put(h5, "/fclib_local/vectors/s", true, s, 1);
    H5Fclose(h5);
    jn_fclib *again = read_again("bilateral.hdf5");
    assert_near(again->problem->W->value[0], c.W.value[0] - 0.5 * 0.5 / 4, 1e-15);
    assert_near(again->problem->W->value[1], c.W.value[1], 1e-15);
    assert_near(again->problem->q[0], c.rows->q[0] - 0.5 * 0.8 / 4, 1e-15);
    jn_fclib_free(again);
    contact_problem_free(&c);
}

static void says(const char *path, int status, const char *part) {
    jn_report report = {0};
    jn_fclib *file = NULL;
    assert_int_equal(jn_fclib_read(path, &report, &file), status);
    assert_null(file);
    assert_int_equal(report.errors, 1);
    if (!strstr(report.item[0].text, part)) fail_msg("no '%s' in '%s'", part, report.item[0].text);
}

static void spoil(const char *name, const int *numbers) {
    hid_t h5 = H5Fopen("bad.hdf5", H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(h5, name, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set), H5Fclose(h5);
}

static void mistakes_are_reported(void **state) {
    (void)state;
    contact_scene scene = {.seed = 22, .dimension = 3, .bodies = 2, .contacts = 1, .mu = 0.3};
    contact_problem c;
    contact_problem_make(&scene, &c);
    jn_report report = {0};
    jn_fclib file = {"", "", "", c.rows, NULL, NULL, NULL};
    FILE *text = fopen("text.hdf5", "w");
    fputs("no problem", text);
    fclose(text);
    says("absent.hdf5", JN_ERR_IO, "cannot be opened");
    says("text.hdf5", JN_ERR_IO, "cannot be opened");
    H5Fclose(H5Fcreate("empty.hdf5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    says("empty.hdf5", JN_ERR_MODEL, "neither");
    static const struct {
        const char *name, *says;
        int numbers[9];
    } rows[] = {
        {"/fclib_local/spacedim", "spacedim", {4}},
        {"/fclib_local/W/m", "cannot be read", {900}},
        {"/fclib_local/W/p", "do not fit", {0, 3, 2, 9}},
        {"/fclib_local/W/i", "outside", {0, 1, 2, 0, 1, 7, 0, 1, 2}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        assert_int_equal(jn_fclib_write("bad.hdf5", &file, &report), JN_OK);
        spoil(rows[k].name, rows[k].numbers);
        says("bad.hdf5", JN_ERR_MODEL, rows[k].says);
    }
    assert_int_equal(jn_fclib_write("no/such/folder.hdf5", &file, &report), JN_ERR_IO);
    contact_problem_free(&c);
}

/* Files cut short and with bytes flipped: read or refused with a message, no handle of HDF5 stays open, and, under
 * AddressSanitizer, no memory is lost. */
static void damaged_files_leave_nothing(void **state) {
    (void)state;
    static unsigned char whole[1 << 18], part[1 << 18];
    unsigned long long seed = 7;
    int refused = 0, count = 0;
    for (int k = 0; k < 2; k++) {
        contact_scene scene = {.seed = 24, .dimension = 3, .bodies = 4, .contacts = 5, .mu = 0.3, .joints = 2};
        contact_problem c;
        contact_problem_make(&scene, &c);
        double p[15] = {0};
        jn_report report = {0};
        jn_fclib file = {"a title", "a description", "m", c.rows, k ? &c.global : NULL, p, NULL};
        assert_int_equal(jn_fclib_write("damaged.hdf5", &file, &report), JN_OK);
        contact_problem_free(&c);
        FILE *bytes = fopen("damaged.hdf5", "rb");
        size_t size = fread(whole, 1, sizeof whole, bytes);
        fclose(bytes);
        assert_true(size > 1000 && size < sizeof whole);
        for (int i = 0; i < 1000; i++, count++) {
            memcpy(part, whole, size);
            double r = contact_random(&seed) + 1;
            size_t length = i % 4 ? size : (size_t)(r / 2 * (double)size);
            for (int flips = 1 + i % 6; flips > 0; flips--) {
                size_t at = (size_t)((contact_random(&seed) + 1) / 2 * (double)(size - 1));
                part[at] ^= (unsigned char)(1 << (flips + i) % 8);
            }
            bytes = fopen("damaged.hdf5", "wb");
            fwrite(part, 1, length, bytes);
            fclose(bytes);
            jn_fclib *again = NULL;
            jn_report_clear(&report);
            int status = jn_fclib_read("damaged.hdf5", &report, &again);
            assert_true((status == JN_OK) == (again != NULL));
            if (status != JN_OK && status != JN_ERR_MEMORY) assert_int_equal(report.errors, 1);
            refused += status != JN_OK;
            jn_fclib_free(again);
            assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
        }
    }
    print_message("%d of %d refused\n", refused, count);
    assert_true(refused > 0 && refused < count);
}

/* ------------------------------------------------------------------------------------------------- the collection */

static const char *const collection = JN_SOURCE_DIR "/../shared/reference/fclib";

/* The global form is reduced to what the same problem's local file holds. */
static void forms_agree(const char *path) {
    char local[1200];
    snprintf(local, sizeof local, "%.*s__local.hdf5", (int)(strlen(path) - 5), path);
    if (access(local, R_OK)) return;
    jn_fclib *a = read_again(path), *b = read_again(local);
    int n = 3 * a->problem->contacts;
    double *u = calloc((size_t)n, sizeof *u), *w = calloc((size_t)n, sizeof *w), *p = calloc((size_t)n, sizeof *p);
    double *v = calloc((size_t)a->problem->velocities, sizeof *v), off = 0, size = 0;
    unsigned long long seed = 1;
    for (int i = 0; i < n; i++) p[i] = contact_random(&seed);
    jn_problem_velocity(a->problem, p, v, u);
    jn_problem_velocity(b->problem, p, NULL, w);
    for (int i = 0; i < n; i++) off = fmax(off, fabs(u[i] - w[i])), size = fmax(size, fabs(u[i]));
    assert_below(off / size, 1e-9);
    free(u), free(v), free(w), free(p);
    jn_fclib_free(a), jn_fclib_free(b);
}

/* Where plain sweeps are known to need more than a few thousand: other solvers are for these. */
static bool hard(const char *name) {
    return strstr(name, "RockPile") || strstr(name, "spheres-in-a-box") || strstr(name, "Box_Stacks-i1000-352") ||
           strstr(name, "BoxesStack1") || strstr(name, "Capsules") || strstr(name, "OneObject");
}

static void collection_by_gauss_seidel(void **state) {
    (void)state;
    struct dirent **entries = NULL;
    int count = scandir(collection, &entries, NULL, alphasort), solved = 0, total = 0;
    if (count < 0) {
        print_message("skipped: no ../shared/reference\n");
        return;
    }
    const jn_solver_info *solver = jn_solver_find("gauss_seidel");
    for (int i = 0; i < count; i++) {
        char path[1024];
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        snprintf(path, sizeof path, "%s/%s", collection, name);
        if (dot && !strcmp(dot, ".hdf5")) {
            jn_fclib *file = read_again(path);
            jn_solve_settings settings = jn_solve_default();
            jn_solve_result result;
            void *scratch = contact_scratch(file->problem, solver);
            double *p = calloc((size_t)file->problem->contacts * 3, sizeof *p);
            settings.iterations = 3000;
            assert_true(jn_solve(file->problem, solver, &settings, scratch, p, &result) >= 0);
            print_message("%-50s %5d sweeps, residual %.1e%s\n", name, result.iterations, result.residual,
                          result.converged ? "" : ", not converged");
            if (!result.converged && !hard(name)) fail_msg("%s: residual %g", name, result.residual);
            solved += result.converged, total++;
            free(scratch), free(p);
            jn_fclib_free(file);
            forms_agree(path);
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d of %d\n", solved, total);
    assert_true(solved * 4 >= total * 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(layout_is_libfclibs),
        cmocka_unit_test(bilateral_rows_are_read),
        cmocka_unit_test(mistakes_are_reported),
        cmocka_unit_test(damaged_files_leave_nothing),
        cmocka_unit_test(collection_by_gauss_seidel),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

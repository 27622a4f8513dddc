/* Ways to keep constraints lead to the same motion: loops of the plane and of space, redundant ones too. */
#include "file_run.h"
#include <string.h>

static const struct {
    const char *way;
    double violation, apart; /* [m] */
    double energy;           /* unexplained, of that in motion */
} list[] = {{"projection", 1e-12, 0, 1e-6},
            {"coordinate_partitioning", 1e-12, 1e-7, 1e-6},
            {"baumgarte", 1e-6, 1e-5, 1e-6},
            {"augmented_lagrangian", 1e-6, 1e-5, 1e-6},
            {"penalty", 1e-4, 1e-4, 1e-2}};

static jn_result *run(const char *file, const char *way, jn_model **m) {
    const jn_setting settings[] = {{"run.stabilise", way}, {"run.integrator", "rk4"}, {"run.step", "1 ms"},
                                   {"run.until", "1"},     {"record.every", "10 ms"}, {"record.channels", "['*']"}};
    return file_run(file, settings, 6, m);
}

/* The violation and the energy unexplained stay below their bounds, and all places of bodies near those of the projection. */
static void same_motion(const char *file) {
    jn_model *m[2];
    jn_result *first = run(file, "projection", &m[0]);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        jn_result *r = run(file, list[k].way, &m[1]);
        double apart = 0;
        assert_int_equal(r->rows, first->rows);
        for (long i = 0; i < r->rows; i++)
            for (int c = 0; c < r->channels; c++) {
                const char *dot = strrchr(r->names[c], '.');
                if (strncmp(r->names[c], "body.", 5) || (strcmp(dot, ".x") && strcmp(dot, ".y") && strcmp(dot, ".z")))
                    continue;
                size_t at = (size_t)i * ((size_t)r->channels + 1) + (size_t)c + 1;
                apart = fmax(apart, fabs(r->data[at] - first->data[at]));
            }
        print_message("%-34s %-24s violation %.1e m, apart %.1e m, energy %.1e\n", file, list[k].way,
                      r->audit.max_position_violation, apart, r->audit.max_energy_residual / r->audit.energy_scale);
        assert_true(r->audit.max_energy_residual / r->audit.energy_scale <= list[k].energy);
        assert_true(r->audit.max_position_violation <= list[k].violation);
        assert_true(apart <= list[k].apart);
        jn_result_free(r), jn_model_free(m[1]);
    }
    jn_result_free(first), jn_model_free(m[0]);
}

static void test_loops(void **state) {
    (void)state;
    same_motion("rodrigues2024/four_bar.yaml");
    same_motion("rodrigues2024/bennett.yaml");
    same_motion("rodrigues2024/rssr.yaml");
    same_motion("iftomm/a04_bricard.yaml");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The models of paper 004 with the parameters of all solved cases: their expect rows hold the values of cases_004.json. */
#include "check.h"
#include <jounce/jounce.h>

typedef struct variant {
    const char *model;
    int rows; /* of expect that must count: values and the ledger */
    jn_setting settings[6];
} variant;

static const variant variants[] = {
    {"planar_ball", 5, {{0}}},
    {"planar_ball", 5, {{"rows", "magnitude"}}},
    {"planar_ball", 5, {{"rows", "magnitude"}, {"work", "kinetic_split"}, {"e", "0.718593128653"}}},
    {"planar_ball", 5, {{"coordinates", "absolute"}, {"run.integrator", "adams"}}},
    {"rocking_block", 5, {{0}}},
    {"rocking_block", 5, {{"e", "[-0.8, 2/3]"}, {"events", "2"}}},
    {"cradle3", 5, {{0}}},
    {"cradle3", 5, {{"v0", "1"}, {"mass", "0.166"}, {"e", "[0.85, 0.85]"}}},
    {"cradle3", 5, {{"v0", "1"}, {"mass", "0.166"}, {"e", "[0.711, 0.711]"}}},
    {"cradle3", 5, {{"v0", "1"}, {"mass", "0.166"}, {"e", "[0.715, 0.488]"}}},
    {"cradle5", 7, {{0}}},
    {"sphere_corner", 9, {{0}}},
    {"sphere_corner", 9, {{"rows", "magnitude"}}},
    {"rocking_block_3d", 9, {{0}}},
    {"rocking_block_3d", 8, {{"lead", "0"}}},
};

static void run(const variant *v) {
    char path[512];
    jn_report report;
    int count = 0;
    while (count < 6 && v->settings[count].name) count++;
    jn_report_clear(&report);
    snprintf(path, sizeof path, "%s/models/rodriguez2014/%s.yaml", JN_SOURCE_DIR, v->model);
    jn_description *d = jn_description_read(path, v->settings, count, &report);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
    check_report(&report);
    if (!jn_result_ok(r)) print_error("%s with %d settings: %s\n", v->model, count, r->audit.verdict);
    assert_true(jn_result_ok(r));
    assert_int_equal(r->audit.impacts_unfinished, 0); /* negative coefficients and events that were asked for are ends, too */
    assert_int_equal(r->expects, v->rows);
    assert_true(r->impacts_kept >= 1 && r->impacts[0].change < 1e-12 * r->impacts[0].energy);
    jn_result_free(r), jn_model_free(m);
}

static void all_cases(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) run(&variants[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Examples with contact meet their hand formulas by every method that the file allows. */
#include "file_run.h"
#include <string.h>

static const char *const files[] = {"door",    "four_bar", "cam",       "geneva", "conveyor",
                                    "gripper", "vehicle",  "drop_test", "rotor"};
static const char *const methods[] = {"compliant", "nonsmooth", "impact"};

static void test_all_methods(void **state) {
    int runs = 0;
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (int k = 0; k < 3; k++) {
            char file[64];
            jn_model *m;
            if (!strcmp(files[i], "drop_test") && k == 0) continue; /* rigid, says the file */
            snprintf(file, sizeof file, "examples/%s.yaml", files[i]);
            const jn_setting setting = {"run.method", methods[k]};
            jn_result *r = file_run(file, &setting, 1, &m);
            if (r->expects_failed || !r->audit.ok)
                fail_msg("%s by %s: %d of %d expectations are not met; %s", files[i], methods[k], r->expects_failed,
                         r->expects, r->audit.verdict);
            assert_true(r->expects >= 2);
            runs++;
            jn_result_free(r), jn_model_free(m);
        }
    assert_int_equal(runs, 26);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_methods)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

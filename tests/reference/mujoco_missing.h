/* Main program of a test against MuJoCo where MuJoCo is missing: it says so. */
#ifndef TEST_REFERENCE_MUJOCO_MISSING_H
#define TEST_REFERENCE_MUJOCO_MISSING_H

#include "check.h"

#ifndef TEST_MUJOCO

static void test_skipped(void **state) {
    (void)state;
    printf("skipped: MuJoCo was not found when the tests were built (tools/setup.sh --peers)\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_skipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
#endif

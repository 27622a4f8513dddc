/* Cosine and sine together, against those of libm in extended precision. */
#include "algebra/angle.h"
#include "check.h"

static double error_at(double angle) {
    double c, s;
    jn_cos_sin(angle, &c, &s);
    long double off_c = fabsl(c - cosl((long double)angle)), off_s = fabsl(s - sinl((long double)angle));
    return (double)(off_c > off_s ? off_c : off_s);
}

/* Small and large angles, and the neighbours of all quarter turns, where one of both vanishes. */
static void error_is_round_off(void **state) {
    (void)state;
    double worst = 0, quarter = 1.57079632679489661923;
    for (int k = -400000; k <= 400000; k++) worst = fmax(worst, error_at(k * 1.23456789e-5));
    for (int k = -200000; k <= 200000; k++) worst = fmax(worst, error_at(k * 0.498765432));
    for (int k = -63000; k <= 63000; k++)
        for (int side = -1; side <= 1; side++) worst = fmax(worst, error_at(nextafter(k * quarter, k + side)));
    print_message("largest error %.3g\n", worst);
    assert_below(worst, 1.2e-16);
}

static void small_angles_are_exact(void **state) {
    (void)state;
    double c, s;
    jn_cos_sin(0, &c, &s);
    assert_true(c == 1 && s == 0);
    jn_cos_sin(-1e-200, &c, &s);
    assert_true(c == 1 && s == -1e-200);
}

static void the_rest_is_reduced_with_more_bits(void **state) {
    (void)state;
    static const double angle[] = {1e5, -3e5, 1e22};
    double c, s;
    for (int k = 0; k < 3; k++) {
        jn_cos_sin(angle[k], &c, &s);
        assert_true(c == jn_cos(angle[k]) && s == jn_sin(angle[k]));
    }
    jn_cos_sin(NAN, &c, &s);
    assert_true(isnan(c) && isnan(s));
    jn_cos_sin(INFINITY, &c, &s);
    assert_true(isnan(c) && isnan(s));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(error_is_round_off), cmocka_unit_test(small_angles_are_exact),
                                       cmocka_unit_test(the_rest_is_reduced_with_more_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

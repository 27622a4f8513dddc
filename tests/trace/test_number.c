/* Numbers as text: short, and equal when read again. */
#include "check.h"
#include "trace/print_number.h"
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void round_trip(double value) {
    char text[JN_NUMBER_SIZE + 8];
    memset(text, 'x', sizeof text);
    int length = jn_number_write(value, text);
    assert_int_equal(length, (int)strlen(text));
    assert_true(length < JN_NUMBER_SIZE);
    double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof value)) fail_msg("%.17g became '%s'", value, text);
    for (int digits = value != 0 && fabs(value) < DBL_MIN ? 1 : 15; digits <= 17;
         digits++) { /* what the C library finds shortest */
        char plain[40];
        snprintf(plain, sizeof plain, "%.*g", digits, value);
        if (strtod(plain, NULL) != value) continue;
        if (fabs(value) < 1e15 || fabs(value) >= 1e18) assert_string_equal(text, plain);
        break;
    }
}

static void test_written_as_a_person_would(void **state) {
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},           {-0.0, "-0"},      {1, "1"},
                {-12, "-12"},       {0.1, "0.1"},      {0.003, "0.003"},
                {1e15, "1e+15"},    {1e300, "1e+300"}, {1e-5, "1e-05"},
                {0.0001, "0.0001"}, {1.5, "1.5"},      {123456789, "123456789"},
                {NAN, "nan"},       {INFINITY, "inf"}, {-INFINITY, "-inf"},
                {100.25, "100.25"}, {9.81, "9.81"},    {-7.3575, "-7.3575"}};
    char text[JN_NUMBER_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        jn_number_write(rows[i].value, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_every_double_comes_back(void **state) {
    uint64_t bits = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        double value;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) round_trip(value);
        round_trip(((double)(bits >> 11) / 9007199254740992.0 - 0.5) * pow(10, (int)(bits % 13) - 6));
        round_trip((double)(bits % 100000) / 1000);
        round_trip(((double)(bits >> 11) / 9007199254740992.0 - 0.5) *
                   pow(10, (int)(bits % 73) - 44));                            /* all of the fast way */
        round_trip((double)(bits % 1000000) * pow(10, (int)(bits % 61) - 40)); /* few digits */
    }
}

/* The seven digits of a scene are those of the C library, near the middle of two such numbers and at powers of ten too. */
static void round_as_text(double x) {
    char text[40];
    snprintf(text, sizeof text, "%.7g", x);
    double expected = strtod(text, NULL), found = jn_number_round(x);
    if (memcmp(&found, &expected, sizeof found)) fail_msg("%.17g became %.17g, not %s", x, found, text);
}

static void test_seven_digits(void **state) {
    uint64_t bits = 88172645463325252u;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double part = (double)(bits >> 11) / 9007199254740992.0 - 0.5, ten = pow(10, (int)(bits % 33) - 20);
        round_as_text(part * ten);
        round_as_text(((double)(bits % 20000000) + 0.5) * ten);
        round_as_text(nextafter(((double)(bits % 20000000) + 0.5) / 1e7, i % 2 ? 1 : 0));
        round_as_text(nextafter(ten, i % 2 ? INFINITY : 0)), round_as_text(-ten);
    }
    round_as_text(0.0), round_as_text(-0.0), round_as_text(DBL_MAX), round_as_text(DBL_MIN / 3);
    assert_true(isinf(jn_number_round(INFINITY)) && isnan(jn_number_round(NAN)));
}

static void test_whole_numbers(void **state) {
    static const long long values[] = {0, 7, -1, 1234567890123, LLONG_MAX, LLONG_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[JN_NUMBER_SIZE], expected[JN_NUMBER_SIZE];
        int length = snprintf(expected, sizeof expected, "%lld", values[i]);
        assert_int_equal(jn_whole_write(values[i], text), length);
        assert_string_equal(text, expected);
    }
}

static void test_edges(void **state) {
    static const double values[] = {DBL_MIN,
                                    DBL_MAX,
                                    -DBL_MAX,
                                    4.9406564584124654e-324,
                                    DBL_EPSILON,
                                    1 + DBL_EPSILON,
                                    1 - DBL_EPSILON / 2,
                                    9007199254740991.0,
                                    9007199254740993.0,
                                    1e22,
                                    1e23,
                                    5e-324,
                                    2.2250738585072011e-308,
                                    999999999999999.9,
                                    0.99999999999999989,
                                    9.9999999999999995e-5,
                                    123456.78901234567,
                                    1e14 + 0.5,
                                    8.5,
                                    1e16,
                                    2e-5};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        round_trip(values[i]);
        round_trip(nextafter(values[i], 0));
        round_trip(-values[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_as_a_person_would), cmocka_unit_test(test_every_double_comes_back),
        cmocka_unit_test(test_seven_digits), cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_edges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Distributions: value and probability undo each other, moments are the known ones. */
#include "check.h"
#include "workflow/study/statistics/distribution.h"
#include <string.h>

/* Quantiles of the standard normal distribution to 16 digits [Wichura1988, table 1 and erfc of the C library]. */
static void normal(void **state) {
    (void)state;
    assert_near(jn_normal_value(0.975), 1.959963984540054, 4e-15);
    assert_near(jn_normal_value(0.25), -0.6744897501960817, 4e-15);
    assert_near(jn_normal_value(0.001), -3.090232306167813, 4e-15);
    assert_near(jn_normal_value(1e-20), -9.262340089798408, 2e-14);
    for (double x = -12; x <= 8; x += 0.0625) {
        double exact = 0.5 * erfc(-x / sqrt(2)); /* relative to the smaller tail */
        assert_near(jn_normal_below(x), exact, 2e-14 * fmin(exact, 1));
        if (x < 6)
            assert_near(jn_normal_value(jn_normal_below(x)), x, 1e-10 + (x > 0 ? 3e-16 / exp(-x * x / 2) * 3 : 0));
    }
}

static const jn_distribution all[] = {
    {JN_DISTRIBUTION_UNIFORM, {2, 5}, false, 0, 0},       {JN_DISTRIBUTION_NORMAL, {3, 0.5}, false, 0, 0},
    {JN_DISTRIBUTION_LOGNORMAL, {2, 0.3}, false, 0, 0},   {JN_DISTRIBUTION_TRIANGULAR, {1, 2, 5}, false, 0, 0},
    {JN_DISTRIBUTION_EXPONENTIAL, {0.7}, false, 0, 0},    {JN_DISTRIBUTION_WEIBULL, {2, 1.5}, false, 0, 0},
    {JN_DISTRIBUTION_LOGUNIFORM, {0.1, 10}, false, 0, 0},
};
enum { ALL = sizeof all / sizeof *all };

static void inverse(void **state) {
    (void)state;
    for (int k = 0; k < ALL; k++)
        for (int limited = 0; limited < 2; limited++) {
            jn_distribution d = all[k];
            d.limited = limited, d.low = jn_distribution_value(&all[k], 0.2),
            d.high = jn_distribution_value(&all[k], 0.7);
            assert_null(jn_distribution_wrong(&d));
            double last = -INFINITY;
            for (double u = 0.001; u < 1; u += 0.001) {
                double x = jn_distribution_value(&d, u);
                assert_true(x > last);
                assert_near(jn_distribution_below(&d, x), u, 1e-12);
                if (limited) assert_true(x >= d.low && x <= d.high);
                last = x;
            }
        }
}

/* Mean and variance by the midpoint rule in u against the closed forms. */
static void moments(void **state) {
    static const double mean[] = {3.5, 3, 2.0920556, 8.0 / 3, 0.7, 1.8054906, 9.9 / 4.605170186},
                        variance[] = {0.75, 0.25, 0.4121638, 0.7222222, 0.49, 1.5027611, 0};
    enum { N = 200000 };
    (void)state;
    for (int k = 0; k < ALL; k++) {
        double m = 0, s = 0;
        for (int i = 0; i < N; i++) {
            double x = jn_distribution_value(&all[k], (i + 0.5) / N);
            m += x / N, s += x * x / N;
        }
        assert_near(m, mean[k], 2e-4 * mean[k]);
        if (variance[k] > 0) assert_near(s - m * m, variance[k], 2e-3 * variance[k]);
    }
}

static void wrong(void **state) {
    static const jn_distribution bad[] = {
        {JN_DISTRIBUTION_UNIFORM, {5, 2}, false, 0, 0},    {JN_DISTRIBUTION_NORMAL, {1, 0}, false, 0, 0},
        {JN_DISTRIBUTION_LOGNORMAL, {-1, 1}, false, 0, 0}, {JN_DISTRIBUTION_TRIANGULAR, {1, 6, 5}, false, 0, 0},
        {JN_DISTRIBUTION_EXPONENTIAL, {0}, false, 0, 0},   {JN_DISTRIBUTION_WEIBULL, {1, -1}, false, 0, 0},
        {JN_DISTRIBUTION_LOGUNIFORM, {0, 1}, false, 0, 0}, {JN_DISTRIBUTION_NORMAL, {0, 1}, true, 2, 1},
        {JN_DISTRIBUTION_NORMAL, {0, 1}, true, 20, 21}};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_non_null(jn_distribution_wrong(&bad[k]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(normal), cmocka_unit_test(inverse), cmocka_unit_test(moments),
                                       cmocka_unit_test(wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

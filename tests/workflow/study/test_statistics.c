/* Statistics: known values, and intervals that cover what they claim, counted over many tries. */
#include "check.h"
#include "workflow/study/statistics/distribution.h"
#include "workflow/study/statistics/random.h"
#include "workflow/study/statistics/statistics.h"
#include <stdlib.h>
#include <string.h>

static void quantiles(void **state) {
    double x[] = {3, NAN, 1, 5, 2, INFINITY, 4};
    (void)state;
    assert_int_equal(jn_sort_finite(x, 7), 5);
    for (int i = 0; i < 5; i++) assert_true(x[i] == i + 1);
    assert_near(jn_quantile(x, 5, 0.5).value, 3, 0);
    assert_near(jn_quantile(x, 5, 0.25).value, 2, 0);
    assert_near(jn_quantile(x, 5, 0.1).value, 1.4, 1e-15);
    assert_true(isnan(jn_quantile(x, 5, 0.05).low)); /* five values say nothing of that */
    assert_true(isnan(jn_quantile(x, 0, 0.5).value));
}

/* The bounds of a quantile hold it in at least 95 % of all tries, and are not much wider than needed. */
static void quantile_coverage(void **state) {
    static const double parts[] = {0.05, 0.5, 0.95};
    enum { TRIES = 4000, N = 200 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        double truth = jn_normal_value(parts[k]), x[N];
        int covered = 0;
        for (int t = 0; t < TRIES; t++) {
            for (int i = 0; i < N; i++)
                x[i] = jn_normal_value(jn_random_unit(jn_random_bits(11, (uint64_t)t, (uint64_t)i)));
            jn_sort_finite(x, N);
            jn_interval q = jn_quantile(x, N, parts[k]);
            covered += q.low <= truth && truth < q.high;
        }
        print_message("quantile %g: covered in %.2f %% of the tries\n", parts[k], 100.0 * covered / TRIES);
        assert_true(covered > 0.945 * TRIES && covered < 0.985 * TRIES);
    }
}

/* Wilson's interval: the textbook's 10 % of 20, and coverage near 95 % on average over probabilities [Wilson1927]. */
static void proportions(void **state) {
    jn_interval p = jn_proportion(2, 20);
    (void)state;
    assert_near(p.value, 0.1, 0);
    assert_near(p.low, 0.0278665, 1e-6);
    assert_near(p.high, 0.3010336, 1e-6);
    assert_near(jn_proportion(0, 50).low, 0, 0);
    assert_near(jn_proportion(50, 50).high, 1, 0);
    int covered = 0, tries = 0;
    for (double truth = 0.05; truth < 0.96; truth += 0.05)
        for (int t = 0; t < 400; t++, tries++) {
            int hits = 0;
            for (int i = 0; i < 80; i++)
                hits += jn_random_unit(jn_random_bits(5, (uint64_t)(truth * 1e6) + (uint64_t)t, (uint64_t)i)) < truth;
            jn_interval q = jn_proportion(hits, 80);
            covered += q.low <= truth && truth <= q.high;
        }
    print_message("probability: covered in %.2f %% of the tries\n", 100.0 * covered / tries);
    assert_true(covered > 0.935 * tries && covered < 0.97 * tries);
}

/* f = a x + b y + c x y with x, y uniform about 0: indices are known; with independent points the bootstrap intervals hold them in about 95 %
 * of the tries. */
static void indices(void **state) {
    enum { N = 400, TRIES = 300 };
    const double a = 2, b = 1, c = 3, va = a * a / 12, vb = b * b / 12, vc = c * c / 144, v = va + vb + vc;
    const double exact[4] = {va / v, vb / v, (va + vc) / v, (vb + vc) / v};
    int covered[4] = {0};
    double mean[4] = {0}, *f = malloc(N * 4 * sizeof *f);
    (void)state;
    for (int t = 0; t < TRIES; t++) {
        for (int j = 0; j < N; j++) {
            double u[4];
            for (int d = 0; d < 4; d++)
                u[d] = jn_random_unit(jn_random_bits(17, (uint64_t)(t * 4 + d), (uint64_t)j)) - 0.5;
            const double x[4] = {u[0], u[2], u[2], u[0]}, y[4] = {u[1], u[3], u[1], u[3]}; /* A, B, AB_1, AB_2 */
            for (int k = 0; k < 4; k++) f[j * 4 + k] = a * x[k] + b * y[k] + c * x[k] * y[k];
        }
        jn_interval index[4];
        assert_true(jn_sobol_indices(f, N, 2, 200, 1, index, index + 2));
        for (int k = 0; k < 4; k++) {
            mean[k] += index[k].value / TRIES;
            covered[k] += index[k].low <= exact[k] && exact[k] <= index[k].high;
        }
    }
    for (int k = 0; k < 4; k++) {
        print_message("index %d: mean %.4f, exact %.4f, covered in %.1f %% of the tries\n", k, mean[k], exact[k],
                      100.0 * covered[k] / TRIES);
        assert_near(mean[k], exact[k], 0.02);
        assert_true(covered[k] > 0.90 * TRIES);
    }
    free(f);
}

/* Points with a value that is no number are left out, not taken for zero. */
static void holes(void **state) {
    double f[40 * 3];
    jn_interval first, total;
    (void)state;
    for (int j = 0; j < 40; j++)
        for (int k = 0; k < 3; k++)
            f[j * 3 + k] = jn_random_unit(jn_random_bits(3, k == 2 ? 1 : (uint64_t)k, (uint64_t)j));
    f[7] = NAN;
    assert_true(jn_sobol_indices(f, 40, 1, 50, 1, &first, &total));
    assert_true(isfinite(first.value) && isfinite(total.value));
    for (int i = 0; i < 120; i++) f[i] = NAN;
    assert_true(jn_sobol_indices(f, 40, 1, 50, 1, &first, &total));
    assert_true(isnan(first.value));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles), cmocka_unit_test(quantile_coverage),
                                       cmocka_unit_test(proportions), cmocka_unit_test(indices),
                                       cmocka_unit_test(holes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

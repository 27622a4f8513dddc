/* Sobol's sequence and its scrambling: every elementary interval has its share. */
#include "check.h"
#include "workflow/study/statistics/random.h"
#include "workflow/study/statistics/sobol.h"
#include <string.h>

/* The first points of dimensions 1 to 3, as [Bratley1988] and [Joe2008] print them. */
static void first_points(void **state) {
    static const double expected[8][3] = {{0, 0, 0},
                                          {0.5, 0.5, 0.5},
                                          {0.25, 0.75, 0.75},
                                          {0.75, 0.25, 0.25},
                                          {0.125, 0.625, 0.375},
                                          {0.625, 0.125, 0.875},
                                          {0.375, 0.375, 0.625},
                                          {0.875, 0.875, 0.125}};
    bool seen[8] = {0};
    (void)state;
    for (uint64_t i = 0; i < 8; i++) { /* in the order of the binary code, that of Gray's code is the same set */
        double x[3];
        int found = -1;
        for (int d = 0; d < 3; d++) x[d] = (double)jn_sobol_bits(d, i) * 0x1p-52;
        for (int k = 0; k < 8; k++)
            if (x[0] == expected[k][0] && x[1] == expected[k][1] && x[2] == expected[k][2]) found = k;
        assert_int_not_equal(found, -1);
        assert_false(seen[found]);
        seen[found] = true;
    }
}

/* 2^m points: each slice of width 2^-m in each dimension holds one, scrambled or not. */
static void slices(void **state) {
    enum { M = 10, N = 1 << M };
    (void)state;
    for (int d = 0; d < JN_SOBOL_DIMENSIONS; d++)
        for (int scrambled = 0; scrambled < 2; scrambled++) {
            bool seen[N] = {0};
            for (uint64_t i = 0; i < N; i++) {
                double x = scrambled ? jn_sobol_scrambled(d, i, 7) : (double)jn_sobol_bits(d, i) * 0x1p-52;
                int slice = (int)(x * N);
                assert_false(seen[slice]);
                seen[slice] = true;
            }
        }
}

/* Dimensions 1 and 2 are a (0, m, 2)-net: each box 2^-a x 2^-(m-a) holds one point; scrambling keeps that. */
static void net(void **state) {
    enum { M = 8, N = 1 << M };
    (void)state;
    for (int a = 0; a <= M; a++) {
        bool seen[N] = {0};
        for (uint64_t i = 0; i < N; i++) {
            int x = (int)(jn_sobol_scrambled(0, i, 3) * (1 << a)),
                y = (int)(jn_sobol_scrambled(1, i, 3) * (1 << (M - a)));
            int box = (x << (M - a)) + y;
            assert_false(seen[box]);
            seen[box] = true;
        }
    }
}

/* The error of a smooth integral falls much faster than that of random points: with 1/n^1.5 once scrambled [Owen1995]. */
static void integral(void **state) {
    double error[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        int n = k ? 4096 : 256, seeds = 20;
        double sum = 0;
        for (int seed = 0; seed < seeds; seed++) {
            double mean = 0;
            for (uint64_t i = 0; i < (uint64_t)n; i++) {
                double f = 1;
                for (int d = 0; d < 5; d++) f *= 1 + (jn_sobol_scrambled(d, i, (uint64_t)seed) - 0.5) * 0.8;
                mean += f / n;
            }
            sum += (mean - 1) * (mean - 1) / seeds;
        }
        error[k] = sqrt(sum);
    }
    double order = log(error[0] / error[1]) / log(16);
    print_message("error %.2e with 256, %.2e with 4096 points: order %.2f\n", error[0], error[1], order);
    assert_true(order > 1.2);
    double independent = sqrt((pow(1 + 0.64 / 12, 5) - 1) / 4096); /* of independent points */
    assert_below(error[1], independent / 50);
}

/* Another seed, other points; the same seed, the same ones; mean and variance of a point over seeds are those of uniform numbers. */
static void seeds(void **state) {
    double mean = 0, square = 0;
    int n = 20000;
    (void)state;
    for (int seed = 0; seed < n; seed++) {
        double x = jn_sobol_scrambled(3, 5, (uint64_t)seed);
        assert_true(x > 0 && x < 1);
        mean += x / n, square += x * x / n;
    }
    assert_near(mean, 0.5, 4 * sqrt(1.0 / 12 / n));
    assert_near(square - mean * mean, 1.0 / 12, 4 * sqrt(1.0 / 180 / n));
    assert_true(jn_sobol_scrambled(2, 9, 1) == jn_sobol_scrambled(2, 9, 1));
    assert_true(jn_sobol_scrambled(2, 9, 1) != jn_sobol_scrambled(2, 9, 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_points), cmocka_unit_test(slices), cmocka_unit_test(net),
                                       cmocka_unit_test(integral), cmocka_unit_test(seeds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

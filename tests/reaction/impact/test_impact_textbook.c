/* Impacts of textbooks by every law: which laws give the closed form, and that the default law gives all of them. */
#include "check.h"
#include "impact_bench.h"
#include <string.h>

enum { LAWS = JN_IMPACT_KINDS, CASES = 6 };

/* A planar body with two points on the ground below it, at +-x and -y from its centre. */
static impact_bench *planar_body(double m, double inertia, double x, double y, const double *qd, double mu) {
    double M[9] = {m, 0, 0, 0, m, 0, 0, 0, inertia}, mu_s[2] = {mu, mu};
    double J[12] = {1, 0, y, 0, 1, -x, 1, 0, y, 0, 1, x};
    impact_bench *b = impact_bench_new(3, 2, 2, M, J, qd, mu_s, mu_s);
    impact_bench_one_body(b);
    return b;
}

/* It turns about its left point at w, clockwise, and its right point strikes: it turns about that one at ratio w afterwards. */
static double pivots(jn_impact_kind law, double m, double inertia, double x, double y, double mu) {
    static const double none[] = {0};
    double w = 1.7, qd[3] = {w * y, -w * x, -w};
    double ratio = (inertia + m * (y * y - x * x)) / (inertia + m * (y * y + x * x)), worst = 0;
    double expected[3] = {ratio * w * y, ratio * w * x, -ratio * w};
    impact_bench *b = planar_body(m, inertia, x, y, qd, mu);
    jn_impact_options o = jn_impact_default(law);
    o.e = none;
    impact_bench_solve(b, &o);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(b->qd_plus[k] - expected[k]) / w);
    impact_bench_free(b);
    return worst;
}

static double rimless_wheel(jn_impact_kind law) {
    double alpha = acos(-1) / 8;
    return pivots(law, 2, 0.5, sin(alpha), cos(alpha), 2);
}

static double housner_block(jn_impact_kind law) { return pivots(law, 5, 5 * (0.04 + 0.64) / 12, 0.1, 0.4, 1); }

static double flat_block(jn_impact_kind law) {
    static const double e[] = {0.6}, qd[3] = {0, -1, 0};
    impact_bench *b = planar_body(2, 0.05, 0.3, 0.1, qd, 0.4);
    jn_impact_options o = jn_impact_default(law);
    o.e = e;
    impact_bench_solve(b, &o);
    double worst = fmax(fabs(b->qd_plus[0]), fmax(fabs(b->qd_plus[1] - 0.6), fabs(b->qd_plus[2])));
    impact_bench_free(b);
    return worst;
}

/* In space, on four corners. */
static double flat_box(jn_impact_kind law) {
    static const double e[] = {0.6}, qd[6] = {0, 0, -1, 0, 0, 0}, mu[4] = {0.4, 0.4, 0.4, 0.4};
    double M[36] = {0}, J[12 * 6] = {0}, worst = 0;
    static const double inertia[3] = {0.05, 0.08, 0.09};
    for (int k = 0; k < 6; k++) M[7 * k] = k < 3 ? 2 : inertia[k - 3];
    for (int i = 0; i < 4; i++) {
        double x = i % 2 ? 0.3 : -0.3, y = i / 2 ? 0.2 : -0.2, z = -0.1, *row = J + 18 * i;
        row[0] = 1, row[4] = z, row[5] = -y;
        row[6 + 1] = 1, row[6 + 3] = -z, row[6 + 5] = x;
        row[12 + 2] = 1, row[12 + 3] = y, row[12 + 4] = -x;
    }
    impact_bench *b = impact_bench_new(6, 3, 4, M, J, qd, mu, mu);
    impact_bench_one_body(b);
    jn_impact_options o = jn_impact_default(law);
    o.e = e;
    impact_bench_solve(b, &o);
    for (int k = 0; k < 6; k++) worst = fmax(worst, fabs(b->qd_plus[k] - (k == 2 ? 0.6 : 0)));
    impact_bench_free(b);
    return worst;
}

/* Of balls that touch the last one alone leaves, with the whole speed. */
static double cradle(jn_impact_kind law) {
    enum { BALLS = 5 };
    double M[BALLS * BALLS] = {0}, J[2 * (BALLS - 1) * BALLS] = {0}, qd[BALLS] = {1}, worst = 0;
    for (int i = 0; i < BALLS; i++) M[(BALLS + 1) * i] = 0.2;
    for (int i = 0; i < BALLS - 1; i++) J[(2 * i + 1) * BALLS + i] = -1, J[(2 * i + 1) * BALLS + i + 1] = 1;
    impact_bench *b = impact_bench_new(BALLS, 2, BALLS - 1, M, J, qd, NULL, NULL);
    impact_bench_chain(b);
    jn_impact_options o = jn_impact_default(law);
    impact_bench_solve(b, &o);
    for (int i = 0; i < BALLS; i++) worst = fmax(worst, fabs(b->qd_plus[i] - (i == BALLS - 1)));
    impact_bench_free(b);
    return worst;
}

/* Energy gained by a rod that strikes a rough floor with one end at an angle [Kane1985]. */
static double rough_rod(jn_impact_kind law) {
    static const double e[] = {0.7}, mu[] = {0.8};
    double most = 0;
    for (int k = 0; k < 1000; k++) {
        double angle = 1.5 * (k % 40) / 40, x = 0.5 * cos(angle), y = 0.5 * sin(angle);
        double qd[3] = {-2 + 4.0 * (k / 40) / 24, -1, 1};
        double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 48}, J[6] = {1, 0, y, 0, 1, x};
        impact_bench *b = impact_bench_new(3, 2, 1, M, J, qd, mu, mu);
        impact_bench_one_body(b);
        jn_impact_options o = jn_impact_default(law);
        o.e = e;
        impact_bench_solve(b, &o);
        most = fmax(most, impact_bench_energy(b, b->qd_plus) / impact_bench_energy(b, qd) - 1);
        impact_bench_free(b);
    }
    return fmax(most, 0);
}

/* The table of docs/reaction.md: laws that miss a case are named there with it. */
static void test_cases(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double (*run)(jn_impact_kind law);
        bool missed[LAWS]; /* newton, poisson, stronge, simultaneous, sequential, moreau, poisson_lcp, lzb, staged */
    } cases[CASES] = {{"rimless wheel", rimless_wheel, {0, 0, 0, 1, 0, 0, 0, 0, 0}},
                      {"Housner's block", housner_block, {0, 0, 0, 1, 0, 0, 0, 0, 0}},
                      {"flat block", flat_block, {1, 1, 1, 0, 1, 0, 0, 0, 0}},
                      {"flat box", flat_box, {1, 1, 1, 0, 1, 0, 0, 0, 0}},
                      {"cradle", cradle, {0, 0, 0, 0, 0, 1, 1, 1, 0}},
                      {"energy gained", rough_rod, {1, 0, 0, 0, 0, 1, 0, 0, 0}}};
    for (int c = 0; c < CASES; c++)
        for (int law = 0; law < LAWS; law++) {
            double error = cases[c].run((jn_impact_kind)law);
            print_message("%-16s %-14s %.2e\n", cases[c].name, jn_impact_get_info((jn_impact_kind)law)->name, error);
            if (cases[c].missed[law])
                assert_true(error > 1e-3);
            else
                assert_below(error, law == JN_IMPACT_LZB ? 1e-7 : 1e-10);
        }
    assert_int_equal(jn_run_default().impact_law, JN_IMPACT_STAGED);
}

/* A ball with e = e_T = 1 returns its slip; where friction cannot hold it, it slides with mu times the normal impulse. */
static void test_super_ball(void **state) {
    (void)state;
    for (int k = 0; k < 200; k++) {
        double m = 0.06, R = 0.025, I = 0.4 * m * R * R, a = 0.1 * k, mu = k % 2 ? 5 : 0.1, e = 1 - 0.3 * (k % 3);
        double qd[6] = {2 * cos(a), 2 * sin(a), -3, 20 * cos(3 * a), 30 * sin(2 * a), 5}, M[36] = {0};
        double J[18] = {1, 0, 0, 0, -R, 0, 0, 1, 0, R, 0, 0, 0, 0, 1, 0, 0, 0};
        for (int i = 0; i < 6; i++) M[7 * i] = i < 3 ? m : I;
        impact_bench *b = impact_bench_new(6, 3, 1, M, J, qd, &mu, &mu);
        impact_bench_one_body(b);
        b->contact[0].e_t = e;
        jn_impact_options o = jn_impact_default(JN_IMPACT_STAGED);
        o.e = &e;
        assert_int_equal(impact_bench_solve(b, &o), JN_OK);
        double slip[2] = {qd[0] - R * qd[4], qd[1] + R * qd[3]}, size = hypot(slip[0], slip[1]);
        double stop = 2.0 / 7 * m * size, most = mu * m * 3; /* [N s] that ends the slip; of friction in compression */
        double p = stop <= most ? (1 + e) * stop : fmin((1 + e) * most, stop);
        assert_near(b->qd_plus[2], 3 * e, 1e-11);
        for (int r = 0; r < 2; r++) assert_near(b->qd_plus[r], qd[r] - p / m * slip[r] / size, 1e-9);
        assert_true(impact_bench_energy(b, b->qd_plus) <= impact_bench_energy(b, qd) * (1 + 1e-12));
        impact_bench_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_super_ball)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

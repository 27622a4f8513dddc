/* Public benchmark problems (../shared/reference/OUTSIDE.md and tables/): the whole curve, in both coordinates. */
#include "body_scenes.h"
#include "check.h"
#include "reference_model.h"
#include "number_table.h"
#include <string.h>

static const jn_coordinates both[2] = {JN_COORDINATES_RELATIVE, JN_COORDINATES_ABSOLUTE};
static const char *const mode_name[2] = {"relative", "absolute"};

static table read_table(const char *name) {
    char file[128];
    snprintf(file, sizeof file, "tables/%s", name);
    table t = table_read(reference_path(file));
    assert_non_null(t.data);
    return t;
}

static void advance(bench *b, double t) {
    assert_int_equal(jn_sim_advance(b->sim, t), JN_OK);
    bench_observe(b);
}

static void point(const bench *b, int k, double *p, double *v) {
    jn_vec3 x, y, z;
    jn_point_motion_get(b->model, jn_sim_work(b->sim), k, &x, &y, &z);
    memcpy(p, &x, sizeof x);
    memcpy(v, &y, sizeof y);
}

/* A point mass on a massless rod has no inertia about itself: no absolute coordinates. Exact elliptic functions. */
static void test_a01(void **state) {
    (void)state;
    if (!reference_present()) return;
    table t = read_table("A01_pendulum_exact.csv");
    bench b;
    double worst = 0;
    bench_read(&b, "models/iftomm/a01_pendulum.yaml", JN_COORDINATES_RELATIVE);
    for (int row = 0; row < t.rows; row++) {
        advance(&b, table_at(&t, row, 0));
        jn_body_motion m = bench_body(&b, 1);
        worst = fmax(worst, fabs(m.position.x - table_at(&t, row, 1)));
        worst = fmax(worst, fabs(m.position.y - table_at(&t, row, 2)));
    }
    printf("A01 pendulum           relative: %d rows to %g s, off by %.1e m\n", t.rows, table_at(&t, t.rows - 1, 0),
           worst);
    assert_below(worst, 1e-9);
    bench_close(&b);
    table_free(&t);
}

/* Every half turn all links lie on one line and the equations lose rank; what the passage adds does not shrink with the
 * tolerance of the integrator (24 tolerances about 1e-12: 1e-10 to 5e-7 m in relative; 5e-6 to 2e-5 m in absolute coordinates). */
static void test_a02(void **state) {
    (void)state;
    if (!reference_present()) return;
    table t = read_table("A02_Nfourbar_N2.csv");
    for (int mode = 0; mode < 2; mode++) {
        bench b;
        double worst[2] = {0, 0};
        bench_read(&b, "models/iftomm/a02_two_four_bars.yaml", both[mode]);
        for (int row = 0; row < t.rows; row++) {
            double p[3], v[3];
            advance(&b, table_at(&t, row, 0));
            point(&b, 0, p, v);
            for (int i = 0; i < 2; i++) {
                worst[0] = fmax(worst[0], fabs(p[i] - table_at(&t, row, 1 + i)));
                worst[1] = fmax(worst[1], fabs(v[i] - table_at(&t, row, 3 + i)));
            }
        }
        printf("A02 two four-bars      %s: %d rows to %g s, off by %.1e m, %.1e m/s\n", mode_name[mode], t.rows,
               table_at(&t, t.rows - 1, 0), worst[0], worst[1]);
        assert_below(worst[0], mode ? 3e-5 : 2e-6);
        assert_below(worst[1], mode ? 2e-4 : 1e-5);
        bench_close(&b);
    }
    table_free(&t);
}

/* Angles of the book: beta, theta, gamma, phi, delta, omega, epsilon. */
static void andrews_angles(const bench *b, double *x) {
    double K[8];
    for (int k = 1; k < 8; k++) K[k] = bench_body(b, k).angle;
    const double angles[7] = {K[1], K[2] - K[1], K[3], K[4] - K[5], K[5], K[6] - K[7], K[7]};
    memcpy(x, angles, sizeof angles);
}

static void test_a03(void **state) {
    (void)state;
    if (!reference_present()) return;
    static const double end[7] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                                  0.5244099658805304, 0.5347301163226948, 1.048080741042263}; /* PSIDE, 0.03 s */
    table t = read_table("A03_andrews.csv");
    for (int mode = 0; mode < 2; mode++) {
        bench b;
        double worst = 0, last = 0, x[7];
        bench_read(&b, "models/iftomm/andrews.yaml", both[mode]);
        for (int row = 0; row < t.rows; row++) {
            advance(&b, table_at(&t, row, 0));
            andrews_angles(&b, x);
            for (int i = 0; i < 7; i++) worst = fmax(worst, fabs(x[i] - table_at(&t, row, 1 + i)));
            for (int i = 0; i < 7 && fabs(table_at(&t, row, 0) - 0.03) < 1e-9; i++)
                last = fmax(last, fabs(x[i] - end[i]));
        }
        printf("A03 Andrews            %s: %d rows, off by %.1e rad; at 0.03 s by %.1e\n", mode_name[mode], t.rows,
               worst, last);
        assert_below(worst, 1e-8);
        assert_true(last > 0);
        assert_below(last, 1e-8);
        bench_close(&b);
    }
    table_free(&t);
}

static void test_a04(void **state) {
    (void)state;
    static const double end[3] = {0.510501461, -1.649167599, 0.140123115}; /* IFToMM library, P3 at 1 s */
    for (int mode = 0; mode < 2; mode++) {
        bench b;
        jn_mobility mobility;
        double p[3], v[3], worst = 0;
        bench_read(&b, "models/iftomm/a04_bricard.yaml", both[mode]);
        advance(&b, 1);
        point(&b, 0, p, v);
        for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(p[i] - end[i]));
        assert_true(jn_study_mobility(b.model, &mobility, &b.report) >= 0);
        printf("A04 Bricard            %s: off by %.1e m at 1 s; rank %d, %d freedom, %d redundant equation\n",
               mode_name[mode], worst, mobility.rank, mobility.dof, mobility.redundant);
        assert_below(worst, 1e-8);
        assert_int_equal(mobility.rank, 29);
        assert_int_equal(mobility.dof, 1);
        assert_int_equal(mobility.redundant, 1);
        jn_mobility_free(&mobility);
        bench_close(&b);
    }
}

/* Body rates from world rates. */
static void body_rates(const jn_body_motion *m, double *out) {
    jn_quat q = m->orientation;
    jn_vec3 w = m->angular_velocity, u = {-q.x, -q.y, -q.z};
    jn_vec3 t = {2 * (u.y * w.z - u.z * w.y), 2 * (u.z * w.x - u.x * w.z), 2 * (u.x * w.y - u.y * w.x)};
    out[0] = w.x + q.w * t.x + u.y * t.z - u.z * t.y;
    out[1] = w.y + q.w * t.y + u.z * t.x - u.x * t.z;
    out[2] = w.z + q.w * t.z + u.x * t.y - u.y * t.x;
}

static void test_heavy_top(void **state) {
    (void)state;
    if (!reference_present()) return;
    table t = read_table("heavy_top.csv");
    for (int mode = 0; mode < 2; mode++) {
        bench b;
        double worst[3] = {0, 0, 0};
        bench_read(&b, "models/iftomm/heavy_top.yaml", both[mode]);
        for (int row = 0; row < t.rows; row++) {
            advance(&b, table_at(&t, row, 0));
            jn_body_motion m = bench_body(&b, 1);
            double W[3], dot = 0;
            body_rates(&m, W);
            for (int i = 0; i < 4; i++) dot += (&m.orientation.w)[i] * table_at(&t, row, 1 + i);
            for (int i = 0; i < 4; i++)
                worst[0] = fmax(worst[0], fabs((dot < 0 ? -1 : 1) * (&m.orientation.w)[i] - table_at(&t, row, 1 + i)));
            for (int i = 0; i < 3; i++) worst[1] = fmax(worst[1], fabs((&m.position.x)[i] - table_at(&t, row, 5 + i)));
            for (int i = 0; i < 3; i++) worst[2] = fmax(worst[2], fabs(W[i] - table_at(&t, row, 8 + i)));
        }
        printf("heavy top              %s: %d rows to %g s, off by %.1e (quaternion), %.1e m, %.1e rad/s\n",
               mode_name[mode], t.rows, table_at(&t, t.rows - 1, 0), worst[0], worst[1], worst[2]);
        assert_below(worst[0], 2e-9);
        assert_below(worst[1], 2e-9);
        assert_below(worst[2], 1e-7); /* of 150 rad/s */
        bench_close(&b);
    }
    table_free(&t);
}

/* The body rates of a free body return after one period; in between it turns over. [OUTSIDE.md] */
static void test_dzhanibekov(void **state) {
    (void)state;
    static const double period = 55.0616811069822, start[3] = {1e-3, 1, 1e-3};
    for (int mode = 0; mode < 2; mode++) {
        bench b;
        double W[3], worst = 0;
        bench_read(&b, "models/iftomm/dzhanibekov.yaml", both[mode]);
        advance(&b, period / 2);
        jn_body_motion half = bench_body(&b, 1);
        body_rates(&half, W);
        double middle = W[1];
        advance(&b, period);
        jn_body_motion m = bench_body(&b, 1);
        body_rates(&m, W);
        for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(W[i] - start[i]));
        printf("Dzhanibekov            %s: rates return after one period to %.1e rad/s; half way %.6f\n",
               mode_name[mode], worst, middle);
        assert_below(worst, 1e-9);
        assert_true(middle < -0.99);
        bench_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a01),       cmocka_unit_test(test_a02),
                                       cmocka_unit_test(test_a03),       cmocka_unit_test(test_a04),
                                       cmocka_unit_test(test_heavy_top), cmocka_unit_test(test_dzhanibekov)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

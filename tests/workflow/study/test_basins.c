/* Basins of attraction and spectra against closed forms. */
#include "study_run.h"
#include "workflow/study/statistics/fourier.h"
#include "workflow/study/statistics/random.h"

static int enter(void **state) {
    (void)state;
    return command_enter() ? -1 : 0;
}

#define PI 3.14159265358979323846

/* x'' + c x' - x + x^3 = 0 comes to rest at 1 or -1. Below the energy of the ridge between them it is the side where it starts; above, the opposite
 * start ends on the opposite side. */
static void double_well(void **state) {
    enum { N = 12 };
    (void)state;
    save("well.yaml", "plane: xy\ngravity: [0, 0]\nparameters: {x0: 1, v0: 0}\n"
                      "bodies: {mass: {mass: 1, inertia: 1, com: [0, 0]}}\n"
                      "joints: {rail: {type: prismatic, between: [ground, mass], at: [0, 0], axis: x, damping: 0.25, "
                      "force: x - x^3, position: x0, speed: v0}}\nrun: {until: 60 s, tolerance: 1e-9}\n");
    jn_study *s = study_run("study: wells\nmodel: well.yaml\nbasins: {tolerance: 0.01}\n"
                            "vary: {x0: {from: -2, to: 2, count: 12}, v0: {from: -1.5, to: 1.5, count: 12}}\n"
                            "measure: {place: {end: joint.rail.q}}\n");
    int label = study_column(s, "attractor"), place = study_column(s, "place");
    int low = 0;
    for (int r = 0; r < N * N; r++) {
        double x = jn_study_value(s, r, 0), v = jn_study_value(s, r, 1), end = jn_study_value(s, r, place);
        double energy = v * v / 2 - x * x / 2 + x * x * x * x / 4;
        assert_near(fabs(end), 1, 2e-3);
        assert_near(jn_study_value(s, r, label), end * jn_study_value(s, 0, place) > 0 ? 1 : 2, 0);
        if (energy < -1e-3) assert_true(end * x > 0), low++;
        assert_true(end * jn_study_value(s, N * N - 1 - r, place) < 0);
    }
    assert_true(low > 10);
    assert_string_equal(s->finding[0].name, "attractors");
    assert_near(s->finding[0].value, 2, 0);
    assert_near(s->finding[1].value, 0.5, 0);
    jn_study_free(s);
}

/* The transform against its definition, and back: random series of all lengths to 256. */
static void transform(void **state) {
    double x[256], re[256], im[256];
    (void)state;
    for (long n = 1; n <= 256; n *= 2) {
        for (long i = 0; i < n; i++)
            re[i] = x[i] = jn_random_unit(jn_random_bits(7, (uint64_t)n, (uint64_t)i)), im[i] = 0;
        jn_fourier(re, im, n);
        for (long k = 0; k < n; k++) {
            double a = 0, b = 0;
            for (long i = 0; i < n; i++) {
                double angle = 2 * PI * (double)(i * k % n) / (double)n;
                a += x[i] * cos(angle), b -= x[i] * sin(angle);
            }
            assert_near(re[k], a, 1e-11);
            assert_near(im[k], b, 1e-11);
        }
    }
}

/* A hundred random pairs of tones and a constant: frequencies to 1e-4 of a line's width, amplitudes to 1e-4. */
static void tones(void **state) {
    enum { N = 1000 };
    static double x[N];
    (void)state;
    for (uint64_t c = 0; c < 100; c++) {
        double u[6], f[3], a[3];
        for (uint64_t i = 0; i < 6; i++) u[i] = jn_random_unit(jn_random_bits(3, c, i));
        double dt = 0.01, f1 = 2 + 18 * u[0], f2 = 22 + 25 * u[1], a1 = 1 + u[2], a2 = 0.1 + 0.5 * u[3];
        for (int i = 0; i < N; i++)
            x[i] = 5 + a1 * cos(2 * PI * (f1 * i * dt + u[4])) + a2 * cos(2 * PI * (f2 * i * dt + u[5]));
        assert_true(jn_fourier_peaks(x, N, dt, 3, f, a));
        assert_near(f[0], f1, 1e-4 / (N * dt));
        assert_near(a[0], a1, 1e-4);
        assert_near(f[1], f2, 1e-3 / (N * dt));
        assert_near(a[1], a2, 1e-4);
    }
}

/* Two coupled oscillators: sqrt(k/m) and sqrt(3 k/m). */
static void modes(void **state) {
    (void)state;
    save("modes.yaml",
         "plane: xy\ngravity: [0, 0]\n"
         "bodies: {a: {mass: 1, inertia: 1, com: [0, 0]}, b: {mass: 1, inertia: 1, com: [1, 0]}}\n"
         "joints: {ra: {type: prismatic, between: [ground, a], at: [0, 0], axis: x, position: 0.1,\n"
         "  force: 100*(joint.rb.q - 2*x)},\n"
         "  rb: {type: prismatic, between: [ground, b], at: [1, 0], axis: x, force: 100*(joint.ra.q - 2*x)}}\n"
         "run: {until: 30 s, tolerance: 1e-10}\n");
    jn_study *s = study_run("study: modes\nmodel: modes.yaml\nmeasure: {m: {spectrum: joint.ra.q, every: 0.05 s}}\n");
    double low = fmin(jn_study_value(s, 0, 0), jn_study_value(s, 0, 2)),
           high = fmax(jn_study_value(s, 0, 0), jn_study_value(s, 0, 2));
    assert_near(low, 10 / (2 * PI), 1e-5);
    assert_near(high, 10 * sqrt(3) / (2 * PI), 1e-5);
    assert_near(jn_study_value(s, 0, 1), 0.05, 1e-5);
    assert_near(jn_study_value(s, 0, 3), 0.05, 1e-5);
    assert_string_equal(jn_study_column_unit(s, 0), "1/s");
    jn_study_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(double_well), cmocka_unit_test(transform),
                                       cmocka_unit_test(tones), cmocka_unit_test(modes)};
    return cmocka_run_group_tests(tests, enter, command_teardown);
}

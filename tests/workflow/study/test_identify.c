/* Identification: least squares within bounds on functions with a known answer, and parameters of a rebound from noisy heights. */
#include "base/file.h"
#include "base/memory.h"
#include "study_run.h"
#include "workflow/study/statistics/distribution.h"
#include "workflow/study/search/least_squares.h"
#include "workflow/study/statistics/random.h"
#include <stdlib.h>

/* -------------------------------------------------------------------------------------------------- least squares */

enum { MOST = 40 };

typedef void residuals(const double *u, double *r, double *J);

/* Rosenbrock's valley, with its minimum at (0.5, 0.5); a point of it is (4 u - 1). */
static void valley(const double *u, double *r, double *J) {
    double x = 4 * u[0] - 1, y = 4 * u[1] - 1;
    r[0] = 10 * (y - x * x), r[1] = 1 - x;
    J[0] = -80 * x, J[1] = -4, J[2] = 40, J[3] = 0;
}

/* 20 values of a exp(-b t), a = 0.7 and b = 3 u. */
static void decay(const double *u, double *r, double *J) {
    for (int j = 0; j < 20; j++) {
        double t = 0.1 * j, e = exp(-3 * u[1] * t);
        r[j] = u[0] * e - 0.7 * exp(-1.2 * t);
        J[j] = e, J[20 + j] = -3 * t * u[0] * e;
    }
}

/* A plane whose minimum without bounds lies outside at u0 = 1.5: within them at u0 = 1, u1 = 0.25. */
static void outside(const double *u, double *r, double *J) {
    r[0] = u[0] - 1.5, r[1] = 2 * (u[1] - 0.25), r[2] = 0;
    J[0] = 1, J[1] = 0, J[2] = 0, J[3] = 0, J[4] = 2, J[5] = 0;
}

static jn_search search(residuals *f, int n, double u0, double u1, int *rounds) {
    static double memory[600];
    double r[MOST], J[2 * MOST];
    memset(memory, 0, sizeof memory);
    jn_search s = {.k = 2,
                   .n = n,
                   .u = memory,
                   .trial = memory + 2,
                   .scale = memory + 4,
                   .r = memory + 6,
                   .J = memory + 6 + n,
                   .work = memory + 6 + 3 * n,
                   .cost = INFINITY};
    assert_true(6 + 3 * n + jn_search_work(2, n) <= 600);
    s.trial[0] = u0, s.trial[1] = u1;
    for (*rounds = 0; s.state == JN_SEARCH_OPEN && *rounds < 200; ++*rounds) {
        f(s.trial, r, J);
        jn_search_step(&s, r, J, 1e-9);
    }
    return s;
}

static void minima(void **state) {
    (void)state;
    for (int k = 0; k < 100; k++) {
        double u0 = jn_random_unit(jn_random_bits(5, 0, (uint64_t)k)),
               u1 = jn_random_unit(jn_random_bits(5, 1, (uint64_t)k));
        int rounds;
        jn_search s = search(valley, 2, u0, u1, &rounds);
        assert_int_equal(s.state, JN_SEARCH_FOUND);
        assert_near(s.u[0], 0.5, 1e-7);
        assert_near(s.u[1], 0.5, 1e-7);
        s = search(decay, 20, u0, u1, &rounds);
        assert_int_equal(s.state, JN_SEARCH_FOUND);
        assert_near(s.u[0], 0.7, 1e-7);
        assert_near(s.u[1], 0.4, 1e-7);
        s = search(outside, 3, u0, u1, &rounds);
        assert_int_equal(s.state, JN_SEARCH_FOUND);
        assert_near(s.u[0], 1, 0);
        assert_near(s.u[1], 0.25, 1e-7);
    }
}

/* C of two independent columns, and the rank where they are the same. */
static void covariance(void **state) {
    double C[4];
    int rounds;
    (void)state;
    jn_search s = search(decay, 20, 0.3, 0.3, &rounds);
    assert_int_equal(jn_search_covariance(&s, C), 2);
    double a = 0, b = 0, c = 0; /* J^T J */
    for (int j = 0; j < 20; j++) a += s.J[j] * s.J[j], b += s.J[j] * s.J[20 + j], c += s.J[20 + j] * s.J[20 + j];
    double det = a * c - b * b;
    assert_near(C[0], c / det, 1e-9 * c / det);
    assert_near(C[1], -b / det, 1e-9 * fabs(b / det));
    assert_near(C[3], a / det, 1e-9 * a / det);
    memcpy(s.J + 20, s.J, 20 * sizeof *s.J);
    assert_int_equal(jn_search_covariance(&s, C), 1);
}

/* --------------------------------------------------------------------------------------------------------- rebound */

enum { TRIES = 200, HEIGHTS = 60 };
static const double g = 9.81, radius = 0.02, noise = 5e-4;

/* Height of a ball dropped from h with restitution e. */
static double height(double h, double e, double t) {
    double T = sqrt(2 * h / g), v = g * T, start = T;
    if (t < T) return radius + h - 0.5 * g * t * t;
    for (;;) {
        v *= e;
        double flight = 2 * v / g, x = t - start;
        if (x < flight) return radius + v * x - 0.5 * g * x * x;
        start += flight;
    }
}

static void save_heights(int attempt, double h, double e) {
    char text[HEIGHTS * 64], *at = text;
    at += sprintf(at, "time,height\n");
    for (int j = 0; j < HEIGHTS; j++) {
        double t = 0.025 * (j + 0.5),
               z = jn_normal_value(jn_random_unit(jn_random_bits(11, (uint64_t)attempt, (uint64_t)j)));
        at += sprintf(at, "%.17g,%.17g\n", t, height(h, e, t) + noise * z);
    }
    save("heights.csv", text);
}

static const char rebound[] = "study: rebound\nmodel: " JN_SOURCE_DIR "/models/textbook/rebound.yaml\n"
                              "tables: {camera: {file: heights.csv}}\n"
                              "vary: {drop: {from: 0.4 m, to: 0.6 m}, restitution: {from: 0.7, to: 0.9}}\n"
                              "measure: {y: {compare: body.ball.y, with: camera%s}}\n"
                              "identify: {tolerance: 1e-6}\n";

/* How often the intervals of 95 % hold the true values: 190 of 200 are expected, with a deviation of 3.1. */
static void coverage(const char *deviation) {
    char text[600];
    int held[2] = {0};
    snprintf(text, sizeof text, rebound, deviation);
    for (int k = 0; k < TRIES; k++) {
        double h = 0.45 + 0.1 * jn_random_unit(jn_random_bits(12, 0, (uint64_t)k)),
               e = 0.75 + 0.1 * jn_random_unit(jn_random_bits(12, 1, (uint64_t)k)), truth[2] = {h, e};
        jn_report report = {0};
        save_heights(k, h, e);
        jn_study *s = study_open(text);
        assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 1}, &report), JN_OK);
        check_report(&report);
        for (int p = 0; p < 2; p++) {
            const jn_finding *f = jn_study_finding(s, p);
            assert_near(f->value, truth[p], 2e-3);
            held[p] += f->low <= truth[p] && truth[p] <= f->high;
        }
        jn_study_free(s);
    }
    print_message("intervals that hold the truth: %d and %d of %d\n", held[0], held[1], TRIES);
    for (int p = 0; p < 2; p++)
        if (held[p] < 178 || held[p] > 199) fail_msg("%d of %d intervals hold parameter %d", held[p], TRIES, p);
}

static void coverage_with_deviation(void **state) {
    (void)state;
    coverage(", deviation: 0.5 mm");
}

static void coverage_without(void **state) {
    (void)state;
    coverage("");
}

/* ----------------------------------------------------------------------------------------------------- as a study */

/* A journal that ends anywhere leads to the same table, also in rounds that were planned later. */
static void resumed(void **state) {
    char text[600];
    size_t length, whole_length, csv_length;
    int reason;
    jn_report report = {0};
    (void)state;
    save_heights(1, 0.5, 0.8);
    snprintf(text, sizeof text, rebound, "");
    jn_study *s = study_open(text);
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.folder = "whole", .threads = 2}, &report), JN_OK);
    jn_study_free(s);
    unsigned char *journal = jn_file_read("whole/study.journal", &length, &reason),
                  *whole = jn_file_read("whole/study.csv", &whole_length, &reason);
    for (int part = 1; part < 8; part++) {
        s = study_open(text);
        assert_int_equal(jn_file_write("cut.journal", journal, length * (size_t)part / 8), 0);
        assert_int_equal(system("mkdir -p cut && mv cut.journal cut/study.journal"), 0);
        jn_study_options options = {.folder = "cut", .threads = 1, .resume = true};
        assert_int_equal(jn_study_perform(s, &options, &report), JN_OK);
        unsigned char *csv = jn_file_read("cut/study.csv", &csv_length, &reason);
        assert_int_equal(csv_length, whole_length);
        assert_memory_equal(csv, whole, whole_length);
        jn_free(csv), jn_study_free(s);
    }
    jn_free(journal), jn_free(whole);
}

/* What data cannot tell is said. */
static void untold(void **state) {
    jn_report report = {0};
    (void)state;
    save_heights(2, 0.5, 0.8);
    save("two.yaml", "plane: xy\n"
                     "parameters: {a: 0.3 m, b: 0.2 m}\n"
                     "bodies: {ball: {mass: 1, inertia: 1, com: [0, a + b]}}\n"
                     "run: {until: 1.5 s}\n");
    jn_study *s = study_open("study: two\nmodel: two.yaml\ntables: {camera: {file: heights.csv}}\n"
                             "vary: {a: {from: 0.1 m, to: 0.9 m}, b: {from: 0.1 m, to: 0.9 m}}\n"
                             "measure: {y: {compare: body.ball.y, with: camera, before: 0.3 s}}\nidentify: {}\n");
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 1}, &report), JN_OK);
    assert_int_equal(report.warnings, 1);
    has(report.item[0].text, "do not tell all parameters apart: 1 of 2");
    assert_near(jn_study_finding(s, 0)->value + jn_study_finding(s, 1)->value, 0.52, 1e-3);
    jn_study_free(s);
}

/* A wrong file: where, and what to write. */
static void mistakes(void **state) {
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"vary: {drop: {from: 0.4 m, to: 0.6 m}}\nmeasure: {y: {compare: body.ball.y, with: camara}}\nidentify: {}\n",
         "there is no table 'camara'"},
        {"vary: {drop: {from: 0.4 m, to: 0.6 m}}\nmeasure: {y: {end: body.ball.y}}\nidentify: {}\n",
         "nothing to come near to"},
        {"vary: {drop: [0.4 m, 0.6 m]}\nmeasure: {y: {compare: body.ball.y, with: camera}}\nidentify: {}\n",
         "has bounds"},
        {"vary: {drop: {from: 0.4 m, to: 0.6 m}}\nmeasure: {y: {compare: body.ball.y, with: camera}}\nuntil: 1 s\n"
         "identify: {}\n",
         "runs go from 0 to 1 s"},
    };
    (void)state;
    save_heights(3, 0.5, 0.8);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[800];
        jn_report report = {0};
        snprintf(text, sizeof text,
                 "study: wrong\nmodel: %s/models/textbook/rebound.yaml\n"
                 "tables: {camera: {file: heights.csv}}\n%s",
                 JN_SOURCE_DIR, wrong[k].text);
        save("study.yaml", text);
        assert_null(jn_study_open("study.yaml", NULL, 0, &report));
        assert_true(report.errors > 0 && report.item[0].line > 0);
        has(report.item[0].text, wrong[k].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minima),           cmocka_unit_test(covariance), cmocka_unit_test(coverage_with_deviation),
        cmocka_unit_test(coverage_without), cmocka_unit_test(resumed),    cmocka_unit_test(untold),
        cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}

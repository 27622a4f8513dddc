/* Optimisation: functions whose minimum is known, and a throw under a ceiling against its closed form. */
#include "study_run.h"
#include "workflow/study/search/evolution.h"
#include "workflow/study/search/optimise_nlopt.h"
#include "workflow/study/statistics/random.h"
#include <errno.h>
#include <sys/stat.h>

typedef double objective(const double *x, int k);

/* Half axes from 1 to 1000, centre at 0.3. */
static double ellipsoid(const double *x, int k) {
    double sum = 0;
    for (int i = 0; i < k; i++) sum += pow(1e6, (double)i / (k - 1)) * (x[i] - 0.3) * (x[i] - 0.3);
    return sum;
}

/* Rosenbrock's valley, minimum at 0.5. */
static double valley(const double *x, int k) {
    double sum = 0;
    for (int i = 0; i + 1 < k; i++) {
        double a = 4 * x[i] - 1, b = 4 * x[i + 1] - 1;
        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return sum;
}

/* Falls towards a corner of the cube: 0, 1, 0, ... */
static double corner(const double *x, int k) {
    double sum = 0;
    for (int i = 0; i < k; i++) sum += (i + 1) * (i % 2 ? 1 - x[i] : x[i]);
    return sum;
}

/* Largest distance of the end of a search from a point. */
static double search(objective *f, int k, uint64_t seed, const double *minimum) {
    jn_evolution e;
    double start[8], best[8] = {0}, least = INFINITY, off = 0;
    for (int i = 0; i < k; i++) start[i] = jn_random_unit(jn_random_bits(seed, 99, (uint64_t)i));
    jn_evolution_start(&e, k, 12, start, 0.25, seed, 0);
    for (int g = 0; g < 2000 && jn_evolution_spread(&e) > 1e-9; g++) {
        double value[JN_EVOLUTION_POINTS];
        int order[JN_EVOLUTION_POINTS];
        jn_evolution_sample(&e);
        for (int j = 0; j < e.points; j++) {
            int at = j;
            value[j] = f(e.x + j * k, k);
            for (; at > 0 && value[j] < value[order[at - 1]]; at--) order[at] = order[at - 1];
            order[at] = j;
            for (int i = 0; i < k; i++) assert_true(e.x[j * k + i] >= 0 && e.x[j * k + i] <= 1);
        }
        if (value[order[0]] < least)
            least = value[order[0]], memcpy(best, e.x + order[0] * k, (size_t)k * sizeof *best);
        jn_evolution_adapt(&e, order);
    }
    for (int i = 0; i < k; i++) off = fmax(off, fabs(best[i] - minimum[i]));
    return off;
}

static void minima(void **state) {
    static const double low[8] = {0.3, 0.3, 0.3, 0.3, 0.3}, middle[8] = {0.5, 0.5, 0.5}, ends[8] = {0, 1, 0, 1, 0};
    int found = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(search(ellipsoid, 5, seed, low) < 1e-6);
        assert_true(search(corner, 5, seed, ends) < 1e-6);
        found += search(valley, 3, seed, middle) < 1e-5;
    }
    assert_true(found >= 19); /* of 20: in three dimensions it has no other minimum, but its floor is nearly flat */
}

#define THROW                                                                                                          \
    "study: throw\nmodel: " JN_SOURCE_DIR "/models/textbook/throw.yaml\nvary: {angle: {from: 5 deg, to: 85 deg}}\n"    \
    "measure:\n  range: {end: body.ball.x}\n"

/* With and without the ceiling, and where no angle keeps the limit. */
static void ceiling(void **state) {
    double free = 10 * 10 / 9.81, angle = asin(sqrt(2 * 9.81 * 2) / 10);
    jn_report report = {0};
    (void)state;
    jn_study *s = study_open(THROW "optimise: {maximise: range}\n");
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 2}, &report), JN_OK);
    check_report(&report);
    assert_near(jn_study_finding(s, 0)->value, asin(1) / 2, 1e-4); /* the top of the curve is flat */
    assert_near(jn_study_finding(s, 1)->value, free, 1e-8);
    jn_study_free(s);
    s = study_open(THROW "  top: {end: body.ball.y + body.ball.vy^2/(2*g), below: 2 m}\noptimise: {maximise: range}\n");
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 1}, &report), JN_OK);
    check_report(&report);
    assert_near(jn_study_finding(s, 0)->value, angle, 1e-5);
    assert_near(jn_study_finding(s, 1)->value, 100 * sin(2 * angle) / 9.81, 1e-4);
    jn_study_free(s);
    s = study_open(THROW
                   "  top: {end: body.ball.y + body.ball.vy^2/(2*g), below: 1 cm}\noptimise: {maximise: range}\n");
    assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 1}, &report), JN_OK);
    assert_int_equal(report.warnings, 1);
    has(report.item[0].text, "no run keeps all limits");
    assert_near(jn_study_finding(s, 0)->value, asin(1) / 18, 1e-5); /* 5 degrees: the least beyond */
    jn_study_free(s);
}

/* Each method of NLopt on the throw, whose top is at 45 degrees; those that know limits under the ceiling, from three starts. */
static void by_nlopt(void **state) {
    double free = 10 * 10 / 9.81, angle = asin(sqrt(2 * 9.81 * 2) / 10);
    char text[600], version[32];
    (void)state;
    if (!jn_nlopt_version(version)) skip();
    for (int i = 0; jn_nlopt_method_at(i); i++) {
        const jn_nlopt_method *m = jn_nlopt_method_at(i);
        jn_report report = {0};
        snprintf(text, sizeof text, THROW "optimise: {maximise: range, by: %s, rounds: 200}\n", m->name);
        jn_study *s = study_open(text);
        assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 2}, &report), JN_OK);
        check_report(&report);
        assert_near(jn_study_finding(s, 0)->value, asin(1) / 2, m->settles ? 1e-4 : 1e-2);
        assert_near(jn_study_finding(s, 1)->value, free, m->settles ? 1e-8 : 1e-3);
        jn_study_free(s);
        if (!m->limits) continue;
        snprintf(text, sizeof text,
                 THROW
                 "  top: {end: body.ball.y + body.ball.vy^2/(2*g), below: 2 m}\noptimise: {maximise: range, by: %s, "
                 "rounds: 200, starts: 3}\n",
                 m->name);
        s = study_open(text);
        assert_int_equal(jn_study_perform(s, &(jn_study_options){.threads = 2}, &report), JN_OK);
        check_report(&report);
        assert_near(jn_study_finding(s, 0)->value, angle, m->settles ? 1e-4 : 1e-2);
        assert_true(jn_study_finding(s, 0)->value <= angle + 1e-9); /* the limit is kept */
        jn_study_free(s);
    }
}

static void copy_part(const char *from, const char *to, double part) {
    static char bytes[1 << 20];
    FILE *file = fopen(from, "rb");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    file = fopen(to, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, (size_t)(part * (double)length), file);
    fclose(file);
}

/* A search by NLopt that was cut off goes on to the same table, wherever it was cut. */
static void resumed(void **state) {
    static const char *const by[] = {"cobyla", "isres", "evolution"};
    static char whole[100000], other[100000];
    char text[600], version[32];
    (void)state;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        if (i < 2 && !jn_nlopt_version(version)) continue;
        snprintf(text, sizeof text,
                 THROW
                 "  top: {end: body.ball.y + body.ball.vy^2/(2*g), below: 2 m}\noptimise: {maximise: range, by: %s, "
                 "rounds: 40, starts: 2}\n",
                 by[i]);
        for (int k = 0; k <= 4; k++) {
            jn_report report = {0};
            jn_study *s = study_open(text);
            assert_int_equal(mkdir("cut", 0755) && errno != EEXIST, 0);
            if (k) copy_part("whole/study.journal", "cut/study.journal", 0.21 * k);
            jn_study_options o = {.folder = k ? "cut" : "whole", .threads = 1 + k % 2, .resume = k > 0};
            assert_true(jn_study_perform(s, &o, &report) >= 0);
            load(k ? "cut/study.csv" : "whole/study.csv", k ? other : whole, sizeof whole);
            if (k) assert_string_equal(whole, other);
            jn_study_free(s);
        }
    }
}

static void mistakes(void **state) {
    char version[32];
    const struct {
        const char *text, *message;
    } wrong[] = {{THROW "optimise: {}\n", "one measure is to be small or large"},
                 {THROW "optimise: {minimise: loss}\n", "there is no measure 'loss'"},
                 {THROW "optimise: {minimise: range, points: 2}\n", "4 to 64 points"},
                 {THROW "optimise: {minimise: range, by: cobyl}\n", "there is no search 'cobyl'"},
                 {THROW "optimise: {minimise: range, by: cobyla, points: 8}\n",
                  jn_nlopt_version(version) ? "'points' are for 'by: evolution'" : "needs NLopt"},
                 {THROW "  top: {max: body.ball.y, below: 2 m}\noptimise: {minimise: range, by: bobyqa}\n",
                  jn_nlopt_version(version) ? "'by: bobyqa' knows no limits" : "needs NLopt"}};
    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        jn_report report = {0};
        save("study.yaml", wrong[k].text);
        assert_null(jn_study_open("study.yaml", NULL, 0, &report));
        assert_true(report.errors > 0 && report.item[0].line > 0);
        has(report.item[0].text, wrong[k].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(minima), cmocka_unit_test(ceiling), cmocka_unit_test(by_nlopt),
                                       cmocka_unit_test(resumed), cmocka_unit_test(mistakes)};
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}

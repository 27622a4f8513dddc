/* The slider on a rod with clearance of [Chaturvedi2024, section 3]: B_case1 and B_case3 of ../shared/reference, and the closed
 * form of case 2, by all schemes. */
#include "check.h"
#include "json_reader.h"
#include <jounce/jounce.h>
#include <string.h>

static const char path[] = JN_SOURCE_DIR "/models/chaturvedi/slider_rod.yaml";

typedef struct slider {
    jn_model *m;
    jn_result *r;
} slider;

static slider run_with(const jn_setting *settings, int count) {
    slider s = {0};
    jn_report report;
    jn_report_clear(&report);
    jn_description *d = jn_description_read(path, settings, count, &report);
    check_report(&report);
    s.m = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    s.r = jn_run(s.m, NULL, NULL, NULL, &report);
    assert_non_null(s.r);
    return s;
}

static slider run(const char *number, const char *scheme, const char *step) {
    jn_setting settings[] = {
        {"case", number}, {"run.scheme", scheme}, {"step", step}, {"record.every", step}, {"run.adapt", "false"}};
    return run_with(settings, 5);
}

static void release(slider s) { jn_result_free(s.r), jn_model_free(s.m); }

/* The nth impact of a contact; one slower than a step's gravity is a contact. */
static const jn_event *impact(const jn_result *r, const char *where, int nth) {
    for (long k = 0; k < r->event_count; k++)
        if ((!strcmp(r->events[k].kind, "impact") || !strcmp(r->events[k].kind, "contact")) &&
            !strcmp(r->events[k].where, where) && nth-- == 1)
            return &r->events[k].event;
    fail();
    return NULL;
}

static double at(const jn_result *r, const char *channel, double t) {
    double value = jn_result_at(r, channel, t);
    assert_true(isfinite(value));
    return value;
}

/* x = 5 t^2 at all times, gaps at the end, and forces that stay. */
static void check_motion(const jn_result *r, double left, double right) {
    for (int k = 1; k <= 50; k++) assert_near(at(r, "body.slider.x", k * 1e-3), 5e-6 * k * k, 1e-9);
    for (int k = 20; k <= 50; k += 10) {
        assert_near(at(r, "contact.left.fn", k * 1e-3), left, 1e-3);
        assert_near(at(r, "contact.right.fn", k * 1e-3), right, 1e-3);
        assert_near(at(r, "contact.left.gap", k * 1e-3), 0, 1e-8);
        assert_near(at(r, "contact.right.gap", k * 1e-3), 0, 1e-8);
    }
    assert_below(r->audit.max_penetration, 1e-8);
    assert_true(r->audit.ok);
}

/* The slider's pads touch the lower guide on the left and the lower (cases 1 and 2) or upper one on the right: contacts 0 and 1 or
 * 0 and 3 of the reference. */
static void compare(const char *id, const char *number, int right) {
    json *file = json_read(JN_SOURCE_DIR "/../shared/reference/cases_001_002_003.json");
    if (!file) {
        print_message("skipped: no ../shared/reference\n");
        skip();
    }
    const json *row = NULL;
    for (const json *c = json_get(file, "cases")->first; c; c = c->next)
        if (!strcmp(json_text(json_get(c, "id"), ""), id)) row = json_get(c, "expected");
    assert_non_null(row);
    const json *hit = json_at(json_get(row, "impacts"), 0);
    double t = json_number(json_get(hit, "t"), NAN), force[4], q[3], P[2];
    assert_int_equal(json_numbers(json_get(row, "final_forces"), force, 4), 4);
    assert_int_equal(json_numbers(json_get(row, "final_q_at_20ms"), q, 3), 3);
    assert_int_equal(json_numbers(json_get(hit, "impulse"), P, 2), 2);

    slider s = run(number, "least_constraint", "1 ms");
    check_motion(s.r, force[0], force[right]);
    const char *ends[] = {"left", "right"};
    for (int k = 0; k < 2; k++) {
        assert_near(impact(s.r, ends[k], 1)->time, t, 1e-8);
        assert_near(impact(s.r, ends[k], 1)->impulse_n, P[k], 1e-8);
    }
    assert_near(at(s.r, "body.slider.x", 0.02), q[0], 1e-12);
    assert_near(at(s.r, "body.slider.y", 0.02), q[1], 1e-12);
    assert_near(at(s.r, "body.slider.angle", 0.02), q[2], 1e-12);
    release(s);

    const char *steps[] = {"1 ms", "0.1 ms", "10 us"};
    double size[] = {1e-3, 1e-4, 1e-5};
    for (int k = 0; k < 3; k++) {
        s = run(number, "momentum_leapfrog", steps[k]);
        check_motion(s.r, force[0], force[right]);
        for (int e = 0; e < 2; e++) assert_near(impact(s.r, ends[e], 1)->time, t, size[k] * (1 + 1e-9));
        for (int e = 0; e < 3; e++) {
            const char *channel[] = {"body.slider.x", "body.slider.y", "body.slider.angle"};
            assert_near(at(s.r, channel[e], 0.02), q[e], 1e-8);
        }
        release(s);
    }
    json_free(file);
}

static void case_1(void **state) {
    (void)state;
    compare("B_case1", "1", 1);
}

static void case_3(void **state) {
    (void)state;
    compare("B_case3", "3", 3);
}

/* The left end comes down first and stops; the right one follows, turning about it, and throws the left one up again by a part
 * W_lr/W_rr of its speed: W_lr = 1/m - a^2/J, W_rr = 1/m + a^2/J. So the slider rocks into line contact, where forces are
 * m g/2 +- tau/l_s. */
static void case_2_rocks_into_line_contact(void **state) {
    (void)state;
    double m = 5, J = 8e-4, a = 0.01, c = 1e-5, g = 9.81, tau = 0.025;
    double W = 1 / m + a * a / J, Wx = 1 / m - a * a / J;
    double t1 = sqrt(2 * c / (g + a * tau / J)), v1 = (g + a * tau / J) * t1; /* left end */
    double gap = 2 * a * 0.5 * tau / J * t1 * t1;                             /* the right end is higher by l_s theta */
    double v = (g - a * tau / J) * t1 - Wx / W * v1;                          /* and falls so fast after the impact */
    double A = g - a * tau / J - Wx / W * (g + a * tau / J);
    double t2 = t1 + (sqrt(v * v + 2 * A * gap) - v) / A, v2 = v + A * (t2 - t1);
    double up = Wx / W * v2, B = g + a * tau / J - Wx / W * (g - a * tau / J); /* flight of the left end */
    double t3 = t2 + 2 * up / B;

    slider s = run("2", "least_constraint", "1 ms");
    check_motion(s.r, m * g / 2 + tau / (2 * a), m * g / 2 - tau / (2 * a));
    assert_near(impact(s.r, "left", 1)->time, t1, 1e-8);
    assert_near(impact(s.r, "left", 1)->impulse_n, v1 / W, 1e-8);
    assert_near(impact(s.r, "right", 1)->time, t2, 1e-8);
    assert_near(impact(s.r, "right", 1)->impulse_n, v2 / W, 1e-8);
    assert_near(impact(s.r, "left", 2)->time, t3, 1e-8);
    assert_near(impact(s.r, "left", 2)->speed_before, -up, 1e-8);
    release(s);

    const char *steps[] = {"1 ms", "0.1 ms", "10 us"};
    double size[] = {1e-3, 1e-4, 1e-5};
    for (int k = 0; k < 3; k++) {
        s = run("2", "momentum_leapfrog", steps[k]);
        check_motion(s.r, m * g / 2 + tau / (2 * a), m * g / 2 - tau / (2 * a));
        assert_near(impact(s.r, "left", 1)->time, t1, size[k]);
        assert_near(impact(s.r, "right", 1)->time, t2, size[k]);
        release(s);
    }
}

/* What the model expectations of a scheme, every case keeps. The work of the force is booked without error, whatever the scheme. */
static void every_scheme_meets_its_expectations(void **state) {
    static const char *const schemes[] = {"least_constraint", "moreau_midpoint"};
    static const char *const cases[] = {"1", "2", "3"};
    (void)state;
    for (int k = 0; k < 6; k++) {
        jn_setting settings[] = {{"case", cases[k % 3]}, {"run.scheme", schemes[k / 3]}};
        slider s = run_with(settings, 2);
        print_message("%s, case %s: %d of %d rows met, residual %.1e J\n", schemes[k / 3], cases[k % 3],
                      s.r->expects - s.r->expects_failed, s.r->expects, s.r->audit.max_energy_residual);
        assert_int_equal(s.r->expects, k / 3 == 1 ? 7 : 9);
        assert_int_equal(s.r->expects_failed, 0);
        release(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(case_1), cmocka_unit_test(case_3),
                                       cmocka_unit_test(case_2_rocks_into_line_contact),
                                       cmocka_unit_test(every_scheme_meets_its_expectations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

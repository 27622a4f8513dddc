/* Unit slips and odd bodies are named; sound models raise no warning. */
#include "check.h"
#include "reference_model.h"
#include <string.h>

static jn_description *finger(void) {
    static const char *const name[] = {"palm", "lower", "middle", "tip"}, *const joint[] = {"wrist", "knuckle",
                                                                                            "second", "third"};
    jn_description *d = jn_description_create();
    for (int k = 0; k < 4; k++) {
        jn_body_desc b = jn_body_default(name[k]);
        b.where = (jn_where){"hand.yaml", 10 + k, 3};
        b.mass = 0.05;
        b.com = (jn_vec3){0.04 * k + 0.02, 0, 0};
        b.inertia = (jn_sym3){2e-6, 8e-6, 8e-6, 0, 0, 0};
        jn_description_add_body(d, &b);
        jn_joint_desc j = jn_joint_default(joint[k], JN_JOINT_REVOLUTE);
        j.where = (jn_where){"hand.yaml", 20 + k, 3};
        j.body[0] = k, j.body[1] = k + 1;
        j.frame[0].at = j.frame[1].at = (jn_vec3){0.04 * k, 0, 0};
        j.frame[0].axis = j.frame[1].axis = (jn_vec3){0, 1, 0};
        jn_description_add_joint(d, &j);
    }
    return d;
}

static jn_report suspicions(jn_description *d) {
    jn_report report = {0};
    for (int c = 0; c < 2; c++) {
        jn_report_clear(&report);
        d->coordinates = (jn_coordinates)c;
        jn_model *model = jn_model_compile(d, &report);
        check_report(&report);
        assert_int_equal(jn_study_suspicions(model, &report), JN_OK);
        jn_model_free(model);
    }
    jn_description_free(d);
    return report;
}

static void expect_one(jn_report report, jn_severity severity, int line, const char *text) {
    assert_int_equal(report.count, 1);
    if (!strstr(report.item[0].text, text)) print_error("%s\n", report.item[0].text);
    assert_non_null(strstr(report.item[0].text, text));
    assert_int_equal(report.item[0].severity, severity);
    assert_int_equal(report.item[0].line, line);
    assert_true(report.item[0].hint[0] != 0);
}

static void test_sound_models(void **state) {
    (void)state;
    assert_int_equal(suspicions(finger()).count, 0);
    jn_description *wheel = finger();
    wheel->bodies[4].com = (jn_vec3){0.12, 0, 1e-15}; /* about its one joint, but for round-off */
    assert_int_equal(suspicions(wheel).count, 0);
    static const char *const names[] = {"arm2",      "arm4",     "arm6_ur5",          "athena",  "bennett",
                                        "bricard",   "chain10R", "chain10S",          "charmie", "fourbar",
                                        "fourbar17", "rssr",     "spherical_pendulum"};
    if (!reference_present()) return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        jn_report report = suspicions(reference_model_find(names[i], JN_COORDINATES_RELATIVE));
        if (report.warnings) print_error("%s: %s\n", names[i], report.item[0].text);
        assert_int_equal(report.warnings, 0);
    }
}

static void test_ten_tonne_finger(void **state) {
    (void)state;
    jn_description *d = finger();
    d->bodies[4].mass = 1e4;
    jn_report report = suspicions(d);
    assert_true(report.warnings >= 1);
    assert_int_equal(report.item[0].line, 13);
    d = finger();
    d->bodies[4].mass = 1e4; /* with an inertia to match */
    d->bodies[4].inertia = (jn_sym3){0.4, 1.6, 1.6, 0, 0, 0};
    expect_one(suspicions(d), JN_SEVERITY_WARNING, 13, "denser than any material");
    d = finger();
    d->bodies[4].mass = 1e4; /* as large as it is heavy */
    d->bodies[4].inertia = (jn_sym3){1000, 1000, 1000, 0, 0, 0};
    expect_one(suspicions(d), JN_SEVERITY_WARNING, 13, "times as much as a usual body");
}

static void test_inertia_slips(void **state) {
    (void)state;
    jn_description *d = finger();
    d->bodies[2].inertia = (jn_sym3){2, 8, 8, 0, 0, 0}; /* kg mm^2 */
    expect_one(suspicions(d), JN_SEVERITY_WARNING, 11, "its inertia is that of a body of radius 12.6 m");
    d = finger();
    d->bodies[2].inertia = (jn_sym3){0, 0, 0, 0, 0, 0};
    expect_one(suspicions(d), JN_SEVERITY_NOTE, 11, "point mass");
}

static void test_places(void **state) {
    (void)state;
    jn_description *d = finger();
    d->bodies[3].com = (jn_vec3){100, 0, 0}; /* mm */
    jn_report report = suspicions(d);
    bool found = false;
    for (int i = 0; i < report.count; i++)
        found |= report.item[i].line == 12 && strstr(report.item[i].text, "centre of mass lies");
    assert_true(found);
    d = finger();
    jn_body_desc b = jn_body_default("pebble");
    b.where = (jn_where){"hand.yaml", 30, 1};
    b.mass = 0.01;
    b.inertia = (jn_sym3){1e-6, 1e-6, 1e-6, 0, 0, 0};
    jn_description_add_body(d, &b);
    expect_one(suspicions(d), JN_SEVERITY_NOTE, 30, "no joint and no force");
}

static void test_angles_and_gravity(void **state) {
    (void)state;
    jn_description *d = finger();
    d->joints[1].coordinate[0].has_position = true;
    d->joints[1].coordinate[0].position = 30;
    expect_one(suspicions(d), JN_SEVERITY_WARNING, 21, "starts at 30 rad");
    d = finger();
    d->gravity = (jn_vec3){0, 0, 0};
    expect_one(suspicions(d), JN_SEVERITY_NOTE, 0, "no gravity");
    d = finger();
    d->gravity = (jn_vec3){0, 0, -9810};
    expect_one(suspicions(d), JN_SEVERITY_WARNING, 0, "gravity is 9810");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound_models),       cmocka_unit_test(test_ten_tonne_finger),
        cmocka_unit_test(test_inertia_slips),      cmocka_unit_test(test_places),
        cmocka_unit_test(test_angles_and_gravity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

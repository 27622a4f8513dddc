/* Bodies that a joint joins: a contact row that names both makes them touch, a material does not and a warning says so. */
#include "proximity/detection.h"
#include "text_model.h"
#include <stdio.h>

/* A bar of 1 m hinged 0.5 m over the floor: its tip hits the floor at an angle of about 30 degrees. */
static jn_sim *hinged_bar(const char *method, const char *row, const char *more, jn_model **m, jn_report *report) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "plane: xy\nbodies:\n  ground: {shape: {type: half_plane, at: [0, -0.5]}}\n"
        "  bar: {mass: 1, com: [0.5, 0], inertia: 0.1, shape: {type: rectangle, size: [0.9, 0.1], at: [0.55, 0]}}\n"
        "joints: {hinge: {type: revolute, between: [ground, bar], at: [0, 0]}}\n"
        "contacts: {floor: {%sstiffness: 1e6 N/m, exponent: 1, restitution: 0.2, friction: 0.3}}\n%s"
        "run: {until: 1, method: %s, step: 1 ms}\n",
        row, more, method);
    *m = text_model(text, report);
    assert_non_null(*m);
    jn_sim *sim = jn_sim_create(*m, report);
    assert_non_null(sim);
    assert_int_equal(report->errors, 0);
    return sim;
}

/* Smallest angle within a second [rad]. */
static double lowest(const char *method, const char *row, const char *more, int warnings) {
    jn_model *m;
    jn_report report;
    jn_sim *sim = hinged_bar(method, row, more, &m, &report);
    double least = 0;
    int found = 0;
    for (int i = 0; i < report.count; i++)
        found += strstr(report.item[i].text, "never touch, because joint 'hinge' joins them") != NULL;
    assert_int_equal(found, warnings);
    for (int k = 1; k <= 50; k++) {
        assert_true(jn_sim_advance(sim, 0.02 * k) >= 0);
        least = fmin(least, jn_sim_state(sim)->q[0]);
    }
    jn_sim_free(sim);
    jn_model_free(m);
    return least;
}

static void a_named_row_counts(void **state) {
    (void)state;
    static const char *const method[] = {"compliant", "nonsmooth", "impact"};
    /* the corner (1, -0.05) of the bar at the floor: sin(a) + 0.05 cos(a) = 0.5 */
    double angle = asin(0.5 / hypot(1, 0.05)) - atan(0.05);
    for (int k = 0; k < 3; k++) {
        assert_near(lowest(method[k], "between: [ground, bar], ", "", 0), -angle, 5e-3);
        assert_near(lowest(method[k], "between: [bar, ground], joined: true, ", "", 0), -angle, 5e-3);
        assert_true(lowest(method[k], "between: [ground, bar], joined: false, ", "", 0) < -1.5);
        assert_true(lowest(method[k], "", "", 1) < -1.5);
        assert_true(lowest(method[k], "", "no_contact: [[ground, bar]]\n", 0) < -1.5);
    }
}

/* Shapes that have a row and no algorithm are reported; a plane is a half_plane in a planar model. */
static void shapes_that_cannot_meet(void **state) {
    (void)state;
    static const struct {
        const char *shape;
        int warnings;
    } list[] = {{"plane, normal: [0, 1]", 0},
                {"half_plane", 0},
                {"sphere, radius: 0.1", 0},
                {"capsule, radius: 0.1, length: 1", 1}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        char text[600];
        jn_report report;
        snprintf(text, sizeof text,
                 "plane: xy\nbodies:\n  ground: {shape: {type: %s, at: [0, -0.5]}}\n"
                 "  block: {mass: 1, inertia: 0.1, shape: {type: rectangle, size: [0.4, 0.2]}}\n"
                 "contacts: {floor: {between: [ground, block], stiffness: 1e6 N/m, exponent: 1}}\nrun: {until: 1, "
                 "method: compliant}\n",
                 list[k].shape);
        jn_model *m = text_model(text, &report);
        assert_non_null(m);
        jn_sim *sim = jn_sim_create(m, &report);
        assert_non_null(sim);
        int found = 0;
        for (int i = 0; i < report.count; i++) found += strstr(report.item[i].text, "pass through each other") != NULL;
        assert_int_equal(found, list[k].warnings);
        if (k < 2) {
            assert_true(jn_sim_advance(sim, 1) >= 0);
            assert_true(jn_sim_state(sim)->q[1] > -0.6);
        }
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* A plane touches the hull of a mesh: a bridge of two feet and a deck, dropped askew, comes to stand on both feet, and its deck carries nothing. */
static void mesh_on_plane(void **state) {
    (void)state;
    static const char *const methods[] = {"method: nonsmooth, step: 1 ms", "method: compliant"};
    for (int k = 0; k < 2; k++) {
        char text[1600];
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane}}\n  bridge: {mass: 2, at: [0, 0, 0.32], com: [0, 0, 0], "
                 "inertia: [0.02, 0.03, 0.03], orientation: {axis: [1, 2, 0], angle: 0.1},\n"
                 "    shape: {type: mesh, points: [[-0.2, -0.1, -0.1], [-0.2, 0.1, -0.1], [0.2, -0.1, -0.1], [0.2, "
                 "0.1, -0.1], [0, -0.1, 0], [0, 0.1, 0],\n"
                 "      [-0.2, -0.1, 0.1], [-0.2, 0.1, 0.1], [0.2, -0.1, 0.1], [0.2, 0.1, 0.1]], triangles: [[0, 4, "
                 "1], [1, 4, 5], [4, 2, 5], [5, 2, 3],\n"
                 "      [6, 7, 8], [8, 7, 9], [0, 6, 4], [4, 6, 8], [4, 8, 2], [1, 5, 7], [5, 9, 7], [5, 3, 9], [0, 1, "
                 "6], [6, 1, 7], [2, 8, 3], [3, 8, 9]]}}\n"
                 "contacts: {floor: {between: [ground, bridge], friction: 0.4, stiffness: 1e6 N/m, damping: 500, "
                 "exponent: 1, law: kelvin_voigt}}\nrun: {until: 3, %s}\n",
                 methods[k]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        assert_true(jn_sim_advance(sim, 3) >= 0);
        if (!jn_sim_audit(sim)->ok) fail_msg("%s: %s", methods[k], jn_sim_audit(sim)->verdict);
        const double *q = jn_sim_state(sim)->q;
        assert_near(q[2], 0.1, k ? 1e-5 : 1e-9); /* the stiffness gives way by 2 g/4e6 */
        assert_near(q[4] * q[4] + q[5] * q[5], 0, 1e-9);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Bodies that fixed joints join through others move as one and never touch; a body beside them touches each. */
static void welded_bodies_never_touch(void **state) {
    (void)state;
    jn_report report;
    jn_model *m = text_model("bodies:\n"
                             "  a: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1}}\n"
                             "  b: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1, at: [1, 0, 0]}}\n"
                             "  c: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1, at: [2, 0, 0]}}\n"
                             "  free: {mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 1, at: [1, 1, 0]}}\n"
                             "joints:\n  ab: {type: fixed, between: [a, b], at: [0, 0, 0]}\n"
                             "  cb: {type: fixed, between: [c, b], at: [0, 0, 0]}\n"
                             "contacts: {all: {friction: 0.5}}\nrun: {method: nonsmooth, until: 1}\n",
                             &report);
    assert_non_null(m);
    jn_detection *d = jn_detection_create(m, (jn_detection_limits){0}, &report);
    assert_non_null(d);
    for (int a = 0; a < 4; a++)
        for (int b = a + 1; b < 4; b++) assert_int_equal(jn_detection_allowed(d, a, b), b == 3);
    jn_detection_free(d);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_named_row_counts), cmocka_unit_test(shapes_that_cannot_meet),
                                       cmocka_unit_test(mesh_on_plane), cmocka_unit_test(welded_bodies_never_touch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

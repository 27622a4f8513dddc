/* Degrees of freedom, ranks and redundant joints of known mechanisms. */
#include "opened.h"
#include "reference_model.h"
#include <string.h>

static jn_mobility mobility_of(jn_description *d, jn_report *report) {
    jn_mobility x;
    assert_non_null(d);
    jn_report_clear(report);
    jn_model *model = jn_model_compile(d, report);
    assert_non_null(model);
    assert_int_equal(jn_study_mobility(model, &x, report), JN_OK);
    jn_model_free(model);
    jn_description_free(d);
    return x;
}

static void check(const jn_mobility *x, int gruebler, int rank, int dof, int redundant) {
    assert_int_equal(x->gruebler, gruebler);
    assert_int_equal(x->rank, rank);
    assert_int_equal(x->dof, dof);
    assert_int_equal(x->redundant, redundant);
    int rows = 0;
    for (int i = 0; i < x->redundant_joints; i++) rows += x->redundant_rows[i];
    assert_int_equal(rows, redundant);
}

/* A linkage of revolute joints in space; the source of the numbers is ../shared/reference (SVD gaps). */
static void check_reference(const char *name, int gruebler, int rank, int dof, int redundant) {
    for (int c = 0; c < 2; c++) {
        jn_report report;
        jn_mobility x =
            mobility_of(reference_model_find(name, c ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE), &report);
        check(&x, gruebler, rank, dof, redundant);
        assert_int_equal(report.errors + report.warnings, 0);
        assert_true(x.violation < 1e-9);
        jn_mobility_free(&x);
    }
}

static void test_reference_linkages(void **state) {
    (void)state;
    if (!reference_present()) return;
    check_reference("fourbar", -2, 17, 1, 3);
    check_reference("fourbar17", 1, 17, 1, 0);
    check_reference("bennett", -2, 17, 1, 3);
    check_reference("bricard", 0, 29, 1, 1);
    check_reference("rssr", 2, 16, 2, 0);
    check_reference("arm6_ur5", 6, 30, 6, 0);
    check_reference("chain10S", 30, 30, 30, 0);
    check_reference("athena", 24, 126, 24, 0);
}

static void test_charmie(void **state) {
    (void)state;
    if (!reference_present()) return;
    check_reference("charmie", -4, 234, 36, 40);
}

static void add_bar(jn_description *d, const char *name, jn_vec3 com) {
    jn_body_desc body = jn_body_default(name);
    body.mass = 1;
    body.com = com;
    body.inertia = (jn_sym3){0.1, 0.1, 0.1, 0, 0, 0};
    assert_true(jn_description_add_body(d, &body) > 0);
}

/* Four-bar about z, joints O A B C, drawn with an open angle (or flat as a singular parallelogram). */
static jn_description *four_bar(bool planar, bool flat, double scale) {
    static const jn_vec3 open_at[] = {{0, 0, 0}, {0, 0.3, 0}, {0.75, 0.6, 0}, {0.9, 0, 0}};
    static const jn_vec3 flat_at[] = {{0, 0, 0}, {0.3, 0, 0}, {1.2, 0, 0}, {0.9, 0, 0}};
    static const char *const body[] = {"crank", "coupler", "rocker"}, *const joint[] = {"O", "A", "B", "C"};
    jn_vec3 at[4], z = {0, 0, 1};
    jn_description *d = jn_description_create();
    d->planar = planar;
    d->gravity = (jn_vec3){0, -9.81, 0};
    for (int k = 0; k < 4; k++) {
        at[k] = flat ? flat_at[k] : open_at[k];
        at[k].x *= scale, at[k].y *= scale;
    }
    for (int k = 0; k < 3; k++)
        add_bar(d, body[k], (jn_vec3){0.5 * (at[k].x + at[k + 1].x), 0.5 * (at[k].y + at[k + 1].y), 0});
    for (int k = 0; k < 4; k++) add_joint(d, joint[k], JN_JOINT_REVOLUTE, k, (k + 1) % 4, at[k], z);
    return d;
}

static void test_four_bar_names(void **state) {
    (void)state;
    jn_report report;
    for (double scale = 1e-4; scale < 1e5; scale *= 1e4) { /* from a tenth of a millimetre to ten kilometres */
        jn_mobility x = mobility_of(four_bar(false, false, scale), &report);
        check(&x, -2, 17, 1, 3);
        assert_int_equal(x.redundant_joints, 1);
        assert_int_equal(x.redundant_joint[0], 3);
        assert_int_equal(report.count, 1);
        assert_non_null(strstr(report.item[0].text, "joint 'C': 3 of its equations (point z, direction"));
        jn_mobility_free(&x);
        x = mobility_of(four_bar(true, false, scale), &report);
        check(&x, 1, 8, 1, 0);
        assert_int_equal(x.undriven, 1);
        assert_false(x.locked);
        jn_mobility_free(&x);
    }
}

static void test_singular_position(void **state) {
    (void)state;
    jn_report report;
    jn_mobility x = mobility_of(four_bar(true, true, 1), &report);
    assert_int_equal(x.dof, 2);
    assert_int_equal(report.warnings, 1);
    assert_non_null(strstr(report.item[report.count - 1].text, "singular: 2 degrees of freedom here, 1 close by"));
    jn_mobility_free(&x);
}

static void test_locked_and_driven(void **state) {
    (void)state;
    jn_report report;
    jn_description *d = four_bar(true, false, 1);
    jn_vec3 z = {0, 0, 1};
    jn_joint_desc rod = jn_joint_default("strut", JN_JOINT_DISTANCE);
    rod.body[0] = 0, rod.body[1] = 2;
    rod.frame[0].at = (jn_vec3){0.4, -0.2, 0}, rod.frame[1].at = (jn_vec3){0.3, 0.5, 0};
    rod.frame[0].axis = rod.frame[1].axis = z;
    jn_description_add_joint(d, &rod);
    jn_mobility x = mobility_of(d, &report);
    check(&x, 0, 9, 0, 0);
    assert_true(x.locked);
    assert_int_equal(report.warnings, 1);
    jn_mobility_free(&x);

    d = four_bar(true, false, 1);
    d->joints[0].coordinate[0].motion = jn_description_function(d, "0*t", &report);
    d->joints[1].coordinate[0].motion = jn_description_function(d, "0*t", &report);
    x = mobility_of(d, &report);
    check(&x, -1, 9, 0, 1);
    assert_int_equal(x.undriven, 1); /* the second driver takes nothing that the first has not taken */
    assert_false(x.locked);
    assert_int_equal(x.redundant_joint[0], 1); /* the second driver, not the joint that closes the loop */
    assert_non_null(strstr(report.item[0].text, "motion"));
    jn_mobility_free(&x);
}

static void test_door_with_two_hinges(void **state) {
    (void)state;
    jn_report report;
    jn_description *d = jn_description_create();
    add_bar(d, "door", (jn_vec3){0.4, 0, 1});
    add_joint(d, "lower", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0.2}, (jn_vec3){0, 0, 1});
    add_joint(d, "upper", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 1.8}, (jn_vec3){0, 0, 1});
    jn_mobility x = mobility_of(d, &report);
    check(&x, -4, 5, 1, 5);
    assert_int_equal(x.redundant_joint[0], 1);
    jn_mobility_free(&x);
}

/* Cannot be closed: an error that names the joint, not a redundancy. */
static void test_inconsistent(void **state) {
    (void)state;
    jn_report report = {0};
    jn_description *d = jn_description_create();
    jn_vec3 z = {0, 0, 1};
    d->planar = true;
    add_bar(d, "crank", (jn_vec3){0.1, 0, 0});
    add_bar(d, "rod", (jn_vec3){0.3, 0, 0});
    add_joint(d, "pivot", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0}, z);
    add_joint(d, "pin", JN_JOINT_REVOLUTE, 1, 2, (jn_vec3){0.2, 0, 0}, z);
    jn_joint_desc *end = add_joint(d, "end", JN_JOINT_REVOLUTE, 0, 2, (jn_vec3){0, 0, 0}, z);
    end->local = true;
    end->frame[0].at = (jn_vec3){2, 0, 0};
    end->frame[1].at = (jn_vec3){0.4, 0, 0};
    jn_model *model = jn_model_compile(d, &report);
    assert_non_null(model);
    jn_mobility x;
    assert_int_equal(jn_study_mobility(model, &x, &report), JN_ERR_ASSEMBLY);
    assert_int_equal(report.errors, 1);
    assert_non_null(strstr(report.item[0].text, "joint end"));
    assert_null(x.redundant_joint);
    jn_model_free(model);
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_linkages), cmocka_unit_test(test_charmie),
        cmocka_unit_test(test_four_bar_names),     cmocka_unit_test(test_singular_position),
        cmocka_unit_test(test_locked_and_driven),  cmocka_unit_test(test_door_with_two_hinges),
        cmocka_unit_test(test_inconsistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

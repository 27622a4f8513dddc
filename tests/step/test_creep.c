/* Dry friction of joints and tendons that is regularised bears a load only while it slips: the verdict says what creeps, and nothing of what does not. */
#include "text_model.h"
#include <math.h>

static const char arm[] = "bodies: {arm: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0.5, 0, 0]%s}}\n"
                          "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: y, friction: %g%s}}\n"
                          "%srun: {%s, until: 3}\n";

static jn_sim *arm_sim(double friction, const char *body, const char *joint, const char *more, const char *run, jn_model **m) {
    char text[1000];
    snprintf(text, sizeof text, arm, body, friction, joint, more, run);
    jn_report report = {0};
    *m = text_model(text, &report);
    assert_int_equal(report.errors, 0);
    jn_sim *sim = jn_sim_create(*m, &report);
    assert_non_null(sim);
    return sim;
}

/* An arm that its friction holds creeps at u_s artanh(load/friction) [rad/s]; by method nonsmooth it stays. */
static void test_held(void **state) {
    static const char *const runs[] = {"method: smooth", "method: compliant", "method: impact", "integrator: bdf", "integrator: rk4, step: 1e-4",
                                       "method: nonsmooth, scheme: least_constraint, step: 1e-4", "method: nonsmooth, step: 1e-3"};
    enum { RUNS = sizeof runs / sizeof *runs };
    (void)state;
    for (int k = 0; k < RUNS; k++) {
        jn_model *m;
        jn_sim *sim = arm_sim(6, "", "", "", runs[k], &m);
        assert_int_equal(jn_sim_advance(sim, 3), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%s: %s\n", runs[k], a->verdict);
        assert_true(a->ok);
        if (k == RUNS - 1) {
            assert_true(!a->creep_at && a->max_creep == 0 && !strstr(a->verdict, "creeps"));
        } else {
            double way = 1e-3 * atanh(9.81 * 0.5 / 6) * 3;
            assert_non_null(strstr(a->verdict, "'hinge' creeps"));
            assert_string_equal(a->creep_at, "hinge");
            assert_near(a->max_creep, way, 5e-3 * way);
            assert_near(a->max_creep, fabs(jn_sim_state(sim)->q[0]), 1e-3 * way);
            assert_near(a->creep_time, 3, 1e-2);
        }
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* What swings, runs out, is driven, or is not loaded does not creep. */
static void test_not_held(void **state) {
    static const struct {
        double friction;
        const char *body, *joint, *more;
    } row[] = {{0.5, "", "", ""},                                              /* swings, and its friction cannot hold it */
               {3, "", "", ""},                                                /* comes to rest near the lowest place, where little loads it */
               {0.01, ", angular_velocity: [0, 0.02, 0]", "", "gravity: none\n"}, /* runs out in half a second, and slowly */
               {0.002, ", angular_velocity: [0, 0.004, 0]", "", "gravity: none\n"},
               {6, "", ", motion: 1e-4 rad/s * t", ""},                        /* driven */
               {6, "", "", "gravity: none\n"}};
    (void)state;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        jn_model *m;
        jn_sim *sim = arm_sim(row[k].friction, row[k].body, row[k].joint, row[k].more, "method: smooth", &m);
        assert_int_equal(jn_sim_advance(sim, 3), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%zu: %s\n", k, a->verdict);
        if (k != 1) assert_true(!a->creep_at && !strstr(a->verdict, "creeps"));
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A tendon with friction, named as such; and what was seen goes on with a checkpoint. */
static void test_tendon(void **state) {
    static const char tendon[] = "tendons: {rope: {joints: {hinge: 2}, friction: 3}}\n";
    (void)state;
    jn_model *m, *same;
    jn_report report = {0};
    jn_sim *sim = arm_sim(0, "", "", tendon, "method: impact", &m), *other = arm_sim(0, "", "", tendon, "method: impact", &same);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    size_t size;
    unsigned char *bytes = jn_sim_to_bytes(sim, &size);
    assert_int_equal(jn_sim_from_bytes(other, bytes, size, &report), JN_OK);
    jn_bytes_free(bytes);
    assert_int_equal(jn_sim_advance(sim, 3), JN_OK);
    assert_int_equal(jn_sim_advance(other, 3), JN_OK);
    const jn_audit *a = jn_sim_audit(sim), *b = jn_sim_audit(other);
    double way = 1e-3 * atanh(9.81 * 0.5 / 6) * 3;
    print_message("%s\n", a->verdict);
    assert_non_null(strstr(a->verdict, "'rope' creeps"));
    assert_near(a->max_creep, way, 1e-2 * way);
    assert_string_equal(a->verdict, b->verdict);
    assert_true(a->max_creep == b->max_creep && a->creep_time == b->creep_time);
    assert_string_equal(b->creep_at, "rope");
    jn_sim_free(sim), jn_sim_free(other), jn_model_free(m), jn_model_free(same);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_held), cmocka_unit_test(test_not_held), cmocka_unit_test(test_tendon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

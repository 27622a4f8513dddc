/* Steps that stability limits and not accuracy are noticed: those of rolling contact by dopri45 are, those of a pendulum are not;
 * integrator auto hands over to bdf there. */
#include "text_model.h"

static const char rolling[] =
    "bodies:\n  ground: {shape: {type: plane}}\n  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0, 0, 0.1], "
    "velocity: [1, "
    "0, 0], shape: {type: sphere, radius: 0.1}}\ncontacts: {floor: {between: [ground, ball], stiffness: 1e7, "
    "restitution: 0.9, "
    "friction: {dynamic: 0.5, v0: 1e-4}}}\nrun: {method: compliant, until: 0.2, integrator: dopri45}\n";
static const char pendulum[] = "plane: xy\nbodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\n"
                               "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0]}}\n"
                               "run: {until: 20 s, integrator: dopri45}\n";

static jn_audit audit_of(const char *text, double until) {
    jn_model *m;
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, until), JN_OK);
    jn_audit a = *jn_sim_audit(sim);
    jn_sim_free(sim), jn_model_free(m);
    return a;
}

static void test_noticed(void **state) {
    (void)state;
    jn_audit a = audit_of(rolling, 0.2);
    print_message("rolling: %ld of %ld steps\n", a.stiff_steps, a.steps);
    assert_true(a.ok);
    assert_true(2 * a.stiff_steps > a.steps);
    assert_non_null(strstr(a.verdict, "run.integrator: bdf"));
}

static void test_not_noticed(void **state) {
    (void)state;
    jn_audit a = audit_of(pendulum, 20);
    print_message("pendulum: %ld of %ld steps\n", a.stiff_steps, a.steps);
    assert_true(10 * a.stiff_steps < a.steps);
    assert_null(strstr(a.verdict, "bdf"));
}

/* Integrator auto hands over to bdf and comes to the same place in a tenth of the evaluations; a free ball, and a pendulum, stay with dopri45. */
static void test_hands_over(void **state) {
    char text[1000];
    double x[2];
    long evaluations[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        jn_model *m;
        snprintf(text, sizeof text, "%s", rolling);
        memcpy(strstr(text, "dopri45"), k ? "auto}  \n" : "dopri45}", 8);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 0.2), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%s\n", a->verdict);
        assert_true(a->ok);
        assert_true(!!strstr(a->verdict, "bdf took over") == (k == 1));
        x[k] = jn_sim_state(sim)->q[0], evaluations[k] = a->evaluations;
        jn_sim_free(sim), jn_model_free(m);
    }
    print_message("%ld evaluations by dopri45, %ld by auto\n", evaluations[0], evaluations[1]);
    assert_near(x[0], x[1], 1e-6);
    assert_true(10 * evaluations[1] < evaluations[0]);
}

static void test_stays(void **state) {
    char text[1000];
    jn_audit a[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, "%s", pendulum);
        if (k) memcpy(strstr(text, "dopri45"), "auto}  \n", 8);
        a[k] = audit_of(text, 20);
    }
    assert_int_equal(a[0].evaluations, a[1].evaluations);
    assert_true(a[0].energy_residual == a[1].energy_residual);
}

/* Times that are none are refused, and no step is endless. */
static void test_times(void **state) {
    jn_model *m;
    jn_sim *sim = text_sim(rolling, &m);
    (void)state;
    assert_int_equal(jn_sim_step(sim, NAN), JN_ERR_ARGUMENT);
    assert_int_equal(jn_sim_advance(sim, INFINITY), JN_ERR_ARGUMENT);
    assert_int_equal(jn_sim_advance(sim, NAN), JN_ERR_ARGUMENT);
    assert_int_equal(jn_sim_step(sim, INFINITY), JN_OK);
    assert_true(jn_sim_state(sim)->t > 0 && jn_sim_state(sim)->t < 1);
    jn_sim_free(sim), jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_noticed), cmocka_unit_test(test_not_noticed),
                                       cmocka_unit_test(test_hands_over), cmocka_unit_test(test_stays),
                                       cmocka_unit_test(test_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

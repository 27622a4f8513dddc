/* Steps that stability limits and not accuracy are noticed: those of rolling contact by dopri45 are, those of a pendulum are not. */
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_noticed), cmocka_unit_test(test_not_noticed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sleep of the momentum leapfrog: what rests on contacts, stops or dry friction is not solved again until something wakes it; what only moves slowly
 * stays awake. */
#include "step/sim.h"
#include "text_model.h"

static const char box[] = "bodies:\n  ground: {shape: {type: plane}}\n"
                          "  box: {mass: 2, shape: {type: box, size: [0.2, 0.2, 0.2], at: [0, 0, 0.15]}}\n"
                          "contacts: {floor: {friction: 0.5, restitution: 0}}\n"
                          "run: {method: nonsmooth, step: 1 ms, until: 2}\n";

/* A box that has fallen sleeps where it lies, its weight on the floor and its ledger balanced; a push wakes it, and it moves as one that never slept. */
static void a_box_sleeps_and_wakes(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(box, &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    long asleep = a->asleep;
    assert_true(a->ok);
    assert_true(asleep > 200 && asleep < a->steps - 500); /* it falls, and rests for half a second */
    assert_near(jn_sim_state(sim)->q[2], 0.1, 1e-9);
    assert_int_equal(jn_sim_advance(sim, 1.5), JN_OK);
    assert_int_equal(jn_sim_audit(sim)->asleep, asleep + 500);
    assert_int_equal(jn_sim_push(sim, 1, v3(0, 0, 0), v3(30, 0, 0), v3(0, 0, 0)), JN_OK);
    assert_int_equal(jn_sim_advance(sim, 1.7), JN_OK);
    double way = 0.5 * (30 / 2.0 - 0.5 * 9.81) * 0.2 * 0.2; /* (F - mu m g)/m t^2/2 */
    print_message("slept %ld steps; pushed by %.6f m, %.6f m by hand\n", asleep, jn_sim_state(sim)->q[0], way);
    assert_near(jn_sim_state(sim)->q[0], way, 1e-3 * way);
    assert_int_equal(jn_sim_audit(sim)->asleep, asleep + 500);
    assert_true(jn_sim_audit(sim)->ok);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* Steps that a model of slow motion sleeps through, and whether its audit is good. */
static void stays_awake(const char *what, const char *text, double until) {
    jn_model *m;
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, until), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    print_message("%s: %ld of %ld steps asleep; %s\n", what, a->asleep, a->steps, a->verdict);
    assert_int_equal(a->asleep, 0);
    assert_true(a->ok);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* Without a shape, with its joint at the origin of its link; without gravity; at the top of its flight in short steps; at the turning point of a
 * slow spring. */
static void slow_motion_is_not_rest(void **state) {
    (void)state;
    stays_awake("arm",
                "plane: xy\nbodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
                "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0], friction: 1}}\n"
                "run: {method: nonsmooth, step: 1 ms, until: 1}\n",
                2);
    stays_awake("drift",
                "gravity: [0, 0, 0]\nbodies:\n  ground: {shape: {type: plane}}\n"
                "  ball: {mass: 1, velocity: [1e-6, 0, 0], shape: {type: sphere, radius: 0.1, at: [0, 0, 1]}}\n"
                "contacts: {floor: {}}\nrun: {method: nonsmooth, step: 1 ms, until: 1}\n",
                1);
    stays_awake("start of a fall",
                "bodies:\n  ground: {shape: {type: plane}}\n"
                "  ball: {mass: 1, shape: {type: sphere, radius: 0.1, at: [0, 0, 1]}}\n"
                "contacts: {floor: {}}\nrun: {method: nonsmooth, step: 10 ns, until: 1}\n",
                1e-6);
    stays_awake("spring",
                "plane: xy\ngravity: [0, 0]\nbodies: {wheel: {mass: 1, inertia: 1, com: [0, 0]}}\n"
                "joints: {axle: {type: revolute, between: [ground, wheel], at: [0, 0], position: 0.1, stiffness: 1e-6, friction: 1e-9}}\n"
                "run: {method: nonsmooth, step: 1 ms, until: 1}\n",
                1);
}

/* What a stop or dry friction bears sleeps too, and stays where it is. */
static void stops_and_dry_friction_bear(void **state) {
    (void)state;
    static const char *const law[] = {"upper: 0, lower: -0.2", "friction: 10"};
    for (int k = 0; k < 2; k++) {
        char text[600];
        jn_model *m;
        snprintf(text, sizeof text,
                 "plane: xy\nbodies: {arm: {mass: 1, inertia: 0.1, com: [0.5, 0]}}\n"
                 "joints: {hinge: {type: revolute, between: [ground, arm], at: [0, 0], %s}}\n"
                 "run: {method: nonsmooth, step: 1 ms, until: 2}\n",
                 law[k]);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 2), JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%s: %ld of %ld steps asleep, at %.9f rad; %s\n", law[k], a->asleep, a->steps, jn_sim_state(sim)->q[0], a->verdict);
        assert_true(a->asleep > 1000);
        assert_near(jn_sim_state(sim)->q[0], k ? 0 : -0.2, 1e-9);
        assert_true(a->ok);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_sleeps_and_wakes), cmocka_unit_test(slow_motion_is_not_rest),
                                       cmocka_unit_test(stops_and_dry_friction_bear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

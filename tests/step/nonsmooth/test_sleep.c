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

/* Two balls that touch, a ball that slides for ever far away, one that slides into the two after 1.9 s. Bodies 1 to 4. Impulses and features are
 * unique: nothing hangs on round-off. */
static const char islands[] = "bodies:\n  ground: {shape: {type: plane}}\n"
                              "  first: {mass: 2, shape: {type: sphere, radius: 0.1, at: [0, 0, 0.1]}}\n"
                              "  second: {mass: 2, shape: {type: sphere, radius: 0.1, at: [-0.2, 0, 0.1]}}\n"
                              "  sliding: {mass: 1, velocity: [0, 1, 0], shape: {type: sphere, radius: 0.1, at: [5, 0, 0.1]}}\n"
                              "  thrown: {mass: 2, velocity: [-2, 0, 0], shape: {type: sphere, radius: 0.1, at: [4, 0, 0.1]}}\n"
                              "contacts: {floor: {friction: 0, restitution: 0}}\n"
                              "run: {method: nonsmooth, step: 1 ms, until: 3, sleep: %s}\n";

static jn_sim *islands_sim(const char *sleep, jn_model **m) {
    char text[1200];
    snprintf(text, sizeof text, islands, sleep);
    return text_sim(text, m);
}

/* Largest difference of positions. */
static double differ(jn_sim *a, jn_sim *b) {
    double most = 0;
    for (int k = 0; k < 28; k++) most = fmax(most, fabs(jn_sim_state(a)->q[k] - jn_sim_state(b)->q[k]));
    return most;
}

/* An island sleeps beside one that moves, does not move, and bears its weight; a ball that strikes it wakes it; all move as they do without
 * sleep. */
static void an_island_sleeps_beside_others(void **state) {
    (void)state;
    jn_model *m, *other;
    jn_sim *sim = islands_sim("true", &m), *awake = islands_sim("false", &other);
    jn_contact_view seen[32];
    assert_int_equal(jn_sim_advance(sim, 0.4), JN_OK);
    for (int body = 1; body <= 4; body++) assert_false(jn_sim_is_asleep(sim, body));
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    assert_true(jn_sim_is_asleep(sim, 1) && jn_sim_is_asleep(sim, 2));
    assert_false(jn_sim_is_asleep(sim, 3) || jn_sim_is_asleep(sim, 4));
    double place[14], weight = 0;
    memcpy(place, jn_sim_state(sim)->q, sizeof place);
    assert_int_equal(jn_sim_advance(sim, 1.8), JN_OK);
    assert_true(jn_sim_is_asleep(sim, 1) && jn_sim_is_asleep(sim, 2));
    assert_memory_equal(place, jn_sim_state(sim)->q, sizeof place);
    for (int k = 0; k < 12; k++) assert_true(jn_sim_state(sim)->u[k] == 0);
    int count = jn_sim_contacts(sim, seen, 32);
    for (int k = 0; k < count; k++)
        if (seen[k].body[0] == 1 || seen[k].body[1] == 1)
            if (seen[k].body[0] == 0 || seen[k].body[1] == 0) weight += fabs(seen[k].force.z);
    assert_near(weight, 2 * 9.81, 1e-3);
    assert_int_equal(jn_sim_advance(awake, 1.8), JN_OK);
    print_message("before the ball strikes: %.1e m from the motion without sleep\n", differ(sim, awake));
    assert_true(differ(sim, awake) < 1e-9);
    assert_int_equal(jn_sim_advance(sim, 2.4), JN_OK);
    assert_false(jn_sim_is_asleep(sim, 1) || jn_sim_is_asleep(sim, 2));
    assert_int_equal(jn_sim_advance(awake, 2.4), JN_OK);
    print_message("after it: %.1e m; %.9f m/s; %s\n", differ(sim, awake), jn_sim_state(sim)->u[6], jn_sim_audit(sim)->verdict);
    for (int body = 0; body < 4; body += body == 1 ? 2 : 1) assert_near(jn_sim_state(sim)->u[6 * body], -2.0 / 3, 1e-6); /* they go on together */
    assert_true(differ(sim, awake) < 1e-6);
    assert_true(jn_sim_audit(sim)->ok);
    assert_int_equal(jn_sim_audit(sim)->asleep, 0);
    jn_sim_free(sim), jn_sim_free(awake);
    jn_model_free(m), jn_model_free(other);
}

/* A push wakes the island that it acts on and no other. */
static void a_push_wakes_its_island(void **state) {
    (void)state;
    static const char text[] = "bodies:\n  ground: {shape: {type: plane}}\n"
                               "  a: {mass: 2, shape: {type: box, size: [0.2, 0.2, 0.2], at: [0, 0, 0.1]}}\n"
                               "  b: {mass: 2, shape: {type: box, size: [0.2, 0.2, 0.2], at: [1, 0, 0.1]}}\n"
                               "  c: {mass: 1, shape: {type: sphere, radius: 0.1, at: [5, 0, 2]}}\n"
                               "contacts: {floor: {friction: 0.5, restitution: 0.9}}\n"
                               "run: {method: nonsmooth, step: 1 ms, until: 3}\n";
    jn_model *m;
    jn_sim *sim = text_sim(text, &m);
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    assert_true(jn_sim_is_asleep(sim, 1) && jn_sim_is_asleep(sim, 2) && !jn_sim_is_asleep(sim, 3));
    double place = jn_sim_state(sim)->q[7];
    assert_int_equal(jn_sim_push(sim, 1, v3(0, 0, 0), v3(30, 0, 0), v3(0, 0, 0)), JN_OK);
    assert_int_equal(jn_sim_advance(sim, 1.2), JN_OK);
    assert_true(!jn_sim_is_asleep(sim, 1) && jn_sim_is_asleep(sim, 2));
    double way = 0.5 * (30 / 2.0 - 0.5 * 9.81) * 0.2 * 0.2; /* (F - mu m g)/m t^2/2 */
    assert_near(jn_sim_state(sim)->q[0], way, 1e-3 * way);
    assert_true(jn_sim_state(sim)->q[7] == place);
    assert_true(jn_sim_audit(sim)->ok);
    jn_sim_free(sim);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_sleeps_and_wakes), cmocka_unit_test(slow_motion_is_not_rest),
                                       cmocka_unit_test(stops_and_dry_friction_bear),
                                       cmocka_unit_test(an_island_sleeps_beside_others), cmocka_unit_test(a_push_wakes_its_island)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

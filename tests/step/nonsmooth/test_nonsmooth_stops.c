/* Rigid stops of joints by least_constraint, which ends a step where something closes, and by the leapfrog: they close and hold like a contact of one point. */
#include "rigid.h"

static const char *const schemes[] = {"residual: 1e-12 m/s, scheme: least_constraint",
                                      "residual: 1e-12 m/s, scheme: least_constraint, theta: 1",
                                      "residual: 1e-12 m/s, scheme: momentum_leapfrog"};
static const char *const coordinates[] = {"relative", "absolute"};

/* A weight falls by 0.3 m onto the stop of its guide, which has no other: sqrt(2 0.3/g). Implicit Euler falls by g t dt/2 more. */
static void a_weight_falls_onto_its_stop(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        char text[512];
        rigid r;
        snprintf(text, sizeof text,
                 "plane: xy\ncoordinates: %s\nbodies: {a: {mass: 2, inertia: 0.1}}\n"
                 "joints: {g: {type: prismatic, between: [ground, a], at: [0, 0], axis: [0, 1], lower: -0.3}}\n"
                 "run: {method: nonsmooth, %s, step: 1 ms, until: 1}\n",
                 coordinates[k % 2], schemes[k / 2]);
        rigid_text(&r, text);
        rigid_go(&r, 1);
        double instant = sqrt(0.6 / 9.81),
               early = k / 2 == 1   ? 1e-3
                       : k / 2 == 2 ? 1e-5
                                    : 1e-9; /* the leapfrog's time within the step: of second order */
        jn_body_motion b = rigid_body(&r, 1);
        print_message("%s, %s: %d impacts, the first at %.10f s (%.10f s), y %.3e m off, vy %.1e m/s\n", schemes[k / 2],
                      coordinates[k % 2], r.impacts, r.first[0], instant, b.position.y + 0.3, b.velocity.y);
        assert_int_equal(r.impacts, 1);
        assert_near(r.first[0], instant, early);
        assert_near(b.position.y, -0.3, 1e-11);
        assert_near(b.velocity.y, 0, 1e-12);
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
    }
}

/* An arm between two stops, and a block that slides to rest on a rough floor beside it: one problem, rows of both. */
static void stops_go_along_with_contacts(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1024];
        rigid r;
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane, at: [0, 0, 0]}}\n"
                 "  arm: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.5, 2, 1]}\n"
                 "  block: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 0.1], velocity: [1, 0, 0],\n"
                 "          shape: {type: box, size: [0.4, 0.4, 0.2], at: [0, 0, 0.1]}}\n"
                 "joints: {p: {type: revolute, between: [ground, arm], at: [0, 2, 1], axis: [0, 1, 0], lower: -0.2, "
                 "upper: 0.4}}\n"
                 "contacts: {floor: {between: [ground, block], friction: 0.4}}\n"
                 "run: {method: nonsmooth, %s, step: 1 ms, until: 1}\n",
                 schemes[k]);
        rigid_text(&r, text);
        rigid_go(&r, 1);
        double way = 1 / (2 * 0.4 * 9.81), arm = rigid_body(&r, 1).position.z - 1, block = rigid_body(&r, 2).position.x;
        print_message("%s: arm %.3e m off its stop, block %.2e m off its place, %d impacts\n", schemes[k],
                      arm + 0.5 * sin(0.4), block - way, r.impacts);
        assert_near(arm, -0.5 * sin(0.4), 1e-11);
        assert_near(block, way, k == 1 ? 1e-3 : 1e-5);
        assert_near(v3_norm(rigid_body(&r, 1).velocity), 0, 1e-9);
        assert_near(v3_norm(rigid_body(&r, 2).velocity), 0, 1e-9);
        rigid_close(&r);
    }
}

/* moreau_jean lets the weight pass its stop by what it falls in a step and leaves it there; the audit says by how much. */
static void the_audit_tells_the_overlap(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[512];
        rigid r;
        snprintf(text, sizeof text,
                 "plane: xy\nbodies: {a: {mass: 2, inertia: 0.1}}\n"
                 "joints: {g: {type: prismatic, between: [ground, a], at: [0, 0], axis: [0, 1], lower: -0.3}}\n"
                 "run: {method: nonsmooth, scheme: %s, step: 10 ms, until: 1}\n",
                 k ? "momentum_leapfrog" : "moreau_jean");
        rigid_text(&r, text);
        rigid_go(&r, 1);
        double deep = -0.3 - rigid_body(&r, 1).position.y, found = jn_sim_audit(r.sim)->max_stop_overlap;
        print_message("%s: %.6e m below the stop, %.6e m in the audit\n", k ? "leapfrog" : "moreau_jean", deep, found);
        assert_near(found, k ? 0 : deep, 1e-12);
        assert_true(k || deep > 1e-4);
        rigid_close(&r);
    }
}

/* An upper arm meets its stop at 3 rad/s, which throws the forearm against its own, 1e-4 rad away: with forces and velocities of the node alone it would not come near. It ends the segment there, and not 3 mrad behind. */
static void a_stop_that_others_throw_to(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r, "plane: xy\ngravity: [0, 0]\nbodies:\n"
                   "  upper: {mass: 1, inertia: 0.1, com: [0.5, 0], shape: {type: circle, radius: 0.01, at: [0.5, 0]}}\n"
                   "  fore: {mass: 1, inertia: 0.1, com: [1.5, 0], shape: {type: circle, radius: 0.01, at: [1.5, 0]}}\n"
                   "joints:\n  shoulder: {type: revolute, between: [ground, upper], at: [0, 0], speed: 3, upper: 1.2 mrad}\n"
                   "  elbow: {type: revolute, between: [upper, fore], at: [1, 0], speed: 0, upper: 0.1 mrad}\n"
                   "run: {method: nonsmooth, step: 1 ms, until: 10 ms}\n");
    rigid_go(&r, 10e-3);
    print_message("%.3e rad beyond a stop\n", jn_sim_audit(r.sim)->max_stop_overlap);
    assert_below(jn_sim_audit(r.sim)->max_stop_overlap, 1e-8);
    assert_true(jn_sim_audit(r.sim)->ok);
    rigid_close(&r);
}

/* A ball that falls into its string, and swings on one that holds it from the start: the ground pulls along the string as it lies at each node. Both end on a circle. */
static void a_string_pulls_where_it_lies(void **state) {
    (void)state;
    static const char *const strings[] = {"tendons: {t: {path: [a, b], upper: 0.4}}\n",
                                          "tendons: {t: {path: [a, b]}}\ncouplers: {c: {tendons: {t: 1}}}\n"};
    for (int k = 0; k < 2; k++) {
        char text[512];
        rigid r;
        snprintf(text, sizeof text,
                 "bodies: {ball: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0.3, 0, 0]}}\n"
                 "points: {a: {on: ground, at: [0, 0, 0]}, b: {on: ball, at: [0.3, 0, 0]}}\n%s"
                 "run: {method: nonsmooth, step: 1 ms, until: 1}\n",
                 strings[k]);
        rigid_text(&r, text);
        rigid_go(&r, 1);
        const jn_audit *a = jn_sim_audit(r.sim);
        double linear = a->max_momentum_residual / a->momentum_size, length = v3_norm(rigid_body(&r, 1).position);
        print_message("string %d: linear momentum to %.1e of its size, %.1e m off its length\n", k, linear, length - (k ? 0.3 : 0.4));
        assert_below(linear, 1e-12);
        assert_near(length, k ? 0.3 : 0.4, k ? 1e-10 : 1e-5); /* a step along the tangent: h^2 v^2 / (2 r) */
        assert_true(a->ok);
        rigid_close(&r);
    }
}

/* A tendon at its stop that a coupler holds there, but for round-off (0.0003/3 is below 1e-4), with friction: neither can act, and the motion is that without them (rows of both
 * would bear one load, which is not determined). */
static void what_a_coupler_holds_has_no_stops(void **state) {
    (void)state;
    static const char *const ranges[] = {"", ", lower: 0, upper: 1, friction: 0.1", "", ", lower: 1e-4, upper: 1, friction: 0.1"};
    double q[4][2];
    for (int k = 0; k < 4; k++) {
        char text[640];
        rigid r;
        snprintf(text, sizeof text,
                 "bodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0.3, 0, 0]},\n"
                 "         b: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0.6, 0, 0]}}\n"
                 "joints: {p: {type: revolute, axis: y, between: [ground, a], at: [0, 0, 0], lower: -1},\n"
                 "         q: {type: revolute, axis: y, between: [a, b], at: [0.3, 0, 0]}}\n"
                 "tendons: {t: {joints: {p: 1, q: 1.5}%s}}\ncouplers: {c: {tendons: {t: 3}, constant: %s}}\n"
                 "run: {method: nonsmooth, step: 1 ms, until: 1}\n",
                 ranges[k], k < 2 ? "0" : "0.0003");
        rigid_text(&r, text);
        rigid_go(&r, 1);
        for (int i = 0; i < 2; i++) q[k][i] = jn_sim_state(r.sim)->q[i];
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
    }
    for (int i = 0; i < 2; i++) assert_near(q[1][i], q[0][i], 1e-12), assert_near(q[3][i], q[2][i], 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_weight_falls_onto_its_stop),
                                       cmocka_unit_test(the_audit_tells_the_overlap), cmocka_unit_test(a_stop_that_others_throw_to),
                                       cmocka_unit_test(a_string_pulls_where_it_lies),
                                       cmocka_unit_test(what_a_coupler_holds_has_no_stops),
                                       cmocka_unit_test(stops_go_along_with_contacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

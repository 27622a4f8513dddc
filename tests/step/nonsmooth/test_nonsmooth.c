/* Outside problems by the nonsmooth method [OUTSIDE.md, contact and impact]. */
#include "rigid.h"

/* ---------------------------------------------------------------------------------------------------------- impact */

/* The instants are met to first order, the ball rests after them, and the run goes on. */
static void zeno_ball_comes_to_rest(void **state) {
    (void)state;
    static const double steps[] = {1e-2, 1e-3, 1e-4}, instants[] = {0.451523640986, 1.264266194760, 1.995734493157};
    for (int k = 0; k < 3; k++) {
        char set[64];
        rigid r;
        snprintf(set, sizeof set, "step=%g", steps[k]);
        rigid_open(&r, "zeno_ball", set);
        rigid_go(&r, 10);
        print_message("step %g: %d impacts, first %.6f %.6f %.6f, last %.6f, rise %.2g J\n", steps[k], r.impacts,
                      r.first[0], r.first[1], r.first[2], r.last, r.rise);
        for (int i = 0; i < 3; i++) assert_near(r.first[i], instants[i], 5 * steps[k]);
        assert_below(r.last, 8.578949178729 + 100 * steps[k]);
        assert_true(r.last > 8.578949178729 - 100 * steps[k] && r.impacts > 10);
        assert_below(r.rise, rigid_shown(&r));
        assert_below(r.given, 1e-13);
        assert_near(rigid_body(&r, 1).velocity.z, 0, 1e-12);
        assert_near(rigid_body(&r, 1).position.z, 0.1, 1e-12);
        assert_below(fabs(jn_sim_audit(r.sim)->energy_residual), rigid_shown(&r));
        rigid_close(&r);
    }
}

/* Siconos, event driven: y and v at 8.495 s, before the accumulation. The error of the height vanishes with the step. */
static void zeno_ball_converges(void **state) {
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        rigid r;
        rigid_open(&r, "zeno_ball", k ? "step=1e-5" : "step=1e-4");
        assert_int_equal(jn_sim_advance(r.sim, 1.0), JN_OK); /* in flight after the first impact */
        double t = 1 - 0.451523640986, v = 0.9 * 9.81 * 0.451523640986;
        error[k] = fabs(rigid_body(&r, 1).position.z - 0.1 - (v * t - 0.5 * 9.81 * t * t));
        rigid_close(&r);
    }
    print_message("height after one impact is off by %.3g m, %.3g m\n", error[0], error[1]);
    assert_below(error[0], 1e-3);
    assert_below(error[1], 1e-4);
}

static void coefficient_is_met(void **state) {
    (void)state;
    static const double e[] = {0, 0.25, 0.5, 0.75, 1}, steps[] = {1e-2, 1e-3, 1e-4};
    for (int k = 0; k < 15; k++) {
        char set[64];
        rigid r;
        snprintf(set, sizeof set, "step=%g restitution=%g", steps[k / 5], e[k % 5]);
        rigid_open(&r, "rigid_spheres", set);
        rigid_go(&r, 0.1);
        jn_body_motion a = rigid_body(&r, 1), b = rigid_body(&r, 2);
        double speed = 0.36 * b.velocity.x + 0.48 * b.velocity.y + 0.8 * b.velocity.z;
        assert_near(speed, e[k % 5], 1e-12);
        assert_near(a.velocity.y, -b.velocity.y, 1e-14);
        assert_int_equal(r.impacts, 1);
        assert_below(r.rise, 1e-14);
        rigid_close(&r);
    }
}

/* Newton's law for a row of five equal balls at once, e = 1: all contacts obey u+ >= -e u-, with u- = 0 where balls touch. So balls 2 to 5
 * leave together: 1 = 4 v + v0, v - v0 = 1: v = 0.4, v0 = -0.6, and the energy is kept. A real cradle differs: its impacts
 * follow each other. */
static void row_of_balls_follows_newtons_law(void **state) {
    (void)state;
    char text[2048] = "gravity: none\nbodies:\n";
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "  s%d: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [%g, 0, 0], velocity: [%d, 0, 0], shape: {type: "
                 "sphere, radius: 0.5, at: [%g, 0, 0]}}\n",
                 i, i ? i : -0.0105, i == 0, i ? i : -0.0105);
    strcat(text, "contacts: {all: {restitution: 1}}\nrun: {method: nonsmooth, step: 1e-3, until: 0.1}\n");
    rigid r;
    rigid_text(&r, text);
    rigid_go(&r, 0.1);
    for (int i = 0; i < 5; i++) assert_near(rigid_body(&r, i + 1).velocity.x, i ? 0.4 : -0.6, 1e-10);
    assert_near(r.energy, 0.5, 1e-10);
    assert_below(r.rise, 1e-12);
    rigid_close(&r);
}

/* w+/w- = 0.911764706, by the energy that is left; and before the impact the block turns without loss. */
static void block_rocks(void **state) {
    (void)state;
    static const double steps[] = {1e-3, 1e-4};
    double error[2];
    for (int k = 0; k < 2; k++) {
        char set[64];
        rigid r;
        snprintf(set, sizeof set, "step=%g", steps[k]);
        rigid_open(&r, "rocking_block", set);
        double free = r.energy - 4.905;
        rigid_go(&r, 0.2);
        assert_near(r.energy - 4.905, free + rigid_shown(&r), 1e-3 * steps[k]); /* before contacts act on gravity's half */
        rigid_go(&r, 0.4);
        error[k] = sqrt((r.energy - 4.905) / free) - 0.911764706;
        print_message("step %g: w+/w- is off by %.3g, energy rises by %.2g J at most\n", steps[k], error[k], r.rise);
        assert_below(fabs(error[k]), 12 * steps[k]); /* the impact acts at the node before: up to a step early */
        assert_below(r.rise, rigid_shown(&r));
        assert_int_equal(r.impacts, 1);
        rigid_close(&r);
    }
}

/* -------------------------------------------------------------------------------------------------------- friction */

/* While it slides the step is exact; in the step where it stops x is off by O(step^2). */
static void slide_to_rest(void **state) {
    (void)state;
    static const double steps[] = {1e-2, 1e-3, 1e-4};
    for (int k = 0; k < 3; k++) {
        char set[64];
        rigid r;
        snprintf(set, sizeof set, "step=%g", steps[k]);
        rigid_open(&r, "rigid_slide", set);
        rigid_go(&r, 1.1);
        jn_body_motion b = rigid_body(&r, 1);
        print_message("step %g: %.12f m, stops at %.6f s\n", steps[k], b.position.x, r.stick);
        assert_near(b.position.x, 2.54841997961, 0.125 * 0.5 * 9.81 * steps[k] * steps[k] + 1e-11);
        assert_near(r.stick, 1.01936799185, steps[k]);
        assert_near(b.position.y, 0, 1e-11);
        assert_near(v3_norm(b.velocity), 0,
                    1e-7);             /* the residual is 1e-6 m/s; gaps and anchors take back what it leaves */
        assert_int_equal(r.events, 8); /* four corners touch, and stick */
        assert_below(r.rise, rigid_shown(&r));
        rigid_close(&r);
    }
}

static void block_sticks_without_creep(void **state) {
    (void)state;
    rigid r;
    double fastest = 0;
    rigid_open(&r, "sticking_block", "until=100");
    for (int n = 0; n < 100000; n++) {
        assert_int_equal(jn_sim_step(r.sim, 100), JN_OK);
        for (int i = 0; i < 3; i++) fastest = fmax(fastest, fabs(jn_sim_state(r.sim)->u[i]));
    }
    print_message("fastest %.3g m/s, moved %.3g m in 100 s, %d events\n", fastest, rigid_body(&r, 1).position.x,
                  r.events);
    assert_below(fastest, 1e-7); /* the residual is 1e-6 m/s */
    assert_near(rigid_body(&r, 1).position.x, 0, 1e-11);
    assert_int_equal(r.events, 4);
    rigid_close(&r);
}

/* tan(slope) decides: bisection of the friction. */
static bool slips(const char *model, const char *format, double friction, double seconds) {
    char set[64];
    rigid r;
    snprintf(set, sizeof set, format, friction);
    rigid_open(&r, model, set);
    assert_int_equal(jn_sim_advance(r.sim, seconds), JN_OK);
    bool moves = false;
    for (int i = 1; i < jn_model_bodies(r.m); i++) moves |= v3_norm(rigid_body(&r, i).velocity) > 1e-6;
    rigid_close(&r);
    return moves;
}

static double least_friction(const char *model, const char *format, double seconds) {
    double low = 0.01, high = 1;
    assert_true(slips(model, format, low, seconds) && !slips(model, format, high, seconds));
    while (high - low > 1e-5) {
        double mid = 0.5 * (low + high);
        if (slips(model, format, mid, seconds))
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

static void statics_decides(void **state) {
    (void)state;
    double slope = least_friction("sticking_block", "friction=%.17g", 0.5);
    double cards = least_friction("leaning_cards", "friction=%.17g", 0.2);
    double tilt = acos(-1) / 9, theory = 0.1 * sin(tilt) / (2 * (0.001 + 0.1 * cos(tilt)));
    print_message("slope: %.6f, tan %.6f; cards: %.6f, statics %.6f\n", slope, tan(tilt), cards, theory);
    assert_near(slope, tan(tilt), 2e-5);
    assert_near(cards, theory, 2e-5);
}

/* The same acceleration at any angle, by the file of the compliant method. */
static void no_direction_is_preferred(void **state) {
    (void)state;
    static const double angles[] = {0, 10, 30, 45, 77, 123, 200, 300};
    for (int i = 0; i < 8; i++) {
        double angle = angles[i] * acos(-1) / 180, c = cos(angle), s = sin(angle);
        char set[64];
        rigid r;
        snprintf(set, sizeof set, "run.step=1e-2 angle=%.17g", angle);
        rigid_open(&r, "pushed_box", set);
        assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
        jn_body_motion b = rigid_body(&r, 1);
        assert_near(c * b.velocity.x + s * b.velocity.y, 2.076, 1e-9);
        assert_near(c * b.velocity.y - s * b.velocity.x, 0, 1e-9);
        assert_near(c * b.acceleration.x + s * b.acceleration.y, 2.076, 1e-9);
        assert_near(b.angular_velocity.z, 0, 1e-7); /* the residual is 1e-6 m/s */
        rigid_close(&r);
    }
}

static void sphere_rolls(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        rigid r;
        rigid_open(&r, "sphere_incline", k ? "run.step=1e-2" : "run.step=1e-3");
        rigid_go(&r, 1);
        jn_body_motion b = rigid_body(&r, 1);
        assert_near(b.velocity.x, 1.813582023, 1e-9);
        assert_near(b.angular_velocity.y, 36.271640464, 2e-9);
        assert_near(0.1 * (9.81 * sin(acos(-1) / 12) - b.acceleration.x), 0.072543281, 1e-9);
        assert_near(0.1 * (9.81 * cos(acos(-1) / 12) + b.acceleration.z), 0.947573236, 1e-9);
        assert_below(r.rise, rigid_shown(&r));
        rigid_close(&r);
    }
}

/* Slip with Painleve's condition: an impulse stops the foot, which is reported, and nothing is gained. The other way it slides on. */
static void painleve_rod_jams(void **state) {
    (void)state;
    static const char *const settings[] = {"", "mu=1.4 angle=1.0", "speed=-5", "mu=1.2"};
    static const int jams[] = {1, 1, 0, 0};
    for (int k = 0; k < 4; k++) {
        rigid r;
        rigid_open(&r, "painleve_rod", settings[k]);
        rigid_go(&r, 0.01);
        print_message("'%s': %d jams, energy %.6f of %.6f J\n", settings[k], r.jams, r.energy, r.start);
        assert_int_equal(r.jams, jams[k]);
        rigid_go(&r, 2);
        assert_below(r.rise, rigid_shown(&r));
        assert_near(v3_norm(rigid_body(&r, 1).velocity), 0, 1e-7);
        rigid_close(&r);
    }
}

/* ---------------------------------------------------------------------------------------------------------- stacks */

static void stack_stands(void **state) {
    (void)state;
    static const char *const models[] = {"box_stack", "box_stack_planar"};
    for (int k = 0; k < 2; k++) {
        rigid r;
        rigid_open(&r, models[k], "until=10 run.step=1e-2");
        assert_int_equal(jn_sim_advance(r.sim, 10), JN_OK);
        const jn_audit *a = jn_sim_audit(r.sim);
        jn_body_motion top = rigid_body(&r, 10);
        print_message("%s: drift %.3g m, penetration %.3g m, %d events\n", models[k],
                      hypot(top.position.x, k ? 0 : top.position.y), a->max_penetration, r.events);
        assert_near(top.position.x, 0, 1e-9);
        assert_near(k ? top.position.y : top.position.z, 0.95, 1e-9);
        assert_below(a->max_penetration, 1e-9);
        assert_int_equal(a->unsolved, 0);
        assert_int_equal(r.separations, 0);
        rigid_close(&r);
    }
}

/* The inertia of a rotor counts in free motion too, in every evaluation of a step: a = F / (m + armature). */
static void rotors_are_carried_along(void **state) {
    rigid r;
    (void)state;
    rigid_text(
        &r, "gravity: none\n"
            "bodies: {block: {mass: 1, inertia: [1, 1, 1]}}\n"
            "joints: {rail: {type: prismatic, between: [ground, block], axis: x, upper: 100, armature: 2, force: 6}}\n"
            "run: {method: nonsmooth, step: 0.01, until: 1}\n");
    while (jn_sim_state(r.sim)->t < 1) assert_int_equal(jn_sim_step(r.sim, 1), JN_OK);
    assert_near(jn_sim_state(r.sim)->u[0], 2, 1e-12);
    assert_near(jn_sim_state(r.sim)->q[0], 1, 1e-12);
    assert_int_equal(jn_sim_audit(r.sim)->rejected, 0);
    rigid_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rotors_are_carried_along),
                                       cmocka_unit_test(zeno_ball_comes_to_rest),
                                       cmocka_unit_test(zeno_ball_converges),
                                       cmocka_unit_test(coefficient_is_met),
                                       cmocka_unit_test(row_of_balls_follows_newtons_law),
                                       cmocka_unit_test(block_rocks),
                                       cmocka_unit_test(slide_to_rest),
                                       cmocka_unit_test(block_sticks_without_creep),
                                       cmocka_unit_test(statics_decides),
                                       cmocka_unit_test(no_direction_is_preferred),
                                       cmocka_unit_test(sphere_rolls),
                                       cmocka_unit_test(painleve_rod_jams),
                                       cmocka_unit_test(stack_stands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

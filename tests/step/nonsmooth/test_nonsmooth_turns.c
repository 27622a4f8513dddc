/* Bodies that turn far in a step of the momentum leapfrog, and springs that swing them: what is resolved keeps its energy and momentum, what is not is an error with
 * the step to take. */
#include "rigid.h"

/* A cone of 0.1 g that a spring pulls at an arm turns by about a radian in a step. Turns that differ by full ones are the same for the momenta of a segment:
 * the iteration passed to one of 178 rad, with 150 J. */
static void full_turns_are_taken_off(void **state) {
    (void)state;
    int ended = 0;
    for (int k = 0; k < 40;
         k++) { /* of the first six five ended with an error; a few go on to where half a turn in a step is one */
        rigid r;
        char text[2048];
        snprintf(
            text, sizeof text,
            "bodies:\n  ground: {shape: {type: plane}}\n"
            "  rod: {density: 1051, at: [-0.0013076, 0.00081514, 0.015497], orientation: {rpy: [0.8422, -0.177, "
            "2.896]},\n"
            "        velocity: [%g, -0.2942, 0.07611], shape: {type: cylinder, radius: 0.004892, length: 0.01431}}\n"
            "  cone: {density: 219.2, at: [6.9821e-06, -0.0022499, 0.047753], orientation: {rpy: [0, 0.4393, 1.136]},\n"
            "         velocity: [-0.1558, -0.1955, -0.365], shape: {type: cone, radius: 0.006945, height: 0.01042}}\n"
            "forces:\n"
            "  hook: {type: spring, between: [ground, rod], ends: [[-0.0013076, 0.00081514, 0.047753], [-0.0013076, "
            "0.00081514, 0.015497]],\n"
            "         stiffness: 1330, damping: 0.219}\n"
            "  link: {type: spring, between: [rod, cone], ends: [[-0.0013076, 0.00081514, 0.015497], [6.9821e-06, "
            "-0.0022499, 0.047753]],\n"
            "         stiffness: 57.6}\n"
            "  push: {type: force, body: rod, at: [-0.0013076, 0.00081514, 0.015497], force: [46.4*sin(26.6*t), 0.439, "
            "0]}\n"
            "contacts: {all: {friction: 0.0268}}\nrun: {method: nonsmooth, until: 0.6, step: 0.35 ms}\n",
            -0.1807 - 0.001 * k);
        rigid_text(&r, text);
        bool fine = jn_sim_advance(r.sim, 0.6) == JN_OK;
        const jn_audit *a = jn_sim_audit(r.sim);
        ended += fine;
        if (!fine) assert_non_null(strstr(jn_sim_error(r.sim)->text, "the step is too long for the spring"));
        if (fine) assert_below(a->max_energy_residual, 0.05 * a->energy_scale); /* of second order: a radian is far */
        rigid_close(&r);
    }
    assert_in_range(ended, 34, 40);
}

/* A ball knows its full turns, L = I w, beside a box too. */
static void a_ball_turns_far_beside_a_box(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r, "gravity: [0, 0, 0]\nbodies:\n"
                   "  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [0, 0, 1], angular_velocity: [0, 3000, 4000],\n"
                   "         shape: {type: sphere, at: [0, 0, 1], radius: 0.1}}\n"
                   "  box: {mass: 1, inertia: [0.01, 0.02, 0.03], com: [1, 0, 1], angular_velocity: [1, 2, 3],\n"
                   "        shape: {type: box, at: [1, 0, 1], size: [0.1, 0.2, 0.3]}}\n"
                   "run: {method: nonsmooth, step: 1 ms, until: 0.1 s}\n");
    assert_int_equal(jn_sim_advance(r.sim, 0.1), JN_OK);
    jn_body_motion ball = rigid_body(&r, 1);
    assert_below(v3_norm(v3_sub(ball.angular_velocity, v3(0, 3000, 4000))), 1e-9);
    assert_true(jn_sim_audit(r.sim)->ok);
    rigid_close(&r);
}

/* A damper whose line passes through the pivot of its rod moves nothing at the start, and is 300 times as stiff as the inertia when the rod hangs: it was explicit for ever,
 * since it was judged at the start. The rod creeps: c v r = m g x. */
static void dampers_become_stiff(void **state) {
    (void)state;
    double last = 0, error[2];
    for (int k = 0; k < 3; k++) {
        rigid r;
        char text[512];
        snprintf(text, sizeof text,
                 "plane: xy\nbodies:\n  rod: {mass: 1e-3, inertia: 1e-5, com: [0.1, 0]}\n"
                 "joints:\n  pivot: {type: revolute, between: [ground, rod], at: [0, 0]}\n"
                 "forces:\n  damper: {type: spring, between: [ground, rod], ends: [[1, 0], [0.2, 0]], stiffness: 0, "
                 "damping: 50}\n"
                 "run: {method: nonsmooth, step: %g, until: 1 s}\n",
                 1e-3 / (1 << k));
        rigid_text(&r, text);
        assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
        assert_true(jn_sim_audit(r.sim)->ok);
        double angle = jn_sim_state(r.sim)->q[0];
        if (k) error[k - 1] = fabs(angle - last);
        last = angle;
        rigid_close(&r);
    }
    assert_below(error[0], 1e-4);
    assert_below(error[1], 0.6 * error[0]); /* it converges */
}

/* A body of 5 mg between stretched springs: their tension swings it across the line by a phase of more than 8 rad in a step. The error says which spring, and the step that it
 * names ends with its energy explained. */
static void springs_that_swing_too_fast_are_told(void **state) {
    (void)state;
    double step = 6.48e-4;
    for (int k = 0; k < 2; k++) {
        rigid r;
        char text[1500];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies:\n"
                 "  low: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], com: [0, 0, 0]}\n"
                 "  light: {mass: 5e-6, inertia: [4e-11, 4e-11, 4e-11], com: [0, 0, 0.025], velocity: [0.1, 0, 0]}\n"
                 "  top: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], com: [0, 0, 0.05]}\n"
                 "forces:\n"
                 "  a: {type: spring, between: [low, light], ends: [[0, 0, 0], [0, 0, 0.025]], stiffness: 1e4, rest: "
                 "0.023, damping: 0.1}\n"
                 "  b: {type: spring, between: [light, top], ends: [[0, 0, 0.025], [0, 0, 0.05]], stiffness: 1e4, "
                 "rest: 0.023, damping: 0.1}\n"
                 "run: {method: nonsmooth, step: %g, until: 0.02}\n",
                 step);
        rigid_text(&r, text);
        int status = jn_sim_advance(r.sim, 0.02);
        if (k == 0) {
            const char *said = jn_sim_error(r.sim)->text, *at = strstr(jn_sim_error(r.sim)->hint, "take steps of ");
            print_message("%s\n", said);
            assert_int_equal(status, JN_ERR_NUMERIC);
            assert_non_null(strstr(said, "the spring between 'low' and 'light'"));
            assert_non_null(at);
            step = strtod(at + strlen("take steps of "), NULL);
            assert_true(step > 1e-6 && step < 6e-4);
        } else {
            assert_int_equal(status, JN_OK);
            assert_true(jn_sim_audit(r.sim)->ok);
        }
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_turns_are_taken_off),
        cmocka_unit_test(a_ball_turns_far_beside_a_box),
        cmocka_unit_test(dampers_become_stiff),
        cmocka_unit_test(springs_that_swing_too_fast_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

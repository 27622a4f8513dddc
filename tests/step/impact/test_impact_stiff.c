/* Stiff motors by method impact: implicit steps where explicit ones would be short. A cart on a driven wheel that rolls, with a fan of little inertia on it:
 *
 *     (M + I/r^2) v' = kd (w0 - v/r)/r,     J w' = k (sin t - w)
 */
#include "text_model.h"

static const double M = 5, I = 0.02, r = 0.1, kd = 0.2, w0 = 10, J = 1e-4, k = 20, until = 0.5;

static jn_sim *cart(const char *integrator, jn_model **m) {
    char text[1600];
    snprintf(text, sizeof text,
             "plane: xy\nbodies:\n  ground: {shape: {type: half_plane}}\n  cart: {mass: 1, inertia: 1, at: [0, 0.3]}\n"
             "  slider: {mass: 0.5, inertia: 1, at: [0, 0.2]}\n"
             "  wheel: {mass: 3, inertia: %.17g, at: [0, %.17g], shape: {type: circle, radius: %.17g}}\n"
             "  fan: {mass: 0.5, inertia: %.17g, at: [0, 0.2]}\n"
             "joints:\n  guide: {type: prismatic, between: [ground, cart], at: [0, 0.3], along: x}\n"
             "  leg: {type: prismatic, between: [cart, slider], at: [0, 0.2], along: y}\n"
             "  drive: {type: revolute, between: [slider, wheel], at: [0, %.17g], motor: {speed: -%.17g, kd: %.17g}}\n"
             "  spin: {type: revolute, between: [slider, fan], at: [0, 0.2], motor: {speed: sin(t), kd: %.17g}}\n"
             "contacts: {c: {between: [ground, wheel], friction: 1}}\n"
             "run: {method: impact, integrator: %s, until: %.17g, tolerance: 1e-9}\n",
             I, r, r, J, r, w0, kd, k, integrator, until);
    return text_sim(text, m);
}

static void stiff_motors_take_implicit_steps(void **state) {
    (void)state;
    const char *const integrators[] = {"dopri45", "bdf"};
    double tau = (M + I / (r * r)) * r * r / kd, v = w0 * r * (1 - exp(-until / tau));
    double x = w0 * r * (until - tau * (1 - exp(-until / tau))), c = k / J;
    double w = (c * c * sin(until) - c * cos(until) + c * exp(-c * until)) / (1 + c * c);
    for (int i = 0; i < 2; i++) {
        jn_model *m;
        jn_sim *sim = cart(integrators[i], &m);
        jn_body_motion cart_motion, fan;
        assert_int_equal(jn_sim_advance(sim, until), JN_OK);
        assert_int_equal(jn_sim_observe(sim), JN_OK);
        jn_body_motion_get(m, jn_sim_work(sim), 1, &cart_motion);
        jn_body_motion_get(m, jn_sim_work(sim), 4, &fan);
        const jn_audit *a = jn_sim_audit(sim);
        print_message("%s: %ld steps, x %.2e m, v %.2e m/s, fan %.2e rad/s off: %s\n", integrators[i], a->steps,
                      cart_motion.position.x - x, cart_motion.velocity.x - v, fan.angular_velocity.z - w, a->verdict);
        assert_true(a->ok);
        assert_near(cart_motion.position.x, x, 1e-7);
        assert_near(cart_motion.velocity.x, v, 1e-7);
        assert_near(fan.angular_velocity.z, w, 1e-7);
        assert_true(a->steps < 0.25 * until * c / 3.3); /* of what stability would ask for */
        jn_sim_free(sim), jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(stiff_motors_take_implicit_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

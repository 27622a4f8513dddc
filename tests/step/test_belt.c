/* Surfaces that move while their shapes stand: belts, turntables, rollers, by all contact methods against closed forms. */
#include "step/sim.h"
#include "text_model.h"

#define RIGID "contacts: {default: {restitution: 0, friction: 0.3}}\n"
#define SOFT                                                                                                           \
    "contacts: {default: {law: kelvin_voigt, stiffness: 1e5, damping: 600, friction: {law: ambrosio, dynamic: 0.3, "   \
    "v0: 1 mm/s, v1: 2 mm/s}}}\n"

/* What the contact methods and their schemes are called in a model. */
static const struct {
    const char *contacts, *run;
    double within; /* [m/s], [J] */
} methods[] = {{RIGID, "{method: nonsmooth, step: 1 ms, until: 2}", 1e-5},
               {RIGID, "{method: nonsmooth, scheme: moreau_jean, step: 1 ms, until: 2}", 1e-3},
               {RIGID, "{method: nonsmooth, scheme: moreau_midpoint, step: 1 ms, until: 2}", 1e-3},
               {RIGID, "{method: nonsmooth, scheme: least_constraint, step: 1 ms, until: 2}", 1e-4},
               {RIGID, "{method: impact, until: 2}", 1e-7},
               {SOFT, "{method: compliant, until: 2}", 5e-3}};
enum { METHODS = sizeof methods / sizeof *methods };

static jn_sim *run_to(const char *bodies, int k, double t, jn_model **m) {
    char text[2000];
    snprintf(text, sizeof text, "%s%srun: %s\n", bodies, methods[k].contacts, methods[k].run);
    jn_sim *sim = text_sim(text, m);
    assert_true(jn_sim_advance(sim, t) >= 0);
    if (!jn_sim_audit(sim)->ok) fail_msg("%s\n%s", jn_sim_audit(sim)->verdict, text);
    return sim;
}

static jn_body_motion motion_of(jn_sim *sim, const char *body) {
    const jn_model *m = jn_sim_model(sim);
    jn_body_motion out;
    assert_true(jn_sim_observe(sim) >= 0);
    jn_body_motion_get(m, jn_sim_work(sim), jn_model_find_body(m, body), &out);
    return out;
}

/* A crate that is set down on a belt slips until it has its speed v, after t = v/(mu g): the belt works m v^2, half of it is lost in friction. */
static void test_belt(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim =
            run_to("bodies:\n"
                   "  ground: {shape: {type: box, size: [10, 1, 0.2], at: [0, 0, -0.1], surface_velocity: [1, 0, 0]}}\n"
                   "  crate: {mass: 1, at: [0, 0, 0.1], shape: {type: box, size: [0.2, 0.2, 0.2]}}\n",
                   k, 1, &m);
        assert_near(motion_of(sim, "crate").velocity.x, 1, methods[k].within);
        assert_near(motion_of(sim, "crate").position.x, 1 - 1 / (2 * 0.3 * 9.81), 2 * methods[k].within);
        assert_near(jn_sim_state(sim)->ledger.driven, 1, methods[k].within);
        assert_near(jn_sim_state(sim)->ledger.friction, 0.5, 2 * methods[k].within);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* In a plane, aslant: mu = 0.3 < tan of the slope, so that the crate slides down a belt that moves up, with g (sin - mu cos). */
static void test_slope(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = run_to("plane: xy\ngravity: [-4.903325, -8.49280758]\nbodies:\n" /* 30 degrees */
                             "  ground: {shape: {type: half_plane, normal: [0, 1], surface_velocity: [3, 0]}}\n"
                             "  crate: {mass: 1, at: [0, 0.1], shape: {type: rectangle, size: [0.4, 0.2]}}\n",
                             k, 1, &m);
        double a = -4.903325 + 0.3 * 8.49280758;
        assert_near(motion_of(sim, "crate").velocity.x, a, fmax(methods[k].within, 1e-6));
        assert_near(jn_sim_state(sim)->ledger.driven, 3 * 0.3 * 8.49280758,
                    5e-3); /* the leapfrog books half a step later */
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Nothing else touches a cart with a belt on it: crate and cart part with the speed of the belt, their momentum is zero. */
static void test_cart(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = run_to(
            "bodies:\n"
            "  cart: {mass: 2, at: [0, 0, 0], shape: {type: box, size: [4, 1, 0.2], surface_velocity: [0.6, 0, 0]}}\n"
            "  crate: {mass: 1, at: [0, 0, 0.2], shape: {type: box, size: [0.2, 0.2, 0.2]}}\n"
            "joints: {rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: x}}\n",
            k, 1, &m);
        assert_near(motion_of(sim, "crate").velocity.x, 0.4, methods[k].within);
        assert_near(motion_of(sim, "cart").velocity.x, -0.2, methods[k].within);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A puck that rides on a turntable goes in a circle: mu g > w^2 r. */
static void test_turntable(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = run_to("bodies:\n"
                             "  ground: {shape: {type: cylinder, radius: 1, length: 0.2, at: [0, 0, -0.1], "
                             "surface_rotation: [0, 0, 2]}}\n"
                             "  puck: {mass: 1, at: [0.4, 0, 0.05], velocity: [0, 0.8, 0], angular_velocity: [0, 0, "
                             "2], shape: {type: box, size: [0.1, 0.1, 0.1]}}\n",
                             k, 1, &m);
        jn_vec3 p = motion_of(sim, "puck").position;
        double loose = k == 5 ? 0.02 : k == 4 ? 1e-5 : 3e-3;
        assert_near(p.x, 0.4 * cos(2), loose);
        assert_near(p.y, 0.4 * sin(2), loose);
        assert_near(motion_of(sim, "puck").angular_velocity.z, 2, k == 5 ? 0.02 : 1e-2);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A belt that moves towards a ball does not push it: what lies along the normal is nothing that a contact sees. */
static void test_face(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        jn_model *m;
        jn_sim *sim = run_to(
            "gravity: none\nbodies:\n"
            "  ground: {shape: {type: box, size: [2, 1, 1], at: [-1, 0, 0], surface_velocity: [1, 0, 0]}}\n"
            "  ball: {mass: 1, at: [0.1, 0, 0], velocity: [-0.01, 0, 0], shape: {type: sphere, radius: 0.099}}\n",
            k, 0.5, &m);
        assert_near(motion_of(sim, "ball").velocity.x, 0, 0.011);
        assert_near(motion_of(sim, "ball").position.x, 0.099, 2e-3);
        jn_sim_free(sim), jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_belt), cmocka_unit_test(test_slope),
                                       cmocka_unit_test(test_cart), cmocka_unit_test(test_turntable),
                                       cmocka_unit_test(test_face)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

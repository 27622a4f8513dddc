/* Inverse dynamics with shared actuation and held points, and inverse kinematics of points. */
#include "opened.h"
#include "text_model.h"
#include <stdlib.h>

/* A parallelogram with motors on both cranks. Equal weights share equally, others inversely. */
static void shared_by_weight(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("plane: xy\nbodies:\n"
                           "  a: {mass: 2, com: [0.5, 0], inertia: 0.2}\n  b: {mass: 2, com: [1.5, 0], inertia: 0.2}\n"
                           "  c: {mass: 2, com: [2.5, 0], inertia: 0.2}\njoints:\n"
                           "  p: {type: revolute, between: [ground, a], at: [0, 0], position: 90 deg}\n"
                           "  q: {type: revolute, between: [a, b], at: [1, 0], position: -90 deg}\n"
                           "  r: {type: revolute, between: [b, c], at: [2, 0], position: -90 deg}\n"
                           "  s: {type: revolute, between: [c, ground], frames: [{at: [3, 0], axis: z}, {at: [1, 0], "
                           "axis: z}], loop: true}\nrun: {until: 1}\n",
                           &m);
    /* a parallelogram of unit cranks and a level coupler; leaned by 30 degrees it needs a holding torque */
    jn_state *s = jn_sim_state(sim);
    s->q[0] -= 0.5235987755982988, s->q[1] += 0.5235987755982988, s->q[2] -= 0.5235987755982988;
    assert_int_equal(jn_project(m, jn_sim_work(sim), s), JN_OK);
    int both[] = {0, 2};
    double tau[3], weight[] = {1, 3}, unbalanced;
    /* cranks a and c turn alike against the ground and the coupler: torques at p and r have the same lever */
    double needed = 9.81 * sin(0.5235987755982988) * (2 * 0.5 + 2 * 1 + 2 * 0.5);
    jn_inverse_desc wanted = {.actuators = 1, .actuated = both};
    assert_int_equal(jn_study_inverse(m, jn_sim_work(sim), jn_sim_state(sim), &wanted, tau, NULL, NULL, &unbalanced),
                     JN_OK);
    assert_near(fabs(tau[0]), needed, 1e-9);
    assert_below(unbalanced, 1e-10);
    wanted.actuators = 2;
    assert_int_equal(jn_study_inverse(m, jn_sim_work(sim), jn_sim_state(sim), &wanted, tau, NULL, NULL, &unbalanced),
                     JN_OK);
    assert_near(fabs(tau[0]), needed / 2, 1e-9);
    assert_near(fabs(tau[2]), needed / 2, 1e-9);
    wanted.weight = weight;
    assert_int_equal(jn_study_inverse(m, jn_sim_work(sim), jn_sim_state(sim), &wanted, tau, NULL, NULL, &unbalanced),
                     JN_OK);
    assert_near(fabs(tau[0]), 0.75 * needed, 1e-9);
    assert_near(fabs(tau[2]), 0.25 * needed, 1e-9);
    wanted.actuators = 0;
    assert_int_equal(jn_study_inverse(m, jn_sim_work(sim), jn_sim_state(sim), &wanted, tau, NULL, NULL, &unbalanced),
                     JN_OK);
    assert_true(unbalanced > 1);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* ATHENA stands on three feet that are held: their forces carry the weight, 18 torques are found, and the mechanism under them
 * does not move. */
static void stands_on_feet(void **state) {
    (void)state;
    jn_report report = {0};
    jn_description *d =
        jn_description_read(JN_SOURCE_DIR "/models/rodrigues2024/athena_nonsmooth.yaml", NULL, 0, &report);
    assert_non_null(d);
    jn_model *m = jn_model_compile(d, &report);
    jn_description_free(d);
    jn_sim *sim = jn_sim_create(m, &report);
    assert_non_null(sim);
    int nv = jn_model_nv(m), actuated[18];
    for (int k = 0; k < 18; k++) actuated[k] = 6 + k;
    assert_int_equal(nv, 24);
    for (int k = 0; k < nv; k++) jn_sim_state(sim)->u[k] = 0;
    jn_hold feet[3];
    jn_vec3 force[3];
    for (int k = 0; k < 3; k++) {
        char name[8];
        snprintf(name, sizeof name, "foot%d", 2 * k + 1);
        feet[k] = (jn_hold){jn_model_find_body(m, name), {0, 0, -0.012}};
    }
    double tau[24], unbalanced, up = 0, side[2] = {0};
    jn_inverse_desc wanted = {.actuators = 18, .actuated = actuated, .holds = 3, .hold = feet};
    assert_int_equal(jn_study_inverse(m, jn_sim_work(sim), jn_sim_state(sim), &wanted, tau, NULL, force, &unbalanced),
                     JN_OK);
    assert_below(unbalanced, 1e-10);
    for (int k = 0; k < 3; k++) {
        up += force[k].z, side[0] += force[k].x, side[1] += force[k].y;
        assert_true(force[k].z > 10);
    }
    assert_near(up, 5.5 * 9.81, 1e-9);
    assert_near(side[0], 0, 1e-9);
    assert_near(side[1], 0, 1e-9);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* A leg reaches for points of its gait: the angles are those of the closed form in the model. */
static void leg_reaches(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim =
        text_sim("gravity: none\nbodies:\n  coxa: {mass: 1, com: [0.03, 0, 0], inertia: [1, 1, 1]}\n"
                 "  femur: {mass: 1, com: [0.11, 0, 0], inertia: [1, 1, 1]}\n  tibia: {mass: 1, com: [0.16, 0, -0.08], "
                 "inertia: [1, 1, 1]}\n"
                 "joints:\n  yaw: {type: revolute, between: [ground, coxa], at: [0, 0, 0], axis: z}\n"
                 "  pitch: {type: revolute, between: [coxa, femur], at: [0.06, 0, 0], axis: -y, position: 30 deg}\n"
                 "  knee: {type: revolute, between: [femur, tibia], at: [0.16, 0, 0], axis: -y, position: -30 deg}\n"
                 "points: {foot: {on: tibia, at: [0.16, 0, -0.16]}}\nrun: {until: 1}\n",
                 &m);
    int all[] = {0, 1, 2}, point = 0;
    for (int k = 0; k <= 20; k++) {
        double x = 0.06 * sin(0.4 * k), y = 0.05 * cos(0.7 * k), z = -0.11 + 0.02 * (1 + cos(0.9 * k));
        jn_vec3 target = {0.14 + x, y, z};
        assert_int_equal(jn_study_reach(sim, 3, all, 1, &point, &target), JN_OK);
        double r = hypot(target.x, target.y) - 0.06, d = r * r + z * z, *q = jn_sim_state(sim)->q;
        assert_near(q[0], atan2(target.y, target.x), 1e-11);
        assert_near(q[1], atan2(z, r) + acos((0.01 - 0.0256 + d) / (0.2 * sqrt(d))), 1e-11);
        assert_near(q[2], asin((d - 0.01 - 0.0256) / 0.032), 1e-11);
    }
    jn_vec3 far = {1, 0, 0}; /* 0.06 + 0.1 + 0.16 is as far as it goes */
    assert_int_equal(jn_study_reach(sim, 3, all, 1, &point, &far), JN_NOT_CONVERGED);
    jn_sim_free(sim);
    jn_model_free(m);
}

static uint64_t seed = 7;
static double uniform(double low, double high) { /* xorshift */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n  ground: {shape: {type: plane}}\n"
    "  ball: {mass: %.17g, inertia: [0.02, 0.03, 0.04], com: [0, 0, 0.1005], velocity: [%.17g, %.17g, -1],\n"
    "         shape: {type: sphere, radius: 0.1, at: [0, 0, 0.1005]}}\n"
    "contacts: {floor: {between: [ground, ball], law: hunt_crossley, stiffness: 1e5, restitution: 0.6, friction: "
    "0.3}}\n"
    "run: {method: %s, step: 1e-3, until: 1}\n";

/* Balls in contact with a floor: forces of inverse dynamics with the contact give the accelerations asked for, and the contact acts: without
 * it the ball would fall. */
static void contacts_count(void **state) {
    (void)state;
    static const int all[] = {0, 1, 2, 3, 4, 5};
    for (int k = 0; k < 200; k++) {
        char text[1024];
        jn_model *m;
        double mass = uniform(0.5, 2), a[6], tau[6], got[6];
        snprintf(text, sizeof text, ball, mass, uniform(-1, 1), uniform(-1, 1), "compliant");
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, uniform(5e-3, 10e-3)), JN_OK);
        assert_int_equal(jn_sim_accelerate(sim, jn_sim_state(sim), NULL, got, NULL), JN_OK);
        assert_true(got[2] > 0); /* pushed back */
        for (int i = 0; i < 6; i++) a[i] = uniform(-50, 50);
        jn_inverse_desc wanted = {.a = a, .actuators = 6, .actuated = all};
        assert_int_equal(jn_study_inverse_sim(sim, &wanted, tau, NULL, NULL, NULL), JN_OK);
        assert_int_equal(jn_sim_accelerate(sim, jn_sim_state(sim), tau, got, NULL), JN_OK);
        for (int i = 0; i < 6; i++) assert_near(got[i], a[i], 1e-9);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* What knows no contacts refuses the work space of a simulation whose contacts act, by every method. */
static void work_space_with_contacts_is_refused(void **state) {
    (void)state;
    static const char *const methods[] = {"compliant", "nonsmooth", "impact"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        jn_model *m;
        jn_linear linear;
        double a[6], tau[6];
        snprintf(text, sizeof text, ball, 1.0, 0.5, 0.0, methods[k]);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 2e-3), JN_OK);
        jn_work *w = jn_sim_work(sim);
        const jn_state *s = jn_sim_state(sim);
        jn_inverse_desc wanted = {0};
        assert_int_equal(jn_observe(m, w, s), JN_ERR_ARGUMENT);
        assert_int_equal(jn_accelerate(m, w, s, NULL, a, NULL), JN_ERR_ARGUMENT);
        assert_int_equal(jn_study_linearise(m, w, s, NULL, &linear), JN_ERR_ARGUMENT);
        assert_int_equal(jn_study_inverse(m, w, s, &wanted, tau, NULL, NULL, NULL), JN_ERR_ARGUMENT);
        assert_int_equal(jn_sim_observe(sim), JN_OK);
        assert_int_equal(jn_study_linearise_sim(sim, NULL, &linear), JN_OK);
        jn_linear_free(&linear);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared_by_weight), cmocka_unit_test(stands_on_feet),
                                       cmocka_unit_test(leg_reaches), cmocka_unit_test(contacts_count),
                                       cmocka_unit_test(work_space_with_contacts_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

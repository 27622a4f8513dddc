/* Actuators in whole runs: activations in closed form by every method and integrator, servos that are stiff for the step, ranges,
 * controls of a program, energy and momentum, relative against absolute coordinates, derivatives; and what sensors read at rest. */
#include "step/sim.h"
#include "text_model.h"
#include <stdlib.h>

/* A wheel of 0.5 kg m^2 that a filter, an integral and a muscle's activation drive. */
#define WHEEL(run)                                                                                                     \
    "gravity: none\nbodies: {w: {mass: 1, inertia: [0.5, 0.5, 0.5], com: [0, 0, 0]}}\n"                                \
    "joints: {j: {type: revolute, between: [ground, w], at: [0, 0, 0], axis: z}}\n"                                    \
    "actuators:\n"                                                                                                     \
    "  slow: {joint: j, gear: 2, control: 3, activation: filter, time: 0.2, gain: 0.5}\n"                              \
    "  sum: {joint: j, control: 0.5, activation: integrator, activation_range: [0, 0.3]}\n"                            \
    "  fibre: {joint: j, control: 1, muscle: {lengths: [-10, 10], force: 0, range: [0.75, 1.05]}, time: [0.1, 0.3], "  \
    "start: 0.1}\n"                                                                                                    \
    "run: " run "\n"

static double activation(jn_sim *sim, const char *name) {
    const jn_model *m = jn_sim_model(sim);
    int i = jn_model_find_actuator(m, name);
    assert_true(i >= 0 && jn_sim_observe(sim) >= 0);
    return jn_actuator_motion_get(m, jn_sim_work(sim), i).activation;
}

static void test_activations(void **state) {
    (void)state;
    static const char *const runs[] = {WHEEL("{until: 1}"),
                                       WHEEL("{until: 1, integrator: rk4, step: 1 ms}"),
                                       WHEEL("{until: 1, integrator: adams}"),
                                       WHEEL("{until: 1, integrator: bdf}"),
                                       WHEEL("{until: 1, integrator: verlet, step: 0.1 ms}"),
                                       WHEEL("{until: 1, integrator: euler, step: 0.01 ms}"),
                                       WHEEL("{until: 1, method: compliant}"),
                                       WHEEL("{until: 1, method: impact}"),
                                       WHEEL("{until: 1, method: nonsmooth, step: 0.5 ms}"),
                                       WHEEL("{until: 1, method: nonsmooth, scheme: moreau_jean, step: 0.5 ms}")};
    /* J u' = 2 (3/2)(1 - exp(-t/T)) + min(t/2, 0.3) */
    double speed = (3 * (0.8 - 0.2 * (1 - exp(-4))) + 0.25 * 0.36 + 0.3 * 0.2) / 0.5;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        static const double within[] = {1e-6, 1e-4, 1e-5, 1e-4, 1e-3, 1e-3, 1e-6, 1e-6, 5e-3, 5e-3};
        jn_model *m;
        jn_sim *sim = text_sim(runs[i], &m);
        assert_true(jn_sim_advance(sim, 0.8) >= 0);
        assert_near(activation(sim, "slow"), 3 * (1 - exp(-4)), i == 5 ? 1e-4 : 1e-5);
        assert_near(activation(sim, "sum"), 0.3, 1e-3);
        assert_near(activation(sim, "fibre"), 1, 0.03); /* its time constant grows from 0.1 (0.5 + 1.5 a) */
        assert_near(jn_sim_state(sim)->u[0], speed, within[i]);
        if (!jn_sim_audit(sim)->ok && i != 5) fail_msg("run %zu: %s", i, jn_sim_audit(sim)->verdict);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* Saved in the middle, a run ends in the same bits; activations and controls count in the hash. */
static void test_saved(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(WHEEL("{until: 1, method: nonsmooth, step: 1 ms}"), &m), *other;
    jn_report report;
    other = jn_sim_create(m, &report);
    assert_non_null(other);
    assert_true(jn_sim_advance(sim, 0.3) >= 0);
    jn_sim_control(sim, 0, -1);
    size_t size = 0;
    unsigned char *bytes = jn_sim_to_bytes(sim, &size);
    assert_non_null(bytes);
    assert_true(jn_sim_from_bytes(other, bytes, size, &report) >= 0);
    free(bytes);
    assert_true(jn_sim_advance(sim, 0.9) >= 0 && jn_sim_advance(other, 0.9) >= 0);
    assert_true(jn_state_hash(jn_sim_state(sim)) == jn_state_hash(jn_sim_state(other)));
    assert_near(activation(sim, "slow"), 2 + (3 * (1 - exp(-1.5)) - 2) * exp(-3), 1e-9);
    jn_sim_control(other, 0, 0);
    assert_true(jn_state_hash(jn_sim_state(sim)) != jn_state_hash(jn_sim_state(other)));
    jn_sim_free(sim), jn_sim_free(other), jn_model_free(m);
}

/* An arm with a servo on a joint, a muscle on a cable, a crank, and a thrust between two bodies. */
#define ARM(coordinates, run)                                                                                          \
    "coordinates: " coordinates "\n"                                                                                   \
    "bodies:\n  a: {mass: 1, inertia: [0.02, 0.02, 0.01], com: [0, 0, -0.2]}\n"                                        \
    "  b: {mass: 0.5, inertia: [0.01, 0.01, 0.005], com: [0, 0, -0.6]}\n"                                              \
    "points:\n  top: {body: ground, at: [0.05, 0, 0.05]}\n  low: {body: b, at: [0.03, 0, -0.5]}\n"                     \
    "  side: {body: a, at: [0.1, 0, -0.4]}\n  pin: {body: b, at: [0.02, 0.1, -0.55]}\n"                                \
    "  guide: {body: a, at: [0, 0.05, 0.1], orientation: {axis: x, angle: 40 deg}}\n"                                 \
    "  hand: {body: b, at: [0, 0, -0.8], orientation: {axis: y, angle: 30 deg}}\n"                                     \
    "joints:\n  hip: {type: universal, between: [ground, a], at: [0, 0, 0], axes: [x, y], position: [0.2, 0.1]}\n"     \
    "  knee: {type: revolute, between: [a, b], at: [0, 0, -0.4], axis: y, position: 0.5}\n"                            \
    "tendons:\n  cable: {path: [top, side, low]}\n"                                                                    \
    "actuators:\n  servo: {joint: knee, control: 0.3*sin(3*t) + 0.01*joint.knee.u, gain: 20, bias: [0, -20, -1]}\n"     \
    "  muscle: {tendon: cable, control: 0.6, muscle: {lengths: [0.3, 0.8], force: 40}}\n"                              \
    "  crank: {crank: pin, slider: guide, rod: 1.5, control: 0.5, gain: 2, bias: [0, -3, -0.2]}\n"                     \
    "  thrust: {point: hand, reference: guide, force: [0.5, 1, 0], torque: [0, 0.1, 0.2], control: 1, bias: [0, -1, "  \
    "-0.3]}\n"                                                                                                         \
    "run: " run "\n"

static void test_methods(void **state) {
    (void)state;
    static const char *const texts[] = {ARM("relative", "{until: 1}"),
                                        ARM("absolute", "{until: 1}"),
                                        ARM("relative", "{until: 1, method: compliant}"),
                                        ARM("relative", "{until: 1, method: impact}"),
                                        ARM("relative", "{until: 1, method: nonsmooth, step: 0.5 ms}"),
                                        ARM("absolute", "{until: 1, method: nonsmooth, step: 0.5 ms}")};
    double end[6];
    for (int i = 0; i < 6; i++) {
        jn_model *m;
        jn_sim *sim = text_sim(texts[i], &m);
        assert_true(jn_sim_advance(sim, 1) >= 0);
        if (!jn_sim_audit(sim)->ok) fail_msg("run %d: %s", i, jn_sim_audit(sim)->verdict);
        assert_true(jn_sim_observe(sim) >= 0);
        end[i] = jn_tendon_motion_get(m, jn_sim_work(sim), 0).q;
        jn_sim_free(sim), jn_model_free(m);
    }
    for (int i = 1; i < 6; i++) assert_near(end[i], end[0], i < 4 ? 1e-6 : 1e-3);
}

/* a_q and a_u against central differences. */
static void test_derivatives(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        jn_report report;
        jn_model *m = text_model(n ? ARM("absolute", "{until: 1}") : ARM("relative", "{until: 1}"), &report);
        check_report(&report);
        jn_work *w = jn_work_create(m);
        jn_state *s = jn_state_create(m), *moved = jn_state_create(m);
        jn_derivatives *d = jn_derivatives_create(m);
        int nv = jn_model_nv(m), rows = jn_model_rows(m);
        double *a = calloc((size_t)(3 * nv + rows + 1), sizeof *a), *b = a + nv, *e = a + 2 * nv, *lambda = a + 3 * nv;
        assert_true(jn_assemble(m, w, s, &report) >= 0);
        s->act[0] = 0.4, s->t = 0.2;
        for (int i = 0; i < nv; i++) s->u[i] = 0.3 * (i % 3) - 0.2;
        assert_true(jn_system_derivatives(m, w, s, NULL, d) >= 0);
        for (int k = 0; k < 2 * nv; k++) {
            const double h = 1e-6;
            for (int side = 0; side < 2; side++) {
                jn_state_copy(moved, s);
                memset(e, 0, (size_t)nv * sizeof *e), e[k % nv] = 1;
                if (k >= nv)
                    moved->u[k % nv] += side ? h : -h;
                else
                    jn_q_advance(m, moved->q, e, side ? h : -h);
                assert_true(jn_accelerate(m, w, moved, NULL, side ? b : a, lambda) >= 0);
            }
            for (int i = 0; i < nv; i++)
                assert_near((k >= nv ? d->a_u : d->a_q)[i * nv + k % nv], (b[i] - a[i]) / (2 * h),
                            1e-6 * fmax(100, fabs(b[i])));
        }
        free(a), jn_derivatives_free(d), jn_state_free(s), jn_state_free(moved), jn_work_free(w), jn_model_free(m);
    }
}

/* A servo of 1e8 N m/rad holds its target at steps of 1 ms; ranges hold. */
static void test_stiff_servo(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("bodies: {w: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.2, 0, 0]}}\n"
                           "joints: {j: {type: revolute, between: [ground, w], at: [0, 0, 0], axis: y}}\n"
                           "actuators: {s: {joint: j, control: 0.3, gain: 1e8, bias: [0, -1e8, -1e5]}}\n"
                           "run: {method: nonsmooth, step: 1 ms, until: 2}\n",
                           &m);
    assert_true(jn_sim_advance(sim, 2) >= 0);
    assert_near(jn_sim_state(sim)->q[0], 0.3, 1e-6);
    jn_sim_free(sim), jn_model_free(m);
    sim = text_sim("gravity: none\nbodies: {w: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 0]}}\n"
                   "joints: {j: {type: revolute, between: [ground, w], at: [0, 0, 0], axis: y}}\n"
                   "actuators:\n  a: {joint: j, control: 9, control_range: [-1, 2], gear: 3, total_range: [-1, 5]}\n"
                   "  b: {joint: j, control: 9, force_range: [-1, 4], total_range: [-1, 5]}\nrun: {until: 1}\n",
                   &m);
    assert_true(jn_sim_advance(sim, 1) >= 0 && jn_sim_observe(sim) >= 0);
    assert_near(jn_sim_state(sim)->u[0], 5, 1e-9); /* 3 * 2 + 4, but at most 5 */
    assert_near(jn_actuator_motion_get(m, jn_sim_work(sim), 0).force, 2, 0);
    assert_near(jn_actuator_motion_get(m, jn_sim_work(sim), 1).force, 4, 0);
    jn_sim_free(sim), jn_model_free(m);
}

/* A servo of 1e5 N m s/rad within 20 N m brakes with these alone, I u0 / 20 N m long, and holds: u does not change sign at every step. By the
 * range of the actuator, and by that of the coordinate; and a stiff one for the angle comes to its target, from where it is at its
 * limit at the start. */
static void test_bounded_servo(void **state) {
    (void)state;
    static const char *const servos[] = {"{joint: j, bias: [0, 0, -1e5], force_range: [-20, 20]}",
                                         "{joint: j, bias: [0, 0, -1e5], total_range: [-20, 20]}",
                                         "{joint: j, control: 0.5, gain: 1e5, bias: [0, -1e5, -1e3], force_range: [-20, 20]}"};
    const double inertia = 0.1, speed = 3, stops = speed * speed * inertia / (2 * 20);
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "gravity: none\nbodies: {w: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, 0]}}\n"
                 "joints: {j: {type: revolute, between: [ground, w], at: [0, 0, 0], axis: y, speed: %g}}\n"
                 "actuators: {s: %s}\nrun: {method: nonsmooth, step: 1 ms, until: 1}\n",
                 k < 2 ? speed : 0, servos[k]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        assert_true(jn_sim_advance(sim, 1) >= 0);
        assert_near(jn_sim_state(sim)->q[0], k < 2 ? stops : 0.5, k < 2 ? 2e-4 : 1e-6);
        assert_near(jn_sim_state(sim)->u[0], 0, 1e-6);
        if (k < 2) assert_near(jn_sim_state(sim)->ledger.driven, -0.5 * inertia * speed * speed, 1e-3);
        assert_near(jn_sim_audit(sim)->max_energy_residual, 0, 1e-12);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A beam that a joint holds: an accelerometer feels its weight upwards, the joint carries it. */
static void test_sensors(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim("bodies: {a: {mass: 2, inertia: [1, 1, 1], com: [0.5, 0, 0]}}\n"
                           "points: {p: {body: a, at: [0, 0, 0], orientation: {axis: x, angle: 90 deg}}}\n"
                           "joints: {j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y, motion: '0'}}\n"
                           "sensors:\n  acc: {type: accelerometer, point: p}\n  f: {type: force, point: p}\n"
                           "  n: {type: torque, point: p, cutoff: 3}\n  com: {type: subtreecom, body: a}\n"
                           "  time: {type: clock}\nrun: {until: 1}\n",
                           &m);
    double v[JN_SENSOR_MOST];
    assert_true(jn_sim_advance(sim, 0.5) >= 0 && jn_sim_observe(sim) >= 0);
    assert_int_equal(jn_sensor_get(m, jn_sim_work(sim), 0, v), 3);
    assert_near(v[1], 9.81, 1e-12); /* z of the world is y of the point */
    jn_sensor_get(m, jn_sim_work(sim), 1, v);
    assert_near(v[1], 2 * 9.81, 1e-10);
    jn_sensor_get(m, jn_sim_work(sim), 2, v);
    assert_near(v[2], 3, 1e-12); /* -9.81 N m about y, z of the point is -y; cut */
    jn_sensor_get(m, jn_sim_work(sim), 3, v);
    assert_near(v[0], 0.5, 1e-12);
    assert_int_equal(jn_sensor_get(m, jn_sim_work(sim), 4, v), 1);
    assert_near(v[0], 0.5, 1e-12);
    jn_sim_free(sim), jn_model_free(m);
}

/* A PID controller that holds a weight of 9.81 N: without an error in the end; where its integral part is bounded by 5 N, the error is
 * (9.81 - 5)/kp. In the words of the file, and as MuJoCo's plugin. */
static void test_pid(void **state) {
    static const char *const runs[] = {"{until: 12}", "{until: 12, integrator: bdf}", "{until: 12, method: impact}",
                                       "{until: 12, method: nonsmooth, step: 2 ms}"};
    static const char mjcf[] =
        "<mujoco><extension><plugin plugin='mujoco.pid'><instance name='pid'><config key='kp' value='40'/><config key='ki' "
        "value='40'/><config key='kd' value='12'/><config key='imax' value='5'/></instance></plugin></extension><worldbody>"
        "<body name='a'><joint name='j' type='slide' axis='0 0 1'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>"
        "</worldbody><actuator><plugin name='p' joint='j' plugin='mujoco.pid' instance='pid'/></actuator></mujoco>";
    (void)state;
    for (int k = 0; k < 8; k++) {
        char text[600];
        jn_model *m;
        snprintf(text, sizeof text,
                 "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\njoints: {j: {type: prismatic, between: [ground, a], at: "
                 "[0, 0, 0], axis: z}}\nactuators: {p: {joint: j, control: 0.2, activation: error, gain: 40, feed: 40, bias: [0, -40, "
                 "-12]%s}}\nrun: %s\n",
                 k % 2 ? ", activation_range: [-0.125, 0.125]" : "", runs[k / 2]);
        jn_sim *sim = text_sim(text, &m);
        assert_true(jn_sim_advance(sim, 12) >= 0);
        assert_near(jn_sim_state(sim)->q[0], k % 2 ? 0.2 - (9.81 - 5) / 40 : 0.2, 2e-4);
        assert_near(40 * activation(sim, "p"), k % 2 ? 5 : 9.81, 2e-3);
        assert_true(jn_sim_audit(sim)->ok);
        jn_sim_free(sim), jn_model_free(m);
    }
    char copy[sizeof mjcf];
    memcpy(copy, mjcf, sizeof mjcf);
    jn_report report = {0};
    jn_description *d = jn_description_parse(mjcf, strlen(mjcf), "robot.xml", NULL, 0, &report);
    check_report(&report);
    const jn_actuator_desc *a = &d->actuators[0];
    assert_true(d->actuator_count == 1 && a->activation == JN_ACTIVATION_ERROR && a->feed == 40 && a->gain[0] == 40);
    assert_true(a->bias[1] == -40 && a->bias[2] == -12 && a->activation_range[1] == 0.125);
    jn_description_free(d);
    char *ki = strstr(copy, "'ki' value='40'");
    assert_non_null(ki);
    memcpy(ki, "'ki' value='-8'", strlen("'ki' value='-8'")); /* the bounds are those of the part's size */
    d = jn_description_parse(copy, strlen(copy), "robot.xml", NULL, 0, &report);
    check_report(&report);
    assert_true(d->actuators[0].gain[0] == -8 && d->actuators[0].activation_range[0] == -0.625 && d->actuators[0].activation_range[1] == 0.625);
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pid), cmocka_unit_test(test_activations), cmocka_unit_test(test_saved),
                                       cmocka_unit_test(test_methods),     cmocka_unit_test(test_derivatives),
                                       cmocka_unit_test(test_stiff_servo), cmocka_unit_test(test_bounded_servo), cmocka_unit_test(test_sensors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

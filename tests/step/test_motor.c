/* DC motors in whole runs, against closed forms: winding, heat, bounds of voltage and rate, cogging, friction of bristles. */
#include "step/sim.h"
#include "text_model.h"

#define WHEEL(inertia, law, run)                                                                                       \
    "gravity: none\nbodies: {w: {mass: 1, inertia: [" inertia ", " inertia ", " inertia "], com: [0, 0, 0]}}\n"        \
    "joints: {j: {type: revolute, between: [ground, w], at: [0, 0, 0], axis: z}}\n"                                    \
    "actuators: {m: {joint: j, " law "}}\nrun: " run "\n"

static jn_actuator_motion seen(jn_sim *sim) {
    assert_true(jn_sim_observe(sim) >= 0);
    return jn_actuator_motion_get(jn_sim_model(sim), jn_sim_work(sim), 0);
}

static jn_sim *run_to(const char *text, double t, jn_model **m) {
    jn_sim *sim = text_sim(text, m);
    assert_true(jn_sim_advance(sim, t) >= 0);
    if (!jn_sim_audit(sim)->ok) fail_msg("%s\n%s", jn_sim_audit(sim)->verdict, text);
    return sim;
}

static void finish(jn_sim *sim, jn_model *m) { jn_sim_free(sim), jn_model_free(m); }

#define WINDING "control: 12, motor: {constant: 0.1, resistance: 2, inductance: 0.05, asks: voltage}"

/* J u' = K i, L i' = V - R i - K u, from rest. */
static double wound_speed(double t) {
    double J = 0.001, K = 0.1, R = 2, L = 0.05, V = 12, root = sqrt(R * R - 4 * L * K * K / J);
    double s1 = (-R + root) / (2 * L), s2 = (-R - root) / (2 * L);
    return V / K * (1 + (s2 * exp(s1 * t) - s1 * exp(s2 * t)) / (s1 - s2));
}

static void test_winding(void **state) {
    static const struct {
        const char *text;
        double within;
    } runs[] = {{WHEEL("0.001", WINDING, "{until: 0.2}"), 1e-4},
                {WHEEL("0.001", WINDING, "{until: 0.2, integrator: rk4, step: 1 ms}"), 1e-4},
                {WHEEL("0.001", WINDING, "{until: 0.2, integrator: bdf}"), 1e-2},
                {WHEEL("0.001", WINDING, "{until: 0.2, integrator: adams}"), 1e-3},
                {WHEEL("0.001", WINDING, "{until: 0.2, method: compliant}"), 1e-4},
                {WHEEL("0.001", WINDING, "{until: 0.2, method: impact}"), 1e-4}};
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        jn_model *m;
        jn_sim *sim = run_to(runs[i].text, 0.1, &m);
        assert_near(jn_sim_state(sim)->u[0], wound_speed(0.1), runs[i].within);
        jn_actuator_motion a = seen(sim);
        assert_near(a.voltage, 12, 1e-12);
        assert_near(a.force, 0.1 * a.current, 1e-12);
        finish(sim, m);
    }
}

/* Fixed steps: the error falls with the step, whether the winding settles within a step or not. */
static void test_winding_steps(void **state) {
    static const char *const texts[] = {
        WHEEL("0.001", WINDING, "{until: 0.2, method: nonsmooth, step: 0.4 ms}"),
        WHEEL("0.001", WINDING, "{until: 0.2, method: nonsmooth, step: 0.1 ms}"),
        WHEEL("0.001", WINDING, "{until: 0.2, method: nonsmooth, scheme: moreau_jean, step: 0.4 ms}"),
        WHEEL("0.001", WINDING, "{until: 0.2, method: nonsmooth, scheme: moreau_jean, step: 0.1 ms}")};
    (void)state;
    for (int k = 0; k < 4; k += 2) {
        double error[2];
        for (int n = 0; n < 2; n++) {
            jn_model *m;
            jn_sim *sim = run_to(texts[k + n], 0.1, &m);
            error[n] = fabs(jn_sim_state(sim)->u[0] - wound_speed(0.1));
            finish(sim, m);
        }
        assert_true(error[0] < 0.02 * wound_speed(0.1) && error[1] < 0.3 * error[0]);
    }
    /* a light rotor: both time constants, 25 us and 20 us, are far below the step; at the end it runs without load */
    jn_model *m;
    jn_sim *sim =
        run_to(WHEEL("1e-7", "control: 12, motor: {constant: 0.1, resistance: 2, inductance: 5e-5, asks: voltage}",
                     "{until: 0.2, method: nonsmooth, step: 2 ms}"),
               0.2, &m);
    assert_near(jn_sim_state(sim)->u[0], 120, 1e-3);
    finish(sim, m);
}

/* Held at rest by its inertia: i = V/R (1 - exp(-R t/L)), or a ramp before; T tends to where R_T V^2 / R(T) = T. */
static void test_heat(void **state) {
    static const char *const runs[] = {"{until: 9}", "{until: 9, integrator: bdf, tolerance: 1e-10}",
                                       "{until: 9, method: nonsmooth, step: 5 ms}"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1000];
        jn_model *m;
        snprintf(text, sizeof text,
                 WHEEL("1e4",
                       "control: 12, motor: {constant: 0.1, resistance: 2, asks: voltage, thermal_resistance: 0.5, "
                       "heat_capacity: 2,"
                       " temperature_coefficient: 0.004, reference_temperature: 25, ambient_temperature: 20}",
                       "%s"),
                 runs[k]);
        jn_sim *sim = run_to(text, 8, &m);
        /* a (T + c) T = P, a = 0.004, c = 1/a - 5 */
        double c = 1 / 0.004 - 5, P = 0.5 * 144 / 2 / 0.004, T = -c / 2 + sqrt(c * c / 4 + P);
        assert_near(seen(sim).temperature, 20 + T, 0.02);
        assert_near(seen(sim).current, 12 / (2 * (1 + 0.004 * (T - 5))), 1e-3);
        finish(sim, m);
        snprintf(
            text, sizeof text,
            WHEEL(
                "100",
                "control: 12, motor: {constant: 0.1, resistance: 2, asks: voltage, inductance: 0.2, current_rate: 30}",
                "%s"),
            runs[k]);
        sim = text_sim(text, &m);
        assert_true(jn_sim_advance(sim, 0.1) >= 0);
        assert_near(seen(sim).current, 3, 1e-6);
        assert_true(jn_sim_advance(sim, 0.3) >= 0); /* the ramp ends at 3 A, 0.1 s after the start */
        assert_near(seen(sim).current, 6 - 3 * exp(-2), 2e-3);
        finish(sim, m);
    }
}

/* With 12 V no more than K (12 - K l') / R; within, the force that is asked for. */
static void test_voltage(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim =
        run_to(WHEEL("0.01", "control: 1, motor: {constant: 0.1, resistance: 2, voltage: 12}", "{until: 1}"), 0.1, &m);
    double u = jn_sim_state(sim)->u[0], T = 0.01 * 2 / 0.01;
    assert_near(u, 120 * (1 - exp(-0.1 / T)), 1e-5);
    assert_near(seen(sim).force, 0.1 * (12 - 0.1 * u) / 2, 1e-9);
    finish(sim, m);
    sim = run_to(WHEEL("0.01", "control: 0.1, motor: {constant: 0.1, resistance: 2, voltage: 12}", "{until: 1}"), 0.5,
                 &m);
    assert_near(jn_sim_state(sim)->u[0], 5, 1e-9);
    finish(sim, m);
}

/* A sin(N x) with A < 0 is the force of a pendulum: its energy J u^2/2 + (A/N) cos(N x) is constant. */
static void test_cogging(void **state) {
    static const char *const runs[] = {"{until: 1}", "{until: 1, integrator: bdf, tolerance: 1e-9}",
                                       "{until: 1, method: nonsmooth, step: 0.2 ms}"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char text[1000];
        jn_model *m;
        snprintf(text, sizeof text, WHEEL("0.01", "motor: {cogging: [-0.5, 7, 0.2]}", "%s"), runs[k]);
        jn_sim *sim = text_sim(text, &m);
        jn_sim_state(sim)->u[0] = 2;
        jn_sim_restart(sim);
        double start = 0.005 * 4 - 0.5 / 7 * cos(0.2);
        assert_true(jn_sim_advance(sim, 0.7) >= 0);
        double x = jn_sim_state(sim)->q[0], u = jn_sim_state(sim)->u[0];
        assert_near(seen(sim).force, -0.5 * sin(7 * x + 0.2), 1e-9);
        assert_near(0.005 * u * u - 0.5 / 7 * cos(7 * x + 0.2), start, k == 2 ? 2e-5 : 1e-6);
        finish(sim, m);
    }
}

#define BRISTLES "motor: {bristle_stiffness: 500, bristle_damping: 1, coulomb: 0.2, stick: 0.3, stribeck_speed: 0.1}"

/* Pulled slowly to half its static friction, g, the wheel yields by -(g/s0) log(1 - 1/2), the integral of dz / (1 - s0 z/g), and stands; beyond
 * it, it moves on, and friction is that of fast motion. */
static void test_bristles(void **state) {
    static const char *const runs[] = {"{until: 3}", "{until: 3, integrator: bdf}",
                                       "{until: 3, method: nonsmooth, step: 1 ms}",
                                       "{until: 3, method: nonsmooth, step: 5 ms}"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[1000];
        jn_model *m;
        snprintf(text, sizeof text, WHEEL("0.01", BRISTLES "}, pull: {joint: j, control: \"0.15*min(t, 1)\"", "%s"),
                 runs[k]);
        jn_sim *sim = run_to(text, 2, &m);
        assert_near(jn_sim_state(sim)->q[0], 0.3 / 500 * log(2),
                    k == 3 ? 1e-5 : 5e-6); /* the last with steps as long as a tenth of its period */
        assert_near(seen(sim).force, -0.15, 1e-4);
        finish(sim, m);
        snprintf(text, sizeof text, WHEEL("0.01", BRISTLES "}, pull: {joint: j, control: 0.4", "%s"), runs[k]);
        sim = run_to(text, 2, &m);
        double u = jn_sim_state(sim)->u[0];
        assert_true(jn_sim_advance(sim, 2.5) >= 0);
        assert_near(jn_sim_state(sim)->u[0] - u, 0.5 * (0.4 - 0.2) / 0.01, 1e-3);
        assert_near(seen(sim).force, -0.2, 1e-4);
        finish(sim, m);
    }
}

static void test_wrong(void **state) {
    static const char *const wrong[][2] = {
        {WHEEL("1", "motor: {constant: 1}", "{until: 1}"), "a motor with a constant needs a resistance above 0"},
        {WHEEL("1", "motor: {constant: 1, resistance: 1, thermal_resistance: 2}", "{until: 1}"),
         "a motor that warms up needs a heat capacity above 0"},
        {WHEEL("1", "motor: {bristle_stiffness: 1, coulomb: 2, stick: 1}", "{until: 1}"),
         "friction of bristles needs 'coulomb' above 0"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        jn_report report;
        assert_null(text_model(wrong[i][0], &report));
        assert_non_null(strstr(report.item[0].text, wrong[i][1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_winding), cmocka_unit_test(test_winding_steps),
                                       cmocka_unit_test(test_heat),    cmocka_unit_test(test_voltage),
                                       cmocka_unit_test(test_cogging), cmocka_unit_test(test_bristles),
                                       cmocka_unit_test(test_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Clearance joints in space by the nonsmooth method: the same model files as by the compliant one, and what statics says. */
#include "file_run.h"
#include <jounce/jounce.h>
#include <stdlib.h>

static jn_result *run(const char *file, const char *step, jn_model **m) {
    char path[64];
    jn_setting settings[] = {{"run.method", "nonsmooth"}, {"run.step", step}, {"run.residual", "1e-12"}};
    snprintf(path, sizeof path, "clearance/%s.yaml", file);
    jn_result *r = file_run(path, settings, 3, m);
    if (!r->audit.ok) print_error("%s: %s\n", file, r->audit.verdict);
    assert_true(r->audit.ok);
    assert_int_equal(r->audit.unsolved, 0);
    assert_below(r->audit.max_penetration, 2e-9);
    return r;
}

typedef struct row {
    const char *file, *channel;
    double time, value, within;
} row;

static void at_rest(void **state) {
    (void)state;
    static const char *const steps[] = {"1e-3", "1e-4"};
    static const row rows[] = {
        {"piston", "joint.fit.fz", 0.2, 0.8 * 9.81, 1e-9}, /* a cylinder fixed to the ground */
        {"piston", "joint.fit.ez", 0.2, 0.1, 5e-6},
        {"piston", "joint.fit.ex", 0.2, 5e-5, 2e-9},
        {"guide_block", "joint.guide.force", 0.25, 20.5169295948492, 1e-6}, /* 2 kg hypot(3, 9.81) */
        {"guide_block", "joint.guide.ex", 0.25, -2e-4, 2e-9},
        {"guide_block", "joint.guide.ey", 0.25, -2e-4, 2e-9},
        {"journal_bearing", "joint.journal.fz", 0.25, 3 * 9.81, 1e-6},
        {"journal_bearing", "joint.journal.lfz", 0.25, -3 * 2, 1e-6},
        {"journal_bearing", "joint.journal.eccentricity", 0.25, 1e-4, 2e-9},
    };
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            jn_model *m;
            jn_result *r = run(rows[i].file, steps[k], &m);
            assert_near(jn_result_at(r, rows[i].channel, rows[i].time), rows[i].value, rows[i].within);
            double mass = 3, fall = 9.81 * strtod(steps[k], NULL); /* shown where the fall ends, in two directions */
            assert_below(r->audit.max_energy_residual, 0.15 * mass * fall * fall + 1e-9 * r->audit.energy_scale);
            jn_result_free(r), jn_model_free(m);
        }
}

/* The journal climbs to the angle of friction; the rotor brakes with mu N r. */
static void friction_in_a_bearing(void **state) {
    (void)state;
    jn_model *m;
    jn_result *r = run("journal_friction", "1e-4", &m);
    double phi = atan(0.2), c = 5e-5;
    assert_near(jn_result_at(r, "joint.journal.ex", 0.2), c * cos(phi), 2e-9);
    assert_near(jn_result_at(r, "joint.journal.ey", 0.2), -c * sin(phi), 2e-9);
    assert_near(jn_result_at(r, "joint.journal.force", 0.2), 3 * 9.81, 1e-3);
    assert_near(jn_result_at(r, "joint.journal.ltz", 0.2), -3 * 9.81 * 9.95e-3 * sin(phi), 1e-5);
    jn_result_free(r), jn_model_free(m);
}

/* A quarter swing from 60 degrees of a pendulum that hangs in a socket with play: length and play make its length. */
static void swing_in_a_socket(void **state) {
    (void)state;
    jn_model *m;
    jn_result *r = run("ball_pendulum", "5e-5", &m);
    double l = 0.5005, end = sqrt((l * l + 1e-4) / (9.81 * l)) * 1.6857503548125961;
    assert_near(jn_result_at(r, "body.bob.x", end), 0, 1e-4);
    assert_near(jn_result_at(r, "body.bob.vx", end), -sqrt(9.81 * l / (1 + 1e-4 / (l * l))), 1e-3);
    jn_result_free(r), jn_model_free(m);
}

/* A shaft that runs round in its bearing: the force is m r w^2 in every step, not twice as much in every second one, which has the same mean. */
static void a_rotor_leans_steadily(void **state) {
    (void)state;
    static const char *const steps[] = {"1e-5", "2e-5", "1e-4"};
    for (int k = 0; k < 3; k++) {
        jn_model *m;
        jn_setting settings[] = {{"run.step", steps[k]}, {"record.every", steps[k]}, {"run.until", "0.02"}};
        jn_result *r = file_run("examples/rotor.yaml", settings, 3, &m);
        double force = 2 * 6e-4 * 200 * 200;
        for (int n = 0; n < 100; n++)
            assert_near(jn_result_at(r, "contact.bearing.fn", 0.01 + 1e-4 * n), force, 0.01 * force);
        jn_result_free(r), jn_model_free(m);
    }
}

/* [m] largest error of a ball's height that rolls round in an upright pipe, over four seconds. */
static double error_in_a_pipe(const char *step) {
    jn_model *m;
    jn_setting settings[] = {{"run.step", step}};
    jn_result *r = file_run("textbook/pipe_ball.yaml", settings, 1, &m);
    double w = 12, a = sqrt(2.0 / 7) * w, depth = 5 * 9.81 / (2 * w * w), most = 0;
    for (int k = 0; k <= 400; k++) {
        double t = 0.01 * k, z = jn_result_at(r, "body.ball.z", t);
        most = fmax(most, fabs(z + depth * (1 - cos(a * t))));
    }
    jn_result_free(r), jn_model_free(m);
    return most;
}

/* Its contact point runs round further in a step than the ball turns, and the wall bends its way from the first step on: the error falls with the square of the step. */
static void a_ball_in_a_pipe(void **state) {
    (void)state;
    static const char *const steps[] = {"4e-3", "2e-3", "1e-3", "5e-4"};
    double last = 0;
    for (int k = 0; k < 4; k++) {
        double error = error_in_a_pipe(steps[k]);
        print_message("pipe, steps of %s s: %.2e m\n", steps[k], error);
        if (k > 0) assert_in_range((long)(100 * last / error), 350, 450);
        last = error;
    }
    assert_below(last, 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_rest), cmocka_unit_test(friction_in_a_bearing),
                                       cmocka_unit_test(swing_in_a_socket), cmocka_unit_test(a_rotor_leans_steadily),
                                       cmocka_unit_test(a_ball_in_a_pipe)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

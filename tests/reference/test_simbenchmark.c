/* SimBenchmark in short: one or two step lengths of a test, held to the best engine of its table where we are better than all of them, and
 * to the engine that is named where we are not. bench/bench_simbenchmark.c has all step lengths. */
#include "check.h"
#include "reference_model.h"
#include "simbenchmark.h"

static double error_of(simbenchmark_test test, jn_method method, jn_coordinates coordinates, double step,
                       double until) {
    char robot[600];
    snprintf(robot, sizeof robot, "%s", reference_path("robots/anymal_b.urdf"));
    simbenchmark_run run = {.robot = robot, .method = method, .step = step, .until = until, .coordinates = coordinates};
    simbenchmark_result r = simbenchmark_measure(test, &run);
    if (!r.complete) fail_msg("%s at %g s: %s", simbenchmark_name(test), step, r.text);
    return r.error;
}

static void at_most(simbenchmark_test test, double step, double error, double limit) {
    if (!(error <= limit)) fail_msg("%s at %g s: %.2e, at most %.2e", simbenchmark_name(test), step, error, limit);
}

static void hold(simbenchmark_test test, jn_method method, double step, double until, double limit) {
    at_most(test, step, error_of(test, method, JN_COORDINATES_RELATIVE, step, until), limit);
}

static const double round_off = 5e-27; /* [(kg m/s)^2] ten roundings of a sum of 50 kg m/s */

/* Best of the table: ODE, in maximal coordinates. 50 kg m/s at the start: 1e-27 is a relative error of 6e-16. */
static void momentum_of_a_struck_robot(void **state) {
    (void)state;
    if (!reference_present()) skip();
    hold(SIMBENCHMARK_MOMENTUM, JN_METHOD_NONSMOOTH, 1e-3, 0, 1.3e-27 + round_off);
    hold(SIMBENCHMARK_MOMENTUM, JN_METHOD_NONSMOOTH, 1e-2, 0, 4e-28 + round_off);
    double absolute = error_of(SIMBENCHMARK_MOMENTUM, JN_METHOD_NONSMOOTH, JN_COORDINATES_ABSOLUTE, 1e-2, 0);
    at_most(SIMBENCHMARK_MOMENTUM, 1e-2, absolute, 4e-28 + round_off);
}

/* Best of the table: MuJoCo's Runge-Kutta; ours flies in sixth order (tests/common/simbenchmark.c). */
static void energy_of_a_falling_robot(void **state) {
    (void)state;
    if (!reference_present()) skip();
    hold(SIMBENCHMARK_ENERGY, JN_METHOD_NONSMOOTH, 1e-3, 0, 1.6e-17);
    hold(SIMBENCHMARK_ENERGY, JN_METHOD_NONSMOOTH, 1e-2, 0, 5.6e-11);
}

/* Best of the table: RaiSim, 1.9e-2 and 6.1e5. Ours is round-off of 24 035 J, by both methods. */
static void energy_of_bouncing_balls(void **state) {
    (void)state;
    hold(SIMBENCHMARK_BOUNCING, JN_METHOD_NONSMOOTH, 1e-3, 5, 1e-16);
    hold(SIMBENCHMARK_BOUNCING, JN_METHOD_NONSMOOTH, 1e-1, 0, 1e-16);
    hold(SIMBENCHMARK_BOUNCING, JN_METHOD_IMPACT, 1e-2, 5, 1e-16);
}

/* 216 elastic balls that fall on each other: impacts follow each other at a node in large islands too. */
static void energy_of_an_elastic_pile(void **state) {
    (void)state;
    hold(SIMBENCHMARK_ELASTIC_666, JN_METHOD_NONSMOOTH, 4e-3, 3, 1e-5);
    hold(SIMBENCHMARK_ELASTIC_666, JN_METHOD_NONSMOOTH, 1e-2, 3, 1e-5);
}

/* Better than Bullet, 7.3e-28, along y; the same along a diagonal, where engines with pyramids have 3.1. */
static void balls_on_a_box_that_is_pulled(void **state) {
    (void)state;
    double y = error_of(SIMBENCHMARK_ROLLING, JN_METHOD_NONSMOOTH, JN_COORDINATES_RELATIVE, 1e-3, 0);
    double diagonal = error_of(SIMBENCHMARK_ROLLING_DIAGONAL, JN_METHOD_NONSMOOTH, JN_COORDINATES_RELATIVE, 1e-3, 0);
    at_most(SIMBENCHMARK_ROLLING, 1e-3, y, 7.3e-28);
    at_most(SIMBENCHMARK_ROLLING_DIAGONAL, 1e-3, diagonal, 7.3e-28);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_a_struck_robot), cmocka_unit_test(energy_of_a_falling_robot),
        cmocka_unit_test(energy_of_bouncing_balls), cmocka_unit_test(energy_of_an_elastic_pile), cmocka_unit_test(balls_on_a_box_that_is_pulled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

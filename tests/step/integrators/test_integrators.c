/* Measured order of every integrator, energy, agreement of coordinates, full turns. */
#include "check.h"
#include "scenes.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static jn_sim *open_sim(jn_description *d, jn_model **m) {
    jn_report report = {0};
    *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(*m, &report);
    check_report(&report);
    jn_description_free(d);
    return sim;
}

/* A spatial closed loop with a spring-free motion: three revolutes and a spherical joint around a loop with freedom. */
static jn_description *loop_scene(jn_coordinates coordinates) {
    jn_description *d = scene_loop(JN_JOINT_REVOLUTE, 21);
    d->coordinates = coordinates;
    d->joints[0].coordinate[0].has_speed = true;
    d->joints[0].coordinate[0].speed = 1;
    return d;
}

/* Final position of the last body. */
static jn_vec3 final_place(jn_description *d, double t, int body) {
    jn_model *m;
    jn_sim *sim = open_sim(d, &m);
    assert_int_equal(jn_sim_advance(sim, t), JN_OK);
    assert_near(jn_sim_state(sim)->t, t, 0);
    jn_body_motion b;
    jn_sim_observe(sim);
    jn_body_motion_get(m, jn_sim_work(sim), body, &b);
    jn_sim_free(sim);
    jn_model_free(m);
    return b.position;
}

static double distance(jn_vec3 a, jn_vec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static jn_description *scene_with(int which, jn_integrator integrator, double step) {
    jn_description *d = which == 0   ? scene_double_pendulum()
                        : which == 1 ? scene_chain(3, JN_JOINT_SPHERICAL, 5)
                                     : loop_scene(which == 2 ? JN_COORDINATES_RELATIVE : JN_COORDINATES_ABSOLUTE);
    d->run.integrator = integrator;
    d->run.step = step;
    d->run.relative_tolerance = step;
    d->run.absolute_tolerance = step;
    return d;
}

static void fixed_steps_have_their_order(void **state) {
    (void)state;
    static const struct {
        jn_integrator integrator;
        double order, step;
    } cases[] = {{JN_INTEGRATOR_EULER, 1, 1e-4}, {JN_INTEGRATOR_VERLET, 2, 2e-3}, {JN_INTEGRATOR_RK4, 4, 1e-2}};
    for (int which = 0; which < 4; which++) {
        int body = which == 0 ? 2 : 3;
        jn_description *exact = scene_with(which, JN_INTEGRATOR_DOPRI45, 1e-13);
        exact->run.step = 0;
        jn_vec3 end = final_place(exact, 0.5, body);
        for (size_t k = 0; k < 3; k++) {
            double e1 = distance(final_place(scene_with(which, cases[k].integrator, cases[k].step), 0.5, body), end);
            double e2 =
                distance(final_place(scene_with(which, cases[k].integrator, cases[k].step / 2), 0.5, body), end);
            double order = log2(e1 / e2);
            print_message("scene %d %-8s errors %.2e %.2e order %.2f\n", which,
                          jn_integrator_get_info(cases[k].integrator)->name, e1, e2, order);
            assert_near(order, cases[k].order, 0.35);
        }
    }
}

static void adaptive_runs_meet_their_tolerance(void **state) {
    (void)state;
    static const jn_integrator integrators[] = {JN_INTEGRATOR_DOPRI45, JN_INTEGRATOR_ADAMS, JN_INTEGRATOR_BDF};
    for (int which = 0; which < 4; which++) {
        int body = which == 0 ? 2 : 3;
        jn_description *fine = scene_with(which, JN_INTEGRATOR_RK4, 1e-4);
        jn_vec3 end = final_place(fine, 0.5, body);
        for (size_t k = 0; k < 3; k++)
            for (double tolerance = 1e-6; tolerance > 1e-11; tolerance *= 1e-2) {
                jn_description *d = scene_with(which, integrators[k], tolerance);
                d->run.step = 0;
                double error = distance(final_place(d, 0.5, body), end);
                print_message("scene %d %-8s tolerance %.0e error %.2e\n", which,
                              jn_integrator_get_info(integrators[k])->name, tolerance, error);
                assert_below(error, 300 * tolerance);
            }
    }
}

static void double_pendulum_keeps_its_energy(void **state) {
    (void)state;
    jn_description *d = scene_double_pendulum();
    for (int k = 0; k < 2; k++) { /* from 45 and 60 degrees below the horizontal */
        d->joints[k].coordinate[0].has_position = true;
        d->joints[k].coordinate[0].position = k ? -0.25 * M_PI / 3 : -0.25 * M_PI;
    }
    d->run.integrator = JN_INTEGRATOR_RK4;
    d->run.step = 1e-3;
    jn_model *m;
    jn_sim *sim = open_sim(d, &m);
    jn_sim_advance(sim, 10);
    assert_below(jn_sim_audit(sim)->max_energy_residual, 1e-8);
    jn_sim_free(sim);
    jn_model_free(m);
}

static void verlet_does_not_drift(void **state) {
    (void)state;
    jn_description *d = loop_scene(JN_COORDINATES_ABSOLUTE);
    d->run.integrator = JN_INTEGRATOR_VERLET;
    d->run.step = 2e-3;
    jn_model *m;
    jn_sim *sim = open_sim(d, &m);
    double mean[4] = {0}; /* of the energy error over each quarter of 80 s */
    for (int k = 0; k < 4; k++)
        for (int n = 0; n < 10000; n++) {
            jn_sim_step(sim, 1e9);
            mean[k] += 1e-4 * jn_sim_audit(sim)->energy_residual;
        }
    const jn_audit *audit = jn_sim_audit(sim);
    print_message("verlet: mean energy error %.2e %.2e %.2e %.2e, largest %.2e; violation %.1e %.1e\n", mean[0],
                  mean[1], mean[2], mean[3], audit->max_energy_residual, audit->max_position_violation,
                  audit->max_velocity_violation);
    assert_below(fabs(mean[3] - mean[0]), 0.1 * audit->max_energy_residual);
    assert_below(audit->max_position_violation, 1e-11);
    assert_below(audit->max_velocity_violation, 1e-10);
    jn_sim_free(sim);
    jn_model_free(m);
}

static void coordinates_agree_in_time(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        jn_integrator integrator = k ? JN_INTEGRATOR_ADAMS : JN_INTEGRATOR_DOPRI45;
        jn_description *a = scene_with(2, integrator, 1e-12), *b = scene_with(3, integrator, 1e-12);
        a->run.step = b->run.step = 0;
        assert_below(distance(final_place(a, 2, 3), final_place(b, 2, 3)), 1e-9);
    }
}

/* Several simulations of one model at once share nothing but the model. */
enum { THREADS = 4 };
typedef struct race {
    const jn_model *m;
    uint64_t hash;
} race;

static void *run_race(void *argument) {
    race *r = argument;
    jn_report report = {0};
    jn_sim *sim = jn_sim_create(r->m, &report);
    if (sim && jn_sim_advance(sim, 0.5) == JN_OK) r->hash = jn_state_hash(jn_sim_state(sim));
    jn_sim_free(sim);
    return NULL;
}

static void same_bits_alone_and_in_company(void **state) {
    (void)state;
    static const jn_integrator integrators[] = {JN_INTEGRATOR_RK4, JN_INTEGRATOR_DOPRI45, JN_INTEGRATOR_ADAMS,
                                                JN_INTEGRATOR_BDF};
    for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
        jn_report report = {0};
        jn_description *d = scene_with(3, integrators[k], 1e-8);
        d->run.step = 1e-3;
        jn_model *m = jn_model_compile(d, &report);
        check_report(&report);
        race alone = {m, 0}, company[THREADS];
        pthread_t thread[THREADS];
        run_race(&alone);
        assert_true(alone.hash != 0);
        for (int i = 0; i < THREADS; i++) {
            company[i] = (race){m, 0};
            assert_int_equal(pthread_create(&thread[i], NULL, run_race, &company[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], NULL);
            assert_true(company[i].hash == alone.hash);
        }
        jn_model_free(m);
        jn_description_free(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixed_steps_have_their_order),     cmocka_unit_test(adaptive_runs_meet_their_tolerance),
        cmocka_unit_test(double_pendulum_keeps_its_energy), cmocka_unit_test(verlet_does_not_drift),
        cmocka_unit_test(coordinates_agree_in_time),        cmocka_unit_test(same_bits_alone_and_in_company)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

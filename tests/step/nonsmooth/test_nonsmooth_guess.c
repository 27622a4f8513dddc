/* Where implicit steps start from: it saves evaluations and has no part in what they find. */
#include "rigid.h"

typedef struct run {
    jn_model *m;
    jn_sim *sim;
} run;

/* The slider-crank with clearance, whose corners strike one by one, with some settings of the run. */
static run slider_crank(jn_setting *settings, int count) {
    jn_report report = {0};
    run r;
    jn_description *d =
        jn_description_read(JN_SOURCE_DIR "/models/flores2010/slider_crank.yaml", settings, count, &report);
    check_report(&report);
    r.m = jn_model_compile(d, &report);
    r.sim = jn_sim_create(r.m, &report);
    check_report(&report);
    jn_description_free(d);
    return r;
}

static void release(run r) {
    jn_sim_free(r.sim);
    jn_model_free(r.m);
}

/* Forgets what implicit steps start from. */
static void forget(jn_state *s) {
    for (double *p = s->past; p < s->q + s->size; p++) *p = 0;
}

/* Each seventh of 4000 steps, through impacts and sliding, is taken from u_A as well: evaluations are saved, and its end is the same. */
static void start_has_no_part_in_the_end(void **state) {
    (void)state;
    static const char *const terms[] = {"middle", "end"};
    for (int k = 0; k < 2; k++) {
        jn_setting settings[] = {
            {"slider_spin", "-0.01"}, {"run.scheme", "moreau_jean"}, {"run.terms", terms[k]}, {"run.theta", "0.5"}};
        run a = slider_crank(settings, 4), b = slider_crank(settings, 4);
        double off = 0;
        int compared = 0;
        for (int n = 0; n < 4000; n++) {
            bool look = n % 7 == 6;
            if (look) {
                jn_state_copy(jn_sim_state(b.sim), jn_sim_state(a.sim));
                forget(jn_sim_state(b.sim));
                jn_sim_restart(b.sim);
                assert_int_equal(jn_sim_step(b.sim, 1), JN_OK);
                compared++;
            }
            assert_int_equal(jn_sim_step(a.sim, 1), JN_OK);
            for (int i = 0; look && i < 3; i++) {
                double u = jn_sim_state(a.sim)->u[i], v = jn_sim_state(b.sim)->u[i];
                off = fmax(off, fabs(u - v));
            }
        }
        double guessed = (double)jn_sim_audit(a.sim)->evaluations / (double)jn_sim_audit(a.sim)->steps;
        double plain = (double)jn_sim_audit(b.sim)->evaluations / (double)jn_sim_audit(b.sim)->steps;
        print_message("terms: %s: %.2f evaluations per step, %.2f from u_A, %d ends differ by %.2g rad/s of 225\n",
                      terms[k], guessed, plain, compared, off);
        assert_below(off, 1e-9);
        assert_below(guessed, 0.75 * plain);
        release(a), release(b);
    }
}

/* A velocity that is changed by hand in the middle of the motion. */
static void survives_a_jump(void **state) {
    (void)state;
    jn_setting settings[] = {{"slider_spin", "-0.01"}, {"run.scheme", "moreau_jean"}};
    run a = slider_crank(settings, 2), b = slider_crank(settings, 2);
    for (int n = 0; n < 200; n++) assert_int_equal(jn_sim_step(a.sim, 1), JN_OK);
    jn_sim_state(a.sim)->u[0] += 20;
    jn_state_copy(jn_sim_state(b.sim), jn_sim_state(a.sim));
    forget(jn_sim_state(b.sim));
    jn_sim_restart(a.sim), jn_sim_restart(b.sim);
    for (int n = 0; n < 20; n++) {
        assert_int_equal(jn_sim_step(a.sim, 1), JN_OK);
        assert_int_equal(jn_sim_step(b.sim, 1), JN_OK);
        for (int i = 0; i < 3; i++) assert_near(jn_sim_state(a.sim)->u[i], jn_sim_state(b.sim)->u[i], 1e-9);
    }
    release(a), release(b);
}

/* A slider that falls on the stop of its joint, or of a tendon along the same coordinate: the same motion, whatever a step starts from. */
static void stops_close_alike(void **state) {
    (void)state;
    static const char *const stops[] = {"lower: %.9g}}",
                                        "lower: -9}}\ntendons: {rope: {joints: {rail: 1}, lower: %.9g}}"};
    for (int k = 0; k < 40; k++) {
        rigid r[2];
        for (int i = 0; i < 2; i++) {
            char stop[128], text[512];
            snprintf(stop, sizeof stop, stops[i], -0.3 - 1.3e-3 * k);
            snprintf(text, sizeof text,
                     "gravity: [-9.81, 0, 0]\nbodies: {slider: {mass: 1}}\n"
                     "joints: {rail: {type: prismatic, between: [ground, slider], axis: x, %s\n"
                     "run: {method: nonsmooth, step: 3e-3, until: 0.4}\n",
                     stop);
            rigid_text(&r[i], text);
        }
        for (int n = 1; n <= 130; n++) {
            rigid_go(&r[0], 3e-3 * n), rigid_go(&r[1], 3e-3 * n);
            assert_near(rigid_body(&r[0], 1).velocity.x, rigid_body(&r[1], 1).velocity.x, 1e-12);
        }
        assert_near(rigid_body(&r[0], 1).position.x, rigid_body(&r[1], 1).position.x, 1e-12);
        rigid_close(&r[0]), rigid_close(&r[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(start_has_no_part_in_the_end),
                                       cmocka_unit_test(survives_a_jump), cmocka_unit_test(stops_close_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

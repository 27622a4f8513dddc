/* Records never change a run: fixed steps go their own way, and rows between two of them are interpolated. */
#include "temporary_folder.h"
#include "text_model.h"
#include <jounce/workflow.h>
#include <math.h>
#include <stdlib.h>

/* Free bodies that spin, fall and meet ground and each other, and a pendulum. */
static const char scene[] = "bodies:\n"
                            "  ground: {shape: {type: plane}}\n"
                            "  a: {mass: 1, inertia: [0.01, 0.02, 0.03], com: [0, 0, 0.3], velocity: [0.5, 0, 0], "
                            "angular_velocity: [3, 2, 1],\n"
                            "      shape: {type: box, size: [0.2, 0.3, 0.1], at: [0, 0, 0.3]}}\n"
                            "  b: {mass: 1, inertia: [0.004, 0.004, 0.004], com: [0.6, 0, 0.3], velocity: [-0.5, 0, "
                            "0], angular_velocity: [0, 5, 0],\n"
                            "      shape: {type: sphere, radius: 0.1, at: [0.6, 0, 0.3]}}\n"
                            "  p: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [3, 0, 2]}\n"
                            "joints: {pin: {type: spherical, between: [ground, p], at: [2.5, 0, 2]}}\n"
                            "contacts: {c: {restitution: 0.4, %s}}\n"
                            "run: {%s, until: 0.4}\n"
                            "record: {every: %.17g, channels: [%s]}\n";

static const char rough[] = "friction: 0.3", smooth[] = "law: hunt_crossley, stiffness: 1e5",
                  soft[] = "friction: 0.3, law: hunt_crossley, stiffness: 1e5";
static const struct way {
    const char *run, *contact;
    double step;
} ways[] = {
    {"method: nonsmooth, scheme: momentum_leapfrog, step: 1e-3", rough, 1e-3},
    {"method: nonsmooth, scheme: moreau_jean, step: 1e-3", rough, 1e-3},
    {"method: nonsmooth, scheme: moreau_midpoint, step: 1e-3", rough, 1e-3},
    {"method: nonsmooth, scheme: moreau_jean, adapt: true, step: 1e-3", rough, 1e-3},
    {"method: impact, integrator: rk4, step: 1e-3", rough, 1e-3},
    {"method: compliant, integrator: rk4, step: 2e-4", soft, 2e-4},
    {"method: compliant, integrator: verlet, step: 2e-4", smooth, 2e-4},
    {"method: compliant, integrator: euler, step: 2e-4", soft, 2e-4},
};

static jn_result *run(const struct way *w, double every, const char *channels) {
    char text[2048];
    jn_report report = {0};
    snprintf(text, sizeof text, scene, w->contact, w->run, every, channels);
    jn_model *m = text_model(text, &report);
    check_report(&report);
    jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
    check_report(&report);
    assert_non_null(r);
    if (r->status != JN_OK) print_error("%s: %s\n", w->run, r->error.text);
    assert_int_equal(r->status, JN_OK);
    jn_model_free(m);
    return r;
}

/* From its final state on; numbers there read back to the same bits. */
static const char *final_state(const jn_result *r) {
    const char *at = strstr(r->summary, "\"final\"");
    assert_non_null(at);
    return at;
}

static void the_end_is_the_same(void **state) {
    (void)state;
    static const double steps[] = {0.1, 1, 7.3, 1000};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        jn_result *r[4];
        for (int i = 0; i < 4; i++) r[i] = run(&ways[k], steps[i] * ways[k].step, "\"*\"");
        print_message("%-65s %ld steps, %ld %ld %ld %ld rows, %ld events\n", ways[k].run, r[0]->audit.steps, r[0]->rows,
                      r[1]->rows, r[2]->rows, r[3]->rows, r[0]->event_count);
        assert_true(r[0]->event_count > 0);
        assert_in_range(r[0]->rows, (long)(9.9 * (double)r[1]->rows), 10 * r[1]->rows);
        for (int i = 1; i < 4; i++) {
            assert_string_equal(final_state(r[0]), final_state(r[i]));
            assert_int_equal(r[0]->audit.steps, r[i]->audit.steps);
            assert_int_equal(r[0]->event_count, r[i]->event_count);
        }
        for (int i = 0; i < 4; i++) jn_result_free(r[i]);
    }
}

/* Where nothing impacts, rows between steps are as good as the steps: free fall is a parabola, which the cubic meets. */
static void rows_between_steps(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        jn_result *r = run(&ways[k], 0.37 * ways[k].step, "\"body.*\", \"momentum.*\"");
        for (long i = 0; i < r->rows; i++) {
            double t = r->data[(size_t)i * ((size_t)r->channels + 1)];
            if (t > 0.05) break;
            double late = strstr(ways[k].run, "euler") ? 0.5 * 9.81 * ways[k].step * t : 0; /* its first order */
            assert_near(jn_result_at(r, "body.b.z", t), 0.3 - 0.5 * 9.81 * t * t - late, 1e-12 + 0.3 * late);
            assert_near(jn_result_at(r, "body.b.vz", t), -9.81 * t, 1e-12);
            assert_near(jn_result_at(r, "body.b.qy", t), sin(2.5 * t), 1e-5);
            double q[4] = {jn_result_at(r, "body.a.qw", t), jn_result_at(r, "body.a.qx", t),
                           jn_result_at(r, "body.a.qy", t), jn_result_at(r, "body.a.qz", t)};
            assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
            assert_below(jn_result_at(r, "momentum.residual", t), 1e-3);
        }
        jn_result_free(r);
    }
}

/* With a row after each step the lengths of the steps add up to the run, and so do the times; orders are those of the integrators. */
static void each_step_has_a_row(void **state) {
    static const struct {
        const char *integrator;
        double least, most; /* orders */
    } list[] = {{"dopri45", 5, 5}, {"adams", 1, 12}, {"bdf", 1, 5}, {"rk4, step: 10 ms", 4, 4}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        char text[512];
        jn_report report = {0};
        snprintf(text, sizeof text,
                 "plane: xy\nbodies: {rod: {mass: 1, inertia: 1/12, com: [0.5, 0]}}\njoints: {pin: {type: revolute, between: "
                 "[ground, rod], at: [0, 0]}}\nrun: {until: 2 s, integrator: %s}\nrecord: {each_step: true, channels: "
                 "[step.*]}\n",
                 list[k].integrator);
        jn_description *d = jn_description_parse(text, strlen(text), "model.yaml", NULL, 0, &report);
        jn_model *m = d ? jn_model_compile(d, &report) : NULL;
        check_report(&report);
        jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
        assert_non_null(r);
        assert_int_equal(r->channels, 2);
        double sum = 0;
        for (long i = 1; i < r->rows; i++) {
            const double *row = r->data + 3 * i;
            if (i + 1 < r->rows) assert_near(row[1], row[0] - row[-3], 1e-12);
            assert_true(row[2] >= list[k].least && row[2] <= list[k].most);
            sum += row[0] - row[-3];
        }
        assert_near(sum, 2, 1e-12);
        assert_true(labs(r->rows - 1 - r->audit.steps) <= 1);
        jn_result_free(r), jn_model_free(m), jn_description_free(d);
    }
}

typedef struct watched {
    int calls[2];
    double fraction[2]; /* of result.h5, series.csv */
} watched;

static void watch(void *context, const char *file, double fraction) {
    watched *w = context;
    int k = !strcmp(file, "series.csv");
    assert_true(k || !strcmp(file, "result.h5"));
    assert_true(fraction >= w->fraction[k] && fraction <= 1);
    w->fraction[k] = fraction, w->calls[k]++;
}

/* Who asks is told of the files that are written when the run has ended, from their beginning to their end. */
static void long_files_tell_how_far_they_are(void **state) {
    (void)state;
    char text[2048];
    jn_report report = {0};
    watched w = {0};
    snprintf(text, sizeof text, scene, rough, ways[0].run, 1e-3, "\"*\"");
    jn_model *m = text_model(text, &report);
    check_report(&report);
    jn_result *r = jn_run_with(m, &(jn_run_options){.folder = folder, .context = &w, .writing = watch}, &report);
    assert_non_null(r);
    assert_int_equal(w.calls[0], r->channels + 1);
    assert_true(w.fraction[0] == 1 && w.fraction[1] == 1 && w.calls[1] > 0);
    jn_result_free(r);
    jn_model_free(m);
}

/* The ball is 0.2 m above the floor as drawn, nearer than anything else. */
static void gaps_of_the_first_row(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        jn_result *r = run(&ways[k], 0.1, "contact.c.gap");
        if (fabs(r->data[1] - 0.2) > 1e-12) fail_msg("%s: gap %.17g m at the start, not 0.2", ways[k].run, r->data[1]);
        assert_true(fabs(r->data[3] - 0.2) > 1e-3); /* it moves */
        jn_result_free(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_step_has_a_row), cmocka_unit_test(the_end_is_the_same), cmocka_unit_test(rows_between_steps),
                                       cmocka_unit_test(long_files_tell_how_far_they_are), cmocka_unit_test(gaps_of_the_first_row)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

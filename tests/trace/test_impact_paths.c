/* Paths of collisions: works of points and bodies over the impulse, sliding speed and direction, critical friction. */
#include "text_model.h"
#include <jounce/jounce.h>

static jn_result *run_model(const char *name, jn_model **m) {
    static jn_report report;
    char path[512];
    jn_report_clear(&report);
    snprintf(path, sizeof path, "%s/models/%s.yaml", JN_SOURCE_DIR, name);
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    check_report(&report);
    *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_description_free(d);
    jn_result *r = jn_run(*m, NULL, NULL, NULL, &report);
    assert_non_null(r);
    return r;
}

/* At the end of every path the works are those of the record, and bodies have what points gave them; none slides backwards in s. */
static void check_paths(const jn_result *r, int *followed) {
    for (long i = 0; i < r->impacts_kept; i++) {
        const jn_impact_kept *k = &r->impacts[i];
        if (k->samples < 2) continue;
        const double *works = k->sample_work + 3 * (k->samples - 1) * k->contacts;
        const double *bodies = k->sample_body + (k->samples - 1) * k->bodies;
        double size = fmax(k->energy, 1e-12), sum = 0;
        for (int c = 0; c < k->contacts; c++) {
            assert_near(works[3 * c], k->normal_of[c], 1e-8 * size);
            assert_near(works[3 * c + 1], k->slide_of[c], 1e-8 * size);
            assert_near(k->sample_work[3 * c], 0, 0);
        }
        for (int b = 0; b < k->bodies; b++) sum += bodies[b];
        assert_near(sum, k->change, 1e-8 * size);
        ++*followed;
    }
}

static void works_of_points_and_bodies(void **state) {
    (void)state;
    static const char *const models[] = {
        "rodriguez2014/planar_ball",   "rodriguez2014/rocking_block", "rodriguez2014/rocking_block_3d",
        "rodriguez2014/sphere_corner", "rodriguez2014/cradle5",       "textbook/bouncing_block",
        "textbook/rimless_wheel",      "textbook/super_ball",         "outside/kane_pendulum"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        jn_model *m;
        int followed = 0;
        jn_result *r = run_model(models[k], &m);
        check_paths(r, &followed);
        if (!followed) fail_msg("%s has no path", models[k]);
        jn_result_free(r), jn_model_free(m);
    }
}

/* One end of a rod strikes: beta_TT = 1/m + y^2/I, beta_TN = -x y/I. Slip stops on the way, sticks where friction is above the critical
 * value and goes on the other way where it is below [Stronge2000]. */
static void critical_friction_of_a_rod(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        double angle = 0.5 + 0.1 * k, l = 0.5, x = l * cos(angle), y = l * sin(angle), I = 1.0 / 12;
        double critical = x * y / I / (1 + y * y / I), mu = critical * (k % 2 ? 1.2 : 0.8);
        char text[900];
        snprintf(
            text, sizeof text,
            "plane: xy\ngravity: [0, 0]\nbodies: {ground: {shape: {type: half_plane}}, rod: {mass: 1, inertia: 1/12, "
            "at: [0, %.17g], orientation: %.17g, velocity: [0.05, -1], shapes: [{type: circle, radius: 0.01, at: "
            "[-0.5, 0]}, {type: circle, radius: 0.01, at: [0.5, 0]}]}}\n"
            "contacts: {c: {between: [ground, rod], restitution: 0.5, friction: %.17g}}\n"
            "run: {method: impact, until: 0.05}\n",
            y + 0.02, angle, mu);
        static jn_report report;
        jn_model *m = text_model(text, &report);
        check_report(&report);
        jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
        assert_non_null(r);
        assert_true(r->impacts_kept >= 1);
        const jn_impact_kept *i = &r->impacts[0];
        y += 0.01; /* the circle's lowest point */
        critical = x * y / I / (1 + y * y / I);
        assert_int_equal(i->contacts, 1);
        assert_near(i->critical[0], critical, 1e-9);
        double decided = NAN;
        for (int s = 0; s < i->samples; s++)
            if (isfinite(i->sample_work[3 * s + 2])) decided = i->sample_work[3 * s + 2];
        assert_near(decided, critical, 1e-9);
        double last = i->sample_v[2 * (i->samples - 1) + 1];
        if (mu > 1.01 * critical)
            assert_near(last, 0, 1e-10);
        else if (mu < 0.99 * critical)
            assert_true(fabs(last) > 1e-3);
        jn_result_free(r), jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(works_of_points_and_bodies),
                                       cmocka_unit_test(critical_friction_of_a_rod)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

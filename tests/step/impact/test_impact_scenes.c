/* Random scenes by method impact: all end; closed forms; the same answers where all inputs are shaken by 1e-14, as other machines round; near the nonsmooth
 * method. bench/bench_impact_scenes runs them by the thousand. */
#include "impact_scenes.h"
#include "text_model.h"

enum { SCENES = 78, SHAKEN_FROM = 13, SHAKEN = 13, TWINS = 20, COMPARED = 39 };

static void first_slip(void *context, const jn_event *e) {
    double *slip = context;
    if (!strcmp(e->kind, "slip") && !(*slip >= 0)) *slip = e->time;
}

/* Displacement of 'b' at the end of a scene; the time of its first slip, where that is wanted. */
static void run_scene(const char *text, unsigned number, double until, double x[3], double *slip) {
    jn_model *m;
    jn_sim *sim = text_sim(text, &m);
    jn_body_motion from, to;
    int body = 0;
    for (int i = 0; i < jn_model_bodies(m); i++)
        if (!strcmp(jn_model_body_name(m, i), "b")) body = i;
    if (slip) *slip = NAN, jn_sim_on_event(sim, first_slip, slip);
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), body, &from);
    int status = jn_sim_advance(sim, until);
    if (status < 0) print_error("scene %u: %s\n%s", number, jn_sim_error(sim)->text, text);
    assert_int_equal(status, JN_OK);
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), body, &to);
    x[0] = to.position.x - from.position.x, x[1] = to.position.y - from.position.y,
    x[2] = to.position.z - from.position.z;
    for (int k = 0; k < 3; k++) assert_true(isfinite(x[k]));
    jn_sim_free(sim), jn_model_free(m);
}

static double distance(const double *x, const double *y) { return hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]); }

static void all_scenes_end(void **state) {
    (void)state;
    static impact_scene s;
    int known = 0;
    for (unsigned n = 0; n < SCENES; n++) {
        double x[3], slip;
        impact_scene_make(n, 0, 0, &s);
        run_scene(s.text, n, s.until, x, &slip);
        if (!s.known) continue;
        known++;
        if (distance(x, s.x) > 1e-6)
            fail_msg("scene %u (%s) is %.3g m off its closed form", n, s.kind, distance(x, s.x));
        if (s.slip_time >= 0 && fabs(slip - s.slip_time) > 1e-8 * fmax(1, s.slip_time))
            fail_msg("scene %u (%s) slips at %.12g s, not at %.12g s", n, s.kind, slip, s.slip_time);
    }
    assert_true(known >= SCENES / 2);
}

/* Rounding of other machines is imitated by inputs that differ in the last digits. */
static void shaken_scenes_agree(void **state) {
    (void)state;
    static impact_scene s;
    for (unsigned n = SHAKEN_FROM; n < SHAKEN_FROM + SHAKEN; n++) {
        double x[3], y[3];
        impact_scene_make(n, 0, 0, &s);
        run_scene(s.text, n, s.until, x, NULL);
        bool chaotic = s.chaotic;
        for (unsigned twin = 1; twin <= TWINS; twin++) {
            impact_scene_make(n, 1e-14, twin, &s);
            run_scene(s.text, n, s.until, y, NULL);
            if (!chaotic && distance(x, y) > 1e-8)
                fail_msg("scene %u (%s), twin %u ends %.3g m apart", n, s.kind, twin, distance(x, y));
        }
    }
}

/* The nonsmooth method at 1e-4 s. */
static void scenes_agree_with_nonsmooth(void **state) {
    (void)state;
    static impact_scene s;
    static char text[sizeof s.text + 100];
    for (unsigned n = SCENES; n < SCENES + COMPARED; n++) {
        double x[3], y[3];
        impact_scene_make(n, 0, 0, &s);
        if (s.chaotic) continue;
        run_scene(s.text, n, s.until, x, NULL);
        strcpy(text, s.text);
        char *method = strstr(text, "run: ");
        snprintf(method, sizeof text - (size_t)(method - text), "run: {method: nonsmooth, step: 1e-4, until: %.17g}\n",
                 s.until);
        run_scene(text, n, s.until, y, NULL);
        print_message("scene %u (%s): %.2e m apart\n", n, s.kind, distance(x, y));
        if (distance(x, y) > 2e-3)
            fail_msg("scene %u (%s) ends %.3g m from the nonsmooth method", n, s.kind, distance(x, y));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_scenes_end), cmocka_unit_test(shaken_scenes_agree),
                                       cmocka_unit_test(scenes_agree_with_nonsmooth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Boxes that tumble onto a plane at large steps come to lie on it, not in it, and win no energy. */
#include "rigid.h"
#include "scenes.h"

static const char *const sizes[] = {"[0.2, 0.2, 0.2]", "[0.3, 0.2, 0.1]", "[0.4, 0.1, 0.05]"};

/* The k-th of random places and motions. */
static void drop(rigid *r, int k, double step, double e) {
    uint64_t seed = 1000 + 77 * (uint64_t)k;
    double a[9];
    char text[900];
    for (int i = 0; i < 9; i++) a[i] = scene_random(&seed);
    snprintf(text, sizeof text,
             "bodies:\n  ground: {shape: {type: plane}}\n"
             "  a:\n    density: 1000\n    at: [0, 0, 0.5]\n    orientation: {rpy: [%.6f, %.6f, %.6f]}\n"
             "    velocity: [%.6f, %.6f, %.6f]\n    angular_velocity: [%.6f, %.6f, %.6f]\n"
             "    shape: {type: box, size: %s}\n"
             "contacts: {floor: {between: [ground, a], restitution: %g, friction: 0.3}}\n"
             "run: {method: nonsmooth, step: %g, until: 2}\n",
             3 * a[0], 1.5 * a[1], 3 * a[2], a[3], a[4], 0.5 * a[5], 10 * a[6], 10 * a[7], 10 * a[8], sizes[k % 3], e,
             step);
    rigid_text(r, text);
    rigid_go(r, 2);
}

static void boxes_do_not_sink(void **state) {
    (void)state;
    static const double steps[] = {1e-3, 3e-3, 5e-3, 1e-2}, restitution[] = {0, 0.25, 0.5};
    for (int s = 0; s < 4; s++) {
        double deepest = 0, given = 0;
        for (int e = 0; e < 3; e++)
            for (int k = 0; k < 48; k++) {
                rigid r;
                drop(&r, k, steps[s], restitution[e]);
                const jn_audit *a = jn_sim_audit(r.sim);
                deepest = fmax(deepest, a->max_penetration / a->penetration_tolerance);
                given = fmax(given, (r.given - a->contact_gain) / rigid_shown(&r));
                rigid_close(&r);
            }
        print_message("step %g s: deepest %.2f of the limit, given back %.2f of m (g h)^2/8 in a step\n", steps[s], deepest, given);
        assert_below(deepest, 1); /* a thousandth of half of the shortest side */
        assert_below(given, 1);      /* friction that stops a corner which slides uphill, and gaps that curve */
    }
}

/* A ring of MuJoCo's plugin falls over a post onto a plane, and lies there on its tube: it has a hole, and touches planes. */
static void a_ring_falls_over_a_post(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><extension><plugin plugin='mujoco.sdf.torus'><instance name='p'><config key='radius1' value='0.5'/><config key='radius2' "
        "value='0.1'/></instance></plugin></extension><asset><mesh name='t'><plugin instance='p'/></mesh></asset><worldbody>"
        "<geom type='plane' size='5 5 1'/><geom type='box' size='0.2 0.2 0.5' pos='0 0 0.5'/><body name='ring' pos='0.05 0 1.2'><freejoint/>"
        "<geom type='sdf' mesh='t'><plugin instance='p'/></geom></body></worldbody></mujoco>";
    jn_report report = {0};
    jn_setting set[] = {{"run.method", "nonsmooth"}, {"run.step", "0.002"}, {"run.until", "2"}};
    jn_description *d = jn_description_parse(text, strlen(text), "ring.xml", set, 3, &report);
    check_report(&report);
    jn_model *m = jn_model_compile(d, &report);
    rigid r;
    rigid_begin(&r, m, &report);
    rigid_go(&r, 2);
    print_message("the ring lies %.3e m off the height of its tube\n", rigid_body(&r, 1).position.z - 0.1);
    assert_near(rigid_body(&r, 1).position.z, 0.1, 1e-6);
    assert_true(jn_sim_audit(r.sim)->ok);
    rigid_close(&r), jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ring_falls_over_a_post), cmocka_unit_test(boxes_do_not_sink)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random scenes of the nonsmooth method: solids of all kinds thrown onto a plane and each other. Every run ends, bodies hardly overlap, contacts
 * gain no energy beyond what the audit reports. */
#include "rigid.h"
#include "scenes.h"

static double part(uint64_t *seed) { return 0.5 * (1 + scene_random(seed)); }

/* Shape of one of six kinds, and of random size. */
static void write_shape(char *text, size_t size, uint64_t *seed) {
    static const char *const round[] = {"cylinder", "capsule", "cone"};
    int kind = (int)(6 * part(seed));
    double r = 0.05 + 0.1 * part(seed), l = 0.1 + 0.3 * part(seed), w = 0.1 + 0.2 * part(seed);
    if (kind == 0)
        snprintf(text, size, "type: box, size: [%.3f, %.3f, %.3f]", l, w, 2 * r);
    else if (kind == 1)
        snprintf(text, size, "type: sphere, radius: %.3f", r);
    else if (kind == 2)
        snprintf(text, size, "type: ellipsoid, size: [%.3f, %.3f, %.3f]", r, 0.7 * r, 1.5 * r);
    else
        snprintf(text, size, "type: %s, radius: %.3f, %s: %.3f", round[kind - 3], r, kind == 5 ? "height" : "length", l);
}

static void write_scene(char *text, size_t size, int scene, double step) {
    uint64_t seed = 4242 + 991 * (uint64_t)scene;
    int bodies = 3 + (int)(5 * part(&seed));
    double e = part(&seed) < 0.4 ? 0 : 0.8 * part(&seed), mu = part(&seed) < 0.2 ? 0 : 1.2 * part(&seed);
    int at = snprintf(text, size, "bodies:\n  ground: {shape: {type: plane}}\n");
    for (int b = 0; b < bodies; b++) {
        char shape[200];
        double a[9];
        write_shape(shape, sizeof shape, &seed);
        for (int k = 0; k < 9; k++) a[k] = scene_random(&seed);
        at += snprintf(text + at, size - (size_t)at,
                       "  b%d:\n    density: 1000\n    at: [%.4f, %.4f, %.4f]\n    orientation: {rpy: [%.4f, %.4f, %.4f]}\n"
                       "    velocity: [%.3f, %.3f, 0]\n    angular_velocity: [%.3f, %.3f, %.3f]\n    shape: {%s}\n",
                       b, 0.1 * a[0], 0.1 * a[1], 0.4 + 0.55 * b, 3 * a[2], 1.5 * a[3], 3 * a[4], a[5], a[6], 4 * a[7], 4 * a[8],
                       4 * a[5], shape);
    }
    snprintf(text + at, size - (size_t)at,
             "contacts: {all: {restitution: %.3f, friction: %.3f}}\nrun: {method: nonsmooth, step: %g, until: 2}\n", e, mu, step);
}

static void random_scenes_settle(void **state) {
    (void)state;
    enum { SCENES = 60 };
    int good = 0;
    double deepest = 0, given = 0, momentum = 0;
    for (int scene = 0; scene < SCENES; scene++) {
        char text[6000];
        rigid r;
        write_scene(text, sizeof text, scene, 1e-3);
        rigid_text(&r, text);
        rigid_go(&r, 2);
        const jn_audit *a = jn_sim_audit(r.sim);
        good += a->ok || a->only_gain;
        if (!a->ok) print_message("scene %d: %s\n", scene, a->verdict);
        deepest = fmax(deepest, a->max_penetration), given = fmax(given, r.given - a->contact_gain);
        momentum = fmax(momentum, fmax(a->max_momentum_residual / a->momentum_scale,
                                       a->max_angular_momentum_residual / a->angular_momentum_scale));
        rigid_close(&r);
    }
    print_message("%d of %d audits good; deepest %.1e m, gained %.1e J in a step, momentum unexplained %.1e\n", good, (int)SCENES,
                  deepest, given, momentum);
    assert_true(good >= SCENES * 8 / 10); /* the others overlap: rims of cones and ends of ellipsoids that turn fast */
    assert_below(deepest, 2e-3);          /* of solids of 0.1 to 0.4 m at 1 ms and up to 5 m/s */
    assert_below(given, 0.1);             /* of 10 to 500 J */
    assert_below(momentum, 1e-12);
}

/* Steps in which a solid of 0.1 m moves by 25 mm and turns by a tenth of a radian: points that turn in without load, or that others take the place
 * of, are found at the end of the step and do not sink in. */
static void coarse_steps(void **state) {
    (void)state;
    enum { SCENES = 60 };
    int good = 0;
    double given = 0, momentum = 0;
    for (int scene = 0; scene < SCENES; scene++) {
        char text[6000];
        rigid r;
        write_scene(text, sizeof text, scene, 5e-3);
        rigid_text(&r, text);
        rigid_go(&r, 2);
        const jn_audit *a = jn_sim_audit(r.sim);
        good += a->ok || a->only_gain, given = fmax(given, r.given - a->contact_gain);
        momentum = fmax(momentum, fmax(a->max_momentum_residual / a->momentum_scale,
                                       a->max_angular_momentum_residual / a->angular_momentum_scale));
        rigid_close(&r);
    }
    print_message("%d of %d audits good; gained %.1e J in a step, momentum unexplained %.1e\n", good, (int)SCENES, given, momentum);
    assert_true(good >= SCENES * 7 / 10);
    assert_below(given, 0.5); /* of 10 to 500 J */
    assert_below(momentum, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenes_settle), cmocka_unit_test(coarse_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random scenes of the nonsmooth method: solids of all kinds thrown onto a plane and each other. Every run ends, bodies hardly overlap, contacts
 * gain no energy. */
#include "random_scenes.h"
#include "rigid.h"

static void random_scenes_settle(void **state) {
    (void)state;
    enum { SCENES = 60 };
    int good = 0;
    double deepest = 0, given = 0, momentum = 0;
    for (int scene = 0; scene < SCENES; scene++) {
        char text[6000];
        rigid r;
        random_solids_write(text, sizeof text, (unsigned)scene, 1e-3);
        rigid_text(&r, text);
        rigid_go(&r, 2);
        const jn_audit *a = jn_sim_audit(r.sim);
        good += a->ok;
        if (!a->ok) print_message("scene %d: %s\n", scene, a->verdict);
        deepest = fmax(deepest, a->max_penetration), given = fmax(given, r.given);
        momentum = fmax(momentum, fmax(a->max_momentum_residual / a->momentum_scale,
                                       a->max_angular_momentum_residual / a->angular_momentum_scale));
        rigid_close(&r);
    }
    print_message("%d of %d audits good; deepest %.1e m, gained %.1e J in a step, momentum unexplained %.1e\n", good, (int)SCENES,
                  deepest, given, momentum);
    assert_true(good >= SCENES - 1);
    assert_below(deepest, 5e-5); /* of solids of 0.1 to 0.4 m at 1 ms and up to 5 m/s */
    assert_below(given, 0.1);    /* of 10 to 500 J */
    assert_below(momentum, 1e-12);
}

/* Steps in which a solid of 0.1 m moves by 25 to 50 mm and turns by up to a radian: points that turn in without load, or that others take the place
 * of, are found at the end of the step; where no impulse at its start keeps bodies apart without sending them back faster than they came, the step is
 * halved. */
static void coarse_steps(void **state) {
    (void)state;
    enum { SCENES = 60 };
    static const double steps[] = {5e-3, 1e-2};
    for (int s = 0; s < 2; s++) {
        int good = 0;
        double deepest = 0, given = 0, momentum = 0;
        for (int scene = 0; scene < SCENES; scene++) {
            char text[6000];
            rigid r;
            random_solids_write(text, sizeof text, (unsigned)scene, steps[s]);
            rigid_text(&r, text);
            rigid_go(&r, 2);
            const jn_audit *a = jn_sim_audit(r.sim);
            good += a->ok, deepest = fmax(deepest, a->max_penetration / a->penetration_tolerance);
            given = fmax(given, r.given);
            momentum = fmax(momentum, fmax(a->max_momentum_residual / a->momentum_scale,
                                           a->max_angular_momentum_residual / a->angular_momentum_scale));
            rigid_close(&r);
        }
        print_message("step %g s: %d of %d audits good; deepest %.2f of the limit, gained %.1e J in a step, momentum unexplained %.1e\n",
                      steps[s], good, (int)SCENES, deepest, given, momentum);
        assert_int_equal(good, SCENES);
        assert_below(deepest, 1); /* a thousandth of half of the shortest side */
        assert_below(given, 2e4 * steps[s] * steps[s]); /* [J] of 10 to 500: round ends that roll by centimetres */
        assert_below(momentum, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_scenes_settle), cmocka_unit_test(coarse_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Hard scenes by method impact: several bodies in a box, loops with clearance, legs on a platform that moves, cylinders over edges, thin plates, masses that differ
 * by 1e6, restitution 0, 0.5 and 1 beside each other. None breaks off, and every audit is good. bench/bench_impact_scenes runs them by the hundred. */
#include "hard_scenes.h"
#include "text_model.h"

enum { SCENES = 28 };
static const unsigned others[] = {136}; /* a cylinder that tips over an edge with which it is parallel: did not end */

static void hard_scenes_end(void **state) {
    (void)state;
    static odd_scene s;
    long impacts = 0;
    for (unsigned k = 0; k < SCENES + sizeof others / sizeof *others; k++) {
        jn_model *m;
        unsigned n = k < SCENES ? k : others[k - SCENES];
        hard_scene_make(n, &s);
        jn_sim *sim = text_sim(s.text, &m);
        int status = jn_sim_advance(sim, s.until);
        if (status < 0) print_error("scene %u (%s): %s\n%s", n, s.kind, jn_sim_error(sim)->text, s.text);
        assert_int_equal(status, JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        if (!a->ok) fail_msg("scene %u (%s): %s", n, s.kind, a->verdict);
        impacts += a->impacts;
        jn_sim_free(sim), jn_model_free(m);
    }
    assert_true(impacts > 300); /* they are what they say */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hard_scenes_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

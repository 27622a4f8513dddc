/* Odd scenes by method impact: rods that jam, friction of 5, no gravity, many contacts at one instant, small steps, wedges, coins, stacks that are heavy above light. None breaks off,
 * and every audit is good. bench/bench_impact_scenes runs them by the hundred. */
#include "odd_scenes.h"
#include "text_model.h"

enum { SCENES = 64 };

/* A box that rocks by 3e-6 rad on the edge of a step as it slides over it, and a stack whose masses differ by 1e4: they took minutes. */
static const unsigned others[] = {68, 78};

static void odd_scenes_end(void **state) {
    (void)state;
    static odd_scene s;
    long jams = 0, impacts = 0;
    for (unsigned k = 0; k < SCENES + sizeof others / sizeof *others; k++) {
        jn_model *m;
        unsigned n = k < SCENES ? k : others[k - SCENES];
        odd_scene_make(n, &s);
        jn_sim *sim = text_sim(s.text, &m);
        int status = jn_sim_advance(sim, s.until);
        if (status < 0) print_error("scene %u (%s): %s\n%s", n, s.kind, jn_sim_error(sim)->text, s.text);
        assert_int_equal(status, JN_OK);
        const jn_audit *a = jn_sim_audit(sim);
        if (!a->ok) fail_msg("scene %u (%s): %s", n, s.kind, a->verdict);
        jams += a->jams, impacts += a->impacts;
        jn_sim_free(sim), jn_model_free(m);
    }
    assert_true(jams > 0 && impacts > 100); /* they are what they say */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd_scenes_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

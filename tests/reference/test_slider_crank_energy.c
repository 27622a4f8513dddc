/* Energy of the slider-crank of [Flores2010] from step to step: what the rules of time stepping win, and what Newton's law does. */
#include "rigid.h"

static void play(rigid *r, const char *settings, double t) {
    rigid_open(r, "../flores2010/slider_crank", settings);
    rigid_go(r, t);
}

/* Between impacts the midpoint rule is explicit and of first order: a step wins or loses O(dt^2), a run loses O(dt), never more than it
 * had at the start. It is the rule alone: impulses win nothing, and moreau_jean's steps neither. */
static void midpoint_rule_errs_in_second_order(void **state) {
    (void)state;
    static const char *const steps[] = {"4e-5", "2e-5", "1e-5"};
    double rise[3], lost[3];
    for (int n = 0; n < 3; n++) {
        char settings[64];
        rigid r;
        snprintf(settings, sizeof settings, "step=%s", steps[n]);
        play(&r, settings, 0.15);
        rise[n] = r.rise, lost[n] = jn_sim_audit(r.sim)->max_energy_residual;
        print_message("step %s s: a step wins %.2e J at most, the run loses %.3f J of %.3f J beside its impacts\n",
                      steps[n], rise[n], lost[n], r.start);
        assert_true(jn_sim_audit(r.sim)->contact_gain == 0);
        rigid_close(&r);
    }
    for (int n = 1; n < 3; n++) {
        assert_near(log2(rise[n - 1] / rise[n]), 2, 0.1);
        assert_near(log2(lost[n - 1] / lost[n]), 1, 0.1);
    }
}

/* A tilted slider whose corners strike one by one with e = 1: only Newton's law with friction wins [Kane1985], and all of it is reported. */
static void only_newtons_law_wins(void **state) {
    (void)state;
    static const char *const settings[] = {
        "run.scheme=moreau_jean restitution=1 slider_spin=-1 friction=0",
        "run.scheme=moreau_jean restitution=1 slider_spin=-1 friction=0.01",
    };
    for (int k = 0; k < 2; k++) {
        rigid r;
        play(&r, settings[k], 0.15);
        const jn_audit *a = jn_sim_audit(r.sim);
        print_message("%s: %d impacts, told %.3g J in %d of them, largest rise %.3g J; %s\n", settings[k], r.impacts,
                      a->contact_gain, r.gains, r.rise, a->verdict);
        assert_true(r.impacts > 300);
        if (k == 0) {
            assert_true(r.gains == 0);
            assert_below(r.rise, 1e-6); /* the theta method errs in second order between impacts */
        } else {
            assert_true(r.gains > 0);
            assert_below(r.rise, a->contact_gain);
            assert_non_null(strstr(a->verdict, "last at contact 'guide'"));
        }
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(midpoint_rule_errs_in_second_order),
                                       cmocka_unit_test(only_newtons_law_wins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random small scenes with all defaults by all methods: no run crashes, ends with a number that is not finite, or breaks off without a reason; four of five
 * have a good audit by each method. bench_scenes counts more of them, and those that take long. */
#include "random_scenes.h"
#include "text_model.h"

enum { SCENES = 40, MOST_STEPS = 20000 };

typedef struct tally {
    int ended, good, refused, long_ones, broken;
} tally;

static void run_one(const char *method, unsigned seed, tally *n) {
    char text[16000], what[64];
    snprintf(what, sizeof what, "%s, seed %u", method, seed);
    random_scene_write(text, sizeof text, seed, method);
    jn_report report = {0};
    jn_model *model = text_model(text, &report);
    jn_sim *sim = model ? jn_sim_create(model, &report) : NULL;
    if (!sim) {
        if (!report.errors) fail_msg("%s: refused without an error", what);
        n->refused++;
        jn_model_free(model);
        return;
    }
    double until = jn_model_run(model)->until;
    int status = JN_OK;
    for (int k = 0; k < MOST_STEPS && status >= 0 && jn_sim_state(sim)->t < until; k++)
        status = jn_sim_step(sim, until);
    for (int i = 0; i < jn_model_nv(model) && status >= 0; i++)
        if (!isfinite(jn_sim_state(sim)->u[i])) fail_msg("%s: a velocity is not finite", what);
    if (status < 0 && !jn_sim_error(sim)->text[0]) fail_msg("%s: broke off without a reason", what);
    const jn_audit *audit = jn_sim_audit(sim);
    if (status >= 0 && jn_sim_state(sim)->t < until)
        n->long_ones++;
    else if (status < 0)
        n->broken++;
    else
        n->ended++, n->good += audit->ok;
    if (!audit->ok) print_message("%s: %s\n", what, audit->verdict);
    jn_sim_free(sim), jn_model_free(model);
}

static void test_scenes(void **state) {
    static const char *const methods[] = {"compliant", "nonsmooth", "impact"};
    (void)state;
    for (int m = 0; m < 3; m++) {
        tally n = {0};
        for (unsigned seed = 1000; seed < 1000 + SCENES; seed++) run_one(methods[m], seed, &n);
        print_message(
            "%s: %d ended, %d of them with a good audit, %d broke off, %d were left after %d steps, %d refused\n",
            methods[m], n.ended, n.good, n.broken, n.long_ones, MOST_STEPS, n.refused);
        assert_true(n.ended >= SCENES / 2);
        assert_true(5 * n.good >= 4 * (SCENES - n.refused));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

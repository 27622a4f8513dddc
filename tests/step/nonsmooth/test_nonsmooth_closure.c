/* Joints of a loop are met at every node of momentum_leapfrog, also where gaps that end too deep are corrected after them. */
#include "random_scenes.h"
#include "step/sim.h"
#include "text_model.h"

/* A rod closes a loop of bodies of 1 cm, two of which lie on a plane: corrections of their gaps left the rod off by up to 5.4e-10 m. */
static void joints_are_met_after_gaps(void **state) {
    (void)state;
    char text[16000];
    double until = random_scene_write(text, sizeof text, 200, "nonsmooth"), worst = 0;
    jn_model *model;
    jn_sim *sim = text_sim(text, &model);
    while (jn_sim_state(sim)->t < until - 1e-9) {
        assert_true(jn_sim_step(sim, until) >= 0);
        for (int i = 0; i < model->row_count; i++) worst = fmax(worst, fabs(sim->w->phi[i]));
    }
    print_message("joints are met to %.1e m\n", worst);
    assert_below(worst, 1e-11);
    assert_true(jn_sim_audit(sim)->ok);
    jn_sim_free(sim), jn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(joints_are_met_after_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Contact points that pass on to others under load, in random scenes in which the energy of a contact was lost or came from nowhere: circles of cylinders that
 * dip into soft ground, polygons that roll over corners, capsules and boxes whose lines meet beyond their ends, points that stay while their normal turns round. */
#include "random_scenes.h"
#include "text_model.h"

static void test_energy_is_kept(void **state) {
    static const unsigned seeds[] = {3005, 3006, 3047, 3075, 3099, 3121, 3145, 3155, 3157, 3234, 3274, 3388, 3417};
    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char text[16000];
        random_scene_write(text, sizeof text, seeds[i], "compliant");
        jn_report report = {0};
        jn_model *model = text_model(text, &report);
        jn_sim *sim = model ? jn_sim_create(model, &report) : NULL;
        if (!sim) fail_msg("seed %u: refused", seeds[i]);
        int status = jn_sim_advance(sim, jn_model_run(model)->until);
        const jn_audit *audit = jn_sim_audit(sim);
        if (status < 0 || !audit->ok) fail_msg("seed %u: %s", seeds[i], audit->verdict);
        jn_sim_free(sim), jn_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

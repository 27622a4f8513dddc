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
        bool sunk = audit->max_relative_penetration > 1; /* a verdict of its own */
        if (status < 0 || (!audit->ok && !sunk) || strstr(audit->verdict, "beside its equations") || strstr(audit->verdict, "is not balanced"))
            fail_msg("seed %u: %s", seeds[i], audit->verdict);
        jn_sim_free(sim), jn_model_free(model);
    }
}

/* The end of a capsule stays on the seam of two triangles, where round-off tells which of them it touches: 1.5 % of the energy was lost. */
static void test_seam(void **state) {
    (void)state;
    jn_model *model;
    jn_sim *sim = text_sim("bodies:\n"
                           "  ground:\n"
                           "    shape:\n"
                           "      type: heightfield\n"
                           "      size: [4, 4]\n"
                           "      heights:\n"
                           "        - [0.1484, 0.1049, 0.006078, 0.009088, -0.06355]\n"
                           "        - [0.1291, 0.009228, 0.1278, 0.09261, -0.03065]\n"
                           "        - [-0.0005512, -0.08242, 0.04468, 0.003609, -0.1201]\n"
                           "        - [-0.09465, -0.1402, -0.07846, 0.1356, 0.02256]\n"
                           "        - [0.05711, -0.06473, -0.07392, 0.04786, 0.1216]\n"
                           "  capsule:\n"
                           "    at: [0.1386, -0.08033, 0.52]\n"
                           "    orientation: [0.6541, -0.5277, 0.1645, 0.5163]\n"
                           "    density: 1000\n"
                           "    shape: {type: capsule, radius: 0.06415, length: 0.177}\n"
                           "    velocity: [-0.05885, 0.2201, -1.609]\n"
                           "    angular_velocity: [-1.031, 2.883, 0.3418]\n"
                           "contacts: {ground: {restitution: 0.7, stiffness: 3e8, friction: 0.8}}\n"
                           "run: {method: compliant, integrator: dopri45, until: 0.203}\n",
                           &model);
    assert_true(jn_sim_advance(sim, 0.203) >= 0);
    const jn_audit *audit = jn_sim_audit(sim);
    print_message("%s\n", audit->verdict);
    assert_true(audit->ok);
    jn_sim_free(sim), jn_model_free(model);
}

/* A level floor has no extent that a mesh could pass through in a step, and does not stop the run. */
static void test_flat_mesh(void **state) {
    (void)state;
    jn_model *model;
    jn_sim *sim = text_sim("bodies:\n"
                           "  ground: {shape: {type: mesh, points: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], triangles: [[0, 1, 2], [0, 2, 3]]}}\n"
                           "  a: {mass: 1, com: [0, 0, 0.3], inertia: [0.01, 0.01, 0.01], shape: {type: mesh, at: [0, 0, 0.3],\n"
                           "      points: [[-0.1, -0.1, -0.1], [0.1, -0.1, -0.1], [0, 0.15, -0.1], [0, 0, 0.15]], triangles: [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]}}\n"
                           "contacts: {all: {friction: 0.5, restitution: 0.5, stiffness: 1e5, damping: 10}}\n"
                           "run: {method: compliant, until: 0.3}\n",
                           &model);
    assert_true(jn_sim_advance(sim, 0.3) >= 0);
    assert_true(jn_sim_audit(sim)->ok);
    jn_body_motion a;
    jn_body_motion_get(model, jn_sim_work(sim), jn_model_find_body(model, "a"), &a);
    assert_true(a.position.z > 0.05); /* it fell through */
    jn_sim_free(sim), jn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy_is_kept), cmocka_unit_test(test_seam), cmocka_unit_test(test_flat_mesh)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* One simulation by several threads: a pile of balls with one island of more than 2000 contacts, and a wall of boxes with several contact points to a pair, have the same bits with
 * any number of them; a small model keeps one thread. */
#include "check.h"
#include "scenes.h"

/* Opens the description, which it frees. */
static jn_model *compile(jn_description *d) {
    jn_report report = {0};
    jn_contact_desc c = jn_contact_default("all");
    c.restitution = 0.2, c.friction = 0.3;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 2e-3, d->run.residual = 1e-4;
    jn_model *m = jn_model_compile(d, &report);
    assert_non_null(m);
    jn_description_free(d);
    return m;
}

static uint64_t hash_after(const jn_model *m, int threads, int change, double until, int *contacts) {
    jn_sim *sim = jn_sim_create(m, NULL);
    assert_non_null(sim);
    assert_int_equal(jn_sim_use_threads(sim, threads), threads);
    assert_int_equal(jn_sim_advance(sim, 0.5 * until), JN_OK);
    if (change) jn_sim_use_threads(sim, change);
    assert_int_equal(jn_sim_advance(sim, until), JN_OK);
    uint64_t hash = jn_state_hash(jn_sim_state(sim));
    *contacts = jn_sim_state(sim)->contact_count;
    jn_sim_free(sim);
    return hash;
}

static void same_bits(void **state) {
    (void)state;
    jn_model *m = compile(scene_spheres_in_box(1000, 0.05, 0.5));
    int contacts;
    uint64_t one = hash_after(m, 1, 0, 0.3, &contacts);
    print_message("%d contacts\n", contacts);
    assert_true(contacts > 2000);
    for (int threads = 2; threads <= 4; threads++) assert_true(hash_after(m, threads, 0, 0.3, &contacts) == one);
    assert_true(hash_after(m, 4, 1, 0.3, &contacts) == one);
    jn_model_free(m);
}

static void same_bits_of_boxes(void **state) {
    (void)state;
    jn_model *m = compile(scene_brick_wall(12, 12, false, 0.1));
    int contacts;
    uint64_t one = hash_after(m, 1, 0, 0.04, &contacts);
    print_message("%d contacts\n", contacts);
    assert_true(contacts > 1000);
    for (int threads = 2; threads <= 4; threads++) assert_true(hash_after(m, threads, 0, 0.04, &contacts) == one);
    jn_model_free(m);
}

static void small_models_keep_one(void **state) {
    (void)state;
    jn_model *m = compile(scene_spheres_in_box(8, 0.05, 0.5));
    jn_sim *sim = jn_sim_create(m, NULL);
    assert_int_equal(jn_sim_use_threads(sim, 0), 1);
    assert_int_equal(jn_sim_use_threads(sim, 4), 1);
    jn_sim_free(sim);
    jn_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(same_bits_of_boxes),
                                       cmocka_unit_test(small_models_keep_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Piles of spheres by the nonsmooth method: they come to rest, and threads change no bit. */
#include "rigid.h"
#include "scenes.h"

static jn_sim *start(int spheres, double step, int threads, jn_model **m) {
    jn_report report = {0};
    jn_description *d = scene_spheres_in_box(spheres, 0.05, 0.5);
    jn_contact_desc c = jn_contact_default("ball");
    c.restitution = 0.2, c.friction = 0.3;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = step, d->run.residual = 1e-6, d->run.penetration = 1e-5;
    d->run.threads = threads;
    *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(*m, &report);
    check_report(&report);
    jn_description_free(d);
    return sim;
}

static int contacts_of(jn_sim *sim) {
    const double *slot = jn_sim_state(sim)->slot;
    int n = 0;
    while (slot[JN_SLOT * n] != 0) n++;
    return n;
}

/* Contacts that hold a pile do not bounce again and again: what velocities change from step to step dies away. */
static void pile_rests(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = start(30, 2e-3, 1, &m);
    int n = jn_model_nv(m);
    double before[180], most = 0;
    assert_int_equal(jn_sim_advance(sim, 2), JN_OK);
    for (int k = 0; k < 100; k++) {
        memcpy(before, jn_sim_state(sim)->u, (size_t)n * sizeof *before);
        assert_int_equal(jn_sim_advance(sim, jn_sim_state(sim)->t + 2e-3), JN_OK);
        for (int i = 0; i < n; i++)
            if (i % 6 < 3) most = fmax(most, fabs(jn_sim_state(sim)->u[i] - before[i]));
    }
    const jn_audit *a = jn_sim_audit(sim);
    print_message("%d contacts, velocities change by %.3g m/s in a step, penetration %.3g m, residual %.3g, %ld steps, "
                  "%ld sweeps\n",
                  contacts_of(sim), most, a->max_penetration, a->max_complementarity_residual, a->steps,
                  a->solver_iterations);
    assert_below(most, 0.1 * 9.81 * 2e-3);
    assert_below(a->max_penetration, 1.001e-5);
    assert_below(a->max_complementarity_residual, 1e-6);
    assert_int_equal(a->unsolved, 0);
    jn_sim_free(sim);
    jn_model_free(m);
}

/* More contacts than are swept without colours. */
static void threads_change_no_bit(void **state) {
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; k++) {
        jn_model *m;
        jn_sim *sim = start(1000, 4e-3, 1 << k, &m);
        assert_int_equal(jn_sim_advance(sim, 0.28), JN_OK);
        hash[k] = jn_state_hash(jn_sim_state(sim));
        print_message("%d threads: %d contacts, hash %016llx\n", 1 << k, contacts_of(sim), (unsigned long long)hash[k]);
        assert_true(contacts_of(sim) > 1200);
        jn_sim_free(sim);
        jn_model_free(m);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pile_rests), cmocka_unit_test(threads_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

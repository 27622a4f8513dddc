/* A wall of bricks and a pyramid of boxes stand: their contacts are the same in every step, their loads stay as they are, and they go to sleep. */
#include "check.h"
#include "scenes.h"

#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 8 };

static jn_sim *build(bool pyramid, double friction, jn_model **m) {
    jn_description *d = scene_brick_wall(ROWS, COLUMNS, pyramid, 0.2);
    jn_contact_desc c = jn_contact_default("all");
    jn_report report;
    c.friction = friction;
    jn_description_add_contact(d, &c);
    d->run.method = JN_METHOD_NONSMOOTH, d->run.step = 2e-3;
    *m = jn_model_compile(d, &report);
    check_report(&report);
    jn_sim *sim = jn_sim_create(*m, &report);
    check_report(&report);
    jn_description_free(d);
    return sim;
}

/* [m] how far a body has moved from where it was drawn, the largest; bodies are listed as they were written. */
static double moved(jn_sim *sim, const double *start, int count) {
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs(jn_sim_state(sim)->q[k] - start[k]));
    return most;
}

static void stands(const char *what, bool pyramid, double friction) {
    jn_model *m;
    jn_sim *sim = build(pyramid, friction, &m);
    int nq = jn_model_nq(m);
    double *start = malloc((size_t)nq * sizeof *start);
    memcpy(start, jn_sim_state(sim)->q, (size_t)nq * sizeof *start);
    assert_int_equal(jn_sim_advance(sim, 0.2), JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    long first = a->solver_iterations;
    int contacts = jn_sim_contacts(sim, NULL, 0);
    assert_int_equal(jn_sim_advance(sim, 0.4), JN_OK);
    double each = (double)(a->solver_iterations - first) / 100;
    assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
    a = jn_sim_audit(sim);
    print_message("%s: %.1f iterations per step of 0.2 to 0.4 s, %ld steps asleep, moved by %.1e m; %s\n", what, each,
                  (long)a->asleep, moved(sim, start, nq), a->verdict);
    assert_true(each < 30);
    assert_int_equal(jn_sim_contacts(sim, NULL, 0), contacts);
    assert_int_equal(a->unsolved, 0);
    assert_true(a->asleep >= 100 && a->ok);
    assert_true(moved(sim, start, nq) < 1e-7);
    free(start), jn_sim_free(sim), jn_model_free(m);
}

static void walls_and_pyramids_stand(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        static const double friction[] = {0.3, 0.5, 0.9};
        stands("wall", false, friction[k]), stands("pyramid", true, friction[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(walls_and_pyramids_stand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

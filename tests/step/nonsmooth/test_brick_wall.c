/* A wall of bricks and a pyramid of boxes stand: their contacts are the same in every step, their loads stay as they are, and they go to sleep. */
#include "text_model.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 8, COLUMNS = 8, TEXT = 40000 };
static const double edge = 0.2; /* [m] */

/* narrower: boxes by which a row is shorter than the one below it. */
static jn_sim *build(int narrower, double friction, jn_model **m) {
    static char text[TEXT];
    int at = snprintf(text, TEXT, "bodies:\n  ground: {shape: {type: plane}}\n");
    for (int row = 0; row < ROWS; row++)
        for (int k = 0; k < COLUMNS - narrower * row; k++) {
            double shift = narrower ? 0.5 * row : 0.5 * (row % 2), pitch = narrower ? 1.1 * edge : edge;
            at += snprintf(text + at, (size_t)(TEXT - at),
                           "  b%d_%d: {mass: 1, at: [%.17g, 0, %.17g], shape: {type: box, size: [%g, %g, %g]}}\n", row,
                           k, (k + shift) * pitch, (row + 0.5) * edge, edge, edge, edge);
        }
    snprintf(text + at, (size_t)(TEXT - at),
             "contacts: {all: {friction: %g}}\nrun: {method: nonsmooth, step: 2 ms, until: 1}\n", friction);
    return text_sim(text, m);
}

/* [m] how far a body has moved from where it was drawn, the largest; bodies are listed as they were written. */
static double moved(jn_sim *sim, const double *start, int count) {
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs(jn_sim_state(sim)->q[k] - start[k]));
    return most;
}

static void stands(const char *what, int narrower, double friction) {
    jn_model *m;
    jn_sim *sim = build(narrower, friction, &m);
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
        stands("wall", 0, friction[k]), stands("pyramid", 1, friction[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(walls_and_pyramids_stand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

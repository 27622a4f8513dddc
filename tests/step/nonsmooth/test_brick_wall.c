/* A wall of bricks, a pyramid and a block of boxes stand: their contacts are the same in every step, their loads stay as they are, and they go to sleep. */
#include "rigid.h"
#include "scenes.h"

#include <jounce/jounce.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 8, SIDE = 4 };

static jn_sim *build(jn_description *d, double friction, jn_model **m) {
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

static void stands(const char *what, jn_description *d, double friction) {
    jn_model *m;
    jn_sim *sim = build(d, friction, &m);
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
    assert_true(abs(jn_sim_contacts(sim, NULL, 0) - contacts) < 0.02 * contacts); /* sides that bear next to nothing */
    assert_int_equal(a->unsolved, 0);
    assert_true(a->asleep >= 100 && a->ok);
    assert_true(moved(sim, start, nq) < 1e-7);
    free(start), jn_sim_free(sim), jn_model_free(m);
}

static void what_is_built_stands(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        static const double friction[] = {0.3, 0.5, 0.9};
        stands("wall", scene_brick_wall(ROWS, COLUMNS, false, 0.2), friction[k]);
        stands("pyramid", scene_brick_wall(ROWS, COLUMNS, true, 0.2), friction[k]);
        stands("block", scene_block_of_boxes(SIDE, 0.2), friction[k]);
    }
}

/* Edge against edge there is no contact while both faces are as near. Boxes that come so do not pass through each other, neither from afar, nor from where the edges meet. */
static void edges_that_meet_stop_each_other(void **state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        char text[1024];
        double apart = k < 20 ? 0 : 1e-4 * k, speed = 0.05 * (k % 20 + 1);
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies:\n"
                 "  rest: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], shape: {type: box, size: [0.1, 0.1, 0.1]}}\n"
                 "  comes: {mass: 1, inertia: [1e-3, 1e-3, 1e-3], com: [%.17g, %.17g, 0.03], velocity: [%g, %g, 0],\n"
                 "          shape: {type: box, at: [%.17g, %.17g, 0.03], size: [0.1, 0.1, 0.1]}}\n"
                 "contacts: {all: {friction: 0.2}}\nrun: {method: nonsmooth, step: 1 ms, until: 0.2}\n",
                 0.1 + apart, 0.1 + apart, -speed, -speed, 0.1 + apart, 0.1 + apart);
        rigid r;
        rigid_text(&r, text);
        assert_int_equal(jn_sim_advance(r.sim, 0.2), JN_OK);
        const jn_audit *a = jn_sim_audit(r.sim);
        assert_true(a->ok && a->events > 0);
        assert_below(a->max_penetration, 1e-5);
        assert_below(a->max_momentum_residual, 1e-14);
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_built_stands),
                                       cmocka_unit_test(edges_that_meet_stop_each_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Legs that friction jams: the foot of two hinges moves in two directions only, and a force within the cone of friction holds it against both. No impulses of finite
 * size take it out of an overlap of round-off, or back by a round-off of where it stuck; those of 1e16 N s that solvers found made energies of 1e13 J. */
#include "contact_problem.h"
#include "rigid.h"

enum { LEGS = 24 };

static double between(unsigned long long *seed, double least, double most) {
    return least + 0.5 * (most - least) * (1 + contact_random(seed));
}

static void leg(unsigned long long *seed, char *text, size_t size) {
    double z1 = between(seed, 0.3, 0.6), x2 = 0.2 + between(seed, 0.15, 0.4);
    double z2 = z1 + between(seed, -0.05, 0.05), x3 = x2 + between(seed, 0, 0.4);
    double z3 = 0.08 + between(seed, 0, 0.1), a = between(seed, -0.7, 0.7), b = between(seed, -0.7, 0.7);
    snprintf(text, size,
             "bodies:\n  ground: {shape: {type: plane}}\n"
             "  thigh: {mass: 0.5, inertia: [0.01, 0.01, 0.01], com: [%g, 0, %g]}\n"
             "  shin: {mass: 1, inertia: [0.02, 0.02, 0.02], com: [%g, 0, %g], shape: {type: sphere, at: [%g, 0, %g], radius: 0.08}}\n"
             "joints:\n  hip: {type: revolute, between: [ground, thigh], at: [0.2, 0, %g], axis: z, damping: 1, lower: -30 deg, upper: 30 deg}\n"
             "  knee: {type: revolute, between: [thigh, shin], at: [%g, 0, %g], axis: [%g, 1, %g], damping: 1, speed: %g,\n"
             "         lower: -40 deg, upper: 40 deg}\n"
             "contacts: {all: {restitution: 0, friction: %g}}\nrun: {method: nonsmooth, step: 2 ms, until: 1 s}\n",
             0.5 * (0.2 + x2), 0.5 * (z1 + z2), 0.5 * (x2 + x3), 0.5 * (z2 + z3), x3, z3, z1, x2, z2, a, b,
             between(seed, -3, 3), between(seed, 0.6, 1.5));
}

/* Energy is explained, contacts lose no more than there was, and feet do not sink. */
static void legs_are_wedged(void **state) {
    (void)state;
    int jammed = 0;
    for (unsigned n = 0; n < LEGS; n++) {
        char text[2048];
        rigid r;
        unsigned long long seed = n + 1;
        leg(&seed, text, sizeof text);
        rigid_text(&r, text);
        assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
        const jn_audit *a = jn_sim_audit(r.sim);
        const jn_ledger *l = &jn_sim_state(r.sim)->ledger;
        jammed += a->unsolved > 0;
        assert_below(fabs(a->energy_residual), 1e-2 * a->energy_scale);
        assert_below(fabs(l->damping) + fabs(l->friction), 100);
        assert_below(a->max_penetration, 1e-5);
        assert_true(a->ok);
        rigid_close(&r);
    }
    print_message("%d of %d legs jam\n", jammed, LEGS);
    assert_true(jammed >= 4); /* else the scenes do not show it */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(legs_are_wedged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

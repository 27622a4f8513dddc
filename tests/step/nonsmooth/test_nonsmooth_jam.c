/* Legs that friction jams: the foot of two hinges moves in two directions only, and a force within the cone of friction holds it against both. No impulses of finite
 * size take it out of an overlap of round-off, or back by a round-off of where it stuck; those of 1e16 N s that solvers found made energies of 1e13 J. */
#include "contact_problem.h"
#include "rigid.h"

enum { LEGS = 24, BALLS = 8 };

static double between(unsigned long long *seed, double least, double most) {
    return least + 0.5 * (most - least) * (1 + contact_random(seed));
}

/* A leg of restitution e, and other bodies with their contacts. */
static void leg(unsigned long long *seed, double e, const char *bodies, const char *contacts, char *text, size_t size) {
    double z1 = between(seed, 0.3, 0.6), x2 = 0.2 + between(seed, 0.15, 0.4);
    double z2 = z1 + between(seed, -0.05, 0.05), x3 = x2 + between(seed, 0, 0.4);
    double z3 = 0.08 + between(seed, 0, 0.1), a = between(seed, -0.7, 0.7), b = between(seed, -0.7, 0.7);
    snprintf(text, size,
             "bodies:\n  ground: {shape: {type: plane}}\n"
             "  thigh: {mass: 0.5, inertia: [0.01, 0.01, 0.01], com: [%g, 0, %g]}\n"
             "  shin: {mass: 1, inertia: [0.02, 0.02, 0.02], com: [%g, 0, %g], shape: {type: sphere, at: [%g, 0, %g], radius: 0.08}}\n%s"
             "joints:\n  hip: {type: revolute, between: [ground, thigh], at: [0.2, 0, %g], axis: z, damping: 1, lower: -30 deg, upper: 30 deg}\n"
             "  knee: {type: revolute, between: [thigh, shin], at: [%g, 0, %g], axis: [%g, 1, %g], damping: 1, speed: %g,\n"
             "         lower: -40 deg, upper: 40 deg}\n"
             "contacts:\n  all: {restitution: %g, friction: %g}\n%srun: {method: nonsmooth, step: 2 ms, until: 1 s}\n",
             0.5 * (0.2 + x2), 0.5 * (z1 + z2), 0.5 * (x2 + x3), 0.5 * (z2 + z3), x3, z3, bodies, z1, x2, z2, a, b,
             between(seed, -3, 3), e, between(seed, 0.6, 1.5), contacts);
}

/* Energy is explained, contacts lose no more than there was, feet do not sink, and the problems that are posed are solved. Returns how many jam. */
static int drop_legs(double e) {
    int jammed = 0;
    for (unsigned n = 0; n < LEGS; n++) {
        char text[2048];
        rigid r;
        unsigned long long seed = n + 1;
        leg(&seed, e, "", "", text, sizeof text);
        rigid_text(&r, text);
        assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
        const jn_audit *a = jn_sim_audit(r.sim);
        const jn_ledger *l = &jn_sim_state(r.sim)->ledger;
        jammed += a->jams > 0;
        assert_int_equal(a->unsolved, 0);
        assert_below(fabs(a->energy_residual), 1e-2 * a->energy_scale);
        assert_below(fabs(l->damping) + fabs(l->friction), 100);
        assert_below(a->max_penetration, 1e-5);
        assert_true(a->ok);
        rigid_close(&r);
    }
    print_message("%d of %d legs jam with restitution %g\n", jammed, LEGS, e);
    return jammed;
}

static void legs_are_wedged(void **state) {
    (void)state;
    assert_true(drop_legs(0) >= 4); /* else the scenes do not show it */
}

/* A foot that friction jams does not rebound: the impulse of restitution moves nothing. */
static void wedged_legs_do_not_rebound(void **state) {
    (void)state;
    assert_true(drop_legs(0.5) >= 4);
}

/* Elastic balls that bounce far away from the leg, each from another height, and a box on which friction acts. */
static void others(char *bodies, char *contacts, size_t size) {
    int used = snprintf(bodies, size,
                        "  box: {mass: 1, inertia: [0.01, 0.01, 0.01], com: [-5, 0, 0.1], velocity: [1, 0.5, 0],\n"
                        "        shape: {type: box, size: [0.2, 0.2, 0.2], at: [-5, 0, 0.1]}}\n");
    int noted = 0;
    for (int k = 0; k < BALLS; k++) {
        double z = 0.052 + 0.003 * k;
        used += snprintf(bodies + used, size - (size_t)used,
                         "  ball%d: {mass: 1, inertia: [0.001, 0.001, 0.001], com: [-10, %d, %g],\n"
                         "          shape: {type: sphere, at: [-10, %d, %g], radius: 0.05}}\n",
                         k, k, z, k, z);
        noted += snprintf(contacts + noted, size - (size_t)noted,
                          "  bounce%d: {between: [ground, ball%d], restitution: 1, friction: 0}\n", k, k);
    }
}

/* [m], [m/s] largest difference of the balls, or of the box, from those of the same names in `alone`. */
static double difference(rigid *r, rigid *alone, bool balls) {
    double most = 0;
    for (int b = 1; b < jn_model_bodies(alone->m); b++) {
        const char *name = jn_model_body_name(alone->m, b);
        if (!strncmp(name, "ball", 4) != balls) continue;
        jn_body_motion x = rigid_body(alone, b), y = rigid_body(r, jn_model_find_body(r->m, name));
        most = fmax(most, v3_norm(v3_sub(x.position, y.position)));
        most = fmax(most, v3_norm(v3_sub(x.velocity, y.velocity)));
    }
    return most;
}

/* Corrections are dropped in the island that jams alone: balls beside a leg rebound as without it, and a box slides and stops. */
static void what_is_apart_keeps_its_corrections(void **state) {
    (void)state;
    static char bodies[4096], contacts[4096], text[10000];
    int jammed = 0;
    others(bodies, contacts, sizeof contacts);
    for (unsigned n = 0; n < LEGS && jammed < 3; n++) {
        unsigned long long seed = n + 1;
        rigid r, alone;
        leg(&seed, 0, bodies, contacts, text, sizeof text);
        rigid_text(&r, text);
        const char *friction = strstr(text, "  all:");
        char scene[10000];
        snprintf(scene, sizeof scene, "bodies:\n  ground: {shape: {type: plane}}\n%scontacts:\n%s", bodies, friction);
        rigid_text(&alone, scene);
        assert_int_equal(jn_sim_advance(r.sim, 1), JN_OK);
        assert_int_equal(jn_sim_advance(alone.sim, 1), JN_OK);
        jammed += jn_sim_audit(r.sim)->jams > 0;
        assert_below(difference(&r, &alone, true), 1e-14);
        assert_below(difference(&r, &alone, false), 1e-6 * 2e-3); /* the residual of its contacts for a step */
        assert_int_equal(jn_sim_audit(alone.sim)->unsolved, 0);
        rigid_close(&r), rigid_close(&alone);
    }
    assert_true(jammed >= 3);
}

/* A ball that swings about a hinge 1 nm beside its centre, 10 nm deep in the plane below: its contact cannot move along the normal, and impulses that would lift it out
 * have no bound. It swings as without the plane, with friction and without (a ragdoll's thighs under its hip, which gained 3 J). */
static void a_contact_that_cannot_move_bears_nothing(void **state) {
    (void)state;
    static const char *const shapes[] = {"", ", shape: {type: sphere, radius: 1.00000001, at: [1e-9, 0, 1]}"};
    double q[3][2];
    for (int k = 0; k < 3; k++) {
        char text[1024];
        rigid r;
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane}}\n  arm: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, 1]}\n"
                 "  wheel: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.2, 0, 1]%s}\n"
                 "joints:\n  turn: {type: revolute, between: [ground, arm], at: [0, 0, 1], axis: z}\n"
                 "  swing: {type: revolute, between: [arm, wheel], at: [0, 0, 1], axis: y}\n"
                 "contacts: {all: {friction: %s, restitution: 0}}\nrun: {method: nonsmooth, step: 1 ms, until: 2}\n",
                 shapes[k > 0], k > 1 ? "0.5" : "0");
        rigid_text(&r, text);
        rigid_go(&r, 2);
        for (int i = 0; i < 2; i++) q[k][i] = jn_sim_state(r.sim)->q[i];
        assert_true(jn_sim_audit(r.sim)->ok);
        rigid_close(&r);
        print_message("turned by %.12f and %.12f rad\n", q[k][0], q[k][1]);
        for (int i = 0; i < 2; i++) assert_near(q[k][i], q[0][i], 1e-9);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_contact_that_cannot_move_bears_nothing), cmocka_unit_test(legs_are_wedged), cmocka_unit_test(wedged_legs_do_not_rebound),
                                       cmocka_unit_test(what_is_apart_keeps_its_corrections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The state decides the next step of the nonsmooth method: the same bits run after run, after a copy, and however often results
 * are read. And what is refused. */
#include "rigid.h"
#include "step/nonsmooth/nonsmooth.h"

/* Boxes, balls and a capsule thrown together: faces, edges and round surfaces. */
static const char heap[] =
    "bodies:\n"
    "  ground: {shape: {type: plane}}\n"
    "  slab: {mass: 2, inertia: [0.02, 0.02, 0.03], com: [0, 0, 0.05], shape: {type: box, size: [0.4, 0.4, 0.1], at: "
    "[0, 0, 0.05]}}\n"
    "  box: {mass: 1, inertia: [0.002, 0.002, 0.002], at: [0.05, 0, 0.25], orientation: {axis: [1, 1, 0.3], angle: 20 "
    "deg}, "
    "velocity: [0.3, 0.1, 0], shape: {type: box, size: [0.1, 0.1, 0.1]}}\n"
    "  ball: {mass: 0.5, inertia: [0.001, 0.001, 0.001], at: [-0.08, 0.02, 0.2], shape: {type: sphere, radius: 0.05}}\n"
    "  rod: {mass: 0.5, inertia: [0.003, 0.003, 0.0005], at: [0, 0.1, 0.4], orientation: {axis: [1, 0, 0], angle: 80 "
    "deg}, "
    "shape: {type: capsule, radius: 0.03, length: 0.2}}\n"
    "contacts: {all: {friction: 0.4, restitution: 0.3}}\n"
    "run: {method: nonsmooth, step: 1e-3, until: 1}\n";

static uint64_t run_hash(double until, bool look) {
    rigid r;
    rigid_text(&r, heap);
    while (jn_sim_state(r.sim)->t < until) {
        assert_int_equal(jn_sim_step(r.sim, until), JN_OK);
        if (look) {
            rigid_energy(&r);
            jn_sim_audit(r.sim);
        }
    }
    uint64_t hash = jn_state_hash(jn_sim_state(r.sim));
    assert_true(r.impacts > 5);
    rigid_close(&r);
    return hash;
}

static void same_bits_again(void **state) {
    (void)state;
    uint64_t first = run_hash(1, false);
    assert_true(first == run_hash(1, false));
    assert_true(first == run_hash(1, true));
}

/* A copy of the state in another simulation goes on with the same bits, warm start included. */
static void copy_goes_on(void **state) {
    (void)state;
    for (int k = 1; k < 10; k++) {
        rigid a, b;
        rigid_text(&a, heap);
        rigid_text(&b, heap);
        for (int n = 0; n < 70 * k; n++) assert_int_equal(jn_sim_step(a.sim, 2), JN_OK);
        jn_state_copy(jn_sim_state(b.sim), jn_sim_state(a.sim));
        jn_sim_restart(b.sim);
        for (int n = 0; n < 100; n++) {
            assert_int_equal(jn_sim_step(a.sim, 2), JN_OK);
            assert_int_equal(jn_sim_step(b.sim, 2), JN_OK);
            if (jn_state_hash(jn_sim_state(a.sim)) != jn_state_hash(jn_sim_state(b.sim)))
                fail_msg("copied after %d steps, other bits after %d more", 70 * k, n + 1);
        }
        rigid_close(&a);
        rigid_close(&b);
    }
}

/* The heap loses energy at every step but where it is reported, and settles. */
static void heap_settles(void **state) {
    (void)state;
    rigid r;
    rigid_text(&r, heap);
    rigid_go(&r, 2);
    const jn_audit *a = jn_sim_audit(r.sim);
    print_message("rise %.3g J, residual %.3g J, penetration %.3g m, %d events, %ld unsolved\n", r.rise,
                  a->max_energy_residual, a->max_penetration, r.events, a->unsolved);
    assert_below(r.given, a->contact_gain + rigid_shown(&r)); /* what Newton's law gains is reported */
    assert_below(a->max_penetration, 1e-7);
    assert_int_equal(a->unsolved, 0);
    if (!a->ok) print_error("%s\n", a->verdict);
    assert_true(a->ok || a->contact_gain > 0);
    rigid_close(&r);
}

/* ------------------------------------------------------------------------------------------------------- bad input */

static void refused(const char *contact, const char *run, const char *height, const char *message) {
    char text[1024], found[1400] = "";
    jn_report report = {0};
    snprintf(
        text, sizeof text,
        "bodies:\n  ground: {shape: {type: plane}}\n"
        "  ball: {mass: 1, inertia: [1, 1, 1], com: [0, 0, %s], shape: {type: sphere, radius: 0.1, at: [0, 0, %s]}}\n"
        "contacts: {floor: {between: [ground, ball]%s}}\nrun: {method: nonsmooth, until: 0.1%s}\n",
        height, height, contact, run);
    jn_model *m = text_model(text, &report);
    jn_sim *sim = m ? jn_sim_create(m, &report) : NULL;
    if (!message) {
        check_report(&report);
        assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
    } else {
        assert_null(sim);
        assert_true(report.errors > 0);
        jn_error_format(&report.item[0], found, sizeof found);
        if (!strstr(found, message)) print_error("found '%s', expected '%s'\n", found, message);
        assert_non_null(strstr(found, message));
    }
    jn_sim_free(sim);
    jn_model_free(m);
}

static void bad_input_is_named(void **state) {
    (void)state;
    refused("", ", scheme: moreau", "0.1", "moreau_jean, moreau_midpoint");
    refused("", ", solver: magic", "0.1", "there is no solver 'magic'");
    refused("", ", theta: 0.3", "0.1", "'theta' lies between 0.5 and 1, not at 0.3");
    refused("", ", theta: 1.1", "0.1", "'theta' lies between 0.5 and 1, not at 1.1");
    refused("", ", threads: 2", "0.1", "there is no key 'threads' any more: the machine says how many");
    refused("", ", order: 3", "0.1", "'order' is 2, 4 or 6, not 3");
    refused("", ", step: 0", "0.1", "'step' must be greater than 0");
    refused("", ", residual: 0", "0.1", "'residual' must be greater than 0");
    refused("", ", penetration: 0", "0.1", "'penetration' must be greater than 0");
    refused("", "", "0.09", "bodies 'ground' and 'ball' overlap by 0.01 m at the start");
    refused(", restitution: 1.5", "", "0.1", "restitution");
    refused("", "", "0.1", NULL);                                                /* no restitution: none is returned */
    refused(", law: flores, stiffness: 1e8, restitution: 0.5", "", "0.1", NULL); /* as for the compliant method */
    refused(", friction: {law: lugre, dynamic: 0.3, sigma0: 1e5, sigma1: 300}", "", "0.1", NULL);
    refused("", "", "0.0999995", NULL); /* drawn to a few digits */
}

/* After every step the contact cache has the points of the step, one for one. Where triangles meet along an edge two points of a pair may show one feature, of which the cache had another one
 * besides: that one is gone, and the other must not take its place. */
static void cache_has_the_points_of_the_step(void **state) {
    (void)state;
    static const char triangles[] =
        "plane: xy\noverlaps: ignore\nbodies:\n"
        "  ground: {shapes: [{type: half_plane, normal: [0.1, 1]}]}\n"
        "  b1: {mass: 0.853263, at: [0.1106, 0.0700], shape: {type: circle, radius: 0.05}}\n"
        "  b2: {mass: 0.425224, at: [0.2208, 0.0800], shape: {type: circle, radius: 0.04}}\n"
        "  b3: {mass: 1.30982, at: [0.3310, 0.0900], velocity: [-0.55, -1.80], angular_velocity: -3.69,\n"
        "       shape: {type: polygon, points: [[-0.04, -0.03], [0.05, -0.03], [0, 0.05]]}}\n"
        "  b4: {mass: 0.457967, at: [0.4428, 0.1000], velocity: [-0.36, -1.24], angular_velocity: -3.20,\n"
        "       shape: {type: polygon, points: [[-0.04, -0.03], [0.05, -0.03], [0, 0.05]]}}\n"
        "contacts: {mat: {restitution: 0.2}}\n"
        "run: {method: nonsmooth, step: 1 ms, until: 2}\n";
    rigid r;
    int points = 0, shared = 0;
    rigid_text(&r, triangles);
    while (jn_sim_state(r.sim)->t < 2) {
        assert_int_equal(jn_sim_step(r.sim, 2), JN_OK);
        const jn_contact_set *set = &r.sim->nonsmooth->set;
        const jn_state *s = jn_sim_state(r.sim);
        assert_int_equal(s->contact_count, set->count);
        for (int i = 0; i < set->count; i++, points++) {
            const jn_contact_point *h = &set->point[i];
            const jn_contact_state *c = &s->contact[i];
            assert_true(c->a == h->a && c->b == h->b && c->feature == h->feature);
            shared += i > 0 && h[-1].a == h->a && h[-1].b == h->b && h[-1].feature == h->feature;
        }
    }
    print_message("%d points of contact, %d with the feature of the one before\n", points, shared);
    assert_true(shared > 0);
    rigid_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_again), cmocka_unit_test(copy_goes_on),
                                       cmocka_unit_test(heap_settles), cmocka_unit_test(cache_has_the_points_of_the_step), cmocka_unit_test(bad_input_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What passes by does not touch, and what is read of a simulation, or where it is stopped, does not change it. */
#include "rigid.h"
#include "scenes.h"

/* [m] least distance of the point p + t v, t in [0, end], from a post that stands below y = 0 between x = -0.01 and 0.01. */
static double nearest(const double p[2], const double v[2], double end) {
    double least = INFINITY;
    for (int k = 0; k <= 40000; k++) {
        double t = end * k / 40000, x = p[0] + t * v[0], y = p[1] + t * v[1];
        double dx = fmax(fabs(x) - 0.01, 0), dy = fmax(y, 0);
        least = fmin(least, sqrt(dx * dx + dy * dy));
    }
    return least;
}

/* Discs fly past the upper corners of a post, or against them; the scene is turned and shifted. Those that pass keep their velocity, the others do not. */
static void discs_pass_corners(void **state) {
    (void)state;
    static const double restitution[] = {0, 0.5, 1};
    uint64_t seed = 7;
    int passed = 0, met = 0;
    for (int k = 0; k < 300; k++) {
        double a[8], r = 0.02, end = 0.05;
        for (int i = 0; i < 8; i++) a[i] = scene_random(&seed);
        double speed = 16 + 14 * a[0], slope = 0.3 * a[1], aside = r + 0.015 * a[2], turn = 3 * a[3],
               at[2] = {5 * a[4], 5 * a[5]};
        double v[2] = {speed * cos(slope), speed * sin(slope)};
        double p[2] = {-(0.5 + 0.1 * a[6]) * end * v[0], aside - (0.5 + 0.1 * a[6]) * end * v[1]};
        double way = nearest(p, v, end), c = cos(turn), s = sin(turn);
        char text[900];
        snprintf(text, sizeof text,
                 "plane: xy\ngravity: none\nbodies:\n"
                 "  ground: {shapes: [{type: rectangle, size: [0.02, 1], at: [%.17g, %.17g], orientation: %.17g}]}\n"
                 "  disc: {mass: 1, inertia: 2e-4, at: [%.17g, %.17g], velocity: [%.17g, %.17g], shape: {type: circle, "
                 "radius: 0.02}}\n"
                 "contacts: {c: {friction: 0.2, restitution: %g}}\nrun: {method: nonsmooth, step: 1 ms, until: 0.05}\n",
                 at[0] + 0.5 * s, at[1] - 0.5 * c, turn, at[0] + c * p[0] - s * p[1], at[1] + s * p[0] + c * p[1],
                 c * v[0] - s * v[1], s * v[0] + c * v[1], restitution[k % 3]);
        rigid m;
        rigid_text(&m, text);
        rigid_go(&m, end);
        const double *u = jn_sim_state(m.sim)->u;
        double change = hypot(u[0] - (c * v[0] - s * v[1]), u[1] - (s * v[0] + c * v[1]));
        if (way > r + 1e-5) {
            passed++;
            if (change > 1e-9)
                print_message("scene %d passes by %.3g m, and its velocity changes by %.3g m/s\n", k, way - r, change);
            assert_below(change, 1e-9);
        } else if (way < r - 1e-3) {
            met++;
            if (!(change > 1e-3)) print_message("scene %d overlaps by %.3g m, and its velocity stays\n", k, r - way);
            assert_true(change > 1e-3);
        }
        rigid_close(&m);
    }
    print_message("%d passed, %d met the post\n", passed, met);
    assert_true(passed > 60 && met > 60);
}

/* A blade turns about its middle, past a post that begins beyond its reach. */
static void blades_pass_a_post(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int k = 0; k < 100; k++) {
        double w = 60 + 50 * scene_random(&seed), apart = 0.013 + 0.012 * scene_random(&seed),
               from = 3 * scene_random(&seed);
        double reach = hypot(0.5, 0.005);
        char text[700];
        snprintf(text, sizeof text,
                 "plane: xy\ngravity: none\nbodies:\n"
                 "  ground: {shapes: [{type: rectangle, size: [0.004, 1], at: [0, %.17g]}]}\n"
                 "  blade: {mass: 1, inertia: 0.1, at: [0, 0], orientation: %.17g, angular_velocity: %.17g, shape: "
                 "{type: rectangle, size: [1, 0.01]}}\n"
                 "contacts: {c: {friction: 0, restitution: %g}}\nrun: {method: nonsmooth, step: 1 ms, until: 0.2}\n",
                 -reach - apart - 0.5, from, w, k % 2 ? 0.5 : 0.0);
        rigid r;
        rigid_text(&r, text);
        rigid_go(&r, 0.2);
        assert_below(fabs(jn_sim_state(r.sim)->u[2] - w), 1e-9 * w);
        assert_int_equal(r.impacts, 0);
        rigid_close(&r);
    }
}

/* A ball that comes near a thin wall where a step was cut short for the end of a call: that step looked less far, the next one must not. */
static void short_steps_do_not_blind(void **state) {
    (void)state;
    for (int from = 0; from < 24; from++) {
        char text[2000];
        int n = snprintf(text, sizeof text,
                         "gravity: none\nbodies:\n  ground: {shape: {type: box, size: [0.01, 2, 2], at: [1, 0, 0]}}\n"
                         "  fast: {mass: 1, inertia: [1e-4, 1e-4, 1e-4], at: [%g, 0, 0], velocity: [60, 0, 0], shape: "
                         "{type: sphere, radius: 0.02}}\n",
                         0.61 + 0.005 * from);
        for (int k = 0; k < 7; k++)
            n += snprintf(
                text + n, sizeof text - (size_t)n,
                "  b%d: {mass: 1, inertia: [1e-4, 1e-4, 1e-4], at: [-3, %d, 0], shape: {type: sphere, radius: 0.02}}\n",
                k, k);
        snprintf(text + n, sizeof text - (size_t)n,
                 "contacts: {c: {friction: 0, restitution: 0.5}}\nrun: {method: nonsmooth, step: 1 ms, until: 1}\n");
        rigid r;
        rigid_text(&r, text);
        assert_int_equal(jn_sim_advance(r.sim, 0.0041), JN_OK);
        assert_int_equal(jn_sim_advance(r.sim, 0.02), JN_OK);
        assert_below(fabs(jn_sim_state(r.sim)->u[0] + 30), 1e-9);
        rigid_close(&r);
    }
}

/* A body that turns by radians in a step: parts of a composition fail, which goes beyond the end of the step and back. */
static void compositions_end_in_time(void **state) {
    (void)state;
    for (int k = 0; k < 5; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "gravity: none\nbodies: {top: {mass: 1, inertia: [1e-3, 2e-3, 2.5e-3], at: [0, 0, 0], "
                 "angular_velocity: [100, %d, 50]}}\n"
                 "run: {method: nonsmooth, step: 1 ms, order: 4, until: 1}\n",
                 3000 + 500 * k);
        rigid r;
        rigid_text(&r, text);
        assert_true(jn_sim_advance(r.sim, 0.01) >= 0);
        assert_true(jn_sim_state(r.sim)->t == 0.01);
        rigid_close(&r);
    }
}

/* Driven by a function of time; its channels are read, or not. */
static uint64_t driven(bool read) {
    rigid r;
    rigid_text(&r, "plane: xy\ngravity: [0, -9.81]\nbodies:\n  ground: {shape: {type: half_plane}}\n  arm: {mass: 1, "
                   "inertia: 0.1, com: [0.5, 1]}\n"
                   "  ball: {mass: 1, inertia: 4e-4, com: [1, 1], shape: {type: circle, radius: 0.02, at: [1, 1]}}\n"
                   "joints: {crank: {type: revolute, between: [ground, arm], at: [0, 1], motion: 0.9*sin(7*t)}, pin: "
                   "{type: revolute, between: [arm, ball], at: [1, 1]}}\n"
                   "contacts: {c: {friction: 0.3}}\nrun: {method: nonsmooth, step: 1.1 ms, until: 1}\n");
    for (int k = 0; k < 300; k++) {
        assert_true(jn_sim_step(r.sim, 1) >= 0);
        if (read) rigid_energy(&r);
    }
    uint64_t hash = jn_state_hash(jn_sim_state(r.sim));
    rigid_close(&r);
    return hash;
}

static void reading_changes_no_bit(void **state) {
    (void)state;
    assert_true(driven(true) == driven(false));
}

/* A controller that fails once. */
typedef struct faulty {
    int calls, bad; /* so far; the one that fails */
} faulty;

static void fail_once(void *context, const jn_model *m, const jn_state *s, double *tau) {
    faulty *f = context;
    (void)m, (void)s;
    if (f->calls++ == f->bad) tau[0] = NAN;
}

/* A force that is no number ends the step, or the run, and leaves none in the state. */
static void no_nan_travels_on(void **state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        rigid r;
        rigid_text(&r, "bodies:\n  ground: {shape: {type: plane}}\n"
                       "  box: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [0, 0, 0.1], velocity: [1, 0, 0], shape: "
                       "{type: box, size: [0.2, 0.2, 0.2]}}\n"
                       "contacts: {c: {friction: 0.3}}\nrun: {method: nonsmooth, step: 1 ms, until: 1}\n");
        faulty f = {.bad = 10 + k};
        jn_sim_on_control(r.sim, fail_once, &f);
        jn_sim_advance(r.sim, 0.1);
        const jn_state *s = jn_sim_state(r.sim);
        assert_true(f.calls > f.bad);
        for (int i = 0; i < jn_model_nq(r.m); i++) assert_true(isfinite(s->q[i]));
        for (int i = 0; i < jn_model_nv(r.m); i++) assert_true(isfinite(s->u[i]));
        for (int i = 0; i < s->contact_count; i++) {
            const jn_stepping_state *c = &s->contact[i].stepping;
            assert_true(isfinite(c->force + c->impulse.x + c->predicted_gap + c->slip_speed + c->predicted_shift.x +
                                 c->slip_start.x));
        }
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discs_pass_corners),       cmocka_unit_test(blades_pass_a_post),
        cmocka_unit_test(short_steps_do_not_blind), cmocka_unit_test(compositions_end_in_time),
        cmocka_unit_test(reading_changes_no_bit),   cmocka_unit_test(no_nan_travels_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The momentum leapfrog: measured orders, momentum of isolated systems, energy over many steps, and what decides the next step. */
#include "rigid.h"
#include "scenes.h"
#include <jounce/jounce.h>

/* ---------------------------------------------------------------------------------------------------------- orders */

typedef struct motion {
    const char *name, *text; /* with a place for "run: {...}" at its end */
    double until;
} motion;

#define BALL "shape: {type: sphere, radius: 0.1}"
#define DISC "shape: {type: circle, radius: 0.1}"
#define BAR "mass: 1, inertia: [0.01, 0.08, 0.09]"

static const motion motions[] = {
    {"free top",
     "gravity: none\nbodies:\n  a: {mass: 1, inertia: [1, 2, 3], angular_velocity: [1, 5, 1], " BALL "}\n", 0.5},
    {"double pendulum",
     "bodies:\n  a: {" BAR ", com: [0.5, 0, 0], " BALL "}\n  b: {" BAR ", com: [1.5, 0, 0]}\n"
     "joints:\n  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}\n"
     "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y}\n",
     0.5},
    {"chain of four joint types",
     "bodies:\n  a: {" BAR ", com: [0.5, 0, 0], " BALL "}\n  b: {" BAR ", com: [1.5, 0, 0]}\n  c: {" BAR
     ", com: [2.5, 0, 0]}\n"
     "  d: {" BAR ", com: [3.5, 0, 0]}\n"
     "joints:\n  p: {type: spherical, between: [ground, a], at: [0, 0, 0]}\n"
     "  q: {type: universal, between: [a, b], at: [1, 0, 0], axes: [y, z]}\n"
     "  r: {type: screw, between: [b, c], at: [2, 0, 0], axis: x, pitch: 0.05}\n"
     "  s: {type: cylindrical, between: [c, d], at: [3, 0, 0], axis: [0.6, 0, 0.8]}\n",
     0.3},
    {"closed loop",
     "plane: xy\nbodies:\n  a: {mass: 1, inertia: 0.1, com: [-0.5, 0], " DISC
     "}\n  b: {mass: 1, inertia: 0.1, com: [-0.5, 0.25]}\n"
     "  c: {mass: 1, inertia: 0.1, com: [0.5, 0.25]}\n"
     "joints:\n  i: {type: revolute, between: [ground, a], at: [0, 0]}\n"
     "  j: {type: revolute, between: [a, b], at: [-1, 0]}\n  k: {type: revolute, between: [b, c], at: [0, 0.5]}\n"
     "  l: {type: revolute, between: [ground, c], at: [1, 0]}\n",
     0.3},
    {"driven joint",
     "bodies:\n  a: {" BAR ", com: [0.5, 0, 0], " BALL "}\n  b: {" BAR ", com: [1.5, 0, 0]}\n"
     "joints:\n  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, motion: 0.5*sin(4*t)}\n"
     "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y}\n",
     0.5},
    {"damper and soft spring on a joint",
     "bodies:\n  a: {" BAR ", com: [0.5, 0, 0], " BALL "}\n  b: {" BAR ", com: [1.5, 0, 0]}\n"
     "joints:\n  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y, stiffness: 5, damping: 0.3}\n"
     "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y, damping: 0.2}\n",
     0.5},
    {"stiff spring between bodies",
     "gravity: none\nbodies:\n  a: {" BAR ", com: [0, 0, 0], velocity: [0, 1, 0], " BALL "}\n"
     "  b: {" BAR ", com: [1, 0, 0], velocity: [0, -1, 0.3]}\n"
     "forces: {s: {type: spring, between: [a, b], ends: [[0, 0.1, 0], [1, 0, 0.1]], rest: 0.9, stiffness: 100}}\n",
     0.25},
};

/* State after the time t by steps of h; h = 0: a fine run of dopri45. */
static void run_motion(const motion *p, double h, double *q, double *u, int *nq, int *nv) {
    char text[2048];
    rigid r;
    int n = snprintf(text, sizeof text, "%s", p->text);
    if (h > 0)
        snprintf(text + n, sizeof text - (size_t)n,
                 "run: {method: nonsmooth, order: 2, step: %.17g, residual: 1e-12 m/s}\n", h);
    else
        snprintf(text + n, sizeof text - (size_t)n, "run: {method: smooth, integrator: dopri45, tolerance: 1e-13}\n");
    rigid_text(&r, text);
    assert_int_equal(jn_sim_advance(r.sim, p->until), JN_OK);
    *nq = jn_model_nq(r.m), *nv = jn_model_nv(r.m);
    memcpy(q, jn_sim_state(r.sim)->q, (size_t)*nq * sizeof *q);
    memcpy(u, jn_sim_state(r.sim)->u, (size_t)*nv * sizeof *u);
    rigid_close(&r);
}

static double farthest(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* Second order in positions and velocities, against a fine run of the same scheme that dopri45 confirms. */
static void orders(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) {
        double q[4][64], u[4][64], off[2][2];
        int nq, nv;
        run_motion(&motions[k], 0, q[3], u[3], &nq, &nv);
        run_motion(&motions[k], motions[k].until / 2560, q[2], u[2], &nq, &nv);
        assert_below(farthest(q[2], q[3], nq), 1e-5);
        for (int n = 0; n < 2; n++) {
            run_motion(&motions[k], motions[k].until / (n ? 80 : 40), q[n], u[n], &nq, &nv);
            off[n][0] = farthest(q[n], q[2], nq), off[n][1] = farthest(u[n], u[2], nv);
        }
        double position = log2(off[0][0] / off[1][0]), velocity = log2(off[0][1] / off[1][1]);
        print_message("%-34s positions off by %.1e, order %.2f; velocities by %.1e, order %.2f\n", motions[k].name,
                      off[1][0], position, off[1][1], velocity);
        assert_near(position, 2, 0.1), assert_near(velocity, 2, 0.1);
    }
}

/* Sliding with a slip that turns: a flat box on a slope, thrown across it, against steps eight times shorter. */
static void sliding_is_of_second_order(void **state) {
    (void)state;
    double x[3], h[3] = {4e-3, 2e-3, 2.5e-4};
    for (int n = 0; n < 3; n++) {
        char model[1024];
        rigid r;
        snprintf(model, sizeof model,
                 "gravity: [3, 0, -9.81]\nbodies:\n  ground: {shape: {type: plane}}\n"
                 "  puck: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 1e-3], velocity: [0, 2, 0],\n"
                 "         shape: {type: box, size: [0.4, 0.4, 2e-3], at: [0, 0, 1e-3]}}\n"
                 "contacts: {all: {friction: 0.3}}\nrun: {method: nonsmooth, step: %.17g, residual: 1e-12 m/s}\n",
                 h[n]);
        rigid_text(&r, model);
        assert_int_equal(jn_sim_advance(r.sim, 0.4), JN_OK);
        x[n] = rigid_body(&r, 1).position.x;
        rigid_close(&r);
    }
    double order = log2(fabs((x[0] - x[2]) / (x[1] - x[2])));
    print_message("puck: off by %.1e m, order %.2f\n", x[1] - x[2], order);
    assert_near(order, 2, 0.15);
}

/* -------------------------------------------------------------------------------------------------------- momentum */

/* Ten bodies without gravity or ground: joints of three kinds, springs, a stop, a clearance joint, contacts. */
static void write_isolated(char *text, size_t size, const char *coordinates, double step) {
    int n = snprintf(text, size, "coordinates: %s\ngravity: none\nbodies:\n", coordinates);
    unsigned seed = 4242;
    for (int b = 0; b < 10; b++) {
        double a[9];
        for (int k = 0; k < 9; k++) seed = seed * 1664525 + 1013904223, a[k] = 2.0 * seed / 4294967296.0 - 1;
        n += snprintf(
            text + n, size - (size_t)n,
            "  b%d: {mass: %.3f, inertia: [0.02, 0.03, 0.04], com: [%.3f, %.3f, %.3f], velocity: [%.3f, %.3f, "
            "%.3f], angular_velocity: [%.3f, %.3f, 0],\n"
            "       shape: {type: sphere, radius: 0.12, at: [%.3f, %.3f, %.3f]}}\n",
            b, 1.5 + a[0], 0.3 * b, 0.1 * a[1], 0.1 * a[2], b < 5 ? 0.0 : -0.6 + 0.2 * a[3], b < 5 ? 0 : 0.2 * a[4],
            b < 5 ? 0 : 0.2 * a[5], b < 5 ? 0 : a[6], b < 5 ? 0 : a[7], 0.3 * b, 0.1 * a[1], 0.1 * a[2]);
    }
    snprintf(
        text + n, size - (size_t)n,
        "joints:\n  j0: {type: revolute, between: [b0, b1], at: [0.15, 0, 0], axis: z, upper: 0.1, lower: -0.1}\n"
        "  j1: {type: spherical, between: [b1, b2], at: [0.45, 0, 0]}\n"
        "  j2: {type: universal, between: [b2, b3], at: [0.75, 0, 0], axes: [y, z]}\n"
        "  j3: {type: spherical_clearance, between: [b3, b4], at: [1.05, 0, 0], bearing: 0.02, clearance: 2e-3, "
        "contact: c}\n"
        "forces:\n  s0: {type: spring, between: [b4, b5], ends: [[1.2, 0, 0.05], [1.5, 0.05, 0]], stiffness: 200, "
        "damping: 1}\n"
        "  s1: {type: spring, between: [b6, b7], ends: [[1.8, 0, 0.05], [2.1, 0.05, 0]], stiffness: 2e5, damping: 10}\n"
        "contacts: {c: {restitution: 0.5, friction: 0.4}, all: {restitution: 0.5, friction: 0.4}}\n"
        "run: {method: nonsmooth, step: %.9g, until: 10}\n",
        step);
}

static void momentum_is_kept(void **state) {
    (void)state;
    static const double steps[] = {1e-4, 1e-3, 1e-2};
    for (int k = 0; k < 6; k++) {
        char text[8192];
        rigid r;
        write_isolated(text, sizeof text, k % 2 ? "absolute" : "relative", steps[k / 2]);
        rigid_text(&r, text);
        jn_momentum a = jn_momentum_get(r.m, jn_sim_work(r.sim), jn_sim_state(r.sim), NULL);
        jn_vec3 L = v3_add(a.angular, v3_cross(a.com, a.linear));
        double linear = 0, angular = 0, size = 0;
        for (int n = 0; n < 1000; n++) {
            assert_int_equal(jn_sim_step(r.sim, 100), JN_OK);
            jn_momentum b = jn_momentum_get(r.m, jn_sim_work(r.sim), jn_sim_state(r.sim), NULL);
            jn_vec3 now = v3_add(b.angular, v3_cross(b.com, b.linear));
            linear = fmax(linear, v3_norm(v3_sub(b.linear, a.linear)));
            angular = fmax(angular, v3_norm(v3_sub(now, L)));
            size = fmax(size, v3_norm(b.com) * v3_norm(b.linear));
        }
        print_message("%s, %g s: %d impacts, linear off by %.1e of %.2f, angular by %.1e of %.2f\n",
                      k % 2 ? "absolute" : "relative", steps[k / 2], r.impacts, linear, v3_norm(a.linear), angular,
                      v3_norm(L));
        if (k > 1) assert_true(r.impacts > 3);
        assert_below(linear, 1e-12 * v3_norm(a.linear));
        assert_below(angular, 1e-12 * fmax(size, v3_norm(L)));
        rigid_close(&r);
    }
}

/* Three rods in a triangle that is nearly flat, by a share `flat` of its length, flying and turning. */
static void write_flat_loop(char *text, size_t size, const char *coordinates, double step, double flat, uint64_t *seed) {
    double corner[3][2] = {{0, 0}, {1, 0}, {0.5 + 0.3 * scene_random(seed), flat}}, w[3], v[3];
    int n = snprintf(text, size, "gravity: none\ncoordinates: %s\nbodies:\n", coordinates);
    for (int k = 0; k < 3; k++) w[k] = scene_random(seed), v[k] = scene_random(seed);
    for (int i = 0; i < 3; i++) {
        const double *a = corner[i], *b = corner[(i + 1) % 3], x = 0.5 * (a[0] + b[0]), y = 0.5 * (a[1] + b[1]);
        n += snprintf(text + n, size - (size_t)n,
                      "  b%d: {mass: %.9g, inertia: [0.035, 0.045, 0.05], com: [%.17g, %.17g, 0], velocity: [%.17g, %.17g, "
                      "%.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n",
                      i, 1.2 + 0.7 * scene_random(seed), x, y, v[0] - w[2] * y, v[1] + w[2] * x,
                      v[2] + w[0] * y - w[1] * x, w[0], w[1], w[2]);
    }
    n += snprintf(text + n, size - (size_t)n, "joints:\n");
    for (int i = 0; i < 3; i++) {
        const double *b = corner[(i + 1) % 3];
        n += snprintf(text + n, size - (size_t)n, "  j%d: {type: spherical, between: [b%d, b%d], at: [%.17g, %.17g, 0]}\n",
                      i, i, (i + 1) % 3, b[0], b[1]);
    }
    snprintf(text + n, size - (size_t)n, "run: {method: nonsmooth, order: 2, step: %.9g, until: 10}\n", step);
}

/* Loops of which constraints nearly repeat each other: 400 steps of random ones, by the audit. */
static void nearly_singular_loops_keep_momentum(void **state) {
    (void)state;
    static const double steps[] = {1e-4, 1e-3, 1e-2};
    for (int k = 0; k < 6; k++) {
        double linear = 0, angular = 0;
        uint64_t seed = 5;
        for (int n = 0; n < 30; n++) {
            char text[4096];
            rigid r;
            write_flat_loop(text, sizeof text, k % 2 ? "absolute" : "relative", steps[k / 2], pow(10, -1 - n % 7), &seed);
            rigid_text(&r, text);
            for (int i = 0; i < 400; i++) assert_int_equal(jn_sim_step(r.sim, 100), JN_OK);
            const jn_audit *a = jn_sim_audit(r.sim);
            linear = fmax(linear, a->max_momentum_residual / a->momentum_size);
            angular = fmax(angular, a->max_angular_momentum_residual / a->angular_momentum_size);
            rigid_close(&r);
        }
        print_message("%s, %g s: 30 flat loops, linear momentum off by %.1e, angular by %.1e\n",
                      k % 2 ? "absolute" : "relative", steps[k / 2], linear, angular);
        double allowed = k % 2 ? 2e-11 : 1e-14; /* impulses of joints that nearly repeat each other are large, and cancel but for round-off */
        assert_below(linear, allowed);
        assert_below(angular, allowed);
    }
}

/* ---------------------------------------------------------------------------------------------------------- energy */

/* A double pendulum that turns over, 1e5 steps: the error of the energy stays in its band. */
static void energy_does_not_drift(void **state) {
    (void)state;
    rigid r;
    const char *steps = getenv("JN_TEST_STEPS");
    long count = steps ? strtol(steps, NULL, 10) : 100000;
    rigid_text(&r, "bodies:\n  a: {" BAR
                   ", com: [0.5, 0, 0], " BALL "}\n  b: {" BAR ", com: [1.5, 0, 0]}\n"
                   "joints:\n  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: y}\n"
                   "  q: {type: revolute, between: [a, b], at: [1, 0, 0], axis: y, damping: 0}\n"
                   "run: {method: nonsmooth, order: 2, step: 2e-3, until: 1e9}\n");
    double band[10] = {0};
    for (long n = 0; n < count; n++) {
        assert_int_equal(jn_sim_step(r.sim, 1e9), JN_OK);
        int tenth = (int)(10 * n / count);
        band[tenth] = fmax(band[tenth], fabs(rigid_energy(&r) - r.start));
    }
    print_message("%ld steps: energy off by %.3g J in the first tenth, %.3g J in the last, of %.3g J\n", count, band[0],
                  band[9], jn_sim_audit(r.sim)->energy_scale);
    assert_below(band[9], 2 * band[0]);
    rigid_close(&r);
}

/* ----------------------------------------------------------------------------------------------------------- state */

/* A copy of the state goes on with the same bits through impacts, joints and springs. */
static void copies_go_on(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[8192];
        rigid a, b;
        write_isolated(text, sizeof text, k ? "absolute" : "relative", 1e-3);
        rigid_text(&a, text), rigid_text(&b, text);
        for (int n = 0; n < 700; n++) {
            if (n % 97 == 13) jn_state_copy(jn_sim_state(b.sim), jn_sim_state(a.sim)), jn_sim_restart(b.sim);
            assert_int_equal(jn_sim_step(a.sim, 10), JN_OK);
            assert_int_equal(jn_sim_step(b.sim, 10), JN_OK);
            if (n > 13 && jn_state_hash(jn_sim_state(a.sim)) != jn_state_hash(jn_sim_state(b.sim)))
                fail_msg("other bits after %d steps", n + 1);
        }
        rigid_close(&a), rigid_close(&b);
    }
}

/* Rows between steps are interpolated: how many there are changes no bit of the motion. */
static void records_change_no_bit(void **state) {
    (void)state;
    static const char *const every[] = {"0.5", "1e-3", "3.7e-4"};
    double end[3] = {0};
    for (int k = 0; k < 3; k++) {
        char text[8192];
        jn_report report;
        write_isolated(text, sizeof text, "relative", 1e-3);
        snprintf(strstr(text, "until: 10"), 64, "until: 0.5}\nrecord: {every: %s}\n", every[k]);
        jn_model *m = text_model(text, &report);
        check_report(&report);
        jn_result *r = jn_run(m, NULL, NULL, NULL, &report);
        check_report(&report);
        end[k] = jn_result_at(r, "body.b3.x", 0.5);
        assert_true(isfinite(end[k]));
        jn_result_free(r), jn_model_free(m);
    }
    assert_true(end[0] == end[1] && end[0] == end[2]);
}

/* ---------------------------------------------------------------------------------------------------- times of events */

typedef struct lift {
    double separation, landing; /* [s] first ones; NAN: none */
} lift;

static void note_lift(void *context, const jn_event *e) {
    lift *l = context;
    if (!strcmp(e->kind, "separation") && isnan(l->separation)) l->separation = e->time;
    if (!strcmp(e->kind, "impact") && e->time > 0.01 && isnan(l->landing)) l->landing = e->time;
}

/* A part on a shaker leaves it where the table falls faster than it, and lands where the parabola of its flight meets the table: events carry
 * the time within the step. */
static void events_have_their_times(void **state) {
    (void)state;
    static const struct {
        double step, amplitude, separation, landing;
    } runs[] = {{1e-3, 2e-3, 2.512468e-3, 51.874e-3}, {2e-4, 2e-3, 2.512468e-3, 51.874e-3}, {2e-4, 3.1e-3, 1.604967e-3, 88.181e-3}};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        rigid r;
        lift l = {NAN, NAN};
        snprintf(text, sizeof text,
                 "bodies:\n  table: {mass: 10, com: [0, 0, 0], inertia: [1, 1, 1], shape: {type: box, size: [1, 1, 0.1], at: [0, 0, -0.05]}}\n"
                 "  part: {mass: 1, com: [0, 0, 0.05], inertia: [0.002, 0.002, 0.002],\n"
                 "         shape: {type: box, size: [0.1, 0.1, 0.1], at: [0, 0, 0.05]}}\n"
                 "joints:\n  shaker: {type: prismatic, between: [ground, table], along: z, motion: \"%g*sin(2*pi*20*t)\"}\n"
                 "contacts: {floor: {between: [table, part], friction: 0.3, restitution: 0}}\n"
                 "run: {method: nonsmooth, step: %g, until: 0.1}\n",
                 runs[k].amplitude, runs[k].step);
        rigid_text(&r, text);
        jn_sim_on_event(r.sim, note_lift, &l);
        assert_int_equal(jn_sim_advance(r.sim, 0.1), JN_OK);
        print_message("shaker, step %g s: separation off by %.1e s, landing by %.1e s\n", runs[k].step,
                      l.separation - runs[k].separation, l.landing - runs[k].landing);
        assert_near(l.separation, runs[k].separation, 0.1 * runs[k].step);
        assert_near(l.landing, runs[k].landing, 0.25 * runs[k].step);
        rigid_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders),           cmocka_unit_test(sliding_is_of_second_order),
                                       cmocka_unit_test(momentum_is_kept), cmocka_unit_test(energy_does_not_drift),
                                       cmocka_unit_test(nearly_singular_loops_keep_momentum),
                                       cmocka_unit_test(copies_go_on),     cmocka_unit_test(records_change_no_bit),
                                       cmocka_unit_test(events_have_their_times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Contact modes of method impact: isotropy, redundant points, static friction, pulses at rest, kinks, knots; against closed forms. */
#include "text_model.h"

#define G 9.81

typedef struct watch {
    double slip; /* [s] first slip; NaN: none yet */
    int slips, sticks, knots;
} watch;

static void keep(void *context, const jn_event *e) {
    watch *w = context;
    if (!strcmp(e->kind, "slip") && !(w->slip >= 0)) w->slip = e->time;
    w->slips += !strcmp(e->kind, "slip"), w->sticks += !strcmp(e->kind, "stick"), w->knots += !strcmp(e->kind, "knot");
}

static jn_body_motion motion_of(const jn_model *m, jn_sim *sim, int body) {
    jn_body_motion b;
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), body, &b);
    return b;
}

/* Runs a text to the time; the motion of its last body. */
static jn_body_motion run(const char *text, double until, watch *w) {
    jn_model *m;
    jn_sim *sim = text_sim(text, &m);
    *w = (watch){.slip = NAN};
    jn_sim_on_event(sim, keep, w);
    int status = jn_sim_advance(sim, until);
    if (status < 0) print_error("%s\n", jn_sim_error(sim)->text);
    assert_int_equal(status, JN_OK);
    const jn_audit *a = jn_sim_audit(sim);
    if (!a->ok) print_error("%s\n", a->verdict);
    assert_true(a->ok);
    jn_body_motion b = motion_of(m, sim, jn_model_bodies(m) - 1);
    jn_sim_free(sim), jn_model_free(m);
    return b;
}

/* A box of 1 kg pulled by a force that grows as t in 64 directions slips at mu m g, and slides (t - t0)^3/6 with equal coefficients. */
static void box_is_isotropic(void **state) {
    (void)state;
    for (int k = 0; k < 64; k++) {
        char text[800];
        double angle = 2 * M_PI * k / 64, t0 = 0.3 * G, mu_d = k % 2 ? 0.3 : 0.2, tau = 4 - t0;
        snprintf(
            text, sizeof text,
            "bodies: {ground: {shape: {type: plane}}, b: {mass: 1, inertia: [0.0333, 0.0866, 0.1133], at: [0, 0, 0.1], "
            "shape: {type: box, size: [1, 0.6, 0.2]}}}\n"
            "forces: {pull: {type: force, on: b, at: [0, 0, %g], force: [%.17g*t, %.17g*t, 0]}}\n"
            "contacts: {c: {between: [ground, b], friction: {dynamic: %g, static: 0.3}}}\n"
            "run: {method: impact, until: 4, tolerance: 1e-10}\n",
            k % 4 < 2 ? 0.1 : 0.0, cos(angle), sin(angle), mu_d);
        watch w;
        jn_body_motion b = run(text, 4, &w);
        double x = tau * tau * tau / 6 + (0.3 - mu_d) * G * tau * tau / 2;
        assert_near(w.slip, t0, 1e-9);
        assert_int_equal(w.slips, 4);
        assert_int_equal(w.sticks + w.knots, 0);
        assert_near(b.position.x, x * cos(angle), 1e-8);
        assert_near(b.position.y, x * sin(angle), 1e-8);
        assert_near(b.angular_velocity.z, 0, 1e-9);
    }
}

/* A standing cylinder, eight points: slips at mu m g, too. */
static void cylinder_sticks(void **state) {
    (void)state;
    watch w;
    jn_body_motion b =
        run("bodies: {ground: {shape: {type: plane}}, b: {mass: 2, inertia: [0.02, 0.02, 0.02], at: [0, 0, 0.05], "
            "shape: {type: cylinder, radius: 0.2, length: 0.1}}}\n"
            "forces: {pull: {type: force, on: b, at: [0, 0, 0], force: [0.6*4*t, 0.8*4*t, 0]}}\n"
            "contacts: {c: {between: [ground, b], friction: 0.25}}\n"
            "run: {method: impact, until: 2, tolerance: 1e-10}\n",
            2, &w);
    double t0 = 0.25 * 2 * G / 4, tau = 2 - t0;
    assert_near(w.slip, t0, 1e-9);
    assert_int_equal(w.slips, 8);
    assert_near(hypot(b.position.x, b.position.y), 4 * tau * tau * tau / 6 / 2, 1e-8);
}

/* A block in a plane that is pulled exactly in the contact plane, 47 scenes: at the height of the plane, by many forces. */
static void planar_blocks_slip(void **state) {
    (void)state;
    for (int k = 0; k < 47; k++) {
        char text[800];
        double m = 0.3 + 0.1 * k, mu_s = 0.1 + 0.01 * k, rate = 1 + 0.2 * k, t0 = mu_s * m * G / rate, until = t0 + 0.3;
        snprintf(text, sizeof text,
                 "plane: xy\nbodies: {ground: {shape: {type: half_plane}}, b: {mass: %.17g, inertia: 0.01, at: [0, "
                 "0.1], shape: "
                 "{type: rectangle, size: [1, 0.2]}}}\n"
                 "forces: {pull: {type: force, on: b, at: [0, 0], force: [%.17g*t, 0]}}\n"
                 "contacts: {c: {between: [ground, b], friction: {dynamic: %.17g, static: %.17g}}}\n"
                 "run: {method: impact, until: %.17g, tolerance: 1e-10}\n",
                 m, rate, k % 2 ? mu_s : 0.7 * mu_s, mu_s, until);
        watch w;
        jn_body_motion b = run(text, until, &w);
        double x = rate * 0.3 * 0.3 * 0.3 / 6 / m + (k % 2 ? 0 : 0.3 * mu_s) * G * 0.3 * 0.3 / 2;
        assert_near(w.slip, t0, 1e-9 * fmax(1, t0));
        assert_near(b.position.x, x, 1e-8);
    }
}

/* A block on a belt at speed v with a spring: sticks until k x = mu_s m g, then swings about mu_d m g/k until its speed is that of the belt again. */
static void belt_sticks_and_slips(void **state) {
    (void)state;
    double v = 0.2, k = 100, m = 1, mu_s = 0.5, mu_d = 0.3, w0 = sqrt(k / m);
    double t1 = mu_s * m * G / k / v, drop = (mu_s - mu_d) * m * G / k; /* first slip; above the centre of the swing */
    double swing = hypot(drop, v / w0), phase = atan2(v / w0, drop);    /* x = centre + swing cos(w0 t - phase) */
    double slip = (M_PI + 2 * phase) / w0;                              /* until its speed is v again */
    double stick = 2 * drop / v;                                        /* and on the belt to the next slip */
    watch w;
    char text[900];
    double until = t1 + 3 * (slip + stick) + 0.5 * slip;
    snprintf(
        text, sizeof text,
        "plane: xy\nbodies: {ground: {}, belt: {mass: 1, inertia: 1, shape: {type: half_plane}}, b: {mass: 1, inertia: "
        "0.01, at: [0, 0.05], velocity: [0.2, 0], shape: {type: rectangle, size: [0.5, 0.1]}}}\n"
        "joints: {drive: {type: prismatic, between: [ground, belt], along: x, motion: 0.2*t}}\n"
        "forces: {k: {type: spring, between: [ground, b], ends: [[-2, 0.05], [0, 0.05]], stiffness: 100, rest: 2}}\n"
        "contacts: {c: {between: [belt, b], friction: {dynamic: 0.3, static: 0.5}}}\n"
        "run: {method: impact, until: 9, tolerance: 1e-11}\n");
    jn_body_motion b = run(text, until, &w);
    assert_near(w.slip, t1, 1e-9);
    assert_int_equal(w.slips, 8); /* two corners, four times */
    assert_int_equal(w.sticks, 6);
    assert_near(b.position.x, mu_d * m * G / k + swing * cos(w0 * 0.5 * slip - phase), 1e-8);
}

/* A pulse of 2 ms on a block at rest, between outputs that are 4 s apart, by both adaptive integrators. */
static void pulse_is_not_missed(void **state) {
    (void)state;
    static const char *const runs[] = {"tolerance: 1e-10", "integrator: adams, tolerance: 1e-10"};
    static const char *const pulses[] = {"if((t > 1.3)*(t < 1.302), 50, 0)",
                                         "50*(heaviside(t - 1.3) - heaviside(t - 1.302))", "table(pulse, t)"};
    double v = (50 - 0.3 * G) * 0.002, x = v * 0.001 + v * v / (2 * 0.3 * G);
    for (int k = 0; k < 6; k++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "plane: xy\ntables: {pulse: [[0, 0], [1.2999999999, 0], [1.3, 50], [1.302, 50], [1.3020000001, 0], [3, "
            "0]]}\n"
            "bodies: {ground: {shape: {type: half_plane}}, b: {mass: 1, inertia: 0.01, at: [0, 0.1], shape: {type: "
            "rectangle, size: [1, 0.2]}}}\n"
            "forces: {pull: {type: force, on: b, at: [0, 0], force: [\"%s\", 0]}}\n"
            "contacts: {c: {between: [ground, b], friction: 0.3}}\nrun: {method: impact, until: 4, %s}\n",
            pulses[k / 2], runs[k % 2]);
        watch w;
        jn_body_motion b = run(text, 4, &w);
        assert_near(w.slip, 1.3, 1e-8);
        assert_near(b.position.x, x, 1e-8);
    }
}

/* With adams, static friction breaks when it should, also where internal steps pass outputs. */
static void adams_sees_forces(void **state) {
    (void)state;
    jn_model *m;
    jn_sim *sim = text_sim(
        "plane: xy\nbodies: {ground: {shape: {type: half_plane}}, b: {mass: 1, inertia: 0.01, at: [0, 0.1], shape: "
        "{type: rectangle, size: [1, 0.2]}}}\n"
        "forces: {pull: {type: force, on: b, at: [0, 0.1], force: [t, 0]}}\n"
        "contacts: {c: {between: [ground, b], friction: {dynamic: 0.2, static: 0.3}}}\n"
        "run: {method: impact, integrator: adams, until: 4, tolerance: 1e-10}\n",
        &m);
    for (int k = 1; k <= 40; k++) assert_int_equal(jn_sim_advance(sim, 0.1 * k), JN_OK);
    double tau = 4 - 0.3 * G;
    assert_near(motion_of(m, sim, 1).velocity.x, (16 - 0.09 * G * G) / 2 - 0.2 * G * tau, 1e-8);
    jn_sim_free(sim), jn_model_free(m);
}

/* A block on a slope of the angle of friction itself: rests or creeps, and the run ends, whatever rounding makes of it. */
static void critical_slope_ends(void **state) {
    (void)state;
    for (int k = 0; k < 20; k++) {
        char text[700];
        double a = 0.02 + 0.03 * k;
        snprintf(text, sizeof text,
                 "gravity: [%.17g, 0, %.17g]\nbodies: {ground: {shape: {type: plane}}, b: {mass: 1, inertia: [0.01, "
                 "0.01, 0.01], "
                 "at: [0, 0, 0.1], shape: {type: box, size: [0.5, 0.5, 0.2]}}}\n"
                 "contacts: {c: {between: [ground, b], friction: %.17g}}\nrun: {method: impact, until: 1}\n",
                 G * sin(a), -G * cos(a), tan(a));
        watch w;
        jn_body_motion b = run(text, 1, &w);
        assert_near(b.position.x, 0, 1e-8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(box_is_isotropic),    cmocka_unit_test(cylinder_sticks),
                                       cmocka_unit_test(planar_blocks_slip),  cmocka_unit_test(belt_sticks_and_slips),
                                       cmocka_unit_test(pulse_is_not_missed), cmocka_unit_test(adams_sees_forces),
                                       cmocka_unit_test(critical_slope_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Outside problems by the compliant method [OUTSIDE.md, contact and impact], each with several laws. What a law changes
 * against rigid contact is derived beside each test; tolerances hold the rest. */
#include "text_model.h"

static jn_body_motion motion_of(const jn_model *m, jn_sim *sim, int body) {
    jn_body_motion b;
    assert_int_equal(jn_sim_observe(sim), JN_OK);
    jn_body_motion_get(m, jn_sim_work(sim), body, &b);
    return b;
}

/* ------------------------------------------------------------------------------------------------ coefficient met */

/* e of 1 + e = ln[(1 + chi)/(1 - chi e)]/chi (docs/errata.md), by bisection. */
static double restitution_of(double chi) {
    double low = 0, high = chi > 1 ? 1 / chi : 1;
    if (chi == 0) return 1;
    for (int i = 0; i < 100; i++) {
        double e = 0.5 * (low + high);
        if (chi * (1 + e) > log((1 + chi) / (1 - chi * e)))
            low = e;
        else
            high = e;
    }
    return low;
}

typedef struct restitution_case {
    const char *law;
    bool exact;
    double (*chi)(double c); /* NULL: gives back what is put in */
} restitution_case;

static double hunt_crossley(double c) { return 1.5 * (1 - c); }
static double lankarani_nikravesh(double c) { return 0.75 * (1 - c * c); }
static double flores(double c) { return 1.6 * (1 - c) / c; }
static double gonthier(double c) { return (1 - c * c) / c; }
static double hu_guo(double c) { return 1.5 * (1 - c) / c; }

/* Two spheres, r 0.5, 1 kg, at 1 m/s each, along a slanting line: the law's own coefficient, equal and opposite. */
static void coefficient_is_met(void **state) {
    (void)state;
    static const restitution_case laws[] = {{"hunt_crossley", false, hunt_crossley},
                                            {"lankarani_nikravesh", false, lankarani_nikravesh},
                                            {"flores", false, flores},
                                            {"gonthier", false, gonthier},
                                            {"hu_guo", false, hu_guo},
                                            {"zhang_sharf", false, NULL},
                                            {"hunt_crossley", true, NULL},
                                            {"flores", true, NULL},
                                            {"kelvin_voigt", false, NULL}};
    static const double coefficients[] = {0, 0.25, 0.5, 0.75, 1};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++)
        for (int i = 0; i < 5; i++) {
            double c = coefficients[i], wanted = laws[k].chi ? restitution_of(laws[k].chi(c)) : c;
            bool zero = c == 0 && (!laws[k].chi || isinf(laws[k].chi(0)));
            if (zero) continue; /* refused; see below */
            char text[1024];
            jn_model *m;
            snprintf(
                text, sizeof text,
                "gravity: none\nbodies:\n"
                "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0, 0, 0], velocity: [0.36, 0.48, 0.8], "
                "shape: {type: sphere, radius: 0.5}}\n"
                "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.3636, 0.4848, 0.808], velocity: [-0.36, -0.48, "
                "-0.8], shape: {type: sphere, radius: 0.5, at: [0.3636, 0.4848, 0.808]}}\n"
                "contacts: {pair: {between: [a, b], law: %s, stiffness: 1e8, restitution: %g, exact: %s, mass: 0.5}}\n"
                "run: {integrator: dopri45, tolerance: 1e-12, until: 0.1}\n",
                laws[k].law, c, laws[k].exact ? "true" : "false");
            jn_sim *sim = text_sim(text, &m);
            assert_int_equal(jn_sim_advance(sim, 0.1), JN_OK);
            jn_body_motion a = motion_of(m, sim, 1), b = motion_of(m, sim, 2);
            double speed = 0.36 * b.velocity.x + 0.48 * b.velocity.y + 0.8 * b.velocity.z;
            double within = strcmp(laws[k].law, "kelvin_voigt") ? 1e-7 : 1e-6; /* its force jumps at both ends */
            if (fabs(speed - wanted) > within)
                print_error("%s, c = %g: %.9g, not %.9g\n", laws[k].law, c, speed, wanted);
            assert_near(speed, wanted, within);
            assert_near(a.velocity.x, -b.velocity.x, 1e-12);
            assert_near(b.velocity.x / 0.36, speed, 1e-9); /* central: no other component */
            assert_near(b.angular_velocity.x, 0, 1e-12);
            jn_sim_free(sim);
            jn_model_free(m);
        }
}

/* A law that would need infinite damping is refused, with what to write. */
static void no_law_returns_nothing(void **state) {
    (void)state;
    static const char *const laws[] = {"flores", "zhang_sharf", "hunt_crossley, exact: true"};
    for (int k = 0; k < 3; k++) {
        char text[512];
        jn_report report;
        snprintf(text, sizeof text,
                 "bodies:\n  ground: {shape: {type: plane}}\n  a: {mass: 1, inertia: [1, 1, 1], com: [0, 0, 1], shape: "
                 "{type: sphere, radius: 0.5, at: [0, 0, 1]}}\n"
                 "contacts: {pair: {between: [ground, a], law: %s, stiffness: 1e8, restitution: 0}}\n",
                 laws[k]);
        jn_model *m = text_model(text, &report);
        assert_non_null(m);
        assert_null(jn_sim_create(m, &report));
        assert_true(report.errors > 0);
        assert_non_null(strstr(report.item[0].text, "restitution"));
        jn_model_free(m);
    }
}

/* -------------------------------------------------------------------------------------------------- slide to rest */

/* A block on a plane, at 5 m/s. */
#define BLOCK                                                                                                          \
    "bodies:\n  ground: {shape: {type: plane}}\n"                                                                      \
    "  block: {mass: 1, inertia: [0.02, 0.02, 0.03], com: [0, 0, 0.1], velocity: [5, 0, 0], shape: {type: "            \
    "box, size: [0.4, 0.4, 0.2], at: [0, 0, 0.1]}}\n"

typedef struct slide_case {
    const char *normal, *friction;
    double extra; /* [m] what the friction law adds to the way */
    double bound; /* [m] what it may do in addition */
} slide_case;

/* Block 1 kg, 5 m/s, mu 0.5 on its four corners of stiffness K each, set down without load.
 *
 * While it slides m x'' = -mu N and m z'' = N - m g, so that x = V t - mu g t^2/2 - mu (z - z_0): sinking by mg/(4 K)
 * adds mu times that. tanh(v/v_0) adds v_0^2 int x (coth x - 1) dx/(mu g) = pi^2 v_0^2/(12 mu g). Bristles must be
 * stretched by mu/sigma0 before they hold, and spring back as far; stretching takes mu/(sigma0 V), while the dampers D
 * make the load 4 D g t, and sigma1 takes the impulse 4 sigma1 D g V [mu/(sigma0 V)]^2 from the block. At rest the tilt mu m g h/(4 K a^2) under the braking
 * force at the height h is released, the
 * centre goes back by h times that, and the block rocks with sqrt(4 K a^2/I) for a moment. */
static void slide_to_rest(void **state) {
    (void)state;
    const double mu = 0.5, g = 9.81, K = 1e6, h = 0.1, a = 0.2, pi = acos(-1);
    const double sink = mu * g / (4 * K), tilt = h * mu * g * h / (4 * K * a * a), rocking = sqrt(4 * K * a * a / 0.02);
    const double v0 = 1e-4, smooth = pi * pi * v0 * v0 / (12 * mu * g);
    const double V = 5, stretching = mu / (1e5 * V),
                 jolt = 4 * 300 * 500 * g * V * stretching * stretching; /* kg m/s */
    const slide_case cases[] = {
        {"kelvin_voigt, damping: 500", "{law: coulomb, dynamic: 0.5, v0: 0.1 mm/s}", smooth, 0},
        {"hunt_crossley, exponent: 1, restitution: 0.1, speed_floor: 1 mm/s",
         "{law: coulomb, dynamic: 0.5, v0: 0.1 mm/s}", smooth, 0},
        {"kelvin_voigt, damping: 500", "{law: brown_mcphee, dynamic: 0.5, v0: 0.1 mm/s}", smooth / 16, 0},
        {"kelvin_voigt, damping: 500", "{law: bengisu_akay, dynamic: 0.5, v0: 0.1 mm/s}", 0, smooth},
        {"kelvin_voigt, damping: 500", "{law: lugre, dynamic: 0.5, sigma0: 1e5, sigma1: 300}", -jolt * V / (mu * g),
         2 * mu / 1e5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 BLOCK "contacts: {floor: {between: [ground, block], law: %s, stiffness: %g, friction: %s}}\n"
                       "run: {integrator: bdf, tolerance: 1e-10, until: 1.1}\n",
                 cases[k].normal, K, cases[k].friction);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 1.0), JN_OK);
        double before = motion_of(m, sim, 1).velocity.x;
        assert_int_equal(jn_sim_advance(sim, 1.0195), JN_OK); /* 0.13 ms after 1.01936799185 s */
        double after = motion_of(m, sim, 1).velocity.x;
        assert_int_equal(jn_sim_advance(sim, 1.1), JN_OK);
        jn_body_motion b = motion_of(m, sim, 1);
        double way = 2.54841997961 + sink - tilt + cases[k].extra;
        print_message("%s %s: %.9f m, closed form %.9f; %.3g m/s aside\n", cases[k].normal, cases[k].friction,
                      b.position.x, way, b.velocity.y);
        assert_near(b.position.x, way, cases[k].bound + 1e-8);
        assert_near(before, V - mu * g, 1e-6 + (cases[k].bound > 1e-6 ? 1.5 * jolt : 0));
        assert_below(fabs(after), (tilt + cases[k].bound) * rocking + 1e-5);
        assert_near(b.position.y, 0, 1e-9);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* -------------------------------------------------------------------------------------------------- rolling sphere */

/* Sphere r 0.05 m, 0.1 kg down 15 deg for 1 s. About the contact point v + 2/5 r w = g t sin(15 deg) whatever the
 * friction; with the slip s = v - r w the speeds are 5/7 g t sin + 2/7 s and 5/7 (g t sin - s). Smoothed friction needs
 * the slip at which its coefficient is 2/7 tan(15 deg): s = v_0 atanh(2/7 tan(15 deg)/mu). Bristles need none. */
static void sphere_rolls(void **state) {
    (void)state;
    const double r = 0.05, mass = 0.1, mu = 0.5, angle = acos(-1) / 12, v0 = 1e-4;
    const double load = 2.0 / 7 * tan(angle) / mu, smooth = v0 * atanh(load);
    static const char *const normals[] = {"kelvin_voigt, stiffness: 1e8, damping: 1000",
                                          "hunt_crossley, exponent: 1, stiffness: 1e8, restitution: 0.2"};
    const struct {
        const char *friction;
        double slip;
    } frictions[] = {{"{law: coulomb, dynamic: 0.5, v0: 0.1 mm/s}", smooth},
                     {"{law: brown_mcphee, dynamic: 0.5, v0: 0.1 mm/s}", smooth / 4},
                     {"{law: lugre, dynamic: 0.5, sigma0: 1e6, sigma1: 1000}", 0}};
    for (int k = 0; k < 6; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 "gravity: [%.17g, 0, %.17g]\nbodies:\n  ground: {shape: {type: plane}}\n"
                 "  ball: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], com: [0, 0, 0.05], shape: {type: sphere, radius: "
                 "0.05, at: [0, 0, 0.05]}}\n"
                 "contacts: {floor: {between: [ground, ball], law: %s, friction: %s}}\n"
                 "run: {integrator: bdf, tolerance: 1e-11, until: 1}\n",
                 9.81 * sin(angle), -9.81 * cos(angle), normals[k / 3], frictions[k % 3].friction);
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
        jn_body_motion b = motion_of(m, sim, 1);
        double s = frictions[k % 3].slip, v = 1.813582023, w = 36.271640464;
        double friction = mass * (9.81 * sin(angle) - b.acceleration.x);
        double normal = mass * (9.81 * cos(angle) + b.acceleration.z);
        print_message("%s %s: v %.9f w %.8f friction %.9f normal %.9f\n", normals[k / 3], frictions[k % 3].friction,
                      b.velocity.x, b.angular_velocity.y, friction, normal);
        assert_near(b.velocity.x, v + 2.0 / 7 * s, 1e-8);
        assert_near(b.angular_velocity.y, w - 5.0 / 7 * s / r, 1e-7);
        assert_near(friction, 0.072543281, 1e-6);
        assert_near(normal, 0.947573236, 5e-6);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

/* --------------------------------------------------------------------------------------------------- no anisotropy */

/* Box 10 kg, mu 0.4, pushed with 60 N at any angle: after it has settled the speed grows by F/m - mu g. */
static void no_direction_is_preferred(void **state) {
    (void)state;
    static const char *const frictions[] = {"{law: coulomb, dynamic: 0.4, v0: 0.1 mm/s}",
                                            "{law: brown_mcphee, dynamic: 0.4, static: 0.5, v0: 0.1 mm/s}",
                                            "{law: lugre, dynamic: 0.4, sigma0: 1e5, sigma1: 300}"};
    static const double angles[] = {0, 10, 30, 45, 77, 123, 200, 300};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 8; i++) {
            double angle = angles[i] * acos(-1) / 180, c = cos(angle), s = sin(angle);
            char text[1024];
            jn_model *m;
            snprintf(
                text, sizeof text,
                "bodies:\n  ground: {shape: {type: plane}}\n"
                "  box: {mass: 10, inertia: [0.2, 0.2, 0.3], com: [0, 0, 0.1], shape: {type: box, size: [0.4, 0.4, "
                "0.2], at: [0, 0, 0.1]}}\n"
                "forces: {push: {type: force, on: box, at: [0, 0, 0.1], force: [%.17g, %.17g, 0]}}\n"
                "contacts: {floor: {between: [ground, box], law: kelvin_voigt, stiffness: 1e6, damping: 3000, "
                "friction: %s}}\n"
                "run: {integrator: bdf, tolerance: 1e-12, until: 1}\n",
                60 * c, 60 * s, frictions[k]);
            jn_sim *sim = text_sim(text, &m);
            assert_int_equal(jn_sim_advance(sim, 0.5), JN_OK);
            jn_vec3 before = motion_of(m, sim, 1).velocity;
            assert_int_equal(jn_sim_advance(sim, 1), JN_OK);
            jn_body_motion b = motion_of(m, sim, 1);
            double along = (c * (b.velocity.x - before.x) + s * (b.velocity.y - before.y)) / 0.5;
            double aside = (c * (b.velocity.y - before.y) - s * (b.velocity.x - before.x)) / 0.5;
            if (fabs(along - 2.076) > 1e-9 || fabs(aside) > 1e-9)
                print_error("%s at %g deg: %.3g too much along, %.3g aside\n", frictions[k], angles[i], along - 2.076,
                            aside);
            assert_near(along, 6 - 0.4 * 9.81, 1e-9);
            assert_near(aside, 0, 1e-9);
            jn_sim_free(sim);
            jn_model_free(m);
        }
}

/* A block that is set down slides on bristles from its first instant: they do not wait for a load, and at the strictest
 * tolerance no step is lost on the way from a gap of nothing to a depth. */
static void bristles_do_not_wait_for_a_load(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        jn_model *m;
        snprintf(text, sizeof text,
                 BLOCK "contacts: {floor: {between: [ground, block], law: kelvin_voigt, stiffness: 1e6, damping: 500, "
                       "friction: {law: %s, dynamic: 0.5}}}\n"
                       "run: {method: compliant, integrator: bdf, tolerance: 1e-12, until: 0.01}\n",
                 k ? "dahl" : "lugre");
        jn_sim *sim = text_sim(text, &m);
        assert_int_equal(jn_sim_advance(sim, 0.01), JN_OK);
        print_message("%s: %ld steps\n", k ? "dahl" : "lugre", jn_sim_audit(sim)->steps);
        assert_true(jn_sim_audit(sim)->steps < 1500);
        jn_sim_free(sim);
        jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(coefficient_is_met),
                                       cmocka_unit_test(no_law_returns_nothing),
                                       cmocka_unit_test(slide_to_rest),
                                       cmocka_unit_test(sphere_rolls),
                                       cmocka_unit_test(no_direction_is_preferred),
                                       cmocka_unit_test(bristles_do_not_wait_for_a_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Mechanisms with clearance: start from the mechanism without it, coordinates of clearance joints, forces that read bodies. */
#include "text_model.h"
#include <stdint.h>

static const char *const methods[] = {"compliant", "nonsmooth", "impact"};
static uint64_t seed;

static double uniform(double low, double high) { /* xorshift */
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static void look(jn_sim *sim) { assert_int_equal(jn_sim_observe(sim), JN_OK); }

static jn_body_motion motion_of(const jn_model *m, jn_sim *sim, const char *body) {
    jn_body_motion b;
    jn_body_motion_get(m, jn_sim_work(sim), jn_model_find_body(m, body), &b);
    return b;
}

static double u_of(const jn_model *m, jn_sim *sim, const char *joint, int k) {
    jn_joint_motion j;
    jn_joint_motion_get(m, jn_sim_work(sim), jn_model_find_joint(m, joint), &j);
    return j.u[k];
}

/* ------------------------------------------------------------------------------------------------- slider-cranks */

typedef struct crank {
    double angle, l1, l2, speed, clearance, off; /* off: the rod is drawn so far from its place, along x */
} crank;

static jn_sim *slider_crank(const crank *c, const char *method, const char *coordinates, const char *start,
                            jn_model **m) {
    char text[2000];
    double x1 = c->l1 * cos(c->angle), y1 = c->l1 * sin(c->angle), x2 = x1 + sqrt(c->l2 * c->l2 - y1 * y1);
    snprintf(text, sizeof text,
             "plane: xy\ncoordinates: %s\nbodies:\n"
             "  crank: {mass: 0.3, inertia: 1e-3, at: [%.17g, %.17g]}\n"
             "  rod: {mass: 0.2, inertia: 2e-3, at: [%.17g, %.17g]}\n"
             "  slider: {mass: 0.5, inertia: 1e-3, com: [%.17g, 0]}\n"
             "joints:\n"
             "  pivot: {type: revolute, between: [ground, crank], at: [0, 0], rate: %.17g}\n"
             "  pin: {type: revolute_clearance, between: [crank, rod], frames: [{at: [%.17g, %.17g], axis: z}, "
             "{at: [%.17g, %.17g], axis: z}], bearing: 0.02, clearance: %.17g, contact: steel}\n"
             "  wrist: {type: revolute, between: [rod, slider], at: [%.17g, 0]}\n"
             "  guide: {type: translational_clearance, between: [ground, slider], at: [%.17g, 0], along: x, "
             "length: 0.1, height: 0.05, clearance: %.17g, contact: steel}\n"
             "contacts: {steel: {stiffness: 1e8, restitution: 0.5}}\n"
             "run: {method: %s, step: 1e-5, until: 1, %s}\n",
             coordinates, x1 / 2, y1 / 2, (x1 + x2) / 2 + c->off, y1 / 2, x2 + c->off, c->speed, x1 / 2, y1 / 2,
             (x1 - x2) / 2, y1 / 2, c->clearance, x2 + c->off, x2 + c->off, c->clearance, method, start);
    return text_sim(text, m);
}

/* Velocities of the slider-crank in closed form; as drawn only the crank moves. */
static void slider_cranks_start_ideal(void **state) {
    (void)state;
    seed = 20100601;
    for (int k = 0; k < 120; k++) {
        crank c = {uniform(-3, 3), uniform(0.05, 0.2), uniform(0.25, 0.5), uniform(-40, 40), 5e-4, 0};
        const char *method = methods[k % 3], *coordinates = k % 2 ? "absolute" : "relative";
        jn_model *m;
        jn_sim *sim =
            slider_crank(&c, method, coordinates, k % 4 < 2 ? "start: ideal" : "start: ideal, settle: true", &m);
        look(sim);
        double sine = c.l1 * sin(c.angle) / c.l2, cosine = sqrt(1 - sine * sine);
        double w2 = -c.l1 * c.speed * cos(c.angle) / (c.l2 * cosine); /* of the rod: y1' = -l2 cos w2 */
        double vx = -c.l1 * c.speed * sin(c.angle) + c.l2 * sine * w2, size = fabs(c.speed);
        assert_near(motion_of(m, sim, "rod").angular_velocity.z, w2, 1e-9 * size);
        assert_near(motion_of(m, sim, "slider").velocity.x, vx, 1e-9 * size);
        assert_near(motion_of(m, sim, "slider").velocity.y, 0, 1e-9 * size);
        assert_near(motion_of(m, sim, "slider").angular_velocity.z, 0, 1e-9 * size);
        assert_near(u_of(m, sim, "pin", 0), w2 - c.speed, 1e-9 * size);
        assert_near(u_of(m, sim, "guide", 0), vx, 1e-9 * size);
        jn_sim_free(sim), jn_model_free(m);
        sim = slider_crank(&c, method, coordinates, "start: drawn", &m);
        look(sim);
        assert_near(motion_of(m, sim, "slider").velocity.x, 0, 1e-12);
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* A rod drawn beside its place stays there, unless it settles; velocities are those of the ideal mechanism but for that. */
static void settled_journals_are_central(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        crank c = {0.4 + 0.1 * k, 0.1, 0.3, 20, 5e-4, 3e-4};
        for (int settle = 0; settle < 2; settle++) {
            jn_model *m;
            jn_sim *sim = slider_crank(&c, methods[k % 3], k % 2 ? "absolute" : "relative",
                                       settle ? "start: ideal, settle: true" : "start: ideal", &m);
            look(sim);
            jn_body_motion rod = motion_of(m, sim, "rod"), crank_motion = motion_of(m, sim, "crank");
            double x1 = c.l1 * cos(c.angle), y1 = c.l1 * sin(c.angle), x2 = x1 + sqrt(c.l2 * c.l2 - y1 * y1);
            double turn = rod.angle, px = (x1 - x2) / 2, py = y1 / 2; /* journal from the rod's centre */
            double jx = rod.position.x + px * cos(turn) - py * sin(turn);
            double bx = 2 * crank_motion.position.x;
            assert_near(jx - bx, settle ? 0 : c.off, 1e-9);
            assert_near(crank_motion.angular_velocity.z, c.speed, 1e-10);
            assert_near(motion_of(m, sim, "slider").velocity.y, 0, 1e-9);
            assert_true(jn_sim_advance(sim, 1e-3) >= 0);
            jn_sim_free(sim), jn_model_free(m);
        }
    }
}

/* The crank that strikes a resting rod does so with many times the force: largest load of the pin in 20 ms. */
static void ideal_start_has_no_blow(void **state) {
    (void)state;
    double most[2] = {0, 0};
    for (int ideal = 0; ideal < 2; ideal++) {
        crank c = {0.3, 0.1, 0.3, 31.4, 2e-4, 0};
        jn_model *m;
        jn_sim *sim = slider_crank(&c, "compliant", "relative", ideal ? "start: ideal" : "start: drawn", &m);
        for (int k = 1; k <= 400; k++) {
            assert_true(jn_sim_advance(sim, 5e-5 * k) >= 0);
            look(sim);
            jn_vec3 a = motion_of(m, sim, "rod").acceleration;
            most[ideal] = fmax(most[ideal], hypot(a.x, a.y));
        }
        jn_sim_free(sim), jn_model_free(m);
    }
    print_message("largest acceleration of the rod: drawn %.0f, ideal %.0f m/s^2\n", most[0], most[1]);
    assert_true(most[1] < 0.5 * most[0]);
}

/* ---------------------------------------------------------------------------------- coordinates of clearance joints */

/* A rotor in its bearing: its speed, a prescribed one, and a motor reach the same speed in all methods. */
static void rotors_are_driven(void **state) {
    (void)state;
    static const char *const keys[] = {"speed: 50", "rate: 50", "motor: {speed: 50, kd: 2}", "motion: 50*t"};
    for (int space = 0; space < 2; space++)
        for (int key = 0; key < 4; key++)
            for (int method = 0; method < 3; method++) {
                char text[1200];
                snprintf(
                    text, sizeof text,
                    "%sbodies: {rotor: {mass: 2, inertia: %s, com: [0, 0%s]}}\n"
                    "joints: {bearing: {type: revolute_clearance, between: [ground, rotor], at: [0, 0%s], axis: z, "
                    "bearing: 0.02, %sclearance: 1e-4, contact: steel, %s}}\n"
                    "contacts: {steel: {stiffness: 1e8, restitution: 0.2}}\n"
                    "run: {method: %s, step: 1e-4, until: 0.3}\n",
                    space ? "gravity: [0, -9.81, 0]\n" : "plane: xy\n", space ? "[3e-3, 3e-3, 4e-3]" : "4e-3",
                    space ? ", 0" : "", space ? ", 0" : "", space ? "length: 0.04, " : "", keys[key], methods[method]);
                jn_model *m;
                jn_sim *sim = text_sim(text, &m);
                look(sim);
                assert_near(u_of(m, sim, "bearing", 0), key == 2 ? 0 : 50, 1e-9);
                assert_true(jn_sim_advance(sim, 0.3) >= 0);
                look(sim);
                jn_joint_motion j;
                jn_joint_motion_get(m, jn_sim_work(sim), 0, &j);
                assert_near(j.u[0], 50, key == 2 ? 1e-3 : 1e-6);
                if (key != 2) assert_near(j.q[0], 15, 1e-5); /* full turns are counted */
                jn_sim_free(sim), jn_model_free(m);
            }
}

/* Coordinates of a tilted body in a joint with clearance: speeds are the rates of the coordinates, accelerations those of the speeds. */
static void tilted_coordinates(void **state) {
    (void)state;
    static const char *const types[] = {
        "revolute_clearance, bearing: 0.5, length: 0.01, axial: 0.6, clearance: 0.4",
        "cylindrical_clearance, bearing: 0.5, length: 0.01, clearance: 0.4",
        "translational_clearance, axis2: y, length: 0.01, width: 0.01, height: 0.01, clearance: 0.4"};
    seed = 42;
    for (int k = 0; k < 60; k++) {
        char text[1400];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\n"
                 "bodies:\n  a: {mass: 2, inertia: [0.3, 0.4, 0.5], com: [0, 0, 0], angular_velocity: [%g, %g, %g]}\n"
                 "  b: {mass: 1, inertia: [0.2, 0.3, 0.4], com: [0.01, 0.02, 0.01], velocity: [%g, %g, %g], "
                 "angular_velocity: [%g, %g, %g]}\n"
                 "joints: {j: {type: %s, between: [a, b], at: [0, 0, 0], axis: x, contact: steel}}\n"
                 "contacts: {steel: {stiffness: 1e6, restitution: 0.5}}\nrun: {method: compliant, tolerance: 1e-12}\n",
                 uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-.1, .1), uniform(-.1, .1), uniform(-.1, .1),
                 uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), types[k % 3]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        jn_joint_motion j[3];
        double h = 1e-4;
        for (int i = 0; i < 3; i++) {
            assert_true(jn_sim_advance(sim, 0.15 + h * i) >= 0);
            look(sim);
            jn_joint_motion_get(m, jn_sim_work(sim), 0, &j[i]);
        }
        for (int i = 0; i < jn_model_joint_nv(m, 0); i++) {
            assert_near((j[2].q[i] - j[0].q[i]) / (2 * h), j[1].u[i], 1e-6);
            assert_near((j[2].u[i] - j[0].u[i]) / (2 * h), j[1].a[i], 1e-6);
        }
        jn_sim_free(sim), jn_model_free(m);
    }
}

/* ------------------------------------------------------------------------------------------- forces that read bodies */

/* Drag on a body by its own velocity, in all integrators of accelerations, in closed form. */
static void forces_read_bodies(void **state) {
    (void)state;
    static const char *const runs[] = {"integrator: dopri45, tolerance: 1e-11", "integrator: bdf, tolerance: 1e-10",
                                       "integrator: rk4, step: 1e-3", "method: nonsmooth, step: 1e-4"};
    for (int k = 0; k < 4; k++) {
        char text[900];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\nbodies: {a: {mass: 2, inertia: [0.1, 0.1, 0.1], com: [0, 0, 1], velocity: [1, 0, "
                 "0], angular_velocity: [0, 2, 0]}, b: {mass: 1, inertia: [1, 1, 1], com: [5, 0, 0]}}\n"
                 "forces: {drag: {type: force, on: a, at: [0, 0, 1], force: [-body.a.vx, 0, 0]},\n"
                 "  brake: {type: torque, on: a, torque: [0, -0.2*body.a.wy, 0]},\n"
                 "  follow: {type: force, on: b, at: [5, 0, 0], force: [0, body.a.vx, 0]}}\nrun: {until: 1, %s}\n",
                 runs[k]);
        jn_model *m;
        jn_sim *sim = text_sim(text, &m);
        assert_true(jn_sim_advance(sim, 1) >= 0);
        look(sim);
        double within = k == 3 ? 1e-4 : 1e-7;
        assert_near(motion_of(m, sim, "a").velocity.x, exp(-0.5), within);
        assert_near(motion_of(m, sim, "a").angular_velocity.y, 2 * exp(-2), within);
        assert_near(motion_of(m, sim, "b").velocity.y, 2 * (1 - exp(-0.5)), within);
        jn_sim_free(sim), jn_model_free(m);
    }
}

static void wrong_keys_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
        bool warning;
    } cases[] = {
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nrun: {settle: true}\n", "start: ideal", false},
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nrun: {start: ideal}\n", "no joint has a clearance", true},
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nforces: {f: {type: force, on: a, at: [0, 0, 0], force: "
         "[body.c.vx, 0, 0]}}\n",
         "no body 'c'", false},
        {"bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\nforces: {f: {type: force, on: a, at: [0, 0, 0], force: "
         "[body.a.speed, 0, 0]}}\n",
         ".vx", false},
        {"plane: xy\nbodies: {a: {mass: 1, inertia: 1}}\nforces: {f: {type: force, on: a, at: [0, 0], force: "
         "[body.a.vz, 0]}}\n",
         "'.w'", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        jn_report report;
        jn_model *m = text_model(cases[k].text, &report);
        assert_int_equal(report.errors > 0, !cases[k].warning);
        bool found = false;
        for (int i = 0; i < report.count; i++)
            found |= strstr(report.item[i].text, cases[k].says) || strstr(report.item[i].hint, cases[k].says);
        if (!found) fail_msg("case %zu says '%s'", k, report.count ? report.item[0].text : "nothing");
        jn_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_cranks_start_ideal), cmocka_unit_test(settled_journals_are_central),
        cmocka_unit_test(ideal_start_has_no_blow),   cmocka_unit_test(rotors_are_driven),
        cmocka_unit_test(tilted_coordinates),        cmocka_unit_test(forces_read_bodies),
        cmocka_unit_test(wrong_keys_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Frequencies, damping and shapes against closed forms, against time simulation, and between coordinates. */
#include "opened.h"
#include "reference_model.h"
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

static int add_body(jn_description *d, const char *name, double mass, double inertia, jn_vec3 com) {
    jn_body_desc body = jn_body_default(name);
    body.mass = mass;
    body.com = com;
    body.inertia = (jn_sym3){inertia, inertia, inertia, 0, 0, 0};
    return jn_description_add_body(d, &body);
}

static jn_modes modes_of(scene *s) {
    jn_modes modes;
    assert_int_equal(jn_study_modes(s->sim, &modes, &s->report), JN_OK);
    return modes;
}

/* Eigenvalues of a description in both coordinates against those expected. */
static void check_modes(jn_description *d, int count, const double (*lambda)[2], double tolerance) {
    for (int c = 0; c < 2; c++) {
        scene s;
        scene_borrow(&s, d, (jn_coordinates)c);
        jn_modes modes = modes_of(&s);
        assert_int_equal(modes.count, count);
        for (int i = 0; i < count; i++) {
            double size = hypot(lambda[i][0], lambda[i][1]);
            assert_near(modes.mode[i].re, lambda[i][0], tolerance * size + 1e-12);
            assert_near(modes.mode[i].im, lambda[i][1], tolerance * size + 1e-12);
            assert_near(modes.mode[i].frequency, lambda[i][1] / (2 * M_PI), tolerance * size + 1e-12);
            double top = 0;
            for (int k = 0; k < modes.nv; k++) top = fmax(top, fabs(modes.mode[i].shape[k]));
            assert_near(top, 1, 1e-12);
        }
        jn_modes_free(&modes);
        scene_close(&s);
    }
}

static jn_description *pendulum(double angle, double mass, double length, double inertia) {
    jn_description *d = jn_description_create();
    d->gravity = (jn_vec3){0, 0, -g};
    add_body(d, "bob", mass, inertia, (jn_vec3){length * sin(angle), 0, -length * cos(angle)});
    add_joint(d, "pivot", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){0, -1, 0});
    return d;
}

static void test_pendulum(void **state) {
    (void)state;
    double w = sqrt(g * 2.0 * 0.7 / (0.3 + 2.0 * 0.7 * 0.7));
    jn_description *d = pendulum(0, 2, 0.7, 0.3);
    check_modes(d, 1, (const double[][2]){{0, w}}, 1e-10);
    d->joints[0].coordinate[0].damping = 0.4; /* c / I = 2 zeta w */
    double c = 0.5 * 0.4 / (0.3 + 2.0 * 0.7 * 0.7);
    check_modes(d, 1, (const double[][2]){{-c, sqrt(w * w - c * c)}}, 1e-10);
    jn_description_free(d);
    d = pendulum(M_PI, 2, 0.7, 0.3); /* upside down: one grows, one decays */
    check_modes(d, 2, (const double[][2]){{-w, 0}, {w, 0}}, 1e-10);
    jn_description_free(d);
}

/* Two equal point masses on rods of equal length: w^2 = (2 -+ sqrt 2) g / l. */
static void test_double_pendulum(void **state) {
    (void)state;
    double l = 0.8;
    jn_description *d = jn_description_create();
    d->planar = true;
    d->gravity = (jn_vec3){0, -g, 0};
    add_body(d, "first", 1.5, 1e-9, (jn_vec3){0, -l, 0});
    add_body(d, "second", 1.5, 1e-9, (jn_vec3){0, -2 * l, 0});
    add_joint(d, "top", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, 1});
    add_joint(d, "middle", JN_JOINT_REVOLUTE, 1, 2, (jn_vec3){0, -l, 0}, (jn_vec3){0, 0, 1});
    d->bodies[1].inertia.zz = d->bodies[2].inertia.zz = 1e-12;
    check_modes(d, 2, (const double[][2]){{0, sqrt((2 - sqrt(2)) * g / l)}, {0, sqrt((2 + sqrt(2)) * g / l)}}, 1e-9);
    scene s;
    scene_borrow(&s, d, JN_COORDINATES_RELATIVE);
    jn_modes modes = modes_of(&s); /* absolute angles have the ratio +-sqrt 2 */
    assert_near((modes.mode[0].shape[0] + modes.mode[0].shape[1]) / modes.mode[0].shape[0], sqrt(2), 1e-8);
    assert_near((modes.mode[1].shape[0] + modes.mode[1].shape[1]) / modes.mode[1].shape[0], -sqrt(2), 1e-8);
    jn_modes_free(&modes);
    scene_close(&s);
    jn_description_free(d);
}

static jn_description *oscillator(double mass, double stiffness, double damping) {
    jn_description *d = jn_description_create();
    d->gravity = (jn_vec3){0, 0, 0};
    add_body(d, "cart", mass, 0.1, (jn_vec3){0, 0, 0});
    jn_joint_desc *j = add_joint(d, "rail", JN_JOINT_PRISMATIC, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){1, 0, 0});
    j->coordinate[0].stiffness = stiffness;
    j->coordinate[0].damping = damping;
    return d;
}

static void test_oscillator(void **state) {
    (void)state;
    jn_description *d = oscillator(2, 200, 8); /* w = 10, zeta = 0.2 */
    check_modes(d, 1, (const double[][2]){{-2, 10 * sqrt(1 - 0.04)}}, 1e-11);
    scene s;
    scene_borrow(&s, d, JN_COORDINATES_RELATIVE);
    jn_modes modes = modes_of(&s);
    assert_near(modes.mode[0].damping, 0.2, 1e-11);
    jn_modes_free(&modes);
    scene_close(&s);
    jn_description_free(d);
    d = oscillator(2, 200, 100); /* overdamped: 2 x^2 + 100 x + 200 = 0 */
    check_modes(d, 2, (const double[][2]){{-25 + sqrt(525), 0}, {-25 - sqrt(525), 0}}, 1e-10);
    jn_description_free(d);
    d = oscillator(2, 0, 6); /* no spring: one free, one decaying */
    check_modes(d, 2, (const double[][2]){{0, 0}, {-3, 0}}, 1e-10);
    jn_description_free(d);
    d = oscillator(2, 0, 0);
    check_modes(d, 1, (const double[][2]){{0, 0}}, 1e-10);
    jn_description_free(d);
}

/* ground - k - m - k - m with unequal masses and a damper at the ground; characteristic polynomial solved by hand. */
static void test_two_masses(void **state) {
    (void)state;
    jn_description *d = jn_description_create();
    d->planar = true;
    d->gravity = (jn_vec3){0, 0, 0};
    add_body(d, "a", 1, 0.01, (jn_vec3){1, 0, 0});
    add_body(d, "b", 1, 0.01, (jn_vec3){2, 0, 0});
    add_joint(d, "rail_a", JN_JOINT_PRISMATIC, 0, 1, (jn_vec3){1, 0, 0}, (jn_vec3){1, 0, 0});
    add_joint(d, "rail_b", JN_JOINT_PRISMATIC, 0, 2, (jn_vec3){2, 0, 0}, (jn_vec3){1, 0, 0});
    for (int i = 0; i < 2; i++) {
        jn_force_desc f = jn_force_default(i ? "k2" : "k1", JN_FORCE_SPRING);
        f.body[0] = i, f.body[1] = i + 1;
        f.at[0] = (jn_vec3){i, 0, 0}, f.at[1] = (jn_vec3){i + 1, 0, 0};
        f.stiffness = 100;
        assert_true(jn_description_add_force(d, &f) >= 0);
    }
    /* w^2 = 100 (3 -+ sqrt 5) / 2 */
    check_modes(d, 2, (const double[][2]){{0, 10 * sqrt((3 - sqrt(5)) / 2)}, {0, 10 * sqrt((3 + sqrt(5)) / 2)}}, 1e-10);
    jn_description_free(d);
}

/* A body in a bushing: six modes, each of its own spring; and a free body: six times zero. */
static void test_bushing_and_free_body(void **state) {
    (void)state;
    jn_description *d = jn_description_create();
    double lambda[6][2] = {{0}};
    d->gravity = (jn_vec3){0, 0, 0};
    add_body(d, "block", 2, 0.5, (jn_vec3){0.3, 0.2, 0.1});
    check_modes(d, 6, (const double(*)[2])lambda, 1e-9);
    jn_force_desc f = jn_force_default("mount", JN_FORCE_BUSHING);
    f.body[0] = 0, f.body[1] = 1;
    f.at[0] = f.at[1] = (jn_vec3){0.3, 0.2, 0.1};
    for (int k = 0; k < 6; k++) {
        f.stiffness6[k] = (k < 3 ? 2 : 0.5) * (k + 1) * (k + 1);
        lambda[k][1] = k + 1;
    }
    jn_description_add_force(d, &f);
    check_modes(d, 6, (const double(*)[2])lambda, 1e-9);
    jn_description_free(d);
}

static jn_description *four_bar(bool spring) {
    static const jn_vec3 at[] = {{0, 0, 0}, {0, 0, 0.3}, {0.75, 0, 0.6}, {0.9, 0, 0}};
    static const char *const body[] = {"crank", "coupler", "rocker"}, *const joint[] = {"O", "A", "B", "C"};
    jn_description *d = jn_description_create();
    for (int k = 0; k < 3; k++)
        add_body(d, body[k], 1 + k, 0.02 * (k + 1),
                 (jn_vec3){0.5 * (at[k].x + at[k + 1].x), 0, 0.5 * (at[k].z + at[k + 1].z)});
    for (int k = 0; k < 4; k++) add_joint(d, joint[k], JN_JOINT_REVOLUTE, k, (k + 1) % 4, at[k], (jn_vec3){0, 1, 0});
    if (spring) d->joints[0].coordinate[0].stiffness = 60, d->joints[3].coordinate[0].damping = 0.05;
    return d;
}

/* Loop with three redundant equations, at its equilibrium, in relative and absolute coordinates. */
static void test_four_bar(void **state) {
    (void)state;
    double lambda[2][2];
    jn_description *d = four_bar(true);
    for (int c = 0; c < 2; c++) {
        scene s;
        scene_borrow(&s, d, (jn_coordinates)c);
        assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
        assert_non_null(strstr(s.report.item[s.report.count - 1].text, "stable"));
        jn_modes modes = modes_of(&s);
        assert_int_equal(s.report.warnings, 0);
        assert_int_equal(modes.count, 1);
        lambda[c][0] = modes.mode[0].re, lambda[c][1] = modes.mode[0].im;
        jn_modes_free(&modes);
        scene_close(&s);
    }
    assert_near(lambda[1][0], lambda[0][0], 1e-8);
    assert_near(lambda[1][1], lambda[0][1], 1e-8 * lambda[0][1]);
    jn_description_free(d);
}

/* Small free oscillation in time: zero crossings give the frequency, the decay the damping. */
static void test_four_bar_in_time(void **state) {
    (void)state;
    jn_description *d = four_bar(true);
    d->run.relative_tolerance = 1e-11, d->run.absolute_tolerance = 1e-14;
    scene s;
    scene_borrow(&s, d, JN_COORDINATES_RELATIVE);
    assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
    jn_modes modes = modes_of(&s);
    jn_state *x = jn_sim_state(s.sim);
    double rest = x->q[0], push = 1e-4, first = 0, last = 0, before, peak[2] = {0, 0};
    for (int i = 0; i < modes.nv; i++) x->u[i] = push * modes.mode[0].shape[i] / modes.mode[0].shape[0];
    jn_sim_restart(s.sim);
    int crossings = 0;
    for (int k = 1; crossings < 21; k++) {
        double t0 = x->t, u0 = x->u[0];
        before = x->q[0] - rest;
        assert_int_equal(jn_sim_advance(s.sim, 1e-3 * k), JN_OK);
        double now = x->q[0] - rest;
        if ((before < 0) == (now < 0) || k == 1) continue;
        last = t0 + (x->t - t0) * before / (before - now);
        if (crossings++ == 0) first = last, peak[0] = fabs(u0);
        peak[1] = fabs(u0);
    }
    double f = 10 / (last - first), decay = log(peak[1] / peak[0]) / (last - first);
    assert_near(f, modes.mode[0].frequency, 1e-4 * f);
    assert_near(decay, modes.mode[0].re, 2e-2 * fabs(modes.mode[0].re));
    jn_modes_free(&modes);
    scene_close(&s);
    jn_description_free(d);
}

/* Linkages of the reference at an equilibrium (rssr: drawn at an unstable one): both coordinates agree. */
static void test_reference_linkages(void **state) {
    (void)state;
    static const char *const names[] = {"bennett", "fourbar", "rssr", "chain10R", "spherical_pendulum"};
    if (!reference_present()) return;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        jn_modes modes[2];
        for (int c = 0; c < 2; c++) {
            jn_description *d = reference_model_find(names[n], JN_COORDINATES_RELATIVE);
            assert_non_null(d);
            scene s;
            scene_borrow(&s, d, (jn_coordinates)c);
            assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
            modes[c] = modes_of(&s);
            scene_close(&s);
            jn_description_free(d);
        }
        assert_int_equal(modes[0].count, modes[1].count);
        const jn_mode *last = &modes[0].mode[modes[0].count - 1];
        double fastest = hypot(last->re, last->im);
        for (int i = 0; i < modes[0].count; i++) {
            const jn_mode *a = &modes[0].mode[i], *b = &modes[1].mode[i];
            assert_near(b->re, a->re, 1e-7 * fastest);
            assert_near(b->im, a->im, 1e-7 * fastest);
        }
        jn_modes_free(&modes[0]);
        jn_modes_free(&modes[1]);
    }
}

/* Ziegler's column: two bars, masses 2 m and m, equal springs, a force P that follows the second bar. Flutters above
 * P l / k = 7/2 - sqrt 2 [Ziegler1952]; below, w^2 are the roots of 2 z^2 + (2 p - 7) z + 1 = 0 (k = m = l = 1). */
static void test_follower_force(void **state) {
    (void)state;
    static const double load[] = {0.5, 2.0, 2.08, 2.10, 3.0};
    for (int i = 0; i < 5; i++) {
        double p = load[i], b = 0.25 * (7 - 2 * p), root = b * b - 0.5;
        char push[32];
        jn_description *d = jn_description_create();
        d->planar = true;
        d->gravity = (jn_vec3){0, 0, 0};
        add_body(d, "first", 2, 1e-12, (jn_vec3){1, 0, 0});
        add_body(d, "second", 1, 1e-12, (jn_vec3){2, 0, 0});
        add_joint(d, "foot", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, 1})->coordinate[0].stiffness =
            1;
        add_joint(d, "knee", JN_JOINT_REVOLUTE, 1, 2, (jn_vec3){1, 0, 0}, (jn_vec3){0, 0, 1})->coordinate[0].stiffness =
            1;
        jn_force_desc f = jn_force_default("follower", JN_FORCE_FORCE);
        f.body[0] = 0, f.body[1] = 2;
        f.at[1] = (jn_vec3){2, 0, 0};
        f.in_body = true;
        snprintf(push, sizeof push, "%g", -p);
        f.component[0] = jn_description_function(d, push, NULL);
        assert_true(jn_description_add_force(d, &f) >= 0);
        scene s;
        scene_borrow(&s, d, JN_COORDINATES_RELATIVE);
        jn_modes modes = modes_of(&s);
        assert_int_equal(modes.count, 2);
        if (root > 0) {
            assert_near(modes.mode[0].im, sqrt(b - sqrt(root)), 1e-7);
            assert_near(modes.mode[1].im, sqrt(b + sqrt(root)), 1e-7);
            assert_near(modes.mode[0].re, 0, 1e-7);
        } else {
            assert_true(fmax(modes.mode[0].re, modes.mode[1].re) > 1e-2);
            assert_near(hypot(modes.mode[0].re, modes.mode[0].im), pow(0.5, 0.25), 1e-7);
        }
        jn_modes_free(&modes);
        scene_close(&s);
        jn_description_free(d);
    }
}

static void test_no_equilibrium_is_said(void **state) {
    (void)state;
    jn_description *d = pendulum(1, 1, 1, 0.1);
    scene s;
    scene_borrow(&s, d, JN_COORDINATES_RELATIVE);
    jn_modes modes = modes_of(&s);
    assert_int_equal(s.report.warnings, 1);
    assert_non_null(strstr(s.report.item[0].text, "no equilibrium"));
    jn_modes_free(&modes);
    scene_close(&s);
    jn_description_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_two_masses),
        cmocka_unit_test(test_bushing_and_free_body),
        cmocka_unit_test(test_four_bar),
        cmocka_unit_test(test_four_bar_in_time),
        cmocka_unit_test(test_reference_linkages),
        cmocka_unit_test(test_follower_force),
        cmocka_unit_test(test_no_equilibrium_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

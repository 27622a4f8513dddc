/* Static equilibria against closed forms. */
#include "base/memory.h"
#include "opened.h"
#include <string.h>

static const double g = 9.81;

static int add_body(jn_description *d, const char *name, double mass, jn_vec3 com) {
    jn_body_desc body = jn_body_default(name);
    body.mass = mass;
    body.com = com;
    body.inertia = (jn_sym3){0.01, 0.01, 0.01, 0, 0, 0};
    return jn_description_add_body(d, &body);
}

static const char *last_text(const scene *s) { return s->report.item[s->report.count - 1].text; }

static double joint_angle(scene *s, int joint) {
    jn_joint_motion m;
    assert_int_equal(jn_sim_observe(s->sim), JN_OK);
    jn_joint_motion_get(s->model, jn_sim_work(s->sim), joint, &m);
    return m.q[0];
}

static jn_description *pendulum(double angle) { /* drawn hanging at an angle from below */
    jn_description *d = jn_description_create();
    add_body(d, "bob", 2, (jn_vec3){sin(angle), 0, -cos(angle)});
    add_joint(d, "pivot", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){0, -1, 0});
    return d;
}

/* From anywhere but the very top a pendulum comes to hang. */
static void test_pendulum(void **state) {
    (void)state;
    static const double start[] = {0, 0.3, 1.5, 2.5, 3.1, 3.1415, -3.0};
    for (size_t i = 0; i < sizeof start / sizeof *start; i++)
        for (int c = 0; c < 2; c++) {
            scene s;
            scene_open(&s, pendulum(start[i]), (jn_coordinates)c);
            assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
            assert_near(joint_angle(&s, 0), -start[i], 1e-10);
            assert_non_null(strstr(last_text(&s), "is stable"));
            scene_close(&s);
        }
}

static void test_top_is_kept_and_called_unstable(void **state) {
    (void)state;
    scene s;
    scene_open(&s, pendulum(M_PI), JN_COORDINATES_RELATIVE);
    assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
    assert_near(joint_angle(&s, 0), 0, 1e-12);
    assert_non_null(strstr(last_text(&s), "unstable: 1 mode grows"));
    scene_close(&s);
}

/* Torsion spring against weight: k a = m g l cos a (drawn horizontal). */
static void test_spring_beam(void **state) {
    (void)state;
    double k = 30, a = 0.5;
    for (int n = 0; n < 60; n++) a -= (k * a - 2 * g * cos(a)) / (k + 2 * g * sin(a));
    for (int c = 0; c < 2; c++) {
        scene s;
        jn_description *d = pendulum(M_PI / 2);
        d->joints[0].coordinate[0].stiffness = k;
        scene_open(&s, d, (jn_coordinates)c);
        assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
        assert_near(fabs(joint_angle(&s, 0)), a, 1e-10);
        const jn_audit *audit = jn_sim_audit(s.sim);
        assert_true(audit->ok);
        assert_near(audit->energy_residual, 0, 1e-12);
        scene_close(&s);
    }
}

/* A mass on a spring sinks by m g / k; with an elastic stop below, piecewise. */
static void test_stop(void **state) {
    (void)state;
    scene s;
    jn_description *d = jn_description_create();
    add_body(d, "load", 2, (jn_vec3){0, 0, 0});
    jn_joint_desc *j = add_joint(d, "rail", JN_JOINT_PRISMATIC, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, 1});
    j->coordinate[0].stiffness = 100;
    j->coordinate[0].has_lower = true;
    j->coordinate[0].lower = -0.1;
    j->coordinate[0].limit_stiffness = 1e5;
    scene_open(&s, d, JN_COORDINATES_RELATIVE);
    assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
    /* 100 x + 1e5 (x - 0.1) = m g */
    assert_near(-joint_angle(&s, 0), (2 * g + 1e4) / (100 + 1e5), 1e-12);
    scene_close(&s);
}

/* A four-bar drawn as a roof with an eccentric weight on its short coupler: comes to rest where nothing accelerates. */
static void test_four_bar(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        scene s;
        jn_description *d = jn_description_create();
        d->planar = true;
        d->gravity = (jn_vec3){0, -g, 0};
        add_body(d, "left", 1, (jn_vec3){0.25, 0.4330127018922193, 0}); /* drawn standing as a roof */
        add_body(d, "right", 1, (jn_vec3){0.75, 0.4330127018922193, 0});
        add_body(d, "middle", 3, (jn_vec3){0.7, 0.8660254037844386, 0});
        add_joint(d, "A", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, 1});
        add_joint(d, "B", JN_JOINT_REVOLUTE, 1, 3, (jn_vec3){0.45, 0.8660254037844386, 0}, (jn_vec3){0, 0, 1});
        add_joint(d, "C", JN_JOINT_REVOLUTE, 3, 2, (jn_vec3){0.55, 0.8660254037844386, 0}, (jn_vec3){0, 0, 1});
        add_joint(d, "D", JN_JOINT_REVOLUTE, 2, 0, (jn_vec3){1, 0, 0}, (jn_vec3){0, 0, 1});
        scene_open(&s, d, (jn_coordinates)c);
        jn_body_motion m;
        assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
        assert_non_null(strstr(last_text(&s), "is stable"));
        for (int b = 1; b < 4; b++) {
            jn_body_motion_get(s.model, jn_sim_work(s.sim), b, &m);
            assert_below(fabs(m.acceleration.x) + fabs(m.acceleration.y) + fabs(m.angular_acceleration.z), 1e-9);
        }
        scene_close(&s);
    }
}

/* A spatial chain of ball joints drawn horizontal comes to hang straight down; spin about the links is free. */
static void test_hanging_chain(void **state) {
    (void)state;
    static const char *const name[] = {"b1", "b2", "b3", "b4"}, *const joint[] = {"s1", "s2", "s3", "s4"};
    for (int c = 0; c < 2; c++) {
        scene s;
        jn_description *d = jn_description_create();
        for (int k = 0; k < 4; k++) {
            add_body(d, name[k], 1 + k, (jn_vec3){0.2 * k + 0.1, 0, 0});
            add_joint(d, joint[k], JN_JOINT_SPHERICAL, k, k + 1, (jn_vec3){0.2 * k, 0, 0}, (jn_vec3){0, 0, 0});
        }
        scene_open(&s, d, (jn_coordinates)c);
        assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
        jn_body_motion m;
        jn_body_motion_get(s.model, jn_sim_work(s.sim), 4, &m);
        assert_near(m.position.z, -0.7, 1e-9);
        assert_near(hypot(m.position.x, m.position.y), 0, 1e-8);
        assert_non_null(strstr(last_text(&s), "neutral: 4 modes"));
        scene_close(&s);
    }
}

static void test_falling_body(void **state) {
    (void)state;
    scene s;
    jn_description *d = jn_description_create();
    add_body(d, "stone", 1, (jn_vec3){0, 0, 5});
    scene_open(&s, d, JN_COORDINATES_RELATIVE);
    assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_NOT_CONVERGED);
    assert_int_equal(s.report.warnings, 1);
    assert_non_null(strstr(last_text(&s), "no equilibrium was found"));
    scene_close(&s);
}

/* A force that follows the body has no potential: K is unsymmetric, Newton must still converge. */
static void test_follower_force(void **state) {
    (void)state;
    scene s;
    jn_description *d = jn_description_create();
    d->planar = true;
    d->gravity = (jn_vec3){0, -g, 0};
    add_body(d, "a", 1, (jn_vec3){0.5, 0, 0});
    add_body(d, "b", 1, (jn_vec3){1.5, 0, 0});
    add_joint(d, "j1", JN_JOINT_REVOLUTE, 0, 1, (jn_vec3){0, 0, 0}, (jn_vec3){0, 0, 1})->coordinate[0].stiffness = 20;
    add_joint(d, "j2", JN_JOINT_REVOLUTE, 1, 2, (jn_vec3){1, 0, 0}, (jn_vec3){0, 0, 1})->coordinate[0].stiffness = 15;
    jn_force_desc f = jn_force_default("jet", JN_FORCE_FORCE);
    f.body[0] = 0, f.body[1] = 2;
    f.at[1] = (jn_vec3){2, 0, 0};
    f.in_body = true;
    f.component[1] = jn_description_function(d, "8", NULL);
    jn_description_add_force(d, &f);
    scene_open(&s, d, JN_COORDINATES_RELATIVE);
    assert_int_equal(jn_study_equilibrium(s.sim, &s.report), JN_OK);
    assert_int_equal(jn_sim_observe(s.sim), JN_OK);
    for (int i = 0; i < 2; i++) assert_below(fabs(jn_accelerations_get(jn_sim_work(s.sim))[i]), 1e-9);
    scene_close(&s);
}

/* The k-th allocation fails, for every k: a status, no crash. */
static bool allow(void *context, size_t size) {
    (void)size;
    return (*(int *)context)-- > 0;
}

static void test_failing_memory(void **state) {
    (void)state;
    scene s;
    scene_open(&s, pendulum(1), JN_COORDINATES_ABSOLUTE);
    for (int k = 0, done = 0; !done; k++) {
        int left = k;
        jn_mobility mobility;
        jn_modes modes;
        jn_memory_hook(allow, &left);
        int a = jn_study_mobility(s.model, &mobility, NULL), b = jn_study_suspicions(s.model, NULL);
        int c = jn_study_equilibrium(s.sim, NULL), e = jn_study_modes(s.sim, &modes, NULL);
        jn_memory_hook(NULL, NULL);
        assert_true((a == JN_OK || a == JN_ERR_MEMORY) && (b == JN_OK || b == JN_ERR_MEMORY));
        assert_true((c == JN_OK || c == JN_ERR_MEMORY) && (e == JN_OK || e == JN_ERR_MEMORY));
        done = a == JN_OK && b == JN_OK && c == JN_OK && e == JN_OK;
        jn_mobility_free(&mobility);
        jn_modes_free(&modes);
        assert_true(k < 1000);
    }
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),       cmocka_unit_test(test_top_is_kept_and_called_unstable),
        cmocka_unit_test(test_spring_beam),    cmocka_unit_test(test_stop),
        cmocka_unit_test(test_four_bar),       cmocka_unit_test(test_hanging_chain),
        cmocka_unit_test(test_falling_body),   cmocka_unit_test(test_follower_force),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

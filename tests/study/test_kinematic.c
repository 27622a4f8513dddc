/* Driven mechanisms: positions, velocities, accelerations, and the forces of inverse dynamics. */
#include "json_reader.h"
#include "opened.h"
#include "reference_model.h"
#include <stdlib.h>
#include <string.h>

static jn_description *driven_four_bar(const char *motion) {
    static const jn_vec3 at[] = {{0, 0, 0}, {0, 0, 0.3}, {0.75, 0, 0.6}, {0.9, 0, 0}};
    static const char *const body[] = {"crank", "coupler", "rocker"}, *const joint[] = {"O", "A", "B", "C"};
    jn_description *d = jn_description_create();
    for (int k = 0; k < 3; k++) {
        jn_body_desc b = jn_body_default(body[k]);
        b.mass = 1 + k;
        b.com = (jn_vec3){0.5 * (at[k].x + at[k + 1].x), 0, 0.5 * (at[k].z + at[k + 1].z)};
        b.inertia = (jn_sym3){0.03, 0.03, 0.03, 0, 0, 0};
        jn_description_add_body(d, &b);
    }
    for (int k = 0; k < 4; k++) {
        jn_joint_desc j = jn_joint_default(joint[k], JN_JOINT_REVOLUTE);
        j.body[0] = k, j.body[1] = (k + 1) % 4;
        j.frame[0].at = j.frame[1].at = at[k];
        j.frame[0].axis = j.frame[1].axis = (jn_vec3){0, 1, 0};
        jn_description_add_joint(d, &j);
    }
    if (motion) d->joints[0].coordinate[0].motion = jn_description_function(d, motion, NULL);
    return d;
}

static void check_vector(const double *found, const double *expected, int n, double tolerance) {
    for (int i = 0; i < n; i++) assert_near(found[i], expected[i], tolerance);
}

/* ../shared/reference/cases_000.json, "kinematic analysis (driven crank 2*pi rad/s)". */
static void check_case(const json *test, jn_coordinates coordinates) {
    scene s;
    jn_description *d = reference_model_find("fourbar", coordinates);
    assert_non_null(d);
    d->joints[0].coordinate[0].motion = jn_description_function(d, "2*pi*t", NULL);
    scene_open(&s, d, coordinates);
    assert_int_equal(jn_study_kinematic(s.sim, json_number(json_get(json_get(test, "input"), "t"), -1)), JN_OK);
    const json *expected = json_get(test, "expected");
    for (int b = 0; b < 3; b++) {
        jn_body_motion x;
        double q[7], v[6], a[6];
        assert_int_equal(json_numbers(json_at(json_get(expected, "q"), b), q, 7), 7);
        assert_int_equal(json_numbers(json_at(json_get(expected, "v"), b), v, 6), 6);
        assert_int_equal(json_numbers(json_at(json_get(expected, "vdot"), b), a, 6), 6);
        jn_body_motion_get(s.model, jn_sim_work(s.sim), b + 1, &x);
        check_vector(&x.position.x, q, 3, 1e-12);
        double sign = q[3] * x.orientation.w + q[5] * x.orientation.y < 0 ? -1 : 1;
        for (int i = 0; i < 4; i++) q[3 + i] *= sign;
        check_vector(&x.orientation.w, q + 3, 4, 1e-12);
        check_vector(&x.velocity.x, v, 3, 1e-11);
        check_vector(&x.angular_velocity.x, v + 3, 3, 1e-11 * 10);
        check_vector(&x.acceleration.x, a, 3, 1e-10 * 10);
        check_vector(&x.angular_acceleration.x, a + 3, 3, 1e-10 * 20);
    }
    scene_close(&s);
}

static void test_reference_cases(void **state) {
    (void)state;
    if (!reference_present()) return;
    json *file = json_read(reference_path("cases_000.json"));
    assert_non_null(file);
    int found = 0;
    for (const json *c = json_get(file, "cases")->first; c; c = c->next)
        if (!strncmp(json_text(json_get(c, "id"), ""), "fourbar_kinematic", 17)) {
            check_case(c, JN_COORDINATES_RELATIVE);
            check_case(c, JN_COORDINATES_ABSOLUTE);
            found++;
        }
    assert_true(found >= 2);
    json_free(file);
}

/* What jn_observe leaves for a fully driven mechanism is the solution of G a = gamma and G^T lambda = M a - h. */
static void test_inverse_dynamics_identity(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        scene s;
        scene_open(&s, driven_four_bar("3*t + sin(5*t)/2"), (jn_coordinates)c);
        assert_int_equal(jn_study_kinematic(s.sim, 0.4), JN_OK);
        int nv = jn_model_nv(s.model), rows = jn_model_rows(s.model);
        double *G = malloc((size_t)(rows * nv + nv * nv + 4 * nv + 3 * rows) * sizeof *G), *M = G + rows * nv,
               *h = M + nv * nv;
        double *a = h + nv, *gamma = a + nv, *lambda = gamma + rows, max[2];
        memcpy(a, jn_accelerations_get(jn_sim_work(s.sim)), (size_t)nv * sizeof *a);
        memcpy(lambda, jn_multipliers_get(jn_sim_work(s.sim)), (size_t)rows * sizeof *a);
        jn_constraint_residual(s.model, jn_sim_work(s.sim), jn_sim_state(s.sim), NULL, NULL, max);
        assert_below(max[0], 1e-13);
        assert_below(max[1], 1e-12);
        jn_mass_matrix(s.model, jn_sim_work(s.sim), jn_sim_state(s.sim), M);
        jn_system_terms(s.model, jn_sim_work(s.sim), jn_sim_state(s.sim), G, gamma, h);
        for (int i = 0; i < rows; i++) {
            double sum = -gamma[i];
            for (int k = 0; k < nv; k++) sum += G[i * nv + k] * a[k];
            assert_below(fabs(sum), 1e-10);
        }
        for (int k = 0; k < nv; k++) {
            double sum = h[k];
            for (int j = 0; j < nv; j++) sum -= M[k * nv + j] * a[j];
            for (int i = 0; i < rows; i++) sum += G[i * nv + k] * lambda[i];
            assert_below(fabs(sum), 1e-10);
        }
        free(G);
        scene_close(&s);
    }
}

/* The driver's torque in both coordinates, and its work against the energy: the audit closes. */
static void test_drive_and_ledger(void **state) {
    (void)state;
    double torque[2][50];
    for (int c = 0; c < 2; c++) {
        scene s;
        scene_open(&s, driven_four_bar("3*t + sin(5*t)/2"), (jn_coordinates)c);
        for (int k = 0; k < 50; k++) {
            jn_joint_motion j;
            assert_int_equal(jn_study_kinematic(s.sim, 0.02 * (k + 1)), JN_OK);
            jn_joint_motion_get(s.model, jn_sim_work(s.sim), 0, &j);
            double t = 0.02 * (k + 1);
            assert_near(j.q[0], 3 * t + sin(5 * t) / 2, 1e-12);
            assert_near(j.u[0], 3 + 2.5 * cos(5 * t), 1e-10);
            assert_near(j.a[0], -12.5 * sin(5 * t), 1e-9);
            torque[c][k] = j.drive[0];
        }
        const jn_audit *audit = jn_sim_audit(s.sim);
        if (!audit->ok) print_error("%s\n", audit->verdict);
        assert_true(audit->ok);
        assert_below(audit->max_energy_residual / audit->energy_scale, 1e-6);
        scene_close(&s);
    }
    for (int k = 0; k < 50; k++) assert_near(torque[1][k], torque[0][k], 1e-9 * (1 + fabs(torque[0][k])));
}

/* Many turns in one call: the interval is cut where Newton would jump to another branch. */
static void test_long_interval(void **state) {
    (void)state;
    scene a, b;
    scene_open(&a, driven_four_bar("2*pi*t"), JN_COORDINATES_RELATIVE);
    scene_open(&b, driven_four_bar("2*pi*t"), JN_COORDINATES_RELATIVE);
    for (int k = 1; k <= 100; k++) assert_int_equal(jn_study_kinematic(a.sim, 0.013 * k), JN_OK);
    for (int k = 1; k <= 13; k++) assert_int_equal(jn_study_kinematic(b.sim, 0.1 * k), JN_OK);
    for (int i = 0; i < 3; i++) assert_near(jn_sim_state(b.sim)->q[i], jn_sim_state(a.sim)->q[i], 1e-11);
    scene_close(&a);
    scene_close(&b);
}

static void test_free_mechanism_is_refused(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        scene s;
        scene_open(&s, driven_four_bar(NULL), (jn_coordinates)c);
        assert_int_equal(jn_study_kinematic(s.sim, 0.1), JN_ERR_MODEL);
        const jn_error *e = jn_sim_error(s.sim);
        assert_non_null(strstr(e->text, "leave 1 degree of freedom open"));
        assert_non_null(strstr(e->text, "still moves"));
        scene_close(&s);
    }
}

static void test_tree_without_drivers(void **state) {
    (void)state;
    scene s;
    jn_description *d = driven_four_bar(NULL);
    d->joint_count = 3; /* an open chain */
    scene_open(&s, d, JN_COORDINATES_RELATIVE);
    assert_int_equal(jn_study_kinematic(s.sim, 0.1), JN_ERR_MODEL);
    assert_non_null(strstr(jn_sim_error(s.sim)->text, "leave 3 degrees of freedom open"));
    scene_close(&s);
}

/* The second driver fits at the start only. */
static void test_conflicting_drivers(void **state) {
    (void)state;
    scene s;
    jn_description *d = driven_four_bar("t^2");
    d->joints[3].coordinate[0].motion = jn_description_function(d, "5*t^2", NULL);
    scene_open(&s, d, JN_COORDINATES_RELATIVE);
    assert_int_equal(jn_study_kinematic(s.sim, 0.3), JN_ERR_ASSEMBLY);
    assert_non_null(strstr(jn_sim_error(s.sim)->text, "joint"));
    assert_non_null(strstr(jn_sim_error(s.sim)->hint, "contradict"));
    scene_close(&s);
}

/* A driven chain long enough for the sparse solver: torques as in relative coordinates. */
static void test_long_chain(void **state) {
    (void)state;
    enum { LINKS = 40 };
    double torque[2][LINKS];
    for (int c = 0; c < 2; c++) {
        scene s;
        jn_description *d = jn_description_create();
        for (int k = 0; k < LINKS; k++) {
            char name[16];
            snprintf(name, sizeof name, "link%d", k);
            jn_body_desc b = jn_body_default(name);
            b.mass = 1;
            b.com = (jn_vec3){0.1 * k + 0.05, 0, 0};
            b.inertia = (jn_sym3){1e-3, 1e-3, 1e-3, 0, 0, 0};
            jn_description_add_body(d, &b);
            jn_joint_desc j = jn_joint_default(name, JN_JOINT_REVOLUTE);
            j.body[0] = k, j.body[1] = k + 1;
            j.frame[0].at = j.frame[1].at = (jn_vec3){0.1 * k, 0, 0};
            j.frame[0].axis = j.frame[1].axis = k % 2 ? (jn_vec3){0, 1, 0} : (jn_vec3){0, 0, 1};
            j.coordinate[0].motion = jn_description_function(d, k % 3 ? "sin(2*t)/5" : "t^2/10", NULL);
            jn_description_add_joint(d, &j);
        }
        scene_open(&s, d, (jn_coordinates)c);
        assert_int_equal(jn_study_kinematic(s.sim, 0.3), JN_OK);
        for (int k = 0; k < LINKS; k++) {
            jn_joint_motion j;
            jn_joint_motion_get(s.model, jn_sim_work(s.sim), k, &j);
            torque[c][k] = j.drive[0];
        }
        scene_close(&s);
    }
    for (int k = 0; k < LINKS; k++) assert_near(torque[1][k], torque[0][k], 1e-8 * fabs(torque[0][0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_cases),
        cmocka_unit_test(test_inverse_dynamics_identity),
        cmocka_unit_test(test_drive_and_ledger),
        cmocka_unit_test(test_long_interval),
        cmocka_unit_test(test_free_mechanism_is_refused),
        cmocka_unit_test(test_conflicting_drivers),
        cmocka_unit_test(test_long_chain),
        cmocka_unit_test(test_tree_without_drivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* ATHENA against ../shared/reference/cases_000.json: joint angles of the gait, contact forces, accelerations of the torso and
 * drive torques at given states; and the walk of 6 s in relative and in absolute coordinates. */
#include "body_scenes.h"
#include "check.h"
#include "motion/work.h"
#include "reaction/compliant/compliant_contact.h"
#include "reference_model.h"
#include "step/sim.h"
#include <stdlib.h>
#include <string.h>

enum { LEGS = 6 };

typedef struct walker {
    jn_report report;
    jn_model *m;
    jn_sim *sim;
} walker;

static walker open_walker(jn_coordinates coordinates) {
    walker w = {0};
    const char *path = JN_SOURCE_DIR "/models/rodrigues2024/athena.yaml";
    jn_description *d = jn_description_read(path, NULL, 0, &w.report);
    assert_non_null(d);
    d->coordinates = coordinates;
    w.m = jn_model_compile(d, &w.report);
    jn_description_free(d);
    assert_non_null(w.m);
    w.sim = jn_sim_create(w.m, &w.report);
    assert_non_null(w.sim);
    return w;
}

static void close_walker(walker *w) {
    jn_sim_free(w->sim);
    jn_model_free(w->m);
}

/* The torso where the case has it, the legs where their drivers want them. torso = position, quaternion, velocity in world axes,
 * angular velocity in the body's. */
static void place(walker *w, double t, const double *torso) {
    jn_state *s = jn_sim_state(w->sim);
    jn_quat q = {torso[3], torso[4], torso[5], torso[6]};
    jn_mat3 R = q4_matrix(q);
    jn_vec3 wb = m3_mul_v(&R, v3(torso[10], torso[11], torso[12]));
    double speed_now[2] = {0, 0};
    int base = w->m->links[w->m->bodies[jn_model_find_body(w->m, "torso")].link].q;
    s->t = t;
    for (int pass = 0; pass < 2; pass++) { /* the projection puts the legs right and moves the torso by least change */
        for (int k = 0; k < 7; k++) s->q[base + k] = torso[k];
        for (int k = 0; k < 3; k++) s->u[base + k] = torso[7 + k], s->u[base + 3 + k] = v3_get(wb, k);
        if (pass == 0) assert_int_equal(jn_project(w->m, jn_sim_work(w->sim), s), JN_OK);
    }
    jn_constraint_residual(w->m, jn_sim_work(w->sim), s, NULL, NULL, speed_now);
    assert_below(speed_now[0], 1e-12);
    assert_below(speed_now[1], 1e-11);
    for (int i = 0; i < s->contact_count; i++) s->contact[i].speed = 0.02;
}

static double largest(const json *values, double *x, int n) {
    double size = 1;
    assert_int_equal(json_numbers(values, x, n), n);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static void check_point(const json *c) {
    walker w = open_walker(JN_COORDINATES_RELATIVE);
    const json *in = json_get(c, "input"), *out = json_get(c, "expected");
    double torso[13], f[3 * LEGS], angle[3 * LEGS], torque[3 * LEGS], acc[3], alpha[3];
    json_numbers(json_get(in, "torso"), torso, 13);
    assert_int_equal(jn_sim_state(w.sim)->contact_count, LEGS);
    place(&w, json_number(json_get(in, "t"), -1), torso);
    assert_int_equal(jn_sim_observe(w.sim), JN_OK);
    double f_size = largest(json_get(out, "contact_forces"), f, 3 * LEGS),
           torque_size = largest(json_get(out, "joint_torques"), torque, 3 * LEGS),
           acc_size = largest(json_get(out, "torso_acc_world"), acc, 3),
           alpha_size = largest(json_get(out, "torso_alpha_world"), alpha, 3), off[4] = {0};
    largest(json_get(out, "joint_angles"), angle, 3 * LEGS);
    static const char *const names[] = {"hip_yaw", "hip_pitch", "knee"};
    for (int leg = 0; leg < LEGS; leg++) {
        const jn_contact_sum *sum = &w.sim->contacts->sum[leg];
        off[1] = fmax(off[1], fabs(sum->fn - f[3 * leg + 2]) / f_size);
        off[1] = fmax(off[1], fabs(sum->ft - hypot(f[3 * leg], f[3 * leg + 1])) / f_size);
        for (int k = 0; k < 3; k++) {
            char name[32];
            jn_joint_motion j;
            snprintf(name, sizeof name, "%s%d", names[k], leg + 1);
            jn_joint_motion_get(w.m, jn_sim_work(w.sim), jn_model_find_joint(w.m, name), &j);
            off[0] = fmax(off[0], fabs(j.q[0] - angle[3 * leg + k]));
            off[3] = fmax(off[3], fabs(j.drive[0] - torque[3 * leg + k]) / torque_size);
        }
    }
    jn_body_motion b;
    jn_body_motion_get(w.m, jn_sim_work(w.sim), jn_model_find_body(w.m, "torso"), &b);
    for (int k = 0; k < 3; k++) {
        off[2] = fmax(off[2], fabs(v3_get(b.acceleration, k) - acc[k]) / acc_size);
        off[2] = fmax(off[2], fabs(v3_get(b.angular_acceleration, k) - alpha[k]) / alpha_size);
    }
    printf("%s: angles %.0e rad  forces %.0e  accelerations %.0e  torques %.0e\n", json_text(json_get(c, "id"), ""),
           off[0], off[1], off[2], off[3]);
    assert_below(off[0], 1e-12);
    assert_below(off[1], 1e-9);
    assert_below(off[2], 1e-8);
    assert_below(off[3], 1e-8);
    close_walker(&w);
}

static void points(void **state) {
    (void)state;
    if (!reference_present()) return;
    json *cases = json_read(reference_path("cases_000.json"));
    check_point(json_case(cases, "athena_point_1"));
    check_point(json_case(cases, "athena_point_2"));
    json_free(cases);
}

/* 144 equations and 150 coordinates: as the paper has it. */
static void walk(void **state) {
    (void)state;
    if (!reference_present()) return;
    json *cases = json_read(reference_path("cases_000.json"));
    const json *out = json_get(json_case(cases, "athena_walk_6s"), "expected");
    for (int absolute = 0; absolute < 2; absolute++) {
        walker w = open_walker(absolute ? JN_COORDINATES_ABSOLUTE : JN_COORDINATES_RELATIVE);
        assert_true(!absolute || (jn_model_nv(w.m) == 150 && jn_model_rows(w.m) == 144));
        double worst = 0;
        for (const json *s = json_get(out, "samples")->first; s; s = s->next) {
            double t = json_number(json_get(s, "t"), 0), p[3], q[4];
            if (absolute && t > 1) break;
            assert_int_equal(jn_sim_advance(w.sim, t), JN_OK);
            assert_int_equal(jn_sim_observe(w.sim), JN_OK);
            jn_body_motion b;
            jn_body_motion_get(w.m, jn_sim_work(w.sim), jn_model_find_body(w.m, "torso"), &b);
            json_numbers(json_get(s, "pos"), p, 3);
            json_numbers(json_get(s, "quat"), q, 4);
            for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(v3_get(b.position, k) - p[k]));
            for (int k = 0; k < 4; k++) assert_near((&b.orientation.w)[k], q[k], 5e-6);
        }
        printf("walk in %s coordinates: %.1e m\n", absolute ? "absolute" : "relative", worst);
        assert_below(worst, 2e-6);
        close_walker(&w);
    }
    json_free(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points), cmocka_unit_test(walk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

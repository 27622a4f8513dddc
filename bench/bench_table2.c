/* Table II of [Rodrigues2024]: the time of 1000 evaluations of the kinematic and of the dynamic model, for arms with 2, 4 and 6 joints
 * and for CHARMIE. The paper's program is in Python, on an AMD Ryzen 5 5600X.
 *
 * Kinematic: poses and velocities of all bodies from the joint coordinates; CHARMIE's loops are closed by Newton-Raphson from 1 mrad
 * away (jn_project, jn_kinematics). Analysis: the same at 1000 instants with accelerations, driver forces and their work
 * (jn_study_kinematic). Dynamic: accelerations and multipliers of the mechanism without drivers, CHARMIE on a free base
 * (jn_accelerate). Checked: loops are closed; under the forces of the analysis the dynamic model has the prescribed accelerations. */
#include "bench.h"
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVALUATIONS = 1000 };

typedef struct robot {
    jn_model *driven, *loose;
    jn_sim *kinematic, *dynamic;
    double *tau, *a, *lambda;
    double error; /* of the accelerations */
    double open;  /* largest residual of the loops */
} robot;

static const struct {
    const char *file;
    double kinematic, dynamic; /* [s] of the paper */
} cases[] = {{"arm2", 0.211, 0.482}, {"arm4", 0.269, 0.715}, {"arm6", 0.325, 0.947}, {"charmie", 2.409, 7.856}};

static jn_model *compile(const char *name, bool loose) {
    char path[512];
    jn_report report = {0};
    snprintf(path, sizeof path, "%s/models/rodrigues2024/%s.yaml", JN_SOURCE_DIR, name);
    jn_description *d = jn_description_read(path, NULL, 0, &report);
    if (!d) bench_give_up(name, report.item[0].text);
    for (int k = 0; loose && k < d->joint_count; k++) {
        jn_joint_desc *j = &d->joints[k];
        if (!strcmp(j->name, "stand")) j->type = JN_JOINT_FREE, j->frame[0].at = j->frame[1].at = (jn_vec3){0, 0, 0};
        j->coordinate[0].motion = (jn_function){0};
    }
    jn_model *m = jn_model_compile(d, &report);
    jn_description_free(d);
    if (!m) bench_give_up(name, report.item[0].text);
    return m;
}

/* The loose mechanism where the driven one is, under its forces. */
static void take_over(robot *r) {
    int bodies = jn_model_bodies(r->driven);
    jn_body_motion *motion = calloc((size_t)bodies, sizeof *motion);
    for (int i = 0; i < bodies; i++) jn_body_motion_get(r->driven, jn_sim_work(r->kinematic), i, &motion[i]);
    jn_state_from_bodies(r->loose, jn_sim_work(r->dynamic), jn_sim_state(r->dynamic), motion);
    free(motion);
    memset(r->tau, 0, (size_t)jn_model_nv(r->loose) * sizeof *r->tau);
    for (int k = 0; k < jn_model_joints(r->driven); k++) {
        jn_joint_motion j;
        int at = jn_model_joint_u_index(r->loose, k);
        if (at < 0) continue;
        jn_joint_motion_get(r->driven, jn_sim_work(r->kinematic), k, &j);
        if (jn_model_joint_type(r->loose, k) == JN_JOINT_FREE)
            memcpy(r->tau + at, &j.reaction.f, 3 * sizeof(double)),
                memcpy(r->tau + at + 3, &j.reaction.n, 3 * sizeof(double));
        else
            r->tau[at] = j.drive[0];
    }
}

static void open_robot(robot *r, const char *name) {
    jn_report report = {0};
    r->driven = compile(name, false), r->loose = compile(name, true);
    r->kinematic = jn_sim_create(r->driven, &report), r->dynamic = jn_sim_create(r->loose, &report);
    if (!r->kinematic || !r->dynamic) bench_give_up(name, report.item[0].text);
    size_t nv = (size_t)jn_model_nv(r->loose);
    r->tau = calloc(nv, sizeof(double)), r->a = calloc(nv, sizeof(double));
    r->lambda = calloc((size_t)jn_model_rows(r->loose) + 1, sizeof(double));
    if (jn_study_kinematic(r->kinematic, 0) < 0) bench_give_up(name, "kinematic analysis failed");
    take_over(r);
    if (jn_sim_accelerate(r->dynamic, jn_sim_state(r->dynamic), r->tau, r->a, r->lambda) < 0)
        bench_give_up(name, "no accelerations");
    for (int k = 0; k < jn_model_joints(r->driven); k++) {
        jn_joint_motion j;
        int at = jn_model_joint_u_index(r->loose, k);
        if (at < 0) continue;
        jn_joint_motion_get(r->driven, jn_sim_work(r->kinematic), k, &j);
        for (int i = 0; i < jn_model_joint_nv(r->loose, k); i++) {
            double wanted = jn_model_joint_type(r->driven, k) == JN_JOINT_FIXED ? 0 : j.a[i];
            r->error = fmax(r->error, fabs(r->a[at + i] - wanted) / fmax(1, fabs(wanted)));
        }
    }
}

static void close_robot(robot *r) {
    jn_sim_free(r->kinematic), jn_sim_free(r->dynamic);
    jn_model_free(r->driven), jn_model_free(r->loose);
    free(r->tau), free(r->a), free(r->lambda);
}

/* Each time from another place nearby. */
static double kinematic_time(robot *r) {
    jn_state *s = jn_sim_state(r->dynamic), *home = jn_state_create(r->loose);
    jn_work *w = jn_sim_work(r->dynamic);
    int nv = jn_model_nv(r->loose), rows = jn_model_rows(r->loose);
    double used = 0, *step = calloc((size_t)nv, sizeof *step), open[2];
    jn_state_copy(home, s);
    for (int k = 0; k < EVALUATIONS; k++) {
        for (int i = 0; i < nv; i++) step[i] = 1e-3 * sin(1.7 * k + 2.3 * i);
        memcpy(s->q, home->q, (size_t)jn_model_nq(r->loose) * sizeof *s->q);
        jn_q_advance(r->loose, s->q, step, 1);
        double start = bench_processor();
        if (rows && jn_project(r->loose, w, s) != JN_OK) bench_give_up("table2", "the loops do not close");
        jn_kinematics(r->loose, w, s);
        used += bench_processor() - start;
        jn_constraint_residual(r->loose, w, s, NULL, NULL, open);
        r->open = fmax(r->open, open[0]);
    }
    jn_state_copy(s, home);
    jn_state_free(home);
    free(step);
    return used;
}

static double analysis_time(robot *r) {
    double start = bench_processor();
    for (int k = 0; k < EVALUATIONS; k++)
        if (jn_study_kinematic(r->kinematic, 0.1 * k / EVALUATIONS) < 0)
            bench_give_up("table2", "kinematic analysis failed");
    return bench_processor() - start;
}

static double dynamic_time(robot *r) {
    double start = bench_processor();
    for (int k = 0; k < EVALUATIONS; k++)
        jn_sim_accelerate(r->dynamic, jn_sim_state(r->dynamic), r->tau, r->a, r->lambda);
    return bench_processor() - start;
}

int main(int argc, char **argv) {
    bench_begin(argc, argv, "table2");
    printf("1000 evaluations [ms]    kinematic   paper / this     dynamic   paper / this   analysis   error\n");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        robot r = {0};
        double best[3] = {INFINITY, INFINITY, INFINITY};
        open_robot(&r, cases[k].file);
        for (int round = 0; round < 5; round++) {
            best[0] = fmin(best[0], kinematic_time(&r));
            best[1] = fmin(best[1], dynamic_time(&r));
            best[2] = fmin(best[2], analysis_time(&r));
        }
        bench_check(cases[k].file, "accelerations under the inverse dynamics' forces", r.error, 1e-8);
        bench_check(cases[k].file, "loops", r.open, 1e-12);
        printf("%-20s %13.3f %14.0f %11.3f %14.0f %10.1f %7.0e\n", cases[k].file, 1e3 * best[0],
               cases[k].kinematic / best[0], 1e3 * best[1], cases[k].dynamic / best[1], 1e3 * best[2], r.error);
        bench_record(cases[k].file, EVALUATIONS, "kinematic", "ms", 1e3 * best[0]);
        bench_record(cases[k].file, EVALUATIONS, "dynamic", "ms", 1e3 * best[1]);
        bench_record(cases[k].file, EVALUATIONS, "analysis", "ms", 1e3 * best[2]);
        close_robot(&r);
    }
    return bench_end();
}

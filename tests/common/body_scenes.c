/* Models opened for tests, and states given body by body. */
#include "body_scenes.h"
#include "check.h"
#include <stdlib.h>
#include <string.h>

void bench_open(bench *b, jn_description *d) {
    assert_non_null(d);
    jn_report_clear(&b->report);
    b->d = d;
    b->model = jn_model_compile(d, &b->report);
    check_report(&b->report);
    b->sim = jn_sim_create(b->model, &b->report);
    check_report(&b->report);
}

void bench_read(bench *b, const char *file, jn_coordinates coordinates) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", JN_SOURCE_DIR, file);
    jn_description *d = jn_description_read(path, NULL, 0, &b->report);
    check_report(&b->report);
    assert_non_null(d);
    d->coordinates = coordinates;
    bench_open(b, d);
}

void bench_close(bench *b) {
    jn_sim_free(b->sim);
    jn_model_free(b->model);
    jn_description_free(b->d);
}

void bench_place(bench *b, const double *q, const double *v) {
    int count = jn_model_bodies(b->model);
    jn_body_motion *x = calloc((size_t)count, sizeof *x);
    assert_non_null(x);
    x[0].orientation.w = 1;
    for (int i = 1; i < count; i++, q += 7, v += 6) {
        x[i].position = (jn_vec3){q[0], q[1], q[2]};
        x[i].orientation = (jn_quat){q[3], q[4], q[5], q[6]};
        x[i].velocity = (jn_vec3){v[0], v[1], v[2]};
        x[i].angular_velocity = (jn_vec3){v[3], v[4], v[5]};
    }
    jn_state_from_bodies(b->model, jn_sim_work(b->sim), jn_sim_state(b->sim), x);
    jn_sim_restart(b->sim);
    free(x);
}

void bench_observe(bench *b) { assert_int_equal(jn_sim_observe(b->sim), JN_OK); }

jn_body_motion bench_body(const bench *b, int body) {
    jn_body_motion x;
    jn_body_motion_get(b->model, jn_sim_work(b->sim), body, &x);
    return x;
}

jn_joint_motion bench_joint(const bench *b, int joint) {
    jn_joint_motion x;
    jn_joint_motion_get(b->model, jn_sim_work(b->sim), joint, &x);
    return x;
}

double json_deviation(const double *found, const json *expected) {
    int count = json_numbers(expected, NULL, 0);
    double *x = calloc((size_t)count + 1, sizeof *x), most = 0, size = 1;
    assert_non_null(x);
    assert_true(count > 0);
    json_numbers(expected, x, count);
    for (int i = 0; i < count; i++) {
        most = fmax(most, isfinite(found[i]) ? fabs(found[i] - x[i]) : INFINITY);
        size = fmax(size, fabs(x[i]));
    }
    free(x);
    return most / size;
}

const json *json_case(const json *file, const char *name) {
    const json *list = json_get(file, "cases");
    for (const json *c = list ? list->first : NULL; c; c = c->next)
        if (!strcmp(json_text(json_get(c, "id"), ""), name)) return c;
    return NULL;
}

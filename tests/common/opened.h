/* A described mechanism, compiled and opened as a simulation; and joints in one line. */
#ifndef JN_TESTS_OPENED_H
#define JN_TESTS_OPENED_H

#include "check.h"
#include <jounce/study.h>

typedef struct scene {
    jn_report report;
    jn_description *d;
    jn_model *model;
    jn_sim *sim;
} scene;

/* The description stays the caller's. */
static inline void scene_borrow(scene *s, jn_description *d, jn_coordinates coordinates) {
    assert_non_null(d);
    jn_report_clear(&s->report);
    s->d = NULL;
    d->coordinates = coordinates;
    s->model = jn_model_compile(d, &s->report);
    check_report(&s->report);
    s->sim = jn_sim_create(s->model, &s->report);
    check_report(&s->report);
}

/* The description is freed with the scene. */
static inline void scene_open(scene *s, jn_description *d, jn_coordinates coordinates) {
    scene_borrow(s, d, coordinates);
    s->d = d;
}

static inline void scene_close(scene *s) {
    jn_sim_free(s->sim);
    jn_model_free(s->model);
    jn_description_free(s->d);
}

static inline jn_joint_desc *add_joint(jn_description *d, const char *name, jn_joint_type type, int a, int b, jn_vec3 at,
                                       jn_vec3 axis) {
    jn_joint_desc j = jn_joint_default(name, type);
    j.body[0] = a, j.body[1] = b;
    j.frame[0].at = j.frame[1].at = at;
    j.frame[0].axis = j.frame[1].axis = axis;
    int index = jn_description_add_joint(d, &j);
    assert_true(index >= 0);
    return &d->joints[index];
}

#endif

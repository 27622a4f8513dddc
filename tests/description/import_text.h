/* What tests of the importers share: a robot from a text, and what was reported about it. */
#ifndef JN_TEST_IMPORT_TEXT_H
#define JN_TEST_IMPORT_TEXT_H

#include "check.h"

#include <jounce/jounce.h>
#include <string.h>

#define WORLD(inside) "<mujoco><worldbody>" inside "</worldbody></mujoco>"
#define BALL "<geom size='0.1'/>"

static jn_report report;

static inline jn_description *parse(const char *text, const char *name, const char *settings[][2], int count) {
    jn_setting list[8] = {{0}};
    for (int i = 0; i < count; i++) list[i] = (jn_setting){settings[i][0], settings[i][1]};
    return jn_description_parse(text, strlen(text), name, list, count, &report);
}

static inline jn_description *read_text(const char *text) {
    jn_description *d = parse(text, "robot.xml", NULL, 0);
    check_report(&report);
    assert_non_null(d);
    return d;
}

static inline const jn_joint_desc *joint(const jn_description *d, const char *name) {
    for (int i = 0; i < d->joint_count; i++)
        if (!strcmp(d->joints[i].name, name)) return &d->joints[i];
    print_error("there is no joint '%s'\n", name);
    fail();
    return NULL;
}

static inline const jn_body_desc *body(const jn_description *d, const char *name) {
    for (int i = 0; i < d->body_count; i++)
        if (!strcmp(d->bodies[i].name, name)) return &d->bodies[i];
    print_error("there is no body '%s'\n", name);
    fail();
    return NULL;
}

static inline void assert_vector(jn_vec3 v, double x, double y, double z) {
    assert_near(v.x, x, 1e-14);
    assert_near(v.y, y, 1e-14);
    assert_near(v.z, z, 1e-14);
}

/* A note, warning or error whose text holds all of `what`. */
static inline const jn_error *told(const char *what) {
    for (int i = 0; i < report.count; i++)
        if (strstr(report.item[i].text, what)) return &report.item[i];
    for (int i = 0; i < report.count; i++) print_error("told: %d: %s\n", report.item[i].line, report.item[i].text);
    print_error("nobody said '%s'\n", what);
    fail();
    return NULL;
}

#endif

/* The mechanisms of the reference as descriptions. */
#include "reference_model.h"
#include "json_reader.h"
#include <stdio.h>
#include <string.h>

const char *reference_path(const char *file) {
    static char path[512];
    snprintf(path, sizeof path, "%s/../shared/reference/%s", JN_SOURCE_DIR, file);
    return path;
}

bool reference_present(void) {
    FILE *file = fopen(reference_path("README.md"), "rb");
    if (file)
        fclose(file);
    else
        printf("skipped: no ../shared/reference\n");
    return file != NULL;
}

static jn_vec3 read_vector(const json *node) {
    double x[3] = {0, 0, 0};
    json_numbers(node, x, 3);
    return (jn_vec3){x[0], x[1], x[2]};
}

static int find_body(const jn_description *d, const char *name) {
    for (int i = 0; i < d->body_count; i++)
        if (!strcmp(d->bodies[i].name, name)) return i;
    return -1;
}

static bool add_body(jn_description *d, const json *from) {
    jn_body_desc body = jn_body_default(json_text(json_get(from, "name"), ""));
    double I[9] = {0};
    body.mass = json_number(json_get(from, "mass"), 0);
    body.com = read_vector(json_get(from, "com"));
    json_numbers(json_get(from, "inertia"), I, 9);
    body.inertia = (jn_sym3){I[0], I[4], I[8], I[1], I[2], I[5]};
    return jn_description_add_body(d, &body) >= 0;
}

static bool joint_type(const char *name, jn_joint_type *type) {
    if (!strcmp(name, "inline")) name = "point_on_line";
    for (int k = 0; k < JN_JOINT_TYPES; k++)
        if (!strcmp(jn_joint_type_info((jn_joint_type)k)->name, name)) {
            *type = (jn_joint_type)k;
            return true;
        }
    return false;
}

static bool add_joint(jn_description *d, const json *from) {
    jn_joint_type type;
    if (!joint_type(json_text(json_get(from, "type"), ""), &type)) return false;
    jn_joint_desc joint = jn_joint_default(json_text(json_get(from, "name"), ""), type);
    joint.body[0] = find_body(d, json_text(json_get(from, "parent"), ""));
    joint.body[1] = find_body(d, json_text(json_get(from, "child"), ""));
    for (int k = 0; k < 2; k++) {
        joint.frame[k].at = read_vector(json_get(from, "point"));
        joint.frame[k].axis = read_vector(json_get(from, "axis"));
    }
    joint.closes_loop = json_number(json_get(from, "tree"), 1) == 0;
    return jn_description_add_joint(d, &joint) >= 0;
}

jn_description *reference_model_read(const char *path, jn_coordinates coordinates) {
    json *file = json_read(path);
    jn_description *d = file ? jn_description_create() : NULL;
    bool ok = d != NULL;
    if (ok) {
        d->coordinates = coordinates;
        d->gravity = read_vector(json_get(file, "gravity"));
        const json *bodies = json_get(file, "bodies"), *joints = json_get(file, "joints");
        for (const json *b = bodies ? bodies->first : NULL; ok && b; b = b->next) ok = add_body(d, b);
        for (const json *j = joints ? joints->first : NULL; ok && j; j = j->next) ok = add_joint(d, j);
    }
    json_free(file);
    if (ok) return d;
    jn_description_free(d);
    return NULL;
}

jn_description *reference_model_find(const char *name, jn_coordinates coordinates) {
    char file[128];
    snprintf(file, sizeof file, "models/%s.json", name);
    return reference_model_read(reference_path(file), coordinates);
}

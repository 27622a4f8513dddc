/* Read access to the compiled model. */
#include "model/model_layout.h"
#include <stdio.h>
#include <string.h>

bool jn_model_planar(const jn_model *m) { return m->planar; }
jn_coordinates jn_model_coordinates(const jn_model *m) { return m->coordinates; }
int jn_model_nq(const jn_model *m) { return m->nq; }
int jn_model_nv(const jn_model *m) { return m->nv; }
int jn_model_rows(const jn_model *m) { return m->row_count; }
int jn_model_bodies(const jn_model *m) { return m->body_count; }
int jn_model_joints(const jn_model *m) { return m->joint_count; }
int jn_model_tendons(const jn_model *m) { return m->tendon_count; }
int jn_model_sensors(const jn_model *m) { return m->sensor_count; }
int jn_model_actuators(const jn_model *m) { return m->actuation_count; }
int jn_model_points(const jn_model *m) { return m->point_count; }
const char *jn_model_title(const jn_model *m) { return m->title; }
uint64_t jn_model_hash(const jn_model *m) { return m->hash; }
const jn_run_desc *jn_model_run(const jn_model *m) { return &m->run; }

int jn_model_find_body(const jn_model *m, const char *name) {
    for (int i = 0; i < m->body_count; i++)
        if (!strcmp(m->bodies[i].name, name)) return i;
    return -1;
}
int jn_model_find_joint(const jn_model *m, const char *name) {
    for (int i = 0; i < m->joint_count; i++)
        if (!strcmp(m->joints[i].name, name)) return i;
    return -1;
}
int jn_model_find_sensor(const jn_model *m, const char *name) {
    for (int i = 0; i < m->sensor_count; i++)
        if (strcmp(m->sensors[i].name, name) == 0) return i;
    return -1;
}

int jn_model_find_actuator(const jn_model *m, const char *name) {
    for (int i = 0; i < m->actuation_count; i++)
        if (strcmp(m->actuations[i].name, name) == 0) return i;
    return -1;
}

int jn_model_find_tendon(const jn_model *m, const char *name) {
    for (int i = 0; i < m->tendon_count; i++)
        if (strcmp(m->tendons[i].name, name) == 0) return i;
    return -1;
}

int jn_model_find_point(const jn_model *m, const char *name) {
    for (int i = 0; i < m->point_count; i++)
        if (!strcmp(m->points[i].name, name)) return i;
    return -1;
}

const char *jn_model_body_name(const jn_model *m, int body) { return m->bodies[body].name; }
const char *jn_model_joint_name(const jn_model *m, int joint) { return m->joints[joint].name; }
const char *jn_model_point_name(const jn_model *m, int point) { return m->points[point].name; }
jn_where jn_model_body_where(const jn_model *m, int body) { return m->bodies[body].where; }
jn_where jn_model_joint_where(const jn_model *m, int joint) { return m->joints[joint].where; }
jn_joint_type jn_model_joint_type(const jn_model *m, int joint) { return m->joints[joint].type; }
double jn_model_body_mass(const jn_model *m, int body) { return m->links[m->bodies[body].link].mass; }
bool jn_model_joint_is_loop(const jn_model *m, int joint) { return m->joints[joint].link < 0; }
int jn_model_joint_nq(const jn_model *m, int joint) { return m->joints[joint].nq; }
int jn_model_joint_nv(const jn_model *m, int joint) { return m->joints[joint].nv; }

int jn_model_joint_q_index(const jn_model *m, int joint) {
    const jn_joint *j = &m->joints[joint];
    return j->closure < 0 ? m->links[j->link].q : -1;
}
int jn_model_joint_u_index(const jn_model *m, int joint) {
    const jn_joint *j = &m->joints[joint];
    return j->closure < 0 ? m->links[j->link].v : -1;
}

int jn_model_row_name(const jn_model *m, int row, char *buffer, size_t size) {
    const jn_row *r = &m->rows[row];
    const char *joint = r->joint >= 0 ? m->joints[r->joint].name : "";
    static const char axis[] = "xyz";
    switch (r->type) {
    case JN_ROW_POINT:
    case JN_ROW_POINT_ON_A: snprintf(buffer, size, "joint %s: point %c", joint, axis[r->a]); break;
    case JN_ROW_SLIDE: snprintf(buffer, size, "joint %s: slide %c", joint, axis[r->a]); break;
    case JN_ROW_DIRECTION: snprintf(buffer, size, "joint %s: direction %c.%c", joint, axis[r->a], axis[r->b]); break;
    case JN_ROW_DISTANCE: snprintf(buffer, size, "joint %s: distance", joint); break;
    case JN_ROW_SCREW: snprintf(buffer, size, "joint %s: screw", joint); break;
    case JN_ROW_ANGLE: snprintf(buffer, size, "joint %s: angle", joint); break;
    case JN_ROW_DRIVER: snprintf(buffer, size, "joint %s: motion %d", joint, r->a + 1); break;
    case JN_ROW_COUPLER: snprintf(buffer, size, "coupler %s", m->couplers[r->item].name); break;
    }
    return r->joint;
}

static const jn_tendon *tendon_of(const jn_model *m, const jn_stop *stop) {
    return &m->tendons[stop->handle - m->tendons[0].handle];
}

const char *jn_stop_kind(const jn_stop *stop) { return stop->joint >= 0 ? "joint" : "tendon"; }

const char *jn_stop_name(const jn_model *m, const jn_stop *stop) {
    return stop->joint >= 0 ? m->joints[stop->joint].name : tendon_of(m, stop)->name;
}

jn_where jn_stop_where(const jn_model *m, const jn_stop *stop) {
    return stop->joint >= 0 ? m->joints[stop->joint].where : tendon_of(m, stop)->where;
}

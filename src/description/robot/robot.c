/* A robot while it is read: its lists, numbers of attributes, and what is reported about the file. */
#include "description/robot/robot.h"
#include "description/robot/robot_nodes.h"

#include "base/parse_number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- lists */

static void *grow(jn_robot *b, void *list, int *count, size_t size) {
    char *wide = jn_store_grow(b->r->scratch, list, *count, size);
    if (!wide) {
        jn_read_no_memory(b->r);
        return NULL;
    }
    memset(wide + (size_t)*count * size, 0, size);
    return wide;
}

#define ADD(list, number)                                                                                              \
    void *wide = grow(b, b->list, &b->number, sizeof *b->list);                                                        \
    if (!wide) return NULL;                                                                                            \
    b->list = wide

const char *jn_robot_text(jn_robot *b, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : jn_store_alloc(b->r->scratch, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    else
        jn_read_no_memory(b->r);
    va_end(again);
    va_end(args);
    return text ? text : "";
}

jn_robot_body *jn_robot_add_body(jn_robot *b, const char *name, jn_where where) {
    ADD(bodies, body_count);
    jn_robot_body *body = &b->bodies[b->body_count++];
    *body = (jn_robot_body){
        .name = name, .where = where, .inertia_where = where, .parent = -1, .orientation = {1, 0, 0, 0}};
    return body;
}

jn_robot_joint *jn_robot_add_joint(jn_robot *b, const char *name, jn_where where, jn_joint_type type, int parent,
                                   int child) {
    ADD(joints, joint_count);
    jn_robot_joint *j = &b->joints[b->joint_count++];
    *j = (jn_robot_joint){
        .name = name, .where = where, .type = type, .body = {parent, child}, .axis = {0, 0, 1}, .mimic = -1};
    return j;
}

jn_robot_shape *jn_robot_add_shape(jn_robot *b, int body, jn_shape_type type, jn_where where) {
    ADD(shapes, shape_count);
    jn_robot_shape *s = &b->shapes[b->shape_count++];
    *s = (jn_robot_shape){.where = where,
                          .body = body,
                          .type = type,
                          .orientation = {1, 0, 0, 0},
                          .scale = {1, 1, 1},
                          .material = -1,
                          .layer = 1,
                          .touches = -1};
    return s;
}

jn_robot_coupler *jn_robot_add_coupler(jn_robot *b, const char *name, jn_where where) {
    ADD(couplers, coupler_count);
    b->couplers[b->coupler_count] = (jn_robot_coupler){.name = name, .where = where};
    return &b->couplers[b->coupler_count++];
}

bool jn_robot_couple(jn_robot *b, jn_robot_coupler *c, int joint, double factor) {
    if (c->count == JN_COUPLER_MAX)
        return jn_read_error(b->r, c->where, JN_ERR_LIMIT, "'%s' couples more than %d joints", c->name, JN_COUPLER_MAX);
    c->joint[c->count] = joint, c->factor[c->count++] = factor;
    return true;
}

/* -(b x^2 + c x^3) - (d v |v| + e v^3), x counted from the rest, or from the nearer end of the slack. [MuJoCo, Polynomial forces] */
const char *jn_robot_polynomial(jn_robot *b, double rest, double slack, const double stiffness[2], const double damping[2]) {
    bool spring = stiffness[0] != 0 || stiffness[1] != 0, damper = damping[0] != 0 || damping[1] != 0;
    const char *far = slack > 0 ? jn_robot_text(b, "(max(x - (%.17g), 0) + min(x - (%.17g), 0))", rest + slack, rest)
                                : jn_robot_text(b, "(x - (%.17g))", rest);
    const char *pull = spring ? jn_robot_text(b, "-(%.17g)*%s^2 - (%.17g)*%s^3", stiffness[0], far, stiffness[1], far) : "";
    const char *slow = damper ? jn_robot_text(b, " - (%.17g)*v*abs(v) - (%.17g)*v^3", damping[0], damping[1]) : "";
    return spring || damper ? jn_robot_text(b, "%s%s", pull, slow) : NULL;
}

jn_robot_tendon *jn_robot_add_tendon(jn_robot *b, const char *name, jn_where where) {
    ADD(tendons, tendon_count);
    b->tendons[b->tendon_count] = (jn_robot_tendon){.name = name, .where = where};
    return &b->tendons[b->tendon_count++];
}

jn_robot_point *jn_robot_add_point(jn_robot *b, const char *name, jn_where where, int body, jn_vec3 at) {
    ADD(points, point_count);
    b->points[b->point_count] = (jn_robot_point){.name = name, .where = where, .body = body, .at = at, .orientation = {1, 0, 0, 0}};
    return &b->points[b->point_count++];
}

bool jn_robot_add_cone(jn_robot *b, const char *name, jn_where where, const int body[2], const jn_robot_pose frame[2],
                       jn_vec3 axis, double angle) {
    static const char *const ends[2] = {"socket", "ball"};
    jn_robot_path *path = jn_store_array(b->r->scratch, 2, sizeof *path);
    jn_robot_tendon *t = path ? jn_robot_add_tendon(b, jn_robot_text(b, "%.50s_range", name), where) : NULL;
    if (!t) return jn_read_no_memory(b->r);
    t->path = path, t->is_rotation = true, t->axis = axis, t->has_upper = true, t->upper = angle;
    for (int k = 0; k < 2; k++) {
        path[k] = (jn_robot_path){.kind = JN_PATH_POINT, .point = b->point_count, .side = -1};
        jn_robot_point *p =
            jn_robot_add_point(b, jn_robot_text(b, "%.50s_%s", name, ends[k]), where, body[k], frame[k].p);
        if (!p) return false;
        p->orientation = frame[k].q, t->path_count++;
    }
    return true;
}

jn_robot_fluid *jn_robot_add_fluid(jn_robot *b) {
    ADD(fluids, fluid_count);
    return &b->fluids[b->fluid_count++];
}

jn_robot_sensor *jn_robot_add_sensor(jn_robot *b, const jn_robot_sensor *sensor) {
    ADD(sensors, sensor_count);
    b->sensors[b->sensor_count] = *sensor;
    return &b->sensors[b->sensor_count++];
}

jn_robot_actuator *jn_robot_add_actuator(jn_robot *b, const jn_actuator_desc *desc, const char *control) {
    ADD(actuators, actuator_count);
    b->actuators[b->actuator_count] = (jn_robot_actuator){
        .desc = *desc, .joint = -1, .tendon = -1, .point = -1, .reference = -1, .control = control};
    return &b->actuators[b->actuator_count++];
}

jn_robot_tie *jn_robot_add_tie(jn_robot *b, const char *name, jn_where where) {
    ADD(ties, tie_count);
    b->ties[b->tie_count] = (jn_robot_tie){.joint = -1, .name = name, .where = where};
    return &b->ties[b->tie_count++];
}

jn_robot_material *jn_robot_add_material(jn_robot *b) {
    ADD(materials, material_count);
    return &b->materials[b->material_count++];
}

jn_robot_pair *jn_robot_add_pair(jn_robot *b, int first, int second, jn_where where) {
    ADD(pairs, pair_count);
    b->pairs[b->pair_count] = (jn_robot_pair){where, {first, second}, -1};
    return &b->pairs[b->pair_count++];
}

jn_robot_parameter *jn_robot_add_parameter(jn_robot *b, const char *name, double value, jn_where where) {
    ADD(parameters, parameter_count);
    b->parameters[b->parameter_count] = (jn_robot_parameter){name, where, value};
    return &b->parameters[b->parameter_count++];
}

jn_robot_pose jn_robot_place(const jn_robot *b, int body) {
    return body < 0 ? (jn_robot_pose){v3(0, 0, 0), q4_identity()}
                    : (jn_robot_pose){b->bodies[body].at, b->bodies[body].orientation};
}

static bool hangs_on(const jn_robot *b, int body, int from) {
    for (; body >= 0; body = b->bodies[body].parent)
        if (body == from) return true;
    return false;
}

void jn_robot_carry(jn_robot *b, int from, jn_quat q, jn_vec3 p) {
    for (int i = 0; i < b->body_count; i++) {
        jn_robot_body *body = &b->bodies[i];
        if (!hangs_on(b, i, from)) continue;
        body->at = v3_add(p, q4_rotate(q, body->at)), body->orientation = q4_unit(q4_mul(q, body->orientation));
    }
    for (int i = 0; i < b->joint_count; i++) {
        jn_robot_joint *j = &b->joints[i];
        if (j->loop || !hangs_on(b, j->body[1], from)) continue;
        j->at = v3_add(p, q4_rotate(q, j->at)), j->axis = q4_rotate(q, j->axis);
    }
}

int jn_robot_find_body(const jn_robot *b, const char *name) {
    for (int i = 0; i < b->body_count; i++)
        if (!b->bodies[i].helper && !strcmp(b->bodies[i].name, name)) return i;
    return -1;
}

int jn_robot_find_joint(const jn_robot *b, const char *name) {
    for (int i = 0; i < b->joint_count; i++)
        if (!strcmp(b->joints[i].name, name)) return i;
    return -1;
}

/* ---------------------------------------------------------------------------------------------------- findings */

void jn_robot_find(jn_robot *b, jn_finding_kind kind, jn_where where, const char *name, const char *what,
                   const char *effect) {
    jn_robot_finding *f = NULL;
    for (int i = 0; i < b->finding_count && !f; i++)
        if (!strcmp(b->findings[i].what, what)) f = &b->findings[i];
    if (!f) {
        void *wide = grow(b, b->findings, &b->finding_count, sizeof *b->findings);
        if (!wide) return;
        b->findings = wide;
        f = &b->findings[b->finding_count++];
        *f = (jn_robot_finding){.kind = kind, .where = where, .what = what, .effect = effect};
    }
    for (int i = 0; i < f->count; i++)
        if (!strcmp(f->names[i], name)) return;
    void *names = jn_store_grow(b->r->scratch, f->names, f->count, sizeof *f->names);
    void *lines = jn_store_grow(b->r->scratch, f->lines, f->count, sizeof *f->lines);
    if (!names || !lines) {
        jn_read_no_memory(b->r);
        return;
    }
    f->names = names, f->lines = lines;
    f->names[f->count] = name, f->lines[f->count++] = where.line;
}

void jn_robot_tell_still(jn_robot *b, jn_where where) {
    jn_robot_find(b, JN_FINDING_NOTE, where, b->title && *b->title ? b->title : "the file", "a file in which nothing moves",
                  "all of it is a part of the ground: put bodies on it, or take it into a model by 'include' or 'robots'");
}

static void tell_one(jn_robot *b, const jn_robot_finding *f) {
    bool strict = f->kind >= JN_FINDING_PHYSICS && !b->options->lenient;
    for (int i = 0; i < f->count;) { /* as many names as a message has room for */
        char list[400] = "";
        size_t n = 0;
        for (; i < f->count && n + strlen(f->names[i]) + 24 < sizeof list - strlen(f->what); i++)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s (line %d)", n ? ", " : "", f->names[i], f->lines[i]);
        if (n == 0) snprintf(list, sizeof list, "%.100s... (line %d)", f->names[i], f->lines[i]), i++;
        if (strict)
            jn_read_error(b->r, f->where, f->kind == JN_FINDING_MISSING ? JN_ERR_IO : JN_ERR_MODEL,
                          "%s: %s\n%s; --lenient goes on", f->what, list, f->effect);
        else
            jn_report_add(b->r->report, f->kind == JN_FINDING_NOTE ? JN_SEVERITY_NOTE : JN_SEVERITY_WARNING, JN_OK,
                          f->where, NULL, "%s: %s\n%s", f->what, list, f->effect);
    }
}

void jn_robot_tell(jn_robot *b) {
    for (int kind = JN_FINDING_MISSING; kind >= JN_FINDING_NOTE; kind--) /* what matters most first: room is limited */
        for (int i = 0; i < b->finding_count; i++)
            if (b->findings[i].kind == (jn_finding_kind)kind) tell_one(b, &b->findings[i]);
}

/* -------------------------------------------------------------------------------------------------- attributes */

const char *jn_robot_attribute(jn_robot *b, const jn_xml *e, const char *name) {
    const char *value = jn_xml_attribute_of(e, name);
    if (value && *value) return value;
    jn_read_error(b->r, e->where, JN_ERR_MODEL, "<%s> has no '%s'\nadd %s=\"...\"", e->name, name, name);
    return NULL;
}

static bool read_plain(const char *p, size_t n, double *x) {
    size_t sign = n > 0 && *p == '+';
    return jn_number_read(p + sign, n - sign, x) && isfinite(*x);
}

/* "0.2/2", as hands write it. */
static bool read_fraction(jn_robot *b, const jn_xml *e, const char *p, size_t n, double *x) {
    const char *slash = memchr(p, '/', n);
    double above, below;
    if (!slash || !read_plain(p, (size_t)(slash - p), &above) ||
        !read_plain(slash + 1, n - (size_t)(slash - p) - 1, &below) || below == 0)
        return false;
    *x = above / below;
    jn_robot_find(b, JN_FINDING_WARNING, e->where, jn_robot_text(b, "%.*s", (int)n, p), "numbers written as fractions",
                  "they are divided; other programs may refuse them");
    return true;
}

int jn_robot_list(jn_robot *b, const jn_xml *e, const char *name, int most, double *out) {
    const char *p = jn_xml_attribute_of(e, name);
    int count = 0;
    while (p) {
        p += strspn(p, " \t\r\n,");
        size_t n = strcspn(p, " \t\r\n,");
        double x;
        if (n == 0) break;
        if (!read_plain(p, n, &x) && !read_fraction(b, e, p, n, &x)) {
            jn_read_error(b->r, e->where, JN_ERR_MODEL, "<%s %s>: '%.*s' is not a finite number", e->name, name,
                          n < 40 ? (int)n : 40, p);
            return -1;
        }
        if (count == most) {
            jn_read_error(b->r, e->where, JN_ERR_MODEL, "<%s %s> has more than %d numbers", e->name, name, most);
            return -1;
        }
        out[count++] = x;
        p += n;
    }
    return count;
}

bool jn_robot_numbers(jn_robot *b, const jn_xml *e, const char *name, int count, bool required, double *out) {
    double x[64];
    if (!jn_xml_attribute_of(e, name)) return !required || jn_robot_attribute(b, e, name);
    int found = jn_robot_list(b, e, name, 64, x);
    if (found < 0) return false;
    if (found != count)
        return jn_read_error(b->r, e->where, JN_ERR_MODEL, "<%s %s> needs %d number%s, not %d", e->name, name, count,
                             count == 1 ? "" : "s", found);
    memcpy(out, x, (size_t)count * sizeof *out);
    return true;
}

bool jn_robot_vector(jn_robot *b, const jn_xml *e, const char *name, bool required, jn_vec3 *out) {
    double x[3] = {out->x, out->y, out->z};
    if (!jn_robot_numbers(b, e, name, 3, required, x)) return false;
    *out = v3(x[0], x[1], x[2]);
    return true;
}

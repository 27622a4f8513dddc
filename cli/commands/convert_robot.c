/* What the writers of robots' formats share: the tree of joints, poses, numbers, and what a format cannot hold. */
#include "commands/convert_robot.h"

#include "base/memory.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const double coincide = 1e-9; /* [m], 1: frames of a joint as drawn */

bool convert_begin(converter *c, const jn_description *d, const char *format, bool lenient) {
    size_t n = (size_t)d->body_count;
    *c = (converter){.d = d, .format = format, .lenient = lenient};
    if (d->planar) {
        cli_complain("write YAML", "%s holds no planar models", format);
        return false;
    }
    c->carrier = jn_malloc(n * sizeof *c->carrier), c->children = jn_malloc(n * sizeof *c->children);
    c->out = tmpfile();
    if (!c->carrier || !c->children || !c->out) {
        cli_complain(NULL, "no memory, or no room for temporary files");
        return convert_end(c, NULL), false;
    }
    for (size_t i = 0; i < n; i++) c->carrier[i] = -1, c->children[i] = 0;
    for (int k = 0; k < d->joint_count; k++) {
        const jn_joint_desc *j = &d->joints[k];
        if (j->closes_loop || c->carrier[j->body[1]] >= 0 || j->body[1] == JN_GROUND) continue;
        c->carrier[j->body[1]] = k, c->children[j->body[0]]++;
    }
    return true;
}

static bool copy_to(FILE *from, const char *path) {
    char part[4096];
    bool named = strcmp(path, "-") != 0;
    FILE *to = named ? fopen(path, "w") : stdout;
    if (!to) return false;
    rewind(from);
    bool fine = true;
    for (size_t n; (n = fread(part, 1, sizeof part, from)) > 0 && fine;) fine = fwrite(part, 1, n, to) == n;
    fine = fine && !ferror(from) && !ferror(to);
    if (named) fine = fclose(to) == 0 && fine;
    return fine;
}

int convert_end(converter *c, const char *path) {
    int status = c->errors || !path ? CLI_BAD_INPUT : CLI_FINE;
    if (status == CLI_FINE && !copy_to(c->out, path)) status = cli_complain(NULL, "'%s' cannot be written", path);
    if (c->out) fclose(c->out);
    jn_free(c->carrier), jn_free(c->children);
    return status;
}

static void complain(jn_where where, bool error, const char *kind, const char *name, const char *what,
                     const char *outcome) {
    fprintf(stderr, "%s:%d: %s%s:%s %s '%s': %s%s\n", where.file ? where.file : "", where.line,
            cli_paint(stderr, error ? CLI_RED : CLI_YELLOW), error ? "error" : "warning", cli_paint(stderr, CLI_PLAIN),
            kind, name, what, outcome);
}

void convert_refuse(converter *c, jn_where where, const char *kind, const char *name, const char *what) {
    complain(where, !c->lenient, kind, name, what, c->lenient ? "; it is left out" : " (--lenient leaves it out)");
    c->errors += !c->lenient;
}

void convert_forbid(converter *c, jn_where where, const char *kind, const char *name, const char *what) {
    complain(where, true, kind, name, what, "");
    c->errors++;
}

void convert_remark(const char *format, ...) {
    va_list args;
    fprintf(stderr, "%snote:%s ", cli_paint(stderr, CLI_BLUE), cli_paint(stderr, CLI_PLAIN));
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

bool convert_closes_loop(const converter *c, int joint) {
    const jn_joint_desc *j = &c->d->joints[joint];
    return c->carrier[j->body[1]] != joint;
}

convert_pose convert_body_pose(const converter *c, int body) {
    if (body == JN_GROUND) return (convert_pose){v3(0, 0, 0), q4_identity()};
    return (convert_pose){c->d->bodies[body].at, c->d->bodies[body].orientation};
}

convert_pose convert_inside(convert_pose a, jn_vec3 p, jn_quat q) {
    jn_quat back = q4_conj(a.q);
    return (convert_pose){q4_rotate(back, v3_sub(p, a.p)), q4_mul(back, q)};
}

static void side(const converter *c, const jn_joint_desc *j, int k, jn_vec3 *at, jn_vec3 *axis) {
    convert_pose b = convert_body_pose(c, j->body[k]);
    *at = j->frame[k].at, *axis = j->frame[k].axis;
    if (!j->local) return;
    *at = v3_add(b.p, q4_rotate(b.q, *at)), *axis = q4_rotate(b.q, *axis);
}

bool convert_joint_place(converter *c, const jn_joint_desc *j, jn_vec3 *at, jn_vec3 *axis) {
    jn_vec3 other, direction;
    side(c, j, 0, &other, &direction), side(c, j, 1, at, axis);
    bool axial = jn_joint_type_info(j->type)->needs_axis;
    if (!j->local ||
        (v3_norm(v3_sub(*at, other)) < coincide && (!axial || v3_norm(v3_sub(*axis, direction)) < coincide)))
        return true;
    convert_forbid(c, j->where, "joint", j->name, "its two frames do not coincide as drawn");
    return false;
}

jn_vec3 convert_joint_end(const converter *c, const jn_joint_desc *j, int k) {
    jn_vec3 at, axis;
    side(c, j, k, &at, &axis);
    return convert_inside(convert_body_pose(c, j->body[k]), at, q4_identity()).p;
}

/* Whether all joints between a body and the world, but for those that carry the other one, move points across the line alone. */
static bool moves_across(const converter *c, int body, int other, jn_vec3 line) {
    for (int k; (k = c->carrier[body]) >= 0; body = c->d->joints[k].body[0]) {
        const jn_joint_desc *j = &c->d->joints[k];
        convert_pose b = convert_body_pose(c, j->body[1]);
        jn_vec3 axis = j->local ? q4_rotate(b.q, j->frame[1].axis) : j->frame[1].axis;
        bool common = false;
        for (int o = other; o != JN_GROUND && c->carrier[o] >= 0; o = c->d->joints[c->carrier[o]].body[0])
            common |= o == body;
        if (common) return true;
        if (j->type == JN_JOINT_FIXED) continue;
        if (j->type != JN_JOINT_REVOLUTE && j->type != JN_JOINT_PRISMATIC) return false;
        double along = fabs(v3_dot(axis, line));
        if (j->type == JN_JOINT_REVOLUTE ? along < 1 - 1e-3 : along > 1e-3) return false;
    }
    return true;
}

bool convert_loop_in_plane(const converter *c, const jn_joint_desc *j) {
    jn_vec3 at, line;
    if (!jn_joint_type_info(j->type)->needs_axis) return false;
    side(c, j, 0, &at, &line);
    return moves_across(c, j->body[0], j->body[1], line) && moves_across(c, j->body[1], j->body[0], line);
}

bool convert_is_linear(const jn_coupler_desc *k, int term) {
    return k->power[term][0] == 0 && k->power[term][1] == 0 && k->power[term][2] == 0;
}

bool convert_mimics(const jn_coupler_desc *k) {
    for (int i = 0; i < k->count; i++)
        if (k->tendon[i] || !convert_is_linear(k, i)) return false;
    return true;
}

double convert_held_at(const converter *c, const jn_coupler_desc *k) {
    double sum = 0;
    for (int i = 0; i < k->count && !k->has_constant; i++) {
        double x = k->tendon[i] ? 0 : c->d->joints[k->joint[i]].coordinate[k->coordinate[i]].position;
        const double *p = k->power[i];
        sum += x * (k->factor[i] + x * (p[0] + x * (p[1] + x * p[2])));
    }
    return k->has_constant ? k->constant : sum;
}

/* Why a force is not written, and what to write instead. */
static const char *force_reason(jn_force_type type) {
    switch (type) {
    case JN_FORCE_SPRING: return "springs have no counterpart: write a tendon through two points, with stiffness and damping, for MJCF";
    case JN_FORCE_BUSHING: return "bushings have no counterpart: write joints with stiffness and damping between its bodies";
    case JN_FORCE_FORCE:
    case JN_FORCE_TORQUE: return "applied forces have no counterpart: write an actuator at a point, for MJCF";
    default: return "this kind of force has no counterpart";
    }
}

void convert_refuse_forces(converter *c) {
    const jn_description *d = c->d;
    for (int k = 0; k < d->force_count; k++)
        convert_refuse(c, d->forces[k].where, "force", d->forces[k].name, force_reason(d->forces[k].type));
    for (int k = 0; k < d->joint_count; k++)
        for (int i = 0; i < jn_joint_type_info(d->joints[k].type)->nv; i++)
            if (jn_function_given(d->joints[k].coordinate[i].motion))
                convert_refuse(c, d->joints[k].where, "joint", d->joints[k].name, "it has no prescribed motions");
}

void convert_refuse_surfaces(converter *c) {
    for (int k = 0; k < c->d->shape_count; k++) {
        const jn_shape_desc *s = &c->d->shapes[k];
        const char *name = s->name ? s->name : jn_shape_type_info(s->type)->name;
        if (s->adhesion > 0) convert_refuse(c, s->where, "adhesion of the shape", name, "MJCF alone has it");
        if (v3_norm(s->surface_velocity) > 0 || v3_norm(s->surface_rotation) > 0)
            convert_refuse(c, s->where, "moving surface of the shape", name, "MJCF alone has such ('surface_velocity', 'surface_rotation')");
    }
}

void convert_refuse_actuators(converter *c) {
    for (int k = 0; k < c->d->actuator_count; k++)
        convert_refuse(c, c->d->actuators[k].where, "actuator", c->d->actuators[k].name, "it has no actuators");
    if (c->d->sensor_count) convert_remark("sensors (%d) are left out", c->d->sensor_count);
}

bool convert_is_affine(const converter *c, jn_function f, double k[3]) {
    enum { TRIES = 12 };
    k[0] = k[1] = k[2] = 0;
    if (!jn_function_given(f)) return true;
    size_t n = (size_t)JN_VAR_SIGNAL + (size_t)c->d->signal_count;
    double *var = jn_malloc(n * sizeof *var);
    if (!var) return false;
    for (size_t i = 0; i < n; i++) var[i] = 0;
    unsigned state = 1;
    bool fine = true;
    k[0] = jn_function_value(f, c->d->tables, var);
    var[JN_VAR_X] = 1, k[1] = jn_function_value(f, c->d->tables, var) - k[0];
    var[JN_VAR_X] = 0, var[JN_VAR_V] = 1, k[2] = jn_function_value(f, c->d->tables, var) - k[0];
    for (int t = 0; t < TRIES && fine; t++) {
        for (size_t i = 0; i < n; i++) { /* in [-1000, 1000], by a linear congruence [Knuth, vol. 2, 3.3.4] */
            state = state * 1664525u + 1013904223u;
            var[i] = 1000 * (2.0 * state / 4294967296.0 - 1);
        }
        double value = jn_function_value(f, c->d->tables, var), x = k[1] * var[JN_VAR_X], v = k[2] * var[JN_VAR_V];
        fine = fabs(value - (k[0] + x + v)) <= 1e-12 * (fabs(k[0]) + fabs(x) + fabs(v) + fabs(value));
    }
    jn_free(var);
    return fine;
}

bool convert_drive(const converter *c, const jn_coordinate_desc *q, double k[3]) {
    double target[3] = {0}, speed[3] = {0}, feed[3] = {0};
    if (!convert_is_affine(c, q->force, k)) return false;
    if (!q->has_motor) return true;
    if (!convert_is_affine(c, q->motor_target, target) || !convert_is_affine(c, q->motor_speed, speed) ||
        !convert_is_affine(c, q->motor_feed, feed) || isfinite(q->motor_max) || isfinite(q->motor_no_load))
        return false;
    for (int i = 0; i < 3; i++) k[i] += feed[i] + q->motor_kp * target[i] + q->motor_kd * speed[i];
    k[1] -= q->motor_kp, k[2] -= q->motor_kd;
    return true;
}

double convert_clean(double x) { return fabs(x) < 1e-15 ? 0 : x; }

void convert_vector(converter *c, const char *attribute, jn_vec3 v) {
    fprintf(c->out, " %s=\"%.16g %.16g %.16g\"", attribute, convert_clean(v.x), convert_clean(v.y), convert_clean(v.z));
}

const char *convert_title(const jn_description *d) {
    return d->title && *d->title && !strpbrk(d->title, "<>&\"'") ? d->title : "robot";
}

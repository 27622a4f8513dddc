/* Drives of USD joints: a spring to a target and a damper to a speed, as an actuator whose control is the target. */
#include "description/robot/usd/usd.h"

#include <math.h>
#include <string.h>

static const double endless = 1e30;

typedef struct drive {
    double stiffness, damping, most, target, speed;
    bool acceleration;
} drive;

static bool read_value(jn_usd *u, const jn_usd_node *n, const char *instance, const char *name, double *out) {
    return jn_usd_numbers(&u->stage, n, jn_robot_text(u->b, "drive:%s:physics:%s", instance, name), 1, out);
}

/* In SI units: forces of the stage are mass * distance / s^2, angles are degrees. */
static bool read_drive(jn_usd *u, const jn_usd_node *n, const char *instance, bool turns, drive *d) {
    double k = u->kilogram, l = u->meter;
    *d = (drive){.most = INFINITY};
    if (!read_value(u, n, instance, "stiffness", &d->stiffness) ||
        !read_value(u, n, instance, "damping", &d->damping) || !read_value(u, n, instance, "maxForce", &d->most) ||
        !read_value(u, n, instance, "targetPosition", &d->target) ||
        !read_value(u, n, instance, "targetVelocity", &d->speed))
        return false;
    if (d->stiffness < 0 || d->damping < 0 || d->most < 0 || !isfinite(d->stiffness) || !isfinite(d->damping) ||
        !isfinite(d->target) || !isfinite(d->speed))
        return jn_read_error(u->b->r, n->where, JN_ERR_MODEL,
                             "a drive of <%.200s> has a number that is negative or not finite\nwrite stiffness, "
                             "damping and maxForce of 0 or above",
                             n->path);
    d->acceleration = !strcmp(
        jn_usd_token(&u->stage, n, jn_robot_text(u->b, "drive:%s:physics:type", instance), "force"), "acceleration");
    double gain = turns ? (d->acceleration ? 1 : k * l * l) / JN_DEGREE : d->acceleration ? 1 : k;
    d->stiffness *= gain, d->damping *= gain;
    d->target *= turns ? JN_DEGREE : l, d->speed *= turns ? JN_DEGREE : l;
    d->most *= turns ? k * l * l : k * l;
    return true;
}

/* An acceleration drive gives what the moved inertia needs, as drawn. */
static void weigh(jn_usd *u, const jn_usd_node *n, int joint, drive *d) {
    if (!d->acceleration) return;
    double inertia = jn_robot_moved_inertia(u->b, joint);
    jn_robot_find(u->b, JN_FINDING_NOTE, n->where, jn_robot_text(u->b, "%s (%.4g)", n->path, inertia),
                  "drives by acceleration", "their gains count times the inertia that they move as drawn");
    d->stiffness *= inertia, d->damping *= inertia;
}

/* A parameter: it stands in expressions, so that it has letters, digits and _ alone. */
static const char *control_name(jn_robot *b, const char *joint, int index) {
    char text[64];
    size_t n = 0;
    for (const char *p = joint; *p && n < 40; p++)
        text[n++] = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ? *p : '_';
    const char *name = jn_robot_text(b, "%starget_%.*s", b->prefix, (int)n, text);
    for (int i = 0; i < b->parameter_count; i++)
        if (!strcmp(b->parameters[i].name, name)) return jn_robot_text(b, "%s_%d", name, index);
    return name;
}

/* force = stiffness (target - x) + damping (speed - v); the control is the target, or the speed where there is no spring. */
static bool add_actuator(jn_usd *u, const jn_usd_joint *j, int axis, int joint, const drive *d) {
    jn_robot *b = u->b;
    const char *name = b->joints[joint].name, *control = control_name(b, name, joint);
    bool spring = d->stiffness > 0;
    if (!jn_robot_add_parameter(b, control, spring ? d->target : d->speed, j->node->where)) return false;
    jn_actuator_desc desc = {.name = name, .where = j->node->where, .on = JN_ACTUATOR_JOINT, .gear = 1};
    desc.gain[0] = spring ? d->stiffness : d->damping;
    desc.bias[0] = spring ? d->damping * d->speed : 0, desc.bias[1] = -d->stiffness, desc.bias[2] = -d->damping;
    desc.offset = b->joints[joint].loop ? 0 : j->drawn[axis];
    desc.has_force_range = d->most < endless, desc.force_range[0] = -d->most, desc.force_range[1] = d->most;
    jn_robot_actuator *a = jn_robot_add_actuator(b, &desc, control);
    if (!a) return false;
    a->joint = joint;
    return true;
}

static bool make_drives(jn_usd *u, const jn_usd_joint *j, int axis, int joint) {
    static const char *const axes[JN_USD_AXES] = {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"};
    const char *const instances[2] = {axes[axis], axis < 3 ? "linear" : "angular"};
    for (int k = 0; k < 2; k++) {
        drive d;
        if (!jn_usd_has(j->node, "PhysicsDriveAPI", instances[k])) continue;
        if (!read_drive(u, j->node, instances[k], axis >= 3, &d)) return false;
        weigh(u, j->node, joint, &d);
        if (!(d.stiffness > 0 || d.damping > 0) || d.most == 0) continue;
        if (!add_actuator(u, j, axis, joint, &d)) return false;
    }
    return true;
}

bool jn_usd_note_drive(jn_usd *u, const jn_usd_joint *j, int axis, int made) {
    void *wide = jn_store_grow(u->b->r->scratch, u->driven, u->driven_count, sizeof *u->driven);
    if (!wide) return jn_read_no_memory(u->b->r);
    u->driven = wide, u->driven[u->driven_count++] = (jn_usd_driven){j, axis, made};
    return true;
}

bool jn_usd_make_drives(jn_usd *u) {
    for (int i = 0; i < u->driven_count; i++)
        if (!make_drives(u, u->driven[i].joint, u->driven[i].axis, u->driven[i].made)) return false;
    return true;
}

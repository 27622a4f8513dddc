/* SDF: joints of type gearbox become couplers of hinges. */
#include "description/robot/sdf/sdf.h"

#include <math.h>
#include <string.h>

/* The hinge of a body on the reference; *factor: angle from the reference to the body about the axis, per its coordinate. -1: none. */
static int find_hinge(const jn_robot *b, int reference, int body, jn_vec3 axis, double *factor) {
    for (int i = 0; i < b->joint_count; i++) {
        const jn_robot_joint *j = &b->joints[i];
        bool ahead = j->body[0] == reference && j->body[1] == body, back = j->body[1] == reference && j->body[0] == body;
        double along = v3_dot(v3_unit(j->axis), axis);
        if (j->type != JN_JOINT_REVOLUTE || j->loop || (!ahead && !back) || fabs(along) < 1 - 1e-6) continue;
        *factor = (ahead ? 1 : -1) * (along > 0 ? 1 : -1);
        return i;
    }
    return -1;
}

/* theta_2 = -ratio theta_1, where theta_1 is the angle from the reference to the parent about <axis>, theta_2 that to the child about
 * <axis2>. [SDFormat 1.11, joint, gearbox_reference_body] */
static bool read_gearbox(jn_sdf *s, int frame) {
    jn_robot *b = s->b;
    const jn_sdf_frame *f = &s->frames[frame];
    const jn_xml *axis = jn_xml_child(f->e, "axis"), *axis2 = jn_xml_child(f->e, "axis2");
    int parent = jn_sdf_end(s, f, "parent"), child = jn_sdf_end(s, f, "child"), base = jn_sdf_end(s, f, "gearbox_reference_body");
    double ratio = 1, factor[2];
    jn_vec3 along[2];
    if (parent < -1 || child < -1 || base < -1) return b->r->status == JN_OK; /* left out */
    if (!jn_sdf_place(s, frame)) return false;
    if (!axis || !axis2) return jn_read_error(b->r, f->e->where, JN_ERR_MODEL, "gearbox '%.60s' needs <axis> and <axis2>", f->name);
    if (!jn_sdf_axis(s, f, axis, &along[0]) || !jn_sdf_axis(s, f, axis2, &along[1]) ||
        !jn_sdf_numbers(s, f->e, "gearbox_ratio", 1, &ratio))
        return false;
    int end[2] = {parent, child}, hinge[2], on = base < 0 ? -1 : s->frames[base].body;
    for (int k = 0; k < 2; k++) {
        int body = end[k] < 0 ? -1 : s->frames[end[k]].body;
        hinge[k] = find_hinge(b, on, body, along[k], &factor[k]);
        if (hinge[k] >= 0) continue;
        jn_robot_find(b, JN_FINDING_PHYSICS, f->e->where, f->name,
                      "gearboxes whose parent and child are not hinged to the reference body along <axis> and <axis2>",
                      "they are left out; add revolute joints of both with it");
        return true;
    }
    jn_robot_coupler *c = jn_robot_add_coupler(b, f->full, f->e->where);
    return c && jn_robot_couple(b, c, hinge[1], factor[1]) && jn_robot_couple(b, c, hinge[0], ratio * factor[0]);
}

bool jn_sdf_gearboxes(jn_sdf *s) {
    for (int i = 0; i < s->frame_count; i++) {
        const char *type = s->frames[i].kind == JN_SDF_JOINT ? jn_xml_attribute_of(s->frames[i].e, "type") : NULL;
        if (type && !strcmp(type, "gearbox") && !read_gearbox(s, i)) return false;
    }
    return true;
}

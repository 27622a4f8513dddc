/* Joints that follow others, of URDF and SDF. */
#include "description/robot/robot.h"

bool jn_robot_mimic(jn_robot *b, const jn_xml *e, int own, int of, const char *other, double factor, double offset) {
    jn_robot_joint *j = &b->joints[own];
    bool fixed = of >= 0 && b->joints[of].type == JN_JOINT_FIXED;
    if (j->type == JN_JOINT_FIXED || of < 0) {
        jn_robot_find(b, of < 0 ? JN_FINDING_PHYSICS : JN_FINDING_NOTE, e->where,
                      jn_robot_text(b, "%.60s of %.60s", j->name, other),
                      of < 0 ? "<mimic> of joints that are not there" : "<mimic> of fixed joints", "it has no effect");
        return true;
    }
    if (of == own || jn_joint_type_info(j->type)->nv != 1 ||
        (!fixed && jn_joint_type_info(b->joints[of].type)->nv != 1)) {
        jn_read_error(b->r, e->where, JN_ERR_MODEL, "joint '%s' mimics '%.60s', which is no joint with one coordinate",
                      j->name, other);
        return true;
    }
    j->mimic = of, j->factor = factor, j->offset = offset;
    jn_robot_coupler *c = jn_robot_add_coupler(b, jn_robot_text(b, "%.50s_mimic", j->name), e->where);
    return c && jn_robot_couple(b, c, own, 1) && (fixed || jn_robot_couple(b, c, of, -factor));
}

void jn_robot_start_mimics(jn_robot *b) {
    for (int round = 0; round < b->joint_count; round++) { /* chains of mimics: until nothing changes */
        bool changed = false;
        for (int i = 0; i < b->joint_count; i++) {
            jn_robot_joint *j = &b->joints[i];
            double q = j->mimic < 0 ? j->position : j->factor * b->joints[j->mimic].position + j->offset;
            changed |= q != j->position;
            j->position = q;
        }
        if (!changed) return;
    }
}

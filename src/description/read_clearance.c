/* Joints with play: their sizes, and what becomes of them without play. */
#include "description/coordinate.h"

#include "description/joint_info.h"

static bool needs_sizes(jn_reader *r, const jn_joint_item *j, const char *example) {
    return jn_read_error(r, j->map->where, JN_ERR_MODEL, "a %s joint needs its sizes\nadd '%s'",
                         jn_joint_type_info(j->joint.type)->name, example);
}

bool jn_read_clearance(jn_reader *r, jn_joint_item *j) {
    static const jn_joint_type ideal[JN_JOINT_TYPES] = {[JN_JOINT_REVOLUTE_CLEARANCE] = JN_JOINT_REVOLUTE,
                                                        [JN_JOINT_TRANSLATIONAL_CLEARANCE] = JN_JOINT_PRISMATIC,
                                                        [JN_JOINT_SPHERICAL_CLEARANCE] = JN_JOINT_SPHERICAL};
    jn_joint_desc *joint = &j->joint;
    bool slides = joint->type == JN_JOINT_TRANSLATIONAL_CLEARANCE;
    if (joint->type != JN_JOINT_SPHERICAL_CLEARANCE && !r->d->planar) {
        return jn_read_error(
            r, j->map->where, JN_ERR_MODEL,
            "%s is there in planar models only\nuse spherical_clearance, or shapes with a row of contacts",
            jn_joint_type_info(joint->type)->name);
    }
    if (slides && (!j->has_clearance || !joint->has_length || !(joint->height > 0))) {
        return needs_sizes(r, j, "length: 100 mm, height: 50 mm, clearance: 1 mm");
    }
    if (!slides && (!j->has_clearance || !(joint->bearing > 0))) {
        return needs_sizes(r, j, "bearing: 10 mm, clearance: 0.5 mm");
    }
    if (!slides && j->clearance >= joint->bearing) {
        return jn_read_error(r, j->map->where, JN_ERR_MODEL,
                             "the clearance %g m leaves nothing of the journal in a bearing of %g m", j->clearance,
                             joint->bearing);
    }
    if (j->clearance == 0) {
        joint->type = ideal[joint->type];
        joint->has_length = false;
        return true;
    }
    joint->clearance = j->clearance;
    joint->journal = joint->bearing - j->clearance;
    joint->closes_loop = true;
    if (!joint->contact) {
        return jn_read_error(
            r, j->map->where, JN_ERR_MODEL,
            "a clearance joint needs a law of contact\nadd 'contact: NAME' with NAME a row of contacts");
    }
    return true;
}

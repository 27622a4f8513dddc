/* The table of joint types. */
#include "description/joint_info.h"

/* name, nq, nv, plane_nv, rows, plane_rows, angular, needs_axis, tree, summary */
static const jn_joint_info table[JN_JOINT_TYPES] = {
    [JN_JOINT_FIXED] = {"fixed", 0, 0, 0, 6, 3, 0, false, true, "no motion between the two bodies"},
    [JN_JOINT_REVOLUTE] = {"revolute", 1, 1, 1, 5, 2, 1, true, true, "hinge: rotation about an axis"},
    [JN_JOINT_PRISMATIC] = {"prismatic", 1, 1, 1, 5, 2, 0, true, true, "slider: translation along an axis"},
    [JN_JOINT_SCREW] = {"screw", 1, 1, -1, 5, 0, 1, true, true,
                        "rotation about an axis with an advance of 'pitch' per turn"},
    [JN_JOINT_CYLINDRICAL] = {"cylindrical", 2, 2, -1, 4, 0, 2, true, true,
                              "translation along and rotation about an axis"},
    [JN_JOINT_UNIVERSAL] = {"universal", 2, 2, -1, 4, 0, 3, true, true,
                            "rotation about an axis of the first body, then about one of the second"},
    [JN_JOINT_SPHERICAL] = {"spherical", 4, 3, -1, 3, 0, 7, false, true, "ball: any rotation about a point"},
    [JN_JOINT_PLANAR] = {"planar", 3, 3, -1, 3, 0, 4, true, true,
                         "two translations in a plane and a rotation about its normal"},
    [JN_JOINT_FREE] = {"free", 7, 6, 3, 0, 0, 0x38, false, true, "any motion"},
    [JN_JOINT_DISTANCE] = {"distance", 0, 0, 0, 1, 1, 0, false, false,
                           "two points at a constant distance: a massless rod"},
    [JN_JOINT_POINT_ON_LINE] = {"point_on_line", 0, 0, 0, 2, 1, 0, true, false,
                                "a point of the second body stays on a line of the first"},
    [JN_JOINT_REVOLUTE_CLEARANCE] =
        {"revolute_clearance", 1, 1, 1, 0, 0, 1, true, false,
         "a journal with clearance in its bearing, in space between two end walls: they touch, nothing is constrained"},
    [JN_JOINT_TRANSLATIONAL_CLEARANCE] =
        {"translational_clearance", 1, 1, 1, 0, 0, 0, true, false,
         "a block with clearance between two guides, in space four: they touch, nothing is constrained"},
    [JN_JOINT_SPHERICAL_CLEARANCE] = {"spherical_clearance", 4, 3, -1, 0, 0, 7, false, false,
                                      "a ball with clearance in its socket: they touch, nothing is constrained"},
    [JN_JOINT_CYLINDRICAL_CLEARANCE] = {"cylindrical_clearance", 2, 2, -1, 0, 0, 2, true, false,
                                        "a rod with clearance in its bore: they touch, nothing is constrained"},
};

const jn_joint_info *jn_joint_type_info(jn_joint_type type) {
    return (int)type >= 0 && type < JN_JOINT_TYPES ? &table[type] : NULL;
}

int jn_joint_velocities(jn_joint_type type, bool planar) { return planar ? table[type].plane_nv : table[type].nv; }

bool jn_joint_is_angular(jn_joint_type type, bool planar, int k) {
    unsigned mask = planar && type == JN_JOINT_FREE ? 4 : table[type].angular;
    return (mask >> k & 1) != 0;
}

bool jn_joint_is_scalar(jn_joint_type type, bool planar, int k) {
    if (planar || !jn_joint_is_angular(type, planar, k)) {
        return true;
    }
    return type != JN_JOINT_SPHERICAL && type != JN_JOINT_SPHERICAL_CLEARANCE && type != JN_JOINT_FREE;
}

jn_joint_type jn_joint_ideal(jn_joint_type type) {
    switch (type) {
    case JN_JOINT_REVOLUTE_CLEARANCE: return JN_JOINT_REVOLUTE;
    case JN_JOINT_TRANSLATIONAL_CLEARANCE: return JN_JOINT_PRISMATIC;
    case JN_JOINT_SPHERICAL_CLEARANCE: return JN_JOINT_SPHERICAL;
    case JN_JOINT_CYLINDRICAL_CLEARANCE: return JN_JOINT_CYLINDRICAL;
    default: return type;
    }
}

bool jn_joint_has_clearance(jn_joint_type type) { return jn_joint_ideal(type) != type; }

/* Joints of a USD stage: their bodies, frames, free axes and limits. */
#include "algebra/elementary.h"
#include "description/robot/usd/usd.h"

#include <math.h>
#include <string.h>

static const double endless = 1e30; /* limits and forces beyond it bind nothing: files have the largest single number */

typedef enum kind { FIXED, REVOLUTE, PRISMATIC, SPHERICAL, DISTANCE, GENERIC, KINDS } kind;
static const char *const types[KINDS] = {"PhysicsFixedJoint",     "PhysicsRevoluteJoint", "PhysicsPrismaticJoint",
                                         "PhysicsSphericalJoint", "PhysicsDistanceJoint", "PhysicsJoint"};

static kind kind_of(const jn_usd_node *n) {
    int k = 0;
    while (k < KINDS && !jn_usd_is(n, types[k])) k++;
    return (kind)k;
}

static bool is_other_joint(const jn_usd_node *n) {
    size_t length = strlen(n->type);
    return !strncmp(n->type, "Phys", 4) && length > 5 && !strcmp(n->type + length - 5, "Joint");
}

/* ------------------------------------------------------------------------------------------------------- frames */

/* The prim that a joint names; NULL: none. *given: it names one. */
static jn_usd_node *end_of(jn_usd *u, const jn_usd_node *n, int side, const char **name, bool *given) {
    const char **targets;
    int count = jn_usd_targets(&u->stage, n, side ? "physics:body1" : "physics:body0", &targets);
    *given = count > 0;
    if (!count) return NULL;
    *name = targets[0];
    return jn_usd_find(&u->stage, targets[0]);
}

static bool mark(jn_usd *u, jn_usd_node *n) {
    if (kind_of(n) == KINDS) return true;
    for (int side = 0; side < 2; side++) {
        const char *name;
        bool given;
        jn_usd_node *end = end_of(u, n, side, &name, &given);
        while (end && end->parent && !jn_usd_has(end, "PhysicsRigidBodyAPI", NULL)) end = end->parent;
        if (end) end->is_body = true;
    }
    return true;
}

bool jn_usd_mark_jointed(jn_usd *u) { return jn_usd_walk(u, u->stage.root, mark); }

/* The joint's frame on one side, in the world as drawn. */
static bool read_frame(jn_usd *u, const jn_usd_node *n, int side, const jn_usd_node *end, jn_robot_pose *frame) {
    jn_vec3 at = {0, 0, 0}, scale;
    jn_quat q = q4_identity();
    jn_robot_pose pose;
    const jn_usd_node *base = end ? end : u->stage.root;
    if (!jn_usd_vector(&u->stage, n, side ? "physics:localPos1" : "physics:localPos0", &at) ||
        !jn_usd_quaternion(&u->stage, n, side ? "physics:localRot1" : "physics:localRot0", &q) ||
        !jn_usd_node_pose(u, base, 0, &pose, &scale))
        return false;
    *frame = (jn_robot_pose){jn_usd_point(&base->world, at), q4_unit(q4_mul(pose.q, q))};
    return true;
}

/* Both ends; *fine: false with a finding: an end is not there, or both are one. */
static bool read_ends(jn_usd *u, jn_usd_joint *j, bool *fine) {
    *fine = true;
    for (int side = 0; side < 2; side++) {
        const char *name = "";
        bool given;
        const jn_usd_node *end = end_of(u, j->node, side, &name, &given);
        if (given && !end) {
            jn_robot_find(u->b, JN_FINDING_PHYSICS, j->node->where, jn_robot_text(u->b, "%s (%s)", j->node->path, name),
                          "joints of prims that are not there", "they are left out");
            *fine = false;
            return true;
        }
        j->body[side] = end ? end->body : -1;
        if (!read_frame(u, j->node, side, end, &j->frame[side])) return false;
    }
    if (j->body[0] == j->body[1]) {
        jn_robot_find(u->b, JN_FINDING_NOTE, j->node->where, j->node->path,
                      "joints between parts of one body, or of the ground", "they have no effect");
        *fine = false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------- limits */

/* Lower and upper end of an axis; unit: of the file's numbers. */
static bool set_limits(jn_usd *u, jn_usd_joint *j, int axis, double lower, double upper, const char *name) {
    double unit = axis < 3 ? u->meter : JN_DEGREE;
    if (lower > upper) {
        j->free[axis] = false;
        return true;
    }
    j->free[axis] = lower != upper;
    if (lower == upper)
        jn_robot_find(u->b, JN_FINDING_WARNING, j->node->where, jn_robot_text(u->b, "%s (%s)", j->node->path, name),
                      "joints whose limits are equal", "they are held as drawn");
    j->has_lower[axis] = lower > -endless, j->has_upper[axis] = upper < endless;
    j->lower[axis] = j->has_lower[axis] ? lower * unit : 0, j->upper[axis] = j->has_upper[axis] ? upper * unit : 0;
    return true;
}

static bool read_single(jn_usd *u, jn_usd_joint *j, int first) {
    double lower = -INFINITY, upper = INFINITY;
    const char *word = jn_usd_token(&u->stage, j->node, "physics:axis", "X");
    if (strlen(word) != 1 || *word < 'X' || *word > 'Z')
        return jn_read_error(
            u->b->r, jn_usd_attribute(&u->stage, j->node, "physics:axis")->value.where, JN_ERR_MODEL,
            "the axis of joint <%.200s> is X, Y or Z, not '%.20s'\nwrite \"X\", and turn it by localRot0 and localRot1",
            j->node->path, word);
    if (!jn_usd_numbers(&u->stage, j->node, "physics:lowerLimit", 1, &lower) ||
        !jn_usd_numbers(&u->stage, j->node, "physics:upperLimit", 1, &upper))
        return false;
    j->free[first + *word - 'X'] = true;
    return set_limits(u, j, first + *word - 'X', lower, upper, word);
}

static bool read_spherical(jn_usd *u, jn_usd_joint *j) {
    double cone[2] = {-1, -1};
    if (!jn_usd_numbers(&u->stage, j->node, "physics:coneAngle0Limit", 1, &cone[0]) ||
        !jn_usd_numbers(&u->stage, j->node, "physics:coneAngle1Limit", 1, &cone[1]))
        return false;
    const char *word = jn_usd_token(&u->stage, j->node, "physics:axis", "X");
    bool bound[2] = {cone[0] >= 0 && cone[0] < 180, cone[1] >= 0 && cone[1] < 180};
    if (bound[0] && bound[1] && cone[0] == cone[1] && cone[0] > 0)
        j->cone = cone[0] * JN_DEGREE, j->cone_axis = *word == 'Y' ? 1 : *word == 'Z' ? 2 : 0;
    else if (bound[0] || bound[1])
        jn_robot_find(u->b, JN_FINDING_PHYSICS, j->node->where, j->node->path,
                      "limits of spherical joints that are no round cone", "they turn without end");
    j->free[3] = j->free[4] = j->free[5] = true;
    return true;
}

static bool read_distance(jn_usd *u, jn_usd_joint *j) {
    double least = -1, most = -1;
    if (!jn_usd_numbers(&u->stage, j->node, "physics:minDistance", 1, &least) ||
        !jn_usd_numbers(&u->stage, j->node, "physics:maxDistance", 1, &most))
        return false;
    if (least > most && most >= 0)
        return jn_read_error(u->b->r, j->node->where, JN_ERR_MODEL,
                             "joint <%.200s>: minDistance %g is above maxDistance %g\nexchange them", j->node->path,
                             least, most);
    j->is_distance = most != 0; /* at 0 the points coincide */
    j->distance[0] = least > 0 ? least * u->meter : -1,
    j->distance[1] = most > 0 && most < endless ? most * u->meter : -1;
    j->free[3] = j->free[4] = j->free[5] = !j->is_distance;
    return true;
}

static const char *const axes[JN_USD_AXES] = {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"};

/* All axes free but for those with limits; low above high holds one. */
static bool read_generic(jn_usd *u, jn_usd_joint *j) {
    for (int k = 0; k < JN_USD_AXES; k++) {
        double low = -INFINITY, high = INFINITY;
        j->free[k] = true;
        if (!jn_usd_has(j->node, "PhysicsLimitAPI", axes[k])) continue;
        if (!jn_usd_numbers(&u->stage, j->node, jn_robot_text(u->b, "limit:%s:physics:low", axes[k]), 1, &low) ||
            !jn_usd_numbers(&u->stage, j->node, jn_robot_text(u->b, "limit:%s:physics:high", axes[k]), 1, &high) ||
            !set_limits(u, j, k, low, high, axes[k]))
            return false;
    }
    if (jn_usd_has(j->node, "PhysicsLimitAPI", "distance"))
        jn_robot_find(u->b, JN_FINDING_PHYSICS, j->node->where, j->node->path,
                      "limits of the distance of generic joints", "they have no effect; write a PhysicsDistanceJoint");
    return true;
}

/* ------------------------------------------------------------------------------------------------------- motion */

/* Angles of R = Rx(a) Ry(b) Rz(c). */
static void angles_of(jn_quat q, double *angle) {
    jn_mat3 R = q4_matrix(q);
    angle[0] = jn_atan2(-R.m[5], R.m[8]);
    angle[1] = jn_atan2(R.m[2], sqrt(R.m[0] * R.m[0] + R.m[1] * R.m[1]));
    angle[2] = jn_atan2(-R.m[1], R.m[0]);
}

static jn_quat about(int axis, double angle) { return q4_exp(v3_scale(angle, v3_axis(axis))); }

jn_robot_pose jn_usd_joint_motion(const jn_usd_joint *j) {
    jn_robot_pose x = {{j->drawn[0], j->drawn[1], j->drawn[2]}, {1, 0, 0, 0}};
    for (int k = 0; k < 3; k++) x.q = q4_mul(x.q, about(k, j->drawn[3 + k]));
    return x;
}

/* Coordinates of the free axes as drawn; what the others are away from zero is told, and mended where the tree is built. */
static void measure(jn_usd *u, jn_usd_joint *j) {
    jn_robot_pose x = jn_robot_pose_mul(jn_robot_pose_inverse(j->frame[0]), j->frame[1]);
    int turns = j->free[3] + j->free[4] + j->free[5];
    for (int k = 0; k < 3; k++) j->drawn[k] = j->free[k] ? v3_get(x.p, k) : 0;
    if (turns == 1)
        for (int k = 0; k < 3; k++) {
            double along = k == 0   ? x.q.x
                           : k == 1 ? x.q.y
                                    : x.q.z,
                   angle = 2 * jn_atan2(along, x.q.w), turn = 360 * JN_DEGREE;
            if (angle > 0.5 * turn) angle -= turn;
            if (angle <= -0.5 * turn) angle += turn;
            j->drawn[3 + k] = j->free[3 + k] ? angle : 0;
        }
    if (turns > 1) {
        angles_of(x.q, &j->drawn[3]);
        for (int k = 3; k < 6; k++)
            if (!j->free[k]) j->drawn[k] = 0;
    }
    if (j->is_distance) return;
    jn_robot_pose off = jn_robot_pose_mul(jn_robot_pose_inverse(jn_usd_joint_motion(j)), x);
    double gap = v3_norm(off.p), turn = 2 * jn_atan2(v3_norm(v3(off.q.x, off.q.y, off.q.z)), fabs(off.q.w));
    if (gap > 1e-4 || turn > 1e-3)
        jn_robot_find(u->b, JN_FINDING_WARNING, j->node->where,
                      jn_robot_text(u->b, "%s by %.3g m, %.3g deg", j->node->path, gap, turn / JN_DEGREE),
                      "joints whose frames do not meet as drawn", "the bodies behind them are moved so that they meet");
}

/* -------------------------------------------------------------------------------------------------------- joints */

static bool read_strength(jn_usd *u, const jn_usd_node *n) {
    double force = INFINITY, torque = INFINITY;
    if (!jn_usd_numbers(&u->stage, n, "physics:breakForce", 1, &force) ||
        !jn_usd_numbers(&u->stage, n, "physics:breakTorque", 1, &torque))
        return false;
    if (force < endless || torque < endless)
        jn_robot_find(u->b, JN_FINDING_PHYSICS, n->where, n->path, "joints that break", "they hold any load");
    return true;
}

/* Armature, which UsdPhysics has no word for, is taken over from MuJoCo's, PhysX' and Newton's; their damping and friction are told. */
static bool read_extras(jn_usd *u, jn_usd_joint *j) {
    static const char *const armatures[] = {"mjc:armature", "physxJoint:armature", "newton:armature"};
    static const char *const others[] = {"mjc:damping", "mjc:frictionloss", "mjc:stiffness", "physxJoint:jointFriction",
                                         "newton:friction"};
    for (size_t k = 0; k < sizeof armatures / sizeof armatures[0]; k++) {
        double x = 0;
        if (!jn_usd_numbers(&u->stage, j->node, armatures[k], 1, &x)) return false;
        if (x > 0 && isfinite(x) && j->armature == 0)
            j->armature = x; /* the first holds: files write the same in several */
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        const jn_usd_property *p = jn_usd_attribute(&u->stage, j->node, others[k]);
        if (p && p->value.kind == JN_USD_NUMBERS && p->value.count && p->value.width && p->value.numbers[0] != 0)
            jn_robot_find(
                u->b, JN_FINDING_WARNING, j->node->where, jn_robot_text(u->b, "%s (%s)", j->node->path, others[k]),
                "damping, friction and springs of joints by schemas of other programs", "they have no effect");
    }
    return true;
}

static bool read_axes(jn_usd *u, jn_usd_joint *j, kind k) {
    switch (k) {
    case REVOLUTE: return read_single(u, j, 3);
    case PRISMATIC: return read_single(u, j, 0);
    case SPHERICAL: return read_spherical(u, j);
    case DISTANCE: return read_distance(u, j);
    case GENERIC: return read_generic(u, j);
    default: return true;
    }
}

static bool read_joint(jn_usd *u, jn_usd_node *n) {
    kind k = kind_of(n);
    bool enabled = true, fine;
    if (k == KINDS && is_other_joint(n))
        jn_robot_find(u->b, JN_FINDING_PHYSICS, n->where, jn_robot_text(u->b, "%s (%s)", n->path, n->type),
                      "joints of types that are not understood", "they are left out");
    if (k == KINDS) return true;
    if (!jn_usd_flag(&u->stage, n, "physics:jointEnabled", &enabled)) return false;
    if (!enabled) {
        jn_robot_find(u->b, JN_FINDING_NOTE, n->where, n->path, "joints that are switched off (jointEnabled)",
                      "they are left out");
        return true;
    }
    void *wide = jn_store_grow(u->b->r->scratch, u->joints, u->joint_count, sizeof *u->joints);
    if (!wide) return jn_read_no_memory(u->b->r);
    u->joints = wide;
    jn_usd_joint *j = &u->joints[u->joint_count];
    *j = (jn_usd_joint){.node = n};
    if (!read_ends(u, j, &fine)) return false;
    if (!fine) return true;
    if (!read_axes(u, j, k) || !read_strength(u, n) || !read_extras(u, j) ||
        !jn_usd_flag(&u->stage, n, "physics:excludeFromArticulation", &j->excluded))
        return false;
    bool all = true;
    for (int a = 0; a < JN_USD_AXES; a++) all = all && j->free[a] && !j->has_lower[a] && !j->has_upper[a];
    if (all && !jn_usd_has(n, "PhysicsDriveAPI", NULL)) {
        jn_robot_find(u->b, JN_FINDING_NOTE, n->where, n->path, "joints that leave all free", "they have no effect");
        return true;
    }
    measure(u, j);
    for (int side = 0; side < 2; side++)
        j->frame[side] = jn_robot_pose_mul(jn_robot_pose_inverse(jn_usd_body_pose(u, j->body[side])), j->frame[side]);
    u->joint_count++;
    return !(j->cone > 0) ||
           jn_robot_add_cone(u->b, n->name, n->where, j->body, j->frame, v3_axis(j->cone_axis), j->cone);
}

bool jn_usd_read_joints(jn_usd *u) { return jn_usd_walk(u, u->stage.root, read_joint); }

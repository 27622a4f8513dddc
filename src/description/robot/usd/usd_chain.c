/* A joint of a USD stage as joints of the robot: one, or a chain of them with massless helpers between where it has several free axes. */
#include "algebra/elementary.h"
#include "description/robot/usd/usd.h"

#include <math.h>
#include <string.h>

/* One joint of a chain, in the order from the first body to the second. */
typedef struct link {
    jn_joint_type type;
    jn_vec3 axis;
    int coordinate; /* of the stage's joint; -1: none of its own */
} link;

static const char *const axes[JN_USD_AXES] = {"transX", "transY", "transZ", "rotX", "rotY", "rotZ"};

static bool is_bound(const jn_usd_joint *j, int axis) {
    static const char *const words[] = {"linear", "angular"};
    return j->has_lower[axis] || j->has_upper[axis] || jn_usd_has(j->node, "PhysicsDriveAPI", axes[axis]) ||
           jn_usd_has(j->node, "PhysicsDriveAPI", words[axis >= 3]);
}

/* Axes of the chain as drawn; q: of the frame on the first body. Returns how many. */
static int list_links(const jn_usd_joint *j, jn_quat q, link *links) {
    int count = 0;
    bool ball = j->free[3] && j->free[4] && j->free[5] && !is_bound(j, 3) && !is_bound(j, 4) && !is_bound(j, 5);
    for (int k = 0; k < 3; k++)
        if (j->free[k]) links[count++] = (link){JN_JOINT_PRISMATIC, q4_rotate(q, v3_axis(k)), k};
    if (ball) links[count++] = (link){JN_JOINT_SPHERICAL, v3(0, 0, 1), -1};
    for (int k = 0; k < 3 && !ball; k++) {
        if (j->free[3 + k]) links[count++] = (link){JN_JOINT_REVOLUTE, q4_rotate(q, v3_axis(k)), 3 + k};
        q = q4_mul(q, q4_exp(v3_scale(j->drawn[3 + k], v3_axis(k))));
    }
    if (count == 0) links[count++] = (link){JN_JOINT_FIXED, v3(0, 0, 1), -1};
    return count;
}

/* Limits from the drawn configuration, and a start within them. */
static void bind(jn_usd *u, const jn_usd_joint *j, int axis, jn_robot_joint *to, double zero) {
    to->has_lower = j->has_lower[axis], to->has_upper = j->has_upper[axis];
    to->lower = to->has_lower ? j->lower[axis] - zero : 0, to->upper = to->has_upper ? j->upper[axis] - zero : 0;
    double out = to->has_lower && to->lower > 0 ? to->lower : to->has_upper && to->upper < 0 ? to->upper : 0;
    if (out == 0 || to->loop) return;
    if (fabs(out) > 1e-6)
        jn_robot_find(u->b, JN_FINDING_WARNING, j->node->where,
                      jn_robot_text(u->b, "%s by %.3g %s", j->node->path, fabs(out), axis < 3 ? "m" : "rad"),
                      "joints that are drawn outside of their limits", "they start at the limit");
    to->position = out;
}

/* Moves the child so that the frames meet; returns where the joint is. */
static jn_robot_pose place_child(jn_usd *u, const jn_usd_joint *j, int parent, int child, jn_robot_pose *first) {
    jn_robot_pose x = jn_usd_joint_motion(j), second;
    if (parent == j->body[0]) {
        *first = jn_robot_pose_mul(jn_usd_body_pose(u, parent), j->frame[0]);
        second = jn_robot_pose_mul(*first, x);
    } else {
        second = jn_robot_pose_mul(jn_usd_body_pose(u, parent), j->frame[1]);
        *first = jn_robot_pose_mul(second, jn_robot_pose_inverse(x));
    }
    jn_robot_pose pose = parent == j->body[0] ? jn_robot_pose_mul(second, jn_robot_pose_inverse(j->frame[1]))
                                            : jn_robot_pose_mul(*first, jn_robot_pose_inverse(j->frame[0]));
    u->b->bodies[child].at = pose.p, u->b->bodies[child].orientation = pose.q;
    return second;
}

static int add_helper(jn_usd *u, const jn_usd_joint *j, jn_robot_pose at, int parent, const char *name) {
    jn_robot_body *helper = jn_robot_add_body(u->b, name, j->node->where);
    if (!helper) return -2;
    helper->at = at.p, helper->orientation = at.q, helper->parent = parent, helper->helper = true;
    return u->b->body_count - 1;
}

bool jn_usd_add_tree_joint(jn_usd *u, jn_usd_joint *j, int parent, int child) {
    link links[JN_USD_AXES + 1];
    jn_robot_pose first, second = place_child(u, j, parent, child, &first);
    int count = list_links(j, first.q, links), from = parent;
    bool reversed = parent != j->body[0];
    j->used = true;
    for (int i = 0; i < count; i++) {
        const link *l = &links[reversed ? count - 1 - i : i];
        const char *name =
            count == 1 ? j->node->name
                       : jn_robot_text(u->b, "%s_%s", j->node->name, l->coordinate < 0 ? "rot" : axes[l->coordinate]);
        int to = i == count - 1 ? child : add_helper(u, j, (jn_robot_pose){second.p, first.q}, from, name);
        if (to < -1) return false;
        jn_robot_joint *made = jn_robot_add_joint(u->b, name, j->node->where, l->type, from, to);
        if (!made) return false;
        made->at = second.p, made->axis = reversed ? v3_neg(l->axis) : l->axis;
        if (l->coordinate >= 0) {
            made->armature = j->armature * u->kilogram * (l->type == JN_JOINT_REVOLUTE ? u->meter * u->meter : 1);
            bind(u, j, l->coordinate, made, j->drawn[l->coordinate]);
            if (!jn_usd_note_drive(u, j, l->coordinate, u->b->joint_count - 1)) return false;
        }
        from = to;
    }
    for (int i = 0; i < u->b->joint_count; i++)
        if (u->b->joints[i].body[1] == child && !u->b->joints[i].loop)
            u->b->bodies[child].parent = u->b->joints[i].body[0];
    return true;
}

/* The one free axis of a joint; -1: it has none, or several. */
static int single_axis(const jn_usd_joint *j) {
    int found = -1;
    for (int k = 0; k < JN_USD_AXES; k++)
        if (j->free[k]) found = found < 0 ? k : JN_USD_AXES;
    return j->is_distance || j->excluded || found == JN_USD_AXES ? -1 : found;
}

/* The axis of such a joint in the world. */
static jn_vec3 world_axis(const jn_usd *u, const jn_usd_joint *j) {
    jn_robot_pose first = jn_robot_pose_mul(jn_usd_body_pose(u, j->body[0]), j->frame[0]);
    return q4_rotate(first.q, v3_axis(single_axis(j) % 3));
}

/* Whether both let the same happen, as the two hinges of a door do. */
static bool is_alike(const jn_usd *u, const jn_usd_joint *j, const jn_usd_joint *k) {
    bool slide = single_axis(j) < 3, other = single_axis(k) < 3;
    return slide == other && v3_norm(v3_cross(world_axis(u, j), world_axis(u, k))) < 1e-6;
}

int jn_usd_list_series(jn_usd *u, jn_usd_joint *j, jn_usd_joint **series) {
    int count = 0;
    series[count++] = j;
    for (int k = 0; k < u->joint_count && single_axis(j) >= 0; k++) {
        jn_usd_joint *o = &u->joints[k];
        bool same = (o->body[0] == j->body[0] && o->body[1] == j->body[1]) ||
                    (o->body[0] == j->body[1] && o->body[1] == j->body[0]);
        if (o == j || o->used || !same || single_axis(o) < 0 || count == JN_USD_AXES) continue;
        bool alike = false;
        for (int i = 0; i < count; i++) alike = alike || is_alike(u, series[i], o);
        if (!alike) series[count++] = o;
    }
    return count;
}

bool jn_usd_add_series(jn_usd *u, jn_usd_joint **series, int count, int parent, int child) {
    jn_robot_pose first;
    int from = parent;
    place_child(u, series[0], parent, child, &first);
    for (int i = 0; i < count; i++) {
        jn_usd_joint *j = series[i];
        int axis = single_axis(j);
        jn_robot_pose at = jn_robot_pose_mul(jn_usd_body_pose(u, j->body[0]), j->frame[0]);
        jn_vec3 along = world_axis(u, j);
        int to = i == count - 1 ? child : add_helper(u, j, at, from, j->node->name);
        if (to < -1) return false;
        jn_robot_joint *made = jn_robot_add_joint(u->b, j->node->name, j->node->where,
                                                  axis < 3 ? JN_JOINT_PRISMATIC : JN_JOINT_REVOLUTE, from, to);
        if (!made) return false;
        made->at = at.p, made->axis = j->body[0] == child ? v3_neg(along) : along;
        made->armature = j->armature * u->kilogram * (axis < 3 ? 1 : u->meter * u->meter);
        bind(u, j, axis, made, j->drawn[axis]);
        jn_robot_find(u->b, JN_FINDING_WARNING, j->node->where, j->node->path,
                      "several joints with different axes between two bodies",
                      "they move one behind the other, in the order of the file, as MuJoCo has it; together they would "
                      "hold the bodies");
        if (!jn_usd_note_drive(u, j, axis, u->b->joint_count - 1)) return false;
        from = to, j->used = true;
    }
    u->b->bodies[child].parent = u->b->joints[u->b->joint_count - 1].body[0];
    return true;
}

/* ------------------------------------------------------------------------------------------------------- loops */

/* The joint with the free axes of a loop, its axis and second axis in its frames; false: there is none. */
static bool loop_type(const jn_usd_joint *j, jn_joint_type *type, int *axis, int *axis2) {
    int slides = 0, turns = 0, slide = 0, turn = 0, held = 0;
    for (int k = 0; k < 3; k++) {
        if (j->free[k]) slides++, slide = k;
        if (j->free[3 + k])
            turns++, turn = k;
        else
            held = k;
    }
    *axis = turns == 1 ? turn : slides == 1 ? slide : 2, *axis2 = (*axis + 1) % 3;
    if (slides == 0 && turns == 0)
        *type = JN_JOINT_FIXED;
    else if (slides == 0 && turns == 1)
        *type = JN_JOINT_REVOLUTE;
    else if (slides == 1 && turns == 0)
        *type = JN_JOINT_PRISMATIC;
    else if (slides == 1 && turns == 1 && slide == turn)
        *type = JN_JOINT_CYLINDRICAL;
    else if (slides == 0 && turns == 3)
        *type = JN_JOINT_SPHERICAL;
    else if (slides == 1 && turns == 3)
        *type = JN_JOINT_POINT_ON_LINE;
    else if (slides == 2 && turns == 1 && !j->free[turn])
        *type = JN_JOINT_PLANAR;
    else if (slides == 0 && turns == 2)
        *type = JN_JOINT_UNIVERSAL, *axis = held == 0 ? 1 : 0, *axis2 = held == 2 ? 1 : 2;
    else
        return false;
    return true;
}

/* A distance between two points that stays within two ends: stops of a cable. */
static bool add_distance(jn_usd *u, const jn_usd_joint *j) {
    jn_robot *b = u->b;
    if (j->distance[0] < 0 && j->distance[1] < 0) return true; /* nothing is held */
    jn_robot_tendon *t = jn_robot_add_tendon(b, j->node->name, j->node->where);
    if (!t || !(t->path = jn_store_array(b->r->scratch, 2, sizeof *t->path))) return jn_read_no_memory(b->r);
    for (int k = 0; k < 2; k++) {
        if (!jn_robot_add_point(b, jn_robot_text(b, "%.50s_end%d", j->node->name, k), j->node->where, j->body[k],
                                j->frame[k].p))
            return false;
        t->path[t->path_count++] = (jn_robot_path){.kind = JN_PATH_POINT, .point = b->point_count - 1, .side = -1};
    }
    t->has_lower = j->distance[0] >= 0, t->has_upper = j->distance[1] >= 0;
    t->lower = t->has_lower ? j->distance[0] : 0, t->upper = t->has_upper ? j->distance[1] : 0;
    if (!t->has_lower || !t->has_upper || t->lower < t->upper) return true;
    jn_robot_coupler *c = jn_robot_add_coupler(b, jn_robot_text(b, "%.50s_length", j->node->name), j->node->where);
    if (!c || !jn_robot_couple(b, c, 0, 1)) return false;
    jn_vec3 ends[2];
    for (int k = 0; k < 2; k++) ends[k] = jn_robot_pose_mul(jn_usd_body_pose(u, j->body[k]), j->frame[k]).p;
    c->tendon[0] = b->tendon_count, c->has_constant = true,
    c->constant = t->upper - v3_norm(v3_sub(ends[1], ends[0])); /* from the length as drawn */
    t->has_lower = t->has_upper = false, b->has_loops = true;
    return true;
}

bool jn_usd_add_loop_joint(jn_usd *u, jn_usd_joint *j) {
    jn_robot *b = u->b;
    jn_joint_type type;
    int axis, axis2;
    j->used = true;
    if (j->is_distance) return add_distance(u, j);
    if (!loop_type(j, &type, &axis, &axis2)) {
        jn_robot_find(b, JN_FINDING_PHYSICS, j->node->where, j->node->path,
                      "generic joints with several free axes that close loops", "they are left out");
        return true;
    }
    jn_robot_joint *to = jn_robot_add_joint(b, j->node->name, j->node->where, type, j->body[0], j->body[1]);
    if (!to) return false;
    to->loop = to->local = b->has_loops = true;
    for (int k = 0; k < 2; k++) {
        to->frame_at[k] = j->frame[k].p;
        to->frame_axis[k] = q4_rotate(j->frame[k].q, v3_axis(axis)),
        to->frame_axis2[k] = q4_rotate(j->frame[k].q, v3_axis(axis2));
    }
    int coordinate = type == JN_JOINT_REVOLUTE ? 3 + axis : type == JN_JOINT_PRISMATIC ? axis : -1;
    if (coordinate >= 0) {
        bind(u, j, coordinate, to, 0);
        return jn_usd_note_drive(u, j, coordinate, b->joint_count - 1);
    }
    for (int k = 0; k < JN_USD_AXES; k++)
        if (j->free[k] && is_bound(j, k))
            jn_robot_find(b, JN_FINDING_PHYSICS, j->node->where, j->node->path,
                          "limits and drives of joints with several axes that close loops", "they have no effect");
    return true;
}

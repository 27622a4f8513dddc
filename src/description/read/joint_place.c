/* Where a joint sits on its bodies: frames, places and axes with the defaults of its type, and which keys a type has. */
#include "description/read/joint_coordinate.h"

#include "algebra/vec3.h"
#include "description/joint_info.h"

#include <math.h>
#include <stddef.h>

/* ------------------------------------------------------------------------------------------------------ frames */

typedef struct frame_item {
    jn_joint_frame frame; /* first */
    bool has_axis, has_axis2;
} frame_item;

static bool read_frame_axis(jn_reader *r, const jn_node *node, void *item) {
    frame_item *f = item;
    f->has_axis = true;
    return jn_read_direction(r, node, &f->frame.axis);
}

static bool read_frame_axis2(jn_reader *r, const jn_node *node, void *item) {
    frame_item *f = item;
    f->has_axis2 = true;
    return jn_read_direction(r, node, &f->frame.axis2);
}

static const jn_field frame_rows[] = {
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(frame_item, frame.at),
     .fallback = "the body's origin",
     .doc = "the joint's place in the body's frame",
     .example = "at: [0.1, 0, 0]"},
    {.key = "axis",
     .kind = JN_FIELD_CUSTOM,
     .read = read_frame_axis,
     .schema = JN_SCHEMA_DIRECTION,
     .fallback = "z",
     .doc = "the joint's axis in the body's frame",
     .example = "axis: z"},
    {.key = "axis2",
     .kind = JN_FIELD_CUSTOM,
     .read = read_frame_axis2,
     .schema = JN_SCHEMA_DIRECTION,
     .fallback = "automatic",
     .doc = "a second direction: the zero of the angle; for a universal joint the axis on the second body",
     .example = "axis2: x"},
    {.key = NULL},
};
const jn_fieldset jn_joint_frame_fields = {
    "joints.NAME.frames", "Where a joint sits on one of its bodies, in the body's own frame.", frame_rows};

static bool parallel(jn_vec3 a, jn_vec3 b) { return v3_norm(v3_cross(a, b)) < 1e-9; }

bool jn_joint_read_frames(jn_reader *r, const jn_node *node, void *item) {
    jn_joint_item *j = item;

    j->joint.local = true;
    if (!jn_expect_list(r, node, 2, "the joint's place on the first body and on the second")) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        frame_item f = {.frame = {.axis = {0, 0, 1}}};
        size_t mark = jn_path_item(r, i);
        bool fine = jn_read_fields(r, node->items[i], &jn_joint_frame_fields, &f);
        if (fine && f.has_axis2 && parallel(f.frame.axis, f.frame.axis2)) {
            fine = jn_read_error(r, node->items[i]->where, JN_ERR_MODEL,
                                 "the two axes are parallel\ngive 'axis2' another direction");
        }
        jn_path_back(r, mark);
        if (!fine) {
            return false;
        }
        j->joint.frame[i] = f.frame;
    }
    return true;
}

/* -------------------------------------------------------------------------------------------- after the keys */

bool jn_joint_place(jn_reader *r, jn_joint_item *j) {
    jn_joint_type type = j->joint.type;
    const jn_joint_info *info = jn_joint_type_info(type);
    const jn_body_desc *second = &r->d->bodies[j->joint.body[1]];
    bool may_default = type == JN_JOINT_FIXED || type == JN_JOINT_PRISMATIC || type == JN_JOINT_PLANAR ||
                       type == JN_JOINT_FREE || type == JN_JOINT_TRANSLATIONAL_CLEARANCE;

    if (type == JN_JOINT_DISTANCE) {
        if (!j->has_ends || j->has_at) {
            return jn_read_error(r, j->map->where, JN_ERR_MODEL,
                                 "a distance joint needs its two points\nadd 'ends: [[...], [...]]'%s",
                                 j->has_at ? " in place of 'at'" : "");
        }
        j->joint.frame[0] = (jn_joint_frame){.at = j->ends[0]};
        j->joint.frame[1] = (jn_joint_frame){.at = j->ends[1]};
        return true;
    }
    if (!j->has_at && !may_default) {
        return jn_read_error(r, j->map->where, JN_ERR_MODEL, "a %s joint needs its place\nadd 'at: [...]', or 'frames'",
                             info->name);
    }
    if (!j->has_at) {
        /* a free joint counts the place of the centre of mass from the first body's origin */
        j->at = type == JN_JOINT_FREE ? r->d->bodies[j->joint.body[0]].at
                                      : v3_add(second->at, q4_rotate(second->orientation, second->com));
    }
    if (info->needs_axis && !j->has_axis) {
        if (!r->d->planar || (type != JN_JOINT_REVOLUTE && type != JN_JOINT_REVOLUTE_CLEARANCE)) {
            return jn_read_error(r, j->map->where, JN_ERR_MODEL, "a %s joint needs its %s\nadd '%s'", info->name,
                                 type == JN_JOINT_UNIVERSAL ? "two axes" : "axis",
                                 type == JN_JOINT_UNIVERSAL ? "axes: [x, y]" : "axis: x");
        }
        j->axis = v3(0, 0, 1);
    }
    j->joint.frame[0] = j->joint.frame[1] = (jn_joint_frame){j->at, j->axis, j->axis2};
    return true;
}

bool jn_joint_check_keys(jn_reader *r, const jn_joint_item *j) {
    jn_joint_type type = j->joint.type;
    const jn_joint_info *info = jn_joint_type_info(type);
    bool slides = type == JN_JOINT_TRANSLATIONAL_CLEARANCE; /* a block; or a journal of a length */
    bool round = !r->d->planar && (type == JN_JOINT_REVOLUTE_CLEARANCE || type == JN_JOINT_CYLINDRICAL_CLEARANCE);
    const struct {
        const char *key;
        bool allowed;
    } rows[] = {
        {"axis", info->needs_axis},
        {"along", info->needs_axis},
        {"axis2", info->needs_axis && type != JN_JOINT_UNIVERSAL && !(slides && r->d->planar)},
        {"axes", type == JN_JOINT_UNIVERSAL},
        {"ends", type == JN_JOINT_DISTANCE},
        {"length", type == JN_JOINT_DISTANCE || slides || round},
        {"pitch", type == JN_JOINT_SCREW},
        {"bearing", jn_joint_has_clearance(type) && !slides},
        {"axial", round && type == JN_JOINT_REVOLUTE_CLEARANCE},
        {"width", slides && !r->d->planar},
        {"height", slides},
        {"clearance", jn_joint_has_clearance(type)},
        {"contact", jn_joint_has_clearance(type)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const jn_entry *entry = jn_node_entry(j->map, rows[i].key);
        if (entry && !rows[i].allowed) {
            return jn_read_error(r, entry->where, JN_ERR_MODEL, "a %s joint has no '%s'%s\nremove it", info->name,
                                 rows[i].key, r->d->planar && jn_joint_has_clearance(type) ? " in a plane" : "");
        }
        if (entry && j->joint.local && i < 5) {
            return jn_joint_conflict(r, j, "frames", rows[i].key);
        }
    }
    if (j->joint.local && j->has_at) {
        return jn_joint_conflict(r, j, "frames", "at");
    }
    if (jn_node_entry(j->map, "axis") && jn_node_entry(j->map, "along")) {
        return jn_joint_conflict(r, j, "axis", "along");
    }
    return true;
}

static bool in_plane(jn_vec3 axis) { return fabs(axis.z) < 1e-12; }

bool jn_joint_check_axes(jn_reader *r, const jn_joint_item *j) {
    const jn_joint_desc *joint = &j->joint;
    jn_joint_type type = joint->type;

    if (type == JN_JOINT_SCREW && !j->has_pitch) {
        return jn_read_error(r, j->map->where, JN_ERR_MODEL, "a screw joint needs its pitch\nadd 'pitch: 2 mm'");
    }
    for (int i = 0; i < 2; i++) {
        jn_vec3 axis = joint->frame[i].axis, axis2 = joint->frame[i].axis2;
        bool second = v3_norm(axis2) > 0;
        if (type == JN_JOINT_UNIVERSAL && !second) {
            return jn_read_error(r, j->map->where, JN_ERR_MODEL,
                                 "a universal joint needs two axes\nadd 'axes: [x, y]', or 'axis2' in frames");
        }
        if (second && parallel(axis, axis2)) {
            return jn_read_error(r, j->map->where, JN_ERR_MODEL,
                                 "the two axes of the joint are parallel\ngive them different directions");
        }
        bool slides =
            type == JN_JOINT_PRISMATIC || type == JN_JOINT_POINT_ON_LINE || type == JN_JOINT_TRANSLATIONAL_CLEARANCE;
        if (r->d->planar &&
            ((slides && !in_plane(axis)) ||
             ((type == JN_JOINT_REVOLUTE || type == JN_JOINT_REVOLUTE_CLEARANCE) && !parallel(axis, v3(0, 0, 1))))) {
            return jn_read_error(
                r, j->map->where, JN_ERR_MODEL,
                slides ? "in a planar model the axis of this joint lies in the plane\nwrite 'axis: x', or [x, y]"
                       : "in a planar model a revolute joint turns about z\nremove its axis");
        }
    }
    return true;
}

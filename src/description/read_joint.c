/* The section joints. */
#include "description/coordinate.h"

#include "algebra/vec3.h"
#include "description/joint_info.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const jn_word joint_words[] = {
    {"fixed", JN_JOINT_FIXED},
    {"revolute", JN_JOINT_REVOLUTE},
    {"prismatic", JN_JOINT_PRISMATIC},
    {"screw", JN_JOINT_SCREW},
    {"cylindrical", JN_JOINT_CYLINDRICAL},
    {"universal", JN_JOINT_UNIVERSAL},
    {"spherical", JN_JOINT_SPHERICAL},
    {"planar", JN_JOINT_PLANAR},
    {"free", JN_JOINT_FREE},
    {"distance", JN_JOINT_DISTANCE},
    {"point_on_line", JN_JOINT_POINT_ON_LINE},
    {"revolute_clearance", JN_JOINT_REVOLUTE_CLEARANCE},
    {"translational_clearance", JN_JOINT_TRANSLATIONAL_CLEARANCE},
    {"spherical_clearance", JN_JOINT_SPHERICAL_CLEARANCE},
    {"cylindrical_clearance", JN_JOINT_CYLINDRICAL_CLEARANCE},
    {NULL, 0},
};

/* ------------------------------------------------------------------------------------------------------- places */

static bool read_type(jn_reader *r, const jn_node *node, void *item) {
    (void)r, (void)node, (void)item; /* read when the joints were registered */
    return true;
}

static bool read_between(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_between(r, node, ((jn_joint_item *)item)->joint.body);
}

static bool read_axis(jn_reader *r, const jn_node *node, void *item) {
    jn_joint_item *j = item;
    j->has_axis = true;
    return jn_read_direction(r, node, &j->axis);
}

static bool read_axis2(jn_reader *r, const jn_node *node, void *item) {
    jn_joint_item *j = item;
    j->has_axis2 = true;
    return jn_read_direction(r, node, &j->axis2);
}

static bool read_axes(jn_reader *r, const jn_node *node, void *item) {
    jn_joint_item *j = item;
    j->has_axis = j->has_axis2 = true;
    return jn_expect_list(r, node, 2, "the axis on the first body and that on the second") &&
           jn_read_direction(r, node->items[0], &j->axis) && jn_read_direction(r, node->items[1], &j->axis2);
}

static bool read_ends(jn_reader *r, const jn_node *node, void *item) {
    jn_joint_item *j = item;
    j->has_ends = true;
    return jn_expect_list(r, node, 2, "the point on the first body and that on the second") &&
           jn_read_vector(r, node->items[0], JN_MEASURE_LENGTH, &j->ends[0]) &&
           jn_read_vector(r, node->items[1], JN_MEASURE_LENGTH, &j->ends[1]);
}

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

#define DIRECTION_SCHEMA "{\"$ref\": \"#/$defs/direction\"}"
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
     .schema = DIRECTION_SCHEMA,
     .fallback = "z",
     .doc = "the joint's axis in the body's frame",
     .example = "axis: z"},
    {.key = "axis2",
     .kind = JN_FIELD_CUSTOM,
     .read = read_frame_axis2,
     .schema = DIRECTION_SCHEMA,
     .fallback = "automatic",
     .doc = "a second direction: the zero of the angle; for a universal joint the axis on the second body",
     .example = "axis2: x"},
    {.key = NULL},
};
static const jn_fieldset frame_fields = {
    "joints.NAME.frames", "Where a joint sits on one of its bodies, in the body's own frame.", frame_rows};

static bool parallel(jn_vec3 a, jn_vec3 b) { return v3_norm(v3_cross(a, b)) < 1e-9; }

static bool read_frames(jn_reader *r, const jn_node *node, void *item) {
    jn_joint_item *j = item;

    j->joint.local = true;
    if (!jn_expect_list(r, node, 2, "the joint's place on the first body and on the second")) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        frame_item f = {.frame = {.axis = {0, 0, 1}}};
        size_t mark = jn_path_item(r, i);
        bool fine = jn_read_fields(r, node->items[i], &frame_fields, &f);
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

/* -------------------------------------------------------------------------------------------------- table of keys */

#define PAIR_SCHEMA "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": "
#define PER_COORDINATE "{\"$ref\": \"#/$defs/per_coordinate\"}"
#define JOINT(member) offsetof(jn_joint_item, joint.member)

static const jn_fieldset *const frame_sets[] = {&frame_fields, NULL}, *const motor_sets[] = {&jn_motor_fields, NULL};

static const jn_field joint_rows[] = {
    {.key = "type",
     .kind = JN_FIELD_WORD,
     .offset = JOINT(type),
     .words = joint_words,
     .read = read_type,
     .required = true,
     .doc = "kind of joint, see the table of joints",
     .example = "type: revolute"},
    {.key = "between",
     .kind = JN_FIELD_CUSTOM,
     .read = read_between,
     .schema = PAIR_SCHEMA "{\"type\": \"string\"}}",
     .required = true,
     .doc = "the two bodies; motion is that of the second seen from the first",
     .example = "between: [ground, crank]"},
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_joint_item, at),
     .has = offsetof(jn_joint_item, has_at),
     .fallback = "centre of mass of the second body for fixed, prismatic, planar; origin of the first for free",
     .doc =
         "the joint's place as drawn, global coordinates; a free joint counts the place of the centre of mass from it",
     .example = "at: [l1, 0]"},
    {.key = "axis",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axis,
     .schema = DIRECTION_SCHEMA,
     .fallback = "z for revolute in a planar model",
     .doc = "direction of the axis (of the normal, for planar; of the line, for point_on_line) as drawn",
     .example = "axis: [0, 1, 1]"},
    {.key = "along",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axis,
     .schema = DIRECTION_SCHEMA,
     .doc = "another word for axis",
     .example = "along: x"},
    {.key = "axis2",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axis2,
     .schema = DIRECTION_SCHEMA,
     .fallback = "automatic",
     .doc = "a direction normal to the axis, from which angles and (planar) x count",
     .example = "axis2: x"},
    {.key = "axes",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axes,
     .schema = PAIR_SCHEMA DIRECTION_SCHEMA "}",
     .doc = "universal: the axis on the first body and that on the second",
     .example = "axes: [x, y]"},
    {.key = "ends",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_LENGTH,
     .read = read_ends,
     .schema = PAIR_SCHEMA "{\"$ref\": \"#/$defs/vector\"}}",
     .doc = "distance: the two points as drawn, global coordinates",
     .example = "ends: [[0, 0, 0], [1, 0, 0]]"},
    {.key = "frames",
     .kind = JN_FIELD_LIST,
     .read = read_frames,
     .sets = frame_sets,
     .doc = "instead of at and axis: the joint's place on each body, in the body's own frame",
     .example = "frames: [{at: [0, 0, 1], axis: z}, {at: [0, 0, 0], axis: z}]"},
    {.key = "pitch",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = JOINT(pitch),
     .has = offsetof(jn_joint_item, has_pitch),
     .doc = "screw: advance per turn",
     .example = "pitch: 2 mm"},
    {.key = "length",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = JOINT(length),
     .has = JOINT(has_length),
     .range = JN_RANGE_POSITIVE,
     .fallback = "as drawn",
     .doc = "distance: the constant distance; clearance joints: length of the block, or of the journal in space",
     .example = "length: 0.3"},
    {.key = "bearing",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = JOINT(bearing),
     .range = JN_RANGE_POSITIVE,
     .doc = "clearance joints: radius of the bearing or socket on the first body",
     .example = "bearing: 10 mm"},
    {.key = "axial",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = JOINT(axial),
     .range = JN_RANGE_POSITIVE,
     .fallback = "the clearance",
     .doc = "revolute_clearance in space: play along the axis at each end",
     .example = "axial: 1 mm"},
    {.key = "width",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = JOINT(width),
     .range = JN_RANGE_POSITIVE,
     .doc = "translational_clearance in space: width of the block, along axis2",
     .example = "width: 50 mm"},
    {.key = "height",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = JOINT(height),
     .range = JN_RANGE_POSITIVE,
     .doc = "translational_clearance: height of the block, normal to its axis (in space also to axis2)",
     .example = "height: 50 mm"},
    {.key = "clearance",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_joint_item, clearance),
     .has = offsetof(jn_joint_item, has_clearance),
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "clearance joints: play of the radius, or on each side of a block; 0 makes the joint ideal",
     .example = "clearance: 0.5 mm"},
    {.key = "contact",
     .kind = JN_FIELD_TEXT,
     .offset = JOINT(contact),
     .doc = "clearance joints: the row of contacts whose law holds",
     .example = "contact: steel"},
    {.key = "loop",
     .kind = JN_FIELD_BOOL,
     .offset = JOINT(closes_loop),
     .fallback = "automatic",
     .doc = "this joint closes a loop: keep it out of the tree",
     .example = "loop: true"},
    {.key = "position",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_position,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "initial coordinate, counted from the drawn configuration",
     .example = "position: 30 deg"},
    {.key = "approximate",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(jn_joint_item, approximate),
     .fallback = "false",
     .doc = "the initial coordinate is a first guess, which closing the loops may move",
     .example = "approximate: true"},
    {.key = "speed",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_speed,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "initial speed",
     .example = "speed: 150 rad/s"},
    {.key = "motion",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_motion,
     .schema = PER_COORDINATE,
     .may = JN_MAY_T,
     .doc = "prescribed coordinate as a function of t",
     .example = "motion: 0.1*sin(2*pi*t)"},
    {.key = "rate",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_rate,
     .schema = PER_COORDINATE,
     .doc = "prescribed constant speed: motion = position + rate*t",
     .example = "rate: 150 rpm"},
    {.key = "driven",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(jn_joint_item, driven),
     .fallback = "true",
     .doc = "false: the rate is the initial speed alone, and the joint moves freely",
     .example = "driven: false"},
    {.key = "stiffness",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_stiffness,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "of a spring on the coordinate",
     .example = "stiffness: 5 N*m/rad"},
    {.key = "rest",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_rest,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "coordinate at which that spring is relaxed",
     .example = "rest: 10 deg"},
    {.key = "damping",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_damping,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "viscous damping",
     .example = "damping: 0.1 N*m*s/rad"},
    {.key = "lower",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_lower,
     .schema = PER_COORDINATE,
     .fallback = "none",
     .doc = "lower end of the range: a stop",
     .example = "lower: -90 deg"},
    {.key = "upper",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_upper,
     .schema = PER_COORDINATE,
     .fallback = "none",
     .doc = "upper end of the range: a stop",
     .example = "upper: 90 deg"},
    {.key = "limit_stiffness",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_limit_stiffness,
     .schema = PER_COORDINATE,
     .fallback = "rigid stops, which only method nonsmooth has",
     .doc = "of the stops",
     .example = "limit_stiffness: 1e4"},
    {.key = "limit_damping",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_limit_damping,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "of the stops",
     .example = "limit_damping: 10"},
    {.key = "friction",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_friction,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "dry friction: friction * tanh(speed / friction_speed)",
     .example = "friction: 0.2 N*m"},
    {.key = "friction_speed",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_friction_speed,
     .schema = PER_COORDINATE,
     .fallback = "1e-3",
     .doc = "speed below which dry friction fades",
     .example = "friction_speed: 1e-3"},
    {.key = "armature",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_armature,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "inertia that this coordinate alone moves, as that of a rotor behind a gear; for joints of the tree in relative "
            "coordinates",
     .example = "armature: 0.01 kg*m^2"},
    {.key = "force",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_force,
     .schema = PER_COORDINATE,
     .may = JN_MAY_T,
     .doc = "applied force or torque: a function of t, x (coordinate), v (speed) and joint coordinates",
     .example = "force: -2*x - 0.1*v"},
    {.key = "motor",
     .kind = JN_FIELD_MAP,
     .read = jn_coordinate_motor,
     .sets = motor_sets,
     .schema = "{\"type\": \"array\"}",
     .doc = "a motor with PD control",
     .example = "motor: {target: 30 deg, kp: 50, kd: 2, max: 20 N*m}"},
    {.key = NULL},
};
const jn_fieldset jn_joint_fields = {
    "joints.NAME",
    "A joint. Keys from position on belong to a coordinate: one value for a joint with one coordinate, a list (null "
    "for none) for "
    "one with several. Their units are those of a length or of an angle, as the coordinate is.",
    joint_rows};

/* -------------------------------------------------------------------------------------------- after the keys */

/* Global place and axes into both frames, with the defaults of the type. */
static bool place_joint(jn_reader *r, jn_joint_item *j) {
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

/* Keys that make no sense for the type. */
static bool check_keys(jn_reader *r, const jn_joint_item *j) {
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

static bool check_axes(jn_reader *r, const jn_joint_item *j) {
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

static bool read_joint(jn_reader *r, const jn_entry *entry, jn_joint_item *j) {
    const jn_joint_info *info = jn_joint_type_info(j->joint.type);

    if (r->d->planar && info->plane_nv < 0) {
        return jn_read_error(r, jn_node_get(entry->value, "type")->where, JN_ERR_MODEL,
                             "a %s joint makes no sense in a planar model\nuse %s", info->name,
                             j->joint.type == JN_JOINT_CYLINDRICAL_CLEARANCE
                                 ? "translational_clearance: a rod between two guides"
                             : j->joint.type == JN_JOINT_SPHERICAL_CLEARANCE
                                 ? "revolute_clearance: a journal in its bearing"
                                 : "revolute, prismatic, fixed, free, distance or point_on_line");
    }
    if (!jn_read_fields(r, entry->value, &jn_joint_fields, j) || !check_keys(r, j)) {
        return false;
    }
    if (j->joint.type == JN_JOINT_DISTANCE || j->joint.type == JN_JOINT_POINT_ON_LINE) {
        j->joint.closes_loop = true;
    }
    if (jn_joint_has_clearance(j->joint.type) && !jn_read_clearance(r, j)) {
        return false;
    }
    if ((!j->joint.local && !place_joint(r, j)) || !check_axes(r, j)) {
        return false;
    }
    for (int k = 0; k < jn_joint_velocities(j->joint.type, r->d->planar); k++) {
        if (!jn_coordinate_finish(r, j, k)) {
            return false;
        }
    }
    return true;
}

bool jn_register_joints(jn_reader *r) {
    const jn_node *node = jn_node_get(r->root, "joints");
    int count = node && node->kind == JN_NODE_MAP ? node->count : 0;
    bool fine = true;

    r->joint_types = jn_store_array(r->scratch, (size_t)count + 1, sizeof *r->joint_types);
    if (!r->joint_types || !jn_names_create(&r->joint_names, r->scratch, count)) {
        return jn_read_no_memory(r);
    }
    for (int i = 0; i < count; i++) {
        const jn_entry *entry = &node->entries[i];
        const jn_node *type = jn_node_get(entry->value, "type");
        size_t mark = jn_path_key(r, "joints");
        jn_path_key(r, entry->key);
        r->joint_types[i] = -1;
        fine = jn_check_name(r, entry, true, "a joint") && fine;
        jn_names_add(&r->joint_names, entry->key);
        if (entry->value->kind != JN_NODE_MAP) {
            fine = jn_expect_kind(r, entry->value, JN_NODE_MAP, "a joint");
        } else if (!type) {
            fine = jn_read_error(r, entry->value->where, JN_ERR_MODEL, "'type' is missing in %s\nadd 'type: revolute'",
                                 r->path);
        } else if (!jn_read_word(r, type, joint_words, &r->joint_types[i])) {
            r->joint_types[i] = -1;
            fine = false;
        }
        jn_path_back(r, mark);
    }
    return fine;
}

bool jn_read_joints(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "joints, each 'name: {type: revolute, ...}'");
    (void)item;

    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        size_t mark;
        jn_joint_item j = {.map = entry->value, .driven = true};
        const char *name = jn_store_strdup(r->store, entry->key);
        void *wide = jn_store_grow(r->store, d->joints, d->joint_count, sizeof *d->joints);
        if (!name || !wide) {
            return jn_read_no_memory(r);
        }
        if (r->joint_types[i] < 0) {
            continue;
        }
        mark = jn_path_key(r, entry->key);
        d->joints = wide;
        j.joint = jn_joint_default(name, (jn_joint_type)r->joint_types[i]);
        j.joint.where = entry->where;
        read_joint(r, entry, &j);
        d->joints[d->joint_count++] = j.joint;
        jn_path_back(r, mark);
    }
    return fine;
}

/* The section joints. */
#include "description/joint_info.h"
#include "description/read/joint_coordinate.h"

#include <stddef.h>

static const jn_keyword joint_keywords[] = {
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

/* -------------------------------------------------------------------------------------------------- table of keys */

#define PAIR_SCHEMA "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": "
#define PER_COORDINATE "{\"$ref\": \"#/$defs/per_coordinate\"}"
#define JOINT(member) offsetof(jn_joint_item, joint.member)

static const jn_fieldset *const frame_sets[] = {&jn_joint_frame_fields, NULL}, *const motor_sets[] = {&jn_motor_fields,
                                                                                                      NULL};

static const jn_field joint_rows[] = {
    {.key = "type",
     .kind = JN_FIELD_KEYWORD,
     .offset = JOINT(type),
     .keywords = joint_keywords,
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
     .schema = JN_SCHEMA_DIRECTION,
     .fallback = "z for revolute in a planar model",
     .doc = "direction of the axis (of the normal, for planar; of the line, for point_on_line) as drawn",
     .example = "axis: [0, 1, 1]"},
    {.key = "along",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axis,
     .schema = JN_SCHEMA_DIRECTION,
     .doc = "another word for axis",
     .example = "along: x"},
    {.key = "axis2",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axis2,
     .schema = JN_SCHEMA_DIRECTION,
     .fallback = "automatic",
     .doc = "a direction normal to the axis, from which angles and (planar) x count",
     .example = "axis2: x"},
    {.key = "axes",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axes,
     .schema = PAIR_SCHEMA JN_SCHEMA_DIRECTION "}",
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
     .read = jn_joint_read_frames,
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
     .doc = "revolute_clearance in space: clearance along the axis at each end",
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
     .doc = "clearance joints: clearance of the radius, or on each side of a block; 0 makes the joint ideal",
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
     .doc = "dry friction: friction * tanh(speed / friction_speed); exact and able to hold in method nonsmooth, but for scheme least_constraint; elsewhere what it holds creeps",
     .example = "friction: 0.2 N*m"},
    {.key = "friction_speed",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_friction_speed,
     .schema = PER_COORDINATE,
     .fallback = "1e-3",
     .doc = "speed below which dry friction fades; method nonsmooth needs none",
     .example = "friction_speed: 1e-3"},
    {.key = "armature",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_armature,
     .schema = PER_COORDINATE,
     .fallback = "0",
     .doc = "inertia that this coordinate alone moves, as that of a rotor behind a gear; for joints of the tree in "
            "relative "
            "coordinates",
     .example = "armature: 0.01 kg*m^2"},
    {.key = "force",
     .kind = JN_FIELD_CUSTOM,
     .read = jn_coordinate_force,
     .schema = PER_COORDINATE,
     .may = JN_MAY_T,
     .doc =
         "applied force or torque: a function of t, x (coordinate), v (speed), joint coordinates and motions of bodies",
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

/* ------------------------------------------------------------------------------------------------------ joints */

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
    if (!jn_read_fields(r, entry->value, &jn_joint_fields, j) || !jn_joint_check_keys(r, j)) {
        return false;
    }
    if (j->joint.type == JN_JOINT_DISTANCE || j->joint.type == JN_JOINT_POINT_ON_LINE) {
        j->joint.closes_loop = true;
    }
    if (jn_joint_has_clearance(j->joint.type) && !jn_read_clearance(r, j)) {
        return false;
    }
    if ((!j->joint.local && !jn_joint_place(r, j)) || !jn_joint_check_axes(r, j)) {
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
        } else if (!jn_read_keyword(r, type, joint_keywords, &r->joint_types[i])) {
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

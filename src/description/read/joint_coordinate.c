/* Keys of a joint that belong to one of its coordinates. */
#include "description/read/joint_coordinate.h"

#include "base/program.h"
#include "description/joint_info.h"

#include <stddef.h>

/* ------------------------------------------------------------------------------------------- one per coordinate */

/* What a key measures for a translation and for a rotation. */
typedef enum coordinate_measure {
    OF_POSITION,
    OF_SPEED,
    OF_STIFFNESS,
    OF_DAMPING,
    OF_FORCE,
    OF_INERTIA
} coordinate_measure;

static jn_measure measure_of(coordinate_measure what, bool angular) {
    static const jn_measure table[][2] = {
        [OF_POSITION] = {JN_MEASURE_LENGTH, JN_MEASURE_ANGLE},
        [OF_SPEED] = {JN_MEASURE_SPEED, JN_MEASURE_ANGULAR_SPEED},
        [OF_STIFFNESS] = {JN_MEASURE_STIFFNESS, JN_MEASURE_ANGULAR_STIFFNESS},
        [OF_DAMPING] = {JN_MEASURE_DAMPING, JN_MEASURE_ANGULAR_DAMPING},
        [OF_FORCE] = {JN_MEASURE_FORCE, JN_MEASURE_TORQUE},
        [OF_INERTIA] = {JN_MEASURE_MASS, JN_MEASURE_INERTIA},
    };
    return table[what][angular];
}

typedef bool (*read_entry)(jn_reader *r, const jn_node *node, jn_joint_item *j, int k, bool angular);

/* A value for a joint with one coordinate; a list, with null for none, for one with several. */
static bool per_coordinate(jn_reader *r, const jn_node *node, jn_joint_item *j, bool scalar_only, read_entry entry) {
    jn_joint_type type = j->joint.type;
    bool planar = r->d->planar, fine = true;
    int n = jn_joint_velocities(type, planar);
    const char *name = jn_joint_type_info(type)->name;

    if (n <= 0) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a %s joint has no coordinate for this\nremove the key",
                             name);
    }
    if (node->kind != JN_NODE_LIST) {
        if (n > 1) {
            return jn_read_error(r, node->where, JN_ERR_MODEL,
                                 "a %s joint has %d coordinates\nwrite a list of %d, with null for none", name, n, n);
        }
        return entry(r, node, j, 0, jn_joint_is_angular(type, planar, 0));
    }
    if (node->count != n) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a %s joint has %d coordinate%s, the list has %d", name, n,
                             n > 1 ? "s" : "", node->count);
    }
    for (int k = 0; k < n; k++) {
        const jn_node *value = node->items[k];
        size_t mark = jn_path_item(r, k);
        if (value->kind != JN_NODE_EMPTY) {
            if (scalar_only && !jn_joint_is_scalar(type, planar, k)) {
                fine =
                    jn_read_error(r, value->where, JN_ERR_MODEL,
                                  "the rotation of a %s joint in space has no single angle for this\nwrite null", name);
            } else {
                fine = entry(r, value, j, k, jn_joint_is_angular(type, planar, k)) && fine;
            }
        }
        jn_path_back(r, mark);
    }
    return fine;
}

static bool not_negative(jn_reader *r, const jn_node *node, double value) {
    return value >= 0 || jn_read_error(r, node->where, JN_ERR_MODEL, "this must not be negative, as %g is", value);
}

/* One reader per key: name, measure, only for single coordinates, check, member, has. */
#define NUMBER_KEY(key, what, only_scalar, checked, member, given)                                                     \
    static bool entry_##key(jn_reader *r, const jn_node *node, jn_joint_item *j, int k, bool angular) {                \
        jn_coordinate_desc *c = &j->joint.coordinate[k];                                                               \
        given;                                                                                                         \
        return jn_read_number(r, node, measure_of(what, angular), &c->member) &&                                       \
               (!(checked) || not_negative(r, node, c->member));                                                       \
    }                                                                                                                  \
    bool jn_coordinate_##key(jn_reader *r, const jn_node *node, void *item) {                                          \
        return per_coordinate(r, node, item, only_scalar, entry_##key);                                                \
    }

NUMBER_KEY(position, OF_POSITION, true, false, position, c->has_position = true)
NUMBER_KEY(speed, OF_SPEED, false, false, speed, c->has_speed = true)
NUMBER_KEY(stiffness, OF_STIFFNESS, true, true, stiffness, (void)0)
NUMBER_KEY(rest, OF_POSITION, true, false, rest, (void)0)
NUMBER_KEY(damping, OF_DAMPING, false, true, damping, (void)0)
NUMBER_KEY(lower, OF_POSITION, true, false, lower, c->has_lower = true)
NUMBER_KEY(upper, OF_POSITION, true, false, upper, c->has_upper = true)
NUMBER_KEY(limit_stiffness, OF_STIFFNESS, true, true, limit_stiffness, (void)0)
NUMBER_KEY(limit_damping, OF_DAMPING, true, true, limit_damping, (void)0)
NUMBER_KEY(friction, OF_FORCE, false, true, friction, (void)0)
NUMBER_KEY(armature, OF_INERTIA, false, true, armature, (void)0)

static bool entry_friction_speed(jn_reader *r, const jn_node *node, jn_joint_item *j, int k, bool angular) {
    double *speed = &j->joint.coordinate[k].friction_speed;
    return jn_read_number(r, node, measure_of(OF_SPEED, angular), speed) &&
           (*speed > 0 || jn_read_error(r, node->where, JN_ERR_MODEL, "this must be greater than 0, not %g", *speed));
}
bool jn_coordinate_friction_speed(jn_reader *r, const jn_node *node, void *item) {
    return per_coordinate(r, node, item, false, entry_friction_speed);
}

/* The speed of these functions jumps somewhere: a body that follows them would need an infinite force there. */
static bool has_kink(jn_function f) {
    for (int i = 0; i < f.length; i++) switch (f.code[i].op) {
        case JN_OP_RAMP:
        case JN_OP_TABLE:
        case JN_OP_MOD:
        case JN_OP_FLOOR:
        case JN_OP_HEAVISIDE: return true;
        default: break;
        }
    return false;
}

static bool entry_motion(jn_reader *r, const jn_node *node, jn_joint_item *j, int k, bool angular) {
    jn_function *motion = &j->joint.coordinate[k].motion;
    if (!jn_read_function(r, node, measure_of(OF_POSITION, angular), JN_MAY_T, motion)) return false;
    if (has_kink(*motion))
        jn_report_add(r->report, JN_SEVERITY_WARNING, JN_OK, node->where, r->path,
                      "the speed of this motion may jump (ramp, table, mod, floor, heaviside): the energy put in by a "
                      "jump is not "
                      "accounted for\nuse step or spline");
    return true;
}
bool jn_coordinate_motion(jn_reader *r, const jn_node *node, void *item) {
    return per_coordinate(r, node, item, true, entry_motion);
}

static bool entry_rate(jn_reader *r, const jn_node *node, jn_joint_item *j, int k, bool angular) {
    j->has_rate[k] = true;
    return jn_read_number(r, node, measure_of(OF_SPEED, angular), &j->rate[k]);
}
bool jn_coordinate_rate(jn_reader *r, const jn_node *node, void *item) {
    return per_coordinate(r, node, item, true, entry_rate);
}

static bool entry_force(jn_reader *r, const jn_node *node, jn_joint_item *j, int k, bool angular) {
    return jn_read_function(r, node, measure_of(OF_FORCE, angular), JN_MAY_T | JN_MAY_XV | JN_MAY_SIGNAL,
                            &j->joint.coordinate[k].force);
}
bool jn_coordinate_force(jn_reader *r, const jn_node *node, void *item) {
    return per_coordinate(r, node, item, false, entry_force);
}

/* ------------------------------------------------------------------------------------------------------- motors */

typedef struct motor_item {
    const jn_node *target, *speed, *feed, *kp, *kd, *max, *gear, *rotor, *no_load_speed;
} motor_item;

#define KEEP_NODE(key)                                                                                                 \
    static bool keep_##key(jn_reader *r, const jn_node *node, void *item) {                                            \
        (void)r;                                                                                                       \
        ((motor_item *)item)->key = node;                                                                              \
        return true;                                                                                                   \
    }
KEEP_NODE(target)
KEEP_NODE(speed)
KEEP_NODE(kp)
KEEP_NODE(kd)
KEEP_NODE(max)
KEEP_NODE(feed)
KEEP_NODE(gear)
KEEP_NODE(rotor)
KEEP_NODE(no_load_speed)

static const jn_field motor_rows[] = {
    {.key = "target",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_target,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "0",
     .doc = "wanted coordinate, a function of t",
     .example = "target: sin(t)"},
    {.key = "speed",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_speed,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "0",
     .doc = "wanted speed, a function of t",
     .example = "speed: 100 rpm"},
    {.key = "kp",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_kp,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "0",
     .doc = "force or torque per error of the coordinate",
     .example = "kp: 50"},
    {.key = "kd",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_kd,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "0",
     .doc = "force or torque per error of the speed",
     .example = "kd: 2"},
    {.key = "max",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_max,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "none",
     .doc = "largest force or torque of the motor itself; gear * max on the coordinate",
     .example = "max: 20 N*m"},
    {.key = "feed",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_feed,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "0",
     .doc = "force or torque on the coordinate beside that of the controller, a function of t, joint coordinates and "
            "motions of bodies",
     .example = "feed: 2*cos(joint.elbow.q)"},
    {.key = "gear",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_gear,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "1",
     .doc = "turns of the motor per turn of the joint (1/m for a slide); does not change kp, kd, feed",
     .example = "gear: 50"},
    {.key = "rotor",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_rotor,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "0",
     .doc = "inertia of the rotor about its own axis; gear^2 * rotor is added to the joint's armature",
     .example = "rotor: 2e-5"},
    {.key = "no_load_speed",
     .kind = JN_FIELD_CUSTOM,
     .read = keep_no_load_speed,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "none",
     .doc = "speed of the motor itself at which it can drive no more: max falls to 0 there on a straight line",
     .example = "no_load_speed: 3000 rpm"},
    {.key = NULL},
};
const jn_fieldset jn_motor_fields = {
    "joints.NAME.motor",
    "A motor with the force feed + kp (target - q) + kd (speed - u) on the coordinate, as "
    "far as it can give it: not beyond gear * max, less where it runs fast.",
    motor_rows};

static bool more_than_zero(jn_reader *r, const jn_node *node, const char *key, double value) {
    return !node || value > 0 ||
           jn_read_error(r, node->where, JN_ERR_MODEL, "'%s' must be greater than 0, not %g", key, value);
}

/* Numbers of the motor itself: gear, rotor and what it can give. On a slide the motor may turn or slide itself, so these carry
 * no unit that could be checked. */
static bool read_gearbox(jn_reader *r, const motor_item *m, jn_coordinate_desc *c, bool angular) {
    jn_measure torque = m->gear && !angular ? JN_MEASURE_ANY : measure_of(OF_FORCE, angular);
    jn_measure speed = m->gear && !angular ? JN_MEASURE_ANY : measure_of(OF_SPEED, angular);
    jn_measure inertia = m->gear && !angular ? JN_MEASURE_ANY : measure_of(OF_INERTIA, angular);
    if ((m->max && !jn_read_number(r, m->max, torque, &c->motor_max)) ||
        (m->gear && !jn_read_number(r, m->gear, angular ? JN_MEASURE_NUMBER : JN_MEASURE_ANY, &c->motor_gear)) ||
        (m->rotor && !jn_read_number(r, m->rotor, inertia, &c->motor_rotor)) ||
        (m->no_load_speed && !jn_read_number(r, m->no_load_speed, speed, &c->motor_no_load)))
        return false;
    if (!more_than_zero(r, m->max, "max", c->motor_max) || !more_than_zero(r, m->gear, "gear", c->motor_gear) ||
        !more_than_zero(r, m->no_load_speed, "no_load_speed", c->motor_no_load) ||
        (m->rotor && !not_negative(r, m->rotor, c->motor_rotor)))
        return false;
    if (m->no_load_speed && !m->max)
        return jn_read_error(r, m->no_load_speed->where, JN_ERR_MODEL,
                             "'no_load_speed' says how 'max' falls, but there is no 'max'\nadd 'max: 20'");
    return true;
}

static bool entry_motor(jn_reader *r, const jn_node *node, jn_joint_item *j, int k, bool angular) {
    jn_coordinate_desc *c = &j->joint.coordinate[k];
    unsigned may = JN_MAY_T | JN_MAY_SIGNAL;
    motor_item m = {0};

    if (!jn_read_fields(r, node, &jn_motor_fields, &m)) {
        return false;
    }
    c->has_motor = true;
    if ((m.target && !jn_read_function(r, m.target, measure_of(OF_POSITION, angular), may, &c->motor_target)) ||
        (m.speed && !jn_read_function(r, m.speed, measure_of(OF_SPEED, angular), may, &c->motor_speed)) ||
        (m.feed && !jn_read_function(r, m.feed, measure_of(OF_FORCE, angular), may, &c->motor_feed)) ||
        (m.kp && !jn_read_number(r, m.kp, measure_of(OF_STIFFNESS, angular), &c->motor_kp)) ||
        (m.kd && !jn_read_number(r, m.kd, measure_of(OF_DAMPING, angular), &c->motor_kd)) ||
        (m.kp && !not_negative(r, m.kp, c->motor_kp)) || (m.kd && !not_negative(r, m.kd, c->motor_kd)) ||
        !read_gearbox(r, &m, c, angular)) {
        return false;
    }
    if (!m.kp && !m.kd && !m.feed) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a motor without 'kp', 'kd' and 'feed' does nothing\nadd 'kp: 50' or 'kd: 2'");
    }
    return true;
}
bool jn_coordinate_motor(jn_reader *r, const jn_node *node, void *item) {
    return per_coordinate(r, node, item, true, entry_motor);
}

/* motion = position + rate * t */
static bool make_rate(jn_reader *r, jn_coordinate_desc *c, double rate) {
    jn_instr *code = jn_store_array(r->store, 5, sizeof *code);
    if (!code) {
        return jn_read_no_memory(r);
    }
    code[0] = (jn_instr){.op = JN_OP_CONST, .number = c->position};
    code[1] = (jn_instr){.op = JN_OP_CONST, .number = rate};
    code[2] = (jn_instr){.op = JN_OP_VAR, .index = JN_VAR_T};
    code[3] = (jn_instr){.op = JN_OP_MUL, .args = 2};
    code[4] = (jn_instr){.op = JN_OP_ADD, .args = 2};
    c->motion = (jn_function){code, 5};
    return true;
}

bool jn_joint_conflict(jn_reader *r, const jn_joint_item *j, const char *a, const char *b) {
    const jn_entry *entry = jn_node_entry(j->map, b);
    return jn_read_error(r, entry->where, JN_ERR_MODEL, "'%s' and '%s' say the same thing twice\nremove '%s'", a, b, b);
}

bool jn_coordinate_finish(jn_reader *r, jn_joint_item *j, int k) {
    jn_coordinate_desc *c = &j->joint.coordinate[k];
    bool moved = jn_function_given(c->motion);
    c->approximate = j->approximate;

    if (moved && j->has_rate[k]) {
        return jn_joint_conflict(r, j, "motion", "rate");
    }
    if (moved && c->has_position) {
        return jn_joint_conflict(r, j, "motion", "position");
    }
    if ((moved || j->has_rate[k]) && c->has_speed) {
        return jn_joint_conflict(r, j, moved ? "motion" : "rate", "speed");
    }
    if (!j->driven && moved) {
        return jn_read_error(r, jn_node_entry(j->map, "driven")->where, JN_ERR_MODEL,
                             "a joint that is not driven has no 'motion'\nwrite 'rate', or 'position' and 'speed'");
    }
    if (j->has_rate[k] && !j->driven) {
        c->has_speed = true, c->speed = j->rate[k];
    } else if (j->has_rate[k] && !make_rate(r, c, j->rate[k])) {
        return false;
    }
    if (c->has_lower && c->has_upper && !(c->lower < c->upper)) {
        return jn_read_error(r, jn_node_entry(j->map, "lower")->where, JN_ERR_MODEL,
                             "'lower' is %g, not below 'upper', %g", c->lower, c->upper);
    }
    return true;
}

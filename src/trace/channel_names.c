/* Which numbers a model shows under which names and in which units. */
#include "description/joint_info.h"
#include "reaction/compliant/clearance_motion.h"
#include "trace/channels.h"

#include <stdio.h>

enum { PLANE = 1, SPACE = 2, BOTH = 3 };

typedef struct jn_channel_row {
    const char *suffix;
    size_t offset;
    unsigned where; /* PLANE, SPACE */
    const char *unit;
} jn_channel_row;

#define BODY(member) offsetof(jn_body_motion, member)
#define JOINT(member) offsetof(jn_joint_motion, member)
#define POINT(member) offsetof(jn_point_seen, member)
#define ENERGY(member) offsetof(jn_energies_seen, member)
#define MOMENTUM(member) offsetof(jn_momenta_seen, member)

static const jn_channel_row body_rows[] = {
    {"x", BODY(position.x), BOTH, "m"},
    {"y", BODY(position.y), BOTH, "m"},
    {"z", BODY(position.z), SPACE, "m"},
    {"angle", BODY(angle), PLANE, "rad"},
    {"qw", BODY(orientation.w), SPACE, "1"},
    {"qx", BODY(orientation.x), SPACE, "1"},
    {"qy", BODY(orientation.y), SPACE, "1"},
    {"qz", BODY(orientation.z), SPACE, "1"},
    {"vx", BODY(velocity.x), BOTH, "m/s"},
    {"vy", BODY(velocity.y), BOTH, "m/s"},
    {"vz", BODY(velocity.z), SPACE, "m/s"},
    {"w", BODY(angular_velocity.z), PLANE, "rad/s"},
    {"wx", BODY(angular_velocity.x), SPACE, "rad/s"},
    {"wy", BODY(angular_velocity.y), SPACE, "rad/s"},
    {"wz", BODY(angular_velocity.z), SPACE, "rad/s"},
    {"ax", BODY(acceleration.x), BOTH, "m/s^2"},
    {"ay", BODY(acceleration.y), BOTH, "m/s^2"},
    {"az", BODY(acceleration.z), SPACE, "m/s^2"},
    {"al", BODY(angular_acceleration.z), PLANE, "rad/s^2"},
    {"alx", BODY(angular_acceleration.x), SPACE, "rad/s^2"},
    {"aly", BODY(angular_acceleration.y), SPACE, "rad/s^2"},
    {"alz", BODY(angular_acceleration.z), SPACE, "rad/s^2"},
    {NULL, 0, 0, NULL},
};

/* Reactions in world axes. */
static const jn_channel_row reaction_rows[] = {
    {"fx", JOINT(reaction.f.x), BOTH, "N"},
    {"fy", JOINT(reaction.f.y), BOTH, "N"},
    {"fz", JOINT(reaction.f.z), SPACE, "N"},
    {"tx", JOINT(reaction.n.x), SPACE, "N m"},
    {"ty", JOINT(reaction.n.y), SPACE, "N m"},
    {"tz", JOINT(reaction.n.z), BOTH, "N m"},
    {NULL, 0, 0, NULL},
};

/* Reactions in the joint's axes; z is the joint's axis, which lies in the plane for a planar model's slides. */
static const jn_channel_row local_rows[] = {
    {"lfx", JOINT(reaction_local.f.x), BOTH, "N"},
    {"lfy", JOINT(reaction_local.f.y), BOTH, "N"},
    {"lfz", JOINT(reaction_local.f.z), SPACE, "N"},
    {"ltx", JOINT(reaction_local.n.x), SPACE, "N m"},
    {"lty", JOINT(reaction_local.n.y), SPACE, "N m"},
    {"ltz", JOINT(reaction_local.n.z), BOTH, "N m"},
    {NULL, 0, 0, NULL},
};

static const jn_channel_row point_rows[] = {
    {"x", POINT(p.x), BOTH, "m"},       {"y", POINT(p.y), BOTH, "m"},
    {"z", POINT(p.z), SPACE, "m"},      {"vx", POINT(v.x), BOTH, "m/s"},
    {"vy", POINT(v.y), BOTH, "m/s"},    {"vz", POINT(v.z), SPACE, "m/s"},
    {"ax", POINT(a.x), BOTH, "m/s^2"},  {"ay", POINT(a.y), BOTH, "m/s^2"},
    {"az", POINT(a.z), SPACE, "m/s^2"}, {NULL, 0, 0, NULL},
};

#define TENDON(member) offsetof(jn_tendon_motion, member)
static const jn_channel_row tendon_rows[] = {{"q", TENDON(q), BOTH, "1"},
                                             {"u", TENDON(u), BOTH, "1/s"},
                                             {"force", TENDON(force), BOTH, "1"},
                                             {NULL, 0, 0, NULL}};

#define ACTUATOR(member) offsetof(jn_actuator_motion, member)
static const jn_channel_row actuator_rows[] = {
    {"force", ACTUATOR(force), BOTH, "1"},           {"length", ACTUATOR(length), BOTH, "1"},
    {"speed", ACTUATOR(speed), BOTH, "1/s"},         {"control", ACTUATOR(control), BOTH, "1"},
    {"activation", ACTUATOR(activation), BOTH, "1"}, {NULL, 0, 0, NULL}};

static const jn_channel_row motor_rows[] = {{"voltage", ACTUATOR(voltage), BOTH, "V"},
                                            {"current", ACTUATOR(current), BOTH, "A"},
                                            {"temperature", ACTUATOR(temperature), BOTH, "deg C"},
                                            {NULL, 0, 0, NULL}};

#define TOUCH(member) offsetof(jn_contact_sum, member)
static const jn_channel_row contact_rows[] = {
    {"gap", TOUCH(gap), BOTH, "m"}, {"fn", TOUCH(fn), BOTH, "N"}, {"ft", TOUCH(ft), BOTH, "N"},
    {"pn", TOUCH(pn), BOTH, "N s"}, {NULL, 0, 0, NULL},
};

/* Clearance joints; which of them have the channel. */
enum { CIRCLE = 1, ROD = 2, BALL = 4, FLAT_BLOCK = 8, BLOCK = 16, ALL = 31 };
#define CLEARANCE(member) offsetof(jn_clearance_motion, member)
static const jn_channel_row clearance_rows[] = {
    {"eccentricity", CLEARANCE(eccentricity), ALL, "m"},
    {"ex", CLEARANCE(e.x), ALL & ~FLAT_BLOCK, "m"},
    {"ey", CLEARANCE(e.y), ALL, "m"},
    {"ez", CLEARANCE(e.z), ALL & ~CIRCLE, "m"},
    {"tilt", CLEARANCE(tilt), ROD | FLAT_BLOCK | BLOCK, "rad"},
    {"penetration", CLEARANCE(penetration), ALL, "m"},
    {"force", CLEARANCE(force), ALL, "N"},
    {"mode", CLEARANCE(mode), ALL, "1"},
    {NULL, 0, 0, NULL},
};

static const jn_channel_row energy_rows[] = {
    {"kinetic", ENERGY(kinetic), BOTH, "J"},
    {"potential", ENERGY(potential), BOTH, "J"},
    {"elastic", ENERGY(elastic), BOTH, "J"},
    {"dissipated", ENERGY(dissipated), BOTH, "J"},
    {"driven", ENERGY(driven), BOTH, "J"},
    {"numerical", ENERGY(numerical), BOTH, "J"},
    {"total", ENERGY(total), BOTH, "J"},
    {"residual", ENERGY(residual), BOTH, "J"},
    {NULL, 0, 0, NULL},
};

static const jn_channel_row momentum_rows[] = {
    {"x", MOMENTUM(sum.f.x), BOTH, "kg m/s"},
    {"y", MOMENTUM(sum.f.y), BOTH, "kg m/s"},
    {"z", MOMENTUM(sum.f.z), SPACE, "kg m/s"},
    {"lx", MOMENTUM(sum.n.x), SPACE, "kg m^2/s"},
    {"ly", MOMENTUM(sum.n.y), SPACE, "kg m^2/s"},
    {"lz", MOMENTUM(sum.n.z), BOTH, "kg m^2/s"},
    {"residual", MOMENTUM(residual), BOTH, "kg m/s"},
    {"angular_residual", MOMENTUM(angular_residual), BOTH, "kg m^2/s"},
    {NULL, 0, 0, NULL},
};

static const jn_channel_row step_rows[] = {
    {"length", offsetof(jn_step_seen, length), BOTH, "s"},
    {"order", offsetof(jn_step_seen, order), BOTH, "1"},
    {NULL, 0, 0, NULL},
};

/* Parts of elastic and of dissipated that belong to contacts. */
static const jn_channel_row contact_energy_rows[] = {
    {"contact", ENERGY(contact), BOTH, "J"},
    {"damping", ENERGY(damping), BOTH, "J"},
    {"friction", ENERGY(friction), BOTH, "J"},
    {NULL, 0, 0, NULL},
};

/* Per coordinate of a joint: what, and its unit for lengths and for angles. */
typedef struct jn_coordinate_row {
    const char *suffix;
    size_t offset;
    const char *unit_length, *unit_angle;
} jn_coordinate_row;

static const jn_coordinate_row coordinate_rows[] = {
    {"u", JOINT(u), "m/s", "rad/s"},
    {"a", JOINT(a), "m/s^2", "rad/s^2"},
    {"drive", JOINT(drive), "N", "N m"},
    {"actuator", JOINT(actuator), "N", "N m"},
};

static void offer_rows(jn_channel_taker to, const char *prefix, const char *item_name, const jn_channel_row *rows,
                       unsigned where, jn_source source, int item) {
    char name[320];
    for (const jn_channel_row *r = rows; r->suffix; r++) {
        if (!(r->where & where)) continue;
        snprintf(name, sizeof name, "%s.%.250s%s%s", prefix, item_name, *item_name ? "." : "", r->suffix);
        to.take(to.context, name, (jn_channel){NULL, r->unit, (int)source, item, r->offset, 0});
    }
}

/* One number of coordinate k; numbered from 1 where the joint has several. */
static void offer_coordinate(jn_channel_taker to, const jn_joint *j, int joint, const char *suffix, size_t offset,
                             int k, int count, const char *unit) {
    char name[320], number[12] = "";
    if (count > 1) snprintf(number, sizeof number, "%d", k + 1);
    snprintf(name, sizeof name, "joint.%.250s.%s%s", j->name, suffix, number);
    to.take(to.context, name, (jn_channel){NULL, unit, SOURCE_JOINT, joint, offset + (size_t)k * sizeof(double), 0});
}

static const char *position_unit(const jn_joint *j, bool planar, int k) {
    if (j->nq == j->nv) return jn_joint_is_angular(j->type, planar, k) ? "rad" : "m";
    return j->type == JN_JOINT_FREE && k < 3 ? "m" : "1";
}

static bool has_actuator(const jn_model *m, const jn_joint *j, int k) {
    for (int i = 0; i < m->actuator_count; i++)
        if (m->actuators[i].handle == j->handle + k) return true;
    return false;
}

static unsigned kind_of_play(const jn_model *m, jn_joint_type type) {
    if (type == JN_JOINT_SPHERICAL_CLEARANCE) return BALL;
    if (type == JN_JOINT_TRANSLATIONAL_CLEARANCE) return m->planar ? FLAT_BLOCK : BLOCK;
    return m->planar ? CIRCLE : ROD;
}

static void offer_joint(jn_channel_taker to, const jn_model *m, int joint) {
    const jn_joint *j = &m->joints[joint];
    bool in_plane = j->type == JN_JOINT_PRISMATIC || j->type == JN_JOINT_POINT_ON_LINE ||
                    j->type == JN_JOINT_DISTANCE || j->type == JN_JOINT_TRANSLATIONAL_CLEARANCE;
    unsigned where = m->planar ? PLANE : SPACE;
    for (int k = 0; k < j->nq; k++)
        offer_coordinate(to, j, joint, "q", JOINT(q), k, j->nq, position_unit(j, m->planar, k));
    for (int row = 0; row < 4; row++) {
        const jn_coordinate_row *r = &coordinate_rows[row];
        for (int k = 0; k < j->nv; k++) {
            if (row == 2 && !jn_function_given(j->coordinate[k].motion)) continue;
            if (row == 3 && !has_actuator(m, j, k)) continue;
            bool angular = jn_joint_is_angular(j->type, m->planar, k);
            offer_coordinate(to, j, joint, r->suffix, r->offset, k, j->nv, angular ? r->unit_angle : r->unit_length);
        }
    }
    offer_rows(to, "joint", j->name, reaction_rows, where, SOURCE_JOINT, joint);
    offer_rows(to, "joint", j->name, local_rows, in_plane ? BOTH : where, SOURCE_JOINT, joint);
    if (jn_joint_has_clearance(j->type))
        offer_rows(to, "joint", j->name, clearance_rows, kind_of_play(m, j->type), SOURCE_CLEARANCE, joint);
}

/* What the sensor reads of each contact; numbered from 1 where it has several slots. */
static void offer_contact_sensor(jn_channel_taker to, const jn_sensor *s, int sensor) {
    static const struct {
        jn_contact_data data;
        const char *suffix, *unit;
    } rows[] = {{JN_CONTACT_FOUND, "found", "1"}, {JN_CONTACT_FORCE, "fx", "N"},    {JN_CONTACT_FORCE, "fy", "N"},
                {JN_CONTACT_FORCE, "fz", "N"},    {JN_CONTACT_TORQUE, "tx", "N m"}, {JN_CONTACT_TORQUE, "ty", "N m"},
                {JN_CONTACT_TORQUE, "tz", "N m"}, {JN_CONTACT_GAP, "gap", "m"},     {JN_CONTACT_PLACE, "x", "m"},
                {JN_CONTACT_PLACE, "y", "m"},     {JN_CONTACT_PLACE, "z", "m"},     {JN_CONTACT_NORMAL, "nx", "1"},
                {JN_CONTACT_NORMAL, "ny", "1"},   {JN_CONTACT_NORMAL, "nz", "1"},   {JN_CONTACT_TANGENT, "ux", "1"},
                {JN_CONTACT_TANGENT, "uy", "1"},  {JN_CONTACT_TANGENT, "uz", "1"}};
    char name[320], number[12] = "";
    size_t at = 0;
    for (int slot = 0; slot < s->slots; slot++) {
        if (s->slots > 1) snprintf(number, sizeof number, "%d", slot + 1);
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            if (!(s->data & rows[k].data)) continue;
            snprintf(name, sizeof name, "sensor.%.250s.%s%s", s->name, rows[k].suffix, number);
            to.take(to.context, name,
                    (jn_channel){NULL, rows[k].unit, SOURCE_SENSOR, sensor, at++ * sizeof(double), 0});
        }
    }
}

/* One value is the sensor itself; two are x, y; three x, y, z; four w, x, y, z; six x, y, z of two points. */
static void offer_sensor(jn_channel_taker to, const jn_model *m, int sensor) {
    static const char *const axes[] = {"w", "x", "y", "z", "x2", "y2", "z2"};
    const jn_sensor_info *info = jn_sensor_type_info(m->sensors[sensor].type);
    jn_channel_row rows[7] = {{NULL, 0, 0, NULL}};
    if (!info->count) {
        offer_contact_sensor(to, &m->sensors[sensor], sensor);
        return;
    }
    for (int k = 0; k < info->count; k++)
        rows[k] = (jn_channel_row){info->count == 1 ? "value" : axes[k + (info->count != 4)],
                                   (size_t)k * sizeof(double), BOTH, info->unit};
    rows[info->count] = (jn_channel_row){NULL, 0, 0, NULL};
    offer_rows(to, "sensor", m->sensors[sensor].name, rows, BOTH, SOURCE_SENSOR, sensor);
}

void jn_channels_offer(const jn_model *m, jn_channel_taker to) {
    unsigned where = m->planar ? PLANE : SPACE;
    for (int i = 1; i < m->body_count; i++) offer_rows(to, "body", m->bodies[i].name, body_rows, where, SOURCE_BODY, i);
    for (int i = 0; i < m->joint_count; i++) offer_joint(to, m, i);
    for (int i = 0; i < m->tendon_count; i++)
        offer_rows(to, "tendon", m->tendons[i].name, tendon_rows, where, SOURCE_TENDON, i);
    for (int i = 0; i < m->actuation_count; i++) {
        offer_rows(to, "actuator", m->actuations[i].name, actuator_rows, where, SOURCE_ACTUATOR, i);
        if (m->actuations[i].is_motor) offer_rows(to, "actuator", m->actuations[i].name, motor_rows, where, SOURCE_ACTUATOR, i);
    }
    for (int i = 0; i < m->sensor_count; i++) offer_sensor(to, m, i);
    for (int i = 0; i < m->point_count; i++)
        offer_rows(to, "point", m->points[i].name, point_rows, where, SOURCE_POINT, i);
    for (int i = 0; m->contact_room && i < m->contact_count; i++)
        if (jn_model_contact_used(m, i))
            offer_rows(to, "contact", m->contacts[i].name, contact_rows, where, SOURCE_CONTACT, i);
    offer_rows(to, "energy", "", energy_rows, BOTH, SOURCE_ENERGY, 0);
    if (m->contact_room) offer_rows(to, "energy", "", contact_energy_rows, BOTH, SOURCE_ENERGY, 0);
    offer_rows(to, "momentum", "", momentum_rows, where, SOURCE_MOMENTUM, 0);
    offer_rows(to, "step", "", step_rows, BOTH, SOURCE_STEP, 0);
}

void jn_channels_offer_derived(const jn_model *m, jn_channel_taker to) {
    char name[320];
    for (int i = 0; i < m->derived_count; i++) {
        snprintf(name, sizeof name, "derived.%.250s", m->derived[i].name);
        to.take(to.context, name, (jn_channel){NULL, "1", SOURCE_DERIVED, i, 0, 0});
    }
}

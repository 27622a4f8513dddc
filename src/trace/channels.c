/* Channels: which numbers a model shows under which names. */
#include "base/memory.h"
#include "base/suggest.h"
#include "description/joint_info.h"
#include "reaction/compliant/clearance_motion.h"
#include "step/sim.h"
#include <jounce/trace.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum jn_source {
    SOURCE_BODY,
    SOURCE_JOINT,
    SOURCE_CLEARANCE,
    SOURCE_TENDON, SOURCE_ACTUATOR, SOURCE_SENSOR,
    SOURCE_POINT,
    SOURCE_CONTACT,
    SOURCE_ENERGY,
    SOURCE_MOMENTUM,
    SOURCE_STEP,
    SOURCE_DERIVED
} jn_source;

typedef struct jn_channel {
    const char *name; /* in the names block */
    const char *unit;
    int source, item;
    size_t offset; /* of the double in what the source yields */
    int pattern;   /* the first that asks for it */
} jn_channel;

struct jn_channels {
    int count, capacity;
    jn_channel *list;
    size_t text_length, text_capacity;
    char *text;
    struct jn_channels *inputs; /* what the derived ones among them read; NULL if there are none */
    double *var;                /* (JN_VAR_SIGNAL + inputs) variables of the derived ones */
};

typedef struct point_motion {
    jn_vec3 p, v, a;
} point_motion;

typedef struct energies {
    double kinetic, potential, elastic, contact, dissipated, driven, damping, friction, numerical, total, residual;
} energies;

/* Of all bodies, about the world's origin; what impulses from outside leave unexplained, in size. */
typedef struct momenta {
    jn_wrench sum;
    double residual, angular_residual;
} momenta;

/* Of the last step. */
typedef struct step_taken {
    double length, order;
} step_taken;

/* ------------------------------------------------------------------------------------------------------ tables */

enum { PLANE = 1, SPACE = 2, BOTH = 3 };

typedef struct jn_channel_row {
    const char *suffix;
    size_t offset;
    unsigned where; /* PLANE, SPACE */
    const char *unit;
} jn_channel_row;

#define BODY(member) offsetof(jn_body_motion, member)
#define JOINT(member) offsetof(jn_joint_motion, member)
#define POINT(member) offsetof(point_motion, member)
#define ENERGY(member) offsetof(energies, member)
#define MOMENTUM(member) offsetof(momenta, member)

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
static const jn_channel_row actuator_rows[] = {{"force", ACTUATOR(force), BOTH, "1"},
                                               {"length", ACTUATOR(length), BOTH, "1"},
                                               {"speed", ACTUATOR(speed), BOTH, "1/s"},
                                               {"control", ACTUATOR(control), BOTH, "1"},
                                               {"activation", ACTUATOR(activation), BOTH, "1"},
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
    {"length", offsetof(step_taken, length), BOTH, "s"},
    {"order", offsetof(step_taken, order), BOTH, "1"},
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

/* ---------------------------------------------------------------------------------------------------- creation */

/* * matches any characters, also none. O(text * stars). */
static bool matches(const char *pattern, const char *text) {
    const char *star = NULL, *back = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            back = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++back;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return !*pattern;
}

/* What is being built, and which patterns have been of use. */
typedef struct builder {
    jn_channels *out;
    const char *const *patterns;
    int pattern_count;
    bool *used;
    bool failed;
    jn_suggest *suggest; /* given: names are only offered to it, nothing is kept */
    char nearest[320];   /* copy of the best name so far */
} builder;

static bool grow(void **block, size_t need, size_t *capacity, size_t size) {
    if (need <= *capacity) return true;
    size_t wide = need * 2 + 64;
    void *moved = jn_realloc(*block, wide * size);
    if (!moved) return false;
    *block = moved;
    *capacity = wide;
    return true;
}

/* Names are kept as offsets into one text until it no longer moves. */
static void keep(builder *b, const char *name, jn_channel channel) {
    jn_channels *c = b->out;
    size_t length = strlen(name) + 1, capacity = (size_t)c->capacity;
    void *list = c->list, *text = c->text;
    b->failed |= !grow(&list, (size_t)c->count + 1, &capacity, sizeof *c->list);
    b->failed |= !grow(&text, c->text_length + length, &c->text_capacity, 1);
    c->list = list;
    c->text = text;
    c->capacity = (int)capacity;
    if (b->failed) return;
    memcpy(c->text + c->text_length, name, length);
    c->text_length += length;
    c->list[c->count++] = channel;
}

static void offer(builder *b, const char *name, jn_channel channel) {
    int first = b->pattern_count == 0 && channel.source != SOURCE_STEP ? 0 : -1; /* steps: only by name */
    if (b->failed) return;
    if (b->suggest) {
        jn_suggest_offer(b->suggest, name);
        if (b->suggest->best == name) b->suggest->best = strcpy(b->nearest, name);
        return;
    }
    for (int i = b->pattern_count; i-- > 0;)
        if (matches(b->patterns[i], name)) b->used[i] = true, first = i;
    channel.pattern = first;
    if (first >= 0) keep(b, name, channel);
}

static void offer_rows(builder *b, const char *prefix, const char *item_name, const jn_channel_row *rows,
                       unsigned where, jn_source source, int item) {
    char name[320];
    for (const jn_channel_row *r = rows; r->suffix; r++) {
        if (!(r->where & where)) continue;
        snprintf(name, sizeof name, "%s.%.250s%s%s", prefix, item_name, *item_name ? "." : "", r->suffix);
        offer(b, name, (jn_channel){NULL, r->unit, (int)source, item, r->offset, 0});
    }
}

/* One number of coordinate k; numbered from 1 where the joint has several. */
static void offer_coordinate(builder *b, const jn_joint *j, int joint, const char *suffix, size_t offset, int k,
                             int count, const char *unit) {
    char name[320], number[12] = "";
    if (count > 1) snprintf(number, sizeof number, "%d", k + 1);
    snprintf(name, sizeof name, "joint.%.250s.%s%s", j->name, suffix, number);
    offer(b, name, (jn_channel){NULL, unit, SOURCE_JOINT, joint, offset + (size_t)k * sizeof(double), 0});
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

static void offer_joint(builder *b, const jn_model *m, int joint) {
    const jn_joint *j = &m->joints[joint];
    bool in_plane = j->type == JN_JOINT_PRISMATIC || j->type == JN_JOINT_POINT_ON_LINE ||
                    j->type == JN_JOINT_DISTANCE || j->type == JN_JOINT_TRANSLATIONAL_CLEARANCE;
    unsigned where = m->planar ? PLANE : SPACE;
    for (int k = 0; k < j->nq; k++)
        offer_coordinate(b, j, joint, "q", JOINT(q), k, j->nq, position_unit(j, m->planar, k));
    for (int row = 0; row < 4; row++) {
        const jn_coordinate_row *r = &coordinate_rows[row];
        for (int k = 0; k < j->nv; k++) {
            if (row == 2 && !jn_function_given(j->coordinate[k].motion)) continue;
            if (row == 3 && !has_actuator(m, j, k)) continue;
            bool angular = jn_joint_is_angular(j->type, m->planar, k);
            offer_coordinate(b, j, joint, r->suffix, r->offset, k, j->nv, angular ? r->unit_angle : r->unit_length);
        }
    }
    offer_rows(b, "joint", j->name, reaction_rows, where, SOURCE_JOINT, joint);
    offer_rows(b, "joint", j->name, local_rows, in_plane ? BOTH : where, SOURCE_JOINT, joint);
    if (jn_joint_has_clearance(j->type))
        offer_rows(b, "joint", j->name, clearance_rows, kind_of_play(m, j->type), SOURCE_CLEARANCE, joint);
}

/* What the sensor reads of each contact; numbered from 1 where it has several slots. */
static void offer_contact_sensor(builder *b, const jn_sensor *s, int sensor) {
    static const struct {
        jn_contact_data data;
        const char *suffix, *unit;
    } rows[] = {{JN_CONTACT_FOUND, "found", "1"}, {JN_CONTACT_FORCE, "fx", "N"},     {JN_CONTACT_FORCE, "fy", "N"},
                {JN_CONTACT_FORCE, "fz", "N"},    {JN_CONTACT_TORQUE, "tx", "N m"},  {JN_CONTACT_TORQUE, "ty", "N m"},
                {JN_CONTACT_TORQUE, "tz", "N m"}, {JN_CONTACT_GAP, "gap", "m"},      {JN_CONTACT_PLACE, "x", "m"},
                {JN_CONTACT_PLACE, "y", "m"},     {JN_CONTACT_PLACE, "z", "m"},      {JN_CONTACT_NORMAL, "nx", "1"},
                {JN_CONTACT_NORMAL, "ny", "1"},   {JN_CONTACT_NORMAL, "nz", "1"},    {JN_CONTACT_TANGENT, "ux", "1"},
                {JN_CONTACT_TANGENT, "uy", "1"},  {JN_CONTACT_TANGENT, "uz", "1"}};
    char name[320], number[12] = "";
    size_t at = 0;
    for (int slot = 0; slot < s->slots; slot++) {
        if (s->slots > 1) snprintf(number, sizeof number, "%d", slot + 1);
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            if (!(s->data & rows[k].data)) continue;
            snprintf(name, sizeof name, "sensor.%.250s.%s%s", s->name, rows[k].suffix, number);
            offer(b, name, (jn_channel){NULL, rows[k].unit, SOURCE_SENSOR, sensor, at++ * sizeof(double), 0});
        }
    }
}

/* One value is the sensor itself; two are x, y; three x, y, z; four w, x, y, z; six x, y, z of two points. */
static void offer_sensor(builder *b, const jn_model *m, int sensor) {
    static const char *const axes[] = {"w", "x", "y", "z", "x2", "y2", "z2"};
    const jn_sensor_info *info = jn_sensor_type_info(m->sensors[sensor].type);
    jn_channel_row rows[7] = {{NULL, 0, 0, NULL}};
    if (!info->count) {
        offer_contact_sensor(b, &m->sensors[sensor], sensor);
        return;
    }
    for (int k = 0; k < info->count; k++)
        rows[k] = (jn_channel_row){info->count == 1 ? "value" : axes[k + (info->count != 4)], (size_t)k * sizeof(double),
                                   BOTH, info->unit};
    rows[info->count] = (jn_channel_row){NULL, 0, 0, NULL};
    offer_rows(b, "sensor", m->sensors[sensor].name, rows, BOTH, SOURCE_SENSOR, sensor);
}

static void offer_all(builder *b, const jn_model *m) {
    unsigned where = m->planar ? PLANE : SPACE;
    for (int i = 1; i < m->body_count; i++) offer_rows(b, "body", m->bodies[i].name, body_rows, where, SOURCE_BODY, i);
    for (int i = 0; i < m->joint_count; i++) offer_joint(b, m, i);
    for (int i = 0; i < m->tendon_count; i++)
        offer_rows(b, "tendon", m->tendons[i].name, tendon_rows, where, SOURCE_TENDON, i);
    for (int i = 0; i < m->actuation_count; i++)
        offer_rows(b, "actuator", m->actuations[i].name, actuator_rows, where, SOURCE_ACTUATOR, i);
    for (int i = 0; i < m->sensor_count; i++) offer_sensor(b, m, i);
    for (int i = 0; i < m->point_count; i++)
        offer_rows(b, "point", m->points[i].name, point_rows, where, SOURCE_POINT, i);
    for (int i = 0; m->contact_room && i < m->contact_count; i++)
        if (jn_model_contact_used(m, i))
            offer_rows(b, "contact", m->contacts[i].name, contact_rows, where, SOURCE_CONTACT, i);
    offer_rows(b, "energy", "", energy_rows, BOTH, SOURCE_ENERGY, 0);
    if (m->contact_room) offer_rows(b, "energy", "", contact_energy_rows, BOTH, SOURCE_ENERGY, 0);
    offer_rows(b, "momentum", "", momentum_rows, where, SOURCE_MOMENTUM, 0);
    offer_rows(b, "step", "", step_rows, BOTH, SOURCE_STEP, 0);
}

static void offer_derived(builder *b, const jn_model *m) {
    char name[320];
    for (int i = 0; i < m->derived_count; i++) {
        snprintf(name, sizeof name, "derived.%.250s", m->derived[i].name);
        offer(b, name, (jn_channel){NULL, "1", SOURCE_DERIVED, i, 0, 0});
    }
}

/* where: of an input of derived channels; else the pattern is from record.channels or a program. */
static void report_unused(const jn_model *m, const char *pattern, const jn_where *where, jn_report *report) {
    jn_suggest suggest = jn_suggest_for(pattern);
    builder names = {.suggest = &suggest};
    jn_where place = where ? *where : (jn_where){m->file, 0, 0};
    const char *path = where ? "record.derived" : "record.channels";
    offer_all(&names, m);
    if (!where) offer_derived(&names, m);
    if (suggest.best)
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place, path, "no channel is called '%s'\nwrite '%s'",
                      pattern, suggest.best);
    else
        jn_report_add(
            report, JN_SEVERITY_ERROR, JN_ERR_MODEL, place, path,
            "no channel matches '%s'\nchannels are called body.NAME.x, joint.NAME.q, point.NAME.x, energy.total",
            pattern);
}

/* The order asked for: that of the patterns, each one's channels in the order of the model. O(channels + patterns) */
static bool sort_by_pattern(jn_channels *c, int pattern_count) {
    jn_channel *sorted = jn_malloc((size_t)c->capacity * sizeof *sorted);
    int *next = jn_malloc(((size_t)pattern_count + 1) * sizeof *next); /* place of the next channel of each pattern */
    bool ok = sorted && next;
    if (ok) {
        memset(next, 0, ((size_t)pattern_count + 1) * sizeof *next);
        for (int i = 0; i < c->count; i++) next[c->list[i].pattern + 1]++;
        for (int p = 0; p < pattern_count; p++) next[p + 1] += next[p];
        for (int i = 0; i < c->count; i++) sorted[next[c->list[i].pattern]++] = c->list[i];
        jn_free(c->list);
        c->list = sorted;
    } else {
        jn_free(sorted);
    }
    jn_free(next);
    return ok;
}

/* Gives every channel its name; false where a pattern matched nothing. */
static bool finish(builder *b, const jn_model *m, jn_report *report) {
    bool ok = true;
    const char *name = b->out->text;
    for (int i = 0; i < b->out->count; i++) {
        b->out->list[i].name = name;
        name += strlen(name) + 1;
    }
    for (int i = 0; i < b->pattern_count; i++) {
        if (b->used[i]) continue;
        report_unused(m, b->patterns[i], NULL, report);
        ok = false;
    }
    return ok;
}

/* The channels that derived ones read, in the order of their variables. O(inputs * channels) */
static bool create_inputs(builder *b, const jn_model *m, jn_report *report) {
    jn_channels *inputs = b->out->inputs = jn_malloc(sizeof *inputs);
    size_t vars = (size_t)m->input_count + JN_VAR_SIGNAL;
    bool ok = true;
    if (inputs) memset(inputs, 0, sizeof *inputs);
    b->out->var = jn_malloc(vars * sizeof *b->out->var);
    b->failed = !inputs || !b->out->var;
    for (int i = 0; i < m->input_count && !b->failed; i++) {
        bool used = false;
        builder one = {.out = inputs, .patterns = &m->inputs[i].channel, .pattern_count = 1, .used = &used};
        offer_all(&one, m);
        b->failed = one.failed;
        if (!used && !b->failed) report_unused(m, m->inputs[i].channel, &m->inputs[i].where, report);
        ok = ok && used;
    }
    if (!b->failed) memset(b->out->var, 0, vars * sizeof *b->out->var);
    return ok && !b->failed;
}

jn_channels *jn_channels_create(const jn_model *m, const char *const *patterns, int pattern_count, jn_report *report) {
    jn_channels *c = jn_malloc(sizeof *c);
    bool *used = jn_malloc((size_t)pattern_count * sizeof *used + 1);
    builder b = {.out = c, .patterns = patterns, .pattern_count = pattern_count, .used = used, .failed = !c || !used};
    bool ok = false;
    if (c) memset(c, 0, sizeof *c);
    if (!b.failed) {
        memset(used, 0, (size_t)pattern_count * sizeof *used);
        offer_all(&b, m);
        offer_derived(&b, m);
        ok = !b.failed && finish(&b, m, report);
        if (ok && pattern_count > 1) b.failed = !sort_by_pattern(c, pattern_count), ok = !b.failed;
        if (ok && m->derived_count) ok = create_inputs(&b, m, report);
    }
    jn_free(used);
    if (ok) return c;
    if (b.failed)
        jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){m->file, 0, 0}, NULL, "out of memory");
    jn_channels_free(c);
    return NULL;
}

void jn_channels_free(jn_channels *c) {
    if (!c) return;
    jn_channels_free(c->inputs);
    jn_free(c->var);
    jn_free(c->list);
    jn_free(c->text);
    jn_free(c);
}

int jn_channels_count(const jn_channels *c) { return c->count; }
const char *jn_channels_name(const jn_channels *c, int index) { return c->list[index].name; }
const char *jn_channels_unit(const jn_channels *c, int index) { return c->list[index].unit; }

int jn_channels_find(const jn_channels *c, const char *name) {
    for (int i = 0; i < c->count; i++)
        if (!strcmp(c->list[i].name, name)) return i;
    return -1;
}

/* ----------------------------------------------------------------------------------------------------- reading */

static energies energies_get(jn_sim *sim) {
    jn_energy e = jn_energy_get(sim->m, sim->w);
    energies out = {.kinetic = e.kinetic, .potential = e.potential, .elastic = e.elastic, .contact = e.contact};
    out.dissipated = sim->s->ledger.dissipated, out.driven = sim->s->ledger.driven;
    out.damping = sim->s->ledger.damping, out.friction = sim->s->ledger.friction;
    out.numerical = sim->s->ledger.numerical;
    out.total = e.kinetic + e.potential + e.elastic;
    out.residual =
        sim->between ? sim->audit.energy_residual : jn_audit_energy_residual(&sim->audit, &e, &sim->s->ledger);
    return out;
}

/* Between two steps the residuals are those of the step: what lies between is interpolated, which the ledger knows nothing of. */
static momenta momenta_get(const jn_sim *sim) {
    double size[2];
    momenta out = {.sum = jn_momentum_sum(sim->m, sim->w, size)};
    jn_wrench left = wr_sub(wr_sub(out.sum, sim->audit.momentum_start), sim->s->ledger.given);
    if (sim->between) left = sim->audit.momentum_left;
    out.residual = v3_norm(left.f), out.angular_residual = v3_norm(left.n);
    return out;
}

/* A gap beyond what collision detection looks at is not known. */
static jn_contact_sum contact_sum(const jn_sim *sim, int contact) {
    jn_contact_sum sum = sim->contacts ? sim->contacts->sum[contact] : (jn_contact_sum){.gap = NAN};
    if (!isfinite(sum.gap)) sum.gap = NAN;
    return sum;
}

/* The forces between the parts of a clearance joint are its reaction. */
static void joint_motion(jn_sim *sim, int joint, jn_joint_motion *out) {
    jn_joint_motion_get(sim->m, sim->w, joint, out);
    if (!jn_joint_has_clearance(sim->m->joints[joint].type)) return;
    jn_clearance_motion motion;
    jn_clearance_get(sim->m, sim->contacts, sim->w, sim->s, joint, &motion);
    out->reaction = motion.reaction, out->reaction_local = motion.reaction_local;
}

/* All channels but derived ones, at the state last observed; returns how many are derived. */
static int read_plain(const jn_channels *c, jn_sim *sim, double *values) {
    union {
        jn_body_motion body;
        jn_joint_motion joint;
        jn_clearance_motion clearance;
        point_motion point;
        jn_contact_sum contact;
        jn_tendon_motion tendon;
        jn_actuator_motion actuator;
        double sensor[JN_SENSOR_MOST];
        energies energy;
        momenta momentum;
        step_taken step;
    } seen;
    int source = -1, item = -1, derived = 0;
    memset(&seen, 0, sizeof seen);
    for (int i = 0; i < c->count; i++) {
        const jn_channel *channel = &c->list[i];
        if (channel->source == SOURCE_DERIVED) {
            derived++;
            continue;
        }
        if (channel->source != source || channel->item != item) { /* channels of one item stand together */
            source = channel->source, item = channel->item;
            if (source == SOURCE_BODY) jn_body_motion_get(sim->m, sim->w, item, &seen.body);
            if (source == SOURCE_JOINT) joint_motion(sim, item, &seen.joint);
            if (source == SOURCE_CLEARANCE)
                jn_clearance_get(sim->m, sim->contacts, sim->w, sim->s, item, &seen.clearance);
            if (source == SOURCE_POINT)
                jn_point_motion_get(sim->m, sim->w, item, &seen.point.p, &seen.point.v, &seen.point.a);
            if (source == SOURCE_TENDON) seen.tendon = jn_tendon_motion_get(sim->m, sim->w, item);
            if (source == SOURCE_ACTUATOR) seen.actuator = jn_actuator_motion_get(sim->m, sim->w, item);
            if (source == SOURCE_SENSOR) jn_sim_sensor(sim, item, seen.sensor);
            if (source == SOURCE_CONTACT) seen.contact = contact_sum(sim, item);
            if (source == SOURCE_ENERGY) seen.energy = energies_get(sim);
            if (source == SOURCE_MOMENTUM) seen.momentum = momenta_get(sim);
            if (source == SOURCE_STEP) seen.step = (step_taken){sim->step_taken, jn_sim_order(sim)};
        }
        memcpy(&values[i], (const char *)&seen + channel->offset, sizeof *values);
    }
    return derived;
}

int jn_channels_read(const jn_channels *c, jn_sim *sim, double *values) {
    int status = jn_sim_observe(sim);
    if (status < 0) return status;
    if (!read_plain(c, sim, values)) return JN_OK;
    c->var[JN_VAR_T] = sim->s->t;
    read_plain(c->inputs, sim, c->var + JN_VAR_SIGNAL);
    for (int i = 0; i < c->count; i++)
        if (c->list[i].source == SOURCE_DERIVED)
            values[i] = jn_function_value(sim->m->derived[c->list[i].item].value, sim->m->tables, c->var);
    return JN_OK;
}

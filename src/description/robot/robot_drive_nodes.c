/* Tendons, actuators and sensors of a robot as sections of a model file. */
#include "description/robot/robot_nodes.h"

static jn_node *path_node(jn_robot *b, const jn_robot_tendon *t) {
    jn_node *list = make(b, JN_NODE_LIST, t->where);
    for (int i = 0; i < t->path_count; i++) {
        const jn_robot_path *p = &t->path[i];
        jn_node *one = make(b, JN_NODE_MAP, t->where);
        if (p->kind == JN_PATH_POINT) {
            append(b, list, word(b, t->where, b->points[p->point].name));
            continue;
        }
        if (p->kind == JN_PATH_PULLEY) put(b, one, "pulley", number(b, t->where, p->divisor));
        if (p->kind == JN_PATH_SPHERE) put(b, one, "sphere", number(b, t->where, p->radius));
        if (p->kind == JN_PATH_CYLINDER) put(b, one, "cylinder", number(b, t->where, p->radius));
        if (p->kind != JN_PATH_PULLEY) {
            put(b, one, "body", word(b, t->where, body_name(b, p->body)));
            put(b, one, "at", vector(b, t->where, p->at));
            put(b, one, "local", word(b, t->where, "true"));
        }
        if (p->kind == JN_PATH_CYLINDER)
            put(b, one, "axis", vector(b, t->where, q4_rotate(p->orientation, v3(0, 0, 1))));
        if (p->kind != JN_PATH_PULLEY && p->side >= 0) put(b, one, "side", word(b, t->where, b->points[p->side].name));
        append(b, list, one);
    }
    return list;
}

jn_node *jn_robot_tendons_node(jn_robot *b, jn_where where) {
    jn_node *map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->tendon_count; i++) {
        const jn_robot_tendon *t = &b->tendons[i];
        jn_node *one = make(b, JN_NODE_MAP, t->where), *terms = make(b, JN_NODE_MAP, t->where);
        for (int k = 0; k < t->count; k++)
            put(b, terms, b->joints[t->joint[k]].name, number(b, t->where, t->factor[k]));
        if (t->path_count)
            put(b, one, t->is_rotation ? "rotation" : "path", path_node(b, t));
        else
            put(b, one, "joints", terms);
        if (!is_zero(t->axis)) put(b, one, "axis", vector(b, t->where, t->axis));
        if (t->has_lower) put(b, one, "lower", number(b, t->where, t->lower));
        if (t->has_upper) put(b, one, "upper", number(b, t->where, t->upper));
        put_number(b, one, t->where, "limit_stiffness", t->limit_stiffness);
        put_number(b, one, t->where, "limit_damping", t->limit_damping);
        put_number(b, one, t->where, "stiffness", t->stiffness);
        if (t->stiffness != 0 && t->path_count && !t->drawn_rest) put(b, one, "rest", number(b, t->where, t->rest));
        if (t->stiffness != 0 && !t->path_count) put_number(b, one, t->where, "rest", t->rest);
        if (t->stiffness != 0) put_number(b, one, t->where, "slack", t->slack);
        put_number(b, one, t->where, "damping", t->damping);
        put_number(b, one, t->where, "friction", t->friction);
        const char *force = jn_robot_polynomial(b, t->rest, t->slack, t->more_stiffness, t->more_damping);
        if (force) put(b, one, "force", word(b, t->where, force));
        put(b, map, t->name, one);
    }
    return map;
}

static void put_range(jn_robot *b, jn_node *map, jn_where where, const char *key, bool has, const double *range) {
    if (has) put(b, map, key, numbers(b, where, 2, range));
}

/* As few numbers as will do: the later ones are zero. */
static void put_affine(jn_robot *b, jn_node *map, jn_where where, const char *key, const double *k, double usual) {
    if (k[1] != 0 || k[2] != 0)
        put(b, map, key, numbers(b, where, 3, k));
    else if (k[0] != usual)
        put(b, map, key, number(b, where, k[0]));
}

static jn_node *muscle_node(jn_robot *b, const jn_actuator_desc *d) {
    const jn_muscle_desc *m = &d->muscle;
    jn_node *map = make(b, JN_NODE_MAP, d->where);
    put_range(b, map, d->where, "lengths", m->lengths[1] > m->lengths[0], m->lengths);
    put(b, map, "range", numbers(b, d->where, 2, m->range));
    const struct {
        const char *key;
        double value;
    } rows[] = {{"force", m->force},
                {"scale", m->scale},
                {"shortest", m->shortest},
                {"longest", m->longest},
                {"fastest", m->fastest},
                {"passive_force", d->is_elastic ? m->passive_force : 0},
                {"lengthening_force", m->lengthening_force}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        put(b, map, rows[i].key, number(b, d->where, rows[i].value));
    return map;
}

static jn_node *motor_node(jn_robot *b, const jn_actuator_desc *d) {
    const jn_motor_desc *m = &d->motor;
    jn_node *map = make(b, JN_NODE_MAP, d->where);
    const struct {
        const char *key;
        double value;
    } rows[] = {{"constant", m->constant},
                {"resistance", m->resistance},
                {"voltage", m->voltage},
                {"inductance", m->inductance},
                {"current_rate", m->current_rate},
                {"thermal_resistance", m->thermal_resistance},
                {"heat_capacity", m->heat_capacity},
                {"temperature_coefficient", m->temperature_coefficient},
                {"reference_temperature", m->reference_temperature},
                {"ambient_temperature", m->ambient_temperature},
                {"bristle_stiffness", m->bristle_stiffness},
                {"bristle_damping", m->bristle_damping},
                {"coulomb", m->coulomb},
                {"stick", m->stick},
                {"stribeck_speed", m->stribeck_speed}};
    put(b, map, "asks", word(b, d->where, m->by_voltage ? "voltage" : "force"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) put_number(b, map, d->where, rows[i].key, rows[i].value);
    if (m->cogging[0] != 0) put(b, map, "cogging", numbers(b, d->where, 3, m->cogging));
    return map;
}

static void put_transmission(jn_robot *b, jn_node *map, const jn_robot_actuator *a) {
    static const char *const axes[] = {"", "point", "reference"};
    const jn_actuator_desc *d = &a->desc;
    jn_where w = d->where;
    if (d->on == JN_ACTUATOR_JOINT) put(b, map, "joint", word(b, w, b->joints[a->joint].name));
    if (d->on == JN_ACTUATOR_TENDON) put(b, map, "tendon", word(b, w, b->tendons[a->tendon].name));
    if (d->on == JN_ACTUATOR_CRANK) {
        put(b, map, "crank", word(b, w, b->points[a->point].name));
        put(b, map, "slider", word(b, w, b->points[a->reference].name));
        put(b, map, "rod", number(b, w, d->rod));
    }
    if (d->on == JN_ACTUATOR_ADHESION) {
        put(b, map, "adhesion", word(b, w, body_name(b, a->body)));
        put_number(b, map, w, "reach", d->reach);
    }
    if (d->on != JN_ACTUATOR_PLACE) return;
    put(b, map, "point", word(b, w, b->points[a->point].name));
    if (a->reference >= 0) put(b, map, "reference", word(b, w, b->points[a->reference].name));
    put(b, map, "force", vector(b, w, d->force));
    if (!is_zero(d->torque)) put(b, map, "torque", vector(b, w, d->torque));
    if (a->force_axes) put(b, map, "force_axes", word(b, w, axes[a->force_axes]));
    if (a->torque_axes) put(b, map, "torque_axes", word(b, w, axes[a->torque_axes]));
}

/* Whether it moves nothing: what it acts on is fixed. */
static bool is_still(const jn_robot *b, const jn_robot_actuator *a) {
    if (a->desc.on == JN_ACTUATOR_TENDON) return a->tendon < 0;
    if (a->desc.on == JN_ACTUATOR_JOINT) return b->joints[a->joint].type == JN_JOINT_FIXED;
    if (a->desc.on == JN_ACTUATOR_ADHESION) return false;
    int other = a->reference < 0 ? -1 : b->points[a->reference].body;
    return b->points[a->point].body == other;
}

jn_node *jn_robot_actuators_node(jn_robot *b, jn_where where) {
    static const char *const activations[] = {"none", "integrator", "filter", "muscle", "error"};
    jn_node *map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->actuator_count; i++) {
        const jn_robot_actuator *a = &b->actuators[i];
        const jn_actuator_desc *d = &a->desc;
        jn_node *one = make(b, JN_NODE_MAP, d->where);
        if (is_still(b, a)) continue;
        put_transmission(b, one, a);
        if (d->gear != 1) put(b, one, "gear", number(b, d->where, d->gear));
        put_number(b, one, d->where, "offset", d->offset);
        put(b, one, "control", word(b, d->where, a->control));
        put_range(b, one, d->where, "control_range", d->has_control_range, d->control_range);
        if (!d->is_muscle) put_affine(b, one, d->where, "gain", d->gain, 1);
        if (!d->is_elastic) put_affine(b, one, d->where, "bias", d->bias, 0);
        put_range(b, one, d->where, "force_range", d->has_force_range, d->force_range);
        put_range(b, one, d->where, "total_range", d->has_total_range, d->total_range);
        if (d->is_muscle) put(b, one, "muscle", muscle_node(b, d));
        if (d->is_motor) put(b, one, "motor", motor_node(b, d));
        if (d->activation != JN_ACTIVATION_NONE || d->is_muscle)
            put(b, one, "activation", word(b, d->where, activations[d->activation]));
        put_number(b, one, d->where, "feed", d->feed);
        if (d->activation == JN_ACTIVATION_FILTER || d->activation == JN_ACTIVATION_MUSCLE)
            put(b, one, "time", numbers(b, d->where, 2, d->time));
        put_number(b, one, d->where, "smoothing", d->smoothing);
        put_range(b, one, d->where, "activation_range", d->has_activation_range, d->activation_range);
        put_number(b, one, d->where, "start", d->start);
        put(b, map, d->name, one);
    }
    return map;
}

static jn_node *side_node(jn_robot *b, const jn_robot_sensor *s, int k) {
    const char *body = body_name(b, s->pair[k]), *shape = s->shape[k] < 0 ? NULL : b->shapes[s->shape[k]].name;
    return word(b, s->desc.where, shape ? jn_robot_text(b, "%s.%s", body, shape) : body);
}

/* Two bodies, each with one of its shapes or with all. */
static jn_node *between_node(jn_robot *b, const jn_robot_sensor *s) {
    jn_node *list = make(b, JN_NODE_LIST, s->desc.where);
    for (int k = 0; k < 2; k++) append(b, list, side_node(b, s, k));
    return list;
}

/* What a sensor of contacts looks at, and what it reads of them. */
static void put_contact_sensor(jn_robot *b, jn_node *one, const jn_robot_sensor *s) {
    static const char *const data[] = {"found", "force", "torque", "gap", "place", "normal", "tangent"};
    static const char *const reduce[] = {"none", "mindist", "maxforce", "netforce"};
    jn_where w = s->desc.where;
    for (int k = 0; k < 2; k++) {
        const char *key = k ? "second" : "first";
        if (s->pair[k] < -1) continue;
        if (!s->desc.subtree[k]) {
            put(b, one, key, side_node(b, s, k));
            continue;
        }
        jn_node *tree = make(b, JN_NODE_MAP, w);
        put(b, tree, "subtree", word(b, w, body_name(b, s->pair[k])));
        put(b, one, key, tree);
    }
    jn_node *list = make(b, JN_NODE_LIST, w);
    for (int k = 0; k < 7; k++)
        if (s->desc.data >> k & 1) append(b, list, word(b, w, data[k]));
    put(b, one, "data", list);
    if (s->desc.reduce != JN_REDUCE_NONE) put(b, one, "reduce", word(b, w, reduce[s->desc.reduce]));
    if (s->desc.slots != 1) put(b, one, "slots", number(b, w, s->desc.slots));
}

jn_node *jn_robot_sensors_node(jn_robot *b, jn_where where) {
    jn_node *map = make(b, JN_NODE_MAP, where);
    for (int i = 0; i < b->sensor_count; i++) {
        const jn_robot_sensor *s = &b->sensors[i];
        jn_where w = s->desc.where;
        jn_node *one = make(b, JN_NODE_MAP, w);
        if (s->joint >= 0 && b->joints[s->joint].type == JN_JOINT_FIXED) continue;
        if (s->actuator >= 0 && is_still(b, &b->actuators[s->actuator])) continue;
        put(b, one, "type", word(b, w, jn_sensor_type_info(s->desc.type)->name));
        if (s->point >= 0) put(b, one, "point", word(b, w, b->points[s->point].name));
        if (s->reference >= 0) put(b, one, "reference", word(b, w, b->points[s->reference].name));
        if (s->joint >= 0) put(b, one, "joint", word(b, w, b->joints[s->joint].name));
        if (s->tendon >= 0) put(b, one, "tendon", word(b, w, b->tendons[s->tendon].name));
        if (s->actuator >= 0) put(b, one, "actuator", word(b, w, b->actuators[s->actuator].desc.name));
        if (s->body >= 0) put(b, one, "body", word(b, w, b->bodies[s->body].name));
        jn_sensor_on on = jn_sensor_type_info(s->desc.type)->on;
        if (on == JN_SENSOR_ON_PAIR) put(b, one, "between", between_node(b, s));
        if (on == JN_SENSOR_ON_CONTACT) put_contact_sensor(b, one, s);
        if (on == JN_SENSOR_ON_IMAGE) {
            put(b, one, "focal", numbers(b, w, 2, s->desc.focal));
            put(b, one, "resolution", numbers(b, w, 2, s->desc.resolution));
        }
        if (on == JN_SENSOR_ON_ZONE || on == JN_SENSOR_ON_INSIDE || (on == JN_SENSOR_ON_CONTACT && s->point >= 0)) {
            put(b, one, "zone", word(b, w, jn_shape_type_info(s->desc.zone)->name));
            put(b, one, "zone_size", vector(b, w, s->desc.zone_size));
        }
        put_number(b, one, w, "cutoff", s->desc.cutoff);
        put_number(b, one, w, "offset", s->desc.offset);
        if (s->desc.type == JN_SENSOR_MAGNETOMETER) put(b, one, "field", vector(b, w, s->desc.field));
        put(b, map, s->desc.name, one);
    }
    return map;
}

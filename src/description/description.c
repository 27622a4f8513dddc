/* Building a description by program. Needs nothing but base. */
#include <jounce/description.h>

#include "algebra/vec3.h"
#include "base/expression.h"
#include "base/store.h"
#include "description/joint_info.h"
#include "description/signals.h"

#include <string.h>

jn_run_desc jn_run_default(void) {
    return (jn_run_desc){
        .analysis = JN_ANALYSIS_DYNAMIC,
        .method = JN_METHOD_SMOOTH,
        .integrator = JN_INTEGRATOR_AUTO,
        .stabilise = JN_STABILISE_PROJECTION,
        .until = 1,
        .relative_tolerance = 1e-8,
        .absolute_tolerance = 1e-10,
        .baumgarte_alpha = 5,
        .baumgarte_beta = 5,
        .impact_steps = 10,
        .theta = 0.5,
        .penetration = 0,
        .sleep = true,
        .energetic_bound = true,
        .compliance = 5e-4,
        .order = 2,
        .record_csv = true,
        .impact_law = JN_IMPACT_STAGED,
        .impact_binary = JN_IMPACT_STRONGE,
        .start_time = NAN,
    };
}

jn_body_desc jn_body_default(const char *name) {
    return (jn_body_desc){.name = name, .where = {"", 0, 0}, .orientation = {1, 0, 0, 0}};
}

jn_joint_desc jn_joint_default(const char *name, jn_joint_type type) {
    jn_joint_desc joint = {.name = name, .where = {"", 0, 0}, .type = type};
    for (int k = 0; k < JN_JOINT_MAX_NV; k++) {
        joint.coordinate[k].friction_speed = JN_FRICTION_SPEED;
        joint.coordinate[k].motor_max = joint.coordinate[k].motor_no_load = INFINITY;
        joint.coordinate[k].motor_gear = 1;
    }
    return joint;
}

jn_tendon_desc jn_tendon_default(const char *name) {
    return (jn_tendon_desc){
        .name = name, .where = {"", 0, 0}, .law = jn_joint_default(name, JN_JOINT_REVOLUTE).coordinate[0]};
}

jn_actuator_desc jn_actuator_default(const char *name) {
    return (jn_actuator_desc){.name = name,
                              .where = {"", 0, 0},
                              .gear = 1,
                              .gain = {1, 0, 0},
                              .time = {1, 1},
                              .muscle = {.range = {0.75, 1.05},
                                         .force = -1,
                                         .scale = 200,
                                         .shortest = 0.5,
                                         .longest = 1.6,
                                         .fastest = 1.5,
                                         .passive_force = 1.3,
                                         .lengthening_force = 1.2}};
}

jn_force_desc jn_force_default(const char *name, jn_force_type type) {
    return (jn_force_desc){.name = name,
                           .where = {"", 0, 0},
                           .type = type,
                           .orientation = {1, 0, 0, 0},
                           .coefficient = {0.5, 0.25, 1.5, 1, 1}};
}

jn_contact_desc jn_contact_default(const char *name) {
    jn_contact_desc c = {.name = name, .where = {"", 0, 0}, .joined = true, .body = {-1, -1}, .joint = -1};
    double *const numbers[] = {&c.stiffness,   &c.exponent, &c.restitution,    &c.damping,    &c.mass,
                               &c.speed_floor, &c.young[0], &c.young[1],       &c.poisson[0], &c.poisson[1],
                               &c.friction,    &c.stick,    &c.rolling,        &c.spinning,   &c.resistance_speed,
                               &c.delta_max,   &c.length,   &c.stiffness_power};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) *numbers[k] = NAN;
    return c;
}

int jn_contact_set_parameter(jn_contact_desc *c, const char *name, double value) {
    int i = 0;
    while (i < c->parameter_count && strcmp(c->parameter[i].name, name)) i++;
    if (i == JN_CONTACT_PARAMETERS) return JN_ERR_LIMIT;
    c->parameter[i] = (jn_named_value){name, value};
    if (i == c->parameter_count) c->parameter_count++;
    return JN_OK;
}

jn_description *jn_description_create(void) {
    jn_store *store = jn_store_create();
    jn_description *d = store ? jn_store_alloc(store, sizeof *d) : NULL;
    jn_body_desc ground = jn_body_default("ground");

    if (!d) {
        jn_store_free(store);
        return NULL;
    }
    d->store = store;
    d->title = d->file = "";
    d->gravity = (jn_vec3){0, 0, -9.81};
    d->coordinates = JN_COORDINATES_RELATIVE;
    d->run = jn_run_default();
    d->bodies = jn_store_grow(store, NULL, 0, sizeof *d->bodies);
    if (!d->bodies) {
        jn_store_free(store);
        return NULL;
    }
    d->bodies[0] = ground;
    d->body_count = 1;
    return d;
}

void jn_description_free(jn_description *description) {
    if (description) {
        jn_store_free(description->store);
    }
}

/* Appends an item and a copy of its name to one of the lists and returns its index. */
#define ADD_ITEM(d, list, count, item)                                                                                 \
    do {                                                                                                               \
        void *wide_ = jn_store_grow((d)->store, (d)->list, (d)->count, sizeof *(d)->list);                             \
        const char *name_ = wide_ ? jn_store_strdup((d)->store, (item)->name) : NULL;                                  \
        if (!name_) {                                                                                                  \
            return JN_ERR_MEMORY;                                                                                      \
        }                                                                                                              \
        (d)->list = wide_;                                                                                             \
        (d)->list[(d)->count] = *(item);                                                                               \
        (d)->list[(d)->count].name = name_;                                                                            \
        if (!(item)->where.file) {                                                                                     \
            (d)->list[(d)->count].where.file = "";                                                                     \
        }                                                                                                              \
        return (d)->count++;                                                                                           \
    } while (0)

#define NAME_USED(d, list, count, wanted, used)                                                                        \
    do {                                                                                                               \
        for (int i_ = 0; i_ < (d)->count && !(used); i_++) {                                                           \
            (used) = strcmp((d)->list[i_].name, (wanted)) == 0;                                                        \
        }                                                                                                              \
    } while (0)

static bool valid_body(const jn_description *d, int body) { return body >= 0 && body < d->body_count; }

int jn_description_add_body(jn_description *d, const jn_body_desc *body) {
    bool used = !body->name;
    NAME_USED(d, bodies, body_count, body->name, used);
    if (used || !(q4_norm(body->orientation) > 0)) {
        return JN_ERR_ARGUMENT;
    }
    ADD_ITEM(d, bodies, body_count, body);
}

int jn_description_add_joint(jn_description *d, const jn_joint_desc *joint) {
    bool used = !joint->name;
    NAME_USED(d, joints, joint_count, joint->name, used);
    if (used || !jn_joint_type_info(joint->type) || !valid_body(d, joint->body[0]) || !valid_body(d, joint->body[1]) ||
        joint->body[0] == joint->body[1]) {
        return JN_ERR_ARGUMENT;
    }
    ADD_ITEM(d, joints, joint_count, joint);
}

int jn_description_add_force(jn_description *d, const jn_force_desc *force) {
    bool used = !force->name;
    NAME_USED(d, forces, force_count, force->name, used);
    if (used || (int)force->type < 0 || force->type >= JN_FORCE_TYPES || !valid_body(d, force->body[0]) ||
        !valid_body(d, force->body[1])) {
        return JN_ERR_ARGUMENT;
    }
    ADD_ITEM(d, forces, force_count, force);
}

int jn_description_add_point(jn_description *d, const jn_point_desc *point) {
    bool used = !point->name;
    NAME_USED(d, points, point_count, point->name, used);
    if (used || !valid_body(d, point->body)) {
        return JN_ERR_ARGUMENT;
    }
    ADD_ITEM(d, points, point_count, point);
}

int jn_description_add_contact(jn_description *d, const jn_contact_desc *contact) {
    bool used = !contact->name;
    NAME_USED(d, contacts, contact_count, contact->name, used);
    if (used || (contact->is_pair && (!valid_body(d, contact->body[0]) || !valid_body(d, contact->body[1])))) {
        return JN_ERR_ARGUMENT;
    }
    ADD_ITEM(d, contacts, contact_count, contact);
}

static bool within(int index, int count) { return index >= 0 && index < count; }

int jn_description_add_coupler(jn_description *d, const jn_coupler_desc *coupler) {
    bool used = !coupler->name || coupler->count < 1 || coupler->count > JN_COUPLER_MAX;
    NAME_USED(d, couplers, coupler_count, coupler->name, used);
    for (int k = 0; !used && k < coupler->count; k++) {
        used = coupler->tendon[k] ? !within(coupler->tendon[k] - 1, d->tendon_count)
                                  : coupler->joint[k] < 0 || coupler->joint[k] >= d->joint_count ||
                                        coupler->coordinate[k] < 0 || coupler->coordinate[k] >= JN_JOINT_MAX_NV;
    }
    if (used) {
        return JN_ERR_ARGUMENT;
    }
    ADD_ITEM(d, couplers, coupler_count, coupler);
}

int jn_description_add_tendon(jn_description *d, const jn_tendon_desc *tendon) {
    bool is_path = tendon->path_count > 0;
    bool used = !tendon->name || (!is_path && tendon->count < 1) || tendon->count > JN_TENDON_MAX ||
                (is_path && tendon->count > 0);
    jn_tendon_desc copy = *tendon;
    NAME_USED(d, tendons, tendon_count, tendon->name, used);
    for (int k = 0; !used && k < tendon->count; k++)
        used = tendon->joint[k] < 0 || tendon->joint[k] >= d->joint_count || tendon->coordinate[k] < 0 ||
               tendon->coordinate[k] >= JN_JOINT_MAX_NV;
    for (int k = 0; !used && k < tendon->path_count; k++)
        used = !valid_body(d, tendon->path[k].body) || !valid_body(d, tendon->path[k].side_body);
    if (used) return JN_ERR_ARGUMENT;
    if (is_path) {
        size_t bytes = (size_t)tendon->path_count * sizeof *tendon->path;
        copy.path = jn_store_alloc(d->store, bytes);
        if (!copy.path) return JN_ERR_MEMORY;
        memcpy(copy.path, tendon->path, bytes);
    }
    ADD_ITEM(d, tendons, tendon_count, &copy);
}

int jn_description_add_actuator(jn_description *d, const jn_actuator_desc *a) {
    bool used = !a->name || (int)a->on < 0 || a->on > JN_ACTUATOR_ADHESION || (int)a->activation < 0 ||
                a->activation > JN_ACTIVATION_ERROR || (a->is_motor && a->motor.constant > 0 && !(a->motor.resistance > 0));
    NAME_USED(d, actuators, actuator_count, a->name, used);
    if (!used && a->on == JN_ACTUATOR_JOINT)
        used = a->joint < 0 || a->joint >= d->joint_count || a->coordinate < 0 || a->coordinate >= JN_JOINT_MAX_NV;
    else if (!used && a->on == JN_ACTUATOR_TENDON)
        used = a->tendon < 0 || a->tendon >= d->tendon_count;
    else if (!used && a->on == JN_ACTUATOR_ADHESION)
        used = !valid_body(d, a->body[1]) || !(a->reach >= 0);
    else if (!used)
        used = !valid_body(d, a->body[0]) || !valid_body(d, a->body[1]) || a->body[0] == a->body[1];
    if (used) return JN_ERR_ARGUMENT;
    ADD_ITEM(d, actuators, actuator_count, a);
}

jn_sensor_desc jn_sensor_default(const char *name, jn_sensor_type type) {
    return (jn_sensor_desc){.name = name,
                            .where = {"", 0, 0},
                            .type = type,
                            .point = -1,
                            .reference = -1,
                            .joint = -1,
                            .tendon = -1,
                            .actuator = -1,
                            .body = -1,
                            .other = -1,
                            .field = {0, -0.5, 0},
                            .zone = JN_SHAPE_SPHERE,
                            .zone_size = {0.005, 0.005, 0.005},
                            .data = JN_CONTACT_FOUND,
                            .slots = 1};
}


int jn_description_add_sensor(jn_description *d, const jn_sensor_desc *s) {
    const jn_sensor_info *info = jn_sensor_type_info(s->type);
    bool used = !s->name || !info;
    NAME_USED(d, sensors, sensor_count, s->name, used);
    if (used) return JN_ERR_ARGUMENT;
    bool both = info->on == JN_SENSOR_ON_ROTATION || info->on == JN_SENSOR_ON_INSIDE || info->on == JN_SENSOR_ON_IMAGE;
    bool places = both || info->on == JN_SENSOR_ON_POINT || info->on == JN_SENSOR_ON_FRAME || info->on == JN_SENSOR_ON_ZONE;
    bool pair = info->on == JN_SENSOR_ON_PAIR, touch = info->on == JN_SENSOR_ON_CONTACT;
    bool fine = (!places || within(s->point, d->point_count)) &&
                (s->reference < 0 ? !both : within(s->reference, d->point_count)) &&
                (!pair || (within(s->body, d->body_count) && within(s->other, d->body_count) && s->body != s->other)) &&
                (!touch || (s->point < d->point_count && s->body < d->body_count && s->other < d->body_count && s->slots > 0 &&
                            s->slots <= JN_SENSOR_MOST && s->data > 0 && s->data <= JN_CONTACT_ALL &&
                            jn_sensor_count(s) <= JN_SENSOR_MOST)) &&
                (info->on != JN_SENSOR_ON_JOINT ||
                 (within(s->joint, d->joint_count) && within(s->coordinate, JN_JOINT_MAX_NV))) &&
                (info->on != JN_SENSOR_ON_TENDON || within(s->tendon, d->tendon_count)) &&
                (info->on != JN_SENSOR_ON_ACTUATOR || within(s->actuator, d->actuator_count)) &&
                (info->on != JN_SENSOR_ON_BODY || within(s->body, d->body_count));
    if (!fine) return JN_ERR_ARGUMENT;
    jn_sensor_desc own = *s;
    for (int k = 0; k < 2; k++)
        if (s->shape[k] && !(own.shape[k] = jn_store_strdup(d->store, s->shape[k]))) return JN_ERR_MEMORY;
    ADD_ITEM(d, sensors, sensor_count, &own);
}

/* -------------------------------------------------------------------------------------------------- functions */

/* The variable of a signal, new or as made before. */
static int add_signal(jn_description *d, jn_signal_desc signal) {
    for (int i = 0; i < d->signal_count; i++) {
        const jn_signal_desc *s = &d->signals[i];
        if (s->joint == signal.joint && s->coordinate == signal.coordinate && s->speed == signal.speed &&
            s->body == signal.body) {
            return JN_VAR_SIGNAL + i;
        }
    }
    void *wide = jn_store_grow(d->store, d->signals, d->signal_count, sizeof *d->signals);
    if (!wide) {
        return JN_ERR_MEMORY;
    }
    d->signals = wide;
    d->signals[d->signal_count] = signal;
    return JN_VAR_SIGNAL + d->signal_count++;
}

int jn_signal_make(jn_description *d, int joint, jn_joint_type type, const char *which, const char **problem) {
    int nv = jn_joint_velocities(type, d->planar), k = 0;
    bool speed = which[0] == 'u';

    *problem = "write '.q' for a joint's coordinate or '.u' for its speed";
    if ((which[0] != 'q' && which[0] != 'u') || (which[1] && (which[1] < '1' || which[1] > '9' || which[2]))) {
        return JN_ERR_EXPRESSION;
    }
    if (nv <= 0) {
        *problem = "this joint has no coordinate";
        return JN_ERR_EXPRESSION;
    }
    if (!which[1] && nv > 1) {
        *problem = "this joint has several coordinates: write '.q1', '.q2', ... or '.u1', '.u2', ...";
        return JN_ERR_EXPRESSION;
    }
    k = which[1] ? which[1] - '1' : 0;
    if (k >= nv || (!speed && !jn_joint_is_scalar(type, d->planar, k))) {
        *problem = k >= nv ? "this joint does not have so many coordinates" : "this rotation has no single coordinate";
        return JN_ERR_EXPRESSION;
    }
    return add_signal(d, (jn_signal_desc){joint, k, speed, 0});
}

int jn_signal_make_body(jn_description *d, int body, const char *which, const char **problem) {
    static const char *const names[] = {"x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"};
    int k = 0, count = sizeof names / sizeof *names;

    *problem = d->planar ? "write '.x', '.y', '.vx', '.vy' or '.w' of a body"
                         : "write '.x', '.y', '.z', '.vx', '.vy', '.vz', '.wx', '.wy' or '.wz' of a body";
    while (k < count && strcmp(names[k], which) != 0) k++;
    if (d->planar && strcmp(which, "w") == 0) {
        k = 8;
    } else if (d->planar && (k == 2 || k >= 5)) {
        return JN_ERR_EXPRESSION;
    }
    if (k == count) {
        return JN_ERR_EXPRESSION;
    }
    if (body == 0) {
        *problem = "the ground does not move";
        return JN_ERR_EXPRESSION;
    }
    return add_signal(d, (jn_signal_desc){-1, k < 3 ? k : k - 3, k >= 3, body});
}

typedef struct lookup {
    jn_description *d;
    bool no_memory;
} lookup;

static jn_symbol_kind find_signal(lookup *l, const char *joint, jn_symbol *symbol) {
    const char *dot = strrchr(joint, '.');
    size_t n = dot ? (size_t)(dot - joint) : 0;

    for (int i = 0; dot && i < l->d->joint_count; i++) {
        const jn_joint_desc *j = &l->d->joints[i];
        if (strncmp(j->name, joint, n) == 0 && j->name[n] == '\0') {
            symbol->index = jn_signal_make(l->d, i, j->type, dot + 1, &symbol->text);
            symbol->type.kind = JN_KIND_LOOSE;
            l->no_memory = l->no_memory || symbol->index == JN_ERR_MEMORY;
            return symbol->index < 0 ? JN_SYMBOL_REFUSED : JN_SYMBOL_VARIABLE;
        }
    }
    return JN_SYMBOL_NONE;
}

static jn_symbol_kind find_body_signal(lookup *l, const char *body, jn_symbol *symbol) {
    const char *dot = strrchr(body, '.');
    size_t n = dot ? (size_t)(dot - body) : 0;

    for (int i = 0; dot && i < l->d->body_count; i++) {
        const char *name = l->d->bodies[i].name;
        if (strncmp(name, body, n) == 0 && name[n] == '\0') {
            symbol->index = jn_signal_make_body(l->d, i, dot + 1, &symbol->text);
            symbol->type.kind = JN_KIND_LOOSE;
            l->no_memory = l->no_memory || symbol->index == JN_ERR_MEMORY;
            return symbol->index < 0 ? JN_SYMBOL_REFUSED : JN_SYMBOL_VARIABLE;
        }
    }
    return JN_SYMBOL_NONE;
}

static jn_symbol_kind find_name(void *context, const char *name, bool table, jn_symbol *symbol) {
    lookup *l = context;

    for (int i = 0; table && i < l->d->table_count; i++) {
        if (strcmp(l->d->tables[i].name, name) == 0) {
            symbol->index = i;
            return JN_SYMBOL_TABLE;
        }
    }
    if (table) {
        return JN_SYMBOL_NONE;
    }
    if (strncmp(name, "joint.", 6) == 0) {
        return find_signal(l, name + 6, symbol);
    }
    if (strncmp(name, "body.", 5) == 0) {
        return find_body_signal(l, name + 5, symbol);
    }
    symbol->type.kind = JN_KIND_LOOSE;
    symbol->index = name[0] == 't' ? JN_VAR_T : name[0] == 'x' ? JN_VAR_X : JN_VAR_V;
    return strlen(name) == 1 && strchr("txv", name[0]) ? JN_SYMBOL_VARIABLE : JN_SYMBOL_NONE;
}

jn_function jn_description_function(jn_description *description, const char *expression, jn_report *report) {
    lookup context = {description, false};
    jn_scope scope = {&context, find_name, NULL};
    jn_expression result;
    jn_fault fault;

    if (!jn_expression_compile(expression, &scope, description->store, &result, &fault)) {
        int status = context.no_memory ? JN_ERR_MEMORY : fault.status;
        jn_report_add(report, JN_SEVERITY_ERROR, status, (jn_where){"", 0, 0}, NULL, "'%.100s': %s\n%s", expression,
                      fault.text, fault.hint);
        return (jn_function){NULL, 0};
    }
    return result.function;
}

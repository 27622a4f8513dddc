/* Actuators: what they act along, and their activations. */
#include "model/builder.h"
#include <string.h>

enum { MOST_ADHESIVE = 64, MOST_OF_SHAPE = 16 }; /* contact points of a body; of a shape, in the mean */
#define OF_SHAPES "shapes_adhesion"              /* actuator that pulls at the contact points of shapes */

bool jn_actuator_reaches(const jn_actuator_desc *a) {
    return a->on == JN_ACTUATOR_PLACE || a->on == JN_ACTUATOR_CRANK || a->on == JN_ACTUATOR_ADHESION;
}

static jn_side place(const jn_builder *b, int body, jn_vec3 at, jn_quat orientation) {
    jn_mat3 E = q4_norm(orientation) > 0 ? q4_matrix(q4_unit(orientation)) : m3_identity();
    return jn_builder_link_side(b, body, at, &E);
}

/* Room for the contact points that adhesion pulls at. */
static int adhesive_room(const jn_builder *b, const jn_actuator_desc *a) {
    int room = MOST_ADHESIVE;
    for (int i = 0; a->of_shapes && i < b->d->shape_count; i++)
        room += b->d->shapes[i].adhesion > 0 ? MOST_OF_SHAPE : 0;
    return room;
}

static double largest_reach(const jn_builder *b, const jn_actuator_desc *a) {
    double reach = a->reach;
    for (int i = 0; a->of_shapes && i < b->d->shape_count; i++)
        if (b->d->shapes[i].adhesion > 0) reach = jn_fmax(reach, b->d->shapes[i].adhesion_reach);
    return reach;
}

int jn_build_adhesion(jn_builder *b, jn_description *sticky) {
    bool any = false;
    for (int i = 0; i < b->d->shape_count; i++) any |= b->d->shapes[i].adhesion > 0;
    if (!any) return JN_OK;
    for (int i = 0; i < b->d->actuator_count; i++)
        if (!strcmp(b->d->actuators[i].name, OF_SHAPES))
            return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, b->d->actuators[i].where, NULL,
                                 "'" OF_SHAPES "' is the actuator of shapes with an 'adhesion'\ngive it another name");
    *sticky = *b->d;
    sticky->actuators = jn_store_array(b->temp, (size_t)b->d->actuator_count + 1, sizeof *sticky->actuators);
    if (!sticky->actuators) return JN_ERR_MEMORY;
    for (int i = 0; i < b->d->actuator_count; i++) sticky->actuators[i] = b->d->actuators[i];
    jn_actuator_desc *a = &sticky->actuators[sticky->actuator_count++];
    *a = jn_actuator_default(OF_SHAPES);
    a->on = JN_ACTUATOR_ADHESION, a->of_shapes = true, a->body[0] = a->body[1] = JN_GROUND, a->gain[0] = 0,
    a->bias[0] = 1;
    b->d = sticky;
    return JN_OK;
}

/* Lengths between places that actuators act along: handles behind those of the tendons. */
void jn_build_actuator_reaches(jn_builder *b, int handle) {
    jn_model *m = b->m;
    for (int i = 0; i < b->d->actuator_count; i++) {
        const jn_actuator_desc *a = &b->d->actuators[i];
        if (!jn_actuator_reaches(a)) continue;
        jn_reach *r = &m->reaches[m->reach_count++];
        bool adheres = a->on == JN_ACTUATOR_ADHESION;
        *r = (jn_reach){.type = adheres                      ? JN_REACH_CONTACTS
                                : a->on == JN_ACTUATOR_CRANK ? JN_REACH_CRANK
                                                             : JN_REACH_WRENCH,
                        .handle = handle,
                        .pull = m->pull_room,
                        .pulls = adheres ? adhesive_room(b, a) : 1,
                        .body = a->body[1],
                        .range = adheres ? largest_reach(b, a) : 0,
                        .of_shapes = a->of_shapes,
                        .A = place(b, a->body[0], a->at[0], a->orientation[0]),
                        .B = place(b, a->body[1], a->at[1], a->orientation[1]),
                        .force = a->force,
                        .torque = a->torque,
                        .force_on_B = a->force_on_second,
                        .turn_on_B = a->torque_on_second,
                        .measures = a->measures,
                        .rod = a->rod};
        m->pull_room += r->pulls;
        m->pull_spare = m->pull_spare > r->pulls ? m->pull_spare : r->pulls;
        m->adheres |= adheres;
        m->handles[handle++] = (jn_handle){.v = -1, .q = -1, .closure = -1, .reach = m->reach_count};
    }
}

static int handle_of(const jn_model *m, const jn_actuator_desc *a, int *next) {
    if (jn_actuator_reaches(a)) return (*next)++;
    return a->on == JN_ACTUATOR_TENDON ? m->tendons[a->tendon].handle : m->joints[a->joint].handle + a->coordinate;
}

/* Whether actuators of tendons or at places may act on the coordinate, too. */
static bool is_joined(const jn_builder *b, const jn_actuator_desc *from, int handle) {
    if (from->on != JN_ACTUATOR_JOINT || !from->has_total_range || b->m->handles[handle].v < 0) return false;
    for (int k = 0; k < b->d->actuator_count; k++) {
        jn_actuator_on on = b->d->actuators[k].on;
        if (on != JN_ACTUATOR_JOINT && on != JN_ACTUATOR_ADHESION) return true;
    }
    return false;
}

/* Places for the states of a motor. */
static void place_motor(jn_model *m, jn_actuation *a) {
    const jn_motor_desc *motor = &a->motor;
    bool turns = a->is_motor && motor->constant > 0, rubs = a->is_motor && motor->bristle_stiffness > 0;
    a->temperature = turns && motor->thermal_resistance > 0 ? m->act_count++ : -1;
    a->bristle = rubs ? m->act_count++ : -1;
    a->current = turns && motor->inductance > 0 ? m->act_count++ : -1;
}

int jn_build_actuators(jn_builder *b) {
    jn_model *m = b->m;
    int next = m->handle_count;
    for (int i = 0; i < b->d->actuator_count; i++) next -= jn_actuator_reaches(&b->d->actuators[i]);
    m->actuation_count = b->d->actuator_count;
    m->actuations = jn_builder_array(b, m->actuation_count, sizeof *m->actuations);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->actuation_count; i++) {
        const jn_actuator_desc *from = &b->d->actuators[i];
        jn_actuation *to = &m->actuations[i];
        *to = (jn_actuation){.name = jn_builder_text(b, from->name),
                             .where = from->where,
                             .handle = handle_of(m, from, &next),
                             .gear = from->gear,
                             .offset = from->offset,
                             .control = jn_builder_function(b, from->control),
                             .has_control_range = from->has_control_range,
                             .has_activation_range = from->has_activation_range,
                             .has_force_range = from->has_force_range,
                             .has_total_range = from->has_total_range,
                             .activation = from->activation,
                             .start = from->start,
                             .smoothing = from->smoothing,
                             .feed = from->feed,
                             .is_muscle = from->is_muscle,
                             .is_elastic = from->is_elastic,
                             .muscle = from->muscle,
                             .is_motor = from->is_motor,
                             .motor = from->motor};
        for (int k = 0; k < 3; k++) to->gain[k] = from->gain[k], to->bias[k] = from->bias[k];
        for (int k = 0; k < 2; k++) {
            to->control_range[k] = from->control_range[k], to->activation_range[k] = from->activation_range[k];
            to->force_range[k] = from->force_range[k], to->total_range[k] = from->total_range[k];
            to->time[k] = from->time[k];
        }
        to->joined = is_joined(b, from, to->handle);
        if (to->activation != JN_ACTIVATION_NONE) to->state = m->act_count++;
        place_motor(m, to);
        const jn_joint *j = from->on == JN_ACTUATOR_JOINT ? &m->joints[from->joint] : NULL;
        if (j && !jn_joint_has_scalar(m, j, from->coordinate))
            return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, from->where, NULL,
                                 "actuator '%s': joint '%s' has no such scalar coordinate\n"
                                 "let it act at a point, with a reference on the other body",
                                 from->name, j->name);
        if ((to->is_muscle || to->is_elastic) && !(to->muscle.lengths[1] > to->muscle.lengths[0]))
            return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, from->where, NULL,
                                 "actuator '%s': a muscle needs its shortest and longest length\n"
                                 "write muscle: {lengths: [0.2, 0.4]}",
                                 from->name);
    }
    return JN_OK;
}

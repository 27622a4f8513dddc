/* Force elements, actuators on joint coordinates, named points and the signals that functions read. */
#include "model/builder.h"
#include <string.h>

/* A point given globally as drawn, or in the body's own frame. */
static jn_side point_side(const jn_builder *b, int body, jn_vec3 at, bool local, const jn_mat3 *E_world) {
    const jn_pose *pose = &b->drawn[body];
    jn_mat3 Rt = m3_transpose(&pose->R), E = E_world ? m3_mul(&Rt, E_world) : m3_identity();
    jn_vec3 p = local ? at : m3_mul_v(&Rt, v3_sub(at, pose->p));
    return jn_builder_link_side(b, body, p, &E);
}

static jn_vec3 world_point(const jn_builder *b, int body, jn_vec3 at, bool local) {
    const jn_pose *pose = &b->drawn[body];
    return local ? v3_add(pose->p, m3_mul_v(&pose->R, at)) : at;
}

static int add_spring(jn_builder *b, const jn_force_desc *f) {
    double drawn =
        v3_norm(v3_sub(world_point(b, f->body[1], f->at[1], f->local), world_point(b, f->body[0], f->at[0], f->local)));
    b->m->springs[b->m->spring_count++] = (jn_spring){point_side(b, f->body[0], f->at[0], f->local, NULL),
                                                      point_side(b, f->body[1], f->at[1], f->local, NULL),
                                                      f->has_rest ? f->rest : drawn,
                                                      f->stiffness,
                                                      f->damping,
                                                      f->preload,
                                                      jn_builder_function(b, f->tension)};
    return JN_OK;
}

static jn_side bushing_side(const jn_builder *b, const jn_force_desc *f, int k) {
    jn_mat3 E = q4_matrix(f->framed ? f->frame[k] : f->orientation);
    return f->framed ? jn_builder_link_side(b, f->body[k], f->at[k], &E)
                     : point_side(b, f->body[k], f->at[k], f->local, &E);
}

static int add_bushing(jn_builder *b, const jn_force_desc *f) {
    jn_bushing *to = &b->m->bushings[b->m->bushing_count++];
    to->A = bushing_side(b, f, 0), to->B = bushing_side(b, f, 1);
    for (int k = 0; k < 6; k++) to->stiffness[k] = f->stiffness6[k], to->damping[k] = f->damping6[k];
    return JN_OK;
}

static int add_applied(jn_builder *b, const jn_force_desc *f) {
    jn_applied *to = &b->m->applied[b->m->applied_count++];
    to->A = point_side(b, f->body[0], f->at[1], false, NULL);
    to->B = point_side(b, f->body[1], f->at[1], f->local, NULL);
    to->is_torque = f->type == JN_FORCE_TORQUE;
    to->in_body = f->in_body;
    to->is_drag = f->type == JN_FORCE_DRAG, to->wind = f->wind;
    jn_mat3 E = q4_matrix(f->orientation);
    if (to->is_drag) to->B = point_side(b, f->body[1], f->at[1], f->local, &E);
    for (int k = 0; k < 6; k++) to->linear[k] = f->damping6[k], to->quadratic[k] = f->quadratic6[k];
    if (to->is_drag) to->buoyancy = v3_scale(-f->density * f->volume, b->d->gravity);
    if (to->is_drag && v3_norm(f->ellipsoid) > 0 && !(to->ellipsoid = jn_build_ellipsoid(b, f))) return JN_ERR_MEMORY;
    to->axes = b->m->links[to->B.link].user;
    for (int k = 0; k < 3; k++) to->component[k] = jn_builder_function(b, f->component[k]);
    return JN_OK;
}

static int make_forces(jn_builder *b) {
    jn_model *m = b->m;
    m->springs = jn_builder_array(b, b->d->force_count, sizeof *m->springs);
    m->bushings = jn_builder_array(b, b->d->force_count, sizeof *m->bushings);
    m->applied = jn_builder_array(b, b->d->force_count, sizeof *m->applied);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < b->d->force_count; i++) {
        const jn_force_desc *f = &b->d->forces[i];
        if (f->type == JN_FORCE_SPRING)
            add_spring(b, f);
        else if (f->type == JN_FORCE_BUSHING)
            add_bushing(b, f);
        else
            add_applied(b, f);
    }
    return JN_OK;
}

static bool has_law(const jn_coordinate_desc *c) {
    return c->stiffness != 0 || c->damping != 0 || ((c->has_lower || c->has_upper) && c->limit_stiffness > 0) ||
           c->friction != 0 || jn_function_given(c->force) || c->has_motor;
}

static bool is_actuated(const jn_model *m, int handle) {
    for (int i = 0; i < m->actuation_count; i++)
        if (m->actuations[i].handle == handle) return true;
    return false;
}

static void add_tendon_law(jn_builder *b, int tendon) {
    jn_coordinate_desc law = b->d->tendons[tendon].law;
    law.force = jn_builder_function(b, law.force);
    law.motion = law.motor_target = law.motor_speed = law.motor_feed = (jn_function){0};
    law.has_motor = false;
    int reach = b->m->handles[b->m->tendons[tendon].handle].reach;
    if (reach && !b->d->tendons[tendon].has_rest) law.rest = jn_builder_drawn_length(b, reach - 1);
    b->m->actuators[b->m->actuator_count++] = (jn_actuator){-1, b->m->tendons[tendon].handle, law, false, false};
}

static bool is_outer(const jn_model *m, const jn_actuator *a) {
    int v = m->handles[a->handle].v;
    return v < 0 || m->links[m->dof_link[v]].parent == 0;
}

static int make_actuators(jn_builder *b) {
    jn_model *m = b->m;
    m->actuators = jn_builder_array(b, m->handle_count, sizeof *m->actuators);
    if (b->failed) return JN_ERR_MEMORY;
    for (int k = 0; k < m->joint_count; k++)
        for (int i = 0; i < m->joints[k].nv; i++) {
            const jn_coordinate_desc *law = &m->joints[k].coordinate[i];
            const jn_handle *h = &m->handles[m->joints[k].handle + i];
            bool scalar = h->v < 0 ? m->joints[k].type != JN_JOINT_SPHERICAL : h->q >= 0;
            if (!has_law(law) && !is_actuated(m, m->joints[k].handle + i)) continue;
            if (!scalar && (law->stiffness != 0 || law->has_lower || law->has_upper || law->has_motor))
                return jn_report_add(
                    b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, m->joints[k].where, NULL,
                    "joint '%s': a rotation in space has no single angle for springs, stops or motors\n"
                    "use a bushing, or damping and friction only",
                    m->joints[k].name);
            m->actuators[m->actuator_count++] = (jn_actuator){k, m->joints[k].handle + i, *law, false, false};
        }
    for (int i = 0; i < m->tendon_count; i++)
        if (has_law(&b->d->tendons[i].law) || is_actuated(m, m->tendons[i].handle)) add_tendon_law(b, i);
    for (int i = 0; i < m->actuation_count; i++)
        if (m->tendon_count ? m->actuations[i].handle > m->tendons[m->tendon_count - 1].handle
                            : m->handles[m->actuations[i].handle].reach)
            m->actuators[m->actuator_count++] = (jn_actuator){
                -1, m->actuations[i].handle, jn_joint_default("", JN_JOINT_REVOLUTE).coordinate[0], false, false};
    for (int i = 0; i < m->actuator_count; i++) m->outer_actuators |= is_outer(m, &m->actuators[i]);
    return JN_OK;
}

/* Rotors behind gears: entries of the diagonal of M. */
static int make_armature(jn_builder *b) {
    jn_model *m = b->m;
    for (int k = 0; k < m->joint_count; k++)
        for (int i = 0; i < m->joints[k].nv; i++) {
            const jn_handle *h = &m->handles[m->joints[k].handle + i];
            const jn_coordinate_desc *law = &m->joints[k].coordinate[i];
            double inertia = law->armature + law->motor_gear * law->motor_gear * law->motor_rotor;
            if (inertia == 0) continue;
            if (h->v < 0)
                return jn_report_add(
                    b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, m->joints[k].where, NULL,
                    "joint '%s': the inertia of a rotor ('armature', 'rotor') needs a coordinate of its own\n%s",
                    m->joints[k].name,
                    m->coordinates == JN_COORDINATES_ABSOLUTE ? "write 'coordinates: relative'"
                    : m->joints[k].link >= 0                  ? "exchange the two bodies of 'between'"
                                             : "let another joint close the loop: write 'loop: true' there");
            if (!m->armature) m->armature = jn_builder_array(b, m->nv, sizeof *m->armature);
            if (b->failed) return JN_ERR_MEMORY;
            m->armature[h->v] += inertia;
        }
    return JN_OK;
}

static bool is_driven(const jn_model *m, int handle) {
    for (int i = 0; i < m->driver_count; i++)
        if (m->drivers[i].handle == handle) return true;
    return false;
}

/* Whether a coupler of this coordinate alone holds it between two values, so that neither stops nor friction act on it: rows of theirs would repeat the coupler's, and
 * what each of them carries would not be determined. */
static bool is_held(const jn_model *m, int handle, double lower, double upper) {
    for (int i = 0; i < m->coupler_count; i++) {
        const jn_coupler *c = &m->couplers[i];
        const double *p = c->power[0];
        if (c->count != 1 || c->handle[0] != handle || c->factor[0] == 0 || p[0] != 0 || p[1] != 0 || p[2] != 0) continue;
        double x = c->reference[0] + c->constant / c->factor[0], rounding = 1e-9 * (1 + fabs(x));
        if (x >= lower - rounding && x <= upper + rounding) return true;
    }
    return false;
}

/* Dry friction is set-valued in Moreau's schemes: rows of their problem. What a driver moves does not stick. */
static int make_dry_rows(jn_builder *b) {
    jn_model *m = b->m;
    bool rows = m->run.method == JN_METHOD_NONSMOOTH && m->run.scheme != JN_SCHEME_LEAST_CONSTRAINT;
    m->dry = jn_builder_array(b, m->actuator_count, sizeof *m->dry);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->actuator_count; i++) {
        jn_actuator *a = &m->actuators[i];
        a->holds = a->law.friction > 0 && !is_driven(m, a->handle) &&
                   !is_held(m, a->handle, -INFINITY, INFINITY);
        a->dry = rows && a->holds;
        if (a->dry) m->dry[m->dry_count++] = i;
    }
    return JN_OK;
}

static bool has_stop(const jn_coordinate_desc *c) {
    return (c->has_lower || c->has_upper) && !(c->limit_stiffness > 0);
}

/* Stops without a stiffness are rigid: the nonsmooth method holds them, the others pass them by, which is reported once. */
static void add_stop(jn_builder *b, jn_stop stop, const jn_coordinate_desc *c) {
    jn_model *m = b->m;
    if (!has_stop(c)) return;
    if (m->run.method == JN_METHOD_NONSMOOTH) {
        stop.lower = c->has_lower ? c->lower : -INFINITY, stop.upper = c->has_upper ? c->upper : INFINITY;
        if (!is_held(m, stop.handle, stop.lower, stop.upper)) m->stops[m->stop_count++] = stop;
    } else if (m->run.analysis == JN_ANALYSIS_DYNAMIC && !b->passed_stop) {
        b->passed_stop = true;
        jn_report_add(
            b->report, JN_SEVERITY_WARNING, JN_OK, jn_stop_where(m, &stop), NULL,
            "%s '%s': a stop without a stiffness is rigid, and only method nonsmooth holds it; it is passed by, as "
            "are others of its kind\nadd 'limit_stiffness: 1e4', or write 'method: nonsmooth' in run",
            jn_stop_kind(&stop), jn_stop_name(m, &stop));
    }
}

static int make_stops(jn_builder *b) {
    jn_model *m = b->m;
    m->stops = jn_builder_array(b, m->handle_count, sizeof *m->stops);
    if (b->failed) return JN_ERR_MEMORY;
    for (int k = 0; k < m->joint_count; k++)
        for (int i = 0; i < m->joints[k].nv; i++)
            add_stop(b, (jn_stop){.joint = k, .handle = m->joints[k].handle + i}, &m->joints[k].coordinate[i]);
    for (int i = 0; i < m->tendon_count; i++)
        add_stop(b, (jn_stop){.joint = -1, .handle = m->tendons[i].handle}, &b->d->tendons[i].law);
    return JN_OK;
}

static int make_points(jn_builder *b) {
    jn_model *m = b->m;
    m->point_count = b->d->point_count;
    m->points = jn_builder_array(b, m->point_count, sizeof *m->points);
    m->signal_count = b->d->signal_count;
    m->signals = jn_builder_array(b, m->signal_count, sizeof *m->signals);
    m->signal_handle = jn_builder_array(b, m->signal_count, sizeof *m->signal_handle);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->point_count; i++) {
        const jn_point_desc *p = &b->d->points[i];
        jn_mat3 axes = q4_norm(p->orientation) > 0 ? q4_matrix(q4_unit(p->orientation)) : m3_identity();
        m->points[i] = (jn_point){jn_builder_text(b, p->name), jn_builder_link_side(b, p->body, p->at, &axes)};
    }
    for (int i = 0; i < m->signal_count; i++) {
        m->signals[i] = b->d->signals[i];
        m->signal_handle[i] =
            m->signals[i].body ? -1 : m->joints[m->signals[i].joint].handle + m->signals[i].coordinate;
    }
    return JN_OK;
}

/* The coordinate or length that a sensor reads, and its range. */
static void read_law(const jn_model *m, const jn_sensor_desc *s, const jn_description *d, jn_sensor *to) {
    const jn_coordinate_desc *law = NULL;
    if (s->joint >= 0) to->handle = m->joints[s->joint].handle + s->coordinate, law = &d->joints[s->joint].coordinate[s->coordinate];
    if (s->tendon >= 0) to->handle = m->tendons[s->tendon].handle, law = &d->tendons[s->tendon].law;
    to->lower = law && law->has_lower ? law->lower : -INFINITY, to->upper = law && law->has_upper ? law->upper : INFINITY;
}

static bool has_shape(const jn_description *d, int body, const char *name) {
    const jn_body_desc *b = &d->bodies[body];
    for (int i = b->shape_first; i < b->shape_first + b->shape_count; i++)
        if (!name || (d->shapes[i].name && !strcmp(d->shapes[i].name, name))) return true;
    return false;
}

static int check_sensor(const jn_builder *b, const jn_sensor_desc *s) {
    const jn_description *d = b->d;
    bool through = s->type == JN_SENSOR_FORCE || s->type == JN_SENSOR_TORQUE;
    if (through && b->m->coordinates == JN_COORDINATES_ABSOLUTE)
        return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, s->where, NULL,
                             "sensor '%s': force and torque sensors need a tree of joints\n"
                             "write 'coordinates: relative', or look at the channels of the joint",
                             s->name);
    jn_sensor_on on = jn_sensor_type_info(s->type)->on;
    for (int k = 0; k < 2 && (on == JN_SENSOR_ON_PAIR || on == JN_SENSOR_ON_CONTACT); k++) {
        int body = k ? s->other : s->body;
        if (on == JN_SENSOR_ON_CONTACT && !s->shape[k]) continue;
        if (!has_shape(d, body, s->shape[k]))
            return jn_report_add(b->report, JN_SEVERITY_ERROR, JN_ERR_MODEL, s->where, NULL,
                                 "sensor '%s': body '%s' has no shape%s%s\nadd one to its 'shapes'", s->name,
                                 d->bodies[body].name, s->shape[k] ? " " : "", s->shape[k] ? s->shape[k] : "");
    }
    return JN_OK;
}

static int make_sensors(jn_builder *b) {
    jn_model *m = b->m;
    m->sensor_count = b->d->sensor_count;
    m->sensors = jn_builder_array(b, m->sensor_count, sizeof *m->sensors);
    if (b->failed) return JN_ERR_MEMORY;
    for (int i = 0; i < m->sensor_count; i++) {
        const jn_sensor_desc *s = &b->d->sensors[i];
        m->sensors[i] = (jn_sensor){.name = jn_builder_text(b, s->name),
                                    .where = s->where,
                                    .type = s->type,
                                    .point = s->point,
                                    .reference = s->reference,
                                    .handle = -1,
                                    .actuator = s->actuator,
                                    .body = s->body,
                                    .other = s->other,
                                    .cutoff = s->cutoff,
                                    .offset = s->offset,
                                    .field = s->field,
                                    .zone = s->zone,
                                    .zone_size = s->zone_size,
                                    .count = jn_sensor_count(s),
                                    .subtree = {s->subtree[0], s->subtree[1]},
                                    .data = s->data,
                                    .reduce = s->reduce,
                                    .slots = s->slots,
                                    .focal = {s->focal[0], s->focal[1]},
                                    .resolution = {s->resolution[0], s->resolution[1]}};
        for (int k = 0; k < 2; k++) m->sensors[i].shape[k] = s->shape[k] ? jn_builder_text(b, s->shape[k]) : NULL;
        read_law(m, s, b->d, &m->sensors[i]);
        if (check_sensor(b, s) < 0) return JN_ERR_MODEL;
    }
    return JN_OK;
}

int jn_build_elements(jn_builder *b) {
    int status = make_forces(b);
    if (status == JN_OK) status = jn_build_actuators(b);
    if (status == JN_OK) status = make_actuators(b);
    if (status == JN_OK) status = make_armature(b);
    if (status == JN_OK) status = make_dry_rows(b);
    if (status == JN_OK) status = make_stops(b);
    if (status == JN_OK) status = make_points(b);
    if (status == JN_OK) status = make_sensors(b);
    return status;
}

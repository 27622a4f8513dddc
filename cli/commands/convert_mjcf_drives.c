/* MJCF: tendons with what acts along them, actuators and sensors. */
#include "commands/convert_mjcf.h"

#include <string.h>

static const jn_joint_desc *joint_of(const converter *c, int joint) { return &c->d->joints[joint]; }

bool convert_has_one_coordinate(const jn_joint_desc *j) {
    return j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC;
}

/* ----------------------------------------------------------------------------------------------------------- tendons */

static void put_terms(converter *c, int count, const int *joint, const double *factor) {
    for (int i = 0; i < count; i++)
        fprintf(c->out, "      <joint joint=\"%s\" coef=\"%.16g\"/>\n", joint_of(c, joint[i])->name, factor[i]);
}

/* Points of a path are sites, spheres and cylinders geoms: TENDON_path_K, and TENDON_side_K. */
static void put_path(converter *c, const jn_tendon_desc *t) {
    for (int i = 0; i < t->path_count; i++) {
        const jn_path_desc *p = &t->path[i];
        if (p->kind == JN_PATH_PULLEY) {
            fprintf(c->out, "      <pulley divisor=\"%.16g\"/>\n", p->divisor);
        } else if (p->kind == JN_PATH_POINT) {
            fprintf(c->out, "      <site site=\"%s_path_%d\"/>\n", t->name, i);
        } else {
            fprintf(c->out, "      <geom geom=\"%s_path_%d\"", t->name, i);
            if (p->has_side) fprintf(c->out, " sidesite=\"%s_side_%d\"", t->name, i);
            fputs("/>\n", c->out);
        }
    }
}

void convert_force_range(converter *c, jn_actuator_on on, int index) {
    for (int i = 0; i < c->d->actuator_count; i++) {
        const jn_actuator_desc *a = &c->d->actuators[i];
        if (a->on != on || !a->has_total_range || (on == JN_ACTUATOR_JOINT ? a->joint : a->tendon) != index) continue;
        fprintf(c->out, " actuatorfrcrange=\"%.16g %.16g\"", a->total_range[0], a->total_range[1]);
        return;
    }
}

static void put_along(converter *c, const jn_tendon_desc *t) {
    const jn_coordinate_desc *q = &t->law;
    if (q->has_lower || q->has_upper)
        fprintf(c->out, " range=\"%.16g %.16g\"", q->has_lower ? q->lower : -1e9, q->has_upper ? q->upper : 1e9);
    if (q->stiffness != 0) fprintf(c->out, " stiffness=\"%.16g\"", q->stiffness);
    if (q->stiffness != 0 && (!t->path_count || t->has_rest))
        fprintf(c->out, " springlength=\"%.16g %.16g\"", q->rest, q->rest + q->slack);
    if (q->damping != 0) fprintf(c->out, " damping=\"%.16g\"", q->damping);
    if (q->friction != 0) fprintf(c->out, " frictionloss=\"%.16g\"", q->friction);
    convert_force_range(c, JN_ACTUATOR_TENDON, (int)(t - c->d->tendons));
}

static bool is_only_bounded(const jn_coordinate_desc *q) {
    return q->has_upper && !q->has_lower && q->limit_stiffness == 0 && q->stiffness == 0 && q->damping == 0 &&
           q->friction == 0 && !jn_function_given(q->force);
}

/* Direction of an axis of a rotation's point as drawn. */
static jn_quat axes_of(const converter *c, const jn_path_desc *p) {
    return q4_mul(convert_body_pose(c, p->body).q,
                  q4_norm(p->orientation) > 0 ? q4_unit(p->orientation) : q4_identity());
}

const jn_tendon_desc *convert_cone(const converter *c, const jn_joint_desc *j) {
    for (int k = 0; k < c->d->tendon_count; k++) {
        const jn_tendon_desc *t = &c->d->tendons[k];
        if (!t->is_rotation || t->is_swing || t->path[0].body != j->body[0] || t->path[1].body != j->body[1] ||
            !is_only_bounded(&t->law))
            continue;
        if (v3_norm(q4_log(q4_mul(q4_conj(axes_of(c, &t->path[0])), axes_of(c, &t->path[1])))) < 1e-9) return t;
    }
    return NULL;
}

bool convert_is_cone_point(const converter *c, const char *name) {
    for (int k = 0; k < c->d->joint_count; k++) {
        const jn_joint_desc *j = &c->d->joints[k];
        size_t n = strlen(j->name);
        bool own = !strncmp(j->name, name, n) && (!strcmp(name + n, "_socket") || !strcmp(name + n, "_ball"));
        if (own && j->type == JN_JOINT_SPHERICAL && convert_cone(c, j)) return true;
    }
    return false;
}

/* Whether it is written as the range of a ball joint; other rotations have no counterpart. */
static bool is_rotation(converter *c, const jn_tendon_desc *t) {
    bool cone = false;
    for (int k = 0; t->is_rotation && k < c->d->joint_count; k++)
        cone |= c->d->joints[k].type == JN_JOINT_SPHERICAL && !convert_closes_loop(c, k) &&
                convert_cone(c, &c->d->joints[k]) == t;
    if (t->is_rotation && !cone)
        convert_refuse(c, t->where, "tendon", t->name, "MJCF has angles in space as ranges of ball joints alone");
    return t->is_rotation;
}

void convert_mjcf_tendons(converter *c) {
    const jn_description *d = c->d;
    fputs("  <tendon>\n", c->out);
    for (int k = 0; k < d->coupler_count; k++) {
        if (!convert_is_long(&d->couplers[k])) continue;
        fprintf(c->out, "    <fixed name=\"%s_sum\">\n", d->couplers[k].name);
        put_terms(c, d->couplers[k].count, d->couplers[k].joint, d->couplers[k].factor);
        fputs("    </fixed>\n", c->out);
    }
    for (int k = 0; k < d->tendon_count; k++) {
        const jn_tendon_desc *t = &d->tendons[k];
        const char *kind = t->path_count ? "spatial" : "fixed";
        if (is_rotation(c, t)) continue;
        fprintf(c->out, "    <%s name=\"%s\"", kind, t->name);
        put_along(c, t), fputs(">\n", c->out);
        if (t->path_count)
            put_path(c, t);
        else
            put_terms(c, t->count, t->joint, t->factor);
        fprintf(c->out, "    </%s>\n", kind);
    }
    fputs("  </tendon>\n", c->out);
}

/* A site of its own, unless a point has its name: that of an earlier conversion. */
static void put_place(converter *c, int indent, const char *name, const char *kind, int number, jn_vec3 at, jn_quat q) {
    char own[200];
    snprintf(own, sizeof own, "%.90s_%s_%d", name, kind, number);
    for (int i = 0; i < c->d->point_count; i++)
        if (!strcmp(c->d->points[i].name, own)) return;
    fprintf(c->out, "%*s<site name=\"%s\"", indent, "", own);
    convert_vector(c, "pos", at);
    if (q4_norm(q) > 0) fprintf(c->out, " quat=\"%.16g %.16g %.16g %.16g\"", q.w, q.x, q.y, q.z);
    fputs("/>\n", c->out);
}

void convert_mjcf_places(converter *c, int body, int indent) {
    const jn_description *d = c->d;
    const jn_quat none = {0, 0, 0, 0};
    for (int k = 0; k < d->tendon_count; k++)
        for (int i = 0; !d->tendons[k].is_rotation && i < d->tendons[k].path_count; i++) {
            const jn_path_desc *p = &d->tendons[k].path[i];
            const char *name = d->tendons[k].name;
            if (p->has_side && p->side_body == body)
                put_place(c, indent, name, "side", i, p->side, none);
            if (p->kind == JN_PATH_PULLEY || p->body != body) continue;
            if (p->kind == JN_PATH_POINT) {
                put_place(c, indent, name, "path", i, p->at, none);
                continue;
            }
            bool sphere = p->kind == JN_PATH_SPHERE;
            fprintf(c->out, "%*s<geom name=\"%s_path_%d\" type=\"%s\" size=\"%.16g%s\"", indent, "", name, i,
                    sphere ? "sphere" : "cylinder", p->radius, sphere ? "" : " 1");
            convert_vector(c, "pos", p->at);
            jn_quat q = p->orientation;
            if (!sphere && q4_norm(q) > 0) fprintf(c->out, " quat=\"%.16g %.16g %.16g %.16g\"", q.w, q.x, q.y, q.z);
            fputs(" contype=\"0\" conaffinity=\"0\" mass=\"0\"/>\n", c->out);
        }
    for (int k = 0; k < d->actuator_count; k++)
        for (int side = 0; side < 2; side++) {
            const jn_actuator_desc *a = &d->actuators[k];
            bool placed = a->on == JN_ACTUATOR_PLACE || a->on == JN_ACTUATOR_CRANK;
            if (placed && a->body[side] == body)
                put_place(c, indent, a->name, "place", side, a->at[side], a->orientation[side]);
        }
}

/* --------------------------------------------------------------------------------------------------------- actuators */

static void put_actuator(converter *c, jn_where where, const char *kind, const char *name,
                         const jn_coordinate_desc *q) {
    double k[3];
    if (!jn_function_given(q->force) && !q->has_motor) return;
    if (convert_drive(c, q, k))
        fprintf(c->out,
                "    <general name=\"%s_drive\" %s=\"%s\" gainprm=\"1\" biastype=\"affine\" "
                "biasprm=\"%.16g %.16g %.16g\"/>\n",
                name, kind, name, k[0], k[1], k[2]);
    else
        convert_refuse(c, where, kind, name, "its force is not linear in the coordinate and its rate");
}

static void put_range(converter *c, const char *name, bool given, const double *range) {
    if (given) fprintf(c->out, " %s=\"%.16g %.16g\"", name, range[0], range[1]);
}

/* Why an actuator of the model has no counterpart; NULL if it has one. */
static const char *why_not(const converter *c, const jn_actuator_desc *a) {
    double k[3];
    bool at_reference = a->measures && !a->force_on_second && !a->torque_on_second;
    bool at_point = !a->measures && a->force_on_second && a->torque_on_second && a->body[0] == JN_GROUND;
    if (a->on == JN_ACTUATOR_PLACE && !at_reference && !at_point)
        return "MJCF has forces along axes of the point, or of its reference";
    if (a->on == JN_ACTUATOR_ADHESION && (a->reach > 0 || a->body[1] == JN_GROUND))
        return "adhesion across a gap, and of the ground, is written as YAML alone";
    if (a->on == JN_ACTUATOR_JOINT && !convert_has_one_coordinate(joint_of(c, a->joint)))
        return "it acts along something that MJCF is not given";
    if (!convert_is_affine(c, a->control, k) || k[0] != 0 || k[1] != 0 || k[2] != 0)
        return "its control is not 0: in MJCF controls come from the program that runs it";
    if (a->is_motor) return "motors are written as YAML alone";
    if (a->activation == JN_ACTIVATION_ERROR || a->feed != 0) return "PID controllers are written as YAML alone";
    if (a->has_total_range && a->on != JN_ACTUATOR_JOINT && a->on != JN_ACTUATOR_TENDON) return "MJCF has ranges of all actuators of a joint or tendon";
    if (a->start != 0) return "its activation is not 0 at the start";
    return NULL;
}

/* An actuator that only holds the range of a joint: in MJCF the range is the joint's own. */
static bool holds_range(const jn_actuator_desc *a) {
    bool idle = !a->is_muscle && !a->is_elastic && a->feed == 0;
    for (int k = 0; k < 3; k++) idle &= a->gain[k] == 0 && a->bias[k] == 0;
    return idle && a->on == JN_ACTUATOR_JOINT && a->has_total_range;
}

static void put_curves(converter *c, const jn_actuator_desc *a) {
    const jn_muscle_desc *m = &a->muscle;
    double shift = a->gear * a->offset;
    char text[300];
    snprintf(text, sizeof text, "%.16g %.16g %.16g %.16g %.16g %.16g %.16g %.16g %.16g", m->range[0], m->range[1],
             m->force, m->scale, m->shortest, m->longest, m->fastest, m->passive_force, m->lengthening_force);
    fprintf(c->out, " lengthrange=\"%.16g %.16g\"", m->lengths[0] - shift, m->lengths[1] - shift);
    if (a->is_muscle) fprintf(c->out, " gaintype=\"muscle\" gainprm=\"%s\"", text);
    if (a->is_elastic) fprintf(c->out, " biastype=\"muscle\" biasprm=\"%s\"", text);
}

/* What it acts along; places are sites of their own. */
static void put_transmission(converter *c, const jn_actuator_desc *a) {
    const char *n = a->name;
    if (a->on == JN_ACTUATOR_CRANK) {
        fprintf(c->out, " cranksite=\"%s_place_1\" slidersite=\"%s_place_0\" cranklength=\"%.16g\" gear=\"%.16g\"", n, n,
                a->rod, a->gear);
    } else if (a->on == JN_ACTUATOR_ADHESION) {
        fprintf(c->out, " body=\"%s\" gear=\"%.16g\"", c->d->bodies[a->body[1]].name, a->gear);
    } else if (a->on == JN_ACTUATOR_PLACE) {
        double g = a->gear;
        fprintf(c->out, " site=\"%s_place_1\"", n);
        if (a->measures) fprintf(c->out, " refsite=\"%s_place_0\"", n);
        fprintf(c->out, " gear=\"%.16g %.16g %.16g %.16g %.16g %.16g\"", g * a->force.x, g * a->force.y, g * a->force.z,
                g * a->torque.x, g * a->torque.y, g * a->torque.z);
    } else {
        fprintf(c->out, " %s=\"%s\" gear=\"%.16g\"", a->on == JN_ACTUATOR_TENDON ? "tendon" : "joint",
                a->on == JN_ACTUATOR_TENDON ? c->d->tendons[a->tendon].name : joint_of(c, a->joint)->name, a->gear);
    }
}

/* MJCF's lengths are gear x: the offset of ours is part of gain and bias. */
static void put_general(converter *c, const jn_actuator_desc *a) {
    static const char *const activation[] = {[JN_ACTIVATION_NONE] = "none",
                                             [JN_ACTIVATION_INTEGRATOR] = "integrator",
                                             [JN_ACTIVATION_FILTER] = "filter",
                                             [JN_ACTIVATION_MUSCLE] = "muscle"};
    double shift = a->gear * a->offset;
    const char *reason = why_not(c, a);
    if (reason) {
        convert_refuse(c, a->where, "actuator", a->name, reason);
        return;
    }
    fprintf(c->out, "    <general name=\"%s\"", a->name);
    put_transmission(c, a);
    fprintf(c->out, " dyntype=\"%s\" dynprm=\"%.16g %.16g %.16g\"", activation[a->activation], a->time[0], a->time[1],
            a->smoothing);
    if (a->is_muscle || a->is_elastic) put_curves(c, a);
    if (!a->is_muscle)
        fprintf(c->out, " gaintype=\"affine\" gainprm=\"%.16g %.16g %.16g\"", a->gain[0] + a->gain[1] * shift,
                a->gain[1], a->gain[2]);
    if (!a->is_elastic)
        fprintf(c->out, " biastype=\"affine\" biasprm=\"%.16g %.16g %.16g\"", a->bias[0] + a->bias[1] * shift,
                a->bias[1], a->bias[2]);
    put_range(c, "ctrlrange", a->has_control_range, a->control_range);
    put_range(c, "forcerange", a->has_force_range, a->force_range);
    put_range(c, "actrange", a->has_activation_range, a->activation_range);
    fputs("/>\n", c->out);
}

void convert_mjcf_actuators(converter *c) {
    const jn_description *d = c->d;
    fputs("  <actuator>\n", c->out);
    for (int k = 0; k < d->actuator_count; k++)
        if (!holds_range(&d->actuators[k])) put_general(c, &d->actuators[k]);
    for (int k = 0; k < d->joint_count; k++)
        if (convert_has_one_coordinate(&d->joints[k]) && !convert_closes_loop(c, k))
            put_actuator(c, d->joints[k].where, "joint", d->joints[k].name, &d->joints[k].coordinate[0]);
    for (int k = 0; k < d->tendon_count; k++)
        put_actuator(c, d->tendons[k].where, "tendon", d->tendons[k].name, &d->tendons[k].law);
    fputs("  </actuator>\n", c->out);
}

/* ----------------------------------------------------------------------------------------------------------- sensors */

/* Why a sensor has no counterpart; NULL if it has one. */
static const char *why_no_sensor(const converter *c, const jn_sensor_desc *s) {
    jn_sensor_on on = jn_sensor_type_info(s->type)->on;
    if (s->offset != 0) return "its offset";
    if (on == JN_SENSOR_ON_ROTATION) return "two points where MJCF names a joint";
    if (on == JN_SENSOR_ON_JOINT && !convert_has_one_coordinate(joint_of(c, s->joint))) return "its joint";
    if (on == JN_SENSOR_ON_ACTUATOR && why_not(c, &c->d->actuators[s->actuator])) return "its actuator";
    return NULL;
}

static const char *body_name(const converter *c, int body) {
    return body == JN_GROUND ? "world" : c->d->bodies[body].name;
}

/* The point whose zone a sensor has; -1: it has none. */
static int zone_point(const jn_sensor_desc *s) {
    jn_sensor_on on = jn_sensor_type_info(s->type)->on;
    return on == JN_SENSOR_ON_ZONE || on == JN_SENSOR_ON_CONTACT ? s->point : on == JN_SENSOR_ON_INSIDE ? s->reference : -1;
}

/* The first sensor with a zone about a point gives the point's site its form; NULL: there is none. */
static const jn_sensor_desc *owner_of(const converter *c, int point) {
    for (int k = 0; k < c->d->sensor_count; k++)
        if (zone_point(&c->d->sensors[k]) == point) return &c->d->sensors[k];
    return NULL;
}

static void put_form(converter *c, const jn_sensor_desc *s) {
    fprintf(c->out, " type=\"%s\" size=\"%.16g %.16g %.16g\"", jn_shape_type_info(s->zone)->name, s->zone_size.x,
            s->zone_size.y, s->zone_size.z);
}

void convert_mjcf_form(converter *c, int point) {
    const jn_sensor_desc *owner = owner_of(c, point);
    if (owner) put_form(c, owner);
}

/* The camera of a sensor, at its reference. MuJoCo keeps the angle of view in double precision, other lenses in single precision. */
static void put_camera(converter *c, const jn_sensor_desc *s, int indent) {
    const jn_point_desc *p = &c->d->points[s->reference];
    const double *f = s->focal, *r = s->resolution;
    fprintf(c->out, "%*s<camera name=\"%s_camera\" resolution=\"%.16g %.16g\"", indent, "", s->name, r[0], r[1]);
    if (f[0] == f[1])
        fprintf(c->out, " fovy=\"%.17g\"", atan(0.5 * r[1] / f[1]) * (360 / M_PI));
    else
        fprintf(c->out, " sensorsize=\"%.16g %.16g\" focalpixel=\"%.16g %.16g\"", r[0], r[1], f[0], f[1]);
    convert_vector(c, "pos", p->at);
    if (q4_norm(p->orientation) > 0)
        fprintf(c->out, " quat=\"%.16g %.16g %.16g %.16g\"", p->orientation.w, p->orientation.x, p->orientation.y, p->orientation.z);
    fputs("/>\n", c->out);
}

/* Sites of the other sensors with zones about points of a body, and its cameras. */
void convert_mjcf_zones(converter *c, int body, int indent) {
    for (int k = 0; k < c->d->sensor_count; k++) {
        const jn_sensor_desc *s = &c->d->sensors[k];
        int point = zone_point(s);
        if (s->type == JN_SENSOR_CAMERA && c->d->points[s->reference].body == body) put_camera(c, s, indent);
        if (point < 0 || c->d->points[point].body != body || owner_of(c, point) == s) continue;
        jn_quat q = c->d->points[point].orientation;
        fprintf(c->out, "%*s<site name=\"%s_zone\"", indent, "", s->name);
        put_form(c, s), convert_vector(c, "pos", c->d->points[point].at);
        if (q4_norm(q) > 0) fprintf(c->out, " quat=\"%.16g %.16g %.16g %.16g\"", q.w, q.x, q.y, q.z);
        fputs("/>\n", c->out);
    }
}

static void put_zone(converter *c, const jn_sensor_desc *s) {
    int point = zone_point(s);
    if (owner_of(c, point) == s)
        fprintf(c->out, " site=\"%s\"", c->d->points[point].name);
    else
        fprintf(c->out, " site=\"%s_zone\"", s->name);
}

/* What touches what, and what is read of it. */
static void put_touching(converter *c, const jn_sensor_desc *s) {
    static const char *const data[] = {"found", "force", "torque", "dist", "pos", "normal", "tangent"};
    static const char *const reduce[] = {"none", "mindist", "maxforce", "netforce"};
    for (int k = 0; k < 2; k++) {
        int body = k ? s->other : s->body;
        if (body < 0) continue;
        fprintf(c->out, " %s%d=\"%s\"", s->subtree[k] ? "subtree" : s->shape[k] ? "geom" : "body", k + 1,
                s->shape[k] ? s->shape[k] : body_name(c, body));
    }
    if (s->point >= 0) put_zone(c, s);
    fputs(" data=\"", c->out);
    const char *between = "";
    for (int k = 0; k < 7; k++)
        if (s->data >> k & 1) fprintf(c->out, "%s%s", between, data[k]), between = " ";
    fprintf(c->out, "\" reduce=\"%s\" num=\"%d\"", reduce[s->reduce], s->slots);
}

static void put_target(converter *c, const jn_sensor_desc *s) {
    const jn_description *d = c->d;
    switch (jn_sensor_type_info(s->type)->on) {
    case JN_SENSOR_ON_POINT: fprintf(c->out, " site=\"%s\"", d->points[s->point].name); break;
    case JN_SENSOR_ON_ZONE: put_zone(c, s); break;
    case JN_SENSOR_ON_INSIDE:
        put_zone(c, s);
        fprintf(c->out, " objtype=\"site\" objname=\"%s\"", d->points[s->point].name);
        break;
    case JN_SENSOR_ON_FRAME:
        fprintf(c->out, " objtype=\"site\" objname=\"%s\"", d->points[s->point].name);
        if (s->reference >= 0) fprintf(c->out, " reftype=\"site\" refname=\"%s\"", d->points[s->reference].name);
        break;
    case JN_SENSOR_ON_JOINT: fprintf(c->out, " joint=\"%s\"", joint_of(c, s->joint)->name); break;
    case JN_SENSOR_ON_TENDON: fprintf(c->out, " tendon=\"%s\"", d->tendons[s->tendon].name); break;
    case JN_SENSOR_ON_ACTUATOR: fprintf(c->out, " actuator=\"%s\"", d->actuators[s->actuator].name); break;
    case JN_SENSOR_ON_BODY: fprintf(c->out, " body=\"%s\"", body_name(c, s->body)); break;
    case JN_SENSOR_ON_IMAGE:
        fprintf(c->out, " site=\"%s\" camera=\"%s_camera\"", d->points[s->point].name, s->name);
        break;
    case JN_SENSOR_ON_CONTACT: put_touching(c, s); break;
    case JN_SENSOR_ON_PAIR:
        for (int k = 0; k < 2; k++)
            fprintf(c->out, " %s%d=\"%s\"", s->shape[k] ? "geom" : "body", k + 1,
                    s->shape[k] ? s->shape[k] : body_name(c, k ? s->other : s->body));
        break;
    default: break;
    }
}

void convert_mjcf_sensors(converter *c) {
    fputs("  <sensor>\n", c->out);
    for (int k = 0; k < c->d->sensor_count; k++) {
        const jn_sensor_desc *s = &c->d->sensors[k];
        const char *reason = why_no_sensor(c, s);
        if (reason) {
            convert_remark("sensor '%s' is left out: MJCF has no place for %s", s->name, reason);
            continue;
        }
        fprintf(c->out, "    <%s name=\"%s\"", jn_sensor_type_info(s->type)->name, s->name);
        put_target(c, s);
        if (s->cutoff > 0) fprintf(c->out, " cutoff=\"%.16g\"", s->cutoff);
        fputs("/>\n", c->out);
    }
    fputs("  </sensor>\n", c->out);
}

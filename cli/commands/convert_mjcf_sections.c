/* MJCF beside its bodies: loops and couplers as equalities, tendons, actuators, excluded contacts, the state at the start. */
#include "commands/convert_mjcf.h"

#include <string.h>

static const jn_joint_desc *joint_of(const converter *c, int joint) { return &c->d->joints[joint]; }

static bool has_one_coordinate(const jn_joint_desc *j) {
    return j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC;
}

/* Axes of a joint on a body: z along its axis, x along the second one, as far as it is normal to z. */
static jn_mat3 axes_of(jn_vec3 axis, jn_vec3 axis2) {
    jn_vec3 z = v3_norm(axis) > 0 ? v3_unit(axis) : v3(0, 0, 1), x = v3_axpy(-v3_dot(axis2, z), z, axis2);
    x = v3_unit(v3_norm(x) < 1e-9 ? v3_any_normal(z) : x);
    return m3_from_columns(x, v3_cross(z, x), z);
}

/* The second body as the first one sees it when a weld holds: R = E_1 E_2^T, p = p_1 - R p_2. */
static convert_pose weld_pose(const converter *c, const jn_joint_desc *j) {
    const jn_joint_frame *f = j->frame;
    convert_pose a = convert_body_pose(c, j->body[0]), b = convert_body_pose(c, j->body[1]);
    if (!j->local) return convert_inside(a, b.p, b.q);
    jn_mat3 E1 = axes_of(f[0].axis, f[0].axis2);
    bool both = v3_norm(f[0].axis2) > 0 && v3_norm(f[1].axis2) > 0;
    jn_vec3 drawn = q4_rotate(q4_conj(b.q), q4_rotate(a.q, m3_column(&E1, 0)));
    jn_mat3 E2 = axes_of(f[1].axis, both ? f[1].axis2 : drawn), back = m3_transpose(&E2), R = m3_mul(&E1, &back);
    return (convert_pose){v3_sub(f[0].at, m3_mul_v(&R, f[1].at)), q4_from_matrix(&R)};
}

static void put_loop(converter *c, const jn_joint_desc *j) {
    const char *first = j->body[0] == JN_GROUND ? "world" : c->d->bodies[j->body[0]].name,
               *second = j->body[1] == JN_GROUND ? "world" : c->d->bodies[j->body[1]].name;
    bool in_plane = convert_loop_in_plane(c, j);
    if (j->type == JN_JOINT_FIXED) {
        convert_pose x = weld_pose(c, j);
        fprintf(c->out,
                "    <weld name=\"%s\" body1=\"%s\" body2=\"%s\" relpose=\"%.16g %.16g %.16g %.16g %.16g %.16g %.16g\"/>\n",
                j->name, first, second, x.p.x, x.p.y, x.p.z, x.q.w, x.q.x, x.q.y, x.q.z);
    } else if (j->type == JN_JOINT_SPHERICAL ||
               ((j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_POINT_ON_LINE) && in_plane))
        fprintf(c->out, "    <connect name=\"%s\" site1=\"%s_end_1\" site2=\"%s_end_2\"/>\n", j->name, j->name,
                j->name);
    else
        convert_forbid(c, j->where, "joint", j->name,
                       "MJCF closes loops at points, and by hinges where the whole loop moves in a plane");
}

/* A sum over a tendon of its own. */
static bool is_long(const jn_coupler_desc *k) { return k->count > 2; }

/* Why MJCF has no such relation: y = polynomial of x, between two joints or two tendons; or a linear sum of joints. NULL: it has. */
static const char *no_equality(const converter *c, const jn_coupler_desc *k) {
    bool linear = true, joints = false, tendons = false;
    for (int i = 0; i < k->count; i++) {
        if (!k->tendon[i] && !has_one_coordinate(joint_of(c, k->joint[i]))) return "MJCF couples hinges and slides";
        *(k->tendon[i] ? &tendons : &joints) = true, linear = linear && convert_is_linear(k, i);
    }
    if (joints && tendons) return "MJCF couples joints with joints, and tendons with tendons";
    if (is_long(k) && (tendons || !linear)) return "MJCF has polynomials of one joint or tendon";
    if (k->count == 2 && !convert_is_linear(k, 0) && !convert_is_linear(k, 1)) return "MJCF has polynomials of one joint or tendon";
    if (k->count == 1 && !linear) return "MJCF holds a joint or tendon alone at a number";
    return NULL;
}

static const char *term_name(const converter *c, const jn_coupler_desc *k, int term) {
    return k->tendon[term] ? c->d->tendons[k->tendon[term] - 1].name : joint_of(c, k->joint[term])->name;
}

static void put_coupler(converter *c, const jn_coupler_desc *k) {
    const char *reason = no_equality(c, k), *kind = k->tendon[0] ? "tendon" : "joint";
    if (reason) {
        convert_forbid(c, k->where, "coupler", k->name, reason);
        return;
    }
    double sum = convert_held_at(c, k);
    if (is_long(k)) {
        fprintf(c->out, "    <tendon name=\"%s\" tendon1=\"%s_sum\" polycoef=\"%.16g 0 0 0 0\"/>\n", k->name, k->name,
                sum);
        return;
    }
    int y = k->count == 2 && !convert_is_linear(k, 0), x = !y;
    double f = -1 / k->factor[y];
    fprintf(c->out, "    <%s name=\"%s\" %s1=\"%s\"", kind, k->name, kind, term_name(c, k, y));
    if (k->count == 2)
        fprintf(c->out, " %s2=\"%s\" polycoef=\"%.16g %.16g %.16g %.16g %.16g\"/>\n", kind, term_name(c, k, x), -f * sum,
                f * k->factor[x], f * k->power[x][0], f * k->power[x][1], f * k->power[x][2]);
    else
        fprintf(c->out, " polycoef=\"%.16g 0 0 0 0\"/>\n", -f * sum);
}

static void put_terms(converter *c, int count, const int *joint, const double *factor) {
    for (int i = 0; i < count; i++)
        fprintf(c->out, "      <joint joint=\"%s\" coef=\"%.16g\"/>\n", joint_of(c, joint[i])->name, factor[i]);
    fputs("    </fixed>\n", c->out);
}

static void put_tendons(converter *c) {
    const jn_description *d = c->d;
    fputs("  <tendon>\n", c->out);
    for (int k = 0; k < d->coupler_count; k++) {
        if (!is_long(&d->couplers[k])) continue;
        fprintf(c->out, "    <fixed name=\"%s_sum\">\n", d->couplers[k].name);
        put_terms(c, d->couplers[k].count, d->couplers[k].joint, d->couplers[k].factor);
    }
    for (int k = 0; k < d->tendon_count; k++) {
        const jn_tendon_desc *t = &d->tendons[k];
        const jn_coordinate_desc *q = &t->law;
        if (t->path_count) {
            convert_refuse(c, t->where, "tendon", t->name, "tendons along paths are written as YAML alone");
            continue;
        }
        fprintf(c->out, "    <fixed name=\"%s\"", t->name);
        if (q->has_lower || q->has_upper)
            fprintf(c->out, " range=\"%.16g %.16g\"", q->has_lower ? q->lower : -1e9, q->has_upper ? q->upper : 1e9);
        if (q->stiffness != 0) fprintf(c->out, " stiffness=\"%.16g\" springlength=\"%.16g\"", q->stiffness, q->rest);
        if (q->damping != 0) fprintf(c->out, " damping=\"%.16g\"", q->damping);
        if (q->friction != 0) fprintf(c->out, " frictionloss=\"%.16g\"", q->friction);
        fputs(">\n", c->out);
        put_terms(c, t->count, t->joint, t->factor);
    }
    fputs("  </tendon>\n", c->out);
}

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
    if (a->on != JN_ACTUATOR_JOINT && a->on != JN_ACTUATOR_TENDON)
        return "actuators at places and on slider-cranks are written as YAML alone";
    if (a->on == JN_ACTUATOR_TENDON ? c->d->tendons[a->tendon].path_count > 0
                                    : !has_one_coordinate(joint_of(c, a->joint)))
        return "it acts along something that MJCF is not given";
    if (!convert_is_affine(c, a->control, k) || k[0] != 0 || k[1] != 0 || k[2] != 0)
        return "its control is not 0: in MJCF controls come from the program that runs it";
    if (a->activation == JN_ACTIVATION_ERROR || a->feed != 0) return "PID controllers are written as YAML alone";
    if (a->has_total_range) return "the range of a sum of actuators is written as YAML alone";
    if (a->start != 0) return "its activation is not 0 at the start";
    return NULL;
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
    fprintf(c->out, "    <general name=\"%s\" %s=\"%s\" gear=\"%.16g\" dyntype=\"%s\" dynprm=\"%.16g %.16g %.16g\"",
            a->name, a->on == JN_ACTUATOR_TENDON ? "tendon" : "joint",
            a->on == JN_ACTUATOR_TENDON ? c->d->tendons[a->tendon].name : joint_of(c, a->joint)->name, a->gear,
            activation[a->activation], a->time[0], a->time[1], a->smoothing);
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

static void put_actuators(converter *c) {
    const jn_description *d = c->d;
    fputs("  <actuator>\n", c->out);
    for (int k = 0; k < d->actuator_count; k++) put_general(c, &d->actuators[k]);
    for (int k = 0; k < d->joint_count; k++)
        if (has_one_coordinate(&d->joints[k]) && !convert_closes_loop(c, k))
            put_actuator(c, d->joints[k].where, "joint", d->joints[k].name, &d->joints[k].coordinate[0]);
    for (int k = 0; k < d->tendon_count; k++)
        if (!d->tendons[k].path_count)
            put_actuator(c, d->tendons[k].where, "tendon", d->tendons[k].name, &d->tendons[k].law);
    fputs("  </actuator>\n", c->out);
}

static void put_excludes(converter *c) {
    const jn_description *d = c->d;
    int pairs = 0;
    fputs("  <contact>\n", c->out);
    for (int k = 0; k < d->no_contact_count; k++) {
        const int *p = d->no_contact[k];
        fprintf(c->out, "    <exclude body1=\"%s\" body2=\"%s\"/>\n",
                p[0] == JN_GROUND ? "world" : d->bodies[p[0]].name, p[1] == JN_GROUND ? "world" : d->bodies[p[1]].name);
    }
    fputs("  </contact>\n", c->out);
    for (int k = 0; k < d->contact_count; k++) pairs += d->contacts[k].is_pair;
    if (pairs) convert_remark("laws for single pairs of bodies (contacts with 'between', %d) are left out", pairs);
}

static void remark_start(const converter *c) {
    const jn_description *d = c->d;
    for (int k = 0; k < d->joint_count; k++)
        for (int i = 0; i < jn_joint_type_info(d->joints[k].type)->nv; i++)
            if (d->joints[k].coordinate[i].position != 0 || d->joints[k].coordinate[i].speed != 0) {
                convert_remark("the state at the start is left out: coordinates are 0 as drawn");
                return;
            }
}

void convert_mjcf_sections(converter *c) {
    const jn_description *d = c->d;
    fputs("  <equality>\n", c->out);
    for (int k = 0; k < d->joint_count; k++)
        if (convert_closes_loop(c, k)) put_loop(c, &d->joints[k]);
    for (int k = 0; k < d->coupler_count; k++) put_coupler(c, &d->couplers[k]);
    fputs("  </equality>\n", c->out);
    put_tendons(c);
    put_actuators(c);
    put_excludes(c);
    if (d->sensor_count) convert_remark("sensors (%d) are left out", d->sensor_count);
    remark_start(c);
}

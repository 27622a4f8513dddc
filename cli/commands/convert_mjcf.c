/* A model as MJCF: nested bodies with their joints, inertias, shapes and sites. A massless body between two joints becomes a second
 * joint of the body that it carries, as MuJoCo has it. */
#include "commands/convert_mjcf.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------------------- numbers */

static void put_pose(converter *c, convert_pose x) {
    convert_vector(c, "pos", x.p);
    if (fabs(x.q.x) + fabs(x.q.y) + fabs(x.q.z) > 1e-15)
        fprintf(c->out, " quat=\"%.16g %.16g %.16g %.16g\"", x.q.w, x.q.x, x.q.y, x.q.z);
}

static void put_number(converter *c, const char *attribute, double x) {
    if (x != 0) fprintf(c->out, " %s=\"%.16g\"", attribute, x);
}

static void indent(const converter *c, int depth) { fprintf(c->out, "%*s", 2 * depth + 4, ""); }

/* ------------------------------------------------------------------------------------------------------------ shapes */

/* Numbers of a list in lines of a few. */
static void put_list(converter *c, const char *attribute, const double *x, int count) {
    fprintf(c->out, " %s=\"", attribute);
    for (int i = 0; i < count; i++) fprintf(c->out, "%s%.16g", !i ? "" : i % 12 ? " " : "\n        ", x[i]);
    fputc('"', c->out);
}

void convert_mjcf_assets(converter *c) {
    const jn_description *d = c->d;
    fputs("  <asset>\n", c->out);
    for (int i = 0; i < d->shape_count; i++) {
        const jn_shape_desc *s = &d->shapes[i];
        if (s->type == JN_SHAPE_HULL) {
            fprintf(c->out, "    <mesh name=\"mesh_%d\" inertia=\"convex\"", i);
            put_list(c, "vertex", &s->points[0].x, 3 * s->point_count);
            fputs("/>\n", c->out);
        } else if (s->type == JN_SHAPE_HEIGHTFIELD) {
            double high = 0;
            int rows = s->grid[1], columns = s->grid[0];
            for (int k = 0; k < rows * columns; k++) high = fmax(high, s->heights[k]);
            fprintf(c->out, "    <hfield name=\"hfield_%d\" nrow=\"%d\" ncol=\"%d\" size=\"%.16g %.16g %.16g 1\"", i,
                    rows, columns, 0.5 * s->size.x, 0.5 * s->size.y, high > 0 ? high : 1);
            fputs(" elevation=\"", c->out);
            for (int r = rows - 1; r >= 0; r--) /* the first row of MJCF has the largest y */
                for (int k = 0; k < columns; k++)
                    fprintf(c->out, "%.16g%s", s->heights[r * columns + k], k == columns - 1 ? "\n        " : " ");
            fputs("\"/>\n", c->out);
        }
    }
    fputs("  </asset>\n", c->out);
}

static bool put_form(converter *c, const jn_body_desc *b, int index, int depth) {
    const jn_shape_desc *s = &c->d->shapes[index];
    jn_vec3 z = s->size;
    static const bool held[JN_SHAPE_TYPES] = {
        [JN_SHAPE_SPHERE] = true,  [JN_SHAPE_BOX] = true,        [JN_SHAPE_CYLINDER] = true,
        [JN_SHAPE_CAPSULE] = true, [JN_SHAPE_ELLIPSOID] = true,  [JN_SHAPE_PLANE] = true,
        [JN_SHAPE_HULL] = true,    [JN_SHAPE_HEIGHTFIELD] = true};
    if (!held[s->type]) {
        convert_refuse(c, s->where, "shape of body", b->name,
                       "MJCF has spheres, boxes, cylinders, capsules, ellipsoids, planes, hulls and height fields");
        return false;
    }
    indent(c, depth);
    switch (s->type) {
    case JN_SHAPE_SPHERE: fprintf(c->out, "<geom type=\"sphere\" size=\"%.16g\"", z.x); break;
    case JN_SHAPE_BOX:
        fprintf(c->out, "<geom type=\"box\" size=\"%.16g %.16g %.16g\"", 0.5 * z.x, 0.5 * z.y, 0.5 * z.z);
        break;
    case JN_SHAPE_CYLINDER: fprintf(c->out, "<geom type=\"cylinder\" size=\"%.16g %.16g\"", z.x, 0.5 * z.y); break;
    case JN_SHAPE_CAPSULE: fprintf(c->out, "<geom type=\"capsule\" size=\"%.16g %.16g\"", z.x, 0.5 * z.y); break;
    case JN_SHAPE_ELLIPSOID:
        fprintf(c->out, "<geom type=\"ellipsoid\" size=\"%.16g %.16g %.16g\"", z.x, z.y, z.z);
        break;
    case JN_SHAPE_PLANE: fputs("<geom type=\"plane\" size=\"0 0 1\"", c->out); break;
    case JN_SHAPE_HULL: fprintf(c->out, "<geom type=\"mesh\" mesh=\"mesh_%d\"", index); break;
    default: fprintf(c->out, "<geom type=\"hfield\" hfield=\"hfield_%d\"", index);
    }
    return true;
}

static const jn_contact_desc *material_of(const jn_description *d, const jn_shape_desc *s) {
    for (int i = 0; i < d->contact_count; i++) {
        const jn_contact_desc *m = &d->contacts[i];
        if (!m->is_pair && (s->contact ? !strcmp(s->contact, m->name) : m->joint < 0)) return m;
    }
    return NULL;
}

/* Friction, and the damping ratio of a spring and damper that returns as much: z = -ln e / sqrt(pi^2 + ln^2 e). */
static void put_material(converter *c, const jn_contact_desc *m) {
    if (!m) return;
    double e = m->restitution, mu = isnan(m->friction) ? 0 : m->friction;
    bool spins = m->spinning > 0, rolls = m->rolling > 0;
    fprintf(c->out, " condim=\"%d\"", rolls ? 6 : spins ? 4 : mu > 0 ? 3 : 1);
    fprintf(c->out, " friction=\"%.16g %.16g %.16g\"", mu, spins ? m->spinning : 0, rolls ? m->rolling : 0);
    if (e > 0) fprintf(c->out, " solref=\"0.02 %.16g\"", fmax(1e-3, -log(e) / hypot(M_PI, log(e))));
}

static void put_shapes(converter *c, int body, convert_pose frame, int depth) {
    const jn_body_desc *b = &c->d->bodies[body];
    for (int i = b->shape_first; i < b->shape_first + b->shape_count; i++) {
        const jn_shape_desc *s = &c->d->shapes[i];
        if (!put_form(c, b, i, depth)) continue;
        convert_pose own = convert_body_pose(c, body);
        jn_vec3 p = v3_add(own.p, q4_rotate(own.q, s->at));
        put_pose(c, convert_inside(frame, p, q4_mul(own.q, s->orientation)));
        if (s->name) fprintf(c->out, " name=\"%s\"", s->name);
        if (s->layer != 1 || s->touches != UINT32_MAX)
            fprintf(c->out, " contype=\"%u\" conaffinity=\"%u\"", s->layer & 0x7fffffffu, s->touches & 0x7fffffffu);
        if (s->adhesion > 0) fprintf(c->out, " adhesion=\"%.16g\" gap=\"%.16g\"", s->adhesion, s->adhesion_reach);
        jn_vec3 v = s->surface_velocity, w = s->surface_rotation;
        if (v3_norm(v) > 0 || v3_norm(w) > 0)
            fprintf(c->out, " surfacevel=\"%.16g %.16g %.16g %.16g %.16g %.16g\"", v.x, v.y, v.z, w.x, w.y, w.z);
        put_material(c, material_of(c->d, s));
        fputs(b->mass > 0 && body != JN_GROUND ? "/>\n" : " mass=\"0\"/>\n", c->out);
    }
}

/* ------------------------------------------------------------------------------------------------------------ joints */

static void put_one_joint(converter *c, const jn_joint_desc *j, const char *ending, const char *type, jn_vec3 at,
                          jn_vec3 axis, int coordinate) {
    const jn_coordinate_desc *q = &j->coordinate[coordinate];
    const double far = 1e9; /* a range has two ends */
    fprintf(c->out, "<joint name=\"%s%s\" type=\"%s\"", j->name, ending, type);
    convert_vector(c, "pos", at);
    if (type[0] != 'b') convert_vector(c, "axis", axis);
    const jn_tendon_desc *cone = type[0] == 'b' ? convert_cone(c, j) : NULL;
    if (cone) fprintf(c->out, " range=\"0 %.16g\"", cone->law.upper);
    if (q->has_lower || q->has_upper)
        fprintf(c->out, " range=\"%.16g %.16g\"", q->has_lower ? q->lower : -far, q->has_upper ? q->upper : far);
    put_number(c, "stiffness", q->stiffness);
    if (q->stiffness != 0) put_number(c, "springref", q->rest);
    put_number(c, "damping", q->damping);
    put_number(c, "frictionloss", q->friction);
    double rotor = q->has_motor ? q->motor_gear * q->motor_gear * q->motor_rotor : 0;
    put_number(c, "armature", q->armature + rotor);
    convert_force_range(c, JN_ACTUATOR_JOINT, (int)(j - c->d->joints));
    fputs("/>\n", c->out);
}

/* The joint, seen from the frame of the body that is written. */
static void put_joint(converter *c, const jn_joint_desc *j, convert_pose frame, int depth) {
    jn_vec3 at, axis;
    if (j->type == JN_JOINT_FIXED) return;
    indent(c, depth);
    if (j->type == JN_JOINT_FREE) {
        fprintf(c->out, "<freejoint name=\"%s\"/>\n", j->name);
        return;
    }
    if (!convert_joint_place(c, j, &at, &axis)) return;
    jn_vec3 p = convert_inside(frame, at, q4_identity()).p, a = q4_rotate(q4_conj(frame.q), axis);
    switch (j->type) {
    case JN_JOINT_REVOLUTE: put_one_joint(c, j, "", "hinge", p, a, 0); break;
    case JN_JOINT_PRISMATIC: put_one_joint(c, j, "", "slide", p, a, 0); break;
    case JN_JOINT_SPHERICAL: put_one_joint(c, j, "", "ball", p, a, 0); break;
    case JN_JOINT_CYLINDRICAL:
        put_one_joint(c, j, "_1", "slide", p, a, 0), indent(c, depth);
        put_one_joint(c, j, "_2", "hinge", p, a, 1);
        break;
    default:
        convert_forbid(c, j->where, "joint", j->name,
                       "MJCF has revolute, prismatic, cylindrical, spherical, fixed and free ones");
    }
}

/* ------------------------------------------------------------------------------------------------------------ bodies */

static bool turns_or_slides(const converter *c, int joint) {
    return joint >= 0 && c->d->joints[joint].type != JN_JOINT_FIXED && c->d->joints[joint].type != JN_JOINT_FREE;
}

/* A massless body that only joins two joints. */
static bool is_helper(const converter *c, int body) {
    const jn_body_desc *b = &c->d->bodies[body];
    if (body == JN_GROUND || b->mass > 0 || b->shape_count || c->children[body] != 1 ||
        !turns_or_slides(c, c->carrier[body]))
        return false;
    for (int i = 1; i < c->d->body_count; i++)
        if (c->carrier[i] >= 0 && c->d->joints[c->carrier[i]].body[0] == body && !turns_or_slides(c, c->carrier[i]))
            return false;
    for (int i = 0; i < c->d->point_count; i++)
        if (c->d->points[i].body == body) return false;
    for (int k = 0; k < c->d->tendon_count; k++)
        for (int i = 0; i < c->d->tendons[k].path_count; i++)
            if (c->d->tendons[k].path[i].body == body || c->d->tendons[k].path[i].side_body == body) return false;
    for (int i = 0; i < c->d->joint_count; i++)
        if (convert_closes_loop(c, i) && (c->d->joints[i].body[0] == body || c->d->joints[i].body[1] == body))
            return false;
    return true;
}

static void put_inertial(converter *c, const jn_body_desc *b, int depth) {
    const jn_sym3 *J = &b->inertia;
    if (!(b->mass > 0)) return;
    indent(c, depth), fputs("<inertial", c->out);
    convert_vector(c, "pos", b->com);
    fprintf(c->out, " mass=\"%.16g\" fullinertia=\"%.16g %.16g %.16g %.16g %.16g %.16g\"/>\n", b->mass, J->xx, J->yy,
            J->zz, J->xy, J->xz, J->yz);
}

static void put_sites(converter *c, int body, int depth) {
    for (int i = 0; i < c->d->point_count; i++) {
        const jn_point_desc *p = &c->d->points[i];
        if (p->body != body || convert_is_cone_point(c, p->name)) continue;
        jn_quat q = p->orientation;
        indent(c, depth), fprintf(c->out, "<site name=\"%s\"", p->name);
        put_pose(c, (convert_pose){p->at, q4_norm(q) > 0 ? q : q4_identity()});
        convert_mjcf_form(c, i), fputs("/>\n", c->out);
    }
    convert_mjcf_places(c, body, 2 * depth + 4);
    convert_mjcf_zones(c, body, 2 * depth + 4);
    for (int i = 0; i < c->d->joint_count; i++) /* ends of loops */
        for (int k = 0; convert_closes_loop(c, i) && k < 2; k++) {
            const jn_joint_desc *j = &c->d->joints[i];
            if (j->body[k] != body || j->type == JN_JOINT_FIXED) continue;
            indent(c, depth), fprintf(c->out, "<site name=\"%s_end_%d\"", j->name, k + 1);
            convert_vector(c, "pos", convert_joint_end(c, j, k)), fputs("/>\n", c->out);
        }
}

/* Joints from the one that hangs on the last written body to that of this one. */
static void put_joints(converter *c, int body, int parent, convert_pose frame, int depth) {
    int k = c->carrier[body];
    if (k < 0) {
        indent(c, depth), fputs("<freejoint/>\n", c->out);
        return;
    }
    if (c->d->joints[k].body[0] != parent) put_joints(c, c->d->joints[k].body[0], parent, frame, depth);
    put_joint(c, &c->d->joints[k], frame, depth);
}

static void put_bodies_on(converter *c, int carrier, int parent, int depth);

static void put_body(converter *c, int body, int parent, int depth) {
    const jn_body_desc *b = &c->d->bodies[body];
    convert_pose outer = convert_body_pose(c, parent), own = convert_body_pose(c, body);
    indent(c, depth), fprintf(c->out, "<body name=\"%s\"", b->name);
    put_pose(c, convert_inside(outer, own.p, own.q)), fputs(">\n", c->out);
    put_inertial(c, b, depth + 1);
    put_joints(c, body, parent, own, depth + 1);
    put_shapes(c, body, own, depth + 1);
    put_sites(c, body, depth + 1);
    put_bodies_on(c, body, body, depth + 1);
    indent(c, depth), fputs("</body>\n", c->out);
}

/* All that hangs on a body; what hangs on a helper stands in the body that carries it. */
static void put_bodies_on(converter *c, int carrier, int parent, int depth) {
    for (int i = 1; i < c->d->body_count; i++) {
        int k = c->carrier[i];
        if ((k < 0 ? JN_GROUND : c->d->joints[k].body[0]) != carrier) continue;
        if (is_helper(c, i))
            put_bodies_on(c, i, parent, depth);
        else
            put_body(c, i, parent, depth);
    }
}

int cli_write_mjcf(const jn_description *d, const char *path, bool lenient) {
    converter c;
    if (!convert_begin(&c, d, "MJCF", lenient)) return CLI_BAD_INPUT;
    convert_refuse_forces(&c);
    fprintf(c.out,
            "<mujoco model=\"%s\">\n  <compiler angle=\"radian\" autolimits=\"true\" inertiafromgeom=\"auto\"/>\n",
            convert_title(d));
    fprintf(c.out, "  <option timestep=\"%.16g\"", d->run.step > 0 ? d->run.step : 0.002);
    convert_vector(&c, "gravity", d->gravity), fputs("/>\n", c.out);
    convert_mjcf_assets(&c);
    fputs("  <worldbody>\n", c.out);
    put_shapes(&c, JN_GROUND, convert_body_pose(&c, JN_GROUND), 0);
    put_sites(&c, JN_GROUND, 0);
    put_bodies_on(&c, JN_GROUND, JN_GROUND, 0);
    fputs("  </worldbody>\n", c.out);
    convert_mjcf_sections(&c);
    fputs("</mujoco>\n", c.out);
    return convert_end(&c, path);
}

/* A model as SDF (Gazebo): links where they are drawn, joints between them, loops included, and the ground as a static model. */
#include "commands/command_convert.h"
#include "commands/convert_robot.h"

#include <string.h>

static void put_pose(converter *c, const char *indent, convert_pose x, const char *relative_to) {
    jn_vec3 p = x.p;
    fprintf(c->out, "%s<pose", indent);
    if (relative_to) fprintf(c->out, " relative_to=\"%s\"", relative_to);
    fprintf(c->out, " rotation_format=\"quat_xyzw\">%.16g %.16g %.16g  %.16g %.16g %.16g %.16g</pose>\n",
            convert_clean(p.x), convert_clean(p.y), convert_clean(p.z), x.q.x, x.q.y, x.q.z, x.q.w);
}

static void put_number(converter *c, const char *indent, const char *tag, double x) {
    fprintf(c->out, "%s<%s>%.16g</%s>\n", indent, tag, x, tag);
}

/* ------------------------------------------------------------------------------------------------------------- links */

static bool form_of(const jn_shape_desc *s, char *text, size_t size) {
    jn_vec3 z = s->size;
    switch (s->type) {
    case JN_SHAPE_SPHERE: snprintf(text, size, "<sphere><radius>%.16g</radius></sphere>", z.x); break;
    case JN_SHAPE_BOX: snprintf(text, size, "<box><size>%.16g %.16g %.16g</size></box>", z.x, z.y, z.z); break;
    case JN_SHAPE_CYLINDER:
        snprintf(text, size, "<cylinder><radius>%.16g</radius><length>%.16g</length></cylinder>", z.x, z.y);
        break;
    case JN_SHAPE_CONE:
        snprintf(text, size, "<cone><radius>%.16g</radius><length>%.16g</length></cone>", z.x, z.y);
        break;
    case JN_SHAPE_CAPSULE:
        snprintf(text, size, "<capsule><radius>%.16g</radius><length>%.16g</length></capsule>", z.x, z.y);
        break;
    case JN_SHAPE_ELLIPSOID:
        snprintf(text, size, "<ellipsoid><radii>%.16g %.16g %.16g</radii></ellipsoid>", z.x, z.y, z.z);
        break;
    case JN_SHAPE_PLANE: snprintf(text, size, "<plane><normal>0 0 1</normal></plane>"); break;
    default: return false;
    }
    return true;
}

static void put_surface(converter *c, const jn_shape_desc *s) {
    const jn_description *d = c->d;
    for (int i = 0; i < d->contact_count; i++) {
        const jn_contact_desc *m = &d->contacts[i];
        if (m->is_pair || m->joint >= 0 || (s->contact && strcmp(s->contact, m->name))) continue;
        double mu = isnan(m->friction) ? 0 : m->friction, e = isnan(m->restitution) ? 0 : m->restitution;
        fprintf(c->out, "          <surface><friction><ode><mu>%.16g</mu></ode></friction>", mu);
        fprintf(c->out, "<bounce><restitution_coefficient>%.16g</restitution_coefficient></bounce></surface>\n", e);
        return;
    }
}

static void put_shapes(converter *c, int body) {
    const jn_body_desc *b = &c->d->bodies[body];
    for (int i = b->shape_first; i < b->shape_first + b->shape_count; i++) {
        const jn_shape_desc *s = &c->d->shapes[i];
        char text[300];
        if (!form_of(s, text, sizeof text)) {
            convert_refuse(
                c, s->where, "shape of body", b->name,
                "SDF has spheres, boxes, cylinders, capsules, cones, ellipsoids and planes; others need a mesh file");
            continue;
        }
        fprintf(c->out, "        <collision name=\"collision_%d\">\n", i);
        jn_vec3 up = s->type == JN_SHAPE_CONE ? v3(0, 0, 0.5 * s->size.y) : v3(0, 0, 0); /* SDF counts from halfway up */
        put_pose(c, "          ", (convert_pose){v3_add(s->at, q4_norm(s->orientation) > 0 ? q4_rotate(s->orientation, up) : up), s->orientation}, NULL);
        fprintf(c->out, "          <geometry>%s</geometry>\n", text);
        put_surface(c, s);
        fputs("        </collision>\n", c->out);
    }
}

static void put_link(converter *c, int body) {
    static const char *const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const jn_body_desc *b = &c->d->bodies[body];
    const double *J = &b->inertia.xx;
    fprintf(c->out, "      <link name=\"%s\">\n", b->name);
    put_pose(c, "        ", convert_body_pose(c, body), NULL);
    fputs("        <inertial>\n", c->out);
    put_pose(c, "          ", (convert_pose){b->com, q4_identity()}, NULL);
    put_number(c, "          ", "mass", b->mass);
    fputs("          <inertia>", c->out);
    for (int k = 0; k < 6; k++) fprintf(c->out, "<%s>%.16g</%s>", keys[k], J[k], keys[k]);
    fputs("</inertia>\n        </inertial>\n", c->out);
    put_shapes(c, body);
    fputs("      </link>\n", c->out);
}

/* ------------------------------------------------------------------------------------------------------------ joints */

/* A point on a line in a loop that moves in a plane is a hinge. */
static const char *type_of(const converter *c, const jn_joint_desc *j) {
    switch (j->type) {
    case JN_JOINT_POINT_ON_LINE: return convert_loop_in_plane(c, j) ? "revolute" : NULL;
    case JN_JOINT_FIXED: return "fixed";
    case JN_JOINT_REVOLUTE: return "revolute";
    case JN_JOINT_PRISMATIC: return "prismatic";
    case JN_JOINT_SPHERICAL: return "ball";
    case JN_JOINT_SCREW: return "screw";
    case JN_JOINT_UNIVERSAL: return "universal";
    default: return NULL;
    }
}

static void put_axis(converter *c, const jn_joint_desc *j, jn_vec3 axis) {
    const jn_coordinate_desc *q = &j->coordinate[0];
    const double none = 1e16; /* as SDF writes a limit that binds nothing */
    fputs("        <axis>\n", c->out);
    fprintf(c->out, "          <xyz expressed_in=\"__model__\">%.16g %.16g %.16g</xyz>\n", convert_clean(axis.x),
            convert_clean(axis.y), convert_clean(axis.z));
    fprintf(c->out, "          <limit><lower>%.16g</lower><upper>%.16g</upper></limit>\n",
            q->has_lower ? q->lower : -none, q->has_upper ? q->upper : none);
    fprintf(c->out,
            "          <dynamics><damping>%.16g</damping><friction>%.16g</friction><spring_stiffness>%.16g"
            "</spring_stiffness><spring_reference>%.16g</spring_reference></dynamics>\n",
            q->damping, q->friction, q->stiffness, q->stiffness != 0 ? q->rest : 0);
    for (int k = 0; k < c->d->coupler_count; k++) {
        const jn_coupler_desc *m = &c->d->couplers[k];
        if (m->count != 2 || !convert_mimics(m) || &c->d->joints[m->joint[0]] != j) continue;
        double factor = -m->factor[1] / m->factor[0];
        const jn_joint_desc *of = &c->d->joints[m->joint[1]];
        fprintf(c->out,
                "          <mimic joint=\"%s\"><multiplier>%.16g</multiplier><offset>%.16g</offset><reference>0"
                "</reference></mimic>\n",
                of->name, factor, convert_held_at(c, m) / m->factor[0]);
    }
    fputs("        </axis>\n", c->out);
}

/* The axis on the first body and that on the second, as drawn. */
static void put_two_axes(converter *c, const jn_joint_desc *j) {
    for (int k = 0; k < 2; k++) {
        jn_vec3 a = k ? j->frame[1].axis2 : j->frame[0].axis;
        if (j->local) a = q4_rotate(convert_body_pose(c, j->body[k]).q, a);
        fprintf(c->out, "        <axis%s><xyz expressed_in=\"__model__\">%.16g %.16g %.16g</xyz></axis%s>\n", k ? "2" : "", convert_clean(a.x),
                convert_clean(a.y), convert_clean(a.z), k ? "2" : "");
    }
}

static void check_joint(converter *c, const jn_joint_desc *j) {
    for (int i = 0; i < jn_joint_type_info(j->type)->nv; i++) {
        const jn_coordinate_desc *q = &j->coordinate[i];
        double k[3] = {0};
        if (q->armature != 0 || (q->has_motor && q->motor_rotor != 0))
            convert_refuse(c, j->where, "inertia of the rotor of joint", j->name, "SDF has none ('armature')");
        if ((q->has_motor || jn_function_given(q->force)) &&
            (!convert_drive(c, q, k) || k[0] != 0 || k[1] != 0 || k[2] != 0))
            convert_refuse(c, j->where, "motor of joint", j->name, "SDF has motors in plugins of Gazebo alone");
    }
}

static void put_joint(converter *c, int index) {
    const jn_joint_desc *j = &c->d->joints[index];
    jn_vec3 at, axis;
    if (j->type == JN_JOINT_FREE && !convert_closes_loop(c, index)) return; /* a link that no joint carries is free */
    if (!type_of(c, j)) {
        convert_forbid(c, j->where, "joint", j->name, "SDF has revolute, prismatic, screw, universal, ball and fixed ones");
        return;
    }
    if (!convert_joint_place(c, j, &at, &axis)) return;
    check_joint(c, j);
    fprintf(c->out, "      <joint name=\"%s\" type=\"%s\">\n", j->name, type_of(c, j));
    put_pose(c, "        ", (convert_pose){at, q4_identity()}, "__model__");
    for (int k = 0; k < 2; k++) {
        const char *tag = k ? "child" : "parent";
        fprintf(c->out, "        <%s>%s</%s>\n", tag, j->body[k] == JN_GROUND ? "world" : c->d->bodies[j->body[k]].name,
                tag);
    }
    if (j->type == JN_JOINT_SCREW) put_number(c, "        ", "screw_thread_pitch", j->pitch);
    if (j->type == JN_JOINT_UNIVERSAL)
        put_two_axes(c, j);
    else if (jn_joint_type_info(j->type)->needs_axis)
        put_axis(c, j, axis);
    fputs("      </joint>\n", c->out);
}

/* --------------------------------------------------------------------------------------------------------- the whole */

static void check_model(converter *c) {
    const jn_description *d = c->d;
    convert_refuse_forces(c);
    convert_refuse_surfaces(c);
    convert_refuse_actuators(c);
    for (int k = 0; k < d->tendon_count; k++)
        convert_refuse(c, d->tendons[k].where, "tendon", d->tendons[k].name, "SDF has none");
    for (int k = 0; k < d->coupler_count; k++)
        if (d->couplers[k].count != 2 || !convert_mimics(&d->couplers[k]))
            convert_forbid(c, d->couplers[k].where, "coupler", d->couplers[k].name,
                           "SDF couples two joints linearly (mimic)");
    if (d->point_count) convert_remark("SDF has no points: they are left out");
}

int cli_write_sdf(const jn_description *d, const char *path, bool lenient) {
    converter c;
    if (!convert_begin(&c, d, "SDF", lenient)) return CLI_BAD_INPUT;
    check_model(&c);
    fprintf(c.out, "<?xml version=\"1.0\"?>\n<sdf version=\"1.11\">\n  <world name=\"world\">\n");
    fprintf(c.out, "    <gravity>%.16g %.16g %.16g</gravity>\n", d->gravity.x, d->gravity.y, d->gravity.z);
    fprintf(c.out, "    <model name=\"%s\">\n", convert_title(d));
    for (int i = 1; i < d->body_count; i++) put_link(&c, i);
    for (int k = 0; k < d->joint_count; k++) put_joint(&c, k);
    fputs("    </model>\n", c.out);
    if (d->bodies[JN_GROUND].shape_count) {
        fputs("    <model name=\"ground\">\n      <static>true</static>\n      <link name=\"ground_link\">\n", c.out);
        put_shapes(&c, JN_GROUND);
        fputs("      </link>\n    </model>\n", c.out);
    }
    fputs("  </world>\n</sdf>\n", c.out);
    return convert_end(&c, path);
}

/* A model as URDF: links at their joints, inertias, limits, damping, friction and shapes. What URDF cannot hold is an error, by
 * name; what it has no words for, and what does not change the mechanism, is reported. */
#include "commands/command_convert.h"

#include "commands/convert_robot.h"
#include <string.h>

/* Roll, pitch and yaw about fixed axes. */
static jn_vec3 to_rpy(jn_quat q) {
    jn_mat3 R = q4_matrix(q);
    double c = hypot(R.m[0], R.m[3]);
    if (c > 1e-12) return v3(atan2(R.m[7], R.m[8]), atan2(-R.m[6], c), atan2(R.m[3], R.m[0]));
    return v3(atan2(-R.m[5], R.m[4]), atan2(-R.m[6], c), 0);
}

static void put_origin(converter *c, const char *indent, convert_pose x) {
    fprintf(c->out, "%s<origin", indent);
    convert_vector(c, "xyz", x.p);
    convert_vector(c, "rpy", to_rpy(x.q));
    fputs("/>\n", c->out);
}

/* A link's frame stands at the joint that carries it. */
static convert_pose link_pose(converter *c, int body) {
    const jn_body_desc *b = &c->d->bodies[body];
    int k = c->carrier[body];
    jn_vec3 at = b->at, axis;
    if (body == JN_GROUND) return (convert_pose){v3(0, 0, 0), q4_identity()};
    if (k >= 0 && (c->d->joints[k].type == JN_JOINT_REVOLUTE || c->d->joints[k].type == JN_JOINT_PRISMATIC))
        convert_joint_place(c, &c->d->joints[k], &at, &axis);
    return (convert_pose){at, b->orientation};
}

/* ------------------------------------------------------------------------------------------------------------- links */

static void put_collision(converter *c, convert_pose at, const char *name, const char *geometry) {
    fputs("    <collision", c->out);
    if (name) fprintf(c->out, " name=\"%s\"", name);
    fputs(">\n", c->out);
    put_origin(c, "      ", at);
    fprintf(c->out, "      <geometry>%s</geometry>\n    </collision>\n", geometry);
}

static void put_shape(converter *c, const jn_body_desc *b, const jn_shape_desc *s, convert_pose link) {
    char text[200];
    jn_vec3 p = v3_add(b->at, q4_rotate(b->orientation, s->at));
    convert_pose at = convert_inside(link, p, q4_mul(b->orientation, s->orientation));
    switch (s->type) {
    case JN_SHAPE_SPHERE: snprintf(text, sizeof text, "<sphere radius=\"%.16g\"/>", s->size.x); break;
    case JN_SHAPE_BOX:
        snprintf(text, sizeof text, "<box size=\"%.16g %.16g %.16g\"/>", s->size.x, s->size.y, s->size.z);
        break;
    case JN_SHAPE_CYLINDER:
    case JN_SHAPE_CAPSULE:
        snprintf(text, sizeof text, "<cylinder radius=\"%.16g\" length=\"%.16g\"/>", s->size.x, s->size.y);
        break;
    default:
        convert_refuse(c, s->where, "body", b->name,
                       "URDF has spheres, boxes and cylinders; other shapes need a mesh file");
        return;
    }
    put_collision(c, at, s->name, text);
    if (s->type != JN_SHAPE_CAPSULE) return;
    snprintf(text, sizeof text, "<sphere radius=\"%.16g\"/>", s->size.x);
    for (int end = -1; end <= 1; end += 2) /* with its two ends the cylinder is the capsule */
        put_collision(c, (convert_pose){v3_add(at.p, q4_rotate(at.q, v3(0, 0, 0.5 * end * s->size.y))), at.q}, NULL,
                      text);
}

static void put_link(converter *c, int body) {
    const jn_body_desc *b = &c->d->bodies[body];
    convert_pose link = link_pose(c, body);
    fprintf(c->out, "  <link name=\"%s\">\n", body == JN_GROUND ? "world" : b->name);
    if (b->mass > 0) {
        jn_vec3 com = v3_add(b->at, q4_rotate(b->orientation, b->com));
        const jn_sym3 *J = &b->inertia;
        fputs("    <inertial>\n", c->out);
        put_origin(c, "      ", (convert_pose){convert_inside(link, com, link.q).p, q4_identity()});
        fprintf(c->out, "      <mass value=\"%.16g\"/>\n", b->mass);
        fprintf(
            c->out,
            "      <inertia ixx=\"%.16g\" ixy=\"%.16g\" ixz=\"%.16g\" iyy=\"%.16g\" iyz=\"%.16g\" izz=\"%.16g\"/>\n",
            J->xx, J->xy, J->xz, J->yy, J->yz, J->zz);
        fputs("    </inertial>\n", c->out);
    }
    for (int k = 0; k < b->shape_count; k++) put_shape(c, b, &c->d->shapes[b->shape_first + k], link);
    fputs("  </link>\n", c->out);
}

/* ------------------------------------------------------------------------------------------------------------ joints */

static const char *type_of(const jn_joint_desc *j) {
    const jn_coordinate_desc *c = &j->coordinate[0];
    switch (j->type) {
    case JN_JOINT_FIXED: return "fixed";
    case JN_JOINT_REVOLUTE: return c->has_lower && c->has_upper ? "revolute" : "continuous";
    case JN_JOINT_PRISMATIC: return "prismatic";
    case JN_JOINT_FREE: return "floating";
    default: return NULL;
    }
}

static void check_coordinate(converter *c, const jn_joint_desc *j, const jn_coordinate_desc *q) {
    double k[3];
    bool drives = jn_function_given(q->motion) || !convert_drive(c, q, k) || k[0] != 0 || k[1] != 0 || k[2] != 0;
    if (q->stiffness != 0) convert_refuse(c, j->where, "joint", j->name, "URDF has no springs ('stiffness')");
    if (q->armature != 0) convert_refuse(c, j->where, "joint", j->name, "URDF has no inertia of rotors ('armature')");
    if (drives) convert_refuse(c, j->where, "joint", j->name, "URDF has no motors, forces and drivers");
    if (q->has_lower != q->has_upper)
        convert_refuse(c, j->where, "joint", j->name, "URDF has both ends of a range or none");
    if (j->type == JN_JOINT_PRISMATIC && !q->has_lower)
        convert_remark("joint '%s': a prismatic joint of URDF has a range, here 1e9 m", j->name);
}

static bool check_joint(converter *c, int index) {
    const jn_joint_desc *j = &c->d->joints[index];
    if (convert_closes_loop(c, index)) {
        convert_forbid(c, j->where, "joint", j->name, "URDF holds trees, and this joint closes a loop");
        return false;
    }
    if (!type_of(j))
        convert_forbid(c, j->where, "joint", j->name,
                       "URDF has no such joint; it has revolute, prismatic, fixed and floating ones");
    for (int i = 0; i < jn_joint_type_info(j->type)->nv; i++) check_coordinate(c, j, &j->coordinate[i]);
    return type_of(j) != NULL;
}

static void put_mimic(converter *c, const jn_joint_desc *j) {
    for (int k = 0; k < c->d->coupler_count; k++) {
        const jn_coupler_desc *m = &c->d->couplers[k];
        if (m->count != 2 || !convert_mimics(m) || &c->d->joints[m->joint[0]] != j) continue;
        double factor = -m->factor[1] / m->factor[0];
        const jn_joint_desc *of = &c->d->joints[m->joint[1]];
        fprintf(c->out, "    <mimic joint=\"%s\" multiplier=\"%.16g\" offset=\"%.16g\"/>\n", of->name, factor,
                convert_held_at(c, m) / m->factor[0]);
    }
}

static void put_joint(converter *c, int index) {
    const jn_joint_desc *j = &c->d->joints[index];
    const jn_coordinate_desc *q = &j->coordinate[0];
    const double far = 1e9; /* [m] a prismatic joint has a range */
    jn_vec3 at, axis;
    if (!check_joint(c, index) || !convert_joint_place(c, j, &at, &axis)) return;
    convert_pose parent = link_pose(c, j->body[0]), own = link_pose(c, j->body[1]);
    fprintf(c->out, "  <joint name=\"%s\" type=\"%s\">\n", j->name, type_of(j));
    fprintf(c->out, "    <parent link=\"%s\"/>\n", j->body[0] == JN_GROUND ? "world" : c->d->bodies[j->body[0]].name);
    fprintf(c->out, "    <child link=\"%s\"/>\n", c->d->bodies[j->body[1]].name);
    put_origin(c, "    ", convert_inside(parent, own.p, own.q));
    if (j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC) {
        bool limited = q->has_lower && q->has_upper;
        fputs("    <axis", c->out);
        convert_vector(c, "xyz", q4_rotate(q4_conj(own.q), axis));
        fputs("/>\n", c->out);
        if (limited || j->type == JN_JOINT_PRISMATIC)
            fprintf(c->out, "    <limit lower=\"%.16g\" upper=\"%.16g\" effort=\"0\" velocity=\"0\"/>\n",
                    limited ? q->lower : -far, limited ? q->upper : far);
        if (q->damping != 0 || q->friction != 0)
            fprintf(c->out, "    <dynamics damping=\"%.16g\" friction=\"%.16g\"/>\n", q->damping, q->friction);
    }
    put_mimic(c, j);
    fputs("  </joint>\n", c->out);
}

/* --------------------------------------------------------------------------------------------------------- the whole */

static void check_model(converter *c) {
    const jn_description *d = c->d;
    convert_refuse_forces(c);
    convert_refuse_surfaces(c);
    convert_refuse_actuators(c);
    if (v3_norm(v3_sub(d->gravity, v3(0, 0, -9.81))) > 0)
        convert_remark("URDF has no gravity: programs take their own");
    for (int k = 0; k < d->tendon_count; k++)
        convert_refuse(c, d->tendons[k].where, "tendon", d->tendons[k].name, "URDF has none");
    for (int k = 0; k < d->coupler_count; k++)
        if (d->couplers[k].count != 2 || !convert_mimics(&d->couplers[k]))
            convert_forbid(c, d->couplers[k].where, "coupler", d->couplers[k].name,
                           "URDF couples two joints linearly (mimic)");
    if (d->contact_count)
        convert_remark("URDF says nothing of friction and restitution: the section contacts is left out");
    if (d->point_count) convert_remark("URDF has no points: they are left out");
    for (int k = 0; k < d->joint_count; k++)
        if (d->joints[k].coordinate[0].has_position && d->joints[k].coordinate[0].position != 0) {
            convert_remark("URDF has no state at the start: initial positions are left out");
            break;
        }
}

int cli_write_urdf(const jn_description *d, const char *path, bool lenient) {
    int to_ground = 0, last = -1;
    converter c;
    if (!convert_begin(&c, d, "URDF", lenient)) return CLI_BAD_INPUT;
    for (int k = 0; k < d->joint_count; k++)
        if (d->joints[k].body[0] == JN_GROUND && !convert_closes_loop(&c, k)) to_ground++, last = k;
    check_model(&c);
    bool loose = to_ground == 1 && d->joints[last].type == JN_JOINT_FREE && d->bodies[0].shape_count == 0;
    fprintf(c.out, "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n", convert_title(d));
    for (int i = loose ? 1 : 0; i < d->body_count; i++) put_link(&c, i);
    for (int k = 0; k < d->joint_count; k++)
        if (!(loose && k == last)) put_joint(&c, k);
    fputs("</robot>\n", c.out);
    return convert_end(&c, path);
}

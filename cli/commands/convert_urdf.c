/* A model as URDF: links at their joints, inertias, limits, damping, friction and shapes. What URDF cannot hold is an error, by
 * name; what it has no words for, and what does not change the mechanism, is reported. */
#include "commands/command_convert.h"

#include "algebra/vec3.h"
#include <string.h>

typedef struct urdf {
    const jn_description *d;
    FILE *out;
    int errors;
    int *carrier; /* (bodies) joint that carries the body, -1: none */
} urdf;

typedef struct pose {
    jn_vec3 p;
    jn_quat q;
} pose;

static void refuse(urdf *u, jn_where where, const char *kind, const char *name, const char *what) {
    fprintf(stderr, "%s:%d: %serror:%s %s '%s': %s\n", where.file ? where.file : "", where.line,
            cli_paint(stderr, CLI_RED), cli_paint(stderr, CLI_PLAIN), kind, name, what);
    u->errors++;
}

static void remark(const char *what) {
    fprintf(stderr, "%snote:%s %s\n", cli_paint(stderr, CLI_BLUE), cli_paint(stderr, CLI_PLAIN), what);
}

/* ---------------------------------------------------------------------------------------------------------- numbers */

static double clean(double x) { return fabs(x) < 1e-15 ? 0 : x; }

static void put_vector(urdf *u, const char *name, jn_vec3 v) {
    fprintf(u->out, " %s=\"%.15g %.15g %.15g\"", name, clean(v.x), clean(v.y), clean(v.z));
}

/* Roll, pitch and yaw about fixed axes. */
static jn_vec3 to_rpy(jn_quat q) {
    jn_mat3 R = q4_matrix(q);
    double c = hypot(R.m[0], R.m[3]);
    if (c > 1e-12) return v3(atan2(R.m[7], R.m[8]), atan2(-R.m[6], c), atan2(R.m[3], R.m[0]));
    return v3(atan2(-R.m[5], R.m[4]), atan2(-R.m[6], c), 0);
}

static void put_origin(urdf *u, const char *indent, pose x) {
    fprintf(u->out, "%s<origin", indent);
    put_vector(u, "xyz", x.p);
    put_vector(u, "rpy", to_rpy(x.q));
    fputs("/>\n", u->out);
}

static pose inside(pose a, jn_vec3 p, jn_quat q) { /* of what stands in the world, seen from a */
    jn_quat back = q4_conj(a.q);
    return (pose){q4_rotate(back, v3_sub(p, a.p)), q4_mul(back, q)};
}

/* ------------------------------------------------------------------------------------------------------------ places */

static void joint_place(const jn_description *d, const jn_joint_desc *j, jn_vec3 *at, jn_vec3 *axis) {
    const jn_body_desc *b = &d->bodies[j->body[1]];
    *at = j->frame[1].at, *axis = j->frame[1].axis;
    if (!j->local) return;
    *at = v3_add(b->at, q4_rotate(b->orientation, *at)), *axis = q4_rotate(b->orientation, *axis);
}

/* A link's frame stands at the joint that carries it. */
static pose link_pose(const urdf *u, int body) {
    const jn_body_desc *b = &u->d->bodies[body];
    int k = u->carrier[body];
    jn_vec3 at = b->at, axis;
    if (body == JN_GROUND) return (pose){v3(0, 0, 0), q4_identity()};
    if (k >= 0 && (u->d->joints[k].type == JN_JOINT_REVOLUTE || u->d->joints[k].type == JN_JOINT_PRISMATIC))
        joint_place(u->d, &u->d->joints[k], &at, &axis);
    return (pose){at, b->orientation};
}

/* ------------------------------------------------------------------------------------------------------------- links */

static void put_collision(urdf *u, pose at, const char *name, const char *geometry) {
    fputs("    <collision", u->out);
    if (name) fprintf(u->out, " name=\"%s\"", name);
    fputs(">\n", u->out);
    put_origin(u, "      ", at);
    fprintf(u->out, "      <geometry>%s</geometry>\n    </collision>\n", geometry);
}

static void put_shape(urdf *u, const jn_body_desc *b, const jn_shape_desc *s, pose link) {
    char text[200];
    jn_vec3 p = v3_add(b->at, q4_rotate(b->orientation, s->at));
    pose at = inside(link, p, q4_mul(b->orientation, s->orientation));
    switch (s->type) {
    case JN_SHAPE_SPHERE: snprintf(text, sizeof text, "<sphere radius=\"%.15g\"/>", s->size.x); break;
    case JN_SHAPE_BOX:
        snprintf(text, sizeof text, "<box size=\"%.15g %.15g %.15g\"/>", s->size.x, s->size.y, s->size.z);
        break;
    case JN_SHAPE_CYLINDER:
    case JN_SHAPE_CAPSULE:
        snprintf(text, sizeof text, "<cylinder radius=\"%.15g\" length=\"%.15g\"/>", s->size.x, s->size.y);
        break;
    default:
        refuse(u, s->where, "body", b->name, "URDF has spheres, boxes and cylinders; other shapes need a mesh file");
        return;
    }
    put_collision(u, at, s->name, text);
    if (s->type != JN_SHAPE_CAPSULE) return;
    snprintf(text, sizeof text, "<sphere radius=\"%.15g\"/>", s->size.x);
    for (int end = -1; end <= 1; end += 2) /* with its two ends the cylinder is the capsule */
        put_collision(u, (pose){v3_add(at.p, q4_rotate(at.q, v3(0, 0, 0.5 * end * s->size.y))), at.q}, NULL, text);
}

static void put_link(urdf *u, int body) {
    const jn_body_desc *b = &u->d->bodies[body];
    pose link = link_pose(u, body);
    fprintf(u->out, "  <link name=\"%s\">\n", body == JN_GROUND ? "world" : b->name);
    if (b->mass > 0) {
        jn_vec3 com = v3_add(b->at, q4_rotate(b->orientation, b->com));
        const jn_sym3 *J = &b->inertia;
        fputs("    <inertial>\n", u->out);
        put_origin(u, "      ", (pose){inside(link, com, link.q).p, q4_identity()});
        fprintf(u->out, "      <mass value=\"%.15g\"/>\n", b->mass);
        fprintf(
            u->out,
            "      <inertia ixx=\"%.15g\" ixy=\"%.15g\" ixz=\"%.15g\" iyy=\"%.15g\" iyz=\"%.15g\" izz=\"%.15g\"/>\n",
            J->xx, J->xy, J->xz, J->yy, J->yz, J->zz);
        fputs("    </inertial>\n", u->out);
    }
    for (int k = 0; k < b->shape_count; k++) put_shape(u, b, &u->d->shapes[b->shape_first + k], link);
    fputs("  </link>\n", u->out);
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

static void check_joint(urdf *u, const jn_joint_desc *j) {
    if (j->closes_loop || u->carrier[j->body[1]] != (int)(j - u->d->joints))
        refuse(u, j->where, "joint", j->name, "URDF holds trees, and this joint closes a loop");
    if (!type_of(j))
        refuse(u, j->where, "joint", j->name,
               "URDF has no such joint; it has revolute, prismatic, fixed and floating ones");
    for (int i = 0; i < jn_joint_type_info(j->type)->nv; i++) {
        const jn_coordinate_desc *c = &j->coordinate[i];
        if (c->stiffness != 0) refuse(u, j->where, "joint", j->name, "URDF has no springs ('stiffness')");
        if (c->armature != 0) refuse(u, j->where, "joint", j->name, "URDF has no inertia of rotors ('armature')");
        if (c->has_motor || jn_function_given(c->motion) ||
            (jn_function_given(c->force) && !jn_function_is_constant(c->force)))
            refuse(u, j->where, "joint", j->name, "URDF has no motors, forces and drivers");
        if (c->has_lower != c->has_upper)
            refuse(u, j->where, "joint", j->name, "URDF has both ends of a range or none");
        if (j->type == JN_JOINT_PRISMATIC && !c->has_lower)
            refuse(u, j->where, "joint", j->name, "a prismatic joint of URDF has a range");
    }
}

static void put_joint(urdf *u, const jn_joint_desc *j) {
    const jn_coordinate_desc *c = &j->coordinate[0];
    jn_vec3 at, axis;
    pose parent = link_pose(u, j->body[0]), own = link_pose(u, j->body[1]);
    joint_place(u->d, j, &at, &axis);
    fprintf(u->out, "  <joint name=\"%s\" type=\"%s\">\n", j->name, type_of(j));
    fprintf(u->out, "    <parent link=\"%s\"/>\n", j->body[0] == JN_GROUND ? "world" : u->d->bodies[j->body[0]].name);
    fprintf(u->out, "    <child link=\"%s\"/>\n", u->d->bodies[j->body[1]].name);
    put_origin(u, "    ", inside(parent, own.p, own.q));
    if (j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC) {
        fputs("    <axis", u->out);
        put_vector(u, "xyz", q4_rotate(q4_conj(own.q), axis));
        fputs("/>\n", u->out);
        if (c->has_lower)
            fprintf(u->out, "    <limit lower=\"%.15g\" upper=\"%.15g\" effort=\"0\" velocity=\"0\"/>\n", c->lower,
                    c->upper);
        if (c->damping != 0 || c->friction != 0)
            fprintf(u->out, "    <dynamics damping=\"%.15g\" friction=\"%.15g\"/>\n", c->damping, c->friction);
    }
    for (int k = 0; k < u->d->coupler_count; k++) {
        const jn_coupler_desc *m = &u->d->couplers[k];
        if (m->count != 2 || &u->d->joints[m->joint[0]] != j) continue;
        double factor = -m->factor[1] / m->factor[0];
        const jn_joint_desc *of = &u->d->joints[m->joint[1]];
        fprintf(u->out, "    <mimic joint=\"%s\" multiplier=\"%.15g\" offset=\"%.15g\"/>\n", of->name, factor,
                c->position - factor * of->coordinate[0].position);
    }
    fputs("  </joint>\n", u->out);
}

/* ---------------------------------------------------------------------------------------------------------- the whole */

static void check_model(urdf *u) {
    const jn_description *d = u->d;
    for (int k = 0; k < d->joint_count; k++) check_joint(u, &d->joints[k]);
    for (int k = 0; k < d->force_count; k++)
        refuse(u, d->forces[k].where, "force", d->forces[k].name, "URDF has no forces");
    for (int k = 0; k < d->tendon_count; k++)
        refuse(u, d->tendons[k].where, "tendon", d->tendons[k].name, "URDF has none");
    for (int k = 0; k < d->coupler_count; k++)
        if (d->couplers[k].count != 2)
            refuse(u, d->couplers[k].where, "coupler", d->couplers[k].name, "URDF couples two joints (mimic)");
    if (d->contact_count) remark("URDF says nothing of friction and restitution: the section contacts is left out");
    if (d->point_count) remark("URDF has no points: they are left out");
    for (int k = 0; k < d->joint_count; k++)
        if (d->joints[k].coordinate[0].has_position && d->joints[k].coordinate[0].position != 0) {
            remark("URDF has no state at the start: initial positions are left out");
            break;
        }
}

int cli_write_urdf(const jn_description *d, const char *path) {
    int carrier[4096], to_ground = 0, last = -1;
    urdf u = {.d = d, .carrier = carrier};
    if (d->planar) return cli_complain("write YAML", "URDF holds no planar models");
    if (d->body_count > 4096) return cli_complain("write YAML", "the model has more than 4095 bodies");
    for (int i = 0; i < d->body_count; i++) carrier[i] = -1;
    for (int k = 0; k < d->joint_count; k++) {
        const jn_joint_desc *j = &d->joints[k];
        if (!j->closes_loop && carrier[j->body[1]] < 0) carrier[j->body[1]] = k;
        if (j->body[0] == JN_GROUND && !j->closes_loop) to_ground++, last = k;
    }
    check_model(&u);
    if (u.errors) return CLI_BAD_INPUT;
    u.out = !strcmp(path, "-") ? stdout : fopen(path, "w");
    if (!u.out) return cli_complain(NULL, "'%s' cannot be written", path);
    bool loose = to_ground == 1 && d->joints[last].type == JN_JOINT_FREE && d->bodies[0].shape_count == 0;
    fprintf(u.out, "<?xml version=\"1.0\"?>\n<robot name=\"%s\">\n",
            d->title && *d->title && !strpbrk(d->title, "<>&\"") ? d->title : "robot");
    for (int i = loose ? 1 : 0; i < d->body_count; i++) put_link(&u, i);
    for (int k = 0; k < d->joint_count; k++)
        if (!(loose && k == last)) put_joint(&u, &d->joints[k]);
    fputs("</robot>\n", u.out);
    bool failed = ferror(u.out) != 0;
    if (u.out != stdout) failed |= fclose(u.out) != 0;
    if (failed) return cli_complain(NULL, "'%s' cannot be written", path);
    return u.errors ? CLI_BAD_INPUT : CLI_FINE;
}

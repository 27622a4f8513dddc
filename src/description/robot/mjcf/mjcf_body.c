/* MJCF: bodies, their joints and inertias. A body with several joints hangs on a chain of massless helpers. */
#include "algebra/elementary.h"
#include "description/robot/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

enum { DEEPEST_BODY = 500, MOST_JOINTS = 6 };

/* ---------------------------------------------------------------------------------------------------------- joints */

static const char *const joint_known[] = {"name",
                                          "class",
                                          "type",
                                          "pos",
                                          "axis",
                                          "range",
                                          "limited",
                                          "ref",
                                          "springref",
                                          "stiffness",
                                          "springdamper",
                                          "damping",
                                          "armature",
                                          "frictionloss",
                                          "group",
                                          "user",
                                          "solreflimit",
                                          "solimplimit",
                                          "solreffriction",
                                          "solimpfriction",
                                          "margin",
                                          "actuatorfrcrange",
                                          "actuatorfrclimited",
                                          "align",
                                          "actuatorgravcomp",
                                          NULL};
static const char *const joint_changing[] = {NULL};

/* A ball joint turns by an angle at most. [MuJoCo, joint range] */
static bool add_cone(jn_mjcf *x, jn_robot_joint *j, double angle) {
    jn_robot_pose frame[2];
    for (int k = 0; k < 2; k++) {
        jn_robot_pose in = jn_robot_place(x->b, j->body[k]);
        frame[k] = (jn_robot_pose){q4_rotate(q4_conj(in.q), v3_sub(j->at, in.p)), q4_conj(in.q)};
    }
    j->cone = angle;
    return jn_robot_add_cone(x->b, j->name, j->where, j->body, frame, v3(0, 0, 0), angle);
}

static bool read_range(jn_mjcf *x, const jn_xml *e, bool angle, jn_robot_joint *j) {
    double range[2] = {0, 0};
    bool given = jn_xml_attribute_of(e, "range") != NULL;
    int limited = jn_mjcf_flag(x, e, "limited", -1);
    if (!jn_robot_numbers(x->b, e, "range", 2, false, range)) return false;
    if (limited == 0 || (limited < 0 && !(given && x->compiler.limits_by_range)) || (range[0] == 0 && range[1] == 0))
        return true;
    if (j->type == JN_JOINT_SPHERICAL) {
        double most = jn_mjcf_angle(x, jn_fmax(range[0], range[1]));
        return x->without.limits || !(most > 0 && most < M_PI) || add_cone(x, j, most);
    }
    double scale = angle ? jn_mjcf_angle(x, 1) : 1;
    if (range[0] > range[1]) {
        double t = range[0];
        jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, j->name, "joint whose limits are reversed, lower above upper",
                      "they are exchanged");
        range[0] = range[1], range[1] = t;
    }
    if (range[0] == range[1])
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "joint '%s': the ends of its range are equal", j->name);
    j->has_lower = j->has_upper = true;
    j->lower = scale * range[0] - j->reference, j->upper = scale * range[1] - j->reference;
    if (j->lower > 0 || j->upper < 0) {
        x->outside = true;
        j->position = j->lower > 0 ? j->lower : j->upper;
    }
    return true;
}

/* The spring of a ball joint turns back by k times the rotation vector, that of a free joint pulls back, too. [MuJoCo, passive forces] */
bool jn_mjcf_add_spring(jn_mjcf *x, const jn_robot_joint *j) {
    jn_robot *b = x->b;
    jn_robot_tie *t = jn_robot_add_tie(b, jn_robot_text(b, "%.50s_spring", j->name), j->where);
    if (!t) return false;
    t->joint = (int)(j - b->joints);
    t->stiffness = j->type == JN_JOINT_FREE ? j->stiffness : 0, t->turn_stiffness = j->stiffness;
    for (int k = 0; k < 2; k++) {
        jn_robot_pose in = jn_robot_place(b, j->body[k]);
        t->body[k] = j->body[k];
        t->at[k] = q4_rotate(q4_conj(in.q), v3_sub(j->at, in.p)), t->frame[k] = q4_conj(in.q);
    }
    return true;
}

/* Whether a drag, which steps take explicitly, would turn the velocities of a body round within a step or two. */
static bool is_stiff(const jn_robot *b, const jn_robot_body *body, double damping) {
    double I[3];
    jn_mat3 V;
    jn_robot_principal(body->inertia, I, &V);
    return damping * b->step > 0.5 * jn_fmin(I[0], body->mass);
}

static bool read_numbers(jn_mjcf *x, const jn_xml *e, bool angle, jn_robot_joint *j) {
    double reference = 0, rest = 0, scale = angle ? jn_mjcf_angle(x, 1) : 1;
    struct {
        const char *name;
        double *to;
    } rows[] = {{"ref", &reference}, {"springref", &rest}, {"armature", &j->armature}, {"frictionloss", &j->friction}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!jn_robot_numbers(x->b, e, rows[i].name, 1, false, rows[i].to)) return false;
    if (!jn_mjcf_polynomial(x, e, "stiffness", &j->stiffness, j->more_stiffness) ||
        !jn_mjcf_polynomial(x, e, "damping", &j->damping, j->more_damping))
        return false;
    if (!jn_robot_numbers(x->b, e, "springdamper", 2, false, j->settle)) return false;
    if (j->stiffness < 0 || j->damping < 0 || j->armature < 0 || j->friction < 0)
        return jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                             "joint '%s': stiffness, damping, armature and frictionloss are not negative", j->name);
    j->reference = scale * reference, j->rest = scale * (rest - reference);
    if (j->type != JN_JOINT_FREE && j->type != JN_JOINT_SPHERICAL) return true;
    bool bent = j->more_stiffness[0] != 0 || j->more_stiffness[1] != 0 || j->more_damping[0] != 0 || j->more_damping[1] != 0;
    if (bent)
        jn_robot_find(x->b, JN_FINDING_PHYSICS, e->where, j->name, "polynomials of stiffness and damping of free and ball joints",
                      "they are left out");
    if (j->friction > 0 && j->type == JN_JOINT_FREE)
        jn_robot_find(x->b, JN_FINDING_WARNING, e->where, j->name, "dry friction of free joints",
                      "it acts against the velocity of the centre of mass and the rotation about world axes; <freejoint/> has none");
    for (int k = 0; k < 2; k++) j->more_stiffness[k] = j->more_damping[k] = 0;
    bool settles = j->type == JN_JOINT_SPHERICAL && j->settle[0] > 0 && j->settle[1] > 0; /* springdamper comes later */
    if (j->stiffness > 0 && !settles && !x->without.springs && !jn_mjcf_add_spring(x, j)) return false;
    j->stiffness = 0;
    if (j->type == JN_JOINT_SPHERICAL) return true;
    jn_robot_body *body = &x->b->bodies[j->body[1]];
    body->rotor = j->armature, j->armature = 0;
    if (v3_norm(body->com) == 0 && is_stiff(x->b, body, j->damping)) return true; /* our coordinates are those of the centre of mass */
    body->free_damping = x->without.dampers ? 0 : j->damping, j->damping = 0;
    return true;
}

/* What all actuators of the joint give together. */
static bool read_force_range(jn_mjcf *x, const jn_xml *e, jn_robot_joint *j) {
    int limited = jn_mjcf_flag(x, e, "actuatorfrclimited", -1);
    bool given = jn_xml_attribute_of(e, "actuatorfrcrange") != NULL;
    if (!jn_robot_numbers(x->b, e, "actuatorfrcrange", 2, false, j->force_range)) return false;
    j->force_limited = given && (limited == 1 || (limited < 0 && x->compiler.limits_by_range));
    return true;
}

static bool is_free(const jn_xml *e) {
    const char *type = jn_xml_attribute_of(e, "type");
    return !strcmp(e->name, "freejoint") || (!strcmp(e->name, "joint") && type && !strcmp(type, "free"));
}

/* in: of the frame around it, seen from its body. */
static bool read_joint(jn_mjcf *x, const jn_xml *e, int parent, int child, const char *body_name, jn_robot_pose in) {
    jn_robot *b = x->b;
    const char *word = is_free(e) ? "free" : jn_xml_attribute_of(e, "type"), *name = jn_xml_attribute_of(e, "name");
    jn_joint_type type = JN_JOINT_REVOLUTE;
    if (word && !strcmp(word, "free"))
        type = JN_JOINT_FREE;
    else if (word && !strcmp(word, "ball"))
        type = JN_JOINT_SPHERICAL;
    else if (word && !strcmp(word, "slide"))
        type = JN_JOINT_PRISMATIC;
    else if (word && strcmp(word, "hinge"))
        return jn_read_error(b->r, e->where, JN_ERR_MODEL,
                             "there is no joint type '%.40s'\nwrite hinge, slide, ball or free", word);
    if (!name)
        name = jn_robot_text(b, "%.40s_joint%s", body_name, ++x->unnamed > 1 ? jn_robot_text(b, "%d", x->unnamed) : "");
    jn_robot_joint *j = jn_robot_add_joint(b, name, e->where, type, parent, child);
    jn_vec3 pos = {0, 0, 0}, axis = {0, 0, 1};
    if (!j || !jn_robot_vector(b, e, "pos", false, &pos) || !jn_robot_vector(b, e, "axis", false, &axis)) return false;
    if (!(v3_norm(axis) > 1e-12))
        return jn_read_error(b->r, e->where, JN_ERR_MODEL, "joint '%s': its axis has length zero", name);
    jn_robot_pose own = jn_robot_pose_mul((jn_robot_pose){b->bodies[child].at, b->bodies[child].orientation}, in);
    if (x->compiler.global) own = (jn_robot_pose){b->options->at, b->options->orientation};
    j->at = type == JN_JOINT_FREE ? b->bodies[child].at : v3_add(own.p, q4_rotate(own.q, pos));
    j->axis = q4_rotate(own.q, v3_unit(axis));
    jn_mjcf_look(x, e, joint_known, joint_changing);
    return read_force_range(x, e, j) && read_numbers(x, e, type == JN_JOINT_REVOLUTE, j) &&
           read_range(x, e, type == JN_JOINT_REVOLUTE, j);
}

/* ---------------------------------------------------------------------------------------------------------- inertia */

static bool read_inertial(jn_mjcf *x, const jn_xml *e, jn_lump *out) {
    double J[6] = {0};
    jn_quat q;
    jn_robot *b = x->b;
    if (!jn_robot_vector(b, e, "pos", true, &out->com) || !jn_robot_numbers(b, e, "mass", 1, true, &out->mass) ||
        !jn_mjcf_orientation(x, e, &q))
        return false;
    if (out->mass < 0) return jn_read_error(b->r, e->where, JN_ERR_MODEL, "the mass is negative, %g kg", out->mass);
    bool full = jn_xml_attribute_of(e, "fullinertia") != NULL, diagonal = jn_xml_attribute_of(e, "diaginertia") != NULL;
    if (!full && !diagonal) {
        if (out->mass > 0)
            jn_robot_find(b, JN_FINDING_WARNING, e->where, "inertial", "<inertial> without inertia",
                          "its mass is that of a point; add diaginertia=\"xx yy zz\"");
        return true;
    }
    if (!jn_robot_numbers(b, e, full ? "fullinertia" : "diaginertia", full ? 6 : 3, true, J)) return false;
    jn_sym3 own = {J[0], J[1], J[2], J[3], J[4], J[5]};
    jn_mat3 R = q4_matrix(q);
    out->inertia = s3_rotate(&R, &own);
    return true;
}

/* boundmass, boundinertia and balanceinertia of the compiler. */
static void bound(const jn_mjcf *x, jn_robot_body *body) {
    double I[3];
    jn_mat3 V;
    if (x->compiler.least_mass > 0) body->mass = jn_fmax(body->mass, x->compiler.least_mass);
    if (!(x->compiler.least_inertia > 0) && !x->compiler.balance) return;
    jn_robot_principal(body->inertia, I, &V);
    for (int k = 0; k < 3; k++) I[k] = jn_fmax(I[k], x->compiler.least_inertia);
    if (x->compiler.balance && I[0] + I[1] < I[2]) I[0] = I[1] = I[2] = (I[0] + I[1] + I[2]) / 3;
    jn_sym3 D = {I[0], I[1], I[2], 0, 0, 0};
    body->inertia = s3_rotate(&V, &D);
}

/* --------------------------------------------------------------------------------------------------------- bodies */

static const char *const body_known[] = {"name",  "childclass", "pos",   "quat",  "axisangle", "xyaxes", "zaxis",
                                         "euler", "user",       "sleep", "mocap", "gravcomp",  NULL};
static const char *const body_changing[] = {NULL};
static const char *const part_known[] = {"inertial", "joint", "freejoint", "geom",  "site",
                                         "camera",   "light", "body",      "frame", NULL};

static bool read_children(jn_mjcf *x, const jn_xml *e, int body, jn_robot_pose in, const char *childclass, int depth,
                          jn_lump *sum);

static bool read_bodies(jn_mjcf *x, const jn_xml *e, int parent, jn_robot_pose world, const char *childclass, int depth);

static bool read_site(jn_mjcf *x, const jn_xml *e, int body, jn_robot_pose in) {
    const char *name = jn_xml_attribute_of(e, "name");
    jn_vec3 pos = {0, 0, 0};
    double ends[6];
    if (!name) return true;
    jn_quat q;
    double size[3] = {0.005, 0.005, 0.005};
    if (!jn_mjcf_orientation(x, e, &q) || jn_robot_list(x->b, e, "size", 3, size) < 0) return false;
    if (jn_xml_attribute_of(e, "fromto")) {
        if (!jn_robot_numbers(x->b, e, "fromto", 6, true, ends)) return false;
        pos = v3(0.5 * (ends[0] + ends[3]), 0.5 * (ends[1] + ends[4]), 0.5 * (ends[2] + ends[5]));
        jn_vec3 along = v3(ends[0] - ends[3], ends[1] - ends[4], ends[2] - ends[5]);
        if (v3_norm(along) > 0) q = jn_mjcf_from_z(along), size[1] = 0.5 * v3_norm(along);
    } else if (!jn_robot_vector(x->b, e, "pos", false, &pos)) {
        return false;
    }
    jn_robot_point *p = jn_robot_add_point(x->b, name, e->where, body, v3_add(in.p, q4_rotate(in.q, pos)));
    if (!p) return false;
    p->orientation = q4_mul(in.q, q);
    static const jn_shape_type zones[] = {JN_SHAPE_SPHERE, JN_SHAPE_CAPSULE, JN_SHAPE_ELLIPSOID, JN_SHAPE_CYLINDER, JN_SHAPE_BOX};
    const char *type = jn_xml_attribute_of(e, "type");
    p->zone = JN_SHAPE_SPHERE, p->zone_size = v3(size[0], size[1], size[2]);
    for (int k = 0; type && k < 5; k++)
        if (!strcmp(jn_shape_type_info(zones[k])->name, type)) p->zone = zones[k];
    return true;
}

/* Where a frame of MJCF stands. */
static bool enter_frame(jn_mjcf *x, const jn_xml *e, jn_robot_pose *in, const char **childclass) {
    jn_vec3 pos = {0, 0, 0};
    jn_quat q;
    const char *own = jn_xml_attribute_of(e, "childclass");
    if (!jn_robot_vector(x->b, e, "pos", false, &pos) || !jn_mjcf_orientation(x, e, &q)) return false;
    *in = jn_robot_pose_mul(*in, (jn_robot_pose){pos, q}), *childclass = own ? own : *childclass;
    return true;
}

typedef struct listed {
    const jn_xml *e;
    jn_robot_pose in;
    const char *childclass;
} listed;

static bool is_joint(const jn_xml *e) { return !strcmp(e->name, "joint") || !strcmp(e->name, "freejoint"); }

/* Joints of a body, in the order of the file, with those in its frames. */
static bool list_joints(jn_mjcf *x, const jn_xml *e, jn_robot_pose in, const char *childclass, listed *out, int *count) {
    for (int i = 0; i < e->count; i++) {
        const jn_xml *c = e->children[i];
        if (is_joint(c)) {
            if (*count < MOST_JOINTS) out[*count] = (listed){c, in, childclass};
            ++*count;
        } else if (!strcmp(c->name, "frame")) {
            jn_robot_pose inner = in;
            const char *inner_class = childclass;
            if (!enter_frame(x, c, &inner, &inner_class) || !list_joints(x, c, inner, inner_class, out, count))
                return false;
        }
    }
    return true;
}

/* Whether the body itself, with its frames, has joints. */
static bool has_own_joints(const jn_xml *e) {
    for (int i = 0; i < e->count; i++)
        if (is_joint(e->children[i]) || (!strcmp(e->children[i]->name, "frame") && has_own_joints(e->children[i]))) return true;
    return false;
}

static bool has_joints_below(const jn_xml *e) {
    for (int i = 0; i < e->count; i++)
        if (is_joint(e->children[i]) || has_joints_below(e->children[i])) return true;
    return false;
}

/* Hangs the body on its joints; helpers carry all but the last. */
static bool hang(jn_mjcf *x, const jn_xml *e, int body, int parent, const char *childclass) {
    jn_robot *b = x->b;
    listed joints[MOST_JOINTS];
    int count = 0;
    const char *name = b->bodies[body].name;
    if (!list_joints(x, e, (jn_robot_pose){{0, 0, 0}, {1, 0, 0, 0}}, childclass, joints, &count)) return false;
    if (count > MOST_JOINTS)
        return jn_read_error(b->r, e->where, JN_ERR_LIMIT, "body '%s' has more than %d joints", name, MOST_JOINTS);
    bool held = count && is_free(joints[0].e) && parent < 0 && b->options->base == JN_BASE_FIXED;
    if (count == 0 || held) {
        bool let_go = count == 0 && parent < 0 && b->options->base == JN_BASE_FREE && has_joints_below(e);
        return jn_robot_add_joint(b, jn_robot_text(b, "%.40s_%s", name, let_go ? "free" : "fixed"), e->where,
                                  let_go ? JN_JOINT_FREE : JN_JOINT_FIXED, parent, body);
    }
    for (int i = 0; i < count; i++) {
        int carried = body;
        const jn_xml *plain = joints[i].e, *full = jn_mjcf_with_defaults(x, plain, "joint", joints[i].childclass);
        if (is_free(plain) && (count > 1 || parent >= 0))
            return jn_read_error(b->r, plain->where, JN_ERR_MODEL, "a free joint stands alone, on a body of the world");
        if (i < count - 1) {
            const char *own = jn_xml_attribute_of(plain, "name");
            jn_robot_body copy = b->bodies[body];
            jn_robot_body *helper =
                jn_robot_add_body(b, jn_robot_text(b, "%.30s-%.30s", name, own ? own : "joint"), plain->where);
            if (!helper) return false;
            helper->at = copy.at, helper->orientation = copy.orientation, helper->parent = parent,
            helper->helper = true;
            carried = b->body_count - 1;
        }
        bool bare = !strcmp(plain->name, "freejoint"); /* knows no defaults */
        if (!read_joint(x, bare ? plain : full, parent, carried, name, joints[i].in)) return false;
        b->bodies[carried].parent = parent;
        parent = carried;
    }
    return true;
}

/* In global coordinates a body without a place has its frame at its centre of mass. */
static void move_to_centre(jn_mjcf *x, int body, jn_lump *sum) {
    jn_robot *b = x->b;
    jn_vec3 shift = sum->com;
    for (int i = 0; i < b->shape_count; i++)
        if (b->shapes[i].body == body) b->shapes[i].at = v3_sub(b->shapes[i].at, shift);
    for (int i = 0; i < b->point_count; i++)
        if (b->points[i].body == body) b->points[i].at = v3_sub(b->points[i].at, shift);
    b->bodies[body].at = v3_add(b->bodies[body].at, q4_rotate(b->bodies[body].orientation, shift));
    for (int i = 0; i < x->camera_count; i++)
        if (x->cameras[i].body == body) x->cameras[i].at = v3_sub(x->cameras[i].at, shift);
    for (int i = 0; i < x->geom_count; i++)
        if (x->geoms[i].body == body) x->geoms[i].at = v3_sub(x->geoms[i].at, shift);
    sum->com = v3(0, 0, 0);
}

/* Its mass before its joints are hung: helpers stand behind the body otherwise, and a parent must come first. */
static bool read_body(jn_mjcf *x, const jn_xml *e, int parent, jn_robot_pose world, const char *childclass, int depth) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "name"), *own_class = jn_xml_attribute_of(e, "childclass");
    jn_vec3 pos = {0, 0, 0};
    jn_quat q;
    bool placed = jn_xml_attribute_of(e, "pos") != NULL;
    if (depth > DEEPEST_BODY)
        return jn_read_error(b->r, e->where, JN_ERR_LIMIT, "bodies are nested deeper than %d levels", DEEPEST_BODY);
    if (!name || !*name) name = jn_robot_text(b, "body_%d", b->body_count + 1);
    if (jn_robot_find_body(b, name) >= 0)
        return jn_read_error(b->r, e->where, JN_ERR_MODEL, "a second body is called '%.60s'\nthe first is at line %d",
                             name, b->bodies[jn_robot_find_body(b, name)].where.line);
    if (!jn_robot_vector(b, e, "pos", false, &pos) || !jn_mjcf_orientation(x, e, &q)) return false;
    jn_mjcf_look(x, e, body_known, body_changing);
    jn_robot_body *body = jn_robot_add_body(b, name, e->where);
    if (!body) return false;
    int index = b->body_count - 1;
    jn_robot_pose around = x->compiler.global ? (jn_robot_pose){b->options->at, b->options->orientation} : world;
    jn_robot_pose own = jn_robot_pose_mul(around, (jn_robot_pose){pos, q});
    body->at = own.p, body->orientation = own.q, body->parent = parent;
    if (!jn_robot_numbers(b, e, "gravcomp", 1, false, &body->lift)) return false;
    body->mocap = jn_mjcf_flag(x, e, "mocap", 0) == 1;
    body->still = (parent < 0 || b->bodies[parent].still) && !has_own_joints(e) && (parent >= 0 || b->options->base != JN_BASE_FREE);
    childclass = own_class ? own_class : childclass;
    jn_robot_pose in = {{0, 0, 0}, {1, 0, 0, 0}};
    if (x->compiler.global) { /* geoms are in the world: bring them into the body's frame */
        in.q = q4_conj(q);
        in.p = v3_neg(q4_rotate(in.q, pos));
    }
    jn_lump sum = {0}, given = {0};
    const jn_xml *inertial = jn_xml_child(e, "inertial");
    bool by_geoms = x->compiler.from_geoms || (!inertial && !x->compiler.never_from_geoms);
    if (inertial && !x->compiler.from_geoms) {
        if (!read_inertial(x, inertial, &given)) return false;
        given = x->compiler.global ? jn_lump_place(given, in.p, in.q) : given;
        b->bodies[index].has_axes = !x->compiler.global && jn_xml_attribute_of(inertial, "diaginertia") &&
                                    jn_mjcf_orientation(x, inertial, &b->bodies[index].axes);
        b->bodies[index].inertia_where = inertial->where;
        b->bodies[index].mass = given.mass, b->bodies[index].com = given.com; /* for what stands in for a mesh */
    }
    x->heavy = 0;
    if (!read_children(x, e, index, in, childclass, depth, by_geoms ? &sum : NULL)) return false;
    if (x->heavy == 1) b->bodies[index].has_axes = true, b->bodies[index].axes = x->heavy_axes;
    if (inertial && !x->compiler.from_geoms) sum = given;
    if (x->compiler.global && !placed && sum.mass > 0) move_to_centre(x, index, &sum);
    b->bodies[index].mass = sum.mass, b->bodies[index].com = sum.com, b->bodies[index].inertia = sum.inertia;
    bound(x, &b->bodies[index]);
    if (!hang(x, e, index, parent, childclass)) return false;
    return read_bodies(x, e, index, own, childclass, depth + 1);
}

/* Bodies below an element, with those in its frames. */
static bool read_bodies(jn_mjcf *x, const jn_xml *e, int parent, jn_robot_pose world, const char *childclass, int depth) {
    for (int i = 0; i < e->count; i++) {
        const jn_xml *c = e->children[i];
        jn_robot_pose inner = world;
        const char *inner_class = childclass;
        if (!strcmp(c->name, "body") && !read_body(x, c, parent, world, childclass, depth)) return false;
        if (strcmp(c->name, "frame")) continue;
        jn_mjcf_compiler before = jn_mjcf_switch(x, c);
        bool fine = enter_frame(x, c, &inner, &inner_class) && read_bodies(x, c, parent, inner, inner_class, depth + 1);
        x->compiler = before;
        if (!fine) return false;
    }
    return true;
}

/* Frames inside a body move what stands in them. */
static bool read_frame(jn_mjcf *x, const jn_xml *e, int body, jn_robot_pose in, const char *childclass, int depth,
                       jn_lump *sum) {
    jn_mjcf_compiler before = jn_mjcf_switch(x, e);
    bool fine = enter_frame(x, e, &in, &childclass) && read_children(x, e, body, in, childclass, depth + 1, sum);
    x->compiler = before;
    return fine;
}

/* Geoms, sites and frames of a body; other bodies come after its joints. */
static bool read_children(jn_mjcf *x, const jn_xml *e, int body, jn_robot_pose in, const char *childclass, int depth,
                          jn_lump *sum) {
    jn_robot *b = x->b;
    if (depth > DEEPEST_BODY)
        return jn_read_error(b->r, e->where, JN_ERR_LIMIT, "frames are nested deeper than %d levels", DEEPEST_BODY);
    for (int i = 0; i < e->count; i++) {
        const jn_xml *c = e->children[i];
        bool fine = true, known = false;
        for (int k = 0; part_known[k] && !known; k++) known = !strcmp(part_known[k], c->name);
        if (!known)
            jn_mjcf_tell_flexible(x, c, "elements of a body that are not understood", "they are left out");
        else if (!strcmp(c->name, "geom"))
            fine = jn_mjcf_read_geom(x, jn_mjcf_with_defaults(x, c, "geom", childclass), body, in.p, in.q, sum);
        else if (!strcmp(c->name, "site"))
            fine = read_site(x, jn_mjcf_with_defaults(x, c, "site", childclass), body, in);
        else if (!strcmp(c->name, "camera"))
            fine = jn_mjcf_read_camera(x, jn_mjcf_with_defaults(x, c, "camera", childclass), body, in.p, in.q);
        else if (!strcmp(c->name, "frame"))
            fine = read_frame(x, c, body, in, childclass, depth, sum);
        if (!fine && b->r->status == JN_ERR_MEMORY) return false;
    }
    return true;
}

bool jn_mjcf_read_bodies(jn_mjcf *x, const jn_xml *world) {
    jn_robot *b = x->b;
    jn_robot_pose here = {b->options->at, b->options->orientation};
    const char *childclass = jn_xml_attribute_of(world, "childclass");
    int shapes = b->shape_count, points = b->point_count;
    if (!read_children(x, world, -1, here, childclass, 0, NULL)) return false;
    if (b->options->without_world && b->shape_count > shapes && b->body_count == 0)
        b->shape_count = shapes, b->point_count = points;
    return read_bodies(x, world, -1, here, childclass, 0);
}

/* URDF: the tree of links, and joints of all types with mimic, limits, damping and friction. */
#include "description/robot/urdf/urdf.h"

#include "base/suggest.h"
#include "description/robot/xacro/xacro.h"
#include "description/yaml/name_index.h"

#include <string.h>

typedef struct urdf {
    jn_robot *b;
    int link_count, joint_count;
    const jn_xml **links, **joints;
    jn_names link_names, joint_names;
    int *parent_joint;   /* (links) -1: a root */
    int *parent, *child; /* (joints) links, -1 if wrong */
    int *body;           /* (links) in the robot; -1: the ground; -2: not yet */
    int *queue;          /* (links) */
} urdf;

/* -------------------------------------------------------------------------------------------------------- joints */

static const struct {
    const char *name;
    jn_joint_type type;
} types[] = {{"revolute", JN_JOINT_REVOLUTE},  {"continuous", JN_JOINT_REVOLUTE}, {"prismatic", JN_JOINT_PRISMATIC},
             {"fixed", JN_JOINT_FIXED},        {"floating", JN_JOINT_FREE},       {"planar", JN_JOINT_PLANAR},
             {"spherical", JN_JOINT_SPHERICAL}};

static bool read_type(jn_robot *b, const jn_xml *e, jn_joint_type *out) {
    const char *word = jn_robot_attribute(b, e, "type");
    if (!word) return false;
    jn_suggest suggest = jn_suggest_for(word);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!strcmp(types[i].name, word)) {
            *out = types[i].type;
            return true;
        }
        jn_suggest_offer(&suggest, types[i].name);
    }
    return jn_read_error(b->r, e->where, JN_ERR_MODEL, "joint '%s': there is no joint type '%.40s'\nwrite '%s'",
                         jn_urdf_name(e), word,
                         suggest.best ? suggest.best : "revolute, continuous, prismatic, fixed, floating or planar");
}

static bool read_limits(jn_robot *b, const jn_xml *e, jn_robot_joint *j) {
    const jn_xml *limit = jn_xml_child(e, "limit");
    const char *word = jn_xml_attribute_of(e, "type");
    bool bounded = (j->type == JN_JOINT_REVOLUTE || j->type == JN_JOINT_PRISMATIC) && strcmp(word, "continuous");
    if (!limit) {
        if (bounded)
            jn_robot_find(b, JN_FINDING_WARNING, e->where, j->name, "joints without <limit>",
                          "they move without end, as continuous ones");
        return true;
    }
    bool lower = jn_xml_attribute_of(limit, "lower") != NULL, upper = jn_xml_attribute_of(limit, "upper") != NULL;
    if (!jn_robot_numbers(b, limit, "lower", 1, false, &j->lower) ||
        !jn_robot_numbers(b, limit, "upper", 1, false, &j->upper))
        return false;
    if (!bounded || (!lower && !upper)) return true;
    if (j->lower > j->upper) {
        jn_robot_find(b, JN_FINDING_WARNING, limit->where, j->name,
                      "joint whose limits are reversed, lower above upper", "it moves without end, as Bullet takes it");
        return true;
    }
    if (j->lower == j->upper) {
        jn_robot_find(b, JN_FINDING_WARNING, limit->where, j->name, "joint whose limits are equal", "it is held fixed");
        j->type = JN_JOINT_FIXED;
        return true;
    }
    j->has_lower = j->has_upper = true;
    if (j->lower > 0 || j->upper < 0) {
        jn_robot_find(b, JN_FINDING_NOTE, limit->where, j->name, "joints whose range does not hold 0",
                      "they start at the nearer end");
        j->position = j->lower > 0 ? j->lower : j->upper;
    }
    return true;
}

static bool read_joint(urdf *u, int i, int parent, int child, jn_vec3 at, jn_quat q) {
    jn_robot *b = u->b;
    const jn_xml *e = u->joints[i], *part;
    jn_joint_type type = JN_JOINT_FIXED;
    if (!read_type(b, e, &type)) return true; /* reported; others are read too */
    jn_robot_joint *j = jn_robot_add_joint(b, jn_urdf_name(e), e->where, type, parent, child);
    if (!j) return false;
    jn_vec3 axis = {1, 0, 0};
    j->at = at;
    bool turns = jn_joint_type_info(type)->needs_axis;
    if ((part = jn_xml_child(e, "axis")) && !jn_robot_vector(b, part, "xyz", turns, &axis)) return true;
    if (!(v3_norm(axis) > 1e-12) && turns) {
        jn_read_error(b->r, part->where, JN_ERR_MODEL,
                      "joint '%s': its axis has length zero\nwrite <axis xyz=\"0 0 1\"/>", j->name);
        return true;
    }
    j->axis = v3_norm(axis) > 1e-12 ? q4_rotate(q, v3_unit(axis)) : v3(0, 0, 1);
    if ((part = jn_xml_child(e, "dynamics"))) {
        jn_robot_numbers(b, part, "damping", 1, false, &j->damping);
        jn_robot_numbers(b, part, "friction", 1, false, &j->friction);
        if (j->damping < 0 || j->friction < 0)
            jn_read_error(b->r, part->where, JN_ERR_MODEL, "joint '%s': damping and friction are not negative",
                          j->name);
    }
    read_limits(b, e, j);
    if (j->type == JN_JOINT_FIXED && (j->damping > 0 || j->friction > 0)) {
        jn_robot_find(b, JN_FINDING_NOTE, part ? part->where : e->where, j->name, "<dynamics> of fixed joints",
                      "it has no effect");
        j->damping = j->friction = 0;
    }
    jn_urdf_look_for_others(b, e);
    return true;
}

static void read_mimics(urdf *u) {
    jn_robot *b = u->b;
    for (int i = 0; i < u->joint_count; i++) {
        const jn_xml *e = jn_xml_child(u->joints[i], "mimic");
        int own = e ? jn_robot_find_joint(b, jn_urdf_name(u->joints[i])) : -1;
        const char *other = own >= 0 ? jn_robot_attribute(b, e, "joint") : NULL;
        double factor = 1, offset = 0;
        if (!other || !jn_robot_numbers(b, e, "multiplier", 1, false, &factor) ||
            !jn_robot_numbers(b, e, "offset", 1, false, &offset))
            continue;
        if (!jn_robot_mimic(b, e, own, jn_robot_find_joint(b, other), other, factor, offset)) return;
    }
    jn_robot_start_mimics(b);
}

/* ---------------------------------------------------------------------------------------------------------- tree */

/* Link named by <parent link=""/> or <child link=""/>. */
static int read_end(urdf *u, const jn_xml *joint, const char *which) {
    const jn_xml *e = jn_xml_child(joint, which);
    const char *name;
    if (!e) {
        jn_read_error(u->b->r, joint->where, JN_ERR_MODEL, "joint '%s' has no <%s link=\"...\"/>", jn_urdf_name(joint),
                      which);
        return -1;
    }
    if (!(name = jn_robot_attribute(u->b, e, "link"))) return -1;
    int i = jn_names_find(&u->link_names, name);
    if (i >= 0) return i;
    jn_suggest suggest = jn_suggest_for(name);
    jn_names_offer(&u->link_names, &suggest);
    jn_read_error(u->b->r, e->where, JN_ERR_MODEL,
                  suggest.best ? "there is no link '%.60s'\nwrite '%s'" : "there is no link '%.60s'%.0s", name,
                  suggest.best ? suggest.best : "");
    return -1;
}

/* Whether some joint hangs from a link of that name. */
static bool is_parent(const urdf *u, const char *name) {
    for (int i = 0; i < u->joint_count; i++) {
        const jn_xml *e = jn_xml_child(u->joints[i], "parent");
        const char *link = e ? jn_xml_attribute_of(e, "link") : NULL;
        if (link && !strcmp(link, name)) return true;
    }
    return false;
}

/* 'world' as a parent is the ground where no link has this name, as in Drake: a link without anything stands for it. */
static bool add_world(urdf *u, const jn_xml *root) {
    if (jn_names_find(&u->link_names, "world") >= 0 || !is_parent(u, "world")) return true;
    jn_xml *link = jn_store_array(u->b->r->scratch, 1, sizeof *link);
    jn_xml_attribute *name = jn_store_array(u->b->r->scratch, 1, sizeof *name);
    if (!link || !name) return jn_read_no_memory(u->b->r);
    *name = (jn_xml_attribute){"name", "world"};
    *link = (jn_xml){.name = "link", .where = root->where, .text = "", .attribute_count = 1, .attributes = name};
    u->links[u->link_count++] = link;
    jn_names_add(&u->link_names, "world");
    jn_robot_find(u->b, JN_FINDING_NOTE, root->where, "world", "joints whose parent is 'world', a link that the file does not have",
                  "it is the ground");
    return true;
}

static bool collect(urdf *u, const jn_xml *root) {
    jn_store *store = u->b->r->scratch;
    size_t n = (size_t)root->count + 1;
    u->links = jn_store_array(store, n, sizeof *u->links), u->joints = jn_store_array(store, n, sizeof *u->joints);
    int **lists[] = {&u->parent_joint, &u->parent, &u->child, &u->body, &u->queue};
    for (int k = 0; k < 5; k++)
        if (!(*lists[k] = jn_store_array(store, n, sizeof(int)))) return jn_read_no_memory(u->b->r);
    if (!u->links || !u->joints || !jn_names_create(&u->link_names, store, root->count + 1) ||
        !jn_names_create(&u->joint_names, store, root->count))
        return jn_read_no_memory(u->b->r);
    for (int i = 0; i < root->count; i++) {
        const jn_xml *e = root->children[i];
        bool link = !strcmp(e->name, "link"), joint = !strcmp(e->name, "joint");
        if (!link && !joint) continue;
        if (!jn_robot_attribute(u->b, e, "name")) continue;
        const jn_xml **list = link ? u->links : u->joints;
        int *count = link ? &u->link_count : &u->joint_count;
        jn_names *names = link ? &u->link_names : &u->joint_names;
        int first = jn_names_find(names, jn_urdf_name(e));
        if (first >= 0)
            jn_read_error(u->b->r, e->where, JN_ERR_MODEL, "a second %s is called '%.60s'\nthe first is at line %d",
                          e->name, jn_urdf_name(e), list[first]->where.line);
        list[(*count)++] = e;
        jn_names_add(names, jn_urdf_name(e));
    }
    if (!u->link_count)
        return jn_read_error(u->b->r, root->where, JN_ERR_MODEL, "the robot has no <link>\nadd <link name=\"base\"/>");
    return add_world(u, root);
}

static void connect(urdf *u) {
    for (int i = 0; i < u->link_count; i++) u->parent_joint[i] = -1, u->body[i] = -2;
    for (int i = 0; i < u->joint_count; i++) {
        int p = u->parent[i] = read_end(u, u->joints[i], "parent"),
            c = u->child[i] = read_end(u, u->joints[i], "child");
        if (p < 0 || c < 0) continue;
        if (u->parent_joint[c] >= 0 || p == c)
            jn_read_error(
                u->b->r, u->joints[i]->where, JN_ERR_MODEL,
                p == c ? "joint '%s' joins link '%s' to itself%.0s"
                       : "joint '%s': link '%s' has a second parent, the first is of joint '%s'\nURDF holds trees only",
                jn_urdf_name(u->joints[i]), jn_urdf_name(u->links[c]),
                p == c ? "" : jn_urdf_name(u->joints[u->parent_joint[c]]));
        u->parent_joint[c] = i;
    }
}

static bool add_link(urdf *u, int i, int parent, jn_vec3 at, jn_quat q) {
    jn_robot *b = u->b;
    jn_robot_body *body = jn_robot_add_body(b, jn_urdf_name(u->links[i]), u->links[i]->where);
    if (!body) return false;
    body->parent = parent, body->at = at, body->orientation = q4_unit(q);
    u->body[i] = b->body_count - 1;
    jn_urdf_inertial(b, u->links[i], body);
    jn_urdf_look_for_others(b, u->links[i]);
    return jn_urdf_collisions(b, u->links[i], u->body[i]);
}

/* The base: joined to the ground, free, or the ground itself. */
static bool add_root(urdf *u, int i) {
    jn_robot *b = u->b;
    const char *name = jn_urdf_name(u->links[i]);
    bool is_world = !strcmp(name, "world") || !strcmp(name, "ground");
    bool fixed = b->options->base == JN_BASE_FIXED || (is_world && b->options->base != JN_BASE_FREE);
    if (is_world && fixed && !jn_xml_child(u->links[i], "inertial")) {
        u->body[i] = -1;
        return jn_urdf_collisions(b, u->links[i], -1);
    }
    if (!add_link(u, i, -1, b->options->at, b->options->orientation)) return false;
    jn_robot_joint *j =
        jn_robot_add_joint(b, fixed ? jn_robot_text(b, "%.50s_ground", name) : jn_robot_text(b, "%.50s_free", name),
                           u->links[i]->where, fixed ? JN_JOINT_FIXED : JN_JOINT_FREE, -1, u->body[i]);
    if (b->options->base == JN_BASE_AUTO && !fixed)
        jn_robot_find(b, JN_FINDING_NOTE, u->links[i]->where, name, "the base is free",
                      "--base fixed joins it to the ground");
    return j != NULL;
}

/* Links below those in the queue, nearest first. */
static bool grow(urdf *u, int from, int *count) {
    jn_robot *b = u->b;
    for (int head = from; head < *count; head++) {
        int p = u->queue[head], parent = u->body[p];
        for (int k = 0; k < u->joint_count; k++) {
            int c = u->child[k];
            jn_vec3 at, base = parent < 0 ? b->options->at : b->bodies[parent].at;
            jn_quat q, turn = parent < 0 ? b->options->orientation : b->bodies[parent].orientation;
            if (u->parent[k] != p || c < 0 || u->body[c] != -2) continue;
            if (!jn_urdf_origin(b, u->joints[k], &at, &q)) continue;
            at = v3_add(base, q4_rotate(turn, at)), q = q4_mul(turn, q);
            if (!add_link(u, c, parent, at, q) || !read_joint(u, k, parent, u->body[c], at, q)) return false;
            u->queue[(*count)++] = c;
        }
    }
    return true;
}

bool jn_urdf_read(jn_robot *b, const jn_xml *root) {
    urdf u = {.b = b};
    int count = 0, roots = 0;
    if (jn_xacro_is_template(root) && !(root = jn_xacro_expand(b, root))) return false;
    b->title = jn_xml_attribute_of(root, "name");
    b->step = 1e-3;
    b->gravity = v3(0, 0, -9.81);
    if (!collect(&u, root)) return false;
    connect(&u);
    jn_urdf_look_for_others(b, root);
    for (int i = 0; i < u.link_count; i++) {
        if (u.parent_joint[i] >= 0) continue;
        if (roots++)
            jn_robot_find(b, JN_FINDING_PHYSICS, u.links[i]->where, jn_urdf_name(u.links[i]),
                          "link that no joint joins to the robot", "it is a robot of its own");
        int from = count;
        if (!add_root(&u, i)) return false;
        u.queue[count++] = i;
        if (!grow(&u, from, &count)) return false;
    }
    if (count < u.link_count && b->r->status == JN_OK)
        for (int i = 0; i < u.link_count; i++)
            if (u.body[i] == -2)
                return jn_read_error(b->r, u.links[i]->where, JN_ERR_MODEL,
                                     "link '%s' hangs from itself: its joints form a loop\nURDF holds trees only",
                                     jn_urdf_name(u.links[i]));
    read_mimics(&u);
    jn_robot_hold_massless_roots(b);
    return b->r->status == JN_OK;
}

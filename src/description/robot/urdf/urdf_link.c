/* URDF: links, their mass and inertia, and their collision shapes. */
#include "algebra/elementary.h"
#include "description/robot/urdf/urdf.h"

#include <math.h>
#include <string.h>

const char *jn_urdf_name(const jn_xml *e) {
    const char *name = jn_xml_attribute_of(e, "name");
    return name && *name ? name : "unnamed";
}

/* Roll, pitch and yaw about fixed axes. */
static jn_quat from_rpy(jn_vec3 a) {
    jn_quat x = q4_exp(v3(a.x, 0, 0)), y = q4_exp(v3(0, a.y, 0)), z = q4_exp(v3(0, 0, a.z));
    return q4_mul(z, q4_mul(y, x));
}

bool jn_urdf_origin(jn_robot *b, const jn_xml *e, jn_vec3 *at, jn_quat *q) {
    const jn_xml *origin = jn_xml_child(e, "origin");
    jn_vec3 rpy = {0, 0, 0};
    *at = v3(0, 0, 0), *q = q4_identity();
    if (!origin) return true;
    if (!jn_robot_vector(b, origin, "xyz", false, at) || !jn_robot_vector(b, origin, "rpy", false, &rpy)) return false;
    *q = from_rpy(rpy);
    return true;
}

bool jn_urdf_inertial(jn_robot *b, const jn_xml *link, jn_robot_body *body) {
    const jn_xml *e = jn_xml_child(link, "inertial"), *mass, *inertia;
    static const char *const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double J[6] = {0};
    jn_quat q;
    if (!e) return true;
    body->inertia_where = e->where;
    mass = jn_xml_child(e, "mass"), inertia = jn_xml_child(e, "inertia");
    if (!mass && jn_xml_child(e, "density")) return true; /* by its shapes */
    if (!mass)
        return jn_read_error(b->r, e->where, JN_ERR_MODEL, "this <inertial> has no <mass>\nadd <mass value=\"...\"/>");
    if (!jn_urdf_origin(b, e, &body->com, &q) || !jn_robot_numbers(b, mass, "value", 1, true, &body->mass))
        return false;
    if (body->mass < 0)
        return jn_read_error(b->r, mass->where, JN_ERR_MODEL, "link '%s' has a negative mass, %g kg", body->name,
                             body->mass);
    for (int k = 0; inertia && k < 6; k++)
        if (!jn_robot_numbers(b, inertia, keys[k], 1, k < 3, &J[k])) return false;
    if (inertia) body->inertia_where = inertia->where;
    jn_mat3 R = q4_matrix(q);
    jn_sym3 own = {J[0], J[1], J[2], J[3], J[4], J[5]};
    body->inertia = s3_rotate(&R, &own);
    return true;
}

/* <density> in place of <mass>, as Isaac Gym reads it, or import.density in place of <inertial>: the collision shapes, meshes as their hulls, give
 * mass and inertia. */
static bool weigh_shapes(jn_robot *b, const jn_xml *link, int body, int first) {
    const jn_xml *e = jn_xml_child(link, "inertial"), *rho = e ? jn_xml_child(e, "density") : NULL;
    double density = b->options->density;
    jn_lump sum = {0}, own;
    bool asked = e ? rho && !jn_xml_child(e, "mass") : density > 0;
    if (!asked || body < 0) return true;
    if (rho && !jn_robot_numbers(b, rho, "value", 1, true, &density)) return true; /* reported */
    for (int i = first; i < b->shape_count; i++) {
        if (!jn_robot_shape_lump(b, &b->shapes[i], JN_MESH_CONVEX, &own)) return b->r->status != JN_ERR_MEMORY;
        sum = jn_lump_add(sum, jn_lump_place(jn_lump_scale(density, own), b->shapes[i].at, b->shapes[i].orientation));
    }
    if (rho && !(sum.mass > 0))
        jn_read_error(b->r, e->where, JN_ERR_MODEL, "link '%.60s' has a <density>, but no mass: it needs a density above 0 and a <collision>\nor write <mass> and <inertia>",
                      b->bodies[body].name);
    b->bodies[body].mass = sum.mass, b->bodies[body].com = sum.com, b->bodies[body].inertia = sum.inertia;
    return true;
}

/* Three factors; hands write one for all axes too, and a fourth that means nothing. */
static bool read_scale(jn_robot *b, const jn_xml *mesh, const char *body, jn_vec3 *scale) {
    double s[4];
    int count = jn_robot_list(b, mesh, "scale", 4, s);
    if (count == 2) return jn_read_error(b->r, mesh->where, JN_ERR_MODEL, "<mesh scale> needs 3 numbers, not 2");
    if (count == 1) s[1] = s[2] = s[0];
    if (count > 0) *scale = v3(s[0], s[1], s[2]);
    if (count == 1 || count == 4)
        jn_robot_find(b, JN_FINDING_WARNING, mesh->where, body, "mesh whose scale has not three numbers",
                      count == 1 ? "it holds for all axes" : "the first three hold");
    return count >= 0;
}

static bool read_mesh(jn_robot *b, const jn_xml *mesh, const jn_robot_body *body, jn_robot_shape *s) {
    const char *file = jn_robot_attribute(b, mesh, "filename"), *reason, *path;
    if (!file || !read_scale(b, mesh, body->name, &s->scale)) return false;
    path = jn_robot_mesh_path_from(b, mesh->where.file, mesh->where.file, file, &reason);
    if (path && jn_robot_mesh_is_flat(b, path, mesh->where, s->scale, body->name)) return false;
    if (path) {
        s->type = JN_SHAPE_HULL, s->file = path;
        return true;
    }
    jn_robot_find(b, jn_robot_mesh_finding(reason), mesh->where, body->name,
                  jn_robot_text(b, "collision mesh that cannot be read (%s)", reason), jn_robot_mesh_advice(b, file));
    jn_robot_stand_in(b, body);
    return true;
}

static bool leave_out(jn_robot *b, const jn_xml *e, const jn_robot_body *body) {
    jn_robot_find(b, JN_FINDING_NOTE, e->where, body->name, "boxes and cylinders of size 0", "they are left out");
    return false;
}

/* False: it is left out, with a message. */
static bool read_geometry(jn_robot *b, const jn_xml *geometry, const jn_robot_body *body, jn_robot_shape *s) {
    const jn_xml *e = geometry->count ? geometry->children[0] : NULL;
    if (!e)
        return jn_read_error(b->r, geometry->where, JN_ERR_MODEL,
                             "this <geometry> is empty\nadd <box size=\"x y z\"/>");
    if (!strcmp(e->name, "mesh")) return read_mesh(b, e, body, s);
    if (!strcmp(e->name, "box")) {
        s->type = JN_SHAPE_BOX;
        if (!jn_robot_vector(b, e, "size", true, &s->size)) return false;
        if (s->size.x == 0 && s->size.y == 0 && s->size.z == 0) return leave_out(b, e, body);
    } else if (!strcmp(e->name, "sphere")) {
        s->type = JN_SHAPE_SPHERE, s->size = v3(0, 1, 1);
        if (!jn_robot_numbers(b, e, "radius", 1, true, &s->size.x)) return false;
        if (s->size.x == 0) s->size.x = jn_robot_point_radius(b, e->where, body->name);
    } else if (!strcmp(e->name, "cylinder") || !strcmp(e->name, "capsule")) {
        s->type = e->name[1] == 'y' ? JN_SHAPE_CYLINDER : JN_SHAPE_CAPSULE, s->size = v3(0, 0, 1);
        if (!jn_robot_numbers(b, e, "radius", 1, true, &s->size.x) ||
            !jn_robot_numbers(b, e, "length", 1, true, &s->size.y))
            return false;
        if (s->size.x == 0 && s->size.y == 0) return leave_out(b, e, body);
    } else {
        return jn_read_error(b->r, e->where, JN_ERR_MODEL,
                             "there is no shape <%s>\nwrite box, sphere, cylinder, capsule or mesh", e->name);
    }
    if (!(s->size.x > 0 && s->size.y > 0 && s->size.z > 0))
        return jn_read_error(b->r, e->where, JN_ERR_MODEL, "<%s> of link '%s' has a size that is not above 0", e->name,
                             body->name);
    return true;
}

/* Friction and restitution as Bullet writes them: <contact><lateral_friction value=""/>. */
static int read_contact(jn_robot *b, const jn_xml *link) {
    const jn_xml *e = jn_xml_child(link, "contact"), *part;
    jn_robot_material m = {.name = "robot", .where = link->where, .friction = 0.8, .dimensions = 3};
    if (e && (part = jn_xml_child(e, "lateral_friction"))) jn_robot_numbers(b, part, "value", 1, true, &m.friction);
    if (e && (part = jn_xml_child(e, "restitution"))) jn_robot_numbers(b, part, "value", 1, true, &m.restitution);
    m.friction = jn_fmax(0, m.friction), m.restitution = jn_fmin(1, jn_fmax(0, m.restitution));
    for (int i = 0; i < b->material_count; i++)
        if (b->materials[i].friction == m.friction && b->materials[i].restitution == m.restitution) return i;
    if (e) m.name = jn_urdf_name(link), m.where = e->where;
    jn_robot_material *to = jn_robot_add_material(b);
    if (to) *to = m;
    return to ? b->material_count - 1 : -1;
}

bool jn_urdf_collisions(jn_robot *b, const jn_xml *link, int body) {
    jn_robot_body ground = {.name = "the ground", .orientation = {1, 0, 0, 0}};
    int first = b->shape_count;
    for (int i = 0; i < link->count; i++) {
        const jn_xml *e = link->children[i], *geometry;
        if (strcmp(e->name, "collision")) continue;
        geometry = jn_xml_child(e, "geometry");
        if (!geometry) {
            jn_read_error(b->r, e->where, JN_ERR_MODEL,
                          "this <collision> has no <geometry>\nadd <geometry><box size=\"x y z\"/></geometry>");
            continue;
        }
        int material = read_contact(b, link);
        jn_robot_shape *s = jn_robot_add_shape(b, body, JN_SHAPE_SPHERE, e->where);
        if (!s) return false;
        s->material = material;
        s->name = jn_xml_attribute_of(e, "name");
        if (!jn_urdf_origin(b, e, &s->at, &s->orientation) ||
            !read_geometry(b, geometry, body < 0 ? &ground : &b->bodies[body], s))
            b->shape_count--;
    }
    return weigh_shapes(b, link, body, first);
}

static const char *const quiet_parts[] = {"visual",
                                          "collision",
                                          "inertial",
                                          "material",
                                          "transmission",
                                          "gazebo",
                                          "contact",
                                          "sensor",
                                          "link",
                                          "joint",
                                          "self_collision_checking",
                                          "origin",
                                          "parent",
                                          "child",
                                          "axis",
                                          "limit",
                                          "dynamics",
                                          "mimic",
                                          "safety_controller",
                                          "calibration",
                                          "hardwareInterface",
                                          "property",
                                          "ros2_control",
                                          NULL};

void jn_urdf_look_for_others(jn_robot *b, const jn_xml *e) {
    for (int i = 0; i < e->count; i++) {
        bool known = false;
        for (int k = 0; quiet_parts[k] && !known; k++) known = !strcmp(quiet_parts[k], e->children[i]->name);
        if (!known)
            jn_robot_find(b, JN_FINDING_WARNING, e->children[i]->where, e->children[i]->name,
                          "elements that are not understood", "they have no effect");
    }
}

/* SDF: mass, inertia and collision shapes of links. */
#include "algebra/elementary.h"
#include "description/robot/sdf/sdf.h"

#include <math.h>
#include <string.h>

bool jn_sdf_inertial(jn_sdf *s, const jn_xml *link, jn_robot_body *body) {
    static const char *const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const jn_xml *e = jn_xml_child(link, "inertial"), *inertia = e ? jn_xml_child(e, "inertia") : NULL;
    double J[6] = {1, 1, 1, 0, 0, 0};
    jn_quat q = q4_identity();
    body->mass = 1;
    if (!e)
        jn_robot_find(s->b, JN_FINDING_WARNING, link->where, body->name, "links without <inertial>",
                      "they have 1 kg and 1 kg m^2, as SDF has it");
    if (e) body->inertia_where = e->where;
    if (e && (!jn_sdf_pose(s, e, &body->com, &q) || !jn_sdf_numbers(s, e, "mass", 1, &body->mass))) return false;
    for (int k = 0; inertia && k < 6; k++)
        if (!jn_sdf_numbers(s, inertia, keys[k], 1, &J[k])) return false;
    if (body->mass < 0)
        return jn_read_error(s->b->r, e->where, JN_ERR_MODEL, "link '%.60s' has a negative mass, %g kg", body->name,
                             body->mass);
    jn_mat3 R = q4_matrix(q);
    jn_sym3 own = {J[0], J[1], J[2], J[3], J[4], J[5]};
    body->inertia = s3_rotate(&R, &own);
    return true;
}

/* A child of children; NULL if one of them is missing. */
static const jn_xml *inside(const jn_xml *e, const char *const *path) {
    for (; e && *path; path++) e = jn_xml_child(e, *path);
    return e;
}

/* Friction and restitution of a <surface>: those of ODE, 1 and 0 where the file says nothing. */
static int read_surface(jn_sdf *s, const jn_xml *collision) {
    static const char *const friction[] = {"surface", "friction", "ode", NULL}, *const bounce[] = {"surface", "bounce",
                                                                                                   NULL};
    jn_robot *b = s->b;
    const jn_xml *f = inside(collision, friction), *r = inside(collision, bounce);
    jn_robot_material m = {.where = collision->where, .friction = 1, .dimensions = 3};
    if (f && !jn_sdf_numbers(s, f, "mu", 1, &m.friction)) return -1;
    if (r && !jn_sdf_numbers(s, r, "restitution_coefficient", 1, &m.restitution)) return -1;
    m.friction = jn_fmin(jn_fmax(0, m.friction), 1e3), m.restitution = jn_fmin(1, jn_fmax(0, m.restitution));
    for (int i = 0; i < b->material_count; i++)
        if (b->materials[i].friction == m.friction && b->materials[i].restitution == m.restitution) return i;
    m.name = jn_robot_text(b, "surface_%d", b->material_count + 1);
    jn_robot_material *to = jn_robot_add_material(b);
    if (to) *to = m;
    return to ? b->material_count - 1 : -1;
}

static bool read_mesh(jn_sdf *s, const jn_xml *mesh, const jn_robot_body *body, jn_robot_shape *shape) {
    double scale[3] = {1, 1, 1};
    const char *uri = jn_sdf_text(s, mesh, "uri"), *reason = "it has no <uri>";
    if (!jn_sdf_numbers(s, mesh, "scale", 3, scale)) return false;
    const char *path = uri ? jn_robot_mesh_path_from(s->b, mesh->where.file, uri, &reason) : NULL;
    shape->scale = v3(scale[0], scale[1], scale[2]);
    if (path) {
        shape->type = JN_SHAPE_HULL, shape->file = path;
        return true;
    }
    jn_robot_find(s->b, jn_robot_mesh_finding(reason), mesh->where, body->name,
                  jn_robot_text(s->b, "collision mesh that cannot be read (%s)", reason),
                  jn_robot_mesh_advice(s->b, uri));
    jn_robot_stand_in(s->b, body);
    return true;
}

static bool read_sizes(jn_sdf *s, const jn_xml *e, jn_robot_shape *shape) {
    double x[3] = {1, 1, 1};
    bool fine = true;
    if (!strcmp(e->name, "box")) {
        shape->type = JN_SHAPE_BOX, fine = jn_sdf_numbers(s, e, "size", 3, x);
    } else if (!strcmp(e->name, "ellipsoid")) {
        shape->type = JN_SHAPE_ELLIPSOID, fine = jn_sdf_numbers(s, e, "radii", 3, x);
    } else if (!strcmp(e->name, "sphere")) {
        shape->type = JN_SHAPE_SPHERE, fine = jn_sdf_numbers(s, e, "radius", 1, x);
    } else {
        shape->type = e->name[1] == 'y' ? JN_SHAPE_CYLINDER : JN_SHAPE_CAPSULE;
        fine = jn_sdf_numbers(s, e, "radius", 1, x) && jn_sdf_numbers(s, e, "length", 1, x + 1);
    }
    shape->size = v3(x[0], x[1], x[2]);
    return fine && ((x[0] > 0 && x[1] > 0 && x[2] > 0) ||
                    jn_read_error(s->b->r, e->where, JN_ERR_MODEL, "<%s> has a size that is not above 0", e->name));
}

/* A plane is solid below; only the ground has one. */
static bool read_plane(jn_sdf *s, const jn_xml *e, const jn_robot_body *body, jn_robot_shape *shape) {
    double n[3] = {0, 0, 1};
    if (!jn_sdf_numbers(s, e, "normal", 3, n)) return false;
    jn_vec3 normal = v3(n[0], n[1], n[2]);
    if (!(v3_norm(normal) > 1e-12)) return jn_read_error(s->b->r, e->where, JN_ERR_MODEL, "<normal> has length zero");
    if (shape->body >= 0) {
        jn_robot_find(s->b, JN_FINDING_PHYSICS, e->where, body->name, "a plane on a moving body", "it is left out");
        s->b->shape_count--;
        return true;
    }
    normal = v3_unit(normal);
    jn_vec3 axis = v3_cross(v3(0, 0, 1), normal);
    double sine = v3_norm(axis);
    jn_quat turn = sine < 1e-14 ? (normal.z > 0 ? q4_identity() : (jn_quat){0, 1, 0, 0})
                                : q4_exp(v3_scale(jn_atan2(sine, normal.z) / sine, axis));
    shape->type = JN_SHAPE_PLANE, shape->orientation = q4_mul(shape->orientation, turn);
    return true;
}

static bool read_geometry(jn_sdf *s, const jn_xml *e, const jn_robot_body *body, jn_robot_shape *shape) {
    static const char *const solids[] = {"box", "sphere", "cylinder", "capsule", "ellipsoid", NULL};
    for (int k = 0; solids[k]; k++)
        if (!strcmp(e->name, solids[k])) return read_sizes(s, e, shape);
    if (!strcmp(e->name, "mesh")) return read_mesh(s, e, body, shape);
    if (!strcmp(e->name, "plane")) return read_plane(s, e, body, shape);
    if (strcmp(e->name, "empty"))
        jn_robot_find(s->b, JN_FINDING_PHYSICS, e->where, e->name, "shapes that are not understood",
                      "they are left out");
    s->b->shape_count--;
    return true;
}

bool jn_sdf_collisions(jn_sdf *s, const jn_xml *link, int body, jn_vec3 at, jn_quat q) {
    static const jn_robot_body ground = {.name = "the ground", .orientation = {1, 0, 0, 0}};
    jn_robot *b = s->b;
    for (int i = 0; i < link->count; i++) {
        const jn_xml *e = link->children[i], *geometry = jn_xml_child(e, "geometry");
        jn_vec3 p;
        jn_quat turn;
        if (strcmp(e->name, "collision") || !geometry || !geometry->count) continue;
        int material = read_surface(s, e);
        jn_robot_shape *shape = jn_robot_add_shape(b, body, JN_SHAPE_SPHERE, e->where);
        if (!shape) return false;
        if (!jn_sdf_pose(s, e, &p, &turn)) return false;
        shape->material = material, shape->name = jn_xml_attribute_of(e, "name");
        shape->at = v3_add(at, q4_rotate(q, p)), shape->orientation = q4_mul(q, turn);
        if (!read_geometry(s, geometry->children[0], body < 0 ? &ground : &b->bodies[body], shape)) b->shape_count--;
    }
    return true;
}

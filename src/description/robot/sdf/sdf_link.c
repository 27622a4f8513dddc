/* SDF: mass, inertia and collision shapes of links. */
#include "algebra/elementary.h"
#include "description/mesh/mesh_mass.h"
#include "description/robot/sdf/sdf.h"

#include <math.h>
#include <string.h>

static bool is_automatic(const jn_xml *inertial) {
    const char *word = jn_xml_attribute_of(inertial, "auto");
    return word && (!strcmp(word, "true") || !strcmp(word, "1"));
}

bool jn_sdf_inertial(jn_sdf *s, const jn_xml *link, jn_robot_body *body) {
    static const char *const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const jn_xml *e = jn_xml_child(link, "inertial"), *inertia = e ? jn_xml_child(e, "inertia") : NULL;
    double J[6] = {1, 1, 1, 0, 0, 0};
    jn_quat q = q4_identity();
    body->mass = 1;
    if (e && is_automatic(e)) return true; /* jn_sdf_auto_inertial */
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

/* Friction and restitution of a <surface>: those of ODE, 1 and 0 where the file says nothing. Of two surfaces the smaller ones hold. [Gazebo, friction tutorial] */
static int read_surface(jn_sdf *s, const jn_xml *collision) {
    static const char *const friction[] = {"surface", "friction", "ode", NULL}, *const bounce[] = {"surface", "bounce",
                                                                                                   NULL};
    jn_robot *b = s->b;
    const jn_xml *f = inside(collision, friction), *r = inside(collision, bounce);
    jn_robot_material m = {.where = collision->where, .friction = 1, .dimensions = 3, .combine = "min"};
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
    const char *path = uri ? jn_robot_mesh_path_from(s->b, mesh->where.file, mesh->where.file, uri, &reason) : NULL;
    shape->scale = v3(scale[0], scale[1], scale[2]);
    if (path && jn_robot_mesh_is_flat(s->b, path, mesh->where, shape->scale, body->name)) {
        s->b->shape_count--;
        return true;
    }
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
    } else if (!strcmp(e->name, "cone")) { /* its origin is halfway up, that of ours in the base */
        shape->type = JN_SHAPE_CONE;
        fine = jn_sdf_numbers(s, e, "radius", 1, x) && jn_sdf_numbers(s, e, "length", 1, x + 1);
        shape->at = v3_sub(shape->at, q4_rotate(shape->orientation, v3(0, 0, 0.5 * x[1])));
    } else if (!strcmp(e->name, "sphere")) {
        shape->type = JN_SHAPE_SPHERE, fine = jn_sdf_numbers(s, e, "radius", 1, x);
        if (fine && x[0] == 0) x[0] = jn_robot_point_radius(s->b, e->where, e->name);
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

static bool read_geometry(jn_sdf *s, const jn_xml *geometry, const jn_robot_body *body, jn_robot_shape *shape) {
    const jn_xml *e = geometry->children[0];
    static const char *const solids[] = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "cone", NULL};
    for (int k = 0; solids[k]; k++)
        if (!strcmp(e->name, solids[k])) return read_sizes(s, e, shape);
    if (!strcmp(e->name, "mesh")) return read_mesh(s, e, body, shape);
    if (!strcmp(e->name, "plane")) return read_plane(s, e, body, shape);
    if (!strcmp(e->name, "heightmap")) {
        bool left_out = false;
        if (!jn_sdf_heightmap(s, e, shape, &left_out)) return false;
        if (left_out) s->b->shape_count--;
        return true;
    }
    if (!strcmp(e->name, "polyline")) return jn_sdf_polyline(s, geometry, shape);
    if (!strcmp(e->name, "image"))
        jn_robot_find(s->b, JN_FINDING_PHYSICS, e->where, e->name, "shapes that are drawn out of a picture",
                      "they are left out; write them as meshes or boxes");
    else if (strcmp(e->name, "empty"))
        jn_robot_find(s->b, JN_FINDING_PHYSICS, e->where, e->name, "shapes that SDF 1.12 does not have",
                      "they are left out; write box, capsule, cone, cylinder, ellipsoid, heightmap, mesh, plane or sphere");
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
        if (!read_geometry(s, geometry, body < 0 ? &ground : &b->bodies[body], shape)) b->shape_count--;
    }
    return true;
}

/* The collision that a shape came from. */
static const jn_xml *collision_of(const jn_xml *link, const jn_robot_shape *shape) {
    for (int i = 0; i < link->count; i++) {
        const jn_where *w = &link->children[i]->where;
        if (!strcmp(link->children[i]->name, "collision") && w->line == shape->where.line && w->column == shape->where.column)
            return link->children[i];
    }
    return NULL;
}

/* Weights by density: that of a collision before that of the link; a <mass> scales the sum, as libsdformat has it. */
bool jn_sdf_auto_inertial(jn_sdf *s, const jn_xml *link, int body, int first) {
    jn_robot *b = s->b;
    const jn_xml *e = jn_xml_child(link, "inertial");
    double usual = 1000, mass = 0; /* [kg/m^3]; [kg], 0: by density */
    jn_lump sum = {0};
    if (!e || !is_automatic(e)) return true;
    if (!jn_sdf_numbers(s, e, "density", 1, &usual) || !jn_sdf_numbers(s, e, "mass", 1, &mass)) return false;
    for (int i = first; i < b->shape_count; i++) {
        const jn_robot_shape *shape = &b->shapes[i];
        const jn_xml *collision = collision_of(link, shape);
        double density = usual;
        jn_lump own = {0};
        if (collision && !jn_sdf_numbers(s, collision, "density", 1, &density)) return false;
        if (!jn_robot_shape_lump(s->b, shape, JN_MESH_EXACT, &own)) return false;
        own = jn_lump_scale(density, own);
        sum = jn_lump_add(sum, jn_lump_place(own, shape->at, shape->orientation));
    }
    if (!(sum.mass > 0))
        return jn_read_error(b->r, e->where, JN_ERR_MODEL, "link '%.60s' has no shapes that <inertial auto='true'> could weigh", b->bodies[body].name);
    double scale = jn_xml_child(e, "mass") ? mass / sum.mass : 1;
    if (!(scale > 0)) return jn_read_error(b->r, e->where, JN_ERR_MODEL, "link '%.60s' has a <mass> that is not above 0", b->bodies[body].name);
    sum = jn_lump_scale(scale, sum);
    b->bodies[body].mass = sum.mass, b->bodies[body].com = sum.com, b->bodies[body].inertia = sum.inertia;
    b->bodies[body].inertia_where = e->where;
    return true;
}

/* Colliders of a USD stage: solids of UsdGeom as shapes of bodies. */
#include "algebra/elementary.h"
#include "description/robot/usd/usd.h"

#include <math.h>
#include <string.h>

static const double even = 1e-5; /* factors that differ by less are equal: files with single precision */

bool jn_usd_node_pose(jn_usd *u, const jn_usd_node *n, int mirror, jn_robot_pose *pose, jn_vec3 *scale) {
    bool mirrored, fine = jn_usd_split(&n->world, mirror, &pose->q, scale, &mirrored);
    pose->p = n->world.t;
    if (!(scale->x > 0 && scale->y > 0 && scale->z > 0))
        return jn_read_error(u->b->r, n->where, JN_ERR_MODEL,
                             "<%.200s> is scaled to nothing\nwrite a scale other than 0", n->path);
    if (!fine)
        jn_robot_find(u->b, JN_FINDING_PHYSICS, n->where, n->path, "prims with physics whose axes are sheared",
                      "the shear is left out; scale before turning");
    if (mirrored && n->is_body)
        jn_robot_find(u->b, JN_FINDING_WARNING, n->where, n->path, "bodies that are mirrored (negative scale)",
                      "places are mirrored, but axes of joints and of inertia are those without the mirror");
    return true;
}

/* A length of the prim, above 0. */
static bool read_length(jn_usd *u, const jn_usd_node *n, const char *name, double usual, double *out) {
    *out = usual;
    if (!jn_usd_numbers(&u->stage, n, name, 1, out)) return false;
    return (*out > 0 && isfinite(*out)) ||
           jn_read_error(u->b->r, jn_usd_attribute(&u->stage, n, name)->value.where, JN_ERR_MODEL,
                         "'%s' of <%.200s> is not above 0\nwrite its size", name, n->path);
}

/* 0, 1, 2 for the axis of a solid. */
static bool read_axis(jn_usd *u, const jn_usd_node *n, int *axis) {
    const char *word = jn_usd_token(&u->stage, n, "axis", "Z");
    if (strlen(word) != 1 || *word < 'X' || *word > 'Z')
        return jn_read_error(u->b->r, jn_usd_attribute(&u->stage, n, "axis")->value.where, JN_ERR_MODEL,
                             "the axis of <%.200s> is X, Y or Z, not '%.20s'\nwrite \"Z\"", n->path, word);
    *axis = *word - 'X';
    return true;
}

/* Turns z to the axis, without a mirror: x y z becomes y z x or z x y. */
static jn_quat to_axis(int axis) {
    static const jn_quat turn[3] = {{0.5, 0.5, 0.5, 0.5}, {0.5, -0.5, -0.5, -0.5}, {1, 0, 0, 0}};
    return turn[axis];
}

static bool differ(double a, double b) { return fabs(a - b) > even * jn_fmax(a, b); }

static void tell_uneven(jn_usd *u, const jn_usd_node *n, const char *effect) {
    jn_robot_find(u->b, JN_FINDING_PHYSICS, n->where, n->path,
                  "round colliders whose scale is not the same in all directions", effect);
}

static bool read_sphere(jn_usd *u, const jn_usd_node *n, jn_vec3 scale, jn_robot_shape *shape) {
    double r;
    if (!read_length(u, n, "radius", 1, &r)) return false;
    shape->type = JN_SHAPE_SPHERE, shape->size = v3(r * scale.x, 0, 0);
    if (differ(scale.x, scale.y) || differ(scale.x, scale.z)) {
        jn_robot_find(u->b, JN_FINDING_NOTE, n->where, n->path, "spheres whose scale is not the same in all directions",
                      "they are ellipsoids");
        shape->type = JN_SHAPE_ELLIPSOID, shape->size = v3_scale(r, scale);
    }
    return true;
}

/* Cylinder, capsule and cone: radius across the axis, height along it. */
static bool read_round(jn_usd *u, const jn_usd_node *n, jn_vec3 scale, jn_robot_shape *shape) {
    bool capsule = jn_usd_is(n, "Capsule") || jn_usd_is(n, "Capsule_1"), cone = jn_usd_is(n, "Cone"),
         tapered = strchr(n->type, '_') != NULL;
    double r, top, h;
    int axis = 2;
    if (!read_axis(u, n, &axis) || !read_length(u, n, tapered ? "radiusBottom" : "radius", capsule ? 0.5 : 1, &r) ||
        !read_length(u, n, tapered ? "radiusTop" : "radius", capsule ? 0.5 : 1, &top) ||
        !read_length(u, n, "height", capsule ? 1 : 2, &h))
        return false;
    double along = v3_get(scale, axis), a = v3_get(scale, (axis + 1) % 3), b = v3_get(scale, (axis + 2) % 3),
           across = jn_fmax(a, b);
    if (differ(r, top))
        jn_robot_find(u->b, JN_FINDING_PHYSICS, n->where, n->path, "colliders with two radii",
                      "the one at the bottom holds");
    if (differ(a, b)) tell_uneven(u, n, "the larger factor holds; scale evenly, or make it a Mesh");
    if (capsule && differ(along, across))
        tell_uneven(u, n, "the radius is scaled by the larger factor; scale evenly, or write radius and height");
    shape->type = capsule ? JN_SHAPE_CAPSULE : cone ? JN_SHAPE_CONE : JN_SHAPE_CYLINDER;
    shape->size = v3(r * across, h * along, 0);
    shape->orientation = to_axis(axis);
    if (cone) shape->at = v3_scale(-0.5 * h * along, v3_axis(axis)); /* ours begins at the base */
    return true;
}

static bool read_plane(jn_usd *u, const jn_usd_node *n, jn_robot_shape *shape) {
    int axis = 2;
    if (!read_axis(u, n, &axis)) return false;
    shape->type = JN_SHAPE_PLANE, shape->orientation = to_axis(axis);
    return true;
}

/* The shape in the prim's own axes, sizes in metres. *found: false: the prim is no solid. */
static bool read_solid(jn_usd *u, const jn_usd_node *n, jn_vec3 scale, jn_robot_shape *shape, bool *found) {
    double edge;
    *found = true;
    if (jn_usd_is(n, "Cube")) {
        if (!read_length(u, n, "size", 2, &edge)) return false;
        shape->type = JN_SHAPE_BOX, shape->size = v3_scale(edge, scale);
        return true;
    }
    if (jn_usd_is(n, "Sphere")) return read_sphere(u, n, scale, shape);
    if (jn_usd_is(n, "Plane")) return read_plane(u, n, shape);
    static const char *const round[] = {"Cylinder", "Capsule", "Cone", "Cylinder_1", "Capsule_1"};
    for (size_t i = 0; i < sizeof round / sizeof round[0]; i++)
        if (jn_usd_is(n, round[i])) return read_round(u, n, scale, shape);
    *found = false;
    return true;
}

static bool keep_unit(jn_usd *u, jn_usd_node *n, jn_lump unit) {
    void *wide = jn_store_grow(u->b->r->scratch, u->colliders, u->collider_count, sizeof *u->colliders);
    if (!wide) return jn_read_no_memory(u->b->r);
    u->colliders = wide, u->colliders[u->collider_count++] = (jn_usd_collider){n, n->body, unit};
    return true;
}

/* A solid with a form of its own, in its body. */
static bool place_solid(jn_usd *u, jn_usd_node *n, jn_robot_shape *shape, jn_lump *unit, bool *found) {
    jn_robot_pose pose, body = jn_usd_body_pose(u, n->body);
    jn_vec3 scale;
    int axis = 2;
    bool cone = jn_usd_is(n, "Cone");
    if ((cone || jn_usd_is(n, "Plane")) && !read_axis(u, n, &axis)) return false;
    if (!jn_usd_node_pose(u, n, (axis + 1) % 3, &pose, &scale) || !read_solid(u, n, scale, shape, found)) return false;
    if (!*found) return true;
    jn_robot_pose in =
        jn_robot_pose_mul(jn_robot_pose_mul(jn_robot_pose_inverse(body), pose), (jn_robot_pose){shape->at, shape->orientation});
    shape->at = in.p, shape->orientation = in.q;
    jn_shape_desc desc = jn_shape_default(shape->type);
    desc.size = shape->size;
    *unit = jn_lump_place(jn_shape_unit(&desc), shape->at, shape->orientation);
    return true;
}

/* Whether the shape touches anything: planes do on the ground alone. */
static bool may_touch(jn_usd *u, const jn_usd_node *n, const jn_robot_shape *shape, bool *keep) {
    *keep = true;
    if (!jn_usd_flag(&u->stage, n, "physics:collisionEnabled", keep)) return false;
    if (!*keep)
        jn_robot_find(u->b, JN_FINDING_NOTE, n->where, n->path, "colliders that are switched off (collisionEnabled)",
                      "they have mass but touch nothing");
    if (*keep && shape->type == JN_SHAPE_PLANE && shape->body >= 0) {
        jn_robot_find(u->b, JN_FINDING_PHYSICS, n->where, n->path, "planes on moving bodies", "they are left out");
        *keep = false;
    }
    return true;
}

bool jn_usd_add_collider(jn_usd *u, jn_usd_node *n) {
    jn_robot *b = u->b;
    jn_lump unit = {0};
    bool found = true, keep;
    if (n->body < 0 && b->options->without_world) return true; /* another robot of the file has brought it */
    int material = jn_usd_material(u, n);
    jn_robot_shape *shape = jn_robot_add_shape(b, n->body, JN_SHAPE_SPHERE, n->where);
    if (!shape) return false;
    shape->name = n->name, shape->material = material;
    if (jn_usd_is(n, "Mesh") ? !jn_usd_read_mesh(u, n, shape, &unit) : !place_solid(u, n, shape, &unit, &found))
        return false;
    if (!found || shape->type == JN_SHAPE_TYPES) {
        if (!found)
            jn_robot_find(b, JN_FINDING_WARNING, n->where,
                          jn_robot_text(b, "%s (%s)", n->path, *n->type ? n->type : "no type"),
                          "colliders that are no solids",
                          "they touch nothing; apply PhysicsCollisionAPI to Cube, Sphere, Cylinder, Capsule, Cone, "
                          "Plane or Mesh");
        b->shape_count--;
        return true;
    }
    if (!may_touch(u, n, shape, &keep)) return false;
    n->shape = b->shape_count - 1, n->shape_end = b->shape_count;
    if (!keep) b->shape_count--, n->shape = n->shape_end = -1;
    return keep_unit(u, n, unit);
}

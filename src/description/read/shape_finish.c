/* A shape whose keys are read: which keys its type takes, its sizes, and checks that need more than one key. */
#include "description/read/shape_reader.h"

#include "algebra/vec3.h"
#include "description/read/inertia.h"
#include "description/shape_info.h"

static const char *const keys[JN_SHAPE_KEYS] = {"radius", "length", "height", "size",    "tube",    "exponents",
                                                "points", "file",   "scale",  "heights", "surface", "u",
                                                "v",      "from",   "to",     "normal",  "simplify", "triangles"};

#define NEEDS(value, name, kind, must, may, summary) [JN_SHAPE_##value] = {must, may},
static const struct { unsigned must, may; } needs[JN_SHAPE_TYPES] = {JN_SHAPES(NEEDS)};

/* The keys that the type needs are there, and no others. */
static bool check_keys(jn_reader *r, const jn_node *node, const jn_shape_item *s) {
    const char *name = jn_shape_type_info(s->shape.type)->name;
    for (int i = 0; i < JN_SHAPE_KEYS; i++) {
        const jn_entry *entry = jn_node_entry(node, keys[i]);
        if (!entry && (needs[s->shape.type].must & 1u << i)) {
            return jn_read_error(r, node->where, JN_ERR_MODEL, "a %s needs '%s'\nadd '%s'", name, keys[i],
                                 jn_field_find(&jn_shape_fields, keys[i])->example);
        }
        if (entry && !((needs[s->shape.type].must | needs[s->shape.type].may) & 1u << i)) {
            return jn_read_error(r, entry->where, JN_ERR_MODEL, "a %s has no '%s'\nremove it", name, keys[i]);
        }
    }
    return true;
}

/* The shortest rotation that turns the axis `from` into `to`. */
static jn_quat turn(jn_vec3 from, jn_vec3 to) {
    double c = v3_dot(from, to);
    jn_vec3 s = v3_cross(from, to);
    if (c < -0.999999) {
        s = v3_any_normal(from);
        return (jn_quat){0, s.x, s.y, s.z};
    }
    return q4_unit((jn_quat){1 + c, s.x, s.y, s.z});
}

static bool finish_open(jn_reader *r, const jn_node *node, jn_shape_item *s) {
    const jn_entry *density = jn_node_entry(node, "density"), *normal = jn_node_entry(node, "normal");
    const jn_shape_info *info = jn_shape_type_info(s->shape.type);
    if (density && !info->closed) {
        return jn_read_error(r, density->where, JN_ERR_MODEL,
                             "a %s has no inside, so a density gives no mass\nremove it", info->name);
    }
    if (normal && jn_node_entry(node, "orientation")) {
        return jn_read_error(r, normal->where, JN_ERR_MODEL,
                             "'normal' and 'orientation' say the same\nremove one of them");
    }
    if (normal) {
        s->shape.orientation = turn(s->shape.type == JN_SHAPE_PLANE ? v3(0, 0, 1) : v3(0, 1, 0), s->normal);
    }
    if (s->shape.type == JN_SHAPE_ARC) {
        bool whole = !jn_node_entry(node, "from") && !jn_node_entry(node, "to");
        s->shape.range[0][0] = whole ? 0 : s->from;
        s->shape.range[0][1] = whole ? 6.283185307179586 : s->to;
        if (!(s->shape.range[0][1] > s->shape.range[0][0]) ||
            s->shape.range[0][1] - s->shape.range[0][0] > 6.2831853071796) {
            return jn_read_error(r, node->where, JN_ERR_MODEL,
                                 "an arc goes counter-clockwise from 'from' to 'to', by 360 deg at most");
        }
    }
    return true;
}

bool jn_shape_finish(jn_reader *r, const jn_node *node, jn_shape_item *s) {
    const jn_node *size = jn_node_get(node, "size"), *file = jn_node_get(node, "file");
    unsigned must = needs[s->shape.type].must;

    if (s->shape.type == JN_SHAPE_BOX && r->d->planar && size && size->kind == JN_NODE_LIST && size->count == 2) {
        s->shape.type = JN_SHAPE_RECTANGLE;
    }
    if (s->shape.type == JN_SHAPE_PLANE && r->d->planar) {
        s->shape.type = JN_SHAPE_HALF_PLANE;
    }
    if (!check_keys(r, node, s)) {
        return false;
    }
    if (jn_shape_is_planar(s->shape.type) && !r->d->planar) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a %s is a planar shape\nwrite 'plane: xy' at the top, or use a solid",
                             jn_shape_type_info(s->shape.type)->name);
    }
    s->shape.size = must & JN_NEED_SIZE ? s->size
                                        : v3(s->radius,
                                             must & JN_NEED_HEIGHT ? s->height
                                             : must & JN_NEED_TUBE ? s->tube
                                                                   : s->length,
                                             0);
    if (s->shape.type == JN_SHAPE_TORUS && !(s->tube < s->radius)) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "the tube of a torus must be thinner than its radius");
    }
    if (s->shape.type == JN_SHAPE_HULL && !file == !s->shape.points) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a hull needs either 'points' or 'file'\nadd '%s'",
                             jn_field_find(&jn_shape_fields, "file")->example);
    }
    if (s->shape.type == JN_SHAPE_MESH && (!file == !s->shape.points || !file == !s->shape.triangles)) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a mesh needs either 'file', or 'points' and 'triangles'\nadd '%s'",
                             jn_field_find(&jn_shape_fields, "file")->example);
    }
    if (file && !jn_read_mesh(r, file, jn_node_entry(node, "scale") ? s->scale : v3(1, 1, 1), &s->shape)) {
        return false;
    }
    return finish_open(r, node, s) && jn_shape_corners(r, node, s->simplify, &s->shape);
}

/* Solids fixed on a body. */
#include "description/read/shape_reader.h"

#include "algebra/vec3.h"
#include "description/read/inertia.h"
#include "description/shape_info.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define KEYWORD(value, name, kind, must, may, summary) {name, JN_SHAPE_##value},
static const jn_keyword shape_keywords[] = {JN_SHAPES(KEYWORD){NULL, 0}};

static bool read_shape_orientation(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_orientation(r, node, &((jn_shape_item *)item)->shape.orientation);
}

/* Edge lengths or semi-axes: two numbers for a rectangle, a heightfield and a planar box, else three. */
static bool read_size(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_item *s = item;
    double a[3] = {0};
    bool flat = r->d->planar && s->shape.type == JN_SHAPE_BOX && node->kind == JN_NODE_LIST && node->count == 2;
    int n = s->shape.type == JN_SHAPE_RECTANGLE || s->shape.type == JN_SHAPE_HEIGHTFIELD || flat ? 2 : 3;
    if (!jn_read_numbers(r, node, JN_MEASURE_LENGTH, n, a)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!(a[i] > 0)) {
            return jn_read_error(r, node->items[i]->where, JN_ERR_MODEL, "a size must be greater than 0, not %g", a[i]);
        }
    }
    s->size = v3(a[0], a[1], a[2]);
    return true;
}

static bool read_normal(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_direction(r, node, &((jn_shape_item *)item)->normal);
}

static bool read_exponents(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_item *s = item;
    double e[2];
    if (!jn_read_numbers(r, node, JN_MEASURE_NUMBER, 2, e)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (!(e[i] >= 0.05 && e[i] <= 1.95)) {
            return jn_read_error(
                r, node->items[i]->where, JN_ERR_MODEL,
                "an exponent must be between 0.05 and 1.95, not %g\n1 is an ellipsoid, less is nearer a "
                "box, more nearer an octahedron",
                e[i]);
        }
    }
    s->shape.e1 = e[0];
    s->shape.e2 = e[1];
    return true;
}

static bool read_points(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_desc *s = &((jn_shape_item *)item)->shape;
    if (!jn_expect_kind(r, node, JN_NODE_LIST, "a list of points")) {
        return false;
    }
    s->points = jn_store_array(r->store, (size_t)node->count + 1, sizeof *s->points);
    if (!s->points) {
        return jn_read_no_memory(r);
    }
    for (int i = 0; i < node->count; i++) {
        size_t mark = jn_path_item(r, i);
        bool fine = jn_read_vector(r, node->items[i], JN_MEASURE_LENGTH, &s->points[i]);
        jn_path_back(r, mark);
        if (!fine) {
            return false;
        }
    }
    s->point_count = node->count;
    return true;
}

/* Three indices of points each, from 0. That the points are there is seen when all keys are read. */
static bool read_triangles(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_desc *s = &((jn_shape_item *)item)->shape;
    if (!jn_expect_kind(r, node, JN_NODE_LIST, "a list of triangles")) return false;
    s->triangles = jn_store_array(r->store, (size_t)node->count + 1, sizeof *s->triangles);
    if (!s->triangles) return jn_read_no_memory(r);
    for (int i = 0; i < node->count; i++) {
        size_t mark = jn_path_item(r, i);
        bool fine = jn_expect_list(r, node->items[i], 3, "three indices of points");
        for (int k = 0; fine && k < 3; k++) {
            double x;
            fine = jn_read_number(r, node->items[i]->items[k], JN_MEASURE_NUMBER, &x);
            if (fine && !(x >= 0 && x < 2147483647 && x == floor(x)))
                fine = jn_read_error(r, node->items[i]->where, JN_ERR_MODEL, "an index of a point is a whole number from 0, not %g", x);
            if (fine) s->triangles[i][k] = (int)x;
        }
        jn_path_back(r, mark);
        if (!fine) return false;
    }
    s->triangle_count = node->count;
    return true;
}

/* Rows along y, columns along x. */
static bool read_heights(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_desc *s = &((jn_shape_item *)item)->shape;
    int columns;
    if (!jn_expect_kind(r, node, JN_NODE_LIST, "rows of heights")) {
        return false;
    }
    columns = node->count > 0 ? node->items[0]->count : 0;
    if (node->count < 2 || columns < 2 || node->items[0]->kind != JN_NODE_LIST) {
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "a heightfield needs two rows of two heights at least\nwrite 'heights: [[0, 0], [0, 0.1]]'");
    }
    s->heights = jn_store_array(r->store, (size_t)node->count * (size_t)columns, sizeof *s->heights);
    if (!s->heights) {
        return jn_read_no_memory(r);
    }
    for (int i = 0; i < node->count; i++) {
        size_t mark = jn_path_item(r, i);
        bool fine =
            jn_read_numbers(r, node->items[i], JN_MEASURE_LENGTH, columns, s->heights + (size_t)i * (size_t)columns);
        jn_path_back(r, mark);
        if (!fine) {
            return false;
        }
    }
    s->grid[0] = columns;
    s->grid[1] = node->count;
    return true;
}

static bool read_surface(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_desc *s = &((jn_shape_item *)item)->shape;
    if (!jn_expect_list(r, node, 3, "x, y and z as functions of u and v")) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        size_t mark = jn_path_item(r, k);
        bool fine = jn_read_function(r, node->items[k], JN_MEASURE_LENGTH, JN_MAY_UV, &s->surface[k]);
        jn_path_back(r, mark);
        if (!fine) {
            return false;
        }
    }
    return true;
}

static bool read_limits(jn_reader *r, const jn_node *node, double out[2]) {
    return jn_read_numbers(r, node, JN_MEASURE_ANY, 2, out) &&
           (out[0] < out[1] || jn_read_error(r, node->where, JN_ERR_MODEL,
                                             "the first limit must be below the second\nwrite [least, most]"));
}
static bool read_u(jn_reader *r, const jn_node *node, void *item) {
    return read_limits(r, node, ((jn_shape_item *)item)->shape.range[0]);
}
static bool read_v(jn_reader *r, const jn_node *node, void *item) {
    return read_limits(r, node, ((jn_shape_item *)item)->shape.range[1]);
}

static bool read_shape_density(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_item *s = item;
    jn_measure measure = jn_shape_is_planar(s->shape.type) ? JN_MEASURE_AREA_DENSITY : JN_MEASURE_DENSITY;
    s->has_density = true;
    return jn_read_number(r, node, measure, &s->density) &&
           (s->density >= 0 || jn_read_error(r, node->where, JN_ERR_MODEL, "a density must not be negative"));
}

/* One factor, or one for each axis, negative where the file is mirrored. */
static bool read_scale(jn_reader *r, const jn_node *node, void *item) {
    jn_vec3 *scale = &((jn_shape_item *)item)->scale;
    double x[3];
    if (node->kind != JN_NODE_LIST) {
        if (!jn_read_number(r, node, JN_MEASURE_NUMBER, &x[0])) return false;
        x[1] = x[2] = x[0];
    } else if (!jn_read_numbers(r, node, JN_MEASURE_NUMBER, 3, x)) {
        return false;
    }
    *scale = v3(x[0], x[1], x[2]);
    return x[0] * x[1] * x[2] != 0 || jn_read_error(r, node->where, JN_ERR_MODEL,
                                                    "a scale of 0 leaves nothing of the shape\nwrite 'scale: 0.001'");
}

static bool read_simplify(jn_reader *r, const jn_node *node, void *item) {
    double *part = &((jn_shape_item *)item)->simplify;
    return jn_read_number(r, node, JN_MEASURE_NUMBER, part) &&
           ((*part >= 0 && *part <= 0.1) ||
            jn_read_error(r, node->where, JN_ERR_MODEL, "a hull is simplified by 0 to 0.1 of its size, not %g", *part));
}

static bool read_bits(jn_reader *r, const jn_node *node, uint32_t *bits) {
    const char *word = jn_read_plain_word(r, node);
    double x;
    if (word && !strcmp(word, "all")) return *bits = UINT32_MAX, true;
    if (!jn_read_number(r, node, JN_MEASURE_NUMBER, &x)) return false;
    if (!(x >= 0 && x <= UINT32_MAX && x == floor(x)))
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "expected bits, a whole number from 0 to 4294967295, not %g\nwrite 'all', or the sum of 1, 2, 4, ...", x);
    *bits = (uint32_t)x;
    return true;
}

static bool read_layer(jn_reader *r, const jn_node *node, void *item) {
    return read_bits(r, node, &((jn_shape_item *)item)->shape.layer);
}

static bool read_contacts(jn_reader *r, const jn_node *node, void *item) {
    return read_bits(r, node, &((jn_shape_item *)item)->shape.touches);
}

static bool read_surface_rotation(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_item *i = item;
    return r->d->planar ? jn_read_number(r, node, JN_MEASURE_ANGULAR_SPEED, &i->shape.surface_rotation.z)
                        : jn_read_vector(r, node, JN_MEASURE_ANGULAR_SPEED, &i->shape.surface_rotation);
}

#define BITS_SCHEMA "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, {\"type\": \"string\"}]}"
static const jn_field shape_rows[] = {
    {.key = "type",
     .kind = JN_FIELD_KEYWORD,
     .offset = offsetof(jn_shape_item, shape.type),
     .keywords = shape_keywords,
     .required = true,
     .doc = "kind of solid",
     .example = "type: box"},
    {.key = "radius",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, radius),
     .range = JN_RANGE_POSITIVE,
     .doc =
         "of a sphere, cylinder, capsule, cone (its base), torus, bore, socket, circle or arc; rounding of a segment",
     .example = "radius: 20 mm"},
    {.key = "length",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, length),
     .range = JN_RANGE_POSITIVE,
     .doc = "of a cylinder or bore, or of the straight part of a capsule, along z",
     .example = "length: 0.3"},
    {.key = "height",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, height),
     .range = JN_RANGE_POSITIVE,
     .doc = "of a cone, along z from its base",
     .example = "height: 50 mm"},
    {.key = "size",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_LENGTH,
     .read = read_size,
     .schema = JN_SCHEMA_NUMBERS,
     .doc = "edge lengths of a box, rectangle or heightfield; semi-axes of an ellipsoid or superellipsoid",
     .example = "size: [0.1, 0.2, 0.3]"},
    {.key = "tube",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, tube),
     .range = JN_RANGE_POSITIVE,
     .doc = "radius of a torus' tube; 'radius' is that of its middle circle",
     .example = "tube: 5 mm"},
    {.key = "exponents",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_NUMBER,
     .read = read_exponents,
     .schema = JN_SCHEMA_NUMBERS,
     .doc = "of a superellipsoid, [e1, e2]: ((x/a)^(2/e2) + (y/b)^(2/e2))^(e2/e1) + (z/c)^(2/e1) = 1",
     .example = "exponents: [0.5, 0.8]"},
    {.key = "points",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_LENGTH,
     .read = read_points,
     .schema = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/vector\"}}",
     .doc = "corners of a convex polygon, ends of a segment, points that a hull encloses, corners of a mesh",
     .example = "points: [[0, 0], [0.2, 0], [0.1, 0.3]]"},
    {.key = "triangles",
     .kind = JN_FIELD_CUSTOM,
     .read = read_triangles,
     .schema = "{\"type\": \"array\"}",
     .doc = "of a mesh: three indices of 'points' each, from 0, counter-clockwise from outside",
     .example = "triangles: [[0, 1, 2], [0, 2, 3]]"},
    {.key = "file",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(jn_shape_item, file),
     .doc = "of a mesh, or of the points of a hull: OBJ or STL, beside the model",
     .example = "file: bracket.stl"},
    {.key = "scale",
     .kind = JN_FIELD_CUSTOM,
     .read = read_scale,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]}",
     .fallback = "1",
     .doc = "metres per unit of the file; one number, or one for each axis",
     .example = "scale: 0.001"},
    {.key = "simplify",
     .kind = JN_FIELD_CUSTOM,
     .read = read_simplify,
     .schema = "{\"$ref\": \"#/$defs/number\"}",
     .fallback = "0",
     .doc = "of a hull: corners are left out as long as none of them stands out by more than this part of its size",
     .example = "simplify: 0.001"},
    {.key = "heights",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_LENGTH,
     .read = read_heights,
     .schema = "{\"type\": \"array\"}",
     .doc = "of a heightfield over its size: rows along y, columns along x; two triangles per cell",
     .example = "heights: [[0, 0.1, 0], [0, 0, 0]]"},
    {.key = "surface",
     .kind = JN_FIELD_CUSTOM,
     .read = read_surface,
     .schema = "{\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3}",
     .doc = "x, y, z as functions of u and v; the solid lies against the normal s_u x s_v",
     .example = "surface: [u, v, 0.1*cos(u)*cos(v)]"},
    {.key = "u",
     .kind = JN_FIELD_CUSTOM,
     .read = read_u,
     .schema = JN_SCHEMA_NUMBERS,
     .doc = "limits of u on a surface",
     .example = "u: [-1, 1]"},
    {.key = "v",
     .kind = JN_FIELD_CUSTOM,
     .read = read_v,
     .schema = JN_SCHEMA_NUMBERS,
     .doc = "limits of v on a surface",
     .example = "v: [-1, 1]"},
    {.key = "from",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANGLE,
     .offset = offsetof(jn_shape_item, from),
     .fallback = "a whole circle",
     .doc = "angle where an arc begins; it goes counter-clockwise",
     .example = "from: 180 deg"},
    {.key = "to",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANGLE,
     .offset = offsetof(jn_shape_item, to),
     .fallback = "a whole circle",
     .doc = "angle where an arc ends",
     .example = "to: 360 deg"},
    {.key = "normal",
     .kind = JN_FIELD_CUSTOM,
     .read = read_normal,
     .schema = "{}",
     .fallback = "z; y for a half_plane",
     .doc = "outward normal of a plane or half_plane, instead of its orientation",
     .example = "normal: [0, 0.1, 1]"},
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, shape.at),
     .fallback = "the body's origin",
     .doc = "centre (base of a cone) in the body's frame",
     .example = "at: [0.1, 0, 0]"},
    {.key = "orientation",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_ANGLE,
     .read = read_shape_orientation,
     .schema = JN_SCHEMA_ORIENTATION,
     .fallback = "as the body",
     .doc = "of the solid's axes in the body's frame",
     .example = "orientation: {axis: y, angle: 90 deg}"},
    {.key = "density",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_DENSITY,
     .read = read_shape_density,
     .schema = JN_SCHEMA_NUMBER,
     .fallback = "that of the body",
     .doc = "mass per volume; mass per area for a circle, rectangle or polygon",
     .example = "density: 7.8 g/cm^3"},
    {.key = "name",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(jn_shape_item, shape.name),
     .doc = "to speak of this shape elsewhere",
     .example = "name: left_wheel"},
    {.key = "contact",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(jn_shape_item, shape.contact),
     .doc = "contact material of its surface",
     .example = "contact: steel"},
    {.key = "group",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(jn_shape_item, shape.group),
     .doc = "shapes of one group never touch each other",
     .example = "group: left_leg"},
    {.key = "adhesion",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_FORCE,
     .offset = offsetof(jn_shape_item, shape.adhesion),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "force with which each contact point of the shape pulls; those of two shapes add up",
     .example = "adhesion: 2 N"},
    {.key = "adhesion_reach",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, shape.adhesion_reach),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "gaps up to it are pulled at, too; of two shapes that stick the larger one holds",
     .example = "adhesion_reach: 3 mm"},
    {.key = "surface_velocity",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_SPEED,
     .offset = offsetof(jn_shape_item, shape.surface_velocity),
     .fallback = "0",
     .doc = "velocity of its surface, along the shape's axes, while the shape stands: a belt. Contacts see what lies across their normals",
     .example = "surface_velocity: [1.5, 0, 0]"},
    {.key = "surface_rotation",
     .kind = JN_FIELD_CUSTOM,
     .read = read_surface_rotation,
     .schema = "{\"anyOf\": [" JN_SCHEMA_NUMBER ", " JN_SCHEMA_NUMBERS "]}",
     .fallback = "0",
     .doc = "angular velocity of its surface about the shape's origin: a turntable, a roller; in a plane a number",
     .example = "surface_rotation: [0, 0, 2]"},
    {.key = "layer",
     .kind = JN_FIELD_CUSTOM,
     .read = read_layer,
     .schema = BITS_SCHEMA,
     .fallback = "1",
     .doc = "bits of the layers that the shape is in",
     .example = "layer: 2"},
    {.key = "touches",
     .kind = JN_FIELD_CUSTOM,
     .read = read_contacts,
     .schema = BITS_SCHEMA,
     .fallback = "all",
     .doc = "bits of the layers that it may touch; two shapes touch if either may touch the other",
     .example = "touches: 5"},
    {.key = NULL},
};
const jn_fieldset jn_shape_fields = {"a shape", "A solid fixed on the body.", shape_rows};

bool jn_read_shape(jn_reader *r, const jn_node *node, jn_shape_item *shape) {
    const jn_node *word = jn_node_get(node, "type");
    int type = JN_SHAPE_SPHERE;

    *shape = (jn_shape_item){.shape = jn_shape_default(JN_SHAPE_SPHERE), .node = node};
    shape->shape.where = node->where;
    if (word && word->kind == JN_NODE_SCALAR && !jn_read_keyword(r, word, shape_keywords, &type)) {
        return false;
    }
    shape->shape.type = (jn_shape_type)type;
    return jn_read_fields(r, node, &jn_shape_fields, shape) && jn_shape_finish(r, node, shape);
}

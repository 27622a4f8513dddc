/* Solids fixed on a body. */
#include "description/shape.h"

#include "algebra/vec3.h"
#include "description/inertia.h"

#include <stddef.h>

static const jn_word shape_words[] = {
    {"sphere", JN_SHAPE_SPHERE},
    {"box", JN_SHAPE_BOX},
    {"cylinder", JN_SHAPE_CYLINDER},
    {"capsule", JN_SHAPE_CAPSULE},
    {"cone", JN_SHAPE_CONE},
    {"ellipsoid", JN_SHAPE_ELLIPSOID},
    {"circle", JN_SHAPE_CIRCLE},
    {"rectangle", JN_SHAPE_RECTANGLE},
    {NULL, 0},
};

static bool read_shape_orientation(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_orientation(r, node, &((jn_shape_item *)item)->shape.orientation);
}

/* Edge lengths or semi-axes: two numbers for a rectangle, else three. */
static bool read_size(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_item *s = item;
    double a[3] = {0};
    int n = s->shape.type == JN_SHAPE_RECTANGLE ? 2 : 3;
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

static bool read_shape_density(jn_reader *r, const jn_node *node, void *item) {
    jn_shape_item *s = item;
    jn_measure measure = jn_shape_is_planar(s->shape.type) ? JN_MEASURE_AREA_DENSITY : JN_MEASURE_DENSITY;
    s->has_density = true;
    return jn_read_number(r, node, measure, &s->density) &&
           (s->density >= 0 || jn_read_error(r, node->where, JN_ERR_MODEL, "a density must not be negative"));
}

#define NUMBER_SCHEMA "{\"$ref\": \"#/$defs/number\"}"
#define NUMBERS_SCHEMA "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}}"
#define ORIENTATION_SCHEMA "{\"$ref\": \"#/$defs/orientation\"}"

static const jn_field shape_rows[] = {
    {.key = "type",
     .kind = JN_FIELD_WORD,
     .offset = offsetof(jn_shape_item, shape.type),
     .words = shape_words,
     .required = true,
     .doc = "kind of solid",
     .example = "type: box"},
    {.key = "radius",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, radius),
     .range = JN_RANGE_POSITIVE,
     .doc = "of a sphere, cylinder, capsule, cone (its base) or circle",
     .example = "radius: 20 mm"},
    {.key = "length",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(jn_shape_item, length),
     .range = JN_RANGE_POSITIVE,
     .doc = "of a cylinder or of the straight part of a capsule, along z",
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
     .schema = NUMBERS_SCHEMA,
     .doc = "edge lengths of a box or rectangle; semi-axes of an ellipsoid",
     .example = "size: [0.1, 0.2, 0.3]"},
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
     .schema = ORIENTATION_SCHEMA,
     .fallback = "as the body",
     .doc = "of the solid's axes in the body's frame",
     .example = "orientation: {axis: y, angle: 90 deg}"},
    {.key = "density",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_DENSITY,
     .read = read_shape_density,
     .schema = NUMBER_SCHEMA,
     .fallback = "that of the body",
     .doc = "mass per volume; mass per area for a circle or rectangle",
     .example = "density: 7.8 g/cm^3"},
    {.key = NULL},
};
const jn_fieldset jn_shape_fields = {"a shape", "A solid fixed on the body.", shape_rows};

/* The numbers that the type needs, and no others, into shape.size. */
static bool finish_shape(jn_reader *r, const jn_node *node, jn_shape_item *s) {
    static const struct {
        bool radius, length, height, size;
    } needs[JN_SHAPE_TYPES] = {
        [JN_SHAPE_SPHERE] = {.radius = true},
        [JN_SHAPE_BOX] = {.size = true},
        [JN_SHAPE_CYLINDER] = {.radius = true, .length = true},
        [JN_SHAPE_CAPSULE] = {.radius = true, .length = true},
        [JN_SHAPE_CONE] = {.radius = true, .height = true},
        [JN_SHAPE_ELLIPSOID] = {.size = true},
        [JN_SHAPE_CIRCLE] = {.radius = true},
        [JN_SHAPE_RECTANGLE] = {.size = true},
    };
    static const char *const keys[] = {"radius", "length", "height", "size"};
    bool need[4] = {needs[s->shape.type].radius, needs[s->shape.type].length, needs[s->shape.type].height,
                    needs[s->shape.type].size};
    const char *name = shape_words[s->shape.type].name;

    for (int i = 0; i < 4; i++) {
        const jn_entry *entry = jn_node_entry(node, keys[i]);
        if (need[i] && !entry) {
            return jn_read_error(r, node->where, JN_ERR_MODEL, "a %s needs '%s'\nadd '%s'", name, keys[i],
                                 jn_field_find(&jn_shape_fields, keys[i])->example);
        }
        if (!need[i] && entry) {
            return jn_read_error(r, entry->where, JN_ERR_MODEL, "a %s has no '%s'\nremove it", name, keys[i]);
        }
    }
    if (jn_shape_is_planar(s->shape.type) && !r->d->planar) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a %s is a planar shape\nwrite 'plane: xy' at the top, or use a solid", name);
    }
    s->shape.size = need[3] ? s->size : v3(s->radius, need[2] ? s->height : s->length, 0);
    return true;
}

bool jn_read_shape(jn_reader *r, const jn_node *node, jn_shape_item *shape) {
    const jn_node *word = jn_node_get(node, "type");
    int type = JN_SHAPE_SPHERE;

    *shape = (jn_shape_item){.shape = {.where = node->where, .orientation = {1, 0, 0, 0}}, .node = node};
    if (word && word->kind == JN_NODE_SCALAR && !jn_read_word(r, word, shape_words, &type)) {
        return false;
    }
    shape->shape.type = (jn_shape_type)type;
    return jn_read_fields(r, node, &jn_shape_fields, shape) && finish_shape(r, node, shape);
}

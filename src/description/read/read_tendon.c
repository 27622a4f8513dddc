/* The section tendons: cables over joints or along paths, which springs, stops and forces act on. */
#include "description/read/term_list.h"

#include "algebra/vec3.h"

#include <stddef.h>
#include <string.h>

typedef struct tendon_item {
    jn_tendon_desc tendon; /* first: the table's offsets are those of the tendon */
    bool has_axis;
    jn_vec3 axis;
} tendon_item;

static bool read_tendon_terms(jn_reader *r, const jn_node *node, void *item) {
    jn_tendon_desc *c = item;
    jn_term_list t = {&c->count, c->joint, c->coordinate, c->factor, NULL, JN_TENDON_MAX, "a tendon"};
    return jn_read_terms(r, node, &t);
}

static bool read_rotation(jn_reader *r, const jn_node *node, void *item) {
    jn_tendon_desc *t = item;
    int point[2];
    if (!jn_expect_list(r, node, 2, "two points") || !jn_read_point_name(r, node->items[0], &point[0]) ||
        !jn_read_point_name(r, node->items[1], &point[1]))
        return false;
    if (t->path_count)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a tendon has a path or a rotation\nleave one out");
    t->path = jn_store_alloc(r->store, 2 * sizeof *t->path);
    if (!t->path) return jn_read_no_memory(r);
    for (int k = 0; k < 2; k++) {
        const jn_point_desc *p = &r->d->points[point[k]];
        t->path[t->path_count++] = (jn_path_desc){.where = node->items[k]->where,
                                                  .kind = JN_PATH_POINT,
                                                  .body = p->body,
                                                  .at = p->at,
                                                  .orientation = p->orientation};
    }
    return t->is_rotation = true;
}

static bool read_axis(jn_reader *r, const jn_node *node, void *item) {
    tendon_item *t = item;
    t->has_axis = true;
    return jn_read_direction(r, node, &t->axis);
}

static const jn_fieldset *const path_sets[] = {&jn_path_fields, NULL};

#define LAW(member) offsetof(jn_tendon_desc, law.member)
static const jn_field tendon_rows[] = {
    {.key = "joints",
     .kind = JN_FIELD_CUSTOM,
     .read = read_tendon_terms,
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/number\"}}",
     .doc = "factors: the tendon's length x is the sum of factor * coordinate, 0 as drawn; 'NAME.2' is the second "
            "coordinate of a joint",
     .example = "joints: {hip: 0.5, knee: -0.5}"},
    {.key = "path",
     .kind = JN_FIELD_LIST,
     .read = jn_read_path,
     .sets = path_sets,
     .doc = "in place of joints: points, and spheres or cylinders between two of them; x is the length of the cable",
     .example = "path: [origin, {cylinder: 2 cm, body: thigh, at: [0, 0, 0], axis: y, side: kneecap}, insertion]"},
    {.key = "rotation",
     .kind = JN_FIELD_CUSTOM,
     .read = read_rotation,
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": \"string\"}}",
     .doc = "in place of joints: two points; x is the angle in radians, 0 to pi, by which the axes of the second are "
            "turned "
            "against those of the first: with 'upper' the stop of a ball joint",
     .example = "rotation: [socket, ball]"},
    {.key = "axis",
     .kind = JN_FIELD_CUSTOM,
     .read = read_axis,
     .schema = JN_SCHEMA_DIRECTION,
     .fallback = "none: all rotation counts",
     .doc = "of a rotation: x is the angle between this axis of both points alone, so that 'upper' is a cone",
     .example = "axis: x"},
    {.key = "lower",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(lower),
     .has = LAW(has_lower),
     .fallback = "none",
     .doc = "shortest length: a stop, rigid unless it has a limit_stiffness (method nonsmooth)",
     .example = "lower: -0.3"},
    {.key = "upper",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(upper),
     .has = LAW(has_upper),
     .fallback = "none",
     .doc = "longest length",
     .example = "upper: 2"},
    {.key = "limit_stiffness",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(limit_stiffness),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0: rigid",
     .doc = "of elastic stops",
     .example = "limit_stiffness: 1e4"},
    {.key = "limit_damping",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(limit_damping),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of elastic stops",
     .example = "limit_damping: 10"},
    {.key = "stiffness",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(stiffness),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of a spring along the tendon, which pulls and pushes",
     .example = "stiffness: 100"},
    {.key = "rest",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(rest),
     .has = offsetof(jn_tendon_desc, has_rest),
     .fallback = "as drawn",
     .doc = "length at which the spring is free of force",
     .example = "rest: 0.1"},
    {.key = "slack",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(slack),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "length beyond rest at which the spring starts to pull; below rest it pushes",
     .example = "slack: 0.02"},
    {.key = "damping",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(damping),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of a damper along the tendon",
     .example = "damping: 0.5"},
    {.key = "friction",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(friction),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "force of dry friction, friction * tanh(speed / friction_speed); exact in method nonsmooth",
     .example = "friction: 0.1"},
    {.key = "friction_speed",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(friction_speed),
     .range = JN_RANGE_POSITIVE,
     .fallback = "1e-3",
     .doc = "speed at which dry friction is all but full; method nonsmooth needs none",
     .example = "friction_speed: 0.01"},
    {.key = "force",
     .kind = JN_FIELD_FUNCTION,
     .measure = JN_MEASURE_ANY,
     .offset = LAW(force),
     .may = JN_MAY_T | JN_MAY_XV | JN_MAY_SIGNAL,
     .fallback = "0",
     .doc = "applied along the length, positive where it lengthens: t, x and v of the tendon, joints",
     .example = "force: -10*sin(2*t)"},
    {.key = NULL},
};
const jn_fieldset jn_tendon_fields = {
    "tendons.NAME",
    "A cable. Over joints its length is a linear function of their coordinates, and factor[k] times its force acts on "
    "joint k; along a path it is the length of the path. It may be an angle between two points. Spring, damper, stops, "
    "friction and force act along it. SI "
    "units of the length that the factors make.",
    tendon_rows};

/* The axis that a rotation is measured between becomes z of both places. */
static void turn_places(jn_tendon_desc *t, jn_vec3 axis) {
    jn_vec3 x = v3_any_normal(axis);
    jn_mat3 E = m3_from_columns(x, v3_cross(axis, x), axis);
    for (int k = 0; k < 2; k++) {
        jn_quat own = t->path[k].orientation;
        t->path[k].orientation = q4_mul(q4_norm(own) > 0 ? q4_unit(own) : q4_identity(), q4_from_matrix(&E));
    }
    t->is_swing = true;
}

static bool finish_tendon(jn_reader *r, const jn_node *node, tendon_item *item) {
    jn_tendon_desc *t = &item->tendon;
    if ((t->count == 0) == (t->path_count == 0))
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "a tendon needs joints, a path or a rotation\nwrite {joints: {hip: 0.5, knee: -0.5}}, {path: "
            "[origin, insertion]} or {rotation: [socket, ball]}");
    if (t->is_rotation && t->path[0].body == t->path[1].body)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "both points are on one body\nname points of two bodies");
    if (item->has_axis && !t->is_rotation)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'axis' belongs to 'rotation'\nleave it out");
    if (item->has_axis) turn_places(t, item->axis);
    if (t->law.has_lower && t->law.has_upper && t->law.lower > t->law.upper)
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'lower' is above 'upper'\nexchange them");
    return true;
}

bool jn_read_tendons(jn_reader *r, const jn_node *node, void *item) {
    jn_description *d = r->d;
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "tendons, each 'name: {joints: {...}}'");
    (void)item;
    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        tendon_item t = {.tendon = jn_tendon_default(jn_store_strdup(r->store, entry->key))};
        t.tendon.where = entry->where;
        size_t mark = jn_path_key(r, entry->key);
        void *wide = jn_store_grow(r->store, d->tendons, d->tendon_count, sizeof *d->tendons);
        if (!wide || !t.tendon.name) return jn_read_no_memory(r);
        d->tendons = wide;
        if (jn_check_name(r, entry, true, "a tendon") && jn_read_fields(r, entry->value, &jn_tendon_fields, &t) &&
            finish_tendon(r, entry->value, &t))
            d->tendons[d->tendon_count++] = t.tendon;
        jn_path_back(r, mark);
    }
    return fine;
}

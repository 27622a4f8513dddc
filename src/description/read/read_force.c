/* The section forces. */
#include "algebra/vec3.h"
#include "description/read/reader.h"

#include <stddef.h>

typedef struct force_item {
    jn_force_desc force; /* first: the table's offsets are those of the force */
    bool has_between, has_at, has_ends, has_orientation;
    int in;
} force_item;

enum { MAY_ALL = JN_MAY_T | JN_MAY_SIGNAL };

static const jn_keyword force_keywords[] = {
    {"spring", JN_FORCE_SPRING}, {"bushing", JN_FORCE_BUSHING}, {"force", JN_FORCE_FORCE},
    {"torque", JN_FORCE_TORQUE}, {"drag", JN_FORCE_DRAG},       {NULL, 0},
};
static const jn_keyword in_words[] = {{"world", 0}, {"body", 1}, {NULL, 0}};

static bool read_between(jn_reader *r, const jn_node *node, void *item) {
    force_item *f = item;
    f->has_between = true;
    return jn_read_between(r, node, f->force.body);
}

/* Two points: the places of a bushing with their axes. */
static bool read_points(jn_reader *r, const jn_node *node, void *item) {
    jn_force_desc *f = &((force_item *)item)->force;
    int point[2];
    if (!jn_expect_list(r, node, 2, "two points") || !jn_read_point_name(r, node->items[0], &point[0]) ||
        !jn_read_point_name(r, node->items[1], &point[1]))
        return false;
    for (int k = 0; k < 2; k++) {
        const jn_point_desc *p = &r->d->points[point[k]];
        f->body[k] = p->body, f->at[k] = p->at;
        f->frame[k] = q4_norm(p->orientation) > 0 ? q4_unit(p->orientation) : q4_identity();
    }
    if (f->body[0] == f->body[1])
        return jn_read_error(r, node->where, JN_ERR_MODEL, "both points are on one body\nname points of two bodies");
    return f->framed = true;
}

static bool read_ends(jn_reader *r, const jn_node *node, void *item) {
    force_item *f = item;
    f->has_ends = true;
    return jn_expect_list(r, node, 2, "the point on the first body and that on the second") &&
           jn_read_vector(r, node->items[0], JN_MEASURE_LENGTH, &f->force.at[0]) &&
           jn_read_vector(r, node->items[1], JN_MEASURE_LENGTH, &f->force.at[1]);
}

static bool read_at(jn_reader *r, const jn_node *node, void *item) {
    force_item *f = item;
    f->has_at = true;
    if (!jn_read_vector(r, node, JN_MEASURE_LENGTH, &f->force.at[1])) {
        return false;
    }
    f->force.at[0] = f->force.at[1];
    return true;
}

static bool read_orientation(jn_reader *r, const jn_node *node, void *item) {
    force_item *f = item;
    f->has_orientation = true;
    return jn_read_orientation(r, node, &f->force.orientation);
}

static bool read_on(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_body_name(r, node, &((force_item *)item)->force.body[1]);
}

static bool read_from(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_body_name(r, node, &((force_item *)item)->force.body[0]);
}

/* Six numbers, three of lengths and three of angles; in the plane x, y and the angle. */
static bool read_six(jn_reader *r, const jn_node *node, jn_measure translation, jn_measure rotation, double *out) {
    int n = r->d->planar ? 3 : 6;
    bool fine = true;

    if (!jn_expect_list(r, node, n, n == 6 ? "along x, y, z and about x, y, z" : "along x, along y and about z")) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        int to = n == 6 || k < 2 ? k : 5;
        size_t mark = jn_path_item(r, k);
        fine = jn_read_number(r, node->items[k], to < 3 ? translation : rotation, &out[to]) && fine;
        if (fine && out[to] < 0) {
            fine =
                jn_read_error(r, node->items[k]->where, JN_ERR_MODEL, "this must not be negative, as %g is", out[to]);
        }
        jn_path_back(r, mark);
    }
    return fine;
}

static bool read_stiffness6(jn_reader *r, const jn_node *node, void *item) {
    return read_six(r, node, JN_MEASURE_STIFFNESS, JN_MEASURE_ANGULAR_STIFFNESS,
                    ((force_item *)item)->force.stiffness6);
}

static bool read_damping6(jn_reader *r, const jn_node *node, void *item) {
    return read_six(r, node, JN_MEASURE_DAMPING, JN_MEASURE_ANGULAR_DAMPING, ((force_item *)item)->force.damping6);
}

static bool read_linear6(jn_reader *r, const jn_node *node, void *item) {
    return read_six(r, node, JN_MEASURE_DAMPING, JN_MEASURE_ANGULAR_DAMPING, ((force_item *)item)->force.damping6);
}

/* [N s^2/m^2] and [N m s^2], as plain numbers. */
static bool read_quadratic6(jn_reader *r, const jn_node *node, void *item) {
    return read_six(r, node, JN_MEASURE_NUMBER, JN_MEASURE_NUMBER, ((force_item *)item)->force.quadratic6);
}

static bool read_coefficients(jn_reader *r, const jn_node *node, void *item) {
    double *k = ((force_item *)item)->force.coefficient;
    bool fine = jn_expect_list(r, node, 5, "five coefficients, as in 'coefficients: [0.5, 0.25, 1.5, 1, 1]'");
    for (int i = 0; fine && i < 5; i++) fine = jn_read_number(r, node->items[i], JN_MEASURE_NUMBER, &k[i]);
    return fine;
}

static bool read_components(jn_reader *r, const jn_node *node, jn_measure measure, int n, jn_function *out) {
    bool fine = jn_expect_list(r, node, n, "the components of a vector");
    for (int k = 0; fine && k < n; k++) {
        size_t mark = jn_path_item(r, k);
        fine = jn_read_function(r, node->items[k], measure, MAY_ALL, &out[k]);
        jn_path_back(r, mark);
    }
    return fine;
}

static bool read_force_vector(jn_reader *r, const jn_node *node, void *item) {
    return read_components(r, node, JN_MEASURE_FORCE, r->d->planar ? 2 : 3, ((force_item *)item)->force.component);
}

static bool read_torque_vector(jn_reader *r, const jn_node *node, void *item) {
    jn_function *out = ((force_item *)item)->force.component;
    return r->d->planar ? jn_read_function(r, node, JN_MEASURE_TORQUE, MAY_ALL, &out[2])
                        : read_components(r, node, JN_MEASURE_TORQUE, 3, out);
}

/* -------------------------------------------------------------------------------------------------- tables of keys */

#define FORCE(member) offsetof(force_item, force.member)
#define TYPE_ROW(words_, text_)                                                                                        \
    {                                                                                                                  \
        .key = "type", .kind = JN_FIELD_KEYWORD, .offset = FORCE(type), .keywords = words_, .required = true,          \
        .doc = text_, .example = "type: " text_                                                                        \
    }
#define BETWEEN_ROW(required_)                                                                                         \
    {                                                                                                                  \
        .key = "between", .kind = JN_FIELD_CUSTOM, .read = read_between,                                               \
        .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": \"string\"}}",        \
        .required = required_, .doc = "the two bodies", .example = "between: [ground, rod]"                            \
    }
#define ENDS_ROW                                                                                                       \
    {                                                                                                                  \
        .key = "ends", .kind = JN_FIELD_CUSTOM, .measure = JN_MEASURE_LENGTH, .read = read_ends,                       \
        .schema =                                                                                                      \
            "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"$ref\": \"#/$defs/vector\"}}",      \
        .doc = "the point on each body as drawn, global coordinates", .example = "ends: [[0, 0, 0], [0, 0, 1]]"        \
    }
#define LOCAL_ROW                                                                                                      \
    {                                                                                                                  \
        .key = "local", .kind = JN_FIELD_BOOL, .offset = FORCE(local), .fallback = "false",                            \
        .doc = "points are given in each body's own frame", .example = "local: true"                                   \
    }
#define AT_ROW(text_)                                                                                                  \
    {                                                                                                                  \
        .key = "at", .kind = JN_FIELD_CUSTOM, .measure = JN_MEASURE_LENGTH, .read = read_at,                           \
        .schema = "{\"$ref\": \"#/$defs/vector\"}", .doc = text_, .example = "at: [0, 0, 1]"                           \
    }
#define ON_ROWS                                                                                                        \
    {.key = "body",                                                                                                    \
     .former = "on", /* which YAML 1.1 takes for true */                                                               \
     .kind = JN_FIELD_CUSTOM,                                                                                          \
     .read = read_on,                                                                                                  \
     .schema = JN_SCHEMA_NAME,                                                                                         \
     .required = true,                                                                                                 \
     .doc = "the body it acts on",                                                                                     \
     .example = "body: rod"},                                                                                          \
        {.key = "from",                                                                                                \
         .kind = JN_FIELD_CUSTOM,                                                                                      \
         .read = read_from,                                                                                            \
         .schema = JN_SCHEMA_NAME,                                                                                     \
         .fallback = "ground",                                                                                         \
         .doc = "the body that takes the reaction",                                                                    \
         .example = "from: frame"},                                                                                    \
    {                                                                                                                  \
        .key = "in", .kind = JN_FIELD_KEYWORD, .offset = offsetof(force_item, in), .keywords = in_words,               \
        .fallback = "world", .doc = "axes of the components: those of the world, or of the body it acts on",           \
        .example = "in: body"                                                                                          \
    }

static const jn_keyword spring_word[] = {{"spring", JN_FORCE_SPRING}, {NULL, 0}};
static const jn_field spring_rows[] = {
    TYPE_ROW(spring_word, "spring"),
    BETWEEN_ROW(true),
    ENDS_ROW,
    LOCAL_ROW,
    {.key = "stiffness",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_STIFFNESS,
     .offset = FORCE(stiffness),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of the spring",
     .example = "stiffness: 2 N/mm"},
    {.key = "damping",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_DAMPING,
     .offset = FORCE(damping),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of the damper beside it",
     .example = "damping: 5 N*s/m"},
    {.key = "rest",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_LENGTH,
     .offset = FORCE(rest),
     .has = FORCE(has_rest),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "length as drawn",
     .doc = "length at which the spring is relaxed",
     .example = "rest: 70 mm"},
    {.key = "preload",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_FORCE,
     .offset = FORCE(preload),
     .fallback = "0",
     .doc = "constant tension on top; negative: the spring is pressed together",
     .example = "preload: 10 N"},
    {.key = "tension",
     .kind = JN_FIELD_FUNCTION,
     .measure = JN_MEASURE_FORCE,
     .offset = FORCE(tension),
     .may = JN_MAY_T | JN_MAY_XV | JN_MAY_SIGNAL,
     .doc = "tension on top: a function of t, x = length - rest, v = rate of the length, joint coordinates and motions "
            "of bodies",
     .example = "tension: 1e5*max(x, 0)^1.5"},
    {.key = NULL},
};
const jn_fieldset jn_spring_fields = {
    "a spring",
    "Pulls two points together with the tension preload + stiffness (l - rest) + damping l' + tension(t, x, v).",
    spring_rows};

static const jn_keyword bushing_word[] = {{"bushing", JN_FORCE_BUSHING}, {NULL, 0}};
static const jn_field bushing_rows[] = {
    TYPE_ROW(bushing_word, "bushing"),
    BETWEEN_ROW(false),
    AT_ROW("its place as drawn, global coordinates"),
    ENDS_ROW,
    LOCAL_ROW,
    {.key = "points",
     .kind = JN_FIELD_CUSTOM,
     .read = read_points,
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": \"string\"}}",
     .doc =
         "in place of between, at and orientation: two points, at which it rests where their places and axes coincide",
     .example = "points: [socket, ball]"},
    {.key = "orientation",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_ANGLE,
     .read = read_orientation,
     .schema = JN_SCHEMA_ORIENTATION,
     .fallback = "as the world",
     .doc = "of its axes as drawn",
     .example = "orientation: {axis: z, angle: 45 deg}"},
    {.key = "stiffness",
     .kind = JN_FIELD_CUSTOM,
     .read = read_stiffness6,
     .schema = JN_SCHEMA_NUMBERS,
     .fallback = "0",
     .doc = "along x, y, z and about x, y, z; in a planar model along x, y and about z",
     .example = "stiffness: [1e5, 1e5, 1e6, 100, 100, 10]"},
    {.key = "damping",
     .kind = JN_FIELD_CUSTOM,
     .read = read_damping6,
     .schema = JN_SCHEMA_NUMBERS,
     .fallback = "0",
     .doc = "in the same order",
     .example = "damping: [10, 10, 10, 1, 1, 1]"},
    {.key = NULL},
};
const jn_fieldset jn_bushing_fields = {
    "a bushing", "Six springs and dampers between two frames that coincide as drawn, or that two points have.",
    bushing_rows};

static const jn_keyword force_word[] = {{"force", JN_FORCE_FORCE}, {NULL, 0}};
static const jn_field force_rows[] = {
    TYPE_ROW(force_word, "force"),
    ON_ROWS,
    AT_ROW("where it acts, as drawn, global coordinates"),
    LOCAL_ROW,
    {.key = "force",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_FORCE,
     .read = read_force_vector,
     .schema = "{\"$ref\": \"#/$defs/vector\"}",
     .required = true,
     .may = MAY_ALL,
     .doc = "components, each a function of t, joint coordinates and motions of bodies",
     .example = "force: [0, 0, 10*sin(t)]"},
    {.key = NULL},
};
const jn_fieldset jn_force_fields = {"a force", "A force at a point of a body.", force_rows};

static const jn_keyword torque_word[] = {{"torque", JN_FORCE_TORQUE}, {NULL, 0}};
static const jn_field torque_rows[] = {
    TYPE_ROW(torque_word, "torque"),
    ON_ROWS,
    {.key = "torque",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_TORQUE,
     .read = read_torque_vector,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]}",
     .required = true,
     .may = MAY_ALL,
     .doc = "components, each a function of t, joint coordinates and motions of bodies; one number in a planar model",
     .example = "torque: [0, 0, 5 N*m]"},
    {.key = NULL},
};
const jn_fieldset jn_torque_fields = {"a torque", "A torque on a body.", torque_rows};

static const jn_keyword drag_word[] = {{"drag", JN_FORCE_DRAG}, {NULL, 0}};
static const jn_field drag_rows[] = {
    TYPE_ROW(drag_word, "drag"),
    {.key = "body",
     .kind = JN_FIELD_CUSTOM,
     .read = read_on,
     .schema = JN_SCHEMA_NAME,
     .required = true,
     .doc = "the body it acts on",
     .example = "body: hull"},
    AT_ROW("the point whose velocity counts, as drawn, global coordinates"),
    LOCAL_ROW,
    {.key = "orientation",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_ANGLE,
     .read = read_orientation,
     .schema = JN_SCHEMA_ORIENTATION,
     .fallback = "as the world",
     .doc = "of the axes, which the body carries, as drawn",
     .example = "orientation: {axis: z, angle: 45 deg}"},
    {.key = "linear",
     .kind = JN_FIELD_CUSTOM,
     .read = read_linear6,
     .schema = JN_SCHEMA_NUMBERS,
     .fallback = "0",
     .doc = "a in the resistance (a + b |v|) v along x, y, z and about them; in a planar model along x, y and about z",
     .example = "linear: [1, 1, 2, 0.1, 0.1, 0.1]"},
    {.key = "quadratic",
     .kind = JN_FIELD_CUSTOM,
     .read = read_quadratic6,
     .schema = JN_SCHEMA_NUMBERS,
     .fallback = "0",
     .doc = "b in the same order [N s^2/m^2], [N m s^2]",
     .example = "quadratic: [10, 10, 20, 1, 1, 1]"},
    {.key = "wind",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_SPEED,
     .offset = FORCE(wind),
     .fallback = "none",
     .doc = "velocity of the fluid",
     .example = "wind: [2, 0, 0]"},
    {.key = "density",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_DENSITY,
     .offset = FORCE(density),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of the fluid, for ellipsoid and volume",
     .example = "density: 1000 kg/m^3"},
    {.key = "viscosity",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = FORCE(viscosity),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "of the fluid [Pa s], for ellipsoid",
     .example = "viscosity: 0.001"},
    {.key = "ellipsoid",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = FORCE(ellipsoid),
     .fallback = "none",
     .doc = "semi-axes, along the axes of the drag: its resistance, lift and added mass, as MuJoCo's fluidshape ellipsoid has them",
     .example = "ellipsoid: [0.1, 0.1, 0.4]"},
    {.key = "coefficients",
     .kind = JN_FIELD_CUSTOM,
     .read = read_coefficients,
     .schema = JN_SCHEMA_NUMBERS,
     .fallback = "[0.5, 0.25, 1.5, 1, 1]",
     .doc = "of the ellipsoid: blunt drag, slender drag, angular drag, lift by Kutta, lift by Magnus",
     .example = "coefficients: [0.5, 0.25, 1.5, 1, 1]"},
    {.key = "volume",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_NUMBER,
     .offset = FORCE(volume),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "[m^3] of the fluid that the body displaces, about the point: buoyancy",
     .example = "volume: 0.02"},
    {.key = NULL},
};
const jn_fieldset jn_drag_fields = {
    "a drag", "Resistance of a fluid to each component of a body's velocity: -(linear + quadratic |v|) v.", drag_rows};

static const jn_fieldset *const sets[JN_FORCE_TYPES] = {
    [JN_FORCE_SPRING] = &jn_spring_fields, [JN_FORCE_BUSHING] = &jn_bushing_fields, [JN_FORCE_FORCE] = &jn_force_fields,
    [JN_FORCE_TORQUE] = &jn_torque_fields, [JN_FORCE_DRAG] = &jn_drag_fields,
};

static bool finish_force(jn_reader *r, const jn_node *node, force_item *f) {
    jn_force_type type = f->force.type;

    f->force.in_body = f->in == 1;
    if (type == JN_FORCE_SPRING && !f->has_ends) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a spring needs its two points\nadd 'ends: [[...], [...]]'");
    }
    if (type == JN_FORCE_BUSHING && f->force.framed) {
        return !(f->has_between || f->has_at || f->has_ends || f->has_orientation || f->force.local) ||
               jn_read_error(r, node->where, JN_ERR_MODEL,
                             "'points' give bodies, places and axes of a bushing\nleave out 'between', 'at', 'ends', "
                             "'local' and 'orientation'");
    }
    if (type == JN_FORCE_BUSHING && !f->has_between) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a bushing needs its bodies\nadd 'between: [ground, rod]' and 'at', or 'points: [a, b]'");
    }
    if (type == JN_FORCE_BUSHING && f->has_at == f->has_ends) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "a bushing needs its place\nadd 'at: [...]', or 'ends' with 'local: true'");
    }
    if (type == JN_FORCE_BUSHING && f->has_at && f->force.local) {
        return jn_read_error(
            r, node->where, JN_ERR_MODEL,
            "with 'local: true' a bushing has two places\nadd 'ends: [[...], [...]]' in place of 'at'");
    }
    if ((type == JN_FORCE_FORCE || type == JN_FORCE_DRAG) && !f->has_at) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "a %s needs the point where it acts\nadd 'at: [...]'",
                             type == JN_FORCE_DRAG ? "drag" : "force");
    }
    jn_vec3 a = f->force.ellipsoid;
    bool shaped = v3_norm(a) > 0, needs = shaped || f->force.volume > 0;
    if (shaped && !(a.x > 0 && a.y > 0 && a.z > 0)) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "an ellipsoid has three semi-axes above zero\nwrite as in 'ellipsoid: [0.1, 0.1, 0.4]'");
    }
    if (needs && !(f->force.density > 0) && !(shaped && f->force.viscosity > 0)) {
        return jn_read_error(r, node->where, JN_ERR_MODEL, "what kind of fluid it is, is missing\nadd as in 'density: 1000 kg/m^3'");
    }
    if ((type == JN_FORCE_FORCE || type == JN_FORCE_TORQUE) && f->force.body[0] == f->force.body[1]) {
        return jn_read_error(r, node->where, JN_ERR_MODEL,
                             "'%s' acts on itself\nname two different bodies in 'body' and 'from'",
                             r->body_names.name[f->force.body[1]]);
    }
    return true;
}

bool jn_read_forces(jn_reader *r, const jn_node *node, void *item) {
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "forces, each 'name: {type: spring, ...}'");
    (void)item;

    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        const jn_node *word = jn_node_get(entry->value, "type");
        size_t mark = jn_path_key(r, entry->key);
        int type = 0;
        bool good = jn_check_name(r, entry, true, "a force"), map = jn_expect_kind(r, entry->value, JN_NODE_MAP, "a force");
        if (map && !word) {
            jn_read_error(r, entry->value->where, JN_ERR_MODEL, "'type' is missing in %s\nadd 'type: spring'",
                          r->path);
        } else if (map && jn_read_keyword(r, word, force_keywords, &type)) {
            force_item f = {.force = jn_force_default(entry->key, (jn_force_type)type)};
            f.force.where = entry->where;
            good = jn_read_fields(r, entry->value, sets[type], &f) && finish_force(r, entry->value, &f) && good;
            if (good && jn_description_add_force(r->d, &f.force) < 0) {
                return jn_read_no_memory(r);
            }
        }
        jn_path_back(r, mark);
    }
    return fine;
}

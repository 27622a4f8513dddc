/* The section bodies. */
#include "description/read/inertia.h"
#include "description/read/reader.h"
#include "description/read/shape_reader.h"

#include <stddef.h>
#include <string.h>

typedef struct mass_item {
    double mass;
    jn_vec3 at;
} mass_item;

typedef struct body_item {
    jn_body_desc body; /* first */
    bool has_mass, has_com, has_inertia, has_density, unchecked;
    double density;
    jn_shape_item *shapes;
    int shape_count;
    jn_lump lumped; /* masses */
} body_item;

static bool read_inertia(jn_reader *r, const jn_node *node, void *item) {
    body_item *b = item;
    b->has_inertia = true;
    return jn_read_inertia(r, node, &b->body.inertia);
}

static bool read_body_orientation(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_orientation(r, node, &((body_item *)item)->body.orientation);
}

static bool read_spin(jn_reader *r, const jn_node *node, void *item) {
    body_item *b = item;
    b->body.has_angular_velocity = true;
    return r->d->planar ? jn_read_number(r, node, JN_MEASURE_ANGULAR_SPEED, &b->body.angular_velocity.z)
                        : jn_read_vector(r, node, JN_MEASURE_ANGULAR_SPEED, &b->body.angular_velocity);
}

/* ------------------------------------------------------------------------------------------------------ shapes */

static bool add_shape(jn_reader *r, const jn_node *node, void *item) {
    body_item *b = item;
    void *wide = jn_store_grow(r->scratch, b->shapes, b->shape_count, sizeof *b->shapes);

    if (!wide) {
        return jn_read_no_memory(r);
    }
    b->shapes = wide;
    return jn_read_shape(r, node, &b->shapes[b->shape_count]) ? (b->shape_count++, true) : false;
}

static bool read_shapes(jn_reader *r, const jn_node *node, void *item) {
    bool fine = jn_expect_kind(r, node, JN_NODE_LIST, "a list of shapes");
    for (int i = 0; fine && i < node->count; i++) {
        size_t mark = jn_path_item(r, i);
        fine = add_shape(r, node->items[i], item);
        jn_path_back(r, mark);
    }
    return fine;
}

/* ------------------------------------------------------------------------------------------------------ masses */

static const jn_field mass_rows[] = {
    {.key = "mass",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_MASS,
     .offset = offsetof(mass_item, mass),
     .required = true,
     .range = JN_RANGE_NOT_NEGATIVE,
     .doc = "of the point",
     .example = "mass: 20 g"},
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = offsetof(mass_item, at),
     .required = true,
     .doc = "its place in the body's frame",
     .example = "at: [0.1, 0, 0]"},
    {.key = NULL},
};
static const jn_fieldset mass_fields = {"a point mass", "A point mass that the body carries.", mass_rows};

static bool read_masses(jn_reader *r, const jn_node *node, void *item) {
    body_item *b = item;
    bool fine = jn_expect_kind(r, node, JN_NODE_LIST, "a list of point masses");
    for (int i = 0; fine && i < node->count; i++) {
        mass_item point = {0};
        size_t mark = jn_path_item(r, i);
        fine = jn_read_fields(r, node->items[i], &mass_fields, &point);
        b->lumped = jn_lump_add(b->lumped, (jn_lump){.mass = point.mass, .com = point.at});
        jn_path_back(r, mark);
    }
    return fine;
}

/* Body-level density: per volume or per area, as its shapes are. */
static bool read_density(jn_reader *r, const jn_node *node, void *item) {
    body_item *b = item;
    b->has_density = true;
    return jn_read_number(r, node, JN_MEASURE_ANY, &b->density) &&
           (b->density > 0 ||
            jn_read_error(r, node->where, JN_ERR_MODEL, "a density must be greater than 0, not %g", b->density));
}

static const jn_fieldset *const shape_sets[] = {&jn_shape_fields, NULL}, *const mass_sets[] = {&mass_fields, NULL};

#define BODY(member) offsetof(body_item, body.member)
static const jn_field body_rows[] = {
    {.key = "mass",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_MASS,
     .offset = BODY(mass),
     .has = offsetof(body_item, has_mass),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0, or from density and shape",
     .doc = "mass of the body",
     .example = "mass: 250 g"},
    {.key = "com",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = BODY(com),
     .has = offsetof(body_item, has_com),
     .fallback = "the body's origin",
     .doc = "centre of mass in the body's frame",
     .example = "com: [l1/2, 0]"},
    {.key = "inertia",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_INERTIA,
     .read = read_inertia,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"type\": \"array\", \"minItems\": 3, \"maxItems\": 6}]}",
     .fallback = "0: a point mass",
     .doc = "about the centre of mass, in the body's axes: the moment about z in a planar model; [Ixx, Iyy, Izz], "
            "[Ixx, Iyy, Izz, Ixy, "
            "Ixz, Iyz] (Ixy: the tensor's entry, -sum m x y) or three rows",
     .example = "inertia: [0.1, 0.2, 0.25]"},
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = BODY(at),
     .fallback = "the world's origin",
     .doc = "origin of the body's own frame in the drawn configuration",
     .example = "at: [0.5, 0, 1]"},
    {.key = "orientation",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_ANGLE,
     .read = read_body_orientation,
     .schema = JN_SCHEMA_ORIENTATION,
     .fallback = "as the world",
     .doc = "of the body's own frame: an angle in a planar model; [qw, qx, qy, qz], {axis: , angle: } or {rpy: [roll, "
            "pitch, yaw]}",
     .example = "orientation: {axis: z, angle: 30 deg}"},
    {.key = "density",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_DENSITY,
     .read = read_density,
     .schema = JN_SCHEMA_NUMBER,
     .doc = "gives mass, com and inertia from the shapes; mass per area where they are planar",
     .example = "density: 7800"},
    {.key = "shape",
     .kind = JN_FIELD_MAP,
     .read = add_shape,
     .sets = shape_sets,
     .doc = "a solid; with 'mass' and without com, inertia and density it is filled evenly",
     .example = "shape: {type: sphere, radius: 0.1}"},
    {.key = "shapes",
     .kind = JN_FIELD_LIST,
     .read = read_shapes,
     .sets = shape_sets,
     .doc = "several solids",
     .example = "shapes: [{type: sphere, radius: 0.1}, {type: box, size: [1, 1, 1]}]"},
    {.key = "unchecked",
     .kind = JN_FIELD_BOOL,
     .offset = offsetof(body_item, unchecked),
     .fallback = "false",
     .doc = "take the inertia though no body can have it",
     .example = "unchecked: true"},
    {.key = "masses",
     .kind = JN_FIELD_LIST,
     .read = read_masses,
     .sets = mass_sets,
     .doc = "point masses that come on top of all else",
     .example = "masses: [{mass: 20 g, at: [0.1, 0, 0]}]"},
    {.key = "velocity",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_SPEED,
     .offset = BODY(velocity),
     .has = BODY(has_velocity),
     .doc = "initial velocity of the centre of mass, world axes; what floats moves with the first of its bodies that has one, joints without a speed stand still",
     .example = "velocity: [1, 0, 0]"},
    {.key = "angular_velocity",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_ANGULAR_SPEED,
     .read = read_spin,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]}",
     .doc = "initial angular velocity, world axes, 0 where only a velocity is given; a number in a planar model",
     .example = "angular_velocity: [0, 0, 30 rpm]"},
    {.key = NULL},
};
const jn_fieldset jn_body_fields = {
    "bodies.NAME",
    "A rigid body. Its own frame stands at `at` with `orientation` in the drawn configuration; "
    "com, inertia, shapes and masses are given in it. Without the two, all is given in global "
    "coordinates.",
    body_rows};

/* The same solid, so many times as dense. */
static jn_lump scaled(jn_lump a, double k) {
    a.mass *= k;
    a.inertia = (jn_sym3){k * a.inertia.xx, k * a.inertia.yy, k * a.inertia.zz,
                          k * a.inertia.xy, k * a.inertia.xz, k * a.inertia.yz};
    return a;
}

static void set_mass(body_item *b, jn_lump mass) {
    b->body.mass = mass.mass;
    b->body.com = mass.com;
    b->body.inertia = mass.inertia;
}

/* Uniform solids: with a density, or with the total mass. */
static bool fill_shapes(jn_reader *r, const jn_node *node, body_item *b) {
    bool by_mass = b->has_mass && !b->has_com && !b->has_inertia, any = b->has_density;
    jn_lump sum = {0};

    for (int i = 0; i < b->shape_count; i++) {
        any = any || b->shapes[i].has_density;
    }
    if (!any && !by_mass) {
        return true;
    }
    if (any && (b->has_mass || b->has_com || b->has_inertia)) {
        const char *key = b->has_mass ? "mass" : b->has_com ? "com" : "inertia";
        return jn_read_error(r, jn_node_entry(node, key)->where, JN_ERR_MODEL,
                             "'%s' is given twice: density and shape give it too\nremove one of them", key);
    }
    for (int i = 0; i < b->shape_count; i++) {
        jn_shape_item *s = &b->shapes[i];
        if (!jn_shape_type_info(s->shape.type)->closed) {
            continue;
        }
        jn_lump lump = jn_lump_place(jn_shape_unit(&s->shape), s->shape.at, s->shape.orientation);
        double density = by_mass ? 1 : s->has_density ? s->density : b->density;
        if (b->has_density && !s->has_density &&
            jn_shape_is_planar(s->shape.type) != jn_shape_is_planar(b->shapes[0].shape.type)) {
            return jn_read_error(r, s->node->where, JN_ERR_MODEL,
                                 "one density cannot serve planar and solid shapes\ngive each its own");
        }
        sum = jn_lump_add(sum, scaled(lump, density));
    }
    if (!(sum.mass > 0) && b->has_density) {
        return jn_read_error(
            r, jn_node_entry(node, "density")->where, JN_ERR_MODEL,
            "no shape of this body has an inside, so a density gives no mass\nremove it, or add a solid");
    }
    if (by_mass && !(sum.mass > 0)) {
        return true; /* planes and other shapes without inside: nothing to fill */
    }
    set_mass(b, scaled(sum, by_mass ? b->body.mass / sum.mass : 1));
    return true;
}

/* Mass, centre and inertia from all that was given. */
static bool finish_body(jn_reader *r, const jn_node *node, body_item *b) {
    const jn_node *density = jn_node_get(node, "density");

    if (b->has_inertia && !b->unchecked && !jn_check_inertia(r, jn_node_get(node, "inertia"), b->body.inertia)) {
        return false;
    }
    if (b->has_density && b->shape_count == 0) {
        return jn_read_error(r, jn_node_entry(node, "density")->where, JN_ERR_MODEL,
                             "a density needs a shape\nadd 'shape: {type: box, size: [...]}'");
    }
    if (b->has_density) {
        jn_measure measure = jn_shape_is_planar(b->shapes[0].shape.type) ? JN_MEASURE_AREA_DENSITY : JN_MEASURE_DENSITY;
        if (!jn_read_number(r, density, measure, &b->density)) {
            return false;
        }
    }
    if (b->shape_count && !fill_shapes(r, node, b)) {
        return false;
    }
    if (b->lumped.mass > 0) {
        set_mass(b, jn_lump_add((jn_lump){b->body.mass, b->body.com, b->body.inertia}, b->lumped));
    }
    if (r->d->planar) {
        b->body.inertia = (jn_sym3){.zz = b->body.inertia.zz};
    }
    if (b->has_inertia && !(b->body.mass > 0) && b->body.inertia.xx + b->body.inertia.yy + b->body.inertia.zz > 0) {
        return jn_read_error(r, jn_node_entry(node, "inertia")->where, JN_ERR_MODEL,
                             "a body without mass has no inertia\nadd 'mass'");
    }
    return true;
}

static bool keep_shapes(jn_reader *r, body_item *b) {
    jn_description *d = r->d;
    b->body.shape_first = d->shape_count;
    b->body.shape_count = b->shape_count;
    for (int i = 0; i < b->shape_count; i++) {
        void *wide = jn_store_grow(r->store, d->shapes, d->shape_count, sizeof *d->shapes);
        if (!wide) {
            return jn_read_no_memory(r);
        }
        d->shapes = wide;
        d->shapes[d->shape_count++] = b->shapes[i].shape;
    }
    return true;
}

/* Appends the item at the index that its name has had since the names were registered. */
static bool keep_body(jn_reader *r, body_item *b) {
    jn_description *d = r->d;
    void *wide = jn_store_grow(r->store, d->bodies, d->body_count, sizeof *d->bodies);
    if (!wide || !keep_shapes(r, b)) {
        return jn_read_no_memory(r);
    }
    d->bodies = wide;
    d->bodies[d->body_count++] = b->body;
    return true;
}

/* The ground is always there; all it can be given are shapes. */
static bool read_ground(jn_reader *r, const jn_entry *entry, body_item *b) {
    const jn_node *node = entry->value;
    bool fine = true;
    for (int i = 0; node->kind == JN_NODE_MAP && i < node->count; i++) {
        const jn_entry *e = &node->entries[i];
        if (strcmp(e->key, "shape") != 0 && strcmp(e->key, "shapes") != 0) {
            return jn_read_error(
                r, e->where, JN_ERR_MODEL,
                "'ground' is the world itself and has no '%.60s'\nit can have 'shape' or 'shapes' only", e->key);
        }
    }
    fine = jn_read_fields(r, node, &jn_body_fields, b) && keep_shapes(r, b);
    r->d->bodies[JN_GROUND].shape_first = b->body.shape_first;
    r->d->bodies[JN_GROUND].shape_count = b->body.shape_count;
    return fine;
}

bool jn_read_bodies(jn_reader *r, const jn_node *node, void *item) {
    bool fine = true;
    int count = node && node->kind == JN_NODE_MAP ? node->count : 0;
    (void)item;

    if (!jn_names_create(&r->body_names, r->scratch, count + 1)) {
        return jn_read_no_memory(r);
    }
    jn_names_add(&r->body_names, "ground");
    if (node && node->kind != JN_NODE_EMPTY &&
        !jn_expect_kind(r, node, JN_NODE_MAP, "bodies, each 'name: {mass: ...}'")) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const jn_entry *entry = &node->entries[i];
        const char *name = jn_store_strdup(r->store, entry->key);
        body_item b = {.body = jn_body_default(name)};
        size_t mark = jn_path_key(r, entry->key);
        if (!name) {
            return jn_read_no_memory(r);
        }
        b.body.where = entry->where;
        if (strcmp(name, "ground") == 0) {
            fine = read_ground(r, entry, &b) && fine;
        } else {
            fine = jn_check_name(r, entry, true, "a body") && fine;
            jn_names_add(&r->body_names, name);
            fine = jn_read_fields(r, entry->value, &jn_body_fields, &b) && finish_body(r, entry->value, &b) && fine;
            fine = keep_body(r, &b) && fine;
        }
        jn_path_back(r, mark);
    }
    return fine;
}

/* The section sensors. */
#include "description/read/reader.h"

#include "base/suggest.h"
#include "description/joint_info.h"

#include <stddef.h>
#include <string.h>

typedef struct sensor_item {
    jn_sensor_desc sensor; /* first */
    bool has_type, has_body, has_joint, has_tendon, has_actuator, has_between, has_zone, has_side;
} sensor_item;

static bool read_type(jn_reader *r, const jn_node *node, void *item) {
    sensor_item *s = item;
    const char *word = jn_read_plain_word(r, node);
    jn_suggest suggest = jn_suggest_for(word ? word : "");
    if (!word) return jn_expect_kind(r, node, JN_NODE_SCALAR, "a type of sensor, as in 'type: gyro'");
    for (int i = 0; i < JN_SENSOR_TYPES; i++) {
        const char *name = jn_sensor_type_info((jn_sensor_type)i)->name;
        if (!strcmp(name, word)) return s->sensor.type = (jn_sensor_type)i, s->has_type = true;
    }
    for (int i = 0; i < JN_SENSOR_TYPES; i++) jn_suggest_offer(&suggest, jn_sensor_type_info((jn_sensor_type)i)->name);
    return jn_read_error(r, node->where, JN_ERR_MODEL,
                         suggest.best ? "there is no sensor '%.80s'\nwrite '%s'"
                                      : "there is no sensor '%.80s'%.0s\nwrite as in 'type: accelerometer'",
                         word, suggest.best ? suggest.best : "");
}

static bool read_point(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_point_name(r, node, &((sensor_item *)item)->sensor.point);
}
static bool read_reference(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_point_name(r, node, &((sensor_item *)item)->sensor.reference);
}
static bool read_body(jn_reader *r, const jn_node *node, void *item) {
    sensor_item *s = item;
    s->has_body = true;
    return jn_read_body_name(r, node, &s->sensor.body);
}

static bool read_joint(jn_reader *r, const jn_node *node, void *item) {
    sensor_item *s = item;
    s->has_joint = true;
    return jn_read_coordinate_name(r, node, &s->sensor.joint, &s->sensor.coordinate);
}

static bool read_tendon(jn_reader *r, const jn_node *node, void *item) {
    sensor_item *s = item;
    s->has_tendon = true;
    return jn_read_tendon_name(r, node, &s->sensor.tendon);
}

static bool read_actuator(jn_reader *r, const jn_node *node, void *item) {
    sensor_item *s = item;
    const char *word = jn_read_plain_word(r, node);
    s->has_actuator = true;
    for (int i = 0; word && i < r->d->actuator_count; i++)
        if (!strcmp(r->d->actuators[i].name, word)) return s->sensor.actuator = i, true;
    return jn_read_error(r, node->where, JN_ERR_MODEL, "there is no actuator '%.80s'\nadd it to 'actuators'",
                         word ? word : "");
}

/* The name of a body, with or without '.SHAPE'. */
static bool read_named(jn_reader *r, const jn_node *node, int k, jn_sensor_desc *s) {
    jn_node name = *node;
    if (!jn_expect_kind(r, &name, JN_NODE_SCALAR, "the name of a body, or BODY.SHAPE")) return false;
    const char *dot = strchr(name.text, '.');
    if (dot) {
        s->shape[k] = jn_store_strdup(r->store, dot + 1);
        name.text = jn_store_copy(r->scratch, name.text, (size_t)(dot - name.text));
        if (!name.text || !s->shape[k]) return jn_read_no_memory(r);
    }
    return jn_read_body_name(r, &name, k ? &s->other : &s->body);
}

/* A body or a shape, or a body with all that it carries. */
static bool read_side(jn_reader *r, const jn_node *node, int k, sensor_item *s) {
    s->has_side = true;
    if (node->kind != JN_NODE_MAP) return read_named(r, node, k, &s->sensor);
    if (node->count != 1 || strcmp(node->entries[0].key, "subtree"))
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected a body\nwrite as in 'first: hand', 'first: hand.thumb' or 'first: {subtree: arm}'");
    s->sensor.subtree[k] = true;
    return jn_read_body_name(r, node->entries[0].value, k ? &s->sensor.other : &s->sensor.body);
}
static bool read_first(jn_reader *r, const jn_node *node, void *item) { return read_side(r, node, 0, item); }
static bool read_second(jn_reader *r, const jn_node *node, void *item) { return read_side(r, node, 1, item); }

/* Words in any order; the values have that of jn_contact_data. */
static bool read_data(jn_reader *r, const jn_node *node, void *item) {
    static const char *const words[] = {"found", "force", "torque", "gap", "place", "normal", "tangent"};
    sensor_item *s = item;
    s->has_side = true, s->sensor.data = 0;
    if (!jn_expect_kind(r, node, JN_NODE_LIST, "what to read, as in 'data: [found, force]'")) return false;
    for (int i = 0; i < node->count; i++) {
        const char *word = jn_read_plain_word(r, node->items[i]);
        int k = 0;
        while (k < 7 && (!word || strcmp(words[k], word))) k++;
        if (k == 7)
            return jn_read_error(r, node->items[i]->where, JN_ERR_MODEL,
                                 "there is no '%.40s' of a contact\nwrite found, force, torque, gap, place, normal or tangent",
                                 word ? word : "");
        s->sensor.data |= 1u << k;
    }
    return s->sensor.data || jn_read_error(r, node->where, JN_ERR_MODEL, "the list is empty\nwrite as in 'data: [found, force]'");
}

static bool read_slots(jn_reader *r, const jn_node *node, void *item) {
    sensor_item *s = item;
    double n = 0;
    s->has_side = true;
    if (!jn_read_number(r, node, JN_MEASURE_NUMBER, &n)) return false;
    if (!(n >= 1 && n <= JN_SENSOR_MOST && n == (int)n))
        return jn_read_error(r, node->where, JN_ERR_MODEL, "expected a whole number from 1 to %d", JN_SENSOR_MOST);
    return s->sensor.slots = (int)n, true;
}

static bool read_pixels(jn_reader *r, const jn_node *node, double *out) {
    if (!jn_read_numbers(r, node, JN_MEASURE_NUMBER, 2, out)) return false;
    return (out[0] > 0 && out[1] > 0) ||
           jn_read_error(r, node->where, JN_ERR_MODEL, "expected two numbers above zero, in pixels");
}
static bool read_focal(jn_reader *r, const jn_node *node, void *item) {
    return read_pixels(r, node, ((sensor_item *)item)->sensor.focal);
}
static bool read_resolution(jn_reader *r, const jn_node *node, void *item) {
    return read_pixels(r, node, ((sensor_item *)item)->sensor.resolution);
}

static const jn_keyword reduce_words[] = {
    {"none", JN_REDUCE_NONE}, {"mindist", JN_REDUCE_GAP}, {"maxforce", JN_REDUCE_FORCE}, {"netforce", JN_REDUCE_SUM}, {NULL, 0}};

/* Names of two bodies, each with or without '.SHAPE'. */
static bool read_between(jn_reader *r, const jn_node *node, void *item) {
    sensor_item *s = item;
    s->has_between = true;
    if (!jn_expect_list(r, node, 2, "two bodies, as in 'between: [hand, ground]'")) return false;
    for (int k = 0; k < 2; k++)
        if (!read_named(r, node->items[k], k, &s->sensor)) return false;
    return s->sensor.body != s->sensor.other ||
           jn_read_error(r, node->where, JN_ERR_MODEL, "both are one body\nname two different bodies");
}

static const jn_keyword zone_words[] = {{"sphere", JN_SHAPE_SPHERE},     {"box", JN_SHAPE_BOX},
                                        {"capsule", JN_SHAPE_CAPSULE},   {"cylinder", JN_SHAPE_CYLINDER},
                                        {"ellipsoid", JN_SHAPE_ELLIPSOID}, {NULL, 0}};

#define NAMED(name, reader, words, shown)                                                                              \
    { .key = name, .kind = JN_FIELD_CUSTOM, .read = reader, .schema = JN_SCHEMA_NAME, .doc = words, .example = shown }
#define SENSOR(member) offsetof(sensor_item, sensor.member)
static const jn_field sensor_rows[] = {
    {.key = "type",
     .kind = JN_FIELD_CUSTOM,
     .read = read_type,
     .schema = JN_SCHEMA_NAME,
     .required = true,
     .doc =
         "accelerometer, gyro, velocimeter, magnetometer, force, torque (point); framepos, framequat, framexaxis, "
         "frameyaxis, "
         "framezaxis, framelinvel, frameangvel, framelinacc, frameangacc (point, reference); ballquat, ballangvel "
         "(point and "
         "reference); jointpos, jointvel, jointactuatorfrc (joint); tendonpos, tendonvel, tendonactuatorfrc (tendon); "
         "actuatorpos, actuatorvel, actuatorfrc (actuator); subtreecom, subtreelinvel, subtreeangmom (body); clock, "
         "e_potential, e_kinetic; rangefinder (point); touch (point, zone); insidesite (point, reference, zone); jointlimitpos, "
         "jointlimitvel, jointlimitfrc (joint); tendonlimitpos, tendonlimitvel, tendonlimitfrc (tendon); distance, "
         "normal, fromto (between); camprojection (point, reference, focal, resolution); contact (first, second, point "
         "and zone, or none of them)",
     .example = "type: accelerometer"},
    NAMED("point", read_point, "where it sits, with its axes", "point: imu"),
    NAMED("reference", read_reference, "point from which it is seen", "reference: camera"),
    NAMED("joint", read_joint, "whose coordinate; 'NAME.2': the second one", "joint: knee"),
    NAMED("tendon", read_tendon, "which tendon", "tendon: biceps"),
    NAMED("actuator", read_actuator, "which actuator", "actuator: servo"),
    NAMED("body", read_body, "the first body of a subtree", "body: torso"),
    {.key = "between",
     .kind = JN_FIELD_CUSTOM,
     .read = read_between,
     .schema = "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2}",
     .doc = "two bodies whose shapes it looks at; 'BODY.SHAPE': one shape by its name",
     .example = "between: [hand, cup.rim]"},
    {.key = "first",
     .kind = JN_FIELD_CUSTOM,
     .read = read_first,
     .schema = "{\"type\": [\"string\", \"object\"]}",
     .fallback = "any",
     .doc = "of contacts: a body, BODY.SHAPE, or a body with all that it carries, {subtree: BODY}",
     .example = "first: {subtree: leg}"},
    {.key = "second",
     .kind = JN_FIELD_CUSTOM,
     .read = read_second,
     .schema = "{\"type\": [\"string\", \"object\"]}",
     .fallback = "any",
     .doc = "of contacts: what it touches; forces are those on it, normals point to it",
     .example = "second: ground"},
    {.key = "data",
     .kind = JN_FIELD_CUSTOM,
     .read = read_data,
     .schema = "{\"type\": \"array\", \"items\": " JN_SCHEMA_NAME "}",
     .fallback = "[found]",
     .doc = "of each contact: found (how many there are), force and torque (along normal, tangent, and their cross "
            "product), gap, place, normal, tangent",
     .example = "data: [found, force]"},
    {.key = "reduce",
     .kind = JN_FIELD_KEYWORD,
     .keywords = reduce_words,
     .offset = SENSOR(reduce),
     .fallback = "none",
     .doc = "which contacts: the first ones, the deepest, the most loaded, or one in place of all, in world axes",
     .example = "reduce: maxforce"},
    {.key = "slots",
     .kind = JN_FIELD_CUSTOM,
     .read = read_slots,
     .schema = "{\"type\": \"integer\", \"minimum\": 1}",
     .fallback = "1",
     .doc = "how many contacts; values of those that are not there are 0",
     .example = "slots: 4"},
    {.key = "focal",
     .kind = JN_FIELD_CUSTOM,
     .read = read_focal,
     .schema = JN_SCHEMA_NUMBERS,
     .doc = "of a camera: focal length in pixels, across and down",
     .example = "focal: [600, 600]"},
    {.key = "resolution",
     .kind = JN_FIELD_CUSTOM,
     .read = read_resolution,
     .schema = JN_SCHEMA_NUMBERS,
     .doc = "of a camera: size of its image in pixels",
     .example = "resolution: [640, 480]"},
    {.key = "zone",
     .kind = JN_FIELD_KEYWORD,
     .keywords = zone_words,
     .offset = SENSOR(zone),
     .fallback = "sphere",
     .doc = "of touch and contact: about the point; of insidesite: about the reference; along its axes",
     .example = "zone: box"},
    {.key = "zone_size",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = SENSOR(zone_size),
     .has = offsetof(sensor_item, has_zone),
     .fallback = "[5 mm, 5 mm, 5 mm]",
     .doc = "half lengths of a box, semi-axes of an ellipsoid; else radius, half length along z, and a number without meaning",
     .example = "zone_size: [0.02, 0.02, 0.001]"},
    {.key = "cutoff",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = SENSOR(cutoff),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0: none",
     .doc = "values stay within plus and minus this",
     .example = "cutoff: 100"},
    {.key = "offset",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_ANY,
     .offset = SENSOR(offset),
     .fallback = "0",
     .doc = "added to a joint's coordinate or a tendon's length",
     .example = "offset: 0.1"},
    {.key = "field",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_ANY,
     .offset = SENSOR(field),
     .fallback = "[0, -0.5, 0]",
     .doc = "of a magnetometer, global",
     .example = "field: [0, -0.5, 0]"},
    {.key = NULL},
};
const jn_fieldset jn_sensor_fields = {
    "sensors.NAME", "What an instrument reads: channels sensor.NAME, or sensor.NAME.x, .y, .z (.w of a quaternion).",
    sensor_rows};

static bool finish(jn_reader *r, const jn_node *node, const sensor_item *s) {
    static const char *const needed[] = {
        [JN_SENSOR_ON_POINT] = "'point'",       [JN_SENSOR_ON_FRAME] = "'point'",
        [JN_SENSOR_ON_ROTATION] = "'point' and 'reference'", [JN_SENSOR_ON_JOINT] = "'joint'",
        [JN_SENSOR_ON_TENDON] = "'tendon'",     [JN_SENSOR_ON_ACTUATOR] = "'actuator'",
        [JN_SENSOR_ON_BODY] = "'body'",         [JN_SENSOR_ON_NOTHING] = "nothing else",
        [JN_SENSOR_ON_ZONE] = "'point'",        [JN_SENSOR_ON_INSIDE] = "'point' and 'reference'",
        [JN_SENSOR_ON_PAIR] = "'between'",      [JN_SENSOR_ON_CONTACT] = "'first', 'second' or 'point', or none",
        [JN_SENSOR_ON_IMAGE] = "'point', 'reference', 'focal' and 'resolution'"};
    jn_sensor_on on = jn_sensor_type_info(s->sensor.type)->on;
    jn_vec3 z = s->sensor.zone_size;
    bool has_point = s->sensor.point >= 0, has_reference = s->sensor.reference >= 0;
    bool image = on == JN_SENSOR_ON_IMAGE, both = on == JN_SENSOR_ON_ROTATION || on == JN_SENSOR_ON_INSIDE || image;
    bool contact = on == JN_SENSOR_ON_CONTACT;
    bool places = both || on == JN_SENSOR_ON_POINT || on == JN_SENSOR_ON_FRAME || on == JN_SENSOR_ON_ZONE;
    bool fine = (contact || has_point == places) && (contact || (!s->has_side && !s->sensor.reduce)) &&
                image == (s->sensor.focal[0] > 0) && image == (s->sensor.resolution[0] > 0) && s->has_joint == (on == JN_SENSOR_ON_JOINT) &&
                s->has_tendon == (on == JN_SENSOR_ON_TENDON) && s->has_actuator == (on == JN_SENSOR_ON_ACTUATOR) &&
                s->has_body == (on == JN_SENSOR_ON_BODY) && s->has_between == (on == JN_SENSOR_ON_PAIR) &&
                (!has_reference || places) && (!both || has_reference);
    if (fine && s->has_zone && !(z.x > 0 && z.y > 0 && z.z > 0))
        return jn_read_error(r, node->where, JN_ERR_MODEL, "'zone_size' is not above zero\nwrite as in 'zone_size: [0.02, 0.02, 0.001]'");
    if (fine && jn_sensor_count(&s->sensor) > JN_SENSOR_MOST)
        return jn_read_error(r, node->where, JN_ERR_LIMIT, "a sensor has %d values at most, not %d\nask for fewer 'slots' or less 'data'",
                             JN_SENSOR_MOST, jn_sensor_count(&s->sensor));
    return fine || jn_read_error(r, node->where, JN_ERR_MODEL, "a sensor '%s' needs %s",
                                 jn_sensor_type_info(s->sensor.type)->name, needed[on]);
}

bool jn_read_sensors(jn_reader *r, const jn_node *node, void *item) {
    bool fine = jn_expect_kind(r, node, JN_NODE_MAP, "sensors, each 'name: {type: gyro, point: imu}'");
    (void)item;
    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        sensor_item s = {.sensor = jn_sensor_default(entry->key, JN_SENSOR_CLOCK)};
        s.sensor.where = entry->where;
        size_t mark = jn_path_key(r, entry->key);
        bool good = jn_check_name(r, entry, true, "a sensor");
        good =
            jn_read_fields(r, entry->value, &jn_sensor_fields, &s) && good && s.has_type && finish(r, entry->value, &s);
        if (good && jn_description_add_sensor(r->d, &s.sensor) < 0) return jn_read_no_memory(r);
        jn_path_back(r, mark);
    }
    return fine && r->status == JN_OK;
}

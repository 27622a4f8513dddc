/* From a file to a description: the order in which its sections are read, and the top-level keys. */
#include "description/read/reader.h"

#include "base/hash.h"
#include "description/yaml/motion_hash.h"
#include "description/yaml/source.h"

#include <stddef.h>
#include <string.h>

static const jn_keyword plane_keywords[] = {{"xy", 1}, {NULL, 0}};
static const jn_keyword coordinates_keywords[] = {
    {"relative", JN_COORDINATES_RELATIVE}, {"absolute", JN_COORDINATES_ABSOLUTE}, {NULL, 0}};

static bool read_plane(jn_reader *r, const jn_node *node, void *item) {
    int word;
    (void)item;
    if (!jn_read_keyword(r, node, plane_keywords, &word)) {
        return false;
    }
    r->d->planar = true;
    return true;
}

static bool read_gravity(jn_reader *r, const jn_node *node, void *item) {
    const char *word = jn_read_plain_word(r, node);
    (void)item;
    if (word && strcmp(word, "none") == 0) {
        r->d->gravity = (jn_vec3){0, 0, 0};
        r->d->weightless = true;
        return true;
    }
    return jn_read_vector(r, node, JN_MEASURE_ACCELERATION, &r->d->gravity);
}

static bool read_no_contact(jn_reader *r, const jn_node *node, void *item) {
    bool fine = jn_expect_kind(r, node, JN_NODE_LIST, "a list of pairs of bodies");
    (void)item;
    for (int i = 0; fine && i < node->count; i++) {
        size_t mark = jn_path_item(r, i);
        int pair[2];
        void *wide = jn_store_grow(r->store, r->d->no_contact, r->d->no_contact_count, sizeof *r->d->no_contact);
        if (!wide) return jn_read_no_memory(r);
        r->d->no_contact = wide;
        if (jn_read_between(r, node->items[i], pair))
            memcpy(r->d->no_contact[r->d->no_contact_count++], pair, sizeof pair);
        jn_path_back(r, mark);
    }
    return fine;
}

/* Methods by which the model does not run, each with the reason. */
static bool read_not_by(jn_reader *r, const jn_node *node, void *item) {
    bool fine =
        jn_expect_kind(r, node, JN_NODE_MAP, "methods with reasons, 'not_by: {compliant: no stiffness is known}'");
    (void)item;
    for (int i = 0; fine && i < node->count; i++) {
        const jn_entry *entry = &node->entries[i];
        const jn_keyword *word = jn_method_keywords;
        while (word->name && strcmp(word->name, entry->key)) word++;
        if (!word->name || word->value == JN_METHOD_SMOOTH)
            return jn_read_error(r, entry->where, JN_ERR_MODEL,
                                 "'%.40s' is no contact method\nwrite 'compliant', 'nonsmooth' or 'impact'",
                                 entry->key);
        size_t mark = jn_path_key(r, entry->key);
        fine = jn_read_text(r, entry->value, &r->d->not_by[word->value]);
        jn_path_back(r, mark);
    }
    return fine;
}

static const jn_keyword overlap_keywords[] = {{"error", 0}, {"ignore", 1}, {NULL, 0}};

static bool read_overlaps(jn_reader *r, const jn_node *node, void *item) {
    int word;
    (void)item;
    if (!jn_read_keyword(r, node, overlap_keywords, &word)) return false;
    r->d->ignore_overlaps = word == 1;
    return true;
}

#define MODEL(member) offsetof(jn_description, member)
#define SET(name, set) static const jn_fieldset *const name[] = {set, NULL}
SET(body_sets, &jn_body_fields);
SET(point_sets, &jn_point_fields);
SET(joint_sets, &jn_joint_fields);
SET(coupler_sets, &jn_coupler_fields);
SET(tendon_sets, &jn_tendon_fields);
SET(actuator_sets, &jn_actuator_fields);
SET(sensor_sets, &jn_sensor_fields);
SET(contact_sets, &jn_contact_fields);
SET(run_sets, &jn_run_fields);
SET(record_sets, &jn_record_fields);
SET(expect_sets, &jn_expect_fields);
SET(table_sets, &jn_table_fields);
SET(robot_sets, &jn_robot_fields);
static const jn_fieldset *const force_sets[] = {&jn_spring_fields, &jn_bushing_fields, &jn_force_fields,
                                                &jn_torque_fields, &jn_drag_fields,    NULL};

static const jn_field model_rows[] = {
    {.key = "title",
     .kind = JN_FIELD_TEXT,
     .offset = MODEL(title),
     .doc = "one line about the model",
     .example = "title: Double pendulum"},
    {.key = "include",
     .kind = JN_FIELD_CUSTOM,
     .schema = "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]}",
     .doc = "other files to read first, beside this one",
     .example = "include: [materials.yaml, arm.yaml]"},
    {.key = "robots",
     .kind = JN_FIELD_NAMED,
     .sets = robot_sets,
     .doc = "robots' files (URDF, MJCF, SDF, USD) to read first",
     .example = "robots: {left: {file: anymal.urdf, at: [0, 1, 0.6]}}"},
    {.key = "plane",
     .kind = JN_FIELD_KEYWORD,
     .keywords = plane_keywords,
     .read = read_plane,
     .fallback = "motion in space",
     .doc = "all motion is in this plane; vectors have two numbers",
     .example = "plane: xy"},
    {.key = "gravity",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_ACCELERATION,
     .read = read_gravity,
     .schema = "{\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, {\"type\": \"string\"}]}",
     .fallback = "[0, 0, -9.81]; [0, -9.81] in a planar model",
     .doc = "a vector, or none",
     .example = "gravity: [0, 0, -1.62]"},
    {.key = "coordinates",
     .kind = JN_FIELD_KEYWORD,
     .offset = MODEL(coordinates),
     .keywords = coordinates_keywords,
     .fallback = "relative",
     .doc = "relative: those of the joints; absolute: six (three in a plane) for each body",
     .example = "coordinates: absolute"},
    {.key = "parameters",
     .kind = JN_FIELD_CUSTOM,
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", \"string\", \"boolean\"]}}",
     .doc = "named values, in any order",
     .example = "parameters: {l1: 153 mm, l2: 2*l1}"},
    {.key = "tables",
     .kind = JN_FIELD_NAMED,
     .sets = table_sets,
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2}}",
     .doc = "curves for spline(NAME, x) and table(NAME, x)",
     .example = "tables: {cam: [[0, 0], [1, 0.2], [2, 0]]}"},
    {.key = "functions",
     .kind = JN_FIELD_CUSTOM,
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", \"string\"]}}",
     .doc = "named functions of t, for use in motion, force, torque, tension, motor; each may use those above it",
     .example = "functions: {lift: 'spline(cam, mod(t, 2))', lever: 2*lift}"},
    {.key = "bodies",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_bodies,
     .sets = body_sets,
     .doc = "the bodies; 'ground' is always there",
     .example = "bodies: {rod: {mass: 1, com: [0.5, 0, 0]}}"},
    {.key = "points",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_points,
     .sets = point_sets,
     .doc = "points to be recorded",
     .example = "points: {tip: {body: rod, at: [1, 0, 0]}}"},
    {.key = "joints",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_joints,
     .sets = joint_sets,
     .doc = "the joints",
     .example = "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: y}}"},
    {.key = "couplers",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_couplers,
     .sets = coupler_sets,
     .doc = "relations between joints",
     .example = "couplers: {gears: {gear: [a, b], ratio: -2}}"},
    {.key = "tendons",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_tendons,
     .sets = tendon_sets,
     .doc = "cables over joints, with stops, springs and forces",
     .example = "tendons: {hamstring: {joints: {hip: 0.5, knee: -0.5}, lower: -0.3, upper: 2}}"},
    {.key = "actuators",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_actuators,
     .sets = actuator_sets,
     .doc = "motors, servos, cylinders and muscles by a control",
     .example = "actuators: {servo: {joint: knee, control: 0.3, gain: 100, bias: [0, -100, -10]}}"},
    {.key = "sensors",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_sensors,
     .sets = sensor_sets,
     .doc = "instruments, recorded as channels sensor.NAME",
     .example = "sensors: {imu: {type: accelerometer, point: head}}"},
    {.key = "forces",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_forces,
     .sets = force_sets,
     .doc = "springs, bushings, forces, torques and drag",
     .example = "forces: {push: {type: force, body: rod, at: [1, 0, 0], force: [0, 5 N, 0]}}"},
    {.key = "contacts",
     .kind = JN_FIELD_NAMED,
     .read = jn_read_contacts,
     .sets = contact_sets,
     .doc = "how bodies touch: a pair of bodies, or a material that shapes name",
     .example = "contacts: {floor: {between: [ground, ball], stiffness: 1e8, restitution: 0.8}}"},
    {.key = "no_contact",
     .kind = JN_FIELD_CUSTOM,
     .read = read_no_contact,
     .schema = "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, "
               "\"items\": {\"type\": \"string\"}}}",
     .doc = "pairs of bodies that never touch",
     .example = "no_contact: [[thigh, pelvis], [hand, forearm]]"},
    {.key = "overlaps",
     .kind = JN_FIELD_KEYWORD,
     .keywords = overlap_keywords,
     .read = read_overlaps,
     .fallback = "error",
     .doc = "bodies that overlap at the start: an error, or ignore: they never touch each other, and free ones in the ground are lifted out of it, against gravity",
     .example = "overlaps: ignore"},
    {.key = "run",
     .kind = JN_FIELD_MAP,
     .read = jn_read_run,
     .sets = run_sets,
     .doc = "how to run",
     .example = "run: {until: 10 s}"},
    {.key = "not_by",
     .kind = JN_FIELD_CUSTOM,
     .read = read_not_by,
     .schema = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}}",
     .doc = "contact methods by which the model does not run, each with the reason; runs by them are warned about",
     .example = "not_by: {compliant: no stiffness is known}"},
    {.key = "record",
     .kind = JN_FIELD_MAP,
     .read = jn_read_record,
     .sets = record_sets,
     .doc = "what to write",
     .example = "record: {every: 1 ms}"},
    {.key = "expect",
     .kind = JN_FIELD_LIST,
     .read = jn_read_expects,
     .sets = expect_sets,
     .doc = "expectations of the result",
     .example = "expect: [{channel: body.rod.x, time: 1 s, value: 0.3, within: 1e-6}]"},
    {.key = NULL},
};
const jn_fieldset jn_model_fields = {"the model", "The keys at the top of a model file.", model_rows};

/* Keys that are not there are no reason to stop: the rest is read too. */
static void check_top_keys(jn_reader *r) {
    for (int i = 0; i < r->root->count; i++) {
        const jn_entry *entry = &r->root->entries[i];
        jn_suggest suggest = jn_suggest_for(entry->key);
        if (jn_field_find(&jn_model_fields, entry->key)) {
            continue;
        }
        for (const jn_field *f = model_rows; f->key; f++) {
            jn_suggest_offer(&suggest, f->key);
        }
        jn_path_key(r, entry->key);
        jn_read_error(r, entry->where, JN_ERR_MODEL,
                      suggest.best ? "unknown key '%.80s' in the model\nwrite '%s'"
                                   : "unknown key '%.80s' in the model%.0s",
                      entry->key, suggest.best ? suggest.best : "");
        jn_path_back(r, 0);
    }
}

/* One top-level key, by the row of the table. */
static void read_section(jn_reader *r, const char *key) {
    const jn_field *field = jn_field_find(&jn_model_fields, key);
    const jn_entry *entry = jn_node_entry(r->root, key);
    jn_node only = {.kind = JN_NODE_MAP, .count = 1};
    jn_entry copy;
    jn_fieldset one = {"the model", "", field};
    jn_field rows[2] = {{.key = NULL}, {.key = NULL}};

    if (!entry) {
        return;
    }
    if (entry->value->kind == JN_NODE_EMPTY && field->kind >= JN_FIELD_MAP) {
        return; /* an empty section */
    }
    rows[0] = *field;
    rows[0].kind = field->read ? JN_FIELD_CUSTOM : field->kind;
    one.fields = rows;
    copy = *entry;
    only.entries = &copy;
    only.where = entry->where;
    jn_read_fields(r, &only, &one, r->d);
}

bool jn_read_sections(jn_reader *r) {
    static const char *const order[] = {"points",     "joints",   "tendons", "couplers", "actuators", "sensors", "forces", "contacts",
                                        "no_contact", "overlaps", "run",      "not_by",  "record", "expect"};

    check_top_keys(r);
    if (!jn_read_parameters(r) && r->status == JN_ERR_MEMORY) {
        return false;
    }
    read_section(r, "title");
    read_section(r, "plane");
    r->d->gravity = r->d->planar ? (jn_vec3){0, -9.81, 0} : (jn_vec3){0, 0, -9.81};
    read_section(r, "gravity");
    read_section(r, "coordinates");
    jn_read_tables(r);
    jn_read_functions(r);
    size_t mark = jn_path_key(r, "bodies");
    if (!jn_read_bodies(r, jn_node_get(r->root, "bodies"), NULL) && r->status == JN_ERR_MEMORY) {
        return false;
    }
    jn_path_back(r, mark);
    if (!jn_register_joints(r) && r->status == JN_ERR_MEMORY) {
        return false;
    }
    for (size_t i = 0; i < sizeof order / sizeof order[0] && r->status != JN_ERR_MEMORY; i++) {
        read_section(r, order[i]);
    }
    return r->status == JN_OK;
}

/* text NULL: read it from the file. */
static jn_description *read_model(const char *path, const char *text, size_t length, const jn_setting *settings,
                                  int count, jn_report *report) {
    jn_reader r = {.report = report, .pending = -1, .import = jn_import_default()};

    if (report) {
        jn_report_clear(report);
    }
    r.d = jn_description_create();
    r.scratch = jn_store_create();
    if (!r.d || !r.scratch) {
        jn_read_no_memory(&r);
        jn_store_free(r.scratch);
        jn_description_free(r.d);
        return NULL;
    }
    r.store = r.d->store;
    r.d->hash = JN_HASH_START;
    r.d->file = jn_store_strdup(r.store, path);
    if (!r.d->file) {
        r.d->file = "";
        jn_read_no_memory(&r);
    } else if (text) {
        r.d->hash = jn_hash_bytes(r.d->hash, text, length);
        r.d->text = jn_store_copy(r.store, text, length);
    } else {
        r.d->text = jn_source_load(&r, path, (jn_where){r.d->file, 0, 0}, r.store, &length);
    }
    if (!r.d->text && r.status == JN_OK) {
        jn_read_no_memory(&r);
    }
    bool fine = r.status == JN_OK && jn_import_set(&r, settings, count) &&
                jn_source_read(&r, r.d->text, length, r.d->file) && jn_source_set(&r, settings, count) &&
                jn_read_sections(&r);
    if (fine) r.d->motion_hash = jn_motion_hash(&r, settings, count);
    jn_store_free(r.scratch);
    if (!fine) {
        jn_description_free(r.d);
        return NULL;
    }
    return r.d;
}

jn_description *jn_description_read(const char *path, const jn_setting *settings, int setting_count,
                                    jn_report *report) {
    return read_model(path, NULL, 0, settings, setting_count, report);
}

jn_description *jn_description_parse(const char *text, size_t length, const char *name, const jn_setting *settings,
                                     int setting_count, jn_report *report) {
    return read_model(name, text, length, settings, setting_count, report);
}

/* Robots' files: which kind they are, the options they are read with, and the section robots of a model. */
#include "description/robot/robot.h"
#include "description/robot/sdf/sdf.h"

#include "base/parse_number.h"
#include "description/robot/usd/usd_layer.h"
#include "description/yaml/source.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

jn_import_options jn_import_default(void) {
    return (jn_import_options){.orientation = {1, 0, 0, 0}, .floor_height = NAN, .simplify = 1e-3};
}

bool jn_import_is_robot(const char *text, size_t length, const char *file) {
    if (jn_usd_is_usd(text, length, file)) return true;
    size_t i = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n')) i++;
    return i < length && text[i] == '<' && !(i + 1 < length && text[i + 1] == '<'); /* "<<:" is YAML */
}

static bool flag(jn_reader *r, const jn_setting *s, bool *out) {
    if (!strcmp(s->value, "true")) return *out = true;
    if (!strcmp(s->value, "false")) return !(*out = false);
    return jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL, "'%s' is true or false, not '%.40s'", s->name,
                         s->value);
}

static bool set_base(jn_reader *r, const char *word, jn_where where, jn_base *out) {
    if (!strcmp(word, "auto"))
        *out = JN_BASE_AUTO;
    else if (!strcmp(word, "fixed"))
        *out = JN_BASE_FIXED;
    else if (!strcmp(word, "free"))
        *out = JN_BASE_FREE;
    else
        return jn_read_error(r, where, JN_ERR_MODEL, "a base is free, fixed or auto, not '%.40s'", word);
    return true;
}

static bool set_simplify(jn_reader *r, const jn_setting *s, double *part) {
    return (jn_number_read(s->value, strlen(s->value), part) && *part >= 0 && *part <= 0.1) ||
           jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL,
                         "'%s' is a part of the size of hulls, 0 to 0.1, not '%.40s'", s->name, s->value);
}

static bool set_density(jn_reader *r, const jn_setting *s, double *density) {
    return (jn_number_read(s->value, strlen(s->value), density) && *density >= 0 && *density <= 1e6) ||
           jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL,
                         "'%s' is a density in kg/m^3, 0 to 1e6, not '%.40s'\nwrite %s=1000", s->name, s->value,
                         s->name);
}

bool jn_import_is_setting(const char *name) { return !strncmp(name, "import.", 7); }

bool jn_import_set(jn_reader *r, const jn_setting *settings, int count) {
    bool fine = true;
    for (int i = 0; i < count; i++) {
        const jn_setting *s = &settings[i];
        if (!jn_import_is_setting(s->name)) continue;
        const char *key = s->name + 7;
        jn_import_options *o = &r->import;
        if (!strcmp(key, "lenient"))
            fine = flag(r, s, &o->lenient) && fine;
        else if (!strcmp(key, "repair"))
            fine = flag(r, s, &o->repair) && fine;
        else if (!strcmp(key, "base"))
            fine = set_base(r, s->value, (jn_where){"", 0, 0}, &o->base) && fine;
        else if (!strcmp(key, "packages"))
            o->packages = s->value;
        else if (!strcmp(key, "xacro"))
            o->xacro = s->value;
        else if (!strcmp(key, "keyframe"))
            o->keyframe = s->value;
        else if (!strcmp(key, "simplify"))
            fine = set_simplify(r, s, &o->simplify) && fine;
        else if (!strcmp(key, "density"))
            fine = set_density(r, s, &o->density) && fine;
        else if (!strcmp(key, "floor")) {
            o->floor = strcmp(s->value, "false") != 0;
            bool number = jn_number_read(s->value, strlen(s->value), &o->floor_height);
            if (!number) o->floor_height = NAN;
            if (!number && strcmp(s->value, "true") && strcmp(s->value, "false"))
                fine = jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL,
                                     "'import.floor' is true, false or a height, not '%.40s'", s->value);
        } else {
            fine = jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL,
                                 "there is no '%.60s'\nwrite import.lenient, repair, base, floor, packages, xacro, "
                                 "keyframe, simplify or density",
                                 s->name);
        }
    }
    return fine;
}

static bool read_xml(jn_robot *b, const char *text, size_t length) {
    jn_reader *r = b->r;
    int status;
    jn_xml *root = jn_xml_read(text, length, b->file, r->scratch, r->report, &status);
    if (!root) {
        r->status = r->status ? r->status : status;
        return false;
    }
    if (!strcmp(root->name, "robot")) return jn_urdf_read(b, root);
    if (!strcmp(root->name, "mujoco")) return jn_mjcf_read(b, root);
    if (!strcmp(root->name, "sdf")) return jn_sdf_read(b, root);
    return jn_read_error(r, root->where, JN_ERR_MODEL,
                         "a robot's file begins with <robot> (URDF), <mujoco> (MJCF), <sdf> or #usda, not <%.60s>",
                         root->name);
}

jn_node *jn_import_read(jn_reader *r, const char *text, size_t length, const char *file,
                        const jn_import_options *options, const char *prefix) {
    jn_robot b = {.r = r, .options = options, .file = file, .title = "", .prefix = prefix};
    bool fine = jn_usd_is_usd(text, length, file) ? jn_usd_read(&b, text, length) : read_xml(&b, text, length);
    jn_node *tree = NULL;
    if (fine) {
        jn_robot_check_mass(&b);
        tree = jn_robot_nodes(&b);
        jn_robot_make_hulls(&b);
    }
    jn_robot_tell(&b);
    return r->status == JN_OK ? tree : NULL;
}

/* -------------------------------------------------------------------------------------------------- the section robots */

typedef struct robot_item {
    jn_import_options options; /* first */
    const char *file;
    int base;
} robot_item;

static const jn_keyword base_keywords[] = {
    {"auto", JN_BASE_AUTO}, {"free", JN_BASE_FREE}, {"fixed", JN_BASE_FIXED}, {NULL, 0}};

static bool read_turn(jn_reader *r, const jn_node *node, void *item) {
    return jn_read_orientation(r, node, &((robot_item *)item)->options.orientation);
}

#define ROBOT(member) offsetof(robot_item, options.member)
static const jn_field robot_rows[] = {
    {.key = "file",
     .kind = JN_FIELD_TEXT,
     .offset = offsetof(robot_item, file),
     .required = true,
     .doc = "a URDF, MJCF, SDF or USD (.usda) file beside this one",
     .example = "file: anymal.urdf"},
    {.key = "at",
     .kind = JN_FIELD_VECTOR,
     .measure = JN_MEASURE_LENGTH,
     .offset = ROBOT(at),
     .fallback = "the world's origin",
     .doc = "where the origin of the file stands; numbers, no parameters",
     .example = "at: [0, 0, 0.6]"},
    {.key = "orientation",
     .kind = JN_FIELD_CUSTOM,
     .measure = JN_MEASURE_ANGLE,
     .read = read_turn,
     .schema = "{\"$ref\": \"#/$defs/orientation\"}",
     .fallback = "as the world",
     .doc = "of the file's axes; numbers, no parameters",
     .example = "orientation: {axis: z, angle: 90 deg}"},
    {.key = "base",
     .kind = JN_FIELD_KEYWORD,
     .offset = offsetof(robot_item, base),
     .keywords = base_keywords,
     .fallback = "auto",
     .doc = "auto: as in the file, a URDF without a link 'world' is free",
     .example = "base: fixed"},
    {.key = "lenient",
     .kind = JN_FIELD_BOOL,
     .offset = ROBOT(lenient),
     .fallback = "false",
     .doc = "what cannot be taken over and changes the physics is a warning, not an error",
     .example = "lenient: true"},
    {.key = "repair",
     .kind = JN_FIELD_BOOL,
     .offset = ROBOT(repair),
     .fallback = "false",
     .doc = "mend inertias that no body can have",
     .example = "repair: true"},
    {.key = "density",
     .kind = JN_FIELD_NUMBER,
     .measure = JN_MEASURE_DENSITY,
     .offset = ROBOT(density),
     .range = JN_RANGE_NOT_NEGATIVE,
     .fallback = "0",
     .doc = "URDF: links without <inertial> weigh what their collision shapes do at this density",
     .example = "density: 1000 kg/m^3"},
    {.key = "packages",
     .kind = JN_FIELD_TEXT,
     .offset = ROBOT(packages),
     .doc = "folders of ROS packages, separated by ':', for package:// names of meshes",
     .example = "packages: /opt/ros/share"},
    {.key = "xacro",
     .kind = JN_FIELD_TEXT,
     .offset = ROBOT(xacro),
     .doc = "arguments of a xacro template, NAME:=VALUE with spaces between them",
     .example = "xacro: 'hand:=false prefix:=left_'"},
    {.key = "keyframe",
     .kind = JN_FIELD_TEXT,
     .offset = ROBOT(keyframe),
     .doc = "MJCF: the state at the start",
     .example = "keyframe: home"},
    {.key = NULL},
};
const jn_fieldset jn_robot_fields = {"robots.NAME",
                                     "A robot's file; NAME_ stands before all its names. Of several with one file the "
                                     "first brings what is fixed on the world.",
                                     robot_rows};

jn_node *jn_import_robot(jn_reader *r, const jn_node *robots, int index, const char *from) {
    const jn_entry *entry = &robots->entries[index];
    robot_item item = {.options = jn_import_default(), .base = JN_BASE_AUTO};
    size_t length, mark = jn_path_key(r, entry->key);
    jn_node *tree = NULL;
    char prefix[64];
    bool fine = jn_check_name(r, entry, false, "a robot") && jn_expect_kind(r, entry->value, JN_NODE_MAP, "a robot") &&
                jn_read_fields(r, entry->value, &jn_robot_fields, &item);
    item.options.base = (jn_base)item.base;
    item.options.lenient |= r->import.lenient, item.options.repair |= r->import.repair;
    if (!(item.options.density > 0)) item.options.density = r->import.density;
    if (!item.options.packages) item.options.packages = r->import.packages;
    for (int k = 0; fine && k < index; k++) {
        const jn_node *file = jn_node_get(robots->entries[k].value, "file");
        item.options.without_world |= file && file->text && !strcmp(file->text, item.file);
    }
    const char *path = fine ? jn_source_beside(r, from, item.file) : NULL;
    char *text = path ? jn_source_load(r, path, jn_node_get(entry->value, "file")->where, r->scratch, &length) : NULL;
    int written = snprintf(prefix, sizeof prefix, "%.50s_", entry->key);
    if (text && written > 0)
        tree = jn_import_read(r, text, length, path, &item.options, jn_store_strdup(r->scratch, prefix));
    jn_path_back(r, mark);
    return tree;
}

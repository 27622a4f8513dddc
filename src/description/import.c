/* Robots' files: which kind they are, and the options they are read with. */
#include "description/robot.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

jn_import_options jn_import_default(void) {
    return (jn_import_options){.orientation = {1, 0, 0, 0}, .floor_height = NAN};
}

bool jn_import_is_xml(const char *text, size_t length) {
    size_t i = length >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n')) i++;
    return i < length && text[i] == '<' && !(i + 1 < length && text[i + 1] == '<'); /* "<<:" is YAML */
}

static bool flag(jn_reader *r, const jn_setting *s, bool *out) {
    if (!strcmp(s->value, "true")) return *out = true;
    if (!strcmp(s->value, "false")) return !(*out = false);
    return jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL, "'%s' is true or false, not '%.40s'", s->name, s->value);
}

static bool set_base(jn_reader *r, const char *word, jn_where where, jn_base *out) {
    if (!strcmp(word, "auto")) *out = JN_BASE_AUTO;
    else if (!strcmp(word, "fixed")) *out = JN_BASE_FIXED;
    else if (!strcmp(word, "free")) *out = JN_BASE_FREE;
    else return jn_read_error(r, where, JN_ERR_MODEL, "a base is free, fixed or auto, not '%.40s'", word);
    return true;
}

bool jn_import_is_setting(const char *name) { return !strncmp(name, "import.", 7); }

bool jn_import_set(jn_reader *r, const jn_setting *settings, int count) {
    bool fine = true;
    for (int i = 0; i < count; i++) {
        const jn_setting *s = &settings[i];
        if (!jn_import_is_setting(s->name)) continue;
        const char *key = s->name + 7;
        jn_import_options *o = &r->import;
        if (!strcmp(key, "lenient")) fine = flag(r, s, &o->lenient) && fine;
        else if (!strcmp(key, "repair")) fine = flag(r, s, &o->repair) && fine;
        else if (!strcmp(key, "base")) fine = set_base(r, s->value, (jn_where){"", 0, 0}, &o->base) && fine;
        else if (!strcmp(key, "packages")) o->packages = s->value;
        else if (!strcmp(key, "keyframe")) o->keyframe = s->value;
        else if (!strcmp(key, "floor")) {
            o->floor = strcmp(s->value, "false") != 0;
            bool number = jn_number_read(s->value, strlen(s->value), &o->floor_height);
            if (!number) o->floor_height = NAN;
            if (!number && strcmp(s->value, "true") && strcmp(s->value, "false"))
                fine = jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL, "'import.floor' is true, false or a height, not '%.40s'", s->value);
        } else {
            fine = jn_read_error(r, (jn_where){"", 0, 0}, JN_ERR_MODEL,
                                 "there is no '%.60s'\nwrite import.lenient, repair, base, floor, packages or keyframe", s->name);
        }
    }
    return fine;
}

jn_node *jn_import_read(jn_reader *r, const char *text, size_t length, const char *file, const jn_import_options *options,
                        const char *prefix) {
    jn_robot b = {.r = r, .options = options, .file = file, .title = "", .prefix = prefix};
    int status;
    jn_xml *root = jn_xml_read(text, length, file, r->scratch, r->report, &status);
    if (!root) {
        r->status = r->status ? r->status : status;
        return NULL;
    }
    bool fine = false;
    if (!strcmp(root->name, "robot"))
        fine = jn_urdf_read(&b, root);
    else if (!strcmp(root->name, "mujoco"))
        fine = jn_mjcf_read(&b, root);
    else
        jn_read_error(r, root->where, JN_ERR_MODEL, "a robot's file begins with <robot> (URDF) or <mujoco> (MJCF), not <%.60s>%s", root->name,
                      !strcmp(root->name, "sdf") ? "\nSDF is not read: convert it to URDF" : "");
    jn_node *tree = NULL;
    if (fine) {
        jn_robot_check_mass(&b);
        tree = jn_robot_nodes(&b);
    }
    jn_robot_tell(&b);
    return r->status == JN_OK ? tree : NULL;
}

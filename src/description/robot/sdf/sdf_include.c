/* SDF: models in files of their own, placed by <include>. */
#include "description/robot/sdf/sdf.h"
#include "description/yaml/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_INCLUDES = 1000 };

static bool is_file(const char *path) {
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The file that model.config names for the latest version of SDF, beside it; NULL: none. */
static const char *configured(jn_robot *b, const char *config) {
    size_t length;
    int status;
    jn_where where = {config, 1, 1};
    char *text = is_file(config) ? jn_source_load(b->r, config, where, b->r->scratch, &length) : NULL;
    jn_report quiet = {0};
    const jn_xml *root = text ? jn_xml_read(text, length, config, b->r->scratch, &quiet, &status) : NULL, *best = NULL;
    double latest = -1;
    for (int i = 0; root && i < root->count; i++) {
        const jn_xml *e = root->children[i];
        const char *version = jn_xml_attribute_of(e, "version");
        double number = version ? strtod(version, NULL) : 0;
        if (!strcmp(e->name, "sdf") && e->text && number > latest) latest = number, best = e;
    }
    if (!best) return NULL;
    const char *name = best->text + strspn(best->text, " \t\r\n");
    const char *path = jn_source_beside(b->r, config, jn_robot_text(b, "%.*s", (int)strcspn(name, " \t\r\n"), name));
    return is_file(path) ? path : NULL;
}

/* A file, or in a folder what its model.config names, or model.sdf: beside the file that includes it, else in the folders of packages and above the file. Names without a
 * scheme, and of file://, are looked for there too, as libsdformat does; addresses of the web are not there. */
static const char *find_model(jn_robot *b, const jn_xml *e, const char *uri) {
    bool named = strncmp(uri, "http", 4) != 0;
    const char *name = strstr(uri, "://") ? strstr(uri, "://") + 3 : uri;
    const char *const tries[] = {name, jn_robot_text(b, "%s/model.config", name), jn_robot_text(b, "%s/model.sdf", name)};
    for (int k = 0; k < 3; k++) {
        const char *found = named ? jn_robot_find_in_packages(b, tries[k], false) : NULL;
        const char *places[] = {jn_source_beside(b->r, e->where.file, tries[k]), found ? jn_source_beside(b->r, b->file, found) : NULL};
        for (int i = 0; i < 2; i++) {
            const char *path = k == 1 && places[i] ? configured(b, places[i]) : places[i];
            if (is_file(path)) return path;
        }
    }
    return NULL;
}

/* The two models that nearly every world of Gazebo includes from its database: a light, and a floor [gazebo_models, sun and ground_plane]; NULL: another one. */
static const char *usual_model(const char *uri) {
    static const struct {
        const char *name, *text;
    } usual[] = {{"sun", "<sdf version='1.6'><model name='sun'><static>true</static></model></sdf>"},
                 {"ground_plane",
                  "<sdf version='1.6'><model name='ground_plane'><static>true</static><link name='link'><collision name='collision'><geometry><plane>"
                  "<normal>0 0 1</normal></plane></geometry><surface><friction><ode><mu>100</mu><mu2>50</mu2></ode></friction></surface></collision>"
                  "</link></model></sdf>"}};
    const char *name = strrchr(uri, '/') ? strrchr(uri, '/') + 1 : uri;
    for (int i = 0; i < 2; i++) {
        size_t k = 0;
        while (name[k] && (tolower((unsigned char)name[k]) == usual[i].name[k] || (name[k] == ' ' && usual[i].name[k] == '_'))) k++;
        if (!name[k] && !usual[i].name[k]) return usual[i].text;
    }
    return NULL;
}

bool jn_sdf_merges(const jn_xml *include) {
    const char *merge = jn_xml_attribute_of(include, "merge");
    return merge && (!strcmp(merge, "true") || !strcmp(merge, "1"));
}

/* The model with the name, pose, static and placement_frame of the include, where it has them. */
static jn_xml *placed(jn_sdf *s, const jn_xml *e, const jn_xml *model) {
    static const char *const replaced[] = {"pose", "static"};
    jn_store *store = s->b->r->scratch;
    const char *name = jn_sdf_text(s, e, "name"), *by = jn_sdf_text(s, e, "placement_frame");
    jn_xml *copy = jn_store_alloc(store, sizeof *copy);
    jn_xml **children = jn_store_array(store, (size_t)model->count + 2, sizeof *children);
    jn_xml_attribute *attributes = jn_store_array(store, (size_t)model->attribute_count + 2, sizeof *attributes);
    if (!copy || !children || !attributes) {
        jn_read_no_memory(s->b->r);
        return NULL;
    }
    *copy = *model;
    copy->children = children, copy->count = 0, copy->attributes = attributes, copy->attribute_count = 0;
    bool moved = by || jn_xml_child(e, "pose"); /* the model's own placement_frame goes with its own pose */
    if (name) attributes[copy->attribute_count++] = (jn_xml_attribute){"name", name};
    if (by) attributes[copy->attribute_count++] = (jn_xml_attribute){"placement_frame", by};
    for (int i = 0; i < model->attribute_count; i++) {
        const char *key = model->attributes[i].name;
        if ((!name || strcmp(key, "name")) && (!moved || strcmp(key, "placement_frame")))
            attributes[copy->attribute_count++] = model->attributes[i];
    }
    for (int i = 0; i < model->count; i++) {
        bool kept = true;
        for (int k = 0; k < 2; k++) kept = kept && (strcmp(model->children[i]->name, replaced[k]) || !jn_xml_child(e, replaced[k]));
        if (kept) children[copy->count++] = model->children[i];
    }
    for (int i = 0; i < e->count; i++)
        if (!strcmp(e->children[i]->name, "pose") || !strcmp(e->children[i]->name, "static")) {
            if (copy->count < model->count + 2) children[copy->count++] = e->children[i];
        }
    return copy;
}

bool jn_sdf_include(jn_sdf *s, const jn_xml *e, const jn_xml **out) {
    jn_robot *b = s->b;
    const char *uri = jn_sdf_text(s, e, "uri"), *path = uri ? find_model(b, e, uri) : NULL;
    size_t length;
    int status;
    *out = NULL;
    if (!uri) return jn_read_error(b->r, e->where, JN_ERR_MODEL, "<include> has no <uri>");
    if (++s->includes > MOST_INCLUDES)
        return jn_read_error(b->r, e->where, JN_ERR_LIMIT, "more than %d models are included: do their files include each other?", MOST_INCLUDES);
    const char *usual = path ? NULL : usual_model(uri);
    if (!path && !usual) {
        jn_robot_find(b, JN_FINDING_MISSING, e->where, uri, "included models that are not there",
                      "they are left out; --packages DIR names the folder that holds the model's");
        s->lacks_models = true;
        return true;
    }
    if (usual) {
        jn_robot_find(b, JN_FINDING_NOTE, e->where, uri, "included models that are not there, but known", "the sun is a light, ground_plane a floor of friction 100");
        path = e->where.file;
    }
    const char *text = usual ? usual : jn_source_load(b->r, path, e->where, b->r->scratch, &length);
    if (usual) length = strlen(usual);
    jn_xml *root = text ? jn_xml_read(text, length, path, b->r->scratch, b->r->report, &status) : NULL;
    if (text && !root) b->r->status = b->r->status ? b->r->status : status;
    if (!root) return false;
    bool sdf = !strcmp(root->name, "sdf");
    const jn_xml *model = sdf ? jn_xml_child(root, "model") : NULL;
    if (sdf && !model && (jn_xml_child(root, "light") || jn_xml_child(root, "actor"))) return true; /* it touches nothing */
    if (!model) return jn_read_error(b->r, root->where, JN_ERR_MODEL, "'%.100s' is no SDF file with a <model>", path);
    const char *version = jn_xml_attribute_of(root, "version");
    if (version) s->version = strtod(version, NULL);
    *out = placed(s, e, model);
    return *out != NULL;
}

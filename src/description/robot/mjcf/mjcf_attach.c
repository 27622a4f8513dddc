/* MJCF: <attach> takes a body, a frame or the whole world of another model, or a part of its own [MuJoCo, XML reference, attach]: with
 * the classes, assets and compiler of that model, and what refers to the part alone. A prefix stands before all names. */
#include "description/robot/mjcf/mjcf.h"

#include <string.h>

enum { DEEPEST_MODEL = 32 };

const char jn_mjcf_outermost[] = " outermost";

/* A model of the assets, once it is read. */
struct jn_mjcf_model {
    const jn_xml *asset;
    jn_xml *root; /* its name is NULL: the file is not there, which is reported */
    int compiler; /* index */
    jn_mjcf_model *next;
};

static bool merges(const jn_xml *root) {
    bool merging = false;
    for (int i = 0; i < root->count; i++) {
        const char *word = strcmp(root->children[i]->name, "compiler") ? NULL : jn_xml_attribute_of(root->children[i], "conflict");
        if (word) merging = strcmp(word, "warning") != 0;
    }
    return merging;
}

static bool tell_settings(jn_mjcf *x, const jn_xml *root) {
    for (int i = 0; i < root->count; i++) {
        const jn_xml *e = root->children[i];
        if (!strcmp(e->name, "option") && (e->attribute_count || e->count))
            jn_robot_find(x->b, merges(x->root) ? JN_FINDING_PHYSICS : JN_FINDING_NOTE, e->where, "option",
                          merges(x->root) ? "options of models that are to be merged (compiler conflict)" : "options of attached models",
                          "those of the outermost model hold");
        if (!strcmp(e->name, "keyframe") && e->count)
            jn_robot_find(x->b, JN_FINDING_NOTE, e->where, "keyframe", "keyframes of attached models", "they are left out");
    }
    return true;
}

/* Its compiler, and its own replicates and attachments, while it is the model that is read. */
static bool prepare(jn_mjcf *x, jn_mjcf_model *m) {
    jn_xml *root = m->root, *outer = x->root;
    jn_mjcf_compiler before = x->compiler;
    double total = x->total_mass;
    bool fine = true;
    x->compiler = (jn_mjcf_compiler){.degrees = true, .limits_by_range = true, .euler = "xyz", .group_range = {0, 1e9},
                                     .file = root->where.file};
    for (int i = 0; i < root->count && fine; i++)
        if (!strcmp(root->children[i]->name, "compiler")) fine = jn_mjcf_read_compiler(x, root->children[i]);
    x->total_mass = total;
    void *wide = jn_store_grow(x->b->r->scratch, x->compilers, x->compiler_count, sizeof *x->compilers);
    if (!wide) return jn_read_no_memory(x->b->r);
    x->compilers = wide, m->compiler = x->compiler_count;
    x->compilers[x->compiler_count++] = x->compiler;
    x->root = root, x->model_depth++;
    for (int i = 0, count = root->count; i < count && fine; i++)
        if (!strcmp(root->children[i]->name, "worldbody")) fine = jn_mjcf_expand(x, root->children[i], 0);
    x->root = outer, x->model_depth--, x->compiler = before;
    jn_mjcf_tell_others(x, root);
    return fine && tell_settings(x, root);
}

static jn_mjcf_model *read_model(jn_mjcf *x, const jn_xml *asset) {
    for (jn_mjcf_model *m = x->models; m; m = m->next)
        if (m->asset == asset) return m;
    jn_mjcf_model *m = jn_store_alloc(x->b->r->scratch, sizeof *m);
    if (!m) {
        jn_read_no_memory(x->b->r);
        return NULL;
    }
    *m = (jn_mjcf_model){.asset = asset, .root = jn_mjcf_load(x->b, asset, x->model_depth, &x->included)};
    if (!m->root) return NULL;
    if (m->root->name && strcmp(m->root->name, "mujoco")) {
        jn_read_error(x->b->r, m->root->where, JN_ERR_MODEL, "an attached model is an MJCF file, which begins with <mujoco>, not <%.40s>", m->root->name);
        return NULL;
    }
    if (m->root->name && !prepare(x, m)) return NULL;
    m->next = x->models, x->models = m;
    return m;
}

/* The model that <attach> names, by the name of the asset, or without one by that of the model itself. */
static jn_mjcf_model *find_model(jn_mjcf *x, const jn_xml *e, const char *name) {
    for (int named = 1; named >= 0; named--)
        for (int i = 0; i < x->root->count; i++)
            for (int k = 0; !strcmp(x->root->children[i]->name, "asset") && k < x->root->children[i]->count; k++) {
                const jn_xml *asset = x->root->children[i]->children[k];
                const char *own = jn_xml_attribute_of(asset, "name");
                if (strcmp(asset->name, "model") || (own != NULL) != named || (own && strcmp(own, name))) continue;
                jn_mjcf_model *m = read_model(x, asset);
                if (!m) return NULL;
                own = own ? own : m->root->name ? jn_xml_attribute_of(m->root, "model") : name;
                if (own && !strcmp(own, name)) return m;
            }
    jn_read_error(x->b->r, e->where, JN_ERR_MODEL,
                  "there is no model '%.60s' among the assets\nadd <model name=\"%.60s\" file=\"...\"/> to <asset>", name, name);
    return NULL;
}

/* Body or frame of a name below an element, with the class that holds there. */
static const jn_xml *find_part(const jn_xml *e, const char *kind, const char *name, const char **childclass) {
    const char *outer = *childclass, *own = jn_xml_attribute_of(e, "childclass"), *word = jn_xml_attribute_of(e, "name");
    if (!strcmp(e->name, kind) && word && !strcmp(word, name)) return e;
    *childclass = own ? own : outer;
    for (int i = 0; i < e->count; i++) {
        const jn_xml *found = find_part(e->children[i], kind, name, childclass);
        if (found) return found;
    }
    *childclass = outer;
    return NULL;
}

/* The named part of a model; without a name a frame with all that its world holds. */
static const jn_xml *part_of(jn_mjcf *x, const jn_xml *e, const jn_xml *root, const char **childclass) {
    const char *body = jn_xml_attribute_of(e, "body"), *frame = jn_xml_attribute_of(e, "frame");
    jn_xml *all = jn_store_alloc(x->b->r->scratch, sizeof *all);
    jn_xml **worlds = jn_store_array(x->b->r->scratch, (size_t)root->count + 1, sizeof *worlds);
    if (!all || !worlds) {
        jn_read_no_memory(x->b->r);
        return NULL;
    }
    *all = (jn_xml){.name = "frame", .where = e->where, .text = "", .children = worlds};
    for (int i = 0; i < root->count; i++)
        if (!strcmp(root->children[i]->name, "worldbody")) worlds[all->count++] = root->children[i];
    const jn_xml *found = body || frame ? find_part(all, body ? "body" : "frame", body ? body : frame, childclass) : all;
    if (!found)
        jn_read_error(x->b->r, e->where, JN_ERR_MODEL, "<attach>: the model has no %s '%.60s'", body ? "body" : "frame", body ? body : frame);
    return found;
}

/* Classes and assets of the model, under their new names. */
static bool copy_settings(jn_mjcf *x, const jn_xml *e, const jn_mjcf_model *m, const jn_mjcf_renaming *how) {
    const char *top = jn_robot_text(x->b, "%smain", how->classes);
    jn_xml section = {.name = "default", .where = e->where, .text = ""};
    jn_xml *empty = jn_mjcf_copy(x, &section, how); /* the class that elements without one have */
    if (!empty || !jn_mjcf_append_section(x, empty, jn_mjcf_outermost, top)) return false;
    for (int i = 0; i < m->root->count; i++) {
        const jn_xml *s = m->root->children[i];
        bool classes = !strcmp(s->name, "default");
        if (!classes && strcmp(s->name, "asset") && strcmp(s->name, "extension")) continue;
        const jn_mjcf_renaming same = {"", "", false, ""};
        jn_xml *copy = jn_mjcf_copy(x, s, strcmp(s->name, "extension") ? how : &same);
        if (!copy) return false;
        const char *inner = jn_xml_attribute_of(s, jn_mjcf_outermost);
        if (inner) top = jn_robot_text(x->b, "%s%s", how->classes, inner);
        for (int k = 0; !strcmp(s->name, "asset") && k < s->count; k++)
            if (!jn_mjcf_name_asset(x, s->children[k], copy->children[k], how)) return false;
        if (!jn_mjcf_append_section(x, copy, classes ? jn_mjcf_outermost : jn_mjcf_attached,
                                    classes ? inner ? top : jn_robot_text(x->b, "%smain", how->classes) : ""))
            return false;
    }
    return true;
}

/* The frame that stands in the place of <attach>. */
static jn_xml *wrap(jn_mjcf *x, const jn_xml *e, jn_xml *part, const char *childclass, int compiler) {
    jn_xml *frame = jn_store_alloc(x->b->r->scratch, sizeof *frame), **inside = jn_store_array(x->b->r->scratch, 1, sizeof *inside);
    if (!frame || !inside) {
        jn_read_no_memory(x->b->r);
        return NULL;
    }
    inside[0] = part;
    *frame = (jn_xml){.name = "frame", .where = e->where, .text = "", .children = inside, .count = part ? 1 : 0};
    if (compiler >= 0 && !jn_mjcf_set_attribute(x, frame, jn_mjcf_attached, jn_robot_text(x->b, "%d", compiler))) return NULL;
    return !childclass || jn_mjcf_set_attribute(x, frame, "childclass", childclass) ? frame : NULL;
}

/* Frames in place of the worlds of a model. */
static void open_worlds(jn_xml *part) {
    for (int i = 0; i < part->count; i++)
        if (!strcmp(part->children[i]->name, "worldbody")) part->children[i]->name = "frame";
}

/* Classes of models with an empty prefix may have the same names: each model keeps its own, as in MuJoCo. */
static const char *class_prefix(jn_mjcf *x, const char *prefix) {
    return *prefix ? prefix : jn_robot_text(x->b, "model %d: ", ++x->attached);
}

jn_xml *jn_mjcf_attach(jn_mjcf *x, const jn_xml *e, int depth) {
    jn_robot *b = x->b;
    const char *name = jn_xml_attribute_of(e, "model"), *prefix = jn_xml_attribute_of(e, "prefix"), *childclass = NULL;
    if (!prefix || (!name && !jn_xml_attribute_of(e, "body") && !jn_xml_attribute_of(e, "frame")) || x->model_depth > DEEPEST_MODEL) {
        jn_read_error(b->r, e->where, x->model_depth > DEEPEST_MODEL ? JN_ERR_LIMIT : JN_ERR_MODEL,
                      x->model_depth > DEEPEST_MODEL ? "models attach each other in more than 32 levels"
                      : !prefix                      ? "<attach> needs a prefix for the names"
                                                     : "<attach> needs a model, or the body or frame of its own that it repeats");
        return NULL;
    }
    jn_mjcf_model *m = name ? find_model(x, e, name) : NULL;
    if (name && !m) return NULL;
    if (m && !m->root->name) return wrap(x, e, NULL, NULL, -1);
    jn_mjcf_renaming how = {prefix, "", m != NULL, class_prefix(x, prefix)};
    const jn_xml *from = m ? m->root : x->root, *part = part_of(x, e, from, &childclass);
    jn_xml *copy = part ? jn_mjcf_copy(x, part, &how) : NULL;
    int compiler = m ? m->compiler : -1;
    if (!copy || (m && !copy_settings(x, e, m, &how)) || !jn_mjcf_copy_references(x, from, part, &how, compiler)) return NULL;
    open_worlds(copy);
    if (!m && !jn_mjcf_expand(x, copy, depth + 1)) return NULL;
    if (m) childclass = jn_robot_text(b, "%s%s", how.classes, childclass ? childclass : "main");
    return wrap(x, e, copy, childclass, compiler);
}

/* MJCF: copies of elements under other names, and what outside the trees refers to them. <replicate> and <attach> share them. */
#include "description/robot/mjcf/mjcf.h"

#include <string.h>

enum { MOST_COPIES = 100000 };

const char jn_mjcf_attached[] = " attached"; /* no name of an attribute has a space */

/* Attributes that name a part of a tree, or what acts on one, and its kind. */
static const char *const references[][2] = {
    {"joint", "joint"},   {"jointinparent", "joint"}, {"joint1", "joint"},     {"joint2", "joint"},      {"body", "body"},
    {"body1", "body"},    {"body2", "body"},          {"subtree1", "body"},    {"subtree2", "body"},     {"geom", "geom"},
    {"geom1", "geom"},    {"geom2", "geom"},          {"site", "site"},        {"site1", "site"},        {"site2", "site"},
    {"refsite", "site"},  {"cranksite", "site"},      {"slidersite", "site"},  {"sidesite", "site"},     {"camera", "camera"},
    {"tendon", "tendon"}, {"tendon1", "tendon"},      {"tendon2", "tendon"},   {"actuator", "actuator"}, {"target", "body"},
    {"objname", NULL},    {"refname", NULL}}; /* of the kind that objtype and reftype say */
static const char *const class_names[] = {"class", "childclass", NULL};
static const char *const asset_names[] = {"mesh", "hfield", "material", "texture", NULL};

/* Kind of the thing that an attribute names; NULL: it names none. */
static const char *referred_kind(const jn_xml *e, const char *attribute) {
    for (size_t k = 0; k < sizeof references / sizeof references[0]; k++) {
        if (strcmp(references[k][0], attribute)) continue;
        const char *kind = references[k][1] ? references[k][1]
                                            : jn_xml_attribute_of(e, attribute[0] == 'o' ? "objtype" : "reftype");
        return !kind || !strcmp(kind, "xbody") ? "body" : kind;
    }
    return NULL;
}

static bool is_in(const char *const *list, const char *name) {
    for (int i = 0; list[i]; i++)
        if (!strcmp(list[i], name)) return true;
    return false;
}

/* ------------------------------------------------------------------------------------------------------------ copies */

static const char *renamed(jn_mjcf *x, const jn_xml *e, const jn_xml_attribute *a, const jn_mjcf_renaming *how) {
    if (!strcmp(e->name, "attach")) /* names what is not copied, and a prefix of copies to come */
        return strcmp(a->name, "prefix") ? a->value : jn_robot_text(x->b, "%s%s%s", how->prefix, a->value, how->suffix);
    if (is_in(class_names, a->name)) return how->of_model ? jn_robot_text(x->b, "%s%s", how->classes, a->value) : a->value;
    if (is_in(asset_names, a->name)) return how->of_model ? jn_robot_text(x->b, "%s%s", how->prefix, a->value) : a->value;
    bool own = !strcmp(a->name, "name") && strcmp(e->name, "key");
    if (!own && (!referred_kind(e, a->name) || !strcmp(a->value, "world"))) return a->value;
    return jn_robot_text(x->b, "%s%s%s", how->prefix, a->value, how->suffix);
}

jn_xml *jn_mjcf_copy(jn_mjcf *x, const jn_xml *e, const jn_mjcf_renaming *how) {
    jn_robot *b = x->b;
    jn_xml *to = jn_store_alloc(b->r->scratch, sizeof *to);
    if (!to || ++x->copies > MOST_COPIES) {
        if (!to)
            jn_read_no_memory(b->r);
        else
            jn_read_error(b->r, e->where, JN_ERR_LIMIT, "<replicate> and <attach> make more than %d elements", MOST_COPIES);
        return NULL;
    }
    *to = *e;
    to->attributes = jn_store_array(b->r->scratch, (size_t)e->attribute_count + 1, sizeof *to->attributes);
    to->children = jn_store_array(b->r->scratch, (size_t)e->count + 1, sizeof(jn_xml *));
    if (!to->attributes || !to->children) {
        jn_read_no_memory(b->r);
        return NULL;
    }
    for (int i = 0; i < e->attribute_count; i++)
        to->attributes[i] = (jn_xml_attribute){e->attributes[i].name, renamed(x, e, &e->attributes[i], how)};
    for (int i = 0; i < e->count; i++)
        if (!(to->children[i] = jn_mjcf_copy(x, e->children[i], how))) return NULL;
    return to;
}

bool jn_mjcf_set_attribute(jn_mjcf *x, jn_xml *e, const char *name, const char *value) {
    for (int i = 0; i < e->attribute_count; i++)
        if (!strcmp(e->attributes[i].name, name)) {
            e->attributes[i].value = value;
            return true;
        }
    jn_xml_attribute *all = jn_store_array(x->b->r->scratch, (size_t)e->attribute_count + 1, sizeof *all);
    if (!all) return jn_read_no_memory(x->b->r);
    if (e->attribute_count) memcpy(all, e->attributes, (size_t)e->attribute_count * sizeof *all);
    all[e->attribute_count++] = (jn_xml_attribute){name, value};
    e->attributes = all;
    return true;
}

jn_mjcf_compiler jn_mjcf_switch(jn_mjcf *x, const jn_xml *e) {
    jn_mjcf_compiler before = x->compiler;
    const char *word = jn_xml_attribute_of(e, jn_mjcf_attached);
    int k = 0;
    for (; word && *word; word++) k = 10 * k + (*word - '0');
    if (word && k < x->compiler_count) x->compiler = x->compilers[k];
    return before;
}

/* -------------------------------------------------------------------------------------------------------- references */

typedef struct names {
    const char **kinds, **all;
    int count;
} names;

static bool add_name(jn_mjcf *x, names *n, const char *kind, const char *name) {
    if (!name) return true;
    void *kinds = jn_store_grow(x->b->r->scratch, n->kinds, n->count, sizeof *n->kinds),
         *all = jn_store_grow(x->b->r->scratch, n->all, n->count, sizeof *n->all);
    if (!kinds || !all) return jn_read_no_memory(x->b->r);
    n->kinds = kinds, n->all = all;
    n->kinds[n->count] = !strcmp(kind, "freejoint") ? "joint" : kind;
    n->all[n->count++] = name;
    return true;
}

static bool collect(jn_mjcf *x, const jn_xml *e, names *n) {
    if (!add_name(x, n, e->name, jn_xml_attribute_of(e, "name"))) return false;
    for (int i = 0; i < e->count; i++)
        if (!collect(x, e->children[i], n)) return false;
    return true;
}

/* Counts the references of an element and of those below: those to the names, and others. */
static void count_references(const jn_xml *e, const names *n, int *inside, int *outside) {
    for (int i = 0; i < e->attribute_count; i++) {
        const char *kind = referred_kind(e, e->attributes[i].name), *value = e->attributes[i].value;
        bool found = false;
        if (!kind || !strcmp(value, "world")) continue;
        for (int k = 0; k < n->count && !found; k++) found = !strcmp(n->kinds[k], kind) && !strcmp(n->all[k], value);
        ++*(found ? inside : outside);
    }
    for (int i = 0; i < e->count; i++) count_references(e->children[i], n, inside, outside);
}

/* Sections with what refers to trees, those that others refer to first. */
static const char *const sections[] = {"contact", "tendon", "equality", "actuator", "sensor", NULL};

bool jn_mjcf_append_section(jn_mjcf *x, jn_xml *section, const char *attribute, const char *value) {
    jn_xml *root = x->root, **wide = jn_store_array(x->b->r->scratch, (size_t)root->count + 1, sizeof *wide);
    if (!wide) return jn_read_no_memory(x->b->r);
    memcpy(wide, root->children, (size_t)root->count * sizeof *wide);
    wide[root->count] = section, root->children = wide, root->count++;
    return jn_mjcf_set_attribute(x, section, attribute, value);
}

bool jn_mjcf_name_asset(jn_mjcf *x, const jn_xml *from, jn_xml *to, const jn_mjcf_renaming *how) {
    const char *file = jn_xml_attribute_of(from, "file");
    if (!jn_xml_attribute_of(from, "class") && !jn_mjcf_set_attribute(x, to, "class", jn_robot_text(x->b, "%smain", how->classes)))
        return false;
    if (jn_xml_attribute_of(from, "name") || !file) return true;
    const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file, *dot = strrchr(stem, '.');
    int n = dot ? (int)(dot - stem) : (int)strlen(stem);
    return jn_mjcf_set_attribute(x, to, "name", jn_robot_text(x->b, "%s%.*s", how->prefix, n, stem));
}

/* The section of the outermost root that holds copies with this compiler. */
static jn_xml *section_of_copies(jn_mjcf *x, const char *name, jn_where where, const char *compiler) {
    jn_xml *root = x->root;
    for (int i = root->count - 1; i >= 0; i--) {
        const char *own = jn_xml_attribute_of(root->children[i], jn_mjcf_attached);
        if (own && !strcmp(root->children[i]->name, name) && !strcmp(own, compiler)) return root->children[i];
    }
    jn_xml *section = jn_store_alloc(x->b->r->scratch, sizeof *section);
    if (!section) {
        jn_read_no_memory(x->b->r);
        return NULL;
    }
    *section = (jn_xml){.name = name, .where = where, .text = ""};
    return jn_mjcf_append_section(x, section, jn_mjcf_attached, compiler) ? section : NULL;
}

static bool append_copy(jn_mjcf *x, const jn_xml *section, jn_xml *e, int compiler) {
    const char *own = jn_xml_attribute_of(section, jn_mjcf_attached); /* it came from a model of its own */
    jn_xml *to = section_of_copies(x, section->name, section->where,
                                   own && *own ? own : compiler < 0 ? "" : jn_robot_text(x->b, "%d", compiler));
    void *wide = to ? jn_store_grow(x->b->r->scratch, to->children, to->count, sizeof *to->children) : NULL;
    if (!wide) return jn_read_no_memory(x->b->r);
    to->children = wide, to->children[to->count++] = e;
    return true;
}

/* Copies of one section; names of what is copied count as parts from then on. */
static bool copy_section(jn_mjcf *x, const jn_xml *section, names *n, const jn_mjcf_renaming *how, int compiler) {
    const char *kind = section->name;
    for (int i = 0, count = section->count; i < count; i++) {
        const jn_xml *e = section->children[i];
        int inside = 0, outside = 0;
        count_references(e, n, &inside, &outside);
        if (outside || (!inside && !how->of_model)) continue;
        jn_xml *copy = jn_mjcf_copy(x, e, how);
        if (!copy || !add_name(x, n, kind, jn_xml_attribute_of(e, "name"))) return false;
        if (how->of_model && !jn_xml_attribute_of(e, "class") &&
            !jn_mjcf_set_attribute(x, copy, "class", jn_robot_text(x->b, "%smain", how->classes)))
            return false;
        if (!append_copy(x, section, copy, compiler)) return false;
    }
    return true;
}

bool jn_mjcf_copy_references(jn_mjcf *x, const jn_xml *from, const jn_xml *tree, const jn_mjcf_renaming *how, int compiler) {
    names n = {0};
    if (!collect(x, tree, &n)) return false;
    for (int k = 0; sections[k]; k++)
        for (int i = 0, count = from->count; i < count; i++)
            if (!strcmp(from->children[i]->name, sections[k]) && !copy_section(x, from->children[i], &n, how, compiler))
                return false;
    return true;
}

bool jn_mjcf_drop_references(jn_mjcf *x, const jn_xml *tree) {
    names n = {0};
    if (!collect(x, tree, &n)) return false;
    for (int k = 0; sections[k]; k++)
        for (int i = 0; i < x->root->count; i++) {
            jn_xml *section = x->root->children[i];
            int kept = 0;
            if (strcmp(section->name, sections[k])) continue;
            for (int c = 0; c < section->count; c++) {
                int inside = 0, outside = 0;
                jn_xml *e = section->children[c];
                count_references(e, &n, &inside, &outside);
                if (!inside)
                    section->children[kept++] = e;
                else if (!add_name(x, &n, section->name, jn_xml_attribute_of(e, "name")))
                    return false;
            }
            section->count = kept;
        }
    return true;
}

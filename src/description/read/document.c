#include "description/read/document.h"

#include "base/hash.h"
#include "base/memory.h"
#include "description/read/memo.h"
#include "description/yaml/source.h"

#include <stdio.h>
#include <string.h>

struct jn_document {
    jn_description *base; /* owns the file's name and text; nothing else is in it */
    jn_store *nodes;
    jn_node *root;
    uint64_t hash;
    jn_memo *memo; /* NULL: nothing learnt */
};

void jn_document_free(jn_document *document) {
    if (!document) return;
    jn_memo_free(document->memo);
    jn_description_free(document->base);
    jn_store_free(document->nodes);
    jn_free(document);
}

static int no_memory(const char *path, jn_report *report) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MEMORY, (jn_where){path, 0, 0}, NULL, "out of memory");
}

/* A reader over the tree, which writes to the description. */
static jn_reader reader_of(jn_description *d, jn_store *scratch, jn_report *report) {
    return (jn_reader){
        .report = report, .pending = -1, .import = jn_import_default(), .d = d, .store = d->store, .scratch = scratch};
}

/* Expect rows are for the values of the file: the root without them. */
static bool drop_expects(jn_reader *r) {
    jn_node *root = jn_store_alloc(r->scratch, sizeof *root);
    if (!root) return false;
    *root = *r->root;
    root->entries = jn_store_array(r->scratch, (size_t)root->count + 1, sizeof *root->entries);
    if (!root->entries) return false;
    root->count = 0;
    for (int i = 0; i < r->root->count; i++)
        if (strcmp(r->root->entries[i].key, "expect") != 0) root->entries[root->count++] = r->root->entries[i];
    r->root = root;
    return true;
}

jn_document *jn_document_open(const char *path, const jn_setting *settings, int count, jn_report *report) {
    jn_document *document = jn_malloc(sizeof *document);
    size_t length = 0;
    if (!document) {
        no_memory(path, report);
        return NULL;
    }
    *document = (jn_document){.base = jn_description_create(), .nodes = jn_store_create()};
    jn_description *d = document->base;
    if (d) d->file = jn_store_strdup(d->store, path);
    if (!d || !document->nodes || !d->file) {
        no_memory(path, report);
        jn_document_free(document);
        return NULL;
    }
    jn_reader r = reader_of(d, document->nodes, report);
    d->hash = JN_HASH_START;
    d->text = jn_source_load(&r, path, (jn_where){d->file, 0, 0}, d->store, &length);
    bool fine = d->text && jn_import_set(&r, settings, count) && jn_source_read(&r, d->text, length, d->file) &&
                jn_source_set(&r, settings, count);
    if (fine && !drop_expects(&r)) fine = false, no_memory(path, report);
    document->root = r.root, document->hash = d->hash;
    if (fine && r.status == JN_OK) return document;
    jn_document_free(document);
    return NULL;
}

/* The map with one entry set or added; the old one stays as it is. NULL: no memory. */
static jn_node *with_entry(jn_store *store, const jn_node *map, const char *key, jn_node *value) {
    jn_node *copy = jn_store_alloc(store, sizeof *copy);
    int count = map && map->kind == JN_NODE_MAP ? map->count : 0;
    if (copy) copy->entries = jn_store_array(store, (size_t)count + 1, sizeof *copy->entries);
    if (!copy || !copy->entries) return NULL;
    copy->kind = JN_NODE_MAP, copy->where = value->where;
    for (int i = 0; i < count; i++)
        if (strcmp(map->entries[i].key, key) != 0) copy->entries[copy->count++] = map->entries[i];
    copy->entries[copy->count++] = (jn_entry){key, value->where, value};
    return copy;
}

int jn_document_derive(jn_document *document, const char *name, jn_node *expression) {
    const jn_node *record = jn_node_get(document->root, "record"), *derived = jn_node_get(record, "derived");
    const char *key = jn_store_strdup(document->nodes, name);
    jn_node *map = key ? with_entry(document->nodes, derived, key, expression) : NULL;
    if (map) map = with_entry(document->nodes, record, "derived", map);
    if (map) map = with_entry(document->nodes, document->root, "record", map);
    if (!map) return JN_ERR_MEMORY;
    document->root = map;
    return JN_OK;
}

int jn_document_drop_derived(jn_document *document, const char *const *used, int count) {
    const jn_node *record = jn_node_get(document->root, "record"), *derived = jn_node_get(record, "derived");
    if (!derived || derived->kind != JN_NODE_MAP) return JN_OK;
    jn_node *few = jn_store_alloc(document->nodes, sizeof *few), *map;
    if (few)
        *few = *derived, few->count = 0,
        few->entries = jn_store_array(document->nodes, (size_t)derived->count, sizeof *few->entries);
    if (!few || !few->entries) return JN_ERR_MEMORY;
    for (int i = 0; i < derived->count; i++)
        for (int k = 0; k < count; k++)
            if (!strncmp(used[k], "derived.", 8) && !strcmp(used[k] + 8, derived->entries[i].key)) {
                few->entries[few->count++] = derived->entries[i];
                break;
            }
    map = with_entry(document->nodes, record, "derived", few);
    if (map) map = with_entry(document->nodes, document->root, "record", map);
    if (!map) return JN_ERR_MEMORY;
    document->root = map;
    return JN_OK;
}

bool jn_document_has_parameter(const jn_document *document, const char *name) {
    return jn_node_entry(jn_node_get(document->root, "parameters"), name) != NULL;
}

/* ------------------------------------------------------------------------------------------------------- names */

static const char *const sections[] = {"bodies", "joints", "contacts", "forces", "points", "couplers", "tendons", "actuators", "sensors"};
enum { SECTIONS = sizeof sections / sizeof *sections };

static int unknown(const jn_document *document, const char *name, const char *owner, jn_where where,
                   jn_report *report) {
    const jn_node *parameters = jn_node_get(document->root, "parameters");
    jn_suggest suggest = jn_suggest_for(name), part = jn_suggest_for(owner);
    for (int i = 0; parameters && parameters->kind == JN_NODE_MAP && i < parameters->count; i++)
        jn_suggest_offer(&suggest, parameters->entries[i].key);
    for (int k = 0; k < SECTIONS; k++) {
        const jn_node *map = jn_node_get(document->root, sections[k]);
        for (int i = 0; map && map->kind == JN_NODE_MAP && i < map->count; i++)
            jn_suggest_offer(&part, map->entries[i].key);
    }
    if (suggest.best)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "the model has no parameter '%.80s'\nwrite '%s'", name, suggest.best);
    if (part.best && strchr(name, '.'))
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "nothing in the model is called '%.80s'\nwrite '%s%s'", owner, part.best,
                             strchr(name, '.'));
    char all[200] = "";
    for (int i = 0; parameters && parameters->kind == JN_NODE_MAP && i < parameters->count; i++) {
        size_t used = strlen(all);
        if (used + strlen(parameters->entries[i].key) + 7 < sizeof all)
            snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : ": ", parameters->entries[i].key);
        else if (used + 5 < sizeof all)
            snprintf(all + used, sizeof all - used, " ...");
    }
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                         "the model has no parameter '%.80s'\nwrite the name of a parameter%s; NAME.KEY such as "
                         "'rod.mass', or a path such as 'run.step'",
                         name, all);
}

int jn_document_find(const jn_document *document, const char *name, jn_where where, char *full, size_t size,
                     jn_report *report) {
    char owner[80];
    int found = -1, several = 0;
    snprintf(owner, sizeof owner, "%.*s", (int)strcspn(name, ".["), name);
    snprintf(full, size, "%s", name);
    if (jn_document_has_parameter(document, name)) return JN_OK;
    if (strchr(name, '.') && jn_field_find(&jn_model_fields, owner)) return JN_OK;
    for (int k = 0; k < SECTIONS; k++)
        if (jn_node_entry(jn_node_get(document->root, sections[k]), owner)) found = k, several++;
    if (!several || !strchr(name, '.')) return unknown(document, name, owner, where, report);
    if (several > 1)
        return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MODEL, where, NULL,
                             "'%s' is the name of several parts\nwrite '%s.%.80s', with its section", owner,
                             sections[found], name);
    snprintf(full, size, "%s.%s", sections[found], name);
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------- descriptions */

static jn_description *describe(const jn_document *document, const jn_given *given, int count, jn_memo *learn,
                                jn_report *report) {
    jn_description *d = jn_description_create();
    jn_store *scratch = jn_store_create();
    bool fine = d && scratch;
    if (fine) {
        jn_reader r = reader_of(d, scratch, report);
        d->file = document->base->file, d->text = document->base->text, d->hash = document->hash;
        r.root = document->root, r.learn = learn, r.memo = learn ? NULL : document->memo;
        r.given = given, r.given_count = count;
        for (int i = 0; fine && i < count; i++) fine = jn_source_put(&r, given[i].name, given[i].value);
        fine = fine && jn_read_sections(&r);
    } else {
        no_memory(document->base->file, report);
    }
    jn_store_free(scratch);
    if (fine) return d;
    jn_description_free(d);
    return NULL;
}

jn_description *jn_document_describe(const jn_document *document, const jn_given *given, int count, jn_report *report) {
    return describe(document, given, count, NULL, report);
}

int jn_document_learn(jn_document *document, const jn_given *given, int count, jn_report *report) {
    jn_memo *m = jn_memo_create(given, count);
    if (!m) return no_memory(document->base->file, report);
    jn_description *d = describe(document, given, count, m, report);
    jn_memo_finish(m);
    if (d)
        document->memo = m;
    else
        jn_memo_free(m);
    jn_description_free(d);
    return d ? JN_OK : JN_ERR_MODEL;
}

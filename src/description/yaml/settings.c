/* Values given from outside: NAME=VALUE for a parameter, PATH=VALUE for anything else. */
#include "description/yaml/source.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct segment {
    const char *key; /* NULL: an index */
    int index;
} segment;

enum { MOST_SEGMENTS = 12 };

/* "joints.pin.at[0]" into its parts; 0 if it is none. */
static int split(jn_reader *r, const char *path, segment *parts) {
    int n = 0;
    for (const char *p = path; *p;) {
        if (n == MOST_SEGMENTS) {
            return 0;
        }
        if (*p == '[') {
            char *end;
            long index = strtol(p + 1, &end, 10);
            if (end == p + 1 || *end != ']' || index < 0 || index > 1000000) {
                return 0;
            }
            parts[n++] = (segment){NULL, (int)index};
            p = end + 1;
        } else {
            size_t length;
            p += *p == '.' && n > 0;
            length = strcspn(p, ".[");
            if (length == 0) {
                return 0;
            }
            parts[n].key = jn_store_copy(r->scratch, p, length);
            if (!parts[n++].key) {
                jn_read_no_memory(r);
                return 0;
            }
            p += length;
        }
    }
    return n;
}

static bool no_such_key(jn_reader *r, const jn_node *node, const char *key, const char *name, jn_where where) {
    jn_suggest suggest = jn_suggest_for(key);
    for (int i = 0; i < node->count; i++) {
        jn_suggest_offer(&suggest, node->entries[i].key);
    }
    return suggest.best
               ? jn_read_error(r, where, JN_ERR_MODEL, "nothing in the model is called '%s'\nwrite '%s' for '%s'", name,
                               suggest.best, key)
               : jn_read_error(r, where, JN_ERR_MODEL, "nothing in the model is called '%s': no '%s'", name, key);
}

/* The node with the value put in at the path. Nodes on the way are copied: an alias elsewhere keeps its value. A key
 * that is not there is added if it is the last one, or stands at the top. */
static jn_node *put(jn_reader *r, const jn_node *node, const segment *parts, int n, int level, jn_node *value,
                    const char *name) {
    jn_node *copy;
    int at = -1;

    if (n == 0) {
        return value;
    }
    if (node->kind != (parts->key ? JN_NODE_MAP : JN_NODE_LIST)) {
        jn_read_error(r, value->where, JN_ERR_MODEL, "'%s' leads to %s where it needs %s", name,
                      jn_node_kind_text(node), parts->key ? "a map" : "a list");
        return NULL;
    }
    if (parts->key) {
        const jn_entry *entry = jn_node_entry(node, parts->key);
        at = entry ? (int)(entry - node->entries) : node->count;
        if (!entry && n > 1 && level > 0) {
            no_such_key(r, node, parts->key, name, value->where);
            return NULL;
        }
    } else if (parts->index >= node->count) {
        jn_read_error(r, value->where, JN_ERR_MODEL, "'%s' leads beyond the end of a list of %d", name, node->count);
        return NULL;
    } else {
        at = parts->index;
    }
    copy = jn_store_alloc(r->scratch, sizeof *copy);
    if (copy) {
        *copy = *node;
        copy->items = jn_store_array(r->scratch, (size_t)node->count + 1, sizeof *copy->items);
        copy->entries = jn_store_array(r->scratch, (size_t)node->count + 1, sizeof *copy->entries);
    }
    if (!copy || !copy->items || !copy->entries) {
        jn_read_no_memory(r);
        return NULL;
    }
    if (!parts->key) {
        memcpy(copy->items, node->items, (size_t)node->count * sizeof *copy->items);
        copy->items[at] = put(r, node->items[at], parts + 1, n - 1, level + 1, value, name);
        return copy->items[at] ? copy : NULL;
    }
    if (node->count) {
        memcpy(copy->entries, node->entries, (size_t)node->count * sizeof *copy->entries);
    }
    jn_node added = {.kind = JN_NODE_MAP, .where = value->where};
    if (at == node->count) {
        copy->entries[copy->count++] = (jn_entry){parts->key, value->where, NULL};
    }
    if (n == 1) copy->entries[at].where = value->where; /* the value is not that of the file */
    copy->entries[at].value =
        put(r, at < node->count ? node->entries[at].value : &added, parts + 1, n - 1, level + 1, value, name);
    return copy->entries[at].value ? copy : NULL;
}

/* A single name that is neither a parameter nor a top-level key. */
static bool unknown_name(jn_reader *r, const char *name, jn_where where) {
    jn_suggest suggest = jn_suggest_for(name);
    const jn_node *parameters = jn_node_get(r->root, "parameters");

    for (int i = 0; parameters && parameters->kind == JN_NODE_MAP && i < parameters->count; i++) {
        jn_suggest_offer(&suggest, parameters->entries[i].key);
    }
    for (const jn_field *f = jn_model_fields.fields; f->key && !suggest.best; f++) {
        jn_suggest_offer(&suggest, f->key);
    }
    return suggest.best ? jn_read_error(r, where, JN_ERR_MODEL, "the model has no parameter '%s'\nwrite '%s'", name,
                                        suggest.best)
                        : jn_read_error(r, where, JN_ERR_MODEL,
                                        "the model has no parameter '%s'\nadd it under 'parameters', or "
                                        "give a path such as 'run.step'",
                                        name);
}

bool jn_source_put(jn_reader *r, const char *name, jn_node *value) {
    segment parts[MOST_SEGMENTS + 1] = {{"parameters", 0}};
    jn_where where = value->where;
    int n = split(r, name, parts + 1);
    jn_node *root;

    if (n == 0) {
        return jn_read_error(r, where, JN_ERR_MODEL,
                             "'%s' is not a name\nwrite the name of a parameter, or a path such as "
                             "'bodies.rod.mass' or 'joints.pin.at[0]'",
                             name);
    }
    if (jn_node_entry(jn_node_get(r->root, "parameters"), name)) {
        root = put(r, r->root, parts, 2, 0, value, name);
    } else if (!parts[1].key || !jn_field_find(&jn_model_fields, parts[1].key) ||
               strcmp(parts[1].key, "include") == 0) {
        return n == 1 ? unknown_name(r, name, where)
                      : no_such_key(r, r->root, parts[1].key ? parts[1].key : "", name, where);
    } else {
        root = put(r, r->root, parts + 1, n, 0, value, name);
    }
    if (!root) {
        return false;
    }
    r->root = root;
    if (value->kind == JN_NODE_SCALAR) r->d->hash = jn_hash_text(jn_hash_text(r->d->hash, name), value->text);
    return true;
}

static bool set_one(jn_reader *r, const jn_setting *setting) {
    char *label = jn_store_alloc(r->store, strlen(setting->name) + 8);
    jn_where where;
    jn_node *value;
    int status = JN_OK;
    uint64_t hash = r->d->hash;

    if (!label) {
        return jn_read_no_memory(r);
    }
    sprintf(label, "--set %s", setting->name);
    where = (jn_where){label, 1, 1};
    if (setting->value[strspn(setting->value, " \t\r\n")] == '\0') {
        return jn_read_error(r, where, JN_ERR_MODEL, "no value is given for '%s'\nwrite '%s=VALUE'", setting->name,
                             setting->name);
    }
    value = jn_yaml_read(setting->value, strlen(setting->value), label, r->scratch, r->report, &status);
    if (!value) {
        r->status = r->status ? r->status : status;
        return false;
    }
    if (!jn_source_put(r, setting->name, value)) {
        return false;
    }
    r->d->hash = jn_hash_text(jn_hash_text(hash, setting->name), setting->value);
    return true;
}

bool jn_source_set(jn_reader *r, const jn_setting *settings, int count) {
    bool fine = true;
    for (int i = 0; i < count; i++) {
        if (jn_import_is_setting(settings[i].name)) continue; /* read before the files */
        fine = set_one(r, &settings[i]) && fine;
    }
    return fine;
}

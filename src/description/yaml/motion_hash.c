/* A hash of what decides the motion: of the values in the tree, whatever files they come from and however they are written. */
#include "description/yaml/motion_hash.h"
#include "base/hash.h"
#include <ctype.h>
#include <string.h>

enum { LONGEST_NAME = 64 };

/* Parameters that count are those that something else that counts names, in the order in which they are named. */
typedef struct walk {
    const jn_reader *r;
    bool *used; /* (parameters) */
    int *named; /* (count) */
    int count;
    uint64_t hash;
} walk;

static void add_node(walk *w, const jn_node *node);

static void name_parameter(walk *w, const char *name) {
    int found = jn_names_find(&w->r->parameter_names, name);
    if (found < 0 || w->used[found]) return;
    w->used[found] = true;
    w->named[w->count++] = found;
}

/* The text, and the parameters that it names. */
static void add_scalar(walk *w, const char *text) {
    char name[LONGEST_NAME];
    w->hash = jn_hash_text(w->hash, text);
    for (const char *c = text; *c;) {
        size_t length = 0;
        while (isalnum((unsigned char)c[length]) || c[length] == '_') length++;
        if (length > 0 && length < sizeof name && !isdigit((unsigned char)*c)) {
            memcpy(name, c, length), name[length] = 0;
            name_parameter(w, name);
        }
        c += length ? length : 1;
    }
}

static void add_map(walk *w, const jn_node *map, const char *const *without) {
    for (int i = 0; i < map->count; i++) {
        bool counts = true;
        for (int k = 0; without && without[k]; k++) counts = counts && strcmp(map->entries[i].key, without[k]) != 0;
        if (!counts) continue;
        w->hash = jn_hash_text(w->hash, map->entries[i].key);
        add_node(w, map->entries[i].value);
    }
}

static void add_node(walk *w, const jn_node *node) {
    const char kind[2] = {(char)('0' + (int)node->kind), 0};
    w->hash = jn_hash_text(w->hash, kind);
    if (node->kind == JN_NODE_SCALAR) add_scalar(w, node->text);
    for (int i = 0; node->kind == JN_NODE_LIST && i < node->count; i++) add_node(w, node->items[i]);
    if (node->kind == JN_NODE_MAP) add_map(w, node, NULL);
    w->hash = jn_hash_text(w->hash, "end");
}

uint64_t jn_motion_hash(const jn_reader *r, const jn_setting *settings, int count) {
    static const char *const top[] = {"parameters", "title", "record", "expect", "not_by", "run", NULL};
    static const char *const run_keys[] = {"start", "settle", "until", NULL};
    walk w = {.r = r, .hash = JN_HASH_START};
    const jn_node *run = jn_node_get(r->root, "run");
    size_t room = (size_t)r->parameter_names.count + 1;
    w.used = jn_store_array(r->scratch, room, sizeof *w.used);
    w.named = jn_store_array(r->scratch, room, sizeof *w.named);
    if (!w.used || !w.named) return 0;
    add_map(&w, r->root, top);
    if (run && run->kind == JN_NODE_MAP) add_map(&w, run, run_keys);
    for (int i = 0; i < w.count; i++) { /* grows on the way */
        w.hash = jn_hash_text(w.hash, r->parameter_names.name[w.named[i]]);
        add_node(&w, r->parameters[w.named[i]].node);
    }
    for (int i = 0; i < count; i++) /* what a robot's file becomes stands in the tree, but for its meshes */
        if (jn_import_is_setting(settings[i].name))
            w.hash = jn_hash_text(jn_hash_text(w.hash, settings[i].name), settings[i].value);
    return w.hash ? w.hash : 1;
}

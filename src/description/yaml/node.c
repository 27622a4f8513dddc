/* Nodes of the tree of a model file, and how they are found. */
#include "description/yaml/node.h"

#include <string.h>

const jn_entry *jn_node_entry(const jn_node *map, const char *key) {
    for (int i = 0; map && map->kind == JN_NODE_MAP && i < map->count; i++) {
        if (map->entries[i].key[0] == key[0] && strcmp(map->entries[i].key, key) == 0) {
            return &map->entries[i];
        }
    }
    return NULL;
}

const jn_node *jn_node_get(const jn_node *map, const char *key) {
    const jn_entry *entry = jn_node_entry(map, key);
    return entry ? entry->value : NULL;
}

const char *jn_node_kind_text(const jn_node *node) {
    static const char *const text[] = {"nothing", "a value", "a list", "a map"};
    return text[node->kind];
}

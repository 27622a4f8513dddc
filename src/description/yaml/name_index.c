/* A hash table from names to their indices. */
#include "description/yaml/name_index.h"

#include "base/hash.h"

#include <string.h>

bool jn_names_create(jn_names *names, jn_store *store, int count) {
    *names = (jn_names){.slots = 4};
    while (names->slots < 2 * count) {
        names->slots *= 2;
    }
    names->name = jn_store_array(store, (size_t)count + 1, sizeof *names->name);
    names->slot = jn_store_array(store, (size_t)names->slots, sizeof *names->slot);
    bool fine = names->name && names->slot;
    if (!fine) *names = (jn_names){0}; /* nothing is found in it */
    return fine;
}

/* The slot that holds the name, or the free one where it belongs. */
static int *find_slot(const jn_names *names, const char *name) {
    size_t at = (size_t)jn_hash_text(JN_HASH_START, name);
    for (;; at++) {
        int *slot = &names->slot[at & (size_t)(names->slots - 1)];
        if (*slot == 0 || strcmp(names->name[*slot - 1], name) == 0) {
            return slot;
        }
    }
}

int jn_names_add(jn_names *names, const char *name) {
    names->name[names->count++] = name;
    *find_slot(names, name) = names->count;
    return names->count - 1;
}

int jn_names_find(const jn_names *names, const char *name) { return names->slots ? *find_slot(names, name) - 1 : -1; }

void jn_names_offer(const jn_names *names, jn_suggest *suggest) {
    for (int i = 0; i < names->count; i++) {
        jn_suggest_offer(suggest, names->name[i]);
    }
}

/* Index of names: O(1) look-up among any number of bodies, joints or parameters. */
#ifndef JN_DESCRIPTION_YAML_NAME_INDEX_H
#define JN_DESCRIPTION_YAML_NAME_INDEX_H

#include "base/store.h"
#include "base/suggest.h"

#include <stdbool.h>

typedef struct jn_names {
    int count;
    const char **name; /* (count) */
    int *slot;         /* (slots) index + 1, 0: free */
    int slots;         /* a power of two */
} jn_names;

/* Room for at most count names. */
bool jn_names_create(jn_names *names, jn_store *store, int count);
/* Adds a name (not copied) and returns its index. */
int jn_names_add(jn_names *names, const char *name);
int jn_names_find(const jn_names *names, const char *name); /* -1 if there is none */
void jn_names_offer(const jn_names *names, jn_suggest *suggest);

#endif

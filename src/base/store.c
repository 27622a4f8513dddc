/* Blocks of a growing arena, and what is taken from them. */
#include "base/store.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK_SIZE = 32 * 1024 };

typedef struct block {
    struct block *next;
    size_t used, size; /* of the bytes after this head */
} block;

struct jn_store {
    block *first;
};

static size_t round_up(size_t size) {
    size_t a = _Alignof(max_align_t);
    return (size + a - 1) / a * a;
}

jn_store *jn_store_create(void) {
    jn_store *store = jn_malloc(sizeof *store);
    if (store) {
        store->first = NULL;
    }
    return store;
}

void jn_store_free(jn_store *store) {
    if (!store) {
        return;
    }
    for (block *b = store->first; b;) {
        block *next = b->next;
        jn_free(b);
        b = next;
    }
    jn_free(store);
}

void *jn_store_alloc(jn_store *store, size_t size) {
    size_t head = round_up(sizeof(block));
    block *b = store->first;
    void *memory;

    if (size > SIZE_MAX / 4 || !jn_memory_allowed(size)) {
        return NULL;
    }
    size = round_up(size ? size : 1);
    if (!b || b->size - b->used < size) {
        size_t room = size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE;
        block *added = jn_malloc(head + room);
        if (!added) {
            return NULL;
        }
        added->used = 0;
        added->size = room;
        if (b && room == size) { /* a block of its own: keep filling the present one */
            added->next = b->next;
            b->next = added;
        } else {
            added->next = b;
            store->first = added;
        }
        b = added;
    }
    memory = (char *)b + head + b->used;
    b->used += size;
    return memset(memory, 0, size);
}

void *jn_store_array(jn_store *store, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 4 / size) {
        return NULL;
    }
    return jn_store_alloc(store, count * size);
}

char *jn_store_copy(jn_store *store, const char *text, size_t length) {
    char *copy = jn_store_alloc(store, length + 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

char *jn_store_strdup(jn_store *store, const char *text) { return jn_store_copy(store, text, strlen(text)); }

void *jn_store_grow(jn_store *store, void *array, int count, size_t size) {
    void *wide;
    if (count > 0 && (count & (count - 1)) != 0) {
        return array;
    }
    wide = jn_store_array(store, count ? 2 * (size_t)count : 1, size);
    if (wide && count) {
        memcpy(wide, array, (size_t)count * size);
    }
    return wide;
}

/* Allocations of which one is refused, for jn_memory_hook. */
#ifndef TEST_REFUSED_MEMORY_H
#define TEST_REFUSED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct refused_memory {
    long made, refuse; /* allocations so far; number of the one that fails, from 0 */
} refused_memory;

static inline bool allow_memory(void *context, size_t size) {
    refused_memory *c = context;
    (void)size;
    return c->made++ != c->refuse;
}

#endif

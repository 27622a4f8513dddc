/* Allocation before a simulation starts, and the hook by which tests refuse it. */
#include "base/memory.h"

#include <stdlib.h>

/* The only state of the process that the library keeps; tests alone write it. */
static struct {
    bool (*allow)(void *context, size_t size);
    void *context;
} hook;

void jn_memory_hook(bool (*allow)(void *context, size_t size), void *context) {
    hook.allow = allow;
    hook.context = context;
}

bool jn_memory_is_hooked(void) { return hook.allow; }

bool jn_memory_allowed(size_t size) { return !hook.allow || hook.allow(hook.context, size); }

void *jn_malloc(size_t size) {
    if (!jn_memory_allowed(size)) {
        return NULL;
    }
    return malloc(size ? size : 1);
}

void *jn_realloc(void *block, size_t size) {
    if (!jn_memory_allowed(size)) {
        return NULL;
    }
    return realloc(block, size ? size : 1);
}

void jn_free(void *block) { free(block); }

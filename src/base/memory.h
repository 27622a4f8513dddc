/* The one door to the heap for everything made before a simulation starts. */
#ifndef JN_BASE_MEMORY_H
#define JN_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Uninitialised memory; NULL if there is none. size 0 counts as 1. */
void *jn_malloc(size_t size);
/* Moves a block to a new size; the old one stays valid if NULL is returned. */
void *jn_realloc(void *block, size_t size);
void jn_free(void *block);

/* Asks the hook alone: arenas call it for what they serve from a block they have. */
bool jn_memory_allowed(size_t size);

/* Whether tests have set a hook. */
bool jn_memory_is_hooked(void);

/* For tests: allow is asked before each allocation and may refuse it; NULL removes the hook. Set it while no other
 * thread allocates. */
void jn_memory_hook(bool (*allow)(void *context, size_t size), void *context);

#endif

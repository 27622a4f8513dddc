/* Growing arena: strings and arrays that live as long as their owner. */
#ifndef JN_BASE_STORE_H
#define JN_BASE_STORE_H

#include <stddef.h>

typedef struct jn_store jn_store;

jn_store *jn_store_create(void);
void jn_store_free(jn_store *store);
/* Zeroed memory aligned for any type; NULL if there is none. Amortised O(size). */
void *jn_store_alloc(jn_store *store, size_t size);
/* count * size bytes, NULL on overflow too. */
void *jn_store_array(jn_store *store, size_t count, size_t size);
char *jn_store_copy(jn_store *store, const char *text, size_t length);
char *jn_store_strdup(jn_store *store, const char *text);
/* Room for one more item in an array of count items that is only ever grown by this call: moves it when count is a
 * power of two. NULL (array unchanged) if there is no memory. */
void *jn_store_grow(jn_store *store, void *array, int count, size_t size);

#endif

/* FNV-1a over bytes, 64 bits. */
#include "base/hash.h"

#include <string.h>

uint64_t jn_hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ b[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

uint64_t jn_hash_text(uint64_t hash, const char *text) { return jn_hash_bytes(hash, text, strlen(text) + 1); }

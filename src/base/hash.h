/* FNV-1a, 64 bits: identifies model files and states; not a defence against forgers. */
#ifndef JN_BASE_HASH_H
#define JN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define JN_HASH_START UINT64_C(14695981039346656037)

/* Continues a hash over size bytes. */
uint64_t jn_hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t jn_hash_text(uint64_t hash, const char *text);

#endif

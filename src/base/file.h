/* Whole files, written or not there. */
#ifndef JN_BASE_FILE_H
#define JN_BASE_FILE_H

#include <stddef.h>

/* Writes a file anew. 0, or the errno of what failed; then no part of the file stays. */
int jn_file_write(const char *path, const void *bytes, size_t length);

#endif

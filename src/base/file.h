/* Whole files, written or not there. */
#ifndef JN_BASE_FILE_H
#define JN_BASE_FILE_H

#include <stddef.h>

/* Writes a file anew. 0, or the errno of what failed; then no part of the file stays. */
int jn_file_write(const char *path, const void *bytes, size_t length);
/* The same beside the old file, which then gives way to it: at any instant one of both is whole. */
int jn_file_replace(const char *path, const void *bytes, size_t length);
/* A whole file, jn_free it; NULL: the errno in *reason. */
unsigned char *jn_file_read(const char *path, size_t *length, int *reason);

/* Keeps other runs out of a folder until it is unlocked, or until the process ends in whatever way. A number for jn_folder_unlock; -1: another
 * run has it. File systems without such locks let everybody in. */
int jn_folder_lock(const char *folder);
void jn_folder_unlock(int lock);

#endif

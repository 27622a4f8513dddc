/* Whole files, written or not there. */
#include "base/file.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifndef _WIN32
#include <sys/file.h>
#else
#define lstat stat /* the core alone is built for Windows, where a folder is not locked */
#endif

int jn_file_write(const char *path, const void *bytes, size_t length) {
    errno = 0;
    FILE *file = fopen(path, "wb");
    if (!file) return errno ? errno : EIO;
    int error = fwrite(bytes, 1, length, file) == length ? 0 : errno ? errno : EIO;
    if (fclose(file) && !error) error = errno ? errno : EIO;
    struct stat info;
    if (error && !stat(path, &info) && S_ISREG(info.st_mode)) remove(path); /* never a device */
    return error;
}

int jn_file_replace(const char *path, const void *bytes, size_t length) {
    char part[4096];
    struct stat info;
    if (!lstat(path, &info) && !S_ISREG(info.st_mode)) return jn_file_write(path, bytes, length); /* a device, a link */
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part) return ENAMETOOLONG;
    int error = jn_file_write(part, bytes, length);
    if (error || !rename(part, path)) return error;
    error = errno;
    remove(part);
    return error;
}

unsigned char *jn_file_read(const char *path, size_t *length, int *reason) {
    struct stat info;
    *length = 0;
    if (!stat(path, &info) && !S_ISREG(info.st_mode)) { /* a pipe would wait for its writer */
        *reason = S_ISDIR(info.st_mode) ? EISDIR : ESPIPE;
        return NULL;
    }
    errno = 0;
    FILE *file = fopen(path, "rb");
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    unsigned char *bytes = size >= 0 && !fseek(file, 0, SEEK_SET) ? jn_malloc((size_t)size + 1) : NULL;
    *length = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    *reason = bytes ? 0 : errno ? errno : size >= 0 ? ENOMEM : EIO;
    if (file) fclose(file);
    return bytes;
}

enum { WITHOUT_LOCK = 1 << 30 }; /* no file has this number */

int jn_folder_lock(const char *folder) {
#ifdef _WIN32
    return (void)folder, WITHOUT_LOCK;
#else
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0) return WITHOUT_LOCK;
    if (!flock(lock, LOCK_EX | LOCK_NB)) return lock;
    bool taken = errno == EWOULDBLOCK;
    close(lock);
    return taken ? -1 : WITHOUT_LOCK;
#endif
}

void jn_folder_unlock(int lock) {
    if (lock >= 0 && lock != WITHOUT_LOCK) close(lock);
}

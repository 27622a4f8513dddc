/* Whole files, written or not there. */
#include "base/file.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

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

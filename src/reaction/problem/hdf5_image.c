/* HDF5 files made in memory: the core driver with memory of our own, which is kept when HDF5 closes the file. */
#include "base/file.h"
#include "base/memory.h"
#ifndef JN_CORE_ONLY
#include "reaction/problem/hdf5_image.h"
#include <errno.h>
#include <string.h>

enum { STEP = 1 << 20 }; /* bytes by which a file grows */

/* Zeros: what HDF5 leaves out between its objects goes into the file, and no memory of ours belongs there. */
static void *image_realloc(void *bytes, size_t size, H5FD_file_image_op_t why, void *context) {
    jn_image *image = context;
    (void)why;
    char *wide = jn_realloc(bytes, size);
    if (wide && size > image->room) memset(wide + image->room, 0, size - image->room);
    if (wide) image->room = size;
    return wide;
}
static void *image_malloc(size_t size, H5FD_file_image_op_t why, void *context) {
    (void)why, (void)context;
    void *bytes = jn_malloc(size);
    if (bytes) memset(bytes, 0, size);
    return bytes;
}
static void *image_memcpy(void *to, const void *from, size_t size, H5FD_file_image_op_t why, void *context) {
    (void)why, (void)context;
    return memcpy(to, from, size);
}
static herr_t image_free(void *bytes, H5FD_file_image_op_t why, void *context) {
    jn_image *image = context;
    if (why == H5FD_FILE_IMAGE_OP_FILE_CLOSE && !image->bytes)
        image->bytes = bytes;
    else
        jn_free(bytes);
    return 0;
}
static void *context_copy(void *context) { return context; }
static herr_t context_free(void *context) {
    (void)context;
    return 0;
}

void jn_image_open(jn_image *image, H5F_libver_t oldest) {
    H5FD_file_image_callbacks_t callbacks = {image_malloc, image_memcpy, image_realloc, image_free,
                                             context_copy, context_free, image};
    *image = (jn_image){.access = H5Pcreate(H5P_FILE_ACCESS), .file = -1};
    if (image->access < 0) return;
    H5Pset_libver_bounds(image->access, oldest, H5F_LIBVER_LATEST);
    if (H5Pset_fapl_core(image->access, STEP, false) >= 0 &&
        H5Pset_file_image_callbacks(image->access, &callbacks) >= 0)
        image->file = H5Fcreate("file in memory", H5F_ACC_TRUNC, H5P_DEFAULT, image->access);
}

int jn_image_close(jn_image *image, bool complete, const char *path) {
    bool fine = complete && image->file >= 0 && H5Fflush(image->file, H5F_SCOPE_GLOBAL) >= 0;
    ssize_t size = fine ? H5Fget_file_image(image->file, NULL, 0) : -1; /* without the room to grow */
    if (image->file >= 0) fine &= H5Fclose(image->file) >= 0;
    if (image->access >= 0) H5Pclose(image->access);
    int error = fine && size > 0 && image->bytes ? jn_file_replace(path, image->bytes, (size_t)size) : ENOMEM;
    jn_free(image->bytes);
    *image = (jn_image){.access = -1, .file = -1};
    return error;
}
#endif

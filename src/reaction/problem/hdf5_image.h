/* HDF5 files made in memory and written at once. HDF5 does not say why a write failed, and does not let go of a file that it cannot
 * write. */
#ifndef JN_REACTION_PROBLEM_HDF5_IMAGE_H
#define JN_REACTION_PROBLEM_HDF5_IMAGE_H

#include <hdf5.h>
#include <stdbool.h>

typedef struct jn_image {
    hid_t access, file; /* file < 0: there is no memory */
    void *bytes;        /* kept when the file is closed */
    size_t room;        /* [bytes] of the memory so far */
} jn_image;

/* Opens an empty file in memory; image->file is its handle. oldest: the earliest version of the format that is used. */
void jn_image_open(jn_image *image, H5F_libver_t oldest);
/* Closes it and, if all that it holds is there, writes it to the path. 0, or an errno; then no part of the file stays. */
int jn_image_close(jn_image *image, bool complete, const char *path);

#endif

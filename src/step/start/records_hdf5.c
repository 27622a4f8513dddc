/* The series of a result.h5, read in blocks. */
#include "step/start/records.h"

#ifdef JN_CORE_ONLY
long long jn_records_open(const char *path) { return (void)path, -1; }
void jn_records_close(long long file) { (void)file; }
long jn_records_rows(long long file) { return (void)file, -1; }
bool jn_records_read(long long file, const char *channel, long first, long count, double *out) {
    return (void)file, (void)channel, (void)first, (void)count, (void)out, false;
}
#else
#include <hdf5.h>
#include <pthread.h>

/* Debian's HDF5 is not made for threads, and simulations are created on many. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* What HDF5 would print of its own accord is left out between these two. */
#define QUIETLY                                                                                                        \
    pthread_mutex_lock(&one_at_a_time);                                                                                \
    H5E_BEGIN_TRY
#define LOUDLY                                                                                                         \
    H5E_END_TRY                                                                                                        \
    pthread_mutex_unlock(&one_at_a_time)

long long jn_records_open(const char *path) {
    hid_t file = -1;
    QUIETLY { file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT); }
    LOUDLY;
    return file < 0 ? -1 : (long long)file;
}

void jn_records_close(long long file) {
    QUIETLY {
        if (file >= 0) H5Fclose((hid_t)file);
    }
    LOUDLY;
}

static long extent(hid_t set) {
    hid_t space = H5Dget_space(set);
    hssize_t count = H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) : -1;
    H5Sclose(space);
    return (long)count;
}

/* Deflate packs at most 1032 bytes into one, so a file of some size holds no more rows than that; a damaged one may say so. */
static long rows_of(hid_t file) {
    hid_t set = H5Dopen2(file, "time", H5P_DEFAULT);
    hsize_t bytes = 0;
    if (set < 0) return -1;
    long rows = extent(set);
    H5Dclose(set);
    if (H5Fget_filesize(file, &bytes) < 0 || (double)rows * sizeof(double) > 1032.0 * (double)bytes) return -1;
    return rows;
}

long jn_records_rows(long long file) {
    long rows = -1;
    QUIETLY { rows = rows_of((hid_t)file); }
    LOUDLY;
    return rows;
}

/* A damaged type says that a number has a billion bytes, which HDF5 believes. */
static bool has_numbers(hid_t set) {
    hid_t type = H5Dget_type(set);
    bool fine = type >= 0 && H5Tget_size(type) <= 16;
    if (type >= 0) H5Tclose(type);
    return fine;
}

static bool read_block(hid_t file, const char *channel, long first, long count, double *out) {
    hid_t where = H5Gopen2(file, channel ? "channels" : "/", H5P_DEFAULT);
    hid_t set = where < 0 ? -1 : H5Dopen2(where, channel ? channel : "time", H5P_DEFAULT);
    bool fine = set >= 0 && has_numbers(set) && first >= 0 && count >= 0 && first + count <= extent(set);
    if (fine) {
        hsize_t start = (hsize_t)first, size = (hsize_t)count;
        hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &size, NULL);
        fine = H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &size, NULL) >= 0 &&
               H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
        H5Sclose(memory);
        H5Sclose(space);
    }
    if (set >= 0) H5Dclose(set);
    if (where >= 0) H5Gclose(where);
    return fine;
}

bool jn_records_read(long long file, const char *channel, long first, long count, double *out) {
    bool fine = false;
    QUIETLY { fine = read_block((hid_t)file, channel, first, count, out); }
    LOUDLY;
    return fine;
}
#endif

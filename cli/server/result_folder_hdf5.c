/* result.h5, read in blocks. */
#include "server/result_folder.h"
#include <hdf5.h>
#include <string.h>

/* What HDF5 1.10 loses of a damaged file it looks for at the end of the program, in a loop, and says so on the terminal. */
void cli_hdf5_start(void) { H5dont_atexit(); }

static void silence(void) { H5Eset_auto2(H5E_DEFAULT, NULL, NULL); }

long long cli_hdf5_open(const char *path) {
    silence();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    return file < 0 ? -1 : (long long)file;
}

void cli_hdf5_close(long long file) {
    if (file >= 0) H5Fclose((hid_t)file);
}

static long extent(hid_t set) {
    hid_t space = H5Dget_space(set);
    hssize_t count = H5Sget_simple_extent_ndims(space) == 1 ? H5Sget_simple_extent_npoints(space) : -1;
    H5Sclose(space);
    return (long)count;
}

/* Deflate packs at most 1032 bytes into one, so a file of some size holds no more rows than that; a damaged one may say so. */
long cli_hdf5_rows(long long file) {
    hid_t set = H5Dopen2((hid_t)file, "time", H5P_DEFAULT);
    hsize_t bytes = 0;
    if (set < 0) return -1;
    long rows = extent(set);
    H5Dclose(set);
    if (H5Fget_filesize((hid_t)file, &bytes) < 0 || (double)rows * sizeof(double) > 1032.0 * (double)bytes) return -1;
    return rows;
}

static void read_unit(hid_t set, char *unit, size_t size) {
    unit[0] = 0;
    hid_t attribute = H5Aopen(set, "unit", H5P_DEFAULT);
    if (attribute < 0) return;
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    if (H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) &&
        H5Tget_size(type) < size) {
        memset(unit, 0, size);
        if (H5Aread(attribute, type, unit) < 0) unit[0] = 0;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

typedef struct visit {
    void (*found)(void *context, const char *name, const char *unit);
    void *context;
} visit;

static herr_t on_link(hid_t group, const char *name, const H5L_info_t *info, void *context) {
    visit *v = context;
    char unit[64];
    if (info->type != H5L_TYPE_HARD) return 0; /* no way out of the file */
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    if (set < 0) return 0;
    read_unit(set, unit, sizeof unit);
    H5Dclose(set);
    v->found(v->context, name, unit);
    return 0;
}

bool cli_hdf5_each(long long file, void (*found)(void *context, const char *name, const char *unit), void *context) {
    visit v = {found, context};
    hid_t group = H5Gopen2((hid_t)file, "channels", H5P_DEFAULT);
    if (group < 0) return false;
    /* as they lie: to sort the names of a damaged group, HDF5 1.10 frees what it has not set */
    bool listed = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, on_link, &v) >= 0;
    H5Gclose(group);
    return listed;
}

/* A damaged type says that a number has a billion bytes, which HDF5 believes. */
static bool has_numbers(hid_t set) {
    hid_t type = H5Dget_type(set);
    bool fine = type >= 0 && H5Tget_size(type) <= 16;
    if (type >= 0) H5Tclose(type);
    return fine;
}

bool cli_hdf5_read(long long file, const char *channel, long first, long count, double *out) {
    hid_t where = channel ? H5Gopen2((hid_t)file, "channels", H5P_DEFAULT) : H5Gopen2((hid_t)file, "/", H5P_DEFAULT);
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

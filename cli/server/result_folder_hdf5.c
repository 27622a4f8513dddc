/* Names and units of the channels in a result.h5; jn_records_read reads their values. */
#include "server/result_folder.h"
#include <hdf5.h>
#include <string.h>

/* What HDF5 1.10 loses of a damaged file it looks for at the end of the program, in a loop, and says so on the terminal. */
void cli_hdf5_start(void) { H5dont_atexit(); }

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

static bool each(long long file, visit *v) {
    hid_t group = H5Gopen2((hid_t)file, "channels", H5P_DEFAULT);
    if (group < 0) return false;
    /* as they lie: to sort the names of a damaged group, HDF5 1.10 frees what it has not set */
    bool listed = H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, on_link, v) >= 0;
    H5Gclose(group);
    return listed;
}

bool cli_hdf5_each(long long file, void (*found)(void *context, const char *name, const char *unit), void *context) {
    visit v = {found, context};
    bool listed = false;
    H5E_BEGIN_TRY { listed = each(file, &v); }
    H5E_END_TRY
    return listed;
}

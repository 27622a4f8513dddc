/* Result folders compared file by file. */
#include "same_files.h"
#include <dirent.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file, free it. */
static char *read_all(const char *folder, const char *name, size_t *length) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    if (text) *length = fread(text, 1, *length, file), text[*length] = 0;
    fclose(file);
    return text;
}

/* Without the numbers behind "wall_time" and "write_time". */
static size_t without_wall_times(char *text) {
    char *to = text;
    for (char *from = text; *from;) {
        bool wall = !strncmp(from, "\"wall_time\"", 11) || !strncmp(from, "\"write_time\"", 12);
        if (wall) from += strcspn(from, ",\n}");
        *to++ = *from, from += *from != 0;
    }
    *to = 0;
    return (size_t)(to - text);
}

static bool same_bytes(const char *a, const char *b, const char *name, char *difference, size_t size) {
    size_t m = 0, n = 0;
    char *x = read_all(a, name, &m), *y = read_all(b, name, &n);
    if (x && y && !strcmp(name, "summary.json")) m = without_wall_times(x), n = without_wall_times(y);
    bool same = x && y && m == n && !memcmp(x, y, m);
    if (!same && x && y) {
        size_t at = 0;
        while (at < m && at < n && x[at] == y[at]) at++;
        size_t from = at > 20 ? at - 20 : 0;
        snprintf(difference, size, "%s, byte %zu: %.80s ... %.80s", name, at, x + from, y + from);
    } else if (!same) {
        snprintf(difference, size, "%s is missing", name);
    }
    free(x), free(y);
    return same;
}

/* -------------------------------------------------------------------------------------------------------------- HDF5 */

typedef struct pair {
    hid_t other;
    char *difference;
    size_t size;
    int sets;
} pair;

static void *values(hid_t file, const char *name, size_t *bytes) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    *bytes = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    void *data = calloc(*bytes + 1, 1);
    if (data && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) free(data), data = NULL;
    H5Sclose(space), H5Tclose(type), H5Dclose(set);
    return data;
}

static herr_t compare_set(hid_t file, const char *name, const H5O_info_t *info, void *context) {
    pair *p = context;
    if (info->type != H5O_TYPE_DATASET || !strcmp(name, "summary")) return 0;
    size_t m = 0, n = 0;
    void *x = values(file, name, &m), *y = values(p->other, name, &n);
    bool same = x && y && m == n && !memcmp(x, y, m);
    free(x), free(y);
    p->sets++;
    if (!same) snprintf(p->difference, p->size, "result.h5: %s", name);
    return same ? 0 : 1;
}

static bool same_hdf5(const char *a, const char *b, char *difference, size_t size) {
    char path[600];
    snprintf(path, sizeof path, "%s/result.h5", a);
    hid_t one = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    snprintf(path, sizeof path, "%s/result.h5", b);
    pair p = {H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), difference, size, 0};
    snprintf(difference, size, "result.h5 cannot be read");
    bool same =
        one >= 0 && p.other >= 0 && H5Ovisit(one, H5_INDEX_NAME, H5_ITER_INC, compare_set, &p) == 0 && p.sets > 1;
    if (one >= 0) H5Fclose(one);
    if (p.other >= 0) H5Fclose(p.other);
    return same;
}

/* ------------------------------------------------------------------------------------------------------------ folders */

static int count_files(const char *folder) {
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) count += e->d_name[0] != '.';
    if (d) closedir(d);
    return count;
}

bool same_folders(const char *a, const char *b, char *difference, size_t size) {
    bool same = count_files(a) == count_files(b) && count_files(a) > 3;
    snprintf(difference, size, "%d and %d files", count_files(a), count_files(b));
    DIR *d = opendir(a);
    for (struct dirent *e; same && d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        if (!strcmp(e->d_name, "result.h5")) {
            same = same_hdf5(a, b, difference, size);
        } else {
            same = same_bytes(a, b, e->d_name, difference, size);
        }
    }
    if (d) closedir(d);
    return same;
}

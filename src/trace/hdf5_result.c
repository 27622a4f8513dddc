/* result.h5: everything a run leaves, in one file. The only place that knows HDF5.
 *
 *   /time                      (rows) [s]
 *   /channels/NAME             (rows), attribute unit
 *   /events/time, kind, ...    (events), the columns of events.csv
 *   /summary, /model           texts: summary.json and the model file
 *   attributes of /            title, version, model_hash */
#include "base/memory.h"
#include "reaction/problem/hdf5_image.h"
#include "trace/result.h"
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 16384, CHUNK_LEAST = 64 };

static int close_id(hid_t id, herr_t (*close)(hid_t)) { return id >= 0 ? close(id) : -1; }

/* A zero-terminated text of fixed length. */
static hid_t text_type(size_t length) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    H5Tset_size(type, length);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static int write_attribute(hid_t where, const char *name, const char *text) {
    size_t length = strlen(text);
    hid_t type = text_type(length ? length : 1), space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int failed = attribute < 0 || H5Awrite(attribute, type, text) < 0;
    close_id(attribute, H5Aclose);
    close_id(space, H5Sclose);
    close_id(type, H5Tclose);
    return failed ? -1 : 0;
}

static int write_text(hid_t file, const char *name, const char *text) {
    size_t length = strlen(text);
    hid_t type = text_type(length ? length : 1), space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int failed = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0;
    close_id(set, H5Dclose);
    close_id(space, H5Sclose);
    close_id(type, H5Tclose);
    return failed ? -1 : 0;
}

/* Chunks with shuffled bytes compress well where neighbours differ little; without compression, and where they are short, columns are stored as they are. */
static hid_t column_properties(hsize_t count, int level) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = count < CHUNK ? count : CHUNK;
    if (properties < 0 || count < CHUNK_LEAST || level == 0) return properties;
    H5Pset_chunk(properties, 1, &chunk);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, (unsigned)level);
    return properties;
}

/* type: how the file holds them. */
static int write_column(hid_t where, const char *name, const double *values, hsize_t count, hid_t type,
                        hid_t properties, const char *unit) {
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    int failed = set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    if (!failed) failed = write_attribute(set, "unit", unit) < 0;
    close_id(set, H5Dclose);
    close_id(space, H5Sclose);
    return failed ? -1 : 0;
}

static int write_series(hid_t file, const jn_model *m, const jn_result *r, const jn_watch *watch) {
    hsize_t rows = (hsize_t)r->rows;
    size_t width = (size_t)r->channels + 1;
    double *column = jn_malloc((size_t)rows * sizeof *column);
    hid_t group = H5Gcreate2(file, "channels", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          properties = column_properties(rows, m->run.record_compression),
          type = m->run.record_float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    int failed = !column || group < 0 || properties < 0;
    for (int i = 0; i <= r->channels && !failed; i++) {
        for (size_t row = 0; row < (size_t)rows; row++) column[row] = r->data[row * width + (size_t)i];
        failed = i == 0 ? write_column(file, "time", column, rows, H5T_IEEE_F64LE, properties, "s")
                        : write_column(group, r->names[i - 1], column, rows, type, properties, r->units[i - 1]);
        jn_watch_tell(watch, "result.h5", (i + 1.0) / (r->channels + 1));
    }
    close_id(properties, H5Pclose);
    close_id(group, H5Gclose);
    jn_free(column);
    return failed ? -1 : 0;
}

/* Texts of the events, read in place from the array of records. */
static int write_words(hid_t group, const char *name, const jn_result *r, size_t offset, size_t size) {
    hsize_t count = (hsize_t)r->event_count;
    char *words = jn_malloc((size_t)count * size);
    if (!words) return -1;
    for (long i = 0; i < r->event_count; i++)
        memcpy(words + (size_t)i * size, (const char *)&r->events[i] + offset, size);
    hid_t type = text_type(size), space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int failed = set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words) < 0;
    close_id(set, H5Dclose);
    close_id(space, H5Sclose);
    close_id(type, H5Tclose);
    jn_free(words);
    return failed ? -1 : 0;
}

static int write_events(hid_t file, const jn_model *m, const jn_result *r) {
    static const struct {
        const char *name, *unit;
        size_t offset;
    } columns[] = {
        {"time", "s", offsetof(jn_event, time)},
        {"speed_before", "m/s", offsetof(jn_event, speed_before)},
        {"speed_after", "m/s", offsetof(jn_event, speed_after)},
        {"impulse_n", "N s", offsetof(jn_event, impulse_n)},
        {"impulse_t", "N s", offsetof(jn_event, impulse_t)},
    };
    hsize_t count = (hsize_t)r->event_count;
    double *column = jn_malloc((size_t)count * sizeof *column);
    hid_t group = H5Gcreate2(file, "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          properties = column_properties(count, m->run.record_compression);
    int failed = !column || group < 0 || properties < 0;
    for (size_t k = 0; k < sizeof columns / sizeof *columns && !failed; k++) {
        for (size_t i = 0; i < (size_t)count; i++)
            memcpy(&column[i], (const char *)&r->events[i].event + columns[k].offset, sizeof *column);
        failed = write_column(group, columns[k].name, column, count, H5T_IEEE_F64LE, properties, columns[k].unit);
    }
    if (!failed) failed = write_words(group, "kind", r, offsetof(jn_event_record, kind), sizeof r->events->kind);
    if (!failed) failed = write_words(group, "where", r, offsetof(jn_event_record, where), sizeof r->events->where);
    close_id(properties, H5Pclose);
    close_id(group, H5Gclose);
    jn_free(column);
    return failed ? -1 : 0;
}

/* Collisions: one row per contact and collision, as in impacts.csv; the whole record as JSON text beside it. */
static int write_impacts(hid_t file, const jn_model *m, const jn_result *r) {
    static const char *const name[] = {"impact",   "time",        "vn_before",      "vt1_before", "vt2_before",
                                       "vn_after", "vt1_after",   "vt2_after",      "pn",         "pt1",
                                       "pt2",      "normal_work", "tangential_work"};
    static const char *const unit[] = {"1",   "s",   "m/s", "m/s", "m/s", "m/s", "m/s",
                                       "m/s", "N s", "N s", "N s", "J",   "J"};
    hsize_t rows = 0;
    if (m->run.method != JN_METHOD_IMPACT) return 0;
    for (long i = 0; i < r->impacts_kept; i++) rows += (hsize_t)r->impacts[i].contacts;
    double *column = jn_malloc((size_t)(rows + 1) * sizeof *column);
    hid_t group = H5Gcreate2(file, "impacts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          properties = column_properties(rows, m->run.record_compression);
    int failed = !column || group < 0 || properties < 0;
    for (int c = 0; c < 13 && !failed; c++) {
        size_t at = 0;
        for (long i = 0; i < r->impacts_kept; i++)
            for (int k = 0; k < r->impacts[i].contacts; k++) {
                const jn_impact_kept *x = &r->impacts[i];
                const double *part[] = {x->before, x->after, x->p};
                int row = (c - 2) % 3;
                column[at++] = c == 0               ? (double)(i + 1)
                               : c == 1             ? x->time
                               : c == 11            ? x->normal_of[k]
                               : c == 12            ? x->slide_of[k]
                               : row < x->dimension ? part[(c - 2) / 3][x->dimension * k + row]
                                                    : 0;
            }
        failed = write_column(group, name[c], column, rows, H5T_IEEE_F64LE, properties, unit[c]);
    }
    char *text = jn_impacts_json(m, r);
    if (!failed) failed = !text || write_text(group, "record", text) < 0;
    jn_free(text);
    close_id(properties, H5Pclose);
    close_id(group, H5Gclose);
    jn_free(column);
    return failed ? -1 : 0;
}

static int write_all(hid_t file, const jn_model *m, const jn_result *r, const jn_watch *watch) {
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, m->hash);
    int failed = write_attribute(file, "title", m->title ? m->title : "");
    failed |= write_attribute(file, "version", jn_version());
    failed |= write_attribute(file, "model_hash", hash);
    failed |= write_series(file, m, r, watch);
    failed |= write_events(file, m, r);
    failed |= write_impacts(file, m, r);
    failed |= write_text(file, "summary", r->summary ? r->summary : "");
    failed |= write_text(file, "model", m->text ? m->text : "");
    return failed;
}

int jn_hdf5_write(const jn_model *m, const jn_result *r, const char *path, const jn_watch *watch, jn_report *report) {
    H5E_auto2_t handler = NULL;
    void *context = NULL;
    jn_image image;
    H5Eget_auto2(H5E_DEFAULT, &handler, &context); /* the library never prints */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    jn_image_open(&image, H5F_LIBVER_V18); /* groups of many channels stay small and fast */
    bool complete = image.file >= 0 && write_all(image.file, m, r, watch) >= 0;
    int error = jn_image_close(&image, complete, path);
    H5Eset_auto2(H5E_DEFAULT, handler, context);
    if (!error) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL, "cannot be written: %s",
                         strerror(error));
}

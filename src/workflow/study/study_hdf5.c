/* study.h5. The only place of studies that knows HDF5.
 *
 *   /parameters/NAME         (rows), attribute unit; of words: their numbers, attribute words
 *   /measures/NAME           (rows), attribute unit
 *   /run, /verdict, /seed, /hash, /message      (rows)
 *   /samples/NAME/run, time, 1, 2, ...          (samples), attributes unit and channel
 *   /findings/name, value, low, high            what the study has found
 *   /study                   the study file as text; attributes of /: title, version, study_hash */
#include "workflow/study/study_hdf5.h"

#include "base/memory.h"

#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16384 };

/* Everything that may fail goes through here: one flag at the end. */
typedef struct writer {
    const jn_study *s;
    long rows; /* that are done */
    double *column;
    bool failed;
} writer;

static void attribute(writer *w, hid_t where, const char *name, const char *text) {
    size_t length = strlen(text);
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, length ? length : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t a = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    w->failed |= a < 0 || H5Awrite(a, type, length ? text : " ") < 0;
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
}

/* A column of numbers or of texts of fixed length. */
static hid_t column(writer *w, hid_t where, const char *name, hsize_t count, hid_t stored, hid_t given,
                    const void *values) {
    hid_t space = H5Screate_simple(1, &count, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = count < CHUNK ? count : CHUNK;
    H5Pset_obj_track_times(properties, 0); /* the same table, the same bytes */
    if (count > 64) H5Pset_chunk(properties, 1, &chunk), H5Pset_shuffle(properties), H5Pset_deflate(properties, 1);
    hid_t set = H5Dcreate2(where, name, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    w->failed |= set < 0 || (count && H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0);
    H5Pclose(properties);
    H5Sclose(space);
    return set;
}

static void numbers(writer *w, hid_t where, const char *name, hsize_t count, const double *values, const char *unit) {
    hid_t set = column(w, where, name, count, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
    if (set < 0) return;
    attribute(w, set, "unit", unit);
    H5Dclose(set);
}

static void texts(writer *w, hid_t where, const char *name, hsize_t count, size_t size, const char *values) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = column(w, where, name, count, type, type, values);
    if (set >= 0) H5Dclose(set);
    H5Tclose(type);
}

static void integers(writer *w, hid_t where, const char *name, hsize_t count, const uint64_t *values) {
    hid_t set = column(w, where, name, count, H5T_STD_U64LE, H5T_NATIVE_UINT64, values);
    if (set >= 0) H5Dclose(set);
}

static void write_columns(writer *w, hid_t file) {
    const jn_study *s = w->s;
    hid_t groups[2] = {H5Gcreate2(file, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                       H5Gcreate2(file, "measures", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)};
    w->failed |= groups[0] < 0 || groups[1] < 0;
    for (int c = 0; c < s->varies + s->columns && !w->failed; c++) {
        long n = 0;
        for (long r = 0; r < s->rows; r++)
            if (s->row[r].state != JN_ROW_OPEN) w->column[n++] = jn_study_value(s, r, c);
        numbers(w, groups[c >= s->varies], jn_study_column_name(s, c), (hsize_t)n, w->column,
                jn_study_column_unit(s, c));
    }
    for (int k = 0; k < 2; k++)
        if (groups[k] >= 0) H5Gclose(groups[k]);
}

static void write_rows(writer *w, hid_t file) {
    const jn_study *s = w->s;
    enum { MESSAGE = sizeof s->row->message, VERDICT = 8 };
    uint64_t *run = jn_malloc(3 * (size_t)(w->rows + 1) * sizeof *run), *seed = run ? run + w->rows + 1 : NULL,
             *hash = run ? seed + w->rows + 1 : NULL;
    char *verdict = jn_malloc((size_t)(w->rows + 1) * VERDICT), *message = jn_malloc((size_t)(w->rows + 1) * MESSAGE);
    long n = 0;
    w->failed |= !run || !verdict || !message;
    for (long r = 0; r < s->rows && !w->failed; r++) {
        const jn_study_row *row = &s->row[r];
        if (row->state == JN_ROW_OPEN) continue;
        run[n] = (uint64_t)r, seed[n] = jn_study_row_seed(s, r), hash[n] = row->hash;
        memset(verdict + n * VERDICT, 0, VERDICT);
        snprintf(verdict + n * VERDICT, VERDICT, "%s", jn_row_state_text(row->state));
        memset(message + n * MESSAGE, 0, MESSAGE);
        snprintf(message + n * MESSAGE, MESSAGE, "%s", row->message);
        n++;
    }
    if (!w->failed) {
        hsize_t count = (hsize_t)n;
        integers(w, file, "run", count, run), integers(w, file, "seed", count, seed),
            integers(w, file, "hash", count, hash);
        texts(w, file, "verdict", count, VERDICT, verdict), texts(w, file, "message", count, MESSAGE, message);
    }
    jn_free(run), jn_free(verdict), jn_free(message);
}

static void write_list(writer *w, hid_t samples, const jn_study_measure *m) {
    const jn_study *s = w->s;
    size_t width = (size_t)m->channels + 1, total = 0;
    for (long r = 0; r < s->rows; r++) total += (size_t)s->row[r].samples[m->samples].count;
    hid_t group = H5Gcreate2(samples, m->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    double *values = jn_malloc((total + 1) * sizeof *values);
    w->failed |= group < 0 || !values;
    for (size_t k = 0; k <= width && !w->failed; k++) { /* the run, the time, the channels */
        size_t n = 0;
        char name[24] = "time";
        for (long r = 0; r < s->rows; r++)
            for (long i = 0; i < s->row[r].samples[m->samples].count; i++)
                values[n++] = k == 0 ? (double)r : s->row[r].samples[m->samples].data[(size_t)i * width + k - 1];
        if (k > 1) snprintf(name, sizeof name, "%zu", k - 1);
        numbers(w, group, k ? name : "run", (hsize_t)n, values,
                k == 0   ? "1"
                : k == 1 ? "s"
                         : s->unit[m->channel[k - 2]]);
    }
    if (group >= 0) H5Gclose(group);
    jn_free(values);
}

static void write_findings(writer *w, hid_t file) {
    const jn_study *s = w->s;
    hid_t group = H5Gcreate2(file, "findings", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    enum { NAME = sizeof s->finding->name };
    double *v = jn_malloc(3 * (size_t)s->findings * sizeof *v);
    char *names = jn_malloc((size_t)s->findings * NAME);
    w->failed |= group < 0 || !v || !names;
    for (int i = 0; i < s->findings && !w->failed; i++) {
        v[i] = s->finding[i].value, v[s->findings + i] = s->finding[i].low, v[2 * s->findings + i] = s->finding[i].high;
        memcpy(names + i * NAME, s->finding[i].name, NAME);
    }
    if (!w->failed) {
        texts(w, group, "name", (hsize_t)s->findings, NAME, names);
        numbers(w, group, "value", (hsize_t)s->findings, v, "1");
        numbers(w, group, "low", (hsize_t)s->findings, v + s->findings, "1");
        numbers(w, group, "high", (hsize_t)s->findings, v + 2 * s->findings, "1");
    }
    if (group >= 0) H5Gclose(group);
    jn_free(v), jn_free(names);
}

static void write_all(writer *w, hid_t file) {
    const jn_study *s = w->s;
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->hash);
    attribute(w, file, "title", s->title);
    attribute(w, file, "version", jn_version());
    attribute(w, file, "study_hash", hash);
    write_columns(w, file);
    write_rows(w, file);
    if (s->lists) {
        hid_t group = H5Gcreate2(file, "samples", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        w->failed |= group < 0;
        for (int i = 0; i < s->measures && !w->failed; i++)
            if (s->measure[i].samples >= 0) write_list(w, group, &s->measure[i]);
        if (group >= 0) H5Gclose(group);
    }
    if (s->findings) write_findings(w, file);
}

int jn_study_hdf5_write(const jn_study *s, const char *folder, jn_report *report) {
    char path[4200], part[4210];
    writer w = {.s = s};
    for (long r = 0; r < s->rows; r++) w.rows += s->row[r].state != JN_ROW_OPEN;
    snprintf(path, sizeof path, "%.4000s/study.h5", folder);
    snprintf(part, sizeof part, "%s.part", path);
    w.column = jn_malloc((size_t)(s->rows + 1) * sizeof *w.column);
    hid_t plist = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = w.column ? H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, plist) : -1;
    w.failed = file < 0;
    if (!w.failed) write_all(&w, file);
    if (file >= 0) w.failed |= H5Fclose(file) < 0;
    H5Pclose(plist);
    jn_free(w.column);
    if (!w.failed && rename(part, path) == 0) return JN_OK;
    unlink(part);
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL,
                         "study.h5 cannot be written");
}

/* Contact problems in FCLIB's HDF5 format [Acary2014]. The only file of this stage that knows HDF5.
 *
 *   /fclib_local   W, V, R, vectors/{q, mu, s}, info/{title, description, math_info}, spacedim
 *   /fclib_global  M, H, G, vectors/{f, w, b, mu}, info, spacedim
 *   /solution      r, u, v, l          /guesses/1  the same
 *
 * A matrix is nzmax, m, n, nz, p, i, x: nz >= 0 entries (i row, p column), -1 by columns, -2 by rows. */
#include "base/memory.h"
#include "reaction/problem/problem_data.h"

#ifdef JN_CORE_ONLY
static int missing(const char *path, jn_report *report) {
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_MISSING, (jn_where){path, 0, 0}, NULL,
                         "this build reads and writes no HDF5\nbuild without JOUNCE_CORE_ONLY");
}
int jn_fclib_read(const char *path, jn_report *report, jn_fclib **out) {
    *out = NULL;
    return missing(path, report);
}
int jn_fclib_write(const char *path, const jn_fclib *file, jn_report *report) {
    (void)file;
    return missing(path, report);
}
void jn_fclib_free(jn_fclib *file) { (void)file; }
#else
#include "reaction/problem/hdf5_image.h"
#include <hdf5.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_TEXT = 1 << 20 };

/* What jn_fclib_read returns. */
typedef struct fclib_file {
    jn_fclib view; /* first: the caller holds its address */
    jn_global_problem global;
    jn_problem_data *data;
    jn_store *store;
} fclib_file;

typedef struct reader {
    hid_t file;
    const char *path;
    jn_report *report;
    jn_store *store;
} reader;

/* HDF5 prints its errors by itself unless told not to. */
typedef struct silence {
    H5E_auto2_t handler;
    void *context;
} silence;
static silence silence_start(void) {
    silence s = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &s.handler, &s.context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return s;
}
static void silence_end(silence s) { H5Eset_auto2(H5E_DEFAULT, s.handler, s.context); }

/* -------------------------------------------------------------------------------------------------------- reading */

static int complain(const reader *r, int status, const char *what, const char *where) {
    return jn_report_add(r->report, JN_SEVERITY_ERROR, status, (jn_where){r->path, 0, 0}, where, "%s", what);
}

/* Whether every group on the way to name and name itself are there. */
static bool exists(hid_t file, const char *name) {
    char part[128];
    for (const char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0) return false;
    }
    return H5Lexists(file, name, H5P_DEFAULT) > 0;
}

/* All numbers of a dataset; *count receives how many. NULL if it is not there or not of that kind. */
static void *read_numbers(const reader *r, const char *name, hid_t type, size_t size, size_t *count) {
    *count = 0;
    if (!exists(r->file, name)) return NULL;
    hid_t set = H5Dopen2(r->file, name, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t space = H5Dget_space(set);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    hid_t stored_type =
        H5Dget_type(set); /* a damaged one says that a number has a billion bytes, which HDF5 believes */
    bool number = stored_type >= 0 && H5Tget_size(stored_type) <= 16;
    if (stored_type >= 0) H5Tclose(stored_type);
    hsize_t bytes = 0; /* of the file. Deflate makes them 1032 times as many at most; damaged files claim more */
    double stored = (double)H5Dget_storage_size(set);
    bool held =
        number && H5Fget_filesize(r->file, &bytes) >= 0 && stored <= (double)bytes && (double)points <= 1032 * stored;
    void *numbers = held && points >= 0 && points < INT_MAX ? jn_store_array(r->store, (size_t)points + 1, size) : NULL;
    if (numbers && points && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0) numbers = NULL;
    if (numbers) *count = (size_t)points;
    H5Sclose(space);
    H5Dclose(set);
    return numbers;
}

static bool read_int(const reader *r, const char *group, const char *name, int *value) {
    char full[128];
    size_t count;
    snprintf(full, sizeof full, "%s/%s", group, name);
    const int *numbers = read_numbers(r, full, H5T_NATIVE_INT, sizeof(int), &count);
    if (!numbers || count < 1) return false;
    *value = numbers[0];
    return true;
}

static const double *read_vector(const reader *r, const char *group, const char *name, size_t expected) {
    char full[128];
    size_t count;
    snprintf(full, sizeof full, "%s/%s", group, name);
    const double *numbers = read_numbers(r, full, H5T_NATIVE_DOUBLE, sizeof(double), &count);
    return numbers && count >= expected ? numbers : NULL;
}

/* A text of fixed or variable length; "" if it is not there. */
static const char *read_text(const reader *r, const char *group, const char *name) {
    char full[128];
    snprintf(full, sizeof full, "%s/info/%s", group, name);
    if (!exists(r->file, full)) return "";
    hid_t set = H5Dopen2(r->file, full, H5P_DEFAULT);
    if (set < 0) return "";
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    char *text = NULL;
    if (H5Sget_simple_extent_npoints(space) != 1) {
        text = NULL; /* many texts or none */
    } else if (H5Tis_variable_str(type) > 0) {
        char *found = NULL;
        hid_t memory = H5Tcopy(H5T_C_S1);
        H5Tset_size(memory, H5T_VARIABLE);
        H5Tset_cset(memory, H5Tget_cset(type));
        if (H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found) >= 0 && found)
            text = jn_store_strdup(r->store, found);
        H5free_memory(found);
        H5Tclose(memory);
    } else if (H5Tget_class(type) == H5T_STRING && H5Tget_size(type) < LONGEST_TEXT) {
        text = jn_store_alloc(r->store, H5Tget_size(type) + 1);
        if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) < 0) text = NULL;
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return text ? text : "";
}

/* Entry numbers of a matrix stored by rows or columns: line[k] of every entry. */
static int *spread(const reader *r, const int *start, int lines, int count) {
    int *line = jn_store_array(r->store, (size_t)count + 1, sizeof *line);
    if (!line || start[0] != 0) return NULL;
    for (int l = 0; l < lines; l++) {
        if (start[l + 1] < start[l] || start[l + 1] > count) return NULL;
        for (int k = start[l]; k < start[l + 1]; k++) line[k] = l;
    }
    return line;
}

/* A matrix as entries, every index checked. */
static int read_matrix(const reader *r, const char *group, jn_entries *out) {
    int nz, m, n;
    size_t np, ni, nx;
    char full[128];
    if (!read_int(r, group, "nz", &nz) || !read_int(r, group, "m", &m) || !read_int(r, group, "n", &n))
        return complain(r, JN_ERR_MODEL, "the sizes of this matrix cannot be read", group);
    snprintf(full, sizeof full, "%s/p", group);
    const int *p = read_numbers(r, full, H5T_NATIVE_INT, sizeof(int), &np);
    snprintf(full, sizeof full, "%s/i", group);
    const int *i = read_numbers(r, full, H5T_NATIVE_INT, sizeof(int), &ni);
    snprintf(full, sizeof full, "%s/x", group);
    const double *x = read_numbers(r, full, H5T_NATIVE_DOUBLE, sizeof(double), &nx);
    size_t lines = nz == -1 ? (size_t)n : (size_t)m;
    if (!p || !i || !x || m < 0 || n < 0 || nz < -2 || np < (nz >= 0 ? (size_t)nz : lines + 1))
        return complain(r, JN_ERR_MODEL, "the entries of this matrix cannot be read", group);
    int count = nz >= 0 ? nz : p[lines];
    const int *line = nz >= 0 ? p : count >= 0 && (size_t)count <= ni ? spread(r, p, (int)lines, count) : NULL;
    if (!line || count < 0 || (size_t)count > ni || (size_t)count > nx)
        return complain(r, JN_ERR_MODEL, "the entries of this matrix do not fit its sizes", group);
    *out = (jn_entries){m, n, count, nz == -2 ? line : i, nz == -2 ? i : line, x};
    for (int k = 0; k < count; k++)
        if (out->row[k] < 0 || out->row[k] >= m || out->column[k] < 0 || out->column[k] >= n)
            return complain(r, JN_ERR_MODEL, "an entry of this matrix is outside of it", group);
    return JN_OK;
}

/* u = W p + V l + q, V^T p + R l + s = 0. */
static int read_bilateral(const reader *r, jn_problem_data *data, const jn_entries *W) {
    jn_entries V, R;
    int status = read_matrix(r, "/fclib_local/V", &V);
    if (!status) status = read_matrix(r, "/fclib_local/R", &R);
    if (status) return status;
    const double *s = read_vector(r, "/fclib_local/vectors", "s", (size_t)R.rows);
    if (!s || V.rows != W->rows || V.columns != R.rows || R.rows != R.columns)
        return complain(r, JN_ERR_MODEL, "V, R and s do not fit each other or W", "/fclib_local/V");
    return jn_problem_data_set_bilateral(data, W, &V, &R, s);
}

/* u = W p + q. */
static int read_local(reader *r, fclib_file *f) {
    const char *group = "/fclib_local";
    jn_entries W;
    int d, status = read_matrix(r, "/fclib_local/W", &W);
    if (status) return status;
    if (!read_int(r, group, "spacedim", &d) || d < 1 || d > 3 || W.rows != W.columns || W.rows % d)
        return complain(r, JN_ERR_MODEL, "spacedim must be 1, 2 or 3, and W square with spacedim rows per contact",
                        group);
    f->data = jn_problem_data_create();
    if (!f->data) return JN_ERR_MEMORY;
    jn_problem *problem = &f->data->problem;
    problem->dimension = d, problem->contacts = W.rows / d;
    problem->q = read_vector(r, "/fclib_local/vectors", "q", (size_t)W.rows);
    problem->mu = read_vector(r, "/fclib_local/vectors", "mu", (size_t)problem->contacts);
    if (!problem->q || !problem->mu)
        return complain(r, JN_ERR_MODEL, "q or mu is missing or too short", "/fclib_local/vectors");
    if (exists(r->file, "/fclib_local/V")) return read_bilateral(r, f->data, &W);
    return jn_problem_data_set_blocks(f->data, &W);
}

/* M v = f + H p + G lambda, reduced to contacts. */
static int read_global(reader *r, fclib_file *f) {
    const char *group = "/fclib_global", *vectors = "/fclib_global/vectors";
    jn_global_problem *g = &f->global;
    int d, status = read_matrix(r, "/fclib_global/M", &g->M);
    if (!status) status = read_matrix(r, "/fclib_global/H", &g->H);
    if (!status && exists(r->file, "/fclib_global/G")) status = read_matrix(r, "/fclib_global/G", &g->G);
    if (status) return status;
    if (!read_int(r, group, "spacedim", &d) || d < 1 || d > 3 || g->H.columns % d)
        return complain(r, JN_ERR_MODEL, "spacedim must be 1, 2 or 3, and H have spacedim columns per contact", group);
    g->dimension = d, g->contacts = g->H.columns / d;
    g->f = read_vector(r, vectors, "f", (size_t)g->M.rows);
    g->w = read_vector(r, vectors, "w", (size_t)g->H.columns);
    g->mu = read_vector(r, vectors, "mu", (size_t)g->contacts);
    if (g->G.columns) g->b = read_vector(r, vectors, "b", (size_t)g->G.columns);
    if (!g->f || !g->w || !g->mu || (g->G.columns && !g->b))
        return complain(r, JN_ERR_MODEL, "f, w, mu or b is missing or too short", vectors);
    status = jn_global_reduce(g, &f->data);
    if (status == JN_ERR_NUMERIC) return complain(r, status, "M is singular", "/fclib_global/M");
    if (status == JN_ERR_ARGUMENT)
        return complain(r, JN_ERR_MODEL, "M, H and G have different numbers of velocities", group);
    return status;
}

static int read_all(reader *r, fclib_file *f) {
    bool local = exists(r->file, "/fclib_local"), global = exists(r->file, "/fclib_global");
    const char *group = local ? "/fclib_local" : "/fclib_global";
    if (!local && !global)
        return complain(r, JN_ERR_MODEL, "this is no FCLIB problem: it has neither /fclib_local nor /fclib_global",
                        NULL);
    int status = local ? read_local(r, f) : read_global(r, f);
    if (status) return status;
    size_t n = (size_t)f->data->problem.contacts * (size_t)f->data->problem.dimension;
    f->view = (jn_fclib){.problem = &f->data->problem, .global = local ? NULL : &f->global};
    f->view.title = read_text(r, group, "title");
    f->view.description = read_text(r, group, "description");
    f->view.math_info = read_text(r, group, "math_info");
    f->view.solution = read_vector(r, "/solution", "r", n);
    f->view.guess = read_vector(r, "/guesses/1", "r", n);
    return JN_OK;
}

int jn_fclib_read(const char *path, jn_report *report, jn_fclib **out) {
    silence quiet = silence_start();
    fclib_file *f = jn_malloc(sizeof *f);
    int status = f ? JN_OK : JN_ERR_MEMORY;
    *out = NULL;
    if (f) {
        *f = (fclib_file){.store = jn_store_create()};
        reader r = {
            .file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), .path = path, .report = report, .store = f->store};
        if (r.file < 0)
            status = complain(&r, JN_ERR_IO, "the file cannot be opened as HDF5", NULL);
        else
            status = f->store ? read_all(&r, f) : JN_ERR_MEMORY;
        if (r.file >= 0) H5Fclose(r.file);
    }
    silence_end(quiet);
    if (status)
        jn_fclib_free(f ? &f->view : NULL);
    else
        *out = &f->view;
    return status;
}

void jn_fclib_free(jn_fclib *file) {
    if (!file) return;
    fclib_file *f = (fclib_file *)file;
    jn_problem_data_free(f->data);
    jn_store_free(f->store);
    jn_free(f);
}

/* -------------------------------------------------------------------------------------------------------- writing */

static bool write_numbers(hid_t where, const char *name, hid_t stored, hid_t type, const void *numbers, size_t count) {
    hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(where, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = set >= 0 && (!count || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    return fine;
}
static bool write_ints(hid_t where, const char *name, const int *numbers, size_t count) {
    return write_numbers(where, name, H5T_STD_I32LE, H5T_NATIVE_INT, numbers, count);
}
static bool write_doubles(hid_t where, const char *name, const double *numbers, size_t count) {
    return write_numbers(where, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, numbers, count);
}

static bool write_text(hid_t where, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    if (!text) text = "";
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (set >= 0) H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return fine;
}

static hid_t make_group(hid_t where, const char *name) {
    return H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool write_sizes(hid_t group, int nzmax, int m, int n, int nz) {
    return write_ints(group, "nzmax", &nzmax, 1) && write_ints(group, "m", &m, 1) && write_ints(group, "n", &n, 1) &&
           write_ints(group, "nz", &nz, 1);
}

static bool write_entries(hid_t where, const char *name, const jn_entries *E) {
    hid_t group = make_group(where, name);
    size_t count = (size_t)E->count;
    bool fine = group >= 0 && write_sizes(group, E->count, E->rows, E->columns, E->count);
    fine = fine && write_ints(group, "p", E->column, count) && write_ints(group, "i", E->row, count);
    fine = fine && write_doubles(group, "x", E->value, count);
    if (group >= 0) H5Gclose(group);
    return fine;
}

/* Blocks by rows: nz = -2. */
static bool write_blocks(hid_t where, const jn_blocks *W, int contacts, int d) {
    int n = contacts * d, count = W->start[contacts] * d * d, at = 0;
    int *p = jn_malloc(((size_t)n + 1) * sizeof *p), *i = jn_malloc((size_t)count * sizeof *i);
    double *x = jn_malloc((size_t)count * sizeof *x);
    hid_t group = make_group(where, "W");
    bool fine = p && i && x && group >= 0;
    for (int row = 0; row < n && fine; row++) {
        p[row] = at;
        for (int k = W->start[row / d]; k < W->start[row / d + 1]; k++)
            for (int c = 0; c < d; c++) {
                i[at] = W->column[k] * d + c;
                x[at++] = W->value[(size_t)k * (size_t)(d * d) + (size_t)(row % d * d + c)];
            }
    }
    if (fine) p[n] = at;
    fine = fine && write_sizes(group, count, n, n, -2) && write_ints(group, "p", p, (size_t)n + 1);
    fine = fine && write_ints(group, "i", i, (size_t)count) && write_doubles(group, "x", x, (size_t)count);
    if (group >= 0) H5Gclose(group);
    jn_free(p), jn_free(i), jn_free(x);
    return fine;
}

/* W of the problem, formed where it has only H and Y. */
static bool write_W(hid_t where, const jn_problem *problem) {
    if (problem->W) return write_blocks(where, problem->W, problem->contacts, problem->dimension);
    size_t dd = (size_t)(problem->dimension * problem->dimension);
    int *scratch = jn_malloc(jn_blocks_scratch(problem) * sizeof *scratch), *column = NULL;
    int *start = jn_malloc(((size_t)problem->contacts + 1) * sizeof *start);
    double *value = NULL;
    bool fine = scratch && start;
    if (fine) {
        size_t count = jn_blocks_count(problem, scratch);
        column = jn_malloc(count * sizeof *column), value = jn_malloc(count * dd * sizeof *value);
        fine = column && value;
    }
    if (fine) {
        jn_blocks_form(problem, scratch, start, column, value);
        fine = write_blocks(where, &(jn_blocks){start, column, value}, problem->contacts, problem->dimension);
    }
    jn_free(scratch), jn_free(start), jn_free(column), jn_free(value);
    return fine;
}

static bool write_local(hid_t group, const jn_problem *problem) {
    hid_t vectors = make_group(group, "vectors");
    size_t n = (size_t)problem->contacts, d = (size_t)problem->dimension;
    bool fine = vectors >= 0 && write_W(group, problem) && write_doubles(vectors, "q", problem->q, n * d) &&
                write_doubles(vectors, "mu", problem->mu, n);
    if (vectors >= 0) H5Gclose(vectors);
    return fine;
}

static bool write_global(hid_t group, const jn_global_problem *g) {
    hid_t vectors = make_group(group, "vectors");
    bool fine = vectors >= 0 && write_entries(group, "M", &g->M) && write_entries(group, "H", &g->H);
    fine = fine && write_doubles(vectors, "f", g->f, (size_t)g->M.rows);
    fine = fine && write_doubles(vectors, "w", g->w, (size_t)g->H.columns);
    fine = fine && write_doubles(vectors, "mu", g->mu, (size_t)g->contacts);
    if (fine && g->G.columns)
        fine = write_entries(group, "G", &g->G) && write_doubles(vectors, "b", g->b, (size_t)g->G.columns);
    if (vectors >= 0) H5Gclose(vectors);
    return fine;
}

/* r, u, and in the global form v and l: what libfclib expects to find together. */
static bool write_solution(hid_t where, const char *name, const jn_fclib *file, const double *p) {
    const jn_problem *problem = file->problem;
    const jn_global_problem *g = file->global;
    size_t n = (size_t)problem->contacts * (size_t)problem->dimension, joints = g ? (size_t)g->G.columns : 0;
    size_t nv = g ? (size_t)g->M.rows : (size_t)problem->velocities;
    double *u = jn_malloc(n * sizeof *u), *v = jn_malloc(nv * sizeof *v), *l = jn_malloc(joints * sizeof *l);
    hid_t group = make_group(where, name);
    bool fine = u && v && l && group >= 0;
    if (fine) jn_problem_velocity(problem, p, v, u);
    fine = fine && write_doubles(group, "r", p, n) && write_doubles(group, "u", u, n);
    if (fine && g) fine = !jn_global_recover(g, p, v, l) && write_doubles(group, "v", v, nv);
    if (fine && joints) fine = write_doubles(group, "l", l, joints);
    if (group >= 0) H5Gclose(group);
    jn_free(u), jn_free(v), jn_free(l);
    return fine;
}

static bool write_all(hid_t h5, const jn_fclib *file) {
    hid_t group = make_group(h5, file->global ? "fclib_global" : "fclib_local"), info = make_group(group, "info");
    int one = 1, d = file->global ? file->global->dimension : file->problem->dimension;
    bool fine = group >= 0 && info >= 0 && write_ints(group, "spacedim", &d, 1);
    fine = fine && write_text(info, "title", file->title) && write_text(info, "description", file->description);
    fine = fine && write_text(info, "math_info", file->math_info);
    fine = fine && (file->global ? write_global(group, file->global) : write_local(group, file->problem));
    if (info >= 0) H5Gclose(info);
    if (group >= 0) H5Gclose(group);
    if (fine && file->solution) fine = write_solution(h5, "solution", file, file->solution);
    if (fine && file->guess) {
        hid_t guesses = make_group(h5, "guesses");
        fine = guesses >= 0 && write_ints(guesses, "number_of_guesses", &one, 1) &&
               write_solution(guesses, "1", file, file->guess);
        if (guesses >= 0) H5Gclose(guesses);
    }
    return fine;
}

int jn_fclib_write(const char *path, const jn_fclib *file, jn_report *report) {
    silence quiet = silence_start();
    jn_image image;
    jn_image_open(&image, H5F_LIBVER_EARLIEST);
    int error = jn_image_close(&image, image.file >= 0 && write_all(image.file, file), path);
    silence_end(quiet);
    if (!error) return JN_OK;
    return jn_report_add(report, JN_SEVERITY_ERROR, JN_ERR_IO, (jn_where){path, 0, 0}, NULL,
                         "cannot be written: %s\nwrite into a folder that exists and has room", strerror(error));
}
#endif

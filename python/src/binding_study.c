/* Parameter studies: a study file is run from start to end, and its table handed over. */
#include "binding.h"
#include <stdlib.h>

/* What a study asks about while it goes on. The caller's threads call with a lock held. */
typedef struct study_watch {
    PyObject *progress;             /* NULL: none */
    PyObject *type, *value, *trace; /* exception that stopped it */
    double last;                    /* [s] wall time of the last look */
} study_watch;

static bool look(void *context, long done, long rows, double wall) {
    study_watch *watch = context;
    double now = binding_clock();
    (void)wall;
    if (watch->type) return false;
    if (now - watch->last < BINDING_LOOK) return true;
    watch->last = now;
    PyGILState_STATE lock = PyGILState_Ensure();
    bool go_on = PyErr_CheckSignals() == 0;
    if (go_on && watch->progress) {
        PyObject *answer = PyObject_CallFunction(watch->progress, "ll", done, rows);
        go_on = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    if (PyErr_Occurred()) PyErr_Fetch(&watch->type, &watch->value, &watch->trace);
    PyGILState_Release(lock);
    return go_on;
}

static PyObject *columns_of(const jn_study *s) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < jn_study_columns(s); i++)
        binding_append(&list, Py_BuildValue("(NN)", binding_text(jn_study_column_name(s, i)),
                                            binding_text(jn_study_column_unit(s, i))));
    return list;
}

/* (rows x columns) numbers. */
static PyObject *table_of(const jn_study *s) {
    long rows = jn_study_rows(s);
    int columns = jn_study_columns(s);
    PyObject *bytes =
        PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)rows * (size_t)columns * sizeof(double)));
    double *to = bytes ? (double *)(void *)PyByteArray_AsString(bytes) : NULL;
    for (long r = 0; to && r < rows; r++)
        for (int c = 0; c < columns; c++) *to++ = jn_study_value(s, r, c);
    return bytes;
}

static PyObject *states_of(const jn_study *s) {
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)jn_study_rows(s));
    char *to = bytes ? PyByteArray_AsString(bytes) : NULL;
    for (long r = 0; to && r < jn_study_rows(s); r++) to[r] = (char)jn_study_state(s, r);
    return bytes;
}

static PyObject *texts_of(const jn_study *s) {
    PyObject *list = PyList_New(0);
    for (long r = 0; list && r < jn_study_rows(s); r++) binding_append(&list, binding_text(jn_study_message(s, r)));
    return list;
}

static PyObject *findings_of(const jn_study *s) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < jn_study_findings(s); i++) {
        const jn_finding *f = jn_study_finding(s, i);
        binding_append(
            &list, Py_BuildValue("(NdddN)", binding_text(f->name), f->value, f->low, f->high, binding_text(f->unit)));
    }
    return list;
}

/* Samples of the measures: for each that has some a list of (row, width, bytes). */
static PyObject *samples_of(const jn_study *s) {
    PyObject *all = PyDict_New();
    for (int c = jn_study_parameters(s); all && c < jn_study_columns(s); c++) {
        const char *name = jn_study_column_name(s, c);
        PyObject *list = PyList_New(0);
        for (long r = 0; list && r < jn_study_rows(s); r++) {
            const double *data;
            int width;
            long count = jn_study_row_samples(s, name, r, &data, &width);
            if (count)
                binding_append(&list,
                               Py_BuildValue("(liN)", r, width, binding_bytes(data, (size_t)count * (size_t)width)));
        }
        bool some = list && PyList_Size(list) > 0;
        if (!list || (some && PyDict_SetItemString(all, name, list) < 0)) Py_CLEAR(all);
        Py_XDECREF(list);
    }
    return all;
}

static PyObject *describe(const jn_study *s, const jn_report *report, bool stopped) {
    PyObject *d = PyDict_New();
    if (d && binding_put(d, "title", binding_text(jn_study_title(s))) &&
        binding_put(d, "parameters", PyLong_FromLong(jn_study_parameters(s))) &&
        binding_put(d, "columns", columns_of(s)) && binding_put(d, "table", table_of(s)) &&
        binding_put(d, "states", states_of(s)) && binding_put(d, "texts", texts_of(s)) &&
        binding_put(d, "findings", findings_of(s)) && binding_put(d, "samples", samples_of(s)) &&
        binding_put(d, "messages", binding_messages(report)) && binding_put(d, "stopped", PyBool_FromLong(stopped)))
        return d;
    Py_XDECREF(d);
    return NULL;
}

/* Runs it with the GIL released. O(all runs). */
static PyObject *perform(const char *path, const jn_setting *settings, int count, jn_study_options *options,
                         study_watch *watch, jn_report *report) {
    jn_study *s;
    int status = JN_ERR_MODEL;
    Py_BEGIN_ALLOW_THREADS s = jn_study_open(path, settings, count, report);
    if (s) status = jn_study_perform(s, options, report);
    Py_END_ALLOW_THREADS PyObject *found = NULL;
    if (watch->type)
        PyErr_Restore(watch->type, watch->value, watch->trace);
    else if (!s || status < 0)
        binding_raise_report(report, status);
    else
        found = describe(s, report, status == JN_STOPPED);
    jn_study_free(s);
    return found;
}

PyObject *binding_study(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path_object, *tuple, *folder_object, *progress;
    const char *path, *folder;
    int threads, resume, count = 0;
    if (!PyArg_ParseTuple(args, "SO!iOpO", &path_object, &PyTuple_Type, &tuple, &threads, &folder_object, &resume,
                          &progress) ||
        !binding_path(path_object, &path) || !binding_path(folder_object, &folder))
        return NULL;
    if (progress != Py_None && !PyCallable_Check(progress)) {
        PyErr_SetString(PyExc_TypeError, "progress is a function of (runs done, runs), or None");
        return NULL;
    }
    jn_setting *settings = binding_settings(tuple, &count);
    jn_report *report = settings ? calloc(1, sizeof *report) : NULL;
    if (!report) return free(settings), PyErr_Occurred() ? NULL : PyErr_NoMemory();
    study_watch watch = {.progress = progress == Py_None ? NULL : progress, .last = binding_clock()};
    jn_study_options options = {
        .folder = folder, .threads = threads, .resume = resume != 0, .progress = look, .context = &watch};
    PyObject *found = perform(path, settings, count, &options, &watch, report);
    free(report), free(settings);
    return found;
}

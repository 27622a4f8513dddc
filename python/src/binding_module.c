/* The extension module jounce._jounce: table of its functions, exceptions and what all files use. */
#include "binding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

PyObject *binding_error;

double binding_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

PyObject *binding_text(const char *text) {
    return PyUnicode_DecodeUTF8(text ? text : "", (Py_ssize_t)strlen(text ? text : ""), "replace");
}

bool binding_put(PyObject *dictionary, const char *key, PyObject *item) {
    bool fine = item && PyDict_SetItemString(dictionary, key, item) == 0;
    Py_XDECREF(item);
    return fine;
}

bool binding_path(PyObject *object, const char **path) {
    char *text = NULL;
    *path = NULL;
    if (object == Py_None) return true;
    if (PyBytes_AsStringAndSize(object, &text, NULL) < 0) return false; /* refuses zeros inside, too */
    *path = text;
    return true;
}

void binding_append(PyObject **list, PyObject *item) {
    if (*list && (!item || PyList_Append(*list, item) < 0)) Py_CLEAR(*list);
    Py_XDECREF(item);
}

bool binding_numbers(PyObject *bytes, const char *what, int count, bool optional, double *out) {
    char *data;
    Py_ssize_t length;
    if (optional && bytes == Py_None) return true;
    if (PyBytes_AsStringAndSize(bytes, &data, &length) < 0) return false;
    if (length != (Py_ssize_t)((size_t)count * sizeof(double))) {
        PyErr_Format(PyExc_ValueError, "%s has %d numbers, not %zd", what, count, length / (Py_ssize_t)sizeof(double));
        return false;
    }
    if (count) memcpy(out, data, (size_t)length);
    for (int i = 0; i < count; i++)
        if (!isfinite(out[i])) {
            PyErr_Format(PyExc_ValueError, "%s[%d] is not finite; write a number", what, i);
            return false;
        }
    return true;
}

PyObject *binding_bytes(const double *x, size_t count) {
    return PyByteArray_FromStringAndSize((const char *)x, (Py_ssize_t)(count * sizeof *x));
}

static bool set_item(PyObject *object, const char *name, PyObject *item) {
    bool fine = item && PyObject_SetAttrString(object, name, item) == 0;
    Py_XDECREF(item);
    return fine;
}

PyObject *binding_raise(const jn_error *error) {
    char buffer[2048];
    jn_error_format(error, buffer, sizeof buffer);
    PyObject *text = binding_text(buffer);
    PyObject *raised = text ? PyObject_CallFunctionObjArgs(binding_error, text, NULL) : NULL;
    Py_XDECREF(text);
    if (raised && set_item(raised, "file", binding_text(error->file)) &&
        set_item(raised, "line", PyLong_FromLong(error->line)) &&
        set_item(raised, "column", PyLong_FromLong(error->column)) &&
        set_item(raised, "path", binding_text(error->path)) && set_item(raised, "text", binding_text(error->text)) &&
        set_item(raised, "hint", binding_text(error->hint)) &&
        set_item(raised, "status", PyLong_FromLong(error->status)))
        PyErr_SetObject(binding_error, raised);
    Py_XDECREF(raised);
    return NULL;
}

PyObject *binding_raise_report(const jn_report *report, int status) {
    for (int i = 0; i < report->count; i++)
        if (report->item[i].severity == JN_SEVERITY_ERROR) return binding_raise(&report->item[i]);
    jn_error error = {.severity = JN_SEVERITY_ERROR, .status = status};
    strncpy(error.text, jn_status_text(status), sizeof error.text - 1);
    return binding_raise(&error);
}

PyObject *binding_raise_status(int status) {
    const jn_report none = {0};
    return binding_raise_report(&none, status);
}

PyObject *binding_schema(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    char *text = jn_description_schema();
    if (!text) return PyErr_NoMemory();
    PyObject *schema = binding_text(text);
    free(text);
    return schema;
}

static PyObject *version(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyUnicode_FromString(jn_version());
}

#define ROW(name, how, help) {#name, binding_##name, how, help},
static PyMethodDef functions[] = {{"version", version, METH_NOARGS, "version() -> str: of the library"},
                                  BINDING_FUNCTIONS(ROW){NULL, NULL, 0, NULL}};
#undef ROW

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "jounce._jounce",
                                        "The C side of the package jounce; use the package.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__jounce(void);
PyMODINIT_FUNC PyInit__jounce(void) {
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    binding_error = PyErr_NewExceptionWithDoc("jounce.Error",
                                              "What went wrong, where it is written and what to write instead.\n\n"
                                              "Attributes: file, line, column (\"\" and 0: nowhere in a file), path "
                                              "(place in the model), text, hint, status.",
                                              NULL, NULL);
    if (!binding_error || PyModule_AddObjectRef(module, "Error", binding_error) < 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}

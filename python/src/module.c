/* The extension module jounce._jounce: table of its functions, exceptions and what all files use. */
#include "binding.h"
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

static PyObject *version(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyUnicode_FromString(jn_version());
}

static PyMethodDef functions[] = {
    {"version", version, METH_NOARGS, "version() -> str: of the library."},
    {"load", binding_load, METH_VARARGS, "load(path, text, settings) -> (model, messages)."},
    {"model_info", binding_model_info, METH_O, "model_info(model) -> dict."},
    {"run", binding_run, METH_VARARGS, "run(model, until, folder, progress) -> result."},
    {"result_info", binding_result_info, METH_O, "result_info(result) -> dict."},
    {"result_check", binding_result_check, METH_O, "result_check(result): raises what broke the run off."},
    {"sim_create", binding_sim_create, METH_O, "sim_create(model) -> sim."},
    {"sim_close", binding_sim_close, METH_O, "sim_close(sim): later calls are refused."},
    {"sim_memory", binding_sim_memory, METH_O, "sim_memory(sim) -> (address of q, nq, address of u, nv)."},
    {"sim_time", binding_sim_time, METH_O, "sim_time(sim) -> float."},
    {"sim_stopped", binding_sim_stopped, METH_O, "sim_stopped(sim) -> bool."},
    {"sim_step", binding_sim_step, METH_VARARGS, "sim_step(sim, steps)."},
    {"sim_advance", binding_sim_advance, METH_VARARGS, "sim_advance(sim, t)."},
    {"sim_restart", binding_sim_restart, METH_O, "sim_restart(sim)."},
    {"sim_audit", binding_sim_audit, METH_O, "sim_audit(sim) -> dict."},
    {"sim_hash", binding_sim_hash, METH_O, "sim_hash(sim) -> int."},
    {"sim_contacts", binding_sim_contacts, METH_O, "sim_contacts(sim) -> list of tuples."},
    {"sim_push", binding_sim_push, METH_VARARGS, "sim_push(sim, body, point, force, torque)."},
    {"sim_save", binding_sim_save, METH_VARARGS, "sim_save(sim, path)."},
    {"sim_load", binding_sim_load, METH_VARARGS, "sim_load(sim, path)."},
    {"channels_create", binding_channels_create, METH_VARARGS, "channels_create(model, patterns) -> (channels, list)."},
    {"channels_read", binding_channels_read, METH_VARARGS, "channels_read(channels, sim) -> list of float."},
    {NULL, NULL, 0, NULL}};

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

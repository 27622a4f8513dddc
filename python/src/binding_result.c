/* Whole runs and their results. */
#include "binding.h"
#include <math.h>
#include <stdlib.h>

typedef struct binding_result {
    jn_result *result;
    PyObject *model;
} binding_result;

static void free_result(PyObject *capsule) {
    binding_result *r = PyCapsule_GetPointer(capsule, RESULT_NAME);
    if (!r) return;
    jn_result_free(r->result);
    Py_XDECREF(r->model);
    free(r);
}

static void free_run_model(PyObject *capsule) {
    jn_model *model = PyCapsule_GetPointer(capsule, MODEL_NAME ".run");
    if (model) jn_model_free(model);
}

/* What a run asks about: signals, and the user's function. */
typedef struct run_watch {
    PyObject *progress;             /* NULL: none */
    PyObject *type, *value, *trace; /* exception that stopped the run */
    double last;                    /* [s] wall time of the last look */
} run_watch;

static bool look(void *context, double time, double fraction) {
    run_watch *watch = context;
    double now = binding_clock();
    if (now - watch->last < BINDING_LOOK) return true;
    watch->last = now;
    PyGILState_STATE lock = PyGILState_Ensure();
    bool go_on = PyErr_CheckSignals() == 0;
    if (go_on && watch->progress) {
        PyObject *answer = PyObject_CallFunction(watch->progress, "dd", time, fraction);
        go_on = answer && answer != Py_False;
        Py_XDECREF(answer);
    }
    if (PyErr_Occurred()) PyErr_Fetch(&watch->type, &watch->value, &watch->trace);
    PyGILState_Release(lock);
    return go_on;
}

/* The model of a run until another time: the description compiled again. A new capsule, or NULL with an exception. */
static PyObject *model_until(binding_model *m, double until) {
    jn_report *report = calloc(1, sizeof *report);
    if (!report) return PyErr_NoMemory();
    double kept = m->description->run.until;
    m->description->run.until = until;
    jn_model *model = jn_model_compile(m->description, report);
    m->description->run.until = kept;
    PyObject *capsule = model ? PyCapsule_New(model, MODEL_NAME ".run", free_run_model) : NULL;
    if (!model) binding_raise_report(report, JN_ERR_MODEL);
    if (model && !capsule) jn_model_free(model);
    free(report);
    return capsule;
}

/* Runs with the GIL released. O(the run). */
static PyObject *run_model(const jn_model *model, PyObject *owner, const char *folder, PyObject *progress) {
    run_watch watch = {.progress = progress == Py_None ? NULL : progress, .last = binding_clock()};
    jn_report *report = calloc(1, sizeof *report);
    binding_result *r = report ? calloc(1, sizeof *r) : NULL;
    if (!r) return free(report), PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS r->result = jn_run(model, folder, look, &watch, report);
    Py_END_ALLOW_THREADS PyObject *capsule = NULL;
    if (watch.type)
        PyErr_Restore(watch.type, watch.value, watch.trace);
    else if (!r->result)
        binding_raise_report(report, JN_ERR_MEMORY);
    else
        capsule = PyCapsule_New(r, RESULT_NAME, free_result);
    free(report);
    if (!capsule) {
        if (r->result) jn_result_free(r->result);
        return free(r), NULL;
    }
    Py_INCREF(owner);
    r->model = owner;
    return capsule;
}

PyObject *binding_run(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *owner, *folder_object, *progress, *until_object;
    const char *folder;
    if (!PyArg_ParseTuple(args, "OOOO", &owner, &until_object, &folder_object, &progress)) return NULL;
    binding_model *m = binding_model_get(owner);
    if (!m || !binding_path(folder_object, &folder)) return NULL;
    if (progress != Py_None && !PyCallable_Check(progress)) {
        PyErr_SetString(PyExc_TypeError, "progress is a function of (time, fraction), or None");
        return NULL;
    }
    if (until_object == Py_None) return run_model(m->model, owner, folder, progress);
    double until = PyFloat_AsDouble(until_object);
    if (until == -1 && PyErr_Occurred()) return NULL;
    if (!isfinite(until) || until < 0) {
        PyErr_SetString(PyExc_ValueError, "until is a time in seconds, finite and not negative");
        return NULL;
    }
    PyObject *changed = model_until(m, until);
    if (!changed) return NULL;
    PyObject *result = run_model(PyCapsule_GetPointer(changed, MODEL_NAME ".run"), changed, folder, progress);
    Py_DECREF(changed);
    return result;
}

static binding_result *get(PyObject *capsule) { return PyCapsule_GetPointer(capsule, RESULT_NAME); }

static PyObject *events_of(const jn_result *r) {
    PyObject *list = PyList_New(0);
    for (long i = 0; list && i < r->event_count; i++) {
        const jn_event *e = &r->events[i].event;
        PyObject *item =
            Py_BuildValue("(dNNdddd)", e->time, binding_text(r->events[i].kind), binding_text(r->events[i].where),
                          e->speed_before, e->speed_after, e->impulse_n, e->impulse_t);
        binding_append(&list, item);
    }
    return list;
}

static PyObject *channels_of(const jn_result *r) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < r->channels; i++) {
        PyObject *item = Py_BuildValue("(NN)", binding_text(r->names[i]), binding_text(r->units[i]));
        binding_append(&list, item);
    }
    return list;
}

PyObject *binding_result_info(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_result *b = get(capsule);
    PyObject *d = b ? PyDict_New() : NULL;
    if (!d) return NULL;
    const jn_result *r = b->result;
    if (binding_put(d, "address", PyLong_FromVoidPtr(r->data)) && binding_put(d, "rows", PyLong_FromLong(r->rows)) &&
        binding_put(d, "channels", channels_of(r)) && binding_put(d, "events", events_of(r)) &&
        binding_put(d, "audit", binding_audit(&r->audit)) && binding_put(d, "status", PyLong_FromLong(r->status)) &&
        binding_put(d, "ok", PyBool_FromLong(jn_result_ok(r))) && binding_put(d, "end", PyFloat_FromDouble(r->time)) &&
        binding_put(d, "wall_time", PyFloat_FromDouble(r->wall_time)) &&
        binding_put(d, "state_hash", PyLong_FromUnsignedLongLong(r->state_hash)) &&
        binding_put(d, "note", binding_text(r->note)) && binding_put(d, "summary", binding_text(r->summary)))
        return d;
    Py_DECREF(d);
    return NULL;
}

PyObject *binding_result_check(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_result *b = get(capsule);
    if (!b) return NULL;
    if (b->result->status < 0) return binding_raise(&b->result->error);
    Py_RETURN_NONE;
}

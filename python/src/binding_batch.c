/* Many simulations side by side, stepped with the GIL released. What is written into their matrices is found by jn_batch itself. */
#include "binding.h"
#include <math.h>
#include <stdlib.h>

enum { MOST = 1 << 24, MOST_THREADS = 1024 };

static void free_batch(PyObject *capsule) {
    binding_batch *b = PyCapsule_GetPointer(capsule, BATCH_NAME);
    if (!b) return;
    jn_batch_free(b->batch);
    Py_XDECREF(b->models);
    free(b);
}

/* The batch for a call: open, used by no other thread. NULL with an exception set. */
static binding_batch *get(PyObject *capsule) {
    binding_batch *b = PyCapsule_GetPointer(capsule, BATCH_NAME);
    if (!b) return NULL;
    if (b->closed) return PyErr_SetString(PyExc_ValueError, "the batch is closed"), NULL;
    if (b->busy || b->active)
        return PyErr_SetString(PyExc_RuntimeError, "another thread is using the batch; give each its own"), NULL;
    return b;
}

PyObject *binding_batch_create(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *tuple;
    int count, threads;
    if (!PyArg_ParseTuple(args, "O!ii", &PyTuple_Type, &tuple, &count, &threads)) return NULL;
    Py_ssize_t given = PyTuple_Size(tuple);
    if (given < 1 || (given > 1 && given != count))
        return PyErr_SetString(PyExc_ValueError, "a batch has one model, or one for each simulation"), NULL;
    if (count < 1 || count > MOST || threads < 1 || threads > MOST_THREADS)
        return PyErr_Format(PyExc_ValueError, "a batch has 1 to %d simulations and 1 to %d threads", MOST,
                            MOST_THREADS);
    const jn_model **models = calloc((size_t)count, sizeof *models);
    binding_batch *b = models ? calloc(1, sizeof *b) : NULL;
    jn_report *report = b ? calloc(1, sizeof *report) : NULL;
    PyObject *capsule = NULL;
    bool fine = report != NULL;
    for (int i = 0; fine && i < count; i++) {
        binding_model *m = binding_model_get(PyTuple_GetItem(tuple, given > 1 ? i : 0));
        fine = m != NULL;
        if (m) models[i] = m->model;
    }
    if (fine) {
        Py_BEGIN_ALLOW_THREADS b->batch = jn_batch_create_of(models, count, threads, report);
        Py_END_ALLOW_THREADS if (!b->batch) binding_raise_report(report, JN_ERR_MEMORY);
        else {
            b->nq = jn_model_nq(models[0]), b->nv = jn_model_nv(models[0]);
            capsule = PyCapsule_New(b, BATCH_NAME, free_batch);
        }
    } else if (!PyErr_Occurred())
        PyErr_NoMemory();
    if (capsule)
        b->models = Py_NewRef(tuple);
    else if (b) {
        jn_batch_free(b->batch);
        free(b);
    }
    free(models), free(report);
    return capsule;
}

PyObject *binding_batch_close(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_batch *b = PyCapsule_GetPointer(capsule, BATCH_NAME);
    if (!b) return NULL;
    b->closed = true;
    Py_RETURN_NONE;
}

PyObject *binding_batch_memory(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_batch *b = get(capsule);
    if (!b) return NULL;
    size_t stride;
    double *q = jn_batch_q(b->batch, &stride), *u = jn_batch_u(b->batch, &stride);
    if (!q || !u) return PyErr_NoMemory();
    return Py_BuildValue("(NNn)", PyLong_FromVoidPtr(q), PyLong_FromVoidPtr(u), (Py_ssize_t)(stride * sizeof(double)));
}

PyObject *binding_batch_tau(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_batch *b = get(capsule);
    double *tau = b ? jn_batch_tau(b->batch) : NULL;
    return tau ? PyLong_FromVoidPtr(tau) : b ? PyErr_NoMemory() : NULL;
}

PyObject *binding_batch_time(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_batch *b = get(capsule);
    int count = b ? jn_batch_count(b->batch) : 0;
    PyObject *out = b ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)count * sizeof(double))) : NULL;
    if (!out) return NULL;
    double *t = (double *)(void *)PyByteArray_AsString(out);
    for (int i = 0; i < count; i++) t[i] = jn_sim_state(jn_batch_sim(b->batch, i))->t;
    return out;
}

PyObject *binding_batch_status(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_batch *b = get(capsule);
    int count = b ? jn_batch_count(b->batch) : 0;
    PyObject *out = b ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size_t)count * sizeof(int))) : NULL;
    if (!out) return NULL;
    int *status = (int *)(void *)PyByteArray_AsString(out);
    for (int i = 0; i < count; i++) status[i] = jn_batch_status(b->batch, i);
    return out;
}

PyObject *binding_batch_error(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    int i;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &i)) return NULL;
    binding_batch *b = get(capsule);
    if (!b) return NULL;
    if (i < 0 || i >= jn_batch_count(b->batch)) return PyErr_SetString(PyExc_IndexError, "no such simulation"), NULL;
    const jn_error *error = jn_sim_error(jn_batch_sim(b->batch, i));
    if (error->status < 0) return binding_raise(error);
    Py_RETURN_NONE;
}

/* Signals, while the threads wait; an exception stays with the calling thread. */
static bool go_on(void *context) {
    (void)context;
    PyGILState_STATE lock = PyGILState_Ensure();
    bool fine = PyErr_CheckSignals() == 0;
    PyGILState_Release(lock);
    return fine;
}

/* Steps with the GIL released: to the time t, or so many steps. The worst status; NULL with an exception set. */
static PyObject *go(binding_batch *b, double t, long steps) {
    int status;
    b->busy = true;
    jn_batch_on_progress(b->batch, go_on, NULL);
    Py_BEGIN_ALLOW_THREADS status = steps >= 0 ? jn_batch_step(b->batch, steps) : jn_batch_advance(b->batch, t);
    Py_END_ALLOW_THREADS b->busy = false;
    return PyErr_Occurred() ? NULL : PyLong_FromLong(status);
}

PyObject *binding_batch_step(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    long steps;
    if (!PyArg_ParseTuple(args, "Ol", &capsule, &steps)) return NULL;
    binding_batch *b = get(capsule);
    if (!b) return NULL;
    if (steps < 0) return PyErr_SetString(PyExc_ValueError, "a number of steps is not negative"), NULL;
    return go(b, 0, steps);
}

PyObject *binding_batch_advance(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    double t;
    if (!PyArg_ParseTuple(args, "Od", &capsule, &t)) return NULL;
    binding_batch *b = get(capsule);
    if (!b) return NULL;
    if (!isfinite(t)) return PyErr_SetString(PyExc_ValueError, "the time is finite"), NULL;
    return go(b, t, -1);
}

PyObject *binding_batch_reset(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *flags;
    char *data;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "OS", &capsule, &flags) || PyBytes_AsStringAndSize(flags, &data, &length) < 0)
        return NULL;
    binding_batch *b = get(capsule);
    if (!b) return NULL;
    if (length != jn_batch_count(b->batch))
        return PyErr_SetString(PyExc_ValueError, "one flag for each simulation of the batch"), NULL;
    int status = JN_OK;
    for (int i = 0; i < length && status >= 0; i++)
        if (data[i]) status = jn_batch_reset(b->batch, i);
    if (status < 0) return binding_raise_status(status);
    Py_RETURN_NONE;
}

PyObject *binding_batch_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *batch, *channels;
    if (!PyArg_ParseTuple(args, "OO", &batch, &channels)) return NULL;
    const binding_channels *c = PyCapsule_GetPointer(channels, CHANNELS_NAME);
    binding_batch *b = c ? get(batch) : NULL;
    if (!b) return NULL;
    if (PyTuple_GetItem(b->models, 0) != c->model || PyTuple_Size(b->models) > 1)
        return PyErr_SetString(PyExc_ValueError, "channels are read from a batch of their own model alone; ask b[i]"),
               NULL;
    size_t count = (size_t)jn_batch_count(b->batch), columns = (size_t)jn_channels_count(c->channels);
    PyObject *out = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(count * columns * sizeof(double)));
    if (!out) return NULL;
    double *values = (double *)(void *)PyByteArray_AsString(out);
    int status = JN_OK;
    for (size_t i = 0; i < count && status >= 0; i++) {
        jn_sim *sim = jn_batch_sim(b->batch, (int)i);
        jn_batch_sync(b->batch, (int)i);
        status = jn_channels_read(c->channels, sim, values + i * columns);
    }
    if (status >= 0) return out;
    Py_DECREF(out);
    return binding_raise_status(status);
}

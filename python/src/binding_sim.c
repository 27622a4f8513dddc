/* Simulations step by step. q and u are written by Python in place: a copy shows whether they were, and the simulation starts anew then. */
#include "binding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void free_sim(PyObject *capsule) {
    binding_sim *s = PyCapsule_GetPointer(capsule, SIM_NAME);
    if (!s) return;
    binding_control_clear(s);
    if (s->sim && !s->of_batch) jn_sim_free(s->sim);
    Py_XDECREF(s->model);
    Py_XDECREF(s->owner);
    free(s->kept);
    free(s);
}

void binding_sim_keep(binding_sim *s) {
    if (s->of_batch) {
        jn_batch_accept(s->of_batch->batch, s->index);
        return;
    }
    const jn_state *state = jn_sim_state(s->sim);
    if (s->nq) memcpy(s->kept, state->q, (size_t)s->nq * sizeof(double));
    if (s->nv) memcpy(s->kept + s->nq, state->u, (size_t)s->nv * sizeof(double));
}

void binding_sim_hold(binding_sim *s, bool busy) {
    if (s->of_batch && busy != s->busy) s->of_batch->active += busy ? 1 : -1;
    s->busy = busy;
}

static bool finite_all(const char *name, const double *x, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) {
            PyErr_Format(PyExc_ValueError, "%s[%d] is not finite; write a number", name, i);
            return false;
        }
    return true;
}

binding_sim *binding_sim_get(PyObject *capsule) {
    binding_sim *s = PyCapsule_GetPointer(capsule, SIM_NAME);
    if (!s) return NULL;
    if (s->closed || (s->of_batch && s->of_batch->closed))
        return PyErr_SetString(PyExc_ValueError, "the simulation is closed"), NULL;
    if (s->busy || (s->of_batch && s->of_batch->busy))
        return PyErr_SetString(PyExc_RuntimeError, "another thread is using the simulation; give each its own"), NULL;
    return s;
}

static bool is_written(const binding_sim *s, const jn_state *state) {
    return (s->nq && memcmp(s->kept, state->q, (size_t)s->nq * sizeof(double)) != 0) ||
           (s->nv && memcmp(s->kept + s->nq, state->u, (size_t)s->nv * sizeof(double)) != 0);
}

binding_sim *binding_sim_synced(PyObject *capsule) {
    binding_sim *s = binding_sim_get(capsule);
    if (!s) return NULL;
    const jn_state *state = jn_sim_state(s->sim);
    if (s->of_batch) {
        if (jn_batch_sync(s->of_batch->batch, s->index) == JN_ERR_ARGUMENT)
            return PyErr_SetString(PyExc_ValueError, jn_sim_error(s->sim)->text), NULL;
        return s;
    }
    if (!is_written(s, state)) return s;
    if (!finite_all("q", state->q, s->nq) || !finite_all("u", state->u, s->nv)) return NULL;
    jn_sim_restart(s->sim);
    binding_sim_keep(s);
    return binding_sim_raised(s) ? NULL : s;
}

PyObject *binding_sim_create(PyObject *self, PyObject *model) {
    (void)self;
    binding_model *m = binding_model_get(model);
    if (!m) return NULL;
    int nq = jn_model_nq(m->model), nv = jn_model_nv(m->model);
    jn_report *report = calloc(1, sizeof *report);
    binding_sim *s = report ? calloc(1, sizeof *s) : NULL;
    double *kept = s ? calloc((size_t)(nq + nv) + 1, sizeof *kept) : NULL;
    if (!kept) return free(s), free(report), PyErr_NoMemory();
    *s = (binding_sim){.nq = nq, .nv = nv, .kept = kept};
    Py_BEGIN_ALLOW_THREADS s->sim = jn_sim_create(m->model, report);
    Py_END_ALLOW_THREADS PyObject *capsule = s->sim ? PyCapsule_New(s, SIM_NAME, free_sim) : NULL;
    if (!s->sim) binding_raise_report(report, JN_ERR_ASSEMBLY);
    free(report);
    if (!capsule) {
        if (s->sim) jn_sim_free(s->sim);
        return free(kept), free(s), NULL;
    }
    Py_INCREF(model);
    s->model = model;
    binding_sim_keep(s);
    return capsule;
}

PyObject *binding_batch_sim(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *owner;
    int i;
    if (!PyArg_ParseTuple(args, "Oi", &owner, &i)) return NULL;
    binding_batch *b = PyCapsule_GetPointer(owner, BATCH_NAME);
    if (!b) return NULL;
    if (i < 0 || i >= jn_batch_count(b->batch)) return PyErr_SetString(PyExc_IndexError, "no such simulation"), NULL;
    binding_sim *s = calloc(1, sizeof *s);
    if (!s) return PyErr_NoMemory();
    PyObject *model = PyTuple_GetItem(b->models, PyTuple_Size(b->models) > 1 ? i : 0);
    *s = (binding_sim){.sim = jn_batch_sim(b->batch, i), .of_batch = b, .index = i, .nq = b->nq, .nv = b->nv};
    PyObject *capsule = model ? PyCapsule_New(s, SIM_NAME, free_sim) : NULL;
    if (!capsule) return free(s), NULL;
    s->owner = Py_NewRef(owner);
    s->model = Py_NewRef(model);
    return capsule;
}

PyObject *binding_sim_close(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = PyCapsule_GetPointer(capsule, SIM_NAME);
    if (!s) return NULL;
    s->closed = true;
    if (!s->busy && !s->of_batch) {
        jn_sim_on_control(s->sim, NULL, NULL);
        Py_CLEAR(s->control.call);
    }
    Py_RETURN_NONE;
}

PyObject *binding_sim_memory(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_get(capsule);
    if (!s) return NULL;
    jn_state *state = jn_sim_state(s->sim);
    return Py_BuildValue("(NiNi)", PyLong_FromVoidPtr(state->q), s->nq, PyLong_FromVoidPtr(state->u), s->nv);
}

PyObject *binding_sim_time(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_get(capsule);
    return s ? PyFloat_FromDouble(jn_sim_state(s->sim)->t) : NULL;
}

PyObject *binding_sim_stopped(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_get(capsule);
    return s ? PyBool_FromLong(jn_sim_stopped(s->sim)) : NULL;
}

/* Steps, at most so many and not beyond t, with the GIL released; signals are looked at now and then. Without a t (infinite) a single step
 * is at most as long as the model's run. */
static PyObject *go(binding_sim *s, double t, long long steps) {
    const jn_state *state = jn_sim_state(s->sim);
    double until = jn_model_run(jn_sim_model(s->sim))->until, longest = isfinite(until) && until > 0 ? until : 1;
    int status = JN_OK;
    bool interrupted = false;
    binding_sim_hold(s, true);
    Py_BEGIN_ALLOW_THREADS double last = steps > 1 ? binding_clock() : 0;
    for (long long k = 0; k < steps && state->t < t && !interrupted; k++) {
        status = jn_sim_step(s->sim, isfinite(t) ? t : state->t + longest);
        if (status < 0 || status == JN_STOPPED || s->control.type) break;
        if (k + 1 == steps || binding_clock() - last < BINDING_LOOK) continue;
        last = binding_clock();
        Py_BLOCK_THREADS interrupted = PyErr_CheckSignals() != 0;
        Py_UNBLOCK_THREADS
    }
    Py_END_ALLOW_THREADS binding_sim_hold(s, false);
    binding_sim_keep(s);
    if (interrupted || binding_sim_raised(s)) return NULL;
    if (status < 0) return binding_raise(jn_sim_error(s->sim));
    Py_RETURN_NONE;
}

PyObject *binding_sim_step(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    long long steps;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &steps)) return NULL;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    if (steps < 0) return PyErr_SetString(PyExc_ValueError, "a number of steps is not negative"), NULL;
    return go(s, (double)INFINITY, steps);
}

PyObject *binding_sim_advance(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    double t;
    if (!PyArg_ParseTuple(args, "Od", &capsule, &t)) return NULL;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    if (!isfinite(t) || t < jn_sim_state(s->sim)->t)
        return PyErr_SetString(PyExc_ValueError, "the time is finite and not before that of the simulation"), NULL;
    return go(s, t, LLONG_MAX);
}

PyObject *binding_sim_restart(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    jn_sim_restart(s->sim);
    if (binding_sim_raised(s)) return NULL;
    Py_RETURN_NONE;
}

/* ---------------------------------------------------------------------------------------------- files and memory */

/* Saves or loads. */
static PyObject *file_call(PyObject *args, int call(jn_sim *, const char *, jn_report *)) {
    PyObject *capsule, *path_object;
    const char *path;
    if (!PyArg_ParseTuple(args, "OS", &capsule, &path_object) || !binding_path(path_object, &path)) return NULL;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    jn_report *report = calloc(1, sizeof *report);
    if (!report) return PyErr_NoMemory();
    int status = call(s->sim, path, report);
    if (status < 0) binding_raise_report(report, status);
    free(report);
    binding_sim_keep(s);
    if (status < 0 || binding_sim_raised(s)) return NULL;
    Py_RETURN_NONE;
}

PyObject *binding_sim_save(PyObject *self, PyObject *args) { return (void)self, file_call(args, jn_sim_save); }
PyObject *binding_sim_load(PyObject *self, PyObject *args) { return (void)self, file_call(args, jn_sim_load); }

PyObject *binding_sim_state(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    size_t size;
    unsigned char *bytes = jn_sim_to_bytes(s->sim, &size);
    if (binding_sim_raised(s)) return jn_bytes_free(bytes), NULL;
    if (!bytes) return jn_sim_error(s->sim)->status < 0 ? binding_raise(jn_sim_error(s->sim)) : PyErr_NoMemory();
    PyObject *state = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
    jn_bytes_free(bytes);
    return state;
}

PyObject *binding_sim_set_state(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *object;
    char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "OS", &capsule, &object) || PyBytes_AsStringAndSize(object, &bytes, &size) < 0)
        return NULL;
    binding_sim *s = binding_sim_get(capsule);
    if (!s) return NULL;
    jn_report *report = calloc(1, sizeof *report);
    if (!report) return PyErr_NoMemory();
    int status = jn_sim_from_bytes(s->sim, (const unsigned char *)bytes, (size_t)size, report);
    if (status < 0) binding_raise_report(report, status);
    free(report);
    binding_sim_keep(s);
    if (status < 0 || binding_sim_raised(s)) return NULL;
    Py_RETURN_NONE;
}

/* Simulations step by step. q and u are written by Python in place: a copy tells whether they were, and the simulation starts anew then. */
#include "binding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct binding_sim {
    jn_sim *sim;
    PyObject *model;
    int nq, nv;
    double *kept; /* (nq + nv) q and u as the last call left them */
    bool busy;    /* a thread computes, without the GIL */
    bool closed;  /* its memory lives on until the last array on it is gone */
} binding_sim;

static void free_sim(PyObject *capsule) {
    binding_sim *s = PyCapsule_GetPointer(capsule, SIM_NAME);
    if (!s) return;
    if (s->sim) jn_sim_free(s->sim);
    Py_XDECREF(s->model);
    free(s->kept);
    free(s);
}

/* Keeps q and u for comparison. O(n). */
static void keep(binding_sim *s) {
    const jn_state *state = jn_sim_state(s->sim);
    if (s->nq) memcpy(s->kept, state->q, (size_t)s->nq * sizeof(double));
    if (s->nv) memcpy(s->kept + s->nq, state->u, (size_t)s->nv * sizeof(double));
}

static bool finite_all(const char *name, const double *x, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) {
            PyErr_Format(PyExc_ValueError, "%s[%d] is not finite; write a number", name, i);
            return false;
        }
    return true;
}

/* The simulation for a call: open, used by no other thread. NULL with an exception set. */
static binding_sim *get(PyObject *capsule) {
    binding_sim *s = PyCapsule_GetPointer(capsule, SIM_NAME);
    if (!s) return NULL;
    if (s->closed) return PyErr_SetString(PyExc_ValueError, "the simulation is closed"), NULL;
    if (s->busy)
        return PyErr_SetString(PyExc_RuntimeError, "another thread is using the simulation; give each its own"), NULL;
    return s;
}

/* The same, started anew if q or u were written. O(n). */
static binding_sim *get_synced(PyObject *capsule) {
    binding_sim *s = get(capsule);
    if (!s) return NULL;
    const jn_state *state = jn_sim_state(s->sim);
    if ((!s->nq || memcmp(s->kept, state->q, (size_t)s->nq * sizeof(double)) == 0) &&
        (!s->nv || memcmp(s->kept + s->nq, state->u, (size_t)s->nv * sizeof(double)) == 0))
        return s;
    if (!finite_all("q", state->q, s->nq) || !finite_all("u", state->u, s->nv)) return NULL;
    jn_sim_restart(s->sim);
    keep(s);
    return s;
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
    keep(s);
    return capsule;
}

PyObject *binding_sim_close(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = PyCapsule_GetPointer(capsule, SIM_NAME);
    if (!s) return NULL;
    s->closed = true;
    Py_RETURN_NONE;
}

PyObject *binding_sim_memory(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = get(capsule);
    if (!s) return NULL;
    jn_state *state = jn_sim_state(s->sim);
    return Py_BuildValue("(NiNi)", PyLong_FromVoidPtr(state->q), s->nq, PyLong_FromVoidPtr(state->u), s->nv);
}

PyObject *binding_sim_time(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = get(capsule);
    return s ? PyFloat_FromDouble(jn_sim_state(s->sim)->t) : NULL;
}

PyObject *binding_sim_stopped(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = get(capsule);
    return s ? PyBool_FromLong(jn_sim_stopped(s->sim)) : NULL;
}

/* Steps, at most so many and not beyond t, with the GIL released; signals are looked at now and then. Without a t (infinite) a single step
 * is at most as long as the model's run. */
static PyObject *go(binding_sim *s, double t, long long steps) {
    const jn_state *state = jn_sim_state(s->sim);
    double until = jn_model_run(jn_sim_model(s->sim))->until, longest = isfinite(until) && until > 0 ? until : 1;
    int status = JN_OK;
    bool interrupted = false;
    s->busy = true;
    Py_BEGIN_ALLOW_THREADS double last = steps > 1 ? binding_clock() : 0;
    for (long long k = 0; k < steps && state->t < t && !interrupted; k++) {
        status = jn_sim_step(s->sim, isfinite(t) ? t : state->t + longest);
        if (status < 0 || status == JN_STOPPED) break;
        if (k + 1 == steps || binding_clock() - last < BINDING_LOOK) continue;
        last = binding_clock();
        Py_BLOCK_THREADS interrupted = PyErr_CheckSignals() != 0;
        Py_UNBLOCK_THREADS
    }
    Py_END_ALLOW_THREADS s->busy = false;
    keep(s);
    if (interrupted) return NULL;
    if (status < 0) return binding_raise(jn_sim_error(s->sim));
    Py_RETURN_NONE;
}

PyObject *binding_sim_step(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    long long steps;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &steps)) return NULL;
    binding_sim *s = get_synced(capsule);
    if (!s) return NULL;
    if (steps < 0) return PyErr_SetString(PyExc_ValueError, "a number of steps is not negative"), NULL;
    return go(s, (double)INFINITY, steps);
}

PyObject *binding_sim_advance(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule;
    double t;
    if (!PyArg_ParseTuple(args, "Od", &capsule, &t)) return NULL;
    binding_sim *s = get_synced(capsule);
    if (!s) return NULL;
    if (!isfinite(t) || t < jn_sim_state(s->sim)->t)
        return PyErr_SetString(PyExc_ValueError, "the time is finite and not before that of the simulation"), NULL;
    return go(s, t, LLONG_MAX);
}

PyObject *binding_sim_restart(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = get_synced(capsule);
    if (!s) return NULL;
    jn_sim_restart(s->sim);
    Py_RETURN_NONE;
}

PyObject *binding_sim_audit(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = get_synced(capsule);
    return s ? binding_audit(jn_sim_audit(s->sim)) : NULL;
}

PyObject *binding_sim_hash(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = get_synced(capsule);
    return s ? PyLong_FromUnsignedLongLong(jn_state_hash(jn_sim_state(s->sim))) : NULL;
}

static PyObject *vector(jn_vec3 v) { return Py_BuildValue("(ddd)", v.x, v.y, v.z); }

static const char *mode_name(jn_contact_mode mode) {
    static const char *const name[] = {"new", "impacting", "rebounding", "sticking", "slipping", "separating"};
    return mode >= JN_CONTACT_NEW && mode <= JN_CONTACT_SEPARATING ? name[mode] : "";
}

PyObject *binding_sim_contacts(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = get_synced(capsule);
    if (!s) return NULL;
    int room = jn_sim_contacts(s->sim, NULL, 0);
    jn_contact_view *view = room >= 0 ? calloc((size_t)room + 1, sizeof *view) : NULL;
    if (!view) return PyErr_NoMemory();
    int count = jn_sim_contacts(s->sim, view, room);
    const jn_model *m = jn_sim_model(s->sim);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count && i < room; i++) {
        const jn_contact_view *c = &view[i];
        PyObject *item =
            Py_BuildValue("(N(NN)NNdNNNs)", binding_text(c->name), binding_text(jn_model_body_name(m, c->body[0])),
                          binding_text(jn_model_body_name(m, c->body[1])), vector(c->point), vector(c->normal), c->gap,
                          vector(c->force), vector(c->impulse), vector(c->slip), mode_name(c->mode));
        if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    free(view);
    return list;
}

/* A body by name or number; -1 with an exception set. */
static int body_of(const jn_model *m, PyObject *object) {
    if (PyUnicode_Check(object)) {
        const char *name = PyUnicode_AsUTF8AndSize(object, NULL);
        int body = name ? jn_model_find_body(m, name) : -1;
        if (name && body < 0) PyErr_Format(PyExc_KeyError, "no body %R", object);
        return body;
    }
    long body = PyLong_AsLong(object);
    if (body == -1 && PyErr_Occurred()) return -1;
    if (body >= 0 && body < jn_model_bodies(m)) return (int)body;
    PyErr_Format(PyExc_IndexError, "no body %ld: there are %d", body, jn_model_bodies(m));
    return -1;
}

PyObject *binding_sim_push(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *name;
    jn_vec3 p, f, n;
    if (!PyArg_ParseTuple(args, "OO(ddd)(ddd)(ddd)", &capsule, &name, &p.x, &p.y, &p.z, &f.x, &f.y, &f.z, &n.x, &n.y,
                          &n.z))
        return NULL;
    binding_sim *s = get_synced(capsule);
    int body = s ? body_of(jn_sim_model(s->sim), name) : -1;
    if (body < 0) return NULL;
    if (jn_sim_push(s->sim, body, p, f, n) < 0)
        return PyErr_SetString(PyExc_ValueError, "forces, torques and points are finite, and the ground is not pushed"),
               NULL;
    Py_RETURN_NONE;
}

/* Saves or loads. */
static PyObject *file_call(PyObject *args, int call(jn_sim *, const char *, jn_report *)) {
    PyObject *capsule, *path_object;
    const char *path;
    if (!PyArg_ParseTuple(args, "OS", &capsule, &path_object) || !binding_path(path_object, &path)) return NULL;
    binding_sim *s = get_synced(capsule);
    if (!s) return NULL;
    jn_report *report = calloc(1, sizeof *report);
    if (!report) return PyErr_NoMemory();
    int status = call(s->sim, path, report);
    if (status < 0) binding_raise_report(report, status);
    free(report);
    keep(s);
    if (status < 0) return NULL;
    Py_RETURN_NONE;
}

PyObject *binding_sim_save(PyObject *self, PyObject *args) { return (void)self, file_call(args, jn_sim_save); }
PyObject *binding_sim_load(PyObject *self, PyObject *args) { return (void)self, file_call(args, jn_sim_load); }

PyObject *binding_channels_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *channel_capsule, *sim_capsule;
    if (!PyArg_ParseTuple(args, "OO", &channel_capsule, &sim_capsule)) return NULL;
    const binding_channels *c = PyCapsule_GetPointer(channel_capsule, CHANNELS_NAME);
    binding_sim *s = c ? get_synced(sim_capsule) : NULL;
    if (!s) return NULL;
    if (c->model != s->model)
        return PyErr_SetString(PyExc_ValueError, "channels of one model, simulation of another"), NULL;
    int count = jn_channels_count(c->channels);
    double *values = calloc((size_t)count + 1, sizeof *values);
    if (!values) return PyErr_NoMemory();
    int status = jn_channels_read(c->channels, s->sim, values);
    PyObject *list = status < 0 ? NULL : PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *item = PyFloat_FromDouble(values[i]);
        if (!item || PyList_Append(list, item) < 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    free(values);
    if (status < 0) PyErr_SetString(binding_error, jn_status_text(status));
    return list;
}

/* What a simulation shows: audit, contacts, channels, linear models, modes; what is put on it: pushes, controllers. */
#include "binding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

PyObject *binding_sim_audit(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    const jn_audit *audit = jn_sim_audit(s->sim);
    return binding_sim_raised(s) ? NULL : binding_audit(audit);
}

PyObject *binding_sim_hash(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_synced(capsule);
    return s ? PyLong_FromUnsignedLongLong(jn_state_hash(jn_sim_state(s->sim))) : NULL;
}

static PyObject *vector(jn_vec3 v) { return Py_BuildValue("(ddd)", v.x, v.y, v.z); }

static const char *mode_name(jn_contact_mode mode) {
    static const char *const name[] = {"new", "impacting", "rebounding", "sticking", "slipping", "separating"};
    return mode >= JN_CONTACT_NEW && mode <= JN_CONTACT_SEPARATING ? name[mode] : "";
}

PyObject *binding_sim_contacts(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    int room = jn_sim_contacts(s->sim, NULL, 0);
    jn_contact_view *view = room >= 0 ? calloc((size_t)room + 1, sizeof *view) : NULL;
    if (!view) return PyErr_NoMemory();
    int count = jn_sim_contacts(s->sim, view, room);
    const jn_model *m = jn_sim_model(s->sim);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count && i < room; i++) {
        const jn_contact_view *c = &view[i];
        binding_append(&list, Py_BuildValue("(N(NN)NNdNNNs)", binding_text(c->name),
                                            binding_text(jn_model_body_name(m, c->body[0])),
                                            binding_text(jn_model_body_name(m, c->body[1])), vector(c->point),
                                            vector(c->normal), c->gap, vector(c->force), vector(c->impulse),
                                            vector(c->slip), mode_name(c->mode)));
    }
    free(view);
    return list;
}

PyObject *binding_sim_push(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *name;
    jn_vec3 p, f, n;
    if (!PyArg_ParseTuple(args, "OO(ddd)(ddd)(ddd)", &capsule, &name, &p.x, &p.y, &p.z, &f.x, &f.y, &f.z, &n.x, &n.y,
                          &n.z))
        return NULL;
    binding_sim *s = binding_sim_synced(capsule);
    int body = s ? binding_body(jn_sim_model(s->sim), name) : -1;
    if (body < 0) return NULL;
    if (jn_sim_push(s->sim, body, p, f, n) < 0)
        return PyErr_SetString(PyExc_ValueError, "forces, torques and points are finite, and the ground is not pushed"),
               NULL;
    Py_RETURN_NONE;
}

/* ------------------------------------------------------------------------------------------------------ controllers */

void binding_control_clear(binding_sim *s) {
    binding_control *c = &s->control;
    Py_CLEAR(c->call);
    Py_CLEAR(c->type);
    Py_CLEAR(c->value);
    Py_CLEAR(c->trace);
    free(c->q);
    c->q = c->u = c->tau = NULL;
}

bool binding_sim_raised(binding_sim *s) {
    binding_control *c = &s->control;
    if (!c->type) return false;
    PyErr_Restore(c->type, c->value, c->trace);
    c->type = c->value = c->trace = NULL;
    return true;
}

/* Calls Python, which sees copies; its forces count if all are finite. After an exception it is not called again, and the simulation stops
 * behind the step. */
static void control(void *context, const jn_model *m, const jn_state *state, double *tau) {
    binding_sim *s = context;
    binding_control *c = &s->control;
    (void)m;
    if (c->type) return;
    PyGILState_STATE lock = PyGILState_Ensure();
    bool busy = s->busy;
    s->busy = true; /* it may not step what calls it */
    memcpy(c->q, state->q, (size_t)s->nq * sizeof(double));
    memcpy(c->u, state->u, (size_t)s->nv * sizeof(double));
    memset(c->tau, 0, (size_t)s->nv * sizeof(double));
    PyObject *call = PyWeakref_GetObject(c->call);
    Py_XINCREF(call);
    PyObject *answer = call && call != Py_None ? PyObject_CallFunction(call, "d", state->t) : NULL;
    Py_XDECREF(answer);
    Py_XDECREF(call);
    for (int k = 0; k < s->nv && !PyErr_Occurred(); k++)
        if (!isfinite(c->tau[k])) PyErr_Format(PyExc_ValueError, "the controller's force %d is not finite", k);
    if (PyErr_Occurred())
        PyErr_Fetch(&c->type, &c->value, &c->trace);
    else
        for (int k = 0; k < s->nv; k++) tau[k] += c->tau[k];
    s->busy = busy;
    PyGILState_Release(lock);
}

PyObject *binding_sim_control(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *call;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &call)) return NULL;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    if (s->of_batch)
        return PyErr_SetString(PyExc_ValueError,
                               "a simulation of a batch is controlled by the batch: b.tau or b.control"),
               NULL;
    if (call != Py_None && !PyCallable_Check(call))
        return PyErr_SetString(PyExc_TypeError, "a controller is a function, or None"), NULL;
    jn_sim_on_control(s->sim, NULL, NULL);
    if (call == Py_None) {
        Py_CLEAR(s->control.call);
        Py_RETURN_NONE;
    }
    if (!s->control.q) { /* kept as long as the simulation: arrays of Python lie on it */
        double *block = calloc((size_t)(s->nq + 2 * s->nv) + 1, sizeof *block);
        if (!block) return PyErr_NoMemory();
        s->control.q = block, s->control.u = block + s->nq, s->control.tau = block + s->nq + s->nv;
    }
    PyObject *weak = PyWeakref_NewRef(call, NULL),
             *old = s->control.call; /* or a controller would keep its simulation alive */
    if (!weak) return NULL;
    s->control.call = weak;
    Py_XDECREF(old);
    jn_sim_on_control(s->sim, control, s);
    return Py_BuildValue("(NNN)", PyLong_FromVoidPtr(s->control.q), PyLong_FromVoidPtr(s->control.u),
                         PyLong_FromVoidPtr(s->control.tau));
}

/* ---------------------------------------------------------------------------------------------------------- channels */

PyObject *binding_channels_read(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *channel_capsule, *sim_capsule;
    if (!PyArg_ParseTuple(args, "OO", &channel_capsule, &sim_capsule)) return NULL;
    const binding_channels *c = PyCapsule_GetPointer(channel_capsule, CHANNELS_NAME);
    binding_sim *s = c ? binding_sim_synced(sim_capsule) : NULL;
    if (!s) return NULL;
    if (c->model != s->model)
        return PyErr_SetString(PyExc_ValueError, "channels of one model, simulation of another"), NULL;
    int count = jn_channels_count(c->channels);
    double *values = calloc((size_t)count + 1, sizeof *values);
    if (!values) return PyErr_NoMemory();
    int status = jn_channels_read(c->channels, s->sim, values);
    PyObject *list = status < 0 || binding_sim_raised(s) ? NULL : PyList_New(0);
    for (int i = 0; list && i < count; i++) binding_append(&list, PyFloat_FromDouble(values[i]));
    free(values);
    if (status < 0 && !PyErr_Occurred()) binding_raise_status(status);
    return list;
}

/* ------------------------------------------------------------------------------------------------------ linear models */

PyObject *binding_linear(const jn_linear *l) {
    size_t nv = (size_t)l->nv, dof = (size_t)l->dof;
    PyObject *d = PyDict_New(), *independent = PyList_New(0);
    for (int i = 0; independent && i < l->dof; i++) binding_append(&independent, PyLong_FromLong(l->independent[i]));
    if (!d || !independent || !binding_put(d, "independent", Py_NewRef(independent)) ||
        !binding_put(d, "A", binding_bytes(l->A, 4 * dof * dof)) ||
        !binding_put(d, "B", binding_bytes(l->B, 2 * dof * nv)) ||
        !binding_put(d, "Z", binding_bytes(l->Z, nv * dof)) || !binding_put(d, "D", binding_bytes(l->D, nv * dof)) ||
        !binding_put(d, "a", binding_bytes(l->a, nv)))
        Py_CLEAR(d);
    Py_XDECREF(independent);
    return d;
}

/* Forces that come with a call, or NULL for none; *fine says whether all is well. Free them. */
static double *forces_of(PyObject *bytes, int nv, bool *fine) {
    double *tau = calloc((size_t)nv + 1, sizeof *tau);
    *fine = tau && binding_numbers(bytes, "tau", nv, true, tau);
    if (!tau) PyErr_NoMemory();
    return tau;
}

PyObject *binding_sim_linearise(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *bytes, *d = NULL;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &bytes)) return NULL;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    bool fine;
    double *tau = forces_of(bytes, s->nv, &fine);
    if (fine) {
        jn_linear linear = {0};
        int status = jn_study_linearise_sim(s->sim, tau, &linear);
        if (status < 0) binding_raise_status(status);
        if (status >= 0 && !binding_sim_raised(s)) d = binding_linear(&linear);
        if (status >= 0) jn_linear_free(&linear);
    }
    free(tau);
    return d;
}

PyObject *binding_sim_accelerations(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *bytes, *out = NULL;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &bytes)) return NULL;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    bool fine;
    double *tau = forces_of(bytes, s->nv, &fine), *a = calloc((size_t)s->nv + 1, sizeof *a);
    if (fine && a) {
        int status = jn_sim_accelerate(s->sim, jn_sim_state(s->sim), tau, a, NULL);
        if (status < 0) binding_raise_status(status);
        if (status >= 0 && !binding_sim_raised(s)) out = binding_bytes(a, (size_t)s->nv);
    }
    free(tau), free(a);
    return out ? out : PyErr_Occurred() ? NULL : PyErr_NoMemory();
}

PyObject *binding_sim_equilibrium(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    jn_report *report = calloc(1, sizeof *report);
    if (!report) return PyErr_NoMemory();
    int status = jn_study_equilibrium(s->sim, report);
    binding_sim_keep(s);
    PyObject *list = NULL;
    if (status < 0 || status == JN_NOT_CONVERGED)
        binding_raise_report(report, status);
    else if (!binding_sim_raised(s)) {
        list = PyList_New(0);
        for (int i = 0; i < report->count; i++) binding_append(&list, binding_text(report->item[i].text));
    }
    free(report);
    return list;
}

PyObject *binding_sim_modes(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_sim *s = binding_sim_synced(capsule);
    if (!s) return NULL;
    jn_report *report = calloc(1, sizeof *report);
    if (!report) return PyErr_NoMemory();
    jn_modes modes = {0};
    int status = jn_study_modes(s->sim, &modes, report);
    PyObject *list = NULL;
    if (status < 0)
        binding_raise_report(report, status);
    else if (!binding_sim_raised(s)) {
        list = PyList_New(0);
        for (int i = 0; i < modes.count; i++) {
            const jn_mode *k = &modes.mode[i];
            binding_append(&list, Py_BuildValue("(ddddN)", k->frequency, k->damping, k->re, k->im,
                                                binding_bytes(k->shape, (size_t)modes.nv)));
        }
    }
    if (status >= 0) jn_modes_free(&modes);
    free(report);
    return list;
}

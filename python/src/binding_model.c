/* Models: read, compiled, asked for their names; channels by pattern. */
#include "binding.h"
#include <stdlib.h>

static void free_model(PyObject *capsule) {
    binding_model *m = PyCapsule_GetPointer(capsule, MODEL_NAME);
    if (!m) return;
    if (m->work) jn_work_free(m->work);
    if (m->state) jn_state_free(m->state);
    jn_model_free(m->model);
    jn_description_free(m->description);
    free(m);
}

binding_model *binding_model_get(PyObject *capsule) { return PyCapsule_GetPointer(capsule, MODEL_NAME); }

PyObject *binding_messages(const jn_report *report) {
    static const char *const word[] = {"note", "warning", "error"};
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < report->count; i++) {
        const jn_error *e = &report->item[i];
        PyObject *item = Py_BuildValue("(sNiiNNN)", word[e->severity], binding_text(e->file), e->line, e->column,
                                       binding_text(e->path), binding_text(e->text), binding_text(e->hint));
        binding_append(&list, item);
    }
    return list;
}

jn_setting *binding_settings(PyObject *tuple, int *count) {
    Py_ssize_t n = PyTuple_Size(tuple);
    if (n < 0) return NULL;
    jn_setting *settings = n < 100000 ? calloc((size_t)n + 1, sizeof *settings) : NULL;
    if (!settings) return PyErr_NoMemory(), NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *pair = PyTuple_GetItem(tuple, i);
        if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
            PyErr_SetString(PyExc_TypeError, "settings are pairs of bytes");
            return free(settings), NULL;
        }
        char *name, *value;
        if (PyBytes_AsStringAndSize(PyTuple_GetItem(pair, 0), &name, NULL) < 0 ||
            PyBytes_AsStringAndSize(PyTuple_GetItem(pair, 1), &value, NULL) < 0)
            return free(settings), NULL;
        settings[i] = (jn_setting){name, value};
    }
    *count = (int)n;
    return settings;
}

PyObject *binding_load(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *path_object, *text_object, *tuple;
    const char *path;
    char *text = NULL;
    Py_ssize_t length = 0;
    int count = 0;
    if (!PyArg_ParseTuple(args, "SOO!", &path_object, &text_object, &PyTuple_Type, &tuple)) return NULL;
    if (!binding_path(path_object, &path)) return NULL;
    if (text_object != Py_None && PyBytes_AsStringAndSize(text_object, &text, &length) < 0) return NULL;
    jn_setting *settings = binding_settings(tuple, &count);
    jn_report *report = settings ? calloc(1, sizeof *report) : NULL;
    binding_model *m = report ? calloc(1, sizeof *m) : NULL;
    if (!m) {
        free(report), free(settings);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS m->description =
        text ? jn_description_parse(text, (size_t)length, path, settings, count, report)
             : jn_description_read(path, settings, count, report);
    m->model = m->description ? jn_model_compile(m->description, report) : NULL;
    Py_END_ALLOW_THREADS free(settings);
    PyObject *capsule = m->model ? PyCapsule_New(m, MODEL_NAME, free_model) : NULL;
    PyObject *messages = capsule ? binding_messages(report) : NULL;
    if (!m->model) binding_raise_report(report, JN_ERR_MODEL);
    if (!capsule) {
        jn_model_free(m->model);
        jn_description_free(m->description);
        free(m);
    }
    free(report);
    if (!messages) {
        Py_XDECREF(capsule);
        return NULL;
    }
    return Py_BuildValue("(NN)", capsule, messages);
}

static PyObject *names_of(const jn_model *model, int count, const char *name(const jn_model *, int)) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < count; i++) {
        PyObject *item = binding_text(name(model, i));
        binding_append(&list, item);
    }
    return list;
}

static PyObject *parameters_of(const jn_description *d) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < d->parameter_count; i++) {
        const jn_parameter_desc *p = &d->parameters[i];
        PyObject *value = p->text ? binding_text(p->text) : PyFloat_FromDouble(p->value);
        binding_append(&list,
                       value ? Py_BuildValue("(NNN)", binding_text(p->name), value, binding_text(p->unit)) : NULL);
    }
    return list;
}

/* (name, type, first coordinate or -1, coordinates, first velocity or -1, velocities) of each joint. */
static PyObject *joints_of(const jn_model *m) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < jn_model_joints(m); i++)
        binding_append(&list,
                       Py_BuildValue("(Nsiiii)", binding_text(jn_model_joint_name(m, i)),
                                     jn_joint_type_info(jn_model_joint_type(m, i))->name, jn_model_joint_q_index(m, i),
                                     jn_model_joint_nq(m, i), jn_model_joint_u_index(m, i), jn_model_joint_nv(m, i)));
    return list;
}

int binding_body(const jn_model *m, PyObject *object) {
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

PyObject *binding_model_info(PyObject *self, PyObject *capsule) {
    (void)self;
    binding_model *b = binding_model_get(capsule);
    PyObject *d = b ? PyDict_New() : NULL;
    if (!d) return NULL;
    const jn_model *m = b->model;
    if (binding_put(d, "title", binding_text(jn_model_title(m))) &&
        binding_put(d, "planar", PyBool_FromLong(jn_model_planar(m))) &&
        binding_put(d, "nq", PyLong_FromLong(jn_model_nq(m))) &&
        binding_put(d, "nv", PyLong_FromLong(jn_model_nv(m))) &&
        binding_put(d, "until", PyFloat_FromDouble(jn_model_run(m)->until)) &&
        binding_put(d, "bodies", names_of(m, jn_model_bodies(m), jn_model_body_name)) &&
        binding_put(d, "rows", PyLong_FromLong(jn_model_rows(m))) &&
        binding_put(d, "step", PyFloat_FromDouble(jn_model_run(m)->step)) &&
        binding_put(d, "points", names_of(m, jn_model_points(m), jn_model_point_name)) &&
        binding_put(d, "parameters", parameters_of(b->description)) && binding_put(d, "joints", joints_of(m)))
        return d;
    Py_DECREF(d);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------- channels */

static void free_channels(PyObject *capsule) {
    binding_channels *c = PyCapsule_GetPointer(capsule, CHANNELS_NAME);
    if (!c) return;
    jn_channels_free(c->channels);
    Py_XDECREF(c->model);
    free(c);
}

static PyObject *channel_list(const jn_channels *channels) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < jn_channels_count(channels); i++) {
        PyObject *item = Py_BuildValue("(NN)", binding_text(jn_channels_name(channels, i)),
                                       binding_text(jn_channels_unit(channels, i)));
        binding_append(&list, item);
    }
    return list;
}

PyObject *binding_channels_create(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *model, *pattern_object;
    const char *pattern;
    if (!PyArg_ParseTuple(args, "OO", &model, &pattern_object) || !binding_path(pattern_object, &pattern)) return NULL;
    binding_model *m = binding_model_get(model);
    if (!m) return NULL;
    jn_report *report = calloc(1, sizeof *report);
    binding_channels *c = report ? calloc(1, sizeof *c) : NULL;
    if (c) c->channels = jn_channels_create(m->model, &pattern, pattern ? 1 : 0, report);
    if (!c || !c->channels) {
        report ? binding_raise_report(report, JN_ERR_MEMORY) : PyErr_NoMemory();
        return free(c), free(report), NULL;
    }
    free(report);
    PyObject *capsule = PyCapsule_New(c, CHANNELS_NAME, free_channels);
    if (!capsule) return jn_channels_free(c->channels), free(c), NULL;
    Py_INCREF(model);
    c->model = model;
    return Py_BuildValue("(NN)", capsule, channel_list(c->channels));
}

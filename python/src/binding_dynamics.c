/* Terms of the equations of motion of a model at any state, without contacts: those belong to simulations. */
#include "binding.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* State and work space of the model, with the state filled; false with an exception set. The GIL is held until the last use. */
static bool take_state(PyObject *capsule, double t, PyObject *q, PyObject *u, binding_model **out) {
    binding_model *m = *out = binding_model_get(capsule);
    if (!m) return false;
    if (!isfinite(t)) return PyErr_SetString(PyExc_ValueError, "t is a time in seconds, finite"), false;
    if (!m->work) m->work = jn_work_create(m->model);
    if (!m->state) m->state = jn_state_create(m->model);
    if (!m->work || !m->state) return PyErr_NoMemory(), false;
    jn_state *s = m->state;
    s->t = t;
    memset(s->u, 0, (size_t)jn_model_nv(m->model) * sizeof *s->u);
    if (!binding_numbers(q, "q", jn_model_nq(m->model), false, s->q) ||
        !binding_numbers(u, "u", jn_model_nv(m->model), true, s->u))
        return false;
    jn_q_normalise(m->model, s->q);
    for (int i = 0; i < jn_model_nq(m->model); i++)
        if (!isfinite(s->q[i])) return PyErr_SetString(PyExc_ValueError, "an orientation in q is zero"), false;
    return true;
}

/* A term: x (nv) comes with the call, out (rows x columns) goes back. */
typedef int evaluation(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out);

static int accelerations(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return jn_accelerate(m, w, s, x, out, NULL);
}
static int mass_matrix(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return (void)x, jn_mass_matrix(m, w, s, out), JN_OK;
}
static int forces(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return (void)x, jn_system_terms(m, w, s, NULL, NULL, out), JN_OK;
}
static int constraint_jacobian(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return (void)x, jn_system_terms(m, w, s, out, NULL, NULL), JN_OK;
}
static int constraint_accelerations(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return (void)x, jn_system_terms(m, w, s, NULL, out, NULL), JN_OK;
}
static int constraint_residual(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    double max[2];
    int rows = jn_model_rows(m);
    return (void)x, jn_constraint_residual(m, w, s, out, out + rows, max), JN_OK;
}
static int gravity_forces(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return (void)x, jn_gravity_forces(m, w, s, out), JN_OK;
}
static int coriolis_forces(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return (void)x, jn_coriolis_forces(m, w, s, out), JN_OK;
}
static int q_rate(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    return (void)w, (void)x, jn_q_rate(m, s->q, s->u, out), JN_OK;
}
static int q_moved(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    (void)w;
    memcpy(out, s->q, (size_t)jn_model_nq(m) * sizeof *out);
    return jn_q_advance(m, out, x, 1), JN_OK;
}
static int energies(const jn_model *m, jn_work *w, const jn_state *s, const double *x, double *out) {
    (void)x;
    int status = jn_observe(m, w, s);
    jn_energy e = jn_energy_get(m, w);
    out[0] = e.kinetic, out[1] = e.potential, out[2] = e.elastic;
    return status;
}

/* Sizes that stand in the table below. */
enum { ONE = 1, TWO = 2, THREE = 3, NQ = -1, NV = -2, ROWS = -3 };
static const struct {
    const char *name;
    evaluation *call;
    int rows, columns;
} terms[] = {{"accelerations", accelerations, NV, ONE},
             {"mass_matrix", mass_matrix, NV, NV},
             {"forces", forces, NV, ONE},
             {"constraint_jacobian", constraint_jacobian, ROWS, NV},
             {"constraint_accelerations", constraint_accelerations, ROWS, ONE},
             {"constraint_residual", constraint_residual, ROWS, TWO},
             {"gravity_forces", gravity_forces, NV, ONE},
             {"coriolis_forces", coriolis_forces, NV, ONE},
             {"q_rate", q_rate, NQ, ONE},
             {"q_moved", q_moved, NQ, ONE},
             {"energies", energies, THREE, ONE}};

static size_t size_of(const jn_model *m, int size) {
    return (size_t)(size == NQ ? jn_model_nq(m) : size == NV ? jn_model_nv(m) : size == ROWS ? jn_model_rows(m) : size);
}

PyObject *binding_model_evaluate(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *q, *u, *x;
    const char *what;
    double t;
    binding_model *m;
    if (!PyArg_ParseTuple(args, "OsdOOO", &capsule, &what, &t, &q, &u, &x) || !take_state(capsule, t, q, u, &m))
        return NULL;
    size_t k = 0, count = sizeof terms / sizeof *terms;
    while (k < count && strcmp(terms[k].name, what) != 0) k++;
    if (k == count) return PyErr_Format(PyExc_ValueError, "no term '%s'", what);
    int nv = jn_model_nv(m->model);
    double *tau = calloc((size_t)nv + 1, sizeof *tau);
    if (!tau) return PyErr_NoMemory();
    size_t size = size_of(m->model, terms[k].rows) * size_of(m->model, terms[k].columns);
    PyObject *out = binding_numbers(x, "tau", nv, true, tau)
                        ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((size + 1) * sizeof(double)))
                        : NULL;
    double *values = out ? (double *)(void *)PyByteArray_AsString(out) : NULL;
    if (values) memset(values, 0, (size + 1) * sizeof *values);
    int status = values ? terms[k].call(m->model, m->work, m->state, tau, values) : JN_OK;
    free(tau);
    if (values && status >= 0 && PyByteArray_Resize(out, (Py_ssize_t)(size * sizeof(double))) < 0) Py_CLEAR(out);
    if (status < 0) {
        Py_CLEAR(out);
        binding_raise_status(status);
    }
    return out;
}

PyObject *binding_model_linearise(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *q, *u, *x, *d = NULL;
    double t;
    binding_model *m;
    if (!PyArg_ParseTuple(args, "OdOOO", &capsule, &t, &q, &u, &x) || !take_state(capsule, t, q, u, &m)) return NULL;
    int nv = jn_model_nv(m->model);
    double *tau = calloc((size_t)nv + 1, sizeof *tau);
    if (!tau) return PyErr_NoMemory();
    if (binding_numbers(x, "tau", nv, true, tau)) {
        jn_linear linear = {0};
        int status = jn_study_linearise(m->model, m->work, m->state, tau, &linear);
        d = status < 0 ? binding_raise_status(status) : binding_linear(&linear);
        if (status >= 0) jn_linear_free(&linear);
    }
    free(tau);
    return d;
}

/* Indices of velocities, each once, into `out` (nv); how many, or -1 with an exception set. None: all. */
static int actuators_of(PyObject *tuple, int nv, int *out) {
    if (tuple == Py_None) {
        for (int i = 0; i < nv; i++) out[i] = i;
        return nv;
    }
    Py_ssize_t count = PyTuple_Size(tuple);
    if (count < 0) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        long k = i < nv ? PyLong_AsLong(PyTuple_GetItem(tuple, i)) : -1;
        if (k == -1 && PyErr_Occurred()) return -1;
        bool fine = k >= 0 && k < nv;
        for (Py_ssize_t j = 0; j < i && fine; j++) fine = out[j] != k;
        if (!fine) return PyErr_Format(PyExc_ValueError, "actuated velocities are 0 to %d, each once", nv - 1), -1;
        out[i] = (int)k;
    }
    return (int)count;
}

PyObject *binding_model_inverse(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *q, *u, *a_bytes, *tuple, *weights, *out = NULL;
    double t, unbalanced = 0;
    binding_model *m;
    if (!PyArg_ParseTuple(args, "OdOOOOO", &capsule, &t, &q, &u, &a_bytes, &tuple, &weights) ||
        !take_state(capsule, t, q, u, &m))
        return NULL;
    int nv = jn_model_nv(m->model), count;
    double *block = calloc(3 * (size_t)nv + 1, sizeof *block), *a = block, *tau = block + nv, *weight = tau + nv;
    int *actuated = calloc((size_t)nv + 1, sizeof *actuated);
    if (!block || !actuated)
        PyErr_NoMemory();
    else if ((count = actuators_of(tuple, nv, actuated)) >= 0 && binding_numbers(a_bytes, "a", nv, true, a) &&
             binding_numbers(weights, "weights", count, true, weight)) {
        bool positive = true;
        for (int i = 0; i < count && weights != Py_None; i++) positive = positive && weight[i] > 0;
        jn_inverse_desc wanted = {
            .a = a, .actuators = count, .actuated = actuated, .weight = weights == Py_None ? NULL : weight};
        int status =
            positive ? jn_study_inverse(m->model, m->work, m->state, &wanted, tau, NULL, NULL, &unbalanced) : JN_OK;
        if (!positive)
            PyErr_SetString(PyExc_ValueError, "weights are positive");
        else if (status < 0)
            binding_raise_status(status);
        else
            out = Py_BuildValue("(Nd)", binding_bytes(tau, (size_t)nv), unbalanced);
    }
    free(block), free(actuated);
    return out;
}

PyObject *binding_model_jacobian(PyObject *self, PyObject *args) {
    (void)self;
    PyObject *capsule, *place, *q, *u, *out = NULL;
    jn_vec3 at;
    int frame;
    double t;
    binding_model *m;
    if (!PyArg_ParseTuple(args, "OO(ddd)idOO", &capsule, &place, &at.x, &at.y, &at.z, &frame, &t, &q, &u) ||
        !take_state(capsule, t, q, u, &m))
        return NULL;
    if (frame < JN_FRAME_MIXED || frame > JN_FRAME_WORLD || !isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z))
        return PyErr_SetString(PyExc_ValueError, "a point is finite, a frame is mixed, body or world"), NULL;
    const char *name = PyUnicode_Check(place) ? PyUnicode_AsUTF8AndSize(place, NULL) : NULL;
    if (!name && PyErr_Occurred()) return NULL;
    int point = name && jn_model_find_body(m->model, name) < 0 ? jn_model_find_point(m->model, name) : -1;
    int body = point >= 0 ? 0 : binding_body(m->model, place);
    if (body < 0) return NULL;
    size_t nv = (size_t)jn_model_nv(m->model);
    double *J = calloc(6 * nv + 6, sizeof *J), *bias = J ? J + 6 * nv : NULL;
    if (!J) return PyErr_NoMemory();
    if (point >= 0)
        jn_point_jacobian(m->model, m->work, m->state, point, (jn_frame)frame, J, bias);
    else
        jn_body_jacobian(m->model, m->work, m->state, body, at, (jn_frame)frame, J, bias);
    out = Py_BuildValue("(NN)", binding_bytes(J, 6 * nv), binding_bytes(bias, 6));
    free(J);
    return out;
}

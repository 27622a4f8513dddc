/* What the files of the extension module share. Objects of C travel through Python as capsules: each has a name of its own, so that a
 * wrong one is an error of type; each keeps those alive that it needs. Arrays come in as bytes of doubles, whose lengths are checked,
 * and go out as bytearrays. Limited API of Python 3.10: one module for all later versions. */
#ifndef JOUNCE_PYTHON_BINDING_H
#define JOUNCE_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <jounce/jounce.h>
#include <limits.h>

#define MODEL_NAME "jounce.model"
#define SIM_NAME "jounce.sim"
#define BATCH_NAME "jounce.batch"
#define RESULT_NAME "jounce.result"
#define CHANNELS_NAME "jounce.channels"

/* A model with the description that it was compiled from: runs to another time compile it again. */
typedef struct binding_model {
    jn_description *description;
    jn_model *model;
    jn_work *work; /* to evaluate the model at any state, with the GIL held; NULL: not yet */
    jn_state *state;
} binding_model;

/* Channels of a model. */
typedef struct binding_channels {
    jn_channels *channels;
    PyObject *model;
} binding_channels;

/* A controller in Python. */
typedef struct binding_control {
    PyObject *call;                 /* weak reference to f(t), which reads q and u and writes tau; NULL: none */
    PyObject *type, *value, *trace; /* exception that it raised: the simulation stops after the step */
    double *q, *u, *tau;            /* (nq), (nv), (nv) what it sees and writes */
} binding_control;

/* Many simulations. */
typedef struct binding_batch {
    jn_batch *batch;
    PyObject *models; /* tuple of capsules */
    int nq, nv;
    bool busy, closed;
    int active; /* simulations of it that threads use by themselves */
} binding_batch;

/* A simulation, of its own or of a batch. */
typedef struct binding_sim {
    jn_sim *sim;
    PyObject *model;
    PyObject *owner;         /* capsule of the batch; NULL: none */
    binding_batch *of_batch; /* NULL: none */
    int index;               /* in the batch */
    int nq, nv;
    double *kept; /* (nq + nv) q and u as the last call left them; of a batch: NULL, it keeps its own */
    binding_control control;
    bool busy;   /* a thread computes, without the GIL */
    bool closed; /* its memory lives on until the last array on it is gone */
} binding_sim;

/* jounce.Error */
extern PyObject *binding_error;

/* Wall time in seconds, and between two looks at signals. */
double binding_clock(void);
#define BINDING_LOOK 0.05

/* Sets the exception; return NULL. */
PyObject *binding_raise(const jn_error *error);
PyObject *binding_raise_report(const jn_report *report, int status);
PyObject *binding_raise_status(int status);

/* Takes a path of bytes or None ("" and NULL); false with an exception set. */
bool binding_path(PyObject *object, const char **path);
/* Puts a new item into a dictionary and drops it; false with an exception set. */
bool binding_put(PyObject *dictionary, const char *key, PyObject *item);
/* Appends a new item and drops it; clears the list with an exception set. */
void binding_append(PyObject **list, PyObject *item);
/* Text that may have bytes of any kind. */
PyObject *binding_text(const char *text);
/* Finite numbers out of bytes into `out` (count); None leaves it alone where it may be left out. False with an exception set. */
bool binding_numbers(PyObject *bytes, const char *what, int count, bool optional, double *out);
/* What a report says, as a list of tuples. */
PyObject *binding_messages(const jn_report *report);
/* Pairs of bytes into settings; they live as long as the tuple; free() them. NULL with an exception set. O(n). */
jn_setting *binding_settings(PyObject *tuple, int *count);
PyObject *binding_bytes(const double *x, size_t count);
PyObject *binding_audit(const jn_audit *audit);
PyObject *binding_linear(const jn_linear *linear);
binding_model *binding_model_get(PyObject *capsule);
/* A body by name or number; -1 with an exception set. */
int binding_body(const jn_model *model, PyObject *object);

/* binding_sim.c: the simulation for a call: open, used by no other thread; the same, with what was written into q and u taken over. NULL with an
 * exception set. What it has now is its own. The exception of its controller, if any: true. Used by one thread alone. */
binding_sim *binding_sim_get(PyObject *capsule);
binding_sim *binding_sim_synced(PyObject *capsule);
void binding_sim_keep(binding_sim *s);
bool binding_sim_raised(binding_sim *s);
void binding_sim_hold(binding_sim *s, bool busy);
/* Releases what a controller holds. */
void binding_control_clear(binding_sim *s);

/* One row per function of the module: its name, how it is called, its help. */
#define BINDING_FUNCTIONS(X)                                                                                           \
    X(load, METH_VARARGS, "load(path, text, settings) -> (model, messages)")                                           \
    X(schema, METH_NOARGS, "schema() -> str: JSON schema of the model file")                                           \
    X(audit_fields, METH_NOARGS, "audit_fields() -> list of (name, help): what an audit has")                          \
    X(model_info, METH_O, "model_info(model) -> dict")                                                                 \
    X(model_evaluate, METH_VARARGS,                                                                                    \
      "model_evaluate(model, what, t, q, u, x) -> bytearray: terms of the equations at a state")                       \
    X(model_inverse, METH_VARARGS, "model_inverse(model, t, q, u, a, actuated, weights) -> (tau, unbalanced)")         \
    X(model_jacobian, METH_VARARGS, "model_jacobian(model, place, point, frame, t, q, u) -> (J, bias)")                \
    X(model_linearise, METH_VARARGS, "model_linearise(model, t, q, u, tau) -> dict")                                   \
    X(run, METH_VARARGS, "run(model, until, folder, progress) -> result")                                              \
    X(result_info, METH_O, "result_info(result) -> dict")                                                              \
    X(result_check, METH_O, "result_check(result): raises what broke the run off")                                     \
    X(sim_create, METH_O, "sim_create(model) -> sim")                                                                  \
    X(sim_close, METH_O, "sim_close(sim): later calls are refused")                                                    \
    X(sim_memory, METH_O, "sim_memory(sim) -> (address of q, nq, address of u, nv)")                                   \
    X(sim_time, METH_O, "sim_time(sim) -> float")                                                                      \
    X(sim_stopped, METH_O, "sim_stopped(sim) -> bool")                                                                 \
    X(sim_step, METH_VARARGS, "sim_step(sim, steps)")                                                                  \
    X(sim_advance, METH_VARARGS, "sim_advance(sim, t)")                                                                \
    X(sim_restart, METH_O, "sim_restart(sim)")                                                                         \
    X(sim_audit, METH_O, "sim_audit(sim) -> dict")                                                                     \
    X(sim_hash, METH_O, "sim_hash(sim) -> int")                                                                        \
    X(sim_contacts, METH_O, "sim_contacts(sim) -> list of tuples")                                                     \
    X(sim_push, METH_VARARGS, "sim_push(sim, body, point, force, torque)")                                             \
    X(sim_save, METH_VARARGS, "sim_save(sim, path)")                                                                   \
    X(sim_load, METH_VARARGS, "sim_load(sim, path)")                                                                   \
    X(sim_state, METH_O, "sim_state(sim) -> bytes: all that decides the next steps")                                   \
    X(sim_set_state, METH_VARARGS, "sim_set_state(sim, bytes)")                                                        \
    X(sim_control, METH_VARARGS,                                                                                       \
      "sim_control(sim, call) -> (address of q, of u, of tau): what call(t) reads and writes")                         \
    X(sim_linearise, METH_VARARGS, "sim_linearise(sim, tau) -> dict")                                                  \
    X(sim_accelerations, METH_VARARGS, "sim_accelerations(sim, tau) -> bytearray")                                     \
    X(sim_equilibrium, METH_O, "sim_equilibrium(sim) -> messages")                                                     \
    X(sim_modes, METH_O, "sim_modes(sim) -> list of (frequency, damping, re, im, shape)")                              \
    X(batch_create, METH_VARARGS, "batch_create(models, count, threads) -> batch")                                     \
    X(batch_close, METH_O, "batch_close(batch): later calls are refused")                                              \
    X(batch_memory, METH_O, "batch_memory(batch) -> (address of q, of u, bytes between rows)")                         \
    X(batch_tau, METH_O, "batch_tau(batch) -> address of the generalised forces")                                      \
    X(batch_time, METH_O, "batch_time(batch) -> bytearray")                                                            \
    X(batch_status, METH_O, "batch_status(batch) -> bytearray of ints")                                                \
    X(batch_error, METH_VARARGS, "batch_error(batch, i): raises what stopped simulation i")                            \
    X(batch_step, METH_VARARGS, "batch_step(batch, steps) -> worst status")                                            \
    X(batch_advance, METH_VARARGS, "batch_advance(batch, t) -> worst status")                                          \
    X(batch_reset, METH_VARARGS, "batch_reset(batch, flags): bytes, one for each simulation")                          \
    X(batch_sim, METH_VARARGS, "batch_sim(batch, i) -> sim")                                                           \
    X(batch_read, METH_VARARGS, "batch_read(batch, channels) -> bytearray (count x channels)")                         \
    X(study, METH_VARARGS, "study(path, settings, threads, folder, resume, progress) -> dict: the table of all runs")   \
    X(channels_create, METH_VARARGS, "channels_create(model, patterns) -> (channels, list)")                           \
    X(channels_read, METH_VARARGS, "channels_read(channels, sim) -> list of float")

#define BINDING_DECLARE(name, how, help) PyObject *binding_##name(PyObject *self, PyObject *args);
BINDING_FUNCTIONS(BINDING_DECLARE)
#undef BINDING_DECLARE

#endif

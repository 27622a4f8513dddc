/* What the files of the extension module share. Objects of C travel through Python as capsules: each has a name of its own, so that a
 * wrong one is an error of type; each keeps those alive that it needs. Limited API of Python 3.10: one module for all later versions. */
#ifndef JOUNCE_PYTHON_BINDING_H
#define JOUNCE_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include <jounce/jounce.h>
#include <limits.h>

#define MODEL_NAME "jounce.model"
#define SIM_NAME "jounce.sim"
#define RESULT_NAME "jounce.result"
#define CHANNELS_NAME "jounce.channels"

/* A model with the description that it was compiled from: runs to another time compile it again. */
typedef struct binding_model {
    jn_description *description; /* NULL: compiled for one run */
    jn_model *model;
} binding_model;

/* Channels of a model. */
typedef struct binding_channels {
    jn_channels *channels;
    PyObject *model;
} binding_channels;

/* jounce.Error */
extern PyObject *binding_error;

/* Wall time in seconds, and between two looks at signals. */
double binding_clock(void);
#define BINDING_LOOK 0.05

/* Sets the exception; return NULL. */
PyObject *binding_raise(const jn_error *error);
PyObject *binding_raise_report(const jn_report *report, int status);

/* Takes a path of bytes or None ("" and NULL); false with an exception set. */
bool binding_path(PyObject *object, const char **path);
/* Puts a new item into a dictionary and drops it; false with an exception set. */
bool binding_put(PyObject *dictionary, const char *key, PyObject *item);
/* Text that may have bytes of any kind. */
PyObject *binding_text(const char *text);
PyObject *binding_audit(const jn_audit *audit);
binding_model *binding_model_get(PyObject *capsule);

/* Functions of the module, by file. */
PyObject *binding_load(PyObject *self, PyObject *args);
PyObject *binding_model_info(PyObject *self, PyObject *capsule);
PyObject *binding_run(PyObject *self, PyObject *args);
PyObject *binding_result_info(PyObject *self, PyObject *capsule);
PyObject *binding_result_check(PyObject *self, PyObject *capsule);
PyObject *binding_sim_create(PyObject *self, PyObject *capsule);
PyObject *binding_sim_close(PyObject *self, PyObject *capsule);
PyObject *binding_sim_memory(PyObject *self, PyObject *capsule);
PyObject *binding_sim_time(PyObject *self, PyObject *capsule);
PyObject *binding_sim_stopped(PyObject *self, PyObject *capsule);
PyObject *binding_sim_step(PyObject *self, PyObject *args);
PyObject *binding_sim_advance(PyObject *self, PyObject *args);
PyObject *binding_sim_restart(PyObject *self, PyObject *capsule);
PyObject *binding_sim_audit(PyObject *self, PyObject *capsule);
PyObject *binding_sim_hash(PyObject *self, PyObject *capsule);
PyObject *binding_sim_contacts(PyObject *self, PyObject *capsule);
PyObject *binding_sim_push(PyObject *self, PyObject *args);
PyObject *binding_sim_save(PyObject *self, PyObject *args);
PyObject *binding_sim_load(PyObject *self, PyObject *args);
PyObject *binding_channels_create(PyObject *self, PyObject *args);
PyObject *binding_channels_read(PyObject *self, PyObject *args);

#endif

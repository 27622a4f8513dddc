/* The audit as a dictionary, with the names of jn_audit. */
#include "binding.h"
#include <stddef.h>

typedef enum field_kind { FIELD_NUMBER, FIELD_COUNT, FIELD_TRUTH, FIELD_NAME } field_kind;

/* One entry of the audit. */
typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset;
} field;

#define NUMBER(name)                                                                                                   \
    { #name, FIELD_NUMBER, offsetof(jn_audit, name) }
#define COUNT(name)                                                                                                    \
    { #name, FIELD_COUNT, offsetof(jn_audit, name) }
#define TRUTH(name)                                                                                                    \
    { #name, FIELD_TRUTH, offsetof(jn_audit, name) }
#define NAME(name)                                                                                                     \
    { #name, FIELD_NAME, offsetof(jn_audit, name) }

static const field fields[] = {NUMBER(energy_start),
                               NUMBER(energy_size),
                               NUMBER(energy_scale),
                               NUMBER(energy_residual),
                               NUMBER(max_energy_residual),
                               NUMBER(max_numerical),
                               NUMBER(momentum_residual),
                               NUMBER(angular_momentum_residual),
                               NUMBER(max_momentum_residual),
                               NUMBER(max_angular_momentum_residual),
                               NUMBER(momentum_scale),
                               NUMBER(angular_momentum_scale),
                               NUMBER(momentum_size),
                               NUMBER(angular_momentum_size),
                               NUMBER(momentum_tolerance),
                               NUMBER(angular_momentum_tolerance),
                               NUMBER(max_position_violation),
                               NUMBER(max_velocity_violation),
                               NUMBER(max_penetration),
                               NUMBER(contact_speed_error),
                               NUMBER(contact_gain),
                               NAME(contact_gain_at),
                               COUNT(asleep),
                               COUNT(steps),
                               COUNT(rejected),
                               COUNT(evaluations),
                               COUNT(events),
                               COUNT(restarts),
                               COUNT(stiff_steps),
                               COUNT(impacts),
                               COUNT(impacts_unfinished),
                               COUNT(impacts_limited),
                               COUNT(impacts_jammed),
                               COUNT(impacts_unsolved),
                               COUNT(impacts_stopped),
                               COUNT(jams),
                               COUNT(rests),
                               NUMBER(rest_loss),
                               COUNT(knots),
                               NUMBER(knot_time),
                               NUMBER(knot_first),
                               NAME(knot_at),
                               TRUTH(redundant_contacts),
                               TRUTH(followed_contacts),
                               COUNT(solver_iterations),
                               COUNT(fallbacks),
                               COUNT(unsolved),
                               COUNT(unconverged),
                               NUMBER(energy_tolerance),
                               NUMBER(violation_tolerance),
                               NUMBER(penetration_tolerance),
                               TRUTH(ok),
                               TRUTH(only_gain)};

static PyObject *value_of(const jn_audit *audit, const field *f) {
    const char *at = (const char *)audit + f->offset;
    switch (f->kind) {
    case FIELD_NUMBER: return PyFloat_FromDouble(*(const double *)(const void *)at);
    case FIELD_COUNT: return PyLong_FromLong(*(const long *)(const void *)at);
    case FIELD_TRUTH: return PyBool_FromLong(*(const bool *)(const void *)at);
    default: break;
    }
    const char *name = *(const char *const *)(const void *)at;
    return name ? binding_text(name) : Py_NewRef(Py_None);
}

PyObject *binding_audit(const jn_audit *audit) {
    PyObject *d = PyDict_New();
    bool fine = d && binding_put(d, "verdict", binding_text(audit->verdict));
    for (size_t i = 0; fine && i < sizeof fields / sizeof *fields; i++)
        fine = binding_put(d, fields[i].name, value_of(audit, &fields[i]));
    if (!fine) Py_CLEAR(d);
    return d;
}

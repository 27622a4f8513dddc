/* The audit as a dictionary, with the names of jn_audit; one table gives names, values and help. */
#include "binding.h"
#include <stddef.h>

typedef enum field_kind { FIELD_NUMBER, FIELD_COUNT, FIELD_TRUTH, FIELD_NAME } field_kind;

/* One entry of the audit. */
typedef struct field {
    const char *name;
    field_kind kind;
    size_t offset;
    const char *help;
} field;

#define FIELD(kind, name, help)                                                                                        \
    { #name, FIELD_##kind, offsetof(jn_audit, name), help }

static const field fields[] = {
    FIELD(NUMBER, energy_start, "[J] kinetic, potential and elastic energy at the start"),
    FIELD(NUMBER, energy_size, "[J] largest sum of the entries' magnitudes: what round-off is measured against"),
    FIELD(NUMBER, energy_scale, "[J] largest change of any entry of the ledger so far"),
    FIELD(NUMBER, energy_residual, "[J] what the ledger leaves unexplained now"),
    FIELD(NUMBER, max_energy_residual, "[J] the largest so far"),
    FIELD(NUMBER, max_numerical, "[J] largest magnitude of the ledger's numerical entry so far"),
    FIELD(NUMBER, momentum_residual, "[kg m/s] what the impulses from outside leave unexplained now"),
    FIELD(NUMBER, angular_momentum_residual, "[kg m^2/s] the same of the angular momentum"),
    FIELD(NUMBER, max_momentum_residual, "[kg m/s] the largest so far"),
    FIELD(NUMBER, max_angular_momentum_residual, "[kg m^2/s] the largest so far"),
    FIELD(NUMBER, momentum_scale, "[kg m/s] largest sum of the bodies' own, or impulse from outside, so far"),
    FIELD(NUMBER, angular_momentum_scale, "[kg m^2/s] the same of the angular momentum"),
    FIELD(NUMBER, momentum_size, "[kg m/s] what round-off is measured against"),
    FIELD(NUMBER, angular_momentum_size, "[kg m^2/s] what round-off is measured against"),
    FIELD(NUMBER, momentum_tolerance, "relative to the scale: what counts as good"),
    FIELD(NUMBER, angular_momentum_tolerance, "relative to the scale: what counts as good"),
    FIELD(NUMBER, max_position_violation, "[m] or [rad] largest violation of constraints so far"),
    FIELD(NUMBER, max_velocity_violation, "[m/s] or [rad/s] the same of their rates"),
    FIELD(NUMBER, max_penetration, "[m] largest so far"),
    FIELD(NUMBER, max_relative_penetration, "largest penetration over half the thickness of the thinner of its shapes: above 1 bodies pass through each other"),
    FIELD(NUMBER, half_thickness, "[m] of that shape; 0: no contact of shapes that have a thickness"),
    FIELD(NAME, half_thickness_at, "the contact where that was; None: nowhere"),
    FIELD(NUMBER, max_compliance, "[m] how far contacts in piles gave way to their load: run.compliance"),
    FIELD(NUMBER, drawn_overlap, "[m] sum over pairs of shapes of how deep they overlap as drawn, which methods nonsmooth and impact push apart"),
    FIELD(NUMBER, max_stop_overlap, "[m] or [rad] how far rigid stops were passed at most"),
    FIELD(COUNT, contacts_lost, "compliant: contacts that were gone, or begun, while deep, with no other one of their pair: bodies pass through each other"),
    FIELD(NUMBER, lost_depth, "[m] the deepest of them"),
    FIELD(NAME, lost_at, "the last one; None: none"),
    FIELD(NUMBER, max_creep, "[m] or [rad] farthest that a coordinate went while its dry friction, which is regularised, was within what holds it"),
    FIELD(NUMBER, creep_time, "[s] that this took"),
    FIELD(NAME, creep_at, "the joint or tendon; None: none crept"),
    FIELD(NUMBER, contact_speed_error, "[m/s] how far contact velocities were from meeting the laws"),
    FIELD(NUMBER, contact_gain, "[J] gained by impacts with friction under Newton's law of restitution"),
    FIELD(NAME, contact_gain_at, "the contact where that was last; None: nowhere"),
    FIELD(COUNT, asleep, "steps of a system at rest that were not solved again"),
    FIELD(COUNT, steps, "steps taken"),
    FIELD(COUNT, rejected, "steps rejected"),
    FIELD(COUNT, evaluations, "evaluations of the equations of motion"),
    FIELD(COUNT, events, "events"),
    FIELD(COUNT, restarts, "starts of the integrator beside the first"),
    FIELD(COUNT, stiff_steps, "of dopri45: shorter than its accuracy asks, for stability"),
    FIELD(COUNT, impacts, "collisions"),
    FIELD(COUNT, impacts_unfinished, "collisions that their law did not end"),
    FIELD(COUNT, impacts_limited, "of these, those that came to the limit of impact events"),
    FIELD(COUNT, impacts_jammed, "of these, those that jammed"),
    FIELD(COUNT, impacts_unsolved, "of these, those whose problem stayed unsolved"),
    FIELD(COUNT, impacts_stopped, "1: the run stopped after the impact events asked for"),
    FIELD(COUNT, impacts_bounded, "nonsmooth: impacts of islands that had less restitution, since Newton's law with friction would have gained energy"),
    FIELD(COUNT, jams, "impacts without collision: friction left no other answer"),
    FIELD(COUNT, rests, "impacts without restitution that ended accumulations"),
    FIELD(NUMBER, rest_loss, "[J] lost by them"),
    FIELD(COUNT, knots, "nonsmooth steps of method impact, past knots of events"),
    FIELD(NUMBER, knot_time, "[s] all of them together"),
    FIELD(NUMBER, knot_first, "[s] when the first was"),
    FIELD(NAME, knot_at, "the contact of the first; None: there were none"),
    FIELD(TRUTH, redundant_contacts, "forces of resting contacts were not unique"),
    FIELD(TRUTH, followed_contacts, "of these, some follow those of the step before; all others are of least norm"),
    FIELD(COUNT, solver_iterations, "of the contact problems"),
    FIELD(COUNT, fallbacks, "contact problems that a fallback solver ended"),
    FIELD(COUNT, unsolved, "contact problems that no solver ended"),
    FIELD(COUNT, unconverged, "implicit steps taken with one evaluation: no length converged"),
    FIELD(NUMBER, energy_tolerance, "relative: what counts as good"),
    FIELD(NUMBER, violation_tolerance, "[m] or [rad]: what counts as good"),
    FIELD(NUMBER, penetration_tolerance, "[m] of a nonsmooth run; 0: not judged"),
    FIELD(TRUTH, ok, "whether all of it is good"),
    FIELD(TRUTH, only_gain, "whether all that is wrong is contact_gain")};
enum { FIELDS = sizeof fields / sizeof *fields };
static const char verdict_help[] = "in words: all that is wrong, or how good it is";

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
    for (size_t i = 0; fine && i < FIELDS; i++) fine = binding_put(d, fields[i].name, value_of(audit, &fields[i]));
    if (!fine) Py_CLEAR(d);
    return d;
}

PyObject *binding_audit_fields(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    PyObject *list = PyList_New(0);
    binding_append(&list, Py_BuildValue("(ss)", "verdict", verdict_help));
    for (size_t i = 0; i < FIELDS; i++) binding_append(&list, Py_BuildValue("(ss)", fields[i].name, fields[i].help));
    return list;
}

/* Compliant contacts as part of the linearisation of the whole system: what they add between the stages of
 * motion/derivatives/linearise.c. */
#ifndef JN_REACTION_COMPLIANT_COMPLIANT_CHANGE_H
#define JN_REACTION_COMPLIANT_COMPLIANT_CHANGE_H

#include "motion/derivatives/derivatives.h"
#include "reaction/compliant/compliant_jacobian.h"

typedef struct jn_contact_changes {
    jn_contacts *contacts;
    int count;                   /* active contacts at the state */
    jn_contact_tangent *tangent; /* (room) */
    int *place;                  /* (room) in the contact cache of the state */
    double *rate_q, *rate_u;     /* (3 room x nv by columns) of the friction states; NULL: not wanted */
} jn_contact_changes;

/* NULL: out of memory. with_states: rate_q and rate_u are wanted. */
jn_contact_changes *jn_contact_changes_create(jn_contacts *contacts, bool with_states);
void jn_contact_changes_free(jn_contact_changes *changes);
/* The laws at the state of the work space, after jn_contact_forces there; their changes along the direction of d, added to its loads and
 * powers. O(active contacts) each. */
void jn_contact_changes_prepare(jn_contact_changes *changes, const jn_model *m, jn_work *w, const jn_state *s);
void jn_contact_changes_add(jn_contact_changes *changes, const jn_model *m, const jn_work *w,
                            struct jn_derivatives_work *d);
/* Along friction state k of a contact: generalised forces are added to x (nv). */
void jn_contact_changes_state(const jn_contact_changes *changes, const jn_model *m, const jn_work *w, int contact,
                              int k, double *x, jn_contact_change *out);

#endif

/* Contacts of a simulation: their beginning and end. */
#ifndef JN_STEP_CONTACT_H
#define JN_STEP_CONTACT_H

#include "step/sim.h"

/* Contacts that are closed at the assembled start; an overlap is an error. */
int jn_contact_start(jn_sim *sim, jn_report *report);
/* One step of the integrator, cut short where a contact begins. */
int jn_step_with_contacts(jn_sim *sim, double t, jn_step_function *step);

#endif

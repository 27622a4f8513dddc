/* Steps with contacts as continuous forces. */
#ifndef JN_STEP_COMPLIANT_COMPLIANT_STEP_H
#define JN_STEP_COMPLIANT_COMPLIANT_STEP_H

#include "step/sim.h"

/* The new contact point that is deepest, among those that are not active. */
typedef struct jn_newest {
    const jn_solid_pair *pair;
    double gap;     /* [m] smallest, INFINITY if there is none */
    double rate;    /* [m/s] of that gap */
    double allowed; /* [m] how deep it may begin */
    int status;     /* of collision detection */
} jn_newest;

/* One step with any integrator, at most to the time t; ends where contacts begin. */
int jn_step_with_contacts(jn_sim *sim, double t, jn_step_function *step);
/* Contacts that are closed when the simulation starts. */
int jn_contact_start(jn_sim *sim, jn_report *report);

/* contact_locate.c: collision detection at the present state: new contacts. */
jn_newest jn_contact_detect(jn_sim *sim);
/* A point that has just become active deeper than it may begin has come up inside a solid, by a change of what is nearest: its depth counts
 * from here, so that its force begins at zero. By procedure root, which leaves no other deep start. */
void jn_contact_set_datum(jn_sim *sim, const jn_solid_pair *pair, const jn_contact_geometry *point, double rate);
/* contact_events.c: an active contact has lost its point within the time h since it was seen, and nothing takes it over; as deep as its rate then leads. */
void jn_contact_judge_loss(jn_sim *sim, int contact, double h);
/* Brings the step back until no new contact is deeper than allowed, by the procedure of the run. The state before the step is
 * in sim->before, the audit of then in `before`, h is the step size before it. */
int jn_contact_locate(jn_sim *sim, double h, jn_step_function *step, const jn_audit *before, jn_newest *found);

/* [m] deepest start of a contact at the point that adds no more energy than its share: a part of that in motion, or delta_max. */
double jn_contact_depth_allowed(const jn_sim *sim, int row, const jn_contact_geometry *point, double speed);
/* Whether the time between is longer than its round-off. */
bool jn_contact_is_long(double t0, double t1);

/* contact_end.c, after detection: where a loaded contact ends within a step of an adaptive one-step integrator, the step is taken again to there, and
 * *found is the newest contact then. The audit before the step in `before`. */
int jn_contact_locate_end(jn_sim *sim, jn_step_function *step, const jn_audit *before, jn_newest *found);

/* contact_graze.c: where the gap of an open pair has closed and opened again within the step, the state goes back to where it was closed, and *found is
 * the contact there; else they stay as they are. */
int jn_contact_find_graze(jn_sim *sim, jn_step_function *step, jn_newest *found);

/* contact_pass.c: whether an active contact under load has no point any more. O(contacts) after detection */
bool jn_contact_is_lost(const jn_sim *sim);
bool jn_contact_pair_lost(const jn_sim *sim, const jn_solid_pair *pair);
/* Brings the step back to where that happens; the state before the step is in sim->before, the audit of then in `before`. */
int jn_contact_locate_loss(jn_sim *sim, double h, jn_step_function *step, const jn_audit *before);
/* Lost contacts go on at new points of their pairs, with the depths that they have: force and energy do not jump. Where there is none, another
 * contact of the pair takes over the energy; what no contact takes over is booked as numerical. */
void jn_contact_pass_on(jn_sim *sim);
/* Steps from the state before to an earlier end, and detects there. CVODE interpolates within its last step instead. */
int jn_contact_step_to(jn_sim *sim, double t, jn_step_function *step);

/* contact_events.c: where in [0, 1] the cubic from g0 < 0 to g1 > 0 with slopes d0, d1 is zero. */
double jn_gap_crossing(double g0, double g1, double d0, double d1);
/* Gaps and slips of the active contacts, to compare with at the end of the next step. */
void jn_contact_note(jn_sim *sim);
/* What happened to the active contacts during the step: deepest point, stick, slip, separation. True if one has ended. */
bool jn_contact_follow(jn_sim *sim);
/* New contact points become active contacts; *any: there were some. started: the run goes on, and what is deep has come up inside a solid. */
int jn_contact_begin_all(jn_sim *sim, bool started, bool *any);
/* Reports an event of a contact row, with its name. */
void jn_contact_report(jn_sim *sim, int row, jn_event e);

#endif
